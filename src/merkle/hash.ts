/**
 * The hashes of an RFC 6962 tree with SHA-256 (audit spec 2.1, RFC 6962 2.1). Everything in this folder works on leaf hashes, so that a
 * recorded hash can stand in for a leaf whose bytes are gone (audit spec 1.3).
 */
import { unhex } from '../bytes/encoding.ts';
import { sha256 } from '../crypto/sha256.ts';

/** Bytes of one hash. */
export const HASH_LENGTH = 32;

/** The root of a tree without leaves: SHA-256 of nothing. */
export const EMPTY_ROOT: Uint8Array = unhex(
  'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855',
) as Uint8Array;

/** Buffers of short leaves by length, kept because making one costs as much as a quarter of the hash. */
const LEAF_BUFFERS: Uint8Array[] = [];
const KEPT_LENGTHS = 512;

/** `H(0x00 ‖ leaf data)`. */
export function leafHash(data: Uint8Array): Uint8Array {
  const length = data.length + 1;
  let bytes = LEAF_BUFFERS[length];
  if (bytes === undefined) {
    bytes = new Uint8Array(length);
    if (length < KEPT_LENGTHS) LEAF_BUFFERS[length] = bytes;
  }
  bytes.set(data, 1);
  return sha256(bytes);
}

const node = new Uint8Array(1 + 2 * HASH_LENGTH);
node[0] = 1;

/** `H(0x01 ‖ left ‖ right)`; both are 32 bytes. */
export function nodeHash(left: Uint8Array, right: Uint8Array): Uint8Array {
  node.set(left, 1);
  node.set(right, 1 + HASH_LENGTH);
  return sha256(node);
}

/** `nodeHash` of two hashes that stand one after the other from `offset` in `hashes`. */
export function nodeHashAt(hashes: Uint8Array, offset: number): Uint8Array {
  node.set(hashes.subarray(offset, offset + 2 * HASH_LENGTH), 1);
  return sha256(node);
}
