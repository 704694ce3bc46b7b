/** `audit bundle inspect`: what a bundle holds, for a person. Nothing is verified here, and the page says so. */
import { readBundle } from '../../src/bundle/read.ts';
import { printed, visible } from '../../src/finding/visible.ts';
import { formatInstant } from '../../src/time/instant.ts';
import { type Command, UsageError } from '../command.ts';
import { readNamed, refuse } from '../producing.ts';

export const bundleInspectCommand: Command = {
  name: 'bundle inspect',
  summary: 'Show what a bundle holds. This verifies nothing: "audit verify" does.',
  positional: '<bundle>',
  options: [
    { name: 'member', type: 'text', placeholder: 'NAME', describe: 'Print this file of the bundle, as it is.' },
    { name: 'json', type: 'flag', describe: 'Print JSON.' },
  ],
  examples: [
    {
      command: 'audit bundle inspect case.bundle',
      says: 'Who made it and when, by its own word, and every file in it.',
    },
    {
      command: 'audit bundle inspect case.bundle --member README.txt',
      says: 'The page for people that every bundle holds.',
    },
  ],
  run(args, io) {
    const [path, ...more] = args.positional;
    if (path === undefined || more.length > 0) throw new UsageError('"audit bundle inspect" takes exactly one bundle');
    const read = readBundle(readNamed(path, io));
    if (!read.ok) return refuse(read.findings, io);
    const { manifest, files, envelope } = read.bundle;
    const name = args.text('member');
    if (name !== undefined) {
      const bytes = files.get(name);
      if (bytes === undefined) throw new UsageError(`the bundle holds no ${JSON.stringify(name)}`);
      io.out(io.outIsTerminal ? visible(new TextDecoder().decode(bytes)) : bytes);
      return 0;
    }
    const signatures = envelope.signatures.map(({ keyid }) => keyid);
    const { made, tool, members, replaces, settings } = manifest;
    if (args.flag('json')) {
      const page = { verified: false, made: formatInstant(made), tool, settings, signatures, replaces, members };
      io.out(`${JSON.stringify(page, null, 2)}\n`);
      return 0;
    }
    const lines = [
      'Nothing below was verified; "audit verify" does that.',
      '',
      `made    ${formatInstant(made)} by its maker's clock, with ${tool.name} ${tool.version}`,
      ...signatures.map((keyid) => `signed  ${keyid === '' ? 'by a key without an id' : `by the key ${keyid}`}`),
      ...(replaces === null
        ? []
        : [`instead of sha256:${replaces.sha256}, without ${replaces.removed.join(', ') || 'any change of names'}`]),
      '',
      `${members.length} files`,
      ...members.map(({ name: file, role, bytes }) => `  ${String(bytes).padStart(9)}  ${role.padEnd(11)}  ${file}`),
    ];
    io.out(lines.map(printed).join(''));
    return 0;
  },
};
