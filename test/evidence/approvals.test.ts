import { beforeAll, describe, expect, it } from 'vitest';
import { keyVerifier, type Resolver } from '../../src/approval/verifier.ts';
import { decodeUtf8, utf8 } from '../../src/bytes/encoding.ts';
import type { PrivateKey } from '../../src/crypto/signature.ts';
import { approvalActions, checkApprovalEvidence } from '../../src/evidence/approvals.ts';
import { HeadChecker } from '../../src/evidence/heads.ts';
import { treeOfJournal } from '../../src/evidence/journalTree.ts';
import { outcomeClass } from '../../src/evidence/outcome.ts';
import { checkPackage, sealedBytes } from '../../src/evidence/package.ts';
import { producePackage } from '../../src/evidence/packageProducer.ts';
import { readArtifact } from '../../src/evidence/place.ts';
import { type EvidencePackage, packageShape } from '../../src/evidence/shapes.ts';
import { readEntries } from '../../src/journal/export.ts';
import { encode } from '../../src/json/shape.ts';
import { ringOf } from '../../src/log/keyRing.ts';
import { AFTER, logKey, publicKey, vector } from './fixtures.ts';

let key: PrivateKey;
let resolver: Resolver;
beforeAll(async () => {
  key = await logKey();
  const keys = vector<Readonly<Record<string, string>>>('computed', 'approval_evidence', 'approver_keys');
  const verifiers = new Map<string, ReturnType<typeof keyVerifier>>();
  for (const [approver, text] of Object.entries(keys)) verifiers.set(approver, keyVerifier([await publicKey(text)]));
  resolver = (approver) => verifiers.get(approver);
});

const JSON_TEXT = vector('computed', 'approval_evidence', 'package', 'json');
const policy = { kind: 'm-of-n', need: 2, approvers: ['ops', 'finance'], excludePrincipal: true } as const;
const heads = () => new HeadChecker({ ring: ringOf(key.publicKey), time: { now: AFTER } });

function packageOf(text = JSON_TEXT): EvidencePackage {
  const read = readArtifact(packageShape, utf8(text));
  if (!read.ok) throw new Error('does not read');
  return read.value;
}

function judge(evidence: EvidencePackage, question: Partial<Parameters<typeof checkApprovalEvidence>[2]> = {}) {
  const report = checkPackage(evidence, 'none', heads());
  const approval = checkApprovalEvidence(evidence, report.actions, {
    call: 'toolu_09',
    expected: { policy },
    resolver,
    ...question,
  });
  return { report, approval };
}

/** A package of the same journal with other actions, sealed again. */
function resealed(change: (evidence: EvidencePackage) => Partial<EvidencePackage>): EvidencePackage {
  const evidence = packageOf();
  const changed = { ...evidence, ...change(evidence) };
  return { ...changed, signature: key.sign(sealedBytes(changed)) };
}

const journal = () => {
  const records = vector<readonly string[]>('computed', 'approval_evidence', 'records_utf8');
  const read = readEntries(
    'acme/order-43',
    records.map((record) => ({ data: utf8(record) })),
  );
  if (read.journal === undefined) throw new Error('no journal');
  return read.journal;
};

describe('approval evidence', () => {
  it('is counted again from the signatures', () => {
    const { report, approval } = judge(packageOf());
    expect(report.findings).toEqual([]);
    expect(approval.findings.filter((finding) => finding.class !== 'none')).toEqual([]);
    expect(approval.ok).toBe(true);
    expect(approval.audit?.count?.tally.approvedBy).toEqual(
      vector('computed', 'approval_evidence', 'expect', 'counted'),
    );
    expect(approval.ignored).toEqual([]);
  });

  it('is produced in the order of the specification, byte for byte', () => {
    const evidence = packageOf();
    const actions = approvalActions(journal(), 'toolu_09');
    const made = producePackage(treeOfJournal(journal()), evidence.sth, key, actions === undefined ? {} : { actions });
    expect(made.ok ? decodeUtf8(encode(packageShape, made.value)) : made.findings).toBe(JSON_TEXT);
    expect(approvalActions(journal(), 'another')).toBeUndefined();
  });

  const without = (...kinds: readonly string[]) =>
    resealed(({ actions }) => ({
      actions: (actions ?? []).filter((action) => !kinds.includes(action.ref) && !kinds.includes(action.kind)),
    }));

  it.each([
    ['run:principal', 'run:principal'],
    ['the request', 'call'],
    ['the tally', 'approval-tally'],
    ['the result', 'tool'],
    ['the decisions', 'approval'],
  ] as const)('does not hold without %s', (_, left) => {
    const { report, approval } = judge(without(left));
    expect(outcomeClass(report.findings)).toBe('verified');
    expect(approval.ok).toBe(false);
    expect(outcomeClass(approval.findings)).toBe('not_verified');
  });

  it('does not hold when one decision is omitted, although the other is there', () => {
    const { approval } = judge(
      resealed(({ actions }) => ({ actions: (actions ?? []).filter((action) => !action.ref.includes(':ops:')) })),
    );
    expect(approval.findings.map((finding) => finding.code)).toContain('approval/decision-omitted');
  });

  it('does not hold for another policy, another order, another key or none', async () => {
    const other = keyVerifier([await publicKey(vector('computed', 'keys', 'another log', 'public_key_text'))]);
    for (const question of [
      { expected: { policy: { ...policy, need: 1 } } },
      { expected: { policy: { ...policy, approvers: ['finance', 'ops'] } } },
      { expected: { policy: { ...policy, excludePrincipal: false } } },
      { resolver: (approver: string) => (approver === 'ops' ? other : resolver(approver)) },
      { call: 'toolu_10' },
    ]) {
      const { approval } = judge(packageOf(), question);
      expect(approval.ok, JSON.stringify(question)).toBe(false);
      expect(outcomeClass(approval.findings)).toBe('not_verified');
    }
    const { approval } = judge(packageOf(), { resolver: undefined });
    expect(approval.ok).toBe(false);
  });

  it('does not count a decision whose proof fails, and notices that the tally names it', () => {
    const broken = resealed(({ actions }) => ({
      actions: (actions ?? []).map((action) =>
        action.ref.includes(':ops:')
          ? { ...action, bundle: { ...action.bundle, inclusion: { ...action.bundle.inclusion, index: 1 } } }
          : action,
      ),
    }));
    const { approval } = judge(broken);
    expect(approval.ignored.map((decision) => decision.approver)).toContain('ops');
    expect(approval.findings.map((finding) => finding.code)).toEqual(
      expect.arrayContaining(['evidence/approval-ignored', 'approval/decision-omitted']),
    );
  });

  it('takes the run from the head and not from the text', () => {
    const { approval } = judge({ ...packageOf(), run_id: 'acme/order-99' });
    expect(approval.audit?.request?.subject.run).toBe('acme/order-43');
  });

  it('does not depend on the order of the actions', () => {
    const { report, approval } = judge(resealed(({ actions }) => ({ actions: [...(actions ?? [])].reverse() })));
    expect([outcomeClass(report.findings), approval.ok]).toEqual(['verified', true]);
  });
});
