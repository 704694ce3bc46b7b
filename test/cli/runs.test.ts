import { createHash } from 'node:crypto';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { runJobs } from '../../src/corpus/run.ts';
import { REQUIRING_KINDS } from '../../src/trust/read.ts';
import type { Kind } from '../../src/verify/kind.ts';
import type { InputReport, Report } from '../../src/verify/report.ts';
import { Draft, message } from '../session/draft.ts';
import { audit } from './io.ts';

const folder = mkdtempSync(join(tmpdir(), 'audit-runs-'));
afterAll(() => rmSync(folder, { recursive: true }));

function file(name: string, text: string): string {
  const path = join(folder, name);
  writeFileSync(path, text);
  return path;
}

function draft(text: string): Draft {
  const session = new Draft();
  session.item(message(text));
  return session;
}
const good = file('good.jsonl', draft('hello').text());
const bad = file('bad.jsonl', draft('hello').text().replace('"hello"', '"jello"'));
const export1 = '{"format":"bide.audit.journal-export.v1"}';

const codesOf = (out: string) => (JSON.parse(out) as Report).findings.map(({ code }) => code);
const rows = async (...argv: string[]) => (await audit(['verify', '--format', 'ndjson', ...argv])).out;

describe('a run that goes on from an earlier report', () => {
  it('takes over what was reported of the same content under the same options, and says so', async () => {
    const earlier = file('same.ndjson', await rows(good));
    const ran = await audit(['verify', good, '--format', 'ndjson', '--resume', earlier]);
    expect(ran.status).toBe(0);
    expect(ran.err).toContain('1 of 1 reports were taken over');
    expect(ran.out).toBe(await rows(good));
  });
  it('verifies again where more is required, expected or given now', async () => {
    const earlier = file('less.ndjson', await rows(good));
    expect((await audit(['verify', good, '--resume', earlier, '--require', 'authorship'])).status).toBe(3);
    expect((await audit(['verify', good, '--resume', earlier, '--expect-id', `sha256:${'0'.repeat(64)}`])).status).toBe(
      1,
    );
    const trust = file('needs.json', '{"format":"audit.trust.v1","requirements":{"session":["completeness"]}}');
    expect((await audit(['verify', good, '--resume', earlier, '--trust', trust])).status).toBe(3);
  });
  it('verifies again where a media file is another now', async () => {
    const name = createHash('sha256').update('a picture').digest('hex');
    const pictured = new Draft({ media: 'sidecar' });
    pictured.item(message('look', `sidecar:sha256:${name}`));
    const path = file('pictured.jsonl', pictured.text());
    const picture = file(name, 'a picture');
    const earlier = file('pictured.ndjson', await rows(path, '--media-dir', picture));
    const again = ['verify', path, '--resume', earlier, '--media-dir', picture];
    expect([(await audit(again)).status, (await audit(again)).err]).toEqual([0, expect.stringContaining('1 of 1')]);
    file(name, 'another picture');
    expect((await audit(again)).status).toBe(1);
  });
  it('does not take over a report whose result does not follow from what it holds', async () => {
    const [row = ''] = (await rows(bad)).split('\n');
    const report = JSON.parse(row) as InputReport;
    for (const result of ['verified', 'no such result', 'no_verdict']) {
      const earlier = file('forged.ndjson', `${JSON.stringify({ ...report, result })}\n`);
      expect((await audit(['verify', bad, '--resume', earlier])).status).toBe(1);
    }
  });
});

describe('reports that are read back', () => {
  it('join to the status of one run over all', async () => {
    const parts = [file('p1.ndjson', await rows(good)), file('p2.ndjson', await rows(bad))];
    const { status, out } = await audit(['merge', ...parts]);
    expect(status).toBe(1);
    const whole = await audit(['verify', '--format', 'json', bad, good]);
    expect((JSON.parse(out) as Report).inputs).toEqual((JSON.parse(whole.out) as Report).inputs);
  });
  it('are not verified where the summary of a run is missing or its last line is torn', async () => {
    const text = await rows(good, bad);
    const [first = ''] = text.split('\n');
    const cut = await audit(['merge', file('cut.ndjson', `${first}\n`)]);
    expect([cut.status, codesOf(cut.out)]).toEqual([3, ['report/incomplete']]);
    expect((await audit(['merge', file('torn.ndjson', `${first}\n{"path":"bad`)])).status).toBe(3);
  });
  it('are unusable where an input was taken out, or a result was changed', async () => {
    const lines = (await rows(good, bad)).trimEnd().split('\n');
    const out = file('out.ndjson', `${lines[0]}\n${lines[2]}\n`);
    const merged = await audit(['merge', out]);
    expect([merged.status, codesOf(merged.out)]).toEqual([4, ['report/disagrees']]);
    const changed = file(
      'changed.ndjson',
      `${lines.join('\n').replaceAll('"result":"not_verified"', '"result":"verified"')}\n`,
    );
    expect((await audit(['merge', changed])).status).toBe(4);
  });
  it('are not rendered where they do not agree with themselves', async () => {
    const { out } = await audit(['verify', '--format', 'json', bad]);
    expect((await audit(['render', file('whole.json', out)])).status).toBe(1);
    const report = JSON.parse(out) as Report;
    for (const forged of [
      { ...report, result: 'verified', status: 0 },
      { ...report, status: 0 },
      { ...report, inputs: [], result: 'verified', status: 0 },
    ])
      expect((await audit(['render', file('forged.json', JSON.stringify(forged))])).status).toBe(4);
  });
});

describe('what a run was asked for and cannot answer', () => {
  it('is unusable for a folder in which nothing is recognised, whatever else is verified', async () => {
    const unknown = join(folder, 'unknown');
    const empty = join(folder, 'empty');
    mkdirSync(unknown);
    mkdirSync(empty);
    writeFileSync(join(unknown, 'a.txt'), 'hello');
    expect((await audit(['verify', good])).status).toBe(0);
    expect((await audit(['verify', good, unknown])).status).toBe(4);
    expect((await audit(['verify', good, empty])).status).toBe(4);
    const nested = join(folder, 'outer', 'inner');
    mkdirSync(nested, { recursive: true });
    writeFileSync(join(nested, 's.jsonl'), draft('inside').text());
    expect((await audit(['verify', join(folder, 'outer'), nested])).status).toBe(0);
  });
  it('counts links among what is left out of a folder: they are not followed', async () => {
    const linked = join(folder, 'linked');
    mkdirSync(join(linked, '.hidden'), { recursive: true });
    writeFileSync(join(linked, 's.jsonl'), draft('real').text());
    symlinkSync(bad, join(linked, 'link.jsonl'));
    const { out } = await audit(['verify', linked, '--format', 'json']);
    expect((JSON.parse(out) as Report).totals).toMatchObject({ inputs: 1, verified: 1, left_out: 2 });
  });
  it('is one unusable input for a path that the system refuses, however many others there are', async () => {
    const refused = ['a'.repeat(5000), join(good, 'below-a-file')];
    const done: string[] = [];
    const jobs = [...refused, good].map((path) => ({ path, walked: false }));
    const setting = { trust: [], heads: [], companions: [], media: [], siblings: [], named: [], expectIds: [] };
    for await (const { counted } of runJobs(jobs, setting)) done.push(counted.result);
    expect(done).toEqual(['unusable_input', 'unusable_input', 'verified']);
  });
  it('has no verdict for an expected id where the kind of the input has none', async () => {
    const journal = file('journal.json', export1);
    const { out } = await audit(['verify', journal, '--expect-id', 'x', '--format', 'json']);
    const codes = (JSON.parse(out) as Report).inputs[0]?.findings.map(({ code }) => code);
    expect(codes).toContain('input/expectation-unchecked');
  });
  it('refuses requirements of a kind that there is not, and empty ones', async () => {
    for (const requirements of ['{"sesion":["completeness"]}', '{"session":[]}']) {
      const trust = file('slip.json', `{"format":"audit.trust.v1","requirements":${requirements}}`);
      expect((await audit(['verify', good, '--trust', trust])).status).toBe(4);
    }
    const kinds: readonly Kind[] = REQUIRING_KINDS;
    const all: Readonly<Record<Kind, true>> = Object.fromEntries(kinds.map((kind) => [kind, true])) as Record<
      (typeof REQUIRING_KINDS)[number],
      true
    >;
    expect(Object.keys(all).length).toBe(REQUIRING_KINDS.length);
  });
});
