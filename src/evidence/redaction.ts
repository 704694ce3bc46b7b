/** Redaction of an ended run: a record's bytes give way to a tombstone that keeps its place and its leaf hash (audit spec 1.3). */
import type { Finding } from '../finding/finding.ts';
import { storedLeafHash } from '../journal/leaf.ts';
import { RUN_ABORTED, RUN_CANCELLED, RUN_COMPLETE } from '../journal/names.ts';
import type { Journal } from '../journal/record.ts';
import { encodeTombstone } from '../journal/tombstone.ts';
import { catalogue } from './catalogue.ts';
import { readable, unsaltedFindings } from './journalTree.ts';
import type { Reading } from './place.ts';

const END_MARKERS: ReadonlySet<string> = new Set([RUN_COMPLETE, RUN_ABORTED, RUN_CANCELLED]);

/** Whether a run is over: only then may records of it be redacted. */
export function hasEnded(journal: Journal): boolean {
  return readable(journal).some((stored) => END_MARKERS.has(stored.name) && stored.record.kind === 'value');
}

export interface RedactedJournal {
  /** The stored bytes of all records, redacted ones as tombstones: root and every other proof are unchanged. */
  readonly records: readonly Uint8Array[];
  readonly redacted: readonly number[];
}

/**
 * Redacts records of a run. Refused for a run that is not over, for the header, for an end marker (the run would not be over any more)
 * and for positions that the journal does not have. A record that is a tombstone already stays as it is.
 *
 * @param atMs Unix milliseconds of the redaction
 */
export function redactRecords(journal: Journal, positions: Iterable<number>, atMs: bigint): Reading<RedactedJournal> {
  const wanted = [...new Set(positions)].sort((a, b) => a - b);
  const findings: Finding[] = [];
  const refuse = (position: number, reason: string) =>
    findings.push(
      catalogue.find('evidence/cannot-redact', `record ${position} cannot be redacted: ${reason}`, {
        where: { pointer: `/records/${position}` },
      }),
    );
  if (!hasEnded(journal))
    findings.push(
      catalogue.find('evidence/cannot-redact', 'the run has no end marker: only a run that is over may be redacted'),
    );
  for (const position of wanted) {
    const stored = journal.records[position];
    if (stored === undefined) refuse(position, `the journal has ${journal.records.length} records`);
    else if (position === 0) refuse(position, 'it is the header, without which nothing can be read');
    else if (END_MARKERS.has(stored.name)) refuse(position, 'it marks the end of the run');
  }
  findings.push(
    ...unsaltedFindings(journal, journal.records.length).filter((finding) =>
      wanted.some((position) => finding.where.pointer === `/records/${position}`),
    ),
  );
  if (findings.length > 0) return { ok: false, findings };
  const chosen = new Set(wanted);
  return {
    ok: true,
    value: {
      records: journal.records.map((stored) =>
        chosen.has(stored.position) && stored.tombstone === undefined
          ? encodeTombstone({ leafHash: storedLeafHash(stored), atMs })
          : stored.bytes,
      ),
      redacted: wanted.filter((position) => journal.records[position]?.tombstone === undefined),
    },
  };
}

/** A tombstone in a run without an end marker: somebody redacted what may still be driven (audit spec 1.3 rule 8). */
export function redactionWarnings(journal: Journal): readonly Finding[] {
  if (hasEnded(journal)) return [];
  return journal.records
    .filter((stored) => stored.tombstone !== undefined)
    .map((stored) =>
      catalogue.find(
        'evidence/redacted-running',
        `record ${stored.position} was redacted although the run holds no end marker`,
        {
          where: { pointer: `/records/${stored.position}` },
        },
      ),
    );
}
