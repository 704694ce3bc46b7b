/**
 * The path to the entry that a walk over a session stands at. What is known of a path is changed entry by entry and taken back when the
 * walk returns to a fork, so that a tree of any shape costs what its entries cost.
 */
import type { Entry } from './model.ts';
import type { EntryIndex } from './session.ts';

export class CurrentPath {
  readonly #path: EntryIndex[] = [];
  readonly #place: number[] = [];

  get length(): number {
    return this.#path.length;
  }

  get tip(): EntryIndex | undefined {
    return this.#path.at(-1);
  }

  /** Place of an entry on the path, or -1. */
  placeOf(index: EntryIndex): number {
    const place = this.#place[index];
    return place !== undefined && this.#path[place] === index ? place : -1;
  }

  push(index: EntryIndex): void {
    while (this.#place.length <= index) this.#place.push(0);
    this.#place[index] = this.#path.length;
    this.#path.push(index);
  }

  cut(length: number): void {
    this.#path.length = length;
  }
}

/** Something that follows the path. Entries are entered one below the other. */
export interface PathTracker {
  /**
   * @param place of the entry on the path; the path already holds it.
   * @param again the entry was entered before: what it shows by itself is already told.
   */
  enter(index: EntryIndex, entry: Entry, place: number, again: boolean): void;
  /** The walk goes back: the path now has this length. */
  retreat(length: number): void;
  /** The walk stands at an entry without children. */
  leaf(index: EntryIndex): void;
}

/** What takes back the changes that entries made, last change first. */
export class UndoLog {
  readonly #places: number[] = [];
  readonly #undo: (() => void)[] = [];

  record(place: number, undo: () => void): void {
    this.#places.push(place);
    this.#undo.push(undo);
  }

  /** Takes back what entries at this place or below it changed. */
  retreat(length: number): void {
    while ((this.#places.at(-1) ?? -1) >= length) {
      this.#places.pop();
      this.#undo.pop()?.();
    }
  }
}
