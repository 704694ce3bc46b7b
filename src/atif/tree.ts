/**
 * What the trajectories of one session share: children, labels in force, the display name, and the ids from before migration
 * (atif-export 4). Built once, in time linear in the entries.
 */
import type { OutcomeEntry } from '../session/model.ts';
import { type EntryIndex, ROOT, type Session } from '../session/session.ts';
import type { Step } from './document.ts';
import { SharedSession } from './sharedSession.ts';

export class SessionTree {
  readonly session: SharedSession;
  /** Target to the label in force on it, over the whole session. */
  readonly labels: ReadonlyMap<string, string>;
  /** Of the last `info` entry with a name; empty when there is none. */
  readonly name: string;
  /** Outcome entries in file order. */
  readonly outcomes: readonly EntryIndex[];

  readonly #firstChild: Int32Array;
  readonly #nextSibling: Int32Array;
  /** By entry, the latest entry below it, itself included. */
  readonly #latest: Int32Array;
  #forks = 0;
  #legacy: ReadonlyMap<string, EntryIndex> | undefined;
  #toLeaf: ReadonlyMap<EntryIndex, EntryIndex> | undefined;
  #scores: Float64Array | undefined;
  readonly #labelled = new Map<string, Uint8Array>();
  readonly #steps = new WeakMap<object, Map<string, Step>>();

  constructor(session: Session) {
    this.session = new SharedSession(session);
    const { size } = session;
    this.#firstChild = new Int32Array(size).fill(-1);
    this.#nextSibling = new Int32Array(size).fill(-1);
    this.#latest = Int32Array.from({ length: size }, (_, index) => index);
    // A parent always stands before its children: from the back, every list of children comes to be in file order.
    for (let index = size - 1; index >= 0; index--) {
      const parent = session.parent(index);
      if (parent < 0) continue;
      if ((this.#firstChild[parent] as number) >= 0) this.#forks++;
      this.#nextSibling[index] = this.#firstChild[parent] as number;
      this.#firstChild[parent] = index;
      this.#latest[parent] = Math.max(this.#latest[parent] as number, this.#latest[index] as number);
    }
    const labels = new Map<string, string>();
    const outcomes: EntryIndex[] = [];
    let name = '';
    for (let index = 0; index < size; index++) {
      if (!session.usable(index)) continue;
      const kind = session.kind(index);
      if (kind === 'outcome') outcomes.push(index);
      if (kind !== 'label' && kind !== 'info') continue;
      const entry = session.entry(index);
      if (entry.kind === 'info' && entry.name !== '') name = entry.name;
      if (entry.kind !== 'label' || entry.target === null) continue;
      if (entry.label === null) labels.delete(entry.target);
      else labels.set(entry.target, entry.label);
    }
    this.labels = labels;
    this.name = name;
    this.outcomes = outcomes;
  }

  /** Steps that paths of the session share, by what they are made of, for one object of options; undefined where nothing is to be kept. */
  stepsOf(options: object): Map<string, Step> | undefined {
    if (this.#forks === 0 || !this.session.keeps) return undefined;
    let steps = this.#steps.get(options);
    if (steps === undefined) {
      steps = new Map();
      this.#steps.set(options, steps);
    }
    return steps;
  }

  /** The leaves in file order, those whose path cannot be used included. */
  *leaves(): Iterable<EntryIndex> {
    for (let index = 0; index < this.session.size; index++) if (this.#firstChild[index] === -1) yield index;
  }

  /** In file order. */
  children(entry: EntryIndex): EntryIndex[] {
    const children: EntryIndex[] = [];
    for (let at = this.#firstChild[entry] as number; at >= 0; at = this.#nextSibling[at] as number) children.push(at);
    return children;
  }

  isFork(entry: EntryIndex): boolean {
    const first = this.#firstChild[entry] as number;
    return first >= 0 && (this.#nextSibling[first] as number) >= 0;
  }

  /** The latest entry of the file in the subtree of an entry, itself included. */
  latestBelow(entry: EntryIndex): EntryIndex {
    return this.#latest[entry] as number;
  }

  /** Leaves below an entry, itself included: depth first, the children of each entry last in file order first (4.3). */
  leavesBelow(entry: EntryIndex): EntryIndex[] {
    const leaves: EntryIndex[] = [];
    const work = [entry];
    for (let next = work.pop(); next !== undefined; next = work.pop()) {
      const children = this.children(next);
      if (children.length === 0) leaves.push(next);
      else for (const child of children) work.push(child);
    }
    return leaves;
  }

  /** The child of an entry on the path to the session's current leaf; undefined beside that path and at its end. */
  towardsCurrentLeaf(entry: EntryIndex): EntryIndex | undefined {
    if (this.#toLeaf === undefined) {
      const next = new Map<EntryIndex, EntryIndex>();
      const { session } = this;
      for (let at = session.leaf; at >= 0; at = session.parent(at)) next.set(session.parent(at), at);
      this.#toLeaf = next;
    }
    return this.#toLeaf.get(entry);
  }

  /** Whether the subtree of an entry holds one that carries the label. */
  holdsLabel(label: string, entry: EntryIndex): boolean {
    let marks = this.#labelled.get(label);
    if (marks === undefined) {
      marks = new Uint8Array(this.session.size);
      for (const [target, found] of this.labels) {
        const index = found === label ? this.session.find(target) : undefined;
        if (index !== undefined) marks[index] = 1;
      }
      for (let index = this.session.size - 1; index >= 0; index--) {
        const parent = this.session.parent(index);
        if (parent >= 0 && marks[index] === 1) marks[parent] = 1;
      }
      this.#labelled.set(label, marks);
    }
    return marks[entry] === 1;
  }

  /** The best score in the subtree of an entry; undefined when nothing in it has one. */
  bestScore(entry: EntryIndex): number | undefined {
    if (this.#scores === undefined) {
      const scores = new Float64Array(this.session.size).fill(Number.NEGATIVE_INFINITY);
      const raise = (index: EntryIndex, score: number): void => {
        scores[index] = Math.max(scores[index] as number, score);
      };
      for (const index of this.outcomes) {
        const outcome = this.session.entry(index) as OutcomeEntry;
        const of = outcome.target === undefined ? index : this.session.find(outcome.target);
        if (outcome.score !== undefined && of !== undefined) raise(of, outcome.score);
      }
      for (let index = this.session.size - 1; index >= 0; index--) {
        const parent = this.session.parent(index);
        if (parent >= 0) raise(parent, scores[index] as number);
      }
      this.#scores = scores;
    }
    const score = this.#scores[entry] as number;
    return score === Number.NEGATIVE_INFINITY ? undefined : score;
  }

  /** The entry of an id, or of an id from before migration. */
  find(id: string): EntryIndex | undefined {
    const found = this.session.find(id);
    if (found !== undefined) return found;
    if (this.#legacy === undefined) {
      const legacy = new Map<string, EntryIndex>();
      for (let index = 0; index < this.session.size; index++) {
        const old = this.session.usable(index) ? this.session.entry(index).legacyId : undefined;
        if (old !== undefined) legacy.set(old, index);
      }
      this.#legacy = legacy;
    }
    return this.#legacy.get(id);
  }

  /** Whether an entry stands strictly below another. */
  isBelow(entry: EntryIndex, above: EntryIndex): boolean {
    let at = this.session.parent(entry);
    while (at > above) at = this.session.parent(at);
    return at === above && above !== ROOT;
  }
}
