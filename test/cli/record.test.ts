import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  appendFileSync,
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { build } from 'vite';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { utf8 } from '../../src/bytes/encoding.ts';
import { audit } from './io.ts';

let folder = '';
const CLOCK = 1_791_892_800_000_000_000n;
const at = (name: string) => join(folder, name);
const record = (argv: readonly string[], stdin: readonly unknown[] = []) =>
  audit(['record', ...argv], { clock: CLOCK, stdin: utf8(stdin.map((line) => JSON.stringify(line)).join('\n')) });
interface Answer {
  readonly id?: string;
  readonly outcome?: string;
  readonly leaf?: string | null;
  readonly entries?: readonly { readonly id: string; readonly outcome: string }[];
  readonly error?: { readonly code: string; readonly message: string; readonly line?: number };
  readonly session?: string;
}
const answers = (out: string) =>
  out
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Answer);

const CONFIG = { type: 'config', replace: true, model: 'gpt-5', instructions: 'Help Ada with her key s3cr3t-zebra.' };
const message = (text: string) => ({
  type: 'item',
  item: { type: 'message', role: 'user', content: [{ type: 'input_text', text }] },
});
const response = (id: string, output: unknown[]) => ({
  op: 'response',
  response: { id, model: 'gpt-5-exact', status: 'completed', output },
});
const CALL = {
  type: 'function_call',
  id: 'fc_1',
  call_id: 'call_1',
  name: 'look',
  arguments: '{"q":"s3cr3t-zebra"}',
  status: 'completed',
};
const SAID = {
  type: 'message',
  role: 'assistant',
  id: 'm',
  status: 'completed',
  content: [{ type: 'output_text', text: 'Done, Ada.', annotations: [] }],
};

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'audit-record-'));
});
afterAll(() => rmSync(folder, { recursive: true }));

/** A session of one run with a call, as a harness would record it. */
async function recorded(name: string): Promise<string> {
  const path = at(name);
  expect(
    (
      await record([
        'new',
        path,
        '--records',
        'run,dispatch,decision',
        '--harness',
        'demo@1.0',
        '--cwd',
        '/home/ada/work',
      ])
    ).status,
  ).toBe(0);
  const first = await record(
    ['append', path],
    [
      CONFIG,
      { type: 'run', run_id: 'run-1', phase: 'start', source: 'input' },
      message('Look, please.'),
      response('resp_1', [CALL]),
    ],
  );
  expect(first.status).toBe(0);
  const call = answers(first.out)[3]?.entries?.[0]?.id;
  const rest = await record(
    ['append', path],
    [
      { type: 'dispatch', call_id: 'call_1', target: call },
      { type: 'item', item: { type: 'function_call_output', call_id: 'call_1', output: 'found' } },
      response('resp_2', [SAID]),
      { op: 'end_run' },
    ],
  );
  expect(rest.status).toBe(0);
  return path;
}

describe('recording through the command line', () => {
  it('gives a session that verifies, request hashes included', async () => {
    const path = await recorded('whole.jsonl');
    const { status, out } = await audit(['verify', path, '--format', 'json']);
    expect(status).toBe(0);
    expect(JSON.parse(out)).toMatchObject({ inputs: [{ counts: { responses: 2, hashes_verified: 2 } }] });
    expect(readFileSync(path, 'utf8')).toContain('"reason":"done"');
  });

  it('answers each line, and names the condition of what it refuses', async () => {
    const path = await recorded('refused.jsonl');
    const before = readFileSync(path, 'utf8');
    const { status, out } = await record(
      ['append', path],
      [
        { type: 'dispatch', call_id: 'call_1', target: 'sha256:none' },
        { type: 'item', item: { ...CALL } },
        { type: 'info', name: 'x', content: 'y' },
        { type: 'info', name: 'x', parent: `sha256:${'0'.repeat(64)}` },
        { type: 'run', run_id: 'r', phase: 'end', reason: 'done', pending: ['call_9'] },
        { op: 'unheard' },
        [1],
      ],
    );
    expect(status).toBe(1);
    expect(answers(out).map(({ error }) => error?.code)).toEqual([
      'bad_target',
      'call_id_repeated',
      'reserved_member',
      'no_entry',
      undefined,
      'bad_entry',
      'bad_entry',
    ]);
    // An end without a run belongs to none: nothing is wrong with it.
    expect(readFileSync(path, 'utf8').split('\n').length).toBe(before.split('\n').length + 1);
    expect((await audit(['verify', path])).status).toBe(0);
  });

  it('keeps the leaf where the writer has it when an entry goes elsewhere', async () => {
    const path = await recorded('branch.jsonl');
    const lines = readFileSync(path, 'utf8').trim().split('\n');
    const first = (JSON.parse(lines[1] as string) as { id: string }).id;
    const { out } = await record(
      ['append', path],
      [
        { ...message('aside'), parent: first },
        { type: 'info', name: 'on' },
      ],
    );
    expect(answers(out).map(({ outcome }) => outcome)).toEqual(['branched', 'continued']);
    const moved = await record(['label', path, '--entry', first, '--label', 'leaf']);
    expect(answers(moved.out)[0]).toMatchObject({ outcome: 'leaf_moved', leaf: first });
    expect((await audit(['verify', path, '--expect-leaf', first])).status).toBe(0);
    // As audit show prints it.
    const short = first.slice('sha256:'.length, 'sha256:'.length + 12);
    const labelled = await record(['label', path, '--entry', short, '--label', 'seen']);
    expect(answers(labelled.out)[0]?.outcome).toBe('continued');
    expect((await audit(['show', path, '--entry', short])).status).toBe(0);
    expect((await record(['fork', path, '--entry', short, '--out', at('short.jsonl')])).status).toBe(0);
    expect((await record(['label', path, '--entry', 'sha256:none', '--label', 'x'])).status).toBe(1);
    expect((await record(['label', path, '--entry', 'sha256:000000', '--label', 'x'])).status).toBe(1);
    expect((await record(['label', path, '--entry', first])).status).toBe(2);
  });

  it('raises an earlier header before the first append, and cuts off a torn tail', async () => {
    const path = await recorded('raise.jsonl');
    writeFileSync(path, readFileSync(path, 'utf8').replace('agentsession/0.14', 'agentsession/0.11'));
    appendFileSync(path, '{"type":"info","na');
    chmodSync(path, 0o640);
    const { status } = await record(['append', path], [{ type: 'info', name: 'later' }]);
    expect(status).toBe(0);
    expect(statSync(path).mode & 0o777).toBe(0o640);
    const text = readFileSync(path, 'utf8');
    expect(text.split('\n')[0]).toContain('agentsession/0.14');
    expect(text).not.toContain('"na\n');
    expect((await audit(['verify', path])).status).toBe(0);
  });

  it.each([
    ['one line without an end', 'one precious line'],
    ['notes', 'notes\nlast'],
    ['JSON', '{"precious":true}'],
    ['a header that was torn', '{"type":"session","for'],
    ['a session whose last line nests too deep', ''],
  ])('leaves a file that it cannot read as it is: %s', async (name, text) => {
    const path = at(`foreign-${name}`);
    const content =
      text === ''
        ? `${readFileSync(await recorded('deep.jsonl'), 'utf8')}{"a":${'['.repeat(10_001)}${']'.repeat(10_001)}}`
        : text;
    writeFileSync(path, content);
    for (const command of [['append'], ['run', 'end'], ['continue']]) {
      const [what = '', ...more] = command;
      const out = what === 'continue' ? ['--out', at('never.jsonl')] : [];
      expect((await record([what, path, ...more, ...out], [{ type: 'info', name: 'x' }])).status).toBe(4);
    }
    expect(readFileSync(path, 'utf8')).toBe(content);
    expect(existsSync(at('never.jsonl'))).toBe(false);
  });

  it('cuts a torn line off when something is written behind it, and says so', async () => {
    const path = await recorded('torn.jsonl');
    const whole = readFileSync(path, 'utf8');
    const torn = `${whole}{"type":"info","na`;
    writeFileSync(path, torn);
    expect((await record(['append', path])).status).toBe(0);
    expect((await record(['label', path, '--entry', 'sha256:none', '--label', 'x'])).status).toBe(1);
    const other = at('torn-other.jsonl');
    await record(['new', other]);
    const grown = await audit(['redact', other, '--out', path, '--home', '--profile', 'p@1'], { clock: CLOCK });
    expect(grown.status).toBe(4);
    expect(readFileSync(path, 'utf8')).toBe(torn);
    const { status, err } = await record(['append', path], [{ type: 'info', name: 'on' }]);
    expect([status, err]).toEqual([0, expect.stringMatching(/18 bytes of line \d+, which a crash tore, are cut off/)]);
    expect(readFileSync(path, 'utf8').startsWith(`${whole}{`)).toBe(true);
  });

  it('takes no last line for torn that has its end: an entry that was kept may be damaged, and is not cut off', async () => {
    const path = await recorded('damaged.jsonl');
    const damaged = `${readFileSync(path, 'utf8').slice(0, -2)}]\n`;
    writeFileSync(path, damaged);
    const { status, err } = await record(['append', path], [{ type: 'info', name: 'on' }]);
    expect([status, err]).toEqual([4, expect.stringContaining('truncated_line')]);
    expect(readFileSync(path, 'utf8')).toBe(damaged);
  });

  it('moves the leaf however often in one instant', async () => {
    const path = await recorded('moves.jsonl');
    const lines = readFileSync(path, 'utf8').trim().split('\n');
    const [first, second] = [1, 2].map((i) => (JSON.parse(lines[i] as string) as { id: string }).id);
    const moves = [first, second, first, second, first].map((to) => ({ op: 'branch', to }));
    const { out } = await record(['append', path], moves);
    expect(answers(out).map(({ outcome }) => outcome)).toEqual(moves.map(() => 'leaf_moved'));
    for (const to of [second, first])
      expect(answers((await record(['label', path, '--entry', to ?? '', '--label', 'leaf'])).out)[0]).toMatchObject({
        outcome: 'leaf_moved',
        leaf: to,
      });
    expect((await audit(['verify', path, '--expect-leaf', first ?? ''])).status).toBe(0);
  });

  it('writes all entries of a response or none, and answers a line with a line', async () => {
    const path = await recorded('whole-or-none.jsonl');
    const before = readFileSync(path, 'utf8');
    const other = { ...CALL, call_id: 'call_2' };
    const wrong = { model: 'another', input: [] };
    const { out } = await record(
      ['append', path],
      [
        { ...response('resp_3', [other, other]) },
        { ...response('resp_3', [other]), request: wrong },
        { ...response('resp_3', [other]), latency: 5 },
        { op: 'branch' },
        { op: 'branch', to: 7 },
        { op: 'label', target: 'sha256:none', label: 'x' },
      ],
    );
    expect(answers(out).map(({ error }) => [error?.line, error?.code])).toEqual([
      [1, 'call_id_repeated'],
      [2, 'hash_mismatch'],
      [3, 'bad_entry'],
      [4, 'bad_entry'],
      [5, 'bad_entry'],
      [6, 'no_entry'],
    ]);
    expect(readFileSync(path, 'utf8')).toBe(before);
    const again = await audit(['record', 'append', path], {
      clock: CLOCK,
      stdin: utf8(`\n  \n${JSON.stringify(response('resp_3', [other, SAID]))}\n{`),
    });
    const [whole, broken, ...more] = answers(again.out);
    expect(more).toEqual([]);
    expect(whole?.entries?.map(({ outcome }) => outcome)).toEqual(['continued', 'continued', 'continued']);
    expect([whole?.id, whole?.leaf]).toEqual([whole?.entries?.[2]?.id, whole?.entries?.[2]?.id]);
    expect(broken?.error).toMatchObject({ code: 'bad_entry', line: 4 });
    expect((await audit(['verify', path])).status).toBe(0);
  });

  it('writes no entry that its own check refuses: a time past the year 9999', async () => {
    const path = await recorded('times.jsonl');
    const times = ['9999-12-31T23:59:59.9-00:01', '0000-01-01T00:00:00+00:01', '9999-12-31T23:59:59.999999999Z'];
    const { out } = await record(
      ['append', path],
      times.map((ts) => ({ type: 'info', name: 'x', ts })),
    );
    expect(answers(out).map(({ error, outcome }) => error?.code ?? outcome)).toEqual(['bad_id', 'bad_id', 'continued']);
    expect((await audit(['verify', path])).status).toBe(0);
  });

  it('takes no type that the format does not have for one, unless the format alone is asked', async () => {
    const path = await recorded('types.jsonl');
    const lines = [
      { type: 'decison', x: 1 },
      { type: 'x:decison', x: 1 },
    ];
    const { out } = await record(['append', path], lines);
    expect(answers(out).map(({ error, outcome }) => error?.code ?? outcome)).toEqual(['bad_entry', 'continued']);
    expect(answers(out)[0]?.error?.message).toContain('did you mean decision?');
    expect((await record(['append', path, '--format-rules-only'], lines.slice(0, 1))).status).toBe(0);
    const made = await record(['new', at('typed.jsonl'), '--records', 'run,dispach']);
    expect([made.status, made.err]).toEqual([2, expect.stringContaining('did you mean dispatch?')]);
  });

  it('is listed as begun, not as one that does not hold, and what is not there is named', async () => {
    const path = at('begun.jsonl');
    await record(['new', path]);
    const { out } = await audit(['list', path, '--json']);
    expect(JSON.parse(out)).toMatchObject({ entries: 0, faults: 0 });
    const missing = at('missing.jsonl');
    for (const command of ['list', 'show']) expect((await audit([command, missing])).err).toContain(missing);
    expect((await record(['new', at('nowhere/x.jsonl')])).err).toContain('the folder');
  });

  it('starts no successor of a session that cannot name it', async () => {
    const path = await recorded('succeeded.jsonl');
    expect((await record(['continue', path, '--out', at('first.jsonl')])).status).toBe(0);
    expect((await record(['continue', path, '--out', at('second.jsonl')])).status).toBe(1);
    expect(existsSync(at('second.jsonl'))).toBe(false);
  });

  it('writes through a link into the file that it names, under one lock', async () => {
    const path = await recorded('linked.jsonl');
    writeFileSync(path, readFileSync(path, 'utf8').replace('agentsession/0.14', 'agentsession/0.11'));
    const link = at('link.jsonl');
    symlinkSync(path, link);
    expect((await record(['append', link], [{ type: 'info', name: 'x' }])).status).toBe(0);
    expect(lstatSync(link).isSymbolicLink()).toBe(true);
    expect(readFileSync(path, 'utf8')).toContain('agentsession/0.14');
    writeFileSync(`${path}.lock`, JSON.stringify({ pid: 1, host: 'elsewhere', since: '2026-11-30T00:00:00Z' }));
    const { status, out } = await record(['append', link], [{ type: 'info', name: 'y' }]);
    expect([status, answers(out)[0]?.error?.code]).toEqual([4, 'stopped']);
    rmSync(`${path}.lock`);
  });

  it('takes no marker of a projection', async () => {
    const path = await recorded('synthetic.jsonl');
    const { out, status } = await record(
      ['append', path],
      [{ type: 'label', label: 'leaf', target: null, synthetic: true, parent: null }],
    );
    expect([status, answers(out)[0]?.error?.code]).toEqual([1, 'synthetic']);
  });

  it('writes nothing to a file that another writer holds', async () => {
    const path = await recorded('locked.jsonl');
    writeFileSync(`${path}.lock`, JSON.stringify({ pid: 1, host: 'elsewhere', since: '2026-11-30T00:00:00Z' }));
    const { status, err } = await record(['append', path], [{ type: 'info', name: 'x' }]);
    expect(status).toBe(4);
    expect(err).toContain('locked by process 1 on elsewhere');
    rmSync(`${path}.lock`);
  });

  it('forks, continues, starts and ends runs, and imports', async () => {
    const path = await recorded('many.jsonl');
    const forked = await record(['fork', path, '--out', at('fork.jsonl')]);
    expect(forked.status).toBe(0);
    expect((await record(['append', at('fork.jsonl')], [message('again')])).status).toBe(0);
    expect((await audit(['verify', at('fork.jsonl')])).status).toBe(0);
    expect((await record(['fork', path, '--entry', 'sha256:none', '--out', at('no.jsonl')])).status).toBe(1);
    expect(existsSync(at('no.jsonl'))).toBe(false);
    expect((await record(['run', path, 'start', '--run-id', 'run-2'])).status).toBe(0);
    const ended = await record(['run', path, 'end', '--reason', 'interrupted']);
    expect(answers(ended.out)[0]).toMatchObject({ reason: 'interrupted', pending: [] });
    expect((await record(['run', path, 'end'])).status).toBe(1);
    const next = await record(['continue', path, '--out', at('next.jsonl'), '--summary', 'So far.']);
    expect(next.status).toBe(0);
    expect((await record(['continue', path, '--out', at('third.jsonl')])).err).toContain('superseded');
    // The successor has a link to it and no model call of its own yet.
    expect(readFileSync(at('next.jsonl'), 'utf8')).toContain('"instructions":"Help Ada');
    expect((await audit(['verify', path])).status).toBe(0);
    expect((await record(['import', path, '--out', at('copy.jsonl')])).status).toBe(0);
    expect(readFileSync(at('copy.jsonl'), 'utf8')).toBe(readFileSync(path, 'utf8'));
    writeFileSync(at('bad.jsonl'), readFileSync(path, 'utf8').replace('found', 'lost!'));
    const refused = await record(['import', at('bad.jsonl'), '--out', at('bad-copy.jsonl')]);
    expect(refused.status).toBe(1);
    expect(refused.err).toContain('bad_id');
    expect(existsSync(at('bad-copy.jsonl'))).toBe(false);
    expect((await record(['new', path])).status).toBe(4);
  });

  it('answers a process line by line while it goes on writing, as long as the file is its own', {
    timeout: 60_000,
  }, async () => {
    const path = await recorded('process.jsonl');
    mkdirSync('node_modules/.cache', { recursive: true });
    const out = mkdtempSync('node_modules/.cache/audit-record-');
    try {
      await build({
        logLevel: 'error',
        configFile: false,
        publicDir: false,
        build: { ssr: 'cmd/audit.ts', outDir: out, target: 'node20', emptyOutDir: false },
      });
      const program = join(out, readdirSync(out).find((name) => /^audit\.m?js$/.test(name)) ?? '');
      const begin = () => {
        const child = spawn(process.execPath, [program, 'record', 'append', path]);
        let err = '';
        child.stderr.on('data', (text) => {
          err += text;
        });
        const said = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
        const write = (name: string) => child.stdin.write(`${JSON.stringify({ type: 'info', name })}\n`);
        const ended = new Promise<[number | null, string]>((resolve) => {
          child.once('close', (status) => resolve([status, err]));
        });
        return { child, said, write, ended };
      };
      const whole = begin();
      for (let n = 0; n < 3; n++) {
        whole.write(`n${n}`);
        const answered = (await whole.said.next()) as { value: string };
        const { id } = JSON.parse(answered.value) as { id: string };
        // What is answered is in the file.
        expect(readFileSync(path, 'utf8')).toContain(id);
      }
      whole.child.stdin.end();
      expect(await whole.ended).toEqual([0, '']);
      expect(existsSync(`${path}.lock`)).toBe(false);
      for (const [message, spoil] of [
        ['the lock was taken away from this writer', () => rmSync(`${path}.lock`)],
        ['somebody else wrote to the file', () => appendFileSync(path, ' ')],
      ] as const) {
        const spoiled = begin();
        spoiled.write('before');
        await spoiled.said.next();
        spoil();
        const before = readFileSync(path, 'utf8');
        spoiled.write('after');
        spoiled.child.stdin.end();
        expect(await spoiled.ended).toEqual([4, expect.stringContaining(message)]);
        expect(readFileSync(path, 'utf8')).toBe(before);
      }
    } finally {
      rmSync(out, { recursive: true, force: true });
    }
  });
});

describe('redacting through the command line', () => {
  const env = { KEY: 's3cr3t-zebra', HOME: '/home/ada' };
  const redact = (argv: readonly string[], given: Record<string, string> = env) =>
    audit(['redact', ...argv], { clock: CLOCK, env: given });

  it('leaves nothing of the secret, and what it writes verifies', async () => {
    const path = await recorded('open.jsonl');
    const out = at('closed.jsonl');
    const { status, out: said } = await redact([
      path,
      '--out',
      out,
      '--secret-env',
      'KEY',
      '--home',
      '--profile',
      'share@1',
    ]);
    expect(status).toBe(0);
    expect(JSON.parse(said)).toMatchObject({ entries: 10, left_out: 0, responses_without_hash: 0 });
    const text = readFileSync(out, 'utf8');
    expect(text).not.toContain('zebra');
    expect(text).not.toContain('/home/ada');
    expect(text).toContain('[KEY]');
    const verified = await audit(['verify', out, '--format', 'json']);
    expect(verified.status).toBe(0);
    expect(JSON.parse(verified.out)).toMatchObject({ inputs: [{ counts: { hashes_verified: 2 } }] });
    await record(['append', path], [{ type: 'info', name: 'more of s3cr3t-zebra' }]);
    const again = await redact([path, '--out', out, '--secret-env', 'KEY', '--home', '--profile', 'share@1']);
    expect(JSON.parse(again.out)).toMatchObject({ entries: 1 });
    expect(readFileSync(out, 'utf8').startsWith(text)).toBe(true);
    expect((await audit(['verify', out])).status).toBe(0);
    const other = await redact([path, '--out', out, '--home', '--profile', 'share@1']);
    expect(other.err).toContain('made by other rules');
    expect((await redact([path, '--out', out, '--home', '--profile', 'other@1'])).status).toBe(4);
  });

  it('takes a rules file', async () => {
    const path = await recorded('ruled.jsonl');
    const rules = at('rules.json');
    writeFileSync(
      rules,
      JSON.stringify({
        format: 'audit.redaction-rules.v1',
        profile: 'names@1',
        replace: [
          { text: 'Ada', with: '[NAME]' },
          { pattern: 's3cr3t-[a-z]+', with: '$&' },
        ],
        leave_out: ['info'],
      }),
    );
    expect((await redact([path, '--out', at('ruled-out.jsonl'), '--rules', rules])).status).toBe(0);
    const text = readFileSync(at('ruled-out.jsonl'), 'utf8');
    expect(text).toContain('Help [NAME] with her key $&.');
    expect(text).toContain('"profile":"names@1"');
    writeFileSync(rules, '{"format":"audit.redaction-rules.v1","replaec":[]}');
    const wrong = await redact([path, '--out', at('x.jsonl'), '--rules', rules]);
    expect([wrong.status, wrong.err]).toEqual([4, expect.stringContaining('there is no rule "replaec"')]);
  });

  describe('with media beside the session', () => {
    const hash = (text: string): string => createHash('sha256').update(text).digest('hex');
    const note = `the key is ${env.KEY}`;
    const by = ['--secret-env', 'KEY', '--profile', 'share@1'];
    const show = (path: string, text: string) => {
      const part = { type: 'input_file', file_url: `sidecar:sha256:${hash(text)}` };
      return record(['append', path], [{ type: 'item', item: { type: 'message', role: 'user', content: [part] } }]);
    };
    /** A session in a folder of its own that shows a note to the model. */
    const pictured = async (name: string, folder = 'beside') => {
      mkdirSync(at(name));
      const path = at(`${name}/run.jsonl`);
      const made = await audit(['record', 'new', path, '--media', 'sidecar'], { clock: CLOCK });
      const media = at(`${name}/${folder === 'beside' ? JSON.parse(made.out).session : folder}`);
      mkdirSync(media);
      writeFileSync(join(media, hash(note)), note);
      await show(path, note);
      return { path, media, out: at(`${name}/shared.jsonl`) };
    };
    const copyOf = (said: string) => JSON.parse(said) as { session: string; media: object; entries: number };

    it('puts the media of the copy beside it, each under the hash of what it became, and lets them grow', async () => {
      const { path, media, out } = await pictured('grown');
      const made = await redact([path, '--out', out, ...by]);
      expect([made.status, copyOf(made.out).media]).toEqual([0, { kept: 0, rewritten: 1, dropped: 0, lacking: 0 }]);
      const folder = join(at('grown'), copyOf(made.out).session);
      const names = () => readdirSync(folder).filter((name) => !name.startsWith('.'));
      expect(names()).toEqual([hash('the key is [KEY]')]);
      expect(readFileSync(out, 'utf8')).not.toContain(hash(note));
      expect((await audit(['verify', out, '--media-dir', folder, '--require', 'media'])).status).toBe(0);
      expect((await audit(['verify', out, '--require', 'media'])).status).toBe(3);
      writeFileSync(join(media, hash('plain')), 'plain');
      await show(path, 'plain');
      // What stands under the name of a file and is another gives way.
      writeFileSync(join(folder, hash('the key is [KEY]')), 'bent');
      expect(copyOf((await redact([path, '--out', out, ...by])).out).entries).toBe(1);
      expect(names()).toEqual([hash('plain'), hash('the key is [KEY]')].sort());
      expect((await audit(['verify', out, '--media-dir', folder, '--require', 'media'])).status).toBe(0);
    });

    it('never copies a file of the original as it is, though an older copy names it', async () => {
      const { path, out } = await pictured('older');
      expect((await redact([path, '--out', out, ...by])).status).toBe(0);
      const [header = '', line = ''] = readFileSync(out, 'utf8').split('\n');
      const { id, content: _, ...entry } = JSON.parse(line.replace(hash('the key is [KEY]'), hash(note)));
      writeFileSync(out, `${header}\n`);
      const older = await record(['append', out], [{ ...entry, parent: null }]);
      expect(older.status).toBe(0);
      await show(path, 'plain');
      const grown = await redact([path, '--out', out, ...by]);
      expect(copyOf(grown.out)).toMatchObject({ entries: 1, media: { lacking: 1 } });
      const left = join(at('older'), copyOf(grown.out).session, hash(note));
      expect(existsSync(left)).toBe(false);
      // Nor does it leave one there unsaid.
      writeFileSync(left, note);
      const again = await redact([path, '--out', out, ...by]);
      expect([again.status, again.err]).toEqual([1, expect.stringContaining('not_redacted')]);
    });

    it('gives the copy of a fork the files of the entries that it shares with the copy of its origin', async () => {
      const { path, out } = await pictured('forked');
      expect((await redact([path, '--out', out, ...by])).status).toBe(0);
      const entry = JSON.parse(readFileSync(path, 'utf8').split('\n')[1] ?? '').id;
      const [retry, shared] = [at('forked/retry.jsonl'), at('forked/retry-shared.jsonl')];
      expect((await audit(['record', 'fork', path, '--entry', entry, '--out', retry], { clock: CLOCK })).status).toBe(
        0,
      );
      await record(['append', retry], [message('again')]);
      const made = await redact([retry, '--out', shared, ...by, '--origin', path, '--origin', out]);
      expect([made.status, copyOf(made.out).media]).toEqual([0, expect.objectContaining({ lacking: 0 })]);
      const folder = join(at('forked'), copyOf(made.out).session);
      expect((await audit(['verify', shared, '--media-dir', folder, '--require', 'media'])).status).toBe(0);
    });

    it('takes them from another folder, says what it lacks, and drops all by the rules', async () => {
      const { path, media, out } = await pictured('apart', 'elsewhere');
      const blind = await redact([path, '--out', at('apart/blind.jsonl'), ...by]);
      expect(blind.err).toContain(`the media file sha256:${hash(note)} is not at hand (--media-dir)`);
      expect(readFileSync(at('apart/blind.jsonl'), 'utf8')).not.toContain(hash(note));
      const found = await redact([path, '--out', out, ...by, '--media-dir', media]);
      expect(copyOf(found.out).media).toMatchObject({ rewritten: 1, dropped: 0 });
      expect((await redact([path, '--out', at('apart/x.jsonl'), ...by, '--media-dir', at('none')])).status).toBe(4);
      const rules = at('apart/rules.json');
      writeFileSync(rules, '{"format":"audit.redaction-rules.v1","profile":"bare@1","media":"drop"}');
      const bare = await redact([path, '--out', at('apart/bare.jsonl'), '--rules', rules, '--media-dir', media]);
      expect(copyOf(bare.out).media).toMatchObject({ kept: 0, rewritten: 0, dropped: 1 });
      writeFileSync(rules, '{"format":"audit.redaction-rules.v1","profile":"bare@1","media":"burn"}');
      expect((await redact([path, '--out', at('apart/y.jsonl'), '--rules', rules])).err).toContain('"keep" or "drop"');
    });

    it('writes into no folder but the one of the id that the copy has', async () => {
      const { path, out } = await pictured('guarded');
      expect((await redact([path, '--out', out, ...by])).status).toBe(0);
      const copy = readFileSync(out, 'utf8');
      const { id } = JSON.parse(copy.split('\n')[0] ?? '');
      await show(path, 'more');
      writeFileSync(out, copy.replace(id, '../evil'));
      const moved = await redact([path, '--out', out, ...by]);
      expect([moved.status, existsSync(at('evil'))]).toEqual([4, false]);
      writeFileSync(out, copy);
      rmSync(at(`guarded/${id}`), { recursive: true });
      mkdirSync(at('evil'));
      symlinkSync(at('evil'), at(`guarded/${id}`));
      const linked = await redact([path, '--out', out, ...by]);
      expect([linked.status, linked.err, readdirSync(at('evil'))]).toEqual([
        4,
        expect.stringContaining('it is a link'),
        [],
      ]);
    });

    it('writes nothing where putting something in brings a secret about', async () => {
      const { path, out } = await pictured('joined');
      const rules = at('joined/rules.json');
      writeFileSync(
        rules,
        '{"format":"audit.redaction-rules.v1","profile":"p@1","replace":[{"text":"-gap-","with":""}]}',
      );
      const media = at('joined/more');
      mkdirSync(media);
      const split = `the key is s3cr3t-gap--zebra`;
      writeFileSync(join(media, hash(split)), split);
      await show(path, split);
      const given = ['--rules', rules, '--secret-env', 'KEY', '--media-dir', media];
      const { status, err } = await redact([path, '--out', out, ...given]);
      expect([status, err, existsSync(out)]).toEqual([1, expect.stringContaining('not_redacted'), false]);
    });
  });

  it('makes the copy of a fork a fork of the copy of its origin', async () => {
    const path = await recorded('origin.jsonl');
    const first = JSON.parse(readFileSync(path, 'utf8').split('\n')[2] ?? '').id;
    await audit(['record', 'fork', path, '--entry', first, '--out', at('retry.jsonl')], { clock: CLOCK });
    await record(['append', at('retry.jsonl')], [message('again with s3cr3t-zebra')]);
    const by = ['--secret-env', 'KEY', '--profile', 'share@1'];
    expect((await redact([path, '--out', at('origin-shared.jsonl'), ...by])).status).toBe(0);
    const origin = ['--origin', at('origin-shared.jsonl'), '--origin', path];
    const made = await redact([at('retry.jsonl'), '--out', at('retry-shared.jsonl'), ...by, ...origin]);
    expect(made.status).toBe(0);
    const [shared, retry] = ['origin-shared.jsonl', 'retry-shared.jsonl'].map((name) =>
      readFileSync(at(name), 'utf8').split('\n'),
    ) as [string[], string[]];
    expect(retry.slice(1, 3)).toEqual(shared.slice(1, 3));
    expect(JSON.parse(retry[0] ?? '').parent_session).toBe(JSON.parse(shared[0] ?? '').id);
    expect((await audit(['verify', at('retry-shared.jsonl')])).status).toBe(0);
    await record(['append', at('retry.jsonl')], [message('and again')]);
    const grown = await redact([at('retry.jsonl'), '--out', at('retry-shared.jsonl'), ...by, ...origin]);
    expect(JSON.parse(grown.out)).toMatchObject({ entries: 1 });
    const wrong = await redact([at('retry.jsonl'), '--out', at('x.jsonl'), ...by, '--origin', path]);
    expect([wrong.status, wrong.err]).toEqual([4, expect.stringContaining('no file given is the copy')]);
  });

  it('refuses to write what still holds the secret where nothing can be rewritten', async () => {
    const path = await recorded('stuck.jsonl');
    const { status, err } = await redact(
      [path, '--out', at('stuck-out.jsonl'), '--secret-env', 'ID', '--profile', 'p@1'],
      {
        ID: 'call_1',
      },
    );
    expect(status).toBe(1);
    expect(err).toContain('not_redacted: the secret [ID] stands at /item/call_id in line 5 of the session');
    expect(existsSync(at('stuck-out.jsonl'))).toBe(false);
    const lines = readFileSync(path, 'utf8').split('\n');
    expect(JSON.parse(lines[4] ?? '').item.call_id).toBe('call_1');
    const around = await redact([path, '--out', at('stuck-out.jsonl'), '--environment', '--profile', 'p@1'], {
      A_TOKEN: 'call_1',
      B_TOKEN: 'user',
    });
    expect(around.err).toContain('not_redacted: the secret [A_TOKEN] stands at /item/call_id in line 5 of the session');
    expect(existsSync(at('stuck-out.jsonl'))).toBe(false);
  });

  it('replaces the longer of a secret given and one of the environment, and refuses for no word of the format', async () => {
    const path = at('longer.jsonl');
    await record(['new', path]);
    await record(['append', path], [message('postgres://app:hunter2x@db.internal/prod?tok=zzz')]);
    const out = at('longer-out.jsonl');
    const env = {
      PW: 'hunter2x',
      DB_SECRET_URL: 'postgres://app:hunter2x@db.internal/prod?tok=zzz',
      KEY_DIGEST: 'sha256',
    };
    const by = ['--secret-env', 'PW', '--environment', '--profile', 'p@1'];
    const { status } = await audit(['redact', path, '--out', out, ...by], { clock: CLOCK, env });
    expect(status).toBe(0);
    expect(readFileSync(out, 'utf8')).toContain('"text":"[DB_SECRET_URL]"');
  });

  it('says of an environment in which it finds nothing to look for that it does, and of a variable why it is of no use', async () => {
    const path = await recorded('nothing.jsonl');
    const run = (env: Record<string, string>, ...more: string[]) =>
      audit(['redact', path, '--out', at('nothing-out.jsonl'), '--profile', 'p@1', ...more], { clock: CLOCK, env });
    const none = await run({ API_KEY: 'short', EDITOR: 'a long value' }, '--environment');
    expect([none.status, none.err]).toEqual([0, expect.stringContaining('no variable that is named like a secret')]);
    expect((await run({ API_KEY: '' }, '--secret-env', 'API_KEY')).err).toContain('the variable is empty');
    expect((await run({}, '--secret-env', 'API_KEY')).err).toContain('the variable is not set');
  });

  it('asks what to redact before it opens a file', async () => {
    expect((await redact(['none.jsonl', '--out', at('o.jsonl')])).status).toBe(2);
    expect((await redact(['none.jsonl', '--out', at('o.jsonl'), '--home'])).status).toBe(2);
    expect((await redact(['none.jsonl', '--out', at('o.jsonl'), '--secret-env', 'UNSET'])).status).toBe(2);
  });
});
