/**
 * Values that records of the run's life hold as `result`: the start, the principal, limits, ends, sessions (journal 4.1, 4.6, 4.7, 5.5).
 * A later version's members are tolerated; a name that folds to a known one is refused.
 */

import {
  boolean,
  decode,
  integer,
  list,
  nullable,
  object,
  raw,
  type Shape,
  string,
  type ValueOf,
} from '../json/shape.ts';
import { decodeMessage, rawString } from './decode.ts';
import type { JournalRecord, Message, RawJson } from './record.ts';

const tolerate = { unknown: 'tolerate' } as const;

const PRINCIPAL = object({ on_behalf_of: string, authority_ref: string }, tolerate);
export type Principal = ValueOf<typeof PRINCIPAL>;

const START = object(
  {
    input: raw,
    saga: boolean,
    kind: string,
    session: nullable(object({ id: string, turn: nullable(integer as Shape<number | null>), key: string }, tolerate)),
    flow: nullable(object({ name: string }, tolerate)),
    typed: nullable(object({ mode: string, schema_digest: string, schema: raw }, tolerate)),
    settings: nullable(
      object(
        {
          max_turns: nullable(integer as Shape<number | null>),
          token_budget: nullable(integer as Shape<number | null>),
          system_prompt: nullable(string as Shape<string | null>),
          sampling: raw,
          tool_choice: raw,
        },
        tolerate,
      ),
    ),
    principal: nullable(PRINCIPAL),
    ancestors: list(PRINCIPAL),
    tools: list(string),
    ext: raw,
    started_at: string,
  },
  tolerate,
);
/** What a run was started with (journal 4.6). */
export type RunStart = ValueOf<typeof START>;

const RUN_PRINCIPAL_VALUE = object({ principal: nullable(PRINCIPAL), ancestors: list(PRINCIPAL) }, tolerate);
export type RunPrincipal = ValueOf<typeof RUN_PRINCIPAL_VALUE>;

const LIMITS = object(
  { max_turns: nullable(integer as Shape<number | null>), token_budget: nullable(integer as Shape<number | null>) },
  tolerate,
);
const END = object({ reason: string, aborted_at: string }, tolerate);
const SESSION_START = object({ input: string, message: raw, run_id: string, claim: string }, tolerate);
const SESSION_FROM = object({ turns: integer, digest: string }, tolerate);
const SESSION_TURN = object(
  { input: string, message: raw, answer: raw, cancelled: boolean, key: string, run_id: string, claim: string },
  tolerate,
);
const REQUEST = object({ tool_use_id: string, tool_name: string, args: raw, recorded_at: string }, tolerate);
const AWAIT_RESOLVED = object({ signaled: boolean, payload: raw }, tolerate);

export type SessionTurn = ValueOf<typeof SESSION_TURN>;
export type SessionFrom = ValueOf<typeof SESSION_FROM>;
export type SessionStart = ValueOf<typeof SESSION_START>;

/** Reads a value of a shape; undefined if it is not of it. */
export function readValue<T>(shape: Shape<T>, result: RawJson | undefined): T | undefined {
  if (result === undefined || result.length === 0) return undefined;
  const decoded = decode(shape, result);
  return decoded.ok ? decoded.value : undefined;
}

export const readRunStart = (result: RawJson | undefined) => readValue(START, result);
export const readRunPrincipal = (result: RawJson | undefined) => readValue(RUN_PRINCIPAL_VALUE, result);
export const readLimits = (result: RawJson | undefined) => readValue(LIMITS, result);
export const readSessionStart = (result: RawJson | undefined) => readValue(SESSION_START, result);
export const readSessionFrom = (result: RawJson | undefined) => readValue(SESSION_FROM, result);
export const readSessionTurn = (result: RawJson | undefined) => readValue(SESSION_TURN, result);
export const readRequest = (result: RawJson | undefined) => readValue(REQUEST, result);
export const readAwaitResolved = (result: RawJson | undefined) => readValue(AWAIT_RESOLVED, result);

/** Reason of an end marker: an object's `reason`, else a string's text, else nothing (journal 4.1). */
export function terminalText(record: JournalRecord): string {
  return readValue(END, record.result)?.reason ?? rawString(record.result) ?? '';
}

/** When a run ended: the marker's own time, for an abort without one the time that its value holds. */
export function endedAt(record: JournalRecord): string {
  if (record.recordedAt !== '') return record.recordedAt;
  return record.name === 'run:aborted' ? (readValue(END, record.result)?.aborted_at ?? '') : '';
}

/** A run's input: text is a user message, an absent one the empty message. Undefined if it is neither (journal 4.6). */
export function readInput(input: RawJson | null): Message | undefined {
  if (input === null) return { role: '', parts: [] };
  const text = rawString(input);
  if (text !== undefined) return { role: 'user', parts: [{ type: 'text', text }] };
  const read = decodeMessage(input);
  return read.ok ? read.message : undefined;
}

/** The text parts of a message, joined (journal 2.6). */
export function messageText(message: Message): string {
  return message.parts.map((part) => (part.type === 'text' ? part.text : '')).join('');
}
