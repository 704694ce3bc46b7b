/**
 * Approval policies (approvals 1): the strict reading of a policy that is configured or received, the lenient reading of a stored one,
 * validity, and one seat per key.
 */
import { encodePolicy } from '../journal/policy.ts';
import type { JsonNode } from '../json/tree.ts';
import { parseTree } from '../json/tree.ts';
import type { Resolver } from './verifier.ts';

/** One unsigned decision, recorded with `Approve`. */
export interface SinglePolicy {
  readonly kind: 'single';
  readonly timeoutMs?: number;
}

/** `need` signed approvals out of the listed approvers. */
export interface QuorumPolicy {
  readonly kind: 'm-of-n';
  readonly need: number;
  readonly approvers: readonly string[];
  /** Separation of duties: who asked may not decide. */
  readonly excludePrincipal: boolean;
  readonly timeoutMs?: number;
}

export type Policy = SinglePolicy | QuorumPolicy;

export const SINGLE: SinglePolicy = { kind: 'single' };

const PRINTABLE = /^[\x21-\x7e]+$/;

/** Whether every byte of an id is printable ASCII other than space, and there is one (approvals 1.4). */
export function isPrintableId(id: string): boolean {
  return PRINTABLE.test(id);
}

/** What two spellings of one approver have in common. */
export function foldApprover(id: string): string {
  // Only ASCII: U+212A would lower to "k".
  return isPrintableId(id) ? id.toLowerCase() : id;
}

/** Whether two ids are the same approver (approvals 1.4). */
export function sameApprover(a: string, b: string): boolean {
  return foldApprover(a) === foldApprover(b);
}

/** Why text is no policy. Category `protocol` (approvals 1.3). */
export interface PolicyProblem {
  readonly message: string;
  /** Offset into the bytes that were read. */
  readonly at: number;
}

export type PolicyReading = { readonly policy: Policy } | { readonly problem: PolicyProblem };

/** Strict reading (approvals 1.3). Ranges are for `validatePolicy`. */
export function readPolicy(bytes: Uint8Array): PolicyReading {
  const parsed = parseTree(bytes);
  return parsed.ok ? policyOf(parsed.root) : { problem: parsed.problem };
}

/** The same of a value that was parsed already. */
export function policyOf(root: JsonNode): PolicyReading {
  const refuse = (message: string, node: JsonNode): PolicyReading => ({ problem: { message, at: node.start } });
  if (root.kind !== 'object') return refuse('a policy is an object', root);
  const ambiguous = firstAmbiguity(root);
  if (ambiguous !== undefined) return { problem: ambiguous };
  const members = new Map(root.members.map(({ name, value }) => [name, value]));
  const single = members.get('single');
  if (single !== undefined) {
    if (single.kind !== 'true') return refuse('"single" can only be true', single);
    if (members.size !== 1) return refuse('"single" stands with no other member', root);
    return { policy: SINGLE };
  }
  for (const { name, value } of root.members) {
    if (!['need', 'approvers', 'exclude_principal'].includes(name))
      return refuse(`${JSON.stringify(name)} is no member of a policy`, value);
  }
  const need = members.get('need');
  if (need === undefined) return refuse('a policy has "single" or "need"', root);
  if (need.kind !== 'number' || !/^-?(?:0|[1-9][0-9]*)$/.test(need.text) || !Number.isSafeInteger(Number(need.text)))
    return refuse('"need" is an integer without fraction or exponent', need);
  const approvers = members.get('approvers');
  const ids: string[] = [];
  if (approvers !== undefined) {
    if (approvers.kind !== 'array') return refuse('"approvers" is a list of texts', approvers);
    for (const item of approvers.items) {
      if (item.kind !== 'string') return refuse('"approvers" is a list of texts', item);
      ids.push(item.value);
    }
  }
  const exclude = members.get('exclude_principal');
  if (exclude !== undefined && exclude.kind !== 'true' && exclude.kind !== 'false')
    return refuse('"exclude_principal" is true or false', exclude);
  return {
    policy: {
      kind: 'm-of-n',
      need: Number(need.text),
      approvers: ids,
      excludePrincipal: exclude?.kind === 'true',
    },
  };
}

/** The first member name that stands twice in one object, or string that holds half of a surrogate pair, at any depth. */
function firstAmbiguity(root: JsonNode): PolicyProblem | undefined {
  const stack: JsonNode[] = [root];
  for (let node = stack.pop(); node !== undefined; node = stack.pop()) {
    if (node.kind === 'string' && node.illFormed)
      return { message: 'a string holds half of a surrogate pair', at: node.start };
    if (node.kind === 'array') stack.push(...node.items.toReversed());
    if (node.kind !== 'object') continue;
    const names = new Set<string>();
    for (const member of node.members) {
      if (names.has(member.name))
        return { message: `${JSON.stringify(member.name)} stands twice in one object`, at: member.nameStart };
      if (member.nameIllFormed) return { message: 'a name holds half of a surrogate pair', at: member.nameStart };
      names.add(member.name);
    }
    for (const member of node.members.toReversed()) stack.push(member.value);
  }
  return undefined;
}

export interface StoredPolicyReading {
  /** Undefined where not even a policy's outline is there. */
  readonly policy?: Policy;
  /** What is contradictory or of a wrong type (approvals 1.3, last paragraph). */
  readonly problem?: string;
}

/** Lenient reading of the `approval` member of a stored record: known members are taken, others ignored, contradictions reported. */
export function readStoredPolicy(bytes: Uint8Array): StoredPolicyReading {
  const parsed = parseTree(bytes);
  if (!parsed.ok) return { problem: parsed.problem.message };
  if (parsed.root.kind !== 'object') return { problem: 'it is not an object' };
  const members = new Map(parsed.root.members.map(({ name, value }) => [name, value]));
  const [need, approvers, exclude] = ['need', 'approvers', 'exclude_principal'].map((name) => members.get(name));
  if (members.get('single')?.kind === 'true') {
    const contradicts = need !== undefined || approvers !== undefined || exclude !== undefined;
    return {
      policy: SINGLE,
      ...(contradicts ? { problem: 'it is single and names approvers or a number at once' } : {}),
    };
  }
  if (need?.kind !== 'number' || !/^(?:0|[1-9][0-9]{0,8})$/.test(need.text))
    return { problem: 'it is neither single nor says how many approvals are needed' };
  const items = approvers?.kind === 'array' ? approvers.items : [];
  const ids = items.flatMap((item) => (item.kind === 'string' ? [item.value] : []));
  const wrong =
    (approvers !== undefined && (approvers.kind !== 'array' || ids.length !== items.length)) ||
    (exclude !== undefined && exclude.kind !== 'true' && exclude.kind !== 'false');
  return {
    policy: {
      kind: 'm-of-n',
      need: Number(need.text),
      approvers: ids,
      excludePrincipal: exclude?.kind === 'true',
    },
    ...(wrong ? { problem: 'a member of it has the wrong type' } : {}),
  };
}

/** A policy as a record holds it (approvals 1.2): member order of the writer, ids with `<`, `>` and `&` escaped. */
export function writePolicy(policy: Policy): Uint8Array {
  return encodePolicy(policy.kind === 'single' ? { single: true } : policy);
}

/** What a constructor could not have made; category `config` (approvals 1.5). Undefined for a valid policy. */
export function validatePolicy(policy: Policy): string | undefined {
  const { timeoutMs } = policy;
  if (timeoutMs !== undefined && (!Number.isSafeInteger(timeoutMs) || timeoutMs < 0))
    return 'the timeout is a whole number of milliseconds and not negative';
  if (policy.kind === 'single') return undefined;
  if (policy.approvers.length === 0) return 'the policy lists no approver';
  const seen = new Map<string, string>();
  for (const id of policy.approvers) {
    if (!isPrintableId(id)) return `the approver id ${JSON.stringify(id)} is not printable ASCII without spaces`;
    const other = seen.get(foldApprover(id));
    if (other !== undefined) return `${JSON.stringify(other)} and ${JSON.stringify(id)} are one approver`;
    seen.set(foldApprover(id), id);
  }
  if (!Number.isSafeInteger(policy.need) || policy.need < 1 || policy.need > policy.approvers.length)
    return `the need of ${policy.need} is not between 1 and ${policy.approvers.length}`;
  return undefined;
}

/** One seat per key (approvals 1.6): a valid policy, a resolver, and no identity under two approvers. Category `config`. */
export function validateKeys(policy: Policy, resolver: Resolver | undefined): string | undefined {
  const invalid = validatePolicy(policy);
  if (invalid !== undefined) return invalid;
  if (resolver === undefined) return 'there are no keys to check decisions with';
  if (policy.kind === 'single') return undefined;
  const owners = new Map<string, string>();
  let bound = false;
  const rosters = new Set<string>();
  for (const approver of policy.approvers) {
    const verifier = resolver(approver);
    if (verifier === undefined) continue;
    if (verifier.keyIds.length === 0 || verifier.keyIds.includes(''))
      return `the key of ${JSON.stringify(approver)} reports no identity, so it cannot be told from another's`;
    for (const id of verifier.keyIds) {
      const owner = owners.get(id);
      if (owner !== undefined && owner !== approver)
        return `${JSON.stringify(owner)} and ${JSON.stringify(approver)} sign with one key (${id})`;
      owners.set(id, approver);
    }
    if (verifier.certificateBound !== undefined) {
      bound = true;
      rosters.add(verifier.certificateBound.rosterDigest);
    }
  }
  if (bound && rosters.size > 1) return 'the certificate-bound approvers of the gate report different rosters';
  if (bound) {
    const missing = policy.approvers.find((approver) => resolver(approver)?.identifier === undefined);
    if (missing !== undefined)
      return `the identity map of a gate with certificate-bound approvers does not name ${JSON.stringify(missing)}`;
  }
  return undefined;
}

/** What differs between an enforced and an expected policy (approvals 1.7), order of approvers included. Undefined if nothing does. */
export function policyDifference(
  enforced: { readonly need: number; readonly approvers: readonly string[]; readonly excludePrincipal: boolean },
  expected: QuorumPolicy,
): string | undefined {
  const differences: string[] = [];
  if (enforced.need !== expected.need) differences.push('need');
  if (!sameList(enforced.approvers, expected.approvers)) differences.push('approvers');
  if (enforced.excludePrincipal !== expected.excludePrincipal) differences.push('exclude_principal');
  return differences.length === 0 ? undefined : differences.join(', ');
}

export function sameList(a: readonly string[], b: readonly string[]): boolean {
  return a.length === b.length && a.every((item, i) => item === b[i]);
}

/** A policy in words: "2 of ops, finance, risk, not the requester". */
export function describePolicy(policy: Policy): string {
  if (policy.kind === 'single') return 'one unsigned decision';
  return `${policy.need} of ${policy.approvers.join(', ')}${policy.excludePrincipal ? ', not the requester' : ''}`;
}
