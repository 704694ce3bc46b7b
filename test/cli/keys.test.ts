/** `audit keys`, `audit trust` and `audit approvals` from the command line. */

import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, describe, expect, it } from 'vitest';
import { processIo } from '../../cmd/process.ts';
import { paid, RUN, Scene, trustText } from '../../vectors/approval-scenes.ts';
import { audit } from './io.ts';

const folder = mkdtempSync(join(tmpdir(), 'audit-keys-'));
afterAll(() => rmSync(folder, { recursive: true }));
function file(name: string, content: string | Uint8Array): string {
  const path = join(folder, name);
  writeFileSync(path, content);
  return path;
}
const LOG = 'ed25519:03a107bff3ce10be1d70dd18e74bc09967e4d6309ba50d5f1ddc8664125531b8';

describe('audit keys', () => {
  it.each(['ed25519', 'ecdsa-p256', 'ml-dsa-65', 'ed25519+ml-dsa-65'])(
    'gen makes a %s key whose public part id and convert agree on',
    async (scheme) => {
      const gen = await audit(['keys', 'gen', '--scheme', scheme, '--out', 'k']);
      expect(gen.status).toBe(0);
      const secret = gen.written.get('k') as string;
      expect(secret.startsWith(`private:${scheme}:`)).toBe(true);
      expect(gen.out.startsWith(`${scheme}:`)).toBe(true);
      const path = file('k', secret);
      const open = await audit(['keys', 'convert', path, '--public']);
      expect(open.out).toBe(gen.out);
      expect((await audit(['keys', 'id', path])).out.split('\n')[0]).toBe(gen.out.trim());
    },
  );

  it('never prints a private key, nor takes one from the command line', async () => {
    const path = file('secret', `private:ed25519:${'11'.repeat(32)}\n`);
    expect((await audit(['keys', 'convert', path])).status).toBe(2);
    const direct = await audit(['keys', 'id', `private:ed25519:${'11'.repeat(32)}`]);
    expect([direct.status, direct.out]).toEqual([4, '']);
    expect(direct.err).not.toContain('1111');
  });

  it('converts between text, PEM and DER', async () => {
    const pem = await audit(['keys', 'convert', LOG, '--to', 'pem']);
    expect(pem.out).toContain('-----BEGIN PUBLIC KEY-----');
    expect((await audit(['keys', 'convert', file('p.pem', pem.out)])).out).toBe(`${LOG}\n`);
    expect((await audit(['keys', 'convert', LOG, '--to', 'der'])).status).toBe(2);
    expect((await audit(['keys', 'convert', LOG, '--to', 'der', '--out', 'd'])).written.has('d')).toBe(true);
  });

  it.each([
    ['0100000000000000000000000000000000000000000000000000000000000000', 'anybody can sign'],
    ['ed25519:00', '32 bytes'],
    [join(folder, 'absent'), 'no such file'],
  ])('id of %s ends with 4', async (argument, says) => {
    const { status, err } = await audit(['keys', 'id', argument]);
    expect(status).toBe(4);
    expect(err).toContain(says);
  });

  it('writes a private key that only its owner can read, and overwrites none', () => {
    const path = join(folder, 'owned');
    processIo().write(path, 'x', { secret: true });
    expect(statSync(path).mode & 0o077).toBe(0);
    expect(() => processIo().write(path, 'y', { secret: true })).toThrow();
  });
});

describe('audit trust', () => {
  it('init, add and show: from nothing to keys, approvers, gates and requirements', async () => {
    const init = await audit(['trust', 'init', join(folder, 'new.json')]);
    expect(init.status).toBe(0);
    const path = file('t.json', init.written.get(join(folder, 'new.json')) as string);
    const steps = [
      ['key', path, '--name', 'log 2026', '--key', LOG, '--role', 'log', '--from', '2026-01-01T00:00:00Z'],
      ['approver', path, '--id', 'ops', '--key', LOG],
      ['gate', path, '--run', 'bank/*', '--tool', 'pay_*', '--policy', '{"need":1,"approvers":["ops"]}'],
      ['require', path, '--kind', 'journal', '--claim', 'integrity,approvals'],
    ];
    for (const step of steps) {
      const added = await audit(['trust', 'add', ...step]);
      expect([added.status, added.err]).toEqual([0, '']);
      writeFileSync(path, added.written.get(path) as string);
    }
    const show = await audit(['trust', 'show', path]);
    expect(show.status).toBe(0);
    expect(show.out.split('\n').slice(0, 4)).toEqual([
      expect.stringContaining('key "log 2026" may sign as log from 2026-01-01T00:00:00Z'),
      expect.stringContaining('approver "ops"'),
      'of a journal are required: integrity, approvals',
      'gate of tool pay_* in runs bank/*: 1 of ops',
    ]);
    const spelled = (JSON.parse(readFileSync(path, 'utf8')) as { approvers: { ops: string } }).approvers.ops;
    expect(show.out).toContain(`approver "ops": ${spelled}, identity ed25519:`);
    expect((await audit(['trust', 'init', path])).status).toBe(2);
  });

  it.each([
    [['nothing'], 2],
    [['key', '--name', 'x', '--key', LOG], 2],
    [['gate', '--policy', 'null'], 2],
    [['gate', '--tool', 'x', '--policy', '{"need":0,"approvers":[]}'], 4],
    [['approver', '--id', 'a b', '--key', LOG], 4],
  ])('add %j is refused with %i and writes nothing', async (args, status) => {
    const path = file('refused.json', '{"format":"audit.trust.v1"}');
    const [what, ...rest] = args as [string, ...string[]];
    const ran = await audit(['trust', 'add', what, path, ...rest]);
    expect([ran.status, ran.written.size]).toEqual([status, 0]);
  });

  it('add takes no private key', async () => {
    const path = file('p.json', '{"format":"audit.trust.v1"}');
    const secret = file('p.key', `private:ed25519:${'22'.repeat(32)}`);
    const ran = await audit(['trust', 'add', 'approver', path, '--id', 'ops', '--key', secret]);
    expect([ran.status, ran.written.size]).toEqual([4, 0]);
  });

  it('show names approvers of a gate of whom there is no key', async () => {
    const gates = '"gates":[{"run":"*","tool":"refund","policy":{"need":1,"approvers":["ops","risk"]}}]';
    const approvers = `"approvers":{"ops":"${LOG}"}`;
    const path = file('keyless.json', `{"format":"audit.trust.v1",${approvers},${gates}}`);
    const { status, err } = await audit(['trust', 'show', path]);
    expect([status, err]).toEqual([0, expect.stringContaining('a gate names "risk", of whom no key is here')]);
    expect(err).not.toContain('"ops"');
  });

  it('show names what contradicts what, with its place', async () => {
    const path = file('bad.json', '{"format":"audit.trust.v1","keys":[{"name":"x","key":"y","roles":["log"]}]}');
    const { status, err } = await audit(['trust', 'show', path]);
    expect(status).toBe(4);
    expect(err).toContain('/keys/0/key');
    expect(err).toContain('trust/unusable-key');
  });
});

describe('audit approvals', () => {
  const exported = (scene: Scene) =>
    JSON.stringify({
      format: 'bide.audit.journal-export.v1',
      run_id: scene.run,
      records: scene.records.map((bytes) => Buffer.from(bytes).toString('base64')),
    });
  const trust = file('approvals.trust.json', trustText());

  it('ends with 0 for a payment that was approved as expected', async () => {
    const ran = await audit(['approvals', file('paid.json', exported(paid())), '--trust', trust, '--format', 'json']);
    const report = JSON.parse(ran.out);
    expect([ran.status, report.result]).toEqual([0, 'verified']);
    expect(report.inputs[0].timeline).toContainEqual(
      expect.objectContaining({ text: 'alice approved', tier: 'bare key', verdict: 'verified' }),
    );
  });

  it('says of a file of another kind what it is, and counts nothing', async () => {
    const session = fileURLToPath(new URL('../session/demo.jsonl', import.meta.url));
    const ran = await audit(['approvals', session, '--trust', trust, '--format', 'json']);
    const [input] = JSON.parse(ran.out).inputs;
    expect([ran.status, input.kind, input.claims]).toEqual([4, 'session', []]);
    expect(input.findings).toEqual([
      expect.objectContaining({ code: 'input/other-kind', expected: 'journal', actual: 'session' }),
    ]);
  });

  it('reads one stored record a line, with the run beside them', async () => {
    const lines = paid()
      .records.map((bytes) => `${new TextDecoder().decode(bytes)}\n`)
      .join('');
    const path = file('paid.jsonl', lines);
    expect((await audit(['approvals', path, '--run', RUN, '--trust', trust])).status).toBe(0);
    const whole = async (...run: string[]) => {
      const report = JSON.parse((await audit(['verify', path, ...run, '--trust', trust, '--format', 'json'])).out);
      const approvals = report.inputs[0].claims.find(({ claim }: { claim: string }) => claim === 'approvals');
      return [report.given.run, approvals.verdict];
    };
    expect(await whole('--run', RUN)).toEqual([RUN, 'verified']);
    expect(await whole()).toEqual([null, 'undecided']);
    const other = file('other-run.json', exported(paid()));
    for (const command of ['verify', 'approvals'])
      expect((await audit([command, other, '--run', 'another', '--trust', trust])).status).toBe(3);
    expect((await audit(['approvals', path, '--run', 'another', '--trust', trust])).status).toBe(1);
    const unnamed = await audit(['approvals', path, '--trust', trust, '--format', 'json']);
    expect(unnamed.status).toBe(3);
    expect(JSON.parse(unnamed.out).inputs[0].missing[0].item).toContain('--run ID');
  });

  it('ends with 1 and names first the call that ran without an approval', async () => {
    const scene = new Scene().start().turn().attempt().result({ policy: null });
    const ran = await audit(['approvals', file('ran.json', exported(scene)), '--trust', trust, '--format', 'json']);
    expect(ran.status).toBe(1);
    expect(JSON.parse(ran.out).inputs[0].findings[0].code).toBe('approval/ran-without-approval');
  });

  it('ends with 3 without a trust file: nothing is known to be wrong, and nothing is proven', async () => {
    expect((await audit(['approvals', file('alone.json', exported(paid()))])).status).toBe(3);
  });

  it('ends with 3 for a run in which nothing was gated', async () => {
    const scene = new Scene('shop/1').start().turn();
    expect((await audit(['approvals', file('none.json', exported(scene)), '--trust', trust])).status).toBe(3);
  });

  it('ends with 4 for what is no journal, and for a broken trust file', async () => {
    expect((await audit(['approvals', file('x.json', '{}'), '--trust', trust])).status).toBe(4);
    const broken = file('broken.trust.json', '{"format":"audit.trust.v1","gates":[{}]}');
    expect((await audit(['approvals', file('paid2.json', exported(paid())), '--trust', broken])).status).toBe(4);
  });
});
