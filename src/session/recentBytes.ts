/**
 * The bytes of the latest items, kept in one block of memory so that they need not be read again for the next request. Old ones are
 * overwritten by new ones.
 */

const SIZE = 4 << 20;

/** What the block begins with: most sessions are small, and a folder holds many of them. */
const FIRST = 4 << 10;

export class RecentBytes {
  #block = new Uint8Array(0);
  /** Bytes ever written, those skipped at the end of the block included. */
  #written = 0;
  readonly #start: number[] = [];
  readonly #length: number[] = [];

  /** Keeps the bytes of the next number. Numbers count up from 0; `cut` takes them back. */
  push(bytes: Uint8Array): void {
    this.#length.push(bytes.length);
    if (bytes.length > SIZE) {
      this.#start.push(Number.NEGATIVE_INFINITY);
      return;
    }
    const left = SIZE - (this.#written % SIZE);
    if (left < bytes.length) this.#written += left;
    const at = this.#written % SIZE;
    if (this.#block.length < at + bytes.length) this.#grow(at + bytes.length);
    this.#start.push(this.#written);
    this.#block.set(bytes, at);
    this.#written += bytes.length;
  }

  /** Only before the block was ever full: what is kept stays in its place. */
  #grow(least: number): void {
    let size = Math.max(FIRST, this.#block.length);
    while (size < least) size *= 2;
    const grown = new Uint8Array(size);
    grown.set(this.#block);
    this.#block = grown;
  }

  /** The bytes of a number, if they are still there: a view that the next `push` may overwrite. */
  get(number: number): Uint8Array | undefined {
    const start = this.#start[number];
    if (start === undefined || this.#written - start > SIZE) return undefined;
    const at = start % SIZE;
    return this.#block.subarray(at, at + (this.#length[number] as number));
  }

  cut(length: number): void {
    this.#start.length = length;
    this.#length.length = length;
  }
}
