/**
 * Whole runs with a certificate-bound gate through `audit approvals`: the scenes of the vectors (approver-identity 20, 22) and what reports say
 * beside codes.
 */
import { describe, expect, it } from 'vitest';
import { base64, hex, utf8 } from '../../src/bytes/encoding.ts';
import { catalogue } from '../../src/identity/catalogue.ts';
import { digestOf } from '../../src/identity/digests.ts';
import { anchorEntry, anchorLeafData, writeAnchorReceipt } from '../../src/log/anchor.ts';
import { headHash, type TreeHead } from '../../src/log/head.ts';
import { MerkleTree } from '../../src/merkle/tree.ts';
import { type InputReport, STATUS } from '../../src/verify/report.ts';
import { big, each, identityScenes, large, response, tokenDer } from '../../vectors/identity-scenes.ts';
import { icaKey, leaf, leafKey, series, spkiHash, stamp, without } from './bank.ts';
import {
  allLists,
  auditRun,
  bobLeaf,
  codesOf,
  type Given,
  headOfScene,
  IDENTITIES,
  listed,
  makeRun,
  policyItem,
  type RunChange,
  trustOf,
} from './run.ts';

/** Codes that some run of this file produced; the last test wants all of them. */
const produced = new Set<string>();

async function audited(
  change: RunChange = {},
  given: Given = {},
): Promise<{ readonly report: InputReport; readonly codes: readonly string[] }> {
  const report = await auditRun(makeRun(change), given);
  for (const { code } of report.findings) produced.add(code);
  return { report, codes: codesOf(report) };
}

const byCode = (report: InputReport, code: string) =>
  report.findings.find((finding) => finding.code === `identity/${code}`);
const withoutNow = (codes: readonly string[]) => codes.filter((code) => code !== 'now-final');
const verdictOf = (report: InputReport, claim: string) => report.claims.find((one) => one.claim === claim)?.verdict;

describe('a run with a certificate-bound gate', () => {
  it('is verified with everything at hand', async () => {
    const { report, codes } = await audited();
    expect(codes).toEqual(['now-final']);
    expect(report.result).toBe('verified');
    expect(report.claims.map(({ claim, verdict }) => `${claim} ${verdict}`)).toEqual([
      'count verified',
      'outcome verified',
      'identity verified',
      'disclosure verified',
    ]);
  });

  it('tells tier, time, the bytes relied on, what would change it, and the term of EN 319 102-1', async () => {
    const { report } = await audited({}, { at: '13 12:05' });
    const row = report.timeline.find(({ type }) => type === 'identity');
    expect(row?.tier).toBe('provisional');
    for (const part of [
      'It is shown to have existed by 2026-10-13T09:00:30Z, by the clock of the log',
      'A list of 2026-10-13T12:00:00Z, from after the decision',
      'The answer is provisional',
      'EN 319 102-1: TOTAL-PASSED',
      `certificate ${digestOf(leaf())}`,
      `revocation list ${series('ica').find(({ number }) => number === 1001n)?.sha256}`,
      'The same bytes give this answer until 2026-10-14T15:00:30Z',
      'thisUpdate at or after 2026-10-14T09:01:30Z',
    ])
      expect(row?.text).toContain(part);
    expect(report.claims.find(({ claim }) => claim === 'identity')?.reproducible_until).toBe('2026-10-14T15:00:30Z');
  });

  it('is undecided without lists, and names the smallest list that would decide it', async () => {
    const { report } = await audited({ status: () => undefined }, { archive: [] });
    expect(report.result).toBe('no_verdict');
    const row = report.missing.find(({ claim, item }) => claim === 'count' && item.includes('CRL'));
    expect(row?.item).toContain(
      `the CA with the key ${spkiHash(icaKey)} with thisUpdate at or after 2026-10-13T09:01:30Z`,
    );
    expect(row?.from).toBe('2026-10-13T09:01:30Z');
  });

  it('is undecided where nothing shows a denial that the count passed over, and never better than with it', async () => {
    let early: TreeHead | undefined;
    const change: RunChange = {
      bob: { change: { approved: false } },
      tally: { approvedBy: ['alice'], approved: 1, pending: ['bob', 'carol'], need: 1 },
      identity: (record, [first]) => ({
        ...record,
        decisions: [
          early === undefined
            ? first
            : {
                ...first,
                head_size: early.size,
                head_root: hex(early.root ?? utf8('')),
                head_hash: hex(headHash(early)),
              },
        ],
      }),
    };
    const { scene, head } = makeRun(change);
    early = headOfScene(scene, head.size - 1, '09:00:30');
    const trust = trustOf({ gate: { need: 1 } });
    const both = await audited(change, { trust, heads: [early, head] });
    expect([verdictOf(both.report, 'count'), both.codes.includes('decision-omitted')]).toEqual(['failed', true]);
    const less = await audited(change, { trust, heads: [early] });
    expect(verdictOf(less.report, 'count')).toBe('undecided');
    expect(less.codes).toContain('decision-open');
    expect(less.report.missing.map(({ item }) => item)).toContain('a signed head of run "run-1" of size 5 or more');
  });

  it('is undecided without a head, and names the head', async () => {
    const { report } = await audited({}, { heads: [] });
    expect(report.result).toBe('no_verdict');
    expect(report.missing.map(({ item }) => item)).toContain('a signed head of run "run-1" of size 4 or more');
  });

  it('is not evaluated without policies of certificates', async () => {
    const { report } = await audited({}, { trust: trustOf({ policies: [] }) });
    expect(verdictOf(report, 'count')).toBe('undecided');
    expect(codesOf(report)).toContain('policy-expected-missing');
  });

  it('shows a second policy beside the first, which decides', async () => {
    const { report } = await audited(
      {},
      {
        trust: trustOf({ policies: [policyItem(), policyItem({ item: { id: 'strict' }, policy: { w: '480h0m0s' } })] }),
      },
    );
    expect(report.result).toBe('verified');
    expect(report.timeline.filter(({ text }) => text.startsWith('under the policy strict')).length).toBe(2);
    expect(report.timeline.find(({ text }) => text.startsWith('under the policy strict'))?.text).toContain(
      'provisional',
    );
  });

  it('excludes who asked for the run by their identifier (I14)', async () => {
    const excluding = { approvedBy: ['alice', 'bob'], excludePrincipal: true, requesters: ['desk-7'] };
    const { report, codes } = await audited(
      { principal: 'desk-7', tally: excluding },
      {
        trust: trustOf({
          gate: { exclude_principal: true },
          section: { requesters: { 'desk-7': 'alice@bank.example' } },
        }),
      },
    );
    expect(codes).toContain('requester-counted');
    expect(report.findings.some(({ actual }) => actual === 'requester')).toBe(true);
    expect(report.result).toBe('not_verified');
    const unmapped = await audited(
      { principal: 'desk-7', tally: excluding },
      { trust: trustOf({ gate: { exclude_principal: true }, section: { requester_mapping: true } }) },
    );
    expect(unmapped.codes).toContain('requester-unmapped');
    const silent = await audited(
      { principal: 'desk-7', tally: excluding },
      { trust: trustOf({ gate: { exclude_principal: true } }) },
    );
    expect(silent.codes).not.toContain('requester-unmapped');
  });

  it('seats nobody twice (I11 to I13, I15)', async () => {
    const { alice, ...others } = IDENTITIES;
    expect(alice).toBeDefined();
    const missing = await audited({}, { trust: trustOf({ identities: others }) });
    expect(missing.codes).toContain('roster-missing-approver');
    expect(missing.report.result).toBe('not_verified');
    const same = await audited({}, { trust: trustOf({ identities: { ...IDENTITIES, bob: 'alice@bank.example' } }) });
    expect(same.codes).toEqual(
      expect.arrayContaining(['roster-duplicate-identifier', 'shared-seat-counted', 'roster-digest']),
    );
    const bobOnAlicesKey = bobLeaf({ key: leafKey });
    const key = await audited({ bob: { leaf: bobOnAlicesKey, key: leafKey } });
    expect(key.codes).toContain('shared-seat-counted');
    expect(key.report.findings.filter(({ actual }) => actual === 'shared_key').length).toBe(2);
    const expired = bobLeaf({ key: leafKey, until: '2026-10-01T00:00:00Z' });
    const { report } = await audited({ bob: { leaf: expired, key: leafKey } });
    expect(
      report.findings.flatMap(({ actual, code }) => (code === 'approval/decision-uncounted' ? [actual] : [])),
    ).toEqual(['cert_window']);
  });
});

describe('each scene of the vectors', () => {
  for (const { name, status, codes, nobody, change, given } of identityScenes)
    it(`${name}: ${codes.join(', ')}`, async () => {
      const run = makeRun(change);
      const report = await auditRun(run, typeof given === 'function' ? given(run) : given);
      for (const { code } of report.findings) produced.add(code);
      expect(codesOf(report)).toEqual([...codes].sort());
      expect(STATUS[report.result]).toBe(status);
      expect(byCode(report, 'decision-stands') === undefined).toBe(nobody === true);
    });

  it('D13 a list of 300 KB counts where it is in the archive', async () => {
    const { report, codes } = await audited(large(), { archive: [...listed(without(1001)), big().der] });
    expect([report.result, codes]).toEqual(['verified', ['now-final']]);
  });

  it('takes a status response of the CA as a list', async () => {
    const { report } = await audited(
      {},
      { archive: [...listed((n) => (n <= 1000 ? {} : undefined)), response(77), response(78)], at: '13 13:00' },
    );
    expect(report.timeline.find(({ type }) => type === 'identity')?.tier).toBe('provisional');
  });
});

describe('time', () => {
  it('knows a token and a receipt as independent times (T15, T20)', async () => {
    const token = tokenDer(makeRun().head, '09:01:30');
    const rests = { time_source: 'rfc3161', time_evidence: digestOf(token) };
    for (const anchored_at of ['2026-10-13T09:01:30Z', '2026-10-13T09:01:31Z']) {
      const report = await auditRun(makeRun(each({ ...rests, anchored_at })), { archive: [...allLists(), token] });
      expect(withoutNow(codesOf(report))).toEqual(['tsa-status-unknown']);
      expect(report.timeline.find(({ type }) => type === 'identity')?.tier).toBe('independent-final');
    }
    const run = makeRun();
    const entry = anchorEntry(0, run.head);
    const tree = MerkleTree.ofLeaves([anchorLeafData(entry)]);
    const receipt = writeAnchorReceipt(entry, { index: 0, size: 1, path: [] });
    const anchored = await auditRun(makeRun(), {
      archive: [...allLists(), receipt],
      trust: trustOf({
        top: { anchor_logs: [{ name: 'other log', size: 1, root: base64(tree.root()), published: stamp('09:02:00') }] },
      }),
    });
    expect(anchored.timeline.find(({ type }) => type === 'identity')?.tier).toBe('independent-final');
    expect(anchored.timeline.find(({ type }) => type === 'identity')?.text).toContain(
      'by another log that published it',
    );
  });

  it('takes no head of another key, run or kind (T07)', async () => {
    const run = makeRun();
    for (const change of [{ run_id: 'run-2' }, { kind: 'events' }]) {
      const report = await auditRun(run, { heads: [headOfScene(run.scene, run.head.size, '09:00:30', change)] });
      expect(report.result).toBe('no_verdict');
    }
    const expired = trustOf();
    const keys = (expired['keys'] as Record<string, unknown>[]).map((one) => ({
      ...one,
      until: '2026-01-01T00:00:00Z',
    }));
    expect((await auditRun(run, { trust: { ...expired, keys } })).result).toBe('no_verdict');
  });
});

describe('what the auditor brings', () => {
  const refused = async (change: Parameters<typeof trustOf>[0], says: string) => {
    const report = await auditRun(makeRun(), { trust: trustOf(change) });
    for (const { code } of report.findings) produced.add(code);
    expect(byCode(report, 'policy-file')?.message).toContain(says);
    expect(report.result).not.toBe('verified');
  };
  it('is refused where it cannot be used', async () => {
    await refused({ policy: { w: '30m0s' } }, '"min_w" is longer than "w"');
    await refused({ policy: { skew: '120s' } }, '"skew" is not written as 2m0s');
    await refused({ policy: { anchors: [] } }, 'there is no trust anchor');
    await refused({ policy: { extra: 1 } }, 'not known here');
    await refused({ section: { canonicalisers: { 'email/v1': 'any' } } }, 'none of');
    await refused({ section: { tsa_anchors: ['AAAA'] } }, 'no certificate');
    await refused({ identities: { ...IDENTITIES, alice: 'Alice@Bank.example' } }, 'not in canonical form');
    await refused(
      { top: { rosters: [{ identities: IDENTITIES }, { from: '2026-01-01T00:00:00Z', identities: IDENTITIES }] } },
      'two rosters',
    );
    await refused({ item: { approvers: { alice: 'card' } } }, '"cert" or "bare"');
    await refused({ item: { gates: [{ tool: 'w*e' }] } }, 'star');
    await refused({ item: { applies_until: '2026-01-01T00:00:00Z' } }, 'ends before it begins');
  });
});

describe('the catalogue', () => {
  it('has no finding that no run here produces, but those of other files', () => {
    const elsewhere = [
      'identity/nothing-bound',
      'identity/head-missing',
      'identity/evidence-file',
      'identity/evidence-run',
    ];
    expect(Object.keys(catalogue.entries).filter((code) => !produced.has(code) && !elsewhere.includes(code))).toEqual(
      [],
    );
  });
});
