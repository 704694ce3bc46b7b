/** The leaf of a notification record: `{"kind", "event", "salt"}` under the event-leaf tag (audit 1.5, 7.3, 7.5 rules 1 and 2). */
import { concat, unbase64, utf8 } from '../bytes/encoding.ts';
import { EVENT_LEAF_TAG } from '../journal/leaf.ts';
import { goBytes, goString } from '../json/gojson.ts';
import { type JsonNode, parseTree } from '../json/tree.ts';
import { encodeRecord, type RecordFields } from './record.ts';

export const SALT_LENGTH = 32;
/** The kind string inferred for notification records; a reader takes any that is the same for all leaves of a trail. */
export const NOTIFY_LEAF_KIND = 'notify_record';

export interface NotifyLeaf {
  readonly kind: string;
  /** The record, in `content`. */
  readonly event: JsonNode;
  /** The leaf's JSON text, which `event` has its positions in. */
  readonly content: Uint8Array;
}

/** Reads leaf data (tag and content), or says in words why it is no leaf of a record. */
export function readLeaf(data: Uint8Array): NotifyLeaf | string {
  const tag = EVENT_LEAF_TAG;
  if (data.length < tag.length || tag.some((byte, at) => data[at] !== byte))
    return 'it does not begin with the event-leaf tag';
  const content = data.subarray(tag.length);
  const parsed = parseTree(content);
  if (!parsed.ok) return `its content is not JSON: ${parsed.problem.message}`;
  const { root } = parsed;
  if (root.kind !== 'object') return 'its content is not an object';
  const repeated = repeatedName(root);
  if (repeated !== undefined)
    return `the member ${JSON.stringify(repeated.name.slice(0, 80))} stands twice in one object`;
  let kind: string | undefined;
  let event: JsonNode | undefined;
  let salt: string | undefined;
  for (const { name, value } of root.members) {
    if (name === 'kind' && value.kind === 'string') kind = value.value;
    else if (name === 'event') event = value;
    else if (name === 'salt' && value.kind === 'string') salt = value.value;
    else return `its member ${JSON.stringify(name.slice(0, 80))} is not one of a leaf, or of another type`;
  }
  if (kind === undefined || kind === '') return 'it has no "kind"';
  if (event?.kind !== 'object') return 'its "event" is not an object';
  if (salt === undefined || unbase64(salt)?.length !== SALT_LENGTH)
    return `its "salt" is not ${SALT_LENGTH} bytes in base64`;
  return { kind, event, content };
}

/** The leaf data of a record as a writer stores it. Throws RangeError for a salt that is not 32 bytes. */
export function encodeLeaf(record: RecordFields, salt: Uint8Array, kind: string = NOTIFY_LEAF_KIND): Uint8Array {
  if (salt.length !== SALT_LENGTH) throw new RangeError(`a salt has ${SALT_LENGTH} bytes, not ${salt.length}`);
  const content = `{"kind":${goString(kind, 'MARSHAL')},"event":${encodeRecord(record)},"salt":${goBytes(salt)}}`;
  return concat(EVENT_LEAF_TAG, utf8(content));
}

/** The first member name that stands twice in one object, at any depth (audit 0.5 rule 5), and where. */
export function repeatedName(root: JsonNode): { readonly name: string; readonly at: number } | undefined {
  const work: JsonNode[] = [root];
  for (let node = work.pop(); node !== undefined; node = work.pop()) {
    if (node.kind === 'array') {
      for (const item of node.items) if (item.kind === 'array' || item.kind === 'object') work.push(item);
    } else if (node.kind === 'object') {
      const { members } = node;
      // Records are small objects: comparing names pairwise is cheaper than a set of them.
      const seen = members.length > 16 ? new Set<string>() : undefined;
      for (let i = 0; i < members.length; i++) {
        const member = members[i] as (typeof members)[number];
        const { name, value } = member;
        if (seen === undefined) {
          for (let j = 0; j < i; j++) if (members[j]?.name === name) return { name, at: member.nameStart };
        } else if (seen.has(name)) return { name, at: member.nameStart };
        else seen.add(name);
        if (value.kind === 'array' || value.kind === 'object') work.push(value);
      }
    }
  }
  return undefined;
}
