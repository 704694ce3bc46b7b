/**
 * Writes vectors/verify/road.json: inputs through the whole road, for what only the road, a trust file or files beside the input can show
 * (C2SP notes, checkpoints, policies and proof files; disclosures; links; expectations; inputs of no kind). The answers stand here, written by
 * hand: status, kind and codes. The library is only asked to sign and to prove.
 */
import { base64, decodeUtf8, hex, utf8 } from '../src/bytes/encoding.ts';
import { memorySource } from '../src/bytes/source.ts';
import { formatPublicKey } from '../src/crypto/keys.ts';
import { sha256 } from '../src/crypto/sha256.ts';
import { encodeExport } from '../src/journal/export.ts';
import { storedLeafHash } from '../src/journal/leaf.ts';
import { encode } from '../src/json/shape.ts';
import { anchorEntry, anchorLeafData, writeAnchorReceipt } from '../src/log/anchor.ts';
import { checkpointText } from '../src/log/checkpoint.ts';
import { headShape, signHead } from '../src/log/head.ts';
import { cosign, signNote } from '../src/log/note.ts';
import { ED25519_COSIGNATURE, ed25519Signer, formatVerifierKey } from '../src/log/noteKey.ts';
import { writeSessionDisclosure } from '../src/log/sessionDisclosure.ts';
import {
  contentOf,
  headerIdent,
  type SessionContent,
  sessionHeadShape,
  sessionTree,
  signSessionHead,
} from '../src/log/sessionHead.ts';
import { writeTlogProof } from '../src/log/tlogProof.ts';
import { RootBuilder } from '../src/merkle/root.ts';
import { MerkleTree } from '../src/merkle/tree.ts';
import { readSession } from '../src/session/read.ts';
import type { Session } from '../src/session/session.ts';
import { parseInstant } from '../src/time/instant.ts';
import { testKey } from '../test/log/keys.ts';
import { certificate, key as seedKey } from '../test/pki/forge.ts';
import { Draft, functionCall, hash, message } from '../test/session/draft.ts';
import { paid } from './approval-scenes.ts';
import { writeCases } from './place.ts';

const TIME = '2026-11-30T12:00:00Z';
const AT = parseInstant(TIME) as bigint;
const SECONDS = AT / 1_000_000_000n;
const [key, witnessKey] = [await testKey('ed25519', 1), await testKey('ed25519', 2)];
const text = (bytes: Uint8Array): string => decodeUtf8(bytes) ?? '';
const logKey = { name: 'log', roles: ['log'], key: formatPublicKey(key.publicKey) };
const trust = (sections: object = {}, keys: readonly object[] = [logKey]): string =>
  JSON.stringify({ format: 'audit.trust.v1', keys, ...sections });

interface Given {
  readonly trust?: readonly string[];
  readonly heads?: readonly string[];
  readonly companions?: readonly string[];
  readonly media?: { readonly [name: string]: string };
  readonly require?: readonly string[];
  readonly expect_ids?: readonly string[];
  readonly expect_leaf?: string;
  readonly at?: string;
}
const cases: object[] = [];
function road(
  name: string,
  file: string | Uint8Array | null,
  given: Given,
  status: number,
  kind: string | null,
  ...codes: string[]
): void {
  const input = file === null ? {} : typeof file === 'string' ? { file } : { file_b64: base64(file) };
  const { at = TIME, ...more } = given;
  const params = { ...input, ...more, ...(at === '' ? {} : { at }) };
  cases.push({ name, op: 'audit/codes', params, answer: { status, kind, codes: codes.toSorted() } });
}

// Inputs.

road('breaks: a file that cannot be read', null, {}, 4, null, 'input/unreadable');
road('breaks: a file of no known kind', 'hello\n', {}, 4, null, 'input/unknown-kind');
road('breaks: a database', 'SQLite format 3\0', {}, 4, null, 'input/database');

// Sessions, and what only files or options beside them show.

const draft = new Draft();
draft.add('info', { name: 'a session' });
const leaf = draft.item({ type: 'message', role: 'user', content: [{ type: 'input_text', text: 'hello' }] });
const session = draft.text();
road('keeps: a session', session, { expect_ids: [leaf], expect_leaf: leaf }, 0, 'session');
const elsewhere = `sha256:${'0'.repeat(64)}`;
road(
  'breaks: an entry that is expected is not there',
  session,
  { expect_ids: [elsewhere] },
  1,
  'session',
  'session/expected-id-missing',
);
road(
  'breaks: another leaf is expected',
  session,
  { expect_leaf: draft.entries[0]?.id ?? '' },
  1,
  'session',
  'session/expected-leaf',
);
road(
  'breaks: a claim is required that nothing decides',
  session,
  { require: ['integrity', 'completeness'] },
  3,
  'session',
  'claim/undecided',
);
const bent = session.replace('hello', 'hallo');
road(
  'breaks: a line was changed',
  bent,
  {},
  1,
  'session',
  'claim/undecided',
  'session/id-mismatch',
  'session/not-checked',
);

const underHead = contentOf(readSession(memorySource(utf8(session))).session as Session) as SessionContent;
const sessionHead = (id: string) =>
  text(encode(sessionHeadShape, signSessionHead({ ...underHead, session: id }, AT - 9n, key)));
road(
  'keeps: a session under its head',
  session,
  { trust: [trust()], heads: [sessionHead(underHead.session)] },
  0,
  'session',
);
road(
  'breaks: the head of another session',
  session,
  { trust: [trust()], heads: [sessionHead('another')] },
  3,
  'session',
  'session/head-elsewhere',
);

const linked = new Draft({ id: 'parent' });
linked.item(functionCall('c1'));
linked.add('link', { rel: 'subsession', session: 'child', call_id: 'c1' });
const child = (spawned_by: string): string => new Draft({ id: 'child', parent_session: 'parent', spawned_by }).text();
road(
  'keeps: a child session that names this one and its call',
  linked.text(),
  { companions: [child('c1')] },
  0,
  'session',
);
road(
  'breaks: a child session that names another call',
  linked.text(),
  { companions: [child('c2')] },
  1,
  'session',
  'session/link-mismatch',
);

const picture = 'a picture';
const named = hash(picture);
const pictured = new Draft({ media: 'sidecar' });
pictured.item(message('what is this?', `sidecar:${named}`));
const beside = { require: ['integrity', 'media'] };
const fileName = named.slice('sha256:'.length);
road(
  'keeps: a media file that the session names',
  pictured.text(),
  { ...beside, media: { [fileName]: picture } },
  0,
  'session',
);
road(
  'keeps: a media file under another name',
  pictured.text(),
  { ...beside, media: { 'picture.png': picture } },
  0,
  'session',
);
road(
  'breaks: a media file that was altered',
  pictured.text(),
  { media: { [fileName]: 'another picture' } },
  1,
  'session',
  'session/blob-mismatch',
);
road('breaks: a media file that is not given', pictured.text(), beside, 3, 'session', 'claim/undecided');
const continued = new Draft();
continued.add('link', { rel: 'continued_in', session: 's-2' });
road('keeps: a session that is continued once', continued.text(), {}, 0, 'session');
continued.add('link', { rel: 'continued_in', session: 's-3' });
road('breaks: a session that is continued twice', continued.text(), {}, 0, 'session', 'session/superseded');

// Heads and anchors.

const leaves = Array.from({ length: 9 }, (_, i) => utf8(`entry ${i}\n`));
const tree = MerkleTree.ofLeaves(leaves);
const head = (size: number, run = 'r') =>
  signHead({ kind: 'journal', run_id: run, size, root: tree.root(size), timestamp_nanos: AT - 9n }, key);
const headText = text(encode(headShape, head(7)));
const entries = [head(3), head(7)].map((one, seq) => anchorEntry(seq, one));
const anchor = MerkleTree.ofLeaves(entries.map(anchorLeafData));
const receipt = text(writeAnchorReceipt(entries[1] as (typeof entries)[0], anchor.inclusion(1)));
const root = {
  name: 'anchor',
  size: 2,
  root: base64(anchor.root()),
  published: '2026-11-30T12:00:05Z',
  accuracy_ms: 500,
};
const seen = trust({ anchor_logs: [root] });
road('keeps: a head that an anchored root dates', headText, { trust: [seen], companions: [receipt] }, 0, 'head');
road(
  'breaks: an anchored root that nobody saw',
  headText,
  { trust: [trust()], companions: [receipt] },
  1,
  'head',
  'log/receipt-no-root',
);
road(
  'breaks: a section of the trust file that does not read',
  headText,
  { trust: [trust({ anchor_logs: [{ ...root, size: -1 }] })], companions: [receipt] },
  1,
  'head',
  'log/receipt-no-root',
  'log/trust-section',
);

// Journals under heads.

const { run, records } = paid().journal();
const stored = records.map(({ bytes }) => bytes);
const whole = new RootBuilder();
for (const record of records) whole.append(storedLeafHash(record));
const over = text(
  encode(
    headShape,
    signHead({ kind: 'journal', run_id: run, size: records.length, root: whole.root(), timestamp_nanos: AT - 9n }, key),
  ),
);
const completely = { trust: [trust()], heads: [over], require: ['integrity', 'completeness'] };
road('keeps: a journal that is all under its head', text(encodeExport(run, stored)), completely, 0, 'journal');
road(
  'breaks: a journal whose last record was taken away',
  text(encodeExport(run, stored.slice(0, -1))),
  completely,
  1,
  'journal',
  'journal/not-under-head',
);

road(
  'breaks: an id is expected of a kind that has none',
  text(encodeExport(run, stored)),
  { ...completely, expect_ids: ['x'] },
  3,
  'journal',
  'input/expectation-unchecked',
);

// Notes, checkpoints, policies (interop 1).

const LOG = 'log.example/audit';
const log = ed25519Signer(LOG, key);
const witness = ed25519Signer('witness.example/w', witnessKey, ED25519_COSIGNATURE);
const POLICY = `log ${formatVerifierKey(log)}\nwitness W ${formatVerifierKey(witness)}\nquorum W\n`;
const policy = (value: string): string => trust({ witness_policies: [{ name: 'main', policy: value }] });
const note = (size = 9) => signNote(checkpointText(LOG, size, tree.root(size)), log);
function cosigned(time: bigint): Uint8Array {
  const made = cosign(note(), witness, time);
  if (!made.ok) throw new Error(made.fault.message);
  return made.value;
}
const good = text(cosigned(SECONDS));
const main = { trust: [policy(POLICY)] };
road('keeps: a checkpoint with its quorum', good, main, 0, 'checkpoint');
road(
  'breaks: a checkpoint of a log that nobody trusts',
  text(note()),
  {},
  3,
  'checkpoint',
  'claim/undecided',
  'log/no-log-signature',
);
road('breaks: a checkpoint without the quorum', text(note()), main, 3, 'checkpoint', 'claim/undecided', 'log/quorum');
road(
  'breaks: a cosignature from after the instant',
  text(cosigned(SECONDS + 301n)),
  main,
  3,
  'checkpoint',
  'claim/undecided',
  'log/quorum-late',
);
road(
  'breaks: a checkpoint whose size was changed',
  good.replace('\n9\n', '\n8\n'),
  main,
  1,
  'checkpoint',
  'log/cosignature',
  'log/note-signature',
);
road(
  'breaks: a size with a leading zero',
  good.replace('\n9\n', '\n09\n'),
  main,
  4,
  'checkpoint',
  'claim/undecided',
  'log/checkpoint-malformed',
);
road(
  'breaks: a note without its final line feed',
  good.trimEnd(),
  main,
  4,
  'checkpoint',
  'claim/undecided',
  'log/note-malformed',
);
road(
  'breaks: an empty tree with another root',
  text(signNote(checkpointText(LOG, 0, tree.root(9)), log)),
  { trust: [trust()] },
  1,
  'checkpoint',
  'log/checkpoint-empty-root',
);
road(
  'breaks: a policy whose quorum is not defined',
  text(note()),
  { trust: [policy(POLICY.replace('quorum W', 'quorum X'))] },
  4,
  'checkpoint',
  'log/policy-malformed',
);
road(
  'breaks: a policy with a key of another id',
  text(note()),
  { trust: [policy(POLICY.replace(log.id, '00000000'))] },
  4,
  'checkpoint',
  'log/vkey',
);
const self = ed25519Signer('self.example', key, ED25519_COSIGNATURE);
road(
  'breaks: a log that is its own witness',
  text(note()),
  { trust: [policy(`log ${formatVerifierKey(log)}\nwitness S ${formatVerifierKey(self)}\nquorum none\n`)] },
  0,
  'checkpoint',
  'log/self-witness',
);

const proof = (index: number) =>
  text(
    writeTlogProof({
      index: BigInt(index),
      path: tree.inclusion(index).path as readonly Uint8Array[],
      note: cosigned(SECONDS),
    }),
  );
road('keeps: a proof file with its entry', proof(4), { ...main, companions: ['entry 4\n'] }, 0, 'tlog-proof');
road(
  'breaks: a proof file beside another entry',
  proof(4),
  { ...main, companions: ['entry 5\n'] },
  1,
  'tlog-proof',
  'log/tlog-proof-inclusion',
);
road(
  'breaks: a proof file whose index does not read',
  'c2sp.org/tlog-proof@v1\nindex 01\n',
  main,
  4,
  'tlog-proof',
  'claim/undecided',
  'log/tlog-proof-malformed',
);

// Disclosures of sessions (session-heads).

const HEADER = utf8(
  '{"created_at":"2026-11-01T09:00:00Z","format":"agentsession/0.14","id":"s-1","payload":"openresponses/2026-04-24","type":"session"}',
);
const entry = (n: number) => {
  const content = `sha256:${hex(sha256(utf8(`{"n":${n}}`)))}`;
  const id = `sha256:${hex(sha256(utf8(`{"content":"${content}","parent":null,"ts":null,"type":"x"}`)))}`;
  return { id, line: utf8(`{"type":"x","n":${n},"id":"${id}"}`) };
};
const own = Array.from({ length: 5 }, (_, n) => entry(n));
const content = {
  session: 's-1',
  ident: headerIdent(HEADER) as Uint8Array,
  declared: 'agentsession/0.14',
  entries: own.length,
  id: (n: number) => (own[n] as (typeof own)[0]).id,
};
const signed = signSessionHead(content, 1_000n, key);
const shown = [1, 3].map((n) => ({ leaf: n + 1, line: (own[n] as (typeof own)[0]).line }));
interface Disclosure {
  readonly entries: readonly { readonly leaf: number; readonly line: string }[];
}
const disclosure = text(writeSessionDisclosure(signed, sessionTree(content), shown, HEADER) as Uint8Array);
const disclosed = (change: (file: Disclosure) => object): string => {
  const file = JSON.parse(disclosure) as Disclosure;
  return JSON.stringify({ ...file, ...change(file) });
};
road('keeps: two entries under a signed head', disclosure, { trust: [trust()] }, 0, 'session-disclosure');
road(
  'breaks: entries out of order',
  disclosed(({ entries: all }) => ({ entries: all.toReversed() })),
  { trust: [trust()] },
  1,
  'session-disclosure',
  'log/disclosure-order',
);
road(
  'breaks: an entry at another leaf',
  disclosed(({ entries: [one, two] }) => ({ entries: [{ ...one, leaf: 3 }, two] })),
  { trust: [trust()] },
  1,
  'session-disclosure',
  'log/disclosure-inclusion',
);
road(
  'breaks: a line that is no entry',
  disclosed(({ entries: [one] }) => ({ entries: [{ ...one, line: base64(utf8('{}')) }] })),
  { trust: [trust()] },
  1,
  'session-disclosure',
  'log/disclosure-entry',
);

// Certificates.

const me = seedKey('me');
road(
  'breaks: a certificate that is judged at no instant',
  certificate({ subject: 'CN=Me', issuer: 'CN=Me', key: me, issuerKey: me }),
  { at: '' },
  3,
  'certificate',
  'claim/undecided',
  'pki/no-instant',
  'pki/no-path',
);

writeCases(
  'verify/road.json',
  'Inputs through the whole road under a trust file and files beside them: exit status, kind, and the codes that are reported, claim/undecided where a required claim is.',
  cases,
);
