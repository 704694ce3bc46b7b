/**
 * What a stored record says, member by member (journal 2.1 to 2.7), and how it is kept: always with the bytes that say it. A string
 * member that is left out is the empty string, a flag false, a number zero, a pointer undefined (audit spec 0.5 rule 11).
 *
 * Raw JSON (results, arguments, evidence, policies) is never decoded here: it stays the bytes that were stored (journal 2.5).
 */

/** One JSON value as its bytes. */
export type RawJson = Uint8Array;

/** The four counts of a model call; they do not overlap (journal 2.7). */
export interface Usage {
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly cacheReadTokens: number;
  readonly cacheWriteTokens: number;
}

export interface ModelIdentity {
  readonly provider: string;
  readonly model: string;
  readonly responseFormat: boolean;
}

/** `{}` is a side effect; retry-safe means that either flag is set (journal 2.7). */
export interface Safety {
  readonly readOnly: boolean;
  readonly idempotent: boolean;
}

export interface TextPart {
  readonly type: 'text';
  readonly text: string;
}
export interface ReasoningPart {
  readonly type: 'reasoning';
  readonly text: string;
  readonly signature: string;
  readonly redacted: string;
}
export interface ToolUsePart {
  readonly type: 'tool_use';
  readonly id: string;
  readonly name: string;
  readonly args: RawJson | undefined;
  readonly signature: string;
}
export interface ToolResultPart {
  readonly type: 'tool_result';
  readonly toolUseId: string;
  readonly result: RawJson | undefined;
  readonly isError: boolean;
}
export interface ImagePart {
  readonly type: 'image';
  readonly mime: string;
  readonly url: string;
  readonly data: Uint8Array | undefined;
}
export type Part = TextPart | ReasoningPart | ToolUsePart | ToolResultPart | ImagePart;

export interface Message {
  readonly role: string;
  readonly parts: readonly Part[];
}

/** The 29 members of a record, in written order (journal 2.1). */
export interface JournalRecord {
  readonly name: string;
  readonly kind: string;
  readonly message: Message | undefined;
  readonly usage: Usage | undefined;
  readonly discardedUsage: Usage | undefined;
  readonly finish: string;
  readonly rawFinish: string;
  readonly model: ModelIdentity | undefined;
  readonly promptDigest: string;
  readonly toolsDigest: string;
  /** For the attempt of a step: the name of the step. */
  readonly toolUseId: string;
  readonly result: RawJson | undefined;
  readonly isError: boolean;
  readonly approved: boolean;
  readonly approver: string;
  readonly approverAlg: string;
  readonly signature: Uint8Array | undefined;
  readonly decidedAt: string;
  readonly recordedAt: string;
  /** DER certificates, leaf first. */
  readonly approverCert: readonly Uint8Array[] | undefined;
  /** Unix milliseconds; 0 where there is none. */
  readonly attemptedAt: bigint;
  readonly reconciled: boolean;
  readonly outcomeUnknown: boolean;
  readonly safety: Safety | undefined;
  /** The gate's policy as stored; `src/approval` reads it. */
  readonly approval: RawJson | undefined;
  readonly evidence: RawJson | undefined;
  readonly format: string;
  readonly claim: string;
  readonly salt: Uint8Array | undefined;
}

/** What stands in place of a redacted record (journal 2.10, audit spec 1.3). */
export interface Tombstone {
  /** The leaf hash of the record that stood here, 32 bytes. */
  readonly leafHash: Uint8Array;
  readonly atMs: bigint;
}

interface Stored {
  /** Index in journal order, from 0. */
  readonly position: number;
  /** The name inside the record; a tombstone has none in an export (journal 2.10). */
  readonly name: string;
  /** The stored bytes, which every hash is over. */
  readonly bytes: Uint8Array;
}
export interface ReadableRecord extends Stored {
  readonly record: JournalRecord;
  readonly tombstone?: undefined;
  /** The first byte at which the stored bytes are not what a journal writes (journal 2.9); unknown members are no deviation. */
  readonly deviation: RecordProblem | undefined;
  /** Members that this version does not know: a newer writer's. */
  readonly unknown: readonly string[];
  /** Which of the 29 members stand in the bytes: bit i for member i of journal 2.1, counted from 0. */
  readonly members: number;
}
export interface RedactedRecord extends Stored {
  readonly tombstone: Tombstone;
  readonly record?: undefined;
}
/** A record of a journal, readable one way, or the tombstone in its place. */
export type StoredRecord = ReadableRecord | RedactedRecord;

/** Why bytes are no record, read two ways, or are not canonical. */
export interface RecordProblem {
  readonly kind:
    | 'not-json'
    | 'too-deep'
    | 'not-a-record'
    | 'unknown-part'
    | 'invalid-utf8'
    | 'repeated-name'
    | 'case-variant'
    | 'lone-surrogate'
    | 'redacted-member'
    | 'bad-tombstone'
    | 'not-canonical';
  /** Offset into the record's bytes. */
  readonly at: number;
  readonly message: string;
}

/** One run's records in journal order. */
export interface Journal {
  readonly run: string;
  /** What the header says, supported or not. */
  readonly format: string;
  readonly records: readonly StoredRecord[];
}

/**
 * A new record with every member at its zero value, to be filled while decoding. Engines make objects of a literal several times as fast as
 * copies of an object.
 */
export function blankRecord(): { -readonly [Key in keyof JournalRecord]: JournalRecord[Key] } {
  return {
    name: '',
    kind: '',
    message: undefined,
    usage: undefined,
    discardedUsage: undefined,
    finish: '',
    rawFinish: '',
    model: undefined,
    promptDigest: '',
    toolsDigest: '',
    toolUseId: '',
    result: undefined,
    isError: false,
    approved: false,
    approver: '',
    approverAlg: '',
    signature: undefined,
    decidedAt: '',
    recordedAt: '',
    approverCert: undefined,
    attemptedAt: 0n,
    reconciled: false,
    outcomeUnknown: false,
    safety: undefined,
    approval: undefined,
    evidence: undefined,
    format: '',
    claim: '',
    salt: undefined,
  };
}

/** What a record that is being written starts from. */
export const EMPTY_RECORD: JournalRecord = Object.freeze(blankRecord());
