/** A worker of the pool: verifies a batch of files a task. What is common to all tasks comes once, with the start of the worker. */
import { workerData } from 'node:worker_threads';
import { doneHere, doneLines } from './done.ts';
import type { Job } from './plan.ts';
import { prepare, runJob, type WorkerData } from './run.ts';

const { setting, now } = workerData as WorkerData;
const ready = prepare(setting, now === undefined ? undefined : () => now);

/** What became of the jobs, as text: it crosses to the other thread several times faster than objects. */
export default async function task(jobs: readonly Job[]): Promise<string> {
  const options = await ready;
  let text = '';
  for (const job of jobs) text += doneLines(doneHere(await runJob(job, options), setting.under));
  return text;
}
