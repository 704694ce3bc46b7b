/**
 * Writes `audit.trust.v1` files: an empty one, and one with an entry added. What the program does not own (sections of other modules,
 * `about` texts, number spellings, member order) is kept as it stands; only white space is laid out anew.
 */
import { utf8 } from '../bytes/encoding.ts';
import type { JsonMember, JsonNode, JsonObject } from '../json/tree.ts';
import { parseTree } from '../json/tree.ts';
import { TRUST_FORMAT } from './read.ts';
import type { Role } from './trust.ts';

export interface KeyEntry {
  readonly name: string;
  readonly key: string;
  readonly roles: readonly Role[];
  /** RFC 3339. */
  readonly from?: string;
  readonly until?: string;
}

/** What can be added to a trust file. JSON parts are given as their text. */
export type TrustAddition =
  | { readonly to: 'keys'; readonly entry: KeyEntry }
  | { readonly to: 'approvers'; readonly approver: string; readonly key: string }
  | { readonly to: 'gates'; readonly json: string }
  | { readonly to: 'requirements'; readonly kind: string; readonly claims: readonly string[] };

/** An empty trust file. */
export function emptyTrustFile(): Uint8Array {
  return utf8(`{\n  "format": "${TRUST_FORMAT}"\n}\n`);
}

/**
 * The file with an entry added at the end of its section. The result is to be read again with `readTrust` before it replaces anything:
 * that is where a weak key, a repeated name or a wrong role is found.
 *
 * @returns the new bytes, or why the file or the entry is not JSON of the form that an entry can be added to.
 */
export function addToTrustFile(
  bytes: Uint8Array,
  addition: TrustAddition,
): { readonly bytes: Uint8Array } | { readonly problem: string } {
  const parsed = parseTree(bytes);
  if (!parsed.ok) return { problem: `the trust file does not read: ${parsed.problem.message}` };
  if (parsed.root.kind !== 'object') return { problem: 'the trust file is not an object' };
  if (tooDeep(parsed.root)) return { problem: `the trust file nests deeper than ${MAX_NESTING} levels` };
  const root = parsed.root;
  const present = root.members.find(({ name }) => name === addition.to)?.value;
  const wanted = addition.to === 'keys' || addition.to === 'gates' ? 'array' : 'object';
  if (present !== undefined && present.kind !== wanted)
    return { problem: `"${addition.to}" of the trust file is not ${wanted === 'array' ? 'a list' : 'an object'}` };
  const section = added(present, addition);
  if (typeof section === 'string') return { problem: section };
  const members = root.members.map((member) => (member.name === addition.to ? { ...member, value: section } : member));
  if (present === undefined) members.push(named(addition.to, section));
  return { bytes: utf8(`${layOut({ ...root, members })}\n`) };
}

function added(present: JsonNode | undefined, addition: TrustAddition): JsonNode | string {
  switch (addition.to) {
    case 'keys': {
      const { name, key, roles, from, until } = addition.entry;
      const times = [
        ...(from === undefined ? [] : [named('from', text(from))]),
        ...(until === undefined ? [] : [named('until', text(until))]),
      ];
      const entry = object([
        named('name', text(name)),
        named('key', text(key)),
        named('roles', list(roles.map(text))),
        ...times,
      ]);
      return list([...items(present), entry]);
    }
    case 'gates': {
      const parsed = parseTree(utf8(addition.json));
      if (parsed.ok && tooDeep(parsed.root)) return `the gate nests deeper than ${MAX_NESTING} levels`;
      return parsed.ok ? list([...items(present), parsed.root]) : `the gate is not JSON: ${parsed.problem.message}`;
    }
    case 'approvers': {
      const before = members(present).find(({ name }) => name === addition.approver)?.value;
      const key = text(addition.key);
      const value = before === undefined ? key : list([...(before.kind === 'array' ? before.items : [before]), key]);
      return replaced(present, addition.approver, value);
    }
    case 'requirements':
      return replaced(present, addition.kind, list(addition.claims.map(text)));
  }
}

function items(node: JsonNode | undefined): readonly JsonNode[] {
  return node?.kind === 'array' ? node.items : [];
}
function members(node: JsonNode | undefined): readonly JsonMember[] {
  return node?.kind === 'object' ? node.members : [];
}
function replaced(node: JsonNode | undefined, name: string, value: JsonNode): JsonObject {
  const kept = members(node);
  const found = kept.some((member) => member.name === name);
  return object(found ? kept.map((m) => (m.name === name ? { ...m, value } : m)) : [...kept, named(name, value)]);
}

const NOWHERE = { start: 0, end: 0 };
function text(value: string): JsonNode {
  return { kind: 'string', value, illFormed: false, ...NOWHERE };
}
function list(nodes: readonly JsonNode[]): JsonNode {
  return { kind: 'array', items: nodes, ...NOWHERE };
}
function object(of: readonly JsonMember[]): JsonObject {
  return { kind: 'object', members: of, ...NOWHERE };
}
function named(name: string, value: JsonNode): JsonMember {
  return { name, nameIllFormed: false, nameStart: 0, value };
}

/** Depth past which nothing is laid out: `layOut` goes down by calls. */
const MAX_NESTING = 64;

function tooDeep(root: JsonNode): boolean {
  let level: readonly JsonNode[] = [root];
  for (let depth = 0; depth <= MAX_NESTING && level.length > 0; depth++)
    level = level.flatMap((node) =>
      node.kind === 'array' ? node.items : node.kind === 'object' ? node.members.map(({ value }) => value) : [],
    );
  return level.length > 0;
}

/** JSON with two spaces of indentation; lists of scalars on one line. */
function layOut(node: JsonNode, depth = 0): string {
  const inner = '  '.repeat(depth + 1);
  const outer = '  '.repeat(depth);
  switch (node.kind) {
    case 'string':
      return JSON.stringify(node.value);
    case 'number':
      return node.text;
    case 'array': {
      if (node.items.length === 0) return '[]';
      const parts = node.items.map((item) => layOut(item, depth + 1));
      const flat = node.items.every((item) => item.kind !== 'array' && item.kind !== 'object');
      const line = `[${parts.join(', ')}]`;
      return flat && line.length <= 100 ? line : `[\n${parts.map((part) => inner + part).join(',\n')}\n${outer}]`;
    }
    case 'object': {
      if (node.members.length === 0) return '{}';
      const parts = node.members.map(
        ({ name, value }) => `${inner}${JSON.stringify(name)}: ${layOut(value, depth + 1)}`,
      );
      return `{\n${parts.join(',\n')}\n${outer}}`;
    }
    default:
      return node.kind;
  }
}
