/** `audit schema [NAME]`: the published JSON Schemas of every file format that is read or written. */
import { readdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { type Command, UsageError } from '../command.ts';
import { nearest } from '../nearest.ts';
import { packageFolder } from '../package.ts';

const SUFFIX = '.schema.json';

export const schemaCommand: Command = {
  name: 'schema',
  summary: 'Print the JSON Schema of a file format, or list all schemas.',
  positional: '[NAME]',
  options: [],
  examples: [
    { command: 'audit schema', says: 'The names of all schemas.' },
    { command: 'audit schema report', says: 'The schema of the JSON report, for a consumer in any language.' },
  ],
  run(args, io) {
    const folder = new URL('schemas/', packageFolder());
    const names = readdirSync(fileURLToPath(folder))
      .filter((file) => file.endsWith(SUFFIX))
      .map((file) => file.slice(0, -SUFFIX.length))
      .sort();
    const [name] = args.positional;
    if (name === undefined) io.out(`${names.join('\n')}\n`);
    else if (names.includes(name)) io.out(io.read(fileURLToPath(new URL(name + SUFFIX, folder))));
    else {
      const near = nearest(name, names);
      throw new UsageError(
        `there is no schema ${JSON.stringify(name)}${near === undefined ? '' : `; did you mean "${near}"?`}`,
      );
    }
    return 0;
  },
};
