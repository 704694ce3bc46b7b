/** The record of a pure head move: the one entry that is not redacted in a store of redacted ones (session-format 11.11). */
import type { Scanner } from '../json/scan.ts';
import type { Entry } from '../session/model.ts';
import type { Session } from '../session/session.ts';

/** Members of the label that records a pure head move (session-format 11.11). */
const HEAD_MOVE_MEMBERS: ReadonlySet<string> = new Set(['id', 'type', 'parent', 'ts', 'label', 'target']);

/** Whether a label carries nothing but the move of the head: no member else, at any depth. */
export function isBareLabel(line: Uint8Array, scanner: Scanner): boolean {
  if (!scanner.scan(line)) return false;
  for (let at = scanner.first(0); at >= 0; at = scanner.following(0, at))
    if (!HEAD_MOVE_MEMBERS.has(scanner.name(at))) return false;
  return true;
}

/** Whether an entry is a leaf label whose target the head may rest on (session-format 1.8). */
export function mayRestOn(session: Session, entry: Entry): boolean {
  if (entry.kind !== 'label' || entry.label !== 'leaf') return false;
  if (entry.target === null) return session.header.base === undefined;
  const target = session.find(entry.target);
  if (target === undefined || (!session.own(target) && target !== session.base)) return false;
  const rest = session.entry(target);
  return rest.kind !== 'label' || rest.label !== 'leaf';
}
