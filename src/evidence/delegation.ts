/**
 * Delegation to a sub-agent (audit spec 4.7): what a sub-run has to record before it acts, and evidence that its grant is a child of the
 * grant of the run that started it.
 */
import type { Finding, Verdict, Where } from '../finding/finding.ts';
import type { Journal } from '../journal/record.ts';
import { subRunId } from '../journal/run-id.ts';
import { catalogue } from './catalogue.ts';
import { checkGrantChain, grantOfRecord, type IssuerResolver, type ScopeRules } from './grants.ts';
import type { HeadChecker } from './heads.ts';
import { readable } from './journalTree.ts';
import { below } from './place.ts';
import { type GivenBundle, wrongRole } from './policies.ts';
import { checkProof, holds, isProven } from './proof.ts';
import type { SignedGrant } from './shapes.ts';

/** The record in place of a grant, for a sub-run that was started without authority to delegate. */
const UNGRANTED_NAME = 'audit:delegation:ungranted';
const UNGRANTED_RESULT = '{"ungranted":true}';

export interface DelegationInputs {
  /** The leaf of the parent's grant in the parent run, and of the child's in the sub-run; each under its own run's head. */
  readonly parent: GivenBundle;
  readonly child: GivenBundle;
  /** The call of the parent run that started the sub-run. */
  readonly toolUseId: string;
  /** Name of the sub-agent, from the auditor. */
  readonly subAgent: string;
  /** The grants above the parent's, root first; empty where the parent's is the root. */
  readonly above: readonly SignedGrant[];
}

export interface DelegationReport {
  readonly findings: readonly Finding[];
  /** Of both heads. */
  readonly authorship: Verdict;
  /** That the sub-run is of that call, its grant is recorded, for that sub-agent, and within the parent's. */
  readonly delegation: Verdict;
}

/** Verifies a delegation from the leaves of both grants. */
export function checkDelegation(
  { parent, child, toolUseId, subAgent, above }: DelegationInputs,
  resolve: IssuerResolver,
  rules: ScopeRules,
  heads: HeadChecker,
): DelegationReport {
  const findings: Finding[] = [];
  const grants: SignedGrant[] = [];
  const authorships: Verdict[] = [];
  for (const given of [parent, child]) {
    if (given.bundle === undefined) continue;
    const report = checkProof(given.bundle, heads, given.where);
    findings.push(...report.findings);
    authorships.push(report.authorship);
    if (report.record === undefined || !holds(report.findings)) continue;
    const held = grantOfRecord(report.record);
    if ('grant' in held) grants.push(held.grant);
    else findings.push(wrongRole('grant leaf', held.problem, below(given.where, 'record_bytes')));
    if (!isProven(report)) authorships.push('undecided');
  }
  const expected = parent.bundle === undefined ? undefined : subRunId(parent.bundle.run_id, toolUseId);
  if (child.bundle !== undefined && expected !== undefined && child.bundle.run_id !== expected)
    findings.push(
      catalogue.find('evidence/delegation', 'the sub-run is not the one that this call started', {
        where: below(child.where, 'run_id'),
        expected,
        actual: child.bundle.run_id,
      }),
    );
  const [parentGrant, childGrant] = grants;
  if (parentGrant !== undefined && childGrant !== undefined) {
    if (childGrant.grant.subject !== subAgent)
      findings.push(
        catalogue.find('evidence/delegation', 'the grant of the sub-run is for somebody else than the sub-agent', {
          where: below(child.where, 'record_bytes'),
          expected: subAgent,
          actual: childGrant.grant.subject,
        }),
      );
    findings.push(...checkGrantChain([...above, parentGrant, childGrant], resolve, rules, child.where).findings);
  }
  const failed = findings.some((finding) => finding.class === 'not_verified');
  const authorship: Verdict = authorships.includes('failed')
    ? 'failed'
    : authorships.length === 2 && authorships.every((verdict) => verdict === 'verified')
      ? 'verified'
      : 'undecided';
  return {
    findings,
    authorship,
    delegation: failed ? 'failed' : childGrant !== undefined && holds(findings) ? 'verified' : 'undecided',
  };
}

/**
 * What a sub-run records of its delegation (rule 2): exactly one grant, or that it was started without authority to delegate, before its
 * first turn. Both, or two grants, is a protocol error; neither is no delegation.
 */
export function delegationRecord(
  journal: Journal,
  where: Where = {},
): {
  readonly state: 'granted' | 'ungranted' | 'none';
  readonly grant?: SignedGrant;
  readonly findings: readonly Finding[];
} {
  const grants: { readonly grant: SignedGrant; readonly position: number }[] = [];
  let ungranted: number | undefined;
  let acted: number | undefined;
  const findings: Finding[] = [];
  for (const stored of readable(journal)) {
    if (stored.record.kind === 'model') acted ??= stored.position;
    if (stored.name === UNGRANTED_NAME) {
      const result = new TextDecoder().decode(stored.record.result ?? new Uint8Array());
      if (stored.record.kind === 'value' && result === UNGRANTED_RESULT) ungranted ??= stored.position;
      else
        findings.push(
          wrongRole('record of a delegation without grant', 'its kind or result is another', {
            ...where,
            entry: stored.name,
          }),
        );
    } else if (stored.name.startsWith('audit:grant:')) {
      const held = grantOfRecord(stored);
      if ('grant' in held) grants.push({ grant: held.grant, position: stored.position });
    }
  }
  const [first, second] = grants;
  const protocol = (message: string) =>
    findings.push(catalogue.find('evidence/delegation', message, { where, class: 'unusable', severity: 'error' }));
  if (second !== undefined) protocol('the sub-run records more than one grant');
  if (first !== undefined && ungranted !== undefined) protocol('the sub-run records a grant and that it has none');
  const recorded = first?.position ?? ungranted;
  if (recorded !== undefined && acted !== undefined && acted < recorded)
    protocol('the sub-run acted before it recorded its delegation');
  if (first !== undefined) return { state: 'granted', grant: first.grant, findings };
  return { state: ungranted === undefined ? 'none' : 'ungranted', findings };
}
