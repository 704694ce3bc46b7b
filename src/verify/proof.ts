/** Kind `proof`: one record of a run under a signed head (audit spec 4.4). */
import { checkProof } from '../evidence/proof.ts';
import { proofShape } from '../evidence/shapes.ts';
import { authorshipClaim, authorshipMissing, claimOf, headChecker, isOfFamily, readAs } from './artifact.ts';
import { headTime } from './headTime.ts';
import type { KindVerifier } from './kind.ts';
import { besideHead } from './otherStatements.ts';

const REQUIRED = ['authorship', 'inclusion'] as const;

export const verifier: KindVerifier = {
  kind: 'proof',
  detect: (prefix) => isOfFamily(prefix, 'bide.audit.proof'),
  async verify(input, context) {
    const read = readAs(proofShape, input, REQUIRED);
    if (!read.ok) return read.outcome;
    const bundle = read.value;
    const heads = headChecker(context);
    const report = checkProof(bundle, heads);
    const { sth, inclusion } = bundle;
    const time = await headTime(sth, report.findings, context);
    const beside = besideHead(sth, report.authorship, context);
    const record = report.record?.record;
    const scope = `record ${inclusion.index} of ${sth.size}${record === undefined ? '' : `, ${JSON.stringify(record.name)} of kind ${record.kind}`}`;
    return {
      subject: {
        format: bundle.format,
        run: bundle.run_id,
        index: inclusion.index,
        size: sth.size,
        name: record?.name ?? null,
        kind: record?.kind ?? null,
      },
      counts: { records: 1, heads: 1, proven: report.inclusion === 'verified' ? 1 : 0 },
      claims: [
        authorshipClaim(sth, report.authorship, heads.hasKey),
        claimOf(
          'inclusion',
          report.inclusion,
          scope,
          report.inclusion === 'verified'
            ? 'these bytes are that leaf under the root of the head'
            : report.inclusion === 'failed'
              ? 'these bytes are not that leaf'
              : 'there is no usable head to prove it against',
        ),
        time.claim,
        ...beside.claims,
      ],
      required: REQUIRED,
      findings: [...report.findings, ...time.findings, ...beside.findings],
      missing: [
        ...authorshipMissing(report.authorship, heads.hasKey),
        ...(report.inclusion === 'undecided'
          ? [{ claim: 'inclusion', item: 'a head in the current format', who: 'whoever made the proof', from: null }]
          : []),
        ...time.missing,
        ...beside.missing,
      ],
      notSupplied: beside.notSupplied,
    };
  },
};
