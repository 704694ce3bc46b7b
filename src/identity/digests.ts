/** Digests of approver-identity 5, to the byte: policy, roster, kinds, tally. All are lower-case hex SHA-256. */
import { compareBytes, concat, hex, u32, utf8 } from '../bytes/encoding.ts';
import { sha256 } from '../crypto/sha256.ts';
import type { PolicyRecord } from './policy.ts';
import { policyBytes, policyBytesVariants, withNewline } from './policy.ts';

export function digestOf(bytes: Uint8Array): string {
  return hex(sha256(bytes));
}

export function policyDigest(record: PolicyRecord): string {
  return digestOf(policyBytes(record));
}

/** Which forms of a recorded policy give the recorded digest (5.1). */
export interface PolicyDigestCheck {
  readonly matches: boolean;
  /** Both the stored bytes and the declared encoding match, without a newline. */
  readonly plain: boolean;
  readonly form: string;
}

/**
 * Holds a recorded policy against its digest.
 *
 * @param stored the bytes of the `policy` member as stored
 * @param record the same, parsed
 */
export function checkPolicyDigest(stored: Uint8Array, record: PolicyRecord, digest: string): PolicyDigestCheck {
  const asStored = digestOf(stored) === digest;
  const encoded = policyBytesVariants(record);
  const asDeclared = encoded.some((bytes) => digestOf(bytes) === digest);
  if (asStored && asDeclared) return { matches: true, plain: true, form: 'as stored and as declared' };
  if (asStored) return { matches: true, plain: false, form: 'as stored only' };
  if (asDeclared) return { matches: true, plain: false, form: 'in the declared order only' };
  const newline = [stored, ...encoded].some((bytes) => digestOf(withNewline(bytes)) === digest);
  return { matches: newline, plain: false, form: newline ? 'with a newline at the end' : 'in no form' };
}

/** 5.2: approvers sorted by bytes, each with its identifier, every text preceded by its length. */
export function rosterDigest(identities: ReadonlyMap<string, string>): string {
  return digestOf(rosterBytes(identities));
}

export function rosterBytes(identities: ReadonlyMap<string, string>): Uint8Array {
  const rows = [...identities].map(([approver, identifier]) => [utf8(approver), utf8(identifier)] as const);
  rows.sort(([a], [b]) => compareBytes(a, b));
  return concat(...rows.flatMap((row) => row.flatMap((text) => [u32(text.length), text])));
}

/** 5.3: the LINES are sorted, which is not the order of the ids. */
export function kindsDigest(kinds: Iterable<readonly [approver: string, kind: 'cert' | 'bare']>): string {
  const lines = [...kinds].map(([approver, kind]) => utf8(`${approver}=${kind}`)).sort(compareBytes);
  return digestOf(concat(...lines.flatMap((line, i) => (i === 0 ? [line] : [utf8('\n'), line]))));
}

/** 5.4: over the stored bytes of the tally's result; the whole record is the other reading. */
export function tallyDigestForm(
  digest: string,
  result: Uint8Array,
  record: Uint8Array,
): 'result' | 'record' | undefined {
  if (digestOf(result) === digest) return 'result';
  return digestOf(record) === digest ? 'record' : undefined;
}
