/** Events that needed a person, derived from a raw journal in place of a list (notifications 11.3). */
import type { Finding } from '../finding/finding.ts';
import { readExport } from '../journal/export.ts';
import { notifyEvents } from '../journal/notify-events.ts';
import { replay } from '../journal/replay.ts';
import { isRootRunId, rootRunId } from '../journal/run-id.ts';
import { endedAt } from '../journal/values.ts';
import { parseInstant } from '../time/instant.ts';
import type { JournalEvent, JournalFacts } from './document.ts';

export type Derivation =
  | { readonly ok: true; readonly facts: JournalFacts }
  /** The findings of the journal's own reader. */
  | { readonly ok: false; readonly findings: readonly Finding[] };

/**
 * The facts of a journal export. Keys are left out, since their spelling is inferred: these events are matched by what they are about.
 * An export that holds redacted records cannot show every event and says so (`partial`).
 */
export function deriveJournalFacts(file: Uint8Array): Derivation {
  const { journal, findings } = readExport(file);
  if (journal === undefined) return { ok: false, findings };
  const run = replay(journal);
  const time = (text: string | undefined) => (text === undefined || text === '' ? undefined : parseInstant(text));
  const events = notifyEvents(run).map(
    (event): JournalEvent => ({
      key: '',
      kind: event.kind,
      runId: event.run,
      at: time(event.at),
      current: event.current,
      approvers: event.approvers,
      resolvedAt: time(event.resolvedAt),
      op: { run: event.opRun, kind: event.opKind, id: event.op },
    }),
  );
  const [end] = run.ends;
  return {
    ok: true,
    facts: {
      runId: rootRunId(journal.run),
      asOf: undefined,
      // The journal of a sub-run shows only its own part of the trail.
      complete: isRootRunId(journal.run) && run.tombstones === 0,
      runEnded: end !== undefined,
      runEndedAt: end === undefined ? undefined : time(endedAt(end.record)),
      events,
      ...(run.tombstones === 0 ? {} : { partial: true }),
    },
  };
}
