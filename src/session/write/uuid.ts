/** Ids of sessions: session-format 12.4. */
import { sha1 } from '@noble/hashes/legacy.js';
import { concat, hex, utf8 } from '../../bytes/encoding.ts';

function spelled(bytes: Uint8Array, version: number): string {
  const id = bytes.slice(0, 16);
  id[6] = ((id[6] as number) & 0x0f) | (version << 4);
  id[8] = ((id[8] as number) & 0x3f) | 0x80;
  const text = hex(id);
  return [text.slice(0, 8), text.slice(8, 12), text.slice(12, 16), text.slice(16, 20), text.slice(20)].join('-');
}

/** UUIDv7: 48 bits of Unix milliseconds, the rest random. */
export function uuidV7(milliseconds: number, random: Uint8Array = crypto.getRandomValues(new Uint8Array(10))): string {
  const bytes = new Uint8Array(16);
  new DataView(bytes.buffer).setBigUint64(0, BigInt(milliseconds) << 16n);
  bytes.set(random.subarray(0, 10), 6);
  return spelled(bytes, 7);
}

/** UUIDv5 under the nil namespace. SHA-1 is what the UUID is made of; nothing relies on its strength. */
function uuidV5(name: string): string {
  return spelled(sha1(concat(new Uint8Array(16), utf8(name))), 5);
}

/** The id of the session that a call starts; `attempt` from the second one on (draft 0.10). */
export function subsessionId(parent: string, callId: string, attempt?: number): string {
  return uuidV5(`${parent}/${callId}${attempt === undefined ? '' : `/${attempt}`}`);
}

/** The id of the redaction of a session under a profile (11.7). */
export function redactedSessionId(original: string, profile: string): string {
  const text = (value: string): string => JSON.stringify(value.replace(/\p{Surrogate}/gu, '\ufffd'));
  return uuidV5(`["redacted",${text(original)},${text(profile)}]`);
}
