/**
 * X.509 certificates (RFC 5280 4.1) as a model over their own bytes. Everything that a hash, a signature or a comparison is over is a raw
 * span: `der`, `tbs`, `issuer.der`, `subject.der`, `publicKey.der`. Read with `parseCertificate`; names and texts in it are untrusted.
 *
 * For callers above (identity): `sha256` is the certificate's identity, `publicKey.sha256` the key's, `verifyCertificate` one signature
 * check under a key that the caller chose.
 */
import { hex } from '../bytes/encoding.ts';
import { sha256 } from '../crypto/sha256.ts';
import type { Instant } from '../time/instant.ts';
import {
  type Algorithm,
  type PublicKeyInfo,
  readAlgorithm,
  readPublicKey,
  sameAlgorithm,
  signatureAlgorithm,
} from './algorithm.ts';
import { Cursor, checkBitString, contents, Malformed, openDer, raw, signatureBytes, smallInteger, TAG } from './der.ts';
import { type GeneralName, type Name, readName } from './name.ts';
import { MAX_SIZE, type Read, reading } from './read.ts';
import { verifySignature, weakness } from './signature.ts';
import * as structures from './structures.ts';
import { x509Time } from './time.ts';

export const OID = {
  subjectKeyIdentifier: '2.5.29.14',
  keyUsage: '2.5.29.15',
  subjectAltName: '2.5.29.17',
  issuerAltName: '2.5.29.18',
  basicConstraints: '2.5.29.19',
  crlNumber: '2.5.29.20',
  reasonCode: '2.5.29.21',
  invalidityDate: '2.5.29.24',
  deltaCrlIndicator: '2.5.29.27',
  issuingDistributionPoint: '2.5.29.28',
  certificateIssuer: '2.5.29.29',
  nameConstraints: '2.5.29.30',
  crlDistributionPoints: '2.5.29.31',
  certificatePolicies: '2.5.29.32',
  policyMappings: '2.5.29.33',
  authorityKeyIdentifier: '2.5.29.35',
  policyConstraints: '2.5.29.36',
  extendedKeyUsage: '2.5.29.37',
  freshestCrl: '2.5.29.46',
  inhibitAnyPolicy: '2.5.29.54',
  expiredCertsOnCrl: '2.5.29.60',
  ocspNoCheck: '1.3.6.1.5.5.7.48.1.5',
  anyPolicy: '2.5.29.32.0',
  anyExtendedKeyUsage: '2.5.29.37.0',
  timeStamping: '1.3.6.1.5.5.7.3.8',
  ocspSigning: '1.3.6.1.5.5.7.3.9',
} as const;

export interface Certificate {
  readonly der: Uint8Array;
  /** Hex SHA-256 of `der`: the certificate's identity in reports and pools. */
  readonly sha256: string;
  /** tbsCertificate, what the signature is over. */
  readonly tbs: Uint8Array;
  readonly version: 1 | 2 | 3;
  /** Contents of the serial number's INTEGER; negative numbers are kept as they stand. */
  readonly serial: Uint8Array;
  readonly serialHex: string;
  readonly issuer: Name;
  readonly subject: Name;
  readonly notBefore: Instant;
  readonly notAfter: Instant;
  readonly publicKey: PublicKeyInfo;
  readonly signatureAlgorithm: Algorithm;
  readonly signature: Uint8Array;
  /** All extensions as they stand, known or not. */
  readonly extensions: ReadonlyMap<string, structures.Extension>;
  readonly basicConstraints?: structures.BasicConstraints;
  /** Mask of `KEY_USAGE` bits. */
  readonly keyUsage?: number;
  readonly extendedKeyUsage?: readonly string[];
  readonly policies?: readonly structures.PolicyInformation[];
  readonly policyMappings?: readonly structures.PolicyMapping[];
  readonly policyConstraints?: structures.PolicyConstraints;
  readonly inhibitAnyPolicy?: number;
  readonly nameConstraints?: structures.NameConstraints;
  readonly subjectAltNames?: readonly GeneralName[];
  readonly authorityKeyIdentifier?: structures.AuthorityKeyIdentifier;
  readonly subjectKeyIdentifier?: Uint8Array;
  readonly distributionPoints?: readonly structures.DistributionPoint[];
  readonly freshestCrl?: readonly structures.DistributionPoint[];
  /** id-pkix-ocsp-nocheck (RFC 6960 4.2.2.2.1). */
  readonly ocspNoCheck: boolean;
  /** Issuer and subject are one name (RFC 5280 6.1: self-issued). */
  readonly selfIssued: boolean;
}

/**
 * Reads one certificate from strict DER.
 *
 * @param part how findings name it: a path, or "certificate 2".
 */
export function parseCertificate(der: Uint8Array, part?: string): Read<Certificate> {
  return reading(der, MAX_SIZE.certificate, 'a certificate', part, () => readCertificate(der));
}

/** Whether the certificate's signature verifies under `key`; false for algorithms and keys that are not accepted. */
export function verifyCertificate(certificate: Certificate, key: PublicKeyInfo): boolean {
  return verifySigned(certificate, key);
}

/** What certificates, CRLs and OCSP responses have in common: signed bytes, algorithm, signature. */
export interface Signed {
  readonly tbs: Uint8Array;
  readonly signatureAlgorithm: Algorithm;
  readonly signature: Uint8Array;
}

/** Answers that were already computed, kept as long as the structure they are about. */
const answered = new WeakMap<Signed, Map<string, boolean>>();

/** Whether the signature verifies under `key`; asked again for the same pair, it costs nothing. */
export function verifySigned(signed: Signed, key: PublicKeyInfo): boolean {
  const answers = answered.get(signed) ?? new Map<string, boolean>();
  answered.set(signed, answers);
  const known = answers.get(key.sha256);
  if (known !== undefined) return known;
  const algorithm = signatureAlgorithm(signed.signatureAlgorithm);
  const answer = !('refused' in algorithm) && verifySignature(key.key, algorithm, signed.tbs, signed.signature);
  answers.set(key.sha256, answer);
  return answer;
}

/** Why the algorithm of a signature, or the key it is to verify under, is not accepted; undefined when both are. */
export function refusedAlgorithm(signed: Signed, key: PublicKeyInfo): string | undefined {
  const algorithm = signatureAlgorithm(signed.signatureAlgorithm);
  return 'refused' in algorithm ? algorithm.refused : weakness(key.key);
}

/** How findings name a certificate: its subject's hash is no help to a person, so subject, serial number and identity. */
export function describe(certificate: Certificate): string {
  const subject = certificate.subject.text === '' ? '(empty subject)' : certificate.subject.text;
  return `${subject} (serial ${certificate.serialHex}, SHA-256 ${certificate.sha256.slice(0, 16)})`;
}

function readCertificate(der: Uint8Array): Certificate {
  const outer = openDer(der, 'certificate');
  const tbsElement = outer.next('tbsCertificate', TAG.sequence);
  const algorithm = readAlgorithm(outer.next('signatureAlgorithm', TAG.sequence));
  const signature = signatureBytes(outer.next('signature', TAG.bitString));
  outer.finish('certificate');

  const tbs = new Cursor(tbsElement);
  const version = readVersion(tbs);
  const serial = contents(tbs.next('serialNumber', TAG.integer));
  const inner = tbs.next('signature', TAG.sequence);
  if (!sameAlgorithm(readAlgorithm(inner), algorithm))
    throw new Malformed('the algorithm inside the signed part is not the one outside', inner.start);
  const issuer = readName(tbs.next('issuer', TAG.sequence));
  const validity = tbs.enter('validity');
  const [notBefore, notAfter] = [x509Time(validity.next('notBefore')), x509Time(validity.next('notAfter'))];
  validity.finish('validity');
  const subject = readName(tbs.next('subject', TAG.sequence));
  const publicKey = readPublicKey(tbs.next('subjectPublicKeyInfo', TAG.sequence));
  for (const tag of [0x81, 0x82]) {
    const uniqueId = tbs.optional(tag);
    if (uniqueId === undefined) continue;
    checkBitString(uniqueId);
    if (version === 1) throw new Malformed('a version 1 certificate has a unique identifier', uniqueId.start);
  }
  const wrapper = tbs.optional(0xa3);
  if (wrapper !== undefined && version !== 3)
    throw new Malformed('only a version 3 certificate may have extensions', wrapper.start);
  tbs.finish('tbsCertificate');
  const extensions = wrapper === undefined ? new Map<string, structures.Extension>() : readWrapped(new Cursor(wrapper));
  return {
    der,
    sha256: hex(sha256(der)),
    tbs: raw(tbsElement),
    version,
    serial,
    serialHex: hex(serial),
    issuer,
    subject,
    notBefore,
    notAfter,
    publicKey,
    signatureAlgorithm: algorithm,
    signature,
    extensions,
    ...decodeExtensions(extensions),
    ocspNoCheck: extensions.has(OID.ocspNoCheck),
    selfIssued: issuer.key === subject.key,
  };
}

function readVersion(tbs: Cursor): 1 | 2 | 3 {
  const wrapper = tbs.optional(0xa0);
  if (wrapper === undefined) return 1;
  const cursor = new Cursor(wrapper);
  const version = smallInteger(cursor.next('version', TAG.integer), 'version', 2);
  cursor.finish('version');
  if (version === 0) throw new Malformed('version 1 is written out, which DER forbids', wrapper.start);
  return version === 1 ? 2 : 3;
}

function readWrapped(cursor: Cursor): ReadonlyMap<string, structures.Extension> {
  const extensions = structures.readExtensions(cursor.next('extensions', TAG.sequence));
  cursor.finish('extensions');
  return extensions;
}

type Decoded = Pick<
  Certificate,
  | 'basicConstraints'
  | 'keyUsage'
  | 'extendedKeyUsage'
  | 'policies'
  | 'policyMappings'
  | 'policyConstraints'
  | 'inhibitAnyPolicy'
  | 'nameConstraints'
  | 'subjectAltNames'
  | 'authorityKeyIdentifier'
  | 'subjectKeyIdentifier'
  | 'distributionPoints'
  | 'freshestCrl'
>;

/** Decodes every extension that path validation processes; one that does not have its structure refuses the certificate. */
function decodeExtensions(extensions: ReadonlyMap<string, structures.Extension>): Decoded {
  const value = <Key extends keyof Decoded>(
    key: Key,
    oid: string,
    read: (bytes: Uint8Array) => Decoded[Key],
  ): Decoded => {
    const extension = extensions.get(oid);
    return extension === undefined ? {} : ({ [key]: read(extension.value) } as Decoded);
  };
  const issuerAlt = extensions.get(OID.issuerAltName);
  if (issuerAlt !== undefined) structures.alternativeNames(issuerAlt.value);
  return {
    ...value('basicConstraints', OID.basicConstraints, structures.basicConstraints),
    ...value('keyUsage', OID.keyUsage, structures.keyUsage),
    ...value('extendedKeyUsage', OID.extendedKeyUsage, structures.extendedKeyUsage),
    ...value('policies', OID.certificatePolicies, structures.certificatePolicies),
    ...value('policyMappings', OID.policyMappings, structures.policyMappings),
    ...value('policyConstraints', OID.policyConstraints, structures.policyConstraints),
    ...value('inhibitAnyPolicy', OID.inhibitAnyPolicy, structures.inhibitAnyPolicy),
    ...value('nameConstraints', OID.nameConstraints, structures.nameConstraints),
    ...value('subjectAltNames', OID.subjectAltName, structures.alternativeNames),
    ...value('authorityKeyIdentifier', OID.authorityKeyIdentifier, structures.authorityKeyIdentifier),
    ...value('subjectKeyIdentifier', OID.subjectKeyIdentifier, structures.subjectKeyIdentifier),
    ...value('distributionPoints', OID.crlDistributionPoints, structures.distributionPoints),
    ...value('freshestCrl', OID.freshestCrl, structures.distributionPoints),
  };
}
