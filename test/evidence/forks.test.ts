import { describe, expect, it } from 'vitest';
import { utf8 } from '../../src/bytes/encoding.ts';
import { memorySource } from '../../src/bytes/source.ts';
import { encode } from '../../src/json/shape.ts';
import { headShape, signHead } from '../../src/log/head.ts';
import { readTrust } from '../../src/trust/read.ts';
import { verifyInput } from '../../src/verify/verify.ts';
import { logKey, privateKey, vector } from './fixtures.ts';

const NOW = 1_795_000_000_000_000_000n;
const DIGEST = vector('computed', 'governed_run', 'policy_digest_hex');

const ARTIFACTS: readonly (readonly [string, string])[] = [
  ['proof', vector('computed', 'proof_bundle_leaf_3')],
  ['absence', vector('computed', 'absence_tool_use', 'bundle_json')],
  ['package', vector('computed', 'evidence_package', 'json')],
  ['run-certificate', vector('computed', 'governed_run', 'run_certificate_json')],
];

/** Run and size of the journal that the artifact is under. */
function journalOf(artifact: string): { readonly run: string; readonly size: number } {
  const { run_id: run, sth } = JSON.parse(artifact) as {
    run_id: string;
    sth: { size: number; journal?: { size: number } };
  };
  return { run, size: sth.journal?.size ?? sth.size };
}

async function judge(artifact: string, ...given: readonly (Uint8Array | undefined)[]) {
  const { trust, findings } = await readTrust([
    {
      name: 'trust.json',
      bytes: utf8(
        JSON.stringify({
          format: 'audit.trust.v1',
          keys: [{ name: 'log', roles: ['log'], key: vector('computed', 'keys', 'log', 'public_key_text') }],
          approved_policies: [DIGEST],
        }),
      ),
    },
  ]);
  expect(findings).toEqual([]);
  const heads = given.flatMap((head) =>
    head === undefined ? [] : [{ path: 'head.json', source: memorySource(head) }],
  );
  const input = { path: 'artifact.json', source: memorySource(utf8(artifact)) };
  const report = await verifyInput(input, { trust, at: NOW, heads });
  const others = report.claims.find(({ claim }) => claim === 'other-heads')?.verdict;
  return { result: report.result, others, report };
}

describe.each(ARTIFACTS)('a head given beside a %s', (kind, artifact) => {
  const { run, size } = journalOf(artifact);
  const head = async (root: Uint8Array, of = size, key = logKey()) =>
    encode(
      headShape,
      signHead(
        { kind: 'journal', run_id: run, size: of, root, timestamp_nanos: 1_790_000_000_000_000_000n },
        await key,
      ),
    );
  const fork = new Uint8Array(32).fill(7);

  it('of the same size with another root shows that the log signed two histories', async () => {
    const without = await judge(artifact, undefined);
    expect([without.report.kind, without.result, without.others]).toEqual([kind, 'verified', undefined]);
    const { result, others, report } = await judge(artifact, await head(fork));
    expect([result, others]).toEqual(['not_verified', 'failed']);
    expect(report.findings.map(({ code }) => code)).toContain('log/fork');
  });
  it('of another size that nothing connects leaves the claim open and says what would decide it', async () => {
    const { result, others, report } = await judge(artifact, await head(fork, size + 5));
    expect([result, others]).toEqual(['verified', 'undecided']);
    expect(report.missing.map(({ claim }) => claim)).toContain('other-heads');
  });
  it('that nobody whom you trust signed says nothing of the log', async () => {
    const stranger = privateKey('11'.repeat(32));
    expect((await judge(artifact, await head(fork, size, stranger))).others).toBeUndefined();
  });
});

describe('several heads of a ledger that were seen', () => {
  it('are told apart by size, not by the order in which they are given', async () => {
    const proof = vector('computed', 'current_grant', 'proof_json');
    const seen = utf8(vector('computed', 'current_grant', 'last_seen_head_json'));
    const { leaf } = JSON.parse(proof) as { leaf: { run_id: string; sth: { size: number } } };
    const later = encode(
      headShape,
      signHead(
        {
          kind: 'journal',
          run_id: leaf.run_id,
          size: leaf.sth.size,
          root: new Uint8Array(32).fill(7),
          timestamp_nanos: 1_790_000_000_000_000_000n,
        },
        await logKey(),
      ),
    );
    expect((await judge(proof, seen)).result).toBe('verified');
    for (const heads of [
      [seen, later],
      [later, seen],
    ]) {
      const { result, report } = await judge(proof, ...heads);
      expect([result, report.claims.find(({ claim }) => claim === 'consistency')?.verdict]).toEqual([
        'not_verified',
        'failed',
      ]);
      expect(report.not_supplied.join()).toContain('1 other heads given');
    }
  });
});
