import { describe, expect, it } from 'vitest';
import { hex, utf8 } from '../../src/bytes/encoding.ts';
import { sha256 } from '../../src/crypto/sha256.ts';
import { ringOf } from '../../src/log/keyRing.ts';
import { readStrictly } from '../../src/log/read.ts';
import {
  checkSessionDisclosure,
  entryId,
  type SessionDisclosure,
  sessionDisclosureShape,
  writeSessionDisclosure,
} from '../../src/log/sessionDisclosure.ts';
import { headerIdent, type SessionContent, sessionTree, signSessionHead } from '../../src/log/sessionHead.ts';
import { testKey } from './keys.ts';

const HEADER = utf8(
  '{"created_at":"2026-11-01T09:00:00Z","format":"agentsession/0.14","id":"s-1","payload":"openresponses/2026-04-24","type":"session"}',
);

/** An entry with its id computed by hand (session-format 4.4). */
function entry(n: number): { readonly id: string; readonly line: Uint8Array } {
  const envelope = `{"content":"sha256:${hex(sha256(utf8(`{"n":${n}}`)))}","parent":null,"ts":null,"type":"x"}`;
  const id = `sha256:${hex(sha256(utf8(envelope)))}`;
  return { id, line: utf8(`{"type":"x", "n":${n}, "id":"${id}"}`) };
}
const entries = Array.from({ length: 11 }, (_, n) => entry(n));
const content: SessionContent = {
  session: 's-1',
  ident: headerIdent(HEADER) as Uint8Array,
  declared: 'agentsession/0.14',
  entries: entries.length,
  id: (n) => (entries[n] as (typeof entries)[0]).id,
};
const key = await testKey('ed25519', 1);
const ring = ringOf(key.publicKey, 'log');
const head = signSessionHead(content, 1_000n, key);
const tree = sessionTree(content);
const chosen = [2, 7].map((n) => ({ leaf: n + 1, line: (entries[n] as (typeof entries)[0]).line }));
const bytes = writeSessionDisclosure(head, tree, chosen, HEADER) as Uint8Array;
const read = readStrictly(sessionDisclosureShape, bytes);
if (!read.ok) throw new Error('the disclosure does not read');
const file = read.value;
const judge = (change: Partial<SessionDisclosure>) => checkSessionDisclosure({ ...file, ...change }, ring);
const codes = ({ findings }: { readonly findings: readonly { readonly code: string }[] }) =>
  findings.map(({ code }) => code);
const [first, second] = file.entries as [
  NonNullable<SessionDisclosure['entries']>[0],
  NonNullable<SessionDisclosure['entries']>[0],
];

describe('a disclosure of a session', () => {
  it('shows chosen entries under the head, and is small', () => {
    expect(judge({})).toMatchObject({
      findings: [],
      signed: true,
      inclusion: 'verified',
      shown: [{ leaf: 3 }, { leaf: 8 }],
    });
    const one = writeSessionDisclosure(head, tree, chosen.slice(0, 1)) as Uint8Array;
    expect(one.length).toBeLessThan(4000);
    expect(new TextDecoder().decode(one)).not.toContain((entries[4] as (typeof entries)[0]).id.slice(7));
    expect(checkSessionDisclosure(file, [])).toMatchObject({ signed: undefined, inclusion: 'verified' });
  });

  it('names each fault: head, header, order, line, position', async () => {
    expect(codes(judge({ head: { ...head, size: 13 } }))).toContain('log/head-signature');
    expect(codes(judge({ head: { ...head, size: 0 } }))).toEqual(['log/head-malformed']);
    expect(codes(judge({ header: utf8('{"id":"s-1"}') }))).toEqual(['log/session-other']);
    expect(codes(judge({ header: null }))).toEqual([]);
    expect(codes(judge({ entries: [second, first] }))).toEqual(['log/disclosure-order']);
    expect(codes(judge({ entries: [first, first] }))).toEqual(['log/disclosure-order']);
    expect(codes(judge({ entries: [{ ...first, leaf: 4 }] }))).toEqual(['log/disclosure-inclusion']);
    expect(codes(judge({ entries: [{ ...first, leaf: 0 }] }))).toEqual([
      'log/disclosure-order',
      'log/disclosure-inclusion',
    ]);
    expect(codes(judge({ entries: [{ ...first, leaf: 12 }] }))).toEqual(['log/disclosure-inclusion']);
    expect(codes(judge({ entries: [{ ...first, line: second.line }] }))).toEqual(['log/disclosure-inclusion']);
    expect(codes(judge({ entries: [{ ...first, line: utf8('{}') }] }))).toEqual(['log/disclosure-entry']);
    expect(judge({ entries: [] })).toMatchObject({ findings: [], inclusion: 'undecided' });
    expect(judge({ entries: null })).toMatchObject({ inclusion: 'undecided' });
    const other = ringOf((await testKey('ed25519', 2)).publicKey);
    expect(checkSessionDisclosure(file, other)).toMatchObject({ signed: false, inclusion: 'verified' });
  });

  it('stays under its head however a line is formatted, and never with other content', () => {
    const { id } = entries[2] as (typeof entries)[0];
    const respelled = utf8(`{"id":"${id}","n":2e0,"type":"\\u0078"}`);
    expect(judge({ entries: [{ ...first, line: respelled }] }).findings).toEqual([]);
    expect(entryId(utf8(`{"id":"${id}","n":3,"type":"x"}`))).toBeUndefined();
    for (const line of [
      '',
      '[]',
      '{"type":"x"}',
      `{"id":"${id}"}`,
      `{"id":"${id}","type":1}`,
      `{"id":7,"type":"x"}`,
      `{"id":"${id}","id":"${id}","n":2,"type":"x"}`,
    ])
      expect(entryId(utf8(line))).toBeUndefined();
  });

  it('does not survive the change of any byte', () => {
    for (let i = 0; i < bytes.length; i++) {
      const bent = readStrictly(
        sessionDisclosureShape,
        bytes.map((byte, at) => (at === i ? byte ^ 1 : byte)),
      );
      expect(bent.ok && checkSessionDisclosure(bent.value, ring).findings.length === 0 ? i : undefined).toBeUndefined();
    }
  });

  it('is not written for what is not under the head', () => {
    expect(writeSessionDisclosure(head, tree, [{ leaf: 12, line: first.line as Uint8Array }])).toBeUndefined();
    expect(writeSessionDisclosure(head, tree, [{ leaf: 3, line: second.line as Uint8Array }])).toBeUndefined();
    expect(writeSessionDisclosure(head, tree, [])).toBeUndefined();
  });
});
