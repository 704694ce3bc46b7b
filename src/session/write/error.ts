/** Conditions of session-format Appendix A as errors: what a writer refuses, by the name that every store and command gives it. */

/** Codes of Appendix A ("its name without Err, in snake_case"), and the unnamed conditions of a line, a header and a context. */
export type SessionErrorCode =
  | 'answer_not_dispatched'
  | 'bad_context'
  | 'bad_convergence'
  | 'bad_entry'
  | 'bad_from_link'
  | 'bad_header'
  | 'bad_id'
  | 'bad_normalisation'
  | 'bad_redacted'
  | 'bad_target'
  | 'bad_withdrawal'
  | 'base_rule'
  | 'call_answered'
  | 'call_completed'
  | 'call_id_empty'
  | 'call_id_repeated'
  | 'call_rejected'
  | 'callee_link'
  | 'hash_mismatch'
  | 'head_moved'
  | 'head_target'
  | 'instructions_join'
  | 'key_collision'
  | 'line_too_long'
  | 'media_differs'
  | 'no_entry'
  | 'no_hash'
  | 'no_place'
  | 'no_raise'
  | 'no_session'
  | 'not_i_json'
  | 'not_redacted'
  | 'omit_divergence'
  | 'reason_mismatch'
  | 'record_missing'
  | 'redacted_from'
  | 'reject_dispatched'
  | 'reserved_member'
  | 'source_mismatch'
  | 'stale_original'
  | 'superseded'
  | 'synthetic'
  | 'truncated_line'
  | 'unmet'
  | 'unresolved_migration'
  | 'unsupported_format';

/** What a condition also counts as (Appendix A, "Also"). */
const ALSO: ReadonlyMap<string, SessionErrorCode> = new Map([
  ['base_rule', 'no_entry'],
  ['no_raise', 'unsupported_format'],
  ['omit_divergence', 'hash_mismatch'],
]);

/** Whether a condition is the one asked for, or counts as it too. */
export function countsAs(found: string, asked: string): boolean {
  return found === asked || ALSO.get(found) === asked;
}

/** A condition that a session raises by itself; `is` is true for what it also counts as. */
export class SessionError extends Error {
  readonly code: SessionErrorCode;
  /** The entry or header member that it is about, where there is one. */
  readonly at: string | undefined;

  constructor(code: SessionErrorCode, message: string, at?: string) {
    super(message);
    this.name = 'SessionError';
    this.code = code;
    this.at = at;
  }

  is(code: string): boolean {
    return countsAs(this.code, code);
  }
}

/** Findings whose condition has another name. */
const CONDITIONS: ReadonlyMap<string, SessionErrorCode> = new Map([
  ['session/id-mismatch', 'bad_id'],
  ['session/bad-parent', 'bad_id'],
  ['session/bad-ts', 'bad_id'],
  ['session/no-entry', 'no_entry'],
  ['session/not-a-session', 'unsupported_format'],
  ['session/truncated', 'truncated_line'],
  ['json/not-json', 'bad_entry'],
  ['json/not-i-json', 'not_i_json'],
  ['json/too-deep', 'not_i_json'],
]);

/** The code of an error for the code of a finding (Appendix A): `session/call-id-empty` is `call_id_empty`. */
export function codeOfFinding(finding: string): SessionErrorCode {
  return CONDITIONS.get(finding) ?? (finding.slice(finding.indexOf('/') + 1).replaceAll('-', '_') as SessionErrorCode);
}
