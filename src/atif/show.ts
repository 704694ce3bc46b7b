/** An ATIF document for a person: who did what, step by step. Nothing is judged. */
import {
  type AtifDocument,
  type Content,
  isArray,
  type Json,
  member,
  type Step,
  textMember,
  textOfContent,
} from './document.ts';
import { jsonText } from './write.ts';

export interface ShowOptions {
  /** Only the steps that hold this session entry. */
  readonly entry?: string;
  readonly verbose?: boolean;
}

const CLIP = 100;

/** Lines of text; texts of the document are in them as they are. The document must keep the rules of reading. */
export function* showAtif(document: AtifDocument, { entry, verbose = false }: ShowOptions = {}): Generator<string> {
  const { agent, session_id: session, trajectory_id: trajectory, steps, final_metrics: totals, notes } = document;
  const clip = (text: string): string => (verbose || text.length <= CLIP ? text : `${text.slice(0, CLIP)}…`);
  yield `${document.schema_version} of ${agent.name} ${agent.version}${given(' with ', agent.model_name)}`;
  if (given('', session) !== '') yield `Session ${session}`;
  if (given('', trajectory) !== '') yield `Trajectory ${trajectory}`;
  const extra = document.extra ?? null;
  const over = member(extra, 'preferred_over');
  if (isArray(over)) yield `Preferred over ${over.map(text).join(', ')}`;
  const abandoned = textMember(extra, 'abandoned_at');
  if (abandoned !== undefined) yield `Abandoned at ${abandoned}`;
  yield '';
  const shown = entry === undefined ? steps : steps.filter((step) => holdsEntry(step, entry));
  yield entry === undefined ? 'Steps' : `Steps that hold ${entry}`;
  for (const step of shown) {
    const copied = step.is_copied_context === true ? '  [carried over]' : '';
    yield `  ${String(step.step_id).padStart(4)}  ${step.source.padEnd(6)} ${step.timestamp ?? ''}${given('  ', step.model_name)}${copied}`;
    const message = contentText(step.message);
    if (message !== '') yield `        ${clip(message)}`;
    if (given('', step.reasoning_content) !== '') yield `        thinks: ${clip(step.reasoning_content as string)}`;
    for (const call of step.tool_calls ?? [])
      yield `        calls ${call.function_name} ${call.tool_call_id} ${clip(jsonText(call.arguments))}`;
    for (const result of step.observation?.results ?? []) {
      const from = given('of ', result.source_call_id);
      const failed = member(result.extra ?? null, 'failed') === true ? ' [failed]' : '';
      yield `        result ${from}${failed}: ${clip(contentText(result.content ?? ''))}`;
      for (const run of result.subagent_trajectory_ref ?? [])
        yield `        by another agent: ${run.trajectory_id ?? run.trajectory_path ?? ''}`;
    }
    for (const row of lists(step.extra ?? null, ['omitted', 'replaced', 'outcome'])) yield `        ${row}`;
  }
  yield '';
  yield `Totals: ${total(totals?.total_steps)} model calls, ${total(totals?.total_prompt_tokens)} tokens in (${total(totals?.total_cached_tokens)} cached), ${total(totals?.total_completion_tokens)} out${given(', $', totals?.total_cost_usd?.toString())}`;
  for (const row of lists(extra, ['links'])) yield row;
  for (const child of document.subagent_trajectories ?? [])
    yield `Embedded: ${child.trajectory_id ?? ''}, ${child.steps.length} steps of ${child.agent.name}`;
  if (given('', notes) !== '') yield `Notes: ${clip(notes as string)}`;
}

function* lists(extra: Json, names: readonly string[]): Generator<string> {
  for (const name of names) {
    const list = member(extra, name);
    if (isArray(list)) for (const row of list) yield `${name}: ${jsonText(row)}`;
  }
}

function holdsEntry({ extra = null }: Step, entry: string): boolean {
  const ids = member(extra, 'item_entry_ids');
  return textMember(member(extra, 'agentsession'), 'entry_id') === entry || (isArray(ids) && ids.includes(entry));
}

function contentText(content: Content): string {
  const media =
    typeof content === 'string' ? [] : content.flatMap((part) => (part.type === 'text' ? [] : [`[${part.type}]`]));
  return [textOfContent(content), ...media].filter((text) => text !== '').join(' ');
}

const given = (before: string, value: string | null | undefined): string =>
  value === undefined || value === null || value === '' ? '' : `${before}${value}`;
const total = (value: number | null | undefined): string =>
  value === undefined || value === null ? '?' : String(value);
const text = (value: Json): string => (typeof value === 'string' ? value : jsonText(value));
