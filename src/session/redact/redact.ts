/**
 * Makes the redacted session of a session: session-format 11.4, in its steps. The result is a session of its own; it walks and verifies
 * against itself. Repeating it over a redacted session that exists appends what the original gained.
 */
import { memorySource } from '../../bytes/source.ts';
import { canonicalize } from '../../json/canonical.ts';
import { Scanner } from '../../json/scan.ts';
import type { JsonNode, JsonObject } from '../../json/tree.ts';
import { checkSession } from '../check.ts';
import { LATEST_MINOR } from '../header.ts';
import { envelopeRows, Hasher } from '../ident.ts';
import type { Entry } from '../model.ts';
import { treeOf } from '../raw.ts';
import { type EntryIndex, ROOT, type Session } from '../session.ts';
import { textHash } from '../settings.ts';
import { checkHeaderLine, prefixLines } from '../write/create.ts';
import { SessionError } from '../write/error.ts';
import { joinLines } from '../write/joinLines.ts';
import { LiveSession } from '../write/live.ts';
import { normalise } from '../write/normalise.ts';
import { redactedSessionId } from '../write/uuid.ts';
import { memberNamed, memberOf, nodeOf, objectOf, objectOfValue, stringNode, textMember } from '../write/value.ts';
import { Growing } from './growing.ts';
import { type MediaOptions, MediaRewriter, mentionedBlobs, type RedactedMedia, type RewriteMedia } from './media.ts';
import { original as originalsOf, type SessionAtHand } from './original.ts';
import { type ReferringEntry, type RefMap, remapHeaderRefs, remapRefs } from './remap.ts';
import { Rewriter, type UnmetPart } from './rewriter.ts';
import { type RewriteText, rewriteHeaderStrings, rewriteReferenceStrings } from './rewriteStrings.ts';
import { setRedacted } from './spans.ts';

export interface RedactOptions {
  /** Names the redaction, kind and rules at a version (11.2). */
  readonly profile: string;
  readonly rewrite: RewriteText;
  /** RFC 3339; the redactor's own (11.4 step 1). */
  readonly createdAt: string;
  /** Whether an entry is left out. Its children hang from the nearest entry above that is kept. */
  readonly leaveOut?: (entry: Entry) => boolean;
  /** Stands for instruction parts that cannot be rebuilt, and for what else has to be something. */
  readonly placeholder?: string;
  /** Leaves out the hashes of files in `env` entries: the hash of a file that held a secret tells of it. */
  readonly withoutFileHashes?: boolean;
  /** Media that the session keeps beside itself; without this the placeholder stands for each. */
  readonly media?: MediaOptions;
  /** For a fork: makes its copy a fork of the redacted session of its origin, whose entries it then shares (11.4). */
  readonly origin?: RedactedOrigin;
  /** A redaction of the same session under the same profile, which grows. */
  readonly into?: LiveSession;
}

export interface RedactedOrigin {
  /** The redacted session of the session that the fork names as its parent, by the same profile. */
  readonly copy: Session;
  /** The originals by their ids: that of the copy, and where that is a fork itself, those above it and their copies. */
  readonly atHand: SessionAtHand;
}

export interface RedactionResult {
  readonly session: LiveSession;
  /** Entries appended; of a redaction that grows, the new ones. */
  readonly appended: number;
  /** Entries of the original that are not in the redacted session, by id. */
  readonly leftOut: readonly string[];
  /** Parts that stand as placeholders, by the original's ids: not to be logged. */
  readonly unmet: readonly UnmetPart[];
  /** Redacted id by original id. */
  readonly ids: ReadonlyMap<string, string>;
  /** Responses whose hash was left out, because the original's did not verify. */
  readonly unhashed: number;
  /** Of a session that keeps its media beside itself. */
  readonly media: RedactedMedia | undefined;
}

/** Where a hash may stand: of hexadecimal digits of either case, also among more of them. */
const HEX = /[0-9a-f]{64,}/gi;
const PLACEHOLDER = '[redacted]';

/** What names no entry of the original names none of the copy, and no text of the original stands there. */
const NO_HASH = '0'.repeat(64);
const NOTHING = { id: `sha256:${NO_HASH}` };

/**
 * Redacts a session.
 *
 * Throws SessionError: `key_collision`, `instructions_join`, `no_place`, `bad_entry` where the rewriting function breaks a form,
 * `stale_original` where an existing redaction was made of other entries or by other rules, and for an origin `no_entry`, `no_session` and
 * `redacted_from`.
 */
export function redactSession(original: Session, options: RedactOptions): RedactionResult {
  for (let index = 0; index < original.size; index++)
    if (!original.usable(index)) throw new SessionError('bad_entry', `line ${original.line(index)} does not hold`);
  const { into, profile } = options;
  if (into !== undefined && into.header.id !== redactedSessionId(original.header.id, profile))
    throw new SessionError('redacted_from', 'what is to grow is no redaction of this session by this profile');
  return new Redaction(original, options).run();
}

class Redaction {
  readonly #original: Session;
  readonly #options: RedactOptions;
  readonly #placeholder: string;
  readonly #live: LiveSession;
  readonly #rewriter: Rewriter;
  readonly #ids = new Map<string, string>();
  /** Of a fork of a redacted origin: ids of the copy's prefix by those of the original's. */
  readonly #shared: ReadonlyMap<string, string> | undefined;
  readonly #out = new Set<EntryIndex>();
  /** What stands for the original's hashes where a text quotes one: ids, contents, requests, parts, media. */
  readonly #hashes = new Map<string, string>();
  readonly #scanner = new Scanner();
  readonly #hasher = new Hasher();
  readonly #media: MediaRewriter | undefined;
  readonly #growing: Growing | undefined;
  readonly #unmet: UnmetPart[] = [];
  #unhashed = 0;

  constructor(original: Session, options: RedactOptions) {
    this.#original = original;
    this.#options = options;
    this.#placeholder = options.placeholder ?? PLACEHOLDER;
    this.#collectHashes();
    if (original.header.media === 'sidecar') this.#media = this.#takeMedia();
    const rewrite = (text: string): string =>
      this.#withoutHashes(options.rewrite(text), (hash) => this.#hashes.get(hash));
    this.#rewriter = new Rewriter(original, rewrite, this.#mediaName);
    this.#rewrite = rewrite;
    this.#shared = options.origin === undefined ? undefined : this.#prefixOf(options.origin);
    this.#live = options.into ?? this.#begin(options.origin);
    if (options.into === undefined) return;
    this.#growing = new Growing(options.into, {
      sharesPrefix: this.#shared !== undefined,
      media: this.#media?.hashes ?? new Set(),
      quotesOriginal: (text) => this.#withoutHashes(text, (hash) => this.#hashes.get(hash)) !== text,
    });
    this.#growing.checkHeader(this.#headerLine(this.#rewrite, undefined));
  }

  readonly #rewrite: RewriteText;

  run(): RedactionResult {
    const original = this.#original;
    const before = this.#live.size;
    const verdicts = checkSession(original).verdicts;
    for (let index = 0; index < original.size; index++) this.#take(index, verdicts.get(index) === 'verified');
    const appended = this.#live.size - before;
    let session = this.#live;
    const base = original.base === undefined ? undefined : this.#ids.get(original.id(original.base));
    if (base !== undefined && this.#options.into === undefined && this.#shared === undefined)
      session = this.#withBase(base);
    return {
      session,
      appended,
      leftOut: [...this.#out].map((index) => original.id(index)),
      unmet: this.#unmet,
      ids: this.#ids,
      unhashed: this.#unhashed,
      media: this.#media?.result(session),
    };
  }

  /** All media. Nothing of the original has a copy yet: a hash of it that a file quotes, be it of another file, becomes none. */
  #takeMedia(): MediaRewriter {
    const mentioned = mentionedBlobs(this.#original);
    for (const hash of mentioned) this.#hashes.set(hash.slice(7), NO_HASH);
    const blank = (hash: string): string | undefined => (this.#hashes.has(hash) ? NO_HASH : undefined);
    const rewrite = (text: string): string => this.#withoutHashes(this.#options.rewrite(text), blank);
    const media = new MediaRewriter(
      mentioned,
      rewrite,
      this.#placeholder,
      this.#options.media ?? { read: () => undefined },
    );
    for (const [hash, name] of media.names) this.#hashes.set(hash.slice(7), name.slice(7));
    return media;
  }

  /** What the name of a blob becomes. In a session that keeps its media in its lines it names nothing, but may quote a hash. */
  readonly #mediaName: RewriteMedia = (hash) => {
    const hex = hash.slice(7);
    return `sha256:${this.#hashes.get(hex) ?? (this.#media === undefined ? hex : NO_HASH)}`;
  };

  /** Session-format 11.4 step 1. */
  #headerLine(rewrite: RewriteText, base: string | undefined): Uint8Array {
    const { header } = this.#original;
    const { profile, createdAt } = this.#options;
    const texts = rewriteHeaderStrings(treeOf(header.raw) as JsonObject, rewrite, this.#mediaName);
    const own: readonly [string, JsonNode][] = [
      ['format', nodeOf(`agentsession/0.${LATEST_MINOR}`)],
      ['id', nodeOf(redactedSessionId(header.id, profile))],
      ['created_at', nodeOf(createdAt)],
      ['redacted', nodeOf(true)],
      ['redacted_from', nodeOf({ session: header.id, profile })],
    ];
    const names = new Set(own.map(([name]) => name));
    const kept = texts.members.filter(({ name }) => !names.has(name) && name !== 'base');
    const members = [...kept, ...own.map(([name, value]) => memberOf(name, value))];
    const whole = remapHeaderRefs(objectOf(members), this.#refs(ROOT));
    const based = base === undefined ? whole.members : [...whole.members, memberOf('base', stringNode(base))];
    const line = canonicalize(objectOf(based));
    checkHeaderLine(line);
    return line;
  }

  /** What the copy begins with. The base of one that shares nothing is named once its copy has an id. */
  #begin(origin: RedactedOrigin | undefined): LiveSession {
    const checks = { checks: 'read' } as const;
    if (origin === undefined) return LiveSession.start(this.#headerLine(this.#rewrite, undefined), checks);
    const base = [...(this.#shared?.values() ?? [])].at(-1) ?? '';
    const prefix = prefixLines(origin.copy, base, LATEST_MINOR);
    return LiveSession.open(memorySource(joinLines([this.#headerLine(this.#rewrite, base), ...prefix])), checks);
  }

  /** What stands in the redacted origin for the entries of the prefix, as far as it was not left out. */
  #prefixOf({ copy, atHand }: RedactedOrigin): ReadonlyMap<string, string> {
    const { header, base } = this.#original;
    if (base === undefined)
      throw new SessionError('no_entry', 'the session is no fork, so no origin is redacted with it');
    const of = copy.header.redacted ? copy.header.redactedFrom : undefined;
    if (of?.session !== header.parentSession || of?.profile !== this.#options.profile)
      throw new SessionError(
        'redacted_from',
        'the redacted origin is not of the parent of this session, by this profile',
      );
    const copies = new Map<string, string>();
    for (const [id, from] of originalsOf(copy, atHand)) for (const each of from) copies.set(each, id);
    const shared = new Map<string, string>();
    for (const index of this.#original.path(base)) {
      const id = this.#original.id(index);
      const copied = copies.get(id);
      if (copied !== undefined) shared.set(id, copied);
    }
    if (shared.size === 0) throw new SessionError('no_entry', 'the redacted origin has no entry of the prefix');
    return shared;
  }

  #withBase(base: string): LiveSession {
    const [, ...lines] = [...this.#live.lines()];
    const file = joinLines([this.#headerLine(this.#rewrite, base), ...lines]);
    return LiveSession.open(memorySource(file), { checks: 'read' });
  }

  /** Step 3. */
  #take(index: EntryIndex, verified: boolean): void {
    const original = this.#original;
    const entry = original.entry(index);
    const prefix = original.own(index) ? undefined : this.#shared;
    const shared = prefix?.get(original.id(index));
    // a
    if (prefix === undefined ? this.#options.leaveOut?.(entry) === true : shared === undefined) {
      this.#leave(index);
      return;
    }
    // b
    let body = this.#placeUnmet(index, entry.type, this.#rewriter.rewrite(index));
    if (shared !== undefined) {
      this.#copied(index, shared);
      return;
    }
    // c
    const line = treeOf({ bytes: original.bytes(index) }) as JsonObject;
    const parents = memberNamed(line, 'parents');
    const referring = {
      type: entry.type,
      parent: entry.parent,
      parents: parents?.kind === 'array' ? rewriteReferenceStrings(parents, this.#rewrite, this.#mediaName).items : [],
      body,
    };
    let remapped: ReturnType<typeof remapRefs>;
    try {
      remapped = remapRefs(referring, this.#refs(index), original.header.id);
    } catch (error) {
      if (!(error instanceof SessionError) || error.code !== 'no_place') throw error;
      this.#leave(index);
      return;
    }
    // d
    body = setRedacted(withoutMembers(remapped.body, LEGACY), [index + 1]);
    if (entry.kind === 'env') body = this.#files(body);
    const made = { type: entry.type, parent: remapped.parent, parents: remapped.parents, ts: entry.ts, body };
    if (this.#options.into?.base !== undefined && !original.own(index)) {
      this.#copied(index, this.#inPrefix(index, made));
      return;
    }
    // e
    if (entry.kind === 'response') body = this.#requestHash(body, remapped.parent, verified);
    // f
    const prepared = this.#live.prepare({ ...made, body, isLine: true });
    const there = prepared.outcome === 'held' ? undefined : this.#growing?.copyAt(index + 1, prepared.line);
    if (there === undefined) this.#live.commit(prepared);
    this.#copied(index, there ?? prepared.id);
  }

  /** The hashes of files of an `env` entry: none is kept of what was rewritten beside the session. */
  #files(body: JsonObject): JsonObject {
    if (this.#options.withoutFileHashes === true) return withoutMembers(body, FILES);
    const files = memberNamed(body, 'files');
    if (files?.kind !== 'object') return body;
    const hash = (value: JsonNode): JsonNode => {
      const by = value.kind === 'string' ? this.#hashes.get(value.value.slice(7)) : undefined;
      return by === undefined ? value : stringNode(`sha256:${by}`);
    };
    // What was read and what was written, each by its path.
    const lists = files.members.map(({ name, value }) =>
      memberOf(
        name,
        value.kind === 'object' ? objectOf(value.members.map((each) => ({ ...each, value: hash(each.value) }))) : value,
      ),
    );
    return objectOf(
      body.members.map((member) => (member.name === 'files' ? memberOf('files', objectOf(lists)) : member)),
    );
  }

  /** The copy of an entry of the prefix. A fork that grows has its prefix: nothing is appended there any more, and what is there is held to the rules. */
  #inPrefix(index: EntryIndex, { type, parent, parents, ts, body }: ReferringEntry & { readonly ts: string }): string {
    const envelope = objectOfValue({ type, parent, ts });
    const merged =
      parents.length === 0 ? [] : [memberOf('parents', { kind: 'array', items: parents, start: 0, end: 0 })];
    const line = canonicalize(objectOf([...normalise(body).members, ...envelope.members, ...merged]));
    const copy = this.#growing?.copyAt(index + 1, line);
    if (copy !== undefined) return copy;
    throw new SessionError('stale_original', `the redaction has no entry for position ${index + 1} of the original`);
  }

  #copied(index: EntryIndex, copy: string): void {
    const id = this.#original.id(index);
    this.#ids.set(id, copy);
    this.#hashes.set(id.slice(7), copy.slice(7));
  }

  #leave(index: EntryIndex): void {
    this.#growing?.checkLeftOut(index + 1);
    this.#out.add(index);
    this.#rewriter.leftOut(index);
  }

  /** Every part that cannot be rebuilt becomes text of its own (step 3b). */
  #placeUnmet(index: EntryIndex, type: string, body: JsonObject): JsonObject {
    const all = this.#rewriter.unmet();
    const added = all.slice(this.#unmet.length);
    if (added.length === 0) return body;
    this.#unmet.push(...added);
    const places = new Map(added.map(({ at }) => [at, at]));
    const within = type === 'compaction' ? memberNamed(body, 'config') : body;
    const at = type === 'compaction' ? '/config/instructions_parts' : '/instructions_parts';
    const parts = within?.kind === 'object' ? memberNamed(within, 'instructions_parts') : undefined;
    if (within?.kind !== 'object' || parts?.kind !== 'array') return body;
    const items = parts.items.map((part, i) => {
      if (!places.has(`${at}/${i}`) || part.kind !== 'object') return part;
      const id = textMember(part, 'id') ?? '';
      return objectOfValue({ id: id === '' ? `redacted-${index + 1}-${i}` : id, text: this.#placeholder });
    });
    const replaced = objectOf(
      within.members
        // The string that stood beside them is no longer their join.
        .filter(({ name }) => name !== 'instructions')
        .map((member) =>
          member.name === 'instructions_parts' ? memberOf('instructions_parts', { ...parts, items }) : member,
        ),
    );
    const placed =
      type === 'compaction'
        ? objectOf(body.members.map((member) => (member.name === 'config' ? memberOf('config', replaced) : member)))
        : replaced;
    this.#rewriter.written(index, type, placed);
    return placed;
  }

  /** Step e, and 11.10. */
  #requestHash(body: JsonObject, parent: string | null, verified: boolean): JsonObject {
    const had = memberNamed(body, 'request_hash') !== undefined;
    const rest = objectOf(body.members.filter(({ name }) => name !== 'request_hash'));
    if (!had) return rest;
    if (!verified) {
      this.#unhashed++;
      return rest;
    }
    const hash = this.#live.requestHashFor(textMember(body, 'response_id') ?? '', parent);
    return objectOf([...rest.members, memberOf('request_hash', stringNode(hash))]);
  }

  #refs(from: EntryIndex): RefMap {
    const original = this.#original;
    const { profile } = this.#options;
    return {
      entry: (session, id) => {
        // What another session's entry holds is committed to by its id.
        if (session !== '') return 'left_out';
        const index = original.find(id);
        if (index === undefined) return NOTHING;
        for (let at = index; at >= 0; at = original.parent(at)) {
          const copy = this.#ids.get(original.id(at));
          if (copy !== undefined) return { id: copy };
        }
        return 'left_out';
      },
      bound: (id) => {
        const index = original.find(id);
        if (index === undefined) return NOTHING;
        const path = from === ROOT ? [] : original.path(original.parent(from));
        const kept = path.slice(path.indexOf(index)).find((at) => this.#ids.has(original.id(at)));
        const copy = path.includes(index) && kept !== undefined ? this.#ids.get(original.id(kept)) : undefined;
        return copy === undefined ? 'left_out' : { id: copy };
      },
      session: (id) => redactedSessionId(id, profile),
    };
  }

  /** The hashes that the original's entries have and hold: none may appear in a text of the copy. */
  #collectHashes(): void {
    const original = this.#original;
    const gone = (hash: string): void => {
      if (/^sha256:[0-9a-f]{64}$/.test(hash)) this.#hashes.set(hash.slice(7), NO_HASH);
    };
    const rows = { id: -1, type: -1, parent: -1, parents: -1, ts: -1, content: -1 };
    for (let index = 0; index < original.size; index++) {
      gone(original.id(index));
      const bytes = original.bytes(index);
      if (this.#scanner.scan(bytes)) {
        envelopeRows(this.#scanner, rows);
        let content = 'sha256:';
        for (const byte of this.#hasher.contentHash(this.#scanner, rows)) content += byte.toString(16).padStart(2, '0');
        gone(content);
      }
      const entry = original.entry(index);
      if (entry.kind === 'response' && entry.requestHash !== undefined) gone(entry.requestHash);
      const parts =
        entry.kind === 'config'
          ? (entry.instructionsParts ?? [])
          : entry.kind === 'compaction'
            ? entry.config.instructionsParts
            : [];
      for (const { text, hash } of parts) {
        if (text !== undefined && text !== this.#options.rewrite(text)) gone(textHash(text));
        if (hash !== undefined && text === undefined) gone(hash);
      }
    }
  }

  /** A text with what stands for the original's hashes in their places. */
  #withoutHashes(text: string, of: (hash: string) => string | undefined): string {
    return text.replace(HEX, (run) => {
      let out = '';
      let at = 0;
      while (at + 64 <= run.length) {
        const by = of(run.slice(at, at + 64).toLowerCase());
        out += by ?? run.charAt(at);
        at += by === undefined ? 1 : 64;
      }
      return out + run.slice(at);
    });
  }
}

const LEGACY: ReadonlySet<string> = new Set(['legacy_id']);
const FILES: ReadonlySet<string> = new Set(['files']);

function withoutMembers(body: JsonObject, names: ReadonlySet<string>): JsonObject {
  return objectOf(body.members.filter(({ name }) => !names.has(name)));
}
