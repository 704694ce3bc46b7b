/**
 * Reading the values that gate records hold (journal 3.5): tallies strictly, requesters strictly, deadlines and requests by what they say.
 */

import { decodeUtf8, equalBytes } from '../bytes/encoding.ts';
import { encodePolicy } from '../journal/policy.ts';
import type { ReadableRecord } from '../journal/record.ts';
import { parseTimestamp } from '../journal/timestamp.ts';
import { goString } from '../json/gojson.ts';
import { boolean, decode, foldName, integer, list, object, string } from '../json/shape.ts';
import type { JsonNode, JsonObject } from '../json/tree.ts';
import { parseTree } from '../json/tree.ts';
import type { Instant } from '../time/instant.ts';
import { canonicalArguments } from './arguments.ts';
import { isPrintableId } from './policy.ts';

/** The first version whose passed tallies a gate acts on, and the one of certificate-bound decisions (approvals 5.1). */
export const DECISION_FORMAT = 'bide.approval.v3';
export const ACCEPTED_FORMATS: readonly string[] = [DECISION_FORMAT, 'bide.approval.v4'];

/** A tally's members (approvals 5.1). An absent list is an empty one, an absent text the empty one. */
export interface Tally {
  readonly need: number;
  readonly approvers: readonly string[];
  readonly approved: number;
  readonly denied: number;
  readonly approvedBy: readonly string[];
  readonly deniedBy: readonly string[];
  readonly pending: readonly string[];
  readonly excluded: readonly string[];
  readonly excludePrincipal: boolean;
  readonly requesters: readonly string[];
  readonly records: readonly string[];
  readonly decisionFormat: string;
  readonly supersedes: string;
  readonly expired: boolean;
  readonly expiresAt: string;
}

/** Whether a tally lets the call run (approvals 4.6 point 3). Never ask it of a policy that was not validated. */
export function passed(tally: Tally): boolean {
  return !tally.expired && tally.approved >= tally.need;
}

/** Whether the need can no longer be met (approvals 4.6 point 4). */
export function unreachable(tally: Tally): boolean {
  return tally.approvers.length - tally.excluded.length - tally.denied < tally.need;
}

/** Whether a tally was counted before decisions carried a signed time (approvals 5.1, 5.3). */
export function predatesV3(tally: Tally): boolean {
  return !ACCEPTED_FORMATS.includes(tally.decisionFormat);
}

const TALLY = object({
  need: integer,
  approvers: list(string),
  approved: integer,
  denied: integer,
  approved_by: list(string),
  denied_by: list(string),
  pending: list(string),
  excluded: list(string),
  exclude_principal: boolean,
  requesters: list(string),
  records: list(string),
  decision_format: string,
  supersedes: string,
  expired: boolean,
  expires_at: string,
});

/** The strict reading of a recorded tally; otherwise why it does not read. */
export function readTally(raw: Uint8Array | undefined): { readonly tally: Tally } | { readonly problem: string } {
  if (raw === undefined) return { problem: 'the record has no result' };
  const decoded = decode(TALLY, raw);
  if (!decoded.ok) {
    const [first] = decoded.problems;
    return { problem: `${first?.pointer === '' || first === undefined ? '' : `${first.pointer}: `}${first?.message}` };
  }
  const { value } = decoded;
  if (raw.length === 4 && decodeUtf8(raw) === 'null') return { problem: 'it is null' };
  return {
    tally: {
      need: value.need,
      approvers: value.approvers ?? [],
      approved: value.approved,
      denied: value.denied,
      approvedBy: value.approved_by ?? [],
      deniedBy: value.denied_by ?? [],
      pending: value.pending ?? [],
      excluded: value.excluded ?? [],
      excludePrincipal: value.exclude_principal,
      requesters: value.requesters ?? [],
      records: value.records ?? [],
      decisionFormat: value.decision_format,
      supersedes: value.supersedes,
      expired: value.expired,
      expiresAt: value.expires_at,
    },
  };
}

/** A tally as it is journaled (approvals 5.1): members in written order, empty ones left out. */
export function writeTally(tally: Tally): Uint8Array {
  const parts: string[] = [];
  const texts = (values: readonly string[]) => `[${values.map((value) => goString(value, 'JOURNAL')).join(',')}]`;
  const put = (name: string, written: string, wanted = true) => {
    if (wanted) parts.push(`"${name}":${written}`);
  };
  put('need', String(tally.need));
  put('approvers', texts(tally.approvers));
  put('approved', String(tally.approved));
  put('denied', String(tally.denied));
  put('approved_by', texts(tally.approvedBy), tally.approvedBy.length > 0);
  put('denied_by', texts(tally.deniedBy), tally.deniedBy.length > 0);
  put('pending', texts(tally.pending), tally.pending.length > 0);
  put('excluded', texts(tally.excluded), tally.excluded.length > 0);
  put('exclude_principal', 'true', tally.excludePrincipal);
  put('requesters', texts(tally.requesters), tally.requesters.length > 0);
  put('records', texts(tally.records), tally.records.length > 0);
  put('decision_format', goString(tally.decisionFormat, 'JOURNAL'), tally.decisionFormat !== '');
  put('supersedes', goString(tally.supersedes, 'JOURNAL'), tally.supersedes !== '');
  put('expired', 'true', tally.expired);
  put('expires_at', goString(tally.expiresAt, 'JOURNAL'), tally.expiresAt !== '');
  return new TextEncoder().encode(`{${parts.join(',')}}`);
}

/** Who the run, and the runs above it, act for (approvals 4.5). */
export type RequesterReading =
  | { readonly status: 'none' }
  | { readonly status: 'unreadable'; readonly position: number; readonly problem: string }
  | {
      readonly status: 'read';
      /** Of the first record that holds them. */
      readonly position: number;
      /** Ancestors first, root at the front, the run's own last; empty strings kept. */
      readonly requesters: readonly string[];
    };

/** Strict reading of the run's principal among its records, in journal order (approvals 4.5). */
export function readRequesters(records: readonly ReadableRecord[]): RequesterReading {
  const [first] = records;
  if (first === undefined) return { status: 'none' };
  const unreadable = (record: ReadableRecord, problem: string): RequesterReading => ({
    status: 'unreadable',
    position: record.position,
    problem,
  });
  let requesters: readonly string[] = [];
  let content: Uint8Array | undefined;
  for (const record of records) {
    const { result } = record.record;
    const read = result === undefined ? 'the record has no result' : principalOf(result);
    if (typeof read === 'string') return unreadable(record, read);
    const canonical = canonicalArguments(result);
    if (content !== undefined && !equalBytes(content, canonical))
      return unreadable(record, 'two records of the principal differ');
    content = canonical;
    requesters = read;
  }
  return { status: 'read', position: first.position, requesters };
}

const ROOT_MEMBERS = ['principal', 'ancestors'];
const PRINCIPAL_MEMBERS = ['on_behalf_of', 'authority_ref'];

function principalOf(raw: Uint8Array): readonly string[] | string {
  const parsed = parseTree(raw);
  if (!parsed.ok) return parsed.problem.message;
  const root = parsed.root;
  if (root.kind !== 'object') return 'it is not an object';
  const folding = firstFolding(root);
  if (folding !== undefined) return folding;
  const rootProblem = misspelled(root, ROOT_MEMBERS);
  if (rootProblem !== undefined) return rootProblem;
  const members = new Map(root.members.map(({ name, value }) => [name, value]));
  const ancestors = members.get('ancestors');
  if (ancestors !== undefined && ancestors.kind !== 'array' && ancestors.kind !== 'null')
    return '"ancestors" is not a list';
  const requesters: string[] = [];
  for (const node of [...(ancestors?.kind === 'array' ? ancestors.items : []), members.get('principal')]) {
    const requester = onBehalfOf(node);
    if ('problem' in requester) return requester.problem;
    requesters.push(requester.id);
  }
  return requesters;
}

function onBehalfOf(node: JsonNode | undefined): { readonly id: string } | { readonly problem: string } {
  if (node === undefined) return { id: '' };
  if (node.kind !== 'object') return { problem: 'a principal is not an object' };
  const problem = misspelled(node, PRINCIPAL_MEMBERS);
  if (problem !== undefined) return { problem };
  for (const { name, value } of node.members) {
    if (PRINCIPAL_MEMBERS.includes(name) && (value.kind !== 'string' || value.illFormed))
      return { problem: `"${name}" is not a text` };
  }
  const value = node.members.find(({ name }) => name === 'on_behalf_of')?.value;
  return { id: value?.kind === 'string' ? value.value : '' };
}

function misspelled(node: JsonObject, known: readonly string[]): string | undefined {
  for (const { name } of node.members) {
    if (!known.includes(name) && known.includes(foldName(name)))
      return `${JSON.stringify(name.slice(0, 80))} is spelled otherwise than "${foldName(name)}"`;
  }
  return undefined;
}

/** Two names of one object that are equal once folded, at any depth. */
function firstFolding(root: JsonNode): string | undefined {
  const stack: JsonNode[] = [root];
  for (let node = stack.pop(); node !== undefined; node = stack.pop()) {
    if (node.kind === 'array') for (const item of node.items) stack.push(item);
    if (node.kind !== 'object') continue;
    const names = new Set<string>();
    for (const { name, value } of node.members) {
      const folded = foldName(name);
      if (names.has(folded)) return `${JSON.stringify(name.slice(0, 80))} stands twice in one object`;
      names.add(folded);
      stack.push(value);
    }
  }
  return undefined;
}

/** Requesters that can be held against approver ids; undefined where nobody may count (approvals 4.3 point 3). */
export function usableRequesters(reading: RequesterReading): readonly string[] | undefined {
  if (reading.status !== 'read' || !reading.requesters.every(isPrintableId)) return undefined;
  return reading.requesters;
}

/** A gate's deadline (approvals 4.7). */
export type Deadline =
  | {
      readonly status: 'read';
      /** -1 where the deadline is a proven tally's own word and no record of it was disclosed. */
      readonly position: number;
      /** The call that the record names. */
      readonly call: string;
      readonly requestedAt: string;
      readonly expiresAt: string;
      readonly instant: Instant;
      readonly timeoutMs: bigint;
    }
  | { readonly status: 'unreadable'; readonly position: number; readonly problem: string };

/** The members of a record's `result` that is an object, the last of a repeated name; undefined for any other. */
export function resultMembers(record: ReadableRecord): ReadonlyMap<string, JsonNode> | undefined {
  const { result } = record.record;
  if (result === undefined || result[0] !== 0x7b) return undefined;
  const parsed = parseTree(result);
  if (!parsed.ok || parsed.root.kind !== 'object') return undefined;
  return new Map(parsed.root.members.map(({ name, value }) => [name, value]));
}

export function textOf(node: JsonNode | undefined): string | undefined {
  return node?.kind === 'string' ? node.value : undefined;
}

/** What a deadline record says; a time that is not canonical makes every decision of the gate late. */
export function readDeadline(record: ReadableRecord, members: ReadonlyMap<string, JsonNode> | undefined): Deadline {
  const { position } = record;
  const expiresAt = textOf(members?.get('expires_at')) ?? '';
  const instant = parseTimestamp(expiresAt);
  const timeout = members?.get('timeout_ms');
  if (instant === undefined)
    return { status: 'unreadable', position, problem: 'its "expires_at" is not of the form 2026-10-13T12:14:03.123Z' };
  if (timeout?.kind !== 'number' || !/^(?:0|[1-9][0-9]{0,17})$/.test(timeout.text))
    return { status: 'unreadable', position, problem: 'its "timeout_ms" is not a whole number of milliseconds' };
  return {
    status: 'read',
    position,
    call: textOf(members?.get('tool_use_id')) ?? '',
    requestedAt: textOf(members?.get('requested_at')) ?? '',
    expiresAt,
    instant,
    timeoutMs: BigInt(timeout.text),
  };
}

/** Whether a decision recorded so is late (approvals 4.7, "Late"). */
export function isLate(recordedAt: string, deadline: Deadline | undefined): boolean {
  if (deadline === undefined) return false;
  if (deadline.status === 'unreadable') return true;
  const instant = parseTimestamp(recordedAt);
  return instant === undefined || instant > deadline.instant;
}

/** A policy in the bytes of a record, for comparison. */
export function tallyPolicyBytes(tally: Tally): Uint8Array {
  return encodePolicy(tally);
}
