/** `bide-audit`: arguments in, one verb, an exit status out (audit spec 6.1, 6.2, 6.6). */
import { FORMAT_TABLE } from '../../src/evidence/formats.ts';
import { visible } from '../../src/finding/visible.ts';
import { Unreadable } from '../../src/host/files.ts';
import { TOOL } from '../../src/verify/tool.ts';
import { nearest } from '../nearest.ts';
import { type FlagSpecs, type Flags, readFlags } from './flags.ts';
import { indentJson } from './indent.ts';
import type { BideIo } from './io.ts';
import { Session, wordOf } from './session.ts';
import { COMMON_FLAGS, type Verb } from './verb.ts';
import { loadVerb, VERB_NAMES } from './verbs.ts';

const PROGRAM = 'bide-audit';

const TOP_FLAGS: FlagSpecs = {
  json: { kind: 'bool', help: 'print one JSON object instead of lines' },
  version: { kind: 'bool', help: 'print the version and the formats that are read and written' },
};

/** Runs one command line. Nothing that goes wrong escapes as an exception. */
export async function main(argv: readonly string[], io: BideIo): Promise<number> {
  // `bide audit <verb>` and `bide-audit <verb>` are one command (audit spec 6.1).
  const args = argv[0] === 'audit' ? argv.slice(1) : argv;
  const top = readFlags(TOP_FLAGS, args);
  if (!top.ok) return usageError(io, args.some(isJsonFlag), '', top.message, topUsage());
  const json = top.flags.bool('json');
  const [name, ...rest] = top.rest;
  if (top.flags.bool('version')) {
    if (name !== undefined) return usageError(io, json, '', '-version takes no verb', topUsage());
    return write(io, json ? indentJson(JSON.stringify(versionObject())) : versionText(), 0);
  }
  if (name === undefined) return usageError(io, json, '', 'a verb is needed', topUsage());
  const verb = await loadVerb(name);
  if (verb === undefined) {
    const near = nearest(name, VERB_NAMES);
    const hint = near === undefined ? '' : `; did you mean ${near}?`;
    return usageError(
      io,
      json || rest.some(isJsonFlag),
      name,
      `unknown verb ${JSON.stringify(name)}${hint}`,
      topUsage(),
    );
  }
  return runVerb(verb, rest, json, io);
}

function isJsonFlag(arg: string): boolean {
  return /^--?json(?:=(?:1|t|T|TRUE|true|True))?$/.test(arg);
}

async function runVerb(verb: Verb, args: readonly string[], jsonBefore: boolean, io: BideIo): Promise<number> {
  const specs = { ...verb.flags, ...COMMON_FLAGS };
  const reading = readFlags(specs, withArgument(verb, specs, args));
  const json = jsonBefore || (reading.ok ? reading.flags.bool('json') : args.some(isJsonFlag));
  const problem = reading.ok ? usageProblem(verb, reading.flags, reading.rest) : reading.message;
  if (!reading.ok || problem !== undefined) return usageError(io, json, verb.name, problem ?? '', verbUsage(verb));

  const session = new Session();
  try {
    await verb.run(reading.flags, session, io);
  } catch (error) {
    return finish(
      verb,
      session,
      json,
      io,
      `the program itself failed: ${error instanceof Error ? error.message : String(error)}`,
    );
  }
  return finish(verb, session, json, io);
}

/** The short form of a verb that takes one file without a flag. */
function withArgument(verb: Verb, specs: FlagSpecs, args: readonly string[]): readonly string[] {
  if (verb.argument === undefined) return args;
  const first = readFlags(
    Object.fromEntries(Object.entries(specs).map(([name, spec]) => [name, { ...spec, required: false }])),
    args,
  );
  if (!first.ok || first.rest.length === 0) return args;
  const before = args.slice(0, args.length - first.rest.length).filter((arg) => arg !== '--');
  return [...before, `-${verb.argument}`, ...first.rest];
}

function usageProblem(verb: Verb, flags: Flags, rest: readonly string[]): string | undefined {
  if (rest[0] !== undefined) return `unexpected argument ${JSON.stringify(rest[0])}`;
  if (flags.integer('max-input-bytes', 1) < 1) return '-max-input-bytes must be at least 1';
  if (flags.duration('max-clock-skew', 0n) < 0n) return '-max-clock-skew must not be negative';
  return verb.usage?.(flags);
}

function finish(verb: Verb, session: Session, json: boolean, io: BideIo, failure?: string): number {
  if (failure !== undefined) session.errors.push(failure);
  let status: number = session.status;
  if (failure !== undefined && status === 0) status = 3;
  for (const error of session.errors) io.err(`error: ${visible(error)}\n`);
  if (json) return write(io, envelope(verb.name, status, verb.emits === true, session), status);
  return write(io, session.lines.map((line) => `${line}\n`).join(''), status);
}

/** The one JSON object of audit spec 6.6. */
function envelope(verb: string, status: number, emits: boolean, session: Session): string {
  const word = wordOf(status, emits);
  const members = {
    tool: PROGRAM,
    version: TOOL.version,
    verb,
    exit_code: status,
    result: word,
    verified: word === 'verified',
    output: session.lines,
    errors: session.errors,
  };
  const compact = JSON.stringify(members);
  const artifact = session.artifact === undefined ? '' : `,"artifact":${session.artifact}`;
  const report = `,"report":${JSON.stringify(session.report ?? { findings: session.findings })}`;
  return indentJson(`${compact.slice(0, -1)}${artifact}${report}}`);
}

function usageError(io: BideIo, json: boolean, verb: string, message: string, usage: string): number {
  io.err(`error: ${visible(message)}\n${usage}`);
  if (!json) return 2;
  const session = new Session();
  session.errors.push(visible(message));
  return write(io, envelope(verb, 2, false, session), 2);
}

/** Writes standard output; where that fails, nothing that was found can be relied on by whoever reads it. */
function write(io: BideIo, text: string, status: number): number {
  try {
    if (text !== '') io.out(text.endsWith('\n') ? text : `${text}\n`);
    return status;
  } catch (error) {
    const reason = error instanceof Unreadable || error instanceof Error ? error.message : String(error);
    io.err(`error: standard output could not be written: ${visible(reason)}\n`);
    return status === 0 ? 3 : status;
  }
}

function versionObject(): object {
  return {
    tool: PROGRAM,
    version: TOOL.version,
    formats: Object.fromEntries(FORMAT_TABLE.map((row) => [row.artifact, row.tag])),
  };
}

function versionText(): string {
  const rows = FORMAT_TABLE.map((row) => `  ${row.artifact.padEnd(24)}  ${row.tag}\n`);
  return `${PROGRAM} ${TOOL.version}\nformats read and written:\n${rows.join('')}`;
}

function topUsage(): string {
  return `usage: ${PROGRAM} [-json] <verb> [flags]\n       ${PROGRAM} -version [-json]\nverbs: ${VERB_NAMES.join(', ')}\n`;
}

function verbUsage(verb: Verb): string {
  const rows = Object.entries({ ...verb.flags, ...COMMON_FLAGS }).map(
    ([name, spec]) =>
      `  -${name}${spec.kind === 'bool' ? '' : ' value'}${spec.required === true ? ' (required)' : ''}\n        ${spec.help}\n`,
  );
  return `usage: ${PROGRAM} ${verb.name} [flags]\n${verb.summary}\n${rows.join('')}`;
}
