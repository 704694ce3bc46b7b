/**
 * The bytes of an approval policy inside a record (journal 2.8, approvals 1.2 and 1.3): how it is written, and whether stored bytes are
 * that. What a policy means, and strict reading, are `src/approval`'s.
 */
import { decodeUtf8, utf8 } from '../bytes/encoding.ts';
import { type JsonNode, parseTree } from '../json/tree.ts';
import type { RawJson } from './record.ts';
import { quote, quoteHtml, toWellFormed } from './text.ts';

const MEMBERS: ReadonlySet<string> = new Set(['single', 'need', 'approvers', 'exclude_principal']);

export type PolicyShape =
  | { readonly single: true }
  | { readonly need: number; readonly approvers: readonly string[]; readonly excludePrincipal: boolean };

/** Writes a policy as `approval` member of a record; approver ids are HTML-escaped. */
export function encodePolicy(policy: PolicyShape): RawJson {
  return utf8(policyText(policy, quoteHtml));
}

function policyText(policy: PolicyShape, write: (id: string) => string): string {
  if ('single' in policy) return '{"single":true}';
  const approvers = policy.approvers.length === 0 ? '' : `,"approvers":[${policy.approvers.map(write).join(',')}]`;
  return `{"need":${policy.need}${approvers}${policy.excludePrincipal ? ',"exclude_principal":true' : ''}}`;
}

/**
 * The known members of a stored policy, unknown ones ignored, and whether the bytes are what a journal writes. Both spellings of approver
 * ids are accepted (journal 2.8). Undefined if the value is no policy at all. Repeated names are the record's problem, not this one's.
 */
export function readPolicyShape(
  raw: RawJson,
): { readonly policy: PolicyShape; readonly canonical: boolean } | undefined {
  const text = new TextDecoder().decode(raw);
  // The one policy of a one-decision gate needs no parsing.
  if (text === '{"single":true}') return { policy: { single: true }, canonical: true };
  const bytes = utf8(text);
  const parsed = parseTree(bytes);
  if (!parsed.ok || parsed.root.kind !== 'object') return undefined;
  let single = false;
  let need = 0;
  let excludePrincipal = false;
  let approvers: readonly string[] = [];
  const known: string[] = [];
  for (const { name, nameStart, value } of parsed.root.members) {
    if (MEMBERS.has(name)) known.push(decodeUtf8(bytes.subarray(nameStart, value.end)) as string);
    if (name === 'single') single = value.kind === 'true';
    else if (name === 'need') {
      if (value.kind !== 'number' || !/^-?[0-9]{1,15}$/.test(value.text)) return undefined;
      need = Number(value.text);
    } else if (name === 'exclude_principal') excludePrincipal = value.kind === 'true';
    else if (name === 'approvers') {
      const list = strings(value);
      if (list === undefined) return undefined;
      approvers = list;
    }
  }
  const policy: PolicyShape = single ? { single: true } : { need, approvers, excludePrincipal };
  // What a newer writer added is left aside; the rest must be spelled as a journal spells it.
  const kept = known.length === parsed.root.members.length ? text : `{${known.join(',')}}`;
  const canonical = kept === policyText(policy, quoteHtml) || kept === policyText(policy, quote);
  return { policy, canonical };
}

function strings(node: JsonNode): readonly string[] | undefined {
  if (node.kind === 'null') return [];
  if (node.kind !== 'array') return undefined;
  const list: string[] = [];
  for (const item of node.items) {
    if (item.kind !== 'string') return undefined;
    list.push(toWellFormed(item.value));
  }
  return list;
}
