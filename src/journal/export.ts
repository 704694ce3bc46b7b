/**
 * Journals as files: the export `bide.audit.journal-export.v1` (audit spec 4.3), and for pipes one stored record a line, the run named
 * beside it. Reading gives the records with their bytes; what they mean is for `replay.ts` and `rules.ts`.
 */
import { utf8 } from '../bytes/encoding.ts';
import { indexOfByte } from '../bytes/search.ts';
import type { Finding, Where } from '../finding/finding.ts';
import { bytesList, decode, encode, formatted, string } from '../json/shape.ts';
import { keepByName } from './by-name.ts';
import { catalogue } from './catalogue.ts';
import { readStored } from './decode.ts';
import { HEADER_FORMAT, HEADER_NAME } from './names.ts';
import type { Journal, ReadableRecord, RecordProblem, StoredRecord } from './record.ts';
import { looksLikeTombstone } from './tombstone.ts';

export const EXPORT_FORMAT = 'bide.audit.journal-export.v1';

const SHAPE = formatted('journal export', EXPORT_FORMAT, { run_id: string, records: bytesList });

export interface ExportReading {
  /** Present when every record reads one way, record 0 is a header and no name comes twice (audit spec 4.3). */
  readonly journal?: Journal;
  /** Why there is no journal, with places. The header's format is judged by `formatFindings`, not here: hashes do not depend on it. */
  readonly findings: readonly Finding[];
  /** Records that could be read, also when the journal as a whole could not be. */
  readonly readable: readonly StoredRecord[];
  /** The run that the file names, where that much could be read. */
  readonly run?: string;
}

/** One record of a journal as a store or a file holds it. */
export interface StoredEntry {
  readonly data: Uint8Array;
  /** The name that the store keeps it under, where the source has names of its own. */
  readonly name?: string;
}

/** Reads a journal export. */
export function readExport(file: Uint8Array): ExportReading {
  const decoded = decode(SHAPE, file);
  if (!decoded.ok) {
    const findings = decoded.problems.map((problem) =>
      catalogue.find(
        problem.class === 'FORMAT' ? 'journal/export-format' : 'journal/export-malformed',
        `The export cannot be read: ${problem.message}.`,
        {
          where: { byte: problem.byte, pointer: problem.pointer },
          ...(problem.expected === undefined ? {} : { expected: problem.expected }),
          ...(problem.actual === undefined ? {} : { actual: problem.actual }),
        },
      ),
    );
    return { findings, readable: [] };
  }
  return readAll(decoded.value.run_id, decoded.value.records ?? [], NO_NAMES, (position) => ({
    pointer: `/records/${position}`,
  }));
}

/** Reads one stored record a line, as pipes carry them. A line ends with LF; the last one may lack it. */
export function readLines(run: string, file: Uint8Array): ExportReading {
  const records: Uint8Array[] = [];
  const starts: number[] = [];
  for (let start = 0; start < file.length; ) {
    const newline = indexOfByte(file, 0x0a, start);
    const end = newline < 0 ? file.length : newline;
    records.push(file.subarray(start, end));
    starts.push(start);
    start = end + 1;
  }
  return readAll(run, records, NO_NAMES, (position) => ({ line: position + 1, byte: starts[position] as number }));
}

/** Reads the entries of one run in journal order, from wherever they come. */
export function readEntries(run: string, entries: readonly StoredEntry[]): ExportReading {
  const records = entries.map(({ data }) => data);
  const names = entries.map(({ name }) => name);
  return readAll(run, records, names, () => ({}));
}

const NO_NAMES: readonly undefined[] = [];
const NO_BYTES = new Uint8Array(0);

/** @param names under which the source keeps the records, where it has names of its own. */
function readAll(
  run: string,
  records: readonly (Uint8Array | null)[],
  names: readonly (string | undefined)[],
  placeOf: (position: number) => Where,
): ExportReading {
  const findings: Finding[] = [];
  const readable: StoredRecord[] = [];
  const byName = new Map<string, ReadableRecord>();
  records.forEach((bytes, position) => {
    const name = names[position];
    const read = readStored(bytes ?? NO_BYTES, position);
    if (!read.ok) {
      findings.push(unreadable(read.problem, position, placeOf(position)));
      return;
    }
    // A tombstone has only the name that the store keeps it under (journal 2.10).
    const stored = read.stored.tombstone !== undefined && name !== undefined ? { ...read.stored, name } : read.stored;
    readable.push(stored);
    if (name !== undefined && stored.name !== name) {
      findings.push(
        catalogue.find('journal/name-mismatch', `Record ${position} is kept under another name than its own.`, {
          where: { ...placeOf(position), entry: name },
          expected: name,
          actual: stored.name,
        }),
      );
    }
    if (stored.record === undefined) return;
    if (stored.name === '')
      findings.push(
        catalogue.find('journal/name-empty', `Record ${position} has no name.`, {
          where: { ...placeOf(position), entry: stored.name },
        }),
      );
    const first = byName.get(stored.name);
    if (first === undefined) byName.set(stored.name, stored);
    else {
      findings.push(
        catalogue.find('journal/name-repeated', `Record ${position} has the name of record ${first.position}.`, {
          where: { ...placeOf(position), entry: stored.name },
          expected: 'each name once in a run',
          actual: stored.name,
        }),
      );
    }
  });
  const first = readable[0];
  const header = first?.position === 0 ? first.record : undefined;
  const isHeader = header?.name === HEADER_NAME && header.kind === 'header';
  if (!isHeader && (records.length === 0 || first?.position === 0)) {
    findings.push(
      catalogue.find('journal/no-header', 'The first record is not the header of a journal.', {
        where: { ...(records.length === 0 ? {} : placeOf(0)), ...(first === undefined ? {} : { entry: first.name }) },
        expected: `a record named ${HEADER_NAME} of kind header`,
        actual: first === undefined ? 'no record' : first.record === undefined ? 'a tombstone' : first.name,
      }),
    );
  }
  if (findings.length > 0 || header === undefined) return { run, findings, readable };
  keepByName(readable, byName);
  return { run, findings, readable, journal: { run, format: header.format, records: readable } };
}

function unreadable(problem: RecordProblem, position: number, where: Where): Finding {
  const code =
    problem.kind === 'bad-tombstone'
      ? 'journal/tombstone-malformed'
      : problem.kind === 'not-json' || problem.kind === 'too-deep'
        ? 'journal/record-not-json'
        : problem.kind === 'not-a-record' || problem.kind === 'unknown-part'
          ? 'journal/record-malformed'
          : 'journal/record-reads-two-ways';
  return catalogue.find(code, `Record ${position} cannot be read: at its byte ${problem.at}, ${problem.message}.`, {
    where,
  });
}

/**
 * Whether what the records say may be read at all: only under the header format of this version (journal 2.12, audit spec 1.2). Checks
 * that only hash stored bytes report the same as a warning and go on.
 */
export function formatFindings(journal: Journal): readonly Finding[] {
  if (journal.format === HEADER_FORMAT) return [];
  return [
    catalogue.find('journal/format-unsupported', 'The header names a journal format that this version does not read.', {
      where: { entry: HEADER_NAME },
      expected: HEADER_FORMAT,
      actual: journal.format === '' ? 'no format' : journal.format,
    }),
  ];
}

/** Writes an export of stored bytes, in journal order. */
export function encodeExport(run: string, records: readonly Uint8Array[]): Uint8Array {
  return encode(SHAPE, { format: EXPORT_FORMAT, run_id: run, records });
}

/** Writes one stored record a line. Stored bytes hold no line feed when a journal wrote them; RangeError if some do. */
export function encodeLines(records: readonly Uint8Array[]): Uint8Array {
  const length = records.reduce((sum, record) => sum + record.length + 1, 0);
  const out = new Uint8Array(length);
  let at = 0;
  for (const record of records) {
    if (record.includes(0x0a)) throw new RangeError('a stored record holds a line feed');
    out.set(record, at);
    out[at + record.length] = 0x0a;
    at += record.length + 1;
  }
  return out;
}

/** Whether a file begins as one record of a pipe does. */
export function looksLikeRecordLines(prefix: Uint8Array): boolean {
  return looksLikeTombstone(prefix) || startsWith(prefix, utf8(`{"name":"${HEADER_NAME}"`));
}

function startsWith(bytes: Uint8Array, head: Uint8Array): boolean {
  return head.every((byte, index) => bytes[index] === byte);
}
