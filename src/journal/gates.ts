/**
 * Records of approval gates, found by what they hold and not by their inferred names (journal 3.5 and 3.6). This is what happened around
 * a gate, not whether it was right: counting is `src/approval`'s.
 */
import { boolean, int64, integer, list, object, string, type ValueOf } from '../json/shape.ts';
import type { JournalRecord, ReadableRecord } from './record.ts';
import { decodeId, encodeId } from './run-id.ts';
import { readValue } from './values.ts';

const tolerate = { unknown: 'tolerate' } as const;

const WAIT = object(
  {
    tool_use_id: string,
    tool_name: string,
    single: boolean,
    need: integer,
    approvers: list(string),
    recorded_at: string,
    exclude_principal: boolean,
    requesters: list(string),
    reask: string,
    supersedes: string,
    identity_bound: boolean,
    pause: string,
  },
  tolerate,
);
/** An ApprovalWait: the note of a pause. Informational: it proves nothing, and a missing one proves nothing. */
export type WaitNote = ValueOf<typeof WAIT>;

const TALLY = object(
  {
    need: integer,
    approved: integer,
    denied: integer,
    exclude_principal: boolean,
    records: list(string),
    decision_format: string,
    supersedes: string,
    expired: boolean,
    expires_at: string,
  },
  tolerate,
);
export type RecordedTally = ValueOf<typeof TALLY>;

const DEADLINE = object({ tool_use_id: string, requested_at: string, expires_at: string, timeout_ms: int64 }, tolerate);
const HOLD = object({ format: string, tool_use_id: string, generation: integer }, tolerate);
const MARK = object({ tool_use_id: string }, tolerate);

/** The text with which a gate asks again because its decisions predate version 3 (approvals 5.3). */
export const FORMAT_REASK =
  'approval re-required: the recorded approvals predate bide.approval.v3; approvers sign again, then re-run';
const ACCEPTED_FORMATS: ReadonlySet<string> = new Set(['bide.approval.v3', 'bide.approval.v4']);

export interface Held<T> {
  readonly stored: ReadableRecord;
  readonly value: T;
}

export interface Gate {
  /** Id of the call, or node key of a flow's gate. */
  readonly call: string;
  /** Every ApprovalWait of the call, in journal order. */
  readonly notes: readonly Held<WaitNote>[];
  /** The request of a flow node's gate. */
  readonly request: ReadableRecord | undefined;
  readonly deadline: Held<ValueOf<typeof DEADLINE>> | undefined;
  /** The one unsigned decision, and every signed one, in journal order. */
  readonly decision: ReadableRecord | undefined;
  readonly signed: readonly ReadableRecord[];
  /** Terminal tallies in journal order; one that does not read has no value. */
  readonly tallies: readonly { readonly stored: ReadableRecord; readonly value: RecordedTally | undefined }[];
  readonly holds: readonly Held<ValueOf<typeof HOLD>>[];
}

interface OpenGate {
  readonly call: string;
  readonly notes: Held<WaitNote>[];
  request: ReadableRecord | undefined;
  deadline: Held<ValueOf<typeof DEADLINE>> | undefined;
  decision: ReadableRecord | undefined;
  readonly signed: ReadableRecord[];
  readonly tallies: { readonly stored: ReadableRecord; readonly value: RecordedTally | undefined }[];
  readonly holds: Held<ValueOf<typeof HOLD>>[];
}

/** Whether a tally passed: not expired, and enough approvals. With a need of 0 nothing passes. */
export function passed(tally: RecordedTally | undefined): boolean {
  return tally !== undefined && !tally.expired && tally.need > 0 && tally.approved >= tally.need;
}

export function predates(tally: RecordedTally): boolean {
  return !ACCEPTED_FORMATS.has(tally.decision_format);
}

const TALLY_PREFIX = 'approval-tally:';

/** Generation of an identity tally's name; undefined for any other tally's. */
export function identityGeneration(name: string): number | undefined {
  if (name.endsWith(':ident')) return 0;
  const match = /:ident-reask:([1-9][0-9]{0,14})$/.exec(name);
  return match === null ? undefined : Number(match[1]);
}

/** Collects gates while records go by in journal order. */
export class GateCollector {
  readonly #gates = new Map<string, OpenGate>();
  /** Tallies are named by the escaped id, which a digest cannot give back. */
  readonly #byEncoded = new Map<string, OpenGate>();

  get gates(): ReadonlyMap<string, Gate> {
    return this.#gates;
  }

  /** The gate under an escaped id. */
  encoded(c: string): Gate | undefined {
    return this.#byEncoded.get(c);
  }

  /** Gives gates their calls where only a tally under a digest spoke of them so far. */
  name(calls: Iterable<string>): void {
    const unnamed = [...this.#byEncoded].filter(([, gate]) => !this.#gates.has(gate.call));
    if (unnamed.length === 0) return;
    const byCode = new Map(unnamed);
    for (const call of calls) if (byCode.has(encodeId(call))) this.#gate(call);
  }

  approval(stored: ReadableRecord): void {
    const gate = this.#gate(stored.record.toolUseId);
    if (stored.record.approver !== '') gate.signed.push(stored);
    else gate.decision ??= stored;
  }

  value(stored: ReadableRecord): void {
    const { record } = stored;
    if (record.name.startsWith(TALLY_PREFIX)) this.#tally(stored);
    else if (mayBeGateRecord(record)) this.#recognise(stored);
  }

  #tally(stored: ReadableRecord): void {
    const rest = stored.name.slice(TALLY_PREFIX.length);
    const end = rest.indexOf(':');
    const c = end < 0 ? rest : rest.slice(0, end);
    const gate = this.#byEncoded.get(c) ?? this.#open(c, decodeId(c));
    gate.tallies.push({ stored, value: readValue(TALLY, stored.record.result) });
  }

  /** The last column of journal 3.6. */
  #recognise(stored: ReadableRecord): void {
    const { result } = stored.record;
    const members = memberNames(stored.record);
    if (members.has('format')) {
      const hold = readValue(HOLD, result);
      if (hold?.format === 'bide.approval-exec-hold.v2' && hold.tool_use_id !== '')
        this.#gate(hold.tool_use_id).holds.push({ stored, value: hold });
    } else if (members.has('expires_at') && members.has('timeout_ms')) {
      const deadline = readValue(DEADLINE, result);
      if (deadline !== undefined) this.#gate(deadline.tool_use_id).deadline ??= { stored, value: deadline };
    } else if (members.has('args')) {
      const mark = readValue(MARK, result);
      if (mark?.tool_use_id.startsWith('node:') === true) this.#gate(mark.tool_use_id).request ??= stored;
    } else if (members.has('tool_name')) {
      const note = readValue(WAIT, result);
      if (note !== undefined && note.tool_use_id !== '')
        this.#gate(note.tool_use_id).notes.push({ stored, value: note });
    }
  }

  #gate(call: string): OpenGate {
    return this.#gates.get(call) ?? this.#open(encodeId(call), call);
  }

  #open(c: string, call: string | undefined): OpenGate {
    const held = this.#byEncoded.get(c);
    if (held !== undefined && call === undefined) return held;
    const gate: OpenGate = {
      call: call ?? c,
      notes: [],
      request: undefined,
      deadline: undefined,
      decision: undefined,
      signed: [],
      // A tally that came before anything named the call belongs to it all the same.
      tallies: held?.tallies ?? [],
      holds: [],
    };
    this.#byEncoded.set(c, gate);
    if (call !== undefined) this.#gates.set(call, gate);
    return gate;
  }
}

const TOOL_USE_ID_FIRST = [...'{"tool_use_id":'].map((letter) => letter.charCodeAt(0));
const FORMAT_FIRST = [...'{"format":"bide.approval'].map((letter) => letter.charCodeAt(0));
/** Families whose values a developer or a tool gave: what looks like a gate's record there is none. */
const OTHER_FAMILIES =
  /^(?:run:|timer:|await-|interrupt:|signal:|chan|node:|switch:|flow:|audit:|start\/|turn\/|from\/|@)/;

function mayBeGateRecord(record: JournalRecord): boolean {
  const { result } = record;
  if (result === undefined || result[0] !== 0x7b || OTHER_FAMILIES.test(record.name)) return false;
  return begins(result, TOOL_USE_ID_FIRST) || begins(result, FORMAT_FIRST);
}

function begins(bytes: Uint8Array, head: readonly number[]): boolean {
  for (let i = 0; i < head.length; i++) if (bytes[i] !== head[i]) return false;
  return true;
}

function memberNames(record: JournalRecord): ReadonlySet<string> {
  try {
    return new Set(Object.keys(JSON.parse(new TextDecoder().decode(record.result)) as object));
  } catch {
    return new Set();
  }
}

/** The asks of a gate: its first pause note and every re-ask note that is proven (journal 4.11, approvals 5.7). */
export interface Ask {
  readonly note: Held<WaitNote>;
  readonly role: 'first' | 'format' | 'duties' | 'identity';
  /** Of an identity ask. */
  readonly generation: number;
}

export function asksOf(gate: Gate): readonly Ask[] {
  const asks: Ask[] = [];
  const plain = gate.notes.filter(({ value }) => value.reask === '');
  const first = plain.find(({ value }) => value.pause === '') ?? plain[0];
  if (first !== undefined) asks.push({ note: first, role: 'first', generation: 0 });
  const seen = new Set<string>();
  for (const note of gate.notes) {
    const ask = provenReask(gate, note);
    // Two records that qualify for one role: the first in journal order speaks.
    if (ask === undefined || seen.has(`${ask.role}:${ask.generation}`)) continue;
    seen.add(`${ask.role}:${ask.generation}`);
    asks.push(ask);
  }
  return asks.sort((a, b) => a.note.stored.position - b.note.stored.position);
}

/** ValidReaskNote (approvals 5.7). */
function provenReask(gate: Gate, note: Held<WaitNote>): Ask | undefined {
  const { value } = note;
  if (value.reask === '') return undefined;
  const { plain, format, byName, held } = tallyRoles(gate);
  if (value.identity_bound) {
    const previous = byName.get(value.supersedes);
    if (previous === undefined || !passed(previous.value)) return undefined;
    if (previous === plain) return { note, role: 'identity', generation: 0 };
    const generation = identityGeneration(previous.stored.name);
    return generation !== undefined && held.has(generation)
      ? { note, role: 'identity', generation: generation + 1 }
      : undefined;
  }
  if (plain?.value === undefined || !passed(plain.value)) return undefined;
  if (value.reask === FORMAT_REASK) {
    return value.supersedes === plain.stored.name && predates(plain.value)
      ? { note, role: 'format', generation: 0 }
      : undefined;
  }
  const target = predates(plain.value) && format !== undefined ? format : plain;
  const fits =
    value.exclude_principal &&
    value.supersedes === target.stored.name &&
    target.value !== undefined &&
    passed(target.value) &&
    !predates(target.value) &&
    !target.value.exclude_principal;
  return fits ? { note, role: 'duties', generation: 0 } : undefined;
}

type GateTally = Gate['tallies'][number];

export interface TallyRoles {
  readonly plain: GateTally | undefined;
  /** The two re-tallies. */
  readonly format: GateTally | undefined;
  readonly duties: GateTally | undefined;
  /** By generation; the first of each. */
  readonly identity: ReadonlyMap<number, GateTally>;
  /** The first tally of each name. */
  readonly byName: ReadonlyMap<string, GateTally>;
  /** Generations that an exec hold stopped. */
  readonly held: ReadonlySet<number>;
}

/** A gate does not change once its journal is replayed, and is asked about once for each of its notes. */
const KNOWN_ROLES = new WeakMap<Gate, TallyRoles>();

/** The tallies of a gate by their role, told by what they hold (journal 3.6). */
export function tallyRoles(gate: Gate): TallyRoles {
  const known = KNOWN_ROLES.get(gate);
  if (known !== undefined) return known;
  const byName = new Map<string, GateTally>();
  const identity = new Map<number, GateTally>();
  const plainName = TALLY_PREFIX + encodeId(gate.call);
  const others: GateTally[] = [];
  for (const tally of gate.tallies) {
    const { name } = tally.stored;
    if (!byName.has(name)) byName.set(name, tally);
    const generation = identityGeneration(name);
    if (generation !== undefined) {
      if (!identity.has(generation)) identity.set(generation, tally);
    } else if (name !== plainName && tally.value !== undefined) others.push(tally);
  }
  const plain = byName.get(plainName);
  const plainPredates = plain?.value !== undefined && passed(plain.value) && predates(plain.value);
  const format = plainPredates ? others.find(({ value }) => value?.supersedes === plain.stored.name) : undefined;
  const target = format ?? plain;
  const duties = others.find(
    ({ stored, value }) =>
      stored !== format?.stored &&
      value?.exclude_principal === true &&
      target !== undefined &&
      value.supersedes === target.stored.name &&
      passed(target.value) &&
      target.value?.exclude_principal === false,
  );
  const held = new Set(gate.holds.map(({ value }) => value.generation));
  const roles = { plain, format, duties, identity, byName, held };
  KNOWN_ROLES.set(gate, roles);
  return roles;
}

/** The tally that answers an ask, whether or not the gate acts on it later (journal 4.11). */
export function answerOf(gate: Gate, ask: Ask): ReadableRecord | undefined {
  const { plain, format, duties, identity } = tallyRoles(gate);
  switch (ask.role) {
    case 'first': {
      const zero = identity.get(0)?.stored;
      if (plain === undefined) return zero;
      return zero !== undefined && zero.position < plain.stored.position ? zero : plain.stored;
    }
    case 'format':
      return format?.stored;
    case 'duties':
      return duties?.stored;
    case 'identity':
      return identity.get(ask.generation)?.stored;
  }
}
