/** What a judgement is about, as it was read: records with their leaves, heads, the journal, the routing, the open trail (notifications 12). */
import type { TreeHead } from '../log/head.ts';
import type { Instant } from '../time/instant.ts';
import type { Role } from './keys.ts';
import type { TrailRecord } from './record.ts';
import type { Routing } from './routing.ts';
import type { SettingValues } from './settings.ts';

/** Records in append order, and what they are stored as where that is known. */
export interface RecordList {
  readonly records: readonly TrailRecord[];
  /** Byte at which each record begins in the document; none where the records were taken out of leaves. */
  readonly starts: readonly number[];
  /** Stored leaves, tag and content; undefined when only records were given. */
  readonly leaves: readonly Uint8Array[] | undefined;
  /** The one kind string of the leaves. */
  readonly leafKind: string | undefined;
  /** Positions at which a record and the event of its leaf differ, or one of the two is absent. */
  readonly mismatched: readonly number[];
}

export interface JournalEvent {
  /** Empty when the event was derived from raw records: then it is matched by `op` (11.3). */
  readonly key: string;
  readonly kind: 'approval_pending' | 'outcome_unknown' | 'run_aborted';
  readonly runId: string;
  readonly at: Instant | undefined;
  readonly current: boolean;
  /** Undefined for a one-decision gate and for other kinds. */
  readonly approvers: readonly string[] | undefined;
  readonly resolvedAt: Instant | undefined;
  /** What it is about, for events derived from raw records. */
  readonly op?: { readonly run: string; readonly kind: string; readonly id: string };
}

export interface JournalFacts {
  readonly runId: string;
  readonly asOf: Instant | undefined;
  readonly complete: boolean;
  readonly runEnded: boolean | undefined;
  readonly runEndedAt: Instant | undefined;
  readonly events: readonly JournalEvent[];
  /** Set when the events were derived and the export cannot show them all (tombstones): none is judged missing. */
  readonly partial?: boolean;
}

export interface Delivery {
  readonly id: string;
  readonly key: string;
}

export interface Segment extends RecordList {
  readonly name: string;
  /** Days since 1970-01-01; undefined when neither `day` nor the name gives it. */
  readonly day: bigint | undefined;
  /** JSON pointer to its records. */
  readonly pointer: string;
  readonly heads?: readonly TreeHead[];
}

export interface Index extends RecordList {
  readonly name: string;
  readonly year: number | undefined;
  readonly pointer: string;
  readonly heads?: readonly TreeHead[];
}

export interface OpenTrail {
  /** All segments up to the time of judgement are supplied. */
  readonly complete: boolean;
  readonly segments: readonly Segment[];
  readonly indexes: readonly Index[];
}

/** An inclusion proof has an index, a consistency proof the earlier size. */
export interface TrailProof {
  readonly index: number | undefined;
  readonly first: number | undefined;
  readonly size: number;
  readonly path: readonly (Uint8Array | null)[] | null;
}

export interface TrailDocument extends RecordList {
  readonly format: string;
  readonly trail: string;
  /** Whether the document names the trail; otherwise the name is inferred from the run. */
  readonly trailGiven: boolean;
  readonly runId: string | undefined;
  /** The run ID was taken from the trail's name, so it is in its encoded form. */
  readonly runIdEncoded: boolean;
  readonly role: Role;
  readonly asOf: Instant | undefined;
  readonly heads: readonly TreeHead[] | undefined;
  readonly proofs: readonly TrailProof[];
  readonly journal: JournalFacts | undefined;
  readonly routing: Routing | undefined;
  readonly settings: SettingValues;
  readonly deliveries: readonly Delivery[] | undefined;
  readonly open: OpenTrail | undefined;
}
