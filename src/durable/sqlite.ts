/** SQLite as a place for durable appends, on `better-sqlite3`, loaded on demand because it is optional (session-store 5.2). */
import { type BigIntStats, closeSync, fstatSync, readFileSync, realpathSync, statSync } from 'node:fs';
import { basename } from 'node:path';
import type BetterSqlite3 from 'better-sqlite3';
import { openFileToRead } from './files.ts';

export type Database = BetterSqlite3.Database;
export type Statement = BetterSqlite3.Statement;

/** The optional package is not installed or has no binary for this machine. */
export class SqliteMissing extends Error {}

/** A database that can be read only by writing beside it, where that is not allowed. */
export class NotReadableThere extends Error {}

export interface SqliteOptions {
  readonly readOnly?: boolean;
  /**
   * For a reader that wants the database as it is now and will not see what is written later: nothing is written beside it, and it may stand
   * where nothing can be. A copy in memory is read where the file alone holds everything; elsewhere this is as if it were not given.
   */
  readonly snapshot?: boolean;
  /** `durable`: a commit is on disk when it returns (synchronous=FULL). `lazy`: a crash of the machine may lose the last commits. */
  readonly commit: 'durable' | 'lazy';
}

/** Larger files are not copied into memory. */
const LARGEST_COPY = 1 << 30;
/** Two bytes of the header say how a database is written and read: 2 is by a write-ahead log, 1 without (SQLite file format 1.3.3). */
const VERSIONS = [18, 19] as const;
const HEADER_LENGTH = 100;

/** Whether everything that was committed is in the file itself: no log stands beside it that a reader would have to take into account. */
function isAlone(path: string): boolean {
  return ['-wal', '-journal'].every((ending) => (statSync(path + ending, { throwIfNoEntry: false })?.size ?? 0) === 0);
}

function isSame(a: BigIntStats, b: BigIntStats | undefined): boolean {
  return b !== undefined && a.ino === b.ino && a.size === b.size && a.mtimeNs === b.mtimeNs && a.ctimeNs === b.ctimeNs;
}

/** The bytes of a database that nobody wrote to while they were read, to be opened without a log; undefined where they cannot be had. */
function copyOf(named: string): Buffer | undefined {
  // The log stands beside the file itself, not beside a link to it.
  const path = realpathSync(named);
  const fd = openFileToRead(path);
  if (fd === undefined) return undefined;
  try {
    const before = fstatSync(fd, { bigint: true });
    if (before.size < HEADER_LENGTH || before.size > LARGEST_COPY || !isAlone(path)) return undefined;
    const bytes = readFileSync(fd);
    // A writer that came meanwhile shows in its log, or in the file when it has moved the log there.
    if (!isAlone(path) || !isSame(before, fstatSync(fd, { bigint: true }))) return undefined;
    if (!isSame(before, statSync(path, { bigint: true, throwIfNoEntry: false }))) return undefined;
    for (const version of VERSIONS) if (bytes[version] === 2) bytes[version] = 1;
    return bytes;
  } finally {
    closeSync(fd);
  }
}

/** Looks into a database, so that what keeps it from being read is said at once. Throws NotReadableThere. */
function look(database: Database, path: string): void {
  try {
    database.pragma('schema_version');
  } catch (error) {
    const { code = '' } = error as NodeJS.ErrnoException;
    if (!/^SQLITE_(?:READONLY|CANTOPEN)/.test(code)) throw error;
    throw new NotReadableThere(
      `to read it takes a file beside it, and its folder cannot be written; copy it, with the ${basename(path)}-wal or -journal beside it, to a folder that can be written`,
    );
  }
}

/** Opens a database with the pragmas that every store of ours uses. Throws SqliteMissing, NotReadableThere. */
export async function openSqlite(path: string, options: SqliteOptions): Promise<Database> {
  let Constructor: typeof BetterSqlite3;
  try {
    Constructor = (await import('better-sqlite3')).default;
  } catch (error) {
    throw new SqliteMissing(
      `SQLite is not available here; "npm install better-sqlite3" brings it (${(error as Error).message.split('\n')[0]})`,
    );
  }
  const readOnly = options.readOnly === true;
  const copy = readOnly && options.snapshot === true ? copyOf(path) : undefined;
  const database = new Constructor(copy ?? path, { readonly: readOnly, fileMustExist: readOnly });
  database.pragma('busy_timeout = 5000');
  database.pragma('foreign_keys = ON');
  if (readOnly) {
    try {
      look(database, path);
    } catch (error) {
      database.close();
      throw error;
    }
  } else {
    database.pragma('journal_mode = WAL');
    // Most commits write the same few pages again: moved into the database less often, each is moved once for many.
    database.pragma('wal_autocheckpoint = 4000');
    database.pragma(`synchronous = ${options.commit === 'durable' ? 'FULL' : 'NORMAL'}`);
  }
  return database;
}
