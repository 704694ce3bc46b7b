/**
 * What a journal holds about its gates, found once and by content where the names are not documented (journal 3.6). Every question is
 * answered without another walk over the records, so that a journal of many gates is recounted in linear time.
 */
import { attempts, names, parseNodeKey, RUN_PRINCIPAL } from '../journal/names.ts';
import type { Journal, ReadableRecord, StoredRecord } from '../journal/record.ts';
import { encodeId } from '../journal/run-id.ts';
import type { JsonNode } from '../json/tree.ts';
import type { Subject } from './subject.ts';
import type { Deadline, RequesterReading, Tally } from './values.ts';
import { readDeadline, readRequesters, readTally, resultMembers, textOf } from './values.ts';

/** The record that asked for a call (approvals 2.7, journal 4.5). */
export interface CallRequest {
  readonly subject: Subject;
  readonly position: number;
  readonly name: string;
  /** The request of a gated flow node: only decisions after it count. */
  readonly flow: boolean;
}

/** A record under a tally's name. */
export interface TallyRecord {
  readonly name: string;
  readonly position: number;
  readonly raw: Uint8Array;
  /** Undefined when it does not read; `problem` says why. */
  readonly tally?: Tally;
  readonly problem?: string;
}

/** A pause note (approvals 5.7), as far as it is read: it decides nothing. */
export interface PauseNote {
  readonly name: string;
  readonly position: number;
  readonly members: ReadonlyMap<string, JsonNode>;
}

/** An execution hold (approver-identity 4.3): a passed generation that was not acted on. */
export interface ExecHold {
  readonly name: string;
  readonly position: number;
  readonly generation: number;
  readonly reason: string;
}

interface CallRecords {
  decisions: ReadableRecord[];
  singles: ReadableRecord[];
  attempts: ReadableRecord[];
  results: ReadableRecord[];
  deadlines: { readonly record: ReadableRecord; readonly members: ReadonlyMap<string, JsonNode> }[];
  notes: PauseNote[];
  holds: ExecHold[];
  identities: ReadableRecord[];
  request?: CallRequest;
}

/** Names whose values a developer, a tool or a person gave: what looks like a gate's record there is none. */
const OTHER_FAMILIES =
  /^(?:run:|timer:|await-|interrupt:|signal:|chan|node:|switch:|flow:|audit:|tool:|attempt:|start\/|turn\/|from\/|@)/;
const HOLD_FORMAT = 'bide.approval-exec-hold.v2';
const IDENTITY_FORMAT = 'bide.approval-identity.v2';

export class GateIndex {
  readonly journal: Journal;
  /** Tombstones of an export have no name: a record that is named and not found may be one of them. */
  readonly tombstones: number;
  readonly requesters: RequesterReading;
  /** `run:principal` records of another kind. */
  readonly misplacedPrincipals: readonly ReadableRecord[];
  readonly #byName = new Map<string, StoredRecord>();
  readonly #calls = new Map<string, CallRecords>();
  /** Escaped call id to the records named `approval-tally:<c>` and `approval-tally:<c>:…`. */
  readonly #tallies = new Map<string, TallyRecord[]>();
  readonly #misplacedTallies = new Map<string, ReadableRecord[]>();
  /** Results of flow nodes, by node key: the record named by the key itself. */
  readonly #nodes = new Map<string, ReadableRecord>();

  constructor(journal: Journal) {
    this.journal = journal;
    let tombstones = 0;
    const principals: ReadableRecord[] = [];
    const misplaced: ReadableRecord[] = [];
    for (const stored of journal.records) {
      if (stored.name !== '' && !this.#byName.has(stored.name)) this.#byName.set(stored.name, stored);
      if (stored.tombstone !== undefined) {
        tombstones++;
        continue;
      }
      if (stored.name === RUN_PRINCIPAL) (stored.record.kind === 'value' ? principals : misplaced).push(stored);
      this.#add(stored);
    }
    this.tombstones = tombstones;
    this.requesters = readRequesters(principals);
    this.misplacedPrincipals = misplaced;
  }

  #add(stored: ReadableRecord): void {
    const { record } = stored;
    switch (record.kind) {
      case 'model':
        for (const part of record.message?.parts ?? []) {
          if (part.type === 'tool_use') this.#request(stored, part.id, part.name, part.args, false);
        }
        break;
      case 'approval':
        if (record.toolUseId !== '')
          this.#call(record.toolUseId)[record.approver === '' ? 'singles' : 'decisions'].push(stored);
        break;
      case 'attempt':
        this.#call(record.toolUseId).attempts.push(stored);
        break;
      case 'tool_result':
      case 'saga_fail':
        this.#call(record.toolUseId).results.push(stored);
        break;
      case 'value':
        this.#value(stored);
        break;
    }
    if (record.kind !== 'value' && stored.name.startsWith('approval-tally:')) {
      const call = tallyCall(stored.name);
      const list = this.#misplacedTallies.get(call) ?? [];
      list.push(stored);
      this.#misplacedTallies.set(call, list);
    }
  }

  #value(stored: ReadableRecord): void {
    const { name } = stored;
    if (name.startsWith('approval-tally:')) {
      const read = readTally(stored.record.result);
      const list = this.#tallies.get(tallyCall(name)) ?? [];
      list.push({ name, position: stored.position, raw: stored.record.result ?? new Uint8Array(), ...read });
      this.#tallies.set(tallyCall(name), list);
      return;
    }
    if (name.startsWith('node:')) {
      const node = parseNodeKey(name);
      if (node !== undefined && node.step === undefined && !this.#nodes.has(name)) this.#nodes.set(name, stored);
      return;
    }
    if (OTHER_FAMILIES.test(name) || !mayNameCall(stored.record.result)) return;
    const members = resultMembers(stored);
    const call = textOf(members?.get('tool_use_id'));
    if (members === undefined || call === undefined || call === '') return;
    const format = textOf(members.get('format'));
    const generation = Number(
      members.get('generation')?.kind === 'number' ? (members.get('generation') as { text: string }).text : -1,
    );
    if (format === HOLD_FORMAT) {
      const reason = textOf(members.get('reason')) ?? '';
      this.#call(call).holds.push({ name, position: stored.position, generation, reason });
    } else if (format === IDENTITY_FORMAT) this.#call(call).identities.push(stored);
    else if (members.has('expires_at') && members.has('timeout_ms'))
      this.#call(call).deadlines.push({ record: stored, members });
    else if (members.has('tool_name') && members.has('args')) {
      const args = members.get('args') as JsonNode;
      const raw = stored.record.result?.slice(args.start, args.end);
      this.#request(stored, call, textOf(members.get('tool_name')) ?? '', raw, true);
    } else if (members.has('tool_name')) this.#call(call).notes.push({ name, position: stored.position, members });
  }

  /** The first record that asked for the call; of flow requests, one under the documented name before any recognised one. */
  #request(stored: ReadableRecord, call: string, tool: string, args: Uint8Array | undefined, flow: boolean): void {
    const records = this.#call(call);
    const known = records.request;
    if (
      known !== undefined &&
      !(flow && known.flow && stored.name === names.request(call) && known.name !== stored.name)
    )
      return;
    const subject: Subject = { run: this.journal.run, call, tool, args };
    records.request = { subject, position: stored.position, name: stored.name, flow };
  }

  #call(call: string): CallRecords {
    const known = this.#calls.get(call);
    if (known !== undefined) return known;
    const made: CallRecords = {
      decisions: [],
      singles: [],
      attempts: [],
      results: [],
      deadlines: [],
      notes: [],
      holds: [],
      identities: [],
    };
    this.#calls.set(call, made);
    return made;
  }

  /** Ids of all calls that any record is about, in order of their first record. */
  get calls(): Iterable<string> {
    return this.#calls.keys();
  }

  /** Keys of flow nodes that have a result. */
  get nodes(): Iterable<string> {
    return this.#nodes.keys();
  }

  /** Tally records whose call nothing else in the journal speaks of. */
  orphanTallies(): readonly TallyRecord[] {
    const known = new Set([...this.#calls.keys()].map(encodeId));
    return [...this.#tallies].flatMap(([call, tallies]) => (known.has(call) ? [] : tallies));
  }

  /**
   * Whether the records show that the call had a gate. Signed decisions alone do not: anybody can submit one. Nor does what only looks
   * like a gate's record under the name of a developer's step.
   */
  showsGate(call: string): boolean {
    const records = this.#calls.get(call);
    if (records === undefined) return this.tallies(call).length > 0;
    const { deadlines, notes, holds } = records;
    return (
      records.results.some(({ record }) => record.approval !== undefined) ||
      records.request?.flow === true ||
      records.singles.length > 0 ||
      this.tallies(call).length + this.misplacedTallies(call).length > 0 ||
      [...deadlines.map(({ record }) => record), ...notes, ...holds].some(({ name }) => name.startsWith('approval'))
    );
  }

  /** The first record of a name. */
  byName(name: string): StoredRecord | undefined {
    return this.#byName.get(name);
  }

  /** The record that asked for a call; the first, if several did. */
  request(call: string): CallRequest | undefined {
    return this.#calls.get(call)?.request;
  }

  /** Decision records of a call in journal order, after a position where one is given. */
  decisions(call: string, after = -1): readonly ReadableRecord[] {
    return (this.#calls.get(call)?.decisions ?? []).filter((record) => record.position > after);
  }

  /** The unsigned decision of a single gate: the first (approvals 5.9). */
  singleDecision(call: string, after = -1): ReadableRecord | undefined {
    return this.#calls.get(call)?.singles.find((record) => record.position > after);
  }

  /** Attempt markers of a call, or of a flow node, in journal order. A step that only looks like the call is not one (journal 3.3). */
  attempts(call: string): readonly ReadableRecord[] {
    const base = call.startsWith('node:') ? names.stepAttempt(call) : names.toolAttempt(call);
    return (this.#calls.get(call)?.attempts ?? []).filter(({ name }) => attempts.base(name) === base);
  }

  /** The call's outcome: `tool:<c>`; of a flow node the record named by its key. */
  result(call: string): ReadableRecord | undefined {
    if (call.startsWith('node:')) return this.#nodes.get(call);
    const stored = this.#byName.get(names.tool(call));
    return stored?.record !== undefined && stored.record.kind !== 'value' ? stored : this.#calls.get(call)?.results[0];
  }

  /** Tally records of a call, in journal order, first of each name. */
  tallies(call: string): readonly TallyRecord[] {
    const seen = new Set<string>();
    return (this.#tallies.get(encodeId(call)) ?? []).filter(({ name }) => !seen.has(name) && seen.add(name).size > 0);
  }

  /** Records under a tally's name of the call that are no values. */
  misplacedTallies(call: string): readonly ReadableRecord[] {
    return this.#misplacedTallies.get(encodeId(call)) ?? [];
  }

  /** The deadline of a gate: the record under its name, else one recognised by content; of several such, none can be told from a forgery. */
  deadline(call: string): Deadline | undefined {
    const named = this.#byName.get(names.deadline(call));
    if (named?.record !== undefined) {
      if (named.record.kind === 'value') return readDeadline(named, resultMembers(named));
      return { status: 'unreadable', position: named.position, problem: `it is of kind ${named.record.kind}` };
    }
    const found = this.#calls.get(call)?.deadlines ?? [];
    const [first, second] = found;
    if (first === undefined) return undefined;
    if (second !== undefined)
      return {
        status: 'unreadable',
        position: second.record.position,
        problem: 'two records give the gate a deadline',
      };
    return readDeadline(first.record, first.members);
  }

  notes(call: string): readonly PauseNote[] {
    return this.#calls.get(call)?.notes ?? [];
  }

  holds(call: string): readonly ExecHold[] {
    return this.#calls.get(call)?.holds ?? [];
  }

  /** Identity records of a call, for the module that judges certificates. */
  identityRecords(call: string): readonly ReadableRecord[] {
    return this.#calls.get(call)?.identities ?? [];
  }
}

/** The escaped call id in a tally's name: it holds no colon. */
function tallyCall(name: string): string {
  const rest = name.slice('approval-tally:'.length);
  const colon = rest.indexOf(':');
  return colon < 0 ? rest : rest.slice(0, colon);
}

const TOOL_USE_ID = new TextEncoder().encode('tool_use_id');

/** Whether the value is an object whose bytes hold the member name that every gate record has. */
function mayNameCall(raw: Uint8Array | undefined): boolean {
  if (raw === undefined || raw[0] !== 0x7b) return false;
  for (let at = raw.indexOf(0x74); at >= 0; at = raw.indexOf(0x74, at + 1)) {
    if (TOOL_USE_ID.every((byte, i) => raw[at + i] === byte)) return true;
  }
  // A name may be spelled with escapes; only then is the value read to know.
  return raw.includes(0x5c);
}
