/** `audit evidence emit` of a gate whose approvers sign with certificates, and what verifying the package then says. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import type { Report } from '../../src/verify/report.ts';
import { demo } from '../../vectors/bundle-scenes.ts';
import { audit } from './io.ts';

const folder = mkdtempSync(join(tmpdir(), 'audit-evidence-'));
afterAll(() => rmSync(folder, { recursive: true }));
for (const [path, bytes] of demo.files) {
  mkdirSync(dirname(join(folder, path)), { recursive: true });
  writeFileSync(join(folder, path), bytes);
}
const at = (name: string): string => join(folder, name);

it('discloses a gate of certificate-bound approvers; a head that the package cannot be held against leaves it open', async () => {
  const given = ['--journal', at('journal.json'), '--head', at('journal-head.json'), '--key', at('log.key')];
  const made = await audit(['evidence', 'emit', ...given, '--approvals', 'call_7', '--out', at('gate.json')], {
    clock: 1796000000000000000n,
  });
  expect([made.status, made.err]).toEqual([0, '']);
  writeFileSync(at('gate.json'), made.written.get(at('gate.json')) as string);
  const trusted = ['--trust', at('trust.json'), '--status', at('archive'), '--at', '2026-11-30T12:00:00Z'];
  for (const head of [[], ['--head', at('decisions-head.json')]]) {
    const ran = await audit(['verify', at('gate.json'), ...trusted, ...head, '--format', 'json']);
    const report = JSON.parse(ran.out) as Report;
    const codes = report.inputs.flatMap((input) => input.findings).filter((finding) => finding.class !== 'none');
    expect([ran.status, [...new Set(codes.map(({ code }) => code))]]).toEqual([3, ['identity/head-missing']]);
    const outcome = report.inputs[0]?.claims.find(({ claim }) => claim === 'outcome');
    expect(outcome?.verdict).toBe('verified');
  }
}, 30_000);
