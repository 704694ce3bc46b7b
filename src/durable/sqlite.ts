/** SQLite as a place for durable appends, on `better-sqlite3`, loaded on demand because it is optional (session-store 5.2). */
import type BetterSqlite3 from 'better-sqlite3';

export type Database = BetterSqlite3.Database;
export type Statement = BetterSqlite3.Statement;

/** The optional package is not installed or has no binary for this machine. */
export class SqliteMissing extends Error {}

export interface SqliteOptions {
  readonly readOnly?: boolean;
  /** `durable`: a commit is on disk when it returns (synchronous=FULL). `lazy`: a crash of the machine may lose the last commits. */
  readonly commit: 'durable' | 'lazy';
}

/** Opens a database with the pragmas that every store of ours uses. Throws SqliteMissing. */
export async function openSqlite(path: string, options: SqliteOptions): Promise<Database> {
  let Constructor: typeof BetterSqlite3;
  try {
    Constructor = (await import('better-sqlite3')).default;
  } catch (error) {
    throw new SqliteMissing(
      `SQLite is not available here; "npm install better-sqlite3" brings it (${(error as Error).message.split('\n')[0]})`,
    );
  }
  const database = new Constructor(path, {
    readonly: options.readOnly === true,
    fileMustExist: options.readOnly === true,
  });
  database.pragma('busy_timeout = 5000');
  database.pragma('foreign_keys = ON');
  if (options.readOnly !== true) {
    database.pragma('journal_mode = WAL');
    // Most commits write the same few pages again: moved into the database less often, each is moved once for many.
    database.pragma('wal_autocheckpoint = 4000');
    database.pragma(`synchronous = ${options.commit === 'durable' ? 'FULL' : 'NORMAL'}`);
  }
  return database;
}
