/**
 * What becomes of the media that a session keeps beside itself: each file is replaced under the hash of what it becomes (session-format 11.5), so
 * that neither what was taken out of a file nor a hash over it is in the copy. Files are made one at a time, and made again when they are kept.
 */
import { decodeUtf8, utf8 } from '../../bytes/encoding.ts';
import { blobHash, sessionBlobs } from '../media.ts';
import type { Session } from '../session.ts';
import type { RewriteText } from './rewriteStrings.ts';

/** Gives the hash (`sha256:...`) of what stands in the place of a media file of this hash. The same each time. */
export type RewriteMedia = (hash: string) => string;

export interface MediaOptions {
  /** The bytes of a media file by its hash (`sha256:...`); undefined where it is not at hand. The same each time. */
  readonly read: (hash: string) => Uint8Array | undefined;
  /** Puts a placeholder in the place of every file. */
  readonly drop?: boolean;
}

/** Why a placeholder stands in the place of a file. */
export type Dropped = 'asked' | 'absent' | 'altered' | 'found';

/** The media of a redacted session. */
export interface RedactedMedia {
  /** What the copy names, by hash; each is made when it is asked for. */
  readonly files: ReadonlyMap<string, () => Uint8Array>;
  readonly kept: number;
  readonly rewritten: number;
  /** By the hashes of the original: files in whose place a placeholder stands, its text and a number, so that no two are one. */
  readonly dropped: ReadonlyMap<string, Dropped>;
}

type Made = { readonly bytes: Uint8Array } & (
  | { readonly as: 'kept' | 'rewritten' }
  | { readonly as: 'dropped'; readonly why: Dropped }
);

/** Makes what stands in the place of every blob that a session mentions. */
export class MediaRewriter {
  /** Hash of what stands in the place of each, by its own. */
  readonly names = new Map<string, string>();
  /** All of these hashes, and those of the placeholders that could stand there. */
  readonly hashes = new Set<string>();
  readonly #rewriteText: RewriteText;
  readonly #placeholder: string;
  readonly #options: MediaOptions;
  readonly #files = new Map<string, () => Uint8Array>();
  readonly #dropped = new Map<string, Dropped>();
  readonly #count = { kept: 0, rewritten: 0, dropped: 0 };

  constructor(mentioned: Iterable<string>, rewrite: RewriteText, placeholder: string, options: MediaOptions) {
    this.#rewriteText = rewrite;
    this.#placeholder = placeholder;
    this.#options = options;
    for (const hash of mentioned) {
      const number = this.names.size + 1;
      const made = this.#make(hash, number);
      this.#count[made.as]++;
      if (made.as === 'dropped') this.#dropped.set(hash, made.why);
      const name = blobHash(made.bytes);
      this.#files.set(name, () => this.#make(hash, number).bytes);
      this.names.set(hash, name);
      for (const each of [hash, name, blobHash(this.#placeholderOf(number))]) this.hashes.add(each);
    }
  }

  #placeholderOf(number: number): Uint8Array {
    return utf8(`${this.#placeholder} ${number}`);
  }

  #make(hash: string, number: number): Made {
    const { read, drop = false } = this.#options;
    const dropped = (why: Dropped): Made => ({ bytes: this.#placeholderOf(number), as: 'dropped', why });
    if (drop) return dropped('asked');
    const data = read(hash);
    if (data === undefined) return dropped('absent');
    // Bytes of another hash were shown to nobody under this name.
    if (blobHash(data) !== hash) return dropped('altered');
    const text = decodeUtf8(data);
    const redacted = text === undefined ? undefined : this.#rewriteText(text);
    // In bytes that are no text, or text of another kind, nothing can be replaced where it stands.
    if (readings(data).some((each) => each !== text && this.#rewriteText(each) !== each)) return dropped('found');
    return redacted === text ? { bytes: data, as: 'kept' } : { bytes: utf8(redacted as string), as: 'rewritten' };
  }

  /** What was made, as far as a copy mentions it. */
  result(copy: Session): RedactedMedia {
    const named = mentionedBlobs(copy);
    return {
      files: new Map([...this.#files].filter(([hash]) => named.has(hash))),
      kept: this.#count.kept,
      rewritten: this.#count.rewritten,
      dropped: this.#dropped,
    };
  }
}

/** The texts that bytes can be read as. */
export function readings(bytes: Uint8Array): readonly string[] {
  const texts = [new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes)];
  // Letters of UTF-16 have a zero byte each; in other bytes they may begin at an odd place.
  if (bytes.includes(0))
    for (const label of ['utf-16le', 'utf-16be'])
      for (const from of [0, 1]) texts.push(new TextDecoder(label).decode(bytes.subarray(from)));
  return texts;
}

const MENTION = /sidecar:(sha256:[0-9a-f]{64})/g;

/** The blobs that the items of a session name, and those that any other text of it names in the same form, its header's too. */
export function mentionedBlobs(session: Session): ReadonlySet<string> {
  const found = new Set(sessionBlobs(session));
  const look = (bytes: Uint8Array): void => {
    for (const [, hash = ''] of new TextDecoder().decode(bytes).matchAll(MENTION)) found.add(hash);
  };
  look(session.header.raw.bytes);
  for (let index = 0; index < session.size; index++) if (session.usable(index)) look(session.bytes(index));
  return found;
}
