/** V17 of journal 5.9: the turns of a session follow one another, and each saw the transcript that stands here (journal 5.5). */
import { transcriptDigest } from './digests.ts';
import type { Judge } from './judge.ts';
import { numberAfter } from './names.ts';
import type { ReadableRecord } from './record.ts';
import { readSessionFrom, readSessionStart, readSessionTurn, type SessionTurn } from './values.ts';

export function sessionRules(judge: Judge): void {
  const turns: { readonly stored: ReadableRecord; readonly value: SessionTurn }[] = [];
  const started = new Set<string>();
  /** D(0), D(1), … of the turns recorded so far. */
  const digests: string[] = [''];
  let starts = 0;
  for (const stored of judge.run.journal.records) {
    if (stored.record === undefined) continue;
    const { name, result } = stored.record;
    if (name.startsWith('start/')) {
      const value = readSessionStart(result);
      if (value !== undefined) started.add(value.run_id);
      follow(judge, stored, numberAfter(name, 'start/'), starts++, value !== undefined);
    } else if (name.startsWith('turn/')) {
      const value = readSessionTurn(result);
      follow(judge, stored, numberAfter(name, 'turn/'), turns.length, value !== undefined);
      if (value === undefined) continue;
      if (value.run_id.includes('>@turn/') && !started.has(value.run_id)) {
        judge.absent('journal/session-turns', stored, 'The turn was never started.', {
          expected: `a start of ${value.run_id}`,
        });
      }
      turns.push({ stored, value });
      digests.push(transcriptDigest(digests.at(-1) ?? '', value.run_id, value.claim));
    } else if (name.startsWith('from/')) {
      const value = readSessionFrom(result);
      const expected = value === undefined ? undefined : digests[value.turns];
      if (value === undefined || expected !== value.digest) {
        judge.absent(
          'journal/session-digest',
          stored,
          'The transcript that the turn was built on is not the one that stands here.',
          {
            ...(expected === undefined ? {} : { expected }),
            actual: value?.digest ?? 'no digest',
          },
        );
      }
    }
  }
}

function follow(
  judge: Judge,
  stored: ReadableRecord,
  number: number | undefined,
  expected: number,
  reads: boolean,
): void {
  if (number === expected && reads) return;
  judge.absent('journal/session-turns', stored, 'The record does not follow the one before it.', {
    expected: String(expected),
    actual: reads ? stored.name : 'a value that does not read',
  });
}
