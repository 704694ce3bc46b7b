/**
 * Why a note, checkpoint, cosignature, policy or proof file of the C2SP formats is refused (`interop.md` 1). Reasons are the
 * specification's own words; each belongs to one finding code, and that to one class.
 */
import type { Finding, Where } from '../finding/finding.ts';
import { catalogue } from './catalogue.ts';

const CODE_OF_REASON = {
  'too-large': 'log/note-malformed',
  utf8: 'log/note-malformed',
  control: 'log/note-malformed',
  'no-blank-line': 'log/note-malformed',
  'no-signature': 'log/note-malformed',
  'final-newline': 'log/note-malformed',
  'too-many': 'log/note-malformed',
  'signature-line': 'log/note-malformed',
  'key-name': 'log/note-malformed',
  base64: 'log/note-malformed',
  'signature-short': 'log/note-malformed',
  signature: 'log/note-signature',
  cosignature: 'log/cosignature',
  'no-known-signature': 'log/note-unknown',
  'checkpoint-lines': 'log/checkpoint-malformed',
  'checkpoint-empty-line': 'log/checkpoint-malformed',
  'checkpoint-size': 'log/checkpoint-malformed',
  'checkpoint-root': 'log/checkpoint-malformed',
  'checkpoint-empty-root': 'log/checkpoint-empty-root',
  vkey: 'log/vkey',
  'vkey-id': 'log/vkey',
  'vkey-length': 'log/vkey',
  'vkey-weak': 'log/vkey',
  'policy-too-large': 'log/policy-malformed',
  'policy-octet': 'log/policy-malformed',
  'policy-final-newline': 'log/policy-malformed',
  'policy-keyword': 'log/policy-malformed',
  'policy-items': 'log/policy-malformed',
  'policy-name': 'log/policy-malformed',
  'policy-undefined': 'log/policy-malformed',
  'policy-threshold': 'log/policy-malformed',
  'policy-member-twice': 'log/policy-malformed',
  'policy-duplicate-log': 'log/policy-malformed',
  'policy-duplicate-witness': 'log/policy-malformed',
  'policy-witness-type': 'log/policy-malformed',
  'policy-no-quorum': 'log/policy-malformed',
  'policy-quorum-twice': 'log/policy-malformed',
  'no-log-signature': 'log/no-log-signature',
  quorum: 'log/quorum',
  'quorum-late': 'log/quorum-late',
  'proof-header': 'log/tlog-proof-malformed',
  'proof-extra': 'log/tlog-proof-malformed',
  'proof-index': 'log/tlog-proof-malformed',
  'proof-hash': 'log/tlog-proof-malformed',
  'proof-no-checkpoint': 'log/tlog-proof-malformed',
  'proof-length': 'log/tlog-proof-inclusion',
  index: 'log/tlog-proof-inclusion',
  root: 'log/tlog-proof-inclusion',
} as const;

export type Reason = keyof typeof CODE_OF_REASON;

export interface Fault {
  readonly reason: Reason;
  /** One sentence. */
  readonly message: string;
  /** 1-based line of the file, where the fault is about one. */
  readonly line?: number;
  readonly expected?: string;
  readonly actual?: string;
}

export type Result<T> = { readonly ok: true; readonly value: T } | { readonly ok: false; readonly fault: Fault };

export function refuse(
  reason: Reason,
  message: string,
  more: Omit<Fault, 'reason' | 'message'> = {},
): { readonly ok: false; readonly fault: Fault } {
  return { ok: false, fault: { reason, message, ...more } };
}

/** The fault as a finding. */
export function faultFinding(fault: Fault, where: Where = {}): Finding {
  const { reason, message, line, expected, actual } = fault;
  return catalogue.find(CODE_OF_REASON[reason], message, {
    where: line === undefined ? where : { ...where, line },
    ...(expected === undefined ? {} : { expected }),
    ...(actual === undefined ? {} : { actual }),
  });
}
