/**
 * The verifier of notification trails (notifications 13): folds, links, every numbered rule, binding to signed heads. A pure function of
 * the document, the keys and the instant to judge by; it reads no clock and throws for no input.
 */
import { widestHead } from '../log/heads.ts';
import type { KeyRing } from '../log/keyRing.ts';
import type { Instant } from '../time/instant.ts';
import { type Binding, bind } from './bind.ts';
import { checkClears, checkExpiry } from './checks/clears.ts';
import { checkEscalation, checkOrphans } from './checks/escalation.ts';
import { checkEvents } from './checks/events.ts';
import { checkDeliveries, checkJournal } from './checks/journal.ts';
import { checkOpen } from './checks/open.ts';
import { checkRecords, checkSequence } from './checks/records.ts';
import { checkRecovery } from './checks/recovery.ts';
import type { CheckContext } from './context.ts';
import type { RecordList, TrailDocument } from './document.ts';
import { foldNotify, type TrailState } from './fold.ts';
import { asOpenPart, mergeOpen } from './input.ts';
import { buildModel, type TrailModel } from './model.ts';
import { type Note, Notes, sortNotes } from './notes.ts';
import type { SegmentState } from './open.ts';
import { isMalformed, type TrailRecord } from './record.ts';
import { type Settings, type SettingValues, withDefaults } from './settings.ts';

export interface JudgeOptions {
  /** The instant to judge by, before every other source (13.1). */
  readonly now?: Instant | undefined;
  /** Keys that may sign heads of trails. */
  readonly ring?: KeyRing | undefined;
  /** Settings that take the place of the document's. */
  readonly settings?: SettingValues;
  /** How far ahead of the time of judgement a head may be stamped; 5 minutes. */
  readonly skew?: bigint;
}

/** Where the instant judged by comes from. */
export type AsOfSource = 'option' | 'document' | 'head' | 'records' | 'none';

export interface Judgement {
  readonly document: TrailDocument;
  readonly settings: Settings;
  readonly asOf: Instant;
  readonly asOfSource: AsOfSource;
  readonly state: TrailState;
  readonly model: TrailModel;
  /** Fold of each supplied segment. */
  readonly folds: ReadonlyMap<string, SegmentState>;
  readonly binding: Binding;
  /** Bindings of segments and indexes that came with leaves or heads of their own. */
  readonly parts: ReadonlyMap<string, Binding>;
  /** In the order of the report. */
  readonly notes: readonly Note[];
}

/** Judges a trail. */
export function judgeTrail(given: TrailDocument, options: JudgeOptions = {}): Judgement {
  const document = given.role === 'open' ? openAlone(given) : given;
  const settings = withDefaults({ ...document.settings, ...options.settings });
  const { asOf, asOfSource } = timeOfJudgement(document, options.now);
  const notes = new Notes();
  const records = document.role === 'open' ? [] : document.records;
  // 13.2
  const valid = document.role === 'open' ? [] : checkRecords({ document, settings, asOf, notes });
  const state = foldNotify(records);
  const model = buildModel(state, document.journal);
  const context: CheckContext = { document, settings, asOf, state, model, notes };
  // 13.3
  checkSequence(context, valid);
  // 13.4
  checkOrphans(context);
  // 13.5
  checkRecovery(context, valid);
  // 13.7
  checkEvents(context);
  checkClears(context);
  // 13.8
  checkEscalation(context);
  // 13.9
  checkExpiry(context);
  // 13.10
  checkJournal(context);
  // 13.11
  checkDeliveries(context);
  // 13.12
  const folds = checkOpen(context);
  // 12.2
  const { trail, heads, proofs } = document;
  const common = { ring: options.ring, asOf, ...(options.skew === undefined ? {} : { skew: options.skew }) };
  const binding = bind({ ...common, list: given, trail, heads, proofs, where: 'heads' }, notes);
  const parts = bindParts(document, common, notes);
  return { document, settings, asOf, asOfSource, state, model, folds, binding, parts, notes: sortNotes(notes.list) };
}

/** A document that is itself a segment or an index is judged as the open trail that it is a part of. */
function openAlone(document: TrailDocument): TrailDocument {
  return { ...document, open: mergeOpen(document.open, [asOpenPart(document, '/records')], false) };
}

function bindParts(
  document: TrailDocument,
  common: Pick<JudgeOptions, 'ring' | 'skew'> & { readonly asOf: Instant },
  notes: Notes,
): ReadonlyMap<string, Binding> {
  const parts = new Map<string, Binding>();
  const bindPart = (
    list: RecordList & { readonly name: string; readonly heads?: TrailDocument['heads'] },
    where: string,
  ) => {
    if (list.name === document.trail || (list.leaves === undefined && list.heads === undefined)) return;
    const { ring, asOf, skew } = common;
    parts.set(
      list.name,
      bind(
        {
          list,
          trail: list.name,
          heads: list.heads,
          proofs: [],
          ring,
          asOf,
          where,
          ...(skew === undefined ? {} : { skew }),
        },
        notes,
      ),
    );
  };
  for (const segment of document.open?.segments ?? []) bindPart(segment, `open:${segment.name}`);
  for (const index of document.open?.indexes ?? []) bindPart(index, `index:${index.name}`);
  return parts;
}

/** The first instant that is present (13.1). Never the wall clock. */
function timeOfJudgement(
  document: TrailDocument,
  now: Instant | undefined,
): { readonly asOf: Instant; readonly asOfSource: AsOfSource } {
  if (now !== undefined) return { asOf: now, asOfSource: 'option' };
  if (document.asOf !== undefined) return { asOf: document.asOf, asOfSource: 'document' };
  const head = widestHead(document.heads ?? []);
  if (head !== undefined) return { asOf: head.timestamp_nanos, asOfSource: 'head' };
  let latest: Instant | undefined;
  const take = (at: Instant | undefined) => {
    if (at !== undefined && (latest === undefined || at > latest)) latest = at;
  };
  const takeAll = (records: readonly TrailRecord[]) => {
    for (const record of records) if (!isMalformed(record)) take(record.at);
  };
  takeAll(document.records);
  for (const { records } of document.open?.segments ?? []) takeAll(records);
  for (const { records } of document.open?.indexes ?? []) takeAll(records);
  for (const { at, resolvedAt } of document.journal?.events ?? []) {
    take(at);
    take(resolvedAt);
  }
  return latest === undefined ? { asOf: 0n, asOfSource: 'none' } : { asOf: latest, asOfSource: 'records' };
}

/** Whether there was nothing to check: no record, no leaf, no head and no journal event (15). */
export function isEmptyHanded({ document }: Judgement): boolean {
  return (
    document.records.length === 0 &&
    (document.leaves?.length ?? 0) === 0 &&
    (document.heads?.length ?? 0) === 0 &&
    (document.journal?.events.length ?? 0) === 0
  );
}

/** The exit status of section 15: 0 holds and bound, 1 an error or nothing to check, 3 consistent but not bound. */
export function statusOf(judgement: Judgement, { unbound = false, strict = false } = {}): 0 | 1 | 3 {
  const fails = judgement.notes.some(({ severity }) => severity === 'error' || (strict && severity === 'warning'));
  if (fails || isEmptyHanded(judgement)) return 1;
  return judgement.binding.bound || unbound ? 0 : 3;
}
