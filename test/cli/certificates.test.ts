/** `audit approvals` and `audit verify` of a run whose approvers sign with certificates, with files on disk. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { digestOf } from '../../src/identity/digests.ts';
import { encodeExport } from '../../src/journal/export.ts';
import { encode } from '../../src/json/shape.ts';
import { headShape } from '../../src/log/head.ts';
import { RUN } from '../identity/bank.ts';
import { listed, makeRun, trustOf } from '../identity/run.ts';
import { audit } from './io.ts';

let folder = '';
const at = (name: string) => join(folder, name);
const AT = '2026-10-14T13:00:00Z';

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'audit-certificates-'));
  const run = makeRun();
  writeFileSync(at('run.json'), encodeExport(RUN, run.records));
  writeFileSync(at('head.json'), encode(headShape, run.head));
  writeFileSync(at('trust.json'), JSON.stringify(trustOf()));
  mkdirSync(at('archive'));
  for (const der of listed()) writeFileSync(join(at('archive'), digestOf(der)), der);
});
afterAll(() => rmSync(folder, { recursive: true }));

const given = (command: string) => [
  command,
  at('run.json'),
  '--trust',
  at('trust.json'),
  '--status',
  at('archive'),
  '--head',
  at('head.json'),
  '--at',
  AT,
];

describe('approvers who sign with certificates', () => {
  it('are judged by "audit approvals" with a head and a status archive', async () => {
    const { status, out } = await audit(given('approvals'));
    expect(status, out).toBe(0);
    expect(out).toContain('2 logclock-final');
    const json = await audit([...given('approvals'), '--format', 'json']);
    const report = JSON.parse(json.out) as {
      inputs: { timeline: { type: string; text: string }[]; not_supplied: string[] }[];
    };
    const rows = report.inputs[0]?.timeline.filter(({ type }) => type === 'identity') ?? [];
    expect(rows.map(({ text }) => text.split(':')[0])).toEqual([
      'alice (alice@bank.example)',
      'bob (bob@bank.example)',
    ]);
    expect(report.inputs[0]?.not_supplied.some((text) => text.startsWith('later revocation lists'))).toBe(true);
  });

  it('are judged by "audit verify" as a part of the journal', async () => {
    const { status, out } = await audit([...given('verify'), '--require', 'approvals', '--format', 'json']);
    const report = JSON.parse(out) as { inputs: { claims: { claim: string; verdict: string }[] }[] };
    expect(report.inputs[0]?.claims.find(({ claim }) => claim === 'approvals')?.verdict, out).toBe('verified');
    expect(status).toBe(0);
  });

  it('are open without the archive of the head, and say what is missing', async () => {
    const { status, out } = await audit([
      'approvals',
      at('run.json'),
      '--trust',
      at('trust.json'),
      '--at',
      AT,
      '--format',
      'text',
    ]);
    expect(status).toBe(3);
    expect(out).toContain('a signed head of run "run-1" of size');
  });
});
