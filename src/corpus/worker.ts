/** A worker of the pool: verifies a batch of files a task. What is common to all tasks comes once, with the start of the worker. */
import { workerData } from 'node:worker_threads';
import { doneHere, Sending, type Sent } from './done.ts';
import type { Job } from './plan.ts';
import { prepare, runJob, type WorkerData } from './run.ts';

const { setting, now } = workerData as WorkerData;
const ready = prepare(setting, now === undefined ? undefined : () => now);

/** What became of the jobs. */
export default async function task(jobs: readonly Job[]): Promise<Sent> {
  const options = await ready;
  const sending = new Sending();
  for (const job of jobs) sending.add(doneHere(await runJob(job, options), setting.under));
  return sending.sent();
}
