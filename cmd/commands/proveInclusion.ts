/** `audit prove inclusion`: one record of a run under its head, or one entry of a log under its checkpoint. */

import { equalBytes } from '../../src/bytes/encoding.ts';
import { proveRecord } from '../../src/evidence/journalTree.ts';
import { proofShape } from '../../src/evidence/shapes.ts';
import { Unreadable } from '../../src/host/files.ts';
import { encode } from '../../src/json/shape.ts';
import { writeSessionDisclosure } from '../../src/log/sessionDisclosure.ts';
import { bindSession } from '../../src/log/sessionHead.ts';
import { judgeSingle, readSingle, type SingleStatement } from '../../src/log/statement.ts';
import { writeTlogProof } from '../../src/log/tlogProof.ts';
import { type Args, type Command, type Io, UsageError } from '../command.ts';
import { OUT } from '../options.ts';
import { deliver, readNamed, refuse } from '../producing.ts';
import { namedSource, readTreeSource, TREE_OPTIONS, type TreeSource } from '../treeSource.ts';

export const proveInclusionCommand: Command = {
  name: 'prove inclusion',
  summary: 'Prove that one record or entry is under a signed head, without showing the others.',
  options: [
    ...TREE_OPTIONS,
    {
      name: 'entry',
      type: 'text',
      repeatable: true,
      placeholder: 'ID',
      describe: 'An entry of the session to show; the others stay hidden.',
    },
    { name: 'show-header', type: 'flag', describe: 'Show the header of the session too.' },
    { name: 'head', type: 'text', placeholder: 'FILE', describe: 'The signed head or checkpoint to prove it under.' },
    { name: 'index', type: 'text', placeholder: 'N', describe: 'Position of the record or entry, from 0.' },
    {
      name: 'record',
      type: 'text',
      placeholder: 'NAME',
      describe: 'Name of the journal record, in place of its position.',
    },
    OUT,
  ],
  examples: [
    {
      command: 'audit prove inclusion --journal run.json --head head.json --record tool:toolu_01 --out proof.json',
      says: 'A proof bundle: the record, its path and the head.',
    },
    {
      command: 'audit prove inclusion --session session.jsonl --head head.json --entry sha256:47818f… --out shown.json',
      says: 'A file that shows this entry and hides the rest.',
    },
    {
      command: 'audit prove inclusion --leaves entries.b64 --head checkpoint.txt --index 3 --out entry3.tlog-proof',
      says: 'A c2sp.org/tlog-proof@v1 file, which other tools check too.',
    },
  ],
  run(args, io) {
    const path = args.need('head');
    const named = namedSource(args);
    const entries = args.list('entry');
    if ((named === 'session') !== entries.length > 0)
      throw new UsageError('--entry names an entry of a --session, at least one');
    const [wanted, record] = [args.text('index'), args.text('record')];
    if (named !== 'session' && (wanted === undefined) === (record === undefined))
      throw new UsageError('one of --index and --record is needed');
    if (wanted !== undefined && !/^(?:0|[1-9][0-9]{0,14})$/.test(wanted))
      throw new UsageError(`--index takes a position from 0; not ${JSON.stringify(wanted)}`);
    const read = readTreeSource(args, io);
    if (!read.ok) return refuse(read.findings, io);
    const { source } = read;
    const single = readSingle(readNamed(path, io), { part: path });
    if (!single.ok) return refuse(single.findings, io);
    if (source.of === 'session') return disclosure(path, source, single.value, args, io);
    const index = indexOf(args, source);
    if (source.of === 'journal') {
      if (single.value.form !== 'heads') throw new Unreadable(`${path}: a journal record is proven under a tree head`);
      const made = proveRecord(source, index, single.value.value);
      return made.ok ? deliver(encode(proofShape, made.value), args, io) : refuse(made.findings, io);
    }
    if (single.value.form !== 'checkpoints')
      throw new Unreadable(`${path}: an entry of a log is proven under a checkpoint`);
    return tlogProof(path, source, index, single.value.value, args, io);
  },
};

/** Position of the record or entry that is asked for. Throws Unreadable where there is none. */
function indexOf(args: Args, source: TreeSource): number {
  const record = args.text('record');
  if (record !== undefined) {
    const found = source.of === 'journal' ? source.journal.records.findIndex(({ name }) => name === record) : -1;
    if (found < 0) throw new Unreadable(`no record is called ${JSON.stringify(record)}`);
    return found;
  }
  const position = Number(args.need('index'));
  if (position >= source.tree.size)
    throw new Unreadable(`there is no entry ${position}: ${source.tree.size} were given`);
  return position;
}

/** Chosen entries of a session under its head. */
function disclosure(
  path: string,
  { content, tree, session }: TreeSource & { readonly of: 'session' },
  head: SingleStatement,
  args: Args,
  io: Io,
): number {
  if (head.form !== 'session_heads')
    throw new Unreadable(`${path}: entries of a session are shown under a session head`);
  const positions = args.list('entry').map((id) => {
    const entry = session.find(id);
    if (entry === undefined || session.id(entry) !== id) throw new Unreadable(`the session holds no entry ${id}`);
    return entry;
  });
  const wrong = bindSession(content, head.value, { part: path }).findings;
  if (wrong.length > 0) return refuse(wrong, io);
  const entries = [...new Set(positions)]
    .sort((a, b) => a - b)
    .map((entry) => ({ leaf: entry + 1, line: session.bytes(entry) }));
  const header = args.flag('show-header') ? session.header.raw.bytes : null;
  const file = writeSessionDisclosure(head.value, tree, entries, header);
  if (file === undefined) throw new Unreadable(`${path}: an entry that is to be shown is later than this head`);
  return deliver(file, args, io);
}

function tlogProof(path: string, { tree }: TreeSource, index: number, note: string, args: Args, io: Io): number {
  const { statement } = judgeSingle({ form: 'checkpoints', value: note }, []);
  const size = Number(statement?.size ?? 0n);
  if (statement === undefined || size > tree.size || index >= size || !equalBytes(tree.root(size), statement.root))
    throw new Unreadable(`${path}: the checkpoint is not over the entries given`);
  const hashes = (tree.inclusion(index, size).path ?? []) as readonly Uint8Array[];
  return deliver(
    writeTlogProof({ index: BigInt(index), path: hashes, note: new TextEncoder().encode(note) }),
    args,
    io,
  );
}
