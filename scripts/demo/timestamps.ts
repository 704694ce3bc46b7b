/** The time-stamp authority of the demonstration (RFC 3161): a root that a verifier may trust, and tokens over the heads. */
import * as forge from '../../test/pki/forge.ts';

const rootKey = forge.key('audit demonstration: time root');
const key = forge.key('audit demonstration: time authority');
const ROOT = 'O=Example Time,CN=Example Time Root';

const root = forge.certificate({
  subject: ROOT,
  issuer: ROOT,
  key: rootKey,
  issuerKey: rootKey,
  serial: 1,
  from: '2020-01-01T00:00:00Z',
  until: '2040-01-01T00:00:00Z',
  extensions: [forge.basicConstraints(true), forge.keyUsage(5, 6)],
});
const certificate = forge.certificate({
  subject: 'O=Example Time,CN=Example Time Stamping',
  issuer: ROOT,
  key,
  issuerKey: rootKey,
  serial: 5,
  from: '2025-01-01T00:00:00Z',
  until: '2031-01-01T00:00:00Z',
  extensions: [forge.keyUsage(0), forge.extendedKeyUsage(['1.3.6.1.5.5.7.3.8'], true)],
});

/** What the authority says that it saw at a time (RFC 3339). */
export function stamp(bytes: Uint8Array, at: string): Uint8Array {
  return forge.token({ message: bytes, certificate, key, issuer: ROOT, serial: 5, at });
}

/** The list of certificates that the root withdrew, as of a time: nothing is on it. */
export function revocationList(from: string, until: string): Uint8Array {
  return forge.crl({ issuer: ROOT, key: rootKey, from, until, number: 288 });
}

export const timeRoot: Uint8Array = root;
