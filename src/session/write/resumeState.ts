/**
 * Where a reader of the lines would stand (session-format 1.8), kept while lines are appended, so that a writer knows when its own leaf
 * has to be marked. `leaf.ts` says the same for a whole file.
 */
import { type EntryColumns, LEAF_LABEL } from '../columns.ts';
import type { LabelMark } from '../leaf.ts';
import { type EntryIndex, ROOT } from '../session.ts';

export class ResumeState {
  readonly #columns: EntryColumns;
  readonly #base: () => EntryIndex | undefined;
  /** The mark in force; undefined without one. */
  #mark: EntryIndex | undefined;
  /** Entries after the mark that were asked for, or stand between one of those and the mark: whether they are under it. */
  readonly #known = new Map<EntryIndex, boolean>();
  /** The newest entry that counts; ROOT before the first. */
  #newest: EntryIndex = ROOT;

  constructor(columns: EntryColumns, base: () => EntryIndex | undefined) {
    this.#columns = columns;
    this.#base = base;
  }

  /** Whether the leaf may rest on an entry (1.8). */
  mayRestOn(target: EntryIndex | undefined): target is EntryIndex {
    if (target === undefined) return false;
    const base = this.#base();
    if (target === ROOT) return base === undefined;
    return (base === undefined || target >= base) && !this.#columns.has(target, LEAF_LABEL);
  }

  /** The entry that the lines so far resolve to. */
  get resolved(): EntryIndex {
    return this.#settle(this.#newest);
  }

  /** Takes the entry that was added last. */
  add(entry: EntryIndex, mark: LabelMark | undefined): void {
    const { mark: next, newest } = this.#after(entry, this.#columns.parent(entry), mark);
    if (next !== this.#mark) this.#known.clear();
    this.#mark = next;
    this.#newest = newest;
  }

  /** Where the lines would resolve to with one more entry. */
  resolvedWith(parent: EntryIndex, mark: LabelMark | undefined): EntryIndex {
    const entry = this.#columns.size;
    const { newest } = this.#after(entry, parent, mark);
    if (newest === entry && mark?.label !== 'leaf') return entry;
    return this.#settle(newest === entry ? parent : newest);
  }

  #after(
    entry: EntryIndex,
    parent: EntryIndex,
    mark: LabelMark | undefined,
  ): { readonly mark: EntryIndex | undefined; readonly newest: EntryIndex } {
    if (mark?.label === 'leaf' && this.mayRestOn(mark.target)) return { mark: mark.target, newest: mark.target };
    if (mark?.label === null && this.#mark !== undefined && mark.target === this.#mark)
      return { mark: undefined, newest: entry };
    if (this.#mark === undefined) return { mark: undefined, newest: entry };
    return { mark: this.#mark, newest: this.#isUnder(parent) ? entry : this.#newest };
  }

  /** Whether an entry is the mark or under it. */
  #isUnder(entry: EntryIndex): boolean {
    const mark = this.#mark;
    if (mark === undefined || mark === ROOT) return mark === ROOT;
    const between: EntryIndex[] = [];
    let at = entry;
    // A parent stands before its children.
    for (; at > mark && !this.#known.has(at); at = this.#columns.parent(at)) between.push(at);
    const isUnder = at === mark || this.#known.get(at) === true;
    for (const each of between) this.#known.set(each, isUnder);
    return isUnder;
  }

  /** The leaf never rests on a leaf label, nor above the base. */
  #settle(entry: EntryIndex): EntryIndex {
    const base = this.#base();
    let leaf = entry;
    while (leaf >= 0 && this.#columns.has(leaf, LEAF_LABEL)) leaf = this.#columns.parent(leaf);
    if (leaf < 0) leaf = ROOT;
    return base !== undefined && leaf < base ? base : leaf;
  }
}
