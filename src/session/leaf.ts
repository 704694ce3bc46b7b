/** The resume rule (session-format 1.8): which entry is the leaf. */
import { type EntryColumns, LEAF_LABEL } from './columns.ts';
import { type EntryIndex, ROOT } from './session.ts';

/** What a label entry says, kept while a file is read: there are few of them. */
export interface LabelMark {
  readonly entry: EntryIndex;
  /** The entry named; `ROOT` for the universal root; undefined when the file does not hold it. */
  readonly target: EntryIndex | undefined;
  readonly label: string | null;
}

/** The leaf of the entries of a file; `ROOT` when it is the universal root. `base` is set in a session that has one. */
export function resolveLeaf(
  columns: EntryColumns,
  labels: readonly LabelMark[],
  base: EntryIndex | undefined,
): EntryIndex {
  const size = columns.size;
  if (size === 0) return ROOT;
  const mayRestOn = (target: EntryIndex | undefined): target is EntryIndex => {
    if (target === undefined) return false;
    if (target === ROOT) return base === undefined;
    return (base === undefined || target >= base) && !columns.has(target, LEAF_LABEL);
  };
  let mark: EntryIndex | undefined;
  let markedAt = -1;
  for (const { entry, target, label } of labels) {
    if (label === 'leaf' && mayRestOn(target)) {
      mark = target;
      markedAt = entry;
    } else if (label === null && mark !== undefined && target === mark) {
      mark = undefined;
      markedAt = -1;
    }
  }
  let leaf = size - 1;
  if (mark !== undefined) {
    leaf = mark;
    const under = new Uint8Array(size);
    if (mark !== ROOT) under[mark] = 1;
    for (let entry = 0; entry < size; entry++) {
      const parent = columns.parent(entry);
      if (parent === ROOT ? mark !== ROOT : under[parent] !== 1) continue;
      under[entry] = 1;
      if (entry > markedAt) leaf = entry;
    }
  }
  while (leaf >= 0 && columns.has(leaf, LEAF_LABEL)) leaf = columns.parent(leaf);
  if (leaf < 0) leaf = ROOT;
  return base !== undefined && leaf < base ? base : leaf;
}
