/** Inputs that were accepted and are not yet in the context. Session-format 8.10. */
import type { EntryIndex, Session } from './session.ts';

/** The queued entries of a path that nothing drains and no run's end has dropped, in path order. */
export function queued(session: Session, path: readonly EntryIndex[]): readonly EntryIndex[] {
  let open: EntryIndex[] = [];
  const drained = new Set<string>();
  for (const index of path) {
    const kind = session.kind(index);
    if (kind === 'queued') open.push(index);
    else if (kind === 'item' || kind === 'run') {
      const entry = session.entry(index);
      if (entry.kind === 'item' && entry.queuedFrom !== undefined) drained.add(entry.queuedFrom);
      if (entry.kind === 'run' && entry.phase === 'end') open = [];
    }
  }
  return open.filter((index) => !drained.has(session.id(index)));
}
