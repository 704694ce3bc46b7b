/**
 * What the road asks of a kind of input. Each kind has one file in this folder that recognises it and turns what its module found into
 * claims; `kinds.ts` lists them. Architecture, "The one road a verification travels".
 */
import type { ByteSource } from '../bytes/source.ts';
import type { Claim, Finding, Missing } from '../finding/finding.ts';
import type { Instant } from '../time/instant.ts';
import type { Trust } from '../trust/trust.ts';
import type { AsOf } from './report.ts';

export type Kind =
  | 'session'
  | 'journal'
  | 'head'
  | 'proof'
  | 'absence'
  | 'event'
  | 'grants'
  | 'current-grant'
  | 'run-certificate'
  | 'package'
  | 'quorum'
  | 'equivocation'
  | 'session-disclosure'
  | 'checkpoint'
  | 'tlog-proof'
  | 'trail'
  | 'bundle'
  | 'atif'
  | 'certificate'
  | 'crl'
  | 'ocsp'
  | 'timestamp';

/** One input: a name for reports and its bytes. */
export interface Input {
  readonly path: string;
  readonly source: ByteSource;
}

/** Everything beside the input that a verification may use. Nothing else is ever consulted. */
export interface VerifyOptions {
  readonly trust: Trust;
  /** The files that `trust` was read from, for the report. */
  readonly trustFiles?: readonly Input[];
  /** The instant to judge by (`--at`). */
  readonly at?: Instant;
  /** Read at most once, only when a time rule applies and `at` is absent. */
  readonly clock?: () => Instant;
  /** Claims required by the caller, in place of the defaults of the kind and the trust file. */
  readonly require?: readonly string[];
  /** Ids that the input must hold (`--expect-id`). */
  readonly expectIds?: readonly string[];
  /** The leaf that a session must resolve to (`--expect-leaf`). */
  readonly expectLeaf?: string;
  /** Judge the path to this entry (`--entry`). */
  readonly entry?: string;
  /** The run of a journal given as one stored record a line (`--run`): the records themselves do not say it. */
  readonly run?: string;
  /** The kinds that the command is about: inputs of others are refused. All, where it is not given. */
  readonly kinds?: readonly string[];
  /** Signed heads, checkpoints or proofs given beside the input (`--head`). */
  readonly heads?: readonly Input[];
  /** Files that may be consulted by name or content: a status archive, time-stamp tokens, child sessions. */
  readonly companions?: readonly Input[];
  /** Media files that sessions keep beside themselves (`--media-dir`). They are held against their names, and are evidence of nothing else. */
  readonly media?: readonly Input[];
  /** Inputs of the same run, which may be consulted as companions are; gone through only when an input names another session. */
  readonly siblings?: Iterable<Input>;
}

/** What a verifier is given at run time: the options and the one clock. */
export interface VerifyContext extends VerifyOptions {
  /** The instant to judge by; undefined when there is neither `--at` nor a clock. Calling it makes the report say `as_of`. */
  now(): Instant | undefined;
}

/** One row of the timeline of a report: what happened, when, in words. */
export interface TimelineRow {
  /** RFC 3339, or null where the record has no time. */
  readonly time: string | null;
  /** `response`, `call`, `decision`, `approval`, `notification` …: what the row is drawn as. */
  readonly type: string;
  readonly text: string;
  /** Id or name of the entry or record; branch or run that it belongs to. */
  readonly entry?: string;
  readonly lane?: string;
  /** The lane that this row's lane leaves here. */
  readonly from?: string;
  /** How sure it is who decided. */
  readonly tier?: string;
  readonly verdict?: 'verified' | 'failed' | 'undecided';
}

/** What the verifier of a kind returns. The road adds path, hash, size and result. */
export interface Outcome {
  readonly subject: Readonly<Record<string, string | number | boolean | null>>;
  readonly counts: Readonly<Record<string, number>>;
  readonly claims: readonly Claim[];
  /** Claims that this kind requires where neither the caller nor the trust file says otherwise. */
  readonly required: readonly string[];
  readonly findings: readonly Finding[];
  readonly missing: readonly Missing[];
  /** Supporting or adverse evidence that was not supplied (law 1): one phrase each. */
  readonly notSupplied?: readonly string[];
  readonly timeline?: readonly TimelineRow[];
  /** The instant, where the evidence itself says by which to judge. */
  readonly asOf?: AsOf;
}

/** What detection looks at: the first bytes, and the source for kinds that need more. */
export interface Prefix {
  /** Up to 64 KiB from the start. */
  readonly bytes: Uint8Array;
  /** The same as text, malformed bytes replaced. */
  readonly text: string;
  readonly path: string;
  readonly source: ByteSource;
}

export interface KindVerifier {
  readonly kind: Kind;
  /** Whether the input is of this kind, judged by its content and never by its name alone. The first kind that says so takes it. */
  detect(prefix: Prefix): boolean;
  verify(input: Input, context: VerifyContext): Outcome | Promise<Outcome>;
}
