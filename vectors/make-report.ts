/**
 * Writes vectors/report/reading.json: parts of reports that are joined, and ones that a run did not write so; and what is told where a report
 * is past what a platform takes (interop 5). The answers stand here, written by hand.
 */
import type { Json } from '../conformance/suite.ts';
import { renderNdjson } from '../src/report/json.ts';
import { NO_TRUST } from '../src/trust/trust.ts';
import { assemble, type InputReport } from '../src/verify/report.ts';
import { givenBy, unreadableInput } from '../src/verify/verify.ts';
import { writeCases } from './place.ts';

const verified = (path: string): InputReport => ({
  ...unreadableInput(path, ''),
  result: 'verified',
  claims: [{ claim: 'integrity', verdict: 'verified', grade: 'rechecked', scope: '', detail: '' }],
  required: ['integrity'],
  findings: [],
});
const report = assemble([verified('a'), verified('b')], [], givenBy({ trust: NO_TRUST }));
const WHOLE = renderNdjson(report);
const [first = '', , summary = ''] = WHOLE.split('\n');

const cases: object[] = [];
const merged = (name: string, parts: readonly string[], status: number, ...codes: string[]) =>
  cases.push({ name: `merge, ${name}`, op: 'report/merge', params: { parts }, answer: { status, codes } });
merged('keeps: a whole run', [WHOLE], 0);
merged('keeps: a run twice', [WHOLE, WHOLE], 0);
merged('breaks: no summary', [`${first}\n`], 3, 'report/incomplete');
merged('breaks: a last line that is torn', [`${WHOLE}{"path":"c`], 3, 'report/incomplete');
merged('breaks: an input was taken out', [`${first}\n${summary}\n`], 4, 'report/disagrees');
merged(
  'breaks: a result was changed',
  [WHOLE.replace(`"verdict":"verified"`, `"verdict":"failed"`)],
  4,
  'report/disagrees',
);

const cut = (name: string, findings: number, shown: readonly [annotations: number, results: number], told: Json) =>
  cases.push({
    name: `cut, ${name}`,
    op: 'report/cut',
    params: { findings },
    answer: { annotations: shown[0], results: shown[1], told },
  });
cut('keeps: nine findings of a level', 9, [9, 9], { annotations: [], sarif: [] });
cut('breaks: ten findings of a level', 10, [9, 10], { annotations: ['report/truncated'], sarif: [] });
cut('keeps: as many results as SARIF takes', 5000, [9, 5000], { annotations: ['report/truncated'], sarif: [] });
cut('breaks: one result more', 5001, [9, 5000], { annotations: ['report/truncated'], sarif: ['report/truncated'] });

writeCases(
  'report/reading.json',
  'Reports that are joined again, and reports that are cut for a platform: status, codes, and what is told.',
  cases,
);
