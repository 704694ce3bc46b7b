/** Runs with certificate-bound gates, through `audit approvals`: the status and the codes of `src/identity`. */
import { unbase64, utf8 } from '../../src/bytes/encoding.ts';
import { readEvidenceFile } from '../../src/identity/evidenceFile.ts';
import { parseInstant } from '../../src/time/instant.ts';
import { approvalsVerifier } from '../../src/verify/approvals.ts';
import { inputOf, withTrust } from '../../src/verify/options.ts';
import { STATUS } from '../../src/verify/report.ts';
import { verifyInput } from '../../src/verify/verify.ts';
import type { Json, Operation } from '../suite.ts';

const bytes = (value: Json | undefined): Uint8Array => unbase64(String(value)) ?? new Uint8Array();
const inputs = (value: Json | undefined, name: string) =>
  (Array.isArray(value) ? (value as readonly Json[]) : []).map((one, i) =>
    inputOf({ path: `${name} ${i}`, bytes: bytes(one) }),
  );
const identityCodes = (codes: readonly string[]): readonly string[] =>
  [...new Set(codes.filter((code) => code.startsWith('identity/')))].sort();

export const operations: Record<string, Operation> = {
  /** A journal export with a trust file, heads, what stands beside it (lists, responses, tokens, receipts) and the instant. */
  'audit/approvals': async ({ journal_b64, trust, heads_b64, companions_b64, at }) => {
    const instant = parseInstant(String(at));
    const { options, findings } = await withTrust([{ path: 'trust', bytes: utf8(JSON.stringify(trust)) }], {
      heads: inputs(heads_b64, 'head'),
      companions: inputs(companions_b64, 'companion'),
      ...(instant === undefined ? {} : { at: instant }),
    });
    const journal = inputOf({ path: 'journal', bytes: bytes(journal_b64) });
    const report = await verifyInput(journal, options, approvalsVerifier);
    return {
      status: STATUS[report.result],
      codes: identityCodes([...findings, ...report.findings].map(({ code }) => code)),
    };
  },
  /** What is refused in the evidence file of `verify-identity` (approver-identity 18.2). */
  'identity/evidence': ({ evidence }) =>
    identityCodes(readEvidenceFile(utf8(JSON.stringify(evidence)), 'evidence').findings.map(({ code }) => code)),
};
