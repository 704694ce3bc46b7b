/** The command line in process: files in memory or on disk, output collected, a clock that says what a test wants. */
import { readFileSync } from 'node:fs';
import { main } from '../../cmd/main.ts';
import { type ByteSource, memorySource } from '../../src/bytes/source.ts';
import { openFile, readFile, Unreadable } from '../../src/host/files.ts';

export interface Ran {
  readonly status: number;
  readonly out: string;
  readonly err: string;
  readonly written: ReadonlyMap<string, string>;
}

export interface Given {
  readonly stdin?: Uint8Array;
  readonly clock?: bigint;
  readonly env?: Record<string, string>;
  readonly terminal?: boolean;
  readonly width?: number;
  readonly height?: number;
}

/** Runs `audit` with these arguments. Files that commands write through their Io are kept in memory. */
export async function audit(argv: readonly string[], given: Given = {}): Promise<Ran> {
  const out: string[] = [];
  let err = '';
  const written = new Map<string, string>();
  const decoder = new TextDecoder();
  const open = (path: string): ByteSource =>
    path === '-' ? memorySource(given.stdin ?? new Uint8Array(0)) : openFile(path);
  const status = await main(argv, {
    out: (text) => out.push(typeof text === 'string' ? text : decoder.decode(text)),
    err: (text) => {
      err += text;
    },
    outIsTerminal: given.terminal ?? false,
    errIsTerminal: given.terminal ?? false,
    width: given.width ?? 80,
    height: given.height ?? 24,
    env: given.env ?? {},
    clock: () => {
      if (given.clock === undefined) throw new Unreadable('the clock was read');
      return given.clock;
    },
    open,
    read: (path) => (path === '-' ? (given.stdin ?? new Uint8Array(0)) : readFile(path)),
    writer: (path) => {
      written.set(path, '');
      return (text) => written.set(path, written.get(path) + (typeof text === 'string' ? text : decoder.decode(text)));
    },
    write: (path, bytes) => {
      written.set(path, typeof bytes === 'string' ? bytes : decoder.decode(bytes));
    },
  });
  return { status, out: out.join(''), err, written };
}

export const packageJson = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')) as {
  version: string;
};
