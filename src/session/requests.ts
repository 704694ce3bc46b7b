/**
 * Checks the request hash of every response that a walk meets, in time that is linear in the bytes hashed after the first change from
 * one request to the next. Session-format 7.3 to 7.6; `request.ts` says the same for one response.
 */
import { hex, utf8 } from '../bytes/encoding.ts';
import { sha256 } from '../crypto/sha256.ts';
import { type BadContext, editOf } from './context.ts';
import { HashChain } from './hashChain.ts';
import { differingIds, type IdSet, idsOf } from './idSet.ts';
import type { CompactionEntry, Entry, Item, OmitImages, ResponseEntry } from './model.ts';
import { type CurrentPath, type PathTracker, UndoLog } from './pathTracker.ts';
import { canonicalBytes, canonicalView, ownCanonicalBytes, sentBytes } from './raw.ts';
import { RecentBytes } from './recentBytes.ts';
import { type RequestFrame, type ResponseVerdict, requestFrame, requestWithoutItems } from './request.ts';
import type { EntryIndex, Session } from './session.ts';
import {
  applyCheckpoint,
  applyConfig,
  EMPTY_SETTINGS,
  leavesUnresolvedOf,
  NO_OMIT,
  type OmitInForce,
  omitsNothing,
  type Settings,
} from './settings.ts';

/** What a place of the list of contributions holds. */
const OTHER = 0;
const OUTPUT = 1;
const REASONING = 2;
/** Summaries and pinned items: `omit` never reaches them. */
const FIXED = 3;

const NO_BYTES = new Uint8Array(0);

/** A contribution to the context, by number; numbers grow along the path. */
type Contribution = number;

/** Chains of one list for different beginnings of the request; settings that alternate come back to theirs. */
const MOST_CHAINS = 4;

interface Chain {
  readonly head: string;
  readonly plain: boolean;
  readonly hash: HashChain;
  omit: OmitInForce;
  model: string;
  imagesReplaced: number;
}

/** The contributions from the last compaction on, or from the first entry. */
class ContextList {
  readonly contributions: Contribution[] = [];
  /** Places that hold reasoning items. */
  readonly reasoning: number[] = [];
  /** Places that hold images, with the images up to and including each, as counted under `countedWithout`. */
  readonly imagePlaces: number[] = [];
  readonly imagesUpTo: number[] = [];
  imagesCounted = 0;
  countedWithout: IdSet = NO_OMIT.items;
  chains: Chain[] = [];
  readonly problem: BadContext | undefined;
  /** The compaction that it begins with; -1 without one. */
  readonly compaction: EntryIndex;

  constructor(compaction: EntryIndex, problem: BadContext | undefined) {
    this.compaction = compaction;
    this.problem = problem;
  }

  cut(length: number): void {
    if (length >= this.contributions.length) return;
    this.contributions.length = length;
    while ((this.reasoning.at(-1) ?? -1) >= length) this.reasoning.pop();
    this.cutImages(length);
    for (const chain of this.chains) chain.hash.cut(length);
  }

  cutImages(length: number): void {
    while ((this.imagePlaces.at(-1) ?? -1) >= length) {
      this.imagePlaces.pop();
      this.imagesUpTo.pop();
    }
    this.imagesCounted = Math.min(this.imagesCounted, length);
  }
}

/** Told of each response and of each context that cannot be had. */
export interface RequestSink {
  response(index: EntryIndex, verdict: ResponseVerdict): void;
  /** The context at a leaf cannot be built. */
  badLeaf(leaf: EntryIndex, problem: BadContext): void;
  /** A config entry wrote a keep that its path cannot resolve (6.4). */
  unresolvedOf(index: EntryIndex): void;
  /** A response whose own output reaches above a compaction: to be checked from its path alone. */
  alone(index: EntryIndex): void;
}

export class RequestTracker implements PathTracker {
  readonly #session: Session;
  readonly #path: CurrentPath;
  readonly #sink: RequestSink;
  readonly #undo = new UndoLog();
  #settings: Settings = EMPTY_SETTINGS;
  #list = new ContextList(-1, undefined);

  // Contributions of the path, by number.
  readonly #entryOf: EntryIndex[] = [];
  readonly #kindOf: number[] = [];
  readonly #modelOf: string[] = [];
  readonly #imagesOf: number[] = [];
  readonly #fixed = new Map<Contribution, Uint8Array>();
  readonly #recent = new RecentBytes();

  // Item entries of the path: which response each is output of, where the run of items of that response began, place in the list.
  readonly #itemEntry: EntryIndex[] = [];
  readonly #itemResponse: string[] = [];
  readonly #itemRun: number[] = [];
  readonly #itemPlace: number[] = [];

  readonly #entriesNamed = new WeakMap<
    readonly string[],
    { known: number; readonly position: Map<EntryIndex, number> }
  >();
  #frames: { readonly settings: Settings; readonly frame: RequestFrame; readonly tail: Uint8Array }[] = [];

  constructor(session: Session, path: CurrentPath, sink: RequestSink) {
    this.#session = session;
    this.#path = path;
    this.#sink = sink;
  }

  enter(index: EntryIndex, entry: Entry, place: number, again: boolean): void {
    switch (entry.kind) {
      case 'item':
        this.#item(index, entry.item, entry.response ?? '', place);
        return;
      case 'branch_summary':
        this.#branchSummary(index, entry.summary, place);
        return;
      case 'config': {
        const before = this.#settings;
        this.#settings = applyConfig(before, entry);
        this.#undo.record(place, () => {
          this.#settings = before;
        });
        if (!again && leavesUnresolvedOf(entry, this.#settings)) this.#sink.unresolvedOf(index);
        return;
      }
      case 'compaction':
        this.#compaction(index, entry, place);
        return;
      case 'response':
        if (!again) this.#response(index, entry);
        return;
      default:
    }
  }

  retreat(length: number): void {
    this.#undo.retreat(length);
  }

  leaf(index: EntryIndex): void {
    if (this.#list.problem !== undefined) this.#sink.badLeaf(index, this.#list.problem);
  }

  #item(index: EntryIndex, item: Item, response: string, place: number): void {
    const list = this.#list;
    const { length } = list.contributions;
    const number = this.#add(index, kindOf(item, response), item.images, canonicalView(item.raw));
    const items = this.#itemEntry.length;
    const last = items - 1;
    const continues = last >= 0 && this.#itemResponse[last] === response;
    this.#itemEntry.push(index);
    this.#itemResponse.push(continues ? (this.#itemResponse[last] as string) : response);
    this.#itemRun.push(continues ? (this.#itemRun[last] as number) : items);
    this.#itemPlace.push(length);
    this.#contribute(number);
    this.#undo.record(place, () => {
      this.#itemEntry.length = items;
      this.#itemResponse.length = items;
      this.#itemRun.length = items;
      this.#itemPlace.length = items;
      this.#cut(number);
      list.cut(length);
    });
  }

  #add(index: EntryIndex, kind: number, images: number, bytes: Uint8Array): Contribution {
    const number = this.#entryOf.length;
    this.#entryOf.push(index);
    this.#kindOf.push(kind);
    this.#modelOf.push(this.#settings.model);
    this.#imagesOf.push(images);
    this.#recent.push(bytes);
    return number;
  }

  #addFixed(index: EntryIndex, item: Item): Contribution {
    const number = this.#add(index, FIXED, 0, NO_BYTES);
    this.#fixed.set(number, ownCanonicalBytes(item.raw));
    return number;
  }

  /** Takes back the contributions from a number on. */
  #cut(number: Contribution): void {
    for (let gone = number; gone < this.#entryOf.length; gone++) this.#fixed.delete(gone);
    this.#entryOf.length = number;
    this.#kindOf.length = number;
    this.#modelOf.length = number;
    this.#imagesOf.length = number;
    this.#recent.cut(number);
  }

  #contribute(number: Contribution): void {
    const { contributions, reasoning } = this.#list;
    if (this.#kindOf[number] === REASONING) reasoning.push(contributions.length);
    contributions.push(number);
  }

  #branchSummary(index: EntryIndex, summary: Item, place: number): void {
    const list = this.#list;
    const { length } = list.contributions;
    const number = this.#addFixed(index, summary);
    this.#contribute(number);
    this.#undo.record(place, () => {
      this.#cut(number);
      list.cut(length);
    });
  }

  #compaction(index: EntryIndex, entry: CompactionEntry, place: number): void {
    const settings = this.#settings;
    const list = this.#list;
    const contributions = this.#entryOf.length;
    this.#undo.record(place, () => {
      this.#settings = settings;
      this.#list = list;
      this.#cut(contributions);
    });
    const named = this.#session.find(entry.firstKept);
    const firstKept = named === undefined ? -1 : this.#path.placeOf(named);
    const bad = named === undefined || firstKept < 0 || firstKept >= place;
    const next = new ContextList(index, bad ? { compaction: index, firstKept: entry.firstKept } : undefined);
    // The kept window: what was contributed by entries from the named one on; an earlier compaction in it contributes nothing.
    const kept: Contribution[] = [];
    if (!bad) {
      for (let number = this.#firstFrom(named); number < this.#entryOf.length; number++) {
        if (this.#session.kind(this.#entryOf[number] as EntryIndex) !== 'compaction') kept.push(number);
      }
    }
    for (const item of [entry.summary, ...entry.pinned]) next.contributions.push(this.#addFixed(index, item));
    for (const number of kept) {
      if (this.#kindOf[number] === REASONING) next.reasoning.push(next.contributions.length);
      next.contributions.push(number);
    }
    this.#list = next;
    this.#settings = applyCheckpoint(entry.config);
  }

  /** The first contribution of the path by an entry not before `index`. */
  #firstFrom(index: EntryIndex): Contribution {
    let low = 0;
    let high = this.#entryOf.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((this.#entryOf[middle] as EntryIndex) < index) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  #response(index: EntryIndex, entry: ResponseEntry): void {
    const list = this.#list;
    // The response's own output is not part of its request (7.4): the items at the end of the path that name it.
    const last = this.#itemEntry.length - 1;
    const hasOwn = entry.responseId !== '' && last >= 0 && this.#itemResponse[last] === entry.responseId;
    const firstOwn = hasOwn ? (this.#itemRun[last] as number) : last + 1;
    if (hasOwn && (this.#itemEntry[firstOwn] as EntryIndex) < list.compaction) {
      this.#sink.alone(index);
      return;
    }
    if (list.problem !== undefined) {
      this.#sink.response(index, { outcome: 'bad-context', problem: list.problem });
      return;
    }
    const recorded = entry.requestHash;
    if (recorded === undefined) {
      this.#sink.response(index, { outcome: 'absent' });
      return;
    }
    const length = hasOwn ? (this.#itemPlace[firstOwn] as number) : list.contributions.length;
    // Between the items of one response only summaries of branches can stand.
    const between = hasOwn ? list.contributions.slice(length).filter((number) => this.#kindOf[number] === FIXED) : [];
    const own = hasOwn ? (this.#itemEntry[firstOwn] as EntryIndex) : Number.POSITIVE_INFINITY;
    const rebuilt = this.#hash(length, between, own, false);
    if (rebuilt === recorded) this.#sink.response(index, { outcome: 'verified' });
    else if (!omitsNothing(this.#settings.omit) && this.#hash(length, between, own, true) === recorded)
      this.#sink.response(index, { outcome: 'divergence', recorded, rebuilt });
    else this.#sink.response(index, { outcome: 'mismatch', recorded, rebuilt });
  }

  /**
   * Hash of the request over the first `length` places of the list and what follows between the response's own items.
   *
   * @param ownFrom the first entry of the response's own output: it names nothing in this request.
   * @param plain without the omit in force (7.6).
   */
  #hash(length: number, between: readonly Contribution[], ownFrom: EntryIndex, plain: boolean): string {
    const settings = this.#settings;
    const { frame, tail } = this.#frame(settings);
    const chain = this.#chain(frame.head, plain);
    this.#bring(chain, plain ? NO_OMIT : settings.omit, length, ownFrom);
    const more = between.map((number) => this.#fixed.get(number) as Uint8Array);
    const digest =
      chain.hash.emitted + more.length === 0
        ? sha256(utf8(requestWithoutItems(settings)))
        : chain.hash.digest(more, tail);
    return `sha256:${hex(digest)}`;
  }

  #frame(settings: Settings): { readonly frame: RequestFrame; readonly tail: Uint8Array } {
    const known = this.#frames.find((each) => each.settings === settings);
    if (known !== undefined) return known;
    const frame = requestFrame(settings);
    const made = { settings, frame, tail: utf8(frame.tail) };
    this.#frames = [made, ...this.#frames.slice(0, MOST_CHAINS - 1)];
    return made;
  }

  #chain(head: string, plain: boolean): Chain {
    const list = this.#list;
    const known = list.chains.find((chain) => chain.plain === plain && chain.head === head);
    const chain: Chain = known ?? {
      head,
      plain,
      hash: new HashChain(head),
      omit: NO_OMIT,
      model: '',
      imagesReplaced: 0,
    };
    if (list.chains[0] !== chain)
      list.chains = [chain, ...list.chains.filter((other) => other !== chain).slice(0, MOST_CHAINS - 1)];
    return chain;
  }

  /** Brings a chain to the first `length` places under this omit. */
  #bring(chain: Chain, omit: OmitInForce, length: number, ownFrom: EntryIndex): void {
    const list = this.#list;
    const { model } = this.#settings;
    chain.hash.cut(Math.min(length, this.#firstChange(chain, omit, model)));
    this.#countImages(omit.items, length);
    const replace = this.#imagesToReplace(omit.images, length, ownFrom);
    if (replace !== chain.imagesReplaced) {
      const changed = firstAbove(list.imagesUpTo, Math.min(replace, chain.imagesReplaced));
      const at = list.imagePlaces[changed];
      if (at !== undefined) chain.hash.cut(at);
    }
    Object.assign(chain, { omit, model, imagesReplaced: replace });
    while (chain.hash.position < length) chain.hash.append(this.#sent(chain, chain.hash.position));
  }

  /** Images up to `length`, those of items that are left out not counted (7.3). */
  #countImages(without: IdSet, length: number): void {
    const list = this.#list;
    if (without !== list.countedWithout) {
      let from = list.imagesCounted;
      for (const id of differingIds(without, list.countedWithout)) {
        const place = this.#placeOfId(id);
        if (place >= 0 && (this.#imagesOf[list.contributions[place] as Contribution] as number) > 0)
          from = Math.min(from, place);
      }
      list.cutImages(from);
      list.countedWithout = without;
    }
    for (; list.imagesCounted < length; list.imagesCounted++) {
      const number = list.contributions[list.imagesCounted] as Contribution;
      const images = this.#imagesOf[number] as number;
      if (images === 0 || this.#names(without, this.#entryOf[number] as EntryIndex)) continue;
      list.imagePlaces.push(list.imagesCounted);
      list.imagesUpTo.push((list.imagesUpTo.at(-1) ?? 0) + images);
    }
  }

  #imagesToReplace(rule: OmitImages | undefined, length: number, ownFrom: EntryIndex): number {
    const list = this.#list;
    const upTo = (place: number): number => list.imagesUpTo[firstAbove(list.imagePlaces, place - 1) - 1] ?? 0;
    if (rule === undefined) return 0;
    if ('keep' in rule) return Math.max(0, upTo(length) - rule.keep);
    const bound = this.#session.find(rule.before);
    if (bound === undefined || this.#path.placeOf(bound) < 0) return 0;
    // An item of the response's own output is not on the path that its request is built from.
    if (bound >= ownFrom && this.#session.kind(bound) === 'item') return 0;
    return upTo(Math.min(length, this.#placeFrom(bound)));
  }

  /** What a place gives to the request of a chain: bytes, or undefined when it is left out. */
  #sent(chain: Chain, place: number): Uint8Array | undefined {
    const list = this.#list;
    const number = list.contributions[place] as Contribution;
    const kind = this.#kindOf[number];
    if (kind === FIXED) return this.#fixed.get(number);
    const index = this.#entryOf[number] as EntryIndex;
    const { omit } = chain;
    if (this.#leavesOut(omit, chain.model, number)) return undefined;
    const output =
      kind === OUTPUT && omit.outputs !== undefined && this.#names(omit.outputs.items, index)
        ? omit.outputs.text
        : undefined;
    let images = 0;
    if ((this.#imagesOf[number] as number) > 0 && chain.imagesReplaced > 0) {
      const at = firstAbove(list.imagePlaces, place - 1);
      const before = list.imagesUpTo[at - 1] ?? 0;
      images = Math.max(0, Math.min(this.#imagesOf[number] as number, chain.imagesReplaced - before));
    }
    const edit = editOf(output, images, omit.images);
    if (edit === undefined) return this.#recent.get(number) ?? this.#recorded(index);
    const entry = this.#session.entry(index);
    return entry.kind === 'item' ? sentBytes(entry.item.raw, edit) : undefined;
  }

  #recorded(index: EntryIndex): Uint8Array | undefined {
    const entry = this.#session.entry(index);
    return entry.kind === 'item' ? canonicalBytes(entry.item.raw) : undefined;
  }

  #leavesOut(omit: OmitInForce, model: string, number: Contribution): boolean {
    if (this.#names(omit.items, this.#entryOf[number] as EntryIndex)) return true;
    const written = this.#modelOf[number] as string;
    return (
      omit.otherModels && this.#kindOf[number] === REASONING && written !== '' && model !== '' && written !== model
    );
  }

  /** First place whose contribution to a chain's request is another under this omit and model, images aside. */
  #firstChange(chain: Chain, omit: OmitInForce, model: string): number {
    const { omit: before } = chain;
    const list = this.#list;
    let first = Number.POSITIVE_INFINITY;
    const at = (place: number): void => {
      if (place >= 0) first = Math.min(first, place);
    };
    if (before !== omit) {
      for (const id of differingIds(before.items, omit.items)) at(this.#placeOfId(id));
      const [old, next] = [before.outputs, omit.outputs];
      const [oldIds, nextIds] = [old?.items ?? NO_OMIT.items, next?.items ?? NO_OMIT.items];
      const ids = old?.text === next?.text ? differingIds(oldIds, nextIds) : [...idsOf(oldIds), ...idsOf(nextIds)];
      for (const id of ids) at(this.#placeOfId(id));
      if (!sameImages(before.images, omit.images)) at(list.imagePlaces[0] ?? -1);
    }
    if (
      (before.otherModels || omit.otherModels) &&
      (before.otherModels !== omit.otherModels || chain.model !== model)
    ) {
      for (const place of list.reasoning) {
        if (place >= first) break;
        const number = list.contributions[place] as Contribution;
        if (this.#leavesOut(before, chain.model, number) !== this.#leavesOut(omit, model, number)) at(place);
      }
    }
    return first;
  }

  /** Whether a set of ids names the entry. */
  #names(set: IdSet, index: EntryIndex): boolean {
    if (set.size === 0) return false;
    let named = this.#entriesNamed.get(set.order);
    if (named === undefined) {
      named = { known: 0, position: new Map() };
      this.#entriesNamed.set(set.order, named);
    }
    for (; named.known < set.order.length; named.known++) {
      const entry = this.#session.find(set.order[named.known] as string);
      if (entry !== undefined && !named.position.has(entry)) named.position.set(entry, named.known);
    }
    const position = named.position.get(index);
    return position !== undefined && position < set.size;
  }

  /** Place in the list of what an item entry contributed, or -1. */
  #placeOfId(id: string): number {
    const index = this.#session.find(id);
    if (index === undefined) return -1;
    const place = this.#placeFrom(index);
    const number = this.#list.contributions[place];
    return number !== undefined && this.#entryOf[number] === index && this.#kindOf[number] !== FIXED ? place : -1;
  }

  /** First place of the list contributed by an entry not before `index`, what the compaction contributed aside. */
  #placeFrom(index: EntryIndex): number {
    const { contributions, compaction } = this.#list;
    let low = 0;
    while (low < contributions.length && this.#entryOf[contributions[low] as Contribution] === compaction) low++;
    let high = contributions.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((this.#entryOf[contributions[middle] as Contribution] as EntryIndex) < index) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}

function kindOf(item: Item, response: string): number {
  if (item.type === 'function_call_output') return OUTPUT;
  return item.type === 'reasoning' && response !== '' ? REASONING : OTHER;
}

function sameImages(a: OmitImages | undefined, b: OmitImages | undefined): boolean {
  if (a === undefined || b === undefined) return a === b;
  if (a.placeholder !== b.placeholder) return false;
  return 'keep' in a ? 'keep' in b && a.keep === b.keep : 'before' in b && a.before === b.before;
}

/** Index of the first value above `bound` in an ascending list; its length when there is none. */
function firstAbove(ascending: readonly number[], bound: number): number {
  let low = 0;
  let high = ascending.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((ascending[middle] as number) <= bound) low = middle + 1;
    else high = middle;
  }
  return low;
}
