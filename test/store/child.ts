/** A process that writes to a store until it is killed: what was acknowledged is on its standard output. */
import { writeFileSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { draft } from '../../src/session/write/draft.ts';
import { codeOf } from '../../src/store/errors.ts';
import { jsonlStore, sqliteStore } from '../../src/store/open.ts';

const [kind = '', path = '', work = '', session = ''] = process.argv.slice(2);
const say = (line: string): void => {
  for (let bytes = Buffer.from(`${line}\n`); bytes.length > 0; ) bytes = bytes.subarray(writeSync(1, bytes));
};
const item = (text: string) =>
  draft('item', { item: { type: 'message', role: 'user', content: [{ type: 'input_text', text }] } });

/** Mostly short, sometimes long enough to be cut in the middle of its write. */
function text(number: number): string {
  return number % 11 === 3 ? `${number} `.repeat(40_000) : `${number} of ${process.pid}`;
}

async function append(): Promise<void> {
  const store = kind === 'sqlite' ? await sqliteStore(path) : jsonlStore(path);
  await store.open(session);
  say('ready');
  for (let number = 0; ; number++) say(await store.append(session, item(text(number))));
}

/** Sessions of an earlier format, each raised by its first append. */
async function raise(): Promise<void> {
  const store = jsonlStore(path);
  say('ready');
  for (let number = 0; ; number++) {
    const id = `${process.pid}-${number}`;
    const header = `{"created_at":"2026-10-02T12:00:00Z","format":"agentsession/0.9","id":"${id}","payload":"openresponses/2026-04-24","type":"session","x:fill":"${'y'.repeat(1_000_000)}"}\n`;
    writeFileSync(join(path, 'default', `2026-10-02T12-00-00.000Z_${id}.jsonl`), header);
    say(`${id} ${await store.append(id, item('first'))}`);
  }
}

/** Takes the session from whoever holds it, again and again, for a while. */
async function contend(): Promise<void> {
  const store = jsonlStore(path);
  say('ready');
  for (let number = 0, until = Date.now() + 2000; Date.now() < until; )
    try {
      await store.breakLock(session);
      for (let i = 0; i < 20; i++) say(await store.append(session, item(text(number++))));
    } catch (error) {
      if (codeOf(error) === undefined) throw error;
    } finally {
      await store.release(session);
    }
  await store.close();
}

await { raise, contend, append }[work as 'raise' | 'contend' | 'append']().catch((error) => {
  say(`refused ${codeOf(error) ?? error}`);
  process.exitCode = 1;
});
