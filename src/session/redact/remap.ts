/** Points the references of an entry elsewhere: session-format 11.9, row by row. */
import type { JsonArray, JsonNode, JsonObject } from '../../json/tree.ts';
import { kindOf } from '../entry.ts';
import { SessionError } from '../write/error.ts';
import { sortedParents } from '../write/references.ts';
import { memberNamed, memberOf, objectOf, stringNode, textMember } from '../write/value.ts';
import { isOmittedKeep, omitOf } from './shapes.ts';

/** What stands for an entry that is named: another id, what was written, or nothing, because it was left out. */
export type Replacement = { readonly id: string } | 'as_written' | 'left_out';

export interface RefMap {
  /** @param session of the entry; empty for the file itself. */
  readonly entry?: (session: string, id: string) => Replacement;
  /** For a reference that bounds a range from below; `entry` where it is missing. */
  readonly bound?: (id: string) => Replacement;
  readonly session?: (id: string) => string | undefined;
  /** What a first entry of the copy hangs from: `null` unless the copy has a base. */
  readonly base?: string;
}

/** An entry whose references can be pointed elsewhere. */
export interface ReferringEntry {
  readonly type: string;
  readonly parent: string | null;
  readonly parents: readonly JsonNode[];
  readonly body: JsonObject;
}

export interface Remapped extends ReferringEntry {
  /** Places whose callback left what was written. */
  readonly unmapped: readonly string[];
  /** Places, in the input, of references that were removed. */
  readonly dropped: readonly string[];
  /** An extension entry: what its own members name is not known. */
  readonly opaque: boolean;
}

/**
 * The entry with its references pointed elsewhere.
 *
 * Throws SessionError `no_place` where an entry that was left out is named by a member that must name something.
 */
export function remapRefs(entry: ReferringEntry, map: RefMap, sessionId = ''): Remapped {
  return new Remapping(map, sessionId).entry(entry);
}

class Remapping {
  readonly #map: RefMap;
  readonly #sessionId: string;
  readonly #unmapped: string[] = [];
  readonly #dropped: string[] = [];

  constructor(map: RefMap, sessionId: string) {
    this.#map = map;
    this.#sessionId = sessionId;
  }

  entry({ type, parent, parents, body }: ReferringEntry): Remapped {
    const kind = kindOf(type);
    const here = parent === null ? (this.#map.base ?? null) : this.#parent(parent);
    return {
      type,
      parent: here,
      parents: this.#parents(parents, here),
      body: this.#body(kind, body),
      unmapped: this.#unmapped,
      dropped: this.#dropped,
      opaque: kind === 'extension',
    };
  }

  #parent(parent: string): string | null {
    const replaced = this.#entry('', parent, '/parent');
    return replaced ?? this.#map.base ?? null;
  }

  /** The id that stands for an entry; undefined when it was left out. */
  #entry(session: string, id: string, at: string): string | undefined {
    const replaced = this.#map.entry?.(session, id);
    if (replaced === undefined) return id;
    return this.#taken(replaced, id, at);
  }

  #bound(id: string, at: string): string | undefined {
    if (this.#map.bound === undefined) return this.#entry('', id, at);
    return this.#taken(this.#map.bound(id), id, at);
  }

  #taken(replaced: Replacement, id: string, at: string): string | undefined {
    if (replaced === 'left_out') return undefined;
    if (replaced !== 'as_written') return replaced.id;
    this.#unmapped.push(at);
    return id;
  }

  #session(id: string, at: string): string {
    if (this.#map.session === undefined) return id;
    const replaced = this.#map.session(id);
    if (replaced === undefined) this.#unmapped.push(at);
    return replaced ?? id;
  }

  #parents(parents: readonly JsonNode[], parent: string | null): readonly JsonNode[] {
    let changed = false;
    // What stands for an entry that was left out may be the parent itself, or be named already: neither may be (4.5).
    const named = new Set([parent]);
    const refs = parents.flatMap((ref, i): readonly JsonNode[] => {
      if (ref.kind !== 'object') return [ref];
      const written = textMember(ref, 'session') ?? '';
      const session = written === this.#sessionId ? '' : written;
      const id = textMember(ref, 'entry') ?? '';
      const entry = this.#entry(session, id, `/parents/${i}/entry`);
      if (entry === undefined || (session === '' && named.has(entry))) {
        this.#dropped.push(`/parents/${i}`);
        return [];
      }
      if (session === '') named.add(entry);
      const inSession = session === '' ? written : this.#session(session, `/parents/${i}/session`);
      const isSame = entry === id && inSession === written;
      changed ||= !isSame;
      if (isSame) return [ref];
      return [
        objectOf(
          ref.members.flatMap((member) => {
            if (member.name === 'entry') return [memberOf('entry', stringNode(entry))];
            // The copy has another id: what spelled out the original's is a reference into the file.
            if (member.name === 'session') return session === '' ? [] : [memberOf('session', stringNode(inSession))];
            return [member];
          }),
        ),
      ];
    });
    return changed ? sortedParents(refs) : refs;
  }

  #body(kind: string, body: JsonObject): JsonObject {
    switch (kind) {
      case 'item':
        return this.#members(body, {
          queued_from: (id, at) => this.#removable(id, at),
          from_link: (id, at) => this.#removable(id, at),
        });
      case 'config':
        return this.#omitted(this.#omit(body, ''));
      case 'compaction': {
        const kept = this.#members(body, { first_kept: (id, at) => this.#placed(this.#bound(id, at), at) });
        const config = memberNamed(kept, 'config');
        return config?.kind === 'object' ? put(kept, 'config', this.#omit(config, '/config')) : kept;
      }
      case 'branch_summary':
        return this.#members(body, { from: (id, at) => this.#placed(this.#entry('', id, at), at) });
      case 'outcome':
      case 'dispatch':
      case 'decision':
        return this.#members(body, { target: (id, at) => this.#placed(this.#entry('', id, at), at) });
      case 'label':
        return this.#label(body);
      case 'link':
        return this.#link(body);
      default:
        return body;
    }
  }

  /** Changes string members that are not empty; one for which nothing comes back is removed. */
  #members(
    body: JsonObject,
    change: { readonly [name: string]: (text: string, at: string) => string | undefined },
  ): JsonObject {
    return objectOf(
      body.members.flatMap((member) => {
        const { name, value } = member;
        const rule = Object.hasOwn(change, name) ? change[name] : undefined;
        if (rule === undefined || value.kind !== 'string' || value.value === '') return [member];
        const text = rule(value.value, `/${name}`);
        if (text === undefined) return [];
        return [text === value.value ? member : memberOf(name, stringNode(text))];
      }),
    );
  }

  #removable(id: string, at: string): string | undefined {
    const entry = this.#entry('', id, at);
    if (entry === undefined) this.#dropped.push(at);
    return entry;
  }

  #placed(entry: string | undefined, at: string): string {
    if (entry === undefined)
      throw new SessionError(
        'no_place',
        'an entry that was left out is named by a member that must name something',
        at,
      );
    return entry;
  }

  #label(body: JsonObject): JsonObject {
    const isLeaf = textMember(body, 'label') === 'leaf';
    const target = textMember(body, 'target') ?? '';
    if (!isLeaf || target === '')
      return this.#members(body, { target: (id, at) => this.#placed(this.#entry('', id, at), at) });
    const entry = this.#entry('', target, '/target');
    if (entry !== undefined) return put(body, 'target', stringNode(entry));
    this.#dropped.push('/target');
    return put(body, 'target', { kind: 'null', start: 0, end: 0 });
  }

  #link(body: JsonObject): JsonObject {
    const rel = textMember(body, 'rel') ?? '';
    const isCallee = rel === 'subsession' || rel === 'peer';
    const isTyped = rel === 'judged_by' || (isCallee && textMember(body, 'cancel') === 'sent');
    return this.#members(body, {
      session: (id, at) => this.#session(id, at),
      ...(isTyped ? { target: (id: string, at: string) => this.#placed(this.#entry('', id, at), at) } : {}),
    });
  }

  #omitted(body: JsonObject): JsonObject {
    const list = memberNamed(body, 'instructions_omitted');
    if (list?.kind !== 'array') return body;
    const items = list.items.map((element, i) => {
      if (element.kind !== 'object' || !isOmittedKeep(element)) return element;
      const of = textMember(element, 'of') ?? '';
      if (of === '') return element;
      const at = `/instructions_omitted/${i}/of`;
      return put(element, 'of', stringNode(this.#placed(this.#entry('', of, at), at)));
    });
    return put(body, 'instructions_omitted', { ...list, items });
  }

  /** `omit` of a config or a checkpoint. */
  #omit(settings: JsonObject, within: string): JsonObject {
    const [omit, typed] = [memberNamed(settings, 'omit'), omitOf(settings)];
    if (omit?.kind !== 'object' || typed === undefined) return settings;
    const members = omit.members.flatMap((member) => {
      const { name, value } = member;
      const at = `${within}/omit/${name}`;
      if (name === 'items' && value.kind === 'array') {
        const items = this.#ids(value, at);
        return items.items.length === 0 && value.items.length > 0 ? [] : [memberOf(name, items)];
      }
      if (name === 'outputs' && value.kind === 'object' && typed.outputs !== undefined) {
        const ids = memberNamed(value, 'items');
        if (ids?.kind !== 'array') return [member];
        const items = this.#ids(ids, `${at}/items`);
        const isEmptied = items.items.length === 0 && ids.items.length > 0;
        const rest = value.members.filter((each) => each.name !== 'items');
        return [memberOf(name, objectOf(isEmptied ? rest : [...rest, memberOf('items', items)]))];
      }
      if (name === 'images' && value.kind === 'object' && typed.images !== undefined) {
        const before = textMember(value, 'before');
        if (before === undefined) return [member];
        const bound = this.#placed(this.#bound(before, `${at}/before`), `${at}/before`);
        return [memberOf(name, put(value, 'before', stringNode(bound)))];
      }
      return [member];
    });
    // An omit that lost its last member would clear what is in force.
    if (members.length === 0 && omit.members.length > 0)
      return objectOf(settings.members.filter(({ name }) => name !== 'omit'));
    return put(settings, 'omit', objectOf(members));
  }

  #ids(list: JsonArray, at: string): JsonArray {
    const items = list.items.flatMap((item, i) => {
      if (item.kind !== 'string' || item.value === '') return [item];
      const entry = this.#entry('', item.value, `${at}/${i}`);
      if (entry === undefined) this.#dropped.push(`${at}/${i}`);
      return entry === undefined ? [] : [stringNode(entry)];
    });
    return { ...list, items };
  }
}

function put(object: JsonObject, name: string, value: JsonNode): JsonObject {
  return objectOf(object.members.map((member) => (member.name === name ? memberOf(name, value) : member)));
}

/** The header with its references pointed elsewhere: `base` and `parent_session`. `redacted_from` is never re-pointed. */
export function remapHeaderRefs(header: JsonObject, map: RefMap): JsonObject {
  return objectOf(
    header.members.flatMap((member) => {
      const { name, value } = member;
      if (value.kind !== 'string' || value.value === '') return [member];
      if (name === 'base') {
        const entry = map.entry?.('', value.value);
        if (entry === 'left_out') return [];
        return [entry === undefined || entry === 'as_written' ? member : memberOf(name, stringNode(entry.id))];
      }
      if (name !== 'parent_session') return [member];
      const session = map.session?.(value.value);
      return [session === undefined ? member : memberOf(name, stringNode(session))];
    }),
  );
}
