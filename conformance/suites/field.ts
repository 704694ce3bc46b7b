/** Small inputs behind faults reported in the field, through the whole road. */
import { base64 } from '../../src/bytes/encoding.ts';
import type { Case, Suite } from '../suite.ts';

interface FieldCase {
  readonly file: string;
  readonly status: number;
  readonly codes?: readonly string[];
  readonly line?: number;
  readonly leaf?: string;
  readonly claims?: Readonly<Record<string, string>>;
  readonly with_require_completeness?: number;
  readonly expect_id?: string;
  readonly status_with_expect_id?: number;
}

interface Answer {
  readonly status: number;
  readonly findings: readonly { readonly code: string; readonly line: number | null; readonly class: string }[];
  readonly claims: readonly (readonly [claim: string, verdict: string])[];
  readonly subject: Readonly<Record<string, unknown>>;
}

function outcome(status: number, { codes = [], line, leaf, claims = {} }: Partial<FieldCase> = {}): Case['expect'] {
  return (answer) => {
    const got = answer as unknown as Answer;
    const found = got.findings.map((finding) => `${finding.code}@${finding.line}`).join(' ');
    if (got.status !== status) return `expected status ${status}, got ${got.status} (${found})`;
    const missing = codes.find((code) => !got.findings.some((finding) => finding.code === code));
    if (missing !== undefined) return `no ${missing} among ${found}`;
    const faults = got.findings.filter((finding) => codes.includes(finding.code));
    if (line !== undefined && !faults.some((finding) => finding.line === line)) return `none on line ${line}: ${found}`;
    const extra = got.findings.find((finding) => finding.class !== 'none' && !codes.includes(finding.code));
    if (extra !== undefined) return `one fault gives more than its finding: ${found}`;
    if (leaf !== undefined && got.subject['leaf'] !== leaf) return `leaf ${String(got.subject['leaf'])}`;
    for (const [claim, verdict] of Object.entries(claims)) {
      const have = got.claims.find(([name]) => name === claim)?.[1];
      if (have !== verdict) return `${claim} is ${String(have)}, not ${verdict}`;
    }
    return undefined;
  };
}

export const suites: readonly Suite[] = [
  {
    name: 'field',
    folder: 'field',
    *cases(folder) {
      const { cases } = folder.json('cases.json') as { readonly cases: readonly FieldCase[] };
      for (const item of cases) {
        const params = { path: item.file, file_b64: base64(folder.bytes(item.file)) };
        yield { name: item.file, op: 'audit/verify', params, expect: outcome(item.status, item) };
        if (item.with_require_completeness !== undefined)
          yield {
            name: `${item.file}, completeness required`,
            op: 'audit/verify',
            params: { ...params, require: ['completeness'] },
            expect: outcome(item.with_require_completeness),
          };
        if (item.expect_id !== undefined && item.status_with_expect_id !== undefined)
          yield {
            name: `${item.file}, an id expected`,
            op: 'audit/verify',
            params: { ...params, expect_ids: [item.expect_id] },
            expect: outcome(item.status_with_expect_id, { codes: ['session/expected-id-missing'] }),
          };
      }
    },
  },
];
