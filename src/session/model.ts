/**
 * What a session line holds, typed: session-format 4.1 (envelope), 5 (every entry type of 0.14), 2.1 (header). Decoded on demand from
 * a line; payload objects stay the bytes of the line (`RawJson`), because everything is hashed as the line holds it.
 *
 * A member that is absent, null, or in a form that the format does not define ("kept as unknown", 0.4) is `undefined` here; the line
 * keeps it.
 */

import type { Node, Scanner } from '../json/scan.ts';

/** A JSON value of a line, as the line spells it. */
export interface RawJson {
  /** Its bytes: a view of the line or, while a file is read, of the RFC 8785 form that was written for its hash. */
  readonly bytes: Uint8Array;
  /** Whether `bytes` are already the RFC 8785 form. */
  readonly canonical: boolean;
  /** While the line is being read: where the scan of it stands, so that the canonical form is written without another scan. */
  readonly scanned?: { readonly scanner: Scanner; readonly node: Node };
}

/** What the format reads of an Open Responses item (0.3); the rest is `raw`. */
export interface Item {
  readonly raw: RawJson;
  /** Empty when the member is missing or not a string. */
  readonly type: string;
  /** Of a message. */
  readonly role?: string;
  /** Of a function call or its output, when it is a string. */
  readonly callId?: string;
  /** Of a function call. */
  readonly name?: string;
  /** Of a function call: a string that holds JSON. */
  readonly arguments?: string;
  /** How many parts of type `input_image` stand in a message's `content` or an output's `output` (7.3). */
  readonly images: number;
}

/** Session-format 5.9. `raw` is the whole object, harness members included. */
export interface Trigger {
  readonly raw: RawJson;
  readonly kind?: string;
  readonly ref?: string;
  readonly source?: string;
}

/** An element of `parents` (4.1). A reference into the session itself has no `session`. */
export interface EntryRef {
  readonly session?: string;
  readonly entry: string;
}

/** An element of `instructions_parts` (5.3); `keep` only where it is in force: a positive integer beside no id. */
export interface Part {
  readonly id: string;
  readonly text?: string;
  readonly source?: string;
  readonly hash?: string;
  readonly keep?: number;
}

/** An element of `instructions_omitted` (5.3). */
export interface Omitted {
  readonly raw: RawJson;
  readonly id: string;
  readonly keep?: number;
  /** Only beside a `keep`. */
  readonly of?: string;
}

export interface OmitOutputs {
  readonly text: string;
  readonly items: readonly string[];
}
export type OmitImages =
  | { readonly keep: number; readonly placeholder: string }
  | { readonly before: string; readonly placeholder: string };

/** Session-format 6.6. `outputs` and `images` in another form are `undefined` and counted by `holdsUntyped`. */
export interface Omit {
  readonly reasoning: string;
  readonly items: readonly string[];
  readonly outputs?: OmitOutputs;
  readonly images?: OmitImages;
  /** It has `outputs` or `images` in a form that is not defined: no effect, but the object clears nothing. */
  readonly holdsUntyped: boolean;
}

export interface Tool {
  readonly raw: RawJson;
  /** The top-level `name` when it is a string, else empty. */
  readonly name: string;
}

/** One member of `extra`: an Open Responses request member under its wire name. `null` deletes the key. */
export interface ExtraMember {
  readonly name: string;
  readonly value: RawJson | null;
}

/** Session-format 6.8: the settings themselves. */
export interface Checkpoint {
  readonly model: string;
  readonly instructions?: string;
  readonly instructionsParts: readonly Part[];
  readonly instructionsOmitted: readonly Omitted[];
  readonly omit?: Omit;
  readonly reasoning?: RawJson;
  readonly text?: RawJson;
  readonly tools: readonly Tool[];
  readonly extra: readonly ExtraMember[];
}

/** Positions of the original in a redacted entry (11.3): `n`, or `[from, to]`. */
export type RedactedSpan = number | readonly [from: number, to: number];

interface Envelope {
  /** As the line spells it. */
  readonly type: string;
  readonly id: string;
  /** `null` is the universal root. */
  readonly parent: string | null;
  readonly ts: string;
  readonly parents: readonly EntryRef[];
  readonly legacyId?: string;
  readonly redacted?: readonly RedactedSpan[];
}

export interface ItemEntry extends Envelope {
  readonly kind: 'item';
  readonly item: Item;
  /** The provider's `response_id`, not an entry id. */
  readonly response?: string;
  readonly visible: boolean;
  readonly source?: Trigger;
  readonly queuedFrom?: string;
  readonly failed: boolean;
  readonly fromLink?: string;
}
export interface ResponseEntry extends Envelope {
  readonly kind: 'response';
  readonly responseId: string;
  readonly model: string;
  readonly status: string;
  readonly usage?: RawJson;
  readonly incomplete?: RawJson;
  readonly error?: RawJson;
  /** Undefined when absent or empty: nothing to verify. */
  readonly requestHash?: string;
  readonly latencyMs?: number;
  /** 1 when absent. */
  readonly attempts: number;
}
export interface ConfigEntry extends Envelope {
  readonly kind: 'config';
  readonly model: string;
  readonly instructions?: string;
  /** Undefined or empty: unchanged. */
  readonly instructionsParts?: readonly Part[];
  /** Undefined: unchanged; empty: clears. */
  readonly instructionsOmitted?: readonly Omitted[];
  readonly reasoning?: RawJson;
  readonly text?: RawJson;
  readonly toolsAdded: readonly Tool[];
  readonly toolsRemoved: readonly string[];
  readonly extra: readonly ExtraMember[];
  readonly replace: boolean;
  readonly omit?: Omit;
}
export interface CompactionEntry extends Envelope {
  readonly kind: 'compaction';
  readonly firstKept: string;
  readonly summary: Item;
  readonly pinned: readonly Item[];
  readonly config: Checkpoint;
  readonly tokensBefore?: number;
  readonly usage?: RawJson;
}
export interface BranchSummaryEntry extends Envelope {
  readonly kind: 'branch_summary';
  readonly from: string;
  readonly summary: Item;
  readonly usage?: RawJson;
}
export interface RunEntry extends Envelope {
  readonly kind: 'run';
  readonly runId: string;
  readonly phase: 'start' | 'end';
  /** Empty on an end. */
  readonly source: string;
  readonly trigger?: Trigger;
  /** Empty on a start. */
  readonly reason: string;
  readonly pending: readonly string[];
  readonly ref?: string;
}
export interface DispatchEntry extends Envelope {
  readonly kind: 'dispatch';
  readonly callId: string;
  readonly target: string;
  readonly idempotencyKey?: string;
}
export interface DecisionEntry extends Envelope {
  readonly kind: 'decision';
  readonly callId: string;
  readonly target: string;
  readonly verdict: string;
  readonly by: string;
  readonly reason: string;
  readonly args?: RawJson;
  /** In the defined form: `true` on a reject. Whether it withdraws is 8.2's to say. */
  readonly withdrawn: boolean;
}
export interface QueuedEntry extends Envelope {
  readonly kind: 'queued';
  readonly item: Item;
  readonly mode: string;
  readonly trigger?: Trigger;
  readonly ref?: string;
}
export interface InfoEntry extends Envelope {
  readonly kind: 'info';
  readonly name: string;
}
export interface LabelEntry extends Envelope {
  readonly kind: 'label';
  /** `null` for the universal root; an absent or empty target reads as that (Appendix B, 6). */
  readonly target: string | null;
  readonly label: string | null;
  readonly synthetic: boolean;
}
export interface EnvEntry extends Envelope {
  readonly kind: 'env';
  readonly cwd?: string;
  readonly vcs?: RawJson;
  readonly files?: RawJson;
  readonly tools?: RawJson;
  readonly workspace?: Workspace;
}
export interface Workspace {
  readonly raw: RawJson;
  readonly kind?: string;
  readonly ref?: string;
  readonly host?: string;
  readonly instance?: string;
}
export interface OutcomeEntry extends Envelope {
  readonly kind: 'outcome';
  readonly outcome: string;
  readonly target?: string;
  readonly score?: number;
  readonly pass?: boolean;
  readonly label?: string;
  readonly details?: RawJson;
}
export interface LinkEntry extends Envelope {
  readonly kind: 'link';
  readonly rel: string;
  readonly session: string;
  readonly callId?: string;
  /** Only where the relation defines it (5.14). */
  readonly target?: string;
  readonly url?: string;
  readonly task?: string;
  readonly context?: string;
  /** A typed `cancel: "sent"`. */
  readonly cancel: boolean;
}
export interface CustomEntry extends Envelope {
  readonly kind: 'custom';
  readonly ns: string;
  readonly data?: RawJson;
  readonly callId?: string;
}
/** A type with a colon, or one that the format does not name (5.16). */
export interface ExtensionEntry extends Envelope {
  readonly kind: 'extension';
}

export type Entry =
  | ItemEntry
  | ResponseEntry
  | ConfigEntry
  | CompactionEntry
  | BranchSummaryEntry
  | RunEntry
  | DispatchEntry
  | DecisionEntry
  | QueuedEntry
  | InfoEntry
  | LabelEntry
  | EnvEntry
  | OutcomeEntry
  | LinkEntry
  | CustomEntry
  | ExtensionEntry;

export type EntryKind = Entry['kind'];

/** Codes of the kinds in the column index, in the order of session-format 5. */
export const ENTRY_KINDS = [
  'item',
  'response',
  'config',
  'compaction',
  'branch_summary',
  'run',
  'dispatch',
  'decision',
  'queued',
  'info',
  'label',
  'env',
  'outcome',
  'link',
  'custom',
  'extension',
] as const satisfies readonly EntryKind[];

export interface RedactedFrom {
  readonly session: string;
  readonly profile?: string;
}

/** Session-format 2.1. */
export interface Header {
  /** The whole line. */
  readonly raw: RawJson;
  readonly format: string;
  readonly major: number;
  readonly minor: number;
  readonly id: string;
  readonly createdAt: string;
  readonly payload: string;
  readonly harness?: { readonly name: string; readonly version?: string };
  readonly records: readonly string[];
  readonly cwd?: string;
  readonly parentSession?: string;
  readonly spawnedBy?: string;
  readonly base?: string;
  readonly media: string;
  readonly redacted: boolean;
  readonly redactedFrom?: RedactedFrom;
  /** A `redacted_from` in any form (2.6). */
  readonly holdsRedactedFrom: boolean;
}
