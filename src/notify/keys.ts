/**
 * Event keys, delivery IDs and trail names (notifications 5 and 6). A key is never built and, but for the two documented prefixes, never
 * taken apart (5.4): what an event is about stands in its record's members.
 */
import { hex, utf8 } from '../bytes/encoding.ts';
import { sha256 } from '../crypto/sha256.ts';
import { parseInstant } from '../time/instant.ts';
import { dayOf } from './time.ts';

/** Keys above this many bytes make a record malformed (15, "Limits"). */
export const MAX_KEY_BYTES = 4096;

/** The delivery ID of an event: the same on every attempt, process and restart (5.1). */
export function notifyID(key: string): string {
  return hex(sha256(utf8(key)));
}

const ESCALATION = /^escalated:([1-9][0-9]*):(.+)$/s;
const FAN_OUT = /^to:([a-z0-9_-]{1,32}):(.+)$/s;
const RECEIVER = /^[a-z0-9_-]{1,32}$/;

/** Level and original key of an escalation key (5.2). A level past 2^53 is given as Infinity: it is above every chain all the same. */
export function parseEscalationKey(key: string): { readonly level: number; readonly orig: string } | undefined {
  if (!key.startsWith('escalated:')) return undefined;
  const match = ESCALATION.exec(key);
  if (match === null) return undefined;
  const level = Number(match[1]);
  return { level: Number.isSafeInteger(level) ? level : Number.POSITIVE_INFINITY, orig: match[2] as string };
}

/** Receiver and base of one delivery of a fan-out (5.2). */
export function splitToKey(key: string): { readonly receiver: string; readonly base: string } | undefined {
  if (!key.startsWith('to:')) return undefined;
  const match = FAN_OUT.exec(key);
  return match === null ? undefined : { receiver: match[1] as string, base: match[2] as string };
}

/** The key without its fan-out prefix; one prefix is removed, not several. */
export function stripTo(key: string): string {
  return splitToKey(key)?.base ?? key;
}

export function validReceiver(name: string): boolean {
  return RECEIVER.test(name) && name !== 'default';
}

const PLAIN = /^[A-Za-z0-9._-]*$/;

/** The ID escape of journal 3.1, for run IDs that are known only from a trail's name. */
export function encodeID(id: string): string {
  if (id.length <= 96 && PLAIN.test(id)) return id;
  const bytes = utf8(id);
  let text = '';
  for (const byte of bytes) {
    const character = String.fromCharCode(byte);
    text += byte < 128 && PLAIN.test(character) ? character : `%${byte.toString(16).toUpperCase().padStart(2, '0')}`;
    if (text.length > 96) return `~${hex(sha256(bytes))}`;
  }
  return text;
}

const SEGMENT = /^notify:@open[^0-9A-Za-z]?(\d{4})-?(\d{2})-?(\d{2})$/;
const INDEX = /^notify:@open[^0-9]*[^0-9](\d{4})$/;

/** The UTC day of a segment's name as `YYYY-MM-DD`; undefined when the name gives none. */
export function segmentDay(name: string): string | undefined {
  const match = SEGMENT.exec(name);
  if (match === null) return undefined;
  const day = `${match[1]}-${match[2]}-${match[3]}`;
  return dayNumber(day) === undefined ? undefined : day;
}

/** The UTC year of an index's name. */
export function indexYear(name: string): number | undefined {
  const match = INDEX.exec(name);
  return match === null ? undefined : Number(match[1]);
}

/** Days since 1970-01-01 of `YYYY-MM-DD`; undefined when there is no such day. */
export function dayNumber(day: string): bigint | undefined {
  const instant = parseInstant(`${day}T00:00:00Z`);
  return instant === undefined ? undefined : dayOf(instant);
}

export type Role = 'run' | 'digest' | 'open';

export function roleOf(trail: string): Role {
  if (trail === 'notify:@digest') return 'digest';
  return trail.startsWith('notify:@open') ? 'open' : 'run';
}
