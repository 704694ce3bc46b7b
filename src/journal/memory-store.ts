/** A store in memory: what the other stores are held against (journal 1.5). */
import type { Inserted, JournalStore, StoreEntry } from './port.ts';

export class MemoryStore implements JournalStore {
  readonly #runs = new Map<string, StoreEntry[]>();
  readonly #names = new Map<string, Map<string, StoreEntry>>();

  insert(run: string, name: string, data: Uint8Array): Promise<Inserted> {
    const entries = this.#runs.get(run) ?? [];
    const names = this.#names.get(run) ?? new Map<string, StoreEntry>();
    this.#runs.set(run, entries);
    this.#names.set(run, names);
    const held = names.get(name);
    if (held !== undefined) return Promise.resolve({ entry: copy(held), inserted: false });
    const entry = { seq: BigInt(entries.length), name, data: data.slice() };
    entries.push(entry);
    names.set(name, entry);
    return Promise.resolve({ entry: copy(entry), inserted: true });
  }

  get(run: string, name: string): Promise<StoreEntry | undefined> {
    const held = this.#names.get(run)?.get(name);
    return Promise.resolve(held === undefined ? undefined : copy(held));
  }

  async *load(run: string, after: bigint): AsyncIterable<StoreEntry> {
    const entries = this.#runs.get(run) ?? [];
    // Entries that are inserted meanwhile are seen too: every read is a prefix of the final order (A2).
    for (let i = 0; i < entries.length; i++) {
      const entry = entries[i] as StoreEntry;
      if (entry.seq > after) yield copy(entry);
    }
  }
}

/** The caller may change what it was given (A5). */
function copy(entry: StoreEntry): StoreEntry {
  return { ...entry, data: entry.data.slice() };
}
