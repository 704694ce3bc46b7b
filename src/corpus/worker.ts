/** A worker of the pool: verifies a batch of files a task. What is common to all tasks comes once, with the start of the worker. */
import { workerData } from 'node:worker_threads';
import type { Job } from './plan.ts';
import { type Done, prepare, runJob, type WorkerData } from './run.ts';

const { setting, now } = workerData as WorkerData;
const ready = prepare(setting, now === undefined ? undefined : () => now);

/** What became of the jobs, as JSON: reports are JSON, and text crosses to the other thread several times faster than objects. */
export default async function task(jobs: readonly Job[]): Promise<string> {
  const options = await ready;
  const done: Done[] = [];
  for (const job of jobs) done.push(await runJob(job, options));
  return JSON.stringify(done);
}
