/**
 * Locks against a second writer that a dead holder cannot keep (session-store 4.4): a lock file naming its holder, every decision about it made
 * under a short guard, so that nobody removes the fresh lock of another who took over the same stale one.
 */
import { closeSync, mkdirSync, openSync, readFileSync, rmdirSync, rmSync, statSync } from 'node:fs';
import { hostname } from 'node:os';
import { dirname, join } from 'node:path';
import { writeFully } from './files.ts';

export interface LockHolder {
  readonly pid: number;
  readonly host: string;
  /** RFC 3339. */
  readonly since: string;
}

/** Another process, or another writer of this one, holds the lock. */
export class Locked extends Error {
  /** Undefined where the lock file does not say who. */
  readonly holder: LockHolder | undefined;
  constructor(path: string, holder: LockHolder | undefined) {
    super(
      holder === undefined
        ? `${path} is locked by an unknown holder`
        : `locked by process ${holder.pid} on ${holder.host} since ${holder.since}`,
    );
    this.holder = holder;
  }
}

export interface Lock {
  /** Gives the lock back; a second call does nothing. */
  release(): void;
}

export interface LockOptions {
  /** RFC 3339, written into the lock. */
  readonly since: string;
  /** Called with the lock of a dead holder that was taken over: the one durable sign that the writer before crashed. */
  readonly onStale?: (holder: LockHolder) => void;
}

const GUARD = '.agentsession-guard';
/** A guard is held for microseconds; one that is older than this was left by a process that died. */
const GUARD_ABANDONED_MS = 5_000;

/** Takes the lock at `path`. Throws Locked. */
export function takeLock(path: string, options: LockOptions): Lock {
  return guarded(dirname(path), () => {
    for (let attempt = 0; attempt < 2; attempt++) {
      if (create(path, options.since)) return held(path);
      const content = readLock(path);
      if (content === undefined) continue;
      const holder = parse(content);
      if (holder === undefined || !isStale(holder)) throw new Locked(path, holder);
      rmSync(path, { force: true });
      options.onStale?.(holder);
    }
    throw new Locked(path, lockHolder(path));
  });
}

/** Who holds the lock at `path`, read from the file; undefined when nobody does or the file does not say. */
export function lockHolder(path: string): LockHolder | undefined {
  const content = readLock(path);
  return content === undefined ? undefined : parse(content);
}

/** Removes a lock, whoever holds it. */
export function breakLock(path: string): void {
  guarded(dirname(path), () => rmSync(path, { force: true }));
}

function held(path: string): Lock {
  let released = false;
  return {
    release() {
      if (!released) rmSync(path, { force: true });
      released = true;
    },
  };
}

function create(path: string, since: string): boolean {
  let fd: number;
  try {
    fd = openSync(path, 'wx', 0o600);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  }
  try {
    writeFully(fd, new TextEncoder().encode(`${JSON.stringify({ pid: process.pid, host: hostname(), since })}\n`));
  } catch (error) {
    rmSync(path, { force: true });
    throw error;
  } finally {
    closeSync(fd);
  }
  return true;
}

function readLock(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}

function parse(content: string): LockHolder | undefined {
  try {
    const { pid, host, since } = JSON.parse(content) as Record<string, unknown>;
    return typeof pid === 'number' && typeof host === 'string' && typeof since === 'string'
      ? { pid, host, since }
      : undefined;
  } catch {
    return undefined;
  }
}

/** A holder on this host whose process is gone. One elsewhere is never stale: nobody here can know. */
export function isStale({ pid, host }: Pick<LockHolder, 'pid' | 'host'>): boolean {
  if (host !== hostname() || !Number.isSafeInteger(pid) || pid <= 0) return false;
  try {
    process.kill(pid, 0);
    return false;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ESRCH';
  }
}

/** Runs a decision while holding the folder's guard. */
function guarded<T>(folder: string, decide: () => T): T {
  const guard = join(folder, GUARD);
  for (;;) {
    try {
      mkdirSync(guard);
      break;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
      const age = Date.now() - (statSync(guard, { throwIfNoEntry: false })?.mtimeMs ?? Date.now());
      if (age > GUARD_ABANDONED_MS) removeGuard(guard);
      else Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 2);
    }
  }
  try {
    return decide();
  } finally {
    removeGuard(guard);
  }
}

function removeGuard(guard: string): void {
  try {
    rmdirSync(guard);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
  }
}
