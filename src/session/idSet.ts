/**
 * Growing sets of entry ids that many settings share (session-format 6.6: `omit` adds and never takes away, except all at once). A set is
 * the first `size` ids of a list that later sets of the same path continue; a branch copies it.
 */

export interface IdSet {
  /** Shared with later sets; only the first `size` ids belong to this one. */
  readonly order: string[];
  readonly position: Map<string, number>;
  readonly size: number;
}

export const EMPTY_IDS: IdSet = { order: [], position: new Map(), size: 0 };

export function hasId(set: IdSet, id: string): boolean {
  const position = set.position.get(id);
  return position !== undefined && position < set.size;
}

/** Ids in the order in which they were first added. */
export function idsOf(set: IdSet): readonly string[] {
  return set.size === set.order.length ? set.order : set.order.slice(0, set.size);
}

/** The set with further ids. */
export function withIds(set: IdSet, ids: readonly string[]): IdSet {
  const added = ids.filter((id) => !hasId(set, id));
  if (added.length === 0) return set;
  const continues = set.size > 0 && set.size === set.order.length;
  const order = continues ? set.order : set.order.slice(0, set.size);
  const position = continues ? set.position : new Map(order.map((id, index) => [id, index]));
  for (const id of added) {
    if (position.has(id)) continue;
    position.set(id, order.length);
    order.push(id);
  }
  return { order, position, size: order.length };
}

/** Ids in one of the sets and not in the other; at worst all of both. */
export function* differingIds(a: IdSet, b: IdSet): Iterable<string> {
  if (a.order === b.order) {
    for (let i = Math.min(a.size, b.size); i < Math.max(a.size, b.size); i++) yield a.order[i] as string;
    return;
  }
  for (const id of idsOf(a)) if (!hasId(b, id)) yield id;
  for (const id of idsOf(b)) if (!hasId(a, id)) yield id;
}
