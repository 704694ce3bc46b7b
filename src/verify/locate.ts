/** Line and column of findings that know their byte, for people and tools that count lines. One pass over the input, for text only. */
import { decodeUtf8, hex } from '../bytes/encoding.ts';
import { type ByteSource, readExactly } from '../bytes/source.ts';
import type { Finding } from '../finding/finding.ts';
import { visible } from '../finding/visible.ts';

const CHUNK = 1 << 20;

interface Position {
  readonly line: number;
  readonly column: number;
}

/** Adds line and columns (UTF-16 code units) to every finding with a byte offset, where the bytes before it are text. */
export function locate(source: ByteSource, findings: readonly Finding[]): readonly Finding[] {
  const offsets = new Set<number>();
  for (const { where } of findings) {
    if (where.byte === undefined) continue;
    offsets.add(where.byte);
    if (where.length !== undefined) offsets.add(where.byte + where.length);
  }
  if (offsets.size === 0) return findings;
  const positions = positionsOf(source, offsets);
  return findings.map((finding) => {
    const { where } = finding;
    const start = where.byte === undefined ? undefined : positions.get(where.byte);
    if (start === undefined || (where.line !== undefined && where.line !== start.line)) return finding;
    const end = where.length === undefined ? undefined : positions.get((where.byte ?? 0) + where.length);
    const endColumn = end?.line === start.line && end.column > start.column ? { endColumn: end.column } : {};
    return { ...finding, where: { ...where, line: start.line, column: start.column, ...endColumn } };
  });
}

/** However early the last offset is, so much of the input shows whether it is text. */
const SHOWS_TEXT = 64 * 1024;

/** Positions of byte offsets; none once a zero byte shows that the input is not text. */
function positionsOf(source: ByteSource, offsets: ReadonlySet<number>): ReadonlyMap<number, Position> {
  const sorted = [...offsets].sort((a, b) => a - b);
  const positions = new Map<number, Position>();
  let next = 0;
  let line = 1;
  let column = 1;
  const end = Math.min(source.size, Math.max(SHOWS_TEXT, (sorted.at(-1) ?? 0) + 1));
  for (let at = 0; at < end; ) {
    for (const byte of source.read(at, Math.min(CHUNK, end - at))) {
      if (at === sorted[next]) positions.set(sorted[next++] as number, { line, column });
      if (byte === 0) return new Map();
      if (byte === 0x0a) {
        line++;
        column = 1;
      } else if ((byte & 0xc0) !== 0x80) column += byte >= 0xf0 ? 2 : 1;
      at++;
    }
  }
  if (next < sorted.length && sorted[next] === source.size) positions.set(source.size, { line, column });
  return positions;
}

const EXCERPT_BYTES = 96;
/** Findings that are given an excerpt; one in a hundred thousand needs no copy of the file. */
const EXCERPTS = 100;

/** The bytes that the first findings are about, as text where they are text. */
export function excerpts(source: ByteSource, findings: readonly Finding[]): readonly (string | undefined)[] {
  let left = EXCERPTS;
  return findings.map(({ where }) => {
    if (where.byte === undefined || where.byte >= source.size || left-- <= 0) return undefined;
    const most = Math.min(where.length ?? EXCERPT_BYTES, EXCERPT_BYTES, source.size - where.byte);
    const bytes = readExactly(source, where.byte, most);
    const end = bytes.indexOf(0x0a);
    return asText(end < 0 ? bytes : bytes.subarray(0, end));
  });
}

/** Text with its last, perhaps cut character left out; hex for anything that is not text. */
function asText(bytes: Uint8Array): string | undefined {
  if (bytes.length === 0) return undefined;
  for (let cut = 0; cut < 4 && cut < bytes.length; cut++) {
    const text = decodeUtf8(bytes.subarray(0, bytes.length - cut));
    if (text !== undefined) return visible(text);
  }
  return hex(bytes);
}
