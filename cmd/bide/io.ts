/** Everything that `bide-audit` may touch, so that its tests run in process (audit spec 6.3, 6.4). */
import type { Instant } from '../../src/time/instant.ts';

/** How an external checker ended. */
export interface CheckerEnd {
  /** Exit status; null where it did not start or was ended by a signal. */
  readonly status: number | null;
  /** Why there is no status. */
  readonly reason?: string;
  /** Standard output and standard error together. */
  readonly output: string;
}

export interface BideIo {
  /** Writes to standard output. Throws where that cannot be done. */
  out(text: string): void;
  err(text: string): void;
  now(): Instant;
  /** A file of at most `limit` bytes. Throws Unreadable. */
  read(path: string, limit: number): Uint8Array;
  exists(path: string): boolean;
  /** Paths of the files in a folder, sorted; folders in it are left out. Throws Unreadable. */
  folder(path: string): readonly string[];
  /** Throws Unreadable. */
  write(path: string, text: string): void;
  /** Runs a program that the user named, with one argument; nothing else is ever started. */
  runChecker(program: string, argument: string): CheckerEnd;
  /** A temporary file holding the bytes; `remove` takes it away again. */
  temporary(bytes: Uint8Array): { readonly path: string; remove(): void };
}
