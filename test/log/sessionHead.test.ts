import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { concat, hex, utf8 } from '../../src/bytes/encoding.ts';
import { sha256 } from '../../src/crypto/sha256.ts';
import { canonicalize } from '../../src/json/canonical.ts';
import { encode } from '../../src/json/shape.ts';
import { parseTree } from '../../src/json/tree.ts';
import { parseCheckpoint } from '../../src/log/checkpoint.ts';
import { ringOf } from '../../src/log/keyRing.ts';
import { readStrictly } from '../../src/log/read.ts';
import {
  authenticateSessionHead,
  bindSession,
  entryLeaf,
  headerIdent,
  headerLeaf,
  type SessionContent,
  type SessionHead,
  sessionHeadAsCheckpoint,
  sessionHeadBytes,
  sessionHeadFindings,
  sessionHeadShape,
  sessionRoots,
  sessionTree,
  signSessionHead,
} from '../../src/log/sessionHead.ts';
import { leafHash } from '../../src/merkle/hash.ts';
import { consistencyFault, inclusionFault } from '../../src/merkle/proof.ts';
import { testKey } from './keys.ts';

const id = (n: number) => `sha256:${hex(sha256(utf8(`entry ${n}`)))}`;
const content = (ids: readonly string[], more: Partial<SessionContent> = {}): SessionContent => ({
  session: 's-1',
  ident: new Uint8Array(sha256(utf8('header'))),
  declared: 'agentsession/0.14',
  entries: ids.length,
  id: (entry) => ids[entry] as string,
  ...more,
});
const ids = Array.from({ length: 9 }, (_, n) => id(n));
const key = await testKey('ed25519', 1);
const codes = (findings: readonly { readonly code: string }[]) => findings.map((finding) => finding.code);

describe('the identity of a header', () => {
  it('is the hash of its canonical form without the format, however it is written', () => {
    const parse = (text: string) => {
      const parsed = parseTree(utf8(text));
      if (!parsed.ok) throw new Error(parsed.problem.message);
      return canonicalize(parsed.root);
    };
    const expected = hex(sha256(parse('{"id":"a","cwd":"é","n":1.0}')));
    for (const text of [
      '{"cwd":"é","format":"agentsession/0.14","id":"a","n":1}',
      ' { "n": 1e0, "id":"\\u0061", "format" : "agentsession/0.12","cwd":"\\u00e9" } ',
    ])
      expect(hex(headerIdent(utf8(text)) as Uint8Array)).toBe(expected);
    expect(headerIdent(utf8('[1]'))).toBeUndefined();
    expect(headerIdent(utf8('{"id":'))).toBeUndefined();
    expect(headerIdent(utf8('{"id":"a","id":"b"}'))).toBeUndefined();
  });
});

describe('a session head', () => {
  const head = signSessionHead(content(ids), 1_000n, key);

  it('covers the header and every entry, and verifies under its key alone', async () => {
    expect(head.size).toBe(10);
    expect(sessionHeadFindings(head, key.publicKey)).toEqual([]);
    expect(codes(sessionHeadFindings(head, (await testKey('ed25519', 2)).publicKey))).toEqual(['log/head-signature']);
    expect(codes(sessionHeadFindings(head, (await testKey('ecdsa-p256', 2)).publicKey))).toEqual(['log/head-scheme']);
    expect(authenticateSessionHead(head, ringOf(key.publicKey, 'k'))).toMatchObject({
      by: { name: 'k' },
      findings: [],
    });
    expect(codes(authenticateSessionHead(head, [{ name: 'k', key: key.publicKey, from: 1_001n }]).findings)).toEqual([
      'log/head-no-key',
    ]);
    expect(bindSession(content(ids), head)).toEqual({ findings: [], covered: 9, unattested: 0 });
  });

  it('survives its own JSON and breaks with any change of a member', () => {
    expect(readStrictly(sessionHeadShape, encode(sessionHeadShape, head))).toEqual({ ok: true, value: head });
    const changes: readonly Partial<SessionHead>[] = [
      { session: 's-2' },
      { ident: sha256(utf8('x')) },
      { declared: 'agentsession/0.13' },
      { size: 9 },
      { root: sha256(utf8('x')) },
      { timestamp_nanos: 1_001n },
      { signature: null },
    ];
    for (const change of changes)
      expect(codes(sessionHeadFindings({ ...head, ...change }, key.publicKey))).toEqual(['log/head-signature']);
    const shapeless: readonly Partial<SessionHead>[] = [{ session: '' }, { ident: null }, { root: null }, { size: 0 }];
    for (const change of shapeless) {
      const bent = { ...head, ...change };
      const signed = { ...bent, signature: key.sign(sessionHeadBytes(bent)) };
      expect(codes(sessionHeadFindings(signed, key.publicKey))).toEqual(['log/head-malformed']);
    }
  });

  it('counts later entries as unattested', () => {
    expect(bindSession(content([...ids, id(100), id(101)]), head)).toEqual({ findings: [], covered: 9, unattested: 2 });
  });

  it('notices every entry that is changed, removed, added in between or moved, and every other header', () => {
    const find = (changed: SessionContent) => codes(bindSession(changed, head).findings);
    for (let i = 0; i < ids.length; i++) {
      expect(find(content(ids.map((one, at) => (at === i ? id(50) : one))))).toEqual(['log/session-history']);
      expect(find(content(ids.filter((_, at) => at !== i)))).toEqual(['log/session-truncated']);
      expect(find(content([...ids.slice(0, i), id(50), ...ids.slice(i)]))).toEqual(['log/session-history']);
      if (i > 0) {
        const moved = [...ids];
        [moved[i - 1], moved[i]] = [moved[i] as string, moved[i - 1] as string];
        expect(find(content(moved))).toEqual(['log/session-history']);
      }
    }
    expect(find(content(ids, { session: 's-2' }))).toEqual(['log/session-other']);
    expect(find(content(ids, { ident: sha256(utf8('x')) }))).toEqual(['log/session-other']);
    expect(find(content(ids, { declared: 'agentsession/0.13' }))).toEqual(['log/session-other']);
    expect(find(content([]))).toEqual(['log/session-truncated']);
  });

  it('gives proofs of single entries and of growth', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 40 }), fc.nat(), (n, pick) => {
        const all = Array.from({ length: n }, (_, i) => id(i));
        const tree = sessionTree(content(all));
        const roots = sessionRoots(content(all), [1, 1 + (pick % n), n + 1]);
        const entry = pick % n;
        const proof = tree.inclusion(entry + 1);
        const leaf = leafHash(entryLeaf(entry + 1, all[entry] as string));
        const root = roots.get(n + 1) as Uint8Array;
        expect(inclusionFault(root, leaf, proof.index, proof.size, proof.path)).toBeUndefined();
        // The same id at another position is another leaf.
        expect(hex(leafHash(entryLeaf(entry + 2, all[entry] as string)))).not.toBe(hex(leaf));
        const first = 1 + (pick % n);
        const growth = tree.consistency(first);
        expect(consistencyFault(first, n + 1, growth.path, roots.get(first) as Uint8Array, root)).toBeUndefined();
      }),
      { numRuns: 60 },
    );
    expect(sessionRoots(content(ids), [11]).size).toBe(0);
    const header = headerLeaf(sha256(utf8('header')), 'agentsession/0.14');
    expect(hex(sessionRoots(content([]), [1]).get(1) as Uint8Array)).toBe(hex(leafHash(header)));
  });

  it('has a checkpoint form whose origin names the session and its header', () => {
    const parsed = parseCheckpoint(utf8(sessionHeadAsCheckpoint(head, 'log.example/a')));
    expect(parsed).toMatchObject({ ok: true, value: { size: 10n, root: head.root, extensions: [] } });
    if (parsed.ok) expect(parsed.value.origin).toBe(`log.example/a/session/s-1%2F${hex(head.ident as Uint8Array)}`);
  });

  it('is not signed for a session without identity or at no time', () => {
    expect(() => signSessionHead(content(ids, { ident: concat() }), 1n, key)).toThrow(RangeError);
    expect(() => signSessionHead(content(ids, { session: '' }), 1n, key)).toThrow(RangeError);
    expect(() => signSessionHead(content(ids), 0n, key)).toThrow(RangeError);
    for (const wrong of [
      'sha256:XYZ',
      id(1).toUpperCase(),
      id(1).slice(1),
      `${id(1)}0`,
      `${id(1).slice(0, -1)}G`,
      `${id(1).slice(0, -1)}é`,
      `${id(1).slice(0, -2)}G0`,
    ])
      expect(() => entryLeaf(1, wrong)).toThrow(RangeError);
    expect(hex(entryLeaf(258, id(1)).subarray(-40))).toBe(`0000000000000102${id(1).slice(7)}`);
  });
});
