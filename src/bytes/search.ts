/** Where a byte stands in bytes. */

type IndexOf = (this: Uint8Array, byte: number, from: number) => number;

const inArray: IndexOf = Uint8Array.prototype.indexOf;
/** Node's own searches as fast as memory is read, a typed array byte by byte; a browser has typed arrays alone. */
const inBuffer: IndexOf = globalThis.Buffer?.prototype.indexOf ?? inArray;
/** A place past this is taken for this one. */
const BUFFER_END = 2 ** 31 - 1;

/** Offset of the first `byte` at or after `from`, which is not negative; -1 if there is none. */
export function indexOfByte(bytes: Uint8Array, byte: number, from = 0): number {
  return (from < BUFFER_END ? inBuffer : inArray).call(bytes, byte, from);
}
