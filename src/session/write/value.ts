/**
 * JSON in memory, as a program builds it, and as the trees that a session is written from: trees keep number spellings and every member
 * (session-format Appendix D, 1 to 3).
 */
import { canonicalNumber } from '../../json/number.ts';
import type { JsonMember, JsonNode, JsonObject } from '../../json/tree.ts';

/** A JSON value of a program. A `bigint` is written as its digits. */
export type JsonValue =
  | null
  | boolean
  | number
  | bigint
  | string
  | readonly JsonValue[]
  | { readonly [name: string]: JsonValue | undefined };

const NO_SPAN = { start: 0, end: 0 };

const LONE = /\p{Surrogate}/u;

/** Whether a string is not Unicode text. */
export function hasLoneSurrogate(text: string): boolean {
  return LONE.test(text);
}

/** The text with U+FFFD for each lone surrogate. */
export function wellFormed(text: string): string {
  return LONE.test(text) ? text.replace(/\p{Surrogate}/gu, '\ufffd') : text;
}

export function stringNode(value: string): JsonNode {
  return { kind: 'string', value, illFormed: hasLoneSurrogate(value), start: 0, end: 0 };
}

export function memberOf(name: string, value: JsonNode): JsonMember {
  return { name, nameIllFormed: hasLoneSurrogate(name), nameStart: 0, value };
}

export function objectOf(members: readonly JsonMember[]): JsonObject {
  return { kind: 'object', members, start: 0, end: 0 };
}

/** The tree of a value; members that are `undefined` are left out. The value must not contain itself. */
export function nodeOf(value: JsonValue): JsonNode {
  if (value === null) return { kind: 'null', ...NO_SPAN };
  if (typeof value === 'string') return stringNode(value);
  if (typeof value === 'boolean') return { kind: value ? 'true' : 'false', ...NO_SPAN };
  if (typeof value === 'bigint') return { kind: 'number', text: value.toString(), ...NO_SPAN };
  if (typeof value === 'number') {
    if (!Number.isFinite(value)) throw new RangeError(`${value} is no JSON number`);
    return { kind: 'number', text: canonicalNumber(value), ...NO_SPAN };
  }
  if (Array.isArray(value))
    return { kind: 'array', items: (value as readonly JsonValue[]).map((item) => nodeOf(item)), ...NO_SPAN };
  return objectOfValue(value as { readonly [name: string]: JsonValue | undefined });
}

/** The tree of an object. */
export function objectOfValue(value: { readonly [name: string]: JsonValue | undefined }): JsonObject {
  const members: JsonMember[] = [];
  for (const name of Object.keys(value)) {
    const member = value[name];
    if (member !== undefined) members.push(memberOf(name, nodeOf(member)));
  }
  return objectOf(members);
}

/** The last member of that name. */
export function memberNamed(object: JsonObject, name: string): JsonNode | undefined {
  return object.members.findLast((member) => member.name === name)?.value;
}

/** A string member. */
export function textMember(object: JsonObject, name: string): string | undefined {
  const value = memberNamed(object, name);
  return value?.kind === 'string' ? value.value : undefined;
}
