/**
 * Migration of files of format 0.1 to 0.4 in memory (session-format 10): ids become hashes, references follow, `legacy_id` keeps the old
 * name. Nothing is written.
 */
import { hex } from '../bytes/encoding.ts';
import { canonicalize } from '../json/canonical.ts';
import { type JsonMember, type JsonNode, type JsonObject, parseTree } from '../json/tree.ts';
import { kindOf } from './entry.ts';
import type { EntryKind } from './model.ts';
import type { EntryIndex } from './session.ts';
import { canonicalTs } from './timestamp.ts';

/** Members that name an entry, by type (10 step 5). `item.response` is a provider's id and not among them. */
const REFERENCES: Readonly<Partial<Record<EntryKind, string>>> = {
  item: 'queued_from',
  compaction: 'first_kept',
  branch_summary: 'from',
  label: 'target',
  outcome: 'target',
  dispatch: 'target',
  decision: 'target',
};

/** What migration makes of a line. */
export interface Migrated {
  /** The canonical line, `id` aside. */
  readonly line: Uint8Array;
  /** A reference could not be followed, or the entry is not one that may be rewritten. */
  readonly unresolved: boolean;
}

/** Old ids and the entries they became. */
export class Migration {
  readonly #sessionId: string;
  readonly #entries = new Map<string, EntryIndex>();
  readonly #idOf: (entry: EntryIndex) => string;

  constructor(sessionId: string, idOf: (entry: EntryIndex) => string) {
    this.#sessionId = sessionId;
    this.#idOf = idOf;
  }

  get(old: string): EntryIndex | undefined {
    return this.#entries.get(old);
  }

  set(old: string, entry: EntryIndex): void {
    this.#entries.set(old, entry);
  }

  /**
   * Rewrites a line whose envelope was checked.
   *
   * @param before only entries before this one are known to it.
   */
  rewrite(line: Uint8Array, before: EntryIndex): Migrated {
    const parsed = parseTree(line);
    const root = (parsed as { readonly root: JsonObject }).root;
    const type = textMember(root, 'type') ?? '';
    const kind = kindOf(type);
    const isExtension = kind === 'extension';
    let unresolved = isExtension || root.members.some(({ name }) => name === 'content');
    const newId = (old: string): string | undefined => {
      const entry = this.#entries.get(old);
      return entry === undefined || entry >= before ? undefined : this.#idOf(entry);
    };
    const reference = REFERENCES[kind];
    const members: JsonMember[] = [];
    for (const member of root.members) {
      const { name, value } = member;
      const put = (changed: JsonNode) => members.push({ ...member, value: changed });
      if (name === 'id' || name === 'legacy_id') continue;
      if (name === 'ts' && value.kind === 'string') put(text(canonicalTs(value.value) ?? value.value));
      else if (name === 'parent' && value.kind === 'string') put(text(newId(value.value) ?? value.value));
      else if (name === 'parents' && value.kind === 'array') {
        const { node, followed } = this.#parents(value.items, newId);
        unresolved ||= !followed;
        put({ ...value, items: node });
      } else if (name === reference && value.kind === 'string' && value.value !== '') {
        const followed = newId(value.value);
        unresolved ||= followed === undefined;
        put(followed === undefined ? value : text(followed));
      } else put(value);
    }
    members.push({ name: 'legacy_id', nameIllFormed: false, nameStart: 0, value: text(textMember(root, 'id') ?? '') });
    return { line: canonicalize({ ...root, members }), unresolved };
  }

  #parents(
    items: readonly JsonNode[],
    newId: (old: string) => string | undefined,
  ): { node: readonly JsonNode[]; followed: boolean } {
    let followed = true;
    const node = items.map((item) => {
      if (item.kind !== 'object') return item;
      const session = textMember(item, 'session') ?? '';
      const id = newId(textMember(item, 'entry') ?? '');
      const isHere = session === '' || session === this.#sessionId;
      if (!isHere || id === undefined) {
        followed = false;
        return item;
      }
      return {
        ...item,
        members: item.members.map((member) => (member.name === 'entry' ? { ...member, value: text(id) } : member)),
      };
    });
    return { node, followed };
  }
}

/** The migrated line with its id, as a writer of the format would write it. */
export function withId(line: Uint8Array, id: Uint8Array): Uint8Array {
  const parsed = parseTree(line);
  const root = (parsed as { readonly root: JsonObject }).root;
  const member: JsonMember = { name: 'id', nameIllFormed: false, nameStart: 0, value: text(`sha256:${hex(id)}`) };
  return canonicalize({ ...root, members: [...root.members, member] });
}

function textMember(object: JsonObject, name: string): string | undefined {
  const value = object.members.find((member) => member.name === name)?.value;
  return value?.kind === 'string' ? value.value : undefined;
}

function text(value: string): JsonNode {
  return { kind: 'string', value, illFormed: false, start: 0, end: 0 };
}
