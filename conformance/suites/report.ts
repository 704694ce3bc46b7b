/** Escapes, columns, XML, URIs and fingerprints of reports for other tools (interop 5). */
import { equals, type Json, type Suite } from '../suite.ts';

type Row = Readonly<Record<string, Json>>;
const NAMES = ['workflowCommands', 'columns', 'xml', 'uris', 'fingerprints'] as const;
type Rows = Readonly<Record<(typeof NAMES)[number], readonly Row[]>>;

const QUESTION: Readonly<Record<(typeof NAMES)[number], (row: Row) => { op: string; params: Row; answer: Json }>> = {
  workflowCommands: ({ line, ...params }) => ({ op: 'report/workflow-command', params, answer: line as Json }),
  columns: ({ line, find, utf16CodeUnits, utf8ByteOffset }) => ({
    op: 'report/column',
    params: { line: line as Json, find: find as Json },
    answer: { column: utf16CodeUnits as Json, byte: utf8ByteOffset as Json },
  }),
  xml: ({ text, attribute, content }) => ({
    op: 'report/xml',
    params: { text: text as Json },
    answer: { attribute: attribute as Json, content: content as Json },
  }),
  uris: ({ path, uri }) => ({ op: 'report/uri', params: { path: path as Json }, answer: uri as Json }),
  fingerprints: ({ parts, fingerprint }) => ({
    op: 'report/fingerprint',
    params: { parts: parts as Json },
    answer: fingerprint as Json,
  }),
};

export const suites: readonly Suite[] = [
  {
    name: 'interop/reports',
    folder: 'interop',
    *cases(folder) {
      const rows = folder.json('reports.json') as Rows;
      for (const name of NAMES)
        for (const [i, row] of rows[name].entries()) {
          const { op, params, answer } = QUESTION[name](row);
          yield { name: `${name} ${i + 1}`, op, params, expect: equals(answer) };
        }
    },
  },
];
