import { beforeAll, describe, expect, it } from 'vitest';
import { base64, utf8 } from '../../src/bytes/encoding.ts';
import type { PrivateKey } from '../../src/crypto/signature.ts';
import { HeadChecker } from '../../src/evidence/heads.ts';
import { outcomeClass } from '../../src/evidence/outcome.ts';
import { readArtifact } from '../../src/evidence/place.ts';
import { checkProof, isProven } from '../../src/evidence/proof.ts';
import { proofShape } from '../../src/evidence/shapes.ts';
import type { Finding } from '../../src/finding/finding.ts';
import { leafHash, recordLeafData } from '../../src/journal/leaf.ts';
import { encode } from '../../src/json/shape.ts';
import { signHead } from '../../src/log/head.ts';
import { ringOf } from '../../src/log/keyRing.ts';
import { logKey, publicKey, vector } from './fixtures.ts';

let key: PrivateKey;
beforeAll(async () => {
  key = await logKey();
});

function findingsOf(document: Uint8Array, heads: HeadChecker): readonly Finding[] {
  const read = readArtifact(proofShape, document);
  return read.ok ? checkProof(read.value, heads).findings : read.findings;
}

const fresh = () => new HeadChecker({ ring: ringOf(key.publicKey) });
const classOf = (document: string) => outcomeClass(findingsOf(utf8(document), fresh()));

describe('a proof bundle', () => {
  it('proves a record of the journal, and writes itself again byte for byte', () => {
    for (const json of [
      vector('computed', 'proof_bundle_leaf_3'),
      vector('computed', 'proof_bundle_single_leaf_tree', 'json'),
    ]) {
      const read = readArtifact(proofShape, utf8(json));
      if (!read.ok) throw new Error('does not read');
      const report = checkProof(read.value, fresh());
      expect(report.findings).toEqual([]);
      expect(isProven(report)).toBe(true);
      expect(new TextDecoder().decode(encode(proofShape, read.value))).toBe(json);
    }
  });

  it('is indented, or has its members in another order, and proves the same', () => {
    const bundle = JSON.parse(
      vector('computed', 'proof_bundle_leaf_3').replace('1767225607123456789', '"TIME"'),
    ) as Record<string, unknown>;
    const text = JSON.stringify(Object.fromEntries(Object.entries(bundle).reverse()), null, 2).replace(
      '"TIME"',
      '1767225607123456789',
    );
    expect(classOf(text)).toBe('verified');
  });

  it.each(
    vector<{ name: string; document: string; class: string }[]>('computed', 'negative_proof_bundles', 'cases').map(
      (item) => [item.name, item] as const,
    ),
  )('fails as the vectors say: %s', (_, item) => {
    expect(classOf(item.document)).toBe(item.class);
  });

  it.each(
    vector<{ name: string; bundle_json: string; class: string }[]>('computed', 'record_bytes_cases').map(
      (item) => [item.name, item] as const,
    ),
  )('reads its record one way: %s', (_, item) => {
    expect(classOf(item.bundle_json)).toBe(item.class);
  });

  it('says nothing about authorship without a key, and fails under another', async () => {
    const read = readArtifact(proofShape, utf8(vector('computed', 'proof_bundle_leaf_3')));
    if (!read.ok) throw new Error('does not read');
    const without = checkProof(read.value, new HeadChecker({ ring: [] }));
    expect(without.authorship).toBe('undecided');
    expect(isProven(without)).toBe(false);
    const other = await publicKey(vector('computed', 'keys', 'another log', 'public_key_text'));
    const report = checkProof(read.value, new HeadChecker({ ring: ringOf(other) }));
    expect(report.authorship).toBe('failed');
    expect(report.inclusion).toBe('verified');
    expect(report.findings.map((finding) => finding.code)).toEqual(['log/head-signature']);
  });

  it('reports every independent fault at once', () => {
    const bundle = vector('computed', 'proof_bundle_leaf_3')
      .replace('"run_id":"acme/order-42"', '"run_id":"another"')
      .replace('"index":3', '"index":2')
      .replace('"signature":"Z', '"signature":"Y');
    const codes = findingsOf(utf8(bundle), fresh()).map((finding) => finding.code);
    expect(codes).toEqual(['log/head-signature', 'evidence/head-run', 'evidence/not-included']);
  });

  it('stands and warns where its record has no salt of 32 bytes', () => {
    for (const salt of ['', `,"salt":"${base64(new Uint8Array(31))}"`]) {
      const record = utf8(`{"name":"n","kind":"value","result":1${salt}}`);
      const root = leafHash(recordLeafData(record));
      const sth = signHead({ kind: 'journal', run_id: 'r', size: 1, root, timestamp_nanos: 5n }, key);
      const inclusion = { index: 0, size: 1, path: null };
      const report = checkProof(
        { format: 'bide.audit.proof.v3', run_id: 'r', record_bytes: record, inclusion, sth },
        fresh(),
      );
      expect(report.findings.map((finding) => [finding.code, finding.class])).toEqual([
        ['evidence/record-unsalted', 'none'],
      ]);
      expect(isProven(report)).toBe(true);
    }
  });

  it('is refused whichever byte of it is changed, and the finding names the part', () => {
    const original = utf8(vector('computed', 'proof_bundle_leaf_3'));
    const heads = fresh();
    for (let at = 0; at < original.length; at++) {
      for (const change of [1, 0x20, 0x80]) {
        const bytes = original.slice();
        bytes[at] = (bytes[at] as number) ^ change;
        const findings = findingsOf(bytes, heads).filter((finding) => finding.class !== 'none');
        if (findings.length === 0) throw new Error(`byte ${at} changed by ${change} and nothing was found`);
        expect(['not_verified', 'format', 'malformed']).toContain(outcomeClass(findings));
        expect(
          findings.every((finding) => finding.where.pointer !== undefined || finding.where.byte !== undefined),
        ).toBe(true);
      }
    }
  });
});
