/**
 * Leaf bytes and leaf hashes of journal records, tombstones, absence keys and events (audit spec 1.1 to 1.5).
 *
 *   leaf hash = SHA-256(0x00 ‖ tag ‖ content), the tag ending with a zero byte
 */
import { concat, utf8 } from '../bytes/encoding.ts';
import { createSha256, sha256 } from '../crypto/sha256.ts';
import type { StoredRecord } from './record.ts';
import { looksLikeTombstone, readTombstone } from './tombstone.ts';

export const RECORD_LEAF_TAG = utf8('bide.audit.journal-leaf.v1\0');
export const KEY_LEAF_TAG = utf8('bide.audit.key-leaf.v1\0');
export const EVENT_LEAF_TAG = utf8('bide.audit.event-leaf.v3\0');
const EVENT_SALT_DOMAIN = utf8('bide.audit.event-salt.v1\0');

const PREFIX = concat(Uint8Array.of(0), RECORD_LEAF_TAG);
/** Prefix and content side by side, so that a record is hashed in one call; grown to the longest record so far, up to a limit. */
let scratch = concat(PREFIX, new Uint8Array(4096));
const MOST_KEPT = 1 << 20;

function hashOfContent(bytes: Uint8Array): Uint8Array {
  const length = PREFIX.length + bytes.length;
  if (length > MOST_KEPT) return createSha256().update(PREFIX).update(bytes).digest();
  if (length > scratch.length) scratch = concat(PREFIX, new Uint8Array(2 * bytes.length));
  scratch.set(bytes, PREFIX.length);
  return sha256(scratch.subarray(0, length));
}

/** Hash of leaf data (tag ‖ content) of any kind. */
export function leafHash(leafData: Uint8Array): Uint8Array {
  return createSha256().update(Uint8Array.of(0)).update(leafData).digest();
}

/** Tag and content of the leaf that a record's stored bytes make. */
export function recordLeafData(bytes: Uint8Array): Uint8Array {
  return concat(RECORD_LEAF_TAG, bytes);
}

/**
 * The leaf hash at a record's place: of its stored bytes, verbatim; of a tombstone, the hash that it records, whose own bytes are never
 * hashed (audit spec 1.3 rule 3). Undefined for bytes that begin like a tombstone and are none.
 */
export function recordLeafHash(bytes: Uint8Array): Uint8Array | undefined {
  if (looksLikeTombstone(bytes)) {
    const read = readTombstone(bytes);
    return read.ok ? read.tombstone.leafHash : undefined;
  }
  return hashOfContent(bytes);
}

/** The same for a record that was read. */
export function storedLeafHash(stored: StoredRecord): Uint8Array {
  return stored.tombstone?.leafHash ?? hashOfContent(stored.bytes);
}

/** Tag and content of the leaf of an absence key (audit spec 1.4). */
export function keyLeafData(key: string): Uint8Array {
  return concat(KEY_LEAF_TAG, utf8(key));
}

/** The salt of an event that is projected from a record, so that its proof does not disclose the record's own (audit spec 1.5). */
export function eventSalt(recordSalt: Uint8Array): Uint8Array {
  return sha256(concat(EVENT_SALT_DOMAIN, recordSalt));
}
