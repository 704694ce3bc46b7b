/**
 * Where given texts stand in a text, however they are spelled there: as they are, escaped in JSON (once, or in JSON that is in JSON), in a URL
 * or in HTML, in hexadecimal, and in base64 wherever they begin in it.
 */
import { base64, decodeUtf8, hex, utf8 } from '../../bytes/encoding.ts';

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

/** So many ways of reading a piece of a text are tried, those with few layers of escapes first. */
const MOST_READINGS = 64;
/** Long texts are read in pieces of so many code units, which overlap by what a secret may take: so many for each of its own, and some. */
const PIECE = 1 << 18;
const SPELLED = 24;
const LEAST_OVERLAP = 1 << 12;
/** Hexadecimal and base64 of a few letters would stand in many texts by chance. */
const LEAST_CODED = 6;

const LOOKED_AT = 24;
const MOST_LOOKED_FOR = 5000;

/** A kind of escapes: where they may stand, and what each is read as. */
interface Kind {
  readonly pattern: RegExp;
  /** The characters that an escape stands for, each with its place and length in it. */
  read(spelled: string): Iterable<{ readonly at: number; readonly length: number; readonly read: string }>;
}

const SHORT: Readonly<Record<string, string>> = { b: '\b', f: '\f', n: '\n', r: '\r', t: '\t' };
const ENTITIES: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" };

/** Finds each of some texts. Of two that begin in one place the longer is told of. */
export class Spellings {
  readonly #needles: readonly Needle[];
  /** Matches wherever one may begin: one look of this kind at a text is cheaper than one for each. */
  readonly #beginning: RegExp | undefined;
  /** Some of the texts hold a space, which a form in a URL spells as a plus. */
  readonly #haveSpaces: boolean;
  readonly #overlap: number;

  constructor(secrets: ReadonlyMap<string, string>) {
    this.#needles = [...secrets].flatMap(([secret, by]) => needlesOf(secret, by));
    const beginnings = new Set(this.#needles.map(({ text }) => text.slice(0, LOOKED_AT)));
    this.#beginning =
      beginnings.size > MOST_LOOKED_FOR ? undefined : new RegExp([...beginnings].map(literal).join('|'));
    const longest = Math.max(0, ...[...secrets.keys()].map(({ length }) => length));
    this.#overlap = LEAST_OVERLAP + SPELLED * longest;
    this.#haveSpaces = [...secrets.keys()].some((secret) => secret.includes(' '));
  }

  /** In order of their places, none of them over another. */
  in(text: string): readonly Found[] {
    const found: Found[] = [];
    const kinds = this.#haveSpaces ? [...KINDS, FORM] : KINDS;
    for (let from = 0; from === 0 || from + this.#overlap < text.length; from += PIECE)
      for (const reading of readings(text.slice(from, from + PIECE + this.#overlap), kinds))
        this.#search(reading, from, found);
    return merged(found);
  }

  #search({ text, starts }: Reading, offset: number, found: Found[]): void {
    if (this.#beginning?.test(text) === false) return;
    for (const { text: needle, by, takesBefore, takesAfter } of this.#needles) {
      if (needle.length > text.length) continue;
      for (let at = text.indexOf(needle); at >= 0; at = text.indexOf(needle, at + 1)) {
        const from = takesBefore && isBase64(text, at - 1) ? at - 1 : at;
        const to = at + needle.length + (takesAfter && isBase64(text, at + needle.length) ? 1 : 0);
        const [start, end] = starts === undefined ? [from, to] : [starts[from] as number, starts[to] as number];
        found.push({ start: offset + start, end: offset + end, by });
      }
    }
  }
}

/** The source of a pattern that matches just this text. */
function literal(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|/-]/g, '\\$&');
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

/**
 * A text as it stands, and with layers of escapes read, of one kind after the other: what a secret itself has of one kind is not read with what
 * another kind made of it.
 */
function* readings(text: string, kinds: readonly Kind[]): Iterable<Reading> {
  const seen = new Set([text]);
  const waiting: Reading[] = [{ text, starts: undefined }];
  for (let reading = waiting.shift(); reading !== undefined; reading = waiting.shift()) {
    yield reading;
    for (const kind of kinds) {
      if (seen.size === MOST_READINGS) break;
      const inner = readEscapes(reading, kind);
      if (inner === undefined || seen.has(inner.text)) continue;
      seen.add(inner.text);
      waiting.push(inner);
    }
  }
}

/** The text with one layer of escapes of a kind read; undefined where there is none. */
function readEscapes({ text, starts }: Reading, kind: Kind): Reading | undefined {
  const { pattern } = kind;
  pattern.lastIndex = 0;
  let match = pattern.exec(text);
  if (match === null) return undefined;
  const parts: string[] = [];
  const places = new Uint32Array(text.length + 1);
  const placeOf = (at: number): number => (starts === undefined ? at : (starts[at] as number));
  let length = 0;
  let done = 0;
  let isRead = false;
  const copy = (to: number): void => {
    parts.push(text.slice(done, to));
    for (; done < to; done++) places[length++] = placeOf(done);
  };
  for (; match !== null; match = pattern.exec(text))
    for (const { at, length: spelled, read } of kind.read(match[0])) {
      copy(match.index + at);
      parts.push(read);
      for (let i = 0; i < read.length; i++) places[length++] = placeOf(done);
      done += spelled;
      isRead = true;
    }
  if (!isRead) return undefined;
  copy(text.length);
  places[length] = placeOf(text.length);
  return { text: parts.join(''), starts: places.subarray(0, length + 1) };
}

/** A kind of which each match stands for one text. */
function single(pattern: RegExp, read: (spelled: string) => string): Kind {
  return { pattern, read: (spelled) => [{ at: 0, length: spelled.length, read: read(spelled) }] };
}

const JSON_ESCAPES = single(/\\(?:u[0-9a-fA-F]{4}|["\\/bfnrt])/g, (spelled) => {
  const letter = spelled.charAt(1);
  return letter === 'u' ? String.fromCharCode(Number.parseInt(spelled.slice(2), 16)) : (SHORT[letter] ?? letter);
});

const HTML_ENTITIES = single(/&(?:amp|lt|gt|quot|apos|#[0-9]{1,7}|#[xX][0-9a-fA-F]{1,6});/g, (spelled) => {
  const name = spelled.slice(1, -1);
  if (!name.startsWith('#')) return ENTITIES[name] ?? '';
  const point = /^#[xX]/.test(name) ? Number.parseInt(name.slice(2), 16) : Number.parseInt(name.slice(1), 10);
  return point <= 0x10ffff ? String.fromCodePoint(point) : '\ufffd';
});

const PERCENTS: Kind = { pattern: /(?:%[0-9a-fA-F]{2})+/g, read: percentCharacters };

const KINDS: readonly Kind[] = [JSON_ESCAPES, PERCENTS, HTML_ENTITIES];
/** A form spells a space as a plus, before anything else of it is read. */
const FORM = single(/\+/g, () => ' ');

/** The characters that a run of `%XX` spells in UTF-8; bytes that are none are left as they stand. */
function* percentCharacters(
  run: string,
): Iterable<{ readonly at: number; readonly length: number; readonly read: string }> {
  const bytes = Uint8Array.from({ length: run.length / 3 }, (_, i) =>
    Number.parseInt(run.slice(3 * i + 1, 3 * i + 3), 16),
  );
  for (let i = 0; i < bytes.length; ) {
    const first = bytes[i] as number;
    const length = first < 0x80 ? 1 : first < 0xe0 ? 2 : first < 0xf0 ? 3 : 4;
    const isContinued = bytes.subarray(i + 1, i + length).every((byte) => (byte & 0xc0) === 0x80);
    // Only what may be a character is decoded: to fail costs a hundred times as much.
    const mayBe = first < 0x80 || (first >= 0xc2 && first <= 0xf4 && i + length <= bytes.length && isContinued);
    const read = !mayBe
      ? undefined
      : first < 0x80
        ? String.fromCharCode(first)
        : decodeUtf8(bytes.subarray(i, i + length));
    if (read !== undefined) yield { at: 3 * i, length: 3 * length, read };
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
