/** The laws of the product over heads, checkpoints and files about them: every changed byte, every missing support, any bytes at all. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { base64, hex, utf8 } from '../../src/bytes/encoding.ts';
import { memorySource } from '../../src/bytes/source.ts';
import { formatPublicKey } from '../../src/crypto/keys.ts';
import { sha256 } from '../../src/crypto/sha256.ts';
import { encode } from '../../src/json/shape.ts';
import { anchorEntry, anchorLeafData, writeAnchorReceipt } from '../../src/log/anchor.ts';
import { checkpointText } from '../../src/log/checkpoint.ts';
import { writeConsistency } from '../../src/log/consistency.ts';
import { writeEquivocation } from '../../src/log/equivocation.ts';
import { headShape, signHead } from '../../src/log/head.ts';
import { cosign, signNote } from '../../src/log/note.ts';
import { ED25519_COSIGNATURE, ed25519Signer, formatVerifierKey } from '../../src/log/noteKey.ts';
import { writeSessionDisclosure } from '../../src/log/sessionDisclosure.ts';
import { sessionHeadShape, sessionTree, signSessionHead } from '../../src/log/sessionHead.ts';
import { writeTlogProof } from '../../src/log/tlogProof.ts';
import { MerkleTree } from '../../src/merkle/tree.ts';
import { readTrust } from '../../src/trust/read.ts';
import type { Trust } from '../../src/trust/trust.ts';
import type { InputReport } from '../../src/verify/report.ts';
import { verify } from '../../src/verify/verify.ts';
import { testKey } from '../log/keys.ts';

const AT = 1_796_040_000_000_000_000n;
const key = await testKey('ed25519', 1);
const log = ed25519Signer('log.example', key);
const witness = ed25519Signer('w.example', await testKey('ed25519', 2), ED25519_COSIGNATURE);
const leaves = Array.from({ length: 6 }, (_, i) => utf8(`entry ${i}`));
const tree = MerkleTree.ofLeaves(leaves);
const fork = MerkleTree.ofLeaves(leaves.map((leaf, i) => (i === 2 ? utf8('x') : leaf)));
const head = (size: number, of = tree) =>
  signHead(
    { kind: 'journal', run_id: 'r', size, root: of.root(size), timestamp_nanos: AT - 60_000_000_000n + BigInt(size) },
    key,
  );
const entry = anchorEntry(0, head(6));
const anchor = MerkleTree.ofLeaves([anchorLeafData(entry)]);
const cosigned = cosign(signNote(checkpointText('log.example', 6, tree.root()), log), witness, AT / 1_000_000_000n);
const note = cosigned.ok ? cosigned.value : new Uint8Array();

const TRUST = {
  format: 'audit.trust.v1',
  keys: [{ name: 'log', roles: ['log'], key: formatPublicKey(key.publicKey) }],
  witness_policies: [
    { name: 'main', policy: `log ${formatVerifierKey(log)}\nwitness W ${formatVerifierKey(witness)}\nquorum W\n` },
  ],
  anchor_logs: [{ name: 'a', size: 1, root: base64(anchor.root()), published: '2026-11-30T00:00:00Z' }],
};
async function trustOf(file: object): Promise<Trust> {
  const { trust, findings } = await readTrust([{ name: 'trust.json', bytes: utf8(JSON.stringify(file)) }]);
  expect(findings).toEqual([]);
  return trust;
}
const trust = await trustOf(TRUST);

interface Given {
  readonly bytes: Uint8Array;
  readonly heads?: readonly Uint8Array[];
  readonly companions?: readonly Uint8Array[];
}
const session = signSessionHead(
  { session: 's', ident: new Uint8Array(32), declared: 'd', entries: 2, id: () => `sha256:${'a'.repeat(64)}` },
  AT,
  key,
);
const body = `{"content":"sha256:${hex(sha256(utf8('{}')))}","parent":null,"ts":null,"type":"x"}`;
const id = `sha256:${hex(sha256(utf8(body)))}`;
const content = { session: 's', ident: new Uint8Array(32), declared: 'd', entries: 3, id: () => id };
const disclosed = writeSessionDisclosure(signSessionHead(content, AT, key), sessionTree(content), [
  { leaf: 2, line: utf8(`{"id":"${id}","type":"x"}`) },
]) as Uint8Array;

const CASES: Readonly<Record<string, Given>> = {
  'a head': {
    bytes: encode(headShape, head(6)),
    heads: [writeConsistency({ heads: [head(3), head(6)] }, tree.consistency(3, 6).path) as Uint8Array],
    companions: [writeAnchorReceipt(entry, anchor.inclusion(0))],
  },
  'a session head': { bytes: encode(sessionHeadShape, session) },
  'a session disclosure': { bytes: disclosed },
  'a consistency proof': {
    bytes: writeConsistency({ heads: [head(3), head(6)] }, tree.consistency(3, 6).path) as Uint8Array,
  },
  'a proof of equivocation': { bytes: writeEquivocation({ heads: [head(6), head(6, fork)] }) as Uint8Array },
  'a checkpoint': { bytes: note },
  'a proof file': {
    bytes: writeTlogProof({ index: 4n, path: tree.inclusion(4).path as readonly Uint8Array[], note }),
    companions: [leaves[4] as Uint8Array],
  },
};

async function judge({ bytes, heads = [], companions = [] }: Given, under: Trust = trust): Promise<InputReport> {
  const input = (some: Uint8Array, i: number) => ({ path: `file ${i}`, source: memorySource(some) });
  const report = await verify([input(bytes, 0)], {
    trust: under,
    at: AT,
    heads: heads.map(input),
    companions: companions.map(input),
  });
  return report.inputs[0] as InputReport;
}
const RANK = { failed: 0, undecided: 1, verified: 2 } as const;
const failedInside = (report: InputReport) => report.findings.some(({ code }) => code === 'input/internal-error');

describe.each(Object.entries(CASES))('%s', (_, given) => {
  it('is verified as it stands', async () => {
    expect(await judge(given)).toMatchObject({ result: 'verified' });
  });

  it('is never verified with a byte changed or cut off, and every refusal says where or what', async () => {
    for (let i = 0; i < given.bytes.length; i++) {
      const bent = await judge({ ...given, bytes: given.bytes.map((byte, at) => (at === i ? byte ^ 2 : byte)) });
      expect(`${i} ${bent.result} ${failedInside(bent)}`).not.toMatch(/^\d+ verified|true$/);
      expect(bent.findings.length + bent.missing.length).toBeGreaterThan(0);
      const cut = await judge({ ...given, bytes: given.bytes.subarray(0, i) });
      expect(`${i} ${cut.result} ${failedInside(cut)}`).not.toMatch(/^\d+ verified|true$/);
    }
  });

  it('has no better claim with less support (law 1)', async () => {
    const full = await judge(given);
    const { witness_policies: _policies, ...noPolicies } = TRUST;
    const less: readonly (readonly [Given, Trust])[] = [
      [{ ...given, heads: [] }, trust],
      [{ ...given, companions: [] }, trust],
      [given, await trustOf({ ...TRUST, keys: [] })],
      [given, await trustOf({ ...TRUST, anchor_logs: [] })],
      [given, await trustOf(noPolicies)],
    ];
    for (const [fewer, under] of less) {
      const report = await judge(fewer, under);
      for (const claim of report.claims) {
        const before = full.claims.find((one) => one.claim === claim.claim);
        expect(`${claim.claim} ${RANK[claim.verdict] > RANK[before?.verdict ?? 'failed']}`).toBe(
          `${claim.claim} false`,
        );
      }
    }
  });

  it('names what is missing for each undecided claim (law 4)', async () => {
    for (const under of [trust, await trustOf({ format: 'audit.trust.v1' })]) {
      const report = await judge({ bytes: given.bytes }, under);
      for (const { claim, verdict } of report.claims)
        if (verdict === 'undecided') expect(report.missing.map((row) => row.claim)).toContain(claim);
    }
  });
});

describe('any bytes at all', () => {
  it('beside or in place of these files crash nothing', async () => {
    const all = Object.values(CASES);
    await fc.assert(
      fc.asyncProperty(
        fc.nat(all.length - 1),
        fc.array(fc.tuple(fc.nat(), fc.uint8Array({ maxLength: 12 })), { minLength: 1, maxLength: 4 }),
        fc.uint8Array({ maxLength: 200 }),
        async (pick, edits, other) => {
          const given = all[pick] as Given;
          let bytes = given.bytes;
          for (const [where, put] of edits) {
            const cut = where % (bytes.length + 1);
            bytes = Uint8Array.from([...bytes.subarray(0, cut), ...put, ...bytes.subarray(cut + (where % 7))]);
          }
          expect(failedInside(await judge({ bytes, heads: [other, given.bytes], companions: [other] }))).toBe(false);
          expect(failedInside(await judge({ bytes: given.bytes, heads: [bytes, other], companions: [bytes] }))).toBe(
            false,
          );
        },
      ),
      { numRuns: 150 },
    );
  });

  it('of great depth are refused', async () => {
    const deep = `{"format":"audit.equivocation.v1","heads":${'['.repeat(200_000)}`;
    const report = await judge({ bytes: utf8(deep) });
    expect(report).toMatchObject({ result: 'unusable_input', findings: [{ code: 'log/malformed' }] });
  });
});
