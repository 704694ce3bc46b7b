/**
 * The inferred spellings, all of them and nowhere else (journal 3.6): no source shows these names. A writer uses them; a reader recognises
 * the records by what they hold and never depends on the spelling, so replacing this table changes what is written and nothing that
 * is read. `c`, `run` and `op` come escaped; `n`, `g` and `e` are decimals.
 */

/** Records of a gate. */
export const GATE_RECORDS = {
  pauseNote: (c: string) => `approval-pending:${c}`,
  formatReaskNote: (c: string) => `approval-pending:${c}:reask`,
  dutiesReaskNote: (c: string) => `approval-pending:${c}:sod-reask`,
  identityReaskNote: (c: string, g: number) => `approval-pending:${c}:ident-reask:${g}`,
  phaseNote: (c: string, n: number) => `approval-pause:${c}:${n}`,
  request: (c: string) => `approval-request:${c}`,
  deadline: (c: string) => `approval-deadline:${c}`,
  formatRetally: (c: string) => `approval-tally:${c}:reask`,
  dutiesRetally: (c: string) => `approval-tally:${c}:sod-reask`,
  status: (derSha256Hex: string) => `approval-status:${derSha256Hex}`,
  identity: (c: string, g: number) => `approval-identity:${c}:${g}`,
  identityDigest: (c: string, g: number, tallyDigest: string) =>
    `approval-identity:${c}:${g}:${tallyDigest.slice(0, 16)}`,
  execHold: (c: string, g: number) => `approval-exec-hold:${c}:${g}`,
} as const;

/** First words of the inferred record names: reserved like those that are documented (journal 3.4). */
export const GATE_PREFIXES: readonly string[] = [
  'approval-pending:',
  'approval-pause:',
  'approval-request:',
  'approval-deadline:',
  'approval-status:',
  'approval-identity:',
  'approval-exec-hold:',
];

/** Event keys: the strings whose SHA-256 is a delivery id. */
export const EVENT_KEYS = {
  gate: (run: string, c: string) => `approval:${run}:${c}`,
  reminder: (run: string, c: string, n: number) => `approval:${run}:${c}:${n}`,
  formatReask: (run: string, c: string) => `approval-reask:${run}:${c}:format`,
  dutiesReask: (run: string, c: string) => `approval-reask:${run}:${c}:sod`,
  identityReask: (run: string, c: string, g: number) => `approval-ident-reask:${run}:${c}:${g}`,
  halt: (run: string, what: 'tool' | 'step', op: string, ms: bigint) => `halted:${run}:${what}:${op}:${ms}`,
  abort: (run: string) => `aborted:${run}`,
  recovery: (run: string, e: number) => `recovery:${run}:${e}`,
  expired: (run: string, c: string) => `expired:${run}:${c}`,
  overdue: (key: string) => `overdue:${key}`,
  resolved: (key: string) => `resolved:${key}`,
  digest: (bucket: string) => `digest:${bucket}`,
  /** Documented, not inferred (notifications 5.2). */
  receiver: (receiver: string, key: string) => `to:${receiver}:${key}`,
  escalated: (level: number, key: string) => `escalated:${level}:${key}`,
} as const;

/** Trail names; only the prefixes `notify:@open` and the digest are documented. */
export const TRAILS = {
  run: (run: string) => `notify:${run}`,
  openDay: (day: string) => `notify:@open:${day}`,
  openIndex: (year: string) => `notify:@open:index:${year}`,
  digest: 'notify:@digest',
} as const;
