/** JSON Pointer (RFC 6901). */
import type { JsonNode } from './tree.ts';

/** One reference token, escaped. */
export function escapeToken(token: string | number): string {
  return typeof token === 'number' ? String(token) : token.replaceAll('~', '~0').replaceAll('/', '~1');
}

/** The pointer of a sequence of member names and array indices; empty for the whole document. */
export function pointer(tokens: Iterable<string | number>): string {
  let text = '';
  for (const token of tokens) text += `/${escapeToken(token)}`;
  return text;
}

/** The tokens of a pointer; undefined if the text is not a pointer (no leading `/`, or a `~` that is neither `~0` nor `~1`). */
export function parsePointer(text: string): readonly string[] | undefined {
  if (text === '') return [];
  if (!text.startsWith('/') || /~(?![01])/.test(text)) return undefined;
  return text
    .slice(1)
    .split('/')
    .map((token) => token.replaceAll('~1', '/').replaceAll('~0', '~'));
}

/** The value that a pointer names; undefined when there is none, or the text is not a pointer. Of repeated members the last one counts. */
export function resolvePointer(root: JsonNode, text: string): JsonNode | undefined {
  const tokens = parsePointer(text);
  if (tokens === undefined) return undefined;
  let node: JsonNode | undefined = root;
  for (const token of tokens) {
    if (node?.kind === 'object') node = node.members.findLast((member) => member.name === token)?.value;
    else if (node?.kind === 'array' && /^(?:0|[1-9][0-9]*)$/.test(token)) node = node.items[Number(token)];
    else return undefined;
  }
  return node;
}
