/** Opening a store by what it is: a folder of files, a database, or nothing but memory. */
import { closeSync, openSync, readSync, statSync } from 'node:fs';
import type { LockHolder } from '../durable/lock.ts';
import { JsonlBackend } from './jsonl.ts';
import { LineStore, type LineStoreOptions } from './lineStore.ts';
import { MemoryBackend } from './memory.ts';
import { SqliteBackend } from './sqlite.ts';

export interface DurableStoreOptions extends LineStoreOptions {
  /** No hold is taken and nothing is written (session-store 1.17). */
  readonly readOnly?: boolean;
  /**
   * With `readOnly`, of a database: what is read is how it stands when it is opened, and nothing is written beside it, not even the files by which
   * SQLite lets processes share it. A follower sees nothing new. A folder is always read as it stands.
   */
  readonly snapshot?: boolean;
  /** The lock of a dead holder was taken over: the writer before crashed. */
  readonly onStaleLock?: (holder: LockHolder) => void;
}

export function memoryStore(options: LineStoreOptions = {}): LineStore {
  return new LineStore(new MemoryBackend(options.now ?? Date.now), options);
}

/** Sessions as files in a folder. */
export function jsonlStore(root: string, options: DurableStoreOptions = {}): LineStore {
  const { readOnly = false, now = Date.now, onStaleLock } = options;
  return new LineStore(
    new JsonlBackend({ root, readOnly, now, ...(onStaleLock === undefined ? {} : { onStaleLock }) }),
    options,
  );
}

/** Sessions in one SQLite database. Throws SqliteMissing where there is no driver, NotReadableThere. */
export async function sqliteStore(path: string, options: DurableStoreOptions = {}): Promise<LineStore> {
  const { readOnly = false, snapshot = false, now = Date.now, onStaleLock } = options;
  const backend = await SqliteBackend.open({
    path,
    readOnly,
    snapshot,
    now,
    ...(onStaleLock === undefined ? {} : { onStaleLock }),
  });
  try {
    return new LineStore(backend, options);
  } catch (error) {
    backend.close();
    throw error;
  }
}

type StoreKind = 'folder' | 'database';

const SQLITE_MAGIC = 'SQLite format 3\0';

/** What stands at a path that can be opened as a store; undefined for anything else. */
export function storeKind(path: string): StoreKind | undefined {
  const stat = statSync(path, { throwIfNoEntry: false });
  if (stat?.isDirectory() === true) return 'folder';
  if (stat?.isFile() !== true) return undefined;
  const fd = openSync(path, 'r');
  try {
    const start = new Uint8Array(SQLITE_MAGIC.length);
    return readSync(fd, start, 0, start.length, 0) === start.length && new TextDecoder().decode(start) === SQLITE_MAGIC
      ? 'database'
      : undefined;
  } finally {
    closeSync(fd);
  }
}

/** Opens what stands at a path; undefined for what is no store. Throws SqliteMissing, NotReadableThere, StoreError layout. */
export async function openStore(path: string, options: DurableStoreOptions = {}): Promise<LineStore | undefined> {
  const kind = storeKind(path);
  if (kind === undefined) return undefined;
  return kind === 'folder' ? jsonlStore(path, options) : sqliteStore(path, options);
}
