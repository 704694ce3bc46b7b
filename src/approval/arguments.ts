/**
 * Canonical arguments (approvals 2.1): what of a call's arguments is signed. Neither I-JSON nor RFC 8785: numbers keep their spelling,
 * names sort by UTF-8, the last of repeated names wins, and bytes that are not one JSON value are used as they are.
 */
import { compareBytes, concat, utf8 } from '../bytes/encoding.ts';
import { sha256 } from '../crypto/sha256.ts';
import { decodeEachByte, quote } from '../journal/text.ts';
import type { JsonNode } from '../json/tree.ts';
import { parseTree } from '../json/tree.ts';

const EMPTY = utf8('{}');

/** Steps 1 to 4 of approvals 2.1. */
export function canonicalArguments(raw: Uint8Array | undefined): Uint8Array {
  // 1. Trim; 2. nothing left.
  const trimmed = raw === undefined ? EMPTY : trim(raw);
  if (trimmed.length === 0) return EMPTY;
  // 3. Exactly one JSON value, or the bytes as they are. Each byte that is no UTF-8 becomes one U+FFFD.
  const parsed = parseTree(utf8(decodeEachByte(trimmed)));
  if (!parsed.ok) return trimmed.slice();
  // 4. Write it anew.
  return write(parsed.root);
}

/** Digests by the bytes they are of: every decision on one call is over the same arguments, and those may be large. */
const digests = new WeakMap<Uint8Array, Uint8Array>();
const EMPTY_DIGEST = sha256(EMPTY);

/** SHA-256 of the canonical arguments, field 5 of the decision bytes. The bytes must not be changed afterwards. */
export function argumentsDigest(raw: Uint8Array | undefined): Uint8Array {
  if (raw === undefined) return EMPTY_DIGEST;
  const known = digests.get(raw);
  if (known !== undefined) return known;
  const digest = sha256(canonicalArguments(raw));
  digests.set(raw, digest);
  return digest;
}

function trim(bytes: Uint8Array): Uint8Array {
  const isSpace = (byte: number | undefined) => byte === 0x20 || (byte !== undefined && byte >= 0x09 && byte <= 0x0d);
  let start = 0;
  let end = bytes.length;
  while (start < end && isSpace(bytes[start])) start++;
  while (end > start && isSpace(bytes[end - 1])) end--;
  return bytes.subarray(start, end);
}

/** Writes without recursion: what is still to be written stands on a stack, as text or as a value. */
function write(root: JsonNode): Uint8Array {
  const parts: Uint8Array[] = [];
  let text = '';
  const stack: (JsonNode | string)[] = [root];
  for (let next = stack.pop(); next !== undefined; next = stack.pop()) {
    if (typeof next === 'string') text += next;
    else if (next.kind === 'number') text += next.text;
    else if (next.kind === 'string') text += quote(next.value);
    else if (next.kind === 'array') {
      text += '[';
      stack.push(']');
      for (let i = next.items.length - 1; i >= 0; i--) {
        stack.push(next.items[i] as JsonNode);
        if (i > 0) stack.push(',');
      }
    } else if (next.kind === 'object') {
      const members = sorted(next.members);
      text += '{';
      stack.push('}');
      for (let i = members.length - 1; i >= 0; i--) {
        const { name, value } = members[i] as SortedMember;
        stack.push(value, `${i > 0 ? ',' : ''}${quote(name)}:`);
      }
    } else text += next.kind;
    if (text.length > 65_536) {
      parts.push(utf8(text));
      text = '';
    }
  }
  return concat(...parts, utf8(text));
}

interface SortedMember {
  readonly name: string;
  readonly key: Uint8Array;
  readonly value: JsonNode;
}

/** By the UTF-8 bytes of the name; of members with one name the last. A half surrogate in a name is U+FFFD before names are compared. */
function sorted(members: readonly { readonly name: string; readonly value: JsonNode }[]): readonly SortedMember[] {
  const last = new Map<string, JsonNode>();
  for (const { name, value } of members) last.set(name.replace(/\p{Surrogate}/gu, '\ufffd'), value);
  return [...last]
    .map(([name, value]) => ({ name, value, key: utf8(name) }))
    .sort((a, b) => compareBytes(a.key, b.key));
}

/** Why a producer should not sign such arguments (approvals 2.1.2 trap 5); undefined when they read one way to everybody. */
export function ambiguousArguments(raw: Uint8Array | undefined): string | undefined {
  if (raw === undefined || trim(raw).length === 0) return undefined;
  const parsed = parseTree(raw);
  if (!parsed.ok) return `they are not one JSON value: ${parsed.problem.message}`;
  const stack: JsonNode[] = [parsed.root];
  for (let node = stack.pop(); node !== undefined; node = stack.pop()) {
    if (node.kind === 'string' && node.illFormed) return 'a string holds half of a surrogate pair';
    if (node.kind === 'array') for (const item of node.items) stack.push(item);
    if (node.kind !== 'object') continue;
    const names = new Set<string>();
    for (const { name, nameIllFormed, value } of node.members) {
      if (nameIllFormed) return 'a name holds half of a surrogate pair';
      if (names.has(name)) return `the name ${JSON.stringify(name.slice(0, 80))} stands twice in one object`;
      names.add(name);
      stack.push(value);
    }
  }
  return undefined;
}
