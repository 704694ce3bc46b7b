/** The tables of sessions in a database that other programs of the format may share (session-store 5.1, 5.2). */
import type { Database } from '../durable/sqlite.ts';
import { formatInstant } from '../time/instant.ts';
import { StoreError } from './errors.ts';
import { lineNames } from './lineScan.ts';

/** Columns that the first release of each table had: without them it is another program's table. */
const FIRST_COLUMNS: ReadonlyMap<string, readonly string[]> = new Map([
  ['sessions', ['id', 'created_at', 'updated_at', 'cwd', 'parent_session', 'header']],
  ['entries', ['session_id', 'seq', 'id', 'parent', 'type', 'line']],
  ['holders', ['session_id', 'pid', 'host', 'token', 'since', 'heartbeat']],
]);

const TABLES = `
CREATE TABLE IF NOT EXISTS sessions (
  id TEXT PRIMARY KEY, created_at TEXT NOT NULL, updated_at TEXT NOT NULL, cwd TEXT NOT NULL DEFAULT '',
  parent_session TEXT NOT NULL DEFAULT '', name TEXT NOT NULL DEFAULT '', superseded_by TEXT NOT NULL DEFAULT '', header TEXT NOT NULL
) STRICT;
CREATE TABLE IF NOT EXISTS entries (
  session_id TEXT NOT NULL REFERENCES sessions(id) ON DELETE CASCADE, seq INTEGER NOT NULL, id TEXT NOT NULL, parent TEXT,
  type TEXT NOT NULL, line TEXT NOT NULL, UNIQUE (session_id, seq), UNIQUE (session_id, id)
) STRICT;
CREATE TABLE IF NOT EXISTS holders (
  session_id TEXT PRIMARY KEY REFERENCES sessions(id) ON DELETE CASCADE, pid INTEGER NOT NULL, host TEXT NOT NULL, token TEXT NOT NULL,
  since TEXT NOT NULL, heartbeat TEXT NOT NULL
) STRICT;
CREATE TABLE IF NOT EXISTS refs (
  name TEXT PRIMARY KEY, session TEXT NOT NULL, entry TEXT NOT NULL, ident TEXT NOT NULL, updated_at TEXT NOT NULL
) STRICT;
CREATE TABLE IF NOT EXISTS ref_log (
  id INTEGER PRIMARY KEY AUTOINCREMENT, name TEXT NOT NULL, old_session TEXT NOT NULL, old_entry TEXT NOT NULL, old_ident TEXT NOT NULL,
  new_session TEXT NOT NULL, new_entry TEXT NOT NULL, new_ident TEXT NOT NULL, at TEXT NOT NULL, reason TEXT NOT NULL
) STRICT;
CREATE TABLE IF NOT EXISTS blobs (hash TEXT PRIMARY KEY, data BLOB NOT NULL, stored_at TEXT NOT NULL) STRICT;
CREATE INDEX IF NOT EXISTS sessions_created_at ON sessions(created_at);
CREATE INDEX IF NOT EXISTS sessions_cwd_created_at ON sessions(cwd, created_at);
CREATE INDEX IF NOT EXISTS entries_id ON entries(id);
`;

/** `YYYY-MM-DDTHH:MM:SS.nnnnnnnnnZ`, so that times sort as text. */
export function sortableTime(instant: bigint): string {
  const [seconds = '', fraction = ''] = formatInstant(instant).replace(/Z$/, '').split('.');
  return `${seconds}.${fraction.padEnd(9, '0')}Z`;
}

function columnsOf(database: Database, table: string): readonly string[] {
  return database.prepare('SELECT name FROM pragma_table_info(?)').pluck().all(table) as string[];
}

/** Throws layout, with nothing written, when a table of the same name is another program's. */
function checkTables(database: Database): void {
  for (const [table, wanted] of FIRST_COLUMNS) {
    const found = columnsOf(database, table);
    if (found.length > 0 && wanted.some((column) => !found.includes(column)))
      throw new StoreError(
        'layout',
        `the table ${table} is another program's: it has the columns ${found.join(', ')}, a store of sessions has ${wanted.join(', ')}`,
      );
  }
}

/** Makes what is missing, in one transaction; columns that an earlier release did not have are filled from the lines. */
export function applySchema(database: Database): void {
  database
    .transaction(() => {
      checkTables(database);
      const had = columnsOf(database, 'sessions');
      database.exec(TABLES);
      if (had.length === 0) return;
      let added = false;
      for (const column of ['name', 'superseded_by'])
        if (!had.includes(column)) {
          database.exec(`ALTER TABLE sessions ADD COLUMN ${column} TEXT NOT NULL DEFAULT ''`);
          added = true;
        }
      if (added) fillNames(database);
    })
    .immediate();
}

function fillNames(database: Database): void {
  const setName = database.prepare('UPDATE sessions SET name = ? WHERE id = ?');
  const setSuccessor = database.prepare('UPDATE sessions SET superseded_by = ? WHERE id = ?');
  const rows = database
    .prepare(
      "SELECT session_id, CAST(line AS BLOB) FROM entries WHERE type IN ('info', 'link') ORDER BY session_id, seq",
    )
    .raw()
    .all() as [string, Uint8Array][];
  for (const [session, line] of rows) {
    const { name, supersededBy } = lineNames(line);
    if (name !== undefined) setName.run(name, session);
    if (supersededBy !== undefined) setSuccessor.run(supersededBy, session);
  }
}

/** For a read-only open: the tables must be there. */
export function checkSchema(database: Database): void {
  checkTables(database);
  for (const table of FIRST_COLUMNS.keys())
    if (columnsOf(database, table).length === 0) {
      const journal = columnsOf(database, 'journal').length > 0 ? '; it holds run journals: "audit journal show"' : '';
      throw new StoreError('layout', `the database has no table ${table}: it is no store of sessions${journal}`);
    }
}
