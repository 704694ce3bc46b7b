/** The records of a journal by their names (journal 3): the first of each, since a name that comes twice is refused when a journal is read. */
import type { ReadableRecord, StoredRecord } from './record.ts';

/** Lists that were read already: reading needs the names to refuse repeated ones, and replay needs them again. */
const KNOWN = new WeakMap<readonly StoredRecord[], ReadonlyMap<string, ReadableRecord>>();

/** Keeps what reading found, for a list of records that nobody changes. */
export function keepByName(records: readonly StoredRecord[], byName: ReadonlyMap<string, ReadableRecord>): void {
  KNOWN.set(records, byName);
}

export function recordsByName(records: readonly StoredRecord[]): ReadonlyMap<string, ReadableRecord> {
  const known = KNOWN.get(records);
  if (known !== undefined) return known;
  const byName = new Map<string, ReadableRecord>();
  for (const stored of records)
    if (stored.record !== undefined && !byName.has(stored.name)) byName.set(stored.name, stored);
  return byName;
}
