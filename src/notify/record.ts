/**
 * One notification record: its members, the kinds, what makes it usable, and when two are the same (notifications 2.4, 3, 4).
 */
import { compareUtf8, decodeUtf8, utf8 } from '../bytes/encoding.ts';
import { goString } from '../json/gojson.ts';
import type { JsonNode, JsonObject } from '../json/tree.ts';
import { formatInstant, type Instant } from '../time/instant.ts';
import { MAX_KEY_BYTES } from './keys.ts';
import { parseDuration, readTime } from './time.ts';

export type RunKind =
  | 'observed'
  | 'claimed'
  | 'acked'
  | 'failing'
  | 'overdue'
  | 'cleared'
  | 'failing_since'
  | 'recovered';
export type OpenKind = 'watch' | 'unwatch' | 'checkpoint' | 'seal' | 'backfilled';

export const RUN_KINDS: ReadonlySet<string> = new Set<RunKind>([
  'observed',
  'claimed',
  'acked',
  'failing',
  'overdue',
  'cleared',
  'failing_since',
  'recovered',
]);
export const OPEN_KINDS: ReadonlySet<string> = new Set<OpenKind>([
  'watch',
  'unwatch',
  'checkpoint',
  'seal',
  'backfilled',
]);
const EVENT_KINDS: ReadonlySet<string> = new Set(['observed', 'claimed', 'acked', 'failing', 'overdue', 'cleared']);

/** Whether a kind is one of the fourteen of 4.1; every other kind is foreign. */
export function isKnownKind(kind: string): boolean {
  return RUN_KINDS.has(kind) || OPEN_KINDS.has(kind) || kind === 'segment';
}

/** An event listed on the open trail (3, member 22). */
export interface Watching {
  readonly key: string;
  readonly runId: string;
  readonly at: Instant | undefined;
}

/** A usable record. Text members that are not set are empty, numbers 0, times undefined. */
export interface NotifyRecord {
  /** Position in the trail, from 0. */
  readonly index: number;
  readonly kind: string;
  readonly key: string;
  readonly runId: string;
  readonly at: Instant;
  readonly clockAt: Instant | undefined;
  readonly eventKind: string;
  readonly receiver: string;
  readonly level: number;
  readonly eventAt: Instant | undefined;
  readonly deadlineAt: Instant | undefined;
  readonly holder: string;
  readonly until: Instant | undefined;
  readonly firstSentAt: Instant | undefined;
  readonly attempts: number;
  readonly status: number;
  readonly failures: number;
  readonly latency: bigint;
  readonly opRun: string;
  readonly opKind: string;
  readonly opId: string;
  readonly watching: readonly Watching[];
  readonly backfilled: boolean;
  readonly backfills: number;
  readonly backfillAt: Instant | undefined;
  readonly backfillWindow: bigint;
  readonly next: string;
  readonly reason: string;
}

/** What stands in a trail where no usable record does. It keeps its position and takes part in nothing (4.3). */
export interface MalformedRecord {
  readonly index: number;
  /** In plain words, why it cannot be used. */
  readonly malformed: string;
}

export type TrailRecord = NotifyRecord | MalformedRecord;

export function isMalformed(record: TrailRecord): record is MalformedRecord {
  return 'malformed' in record;
}

type Shape = 's' | 't' | 'i' | 'b' | 'd' | 'o' | 'a';

/** The members in the order of the documentation, which is the order of canonical JSON (3). */
const MEMBERS: ReadonlyMap<string, Shape> = new Map<string, Shape>([
  ['kind', 's'],
  ['key', 's'],
  ['run_id', 's'],
  ['at', 't'],
  ['clock_at', 't'],
  ['event_kind', 's'],
  ['receiver', 's'],
  ['level', 'i'],
  ['event_at', 't'],
  ['deadline_at', 't'],
  ['holder', 's'],
  ['until', 't'],
  ['first_sent_at', 't'],
  ['attempts', 'i'],
  ['status', 'i'],
  ['auth', 'o'],
  ['failures', 'i'],
  ['latency', 'd'],
  ['op_run', 's'],
  ['op_kind', 's'],
  ['op_id', 's'],
  ['watching', 'a'],
  ['backfilled', 'b'],
  ['backfills', 'i'],
  ['backfill_at', 't'],
  ['backfill_window', 'd'],
  ['next', 's'],
  ['reason', 's'],
]);
const AUTH_MEMBERS: ReadonlyMap<string, Shape> = new Map<string, Shape>([
  ['signature', 's'],
  ['secret_slot', 's'],
  ['mtls', 'b'],
  ['client_spki', 's'],
  ['server_pinned', 'b'],
  ['custom_ca', 'b'],
  ['tls_version', 's'],
]);
const WATCHING_MEMBERS: ReadonlyMap<string, Shape> = new Map<string, Shape>([
  ['key', 's'],
  ['run_id', 's'],
  ['at', 't'],
]);

type Mutable<T> = { -readonly [name in keyof T]: T[name] };

function blank(index: number): Mutable<NotifyRecord> {
  return {
    index,
    kind: '',
    key: '',
    runId: '',
    at: 0n,
    clockAt: undefined,
    eventKind: '',
    receiver: '',
    level: 0,
    eventAt: undefined,
    deadlineAt: undefined,
    holder: '',
    until: undefined,
    firstSentAt: undefined,
    attempts: 0,
    status: 0,
    failures: 0,
    latency: 0n,
    opRun: '',
    opKind: '',
    opId: '',
    watching: NOTHING,
    backfilled: false,
    backfills: 0,
    backfillAt: undefined,
    backfillWindow: 0n,
    next: '',
    reason: '',
  };
}
const NOTHING: readonly Watching[] = [];

/**
 * Reads one record. A foreign kind is held only to what every record needs (an object, a kind, a time), since a newer writer may use a
 * member in its own way; a known kind whose member has another type than the table's is not usable.
 */
export function decodeRecord(node: JsonNode, index: number): TrailRecord {
  if (node.kind !== 'object') return { index, malformed: `it is ${article(node.kind)}, not an object` };
  const record = blank(index);
  let hasAt = false;
  let mistyped = '';
  for (const { name, value } of node.members) {
    if (value.kind === 'null') continue;
    let fits: boolean;
    switch (name) {
      case 'at': {
        const at = value.kind === 'string' ? readTime(value.value) : undefined;
        if (at === undefined) return { index, malformed: 'its "at" is not an RFC 3339 time' };
        if (at !== null) {
          record.at = at;
          hasAt = true;
        }
        continue;
      }
      case 'clock_at':
      case 'event_at':
      case 'deadline_at':
      case 'until':
      case 'first_sent_at':
      case 'backfill_at': {
        const time = value.kind === 'string' ? readTime(value.value) : undefined;
        if (time === undefined) return { index, malformed: `its "${name}" is not an RFC 3339 time` };
        if (time !== null) record[TIMES[name]] = time;
        continue;
      }
      case 'kind':
      case 'key':
      case 'run_id':
      case 'event_kind':
      case 'receiver':
      case 'holder':
      case 'op_run':
      case 'op_kind':
      case 'op_id':
      case 'next':
      case 'reason':
        fits = value.kind === 'string';
        if (value.kind === 'string') record[TEXTS[name]] = value.value;
        break;
      case 'level':
      case 'attempts':
      case 'status':
      case 'failures':
      case 'backfills': {
        const number = integer(value);
        fits = number !== undefined && number >= -MAX_COUNT && number <= MAX_COUNT;
        if (number !== undefined) record[name] = Number(number);
        break;
      }
      case 'latency': {
        const duration = durationOf(value);
        fits = duration !== undefined;
        if (duration !== undefined) record.latency = duration;
        break;
      }
      case 'backfill_window': {
        const duration = durationOf(value);
        fits = duration !== undefined;
        if (duration !== undefined) record.backfillWindow = duration;
        break;
      }
      case 'backfilled':
        fits = value.kind === 'true' || value.kind === 'false';
        record.backfilled = value.kind === 'true';
        break;
      case 'watching': {
        const watching = decodeWatching(value);
        fits = watching !== undefined;
        if (watching !== undefined) record.watching = watching;
        break;
      }
      case 'auth':
        fits = value.kind === 'object';
        break;
      default:
        continue;
    }
    if (!fits && mistyped === '') mistyped = name;
  }
  if (record.kind === '' || mistyped === 'kind') return { index, malformed: 'it has no "kind"' };
  if (!hasAt) return { index, malformed: 'it has no time ("at" is absent or the zero time)' };
  if (!isKnownKind(record.kind)) return record;
  if (mistyped !== '') return { index, malformed: `its "${mistyped}" has the wrong type` };
  const fault = missingMember(record);
  return fault === undefined ? record : { index, malformed: fault };
}

const TIMES = {
  clock_at: 'clockAt',
  event_at: 'eventAt',
  deadline_at: 'deadlineAt',
  until: 'until',
  first_sent_at: 'firstSentAt',
  backfill_at: 'backfillAt',
} as const;
const TEXTS = {
  kind: 'kind',
  key: 'key',
  run_id: 'runId',
  event_kind: 'eventKind',
  receiver: 'receiver',
  holder: 'holder',
  op_run: 'opRun',
  op_kind: 'opKind',
  op_id: 'opId',
  next: 'next',
  reason: 'reason',
} as const;
const MAX_COUNT = BigInt(Number.MAX_SAFE_INTEGER);

/** The rules 3 to 7 of 4.3, and the length of a key. */
function missingMember(record: NotifyRecord): string | undefined {
  const { kind, key } = record;
  if (EVENT_KINDS.has(kind) && key === '') return `a record of kind ${kind} needs a "key"`;
  if (key.length * 3 > MAX_KEY_BYTES && utf8(key).length > MAX_KEY_BYTES)
    return `its "key" is longer than ${MAX_KEY_BYTES} bytes`;
  if (kind === 'observed' && record.eventKind === '') return 'an observation needs an "event_kind"';
  if (kind === 'failing' && record.failures < 1) return 'a record of kind failing needs "failures" of at least 1';
  if ((kind === 'seal' || kind === 'segment') && record.next === '') return `a record of kind ${kind} needs a "next"`;
  if ((kind === 'failing_since' || kind === 'recovered') && key !== '') return `a record of kind ${kind} has no "key"`;
  return undefined;
}

function article(kind: string): string {
  return /^[aeiou]/.test(kind) ? `an ${kind}` : kind === 'null' ? 'null' : `a ${kind}`;
}

const INTEGER = /^-?(?:0|[1-9][0-9]{0,18})$/;

function integer(node: JsonNode): bigint | undefined {
  if (node.kind !== 'number' || !INTEGER.test(node.text)) return undefined;
  const value = BigInt(node.text);
  return BigInt.asIntN(64, value) === value ? value : undefined;
}

/** Nanoseconds as an integer; a Go duration string is taken too (17, item 10). */
function durationOf(node: JsonNode): bigint | undefined {
  return node.kind === 'string' ? parseDuration(node.value) : integer(node);
}

function decodeWatching(node: JsonNode): readonly Watching[] | undefined {
  if (node.kind !== 'array') return undefined;
  const list: Watching[] = [];
  for (const item of node.items) {
    if (item.kind !== 'object') return undefined;
    let [key, runId, at]: [string, string, Instant | undefined] = ['', '', undefined];
    for (const { name, value } of item.members) {
      if (value.kind === 'null') continue;
      if (name === 'key' || name === 'run_id') {
        if (value.kind !== 'string') return undefined;
        if (name === 'key') key = value.value;
        else runId = value.value;
      } else if (name === 'at') {
        const time = value.kind === 'string' ? readTime(value.value) : undefined;
        if (time === undefined) return undefined;
        at = time ?? undefined;
      }
    }
    list.push({ key, runId, at });
  }
  return list;
}

/** The canonical text of a record (2.4): known members in the table's order without zero values, then unknown ones sorted by name. */
export function canonicalRecord(node: JsonNode, bytes: Uint8Array): string {
  return node.kind === 'object' ? canonicalObject(node, bytes, MEMBERS) : compact(node, bytes);
}

/** Whether two records are the same: same canonical JSON, times by instant (2.4). */
export function sameRecord(a: JsonNode, aBytes: Uint8Array, b: JsonNode, bBytes: Uint8Array): boolean {
  return canonicalRecord(a, aBytes) === canonicalRecord(b, bBytes);
}

function canonicalObject(node: JsonObject, bytes: Uint8Array, table: ReadonlyMap<string, Shape>): string {
  const values = new Map<string, JsonNode>();
  for (const member of node.members) values.set(member.name, member.value);
  const parts: string[] = [];
  for (const [name, shape] of table) {
    const value = values.get(name);
    const text = value === undefined ? undefined : canonicalValue(value, shape, bytes);
    if (text !== undefined) parts.push(`${JSON.stringify(name)}:${text}`);
    else if (name === 'at' && table === MEMBERS) parts.push('"at":"0001-01-01T00:00:00Z"');
  }
  const unknown = [...values.keys()].filter((name) => !table.has(name)).sort(compareUtf8);
  for (const name of unknown) parts.push(`${JSON.stringify(name)}:${compact(values.get(name) as JsonNode, bytes)}`);
  return `{${parts.join(',')}}`;
}

/** Text of a member's value; undefined for the zero value. A value of another type is kept as it is spelled. */
function canonicalValue(node: JsonNode, shape: Shape, bytes: Uint8Array): string | undefined {
  if (node.kind === 'null' || (shape === 'b' && node.kind === 'false')) return undefined;
  if (shape === 's' && node.kind === 'string') return node.value === '' ? undefined : JSON.stringify(node.value);
  if (shape === 't' && node.kind === 'string') {
    const time = readTime(node.value);
    if (time === null) return undefined;
    return JSON.stringify(time === undefined ? node.value : formatInstant(time));
  }
  if (shape === 'i' || shape === 'd') {
    const number = shape === 'd' ? durationOf(node) : integer(node);
    if (number !== undefined) return number === 0n ? undefined : number.toString();
  }
  if (shape === 'a' && node.kind === 'array') {
    if (node.items.length === 0) return undefined;
    const items = node.items.map((item) =>
      item.kind === 'object' ? canonicalObject(item, bytes, WATCHING_MEMBERS) : compact(item, bytes),
    );
    return `[${items.join(',')}]`;
  }
  if (shape === 'o' && node.kind === 'object') {
    const text = canonicalObject(node, bytes, AUTH_MEMBERS);
    return text === '{}' ? undefined : text;
  }
  return compact(node, bytes);
}

/** The JSON text of a value without white space between its tokens, spelled as it is. */
function compact(node: JsonNode, bytes: Uint8Array): string {
  const text = decodeUtf8(bytes.subarray(node.start, node.end)) as string;
  return text.replace(/("(?:[^"\\]|\\.)*")|[ \t\r\n]+/gs, '$1');
}

/** A record of the writer's side: what `encodeRecord` writes, zero values left out. */
export type RecordFields = Partial<Omit<NotifyRecord, 'index'>> & {
  readonly kind: string;
  readonly at: Instant;
  /** How a delivery was authenticated (3.1). */
  readonly auth?: Readonly<Record<string, string | boolean>>;
};

const FIELD_OF: Readonly<Record<string, keyof RecordFields>> = {
  ...TEXTS,
  ...TIMES,
  at: 'at',
  level: 'level',
  attempts: 'attempts',
  status: 'status',
  auth: 'auth',
  failures: 'failures',
  latency: 'latency',
  watching: 'watching',
  backfilled: 'backfilled',
  backfills: 'backfills',
  backfill_window: 'backfillWindow',
};

/**
 * The JSON text of a record, members in the order of the table, zero values left out except `at` (audit 7.3). Strings are escaped as Go's MARSHAL mode does.
 *
 * @throws RangeError if a text holds half of a surrogate pair.
 */
export function encodeRecord(record: RecordFields): string {
  const parts: string[] = [];
  for (const [name, shape] of MEMBERS) {
    const text = encodeValue(record[FIELD_OF[name] as keyof RecordFields], shape);
    if (text !== undefined) parts.push(`"${name}":${text}`);
  }
  return `{${parts.join(',')}}`;
}

function encodeValue(value: RecordFields[keyof RecordFields], shape: Shape): string | undefined {
  if (value === undefined || value === '' || value === 0 || value === 0n || value === false) {
    // Only a time may be zero and set: nanosecond 0 is 1970-01-01T00:00:00Z.
    if (!(shape === 't' && value === 0n)) return undefined;
  }
  if (shape === 't') return `"${formatInstant(value as Instant)}"`;
  if (typeof value === 'string') return goString(value, 'MARSHAL');
  if (shape === 'a') {
    const items = (value as readonly Watching[]).map((item) => {
      const run = item.runId === '' ? '' : `,"run_id":${goString(item.runId, 'MARSHAL')}`;
      const at = item.at === undefined ? '' : `,"at":"${formatInstant(item.at)}"`;
      return `{"key":${goString(item.key, 'MARSHAL')}${run}${at}}`;
    });
    return items.length === 0 ? undefined : `[${items.join(',')}]`;
  }
  if (shape === 'o') {
    const auth = value as Readonly<Record<string, string | boolean>>;
    const members = [...AUTH_MEMBERS.keys()].flatMap((name) => {
      const member = auth[name];
      if (member === undefined || member === '' || member === false) return [];
      return [`"${name}":${typeof member === 'string' ? goString(member, 'MARSHAL') : 'true'}`];
    });
    return `{${members.join(',')}}`;
  }
  return String(value);
}
