/** `bide-audit` in process: files, clock and checkers in memory. */

import type { BideIo, CheckerEnd } from '../cmd/bide/io.ts';
import { main } from '../cmd/bide/main.ts';
import { decodeUtf8, utf8 } from '../src/bytes/encoding.ts';
import { Unreadable } from '../src/host/files.ts';

/** A time after every head of the vectors. */
export const AFTER = 1_900_000_000_000_000_000n;

export interface Run {
  readonly status: number;
  readonly out: string;
  readonly err: string;
  readonly written: ReadonlyMap<string, string>;
  /** Files that were opened. */
  readonly opened: readonly string[];
}

export type Files = Readonly<Record<string, string | Uint8Array>>;
/** A checker by its name: what it answers to the text of a policy. */
export type Checkers = Readonly<Record<string, (policy: string) => CheckerEnd>>;

/** Runs one command line. */
export async function bide(
  args: readonly string[],
  files: Files = {},
  {
    checkers = {},
    now = AFTER,
    closed = false,
  }: { readonly checkers?: Checkers; readonly now?: bigint; readonly closed?: boolean } = {},
): Promise<Run> {
  const all = new Map(
    Object.entries(files).map(([name, content]) => [name, typeof content === 'string' ? utf8(content) : content]),
  );
  const written = new Map<string, string>();
  const opened: string[] = [];
  let out = '';
  let err = '';
  const io: BideIo = {
    out(text) {
      if (closed) throw new Error('closed');
      out += text;
    },
    err(text) {
      err += text;
    },
    now: () => now,
    read(path, limit) {
      opened.push(path);
      const bytes = all.get(path);
      if (bytes === undefined) throw new Unreadable('there is no such file');
      if (bytes.length > limit) throw new Unreadable('it is too large', true);
      return bytes;
    },
    exists: (path) => all.has(path),
    folder(path) {
      const inside = [...all.keys()].filter((name) => name.startsWith(`${path}/`));
      if (inside.length === 0) throw new Unreadable('there is no such folder');
      return inside.sort();
    },
    write(path, text) {
      if (path.startsWith('/nowhere')) throw new Unreadable('there is no such folder');
      written.set(path, text);
    },
    runChecker(program, path) {
      const checker = checkers[program];
      if (checker === undefined) return { status: null, reason: 'there is no such file', output: '' };
      return checker(decodeUtf8(all.get(path) ?? new Uint8Array()) ?? '');
    },
    temporary(bytes) {
      const path = `temporary-${all.size}`;
      all.set(path, bytes);
      return { path, remove: () => all.delete(path) };
    },
  };
  const status = await main(args, io);
  return { status, out, err, written, opened };
}
