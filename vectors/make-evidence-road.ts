/**
 * Writes vectors/evidence/road.json: artifacts of the audit layer through the whole road and through the verbs of `bide-audit`, for what only
 * a file beside the artifact, a token over its head, or an argument can show. The answers stand here, written by hand; the library is only
 * asked to sign and to prove.
 */
import { stamp, timeRoot } from '../scripts/demo/timestamps.ts';
import { base64, decodeUtf8, hex, utf8 } from '../src/bytes/encoding.ts';
import { formatPublicKey } from '../src/crypto/keys.ts';
import { sha256 } from '../src/crypto/sha256.ts';
import { grantDigest, grantRecordName, grantResult, signGrant } from '../src/evidence/grants.ts';
import { type JournalTree, proveRecord, treeOfJournal } from '../src/evidence/journalTree.ts';
import { type KeySetDefinition, proveAbsent, signKeySetHead, TOOL_USE_KEYS } from '../src/evidence/keySets.ts';
import type { Reading } from '../src/evidence/place.ts';
import { produceRunCertificate } from '../src/evidence/runCertificate.ts';
import {
  absenceShape,
  type Grant,
  packageShape,
  proofShape,
  runCertificateShape,
  type SignedGrant,
} from '../src/evidence/shapes.ts';
import { encodeExport, readEntries } from '../src/journal/export.ts';
import { encodeTombstone } from '../src/journal/tombstone.ts';
import { encode, type Shape } from '../src/json/shape.ts';
import { headShape, signedBytes, signHead } from '../src/log/head.ts';
import { parseInstant } from '../src/time/instant.ts';
import { type Gate, TallyScene } from '../test/evidence/gates.ts';
import { testKey } from '../test/log/keys.ts';
import { writeCases } from './place.ts';
import { fact, GATE, told, trail } from './trail-scenes.ts';

const SIGNED = parseInstant('2026-11-30T12:00:00Z') as bigint;
const key = await testKey('ed25519', 1);
const KEY = formatPublicKey(key.publicKey);
const logKey = { name: 'log', roles: ['log'], key: KEY };
const trust = (sections: object = {}): string =>
  JSON.stringify({ format: 'audit.trust.v1', keys: [logKey], ...sections });
const text = <T>(shape: Shape<T>, value: T): string => decodeUtf8(encode(shape, value)) as string;
function must<T>(reading: Reading<T>): T {
  if (!reading.ok) throw new Error(JSON.stringify(reading.findings));
  return reading.value;
}

const cases: object[] = [];
interface Beside {
  readonly trust?: string;
  readonly companions?: readonly string[];
}
function road(name: string, file: string, beside: Beside, status: number, kind: string, ...codes: string[]): void {
  const { trust: trusted = trust(), ...files } = beside;
  const params = { file, trust: [trusted], at: '2026-11-30T18:00:00Z', ...files };
  cases.push({ name, op: 'audit/codes', params, answer: { status, kind, codes: codes.toSorted() } });
}
function verb(name: string, line: string, files: Readonly<Record<string, string>>, status: number, ...codes: string[]) {
  const [first, ...args] = line.split(' ');
  const params = { verb: first, args, files };
  cases.push({ name: `${first}, ${name}`, op: 'bide/codes', params, answer: { status, codes: codes.toSorted() } });
}

// A journal, its head, a proof of a record.

const salted = (record: string, i: number) =>
  record.replace(/}$/, `,"salt":"${base64(sha256(utf8(`evidence road ${i}`)))}"}`);
const RECORDS = [
  '{"name":"@journal","kind":"header","format":"bide.journal.v1-dev"}',
  '{"name":"@llm/0","kind":"model","message":{"role":"assistant","parts":[{"args":{},"id":"c1","name":"act","type":"tool_use"}]},"usage":{}}',
  '{"name":"tool:c1","kind":"tool_result","tool_use_id":"c1","result":"done"}',
  '{"name":"run:complete","kind":"value"}',
];
const stored = (records: readonly string[]) => records.map((record) => utf8(record));
function journal(records: readonly string[], run = 'r'): JournalTree {
  const { journal: read, findings } = readEntries(
    run,
    stored(records).map((data) => ({ data })),
  );
  if (read === undefined) throw new Error(JSON.stringify(findings));
  return treeOfJournal(read);
}
const STORED = RECORDS.map(salted);
const EXPORT = decodeUtf8(encodeExport('r', stored(STORED))) as string;
const of = journal(STORED);
const headOf = (tree: JournalTree) =>
  signHead(
    {
      kind: 'journal',
      run_id: tree.journal.run,
      size: tree.tree.size,
      root: tree.tree.root(),
      timestamp_nanos: SIGNED,
    },
    key,
  );
const head = headOf(of);
const HEAD = text(headShape, head);
const PROOF = text(proofShape, must(proveRecord(of, 2, head)));
road('keeps: a proof of a salted record', PROOF, {}, 0, 'proof');
const bare = journal([...STORED.slice(0, 2), RECORDS[2] as string]);
const proven = proveRecord(of, 2, head);
const unsalted = {
  ...must(proven),
  record_bytes: utf8(RECORDS[2] as string),
  inclusion: { index: 2, ...pathOf(bare) },
  sth: headOf(bare),
};
function pathOf(tree: JournalTree) {
  const { size, path } = tree.tree.inclusion(2);
  return { size, path: (path ?? []) as Uint8Array[] };
}
road(
  'breaks: a proof of a record without salt',
  text(proofShape, unsalted),
  {},
  0,
  'proof',
  'evidence/record-unsalted',
);

// A token over the head.

const anchored = trust({ anchors: [{ certificate: base64(timeRoot) }] });
const stampedAt = (at: string) => ({
  trust: anchored,
  companions: [`base64:${base64(stamp(signedBytes(head), at))}`],
});
// No list of revocations is given, and every answer says so.
const UNCHECKED = 'pki/token-status-unchecked';
road('keeps: a head that was stamped soon', HEAD, stampedAt('2026-11-30T12:00:03Z'), 0, 'head', UNCHECKED);
road(
  'breaks: a head that is younger than its token',
  HEAD,
  stampedAt('2026-11-30T09:00:00Z'),
  1,
  'head',
  'evidence/stamp-contradicts-head',
  UNCHECKED,
);
road(
  'breaks: a head that was stamped long after',
  HEAD,
  stampedAt('2026-11-30T15:00:00Z'),
  0,
  'head',
  'evidence/stamp-late',
  UNCHECKED,
);

// Absence, and the journal beside it.

const absent = (set: KeySetDefinition, name: string) =>
  text(absenceShape, must(proveAbsent(of, set, name, must(signKeySetHead(of, set, key, SIGNED)))));
const besides = { companions: [EXPORT] };
const c2 = absent(TOOL_USE_KEYS, 'tooluse:c2');
road('keeps: a key that the journal does not hold either', c2, besides, 0, 'absence');
road(
  'breaks: a set that leaves a key of the journal out',
  absent({ ...TOOL_USE_KEYS, project: () => [] }, 'tooluse:c1'),
  besides,
  1,
  'absence',
  'evidence/projection',
);
road(
  'breaks: a key of a set that nobody knows',
  c2.replaceAll('tooluse:', 'x:'),
  {},
  4,
  'absence',
  'claim/undecided',
  'evidence/unknown-key-set',
);

// Delegation: the leaves of both grants, each in its own run.

const [alice, agent] = [await testKey('ed25519', 3), await testKey('ed25519', 4)];
const grantOf = (change: Partial<Grant>): Grant => ({
  id: 'g',
  issuer: 'alice',
  subject: 'agent',
  scope: new Map([['limit', '100']]),
  not_after_unix: 0n,
  parent_ref: '',
  ...change,
});
const above = signGrant(grantOf({}), alice);
const below = signGrant(
  grantOf({
    issuer: 'agent',
    subject: 'helper',
    scope: new Map([['limit', '10']]),
    parent_ref: grantDigest(above.grant),
  }),
  agent,
);
function leaf(run: string, grant: SignedGrant): string {
  const record = `{"name":"${grantRecordName(grant.grant)}","kind":"value","result":${decodeUtf8(grantResult(grant))}}`;
  const tree = journal([STORED[0] as string, salted(record, 9)], run);
  return text(proofShape, must(proveRecord(tree, 1, headOf(tree))));
}
function delegated(name: string, run: string, sub_agent: string, verdict: string, ...codes: string[]): void {
  const issuers = { alice: formatPublicKey(alice.publicKey), agent: formatPublicKey(agent.publicKey) };
  const params = { parent: leaf('r', above), child: leaf(run, below), call: 'c1', sub_agent, issuers, key: KEY };
  const answer = { delegation: verdict, codes };
  cases.push({ name: `delegation, ${name}`, op: 'evidence/verify-delegation', params, answer });
}
delegated('keeps: the grant of the sub-run of that call', 'r>c1', 'helper', 'verified');
delegated('breaks: the sub-run of another call', 'r>c2', 'helper', 'failed', 'evidence/delegation');
delegated('breaks: a grant for another sub-agent', 'r>c1', 'somebody', 'failed', 'evidence/delegation');

// Packages that disclose a gate.

const gates = await TallyScene.make();
const GATE_OF: Gate = { approvals: ['alice', 'bob'], denials: [], need: 2, approvers: ['alice', 'bob'] };
function gate(name: string, change: Partial<Gate>, status: number, ...codes: string[]): void {
  const made = { ...GATE_OF, ...change };
  const trusted = JSON.stringify({ format: 'audit.trust.v1', ...gates.trust(made) });
  road(name, text(packageShape, gates.evidence(made)), { trust: trusted }, status, 'package', ...codes);
}
gate('keeps: a gate that two approved', {}, 0);
gate('breaks: a gate that was denied', { approvals: ['alice'], denials: ['bob'] }, 0, 'evidence/approval-not-passed');
gate('keeps: a call that is asked for again alike', { askedAgain: '{ "amount": 1 }' }, 0);
gate(
  'breaks: a call that is asked for again with other arguments',
  { askedAgain: '{"amount":2}' },
  1,
  'evidence/approval-calls-differ',
);
gate('breaks: the result is left out', { leaveOut: 'tool' }, 1, 'approval/result-missing', 'evidence/approval-missing');
gate(
  'breaks: the decisions are under another head',
  { otherHeadFor: 'approval' },
  1,
  'approval/count-differs',
  'approval/decision-omitted',
  'approval/ran-without-approval',
  'evidence/approval-ignored',
  'evidence/other-tree',
);

// What the verbs are given.

const PUBKEY = `-pubkey ${KEY}`;
verb('keeps: a proof under a key', `verify -bundle p.json ${PUBKEY}`, { 'p.json': PROOF }, 0);
verb('breaks: a key that is none', 'verify -bundle p.json -pubkey k', { 'p.json': PROOF }, 4, 'evidence/key-unusable');
verb(
  'breaks: a file larger than is allowed',
  `verify -bundle p.json -max-input-bytes 99 ${PUBKEY}`,
  { 'p.json': PROOF },
  4,
  'input/too-large',
);
const given = { 'j.json': EXPORT, 'sth.json': HEAD };
verb('keeps: a proof that is written', 'prove -journal j.json -sth sth.json -index 1 -out p.json', given, 0);
verb(
  'breaks: a file that cannot be written',
  'prove -journal j.json -sth sth.json -index 1 -out /nowhere/p.json',
  given,
  3,
  'evidence/not-written',
);
const certificate = must(produceRunCertificate(of, head, new Set(), key, SIGNED));
const list = { 'c.json': text(runCertificateShape, certificate), 'list.txt': `# none\n${hex(new Uint8Array(32))}\n` };
verb('keeps: a list of policies', `verify-run -cert c.json -approved-file list.txt ${PUBKEY}`, list, 0);
verb(
  'breaks: a list of policies that is no text',
  `verify-run -cert c.json -approved-file list.txt ${PUBKEY}`,
  { ...list, 'list.txt': 'base64:/w==' },
  4,
  'evidence/allowlist-unreadable',
);

const running = (ended: boolean) => {
  const leafOf = of.tree.leaf(2);
  const tombstone = decodeUtf8(encodeTombstone({ leafHash: leafOf, atMs: 1n })) as string;
  const records = [...STORED.slice(0, 2), tombstone, ...(ended ? STORED.slice(3) : [])];
  const tree = ended ? of : journal(STORED.slice(0, 3));
  return {
    'j.json': decodeUtf8(encodeExport('r', stored(records))) as string,
    'sth.json': text(headShape, headOf(tree)),
  };
};
const line = `verify-journal -journal j.json -sth sth.json ${PUBKEY}`;
verb('keeps: a redacted record of a run that ended', line, running(true), 0);
verb('breaks: a redacted record of a run that goes on', line, running(false), 0, 'evidence/redacted-running');

// Notification trails.

const gateTold = told(GATE, 0, 'approval_pending');
const records = JSON.stringify(trail(gateTold));
const knows = JSON.stringify(trail(gateTold, { journal: { events: [fact(GATE, 'approval_pending', 0)] } }));
const other = JSON.stringify({ complete: true, events: [fact(GATE, 'approval_pending', 0)] });
const NOTIFY = 'notifications -trail t.json';
verb('keeps: records that are taken as given', `${NOTIFY} -unbound`, { 't.json': records }, 0);
verb('breaks: records that nothing binds', NOTIFY, { 't.json': records }, 3, 'evidence/trail-unbound');
verb(
  'breaks: a trail of nothing',
  `${NOTIFY} -unbound`,
  { 't.json': JSON.stringify(trail([])) },
  1,
  'evidence/nothing-to-check',
);
verb('keeps: a trail with the events of its run', `${NOTIFY} -unbound`, { 't.json': knows }, 0);
verb(
  'breaks: other events beside it',
  `${NOTIFY} -unbound -journal j.json`,
  { 't.json': knows, 'j.json': other },
  4,
  'evidence/given-twice',
);

writeCases(
  'evidence/road.json',
  'Artifacts of the audit layer through the whole road, and through the verbs of bide-audit: the status and the codes that are reported.',
  cases,
);
