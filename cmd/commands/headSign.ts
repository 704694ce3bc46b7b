/** `audit head sign`: a signed head over a journal as it stands, or over a session. */
import { encode } from '../../src/json/shape.ts';
import { headShape, signHead } from '../../src/log/head.ts';
import { sessionHeadShape, signSessionHead } from '../../src/log/sessionHead.ts';
import { type Command, UsageError } from '../command.ts';
import { AT, OUT } from '../options.ts';
import { deliver, KEY, momentOf, privateKey, refuse } from '../producing.ts';
import { namedSource, readTreeSource, TREE_OPTIONS } from '../treeSource.ts';

export const headSignCommand: Command = {
  name: 'head sign',
  summary:
    'Sign a head over a journal or a session: who holds it can prove what was there, and that nothing is missing.',
  options: [...TREE_OPTIONS.filter(({ name }) => name !== 'leaves'), KEY, AT, OUT],
  examples: [
    {
      command: 'audit head sign --session session.jsonl --key log.key --out head.json',
      says: 'Commits to the header and to every entry, in order.',
    },
    {
      command: 'audit head sign --journal run.json --key log.key --at 2026-11-30T12:00:00Z',
      says: 'A tree head of kind journal over an export, on standard output.',
    },
  ],
  async run(args, io) {
    namedSource(args, ['journal', 'session']);
    const time = momentOf(args, io);
    if (time <= 0n || time >= 1n << 63n) throw new UsageError('a head is stamped after 1970 and before 2262');
    const key = await privateKey(args, io);
    const read = readTreeSource(args, io);
    if (!read.ok) return refuse(read.findings, io);
    const { source } = read;
    if (source.of === 'session')
      return deliver(encode(sessionHeadShape, signSessionHead(source.content, time, key)), args, io);
    if (source.of === 'leaves') throw new Error('leaves are no source of a head');
    const { tree, journal } = source;
    const content = { kind: 'journal', run_id: journal.run, size: tree.size, root: tree.root(), timestamp_nanos: time };
    return deliver(encode(headShape, signHead(content, key)), args, io);
  },
};
