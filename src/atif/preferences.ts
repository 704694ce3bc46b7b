/** Which child of a fork is preferred: atif-export 4.2. */
import type { EntryIndex } from '../session/session.ts';
import type { SessionTree } from './tree.ts';

/** Answers with one of `children` (in file order), or with anything else for no opinion. */
export type Preference = (
  tree: SessionTree,
  fork: EntryIndex,
  children: readonly EntryIndex[],
) => EntryIndex | undefined;

/** The child below which the entry latest in file order stands. */
export const preferLatest: Preference = (tree, _, children) => {
  let best: EntryIndex | undefined;
  for (const child of children)
    if (best === undefined || tree.latestBelow(child) > tree.latestBelow(best)) best = child;
  return best;
};

/** The child below which the session's current leaf stands. */
export const preferCurrentLeaf: Preference = (tree, fork) => tree.towardsCurrentLeaf(fork);

/** The only child below which an entry carries the label. */
export function preferLabel(label: string): Preference {
  return (tree, _, children) => {
    const carrying = children.filter((child) => tree.holdsLabel(label, child));
    return carrying.length === 1 ? carrying[0] : undefined;
  };
}

/** The child with the highest best score below it; no opinion on a tie. */
export const preferScore: Preference = (tree, _, children) => {
  let best: EntryIndex | undefined;
  let highest = Number.NEGATIVE_INFINITY;
  let tied = false;
  for (const child of children) {
    const score = tree.bestScore(child);
    if (score === undefined || score < highest) continue;
    tied = best !== undefined && score === highest;
    [best, highest] = [child, score];
  }
  return tied ? undefined : best;
};

/** Asks preferences about forks, each fork once. */
export class Preferred {
  readonly #tree: SessionTree;
  readonly #preferences: readonly Preference[];
  readonly #answers = new Map<EntryIndex, EntryIndex>();

  constructor(tree: SessionTree, preferences: readonly Preference[]) {
    this.#tree = tree;
    this.#preferences = [...preferences, preferLatest];
  }

  /** The preferred child of an entry with children. */
  child(fork: EntryIndex): EntryIndex | undefined {
    const known = this.#answers.get(fork);
    if (known !== undefined) return known;
    const children = this.#tree.children(fork);
    for (const preference of this.#preferences) {
      const answer = preference(this.#tree, fork, children);
      if (answer === undefined || !children.includes(answer)) continue;
      this.#answers.set(fork, answer);
      return answer;
    }
    return undefined;
  }
}
