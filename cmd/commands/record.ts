/** `audit record new|append|fork|continue|label|run|import`: write sessions that verify. */
import { printed } from '../../src/finding/visible.ts';
import { Unreadable } from '../../src/host/files.ts';
import { checkSession } from '../../src/session/check.ts';
import { kindOf } from '../../src/session/entry.ts';
import { ENTRY_KINDS, type Header } from '../../src/session/model.ts';
import { canonicalBytes } from '../../src/session/raw.ts';
import { readSession } from '../../src/session/read.ts';
import type { Session } from '../../src/session/session.ts';
import { endRun, startRun } from '../../src/session/write/build.ts';
import { continueSession, createSession, fork, type HeaderInit } from '../../src/session/write/create.ts';
import { draft } from '../../src/session/write/draft.ts';
import { SessionError } from '../../src/session/write/error.ts';
import { freshLabel } from '../../src/session/write/marked.ts';
import { StoreError } from '../../src/store/errors.ts';
import { readImport } from '../../src/store/importing.ts';
import { formatInstant } from '../../src/time/instant.ts';
import { type Args, type Command, type Io, type Option, UsageError } from '../command.ts';
import { entryId } from '../entryId.ts';
import { nearest } from '../nearest.ts';
import { ENTRY_SHOWN, OUT } from '../options.ts';
import { draftsOf, linesIn } from '../recordLine.ts';
import { createSessionFile, type Recorded, SessionFile } from '../sessionFile.ts';

function text(name: string, placeholder: string, describe: string): Option {
  return { name, type: 'text', placeholder, describe };
}

const HEADER: readonly Option[] = [
  text('id', 'ID', 'The id of the session; without it a new UUIDv7.'),
  text('cwd', 'DIR', 'The working folder at creation.'),
  text('harness', 'NAME[@VERSION]', 'What writes the session.'),
  {
    name: 'records',
    type: 'text',
    repeatable: true,
    placeholder: 'TYPE[,TYPE]',
    describe: 'Record types that are written whenever their event occurs, such as run,dispatch,decision.',
  },
];

function headerOf(args: Args): HeaderInit {
  const [id, cwd, harness] = [args.text('id'), args.text('cwd'), args.text('harness')];
  const at = harness?.lastIndexOf('@') ?? -1;
  const records = args
    .list('records')
    .flatMap((list) => list.split(','))
    .filter((type) => type !== '');
  for (const type of records) {
    const problem = typeProblem(type);
    if (problem !== undefined) throw new UsageError(problem);
  }
  return {
    ...(id === undefined ? {} : { id }),
    ...(cwd === undefined ? {} : { cwd }),
    ...(harness === undefined
      ? {}
      : { harness: at > 0 ? { name: harness.slice(0, at), version: harness.slice(at + 1) } : { name: harness } }),
    ...(records.length === 0 ? {} : { records }),
  };
}

/** What is wrong with a type that a reader would take for an extension, though it does not look like one (session-format 5.16). */
function typeProblem(type: string): string | undefined {
  if (type.includes(':') || kindOf(type) !== 'extension') return undefined;
  const meant = nearest(type, ENTRY_KINDS);
  const hint = meant === undefined ? '' : `; did you mean ${meant}?`;
  return `the format has no type ${JSON.stringify(type.slice(0, 40))}, and one of your own has a colon in it${hint}`;
}

function one(args: Args, what: string): string {
  const [path] = args.positional;
  if (path === undefined || args.positional.length > 1) throw new UsageError(`"audit record ${what}" takes one file`);
  return path;
}

const nowOf = (io: Io) => ({ now: () => formatInstant(io.clock()) });

/** The condition by its name, and status 1: what was asked was understood and is refused. */
function refused(error: unknown, io: Io): number {
  if (!(error instanceof SessionError) && !(error instanceof StoreError)) throw error;
  io.err(printed(`audit: ${error.code}: ${error.message}`));
  return 1;
}

const answer = (io: Io, value: object): void => io.out(`${JSON.stringify(value)}\n`);

export const recordNewCommand: Command = {
  name: 'record new',
  summary: 'Start a session file: its header.',
  positional: '<file>',
  options: [
    ...HEADER,
    text('parent-session', 'ID', 'The session that this one comes from.'),
    text('spawned-by', 'CALL', 'The call of the parent session that starts this one.'),
    {
      name: 'media',
      type: 'text',
      placeholder: 'FORM',
      choices: ['inline', 'sidecar'],
      describe:
        'Where media are kept: inline (in the entries, as without it) or sidecar (in files beside the session).',
    },
  ],
  examples: [
    {
      command: 'audit record new run.jsonl --harness acme-agent@2.1 --records run,dispatch,decision',
      says: 'An empty session that promises to record runs, dispatches and decisions.',
    },
    {
      command: 'audit record new child.jsonl --parent-session ID --spawned-by call_7',
      says: 'The session of a subagent.',
    },
  ],
  run(args, io) {
    const path = one(args, 'new');
    const [parentSession, spawnedBy] = [args.text('parent-session'), args.text('spawned-by')];
    const media = args.text('media');
    try {
      const session = createSession({
        ...headerOf(args),
        createdAt: formatInstant(io.clock()),
        ...(parentSession === undefined ? {} : { parentSession }),
        ...(spawnedBy === undefined ? {} : { spawnedBy }),
        ...(media === 'sidecar' ? { media } : {}),
      });
      createSessionFile(path, session.lines(), io);
      answer(io, { session: session.header.id, path });
      return 0;
    } catch (error) {
      return refused(error, io);
    }
  },
};

/** One answer for a line, whatever number of entries it stands for: that of the last, and of each where there are several. */
function answered(recorded: readonly Recorded[], leaf: string | null): object {
  const entries = recorded.map(({ id, outcome, marks }) => ({ id, outcome, ...(marks.length === 0 ? {} : { marks }) }));
  return { ...entries.at(-1), leaf, ...(entries.length === 1 ? {} : { entries }) };
}

/** Why a line, or all from here on, is not written. Throws what is no refusal. */
function refusalOf(error: unknown): object {
  if (error instanceof SessionError)
    return { code: error.code, message: error.message, ...(error.at === undefined ? {} : { at: error.at }) };
  if (error instanceof RangeError) return { code: 'bad_entry', message: error.message };
  if (error instanceof Unreadable) return { code: 'stopped', message: error.message };
  throw error;
}

export const recordAppendCommand: Command = {
  name: 'record append',
  summary: 'Append entries to a session file: one JSON object a line on standard input, one JSON answer a line.',
  positional: '<file>',
  options: [
    {
      name: 'format-rules-only',
      type: 'flag',
      describe:
        'Refuse what the format refuses a writer, and neither what verifying would report besides nor unknown types without a colon.',
    },
  ],
  examples: [
    {
      command: `echo '{"type":"info","name":"Refund 42"}' | audit record append run.jsonl`,
      says: 'One entry under the leaf; the answer names its id.',
    },
    {
      command: 'harness | audit record append run.jsonl',
      says: 'A harness in any language: each line it writes is on disk when it reads the answer.',
    },
  ],
  run(args, io) {
    const path = one(args, 'append');
    const rulesOnly = args.flag('format-rules-only');
    let file: SessionFile;
    try {
      file = SessionFile.open(path, io, rulesOnly ? 'written' : 'verified');
    } catch (error) {
      answer(io, { error: refusalOf(error) });
      throw error;
    }
    let status = 0;
    try {
      for (const { line, number } of linesIn(io.incoming?.() ?? [io.read('-')])) {
        try {
          const drafts = draftsOf(line, file.session, io.clock());
          const problem = rulesOnly ? undefined : typeProblem(drafts[0]?.type ?? '');
          if (problem !== undefined) throw new SessionError('bad_entry', problem);
          const recorded = file.appendAll(drafts);
          answer(io, answered(recorded, file.session.leafId));
        } catch (error) {
          const refusal = refusalOf(error);
          answer(io, { error: { ...refusal, line: number } });
          if (error instanceof Unreadable) throw error;
          status = 1;
        }
      }
    } finally {
      file.close();
    }
    return status;
  },
};

export const recordForkCommand: Command = {
  name: 'record fork',
  summary: 'Start a session that continues from an entry of another one.',
  positional: '<origin>',
  options: [ENTRY_SHOWN, OUT, ...HEADER],
  examples: [
    {
      command: 'audit record fork run.jsonl --entry sha256:... --out retry.jsonl',
      says: 'A session whose lines begin with the path to that entry.',
    },
    { command: 'audit record fork run.jsonl --out retry.jsonl', says: 'The same from the leaf.' },
  ],
  run(args, io) {
    const origin = one(args, 'fork');
    const out = args.need('out');
    const { session, findings } = readSession(io.open(origin));
    if (session === undefined) throw new Unreadable(`${origin}: ${findings[0]?.message ?? 'no session'}`);
    try {
      const wanted = args.text('entry');
      const leaf = session.leaf < 0 ? '' : session.id(session.leaf);
      const at = wanted === undefined ? leaf : entryId(session, wanted);
      const made = fork(session, at, { ...headerOf(args), createdAt: formatInstant(io.clock()) }, nowOf(io));
      createSessionFile(out, made.lines(), io);
      answer(io, { session: made.header.id, base: made.header.base, path: out });
      return 0;
    } catch (error) {
      return refused(error, io);
    }
  },
};

export const recordContinueCommand: Command = {
  name: 'record continue',
  summary: 'Start the successor of a session with the settings in force, and link it.',
  positional: '<session>',
  options: [OUT, ...HEADER, text('summary', 'TEXT', 'What was said so far, as the first item of the successor.')],
  examples: [
    {
      command: 'audit record continue run.jsonl --out next.jsonl',
      says: 'The old session names its successor from now on.',
    },
    {
      command: 'audit record continue run.jsonl --out next.jsonl --summary "Refund 42 is paid."',
      says: 'The successor begins with that summary.',
    },
  ],
  run(args, io) {
    const path = one(args, 'continue');
    const out = args.need('out');
    const summary = args.text('summary');
    const file = SessionFile.open(path, io);
    try {
      const item =
        summary === undefined
          ? undefined
          : { type: 'message', role: 'user', content: [{ type: 'input_text', text: summary }] };
      const { successor, link } = continueSession(
        file.session,
        { ...headerOf(args), createdAt: formatInstant(io.clock()) },
        item,
        nowOf(io),
      );
      // The successor is there before anything names it; where nothing may, there is none (12.5).
      file.session.prepare(link);
      createSessionFile(out, successor.lines(), io);
      file.append(link);
      answer(io, { session: successor.header.id, path: out });
      return 0;
    } catch (error) {
      return refused(error, io);
    } finally {
      file.close();
    }
  },
};

export const recordLabelCommand: Command = {
  name: 'record label',
  summary: 'Label an entry of a session, clear a label, or move the leaf.',
  positional: '<session>',
  options: [
    ENTRY_SHOWN,
    text('label', 'TEXT', 'The label. "leaf" moves the leaf to the entry.'),
    { name: 'clear', type: 'flag', describe: 'Clear the label of the entry.' },
    { name: 'root', type: 'flag', describe: 'With --label leaf: move the leaf above the first entry.' },
  ],
  examples: [
    { command: 'audit record label run.jsonl --entry sha256:... --label approved', says: 'A label on an entry.' },
    {
      command: 'audit record label run.jsonl --entry sha256:... --label leaf',
      says: 'What follows hangs from that entry.',
    },
  ],
  run(args, io) {
    const path = one(args, 'label');
    const [label, clear, root] = [args.text('label'), args.flag('clear'), args.flag('root')];
    if ((label === undefined) === !clear) throw new UsageError('either --label or --clear is needed');
    if (root && label !== 'leaf') throw new UsageError('only --label leaf goes with --root');
    if (root && args.text('entry') !== undefined) throw new UsageError('either --entry or --root is needed');
    const wanted = root ? null : args.need('entry');
    const file = SessionFile.open(path, io);
    try {
      const target = wanted === null ? null : entryId(file.session, wanted);
      if (target !== null && file.session.find(target) === undefined)
        throw new SessionError('no_entry', `the session holds no entry ${target}`);
      const entry =
        label === 'leaf'
          ? freshLabel(file.session, file.session.headLabel(file.session.leafId, target), io.clock())
          : draft('label', { target, label: label ?? null });
      const { id, outcome } = file.append(entry);
      answer(io, { id, outcome, leaf: file.session.leafId });
      return 0;
    } catch (error) {
      return refused(error, io);
    } finally {
      file.close();
    }
  },
};

export const recordRunCommand: Command = {
  name: 'record run',
  summary: 'Record that a run starts or ends; what an end says is computed from what the run holds.',
  positional: '<session> start|end',
  options: [
    text('run-id', 'ID', 'The run that starts.'),
    {
      name: 'source',
      type: 'text',
      placeholder: 'SOURCE',
      choices: ['input', 'resume'],
      describe: 'What the run begins with.',
    },
    text('reason', 'REASON', 'interrupted or error; any other reason is computed.'),
    text('ref', 'TEXT', 'What triggered the start, or the cause of the end.'),
  ],
  examples: [
    { command: 'audit record run run.jsonl start --run-id run-7', says: 'A run that begins with an input.' },
    { command: 'audit record run run.jsonl end', says: 'Its end, with the calls that it leaves and its reason.' },
  ],
  run(args, io) {
    const [path, phase, ...more] = args.positional;
    if (path === undefined || (phase !== 'start' && phase !== 'end') || more.length > 0)
      throw new UsageError('"audit record run" takes a file and start or end');
    const ref = args.text('ref');
    const start = phase === 'start' ? args.need('run-id') : '';
    const file = SessionFile.open(path, io);
    try {
      const entry =
        phase === 'start'
          ? startRun({
              runId: start,
              ...(args.text('source') === 'resume' ? { source: 'resume' as const } : {}),
              ...(ref === undefined ? {} : { ref }),
            })
          : endRun(file.session, args.text('reason'), ref);
      const { id, outcome, entry: written } = file.append(entry);
      const end = written.kind === 'run' && phase === 'end' ? { reason: written.reason, pending: written.pending } : {};
      answer(io, { id, outcome, ...end });
      return 0;
    } catch (error) {
      return refused(error, io);
    } finally {
      file.close();
    }
  },
};

/** The lines of a session as they are kept (session-format 1.10). */
function* linesOf(header: Header, session: Session): Iterable<Uint8Array> {
  yield canonicalBytes(header.raw);
  for (let index = 0; index < session.size; index++)
    yield canonicalBytes({ bytes: session.bytes(index), canonical: false }).slice();
}

export const recordImportCommand: Command = {
  name: 'record import',
  summary: 'Take a session file over: every line checked, nothing kept of one that does not hold.',
  positional: '<session>',
  options: [OUT],
  examples: [
    {
      command: 'audit record import received.jsonl --out sessions/received.jsonl',
      says: 'The file, whole and verified, or nothing.',
    },
    { command: 'cat received.jsonl | audit record import - --out kept.jsonl', says: 'The same from standard input.' },
  ],
  run(args, io) {
    const path = one(args, 'import');
    const out = args.need('out');
    const source = io.open(path);
    try {
      const { session, header } = readImport(source);
      const checks = checkSession(session);
      for (const { code, message, where } of [...checks.requestFindings, ...checks.recordFindings])
        io.err(printed(`audit: ${code}: ${message} (line ${where.line})`));
      if (checks.requestFaults + checks.recordFaults > 0) return 1;
      createSessionFile(out, linesOf(header, session), io);
      answer(io, { session: session.header.id, entries: session.size, path: out });
      return 0;
    } catch (error) {
      return refused(error, io);
    }
  },
};
