/** Kind `quorum`: recorded votes and the tally that follows from them, as one file (audit spec 4.14; `audit.quorum.v1`). */

import { catalogue as evidence } from '../evidence/catalogue.ts';
import { HeadChecker } from '../evidence/heads.ts';
import { checkQuorum, quorumFault } from '../evidence/quorum.ts';
import { quorumFileShape } from '../evidence/quorumFile.ts';
import {
  authorshipClaim,
  authorshipMissing,
  claimOf,
  isOfFamily,
  logRing,
  NOT_SUPPLIED_UNDER_A_HEAD,
  readAs,
  unreadOutcome,
} from './artifact.ts';
import { headTime } from './headTime.ts';
import type { KindVerifier, Outcome } from './kind.ts';

const REQUIRED = ['authorship', 'inclusion', 'count'] as const;

export const verifier: KindVerifier = {
  kind: 'quorum',
  detect: (prefix) => isOfFamily(prefix, 'audit.quorum'),
  async verify(input, context): Promise<Outcome> {
    const read = readAs(quorumFileShape, input, REQUIRED);
    if (!read.ok) return read.outcome;
    const { name, tally, votes, commit, format } = read.value;
    const fault = quorumFault(name, 1);
    if (fault !== undefined)
      return unreadOutcome([evidence.find('evidence/malformed', fault, { where: { pointer: '/name' } })], REQUIRED);
    const ring = logRing(context);
    const heads = new HeadChecker({ ring, time: { now: context.now() } });
    const report = checkQuorum(
      {
        name,
        k: 1,
        tally: { bundle: tally, where: { pointer: '/tally' } },
        votes: (votes ?? []).map((bundle, i) => ({ bundle, where: { pointer: `/votes/${i}` } })),
        ...(commit === null ? {} : { commit: { bundle: commit, where: { pointer: '/commit' } } }),
      },
      heads,
    );
    const time = await headTime(tally.sth, report.findings, context);
    const counted = report.tally;
    const scope =
      counted === undefined
        ? `quorum ${JSON.stringify(name)}`
        : `quorum ${JSON.stringify(name)}: ${counted.votes_for} of ${counted.total} for ${JSON.stringify(counted.decision)}`;
    return {
      subject: {
        format,
        quorum: name,
        run: tally.run_id,
        decision: counted?.decision ?? null,
        votes_for: counted?.votes_for ?? null,
      },
      counts: { votes: votes?.length ?? 0, heads: 1 },
      claims: [
        authorshipClaim(tally.sth, report.authorship, heads.hasKey),
        claimOf(
          'inclusion',
          report.inclusion,
          scope,
          report.inclusion === 'verified'
            ? 'tally and votes are records of one signed tree'
            : 'tally and votes are not shown to be records of one signed tree',
        ),
        claimOf(
          'count',
          report.count,
          scope,
          report.count === 'verified'
            ? 'the tally follows from the disclosed votes'
            : report.count === 'failed'
              ? 'the tally does not follow from the disclosed votes'
              : 'the votes could not be counted',
        ),
        claimOf('threshold', 'undecided', scope, 'how many votes the decision needs is not in the file'),
        time.claim,
      ],
      required: REQUIRED,
      findings: [...report.findings, ...time.findings],
      missing: [
        ...authorshipMissing(report.authorship, heads.hasKey),
        ...(['inclusion', 'count'] as const)
          .filter((claim) => report[claim] === 'undecided')
          .map((claim) => ({
            claim,
            item: 'bundles of the tally and of every vote that can be read',
            who: 'whoever made the file',
            from: null,
          })),
        {
          claim: 'threshold',
          item: 'the number of votes that the decision needs (bide-audit verify-quorum -k)',
          who: 'you',
          from: null,
        },
        ...time.missing,
      ],
      notSupplied: [...NOT_SUPPLIED_UNDER_A_HEAD, 'signatures of the voters: votes are the word of the run'],
    };
  },
};
