/** Members of JSON objects in documents of other projects, where unknown members are ignored and repeated ones are refused. */
import type { JsonNode, JsonObject } from '../json/tree.ts';

/** The value of a member, of the first where there are several. */
export function memberOf(object: JsonObject, name: string): JsonNode | undefined {
  return object.members.find((member) => member.name === name)?.value;
}

/** A name that an object at any depth has twice. Does not recurse. */
export function repeatedName(root: JsonNode): string | undefined {
  const work: JsonNode[] = [root];
  for (let node = work.pop(); node !== undefined; node = work.pop()) {
    if (node.kind === 'array') for (const item of node.items) work.push(item);
    if (node.kind !== 'object') continue;
    const names = new Set<string>();
    for (const { name, value } of node.members) {
      if (names.has(name)) return name;
      names.add(name);
      work.push(value);
    }
  }
  return undefined;
}

/** The text of a string of Unicode characters. */
export function textOf(node: JsonNode | undefined): string | undefined {
  return node?.kind === 'string' && !node.illFormed ? node.value : undefined;
}

/** A whole number from 0. */
export function countOf(node: JsonNode | undefined): number | undefined {
  if (node?.kind !== 'number' || !/^(0|[1-9][0-9]{0,15})$/.test(node.text)) return undefined;
  const value = Number(node.text);
  return Number.isSafeInteger(value) ? value : undefined;
}

/** A list of strings. */
export function textsOf(node: JsonNode | undefined): readonly string[] | undefined {
  if (node?.kind !== 'array') return undefined;
  const texts = node.items.map(textOf);
  return texts.every((text) => text !== undefined) ? texts : undefined;
}
