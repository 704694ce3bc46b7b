/** The report of `verify-identity`, `bide-audit.identity-report.v1` (approver-identity 21). */
import type { Finding } from '../finding/finding.ts';
import { formatDuration } from '../time/duration.ts';
import { formatInstant, type Instant } from '../time/instant.ts';
import type { Judgement } from './decision.ts';
import { reliedOn, reproducibleUntil, whatWouldChange } from './explain.ts';
import type { DecisionIdentity, GateIdentity } from './gateAudit.ts';
import type { RunIdentity } from './judge.ts';
import { DEFAULT_READINGS, type Readings } from './readings.ts';

const REPORT_FORMAT = 'bide-audit.identity-report.v1';

/** Plain JSON. Readings are listed where one is not the default. */
export function identityReport(
  run: string,
  asOf: Instant,
  { gates, findings }: RunIdentity,
  readings: Readings,
): object {
  const other = Object.entries(readings).filter(([name, value]) => DEFAULT_READINGS[name as keyof Readings] !== value);
  return {
    format: REPORT_FORMAT,
    run_id: run,
    as_of: formatInstant(asOf),
    ...(other.length === 0 ? {} : { readings: Object.fromEntries(other) }),
    gates: gates.map(gateReport),
    findings: findings.map(findingReport),
  };
}

function gateReport(identity: GateIdentity): object {
  const { gate, verdict, tierFloor, decisions, findings, missing } = identity;
  const policy = gate.policies[0]?.id;
  return {
    tool_use_id: gate.call,
    tool: gate.tool,
    bound: gate.bound,
    generation: gate.generation,
    ...(policy === undefined ? {} : { policy_id: policy }),
    verdict,
    ...(verdict === 'verified' && tierFloor !== undefined && tierFloor !== 'independent-final'
      ? { tier_floor: tierFloor }
      : {}),
    decisions: decisions.map(decisionReport),
    findings: findings.map(findingReport),
    missing: missing.map(({ item, who, from }) => ({ item, who, from })),
  };
}

function decisionReport({ approver, record, recorded, replay, audit, exec, policy, others }: DecisionIdentity): object {
  const identifier = audit?.identifier ?? recorded?.identifier;
  const until = audit === undefined ? undefined : reproducibleUntil(audit, policy);
  return {
    approver,
    step: record.name,
    ...(identifier === undefined ? {} : { identifier }),
    ...(recorded === undefined
      ? {}
      : { recorded: { tier: recorded.tier, basis_kind: recorded.basis_kind, anchored_at: recorded.anchored_at } }),
    ...(replay === undefined ? {} : { replay: judgementReport(replay) }),
    ...(audit === undefined
      ? {}
      : {
          audit: judgementReport(audit),
          relied_on: reliedOn(audit),
          would_change: whatWouldChange(audit, policy),
          ...(until === undefined ? {} : { reproducible_until: formatInstant(until) }),
        }),
    ...(exec === undefined ? {} : { exec: { at: formatInstant(exec.judgement.at), outcome: exec.outcome } }),
    ...(others.length === 0
      ? {}
      : { other_policies: others.map(({ id, judgement }) => ({ policy_id: id, ...judgementReport(judgement) })) }),
  };
}

function judgementReport({ counts, cause, tier, basis, statusTime, window, anchored, en }: Judgement): object {
  const time = anchored === undefined ? {} : { anchored_at: formatInstant(anchored.a), time_source: anchored.source };
  if (!counts)
    return {
      counts,
      ...(cause === undefined ? {} : { reason: cause.reason, detail: cause.detail }),
      ...time,
      en_319_102_1: en,
    };
  return {
    counts,
    tier,
    basis_kind: basis,
    ...(statusTime === undefined ? {} : { status_time: formatInstant(statusTime) }),
    ...(window === undefined ? {} : { window: formatDuration(window) }),
    ...time,
    en_319_102_1: en,
  };
}

function findingReport({ code, severity, message, where, expected, actual }: Finding): object {
  const detail = {
    ...where,
    ...(expected === undefined ? {} : { expected }),
    ...(actual === undefined ? {} : { actual }),
  };
  return { code: code.replace('identity/', ''), severity, message, detail };
}
