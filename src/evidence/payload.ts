/** What the result of a record says: read strictly as a known shape, or as an open object whose members are the application's. */
import type { RawJson } from '../journal/record.ts';
import { type Decoded, decode, findRepeatedNames, Place, type Shape, type ShapeProblem } from '../json/shape.ts';
import { type JsonNode, type JsonObject, parseTree } from '../json/tree.ts';

const NOTHING = new Uint8Array();

/** A result that must read strictly (audit spec 0.5). */
export function strictPayload<T>(shape: Shape<T>, result: RawJson | undefined): Decoded<T> {
  return decode(shape, result ?? NOTHING);
}

/** The first problem of a payload in words. */
export function payloadProblem(problems: readonly ShapeProblem[]): string {
  const [first] = problems;
  return first === undefined
    ? 'it does not read'
    : `${first.pointer === '' ? '' : `${first.pointer}: `}${first.message}`;
}

/** A result as an open object: any names, none repeated at any depth (audit spec 4.5, 4.9). Undefined for any other result. */
export function openObject(result: RawJson | undefined): JsonObject | undefined {
  if (result === undefined) return undefined;
  const parsed = parseTree(result);
  if (!parsed.ok || parsed.root.kind !== 'object') return undefined;
  const place = new Place(result, []);
  findRepeatedNames(parsed.root, place);
  return place.problems.length === 0 ? parsed.root : undefined;
}

/** A member of an open object. */
export function member(object: JsonObject | undefined, name: string): JsonNode | undefined {
  return object?.members.find((candidate) => candidate.name === name)?.value;
}

/** Text of a node that is a well-formed string. */
export function textOf(node: JsonNode | undefined): string | undefined {
  return node?.kind === 'string' && !node.illFormed ? node.value : undefined;
}

/** The `policy_digest` of a governed action's result; undefined where the result names none (audit spec 4.5, 4.9). */
export function policyDigestOf(result: RawJson | undefined): string | undefined {
  const digest = textOf(member(openObject(result), 'policy_digest'));
  return digest === '' ? undefined : digest;
}
