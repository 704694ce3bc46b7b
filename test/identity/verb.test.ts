/** `bide-audit verify-identity` (approver-identity 18, 21): flags, files, statuses and the report. */
import { readFileSync } from 'node:fs';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { describe, expect, it } from 'vitest';
import { base64 } from '../../src/bytes/encoding.ts';
import { formatPublicKey } from '../../src/crypto/keys.ts';
import { encodeExport } from '../../src/journal/export.ts';
import { encode } from '../../src/json/shape.ts';
import { headShape } from '../../src/log/head.ts';
import { bide } from '../bide/memory.ts';
import { pem } from '../pki/forge.ts';
import { ica, RUN, root, stamp, tsaRoot } from './bank.ts';
import { CALL, IDENTITIES, listed, logKey, makeRun, policyItem, type Run, type TrustChange } from './run.ts';

const text = (bytes: Uint8Array): string => new TextDecoder().decode(bytes);

function policyFile(change: TrustChange = {}, more: object = {}): string {
  return JSON.stringify({
    format: 'bide-audit.identity-policy.v1',
    policies: change.policies ?? [policyItem(change)],
    canonicalisers: { 'email/v1': 'email-ascii/v1' },
    certificates: { anchors: [base64(root())], intermediates: [pem('CERTIFICATE', ica())] },
    roster: [{ from: '2026-09-01T00:00:00Z', until: null, identities: IDENTITIES }],
    requesters: {},
    requester_mapping: false,
    tsa_anchors: [base64(tsaRoot)],
    tsa_default_accuracy: '0s',
    log_keys: [
      { id: 'log-1', key: formatPublicKey(logKey.publicKey), valid_from: '2026-01-01T00:00:00Z', valid_to: null },
    ],
    ...more,
  });
}

function evidenceFile({ records, head }: Run, more: object = {}): string {
  return JSON.stringify({
    format: 'bide-audit.identity-evidence.v1',
    run_id: RUN,
    as_of: stamp('14 13:00'),
    journal: JSON.parse(text(encodeExport(RUN, records))),
    heads: [JSON.parse(text(encode(headShape, head)))],
    tokens: [],
    receipts: [],
    crls: listed().map(base64),
    ocsp: [],
    ...more,
  });
}

const verb = (policy: string, evidence: string, ...more: readonly string[]) =>
  bide(['verify-identity', '-policy', 'p.json', '-evidence', 'e.json', '-json', ...more], {
    'p.json': policy,
    'e.json': evidence,
    ...Object.fromEntries(listed().map((der, i) => [`crls/${i}.crl`, der])),
    'crls/readme.txt': 'no list',
  });
const reportOf = (out: string) =>
  JSON.parse(out) as {
    report: {
      gates: { verdict: string; tier_floor?: string; decisions: { audit: object; replay: object; exec: object }[] }[];
      readings?: object;
    };
  };

const ajv = new Ajv2020({ strict: true, strictRequired: false, allowUnionTypes: true });
for (const name of ['tree-head', 'journal-export', 'identity-policy', 'identity-evidence', 'identity-report'])
  ajv.addSchema(
    JSON.parse(readFileSync(new URL(`../../schemas/${name}.schema.json`, import.meta.url), 'utf8')) as object,
  );
const fits = (name: string, text: string): unknown =>
  ajv.validate(`${name}.schema.json`, JSON.parse(text)) ? [] : ajv.errors;

describe('the published schemas', () => {
  it('describe the policy file, the evidence file and the report', async () => {
    const [policy, evidence] = [policyFile(), evidenceFile(makeRun())];
    expect(fits('identity-policy', policy)).toEqual([]);
    expect(fits('identity-evidence', evidence)).toEqual([]);
    const { out } = await verb(policy, evidence);
    expect(fits('identity-report', JSON.stringify(reportOf(out).report))).toEqual([]);
    expect(fits('identity-policy', policyFile({}, { extra: 1 }))).not.toEqual([]);
    expect(fits('identity-evidence', evidenceFile(makeRun(), { tokens: [{}] }))).not.toEqual([]);
  });
});

describe('verify-identity', () => {
  it('verifies a gate and gives replay, audit and execution of each decision', async () => {
    const { status, out } = await verb(policyFile(), evidenceFile(makeRun()));
    const { report } = reportOf(out);
    expect(status, out).toBe(0);
    expect(report.gates).toHaveLength(1);
    expect(report.gates[0]).toMatchObject({
      tool_use_id: CALL,
      verdict: 'verified',
      tier_floor: 'logclock-final',
      policy_id: 'wires-2026',
    });
    expect(report.gates[0]?.decisions[0]).toMatchObject({
      approver: 'alice',
      identifier: 'alice@bank.example',
      recorded: { tier: 'provisional' },
      replay: { counts: true, tier: 'provisional', status_time: '2026-10-13T12:00:00Z', window: '24h0m0s' },
      audit: {
        counts: true,
        tier: 'logclock-final',
        status_time: '2026-10-14T12:00:00Z',
        en_319_102_1: 'TOTAL-PASSED',
      },
      exec: { at: '2026-10-13T12:06:00Z', outcome: 'proceed' },
    });
  });

  it('is 3 for want of lists, and takes them from a folder', async () => {
    const run = makeRun({ status: () => undefined });
    expect((await verb(policyFile(), evidenceFile(run, { crls: [] }))).status).toBe(3);
    const { status, out } = await bide(['verify-identity', '-policy', 'p', '-evidence', 'e', '-crls', 'crls'], {
      p: policyFile(),
      e: evidenceFile(run, { crls: [] }),
      ...Object.fromEntries(listed().map((der, i) => [`crls/${i}.crl`, der])),
      'crls/readme.txt': 'no list',
    });
    expect(status, out).toBe(0);
    expect(out).toContain('crls/readme.txt is no CRL');
  });

  it('is 1 for a gate that failed, with -strict for a warning too', async () => {
    const stripped = makeRun({ note: { identity_bound: true }, identity: () => undefined });
    expect((await verb(policyFile(), evidenceFile(stripped))).status).toBe(1);
    const warned = makeRun({ note: { identity_bound: true, identity_policy_digest: '1'.repeat(64) } });
    expect((await verb(policyFile(), evidenceFile(warned))).status).toBe(0);
    expect((await verb(policyFile(), evidenceFile(warned), '-strict')).status).toBe(1);
  });

  it('is 4 for files that cannot be used', async () => {
    const good = evidenceFile(makeRun());
    expect((await verb(policyFile({}, { extra: 1 }), good)).status).toBe(4);
    expect(
      (await verb(policyFile({ policies: [policyItem(), policyItem({ item: { id: 'two' } })] }), good)).status,
    ).toBe(4);
    expect(
      (
        await verb(
          policyFile(
            {},
            {
              log_keys: [
                { id: 'a', key: formatPublicKey(logKey.publicKey) },
                { id: 'b', key: formatPublicKey(logKey.publicKey) },
              ],
            },
          ),
          good,
        )
      ).status,
    ).toBe(4);
    expect((await verb(policyFile(), '{"format":"bide-audit.identity-evidence.v1"}')).status).toBe(4);
    expect((await verb(policyFile(), evidenceFile(makeRun(), { crls: ['AAAA'] }))).status).toBe(4);
    const other = await verb(policyFile(), evidenceFile(makeRun(), { run_id: 'run-9' }));
    expect(other.status).toBe(4);
    expect(other.out).toContain('another run');
  });

  it('is 2 for a wrong command line, and 3 where nothing is certificate-bound', async () => {
    expect((await verb(policyFile(), '', '-now', 'today')).status).toBe(2);
    expect((await verb(policyFile(), '', '-reading', 'moon=full')).status).toBe(2);
    const good = evidenceFile(makeRun());
    expect((await verb(policyFile(), good, '-call', 'call-9')).status).toBe(3);
    expect((await verb(policyFile(), good, '-call', CALL)).status).toBe(0);
  });

  it('is 3 for a gate that has not counted yet', async () => {
    const { scene, head } = makeRun();
    const waiting = { scene, head, records: scene.records.slice(0, head.size) };
    expect((await verb(policyFile(), evidenceFile(waiting))).status).toBe(3);
  });

  it('lists a reading that is not the default', async () => {
    const { out } = await verb(policyFile(), evidenceFile(makeRun()), '-reading', 'alg=leaf');
    expect(reportOf(out).report.readings).toEqual({ alg: 'leaf' });
  });

  it('judges by -now in place of the file', async () => {
    const { out } = await verb(policyFile(), evidenceFile(makeRun()), '-now', stamp('13 12:05'));
    expect(reportOf(out).report.gates[0]?.tier_floor).toBe('provisional');
  });
});
