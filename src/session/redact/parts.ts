/** Instruction parts under a redaction: their hashes follow their texts, and the string beside them is their join. Session-format 11.5, 11.8. */
import type { JsonArray, JsonNode, JsonObject } from '../../json/tree.ts';
import { applyConfig, EMPTY_SETTINGS, PART_SEPARATOR, type Settings, textHash } from '../settings.ts';
import { decodeBody } from '../write/decodeBody.ts';
import { SessionError } from '../write/error.ts';
import { memberNamed, memberOf, objectOf, stringNode, textMember } from '../write/value.ts';
import type { RewriteText } from './rewriteStrings.ts';

/** A part that is named and cannot be rebuilt: its place in the body, and its id in the original. */
export interface Unmet {
  readonly at: string;
  readonly id: string;
}

/** What of the entries before one is known. */
export interface PartMemory {
  /** The original's settings before the entry. */
  readonly before: Settings;
  /** Rewritten texts by the hash of the text that they replace; added to. */
  readonly texts: Map<string, string>;
}

export const NO_MEMORY: PartMemory = { before: EMPTY_SETTINGS, texts: new Map() };

/**
 * The rewritten parts with hashes of the rewritten texts. What stands in the place of a hash and is none of the part's own text, nor names a text
 * that was met elsewhere, is text that the function is given.
 */
export function rewriteParts(
  before: JsonArray,
  after: JsonArray,
  memory: PartMemory,
  at: string,
  unmet: Unmet[],
  rewrite: RewriteText,
): JsonArray {
  // A part may be named by a hash ahead of the text in the same list only from outside, so texts are met in order.
  const items = after.items.map((part, i): JsonNode => {
    const original = before.items[i];
    if (part.kind !== 'object' || original?.kind !== 'object') return part;
    const id = textMember(original, 'id') ?? '';
    const [oldText, newText] = [textMember(original, 'text') ?? '', textMember(part, 'text') ?? ''];
    const hash = textMember(part, 'hash');
    if (id === '' || oldText !== '' || hash === undefined) {
      if (id !== '') memory.texts.set(textHash(oldText), newText);
      if (hash === undefined) return part;
      const isOfText = hash === textHash(oldText) || oldText !== newText;
      return withHash(part, isOfText ? textHash(newText) : rewrite(hash));
    }
    const known = memory.texts.get(hash);
    if (known !== undefined) return withHash(part, textHash(known));
    unmet.push({ at: `${at}/${i}`, id });
    return part;
  });
  return { ...after, items };
}

function withHash(part: JsonObject, hash: string): JsonObject {
  return objectOf(part.members.map((member) => (member.name === 'hash' ? memberOf('hash', stringNode(hash)) : member)));
}

/** The string that stands beside parts: rebuilt where it is their join, else given to the function whole. */
export function rewriteInstructions(
  settings: JsonObject,
  instructions: string,
  { before, texts }: PartMemory,
  rewrite: RewriteText,
): string {
  const entry = decodeBody('config', objectOf(settings.members.filter(({ name }) => RELEVANT.has(name))));
  if (entry.kind !== 'config') return rewrite(instructions);
  const { instructionsParts } = applyConfig(before, entry);
  const originals = instructionsParts.map((part) => (part.unresolved ? undefined : part.text));
  if (originals.includes(undefined)) {
    if (rewrite(instructions) === instructions) return instructions;
    throw new SessionError('instructions_join', 'the instructions would change beside parts that cannot be resolved');
  }
  if (instructions !== originals.join(PART_SEPARATOR)) return rewrite(instructions);
  return originals.map((text) => texts.get(textHash(text as string)) ?? rewrite(text as string)).join(PART_SEPARATOR);
}

const RELEVANT: ReadonlySet<string> = new Set(['instructions', 'instructions_parts', 'replace']);

/** The parts of a config that its rewritten path cannot rebuild: keeps that name nothing in force, and hashes of texts that left. */
export function unresolvedParts(body: JsonObject, before: Settings, at: string): readonly Unmet[] {
  const parts = memberNamed(body, 'instructions_parts');
  if (parts?.kind !== 'array') return [];
  const entry = decodeBody('config', body);
  if (entry.kind !== 'config') return [];
  const known = new Set(before.instructionsParts);
  const fresh = applyConfig(before, entry).instructionsParts.filter((part) => part.unresolved && !known.has(part));
  const found: Unmet[] = [];
  let next = 0;
  parts.items.forEach((part, i) => {
    const missing = fresh[next];
    if (part.kind !== 'object' || missing?.unresolved !== true) return;
    const id = textMember(part, 'id') ?? '';
    const keep = memberNamed(part, 'keep');
    const isIt =
      id !== ''
        ? missing.id === id && missing.hash === textMember(part, 'hash')
        : keep?.kind === 'number' && missing.keep === Number(keep.text);
    if (!isIt) return;
    found.push({ at: `${at}/${i}`, id });
    next++;
  });
  return found;
}
