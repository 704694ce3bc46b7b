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
import { STEP, Work } from './work.ts';

/** What a contribution is. */
const OTHER = 0;
const OUTPUT = 1;
const REASONING = 2;
/** A summary of a branch: `omit` never reaches it. */
const FIXED = 3;

const NO_BYTES = new Uint8Array(0);

/** A contribution to the context, by number; numbers grow along the path. */
type Contribution = number;

/** Lists under the last compactions of a path that keep their chains, for the branches that come back to them. */
const MOST_LISTS = 4;

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

/**
 * The contributions from the last compaction on, or from the first entry: what the compaction itself gives, then all of the path from a
 * number on. Nothing of it is copied, so that a file of nothing but compactions costs no more than another.
 */
class ContextList {
  /** Summary and pinned items of the compaction, in canonical form. */
  readonly fixed: readonly Uint8Array[];
  /** First contribution of the kept window. */
  readonly from: Contribution;
  /** The compaction that it begins with; -1 without one. */
  readonly compaction: EntryIndex;
  readonly firstKept: EntryIndex;
  readonly problem: BadContext | undefined;
  /** Places that hold images, with the images up to and including each, as counted under `countedWithout`. */
  readonly imagePlaces = new IntColumn();
  readonly imagesUpTo = new IntColumn();
  imagesCounted = 0;
  countedWithout: IdSet = NO_OMIT.items;
  chains: Chain[] = [];

  constructor(
    fixed: readonly Uint8Array[],
    from: Contribution,
    compaction: EntryIndex,
    firstKept: EntryIndex,
    problem: BadContext | undefined,
  ) {
    this.fixed = fixed;
    this.from = from;
    this.compaction = compaction;
    this.firstKept = firstKept;
    this.problem = problem;
  }

  /** Place of a contribution; of one before the window, the place where the window begins. */
  placeOf(number: Contribution): number {
    return this.fixed.length + Math.max(0, number - this.from);
  }

  /** Contribution at a place; below `from` for what the compaction gives. */
  at(place: number): Contribution {
    return this.from + place - this.fixed.length;
  }

  cut(length: number): void {
    this.cutImages(length);
    for (const { hash } of this.chains) {
      hash.cut(length);
      hash.forgetBehind();
    }
  }

  cutImages(length: number): void {
    this.imagePlaces.cutFrom(length);
    this.imagesUpTo.cut(this.imagePlaces.length);
    this.imagesCounted = Math.min(this.imagesCounted, length);
  }

  /** Lets go what can be computed again. */
  release(): void {
    this.chains = [];
    this.cutImages(0);
  }
}

/** Told of each response and of each context that cannot be had. */
export interface RequestSink {
  response(index: EntryIndex, verdict: ResponseVerdict): void;
  /** The context at a leaf cannot be built. */
  badLeaf(leaf: EntryIndex, problem: BadContext): void;
  /** A config entry wrote a keep that its path cannot resolve (6.4). */
  unresolvedOf(index: EntryIndex): void;
  /** From this entry on nothing more is followed: it would cost more than is spent on one session (`work.ts`). */
  overLimit?(index: EntryIndex): void;
}

export class RequestTracker implements PathTracker {
  readonly #session: Session;
  readonly #path: CurrentPath;
  readonly #sink: RequestSink;
  #settings: Settings = EMPTY_SETTINGS;
  #list = new ContextList([], 0, -1, -1, undefined);
  /** What config and compaction entries of the path replaced. */
  #replaced: {
    readonly by: EntryIndex;
    readonly settings: Settings;
    readonly list: ContextList;
    readonly weight: number;
  }[] = [];
  readonly #work: Work;
  #isOver = false;

  // Contributions of the path, by number.
  readonly #entryOf = new IntColumn();
  readonly #kindOf = new IntColumn();
  readonly #modelOf = new IntColumn();
  readonly #imagesOf = new IntColumn();
  readonly #recent = new RecentBytes();
  /** Summaries of branches, and the numbers of reasoning items. */
  readonly #fixed = new Map<Contribution, Uint8Array>();
  readonly #fixedNumbers = new IntColumn();
  readonly #reasoning = new IntColumn();
  readonly #models: string[] = [];
  readonly #numberOfModel = new Map<string, number>();

  // Item entries of the path and their contributions; runs of items that name one response.
  readonly #itemEntry = new IntColumn();
  readonly #itemNumber = new IntColumn();
  readonly #runFirst = new IntColumn();
  readonly #runResponse: string[] = [];

  readonly #entriesNamed = new WeakMap<
    readonly string[],
    { known: number; readonly position: Map<EntryIndex, number> }
  >();
  #frames: { readonly settings: Settings; readonly frame: RequestFrame; readonly tail: Uint8Array }[] = [];

  constructor(session: Session, path: CurrentPath, sink: RequestSink, work = new Work()) {
    this.#session = session;
    this.#path = path;
    this.#sink = sink;
    this.#work = work;
  }

  enter(index: EntryIndex, entry: Entry, again: boolean): void {
    if (!this.#isOver) {
      this.#work.allow(this.#session.length(index));
      this.#follow(index, entry, again);
      if (this.#work.isOver || this.#settings.tooLarge === true) this.#giveUp(index);
    } else if (entry.kind === 'response' && !again) this.#sink.response(index, { outcome: 'unchecked' });
  }

  #giveUp(index: EntryIndex): void {
    this.#isOver = true;
    this.#settings = EMPTY_SETTINGS;
    this.#list = new ContextList([], 0, -1, -1, undefined);
    this.#replaced = [];
    this.#frames = [];
    this.#sink.overLimit?.(index);
  }

  #follow(index: EntryIndex, entry: Entry, again: boolean): void {
    switch (entry.kind) {
      case 'item':
        this.#item(index, entry.item, entry.response ?? '');
        return;
      case 'branch_summary':
        this.#branchSummary(index, entry.summary);
        return;
      case 'config':
        this.#replace(index, applyConfig(this.#settings, entry));
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

  /** Puts settings in force. What is not shared with those before weighs. */
  #replace(index: EntryIndex, next: Settings): void {
    const before = this.#settings;
    let elements = 1;
    if (next.tools !== before.tools) elements += next.tools.length;
    if (next.extra !== before.extra) elements += next.extra.size;
    if (next.instructionsParts !== before.instructionsParts) elements += next.instructionsParts.length;
    if (next.instructionsOmitted !== before.instructionsOmitted) elements += next.instructionsOmitted.length;
    if (next.omit.items.order !== before.omit.items.order) elements += next.omit.items.size;
    const [outputs, outputsBefore] = [next.omit.outputs?.items, before.omit.outputs?.items];
    if (outputs !== undefined && outputs.order !== outputsBefore?.order) elements += outputs.size;
    const characters = next.instructions === before.instructions ? 0 : next.instructions.length;
    const weight = this.#work.keep(elements, characters);
    this.#replaced.push({ by: index, settings: before, list: this.#list, weight });
    this.#settings = next;
  }

  retreat(first: EntryIndex): void {
    if (this.#isOver) return;
    for (let last = this.#replaced.at(-1); last !== undefined && last.by >= first; last = this.#replaced.at(-1)) {
      this.#settings = last.settings;
      this.#list = last.list;
      this.#work.release(last.weight);
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
    this.#reasoning.cutFrom(number);
    this.#itemNumber.cut(this.#itemEntry.length);
    this.#runFirst.cutFrom(this.#itemEntry.length);
    this.#runResponse.length = this.#runFirst.length;
    this.#list.cut(this.#list.placeOf(number));
  }

  leaf(index: EntryIndex): void {
    if (!this.#isOver && this.#list.problem !== undefined) this.#sink.badLeaf(index, this.#list.problem);
  }

  #item(index: EntryIndex, item: Item, response: string): void {
    const number = this.#add(index, kindOf(item, response), item.images, canonicalView(item.raw));
    if (this.#runResponse.length === 0 || this.#runResponse.at(-1) !== response) {
      this.#runFirst.push(this.#itemEntry.length);
      this.#runResponse.push(response);
    }
    this.#itemEntry.push(index);
    this.#itemNumber.push(number);
    if (this.#kindOf.at(number) === REASONING) this.#reasoning.push(number);
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

  #branchSummary(index: EntryIndex, summary: Item): void {
    const number = this.#add(index, FIXED, 0, NO_BYTES);
    this.#fixed.set(number, ownCanonicalBytes(summary.raw));
    this.#fixedNumbers.push(number);
  }

  #compaction(index: EntryIndex, entry: CompactionEntry): void {
    this.#replace(index, applyCheckpoint(entry.config));
    this.#replaced.at(-1 - MOST_LISTS)?.list.release();
    const firstKept = this.#session.find(entry.firstKept);
    const bad = firstKept === undefined || firstKept === index || this.#path.placeOf(firstKept) < 0;
    const fixed = [entry.summary, ...entry.pinned].map((item) => ownCanonicalBytes(item.raw));
    this.#list = bad
      ? new ContextList(fixed, this.#entryOf.length, index, -1, { compaction: index, firstKept: entry.firstKept })
      : new ContextList(fixed, this.#entryOf.firstAbove(firstKept - 1), index, firstKept, undefined);
  }

  #response(index: EntryIndex, entry: ResponseEntry): void {
    const list = this.#list;
    // The response's own output is not part of its request (7.4): the items at the end of the path that name it.
    const hasOwn = entry.responseId !== '' && this.#runResponse.at(-1) === entry.responseId;
    const firstOwn = this.#runFirst.last();
    const own = hasOwn ? this.#itemEntry.at(firstOwn) : Number.POSITIVE_INFINITY;
    if (list.problem !== undefined) {
      this.#sink.response(index, { outcome: 'bad-context', problem: list.problem });
      return;
    }
    // What is not part of the request cannot begin its window.
    if (list.firstKept >= own && this.#session.kind(list.firstKept) === 'item') {
      const problem = { compaction: list.compaction, firstKept: this.#session.id(list.firstKept) };
      this.#sink.response(index, { outcome: 'bad-context', problem });
      return;
    }
    const recorded = entry.requestHash;
    if (recorded === undefined) {
      this.#sink.response(index, { outcome: 'absent' });
      return;
    }
    const upTo = hasOwn ? this.#itemNumber.at(firstOwn) : this.#entryOf.length;
    const length = list.placeOf(upTo);
    // Between the items of one response only summaries of branches can stand.
    const between = this.#fixedNumbers.firstAbove(Math.max(upTo, list.from) - 1);
    const rebuilt = this.#hash(length, between, own, false);
    const isPlain =
      rebuilt !== recorded && !omitsNothing(this.#settings.omit) && this.#hash(length, between, own, true) === recorded;
    // A hash that was broken off says nothing.
    if (this.#work.isOver) this.#sink.response(index, { outcome: 'unchecked' });
    else if (rebuilt === recorded) this.#sink.response(index, { outcome: 'verified' });
    else this.#sink.response(index, { outcome: isPlain ? 'divergence' : 'mismatch', recorded, rebuilt });
  }

  /**
   * Hash of the request over the first `length` places of the list and what follows between the response's own items.
   *
   * @param between which of the path's summaries of branches is the first that follows.
   * @param ownFrom the first entry of the response's own output: it names nothing in this request.
   * @param plain without the omit in force (7.6).
   */
  #hash(length: number, between: number, ownFrom: EntryIndex, plain: boolean): string {
    const settings = this.#settings;
    const { frame, tail } = this.#frame(settings);
    const chain = this.#chain(frame.head, plain);
    this.#bring(chain, plain ? NO_OMIT : settings.omit, length, ownFrom);
    const more = this.#fixedNumbers.length - between;
    this.#work.spend(tail.length);
    const digest =
      chain.hash.emitted + more === 0
        ? sha256(utf8(requestWithoutItems(settings)))
        : chain.hash.digest(between, more, (i) => this.#fixed.get(this.#fixedNumbers.at(i)) as Uint8Array, tail);
    return `sha256:${hex(digest)}`;
  }

  #frame(settings: Settings): { readonly frame: RequestFrame; readonly tail: Uint8Array } {
    const known = this.#frames.find((each) => each.settings === settings);
    if (known !== undefined) return known;
    const frame = requestFrame(settings);
    this.#work.spend(2 * (frame.head.length + frame.tail.length) + settings.extra.size * STEP);
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
    while (chain.hash.position < length && !this.#work.isOver) {
      const sent = this.#sent(chain, chain.hash.position);
      this.#work.spend(STEP + (sent?.length ?? 0));
      chain.hash.append(sent);
    }
  }

  /** Images up to `length`, those of items that are left out not counted (7.3). */
  #countImages(without: IdSet, length: number): void {
    const list = this.#list;
    if (without !== list.countedWithout) {
      let from = list.imagesCounted;
      for (const id of differingIds(without, list.countedWithout)) {
        this.#work.spend(STEP);
        const place = this.#placeOfId(id);
        if (place >= 0 && this.#imagesOf.at(list.at(place)) > 0) from = Math.min(from, place);
      }
      list.cutImages(from);
      list.countedWithout = without;
    }
    for (; list.imagesCounted < length; list.imagesCounted++) {
      if (list.imagesCounted < list.fixed.length) continue;
      const number = list.at(list.imagesCounted);
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
    return upTo(Math.min(length, list.placeOf(this.#entryOf.firstAbove(bound - 1))));
  }

  /** What a place gives to the request of a chain: bytes, or undefined when it is left out. */
  #sent(chain: Chain, place: number): Uint8Array | undefined {
    const list = this.#list;
    if (place < list.fixed.length) return list.fixed[place];
    const number = list.at(place);
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
      this.#work.spend(STEP);
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
      for (let i = this.#reasoning.firstAbove(list.from - 1); i < this.#reasoning.length; i++) {
        this.#work.spend(STEP / 4);
        const number = this.#reasoning.at(i);
        const place = list.placeOf(number);
        if (place >= first) break;
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
    const number = this.#entryOf.firstAbove(index - 1);
    if (number < this.#list.from || number >= this.#entryOf.length || this.#entryOf.at(number) !== index) return -1;
    return this.#kindOf.at(number) === FIXED ? -1 : this.#list.placeOf(number);
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
