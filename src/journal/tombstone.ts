/** Redaction tombstones: the reserved form, and nothing but it (journal 2.10, audit spec 1.3). */
import { decodeUtf8, hex, unhex, utf8 } from '../bytes/encoding.ts';
import type { RecordProblem, Tombstone } from './record.ts';

const BEGIN = utf8('{"redacted":');
const FORM = /^\{"redacted":\{"leaf_hash":"([^"\\]*)","at_ms":(0|-?[1-9][0-9]{0,18})\}\}$/;

/** Bytes that begin so are a tombstone or nothing. */
export function looksLikeTombstone(bytes: Uint8Array): boolean {
  for (let i = 0; i < BEGIN.length; i++) if (bytes[i] !== BEGIN[i]) return false;
  return true;
}

export type TombstoneReading =
  | { readonly ok: true; readonly tombstone: Tombstone }
  | { readonly ok: false; readonly problem: RecordProblem };

export function readTombstone(bytes: Uint8Array): TombstoneReading {
  const refuse = (message: string): TombstoneReading => ({
    ok: false,
    problem: { kind: 'bad-tombstone', at: 0, message },
  });
  // A tombstone is short; anything longer is not one and is not worth decoding.
  const match = bytes.length > 256 ? null : FORM.exec(decodeUtf8(bytes) ?? '');
  if (match === null)
    return refuse('it begins like a tombstone and is not {"redacted":{"leaf_hash":"<64 hex>","at_ms":<integer>}}');
  const leafHash = unhex(match[1] as string);
  if (leafHash?.length !== 32) return refuse('its leaf_hash is not 32 bytes of hexadecimal');
  const atMs = BigInt(match[2] as string);
  if (BigInt.asIntN(64, atMs) !== atMs) return refuse('its at_ms does not fit in 64 bits');
  return { ok: true, tombstone: { leafHash, atMs } };
}

export function encodeTombstone(tombstone: Tombstone): Uint8Array {
  return utf8(`{"redacted":{"leaf_hash":"${hex(tombstone.leafHash)}","at_ms":${tombstone.atMs}}}`);
}
