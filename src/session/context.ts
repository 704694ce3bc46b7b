/**
 * What a model was sent: settings and items over a path, with the omit in force applied. Session-format 7.1 to 7.4.
 *
 * This is the algorithm as the specification writes it, over one path. `requests.ts` checks the hashes of a whole file with the same
 * result and without building a context for each response.
 */
import { hasId } from './idSet.ts';
import type { Entry, Item, ItemEntry, OmitImages, ResponseEntry } from './model.ts';
import type { ItemEdit } from './raw.ts';
import type { EntryIndex, Session } from './session.ts';
import { applyCheckpoint, applyConfig, EMPTY_SETTINGS, type OmitInForce, type Settings } from './settings.ts';

/** An item of the request and the entry that contributed it. */
export interface ContextItem {
  readonly entry: EntryIndex;
  /** What of the entry it is. */
  readonly part: 'item' | 'summary' | 'pinned';
  readonly item: Item;
  /** What `omit` replaced in it; undefined: it is sent as recorded. */
  readonly edit: ItemEdit | undefined;
}

export interface LeftOut {
  readonly entry: EntryIndex;
  readonly reason: 'items' | 'other_models';
}

export interface Replaced {
  readonly entry: EntryIndex;
  readonly rule: 'outputs' | 'images';
  /** Image parts replaced; 0 for `outputs`. */
  readonly images: number;
}

export interface Context {
  readonly settings: Settings;
  readonly items: readonly ContextItem[];
  readonly selected: readonly EntryIndex[];
  readonly leftOut: readonly LeftOut[];
  readonly replaced: readonly Replaced[];
}

/** A context that cannot be built: the compaction's `first_kept` names no entry on the path before it. */
export interface BadContext {
  readonly compaction: EntryIndex;
  readonly firstKept: string;
}

export type ContextResult =
  | { readonly ok: true; readonly context: Context }
  | { readonly ok: false; readonly problem: BadContext };

interface Contribution {
  readonly entry: EntryIndex;
  readonly part: ContextItem['part'];
  readonly item: Item;
  /** Of an item entry: place on the path and the model in force before it (7.2). */
  readonly place: number;
  readonly model: string;
  readonly response: string | undefined;
}

/** Settings after one more entry of a path; entries that are neither config nor compaction change nothing. */
export function replay(settings: Settings, entry: Entry): Settings {
  if (entry.kind === 'config') return applyConfig(settings, entry);
  if (entry.kind === 'compaction') return applyCheckpoint(entry.config);
  return settings;
}

/**
 * Session-format 7.1.
 *
 * @param path usable entries, first entry first.
 * @param applyOmit false for the request that a writer sends who ignores `omit` (7.6).
 */
export function buildContext(session: Session, path: readonly EntryIndex[], applyOmit = true): ContextResult {
  const entries = path.map((index) => session.entry(index));
  // 1
  let compactionAt = entries.length - 1;
  while (compactionAt >= 0 && entries[compactionAt]?.kind !== 'compaction') compactionAt--;
  const compaction = entries[compactionAt];
  // The model in force at an item (7.2) follows from the whole path; after the last compaction that replay is also the settings.
  let settings = EMPTY_SETTINGS;
  const models = entries.map((entry) => {
    const { model } = settings;
    settings = replay(settings, entry);
    return model;
  });
  const selected: EntryIndex[] = [];
  const contributions: Contribution[] = [];
  const contribute = (place: number): void => {
    const entry = entries[place] as Entry;
    selected.push(path[place] as EntryIndex);
    const from = { entry: path[place] as EntryIndex, place, model: models[place] as string };
    if (entry.kind === 'item')
      contributions.push({ ...from, part: 'item', item: entry.item, response: entry.response });
    else if (entry.kind === 'branch_summary')
      contributions.push({ ...from, part: 'summary', item: entry.summary, response: undefined });
  };
  // 2
  if (compaction?.kind === 'compaction') {
    const named = session.find(compaction.firstKept);
    const firstKept = named === undefined ? -1 : path.indexOf(named);
    const index = path[compactionAt] as EntryIndex;
    if (firstKept < 0 || firstKept >= compactionAt)
      return { ok: false, problem: { compaction: index, firstKept: compaction.firstKept } };
    const from = { entry: index, place: compactionAt, model: '', response: undefined };
    selected.push(index);
    contributions.push({ ...from, part: 'summary', item: compaction.summary });
    for (const item of compaction.pinned) contributions.push({ ...from, part: 'pinned', item });
    for (let place = firstKept; place < compactionAt; place++) contribute(place);
  }
  // 3, 4
  for (let place = compactionAt + 1; place < entries.length; place++) contribute(place);
  // 5
  const sent = applyOmit
    ? omit(session, path, settings, contributions)
    : {
        items: contributions.map(({ entry, part, item }) => ({ entry, part, item, edit: undefined })),
        leftOut: [],
        replaced: [],
      };
  return { ok: true, context: { settings, selected, ...sent } };
}

/** Session-format 7.3. */
function omit(
  session: Session,
  path: readonly EntryIndex[],
  settings: Settings,
  contributions: readonly Contribution[],
): Pick<Context, 'items' | 'leftOut' | 'replaced'> {
  const { omit: rules, model } = settings;
  const leftOut: LeftOut[] = [];
  const replaced: Replaced[] = [];
  const remaining = contributions.filter((contribution) => {
    const reason = leavesOut(rules, model, session.id(contribution.entry), contribution);
    if (reason !== undefined) leftOut.push({ entry: contribution.entry, reason });
    return reason === undefined;
  });
  let toReplace = imagesToReplace(rules.images, session, path, remaining);
  const items = remaining.map((contribution): ContextItem => {
    const { entry, part, item } = contribution;
    if (part !== 'item') return { entry, part, item, edit: undefined };
    const output =
      item.type === 'function_call_output' &&
      rules.outputs !== undefined &&
      hasId(rules.outputs.items, session.id(entry))
        ? rules.outputs.text
        : undefined;
    const images = Math.min(item.images, toReplace);
    toReplace -= images;
    if (output !== undefined) replaced.push({ entry, rule: 'outputs', images: 0 });
    if (images > 0) replaced.push({ entry, rule: 'images', images });
    const edit = editOf(output, images, rules.images);
    return { entry, part, item, edit };
  });
  return { items, leftOut, replaced };
}

/** What an item becomes when its output is replaced by a text, or its first `images` image parts by a placeholder. */
export function editOf(output: string | undefined, images: number, rule: OmitImages | undefined): ItemEdit | undefined {
  if (output !== undefined) return { output };
  return images > 0 && rule !== undefined ? { images, placeholder: rule.placeholder } : undefined;
}

/** Why `omit` leaves an item out; only what `item` entries contribute is ever left out. */
export function leavesOut(
  omit: OmitInForce,
  model: string,
  id: string,
  from: {
    readonly part: ContextItem['part'];
    readonly item: { readonly type: string };
    readonly model: string;
    readonly response: string | undefined;
  },
): LeftOut['reason'] | undefined {
  if (from.part !== 'item') return undefined;
  if (hasId(omit.items, id)) return 'items';
  const foreign =
    omit.otherModels &&
    from.item.type === 'reasoning' &&
    (from.response ?? '') !== '' &&
    from.model !== '' &&
    model !== '' &&
    from.model !== model;
  return foreign ? 'other_models' : undefined;
}

/** How many image parts, from the first on, the rule replaces. */
function imagesToReplace(
  rule: OmitImages | undefined,
  session: Session,
  path: readonly EntryIndex[],
  remaining: readonly Contribution[],
): number {
  if (rule === undefined) return 0;
  const counted = remaining.filter(({ part }) => part === 'item');
  const count = (of: readonly Contribution[]): number => of.reduce((sum, { item }) => sum + item.images, 0);
  if ('keep' in rule) return Math.max(0, count(counted) - rule.keep);
  const named = session.find(rule.before);
  const bound = named === undefined ? -1 : path.indexOf(named);
  return count(counted.filter(({ place }) => place < bound));
}

/**
 * The output items of a response: `outputEntries` of session-format 7.4, in path order.
 *
 * @param path a path that does not run past the response.
 */
export function outputEntries(session: Session, path: readonly EntryIndex[], response: ResponseEntry): EntryIndex[] {
  const own: EntryIndex[] = [];
  if (response.responseId === '') return own;
  for (let i = path.length - 1; i >= 0; i--) {
    const index = path[i] as EntryIndex;
    if (session.kind(index) !== 'item') continue;
    if ((session.entry(index) as ItemEntry).response !== response.responseId) break;
    own.push(index);
  }
  return own.reverse();
}

/** The context of the request that produced a response (7.4). The path to `response` must be usable. */
export function requestContext(session: Session, response: EntryIndex, applyOmit = true): ContextResult {
  const entry = session.entry(response);
  if (entry.kind !== 'response') throw new RangeError(`entry ${response} is not a response`);
  const path = session.path(session.parent(response));
  const own = new Set(outputEntries(session, path, entry));
  return buildContext(
    session,
    path.filter((index) => !own.has(index)),
    applyOmit,
  );
}
