/**
 * Writes session files for tests and benches out of plain objects, and computes what a writer puts into them: ids and request hashes. It
 * shares no code with the modules under test: settings and contexts are replayed over plain values, each request from its start.
 */
import { createHash } from 'node:crypto';

export type Value = null | boolean | number | string | readonly Value[] | { readonly [name: string]: Value };
export type Body = { readonly [name: string]: Value };

export function canonical(value: Value): string {
  if (value === null || typeof value !== 'object') return JSON.stringify(value);
  if (Array.isArray(value)) return `[${(value as readonly Value[]).map(canonical).join(',')}]`;
  const object = value as Body;
  return `{${Object.keys(object)
    .sort()
    .map((name) => `${JSON.stringify(name)}:${canonical(object[name] as Value)}`)
    .join(',')}}`;
}

export function hash(text: string): string {
  return `sha256:${createHash('sha256').update(text).digest('hex')}`;
}

export interface DraftEntry {
  readonly id: string;
  readonly type: string;
  readonly parent: string | null;
  readonly body: Body;
}

export const message = (text: string, ...images: readonly string[]): Body => ({
  type: 'message',
  role: 'user',
  content: [
    { type: 'input_text', text },
    ...images.map((url) => ({ type: 'input_image', image_url: url, detail: 'auto' })),
  ],
});
export const answer = (id: string, text: string): Body => ({
  type: 'message',
  id,
  role: 'assistant',
  status: 'completed',
  content: [{ type: 'output_text', text, annotations: [] }],
});
export const reasoning = (id: string): Body => ({ type: 'reasoning', id, summary: [], encrypted_content: `enc-${id}` });
export const functionCall = (callId: string, name = 'look', args = '{}'): Body => ({
  type: 'function_call',
  id: `fc_${callId}`,
  call_id: callId,
  name,
  arguments: args,
  status: 'completed',
});
export const functionOutput = (callId: string, output: Value = 'done'): Body => ({
  type: 'function_call_output',
  call_id: callId,
  output,
});

export class Draft {
  readonly entries: DraftEntry[] = [];
  readonly byId = new Map<string, DraftEntry>();
  readonly #lines: string[];
  readonly #inOrder: boolean;
  #clock = Date.UTC(2026, 10, 1, 9);

  /** @param inOrder whether lines are canonical; else members stand in an order of the writer's. */
  constructor(header: Body = {}, inOrder = true) {
    this.#inOrder = inOrder;
    const whole = {
      type: 'session',
      format: 'agentsession/0.14',
      id: '01995b2a-0000-7000-8000-0000000000c1',
      created_at: '2026-11-01T09:00:00Z',
      payload: 'openresponses/2026-04-24',
      ...header,
    };
    this.#lines = [inOrder ? canonical(whole) : JSON.stringify(whole)];
  }

  get tip(): string | null {
    return this.entries.at(-1)?.id ?? null;
  }

  /** Appends an entry under `parent`, the last entry when it is not given. */
  add(type: string, body: Body, parent: string | null = this.tip): string {
    const ts = new Date(this.#clock).toISOString().replace('.000', '');
    this.#clock += 1000;
    const { parents, ...content } = body;
    const envelope = { type, parent, ts, ...(parents === undefined ? {} : { parents }) };
    const id = hash(canonical({ ...envelope, content: hash(canonical(content)) }));
    const line = { type, id, parent, ts, ...body };
    this.#lines.push(this.#inOrder ? canonical(line) : JSON.stringify(line, null, 1).replaceAll('\n', ''));
    const entry = { id, type, parent, body };
    this.entries.push(entry);
    this.byId.set(id, entry);
    return id;
  }

  item(item: Body, more: Body = {}, parent: string | null = this.tip): string {
    return this.add('item', { item, ...more }, parent);
  }

  /** A response with the hash of the request that the path to it gives. */
  response(responseId: string, more: Body = {}, parent: string | null = this.tip): string {
    const request_hash = this.requestHash(parent, responseId);
    return this.add('response', { response_id: responseId, status: 'completed', request_hash, ...more }, parent);
  }

  path(id: string | null): DraftEntry[] {
    const path: DraftEntry[] = [];
    for (let at = id; at !== null; ) {
      const entry = this.byId.get(at) as DraftEntry;
      path.push(entry);
      at = entry.parent;
    }
    return path.reverse();
  }

  requestHash(parent: string | null, responseId: string, applyOmit = true): string {
    return hash(canonical(request(this.path(parent), responseId, applyOmit)));
  }

  text(): string {
    return `${this.#lines.join('\n')}\n`;
  }

  bytes(): Uint8Array {
    return new TextEncoder().encode(this.text());
  }
}

interface Replay {
  model: string;
  instructions: string;
  parts: { id: string; text: string }[];
  reasoning: Body;
  text: Body;
  tools: Body[];
  extra: Map<string, Value>;
  omit: { reasoning: boolean; items: Set<string>; outputs?: { text: string; items: Set<string> }; images?: Body };
}

const empty = (): Replay => ({
  model: '',
  instructions: '',
  parts: [],
  reasoning: {},
  text: {},
  tools: [],
  extra: new Map(),
  omit: { reasoning: false, items: new Set() },
});

function apply(before: Replay, body: Body): Replay {
  const s = body['replace'] === true ? empty() : { ...before };
  if (body['model']) s.model = body['model'] as string;
  const parts = body['instructions_parts'] as readonly Body[] | undefined;
  if (parts !== undefined && parts.length > 0) {
    // Only runs kept in order and texts are written by these tests; histories have cases of their own.
    let cursor = 0;
    const next: Replay['parts'] = [];
    for (const part of parts) {
      if (part['keep'] !== undefined) {
        next.push(...s.parts.slice(cursor, cursor + (part['keep'] as number)));
        cursor += part['keep'] as number;
      } else {
        const at = s.parts.findIndex(({ id }) => id === part['id']);
        if (at >= 0) cursor = at + 1;
        next.push({ id: part['id'] as string, text: part['text'] as string });
      }
    }
    s.parts = next;
    s.instructions = next.map(({ text }) => text).join('\n\n');
  } else if (body['instructions'] !== undefined) {
    s.instructions = body['instructions'] as string;
    s.parts = [];
  }
  if (body['reasoning'] !== undefined) s.reasoning = body['reasoning'] as Body;
  if (body['text'] !== undefined) s.text = body['text'] as Body;
  const removed = (body['tools_removed'] ?? []) as readonly string[];
  s.tools = s.tools.filter((tool) => !removed.includes(tool['name'] as string));
  for (const tool of (body['tools_added'] ?? []) as readonly Body[])
    s.tools = [...s.tools.filter((other) => other['name'] !== tool['name']), tool];
  s.extra = new Map(s.extra);
  for (const [name, value] of Object.entries((body['extra'] ?? {}) as Body)) {
    if (value === null) s.extra.delete(name);
    else s.extra.set(name, value);
  }
  const omit = body['omit'] as Body | undefined;
  if (omit !== undefined) {
    if (Object.keys(omit).length === 0) s.omit = { reasoning: false, items: new Set() };
    else {
      const outputs = omit['outputs'] as { text: string; items?: string[] } | undefined;
      const images = omit['images'] as Body | undefined;
      s.omit = {
        ...s.omit,
        reasoning: s.omit.reasoning || omit['reasoning'] === 'other_models',
        items: new Set([...s.omit.items, ...((omit['items'] ?? []) as string[])]),
        ...(outputs === undefined
          ? {}
          : {
              outputs: {
                text: outputs.text,
                items: new Set([...(s.omit.outputs?.items ?? []), ...(outputs.items ?? [])]),
              },
            }),
        ...(images === undefined ? {} : { images }),
      };
    }
  }
  return s;
}

/** The request of a response below a path, as plain JSON. */
export function request(whole: readonly DraftEntry[], responseId: string, applyOmit: boolean): Body {
  const own = new Set<DraftEntry>();
  for (const entry of responseId === '' ? [] : [...whole].reverse()) {
    if (entry.type !== 'item') continue;
    if (entry.body['response'] !== responseId) break;
    own.add(entry);
  }
  const path = whole.filter((entry) => !own.has(entry));
  let settings = empty();
  let start = 0;
  const modelAt = new Map<DraftEntry, string>();
  const items: { entry: DraftEntry; item: Body; fixed: boolean }[] = [];
  const contribute = (entry: DraftEntry): void => {
    if (entry.type === 'item') items.push({ entry, item: entry.body['item'] as Body, fixed: false });
    if (entry.type === 'branch_summary') items.push({ entry, item: entry.body['summary'] as Body, fixed: true });
  };
  path.forEach((entry, i) => {
    modelAt.set(entry, settings.model);
    if (entry.type === 'config') settings = apply(settings, entry.body);
    else if (entry.type === 'compaction') {
      start = i;
      const { tools, ...checkpoint } = entry.body['config'] as Body;
      settings = apply(empty(), { ...checkpoint, ...(tools === undefined ? {} : { tools_added: tools }) });
    }
  });
  const compaction = path[start];
  if (compaction?.type === 'compaction') {
    for (const item of [compaction.body['summary'], ...((compaction.body['pinned'] ?? []) as Value[])])
      items.push({ entry: compaction, item: item as Body, fixed: true });
    const kept = path.findIndex(({ id }) => id === compaction.body['first_kept']);
    for (const entry of path.slice(kept, start)) contribute(entry);
    for (const entry of path.slice(start + 1)) contribute(entry);
  } else for (const entry of path) contribute(entry);

  const { omit, model } = settings;
  const images = (omit.images ?? {}) as { keep?: number; before?: string; placeholder?: string };
  const isImage = (part: Value): boolean => (part as Body)['type'] === 'input_image';
  const partsName = (item: Body): string | undefined =>
    item['type'] === 'message' ? 'content' : item['type'] === 'function_call_output' ? 'output' : undefined;
  const partsOf = (item: Body): readonly Value[] => {
    const parts = item[partsName(item) ?? ''];
    return Array.isArray(parts) ? parts : [];
  };
  const remaining = items.filter(({ entry, item, fixed }) => {
    if (!applyOmit || fixed) return true;
    if (omit.items.has(entry.id)) return false;
    const at = modelAt.get(entry) ?? '';
    return !(
      omit.reasoning &&
      item['type'] === 'reasoning' &&
      entry.body['response'] &&
      at !== '' &&
      model !== '' &&
      at !== model
    );
  });
  const total = remaining.reduce((sum, { item, fixed }) => sum + (fixed ? 0 : partsOf(item).filter(isImage).length), 0);
  const bound = path.findIndex(({ id }) => id === images.before);
  let seen = 0;
  const sent = remaining.map(({ entry, item, fixed }): Body => {
    if (!applyOmit || fixed) return item;
    const name = partsName(item);
    const replaced = partsOf(item).map((part): Value => {
      if (!isImage(part)) return part;
      seen++;
      const goes = images.keep !== undefined ? seen <= total - images.keep : bound >= 0 && path.indexOf(entry) < bound;
      return goes ? { type: 'input_text', text: images.placeholder as string } : part;
    });
    if (item['type'] === 'function_call_output' && omit.outputs?.items.has(entry.id) === true)
      return { ...item, output: omit.outputs.text };
    return name !== undefined && Array.isArray(item[name]) ? { ...item, [name]: replaced } : item;
  });

  const object: { [name: string]: Value } = Object.fromEntries(settings.extra);
  delete object['previous_response_id'];
  if (settings.model !== '') object['model'] = settings.model;
  if (settings.instructions !== '') object['instructions'] = settings.instructions;
  const isFull = (value: Body): boolean => Object.values(value).some((member) => member !== null);
  if (isFull(settings.reasoning)) object['reasoning'] = settings.reasoning;
  if (isFull(settings.text)) object['text'] = settings.text;
  if (settings.tools.length > 0) object['tools'] = settings.tools;
  if (sent.length > 0) object['input'] = sent;
  object['store'] = false;
  return object;
}
