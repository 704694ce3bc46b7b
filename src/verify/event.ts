/** Kind `event`: an event is in a signed stream (audit spec 4.6). The event and the head of its stream lie beside the proof. */
import { checkEventUnderHead, eventContentShape } from '../evidence/events.ts';
import { eventInclusionShape } from '../evidence/shapes.ts';
import type { Missing } from '../finding/finding.ts';
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

const REQUIRED = ['authorship', 'inclusion'] as const;

export const verifier: KindVerifier = {
  kind: 'event',
  detect: (prefix) => isOfFamily(prefix, 'bide.audit.event-inclusion'),
  async verify(input, context): Promise<Outcome> {
    const read = readAs(eventInclusionShape, input, REQUIRED);
    if (!read.ok) return read.outcome;
    const proof = read.value;
    const heads = headChecker(context);
    const streams = headsBeside(context).filter(({ value }) => value.kind === 'events');
    const head = streams.find(({ value }) => value.size === proof.size) ?? streams[0];
    const contents = companionsOf(context, eventContentShape).filter(
      ({ value }) => value.kind !== '' && value.event !== null,
    );
    const subject = { format: proof.format, index: proof.index, size: proof.size };
    const absent: Missing[] = [];
    if (head === undefined)
      absent.push({
        claim: 'inclusion',
        item: `the signed head of the stream, of kind events and size ${proof.size}`,
        who: 'the keeper of the log',
        from: null,
      });
    if (contents.length === 0)
      absent.push({
        claim: 'inclusion',
        item: 'the event itself, as {"kind":…,"event":…}',
        who: 'whoever made the proof',
        from: null,
      });
    if (head === undefined) {
      return {
        subject,
        counts: { events: contents.length, heads: 0 },
        claims: [
          claimOf('authorship', 'undecided', 'no head', 'no head of the stream was given'),
          claimOf(
            'inclusion',
            'undecided',
            `event ${proof.index} of ${proof.size}`,
            'there is no head to prove it against',
          ),
        ],
        required: REQUIRED,
        findings: [],
        missing: [
          { claim: 'authorship', item: 'the signed head of the stream', who: 'the keeper of the log', from: null },
          ...absent,
        ],
        notSupplied: NOT_SUPPLIED_UNDER_A_HEAD,
      };
    }
    const where = { proof: {}, head: { part: head.path } };
    const reports = contents.map(({ value }) =>
      checkEventUnderHead(proof, { kind: value.kind, event: value.event as Uint8Array }, head.value, heads, where),
    );
    // Of several events beside the proof, the one that it proves is meant.
    const report = reports.find(({ inclusion }) => inclusion === 'verified') ?? reports[0];
    const alone = heads.check(head.value, where.head);
    const findings = report?.findings ?? alone.findings;
    const authorship = report?.authorship ?? alone.authorship;
    const inclusion = report?.inclusion ?? 'undecided';
    const time = await headTime(head.value, findings, context);
    return {
      subject: { ...subject, stream: head.value.run_id },
      counts: { events: contents.length, heads: 1 },
      claims: [
        authorshipClaim(head.value, authorship, heads.hasKey),
        claimOf(
          'inclusion',
          inclusion,
          `event ${proof.index} of ${proof.size} of stream ${JSON.stringify(head.value.run_id)}`,
          inclusion === 'verified'
            ? 'the event is that leaf under the root of the head'
            : inclusion === 'failed'
              ? 'the event is not that leaf'
              : 'the event is not at hand or cannot be read',
        ),
        time.claim,
      ],
      required: REQUIRED,
      findings: [...findings, ...time.findings],
      missing: [
        ...authorshipMissing(authorship, heads.hasKey),
        ...(inclusion !== 'undecided'
          ? []
          : absent.length > 0
            ? absent
            : [
                {
                  claim: 'inclusion',
                  item: 'the event in a form that can be read',
                  who: 'whoever made the proof',
                  from: null,
                },
              ]),
        ...time.missing,
      ],
      notSupplied: [
        ...NOT_SUPPLIED_UNDER_A_HEAD,
        'whether the stream is a durable projection or a live one: nothing in the head says',
      ],
    };
  },
};
