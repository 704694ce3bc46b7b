/**
 * Whole runs with a certificate-bound gate through `audit approvals`: rows D and X07 to X09 of approver-identity 22, and a run for every
 * finding of section 20.
 */
import { describe, expect, it } from 'vitest';
import { base64, hex, utf8 } from '../../src/bytes/encoding.ts';
import { catalogue } from '../../src/identity/catalogue.ts';
import { digestOf, kindsDigest } from '../../src/identity/digests.ts';
import { policyBytes } from '../../src/identity/policy.ts';
import { anchorEntry, anchorLeafData, writeAnchorReceipt } from '../../src/log/anchor.ts';
import { headHash, type TreeHead } from '../../src/log/head.ts';
import { MerkleTree } from '../../src/merkle/tree.ts';
import type { InputReport } from '../../src/verify/report.ts';
import * as forge from '../pki/forge.ts';
import {
  crlOf,
  ICA_NAME,
  ica,
  icaKey,
  leaf,
  leafKey,
  listedFrom,
  P0,
  policyRecord,
  root,
  rootKey,
  series,
  spkiHash,
  stamp,
  tokenOver,
  tsaKey,
  without,
} from './bank.ts';
import {
  allLists,
  auditRun,
  bobKey,
  bobLeaf,
  CALL,
  codesOf,
  decide,
  type Given,
  headOfScene,
  IDENTITIES,
  listed,
  makeRun,
  policyItem,
  type RunChange,
  tallyOf,
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

type Case = readonly [name: string, codes: readonly string[], change: RunChange, given?: Given];
const each = (change: Record<string, unknown>): RunChange => ({
  identity: (record, decisions) => ({ ...record, decisions: decisions.map((one) => ({ ...one, ...change })) }),
});
const dropped = (record: Record<string, unknown>, ...members: readonly string[]) =>
  Object.fromEntries(Object.entries(record).filter(([name]) => !members.includes(name)));
const first = (change: Record<string, unknown>): RunChange => ({
  identity: (record, decisions) => ({
    ...record,
    decisions: decisions.map((one, i) => (i === 0 ? { ...one, ...change } : one)),
  }),
});
const reordered = () => JSON.stringify(Object.fromEntries(Object.entries(P0).reverse()));
const canonicalPolicy = () => new TextDecoder().decode(policyBytes(policyRecord()));
const withoutNow = (codes: readonly string[]) => codes.filter((code) => code !== 'now-final');
const live: Given = { at: '13 12:05' };
const big = () => {
  const entries = Array.from({ length: 9000 }, (_, i) => ({ serial: 100_000 + i, reason: 4 }));
  return crlOf(
    { issuer: ICA_NAME, key: icaKey, from: stamp('12:00'), until: stamp('14 00:00'), number: 1001, entries },
    'big',
  );
};

describe('22.8 records', () => {
  const cases: readonly Case[] = [
    ['D01 the record as the gate writes it', [], {}],
    [
      'D02 another order of the policy members',
      ['policy-encoding'],
      { identityText: (text) => text.replace(canonicalPolicy(), reordered()) },
    ],
    [
      'D03 the digest of the form with a newline',
      ['policy-encoding'],
      { identity: (record) => ({ ...record, policy_digest: digestOf(utf8(`${JSON.stringify(P0)}\n`)) }) },
    ],
    [
      'the digest of another policy',
      ['policy-digest'],
      { identity: (record) => ({ ...record, policy_digest: '0'.repeat(64) }) },
    ],
    [
      'D04 another policy than the policy of record',
      ['policy-not-of-record'],
      {},
      { trust: trustOf({ policy: { count_live: false } }) },
    ],
    [
      'D05 a note says bound and there is no identity record',
      ['identity-stripped'],
      { note: { identity_bound: true }, identity: () => undefined },
    ],
    [
      'D06 an identity record of another count',
      ['identity-incomplete'],
      { identity: (record) => ({ ...record, tally_digest: '0'.repeat(64) }) },
    ],
    [
      'D07 two identity records',
      [],
      {
        identityName: `approval-identity:${CALL}:0:0123456789abcdef`,
        moreIdentities: (record) => [
          { name: `approval-identity:${CALL}:0`, value: { ...record, tally_digest: '0'.repeat(64) } },
        ],
      },
    ],
    ['D08 the identity record after the count', ['identity-after-tally'], { identityAfterTally: true }],
    ['D09 a tier that is too high', ['tier-overstated'], first({ tier: 'logclock-final' }), live],
    ['D10 a tier that has become final', ['now-final'], {}],
    [
      'D11 a bare-key approver in the record',
      ['decision-set'],
      {
        identity: (record, decisions) => ({
          ...record,
          decisions: [...decisions, { ...decisions[0], approver: 'carol' }],
        }),
      },
    ],
    [
      'D12 status bytes under another name',
      ['status-hash'],
      {
        status: (crl, value) => ({
          value: crl.number === 1001n ? { ...value, der: base64(series('ica')[0]?.der ?? new Uint8Array()) } : value,
        }),
      },
      { archive: allLists() },
    ],
    ['D13 a list of 300 KB, in the archive', [], large(), { archive: [...listed(without(1001)), big().der] }],
    [
      'D13 a list of 300 KB, not in the archive',
      ['archive-missing', 'exec-status-unproven', 'series-gap'],
      large(),
      { archive: listed(without(1001, 1002)) },
    ],
    ['D16 another spelling of the time', [], first({ anchored_at: '2026-10-13T09:00:30.000Z' })],
    ['D17 the chain with its anchor', [], first({ chain: [digestOf(leaf()), digestOf(ica()), digestOf(root())] })],
    [
      'the chain with another anchor',
      ['chain-differs'],
      first({ chain: [digestOf(leaf()), digestOf(ica()), '0'.repeat(64)] }),
    ],
    ['rules of another version', ['identity-format'], { identity: (record) => ({ ...record, rules: 'v2' }) }],
    [
      'an evaluation that is not of a gate',
      ['identity-format'],
      { identity: (record) => ({ ...record, evaluated: 'later' }) },
    ],
    [
      'a policy that cannot be used',
      ['identity-format', 'policy-not-of-record'].slice(0, 1),
      { recordedPolicy: { max_chain: 9 } },
    ],
    ['another roster', ['roster-digest'], { identity: (record) => ({ ...record, roster_digest: '0'.repeat(64) }) }],
    [
      'a note with another policy',
      ['policy-note-differs'],
      { note: { identity_bound: true, identity_policy_digest: '1'.repeat(64) } },
    ],
    ['a note with other kinds', ['identity-kinds'], { note: { identity_bound: true, identity_kinds: '1'.repeat(64) } }],
    [
      'a note with these kinds',
      [],
      {
        note: {
          identity_bound: true,
          identity_kinds: kindsDigest([
            ['alice', 'cert'],
            ['bob', 'cert'],
            ['carol', 'bare'],
          ]),
        },
      },
    ],
    ['another leaf', ['leaf-hash'], first({ leaf_hash: '0'.repeat(64) })],
    ['another chain', ['chain-differs'], first({ chain: [digestOf(leaf())] })],
    ['another anchor', ['anchor-differs'], first({ anchor: '0'.repeat(64) })],
    ['another identifier', ['identifier-differs'], first({ identifier: 'eve@bank.example' })],
    ['another head', ['head-differs'], first({ head_hash: '0'.repeat(64) })],
    ['another time', ['anchored-at-differs'], first({ anchored_at: '2026-10-13T08:00:30Z' })],
    [
      'another source of time',
      ['time-evidence-missing', 'time-source-differs'],
      first({ time_source: 'rfc3161', time_evidence: '0'.repeat(64) }),
    ],
    ['another basis', ['basis-differs'], first({ basis_kind: 'live-before-decision' })],
    ['another window', ['window-differs'], first({ window: '12h0m0s' })],
    ['another status time', ['status-time-differs'], first({ status_time: '2026-10-13T06:00:00Z' })],
    ['status bytes that nobody has', ['status-missing'], first({ status: ['0'.repeat(64)] })],
    [
      'another description of a list',
      ['status-metadata'],
      { status: (crl, value) => ({ value: crl.number === 1001n ? { ...value, number: '7', size: 1 } : value }) },
    ],
    ['the digest of the count over its whole record', ['policy-encoding'], tallyRecordDigest()],
    [
      'a tier that is too low',
      ['tier-understated'],
      {
        ...each({ tier: 'provisional', status_time: '', window: '' }),
        had: [1000, 1001, 1002, 1003, 1004, 1005, 1006],
        evaluatedAt: '2026-10-14T12:05:00Z',
        attemptedAt: '14 12:06',
      },
    ],
    ['a gate that should not have counted', ['replay-reason'], { had: [997] }],
    ['versions that differ', [], { identity: (record) => ({ ...record, verifier_rev: 'abc' }) }],
  ];
  for (const [name, codes, change, given] of cases)
    it(name, async () => {
      const got = await audited(change, given);
      expect(codes.includes('now-final') ? got.codes : withoutNow(got.codes)).toEqual([...codes].sort());
    });
});

function large(): RunChange {
  const list = big();
  return {
    had: [1000, 1001],
    status: (crl, value) => {
      if (crl.number !== 1001n || hex(crl.issuer.der) !== hex(list.issuer.der)) return { value };
      return { name: `approval-status:${list.sha256}`, value: { ...dropped(value, 'der'), size: list.der.length } };
    },
    identity: (record, decisions) => ({
      ...record,
      decisions: decisions.map((one) => ({
        ...one,
        status: (one['status'] as string[]).map((hash) =>
          series('ica').find(({ number }) => number === 1001n)?.sha256 === hash ? list.sha256 : hash,
        ),
      })),
    }),
  };
}

function tallyRecordDigest(): RunChange {
  // The record's salt depends on its place only, so the run can be made once to see the bytes.
  const plain = makeRun();
  const tally = plain.scene.journal().records.find(({ name }) => name === `approval-tally:${CALL}:ident`);
  return { identity: (record) => ({ ...record, tally_digest: digestOf(tally?.bytes ?? new Uint8Array()) }) };
}

const kc = (date: string, more: object = {}) => ({ date: stamp(date), reason: 1, ...more });

describe('what later evidence shows', () => {
  const cases: readonly Case[] = [
    [
      'a revocation before the decision',
      ['revoked-now'],
      {},
      { archive: listed(listedFrom(1003, { ...kc('22:00'), invalidity: stamp('07:00') })) },
    ],
    [
      'another reason now',
      ['later-reason', 'policy-not-of-record'],
      {},
      { trust: trustOf({ policy: { eku: '1.3.6.1.4.1.55555.1.2' } }) },
    ],
    [
      'a compromise within the window',
      ['revoked-within-window'],
      {},
      { archive: listed(listedFrom(1003, kc('22:00'))) },
    ],
    [
      'a revocation that is gone',
      ['revocation-withdrawn', 'revoked-within-window'],
      {},
      { archive: listed(listedFrom(1003, kc('22:00'), 1003)) },
    ],
    [
      'a hold within the window',
      ['held-within-window'],
      held(),
      {
        archive: listed(listedFrom(1003, { date: stamp('17:00'), reason: 6 })),
        trust: trustOf({ policy: { allow_holds: true } }),
      },
    ],
    ['a gap in the series', ['series-gap'], {}, { archive: listed(without(1003)) }],
    [
      'two lists with one number',
      ['crl-number-reused'],
      {},
      {
        archive: [
          ...allLists(),
          crlOf(
            { issuer: ICA_NAME, key: icaKey, from: stamp('14 00:01'), until: stamp('14 13:00'), number: 1005 },
            'twin',
          ).der,
        ],
        at: '15 19:00',
      },
    ],
    [
      'still provisional',
      ['still-provisional'],
      {},
      { archive: listed((n) => (n <= 1002 ? {} : undefined)), at: '16 00:00' },
    ],
    [
      'a list under another key',
      ['crl-unusable'],
      {},
      {
        archive: [
          ...allLists(),
          crlOf(
            {
              issuer: ICA_NAME,
              key: forge.key('identity other'),
              from: stamp('12:00'),
              until: stamp('14 00:00'),
              number: 1001,
            },
            'other',
          ).der,
        ],
      },
    ],
    ['a status response about something else', ['ocsp-ignored'], {}, { archive: [...allLists(), response(99)] }],
    [
      'a carried certificate that is not pinned',
      ['chain-extra-certificate'],
      {
        alice: {
          change: { approverCert: [leaf(), ica(), ica({ subject: 'CN=Extra', key: forge.key('identity extra') })] },
        },
      },
    ],
    ['a decision provable after expiry', ['anchored-after-expiry'], expiring()],
    [
      'a pinned key without a certificate',
      ['certificate-not-supplied', 'policy-not-of-record'],
      {},
      { trust: trustOf({ policy: { intermediates: [spkiHash(icaKey), '0'.repeat(64)] } }) },
    ],
    [
      'a canonicaliser that is not mapped',
      ['canonicaliser-unknown', 'policy-not-of-record'],
      {},
      { trust: trustOf({ policy: { canonical: 'email/v9' } }) },
    ],
  ];
  for (const [name, codes, change, given] of cases)
    it(name, async () => {
      const { codes: got } = await audited(change, given);
      expect(got).toEqual(expect.arrayContaining([...codes]));
    });

  it('takes a status response of the CA as a list', async () => {
    const { report, codes } = await audited(
      {},
      { archive: [...listed((n) => (n <= 1000 ? {} : undefined)), response(77), response(78)], at: '13 13:00' },
    );
    expect(codes).not.toContain('ocsp-ignored');
    expect(report.timeline.find(({ type }) => type === 'identity')?.tier).toBe('provisional');
  });
});

function held(): RunChange {
  return { recordedPolicy: { allow_holds: true } };
}

function response(serial: number): Uint8Array {
  return forge.ocsp({
    issuer: ICA_NAME,
    issuerKey: icaKey,
    responder: ICA_NAME,
    key: icaKey,
    answers: [{ serial, status: 'good', from: stamp('12:30'), until: stamp('14 12:30') }],
    produced: stamp('12:30'),
  });
}

function expiring(): RunChange {
  return { alice: { leaf: leaf({ until: stamp('09:00:20') }) } };
}

describe('time', () => {
  it('knows heads that contradict each other, and one that is stamped ahead', async () => {
    const run = makeRun();
    const size = run.scene.records.length;
    const wide = headOfScene(run.scene, size, '12:10');
    const smaller = headOfScene(run.scene, size - 1, '12:20');
    const elsewhere = await auditRun(run, { heads: [run.head, wide, smaller] });
    expect(codesOf(elsewhere)).toContain('head-times-elsewhere');
    const ahead = await auditRun(run, { archive: [...allLists(), tokenDer(run.head, '08:59:30', {})] });
    expect(codesOf(ahead)).toEqual(expect.arrayContaining(['head-clock-ahead', 'tsa-status-unknown']));
    const absent = await auditRun(run, {
      archive: [...allLists(), tokenDer(run.head, '09:01:30', { accuracy: null })],
    });
    expect(codesOf(absent)).toContain('tsa-accuracy-absent');
    const later = await auditRun(run, {
      heads: [run.head, wide],
      archive: [...allLists(), tokenDer(wide, '12:10:30', {})],
    });
    expect(codesOf(later)).toContain('time-from-later-head');
    const invalid = await auditRun(run, {
      archive: [...allLists(), tokenDer({ ...run.head, size: 2 }, '09:01:30', {})],
    });
    expect(codesOf(invalid)).toContain('token-invalid');
    for (const report of [elsewhere, ahead, absent, later, invalid])
      for (const { code } of report.findings) produced.add(code);
  });

  it('knows a token and a receipt as independent times (T15, T20)', async () => {
    const token = tokenDer(makeRun().head, '09:01:30', {});
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

  it('fails the whole audit over two histories (T17), and over a head of other records', async () => {
    const run = makeRun();
    const forked = headOfScene(run.scene, run.head.size, '09:00:30', { root: new Uint8Array(32) });
    const report = await auditRun(run, { heads: [run.head, forked] });
    expect(codesOf(report)).toEqual(expect.arrayContaining(['log-equivocation', 'head-of-other-records']));
    expect(report.result).toBe('not_verified');
    for (const { code } of report.findings) produced.add(code);
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

function tokenDer(head: ReturnType<typeof headOfScene>, at: string, change: Partial<forge.TokenRecipe>): Uint8Array {
  const given = tokenOver(
    { head, hash: hex(headHash(head)), size: head.size, time: head.timestamp_nanos, covers: true },
    at,
    { ...change, key: tsaKey },
  );
  return given.proof.kind === 'rfc3161' ? given.proof.token.der : new Uint8Array();
}

describe('generations, holds, execution', () => {
  const hold = (more: object = {}) => ({
    format: 'bide.approval-exec-hold.v2',
    tool_use_id: CALL,
    generation: 0,
    reason: 'a certificate of the chain was revoked at or before the time the decision became provable',
    detail: 'revoked',
    approvers: ['alice'],
    checked_at: '2026-10-13T15:00:00Z',
    reason_code: -1,
    ...more,
  });
  const holdName = `approval-exec-hold:${CALL}:0`;
  const revokedEarly = { archive: listed(listedFrom(1001, kc('08:00'))) };
  const plain = makeRun();
  expect(plain.records.length).toBeGreaterThan(8);

  const cases: readonly Case[] = [
    [
      'X07 generation 1 without a hold',
      ['generation-unproven'],
      {
        afterTally: (scene) =>
          scene.add({
            name: `approval-tally:${CALL}:ident-reask:1`,
            kind: 'value',
            result: tallyOf({ approvedBy: ['alice', 'bob'] }),
          }),
      },
    ],
    ['X08 a plain count that was acted on', ['plain-tally-acted-on'], { tallyName: `approval-tally:${CALL}` }],
    ['X09 a held count that ran', ['hold-ignored'], { afterTally: (scene) => scene.value(holdName, hold()) }],
    [
      'a hold whose reason is there',
      ['hold-ignored'],
      { afterTally: (scene) => scene.value(holdName, hold()) },
      revokedEarly,
    ],
    ['a hold that nothing supports', ['hold-unsupported'], { afterTally: (scene) => scene.value(holdName, hold()) }],
    [
      'X06 a call that ran on a revoked certificate',
      ['executed-while-revoked', 'revoked-now'],
      { attemptedAt: '15:00' },
      revokedEarly,
    ],
    ['X02 no fresh status when it ran', ['exec-status-unproven'], { attemptedAt: '17:00' }],
    [
      'X03 the overlap',
      ['exec-status-overlap'],
      { attemptedAt: '17:00' },
      {
        trust: trustOf({ policy: { ca_overlap_for: { [spkiHash(icaKey)]: '1h0m0s', [spkiHash(rootKey)]: '1h0m0s' } } }),
      },
    ],
    ['no marker of the attempt', ['exec-time-unknown'], { attemptedAt: null }],
    ['a final status was asked for', ['final-required'], {}, { trust: trustOf({ item: { require_final: true } }) }],
    [
      'a decision without a certificate was counted',
      ['v3-for-cert-approver'],
      { alice: { change: { approverCert: undefined, approverAlg: 'ed25519' } } },
    ],
    [
      'a denial that was left out',
      ['decision-omitted'],
      {
        tally: { approvedBy: ['bob'], approved: 1, pending: ['alice', 'carol'], need: 1 },
        identity: (record, decisions) => ({ ...record, decisions: decisions.slice(1) }),
      },
    ],
  ];
  for (const [name, codes, change, given] of cases)
    it(name, async () => {
      const { codes: got } = await audited(change, given);
      expect(got).toEqual(expect.arrayContaining([...codes]));
      if (name === 'a hold whose reason is there') expect(got).not.toContain('hold-unsupported');
    });

  it('two gates of one run, counted by two builds', async () => {
    const call = 'call-2';
    const { codes } = await audited({
      before: (scene) => scene.turn(call, 'wire_transfer', '{}'),
      beforeTally: (scene) => {
        const tally = tallyOf({ need: 0 });
        const policy = JSON.stringify(P0);
        scene.value(`approval-identity:${call}:0`, {
          format: 'bide.approval-identity.v2',
          tool_use_id: call,
          generation: 0,
          tally: `approval-tally:${call}:ident`,
          tally_digest: digestOf(tally),
          evaluated: 'live',
          evaluated_at: '2026-10-13T12:05:00Z',
          policy: P0,
          policy_digest: digestOf(utf8(policy)),
          roster_digest: '',
          decisions: [],
          rules: 'v1',
          verifier: 'go1.26.0',
        });
        scene.add({ name: `approval-tally:${call}:ident`, kind: 'value', result: tally });
      },
    });
    expect(codes).toContain('verifier-differs');
  });

  it('a later generation after its hold is the outcome', async () => {
    const change: RunChange = {
      afterTally: (scene) => {
        scene.value(holdName, hold());
        const steps = [
          decide(scene, 'alice', leaf(), leafKey, '2026-10-13T16:00:00.000Z', { name: 'again-alice' }),
          decide(scene, 'bob', bobLeaf(), bobKey, '2026-10-13T16:00:10.000Z', { name: 'again-bob' }),
        ];
        scene.add({
          name: `approval-tally:${CALL}:ident-reask:1`,
          kind: 'value',
          result: tallyOf({ approvedBy: ['alice', 'bob'], records: steps }),
        });
      },
      attemptedAt: '18:30',
    };
    const run = makeRun(change);
    const wide = headOfScene(run.scene, run.scene.records.length, '18:40');
    const report = await auditRun(run, { heads: [run.head, wide], at: '16 13:00' });
    expect(codesOf(report)).not.toContain('generation-unproven');
    expect(codesOf(report)).not.toContain('hold-ignored');
    // Its identity record is not there: nobody can tell how its approvers were identified.
    expect(codesOf(report)).toContain('identity-incomplete');
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
