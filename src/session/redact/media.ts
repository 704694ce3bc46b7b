/**
 * What becomes of the media that a session keeps beside itself: each file is replaced under the hash of what it becomes (session-format 11.5), so
 * that neither what was taken out of a file nor a hash over it is in the copy.
 */
import { decodeUtf8, hex, utf8 } from '../../bytes/encoding.ts';
import { sha256 } from '../../crypto/sha256.ts';
import type { RewriteText } from './rewriteStrings.ts';

/** Gives the hash (`sha256:...`) of what stands in the place of a media file of this hash. The same each time. */
export type RewriteMedia = (hash: string) => string;

export interface MediaOptions {
  /** The bytes of a media file by its hash (`sha256:...`); undefined where it is not at hand. */
  readonly read: (hash: string) => Uint8Array | undefined;
  /** Puts the placeholder in the place of every file. */
  readonly drop?: boolean;
}

/** The media of a redacted session. */
export interface RedactedMedia {
  /** The files that the copy names, by hash. */
  readonly files: ReadonlyMap<string, Uint8Array>;
  readonly kept: number;
  readonly rewritten: number;
  /** Files in whose place the placeholder stands, and how many of them were not at hand. */
  readonly dropped: number;
  readonly absent: number;
}

export class MediaRewriter {
  readonly #rewriteText: RewriteText;
  readonly #options: MediaOptions;
  readonly #placeholder: Uint8Array;
  /** What stands in the place of each file met. */
  readonly #names = new Map<string, string>();
  readonly #files = new Map<string, Uint8Array>();
  #kept = 0;
  #rewritten = 0;
  #dropped = 0;
  #absent = 0;

  constructor(rewrite: RewriteText, placeholder: string, options: MediaOptions) {
    this.#rewriteText = rewrite;
    this.#placeholder = utf8(placeholder);
    this.#options = options;
  }

  readonly rewrite: RewriteMedia = (hash) => {
    let name = this.#names.get(hash);
    if (name === undefined) {
      const bytes = this.#redacted(hash);
      name = hashOf(bytes);
      this.#files.set(name, bytes);
      this.#names.set(hash, name);
    }
    return name;
  };

  #redacted(hash: string): Uint8Array {
    const { read, drop = false } = this.#options;
    const data = drop ? undefined : read(hash);
    // Bytes of another hash were shown to nobody under this name.
    if (data === undefined || hashOf(data) !== hash) {
      if (!drop) this.#absent++;
      return this.#drop();
    }
    const text = decodeUtf8(data);
    const seen = text ?? new TextDecoder().decode(data);
    const redacted = this.#rewriteText(seen);
    if (redacted === seen) {
      this.#kept++;
      return data;
    }
    // In bytes that are no text nothing can be replaced where it stands.
    if (text === undefined) return this.#drop();
    this.#rewritten++;
    return utf8(redacted);
  }

  #drop(): Uint8Array {
    this.#dropped++;
    return this.#placeholder;
  }

  /** What was made, as far as a copy names it. */
  result(named: ReadonlySet<string>): RedactedMedia {
    return {
      files: new Map([...this.#files].filter(([hash]) => named.has(hash))),
      kept: this.#kept,
      rewritten: this.#rewritten,
      dropped: this.#dropped,
      absent: this.#absent,
    };
  }
}

function hashOf(bytes: Uint8Array): string {
  return `sha256:${hex(sha256(bytes))}`;
}
