/**
 * What a writer does with values that are not I-JSON: repairs them and records what they were. Session-format 3.3.
 */
import { base64, unbase64, utf8 } from '../../bytes/encoding.ts';
import { canonicalNumber, passesNumberTest } from '../../json/number.ts';
import { type JsonArray, type JsonMember, type JsonNode, type JsonObject, parseTree } from '../../json/tree.ts';
import type { DraftSource } from './draft.ts';
import { SessionError } from './error.ts';
import { hasLoneSurrogate, memberNamed, memberOf, objectOf, stringNode, textMember, wellFormed } from './value.ts';
import { mapScalars } from './walkTree.ts';

/** One repair: the place, and the source of what stood there. Exactly one of `was` and `raw` is set. */
export interface Normalisation {
  /** JSON Pointer into the body. */
  readonly at: string;
  /** JSON source text. */
  readonly was?: string;
  /** Base64 of source bytes that were not UTF-8. */
  readonly raw?: string;
}

const MEMBER = 'normalised';

/** Members of an item that the payload types as strings: a number there that cannot be held becomes its digits. */
const STRING_MEMBERS =
  /^\/(?:item|summary|pinned\/[0-9]+)\/(?:id|call_id|name|arguments|status|role|type|encrypted_content)$/;

/**
 * The body as it is written, with its records.
 *
 * Throws SessionError `not_i_json` for what cannot be written and `bad_normalisation` for records of the caller that break the rules.
 */
export function normalise(body: JsonObject, source?: DraftSource): JsonObject {
  if (isWhole(body, source)) return body;
  const own = body.members.filter(({ name }) => name === MEMBER);
  if (own.length > 1) throw new SessionError('not_i_json', 'the entry names "normalised" twice');
  const records = new Map<string, Normalisation>();
  const rest = objectOf(body.members.filter(({ name }) => name !== MEMBER));
  const repaired = repairTree(rest, source, records) as JsonObject;
  // A caller's record says what its own source held, so it stands.
  for (const record of callersRecords(own[0]?.value)) records.set(record.at, record);
  if (records.size === 0) return repaired;
  const sorted = [...records.values()].sort((a, b) => (a.at < b.at ? -1 : 1));
  const items = sorted.map(({ at, was, raw }) =>
    objectOf([
      memberOf('at', stringNode(at)),
      was === undefined ? memberOf('raw', stringNode(raw ?? '')) : memberOf('was', stringNode(was)),
    ]),
  );
  return objectOf([...repaired.members, memberOf(MEMBER, { kind: 'array', items, start: 0, end: 0 })]);
}

/** Members of an object that are compared each with each. */
const FEW = 16;

/** Whether a body plainly holds no record, nothing to repair and nothing to refuse. Nearly all do, and no place in them has to be known. */
function isWhole(root: JsonObject, source: DraftSource | undefined): boolean {
  if (source !== undefined && source.raw.size > 0) return false;
  const work: (JsonArray | JsonObject)[] = [root];
  const isScalarWhole = (node: JsonNode): boolean => {
    if (node.kind === 'string') return !node.illFormed;
    if (node.kind === 'number') return passesNumberTest(node.text);
    if (node.kind === 'object' || node.kind === 'array') work.push(node);
    return true;
  };
  for (let node = work.pop(); node !== undefined; node = work.pop()) {
    if (node.kind === 'array') {
      if (!node.items.every(isScalarWhole)) return false;
      continue;
    }
    const { members } = node;
    if (members.length > FEW) return false;
    for (let i = 0; i < members.length; i++) {
      const { name, nameIllFormed, value } = members[i] as JsonMember;
      if (nameIllFormed || (node === root && name === MEMBER)) return false;
      for (let j = 0; j < i; j++) if ((members[j] as JsonMember).name === name) return false;
      if (!isScalarWhole(value)) return false;
    }
  }
  return true;
}

/** A value as it is written; what was repaired is added to `records`. Throws SessionError `not_i_json`. */
export function repairTree(
  root: JsonNode,
  source: DraftSource | undefined,
  records: Map<string, Normalisation>,
): JsonNode {
  return mapScalars(root, {
    scalar: (node, at) => repair(node, at, source, (record) => records.set(record.at, record)),
    members: (object, at) => checkNames(object, at, source),
  });
}

function checkNames(object: JsonObject, at: () => string, source: DraftSource | undefined): void {
  const seen = new Set<string>();
  for (const { name, nameIllFormed, nameStart, value } of object.members) {
    // A name of a source stands before its value; one that a program built has no place.
    const isFromSource = value.end > 0;
    if (nameIllFormed || (isFromSource && source?.raw.has(nameStart) === true))
      throw new SessionError('not_i_json', 'a member name is not Unicode text', at());
    if (seen.has(name)) throw new SessionError('not_i_json', `the member ${JSON.stringify(name)} stands twice`, at());
    seen.add(name);
  }
}

function repair(
  node: JsonNode,
  at: () => string,
  source: DraftSource | undefined,
  record: (record: Normalisation) => void,
): JsonNode {
  if (node.kind === 'string') {
    const raw = node.end > 0 ? source?.raw.get(node.start) : undefined;
    if (raw === undefined && !node.illFormed) return node;
    if (raw !== undefined) record({ at: at(), raw: base64(raw) });
    else record({ at: at(), was: sourceText(node, source) ?? JSON.stringify(node.value) });
    return stringNode(wellFormed(node.value));
  }
  if (node.kind !== 'number' || passesNumberTest(node.text)) return node;
  const rounded = Number(node.text);
  if (!Number.isFinite(rounded))
    throw new SessionError('not_i_json', `the number ${node.text.slice(0, 40)} is not finite`, at());
  const place = at();
  record({ at: place, was: node.text });
  return STRING_MEMBERS.test(place) ? stringNode(node.text) : { ...node, text: canonicalNumber(rounded) };
}

function sourceText(node: JsonNode, source: DraftSource | undefined): string | undefined {
  return source === undefined || node.end === 0
    ? undefined
    : new TextDecoder().decode(source.bytes.subarray(node.start, node.end));
}

/** The records that the caller set, each held to 3.3. */
function callersRecords(value: JsonNode | undefined): readonly Normalisation[] {
  if (value === undefined || value.kind === 'null') return [];
  if (value.kind !== 'array') throw new SessionError('bad_entry', '"normalised" is an array of objects', '/normalised');
  const seen = new Set<string>();
  return value.items.map((item, index) => {
    const bad = (message: string): SessionError =>
      new SessionError('bad_normalisation', message, `/normalised/${index}`);
    if (item.kind !== 'object') throw new SessionError('bad_entry', '"normalised" is an array of objects');
    const [at, was, raw] = ['at', 'was', 'raw'].map((name) => {
      const member = memberNamed(item, name);
      if (member !== undefined && member.kind !== 'string') throw bad(`"${name}" of a record is a string`);
      return textMember(item, name);
    });
    if (at === undefined || !at.startsWith('/') || /~(?![01])/.test(at))
      throw bad('a record names a place by a JSON Pointer');
    if (seen.has(at)) throw bad('two records name one place');
    seen.add(at);
    if ((was === undefined) === (raw === undefined)) throw bad('a record has either "was" or "raw"');
    if ([at, was, raw].some((text) => text !== undefined && hasLoneSurrogate(text)))
      throw bad('a record is not Unicode text');
    if (was !== undefined) {
      const bytes = utf8(was);
      const parsed = parseTree(bytes);
      if (!parsed.ok || parsed.root.start !== 0 || parsed.root.end !== bytes.length)
        throw bad('"was" is exactly one JSON text');
      return { at, was };
    }
    if (unbase64(raw as string) === undefined) throw bad('"raw" is padded standard base64');
    return { at, raw: raw as string };
  });
}
