/** An entry that is to be appended: its envelope as far as the caller sets it, and its body. Session-format 4.1, 4.6. */
import type { JsonMember, JsonNode, JsonObject } from '../../json/tree.ts';
import { SessionError } from './error.ts';
import { parseLenient } from './lenient.ts';
import { type JsonValue, objectOf, objectOfValue } from './value.ts';

/** Where the bytes of the body came from, so that a repair can quote them (3.3). */
export interface DraftSource {
  readonly bytes: Uint8Array;
  /** Source bytes of the strings that were not UTF-8, quotes included, by the offset of the string in `bytes`. */
  readonly raw: ReadonlyMap<number, Uint8Array>;
}

export interface EntryDraft {
  readonly type: string;
  /** An entry id; null is the universal root; undefined is the leaf. */
  readonly parent?: string | null;
  /** Set by a caller who knows it: a difference is refused. */
  readonly id?: string;
  /** RFC 3339 in any spelling; undefined is now. */
  readonly ts?: string;
  /** References as they are to be written. */
  readonly parents?: readonly JsonNode[];
  readonly body: JsonObject;
  readonly source?: DraftSource;
  /** Read from a line: references keep their order (4.5). */
  readonly isLine?: boolean;
}

export interface EnvelopeInit {
  readonly parent?: string | null;
  readonly id?: string;
  readonly ts?: string;
  readonly parents?: readonly { readonly session?: string; readonly entry: string }[];
}

/**
 * An entry out of a program's values.
 *
 * @example
 * session.append(draft('info', { name: 'Demo' }));
 */
export function draft(
  type: string,
  body: { readonly [name: string]: JsonValue | undefined },
  envelope: EnvelopeInit = {},
): EntryDraft {
  const { parents, ...rest } = envelope;
  return {
    type,
    ...rest,
    ...(parents === undefined ? {} : { parents: parents.map((ref) => objectOfValue({ ...ref })) }),
    body: objectOfValue(body),
  };
}

const ENVELOPE: ReadonlySet<string> = new Set(['type', 'id', 'parent', 'parents', 'ts']);

/**
 * An entry out of a JSON object in which the envelope's members stand beside the body's: a line of a session file, or what a harness
 * sends. Strings that are not UTF-8 are taken as far as they are (3.3). Throws SessionError `bad_entry`.
 */
export function draftOfLine(bytes: Uint8Array): EntryDraft {
  const { root, source } = parseLenient(bytes);
  if (root.kind !== 'object') throw new SessionError('bad_entry', 'an entry is a JSON object');
  return { ...draftOfObject(root), source };
}

/** The same out of a tree. */
export function draftOfObject(root: JsonObject): EntryDraft {
  const of = (name: string): JsonNode | undefined => {
    const found = root.members.filter((member) => member.name === name);
    if (found.length > 1) throw new SessionError('not_i_json', `the entry names "${name}" twice`);
    return found[0]?.value;
  };
  const text = (name: string): string | undefined => {
    const value = of(name);
    if (value === undefined || value.kind === 'null') return undefined;
    if (value.kind === 'string') return value.value;
    throw new SessionError('bad_entry', `"${name}" of an entry is a string`);
  };
  const type = text('type') ?? '';
  if (type === '') throw new SessionError('bad_entry', 'an entry has a type');
  const [id, ts] = [text('id'), text('ts')];
  const parent = of('parent');
  if (parent !== undefined && parent.kind !== 'null' && parent.kind !== 'string')
    throw new SessionError('bad_entry', '"parent" of an entry is a string or null');
  const parents = of('parents');
  if (parents !== undefined && parents.kind !== 'array' && parents.kind !== 'null')
    throw new SessionError('bad_entry', '"parents" of an entry is an array');
  const body = objectOf(root.members.filter((member: JsonMember) => !ENVELOPE.has(member.name)));
  return {
    type,
    ...(id === undefined ? {} : { id }),
    ...(ts === undefined ? {} : { ts }),
    ...parentOf(parent, id !== undefined),
    ...(parents?.kind === 'array' ? { parents: parents.items } : {}),
    body,
    isLine: id !== undefined,
  };
}

/** A line with an id says where it hangs: without a parent it is a first entry (4.1). */
function parentOf(parent: JsonNode | undefined, isLine: boolean): { readonly parent?: string | null } {
  if (parent === undefined) return isLine ? { parent: null } : {};
  return { parent: parent.kind === 'string' ? parent.value : null };
}
