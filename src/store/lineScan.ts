/** What a store reads of session lines without decoding entries: names and successors (session-store 1.12), identity, the torn last line (4.3). */
import { hex } from '../bytes/encoding.ts';
import { memorySource } from '../bytes/source.ts';
import { sha256 } from '../crypto/sha256.ts';
import { ByteWriter, inOrder, writeCanonical, writeName } from '../json/canonical.ts';
import { name, OBJECT, Scanner, STRING } from '../json/scan.ts';
import { LineReader } from '../session/lines.ts';

const LINE_FEED = 0x0a;
const TYPE = name('type');
const NAME = name('name');
const REL = name('rel');
const SESSION = name('session');
const FORMAT = name('format');
const ID = name('id');
const INFO = name('info');
const LINK = name('link');
const CONTINUED_IN = name('continued_in');

/** The display name or the successor that an entry's line sets. */
export function lineNames(line: Uint8Array, scanner = new Scanner()): { name?: string; supersededBy?: string } {
  if (!scanner.scan(line) || scanner.kind[0] !== OBJECT) return {};
  const type = scanner.member(0, TYPE);
  const text = (member: ReturnType<typeof name>): string => {
    const node = scanner.member(0, member);
    return node >= 0 && scanner.kind[node] === STRING ? scanner.text(node) : '';
  };
  if (type < 0) return {};
  if (scanner.textIs(type, INFO)) {
    const name = text(NAME);
    return name === '' ? {} : { name };
  }
  if (!scanner.textIs(type, LINK)) return {};
  const rel = scanner.member(0, REL);
  if (rel < 0 || !scanner.textIs(rel, CONTINUED_IN)) return {};
  const supersededBy = text(SESSION);
  return supersededBy === '' ? {} : { supersededBy };
}

const MAYBE_INFO = Buffer.from('"info"');
const MAYBE_LINK = Buffer.from('"continued_in"');
/** How a letter of either word would be escaped. */
const MAYBE_ESCAPED = Buffer.from('\\u00');

/** The last of each over the lines of a session; a line that does not decode is passed over. Successors of a prefix are not its own. */
export function namesOf(bytes: Uint8Array, base: string | undefined): { name?: string; supersededBy?: string } {
  const lines = new LineReader(memorySource(bytes));
  const scanner = new Scanner();
  let found: { name?: string; supersededBy?: string } = {};
  let own = base === undefined;
  lines.next();
  while (lines.next()) {
    const line = lines.bytes.subarray(lines.start, lines.end);
    if (holds(line, MAYBE_INFO) || holds(line, MAYBE_ESCAPED) || (own && holds(line, MAYBE_LINK))) {
      const { name, supersededBy } = lineNames(line, scanner);
      if (name !== undefined) found = { ...found, name };
      if (own && supersededBy !== undefined) found = { ...found, supersededBy };
    }
    if (!own && scanner.scan(line)) {
      const id = scanner.member(0, ID);
      own = id >= 0 && scanner.kind[id] === STRING && scanner.text(id) === base;
    }
  }
  return found;
}

function holds(line: Uint8Array, part: Buffer): boolean {
  return Buffer.from(line.buffer, line.byteOffset, line.length).indexOf(part) >= 0;
}

/** The header line of a session's bytes: where it begins and ends, line end left out. Undefined where all lines are blank. */
export function headerSpan(bytes: Uint8Array): { readonly start: number; readonly end: number } | undefined {
  const lines = new LineReader(memorySource(bytes));
  if (!lines.next()) return undefined;
  return { start: lines.offset, end: lines.offset + (lines.end - lines.start) };
}

/** Session-format 2.7: what tells a session from another of the same id. Empty where the line is no JSON object. */
export function headerIdent(line: Uint8Array): string {
  const scanner = new Scanner();
  if (!scanner.scan(line) || scanner.kind[0] !== OBJECT) return '';
  const out = new ByteWriter();
  out.byte(0x7b);
  let first = true;
  for (const member of inOrder(scanner, 0)) {
    if (scanner.nameIs(member, FORMAT)) continue;
    if (!first) out.byte(0x2c);
    first = false;
    writeName(scanner, member, out);
    writeCanonical(scanner, member, out);
  }
  out.byte(0x7d);
  return `sha256:${hex(sha256(out.view()))}`;
}

/** The first 8 bytes of a hash over a text, for cursors. */
export function shortHash(bytes: Uint8Array): string {
  return hex(sha256(bytes).subarray(0, 8));
}

/** How the lines of a file end. */
interface Ending {
  /** Length of the lines that stay. */
  readonly end: number;
  /** The last line that stays lacks its line feed. */
  readonly lacksLineFeed: boolean;
  /** A torn last line was left out (session-format 1.3). */
  readonly torn: boolean;
}

/** Judges the last line of a session file: torn is only what is not JSON and is followed by nothing. The header is never torn. */
export function endingOf(bytes: Uint8Array): Ending {
  const size = bytes.length;
  const hasLineFeed = size > 0 && bytes[size - 1] === LINE_FEED;
  const contentEnd = hasLineFeed ? size - 1 : size;
  const start = bytes.lastIndexOf(LINE_FEED, contentEnd - 1) + 1;
  const whole = { end: size, lacksLineFeed: !hasLineFeed && size > 0, torn: false };
  const header = headerSpan(bytes);
  if (header === undefined || start <= header.start) return whole;
  let end = contentEnd;
  while (end > start && bytes[end - 1] === 0x0d) end--;
  if (end === start) return whole;
  const scanner = new Scanner();
  if (scanner.scan(bytes, start, end) || scanner.problem?.kind === 'too-deep') return whole;
  return { end: start, lacksLineFeed: false, torn: true };
}
