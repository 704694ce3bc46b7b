/** Whether what ran agrees with what was decided (approvals 8.2 steps 2, 12 and 16). The gravest findings come from here. */
import type { ReadableRecord } from '../journal/record.ts';
import type { GateEnd } from './audit.ts';
import type { Problems } from './auditProblems.ts';
import { DENIAL_TEXT, denialOf, EXPIRY_TEXT } from './gate.ts';
import type { GateIndex } from './gateIndex.ts';
import type { Policy } from './policy.ts';
import type { ReadTally } from './recorded.ts';
import { passed } from './values.ts';

export interface EffectInput {
  readonly index: GateIndex;
  readonly call: string;
  readonly result: ReadableRecord | undefined;
  readonly attempts: readonly ReadableRecord[];
  readonly outcome: ReadTally | undefined;
  /** The unsigned decision of the call, if there is one. */
  readonly single: ReadableRecord | undefined;
  readonly policy: Policy | undefined;
  readonly problems: Problems;
}

/** The record that let the call run, or stopped it. */
interface Settlement {
  readonly name: string;
  readonly position: number;
  readonly end: 'passed' | 'denied' | 'expired';
}

export function checkEffect(input: EffectInput): GateEnd {
  const { result, attempts, problems, index, call } = input;
  const settlement = settle(input);
  const denial = denialOf(result);
  const [firstAttempt] = attempts;
  const redacted =
    index.tombstones > 0 ? `; ${index.tombstones} records of the journal are redacted and it may be among them` : '';
  if (settlement === undefined) {
    if (result !== undefined && denial !== undefined)
      problems.add('outcome', 'approval/outcome-missing', `the call was denied and no record denies it${redacted}`, {
        at: result,
      });
    else if (result !== undefined && !isRefusal(result, attempts))
      problems.add(
        'outcome',
        'approval/ran-without-approval',
        `${JSON.stringify(call)} ran and nothing on record approved it${redacted}`,
        { at: result, expected: 'a recorded count that passed before the result', actual: 'none' },
      );
    else if (firstAttempt !== undefined)
      problems.add(
        'outcome',
        'approval/attempt-before-outcome',
        'the call was tried and nothing on record approved it',
        {
          at: firstAttempt,
        },
      );
    else problems.decide('outcome', 'verified');
    if (denial !== undefined) return denial;
    return result === undefined ? 'waiting' : 'unknown';
  }
  const early = attempts.find(({ position }) => position < settlement.position);
  if (early !== undefined)
    problems.add('outcome', 'approval/attempt-before-outcome', 'the call was tried before the gate was settled', {
      at: early,
      expected: `an attempt after ${settlement.name}`,
    });
  if (result !== undefined && result.position < settlement.position)
    problems.add('outcome', 'approval/order', 'the result stands before the record that settled the gate', {
      at: result,
      expected: `a result after ${settlement.name}`,
    });
  if (settlement.end === 'passed') {
    if (denial !== undefined)
      problems.add(
        'outcome',
        'approval/effect-disagrees',
        'the gate passed and the result says that the call was denied',
        {
          at: result,
        },
      );
  } else checkStopped(input, settlement, denial);
  problems.decide('outcome', 'verified');
  return settlement.end;
}

/** A gate that was denied or expired: the result is a denial, and nothing was tried after it. */
function checkStopped(
  { result, attempts, problems, call }: EffectInput,
  settlement: Settlement,
  denial: 'denied' | 'expired' | undefined,
): void {
  const late = attempts.find(({ position }) => position > settlement.position);
  if (result !== undefined && (denial === undefined || call.startsWith('node:')))
    problems.add('outcome', 'approval/ran-after-denial', `the gate was ${settlement.end} and the call has a result`, {
      at: result,
      expected: settlement.end === 'expired' ? EXPIRY_TEXT : DENIAL_TEXT,
    });
  else if (late !== undefined)
    problems.add('outcome', 'approval/ran-after-denial', `the call was tried after the gate was ${settlement.end}`, {
      at: late,
    });
  else if (denial !== undefined && denial !== settlement.end)
    problems.add(
      'outcome',
      'approval/effect-disagrees',
      `the gate was ${settlement.end} and the result says ${denial}`,
      {
        at: result,
        expected: settlement.end,
        actual: denial,
      },
    );
}

/**
 * What settled the gate. An unsigned denial before anything was tried is final on every gate (approvals 6 step 3); an unsigned approval
 * settles only a single gate (5.9), where the first decision wins.
 */
function settle({ outcome, single, policy, attempts, result }: EffectInput): Settlement | undefined {
  const begun = attempts[0]?.position ?? result?.position ?? Number.POSITIVE_INFINITY;
  if (single !== undefined && !single.record.approved && (single.position < begun || outcome === undefined))
    return { name: single.name, position: single.position, end: 'denied' };
  if (outcome !== undefined)
    return {
      name: outcome.name,
      position: outcome.position,
      end: passed(outcome.tally) ? 'passed' : outcome.tally.expired ? 'expired' : 'denied',
    };
  if (policy?.kind === 'single' && single?.record.approved === true)
    return { name: single.name, position: single.position, end: 'passed' };
  return undefined;
}

/** A call that the run's own filter refused never reached its gate (journal 5.3): an error without safety, policy or attempt. */
function isRefusal({ record }: ReadableRecord, attempts: readonly ReadableRecord[]): boolean {
  if (!record.isError || record.safety !== undefined || record.approval !== undefined || attempts.length > 0)
    return false;
  const text = record.result === undefined ? '' : new TextDecoder().decode(record.result);
  return /^"tool \\".*\\" is not available in this run \((?:its tool filter leaves it out|its tool choice is none)\)"$/.test(
    text,
  );
}
