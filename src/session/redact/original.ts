/** From the entries of a redacted session back to the entries of its original: session-format 11.12. */
import type { EntryIndex, Session } from '../session.ts';
import { SessionError } from '../write/error.ts';
import { positionsOf } from './spans.ts';

/** The session of an id, as far as it is at hand. */
export type SessionAtHand = (id: string) => Session | undefined;

/**
 * Ids of the original's entries, by the id of the redacted entry that was made from them. Entries without spans are not in it.
 *
 * Throws SessionError `not_redacted`, `no_session`, or `stale_original` for a position beyond the copy of the original.
 */
export function original(redacted: Session, atHand: SessionAtHand): ReadonlyMap<string, readonly string[]> {
  // 1
  if (!redacted.header.redacted) throw new SessionError('not_redacted', 'the session is not redacted');
  // 2
  const from = redacted.header.redactedFrom;
  const source = from === undefined ? undefined : atHand(from.session);
  if (source === undefined) throw new SessionError('no_session', 'the original is not at hand');
  // 3
  const found = new Map<string, readonly string[]>();
  for (let index = 0; index < redacted.size; index++) {
    if (!redacted.usable(index)) continue;
    const spans = redacted.entry(index).redacted;
    if (spans === undefined || spans.length === 0) continue;
    const of = redacted.own(index) ? source : prefixSource(redacted, index, atHand);
    if (of === undefined) continue;
    const last = spans.at(-1) as number | readonly [number, number];
    if ((typeof last === 'number' ? last : last[1]) > of.size)
      throw new SessionError('stale_original', `the copy of the original has ${of.size} entries`, redacted.id(index));
    found.set(
      redacted.id(index),
      [...positionsOf(spans)].map((position) => of.id(position - 1)),
    );
  }
  return found;
}

/** 4: the original of the session that owns an entry of the prefix. */
function prefixSource(redacted: Session, entry: EntryIndex, atHand: SessionAtHand): Session | undefined {
  const id = redacted.id(entry);
  const seen = new Set<string>([redacted.header.id]);
  let at = redacted.header.parentSession;
  while (at !== undefined && !seen.has(at)) {
    seen.add(at);
    const owner = atHand(at);
    if (owner === undefined) return undefined;
    const index = owner.find(id);
    if (index !== undefined && owner.own(index)) {
      const from = owner.header.redacted ? owner.header.redactedFrom : undefined;
      return from === undefined ? undefined : atHand(from.session);
    }
    at = owner.header.parentSession;
  }
  return undefined;
}
