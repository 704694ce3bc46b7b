import { appendFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { utf8 } from '../../src/bytes/encoding.ts';
import { encodeRecord } from '../../src/journal/encode.ts';
import { encodeExport } from '../../src/journal/export.ts';
import { MemoryStore } from '../../src/journal/memory-store.ts';
import { names } from '../../src/journal/names.ts';
import { EMPTY_RECORD } from '../../src/journal/record.ts';
import { crashingProcess } from '../journal/crashes.ts';
import { playToEnd, type Scenario, World } from '../journal/player.ts';
import { audit } from './io.ts';

let folder = '';
const CLOCK = 1_791_892_800_000_000_000n;
const at = (name: string) => join(folder, name);
const run = (...argv: readonly string[]) => audit(['journal', ...argv], { clock: CLOCK });

async function exported(name: string): Promise<string> {
  const path = new URL(`../journal/scenarios/${name}.json`, import.meta.url);
  const scenario = JSON.parse(readFileSync(path, 'utf8')) as Scenario;
  const store = new MemoryStore();
  let started = 0;
  await playToEnd(scenario, new World(), () => crashingProcess(store, `${scenario.run} ${started++}`));
  const records: Uint8Array[] = [];
  for await (const entry of store.load(scenario.run, -1n)) records.push(entry.data);
  const file = at(`${name}.json`);
  writeFileSync(file, encodeExport(scenario.run, records));
  return file;
}

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'audit-journal-'));
});
afterAll(() => rmSync(folder, { recursive: true }));

describe('reading a journal', () => {
  it('shows one line a record, with times and words', async () => {
    const { status, out } = await run('show', await exported('gated-refund'));
    expect(status).toBe(0);
    expect(out).toContain('the run begins: Refund order 42.');
    expect(out).toContain('calls refund (call-1) with {"cents":500}');
    expect(out).toContain('somebody, unsigned, approved refund (call-1)');
    expect(out).toContain('the run is complete');
  });

  it('says where the run stands', async () => {
    expect((await run('status', await exported('saga'))).out).toContain('aborted: card declined');
    const { out } = await run('status', await exported('lost-connection'), '--json');
    expect(JSON.parse(out)).toMatchObject({
      status: 'completed',
      answer: 'Wired.',
      resolved: ['call w was resolved by hand with evidence'],
    });
  });

  it('gives the events it projects, and those that somebody was owed', async () => {
    const file = await exported('quorum');
    const projected = (await run('events', file)).out
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as { kind: string });
    expect(projected.map(({ kind }) => kind)).toEqual(['assistant_turn', 'tool_completed', 'assistant_turn']);
    const owed = JSON.parse((await run('events', file, '--owed')).out) as Record<string, unknown>;
    expect(owed).toMatchObject({
      kind: 'approval_pending',
      key: 'approval:quorum-1:p',
      current: false,
      approvers: ['finance', 'risk', 'ops'],
    });
  });

  it('renders the conversation', async () => {
    const { out } = await run('render', await exported('known-failure'));
    expect(out).toContain('user: Try it.');
    expect(out).toContain('[send s, failed] "no such address"');
    expect(out).toContain('-- run:complete');
  });

  it('makes hidden characters of a journal visible', async () => {
    const file = at('hidden.jsonl');
    await run('new', file, '--run', 'r', '--input', 'a\u001b[31m\u202eb');
    const { out } = await run('show', file, '--run', 'r');
    expect(out).toContain('\\u{1b}[31m\\u{202e}b');
  });

  it('refuses what is no journal with status 4, and a wrong command line with 2', async () => {
    writeFileSync(at('other.json'), '{"format":"bide.audit.journal-export.v9","run_id":"r","records":[]}');
    expect((await run('show', at('other.json'))).status).toBe(4);
    expect((await run('show')).status).toBe(2);
    expect((await run('show', at('absent.json'))).status).toBe(4);
  });
});

describe('writing a journal', () => {
  it('takes signed decisions of a gate, which count when they are counted again', async () => {
    const file = at('signed.jsonl');
    const on = ['--run', 'order-43', '--call', 'c1'];
    await run('new', file, '--run', 'order-43', '--input', 'Refund order 43.');
    const turn = encodeRecord({
      ...EMPTY_RECORD,
      name: names.turn(0),
      kind: 'model',
      message: {
        role: 'assistant',
        parts: [{ type: 'tool_use', id: 'c1', name: 'refund', args: utf8('{"cents":500}'), signature: '' }],
      },
      finish: 'tool_use',
      salt: new Uint8Array(32).fill(7),
    });
    appendFileSync(file, Buffer.concat([turn, utf8('\n')]));
    const keys = new Map<string, string>();
    for (const name of ['ops', 'risk', 'eve']) {
      const made = await audit(['keys', 'gen', '--out', 'private']);
      writeFileSync(at(`${name}.key`), made.written.get('private') ?? '');
      keys.set(name, made.out.trim());
    }
    const trust = at('signed.trust.json');
    const approvers = { ops: keys.get('ops'), risk: keys.get('risk') };
    const gates = [{ run: '*', tool: 'refund', policy: { need: 2, approvers: ['ops', 'risk'] } }];
    writeFileSync(trust, JSON.stringify({ format: 'audit.trust.v1', approvers, gates }));
    const decide = (who: string, key: string, verdict = '--approve') =>
      run('decide', file, ...on, verdict, '--approver', who, '--key', at(`${key}.key`), '--trust', trust);
    expect((await decide('ops', 'ops')).status).toBe(0);
    expect(await decide('ops', 'ops')).toMatchObject({ status: 0, err: 'this decision is on record already\n' });
    expect(await decide('ops', 'ops', '--deny')).toMatchObject({ status: 1, err: 'audit: already decided\n' });
    expect((await decide('risk', 'eve')).err).toBe(
      'audit: invalid approval: the signature does not verify for this call\n',
    );
    expect((await decide('eve', 'eve')).err).toBe('audit: invalid approval: the approver is not known\n');
    expect((await run('decide', file, ...on, '--approve', '--approver', 'ops')).status).toBe(2);
    const empty = at('empty.trust.json');
    writeFileSync(empty, '{"format":"audit.trust.v1"}');
    const risk = ['--approve', '--approver', 'risk', '--key', at('risk.key')];
    expect((await run('decide', file, ...on, ...risk, '--trust', empty)).status).toBe(1);
    expect((await decide('risk', 'risk')).status).toBe(0);
    const recount = await audit(['approvals', file, '--run', 'order-43', '--trust', trust, '--format', 'json']);
    const [input] = JSON.parse(recount.out).inputs;
    expect(input.timeline.map(({ text, verdict }: { text: string; verdict: string }) => `${text} ${verdict}`)).toEqual(
      expect.arrayContaining(['ops approved verified', 'risk approved verified']),
    );
  });

  it('begins, records, decides, resolves and ends, and the file verifies', async () => {
    const file = at('run.jsonl');
    const on = ['--run', 'order-42'];
    expect((await run('new', file, ...on, '--input', 'Refund order 42.', '--principal', 'desk-7')).status).toBe(0);
    expect((await run('new', file, ...on, '--input', 'again')).status).toBe(4);
    expect((await run('append', file, ...on, '--step', 'rates', '--value', ' {"eur": 1.50} ')).status).toBe(0);
    const again = await run('append', file, ...on, '--step', 'rates', '--value', '{"eur":2}');
    expect([again.status, again.err]).toEqual([
      1,
      'the name was taken already, or the run has another end: the first record stays\n',
    ]);
    expect((await run('append', file, ...on, '--signal', 'paid', '--value', '1')).status).toBe(0);
    expect((await run('append', file, ...on, '--step', 'run:start', '--value', '1')).status).toBe(2);
    expect((await run('append', file, ...on, '--step', 'x', '--value', 'no json')).status).toBe(2);
    expect((await run('decide', file, ...on, '--call', 'c1', '--approve')).status).toBe(4);
    const salt = new Uint8Array(32).fill(5);
    const turn = encodeRecord({
      ...EMPTY_RECORD,
      name: names.turn(0),
      kind: 'model',
      message: {
        role: 'assistant',
        parts: [{ type: 'tool_use', id: 'c1', name: 'refund', args: utf8('{}'), signature: '' }],
      },
      finish: 'tool_use',
      salt,
    });
    appendFileSync(file, Buffer.concat([turn, utf8('\n')]));
    expect((await run('decide', file, ...on, '--call', 'c1', '--approve')).status).toBe(0);
    expect((await run('decide', file, ...on, '--call', 'c1', '--deny')).status).toBe(1);
    const none = await run('resolve', file, ...on, '--call', 'c1', '--value', '"done"');
    expect([none.status, none.err]).toEqual([1, 'nothing of that name may have fired without an outcome\n']);
    const attempt = encodeRecord({
      ...EMPTY_RECORD,
      name: names.toolAttempt('c1'),
      kind: 'attempt',
      toolUseId: 'c1',
      claim: '0'.repeat(32),
      attemptedAt: 1n,
      salt: new Uint8Array(32).fill(6),
    });
    appendFileSync(file, Buffer.concat([attempt, utf8('\n')]));
    expect((await run('status', file, ...on)).out).toContain('tool c1 may have fired at 1970-01-01T00:00:00.001Z');
    expect(
      (await run('resolve', file, ...on, '--call', 'c1', '--value', '"done"', '--evidence', '{"seen":true}')).status,
    ).toBe(0);
    expect((await run('resolve', file, ...on, '--call', 'c1', '--value', ' "done" ')).status).toBe(0);
    expect((await run('resolve', file, ...on, '--call', 'c1', '--failed', '--value', '"no"')).status).toBe(1);
    expect((await run('append', file, ...on, '--end', 'complete')).status).toBe(0);
    expect((await run('append', file, ...on, '--end', 'cancel', '--reason', 'late')).status).toBe(1);
    const verified = await audit(['verify', file, '--format', 'json'], { clock: CLOCK });
    const report = JSON.parse(verified.out) as {
      inputs: { findings: { code: string }[]; claims: { claim: string; verdict: string }[] }[];
    };
    expect(report.inputs[0]?.findings).toEqual([]);
    expect(verified.status).toBe(0);
  });

  it('cuts off a line that a crash tore, and goes on', async () => {
    const file = at('torn.jsonl');
    await run('new', file, '--run', 'r', '--input', 'Go.');
    appendFileSync(file, '{"name":"half');
    expect((await run('append', file, '--run', 'r', '--step', 'next', '--value', '1')).status).toBe(0);
    expect((await run('show', file, '--run', 'r')).status).toBe(0);
  });

  it.each(['', 'one precious line', 'notes\nlast', '{"precious":true}\n{"name":"half'])(
    'leaves a file that is no journal as it is: %j',
    async (text) => {
      const file = at('foreign.jsonl');
      writeFileSync(file, text);
      expect((await run('append', file, '--run', 'r', '--end', 'complete')).status).toBe(4);
      expect((await run('append', file, '--run', 'r', '--step', 'next', '--value', '1')).status).toBe(4);
      expect(readFileSync(file, 'utf8')).toBe(text);
    },
  );

  it('writes nothing to a journal of another format', async () => {
    const file = at('v9.jsonl');
    const header = encodeRecord({
      ...EMPTY_RECORD,
      name: '@journal',
      kind: 'header',
      format: 'bide.journal.v9',
      salt: new Uint8Array(32),
    });
    writeFileSync(file, Buffer.concat([header, utf8('\n')]));
    const { status, err } = await run('append', file, '--run', 'r', '--step', 'x', '--value', '1');
    expect([status, err]).toEqual([4, expect.stringContaining('bide.journal.v9')]);
    expect(readFileSync(file, 'utf8').split('\n').length).toBe(2);
  });
});
