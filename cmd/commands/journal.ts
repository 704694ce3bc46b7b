/** `audit journal show|status|events|render|new|append|decide|resolve`: read a run journal, write records to one. */
import { signDecision } from '../../src/approval/decision.ts';
import { GateIndex } from '../../src/approval/gateIndex.ts';
import { type Submission, submitDecision } from '../../src/approval/submit.ts';
import { type Resolver, trustResolver } from '../../src/approval/verifier.ts';
import { decodeUtf8, utf8 } from '../../src/bytes/encoding.ts';
import { secureRandom } from '../../src/crypto/keys.ts';
import type { PrivateKey } from '../../src/crypto/signature.ts';
import { printed, visible } from '../../src/finding/visible.ts';
import { Unreadable } from '../../src/host/files.ts';
import { compactRaw } from '../../src/journal/encode.ts';
import { formatFindings } from '../../src/journal/export.ts';
import { isStepName } from '../../src/journal/names.ts';
import { notifyEvents } from '../../src/journal/notify-events.ts';
import { isProjectable, projectEvents } from '../../src/journal/project.ts';
import { type Replay, replay } from '../../src/journal/replay.ts';
import { resolveHalt } from '../../src/journal/resolve.ts';
import { recordLines, renderConversation, standingOf } from '../../src/journal/show.ts';
import { parseTimestamp } from '../../src/journal/timestamp.ts';
import { jsonText } from '../../src/journal/write-values.ts';
import { JournalRefusal, JournalWriter } from '../../src/journal/writer.ts';
import type { Instant } from '../../src/time/instant.ts';
import { type Args, type Command, type Io, type Option, UsageError } from '../command.ts';
import { journalOf, openJournal } from '../journalFile.ts';
import { TRUST } from '../options.ts';
import { KEY, privateKey, refuse } from '../producing.ts';
import { readTrustFiles } from '../trust.ts';

const RUN: Option = {
  name: 'run',
  type: 'text',
  placeholder: 'ID',
  describe: 'The run, for a journal given as one stored record a line.',
};
const JSON_FLAG: Option = { name: 'json', type: 'flag', describe: 'As JSON, for programs.' };

function one(args: Args, what: string): string {
  const [path] = args.positional;
  if (path === undefined || args.positional.length > 1)
    throw new UsageError(`"audit journal ${what}" takes one journal`);
  return path;
}

/** The replay of a journal whose format is read here. */
async function replayed(args: Args, io: Io, what: string): Promise<Replay> {
  const path = one(args, what);
  const journal = await journalOf(path, args.text('run'), io);
  const [problem] = formatFindings(journal);
  if (problem !== undefined) throw new Unreadable(`${path}: ${problem.message}`);
  return replay(journal);
}

const json = (value: unknown) =>
  `${JSON.stringify(value, (_, member: unknown) => (typeof member === 'bigint' ? String(member) : member), 2)}\n`;

export const journalShowCommand: Command = {
  name: 'journal show',
  summary: 'What stands in a run journal, one line a record.',
  positional: '<journal>',
  options: [RUN, JSON_FLAG],
  examples: [
    { command: 'audit journal show run.json', says: 'Every record with its time and what it says.' },
    {
      command: 'audit journal show run.jsonl --run acme/order-42 --json',
      says: 'The same of record lines, for a program.',
    },
  ],
  async run(args, io) {
    const lines = recordLines(await replayed(args, io, 'show'));
    if (args.flag('json')) io.out(json(lines));
    else
      for (const { position, time, name, text } of lines)
        io.out(
          printed(`${String(position).padStart(4)}  ${(time ?? '').padEnd(24)}  ${visible(name).padEnd(28)}  ${text}`),
        );
    return 0;
  },
};

export const journalStatusCommand: Command = {
  name: 'journal status',
  summary: 'Where a run stands: its end, its answer, and everything it waits for.',
  positional: '<journal>',
  options: [RUN, JSON_FLAG],
  examples: [
    {
      command: 'audit journal status run.json',
      says: 'Completed, aborted, cancelled, or what somebody has to do next.',
    },
    { command: 'audit journal status run.jsonl --run acme/order-42 --json', says: 'The same for a program.' },
  ],
  async run(args, io) {
    const standing = standingOf(await replayed(args, io, 'status'));
    if (args.flag('json')) io.out(json(standing));
    else {
      const rows: readonly (readonly [string, string])[] = [
        ['run', standing.run],
        ['status', standing.terminal === '' ? standing.status : `${standing.status}: ${standing.terminal}`],
        ['ended', standing.ended_at],
        ['records', `${standing.records}${standing.redacted > 0 ? `, ${standing.redacted} redacted` : ''}`],
        [
          'turns',
          `${standing.turns}${standing.limits.max_turns === null ? '' : ` of at most ${standing.limits.max_turns}`}`,
        ],
        [
          'tokens',
          `${standing.tokens.input} in, ${standing.tokens.output} out, ${standing.tokens.cache_read} read from and ${standing.tokens.cache_write} written to a cache`,
        ],
        ['answer', standing.answer ?? ''],
        ...standing.waiting.map((text) => ['waits', text] as const),
        ...standing.resolved.map((text) => ['resolved', text] as const),
      ];
      for (const [name, text] of rows) if (text !== '') io.out(printed(`${name.padEnd(9)} ${text}`));
    }
    return 0;
  },
};

export const journalEventsCommand: Command = {
  name: 'journal events',
  summary: 'The events of a run: those it projects, or with --owed those that needed a person.',
  positional: '<journal>',
  options: [RUN, { name: 'owed', type: 'flag', describe: 'Asks of gates, halts and the abort, with their keys.' }],
  examples: [
    { command: 'audit journal events run.json', says: 'Turns and completed calls, one JSON event a line.' },
    {
      command: 'audit journal events run.json --owed',
      says: 'What somebody had to be told of, and whether it is still open.',
    },
  ],
  async run(args, io) {
    const run = await replayed(args, io, 'events');
    if (args.flag('owed')) {
      for (const event of notifyEvents(run)) {
        const { key, kind, run: root, opRun, opKind, op, at, current, approvers, resolvedAt } = event;
        io.out(
          `${JSON.stringify({ key, kind, run_id: root, op_run: opRun, op_kind: opKind, op_id: op, at, current, approvers, resolved_at: resolvedAt })}\n`,
        );
      }
      return 0;
    }
    if (!isProjectable(run.journal))
      throw new Unreadable('nothing is projected from a journal that holds a redacted record or one without its salt');
    for (const { kind, position, json: event } of projectEvents(run.journal))
      io.out(`{"kind":"${kind}","record":${position},"event":${decodeUtf8(event) ?? 'null'}}\n`);
    return 0;
  },
};

export const journalRenderCommand: Command = {
  name: 'journal render',
  summary: 'The conversation of a run as text, each result after the turn that asked for it.',
  positional: '<journal>',
  options: [RUN],
  examples: [
    { command: 'audit journal render run.json', says: 'What a resume would show the model, readable.' },
    { command: 'audit journal render run.jsonl --run acme/order-42 | less', says: 'The same, page by page.' },
  ],
  async run(args, io) {
    io.out(
      `${renderConversation(await replayed(args, io, 'render'))
        .split('\n')
        .map(visible)
        .join('\n')}\n`,
    );
    return 0;
  },
};

/** Opens a journal file for writing, does one thing, and closes it whatever happens. */
async function writing(
  args: Args,
  io: Io,
  what: string,
  create: boolean,
  act: (writer: JournalWriter) => Promise<number>,
): Promise<number> {
  const path = one(args, what);
  const run = args.need('run');
  const since = new Date(Number(io.clock() / 1_000_000n)).toISOString();
  const store = await openJournal(path, run, create, since);
  try {
    return await act(new JournalWriter(run, { store, random: secureRandom, now: () => io.clock() }));
  } catch (error) {
    if (!(error instanceof JournalRefusal)) throw error;
    throw new Unreadable(`${path}: ${error.message}`);
  } finally {
    store.close();
  }
}

function rawOf(args: Args, name: string): Uint8Array {
  const text = args.need(name);
  try {
    return compactRaw(utf8(text));
  } catch {
    throw new UsageError(`--${name} takes one JSON value; not ${JSON.stringify(text.slice(0, 60))}`);
  }
}

const FILE_RUN: Option = { name: 'run', type: 'text', placeholder: 'ID', describe: 'The run that the file is of.' };

export const journalNewCommand: Command = {
  name: 'journal new',
  summary: 'Begin a journal in a new file, one stored record a line: header, principal, start.',
  positional: '<file>',
  options: [
    FILE_RUN,
    { name: 'input', type: 'text', placeholder: 'TEXT', describe: 'What the run is asked to do.' },
    { name: 'principal', type: 'text', placeholder: 'WHO', describe: 'On whose behalf it acts.' },
    { name: 'saga', type: 'flag', describe: 'What it did is taken back when it fails.' },
  ],
  examples: [
    {
      command: 'audit journal new run.jsonl --run order-42 --input "Refund order 42."',
      says: 'A journal with its header and start.',
    },
    {
      command: 'audit journal new run.jsonl --run order-42 --input "Refund." --principal desk-7',
      says: 'Also records for whom.',
    },
  ],
  run(args, io) {
    const input = jsonText(args.need('input'));
    const principal = args.text('principal');
    return writing(args, io, 'new', true, async (writer) => {
      await writer.start({
        input,
        saga: args.flag('saga'),
        ...(principal === undefined ? {} : { principal: { onBehalfOf: principal } }),
        startedAt: writer.now(),
      });
      return 0;
    });
  },
};

export const journalAppendCommand: Command = {
  name: 'journal append',
  summary: 'Record a step, a signal or the end of a run. A name is taken once: the first record stays.',
  positional: '<file>',
  options: [
    FILE_RUN,
    { name: 'step', type: 'text', placeholder: 'NAME', describe: 'A step of that name, with --value.' },
    { name: 'signal', type: 'text', placeholder: 'NAME', describe: 'A signal of that name, with --value.' },
    {
      name: 'end',
      type: 'text',
      placeholder: 'HOW',
      choices: ['complete', 'cancel'],
      describe: 'complete, or cancel with --reason.',
    },
    { name: 'value', type: 'text', placeholder: 'JSON', describe: 'The value or payload.' },
    { name: 'reason', type: 'text', placeholder: 'TEXT', describe: 'Why it is cancelled.' },
  ],
  examples: [
    {
      command: `audit journal append run.jsonl --run order-42 --signal paid --value '{"amount":"12.50"}'`,
      says: 'Delivers a signal.',
    },
    { command: 'audit journal append run.jsonl --run order-42 --end complete', says: 'Ends the run.' },
  ],
  run(args, io) {
    const chosen = ['step', 'signal', 'end'].filter((name) => args.text(name) !== undefined);
    if (chosen.length !== 1) throw new UsageError('"audit journal append" takes one of --step, --signal and --end');
    const step = args.text('step');
    if (step !== undefined && !isStepName(step))
      throw new UsageError(`${JSON.stringify(step)} is a name of the engine's, not of a step`);
    const value = args.text('end') === undefined ? rawOf(args, 'value') : undefined;
    return writing(args, io, 'append', false, async (writer) => {
      const signal = args.text('signal');
      if (args.text('end') === 'cancel') {
        const did = await writer.cancel(args.text('reason') ?? '');
        if (did === 'cancelled' || did === 'requested') return 0;
        io.err(did === 'ended' ? 'the run has ended already\n' : 'the run was never started\n');
        return 1;
      }
      const written =
        step !== undefined
          ? await writer.record({ name: step, kind: 'value', result: value })
          : signal !== undefined
            ? await writer.signal(signal, value ?? utf8('null'))
            : await writer.complete();
      if (!written.won) io.err('the name was taken already, or the run has another end: the first record stays\n');
      return written.won ? 0 : 1;
    });
  },
};

export const journalDecideCommand: Command = {
  name: 'journal decide',
  summary:
    'Record a decision on a call: the one of a one-decision gate, where the first stays, or with --approver one signed decision of several.',
  positional: '<file>',
  options: [
    FILE_RUN,
    { name: 'call', type: 'text', placeholder: 'ID', describe: 'The call that is decided on.' },
    { name: 'approve', type: 'flag', describe: 'It may run.' },
    { name: 'deny', type: 'flag', describe: 'It may not, for good.' },
    {
      name: 'approver',
      type: 'text',
      placeholder: 'ID',
      describe: 'Who decides, as the policy of the gate names them.',
    },
    { ...KEY, describe: 'The private key of the approver, with --approver.' },
    TRUST,
  ],
  examples: [
    { command: 'audit journal decide run.jsonl --run order-42 --call call-1 --approve', says: 'The call may run.' },
    { command: 'audit journal decide run.jsonl --run order-42 --call call-1 --deny', says: 'It never will.' },
    {
      command:
        'audit journal decide run.jsonl --run order-42 --call call-1 --approve --approver ops --key ops.key --trust trust.json',
      says: 'Signed for exactly this call and its arguments, and refused if it could not count.',
    },
  ],
  async run(args, io) {
    const approved = args.flag('approve');
    if (approved === args.flag('deny')) throw new UsageError('"audit journal decide" takes --approve or --deny');
    const call = args.need('call');
    const approver = args.text('approver');
    if ((approver === undefined) !== (args.text('key') === undefined))
      throw new UsageError('a signed decision takes --approver and --key');
    const signer = approver === undefined ? undefined : { approver, key: await privateKey(args, io) };
    const { trust, findings } = await readTrustFiles(args, io);
    if (findings.length > 0) return refuse(findings, io);
    return writing(args, io, 'decide', false, async (writer) => {
      const journal = await writer.load();
      const run = journal === undefined ? undefined : replay(journal);
      if (journal === undefined || (!run?.calls.has(call) && run?.gates.get(call)?.request === undefined))
        throw new JournalRefusal('config', `no turn of the run makes the call ${JSON.stringify(call)}`);
      if (signer === undefined) {
        const { won } = await writer.approve(call, approved);
        if (!won) io.err('somebody decided before; that decision stays\n');
        return won ? 0 : 1;
      }
      const index = new GateIndex(journal);
      const made = decide(index, call, { approved, decidedAt: writer.now() }, signer, {
        now: io.clock(),
        // Trust in nobody's key is no reason to leave the signature unchecked.
        resolver: args.list('trust').length === 0 ? undefined : (trustResolver(trust) ?? (() => undefined)),
      });
      if (made.outcome === 'write') {
        const { won } = await writer.record(made.record);
        if (!won) io.err('another record took the name first; decide again\n');
        return won ? 0 : 1;
      }
      io.err(made.outcome === 'held' ? 'this decision is on record already\n' : `audit: ${made.problem}\n`);
      return made.outcome === 'held' ? 0 : 1;
    });
  },
};

/** A decision signed for a call as the journal holds it, and whether it may be written. */
function decide(
  index: GateIndex,
  call: string,
  verdict: { readonly approved: boolean; readonly decidedAt: string },
  { approver, key }: { readonly approver: string; readonly key: PrivateKey },
  { now, resolver }: { readonly now: Instant; readonly resolver: Resolver | undefined },
): Submission {
  const request = index.request(call);
  if (request === undefined) return { outcome: 'refused', problem: 'the call has no arguments that could be signed' };
  const decision = signDecision(request.subject, { approver, ...verdict }, key);
  if ('problem' in decision) return { outcome: 'refused', problem: decision.problem };
  return submitDecision({ index, decision, now, ...(resolver === undefined ? {} : { resolver }) });
}

export const journalResolveCommand: Command = {
  name: 'journal resolve',
  summary: 'Record what somebody found out about an effect that may have fired.',
  positional: '<file>',
  options: [
    FILE_RUN,
    { name: 'call', type: 'text', placeholder: 'ID', describe: 'The call whose outcome is not known.' },
    { name: 'step', type: 'text', placeholder: 'NAME', describe: 'Or the step.' },
    { name: 'value', type: 'text', placeholder: 'JSON', describe: 'The outcome.' },
    { name: 'failed', type: 'flag', describe: 'It did not happen; --value says why.' },
    { name: 'evidence', type: 'text', placeholder: 'JSON', describe: 'What shows it.' },
  ],
  examples: [
    {
      command: `audit journal resolve run.jsonl --run order-42 --call c1 --value '"charged"' --evidence '{"provider_id":"ch_991"}'`,
      says: 'It happened, and here is what shows it.',
    },
    {
      command: `audit journal resolve run.jsonl --run order-42 --call c1 --failed --value '"never arrived"'`,
      says: 'It did not happen.',
    },
  ],
  run(args, io) {
    const call = args.text('call');
    const step = args.text('step');
    const op = call ?? step;
    if (op === undefined || (call !== undefined && step !== undefined))
      throw new UsageError('"audit journal resolve" takes --call or --step');
    const result = rawOf(args, 'value');
    const evidence = args.text('evidence') === undefined ? {} : { evidence: rawOf(args, 'evidence') };
    return writing(args, io, 'resolve', false, async (writer) => {
      const resolved = await resolveHalt(writer, {
        kind: call === undefined ? 'step' : 'tool',
        op,
        cause: 'crashed',
        result,
        isError: args.flag('failed'),
        ...evidence,
        nowMs: (parseTimestamp(writer.now()) ?? 0n) / 1_000_000n,
      });
      if (resolved.status === 'recorded' || resolved.status === 'agreed') return 0;
      io.err(`${WORDS[resolved.status]}\n`);
      return 1;
    });
  },
};

const WORDS = {
  already_resolved: 'another outcome is on record already; it stays',
  no_live_attempt: 'nothing of that name may have fired without an outcome',
  too_young: 'the attempt is too young to be given up',
  in_flight: 'somebody else is at it',
} as const;
