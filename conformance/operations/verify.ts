/** The whole road: what `audit verify` says of an input, in short. */
import { unbase64 } from '../../src/bytes/encoding.ts';
import { memorySource } from '../../src/bytes/source.ts';
import { NO_TRUST } from '../../src/trust/trust.ts';
import { STATUS } from '../../src/verify/report.ts';
import { verifyInput } from '../../src/verify/verify.ts';
import type { Json, Operation } from '../suite.ts';

const strings = (value: Json | undefined): readonly string[] | undefined =>
  Array.isArray(value) ? (value as readonly Json[]).map(String) : undefined;

export const operations: Record<string, Operation> = {
  /** Status, findings with their lines, claims and subject of one file without any trust. */
  'audit/verify': async ({ path, file_b64, require, expect_ids }) => {
    const bytes = unbase64(String(file_b64)) ?? new Uint8Array();
    const [required, expected] = [strings(require), strings(expect_ids)];
    const report = await verifyInput(
      { path: String(path), source: memorySource(bytes) },
      {
        trust: NO_TRUST,
        ...(required === undefined ? {} : { require: required }),
        ...(expected === undefined ? {} : { expectIds: expected }),
      },
    );
    return {
      status: STATUS[report.result],
      findings: report.findings.map(
        ({ code, where, class: effect }): Json => ({ code, line: where.line ?? null, class: effect }),
      ),
      claims: report.claims.map(({ claim, verdict }): Json => [claim, verdict]),
      subject: report.subject,
      counts: report.counts,
    };
  },
};
