/** The references of `parents` as a writer writes them (session-format 4.5). */
import { compareUtf8 } from '../../bytes/encoding.ts';
import type { JsonNode } from '../../json/tree.ts';
import { textMember } from './value.ts';

/** Sorted by session, then entry, by code point; references without a session first. */
export function sortedParents(parents: readonly JsonNode[]): readonly JsonNode[] {
  if (parents.length < 2) return parents;
  const key = (ref: JsonNode, name: string): string => (ref.kind === 'object' ? (textMember(ref, name) ?? '') : '');
  return [...parents].sort(
    (a, b) => compareUtf8(key(a, 'session'), key(b, 'session')) || compareUtf8(key(a, 'entry'), key(b, 'entry')),
  );
}
