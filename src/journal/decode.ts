/**
 * Stored bytes to what they say (journal 2.9, audit spec 1.2). One walk: a member that is not in its place, or is spelled otherwise than
 * a journal spells it, is a deviation; bytes that two readers could read differently are a problem of their own.
 */
import { decodeUtf8, unbase64 } from '../bytes/encoding.ts';
import { foldName } from '../json/shape.ts';
import { readPolicyShape } from './policy.ts';
import type {
  JournalRecord,
  Message,
  ModelIdentity,
  Part,
  RawJson,
  RecordProblem,
  Safety,
  StoredRecord,
  Usage,
} from './record.ts';
import { blankRecord } from './record.ts';
import { NoRecord, Scanner } from './scanner.ts';
import { isWellFormed, quote } from './text.ts';
import { looksLikeTombstone, readTombstone } from './tombstone.ts';

export type Decoded =
  | {
      readonly ok: true;
      readonly record: JournalRecord;
      /** Set when the bytes read two ways: what the record says must not be relied on (audit spec 1.2). */
      readonly twoWays: RecordProblem | undefined;
      readonly deviation: RecordProblem | undefined;
      readonly unknown: readonly string[];
      /** Bit i is set when member i of `MEMBERS` is there. */
      readonly members: number;
    }
  | { readonly ok: false; readonly problem: RecordProblem };

type Slot = keyof JournalRecord;

/** The members in written order (journal 2.1). */
export const MEMBERS: readonly (readonly [name: string, slot: Slot])[] = [
  ['name', 'name'],
  ['kind', 'kind'],
  ['message', 'message'],
  ['usage', 'usage'],
  ['discarded_usage', 'discardedUsage'],
  ['finish', 'finish'],
  ['raw_finish', 'rawFinish'],
  ['model', 'model'],
  ['prompt_digest', 'promptDigest'],
  ['tools_digest', 'toolsDigest'],
  ['tool_use_id', 'toolUseId'],
  ['result', 'result'],
  ['is_error', 'isError'],
  ['approved', 'approved'],
  ['approver', 'approver'],
  ['approver_alg', 'approverAlg'],
  ['signature', 'signature'],
  ['decided_at', 'decidedAt'],
  ['recorded_at', 'recordedAt'],
  ['approver_cert', 'approverCert'],
  ['attempted_at', 'attemptedAt'],
  ['reconciled', 'reconciled'],
  ['outcome_unknown', 'outcomeUnknown'],
  ['safety', 'safety'],
  ['approval', 'approval'],
  ['evidence', 'evidence'],
  ['format', 'format'],
  ['claim', 'claim'],
  ['salt', 'salt'],
];

const known = (names: readonly string[]) => new Map(names.map((name, index) => [name, index] as const));
const RECORD_NAMES = known(MEMBERS.map(([name]) => name));
const MESSAGE_NAMES = known(['role', 'parts']);
const USAGE_NAMES = known(['input_tokens', 'output_tokens', 'cache_read_tokens', 'cache_write_tokens']);
const MODEL_NAMES = known(['provider', 'model', 'response_format']);
const SAFETY_NAMES = known(['read_only', 'idempotent']);
/** Members of a part are sorted by name, the tag among them (journal 2.6). */
interface PartTable {
  readonly names: ReadonlyMap<string, number>;
  readonly order: readonly string[];
  /** Bits of the members that are written even when empty. */
  readonly always: number;
}
const partTable = (order: readonly string[], always: readonly string[]): PartTable => ({
  names: known(order),
  order,
  always: always.reduce((bits, name) => bits | (1 << order.indexOf(name)), 0),
});
const PARTS: ReadonlyMap<string, PartTable> = new Map([
  ['text', partTable(['text', 'type'], ['text', 'type'])],
  ['reasoning', partTable(['redacted', 'signature', 'text', 'type'], ['text', 'type'])],
  ['tool_use', partTable(['args', 'id', 'name', 'signature', 'type'], ['id', 'name', 'type'])],
  ['tool_result', partTable(['is_error', 'result', 'tool_use_id', 'type'], ['tool_use_id', 'type'])],
  ['image', partTable(['data', 'mime', 'type', 'url'], ['type'])],
]);

type Mutable<T> = { -readonly [Key in keyof T]: T[Key] };

/** Decodes record bytes that are no tombstone. */
export function decodeRecord(bytes: Uint8Array): Decoded {
  const reader = new RecordReader(bytes);
  try {
    const record = reader.record();
    const { twoWays, deviation, unknown, members } = reader;
    return { ok: true, record, twoWays, deviation, unknown, members };
  } catch (error) {
    if (error instanceof NoRecord) return { ok: false, problem: error.problem };
    throw error;
  }
}

export type StoredReading =
  | { readonly ok: true; readonly stored: StoredRecord }
  | { readonly ok: false; readonly problem: RecordProblem };

/** Reads what a store holds at one position: a record that reads one way, or a tombstone. */
export function readStored(bytes: Uint8Array, position: number): StoredReading {
  if (looksLikeTombstone(bytes)) {
    const read = readTombstone(bytes);
    return read.ok ? { ok: true, stored: { position, name: '', bytes, tombstone: read.tombstone } } : read;
  }
  const read = decodeRecord(bytes);
  if (!read.ok) return read;
  if (read.twoWays !== undefined) return { ok: false, problem: read.twoWays };
  const { record, deviation, unknown, members } = read;
  return { ok: true, stored: { position, name: record.name, bytes, record, deviation, unknown, members } };
}

/** Reads one message of its own bytes: a run's input, a session's answer (journal 2.6). */
export function decodeMessage(
  bytes: RawJson,
): { readonly ok: true; readonly message: Message } | { readonly ok: false; readonly problem: RecordProblem } {
  const reader = new RecordReader(bytes);
  try {
    const message = reader.wholeMessage();
    return reader.twoWays === undefined ? { ok: true, message } : { ok: false, problem: reader.twoWays };
  } catch (error) {
    if (error instanceof NoRecord) return { ok: false, problem: error.problem };
    throw error;
  }
}

class RecordReader extends Scanner {
  members = 0;
  #unknown: string[] | undefined;

  get unknown(): readonly string[] {
    return this.#unknown ?? NONE;
  }

  record(): JournalRecord {
    const record: Mutable<JournalRecord> = blankRecord();
    const seen = this.#object(RECORD_NAMES, 'a record', (index) => {
      switch (index) {
        case 0:
          record.name = this.#text(true);
          break;
        case 1:
          record.kind = this.#text(true);
          break;
        case 2:
          record.message = this.#pointer(() => this.#message());
          break;
        case 3:
          record.usage = this.#pointer(() => this.#usage());
          break;
        case 4:
          record.discardedUsage = this.#pointer(() => this.#usage());
          break;
        case 5:
          record.finish = this.#text();
          break;
        case 6:
          record.rawFinish = this.#text();
          break;
        case 7:
          record.model = this.#pointer(() => this.#model());
          break;
        case 8:
          record.promptDigest = this.#text();
          break;
        case 9:
          record.toolsDigest = this.#text();
          break;
        case 10:
          record.toolUseId = this.#text();
          break;
        case 11:
          record.result = this.raw();
          break;
        case 12:
          record.isError = this.#flag();
          break;
        case 13:
          record.approved = this.#flag();
          break;
        case 14:
          record.approver = this.#text();
          break;
        case 15:
          record.approverAlg = this.#text();
          break;
        case 16:
          record.signature = this.#bytes();
          break;
        case 17:
          record.decidedAt = this.#text();
          break;
        case 18:
          record.recordedAt = this.#text();
          break;
        case 19:
          record.approverCert = this.#certificates();
          break;
        case 20:
          record.attemptedAt = this.#int64();
          break;
        case 21:
          record.reconciled = this.#flag();
          break;
        case 22:
          record.outcomeUnknown = this.#flag();
          break;
        case 23:
          record.safety = this.#pointer(() => this.#safety());
          break;
        case 24:
          record.approval = this.#pointer(() => this.#policy());
          break;
        case 25:
          record.evidence = this.raw();
          break;
        case 26:
          record.format = this.#text();
          break;
        case 27:
          record.claim = this.#text();
          break;
        case 28:
          record.salt = this.#bytes();
          break;
      }
    });
    this.end();
    this.members = seen;
    // Name and kind are always written.
    if ((seen & 3) !== 3) this.deviate(0, 'a record without name and kind');
    return record;
  }

  wholeMessage(): Message {
    const message = this.#message();
    this.end();
    return message;
  }

  /**
   * Walks an object of known names; `take` reads the value of one. Order, repetition and case variants are judged here. Gives the bits of
   * the members that were there.
   */
  #object(names: ReadonlyMap<string, number>, what: string, take: (index: number) => void): number {
    if (this.peek() !== 0x7b) this.wrong(what === 'a record' ? 'a record, which is one JSON object' : what);
    this.at++;
    if (this.takes(0x7d)) return 0;
    let seen = 0;
    let last = -1;
    let others: Set<string> | undefined;
    do {
      this.peek();
      const at = this.at;
      const name = this.name();
      this.take(0x3a, '":" after a member name');
      const index = names.get(name);
      if (index !== undefined) {
        if ((seen & (1 << index)) !== 0) this.ambiguous('repeated-name', at, `the member ${quote(name)} comes twice`);
        else if (index < last) this.deviate(at, `the member ${quote(name)} does not stand in its place`);
        seen |= 1 << index;
        last = index;
        take(index);
      } else {
        others ??= new Set();
        if (others.has(name)) this.ambiguous('repeated-name', at, `the member ${quote(name)} comes twice`);
        others.add(name);
        this.#unknownMember(names, name, at);
      }
    } while (this.takes(0x2c));
    this.take(0x7d, '"," or "}"');
    return seen;
  }

  /** A later version's member is kept aside; one that folds to a known name is read differently by other readers. */
  #unknownMember(names: ReadonlyMap<string, number>, name: string, at: number): void {
    const folded = foldName(name);
    if (names.has(folded))
      this.ambiguous('case-variant', at, `the member ${quote(name)} is ${quote(folded)} to readers that ignore case`);
    else if (names === RECORD_NAMES && folded === 'redacted')
      this.ambiguous('redacted-member', at, 'a record holds a member "redacted", which only a tombstone has');
    if (this.#unknown === undefined) this.#unknown = [name];
    else this.#unknown.push(name);
    const deviation = this.deviation;
    this.skip();
    // White space inside a member that is not read does not make the rest of the record foreign.
    this.deviation = deviation;
    if (this.loneSurrogateAt >= 0) this.#lone(this.loneSurrogateAt);
  }

  #lone(at: number): void {
    this.ambiguous('lone-surrogate', at, 'an escape gives half a surrogate pair, which readers replace differently');
  }

  #pointer<T>(read: () => T): T | undefined {
    return this.null() ? undefined : read();
  }

  #text(always = false): string {
    const at = this.at;
    if (this.null()) return '';
    const text = this.string();
    if (text === '' && !always) this.deviate(at, 'an empty string is written where it is left out');
    return text;
  }

  #flag(): boolean {
    const at = this.at;
    if (this.null()) return false;
    const flag = this.boolean();
    if (!flag) this.deviate(at, 'false is written where it is left out');
    return flag;
  }

  #int64(): bigint {
    const at = this.at;
    if (this.null()) return 0n;
    const text = this.integer();
    const value = text.length > 20 ? undefined : BigInt(text);
    if (value === undefined || BigInt.asIntN(64, value) !== value) this.wrong('an integer of 64 bits', at);
    if (value === 0n) this.deviate(at, 'zero is written where it is left out');
    return value;
  }

  #count(): number {
    const at = this.at;
    if (this.null()) return 0;
    const value = Number(this.integer());
    if (!Number.isSafeInteger(value)) this.wrong('a count below 2^53', at);
    if (value === 0) this.deviate(at, 'zero is written where it is left out');
    return value === 0 ? 0 : value;
  }

  #bytes(): Uint8Array | undefined {
    const at = this.at;
    if (this.null()) return undefined;
    const bytes = this.#base64();
    if (bytes.length > 0) return bytes;
    this.deviate(at, 'empty bytes are written where they are left out');
    return undefined;
  }

  #base64(): Uint8Array {
    this.peek();
    const at = this.at;
    const text = this.string();
    const strict = unbase64(text);
    if (strict !== undefined) return strict;
    this.deviate(at, 'the base64 is not spelled as a journal spells it');
    const lenient = lenientBase64(text);
    if (lenient === undefined) this.wrong('bytes in base64', at);
    return lenient;
  }

  #certificates(): readonly Uint8Array[] | undefined {
    const at = this.at;
    if (this.null()) return undefined;
    const list: Uint8Array[] = [];
    this.#list(() => list.push(this.#base64()));
    if (list.length > 0) return list;
    this.deviate(at, 'an empty list is written where it is left out');
    return undefined;
  }

  #list(take: () => void): void {
    if (this.peek() !== 0x5b) this.wrong('a list');
    this.at++;
    if (this.takes(0x5d)) return;
    do take();
    while (this.takes(0x2c));
    this.take(0x5d, '"," or "]"');
  }

  #usage(): Usage {
    const counts = [0, 0, 0, 0];
    this.#object(USAGE_NAMES, 'an object of usage', (index) => {
      counts[index] = this.#count();
    });
    const [inputTokens, outputTokens, cacheReadTokens, cacheWriteTokens] = counts as [number, number, number, number];
    return { inputTokens, outputTokens, cacheReadTokens, cacheWriteTokens };
  }

  #model(): ModelIdentity {
    const model = { provider: '', model: '', responseFormat: false };
    this.#object(MODEL_NAMES, 'an object of model identity', (index) => {
      if (index === 0) model.provider = this.#text();
      else if (index === 1) model.model = this.#text();
      else model.responseFormat = this.#flag();
    });
    return model;
  }

  #safety(): Safety {
    const safety = { readOnly: false, idempotent: false };
    this.#object(SAFETY_NAMES, 'an object of safety', (index) => {
      if (index === 0) safety.readOnly = this.#flag();
      else safety.idempotent = this.#flag();
    });
    return safety;
  }

  #policy(): RawJson {
    this.peek();
    const at = this.at;
    const deviation = this.deviation;
    const raw = this.raw();
    // The policy has a spelling of its own (journal 2.8), judged on its bytes.
    this.deviation = deviation;
    const shape = readPolicyShape(raw);
    if (shape === undefined) this.wrong('a policy', at);
    if (!shape.canonical) this.deviate(at, 'the policy is spelled otherwise than a journal writes it');
    return raw;
  }

  #message(): Message {
    let role = '';
    const parts: Part[] = [];
    const seen = this.#object(MESSAGE_NAMES, 'a message', (index) => {
      if (index === 0) role = this.#text(true);
      else {
        const at = this.at;
        if (this.null()) return;
        this.#list(() => parts.push(this.#part()));
        if (parts.length === 0) this.deviate(at, 'an empty list is written where it is left out');
      }
    });
    if ((seen & 1) === 0) this.deviate(this.at - 1, 'a message without role');
    return { role, parts };
  }

  /** The type decides what the other members are, and stands last: first it is looked for, then the part is read. */
  #part(): Part {
    this.peek();
    const start = this.at;
    const type = this.#partType();
    const table = PARTS.get(type);
    if (table === undefined)
      throw new NoRecord('unknown-part', start, `a message part has the unknown type ${quote(type)}`);
    this.at = start;
    switch (type) {
      case 'text': {
        const part = { type, text: '' } as const as Mutable<Extract<Part, { type: 'text' }>>;
        this.#members(table, (name) => {
          if (name === 'text') part.text = this.#text(true);
          else this.string();
        });
        return part;
      }
      case 'reasoning': {
        const part = { type, text: '', signature: '', redacted: '' } as Mutable<Extract<Part, { type: 'reasoning' }>>;
        this.#members(table, (name) => {
          if (name === 'text') part.text = this.#text(true);
          else if (name === 'signature') part.signature = this.#text();
          else if (name === 'redacted') part.redacted = this.#text();
          else this.string();
        });
        return part;
      }
      case 'tool_use': {
        const part = { type, id: '', name: '', args: undefined, signature: '' } as Mutable<
          Extract<Part, { type: 'tool_use' }>
        >;
        this.#members(table, (name) => {
          if (name === 'args') part.args = this.raw();
          else if (name === 'id') part.id = this.#text(true);
          else if (name === 'name') part.name = this.#text(true);
          else if (name === 'signature') part.signature = this.#text();
          else this.string();
        });
        return part;
      }
      case 'tool_result': {
        const part = { type, toolUseId: '', result: undefined, isError: false } as Mutable<
          Extract<Part, { type: 'tool_result' }>
        >;
        this.#members(table, (name) => {
          if (name === 'result') part.result = this.raw();
          else if (name === 'is_error') part.isError = this.#flag();
          else if (name === 'tool_use_id') part.toolUseId = this.#text(true);
          else this.string();
        });
        return part;
      }
      default: {
        const part = { type: 'image', mime: '', url: '', data: undefined } as Mutable<Extract<Part, { type: 'image' }>>;
        this.#members(table, (name) => {
          if (name === 'data') part.data = this.#bytes();
          else if (name === 'mime') part.mime = this.#text();
          else if (name === 'url') part.url = this.#text();
          else this.string();
        });
        return part;
      }
    }
  }

  /** Reads a part whose type is known. */
  #members(table: PartTable, take: (name: string) => void): void {
    const seen = this.#object(table.names, 'a message part', (index) => take(table.order[index] as string));
    if ((seen & table.always) !== table.always)
      this.deviate(this.at - 1, 'a part lacks a member that is always written');
  }

  /** The `type` of the part that begins here. */
  #partType(): string {
    const kept = { deviation: this.deviation, twoWays: this.twoWays };
    let type: string | undefined;
    if (this.peek() !== 0x7b) this.wrong('a message part, which is an object');
    this.at++;
    if (!this.takes(0x7d)) {
      do {
        const name = this.name();
        this.take(0x3a, '":" after a member name');
        if (name === 'type' && this.peek() === 0x22) type = this.string();
        else this.skip();
      } while (this.takes(0x2c));
      this.take(0x7d, '"," or "}"');
    }
    this.deviation = kept.deviation;
    this.twoWays = kept.twoWays;
    if (type === undefined) this.wrong('a message part with a type');
    return type;
  }
}

const NONE: readonly string[] = [];

/** Base64 as the original reads it: CR and LF are ignored, unused bits tolerated (journal 2.9). */
function lenientBase64(text: string): Uint8Array | undefined {
  const bare = text.replace(/[\r\n]/g, '');
  const strict = unbase64(bare);
  if (strict !== undefined) return strict;
  const padding = bare.endsWith('==') ? 2 : bare.endsWith('=') ? 1 : 0;
  if (padding === 0 || bare.length % 4 !== 0) return undefined;
  // The last character before the padding may have bits set that mean nothing: clear them and try again.
  const at = bare.length - padding - 1;
  const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';
  const value = alphabet.indexOf(bare[at] as string);
  if (value < 0) return undefined;
  const cleared = alphabet[value & (padding === 2 ? 0x30 : 0x3c)] as string;
  return unbase64(bare.slice(0, at) + cleared + bare.slice(at + 1));
}

/** Text of a raw JSON string; undefined if the value is no string or reads two ways. */
export function rawString(raw: RawJson | undefined): string | undefined {
  if (raw === undefined || raw[0] !== 0x22) return undefined;
  const text = decodeUtf8(raw);
  if (text === undefined) return undefined;
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'string' && isWellFormed(value) ? value : undefined;
  } catch {
    return undefined;
  }
}
