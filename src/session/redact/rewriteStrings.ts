/**
 * Gives every text of an entry to a function and puts what it returns in the text's place: session-format 11.5, 11.6. Members are visited
 * sorted, elements in order, so that the function sees the same texts in the same order every time.
 */
import { base64, decodeUtf8, unbase64, utf8 } from '../../bytes/encoding.ts';
import { canonicalOfTree } from '../../json/canonical.ts';
import { escapeToken, parsePointer, pointer, resolvePointer } from '../../json/pointer.ts';
import { type JsonArray, type JsonMember, type JsonNode, type JsonObject, parseTree } from '../../json/tree.ts';
import { blobOf } from '../media.ts';
import { SessionError } from '../write/error.ts';
import { memberNamed, memberOf, objectOf, stringNode, textMember, wellFormed } from '../write/value.ts';
import type { RewriteMedia } from './media.ts';
import { NO_MEMORY, type PartMemory, rewriteInstructions, rewriteParts, type Unmet } from './parts.ts';
import { HEADER_RULE, omittedRule, PARENTS_RULE, type Rule, rulesOf } from './shapes.ts';

/** Rewrites one text. It must give the same for the same text. */
export type RewriteText = (text: string) => string;

const ENVELOPE: ReadonlySet<string> = new Set(['id', 'type', 'parent', 'parents', 'ts', 'content']);
const sameMedia: RewriteMedia = (hash) => hash;

export interface Rewritten {
  readonly body: JsonObject;
  /** Parts that the entry names and that nothing it was given can give (11.8). */
  readonly unmet: readonly Unmet[];
}

/**
 * The body with its texts rewritten.
 *
 * @param media what stands in the place of the media that it names; without it the names stay
 *
 * Throws SessionError `key_collision`, `instructions_join`, or `bad_entry` where `normalised` is malformed.
 */
export function rewriteStrings(
  type: string,
  body: JsonObject,
  rewrite: RewriteText,
  memory: PartMemory = NO_MEMORY,
  media: RewriteMedia = sameMedia,
): Rewritten {
  const records = memberNamed(body, 'normalised');
  const rewriting = new Rewriting(rewrite, records?.kind === 'array' ? records.items : [], media);
  const rule = rulesOf(type, body);
  const isExtension = rule.kind === 'map';
  const common = body.members.filter(
    ({ name }) => name === 'legacy_id' || name === 'redacted' || name === 'normalised',
  );
  const own = isExtension ? objectOf(body.members.filter((member) => !common.includes(member))) : body;
  let rewritten = rewriting.apply(rule, own) as JsonObject;
  if (isExtension) {
    const taken = rewritten.members.find(({ name }) => ENVELOPE.has(name) || common.some((each) => each.name === name));
    if (taken !== undefined)
      throw new SessionError(
        'key_collision',
        `a member name became ${JSON.stringify(taken.name)}, which the envelope has`,
      );
    rewritten = objectOf([...rewritten.members, ...common]);
  }
  const unmet: Unmet[] = [];
  if (type === 'config') rewritten = settings(body, rewritten, rewriting, memory, '', unmet);
  else if (type === 'compaction') {
    const [before, after] = [memberNamed(body, 'config'), memberNamed(rewritten, 'config')];
    if (before?.kind === 'object' && after?.kind === 'object') {
      const fresh: PartMemory = { ...memory, before: NO_MEMORY.before };
      rewritten = withMember(rewritten, 'config', settings(before, after, rewriting, fresh, '/config', unmet));
    }
  }
  if (records?.kind === 'array') rewritten = withMember(rewritten, 'normalised', rewriting.records(records, body));
  return { body: rewritten, unmet };
}

function settings(
  before: JsonObject,
  after: JsonObject,
  rewriting: Rewriting,
  memory: PartMemory,
  at: string,
  unmet: Unmet[],
): JsonObject {
  let changed = after;
  const rewrite = (text: string): string => rewriting.text(text);
  const parts = memberNamed(before, 'instructions_parts');
  const newParts = memberNamed(after, 'instructions_parts');
  const hasParts = parts?.kind === 'array' && newParts?.kind === 'array' && parts.items.length > 0;
  if (hasParts)
    changed = withMember(
      changed,
      'instructions_parts',
      rewriteParts(parts, newParts, memory, `${at}/instructions_parts`, unmet, rewrite),
    );
  const instructions = memberNamed(before, 'instructions');
  if (instructions?.kind !== 'string') return changed;
  const text = hasParts
    ? rewriteInstructions(before, instructions.value, memory, rewrite)
    : rewrite(instructions.value);
  return withMember(changed, 'instructions', stringNode(text));
}

function withMember(object: JsonObject, name: string, value: JsonNode): JsonObject {
  return objectOf(object.members.map((member) => (member.name === name ? memberOf(name, value) : member)));
}

/** The header's members with their texts rewritten. */
export function rewriteHeaderStrings(
  header: JsonObject,
  rewrite: RewriteText,
  media: RewriteMedia = sameMedia,
): JsonObject {
  return new Rewriting(rewrite, [], media).apply(HEADER_RULE, header) as JsonObject;
}

/** The references of `parents` with the texts beside what they name rewritten. */
export function rewriteReferenceStrings(
  parents: JsonArray,
  rewrite: RewriteText,
  media: RewriteMedia = sameMedia,
): JsonArray {
  return new Rewriting(rewrite, [], media).apply(PARENTS_RULE, parents) as JsonArray;
}

const HASH = /^sha256:[0-9a-f]{64}$/;

const byName = (a: JsonMember, b: JsonMember): number => (a.name < b.name ? -1 : a.name > b.name ? 1 : 0);

interface Frame {
  readonly node: JsonArray | JsonObject;
  readonly children: readonly JsonNode[];
  readonly names: readonly string[];
  readonly done: JsonNode[];
}

class Rewriting {
  readonly #rewrite: RewriteText;
  readonly #media: RewriteMedia;
  /** Places of the records of `normalised`. */
  readonly #wanted: ReadonlySet<string>;
  /** Those of scalars that the function is not given: what such a record quotes stays. Any other may quote text, whatever its place names. */
  readonly #left = new Map<string, JsonNode>();
  /** New names of members, by the place they had. */
  readonly #renamed = new Map<string, string>();

  constructor(rewrite: RewriteText, records: readonly JsonNode[], media: RewriteMedia) {
    this.#rewrite = rewrite;
    this.#media = media;
    this.#wanted = new Set(
      records.flatMap((record) => (record.kind === 'object' ? [textMember(record, 'at') ?? ''] : [])),
    );
  }

  #leave(path: readonly string[], node: JsonNode): void {
    if (this.#wanted.size === 0) return;
    const at = pointer(path);
    if (this.#wanted.has(at)) this.#left.set(at, node);
  }

  text(text: string): string {
    const named = blobOf(text);
    return named === undefined ? wellFormed(this.#rewrite(text)) : `sidecar:${this.#media(named)}`;
  }

  apply(rule: Rule, node: JsonNode, path: readonly string[] = []): JsonNode {
    switch (rule.kind) {
      case 'untouched':
      case 'settings':
        return node;
      case 'left':
        if (node.kind !== 'string') return this.#deep(node, true, path);
        this.#leave(path, node);
        return node;
      case 'hash':
        if (node.kind !== 'string' || !HASH.test(node.value)) return this.#deep(node, true, path);
        this.#leave(path, node);
        return node;
      case 'text':
        return this.#deep(node, false, path);
      case 'data':
        return this.#deep(node, true, path);
      case 'item':
        return node.kind === 'object' ? this.#item(node, path) : this.#deep(node, true, path);
      case 'list':
        if (node.kind !== 'array') return this.#deep(node, true, path);
        return {
          ...node,
          items: node.items.map((item, i) =>
            this.apply(rule.of.kind === 'settings' ? omittedRule(item) : rule.of, item, [...path, String(i)]),
          ),
        };
      case 'object':
        if (node.kind !== 'object') return this.#deep(node, true, path);
        return objectOf(
          [...node.members].sort(byName).map((member) => ({
            ...member,
            value: this.apply(rule.members.get(member.name) ?? { kind: 'data' }, member.value, [...path, member.name]),
          })),
        );
      case 'map': {
        if (node.kind !== 'object') return this.#deep(node, true, path);
        const members = [...node.members].sort(byName);
        const names = members.map(({ name }) => this.#name(name, path));
        checkNames(names);
        return objectOf(
          members.map((member, i) =>
            memberOf(names[i] as string, this.apply(rule.of, member.value, [...path, member.name])),
          ),
        );
      }
    }
  }

  #item(item: JsonObject, path: readonly string[]): JsonNode {
    const type = textMember(item, 'type');
    const isCall = type === 'function_call' || type === 'function_call_output';
    return objectOf(
      [...item.members].sort(byName).map((member) => {
        if (isCall && member.name === 'call_id' && member.value.kind === 'string') {
          this.#leave([...path, member.name], member.value);
          return member;
        }
        return { ...member, value: this.#deep(member.value, false, [...path, member.name]) };
      }),
    );
  }

  #name(name: string, path: readonly string[]): string {
    const renamed = this.#rewrite(name);
    const formed = wellFormed(renamed);
    if (formed !== name && this.#wanted.size > 0) this.#renamed.set(pointer([...path, name]), formed);
    return formed;
  }

  /** Every string under a value, and with `names` every member name; nesting costs no stack. */
  #deep(root: JsonNode, names: boolean, path: readonly string[]): JsonNode {
    const stack: Frame[] = [];
    const here = [...path];
    const open = (node: JsonNode): JsonNode | undefined => {
      if (node.kind === 'string') {
        const text = this.text(node.value);
        return text === node.value ? node : stringNode(text);
      }
      if (node.kind === 'array') stack.push({ node, children: node.items, names: [], done: [] });
      else if (node.kind === 'object') {
        const members = [...node.members].sort(byName);
        const spelled = names ? members.map(({ name }) => this.#name(name, here)) : members.map(({ name }) => name);
        if (names) checkNames(spelled);
        stack.push({ node: objectOf(members), children: members.map(({ value }) => value), names: spelled, done: [] });
      } else {
        this.#leave(here, node);
        return node;
      }
      return undefined;
    };
    let value = open(root);
    for (;;) {
      const frame = stack.at(-1);
      if (frame === undefined) return value as JsonNode;
      if (value !== undefined) {
        frame.done.push(value);
        here.pop();
      }
      const next = frame.done.length;
      const child = frame.children[next];
      if (child === undefined) {
        stack.pop();
        value = close(frame);
        continue;
      }
      here.push(frame.node.kind === 'array' ? String(next) : (frame.node.members[next] as JsonMember).name);
      value = open(child);
    }
  }

  /** The records of `normalised`: what they quote is rewritten, and they follow a member that got another name (11.5). */
  records(records: JsonArray, body: JsonObject): JsonArray {
    const rewritten = records.items.map((record) => {
      if (record.kind !== 'object') throw new SessionError('bad_entry', '"normalised" is an array of objects');
      const at = textMember(record, 'at') ?? '';
      const left = this.#left.get(at);
      const isGiven = left === undefined || !isRecordOf(left, record);
      const isPlace = resolvePointer(body, at) !== undefined;
      return objectOf(
        record.members.map((member) => {
          const { name, value } = member;
          if (value.kind !== 'string') return member;
          if (name === 'at') return memberOf(name, stringNode(isPlace ? this.#follow(at) : this.#nowhere(at)));
          if (name === 'was' && isGiven) return memberOf(name, stringNode(this.#was(value.value)));
          if (name === 'raw' && isGiven) return memberOf(name, stringNode(this.#raw(value.value)));
          return member;
        }),
      );
    });
    const key = (record: JsonObject): string => textMember(record, 'at') ?? '';
    return { ...records, items: rewritten.sort((a, b) => (key(a) < key(b) ? -1 : 1)) };
  }

  #follow(at: string): string {
    if (this.#renamed.size === 0) return at;
    let old = '';
    let now = '';
    for (const token of at.split('/').slice(1)) {
      old += `/${token}`;
      const renamed = this.#renamed.get(old);
      now += `/${renamed === undefined ? token : escapeToken(renamed)}`;
    }
    return now;
  }

  /** A pointer that names no place is text, and stays a pointer. */
  #nowhere(at: string): string {
    const text = this.text(at);
    return text.startsWith('/') && parsePointer(text) !== undefined ? text : `/${escapeToken(text)}`;
  }

  #was(was: string): string {
    const parsed = parseTree(utf8(was));
    if (!parsed.ok) return wellFormed(this.#rewrite(was));
    if (parsed.root.kind === 'number') {
      const digits = this.#rewrite(was);
      return digits === was ? was : JSON.stringify(wellFormed(digits));
    }
    let changed = false;
    const noting = (rewrite: (text: string) => string) => (text: string) => {
      const rewritten = rewrite(text);
      changed ||= rewritten !== text;
      return rewritten;
    };
    const bare = new Rewriting(noting(this.#rewrite), [], noting(this.#media));
    const root =
      parsed.root.kind === 'string' ? stringNode(bare.#quoted(parsed.root.value)) : bare.#deep(parsed.root, false, []);
    return changed ? canonicalOfTree(root) : was;
  }

  /** A text that may hold half of a surrogate pair, which stays (`canonicalOfTree` writes it as an escape). */
  #quoted(text: string): string {
    return this.#rewrite(text);
  }

  /** Ill-formed bytes go through the function as single units that no text has, and come back as they were. */
  #raw(raw: string): string {
    const bytes = unbase64(raw);
    if (bytes === undefined || bytes.length < 2) return raw;
    const text = unescaped(bytesAsText(bytes.subarray(1, -1)));
    const rewritten = this.#rewrite(text);
    return rewritten === text ? raw : base64(textAsBytes(JSON.stringify(rewritten)));
  }
}

/** Whether a record quotes what a value was before it was repaired (3.3), and not something else. */
function isRecordOf(value: JsonNode, record: JsonObject): boolean {
  const [was, raw] = [textMember(record, 'was'), textMember(record, 'raw')];
  const source = was ?? new TextDecoder().decode(unbase64(raw ?? '') ?? new Uint8Array());
  if (value.kind === 'string' && value.value === source) return true;
  const parsed = parseTree(utf8(source));
  if (!parsed.ok) return false;
  const { root } = parsed;
  return root.kind === 'string' && value.kind === 'string'
    ? wellFormed(root.value) === value.value
    : root.kind === 'number' && value.kind === 'number';
}

function close({ node, names, done }: Frame): JsonNode {
  if (node.kind === 'array') return { ...node, items: done };
  return objectOf(names.map((name, i) => memberOf(name, done[i] as JsonNode)));
}

function checkNames(names: readonly string[]): void {
  if (new Set(names).size !== names.length)
    throw new SessionError('key_collision', 'two member names of one object became equal');
}

/** Byte 0x80 to 0xff of an ill-formed sequence, as a lone low surrogate. */
const STRAY = 0xdc00;

function bytesAsText(bytes: Uint8Array): string {
  let text = '';
  for (let at = 0; at < bytes.length; ) {
    const lead = bytes[at] as number;
    const length = lead < 0x80 ? 1 : lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : 4;
    const piece = decodeUtf8(bytes.subarray(at, at + length));
    if (piece !== undefined && at + length <= bytes.length) {
      text += piece;
      at += length;
    } else {
      text += String.fromCharCode(STRAY + lead);
      at++;
    }
  }
  return text;
}

/** The text of a JSON string without its quotes; one that does not parse stays as it is. */
function unescaped(source: string): string {
  try {
    return JSON.parse(`"${source}"`) as string;
  } catch {
    return source;
  }
}

/** The bytes of a JSON string text in which stray bytes stand as lone surrogates, which JSON.stringify escapes. */
function textAsBytes(json: string): Uint8Array {
  const bytes: Uint8Array[] = [];
  for (const piece of json.split(/(\\udc[89a-f][0-9a-f])/)) {
    const stray = /^\\udc([89a-f][0-9a-f])$/.exec(piece)?.[1];
    bytes.push(stray === undefined ? utf8(piece) : Uint8Array.of(Number.parseInt(stray, 16)));
  }
  const length = bytes.reduce((sum, piece) => sum + piece.length, 0);
  const joined = new Uint8Array(length);
  let at = 0;
  for (const piece of bytes) {
    joined.set(piece, at);
    at += piece.length;
  }
  return joined;
}
