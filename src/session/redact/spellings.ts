/**
 * Where given texts stand in a text, however they are spelled there: as they are, escaped in JSON (once, or in JSON that is in JSON), in a URL
 * or in HTML, in hexadecimal, and in base64 wherever they begin in it.
 */
import { base64, hex, utf8 } from '../../bytes/encoding.ts';

/** A run of the text, as UTF-16 code units, in which a secret stands, and what is put there. */
export interface Found {
  readonly start: number;
  readonly end: number;
  readonly by: string;
}

/** A text with its escapes read, and for each code unit, and the end, where in the original its spelling begins. */
interface Reading {
  readonly text: string;
  /** Undefined where nothing was escaped. */
  readonly starts: Uint32Array | undefined;
}

interface Needle {
  readonly text: string;
  readonly by: string;
  /** The letter of base64 before it, or behind it, holds bits of the secret too. */
  readonly takesBefore: boolean;
  readonly takesAfter: boolean;
}

/** So often escapes are read: a text in JSON in JSON in a URL needs three times. */
const MOST_READINGS = 6;
/** Hexadecimal and base64 of a few letters would stand in many texts by chance. */
const LEAST_CODED = 6;

const LOOKED_AT = 24;
const MOST_LOOKED_FOR = 5000;

const ESCAPE =
  /\\(?:u[0-9a-fA-F]{4}|["\\/bfnrt])|(?:%[0-9a-fA-F]{2})+|&(?:amp|lt|gt|quot|apos|#[0-9]{1,7}|#[xX][0-9a-fA-F]{1,6});/g;
const SHORT: Readonly<Record<string, string>> = { b: '\b', f: '\f', n: '\n', r: '\r', t: '\t' };
const ENTITIES: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" };

/** Finds each of some texts. Of two that begin in one place the longer is told of. */
export class Spellings {
  readonly #needles: readonly Needle[];
  /** Matches wherever one may begin: one look of this kind at a text is cheaper than one for each. */
  readonly #beginning: RegExp | undefined;
  /** Some of the texts hold a space, which a form in a URL spells as a plus. */
  readonly #haveSpaces: boolean;

  constructor(secrets: ReadonlyMap<string, string>) {
    this.#needles = [...secrets].flatMap(([secret, by]) => needlesOf(secret, by));
    const beginnings = new Set(this.#needles.map(({ text }) => text.slice(0, LOOKED_AT)));
    this.#beginning =
      beginnings.size > MOST_LOOKED_FOR ? undefined : new RegExp([...beginnings].map(literal).join('|'));
    this.#haveSpaces = [...secrets.keys()].some((secret) => secret.includes(' '));
  }

  /** In order of their places, none of them over another. */
  in(text: string): readonly Found[] {
    const found: Found[] = [];
    for (const reading of readings({ text, starts: undefined })) {
      this.#search(reading, found);
      if (!this.#haveSpaces || !reading.text.includes('+')) continue;
      // A form spells a space as a plus, before anything else of it is read.
      const form = { ...reading, text: reading.text.replaceAll('+', ' ') };
      for (const inner of readings(form)) this.#search(inner, found);
    }
    return merged(found);
  }

  #search({ text, starts }: Reading, found: Found[]): void {
    if (this.#beginning?.test(text) === false) return;
    for (const { text: needle, by, takesBefore, takesAfter } of this.#needles) {
      if (needle.length > text.length) continue;
      for (let at = text.indexOf(needle); at >= 0; at = text.indexOf(needle, at + 1)) {
        const from = takesBefore && isBase64(text, at - 1) ? at - 1 : at;
        const to = at + needle.length + (takesAfter && isBase64(text, at + needle.length) ? 1 : 0);
        found.push(starts === undefined ? { start: from, end: to, by } : placed(starts, from, to, by));
      }
    }
  }
}

/** The source of a pattern that matches just this text. */
function literal(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|/-]/g, '\\$&');
}

function placed(starts: Uint32Array, from: number, to: number, by: string): Found {
  return { start: starts[from] as number, end: starts[to] as number, by };
}

function isBase64(text: string, at: number): boolean {
  return at >= 0 && /^[A-Za-z0-9+/_-]$/.test(text.charAt(at));
}

function needlesOf(secret: string, by: string): readonly Needle[] {
  const plain = (text: string): Needle => ({ text, by, takesBefore: false, takesAfter: false });
  const bytes = utf8(secret.replace(/\p{Surrogate}/gu, '\ufffd'));
  if (bytes.length < LEAST_CODED) return [plain(secret)];
  const digits = hex(bytes);
  const needles = [plain(secret), plain(digits), plain(digits.toUpperCase())];
  // In base64 a text begins with one of the three bytes that four letters hold.
  for (const before of [0, 1, 2]) {
    const padded = new Uint8Array(before + bytes.length);
    padded.set(bytes, before);
    const whole = base64(padded);
    const bits = padded.length * 8;
    // Letters that the secret alone decides.
    const core = whole.slice(before === 0 ? 0 : before + 1, Math.floor(bits / 6));
    for (const text of new Set([core, core.replaceAll('+', '-').replaceAll('/', '_')]))
      needles.push({ text, by, takesBefore: before > 0, takesAfter: bits % 6 !== 0 });
  }
  return needles;
}

/** A text as it stands, and with one layer of escapes after the other read. */
function* readings(first: Reading): Iterable<Reading> {
  let reading: Reading | undefined = first;
  for (let i = 0; i <= MOST_READINGS && reading !== undefined; i++) {
    yield reading;
    reading = readEscapes(reading);
  }
}

/** The text with one layer of escapes read; undefined where there is none. */
function readEscapes({ text, starts }: Reading): Reading | undefined {
  ESCAPE.lastIndex = 0;
  let match = ESCAPE.exec(text);
  if (match === null) return undefined;
  const parts: string[] = [];
  const places = new Uint32Array(text.length + 1);
  const placeOf = (at: number): number => (starts === undefined ? at : (starts[at] as number));
  let length = 0;
  let done = 0;
  const copy = (to: number): void => {
    parts.push(text.slice(done, to));
    for (; done < to; done++) places[length++] = placeOf(done);
  };
  const put = (read: string, from: number, to: number): void => {
    copy(from);
    parts.push(read);
    for (let i = 0; i < read.length; i++) places[length++] = placeOf(from);
    done = to;
  };
  let isRead = false;
  for (; match !== null; match = ESCAPE.exec(text)) {
    const [spelled] = match;
    const { index } = match;
    if (spelled.startsWith('%')) {
      for (const { at, read } of percentCharacters(spelled)) {
        put(read, index + at, index + at + 3 * utf8(read).length);
        isRead = true;
      }
    } else {
      put(spelled.startsWith('&') ? entity(spelled.slice(1, -1)) : jsonEscape(spelled), index, index + spelled.length);
      isRead = true;
    }
  }
  if (!isRead) return undefined;
  copy(text.length);
  places[length] = placeOf(text.length);
  return { text: parts.join(''), starts: places.subarray(0, length + 1) };
}

function jsonEscape(spelled: string): string {
  const letter = spelled.charAt(1);
  return letter === 'u' ? String.fromCharCode(Number.parseInt(spelled.slice(2), 16)) : (SHORT[letter] ?? letter);
}

function entity(name: string): string {
  if (!name.startsWith('#')) return ENTITIES[name] ?? '';
  const point = /^#[xX]/.test(name) ? Number.parseInt(name.slice(2), 16) : Number.parseInt(name.slice(1), 10);
  return point <= 0x10ffff ? String.fromCodePoint(point) : '\ufffd';
}

const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** The characters that a run of `%XX` spells in UTF-8; bytes that are none are left as they stand. */
function* percentCharacters(run: string): Iterable<{ readonly at: number; readonly read: string }> {
  const bytes = Uint8Array.from({ length: run.length / 3 }, (_, i) =>
    Number.parseInt(run.slice(3 * i + 1, 3 * i + 3), 16),
  );
  for (let i = 0; i < bytes.length; ) {
    const first = bytes[i] as number;
    const length = first < 0x80 ? 1 : first < 0xe0 ? 2 : first < 0xf0 ? 3 : 4;
    let read: string | undefined;
    try {
      read = decoder.decode(bytes.subarray(i, i + length));
    } catch {
      read = undefined;
    }
    if (read !== undefined) yield { at: 3 * i, read };
    i += read === undefined ? 1 : length;
  }
}

/** What overlaps is one run: what stands there is of the one that begins first, or of the longer. */
function merged(found: Found[]): readonly Found[] {
  if (found.length < 2) return found;
  found.sort((a, b) => a.start - b.start || b.end - a.end);
  const runs: Found[] = [];
  for (const next of found) {
    const last = runs.at(-1);
    if (last === undefined || next.start >= last.end) runs.push(next);
    else if (next.end > last.end) runs[runs.length - 1] = { ...last, end: next.end };
  }
  return runs;
}
