/**
 * Named sequences of leaves with one compare-and-append (notifications 9.1, by shape): a leaf is taken at exactly the length that its writer
 * had loaded, and is on disk when that is said. In a folder, one file a trail with a leaf in base64 a line; or in SQLite.
 */
import { mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { AppendFile } from './appendFile.ts';
import { createFile } from './files.ts';
import { awaitLock } from './lock.ts';
import { type Database, openSqlite } from './sqlite.ts';

export interface TrailLog {
  /** All leaves of a trail from `from` on, in order; none where there is no such trail. */
  load(trail: string, from: number): readonly Uint8Array[];
  /** Appends at `position` when the trail is exactly that long, durably, and says whether it did. */
  append(trail: string, position: number, leaf: Uint8Array): boolean;
  close(): void;
}

const LINE = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;

export class FolderTrails implements TrailLog {
  readonly #folder: string;
  readonly #since: () => string;

  /** @param since the time of a lock, RFC 3339 */
  constructor(folder: string, since: () => string) {
    this.#folder = folder;
    this.#since = since;
  }

  /** The file of a trail: its name, with what a file name cannot have escaped. */
  path(trail: string): string {
    return join(this.#folder, `${encodeURIComponent(trail).replaceAll('.', '%2E').replaceAll('*', '%2A')}.trail`);
  }

  load(trail: string, from: number): readonly Uint8Array[] {
    return this.#read(trail)
      .lines.slice(from)
      .map((line) => new Uint8Array(Buffer.from(line, 'base64')));
  }

  /** Lines that end, a last one that does not was never acknowledged; the offset after them, and the length of the file. */
  #read(trail: string): { readonly lines: readonly string[]; readonly end: number; readonly read: number } {
    let text: string;
    try {
      text = readFileSync(this.path(trail), 'latin1');
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return { lines: [], end: 0, read: 0 };
      throw error;
    }
    const lines = text.split('\n').slice(0, -1);
    const bad = lines.findIndex((line) => !LINE.test(line));
    if (bad >= 0) throw new Error(`line ${bad + 1} of the trail ${trail} is no leaf in base64`);
    return { lines, end: text.lastIndexOf('\n') + 1, read: text.length };
  }

  append(trail: string, position: number, leaf: Uint8Array): boolean {
    mkdirSync(this.#folder, { recursive: true });
    const path = this.path(trail);
    const lock = awaitLock(`${path}.lock`, { since: this.#since() });
    try {
      const { lines, end, read } = this.#read(trail);
      if (lines.length !== position) return false;
      createFile(path, new Uint8Array(0));
      const file = AppendFile.resume(path, { read, end, lineFeed: false });
      try {
        file.append(new TextEncoder().encode(`${Buffer.from(leaf).toString('base64')}\n`), true);
      } finally {
        file.close();
      }
      return true;
    } finally {
      lock.release();
    }
  }

  close(): void {
    // Nothing is kept open between two appends.
  }
}

export class TableTrails implements TrailLog {
  readonly #database: Database;

  /** Throws SqliteMissing. */
  static async open(path: string): Promise<TableTrails> {
    const database = await openSqlite(path, { commit: 'durable' });
    database.exec(
      'CREATE TABLE IF NOT EXISTS trails (trail TEXT NOT NULL, position INTEGER NOT NULL, leaf BLOB NOT NULL, PRIMARY KEY (trail, position)) STRICT',
    );
    return new TableTrails(database);
  }

  private constructor(database: Database) {
    this.#database = database;
  }

  load(trail: string, from: number): readonly Uint8Array[] {
    const leaves = this.#database
      .prepare('SELECT leaf FROM trails WHERE trail = ? AND position >= ? ORDER BY position')
      .pluck()
      .all(trail, from) as Uint8Array[];
    return leaves.map((leaf) => new Uint8Array(leaf));
  }

  append(trail: string, position: number, leaf: Uint8Array): boolean {
    return this.#database
      .transaction(() => {
        const length = this.#database.prepare('SELECT count(*) FROM trails WHERE trail = ?').pluck().get(trail);
        if (length !== position) return false;
        this.#database
          .prepare('INSERT INTO trails (trail, position, leaf) VALUES (?, ?, ?)')
          .run(trail, position, leaf);
        return true;
      })
      .immediate();
  }

  close(): void {
    this.#database.close();
  }
}
