/** Loaded before a program that is measured: tells on its standard error, when it ends, the most memory that it held. */
import { writeSync } from 'node:fs';
import { isMainThread } from 'node:worker_threads';
import { peakMemory } from './peak.ts';

if (isMainThread) process.on('exit', () => writeSync(2, `peak ${peakMemory()}`));
