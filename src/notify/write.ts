/**
 * Writing a trail: records become salted event leaves, appended at exactly the length that the writer had loaded (notifications 9.1, audit
 * 7.2). Where the leaves go is the caller's: a port with one compare-and-append.
 */
import type { HeadContent } from '../log/head.ts';
import { prefixRoots } from '../log/leaves.ts';
import type { Instant } from '../time/instant.ts';
import { encodeLeaf, readLeaf, SALT_LENGTH } from './leaf.ts';
import { decodeRecord, type RecordFields, type TrailRecord } from './record.ts';

/** A store of named, append-only sequences of leaves. */
export interface TrailPort {
  /** All leaves of a trail from `from` on, in order; none where there is no such trail. */
  load(trail: string, from: number): readonly Uint8Array[];
  /**
   * Appends at `position` when the trail is exactly that long, durably, and says whether it did. Of two writers that loaded the same
   * length one wins; the other loads again and decides again.
   */
  append(trail: string, position: number, leaf: Uint8Array): boolean;
}

/** 32 random bytes for each leaf. */
export type SaltSource = () => Uint8Array;

export const randomSalt: SaltSource = () => globalThis.crypto.getRandomValues(new Uint8Array(SALT_LENGTH));

/** One trail as a writer sees it: what it loaded last, and appends that fail when somebody else was first. */
export class TrailWriter {
  readonly trail: string;
  readonly #port: TrailPort;
  readonly #salt: SaltSource;
  readonly #records: TrailRecord[] = [];

  constructor(port: TrailPort, trail: string, salt: SaltSource = randomSalt) {
    this.#port = port;
    this.trail = trail;
    this.#salt = salt;
  }

  /** Records loaded so far, in append order. */
  get records(): readonly TrailRecord[] {
    return this.#records;
  }

  /** Loads what was appended since; gives how many records that was. A leaf that is none keeps its position and is not usable. */
  reload(): number {
    const leaves = this.#port.load(this.trail, this.#records.length);
    for (const data of leaves) {
      const index = this.#records.length;
      const leaf = readLeaf(data);
      this.#records.push(typeof leaf === 'string' ? { index, malformed: leaf } : decodeRecord(leaf.event, index));
    }
    return leaves.length;
  }

  /**
   * Appends a record at the loaded length.
   *
   * @returns false when another record took the position: nothing was written, reload and decide again.
   * @throws RangeError if the record is not one that a reader could use.
   */
  append(record: RecordFields): boolean {
    const leaf = encodeLeaf(record, this.#salt());
    const position = this.#records.length;
    const read = readLeaf(leaf);
    const decoded =
      typeof read === 'string' ? { index: position, malformed: read } : decodeRecord(read.event, position);
    if ('malformed' in decoded) throw new RangeError(`this record cannot be written: ${decoded.malformed}`);
    if (!this.#port.append(this.trail, position, leaf)) return false;
    this.#records.push(decoded);
    return true;
  }
}

/** What is signed as the head of a trail: kind `events`, the trail's name as run ID, the root over all leaves (audit 7.4). */
export function trailHead(trail: string, leaves: readonly Uint8Array[], at: Instant): HeadContent {
  const root = prefixRoots(leaves, [leaves.length]).get(leaves.length) as Uint8Array;
  return { kind: 'events', run_id: trail, size: leaves.length, root, timestamp_nanos: at };
}
