/** Other sessions and systems that a path's calls reached, and the judges of a session. Session-format 8.11. */
import { type Call, calls } from './calls.ts';
import type { LinkEntry } from './model.ts';
import type { EntryIndex, Session } from './session.ts';

export interface Callee {
  readonly link: EntryIndex;
  /** The hand-off that the link belongs to. */
  readonly dispatch: EntryIndex | undefined;
  readonly cancelled: boolean;
  /** The call's output came from this callee. */
  readonly answered: boolean;
}

const isCalleeLink = (link: LinkEntry): boolean => (link.rel === 'subsession' || link.rel === 'peer') && !link.cancel;

/** The callees of a path of usable entries, in path order. */
export function callees(session: Session, path: readonly EntryIndex[]): readonly Callee[] {
  const links = path
    .filter((index) => session.kind(index) === 'link')
    .map((index) => ({ index, link: session.entry(index) as LinkEntry }));
  const cancelled = new Set(links.filter(({ link }) => link.cancel).map(({ link }) => link.target));
  const latest = new Map<string, Call>();
  for (const call of calls(session, path)) latest.set(call.callId, call);
  const place = new Map(path.map((index, i) => [index, i]));
  const at = (index: EntryIndex): number => place.get(index) as number;
  return links
    .filter(({ link }) => isCalleeLink(link))
    .map(({ index, link }): Callee => {
      const call = link.callId === undefined ? undefined : latest.get(link.callId);
      const handOffs = call?.events.filter(({ kind }) => kind === 'dispatch').map(({ entry }) => entry) ?? [];
      const dispatch =
        link.url !== undefined
          ? handOffs.findLast((entry) => at(entry) < at(index))
          : handOffs.find((entry) => at(entry) > at(index));
      const isCancelled = cancelled.has(session.id(index));
      const output = call?.output;
      const lastHandOff = output === undefined ? undefined : handOffs.findLast((entry) => at(entry) < at(output));
      const answeredByHarness =
        output !== undefined &&
        call?.events.some(
          (event) =>
            event.kind === 'decision' &&
            event.verdict === 'answer' &&
            at(event.entry) > at(index) &&
            at(event.entry) < at(output),
        ) === true;
      const answered =
        output !== undefined &&
        at(output) > at(index) &&
        dispatch !== undefined &&
        dispatch === lastHandOff &&
        !isCancelled &&
        !answeredByHarness;
      return { link: index, dispatch, cancelled: isCancelled, answered };
    });
}

/** The `judged_by` links of a path, in path order. */
export function judges(session: Session, path: readonly EntryIndex[]): readonly EntryIndex[] {
  return path.filter((index) => {
    if (session.kind(index) !== 'link') return false;
    const entry = session.entry(index);
    return entry.kind === 'link' && entry.rel === 'judged_by';
  });
}
