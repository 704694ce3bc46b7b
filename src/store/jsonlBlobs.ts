/** Blobs of a folder store: `.blobs/<hex>`, written whole, the time of the last put as their time of change (session-store 4.1, 1.15). */
import { mkdirSync, rmSync, utimesSync } from 'node:fs';
import { join } from 'node:path';
import { equalBytes } from '../bytes/encoding.ts';
import { createFile, isFolder, replaceFile, standing, statFile } from '../durable/files.ts';
import { guarded } from '../durable/lock.ts';
import type { BlobStorage } from './backend.ts';
import { StoreError } from './errors.ts';
import { isBlobName } from './layout.ts';
import { namesIn, readWhole } from './sessionFiles.ts';

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

  /** Throws corrupt where something that is no file has the name. */
  put(hash: string, data: Uint8Array): void {
    if (!isFolder(this.#folder) && standing(this.#folder) !== 'nothing')
      throw new StoreError('corrupt', `${this.#folder} is no folder of blobs`);
    mkdirSync(this.#folder, { recursive: true });
    guarded(this.#folder, () => {
      const path = this.#path(hash);
      if (standing(path) === 'other') throw new StoreError('corrupt', `the blob ${hash} is no file`);
      const held = this.get(hash);
      if (held === undefined) createFile(path, data);
      // What is kept under the name and is something else gives way.
      else if (!equalBytes(held, data)) replaceFile(path, data);
      this.#restart(hash);
    });
  }

  #restart(hash: string): void {
    const seconds = this.#now() / 1000;
    utimesSync(this.#path(hash), seconds, seconds);
  }

  get(hash: string): Uint8Array | undefined {
    return readWhole(this.#path(hash))?.bytes;
  }

  touch(hashes: readonly string[]): readonly string[] {
    if (hashes.length === 0) return [];
    if (!isFolder(this.#folder)) return hashes;
    return guarded(this.#folder, () =>
      hashes.filter((hash) => {
        const held = statFile(this.#path(hash)) !== undefined;
        if (held) this.#restart(hash);
        return !held;
      }),
    );
  }

  *hashes(): Iterable<string> {
    for (const name of namesIn(this.#folder))
      if (isBlobName(name) && statFile(join(this.#folder, name)) !== undefined) yield PREFIX + name;
  }

  sweep(named: ReadonlySet<string>, until: number): number {
    let removed = 0;
    for (const name of namesIn(this.#folder)) {
      if (!isBlobName(name) || named.has(PREFIX + name)) continue;
      // An append restarts the grace of what it names under the same guard, before its line lands.
      guarded(this.#folder, () => {
        const stat = statFile(join(this.#folder, name));
        if (stat === undefined || stat.mtimeMs >= until) return;
        rmSync(join(this.#folder, name));
        removed++;
      });
    }
    return removed;
  }
}
