/**
 * Recounts every gate of a run (approvals 8 over a whole journal) and holds it against what was recorded and what then ran. A gate is
 * found by its own records, and by the trust file: a call that should have been gated and shows no gate is found too.
 */
import type { Finding, Missing } from '../finding/finding.ts';
import type { Journal } from '../journal/record.ts';
import type { Trust } from '../trust/trust.ts';
import type { GateAudit } from './audit.ts';
import { auditGate } from './audit.ts';
import { catalogue } from './catalogue.ts';
import { GateIndex } from './gateIndex.ts';
import type { Expectation } from './gatePatterns.ts';
import { nodeName, readGates } from './gatePatterns.ts';
import type { DecisionJudge } from './verifier.ts';
import { trustResolver } from './verifier.ts';

export interface Recount {
  readonly run: string;
  readonly index: GateIndex;
  /** Gates in order of the first record that speaks of the call. Calls that need no approval and show no gate are not listed. */
  readonly gates: readonly GateAudit[];
  /** Calls of the run that were looked at and need no approval. */
  readonly ungated: number;
  /** Whether the trust file names any gate at all. */
  readonly expectationsGiven: boolean;
  /** What is wrong with no single gate: patterns of the trust file, counts of unknown calls. */
  readonly findings: readonly Finding[];
  readonly missing: readonly Missing[];
}

/** Codes in the order of their gravity; what is not listed follows in the order found. */
const GRAVEST = [
  'approval/ran-without-approval',
  'approval/ran-after-denial',
  'approval/attempt-before-outcome',
  'approval/count-differs',
];

/**
 * Recounts the gates of one run.
 *
 * @param journal the whole journal, read from its stored bytes.
 * @param trust approver keys and expected policies, from the auditor.
 * @param judge for certificate-bound approvers; without it their decisions are not evaluated and their gates undecided.
 */
export function recountGates(journal: Journal, trust: Trust, judge?: DecisionJudge): Recount {
  const index = new GateIndex(journal);
  const { gates: expectations, findings: patternFindings } = readGates(trust);
  const findings: Finding[] = [...patternFindings];
  const resolver = trustResolver(trust);
  const gates: GateAudit[] = [];
  let ungated = 0;
  const calls = new Set(index.calls);
  if (expectations.namesNodes) for (const node of index.nodes) calls.add(node);
  for (const call of calls) {
    const tool = index.request(call)?.subject.tool ?? (call.startsWith('node:') ? nodeName(call) : '');
    const answer = expectations.expected(journal.run, call, tool);
    let expected: Expectation | undefined;
    if (answer !== undefined && 'conflict' in answer) findings.push(answer.conflict);
    else expected = answer;
    const shows = index.showsGate(call);
    if (!shows && (expected === undefined || expected.policy === null)) {
      ungated++;
      continue;
    }
    // A step of the run that never was a call: attempts of steps carry their name as id.
    if (
      !shows &&
      index.request(call) === undefined &&
      index.result(call) === undefined &&
      index.attempts(call).length === 0
    )
      continue;
    const own = judge?.forCall === undefined ? judge : judge.forCall(call);
    const audit = auditGate({ index, call, expected, resolver, judge: own, whole: true });
    if (audit.end === 'ungated') ungated++;
    else gates.push({ ...audit, findings: byGravity(audit.findings) });
  }
  for (const tally of index.orphanTallies())
    findings.push(
      catalogue.find('approval/request-missing', 'a count is on record of a call that nothing else speaks of', {
        where: { entry: tally.name, pointer: `/records/${tally.position}` },
      }),
    );
  return {
    run: journal.run,
    index,
    gates,
    ungated,
    expectationsGiven: !expectations.empty,
    findings,
    missing: gates.flatMap((gate) => gate.missing),
  };
}

/** The findings of all gates, gravest first. */
export function byGravity(findings: readonly Finding[]): readonly Finding[] {
  const rank = ({ code, class: cls }: Finding): number => {
    const place = GRAVEST.indexOf(code);
    if (place >= 0) return place;
    return GRAVEST.length + (cls === 'none' ? 1 : 0);
  };
  return findings
    .map((finding, i) => ({ finding, i }))
    .sort((a, b) => rank(a.finding) - rank(b.finding) || a.i - b.i)
    .map(({ finding }) => finding);
}
