/**
 * The request settings in force on a path: config deltas and checkpoints replayed in order. Session-format 6.1 to 6.8.
 *
 * A `Settings` value is never changed; applying an entry gives a new one. Payload objects are kept as their canonical text, since
 * nothing but the canonical request (7.5) ever reads them.
 */
import { hex, utf8 } from '../bytes/encoding.ts';
import { sha256 } from '../crypto/sha256.ts';
import { EMPTY_IDS, type IdSet, withIds } from './idSet.ts';
import type { Checkpoint, ConfigEntry, ExtraMember, Omit, OmitImages, Omitted, Part, Tool } from './model.ts';
import { canonicalText } from './raw.ts';
import { MOST_CHARACTERS, MOST_IN_FORCE } from './work.ts';

/** An instruction part as the path resolves it; `unresolved` where a hash or a keep names nothing that can be had (6.3). */
export type ResolvedPart =
  | { readonly unresolved: false; readonly id: string; readonly text: string; readonly source: string }
  | { readonly unresolved: true; readonly id: string; readonly hash?: string; readonly keep?: number };

type KnownPart = Extract<ResolvedPart, { unresolved: false }>;

/** An element of the omitted list in force: a part that was left out, or a keep that names nothing (6.4). */
export interface ListedOmission {
  readonly id: string;
  /** Canonical text of the element, without `keep` and `of` where it names a part. */
  readonly json: string;
  readonly keep?: number;
  readonly of?: string;
}

/** The omit object in force (6.6). Ids are entry ids. */
export interface OmitInForce {
  /** The rule `other_models` is in force. */
  readonly otherModels: boolean;
  readonly items: IdSet;
  readonly outputs: { readonly text: string; readonly items: IdSet } | undefined;
  readonly images: OmitImages | undefined;
}

export interface NamedTool {
  readonly name: string;
  /** Canonical text. */
  readonly json: string;
}

export interface Settings {
  /** Empty: none. */
  readonly model: string;
  /** Empty: none. */
  readonly instructions: string;
  /** Empty: set as one string, or none. */
  readonly instructionsParts: readonly ResolvedPart[];
  readonly instructionsOmitted: readonly ListedOmission[];
  readonly omit: OmitInForce;
  /** Canonical text of the object in force. */
  readonly reasoning: string | undefined;
  readonly text: string | undefined;
  readonly tools: readonly NamedTool[];
  /** Wire name to canonical text; never a null. */
  readonly extra: ReadonlyMap<string, string>;
  /** Replay only: resolved parts that left force, newest first. */
  readonly partsThatLeft: History<KnownPart>;
  /** Replay only: config entry id to the list that it put in force. */
  readonly omittedLists: History<readonly ListedOmission[]>;
  /** More is in force than is followed (`work.ts`): a list or the instructions stand empty in its place. */
  readonly tooLarge?: true;
}

/** In place of a list that is too long. */
const TOO_LONG: readonly never[] = [];

export const NO_OMIT: OmitInForce = { otherModels: false, items: EMPTY_IDS, outputs: undefined, images: undefined };

/** Whether an omit in force does nothing, and a request is the same with and without it. */
export function omitsNothing(omit: OmitInForce): boolean {
  return !omit.otherModels && omit.items.size === 0 && omit.outputs === undefined && omit.images === undefined;
}

/**
 * What a path has put in force before, newest first: layers of key to value whose sizes double, so that a long history is looked up and
 * extended in logarithmic time and shared between branches.
 */
interface Layer<Value> {
  readonly values: ReadonlyMap<string, Value>;
  readonly older: History<Value>;
}
type History<Value> = Layer<Value> | undefined;

function remember<Value>(history: History<Value>, values: ReadonlyMap<string, Value>): History<Value> {
  if (values.size === 0) return history;
  let merged = values;
  let older = history;
  while (older !== undefined && older.values.size <= merged.size) {
    merged = new Map([...older.values, ...merged]);
    older = older.older;
  }
  return { values: merged, older };
}

function recall<Value>(history: History<Value>, key: string): Value | undefined {
  for (let layer = history; layer !== undefined; layer = layer.older) {
    const value = layer.values.get(key);
    if (value !== undefined) return value;
  }
  return undefined;
}

/** Settings of the universal root. */
export const EMPTY_SETTINGS: Settings = {
  model: '',
  instructions: '',
  instructionsParts: [],
  instructionsOmitted: [],
  omit: NO_OMIT,
  reasoning: undefined,
  text: undefined,
  tools: [],
  extra: new Map(),
  partsThatLeft: undefined,
  omittedLists: undefined,
};

export const PART_SEPARATOR = '\n\n';

/** Hash of a part's text: over the UTF-8 bytes of the string itself (3.1). */
export function textHash(text: string): string {
  return `sha256:${hex(sha256(utf8(text)))}`;
}

/** Session-format 6.2, in its steps. */
export function applyConfig(settings: Settings, config: ConfigEntry): Settings {
  // 1
  const from = config.replace ? EMPTY_SETTINGS : settings;
  // 2
  let { instructionsOmitted, omittedLists } = from;
  if (config.instructionsOmitted !== undefined) {
    instructionsOmitted = resolveOmitted(instructionsOmitted, config.instructionsOmitted, omittedLists);
    omittedLists = remember(omittedLists, new Map([[config.id, instructionsOmitted]]));
  }
  let tooLarge = from.tooLarge === true || instructionsOmitted === TOO_LONG;
  // 3
  const model = config.model !== '' ? config.model : from.model;
  // 4
  let { instructions, instructionsParts, partsThatLeft } = from;
  if (config.instructionsParts !== undefined && config.instructionsParts.length > 0) {
    const previous = instructionsParts;
    instructionsParts = resolveParts(previous, config.instructionsParts, partsThatLeft);
    partsThatLeft = remember(partsThatLeft, left(previous, instructionsParts));
    const joined = joinParts(instructionsParts);
    tooLarge ||= joined === undefined || instructionsParts === TOO_LONG;
    instructions = joined ?? '';
    if (config.instructions !== undefined && instructionsParts.some((part) => part.unresolved))
      instructions = config.instructions;
  } else if (config.instructions !== undefined) {
    instructions = config.instructions;
    partsThatLeft = remember(partsThatLeft, left(instructionsParts, []));
    instructionsParts = [];
  }
  // 5
  const reasoning = config.reasoning === undefined ? from.reasoning : canonicalText(config.reasoning);
  const text = config.text === undefined ? from.text : canonicalText(config.text);
  return {
    model,
    instructions,
    instructionsParts,
    instructionsOmitted,
    omit: config.omit === undefined ? from.omit : mergeOmit(from.omit, config.omit), // 8
    reasoning,
    text,
    tools: changeTools(from.tools, config.toolsRemoved, config.toolsAdded), // 6
    extra: changeExtra(from.extra, config.extra), // 7
    partsThatLeft,
    omittedLists,
    ...(tooLarge ? { tooLarge } : {}),
  };
}

/** The settings that a compaction's checkpoint carries, with empty histories (6.8). */
export function applyCheckpoint(checkpoint: Checkpoint): Settings {
  const instructionsParts = resolveParts([], checkpoint.instructionsParts, undefined);
  const joined = joinParts(instructionsParts);
  return {
    model: checkpoint.model,
    // Appendix B, 14: the join where the string is absent.
    instructions: checkpoint.instructions ?? joined ?? '',
    instructionsParts,
    instructionsOmitted: checkpoint.instructionsOmitted.map((element) =>
      element.id !== '' ? namedOmission(element) : asWritten(element),
    ),
    omit: checkpoint.omit === undefined ? NO_OMIT : mergeOmit(NO_OMIT, checkpoint.omit),
    reasoning: checkpoint.reasoning && canonicalText(checkpoint.reasoning),
    text: checkpoint.text && canonicalText(checkpoint.text),
    tools: checkpoint.tools.map(named),
    extra: changeExtra(EMPTY_SETTINGS.extra, checkpoint.extra),
    partsThatLeft: undefined,
    omittedLists: undefined,
    ...(joined === undefined ? { tooLarge: true } : {}),
  };
}

/** Undefined for a text that is too long to be followed. */
function joinParts(parts: readonly ResolvedPart[]): string | undefined {
  let length = 0;
  for (const part of parts) length += PART_SEPARATOR.length + (part.unresolved ? 0 : part.text.length);
  if (length > MOST_CHARACTERS) return undefined;
  return parts.map((part) => (part.unresolved ? '' : part.text)).join(PART_SEPARATOR);
}

/** The resolved parts of `previous` that are not in `next` with the same id, text and source, by id and hash. */
function left(previous: readonly ResolvedPart[], next: readonly ResolvedPart[]): ReadonlyMap<string, KnownPart> {
  const stay = new Set<ResolvedPart>(next);
  const same = new Set<string>();
  for (const part of next) if (!part.unresolved) same.add(JSON.stringify([part.id, part.source, part.text]));
  const gone = new Map<string, KnownPart>();
  for (const part of previous) {
    if (part.unresolved || stay.has(part) || same.has(JSON.stringify([part.id, part.source, part.text]))) continue;
    gone.set(leftKey(part.id, textHash(part.text)), part);
  }
  return gone;
}

function leftKey(id: string, hash: string): string {
  return `${hash} ${id}`;
}

/** Session-format 6.3. */
export function resolveParts(
  previous: readonly ResolvedPart[],
  delta: readonly Part[],
  partsThatLeft: History<KnownPart>,
): readonly ResolvedPart[] {
  const position = new Map(previous.map((part, index) => [part.id, index]));
  const namedIds = new Set(delta.filter((part) => part.id !== '').map((part) => part.id));
  // How many of the first i parts are named by the delta: whether a run holds one is then a difference.
  const takenBefore = runningCount(previous, namedIds);
  const parts: ResolvedPart[] = [];
  let cursor = 0;
  for (const part of delta) {
    if (part.id === '') {
      if (part.keep === undefined) {
        parts.push({ unresolved: true, id: '' });
        continue;
      }
      const end = cursor + part.keep;
      if (parts.length + Math.min(part.keep, previous.length) > MOST_IN_FORCE) return TOO_LONG;
      if (end > previous.length || takenBefore[end] !== takenBefore[cursor])
        parts.push({ unresolved: true, id: '', keep: part.keep });
      else for (let i = cursor; i < end; i++) parts.push(previous[i] as ResolvedPart);
      cursor = end;
      continue;
    }
    const at = position.get(part.id);
    if (at !== undefined) cursor = at + 1;
    if ((part.text ?? '') !== '' || part.hash === undefined) {
      parts.push({ unresolved: false, id: part.id, text: part.text ?? '', source: part.source ?? '' });
      continue;
    }
    const inForce = at === undefined ? undefined : previous[at];
    const found =
      inForce?.unresolved === true
        ? undefined
        : inForce !== undefined && textHash(inForce.text) === part.hash
          ? inForce
          : recall(partsThatLeft, leftKey(part.id, part.hash));
    if (found === undefined) parts.push({ unresolved: true, id: part.id, hash: part.hash });
    else if ((part.source ?? '') === '' || part.source === found.source) parts.push(found);
    else parts.push({ ...found, source: part.source as string });
  }
  return parts;
}

function runningCount(list: readonly { readonly id: string }[], ids: ReadonlySet<string>): Uint32Array {
  const counts = new Uint32Array(list.length + 1);
  list.forEach((element, i) => {
    counts[i + 1] = (counts[i] as number) + (element.id !== '' && ids.has(element.id) ? 1 : 0);
  });
  return counts;
}

interface OmissionCursor {
  readonly list: readonly ListedOmission[];
  readonly first: ReadonlyMap<string, number>;
  readonly takenBefore: Uint32Array;
  at: number;
}

/** Session-format 6.4. */
export function resolveOmitted(
  previous: readonly ListedOmission[],
  delta: readonly Omitted[],
  lists: History<readonly ListedOmission[]>,
): readonly ListedOmission[] {
  const namedIds = new Set(delta.filter((element) => element.id !== '').map((element) => element.id));
  const open = (list: readonly ListedOmission[]): OmissionCursor => ({
    list,
    first: new Map(list.map((element, index) => [element.id, index] as const).reverse()),
    takenBefore: runningCount(list, namedIds),
    at: 0,
  });
  const cursors = new Map<string, OmissionCursor>([['', open(previous)]]);
  for (const { id, keep, of } of delta) {
    if (id !== '' || keep === undefined || of === undefined || cursors.has(of)) continue;
    const list = recall(lists, of);
    if (list !== undefined) cursors.set(of, open(list));
  }
  const result: ListedOmission[] = [];
  for (const element of delta) {
    if (element.id !== '') {
      for (const cursor of cursors.values()) {
        const first = cursor.first.get(element.id);
        if (first !== undefined) cursor.at = first + 1;
      }
      result.push(namedOmission(element));
      continue;
    }
    const cursor = element.keep === undefined ? undefined : cursors.get(element.of ?? '');
    if (cursor === undefined || element.keep === undefined) {
      result.push(asWritten(element));
      continue;
    }
    const start = cursor.at;
    const end = start + element.keep;
    cursor.at = end;
    if (result.length + Math.min(element.keep, cursor.list.length) > MOST_IN_FORCE) return TOO_LONG;
    if (end > cursor.list.length || cursor.takenBefore[end] !== cursor.takenBefore[start])
      result.push(asWritten(element));
    else for (let i = start; i < end; i++) result.push(cursor.list[i] as ListedOmission);
  }
  return result;
}

function asWritten(element: Omitted): ListedOmission {
  const { id, keep, of } = element;
  return {
    id,
    json: canonicalText(element.raw),
    ...(keep === undefined ? {} : { keep }),
    ...(of === undefined ? {} : { of }),
  };
}

/** An element that names a part carries all of it, without `keep` and `of`. */
function namedOmission(element: Omitted): ListedOmission {
  return { id: element.id, json: canonicalText(element.raw, new Set(['keep', 'of'])) };
}

/**
 * Whether a config entry wrote an element `{keep, of}` that its path cannot resolve (6.4, `unresolvedOf`).
 *
 * @param after the settings that applying the entry gave.
 */
export function leavesUnresolvedOf(config: ConfigEntry, after: Settings): boolean {
  if (config.instructionsOmitted?.some((element) => element.of !== undefined) !== true) return false;
  const own = new Set(
    config.instructionsOmitted.filter(({ of }) => of !== undefined).map(({ raw }) => canonicalText(raw)),
  );
  return after.instructionsOmitted.some(({ id, of, json }) => id === '' && of !== undefined && own.has(json));
}

function named(tool: Tool): NamedTool {
  return { name: tool.name, json: canonicalText(tool.raw) };
}

/** Session-format 6.2 step 6: removed by name, then added at the end in place of those of the same name. */
function changeTools(
  tools: readonly NamedTool[],
  removed: readonly string[],
  added: readonly Tool[],
): readonly NamedTool[] {
  if (removed.length === 0 && added.length === 0) return tools;
  const drop = new Set(removed);
  const lastOf = new Map<string, number>();
  added.forEach(({ name }, index) => {
    if (name === '') return;
    drop.add(name);
    lastOf.set(name, index);
  });
  return [
    ...tools.filter(({ name }) => !drop.has(name)),
    ...added.filter(({ name }, index) => name === '' || lastOf.get(name) === index).map(named),
  ];
}

function changeExtra(extra: ReadonlyMap<string, string>, delta: readonly ExtraMember[]): ReadonlyMap<string, string> {
  if (delta.length === 0) return extra;
  const changed = new Map(extra);
  for (const { name, value } of delta) {
    if (value === null) changed.delete(name);
    else changed.set(name, canonicalText(value));
  }
  return changed;
}

/** Session-format 6.6. */
export function mergeOmit(inForce: OmitInForce, delta: Omit): OmitInForce {
  const items = delta.items.filter((id) => id !== '');
  const { outputs, images } = delta;
  if (delta.reasoning === '' && items.length === 0 && !outputs && !images && !delta.holdsUntyped) return NO_OMIT;
  return {
    otherModels: inForce.otherModels || delta.reasoning === 'other_models',
    items: withIds(inForce.items, items),
    outputs: outputs
      ? {
          text: outputs.text,
          items: withIds(
            inForce.outputs?.items ?? EMPTY_IDS,
            outputs.items.filter((id) => id !== ''),
          ),
        }
      : inForce.outputs,
    images: images ?? inForce.images,
  };
}

/** Whether a `reasoning` or `text` object in force is as good as none: no member, or null members only (openresponses 5). */
export function isEmptyObject(json: string | undefined): boolean {
  if (json === undefined || json === '{}') return true;
  const value: unknown = JSON.parse(json);
  return typeof value === 'object' && value !== null && Object.values(value).every((member) => member === null);
}
