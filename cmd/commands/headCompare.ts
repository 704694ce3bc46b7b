/** `audit head compare`: do two signed heads of one log speak of one history? If they cannot both be true, the proof can be kept. */
import { memorySource } from '../../src/bytes/source.ts';
import { writeEquivocation } from '../../src/log/equivocation.ts';
import { pairOf, readSingle } from '../../src/log/statement.ts';
import { verify } from '../../src/verify/verify.ts';
import { type Command, UsageError } from '../command.ts';
import { instantOf } from '../inputs.ts';
import { AT, HEAD, TRUST } from '../options.ts';
import { emit, OUTPUT_OPTIONS, outputsOf } from '../output.ts';
import { readNamed } from '../producing.ts';
import { readTrustFiles } from '../trust.ts';

export const headCompareCommand: Command = {
  name: 'head compare',
  summary: 'Hold two heads of one log against each other; two that cannot both be true become one portable proof.',
  positional: '<head> <head>',
  options: [
    TRUST,
    AT,
    HEAD,
    {
      name: 'equivocation',
      type: 'text',
      placeholder: 'FILE',
      describe: 'Write the proof there when the two cannot both be true.',
    },
    ...OUTPUT_OPTIONS,
  ],
  examples: [
    {
      command: 'audit head compare mine.json theirs.json --trust trust.json --equivocation proof.json',
      says: 'Two roots of one size are two histories: proof.json shows it to anybody.',
    },
    {
      command: 'audit head compare old.json new.json --head consistency.json --trust trust.json',
      says: 'The later head continues the earlier one, by the consistency proof given.',
    },
  ],
  async run(args, io) {
    const outputs = outputsOf(args, io);
    const [first, second, ...more] = args.positional;
    if (first === undefined || second === undefined || more.length > 0)
      throw new UsageError('"audit head compare" takes exactly two heads');
    const at = instantOf(args, 'at');
    const { trust, findings } = await readTrustFiles(args, io);
    const input = (path: string) => ({ path, source: memorySource(readNamed(path, io)) });
    const [a, b] = [input(first), input(second)];
    const to = args.text('equivocation');
    if (to !== undefined) {
      const read = [a, b].map(({ path, source }) => readSingle(source.read(0, source.size), { part: path }));
      const [one, two] = read.map((reading) => (reading.ok ? reading.value : undefined));
      const pair = one === undefined || two === undefined ? undefined : pairOf(one, two);
      const file = pair === undefined ? undefined : writeEquivocation(pair);
      if (file !== undefined) io.write(to, file);
    }
    const heads = [...args.list('head').map(input), a];
    const time = at === undefined ? { clock: () => io.clock() } : { at };
    const options = { trust, ...time, heads, require: ['authorship', 'consistency'] };
    return emit(await verify([b], options, { findings }), outputs, args, io);
  },
};
