/**
 * A finished report as something that is signed and handed on (interop 3.2): an in-toto predicate of this project's own. Whoever reads one
 * has somebody's word: what it says is never more than asserted.
 */
import { hex } from '../bytes/encoding.ts';
import { sha256 } from '../crypto/sha256.ts';
import type { JsonNode, JsonObject } from '../json/tree.ts';
import { countOf, memberOf, textOf, textsOf } from './members.ts';
import { digestsOf, type Plain, writeStatement } from './statement.ts';

export const AUDIT_REPORT_PREDICATE_TYPE = 'https://audit.example.invalid/report/v1';
export const VERIFIER_ID = 'https://audit.example.invalid/tool';
export const REPORT_MEDIA_TYPE = 'application/vnd.audit.report+json';

interface FileRow {
  readonly path: string;
  readonly sha256: string;
}

/** What is taken from a report. The model of `src/verify/report.ts` is one. */
export interface ReportFacts {
  readonly tool: { readonly name: string; readonly version: string };
  readonly result: string;
  readonly status: number;
  readonly as_of: { readonly time: string; readonly source: string } | null;
  readonly required: readonly string[];
  readonly given: { readonly trust: readonly FileRow[] };
  readonly findings: readonly { readonly code: string; readonly severity: string }[];
  readonly inputs: readonly {
    readonly path: string;
    readonly kind: string | null;
    readonly sha256: string | null;
    readonly bytes: number | null;
    readonly result: string;
    readonly claims: readonly {
      readonly claim: string;
      readonly verdict: string;
      readonly grade: string;
      readonly scope: string;
    }[];
    readonly findings: readonly { readonly code: string; readonly severity: string }[];
  }[];
}

const STATUS_OF: ReadonlyMap<string, number> = new Map([
  ['verified', 0],
  ['not_verified', 1],
  ['no_verdict', 3],
  ['unusable_input', 4],
]);
const SEVERITIES = ['error', 'warning', 'note'] as const;

/**
 * The statement over a report, or undefined where no input has a digest: then there is nothing that it could be about.
 *
 * @param rendered the bytes of the report, where they are handed on too
 */
export function reportStatement(report: ReportFacts, rendered?: Uint8Array): Uint8Array | undefined {
  const subjects = new Map<string, string>();
  for (const { path, sha256: digest } of report.inputs)
    if (digest !== null && !subjects.has(digest)) subjects.set(digest, path);
  if (subjects.size === 0) return undefined;
  const findings = [...report.findings, ...report.inputs.flatMap((input) => input.findings)];
  const count = (is: (finding: (typeof findings)[number]) => boolean) => findings.filter(is).length;
  const codes = [...new Set(findings.map(({ code }) => code))].sort();
  const trust = report.given.trust.map((file) => ({ format: 'audit.trust.v1', digest: { sha256: file.sha256 } }));
  const predicate: Plain = {
    verifier: { id: VERIFIER_ID, version: { [report.tool.name]: report.tool.version } },
    asOf: report.as_of === null ? null : { time: report.as_of.time, source: report.as_of.source },
    inputs: report.inputs.map(({ path, kind, bytes, result, sha256: digest }) => ({
      name: path,
      kind,
      bytes,
      result,
      ...(digest === null ? {} : { digest: { sha256: digest } }),
    })),
    trust: trust.length === 0 ? null : trust.length === 1 ? (trust[0] as Plain) : trust,
    required: report.required,
    result: report.result,
    status: report.status,
    claims: report.inputs.flatMap((input, position) =>
      input.claims.map(({ claim, verdict, grade, scope }) => ({ input: position, claim, verdict, grade, scope })),
    ),
    findings: {
      total: findings.length,
      bySeverity: Object.fromEntries(
        SEVERITIES.map((severity) => [severity, count((finding) => finding.severity === severity)]),
      ),
      byCode: Object.fromEntries(codes.map((code) => [code, count((finding) => finding.code === code)])),
    },
    ...(rendered === undefined
      ? {}
      : { report: { mediaType: REPORT_MEDIA_TYPE, digest: { sha256: hex(sha256(rendered)) } } }),
  };
  return writeStatement(
    [...subjects].map(([digest, name]) => ({ name, sha256: digest })),
    AUDIT_REPORT_PREDICATE_TYPE,
    predicate,
  );
}

export interface ReportSummary {
  readonly verifier: string;
  readonly result: string;
  readonly status: number;
  readonly inputs: readonly { readonly name: string; readonly sha256: string | undefined; readonly result: string }[];
  /** Digests of the trust files by which it was judged. */
  readonly trust: readonly string[];
  readonly claims: readonly {
    readonly input: number;
    readonly claim: string;
    readonly verdict: string;
    readonly grade: string;
  }[];
  /** Digest of the whole report. */
  readonly report: string | undefined;
}

class Refusal extends Error {}

function need<T>(value: T | undefined, what: string): T {
  if (value === undefined) throw new Refusal(what);
  return value;
}

function objectOf(node: JsonNode | undefined, what: string): JsonObject {
  if (node?.kind !== 'object') throw new Refusal(what);
  return node;
}

function listOf(node: JsonNode | undefined, what: string): readonly JsonNode[] {
  if (node?.kind !== 'array') throw new Refusal(what);
  return node.items;
}

/** Reads the predicate, or says what is wrong with it. */
export function readReportPredicate(predicate: JsonObject | undefined): ReportSummary | { readonly wrong: string } {
  try {
    return read(objectOf(predicate, 'there is no predicate'));
  } catch (error) {
    if (error instanceof Refusal) return { wrong: error.message };
    throw error;
  }
}

function read(predicate: JsonObject): ReportSummary {
  const verifier = objectOf(memberOf(predicate, 'verifier'), 'verifier is no object');
  const result = need(textOf(memberOf(predicate, 'result')), 'result is no string');
  const status = need(countOf(memberOf(predicate, 'status')), 'status is no number');
  if (STATUS_OF.get(result) !== status) throw new Refusal('result and status do not agree');
  const asOf = memberOf(predicate, 'asOf');
  if (asOf?.kind !== 'null' && asOf?.kind !== 'object') throw new Refusal('asOf is neither an object nor null');
  need(textsOf(memberOf(predicate, 'required')), 'required is no list of names');
  const inputs = listOf(memberOf(predicate, 'inputs'), 'inputs is no list').map((node) => {
    const input = objectOf(node, 'an input is no object');
    const digest = memberOf(input, 'digest');
    const digests = digest === undefined ? undefined : need(digestsOf(digest), 'the digest of an input is malformed');
    return {
      name: need(textOf(memberOf(input, 'name')), 'an input has no name'),
      result: need(textOf(memberOf(input, 'result')), 'an input has no result'),
      sha256: digests?.get('sha256'),
    };
  });
  if (inputs.length === 0) throw new Refusal('there are no inputs');
  const claims = listOf(memberOf(predicate, 'claims'), 'claims is no list').map((node) => {
    const claim = objectOf(node, 'a claim is no object');
    const input = need(countOf(memberOf(claim, 'input')), 'a claim is about no input');
    if (input >= inputs.length) throw new Refusal('a claim is about an input that is not there');
    const word = (name: string) => need(textOf(memberOf(claim, name)), `a claim has no ${name}`);
    return { input, claim: word('claim'), verdict: word('verdict'), grade: word('grade') };
  });
  checkFindings(objectOf(memberOf(predicate, 'findings'), 'findings is no object'));
  const report = memberOf(predicate, 'report');
  return {
    verifier: need(textOf(memberOf(verifier, 'id')), 'the verifier has no id'),
    result,
    status,
    inputs,
    trust: trustOf(memberOf(predicate, 'trust')),
    claims,
    report:
      report === undefined
        ? undefined
        : need(
            digestsOf(memberOf(objectOf(report, 'report is no object'), 'digest')),
            'the digest of the report is malformed',
          ).get('sha256'),
  };
}

function checkFindings(findings: JsonObject): void {
  const total = need(countOf(memberOf(findings, 'total')), 'findings have no total');
  for (const name of ['bySeverity', 'byCode']) {
    const counts = objectOf(memberOf(findings, name), `findings have no ${name}`).members.map(({ value }) =>
      need(countOf(value), `${name} has what is no count`),
    );
    if (counts.reduce((sum, count) => sum + count, 0) !== total)
      throw new Refusal(`the sum of ${name} is not the total`);
  }
}

function trustOf(node: JsonNode | undefined): readonly string[] {
  if (node?.kind === 'null') return [];
  const files = node?.kind === 'array' ? node.items : [node];
  return files.map((file) =>
    need(
      digestsOf(memberOf(objectOf(file, 'trust is neither a file, a list nor null'), 'digest'))?.get('sha256'),
      'a trust file has no digest',
    ),
  );
}
