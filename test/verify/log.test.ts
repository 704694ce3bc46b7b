import { describe, expect, it } from 'vitest';
import { base64, utf8 } from '../../src/bytes/encoding.ts';
import { memorySource } from '../../src/bytes/source.ts';
import { formatPublicKey } from '../../src/crypto/keys.ts';
import { encode } from '../../src/json/shape.ts';
import { anchorEntry, anchorLeafData, writeAnchorReceipt } from '../../src/log/anchor.ts';
import { checkpointText } from '../../src/log/checkpoint.ts';
import { writeConsistency } from '../../src/log/consistency.ts';
import { writeEquivocation } from '../../src/log/equivocation.ts';
import { type HeadContent, headShape, signHead } from '../../src/log/head.ts';
import { cosign, signNote } from '../../src/log/note.ts';
import { ED25519_COSIGNATURE, ed25519Signer, formatVerifierKey } from '../../src/log/noteKey.ts';
import { sessionHeadShape, signSessionHead } from '../../src/log/sessionHead.ts';
import { writeTlogProof } from '../../src/log/tlogProof.ts';
import { MerkleTree } from '../../src/merkle/tree.ts';
import { parseInstant } from '../../src/time/instant.ts';
import { readTrust } from '../../src/trust/read.ts';
import type { InputReport } from '../../src/verify/report.ts';
import { verify } from '../../src/verify/verify.ts';
import { testKey } from '../log/keys.ts';

const key = await testKey('ed25519', 1);
const witnessKey = await testKey('ed25519', 2);
const AT = parseInstant('2026-11-30T12:00:00Z') as bigint;
const leaves = Array.from({ length: 9 }, (_, i) => utf8(`entry ${i}\n`));
const tree = MerkleTree.ofLeaves(leaves);
const forked = MerkleTree.ofLeaves(leaves.map((leaf, i) => (i === 3 ? utf8('other') : leaf)));
const head = (size: number, of = tree, more: Partial<HeadContent> = {}, by = key) =>
  signHead(
    { kind: 'journal', run_id: 'r', size, root: of.root(size), timestamp_nanos: AT - 9n + BigInt(size), ...more },
    by,
  );
const headFile = (...given: Parameters<typeof head>) => encode(headShape, head(...given));

const LOG = 'log.example/audit';
const log = ed25519Signer(LOG, key);
const witness = ed25519Signer('witness.example/w', witnessKey, ED25519_COSIGNATURE);
const POLICY = `log ${formatVerifierKey(log)}\nwitness W ${formatVerifierKey(witness)}\nquorum W\n`;

async function trust(sections: Readonly<Record<string, unknown>> = {}, keys: readonly object[] = [logEntry]) {
  const file = utf8(JSON.stringify({ format: 'audit.trust.v1', keys, ...sections }));
  const read = await readTrust([{ name: 'trust.json', bytes: file }]);
  expect(read.findings).toEqual([]);
  return read.trust;
}
const logEntry = { name: 'log', roles: ['log'], key: formatPublicKey(key.publicKey) };

async function judge(
  bytes: Uint8Array,
  given: Awaited<ReturnType<typeof trust>>,
  more: { readonly heads?: readonly Uint8Array[]; readonly companions?: readonly Uint8Array[] } = {},
): Promise<InputReport> {
  const input = (some: Uint8Array, i: number) => ({ path: `file ${i}`, source: memorySource(some) });
  const report = await verify([{ path: 'input', source: memorySource(bytes) }], {
    trust: given,
    at: AT,
    heads: (more.heads ?? []).map(input),
    companions: (more.companions ?? []).map(input),
  });
  return report.inputs[0] as InputReport;
}
const verdicts = (report: InputReport) =>
  Object.fromEntries(report.claims.map(({ claim, verdict }) => [claim, verdict]));
const codes = (report: InputReport) => report.findings.map(({ code }) => code);

describe('a head as input', () => {
  it('is verified under the key of the trust file, failed under another, and undecided without one', async () => {
    const good = await judge(headFile(7), await trust());
    expect(good).toMatchObject({ kind: 'head', result: 'verified', subject: { run: 'r', size: 7 } });
    expect(verdicts(good)).toEqual({ authorship: 'verified', consistency: 'undecided', time: 'undecided' });
    const other = await judge(
      headFile(7),
      await trust({}, [{ ...logEntry, key: formatPublicKey(witnessKey.publicKey) }]),
    );
    expect(other).toMatchObject({ result: 'not_verified' });
    expect(codes(other)).toEqual(['log/head-signature']);
    const without = await judge(headFile(7), await trust({}, []));
    expect(without).toMatchObject({ result: 'no_verdict', missing: [{ claim: 'authorship' }, {}, {}] });
    const late = await judge(headFile(7, tree, { timestamp_nanos: AT + 301_000_000_000n }), await trust());
    expect(late).toMatchObject({ result: 'not_verified' });
    expect(codes(late)).toEqual(['log/head-future']);
  });

  it('is held against other heads of its tree', async () => {
    const proof = writeConsistency({ heads: [head(3), head(7)] }, tree.consistency(3, 7).path) as Uint8Array;
    const consistent = await judge(headFile(7), await trust(), { heads: [proof] });
    expect(verdicts(consistent)['consistency']).toBe('verified');
    const unproven = await judge(headFile(7), await trust(), { heads: [headFile(3)] });
    expect(verdicts(unproven)['consistency']).toBe('undecided');
    expect(unproven.result).toBe('verified');
    const fork = await judge(headFile(7), await trust(), { heads: [headFile(7, forked)] });
    expect(fork).toMatchObject({ result: 'not_verified' });
    expect(codes(fork)).toEqual(['log/fork']);
    const strange = await judge(headFile(7), await trust(), { heads: [headFile(7, forked, {}, witnessKey)] });
    expect(codes(strange)).toEqual(['log/head-signature']);
  });

  it('is dated by an anchor receipt against a root that was seen published', async () => {
    const anchored = [head(3), head(7)].map((one, seq) => anchorEntry(seq, one));
    const anchor = MerkleTree.ofLeaves(anchored.map(anchorLeafData));
    const receipt = writeAnchorReceipt(anchored[1] as (typeof anchored)[0], anchor.inclusion(1));
    const root = {
      name: 'anchor',
      size: 2,
      root: base64(anchor.root()),
      published: '2026-11-30T12:00:05Z',
      accuracy_ms: 500,
    };
    const seen = await trust({ anchor_logs: [root] });
    const dated = await judge(headFile(7), seen, { companions: [receipt] });
    expect(verdicts(dated)['time']).toBe('verified');
    expect(dated.claims.find(({ claim }) => claim === 'time')?.detail).toContain('2026-11-30T12:00:05.5Z');
    const unseen = await judge(headFile(7), await trust(), { companions: [receipt] });
    expect(codes(unseen)).toEqual(['log/receipt-no-root']);
    expect(verdicts(unseen)['time']).toBe('undecided');
    const elsewhere = await judge(headFile(9), seen, { companions: [receipt] });
    expect(verdicts(elsewhere)['time']).toBe('undecided');
    const strange = await trust({ anchor_logs: [{ ...root, size: -1 }] });
    expect(codes(await judge(headFile(7), strange, { companions: [receipt] }))).toContain('log/trust-section');
  });

  it('of another version or broken is unusable', async () => {
    const text = new TextDecoder().decode(headFile(7));
    expect(await judge(utf8(text.replace('sth.v5', 'sth.v6')), await trust())).toMatchObject({
      kind: 'head',
      result: 'unusable_input',
      findings: [{ code: 'log/format' }],
    });
    expect(await judge(utf8(text.replace('"size":7', '"size":7.0')), await trust())).toMatchObject({
      result: 'unusable_input',
      findings: [{ code: 'log/malformed', where: { pointer: '/size' } }],
    });
  });

  it('may be over a session', async () => {
    const content = {
      session: 's',
      ident: new Uint8Array(32),
      declared: 'agentsession/0.14',
      entries: 1,
      id: () => `sha256:${'a'.repeat(64)}`,
    };
    const bytes = encode(sessionHeadShape, signSessionHead(content, AT, key));
    expect(await judge(bytes, await trust())).toMatchObject({
      kind: 'head',
      result: 'verified',
      subject: { session: 's', entries: 1 },
    });
    const bent = utf8(new TextDecoder().decode(bytes).replace('"session":"s"', '"session":"t"'));
    expect(codes(await judge(bent, await trust()))).toEqual(['log/head-signature']);
    expect(await judge(bytes, await trust({}, []))).toMatchObject({ result: 'no_verdict' });
    const other = signSessionHead({ ...content, id: () => `sha256:${'b'.repeat(64)}` }, AT, key);
    expect(codes(await judge(bytes, await trust(), { heads: [encode(sessionHeadShape, other)] }))).toEqual([
      'log/fork',
    ]);
  });
});

describe('a consistency proof as input', () => {
  it('is verified when both heads are signed and the path connects them', async () => {
    const good = writeConsistency({ heads: [head(3), head(7)] }, tree.consistency(3, 7).path) as Uint8Array;
    expect(await judge(good, await trust())).toMatchObject({ kind: 'head', result: 'verified' });
    expect(writeConsistency({ heads: [head(3), head(7, forked)] }, tree.consistency(3, 7).path)).toBeUndefined();
    const text = new TextDecoder().decode(good);
    const first = base64((tree.consistency(3, 7).path ?? [])[0] as Uint8Array);
    const bent = utf8(text.replace(first, base64(tree.root(2))));
    expect(codes(await judge(bent, await trust()))).toEqual(['log/inconsistent']);
  });
});

describe('a proof of equivocation as input', () => {
  it('is verified when the log signed both histories', async () => {
    const file = writeEquivocation({ heads: [head(7), head(7, forked)] }) as Uint8Array;
    expect(await judge(file, await trust())).toMatchObject({ kind: 'equivocation', result: 'verified' });
    expect(await judge(file, await trust({}, []))).toMatchObject({ result: 'no_verdict' });
    const forged = writeEquivocation({ heads: [head(7), head(7, forked, {}, witnessKey)] }) as Uint8Array;
    const report = await judge(forged, await trust());
    expect(report.result).toBe('not_verified');
    expect(verdicts(report)).toEqual({ authorship: 'failed', equivocation: 'verified' });
  });
});

const note = (size = 9, of = tree) => signNote(checkpointText(LOG, size, of.root(size)), log);
function cosigned(time: bigint, bytes = note()): Uint8Array {
  const made = cosign(bytes, witness, time);
  if (!made.ok) throw new Error(made.fault.message);
  return made.value;
}
const SECONDS = AT / 1_000_000_000n;
const withPolicy = await trust({ witness_policies: [{ name: 'main', policy: POLICY }] });

describe('a checkpoint as input', () => {
  it('needs the signature of its log, and the quorum where a policy asks for one', async () => {
    expect(await judge(note(), await trust())).toMatchObject({
      kind: 'checkpoint',
      result: 'verified',
      subject: { origin: LOG, size: '9' },
    });
    const unknown = await judge(note(), await trust({}, []));
    expect(unknown).toMatchObject({ result: 'no_verdict' });
    expect(codes(unknown)).toEqual(['log/no-log-signature']);
    const good = await judge(cosigned(SECONDS), withPolicy);
    expect(good).toMatchObject({ result: 'verified', counts: { cosignatures: 1, log_signatures: 1 } });
    expect(verdicts(good)).toEqual({
      authorship: 'verified',
      witnesses: 'verified',
      time: 'undecided',
      consistency: 'undecided',
    });
    expect(good.claims.find(({ claim }) => claim === 'time')?.detail).toContain('2026-11-30T12:00:00Z');
    const short = await judge(note(), withPolicy);
    expect(short).toMatchObject({ result: 'no_verdict' });
    expect(codes(short)).toEqual(['log/quorum']);
    expect(codes(await judge(cosigned(SECONDS + 301n), withPolicy))).toEqual(['log/quorum-late']);
  });

  it('is refused for a bad line of its log or of a witness', async () => {
    const text = new TextDecoder().decode(cosigned(SECONDS));
    const changed = await judge(utf8(text.replace('\n9\n', '\n8\n')), withPolicy);
    expect(changed.result).toBe('not_verified');
    expect(codes(changed)).toEqual(['log/note-signature', 'log/cosignature']);
    const lines = text.trimEnd().split('\n');
    const time = lines.pop() as string;
    const bent = [...lines, time.replace(/.{4}$/, 'AAA=')].join('\n');
    expect((await judge(utf8(`${bent}\n`), withPolicy)).result).not.toBe('verified');
    const empty = await judge(signNote(checkpointText(LOG, 0, tree.root(9)), log), await trust());
    expect(codes(empty)).toEqual(['log/checkpoint-empty-root']);
    expect(empty.result).toBe('not_verified');
    expect(codes(await judge(utf8(text.replace('\n9\n', '\n09\n')), withPolicy))).toEqual(['log/checkpoint-malformed']);
    expect(codes(await judge(utf8(text.trimEnd()), withPolicy))).toEqual(['log/note-malformed']);
  });

  it('says what is wrong with a policy of the trust file', async () => {
    const bad = await trust({ witness_policies: [{ name: 'main', policy: POLICY.replace('quorum W', 'quorum X') }] });
    expect(codes(await judge(note(), bad))).toContain('log/policy-malformed');
    const otherId = await trust({ witness_policies: [{ name: 'main', policy: POLICY.replace(log.id, '00000000') }] });
    expect(codes(await judge(note(), otherId))).toContain('log/vkey');
    const strange = await trust({ witness_policies: [{ name: 'main', policies: POLICY }] });
    expect(codes(await judge(note(), strange))).toContain('log/trust-section');
  });

  it('is not taken from a key whose time is over, since it has no time of its own', async () => {
    const until = (time: string) => trust({}, [{ ...logEntry, until: time }]);
    expect((await judge(note(), await until('2026-11-30T12:00:01Z'))).result).toBe('verified');
    const over = await judge(note(), await until('2026-11-30T12:00:00Z'));
    expect(over.result).toBe('no_verdict');
    expect(codes(over)).toEqual(['log/no-log-signature']);
  });

  it('is held against other checkpoints of its log', async () => {
    const fork = await judge(note(), await trust(), { heads: [note(9, forked)] });
    expect(codes(fork)).toEqual(['log/fork']);
    expect(fork.result).toBe('not_verified');
    const checkpoints = [note(4), note(9)].map((bytes) => new TextDecoder().decode(bytes)) as [string, string];
    const proof = writeConsistency({ checkpoints }, tree.consistency(4, 9).path) as Uint8Array;
    expect(verdicts(await judge(note(), await trust(), { heads: [proof] }))['consistency']).toBe('verified');
  });

  it('without a policy has the times of witnesses whose keys are trusted, and is refused for a false line of theirs', async () => {
    const known = await trust({}, [
      logEntry,
      { name: 'w', roles: ['witness'], key: formatPublicKey(witnessKey.publicKey) },
    ]);
    const good = await judge(cosigned(SECONDS), known);
    expect(good).toMatchObject({ result: 'verified', counts: { cosignatures: 1, unknown_signatures: 0 } });
    expect(good.claims.find(({ claim }) => claim === 'time')?.detail).toContain('2026-11-30T12:00:00Z');
    expect((await judge(cosigned(SECONDS), await trust())).counts).toMatchObject({
      cosignatures: 0,
      unknown_signatures: 1,
    });
    const text = new TextDecoder().decode(cosigned(SECONDS));
    const at = text.length - 20;
    const bent = utf8(`${text.slice(0, at)}${text[at] === 'A' ? 'B' : 'A'}${text.slice(at + 1)}`);
    const refused = await judge(bent, known);
    expect(codes(refused)).toEqual(['log/cosignature']);
    expect(refused.result).toBe('not_verified');
  });

  it('is warned of when the log is its own witness', async () => {
    const self = ed25519Signer('self.example', key, ED25519_COSIGNATURE);
    const policy = `log ${formatVerifierKey(log)}\nwitness S ${formatVerifierKey(self)}\nquorum none\n`;
    const report = await judge(note(), await trust({ witness_policies: [{ name: 'main', policy }] }));
    expect(codes(report)).toEqual(['log/self-witness']);
    expect(report.result).toBe('verified');
  });
});

describe('a proof file as input', () => {
  const file = (index: number, bytes = cosigned(SECONDS)) =>
    writeTlogProof({ index: BigInt(index), path: tree.inclusion(index).path as readonly Uint8Array[], note: bytes });

  it('is verified with its entry beside it, and undecided without', async () => {
    const good = await judge(file(4), withPolicy, { companions: [leaves[4] as Uint8Array] });
    expect(good).toMatchObject({ kind: 'tlog-proof', result: 'verified', subject: { index: '4', entry: 'file 0' } });
    expect(await judge(file(4), withPolicy)).toMatchObject({ result: 'no_verdict' });
    const wrong = await judge(file(4), withPolicy, { companions: [leaves[5] as Uint8Array] });
    expect(wrong.result).toBe('not_verified');
    expect(codes(wrong)).toEqual(['log/tlog-proof-inclusion']);
    expect(codes(await judge(utf8('c2sp.org/tlog-proof@v1\nindex 01\n'), withPolicy))).toEqual([
      'log/tlog-proof-malformed',
    ]);
  });

  it('never verifies with any byte of it changed, its extra data aside', async () => {
    const bytes = file(4);
    for (let i = 0; i < bytes.length; i++) {
      const bent = bytes.map((byte, at) => (at === i ? byte ^ 1 : byte));
      const report = await judge(bent, withPolicy, { companions: [leaves[4] as Uint8Array] });
      expect(`${i} ${report.result}`).not.toBe(`${i} verified`);
    }
  });
});
