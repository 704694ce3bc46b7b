/**
 * Which files a run over many inputs is about: named files and walked folders in a stable order, the share of one shard, and what an
 * earlier, broken-off run already reported.
 */
import { createSha256 } from '../crypto/sha256.ts';
import { type OpenFile, openFile } from '../host/files.ts';
import { isFolder, walk } from './walk.ts';

/** One file to verify. */
export interface Job {
  readonly path: string;
  /** Found in a walked folder, where a file of no known kind is left out and counted instead of being unusable. */
  readonly walked: boolean;
  /** The folder that was walked. */
  readonly folder?: string;
}

/** Part `index` (from 1) of `count`, split by content so that every machine comes to the same parts without asking. */
export interface Shard {
  readonly index: number;
  readonly count: number;
}

/** `i/n` with 1 <= i <= n, or undefined. */
export function parseShard(text: string): Shard | undefined {
  const match = /^([1-9][0-9]{0,5})\/([1-9][0-9]{0,5})$/.exec(text);
  const [index, count] = [Number(match?.[1]), Number(match?.[2])];
  return match !== null && index <= count ? { index, count } : undefined;
}

/**
 * Files of the paths in order; a path that is neither file nor folder stays as it is, so that it is reported. Standard input is `-`.
 *
 * @param skipped told of every link, special file and folder that is left out of a walked folder.
 */
export function* planJobs(paths: readonly string[], skipped?: (path: string) => void): Generator<Job> {
  for (const path of paths) {
    if (path === '-') yield { path, walked: false };
    else if (isPlainFolder(path))
      for (const file of walk(path, skipped)) yield { path: file, walked: true, folder: path };
    else yield { path, walked: false };
  }
}

function isPlainFolder(path: string): boolean {
  try {
    return isFolder(path);
  } catch {
    return false;
  }
}

/** SHA-256 of a file, read piece by piece. Throws Unreadable. */
export function hashFile(path: string): Uint8Array {
  const file: OpenFile = openFile(path);
  const hash = createSha256();
  try {
    for (let at = 0; at < file.size; ) {
      const piece = file.read(at, 1 << 20);
      hash.update(piece);
      at += piece.length;
    }
  } finally {
    file.close();
  }
  return hash.digest();
}

/** Whether a content belongs to a shard: the first four bytes of its hash, as a number, modulo the count. */
export function inShard(hash: Uint8Array, shard: Shard): boolean {
  return new DataView(hash.buffer, hash.byteOffset, 4).getUint32(0) % shard.count === shard.index - 1;
}
