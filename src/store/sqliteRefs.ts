/** Refs and blobs of a database (session-store 5.1, 5.4): each update one immediate transaction. */
import type { Database } from '../durable/sqlite.ts';
import { parseInstant } from '../time/instant.ts';
import type { BlobStorage, RefStorage } from './backend.ts';
import type { LoggedChange, RefTable, StoredRef } from './refs.ts';

interface LogRow {
  readonly old_session: string;
  readonly old_entry: string;
  readonly old_ident: string;
  readonly new_session: string;
  readonly new_entry: string;
  readonly new_ident: string;
  readonly at: string;
  readonly reason: string;
}

function refOf(session: string, entry: string, ident: string): StoredRef | undefined {
  return session === '' ? undefined : { session, entry, ident };
}

/** A database that a reader opened may have been made before there was such a table. */
function hasTable(database: Database, table: string): boolean {
  return database.prepare("SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = ?").get(table) !== undefined;
}

/** Runs a transaction that writes, and is on disk when this returns. */
export type Durably = <T>(act: () => T) => T;

export class TableRefs implements RefStorage {
  readonly #database: Database;
  readonly #durably: Durably;

  constructor(database: Database, durably: Durably) {
    this.#database = database;
    this.#durably = durably;
  }

  all(): RefTable {
    if (!hasTable(this.#database, 'refs')) return new Map();
    const rows = this.#database.prepare('SELECT name, session, entry, ident FROM refs').all() as ({
      name: string;
    } & StoredRef)[];
    return new Map(rows.map(({ name, session, entry, ident }) => [name, { session, entry, ident }]));
  }

  update(decide: Parameters<RefStorage['update']>[0], at: string): void {
    this.#durably(() => {
      const change = decide(this.all());
      if (change === undefined) return;
      const { name, old, next, reason } = change;
      if (next === undefined) this.#database.prepare('DELETE FROM refs WHERE name = ?').run(name);
      else
        this.#database
          .prepare('INSERT OR REPLACE INTO refs (name, session, entry, ident, updated_at) VALUES (?, ?, ?, ?, ?)')
          .run(name, next.session, next.entry, next.ident, at);
      this.#database
        .prepare(
          `INSERT INTO ref_log (name, old_session, old_entry, old_ident, new_session, new_entry, new_ident, at, reason)
             VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`,
        )
        .run(
          name,
          old?.session ?? '',
          old?.entry ?? '',
          old?.ident ?? '',
          next?.session ?? '',
          next?.entry ?? '',
          next?.ident ?? '',
          at,
          reason,
        );
    });
  }

  log(name: string): readonly LoggedChange[] {
    if (!hasTable(this.#database, 'ref_log')) return [];
    const rows = this.#database.prepare('SELECT * FROM ref_log WHERE name = ? ORDER BY id').all(name) as LogRow[];
    return rows.map((row) => ({
      name,
      old: refOf(row.old_session, row.old_entry, row.old_ident),
      next: refOf(row.new_session, row.new_entry, row.new_ident),
      at: row.at,
      reason: row.reason,
    }));
  }
}

export class TableBlobs implements BlobStorage {
  readonly #database: Database;
  readonly #durably: Durably;
  readonly #time: () => string;

  constructor(database: Database, durably: Durably, time: () => string) {
    this.#database = database;
    this.#durably = durably;
    this.#time = time;
  }

  put(hash: string, data: Uint8Array): void {
    this.#durably(() =>
      this.#database
        .prepare(
          'INSERT INTO blobs (hash, data, stored_at) VALUES (?, ?, ?) ON CONFLICT (hash) DO UPDATE SET data = excluded.data, stored_at = excluded.stored_at',
        )
        .run(hash, data, this.#time()),
    );
  }

  get(hash: string): Uint8Array | undefined {
    if (!hasTable(this.#database, 'blobs')) return undefined;
    const data = this.#database.prepare('SELECT data FROM blobs WHERE hash = ?').pluck().get(hash) as
      | Uint8Array
      | undefined;
    return data === undefined ? undefined : new Uint8Array(data);
  }

  touch(hashes: readonly string[]): readonly string[] {
    const restart = this.#database.prepare('UPDATE blobs SET stored_at = ? WHERE hash = ?');
    return hashes.filter((hash) => restart.run(this.#time(), hash).changes === 0);
  }

  hashes(): Iterable<string> {
    if (!hasTable(this.#database, 'blobs')) return [];
    return this.#database.prepare('SELECT hash FROM blobs ORDER BY hash').pluck().all() as string[];
  }

  sweep(named: ReadonlySet<string>, until: number): number {
    return this.#durably(() => {
      let removed = 0;
      const rows = this.#database.prepare('SELECT hash, stored_at FROM blobs').raw().all() as [string, string][];
      for (const [hash, storedAt] of rows) {
        if (named.has(hash) || Number((parseInstant(storedAt) ?? 0n) / 1_000_000n) >= until) continue;
        removed += this.#database.prepare('DELETE FROM blobs WHERE hash = ?').run(hash).changes;
      }
      return removed;
    });
  }
}
