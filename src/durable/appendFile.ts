/**
 * A file that only grows, line by line, through a descriptor in append mode: whatever somebody else wrote meanwhile, nothing is written over.
 * A line is acknowledged when the system says that it is on disk; a write that fails is cut back, and a tail that a crash tore is cut off
 * when the file is opened for writing (session-store 4.3, 1.18).
 */
import { closeSync, constants, fstatSync, fsyncSync, ftruncateSync, openSync, writeSync } from 'node:fs';

const LINE_FEED = 0x0a;

/** Appends go to the end, wherever that is; a file that is not there is not made. */
const APPENDING = constants.O_RDWR | constants.O_APPEND;

/** Cuts a file off behind `end`, durably. */
function cut(path: string, end: number): void {
  const fd = openSync(path, 'r+');
  try {
    ftruncateSync(fd, end);
    fsyncSync(fd);
  } finally {
    closeSync(fd);
  }
}

/** An append after which nothing is known of what is on disk: the file must be opened again. */
export class AppendFailed extends Error {}

/** Somebody else wrote to the file, or removed it, or put another in its place. */
export class NotAsLeft extends AppendFailed {
  readonly found: 'written to' | 'gone';
  constructor(found: 'written to' | 'gone') {
    super(found === 'gone' ? 'the file was removed or replaced' : 'somebody else wrote to the file');
    this.found = found;
  }
}

export class AppendFile {
  /** -1 once closed: the system gives the number to another file. */
  #fd: number;
  #length: number;
  #unsynced = false;
  #broken = false;

  private constructor(fd: number, length: number) {
    this.#fd = fd;
    this.#length = length;
  }

  /**
   * Opens a file whose `read` bytes the caller has judged, to be what is appended to here: what stands after `end` is cut off; with `lineFeed` a
   * last line that lacks one is given it. Throws NotAsLeft for a file of another length by now: it has to be read again.
   */
  static resume(path: string, { read, end, lineFeed }: { read: number; end: number; lineFeed: boolean }): AppendFile {
    const fd = openSync(path, APPENDING);
    try {
      if (fstatSync(fd).size !== read) throw new NotAsLeft('written to');
      if (read > end) cut(path, end);
      const file = new AppendFile(fd, end);
      if (lineFeed) file.append(new Uint8Array([LINE_FEED]), true);
      return file;
    } catch (error) {
      closeSync(fd);
      throw error;
    }
  }

  get length(): number {
    return this.#length;
  }

  /** Throws NotAsLeft unless the file is as it was left here. */
  check(): void {
    const { size, nlink } = fstatSync(this.#fd);
    if (nlink === 0) throw new NotAsLeft('gone');
    if (size !== this.#length) throw new NotAsLeft('written to');
  }

  /**
   * Appends bytes; with `sync` they, and all before them, are on disk when this returns. Throws NotAsLeft, and AppendFailed, which says where the
   * file could not be cut back.
   */
  append(bytes: Uint8Array, sync: boolean): void {
    if (this.#broken) throw new AppendFailed('an earlier append failed; open the file again');
    this.check();
    const before = this.#length;
    let written = 0;
    try {
      while (written < bytes.length) written += writeSync(this.#fd, bytes, written);
      this.#length = before + bytes.length;
      this.#unsynced = true;
      if (sync) this.sync();
    } catch (error) {
      // After a failed sync the kernel may have dropped pages: nothing more is acknowledged through this descriptor.
      this.#broken = true;
      this.#length = before;
      try {
        // Anything more is somebody else's, and it is not known where.
        if (fstatSync(this.#fd).size !== before + written) throw error;
        ftruncateSync(this.#fd, before);
      } catch {
        throw new AppendFailed(`the append failed and could not be cut back: ${(error as Error).message}`);
      }
      throw new AppendFailed(`the append failed: ${(error as Error).message}`);
    }
    // Who took a line that was being written for a torn one may have cut it off.
    if (sync) this.check();
  }

  /** Brings everything appended to disk. */
  sync(): void {
    if (!this.#unsynced) return;
    fsyncSync(this.#fd);
    this.#unsynced = false;
  }

  /** A second call does nothing. */
  close(): void {
    const fd = this.#fd;
    if (fd < 0) return;
    try {
      if (!this.#broken) this.sync();
    } finally {
      this.#fd = -1;
      closeSync(fd);
    }
  }
}
