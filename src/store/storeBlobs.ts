/** Media of sessions by hash, over any place for it (session-store 1.15). */
import { Scanner } from '../json/scan.ts';
import { blobHash, isHash, sidecarBlobs } from '../session/media.ts';
import type { Backend } from './backend.ts';
import type { MediaFolder } from './contract.ts';
import { StoreError } from './errors.ts';

const LINE_FEED = 0x0a;

/** Keeps a blob, or restarts the grace of one that is kept; gives its hash. */
export function putBlob({ blobs }: Backend, data: Uint8Array): string {
  const hash = blobHash(data);
  blobs.put(hash, data);
  return hash;
}

/** Throws no_blob, blob_mismatch. */
export function readBlob({ blobs }: Backend, hash: string): Uint8Array {
  const data = isHash(hash) ? blobs.get(hash) : undefined;
  if (data === undefined) throw new StoreError('no_blob', `the store holds no blob ${hash.slice(0, 100)}`);
  if (blobHash(data) !== hash) throw new StoreError('blob_mismatch', `the blob kept as ${hash} does not hash to it`);
  return data;
}

/** Removes blobs that no entry of any session names and that were put before `until`, a time from before the look. */
export function sweepBlobs(backend: Backend, until: number): number {
  const named = new Set<string>();
  const scanner = new Scanner();
  for (const { bytes } of backend.files())
    for (let at = 0; at < bytes.length; ) {
      const end = bytes.indexOf(LINE_FEED, at);
      const stop = end < 0 ? bytes.length : end;
      for (const hash of sidecarBlobs(bytes.subarray(at, stop), scanner)) named.add(hash);
      at = stop + 1;
    }
  return backend.blobs.sweep(named, until);
}

/** The bytes that a folder gives for the blobs that are named, each held against its name. Throws blob_mismatch. */
export function givenBlobs(named: ReadonlySet<string>, media: MediaFolder | undefined): Map<string, Uint8Array> {
  const given = new Map<string, Uint8Array>();
  for (const hash of media === undefined ? [] : named) {
    const data = media?.(hash);
    if (data === undefined) continue;
    if (blobHash(data) !== hash)
      throw new StoreError('blob_mismatch', `the blob given for ${hash} does not hash to it`);
    given.set(hash, data);
  }
  return given;
}
