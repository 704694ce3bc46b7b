/** `audit redact`: a redacted session that verifies by itself; over an existing one, what the original gained. */
import { existsSync, lstatSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { memorySource } from '../../src/bytes/source.ts';
import { printed } from '../../src/finding/visible.ts';
import { counted } from '../../src/finding/words.ts';
import { readFile, reasonOf, Unreadable } from '../../src/host/files.ts';
import { checkSession, type SessionChecks } from '../../src/session/check.ts';
import { blobHash, sessionBlobs } from '../../src/session/media.ts';
import { ENTRY_KINDS } from '../../src/session/model.ts';
import { readSession } from '../../src/session/read.ts';
import { type Dropped, type MediaOptions, readings } from '../../src/session/redact/media.ts';
import {
  type RedactedOrigin,
  type RedactionResult,
  type RedactOptions,
  redactSession,
} from '../../src/session/redact/redact.ts';
import { credentials, environmentSecrets, homePaths, inOrder, secrets } from '../../src/session/redact/redactors.ts';
import type { RewriteText } from '../../src/session/redact/rewriteStrings.ts';
import { BadRules, type RedactionRules, readRules } from '../../src/session/redact/rules.ts';
import { finder, placeIn, type Secret } from '../../src/session/redact/standing.ts';
import type { Session } from '../../src/session/session.ts';
import { SessionError } from '../../src/session/write/error.ts';
import { joinLines } from '../../src/session/write/joinLines.ts';
import { redactedSessionId } from '../../src/session/write/uuid.ts';
import { FileBlobs } from '../../src/store/jsonlBlobs.ts';
import { formatInstant } from '../../src/time/instant.ts';
import { type Args, type Command, type Io, UsageError } from '../command.ts';
import { MEDIA_DIR, OUT } from '../options.ts';
import { createSessionFile, SessionFile } from '../sessionFile.ts';

export const redactCommand: Command = {
  name: 'redact',
  summary: 'Make a redacted session that verifies by itself, or let one grow with its original.',
  positional: '<session>',
  options: [
    OUT,
    {
      ...MEDIA_DIR,
      describe: 'A folder of the media files that the session keeps beside itself; by default the one of its id.',
    },
    {
      name: 'origin',
      type: 'text',
      repeatable: true,
      placeholder: 'FILE',
      describe: 'For a fork: its origin, and the redacted copy of that; the copy of the fork is then a fork of it.',
    },
    {
      name: 'profile',
      type: 'text',
      placeholder: 'NAME',
      describe: 'Names these rules at a version, such as default@1.',
    },
    {
      name: 'secret-env',
      type: 'text',
      repeatable: true,
      placeholder: 'NAME',
      describe: 'Replace the value of this environment variable by [NAME], wherever it stands.',
    },
    {
      name: 'environment',
      type: 'flag',
      describe:
        'Replace the values of all variables whose names speak of a key, token, secret or password; those of fewer than six characters are left.',
    },
    { name: 'home', type: 'flag', describe: 'Replace home folders by ~.' },
    { name: 'credentials', type: 'flag', describe: 'Replace whatever has the shape of a common credential.' },
    {
      name: 'rules',
      type: 'text',
      placeholder: 'FILE',
      describe: 'Rules (audit.redaction-rules.v1; "audit schema redaction-rules").',
    },
  ],
  examples: [
    {
      command: 'audit redact run.jsonl --out shared.jsonl --secret-env API_KEY --home --profile share@1',
      says: 'Without the key and without home folders; "audit verify shared.jsonl" holds.',
    },
    {
      command: 'audit redact run.jsonl --out shared.jsonl --rules rules.json',
      says: 'By a rules file that names its profile. Run again, it appends what the session gained.',
    },
    {
      command:
        'audit redact retry.jsonl --out retry-shared.jsonl --rules rules.json --origin run.jsonl --origin shared.jsonl',
      says: 'A fork of run.jsonl, as a fork of what run.jsonl was shared as.',
    },
  ],
  run(args, io) {
    const [path, ...more] = args.positional;
    if (path === undefined || more.length > 0) throw new UsageError('"audit redact" takes one session');
    const out = args.need('out');
    const rulesFile = args.text('rules');
    const given = args.list('secret-env').map((name) => {
      const value = io.env[name];
      if (value === undefined || value === '')
        throw new UsageError(`--secret-env ${name}: the variable is ${value === undefined ? 'not set' : 'empty'}`);
      return { secret: value, by: `[${name}]` };
    });
    const asked = given.length > 0 || ['environment', 'home', 'credentials'].some((flag) => args.flag(flag));
    if (rulesFile === undefined && !asked)
      throw new UsageError(
        'nothing says what to redact: --secret-env, --environment, --home, --credentials or --rules is needed',
      );
    const rules = rulesFile === undefined ? undefined : rulesOf(rulesFile, io);
    const profile = args.text('profile') ?? rules?.profile;
    if (profile === undefined) throw new UsageError('--profile is needed where the rules name none');
    for (const folder of [...args.list('media-dir'), dirname(out)])
      if (statSync(folder, { throwIfNoEntry: false })?.isDirectory() !== true)
        throw new Unreadable(`${folder}: there is no such folder`);
    if (statSync(out, { throwIfNoEntry: false })?.isDirectory() === true)
      throw new Unreadable(`${out}: it is a folder`);
    const surrounding = args.flag('environment') ? environmentSecrets(secretVariables(io)) : [];
    if (args.flag('environment') && surrounding.length === 0)
      io.err('audit: --environment: no variable that is named like a secret has a value of six characters or more\n');
    const file = named(path, io);
    const above = args.list('origin').map((each) => named(each, io));
    const copy = above.length === 0 ? undefined : copyOf(file.session, profile, above);
    const work: Work = {
      session: file.session,
      origin: copy === undefined ? undefined : { copy: copy.session, atHand: atHand(above) },
      shared: mediaIn(copy?.media ?? []),
      out,
      profile,
      rewrite: inOrder(secrets([...given, ...surrounding]), rewriteOf(rules, args, io)),
      rules,
      media: {
        read: mediaIn([...args.list('media-dir'), ...[file, ...above].flatMap(({ media }) => media)]),
        drop: rules?.withoutMedia ?? false,
      },
      secrets: [...given, ...surrounding.filter((each) => !isFormatWord(each))],
    };
    try {
      return existsSync(out) ? grow(work, io) : create(work, io);
    } catch (error) {
      if (!(error instanceof SessionError)) throw error;
      io.err(printed(`audit: ${error.code}: ${error.message}`));
      return 1;
    }
  },
};

interface Work {
  readonly session: Session;
  readonly origin: RedactedOrigin | undefined;
  /** The media of the copy of the origin: what the copy of the fork names without having made it. */
  readonly shared: MediaOptions['read'];
  readonly out: string;
  readonly profile: string;
  readonly rewrite: RewriteText;
  readonly rules: RedactionRules | undefined;
  readonly media: MediaOptions;
  /** None of them may stand in what is written. */
  readonly secrets: readonly Secret[];
}

function rulesOf(file: string, io: Io): RedactionRules {
  try {
    return readRules(io.read(file));
  } catch (error) {
    if (error instanceof BadRules) throw new Unreadable(`${file}: ${error.message}`);
    throw error;
  }
}

function rewriteOf(rules: RedactionRules | undefined, args: Args, io: Io): RewriteText {
  const home = io.env['HOME'];
  return inOrder(
    ...(rules === undefined ? [] : [rules.rewrite]),
    ...(args.flag('credentials') ? [credentials] : []),
    ...(args.flag('home') ? [homePaths(home === undefined ? [] : [home])] : []),
  );
}

/** What stands in every session: a variable that says such a word keeps nothing secret by it. */
const FORMAT_WORDS = ['sha256', 'agentsession', 'openresponses', ...ENTRY_KINDS];

function isFormatWord({ secret }: Secret): boolean {
  return FORMAT_WORDS.some((word) => word.includes(secret));
}

const SECRET_NAME = /KEY|TOKEN|SECRET|PASSW|CREDENTIAL/i;

function secretVariables(io: Io): Record<string, string | undefined> {
  return Object.fromEntries(Object.entries(io.env).filter(([name]) => SECRET_NAME.test(name)));
}

/** A session of the command line, and the folder of its media: that of its id beside it, where the id names nothing else. */
interface Named {
  readonly session: Session;
  readonly media: readonly string[];
}

function named(path: string, io: Io): Named {
  const { session, findings } = readSession(io.open(path));
  const problem = findings.find(({ severity, code }) => severity === 'error' && code !== 'session/nothing-checked');
  if (session === undefined || problem !== undefined)
    throw new Unreadable(`${path}: ${problem?.message ?? 'no session'}; a session is redacted when it reads whole`);
  const { id } = session.header;
  return { session, media: /^[A-Za-z0-9_-][A-Za-z0-9._-]{0,199}$/.test(id) ? [join(dirname(path), id)] : [] };
}

/** The redacted copy of a fork's origin, among the files given. Throws Unreadable where none is it. */
function copyOf({ header }: Session, profile: string, given: readonly Named[]): Named {
  const copy = given.find(({ session: { header: each } }) => {
    const { redactedFrom: from } = each;
    return from !== undefined && from.session === header.parentSession && from.profile === profile;
  });
  if (copy !== undefined) return copy;
  throw new Unreadable(
    header.parentSession === undefined
      ? '--origin: the session is no fork'
      : `--origin: no file given is the copy, by the profile ${profile}, of the origin ${header.parentSession}`,
  );
}

function atHand(given: readonly Named[]): RedactedOrigin['atHand'] {
  return (id) => given.find(({ session }) => session.header.id === id)?.session;
}

/** The media files in folders, named by their hashes (session-format 1.13): the first that is what its name says, or else the first. */
function mediaIn(folders: readonly string[]): MediaOptions['read'] {
  return (hash) => {
    let other: Uint8Array | undefined;
    for (const folder of folders) {
      const bytes = readIfThere(join(folder, hash.slice('sha256:'.length)));
      if (bytes !== undefined && blobHash(bytes) === hash) return bytes;
      other ??= bytes;
    }
    return other;
  };
}

/** What cannot be read is not at hand: a copy is made without it, and says so. */
function readIfThere(path: string): Uint8Array | undefined {
  try {
    return readFile(path);
  } catch (error) {
    if (error instanceof Unreadable) return undefined;
    throw error;
  }
}

/**
 * Puts the media of a copy into the folder of its id beside it, before a line names them.
 *
 * @returns the blobs that the copy names and for which there is no file: those of the entries that it shares with another copy
 */
function keepMedia(work: Work, made: RedactionResult, io: Io): readonly string[] {
  const { shared, out } = work;
  if (made.media === undefined) return [];
  const folder = join(dirname(out), made.session.header.id);
  if (lstatSync(folder, { throwIfNoEntry: false })?.isSymbolicLink() === true)
    throw new Unreadable(`${folder}: it is a link, and media are not written through one`);
  const pathOf = (hash: string): string => join(folder, hash.slice('sha256:'.length));
  const bytesOf = (hash: string): Uint8Array | undefined => {
    const bytes = made.media?.files.get(hash)?.() ?? shared(hash) ?? readIfThere(pathOf(hash));
    return bytes !== undefined && blobHash(bytes) === hash ? bytes : undefined;
  };
  const named = [...sessionBlobs(made.session)];
  for (const hash of named) {
    const isOurs = made.media.files.has(hash);
    // What these rules made has nothing left to be found but a secret that came about.
    if (!isOurs || work.secrets.length > 0) checkFile(work, hash, bytesOf(hash), isOurs);
  }
  const blobs = new FileBlobs(folder, () => Number(io.clock() / 1_000_000n));
  const lacking: string[] = [];
  for (const hash of named) {
    const bytes = bytesOf(hash);
    try {
      if (bytes === undefined) lacking.push(hash);
      else blobs.put(hash, bytes);
    } catch (error) {
      throw new Unreadable(`${pathOf(hash)}: ${reasonOf(error)}`);
    }
  }
  return lacking;
}

/** Refuses a media file that holds a secret, or that another redaction made and these rules would change. */
function checkFile(
  { secrets: given, rewrite }: Work,
  hash: string,
  bytes: Uint8Array | undefined,
  isOurs: boolean,
): void {
  if (bytes === undefined) return;
  const held = finder(given)(new TextDecoder().decode(bytes));
  if (held !== undefined) throw notRedacted(held, `in the media file ${hash}`);
  if (!isOurs && readings(bytes).some((text) => rewrite(text) !== text))
    throw new SessionError(
      'not_redacted',
      `the media file ${hash}, which another copy has as it is, holds what is to be replaced; nothing was written`,
    );
}

function options({ profile, rewrite, rules, media, origin }: Work, createdAt: string): RedactOptions {
  return {
    profile,
    rewrite,
    createdAt,
    media,
    ...(origin === undefined ? {} : { origin }),
    withoutFileHashes: rules?.withoutFileHashes ?? false,
    ...(rules?.leaveOut === undefined ? {} : { leaveOut: rules.leaveOut }),
    ...(rules?.placeholder === undefined ? {} : { placeholder: rules.placeholder }),
  };
}

function create(work: Work, io: Io): number {
  const made = redactSession(work.session, options(work, formatInstant(io.clock())));
  const lines = [...made.session.lines()];
  check(work, made, lines);
  const lacking = keepMedia(work, made, io);
  createSessionFile(work.out, lines, io);
  return say(work, made, lacking, io);
}

function grow(work: Work, io: Io): number {
  const file = SessionFile.open(work.out, io, 'read');
  try {
    const into = file.session;
    const { id, redactedFrom } = into.header;
    const isOurs = redactedFrom?.session === work.session.header.id && redactedFrom.profile === work.profile;
    if (!isOurs || id !== redactedSessionId(work.session.header.id, work.profile))
      throw new Unreadable(`${work.out} is there already, and is no redaction of this session by this profile`);
    const before = into.size;
    const made = redactSession(work.session, { ...options(work, into.header.createdAt), into });
    const lines = [...into.lines()];
    check(work, made, lines);
    const lacking = keepMedia(work, made, io);
    file.keep(lines.slice(before + 1));
    return say(work, made, lacking, io);
  } finally {
    file.close();
  }
}

function notRedacted({ by }: Secret, where: string): SessionError {
  return new SessionError(
    'not_redacted',
    `the secret ${by} stands ${where}, where the format lets nothing be rewritten, or came about by what was put in; nothing was written`,
  );
}

/** Where a secret stands that a line of a copy holds (0 is the header), by the original's line as far as that is known. */
function whereIn(
  { session }: Work,
  { ids }: RedactionResult,
  line: Uint8Array,
  number: number,
  secret: Secret,
): string {
  const { id } = JSON.parse(new TextDecoder().decode(line)) as { readonly id?: unknown };
  const index = session.find([...ids].find(([, copy]) => copy === id)?.[0] ?? '');
  const isHeader = number === 0;
  const at = placeIn(line, secret);
  return [
    ...(at === undefined || at === '' ? [] : [`at ${at}`]),
    index === undefined && !isHeader
      ? `in line ${number + 1} of the copy`
      : `in line ${index === undefined ? 1 : session.line(index)} of the session`,
  ].join(' ');
}

/** What is about to be written holds none of the secrets, and verifies as far as the original did. */
function check(work: Work, made: RedactionResult, lines: readonly Uint8Array[]): void {
  const { session, secrets: given } = work;
  const bytes = joinLines(lines);
  const find = finder(given);
  for (const [i, line] of lines.entries()) {
    const held = find(new TextDecoder().decode(line));
    if (held !== undefined) throw notRedacted(held, whereIn(work, made, line, i, held));
  }
  const { session: read, findings } = readSession(memorySource(bytes));
  const faults = (checks: SessionChecks): number => checks.requestFaults + checks.recordFaults;
  const holds =
    read !== undefined &&
    !findings.some(({ severity, code }) => severity === 'error' && code !== 'session/nothing-checked');
  if (!holds || faults(checkSession(read)) > faults(checkSession(session)))
    throw new SessionError('bad_redacted', 'what the rules make of the session does not verify; nothing was written');
}

/** Why a placeholder stands for a media file, in words. */
const DROPPED: Readonly<Record<Dropped, string>> = {
  asked: 'dropped as the rules ask',
  absent: 'not at hand (--media-dir)',
  altered: 'not what its name says',
  found: 'no text, and holds what is to be replaced',
};

/** Files that are told one by one. */
const TOLD = 10;

function say({ out }: Work, made: RedactionResult, lacking: readonly string[], io: Io): number {
  const { session, appended, leftOut, unmet, unhashed, media } = made;
  const about = {
    session: session.header.id,
    path: out,
    entries: appended,
    left_out: leftOut.length,
    placeholders: unmet.length,
    responses_without_hash: unhashed,
    ...(media === undefined
      ? {}
      : {
          media: { kept: media.kept, rewritten: media.rewritten, dropped: media.dropped.size, lacking: lacking.length },
        }),
  };
  io.out(`${JSON.stringify(about)}\n`);
  const notes = [
    ...[...(media?.dropped ?? [])].map(
      ([hash, why]) => `${hash} is ${DROPPED[why]}: a placeholder stands in its place`,
    ),
    ...lacking.map((hash) => `${hash}, which an older copy names, is not at hand: the copy lacks it`),
  ];
  for (const note of notes.slice(0, TOLD)) io.err(`audit: the media file ${note}\n`);
  if (notes.length > TOLD) io.err(`audit: and ${counted(notes.length - TOLD, 'media file')} more\n`);
  return 0;
}
