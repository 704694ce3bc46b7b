/** `audit approvals <journal...>`: every approval gate of a run counted again, and held against what was recorded and what ran. */
import { memorySource } from '../../src/bytes/source.ts';
import { Unreadable } from '../../src/host/files.ts';
import { approvalsVerifier } from '../../src/verify/approvals.ts';
import type { Input } from '../../src/verify/kind.ts';
import { assemble, type InputReport } from '../../src/verify/report.ts';
import { givenBy, unreadableInput, verifyInput } from '../../src/verify/verify.ts';
import { type Command, type Io, UsageError } from '../command.ts';
import { REQUIRE, TRUST } from '../options.ts';
import { emit, OUTPUT_OPTIONS, outputsOf } from '../output.ts';
import { readTrustFiles } from '../trust.ts';

export const approvalsCommand: Command = {
  name: 'approvals',
  summary:
    'Count every approval gate of a run again from the signatures, and hold it against what was recorded and what then ran.',
  positional: '<journal...>',
  options: [
    TRUST,
    {
      name: 'run',
      type: 'text',
      placeholder: 'ID',
      describe: 'The run, for a journal given as one stored record a line: signatures are over it.',
    },
    REQUIRE,
    ...OUTPUT_OPTIONS,
  ],
  examples: [
    {
      command: 'audit approvals run.json --trust trust.json',
      says: 'Recounts each gate under the policies and the approver keys of the trust file.',
    },
    {
      command: 'audit approvals run.jsonl --run acme/order-43 --trust trust.json --require count,outcome,disclosure',
      says: 'The same of stored records, one a line, and every record that a count names must be there.',
    },
  ],
  async run(args, io) {
    const outputs = outputsOf(args, io);
    if (args.positional.length === 0) throw new UsageError('"audit approvals" needs a journal');
    const require = args
      .list('require')
      .flatMap((text) => text.split(','))
      .filter((text) => text !== '');
    const { trust, findings } = await readTrustFiles(args, io);
    const run = args.text('run');
    const options = {
      trust,
      trustFiles: args.list('trust').map((path): Input => ({ path, source: memorySource(io.read(path)) })),
      ...(require.length === 0 ? {} : { require }),
    };
    const verifier = approvalsVerifier(run === undefined ? {} : { run });
    const reports: InputReport[] = [];
    for (const path of args.positional)
      reports.push(await reportOf(path, io, (input) => verifyInput(input, options, verifier)));
    return emit(assemble(reports, findings, givenBy(options)), outputs, args, io);
  },
};

async function reportOf(path: string, io: Io, verify: (input: Input) => Promise<InputReport>): Promise<InputReport> {
  try {
    return await verify({ path, source: io.open(path) });
  } catch (error) {
    if (!(error instanceof Unreadable)) throw error;
    return unreadableInput(path, error.message, error.tooLarge ? 'input/too-large' : 'input/unreadable');
  }
}
