/** Run ids and the ID escape (journal 1.1 and 3.1). */
import { decodeUtf8, hex, utf8 } from '../bytes/encoding.ts';
import { sha256 } from '../crypto/sha256.ts';

const LONGEST = 96;
const ESCAPE = /[^A-Za-z0-9._-]/;
/** Code units that stand for themselves. */
const PLAIN = new Uint8Array(128);
for (const letter of 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789._-')
  PLAIN[letter.charCodeAt(0)] = 1;

/** Whether an id is its own escaped form, as most are. */
function isPlain(id: string): boolean {
  if (id.length > LONGEST) return false;
  for (let i = 0; i < id.length; i++) if (PLAIN[id.charCodeAt(i)] !== 1) return false;
  return true;
}

/** `enc(id)`: any id as a segment that holds none of `: / > @`; `~` only begins a digest (journal 3.1). */
export function encodeId(id: string): string {
  if (isPlain(id)) return id;
  const bytes = utf8(id);
  let text = '';
  for (const byte of bytes) {
    const character = String.fromCharCode(byte);
    text += byte < 0x80 && !ESCAPE.test(character) ? character : `%${byte.toString(16).toUpperCase().padStart(2, '0')}`;
    if (text.length > LONGEST) return `~${hex(sha256(bytes))}`;
  }
  return text;
}

/** The id of an escaped one; undefined for a digest, which cannot be decoded, and for what is no escape. */
export function decodeId(encoded: string): string | undefined {
  if (encoded.length > LONGEST || !/^(?:[A-Za-z0-9._-]|%[0-9A-F]{2})*$/.test(encoded)) return undefined;
  const bytes: number[] = [];
  for (let i = 0; i < encoded.length; i++) {
    if (encoded[i] !== '%') bytes.push(encoded.charCodeAt(i));
    else {
      bytes.push(Number.parseInt(encoded.slice(i + 1, i + 3), 16));
      i += 2;
    }
  }
  const id = decodeUtf8(Uint8Array.from(bytes));
  return id !== undefined && encodeId(id) === encoded ? id : undefined;
}

/** Whether text is an escaped id of either form. */
export function isEncodedId(text: string): boolean {
  return isPlain(text) || /^~[0-9a-f]{64}$/.test(text) || decodeId(text) !== undefined;
}

/** Whether a name is a prefix and the escaped form of an id. */
export function isNameOf(name: string, prefix: string, id: string): boolean {
  const c = encodeId(id);
  return name.length === prefix.length + c.length && name.endsWith(c) && name.startsWith(prefix);
}

/** A valid id of a root run: not empty, without `>`. */
export function isRootRunId(id: string): boolean {
  return id !== '' && !id.includes('>');
}

/** The run of the sub-agent that a call started. */
export function subRunId(parent: string, toolUseId: string): string {
  return `${parent}>${encodeId(toolUseId)}`;
}

/** A run started by a program, in the scope of a call or of the run. */
export function programSubRunId(scope: string, name: string): string {
  return `${scope}>step:${encodeId(name)}`;
}

export function isSubRun(id: string): boolean {
  const last = id.lastIndexOf('>');
  return last >= 0 && id[last + 1] !== '@';
}

export function isSessionRun(id: string): boolean {
  return id.includes('>') && !isSubRun(id);
}

/** The run at the top of the tree that a run belongs to: a session turn is a root of its own. */
export function rootRunId(id: string): string {
  const first = id.indexOf('>');
  if (first < 0) return id;
  if (id[first + 1] !== '@') return id.slice(0, first);
  const next = id.indexOf('>', first + 1);
  return next < 0 ? id : id.slice(0, next);
}

export function sessionRunId(session: string): string {
  return `${session}>@session`;
}
export function sendTurnRunId(session: string, turn: number): string {
  return `${session}>@turn/${turn}`;
}
export function eventTurnRunId(session: string, key: string): string {
  return `${session}>@event/${encodeId(key)}`;
}
