/** Kind `equivocation`: two signed statements of one log that cannot both be true (docs/spec/equivocation.md). */
import type { Verdict } from '../finding/finding.ts';
import { checkEquivocation, equivocationShape } from '../log/equivocation.ts';
import { readStrictly } from '../log/read.ts';
import { authorshipMissing, claimOf, isOfFamily, logRing, readAs } from './artifact.ts';
import type { KindVerifier } from './kind.ts';

const REQUIRED = ['authorship', 'equivocation'] as const;

export const verifier: KindVerifier = {
  kind: 'equivocation',
  detect: (prefix) => isOfFamily(prefix, 'audit.equivocation'),
  verify(input, context) {
    const read = readAs(equivocationShape, input, REQUIRED, readStrictly);
    if (!read.ok) return read.outcome;
    const ring = logRing(context);
    const report = checkEquivocation(read.value, ring, {}, context.now());
    const authorship: Verdict = report.signed === undefined ? 'undecided' : report.signed ? 'verified' : 'failed';
    const equivocation: Verdict = report.about === '' ? 'undecided' : report.contradictory ? 'verified' : 'failed';
    const scope = report.about === '' ? 'nothing' : `${report.about}, sizes ${report.sizes.join(' and ')}`;
    return {
      subject: { format: read.value.format, about: report.about, sizes: report.sizes.join(', ') },
      counts: { statements: report.sizes.length },
      claims: [
        claimOf('authorship', authorship, scope, SIGNED[authorship]),
        claimOf('equivocation', equivocation, scope, CONTRADICTS[equivocation]),
      ],
      required: REQUIRED,
      findings: report.findings,
      missing: [
        ...authorshipMissing(authorship, ring.length > 0),
        ...(equivocation === 'undecided'
          ? [
              {
                claim: 'equivocation',
                item: 'the file with two statements that can be read',
                who: 'whoever made it',
                from: null,
              },
            ]
          : []),
      ],
    };
  },
};

const SIGNED: Readonly<Record<Verdict, string>> = {
  verified: 'the same log signed both: one key of it that you trust, or two',
  failed: 'one of the two is not signed by a trusted key of the log, so the log need not answer for it',
  undecided: 'no key of the log was given',
};

const CONTRADICTS: Readonly<Record<Verdict, string>> = {
  verified: 'the two statements cannot both be true: the log showed two histories',
  failed: 'the two statements can both be true',
  undecided: 'the statements could not be read',
};
