/** `audit prove consistency`: that a later head continues an earlier one, from the journal, session or leaves that both are over. */
import { Unreadable } from '../../src/host/files.ts';
import { writeConsistency } from '../../src/log/consistency.ts';
import { judgeSingle, pairOf, readSingle } from '../../src/log/statement.ts';
import { type Command, UsageError } from '../command.ts';
import { OUT } from '../options.ts';
import { deliver, readNamed, refuse } from '../producing.ts';
import { readTreeSource, TREE_OPTIONS } from '../treeSource.ts';

export const proveConsistencyCommand: Command = {
  name: 'prove consistency',
  summary: 'Prove that a later head continues an earlier one: nothing that the earlier one covers was changed since.',
  positional: '<head> <head>',
  options: [...TREE_OPTIONS, OUT],
  examples: [
    {
      command: 'audit prove consistency monday.json friday.json --session session.jsonl --out proof.json',
      says: 'One file with both heads and the proof; "audit head verify proof.json" checks it.',
    },
    {
      command: 'audit prove consistency old.txt new.txt --leaves entries.b64',
      says: 'Two checkpoints of a log whose entries are at hand.',
    },
  ],
  run(args, io) {
    const [a, b, ...more] = args.positional;
    if (a === undefined || b === undefined || more.length > 0)
      throw new UsageError('"audit prove consistency" takes exactly two heads');
    const source = readTreeSource(args, io);
    if (!source.ok) return refuse(source.findings, io);
    const { tree } = source.source;
    const [first, second] = [a, b].map((path) => readSingle(readNamed(path, io), { part: path }));
    if (first?.ok !== true || second?.ok !== true)
      return refuse(
        [first, second].flatMap((read) => (read?.ok === false ? read.findings : [])),
        io,
      );
    const pair = pairOf(first.value, second.value);
    const [one, two] = [first.value, second.value].map((single) => judgeSingle(single, []).statement?.size);
    if (pair === undefined || one === undefined || two === undefined)
      throw new Unreadable(`${a} and ${b} are not two heads of one form`);
    const [from, to] = one <= two ? [Number(one), Number(two)] : [Number(two), Number(one)];
    if (to > tree.size) throw new Unreadable(`the heads reach to size ${to}, the leaves given to ${tree.size}`);
    const file = writeConsistency(pair, tree.consistency(from, to).path);
    if (file === undefined)
      throw new Unreadable(
        'the two heads are not both over what was given: no proof connects them; compare them with "audit head compare"',
      );
    return deliver(file, args, io);
  },
};
