/** Whether the first bytes of a file are those of an agent session, or of one that lost its header or was re-encoded on the way. */
import { utf8 } from '../bytes/encoding.ts';
import { type Name, name, OBJECT, Scanner, STRING } from '../json/scan.ts';
import { ID, PARENT, TS, TYPE } from './ident.ts';
import { foreignEncoding } from './lines.ts';

const scanner = new Scanner();

/**
 * Judged by the first line that is not blank: a header, in whatever encoding, or an entry. A file without any byte is taken where its
 * name says that it should be one.
 */
export function looksLikeSession(bytes: Uint8Array, size: number, path: string): boolean {
  if (size === 0) return /\.jsonl$/i.test(path);
  const line = firstLine(decode(bytes));
  if (!line.startsWith('{')) return line === '' && bytes.length === size && /\.jsonl$/i.test(path);
  if (scanner.scan(utf8(line))) {
    if (scanner.kind[0] !== OBJECT) return false;
    const is = (member: Name, test: (text: string) => boolean): boolean => {
      const node = scanner.member(0, member);
      return node >= 0 && scanner.kind[node] === STRING && test(scanner.text(node));
    };
    if (is(TYPE, (text) => text === 'session') || is(FORMAT, (text) => text.startsWith('agentsession/'))) return true;
    return scanner.member(0, PARENT) >= 0 && scanner.member(0, TS) >= 0 && is(ID, (text) => HASH.test(text));
  }
  // A first line that is broken, or longer than what is looked at.
  const start = line.slice(0, 4096);
  return /"type"\s{0,8}:\s{0,8}"session"/.test(start) && start.includes('"agentsession/');
}

const HASH = /^sha256:[0-9a-f]{64}$/;
const FORMAT = name('format');

function decode(bytes: Uint8Array): string {
  const foreign = foreignEncoding(bytes);
  if (foreign === undefined || foreign.startsWith('UTF-8')) return new TextDecoder().decode(bytes);
  const bigEndian = bytes[0] === 0 || bytes[0] === 0xfe;
  const even = bytes.subarray(0, bytes.length & ~1);
  return new TextDecoder(bigEndian ? 'utf-16be' : 'utf-16le').decode(even);
}

function firstLine(text: string): string {
  return (
    text
      .split('\n', 64)
      .map((line) => line.trim())
      .find((line) => line !== '') ?? ''
  );
}
