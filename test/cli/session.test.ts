/** `audit show` and `audit list` over session files. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Draft, message } from '../session/draft.ts';
import { audit } from './io.ts';

const DEMO = new URL('../session/demo.jsonl', import.meta.url);
const H2 = 'sha256:6563034a010ece8573c5fb4d3647d3a7dda8e1ccd240d58d36e74c54a42feb88';

let folder = '';
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'audit-show-'));
  writeFileSync(join(folder, 'demo.jsonl'), readFileSync(DEMO));
  writeFileSync(join(folder, 'broken.jsonl'), readFileSync(DEMO, 'utf8').replace('Compare these.', 'Compare those.'));
  const hostile = new Draft({ id: 'hostile', created_at: '2026-12-01T00:00:00Z' });
  hostile.add('info', { name: 'red \u001b[31m and \u202e turned' });
  hostile.item(message('\u001b]0;title\u0007'));
  hostile.add('link', { rel: 'continued_in', session: 'next' });
  writeFileSync(join(folder, 'hostile.jsonl'), hostile.bytes());
  writeFileSync(join(folder, 'later.jsonl'), '{"type":"session","format":"agentsession/9.0","id":"x"}\n');
  writeFileSync(join(folder, 'notes.txt'), 'no session\n');
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe('audit show', () => {
  it('shows entries, the context at the leaf, calls and runs', async () => {
    const { status, out, err } = await audit(['show', join(folder, 'demo.jsonl')]);
    expect([status, err]).toEqual([0, '']);
    for (const part of ['Entries', 'Context at 5d88f5a54959 (line 23)', 'Calls', 'Runs', 'line    19  message user'])
      expect(out).toContain(part);
  });
  it('shows the context at another entry', async () => {
    const { status, out } = await audit(['show', join(folder, 'demo.jsonl'), '--entry', H2]);
    expect(status).toBe(0);
    expect(out).toContain('Context at 6563034a010e (line 12)');
    expect(out).toContain('call_2  get_weather  held');
  });
  it('says that an entry is not there', async () => {
    const { status, err } = await audit(['show', join(folder, 'demo.jsonl'), '--entry', 'sha256:0']);
    expect(status).toBe(1);
    expect(err).toContain('no entry sha256:0');
  });
  it('shows what reads and says what does not hold', async () => {
    const { status, out, err } = await audit(['show', join(folder, 'broken.jsonl')]);
    expect(status).toBe(1);
    expect(out).toContain('cannot be used');
    expect(out).toContain('not shown, an entry on its path cannot be used');
    expect(err).toContain('session/id-mismatch');
  });
  it('makes control characters visible', async () => {
    const { out } = await audit(['show', join(folder, 'hostile.jsonl'), '--verbose']);
    for (const character of ['\u001b', '\u0007', '\u202e']) expect(out).not.toContain(character);
  });
  it('cannot show what is no session', async () => {
    expect((await audit(['show', join(folder, 'notes.txt')])).status).toBe(4);
    expect((await audit(['show', join(folder, 'nowhere')])).status).toBe(4);
    expect((await audit(['show'])).status).toBe(2);
  });
});

describe('audit list', () => {
  it('lists sessions newest first and goes on past one that cannot be read', async () => {
    const { status, out, err } = await audit(['list', folder]);
    expect(status).toBe(4);
    expect(out.split('\n').map((line) => line.split('  ')[1])).toEqual([
      'hostile',
      '01995b2a-0000-7000-8000-0000000000a1',
      '01995b2a-0000-7000-8000-0000000000a1',
      undefined,
    ]);
    expect(out).toContain('[continued in next]');
    expect(out).toContain('[does not hold]');
    for (const character of ['\u001b', '\u202e']) expect(out).not.toContain(character);
    expect(err).toContain('later.jsonl');
    expect(err).not.toContain('notes.txt');
  });
  it('leaves out what is continued elsewhere, and speaks JSON', async () => {
    const { out } = await audit(['list', folder, '--current', '--json']);
    const rows = out
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as { id: string; faults: number });
    expect(rows.map(({ faults }) => faults)).toEqual([1, 0]);
  });
});
