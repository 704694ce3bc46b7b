/**
 * Stored bytes to what they say (journal 2.9, audit spec 1.2). One walk: a member that is not in its place, or is spelled otherwise than
 * a journal spells it, is a deviation; bytes that two readers could read differently are a problem of their own.
 */
import { decodeUtf8 } from '../bytes/encoding.ts';
import { KnownNames } from './known-names.ts';
import { END } from './members.ts';
import { MessageScanner } from './message.ts';
import { readPolicyShape } from './policy.ts';
import type {
  JournalRecord,
  Message,
  ModelIdentity,
  RawJson,
  RecordProblem,
  Safety,
  StoredRecord,
  Usage,
} from './record.ts';
import { blankRecord } from './record.ts';
import { NoRecord } from './scanner.ts';
import { isWellFormed } from './text.ts';
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

/** A member "redacted" is a tombstone's alone. */
const RECORD_NAMES = new KnownNames(
  MEMBERS.map(([name]) => name),
  'redacted',
);
const USAGE_NAMES = new KnownNames(['input_tokens', 'output_tokens', 'cache_read_tokens', 'cache_write_tokens']);
const MODEL_NAMES = new KnownNames(['provider', 'model', 'response_format']);
const SAFETY_NAMES = new KnownNames(['read_only', 'idempotent']);
const FINISHES = new KnownNames(['stop', 'tool_use']);
/** The kinds of journal 2.1; another one is read as any text is. */
const KINDS = new KnownNames([
  'model',
  'tool_result',
  'saga_fail',
  'value',
  'signal',
  'approval',
  'attempt',
  'not_started',
  'header',
]);

type Mutable<T> = { -readonly [Key in keyof T]: T[Key] };

/** Decodes record bytes that are no tombstone. */
export function decodeRecord(bytes: Uint8Array): Decoded {
  try {
    const record = reader.begin(bytes).record();
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
  try {
    const record = reader.begin(bytes).record();
    const { twoWays, deviation, unknown, members } = reader;
    if (twoWays !== undefined) return { ok: false, problem: twoWays };
    return { ok: true, stored: { position, name: record.name, bytes, record, deviation, unknown, members } };
  } catch (error) {
    if (error instanceof NoRecord) return { ok: false, problem: error.problem };
    throw error;
  }
}

/** Reads one message of its own bytes: a run's input, a session's answer (journal 2.6). */
export function decodeMessage(
  bytes: RawJson,
): { readonly ok: true; readonly message: Message } | { readonly ok: false; readonly problem: RecordProblem } {
  try {
    const message = reader.begin(bytes).message();
    reader.end();
    return reader.twoWays === undefined ? { ok: true, message } : { ok: false, problem: reader.twoWays };
  } catch (error) {
    if (error instanceof NoRecord) return { ok: false, problem: error.problem };
    throw error;
  }
}

class RecordScanner extends MessageScanner {
  /** Bits of the members that the record has. */
  members = 0;

  record(): JournalRecord {
    const record: Mutable<JournalRecord> = blankRecord();
    const members = this.open(RECORD_NAMES, 'a record, which is one JSON object');
    for (let index = this.member(members); index !== END; index = this.member(members)) this.#member(record, index);
    this.end();
    this.members = members.seen;
    // Name and kind are always written.
    if ((members.seen & 3) !== 3) this.deviate(0, 'a record without name and kind');
    return record;
  }

  #member(record: Mutable<JournalRecord>, index: number): void {
    switch (index) {
      case 0:
        record.name = this.text(true);
        break;
      case 1:
        record.kind = this.word(KINDS, true);
        break;
      case 2:
        record.message = this.null() ? undefined : this.message();
        break;
      case 3:
        record.usage = this.null() ? undefined : this.#usage();
        break;
      case 4:
        record.discardedUsage = this.null() ? undefined : this.#usage();
        break;
      case 5:
        record.finish = this.word(FINISHES);
        break;
      case 6:
        record.rawFinish = this.text();
        break;
      case 7:
        record.model = this.null() ? undefined : this.#model();
        break;
      case 8:
        record.promptDigest = this.text();
        break;
      case 9:
        record.toolsDigest = this.text();
        break;
      case 10:
        record.toolUseId = this.text();
        break;
      case 11:
        record.result = this.raw();
        break;
      case 12:
        record.isError = this.flag();
        break;
      case 13:
        record.approved = this.flag();
        break;
      case 14:
        record.approver = this.text();
        break;
      case 15:
        record.approverAlg = this.text();
        break;
      case 16:
        record.signature = this.someBytes();
        break;
      case 17:
        record.decidedAt = this.text();
        break;
      case 18:
        record.recordedAt = this.text();
        break;
      case 19:
        record.approverCert = this.#certificates();
        break;
      case 20:
        record.attemptedAt = this.int64();
        break;
      case 21:
        record.reconciled = this.flag();
        break;
      case 22:
        record.outcomeUnknown = this.flag();
        break;
      case 23:
        record.safety = this.null() ? undefined : this.#safety();
        break;
      case 24:
        record.approval = this.null() ? undefined : this.#policy();
        break;
      case 25:
        record.evidence = this.raw();
        break;
      case 26:
        record.format = this.text();
        break;
      case 27:
        record.claim = this.text();
        break;
      case 28:
        record.salt = this.someBytes();
        break;
    }
  }

  #certificates(): readonly Uint8Array[] | undefined {
    const certificates: Uint8Array[] = [];
    this.list(() => certificates.push(this.base64()));
    return certificates.length === 0 ? undefined : certificates;
  }

  #usage(): Usage {
    const usage = { inputTokens: 0, outputTokens: 0, cacheReadTokens: 0, cacheWriteTokens: 0 };
    const members = this.open(USAGE_NAMES, 'an object of usage');
    for (let index = this.member(members); index !== END; index = this.member(members)) {
      if (index === 0) usage.inputTokens = this.count();
      else if (index === 1) usage.outputTokens = this.count();
      else if (index === 2) usage.cacheReadTokens = this.count();
      else usage.cacheWriteTokens = this.count();
    }
    return usage;
  }

  #model(): ModelIdentity {
    const model = { provider: '', model: '', responseFormat: false };
    const members = this.open(MODEL_NAMES, 'an object of model identity');
    for (let index = this.member(members); index !== END; index = this.member(members)) {
      if (index === 0) model.provider = this.text();
      else if (index === 1) model.model = this.text();
      else model.responseFormat = this.flag();
    }
    return model;
  }

  #safety(): Safety {
    const safety = { readOnly: false, idempotent: false };
    const members = this.open(SAFETY_NAMES, 'an object of safety');
    for (let index = this.member(members); index !== END; index = this.member(members)) {
      if (index === 0) safety.readOnly = this.flag();
      else safety.idempotent = this.flag();
    }
    return safety;
  }

  #policy(): RawJson {
    this.peek();
    const at = this.at;
    const { deviation } = this;
    const raw = this.raw();
    // The policy has a spelling of its own (journal 2.8), judged on its bytes.
    this.deviation = deviation;
    const shape = readPolicyShape(raw);
    if (shape === undefined) this.wrong('a policy', at);
    if (!shape.canonical) this.deviate(at, 'the policy is spelled otherwise than a journal writes it');
    return raw;
  }
}

/** Reads all records, one after another. */
const reader = new RecordScanner();

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
