/** `verify-governance`, `verify-governed-action`, `verify-convergence`: policies and what is certified of them (audit spec 4.9, 6.5). */
import { catalogue } from '../../../src/evidence/catalogue.ts';
import { HeadChecker } from '../../../src/evidence/heads.ts';
import {
  checkConvergence,
  checkGovernedAction,
  convergesFindings,
  type GivenBundle,
  policyDigest,
} from '../../../src/evidence/policies.ts';
import { proofShape } from '../../../src/evidence/shapes.ts';
import { askChecker, CHECKER_FLAG, checkerOf, isText } from '../checker.ts';
import { headOfProof } from '../headsIn.ts';
import { Inputs } from '../inputs.ts';
import type { Verb } from '../verb.ts';
import { PUBKEY_FLAG } from './proof.ts';

export const verifyGovernanceVerb: Verb = {
  name: 'verify-governance',
  summary: 'Computes the digest of a policy, compares it, and asks a checker.',
  flags: {
    policy: { kind: 'string', help: 'the policy text', required: true },
    digest: { kind: 'string', help: 'the digest that it must have' },
    ...CHECKER_FLAG,
  },
  run(flags, session, io) {
    const inputs = new Inputs(flags, session, io);
    const path = flags.text('policy');
    const policy = inputs.bytes(path);
    if (policy === undefined) return;
    const digest = policyDigest(policy);
    const wanted = flags.optional('digest');
    if (wanted !== undefined && wanted.toLowerCase() !== digest)
      session.take(
        [
          catalogue.find('evidence/policy-digest', 'the policy does not have the digest given', {
            expected: wanted,
            actual: digest,
          }),
        ],
        path,
      );
    const program = flags.optional('checker');
    if (program !== undefined) session.take(convergesFindings(askChecker(program, path, session, io), {}), path);
    if (!isText(policy)) session.note('the policy is not UTF-8 text');
    if (session.status === 0) session.ok(`policy digest ${digest}`);
  },
};

async function bundles(
  inputs: Inputs,
  paths: readonly string[],
): Promise<{ readonly given: readonly GivenBundle[]; readonly heads: HeadChecker }> {
  const given = paths.map((path) => ({
    bundle: inputs.artifact(path, proofShape, headOfProof),
    where: { part: path },
  }));
  const ring = await inputs.ring();
  return { given, heads: new HeadChecker({ ring }) };
}

export const verifyGovernedActionVerb: Verb = {
  name: 'verify-governed-action',
  summary: 'Checks that an action names a policy whose text is in the same tree.',
  flags: {
    action: { kind: 'string', help: 'the proof bundle of the action', required: true },
    'policy-bundle': { kind: 'string', help: 'the proof bundle of the policy leaf', required: true },
    ...PUBKEY_FLAG,
    ...CHECKER_FLAG,
  },
  async run(flags, session, io) {
    const inputs = new Inputs(flags, session, io);
    const { given, heads } = await bundles(inputs, [flags.text('action'), flags.text('policy-bundle')]);
    const [action, policy] = given as [GivenBundle, GivenBundle];
    const report = checkGovernedAction(action, policy, heads, checkerOf(flags, session, io));
    session.take(report.findings);
    if (session.status === 0 && report.policy !== undefined)
      session.ok(`the action ran under policy ${report.policy.digest}`);
  },
};

export const verifyConvergenceVerb: Verb = {
  name: 'verify-convergence',
  summary: 'Checks the convergence certificate of a policy.',
  flags: {
    'cert-bundle': { kind: 'string', help: 'the proof bundle of the certificate leaf', required: true },
    'policy-bundle': { kind: 'string', help: 'the proof bundle of the policy leaf', required: true },
    ...PUBKEY_FLAG,
    ...CHECKER_FLAG,
  },
  async run(flags, session, io) {
    const inputs = new Inputs(flags, session, io);
    const { given, heads } = await bundles(inputs, [flags.text('cert-bundle'), flags.text('policy-bundle')]);
    const [certificate, policy] = given as [GivenBundle, GivenBundle];
    const report = checkConvergence(certificate, policy, heads, checkerOf(flags, session, io));
    session.take(report.findings);
    for (const note of report.notes) session.note(note);
    if (session.status === 0 && report.policy !== undefined)
      session.ok(`policy ${report.policy.digest} is certified to converge`);
  },
};
