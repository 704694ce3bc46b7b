/**
 * SARIF 2.1.0 (OASIS). Findings are results under rules taken from the catalogue; undecided claims are open results and notifications, so
 * that nothing undecided reads as clean (interop 5.1).
 */
import { hex, utf8 } from '../bytes/encoding.ts';
import { sha256 } from '../crypto/sha256.ts';
import type { CatalogueEntry } from '../finding/catalogue.ts';
import type { Claim, Where } from '../finding/finding.ts';
import { clip, visible } from '../finding/visible.ts';
import type { InputReport, Report, ReportedFinding } from '../verify/report.ts';
import { escaped } from './json.ts';

/** Results, and notifications, beyond this many are left to the JSON report, and a notification says so. */
export const MAX_RESULTS = 5000;
const MAX_MESSAGE = 16 * 1024;
const UNDECIDED = 'claim/undecided';
const TRUNCATED = 'report/truncated';

const RANK = { error: 0, warning: 1, note: 2 } as const;

type Catalogue = ReadonlyMap<string, CatalogueEntry>;

interface Found {
  readonly finding: ReportedFinding;
  readonly path: string;
}

interface Open {
  readonly claim: Claim;
  readonly input: InputReport;
}

export function renderSarif(report: Report, catalogue: Catalogue): string {
  const all = report.inputs.flatMap((input) => input.findings.map((finding): Found => ({ finding, path: input.path })));
  const bySeverity = (a: Found, b: Found) => RANK[a.finding.severity] - RANK[b.finding.severity];
  const findings = all.filter(({ finding }) => finding.class !== 'unusable').sort(bySeverity);
  const unusable = all.filter(({ finding }) => finding.class === 'unusable');
  const open = report.inputs.flatMap((input) => undecided(input));
  open.sort((a, b) => Number(required(b)) - Number(required(a)));

  const keptFindings = findings.slice(0, MAX_RESULTS);
  const keptOpen = open.slice(0, MAX_RESULTS - keptFindings.length);
  const execution = [
    ...unusable.map(
      ({ finding, path }) =>
        () =>
          notification(finding, path),
    ),
    ...open.map((row) => () => openNotification(row)),
  ];
  const left = findings.length + open.length - keptFindings.length - keptOpen.length;
  const leftNotifications = Math.max(0, execution.length - MAX_RESULTS);

  const codes = sorted([...keptFindings.map(({ finding }) => finding.code), ...keptOpen.map(() => UNDECIDED)]);
  const told = sorted([
    ...[...unusable.map(({ finding }) => finding), ...report.findings].map((finding) => finding.code),
    ...open.map(() => UNDECIDED),
    ...(left + leftNotifications > 0 ? [TRUNCATED] : []),
  ]);
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
            ...(told.length === 0 ? {} : { notifications: told.map((code) => rule(code, catalogue.get(code))) }),
          },
        },
        columnKind: 'utf16CodeUnits',
        originalUriBaseIds: { SRCROOT: { description: { text: 'The folder in which the command ran.' } } },
        artifacts: artifacts(report.inputs),
        invocations: [
          {
            executionSuccessful: report.result !== 'unusable_input' && !report.inputs.some(failedInside),
            exitCode: report.status,
            toolExecutionNotifications: [
              ...execution.slice(0, MAX_RESULTS).map((make) => make()),
              ...(left + leftNotifications > 0 ? [truncated(left, leftNotifications)] : []),
            ],
            toolConfigurationNotifications: report.findings.map((finding) => notification(finding, undefined)),
          },
        ],
        results: [
          ...keptFindings.map(({ finding, path }) => result(finding, path, codes)),
          ...keptOpen.map((row) => openResult(row, codes)),
        ],
        properties: {
          result: report.result,
          as_of: report.as_of,
          required: report.required,
          totals: report.totals,
          counts: report.inputs.map(({ path, kind, result: verdict, counts }) => ({
            path: visible(path),
            kind,
            result: verdict,
            counts,
          })),
        },
      },
    ],
  };
  return `${escaped(JSON.stringify(log, null, 2))}\n`;
}

function sorted(codes: readonly string[]): readonly string[] {
  return [...new Set(codes)].sort();
}

function failedInside(input: InputReport): boolean {
  return input.findings.some((finding) => finding.code === 'input/internal-error');
}

/** Each file once, however often it was given. */
function artifacts(inputs: readonly InputReport[]): readonly object[] {
  const byText = new Map<string, object>();
  for (const { path, bytes, sha256: digest } of inputs) {
    const artifact = {
      location: artifactLocation(path),
      ...(bytes === null ? {} : { length: bytes }),
      ...(digest === null ? {} : { hashes: { 'sha-256': digest } }),
    };
    byText.set(JSON.stringify(artifact), artifact);
  }
  return [...byText.values()];
}

/** Text in which SARIF's own placeholders and links mean nothing. */
function plain(text: string): string {
  return visible(clip(text, MAX_MESSAGE))
    .replace(/[\\[\]]/g, '\\$&')
    .replace(/[{}]/g, '$&$&');
}

function rule(code: string, entry: CatalogueEntry | undefined): object {
  if (entry === undefined) return { id: visible(code) };
  return {
    id: code,
    shortDescription: { text: entry.title },
    fullDescription: { text: entry.means },
    help: { text: `${entry.means} ${entry.matters} Usual causes: ${entry.causes} What to do: ${entry.remedy}` },
    defaultConfiguration: { level: code === UNDECIDED ? 'none' : entry.severity },
    properties: { rule: entry.rule, class: entry.class },
  };
}

function result(finding: ReportedFinding, path: string, codes: readonly string[]): object {
  return {
    ruleId: visible(finding.code),
    ruleIndex: codes.indexOf(finding.code),
    level: finding.severity,
    kind: 'fail',
    message: { text: plain(sentences(finding)) },
    locations: [location(path, finding.where)],
    partialFingerprints: { 'audit/v1': finding.fingerprint },
    properties: { class: finding.class, rule: visible(finding.rule) },
  };
}

function sentences({ message, expected, actual, remedy }: ReportedFinding): string {
  return [
    ended(message),
    expected === undefined ? '' : ended(`Expected ${expected}`),
    actual === undefined ? '' : ended(`Actual ${actual}`),
    ended(remedy),
  ]
    .filter((text) => text !== '')
    .join(' ');
}

function ended(text: string): string {
  return /[.!?]$/.test(text) ? text : `${text}.`;
}

function undecided(input: InputReport): Open[] {
  return input.claims.filter((claim) => claim.verdict === 'undecided').map((claim) => ({ claim, input }));
}

function required({ claim, input }: Open): boolean {
  return input.required.includes(claim.claim);
}

function openResult({ claim, input }: Open, codes: readonly string[]): object {
  const reach = [claim.scope, claim.detail].filter((text) => text !== '').join('; ');
  return {
    ruleId: UNDECIDED,
    ruleIndex: codes.indexOf(UNDECIDED),
    kind: 'open',
    level: 'none',
    message: { text: plain(ended(`${claim.claim} is not decided: ${reach}`)) },
    locations: [location(input.path, {})],
    partialFingerprints: { 'audit/v1': openFingerprint(claim, input) },
  };
}

/** The identity of an undecided claim, built as that of a finding is. */
function openFingerprint({ claim }: Claim, { path }: InputReport): string {
  return hex(sha256(utf8(['audit/v1', path, UNDECIDED, 'cli exit status 3', `claim:${claim}`].join('\n'))));
}

/** Viewers hide open results, so a claim that is not decided is said again where tools look for trouble. */
function openNotification(row: Open): object {
  const { claim, input } = row;
  const missing = input.missing.filter((item) => item.claim === claim.claim).map(({ item, who }) => `${item} (${who})`);
  const decides = missing.length === 0 ? 'The JSON report says more.' : ended(`Would decide it: ${missing.join('; ')}`);
  return {
    descriptor: { id: UNDECIDED },
    level: required(row) ? 'error' : 'note',
    message: { text: plain(`${claim.claim} is ${required(row) ? 'required and ' : ''}not decided. ${decides}`) },
    locations: [location(input.path, {})],
  };
}

function notification(finding: ReportedFinding, path: string | undefined): object {
  return {
    descriptor: { id: visible(finding.code) },
    level: finding.severity,
    message: { text: plain(sentences(finding)) },
    ...(path === undefined ? {} : { locations: [location(path, finding.where)] }),
    properties: { 'audit/v1': finding.fingerprint },
  };
}

function truncated(results: number, notifications: number): object {
  return {
    descriptor: { id: TRUNCATED },
    level: 'warning',
    message: {
      text: `${results} results and ${notifications} notifications of lower severity are left out here. The JSON report of the same run holds them all.`,
    },
  };
}

function location(path: string, where: Where): object {
  const region = { ...lines(where), ...bytes(where) };
  const logical = [where.part, where.entry, where.pointer].filter((name) => name !== undefined && name !== '');
  return {
    physicalLocation: {
      artifactLocation: artifactLocation(path),
      ...(Object.keys(region).length === 0 ? {} : { region }),
    },
    ...(logical.length === 0 ? {} : { logicalLocations: [{ fullyQualifiedName: visible(logical.join(' ')) }] }),
  };
}

function lines({ line, column, endColumn }: Where): object {
  if (line === undefined) return {};
  if (column === undefined) return { startLine: line };
  return { startLine: line, startColumn: column, ...(endColumn === undefined ? {} : { endColumn }) };
}

function bytes({ byte, length }: Where): object {
  if (byte === undefined) return {};
  return { byteOffset: byte, ...(length === undefined ? {} : { byteLength: length }) };
}

/** A path as the URI that SARIF wants: relative to the folder of the run, or a file URI. */
export function artifactLocation(path: string): { uri: string; uriBaseId?: string } {
  const windows = /^[A-Za-z]:[\\/]|^\\\\/.test(path);
  const slashed = windows ? path.replaceAll('\\', '/') : path;
  const uri = slashed
    .split('/')
    .map((segment) => encodeURIComponent(wellFormed(segment)).replaceAll('%3A', ':'))
    .join('/');
  if (slashed.startsWith('//')) return { uri: windows ? `file:${uri}` : `file://${uri.slice(1)}` };
  if (slashed.startsWith('/')) return { uri: `file://${uri}` };
  if (windows) return { uri: `file:///${uri}` };
  return { uri: /^[^/]*:/.test(uri) ? `./${uri}` : uri, uriBaseId: 'SRCROOT' };
}

function wellFormed(text: string): string {
  return text.replace(/\p{Surrogate}/gu, '\ufffd');
}
