/** Certificate-bound approvals in an evidence package: the same checks on what the package discloses (approver-identity 21). */
import { describe, expect, it } from 'vitest';
import { utf8 } from '../../src/bytes/encoding.ts';
import { memorySource } from '../../src/bytes/source.ts';
import { approvalActions } from '../../src/evidence/approvals.ts';
import { treeOfJournal } from '../../src/evidence/journalTree.ts';
import { producePackage } from '../../src/evidence/packageProducer.ts';
import { packageShape } from '../../src/evidence/shapes.ts';
import { encode } from '../../src/json/shape.ts';
import { readTrust } from '../../src/trust/read.ts';
import type { InputReport } from '../../src/verify/report.ts';
import { verify } from '../../src/verify/verify.ts';
import { listedFrom, stamp, when } from './bank.ts';
import { CALL, codesOf, headOfScene, listed, logKey, makeRun, type RunChange, trustOf } from './run.ts';

async function packaged(change: RunChange = {}, archive = listed(), withIdentity = true): Promise<InputReport> {
  const { scene } = makeRun(change);
  const journal = scene.journal();
  const head = headOfScene(scene, scene.records.length, '12:10');
  const identity = journal.records.findIndex(({ name }) => name === `approval-identity:${CALL}:0`);
  const actions = (approvalActions(journal, CALL, true) ?? []).filter(
    ({ position }) => withIdentity || position !== identity,
  );
  const made = producePackage(treeOfJournal(journal), head, logKey, { actions });
  if (!made.ok) throw new Error(JSON.stringify(made.findings));
  const { trust } = await readTrust([{ name: 'trust.json', bytes: utf8(JSON.stringify(trustOf())) }]);
  const input = (bytes: Uint8Array, i: number) => ({ path: `file ${i}`, source: memorySource(bytes) });
  const report = await verify([{ path: 'package.json', source: memorySource(encode(packageShape, made.value)) }], {
    trust,
    at: when('14 13:00'),
    companions: archive.map(input),
  });
  return report.inputs[0] as InputReport;
}

const verdict = (report: InputReport, claim: string) => report.claims.find((one) => one.claim === claim)?.verdict;

describe('a package with a certificate-bound gate', () => {
  it('counts each decision by the head of the package, with its tier and what it rests on', async () => {
    const report = await packaged();
    expect(report.kind).toBe('package');
    const row = report.timeline.find(({ type }) => type === 'identity');
    expect(row?.text).toContain('It is shown to have existed by 2026-10-13T12:10:00Z');
    const stands = report.findings.filter(({ code }) => code === 'identity/decision-stands');
    expect(stands.length).toBe(report.timeline.filter(({ type }) => type === 'identity').length);
    for (const finding of stands) expect(finding).toMatchObject({ class: 'none', severity: 'note' });
    // The head that the identity record names is not in the package, so what it says of the time is not compared.
    expect(codesOf(report)).toContain('head-missing');
    expect(verdict(report, 'identity')).toBe('undecided');
    expect(report.missing.some(({ item }) => item.startsWith('the signed head '))).toBe(true);
  });

  it('fails over a revoked approver, and over an identity record that is not disclosed', async () => {
    const revoked = await packaged({}, listed(listedFrom(1001, { date: stamp('08:00'), reason: 1 })));
    expect(verdict(revoked, 'identity')).toBe('failed');
    expect(codesOf(revoked)).toContain('revoked-now');
    const stripped = await packaged({}, listed(), false);
    expect(codesOf(stripped)).toContain('identity-stripped');
    expect(stripped.result).toBe('not_verified');
  });
});
