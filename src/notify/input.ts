/**
 * The documents of a judgement: `bide-audit.notify-trail.v1`, `bide.audit.trail-export.v1`, and the files that stand for one of their
 * members (notifications 12). The document is decoded strictly, records are free-form JSON; the tree is let go of once it is read.
 */

import {
  bytes as base64Bytes,
  boolean,
  check,
  findRepeatedNames,
  integer,
  list,
  map,
  nullable,
  object,
  Place,
  type Shape,
  type ShapeProblem,
  string,
} from '../json/shape.ts';
import { type JsonNode, parseTree } from '../json/tree.ts';
import { HEAD_FORMAT, headShape, headShapeFault, type TreeHead } from '../log/head.ts';
import type { Instant } from '../time/instant.ts';
import { dayNumber, encodeID, indexYear, type Role, roleOf, segmentDay } from './keys.ts';
import { type NotifyLeaf, readLeaf, repeatedName } from './leaf.ts';
import { canonicalRecord, decodeRecord, type TrailRecord } from './record.ts';
import { type Routing, routingFaults } from './routing.ts';
import { readSetting, type SettingValues } from './settings.ts';
import { readTime } from './time.ts';

export const TRAIL_FORMAT = 'bide-audit.notify-trail.v1';
export const TRAIL_EXPORT_FORMAT = 'bide.audit.trail-export.v1';
/** Records that one trail, segment or index may hold (15, "Limits"). */
export const MAX_RECORDS = 2_000_000;

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

/** Why a document cannot be used. */
export interface InputProblem extends ShapeProblem {
  /** `leaf` when a stored leaf is the reason, `limit` when there is too much. */
  readonly about: 'document' | 'leaf' | 'head' | 'routing' | 'limit';
}

export type Reading<T> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly problems: readonly InputProblem[] };

const node: Shape<JsonNode | null> = { zero: null, read: (value) => value, write: String, isEmpty: (v) => v === null };

/** A list whose elements are judged later, without a place for each. */
const nodes: Shape<readonly JsonNode[] | null> = {
  zero: null,
  read(value, place) {
    if (value.kind === 'array') return value.items;
    place.malformed(value.start, 'expected a list', { expected: 'a list', actual: value.kind });
    return null;
  },
  write: String,
  isEmpty: (value) => value === null,
};

const time: Shape<Instant | null> = {
  zero: null,
  read(value, place) {
    const instant = value.kind === 'string' ? readTime(value.value) : undefined;
    if (instant === undefined)
      place.malformed(value.start, 'expected an RFC 3339 time', { expected: 'a time such as 2026-10-13T09:00:00Z' });
    return instant ?? null;
  },
  write: String,
  isEmpty: (value) => value === null,
};

const maybe: Shape<boolean | null> = {
  zero: null,
  read: (value, place) => boolean.read(value, place),
  write: String,
  isEmpty: (value) => value === null,
};

const journalEventShape = object({
  key: check(string, (key) => (key === '' ? 'the key of an event is not empty' : undefined)),
  kind: check(string, (kind) =>
    ['approval_pending', 'outcome_unknown', 'run_aborted'].includes(kind)
      ? undefined
      : `${JSON.stringify(kind.slice(0, 80))} is not a kind of event that a journal shows`,
  ),
  run_id: string,
  at: time,
  current: boolean,
  approvers: list(string),
  resolved_at: time,
});
const journalShape = object({
  run_id: string,
  as_of: time,
  complete: boolean,
  run_ended: maybe,
  run_ended_at: time,
  events: list(journalEventShape),
});
const routingShape = object({
  routes: map(string),
  approver_routes: map(string),
  escalation: map(list(string)),
});
const openShape = object({
  complete: maybe,
  segments: list(object({ name: string, day: string, records: nodes })),
  indexes: list(object({ name: string, year: integer, records: nodes })),
});
const proofShape = object({ index: node, first: node, size: integer, path: list(base64Bytes) });
const documentShape = object({
  format: string,
  trail: string,
  run_id: string,
  role: string,
  as_of: time,
  records: nodes,
  leaves: list(base64Bytes),
  heads: list(headShape),
  proofs: list(proofShape),
  journal: nullable(journalShape),
  routing: nullable(routingShape),
  settings: map(node),
  deliveries: list(object({ id: string, key: string, kind: string, receiver: string, at: time })),
  open: nullable(openShape),
});
const exportShape = object({ format: string, trail: string, leaves: list(base64Bytes) });

class Reader {
  readonly bytes: Uint8Array;
  readonly problems: InputProblem[] = [];
  readonly shapeProblems: ShapeProblem[] = [];
  readonly place: Place;

  constructor(bytes: Uint8Array) {
    this.bytes = bytes;
    this.place = new Place(bytes, this.shapeProblems);
  }

  /** The root, without repeated names outside records (those are looked at one by one). */
  root(): JsonNode | undefined {
    const parsed = parseTree(this.bytes);
    if (parsed.ok) return parsed.root;
    const { at, message } = parsed.problem;
    this.problem('document', message, '', at);
    return undefined;
  }

  problem(
    about: InputProblem['about'],
    message: string,
    pointer: string,
    byte = 0,
    more: { expected?: string; actual?: string } = {},
  ): void {
    this.problems.push({ class: 'MALFORMED', message, pointer, byte, about, ...more });
  }

  finish<T>(value: T | undefined): Reading<T> {
    const problems = [
      ...this.shapeProblems.map((problem) => ({ ...problem, about: aboutOf(problem) })),
      ...this.problems,
    ];
    return problems.length === 0 && value !== undefined ? { ok: true, value } : { ok: false, problems };
  }

  /** Records with their leaves; `pointer` is where the records stand. */
  list(items: readonly JsonNode[] | null, leaves: readonly (Uint8Array | null)[] | null, pointer: string): RecordList {
    const count = Math.max(items?.length ?? 0, leaves?.length ?? 0);
    if (count > MAX_RECORDS) {
      this.problem('limit', `${count} records are more than the ${MAX_RECORDS} that are read`, pointer);
      return { records: [], starts: [], leaves: undefined, leafKind: undefined, mismatched: [] };
    }
    const records: TrailRecord[] = [];
    const starts: number[] = [];
    for (const item of items ?? []) {
      const repeated = repeatedName(item);
      if (repeated !== undefined)
        this.problem(
          'document',
          `the member ${JSON.stringify(repeated.name.slice(0, 80))} stands twice in one object`,
          `${pointer}/${records.length}`,
          repeated.at,
        );
      starts.push(item.start);
      records.push(decodeRecord(item, records.length));
    }
    if (leaves === null) return { records, starts, leaves: undefined, leafKind: undefined, mismatched: [] };
    const read = this.#leaves(leaves);
    if (items === null)
      return {
        records: read.map((leaf, index) => decodeRecord(leaf.event, index)),
        starts,
        leaves: leaves as readonly Uint8Array[],
        leafKind: read[0]?.kind,
        mismatched: [],
      };
    const mismatched: number[] = [];
    for (let i = 0; i < count; i++) {
      const [item, leaf] = [items[i], read[i]];
      if (item === undefined || leaf === undefined) mismatched.push(i);
      else if (canonicalRecord(item, this.bytes) !== canonicalRecord(leaf.event, leaf.content)) mismatched.push(i);
    }
    return { records, starts, leaves: leaves as readonly Uint8Array[], leafKind: read[0]?.kind, mismatched };
  }

  #leaves(leaves: readonly (Uint8Array | null)[]): readonly NotifyLeaf[] {
    const read: NotifyLeaf[] = [];
    leaves.forEach((data, index) => {
      const leaf = readLeaf(data ?? new Uint8Array());
      const first = read[0];
      if (typeof leaf === 'string') this.problem('leaf', `leaf ${index} cannot be used: ${leaf}`, `/leaves/${index}`);
      else if (first !== undefined && leaf.kind !== first.kind)
        this.problem('leaf', `leaf ${index} is of another kind than the leaves before it`, `/leaves/${index}`, 0, {
          expected: first.kind.slice(0, 80),
          actual: leaf.kind.slice(0, 80),
        });
      else read.push(leaf);
    });
    return read;
  }
}

function aboutOf(problem: ShapeProblem): InputProblem['about'] {
  if (problem.pointer.startsWith('/heads')) return 'head';
  if (problem.pointer.startsWith('/leaves')) return 'leaf';
  return problem.pointer.startsWith('/routing') ? 'routing' : 'document';
}

/** The `format` of a document, looked at before anything else; the last one if it is repeated. */
export function formatOf(root: JsonNode): string {
  const member = root.kind === 'object' ? root.members.findLast(({ name }) => name === 'format')?.value : undefined;
  return member?.kind === 'string' ? member.value : '';
}

/** Reads a trail document or a trail export. Every problem is given; none of them leaves anything to judge. */
export function readTrailDocument(bytes: Uint8Array): Reading<TrailDocument> {
  const reader = new Reader(bytes);
  const root = reader.root();
  if (root === undefined) return reader.finish<TrailDocument>(undefined);
  const format = formatOf(root);
  if (root.kind !== 'object' || (format !== TRAIL_FORMAT && format !== TRAIL_EXPORT_FORMAT)) {
    reader.problem('document', 'this is no trail document', '/format', 0, {
      expected: `${TRAIL_FORMAT} or ${TRAIL_EXPORT_FORMAT}`,
      actual: format.slice(0, 80),
    });
    return reader.finish<TrailDocument>(undefined);
  }
  repeatedOutsideRecords(root, reader.place);
  if (format === TRAIL_EXPORT_FORMAT) {
    const { trail, leaves } = exportShape.read(root, reader.place);
    if (leaves === null) reader.problem('document', 'a trail export has "leaves"', '');
    return reader.finish(
      assemble(reader, { trail, run_id: '', role: '' }, reader.list(null, leaves ?? [], '/leaves'), {}, format),
    );
  }
  const raw = documentShape.read(root, reader.place);
  if (raw.records === null && raw.leaves === null)
    reader.problem('document', 'a trail document has "records" or "leaves"', '', root.start);
  raw.heads?.forEach((head, index) => {
    const fault = headShapeFault(head);
    if (fault !== undefined)
      reader.problem('head', `this head is of no shape that a head can have: ${fault}`, `/heads/${index}`);
  });
  const records = reader.list(raw.records, raw.leaves, '/records');
  const open =
    raw.open === null
      ? undefined
      : {
          complete: raw.open.complete ?? true,
          segments: (raw.open.segments ?? []).map((segment, i) => readSegment(reader, segment, `/open/segments/${i}`)),
          indexes: (raw.open.indexes ?? []).map(
            (index, i): Index => ({
              ...reader.list(index.records ?? [], null, `/open/indexes/${i}/records`),
              name: index.name,
              year: index.year === 0 ? indexYear(index.name) : index.year,
              pointer: `/open/indexes/${i}/records`,
            }),
          ),
        };
  const value = assemble(
    reader,
    raw,
    records,
    {
      asOf: raw.as_of ?? undefined,
      heads: raw.heads ?? undefined,
      proofs: (raw.proofs ?? []).map((proof, i) => readProof(reader, proof, i)),
      journal: raw.journal === null ? undefined : journalFacts(reader, raw.journal, '/journal'),
      routing: raw.routing === null ? undefined : routingOf(reader, raw.routing, '/routing'),
      settings: readSettings(reader, raw.settings),
      deliveries: raw.deliveries?.map(({ id, key }) => ({ id, key })),
      open,
    },
    format,
  );
  return reader.finish(value);
}

function assemble(
  reader: Reader,
  raw: { readonly trail: string; readonly run_id: string; readonly role: string },
  records: RecordList,
  more: Partial<TrailDocument>,
  format: string,
): TrailDocument {
  if (raw.trail === '' && raw.run_id === '') reader.problem('document', 'a trail document has "trail" or "run_id"', '');
  if (!['', 'run', 'digest', 'open'].includes(raw.role))
    reader.problem('document', '"role" is "run", "digest" or "open"', '/role', 0, { actual: raw.role.slice(0, 80) });
  const trail = raw.trail === '' ? `notify:${encodeID(raw.run_id)}` : raw.trail;
  const role = raw.role === '' ? roleOf(trail) : (raw.role as Role);
  const fromName = raw.run_id === '' && role === 'run' && trail.startsWith('notify:');
  const runId = raw.run_id !== '' ? raw.run_id : fromName ? trail.slice('notify:'.length) : undefined;
  return {
    ...records,
    format,
    trail,
    trailGiven: raw.trail !== '',
    runId,
    runIdEncoded: fromName,
    role,
    asOf: undefined,
    heads: undefined,
    proofs: [],
    journal: undefined,
    routing: undefined,
    settings: {},
    deliveries: undefined,
    open: undefined,
    ...more,
  };
}

/** Names at every depth but inside the records, which are looked at when they are decoded. */
function repeatedOutsideRecords(root: JsonNode & { kind: 'object' }, place: Place): void {
  const members = root.members.map((member) =>
    member.name === 'records'
      ? { ...member, value: { kind: 'null', start: member.value.start, end: member.value.end } as const }
      : member,
  );
  findRepeatedNames({ ...root, members }, place);
}

function readSegment(
  reader: Reader,
  raw: { name: string; day: string; records: readonly JsonNode[] | null },
  pointer: string,
): Segment {
  const day = dayNumber(raw.day === '' ? (segmentDay(raw.name) ?? '') : raw.day);
  if (raw.day !== '' && (day === undefined || !/^\d{4}-\d{2}-\d{2}$/.test(raw.day)))
    reader.problem('document', '"day" is a date such as 2026-10-13', `${pointer}/day`, 0, {
      actual: raw.day.slice(0, 80),
    });
  return {
    ...reader.list(raw.records ?? [], null, `${pointer}/records`),
    name: raw.name,
    day,
    pointer: `${pointer}/records`,
  };
}

function readProof(
  reader: Reader,
  raw: { index: JsonNode | null; first: JsonNode | null; size: number; path: TrailProof['path'] },
  i: number,
): TrailProof {
  const place = reader.place.at('proofs').at(i);
  const count = (value: JsonNode | null) => (value === null ? undefined : integer.read(value, place));
  const proof = { index: count(raw.index), first: count(raw.first), size: raw.size, path: raw.path };
  if ((proof.index === undefined) === (proof.first === undefined))
    reader.problem('document', 'a proof has "index" (inclusion) or "first" (consistency)', `/proofs/${i}`);
  return proof;
}

type JournalShape = NonNullable<ReturnType<typeof journalShape.read>>;

function journalFacts(reader: Reader, raw: JournalShape, pointer: string): JournalFacts {
  const keys = new Set<string>();
  raw.events?.forEach(({ key }, i) => {
    if (keys.has(key)) reader.problem('document', 'two events of the journal have one key', `${pointer}/events/${i}`);
    keys.add(key);
  });
  return {
    runId: raw.run_id,
    asOf: raw.as_of ?? undefined,
    complete: raw.complete,
    runEnded: raw.run_ended ?? undefined,
    runEndedAt: raw.run_ended_at ?? undefined,
    events: (raw.events ?? []).map((event) => ({
      key: event.key,
      kind: event.kind as JournalEvent['kind'],
      runId: event.run_id,
      at: event.at ?? undefined,
      current: event.current,
      approvers: event.approvers ?? undefined,
      resolvedAt: event.resolved_at ?? undefined,
    })),
  };
}

function routingOf(reader: Reader, raw: ReturnType<typeof routingShape.read>, pointer: string): Routing {
  const escalation = new Map([...(raw.escalation ?? [])].map(([kind, chain]) => [kind, chain ?? []] as const));
  const routing = { routes: raw.routes ?? new Map(), approverRoutes: raw.approver_routes ?? new Map(), escalation };
  for (const fault of routingFaults(routing)) reader.problem('routing', fault, pointer);
  return routing;
}

function readSettings(reader: Reader, raw: ReadonlyMap<string, JsonNode | null> | null): SettingValues {
  let values: SettingValues = {};
  for (const [name, value] of raw ?? []) {
    if (value === null) continue;
    const isCount = name === 'failing_after';
    const text =
      value.kind === 'string' && !isCount ? value.value : value.kind === 'number' && isCount ? value.text : undefined;
    const setting = text === undefined ? `"${name.slice(0, 80)}" is of another type` : readSetting(name, text);
    if (typeof setting === 'string') reader.problem('document', setting, `/settings/${name}`, value.start);
    else values = { ...values, ...setting };
  }
  return values;
}

/** A file that holds the `journal` member of a document. */
export function readJournalFacts(bytes: Uint8Array): Reading<JournalFacts> {
  return readMember(bytes, journalShape, (reader, raw) => journalFacts(reader, raw, ''));
}

/** A file that holds the operator's routing. */
export function readRouting(bytes: Uint8Array): Reading<Routing> {
  return readMember(bytes, routingShape, (reader, raw) => routingOf(reader, raw, ''));
}

/** A file that holds one signed head. */
export function readTrailHead(bytes: Uint8Array): Reading<TreeHead> {
  return readMember(bytes, headShape, (reader, head) => {
    if (head.format !== HEAD_FORMAT)
      reader.problem('head', 'this is no signed head', '/format', 0, {
        expected: HEAD_FORMAT,
        actual: head.format.slice(0, 80),
      });
    const fault = headShapeFault(head);
    if (fault !== undefined) reader.problem('head', `this head is of no shape that a head can have: ${fault}`, '');
    return head;
  });
}

function readMember<Raw, T>(bytes: Uint8Array, shape: Shape<Raw>, take: (reader: Reader, raw: Raw) => T): Reading<T> {
  const reader = new Reader(bytes);
  const root = reader.root();
  if (root === undefined) return reader.finish<T>(undefined);
  findRepeatedNames(root, reader.place);
  if (root.kind !== 'object') reader.problem('document', 'expected an object', '', root.start);
  return reader.finish(take(reader, shape.read(root, reader.place)));
}

/** A document or export of a segment or index, told apart by its name (15, `-open-trail`). */
export function asOpenPart(document: TrailDocument, pointer: string): { segment: Segment } | { index: Index } {
  const { trail: name, records, starts, leaves, leafKind, mismatched, heads } = document;
  const list = {
    records,
    starts,
    leaves,
    leafKind,
    mismatched,
    name,
    pointer,
    ...(heads === undefined ? {} : { heads }),
  };
  const year = indexYear(name);
  const holdsSegments = records.some((record) => 'kind' in record && record.kind === 'segment');
  if (year !== undefined || (segmentDay(name) === undefined && holdsSegments)) return { index: { ...list, year } };
  return { segment: { ...list, day: dayNumber(segmentDay(name) ?? '') } };
}

/** The open trail with further segments and indexes; a part of the same name as one that is there is left to `open` as given. */
export function mergeOpen(
  open: OpenTrail | undefined,
  parts: readonly ({ segment: Segment } | { index: Index })[],
  complete: boolean,
): OpenTrail {
  const segments = parts.flatMap((part) => ('segment' in part ? [part.segment] : []));
  const indexes = parts.flatMap((part) => ('index' in part ? [part.index] : []));
  return {
    complete: open?.complete ?? complete,
    segments: [...(open?.segments ?? []), ...segments],
    indexes: [...(open?.indexes ?? []), ...indexes],
  };
}
