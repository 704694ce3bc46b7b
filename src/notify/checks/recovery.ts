/** Recovery episodes and the events that tell of them (notifications 13.5). */
import type { CheckContext } from '../context.ts';
import { stripTo } from '../keys.ts';
import type { NotifyRecord } from '../record.ts';
import { formatDuration } from '../time.ts';

const CAUSES: ReadonlySet<string> = new Set(['resume_error', 'store_error', 'not_resumable']);

export function checkRecovery({ settings, asOf, model, notes }: CheckContext, records: readonly NotifyRecord[]): void {
  // 1. and 2.
  let open = false;
  for (const { index, kind, reason } of records) {
    if (kind === 'failing_since') {
      if (open)
        notes.add('recovery-nested', 'trail', `record ${index} opens a recovery episode inside an open one`, { index });
      open = true;
      if (!CAUSES.has(reason))
        notes.add('recovery-cause', 'trail', `record ${index} gives a cause that is not one of the three codes`, {
          index,
          expected: [...CAUSES].join(', '),
        });
    } else if (kind === 'recovered') {
      if (!open)
        notes.add('recovery-unmatched', 'trail', `record ${index} closes a recovery episode where none is open`, {
          index,
        });
      open = false;
    }
  }
  // 3.
  const told = new Set<number>();
  for (const { key, kind, index, at, episode } of model.events.values()) {
    if (kind !== 'recovery_failing') continue;
    const start = episode === undefined ? undefined : model.episodes[episode]?.start;
    if (episode === undefined || start === undefined) {
      notes.add(
        'recovery-event-without-episode',
        'trail',
        `record ${index} tells of a failing recovery, and no episode is open there`,
        { index, key },
      );
      continue;
    }
    told.add(episode);
    if (at - start.at <= settings.recovery_failing_after)
      notes.add(
        'recovery-event-early',
        'trail',
        `record ${index} tells of an episode that had not lasted long enough`,
        {
          index,
          key,
          expected: `more than ${formatDuration(settings.recovery_failing_after)}`,
          actual: formatDuration(at - start.at),
        },
      );
    const number = /:([0-9]+)$/.exec(stripTo(key))?.[1];
    if (number !== undefined && number !== String(episode))
      notes.add(
        'recovery-episode-number',
        'trail',
        `the key at record ${index} carries another number than the episodes closed before it`,
        {
          index,
          key,
          expected: String(episode),
          actual: number.slice(0, 40),
        },
      );
  }
  // 4.
  model.episodes.forEach(({ start, end }, episode) => {
    const length = (end?.at ?? asOf) - start.at;
    if (!told.has(episode) && length > settings.recovery_failing_after + settings.observe_within)
      notes.add(
        'recovery-event-missing',
        'trail',
        `recovery failed for ${formatDuration(length)} and nobody was told`,
        { index: start.index },
      );
  });
}
