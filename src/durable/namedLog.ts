/**
 * Logs of named records, one of each name (journal 1.2, by shape): the first under a name stays, order is the order of commits, what was
 * acknowledged is on disk, bytes come back as they were given. What the bytes mean is the caller's.
 */
import { closeSync, existsSync, openSync, readFileSync } from 'node:fs';
import { AppendFailed, AppendFile } from './appendFile.ts';
import { type Lock, takeLock } from './lock.ts';
import { type Database, openSqlite, type SqliteOptions } from './sqlite.ts';

export interface NamedRecord {
  /** Grows in commit order within a run. */
  readonly seq: bigint;
  readonly name: string;
  readonly data: Uint8Array;
}

export interface InsertedRecord {
  /** What the log holds under the name now. */
  readonly entry: NamedRecord;
  readonly inserted: boolean;
}

const LINE_FEED = 0x0a;

/** A log of records in a run of its own. */
export interface NamedLog {
  insert(run: string, name: string, data: Uint8Array): Promise<InsertedRecord>;
  get(run: string, name: string): Promise<NamedRecord | undefined>;
  load(run: string, after: bigint): AsyncIterable<NamedRecord>;
  close(): void;
}

/** A file that cannot be a log: it is there where it should not be, is missing, or holds something else. */
export class LogRefused extends Error {}

interface LineFile {
  readonly path: string;
  /** The one run that the file is of. */
  readonly run: string;
  /** The file is made, and must not be there. */
  readonly create: boolean;
  /** RFC 3339, written into the lock. */
  readonly since: string;
  /** The names of the lines of a whole file, in order. Throws LogRefused for a file that is no such log. */
  readonly names: (bytes: Uint8Array) => readonly { readonly name: string; readonly data: Uint8Array }[];
  /** Whether a last line that lacks its line feed is a whole record. */
  readonly isWhole: (line: Uint8Array) => boolean;
}

/** One run in one file, a record a line, locked while it is open. A torn last line is cut off. */
export class LineLog implements NamedLog {
  readonly #run: string;
  readonly #file: AppendFile;
  readonly #lock: Lock;
  readonly #entries: NamedRecord[] = [];
  readonly #names = new Map<string, NamedRecord>();

  /** Throws LogRefused, Locked. */
  static open(at: LineFile): LineLog {
    if (at.create && existsSync(at.path)) throw new LogRefused('it is there already');
    if (!at.create && !existsSync(at.path)) throw new LogRefused('it is not there');
    const lock = takeLock(`${at.path}.lock`, { since: at.since });
    try {
      if (at.create) closeSync(openSync(at.path, 'wx', 0o644));
      return new LineLog(at, lock);
    } catch (error) {
      lock.release();
      throw error;
    }
  }

  private constructor({ path, run, names, isWhole }: LineFile, lock: Lock) {
    this.#run = run;
    this.#lock = lock;
    // Judged before anything is changed: a file of something else is left as it is.
    const bytes = new Uint8Array(readFileSync(path));
    const lines = bytes.lastIndexOf(LINE_FEED) + 1;
    const lineFeed = lines < bytes.length && isWhole(bytes.subarray(lines));
    const end = lineFeed ? bytes.length : lines;
    for (const { name, data } of names(bytes.subarray(0, end))) this.#keep(name, data);
    try {
      this.#file = AppendFile.resume(path, { read: bytes.length, end, lineFeed });
    } catch (error) {
      throw error instanceof AppendFailed ? new LogRefused(error.message) : error;
    }
  }

  #keep(name: string, data: Uint8Array): NamedRecord {
    const entry = { seq: BigInt(this.#entries.length), name, data };
    this.#entries.push(entry);
    this.#names.set(name, entry);
    return entry;
  }

  /** From the look to the write nothing else runs: among concurrent writers of one name exactly one wins. */
  insert(run: string, name: string, data: Uint8Array): Promise<InsertedRecord> {
    if (run !== this.#run) throw new RangeError(`the file is of run ${this.#run}`);
    if (data.includes(LINE_FEED)) throw new RangeError('a record of a file of lines holds no line feed');
    const held = this.#names.get(name);
    if (held !== undefined) return Promise.resolve({ entry: copy(held), inserted: false });
    if (!this.#lock.isHeld()) throw new LogRefused('the lock was taken away from this writer');
    const line = new Uint8Array(data.length + 1);
    line.set(data);
    line[data.length] = LINE_FEED;
    try {
      this.#file.append(line, true);
    } catch (error) {
      throw error instanceof AppendFailed ? new LogRefused(error.message) : error;
    }
    return Promise.resolve({ entry: copy(this.#keep(name, data.slice())), inserted: true });
  }

  get(run: string, name: string): Promise<NamedRecord | undefined> {
    const held = run === this.#run ? this.#names.get(name) : undefined;
    return Promise.resolve(held === undefined ? undefined : copy(held));
  }

  /** Records that are inserted meanwhile are seen too. */
  async *load(run: string, after: bigint): AsyncIterable<NamedRecord> {
    for (const entry of run === this.#run ? this.#entries : []) if (entry.seq > after) yield copy(entry);
  }

  close(): void {
    try {
      this.#file.close();
    } finally {
      this.#lock.release();
    }
  }
}

/** The caller may change what it was given. */
function copy(entry: NamedRecord): NamedRecord {
  return { ...entry, data: entry.data.slice() };
}

interface Row {
  readonly seq: bigint;
  readonly name: string;
  readonly data: Uint8Array;
}

const COLUMNS = ['seq', 'run', 'name', 'data'];

/** Many runs in one SQLite database, which several processes may write to at once. */
export class TableLog implements NamedLog {
  readonly #database: Database;

  /** Throws SqliteMissing, NotReadableThere, LogRefused. */
  static async open(path: string, options: Omit<SqliteOptions, 'commit'> = {}): Promise<TableLog> {
    const readOnly = options.readOnly === true;
    if (readOnly && !existsSync(path)) throw new LogRefused('it is not there');
    const database = await openSqlite(path, { ...options, commit: 'durable' });
    try {
      const found = database.prepare("SELECT name FROM pragma_table_info('journal')").pluck().all() as string[];
      if (found.length > 0 ? COLUMNS.some((column) => !found.includes(column)) : readOnly)
        throw new LogRefused('it is a database of something else: it has no table of journal records');
      if (!readOnly)
        database.exec(`CREATE TABLE IF NOT EXISTS journal (
          seq INTEGER PRIMARY KEY AUTOINCREMENT, run TEXT NOT NULL, name TEXT NOT NULL, data BLOB NOT NULL, UNIQUE (run, name)
        ) STRICT`);
      return new TableLog(database);
    } catch (error) {
      database.close();
      throw error;
    }
  }

  private constructor(database: Database) {
    this.#database = database;
  }

  /** Inserts are one after the other: a later one has a later seq. */
  async insert(run: string, name: string, data: Uint8Array): Promise<InsertedRecord> {
    return this.#database
      .transaction((): InsertedRecord => {
        const { changes } = this.#database
          .prepare('INSERT INTO journal (run, name, data) VALUES (?, ?, ?) ON CONFLICT DO NOTHING')
          .run(run, name, data);
        return { entry: this.#get(run, name) as NamedRecord, inserted: changes === 1 };
      })
      .immediate();
  }

  #get(run: string, name: string): NamedRecord | undefined {
    const row = this.#database
      .prepare('SELECT seq, name, data FROM journal WHERE run = ? AND name = ?')
      .safeIntegers()
      .get(run, name) as Row | undefined;
    return row === undefined ? undefined : recordOf(row);
  }

  async get(run: string, name: string): Promise<NamedRecord | undefined> {
    return this.#get(run, name);
  }

  async *load(run: string, after: bigint): AsyncIterable<NamedRecord> {
    const next = this.#database
      .prepare('SELECT seq, name, data FROM journal WHERE run = ? AND seq > ? ORDER BY seq LIMIT 1')
      .safeIntegers();
    for (let at = after; ; ) {
      const row = next.get(run, at) as Row | undefined;
      if (row === undefined) return;
      at = row.seq;
      yield recordOf(row);
    }
  }

  /** The runs that there are. */
  runs(): readonly string[] {
    return this.#database.prepare('SELECT DISTINCT run FROM journal ORDER BY run').pluck().all() as string[];
  }

  close(): void {
    this.#database.close();
  }
}

function recordOf({ seq, name, data }: Row): NamedRecord {
  return { seq, name, data: new Uint8Array(data) };
}
