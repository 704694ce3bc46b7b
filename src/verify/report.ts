/**
 * The report, `audit.report.v1` (design: one model, many renderers; schemas/report.schema.json). Settling is here: which result the
 * findings and the required claims of an input give, and which status the inputs give together.
 */
import { type Claim, type Finding, type FindingClass, type Missing, mergeVerdicts } from '../finding/finding.ts';
import { identify } from './identity.ts';
import type { Outcome, TimelineRow } from './kind.ts';
import { TOOL } from './tool.ts';

export type Result = 'verified' | 'not_verified' | 'no_verdict' | 'unusable_input';

/** Exit status of each result; the precedence is 1, 4, 3, 0. */
export const STATUS: Readonly<Record<Result, 0 | 1 | 3 | 4>> = {
  verified: 0,
  not_verified: 1,
  no_verdict: 3,
  unusable_input: 4,
};

const PRECEDENCE: readonly Result[] = ['not_verified', 'unusable_input', 'no_verdict', 'verified'];

/** The result of highest precedence; of none at all: nothing was verified, so `no_verdict`. */
export function worst(results: Iterable<Result>): Result {
  let rank: number | undefined;
  for (const result of results) rank = Math.min(rank ?? PRECEDENCE.length, PRECEDENCE.indexOf(result));
  return rank === undefined ? 'no_verdict' : (PRECEDENCE[rank] as Result);
}

/** A file that a verification used beside its inputs. */
export interface GivenFile {
  readonly path: string;
  readonly sha256: string;
}

/** What was asked and given beside the inputs: enough to run the same verification again from the bytes. */
export interface Given {
  readonly trust: readonly GivenFile[];
  readonly heads: readonly GivenFile[];
  readonly companions: readonly GivenFile[];
  /** Media files of sessions, where any were given. */
  readonly media?: readonly GivenFile[];
  readonly require: readonly string[] | null;
  readonly expect_ids: readonly string[];
  readonly expect_leaf: string | null;
  readonly entry: string | null;
  readonly run: string | null;
}

/** A finding under its identity (law 7): the same in every format and every run over the same input. */
export interface ReportedFinding extends Finding {
  readonly fingerprint: string;
  /** The bytes that it is about, where it knows them: up to 96, as text with the hidden made visible, or as hex. */
  readonly excerpt?: string;
}

export interface InputReport {
  readonly path: string;
  /** Null where no kind was recognised. */
  readonly kind: string | null;
  readonly sha256: string | null;
  readonly bytes: number | null;
  /** In NDJSON alone: SHA-256 of what was asked and given beside the input. Only a run with the same may take the report over. */
  readonly under?: string;
  /** The instant that this input was judged by; null when no time rule applied. */
  readonly as_of: AsOf | null;
  readonly result: Result;
  readonly required: readonly string[];
  readonly subject: Outcome['subject'];
  readonly counts: Outcome['counts'];
  readonly claims: readonly Claim[];
  readonly findings: readonly ReportedFinding[];
  readonly missing: readonly Missing[];
  readonly not_supplied: readonly string[];
  readonly timeline: readonly TimelineRow[];
}

export interface AsOf {
  readonly time: string;
  readonly source: 'option' | 'evidence' | 'clock';
}

export interface Totals {
  readonly inputs: number;
  readonly verified: number;
  readonly not_verified: number;
  readonly no_verdict: number;
  readonly unusable_input: number;
  readonly left_out: number;
}

export interface Report {
  readonly format: 'audit.report.v1';
  readonly tool: { readonly name: string; readonly version: string };
  readonly result: Result;
  readonly status: 0 | 1 | 3 | 4;
  readonly as_of: AsOf | null;
  /** Claims required of any input, sorted; each input says which were required of it. */
  readonly required: readonly string[];
  readonly given: Given;
  readonly totals: Totals;
  /** Findings that belong to no input: an unusable trust file, an option that names nothing. */
  readonly findings: readonly ReportedFinding[];
  readonly inputs: readonly InputReport[];
}

const RESULT_OF_CLASS: Readonly<Record<Exclude<FindingClass, 'none'>, Result>> = {
  not_verified: 'not_verified',
  unusable: 'unusable_input',
  no_verdict: 'no_verdict',
};

function resultsOf(findings: readonly Finding[]): Result[] {
  const results: Result[] = [];
  for (const finding of findings) if (finding.class !== 'none') results.push(RESULT_OF_CLASS[finding.class]);
  return results;
}

/**
 * The result of one input: `verified` only when every required claim was re-checked and holds, no claim failed and no finding speaks
 * against it (law 2).
 */
export function settle(findings: readonly Finding[], claims: readonly Claim[], required: readonly string[]): Result {
  const results = resultsOf(findings);
  if (claims.some((claim) => claim.verdict === 'failed')) results.push('not_verified');
  for (const name of required) {
    // Several claims may have one name: each part of an input is one. All of them are required; a failed one has spoken above.
    const verdict = mergeVerdicts(claims.flatMap((candidate) => (candidate.claim === name ? [candidate.verdict] : [])));
    if (verdict === 'undecided') results.push('no_verdict');
  }
  if (claims.some((claim) => claim.verdict === 'verified')) results.push('verified');
  return worst(results);
}

/** Of an input, what the totals of a report are made of. */
export type Counted = Pick<InputReport, 'result' | 'required' | 'as_of'>;

/** The one instant of a report: what was asked for or read from the clock goes before what evidence said. */
function asOfAll(inputs: readonly Counted[]): AsOf | null {
  const all = inputs.flatMap(({ as_of }) => (as_of === null ? [] : [as_of]));
  return all.find((asOf) => asOf.source !== 'evidence') ?? all[0] ?? null;
}

/** Joins inputs to a report. `findings` are those that belong to no input. */
export function assemble(
  inputs: readonly InputReport[],
  findings: readonly Finding[],
  given: Given,
  leftOut = 0,
): Report {
  return { ...summarise(inputs, findings, given, leftOut), inputs };
}

/** A report without the reports of its inputs. */
export type Summary = Omit<Report, 'inputs'>;

/** What a report says of its inputs together. */
export function summarise(
  inputs: readonly Counted[],
  findings: readonly Finding[],
  given: Given,
  leftOut = 0,
): Summary {
  const result = worst([...resultsOf(findings), ...inputs.map((input) => input.result)]);
  const count = (wanted: Result) => inputs.filter((input) => input.result === wanted).length;
  return {
    format: 'audit.report.v1',
    tool: TOOL,
    result,
    status: STATUS[result],
    as_of: asOfAll(inputs),
    required: [...new Set(inputs.flatMap((input) => input.required))].sort(),
    given,
    totals: {
      inputs: inputs.length,
      verified: count('verified'),
      not_verified: count('not_verified'),
      no_verdict: count('no_verdict'),
      unusable_input: count('unusable_input'),
      left_out: leftOut,
    },
    findings: identify('', findings),
  };
}
