/**
 * Writes vectors/merkle/rules.json and vectors/log/rules.json: for each rule of trees, proofs, heads, anchors, session heads and of the two
 * files about two statements, a case that keeps it and one that breaks only it. The answers stand here, written by hand; the library is
 * only asked to sign and to prove.
 */
import type { Case, Json } from '../conformance/suite.ts';
import { base64, decodeUtf8, hex, u32, utf8 } from '../src/bytes/encoding.ts';
import { formatPublicKey, importPrivateKey, isUnusable } from '../src/crypto/keys.ts';
import { sha256 } from '../src/crypto/sha256.ts';
import type { PrivateKey } from '../src/crypto/signature.ts';
import { encode } from '../src/json/shape.ts';
import { anchorEntry, anchorEntryShape, anchorLeafData, writeAnchorReceipt } from '../src/log/anchor.ts';
import { checkpointText } from '../src/log/checkpoint.ts';
import { writeConsistency } from '../src/log/consistency.ts';
import { type Divergence, findDivergence, writeEquivocation } from '../src/log/equivocation.ts';
import { type HeadContent, headHash, headShape, signHead, type TreeHead } from '../src/log/head.ts';
import { signNote } from '../src/log/note.ts';
import { ed25519Signer, formatVerifierKey } from '../src/log/noteKey.ts';
import { type SessionContent, sessionHeadShape, signSessionHead } from '../src/log/sessionHead.ts';
import { KeySet } from '../src/merkle/keySet.ts';
import { MerkleTree } from '../src/merkle/tree.ts';
import { writeCases } from './place.ts';

interface Row {
  readonly name: string;
  readonly op: string;
  readonly params: Case['params'];
  readonly answer: Json;
}

async function keyOf(fill: number): Promise<PrivateKey> {
  const key = await importPrivateKey('ed25519', new Uint8Array(32).fill(fill));
  if (isUnusable(key)) throw new Error(key.unusable);
  return key;
}
const [key, stranger] = [await keyOf(1), await keyOf(2)];
const KEY = formatPublicKey(key.publicKey);
const text = (bytes: Uint8Array | undefined): string => decodeUtf8(bytes ?? new Uint8Array()) as string;
const hexes = (path: readonly (Uint8Array | null)[] | null) => (path ?? []).map((hash) => hex(hash as Uint8Array));

const leaves = Array.from({ length: 9 }, (_, i) => u32(i));
const tree = MerkleTree.ofLeaves(leaves);
const forked = MerkleTree.ofLeaves(leaves.map((leaf, i) => (i === 3 ? utf8('other') : leaf)));

// Trees, proofs, sets of keys.

const merkle: Row[] = [];
const inclusion = (name: string, answer: Json, change: { readonly [name: string]: Json } = {}) =>
  merkle.push({
    name,
    op: 'merkle/verify-inclusion',
    params: {
      root: hex(tree.root()),
      leaf_hash: hex(tree.leaf(5)),
      index: 5,
      size: 9,
      path: hexes(tree.inclusion(5).path),
      ...change,
    },
    answer,
  });
inclusion('keeps: a leaf under its root', null);
inclusion('breaks: an index that is the size', 'range', { index: 9 });
inclusion('breaks: an index below zero', 'range', { index: -1 });
inclusion('breaks: a tree without leaves', 'range', { index: 0, size: 0 });
inclusion('breaks: a hash of 31 bytes in the path', 'hash-length', {
  path: hexes(tree.inclusion(5).path).map((hash, i) => (i === 0 ? hash.slice(2) : hash)),
});
inclusion('breaks: a root of 31 bytes', 'hash-length', { root: hex(tree.root()).slice(2) });
inclusion('breaks: one hash too few', 'path-length', { path: hexes(tree.inclusion(5).path).slice(1) });
inclusion('breaks: one hash too many', 'path-length', { path: [...hexes(tree.inclusion(5).path), hex(tree.root())] });
inclusion('breaks: another leaf', 'root', { leaf_hash: hex(tree.leaf(4)) });
inclusion('breaks: another index with the same number of hashes', 'root', { index: 4 });
inclusion('keeps: the only leaf, without a path', null, {
  root: hex(tree.root(1)),
  leaf_hash: hex(tree.leaf(0)),
  index: 0,
  size: 1,
  path: null,
});
const growth = (
  name: string,
  answer: Json,
  change: { readonly [name: string]: Json } = {},
  op = 'merkle/verify-growth',
) =>
  merkle.push({
    name,
    op,
    params: {
      first: 6,
      size: 9,
      path: hexes(tree.consistency(6).path),
      root1: hex(tree.root(6)),
      root2: hex(tree.root()),
      ...change,
    },
    answer,
  });
growth('keeps: the first six of nine', null);
growth('keeps: one size, one root, no path', null, { first: 9, path: [], root1: hex(tree.root()) });
growth('breaks: one size and two roots', 'root', { first: 9, path: [], root1: hex(forked.root()) });
growth('breaks: one size and a path', 'path-length', { first: 9, root1: hex(tree.root()) });
growth('breaks: the earlier size is the greater', 'range', { first: 10 });
growth('breaks: no path between two sizes', 'path-length', { path: [] });
growth('breaks: a path from another earlier root', 'earlier-root', { root1: hex(forked.root(6)) });
growth('breaks: a path to another root', 'root', { root2: hex(forked.root()) });
growth('breaks: from nothing, for one who relies on it', 'from-nothing', { first: 0, path: [] });
growth(
  'keeps: from nothing, as the audit specification has it',
  null,
  { first: 0, path: [] },
  'merkle/verify-consistency',
);
growth('breaks: from nothing with a path', 'path-length', { first: 0 }, 'merkle/verify-consistency');

const keys = ['tooluse:b', 'tooluse:d', 'tooluse:f'];
const set = new KeySet(keys);
const shown = (key: string) => {
  const proof = set.inclusion(key);
  return { key, index: proof?.index ?? 0, size: proof?.size ?? 0, path: hexes(proof?.path ?? null) };
};
const absent = (name: string, answer: Json, change: { readonly [name: string]: Json } = {}) =>
  merkle.push({
    name,
    op: 'merkle/verify-absence',
    params: {
      root: hex(set.root()),
      key: 'tooluse:c',
      size: 3,
      left: shown('tooluse:b'),
      right: shown('tooluse:d'),
      ...change,
    },
    answer,
  });
absent('keeps: a key between two neighbours', null);
absent('keeps: a key before the first', null, { key: 'tooluse:a', left: null, right: shown('tooluse:b') });
absent('keeps: a key after the last', null, { key: 'tooluse:g', left: shown('tooluse:f'), right: null });
absent('breaks: neighbours that are not adjacent', 'not-adjacent', { right: shown('tooluse:f') });
absent('breaks: the right neighbour alone, not the first', 'right: not-at-end', { left: null });
absent('breaks: the left neighbour alone, not the last', 'left: not-at-end', { right: null });
absent('breaks: no neighbour in a set with keys', 'no-neighbour', { left: null, right: null });
absent('breaks: the key itself as its left neighbour', 'left: order', { key: 'tooluse:b' });
absent('breaks: a right neighbour below the key', 'right: order', { key: 'tooluse:e' });
absent('breaks: a neighbour of another size', 'left: neighbour-size', { size: 4 });
absent('breaks: a neighbour that is not in the set', 'left: root', {
  left: { ...shown('tooluse:b'), key: 'tooluse:ba' },
});
absent('keeps: anything, in an empty set', null, { root: hex(tree.root(0)), size: 0, left: null, right: null });
absent('breaks: a neighbour in an empty set', 'left: neighbour-in-empty-set', {
  root: hex(tree.root(0)),
  size: 0,
  right: null,
});
absent('breaks: an empty set with a root', 'root', { size: 0, left: null, right: null });

// Heads.

const log: Row[] = [];
const content: HeadContent = {
  kind: 'journal',
  run_id: 'run>1',
  size: 7,
  root: tree.root(7),
  timestamp_nanos: 1_767_225_607_123_456_789n,
};
const head = (more: Partial<HeadContent> = {}, by = key) => signHead({ ...content, ...more }, by);
const json = (...given: Parameters<typeof head>) => text(encode(headShape, head(...given)));
const verified = (name: string, codes: readonly string[], file: string) =>
  log.push({ name, op: 'log/verify-head', params: { head: file, key: KEY }, answer: codes });
verified('keeps: a head under its key', [], json());
verified('keeps: white space between members', [], json().replaceAll(',"', ' ,\n"'));
verified('breaks: a head of another key', ['log/head-signature'], json({}, stranger));
verified('breaks: a changed size', ['log/head-signature'], json().replace('"size":7', '"size":8'));
verified('breaks: another scheme', ['log/head-scheme'], json().replace('"alg":"ed25519"', '"alg":"ml-dsa-65"'));
verified('breaks: another version', ['log/format'], json().replace('sth.v5', 'sth.v4'));
verified(
  'breaks: a kind that there is not',
  ['log/head-malformed'],
  json().replace('"kind":"journal"', '"kind":"ledger"'),
);
verified('breaks: a member that is not known', ['log/malformed'], json().replace('"size":7', '"size":7,"Size":7'));
verified('breaks: a member that stands twice', ['log/malformed'], json().replace('"size":7', '"size":7,"size":7'));
verified('breaks: a size in other spelling', ['log/malformed'], json().replace('"size":7', '"size":7.0'));
verified('breaks: a root in another alphabet', ['log/malformed'], json().replace(/"root":"[^"]*"/, '"root":"_w=="'));

const NOW = content.timestamp_nanos;
const timed = (name: string, codes: readonly string[], time: bigint, now = NOW) =>
  log.push({
    name,
    op: 'log/head-time',
    params: {
      head: json().replace(/"timestamp_nanos":\d+/, `"timestamp_nanos":${time}`),
      now: String(now),
      skew: '300000000000',
    },
    answer: codes,
  });
timed('keeps: stamped at the end of the allowance', [], NOW + 300_000_000_000n);
timed('breaks: stamped one nanosecond later', ['log/head-future'], NOW + 300_000_000_001n);
timed('keeps: stamped one nanosecond after 1970', [], 1n);
timed('breaks: stamped at zero', ['log/head-time'], 0n);
timed('breaks: stamped before 1970', ['log/head-time'], -1n);

const ring = (name: string, answer: Json, time: bigint, by = key) =>
  log.push({
    name,
    op: 'log/authenticate-head',
    params: {
      head: json({ timestamp_nanos: time }, by),
      keys: [
        { name: 'old', key: KEY, to: '100' },
        { name: 'new', key: formatPublicKey(stranger.publicKey), from: '101', to: '200' },
      ],
    },
    answer,
  });
ring('keeps: the old key at the end of its time', { by: 'old' }, 100n);
ring('breaks: the old key after its time', { findings: ['log/head-signature'] }, 101n);
ring('keeps: the new key in its time', { by: 'new' }, 101n, stranger);
ring('breaks: the new key before its time', { findings: ['log/head-signature'] }, 100n, stranger);
ring('breaks: a time that no key covers', { findings: ['log/head-no-key'] }, 201n, stranger);

const compared = (name: string, codes: readonly string[], heads: readonly string[], proofs: Json = []) =>
  log.push({ name, op: 'log/compare-heads', params: { heads, proofs, tolerance: '10' }, answer: codes });
const sized = (size: number, time: bigint, of = tree) => json({ size, root: of.root(size), timestamp_nanos: time });
const proof = { first: 3, size: 7, path: hexes(tree.consistency(3, 7).path) };
compared('keeps: two sizes with a proof between them', [], [sized(7, 200n), sized(3, 100n)], [proof]);
compared('keeps: one size and one root at two times', [], [sized(7, 200n), sized(7, 900n)]);
compared('breaks: one size and two roots', ['log/fork'], [sized(7, 200n), sized(7, 200n, forked)]);
compared('breaks: two sizes with nothing between them', ['log/unproven-pair'], [sized(7, 200n), sized(3, 100n)]);
compared(
  'breaks: two sizes with a proof that does not hold',
  ['log/inconsistent'],
  [sized(7, 200n, forked), sized(3, 100n)],
  [proof],
);
compared('keeps: a bigger head earlier by the tolerance', [], [sized(7, 190n), sized(3, 200n)], [proof]);
compared(
  'breaks: a bigger head earlier by more',
  ['log/time-contradiction'],
  [sized(7, 189n), sized(3, 200n)],
  [proof],
);

// Anchors.

const entries = [3, 7].map((size, seq) => anchorEntry(seq, head({ size, root: tree.root(size) })));
const anchors = MerkleTree.ofLeaves(entries.map(anchorLeafData));
const anchored = (
  name: string,
  codes: readonly string[],
  change: (entry: string) => string = (entry) => entry,
  index = 1,
) =>
  log.push({
    name,
    op: 'log/verify-anchor-entry',
    params: {
      entry: change(text(encode(anchorEntryShape, entries[1] as (typeof entries)[0]))),
      index,
      size: 2,
      path_b64: (anchors.inclusion(index).path ?? []).map((hash) => base64(hash as Uint8Array)),
      root_b64: base64(anchors.root()),
    },
    answer: codes,
  });
anchored('keeps: an entry in the anchor log', []);
anchored('breaks: an entry proven at another position', ['log/anchor-position', 'log/anchor-inclusion'], undefined, 0);
anchored('breaks: an entry for another run', ['log/anchor-run', 'log/anchor-inclusion'], (entry) =>
  entry.replace('"run_id":"run\\u003e1"', '"run_id":"other"'),
);
anchored('breaks: an entry of another version', ['log/format'], (entry) =>
  entry.replace('anchor-entry.v1', 'anchor-entry.v2'),
);
anchored('breaks: an entry without its head', ['log/head-format'], (entry) =>
  JSON.stringify({ ...(JSON.parse(entry) as object), sth: null }),
);
anchored('breaks: an entry that is not in the log', ['log/anchor-inclusion'], (entry) =>
  entry.replace('"alg":"ed25519"', '"alg":"x"'),
);

// Session heads.

const session = (ids: readonly string[], more: Partial<SessionContent> = {}): SessionContent => ({
  session: 's-1',
  ident: new Uint8Array(sha256(utf8('header'))),
  declared: 'agentsession/0.14',
  entries: ids.length,
  id: (entry) => ids[entry] as string,
  ...more,
});
const ids = ['a', 'b', 'c'].map((name) => `sha256:${hex(sha256(utf8(name)))}`);
const sessionHead = text(encode(sessionHeadShape, signSessionHead(session(ids), 1_000n, key)));
const bound = (name: string, answer: Json, list: readonly string[], more: { readonly [name: string]: Json } = {}) =>
  log.push({
    name,
    op: 'log/bind-session',
    params: {
      head: sessionHead,
      key: KEY,
      session: 's-1',
      ident: hex(sha256(utf8('header'))),
      declared: 'agentsession/0.14',
      ids: list,
      ...more,
    },
    answer,
  });
const [a, b, c] = ids as [string, string, string];
bound('keeps: a session under its head', { findings: [], unattested: 0 }, ids);
bound('keeps: a session that grew', { findings: [], unattested: 1 }, [...ids, a]);
bound('breaks: an entry removed from the end', { findings: ['log/session-truncated'], unattested: 0 }, [a, b]);
bound('breaks: an entry replaced', { findings: ['log/session-history'], unattested: 0 }, [a, a, c]);
bound('breaks: two entries in another order', { findings: ['log/session-history'], unattested: 0 }, [b, a, c]);
bound('breaks: another header', { findings: ['log/session-other'], unattested: 0 }, ids, {
  ident: hex(sha256(utf8('x'))),
});
bound('breaks: another declared format', { findings: ['log/session-other'], unattested: 0 }, ids, {
  declared: 'agentsession/0.13',
});
bound('breaks: another session', { findings: ['log/session-other'], unattested: 0 }, ids, { session: 's-2' });
bound('breaks: a head with a changed time', { findings: ['log/head-signature'], unattested: 0 }, ids, {
  head: sessionHead.replace('"timestamp_nanos":1000', '"timestamp_nanos":1001'),
});
bound('breaks: a head of size nothing', { findings: ['log/head-malformed'], unattested: 3 }, ids, {
  head: sessionHead.replace('"size":4', '"size":0'),
});
log.push(
  ...[
    ['keeps: the format is no part of the identity', '{"format":"agentsession/0.14","id":"a"}', '{"id":"a"}'],
    [
      'keeps: spelling and order are no part of the identity',
      '{ "n": 1.0, "format":"x", "id":"\\u0061" }',
      '{"id":"a","n":1}',
    ],
  ].map(([name, header, canonical]) => ({
    name: name as string,
    op: 'log/header-ident',
    params: { header: header as string },
    answer: hex(sha256(utf8(canonical as string))),
  })),
);

// Two statements of one log.

const two = (name: string, op: string, answer: Json, file: Uint8Array | string | undefined) =>
  log.push({ name, op, params: { file: typeof file === 'string' ? file : text(file), key: KEY }, answer });
const at = (size: number, of = tree, by = key) => head({ size, root: of.root(size) }, by);
const divergence = findDivergence(
  MerkleTree.ofHashes(Array.from({ length: 7 }, (_, i) => tree.leaf(i))),
  forked,
) as Divergence;
const fork = text(writeEquivocation({ heads: [at(7), at(7, forked)] }));
const longer = text(writeEquivocation({ heads: [at(7), at(9, forked)] }, divergence));
const note = (of: MerkleTree) =>
  text(signNote(checkpointText('log.example', 7, of.root(7)), ed25519Signer('log.example', key)));
const EQUIVOCATION = 'log/verify-equivocation';
two('keeps: one size and two roots', EQUIVOCATION, { findings: [], signed: true, contradictory: true }, fork);
two(
  'keeps: two sizes and one position with two leaves',
  EQUIVOCATION,
  { findings: [], signed: true, contradictory: true },
  longer,
);
two(
  'keeps: two checkpoints',
  EQUIVOCATION,
  { findings: [], signed: true, contradictory: true },
  writeEquivocation({ checkpoints: [note(tree), note(forked)] }),
);
two(
  'breaks: two sizes and nothing that diverges',
  EQUIVOCATION,
  { findings: ['log/equivocation-harmless'], signed: true, contradictory: false },
  longer.replace(/,"divergence":.*$/, '}'),
);
two(
  'breaks: a divergence at another position',
  EQUIVOCATION,
  { findings: ['log/equivocation-harmless'], signed: true, contradictory: false },
  longer.replace('"index":3', '"index":2'),
);
two(
  'breaks: the same statement twice',
  EQUIVOCATION,
  { findings: ['log/equivocation-harmless'], signed: true, contradictory: false },
  `{"format":"audit.equivocation.v1","heads":[${json()},${json()}]}`,
);
two(
  'breaks: one statement by a stranger',
  EQUIVOCATION,
  { findings: ['log/head-signature'], signed: false, contradictory: true },
  writeEquivocation({ heads: [at(7), at(7, forked, stranger)] }),
);
two(
  'breaks: one statement alone',
  EQUIVOCATION,
  { findings: ['log/two-statements'], signed: null, contradictory: false },
  `{"format":"audit.equivocation.v1","heads":[${json()}]}`,
);
const CONSISTENCY = 'log/verify-consistency';
const grown = text(writeConsistency({ heads: [at(3), at(7)] }, tree.consistency(3, 7).path));
two(
  'keeps: a later head that continues an earlier one',
  CONSISTENCY,
  { findings: [], signed: true, consistency: 'verified' },
  grown,
);
two(
  'breaks: a path with a hash too few',
  CONSISTENCY,
  { findings: ['log/inconsistent'], signed: true, consistency: 'failed' },
  grown.replace(/"path":\["[^"]*",/, '"path":['),
);
const backwards = [head({ size: 3, root: tree.root(3), timestamp_nanos: 9n }), head({ timestamp_nanos: 8n })] as const;
two(
  'breaks: the later head is stamped earlier',
  CONSISTENCY,
  { findings: ['log/head-order'], signed: true, consistency: 'verified' },
  writeConsistency({ heads: backwards }, tree.consistency(3, 7).path),
);

// Receipts of anchors, and notes that nobody who is known signed.

const receipt = (name: string, answer: Json, of: number) =>
  log.push({
    name,
    op: 'log/verify-receipt',
    params: {
      receipt: text(writeAnchorReceipt(entries[1] as (typeof entries)[0], anchors.inclusion(1))),
      head_hash_hex: hex(headHash((entries[of] as (typeof entries)[0]).sth as TreeHead)),
      roots: [{ name: 'anchor', size: 2, root_b64: base64(anchors.root()), published: '1000', accuracy: '5' }],
    },
    answer,
  });
receipt('keeps: a receipt of this head', { time: '1000', accuracy: '5' }, 1);
receipt('breaks: a receipt of another head', ['log/receipt-other-head'], 0);

const vkey = (name: string) => formatVerifierKey(ed25519Signer(name, key));
const noted = (name: string, vkeys: readonly string[], codes: readonly string[]) =>
  log.push({ name, op: 'log/note-codes', params: { note_b64: base64(utf8(note(tree))), vkeys }, answer: codes });
noted('keeps: a note by a known key', [vkey('log.example')], []);
noted('breaks: a note by no known key', [vkey('other.example')], ['log/note-unknown']);

const about = {
  merkle:
    'Proofs over trees and sets of keys that keep, and that break, one rule each (audit spec 2 and 4.5); hashes in hexadecimal, the answer is the fault or null.',
  log: 'Heads, anchors, session heads and files of two statements that keep, and that break, one rule each (audit spec 3, session-heads, equivocation); the codes that are found.',
};
for (const [name, cases] of [
  ['merkle', merkle],
  ['log', log],
] as const) {
  writeCases(`${name}/rules.json`, about[name], cases);
}
