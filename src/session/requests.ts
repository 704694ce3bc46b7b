/**
 * Checks the request hash of every response that a walk meets, in time that is linear in the bytes hashed after the first change from
 * one request to the next. Session-format 7.3 to 7.6; `request.ts` says the same for one response.
 */
import { hex, utf8 } from '../bytes/encoding.ts';
import { sha256 } from '../crypto/sha256.ts';
import { type BadContext, editOf } from './context.ts';
import { HashChain } from './hashChain.ts';
import { differingIds, type IdSet, idsOf } from './idSet.ts';
import { IntColumn } from './intColumn.ts';
import type { CompactionEntry, Entry, Item, OmitImages, ResponseEntry } from './model.ts';
import type { CurrentPath, PathTracker } from './pathTracker.ts';
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
  readonly contributions = new IntColumn();
  /** Places that hold reasoning items. */
  readonly reasoning = new IntColumn();
  /** Places that hold images, with the images up to and including each, as counted under `countedWithout`. */
  readonly imagePlaces = new IntColumn();
  readonly imagesUpTo = new IntColumn();
  imagesCounted = 0;
  countedWithout: IdSet = NO_OMIT.items;
  chains: Chain[] = [];
  readonly problem: BadContext | undefined;
  /** The compaction that it begins with; -1 without one. */
  readonly compaction: EntryIndex;
  /** Place after what the compaction itself contributed. */
  start = 0;

  constructor(compaction: EntryIndex, problem: BadContext | undefined) {
    this.compaction = compaction;
    this.problem = problem;
  }

  /** Takes back the contributions from a number on. */
  cutFrom(number: Contribution): void {
    this.contributions.cutFrom(number);
    const { length } = this.contributions;
    this.reasoning.cutFrom(length);
    this.cutImages(length);
    for (const chain of this.chains) chain.hash.cut(length);
  }

  cutImages(length: number): void {
    this.imagePlaces.cutFrom(length);
    this.imagesUpTo.cut(this.imagePlaces.length);
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
  #settings: Settings = EMPTY_SETTINGS;
  #list = new ContextList(-1, undefined);
  /** What config and compaction entries of the path replaced. */
  readonly #replaced: { readonly by: EntryIndex; readonly settings: Settings; readonly list: ContextList }[] = [];

  // Contributions of the path, by number.
  readonly #entryOf = new IntColumn();
  readonly #kindOf = new IntColumn();
  readonly #modelOf = new IntColumn();
  readonly #imagesOf = new IntColumn();
  readonly #recent = new RecentBytes();
  readonly #fixed = new Map<Contribution, Uint8Array>();
  readonly #fixedNumbers = new IntColumn();
  readonly #models: string[] = [];
  readonly #numberOfModel = new Map<string, number>();

  // Item entries of the path and their places in the list; runs of items that name one response.
  readonly #itemEntry = new IntColumn();
  readonly #itemPlace = new IntColumn();
  readonly #runFirst = new IntColumn();
  readonly #runResponse: string[] = [];

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

  enter(index: EntryIndex, entry: Entry, again: boolean): void {
    switch (entry.kind) {
      case 'item':
        this.#item(index, entry.item, entry.response ?? '');
        return;
      case 'branch_summary':
        this.#contribute(this.#addFixed(index, entry.summary));
        return;
      case 'config':
        this.#replaced.push({ by: index, settings: this.#settings, list: this.#list });
        this.#settings = applyConfig(this.#settings, entry);
        if (!again && leavesUnresolvedOf(entry, this.#settings)) this.#sink.unresolvedOf(index);
        return;
      case 'compaction':
        this.#compaction(index, entry);
        return;
      case 'response':
        if (!again) this.#response(index, entry);
        return;
      default:
    }
  }

  retreat(first: EntryIndex): void {
    for (let last = this.#replaced.at(-1); last !== undefined && last.by >= first; last = this.#replaced.at(-1)) {
      this.#settings = last.settings;
      this.#list = last.list;
      this.#replaced.pop();
    }
    const number = this.#entryOf.firstAbove(first - 1);
    while (this.#fixedNumbers.last() >= number) {
      this.#fixed.delete(this.#fixedNumbers.last());
      this.#fixedNumbers.cut(this.#fixedNumbers.length - 1);
    }
    for (const column of [this.#entryOf, this.#kindOf, this.#modelOf, this.#imagesOf]) column.cut(number);
    this.#recent.cut(number);
    this.#itemEntry.cutFrom(first);
    this.#itemPlace.cut(this.#itemEntry.length);
    this.#runFirst.cutFrom(this.#itemEntry.length);
    this.#runResponse.length = this.#runFirst.length;
    this.#list.cutFrom(number);
  }

  leaf(index: EntryIndex): void {
    if (this.#list.problem !== undefined) this.#sink.badLeaf(index, this.#list.problem);
  }

  #item(index: EntryIndex, item: Item, response: string): void {
    const number = this.#add(index, kindOf(item, response), item.images, canonicalView(item.raw));
    if (this.#runResponse.length === 0 || this.#runResponse.at(-1) !== response) {
      this.#runFirst.push(this.#itemEntry.length);
      this.#runResponse.push(response);
    }
    this.#itemEntry.push(index);
    this.#itemPlace.push(this.#list.contributions.length);
    this.#contribute(number);
  }

  #add(index: EntryIndex, kind: number, images: number, bytes: Uint8Array): Contribution {
    const number = this.#entryOf.length;
    this.#entryOf.push(index);
    this.#kindOf.push(kind);
    this.#modelOf.push(this.#modelNumber());
    this.#imagesOf.push(images);
    this.#recent.push(bytes);
    return number;
  }

  /** The model in force (7.2), by a number. */
  #modelNumber(): number {
    const { model } = this.#settings;
    let number = this.#numberOfModel.get(model);
    if (number === undefined) {
      number = this.#models.push(model) - 1;
      this.#numberOfModel.set(model, number);
    }
    return number;
  }

  #addFixed(index: EntryIndex, item: Item): Contribution {
    const number = this.#add(index, FIXED, 0, NO_BYTES);
    this.#fixed.set(number, ownCanonicalBytes(item.raw));
    this.#fixedNumbers.push(number);
    return number;
  }

  #contribute(number: Contribution): void {
    const { contributions, reasoning } = this.#list;
    if (this.#kindOf.at(number) === REASONING) reasoning.push(contributions.length);
    contributions.push(number);
  }

  #compaction(index: EntryIndex, entry: CompactionEntry): void {
    this.#replaced.push({ by: index, settings: this.#settings, list: this.#list });
    const named = this.#session.find(entry.firstKept);
    const bad = named === undefined || named === index || this.#path.placeOf(named) < 0;
    const next = new ContextList(index, bad ? { compaction: index, firstKept: entry.firstKept } : undefined);
    const upTo = this.#entryOf.length;
    this.#list = next;
    for (const item of [entry.summary, ...entry.pinned]) this.#contribute(this.#addFixed(index, item));
    next.start = next.contributions.length;
    // The kept window: what was contributed by entries from the named one on; an earlier compaction in it contributes nothing.
    if (!bad) {
      for (let number = this.#entryOf.firstAbove(named - 1); number < upTo; number++) {
        if (this.#session.kind(this.#entryOf.at(number)) !== 'compaction') this.#contribute(number);
      }
    }
    this.#settings = applyCheckpoint(entry.config);
  }

  #response(index: EntryIndex, entry: ResponseEntry): void {
    const list = this.#list;
    // The response's own output is not part of its request (7.4): the items at the end of the path that name it.
    const hasOwn = entry.responseId !== '' && this.#runResponse.at(-1) === entry.responseId;
    const firstOwn = this.#runFirst.last();
    const own = hasOwn ? this.#itemEntry.at(firstOwn) : Number.POSITIVE_INFINITY;
    if (own < list.compaction) {
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
    const length = hasOwn ? this.#itemPlace.at(firstOwn) : list.contributions.length;
    // Between the items of one response only summaries of branches can stand.
    const between: Contribution[] = [];
    for (let place = length; place < list.contributions.length; place++) {
      const number = list.contributions.at(place);
      if (this.#kindOf.at(number) === FIXED) between.push(number);
    }
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
      const changed = list.imagesUpTo.firstAbove(Math.min(replace, chain.imagesReplaced));
      if (changed < list.imagePlaces.length) chain.hash.cut(list.imagePlaces.at(changed));
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
        if (place >= 0 && this.#imagesOf.at(list.contributions.at(place)) > 0) from = Math.min(from, place);
      }
      list.cutImages(from);
      list.countedWithout = without;
    }
    for (; list.imagesCounted < length; list.imagesCounted++) {
      const number = list.contributions.at(list.imagesCounted);
      const images = this.#imagesOf.at(number);
      if (images === 0 || this.#names(without, this.#entryOf.at(number))) continue;
      list.imagePlaces.push(list.imagesCounted);
      list.imagesUpTo.push(Math.max(0, list.imagesUpTo.last()) + images);
    }
  }

  #imagesToReplace(rule: OmitImages | undefined, length: number, ownFrom: EntryIndex): number {
    const list = this.#list;
    const upTo = (place: number): number => imagesBefore(list, list.imagePlaces.firstAbove(place - 1));
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
    const number = list.contributions.at(place);
    const kind = this.#kindOf.at(number);
    if (kind === FIXED) return this.#fixed.get(number);
    const index = this.#entryOf.at(number);
    const { omit } = chain;
    if (this.#leavesOut(omit, chain.model, number)) return undefined;
    const output =
      kind === OUTPUT && omit.outputs !== undefined && this.#names(omit.outputs.items, index)
        ? omit.outputs.text
        : undefined;
    let images = 0;
    if (this.#imagesOf.at(number) > 0 && chain.imagesReplaced > 0) {
      const before = imagesBefore(list, list.imagePlaces.firstAbove(place - 1));
      images = Math.max(0, Math.min(this.#imagesOf.at(number), chain.imagesReplaced - before));
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
    if (this.#names(omit.items, this.#entryOf.at(number))) return true;
    const written = this.#models[this.#modelOf.at(number)] as string;
    return (
      omit.otherModels && this.#kindOf.at(number) === REASONING && written !== '' && model !== '' && written !== model
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
      if (!sameImages(before.images, omit.images)) at(list.imagePlaces.length > 0 ? list.imagePlaces.at(0) : -1);
    }
    if (
      (before.otherModels || omit.otherModels) &&
      (before.otherModels !== omit.otherModels || chain.model !== model)
    ) {
      for (let i = 0; i < list.reasoning.length && list.reasoning.at(i) < first; i++) {
        const place = list.reasoning.at(i);
        const number = list.contributions.at(place);
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
    if (place >= this.#list.contributions.length) return -1;
    const number = this.#list.contributions.at(place);
    return this.#entryOf.at(number) === index && this.#kindOf.at(number) !== FIXED ? place : -1;
  }

  /** First place of the list contributed by an entry not before `index`, what the compaction contributed aside. */
  #placeFrom(index: EntryIndex): number {
    const { contributions, start } = this.#list;
    return contributions.firstAbove(this.#entryOf.firstAbove(index - 1) - 1, start);
  }
}

/** Images of the items before the one that is so many-th to hold some. */
function imagesBefore(list: ContextList, holder: number): number {
  return holder === 0 ? 0 : list.imagesUpTo.at(holder - 1);
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
