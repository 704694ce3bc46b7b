/** Run journals that commands read and write: a file of stored records, one a line, or a SQLite database of runs, over `src/durable`. */
import { existsSync } from 'node:fs';
import { Locked } from '../src/durable/lock.ts';
import { LineLog, LogRefused, type NamedLog, TableLog } from '../src/durable/namedLog.ts';
import { NotReadableThere, SqliteMissing } from '../src/durable/sqlite.ts';
import { Unreadable } from '../src/host/files.ts';
import { readStored } from '../src/journal/decode.ts';
import { type ExportReading, looksLikeRecordLines, readEntries, readExport, readLines } from '../src/journal/export.ts';
import type { JournalStore, StoreEntry } from '../src/journal/port.ts';
import type { Journal } from '../src/journal/record.ts';
import { storeKind } from '../src/store/open.ts';
import type { Io } from './command.ts';

/** A store of journals that is open, to be closed. */
export type OpenJournal = JournalStore & Pick<NamedLog, 'close'>;

const DATABASE_NAME = /\.(?:db|sqlite|sqlite3)$/i;

/** One run in one file, locked while it is open. Throws Unreadable. */
export function openJournalFile(path: string, run: string, create: boolean, since: string): OpenJournal {
  const names = (bytes: Uint8Array) => {
    const { readable, findings } = readLines(run, bytes);
    const [problem] = findings;
    // A journal that begins has no header yet.
    const isBeginning = create && problem?.code === 'journal/no-header';
    if (problem !== undefined && !isBeginning) throw new LogRefused(problem.message);
    return readable.map(({ name, bytes: data }) => ({ name, data }));
  };
  try {
    return LineLog.open({ path, run, create, since, names, isWhole: (line) => readStored(line, 0).ok });
  } catch (error) {
    throw unreadable(path, error);
  }
}

/**
 * The journal that a command writes to: in a database where the path is one, or where a new one is named `.db` or `.sqlite`; in a file of
 * lines elsewhere. A run is begun once. Throws Unreadable.
 */
export async function openJournal(path: string, run: string, create: boolean, since: string): Promise<OpenJournal> {
  const isThere = existsSync(path);
  if (isThere ? storeKind(path) !== 'database' : !DATABASE_NAME.test(path))
    return openJournalFile(path, run, create, since);
  try {
    if (!create && !isThere) throw new LogRefused('it is not there');
    const log = await TableLog.open(path);
    if (log.runs().includes(run) === create) {
      log.close();
      throw new LogRefused(create ? `it holds the run ${run} already` : `it holds no run ${run}`);
    }
    return log;
  } catch (error) {
    throw unreadable(path, error);
  }
}

function unreadable(path: string, error: unknown): unknown {
  if ([LogRefused, Locked, SqliteMissing, NotReadableThere].some((kind) => error instanceof kind))
    return new Unreadable(`${path}: ${(error as Error).message}`);
  return error;
}

/** Reads a journal from a database, which may hold one run or many. Throws Unreadable. */
async function readDatabase(path: string, run: string | undefined): Promise<ExportReading> {
  let log: TableLog;
  try {
    log = await TableLog.open(path, { readOnly: true, snapshot: true });
  } catch (error) {
    throw unreadable(path, error);
  }
  try {
    const runs = log.runs();
    const wanted = run ?? (runs.length === 1 ? runs[0] : undefined);
    if (wanted === undefined || !runs.includes(wanted))
      throw new Unreadable(
        `${path} holds ${runs.length === 0 ? 'no run' : `the runs ${runs.join(', ')}`}; --run says which`,
      );
    const entries: StoreEntry[] = [];
    for await (const entry of log.load(wanted, -1n)) entries.push(entry);
    return readEntries(wanted, entries);
  } finally {
    log.close();
  }
}

/** Reads a journal from an export, from record lines or from a database. */
export async function readJournalFile(path: string, run: string | undefined, io: Io): Promise<ExportReading> {
  if (path !== '-' && storeKind(path) === 'database') return readDatabase(path, run);
  const bytes = io.read(path);
  return looksLikeRecordLines(bytes) ? readLines(run ?? '', bytes) : readExport(bytes);
}

/** The journal of a file, or Unreadable with the first reason why there is none. */
export async function journalOf(path: string, run: string | undefined, io: Io): Promise<Journal> {
  const { journal, findings } = await readJournalFile(path, run, io);
  if (journal === undefined) throw new Unreadable(`${path}: ${findings[0]?.message ?? 'no journal'}`);
  return journal;
}
