/**
 * Writes vectors/evidence/rules.json: for each rule of proofs, absence, events, grants, ledgers, quorums, policies, run certificates and
 * packages a case that keeps it and one that breaks only it. The answers stand here, written by hand; the library is only asked to sign
 * and to prove.
 */
import type { Case, Json } from '../conformance/suite.ts';
import { base64, decodeUtf8, utf8 } from '../src/bytes/encoding.ts';
import { formatPublicKey, importPrivateKey, isUnusable } from '../src/crypto/keys.ts';
import { sha256 } from '../src/crypto/sha256.ts';
import type { PrivateKey } from '../src/crypto/signature.ts';
import { proveCurrentGrant } from '../src/evidence/currentGrant.ts';
import { durableEvents, proveEvent } from '../src/evidence/events.ts';
import { grantDigest, grantRecordName, grantResult, signGrant } from '../src/evidence/grants.ts';
import { type JournalTree, proveRecord, treeOfJournal } from '../src/evidence/journalTree.ts';
import { proveAbsent, signKeySetHead, TOOL_USE_KEYS, USED_POLICY_KEYS } from '../src/evidence/keySets.ts';
import { sealedBytes } from '../src/evidence/package.ts';
import { producePackage } from '../src/evidence/packageProducer.ts';
import type { Reading } from '../src/evidence/place.ts';
import { convergenceName, policyDigest, policyName } from '../src/evidence/policies.ts';
import { produceRunCertificate } from '../src/evidence/runCertificate.ts';
import {
  absenceShape,
  currentGrantShape,
  type EvidencePackage,
  eventInclusionShape,
  type Grant,
  packageShape,
  proofShape,
  runCertificateShape,
  signedGrantShape,
} from '../src/evidence/shapes.ts';
import { readEntries } from '../src/journal/export.ts';
import { leafHash, recordLeafData } from '../src/journal/leaf.ts';
import { encode, type Shape } from '../src/json/shape.ts';
import { type HeadContent, headShape, signHead } from '../src/log/head.ts';
import { rootOfHashes } from '../src/merkle/root.ts';
import { writeCases } from './place.ts';

interface Row {
  readonly name: string;
  readonly op: string;
  readonly params: Case['params'];
  readonly answer: Json;
}
const rows: Row[] = [];

async function keyOf(fill: number): Promise<PrivateKey> {
  const key = await importPrivateKey('ed25519', new Uint8Array(32).fill(fill));
  if (isUnusable(key)) throw new Error(key.unusable);
  return key;
}
const [key, stranger, alice] = [await keyOf(1), await keyOf(2), await keyOf(3)];
const KEY = formatPublicKey(key.publicKey);
const ALICE = formatPublicKey(alice.publicKey);

function must<T>(reading: Reading<T>): T {
  if (!reading.ok) throw new Error(JSON.stringify(reading.findings));
  return reading.value;
}
const text = <T>(shape: Shape<T>, value: T): string => decodeUtf8(encode(shape, value)) as string;
const holds = { class: 'verified', codes: [] };
const fails = (...codes: readonly string[]): Json => ({ class: 'not_verified', codes });
const unusable = (...codes: readonly string[]): Json => ({ class: 'malformed', codes });

// One run that has everything.

const salted = (record: string, i: number) =>
  record.replace(/}$/, `,"salt":"${base64(sha256(utf8(`evidence ${i}`)))}"}`);
const POLICY = '(doms 2 2)\n';
const DIGEST = policyDigest(utf8(POLICY));
const grantOf = (change: Partial<Grant> = {}): Grant => ({
  id: 'earned/agent/0',
  issuer: 'alice',
  subject: 'agent',
  scope: new Map([['limit', '100']]),
  not_after_unix: 2_000_000_000n,
  parent_ref: '',
  ...change,
});
const root = signGrant(grantOf(), alice);
const certificate = (change: object = {}) =>
  JSON.stringify({
    machine: 'm',
    policy_digest: DIGEST,
    converges: true,
    wfc: true,
    cc: true,
    max_repair_len: 0,
    pairs_total: 0,
    pairs_disjoint: 0,
    pairs_brute: 0,
    pairs_undeclared: 0,
    causal_order_required: null,
    not_idempotent: null,
    saturations: null,
    states: 1,
    compensation_free: false,
    ...change,
  });
const value = (name: string, result: string) => `{"name":${JSON.stringify(name)},"kind":"value","result":${result}}`;
const vote = (voter: string, decision: string) => `{"voter":"${voter}","decision":"${decision}"}`;
const RECORDS = [
  '{"name":"@journal","kind":"header","format":"bide.journal.v1-dev"}',
  '{"name":"@llm/0","kind":"model","message":{"role":"assistant","parts":[{"args":{},"id":"c1","name":"act","type":"tool_use"}]},"usage":{}}',
  `{"name":"tool:c1","kind":"tool_result","tool_use_id":"c1","result":{"policy_digest":"${DIGEST}"}}`,
  value(policyName(DIGEST), `{"digest":"${DIGEST}","policy":${JSON.stringify(POLICY)}}`),
  value(convergenceName(DIGEST), `{"digest":"${DIGEST}","certificate":${certificate()}}`),
  value(grantRecordName(root.grant), decodeUtf8(grantResult(root)) as string),
  value('note', '"called"'),
  value('quorum/q/vote/a', vote('a', 'yes')),
  value('quorum/q/vote/b', vote('b', 'no')),
  value(
    'quorum/q/tally',
    `{"decision":"no","votes_for":1,"total":2,"agreed":true,"votes":[${vote('a', 'yes')},${vote('b', 'no')}]}`,
  ),
  value('quorum/p/vote/a', vote('a', 'yes')),
  value('quorum/p/tally', `{"decision":"yes","votes_for":1,"total":1,"agreed":true,"votes":[${vote('a', 'yes')}]}`),
  '{"name":"tool:c2","kind":"tool_result","tool_use_id":"c2","result":"plain"}',
  value(policyName('00'.repeat(32)), `{"digest":"${'00'.repeat(32)}","policy":"other"}`),
  value(
    convergenceName('00'.repeat(32)),
    `{"digest":"${'00'.repeat(32)}","certificate":${certificate({ converges: false })}}`,
  ),
  '{"name":"run:complete","kind":"value"}',
];
const POSITION = new Map(RECORDS.map((record, i) => [/"name":"([^"]*)"/.exec(record)?.[1] ?? '', i]));

function journal(records: readonly string[], run = 'r'): JournalTree {
  const { journal: read, findings } = readEntries(
    run,
    records.map((record) => ({ data: utf8(record) })),
  );
  if (read === undefined) throw new Error(JSON.stringify(findings));
  return treeOfJournal(read);
}
const STORED = RECORDS.map(salted);
const of = journal(STORED);
const headOf = (tree: JournalTree, change: Partial<HeadContent> = {}, by = key) =>
  signHead(
    {
      kind: 'journal',
      run_id: tree.journal.run,
      size: tree.tree.size,
      root: tree.tree.root(change.size),
      timestamp_nanos: 10n,
      ...change,
    },
    by,
  );
const head = headOf(of);
const proofOf = (name: string, under = head) =>
  text(proofShape, must(proveRecord(of, POSITION.get(name) ?? -1, under)));
const HEAD = text(headShape, head);

// Proofs (audit 4.4).

const proof = (name: string, answer: Json, document: string, params: Case['params'] = { key: KEY }) =>
  rows.push({ name: `proof, ${name}`, op: 'evidence/verify-proof', params: { document, ...params }, answer });
const note = proofOf('note');
proof('keeps: a record under its head', holds, note);
proof('keeps: nothing is signed for who holds no key', holds, note, {});
proof('breaks: signed by somebody else', fails('log/head-signature'), proofOf('note', headOf(of, {}, stranger)));
proof(
  'breaks: the head is of events',
  fails('evidence/head-kind'),
  note.replace(HEAD, text(headShape, headOf(of, { kind: 'events' }))),
);
proof('breaks: the bundle names another run', fails('evidence/head-run'), note.replace('"run_id":"r"', '"run_id":"s"'));
proof(
  'breaks: the proof is for another size',
  fails('evidence/proof-size'),
  note.replace(/"size":16,"path"/, '"size":15,"path"'),
);
proof('breaks: another position', fails('evidence/not-included'), note.replace('"index":6', '"index":7'));
proof('breaks: another version', { class: 'format', codes: ['evidence/format'] }, note.replace('proof.v3', 'proof.v4'));
proof(
  'breaks: a member twice',
  unusable('evidence/malformed'),
  note.replace('"run_id":"r"', '"run_id":"s","run_id":"r"'),
);
const alone = (record: string) => {
  const hash = leafHash(recordLeafData(utf8(record)));
  const only = signHead(
    { kind: 'journal', run_id: 'r', size: 1, root: rootOfHashes([hash]), timestamp_nanos: 10n },
    key,
  );
  return text(proofShape, {
    format: 'bide.audit.proof.v3',
    run_id: 'r',
    record_bytes: utf8(record),
    inclusion: { index: 0, size: 1, path: null },
    sth: only,
  });
};
proof('keeps: a record without salt, with a warning', holds, alone(RECORDS[6] as string));
proof(
  'breaks: a record that reads two ways',
  unusable('evidence/record-unreadable'),
  alone(salted('{"name":"n","kind":"value","Kind":"x"}', 1)),
);
proof('breaks: a head from the future', fails('log/head-future'), note, { key: KEY, now: String(-(10n ** 12n)) });

// Absence (audit 4.5).

const toolHead = must(signKeySetHead(of, TOOL_USE_KEYS, key, 10n));
const absent = text(absenceShape, must(proveAbsent(of, TOOL_USE_KEYS, 'tooluse:c1a', toolHead)));
const absence = (name: string, answer: Json, document: string, set = 'tooluse:') =>
  rows.push({ name: `absence, ${name}`, op: 'evidence/verify-absence', params: { document, set, key: KEY }, answer });
absence('keeps: a key between its neighbours', holds, absent);
absence('breaks: a neighbour is left out', fails('evidence/not-absent'), absent.replace(/,"right":\{.*?\}\}/, ''));
absence(
  'breaks: the key is its own neighbour',
  fails('evidence/not-absent'),
  absent.replace('"key":"tooluse:c1a"', '"key":"tooluse:c1"'),
);
absence(
  'breaks: the head is of another set',
  fails('evidence/head-kind', 'evidence/absent-key-prefix'),
  absent,
  'policy_used:',
);
absence(
  'breaks: the proof is for another size',
  fails('evidence/proof-size', 'evidence/not-absent'),
  absent.replace('c1a","size":2', 'c1a","size":3'),
);

// Events (audit 4.6).

const events = must(durableEvents(of.journal));
const turn = events[0] as (typeof events)[number];
const streamRoot = rootOfHashes(events.map((event) => leafHash(event.leafData)));
const stream = signHead(
  { kind: 'events', run_id: 'r', size: events.length, root: streamRoot, timestamp_nanos: 10n },
  key,
);
const included = text(
  eventInclusionShape,
  proveEvent(
    events.map((event) => event.leafData),
    0,
    turn.salt,
  ),
);
const event = (name: string, answer: Json, change: Case['params'] = {}) =>
  rows.push({
    name: `event, ${name}`,
    op: 'evidence/verify-event',
    params: {
      document: included,
      kind: turn.kind,
      event: decodeUtf8(turn.event) as string,
      head: text(headShape, stream),
      key: KEY,
      ...change,
    },
    answer,
  });
event('keeps: a turn in its stream', holds);
event('breaks: another event', fails('evidence/not-included'), { event: '{"seq":1}' });
event('breaks: another kind of event', fails('evidence/not-included'), { kind: 'finished' });
event('breaks: a salt of 31 bytes', unusable('evidence/event-salt'), {
  document: included.replace(/"salt":"[^"]*"/, `"salt":"${base64(new Uint8Array(31))}"`),
});
event('breaks: the event is no JSON', unusable('evidence/event-unreadable'), { event: '{' });
event('breaks: the head of the journal', fails('evidence/head-kind', 'evidence/proof-size', 'evidence/not-included'), {
  head: HEAD,
});

// Grants (audit 4.7).

const child = (change: Partial<Grant> = {}, by = stranger) =>
  signGrant(
    grantOf({
      id: 'child',
      issuer: 'agent',
      subject: 'helper',
      scope: new Map([['limit', '10']]),
      parent_ref: grantDigest(root.grant),
      ...change,
    }),
    by,
  );
const chainOf = (...grants: readonly ReturnType<typeof signGrant>[]) =>
  `[${grants.map((grant) => text(signedGrantShape, grant)).join(',')}]`;
const grants = (name: string, answer: Json, document: string, change: Case['params'] = {}) =>
  rows.push({
    name: `grants, ${name}`,
    op: 'evidence/verify-grants',
    params: {
      document,
      issuers: { alice: ALICE, agent: formatPublicKey(stranger.publicKey) },
      rules: ['limit'],
      at: 2_000_000_000,
      ...change,
    },
    answer,
  });
grants('keeps: a child within its parent, in the last second', holds, chainOf(root, child()));
grants('breaks: a second later', fails('evidence/grant-expired'), chainOf(root, child()), { at: 2_000_000_001 });
grants('breaks: no grant', fails('evidence/grant-chain-empty'), '[]');
grants('breaks: an issuer without a key', fails('evidence/grant-issuer'), chainOf(root, child()), {
  issuers: { alice: ALICE },
});
grants('breaks: signed by another', fails('evidence/grant-signature'), chainOf(root, child({}, alice)));
grants(
  'breaks: signed with another scheme',
  fails('evidence/grant-scheme'),
  chainOf(root, child()).replace('"alg":"ed25519"', '"alg":"ml-dsa-65"'),
);
for (const [what, change] of [
  ['a limit above the parent’s', { scope: new Map([['limit', '101']]) }],
  ['a limit that is no number', { scope: new Map([['limit', '1e1']]) }],
  ['a restriction dropped', { scope: null }],
  ['no expiry', { not_after_unix: 0n }],
  ['a later expiry', { not_after_unix: 2_000_000_001n }],
  ['another parent', { parent_ref: '00' }],
] as const)
  grants(`breaks: ${what}`, fails('evidence/grant-attenuation'), chainOf(root, child(change)));
grants('breaks: the root has a parent', fails('evidence/grant-attenuation'), chainOf(child()));

// Ledgers (audit 4.8).

const steps = [0, 1].map((n) => signGrant(grantOf({ id: `earned/agent/${n}` }), alice));
const ledgerRecords = [
  STORED[0] as string,
  ...steps.map((grant, i) =>
    salted(value(grantRecordName(grant.grant), decodeUtf8(grantResult(grant)) as string), 100 + i),
  ),
];
const ledger = journal(ledgerRecords, 'ledger');
const seen = headOf(ledger, { size: 2 });
const now = headOf(ledger);
const current = must(proveCurrentGrant(ledger, now, seen));
const ledgerCase = (name: string, answer: Json, change: Case['params'] = {}) =>
  rows.push({
    name: `current grant, ${name}`,
    op: 'evidence/verify-current-grant',
    params: {
      document: text(currentGrantShape, current),
      grant: text(signedGrantShape, steps[1] as (typeof steps)[number]),
      ledger: 'ledger',
      last_seen: text(headShape, seen),
      key: KEY,
      ...change,
    },
    answer,
  });
ledgerCase('keeps: the last of a ledger that grew', holds);
ledgerCase('breaks: another grant than the record’s', fails('evidence/other-grant'), {
  grant: text(signedGrantShape, steps[0] as (typeof steps)[number]),
});
ledgerCase('breaks: another ledger', fails('evidence/head-run', 'evidence/ledger-run'), { ledger: 'other' });
ledgerCase('breaks: a grant before the last', fails('evidence/superseded'), {
  document: text(currentGrantShape, { ...current, leaf: must(proveRecord(ledger, 1, now)) }),
  grant: text(signedGrantShape, steps[0] as (typeof steps)[number]),
});
ledgerCase('breaks: the ledger was written anew', fails('evidence/not-consistent'), {
  last_seen: text(headShape, headOf(ledger, { size: 2, root: ledger.tree.root(1) })),
});
ledgerCase('breaks: a proof from nothing', fails('evidence/proof-size'), {
  document: text(currentGrantShape, { ...current, consistency: { first: 0, size: 3, path: null } }),
});

// Quorums (audit 4.14).

const quorum = (name: string, answer: Json, change: Case['params'] = {}) =>
  rows.push({
    name: `quorum, ${name}`,
    op: 'evidence/verify-quorum',
    params: {
      name: 'p',
      k: 1,
      tally: proofOf('quorum/p/tally'),
      votes: [proofOf('quorum/p/vote/a')],
      key: KEY,
      ...change,
    },
    answer,
  });
quorum('keeps: the votes give the decision', holds);
quorum('keeps: a governed commit', holds, { commit: proofOf('tool:c1') });
quorum('breaks: fewer votes than needed', fails('evidence/quorum-count'), { k: 2 });
quorum('breaks: a tie', fails('evidence/quorum-count'), {
  name: 'q',
  tally: proofOf('quorum/q/tally'),
  votes: [proofOf('quorum/q/vote/a'), proofOf('quorum/q/vote/b')],
});
quorum('breaks: a vote of another quorum', fails('evidence/other-quorum'), { votes: [proofOf('quorum/q/vote/a')] });
quorum('breaks: a vote too many', fails('evidence/quorum-count'), {
  votes: [proofOf('quorum/p/vote/a'), proofOf('quorum/p/vote/a')],
});
quorum('breaks: a step given as the tally', unusable('evidence/wrong-role'), { tally: proofOf('note') });
quorum('breaks: an ungoverned commit', unusable('evidence/wrong-role'), { commit: proofOf('tool:c2') });

// Policies (audit 4.9).

const action = (name: string, answer: Json, change: Case['params'] = {}) =>
  rows.push({
    name: `governed action, ${name}`,
    op: 'evidence/verify-governed-action',
    params: { action: proofOf('tool:c1'), policy: proofOf(policyName(DIGEST)), key: KEY, ...change },
    answer,
  });
const ZERO = '00'.repeat(32);
action('keeps: an action under its policy', holds);
action('keeps: a checker that agrees', holds, { checker: 'converges' });
action('breaks: a checker that does not', fails('evidence/not-convergent'), { checker: 'does-not-converge' });
action(
  'breaks: a checker without an answer',
  { class: 'no_verdict', codes: ['evidence/checker-no-verdict'] },
  { checker: 'ended with status 7' },
);
action('breaks: an action that names no policy', fails('evidence/ungoverned'), { action: proofOf('tool:c2') });
action(
  'breaks: the leaf of another policy, whose text is not its digest’s',
  fails('evidence/other-policy', 'evidence/policy-digest'),
  { policy: proofOf(policyName(ZERO)) },
);
action('breaks: a step given as the action', unusable('evidence/wrong-role'), { action: proofOf('note') });
action('breaks: two trees', fails('evidence/other-tree'), { action: proofOf('tool:c1', headOf(of, { size: 15 })) });
const convergence = (name: string, answer: Json, change: Case['params'] = {}) =>
  rows.push({
    name: `convergence, ${name}`,
    op: 'evidence/verify-convergence',
    params: { certificate: proofOf(convergenceName(DIGEST)), policy: proofOf(policyName(DIGEST)), key: KEY, ...change },
    answer,
  });
convergence('keeps: a certificate of its policy', holds);
convergence('breaks: a checker that says otherwise', fails('evidence/not-convergent', 'evidence/checker-disagrees'), {
  checker: 'does-not-converge',
});
convergence(
  'breaks: the certificate of another policy, which does not converge',
  fails('evidence/other-policy', 'evidence/not-convergent'),
  { certificate: proofOf(convergenceName(ZERO)) },
);

// Run certificates (audit 4.10).

const run = must(produceRunCertificate(of, head, new Set([DIGEST]), key, 10n));
const runCase = (
  name: string,
  answer: Json,
  change: Partial<typeof run> = {},
  params: Case['params'] = { approved: [DIGEST] },
) =>
  rows.push({
    name: `run certificate, ${name}`,
    op: 'evidence/verify-run',
    params: { document: text(runCertificateShape, { ...run, ...change }), key: KEY, ...params },
    answer,
  });
const short = journal(STORED.slice(0, 15));
runCase('keeps: its policies are approved and certified', holds);
runCase('breaks: a policy that is not approved', fails('evidence/policy-not-approved'), {}, { approved: [ZERO] });
runCase('breaks: nobody says what is approved', { class: 'no_verdict', codes: ['evidence/no-allowlist'] }, {}, {});
runCase('breaks: other properties', fails('evidence/certificate-properties'), {
  properties: ['only-approved-policies'],
});
runCase('breaks: a hidden policy', fails('evidence/used-policies', 'evidence/certificate-entries'), {
  used_policies: [],
});
runCase('breaks: no certificates', fails('evidence/certificate-entries'), { convergence: null });
runCase('breaks: a set from another state of the journal', fails('evidence/certificate-source'), {
  used_policy_absence: must(signKeySetHead(short, USED_POLICY_KEYS, key, 10n)),
});
runCase('breaks: a set stamped before its journal', fails('log/head-order'), {
  used_policy_absence: must(signKeySetHead(of, USED_POLICY_KEYS, key, 9n)),
});

// Packages (audit 4.11).

const made = must(
  producePackage(of, head, key, {
    label: '<a> & b',
    grants: [root],
    runCertificate: run,
    from: headOf(of, { size: 3, timestamp_nanos: 5n }),
  }),
);
const sealed = (change: Partial<EvidencePackage>, by = key): string => {
  const changed = { ...made, ...change };
  return text(packageShape, { ...changed, signature: by.sign(sealedBytes(changed)) });
};
const pack = (name: string, answer: Json, document: string, params: Case['params'] = { approved: [DIGEST] }) =>
  rows.push({
    name: `package, ${name}`,
    op: 'evidence/verify-package',
    params: { document, key: KEY, now: '10', ...params },
    answer,
  });
const [first, ...others] = made.actions ?? [];
if (first === undefined) throw new Error('no action');
pack('keeps: actions, grants, certificate and an earlier head', holds, text(packageShape, made));
pack('breaks: a label changed after sealing', fails('evidence/seal'), text(packageShape, { ...made, label: 'b' }));
pack(
  'breaks: null where [] was sealed',
  fails('evidence/seal'),
  sealed({ actions: [] }).replace('"actions":[]', '"actions":null'),
);
pack(
  'breaks: sealed by another key, which it names',
  fails('evidence/package-key', 'evidence/seal'),
  sealed({ public_key: stranger.publicKey.bytes }, stranger),
);
pack(
  'breaks: an action called otherwise',
  fails('evidence/action-label'),
  sealed({ actions: [{ ...first, label: 'other' }, ...others] }),
);
pack(
  'breaks: an action under another head',
  fails('evidence/other-tree'),
  sealed({ actions: [{ ...first, bundle: must(proveRecord(of, 2, headOf(of, { size: 15 }))) }] }),
);
pack(
  'breaks: a grant without a proof',
  fails('evidence/package-grants'),
  sealed({ grants: { chain: [root], anchored: [] } }),
);
pack(
  'breaks: the proof of something else as a grant',
  fails('evidence/other-grant'),
  sealed({ grants: { chain: [root], anchored: [must(proveRecord(of, 6, head))] } }),
);
pack('breaks: a certificate and no allowlist', fails('evidence/no-allowlist'), text(packageShape, made), {});
pack(
  'breaks: an earlier head stamped later',
  fails('log/head-order'),
  sealed({ consistency: { from: headOf(of, { size: 3, timestamp_nanos: 11n }), proof: of.tree.consistency(3) } }),
  { approved: [DIGEST], now: '11' },
);
pack(
  'breaks: nothing in it',
  fails('evidence/package-empty'),
  sealed({ actions: [], grants: null, run_certificate: null, consistency: null }),
);

// Producers.

const base = { run: 'r', records: STORED };
const SEED = '01'.repeat(32);
const refused = (name: string, op: string, params: Case['params'], code: string) =>
  rows.push({ name: `produce, ${name}`, op, params, answer: unusable(code) });
refused(
  'breaks: a record past the head',
  'evidence/produce-proof',
  { ...base, head: HEAD, index: 16 },
  'evidence/no-such-record',
);
refused(
  'breaks: the head of other records',
  'evidence/produce-proof',
  {
    ...base,
    records: [...STORED.slice(0, 15), STORED[14] as string].map((record, i) =>
      i === 15 ? record.replace('audit:convergence:0', 'audit:convergence:1') : record,
    ),
    head: HEAD,
    index: 2,
  },
  'evidence/journal-root',
);
refused(
  'breaks: a journal that is too short',
  'evidence/produce-proof',
  { ...base, records: STORED.slice(0, 15), head: HEAD, index: 2 },
  'evidence/journal-short',
);
const bare = journal([STORED[0] as string, RECORDS[6] as string]);
refused(
  'breaks: a record without salt',
  'evidence/produce-proof',
  { run: 'r', records: [STORED[0] as string, RECORDS[6] as string], head: text(headShape, headOf(bare)), index: 0 },
  'evidence/journal-unsalted',
);
const tombstone = `{"redacted":{"leaf_hash":"${Array.from(leafHash(recordLeafData(utf8(STORED[6] as string))), (byte) => byte.toString(16).padStart(2, '0')).join('')}","at_ms":1}}`;
const redacted = STORED.map((record, i) => (i === 6 ? tombstone : record));
refused(
  'breaks: a redacted record',
  'evidence/produce-proof',
  { run: 'r', records: redacted, head: HEAD, index: 6 },
  'evidence/redacted',
);
rows.push({
  name: 'produce, keeps: the neighbour of a redacted record',
  op: 'evidence/produce-proof',
  params: { run: 'r', records: redacted, head: HEAD, index: 2 },
  answer: { document: proofOf('tool:c1') },
});
refused(
  'breaks: keys of a journal with a redacted record',
  'evidence/sign-key-set',
  { run: 'r', records: redacted, set: 'tooluse:', time: '10', seed_hex: SEED },
  'evidence/redacted',
);
refused(
  'breaks: a key that is there',
  'evidence/produce-absence',
  { ...base, absent: 'tooluse:c1', head: text(headShape, toolHead) },
  'evidence/key-present',
);
refused(
  'breaks: the head of another set',
  'evidence/produce-absence',
  { ...base, absent: 'policy_used:x', head: text(headShape, toolHead) },
  'evidence/wrong-key-set',
);
refused(
  'breaks: a policy that is not approved',
  'evidence/produce-run',
  { ...base, head: HEAD, approved: [], seed_hex: SEED },
  'evidence/cannot-certify',
);
refused(
  'breaks: redacting the header',
  'evidence/redact',
  { ...base, positions: [0], at_ms: 1 },
  'evidence/cannot-redact',
);
refused(
  'breaks: redacting a run that goes on',
  'evidence/redact',
  { run: 'r', records: STORED.slice(0, 15), positions: [6], at_ms: 1 },
  'evidence/cannot-redact',
);

const about =
  'Artifacts of the audit layer that keep, and that break, one rule each (audit spec 4); the class of the outcome and the codes that are found.';
writeCases('evidence/rules.json', about, rows);
