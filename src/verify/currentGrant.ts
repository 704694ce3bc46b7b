/** Kind `current-grant`: a grant is the last of its ledger (audit spec 4.8). The grant and the head last seen lie beside the proof. */
import { checkCurrentGrant } from '../evidence/currentGrant.ts';
import { grantOfRecord } from '../evidence/grants.ts';
import { checkProof } from '../evidence/proof.ts';
import { currentGrantShape, signedGrantShape } from '../evidence/shapes.ts';
import {
  authorshipClaim,
  authorshipMissing,
  claimOf,
  headChecker,
  isOfFamily,
  NOT_SUPPLIED_UNDER_A_HEAD,
  readAs,
} from './artifact.ts';
import { companionsOf, headsBeside } from './beside.ts';
import { headTime } from './headTime.ts';
import type { KindVerifier, Outcome } from './kind.ts';

const REQUIRED = ['authorship', 'inclusion', 'current'] as const;

export const verifier: KindVerifier = {
  kind: 'current-grant',
  detect: (prefix) => isOfFamily(prefix, 'bide.audit.current-grant'),
  async verify(input, context): Promise<Outcome> {
    const read = readAs(currentGrantShape, input, REQUIRED);
    if (!read.ok) return read.outcome;
    const proof = read.value;
    const { leaf } = proof;
    const heads = headChecker(context);
    const ledger = leaf.sth.run_id;
    // The grant beside the proof, where there is one; otherwise the one that the record itself holds.
    const given = companionsOf(context, signedGrantShape).find(({ value }) => value.grant.id !== '');
    const record = checkProof(leaf, heads).record;
    const held = record === undefined ? undefined : grantOfRecord(record);
    const grant = given?.value ?? (held !== undefined && 'grant' in held ? held.grant : signedGrantShape.zero);
    // Of several heads the one of the greatest size was seen last; a proof leads from one head alone.
    const seen = headsBeside(context)
      .filter(({ value }) => value.kind === 'journal' && value.run_id === ledger)
      .sort((a, b) => b.value.size - a.value.size);
    const [lastSeen] = seen;
    const report = checkCurrentGrant(
      proof,
      { grant, ledger, ...(lastSeen === undefined ? {} : { lastSeen: lastSeen.value }) },
      heads,
      { proof: {}, lastSeen: { part: lastSeen?.path ?? '' } },
    );
    const time = await headTime(leaf.sth, report.findings, context);
    const scope = `${JSON.stringify(grant.grant.id)} in ledger ${JSON.stringify(ledger)}, as of ${leaf.sth.size} records`;
    return {
      subject: {
        format: proof.format,
        ledger,
        grant: grant.grant.id,
        subject: grant.grant.subject,
        size: leaf.sth.size,
      },
      counts: { grants: 1, heads: lastSeen === undefined ? 1 : 2 },
      claims: [
        authorshipClaim(leaf.sth, report.authorship, heads.hasKey),
        claimOf(
          'inclusion',
          report.inclusion,
          scope,
          report.inclusion === 'verified'
            ? 'the grant is recorded in the ledger'
            : 'the record is not shown to be in the ledger',
        ),
        claimOf(
          'current',
          report.current,
          scope,
          report.current === 'verified'
            ? 'it is the last record of the ledger under this head'
            : 'it is not shown to be the last grant of the ledger',
        ),
        claimOf(
          'consistency',
          report.consistency,
          lastSeen === undefined ? 'first contact' : `since size ${lastSeen.value.size}`,
          report.consistency === 'verified'
            ? 'the ledger continues the one seen last'
            : report.consistency === 'failed'
              ? 'the ledger does not continue the one seen last'
              : 'no head seen before was given',
        ),
        time.claim,
      ],
      required: REQUIRED,
      findings: [...report.findings, ...time.findings],
      missing: [
        ...authorshipMissing(report.authorship, heads.hasKey),
        ...(['inclusion', 'current'] as const)
          .filter((claim) => report[claim] === 'undecided')
          .map((claim) => ({
            claim,
            item: 'a proof whose record and head can be read',
            who: 'the keeper of the ledger',
            from: null,
          })),
        ...(report.consistency === 'undecided'
          ? [
              {
                claim: 'consistency',
                item: 'the head of the ledger that you saw last, or one from an anchor',
                who: 'you, or the anchor',
                from: null,
              },
            ]
          : []),
        ...time.missing,
      ],
      notSupplied: [
        ...NOT_SUPPLIED_UNDER_A_HEAD,
        ...(seen.length > 1
          ? [`proofs from the ${seen.length - 1} other heads given: they were not held against the ledger`]
          : []),
        'the chain above the grant: whether its issuer could give it',
      ],
    };
  },
};
