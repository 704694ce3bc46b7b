/** Settings as a writer writes them, in the shortest form that replays to them. Session-format 6.3, 6.4, 6.6, 6.7. */
import { utf8 } from '../../bytes/encoding.ts';
import { canonicalOfTree } from '../../json/canonical.ts';
import type { JsonMember, JsonNode, JsonObject } from '../../json/tree.ts';
import { checkpointText } from '../checkpoint.ts';
import { hasId, idsOf } from '../idSet.ts';
import { treeOf } from '../raw.ts';
import {
  EMPTY_SETTINGS,
  type ListedOmission,
  type OmitInForce,
  omitsNothing,
  PART_SEPARATOR,
  type ResolvedPart,
  resolveParts,
  type Settings,
  textHash,
} from '../settings.ts';
import { SessionError } from './error.ts';
import {
  type JsonValue,
  memberNamed,
  memberOf,
  nodeOf,
  objectOf,
  objectOfValue,
  stringNode,
  textMember,
} from './value.ts';

/** A part of the instructions as a writer has it. */
export interface WantedPart {
  readonly id: string;
  readonly text: string;
  readonly source?: string;
}

/** The settings whole, as the config entry that stands alone on a root (6.7): what no element of it could name is left out. */
export function configOfSettings(settings: Settings): JsonObject {
  const resolved = { ...settings, instructionsOmitted: settings.instructionsOmitted.filter(({ id }) => id !== '') };
  const checkpoint = treeOf({ bytes: utf8(checkpointText(resolved)) }) as JsonObject;
  return objectOf([
    ...checkpoint.members.map((member) => (member.name === 'tools' ? { ...member, name: 'tools_added' } : member)),
    memberOf('replace', { kind: 'true', start: 0, end: 0 }),
  ]);
}

/** Members of a request that are about the one call (openresponses 6). */
const CALL_MEMBERS: ReadonlySet<string> = new Set([
  'input',
  'previous_response_id',
  'store',
  'stream',
  'stream_options',
  'background',
]);
const NAMED: ReadonlySet<string> = new Set(['model', 'instructions', 'reasoning', 'text', 'tools']);

function isEmpty(node: JsonNode | undefined): boolean {
  return (
    node === undefined ||
    node.kind === 'null' ||
    (node.kind === 'object' && node.members.every(({ value }) => value.kind === 'null'))
  );
}

/**
 * The body of the config entry for a request (openresponses 6.1).
 *
 * @param parts the instructions in parts, whose texts joined are the request's.
 */
export function configFromRequest(request: JsonObject, parts: readonly WantedPart[] = []): JsonObject {
  const members: JsonMember[] = [memberOf('replace', { kind: 'true', start: 0, end: 0 })];
  const put = (name: string, value: JsonNode): number => members.push(memberOf(name, value));
  const model = textMember(request, 'model') ?? '';
  if (model !== '') put('model', stringNode(model));
  const instructions = textMember(request, 'instructions') ?? '';
  if (parts.length > 0) {
    if (parts.map(({ text }) => text).join(PART_SEPARATOR) !== instructions)
      throw new SessionError('bad_entry', 'the parts joined are not the instructions of the request');
    put('instructions_parts', { kind: 'array', items: parts.map(wholePart), start: 0, end: 0 });
  }
  if (instructions !== '') put('instructions', stringNode(instructions));
  for (const name of ['reasoning', 'text']) {
    const value = memberNamed(request, name);
    if (value?.kind === 'object' && !isEmpty(value)) put(name, value);
  }
  const tools = memberNamed(request, 'tools');
  if (tools?.kind === 'array' && tools.items.length > 0) put('tools_added', tools);
  const extra = request.members.filter(
    ({ name, value }) => !CALL_MEMBERS.has(name) && !NAMED.has(name) && value.kind !== 'null',
  );
  if (extra.length > 0) put('extra', objectOf(extra));
  return objectOf(members);
}

/** What is wanted of the settings; members that are absent stay as they are. */
export interface WantedSettings {
  readonly model?: string;
  readonly instructions?: string;
  readonly parts?: readonly WantedPart[];
  readonly omitted?: readonly JsonValue[];
  readonly reasoning?: JsonValue;
  readonly text?: JsonValue;
  readonly tools?: readonly JsonValue[];
  readonly extra?: { readonly [name: string]: JsonValue };
}

/** The body of the config entry that brings the settings in force to what is wanted; undefined when they are. */
export function configDelta(settings: Settings, want: WantedSettings): JsonObject | undefined {
  const members: JsonMember[] = [];
  const put = (name: string, value: JsonNode): number => members.push(memberOf(name, value));
  if (want.model !== undefined && want.model !== settings.model) put('model', stringNode(want.model));
  if (want.parts !== undefined) {
    const delta = instructionsDelta(settings, want.parts);
    if (delta !== undefined) members.push(...delta.members);
  } else if (
    want.instructions !== undefined &&
    (want.instructions !== settings.instructions || settings.instructionsParts.length > 0)
  )
    put('instructions', stringNode(want.instructions));
  if (want.omitted !== undefined) {
    const delta = omittedDelta(settings, want.omitted);
    if (delta !== undefined) put('instructions_omitted', delta);
  }
  for (const name of ['reasoning', 'text'] as const) {
    const wanted = want[name];
    if (wanted === undefined) continue;
    const node = wanted === null ? objectOf([]) : nodeOf(wanted);
    if (canonicalOfTree(node) !== (settings[name] ?? '{}')) put(name, node);
  }
  if (want.tools !== undefined) members.push(...toolsDelta(settings, want.tools));
  if (want.extra !== undefined) {
    const extra = extraDelta(settings, objectOfValue(want.extra));
    if (extra.length > 0) put('extra', objectOf(extra));
  }
  return members.length === 0 ? undefined : objectOf(members);
}

/** Tools leave by name and come at the end, so what stays is the longest beginning of the list that is in force in this order. */
function toolsDelta(settings: Settings, wanted: readonly JsonValue[]): readonly JsonMember[] {
  const tools = wanted.map((tool) => {
    const node = nodeOf(tool);
    return { name: node.kind === 'object' ? (textMember(node, 'name') ?? '') : '', json: canonicalOfTree(node), node };
  });
  let kept = 0;
  let at = 0;
  while (kept < tools.length) {
    const found = settings.tools.findIndex(({ json }, i) => i >= at && json === tools[kept]?.json);
    if (found < 0) break;
    at = found + 1;
    kept++;
  }
  const stay = new Set(tools.slice(0, kept).map(({ json }) => json));
  const added = tools.slice(kept);
  const returns = new Set(added.map(({ name }) => name));
  const gone = settings.tools.filter(({ json }) => !stay.has(json));
  if (gone.some(({ name }) => name === ''))
    throw new SessionError('bad_entry', 'a tool without a name leaves only with a replace');
  const removed = gone.map(({ name }) => name).filter((name) => !returns.has(name));
  const list = (items: readonly JsonNode[]): JsonNode => ({ kind: 'array', items, start: 0, end: 0 });
  return [
    ...(added.length === 0 ? [] : [memberOf('tools_added', list(added.map(({ node }) => node)))]),
    ...(removed.length === 0 ? [] : [memberOf('tools_removed', list(removed.map(stringNode)))]),
  ];
}

function extraDelta(settings: Settings, wanted: JsonObject): readonly JsonMember[] {
  const names = new Set(wanted.members.map(({ name }) => name));
  return [
    ...wanted.members.filter(
      ({ name, value }) => value.kind !== 'null' && settings.extra.get(name) !== canonicalOfTree(value),
    ),
    ...[...settings.extra.keys()]
      .filter((name) => !names.has(name))
      .map((name) => memberOf(name, { kind: 'null', start: 0, end: 0 })),
  ];
}

function wholePart({ id, text, source = '' }: WantedPart): JsonObject {
  return objectOfValue({ id, text, ...(source === '' ? {} : { source }) });
}

function samePart(part: ResolvedPart | undefined, want: WantedPart): boolean {
  return (
    part !== undefined &&
    !part.unresolved &&
    part.id === want.id &&
    part.text === want.text &&
    part.source === (want.source ?? '')
  );
}

/** Session-format 6.3, writer side: members of a config entry; undefined when the parts in force are exactly these. */
export function instructionsDelta(settings: Settings, parts: readonly WantedPart[]): JsonObject | undefined {
  const { instructionsParts: inForce, partsThatLeft } = settings;
  if (parts.length === 0) {
    const isNone = inForce.length === 0 && settings.instructions === '';
    return isNone ? undefined : objectOfValue({ instructions: '' });
  }
  if (parts.length === inForce.length && parts.every((part, i) => samePart(inForce[i], part))) return undefined;
  const position = new Map(inForce.map((part, index) => [part.id, index]));
  const isUnique = position.size === inForce.length;
  const items: JsonObject[] = [];
  let cursor = 0;
  for (let i = 0; i < parts.length; ) {
    let run = 0;
    while (isUnique && i + run < parts.length && samePart(inForce[cursor + run], parts[i + run] as WantedPart)) run++;
    if (run > 0) {
      items.push(objectOfValue({ keep: run }));
      cursor += run;
      i += run;
      continue;
    }
    const part = parts[i++] as WantedPart;
    const byHash = { id: part.id, hash: textHash(part.text) };
    const [found] = resolveParts(inForce, [byHash], partsThatLeft);
    items.push(samePart(found, part) ? objectOfValue(byHash) : wholePart(part));
    cursor = (position.get(part.id) ?? cursor - 1) + 1;
  }
  return objectOf([memberOf('instructions_parts', { kind: 'array', items, start: 0, end: 0 })]);
}

/** How many lists beside the one in force a writer looks at (6.4). */
const RECENT_LISTS = 16;

/** Session-format 6.4, writer side: the value of `instructions_omitted`; undefined when the list is in force. */
export function omittedDelta(settings: Settings, list: readonly JsonValue[]): JsonNode | undefined {
  const want = list.map((element) => {
    const node = nodeOf(element);
    const id = node.kind === 'object' ? (textMember(node, 'id') ?? '') : '';
    if (node.kind !== 'object' || id === '') throw new SessionError('bad_entry', 'an omitted part has an id');
    return { id, json: canonicalOfTree(node), node };
  });
  const { instructionsOmitted: inForce } = settings;
  if (want.length === inForce.length && want.every(({ json }, i) => json === inForce[i]?.json)) return undefined;
  const whole: readonly JsonNode[] = want.map(({ node }) => node);
  const candidates: (readonly JsonNode[])[] = [whole];
  const isUnique = (ids: readonly { readonly id: string }[]): boolean =>
    new Set(ids.map(({ id }) => id)).size === ids.length;
  if (isUnique(want) && want.length > 0) {
    if (isUnique(inForce)) candidates.push(keeping(want, inForce, undefined));
    for (const [of, recent] of recentLists(settings)) if (isUnique(recent)) candidates.push(keeping(want, recent, of));
  }
  const array = (items: readonly JsonNode[]): JsonNode => ({ kind: 'array', items, start: 0, end: 0 });
  const sized = candidates.map((items) => ({ items, size: canonicalOfTree(array(items)).length }));
  const best = sized.reduce((a, b) => (b.size < a.size ? b : a));
  return array(best.items);
}

/** The lists that the path put in force before, newest first, each once. */
function recentLists(settings: Settings): readonly (readonly [of: string, list: readonly ListedOmission[]])[] {
  const found: (readonly [string, readonly ListedOmission[]])[] = [];
  for (let layer = settings.omittedLists; layer !== undefined; layer = layer.older)
    for (const [of, list] of [...layer.values].reverse()) {
      if (found.length === RECENT_LISTS) return found;
      if (list !== settings.instructionsOmitted && list.length > 0) found.push([of, list]);
    }
  return found;
}

/** The wanted list with runs of another as keeps. A part that is written out moves the cursor behind itself. */
function keeping(
  want: readonly { readonly id: string; readonly json: string; readonly node: JsonNode }[],
  list: readonly ListedOmission[],
  of: string | undefined,
): readonly JsonNode[] {
  const position = new Map(list.map(({ id }, index) => [id, index]));
  const items: JsonNode[] = [];
  let cursor = 0;
  for (let i = 0; i < want.length; ) {
    let run = 0;
    while (i + run < want.length && list[cursor + run]?.json === want[i + run]?.json) run++;
    if (run > 0) {
      items.push(objectOfValue({ keep: run, of }));
      cursor += run;
      i += run;
      continue;
    }
    const { id, node } = want[i++] as (typeof want)[number];
    items.push(node);
    cursor = (position.get(id) ?? cursor - 1) + 1;
  }
  return items;
}

export interface WantedOmit {
  readonly reasoning?: 'other_models';
  readonly items?: readonly string[];
  readonly outputs?: { readonly text: string; readonly items?: readonly string[] };
  readonly images?:
    | { readonly keep: number; readonly placeholder: string }
    | { readonly before: string; readonly placeholder: string };
}

/** Session-format 6.6, writer side: the values of `omit` to be written one after the other: none, one, or a clearing one and one. */
export function omitDelta(inForce: OmitInForce, want: WantedOmit): readonly JsonObject[] {
  const items = want.items ?? [];
  const outputIds = want.outputs?.items ?? [];
  const nothing =
    want.reasoning === undefined && items.length === 0 && want.outputs === undefined && want.images === undefined;
  if (nothing) return omitsNothing(inForce) ? [] : [objectOf([])];
  const goes =
    (inForce.otherModels && want.reasoning === undefined) ||
    idsOf(inForce.items).some((id) => !items.includes(id)) ||
    (inForce.outputs !== undefined && want.outputs === undefined) ||
    idsOf(inForce.outputs?.items ?? EMPTY_SETTINGS.omit.items).some((id) => !outputIds.includes(id)) ||
    (inForce.images !== undefined && want.images === undefined);
  const from = goes ? EMPTY_SETTINGS.omit : inForce;
  const added = items.filter((id) => !hasId(from.items, id));
  const outputs = from.outputs;
  const newOutputs = outputIds.filter((id) => outputs === undefined || !hasId(outputs.items, id));
  const images = want.images === undefined ? undefined : objectOfValue(want.images);
  const imagesInForce = from.images === undefined ? undefined : canonicalOfTree(objectOfValue(from.images));
  const delta = objectOfValue({
    reasoning: want.reasoning !== undefined && !from.otherModels ? want.reasoning : undefined,
    items: added.length > 0 ? added : undefined,
    outputs:
      want.outputs !== undefined &&
      (outputs === undefined || outputs.text !== want.outputs.text || newOutputs.length > 0)
        ? { text: want.outputs.text, items: newOutputs.length > 0 ? newOutputs : undefined }
        : undefined,
  });
  const members =
    images !== undefined && canonicalOfTree(images) !== imagesInForce
      ? [...delta.members, memberOf('images', images)]
      : delta.members;
  if (goes) return [objectOf([]), objectOf(members)];
  return members.length === 0 ? [] : [objectOf(members)];
}
