import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { decodeUtf8, hex, utf8 } from '../../src/bytes/encoding.ts';
import { SCHEMES } from '../../src/crypto/keys.ts';
import { encode } from '../../src/json/shape.ts';
import {
  DEFAULT_SKEW,
  HEAD_FORMAT,
  type HeadContent,
  headFindings,
  headHash,
  headOrderFindings,
  headShape,
  headTimeFindings,
  signedBytes,
  signHead,
  type TreeHead,
} from '../../src/log/head.ts';
import { authenticateHead, inForce, ringOf, ringOfTrusted } from '../../src/log/keyRing.ts';
import { readStrictly } from '../../src/log/read.ts';
import { testKey } from './keys.ts';

const content: HeadContent = {
  kind: 'journal',
  run_id: 'acme/order>42',
  size: 7,
  root: new Uint8Array(32).fill(7),
  timestamp_nanos: 1_767_225_607_123_456_789n,
};
const keySet: HeadContent = { ...content, kind: 'absence/tool-use', journal: { size: 7, root: new Uint8Array(32) } };
const codes = (findings: readonly { readonly code: string }[]) => findings.map((finding) => finding.code);

describe('a tree head', () => {
  it.each(SCHEMES)(
    'signed with %s verifies under its key and under no other, and survives its own JSON',
    async (scheme) => {
      const key = await testKey(scheme, 1);
      const other = await testKey(scheme, 2);
      const head = signHead(keySet, key);
      expect(headFindings(head, key.publicKey)).toEqual([]);
      expect(codes(headFindings(head, other.publicKey))).toEqual(['log/head-signature']);
      const text = encode(headShape, head);
      const read = readStrictly(headShape, text);
      expect(read).toEqual({ ok: true, value: head });
      expect(decodeUtf8(text)).toContain('acme/order\\u003e42');
      if (read.ok) expect(headFindings(read.value, key.publicKey)).toEqual([]);
    },
  );

  it('is bound to every member: a change of any breaks it', async () => {
    const key = await testKey('ed25519', 1);
    const head = signHead(keySet, key);
    const changes: readonly Partial<TreeHead>[] = [
      { kind: 'absence/policy-used' },
      { run_id: 'acme/order-42' },
      { size: 8 },
      { root: new Uint8Array(32).fill(8) },
      { root: null },
      { timestamp_nanos: content.timestamp_nanos + 1n },
      { journal: { size: 8, root: new Uint8Array(32) } },
      { journal: { size: 7, root: new Uint8Array(31) } },
      { signature: null },
      { signature: (head.signature as Uint8Array).slice(1) },
    ];
    for (const change of changes)
      expect(codes(headFindings({ ...head, ...change }, key.publicKey))).toEqual(['log/head-signature']);
    expect(codes(headFindings({ ...head, alg: 'ecdsa-p256' }, key.publicKey))).toEqual(['log/head-scheme']);
    const flipped = head.signature as Uint8Array;
    for (let i = 0; i < flipped.length; i++) {
      const signature = flipped.map((byte, at) => (at === i ? byte ^ 1 : byte));
      expect(codes(headFindings({ ...head, signature }, key.publicKey))).toEqual(['log/head-signature']);
    }
  });

  it('says its format before anything else, and its shape before its signature', async () => {
    const key = await testKey('ed25519', 1);
    const head = signHead(content, key);
    expect(codes(headFindings({ ...head, format: 'bide.audit.sth.v4', size: -1 }, key.publicKey))).toEqual([
      'log/head-format',
    ]);
    expect(codes(headFindings(null, key.publicKey))).toEqual(['log/head-format']);
    for (const change of [
      { size: -1 },
      { kind: 'ledger' },
      { kind: 'absence/' },
      { journal: { size: 0, root: null } },
      { kind: 'absence/tool-use' },
      { kind: 'absence/tool-use', journal: { size: -1, root: null } },
    ]) {
      const bent = { ...head, ...change };
      const signed = { ...bent, signature: key.sign(signedBytes(bent)) };
      expect(codes(headFindings(signed, key.publicKey))).toEqual(['log/head-malformed']);
    }
  });

  it('is not signed by this program when it is not well formed', async () => {
    const key = await testKey('ed25519', 1);
    for (const change of [
      { size: -1 },
      { kind: 'ledger' },
      { root: new Uint8Array(31) },
      { timestamp_nanos: 0n },
      { run_id: '\ud800' },
      { journal: { size: 1, root: new Uint8Array(32) } },
    ])
      expect(() => signHead({ ...content, ...change }, key)).toThrow(RangeError);
  });

  it('has a hash that leaves the signature out', async () => {
    const head = signHead(content, await testKey('ed25519', 1));
    expect(hex(headHash({ ...head, signature: null }))).toBe(hex(headHash(head)));
    expect(hex(headHash({ ...head, alg: 'ml-dsa-65' }))).not.toBe(hex(headHash(head)));
  });

  it('is refused with a place when its JSON is not strict', () => {
    const text = `{"format":"${HEAD_FORMAT}","kind":"journal","run_id":"r","size":1.0,"root":"","timestamp_nanos":1,"alg":"","signature":null}`;
    expect(readStrictly(headShape, utf8(text))).toMatchObject({
      ok: false,
      findings: [{ code: 'log/malformed', class: 'unusable', where: { pointer: '/size' } }],
    });
    expect(readStrictly(headShape, utf8('{"format":"bide.audit.sth.v6","x":1}'))).toMatchObject({
      ok: false,
      findings: [{ code: 'log/format', expected: HEAD_FORMAT, actual: 'bide.audit.sth.v6' }],
    });
  });
});

describe('the timestamp rule', () => {
  const at = (timestamp_nanos: bigint): TreeHead => ({
    ...content,
    format: HEAD_FORMAT,
    timestamp_nanos,
    journal: null,
    alg: 'ed25519',
    signature: null,
  });

  it('takes times above zero and up to exactly the skew after now', () => {
    const now = 1_700_000_000_000_000_000n;
    expect(codes(headTimeFindings(at(0n), now))).toEqual(['log/head-time']);
    expect(codes(headTimeFindings(at(-1n), now))).toEqual(['log/head-time']);
    expect(headTimeFindings(at(1n), now)).toEqual([]);
    expect(headTimeFindings(at(now + DEFAULT_SKEW), now)).toEqual([]);
    expect(codes(headTimeFindings(at(now + DEFAULT_SKEW + 1n), now))).toEqual(['log/head-future']);
    expect(headTimeFindings(at(now + DEFAULT_SKEW + 1n), undefined)).toEqual([]);
    expect(codes(headTimeFindings(at(now + 1n), now, 0n))).toEqual(['log/head-future']);
  });

  it('refuses a later head that is stamped earlier, without tolerance', () => {
    expect(headOrderFindings(at(5n), at(5n))).toEqual([]);
    expect(codes(headOrderFindings(at(5n), at(4n)))).toEqual(['log/head-order']);
  });
});

describe('a key ring', () => {
  it('judges a head by the key of its time and by no other', async () => {
    const old = await testKey('ed25519', 1);
    const current = await testKey('ed25519', 2);
    const ring = [
      { name: 'old', key: old.publicKey, to: 100n },
      { name: 'current', key: current.publicKey, from: 101n, to: 200n },
    ];
    const head = (timestamp_nanos: bigint, key = old) => signHead({ ...content, timestamp_nanos }, key);
    expect(authenticateHead(head(100n), ring)).toMatchObject({ ok: true, by: { name: 'old' } });
    expect(authenticateHead(head(101n), ring)).toMatchObject({ ok: false, findings: [{ code: 'log/head-signature' }] });
    expect(authenticateHead(head(101n, current), ring)).toMatchObject({ ok: true, by: { name: 'current' } });
    expect(authenticateHead(head(100n, current), ring)).toMatchObject({ ok: false });
    expect(authenticateHead(head(201n, current), ring)).toMatchObject({
      ok: false,
      findings: [{ code: 'log/head-no-key' }],
    });
    expect(authenticateHead(undefined, ring)).toMatchObject({ ok: false, findings: [{ code: 'log/head-format' }] });
    expect(authenticateHead(head(5n), ringOf((await testKey('ecdsa-p256', 1)).publicKey))).toMatchObject({
      ok: false,
      findings: [{ code: 'log/head-scheme' }],
    });
  });

  it('takes the exclusive end of a trust file as the last instant before it', async () => {
    const key = (await testKey('ed25519', 1)).publicKey;
    const ring = ringOfTrusted([{ name: 'k', roles: ['log'], key, from: 10n, until: 20n }]);
    const held = (at: bigint) => inForce(ring, at).length === 1;
    expect([9n, 10n, 19n, 20n].map(held)).toEqual([false, true, true, false]);
    fc.assert(fc.property(fc.bigInt(0n, 40n), (at) => held(at) === (at >= 10n && at < 20n)));
  });
});
