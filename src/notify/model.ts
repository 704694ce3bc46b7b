/**
 * A run trail as the rules see it: its events, which event each derived one is about, the groups of fan-outs, recovery episodes, and the
 * journal event of each (notifications 5.4, 9.4, 11.3, 13.4). Linear in the records.
 */
import type { Instant } from '../time/instant.ts';
import type { JournalEvent, JournalFacts } from './document.ts';
import { type Episode, type EventState, receiverOf, type TrailState } from './fold.ts';
import { parseEscalationKey, stripTo } from './keys.ts';
import { DERIVED_KINDS } from './routing.ts';

/** One event with its links. */
export interface TrailEvent {
  readonly key: string;
  readonly state: EventState;
  readonly kind: string;
  /** When it was observed, and at which position. */
  readonly at: Instant;
  readonly index: number;
  readonly receiver: string;
  readonly derived: boolean;
  /** What a derived event is about; undefined for an orphan and for every other event. */
  readonly base: TrailEvent | undefined;
  /** The all-clears, overdue notices and escalation steps about this event, in the order observed. */
  readonly clears: readonly TrailEvent[];
  readonly notices: readonly TrailEvent[];
  readonly steps: readonly TrailEvent[];
  /** Of a derived event, the group of what it is about. */
  readonly group: Group | undefined;
  /** Of a `recovery_failing` event, the number of the episode open at its position. */
  readonly episode: number | undefined;
  readonly journal: JournalEvent | undefined;
}

/** All deliveries of one event; an event that was not fanned out is a group of one (9.4). */
export interface Group {
  /** The key without the fan-out prefix. */
  readonly key: string;
  readonly kind: string;
  readonly events: readonly TrailEvent[];
  readonly steps: readonly TrailEvent[];
  /** All-clears about the group's own events, by receiver. */
  readonly told: ReadonlyMap<string, Told>;
  /** Receivers that a step told. */
  readonly stepReceivers: ReadonlySet<string>;
}

/** All-clears to one receiver taken together. */
export interface Told {
  /** The one observed first. */
  readonly first: TrailEvent;
  /** The earliest acknowledgement of any. */
  readonly ackedAt: Instant | undefined;
}

export interface TrailModel {
  readonly events: ReadonlyMap<string, TrailEvent>;
  readonly groups: ReadonlyMap<string, Group>;
  readonly episodes: readonly Episode[];
  /** Matches of each journal event, in the order observed. */
  readonly matches: ReadonlyMap<JournalEvent, readonly TrailEvent[]>;
  /** An approval without the members by which a raw journal's gate could be matched to it (11.3). */
  readonly unmatchable: TrailEvent | undefined;
}

type Building = {
  -readonly [name in keyof Omit<TrailEvent, 'clears' | 'notices' | 'steps'>]: TrailEvent[name];
} & { clears: TrailEvent[]; notices: TrailEvent[]; steps: TrailEvent[]; group: BuildingGroup | undefined };
type BuildingGroup = {
  key: string;
  kind: string;
  events: Building[];
  steps: Building[];
  told: Map<string, Told>;
  stepReceivers: Set<string>;
};

export function buildModel(state: TrailState, journal: JournalFacts | undefined): TrailModel {
  const events = new Map<string, Building>();
  const groups = new Map<string, BuildingGroup>();
  for (const [key, event] of state.events) {
    const kind = event.observed.eventKind;
    const derived = DERIVED_KINDS.has(kind);
    const building: Building = {
      key,
      state: event,
      kind,
      at: event.observed.at,
      index: event.observed.index,
      receiver: receiverOf(event),
      derived,
      base: undefined,
      clears: [],
      notices: [],
      steps: [],
      group: undefined,
      episode: undefined,
      journal: undefined,
    };
    events.set(key, building);
    if (!derived) {
      const groupKey = stripTo(key);
      const group = groups.get(groupKey) ?? newGroup(groupKey, kind);
      groups.set(groupKey, group);
      group.events.push(building);
      building.group = group;
    }
  }
  link(events, groups);
  assignEpisodes(events, state.episodes);
  const { matches, unmatchable } = matchJournal(groups, journal);
  for (const [event, found] of matches) for (const match of found) (match as Building).journal ??= event;
  return { events, groups, episodes: state.episodes, matches, unmatchable };
}

function newGroup(key: string, kind: string): BuildingGroup {
  return { key, kind, events: [], steps: [], told: new Map(), stepReceivers: new Set() };
}

/** Finds the base of each derived event (5.4 rule 3). */
function link(events: ReadonlyMap<string, Building>, groups: ReadonlyMap<string, BuildingGroup>): void {
  const firstByBase = new Map<string, Building>();
  for (const event of events.values()) {
    const base = stripTo(event.key);
    if (!firstByBase.has(base)) firstByBase.set(base, event);
  }
  let suffixes: SuffixIndex | undefined;
  for (const event of events.values()) {
    if (!event.derived) continue;
    const step = event.kind === 'escalated' ? parseEscalationKey(event.key) : undefined;
    if (step !== undefined) event.base = events.get(step.orig) ?? firstByBase.get(step.orig);
    else {
      suffixes ??= new SuffixIndex(events.keys());
      const base = suffixes.longest(event.key);
      event.base = base === undefined ? undefined : events.get(base);
    }
    const { base } = event;
    if (event.kind === 'resolved') {
      (base as Building | undefined)?.clears.push(event);
      const told = base?.derived === false ? (base.group as BuildingGroup).told : undefined;
      told?.set(event.receiver, together(told.get(event.receiver), event));
    } else if (event.kind === 'notification_overdue') (base as Building | undefined)?.notices.push(event);
    else {
      (base as Building | undefined)?.steps.push(event);
      event.group = step === undefined ? (base?.group as BuildingGroup | undefined) : groups.get(stripTo(step.orig));
      event.group?.steps.push(event);
      event.group?.stepReceivers.add(event.receiver);
    }
  }
  // An all-clear or notice belongs to the group of what it is about, however many links away.
  for (const event of events.values()) {
    if (event.group !== undefined) continue;
    let base = event.base;
    for (let hops = 0; base !== undefined && base.group === undefined && hops < MAX_HOPS; hops++) base = base.base;
    event.group = base?.group as BuildingGroup | undefined;
  }
}

/** Keys are at most 4096 bytes long and each link shortens what is left of one. */
const MAX_HOPS = 4096;

/**
 * Finds the longest known key that stands after a ":" at the end of another. A prefix holds few colons, so the first look-ups nearly
 * always decide; past those, hashes of all suffixes are made in one pass, so that no key costs more than its length.
 */
class SuffixIndex {
  readonly #keys: ReadonlySet<string>;
  #byHash: Map<number, string[]> | undefined;

  constructor(keys: Iterable<string>) {
    this.#keys = new Set(keys);
  }

  longest(key: string): string | undefined {
    let at = key.indexOf(':');
    for (let looks = 0; at >= 0 && looks < 32; looks++, at = key.indexOf(':', at + 1)) {
      const suffix = key.slice(at + 1);
      if (this.#keys.has(suffix)) return suffix;
    }
    return at < 0 ? undefined : this.#byHashes(key, at);
  }

  #byHashes(key: string, from: number): string | undefined {
    this.#byHash ??= this.#hashAll();
    let found: string | undefined;
    let [a, b] = [0, 0];
    let [powerA, powerB] = [1, 1];
    for (let i = key.length - 1; i > from; i--) {
      const code = key.charCodeAt(i) + 1;
      a = (a + code * powerA) % PRIME_A;
      b = (b + code * powerB) % PRIME_B;
      powerA = (powerA * BASE) % PRIME_A;
      powerB = (powerB * BASE) % PRIME_B;
      if (key[i - 1] !== ':') continue;
      const candidates = this.#byHash.get(a * PRIME_B + b);
      if (candidates?.some((candidate) => key.length - i === candidate.length && key.endsWith(candidate)))
        found = key.slice(i);
    }
    return found;
  }

  #hashAll(): Map<number, string[]> {
    const byHash = new Map<number, string[]>();
    for (const key of this.#keys) {
      let [a, b] = [0, 0];
      let [powerA, powerB] = [1, 1];
      for (let i = key.length - 1; i >= 0; i--) {
        const code = key.charCodeAt(i) + 1;
        a = (a + code * powerA) % PRIME_A;
        b = (b + code * powerB) % PRIME_B;
        powerA = (powerA * BASE) % PRIME_A;
        powerB = (powerB * BASE) % PRIME_B;
      }
      const hash = a * PRIME_B + b;
      const list = byHash.get(hash);
      if (list === undefined) byHash.set(hash, [key]);
      else list.push(key);
    }
    return byHash;
  }
}

// Products stay below 2^53: a residue of 26 bits times 17 bits of code or base.
const PRIME_A = 67_108_859;
const PRIME_B = 67_108_837;
const BASE = 65_537;

function assignEpisodes(events: ReadonlyMap<string, Building>, episodes: readonly Episode[]): void {
  let next = 0;
  for (const event of events.values()) {
    if (event.kind !== 'recovery_failing') continue;
    while (next < episodes.length && ((episodes[next] as Episode).end?.index ?? Number.MAX_SAFE_INTEGER) < event.index)
      next++;
    const episode = episodes[next];
    if (episode !== undefined && episode.start.index < event.index) event.episode = next;
  }
}

/** Which trail events each journal event is: by the key that it carries, or by members where it was derived (11.3 rule 4). */
function matchJournal(
  groups: ReadonlyMap<string, BuildingGroup>,
  journal: JournalFacts | undefined,
): { matches: Map<JournalEvent, readonly TrailEvent[]>; unmatchable: TrailEvent | undefined } {
  const matches = new Map<JournalEvent, readonly TrailEvent[]>();
  if (journal === undefined) return { matches, unmatchable: undefined };
  if (!journal.events.some((event) => event.op !== undefined)) {
    for (const event of journal.events) matches.set(event, groups.get(event.key)?.events ?? []);
    return { matches, unmatchable: undefined };
  }
  const byOperation = new Map<string, BuildingGroup[]>();
  const byTime = new Map<string, BuildingGroup>();
  const aborts: Building[] = [];
  let unmatchable: TrailEvent | undefined;
  for (const group of groups.values()) {
    const [first] = group.events as [Building];
    const { opRun, opKind, opId } = first.state.observed;
    if (group.kind === 'run_aborted') aborts.push(...group.events);
    if (group.kind === 'approval_pending' && opKind === '') unmatchable ??= first;
    const operation = JSON.stringify([group.kind, opRun, opKind, opId]);
    const list = byOperation.get(operation);
    if (list === undefined) byOperation.set(operation, [group]);
    else list.push(group);
    const timed = `${operation} ${first.state.observed.eventAt}`;
    if (!byTime.has(timed)) byTime.set(timed, group);
  }
  const asked = new Map<string, number>();
  for (const event of journal.events) {
    if (event.op === undefined || event.kind === 'run_aborted') {
      matches.set(event, event.kind === 'run_aborted' ? aborts : []);
      continue;
    }
    const operation = JSON.stringify([event.kind, event.op.run, event.op.kind, event.op.id]);
    const candidates = byOperation.get(operation) ?? [];
    if (event.kind === 'approval_pending') {
      const ask = asked.get(operation) ?? 0;
      asked.set(operation, ask + 1);
      matches.set(event, candidates[ask]?.events ?? []);
    } else {
      const timed = event.at === undefined ? undefined : byTime.get(`${operation} ${event.at}`);
      const only = candidates.length === 1 ? candidates[0] : undefined;
      matches.set(event, (timed ?? only)?.events ?? []);
    }
  }
  return { matches, unmatchable };
}

/** When something stopped being current; `at` is undefined when the time is unknown. */
export interface End {
  readonly at: Instant | undefined;
}

/** The end of an event's currency (13.6), undefined while it has none. */
export function endOf(event: TrailEvent, model: TrailModel, journal: JournalFacts | undefined): End | undefined {
  // 1.
  let subject: TrailEvent | undefined = event;
  for (let hops = 0; subject?.kind === 'escalated' && hops < MAX_HOPS; hops++) subject = subject.base;
  if (subject === undefined) return undefined;
  const fromTrail = endInTrail(subject, model);
  const { journal: fact } = subject;
  // 2.
  if (fact !== undefined && !fact.current && fact.kind !== 'run_aborted')
    return fact.resolvedAt !== undefined ? { at: fact.resolvedAt } : (fromTrail ?? { at: undefined });
  // 3.
  const ended = journal?.runEndedAt;
  if (fact?.current === true && ended !== undefined && fact.kind !== 'run_aborted')
    return { at: fromTrail?.at !== undefined && fromTrail.at < ended ? fromTrail.at : ended };
  return fromTrail;
}

/** Step 4 of 13.6. */
function endInTrail(event: TrailEvent, model: TrailModel): End | undefined {
  if (event.kind === 'recovery_failing' && event.episode !== undefined) {
    const recovered = model.episodes[event.episode]?.end;
    if (recovered !== undefined) return { at: recovered.at };
  }
  if (event.state.cleared !== undefined) return { at: event.state.cleared.at };
  const [clear] = event.clears;
  return clear === undefined ? undefined : { at: clear.state.observed.eventAt ?? clear.at };
}

/** The all-clears that can tell an event's receiver of its end (13.7 rule 22); undefined when there is none. */
export function toldOfEnd(event: TrailEvent): Told | undefined {
  let told: Told | undefined;
  for (const clear of event.clears) if (clear.receiver === event.receiver) told = together(told, clear);
  // A chain may be keyed by any delivery of the group, and so may its all-clear (17, items 3 and 4).
  const ofGroup = event.kind === 'escalated' ? event.group?.told.get(event.receiver) : undefined;
  if (told === undefined || ofGroup === undefined) return told ?? ofGroup;
  return {
    first: told.first.index < ofGroup.first.index ? told.first : ofGroup.first,
    ackedAt: earlier(told.ackedAt, ofGroup.ackedAt),
  };
}

function together(told: Told | undefined, clear: TrailEvent): Told {
  return { first: told?.first ?? clear, ackedAt: earlier(told?.ackedAt, clear.state.acked?.at) };
}

function earlier(a: Instant | undefined, b: Instant | undefined): Instant | undefined {
  return a === undefined || (b !== undefined && b < a) ? b : a;
}
