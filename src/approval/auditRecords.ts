/** Whether the records of a gate are there and in order (approvals 8.2 steps 5, 7, 9, 10 and 18; approver-identity 17 rule 4). */
import type { ReadableRecord } from '../journal/record.ts';
import { parseTimestamp } from '../journal/timestamp.ts';
import type { GateAuditInput } from './audit.ts';
import { policyPart } from './auditPolicy.ts';
import type { Problems } from './auditProblems.ts';
import type { CallRequest, GateIndex } from './gateIndex.ts';
import type { Expectation } from './gatePatterns.ts';
import { policyDifference, sameList } from './policy.ts';
import type { ReadTally, Recorded } from './recorded.ts';
import { isDecisionOf } from './tally.ts';
import type { Deadline } from './values.ts';
import { usableRequesters } from './values.ts';

/** Step 7: the decision records that the outcome names, in journal order; what is missing is reported. */
export function disclosedDecisions(
  input: GateAuditInput,
  outcome: ReadTally,
  problems: Problems,
): readonly ReadableRecord[] {
  const { index, call } = input;
  const named: ReadableRecord[] = [];
  let before = -1;
  const seen = new Set<string>();
  for (const name of outcome.tally.records) {
    if (seen.has(name)) {
      problems.add('disclosure', 'approval/tally-inconsistent', `the count names ${JSON.stringify(name)} twice`, {
        at: outcome,
      });
      continue;
    }
    seen.add(name);
    const stored = index.byName(name);
    if (stored?.tombstone !== undefined)
      problems.add('disclosure', 'approval/decision-redacted', `the decision ${JSON.stringify(name)} was redacted`, {
        at: stored,
      });
    else if (stored === undefined || !isDecisionOf(stored, call)) {
      const redacted = index.tombstones > 0 && stored === undefined ? ' or was redacted' : '';
      problems.add(
        'disclosure',
        'approval/decision-omitted',
        `the decision ${JSON.stringify(name)} is not there${redacted}`,
        {
          at: outcome,
          expected: name,
        },
      );
    } else {
      if (stored.position < before)
        problems.add('disclosure', 'approval/order', 'the count does not name the decisions in journal order', {
          at: stored,
        });
      before = stored.position;
      named.push(stored);
    }
  }
  return named.sort((a, b) => a.position - b.position);
}

/** Step 5. */
export function checkOrder(
  index: GateIndex,
  recorded: Recorded,
  outcome: ReadTally,
  request: CallRequest | undefined,
  named: readonly ReadableRecord[],
  after: number,
  problems: Problems,
): void {
  const before = (
    first: { readonly name: string; readonly position: number } | undefined,
    second: { readonly name: string; readonly position: number } | undefined,
    what: string,
  ) => {
    if (first === undefined || second === undefined || first.position < second.position) return;
    problems.add('outcome', 'approval/order', `${what}: ${second.name} stands before ${first.name}`, { at: second });
  };
  before(request, outcome, 'the count came before the call was asked for');
  for (const decision of named) {
    before(decision, outcome, 'the count names a decision that came after it');
    if (decision.position <= after)
      problems.add('outcome', 'approval/order', 'a decision counts that stands before the request of the flow node', {
        at: decision,
      });
  }
  const chain = [...recorded.superseded, outcome];
  for (const [i, tally] of chain.entries())
    before(tally, chain[i + 1], 'a count stands before the one that it supersedes');
  const deadline = index.deadline(problems.call);
  if (deadline !== undefined && deadline.position > outcome.position)
    problems.add('outcome', 'approval/order', 'the deadline was recorded after the count', { at: outcome });
}

/** Step 9. */
export function checkRequesters(
  index: GateIndex,
  outcome: ReadTally,
  request: CallRequest | undefined,
  expected: Expectation | undefined,
  problems: Problems,
): void {
  const { requesters: reading } = index;
  for (const record of index.misplacedPrincipals)
    problems.add('count', 'approval/record-misplaced', `the principal is a record of kind ${record.record.kind}`, {
      at: record,
      expected: 'value',
      actual: record.record.kind,
    });
  const usable = usableRequesters(reading);
  if (reading.status !== 'read' || usable === undefined) {
    const why =
      reading.status === 'none'
        ? 'there is none'
        : reading.status === 'unreadable'
          ? reading.problem
          : 'a requester is missing or not printable ASCII';
    problems.add('count', 'approval/requester-unreadable', `the run's principal cannot be used: ${why}`);
    return;
  }
  if (request !== undefined && reading.position > request.position)
    problems.add('outcome', 'approval/order', 'the run\u2019s principal was recorded after the call was asked for', {
      at: { name: 'run:principal', position: reading.position },
    });
  if (!sameList(usable, outcome.tally.requesters))
    problems.add('count', 'approval/requester-differs', 'the count names other requesters than the run', {
      at: outcome,
      expected: usable.join(', '),
      actual: outcome.tally.requesters.join(', ') || 'none',
    });
  if (expected?.requester !== undefined && usable.at(-1) !== expected.requester)
    problems.add('count', 'approval/requester-differs', 'the run acts for somebody else than expected', {
      expected: expected.requester,
      actual: usable.at(-1) ?? 'nobody',
    });
}

/** Step 10. Gives the deadline that the recount goes by. */
export function checkDeadline(
  input: GateAuditInput,
  outcome: ReadTally | undefined,
  problems: Problems,
): Deadline | undefined {
  const { index, call, expected, whole } = input;
  const deadline = index.deadline(call);
  const named = outcome?.tally.expiresAt ?? '';
  if (deadline === undefined) {
    if (outcome === undefined) return undefined;
    if (named === '' && expected?.timeoutMs === undefined) return undefined;
    if (whole || expected?.timeoutMs !== undefined) {
      problems.add(
        'disclosure',
        'approval/deadline-missing',
        'the gate has a deadline and the record of it is not there',
        {
          at: outcome,
          ...(named === '' ? {} : { actual: named }),
        },
      );
    }
    const instant = parseTimestamp(named);
    if (named === '') return undefined;
    if (instant === undefined)
      return { status: 'unreadable', position: -1, problem: 'the count names no canonical time' };
    return { status: 'read', position: -1, call, requestedAt: '', expiresAt: named, instant, timeoutMs: 0n };
  }
  if (deadline.status === 'unreadable') {
    problems.add('count', 'approval/deadline-unreadable', `the deadline of the gate: ${deadline.problem}`, {
      at: index.journal.records[deadline.position],
    });
    return deadline;
  }
  const at = { name: call, position: deadline.position };
  if (deadline.call !== call)
    problems.add('count', 'approval/deadline-differs', 'the record of the deadline names another call', {
      at,
      expected: call,
      actual: deadline.call || 'none',
    });
  const requested = parseTimestamp(deadline.requestedAt);
  if (requested === undefined || requested + deadline.timeoutMs * 1_000_000n !== deadline.instant)
    problems.add('count', 'approval/deadline-differs', 'the request time plus the timeout is not the deadline', {
      at,
      expected: `${deadline.requestedAt} + ${deadline.timeoutMs} ms`,
      actual: deadline.expiresAt,
    });
  if (outcome !== undefined && named !== deadline.expiresAt)
    problems.add('count', 'approval/deadline-differs', 'the count and the record of the deadline differ', {
      at: outcome,
      expected: deadline.expiresAt,
      actual: named || 'none',
    });
  if (expected?.timeoutMs !== undefined && expected.timeoutMs !== deadline.timeoutMs)
    problems.add('count', 'approval/timeout-differs', 'the gate had another timeout than expected', {
      at,
      expected: `${expected.timeoutMs} ms`,
      actual: `${deadline.timeoutMs} ms`,
    });
  return deadline;
}

/** Approver-identity 17 rule 4: a generation after a hold counts decisions after that hold. */
export function checkHolds(
  index: GateIndex,
  call: string,
  recorded: Recorded,
  named: readonly ReadableRecord[],
  problems: Problems,
): void {
  const { generation, outcome } = recorded;
  if (generation === undefined || generation === 0 || outcome === undefined) return;
  const hold = index.holds(call).find((candidate) => candidate.generation === generation - 1);
  const counted = new Set([...outcome.tally.approvedBy, ...outcome.tally.deniedBy]);
  for (const decision of named) {
    if (hold !== undefined && decision.position < hold.position && counted.has(decision.record.approver))
      problems.add('count', 'approval/decision-before-hold', 'the count names a decision from before the hold', {
        at: decision,
      });
  }
}

/** Step 18: notes decide nothing; one that tells another policy is shown. */
export function checkNotes(index: GateIndex, call: string, outcome: ReadTally, problems: Problems): void {
  const known = new Set(index.tallies(call).map(({ name }) => name));
  for (const note of index.notes(call)) {
    const supersedes = note.members.get('supersedes');
    const need = note.members.get('need');
    const approvers = note.members.get('approvers');
    const listed =
      approvers?.kind === 'array'
        ? approvers.items.flatMap((item) => (item.kind === 'string' ? [item.value] : []))
        : undefined;
    if (supersedes?.kind === 'string' && !known.has(supersedes.value))
      problems.add('outcome', 'approval/note-contradicts', 'a re-ask note supersedes a count that is not there', {
        at: note,
        actual: supersedes.value,
      });
    const asked = {
      need: need?.kind === 'number' ? Number(need.text) : outcome.tally.need,
      approvers: listed ?? outcome.tally.approvers,
      excludePrincipal: note.members.get('exclude_principal')?.kind === 'true',
    };
    const difference = policyDifference(asked, { kind: 'm-of-n', ...policyPart(outcome.tally) });
    // A separation-of-duties re-ask follows a first note that did not exclude.
    const reasked = outcome.tally.supersedes !== '' && difference === 'exclude_principal';
    if (difference !== undefined && !reasked && (need !== undefined || listed !== undefined))
      problems.add('outcome', 'approval/note-contradicts', `a pause note differs from the count on ${difference}`, {
        at: note,
      });
  }
}
