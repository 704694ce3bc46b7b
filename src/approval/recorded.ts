/**
 * Which recorded tally a gate goes by: the outcome, what it supersedes, and when a gate asks again although a tally passed (approvals 5.3
 * to 5.6). T is the plain tally, R the one of a format re-ask, S the one of a separation-of-duties re-ask.
 */
import { names } from '../journal/names.ts';
import { encodeId } from '../journal/run-id.ts';
import { GATE_RECORDS } from '../journal/spellings.ts';
import type { ExecHold, GateIndex, TallyRecord } from './gateIndex.ts';
import type { Tally } from './values.ts';
import { passed, predatesV3 } from './values.ts';

/** Why a gate asks once more (approvals 5.3, 5.6). */
export type Reask = 'format' | 'sod' | 'ident' | 'exec_hold';

/** Approvals 5.3. */
export function gateReask(tally: Tally, excludes: boolean): 'format' | 'sod' | undefined {
  if (!passed(tally)) return undefined;
  if (predatesV3(tally)) return 'format';
  return excludes && !tally.excludePrincipal ? 'sod' : undefined;
}

/** A tally record that reads. */
export interface ReadTally extends TallyRecord {
  readonly tally: Tally;
}

export interface Recorded {
  /** The tally that the gate goes by; undefined while none is recorded. */
  readonly outcome: ReadTally | undefined;
  /** Tallies that the outcome superseded, oldest first. */
  readonly superseded: readonly ReadTally[];
  /** A tally of the call that does not read: the gate can say nothing (storage error). */
  readonly unreadable: readonly TallyRecord[];
  /** Tallies of the call that play no role: a name without a place, a wrong `supersedes`, one of two for one role. */
  readonly unplaced: readonly ReadTally[];
  /** `supersedes` leads to a record that is missing or came before. */
  readonly brokenChain: readonly string[];
  /** Generation of the outcome of a gate with a certificate-bound approver. */
  readonly generation?: number;
  /** Why such a gate asks again, where it does. */
  readonly reask?: 'ident' | 'exec_hold';
}

/**
 * The recorded outcome of a call (approvals 5.4; 5.6 for a gate with a certificate-bound approver).
 *
 * @param bound whether the gate has a certificate-bound approver.
 */
export function recordedOutcome(index: GateIndex, call: string, bound: boolean): Recorded {
  const all = index.tallies(call);
  const unreadable = all.filter(({ tally }) => tally === undefined);
  const read = all.filter((record): record is ReadTally => record.tally !== undefined);
  const placed = bound ? boundOutcome(index.holds(call), read, call) : plainOutcome(read, call);
  const chain = supersededBy(placed.outcome, read);
  const used = new Set([...placed.used, ...chain.superseded.map(({ name }) => name)]);
  return {
    outcome: placed.outcome,
    superseded: chain.superseded,
    unreadable,
    unplaced: read.filter(({ name }) => !used.has(name)),
    brokenChain: chain.broken,
    ...(placed.generation === undefined ? {} : { generation: placed.generation }),
    ...(placed.reask === undefined ? {} : { reask: placed.reask }),
  };
}

interface Placed {
  readonly outcome: ReadTally | undefined;
  readonly used: ReadonlySet<string>;
  readonly generation?: number;
  readonly reask?: 'ident' | 'exec_hold';
}

/** Steps 1 to 4 of approvals 5.4. R and S are found by content (journal 3.6): their spelling is no part of the documentation. */
function plainOutcome(tallies: readonly ReadTally[], call: string): Placed {
  const plainName = names.tally(call);
  // 1.
  const plain = tallies.find(({ name }) => name === plainName);
  if (plain === undefined) return { outcome: undefined, used: new Set() };
  const used = new Set([plainName]);
  const others = tallies.filter(({ name }) => name !== plainName && identGeneration(name, call) === undefined);
  let outcome = plain;
  // 2.
  if (passed(plain.tally) && predatesV3(plain.tally)) {
    const duties = GATE_RECORDS.dutiesRetally(encodeId(call));
    const candidates = others.filter(({ name, tally }) => tally.supersedes === plainName && name !== duties);
    const [again] = candidates;
    if (again !== undefined && candidates.length === 1) {
      outcome = again;
      used.add(again.name);
    }
  }
  // 3.
  if (passed(outcome.tally) && !outcome.tally.excludePrincipal) {
    const candidates = others.filter(
      ({ name, tally }) => !used.has(name) && tally.excludePrincipal && tally.supersedes === outcome.name,
    );
    const [again] = candidates;
    if (again !== undefined && candidates.length === 1) {
      outcome = again;
      used.add(again.name);
    }
  }
  // 4.
  return { outcome, used };
}

/** Steps 1 to 5 of approvals 5.6. */
function boundOutcome(holds: readonly ExecHold[], tallies: readonly ReadTally[], call: string): Placed {
  const used = new Set<string>();
  const byGeneration = new Map<number, ReadTally>();
  for (const tally of tallies) {
    const generation = identGeneration(tally.name, call);
    if (generation !== undefined && !byGeneration.has(generation)) byGeneration.set(generation, tally);
  }
  const plain = tallies.find(({ name }) => name === names.tally(call));
  const lastHold = new Map<number, number>();
  for (const hold of holds) lastHold.set(hold.generation, hold.position);
  let generation = 0;
  let reask: 'ident' | 'exec_hold' | undefined = plain === undefined ? undefined : 'ident';
  for (;;) {
    const tally = byGeneration.get(generation);
    // 2.
    if (tally === undefined) return { outcome: undefined, used, generation, ...(reask === undefined ? {} : { reask }) };
    used.add(tally.name);
    // 1. What was counted without the certificates is history once generation 0 is counted.
    if (generation === 0 && plain !== undefined && plain.position < tally.position) addPlain(plain, tallies, used);
    // 3 and 5; 4: a held generation is not acted on.
    const held = (lastHold.get(generation) ?? -1) > tally.position;
    if (!passed(tally.tally) || !held) return { outcome: tally, used, generation };
    reask = 'exec_hold';
    generation++;
  }
}

/** The plain tally and the re-asks that supersede it. */
function addPlain(plain: ReadTally, tallies: readonly ReadTally[], used: Set<string>): void {
  used.add(plain.name);
  for (const { name, tally } of tallies) if (used.has(tally.supersedes)) used.add(name);
}

/** The generation in the name of an identity-bound gate's tally; undefined for other names (approvals 5.6). */
export function identGeneration(name: string, call: string): number | undefined {
  const plain = names.tally(call);
  if (name === `${plain}:ident`) return 0;
  const prefix = `${plain}:ident-reask:`;
  const digits = name.startsWith(prefix) ? name.slice(prefix.length) : '';
  return /^[1-9][0-9]{0,8}$/.test(digits) ? Number(digits) : undefined;
}

/** Approvals 5.5: what the outcome superseded, oldest first; a missing record or a repetition ends the chain and is reported. */
function supersededBy(
  outcome: ReadTally | undefined,
  tallies: readonly ReadTally[],
): { readonly superseded: readonly ReadTally[]; readonly broken: readonly string[] } {
  const byName = new Map(tallies.map((tally) => [tally.name, tally]));
  const superseded: ReadTally[] = [];
  const seen = new Set(outcome === undefined ? [] : [outcome.name]);
  for (let name = outcome?.tally.supersedes ?? ''; name !== ''; ) {
    const next = byName.get(name);
    if (next === undefined || seen.has(name)) return { superseded: superseded.toReversed(), broken: [name] };
    seen.add(name);
    superseded.push(next);
    name = next.tally.supersedes;
  }
  return { superseded: superseded.toReversed(), broken: [] };
}
