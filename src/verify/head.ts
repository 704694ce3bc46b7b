/**
 * Kind `head`: a signed tree head, a session head, or two of them with the proof that one continues the other (audit spec 3.4 to 3.7;
 * docs/session-heads.md). Other heads of the same tree, given beside it, are held against it.
 */
import type { Claim, Finding, Missing, Verdict } from '../finding/finding.ts';
import { CONSISTENCY_FORMAT, checkConsistency, consistencyFileShape } from '../log/consistency.ts';
import { HEAD_FORMAT, headShape, headTimeFindings, type TreeHead } from '../log/head.ts';
import { compareHeads, type NamedHead } from '../log/heads.ts';
import { readStrictly } from '../log/read.ts';
import { authenticateSessionHead, type SessionHead, sessionHeadShape } from '../log/sessionHead.ts';
import { formatInstant } from '../time/instant.ts';
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
  unreadOutcome,
  wholeInput,
} from './artifact.ts';
import { catalogue } from './catalogue.ts';
import type { KindVerifier, Outcome, VerifyContext } from './kind.ts';
import { topFormat } from './topFormat.ts';

const REQUIRED = ['authorship'] as const;

export const verifier: KindVerifier = {
  kind: 'head',
  detect: (prefix) =>
    isOfFamily(prefix, 'bide.audit.sth') ||
    isOfFamily(prefix, 'audit.session-head') ||
    isOfFamily(prefix, 'audit.consistency'),
  verify(input, context) {
    const bytes = wholeInput(input);
    if (bytes === undefined)
      return unreadOutcome([catalogue.find('input/too-large', 'the document is larger than is read whole')], REQUIRED);
    const format = topFormat(new TextDecoder().decode(bytes.subarray(0, 65_536))) ?? '';
    if (format.startsWith('audit.session-head')) return verifySessionHead(bytes, context);
    if (format.startsWith('audit.consistency')) return verifyConsistency(bytes, context);
    return verifyHead(bytes, context);
  },
};

function verifyHead(bytes: Uint8Array, context: VerifyContext): Outcome {
  const read = readStrictly(headShape, bytes);
  if (!read.ok) return unreadOutcome(read.findings, REQUIRED);
  const head = read.value;
  const checker = headChecker(context);
  const report = checker.check(head, {});
  const others = otherHeads(head, context);
  const findings = [...report.findings, ...others.findings];
  const time = timeClaim(head, findings);
  const consistency = consistencyClaim(head, others);
  return {
    subject: {
      format: head.format,
      tree: head.kind,
      run: head.run_id,
      size: head.size,
      time: head.timestamp_nanos > 0n ? formatInstant(head.timestamp_nanos) : null,
    },
    counts: { heads: 1, other_heads: others.count },
    claims: [authorshipClaim(head, report.authorship, checker.hasKey), consistency, time],
    required: REQUIRED,
    findings,
    missing: [
      ...authorshipMissing(report.authorship, checker.hasKey),
      ...(consistency.verdict === 'undecided'
        ? [
            {
              claim: 'consistency',
              item: others.count === 0 ? 'another head of this tree' : 'a consistency proof between the two sizes',
              who: 'the keeper of the log, or whoever kept an earlier head',
              from: null,
            },
          ]
        : []),
      ...timeMissing(time, head),
    ],
    notSupplied: others.count === 0 ? ['other heads of this tree: a second history would show only against them'] : [],
  };
}

interface Others {
  readonly count: number;
  readonly findings: readonly Finding[];
  readonly verdict: Verdict;
}

/** Heads given beside the input that are of its tree, and authentic. A consistency proof among them connects two sizes. */
function otherHeads(head: TreeHead, context: VerifyContext): Others {
  const checker = headChecker(context);
  const named: NamedHead[] = [{ name: 'this head', head }];
  const proofs: { first: number; size: number; path: readonly (Uint8Array | null)[] | null }[] = [];
  const findings: Finding[] = [];
  const add = (name: string, other: TreeHead) => {
    if (other.kind !== head.kind || other.run_id !== head.run_id || head.journal !== null) return;
    const report = checker.check(other, { part: name });
    findings.push(...report.findings);
    if (report.authorship === 'verified') named.push({ name, head: other });
  };
  for (const { path, source } of context.heads ?? []) {
    const bytes = wholeInput({ path, source });
    const format = bytes === undefined ? undefined : topFormat(new TextDecoder().decode(bytes.subarray(0, 65_536)));
    if (bytes === undefined || (format !== HEAD_FORMAT && format !== CONSISTENCY_FORMAT)) continue;
    if (format === HEAD_FORMAT) {
      const read = readStrictly(headShape, bytes, { part: path });
      if (read.ok) add(path, read.value);
      else findings.push(...read.findings);
      continue;
    }
    const read = readStrictly(consistencyFileShape, bytes, { part: path });
    if (!read.ok) findings.push(...read.findings);
    else if (read.value.heads?.length === 2) {
      const [first, second] = read.value.heads as [TreeHead, TreeHead];
      proofs.push({ first: first.size, size: second.size, path: read.value.path });
      for (const other of [first, second]) add(path, other);
    }
  }
  if (named.length === 1) return { count: 0, findings, verdict: 'undecided' };
  const compared = compareHeads(named, { proofs });
  const verdict = compared.forks.length > 0 ? 'failed' : compared.unproven.length > 0 ? 'undecided' : 'verified';
  // A pair that nothing connects leaves the claim open; it is no fault of either head.
  const spoken = compared.findings.filter((finding) => finding.code !== 'log/unproven-pair');
  return { count: named.length - 1, findings: [...findings, ...spoken], verdict };
}

function consistencyClaim(head: TreeHead, { count, verdict }: Others): Claim {
  const detail = {
    verified: 'every other head given is of the same history',
    failed: 'the log signed another history than this',
    undecided: count === 0 ? 'no other head of this tree was given' : 'nothing given connects the heads',
  } as const;
  return claimOf('consistency', verdict, `${headText(head)}, ${count} other heads`, detail[verdict]);
}

function verifySessionHead(bytes: Uint8Array, context: VerifyContext): Outcome {
  const read = readStrictly(sessionHeadShape, bytes);
  if (!read.ok) return unreadOutcome(read.findings, REQUIRED);
  const head = read.value;
  const ring = logRing(context);
  const authentication = ring.length === 0 ? undefined : authenticateSessionHead(head, ring);
  const authorship: Verdict =
    authentication === undefined ? 'undecided' : authentication.findings.length === 0 ? 'verified' : 'failed';
  const timeFindings = headTimeFindings(head, context.now());
  const findings = [...(authentication?.findings ?? []), ...timeFindings];
  const scope = sessionHeadText(head);
  const time: Claim =
    timeFindings.length > 0
      ? claimOf('time', 'failed', scope, 'the time in the head cannot be')
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
      time,
    ],
    required: REQUIRED,
    findings,
    missing: [...authorshipMissing(authorship, ring.length > 0), ...openTime(time)],
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
  const report = checkConsistency(read.value, ring);
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
