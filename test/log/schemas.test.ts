/** What is written here against the published schemas, and what they refuse. */
import { readFileSync } from 'node:fs';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { describe, expect, it } from 'vitest';
import { decodeUtf8, hex, u32, utf8 } from '../../src/bytes/encoding.ts';
import { sha256 } from '../../src/crypto/sha256.ts';
import { encode } from '../../src/json/shape.ts';
import { anchorEntry, anchorLeafData, writeAnchorReceipt } from '../../src/log/anchor.ts';
import { checkpointText } from '../../src/log/checkpoint.ts';
import { writeConsistency } from '../../src/log/consistency.ts';
import { findDivergence, writeEquivocation } from '../../src/log/equivocation.ts';
import { headShape, signHead } from '../../src/log/head.ts';
import { signNote } from '../../src/log/note.ts';
import { ed25519Signer } from '../../src/log/noteKey.ts';
import { writeSessionDisclosure } from '../../src/log/sessionDisclosure.ts';
import { sessionHeadShape, sessionTree, signSessionHead } from '../../src/log/sessionHead.ts';
import { MerkleTree } from '../../src/merkle/tree.ts';
import { testKey } from './keys.ts';

const NAMES = [
  'tree-head',
  'session-head',
  'equivocation',
  'consistency',
  'anchor-receipt',
  'session-disclosure',
] as const;
const ajv = new Ajv2020({ strict: true, strictRequired: false, allowUnionTypes: true });
for (const name of NAMES)
  ajv.addSchema(JSON.parse(readFileSync(new URL(`../../schemas/${name}.schema.json`, import.meta.url), 'utf8')));

const key = await testKey('ed25519', 1);
const tree = MerkleTree.ofLeaves(Array.from({ length: 9 }, (_, i) => u32(i)));
const fork = MerkleTree.ofLeaves(Array.from({ length: 9 }, (_, i) => u32(i === 2 ? 99 : i)));
const head = (size: number, of = tree) =>
  signHead(
    { kind: 'journal', run_id: 'r', size, root: of.root(size), timestamp_nanos: 1_767_225_607_123_456_789n },
    key,
  );
const keySet = signHead(
  {
    kind: 'absence/tool-use',
    run_id: 'r',
    size: 0,
    root: tree.root(0),
    timestamp_nanos: 1n,
    journal: { size: 9, root: tree.root() },
  },
  key,
);
const session = (entries: number) =>
  signSessionHead(
    { session: 's', ident: new Uint8Array(32), declared: 'd', entries, id: () => `sha256:${'a'.repeat(64)}` },
    1n,
    key,
  );
const note = (size: number, of = tree) =>
  decodeUtf8(signNote(checkpointText('log.example', size, of.root(size)), ed25519Signer('log.example', key))) as string;
const entry = anchorEntry(0, head(9));

const body = `{"content":"sha256:${hex(sha256(utf8('{}')))}","parent":null,"ts":null,"type":"x"}`;
const id = `sha256:${hex(sha256(utf8(body)))}`;
const shownContent = { session: 's', ident: new Uint8Array(32), declared: 'd', entries: 1, id: () => id };
const disclosed = writeSessionDisclosure(signSessionHead(shownContent, 1n, key), sessionTree(shownContent), [
  { leaf: 1, line: utf8(`{"id":"${id}","type":"x"}`) },
]);

const parse = (bytes: Uint8Array | undefined): Record<string, unknown> =>
  JSON.parse(decodeUtf8(bytes as Uint8Array) as string);
const GOOD: readonly (readonly [(typeof NAMES)[number], Record<string, unknown>])[] = [
  ['tree-head', parse(encode(headShape, head(7)))],
  ['tree-head', parse(encode(headShape, keySet))],
  ['session-head', parse(encode(sessionHeadShape, session(3)))],
  ['equivocation', parse(writeEquivocation({ heads: [head(7), head(7, fork)] }))],
  [
    'equivocation',
    parse(
      writeEquivocation(
        { heads: [head(7), head(9, fork)] },
        findDivergence(MerkleTree.ofHashes([...Array(7).keys()].map((i) => tree.leaf(i))), fork),
      ),
    ),
  ],
  ['equivocation', parse(writeEquivocation({ checkpoints: [note(7), note(7, fork)] }))],
  ['consistency', parse(writeConsistency({ heads: [head(3), head(7)] }, tree.consistency(3, 7).path))],
  ['consistency', parse(writeConsistency({ session_heads: [session(3), session(3)] }, null))],
  ['session-disclosure', parse(disclosed)],
  ['anchor-receipt', parse(writeAnchorReceipt(entry, MerkleTree.ofLeaves([anchorLeafData(entry)]).inclusion(0)))],
];

describe('the published schemas', () => {
  it.each(GOOD)('take what is written as %s', (name, value) => {
    const validate = ajv.getSchema(`${name}.schema.json`);
    expect([validate?.(value), validate?.errors]).toEqual([true, null]);
  });

  it.each(GOOD)('refuse a %s with any member missing or one too many', (name, value) => {
    const validate = ajv.getSchema(`${name}.schema.json`);
    expect(validate?.({ ...value, more: 1 })).toBe(false);
    for (const member of Object.keys(value).filter((one) => one !== 'divergence')) {
      const { [member]: _, ...rest } = value;
      expect(`${member} ${validate?.(rest)}`).toBe(`${member} false`);
    }
  });
});
