/**
 * Whether a report that is read back agrees with itself. Its numbers and results follow from its claims and findings, so that one that was
 * shortened, edited or made by hand shows where it did not think of all of them. That an input was ever verified it cannot show.
 */
import type { Claim, Finding, FindingClass, Severity, Verdict } from '../finding/finding.ts';
import { assemble, type InputReport, type Report, type Result, settle } from './report.ts';

const VERDICTS: ReadonlySet<unknown> = new Set<Verdict>(['verified', 'failed', 'undecided']);
const CLASSES: ReadonlySet<unknown> = new Set<FindingClass>(['not_verified', 'no_verdict', 'unusable', 'none']);
const SEVERITIES: ReadonlySet<unknown> = new Set<Severity>(['error', 'warning', 'note']);

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return value !== null && typeof value === 'object' && !Array.isArray(value);
}

function isClaim(value: unknown): value is Claim {
  return isObject(value) && typeof value['claim'] === 'string' && VERDICTS.has(value['verdict']);
}

function isFinding(value: unknown): value is Finding {
  return (
    isObject(value) &&
    typeof value['code'] === 'string' &&
    CLASSES.has(value['class']) &&
    SEVERITIES.has(value['severity']) &&
    isObject(value['where'])
  );
}

/** Whether a value is the report of one input whose result is the one that its claims and findings give. */
export function isSettledInput(value: unknown): value is InputReport {
  if (!isObject(value)) return false;
  const { path, result, required, claims, findings } = value;
  return (
    typeof path === 'string' &&
    Array.isArray(required) &&
    required.every((name) => typeof name === 'string') &&
    Array.isArray(claims) &&
    claims.every(isClaim) &&
    Array.isArray(findings) &&
    findings.every(isFinding) &&
    settle(findings, claims, required) === result
  );
}

const COUNTED: readonly Result[] = ['verified', 'not_verified', 'no_verdict', 'unusable_input'];

/** What of a summary does not follow from the inputs that it is about, in words; undefined where all of it does. */
export function disagreement(summary: Omit<Report, 'inputs'>, inputs: readonly unknown[]): string | undefined {
  const settled = inputs.filter(isSettledInput);
  if (settled.length < inputs.length) return 'the result of an input is not the one that its claims and findings give';
  const { totals } = summary;
  if (totals.inputs !== inputs.length) return `it counts ${totals.inputs} inputs and holds ${inputs.length}`;
  for (const result of COUNTED) {
    const count = settled.filter((input) => input.result === result).length;
    if (totals[result] !== count) return `it counts ${totals[result]} inputs as ${result} and holds ${count}`;
  }
  if (!summary.findings.every(isFinding)) return 'one of its findings is none';
  const { result, status } = assemble(settled, summary.findings, summary.given);
  if (summary.result !== result || summary.status !== status)
    return `it says ${summary.result} (status ${summary.status}), and what it holds gives ${result} (status ${status})`;
  return undefined;
}
