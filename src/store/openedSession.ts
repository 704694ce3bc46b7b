/** A session that a store has open: what is decided about an entry, and in which order it is kept (session-store 1.7 to 1.9, 1.16, 1.18). */
import { Scanner } from '../json/scan.ts';
import { sidecarBlobs } from '../session/media.ts';
import type { Entry, Header } from '../session/model.ts';
import type { EntryDraft } from '../session/write/draft.ts';
import type { LiveSession } from '../session/write/live.ts';
import { commitPlanned, freshLabel, planAppend } from '../session/write/marked.ts';
import type { Prepared } from '../session/write/outcome.ts';
import { fromMilliseconds, type Instant } from '../time/instant.ts';
import type { BlobStorage, Hold, StoredLine } from './backend.ts';
import type { SyncPolicy, WriteResult } from './contract.ts';
import { codeOf, StoreError } from './errors.ts';
import { lineNames } from './lineScan.ts';

/** What a store decides for all of its sessions. */
export interface StoreRules {
  readonly sync: SyncPolicy;
  readonly blobs: BlobStorage;
  /** Milliseconds of the epoch. */
  now(): number;
  /** Throws SessionError not_redacted for an entry that a store of redacted ones does not take. */
  checkRedacted(header: Header, entry: Entry, line: Uint8Array, isHeadMove: boolean): void;
  /** What is on disk is not known, or not what is in memory: the next open begins from it. */
  forget(opened: OpenedSession): void;
}

/** Entries after which `on_response` is durable (session-store 1.18). */
const DURABLE_KINDS: ReadonlySet<Entry['kind']> = new Set(['response', 'compaction', 'branch_summary']);

const scanner = new Scanner();

/** @param own whether the line is not of a fork's prefix: only then does it name a successor. */
export function storedLine(entry: Entry, line: Uint8Array, own: boolean): StoredLine {
  const { id, parent, type } = entry;
  if (entry.kind !== 'info' && entry.kind !== 'link') return { line, id, parent, type };
  const { name, supersededBy } = lineNames(line, scanner);
  return {
    line,
    id,
    parent,
    type,
    ...(name === undefined ? {} : { name }),
    ...(supersededBy === undefined || !own ? {} : { supersededBy }),
  };
}

export class OpenedSession {
  readonly live: LiveSession;
  /** Absent in a store that only reads. */
  readonly #hold: Hold | undefined;
  readonly #rules: StoreRules;
  /** The stored header is of an earlier minor than what is written (session-format 2.6). */
  #raise: Uint8Array | undefined;
  /** The hold was lost: every later append is refused with this until the session is released. */
  #lost: Error | undefined;
  /** Something was appended that may not be on disk yet. */
  #isLazy = false;

  constructor(live: LiveSession, hold: Hold | undefined, rules: StoreRules, raise?: Uint8Array) {
    this.live = live;
    this.#hold = hold;
    this.#rules = rules;
    this.#raise = raise;
  }

  get #now(): Instant {
    return fromMilliseconds(this.#rules.now());
  }

  /** Session-store 1.7, 1.8. Throws SessionError, StoreError. */
  write(draft: EntryDraft): WriteResult {
    return this.#write(draft, false);
  }

  #write(draft: EntryDraft, isHeadMove: boolean): WriteResult {
    const { live } = this;
    if (this.#lost !== undefined) throw this.#lost;
    const planned = planAppend(live, draft, this.#now);
    const { prepared, mark } = planned;
    const { entry, outcome, id, line } = prepared;
    if (outcome === 'held') return { id, outcome, unresolved: [], reopen: false, durable: !this.#isLazy };
    this.#rules.checkRedacted(live.header, entry, line, outcome === 'leaf_moved');
    const unresolved = this.#touchBlobs(line);
    const durable = isHeadMove || this.#isDurable(entry);
    this.#keep(mark === undefined ? [prepared] : [mark, prepared], durable);
    // From here on the entry is kept: whatever follows may not report it as failed.
    let reopen = false;
    try {
      const after = commitPlanned(live, draft, planned, this.#now);
      if (after !== undefined) {
        this.#keep([after], durable);
        live.commit(after);
      }
    } catch {
      reopen = true;
      this.#drop();
    }
    return { id, outcome, unresolved, reopen, durable };
  }

  /** Session-store 1.9. Throws SessionError head_moved, head_target, no_entry. */
  setHead(expected: string | null, to: string | null): void {
    const { live } = this;
    if (this.#lost !== undefined) throw this.#lost;
    const label = live.headLabel(expected, to);
    if (to === live.leafId && live.leafMarkNeeded() === undefined) return;
    this.#write(freshLabel(live, label, this.#now), true);
  }

  /** Raises the header where that is due, then keeps the lines: all of them or none. */
  #keep(prepared: readonly Prepared[], durable: boolean): void {
    const hold = this.#hold;
    if (hold === undefined) throw new StoreError('read_only', 'the store was opened for reading only');
    try {
      if (this.#raise !== undefined) {
        hold.raise(this.#raise);
        this.#raise = undefined;
      }
      hold.append(
        prepared.map(({ entry, line }) => storedLine(entry, line, true)),
        durable,
      );
      this.#isLazy = !durable;
    } catch (error) {
      const code = codeOf(error);
      if (code === 'session_locked' || code === 'concurrent_writer') this.#lost = error as Error;
      else this.#drop();
      throw error;
    }
  }

  #drop(): void {
    this.#rules.forget(this);
    try {
      this.#hold?.release();
    } catch {
      // The failure that led here is the one to report.
    }
  }

  #isDurable(entry: Entry): boolean {
    const { sync } = this.#rules;
    if (sync === 'every_append' || this.live.header.records.includes(entry.type)) return true;
    if (sync === 'never') return false;
    return DURABLE_KINDS.has(entry.kind) || (entry.kind === 'item' && entry.item.type === 'function_call_output');
  }

  /** Restarts the grace of the blobs that a line names, before it lands; gives those that are not held. */
  #touchBlobs(line: Uint8Array): readonly string[] {
    if (this.live.header.media !== 'sidecar') return [];
    return this.#rules.blobs.touch(sidecarBlobs(line, scanner));
  }

  /** Makes durable what was appended. */
  sync(): void {
    this.#hold?.sync();
    this.#isLazy = false;
  }

  /** Gives the hold back. */
  release(): void {
    this.#hold?.release();
  }

  /** Removes the session and the hold. */
  remove(): void {
    this.#hold?.remove();
  }
}
