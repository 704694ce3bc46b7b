/**
 * Another program as the answerer: it is started once, reads one JSON question a line on standard input, `{"id", "op", "params"}`, and
 * writes one answer a line, `{"id", "answer"}` or `{"id", "unsupported": true}`.
 */
import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import type { Answerer } from './run.ts';
import type { Json } from './suite.ts';

interface Reply {
  readonly id: number;
  readonly answer?: Json;
  readonly unsupported?: true;
}

/** Starts the command through the shell. `close` ends it. */
export function commandAnswerer(command: string): { answer: Answerer; close(): void } {
  const child = spawn(command, { shell: true, stdio: ['pipe', 'pipe', 'inherit'] });
  const waiting = new Map<number, { resolve(reply: Reply): void; reject(error: Error): void }>();
  let next = 0;
  createInterface({ input: child.stdout }).on('line', (line) => {
    const reply = JSON.parse(line) as Reply;
    waiting.get(reply.id)?.resolve(reply);
    waiting.delete(reply.id);
  });
  child.on('exit', (code) => {
    for (const { reject } of waiting.values()) reject(new Error(`the command ended with ${code}`));
    waiting.clear();
  });
  return {
    async answer(op, params) {
      const id = next++;
      const reply = await new Promise<Reply>((resolve, reject) => {
        waiting.set(id, { resolve, reject });
        child.stdin.write(`${JSON.stringify({ id, op, params })}\n`);
      });
      return reply.unsupported === true || reply.answer === undefined
        ? { unsupported: true }
        : { answer: reply.answer };
    },
    close: () => child.stdin.end(),
  };
}
