/**
 * Payload objects of a line as they are hashed: their RFC 8785 form, and the items that `omit` has changed for a request
 * (session-format 7.3). What is canonical on the line is taken from it in place.
 */
import { ByteWriter, canonicalize, canonicalizeText, canonicalOfTree, writeCanonical } from '../json/canonical.ts';
import { Scanner } from '../json/scan.ts';
import { type JsonMember, type JsonNode, type JsonObject, parseTree } from '../json/tree.ts';
import type { RawJson } from './model.ts';

const decoder = new TextDecoder();

const scanner = new Scanner();
const out = new ByteWriter();

/** The RFC 8785 bytes of a value: a view of the line where it is canonical there, and good until the next call elsewhere. */
export function canonicalView(raw: RawJson): Uint8Array {
  if (raw.canonical) return raw.bytes;
  if (raw.scanned === undefined) return canonicalizeText(raw.bytes, scanner) ?? raw.bytes;
  out.clear();
  writeCanonical(raw.scanned.scanner, raw.scanned.node, out);
  return out.view();
}

/** The RFC 8785 bytes of a value: a view of the line where it is canonical there. */
export function canonicalBytes(raw: RawJson): Uint8Array {
  const bytes = canonicalView(raw);
  return raw.scanned === undefined ? bytes : bytes.slice();
}

/** The same in memory of its own. */
export function ownCanonicalBytes(raw: RawJson): Uint8Array {
  return canonicalView(raw).slice();
}

/** The RFC 8785 text of a value, without the named members when it is an object. */
export function canonicalText(raw: RawJson, without?: ReadonlySet<string>): string {
  if (without === undefined) return decoder.decode(canonicalBytes(raw));
  const tree = treeOf(raw);
  if (tree.kind !== 'object') return decoder.decode(canonicalBytes(raw));
  return canonicalOfTree(withMembers(tree, ({ name, value }) => (without.has(name) ? undefined : value)));
}

/** What `omit` changed in an item: its whole `output`, or its first image parts. */
export type ItemEdit = { readonly output: string } | { readonly images: number; readonly placeholder: string };

/** The RFC 8785 bytes of an item as a request carries it. */
export function sentBytes(raw: RawJson, edit: ItemEdit | undefined): Uint8Array {
  if (edit === undefined) return canonicalBytes(raw);
  const tree = treeOf(raw);
  if (tree.kind !== 'object') return canonicalBytes(raw);
  if ('output' in edit) {
    const rest = withMembers(tree, (member) => (member.name === 'output' ? undefined : member.value));
    const output: JsonMember = { name: 'output', nameIllFormed: false, nameStart: 0, value: stringNode(edit.output) };
    return canonicalize({ ...rest, members: [...rest.members, output] });
  }
  const parts = textOf(tree, 'type') === 'message' ? 'content' : 'output';
  const edited = withMembers(tree, ({ name, value }) => (name === parts ? withoutImages(value, edit) : value));
  return canonicalize(edited);
}

function withoutImages(parts: JsonNode, edit: { readonly images: number; readonly placeholder: string }): JsonNode {
  if (parts.kind !== 'array') return parts;
  let left = edit.images;
  const items = parts.items.map((part) => {
    if (left === 0 || part.kind !== 'object' || textOf(part, 'type') !== 'input_image') return part;
    left--;
    return objectNode([
      ['type', stringNode('input_text')],
      ['text', stringNode(edit.placeholder)],
    ]);
  });
  return { ...parts, items };
}

/** The value of a string member, if the object has one of that name. */
export function textOf(object: JsonObject, name: string): string | undefined {
  const value = object.members.find((member) => member.name === name)?.value;
  return value?.kind === 'string' ? value.value : undefined;
}

/** The object with every member replaced by what `change` gives, or left out where that is undefined. */
export function withMembers(object: JsonObject, change: (member: JsonMember) => JsonNode | undefined): JsonObject {
  const members: JsonMember[] = [];
  for (const member of object.members) {
    const value = change(member);
    if (value !== undefined) members.push({ ...member, value });
  }
  return { ...object, members };
}

const NO_SPAN = { start: 0, end: 0 };

/** A string as a node of a tree that stands in no text. */
export function stringNode(value: string): JsonNode {
  return { kind: 'string', value, illFormed: false, ...NO_SPAN };
}

export function arrayNode(items: readonly JsonNode[]): JsonNode {
  return { kind: 'array', items, ...NO_SPAN };
}

export function nullNode(): JsonNode {
  return { kind: 'null', ...NO_SPAN };
}

function objectNode(members: readonly (readonly [name: string, value: JsonNode])[]): JsonNode {
  return {
    kind: 'object',
    members: members.map(([name, value]) => ({ name, nameIllFormed: false, nameStart: 0, value })),
    ...NO_SPAN,
  };
}

/** The tree of a value that a reader has already accepted. */
export function treeOf(raw: { readonly bytes: Uint8Array }): JsonNode {
  const parsed = parseTree(raw.bytes);
  if (!parsed.ok) throw new RangeError(`not a value that a reader accepted: ${parsed.problem.message}`);
  return parsed.root;
}
