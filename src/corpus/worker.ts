/** A worker of the pool: verifies one file a task. What is common to all tasks comes once, with the start of the worker. */
import { workerData } from 'node:worker_threads';
import type { Job } from './plan.ts';
import { type Done, prepare, runJob, type WorkerData } from './run.ts';

const { setting, now } = workerData as WorkerData;
const ready = prepare(setting, now === undefined ? undefined : () => now);

export default async function task(job: Job): Promise<Done> {
  return runJob(job, await ready);
}
