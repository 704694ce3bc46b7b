/** `audit prove absence`: that a tool call was never made, or a policy never used, as far as a journal reaches. */
import { keySetOf, proveAbsent, signKeySetHead } from '../../src/evidence/keySets.ts';
import { type Reading, readArtifact } from '../../src/evidence/place.ts';
import { absenceShape } from '../../src/evidence/shapes.ts';
import { encode } from '../../src/json/shape.ts';
import { headShape, type TreeHead } from '../../src/log/head.ts';
import { type Command, UsageError } from '../command.ts';
import { AT, OUT } from '../options.ts';
import { deliver, KEY, momentOf, privateKey, readNamed, refuse } from '../producing.ts';
import { readTreeSource, TREE_OPTIONS } from '../treeSource.ts';

/** What a user writes, and what the keys of that set begin with (audit spec 4.5, 6.5). */
const FORMS = [
  { form: 'tool:', prefix: 'tooluse:' },
  { form: 'policy:', prefix: 'policy_used:' },
] as const;

export const proveAbsenceCommand: Command = {
  name: 'prove absence',
  summary: 'Prove that a tool call was not made, or a policy not used, without showing the journal.',
  options: [
    ...TREE_OPTIONS.filter(({ name }) => name === 'journal' || name === 'run'),
    {
      name: 'absent',
      type: 'text',
      placeholder: 'KEY',
      describe: 'tool:<tool use id> or policy:<digest>.',
    },
    {
      name: 'head',
      type: 'text',
      placeholder: 'FILE',
      describe: 'The signed head of the key set. Without it one is signed with --key.',
    },
    KEY,
    AT,
    OUT,
  ],
  examples: [
    {
      command: 'audit prove absence --journal run.json --absent tool:toolu_07 --key log.key --out absence.json',
      says: 'Projects the calls of the run, signs the set, and proves that this call is not in it.',
    },
    {
      command: 'audit prove absence --journal run.json --absent policy:9f2c51 --head policies.json',
      says: 'Under the head of the used policies that was signed before.',
    },
  ],
  async run(args, io) {
    const absent = args.need('absent');
    const form = FORMS.find((candidate) => absent.startsWith(candidate.form));
    if (form === undefined) throw new UsageError('--absent takes tool:<id> or policy:<digest>');
    if ((args.text('head') === undefined) === (args.text('key') === undefined))
      throw new UsageError('one of --head and --key is needed: a head that was signed, or the key to sign one');
    args.need('journal');
    const key = form.prefix + absent.slice(form.form.length);
    const set = keySetOf(key);
    const signer = args.text('key') === undefined ? undefined : await privateKey(args, io);
    const read = readTreeSource(args, io);
    if (!read.ok) return refuse(read.findings, io);
    if (read.source.of !== 'journal' || set === undefined) throw new Error('the source is a journal');
    const path = args.text('head');
    const head: Reading<TreeHead> =
      signer !== undefined
        ? signKeySetHead(read.source, set, signer, momentOf(args, io))
        : readArtifact(headShape, readNamed(path ?? '', io), { part: path ?? '' });
    if (!head.ok) return refuse(head.findings, io);
    const made = proveAbsent(read.source, set, key, head.value);
    return made.ok ? deliver(encode(absenceShape, made.value), args, io) : refuse(made.findings, io);
  },
};
