/**
 * A notifier of several processes over a run, for making trails: claims, retries, deadlines, escalation, all-clears, the open trail, with
 * crashes, lost replies, clocks that differ, and a sink that is down at times. Everything follows from the seed. It decides by
 * notifications 9 and knows nothing of the verifier.
 */
import { base64 } from '../../src/bytes/encoding.ts';
import { type EventState, NotifyFold, recoveryFailingDue, type TrailState } from '../../src/notify/fold.ts';
import { notifyID, stripTo } from '../../src/notify/keys.ts';
import { checkpointOf, foldOpen } from '../../src/notify/open.ts';
import type { RecordFields } from '../../src/notify/record.ts';
import { isMalformed } from '../../src/notify/record.ts';
import { DAY, dayOf, MINUTE, SECOND } from '../../src/notify/time.ts';
import { type TrailPort, TrailWriter } from '../../src/notify/write.ts';
import { formatInstant, type Instant, parseInstant } from '../../src/time/instant.ts';

export class Random {
  #state: number;
  constructor(seed: number) {
    this.#state = seed >>> 0;
  }
  /** In [0, 1). */
  next(): number {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0;
    let t = this.#state;
    t = Math.imul(t ^ (t >>> 15), t | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
  }
  chance(of: number): boolean {
    return this.next() < of;
  }
  integer(least: number, most: number): number {
    return least + Math.floor(this.next() * (most - least + 1));
  }
  pick<T>(list: readonly T[]): T {
    return list[this.integer(0, list.length - 1)] as T;
  }
  seconds(least: number, most: number): bigint {
    return BigInt(this.integer(least * 1000, most * 1000)) * 1_000_000n;
  }
  bytes(length: number): Uint8Array {
    return Uint8Array.from({ length }, () => this.integer(0, 255));
  }
}

export class MemoryPort implements TrailPort {
  readonly trails = new Map<string, Uint8Array[]>();
  load(trail: string, from: number): readonly Uint8Array[] {
    return (this.trails.get(trail) ?? []).slice(from);
  }
  append(trail: string, position: number, leaf: Uint8Array): boolean {
    const leaves = this.trails.get(trail) ?? [];
    if (leaves.length !== position) return false;
    leaves.push(leaf);
    this.trails.set(trail, leaves);
    return true;
  }
}

export const RUN = 'run-1';
export const TRAIL = `notify:${RUN}`;
const OPEN = 'notify:@open:';
const INDEX = 'notify:@open:index:2026';
const DEADLINE = MINUTE;
const CLAIM = 30n * SECOND;
const RECOVERY_AFTER = 2n * MINUTE;
const WINDOW = 5n * MINUTE;

interface Need {
  readonly key: string;
  readonly kind: 'approval_pending' | 'outcome_unknown' | 'run_aborted';
  readonly op: string;
  readonly start: Instant;
  readonly end: { readonly at: Instant; readonly reason: 'decided' | 'expired' | 'resolved' } | undefined;
  readonly approvers: readonly string[] | undefined;
}

interface Interval {
  readonly from: Instant;
  readonly to: Instant;
}

interface Attempt {
  firstSent: Instant | undefined;
  attempts: number;
  calls: number;
  pauseUntil: Instant;
  backoff: bigint;
}

interface Process {
  readonly place: number;
  name: string;
  life: number;
  readonly skew: bigint;
  upAt: Instant;
  nextPass: Instant;
  writer: TrailWriter;
  fold: NotifyFold;
  folded: number;
  readonly attempts: Map<string, Attempt>;
}

/** What a simulation leaves behind. */
export interface Simulated {
  readonly seed: number;
  readonly trails: ReadonlyMap<string, readonly Uint8Array[]>;
  readonly asOf: Instant;
  /** The trail document without heads: plain JSON. */
  readonly document: Readonly<Record<string, unknown>>;
  readonly crashes: number;
  readonly lostReplies: number;
  readonly lostRaces: number;
}

export function simulate(seed: number): Simulated {
  return new Simulation(seed).run();
}

class Simulation {
  readonly #seed: number;
  readonly #random: Random;
  readonly #port = new MemoryPort();
  readonly #needs: readonly Need[];
  readonly #failing: readonly Interval[];
  readonly #outages: readonly Interval[];
  readonly #runEnd: Instant;
  readonly #aborted: boolean;
  readonly #processes: Process[];
  readonly #routing: {
    routes: Record<string, string>;
    approver_routes: Record<string, string>;
    escalation: Record<string, string[]>;
  };
  readonly #receipts: { id: string; key: string }[] = [];
  readonly #crashRate: number;
  #now: Instant;
  #crashes = 0;
  #lostReplies = 0;
  #lostRaces = 0;

  constructor(seed: number) {
    const random = new Random(seed);
    this.#seed = seed;
    this.#random = random;
    this.#now = (parseInstant('2026-10-13T23:50:00Z') as bigint) + random.seconds(0, 600);
    const begin = this.#now;
    this.#aborted = random.chance(0.3);
    this.#runEnd = begin + random.seconds(300, 700);
    this.#crashRate = random.pick([0, 0.005, 0.02]);
    this.#routing = {
      routes: random.chance(0.5) ? { outcome_unknown: 'ops', approval_pending: 'desk' } : {},
      approver_routes: random.chance(0.5) ? { alice: 'finance', bob: 'risk' } : {},
      escalation: random.chance(0.7)
        ? { outcome_unknown: ['ops', 'cto'], approval_pending: ['head'], recovery_failing: ['ops'] }
        : {},
    };
    this.#needs = [
      ...Array.from({ length: random.integer(0, 3) }, (_, i) => this.#gate(begin, i)),
      ...Array.from({ length: random.integer(0, 2) }, (_, i) => this.#halt(begin, i)),
      ...(this.#aborted
        ? [
            {
              key: `aborted:${RUN}`,
              kind: 'run_aborted' as const,
              op: '',
              start: this.#runEnd,
              end: undefined,
              approvers: undefined,
            },
          ]
        : []),
    ];
    const interval = (longest: number): Interval => {
      const from = begin + random.seconds(0, 300);
      return { from, to: from + random.seconds(20, longest) };
    };
    this.#failing = random.chance(0.4) ? [interval(300)] : [];
    this.#outages = random.chance(0.5) ? [interval(200)] : [];
    this.#processes = Array.from({ length: random.integer(1, 4) }, (_, place) => ({
      place,
      name: `w${place}`,
      life: 0,
      skew: random.seconds(0, 4) - 2n * SECOND,
      upAt: begin,
      nextPass: begin,
      ...this.#opened(),
      attempts: new Map(),
    }));
  }

  #opened(): { writer: TrailWriter; fold: NotifyFold; folded: number } {
    return { writer: this.#writer(TRAIL), fold: new NotifyFold(), folded: 0 };
  }

  #writer(trail: string): TrailWriter {
    return new TrailWriter(this.#port, trail, () => this.#random.bytes(32));
  }

  #gate(begin: Instant, i: number): Need {
    const random = this.#random;
    const start = begin + random.seconds(0, 120);
    const ends = random.chance(0.8);
    const reason = random.chance(0.25) ? ('expired' as const) : ('decided' as const);
    return {
      key: `approval:${RUN}:call-${i}`,
      kind: 'approval_pending',
      op: `call-${i}`,
      start,
      end: ends ? { at: start + random.seconds(120, 180), reason } : undefined,
      approvers: random.chance(0.6) ? random.pick([['alice', 'bob'], ['alice', 'carol'], ['carol']]) : undefined,
    };
  }

  #halt(begin: Instant, i: number): Need {
    const start = begin + this.#random.seconds(0, 100);
    const at = start - (start % 1_000_000n);
    const end = this.#random.chance(0.7)
      ? { at: at + this.#random.seconds(130, 200), reason: 'resolved' as const }
      : undefined;
    return {
      key: `halted:${RUN}:tool:op-${i}:${at / 1_000_000n}`,
      kind: 'outcome_unknown',
      op: `op-${i}`,
      start: at,
      end,
      approvers: undefined,
    };
  }

  run(): Simulated {
    for (let rounds = 0; ; rounds++) {
      if (rounds > 20_000) throw new Error(`the simulation of seed ${this.#seed} does not come to an end`);
      let busy = false;
      for (const process of this.#processes) {
        if (!this.#random.chance(0.8)) continue;
        this.#now += this.#random.seconds(0, 1);
        if (this.#step(process)) busy = true;
      }
      if (!busy && this.#isDone()) break;
      this.#now += busy ? this.#random.seconds(0, 1) : this.#random.seconds(2, 8);
    }
    return this.#result();
  }

  /** One process acts once. Gives whether it had anything to do. */
  #step(p: Process): boolean {
    if (this.#now < p.upAt) return true;
    if (this.#random.chance(this.#crashRate)) {
      this.#crash(p);
      return true;
    }
    // At times a process decides on what it loaded before: its append then loses the race.
    if (!this.#random.chance(0.2)) this.#reload(p);
    const own = this.#now + p.skew;
    const { state } = p.fold;
    return (
      this.#recover(p, own, state) ||
      this.#observe(p, own, state) ||
      this.#tend(p, own, state) ||
      this.#keepOpenTrail(p, own)
    );
  }

  #crash(p: Process): void {
    this.#crashes++;
    p.upAt = this.#now + this.#random.seconds(1, 40);
    p.life++;
    if (this.#random.chance(0.5)) p.name = `w${p.place}.${p.life}`;
    p.attempts.clear();
    Object.assign(p, this.#opened());
  }

  #reload(p: Process): void {
    p.writer.reload();
    for (; p.folded < p.writer.records.length; p.folded++) p.fold.add(p.writer.records[p.folded] as never);
  }

  #append(p: Process, record: RecordFields): true {
    if (p.writer.append({ runId: RUN, ...record })) this.#reload(p);
    else this.#lostRaces++;
    return true;
  }

  #recover(p: Process, own: Instant, state: TrailState): boolean {
    if (this.#now < p.nextPass) return false;
    const fails = this.#failing.some(({ from, to }) => from <= this.#now && this.#now < to);
    p.nextPass = this.#now + this.#random.seconds(5, 15);
    if (fails && state.failingSince === undefined)
      return this.#append(p, { kind: 'failing_since', at: own, reason: 'store_error' });
    if (!fails && state.failingSince !== undefined) return this.#append(p, { kind: 'recovered', at: own });
    return false;
  }

  #receivers({ kind, approvers }: Need): readonly string[] {
    const { routes, approver_routes } = this.#routing;
    const by = routes[kind] ?? 'default';
    if (kind === 'approval_pending' && approvers?.some((one) => approver_routes[one] !== undefined) === true)
      return [...new Set(approvers.map((one) => approver_routes[one] ?? by))].sort();
    return [by];
  }

  #isCurrent(need: Need): boolean {
    if (need.start > this.#now) return false;
    return need.kind === 'run_aborted' || this.#endOfNeed(need) === undefined;
  }

  #endOfNeed({ end, kind }: Need): { at: Instant; reason: string } | undefined {
    if (kind === 'run_aborted') return undefined;
    if (end !== undefined && end.at <= this.#now && end.at <= this.#runEnd) return end;
    return this.#now >= this.#runEnd ? { at: this.#runEnd, reason: 'ended' } : undefined;
  }

  #observe(p: Process, own: Instant, state: TrailState): boolean {
    for (const need of this.#needs) {
      const receivers = this.#receivers(need);
      if (this.#isCurrent(need)) {
        for (const receiver of receivers) {
          const key = receivers.length > 1 ? `to:${receiver}:${need.key}` : need.key;
          if (state.events.has(key)) continue;
          if (need.kind !== 'run_aborted' && !this.#listed().has(need.key))
            return this.#openWrite(p, own, { kind: 'watch', key: need.key });
          const op =
            need.kind === 'run_aborted'
              ? {}
              : { opRun: RUN, opKind: need.kind === 'approval_pending' ? 'gate' : 'tool', opId: need.op };
          return this.#see(p, own, { key, eventKind: need.kind, receiver, eventAt: need.start, ...op });
        }
      }
      const end = this.#endOfNeed(need);
      const expired = `expired:${RUN}:${need.op}`;
      const told = receivers.some((receiver) =>
        state.events.has(receivers.length > 1 ? `to:${receiver}:${need.key}` : need.key),
      );
      if (end?.reason === 'expired' && told && !state.events.has(expired))
        return this.#see(p, own, {
          key: expired,
          eventKind: 'approval_expired',
          receiver: 'default',
          eventAt: end.at,
          opRun: RUN,
          opKind: 'gate',
          opId: need.op,
        });
    }
    if (!recoveryFailingDue(state.failingSince, own, RECOVERY_AFTER)) return false;
    const key = `recovery:${RUN}:${state.closedEpisodes}`;
    if (state.events.has(key)) return false;
    if (!this.#listed().has(key)) return this.#openWrite(p, own, { kind: 'watch', key });
    return this.#see(p, own, {
      key,
      eventKind: 'recovery_failing',
      receiver: 'default',
      eventAt: state.failingSince?.at,
    });
  }

  #see(p: Process, own: Instant, { receiver, ...event }: Partial<RecordFields> & { receiver: string }): true {
    const deadline = event.eventKind === 'resolved' ? {} : { deadlineAt: own + DEADLINE };
    return this.#append(p, {
      kind: 'observed',
      at: own,
      ...event,
      ...deadline,
      receiver: receiver === 'default' ? '' : receiver,
    });
  }

  /** The event that a derived one is about, by how this notifier makes keys. */
  #baseKey(event: EventState): string {
    return event.key.replace(/^(?:resolved:|overdue:|escalated:\d+:)+/, '');
  }

  #endOf(event: EventState, state: TrailState): { at: Instant; reason: string } | undefined {
    const key = stripTo(this.#baseKey(event));
    const need = this.#needs.find((one) => one.key === key);
    if (need !== undefined) return this.#endOfNeed(need);
    const episode = /^recovery:.*:(\d+)$/.exec(key)?.[1];
    const end = episode === undefined ? undefined : state.episodes[Number(episode)]?.end;
    return end === undefined ? undefined : { at: end.at, reason: 'recovered' };
  }

  #tend(p: Process, own: Instant, state: TrailState): boolean {
    for (const event of state.events.values()) {
      const { key, observed, claims, acked, cleared, overdue, failing } = event;
      const kind = observed.eventKind;
      const receiver = observed.receiver || 'default';
      const open = acked === undefined && cleared === undefined;
      const end = kind === 'resolved' ? undefined : this.#endOf(event, state);
      if (end !== undefined && open) return this.#append(p, { kind: 'cleared', key, at: own, reason: end.reason });
      const owes =
        ['outcome_unknown', 'approval_pending', 'recovery_failing', 'escalated'].includes(kind) && claims.length > 0;
      if (end !== undefined && owes && !state.events.has(`resolved:${key}`))
        return this.#see(p, own, {
          key: `resolved:${key}`,
          eventKind: 'resolved',
          receiver,
          eventAt: end.at,
          reason: end.reason,
        });
      if (overdue !== undefined && end === undefined && !state.events.has(`overdue:${key}`))
        return this.#see(p, own, {
          key: `overdue:${key}`,
          eventKind: 'notification_overdue',
          receiver,
          eventAt: own,
          reason: 'deadline',
        });
      if (end === undefined && this.#escalate(p, own, state, event)) return true;
      if (!open) continue;
      const { deadlineAt } = observed;
      if (deadlineAt !== undefined && own > deadlineAt && overdue === undefined && kind !== 'notification_overdue')
        return this.#append(p, { kind: 'overdue', key, at: own, latency: own - observed.at });
      const live = claims.at(-1);
      const running = live?.until !== undefined && own < live.until ? 1 : 0;
      if (failing === undefined && claims.length - running >= 3)
        return this.#append(p, { kind: 'failing', key, at: own, failures: claims.length * 3 });
      if (this.#deliver(p, own, event)) return true;
    }
    return false;
  }

  /** Whether the next step of the chain of an event's group is due, and told. */
  #escalate(p: Process, own: Instant, state: TrailState, event: EventState): boolean {
    const kind = event.observed.eventKind;
    const chain = this.#routing.escalation[kind] ?? [];
    const group = [...state.events.values()].filter((one) => stripTo(one.key) === stripTo(event.key));
    if (chain.length === 0 || group[0] !== event) return false;
    if (kind !== 'approval_pending' && group.some(({ acked }) => acked !== undefined)) return false;
    let due = group.reduce<Instant>(
      (least, one) =>
        one.observed.deadlineAt !== undefined && one.observed.deadlineAt < least ? one.observed.deadlineAt : least,
      1n << 62n,
    );
    for (const [i, receiver] of chain.entries()) {
      const key = `escalated:${i + 1}:${event.key}`;
      const step = state.events.get(key);
      if (step === undefined)
        return own >= due && this.#see(p, own, { key, eventKind: 'escalated', receiver, level: i + 1, eventAt: own });
      due = step.observed.deadlineAt as bigint;
    }
    return false;
  }

  #deliver(p: Process, own: Instant, { key, claims }: EventState): boolean {
    let mine = p.attempts.get(key);
    if (mine === undefined) {
      mine = { firstSent: undefined, attempts: 0, calls: 0, pauseUntil: own, backoff: SECOND };
      p.attempts.set(key, mine);
    }
    const claim = claims.at(-1);
    const live = claim?.until !== undefined && own < claim.until;
    if (live && claim.holder !== p.name) return false;
    if (!live || mine.calls >= 3) {
      if (own < mine.pauseUntil) return false;
      mine.calls = 0;
      return this.#append(p, { kind: 'claimed', key, at: own, holder: p.name, until: own + CLAIM });
    }
    mine.calls++;
    mine.attempts++;
    mine.firstSent ??= own;
    const up = !this.#outages.some(({ from, to }) => from <= this.#now && this.#now < to);
    const accepted = up && this.#random.chance(0.85);
    if (accepted) this.#receipts.push({ id: notifyID(key), key });
    if (accepted && !this.#random.chance(0.15)) {
      // A crash between the reply and the record: the next process delivers again under the same ID.
      if (this.#random.chance(this.#crashRate)) this.#crash(p);
      else
        this.#append(p, {
          kind: 'acked',
          key,
          at: own,
          firstSentAt: mine.firstSent,
          attempts: mine.attempts,
          status: 200,
        });
      return true;
    }
    if (accepted) this.#lostReplies++;
    if (mine.calls >= 3) {
      mine.pauseUntil = own + mine.backoff;
      mine.backoff = mine.backoff * 2n > MINUTE / 2n ? MINUTE / 2n : mine.backoff * 2n;
    }
    return true;
  }

  #segments(): readonly string[] {
    return [...this.#port.trails.keys()].filter((name) => /^notify:@open:\d/.test(name)).sort();
  }

  #listed(): ReadonlySet<string> {
    const newest = this.#segments().at(-1);
    if (newest === undefined) return new Set();
    const writer = this.#writer(newest);
    writer.reload();
    return new Set(foldOpen(writer.records).watched.map(({ key }) => key));
  }

  /** One append towards a record of the open trail: segment, seal, checkpoint, index or the record itself. */
  #openWrite(p: Process, own: Instant, fields: Omit<RecordFields, 'at' | 'runId'>): true {
    const today = formatInstant(dayOf(own) * DAY).slice(0, 10);
    const newest = this.#segments().at(-1);
    if (newest === undefined) {
      this.#writer(`${OPEN}${today}`).append({ kind: 'backfilled', at: own, backfillWindow: WINDOW });
      return true;
    }
    const writer = this.#writer(newest);
    writer.reload();
    const state = foldOpen(writer.records);
    const fitted = (day: string) => {
      const start = parseInstant(`${day}T00:00:00Z`) as bigint;
      return own < start ? { at: start, clockAt: own } : { at: own };
    };
    if (state.sealed !== '') {
      const next = this.#writer(state.sealed);
      next.append({ kind: 'checkpoint', ...fitted(state.sealed.slice(-10)), ...checkpointOf(state) });
      return true;
    }
    const index = this.#writer(INDEX);
    index.reload();
    if (!index.records.some((record) => !isMalformed(record) && record.next === newest)) {
      index.append({ kind: 'segment', at: own, next: newest });
      return true;
    }
    if (today > newest.slice(-10)) writer.append({ kind: 'seal', at: own, next: `${OPEN}${today}` });
    else {
      const run = fields.kind === 'watch' || fields.kind === 'unwatch' ? { runId: RUN } : {};
      if (!writer.append({ ...fields, ...run, ...fitted(newest.slice(-10)) } as RecordFields))
        throw new Error(`${p.name} lost a race it was alone in`);
    }
    return true;
  }

  #keepOpenTrail(p: Process, own: Instant): boolean {
    const newest = this.#segments().at(-1);
    if (newest === undefined) return false;
    this.#reload(p);
    const { state } = p.fold;
    for (const key of this.#listed())
      if (this.#isSettled(key, state)) return this.#openWrite(p, own, { kind: 'unwatch', key });
    const writer = this.#writer(newest);
    writer.reload();
    const open = foldOpen(writer.records);
    if (
      open.sealed === '' &&
      open.backfills === 1 &&
      open.backfillAt !== undefined &&
      own >= open.backfillAt + open.backfillWindow
    )
      return this.#openWrite(p, own, { kind: 'backfilled' });
    return false;
  }

  /** Nothing more is owed for a listed event: ended, and every receiver who was told was told of the end. */
  #isSettled(key: string, state: TrailState): boolean {
    const events = [...state.events.values()].filter((event) => {
      const kind = event.observed.eventKind;
      return kind !== 'resolved' && kind !== 'notification_overdue' && stripTo(this.#baseKey(event)) === key;
    });
    const need = this.#needs.find((one) => one.key === key);
    if (need !== undefined && this.#endOfNeed(need) === undefined) return false;
    const [first] = events;
    if (first === undefined) return need !== undefined || state.failingSince === undefined;
    if (this.#endOf(first, state) === undefined) return false;
    return events.every(({ key: one, claims, cleared }) =>
      claims.length === 0 ? cleared !== undefined : state.events.get(`resolved:${one}`)?.acked !== undefined,
    );
  }

  #isDone(): boolean {
    if (this.#now < this.#runEnd || this.#processes.some(({ upAt }) => upAt > this.#now)) return false;
    const writer = this.#writer(TRAIL);
    writer.reload();
    const fold = new NotifyFold();
    for (const record of writer.records) fold.add(record);
    const { state } = fold;
    const closed = [...state.events.values()].every(
      ({ acked, cleared }) => acked !== undefined || cleared !== undefined,
    );
    const aborted = !this.#aborted || state.events.has(`aborted:${RUN}`);
    return (
      closed &&
      aborted &&
      state.failingSince === undefined &&
      this.#failing.every(({ to }) => to < this.#now) &&
      this.#listed().size === 0
    );
  }

  #result(): Simulated {
    const asOf = this.#now + 5n * SECOND;
    const encode = (name: string) => (this.#port.trails.get(name) ?? []).map(recordOfLeaf);
    const ended = { run_ended: true, run_ended_at: formatInstant(this.#runEnd) };
    const document = {
      format: 'bide-audit.notify-trail.v1',
      trail: TRAIL,
      run_id: RUN,
      as_of: formatInstant(asOf),
      leaves: (this.#port.trails.get(TRAIL) ?? []).map(base64),
      journal: {
        run_id: RUN,
        as_of: formatInstant(asOf),
        complete: true,
        ...ended,
        events: this.#needs.map((need) => {
          const end =
            need.end !== undefined && need.end.at <= this.#runEnd && need.end.at <= this.#now ? need.end : undefined;
          return {
            key: need.key,
            kind: need.kind,
            run_id: RUN,
            at: formatInstant(need.start),
            current: end === undefined,
            ...(need.approvers === undefined ? {} : { approvers: need.approvers }),
            ...(end === undefined ? {} : { resolved_at: formatInstant(end.at) }),
          };
        }),
      },
      routing: this.#routing,
      settings: { recovery_failing_after: '2m0s', deadline: '1m0s' },
      deliveries: this.#receipts,
      open: {
        complete: true,
        segments: this.#segments().map((name) => ({ name, records: encode(name) })),
        indexes: this.#port.trails.has(INDEX) ? [{ name: INDEX, records: encode(INDEX) }] : [],
      },
    };
    return {
      seed: this.#seed,
      trails: this.#port.trails,
      asOf,
      document,
      crashes: this.#crashes,
      lostReplies: this.#lostReplies,
      lostRaces: this.#lostRaces,
    };
  }
}

/** The record that a leaf holds, as plain JSON. */
export function recordOfLeaf(leaf: Uint8Array): Record<string, unknown> {
  const text = new TextDecoder().decode(leaf.subarray(leaf.indexOf(0) + 1));
  return (JSON.parse(text) as { event: Record<string, unknown> }).event;
}
