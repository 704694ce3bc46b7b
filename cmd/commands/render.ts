/** `audit render report.json`: a report that exists, in another format. The bytes are those that the run itself would have given. */
import type { Command } from '../command.ts';
import { UsageError } from '../command.ts';
import { emit, OUTPUT_OPTIONS, outputsOf } from '../output.ts';
import { readReport } from '../reports.ts';

export const renderCommand: Command = {
  name: 'render',
  summary: 'Write a JSON report in other formats. The exit status is that of the report.',
  positional: '<report.json>',
  options: OUTPUT_OPTIONS,
  examples: [
    { command: 'audit render report.json --format text', says: 'Reads as the run itself would have printed it.' },
    {
      command: 'audit render report.json --format sarif=out.sarif --format junit=out.xml',
      says: 'Two files for two platforms from one run.',
    },
  ],
  run(args, io) {
    const outputs = outputsOf(args, io);
    const [path, another] = args.positional;
    if (path === undefined || another !== undefined)
      throw new UsageError('one report is rendered at a time; join several with "audit merge"');
    return emit(readReport(path, io), outputs, args, io);
  },
};
