/** `audit verify <path...>`: every input by its kind, every check that the given trust allows, on one core or on all. */
import { type Done, doneHere } from '../../src/corpus/done.ts';
import { hashFile, inShard, type Job, parseShard, planJobs, type Shard } from '../../src/corpus/plan.ts';
import { readEarlier, stillHolds, underOf } from '../../src/corpus/resume.ts';
import { prepare, runJobs } from '../../src/corpus/run.ts';
import { Unreadable } from '../../src/host/files.ts';
import { type Counted, type InputReport, summarise } from '../../src/verify/report.ts';
import { givenBy, unreadableInput } from '../../src/verify/verify.ts';
import { type Args, type Command, type Io, UsageError } from '../command.ts';
import { settingOf } from '../inputs.ts';
import { AT, ENTRY, EXPECT_ID, EXPECT_LEAF, HEAD, MEDIA_DIR, REQUIRE, RUN, STATUS, TRUST } from '../options.ts';
import { emit, ndjsonWriters, OUTPUT_OPTIONS, outputsOf } from '../output.ts';
import { readTrustFiles } from '../trust.ts';

export const verifyCommand: Command = {
  name: 'verify',
  summary:
    'Verify files of any known kind: sessions, journals, proofs, packages, trails, bundles, certificates. Folders are walked.',
  positional: '<path...>',
  options: [
    TRUST,
    AT,
    REQUIRE,
    EXPECT_ID,
    EXPECT_LEAF,
    ENTRY,
    RUN,
    HEAD,
    STATUS,
    MEDIA_DIR,
    ...OUTPUT_OPTIONS,
    {
      name: 'workers',
      type: 'text',
      placeholder: 'N',
      describe: 'Worker threads; by default one a core where there are many inputs.',
    },
    {
      name: 'shard',
      type: 'text',
      placeholder: 'I/N',
      describe: 'Only part I of N, split by content; "audit merge" joins the parts.',
    },
    {
      name: 'resume',
      type: 'text',
      placeholder: 'FILE',
      describe: 'NDJSON of an earlier run: inputs whose content it reports are not verified again.',
    },
  ],
  examples: [
    {
      command: 'audit verify session.jsonl',
      says: 'Re-derives every id and request hash of a session and says what holds.',
    },
    {
      command: 'audit verify session.jsonl --head head.json --trust trust.json --require completeness',
      says: 'Also demands that a head signed by a key of the trust file covers the session.',
    },
    {
      command: 'audit verify evidence/ --format text --format sarif=report.sarif',
      says: 'Walks a folder; a person reads the text, the platform the SARIF.',
    },
    {
      command: 'audit verify sessions/ --format ndjson=report.ndjson --resume report.ndjson',
      says: 'A hundred thousand files on all cores; the same line goes on after a kill.',
    },
  ],
  run: (args, io) => verifyAll(args, io),
};

/**
 * Verifies what the command line names.
 *
 * @param kinds those that the command is about; all kinds, where it is not given
 */
export async function verifyAll(args: Args, io: Io, kinds?: readonly string[]): Promise<number> {
  const outputs = outputsOf(args, io);
  const workers = numberOf(args, 'workers');
  const shard = shardOf(args);
  const asked = { ...settingOf(args), ...(kinds === undefined ? {} : { kinds }) };
  const { findings } = await readTrustFiles(args, io);
  const earlier = earlierOf(args, io);
  const given = givenBy(await prepare(asked));
  const under = underOf(given, asked);
  const setting = { ...asked, under };
  const stream = ndjsonWriters(outputs, args, io);
  const keep = outputs.some(({ format }) => format !== 'ndjson');
  let leftOut = 0;
  // What no shard has a content of is counted by the first.
  const jobs = [...planJobs(args.positional, () => (shard === undefined || shard.index === 1) && leftOut++)];
  const bar = io.errIsTerminal ? (await import('../progress.ts')).progress(io, jobs.length) : { tick() {}, stop() {} };

  const inputs: InputReport[] = [];
  const counted: Counted[] = [];
  let taken = 0;
  const recognised = new Set<string>();
  const take = (done: Done) => {
    bar.tick();
    if (done.leftOut) {
      leftOut++;
      return;
    }
    recognised.add(done.path);
    stream?.line(done.line());
    if (keep) inputs.push(done.report());
    counted.push(done.counted);
  };
  const options = {
    ...(workers === undefined ? {} : { workers }),
    standardInput: () => io.open('-'),
    clock: once(() => io.clock()),
  };
  for await (const done of withEarlier(jobs, { earlier, under, taken: () => taken++ }, shard, (jobs) =>
    runJobs(jobs, setting, options),
  ))
    take(done);
  // A folder in which nothing was recognised is a named input that could not be used, whatever the other inputs are (law 2).
  for (const folder of shard === undefined ? setting.siblings : []) {
    const inside = jobs.filter((job) => job.folder === folder);
    if (inside.some(({ path }) => recognised.has(path))) continue;
    const says =
      inside.length === 0
        ? 'there is no file in this folder'
        : `none of the ${inside.length} files in this folder is of a kind that is read here`;
    take(doneHere({ report: unreadableInput(folder, says, 'input/unknown-kind'), leftOut: false }, under));
  }
  bar.stop();
  if (taken > 0 && !args.flag('quiet'))
    io.err(`audit: ${taken} of ${counted.length} reports were taken over from ${args.text('resume') ?? ''}\n`);

  const summary = summarise(counted, findings, given, leftOut);
  stream?.end(summary);
  return emit(
    { ...summary, inputs },
    outputs.filter(({ format }) => format !== 'ndjson'),
    args,
    io,
  );
}

function once<T>(read: () => T): () => T {
  let value: { readonly it: T } | undefined;
  return () => {
    value ??= { it: read() };
    return value.it;
  };
}

function numberOf(args: Args, name: string): number | undefined {
  const text = args.text(name);
  if (text !== undefined && !/^[1-9][0-9]{0,3}$/.test(text))
    throw new UsageError(`--${name} takes a whole number from 1; not ${JSON.stringify(text)}`);
  return text === undefined ? undefined : Number(text);
}

function shardOf(args: Args): Shard | undefined {
  const text = args.text('shard');
  const shard = text === undefined ? undefined : parseShard(text);
  if (text !== undefined && shard === undefined)
    throw new UsageError(`--shard takes I/N, such as 1/4; not ${JSON.stringify(text)}`);
  return shard;
}

function earlierOf(args: Args, io: Io): ReadonlyMap<string, InputReport> {
  const path = args.text('resume');
  if (path === undefined) return new Map();
  try {
    return readEarlier(io.read(path));
  } catch (error) {
    // The first run of a line that is meant to be run again has nothing to go on from.
    if (error instanceof Unreadable && error.message === 'there is no such file') return new Map();
    throw error;
  }
}

/** What an earlier run reported, and what this one must have in common with it. */
interface Earlier {
  readonly earlier: ReadonlyMap<string, InputReport>;
  readonly under: string;
  /** Called for each report that is taken over. */
  taken(): void;
}

/** Runs of new jobs between jobs that an earlier run already did, everything in the order of the jobs. */
async function* withEarlier(
  jobs: Iterable<Job>,
  { earlier, under, taken }: Earlier,
  shard: Shard | undefined,
  run: (jobs: Iterable<Job>) => AsyncIterable<Done>,
): AsyncGenerator<Done> {
  const known = new Map<number, InputReport>();
  let position = 0;
  const fresh = (function* () {
    for (const job of jobs) {
      if (shard !== undefined && !belongs(job, shard)) continue;
      const report = job.path === '-' ? undefined : stillHolds(job.path, earlier, under);
      if (report === undefined) yield job;
      else known.set(position, report);
      position++;
    }
  })();
  let given = 0;
  for await (const done of run(fresh)) {
    yield* drain();
    yield done;
    given++;
  }
  yield* drain();

  function* drain(): Generator<Done> {
    for (let report = known.get(given); report !== undefined; report = known.get(given)) {
      known.delete(given++);
      const { under: _, ...own } = report;
      taken();
      yield doneHere({ report: own, leftOut: false }, under);
    }
  }
}

function belongs(job: Job, shard: Shard): boolean {
  try {
    return job.path === '-' ? shard.index === 1 : inShard(hashFile(job.path), shard);
  } catch {
    return shard.index === 1;
  }
}
