/** From a session to its trajectories: atif-export 4. */
import { buildContext, type Context } from '../session/context.ts';
import type { OutcomeEntry } from '../session/model.ts';
import type { EntryIndex, Session } from '../session/session.ts';
import { type Preference, Preferred } from './preferences.ts';
import { SessionTree } from './tree.ts';

export interface Trajectory {
  readonly tree: SessionTree;
  /** The entry that the path ends at. */
  readonly leaf: EntryIndex;
  readonly leafId: string;
  readonly context: Context;
  /** First entry first, before compaction; may be empty in a trajectory built by hand. */
  readonly path: readonly EntryIndex[];
  readonly preferredOver: readonly string[];
  /** Empty when the path was never abandoned. */
  readonly abandonedAt: string;
  /** Outcomes below the end of the path (4.4). */
  readonly outcomes: readonly EntryIndex[];
  readonly main: boolean;
}

/** Why there is no trajectory at an entry. */
export interface NoTrajectory {
  readonly problem: 'no-entry' | 'unusable-path' | 'no-context';
  /** As it was asked for, or the id of the leaf. */
  readonly id: string;
  /** One sentence. */
  readonly message: string;
}

export function isTrajectory(result: Trajectory | NoTrajectory): result is Trajectory {
  return !('problem' in result);
}

/** One result for each leaf, in file order of the leaves (4.1). A tree made before is used as it stands. */
export function* trajectories(
  of: Session | SessionTree,
  ...preferences: readonly Preference[]
): Generator<Trajectory | NoTrajectory> {
  const tree = of instanceof SessionTree ? of : new SessionTree(of);
  const preferred = new Preferred(tree, preferences);
  for (const leaf of tree.leaves()) yield trajectoryAt(tree, leaf, preferred);
}

/** The trajectory of the path that ends at an entry, which need not be a leaf (4.4). */
export function at(
  of: Session | SessionTree,
  entryId: string,
  ...preferences: readonly Preference[]
): Trajectory | NoTrajectory {
  const tree = of instanceof SessionTree ? of : new SessionTree(of);
  const entry = tree.find(entryId);
  if (entry === undefined)
    return { problem: 'no-entry', id: entryId, message: `the session holds no entry ${entryId}` };
  return trajectoryAt(tree, entry, new Preferred(tree, preferences));
}

/** The main trajectory: the path that ends at the last line (4.1). Undefined for an empty session. */
export function mainTrajectory(
  tree: SessionTree,
  ...preferences: readonly Preference[]
): Trajectory | NoTrajectory | undefined {
  const { size } = tree.session;
  return size === 0 ? undefined : trajectoryAt(tree, size - 1, new Preferred(tree, preferences));
}

function trajectoryAt(tree: SessionTree, leaf: EntryIndex, preferred: Preferred): Trajectory | NoTrajectory {
  const { session } = tree;
  const leafId = session.id(leaf);
  if (!session.pathUsable(leaf))
    return { problem: 'unusable-path', id: leafId, message: 'an entry on the path could not be read' };
  const path = session.path(leaf);
  const built = buildContext(session, path);
  if (!built.ok) {
    const { compaction, firstKept } = built.problem;
    return {
      problem: 'no-context',
      id: leafId,
      message: `the compaction ${session.id(compaction)} keeps from ${firstKept === '' ? 'no entry' : firstKept} on, which is not on the path before it`,
    };
  }
  return {
    tree,
    leaf,
    leafId,
    context: built.context,
    path,
    ...choices(tree, path, preferred),
    outcomes: outcomesBelow(tree, leaf, path),
    main: leaf === session.size - 1,
  };
}

/** Atif-export 4.3. */
function choices(
  tree: SessionTree,
  path: readonly EntryIndex[],
  preferred: Preferred,
): Pick<Trajectory, 'preferredOver' | 'abandonedAt'> {
  const { session } = tree;
  const preferredOver: string[] = [];
  let abandonedAt = '';
  for (let i = 0; i + 1 < path.length; i++) {
    const fork = path[i] as EntryIndex;
    if (!tree.isFork(fork)) continue;
    if (preferred.child(fork) === path[i + 1]) {
      for (const child of tree.children(fork))
        if (child !== path[i + 1]) for (const leaf of tree.leavesBelow(child)) preferredOver.push(session.id(leaf));
    } else if (abandonedAt === '') abandonedAt = session.id(fork);
  }
  return { preferredOver, abandonedAt };
}

function outcomesBelow(tree: SessionTree, leaf: EntryIndex, path: readonly EntryIndex[]): readonly EntryIndex[] {
  if (tree.session.isLeaf(leaf)) return [];
  const onPath = new Set(path);
  return tree.outcomes.filter((index) => {
    if (index <= leaf || !tree.session.pathUsable(index)) return false;
    const { target } = tree.session.entry(index) as OutcomeEntry;
    const targeted = target === undefined ? undefined : tree.session.find(target);
    return targeted !== undefined && onPath.has(targeted) && tree.isBelow(index, leaf);
  });
}
