/** SHA-256 of an input, read piece by piece. */
import { hex } from '../bytes/encoding.ts';
import { type ByteSource, SourceError } from '../bytes/source.ts';
import { createSha256, sha256 } from '../crypto/sha256.ts';

const CHUNK = 1 << 20;

/** Lowercase hexadecimal. Throws SourceError where bytes cannot be had. */
export function digest(source: ByteSource): string {
  const first = source.read(0, CHUNK);
  if (first.length === source.size) return hex(sha256(first));
  const hash = createSha256();
  for (let at = 0; at < source.size; ) {
    const piece = source.read(at, CHUNK);
    if (piece.length === 0) throw new SourceError('the source ended before its size');
    hash.update(piece);
    at += piece.length;
  }
  return hex(hash.digest());
}
