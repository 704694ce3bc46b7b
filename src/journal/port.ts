/**
 * What a journal needs of a store (journal 1.2): names are taken once, order is the order of commits, what was acknowledged is durable, bytes
 * come back as they were given. A store does not know what the bytes mean.
 */
export interface StoreEntry {
  /** Opaque, growing in commit order within a run; gaps are allowed (journal 1.2, A2). */
  readonly seq: bigint;
  readonly name: string;
  readonly data: Uint8Array;
}

export interface Inserted {
  /** What the run holds under the name now: the caller's bytes or those of an earlier writer. */
  readonly entry: StoreEntry;
  readonly inserted: boolean;
}

export interface JournalStore {
  /** Stores only if the run holds no entry of that name. After an error the entry is absent or complete (A3). */
  insert(run: string, name: string, data: Uint8Array): Promise<Inserted>;
  get(run: string, name: string): Promise<StoreEntry | undefined>;
  /** Entries after a position in ascending order; -1n for all. The caller may insert inside the loop (A8). */
  load(run: string, after: bigint): AsyncIterable<StoreEntry>;
}
