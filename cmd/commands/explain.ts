/** `audit explain [CODE]`: what a finding means, why it matters, how it is caused, what to do. */
import { fileURLToPath } from 'node:url';
import { decodeUtf8 } from '../../src/bytes/encoding.ts';
import { Unreadable } from '../../src/host/files.ts';
import { allEntries } from '../../src/verify/catalogues.ts';
import { type Command, type Io, UsageError } from '../command.ts';
import { nearest } from '../nearest.ts';
import { packageFolder } from '../package.ts';

export const explainCommand: Command = {
  name: 'explain',
  summary: 'Explain a finding code, or list all codes.',
  positional: '[CODE]',
  options: [],
  examples: [
    { command: 'audit explain', says: 'Every code with its title.' },
    {
      command: 'audit explain session/id-mismatch',
      says: 'What it means that an id does not match its line, and what to do.',
    },
  ],
  async run(args, io) {
    const entries = await allEntries();
    const [code] = args.positional;
    if (code === undefined) {
      for (const [name, entry] of entries) io.out(`${name.padEnd(40)}  ${entry.title}\n`);
      return 0;
    }
    const entry = entries.get(code);
    if (entry === undefined) {
      const near = nearest(code, [...entries.keys()]);
      throw new UsageError(`${code} is no finding code${near === undefined ? '' : `; did you mean ${near}?`}`);
    }
    io.out(`${code}: ${entry.title}

What it means   ${entry.means}
Why it matters  ${entry.matters}
Usual causes    ${entry.causes}
What to do      ${entry.remedy}
Rule            ${entry.rule}
Result          ${RESULT[entry.class]}
${vectorsOf(code, io)}`);
    return 0;
  },
};

/** The vectors that this build rejects with the code, where the package holds their list (written by `make results`). */
function vectorsOf(code: string, io: Io): string {
  try {
    const file = fileURLToPath(new URL('docs/findings.json', packageFolder()));
    const list = JSON.parse(decodeUtf8(io.read(file)) ?? '{}') as Record<string, { cases: number; first: string[] }>;
    const { cases, first } = list[code] ?? { cases: 0, first: [] };
    return first.map((name, i) => `${(i === 0 ? `Vectors (${cases})` : '').padEnd(16)}vectors/${name}\n`).join('');
  } catch (error) {
    if (error instanceof Unreadable) return '';
    throw error;
  }
}

const RESULT = {
  not_verified: 'not_verified (status 1)',
  no_verdict: 'no_verdict (status 3)',
  unusable: 'unusable_input (status 4)',
  none: 'changes no result',
} as const;
