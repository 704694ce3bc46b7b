import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { base64, concat, decodeUtf8, hex, utf8 } from '../../src/bytes/encoding.ts';
import {
  checkpointFault,
  checkpointText,
  headAsCheckpoint,
  originOfTree,
  parseCheckpoint,
} from '../../src/log/checkpoint.ts';
import { evaluateCheckpoint } from '../../src/log/evaluate.ts';
import { faultFinding } from '../../src/log/fault.ts';
import { signHead } from '../../src/log/head.ts';
import { cosign, parseNote, signNote, verifyNote } from '../../src/log/note.ts';
import {
  ED25519_COSIGNATURE,
  ed25519Signer,
  formatVerifierKey,
  isKeyName,
  mlDsa44Signer,
  type NoteKey,
  type NoteSigner,
  parseVerifierKey,
} from '../../src/log/noteKey.ts';
import { isSatisfied, type Policy, parsePolicy } from '../../src/log/policy.ts';
import { evaluateTlogProof, parseTlogProof, writeTlogProof } from '../../src/log/tlogProof.ts';
import { EMPTY_ROOT, leafHash } from '../../src/merkle/hash.ts';
import { MerkleTree } from '../../src/merkle/tree.ts';
import { testKey } from './keys.ts';

const LOG = 'log.example/audit';
const log = ed25519Signer(LOG, await testKey('ed25519', 1));
const w1 = ed25519Signer('w1.example', await testKey('ed25519', 2), ED25519_COSIGNATURE);
const w2 = await mlDsa44Signer('w2.example', new Uint8Array(32).fill(3));
const leaves = Array.from({ length: 11 }, (_, i) => utf8(`entry ${i}`));
const tree = MerkleTree.ofLeaves(leaves);

async function keyOf(signer: NoteSigner): Promise<NoteKey> {
  const parsed = await parseVerifierKey(formatVerifierKey(signer));
  if (!parsed.ok) throw new Error(parsed.fault.message);
  return parsed.value;
}
async function policyOf(text: string): Promise<Policy> {
  const parsed = await parsePolicy(utf8(text));
  if (!parsed.ok) throw new Error(parsed.fault.reason);
  return parsed.value;
}
const keys = await Promise.all([log, w1, w2].map(keyOf));
const POLICY = await policyOf(
  `log ${formatVerifierKey(log)}\nwitness A ${formatVerifierKey(w1)}\nwitness B ${formatVerifierKey(w2)}\ngroup G all A B\nquorum G\n`,
);

function cosigned(note: Uint8Array, by: NoteSigner, time: bigint): Uint8Array {
  const made = cosign(note, by, time);
  if (!made.ok) throw new Error(made.fault.reason);
  return made.value;
}
const text = checkpointText(LOG, 11, tree.root());
const full = cosigned(cosigned(signNote(text, log), w1, 1_790_000_000n), w2, 0n);

describe('a signed note', () => {
  it('that was written here verifies under every key, and each key counts once', () => {
    const verified = verifyNote(full, keys);
    expect(verified.ok && verified.value.by.map(({ key, time }) => [key.name, time])).toEqual([
      [LOG, undefined],
      ['w1.example', 1_790_000_000n],
      ['w2.example', 0n],
    ]);
    expect(verifyNote(cosigned(full, w1, 5n), keys)).toMatchObject({ ok: true, value: { by: { length: 3 } } });
  });

  it('that no known key signed is nobody’s word', () => {
    const verified = verifyNote(full, []);
    expect(verified.ok ? undefined : faultFinding(verified.fault)).toMatchObject({
      code: 'log/note-unknown',
      class: 'no_verdict',
    });
  });

  it('never verifies with any byte of it changed, unless the line of a key becomes unknown', () => {
    for (let i = 0; i < full.length; i += i < 400 ? 1 : 37) {
      const bent = full.map((byte, at) => (at === i ? byte ^ 1 : byte));
      const verified = verifyNote(bent, keys);
      expect(verified.ok && verified.value.by.length === 3).toBe(false);
    }
  });

  it('is read back from any text and any signatures', () => {
    const line = fc.string({ unit: 'grapheme', maxLength: 12 }).map((some) => some.replace(/\p{Cc}/gu, '.'));
    fc.assert(
      fc.property(fc.array(line, { minLength: 1, maxLength: 5 }), (lines) => {
        const body = `${lines.join('\n')}\n`;
        const note = parseNote(signNote(body, log));
        expect(note.ok && decodeUtf8(note.value.text)).toBe(body);
        expect(note.ok && note.value.signatures.map(({ id }) => id)).toEqual([log.id]);
      }),
      { numRuns: 100 },
    );
  });

  it('is never written over a text that no note can hold', () => {
    for (const body of ['no line feed', 'a\tb\n', 'a\r\n', '\ud800\n'])
      expect(() => signNote(body, log)).toThrow(RangeError);
    expect(() => signNote(text, w1)).toThrow(RangeError);
    expect(() => cosign(full, w1, 1n << 63n)).toThrow(RangeError);
    expect(() => cosign(full, log, 1n)).toThrow(RangeError);
    expect(cosign(utf8('x\n'), w1, 1n)).toMatchObject({ ok: false, fault: { reason: 'no-blank-line' } });
    expect(cosign(signNote('x\n', log), w1, 1n)).toMatchObject({ ok: false, fault: { reason: 'checkpoint-lines' } });
  });

  it('has key names without plus and without any Unicode space', () => {
    expect(['a', 'ä/b', '\ufeff', '\u200b'].every(isKeyName)).toBe(true);
    expect(['', 'a+b', 'a b', 'a\u0085', 'a\u00a0', '\u3000', 'a\u2028', '\u202f'].some(isKeyName)).toBe(false);
    expect(() => ed25519Signer('a b', { scheme: 'ed25519' } as never)).toThrow();
  });

  it('takes no key of small order, under which anybody could sign', async () => {
    const weak = new Uint8Array(32);
    weak[0] = 1;
    const { noteKeyId } = await import('../../src/log/noteKey.ts');
    const vkey = formatVerifierKey({ name: 'n', id: noteKeyId('n', 1, weak), type: 1, bytes: weak });
    expect(await parseVerifierKey(vkey)).toMatchObject({ ok: false, fault: { reason: 'vkey-weak' } });
  });
});

describe('a checkpoint', () => {
  it('is read back as it was written', () => {
    fc.assert(
      fc.property(fc.bigInt(0n, (1n << 63n) - 1n), fc.uint8Array({ minLength: 32, maxLength: 32 }), (size, root) => {
        expect(parseCheckpoint(utf8(checkpointText('o r i g i n', size, root)))).toEqual({
          ok: true,
          value: { origin: 'o r i g i n', size, root, extensions: [] },
        });
      }),
      { numRuns: 100 },
    );
    for (const origin of ['', 'a\nb', 'a\tb', '\udc00'])
      expect(() => checkpointText(origin, 1, tree.root())).toThrow(RangeError);
    expect(() => checkpointText('o', 1n << 63n, tree.root())).toThrow(RangeError);
    expect(() => checkpointText('o', 1, new Uint8Array(31))).toThrow(RangeError);
  });

  it('of an empty tree has the root of nothing', () => {
    expect(checkpointFault({ origin: 'o', size: 0n, root: EMPTY_ROOT, extensions: [] })).toBeUndefined();
    expect(checkpointFault({ origin: 'o', size: 0n, root: tree.root(), extensions: [] })?.reason).toBe(
      'checkpoint-empty-root',
    );
  });

  it('of a head names the log, the kind and the run, each tree apart', async () => {
    expect(originOfTree('l', 'journal', 'a/b')).not.toBe(originOfTree('l', 'journal/a', 'b'));
    const head = signHead(
      { kind: 'journal', run_id: 'a>b\n', size: 11, root: tree.root(), timestamp_nanos: 1n },
      await testKey('ed25519', 1),
    );
    expect(headAsCheckpoint(head, LOG)).toBe(`${LOG}/journal/a%3Eb%0A\n11\n${base64(tree.root())}\n`);
  });
});

describe('a witness policy', () => {
  it('counts its witnesses once, through groups of groups', async () => {
    const reference = (policy: Policy, name: string, cosigners: ReadonlySet<string>): boolean => {
      const group = policy.groups.get(name);
      if (group === undefined) return cosigners.has(name);
      return group.members.filter((member) => reference(policy, member, cosigners)).length >= group.threshold;
    };
    const signers = await Promise.all(
      [10, 11, 12, 13].map(async (fill) =>
        ed25519Signer(`w${fill}`, await testKey('ed25519', fill), ED25519_COSIGNATURE),
      ),
    );
    const witnesses = signers.map((signer, i) => `witness W${i} ${formatVerifierKey(signer)}`).join('\n');
    const policy = await policyOf(`${witnesses}\ngroup X 2 W0 W1 W2\ngroup Y any X W3\nquorum Y\n`);
    for (let set = 0; set < 16; set++) {
      const cosigners = new Set([0, 1, 2, 3].filter((i) => (set >> i) & 1).map((i) => `W${i}`));
      expect(isSatisfied(policy, cosigners)).toBe(reference(policy, 'Y', cosigners));
    }
    expect(isSatisfied(policy, new Set(['X', 'Y']))).toBe(false);
  });

  it('of a thousand nested groups is judged without recursion', async () => {
    const lines = [`witness W ${formatVerifierKey(w1)}`, 'group G0 all W'];
    for (let i = 1; i < 1000; i++) lines.push(`group G${i} all G${i - 1}`);
    const policy = await policyOf(`${lines.join('\n')}\nquorum G999\n`);
    expect(isSatisfied(policy, new Set(['W']))).toBe(true);
    expect(isSatisfied(policy, new Set())).toBe(false);
    const over = await parsePolicy(utf8(`${lines.join('\n')}\ngroup H all G999\nquorum H\n`));
    expect(over).toMatchObject({ ok: false, fault: { reason: 'policy-too-large' } });
    expect(await parsePolicy(new Uint8Array((1 << 20) + 1).fill(0x0a))).toMatchObject({
      fault: { reason: 'policy-too-large' },
    });
  });

  it('wants the log itself, and every witness that it groups', () => {
    expect(evaluateCheckpoint(full, POLICY)).toMatchObject({
      faults: [],
      cosigners: [{ name: 'A' }, { name: 'B' }],
      unknown: 0,
    });
    const reasons = (bytes: Uint8Array, asOf?: bigint) =>
      evaluateCheckpoint(bytes, POLICY, asOf === undefined ? {} : { asOf }).faults.map(({ reason }) => reason);
    expect(reasons(cosigned(signNote(text, log), w1, 1n))).toEqual(['quorum']);
    expect(reasons(full, 1_790_000_000n - 300n)).toEqual([]);
    expect(reasons(full, 1_790_000_000n - 301n)).toEqual(['quorum-late']);
    const noteText = decodeUtf8(full) as string;
    const logLine = noteText.split('\n').find((line) => line.startsWith(`\u2014 ${LOG} `)) as string;
    expect(reasons(utf8(noteText.replace(`${logLine}\n`, '')))).toEqual(['no-log-signature']);
  });
});

describe('a proof file', () => {
  const file = (index: number, extra?: Uint8Array) =>
    writeTlogProof({
      index: BigInt(index),
      path: tree.inclusion(index).path as readonly Uint8Array[],
      note: full,
      ...(extra === undefined ? {} : { extra }),
    });

  it('that was written here is read back and leads from every entry to the root', () => {
    for (let i = 0; i < leaves.length; i++) {
      const leaf = leafHash(leaves[i] as Uint8Array);
      expect(evaluateTlogProof(file(i), leaf, POLICY)).toMatchObject({ faults: [], included: true });
      expect(evaluateTlogProof(file(i, utf8('x')), leaf, POLICY)).toMatchObject({
        faults: [],
        proof: { extra: utf8('x') },
      });
      const other = evaluateTlogProof(file(i), leafHash(leaves[(i + 1) % 11] as Uint8Array), POLICY);
      expect(other).toMatchObject({ included: false, faults: [{ reason: 'root' }] });
    }
    expect(evaluateTlogProof(file(0), undefined, POLICY).included).toBeUndefined();
    const parsed = parseTlogProof(file(4));
    expect(parsed.ok && hex(writeTlogProof(parsed.value))).toBe(hex(file(4)));
  });

  it('is cut off wherever it ends too early', () => {
    const bytes = file(4);
    for (let end = 0; end < bytes.length; end++) {
      const { faults } = evaluateTlogProof(bytes.subarray(0, end), leafHash(leaves[4] as Uint8Array), POLICY);
      expect(`${end} ${faults.length > 0}`).toBe(`${end} true`);
    }
    expect(parseTlogProof(utf8('c2sp.org/tlog-proof@v1\nindex 0\nAAAA'))).toMatchObject({
      fault: { reason: 'proof-no-checkpoint' },
    });
    const long = concat(
      utf8('c2sp.org/tlog-proof@v1\nindex 0\n'),
      ...Array.from({ length: 64 }, () => utf8(`${base64(EMPTY_ROOT)}\n`)),
    );
    expect(parseTlogProof(long)).toMatchObject({ fault: { reason: 'proof-length' } });
  });

  it('is not written with what none can hold', () => {
    const good = { index: 0n, path: [], note: full };
    expect(() => writeTlogProof({ ...good, index: -1n })).toThrow(RangeError);
    expect(() => writeTlogProof({ ...good, path: [new Uint8Array(31)] })).toThrow(RangeError);
    expect(() => writeTlogProof({ ...good, extra: new Uint8Array() })).toThrow(RangeError);
  });
});
