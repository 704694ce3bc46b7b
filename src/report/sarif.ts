/**
 * SARIF 2.1.0 (OASIS). Findings are results under rules taken from the catalogue; undecided claims are open results and notifications, so
 * that nothing undecided reads as clean (interop 5.1).
 */
import type { CatalogueEntry } from '../finding/catalogue.ts';
import type { Where } from '../finding/finding.ts';
import { visible } from '../finding/visible.ts';
import type { InputReport, Report, ReportedFinding } from '../verify/report.ts';

/** Results beyond this many are left to the JSON report, and a notification says so. */
export const MAX_RESULTS = 5000;

const RANK = { error: 0, warning: 1, note: 2 } as const;

type Catalogue = ReadonlyMap<string, CatalogueEntry>;

export function renderSarif(report: Report, catalogue: Catalogue): string {
  const findings = report.inputs.flatMap((input) =>
    input.findings.filter((finding) => finding.class !== 'unusable').map((finding) => ({ finding, path: input.path })),
  );
  findings.sort((a, b) => RANK[a.finding.severity] - RANK[b.finding.severity]);
  const kept = findings.slice(0, MAX_RESULTS);
  const codes = [...new Set(kept.map(({ finding }) => finding.code as string))].sort();
  const open = report.inputs.flatMap((input) => undecided(input));
  if (open.length > 0) codes.push('claim/undecided');
  const log = {
    $schema: 'https://json.schemastore.org/sarif-2.1.0.json',
    version: '2.1.0',
    runs: [
      {
        tool: {
          driver: {
            name: report.tool.name,
            version: report.tool.version,
            rules: codes.map((code) => rule(code, catalogue.get(code))),
          },
        },
        columnKind: 'utf16CodeUnits',
        originalUriBaseIds: { SRCROOT: { description: { text: 'The folder in which the command ran.' } } },
        artifacts: report.inputs.map((input) => ({
          location: artifactLocation(input.path),
          ...(input.bytes === null ? {} : { length: input.bytes }),
          ...(input.sha256 === null ? {} : { hashes: { 'sha-256': input.sha256 } }),
        })),
        invocations: [
          {
            executionSuccessful: report.result !== 'unusable_input' && !report.inputs.some(failedInside),
            exitCode: report.status,
            toolExecutionNotifications: [
              ...report.inputs.flatMap((input) =>
                input.findings
                  .filter((finding) => finding.class === 'unusable')
                  .map((finding) => notification(finding, input.path)),
              ),
              ...report.inputs.flatMap((input) => undecidedNotifications(input)),
              ...(findings.length > kept.length ? [truncated(findings.length - kept.length)] : []),
            ],
            toolConfigurationNotifications: report.findings.map((finding) => notification(finding, undefined)),
          },
        ],
        results: [
          ...kept.map(({ finding, path }) => result(finding, path, codes)),
          ...open.map((row) => ({ ...row, ruleIndex: codes.length - 1 })),
        ],
        properties: {
          result: report.result,
          as_of: report.as_of,
          required: report.required,
          totals: report.totals,
          counts: report.inputs.map((input) => ({
            path: input.path,
            kind: input.kind,
            result: input.result,
            ...input.counts,
          })),
        },
      },
    ],
  };
  return `${JSON.stringify(log, null, 2)}\n`;
}

function failedInside(input: InputReport): boolean {
  return input.findings.some((finding) => finding.code === 'input/internal-error');
}

/** Text in which SARIF's own placeholders and links mean nothing. */
function plain(text: string): string {
  return visible(text)
    .replace(/[\\[\]]/g, '\\$&')
    .replace(/[{}]/g, '$&$&');
}

function rule(code: string, entry: CatalogueEntry | undefined): object {
  if (code === 'claim/undecided') {
    return {
      id: code,
      shortDescription: { text: 'A claim is not decided' },
      fullDescription: {
        text: 'The given bytes neither prove nor disprove the claim. The message says what would decide it.',
      },
      defaultConfiguration: { level: 'none' },
    };
  }
  if (entry === undefined) return { id: code };
  return {
    id: code,
    shortDescription: { text: entry.title },
    fullDescription: { text: entry.means },
    help: { text: `${entry.means} ${entry.matters} Usual causes: ${entry.causes} What to do: ${entry.remedy}` },
    defaultConfiguration: { level: entry.severity },
    properties: { rule: entry.rule, class: entry.class },
  };
}

function result(finding: ReportedFinding, path: string, codes: readonly string[]): object {
  return {
    ruleId: finding.code,
    ruleIndex: codes.indexOf(finding.code),
    level: finding.severity,
    kind: 'fail',
    message: { text: plain(sentence(finding)) },
    locations: [location(path, finding.where)],
    partialFingerprints: { 'audit/v1': finding.fingerprint },
    properties: { class: finding.class, rule: finding.rule },
  };
}

function sentence(finding: ReportedFinding): string {
  const values = [
    finding.expected === undefined ? '' : ` Expected ${finding.expected}.`,
    finding.actual === undefined ? '' : ` Actual ${finding.actual}.`,
  ];
  return `${finding.message}.${values.join('')} ${finding.remedy}`.replace(/\.\./g, '.');
}

function undecided(input: InputReport): object[] {
  return input.claims
    .filter((claim) => claim.verdict === 'undecided')
    .map((claim) => ({
      ruleId: 'claim/undecided',
      kind: 'open',
      level: 'none',
      message: { text: plain(`${claim.claim} is not decided: ${claim.detail}`) },
      locations: [location(input.path, {})],
    }));
}

/** Viewers hide open results, so a required claim that is not decided is said again where tools look for trouble. */
function undecidedNotifications(input: InputReport): object[] {
  return input.claims
    .filter((claim) => claim.verdict === 'undecided')
    .map((claim) => {
      const missing = input.missing.filter((row) => row.claim === claim.claim).map((row) => `${row.item} (${row.who})`);
      const needed = input.required.includes(claim.claim);
      return {
        descriptor: { id: 'claim/undecided' },
        level: needed ? 'error' : 'note',
        message: {
          text: plain(
            `${claim.claim} is ${needed ? 'required and ' : ''}not decided. Would decide it: ${missing.join('; ') || 'see the JSON report'}`,
          ),
        },
        locations: [location(input.path, {})],
      };
    });
}

function notification(finding: ReportedFinding, path: string | undefined): object {
  return {
    descriptor: { id: finding.code },
    level: finding.severity,
    message: { text: plain(sentence(finding)) },
    ...(path === undefined ? {} : { locations: [location(path, finding.where)] }),
    properties: { 'audit/v1': finding.fingerprint },
  };
}

function truncated(count: number): object {
  return {
    descriptor: { id: 'report/truncated' },
    level: 'warning',
    message: {
      text: `${count} results of lower severity are left out here. The JSON report of the same run holds them all.`,
    },
  };
}

function location(path: string, where: Where): object {
  const region =
    where.line === undefined
      ? where.byte === undefined
        ? undefined
        : { byteOffset: where.byte, ...(where.length === undefined ? {} : { byteLength: where.length }) }
      : {
          startLine: where.line,
          ...(where.column === undefined ? {} : { startColumn: where.column }),
          ...(where.endColumn === undefined ? {} : { endColumn: where.endColumn }),
        };
  const logical = [where.part, where.entry, where.pointer].filter((name) => name !== undefined && name !== '');
  return {
    physicalLocation: { artifactLocation: artifactLocation(path), ...(region === undefined ? {} : { region }) },
    ...(logical.length === 0 ? {} : { logicalLocations: [{ fullyQualifiedName: visible(logical.join(' ')) }] }),
  };
}

/** A path as the URI that SARIF wants: relative to the folder of the run, or a file URI. */
export function artifactLocation(path: string): { uri: string; uriBaseId?: string } {
  const slashed = /^[A-Za-z]:[\\/]|^\\\\/.test(path) ? path.replaceAll('\\', '/') : path;
  const encoded = slashed
    .split('/')
    .map((segment) => encodeURIComponent(wellFormed(segment)))
    .join('/');
  if (/^[A-Za-z]:\//.test(slashed)) return { uri: `file:///${slashed[0]}:${encoded.slice(encoded.indexOf('/'))}` };
  if (slashed.startsWith('/')) return { uri: `file://${encoded}` };
  return { uri: encoded, uriBaseId: 'SRCROOT' };
}

function wellFormed(text: string): string {
  return text.replace(/\p{Surrogate}/gu, '\ufffd');
}
