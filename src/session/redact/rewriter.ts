/** Rewrites the entries of one file, with what one entry cannot see: settings along each path, and texts met before. Session-format 11.8. */
import type { JsonObject } from '../../json/tree.ts';
import { replay } from '../context.ts';
import { treeOf } from '../raw.ts';
import { type EntryIndex, ROOT, type Session } from '../session.ts';
import { EMPTY_SETTINGS, type Settings } from '../settings.ts';
import { decodeBody } from '../write/decodeBody.ts';
import { objectOf } from '../write/value.ts';
import type { RewriteMedia } from './media.ts';
import { type Unmet, unresolvedParts } from './parts.ts';
import { type RewriteText, rewriteStrings } from './rewriteStrings.ts';

export interface UnmetPart extends Unmet {
  /** The original's entry. */
  readonly entry: string;
}

const ENVELOPE: ReadonlySet<string> = new Set(['id', 'type', 'parent', 'parents', 'ts']);

/** The body of an entry as its line holds it. */
function bodyOf(session: Session, entry: EntryIndex): JsonObject {
  const line = treeOf({ bytes: session.bytes(entry) }) as JsonObject;
  return objectOf(line.members.filter(({ name }) => !ENVELOPE.has(name)));
}

/** Given every entry of a file in file order: `rewrite` for those that are written, `leftOut` for the others. */
export class Rewriter {
  readonly #session: Session;
  readonly #rewrite: RewriteText;
  readonly #media: RewriteMedia | undefined;
  readonly #texts = new Map<string, string>();
  /** Settings after each entry: the original's, left-out entries aside, and the redacted ones. */
  readonly #originals: Settings[] = [];
  readonly #redacted: Settings[] = [];
  readonly #unmet: UnmetPart[] = [];

  constructor(session: Session, rewrite: RewriteText, media?: RewriteMedia) {
    this.#session = session;
    this.#rewrite = rewrite;
    this.#media = media;
  }

  /** The rewritten body of an entry. Throws SessionError `key_collision` or `instructions_join`. */
  rewrite(entry: EntryIndex): JsonObject {
    const session = this.#session;
    const body = bodyOf(session, entry);
    const type = session.entry(entry).type;
    const before = this.#before(this.#originals, entry);
    const rewritten = rewriteStrings(type, body, this.#rewrite, { before, texts: this.#texts }, this.#media);
    this.#originals[entry] = replay(before, session.entry(entry));
    const met = rewritten.unmet.map((unmet) => ({ entry: session.id(entry), ...unmet }));
    const places = new Set(met.map(({ at }) => at));
    this.#unmet.push(...met);
    if (type === 'config')
      for (const unmet of unresolvedParts(rewritten.body, this.#before(this.#redacted, entry), '/instructions_parts'))
        if (!places.has(unmet.at)) this.#unmet.push({ entry: session.id(entry), ...unmet });
    this.written(entry, type, rewritten.body);
    return rewritten.body;
  }

  /** Takes what was written for an entry, where it is another than `rewrite` gave. */
  written(entry: EntryIndex, type: string, body: JsonObject): void {
    const before = this.#before(this.#redacted, entry);
    const changes = type === 'config' || type === 'compaction';
    this.#redacted[entry] = changes ? replay(before, decodeBody(type, body, this.#session.id(entry))) : before;
  }

  /** The entry is not written: it contributes nothing. */
  leftOut(entry: EntryIndex): void {
    this.#originals[entry] = this.#before(this.#originals, entry);
    this.#redacted[entry] = this.#before(this.#redacted, entry);
  }

  /** Every part written that the redacted path cannot rebuild, in the order met. The ids are the original's. */
  unmet(): readonly UnmetPart[] {
    return this.#unmet;
  }

  #before(settings: readonly Settings[], entry: EntryIndex): Settings {
    const parent = this.#session.parent(entry);
    return parent === ROOT ? EMPTY_SETTINGS : (settings[parent] ?? EMPTY_SETTINGS);
  }
}
