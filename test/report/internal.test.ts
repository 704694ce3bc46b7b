/** What is reported when the program itself fails, when an input is past what is read, and when a report is past what a platform takes. */
import { describe, expect, it } from 'vitest';
import { memorySource } from '../../src/bytes/source.ts';
import type { Finding } from '../../src/finding/finding.ts';
import { renderGithub } from '../../src/report/github.ts';
import { MAX_RESULTS, renderSarif } from '../../src/report/sarif.ts';
import { NO_TRUST } from '../../src/trust/trust.ts';
import { allEntries } from '../../src/verify/catalogues.ts';
import type { KindVerifier } from '../../src/verify/kind.ts';
import { assemble } from '../../src/verify/report.ts';
import { givenBy, unreadableInput, verifyInput } from '../../src/verify/verify.ts';
import { sarifFaults } from './readers.ts';

const given = givenBy({ trust: NO_TRUST });
const finding = (i: number): Finding => ({
  code: 'session/id-mismatch',
  class: 'not_verified',
  severity: i % 2 === 0 ? 'error' : 'warning',
  message: 'the id does not match',
  where: { line: i + 1 },
  rule: 'session-format 4.4',
  remedy: 'Compare.',
});
const kind = (verify: KindVerifier['verify']): KindVerifier => ({ kind: 'session', detect: () => true, verify });
const input = { path: 'x', source: memorySource(new Uint8Array(1)) };

describe('a check that stops in a way that was not foreseen', () => {
  it('gives no verdict, is told, and makes the run no success to SARIF', async () => {
    const report = await verifyInput(
      input,
      { trust: NO_TRUST },
      kind(() => {
        throw new RangeError('boom');
      }),
    );
    expect(report).toMatchObject({ result: 'no_verdict', findings: [{ code: 'input/internal-error' }] });
    const whole = assemble([report], [], given);
    expect(whole.status).toBe(3);
    const log = JSON.parse(renderSarif(whole, await allEntries())) as Sarif;
    expect(log.runs[0]?.invocations[0]).toMatchObject({ executionSuccessful: false, exitCode: 3 });
    expect(renderGithub(whole)).toContain('::error file=x,title=input/internal-error::');
  });
});

describe('an input whose bytes end before its size', () => {
  it('is unreadable, wherever a check meets the end', async () => {
    const bytes = new TextEncoder().encode('{"type":"session","format":"agentsession/0.14"}\n');
    for (const had of [0, 5, bytes.length]) {
      const source = {
        size: 1 << 20,
        read: (at: number, length: number) => bytes.subarray(at, Math.min(had, at + length)),
      };
      const report = await verifyInput({ path: 'x', source }, { trust: NO_TRUST });
      expect(report).toMatchObject({ result: 'unusable_input', findings: [{ code: 'input/unreadable' }] });
    }
  });
});

describe('an input past the limit', () => {
  it('is unusable, and no result of SARIF but a notification', async () => {
    const report = assemble([unreadableInput('x', 'it has 9 bytes more', 'input/too-large')], [], given);
    expect([report.status, report.inputs[0]?.findings[0]?.code]).toEqual([4, 'input/too-large']);
    const log = JSON.parse(renderSarif(report, await allEntries())) as Sarif;
    expect(log.runs[0]?.results).toEqual([]);
    expect(log.runs[0]?.invocations[0]?.toolExecutionNotifications).toMatchObject([
      { descriptor: { id: 'input/too-large' } },
    ]);
    expect(log.runs[0]?.tool.driver.notifications?.map(({ id }) => id)).toEqual(['input/too-large']);
  });
});

describe('a report past what platforms take', async () => {
  const report = await verifyInput(
    input,
    { trust: NO_TRUST },
    kind(() => ({
      subject: {},
      counts: {},
      claims: [],
      required: [],
      findings: Array.from({ length: MAX_RESULTS + 11 }, (_, i) => finding(i)),
      missing: [],
    })),
  );
  const whole = assemble([report], [], given);

  it('is cut in SARIF, the least severe first, and says so', async () => {
    const log = JSON.parse(renderSarif(whole, await allEntries())) as Sarif;
    const [run] = log.runs;
    expect(sarifFaults(log)).toBeUndefined();
    expect(run?.results.length).toBe(MAX_RESULTS);
    expect(run?.results.filter(({ level }) => level === 'error').length).toBe((MAX_RESULTS + 12) / 2);
    const told = run?.invocations[0]?.toolExecutionNotifications.find(
      ({ descriptor }) => descriptor.id === 'report/truncated',
    );
    expect(told?.message.text).toContain('11 results');
    expect(run?.invocations[0]?.exitCode).toBe(1);
  });

  it('is cut in annotations to nine of a level and one that says how many more', () => {
    const lines = renderGithub(whole).split('\n');
    expect(lines.filter((line) => line.startsWith('::error')).length).toBe(10);
    expect(lines.filter((line) => line.startsWith('::warning')).length).toBe(10);
    expect(lines.find((line) => line.includes('title=report/truncated'))).toContain(
      `${(MAX_RESULTS + 12) / 2 - 9} more`,
    );
  });
});

interface Sarif {
  readonly runs: readonly {
    readonly tool: { readonly driver: { readonly notifications?: readonly { readonly id: string }[] } };
    readonly results: readonly { readonly level: string }[];
    readonly invocations: readonly {
      readonly exitCode: number;
      readonly toolExecutionNotifications: readonly {
        readonly descriptor: { readonly id: string };
        readonly message: { readonly text: string };
      }[];
    }[];
  }[];
}
