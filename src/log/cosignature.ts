/**
 * What a witness signs (`interop.md` 1.3): a time, then a signature over the checkpoint. Two forms: Ed25519 over text that names neither
 * cosigner nor anything beyond the note, and ML-DSA-44 over a structure that names the cosigner and leaves extension lines out.
 */
import { concat, u64, utf8 } from '../bytes/encoding.ts';
import type { Checkpoint } from './checkpoint.ts';
import { ED25519_COSIGNATURE, ML_DSA_44_COSIGNATURE } from './noteKey.ts';

const LENGTH = new Map([
  [ED25519_COSIGNATURE, 8 + 64],
  [ML_DSA_44_COSIGNATURE, 8 + 2420],
]);

/** The time and the raw signature; undefined for another length or a time of 2^63 or more (step 2). */
export function splitCosignature(
  type: number,
  bytes: Uint8Array,
): { readonly time: bigint; readonly signature: Uint8Array } | undefined {
  if (bytes.length !== LENGTH.get(type)) return undefined;
  const time = new DataView(bytes.buffer, bytes.byteOffset, 8).getBigUint64(0);
  return time >= 1n << 63n ? undefined : { time, signature: bytes.subarray(8) };
}

/**
 * The message that a cosignature is over, rebuilt from the bytes of the text (step 3).
 *
 * @returns undefined for a type that is no cosignature, and for a name or origin that the structure cannot hold
 */
export function cosignatureMessage(
  type: number,
  cosigner: string,
  time: bigint,
  text: Uint8Array,
  checkpoint: Checkpoint,
): Uint8Array | undefined {
  if (type === ED25519_COSIGNATURE) return concat(utf8(`cosignature/v1\ntime ${time}\n`), text);
  if (type !== ML_DSA_44_COSIGNATURE) return undefined;
  const name = utf8(cosigner);
  const origin = text.subarray(0, text.indexOf(0x0a));
  if (name.length > 255 || origin.length > 255) return undefined;
  return concat(
    utf8('subtree/v1\n\0'),
    Uint8Array.of(name.length),
    name,
    u64(time),
    Uint8Array.of(origin.length),
    origin,
    u64(0),
    u64(checkpoint.size),
    checkpoint.root,
  );
}

/** POSIX seconds as RFC 3339 text where a calendar holds them, otherwise as a count. */
export function secondsText(seconds: bigint): string {
  return seconds <= 253_402_300_799n
    ? `${new Date(Number(seconds) * 1000).toISOString().slice(0, 19)}Z`
    : `${seconds} s`;
}

/** How far ahead of the time of judgement a cosignature may be and still count (step 4). */
export const COSIGNATURE_TOLERANCE_SECONDS = 300n;

/** Whether a cosignature counts at a time of judgement; without one, every time does. */
export function isInTime(
  time: bigint,
  asOf: bigint | undefined,
  tolerance: bigint = COSIGNATURE_TOLERANCE_SECONDS,
): boolean {
  return asOf === undefined || time <= asOf + tolerance;
}
