/** Kind `session-disclosure`: chosen entries of a session under its signed head (docs/spec/session-heads.md 6). */
import type { Verdict } from '../finding/finding.ts';
import { headTimeFindings } from '../log/head.ts';
import { readStrictly } from '../log/read.ts';
import { checkSessionDisclosure, sessionDisclosureShape } from '../log/sessionDisclosure.ts';
import { sessionHeadBytes } from '../log/sessionHead.ts';
import { formatInstant } from '../time/instant.ts';
import { authorshipMissing, claimOf, isOfFamily, logRing, readAs } from './artifact.ts';
import { stampedTime } from './headTime.ts';
import type { KindVerifier } from './kind.ts';

const REQUIRED = ['authorship', 'inclusion'] as const;

export const verifier: KindVerifier = {
  kind: 'session-disclosure',
  detect: (prefix) => isOfFamily(prefix, 'audit.session-disclosure'),
  async verify(input, context) {
    const read = readAs(sessionDisclosureShape, input, REQUIRED, readStrictly);
    if (!read.ok) return read.outcome;
    const { head, header } = read.value;
    const ring = logRing(context);
    const report = checkSessionDisclosure(read.value, ring);
    const timeFindings = headTimeFindings(head, context.now());
    const authorship: Verdict = report.signed === undefined ? 'undecided' : report.signed ? 'verified' : 'failed';
    const all = Math.max(head.size - 1, 0);
    const positions = report.shown.map(({ leaf }) => leaf);
    const scope = `${positions.length === 1 ? 'entry' : 'entries'} ${positions.slice(0, 20).join(', ')}${positions.length > 20 ? ', …' : ''} of ${all}`;
    const when = formatInstant(head.timestamp_nanos);
    const stamped =
      timeFindings.length > 0 ? undefined : await stampedTime(sessionHeadBytes(head), head, scope, context);
    return {
      subject: {
        format: read.value.format,
        session: head.session,
        declared: head.declared,
        entries: all,
        header_shown: header !== null,
        ids: report.shown
          .map(({ id }) => id ?? 'none')
          .slice(0, 20)
          .join(' '),
      },
      counts: {
        shown: report.shown.length,
        proven: report.shown.filter(({ proven }) => proven).length,
        hidden: Math.max(all - report.shown.length, 0),
      },
      claims: [
        claimOf(
          'authorship',
          authorship,
          `head of session ${JSON.stringify(head.session)}, ${all} entries`,
          SIGNED[authorship],
        ),
        claimOf('inclusion', report.inclusion, scope, INCLUDED[report.inclusion]),
        stamped?.claim ?? {
          claim: 'time',
          verdict: timeFindings.length > 0 ? 'failed' : 'undecided',
          grade: timeFindings.length > 0 ? 'rechecked' : 'asserted',
          scope,
          detail: `the clock of the log says ${when}; nothing independent of it does`,
        },
      ],
      required: REQUIRED,
      findings: [...report.findings, ...timeFindings, ...(stamped?.findings ?? [])],
      missing: [
        ...authorshipMissing(authorship, ring.length > 0),
        ...(report.inclusion === 'undecided'
          ? [{ claim: 'inclusion', item: 'the entries that are to be shown', who: 'whoever made the file', from: null }]
          : []),
        ...(timeFindings.length > 0 || stamped !== undefined
          ? []
          : [
              {
                claim: 'time',
                item: 'a time-stamp token (RFC 3161) over this head',
                who: 'the keeper of the log',
                from: null,
              },
            ]),
      ],
      notSupplied: ['the entries that are not shown: what they say can change how these read'],
    };
  },
};

const SIGNED: Readonly<Record<Verdict, string>> = {
  verified: 'signed by a key of the log that you trust',
  failed: 'no trusted key of the log signed this head',
  undecided: 'no key of the log was given',
};
const INCLUDED: Readonly<Record<Verdict, string>> = {
  verified: 'each line that is shown has its id, and stands at its position under the head',
  failed: 'something that is shown does not stand under the head',
  undecided: 'nothing is shown that could be checked',
};
