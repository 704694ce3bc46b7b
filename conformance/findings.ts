/** Which of the project's own vectors produce which finding code, for `audit explain` and docs/findings.md, both written by `make results`. */
import type { CatalogueEntry } from '../src/finding/catalogue.ts';
import { OWN_VECTORS, openFolder } from './folder.ts';
import type { Json } from './suite.ts';

/** Names of cases listed for a code; the rest are counted. */
const LISTED = 3;

export interface Vectors {
  /** Cases whose answer holds the code. */
  readonly cases: number;
  /** The first of them: `session/reading.json: a case`. */
  readonly first: readonly string[];
}

/** Code to the vectors that produce it. The suites hold this build to the answers of its vectors, so these are what it rejects. */
export function vectorsByCode(codes: ReadonlySet<string>): ReadonlyMap<string, Vectors> {
  const found = new Map<string, { cases: number; first: string[] }>();
  const folder = openFolder(OWN_VECTORS);
  if (folder === undefined) return found;
  for (const file of folder.files().filter((name) => name.endsWith('.json'))) {
    const { cases } = folder.json(file) as { cases: readonly { readonly name: string; readonly answer: Json }[] };
    for (const { name, answer } of cases) {
      for (const code of new Set(codesIn(answer).filter((text) => codes.has(text)))) {
        const row = found.get(code) ?? { cases: 0, first: [] };
        row.cases++;
        if (row.first.length < LISTED) row.first.push(`${file}: ${name}`);
        found.set(code, row);
      }
    }
  }
  return new Map([...found].sort(([a], [b]) => (a < b ? -1 : 1)));
}

/** Everything in an answer that is spelled as a code, alone or before a place: `session/bad-entry 2 /name`. */
export function codesIn(answer: Json): readonly string[] {
  if (typeof answer === 'string')
    return [...answer.matchAll(/(?:^|(?<= ))[a-z0-9]+\/[a-z0-9-]+(?= |$)/g)].map(([code]) => code);
  if (answer === null || typeof answer !== 'object') return [];
  return Object.values(answer).flatMap((value: Json) => codesIn(value));
}

/** docs/findings.json: what `audit explain` shows beside the catalogue. */
export function findingsData(vectors: ReadonlyMap<string, Vectors>): string {
  return `${JSON.stringify(Object.fromEntries(vectors), null, 1)}\n`;
}

const RESULT = {
  not_verified: 'not verified, status 1',
  no_verdict: 'no verdict, status 3',
  unusable: 'unusable input, status 4',
  none: 'changes no result',
} as const;

/** docs/findings.md: the catalogue as a page. */
export function findingsPage(
  entries: ReadonlyMap<string, CatalogueEntry>,
  vectors: ReadonlyMap<string, Vectors>,
): string {
  const lines = [
    '# Findings',
    '',
    'Every code that the program can report, from the catalogue that `audit explain CODE` and the help of SARIF rules print too. Written by',
    '`make results`; never by hand.',
  ];
  let family = '';
  for (const [code, entry] of entries) {
    const [name = ''] = code.split('/');
    if (name !== family) lines.push('', `## ${name}`);
    family = name;
    const { cases, first } = vectors.get(code) ?? { cases: 0, first: [] };
    lines.push(
      '',
      `### ${code}`,
      '',
      `${entry.title}. (${entry.severity}; ${RESULT[entry.class]}; ${entry.rule})`,
      '',
      `- What it means: ${entry.means}`,
      `- Why it matters: ${entry.matters}`,
      `- Usual causes: ${entry.causes}`,
      `- What to do: ${entry.remedy}`,
    );
    if (cases > 0)
      lines.push(
        `- Vectors (${cases}): ${first.map((text) => `\`${text}\``).join('; ')}${cases > first.length ? '; …' : ''}`,
      );
  }
  return `${lines.join('\n')}\n`;
}
