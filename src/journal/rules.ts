/**
 * What an engine can have written: the checks of journal 5.9, in its order. V1, V2 and the readable half of V4 are settled while reading
 * (`export.ts`). Each rule that rests on a record being absent says less when a record was redacted: that record may be the one.
 */

import { hex } from '../bytes/encoding.ts';
import type { Finding } from '../finding/finding.ts';
import { counted } from '../finding/words.ts';
import { catalogue } from './catalogue.ts';
import { MEMBERS } from './decode.ts';
import { Judge } from './judge.ts';
import { attempts, isStepName, kindsOfName, parseAttempt, parseNotStarted, RUN_START } from './names.ts';
import { isDenial, isRefusal, isRetrySafe } from './outcomes.ts';
import type { JournalRecord, ReadableRecord } from './record.ts';
import { isInjected, liveAttempts, outcomeOf, type Replay } from './replay.ts';
import { gateRules } from './rules-gates.ts';
import { sessionRules } from './rules-session.ts';
import { encodeId, isNameOf } from './run-id.ts';
import { parseTimestamp } from './timestamp.ts';
import { type Principal, readRunPrincipal } from './values.ts';

/** Salts seen so far. Four bytes tell most random ones apart; those that agree in them are told apart by all of them. */
class Salts {
  readonly #short = new Map<number, ReadableRecord>();
  readonly #whole = new Map<string, ReadableRecord>();

  /** The earlier record of the same salt. */
  add(stored: ReadableRecord, salt: Uint8Array): ReadableRecord | undefined {
    const key = ((salt[0] ?? 0) << 24) | ((salt[1] ?? 0) << 16) | ((salt[2] ?? 0) << 8) | (salt[3] ?? 0);
    const near = this.#short.get(key);
    if (near === undefined) {
      this.#short.set(key, stored);
      return undefined;
    }
    if (near.record.salt !== undefined) this.#whole.set(hex(near.record.salt), near);
    const text = hex(salt);
    const first = this.#whole.get(text);
    if (first === undefined) this.#whole.set(text, stored);
    return first;
  }
}

/** Findings on how the records are written: V3 and the canonical half of V4. */
export function recordRules(run: Replay): readonly Finding[] {
  const judge = new Judge(run);
  const salts = new Salts();
  for (const stored of run.journal.records) {
    if (stored.record === undefined) continue;
    const { salt } = stored.record;
    if (salt?.length !== 32) {
      judge.find('journal/salt-missing', stored, 'The record holds no salt of 32 bytes.', {
        expected: '32 bytes',
        actual: salt === undefined ? 'none' : `${salt.length} bytes`,
      });
    } else {
      const first = salts.add(stored, salt);
      if (first !== undefined) {
        judge.find('journal/salt-repeated', stored, `The record has the salt of record ${first.position}.`, {
          actual: hex(salt),
        });
      }
    }
    if (stored.deviation !== undefined) {
      judge.find(
        'journal/not-canonical',
        stored,
        `At byte ${stored.deviation.at} of the record, ${stored.deviation.message}.`,
      );
    } else if (stored.unknown.length > 0) {
      judge.find(
        'journal/unknown-member',
        stored,
        `The record holds ${counted(stored.unknown.length, 'unknown member')}.`,
        {
          actual: stored.unknown.slice(0, 5).join(', ').slice(0, 200),
        },
      );
    }
  }
  return judge.findings;
}

/** Findings on what the records say together: V5 to V17. */
export function sequenceRules(run: Replay): readonly Finding[] {
  const judge = new Judge(run);
  kinds(judge);
  carried(judge);
  turns(judge);
  outcomes(judge);
  openCalls(judge);
  attemptRules(judge);
  voids(judge);
  claims(judge);
  gateRules(judge);
  unexplained(judge);
  principal(judge);
  times(judge);
  afterEnd(judge);
  compensations(judge);
  sessionRules(judge);
  redactions(judge);
  return judge.findings;
}

/** V5 */
function kinds(judge: Judge): void {
  for (const stored of judge.run.journal.records) {
    if (stored.record === undefined) continue;
    const kinds = kindsOfName(stored.name);
    if (kinds === undefined || kinds.includes(stored.record.kind)) continue;
    judge.find('journal/kind-mismatch', stored, 'The record is of a kind that its name never has.', {
      expected: kinds.length === 0 ? 'no record of this name' : kinds.join(' or '),
      actual: stored.record.kind,
    });
  }
}

/** Which members the records of a kind carry (journal 2.1, last column); name, kind and salt are everybody's. */
const CARRIED: Readonly<Record<string, ReadonlySet<keyof JournalRecord>>> = {
  model: new Set(['message', 'usage', 'discardedUsage', 'finish', 'rawFinish', 'model', 'promptDigest', 'toolsDigest']),
  tool_result: new Set([
    'usage',
    'discardedUsage',
    'toolUseId',
    'result',
    'isError',
    'recordedAt',
    'reconciled',
    'safety',
    'approval',
    'evidence',
  ]),
  saga_fail: new Set(['usage', 'discardedUsage', 'toolUseId', 'result', 'outcomeUnknown', 'safety', 'approval']),
  value: new Set(['discardedUsage', 'result', 'isError', 'recordedAt', 'reconciled', 'evidence']),
  signal: new Set(['result', 'recordedAt']),
  approval: new Set([
    'toolUseId',
    'approved',
    'approver',
    'approverAlg',
    'signature',
    'decidedAt',
    'recordedAt',
    'approverCert',
  ]),
  attempt: new Set(['toolUseId', 'attemptedAt', 'claim']),
  not_started: new Set(['toolUseId', 'claim']),
  header: new Set(['format']),
};

const bitsOf = (slots: ReadonlySet<keyof JournalRecord>) =>
  MEMBERS.reduce((bits, [, slot], i) => (slots.has(slot) ? bits | (1 << i) : bits), 0);
const EVERYBODY = bitsOf(new Set(['name', 'kind', 'salt']));
const CARRIED_BITS: ReadonlyMap<string, number> = new Map(
  Object.entries(CARRIED).map(([kind, slots]) => [kind, bitsOf(slots) | EVERYBODY]),
);

function carried(judge: Judge): void {
  for (const stored of judge.run.journal.records) {
    if (stored.record === undefined) continue;
    const { kind } = stored.record;
    const foreign = stored.members & ~(CARRIED_BITS.get(kind) ?? -1);
    if (foreign === 0) continue;
    const list = MEMBERS.filter((_, i) => (foreign & (1 << i)) !== 0).map(([name]) => name);
    judge.find('journal/member-foreign', stored, 'The record holds a member that records of its kind never carry.', {
      actual: `${list.join(', ')} in a record of kind ${kind}`,
    });
  }
}

/** The model is asked again, and a run is complete, only when every call made so far has its outcome (journal 5.1). */
function openCalls(judge: Judge): void {
  const { run } = judge;
  const complete = run.ends.find(({ name }) => name === 'run:complete');
  // Calls stand in the order of their turns.
  let index = 0;
  for (const call of run.calls.values()) {
    while (run.turns[index] !== call.turn) index++;
    const next = run.turns[index + 1]?.stored ?? complete;
    if (next === undefined || next.position < call.position) continue;
    const outcome = run.outcomes.get(call.id)?.[0];
    if (outcome !== undefined && outcome.position < next.position) continue;
    judge.absent('journal/outcome-missing', next, 'A call that was made before this record has no outcome before it.', {
      expected: `an outcome of ${call.id} before it`,
    });
  }
}

/** V6, and the ids of calls (journal 4.5). */
function turns(judge: Judge): void {
  const { run } = judge;
  if (run.start !== undefined && run.start.value === undefined)
    judge.find('journal/start-unreadable', run.start.stored, 'The value of run:start is not a start.');
  const started = run.start?.stored.position ?? Number.POSITIVE_INFINITY;
  const early = run.turns.find(({ stored }) => stored.position < started);
  if (early !== undefined)
    judge.absent('journal/turn-before-start', early.stored, `No ${RUN_START} stands before the first turn.`);
  run.turns.forEach(({ number, stored }, index) => {
    if (number === index) return;
    judge.absent('journal/turn-order', stored, 'The turn does not follow the turn before it.', {
      expected: `@llm/${index}`,
      actual: stored.name,
    });
  });
  for (const { id, turn } of run.repeatedCalls) {
    judge.find('journal/call-repeated', turn.stored, 'The turn makes a call under an id that was taken.', {
      actual: id,
    });
  }
}

/** V7 */
function outcomes(judge: Judge): void {
  const { run } = judge;
  for (const [id, list] of run.outcomes) {
    const call = run.calls.get(id);
    for (const stored of list) {
      if (!isNameOf(stored.name, 'tool:', id)) {
        judge.find('journal/outcome-name', stored, 'The outcome is not named after its call.', {
          expected: `tool:${encodeId(id)}`,
          actual: stored.name,
        });
      } else if (call === undefined || call.position > stored.position)
        judge.absent(
          'journal/outcome-without-call',
          stored,
          'No earlier turn made the call that this is the outcome of.',
        );
    }
  }
  for (const effect of run.effects.values()) {
    if (effect.kind !== 'tool') continue;
    for (const { stored } of effect.attempts) {
      const id = stored.record.toolUseId;
      const call = run.calls.get(id);
      if (call !== undefined && call.position < stored.position && isNameOf(effect.base, 'attempt:tool:', id)) continue;
      judge.absent('journal/attempt-without-call', stored, 'No earlier turn made the call that this marker is for.');
    }
  }
}

/** V8 */
function attemptRules(judge: Judge): void {
  const { run } = judge;
  for (const effect of run.effects.values()) {
    if (effect.attempts.every(({ number }) => number === 0)) continue;
    const byNumber = new Map(effect.attempts.map((attempt) => [attempt.number, attempt]));
    const outcome = outcomeOf(run, effect);
    for (const attempt of effect.attempts) {
      if (attempt.number === 0) continue;
      const { stored } = attempt;
      const before = byNumber.get(attempt.number - 1);
      if (before === undefined || before.stored.position > stored.position) {
        judge.absent('journal/attempt-gap', stored, 'The attempt before this one is not there before it.', {
          expected: attempts.key(effect.base, attempt.number - 1),
        });
      } else if (before.voidedAt === undefined || before.voidedAt > stored.position) {
        // Only a resolution claims a number after one that may have fired; its outcome carries the time of the person.
        if (outcome === undefined)
          judge.find(
            'journal/resolution-unfinished',
            stored,
            'The claim follows a live attempt and nobody recorded an outcome.',
          );
        else if (!isInjected(outcome)) {
          judge.absent(
            'journal/attempt-unvoided',
            stored,
            'The attempt before this one may have fired, and an engine recorded an outcome after both.',
          );
        }
      }
    }
  }
}

/** V9 */
function voids(judge: Judge): void {
  for (const stored of judge.run.notStarted) {
    const parsed = parseNotStarted(stored.name);
    const { claim } = stored.record;
    if (
      parsed !== undefined &&
      parsed.claim === claim &&
      /^[0-9a-f]{32}$/.test(claim) &&
      parseAttempt(parsed.marker) !== undefined
    )
      continue;
    judge.find('journal/void-forged', stored, 'The record does not speak for an attempt of its own claim.', {
      expected: `attempt:not-started:${claim}:<marker>`,
      actual: stored.name,
    });
  }
}

/** V10 */
function claims(judge: Judge): void {
  const { run } = judge;
  for (const list of run.outcomes.values()) {
    for (const stored of list) {
      const { record } = stored;
      if (record.safety === undefined || isRetrySafe(record) || isDenial(record) || isRefusal(record)) continue;
      const effect = run.effects.get(`attempt:tool:${encodeId(record.toolUseId)}`);
      const { position } = stored;
      const tried = effect?.attempts ?? [];
      if (tried.some((attempt) => attempt.stored.position < position && attempt.voidedAt === undefined)) continue;
      const late = tried.find(
        ({ stored: marker, voidedAt }) => marker.position < position && (voidedAt ?? 0) > position,
      );
      if (late !== undefined)
        judge.find(
          'journal/void-after-effect',
          stored,
          'The attempt that this is the outcome of was declared not started afterwards.',
        );
      else
        judge.absent(
          'journal/effect-without-claim',
          stored,
          'No live attempt stands before this outcome of a side effect.',
        );
    }
  }
  for (const effect of run.effects.values()) {
    if (effect.kind !== 'step' || liveAttempts(effect).length > 0) continue;
    const outcome = outcomeOf(run, effect);
    if (outcome === undefined || isInjected(outcome)) continue;
    if (effect.attempts.some(({ voidedAt }) => voidedAt !== undefined && voidedAt > outcome.position))
      judge.find(
        'journal/void-after-effect',
        outcome,
        'The attempt of this step was declared not started after its outcome.',
      );
  }
}

/** V12 */
function unexplained(judge: Judge): void {
  for (const list of judge.run.outcomes.values()) {
    for (const stored of list) {
      const { record } = stored;
      if (record.safety !== undefined || record.recordedAt !== '' || isRefusal(record)) continue;
      judge.find(
        'journal/outcome-unexplained',
        stored,
        'The outcome says nothing of safety and nobody recorded it by hand.',
      );
    }
  }
}

/** V13 */
function principal(judge: Judge): void {
  const { run } = judge;
  const start = run.start?.value;
  const stored = run.principals[0];
  if (stored === undefined) {
    const named = start?.principal !== undefined && start.principal !== null;
    if (named && run.start !== undefined && run.tombstones === 0)
      judge.find(
        'journal/principal-missing',
        run.start.stored,
        'The start names a principal, and no run:principal stands in the journal.',
      );
    return;
  }
  const value = readRunPrincipal(stored.record.result);
  if (value === undefined || value.principal === null) {
    judge.find('journal/principal-unreadable', stored, 'The value of run:principal does not read strictly.');
    return;
  }
  if (start === undefined || run.start === undefined) return;
  const claimed = requesters(value.principal, value.ancestors);
  const started = requesters(start.principal, start.ancestors);
  if (claimed !== started) {
    judge.find('journal/principal-differs', stored, 'run:principal and run:start name different principals.', {
      expected: started,
      actual: claimed,
    });
  }
}

function requesters(own: Principal | null, ancestors: readonly Principal[] | null): string {
  const pair = (of: Principal | null) => [of?.on_behalf_of ?? '', of?.authority_ref ?? ''];
  return JSON.stringify([pair(own), ...(ancestors ?? []).map(pair)]);
}

/** V14 */
function times(judge: Judge): void {
  for (const stored of judge.run.journal.records) {
    if (stored.record === undefined) continue;
    timeOf(judge, stored, 'decided_at', stored.record.decidedAt);
    timeOf(judge, stored, 'recorded_at', stored.record.recordedAt);
  }
}

function timeOf(judge: Judge, stored: ReadableRecord, member: string, text: string): void {
  if (text === '' || parseTimestamp(text) !== undefined) return;
  judge.find('journal/time-malformed', stored, `The time in ${member} is not one that a journal writes.`, {
    expected: 'YYYY-MM-DDTHH:MM:SS.mmmZ',
    actual: text.slice(0, 60),
  });
}

/**
 * V15: calls in flight when a run is cancelled still finish and record (journal 4.8); after any other end there is no work. A driver that
 * won a claim and then saw the end says that it never began.
 */
function afterEnd(judge: Judge): void {
  const { run } = judge;
  const end = run.ends[0];
  if (end === undefined) return;
  const idle = new Set<string>();
  for (const effect of run.effects.values()) {
    const outcome = outcomeOf(run, effect);
    // A claim that no outcome follows is a resolution's that failed, which V8 reports.
    const resolution = outcome === undefined || isInjected(outcome);
    for (const { stored, number, voidedAt } of effect.attempts)
      if (voidedAt !== undefined || (resolution && number > 0)) idle.add(stored.name);
  }
  for (const stored of run.journal.records) {
    if (stored.record === undefined || stored.position <= end.position) continue;
    const { kind, name } = stored.record;
    if (kind === 'signal' || kind === 'approval' || name.startsWith('@spend')) continue;
    if (run.ends.includes(stored) || name === 'run:cancel-requested') continue;
    if ((kind === 'tool_result' || (kind === 'value' && isStepName(name))) && isInjected(stored)) continue;
    if (kind === 'not_started' || (kind === 'attempt' && idle.has(name))) continue;
    const work = kind === 'model' || kind === 'tool_result' || kind === 'saga_fail' || kind === 'attempt';
    if (end.name === 'run:cancelled' && (work || isStepName(name))) continue;
    if (work) judge.find('journal/work-after-end', stored, `The record stands after ${end.name}.`);
    else judge.find('journal/record-after-end', stored, `The record stands after ${end.name}.`);
  }
}

/** V16 */
function compensations(judge: Judge): void {
  const { run } = judge;
  if (run.compensations.length === 0) return;
  const saga = run.start?.value?.saga === true;
  const requested = run.byName.get('run:cancel-requested')?.position ?? Number.POSITIVE_INFINITY;
  let failed = Number.POSITIVE_INFINITY;
  const completed = new Map<string, ReadableRecord>();
  for (const [id, [stored]] of run.outcomes) {
    if (stored === undefined) continue;
    const failure = stored.record.kind === 'saga_fail' || (stored.record.isError && !isDenial(stored.record));
    if (failure) failed = Math.min(failed, stored.position);
    else completed.set(encodeId(id), stored);
  }
  for (const stored of run.compensations) {
    const outcome = completed.get(stored.name.slice('@saga/compensate/'.length));
    const explained =
      saga &&
      outcome !== undefined &&
      outcome.position < stored.position &&
      Math.min(failed, requested) < stored.position;
    if (!explained)
      judge.find('journal/compensation-unexplained', stored, 'The rules of a saga do not explain this compensation.');
  }
}

function redactions(judge: Judge): void {
  const { run } = judge;
  const tombs = run.journal.records.filter(({ tombstone }) => tombstone !== undefined);
  for (const tomb of tombs) {
    judge.findings.push(
      catalogue.find('journal/redacted', `Record ${tomb.position} was redacted.`, {
        where: { pointer: `/records/${tomb.position}` },
        actual: hex(tomb.tombstone?.leafHash ?? new Uint8Array(0)),
      }),
    );
  }
  if (tombs.length > 0 && run.ends.length === 0) {
    judge.findings.push(
      catalogue.find('journal/redacted-before-end', 'The journal holds a redaction and no end of the run.', {
        where: { pointer: `/records/${tombs[0]?.position ?? 0}` },
      }),
    );
  }
}
