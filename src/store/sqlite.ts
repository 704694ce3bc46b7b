/** Sessions in one SQLite database: rows of lines, holders that a dead process cannot keep (session-store 5). */
import { hostname } from 'node:os';
import { hex } from '../bytes/encoding.ts';
import { isStale, type LockHolder } from '../durable/lock.ts';
import { type Database, openSqlite, type Statement } from '../durable/sqlite.ts';
import type { Header } from '../session/model.ts';
import { joinLines } from '../session/write/joinLines.ts';
import { fromMilliseconds, parseInstant } from '../time/instant.ts';
import {
  type Backend,
  type Hold,
  type Listed,
  type SessionFile,
  type Stored,
  type StoredLine,
  type Tail,
  type Trouble,
  Wakers,
} from './backend.ts';
import type { Holder } from './contract.ts';
import { StoreError } from './errors.ts';
import { headerIdent } from './lineScan.ts';
import { type Durably, TableBlobs, TableRefs } from './sqliteRefs.ts';
import { applySchema, checkSchema, sortableTime } from './sqliteSchema.ts';
import { databaseTroubles } from './sqliteTroubles.ts';

const ROWS_AT_ONCE = 256;

export interface SqliteStoreOptions {
  readonly path: string;
  readonly readOnly: boolean;
  /** How it stands now is enough for a reader. */
  readonly snapshot: boolean;
  /** Milliseconds of the epoch. */
  readonly now: () => number;
  readonly onStaleLock?: (holder: LockHolder) => void;
}

interface HolderRow {
  readonly pid: number;
  readonly host: string;
  readonly token: string;
  readonly since: string;
  readonly heartbeat: string;
}

export class SqliteBackend implements Backend {
  readonly readOnly: boolean;
  readonly refs: TableRefs;
  readonly blobs: TableBlobs;
  readonly #database: Database;
  readonly #options: SqliteStoreOptions;
  readonly #token = hex(globalThis.crypto.getRandomValues(new Uint8Array(8)));
  readonly #wakers = new Wakers();
  readonly #statements = new Map<string, Statement>();
  /** A transaction that writes, made once: to make one costs as much as to run it. */
  readonly #transaction: (act: () => unknown) => unknown;
  /** Whether a commit is on disk when it returns, as the connection is set. */
  #durable = false;

  /** Opens a database, with its tables when it may write. Throws SqliteMissing, NotReadableThere, StoreError layout. */
  static async open(options: SqliteStoreOptions): Promise<SqliteBackend> {
    const { path, readOnly, snapshot } = options;
    const database = await openSqlite(path, { readOnly, snapshot, commit: 'lazy' });
    try {
      if (readOnly) checkSchema(database);
      else applySchema(database);
      return new SqliteBackend(database, options);
    } catch (error) {
      database.close();
      throw error;
    }
  }

  private constructor(database: Database, options: SqliteStoreOptions) {
    this.#database = database;
    this.#transaction = database.transaction((act: () => unknown) => act()).immediate;
    this.#options = options;
    this.readOnly = options.readOnly;
    const durably: Durably = (act) => this.#writing(true, act);
    this.refs = new TableRefs(database, durably);
    this.blobs = new TableBlobs(database, durably, () => this.#time());
  }

  /** A statement, compiled once. */
  #sql(text: string): Statement {
    let statement = this.#statements.get(text);
    if (statement === undefined) {
      statement = this.#database.prepare(text);
      this.#statements.set(text, statement);
    }
    return statement;
  }

  #time(): string {
    return sortableTime(fromMilliseconds(this.#options.now()));
  }

  read(id: string): Stored | undefined {
    return this.#database.transaction(() => this.#load(id))();
  }

  #load(id: string): Stored | undefined {
    const header = this.#headerOf(id);
    if (header === undefined) return undefined;
    const parts = [header];
    // Rows come joined, some hundred at a time: a call for each costs more than what it reads.
    const some = this.#sql(
      `SELECT CAST(group_concat(line, char(10)) AS BLOB), max(seq) FROM
         (SELECT seq, line FROM entries WHERE session_id = ? AND seq > ? ORDER BY seq LIMIT ${ROWS_AT_ONCE})`,
    ).raw();
    let last = 0;
    for (;;) {
      const [joined, seq] = some.get(id, last) as [Uint8Array | null, number | null];
      if (joined === null || seq === null || seq <= last) break;
      parts.push(joined);
      last = seq;
    }
    const bytes = joinLines(parts);
    return { bytes, whole: bytes.length, cursor: `${last}:${identOf(header)}` };
  }

  #headerOf(id: string): Uint8Array | undefined {
    return this.#sql('SELECT CAST(header AS BLOB) FROM sessions WHERE id = ?').pluck().get(id) as
      | Uint8Array
      | undefined;
  }

  #last(id: string): number {
    return (this.#sql('SELECT max(seq) FROM entries WHERE session_id = ?').pluck().get(id) ?? 0) as number;
  }

  tail(id: string, cursor: string): Tail {
    return this.#database.transaction((): Tail => {
      const header = this.#headerOf(id);
      if (header === undefined) return { kind: 'gone' };
      const match = /^([0-9]{1,15}):([0-9a-f]{16})$/.exec(cursor);
      if (match === null) return { kind: 'reset' };
      const ident = identOf(header);
      if (match[2] !== ident) return { kind: 'other' };
      const from = Number(match[1]);
      if (from > this.#last(id)) return { kind: 'reset' };
      const rows = this.#sql(
        'SELECT seq, CAST(line AS BLOB) FROM entries WHERE session_id = ? AND seq > ? ORDER BY seq',
      )
        .raw()
        .all(id, from) as [number, Uint8Array][];
      return { kind: 'lines', lines: rows.map(([seq, line]) => ({ line, cursor: `${seq}:${ident}` })) };
    })();
  }

  /** A transaction that writes; `durable` is on disk when it returns, and all before it. */
  #writing<T>(durable: boolean, act: () => T): T {
    if (durable !== this.#durable) this.#sql(`PRAGMA synchronous = ${durable ? 'FULL' : 'NORMAL'}`).run();
    this.#durable = durable;
    return this.#transaction(act) as T;
  }

  create(id: string, header: Header, lines: readonly StoredLine[]): Hold {
    const created = parseInstant(header.createdAt.toUpperCase());
    if (created === undefined) throw new StoreError('bad_header', 'the header has no valid time of creation');
    this.#writing(true, () => {
      if (this.#headerOf(id) !== undefined) throw new StoreError('session_exists', `the session ${id} exists already`);
      this.#sql(
        'INSERT INTO sessions (id, created_at, updated_at, cwd, parent_session, header) VALUES (?, ?, ?, ?, ?, CAST(? AS TEXT))',
      ).run(id, sortableTime(created), this.#time(), header.cwd ?? '', header.parentSession ?? '', header.raw.bytes);
      this.#insert(id, 0, lines);
      this.#claim(id);
    });
    return this.#holdOf(id, lines.length, undefined);
  }

  #insert(id: string, last: number, lines: readonly StoredLine[]): void {
    const insert = this.#sql(
      'INSERT INTO entries (session_id, seq, id, parent, type, line) VALUES (?, ?, ?, ?, ?, CAST(? AS TEXT))',
    );
    let seq = last;
    for (const { id: entry, parent, type, line, name, supersededBy } of lines) {
      insert.run(id, ++seq, entry, parent, type, line);
      if (name !== undefined) this.#sql('UPDATE sessions SET name = ? WHERE id = ?').run(name, id);
      if (supersededBy !== undefined)
        this.#sql('UPDATE sessions SET superseded_by = ? WHERE id = ?').run(supersededBy, id);
    }
  }

  #holder(id: string): HolderRow | undefined {
    return this.#sql('SELECT pid, host, token, since, heartbeat FROM holders WHERE session_id = ?').get(id) as
      | HolderRow
      | undefined;
  }

  #claim(id: string): void {
    const row = this.#holder(id);
    if (row !== undefined) {
      if (row.token === this.#token) return;
      if (!isStale(row)) throw lockedBy(id, row);
      this.#sql('DELETE FROM holders WHERE session_id = ?').run(id);
      this.#options.onStaleLock?.({ pid: row.pid, host: row.host, since: row.since });
    }
    const now = this.#time();
    this.#sql('INSERT INTO holders (session_id, pid, host, token, since, heartbeat) VALUES (?, ?, ?, ?, ?, ?)').run(
      id,
      process.pid,
      hostname(),
      this.#token,
      now,
      now,
    );
  }

  hold(id: string): Hold | undefined {
    return this.#writing(false, () => {
      const stored = this.#load(id);
      if (stored === undefined) return undefined;
      this.#claim(id);
      return this.#holdOf(id, this.#last(id), stored.bytes);
    });
  }

  #holdOf(id: string, last: number, loaded: Uint8Array | undefined): Hold {
    let seq = last;
    const load = (): Uint8Array => loaded ?? this.#load(id)?.bytes ?? new Uint8Array(0);
    const beat = this.#sql('UPDATE holders SET heartbeat = ? WHERE session_id = ? AND token = ?');
    const update = this.#sql('UPDATE sessions SET updated_at = ? WHERE id = ?');
    const claimed = (now = this.#time()): void => {
      if (beat.run(now, id, this.#token).changes === 1) return;
      const row = this.#holder(id);
      if (row !== undefined) throw lockedBy(id, row);
      throw new StoreError('session_locked', `session ${id}: the hold was taken away from this writer`);
    };
    return {
      get bytes() {
        return load();
      },
      append: (lines, durable) => {
        const now = this.#time();
        this.#writing(durable, () => {
          claimed(now);
          try {
            this.#insert(id, seq, lines);
          } catch (error) {
            // Somebody else's row has the place: it was written without a hold.
            if ((error as NodeJS.ErrnoException).code !== 'SQLITE_CONSTRAINT_UNIQUE') throw error;
            throw new StoreError('concurrent_writer', `session ${id}: another writer appended to it`);
          }
          update.run(now, id);
        });
        seq += lines.length;
        this.#wakers.wake(id);
      },
      raise: (header) =>
        this.#writing(true, () => {
          claimed();
          this.#sql('UPDATE sessions SET header = CAST(? AS TEXT) WHERE id = ?').run(header, id);
        }),
      // A commit that is synced brings every earlier one to disk.
      sync: () => this.#writing(true, () => claimed()),
      release: () => {
        this.#writing(true, () =>
          this.#sql('DELETE FROM holders WHERE session_id = ? AND token = ?').run(id, this.#token),
        );
      },
      remove: () => {
        this.#writing(true, () => {
          claimed();
          this.#sql('DELETE FROM sessions WHERE id = ?').run(id);
        });
        this.#wakers.wake(id);
      },
    };
  }

  *list(): Iterable<Listed> {
    const rows = this.#sql(
      `SELECT s.id AS id, s.name AS name, s.superseded_by AS successor, s.updated_at AS updated, CAST(s.header AS BLOB) AS header,
           length(CAST(s.header AS BLOB)) + 1 +
             coalesce((SELECT sum(length(CAST(line AS BLOB)) + 1) FROM entries WHERE session_id = s.id), 0) AS size
         FROM sessions s ORDER BY s.created_at DESC, s.id DESC`,
    ).all() as { id: string; name: string; successor: string; updated: string; header: Uint8Array; size: number }[];
    for (const { id, name, successor, updated, header, size } of rows)
      yield {
        id,
        header,
        size,
        modified: new Date(updated),
        names: () => ({
          ...(name === '' ? {} : { name }),
          ...(successor === '' ? {} : { supersededBy: successor }),
        }),
      };
  }

  *files(): Iterable<SessionFile> {
    for (const id of this.ids()) {
      const bytes = this.read(id)?.bytes;
      if (bytes !== undefined) yield { id, label: `${this.#options.path}#${id}`, bytes };
    }
  }

  ids(): Iterable<string> {
    return this.#sql('SELECT id FROM sessions ORDER BY id').pluck().all() as string[];
  }

  lockHolder(id: string): Holder | undefined {
    const row = this.#holder(id);
    return row === undefined ? undefined : { pid: row.pid, host: row.host, since: row.since };
  }

  breakLock(id: string): void {
    if (this.#headerOf(id) === undefined) throw new StoreError('no_session', `there is no session ${id}`);
    this.#writing(true, () => this.#sql('DELETE FROM holders WHERE session_id = ?').run(id));
  }

  troubles(): Iterable<Trouble> {
    return databaseTroubles(this.#database, (id) => this.read(id)?.bytes ?? new Uint8Array(0));
  }

  watch(id: string, wake: () => void): () => void {
    return this.#wakers.watch(id, wake);
  }

  close(): void {
    if (!this.readOnly) {
      this.#writing(true, () => this.#sql('DELETE FROM holders WHERE token = ?').run(this.#token));
      this.#database.pragma('optimize');
    }
    this.#database.close();
  }
}

function identOf(header: Uint8Array): string {
  return headerIdent(header).slice(7, 23) || '0'.repeat(16);
}

function lockedBy(id: string, { pid, host, since, heartbeat }: HolderRow): StoreError {
  return new StoreError(
    'session_locked',
    `session ${id}: locked by process ${pid} on ${host} since ${since}, last append ${heartbeat}`,
  );
}
