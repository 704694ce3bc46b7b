/** A package of 10,000 actions against one of 1,000: checking and producing take time in proportion. */
import { utf8 } from '../src/bytes/encoding.ts';
import { importPrivateKey, isUnusable } from '../src/crypto/keys.ts';
import { sha256 } from '../src/crypto/sha256.ts';
import { HeadChecker } from '../src/evidence/heads.ts';
import { treeOfJournal } from '../src/evidence/journalTree.ts';
import { checkPackage } from '../src/evidence/package.ts';
import { producePackage } from '../src/evidence/packageProducer.ts';
import { readArtifact } from '../src/evidence/place.ts';
import { packageShape } from '../src/evidence/shapes.ts';
import { encodeRecord } from '../src/journal/encode.ts';
import { readEntries } from '../src/journal/export.ts';
import { EMPTY_RECORD } from '../src/journal/record.ts';
import { encode } from '../src/json/shape.ts';
import { signHead } from '../src/log/head.ts';
import { ringOf } from '../src/log/keyRing.ts';
import { compare, type Measurement } from './bench.ts';

const SMALL = 1_000;
const LARGE = 10_000;

async function signer() {
  const key = await importPrivateKey('ed25519', sha256(utf8('bench')));
  if (isUnusable(key)) throw new Error(key.unusable);
  return key;
}

async function packageOf(actions: number): Promise<{ make(): Uint8Array; bytes: Uint8Array }> {
  const key = await signer();
  const records = [
    { ...EMPTY_RECORD, name: '@journal', kind: 'header', format: 'bide.journal.v1-dev' },
    ...Array.from({ length: actions }, (_, i) => ({
      ...EMPTY_RECORD,
      name: `tool:c${i}`,
      kind: 'tool_result',
      toolUseId: `c${i}`,
      result: utf8(`{"amount":${i},"note":"paid"}`),
    })),
  ].map((record, i) => ({ data: encodeRecord({ ...record, salt: sha256(utf8(`salt ${i}`)) }) }));
  const { journal } = readEntries('bench', records);
  if (journal === undefined) throw new Error('the journal does not read');
  const of = treeOfJournal(journal);
  const content = { kind: 'journal', run_id: 'bench', size: of.tree.size, root: of.tree.root(), timestamp_nanos: 1n };
  const head = signHead(content, key);
  const make = () => {
    const made = producePackage(of, head, key);
    if (!made.ok) throw new Error('not produced');
    return encode(packageShape, made.value);
  };
  return { make, bytes: make() };
}

async function check(bytes: Uint8Array): Promise<void> {
  const { publicKey } = await signer();
  const read = readArtifact(packageShape, bytes);
  if (!read.ok) throw new Error('the package does not read');
  const report = checkPackage(read.value, 'none', new HeadChecker({ ring: ringOf(publicKey) }));
  if (report.findings.length > 0) throw new Error(report.findings[0]?.message);
}

const line = (small: number, large: number) =>
  `${SMALL} actions ${(small * 1000).toFixed(0)} ms, ${LARGE} actions ${(large * 1000).toFixed(0)} ms`;

export const benches: readonly Measurement[] = [
  {
    name: 'evidence: checking a package of 10,000 actions, per action, against one of 1,000',
    most: 1.5,
    async measure() {
      const [small, large] = [await packageOf(SMALL), await packageOf(LARGE)];
      const { a, b } = await compare(
        () => check(small.bytes),
        () => check(large.bytes),
        3,
      );
      return { ratio: b / LARGE / (a / SMALL), detail: line(a, b) };
    },
  },
  {
    name: 'evidence: producing a package of 10,000 actions, per action, against one of 1,000',
    most: 1.5,
    async measure() {
      const [small, large] = [await packageOf(SMALL), await packageOf(LARGE)];
      const { a, b } = await compare(small.make, large.make, 3);
      return { ratio: b / LARGE / (a / SMALL), detail: line(a, b) };
    },
  },
];
