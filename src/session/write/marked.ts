/**
 * Appending an entry so that a reader of the lines finds the leaf where the writer has it (session-store 1.8): where the entry alone would move a
 * reader off, a leaf label stands before or after it. Nothing here keeps lines: whoever does keeps them between the two steps.
 */
import { formatInstant, type Instant } from '../../time/instant.ts';
import type { EntryDraft } from './draft.ts';
import { SessionError } from './error.ts';
import type { LiveSession } from './live.ts';
import type { Prepared } from './outcome.ts';

/** What is to be kept for one entry, all of it or nothing. */
export interface Planned {
  readonly prepared: Prepared;
  /** The label that stands before the entry, if one must. */
  readonly mark: Prepared | undefined;
}

/** The entry, and the label before it. Nothing of the session changes. Throws SessionError. */
export function planAppend(live: LiveSession, draft: EntryDraft, now: Instant): Planned {
  const prepared = live.prepare(draft);
  const { entry, outcome } = prepared;
  if (outcome !== 'held' && entry.kind === 'label' && entry.label === 'leaf' && entry.synthetic)
    throw new SessionError('synthetic', 'a synthetic marker is written by a projection alone');
  const before = live.leafMarkBefore(prepared);
  return { prepared, mark: before === undefined ? undefined : live.prepare(freshLabel(live, before, now)) };
}

/** Makes what was planned, and is kept by now, of the session. Gives the label that must be kept and committed after it, if any. */
export function commitPlanned(
  live: LiveSession,
  draft: EntryDraft,
  { prepared, mark }: Planned,
  now: Instant,
): Prepared | undefined {
  if (mark === undefined) live.commit(prepared);
  else {
    live.commit(mark);
    const { entry, id } = prepared;
    live.commit(live.prepare({ ...draft, parent: entry.parent, ts: entry.ts, id }));
  }
  const after = live.leafMarkNeeded();
  return after === undefined ? undefined : live.prepare(freshLabel(live, after, now));
}

/** A label at a time at which the session does not hold it yet: two of one instant and one place would be one entry. */
export function freshLabel(live: LiveSession, label: EntryDraft, now: Instant): EntryDraft {
  for (let at = now; ; at++) {
    const fresh = { ...label, ts: formatInstant(at) };
    if (live.prepare(fresh).outcome !== 'held') return fresh;
  }
}
