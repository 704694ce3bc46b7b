/**
 * The audit of one certificate-bound gate (approver-identity 19, steps numbered as there): its identity record, its decisions, what holds now,
 * and what ran. Nothing stops at the first problem.
 */
import type { GateAudit } from '../approval/audit.ts';
import type { GateIndex } from '../approval/gateIndex.ts';
import { identGeneration } from '../approval/recorded.ts';
import { passed } from '../approval/values.ts';
import type { Finding, Missing } from '../finding/finding.ts';
import type { ReadableRecord } from '../journal/record.ts';
import { formatInstant, parseInstant } from '../time/instant.ts';
import type { Judgement } from './decision.ts';
import { missingFor } from './explain.ts';
import { type Evidence, evaluate, type Gate, isCertificateBound, plainTally } from './gate.ts';
import { Problems } from './gateProblems.ts';
import type { IdentityPolicy } from './policy.ts';
import type { AppliedPolicy } from './policyFile.ts';
import { sharedIdentifiers } from './policyFile.ts';
import { TIERS, type Tier } from './reasons.ts';
import { checkRecord } from './recordAudit.ts';
import { checkDecisionRecord } from './recordedDecision.ts';
import { namedHash, type RecordedDecision, readHold } from './records.ts';

/** One counted decision under every view of it. */
export interface DecisionIdentity {
  readonly approver: string;
  readonly approved: boolean;
  readonly record: ReadableRecord;
  readonly recorded: RecordedDecision | undefined;
  /** What the gate should have found; undefined where that cannot be evaluated. */
  readonly replay: Judgement | undefined;
  /** What is true now, under the policy of record. */
  readonly audit: Judgement | undefined;
  readonly policy: IdentityPolicy;
  readonly exec: { readonly judgement: Judgement; readonly outcome: 'proceed' | 'wait' | 'reask' } | undefined;
  /** The same under the other policies that apply. */
  readonly others: readonly { readonly id: string; readonly policy: IdentityPolicy; readonly judgement: Judgement }[];
}

export interface GateIdentity {
  readonly gate: Gate;
  readonly verdict: 'verified' | 'not-verified' | 'failed';
  /** The weakest tier of the counted decisions; undefined without any. */
  readonly tierFloor: Tier | undefined;
  readonly decisions: readonly DecisionIdentity[];
  readonly findings: readonly Finding[];
  readonly missing: readonly Missing[];
}

/** What the audit of a gate starts from. */
export interface GateQuestion {
  readonly index: GateIndex;
  readonly gate: Gate;
  readonly counted: GateAudit;
  readonly evidence: Evidence;
}

/** Section 19. Undefined for a gate that is not identity-bound. */
export function auditIdentity(question: GateQuestion): GateIdentity | undefined {
  const { index, gate } = question;
  // 1.
  if (!gate.bound) return undefined;
  const problems = new Problems(gate.call);
  const { outcome, identity } = gate;
  const applied = gate.policies[0];
  // 2.
  if (applied === undefined)
    problems.add('policy-expected-missing', 'no policy of certificates applies to this call at the time of its count', {
      missing: {
        item: `the policy of certificates for the tool ${JSON.stringify(gate.tool)} at ${formatInstant(gate.at)}`,
        who: 'you, in the trust file or with -policy',
      },
    });
  if (outcome !== undefined && identity === undefined) {
    const some = gate.identities.length > 0;
    problems.add(
      some ? 'identity-incomplete' : 'identity-stripped',
      some
        ? 'no identity record is about the count that the gate went by'
        : 'the gate counts people by certificate and no identity record is there',
      { at: outcome },
    );
  }
  // 3.
  const recorded = identity === undefined ? undefined : checkRecord(question, identity, problems);
  checkRoster(gate, problems);
  const decisions = decisionsOf(question, recorded, problems);
  // 4.
  if (identity !== undefined && outcome !== undefined) checkSet(gate, identity.record.decisions ?? [], problems);
  // 5 to 7.
  for (const decision of decisions) checkDecisionRecord(question, decision, problems);
  // 8.
  checkOmitted(question, problems);
  // 9, beyond the count itself.
  checkSeats(question, decisions, problems);
  // 10.
  checkGenerations(question, problems);
  checkExecution(question, decisions, problems);
  checkHolds(question, problems);
  for (const { audit, record, approver } of decisions)
    if (audit === undefined || (!audit.counts && (audit.class === 'wait' || audit.cause === undefined)))
      problems.add(
        'decision-open',
        `whether the decision of ${JSON.stringify(approver)} stands is open: ${audit?.cause?.detail ?? 'it could not be judged'}`,
        { at: record },
      );
  const run = index.journal.run;
  for (const { audit, record, policy, approver } of decisions)
    if (audit !== undefined && audit.class === 'wait')
      for (const row of missingFor(
        audit,
        policy,
        { approver, position: record.position, run, recordedAt: record.record.recordedAt },
        'identity',
      ))
        problems.need(row);
  const failed = problems.findings.some(({ class: cls }) => cls === 'not_verified' || cls === 'unusable');
  // A gate that has not counted yet has shown nothing.
  const open = outcome === undefined || problems.findings.some(({ class: cls }) => cls === 'no_verdict');
  const tiers = decisions.flatMap(({ audit }) => audit?.tier ?? []);
  return {
    gate,
    verdict: failed ? 'failed' : open ? 'not-verified' : 'verified',
    tierFloor: tiers.length === 0 ? undefined : TIERS.find((tier) => tiers.includes(tier)),
    decisions,
    findings: problems.findings,
    missing: problems.missing,
  };
}

function checkRoster({ outcome, roster, policies }: Gate, problems: Problems): void {
  const eligible = outcome?.tally.approvers ?? [...(policies[0]?.approvers.keys() ?? [])];
  if (policies.length === 0) return;
  const identities = roster?.identities ?? new Map<string, string>();
  const lacking = eligible.filter((approver) => !identities.has(approver));
  if (lacking.length > 0)
    problems.add(
      'roster-missing-approver',
      `the identity map does not name ${lacking.map((id) => JSON.stringify(id)).join(', ')}`,
      { actual: lacking.join(', ') },
    );
  const shared = sharedIdentifiers(new Map([...identities].filter(([approver]) => eligible.includes(approver))));
  if (shared.size > 0)
    problems.add(
      'roster-duplicate-identifier',
      `the identity map names one person for several approvers: ${[...shared].join(', ')}`,
      {},
    );
}

/** The counted decisions of certificate-bound approvers, in policy order, evaluated in every mode. */
function decisionsOf(
  question: GateQuestion,
  recorded: IdentityPolicy | undefined,
  problems: Problems,
): readonly DecisionIdentity[] {
  const { index, gate, evidence } = question;
  const { outcome, identity } = gate;
  if (outcome === undefined) return [];
  const applied: AppliedPolicy | undefined = gate.policies[0];
  const policy = applied?.policy ?? recorded;
  if (policy === undefined) return [];
  const { approvedBy, deniedBy, approvers, records } = outcome.tally;
  return approvers.flatMap((approver): readonly DecisionIdentity[] => {
    const approved = approvedBy.includes(approver);
    if (!approved && !deniedBy.includes(approver)) return [];
    const entry = identity?.record.decisions?.find((one) => one.approver === approver);
    if (!isCertificateBound(gate, approver) && entry === undefined) return [];
    const named = records.flatMap((name) => {
      const stored = index.byName(name);
      const own =
        stored?.record !== undefined && stored.record.approver === approver && stored.record.approved === approved;
      return own ? [stored] : [];
    });
    const record =
      named.find(({ name }) => name === entry?.step) ??
      named.find(({ record: { approverCert } }) => approverCert !== undefined) ??
      named[0];
    if (record === undefined) return [];
    if (record.record.approverCert === undefined || record.record.approverCert.length === 0)
      problems.add(
        'v3-for-cert-approver',
        `the counted decision of ${JSON.stringify(approver)} carries no certificate`,
        { at: record },
      );
    const audit = evaluate(gate, record, evidence, { mode: 'audit', at: evidence.asOf, policy });
    const exec =
      gate.ranAt === undefined ? undefined : evaluate(gate, record, evidence, { mode: 'exec', at: gate.ranAt, policy });
    return [
      {
        approver,
        approved,
        record,
        recorded: entry,
        replay: replayOf(question, record, entry, recorded),
        audit,
        policy,
        exec:
          exec === undefined
            ? undefined
            : { judgement: exec, outcome: exec.counts ? 'proceed' : exec.class === 'wait' ? 'wait' : 'reask' },
        others: gate.policies.slice(1).flatMap((other) => {
          const judgement = evaluate(gate, record, evidence, {
            mode: 'audit',
            at: evidence.asOf,
            policy: other.policy,
          });
          return judgement === undefined ? [] : [{ id: other.id, policy: other.policy, judgement }];
        }),
      },
    ];
  });
}

/**
 * Replay (7.1): the record's own policy, its time, and only the status bytes and the token that it names: what a gate had not fetched is no
 * mistake of its arithmetic, and the audit sees it.
 */
function replayOf(
  { gate, evidence }: GateQuestion,
  record: ReadableRecord,
  entry: RecordedDecision | undefined,
  policy: IdentityPolicy | undefined,
): Judgement | undefined {
  if (gate.identity === undefined || entry === undefined || policy === undefined) return undefined;
  return evaluate(gate, record, evidence, {
    mode: 'live',
    at: gate.at,
    policy,
    only: new Set((entry.status ?? []).map(namedHash)),
    namedHead: entry.head_hash,
    timeEvidence: entry.time_evidence,
  });
}

/** Step 4. */
function checkSet(gate: Gate, listed: readonly RecordedDecision[], problems: Problems): void {
  if (gate.outcome === undefined || gate.policies.length === 0) return;
  const { approvers, approvedBy, deniedBy } = gate.outcome.tally;
  const wanted = approvers.filter(
    (id) => isCertificateBound(gate, id) && (approvedBy.includes(id) || deniedBy.includes(id)),
  );
  const found = listed.map(({ approver }) => approver);
  if (wanted.join('\n') !== found.join('\n'))
    problems.add(
      'decision-set',
      'the identity record does not list the counted decisions of certificate-bound approvers in policy order',
      {
        at: gate.identity?.stored,
        expected: wanted.join(', ') || 'none',
        actual: found.join(', ') || 'none',
      },
    );
}

/** Step 8: a decision that the count does not name and that, with what was there then, should have counted. */
function checkOmitted(question: GateQuestion, problems: Problems): void {
  const { index, gate, evidence } = question;
  const { outcome } = gate;
  const policy = gate.policies[0]?.policy;
  if (outcome === undefined || policy === undefined) return;
  const { approvedBy, deniedBy, excluded, expired } = outcome.tally;
  const after = gate.generation === 0 || evidence.readings.generation === 'all' ? -1 : (holdBefore(index, gate) ?? -1);
  const deadline = index.deadline(gate.call);
  for (const record of index.decisions(gate.call, after)) {
    const { approver } = record.record;
    if (record.position > outcome.position || expired || !isCertificateBound(gate, approver)) continue;
    if (approvedBy.includes(approver) || deniedBy.includes(approver) || excluded.includes(approver)) continue;
    if (!outcome.tally.approvers.includes(approver)) continue;
    if (
      deadline?.status === 'unreadable' ||
      (deadline?.status === 'read' && record.record.recordedAt >= deadline.expiresAt)
    )
      continue;
    const then = evaluate(gate, record, evidence, { mode: 'live', at: gate.at, policy });
    if (then?.counts !== true) {
      if (then?.class === 'wait') checkUnjudged(question, record, policy, problems);
      continue;
    }
    problems.add(
      'decision-omitted',
      `the ${record.record.approved ? 'approval' : 'denial'} by ${JSON.stringify(approver)} should have counted`,
      { at: record },
    );
  }
}

/**
 * A decision that the gate passed over as not yet provable, and that nothing supplied shows even now: with what is missing it might have had
 * to count, so the count is open (18.3).
 */
function checkUnjudged(
  { index, gate, evidence }: GateQuestion,
  record: ReadableRecord,
  policy: IdentityPolicy,
  problems: Problems,
): void {
  const now = evaluate(gate, record, evidence, { mode: 'audit', at: evidence.asOf, policy });
  if (now?.class !== 'wait') return;
  const { approver, approved, recordedAt } = record.record;
  problems.add(
    'decision-open',
    `whether the ${approved ? 'approval' : 'denial'} by ${JSON.stringify(approver)}, which was not counted, should have been is open: ${now.cause?.detail ?? 'it could not be judged'}`,
    { at: record },
  );
  const { run } = index.journal;
  for (const row of missingFor(now, policy, { approver, position: record.position, run, recordedAt }, 'identity'))
    problems.need(row);
}

function holdBefore(index: GateIndex, gate: Gate): number | undefined {
  return index.holds(gate.call).find(({ generation }) => generation === gate.generation - 1)?.position;
}

/** Section 16: one person, one seat; and nobody approves what they asked for. */
function checkSeats(
  { index, gate, evidence }: GateQuestion,
  decisions: readonly DecisionIdentity[],
  problems: Problems,
): void {
  const { outcome, roster } = gate;
  if (outcome === undefined) return;
  const counted = [...outcome.tally.approvedBy, ...outcome.tally.deniedBy];
  const people = new Map(
    counted.flatMap((id) => (roster?.identities.has(id) ? [[id, roster.identities.get(id) as string]] : [])),
  );
  const shared = sharedIdentifiers(people);
  const keys = new Map(
    decisions.flatMap(({ approver, audit }) =>
      audit?.leaf === undefined ? [] : [[approver, audit.leaf.publicKey.sha256]],
    ),
  );
  const sharedKeys = sharedIdentifiers(keys);
  for (const what of [...shared, ...sharedKeys])
    problems.add('shared-seat-counted', `two counted approvers are one person or hold one key: ${what}`, {
      at: outcome,
      actual: what,
    });
  const { requesters: reading } = index;
  if (!outcome.tally.excludePrincipal || reading.status !== 'read') return;
  const { trust } = evidence;
  const configured = trust.requesterMapping || trust.requesters.size > 0;
  for (const requester of outcome.tally.requesters) {
    const identifier = trust.requesters.get(requester);
    if (identifier === undefined) {
      if (configured)
        problems.add('requester-unmapped', `the mapping does not say who ${JSON.stringify(requester)} is`, {
          actual: requester,
        });
      continue;
    }
    for (const [approver, person] of people)
      if (person === identifier)
        problems.add(
          'requester-counted',
          `${JSON.stringify(approver)} is the person behind ${JSON.stringify(requester)}`,
          { at: outcome },
        );
  }
}

/** 17 rules 1 to 3, and whether a held count was run on. */
function checkGenerations({ index, gate, counted }: GateQuestion, problems: Problems): void {
  const { call } = gate;
  const holds = index.holds(call);
  const tallies = index.tallies(call);
  const ranFirst = [
    ...index.attempts(call),
    ...(index.result(call) === undefined ? [] : [index.result(call) as ReadableRecord]),
  ]
    .map(({ position }) => position)
    .sort((a, b) => a - b)[0];
  for (const tally of tallies) {
    const generation = identGeneration(tally.name, call);
    if (generation === undefined || generation === 0) continue;
    const proven = holds.some((hold) => hold.generation === generation - 1 && hold.position < tally.position);
    if (!proven)
      problems.add(
        'generation-unproven',
        `the count of generation ${generation} has no hold of generation ${generation - 1} before it`,
        { at: tally },
      );
  }
  if (ranFirst === undefined || !counted.ran) return;
  const plain = tallies.find(({ name }) => name === plainTally(call));
  const identified = tallies.some(
    ({ name, position }) => identGeneration(name, call) !== undefined && position < ranFirst,
  );
  if (plain?.tally !== undefined && passed(plain.tally) && !identified && plain.position < ranFirst)
    problems.add('plain-tally-acted-on', 'the call ran on a count that did not identify its approvers', { at: plain });
  for (const hold of holds) {
    const later = tallies.some(
      ({ name, position }) => identGeneration(name, call) === hold.generation + 1 && position > hold.position,
    );
    if (!later && ranAfter(index, call, hold.position))
      problems.add('hold-ignored', `the call ran although its count of generation ${hold.generation} was held`, {
        at: hold,
      });
  }
}

function ranAfter(index: GateIndex, call: string, position: number): boolean {
  const result = index.result(call);
  return (
    index.attempts(call).some((attempt) => attempt.position > position) ||
    (result !== undefined && result.position > position)
  );
}

/** 17 rules 5 to 7. */
function checkExecution(
  { gate, counted }: GateQuestion,
  decisions: readonly DecisionIdentity[],
  problems: Problems,
): void {
  const { outcome } = gate;
  if (!counted.ran || outcome === undefined || !passed(outcome.tally)) return;
  if (gate.policies[0]?.requireFinal === true)
    for (const { approver, approved, record, replay } of decisions)
      if (approved && replay?.tier === 'provisional')
        problems.add(
          'final-required',
          `the approval by ${JSON.stringify(approver)} was provisional when it was counted`,
          { at: record },
        );
  if (gate.ranAt === undefined) {
    problems.add('exec-time-unknown', 'no marker says when the call ran', {});
    return;
  }
  for (const { approver, approved, record, exec } of decisions) {
    if (!approved || exec === undefined) continue;
    const { judgement } = exec;
    const at = formatInstant(judgement.at);
    if (judgement.cause?.reason === 'revoked')
      problems.add(
        'executed-while-revoked',
        `when the call ran at ${at}, the certificate of ${JSON.stringify(approver)} was revoked: ${judgement.cause.detail}`,
        { at: record },
      );
    else if (exec.outcome === 'wait')
      problems.add(
        'exec-status-unproven',
        `at ${at} no status of ${JSON.stringify(approver)} was fresh: ${judgement.cause?.detail ?? ''}`,
        { at: record },
      );
    for (const noted of judgement.notes) if (noted.note === 'exec-status-overlap') problems.note(noted, { at: record });
  }
}

/** Step 10: a hold's evidence recomputed. */
function checkHolds({ index, gate, evidence }: GateQuestion, problems: Problems): void {
  const policy = gate.policies[0]?.policy;
  if (policy === undefined) return;
  for (const { name, position } of index.holds(gate.call)) {
    const stored = index.byName(name);
    const hold = stored?.record === undefined ? undefined : readHold(stored);
    const checked = hold === undefined ? undefined : parseInstant(hold.checked_at);
    if (hold === undefined || checked === undefined) {
      problems.add('hold-unsupported', 'the hold does not say when it was checked', { at: { name, position } });
      continue;
    }
    const held = new Set(hold.approvers ?? []);
    const fails = index
      .decisions(gate.call)
      .filter((record) => record.position < position && held.has(record.record.approver))
      .some((record) => {
        const judgement = evaluate(gate, record, evidence, { mode: 'exec', at: checked, policy });
        return judgement !== undefined && !judgement.counts && judgement.class !== 'wait';
      });
    if (!fails)
      problems.add('hold-unsupported', 'with what was supplied, the held approvals would have been good', {
        at: { name, position },
      });
  }
}
