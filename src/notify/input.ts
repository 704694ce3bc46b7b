/**
 * The documents of a judgement: `bide-audit.notify-trail.v1`, `bide.audit.trail-export.v1`, and the files that stand for one of their
 * members (notifications 12). The document is decoded strictly, records are free-form JSON; the tree is let go of once it is read.
 */

import { findRepeatedNames, integer, Place, type Shape, type ShapeProblem } from '../json/shape.ts';
import { type JsonNode, parseTree } from '../json/tree.ts';
import { HEAD_FORMAT, headShape, headShapeFault, type TreeHead } from '../log/head.ts';
import type {
  Index,
  JournalEvent,
  JournalFacts,
  OpenTrail,
  RecordList,
  Segment,
  TrailDocument,
  TrailProof,
} from './document.ts';
import { dayNumber, encodeID, indexYear, type Role, roleOf, segmentDay } from './keys.ts';
import { type NotifyLeaf, readLeaf, repeatedName } from './leaf.ts';
import { canonicalRecord, decodeRecord, type TrailRecord } from './record.ts';
import { type Routing, routingFaults } from './routing.ts';
import { readSetting, type SettingValues } from './settings.ts';
import { documentShape, exportShape, journalShape, routingShape } from './shapes.ts';

export const TRAIL_FORMAT = 'bide-audit.notify-trail.v1';
export const TRAIL_EXPORT_FORMAT = 'bide.audit.trail-export.v1';
/** Records that one trail, segment or index may hold (15, "Limits"). */
export const MAX_RECORDS = 2_000_000;

/** Why a document cannot be used. */
export interface InputProblem extends ShapeProblem {
  /** `leaf` when a stored leaf is the reason, `limit` when there is too much. */
  readonly about: 'document' | 'leaf' | 'head' | 'routing' | 'limit';
}

export type Reading<T> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly problems: readonly InputProblem[] };

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

  /** Names stand once: of two parts of one name, one would go unjudged. */
  unique(names: readonly string[], pointer: string): void {
    const seen = new Set<string>();
    names.forEach((name, at) => {
      if (seen.has(name)) this.problem('document', 'two parts of the open trail have one name', `${pointer}/${at}`);
      seen.add(name);
    });
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
  for (const list of ['segments', 'indexes'] as const)
    reader.unique(
      (raw.open?.[list] ?? []).map(({ name }) => name),
      `/open/${list}`,
    );
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
