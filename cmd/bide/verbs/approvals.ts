/** `verify-approvals`: a gate counted again from a package (audit spec 4.12.6, 6.5). */
import type { Expectation } from '../../../src/approval/gatePatterns.ts';
import { type Policy, readPolicy, validateKeys, validatePolicy } from '../../../src/approval/policy.ts';
import { keyVerifier, type Resolver } from '../../../src/approval/verifier.ts';
import { decodeUtf8 } from '../../../src/bytes/encoding.ts';
import { type ApprovalReport, checkApprovalEvidence } from '../../../src/evidence/approvals.ts';
import { catalogue } from '../../../src/evidence/catalogue.ts';
import { packageShape } from '../../../src/evidence/shapes.ts';
import type { Flags } from '../flags.ts';
import { headsOfPackage } from '../headsIn.ts';
import { Inputs } from '../inputs.ts';
import type { Session } from '../session.ts';
import type { Verb } from '../verb.ts';
import { APPROVED_FLAGS, checkEvidence, packageReport } from './packages.ts';
import { PUBKEY_FLAG } from './proof.ts';

const MILLISECOND = 1_000_000n;

export const verifyApprovalsVerb: Verb = {
  name: 'verify-approvals',
  summary: 'Checks an evidence package and counts the approvals of one call in it again.',
  flags: {
    evidence: { kind: 'string', help: 'the evidence package', required: true },
    ...PUBKEY_FLAG,
    call: { kind: 'string', help: 'the id of the tool call, or the key of a flow node', required: true },
    need: { kind: 'int', help: 'approvals that the gate needs' },
    approvers: { kind: 'string', help: 'the approvers, in order, separated by commas' },
    'exclude-principal': { kind: 'bool', help: 'the requester may not approve' },
    policy: { kind: 'string', help: 'the policy as JSON, in place of -need, -approvers and -exclude-principal' },
    timeout: { kind: 'duration', help: 'the deadline that the gate must have had' },
    'approver-keys': { kind: 'string', help: 'a JSON object from approver to key or keys', required: true },
    ...APPROVED_FLAGS,
  },
  usage(flags) {
    const timeout = flags.duration('timeout', 0n);
    if (timeout < 0n || timeout % MILLISECOND !== 0n) return '-timeout is a whole number of milliseconds, not negative';
    if (flags.has('policy')) {
      const also = ['need', 'approvers', 'exclude-principal'].find((name) => flags.has(name));
      return also === undefined ? undefined : `-policy stands in place of -${also}`;
    }
    if (flags.integer('need', 0) === 0) return '-need is needed, and not 0';
    if (!flags.has('approvers')) return '-approvers is needed';
    return validatePolicy(flagPolicy(flags));
  },
  async run(flags, session, io) {
    const inputs = new Inputs(flags, session, io);
    const path = flags.text('evidence');
    const evidence = inputs.artifact(path, packageShape, headsOfPackage);
    const ring = await inputs.ring();
    const keys = await inputs.principalKeys(flags.text('approver-keys'));
    const policy = flags.has('policy') ? policyFile(flags.text('policy'), inputs, session) : flagPolicy(flags);
    const resolver: Resolver | undefined =
      keys === undefined ? undefined : (approver) => keyVerifier(keys.get(approver) ?? []);
    const seats = policy === undefined || resolver === undefined ? undefined : validateKeys(policy, resolver);
    if (seats !== undefined)
      session.take([
        catalogue.find('evidence/key-unusable', `the keys cannot be used with this policy: ${seats}`, {
          where: { part: flags.text('approver-keys') },
        }),
      ]);
    if (evidence === undefined) {
      inputs.approved();
      return;
    }
    const report = checkEvidence(evidence, path, inputs, ring, session);
    // Nothing is proven under an unusable key, so nothing can be counted.
    if (policy === undefined || resolver === undefined || seats !== undefined || ring.length === 0) return;
    const timeout = flags.duration('timeout', 0n);
    const expected: Expectation = { policy, ...(timeout === 0n ? {} : { timeoutMs: timeout / MILLISECOND }) };
    const approval = checkApprovalEvidence(evidence, report.actions, { call: flags.text('call'), expected, resolver });
    session.take(approval.findings, path);
    for (const { approver, step, reason } of approval.ignored)
      session.item('INFO', `ignored ${approver} (${step}): ${reason}`);
    session.report = { ...packageReport(evidence, report, session), approvals: verdict(approval) };
    const counted = approval.audit?.count?.tally.approvedBy ?? [];
    if (session.status === 0) session.ok(`${flags.text('call')} was approved by ${counted.join(', ')}`);
  },
};

function flagPolicy(flags: Flags): Policy {
  return {
    kind: 'm-of-n',
    need: flags.integer('need', 0),
    approvers: flags.text('approvers').split(','),
    excludePrincipal: flags.bool('exclude-principal'),
  };
}

function policyFile(path: string, inputs: Inputs, session: Session): Policy | undefined {
  const bytes = inputs.bytes(path);
  if (bytes === undefined) return undefined;
  const read = readPolicy(bytes);
  const problem = 'problem' in read ? read.problem.message : validatePolicy(read.policy);
  if (problem === undefined && 'policy' in read) return read.policy;
  session.take([
    catalogue.find('evidence/malformed', `the policy cannot be used: ${problem}`, {
      where: { part: path },
      rule: 'approvals 1.3',
    }),
  ]);
  return undefined;
}

/** The verdict as audit spec 4.12.6 names its members. */
function verdict({ audit, ignored, findings, ok }: ApprovalReport): object {
  const args = audit?.request?.subject.args;
  return {
    need: audit?.policy?.kind === 'm-of-n' ? audit.policy.need : 0,
    tool_name: audit?.tool ?? '',
    args: args === undefined ? null : (decodeUtf8(args) ?? null),
    counted: audit?.count?.tally.approvedBy ?? [],
    denied_by: audit?.count?.tally.deniedBy ?? [],
    ignored,
    problems: findings.filter((finding) => finding.class !== 'none').map((finding) => finding.message),
    ok,
  };
}
