/** The way back from any document, by its declared members only: atif-export 11.2. Lossy by design. */
import {
  type AtifDocument,
  type Content,
  type Json,
  type JsonObject,
  type Step,
  type ToolCall,
  textOfContent,
} from './document.ts';
import { jsonText } from './write.ts';

export function itemsFrom(document: AtifDocument): readonly JsonObject[] {
  const made: JsonObject[] = [];
  const ids = new CallIds();
  for (const step of document.steps) {
    if (step.source === 'agent') {
      agentItems(step, ids, made);
      continue;
    }
    const isOnlyResults = step.source === 'system' && step.message === '' && (step.observation ?? null) !== null;
    if (!isOnlyResults) made.push({ type: 'message', role: step.source, content: inputParts(step.message) });
    if (step.source === 'system') outputs(step, ids, made);
  }
  return made;
}

function agentItems(step: Step, ids: CallIds, made: JsonObject[]): void {
  ids.nextStep();
  const reasoning = step.reasoning_content ?? '';
  if (reasoning !== '') made.push({ type: 'reasoning', summary: [{ type: 'summary_text', text: reasoning }] });
  const text = textOfContent(step.message);
  if (text !== '')
    made.push({ type: 'message', role: 'assistant', content: [{ type: 'output_text', text, annotations: [] }] });
  for (const call of step.tool_calls ?? [])
    made.push({
      type: 'function_call',
      call_id: ids.ofCall(call.tool_call_id),
      name: call.function_name,
      arguments: argumentsText(call),
    });
  outputs(step, ids, made);
}

function outputs(step: Step, ids: CallIds, made: JsonObject[]): void {
  for (const { source_call_id: id, content } of step.observation?.results ?? [])
    if (id !== undefined && id !== null && id !== '')
      made.push({ type: 'function_call_output', call_id: ids.ofResult(id), output: textOfContent(content) });
}

function inputParts(content: Content): readonly Json[] {
  if (typeof content === 'string') return [{ type: 'input_text', text: content }];
  return content.map((part): Json => {
    if (part.type === 'text') return { type: 'input_text', text: part.text };
    const { path } = part.source;
    return part.type === 'image'
      ? { type: 'input_image', image_url: path, detail: 'auto' }
      : { type: 'input_text', text: `[audio: ${path}]` };
  });
}

function argumentsText({ arguments: args }: ToolCall): string {
  const { _arguments: spelled, ...rest } = args;
  return typeof spelled === 'string' && Object.keys(rest).length === 0 ? spelled : jsonText(args, true);
}

/** Ids that are unique in the document, where native ones need not be. */
class CallIds {
  readonly #taken = new Set<string>();
  /** The number to try next for a native id. */
  readonly #next = new Map<string, number>();
  #queues = new Map<string, { readonly ids: string[]; head: number }>();

  nextStep(): void {
    this.#queues = new Map();
  }

  ofCall(native: string): string {
    const id = this.#free(native);
    this.#taken.add(id);
    const queue = this.#queues.get(native);
    if (queue === undefined) this.#queues.set(native, { ids: [id], head: 0 });
    else queue.ids.push(id);
    return id;
  }

  #free(native: string): string {
    if (native !== '' && !this.#taken.has(native)) return native;
    const base = native === '' ? 'call' : native;
    let number = this.#next.get(base) ?? 2;
    while (this.#taken.has(`${base}_${number}`)) number++;
    this.#next.set(base, number + 1);
    return `${base}_${number}`;
  }

  /** The last call of a native id takes every further result. */
  ofResult(native: string): string {
    const queue = this.#queues.get(native);
    if (queue === undefined) return native;
    const id = queue.ids[queue.head] as string;
    if (queue.head + 1 < queue.ids.length) queue.head++;
    return id;
  }
}
