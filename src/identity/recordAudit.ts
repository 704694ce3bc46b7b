/** The identity record itself (approver-identity 19 step 3): form, order, digests, policy and roster. */
import { decode } from '../json/shape.ts';
import { formatInstant, parseInstant } from '../time/instant.ts';
import { checkPolicyDigest, kindsDigest } from './digests.ts';
import { boundNote, type MatchedIdentity } from './gate.ts';
import type { GateQuestion } from './gateAudit.ts';
import type { Problems } from './gateProblems.ts';
import { type IdentityPolicy, policyDifferences, policyOf, policyProblems, recordedPolicyShape } from './policy.ts';
import { IDENTITY_FORMAT } from './records.ts';

/** Checks the record; gives its policy where that can be evaluated under. */
export function checkRecord(
  { index, gate }: GateQuestion,
  { stored, record, form }: MatchedIdentity,
  problems: Problems,
): IdentityPolicy | undefined {
  const at = stored;
  const wrong = (what: string, expected: string, actual: string): void => {
    problems.add('identity-format', `the identity record has ${what} that no gate writes`, { at, expected, actual });
  };
  if (record.format !== IDENTITY_FORMAT) wrong('a format', IDENTITY_FORMAT, record.format);
  if (record.rules !== 'v1') wrong('rules', 'v1', record.rules);
  if (record.evaluated !== 'live') wrong('an evaluation', 'live', record.evaluated);
  if (parseInstant(record.evaluated_at) === undefined) wrong('a time', 'RFC 3339', record.evaluated_at);
  const { outcome } = gate;
  if (outcome !== undefined) {
    if (record.tally !== outcome.name) wrong('the name of a count', outcome.name, record.tally);
    if (stored.position > outcome.position)
      problems.add('identity-after-tally', 'the identity record stands after the count that it supports', { at });
  }
  if (form === 'record')
    problems.add('policy-encoding', 'tally_digest is over the whole record of the count, not over its value', { at });
  const policy = checkPolicy(gate.policies[0]?.policy, record, at, problems);
  const { roster } = gate;
  if (roster !== undefined && record.roster_digest !== roster.digest)
    problems.add('roster-digest', `the recorded roster is not the one in force at ${formatInstant(gate.at)}`, {
      at,
      expected: roster.digest,
      actual: record.roster_digest,
    });
  const note = boundNote(index, gate.call);
  const text = (name: string): string | undefined => {
    const node = note?.members.get(name);
    return node?.kind === 'string' && node.value !== '' ? node.value : undefined;
  };
  const notedPolicy = text('identity_policy_digest');
  if (notedPolicy !== undefined && notedPolicy !== record.policy_digest)
    problems.add('policy-note-differs', 'the newest note of the gate names another policy', {
      at: note,
      expected: record.policy_digest,
      actual: notedPolicy,
    });
  const notedKinds = text('identity_kinds');
  const applied = gate.policies[0];
  if (notedKinds !== undefined && applied !== undefined && outcome !== undefined) {
    const kinds = kindsDigest(outcome.tally.approvers.map((id) => [id, applied.approvers.get(id) ?? 'bare'] as const));
    if (kinds !== notedKinds)
      problems.add('identity-kinds', 'the note counts other approvers as certificate-bound than the policy file', {
        at: note,
        expected: kinds,
        actual: notedKinds,
      });
  }
  return policy;
}

function checkPolicy(
  expected: IdentityPolicy | undefined,
  record: MatchedIdentity['record'],
  at: MatchedIdentity['stored'],
  problems: Problems,
): IdentityPolicy | undefined {
  const bytes = record.policy ?? new Uint8Array();
  const decoded = decode(recordedPolicyShape, bytes);
  const faults = decoded.ok ? policyProblems(decoded.value) : decoded.problems.map(({ message }) => message);
  if (!decoded.ok || faults.length > 0) {
    problems.add('identity-format', `the recorded policy cannot be used: ${faults[0] ?? 'it is absent'}`, { at });
    return undefined;
  }
  const digest = checkPolicyDigest(bytes, decoded.value, record.policy_digest);
  if (!digest.matches)
    problems.add('policy-digest', 'the recorded policy does not have the recorded digest', {
      at,
      actual: record.policy_digest,
    });
  else if (!digest.plain) problems.add('policy-encoding', `the digest is that of the policy ${digest.form}`, { at });
  if (expected !== undefined) {
    const differing = policyDifferences(decoded.value, expected.record);
    if (differing.length > 0)
      problems.add('policy-not-of-record', `the gate used another policy: ${differing.join(', ')}`, {
        at,
        actual: differing.join(', '),
      });
  }
  return policyOf(decoded.value);
}
