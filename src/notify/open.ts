/** The fold of one open-trail segment, the watch list, and the newest segment of an index (notifications 8). */
import type { Instant } from '../time/instant.ts';
import { isMalformed, type NotifyRecord, type TrailRecord, type Watching } from './record.ts';

export interface SegmentState {
  /** Listed events in the order they were listed. */
  readonly watched: readonly Watching[];
  readonly backfilled: boolean;
  readonly backfills: number;
  readonly backfillAt: Instant | undefined;
  readonly backfillWindow: bigint;
  /** The segment that continues this one; empty when it is not sealed. */
  readonly sealed: string;
  /** Positions that the fold did not use, ascending; all after a seal. */
  readonly ignored: readonly number[];
}

/** The fold, fed record by record. */
export class OpenFold {
  readonly #watched = new Map<string, Watching>();
  readonly #ignored: number[] = [];
  #backfilled = false;
  #backfills = 0;
  #backfillAt: Instant | undefined;
  #backfillWindow = 0n;
  #sealed = '';

  add(record: TrailRecord): boolean {
    const used = this.#sealed === '' && !isMalformed(record) && this.#apply(record);
    if (!used) this.#ignored.push(record.index);
    return used;
  }

  /** Whether an event is listed after the records given so far. */
  lists(key: string): boolean {
    return this.#watched.has(key);
  }

  get sealed(): boolean {
    return this.#sealed !== '';
  }

  get state(): SegmentState {
    return {
      watched: [...this.#watched.values()],
      backfilled: this.#backfilled,
      backfills: this.#backfills,
      backfillAt: this.#backfillAt,
      backfillWindow: this.#backfillWindow,
      sealed: this.#sealed,
      ignored: this.#ignored,
    };
  }

  #apply(record: NotifyRecord): boolean {
    switch (record.kind) {
      case 'checkpoint':
        if (record.index !== 0) return false;
        for (const item of record.watching) if (!this.#watched.has(item.key)) this.#watched.set(item.key, item);
        this.#backfilled = record.backfilled;
        this.#backfills = record.backfills;
        this.#backfillAt = record.backfillAt;
        this.#backfillWindow = record.backfillWindow;
        return true;
      case 'watch':
        if (record.key === '' || this.#watched.has(record.key)) return false;
        this.#watched.set(record.key, { key: record.key, runId: record.runId, at: record.at });
        return true;
      case 'unwatch':
        return this.#watched.delete(record.key);
      case 'backfilled':
        this.#backfilled = true;
        this.#backfills++;
        this.#backfillAt = record.at;
        if (this.#backfillWindow === 0n) this.#backfillWindow = record.backfillWindow;
        return true;
      case 'seal':
        this.#sealed = record.next;
        return true;
      default:
        return false;
    }
  }
}

export function foldOpen(records: Iterable<TrailRecord>): SegmentState {
  const fold = new OpenFold();
  for (const record of records) fold.add(record);
  return fold.state;
}

export function foldWatch(records: Iterable<TrailRecord>): readonly Watching[] {
  return foldOpen(records).watched;
}

/** The `next` of the last segment record of an index; empty if there is none. */
export function lastSegment(records: Iterable<TrailRecord>): string {
  let last = '';
  for (const record of records) if (!isMalformed(record) && record.kind === 'segment') last = record.next;
  return last;
}

/** The members of the checkpoint that continues a segment: what its first record must hold (9.7). */
export function checkpointOf(
  state: SegmentState,
): Pick<NotifyRecord, 'watching' | 'backfilled' | 'backfills' | 'backfillAt' | 'backfillWindow'> {
  const { watched, backfilled, backfills, backfillAt, backfillWindow } = state;
  return { watching: watched, backfilled, backfills, backfillAt, backfillWindow };
}

/** The first difference between a fold and the checkpoint that must continue it, in words; undefined when they agree. Order counts. */
export function checkpointDifference(state: SegmentState, checkpoint: NotifyRecord): string | undefined {
  const { watching } = checkpoint;
  for (let i = 0; i < Math.max(state.watched.length, watching.length); i++) {
    const [want, got] = [state.watched[i], watching[i]];
    if (want === undefined) return `entry ${i} of "watching" lists an event that the segment before did not end with`;
    if (got === undefined) return `the event listed as entry ${i} is not carried over`;
    if (want.key !== got.key) return `entry ${i} of "watching" is another event`;
    if (want.runId !== got.runId) return `entry ${i} of "watching" names another run`;
    if (want.at !== got.at) return `entry ${i} of "watching" has another time`;
  }
  if (state.backfilled !== checkpoint.backfilled) return '"backfilled" differs';
  if (state.backfills !== checkpoint.backfills) return '"backfills" differs';
  if (state.backfillAt !== checkpoint.backfillAt) return '"backfill_at" differs';
  if (state.backfillWindow !== checkpoint.backfillWindow) return '"backfill_window" differs';
  return undefined;
}
