/**
 * Locks against a second writer that a dead holder cannot keep (session-store 4.4): a lock file naming its holder, every decision about it made
 * under a short guard, so that nobody removes the fresh lock of another who took over the same stale one.
 */
import {
  type BigIntStats,
  closeSync,
  fstatSync,
  mkdirSync,
  openSync,
  readFileSync,
  rmdirSync,
  rmSync,
  statSync,
} from 'node:fs';
import { hostname } from 'node:os';
import { dirname, join } from 'node:path';
import { openFileToRead, standing, writeFully } from './files.ts';

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
  /** Whether the lock is still the one that was taken: somebody may have broken it. */
  isHeld(): boolean;
  /**
   * False once the lock file was removed; asked of its descriptor, at a third of the cost. A lock file that was moved counts as held, and one
   * that a network file system keeps for who has it open: not enough where something could be lost.
   */
  mayBeHeld(): boolean;
  /** Gives the lock back, unless somebody broke it and it is another's now; a second call does nothing. */
  release(): void;
}

export interface LockOptions {
  /** RFC 3339, written into the lock. */
  readonly since: string;
  /** Called with the lock of a dead holder that was taken over: the one durable sign that the writer before crashed. */
  readonly onStale?: (holder: LockHolder) => void;
}

/** A folder; `.agentsession-guard` is the file on which writers that have `flock` decide. */
const GUARD = '.agentsession-guard.d';
/** A guard is held for microseconds; one that is older than this was left by a process that died. */
const GUARD_ABANDONED_MS = 5_000;

/** Takes the lock at `path`. Throws Locked. */
export function takeLock(path: string, options: LockOptions): Lock {
  return guarded(dirname(path), () => {
    for (let attempt = 0; attempt < 2; attempt++) {
      const file = create(path, options.since);
      if (file !== undefined) return held(path, file);
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

const PATIENCE_MS = 10_000;

/** Takes a lock that is held for a moment only: waits for it, trying again after 1 to 20 ms. Throws Locked after ten seconds. */
export function awaitLock(path: string, options: LockOptions): Lock {
  const until = Date.now() + PATIENCE_MS;
  for (let pause = 1; ; pause = Math.min(20, pause * 2)) {
    try {
      return takeLock(path, options);
    } catch (error) {
      if (!(error instanceof Locked) || Date.now() > until) throw error;
      sleep(pause);
    }
  }
}

function sleep(milliseconds: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, milliseconds);
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

/** A lock file that was made here: its descriptor, and what tells it from a later one of the same name. */
interface LockFile {
  /** Undefined where a file that is open cannot be removed. */
  readonly fd: number | undefined;
  readonly identity: BigIntStats;
}

/** An open file keeps its name from being used again on Windows, even after it was removed. */
const KEEPS_OPEN = process.platform !== 'win32';

function held(path: string, { fd, identity }: LockFile): Lock {
  let released = false;
  const isHeld = (): boolean => {
    if (released) return false;
    const now = statSync(path, { bigint: true, throwIfNoEntry: false });
    return (
      now !== undefined &&
      now.ino === identity.ino &&
      now.dev === identity.dev &&
      now.birthtimeNs === identity.birthtimeNs
    );
  };
  return {
    isHeld,
    mayBeHeld() {
      // A file that was removed has no name left; one with two (a backup of hard links) does not tell which it still has.
      const names = released ? 0 : fd === undefined ? 2 : fstatSync(fd).nlink;
      return names === 1 || (names > 1 && isHeld());
    },
    release() {
      if (released) return;
      try {
        guarded(dirname(path), () => {
          if (isHeld()) rmSync(path, { force: true });
        });
      } finally {
        released = true;
        if (fd !== undefined) closeSync(fd);
      }
    },
  };
}

function create(path: string, since: string): LockFile | undefined {
  let fd: number;
  try {
    fd = openSync(path, 'wx', 0o600);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return undefined;
    throw error;
  }
  try {
    writeFully(fd, new TextEncoder().encode(`${JSON.stringify({ pid: process.pid, host: hostname(), since })}\n`));
    const identity = fstatSync(fd, { bigint: true });
    if (KEEPS_OPEN) return { fd, identity };
    closeSync(fd);
    return { fd: undefined, identity };
  } catch (error) {
    rmSync(path, { force: true });
    closeSync(fd);
    throw error;
  }
}

/** What a lock says; undefined where there is none. What is no file says nothing, and keeps everybody out like an empty one. */
function readLock(path: string): string | undefined {
  const fd = openFileToRead(path);
  if (fd === undefined) return standing(path) === 'other' ? '' : undefined;
  try {
    return readFileSync(fd, 'utf8');
  } finally {
    closeSync(fd);
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

/** Runs a short, synchronous decision while holding the folder's guard. */
export function guarded<T>(folder: string, decide: () => T): T {
  const guard = join(folder, GUARD);
  for (;;) {
    try {
      mkdirSync(guard);
      break;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
      const age = Date.now() - (statSync(guard, { throwIfNoEntry: false })?.mtimeMs ?? Date.now());
      if (age > GUARD_ABANDONED_MS) removeGuard(guard);
      else sleep(2);
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
