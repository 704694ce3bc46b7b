/** `audit merge report...`: partial reports of shards, workers and broken-off runs into one. */
import { readParts } from '../../src/corpus/merge.ts';
import { renderNdjsonLine } from '../../src/report/json.ts';
import type { Command } from '../command.ts';
import { emit, ndjsonWriters, OUTPUT_OPTIONS, outputsOf } from '../output.ts';

export const mergeCommand: Command = {
  name: 'merge',
  summary:
    'Join reports (JSON or NDJSON) into one. Inputs are sorted by path; an input that is reported twice alike stands once.',
  positional: '<report...>',
  options: OUTPUT_OPTIONS,
  examples: [
    {
      command: 'audit merge part-1.ndjson part-2.ndjson --format text',
      says: 'One verdict over the shards of a batch job.',
    },
    {
      command: 'audit merge out/*.ndjson --format json=all.json --format junit=all.xml',
      says: 'Joined once, written for two readers.',
    },
  ],
  async run(args, io) {
    const outputs = outputsOf(args, io);
    const report = readParts(args.positional.map((path) => ({ path, bytes: io.read(path) })));
    const stream = ndjsonWriters(outputs, args, io);
    const { inputs, ...summary } = report;
    for (const input of inputs) stream?.line(renderNdjsonLine(input));
    stream?.end(summary);
    return emit(
      report,
      outputs.filter(({ format }) => format !== 'ndjson'),
      args,
      io,
    );
  },
};
