/**
 * Every name that the engine gives a record: built, and parsed back (journal 3.2 to 3.4). Ids that a model chose come in raw and are escaped
 * here; names that a developer chose are used as they are.
 */
import { utf8 } from '../bytes/encoding.ts';
import { decodeId, encodeId, isEncodedId } from './run-id.ts';
import { GATE_PREFIXES, GATE_RECORDS } from './spellings.ts';

export const HEADER_NAME = '@journal';
export const HEADER_FORMAT = 'bide.journal.v1-dev';
export const RUN_START = 'run:start';
export const RUN_PRINCIPAL = 'run:principal';
export const RUN_COMPLETE = 'run:complete';
export const RUN_ABORTED = 'run:aborted';
export const RUN_CANCELLED = 'run:cancelled';
export const RUN_CANCEL_REQUESTED = 'run:cancel-requested';

/** Keys by what they hold. */
export const names = {
  limits: (n: number) => `run:limits:${n}`,
  turn: (n: number) => `@llm/${n}`,
  spend: (id: string) => `@spend/${id}`,
  lateSpend: (id: string) => `@spend-late/${id}`,
  retrieval: (layer: number) => `@retrieval/${layer}`,
  tool: (toolUseId: string) => `tool:${encodeId(toolUseId)}`,
  toolAttempt: (toolUseId: string) => `attempt:tool:${encodeId(toolUseId)}`,
  stepAttempt: (step: string) => `attempt:step:${step}`,
  decision: (toolUseId: string) => `approval:${encodeId(toolUseId)}`,
  signedDecision: (toolUseId: string, approver: string, digits: string) =>
    `approval:${encodeId(toolUseId)}:${approver}:${digits}`,
  tally: (toolUseId: string) => `approval-tally:${encodeId(toolUseId)}`,
  identityTally: (toolUseId: string, generation: number) =>
    `approval-tally:${encodeId(toolUseId)}:${generation === 0 ? 'ident' : `ident-reask:${generation}`}`,
  pauseNote: (toolUseId: string) => GATE_RECORDS.pauseNote(encodeId(toolUseId)),
  request: (nodeKey: string) => GATE_RECORDS.request(encodeId(nodeKey)),
  deadline: (toolUseId: string) => GATE_RECORDS.deadline(encodeId(toolUseId)),
  signal: (name: string) => `signal:${name}`,
  interrupt: (name: string) => `interrupt:${name}`,
  timer: (name: string) => `timer:${name}`,
  awaitTimeout: (name: string) => `await-timeout:${name}`,
  awaitResolved: (name: string) => `await-resolved:${name}`,
  channel: (channel: string, key: string) => `chan:${utf8(channel).length}:${channel}:${key}`,
  channelAck: (channel: string, key: string) => `chanack:${utf8(channel).length}:${channel}:${key}`,
  compensation: (toolUseId: string) => `@saga/compensate/${encodeId(toolUseId)}`,
  acceptedArgs: (toolUseId: string) => `@saga/args/${encodeId(toolUseId)}`,
  subRun: (toolUseId: string, name: string) => `@subrun/${encodeId(toolUseId)}/${encodeId(name)}`,
  sessionStart: (n: number) => `start/${n}`,
  sessionFrom: (turnRun: string) => `from/${turnRun}`,
  sessionTurn: (n: number) => `turn/${n}`,
} as const;

/** The algebra of attempt keys (journal 3.3). */
export const attempts = {
  /** The key of attempt 0 of the same effect; undefined for a name that is no attempt marker's. */
  base(key: string): string | undefined {
    const parsed = parseAttempt(key);
    return parsed === undefined ? undefined : parsed.base;
  },
  number(key: string): number | undefined {
    return parseAttempt(key)?.number;
  },
  key(base: string, number: number): string {
    return number === 0 ? base : `attempt:retry:${number}:${base.slice('attempt:'.length)}`;
  },
  notStarted(marker: string, claim: string): string {
    return `attempt:not-started:${claim}:${marker}`;
  },
};

/** Base and number of an attempt marker's key. */
export function parseAttempt(key: string): { readonly base: string; readonly number: number } | undefined {
  if (!key.startsWith('attempt:') || key.startsWith('attempt:not-started:')) return undefined;
  const retry = key.startsWith('attempt:retry:')
    ? /^attempt:retry:([1-9][0-9]{0,14}):(?=(?:tool|step):)/.exec(key)
    : null;
  if (retry !== null) return { base: `attempt:${key.slice(retry[0].length)}`, number: Number(retry[1]) };
  return key.startsWith('attempt:tool:') || key.startsWith('attempt:step:') ? { base: key, number: 0 } : undefined;
}

/** Claim and marker key of a not-started record's name: the claim is hexadecimal and ends at the first colon. */
export function parseNotStarted(key: string): { readonly claim: string; readonly marker: string } | undefined {
  const prefix = 'attempt:not-started:';
  if (!key.startsWith(prefix)) return undefined;
  const end = key.indexOf(':', prefix.length);
  return end < 0 ? undefined : { claim: key.slice(prefix.length, end), marker: key.slice(end + 1) };
}

/** Node key and body step of `node:` names (journal 3.2, "Parsing a node key"). */
export function parseNodeKey(key: string): { readonly node: string; readonly step: string | undefined } | undefined {
  if (!key.startsWith('node:')) return undefined;
  const iteration = /^node:iter:(?:0|[1-9][0-9]*):/.exec(key);
  const start = iteration === null ? 'node:'.length : iteration[0].length;
  const end = key.indexOf(':', start);
  if (end < 0) return start < key.length ? { node: key, step: undefined } : undefined;
  if (end === start) return undefined;
  const rest = key.slice(end);
  return rest.startsWith(':step:') && rest.length > ':step:'.length
    ? { node: key.slice(0, end), step: rest.slice(':step:'.length) }
    : undefined;
}

const RESERVED: readonly string[] = [
  '@',
  'run:',
  'tool:',
  'attempt:',
  'approval:',
  'approval-tally:',
  'signal:',
  'await-timeout:',
  'await-resolved:',
  'timer:',
  'interrupt:',
  'chan:',
  'chanack:',
  'turn/',
  'start/',
  'from/',
  'audit:',
  'node:',
  'switch:',
  'flow:',
  ...GATE_PREFIXES,
];

/** Whether a name is the engine's and not a developer's step (journal 3.4). */
export function isReservedStepName(name: string): boolean {
  return RESERVED.some((prefix) => name.startsWith(prefix));
}

/** Whether a name may be a step whose outcome somebody records: a developer's step, a node key, or a step of a node. */
export function isStepName(name: string): boolean {
  return name !== '' && (!isReservedStepName(name) || parseNodeKey(name) !== undefined);
}

/** Kinds that the key table gives a name (journal 3.2, V5); undefined where the table says nothing. */
export function kindsOfName(name: string): readonly string[] | undefined {
  if (name === HEADER_NAME) return HEADER;
  switch (family(name)) {
    case 'tool:':
      return isEncodedId(name.slice(5)) ? OUTCOME : NOTHING;
    case 'attempt:':
      return parseAttempt(name) !== undefined ? ATTEMPT : parseNotStarted(name) !== undefined ? NOT_STARTED : NOTHING;
    case 'approval:':
      return APPROVAL;
    case 'signal:':
    case 'chan:':
      return SIGNAL;
    case '@llm/':
      return MODEL;
    case 'audit:':
      return undefined;
    case '@spend/':
    case '@spend-late/':
    case '@retrieval/':
    case '@saga/':
    case '@subrun/':
      return VALUE;
    case '':
      return name.startsWith('@') ? undefined : VALUE;
    default:
      return name.startsWith('@') ? undefined : VALUE;
  }
}

/** A name up to its first slash or colon; empty if it has none. */
function family(name: string): string {
  for (let i = 0; i < name.length; i++) {
    const unit = name.charCodeAt(i);
    if (unit === 0x2f || unit === 0x3a) return name.slice(0, i + 1);
  }
  return '';
}

const HEADER = ['header'] as const;
const OUTCOME = ['tool_result', 'saga_fail'] as const;
const ATTEMPT = ['attempt'] as const;
const NOT_STARTED = ['not_started'] as const;
const APPROVAL = ['approval'] as const;
const SIGNAL = ['signal'] as const;
const MODEL = ['model'] as const;
const VALUE = ['value'] as const;
const NOTHING = [] as const;

/** Number of a model turn's name, `@llm/<n>`. */
export function turnNumber(name: string): number | undefined {
  return numberAfter(name, '@llm/');
}

/** The decimal after a prefix, without sign or leading zero. */
export function numberAfter(name: string, prefix: string): number | undefined {
  if (!name.startsWith(prefix)) return undefined;
  const digits = name.slice(prefix.length);
  return /^(?:0|[1-9][0-9]{0,14})$/.test(digits) ? Number(digits) : undefined;
}

/** What a channel's message or its acknowledgement is about; the length in the name is in bytes. */
export function parseChannel(
  name: string,
): { readonly ack: boolean; readonly channel: string; readonly key: string } | undefined {
  const match = /^chan(ack)?:(0|[1-9][0-9]{0,8}):/.exec(name);
  if (match === null) return undefined;
  const rest = utf8(name.slice(match[0].length));
  const length = Number(match[2]);
  if (rest[length] !== 0x3a) return undefined;
  const decoder = new TextDecoder();
  return {
    ack: match[1] !== undefined,
    channel: decoder.decode(rest.subarray(0, length)),
    key: decoder.decode(rest.subarray(length + 1)),
  };
}

/** Call and sub-run name of `@subrun/<c>/<name>`, as far as they can be decoded. */
export function parseSubRunLink(name: string): { readonly call: string; readonly sub: string | undefined } | undefined {
  const match = /^@subrun\/([^/]+)\/([^/]+)$/.exec(name);
  if (match === null) return undefined;
  return { call: match[1] as string, sub: decodeId(match[2] as string) };
}
