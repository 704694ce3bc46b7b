/** Where a secret stands that a redaction did not replace: in a place that session-format 11.5 leaves, or brought about by what was put in. */
import { pointer } from '../../json/pointer.ts';
import { type JsonNode, parseTree } from '../../json/tree.ts';
import { Spellings } from './spellings.ts';

/** A text that must not stand in a copy, and what stands in its place. */
export interface Secret {
  readonly secret: string;
  readonly by: string;
}

/** Finds the first of some secrets that a text holds, however it is spelled there. */
export function finder(secrets: readonly Secret[]): (text: string) => Secret | undefined {
  const spellings = new Spellings(new Map(secrets.map(({ secret }, i) => [secret, String(i)])));
  return (text) => {
    const [first] = spellings.in(text);
    return first === undefined ? undefined : secrets[Number(first.by)];
  };
}

/**
 * The place of a secret in a line, as a JSON Pointer. Of a member whose name holds it the place is the object that has the member, so that nothing
 * of the secret is told. Undefined where no one value holds it.
 */
export function placeIn(line: Uint8Array, { secret }: Secret): string | undefined {
  const parsed = parseTree(line);
  if (!parsed.ok) return undefined;
  const work: { readonly node: JsonNode; readonly path: readonly (string | number)[] }[] = [
    { node: parsed.root, path: [] },
  ];
  for (let next = work.pop(); next !== undefined; next = work.pop()) {
    const { node, path } = next;
    if (node.kind === 'string' ? node.value.includes(secret) : node.kind === 'number' && node.text.includes(secret))
      return pointer(path);
    if (node.kind === 'object') {
      if (node.members.some(({ name }) => name.includes(secret))) return pointer(path);
      for (const { name, value } of node.members) work.push({ node: value, path: [...path, name] });
    } else if (node.kind === 'array')
      for (const [i, item] of node.items.entries()) work.push({ node: item, path: [...path, i] });
  }
  return undefined;
}
