/**
 * A redaction that grows with its original (session-format 11.1): what is there already is held to what the rules make of the original now, since
 * nothing of it is written again.
 */
import { canonicalOfTree } from '../../json/canonical.ts';
import type { JsonObject } from '../../json/tree.ts';
import { treeOf } from '../raw.ts';
import type { EntryIndex, Session } from '../session.ts';
import { SessionError } from '../write/error.ts';
import { objectOf } from '../write/value.ts';
import { HEADER_UNTOUCHED } from './shapes.ts';

export interface GrowingOptions {
  /** The prefix is shared with the copy of the origin: its positions are those of the origin. */
  readonly sharesPrefix: boolean;
  /** Hashes of media, of the original and of what stands in their places. */
  readonly media: ReadonlySet<string>;
  /** Whether a text holds a hash of the original for which another one stands. */
  readonly quotesOriginal: (text: string) => boolean;
}

/** The entries of a copy that grows. Every check throws SessionError `stale_original`. */
export class Growing {
  readonly #copy: Session;
  readonly #options: GrowingOptions;
  /** By the first position that each was made from. */
  readonly #byPosition = new Map<number, EntryIndex>();
  /** The last position that any was made from. */
  readonly #last: number;

  constructor(copy: Session, options: GrowingOptions) {
    this.#copy = copy;
    this.#options = options;
    let last = 0;
    for (let index = 0; index < copy.size; index++) {
      const counts = copy.own(index) || !options.sharesPrefix;
      for (const span of (counts ? copy.entry(index).redacted : undefined) ?? []) {
        const [from, to] = typeof span === 'number' ? [span, span] : span;
        if (!this.#byPosition.has(from)) this.#byPosition.set(from, index);
        last = Math.max(last, to);
      }
    }
    this.#last = last;
  }

  /** @param line the header that the rules make. */
  checkHeader(line: Uint8Array): void {
    if (this.#compared(this.#copy.header.raw.bytes, HEADER_OWN) === this.#compared(line, HEADER_OWN)) return;
    throw new SessionError('stale_original', 'the redaction has another header: it was made by other rules');
  }

  checkLeftOut(position: number): void {
    if (!this.#byPosition.has(position)) return;
    throw new SessionError(
      'stale_original',
      `the redaction has an entry for position ${position} of the original, which is left out now: it was made by other rules`,
    );
  }

  /**
   * The id of the copy of the entry at a position; undefined for an entry that is new. It is the one that the rules make, but for the names of
   * media: a file may have come or gone since, or be named by an entry that is new.
   *
   * @param line what the rules make, with or without an id
   */
  copyAt(position: number, line: Uint8Array): string | undefined {
    if (position > this.#last) return undefined;
    const index = this.#byPosition.get(position);
    if (index === undefined) throw otherRules(position);
    const bytes = this.#copy.bytes(index);
    if (this.#compared(bytes, ENTRY_OWN) === this.#compared(line, ENTRY_OWN)) return this.#copy.id(index);
    if (!this.#options.quotesOriginal(new TextDecoder().decode(bytes))) throw otherRules(position);
    throw new SessionError(
      'stale_original',
      `the redaction quotes at position ${position} a hash that the original recorded only afterwards, and that may tell of what was replaced: the redaction has to be made anew`,
    );
  }

  /** What a line holds beside members of its own and the hashes of media. */
  #compared(line: Uint8Array, own: ReadonlySet<string>): string {
    const { members } = treeOf({ bytes: line }) as JsonObject;
    return canonicalOfTree(objectOf(members.filter(({ name }) => !own.has(name))))
      .replace(/sidecar:sha256:[0-9a-f]{64}/g, 'sidecar:')
      .replace(/[0-9a-f]{64}/gi, (hash) => (this.#options.media.has(`sha256:${hash.toLowerCase()}`) ? '' : hash));
  }
}

const ENTRY_OWN: ReadonlySet<string> = new Set(['id', 'request_hash']);
const HEADER_OWN: ReadonlySet<string> = new Set(HEADER_UNTOUCHED);

function otherRules(position: number): SessionError {
  return new SessionError(
    'stale_original',
    `the redaction has another entry for position ${position} of the original: it was made by other rules, or with media or an origin that are not given now`,
  );
}
