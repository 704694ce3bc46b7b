/** `audit notifications` and `bide-audit notifications`: inputs, options, statuses, the timeline (notifications 12, 15). */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, test } from 'vitest';
import { main as bideMain } from '../../cmd/bide/main.ts';
import { formatPublicKey } from '../../src/crypto/keys.ts';
import { readFile } from '../../src/host/files.ts';
import {
  allClear,
  at,
  claimed,
  type Document,
  fact,
  GATE,
  overdue,
  seen,
  told,
  trail,
} from '../../vectors/trail-scenes.ts';
import { withLeaves } from '../notify/changes.ts';
import { headOver, LOG_KEY } from '../notify/judging.ts';
import { simulate, TRAIL } from '../notify/simulator.ts';
import { audit } from './io.ts';

let folder = '';
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'audit-trail-'));
});
afterAll(() => rmSync(folder, { recursive: true }));

function file(name: string, value: unknown): string {
  const path = join(folder, name);
  writeFileSync(path, typeof value === 'string' ? value : JSON.stringify(value));
  return path;
}

const PUBKEY = formatPublicKey(LOG_KEY.publicKey);
const gate = told(GATE, 0, 'approval_pending');
const late = trail([
  seen(GATE, 0, 'approval_pending'),
  claimed(GATE, 1),
  ...overdue(GATE),
  claimed(GATE, 350),
  { ...gate[2], at: at(360) },
]);

/** A simulated trail with its leaves under a true head. */
function boundTrail(seed: number): Document {
  const simulated = simulate(seed);
  const leaves = simulated.trails.get(TRAIL) ?? [];
  return withLeaves(simulated, leaves, [headOver(TRAIL, leaves, simulated.asOf)]);
}

describe('audit notifications', () => {
  it('verifies a bound trail given as a bare file, and one line for each event says what happened', async () => {
    const { status, out } = await audit([
      'notifications',
      file('bound.json', boundTrail(3)),
      '--pubkey',
      PUBKEY,
      '--format',
      'text',
    ]);
    expect([status, out.split('\n').filter((line) => /verified$/i.test(line))]).toEqual([0, ['VERIFIED']]);
    expect(out).toMatch(/happened\s+2026-10-1\dT\S+ {2}\S.*, for \w+:\s/);
  });

  it('gives each event its latency against its deadline', async () => {
    const { out } = await audit(['notifications', file('late.json', late), '--unbound', '--format', 'json']);
    const rows = (JSON.parse(out) as { inputs: { timeline: { text: string; entry: string }[] }[] }).inputs[0]?.timeline;
    expect(rows?.find(({ entry }) => entry === GATE)?.text).toBe(
      'a decision is needed (gate g), for default: 2 rounds of delivery, marked overdue after 5m1s, acknowledged after 6m0s, 1m0s late',
    );
    expect(rows?.length).toBe(2);
  });

  test.each([
    ['an unbound trail', gate, [], 3],
    ['an unbound trail taken as given', gate, ['--unbound'], 0],
    ['a warning', late['records'] as typeof gate, ['--unbound'], 0],
    ['a warning under --strict', late['records'] as typeof gate, ['--unbound', '--strict'], 1],
    ['a promise that was not kept', gate.slice(0, 2), ['--unbound'], 1],
    ['the same before its deadline', gate.slice(0, 2), ['--unbound', '--at', at(300)], 0],
    ['nothing at all', [], ['--unbound'], 1],
    ['a required claim that nothing decides', gate, ['--unbound', '--require', 'completeness'], 3],
  ])('%s', async (_, records, options, status) => {
    expect((await audit(['notifications', file('one.json', trail(records)), ...options, '--quiet'])).status).toBe(
      status,
    );
  });

  it('gives 1 for a changed leaf and 3 without the key, and says what would decide it', async () => {
    const document = boundTrail(4);
    const leaves = document['leaves'] as string[];
    const changed = { ...document, leaves: [leaves[1], leaves[0], ...leaves.slice(2)] };
    expect((await audit(['notifications', file('changed.json', changed), '--pubkey', PUBKEY, '--quiet'])).status).toBe(
      1,
    );
    const { status, out } = await audit(['notifications', file('keyless.json', document), '--format', 'json']);
    const [input] = (JSON.parse(out) as { inputs: { missing: { claim: string; item: string }[] }[] }).inputs;
    expect([status, input?.missing.map(({ claim }) => claim)]).toEqual([
      3,
      ['sequence', 'delivery', 'clears', 'integrity', 'authorship', 'completeness'],
    ]);
    expect(new Set(input?.missing.map(({ item }) => item))).toEqual(
      new Set(['the public key of the log, in a trust file']),
    );
  });

  it('holds the trail against a journal and a routing of their own', async () => {
    const path = file('gate.json', trail(gate));
    const journal = file('journal.json', {
      complete: true,
      events: [fact('approval:run-1:other', 'approval_pending', 0)],
    });
    const routing = file('routing.json', { routes: { approval_pending: 'ops' } });
    const { status, out } = await audit([
      'notifications',
      '--trail',
      path,
      '--journal',
      journal,
      '--routing',
      routing,
      '--unbound',
      '--format',
      'json',
    ]);
    const codes = (JSON.parse(out) as { inputs: { findings: { code: string }[] }[] }).inputs[0]?.findings.map(
      ({ code }) => code,
    );
    expect(out).toContain('a decision is needed, by the journal: no record that anybody was told');
    expect([status, codes?.sort()]).toEqual([
      1,
      ['notify/event-missing', 'notify/event-unexpected', 'notify/wrong-receiver'],
    ]);
    const since = await audit([
      'notifications',
      path,
      '--journal',
      journal,
      '--unbound',
      '--set',
      `notifier_since=${at(60)}`,
      '--quiet',
    ]);
    expect(since.status).toBe(0);
  });

  it('gives 4 for a document, routing or key that cannot be used, and judges what does not depend on it', async () => {
    const path = file('gate.json', trail(gate));
    expect((await audit(['notifications', file('bad.json', '{'), '--quiet'])).status).toBe(4);
    expect(
      (
        await audit([
          'notifications',
          path,
          '--unbound',
          '--routing',
          file('bad-routing.json', { routs: {} }),
          '--quiet',
        ])
      ).status,
    ).toBe(4);
    expect((await audit(['notifications', path, join(folder, 'absent.json'), '--unbound', '--quiet'])).status).toBe(4);
    expect((await audit(['notifications', path, '--pubkey', 'ed25519:00', '--quiet'])).status).toBe(4);
  });

  test.each([[['--set', 'deadlin=5m']], [['--set', 'deadline']], [['--halt-age', 'soon']], [['--at', 'yesterday']]])(
    '%j is a usage error',
    async (options) => {
      expect((await audit(['notifications', 'x.json', ...options])).status).toBe(2);
    },
  );

  it('takes no trail, or two routings that differ, as a usage error', async () => {
    expect((await audit(['notifications'])).status).toBe(2);
    const path = file('routed.json', trail(gate, { routing: {} }));
    expect(
      (await audit(['notifications', path, '--unbound', '--routing', file('same.json', {}), '--quiet'])).status,
    ).toBe(0);
    expect(
      (
        await audit([
          'notifications',
          path,
          '--unbound',
          '--routing',
          file('other.json', { routes: { run_aborted: 'ops' } }),
          '--quiet',
        ])
      ).status,
    ).toBe(2);
  });

  it('gives what audit verify gives for the same file', async () => {
    const path = file('same-trail.json', trail([...gate, ...allClear(GATE, 100, 'decided')]));
    const [one, two] = await Promise.all([
      audit(['notifications', path, '--format', 'json']),
      audit(['verify', path, '--format', 'json']),
    ]);
    expect(JSON.parse(one.out)).toEqual(JSON.parse(two.out));
  });
});

describe('bide-audit notifications', () => {
  async function bide(argv: readonly string[]): Promise<{ status: number; out: string }> {
    let out = '';
    const status = await bideMain(argv, {
      out: (text: string) => {
        out += text;
      },
      err: () => {},
      now: () => {
        throw new Error('the clock was read');
      },
      read: (path: string) => readFile(path),
      write: () => {},
    } as unknown as Parameters<typeof bideMain>[1]);
    return { status, out };
  }

  it('takes a bare file, and the report of section 15 is its report', async () => {
    const { status, out } = await bide(['notifications', '-json', '-pubkey', PUBKEY, file('bide.json', boundTrail(5))]);
    const { report } = JSON.parse(out) as { report: { format: string; bound: boolean } };
    expect([status, report.format, report.bound]).toEqual([0, 'bide-audit.notify-report.v1', true]);
  });

  test.each([
    [[], 3],
    [['-unbound'], 0],
    [['-unbound', '-now', at(400)], 0],
    [['-unbound', '-set', 'deadline=5'], 2],
    [['-unbound', '-now', 'today'], 2],
  ])('%j', async (flags, status) => {
    expect((await bide(['notifications', ...flags, '-trail', file('bide-gate.json', trail(gate))])).status).toBe(
      status,
    );
  });
});
