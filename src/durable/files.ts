/** Files that are whole or not there: created once, replaced at once, their folder synced (session-store 4.2, 4.6); and what is no file, told apart. */
import {
  closeSync,
  constants,
  fchmodSync,
  fstatSync,
  fsyncSync,
  linkSync,
  lstatSync,
  openSync,
  renameSync,
  rmSync,
  type Stats,
  statSync,
  writeSync,
} from 'node:fs';
import { dirname } from 'node:path';

/** What a system says of a path that leads to nothing: a link may go round in a circle. */
const LEADS_NOWHERE: ReadonlySet<string> = new Set(['ENOENT', 'ENOTDIR', 'ELOOP']);

function unlessNowhere<T>(look: () => T): T | undefined {
  try {
    return look();
  } catch (error) {
    if (LEADS_NOWHERE.has((error as NodeJS.ErrnoException).code ?? '')) return undefined;
    throw error;
  }
}

/** The regular file that a path leads to, through a link too; undefined for anything else. */
export function statFile(path: string): Stats | undefined {
  const stat = unlessNowhere(() => statSync(path, { throwIfNoEntry: false }));
  return stat?.isFile() === true ? stat : undefined;
}

export function isFolder(path: string): boolean {
  return unlessNowhere(() => statSync(path))?.isDirectory() === true;
}

/** What stands at a path: a regular file or a link to one; something else, a link to nothing included; or nothing. */
export function standing(path: string): 'file' | 'other' | 'nothing' {
  if (statFile(path) !== undefined) return 'file';
  return unlessNowhere(() => lstatSync(path, { throwIfNoEntry: false })) === undefined ? 'nothing' : 'other';
}

/** Windows has no such flag, and no pipes that wait under the name of a file. */
const WITHOUT_WAITING = constants.O_RDONLY | (constants.O_NONBLOCK ?? 0);

/** Opens a regular file for reading; undefined for anything else. A pipe is not waited for, even if it takes the place of the file meanwhile. */
export function openFileToRead(path: string): number | undefined {
  if (statFile(path) === undefined) return undefined;
  const fd = unlessNowhere(() => openSync(path, WITHOUT_WAITING));
  if (fd === undefined || fstatSync(fd).isFile()) return fd;
  closeSync(fd);
  return undefined;
}

/** Makes a folder's entries durable. Where the system cannot sync a folder there is nothing to do. */
export function syncFolder(path: string): void {
  let fd: number | undefined;
  try {
    fd = openSync(path, 'r');
    fsyncSync(fd);
  } catch {
    // Windows refuses to open a folder, some network file systems to sync one: neither loses what the file itself holds.
  } finally {
    if (fd !== undefined) closeSync(fd);
  }
}

/** Writes every byte to a descriptor; a short write goes on where it stopped. */
export function writeFully(fd: number, bytes: Uint8Array): void {
  for (let at = 0; at < bytes.length; ) at += writeSync(fd, bytes, at);
}

function writeTemporary(path: string, bytes: Uint8Array, mode = 0o600): string {
  const temporary = `${path}.tmp`;
  rmSync(temporary, { force: true });
  const fd = openSync(temporary, 'wx', mode);
  try {
    if (mode !== 0o600) fchmodSync(fd, mode);
    writeFully(fd, bytes);
    fsyncSync(fd);
  } finally {
    closeSync(fd);
  }
  return temporary;
}

/**
 * Creates a file with this content, durably, or does nothing because it exists. The caller holds whatever lock keeps two writers from
 * using one temporary name.
 *
 * @returns false when the file was there already
 */
export function createFile(path: string, bytes: Uint8Array): boolean {
  const temporary = writeTemporary(path, bytes);
  try {
    linkSync(temporary, path);
  } catch (error) {
    const { code = '' } = error as NodeJS.ErrnoException;
    if (code === 'EEXIST') return false;
    if (!NO_LINKS.has(code)) throw error;
    return createWithoutLinks(temporary, path);
  } finally {
    rmSync(temporary, { force: true });
  }
  syncFolder(dirname(path));
  return true;
}

/** What a file system says that makes no hard links, or no more of them. */
const NO_LINKS: ReadonlySet<string> = new Set([
  'EPERM',
  'ENOTSUP',
  'EOPNOTSUPP',
  'ENOSYS',
  'EMLINK',
  'EXDEV',
  'EACCES',
]);

/** For file systems without hard links: the name is claimed exclusively, then the finished file takes it. */
function createWithoutLinks(temporary: string, path: string): boolean {
  try {
    closeSync(openSync(path, 'wx', 0o600));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  }
  try {
    renameSync(temporary, path);
  } catch (error) {
    rmSync(path, { force: true });
    throw error;
  }
  syncFolder(dirname(path));
  return true;
}

/** Replaces a file's content at once and durably: a crash leaves the old content or the new. */
export function replaceFile(path: string, bytes: Uint8Array, mode?: number): void {
  const temporary = writeTemporary(path, bytes, mode);
  try {
    renameSync(temporary, path);
  } catch (error) {
    rmSync(temporary, { force: true });
    throw error;
  }
  syncFolder(dirname(path));
}
