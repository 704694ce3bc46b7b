/** Files and standard input as byte sources. With `durable`, `store`, `corpus` and `cmd` the only code that touches the machine. */
import { closeSync, openSync, readSync, statSync } from 'node:fs';
import { type ByteSource, memorySource, SourceError } from '../bytes/source.ts';

/** Standard input and documents that are read whole: at most this many bytes (256 MiB). */
export const MAX_WHOLE_BYTES = 256 * 1024 * 1024;

/** A file or standard input that could not be used, with the reason in words. */
export class Unreadable extends SourceError {
  readonly tooLarge: boolean;
  /** The file that the reason is about, where the message does not name it. */
  readonly path: string | undefined;
  constructor(message: string, tooLarge = false, path?: string) {
    super(message);
    this.tooLarge = tooLarge;
    this.path = path;
  }
}

export interface OpenFile extends ByteSource {
  close(): void;
}

/** A file of at most this many bytes is read once, whole, and answers from memory: a check goes over it many times. */
const SMALL = 1 << 16;

const NOTHING = new Uint8Array(0);

/**
 * A regular file for reading by position, whose first byte was read already: what cannot be read at all is said here. Nothing of it is held
 * before the first read and after `close`, after which reading opens it again, so that a hundred thousand inputs can be named at once. Throws
 * Unreadable.
 */
export function openFile(path: string): OpenFile {
  const stat = attempt(path, () => statSync(path));
  if (!stat.isFile())
    throw new Unreadable(stat.isDirectory() ? 'it is a folder' : 'it is not a regular file', false, path);
  const { size } = stat;
  const open = () => attempt(path, () => openSync(path, 'r'));
  let fd: number | undefined;
  let buffer = NOTHING;
  let whole: Uint8Array | undefined;

  function readAt(descriptor: number, into: Uint8Array, length: number, offset: number): number {
    const got = attempt(path, () => readSync(descriptor, into, 0, length, offset));
    if (got === 0) throw new Unreadable('the file became shorter while it was read', false, path);
    return got;
  }

  function readStart(length: number): Uint8Array {
    const descriptor = open();
    try {
      const bytes = new Uint8Array(length);
      for (let at = 0; at < length; ) at += readAt(descriptor, bytes.subarray(at), length - at, at);
      return bytes;
    } finally {
      closeSync(descriptor);
    }
  }

  readStart(Math.min(size, 1));

  return {
    size,
    read(offset, length) {
      const wanted = Math.min(length, size - offset);
      if (wanted <= 0) return NOTHING;
      if (size <= SMALL) {
        whole ??= readStart(size);
        return whole.subarray(offset, offset + wanted);
      }
      fd ??= open();
      if (buffer.length < wanted) buffer = new Uint8Array(wanted);
      return buffer.subarray(0, readAt(fd, buffer, wanted, offset));
    },
    close() {
      if (fd !== undefined) closeSync(fd);
      fd = undefined;
      buffer = NOTHING;
      whole = undefined;
    },
  };
}

function attempt<T>(path: string, action: () => T): T {
  try {
    return action();
  } catch (error) {
    throw new Unreadable(reasonOf(error), false, path);
  }
}

/** Reads a whole file of at most `limit` bytes. Throws Unreadable. */
export function readFile(path: string, limit = MAX_WHOLE_BYTES): Uint8Array {
  const file = openFile(path);
  try {
    if (file.size > limit)
      throw new Unreadable(`it has ${file.size} bytes, more than the ${limit} that are read`, true, path);
    const bytes = new Uint8Array(file.size);
    for (let at = 0; at < bytes.length; ) {
      const piece = file.read(at, bytes.length - at);
      bytes.set(piece, at);
      at += piece.length;
    }
    return bytes;
  } finally {
    file.close();
  }
}

/** Standard input piece by piece, each as soon as it is there. Throws Unreadable. */
export function* incomingStandardInput(): Iterable<Uint8Array> {
  for (;;) {
    const piece = new Uint8Array(1 << 16);
    let got: number;
    try {
      got = readSync(0, piece, 0, piece.length, null);
    } catch (error) {
      const code = (error as NodeJS.ErrnoException).code;
      if (code === 'EAGAIN') {
        Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 5);
        continue;
      }
      if (code === 'EOF') return;
      throw new Unreadable(reasonOf(error));
    }
    if (got === 0) return;
    yield piece.subarray(0, got);
  }
}

/** Standard input to its end, in memory. Throws Unreadable past `limit` bytes. */
export function readStandardInput(limit = MAX_WHOLE_BYTES): ByteSource {
  const pieces: Uint8Array[] = [];
  let size = 0;
  for (const piece of incomingStandardInput()) {
    size += piece.length;
    if (size > limit)
      throw new Unreadable(`standard input is longer than the ${limit} bytes that are read from it`, true);
    pieces.push(piece);
  }
  return memorySource(Buffer.concat(pieces));
}

/** The system's reason in words, without the path. */
export function reasonOf(error: unknown): string {
  const { code, message } = error as NodeJS.ErrnoException;
  switch (code) {
    case 'ENOENT':
      return 'there is no such file';
    case 'EACCES':
    case 'EPERM':
      return 'permission was denied';
    case 'EISDIR':
      return 'it is a folder';
    case 'ENOTDIR':
      return 'a part of the path is not a folder';
    case 'EEXIST':
      return 'it exists already';
    case 'ENOSPC':
      return 'the disk is full';
    default:
      return code ?? message;
  }
}
