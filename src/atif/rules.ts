/**
 * The rules of a document: atif-export 3. One walk, in the order of section 3, finds every place where one is broken; the three verdicts
 * differ in the rules they ask for.
 */
import { escapeToken } from '../json/pointer.ts';
import type { JsonMember, JsonNode, JsonObject } from '../json/tree.ts';
import { SCHEMA_FAMILY, SCHEMA_VERSIONS } from './document.ts';
import { IMAGE_TYPES, normalizeAudioMediaType } from './mediaTypes.ts';
import { isTimestamp } from './timestamp.ts';

export type Rule =
  | 'V00'
  | 'V01'
  | 'V02'
  | 'V03'
  | 'V04'
  | 'V05'
  | 'V06'
  | 'V07'
  | 'V08'
  | 'V09'
  | 'V10'
  | 'V11'
  | 'V12'
  | 'V13'
  | 'V14'
  | 'V15'
  | 'V16'
  | 'V17'
  | 'V18'
  | 'V19'
  | 'V20'
  | 'V21'
  | 'V22';

export interface Violation {
  readonly rule: Rule;
  /** JSON Pointer into the whole document, whether the member is there or not. */
  readonly pointer: string;
  /** Offset of the value in the text, or of the object that lacks it. */
  readonly byte: number;
  readonly message: string;
  readonly expected?: string;
  readonly actual?: string;
}

export type VerdictName = 'parse' | 'validate' | 'closed';

const NOT_ASKED: Readonly<Record<VerdictName, ReadonlySet<Rule>>> = {
  parse: new Set<Rule>(['V02', 'V21', 'V22']),
  validate: new Set<Rule>(['V22']),
  closed: new Set<Rule>(),
};

/** The first rule that a document breaks of those that a verdict asks for. */
export function firstBroken(violations: readonly Violation[], verdict: VerdictName): Violation | undefined {
  return violations.find(({ rule }) => !NOT_ASKED[verdict].has(rule));
}

/** Violations of one rule past this many are counted and not listed. */
const MOST_OF_A_RULE = 100;

/** Documents inside documents past this depth are not looked at. */
export const MAX_EMBEDDING = 100;

export interface RulesReport {
  /** In the order of the walk. */
  readonly violations: readonly Violation[];
  /** Those that are not listed. */
  readonly unlisted: number;
  readonly documents: number;
  readonly steps: number;
  /** Where embedding goes past the limit. */
  readonly tooDeep: string | undefined;
}

/** Every broken rule of a document and of what is embedded in it. */
export function checkRules(root: JsonNode): RulesReport {
  const walk = new Walk();
  const work: { readonly node: JsonNode; readonly at: string; readonly depth: number }[] = [
    { node: root, at: '', depth: 0 },
  ];
  let tooDeep: string | undefined;
  for (let next = work.pop(); next !== undefined; next = work.pop()) {
    const { node, at, depth } = next;
    const embedded = walk.document(node, at);
    if (embedded.length > 0 && depth === MAX_EMBEDDING) {
      tooDeep ??= `${at}/subagent_trajectories`;
      continue;
    }
    // The one pushed last is walked first.
    for (let i = embedded.length - 1; i >= 0; i--) {
      const child = embedded[i] as JsonNode;
      if (child.kind !== 'null') work.push({ node: child, at: `${at}/subagent_trajectories/${i}`, depth: depth + 1 });
    }
  }
  const { violations, unlisted, documents, steps } = walk;
  return { violations, unlisted, documents, steps, tooDeep };
}

/** Members of an object by name; of a repeated one the last counts, as for a decoder. */
class Fields {
  readonly at: string;
  readonly node: JsonObject;
  readonly #members: ReadonlyMap<string, JsonMember>;

  constructor(node: JsonObject, at: string) {
    this.node = node;
    this.at = at;
    this.#members = new Map(node.members.map((member) => [member.name, member]));
  }

  /** The value, null when the member says so or is absent. */
  get(name: string): JsonNode | undefined {
    const value = this.#members.get(name)?.value;
    return value === undefined || value.kind === 'null' ? undefined : value;
  }
  has(name: string): boolean {
    return this.#members.has(name);
  }
  names(): Iterable<string> {
    return this.#members.keys();
  }
  start(name: string): number {
    return this.#members.get(name)?.value.start ?? this.node.start;
  }
  nameStart(name: string): number {
    return this.#members.get(name)?.nameStart ?? this.node.start;
  }
  pointer(name: string): string {
    return `${this.at}/${escapeToken(name)}`;
  }
}

/** What a member may be, and the nodes that are it. */
interface NodeKind {
  readonly string: 'string';
  readonly number: 'number';
  readonly integer: 'number';
  readonly boolean: 'true' | 'false';
  readonly array: 'array';
  readonly object: 'object';
}
type Kind = keyof NodeKind;

const KINDS: Readonly<Record<JsonNode['kind'], string>> = {
  null: 'null',
  true: 'a boolean',
  false: 'a boolean',
  number: 'a number',
  string: 'a string',
  array: 'an array',
  object: 'an object',
};

const AGENT_ONLY = ['model_name', 'reasoning_effort', 'reasoning_content', 'tool_calls', 'metrics'];

class Walk {
  readonly violations: Violation[] = [];
  unlisted = 0;
  documents = 0;
  steps = 0;
  readonly #counts = new Map<Rule, number>();

  /** One document without those embedded in it, which it gives back. */
  document(node: JsonNode, at: string): readonly JsonNode[] {
    this.documents++;
    const root = this.#object(node, at);
    if (root === undefined) return [];
    const version = this.#text(root, 'schema_version');
    if (typeof version === 'string') this.#version(root, version);
    else if (version === undefined)
      this.#broken('V01', root, 'schema_version', 'the document names no version', SCHEMA_FAMILY, 'none');
    for (const name of ['session_id', 'trajectory_id', 'notes', 'continued_trajectory_ref'])
      this.#typed(root, name, 'string');
    this.#typed(root, 'extra', 'object');
    this.#agent(root);
    const embedded = this.#items(root, 'subagent_trajectories');
    const ids = new Set<string>();
    for (const child of embedded) {
      const id = child.kind === 'object' ? new Fields(child, '').get('trajectory_id') : undefined;
      if (id?.kind === 'string') ids.add(id.value);
    }
    this.#closed(root, DOCUMENT);
    this.#steps(root, ids);
    this.#finalMetrics(root);
    this.#embeddedIds(root, embedded);
    return embedded;
  }

  #version(root: Fields, version: string): void {
    if (!version.startsWith(SCHEMA_FAMILY))
      this.#broken('V01', root, 'schema_version', 'the version is not one of ATIF 1', SCHEMA_FAMILY, clip(version));
    else if (!SCHEMA_VERSIONS.includes(version))
      this.#broken(
        'V02',
        root,
        'schema_version',
        'the version is not one that is published',
        'ATIF-v1.0 to ATIF-v1.8',
        clip(version),
      );
  }

  #agent(root: Fields): void {
    const node = root.get('agent');
    if (node === undefined) {
      this.#broken('V03', root, 'agent', 'the document does not say which agent ran', 'an agent', 'none');
      return;
    }
    const agent = this.#object(node, root.pointer('agent'));
    if (agent === undefined) return;
    for (const name of ['name', 'version']) {
      const value = this.#text(agent, name);
      if (value === undefined || value === '')
        this.#broken('V03', root, 'agent', `the agent has no ${name}`, `a ${name}`, 'none');
    }
    this.#typed(agent, 'model_name', 'string');
    this.#items(agent, 'tool_definitions').forEach((tool, i) => {
      this.#object(tool, `${agent.pointer('tool_definitions')}/${i}`);
    });
    this.#typed(agent, 'extra', 'object');
    this.#closed(agent, AGENT);
  }

  #steps(root: Fields, embedded: ReadonlySet<string>): void {
    const node = root.get('steps');
    if (node !== undefined && node.kind !== 'array') {
      this.#wrongType(node, root.pointer('steps'), 'array');
      return;
    }
    if (node === undefined || node.items.length === 0) {
      this.#broken('V04', root, 'steps', 'the document has no steps', 'at least one step', 'none');
      return;
    }
    node.items.forEach((item, i) => {
      this.steps++;
      const step = this.#object(item, `${root.pointer('steps')}/${i}`);
      if (step !== undefined) this.#step(step, i + 1, embedded);
    });
  }

  #step(step: Fields, position: number, embedded: ReadonlySet<string>): void {
    const id = this.#number(step, 'step_id', 'integer');
    if (id !== null && id !== position)
      this.#broken(
        'V05',
        step,
        'step_id',
        'step ids count from 1 without a gap',
        String(position),
        id === undefined ? 'none' : String(id),
      );
    const source = this.#text(step, 'source');
    const isKnown = source === 'system' || source === 'user' || source === 'agent';
    if (source !== null && !isKnown)
      this.#broken(
        'V06',
        step,
        'source',
        'a step is of the system, the user or the agent',
        'system, user or agent',
        source === undefined ? 'none' : clip(source),
      );
    const time = this.#text(step, 'timestamp');
    if (typeof time === 'string' && !isTimestamp(time))
      this.#broken(
        'V07',
        step,
        'timestamp',
        'the time of the step is no ISO 8601 time that exists',
        'such as 2026-11-30T12:00:00Z',
        clip(time),
      );
    if (isKnown && source !== 'agent')
      for (const name of AGENT_ONLY)
        if (step.get(name) !== undefined)
          this.#broken('V08', step, name, `a ${source} step has a ${name}, which only agent steps have`, 'none');
    this.#callCount(step, source === 'agent');
    if (step.get('message') === undefined)
      this.#broken('V11', step, 'message', 'the step has no message', 'a text, which may be empty', 'none');
    else this.#content(step, 'message');
    this.#typed(step, 'model_name', 'string');
    const effort = step.get('reasoning_effort');
    if (effort !== undefined && effort.kind !== 'string' && effort.kind !== 'number')
      this.#wrongType(effort, step.pointer('reasoning_effort'), 'string');
    this.#typed(step, 'reasoning_content', 'string');
    this.#typed(step, 'is_copied_context', 'boolean');
    this.#typed(step, 'extra', 'object');
    const calls = this.#calls(step);
    this.#observation(step, calls, embedded);
    this.#metrics(step);
    this.#closed(step, STEP);
  }

  #callCount(step: Fields, isAgent: boolean): void {
    const count = this.#number(step, 'llm_call_count', 'integer');
    if (typeof count !== 'number') return;
    if (count < 0)
      this.#broken('V09', step, 'llm_call_count', 'a step made fewer than no calls', '0 or more', String(count));
    else if (count === 0 && isAgent)
      for (const name of ['metrics', 'reasoning_content'])
        if (step.get(name) !== undefined) {
          this.#broken(
            'V10',
            step,
            'llm_call_count',
            `the step made no model call and has a ${name}`,
            `no ${name}, or a call`,
            '0',
          );
          break;
        }
  }

  /** Ids of the calls of a step. */
  #calls(step: Fields): ReadonlySet<string> {
    const ids = new Set<string>();
    this.#items(step, 'tool_calls').forEach((node, i) => {
      const at = `${step.pointer('tool_calls')}/${i}`;
      const call = this.#object(node, at);
      if (call === undefined) return;
      for (const name of ['tool_call_id', 'function_name']) {
        const text = this.#text(call, name);
        if (name === 'tool_call_id' && typeof text === 'string') ids.add(text);
        if (text === undefined || text === '') this.#brokenAt('V16', node, at, `the call has no ${name}`, name, 'none');
      }
      const args = call.get('arguments');
      if (args?.kind !== 'object')
        this.#brokenAt(
          'V16',
          node,
          at,
          'the arguments of the call are not an object',
          'an object, {} for none',
          args === undefined ? 'none' : KINDS[args.kind],
        );
      this.#typed(call, 'extra', 'object');
      this.#closed(call, TOOL_CALL);
    });
    return ids;
  }

  #observation(step: Fields, calls: ReadonlySet<string>, embedded: ReadonlySet<string>): void {
    const node = step.get('observation');
    const observation = node === undefined ? undefined : this.#object(node, step.pointer('observation'));
    if (observation === undefined) return;
    const results = observation.get('results');
    this.#closed(observation, OBSERVATION);
    if (results?.kind !== 'array') {
      this.#broken(
        'V17',
        observation,
        'results',
        'the results of the observation are not a list',
        'a list, [] for none',
        results === undefined ? 'none' : KINDS[results.kind],
      );
      return;
    }
    results.items.forEach((item, i) => {
      const result = this.#object(item, `${observation.pointer('results')}/${i}`);
      if (result === undefined) return;
      const id = this.#text(result, 'source_call_id');
      if (typeof id === 'string' && !calls.has(id))
        this.#broken(
          'V17',
          result,
          'source_call_id',
          'the result answers a call that its step does not have',
          'the id of a call of the same step',
          clip(id),
        );
      if (result.get('content') !== undefined) this.#content(result, 'content');
      this.#items(result, 'subagent_trajectory_ref').forEach((reference, k) => {
        this.#reference(reference, `${result.pointer('subagent_trajectory_ref')}/${k}`, embedded);
      });
      this.#typed(result, 'extra', 'object');
      this.#closed(result, RESULT);
    });
  }

  #reference(node: JsonNode, at: string, embedded: ReadonlySet<string>): void {
    const reference = this.#object(node, at);
    if (reference === undefined) return;
    const [id, path] = [this.#text(reference, 'trajectory_id'), this.#text(reference, 'trajectory_path')];
    const isEmpty = (text: string | null | undefined): boolean => text === undefined || text === '';
    if (isEmpty(id) && isEmpty(path))
      this.#brokenAt(
        'V18',
        node,
        at,
        'the reference to another run names neither a document nor a file',
        'trajectory_id or trajectory_path',
        'neither',
      );
    else if (isEmpty(path) && typeof id === 'string' && !embedded.has(id))
      this.#broken(
        'V21',
        reference,
        'trajectory_id',
        'no embedded document has the id that the reference names',
        'the id of an embedded document',
        clip(id),
      );
    this.#typed(reference, 'session_id', 'string');
    this.#typed(reference, 'extra', 'object');
    this.#closed(reference, REFERENCE);
  }

  #content(owner: Fields, name: string): void {
    const node = owner.get(name);
    if (node === undefined || node.kind === 'string') return;
    const at = owner.pointer(name);
    if (node.kind !== 'array') {
      this.#brokenAt('V12', node, at, 'the content is neither a text nor a list', 'a text or a list', KINDS[node.kind]);
      return;
    }
    node.items.forEach((item, i) => {
      const part = this.#object(item, `${at}/${i}`);
      if (part !== undefined) this.#part(part, item);
    });
  }

  #part(part: Fields, node: JsonNode): void {
    const type = part.get('type');
    const broken = (rule: Rule, message: string, expected: string) =>
      this.#brokenAt(rule, node, part.at, message, expected);
    if (type?.kind !== 'string' || !['text', 'image', 'audio'].includes(type.value)) {
      broken('V12', 'the part is of no known type', 'text, image or audio');
      return;
    }
    this.#closed(part, PART);
    const text = part.get('text');
    const source = part.get('source');
    if (type.value === 'text') {
      if (text?.kind !== 'string') broken('V13', 'the text part has no text', 'a text, which may be empty');
      else if (source !== undefined) broken('V13', 'the text part has a source', 'no source');
      return;
    }
    if (text !== undefined) {
      broken('V14', `the ${type.value} part has a text`, 'no text');
      return;
    }
    if (source === undefined) {
      broken('V14', `the ${type.value} part has no source`, 'a source with media_type and path');
      return;
    }
    const fields = this.#object(source, part.pointer('source'));
    if (fields === undefined) return;
    const [mediaType, path] = [this.#text(fields, 'media_type'), this.#text(fields, 'path')];
    this.#closed(fields, SOURCE);
    if (mediaType === null || path === null) return;
    if (mediaType === undefined || mediaType === '' || path === undefined || path === '') {
      broken('V14', `the source of the ${type.value} part has no media_type or no path`, 'both');
      return;
    }
    this.#source(fields, source, type.value, mediaType);
  }

  #source(fields: Fields, node: JsonNode, type: string, mediaType: string): void {
    const isImage = type === 'image';
    const known = isImage ? IMAGE_TYPES.has(mediaType) : normalizeAudioMediaType(mediaType) !== undefined;
    const duration = this.#number(fields, 'duration_sec', 'number');
    if (!known)
      this.#brokenAt(
        'V15',
        node,
        fields.at,
        `the media type is not one of ${isImage ? 'images' : 'audio'} that the format takes`,
        isImage ? [...IMAGE_TYPES].join(', ') : 'audio/wav, audio/mpeg, audio/mp4 or another of the list',
        clip(mediaType),
      );
    else if (isImage && fields.has('duration_sec'))
      this.#brokenAt('V15', node, fields.at, 'an image has a duration', 'none');
    else if (typeof duration === 'number' && duration < 0)
      this.#brokenAt('V15', node, fields.at, 'the duration is negative', '0 or more');
  }

  #metrics(step: Fields): void {
    const node = step.get('metrics');
    const metrics = node === undefined ? undefined : this.#object(node, step.pointer('metrics'));
    if (metrics === undefined) return;
    for (const name of ['prompt_tokens', 'completion_tokens', 'cached_tokens']) this.#typed(metrics, name, 'integer');
    this.#typed(metrics, 'cost_usd', 'number');
    for (const name of ['prompt_token_ids', 'completion_token_ids', 'logprobs'])
      this.#items(metrics, name).forEach((item, i) => {
        const isWhole = name === 'logprobs' || (item.kind === 'number' && Number.isInteger(Number(item.text)));
        if (item.kind !== 'number' || !isWhole)
          this.#wrongType(item, `${metrics.pointer(name)}/${i}`, name === 'logprobs' ? 'number' : 'integer');
      });
    this.#typed(metrics, 'extra', 'object');
    this.#closed(metrics, METRICS);
  }

  #finalMetrics(root: Fields): void {
    const node = root.get('final_metrics');
    const metrics = node === undefined ? undefined : this.#object(node, root.pointer('final_metrics'));
    if (metrics === undefined) return;
    for (const name of ['total_prompt_tokens', 'total_completion_tokens', 'total_cached_tokens'])
      this.#typed(metrics, name, 'integer');
    this.#typed(metrics, 'total_cost_usd', 'number');
    const steps = this.#number(metrics, 'total_steps', 'integer');
    if (typeof steps === 'number' && steps < 0)
      this.#broken('V19', metrics, 'total_steps', 'the number of steps is negative', '0 or more');
    this.#typed(metrics, 'extra', 'object');
    this.#closed(metrics, FINAL_METRICS);
  }

  #embeddedIds(root: Fields, embedded: readonly JsonNode[]): void {
    const seen = new Set<string>();
    embedded.forEach((node, i) => {
      const at = `${root.pointer('subagent_trajectories')}/${i}`;
      if (node.kind === 'null') this.#brokenAt('V20', node, at, 'the embedded document is null', 'a document', 'null');
      if (node.kind !== 'object') return;
      const child = new Fields(node, at);
      const id = child.get('trajectory_id');
      if (id !== undefined && id.kind !== 'string') return;
      if (id === undefined || id.value === '')
        this.#broken('V20', child, 'trajectory_id', 'the embedded document has no id', 'an id', 'none');
      else if (seen.has(id.value))
        this.#broken(
          'V20',
          child,
          'trajectory_id',
          'two embedded documents have one id',
          'an id of its own',
          clip(id.value),
        );
      else seen.add(id.value);
    });
  }

  #object(node: JsonNode, at: string): Fields | undefined {
    if (node.kind === 'object') return new Fields(node, at);
    this.#wrongType(node, at, 'object');
    return undefined;
  }

  /** The value of a string member: undefined when it is absent or null, null after a finding. */
  #text(owner: Fields, name: string): string | null | undefined {
    const node = this.#typed(owner, name, 'string');
    return node === null || node === undefined ? node : node.value;
  }

  /** The same of a number. */
  #number(owner: Fields, name: string, kind: 'number' | 'integer'): number | null | undefined {
    const node = this.#typed(owner, name, kind);
    return node === null || node === undefined ? node : Number(node.text);
  }

  /** A member of a type: undefined when it is absent or null, null after a finding. */
  #typed<K extends Kind>(
    owner: Fields,
    name: string,
    kind: K,
  ): Extract<JsonNode, { kind: NodeKind[K] }> | null | undefined {
    const node = owner.get(name);
    if (node === undefined) return undefined;
    const fits =
      kind === 'boolean'
        ? node.kind === 'true' || node.kind === 'false'
        : kind === 'integer'
          ? node.kind === 'number' && Number.isInteger(Number(node.text))
          : node.kind === kind;
    if (fits) return node as Extract<JsonNode, { kind: NodeKind[K] }>;
    this.#wrongType(node, owner.pointer(name), kind);
    return null;
  }

  /** The elements of a list; none after a finding. */
  #items(owner: Fields, name: string): readonly JsonNode[] {
    return this.#typed(owner, name, 'array')?.items ?? [];
  }

  #closed(owner: Fields, names: ReadonlySet<string>): void {
    for (const name of owner.names())
      if (!names.has(name))
        this.#add({
          rule: 'V22',
          pointer: owner.pointer(name),
          byte: owner.nameStart(name),
          message: `the format does not declare the member ${JSON.stringify(clip(name))} here`,
          expected: 'members of the format; others belong into extra',
          actual: clip(name),
        });
  }

  #wrongType(node: JsonNode, pointer: string, kind: Kind): void {
    const expected = `${'aio'.includes(kind[0] as string) ? 'an' : 'a'} ${kind}`;
    const actual = node.kind === 'number' && kind === 'integer' ? 'a number with a fraction' : KINDS[node.kind];
    this.#add({ rule: 'V00', pointer, byte: node.start, message: `the value is ${actual}`, expected, actual });
  }

  #broken(rule: Rule, owner: Fields, name: string, message: string, expected: string, actual?: string): void {
    this.#add({
      rule,
      pointer: owner.pointer(name),
      byte: owner.start(name),
      message,
      expected,
      ...(actual === undefined ? {} : { actual }),
    });
  }

  #brokenAt(rule: Rule, node: JsonNode, pointer: string, message: string, expected: string, actual?: string): void {
    this.#add({ rule, pointer, byte: node.start, message, expected, ...(actual === undefined ? {} : { actual }) });
  }

  #add(violation: Violation): void {
    const count = (this.#counts.get(violation.rule) ?? 0) + 1;
    this.#counts.set(violation.rule, count);
    if (count <= MOST_OF_A_RULE) this.violations.push(violation);
    else this.unlisted++;
  }
}

const names = (text: string): ReadonlySet<string> => new Set(text.split(' '));

const DOCUMENT = names(
  'schema_version session_id trajectory_id agent steps notes final_metrics continued_trajectory_ref extra subagent_trajectories',
);
const AGENT = names('name version model_name tool_definitions extra');
const STEP = names(
  'step_id timestamp source model_name reasoning_effort message reasoning_content tool_calls observation metrics is_copied_context llm_call_count extra',
);
const PART = names('type text source');
const SOURCE = names('media_type path duration_sec');
const TOOL_CALL = names('tool_call_id function_name arguments extra');
const OBSERVATION = names('results');
const RESULT = names('source_call_id content subagent_trajectory_ref extra');
const REFERENCE = names('trajectory_id session_id trajectory_path extra');
const METRICS = names(
  'prompt_tokens completion_tokens cached_tokens cost_usd prompt_token_ids completion_token_ids logprobs extra',
);
const FINAL_METRICS = names(
  'total_prompt_tokens total_completion_tokens total_cached_tokens total_cost_usd total_steps extra',
);

function clip(text: string): string {
  return text.length > 80 ? `${text.slice(0, 80)}…` : text;
}
