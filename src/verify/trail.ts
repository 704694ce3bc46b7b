/** Kind `trail`: records of who was told of what, when, and whether it was acknowledged (notifications 12 to 15). */

import { readAll } from '../bytes/source.ts';
import type { Claim, Finding, Missing, Verdict } from '../finding/finding.ts';
import { counted } from '../finding/words.ts';
import type { TreeHead } from '../log/head.ts';
import type { Binding } from '../notify/bind.ts';
import { claimOfCondition, type TrailClaim } from '../notify/claims.ts';
import type { TrailDocument } from '../notify/document.ts';
import { noteFinding, nothingToCheck, problemFindings } from '../notify/finding.ts';
import { readTrailDocument, readTrailHead } from '../notify/input.ts';
import type { SettingValues } from '../notify/settings.ts';
import { countNotes, MAX_LINES, timelineOf } from '../notify/timeline.ts';
import { isEmptyHanded, type Judgement, judgeTrail } from '../notify/verify.ts';
import { formatInstant, type Instant } from '../time/instant.ts';
import { isOfFamily, logRing, tooLargeOutcome, unreadOutcome, wholeInput } from './artifact.ts';
import type { Input, KindVerifier, Outcome, TimelineRow, VerifyContext } from './kind.ts';

const REQUIRED = ['sequence', 'delivery'] as const;

/** What a caller adds to a trail document beside what every verification may use. */
export interface TrailOptions {
  /** Gives the document that is judged in place of the one read, with what other files add to it. */
  readonly complete?: (document: TrailDocument) => TrailDocument;
  readonly settings?: SettingValues;
  /** How far ahead of the time of judgement a head may be stamped. */
  readonly skew?: bigint;
  /** The caller takes the records as given. */
  readonly unbound?: boolean;
  /** A warning fails the trail too. */
  readonly strict?: boolean;
}

/** The verifier of trails under options of its own; without any, the one that every verification uses. */
export function trailVerifier(options: TrailOptions = {}): KindVerifier {
  return {
    kind: 'trail',
    detect: (prefix) => isOfFamily(prefix, 'bide-audit.notify-trail') || isOfFamily(prefix, 'bide.audit.trail-export'),
    verify(input, context) {
      const bytes = wholeInput(input);
      if (bytes === undefined) return tooLargeOutcome(REQUIRED);
      const reading = readTrailDocument(bytes);
      if (!reading.ok) return unreadOutcome(problemFindings(reading.problems), REQUIRED);
      const document = options.complete?.(reading.value) ?? reading.value;
      const given = withHeads(document, context.heads ?? []);
      const outcome = trailOutcome(given.document, context, options);
      return {
        ...outcome,
        findings: [...given.findings, ...outcome.findings],
        notSupplied: [...(outcome.notSupplied ?? []), ...given.unused],
      };
    },
  };
}

export const verifier: KindVerifier = trailVerifier();

/** The document with the heads among the files given that are of its trail, or of a segment or index in it. */
function withHeads(
  document: TrailDocument,
  files: readonly Input[],
): { readonly document: TrailDocument; readonly findings: readonly Finding[]; readonly unused: readonly string[] } {
  const byTrail = new Map<string, TreeHead[]>();
  const findings: Finding[] = [];
  const unused: string[] = [];
  const { open } = document;
  const names = new Set([
    document.trail,
    ...[...(open?.segments ?? []), ...(open?.indexes ?? [])].map(({ name }) => name),
  ]);
  for (const { path, source } of files) {
    const reading = readTrailHead(readAll(source));
    if (!reading.ok) {
      findings.push(...problemFindings(reading.problems, path));
      continue;
    }
    const { kind, run_id: trail } = reading.value;
    if (kind === 'events' && names.has(trail)) byTrail.set(trail, [...(byTrail.get(trail) ?? []), reading.value]);
    else unused.push(`${path} is a head of kind ${kind} of ${JSON.stringify(trail)}, not of this trail`);
  }
  const add = <T extends { readonly heads?: readonly TreeHead[] | undefined }>(part: T, name: string): T => {
    const given = byTrail.get(name);
    return given === undefined ? part : { ...part, heads: [...(part.heads ?? []), ...given] };
  };
  const parts =
    open === undefined
      ? undefined
      : {
          ...open,
          segments: open.segments.map((segment) => add(segment, segment.name)),
          indexes: open.indexes.map((index) => add(index, index.name)),
        };
  return { document: { ...add(document, document.trail), open: parts }, findings, unused };
}

/** The outcome of a document that was read. */
export function trailOutcome(
  document: TrailDocument,
  context: Pick<VerifyContext, 'at' | 'trust'>,
  options: TrailOptions = {},
): Outcome {
  const ring = logRing(context as VerifyContext);
  const judgement = judgeTrail(document, {
    now: context.at,
    ring: ring.length === 0 ? undefined : ring,
    ...(options.settings === undefined ? {} : { settings: options.settings }),
    ...(options.skew === undefined ? {} : { skew: options.skew }),
  });
  const claims = claimsOf(judgement, options);
  const nothing = isEmptyHanded(judgement) ? [nothingToCheck()] : [];
  const source = judgement.asOfSource === 'option' ? 'option' : 'evidence';
  return {
    subject: {
      format: judgement.document.format,
      trail: judgement.document.trail,
      run: judgement.document.runId ?? null,
      role: judgement.document.role,
      leaf_kind: judgement.document.leafKind ?? null,
      bound: judgement.binding.bound,
      as_of_from: judgement.asOfSource,
      taken_as_given: options.unbound === true,
      strict: options.strict === true,
    },
    counts: countsOf(judgement),
    claims,
    required: REQUIRED,
    findings: [...nothing, ...judgement.notes.map((note) => noteFinding(note, judgement.document, options.strict))],
    missing: missingOf(judgement, claims),
    notSupplied: notSuppliedOf(judgement),
    timeline: rowsOf(judgement),
    ...(judgement.asOfSource === 'none' ? {} : { asOf: { time: formatInstant(judgement.asOf), source } }),
  };
}

function countsOf({ document, state, model, binding, notes, folds }: Judgement): Readonly<Record<string, number>> {
  let [acknowledged, cleared, late, clears] = [0, 0, 0, 0];
  for (const { acked, cleared: end, observed } of state.events.values()) {
    if (acked !== undefined) acknowledged++;
    else if (end !== undefined) cleared++;
    if (acked !== undefined && observed.deadlineAt !== undefined && acked.at > observed.deadlineAt) late++;
    if (observed.eventKind === 'resolved') clears++;
  }
  const events = model.events.size;
  return {
    records: document.records.length,
    records_passed_over: state.ignored.length,
    records_attested: binding.attested,
    events,
    acknowledged,
    acknowledged_late: late,
    cleared,
    open: events - acknowledged - cleared,
    all_clears: clears,
    journal_events: document.journal?.events.length ?? 0,
    segments: folds.size,
    ...(events > MAX_LINES ? { timeline_left_out: events - MAX_LINES } : {}),
    ...countNotes(notes),
  };
}

function claimsOf(judgement: Judgement, { unbound = false, strict = false }: TrailOptions): readonly Claim[] {
  const against = new Map<TrailClaim, number>();
  for (const { condition, severity } of judgement.notes) {
    if (severity !== 'error' && !(strict && severity === 'warning')) continue;
    const claim = claimOfCondition(condition);
    against.set(claim, (against.get(claim) ?? 0) + 1);
  }
  const { binding, document, model, state } = judgement;
  const total = document.records.length;
  const tail = total - binding.attested;
  const taken = binding.bound || unbound;
  const empty =
    isEmptyHanded(judgement) || (total === 0 && document.open === undefined && document.journal === undefined);
  const record = (claim: TrailClaim, scope: string, holds: string, wrong: readonly [string, string]): Claim => {
    const bad = against.get(claim) ?? 0;
    const verdict: Verdict = bad > 0 ? 'failed' : empty || !taken ? 'undecided' : 'verified';
    const tailNote =
      binding.bound && tail > 0
        ? `; of this, what the ${counted(tail, 'record')} after the head say is not attested`
        : '';
    const detail =
      bad > 0
        ? counted(bad, ...wrong)
        : empty
          ? 'there is nothing to check'
          : taken
            ? `${holds}${tailNote}${binding.bound ? '' : '; the records are taken as given'}`
            : `${holds}, as far as the records go; nothing shows that they are the records of the trail`;
    return {
      claim,
      verdict,
      grade: verdict === 'undecided' ? (empty ? 'none' : 'asserted') : 'rechecked',
      scope,
      detail,
    };
  };
  let [acknowledged, open] = [0, 0];
  for (const { acked, cleared } of state.events.values()) {
    if (acked !== undefined) acknowledged++;
    else if (cleared === undefined) open++;
  }
  const journal =
    document.journal === undefined
      ? ''
      : `, against ${counted(document.journal.events.length, 'event')} of the journal`;
  return [
    record('sequence', `${counted(total, 'record')} in their order`, 'a notifier can have written this history', [
      'thing stands here that no correct notifier writes',
      'things stand here that no correct notifier writes',
    ]),
    record(
      'delivery',
      `${acknowledged} of ${counted(model.events.size, 'event')} acknowledged${open > 0 ? `, ${open} open` : ''}${journal}`,
      document.journal === undefined
        ? 'what the trail observed was delivered or is in time; that every event reached the trail, only the journal can show'
        : 'every event of the journal was delivered or is in time',
      ['promise to tell a person was not kept', 'promises to tell a person were not kept'],
    ),
    record(
      'clears',
      document.open === undefined
        ? 'the run trail'
        : `the run trail and ${counted(judgement.folds.size, 'segment')} of the open trail`,
      'every receiver who had to hear of an end did, or is in time',
      ['end was not told as it should be', 'ends were not told as they should be'],
    ),
    ...bindingClaims(binding, against, empty),
  ];
}

function bindingClaims(binding: Binding, against: ReadonlyMap<TrailClaim, number>, empty: boolean): readonly Claim[] {
  const { bound, attested, total, head, lacks } = binding;
  const tail = total - attested;
  const scope = bound ? `records 1 to ${attested} of ${total}` : counted(total, 'record');
  const why = empty
    ? 'there is nothing to check'
    : lacks.length > 0
      ? `not given: ${lacks.join(', ')}`
      : 'no head that was given binds these records';
  const later = tail > 0 ? `; the ${counted(tail, 'record')} after it can be changed, removed or added unnoticed` : '';
  const part = (claim: TrailClaim, wrong: string, holds: string): Claim => {
    const failed = (against.get(claim) ?? 0) > 0;
    const verdict: Verdict = failed ? 'failed' : bound && tail === 0 ? 'verified' : 'undecided';
    return {
      claim,
      verdict,
      grade: verdict === 'undecided' && !bound ? 'none' : 'rechecked',
      scope,
      detail: failed ? wrong : bound ? `${holds}${later}` : why,
    };
  };
  const at = head === undefined ? '' : formatInstant(head.timestamp_nanos);
  const missing = (against.get('completeness') ?? 0) > 0;
  return [
    part(
      'integrity',
      'the records are not those that were signed',
      'the leaves give the root that was signed, and the records are those of the leaves',
    ),
    part(
      'authorship',
      'a head is not signed by a key that you trust, or is not of this trail',
      'the log that you trust signed the root over these records',
    ),
    {
      claim: 'completeness',
      verdict: missing ? 'failed' : bound ? 'verified' : 'undecided',
      grade: missing || bound ? 'rechecked' : 'none',
      scope: bound
        ? `complete as of size ${attested} at ${at}${tail > 0 ? `, ${counted(tail, 'later record')} unattested` : ''}`
        : scope,
      detail: missing
        ? 'the log signed a longer trail'
        : bound
          ? 'no record was removed up to that size; no artifact proves that it is the last head'
          : why,
    },
  ];
}

function missingOf(judgement: Judgement, claims: readonly Claim[]): readonly Missing[] {
  const { binding, document, state, asOf } = judgement;
  const items: Record<Binding['lacks'][number], Omit<Missing, 'claim'>> = {
    leaves: {
      item: `the stored leaves of ${JSON.stringify(document.trail)}, with their salts`,
      who: 'whoever exported the trail',
      from: null,
    },
    heads: { item: `a signed head of ${JSON.stringify(document.trail)}`, who: 'the keeper of the log', from: null },
    key: {
      item: 'the public key of the log, in a trust file',
      who: 'the keeper of the log, by a way that is not this file',
      from: null,
    },
  };
  const newer: Omit<Missing, 'claim'> = binding.bound
    ? {
        item: `a signed head of ${JSON.stringify(document.trail)} of size ${binding.total}`,
        who: 'the keeper of the log',
        from: null,
      }
    : { item: 'the trail as its store holds it, with a head that covers it', who: 'whoever exported it', from: null };
  const missing: Missing[] = [];
  for (const { claim, verdict } of claims) {
    if (verdict !== 'undecided') continue;
    const lacks = binding.lacks.map((lack) => items[lack]);
    for (const item of lacks.length > 0 ? lacks : [newer]) missing.push({ claim, ...item });
  }
  let due: Instant | undefined;
  for (const { acked, cleared, observed } of state.events.values()) {
    const { deadlineAt } = observed;
    if (
      acked === undefined &&
      cleared === undefined &&
      deadlineAt !== undefined &&
      deadlineAt >= asOf &&
      (due === undefined || deadlineAt > due)
    )
      due = deadlineAt;
  }
  if (due !== undefined)
    missing.push({
      claim: 'delivery',
      item: 'the trail after the last deadline that is still running',
      who: 'whoever exported the trail',
      from: formatInstant(due),
    });
  return missing;
}

function notSuppliedOf({ document, binding }: Judgement): readonly string[] {
  const list: string[] = [];
  if (document.journal === undefined)
    list.push("the run's journal: an event that never reached the trail shows only there");
  else if (!document.journal.complete)
    list.push('a complete list of the events of the journal: an event may be told of that never was');
  if (document.routing === undefined) list.push('the routing: whether the right receivers were told was not judged');
  if (document.open === undefined)
    list.push('the open trail: whether each event was listed while an all-clear was owed was not judged');
  if (document.deliveries === undefined)
    list.push('receipts of the sink: that anything arrived is the word of the notifier');
  if (!binding.bound) list.push('a signed head that binds these records');
  else list.push('a later head of this trail: no artifact proves that the one given is the last');
  return list;
}

function rowsOf(judgement: Judgement): readonly TimelineRow[] {
  return timelineOf(judgement).map(({ at, text, key, receiver, verdict }) => ({
    time: formatInstant(at),
    type: 'notification',
    text,
    ...(key === '' ? {} : { entry: key }),
    ...(receiver === '' ? {} : { lane: receiver }),
    verdict,
  }));
}
