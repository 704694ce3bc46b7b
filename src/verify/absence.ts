/** Kind `absence`: a key is not in a signed key set of a run (audit spec 4.5). A journal beside it shows whether the set was projected honestly. */
import { checkAbsence } from '../evidence/absence.ts';
import { catalogue as evidence } from '../evidence/catalogue.ts';
import { keySetOf, projectionFindings } from '../evidence/keySets.ts';
import { absenceShape } from '../evidence/shapes.ts';
import type { Claim, Verdict } from '../finding/finding.ts';
import { authorshipClaim, authorshipMissing, claimOf, headChecker, isOfFamily, readAs } from './artifact.ts';
import { journalBeside } from './beside.ts';
import { headTime } from './headTime.ts';
import type { KindVerifier, Outcome } from './kind.ts';
import { besideHead } from './otherStatements.ts';

const REQUIRED = ['authorship', 'absence'] as const;

export const verifier: KindVerifier = {
  kind: 'absence',
  detect: (prefix) => isOfFamily(prefix, 'bide.audit.absence'),
  async verify(input, context): Promise<Outcome> {
    const read = readAs(absenceShape, input, REQUIRED);
    if (!read.ok) return read.outcome;
    const bundle = read.value;
    const { sth } = bundle;
    const heads = headChecker(context);
    const set = keySetOf(bundle.absence.key);
    const report =
      set === undefined
        ? {
            findings: [
              evidence.find('evidence/unknown-key-set', 'the key belongs to no set that is known here', {
                where: { pointer: '/absence/key' },
                actual: bundle.absence.key,
              }),
              ...heads.check(sth, { pointer: '/sth' }).findings,
            ],
            authorship: heads.check(sth, { pointer: '/sth' }).authorship,
            absence: 'undecided' as const,
          }
        : checkAbsence(bundle, set, heads);
    const beside = set === undefined ? undefined : journalBeside(context, sth.run_id);
    const projected =
      beside === undefined || set === undefined
        ? []
        : projectionFindings(beside.value, set, sth, { part: beside.path });
    const findings = [...report.findings, ...projected];
    const time = await headTime(sth, findings, context);
    const others = besideHead(sth, report.authorship, context);
    const covered = `the first ${sth.journal?.size ?? 0} records of run ${JSON.stringify(bundle.run_id)}`;
    return {
      subject: {
        format: bundle.format,
        run: bundle.run_id,
        key: bundle.absence.key,
        keys: sth.size,
        journal_size: sth.journal?.size ?? null,
      },
      counts: { keys: sth.size, heads: 1 },
      claims: [
        authorshipClaim(sth, report.authorship, heads.hasKey),
        claimOf(
          'absence',
          report.absence,
          `${JSON.stringify(bundle.absence.key)} in the keys of ${covered}`,
          report.absence === 'verified'
            ? 'the neighbours stand next to each other and the key is not between them'
            : report.absence === 'failed'
              ? 'the key is not shown to be absent'
              : 'which set the key belongs to is not known',
        ),
        projectionClaim(
          beside === undefined ? undefined : projected.length === 0 ? 'verified' : projectedVerdict(projected),
          covered,
        ),
        time.claim,
        ...others.claims,
      ],
      required: REQUIRED,
      findings: [...findings, ...time.findings, ...others.findings],
      missing: [
        ...authorshipMissing(report.authorship, heads.hasKey),
        ...(report.absence === 'undecided'
          ? [{ claim: 'absence', item: 'a bundle for a key of a known set', who: 'whoever made the proof', from: null }]
          : []),
        ...(beside === undefined
          ? [
              {
                claim: 'projection',
                item: `the journal export of run ${JSON.stringify(sth.run_id)}`,
                who: 'the keeper of the journal',
                from: null,
              },
            ]
          : []),
        ...time.missing,
        ...others.missing,
      ],
      notSupplied: others.notSupplied,
    };
  },
};

function projectedVerdict(findings: readonly { readonly class: string }[]): Verdict {
  return findings.some((finding) => finding.class === 'not_verified') ? 'failed' : 'undecided';
}

/** That the signer took the keys from the journal honestly: its word, unless the journal is at hand. */
function projectionClaim(verdict: Verdict | undefined, covered: string): Claim {
  if (verdict === undefined)
    return {
      claim: 'projection',
      verdict: 'undecided',
      grade: 'asserted',
      scope: covered,
      detail: 'that the set holds every key of the journal is the word of the signer',
    };
  return claimOf(
    'projection',
    verdict,
    covered,
    verdict === 'verified'
      ? 'the keys were taken from the journal again'
      : 'the signed set is not shown to be the one of the journal',
  );
}
