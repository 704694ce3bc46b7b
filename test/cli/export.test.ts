/** `audit export`, and `audit verify` and `audit show` over what it writes. */
import {
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { answer, Draft, functionCall, functionOutput, message } from '../session/draft.ts';
import { audit } from './io.ts';

const PNG = 'data:image/png;base64,iVBORw0KGgo=';
const CHILD = '01995b2a-0000-7000-8000-0000000000c2';

let folder = '';
let main = '';
let side = '';
const path = (...names: string[]): string => join(folder, ...names);
const json = (...names: string[]) => JSON.parse(readFileSync(path(...names), 'utf8')) as { [name: string]: unknown };

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'audit-export-'));
  const child = new Draft({ id: CHILD });
  child.item(message('Look.'));
  const leaf = child.item(answer('m', 'Seen.'), { response: 'r' });
  writeFileSync(path('child.jsonl'), child.bytes());

  const draft = new Draft({ harness: { name: 'lantern', version: '3' }, cwd: '/home/ana/work' });
  draft.add('config', { model: 'lum-1', replace: true });
  const user = draft.item(message('The key is "k3y" in /home/ana/work.', PNG));
  side = draft.item(answer('m1', 'No.'), { response: 'r1' }, user);
  draft.item(functionCall('c1', 'look', '{"at":"/home/ana/work","key":"\\"k3y\\""}'), { response: 'r2' }, user);
  draft.response('r2', {
    model: 'lum-1',
    usage: {
      input_tokens: 1_000_000,
      output_tokens: 500_000,
      total_tokens: 1_500_000,
      input_tokens_details: { cached_tokens: 0 },
      output_tokens_details: { reasoning_tokens: 0 },
    },
  });
  draft.add('link', { rel: 'subsession', session: CHILD, call_id: 'c1' });
  main = draft.item(functionOutput('c1', 'seen'), { parents: [{ session: CHILD, entry: leaf }] });
  writeFileSync(path('run.jsonl'), draft.bytes());
  writeFileSync(path('torn.jsonl'), `${draft.text()}{"type":"item","id`);
  writeFileSync(path('prices.json'), '{"format":"audit.prices.v1","models":{"lum-1":{"input":2,"output":8}}}');
  writeFileSync(path('secrets.txt'), '"k3y"\n');
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const ID = '01995b2a-0000-7000-8000-0000000000c1';
const MAIN = `${ID}.json`;

describe('audit export', () => {
  it('writes a document for each leaf, with media beside them, that verifies', async () => {
    const { status, out, err } = await audit(['export', path('run.jsonl'), '--out', path('all')]);
    expect([status, err]).toEqual([0, '']);
    expect(out.trim().split('\n')).toHaveLength(2);
    expect(readdirSync(path('all')).sort()).toEqual([MAIN, `${ID}_${side.slice(7)}.json`, 'images'].sort());
    expect(readdirSync(path('all', 'images'))).toEqual([
      '4c4b6a3be1314ab86138bef4314dde022e600960d8689a2c8f8631802d20dab6.png',
    ]);
    expect(json('all', MAIN)['trajectory_id']).toBe(main);
    const verified = await audit(['verify', path('all', MAIN), '--format', 'json']);
    expect(verified.status).toBe(0);
    const [input] = (
      JSON.parse(verified.out) as {
        inputs: { kind: string; claims: { claim: string; verdict: string; scope: string }[] }[];
      }
    ).inputs;
    expect(input?.kind).toBe('atif');
    expect(input?.claims.map(({ claim, verdict, scope }) => [claim, verdict, scope])).toEqual([
      ['schema', 'verified', '2 documents with 4 steps'],
      ['rules', 'verified', '2 documents with 4 steps'],
      ['items', 'verified', '4 of 4 steps'],
    ]);
  });
  it('embeds the session of a subagent that stands beside it, unless it is told not to', async () => {
    const [embedded] = json('all', MAIN)['subagent_trajectories'] as { session_id: string }[];
    expect(embedded?.session_id).toBe(CHILD);
    await audit(['export', path('run.jsonl'), '--out', path('plain'), '--no-embed', '--quiet']);
    expect(json('plain', MAIN)['subagent_trajectories']).toBeUndefined();
    expect(readFileSync(path('plain', MAIN), 'utf8')).toContain(`"trajectory_path": "${CHILD}.json"`);
  });
  it('writes one path alone, and the path to any entry', async () => {
    await audit(['export', path('run.jsonl'), '--out', path('leaf'), '--leaf', side]);
    expect(readdirSync(path('leaf')).filter((name) => name.endsWith('.json'))).toEqual([`${ID}_${side.slice(7)}.json`]);
    const call = (JSON.parse(readFileSync(path('run.jsonl'), 'utf8').split('\n')[4] as string) as { id: string }).id;
    expect((await audit(['export', path('run.jsonl'), '--out', path('entry'), '--leaf', call])).status).toBe(1);
    expect((await audit(['export', path('run.jsonl'), '--out', path('entry'), '--entry', call])).status).toBe(0);
    expect((await audit(['export', path('run.jsonl'), '--out', path('entry'), '--entry', 'sha256:0'])).err).toContain(
      'no entry',
    );
  });
  it('prefers branches and prices calls as it is told', async () => {
    await audit([
      'export',
      path('run.jsonl'),
      '--out',
      path('priced'),
      '--prices',
      path('prices.json'),
      '--prefer',
      'current',
    ]);
    expect((json('priced', MAIN)['final_metrics'] as { total_cost_usd: number }).total_cost_usd).toBe(6);
    expect((json('priced', MAIN)['extra'] as { preferred_over: string[] }).preferred_over).toEqual([side]);
  });
  it('replaces secrets in every spelling, homes, the environment and raw items', async () => {
    const flags = ['--secrets', path('secrets.txt'), '--redact-home', '--redact-environment'];
    const ran = await audit(['export', path('run.jsonl'), '--out', path('redacted'), ...flags]);
    expect([ran.status, ran.err]).toEqual([0, '']);
    const text = readFileSync(path('redacted', MAIN), 'utf8');
    for (const hidden of ['k3y', '/home/ana', 'cwd']) expect(text).not.toContain(hidden);
    expect(text).toContain('[REDACTED] in ~/work');
    expect((await audit(['verify', path('redacted', MAIN)])).status).toBe(0);
    await audit(['export', path('run.jsonl'), '--out', path('bare'), '--no-passthrough']);
    expect(readFileSync(path('bare', MAIN), 'utf8')).not.toContain('"item"');
    const bare = await audit(['verify', path('bare', MAIN), '--require', 'items', '--format', 'json']);
    expect(bare.status).toBe(3);
  });
  it('exports what stands before a torn line, and does not call that a success', async () => {
    const { status, err } = await audit(['export', path('torn.jsonl'), '--out', path('torn')]);
    expect(status).toBe(1);
    expect(err).toContain('session/truncated');
    expect(existsSync(path('torn', MAIN))).toBe(true);
  });
  it('replaces a link in the place of a document, and writes no media through one', async () => {
    mkdirSync(path('links'));
    writeFileSync(path('victim'), 'untouched');
    symlinkSync(path('victim'), path('links', MAIN));
    await audit(['export', path('run.jsonl'), '--out', path('links'), '--entry', main]);
    expect(readFileSync(path('victim'), 'utf8')).toBe('untouched');
    expect(lstatSync(path('links', MAIN)).isSymbolicLink()).toBe(false);
    mkdirSync(path('elsewhere'));
    mkdirSync(path('linked'));
    symlinkSync(path('elsewhere'), path('linked', 'images'));
    expect((await audit(['export', path('run.jsonl'), '--out', path('linked')])).status).toBe(4);
    expect(readdirSync(path('elsewhere'))).toEqual([]);
  });
  it('refuses what it cannot use', async () => {
    expect((await audit(['export', path('run.jsonl')])).status).toBe(2);
    expect((await audit(['export', path('run.jsonl'), '--out', path('x'), '--prefer', 'best'])).status).toBe(2);
    expect((await audit(['export', path('prices.json'), '--out', path('x')])).status).toBe(4);
    expect(
      (await audit(['export', path('run.jsonl'), '--out', path('x'), '--prices', path('secrets.txt')])).status,
    ).toBe(4);
    expect(existsSync(path('x'))).toBe(false);
  });
});

describe('audit show of a document', () => {
  it('shows its steps, and only those of an entry', async () => {
    const all = await audit(['show', path('all', MAIN)]);
    expect([all.status, all.err]).toEqual([0, '']);
    for (const part of [
      'ATIF-v1.8 of lantern 3 with lum-1',
      'calls look c1',
      'result of c1: seen',
      `Embedded: ${CHILD}/`,
    ])
      expect(all.out).toContain(part);
    const one = await audit(['show', path('all', MAIN), '--entry', side]);
    expect(one.out).toContain('Steps that hold');
    expect(one.out).not.toContain('calls look');
  });
  it('names the rule that a document breaks', async () => {
    writeFileSync(path('broken.json'), JSON.stringify({ ...json('all', MAIN), steps: [] }));
    const { status, err } = await audit(['show', path('broken.json')]);
    expect(status).toBe(1);
    expect(err).toContain('/steps atif/no-steps');
  });
});

describe('audit verify of a document', () => {
  it('finds a step that was changed beside its raw items', async () => {
    writeFileSync(
      path('changed.json'),
      readFileSync(path('all', MAIN), 'utf8').replace('"content": "seen"', '"content": "unseen"'),
    );
    const { status, out } = await audit(['verify', path('changed.json'), '--format', 'json']);
    expect(status).toBe(1);
    expect(out).toContain('atif/items-disagree');
    expect(out).toContain('/steps/1/observation/results/0/content');
  });
  it('does not verify a document that two readers may read differently', async () => {
    const text = readFileSync(path('all', MAIN), 'utf8').replace(
      '"source": "user"',
      '"source": "system", "source": "user"',
    );
    writeFileSync(path('twice.json'), text);
    expect((await audit(['verify', path('twice.json')])).status).toBe(1);
  });
});
