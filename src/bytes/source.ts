/**
 * Where input bytes come from. Reading is synchronous and by position, so that a file of gigabytes is never held whole; in a browser
 * the page hands over memory. A source may give fewer bytes than asked (law 8: the report is the same however it is chopped).
 */
export interface ByteSource {
  /** Bytes in all; fixed for the life of the source. */
  readonly size: number;
  /**
   * Bytes from `offset`: at least one and at most `length`, none only at or past the end. The result may be a view that the next call
   * overwrites.
   */
  read(offset: number, length: number): Uint8Array;
  /** Lets go what is held for reading, such as an open file; a later read takes it up again. */
  close?(): void;
}

/** The bytes of a source could not be had: a file that became shorter, a disk that failed. */
export class SourceError extends Error {}

/** A source over bytes in memory. */
export function memorySource(bytes: Uint8Array): ByteSource {
  return { size: bytes.length, read: (offset, length) => bytes.subarray(offset, offset + length) };
}

/** Exactly the bytes [offset, offset + length) in one piece that the caller may keep. Throws RangeError past the end, SourceError where bytes are missing. */
export function readExactly(source: ByteSource, offset: number, length: number): Uint8Array {
  if (offset < 0 || length < 0 || offset + length > source.size)
    throw new RangeError('read past the end of the source');
  const bytes = new Uint8Array(length);
  let filled = 0;
  while (filled < length) {
    const piece = source.read(offset + filled, length - filled);
    if (piece.length === 0) throw new SourceError('the source ended before its size');
    bytes.set(piece, filled);
    filled += piece.length;
  }
  return bytes;
}

/** All bytes of a source. */
export function readAll(source: ByteSource): Uint8Array {
  return readExactly(source, 0, source.size);
}
