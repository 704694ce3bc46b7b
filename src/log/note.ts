/**
 * Signed notes (`interop.md` 1.1, steps numbered as there) and the cosignatures that stand in them (1.3): reading, verifying, writing.
 * Everything is done on the bytes as they are; nothing is printed again before it is hashed.
 */
import { base64, concat, decodeUtf8, unbase64, unhex, utf8 } from '../bytes/encoding.ts';
import { type Checkpoint, parseCheckpoint } from './checkpoint.ts';
import { cosignatureMessage, splitCosignature } from './cosignature.ts';
import { type Fault, type Result, refuse } from './fault.ts';
import { ED25519_NOTE, isKeyName, type NoteKey, type NoteSigner } from './noteKey.ts';

const MAX_BYTES = 1 << 20;
const MAX_SIGNATURES = 100;
const PREFIX = '\u2014 ';

export interface SignatureLine {
  readonly name: string;
  /** Key id, eight lowercase hexadecimal digits. */
  readonly id: string;
  readonly signature: Uint8Array;
  /** 1-based line of the note. */
  readonly line: number;
}

export interface Note {
  /** The signed text with its final line feed. */
  readonly text: Uint8Array;
  readonly signatures: readonly SignatureLine[];
}

/** Steps 1 to 4: a note, or the first rule that its bytes break. */
export function parseNote(bytes: Uint8Array): Result<Note> {
  // 1.
  if (bytes.length > MAX_BYTES)
    return refuse('too-large', 'the note is larger than 1 MiB', {
      expected: `at most ${MAX_BYTES} bytes`,
      actual: String(bytes.length),
    });
  if (decodeUtf8(bytes) === undefined) return refuse('utf8', 'the note is not UTF-8');
  const control = bytes.findIndex((byte) => byte < 0x20 && byte !== 0x0a);
  if (control >= 0)
    return refuse('control', `the note holds the control character ${controlName(bytes[control] as number)}`, {
      line: lineAt(bytes, control),
      expected: 'no character below U+0020 but line feeds',
      actual: controlName(bytes[control] as number),
    });
  // 2.
  const blank = lastBlankLine(bytes);
  if (blank === undefined) return refuse('no-blank-line', 'no empty line separates a text from signatures');
  const text = bytes.slice(0, blank + 1);
  const block = bytes.subarray(blank + 2);
  const firstLine = lineAt(bytes, blank + 2);
  // 3.
  if (block.length === 0) return refuse('no-signature', 'nothing follows the empty line: the note is not signed');
  if (block.at(-1) !== 0x0a) return refuse('final-newline', 'the last line is cut off: it does not end in a line feed');
  const lines = (decodeUtf8(block) as string).split('\n').slice(0, -1);
  if (lines.length > MAX_SIGNATURES)
    return refuse('too-many', 'the note has too many signature lines', {
      expected: `at most ${MAX_SIGNATURES}`,
      actual: String(lines.length),
    });
  // 4.
  const signatures: SignatureLine[] = [];
  for (const [i, content] of lines.entries()) {
    const parsed = parseSignatureLine(content, firstLine + i);
    if (!parsed.ok) return parsed;
    signatures.push(parsed.value);
  }
  return { ok: true, value: { text, signatures } };
}

function parseSignatureLine(content: string, line: number): Result<SignatureLine> {
  const parts = content.slice(PREFIX.length).split(' ');
  if (!content.startsWith(PREFIX) || parts.length !== 2)
    return refuse('signature-line', 'a signature line is an em dash, a name and base64, one space between each', {
      line,
      actual: content.slice(0, 120),
    });
  const [name, encoded] = parts as [string, string];
  if (!isKeyName(name))
    return refuse('key-name', 'the name in the signature line is empty or holds a plus or white space', {
      line,
      actual: name.slice(0, 120),
    });
  const bytes = unbase64(encoded);
  if (bytes === undefined)
    return refuse('base64', 'the signature is not standard padded base64', { line, actual: encoded.slice(0, 120) });
  if (bytes.length < 5)
    return refuse('signature-short', 'the line holds no signature after the key id', {
      line,
      actual: `${bytes.length} bytes`,
    });
  const id = [...bytes.subarray(0, 4)].map((byte) => byte.toString(16).padStart(2, '0')).join('');
  return { ok: true, value: { name, id, signature: bytes.slice(4), line } };
}

/** A key that signed the text, with the time that a cosignature states. */
export interface NoteSignature {
  readonly key: NoteKey;
  /** POSIX seconds, of a cosignature; the word of the witness. */
  readonly time?: bigint;
}

export interface CheckedNote {
  readonly note: Note;
  /** Each key once, in the order of the lines (step 7). */
  readonly by: readonly NoteSignature[];
  /** Lines of keys that are not known. */
  readonly unknown: readonly SignatureLine[];
  /** Lines of known keys of a type that is never verified here. */
  readonly unsupported: readonly SignatureLine[];
  /** Every line of a known key that does not verify; one refuses the whole note (step 6). */
  readonly faults: readonly Fault[];
}

/** Steps 5 and 6 over all lines, so that a report names every failing one. */
export function checkSignatures(note: Note, keys: readonly NoteKey[]): CheckedNote {
  const by = new Map<NoteKey, NoteSignature>();
  const unknown: SignatureLine[] = [];
  const unsupported: SignatureLine[] = [];
  const faults: Fault[] = [];
  let checkpoint: Result<Checkpoint> | undefined;
  for (const line of note.signatures) {
    const known = keys.filter((key) => key.name === line.name && key.id === line.id);
    if (known.length === 0) unknown.push(line);
    for (const key of known) {
      if (key.verify === undefined) {
        unsupported.push(line);
        continue;
      }
      const checked = verifyLine(note, line, key, () => {
        checkpoint ??= parseCheckpoint(note.text);
        return checkpoint;
      });
      if (!checked.ok) faults.push(checked.fault);
      else if (!by.has(key)) by.set(key, checked.value);
    }
  }
  return { note, by: [...by.values()], unknown, unsupported, faults };
}

function verifyLine(
  note: Note,
  { signature, line }: SignatureLine,
  key: NoteKey,
  checkpoint: () => Result<Checkpoint>,
): Result<NoteSignature> {
  const failed = (why: string) =>
    refuse('signature', `the signature of ${key.name} ${why}`, {
      line,
      expected: `a signature by ${key.name}+${key.id}`,
    });
  const holds = (bytes: Uint8Array, message: Uint8Array) => key.verify?.(bytes, message) === true;
  if (key.type === ED25519_NOTE)
    return holds(signature, note.text) ? { ok: true, value: { key } } : failed('does not hold over this text');
  const parsed = checkpoint();
  if (!parsed.ok) return parsed;
  const parts = splitCosignature(key.type, signature);
  if (parts === undefined) return failed('is not a time and a cosignature of its type');
  const message = cosignatureMessage(key.type, key.name, parts.time, note.text, parsed.value);
  return message !== undefined && holds(parts.signature, message)
    ? { ok: true, value: { key, time: parts.time } }
    : failed('does not hold over this checkpoint and time');
}

/** All steps: the text may be used, as said by the keys named, only when this gives `ok`. */
export function verifyNote(bytes: Uint8Array, keys: readonly NoteKey[]): Result<CheckedNote> {
  const parsed = parseNote(bytes);
  if (!parsed.ok) return parsed;
  const checked = checkSignatures(parsed.value, keys);
  const [fault] = checked.faults;
  if (fault !== undefined) return { ok: false, fault };
  // 7.
  if (checked.by.length === 0)
    return refuse('no-known-signature', 'no known key signed the note, so its text is nobody’s word', {
      expected: keys.map(({ name, id }) => `${name}+${id}`).join('; ') || 'a known key',
      actual: parsed.value.signatures.map(({ name, id }) => `${name}+${id}`).join('; '),
    });
  return { ok: true, value: checked };
}

/**
 * A note over a text that ends in a line feed, signed once. Throws RangeError for a text that is no text of a note.
 */
export function signNote(text: string, by: NoteSigner): Uint8Array {
  const bytes = utf8(text);
  if (!text.endsWith('\n') || bytes.some((byte) => byte < 0x20 && byte !== 0x0a) || /\p{Surrogate}/u.test(text))
    throw new RangeError('the text of a note ends in a line feed and holds no other control character');
  if (by.type !== ED25519_NOTE) throw new RangeError('a note is signed first by the key of its log');
  return concat(bytes, utf8('\n'), signatureLine(by, by.sign(bytes)));
}

/**
 * The note with one more cosignature at its end; no line that is there is written anew.
 *
 * @param time POSIX seconds, 0 <= time < 2^63
 */
export function cosign(note: Uint8Array, by: NoteSigner, time: bigint): Result<Uint8Array> {
  const parsed = parseNote(note);
  if (!parsed.ok) return parsed;
  const checkpoint = parseCheckpoint(parsed.value.text);
  if (!checkpoint.ok) return checkpoint;
  if (time < 0n || time >= 1n << 63n) throw new RangeError(`${time} is no time of a cosignature`);
  const message = cosignatureMessage(by.type, by.name, time, parsed.value.text, checkpoint.value);
  if (message === undefined) throw new RangeError(`a key of type ${by.type} does not cosign, or a name is too long`);
  const seconds = new Uint8Array(8);
  new DataView(seconds.buffer).setBigUint64(0, time);
  return { ok: true, value: concat(note, signatureLine(by, concat(seconds, by.sign(message)))) };
}

function signatureLine({ name, id }: NoteSigner, signature: Uint8Array): Uint8Array {
  return utf8(`${PREFIX}${name} ${base64(concat(unhex(id) as Uint8Array, signature))}\n`);
}

function lastBlankLine(bytes: Uint8Array): number | undefined {
  for (let i = bytes.length - 2; i >= 0; i--) if (bytes[i] === 0x0a && bytes[i + 1] === 0x0a) return i;
  return undefined;
}

function lineAt(bytes: Uint8Array, offset: number): number {
  let line = 1;
  for (let i = 0; i < offset; i++) if (bytes[i] === 0x0a) line++;
  return line;
}

function controlName(byte: number): string {
  return `U+${byte.toString(16).toUpperCase().padStart(4, '0')}`;
}
