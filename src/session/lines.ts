/**
 * Lines of a file, streamed (session-format 1.1): split at LF, any run of CR and LF at the end stripped, blank ones passed over and
 * counted. The result does not depend on how the source chops its bytes.
 */
import { indexOfByte } from '../bytes/search.ts';
import type { ByteSource } from '../bytes/source.ts';

/** Longest line that is read, in bytes. */
export const MAX_LINE = 256 * 1024 * 1024;

const CHUNK = 1 << 20;

/** Bytes from the beginning of a line that is too long. */
const KEPT = 4096;

/** Reads a source line by line. After `next()` is true the fields describe a line; `bytes` is good until the next call. */
export class LineReader {
  readonly #source: ByteSource;
  readonly #maxLine: number;
  #buffer: Uint8Array;
  /** The beginning of the buffer, as far as it is filled, and the place in it where the next line begins. */
  #held: Uint8Array;
  #at = 0;
  /** Offset in the source of the buffer's first byte. */
  #base = 0;

  /** 1-based, blank lines counted. */
  number = 0;
  /** Offset of the line in the source. */
  offset = 0;
  bytes: Uint8Array;
  /** The line is `bytes[start, end)`, without CR and LF at its end. */
  start = 0;
  end = 0;
  /** Nothing at all follows the line (its own LF aside). */
  last = false;
  /** The line is longer than the limit and was passed over: `bytes[start, end)` is its beginning. */
  tooLong = false;

  constructor(source: ByteSource, { maxLine = MAX_LINE, from = 0 }: { maxLine?: number; from?: number } = {}) {
    this.#source = source;
    this.#maxLine = maxLine;
    this.#base = from;
    this.#buffer = new Uint8Array(Math.max(1, Math.min(CHUNK, source.size - from)));
    this.#held = this.#buffer.subarray(0, 0);
    this.bytes = this.#buffer;
  }

  /** Goes to the next line that is not blank; false at the end of the source. */
  next(): boolean {
    while (this.#nextLine()) if (this.end > this.start || this.tooLong) return true;
    return false;
  }

  #nextLine(): boolean {
    let searched = this.#at;
    this.tooLong = false;
    for (;;) {
      const newline = indexOfByte(this.#held, 0x0a, searched);
      if (newline >= 0) {
        this.#take(newline, newline + 1);
        // However the source chops its bytes, the same lines are too long.
        if (newline - this.start > this.#maxLine) {
          this.tooLong = true;
          this.end = Math.min(this.end, this.start + KEPT);
        }
        return true;
      }
      searched = this.#held.length;
      const moved = this.#at;
      if (this.#held.length - this.#at > this.#maxLine) {
        this.#passOver();
        return true;
      }
      if (!this.#fill()) {
        if (this.#at === this.#held.length) return false;
        this.#take(this.#held.length, this.#held.length);
        return true;
      }
      searched -= moved - this.#at;
    }
  }

  #take(end: number, after: number): void {
    this.number++;
    this.offset = this.#base + this.#at;
    this.bytes = this.#buffer;
    this.start = this.#at;
    while (end > this.start && isLineEnd(this.#buffer[end - 1] as number)) end--;
    this.end = end;
    this.#at = after;
    this.last = this.#base + after >= this.#source.size;
  }

  /** Reads on to the end of a line that is too long, keeping its beginning. */
  #passOver(): void {
    const offset = this.#base + this.#at;
    const kept = this.#buffer.slice(this.#at, Math.min(this.#at + KEPT, this.#held.length));
    this.#at = this.#held.length;
    let after = this.#base + this.#held.length;
    let ended = false;
    while (!ended && after < this.#source.size) {
      const piece = this.#source.read(after, CHUNK);
      if (piece.length === 0) break;
      const newline = indexOfByte(piece, 0x0a);
      ended = newline >= 0;
      after += ended ? newline + 1 : piece.length;
    }
    this.#buffer = new Uint8Array(CHUNK);
    this.#held = this.#buffer.subarray(0, 0);
    this.#base = after;
    this.#at = 0;
    this.number++;
    this.offset = offset;
    this.bytes = kept;
    this.start = 0;
    this.end = kept.length;
    this.tooLong = true;
    this.last = after >= this.#source.size;
  }

  /** Reads more behind what is there; false at the end of the source. */
  #fill(): boolean {
    let filled = this.#held.length;
    const next = this.#base + filled;
    if (next >= this.#source.size) return false;
    if (this.#at > 0) {
      this.#buffer.copyWithin(0, this.#at, filled);
      this.#base += this.#at;
      filled -= this.#at;
      this.#at = 0;
    } else if (filled === this.#buffer.length) {
      const grown = new Uint8Array(Math.min(this.#buffer.length * 2, this.#source.size - this.#base));
      grown.set(this.#buffer);
      this.#buffer = grown;
    }
    const piece = this.#source.read(next, this.#buffer.length - filled);
    this.#buffer.set(piece, filled);
    this.#held = this.#buffer.subarray(0, filled + piece.length);
    return piece.length > 0;
  }
}

function isLineEnd(byte: number): boolean {
  return byte === 0x0a || byte === 0x0d;
}

/** What the first bytes of a file show it to be, where that is not UTF-8 text: in words, for a message. */
export function foreignEncoding(bytes: Uint8Array): string | undefined {
  const [a, b, c, d] = bytes;
  if (a === 0xef && b === 0xbb && c === 0xbf) return 'UTF-8 with a byte order mark';
  if ((a === 0xff && b === 0xfe && c === 0 && d === 0) || (a === 0 && b === 0 && c === 0xfe && d === 0xff))
    return 'UTF-32 text';
  if ((a === 0xff && b === 0xfe) || (a === 0xfe && b === 0xff)) return 'UTF-16 text';
  if ((a === 0x7b && b === 0 && d === 0) || (a === 0 && b === 0x7b && c === 0)) return 'UTF-16 text';
  return undefined;
}
