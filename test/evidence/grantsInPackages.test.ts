import { beforeAll, describe, expect, it } from 'vitest';
import { base64, decodeUtf8, utf8 } from '../../src/bytes/encoding.ts';
import { memorySource } from '../../src/bytes/source.ts';
import { sha256 } from '../../src/crypto/sha256.ts';
import type { PrivateKey } from '../../src/crypto/signature.ts';
import { grantRecordName, grantResult, signGrant } from '../../src/evidence/grants.ts';
import { treeOfJournal } from '../../src/evidence/journalTree.ts';
import { producePackage } from '../../src/evidence/packageProducer.ts';
import { packageShape, type SignedGrant } from '../../src/evidence/shapes.ts';
import { readEntries } from '../../src/journal/export.ts';
import { encode } from '../../src/json/shape.ts';
import { signHead } from '../../src/log/head.ts';
import { readTrust } from '../../src/trust/read.ts';
import { verifyInput } from '../../src/verify/verify.ts';
import { logKey, privateKey, vector } from './fixtures.ts';

let [log, alice, mallory]: PrivateKey[] = [];
beforeAll(async () => {
  log = await logKey();
  alice = await privateKey(vector('computed', 'keys', 'issuer alice', 'seed_hex'));
  mallory = await privateKey(vector('computed', 'keys', 'issuer agent-1', 'seed_hex'));
});

const publicText = (of: string) => vector('computed', 'keys', of, 'public_key_text');
const NOW = 1_795_000_000_000_000_000n;

const grantBy = (key: PrivateKey): SignedGrant =>
  signGrant({ id: 'g', issuer: 'alice', subject: 'agent', scope: new Map(), not_after_unix: 0n, parent_ref: '' }, key);

function packageWith(grant: SignedGrant): Uint8Array {
  const records = [
    '{"name":"@journal","kind":"header","format":"bide.journal.v1-dev"}',
    `{"name":"${grantRecordName(grant.grant)}","kind":"value","result":${decodeUtf8(grantResult(grant))}}`,
  ].map((record, i) => ({ data: utf8(record.replace(/}$/, `,"salt":"${base64(sha256(utf8(`salt ${i}`)))}"}`)) }));
  const { journal } = readEntries('run', records);
  if (journal === undefined) throw new Error('no journal');
  const of = treeOfJournal(journal);
  const head = signHead(
    { kind: 'journal', run_id: 'run', size: 2, root: of.tree.root(), timestamp_nanos: 5n },
    log as PrivateKey,
  );
  const made = producePackage(of, head, log as PrivateKey, { grants: [grant] });
  if (!made.ok) throw new Error(JSON.stringify(made.findings));
  return encode(packageShape, made.value);
}

async function judge(bytes: Uint8Array, issuer?: Readonly<Record<string, string>>) {
  const keys = [
    { name: 'log', roles: ['log'], key: publicText('log') },
    ...(issuer === undefined ? [] : [{ name: 'alice', roles: ['issuer'], key: publicText('issuer alice'), ...issuer }]),
  ];
  const { trust, findings } = await readTrust([
    { name: 'trust.json', bytes: utf8(JSON.stringify({ format: 'audit.trust.v1', keys })) },
  ]);
  expect(findings).toEqual([]);
  const report = await verifyInput({ path: 'a.json', source: memorySource(bytes) }, { trust, at: NOW });
  return { report, verdict: (claim: string) => report.claims.find((each) => each.claim === claim)?.verdict };
}

describe('the grants of a package', () => {
  it('are verified where the key of their issuer is known, and open without it', async () => {
    const bytes = packageWith(grantBy(alice as PrivateKey));
    const known = await judge(bytes, {});
    expect([known.report.result, known.verdict('grants')]).toEqual(['verified', 'verified']);
    const without = await judge(bytes);
    expect([without.report.result, without.verdict('inclusion'), without.verdict('grants')]).toEqual([
      'no_verdict',
      'verified',
      'undecided',
    ]);
    expect(without.report.missing.map(({ claim }) => claim)).toContain('grants');
  });
  it('do not hold where somebody else signed in the name of the issuer, though the log recorded them', async () => {
    const bytes = packageWith(grantBy(mallory as PrivateKey));
    expect((await judge(bytes)).report.result).toBe('no_verdict');
    const known = await judge(bytes, {});
    expect([known.report.result, known.verdict('grants')]).toEqual(['not_verified', 'failed']);
    expect(known.report.findings.map(({ code, where }) => [code, where.pointer])).toEqual([
      ['evidence/grant-signature', '/grants/chain/0/sig'],
    ]);
  });
});

describe('the key of an issuer', () => {
  const chain = () => utf8(`[${decodeUtf8(grantResult(grantBy(alice as PrivateKey)))}]`);
  it('vouches for grants only while it is in force', async () => {
    expect((await judge(chain(), {})).report.result).toBe('verified');
    expect((await judge(chain(), { from: '2026-01-01T00:00:00Z' })).report.result).toBe('verified');
    for (const bounds of [{ until: '2026-01-01T00:00:00Z' }, { from: '2030-01-01T00:00:00Z' }] as const) {
      const { report, verdict } = await judge(chain(), bounds as Readonly<Record<string, string>>);
      expect([report.result, verdict('authorship')]).toEqual(['no_verdict', 'undecided']);
    }
  });
});
