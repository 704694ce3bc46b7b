/** `audit export <session> --out DIR`: one ATIF document for each path of a session (atif-export; session-format 13.3). */
import { readdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { checkAgreement } from '../../src/atif/agreement.ts';
import { type AtifOptions, toAtif } from '../../src/atif/export.ts';
import {
  type Preference,
  preferCurrentLeaf,
  preferLabel,
  preferLatest,
  preferScore,
} from '../../src/atif/preferences.ts';
import { readPrices } from '../../src/atif/prices.ts';
import { environment, homePaths, noPassthrough, type Redactor, rewriteStrings } from '../../src/atif/redact.ts';
import { at, isTrajectory, type NoTrajectory, type Trajectory, trajectories } from '../../src/atif/trajectory.ts';
import { SessionTree } from '../../src/atif/tree.ts';
import type { Cost } from '../../src/atif/usage.ts';
import { printed } from '../../src/finding/visible.ts';
import { Unreadable } from '../../src/host/files.ts';
import { readSession } from '../../src/session/read.ts';
import { credentials, homePaths as everyHome, secrets } from '../../src/session/redact/redactors.ts';
import type { Session } from '../../src/session/session.ts';
import { writeAtif } from '../atifFiles.ts';
import { type Args, type Command, type Io, type Option, UsageError } from '../command.ts';
import { QUIET } from '../options.ts';
import { readNamed } from '../producing.ts';

const text = (name: string, placeholder: string, describe: string, repeatable = false): Option => ({
  name,
  type: 'text',
  placeholder,
  describe,
  repeatable,
});
const flag = (name: string, describe: string): Option => ({ name, type: 'flag', describe });

const REDACTED = '[REDACTED]';

export const exportCommand: Command = {
  name: 'export',
  summary: 'Write the paths of a session as ATIF documents, one for each leaf, with everything that the session holds.',
  positional: '<session>',
  options: [
    text('out', 'DIR', 'The folder for the documents and their media; it is made where it is missing.'),
    text('leaf', 'ID', 'Only the path that ends at this leaf.', true),
    text('entry', 'ID', 'Only the path that ends at this entry, which need not be a leaf.', true),
    text(
      'prefer',
      'HOW',
      'The preferred branch at a fork: latest, current, score or label:NAME; the first with an opinion decides.',
      true,
    ),
    text('prices', 'FILE', 'Prices of models (audit.prices.v1), for the costs of calls.'),
    text('agent-name', 'NAME', 'Reported instead of the harness of the session.'),
    text('agent-version', 'VERSION', 'Reported instead of the version of the harness.'),
    text('model-name', 'NAME', 'Reported instead of the real names of models.'),
    text('notes', 'TEXT', 'Written into the notes of every document.'),
    text(
      'secret',
      'TEXT',
      'Replaced by [REDACTED] wherever it stands, in the spellings that JSON, URLs and base64 give it.',
      true,
    ),
    text('secrets', 'FILE', 'Secrets, one a line, so that none stands on the command line.'),
    text('home', 'DIR', 'A home folder, replaced by ~.', true),
    flag('redact-home', 'Replace every home folder by ~.'),
    flag('redact-credentials', 'Replace what has the shape of a common credential.'),
    flag('redact-environment', 'Leave out what the session says of its environment and working folder.'),
    flag('no-passthrough', 'Leave the raw items out: smaller documents, from which no request can be rebuilt.'),
    flag('no-embed', 'Name the files of subagents instead of embedding the sessions that stand beside this one.'),
    QUIET,
  ],
  examples: [
    {
      command: 'audit export session.jsonl --out atif',
      says: 'A document for each leaf; the last line ends the main one.',
    },
    {
      command: 'audit export session.jsonl --out atif --prefer score --prices prices.json',
      says: 'Branches with better scores are preferred, and calls are priced.',
    },
    {
      command: 'audit export session.jsonl --out atif --secrets secrets.txt --redact-home --no-passthrough',
      says: 'Documents for others to read: secrets and homes replaced, raw items left out.',
    },
  ],
  async run(args, io) {
    const [path, ...more] = args.positional;
    if (path === undefined || more.length > 0) throw new UsageError('export takes one session');
    const out = args.need('out');
    const preferences = args.list('prefer').map(preferenceOf);
    const options = optionsOf(args, io, preferences);
    const { session, findings } = readSession(io.open(path));
    if (session === undefined)
      throw new Unreadable(`${path} cannot be exported: ${findings[0]?.message ?? 'it is no session'}`);
    const faults = findings.filter(({ class: effect }) => effect === 'not_verified');
    const say = (line: string): void => io.err(printed(line));
    for (const { code, message, where } of faults.slice(0, 20)) say(`${path}:${where.line ?? ''} ${code}: ${message}`);
    if (faults.length > 20) say(`${faults.length - 20} more findings: see audit verify`);

    const withSiblings =
      args.flag('no-embed') || path === '-' ? options : { ...options, subsessions: siblings(path, session, io) };
    let written = 0;
    let failed = 0;
    for (const found of asked(session, args, preferences)) {
      if (!isTrajectory(found)) {
        failed++;
        say(`${path}: no document of ${found.id}: ${found.message}`);
        continue;
      }
      const document = await toAtif(found, withSiblings);
      if (document.steps.length === 0) {
        say(`${path}: no document of ${found.leafId}: nothing was said on its path`);
        continue;
      }
      const done = writeAtif(out, document);
      if (!done.ok) {
        failed++;
        const reason =
          typeof done.finding === 'string'
            ? done.finding
            : `${done.finding.code}: ${done.finding.message} (${done.finding.where.pointer ?? ''})`;
        say(`${path}: ${done.name} is not written: ${reason}`);
        continue;
      }
      written++;
      if (!args.flag('quiet'))
        io.out(
          printed(
            `${done.path}${done.media === 0 ? '' : `  with ${done.media} media file${done.media === 1 ? '' : 's'}`}`,
          ),
        );
      const { findings: disagreeing } = checkAgreement(done.document);
      const [first] = disagreeing;
      if (first !== undefined)
        say(
          `${done.path}: steps and raw items differ at ${first.where.pointer ?? ''}; redaction may have reached only one of the two`,
        );
    }
    if (written === 0 && failed === 0) say(`${path}: there is nothing to export`);
    return failed > 0 || faults.length > 0 || written === 0 ? 1 : 0;
  },
};

function asked(session: Session, args: Args, preferences: readonly Preference[]): Iterable<Trajectory | NoTrajectory> {
  const [leaves, entries] = [args.list('leaf'), args.list('entry')];
  if (leaves.length + entries.length === 0) return trajectories(session, ...preferences);
  const tree = new SessionTree(session);
  return [
    ...leaves.map((id) => {
      const found = at(tree, id, ...preferences);
      if (!isTrajectory(found) || session.isLeaf(found.leaf)) return found;
      return { problem: 'no-entry', id, message: 'it is no leaf; --entry takes any entry' } as const;
    }),
    ...entries.map((id) => at(tree, id, ...preferences)),
  ];
}

function preferenceOf(how: string): Preference {
  if (how === 'latest') return preferLatest;
  if (how === 'current') return preferCurrentLeaf;
  if (how === 'score') return preferScore;
  if (how.startsWith('label:') && how.length > 'label:'.length) return preferLabel(how.slice('label:'.length));
  throw new UsageError(`--prefer takes latest, current, score or label:NAME; not ${JSON.stringify(how)}`);
}

function optionsOf(args: Args, io: Io, preferences: readonly Preference[]): AtifOptions {
  const named = (name: string, option: string): { readonly [name: string]: string } => {
    const value = args.text(option);
    return value === undefined ? {} : { [name]: value };
  };
  return {
    ...named('agentName', 'agent-name'),
    ...named('agentVersion', 'agent-version'),
    ...named('modelName', 'model-name'),
    ...named('notes', 'notes'),
    ...costOf(args, io),
    preferences,
    redactors: redactorsOf(args, io),
  };
}

function costOf(args: Args, io: Io): { readonly cost?: Cost } {
  const path = args.text('prices');
  if (path === undefined) return {};
  const prices = readPrices(readNamed(path, io));
  if (!prices.ok) throw new Unreadable(`${path} is no price table: ${prices.message}`);
  return { cost: prices.cost };
}

function redactorsOf(args: Args, io: Io): readonly Redactor[] {
  const redactors: Redactor[] = [];
  const file = args.text('secrets');
  const listed = file === undefined ? [] : new TextDecoder().decode(readNamed(file, io)).split(/\r?\n/);
  const given = [...args.list('secret'), ...listed].filter((secret) => secret !== '');
  if (file !== undefined && listed.every((line) => line === '')) throw new Unreadable(`${file} holds no secrets`);
  if (given.length > 0) redactors.push(rewriteStrings(secrets(given.map((secret) => ({ secret, by: REDACTED })))));
  if (args.flag('redact-credentials')) redactors.push(rewriteStrings(credentials));
  for (const home of args.list('home')) redactors.push(homePaths(home));
  if (args.flag('redact-home')) redactors.push(rewriteStrings(everyHome()));
  if (args.flag('redact-environment')) redactors.push(environment());
  if (args.flag('no-passthrough')) redactors.push(noPassthrough());
  return redactors;
}

/** The sessions in the folder of the one that is exported, by id. The folder is looked at when the first link asks. */
function siblings(path: string, session: Session, io: Io): (id: string) => Session | undefined {
  let files: ReadonlyMap<string, readonly string[]> | undefined;
  return (id) => {
    if (id === session.header.id) return undefined;
    files ??= sessionFiles(dirname(path), io);
    const [file, ...others] = files.get(id) ?? [];
    // Of two files of one id nobody knows which one was meant.
    return file === undefined || others.length > 0 ? undefined : readSession(io.open(file)).session;
  };
}

function sessionFiles(folder: string, io: Io): ReadonlyMap<string, readonly string[]> {
  const found = new Map<string, string[]>();
  let names: readonly string[] = [];
  try {
    names = readdirSync(folder).filter((name) => name.endsWith('.jsonl'));
  } catch {
    // A folder that cannot be listed has no siblings to embed.
  }
  for (const name of [...names].sort()) {
    const file = join(folder, name);
    try {
      const id = headerId(io.open(file).read(0, 64 * 1024));
      if (id !== undefined) found.set(id, [...(found.get(id) ?? []), file]);
    } catch (error) {
      if (!(error instanceof Unreadable)) throw error;
    }
  }
  return found;
}

/** The session id in the first line of a file, where that is a header. */
function headerId(start: Uint8Array): string | undefined {
  const [line = ''] = new TextDecoder().decode(start).trimStart().split('\n', 1);
  try {
    const { type, id } = JSON.parse(line) as { readonly type?: unknown; readonly id?: unknown };
    return type === 'session' && typeof id === 'string' ? id : undefined;
  } catch {
    return undefined;
  }
}
