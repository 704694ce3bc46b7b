/** Folders of many small sessions, among them some that do not hold and files that are none. */
import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Draft, functionCall, functionOutput, message } from '../session/draft.ts';

/** One small session, as text. */
export function smallSession(number: number, messages = 4): string {
  const draft = new Draft({ id: `session-${number}` });
  draft.add('config', { replace: true, model: 'm' });
  for (let i = 0; i < messages; i++) draft.item(message(`message ${i} of session ${number} ${'x'.repeat(40)}`));
  draft.item(functionCall(`call-${number}`), { response: 'r1' });
  draft.response('r1');
  draft.item(functionOutput(`call-${number}`));
  return draft.text();
}

/** Every 50th session is altered, every 70th cut off, and beside every 90th stands a file of no known kind. */
export function folderOfSessions(count: number, messages?: number): string {
  const folder = mkdtempSync(join(tmpdir(), 'audit-corpus-'));
  for (let i = 0; i < count; i++) {
    const inner = join(folder, 'sessions', String(i % 20));
    if (i < 20) mkdirSync(inner, { recursive: true });
    const text = smallSession(i, messages);
    const path = join(inner, `${i}.jsonl`);
    writeFileSync(
      path,
      i % 50 === 7 ? text.replace('message 1', 'massage 1') : i % 70 === 9 ? text.slice(0, -40) : text,
    );
    if (i % 90 === 5) writeFileSync(join(inner, `${i}.txt`), `notes ${i}`);
  }
  return folder;
}
