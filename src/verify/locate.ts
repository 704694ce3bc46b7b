/** Line and column of findings that know their byte, for people and tools that count lines. One pass over the input, for text only. */
import type { ByteSource } from '../bytes/source.ts';
import type { Finding } from '../finding/finding.ts';

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

/** Positions of byte offsets; none once a zero byte shows that the input is not text. */
function positionsOf(source: ByteSource, offsets: ReadonlySet<number>): ReadonlyMap<number, Position> {
  const sorted = [...offsets].sort((a, b) => a - b);
  const positions = new Map<number, Position>();
  let next = 0;
  let line = 1;
  let column = 1;
  for (let at = 0; at < source.size && next < sorted.length; ) {
    for (const byte of source.read(at, CHUNK)) {
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
