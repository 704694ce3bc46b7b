/**
 * What checking requests may cost. The hash of a request is over all of its bytes (session-format 7.5), and a few bytes of settings can change
 * the beginning of a request of any size, or name a list of any length again (6.3, 6.4): a small file can ask for work without end. Past
 * these limits, which sessions that agents write stay far below, the rest is left unchecked and that is said.
 */

/** Bytes hashed or copied for one session: so many, and so many for each byte of its entries. */
const BYTES = 8 * 2 ** 30;
const BYTES_PER_BYTE = 64;
/** What stepping over one element costs, in bytes that could have been hashed meanwhile. */
export const STEP = 128;
/** Elements of settings that are kept for the way back along one path. */
const KEPT = 10_000_000;
/** Characters that weigh as much as one element. */
const CHARACTERS = 32;

/** Elements of one list, and characters of instructions, that may be in force. */
export const MOST_IN_FORCE = 2 ** 17;
export const MOST_CHARACTERS = 2 ** 27;

export interface WorkLimits {
  readonly bytes?: number;
  readonly bytesPerByte?: number;
  readonly kept?: number;
}

export class Work {
  #bytes: number;
  readonly #perByte: number;
  #kept: number;

  constructor({ bytes = BYTES, bytesPerByte = BYTES_PER_BYTE, kept = KEPT }: WorkLimits = {}) {
    this.#bytes = bytes;
    this.#perByte = bytesPerByte;
    this.#kept = kept;
  }

  /** An entry of so many bytes allows for more. */
  allow(length: number): void {
    this.#bytes += length * this.#perByte;
  }

  spend(bytes: number): void {
    this.#bytes -= bytes;
  }

  /** Keeps elements and characters; gives what `release` takes back. */
  keep(elements: number, characters: number): number {
    const weight = elements + characters / CHARACTERS;
    this.#kept -= weight;
    this.#bytes -= elements * STEP + 2 * characters;
    return weight;
  }

  release(weight: number): void {
    this.#kept += weight;
  }

  get isOver(): boolean {
    return this.#bytes < 0 || this.#kept < 0;
  }
}
