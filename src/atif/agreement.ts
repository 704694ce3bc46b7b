/**
 * Whether the steps of a document say what the raw items beside them say: the mapping of atif-export 5.3 to 5.6 made again from the items
 * that the document carries, and held against what it shows. Costs and reported model names follow from options and are not held.
 */
import type { Finding } from '../finding/finding.ts';
import { catalogue } from './catalogue.ts';
import { argumentsOf, contentOf, joinContents, readableText, reasoningText } from './content.ts';
import {
  type AtifDocument,
  isArray,
  isObject,
  type Json,
  type JsonObject,
  member,
  type ObservationResult,
  type Step,
  textMember,
} from './document.ts';
import { rawItems } from './items.ts';
import { usageOf } from './usage.ts';
import { jsonText } from './write.ts';

export interface Agreement {
  readonly findings: readonly Finding[];
  /** Findings that are not listed. */
  readonly unlisted: number;
  /** Steps that carry raw items, and all steps, embedded documents included. */
  readonly withItems: number;
  readonly steps: number;
  readonly items: number;
}

const MOST_FINDINGS = 100;

/** Holds every step against its raw items. The document and those embedded in it must keep the rules. */
export function checkAgreement(root: AtifDocument): Agreement {
  const check = new Check();
  const work: { readonly document: AtifDocument; readonly at: string }[] = [{ document: root, at: '' }];
  for (let next = work.pop(); next !== undefined; next = work.pop()) {
    const { document, at } = next;
    check.document(document, at);
    const embedded = document.subagent_trajectories ?? [];
    for (let i = embedded.length - 1; i >= 0; i--)
      work.push({ document: embedded[i] as AtifDocument, at: `${at}/subagent_trajectories/${i}` });
  }
  const { findings, unlisted, withItems, steps, items } = check;
  return { findings, unlisted, withItems, steps, items };
}

class Check {
  readonly findings: Finding[] = [];
  unlisted = 0;
  withItems = 0;
  steps = 0;
  items = 0;

  document(document: AtifDocument, at: string): void {
    const bad = new Set<number>();
    for (const { step, pointer, value } of rawItems(document)) {
      this.items++;
      if (isObject(value)) continue;
      bad.add(step);
      this.#add(
        catalogue.find('atif/bad-item', `step ${step}: the raw item is not an object`, {
          where: { pointer: `${at}${pointer}` },
          expected: 'an object',
        }),
      );
    }
    document.steps.forEach((step, i) => {
      this.steps++;
      if (bad.has(i + 1)) this.withItems++;
      else this.#step(step, `${at}/steps/${i}`);
    });
  }

  #step(step: Step, at: string): void {
    const extra = step.extra ?? null;
    const raw = member(extra, 'openresponses');
    const item = member(raw, 'item');
    const list = member(raw, 'items');
    let carries = false;
    if (isObject(item)) {
      carries = true;
      this.#single(step, item, extra, at);
    }
    if (isArray(list)) {
      carries = true;
      this.#call(step, list as readonly JsonObject[], member(raw, 'response'), at);
    }
    (step.observation?.results ?? []).forEach((result, i) => {
      const output = member(member(result.extra ?? null, 'openresponses'), 'item');
      if (!isObject(output)) return;
      carries = true;
      const place = `${at}/observation/results/${i}`;
      this.#same(`${place}/source_call_id`, 'call of the result', textMember(output, 'call_id'), result.source_call_id);
      this.#result(place, output, result);
    });
    if (carries) this.withItems++;
  }

  /** A step made from one item, or from a fold (5.3, 5.5). */
  #single(step: Step, item: JsonObject, extra: Json, at: string): void {
    const type = textMember(item, 'type') ?? '';
    const isFold = member(extra, 'first_kept') !== undefined || member(extra, 'branch_from') !== undefined;
    const first = step.observation?.results[0];
    if (isFold) {
      this.#same(`${at}/source`, 'source of the step', 'system', step.source);
      const isCompaction = member(extra, 'first_kept') !== undefined;
      const shown = !isCompaction && type === 'message' ? contentOf(member(item, 'content')) : readableText(item);
      this.#same(`${at}/message`, 'message', shown as Json, step.message as Json);
      if (isCompaction) this.#same(`${at}/observation/results/0/content`, 'summary', shown as Json, contentIn(first));
      return;
    }
    if (type === 'function_call_output') {
      this.#same(`${at}/message`, 'message', '', step.message as Json);
      if (first === undefined)
        this.#same(`${at}/observation`, 'output', contentOf(member(item, 'output')) as Json, null);
      else this.#result(`${at}/observation/results/0`, item, first);
      return;
    }
    const role = textMember(item, 'role') ?? '';
    this.#same(`${at}/source`, 'source of the step', role === 'user' ? 'user' : 'system', step.source);
    const shown = type === 'message' ? contentOf(member(item, 'content')) : readableText(item);
    this.#same(`${at}/message`, 'message', shown as Json, step.message as Json);
  }

  #result(place: string, item: JsonObject, result: ObservationResult): void {
    this.#same(`${place}/content`, 'output', contentOf(member(item, 'output')) as Json, contentIn(result));
  }

  /** An agent step (5.4). */
  #call(step: Step, items: readonly JsonObject[], response: Json | undefined, at: string): void {
    const ofType = (type: string): readonly JsonObject[] => items.filter((item) => textMember(item, 'type') === type);
    this.#same(`${at}/source`, 'source of the step', 'agent', step.source);
    const messages = ofType('message').map((item) => contentOf(member(item, 'content')));
    const message = messages.length === 0 ? '' : joinContents(messages);
    this.#same(`${at}/message`, 'message', message as Json, step.message as Json);
    const reasoning = ofType('reasoning')
      .map(reasoningText)
      .filter((text) => text !== '');
    this.#same(`${at}/reasoning_content`, 'reasoning', reasoning.join('\n'), step.reasoning_content ?? '');
    const calls = ofType('function_call').map((item) => ({
      tool_call_id: textMember(item, 'call_id') ?? '',
      function_name: textMember(item, 'name') ?? '',
      arguments: argumentsOf(textMember(item, 'arguments') ?? ''),
    }));
    const shown = (step.tool_calls ?? []).map(({ tool_call_id, function_name, arguments: args }) => ({
      tool_call_id,
      function_name,
      arguments: args,
    }));
    this.#same(`${at}/tool_calls`, 'tool calls', calls, shown);
    if (!isObject(response)) return;
    this.#same(`${at}/timestamp`, 'time', textMember(response, 'ts') ?? null, step.timestamp ?? null);
    const attempts = member(response, 'attempts');
    const isCount = typeof attempts === 'number' && Number.isInteger(attempts) && attempts > 0;
    this.#same(`${at}/llm_call_count`, 'number of model calls', isCount ? attempts : 1, step.llm_call_count ?? null);
    const usage = usageOf(member(response, 'usage'));
    const tokens = usage === undefined ? null : [usage.input, usage.output, usage.cached];
    const { prompt_tokens: input, completion_tokens: output, cached_tokens: cached } = step.metrics ?? {};
    const told = [input ?? null, output ?? null, cached ?? null];
    this.#same(`${at}/metrics`, 'tokens', tokens, usage === undefined && told.every((n) => n === null) ? null : told);
  }

  #same(pointer: string, what: string, items: Json | undefined, shown: Json | undefined): void {
    const [expected, actual] = [items ?? null, shown ?? null].map((value) => jsonText(value, true)) as [string, string];
    if (expected === actual) return;
    this.#add(
      catalogue.find('atif/items-disagree', `the ${what} is not what the raw items beside it say`, {
        where: { pointer },
        expected: clip(expected),
        actual: clip(actual),
      }),
    );
  }

  #add(finding: Finding): void {
    if (this.findings.length < MOST_FINDINGS) this.findings.push(finding);
    else this.unlisted++;
  }
}

/** Content of a result as 5.3 and 2.5 leave it: the empty text is left out. */
function contentIn(result: ObservationResult | undefined): Json {
  return (result?.content ?? '') as Json;
}

function clip(text: string): string {
  return text.length > 200 ? `${text.slice(0, 200)}…` : text;
}
