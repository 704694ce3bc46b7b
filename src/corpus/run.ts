/**
 * Many inputs: every file by the one road, on one core or on all, reports given in the order of the inputs whatever finishes first, so that
 * a run gives the same bytes however many workers it has.
 */
import { existsSync, statSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { fileURLToPath } from 'node:url';
import { setFlagsFromString } from 'node:v8';
import type { ByteSource } from '../bytes/source.ts';
import { openFile, readFile, readStandardInput, Unreadable } from '../host/files.ts';
import type { Input, VerifyOptions } from '../verify/kind.ts';
import { withTrust } from '../verify/options.ts';
import type { InputReport } from '../verify/report.ts';
import { unreadableInput, verifyInput } from '../verify/verify.ts';
import { type Done, doneHere, doneThere, type Sent } from './done.ts';
import { type Job, planJobs } from './plan.ts';

/** The options of a run as plain data, so that they reach workers: files by path. */
export interface Setting {
  readonly trust: readonly string[];
  readonly heads: readonly string[];
  /** Files and folders. */
  readonly companions: readonly string[];
  /** Files and folders of media. */
  readonly media: readonly string[];
  /** Folders whose files may be consulted as siblings of the inputs. */
  readonly siblings: readonly string[];
  /** Named files, which may be consulted in the same way. */
  readonly named: readonly string[];
  readonly at?: bigint;
  readonly require?: readonly string[];
  readonly expectIds: readonly string[];
  readonly expectLeaf?: string;
  readonly entry?: string;
  readonly run?: string;
  readonly kinds?: readonly string[];
  /** What reports depend on beside their inputs (`underOf`), for their lines of NDJSON. */
  readonly under?: string;
}

/** What a worker is started with. */
export interface WorkerData {
  readonly setting: Setting;
  readonly now: bigint | undefined;
}

/** Opens what a setting names. Throws Unreadable with the path. */
export async function prepare(setting: Setting, clock?: () => bigint): Promise<VerifyOptions> {
  const files = setting.trust.map((path) => ({ path, bytes: named(path, () => readFile(path)) }));
  const open = (path: string): Input => ({ path, source: named(path, () => openFile(path)) });
  const all = (paths: readonly string[]) => [...planJobs(paths)].map(({ path }) => open(path));
  const { at, require, expectLeaf, entry, run, kinds } = setting;
  const { options } = await withTrust(files, {
    heads: setting.heads.map(open),
    companions: all(setting.companions),
    media: all(setting.media),
    siblings: lazily([...setting.siblings, ...setting.named]),
    expectIds: setting.expectIds,
    ...(at === undefined ? {} : { at }),
    ...(clock === undefined ? {} : { clock }),
    ...(require === undefined ? {} : { require }),
    ...(expectLeaf === undefined ? {} : { expectLeaf }),
    ...(entry === undefined ? {} : { entry }),
    ...(run === undefined ? {} : { run }),
    ...(kinds === undefined ? {} : { kinds }),
  });
  return options;
}

/** The files of paths, opened as they are gone through. One that cannot be read is reported as the input that it is. */
function lazily(paths: readonly string[]): Iterable<Input> {
  return {
    *[Symbol.iterator]() {
      for (const { path } of planJobs(paths)) {
        try {
          yield { path, source: openFile(path) };
        } catch (error) {
          if (!(error instanceof Unreadable)) throw error;
        }
      }
    },
  };
}

function named<T>(path: string, open: () => T): T {
  try {
    return open();
  } catch (error) {
    if (error instanceof Unreadable) throw new Unreadable(`${path}: ${error.message}`, error.tooLarge);
    throw error;
  }
}

/** Verifies one file. A walked file of no kind that the command reads is left out: counted, not reported. */
export async function runJob(
  { path, walked }: Job,
  options: VerifyOptions,
  standardInput = readStandardInput,
): Promise<{ readonly report: InputReport; readonly leftOut: boolean }> {
  let report: InputReport;
  try {
    const source = path === '-' ? standardInput() : openFile(path);
    report = await verifyInput({ path, source }, options);
    source.close?.();
  } catch (error) {
    if (!(error instanceof Unreadable)) throw error;
    report = unreadableInput(path, error.message, error.tooLarge ? 'input/too-large' : 'input/unreadable');
  }
  const isOther = report.kind === null || report.findings.some(({ code }) => code === 'input/other-kind');
  return { report, leftOut: walked && isOther && report.sha256 !== null };
}

export interface RunOptions {
  /** Workers; 1 runs in this thread. Default: one a core where there are enough inputs to pay for them. */
  readonly workers?: number;
  readonly standardInput?: () => ByteSource;
  /** Read at most once: when a time rule asks, or when workers start, who cannot ask. */
  readonly clock?: () => bigint;
}

/** Inputs below which starting workers costs more than it saves. */
const WORTH_WORKERS = 64;
/** Batches under way or waiting to be given in order, per worker: what bounds memory. */
const AHEAD = 4;
/** A batch ends with so many files or bytes: small files are worth a message to a worker only together. */
const BATCH_JOBS = 128;
const BATCH_BYTES = 1 << 20;

/** Runs jobs and yields what became of each, in the order of the jobs. */
export async function* runJobs(jobs: Iterable<Job>, setting: Setting, options: RunOptions = {}): AsyncGenerator<Done> {
  // The engine takes from the first files, of which one fills its small memory, that what a file makes is kept for long. That costs a
  // fifth of the time of a run: everything made for a file is done with when its report is.
  setFlagsFromString('--no-allocation-site-pretenuring');
  const worker = fileURLToPath(new URL('./worker.js', import.meta.url));
  const list = jobs[Symbol.iterator]();
  const first: Job[] = [];
  for (let next = list.next(); next.done !== true; next = list.next()) {
    first.push(next.value);
    if (first.length === WORTH_WORKERS) break;
  }
  const rest = (function* () {
    yield* first;
    if (first.length === WORTH_WORKERS)
      for (let next = list.next(); next.done !== true; next = list.next()) yield next.value;
  })();
  const workers = options.workers ?? (first.length < WORTH_WORKERS ? 1 : availableParallelism());
  // From the sources (in tests) there is no compiled worker to start.
  if (workers <= 1 || !existsSync(worker)) {
    const prepared = await prepare(setting, options.clock);
    for (const job of rest) yield doneHere(await runJob(job, prepared, options.standardInput), setting.under);
    return;
  }
  // With a worker a core none is left for threads that help to collect garbage: they would only stand in the way.
  setFlagsFromString('--no-parallel-scavenge');
  const { Piscina } = await import('piscina');
  const pool = new Piscina<readonly Job[], Sent>({
    filename: worker,
    workerData: { setting, now: options.clock?.() } satisfies WorkerData,
    minThreads: workers,
    maxThreads: workers,
  });
  // Standard input belongs to this thread.
  const here = async (job: Job): Promise<readonly Done[]> => [
    doneHere(await runJob(job, await prepare(setting, options.clock), options.standardInput), setting.under),
  ];
  // A worker that dies between two tasks is nobody's failed task: the run ends, or it would wait for ever.
  let broken: unknown;
  pool.on('error', (error) => {
    broken ??= error;
    void pool.destroy();
  });
  const there = async (batch: readonly Job[]): Promise<readonly Done[]> => {
    try {
      if (broken !== undefined) throw broken;
      return doneThere(await pool.run(batch));
    } catch (error) {
      throw broken ?? error;
    }
  };
  const waiting: Promise<readonly Done[]>[] = [];
  try {
    for (const batch of batches(rest)) {
      const [job] = batch;
      const running = job?.path === '-' ? here(job) : there(batch);
      // One that fails before its turn is told when its turn comes: until then nobody waits for it.
      running.catch(() => {});
      waiting.push(running);
      if (waiting.length >= workers * AHEAD) yield* await (waiting.shift() as Promise<readonly Done[]>);
    }
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) yield* await next;
  } finally {
    // Whoever stops reading, or a worker that failed, leaves jobs that end with the pool.
    await pool.destroy();
  }
}

/** Jobs in their order, several small ones together; standard input by itself. */
function* batches(jobs: Iterable<Job>): Generator<readonly Job[]> {
  let batch: Job[] = [];
  let bytes = 0;
  for (const job of jobs) {
    const alone = job.path === '-';
    if (batch.length > 0 && (alone || batch.length === BATCH_JOBS || bytes >= BATCH_BYTES)) {
      yield batch;
      batch = [];
      bytes = 0;
    }
    if (alone) yield [job];
    else {
      batch.push(job);
      bytes += sizeAt(job.path);
    }
  }
  if (batch.length > 0) yield batch;
}

/** Of a path at which there is no file, which its own report says: none. */
function sizeAt(path: string): number {
  try {
    return statSync(path).size;
  } catch {
    return 0;
  }
}
