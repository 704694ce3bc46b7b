/**
 * The fold of a run trail (notifications 7): a pure function of the records in append order. It never fails, never reorders, and passes
 * over what it does not know.
 */
import type { Instant } from '../time/instant.ts';
import { isMalformed, type NotifyRecord, RUN_KINDS, type TrailRecord } from './record.ts';

/** One event, as its first observation and the records after it say. */
export interface EventState {
  readonly key: string;
  /** Its observation, which holds kind, receiver, level, times and what it is about. */
  readonly observed: NotifyRecord;
  /** Every claim that applied, in order; the last one is the latest. */
  readonly claims: readonly NotifyRecord[];
  readonly acked: NotifyRecord | undefined;
  readonly cleared: NotifyRecord | undefined;
  readonly failing: NotifyRecord | undefined;
  readonly overdue: NotifyRecord | undefined;
}

/** A recovery episode: from `failing_since` to `recovered`. */
export interface Episode {
  readonly start: NotifyRecord;
  readonly end: NotifyRecord | undefined;
}

export interface TrailState {
  /** By key, in the order observed. */
  readonly events: ReadonlyMap<string, EventState>;
  readonly failingSince: NotifyRecord | undefined;
  /** All episodes; those with an end are the count of the specification. */
  readonly episodes: readonly Episode[];
  /** Episodes that were closed. */
  readonly closedEpisodes: number;
  /** Positions that the fold did not use, ascending. */
  readonly ignored: readonly number[];
}

type Mutable<T> = { -readonly [name in keyof T]: T[name] };
type OpenEvent = Mutable<Omit<EventState, 'claims'>> & { claims: NotifyRecord[] };

/** A fold that is fed record by record. `state` may be read at any time; it is the live state, not a copy. */
export class NotifyFold {
  readonly #events = new Map<string, OpenEvent>();
  readonly #episodes: Mutable<Episode>[] = [];
  readonly #ignored: number[] = [];
  #failingSince: NotifyRecord | undefined;
  #closed = 0;

  /** Takes the next record; false when the fold ignores it. */
  add(record: TrailRecord): boolean {
    const used = !isMalformed(record) && RUN_KINDS.has(record.kind) && this.#apply(record);
    if (!used) this.#ignored.push(record.index);
    return used;
  }

  get state(): TrailState {
    return {
      events: this.#events,
      failingSince: this.#failingSince,
      episodes: this.#episodes,
      closedEpisodes: this.#closed,
      ignored: this.#ignored,
    };
  }

  #apply(record: NotifyRecord): boolean {
    const { kind, key } = record;
    if (kind === 'failing_since') {
      if (this.#failingSince !== undefined) return false;
      this.#failingSince = record;
      this.#episodes.push({ start: record, end: undefined });
      return true;
    }
    if (kind === 'recovered') {
      const open = this.#episodes.at(-1);
      if (this.#failingSince === undefined || open === undefined) return false;
      this.#failingSince = undefined;
      open.end = record;
      this.#closed++;
      return true;
    }
    if (key === '') return false;
    const event = this.#events.get(key);
    if (kind === 'observed') {
      if (event !== undefined) return false;
      this.#events.set(key, {
        key,
        observed: record,
        claims: [],
        acked: undefined,
        cleared: undefined,
        failing: undefined,
        overdue: undefined,
      });
      return true;
    }
    if (event === undefined || event.acked !== undefined || event.cleared !== undefined) return false;
    switch (kind) {
      case 'claimed':
        event.claims.push(record);
        return true;
      case 'acked':
      case 'cleared':
        event[kind] = record;
        return true;
      case 'failing':
      case 'overdue':
        if (event[kind] !== undefined) return false;
        event[kind] = record;
        return true;
      default:
        return false;
    }
  }
}

export function foldNotify(records: Iterable<TrailRecord>): TrailState {
  const fold = new NotifyFold();
  for (const record of records) fold.add(record);
  return fold.state;
}

/** The receiver's name; no name in the record is the default receiver. */
export function receiverOf(event: EventState): string {
  return event.observed.receiver || 'default';
}

export function isOpen(event: Pick<EventState, 'acked' | 'cleared'>): boolean {
  return event.acked === undefined && event.cleared === undefined;
}

/** Whether the latest claim still holds at `now`; at its `until` it has lapsed. */
export function claimLive(claim: Pick<NotifyRecord, 'until'> | undefined, now: Instant): boolean {
  return claim?.until !== undefined && now < claim.until;
}

/** Whether an overdue record is due at `now`: open, past its deadline, none written. Exactly at the deadline it is not yet past. */
export function overdueDue(
  event: Pick<EventState, 'acked' | 'cleared' | 'observed' | 'overdue'>,
  now: Instant,
): boolean {
  const { deadlineAt } = event.observed;
  return isOpen(event) && deadlineAt !== undefined && now > deadlineAt && event.overdue === undefined;
}

/** Whether the open episode has lasted longer than `after`. */
export function recoveryFailingDue(
  failingSince: Pick<NotifyRecord, 'at'> | undefined,
  now: Instant,
  after: bigint,
): boolean {
  return failingSince !== undefined && now - failingSince.at > after;
}

/** Receiver name to its events, in the order observed. */
export function byReceiver(state: TrailState): ReadonlyMap<string, readonly EventState[]> {
  const receivers = new Map<string, EventState[]>();
  for (const event of state.events.values()) {
    const name = receiverOf(event);
    const list = receivers.get(name);
    if (list === undefined) receivers.set(name, [event]);
    else list.push(event);
  }
  return receivers;
}
