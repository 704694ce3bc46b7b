/** What reports for other tools are made of (interop 5): workflow commands, columns, XML, URIs, fingerprints. */
import { utf8 } from '../../src/bytes/encoding.ts';
import { memorySource } from '../../src/bytes/source.ts';
import type { Finding, FindingCode, Where } from '../../src/finding/finding.ts';
import { type Level, workflowCommand } from '../../src/report/github.ts';
import { artifactLocation } from '../../src/report/sarif.ts';
import { xmlAttribute, xmlContent } from '../../src/report/xml.ts';
import { identify } from '../../src/verify/identity.ts';
import { locate } from '../../src/verify/locate.ts';
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
  'report/xml': ({ text }) => ({ attribute: xmlAttribute(String(text)), content: xmlContent(String(text)) }),
  'report/uri': ({ path }) => artifactLocation(String(path)).uri,
  'report/fingerprint': ({ parts }) => {
    const [path, code, rule, anchor] = (parts as readonly Json[]).map(String) as [string, string, string, string];
    const [kind, value] = [anchor.slice(0, anchor.indexOf(':')), anchor.slice(anchor.indexOf(':') + 1)];
    const where = kind === 'line' ? { line: Number(value) } : { [kind]: value };
    return identify(path, [at(where, code, rule)])[0]?.fingerprint ?? null;
  },
};
