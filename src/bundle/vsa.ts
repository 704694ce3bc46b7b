/**
 * SLSA verification summaries (interop 3.3), for tools that know no other word for "somebody checked this". Written only where one of its two
 * words is true: there is none for what is undecided.
 */
import type { JsonObject } from '../json/tree.ts';
import { memberOf, textOf, textsOf } from './members.ts';
import { type ReportFacts, VERIFIER_ID } from './reportPredicate.ts';
import { digestsOf, type Plain, writeStatement } from './statement.ts';

export const VSA_PREDICATE_TYPE = 'https://slsa.dev/verification_summary/v1';

/**
 * The summary of a report over one input; undefined where no summary can say it: several inputs, no trust file that was the policy, or a
 * status other than 0 and 1.
 *
 * @param time RFC 3339: when it was verified
 */
export function vsaStatement(report: ReportFacts, time: string): Uint8Array | undefined {
  const [input] = report.inputs;
  const [policy] = report.given.trust;
  if (report.inputs.length !== 1 || input === undefined || input.sha256 === null) return undefined;
  if (report.given.trust.length !== 1 || policy === undefined || report.status > 1) return undefined;
  const passed = report.status === 0;
  const held = new Set(input.claims.filter(({ verdict }) => verdict === 'verified').map(({ claim }) => claim));
  const levels = report.required.filter((claim) => held.has(claim)).map(levelOf);
  const uri = (digest: string) => `urn:sha256:${digest}`;
  const predicate: Plain = {
    verifier: { id: VERIFIER_ID, version: { [report.tool.name]: report.tool.version } },
    timeVerified: time,
    resourceUri: uri(input.sha256),
    policy: { uri: uri(policy.sha256), digest: { sha256: policy.sha256 } },
    inputAttestations: [],
    verificationResult: passed ? 'PASSED' : 'FAILED',
    verifiedLevels: passed ? levels : ['FAILED'],
    dependencyLevels: {},
    slsaVersion: '1.0',
  };
  return writeStatement([{ name: input.path, sha256: input.sha256 }], VSA_PREDICATE_TYPE, predicate);
}

/** A claim as a level of ours: never one of SLSA's. */
export function levelOf(claim: string): string {
  return `AUDIT_${claim
    .toUpperCase()
    .replace(/[^A-Z0-9]+/g, '_')
    .replace(/^_|_$/g, '')}`;
}

export interface VsaExpectation {
  readonly verifierId: string;
  readonly resourceUri: string;
  readonly levels: readonly string[];
}

export type VsaRule =
  | 'vsa-verifier'
  | 'vsa-member'
  | 'vsa-result-word'
  | 'vsa-verifier-id'
  | 'vsa-resource'
  | 'vsa-failed'
  | 'vsa-level';

/** The consumer's steps after envelope, subject and type; undefined when the summary is what was expected. */
export function vsaFault(
  predicate: JsonObject | undefined,
  expected: VsaExpectation,
): { readonly rule: VsaRule; readonly message: string } | undefined {
  const member = (name: string) => (predicate === undefined ? undefined : memberOf(predicate, name));
  const verifier = member('verifier');
  const id = verifier?.kind === 'object' ? textOf(memberOf(verifier, 'id')) : undefined;
  if (id === undefined) return { rule: 'vsa-verifier', message: 'the summary does not say who verified' };
  const policy = member('policy');
  const uri = textOf(member('resourceUri'));
  const levels = textsOf(member('verifiedLevels'));
  const result = textOf(member('verificationResult'));
  const time = member('timeVerified');
  const policyIs = policy?.kind === 'object' && digestsOf(memberOf(policy, 'digest')) !== undefined;
  if (!policyIs || uri === undefined || levels === undefined || result === undefined)
    return {
      rule: 'vsa-member',
      message: 'policy, resourceUri, verifiedLevels or verificationResult is missing or of another type',
    };
  if (time !== undefined && textOf(time) === undefined)
    return { rule: 'vsa-member', message: 'timeVerified is no string' };
  if (result !== 'PASSED' && result !== 'FAILED')
    return { rule: 'vsa-result-word', message: 'verificationResult is neither PASSED nor FAILED' };
  if (id !== expected.verifierId)
    return { rule: 'vsa-verifier-id', message: `the summary is by ${JSON.stringify(id)}` };
  if (uri !== expected.resourceUri)
    return { rule: 'vsa-resource', message: `the summary is of ${JSON.stringify(uri)}` };
  if (result === 'FAILED') return { rule: 'vsa-failed', message: 'the verification failed' };
  const lacking = expected.levels.filter((level) => !levels.includes(level));
  return lacking.length === 0 ? undefined : { rule: 'vsa-level', message: `not verified: ${lacking.join(', ')}` };
}
