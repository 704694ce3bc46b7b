/** What commands that write signed files share: private keys, findings that stop them, and where the result goes. */
import { isUnusable, parsePrivateKey } from '../src/crypto/keys.ts';
import type { PrivateKey } from '../src/crypto/signature.ts';
import type { Finding } from '../src/finding/finding.ts';
import { printed } from '../src/finding/visible.ts';
import { Unreadable } from '../src/host/files.ts';
import { type Instant, parseInstant } from '../src/time/instant.ts';
import { STATUS, settle } from '../src/verify/report.ts';
import { type Args, type Io, type Option, UsageError } from './command.ts';

export const KEY: Option = {
  name: 'key',
  type: 'text',
  placeholder: 'FILE',
  describe: 'A private key, as "audit keys gen" writes it: private:<scheme>:<hex>.',
};

/** A named file, whole. Throws Unreadable with its path. */
export function readNamed(path: string, io: Io): Uint8Array {
  try {
    return io.read(path);
  } catch (error) {
    if (error instanceof Unreadable) throw new Unreadable(`${path}: ${error.message}`, error.tooLarge);
    throw error;
  }
}

/** The private key of `--key`. Throws Unreadable for a file that holds none. */
export async function privateKey(args: Args, io: Io): Promise<PrivateKey> {
  const path = args.need('key');
  const key = await parsePrivateKey(new TextDecoder().decode(readNamed(path, io)));
  if (isUnusable(key)) throw new Unreadable(`${path}: ${key.unusable}`);
  return key;
}

/** The time of `--at`, or the clock's. */
export function momentOf(args: Args, io: Io): Instant {
  const text = args.text('at');
  if (text === undefined) return io.clock();
  const instant = parseInstant(text);
  if (instant === undefined)
    throw new UsageError(`--at takes an RFC 3339 time such as 2026-11-30T12:00:00Z; not ${JSON.stringify(text)}`);
  return instant;
}

/** Says why nothing is written, and gives the exit status. */
export function refuse(findings: readonly Finding[], io: Io): number {
  for (const { code, message, where, expected, actual } of findings) {
    const place = [where.part, where.line === undefined ? undefined : `line ${where.line}`, where.pointer]
      .filter((part) => part !== undefined && part !== '')
      .join(', ');
    io.err(printed(`audit: ${code}: ${message}${place === '' ? '' : ` (${place})`}`));
    if (expected !== undefined) io.err(printed(`  expected ${expected}`));
    if (actual !== undefined) io.err(printed(`  actual   ${actual}`));
  }
  return STATUS[settle(findings, [], [])];
}

/** Whether a finding keeps a producer from going on. */
export function stops(finding: Finding): boolean {
  return finding.class !== 'none';
}

/** Writes the result to `--out` or to standard output: status 0. */
export function deliver(bytes: Uint8Array, args: Args, io: Io): number {
  const out = args.text('out');
  if (out !== undefined) io.write(out, bytes);
  else {
    io.out(bytes);
    if (bytes.at(-1) !== 0x0a) io.out('\n');
  }
  return 0;
}
