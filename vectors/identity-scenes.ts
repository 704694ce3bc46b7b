/**
 * Runs with a certificate-bound gate, one change each, and the findings of approver-identity 20 that the change brings: rows D and X of section
 * 22, what later evidence shows, people, time, execution, and what the auditor brings. Codes and statuses are written by hand.
 */
import { base64, hex, utf8 } from '../src/bytes/encoding.ts';
import { digestOf, kindsDigest } from '../src/identity/digests.ts';
import { policyBytes } from '../src/identity/policy.ts';
import { anchorEntry, anchorLeafData, writeAnchorReceipt } from '../src/log/anchor.ts';
import { headHash } from '../src/log/head.ts';
import { MerkleTree } from '../src/merkle/tree.ts';
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
} from '../test/identity/bank.ts';
import {
  allLists,
  bobKey,
  bobLeaf,
  CALL,
  decide,
  type Given,
  headOfScene,
  IDENTITIES,
  listed,
  makeRun,
  type Run,
  type RunChange,
  tallyOf,
  trustOf,
} from '../test/identity/run.ts';
import * as forge from '../test/pki/forge.ts';
import type { Scene } from './approval-scenes.ts';

export interface IdentityScene {
  readonly name: string;
  /** What `audit approvals` ends with. */
  readonly status: number;
  /** Codes of the family `identity`, its name left out; `decision-stands`, which names each counted approval, is not listed. */
  readonly codes: readonly string[];
  /** No counted approval stands. */
  readonly nobody?: true;
  readonly change: RunChange;
  readonly given: Given | ((run: Run) => Given);
}

type Json = Record<string, unknown>;
const scenes: IdentityScene[] = [];
function scene(
  name: string,
  status: number,
  codes: readonly string[],
  change: RunChange = {},
  given: IdentityScene['given'] = {},
): void {
  scenes.push({ name, status, codes, change, given });
}
/** A scene in which no counted approval stands. */
function unproven(...[name, status, codes, change = {}, given = {}]: Parameters<typeof scene>): void {
  scenes.push({ name, status, codes, nobody: true, change, given });
}

export const each = (change: Json): RunChange => ({
  identity: (record, decisions) => ({ ...record, decisions: decisions.map((one) => ({ ...one, ...change })) }),
});
const first = (change: Json): RunChange => ({
  identity: (record, decisions) => ({
    ...record,
    decisions: decisions.map((one, i) => (i === 0 ? { ...one, ...change } : one)),
  }),
});
const record = (change: Json): RunChange => ({ identity: (plain) => ({ ...plain, ...change }) });
const note = (change: Json): RunChange => ({ note: { identity_bound: true, ...change } });
const archive = (...lists: Parameters<typeof listed>): Given => ({ archive: listed(...lists) });
const policy = (change: Json): Given => ({ trust: trustOf({ policy: change }) });
const beside = (...files: readonly Uint8Array[]): Given => ({ archive: [...allLists(), ...files] });
const ZERO = '0'.repeat(64);
const ONE = '1'.repeat(64);

// 22.8 records
scene('D01 the record as the gate writes it', 0, ['now-final']);
scene('D02 another order of the policy members', 0, ['now-final', 'policy-encoding'], {
  identityText: (text) =>
    text.replace(
      new TextDecoder().decode(policyBytes(policyRecord())),
      JSON.stringify(Object.fromEntries(Object.entries(P0).reverse())),
    ),
});
scene(
  'D03 the digest of the form with a newline',
  0,
  ['now-final', 'policy-encoding'],
  record({ policy_digest: digestOf(utf8(`${JSON.stringify(P0)}\n`)) }),
);
scene('the digest of another policy', 1, ['now-final', 'policy-digest'], record({ policy_digest: ZERO }));
scene(
  'D04 another policy than the policy of record',
  1,
  ['now-final', 'policy-not-of-record'],
  {},
  policy({ count_live: false }),
);
scene('D05 a note says bound and there is no identity record', 1, ['identity-stripped'], {
  ...note({}),
  identity: () => undefined,
});
scene('D06 an identity record of another count', 1, ['identity-incomplete'], record({ tally_digest: ZERO }));
scene('D07 two identity records', 0, ['now-final'], {
  identityName: `approval-identity:${CALL}:0:0123456789abcdef`,
  moreIdentities: (plain) => [{ name: `approval-identity:${CALL}:0`, value: { ...plain, tally_digest: ZERO } }],
});
scene('D08 the identity record after the count', 1, ['identity-after-tally', 'now-final'], {
  identityAfterTally: true,
});
scene('D09 a tier that is too high', 1, ['tier-overstated'], first({ tier: 'logclock-final' }), { at: '13 12:05' });
scene('D09 the tier as it is', 0, [], {}, { at: '13 12:05' });
scene('D11 a bare-key approver in the record', 1, ['decision-set', 'now-final'], {
  identity: (plain, decisions) => ({ ...plain, decisions: [...decisions, { ...decisions[0], approver: 'carol' }] }),
});
scene('D12 status bytes under another name', 1, ['now-final', 'status-hash'], {
  status: (crl, value) => ({
    value: crl.number === 1001n ? { ...value, der: base64(series('ica')[0]?.der ?? new Uint8Array()) } : value,
  }),
});
scene(
  'D13 a list of 300 KB, not in the archive',
  3,
  ['archive-missing', 'exec-status-unproven', 'series-gap'],
  large(),
  archive(without(1001, 1002)),
);
scene('D16 another spelling of the time', 0, ['now-final'], first({ anchored_at: '2026-10-13T09:00:30.000Z' }));
scene(
  'D17 the chain with its anchor',
  0,
  ['now-final'],
  first({ chain: [digestOf(leaf()), digestOf(ica()), digestOf(root())] }),
);
scene(
  'the chain with another anchor',
  1,
  ['chain-differs', 'now-final'],
  first({ chain: [digestOf(leaf()), digestOf(ica()), ZERO] }),
);
scene('rules of another version', 1, ['identity-format', 'now-final'], record({ rules: 'v2' }));
scene('an evaluation that is not of a gate', 1, ['identity-format', 'now-final'], record({ evaluated: 'later' }));
scene('a policy that cannot be used', 1, ['identity-format', 'now-final'], { recordedPolicy: { max_chain: 9 } });
scene('another roster', 1, ['now-final', 'roster-digest'], record({ roster_digest: ZERO }));
scene('a note with another policy', 0, ['now-final', 'policy-note-differs'], note({ identity_policy_digest: ONE }));
scene('a note with other kinds', 1, ['identity-kinds', 'now-final'], note({ identity_kinds: ONE }));
scene(
  'a note with these kinds',
  0,
  ['now-final'],
  note({
    identity_kinds: kindsDigest([
      ['alice', 'cert'],
      ['bob', 'cert'],
      ['carol', 'bare'],
    ]),
  }),
);
scene('another leaf', 1, ['leaf-hash', 'now-final'], first({ leaf_hash: ZERO }));
scene('another chain', 1, ['chain-differs', 'now-final'], first({ chain: [digestOf(leaf())] }));
scene('another anchor', 1, ['anchor-differs', 'now-final'], first({ anchor: ZERO }));
scene('another identifier', 1, ['identifier-differs', 'now-final'], first({ identifier: 'eve@bank.example' }));
scene('another head', 1, ['head-differs', 'now-final'], first({ head_hash: ZERO }));
scene('another time', 1, ['anchored-at-differs', 'now-final'], first({ anchored_at: '2026-10-13T08:00:30Z' }));
scene(
  'another source of time',
  1,
  ['now-final', 'time-evidence-missing', 'time-source-differs'],
  first({ time_source: 'rfc3161', time_evidence: ZERO }),
);
scene('another basis', 0, ['basis-differs', 'now-final'], first({ basis_kind: 'live-before-decision' }));
scene('another window', 0, ['now-final', 'window-differs'], first({ window: '12h0m0s' }));
scene('another status time', 0, ['now-final', 'status-time-differs'], first({ status_time: '2026-10-13T06:00:00Z' }));
scene('status bytes that nobody has', 3, ['now-final', 'status-missing'], first({ status: [ZERO] }));
scene('another description of a list', 0, ['now-final', 'status-metadata'], {
  status: (crl, value) => ({ value: crl.number === 1001n ? { ...value, number: '7', size: 1 } : value }),
});
scene('the digest of the count over its whole record', 0, ['now-final', 'policy-encoding'], wholeTally());
scene('a tier that is too low', 0, ['tier-understated'], {
  ...each({ tier: 'provisional', status_time: '', window: '' }),
  had: [1000, 1001, 1002, 1003, 1004, 1005, 1006],
  evaluatedAt: '2026-10-14T12:05:00Z',
  attemptedAt: '14 12:06',
});
scene('a gate that should not have counted', 1, ['now-final', 'replay-reason'], { had: [997] });
scene('versions that differ', 0, ['now-final'], record({ verifier_rev: 'abc' }));

export function big() {
  const entries = Array.from({ length: 9000 }, (_, i) => ({ serial: 100_000 + i, reason: 4 }));
  return crlOf(
    { issuer: ICA_NAME, key: icaKey, from: stamp('12:00'), until: stamp('14 00:00'), number: 1001, entries },
    'big',
  );
}

/** The record's status names the long list, whose bytes are too long for it. */
export function large(): RunChange {
  const list = big();
  return {
    had: [1000, 1001],
    status: (crl, value) => {
      if (crl.number !== 1001n || hex(crl.issuer.der) !== hex(list.issuer.der)) return { value };
      const { der: _, ...described } = value;
      return { name: `approval-status:${list.sha256}`, value: { ...described, size: list.der.length } };
    },
    identity: (plain, decisions) => ({
      ...plain,
      decisions: decisions.map((one) => ({
        ...one,
        status: (one['status'] as string[]).map((hash) =>
          series('ica').find(({ number }) => number === 1001n)?.sha256 === hash ? list.sha256 : hash,
        ),
      })),
    }),
  };
}

function wholeTally(): RunChange {
  // The record's salt depends on its place only, so the run can be made once to see the bytes.
  const tally = makeRun()
    .scene.journal()
    .records.find(({ name }) => name === `approval-tally:${CALL}:ident`);
  return record({ tally_digest: digestOf(tally?.bytes ?? new Uint8Array()) });
}

// What later evidence shows
const kc = (date: string, more: object = {}) => ({ date: stamp(date), reason: 1, ...more });
scene(
  'a revocation before the decision',
  1,
  ['now-final', 'revoked-now'],
  {},
  archive(listedFrom(1003, kc('22:00', { invalidity: stamp('07:00') }))),
);
unproven(
  'another reason now',
  1,
  ['later-reason', 'policy-not-of-record'],
  {},
  policy({ eku: '1.3.6.1.4.1.55555.1.2' }),
);
scene(
  'a compromise within the window',
  0,
  ['now-final', 'revoked-within-window'],
  {},
  archive(listedFrom(1003, kc('22:00'))),
);
scene(
  'a revocation that is gone',
  0,
  ['now-final', 'revocation-withdrawn', 'revoked-within-window'],
  {},
  archive(listedFrom(1003, kc('22:00'), 1003)),
);
scene(
  'a hold within the window',
  0,
  ['held-within-window', 'now-final', 'policy-encoding'],
  { recordedPolicy: { allow_holds: true } },
  { ...archive(listedFrom(1003, { date: stamp('17:00'), reason: 6 })), ...policy({ allow_holds: true }) },
);
scene('a gap in the series', 0, ['series-gap'], {}, archive(without(1003)));
scene(
  'two lists with one number',
  1,
  ['crl-number-reused', 'still-provisional'],
  {},
  {
    ...beside(
      crlOf({ issuer: ICA_NAME, key: icaKey, from: stamp('14 00:01'), until: stamp('14 13:00'), number: 1005 }, 'twin')
        .der,
    ),
    at: '15 19:00',
  },
);
scene(
  'still provisional',
  0,
  ['still-provisional'],
  {},
  { ...archive((n) => (n <= 1002 ? {} : undefined)), at: '16 00:00' },
);
scene(
  'a list under another key',
  0,
  ['crl-unusable', 'now-final'],
  {},
  beside(
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
  ),
);
scene('a status response about something else', 0, ['now-final', 'ocsp-ignored'], {}, beside(response(99)));
scene(
  'status responses of the CA in place of lists',
  0,
  [],
  {},
  {
    archive: [...listed((n) => (n <= 1000 ? {} : undefined)), response(77), response(78)],
    at: '13 13:00',
  },
);
scene('a carried certificate that is not pinned', 0, ['chain-extra-certificate', 'now-final'], {
  alice: {
    change: { approverCert: [leaf(), ica(), ica({ subject: 'CN=Extra', key: forge.key('identity extra') })] },
  },
});
scene('a decision provable after expiry', 0, ['anchored-after-expiry', 'now-final', 'window-differs'], {
  alice: { leaf: leaf({ until: stamp('09:00:20') }) },
});
scene(
  'a pinned key without a certificate',
  1,
  ['certificate-not-supplied', 'now-final', 'policy-not-of-record'],
  {},
  policy({ intermediates: [spkiHash(icaKey), ZERO] }),
);
unproven(
  'a canonicaliser that is not mapped',
  1,
  ['canonicaliser-unknown', 'decision-open', 'policy-not-of-record'],
  {},
  policy({ canonical: 'email/v9' }),
);

export function response(serial: number): Uint8Array {
  return forge.ocsp({
    issuer: ICA_NAME,
    issuerKey: icaKey,
    responder: ICA_NAME,
    key: icaKey,
    answers: [{ serial, status: 'good', from: stamp('12:30'), until: stamp('14 12:30') }],
    produced: stamp('12:30'),
  });
}

// People
const asked = {
  principal: 'desk-7',
  tally: { approvedBy: ['alice', 'bob'], excludePrincipal: true, requesters: ['desk-7'] },
};
const excluding = (section: Json): Given => ({ trust: trustOf({ gate: { exclude_principal: true }, section }) });
scene(
  'I14 who asked for the run approves it',
  1,
  ['now-final', 'requester-counted'],
  asked,
  excluding({ requesters: { 'desk-7': 'alice@bank.example' } }),
);
scene(
  'I14 who asked for the run has no identifier',
  0,
  ['now-final', 'requester-unmapped'],
  asked,
  excluding({ requester_mapping: true }),
);
scene('I14 who asked for the run is somebody else', 0, ['now-final'], asked, excluding({}));
scene(
  'I11 an approver outside the roster',
  1,
  ['decision-open', 'now-final', 'roster-digest', 'roster-missing-approver'],
  {},
  {
    trust: trustOf({ identities: { bob: IDENTITIES.bob, carol: IDENTITIES.carol } }),
  },
);
scene(
  'I12 two approvers with one identifier',
  1,
  ['now-final', 'replay-reason', 'roster-digest', 'roster-duplicate-identifier', 'shared-seat-counted'],
  {},
  { trust: trustOf({ identities: { ...IDENTITIES, bob: 'alice@bank.example' } }) },
);
scene('I13 two approvers with one key', 1, ['now-final', 'shared-seat-counted'], {
  bob: { leaf: bobLeaf({ key: leafKey }), key: leafKey },
});

// Time
scene('heads whose times contradict each other', 0, ['head-times-elsewhere', 'now-final'], {}, (run) => ({
  heads: [run.head, wideHead(run), headOfScene(run.scene, run.scene.records.length - 1, '12:20')],
}));
scene(
  'a head that is stamped ahead of its token',
  1,
  ['head-clock-ahead', 'now-final', 'tsa-status-unknown'],
  {},
  ({ head }) => beside(tokenDer(head, '08:59:30')),
);
scene('a token without an accuracy', 0, ['now-final', 'tsa-accuracy-absent', 'tsa-status-unknown'], {}, ({ head }) =>
  beside(tokenDer(head, '09:01:30', { accuracy: null })),
);
scene('a token over a later head', 0, ['time-from-later-head', 'tsa-status-unknown'], {}, (run) => ({
  heads: [run.head, wideHead(run)],
  ...beside(tokenDer(wideHead(run), '12:10:30')),
}));
scene('a token over something else', 0, ['now-final', 'token-invalid'], {}, ({ head }) =>
  beside(tokenDer({ ...head, size: 2 }, '09:01:30')),
);
unproven(
  'T17 two histories',
  1,
  ['decision-open', 'exec-status-unproven', 'head-of-other-records', 'log-equivocation'],
  {},
  (run) => ({
    heads: [run.head, headOfScene(run.scene, run.head.size, '09:00:30', { root: new Uint8Array(32) })],
  }),
);
scene(
  'T15 a token as the time',
  0,
  ['now-final', 'tsa-status-unknown'],
  each({
    time_source: 'rfc3161',
    time_evidence: digestOf(tokenDer(makeRun().head, '09:01:30')),
    anchored_at: '2026-10-13T09:01:30Z',
  }),
  ({ head }) => beside(tokenDer(head, '09:01:30')),
);
scene('T20 a receipt of another log as the time', 0, ['now-final'], {}, ({ head }) => {
  const entry = anchorEntry(0, head);
  const published = MerkleTree.ofLeaves([anchorLeafData(entry)]).root();
  return {
    ...beside(writeAnchorReceipt(entry, { index: 0, size: 1, path: [] })),
    trust: trustOf({
      top: { anchor_logs: [{ name: 'other log', size: 1, root: base64(published), published: stamp('09:02:00') }] },
    }),
  };
});
unproven('no head', 3, ['decision-open', 'exec-status-unproven'], {}, { heads: [] });

function wideHead({ scene: { records }, scene: of }: Run) {
  return headOfScene(of, records.length, '12:10');
}
export function tokenDer(head: Run['head'], at: string, change: Partial<forge.TokenRecipe> = {}): Uint8Array {
  const over = { head, hash: hex(headHash(head)), size: head.size, time: head.timestamp_nanos, covers: true };
  const given = tokenOver(over, at, { ...change, key: tsaKey });
  return given.proof.kind === 'rfc3161' ? given.proof.token.der : new Uint8Array();
}

// Generations, holds, execution
export const holdName = `approval-exec-hold:${CALL}:0`;
export const hold = (more: object = {}) => ({
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
const held: RunChange = { afterTally: (scene) => scene.value(holdName, hold()) };
const revokedEarly = archive(listedFrom(1001, kc('08:00')));
const reask = (scene: Scene, records: readonly string[] = []) =>
  scene.add({
    name: `approval-tally:${CALL}:ident-reask:1`,
    kind: 'value',
    result: tallyOf({ approvedBy: ['alice', 'bob'], records }),
  });
scene('X07 generation 1 without a hold', 1, ['generation-unproven', 'now-final'], {
  afterTally: (scene) => reask(scene),
});
unproven('X08 a plain count that was acted on', 1, ['plain-tally-acted-on'], { tallyName: `approval-tally:${CALL}` });
unproven('X09 a held count that ran', 1, ['hold-ignored', 'hold-unsupported'], held);
unproven('a hold whose reason is there', 1, ['hold-ignored'], held, revokedEarly);
scene(
  'X06 a call that ran on a revoked certificate',
  1,
  ['crl-number-reused', 'exec-status-unproven', 'executed-while-revoked', 'revoked-now', 'series-gap'],
  { attemptedAt: '15:00' },
  revokedEarly,
);
scene('X02 no fresh status when it ran', 0, ['exec-status-unproven', 'now-final'], { attemptedAt: '17:00' });
scene(
  'X03 the overlap',
  1,
  ['exec-status-overlap', 'now-final', 'policy-not-of-record'],
  { attemptedAt: '17:00' },
  policy({ ca_overlap_for: { [spkiHash(icaKey)]: '1h0m0s', [spkiHash(rootKey)]: '1h0m0s' } }),
);
scene('no marker of the attempt', 0, ['exec-time-unknown', 'now-final'], { attemptedAt: null });
scene(
  'a final status was asked for',
  1,
  ['final-required', 'now-final'],
  {},
  { trust: trustOf({ item: { require_final: true } }) },
);
scene('a decision without a certificate was counted', 1, ['now-final', 'replay-reason', 'v3-for-cert-approver'], {
  alice: { change: { approverCert: undefined, approverAlg: 'ed25519' } },
});
scene('a denial that was left out', 1, ['decision-omitted', 'now-final'], {
  tally: { approvedBy: ['bob'], approved: 1, pending: ['alice', 'carol'], need: 1 },
  identity: (plain, decisions) => ({ ...plain, decisions: decisions.slice(1) }),
});
const passedOver = deniedLate();
scene('a denial that the count passed over', 1, ['decision-omitted', 'now-final'], passedOver, (run) => ({
  trust: trustOf({ gate: { need: 1 } }),
  heads: [earlyHead(run), run.head],
}));
scene(
  'a denial that the count passed over, and nothing shows',
  3,
  ['decision-open', 'now-final'],
  passedOver,
  (run) => ({
    trust: trustOf({ gate: { need: 1 } }),
    heads: [earlyHead(run)],
  }),
);

function earlyHead({ scene: of, head }: Run) {
  return headOfScene(of, head.size - 1, '09:00:30');
}

/** The count names the decision before bob's denial, and its record the head before it. */
function deniedLate(): RunChange {
  const change: RunChange = {
    result: false,
    bob: { change: { approved: false } },
    tally: { approvedBy: ['alice'], approved: 1, pending: ['bob', 'carol'], need: 1 },
  };
  const head = earlyHead(makeRun(change));
  const named = { head_size: head.size, head_root: hex(head.root ?? new Uint8Array()), head_hash: hex(headHash(head)) };
  return { ...change, identity: (plain, [one]) => ({ ...plain, decisions: [{ ...one, ...named }] }) };
}

scene(
  'a later generation after its hold, without an identity record',
  1,
  ['exec-status-unproven', 'hold-unsupported', 'identity-incomplete', 'still-provisional'],
  {
    afterTally: (scene) => {
      scene.value(holdName, hold());
      reask(scene, [
        decide(scene, 'alice', leaf(), leafKey, '2026-10-13T16:00:00.000Z', { name: 'again-alice' }),
        decide(scene, 'bob', bobLeaf(), bobKey, '2026-10-13T16:00:10.000Z', { name: 'again-bob' }),
      ]);
    },
    attemptedAt: '18:30',
  },
  (run) => ({ heads: [run.head, headOfScene(run.scene, run.scene.records.length, '18:40')], at: '16 13:00' }),
);
scene('two gates of one run, counted by two builds', 1, ['now-final', 'roster-digest', 'verifier-differs'], {
  before: (scene) => scene.turn('call-2', 'wire_transfer', '{}'),
  beforeTally: (scene) => {
    const tally = tallyOf({ need: 0 });
    scene.value('approval-identity:call-2:0', {
      format: 'bide.approval-identity.v2',
      tool_use_id: 'call-2',
      generation: 0,
      tally: 'approval-tally:call-2:ident',
      tally_digest: digestOf(tally),
      evaluated: 'live',
      evaluated_at: '2026-10-13T12:05:00Z',
      policy: P0,
      policy_digest: digestOf(utf8(JSON.stringify(P0))),
      roster_digest: '',
      decisions: [],
      rules: 'v1',
      verifier: 'go1.26.0',
    });
    scene.add({ name: 'approval-tally:call-2:ident', kind: 'value', result: tally });
  },
});

// What the auditor brings
scene(
  'no policy of certificates',
  3,
  ['now-final', 'policy-expected-missing'],
  {},
  { trust: trustOf({ policies: [] }) },
);
scene(
  'a policy whose least window is longer than its window',
  4,
  ['now-final', 'policy-expected-missing', 'policy-file'],
  {},
  policy({ w: '30m0s' }),
);
scene(
  'a roster whose identifiers are not canonical',
  1,
  ['now-final', 'policy-file', 'replay-reason', 'roster-digest'],
  {},
  {
    trust: trustOf({ identities: { ...IDENTITIES, alice: 'Alice@Bank.example' } }),
  },
);
scene(
  'a policy that ends before it begins',
  4,
  ['now-final', 'policy-expected-missing', 'policy-file'],
  {},
  {
    trust: trustOf({ item: { applies_until: '2026-01-01T00:00:00Z' } }),
  },
);

export const identityScenes: readonly IdentityScene[] = scenes;
