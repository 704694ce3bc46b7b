/**
 * DSSE envelopes (interop 2): what is signed is the type and the decoded body, under an encoding that nothing else has. The body that was
 * verified is the only one that is ever used; key ids are hints and decide nothing.
 */
import { base64, concat, hex, unbase64, utf8 } from '../bytes/encoding.ts';
import { writeKeyDer } from '../crypto/pem.ts';
import { sha256 } from '../crypto/sha256.ts';
import type { PrivateKey, PublicKey } from '../crypto/signature.ts';
import { type JsonObject, parseTree } from '../json/tree.ts';
import { memberOf, repeatedName } from './members.ts';

export const IN_TOTO = 'application/vnd.in-toto+json';
export const MAX_SIGNATURES = 100;

export interface DsseSignature {
  /** A hint; empty where there is none. */
  readonly keyid: string;
  readonly sig: Uint8Array;
}

export interface Envelope {
  readonly payloadType: string;
  readonly payload: Uint8Array;
  readonly signatures: readonly DsseSignature[];
}

export type DsseRule =
  | 'dsse-json'
  | 'dsse-duplicate-member'
  | 'dsse-member'
  | 'dsse-no-signature'
  | 'dsse-too-many'
  | 'base64'
  | 'dsse-threshold'
  | 'dsse-type';

export interface DsseFault {
  readonly rule: DsseRule;
  readonly message: string;
}

export type EnvelopeReading =
  | { readonly ok: true; readonly envelope: Envelope }
  | { readonly ok: false; readonly fault: DsseFault };

/** The bytes that a signature is over: lengths are those of bytes, in decimal. */
export function preAuthentication(type: string, body: Uint8Array): Uint8Array {
  const name = utf8(type);
  return concat(utf8(`DSSEv1 ${name.length} `), name, utf8(` ${body.length} `), body);
}

function fault(rule: DsseRule, message: string): { readonly ok: false; readonly fault: DsseFault } {
  return { ok: false, fault: { rule, message } };
}

/** Reads an envelope by the first two steps of interop 2.2. Members that are not known are ignored. */
export function readEnvelope(bytes: Uint8Array): EnvelopeReading {
  const parsed = parseTree(bytes);
  if (!parsed.ok) return fault('dsse-json', `the envelope is not one JSON text: ${parsed.problem.message}`);
  const repeated = repeatedName(parsed.root);
  if (repeated !== undefined) return fault('dsse-duplicate-member', `the member ${JSON.stringify(repeated)} is twice`);
  if (parsed.root.kind !== 'object') return fault('dsse-member', 'the envelope is no JSON object');
  const [payload, type, list] = ['payload', 'payloadType', 'signatures'].map((name) =>
    memberOf(parsed.root as JsonObject, name),
  );
  if (payload?.kind !== 'string' || type?.kind !== 'string' || type.illFormed || list?.kind !== 'array')
    return fault('dsse-member', 'payload and payloadType are strings and signatures is a list');
  if (list.items.length === 0) return fault('dsse-no-signature', 'the envelope has no signature');
  if (list.items.length > MAX_SIGNATURES)
    return fault('dsse-too-many', `the envelope has more than ${MAX_SIGNATURES} signatures`);
  const rows: { readonly keyid: string; readonly sig: string }[] = [];
  for (const item of list.items) {
    if (item.kind !== 'object') return fault('dsse-member', 'a signature is no JSON object');
    const [sig, keyid] = [memberOf(item, 'sig'), memberOf(item, 'keyid')];
    if (sig?.kind !== 'string' || (keyid !== undefined && keyid.kind !== 'string'))
      return fault('dsse-member', 'sig is a string, and so is keyid where it is');
    rows.push({ keyid: keyid?.value ?? '', sig: sig.value });
  }
  const body = eitherBase64(payload.value);
  const signatures: DsseSignature[] = [];
  for (const { keyid, sig } of rows) {
    const decoded = eitherBase64(sig);
    if (decoded !== undefined) signatures.push({ keyid, sig: decoded });
  }
  if (body === undefined || signatures.length < rows.length)
    return fault('base64', 'the payload or a signature is not canonical base64 of one alphabet');
  return { ok: true, envelope: { payloadType: type.value, payload: body, signatures } };
}

/** Base64 in either alphabet, one for the whole text, padded and canonical. */
function eitherBase64(text: string): Uint8Array | undefined {
  const isUrl = /[-_]/.test(text);
  if (isUrl && /[+/]/.test(text)) return undefined;
  return unbase64(isUrl ? text.replaceAll('-', '+').replaceAll('_', '/') : text);
}

export interface Acceptance {
  /** The keys that signed, each once whatever it is called, in the order given. */
  readonly accepted: readonly PublicKey[];
  /** For each signature of the envelope: position of the key that made it, or undefined. */
  readonly by: readonly (number | undefined)[];
}

/** Which of these keys signed the envelope. A signature by none of them is skipped; all are tried, whatever the key ids say. */
export function signersOf(envelope: Envelope, keys: readonly PublicKey[]): Acceptance {
  const message = preAuthentication(envelope.payloadType, envelope.payload);
  const by = envelope.signatures.map(({ sig }) => {
    const position = keys.findIndex((key) => key.verify(sig, message));
    return position < 0 ? undefined : position;
  });
  const accepted = new Map<string, PublicKey>();
  for (const position of by) {
    const key = position === undefined ? undefined : keys[position];
    if (key !== undefined) accepted.set(`${key.scheme}:${hex(key.bytes)}`, key);
  }
  return { accepted: [...accepted.values()], by };
}

/** The steps of interop 2.2 to the end: at least `threshold` keys, and only then the type. */
export function verifyEnvelope(
  envelope: Envelope,
  keys: readonly PublicKey[],
  threshold: number,
  types: readonly string[],
): (Acceptance & { readonly ok: true }) | { readonly ok: false; readonly fault: DsseFault } {
  const signers = signersOf(envelope, keys);
  if (signers.accepted.length < Math.max(threshold, 1))
    return fault('dsse-threshold', `${signers.accepted.length} trusted keys signed, ${threshold} are needed`);
  if (!types.includes(envelope.payloadType))
    return fault('dsse-type', `${JSON.stringify(envelope.payloadType)} is no type that is read here`);
  return { ok: true, ...signers };
}

/** Hint by which other tools find a key: SHA-256 of its SubjectPublicKeyInfo; empty for a hybrid, which has none. */
export async function dsseKeyId(key: PublicKey): Promise<string> {
  const der = await writeKeyDer({ scheme: key.scheme, bytes: key.bytes, secret: false });
  return der === undefined ? '' : hex(sha256(der));
}

/** Signs a body. */
export async function signEnvelope(
  payloadType: string,
  payload: Uint8Array,
  keys: readonly PrivateKey[],
): Promise<Envelope> {
  const message = preAuthentication(payloadType, payload);
  const signatures: DsseSignature[] = [];
  for (const key of keys) signatures.push({ keyid: await dsseKeyId(key.publicKey), sig: key.sign(message) });
  return { payloadType, payload, signatures };
}

/** The one form in which this program writes an envelope (interop 2.1, writer). */
export function writeEnvelope({ payloadType, payload, signatures }: Envelope): Uint8Array {
  const rows = signatures.map(({ keyid, sig }) => (keyid === '' ? { sig: base64(sig) } : { keyid, sig: base64(sig) }));
  return utf8(`${JSON.stringify({ payload: base64(payload), payloadType, signatures: rows })}\n`);
}
