/**
 * The path to the entry that a walk over a session stands at. What is known of a path is changed entry by entry and taken back when the
 * walk returns to a fork, so that a tree of any shape costs what its entries cost.
 */
import { IntColumn } from './intColumn.ts';
import type { Entry } from './model.ts';
import type { EntryIndex } from './session.ts';

export class CurrentPath {
  readonly #path = new IntColumn();
  readonly #place = new IntColumn();

  get length(): number {
    return this.#path.length;
  }

  /** The last entry; -1 on the universal root. */
  get tip(): EntryIndex {
    return this.#path.last();
  }

  at(place: number): EntryIndex {
    return this.#path.at(place);
  }

  /** Place of an entry on the path, or -1. */
  placeOf(index: EntryIndex): number {
    if (index >= this.#place.length) return -1;
    const place = this.#place.at(index);
    return place < this.#path.length && this.#path.at(place) === index ? place : -1;
  }

  push(index: EntryIndex): void {
    while (this.#place.length <= index) this.#place.push(0);
    this.#place.set(index, this.#path.length);
    this.#path.push(index);
  }

  cut(length: number): void {
    this.#path.cut(length);
  }
}

/** Something that follows the path. Entries are entered one below the other. */
export interface PathTracker {
  /** @param again the entry was entered before: what it shows by itself is already told. */
  enter(index: EntryIndex, entry: Entry, again: boolean): void;
  /**
   * The walk goes back: entries from `first` on are no longer on the path. An entry's number is above those of the entries over it, so that
   * what they left is at the end of every list.
   */
  retreat(first: EntryIndex): void;
  /** The walk stands at an entry without children. */
  leaf(index: EntryIndex): void;
}
