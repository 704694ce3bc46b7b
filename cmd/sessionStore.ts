/** Opening the store that a command names. */
import { NotReadableThere, SqliteMissing } from '../src/durable/sqlite.ts';
import { reasonOf, Unreadable } from '../src/host/files.ts';
import { StoreError } from '../src/store/errors.ts';
import type { LineStore } from '../src/store/lineStore.ts';
import { openStore } from '../src/store/open.ts';

/**
 * Opens a folder or a database of sessions, gives it to `act`, and closes it whatever happens. Who only reads looks at it as it is now. Throws
 * Unreadable.
 */
export async function withStore<T>(
  path: string,
  readOnly: boolean,
  act: (store: LineStore) => Promise<T> | T,
): Promise<T> {
  let store: LineStore | undefined;
  try {
    store = await openStore(path, { readOnly, snapshot: readOnly });
  } catch (error) {
    throw unreadable(path, error) ?? new Unreadable(`${path}: ${reasonOf(error)}`);
  }
  if (store === undefined)
    throw new Unreadable(`${path} is no store of sessions: neither a folder nor a database that can be read`);
  try {
    return await act(store);
  } catch (error) {
    throw unreadable(path, error) ?? error;
  } finally {
    await store.close();
  }
}

/** What the place itself says; undefined for a fault of the program. */
function unreadable(path: string, error: unknown): Unreadable | undefined {
  if (!(error instanceof Error)) return undefined;
  const { code, syscall, path: place = path } = error as NodeJS.ErrnoException;
  if (
    error instanceof StoreError ||
    error instanceof SqliteMissing ||
    error instanceof NotReadableThere ||
    code?.startsWith('SQLITE_') === true
  )
    return new Unreadable(`${path}: ${error.message}`);
  return syscall === undefined ? undefined : new Unreadable(`${place}: ${reasonOf(error)}`);
}
