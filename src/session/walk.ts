/**
 * Follows the tree of a session so that every path is met once. Entries are taken while the file is read, as long as each hangs from the
 * path at hand (which is how a session is written); what hangs elsewhere waits for the end of the file and is then walked depth first.
 */
import type { Entry } from './model.ts';
import { CurrentPath, type PathTracker } from './pathTracker.ts';
import { type EntryIndex, ROOT, type Session } from './session.ts';

export class Walk {
  readonly path = new CurrentPath();
  readonly #trackers: readonly PathTracker[];
  readonly #forgetLeaves: () => void;
  readonly #waiting = new Set<EntryIndex>();

  /**
   * @param trackers told of every entry below those above it.
   * @param forgetLeaves what was told of leaves does not hold: the walk begins anew, since some have got children.
   */
  constructor(trackers: (path: CurrentPath) => readonly PathTracker[], forgetLeaves: () => void) {
    this.#trackers = trackers(this.path);
    this.#forgetLeaves = forgetLeaves;
  }

  /** Takes the next usable entry of the file. */
  visit(index: EntryIndex, entry: Entry, session: Session): void {
    if (!session.pathUsable(index)) return;
    const parent = session.parent(index);
    const place = parent === ROOT ? 0 : this.path.placeOf(parent) + 1;
    if (parent !== ROOT && place === 0) {
      this.#waiting.add(index);
      return;
    }
    if (place < this.path.length) {
      this.#leaf();
      this.#retreat(place);
    }
    this.#enter(index, entry, false);
  }

  /** Ends the walk: the file is read. */
  finish(session: Session): void {
    const whole = this.#waiting.size === 0 && everyEntryUsable(session);
    if (whole) this.#leaf();
    this.#retreat(0);
    if (whole) return;
    // Where the walk went back there may be children that it has not met, or that cannot be used: no leaf, then.
    this.#forgetLeaves();
    for (const index of depthFirst(session)) {
      const parent = session.parent(index);
      const place = parent === ROOT ? 0 : this.path.placeOf(parent) + 1;
      if (place < this.path.length) this.#retreat(place);
      this.#enter(index, session.entry(index), !this.#waiting.has(index));
      if (session.isLeaf(index)) this.#leaf();
    }
    this.#retreat(0);
  }

  #enter(index: EntryIndex, entry: Entry, again: boolean): void {
    this.path.push(index);
    for (const tracker of this.#trackers) tracker.enter(index, entry, again);
  }

  #retreat(length: number): void {
    if (length >= this.path.length) return;
    for (const tracker of this.#trackers) tracker.retreat(this.path.at(length));
    this.path.cut(length);
  }

  #leaf(): void {
    const { tip } = this.path;
    if (tip >= 0) for (const tracker of this.#trackers) tracker.leaf(tip);
  }
}

function everyEntryUsable(session: Session): boolean {
  for (let index = 0; index < session.size; index++) if (!session.usable(index)) return false;
  return true;
}

/** The entries whose path is usable, each below its parent and children in file order. */
export function* depthFirst(session: Session): Iterable<EntryIndex> {
  const firstChild = new Int32Array(session.size + 1).fill(-1);
  const nextSibling = new Int32Array(session.size).fill(-1);
  // From the back, so that each list of children is in file order. Place 0 is the root.
  for (let index = session.size - 1; index >= 0; index--) {
    if (!session.pathUsable(index)) continue;
    const parent = session.parent(index) + 1;
    nextSibling[index] = firstChild[parent] as number;
    firstChild[parent] = index;
  }
  let index = firstChild[0] as number;
  while (index >= 0) {
    yield index;
    let next = firstChild[index + 1] as number;
    for (let above = index; next < 0 && above >= 0; above = session.parent(above)) next = nextSibling[above] as number;
    index = next;
  }
}
