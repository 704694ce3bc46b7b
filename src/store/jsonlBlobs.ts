/** Blobs of a folder store: `.blobs/<hex>`, written whole, the time of the last put as their time of change (session-store 4.1, 1.15). */
import { mkdirSync, readdirSync, readFileSync, rmSync, statSync, utimesSync } from 'node:fs';
import { join } from 'node:path';
import { equalBytes } from '../bytes/encoding.ts';
import { createFile, replaceFile } from '../durable/files.ts';
import { guarded } from '../durable/lock.ts';
import type { BlobStorage } from './backend.ts';

const NAME = /^[0-9a-f]{64}$/;
const PREFIX = 'sha256:';

export class FileBlobs implements BlobStorage {
  readonly #folder: string;
  readonly #now: () => number;

  constructor(folder: string, now: () => number) {
    this.#folder = folder;
    this.#now = now;
  }

  #path(hash: string): string {
    return join(this.#folder, hash.slice(PREFIX.length));
  }

  put(hash: string, data: Uint8Array): void {
    mkdirSync(this.#folder, { recursive: true });
    guarded(this.#folder, () => {
      const held = this.get(hash);
      if (held === undefined) createFile(this.#path(hash), data);
      // What is kept under the name and is something else gives way.
      else if (!equalBytes(held, data)) replaceFile(this.#path(hash), data);
      this.#restart(hash);
    });
  }

  #restart(hash: string): void {
    const seconds = this.#now() / 1000;
    utimesSync(this.#path(hash), seconds, seconds);
  }

  get(hash: string): Uint8Array | undefined {
    try {
      return new Uint8Array(readFileSync(this.#path(hash)));
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
      throw error;
    }
  }

  touch(hashes: readonly string[]): readonly string[] {
    if (hashes.length === 0) return [];
    if (statSync(this.#folder, { throwIfNoEntry: false }) === undefined) return hashes;
    return guarded(this.#folder, () =>
      hashes.filter((hash) => {
        const held = statSync(this.#path(hash), { throwIfNoEntry: false }) !== undefined;
        if (held) this.#restart(hash);
        return !held;
      }),
    );
  }

  hashes(): Iterable<string> {
    if (statSync(this.#folder, { throwIfNoEntry: false }) === undefined) return [];
    return readdirSync(this.#folder)
      .filter((name) => NAME.test(name))
      .map((name) => PREFIX + name);
  }

  sweep(named: ReadonlySet<string>, until: number): number {
    if (statSync(this.#folder, { throwIfNoEntry: false }) === undefined) return 0;
    let removed = 0;
    for (const name of readdirSync(this.#folder)) {
      if (!NAME.test(name) || named.has(PREFIX + name)) continue;
      // An append restarts the grace of what it names under the same guard, before its line lands.
      guarded(this.#folder, () => {
        const stat = statSync(join(this.#folder, name), { throwIfNoEntry: false });
        if (stat === undefined || stat.mtimeMs >= until) return;
        rmSync(join(this.#folder, name));
        removed++;
      });
    }
    return removed;
  }
}
