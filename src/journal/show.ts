/**
 * A journal for people: one sentence a record, where the run stands and what it waits for, and the conversation as a resume would show it
 * to the model (journal 4.1, 4.5). Texts come from the journal as they are; who prints them makes what is hidden visible.
 */
import { hex } from '../bytes/encoding.ts';
import { asksOf } from './gates.ts';
import { names, parseChannel, parseNotStarted } from './names.ts';
import { fromUnixMilliseconds, notifyEvents } from './notify-events.ts';
import type { JournalRecord, Message, Part, RawJson, StoredRecord } from './record.ts';
import { answerOfRun, haltsOf, isInjected, limitsOf, type Replay, statusOf } from './replay.ts';
import { endedAt, messageText, readInput, terminalText } from './values.ts';

export interface Line {
  readonly position: number;
  /** As the record has it, or undefined. */
  readonly time: string | undefined;
  readonly type:
    | 'run'
    | 'turn'
    | 'attempt'
    | 'outcome'
    | 'decision'
    | 'gate'
    | 'signal'
    | 'wait'
    | 'record'
    | 'redacted';
  readonly name: string;
  readonly text: string;
}

const CLIP = 160;

/** One line a record, in journal order. */
export function recordLines(run: Replay): readonly Line[] {
  return run.journal.records.map((stored) => lineOf(run, stored));
}

function lineOf(run: Replay, stored: StoredRecord): Line {
  const base = { position: stored.position, name: stored.name };
  if (stored.record === undefined) {
    const text = `redacted; its leaf hash was ${hex(stored.tombstone.leafHash)}`;
    return { ...base, time: fromUnixMilliseconds(stored.tombstone.atMs), type: 'redacted', text };
  }
  const { record } = stored;
  const time = timeOf(record, run, stored.position);
  switch (record.kind) {
    case 'header':
      return { ...base, time, type: 'run', text: `journal of format ${record.format}` };
    case 'model':
      return { ...base, time, type: 'turn', text: turnText(record) };
    case 'attempt':
      return { ...base, time, type: 'attempt', text: `about to run ${what(run, record)}` };
    case 'not_started':
      return {
        ...base,
        time,
        type: 'attempt',
        text: `the attempt ${parseNotStarted(record.name)?.marker ?? ''} never called its effect`,
      };
    case 'tool_result':
    case 'saga_fail':
      return { ...base, time, type: 'outcome', text: outcomeText(run, record) };
    case 'approval':
      return { ...base, time, type: 'decision', text: decisionText(run, record) };
    case 'signal': {
      const channel = parseChannel(record.name);
      const about = channel === undefined ? record.name.slice(7) : `${channel.key} on channel ${channel.channel}`;
      return {
        ...base,
        time,
        type: 'signal',
        text: `${channel === undefined ? 'signal' : 'message'} ${about}: ${raw(record.result)}`,
      };
    }
    default:
      return { ...base, time, ...valueLine(run, record) };
  }
}

function timeOf(record: JournalRecord, run: Replay, position: number): string | undefined {
  if (record.decidedAt !== '') return record.decidedAt;
  if (record.recordedAt !== '') return record.recordedAt;
  if (record.kind === 'attempt') return fromUnixMilliseconds(record.attemptedAt);
  if (run.start?.stored.position === position) return run.start.value?.started_at || undefined;
  return undefined;
}

function valueLine(run: Replay, record: JournalRecord): Pick<Line, 'type' | 'text'> {
  const { name } = record;
  switch (name) {
    case 'run:start': {
      const input = run.start?.value === undefined ? undefined : readInput(run.start.value.input);
      return {
        type: 'run',
        text: `the run begins: ${clip(input === undefined ? 'an input that does not read' : messageText(input))}`,
      };
    }
    case 'run:complete':
      return { type: 'run', text: 'the run is complete' };
    case 'run:aborted':
      return { type: 'run', text: `the run was aborted: ${clip(terminalText(record))}` };
    case 'run:cancelled':
      return { type: 'run', text: `the run was cancelled: ${clip(terminalText(record))}` };
    case 'run:cancel-requested':
      return { type: 'run', text: `somebody asked to cancel the run: ${clip(terminalText(record))}` };
  }
  const colon = name.indexOf(':');
  const family = name.slice(0, colon + 1);
  if (family.startsWith('approval-'))
    return { type: 'gate', text: `${family.slice(0, -1).replaceAll('-', ' ')}: ${raw(record.result)}` };
  if (family === 'timer:' || family.startsWith('await-'))
    return { type: 'wait', text: `${name}: ${raw(record.result)}` };
  if (name.startsWith('@saga/compensate/')) return { type: 'record', text: `compensated ${name.slice(17)}` };
  if (record.recordedAt !== '' && !name.startsWith('interrupt:'))
    return {
      type: 'outcome',
      text: `${name} was resolved by hand${record.reconciled ? ', with evidence' : ''}: ${raw(record.result)}`,
    };
  return { type: 'record', text: record.result === undefined ? name : `${name}: ${raw(record.result)}` };
}

function turnText(record: JournalRecord): string {
  const { message } = record;
  if (message === undefined) return 'a turn without message';
  const said = messageText(message);
  const calls = message.parts.flatMap((part) =>
    part.type === 'tool_use' ? [`calls ${part.name} (${part.id}) with ${raw(part.args)}`] : [],
  );
  return clip([...(said === '' ? [] : [JSON.stringify(said)]), ...calls].join('; ') || 'says nothing');
}

function what(run: Replay, record: JournalRecord): string {
  const call = run.calls.get(record.toolUseId);
  return call === undefined ? `step ${record.toolUseId}` : `${call.name} (${call.id})`;
}

function outcomeText(run: Replay, record: JournalRecord): string {
  const by =
    record.recordedAt === '' ? '' : record.reconciled ? ', recorded by hand with evidence' : ', recorded by hand';
  const verdict = record.kind === 'saga_fail' || record.isError ? 'failed' : 'returned';
  return `${what(run, record)} ${verdict}${by}: ${raw(record.result)}`;
}

function decisionText(run: Replay, record: JournalRecord): string {
  const who = record.approver === '' ? 'somebody, unsigned,' : `${record.approver} (${record.approverAlg})`;
  return `${who} ${record.approved ? 'approved' : 'denied'} ${what(run, record)}`;
}

function raw(bytes: RawJson | undefined): string {
  return bytes === undefined ? 'nothing' : clip(new TextDecoder().decode(bytes.subarray(0, 4 * CLIP)));
}

function clip(text: string): string {
  const characters = [...text.slice(0, 2 * CLIP)];
  return characters.length > CLIP ? `${characters.slice(0, CLIP).join('')}…` : characters.join('');
}

/** Where a run stands, as JSON. */
export interface Standing {
  readonly run: string;
  readonly status: string;
  readonly terminal: string;
  readonly ended_at: string;
  readonly records: number;
  readonly redacted: number;
  readonly turns: number;
  readonly answer: string | null;
  readonly limits: { readonly max_turns: number | null; readonly token_budget: number | null };
  readonly tokens: {
    readonly input: number;
    readonly output: number;
    readonly cache_read: number;
    readonly cache_write: number;
  };
  readonly waiting: readonly string[];
  readonly resolved: readonly string[];
}

/** Status, limits, usage and everything that somebody or something has to do before the run goes on. */
export function standingOf(run: Replay): Standing {
  const status = statusOf(run);
  const limits = limitsOf(run);
  const answer = answerOfRun(run);
  const waiting: string[] = [];
  for (const { effect, attempt } of haltsOf(run)) {
    const since = fromUnixMilliseconds(attempt.stored.record.attemptedAt) ?? 'an unknown time';
    waiting.push(`${effect.kind} ${effect.op} may have fired at ${since}: somebody must find out and resolve it`);
  }
  for (const event of notifyEvents(run)) {
    if (event.kind !== 'approval_pending' || !event.current) continue;
    const gate = run.gates.get(event.op);
    const who = event.approvers === undefined ? 'a decision' : `decisions of ${event.approvers.join(', ')}`;
    const again = gate !== undefined && asksOf(gate).length > 1 ? ', asked again' : '';
    waiting.push(`call ${event.op} waits for ${who}${again}`);
  }
  if (run.ends.length === 0) {
    for (const wait of run.waits) if (!wait.settled) waiting.push(`${wait.kind} ${wait.name} until ${wait.until}`);
    for (const message of run.channels)
      if (message.acknowledged === undefined)
        waiting.push(`message ${message.key} on channel ${message.channel} is not consumed`);
  }
  const resolved = run.journal.records.flatMap((stored) =>
    stored.record !== undefined && isInjected(stored) && stored.record.kind === 'tool_result'
      ? [`call ${stored.record.toolUseId} was resolved by hand${stored.record.reconciled ? ' with evidence' : ''}`]
      : [],
  );
  return {
    run: run.journal.run,
    status: status.status,
    terminal: status.terminal,
    ended_at: status.endedAt,
    records: status.records,
    redacted: run.tombstones,
    turns: run.turns.length,
    answer: answer === undefined ? null : messageText(answer),
    limits: { max_turns: limits.maxTurns ?? null, token_budget: limits.tokenBudget ?? null },
    tokens: {
      input: run.usage.inputTokens,
      output: run.usage.outputTokens,
      cache_read: run.usage.cacheReadTokens,
      cache_write: run.usage.cacheWriteTokens,
    },
    waiting,
    resolved,
  };
}

/** One message of the conversation, the outcomes of a turn's calls in the order of the calls (journal 4.5). */
export interface Spoken {
  readonly role: string;
  readonly message: Message | undefined;
  /** Of a result: the call that it answers. */
  readonly call: string | undefined;
  readonly result: RawJson | undefined;
  readonly isError: boolean;
}

/** The conversation that a resume shows the model: the input, each turn, after it the outcomes of its calls in call order. */
export function conversationOf(run: Replay): readonly Spoken[] {
  const spoken: Spoken[] = [];
  const say = (message: Message | undefined) =>
    spoken.push({ role: message?.role ?? 'user', message, call: undefined, result: undefined, isError: false });
  if (run.start?.value !== undefined) say(readInput(run.start.value.input));
  const placed = new Set<string>();
  for (const { stored, calls } of run.turns) {
    say(stored.record.message);
    for (const { id } of calls) {
      if (placed.has(id)) continue;
      placed.add(id);
      const outcome = run.outcomes.get(id)?.find(({ name }) => name === names.tool(id));
      if (outcome === undefined) continue;
      const { result, isError, kind } = outcome.record;
      spoken.push({ role: 'tool', message: undefined, call: id, result, isError: isError || kind === 'saga_fail' });
    }
  }
  return spoken;
}

/** The conversation as text, one paragraph a message. */
export function renderConversation(run: Replay): string {
  const paragraphs = conversationOf(run).map(({ role, message, call, result, isError }) => {
    if (call !== undefined) {
      const name = run.calls.get(call)?.name ?? '';
      return `[${name} ${call}${isError ? ', failed' : ''}] ${new TextDecoder().decode(result)}`;
    }
    return `${role}: ${(message?.parts ?? []).map(partText).join('\n')}`;
  });
  const end = run.ends[0];
  const last = end === undefined ? [] : [`-- ${end.name} ${endedAt(end.record)} ${terminalText(end.record)}`.trimEnd()];
  return [...paragraphs, ...last].join('\n\n');
}

function partText(part: Part): string {
  switch (part.type) {
    case 'text':
      return part.text;
    case 'reasoning':
      return part.redacted === '' ? `(thinks) ${part.text}` : '(thinks, encrypted)';
    case 'tool_use':
      return `-> ${part.name} (${part.id}) ${new TextDecoder().decode(part.args)}`;
    case 'tool_result':
      return `[${part.toolUseId}] ${new TextDecoder().decode(part.result)}`;
    case 'image':
      return `(image ${part.mime} ${part.url})`;
  }
}
