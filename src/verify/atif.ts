/** Kind `atif`: an ATIF document, by its schema, by its rules, and by the raw items that it carries (atif-export 3, 11.1). */

import { checkAgreement } from '../atif/agreement.ts';
import { catalogue as atif, violationFinding } from '../atif/catalogue.ts';
import type { AtifDocument } from '../atif/document.ts';
import { readAtif, schemaProblem } from '../atif/read.ts';
import { MAX_EMBEDDING } from '../atif/rules.ts';
import type { Claim, Finding, Missing, Verdict } from '../finding/finding.ts';
import { counted } from '../finding/words.ts';
import { claimOf, tooLargeOutcome, unreadOutcome, wholeInput } from './artifact.ts';
import type { KindVerifier, Outcome, Prefix } from './kind.ts';
import { topFormat } from './topFormat.ts';

const REQUIRED = ['schema', 'rules'] as const;

export const verifier: KindVerifier = {
  kind: 'atif',
  detect: isAtif,
  verify(input): Outcome {
    const bytes = wholeInput(input);
    if (bytes === undefined) return tooLargeOutcome(REQUIRED);
    const { document, rules, findings: text } = readAtif(bytes);
    if (document === undefined || rules === undefined) return unreadOutcome(text, REQUIRED);
    const findings: Finding[] = [...text, ...rules.violations.map(violationFinding)];
    if (rules.tooDeep !== undefined)
      findings.push(
        atif.find('atif/embedding-depth', `documents are embedded more than ${MAX_EMBEDDING} levels deep`, {
          where: { pointer: rules.tooDeep },
          expected: `at most ${MAX_EMBEDDING} levels`,
        }),
      );
    const refused = schemaProblem(document, rules);
    if (refused !== undefined && rules.tooDeep === undefined)
      findings.push(
        atif.find('atif/schema', `the schema of ATIF v1.8 refuses the document: ${refused.message}`, {
          where: { pointer: refused.pointer },
        }),
      );
    // Undeclared members are the schema's to refuse; every other rule is one of a document that may be written.
    const broken = rules.violations.filter(({ rule }) => rule !== 'V22').length;
    const isAmbiguous = text.length > 0;
    const verdictOf = (fails: boolean): Verdict =>
      fails || isAmbiguous ? 'failed' : rules.tooDeep !== undefined ? 'undecided' : 'verified';
    const [schema, kept] = [verdictOf(refused !== undefined && rules.tooDeep === undefined), verdictOf(broken > 0)];
    const scope = `${counted(rules.documents, 'document')} with ${counted(rules.steps, 'step')}`;
    const items = itemsOf(document, broken === 0 && !isAmbiguous && rules.tooDeep === undefined);
    return {
      subject: subjectOf(document),
      counts: {
        documents: rules.documents,
        steps: rules.steps,
        items: items.count,
        broken_rules: rules.violations.length + rules.unlisted,
      },
      claims: [
        claimOf('schema', schema, scope, SCHEMA[schema]),
        claimOf(
          'rules',
          kept,
          scope,
          kept === 'failed' ? brokenText(broken + rules.unlisted, isAmbiguous) : RULES[kept],
        ),
        items.claim,
      ],
      required: REQUIRED,
      findings: [...findings, ...items.findings],
      missing: [
        ...[schema, kept].flatMap((verdict, i): readonly Missing[] =>
          verdict === 'undecided'
            ? [
                {
                  claim: REQUIRED[i] as string,
                  item: `a document that embeds others at most ${MAX_EMBEDDING} levels deep`,
                  who: 'whoever produced it',
                  from: null,
                },
              ]
            : [],
        ),
        ...items.missing,
      ],
      notSupplied: ['the session that the document was exported from, which alone proves that a run went so'],
    };
  },
};

const SCHEMA: Readonly<Record<Verdict, string>> = {
  verified: 'the published schema takes the document',
  failed: 'the published schema refuses the document, or two readers may read it differently',
  undecided: 'the document is not read to its depth',
};
const RULES = {
  verified: 'every rule that goes beyond the schema is kept as well',
  undecided: 'the document is not read to its depth',
} as const;

function brokenText(broken: number, isAmbiguous: boolean): string {
  if (broken === 0 && isAmbiguous) return 'a member name stands twice in one object';
  return `the rules are broken in ${counted(broken, 'place')}`;
}

function subjectOf({ schema_version: format, session_id: session, trajectory_id: trajectory, agent }: AtifDocument) {
  const text = (value: unknown): string | null => (typeof value === 'string' ? value : null);
  return { format: text(format), session: text(session), trajectory: text(trajectory), agent: text(agent?.name) };
}

interface Items {
  readonly count: number;
  readonly claim: Claim;
  readonly findings: readonly Finding[];
  readonly missing: readonly Missing[];
}

/** Whether the steps say what the raw items beside them say. Only a document that keeps the rules is asked. */
function itemsOf(document: AtifDocument, isWhole: boolean): Items {
  const missing = (item: string): readonly Missing[] => [
    { claim: 'items', item, who: 'whoever exported the run', from: null },
  ];
  if (!isWhole)
    return {
      count: 0,
      claim: claimOf('items', 'undecided', 'nothing', 'the document breaks a rule, so its items were not looked at'),
      findings: [],
      missing: missing('a document that keeps the rules'),
    };
  const { findings, unlisted, withItems, steps, items } = checkAgreement(document);
  const scope = `${withItems} of ${counted(steps, 'step')}`;
  if (items === 0)
    return {
      count: 0,
      claim: claimOf('items', 'undecided', scope, 'the document carries no raw items'),
      findings,
      missing: missing('an export with its raw items'),
    };
  const failed = findings.length > 0;
  const detail = failed
    ? `steps and raw items disagree in ${counted(findings.length + unlisted, 'place')}`
    : withItems === steps
      ? 'every step says what the raw items beside it say'
      : 'the steps that carry raw items say what these say; the others rest on their producer’s word';
  return {
    count: items,
    claim: claimOf('items', failed ? 'failed' : 'verified', scope, detail),
    findings,
    missing: [],
  };
}

/** Whether the outermost object names a version of ATIF, or names none and has the members that every document has. */
function isAtif({ text }: Prefix): boolean {
  if (!/^\s*\{/.test(text)) return false;
  const version = topFormat(text, 'schema_version');
  if (version !== undefined) return /^ATIF/i.test(version);
  return ['"steps"', '"step_id"', '"agent"'].every((name) => text.includes(name));
}
