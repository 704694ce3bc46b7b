/** A progress bar on standard error: after one second, when it is a terminal, never otherwise. */
import { SingleBar } from 'cli-progress';
import type { Io } from './command.ts';

const AFTER_MS = 1000;

export interface Progress {
  tick(): void;
  stop(): void;
}

/** Counts finished inputs of a known total, with the rate and the time left. */
export function progress(io: Io, total: number): Progress {
  if (!io.errIsTerminal) return { tick() {}, stop() {} };
  const started = performance.now();
  let done = 0;
  let bar: SingleBar | undefined;
  return {
    tick() {
      done++;
      const seconds = (performance.now() - started) / 1000;
      if (seconds * 1000 < AFTER_MS) return;
      const payload = { rate: (done / seconds).toFixed(0) };
      if (bar === undefined) {
        bar = new SingleBar({
          format: 'verifying {bar} {percentage} % | {value} of {total} | {rate} a second | {eta_formatted} left',
          stream: process.stderr,
          clearOnComplete: true,
          hideCursor: true,
        });
        bar.start(total, done, payload);
      } else bar.update(done, payload);
    },
    stop: () => bar?.stop(),
  };
}
