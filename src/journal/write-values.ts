/** Values of the run's life as they are written, members in their order, empty ones left out (journal 3.2, 4.1, 4.6, 4.7, 5.5). */
import { concat, utf8 } from '../bytes/encoding.ts';
import { compactRaw } from './encode.ts';
import type { RawJson } from './record.ts';
import { quote } from './text.ts';

type Member = readonly [name: string, value: Uint8Array | undefined];

function object(members: readonly Member[]): RawJson {
  const parts: Uint8Array[] = [utf8('{')];
  for (const [name, value] of members) {
    if (value === undefined) continue;
    parts.push(utf8(`${parts.length > 1 ? ',' : ''}"${name}":`), value);
  }
  return concat(...parts, utf8('}'));
}

/** A JSON string in JOURNAL mode. */
export const jsonText = (text: string): RawJson => utf8(quote(text));
const optional = (text: string | undefined) => (text === undefined || text === '' ? undefined : jsonText(text));
const whole = (value: number | undefined) => (value === undefined ? undefined : utf8(String(value)));
const list = (values: readonly Uint8Array[]) =>
  concat(utf8('['), ...values.flatMap((value, index) => (index === 0 ? [value] : [utf8(','), value])), utf8(']'));

export interface PrincipalInput {
  readonly onBehalfOf?: string;
  readonly authorityRef?: string;
}

export interface StartInput {
  /** A JSON string, or a message object (journal 4.6). */
  readonly input: RawJson;
  readonly saga?: boolean;
  readonly kind?: 'agent' | 'flow' | 'session_turn';
  readonly session?: { readonly id: string; readonly turn?: number; readonly key?: string };
  readonly flow?: string;
  readonly maxTurns?: number;
  readonly tokenBudget?: number;
  readonly systemPrompt?: string;
  readonly principal?: PrincipalInput;
  readonly ancestors?: readonly PrincipalInput[];
  readonly tools?: readonly string[];
  readonly startedAt: string;
}

function principalValue({ onBehalfOf, authorityRef }: PrincipalInput): RawJson {
  return object([
    ['on_behalf_of', optional(onBehalfOf)],
    ['authority_ref', optional(authorityRef)],
  ]);
}

export function startValue(start: StartInput): RawJson {
  const { session } = start;
  const settings: readonly Member[] = [
    ['max_turns', whole(start.maxTurns)],
    ['token_budget', whole(start.tokenBudget)],
    ['system_prompt', start.systemPrompt === undefined ? undefined : jsonText(start.systemPrompt)],
  ];
  return object([
    ['input', compactRaw(start.input)],
    ['saga', start.saga === true ? utf8('true') : undefined],
    ['kind', optional(start.kind ?? 'agent')],
    [
      'session',
      session === undefined
        ? undefined
        : object([
            ['id', jsonText(session.id)],
            ['turn', whole(session.turn)],
            ['key', optional(session.key)],
          ]),
    ],
    ['flow', start.flow === undefined ? undefined : object([['name', jsonText(start.flow)]])],
    ['settings', settings.some(([, value]) => value !== undefined) ? object(settings) : undefined],
    ['principal', start.principal === undefined ? undefined : principalValue(start.principal)],
    ['ancestors', ancestorsValue(start.ancestors)],
    ['tools', start.tools === undefined || start.tools.length === 0 ? undefined : list(start.tools.map(jsonText))],
    ['started_at', optional(start.startedAt)],
  ]);
}

function ancestorsValue(ancestors: readonly PrincipalInput[] | undefined): RawJson | undefined {
  return ancestors === undefined || ancestors.length === 0 ? undefined : list(ancestors.map(principalValue));
}

/** `principal` is always written, `{}` when the run has none. */
export function principalRecordValue(
  principal: PrincipalInput | undefined,
  ancestors?: readonly PrincipalInput[],
): RawJson {
  return object([
    ['principal', principalValue(principal ?? {})],
    ['ancestors', ancestorsValue(ancestors)],
  ]);
}

export function limitsValue(maxTurns: number | undefined, tokenBudget: number | undefined): RawJson {
  return object([
    ['max_turns', whole(maxTurns)],
    ['token_budget', whole(tokenBudget)],
  ]);
}

/** Why a run ended: the object form, which every reader takes (journal A.1 item 6). */
export function endValue(reason: string, abortedAt?: string): RawJson {
  return object([
    ['reason', jsonText(reason)],
    ['aborted_at', optional(abortedAt)],
  ]);
}

export interface WaitInput {
  readonly toolUseId: string;
  readonly toolName: string;
  readonly single?: boolean;
  readonly need?: number;
  readonly approvers?: readonly string[];
  readonly recordedAt?: string;
  readonly excludePrincipal?: boolean;
  readonly requesters?: readonly string[];
}

/** The note of a gate's first pause (journal 3.5, ApprovalWait). */
export function waitValue(wait: WaitInput): RawJson {
  const texts = (values: readonly string[] | undefined) =>
    values === undefined || values.length === 0 ? undefined : list(values.map(jsonText));
  return object([
    ['tool_use_id', jsonText(wait.toolUseId)],
    ['tool_name', jsonText(wait.toolName)],
    ['single', wait.single === true ? utf8('true') : undefined],
    ['need', wait.need === undefined || wait.need === 0 ? undefined : whole(wait.need)],
    ['approvers', texts(wait.approvers)],
    ['recorded_at', optional(wait.recordedAt)],
    ['exclude_principal', wait.excludePrincipal === true ? utf8('true') : undefined],
    ['requesters', texts(wait.requesters)],
  ]);
}

export function sessionStartValue(input: string, run: string, claim: string): RawJson {
  return object([
    ['input', jsonText(input)],
    ['run_id', jsonText(run)],
    ['claim', jsonText(claim)],
  ]);
}

export function sessionFromValue(turns: number, digest: string): RawJson {
  return object([
    ['turns', whole(turns)],
    ['digest', jsonText(digest)],
  ]);
}

export function sessionTurnValue(input: string, answer: RawJson, run: string, claim: string): RawJson {
  return object([
    ['input', jsonText(input)],
    ['answer', answer],
    ['run_id', optional(run)],
    ['claim', optional(claim)],
  ]);
}
