/** A broken file on a terminal of 80 x 24: the line, expected, actual and the next command are on one screen. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { OWN_VECTORS, openFolder } from '../../conformance/folder.ts';
import { FORMATS } from '../../src/report/format.ts';
import { audit } from '../cli/io.ts';
import { corpus } from '../corpus.ts';

const folder = mkdtempSync(join(tmpdir(), 'audit-screen-'));
afterAll(() => rmSync(folder, { recursive: true }));
const reports = await corpus();
const rows = (text: string): number =>
  text
    .trimEnd()
    .split('\n')
    .reduce((sum, line) => sum + Math.max(1, Math.ceil(line.length / 80)), 0);

describe('audit verify on a broken file, on a terminal of 80 x 24', () => {
  it('puts line, expected, actual and the next command on one screen, with a row for the prompt', async () => {
    const broken = reports.filter(
      ({ report }) => report.inputs[0]?.kind === 'session' && report.result === 'not_verified',
    );
    expect(broken.length).toBeGreaterThan(10);
    const faults: string[] = [];
    for (const { given, report } of broken) {
      const path = join(folder, 's.jsonl');
      writeFileSync(path, given.bytes);
      const { out, status } = await audit(['verify', path], { terminal: true, env: { NO_COLOR: '1' } });
      const shown = out.replaceAll(folder, '.');
      const [first] = report.inputs[0]?.findings.filter((finding) => finding.class !== 'none') ?? [];
      if (status !== 1) faults.push(`${given.path}: status ${status}`);
      if (rows(shown) > 23) faults.push(`${given.path}: ${rows(shown)} rows\n${shown}`);
      if (first?.where.line !== undefined && !shown.replace(/\n\s*/g, ' ').includes(`line ${first.where.line}`))
        faults.push(`${given.path}: no line`);
      if (first?.expected !== undefined && !shown.includes('    expected  ')) faults.push(`${given.path}: no expected`);
      if (first?.actual !== undefined && !shown.includes('    actual    ')) faults.push(`${given.path}: no actual`);
      if (!shown.includes(`next        audit explain ${first?.code}`)) faults.push(`${given.path}: no next command`);
    }
    expect(faults).toEqual([]);
  });

  it('prints every finding of a file in the log of a job, where nothing scrolls away', async () => {
    const many = reports.find(
      ({ report }) => (report.inputs[0]?.findings.filter((f) => f.class !== 'none').length ?? 0) > 2,
    );
    if (many === undefined) throw new Error('no report with three findings');
    const path = join(folder, 's.jsonl');
    writeFileSync(path, many.given.bytes);
    const { out } = await audit(['verify', path, '--format', 'text', '--at', '2026-11-30T12:00:00Z']);
    expect(out.match(/ {4}\S+\/\S+ \(.*\) [0-9a-f]{12}/g)?.length).toBeGreaterThan(2);
  });
});

describe('audit render', () => {
  it('gives the bytes of the run, in every format', async () => {
    const vectors = openFolder(OWN_VECTORS);
    if (vectors === undefined) throw new Error('the project has no vectors');
    const { cases } = vectors.json('session/records.json') as {
      cases: { params: { file: string } }[];
    };
    const paths = cases.slice(0, 12).map(({ params }, i) => {
      const path = join(folder, `${i}.jsonl`);
      writeFileSync(path, params.file);
      return path;
    });
    const verify = ['verify', ...paths, '--at', '2026-11-30T12:00:00Z'];
    const report = join(folder, 'report.json');
    writeFileSync(report, (await audit([...verify, '--format', 'json'])).out);
    for (const format of FORMATS.filter((name) => name !== 'html')) {
      const [ran, rendered] = [
        await audit([...verify, '--format', format]),
        await audit(['render', report, '--format', format]),
      ];
      // `under` says which options a run was made under, for --resume to take over rows of that run and of no other.
      const out = ran.out.replace(/,"under":"[0-9a-f]{64}"/g, '');
      expect([format, rendered.out === out, rendered.status]).toEqual([format, true, ran.status]);
      expect(ran.out.length).toBeGreaterThan(100);
    }
    const [ran, rendered] = [
      await audit([...verify, '--format', 'sarif=a', '--format', 'junit=b', '--format', 'github=c']),
      await audit(['render', report, '--format', 'sarif=a', '--format', 'junit=b', '--format', 'github=c']),
    ];
    expect([...rendered.written].flat().join('\n') === [...ran.written].flat().join('\n')).toBe(true);
    expect(ran.written.size).toBe(3);
  });
});
