/** Media that a session keeps in files beside itself, each named by its hash: which of them its entries name (session-format 1.13). */
import { hex } from '../bytes/encoding.ts';
import { sha256 } from '../crypto/sha256.ts';
import { type Name, name, OBJECT, Scanner, STRING } from '../json/scan.ts';
import type { Session } from './session.ts';

/** Length of a name and its quotes: `sidecar:sha256:` and 64 digits. An escaped letter is up to six characters. */
const QUOTED = 2 + 15 + 64;
const FIRST = 0x73;
const BACKSLASH = 0x5c;
const HASH = /^sha256:[0-9a-f]{64}$/;
const NAME = /^sidecar:(sha256:[0-9a-f]{64})$/;

/** Members that hold an entry's items, by its type. */
const ITEMS = new Map([
  ['item', [name('item')]],
  ['queued', [name('item')]],
  ['compaction', [name('summary'), name('pinned')]],
  ['branch_summary', [name('summary')]],
]);
const NO_MEMBERS: readonly Name[] = [];
const TYPE = name('type');

export function isHash(text: string): boolean {
  return HASH.test(text);
}

/** The hash in a text that is the name of a blob and nothing else. */
export function blobOf(text: string): string | undefined {
  return NAME.exec(text)?.[1];
}

/** The hash that names these bytes. */
export function blobHash(bytes: Uint8Array): string {
  return `sha256:${hex(sha256(bytes))}`;
}

/** The hashes that a line's items name, each once, in the order they first appear. */
export function sidecarBlobs(line: Uint8Array, scanner: Scanner): readonly string[] {
  if (!scanner.scan(line) || scanner.kind[0] !== OBJECT) return [];
  const type = scanner.member(0, TYPE);
  const found = new Set<string>();
  if (type >= 0 && scanner.kind[type] === STRING) eachBlob(scanner, scanner.text(type), (hash) => found.add(hash));
  return [...found];
}

/** Whether the items of a scanned line of this type name a blob. */
export function namesBlob(scanner: Scanner, type: string): boolean {
  let names = false;
  eachBlob(scanner, type, () => {
    names = true;
  });
  return names;
}

function eachBlob(scanner: Scanner, type: string, found: (hash: string) => void): void {
  for (const member of ITEMS.get(type) ?? NO_MEMBERS) {
    const node = scanner.member(0, member);
    if (node < 0) continue;
    // Rows stand in the order of the text: what follows up to the next value is within this one.
    for (let row = node; row < (scanner.next[node] as number); row++) {
      if (scanner.kind[row] !== STRING) continue;
      // Most strings are told from a name by their length, or by what they begin with.
      const start = scanner.start[row] as number;
      const length = (scanner.end[row] as number) - start;
      if (scanner.textIsPlain(row) ? length !== QUOTED : length <= QUOTED || length > 6 * QUOTED) continue;
      const first = scanner.bytes[start + 1];
      if (first !== FIRST && first !== BACKSLASH) continue;
      const hash = blobOf(scanner.text(row));
      if (hash !== undefined) found(hash);
    }
  }
}

/** The hashes that all entries of a session that hold name, those of a fork's prefix included. */
export function sessionBlobs(session: Session): ReadonlySet<string> {
  const scanner = new Scanner();
  const found = new Set<string>();
  for (let index = 0; index < session.size; index++)
    if (session.usable(index)) for (const hash of sidecarBlobs(session.bytes(index), scanner)) found.add(hash);
  return found;
}
