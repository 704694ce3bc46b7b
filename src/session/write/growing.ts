/** The lines of a session that grows: what was read, and after it what was appended since. */
import type { ByteSource } from '../../bytes/source.ts';

export class GrowingSource implements ByteSource {
  readonly #read: ByteSource;
  #tail = new Uint8Array(4096);
  #length = 0;

  constructor(read: ByteSource) {
    this.#read = read;
  }

  get size(): number {
    return this.#read.size + this.#length;
  }

  read(offset: number, length: number): Uint8Array {
    const inTail = offset - this.#read.size;
    if (inTail < 0) return this.#read.read(offset, Math.min(length, -inTail));
    return this.#tail.subarray(inTail, Math.min(inTail + length, this.#length));
  }

  /** Appends a line and its line feed; gives the offset of its first byte. */
  append(line: Uint8Array): number {
    const offset = this.size;
    const needed = this.#length + line.length + 1;
    if (needed > this.#tail.length) {
      const grown = new Uint8Array(Math.max(needed, this.#tail.length * 2));
      grown.set(this.#tail.subarray(0, this.#length));
      this.#tail = grown;
    }
    this.#tail.set(line, this.#length);
    this.#tail[needed - 1] = 0x0a;
    this.#length = needed;
    return offset;
  }
}
