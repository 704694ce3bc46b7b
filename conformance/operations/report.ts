/** What reports for other tools are made of (interop 5): workflow commands, columns, XML, URIs, fingerprints. */
import { utf8 } from '../../src/bytes/encoding.ts';
import { memorySource } from '../../src/bytes/source.ts';
import { readParts } from '../../src/corpus/merge.ts';
import type { Finding, FindingCode, Where } from '../../src/finding/finding.ts';
import { type Level, renderGithub, workflowCommand } from '../../src/report/github.ts';
import { artifactLocation, renderSarif } from '../../src/report/sarif.ts';
import { xmlAttribute, xmlContent } from '../../src/report/xml.ts';
import { NO_TRUST } from '../../src/trust/trust.ts';
import { allEntries } from '../../src/verify/catalogues.ts';
import { identify } from '../../src/verify/identity.ts';
import { locate } from '../../src/verify/locate.ts';
import { assemble, type InputReport } from '../../src/verify/report.ts';
import { givenBy, unreadableInput } from '../../src/verify/verify.ts';
import type { Json, Operation } from '../suite.ts';

const at = (where: Where, code = 'x/y', rule = ''): Finding => ({
  code: code as FindingCode,
  class: 'none',
  severity: 'note',
  message: '',
  where,
  rule,
  remedy: '',
});

interface Sarif {
  readonly runs: readonly {
    readonly tool: { readonly driver: { readonly notifications?: readonly { readonly id: string }[] } };
    readonly results: readonly unknown[];
  }[];
}

export const operations: Record<string, Operation> = {
  'report/workflow-command': ({ level, properties, message }) =>
    workflowCommand(
      level as Level,
      Object.entries((properties ?? {}) as Record<string, Json>).map(([name, value]) => [name, String(value)] as const),
      String(message),
    ),
  /** The column, in UTF-16 code units, of the byte at which a text stands in a line. */
  'report/column': ({ line, find }) => {
    const text = String(line);
    const byte = utf8(text.slice(0, text.indexOf(String(find)))).length;
    const [found] = locate(memorySource(utf8(text)), [at({ byte })]);
    return { column: found?.where.column ?? null, byte };
  },
  /** Parts of runs, JSON or NDJSON, joined: the status and the codes about the run. */
  'report/merge': ({ parts }) => {
    const given = (parts as readonly Json[]).map((text, i) => ({ path: `part ${i}`, bytes: utf8(String(text)) }));
    const { status, findings } = readParts(given);
    return { status, codes: findings.map(({ code }): string => code) };
  },
  /** Of so many findings in one input: how many annotations and SARIF results name one, and what else is told. */
  'report/cut': async ({ findings: count }) => {
    const findings = Array.from({ length: Number(count) }, (_, i) => at({ line: i + 1 }, 'session/id-mismatch'));
    const one: InputReport = { ...unreadableInput('x', ''), findings: identify('x', findings) };
    const report = assemble([one], [], givenBy({ trust: NO_TRUST }));
    const notices = renderGithub(report).split('\n');
    const [log] = (JSON.parse(renderSarif(report, await allEntries())) as Sarif).runs;
    return {
      annotations: notices.filter((line) => line.includes('title=session/id-mismatch')).length,
      results: log?.results.length ?? 0,
      told: {
        annotations: notices.flatMap((line) => /title=(report\/[a-z-]+)/.exec(line)?.[1] ?? []),
        sarif: (log?.tool.driver.notifications ?? []).map(({ id }) => id),
      },
    };
  },
  'report/xml': ({ text }) => ({ attribute: xmlAttribute(String(text)), content: xmlContent(String(text)) }),
  'report/uri': ({ path }) => artifactLocation(String(path)).uri,
  'report/fingerprint': ({ parts }) => {
    const [path, code, rule, anchor] = (parts as readonly Json[]).map(String) as [string, string, string, string];
    const [kind, value] = [anchor.slice(0, anchor.indexOf(':')), anchor.slice(anchor.indexOf(':') + 1)];
    const where = kind === 'line' ? { line: Number(value) } : { [kind]: value };
    return identify(path, [at(where, code, rule)])[0]?.fingerprint ?? null;
  },
};
