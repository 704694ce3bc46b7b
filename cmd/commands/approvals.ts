/** `audit approvals <journal...>`: every approval gate of a run counted again, and held against what was recorded and what ran. */
import { prepare } from '../../src/corpus/run.ts';
import { Unreadable } from '../../src/host/files.ts';
import { approvalsVerifier } from '../../src/verify/approvals.ts';
import type { Input } from '../../src/verify/kind.ts';
import { assemble, type InputReport } from '../../src/verify/report.ts';
import { givenBy, unreadableInput, verifyInput } from '../../src/verify/verify.ts';
import { type Command, type Io, UsageError } from '../command.ts';
import { settingOf } from '../inputs.ts';
import { AT, HEAD, REQUIRE, RUN, STATUS, TRUST } from '../options.ts';
import { emit, OUTPUT_OPTIONS, outputsOf } from '../output.ts';
import { readTrustFiles } from '../trust.ts';

export const approvalsCommand: Command = {
  name: 'approvals',
  summary:
    'Count every approval gate of a run again from the signatures, and hold it against what was recorded and what then ran.',
  positional: '<journal...>',
  options: [TRUST, RUN, HEAD, STATUS, AT, REQUIRE, ...OUTPUT_OPTIONS],
  examples: [
    {
      command: 'audit approvals run.json --trust trust.json',
      says: 'Recounts each gate under the policies and the approver keys of the trust file.',
    },
    {
      command: 'audit approvals run.jsonl --run acme/order-43 --trust trust.json --require count,outcome,disclosure',
      says: 'The same of stored records, one a line, and every record that a count names must be there.',
    },
    {
      command:
        'audit approvals run.json --trust trust.json --status archive/ --head head.json --at 2026-10-20T00:00:00Z',
      says: 'Also judges approvers who sign with certificates: whose decision it was, by when it existed, and how firm that is.',
    },
  ],
  async run(args, io) {
    const outputs = outputsOf(args, io);
    if (args.positional.length === 0) throw new UsageError('"audit approvals" needs a journal');
    const setting = settingOf(args);
    const { findings } = await readTrustFiles(args, io);
    const options = await prepare(setting, () => io.clock());
    const reports: InputReport[] = [];
    for (const path of args.positional)
      reports.push(await reportOf(path, io, (input) => verifyInput(input, options, approvalsVerifier)));
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
