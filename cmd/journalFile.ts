/** A run's journal as a file of stored records, one a line, that commands write to: a journal store over `src/durable`. */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { concat } from '../src/bytes/encoding.ts';
import { AppendFile } from '../src/durable/appendFile.ts';
import { type Lock, Locked, takeLock } from '../src/durable/lock.ts';
import { Unreadable } from '../src/host/files.ts';
import { readStored } from '../src/journal/decode.ts';
import { type ExportReading, looksLikeRecordLines, readExport, readLines } from '../src/journal/export.ts';
import type { Inserted, JournalStore, StoreEntry } from '../src/journal/port.ts';
import type { Journal } from '../src/journal/record.ts';
import type { Io } from './command.ts';

const LINE_FEED = Uint8Array.of(0x0a);

/** One run in one file, locked while it is open. Insert-once by name; durable before it returns. */
export class FileJournal implements JournalStore {
  readonly #run: string;
  readonly #file: AppendFile;
  readonly #release: () => void;
  readonly #entries: StoreEntry[] = [];
  readonly #names = new Map<string, StoreEntry>();

  /** Opens a file, or makes it with `create`. Throws Unreadable, Locked. A torn last line is cut off. */
  static open(path: string, run: string, create: boolean, since: string): FileJournal {
    if (create) {
      if (existsSync(path)) throw new Unreadable(`${path} is there already`);
    } else if (!existsSync(path)) throw new Unreadable(`${path} is not there`);
    const lock = lockOf(path, since);
    try {
      if (create) writeFileSync(path, '', { flag: 'wx' });
      return new FileJournal(path, run, () => lock.release());
    } catch (error) {
      lock.release();
      throw error;
    }
  }

  private constructor(path: string, run: string, release: () => void) {
    this.#run = run;
    this.#release = release;
    this.#file = AppendFile.open(path, (rest) => readStored(rest, 0).ok).file;
    const { readable, findings } = readLines(run, new Uint8Array(readFileSync(path)));
    const [problem] = findings;
    if (problem !== undefined && problem.code !== 'journal/no-header')
      throw new Unreadable(`${path}: ${problem.message}`);
    for (const { name, bytes } of readable) this.#keep(name, bytes);
  }

  #keep(name: string, data: Uint8Array): StoreEntry {
    const entry = { seq: BigInt(this.#entries.length), name, data };
    this.#entries.push(entry);
    this.#names.set(name, entry);
    return entry;
  }

  /** From the look to the write nothing else runs: among concurrent writers of one name exactly one wins (A1). */
  insert(run: string, name: string, data: Uint8Array): Promise<Inserted> {
    if (run !== this.#run) throw new RangeError(`the file is of run ${this.#run}`);
    const held = this.#names.get(name);
    if (held !== undefined) return Promise.resolve({ entry: copy(held), inserted: false });
    this.#file.append(concat(data, LINE_FEED), true);
    return Promise.resolve({ entry: copy(this.#keep(name, data.slice())), inserted: true });
  }

  get(run: string, name: string): Promise<StoreEntry | undefined> {
    const held = run === this.#run ? this.#names.get(name) : undefined;
    return Promise.resolve(held === undefined ? undefined : copy(held));
  }

  async *load(run: string, after: bigint): AsyncIterable<StoreEntry> {
    for (const entry of run === this.#run ? this.#entries : []) if (entry.seq > after) yield copy(entry);
  }

  close(): void {
    this.#file.close();
    this.#release();
  }
}

/** The caller may change what it was given (A5). */
function copy(entry: StoreEntry): StoreEntry {
  return { ...entry, data: entry.data.slice() };
}

function lockOf(path: string, since: string): Lock {
  try {
    return takeLock(`${path}.lock`, { since });
  } catch (error) {
    if (error instanceof Locked) throw new Unreadable(`${path}: ${error.message}`);
    throw error;
  }
}

/** Reads a journal from an export or from record lines. */
export function readJournalFile(path: string, run: string | undefined, io: Io): ExportReading {
  const bytes = io.read(path);
  return looksLikeRecordLines(bytes) ? readLines(run ?? '', bytes) : readExport(bytes);
}

/** The journal of a file, or Unreadable with the first reason why there is none. */
export function journalOf(path: string, run: string | undefined, io: Io): Journal {
  const { journal, findings } = readJournalFile(path, run, io);
  if (journal === undefined) throw new Unreadable(`${path}: ${findings[0]?.message ?? 'no journal'}`);
  return journal;
}
