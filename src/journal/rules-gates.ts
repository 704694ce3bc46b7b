/**
 * V11 of journal 5.9: a gated call runs only after it was approved, and never after it was denied. Whether the approval was right is counted
 * elsewhere, from the signatures; here it must only stand in the journal, in its place.
 */
import { counted } from '../finding/words.ts';
import { type Gate, passed, tallyRoles } from './gates.ts';
import type { Judge } from './judge.ts';
import { isDenial } from './outcomes.ts';
import type { ReadableRecord } from './record.ts';
import { findToolCall, type Replay } from './replay.ts';
import { encodeId } from './run-id.ts';

export function gateRules(judge: Judge): void {
  const { run } = judge;
  const gated = new Set<string>();
  for (const [id, list] of run.outcomes) if (list.some(({ record }) => record.approval !== undefined)) gated.add(id);
  for (const gate of run.gates.values()) if (isGated(gate)) gated.add(gate.call);
  for (const id of gated) judgeGate(judge, id, run.gates.get(id));
}

/** Records under the names of a gate show that there was one; signed decisions alone, which anybody can submit, do not. */
function isGated(gate: Gate): boolean {
  return (
    gate.request !== undefined ||
    gate.decision !== undefined ||
    gate.tallies.length > 0 ||
    gate.deadline !== undefined ||
    gate.notes.some(({ stored }) => stored.name.startsWith('approval'))
  );
}

function judgeGate(judge: Judge, id: string, gate: Gate | undefined): void {
  const { run } = judge;
  const isNode = id.startsWith('node:') && gate?.request !== undefined;
  const attempts =
    run.effects
      .get(isNode ? `attempt:step:${id}` : `attempt:tool:${encodeId(id)}`)
      ?.attempts.map(({ stored }) => stored) ?? [];
  const outcome = isNode ? run.byName.get(id) : run.outcomes.get(id)?.[0];
  const ran = outcome !== undefined && !isDenial(outcome.record) && outcome.record.recordedAt === '' ? [outcome] : [];
  const asked = findToolCall(run, id)?.position ?? -1;
  const denied = denialOf(gate, asked);
  for (const marker of attempts) {
    if (denied !== undefined && marker.position > denied.position) {
      judge.find(
        'journal/attempt-after-denial',
        marker,
        'The call was denied, and an attempt stands after the denial.',
        {
          expected: `no attempt after ${denied.name}`,
        },
      );
    }
  }
  const acts = [...attempts, ...ran].sort((a, b) => a.position - b.position);
  const approved = approvedAt(run, gate, asked);
  const bypass = acts.find((act) => act.position < approved);
  if (bypass !== undefined) {
    judge.absent('journal/gate-bypassed', bypass, 'No passing approval of the call stands before this record.', {
      expected: `an approval or a passing tally of ${id} before it`,
      actual: gate === undefined ? 'no record of an approval' : standing(gate),
    });
  }
}

/** The first recorded word that the call shall not run: a denial by Approve, or an outcome that did not pass. */
function denialOf(gate: Gate | undefined, asked: number): ReadableRecord | undefined {
  if (gate === undefined) return undefined;
  const { decision } = gate;
  if (decision !== undefined && !decision.record.approved && decision.position > asked) return decision;
  return gate.tallies.find(({ value }) => value !== undefined && !passed(value))?.stored;
}

/** Position from which on the call counts as approved; infinity for never. */
function approvedAt(run: Replay, gate: Gate | undefined, asked: number): number {
  if (gate === undefined) return Number.POSITIVE_INFINITY;
  const { decision } = gate;
  // An unsigned approval does not answer a gate of several approvers.
  const decided =
    decision?.record.approved === true && decision.position > asked && isSingle(run, gate) !== false
      ? decision.position
      : Number.POSITIVE_INFINITY;
  const { plain, format, duties } = tallyRoles(gate);
  const later = gate.tallies.findLast(
    ({ stored }) => stored !== plain?.stored && stored !== format?.stored && stored !== duties?.stored,
  );
  const outcome = later ?? duties ?? format ?? plain;
  const counted = outcome !== undefined && passed(outcome.value) ? outcome.stored.position : Number.POSITIVE_INFINITY;
  return Math.min(decided, counted);
}

/** Whether the gate wants one decision or counts several; undefined where nothing says. */
function isSingle(run: Replay, gate: Gate): boolean | undefined {
  for (const { record } of run.outcomes.get(gate.call) ?? [])
    if (record.approval !== undefined) return new TextDecoder().decode(record.approval) === '{"single":true}';
  if (gate.notes.length > 0) return gate.notes.some(({ value }) => value.single);
  return gate.tallies.length > 0 ? false : undefined;
}

function standing(gate: Gate): string {
  if (gate.tallies.length > 0) return 'a tally that did not pass, or stands later';
  if (gate.decision !== undefined) return gate.decision.record.approved ? 'an approval that stands later' : 'a denial';
  return gate.signed.length > 0 ? `${counted(gate.signed.length, 'signed decision')} and no tally` : 'no decision';
}
