/** Reading session files as they stand: one descriptor a look, so that what was read is of one file. */
import { closeSync, fstatSync, readdirSync, readSync, realpathSync, type Stats } from 'node:fs';
import { concat } from '../bytes/encoding.ts';
import { openFileToRead, replaceFile } from '../durable/files.ts';
import { headerSpan } from './lineScan.ts';

/** A header line is looked for in this many bytes from the beginning of a file, then in the whole. */
const HEADER_WINDOW = 64 * 1024;

/** One call reads at most so much. */
const MOST_AT_ONCE = 1 << 30;

/** Names in a folder in byte order; none where there is no folder. */
export function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder).sort();
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT' || code === 'ENOTDIR' || code === 'ELOOP') return [];
    throw error;
  }
}

/** A file's bytes as one descriptor shows them; undefined where there is none, or something that is no regular file. */
export function readWhole(path: string): { readonly bytes: Uint8Array; readonly stat: Stats } | undefined {
  const fd = openFileToRead(path);
  if (fd === undefined) return undefined;
  try {
    const stat = fstatSync(fd);
    return { bytes: readPart(fd, 0, stat.size), stat };
  } finally {
    closeSync(fd);
  }
}

/** Bytes of a file; fewer where it became shorter meanwhile. */
export function readPart(fd: number, from: number, to: number): Uint8Array {
  const bytes = new Uint8Array(Math.max(0, to - from));
  let filled = 0;
  while (filled < bytes.length) {
    const got = readSync(fd, bytes, filled, Math.min(bytes.length - filled, MOST_AT_ONCE), from + filled);
    if (got === 0) break;
    filled += got;
  }
  return bytes.subarray(0, filled);
}

export function headerOf(bytes: Uint8Array): Uint8Array {
  const span = headerSpan(bytes);
  return span === undefined ? new Uint8Array(0) : bytes.slice(span.start, span.end);
}

export function readHeaderLine(fd: number, size: number): Uint8Array {
  const window = readPart(fd, 0, Math.min(size, HEADER_WINDOW));
  const span = headerSpan(window);
  if (span !== undefined && (span.end < window.length || window.length === size))
    return window.slice(span.start, span.end);
  return headerOf(readPart(fd, 0, size));
}

/**
 * Puts another header line into the place of a file's own: a crash leaves the old file or the new one (session-store 4.6).
 *
 * @returns the bytes of the new file; undefined where there is none, or none with a header
 */
export function replaceHeader(path: string, header: Uint8Array): Uint8Array | undefined {
  const file = readWhole(path);
  const span = file === undefined ? undefined : headerSpan(file.bytes);
  if (file === undefined || span === undefined) return undefined;
  const bytes = concat(file.bytes.subarray(0, span.start), header, file.bytes.subarray(span.end));
  // A link goes on naming the file that it named.
  replaceFile(realpathSync(path), bytes, file.stat.mode & 0o777);
  return bytes;
}
