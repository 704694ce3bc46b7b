/**
 * Kind `head`: a signed tree head, a session head, or two of them with the proof that one continues the other (audit spec 3.4 to 3.7;
 * docs/spec/session-heads.md). Other heads of the same tree, given beside it, are held against it.
 */
import { hex } from '../bytes/encoding.ts';
import { stampedBytes } from '../evidence/headStamp.ts';
import type { Claim, Missing, Verdict } from '../finding/finding.ts';
import { checkConsistency, consistencyFileShape } from '../log/consistency.ts';
import { headHash, headShape, headTimeFindings } from '../log/head.ts';
import { readStrictly } from '../log/read.ts';
import {
  authenticateSessionHead,
  type SessionHead,
  sessionHeadBytes,
  sessionHeadHash,
  sessionHeadShape,
} from '../log/sessionHead.ts';
import { judgeSingle } from '../log/statement.ts';
import { formatInstant } from '../time/instant.ts';
import { anchoredTime, anchoredTimeClaim } from './anchored.ts';
import {
  authorshipClaim,
  authorshipMissing,
  claimOf,
  headChecker,
  headText,
  isOfFamily,
  logRing,
  timeClaim,
  timeMissing,
  tooLargeOutcome,
  unreadOutcome,
  wholeInput,
} from './artifact.ts';
import { stampedTime } from './headTime.ts';
import type { KindVerifier, Outcome, VerifyContext } from './kind.ts';
import { consistencyClaim, consistencyMissing, type Others, otherStatements } from './otherStatements.ts';
import { topFormat } from './topFormat.ts';

const REQUIRED = ['authorship'] as const;
const NO_OTHERS: Others = { count: 0, findings: [], verdict: 'undecided' };

export const verifier: KindVerifier = {
  kind: 'head',
  detect: (prefix) =>
    isOfFamily(prefix, 'bide.audit.sth') ||
    isOfFamily(prefix, 'audit.session-head') ||
    isOfFamily(prefix, 'audit.consistency'),
  verify(input, context) {
    const bytes = wholeInput(input);
    if (bytes === undefined) return tooLargeOutcome(REQUIRED);
    const format = topFormat(new TextDecoder().decode(bytes.subarray(0, 65_536))) ?? '';
    if (format.startsWith('audit.session-head')) return verifySessionHead(bytes, context);
    if (format.startsWith('audit.consistency')) return verifyConsistency(bytes, context);
    return verifyHead(bytes, context);
  },
};

async function verifyHead(bytes: Uint8Array, context: VerifyContext): Promise<Outcome> {
  const read = readStrictly(headShape, bytes);
  if (!read.ok) return unreadOutcome(read.findings, REQUIRED);
  const head = read.value;
  const checker = headChecker(context);
  const report = checker.check(head, {});
  const ring = logRing(context);
  const { statement } = judgeSingle({ form: 'heads', value: head }, []);
  const others = statement === undefined ? NO_OTHERS : otherStatements(statement, ring, context);
  const anchored = anchoredTime(head, context);
  const known = [...report.findings, ...others.findings, ...anchored.findings];
  const own = timeClaim(head, known);
  // A time that cannot be stays refused, whatever dates the head.
  const stamped =
    own.verdict === 'failed' ? undefined : await stampedTime(stampedBytes(head), head, headText(head), context);
  const findings = [...known, ...(stamped?.findings ?? [])];
  const time = own.verdict === 'failed' ? own : eitherTime(anchoredTimeClaim(head, anchored), stamped?.claim, own);
  return {
    subject: {
      format: head.format,
      tree: head.kind,
      run: head.run_id,
      size: head.size,
      time: head.timestamp_nanos > 0n ? formatInstant(head.timestamp_nanos) : null,
      hash: hex(headHash(head)),
    },
    counts: { heads: 1, other_heads: others.count },
    claims: [authorshipClaim(head, report.authorship, checker.hasKey), consistencyClaim(headText(head), others), time],
    required: REQUIRED,
    findings,
    missing: [
      ...authorshipMissing(report.authorship, checker.hasKey),
      ...consistencyMissing(others),
      ...timeMissing(time, head),
    ],
    notSupplied: others.count === 0 ? ['other heads of this tree: a second history would show only against them'] : [],
  };
}

/** A token that speaks against the head goes first, then whatever dates it, then its own word. */
function eitherTime(anchored: Claim | undefined, stamped: Claim | undefined, own: Claim): Claim {
  return stamped?.verdict === 'failed' ? stamped : (anchored ?? stamped ?? own);
}

async function verifySessionHead(bytes: Uint8Array, context: VerifyContext): Promise<Outcome> {
  const read = readStrictly(sessionHeadShape, bytes);
  if (!read.ok) return unreadOutcome(read.findings, REQUIRED);
  const head = read.value;
  const ring = logRing(context);
  const authentication = ring.length === 0 ? undefined : authenticateSessionHead(head, ring);
  const authorship: Verdict =
    authentication === undefined ? 'undecided' : authentication.findings.length === 0 ? 'verified' : 'failed';
  const timeFindings = headTimeFindings(head, context.now());
  const { statement } = judgeSingle({ form: 'session_heads', value: head }, []);
  const others = statement === undefined ? NO_OTHERS : otherStatements(statement, ring, context);
  const scope = sessionHeadText(head);
  const stamped = timeFindings.length > 0 ? undefined : await stampedTime(sessionHeadBytes(head), head, scope, context);
  const findings = [
    ...(authentication?.findings ?? []),
    ...others.findings,
    ...timeFindings,
    ...(stamped?.findings ?? []),
  ];
  const time: Claim =
    timeFindings.length > 0
      ? claimOf('time', 'failed', scope, 'the time in the head cannot be')
      : stamped !== undefined
        ? stamped.claim
        : {
            claim: 'time',
            verdict: 'undecided',
            grade: 'asserted',
            scope,
            detail: `the clock of the log says ${formatInstant(head.timestamp_nanos)}; nothing independent of it does`,
          };
  return {
    subject: {
      format: head.format,
      session: head.session,
      declared: head.declared,
      entries: Math.max(head.size - 1, 0),
      hash: hex(sessionHeadHash(head)),
    },
    counts: { heads: 1, entries: Math.max(head.size - 1, 0) },
    claims: [
      claimOf(
        'authorship',
        authorship,
        scope,
        authorship === 'verified'
          ? 'signed by a key of the log that you trust'
          : authorship === 'failed'
            ? 'no trusted key of the log signed this'
            : 'no key of the log was given',
      ),
      consistencyClaim(scope, others),
      time,
    ],
    required: REQUIRED,
    findings,
    missing: [...authorshipMissing(authorship, ring.length > 0), ...consistencyMissing(others), ...openTime(time)],
    notSupplied: ['the session itself: give it with this head beside it to learn whether it is complete'],
  };
}

function openTime(time: Claim): readonly Missing[] {
  if (time.verdict !== 'undecided') return [];
  return [
    { claim: 'time', item: 'a time-stamp token (RFC 3161) over this head', who: 'the keeper of the log', from: null },
  ];
}

function sessionHeadText(head: SessionHead): string {
  return `head of session ${JSON.stringify(head.session)}, ${Math.max(head.size - 1, 0)} entries`;
}

function verifyConsistency(bytes: Uint8Array, context: VerifyContext): Outcome {
  const required = ['authorship', 'consistency'] as const;
  const read = readStrictly(consistencyFileShape, bytes);
  if (!read.ok) return unreadOutcome(read.findings, required);
  const ring = logRing(context);
  const report = checkConsistency(read.value, ring, {}, context.now());
  const authorship: Verdict = report.signed === undefined ? 'undecided' : report.signed ? 'verified' : 'failed';
  const [first, second] = report.pair ?? [];
  const scope =
    first === undefined || second === undefined ? 'nothing' : `${first.tree}, size ${first.size} to ${second.size}`;
  const timeFindings = [first, second].flatMap((statement) =>
    statement?.time === undefined ? [] : headTimeFindings({ timestamp_nanos: statement.time }, context.now()),
  );
  return {
    subject: {
      format: read.value.format,
      tree: first?.tree ?? null,
      from: String(first?.size ?? ''),
      to: String(second?.size ?? ''),
    },
    counts: { heads: 2 },
    claims: [
      claimOf('authorship', authorship, scope, SIGNED[authorship]),
      claimOf(
        'consistency',
        report.consistency,
        scope,
        report.consistency === 'verified'
          ? 'the later tree continues the earlier one'
          : report.consistency === 'failed'
            ? 'the later tree is not shown to continue the earlier one'
            : 'the two statements could not be read',
      ),
    ],
    required,
    findings: [...report.findings, ...timeFindings],
    missing: [
      ...authorshipMissing(authorship, ring.length > 0),
      ...(report.consistency === 'undecided'
        ? [
            {
              claim: 'consistency',
              item: 'the file with two heads that can be read',
              who: 'whoever made it',
              from: null,
            },
          ]
        : []),
    ],
  };
}

const SIGNED: Readonly<Record<Verdict, string>> = {
  verified: 'both are signed by a key of the log that you trust',
  failed: 'one of the two is not signed by a trusted key of the log',
  undecided: 'no key of the log was given',
};
