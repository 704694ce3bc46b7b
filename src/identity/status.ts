/**
 * Revocation status of one certificate and how firmly it is known (approver-identity 14.3 to 15.4), over plain values: what lists and
 * responses say, never their bytes. Which of them are usable at all is `statusLists.ts`.
 */
import type { Instant } from '../time/instant.ts';

/** An entry about the certificate. A reason code that is absent is 0. */
export interface Listing {
  readonly revocationDate: Instant;
  readonly invalidityDate: Instant | undefined;
  readonly reason: number;
}

/** One usable CRL, or one usable OCSP answer, as far as it speaks about the certificate. */
export interface StatusList {
  readonly kind: 'crl' | 'ocsp';
  /** Hex SHA-256 of its bytes. */
  readonly id: string;
  readonly thisUpdate: Instant;
  readonly nextUpdate: Instant;
  /** Of a CRL. */
  readonly number: bigint | undefined;
  /** expiredCertsOnCRL or archiveCutoff. */
  readonly keepsExpiredSince: Instant | undefined;
  readonly listing: Listing | undefined;
}

/** The members of the policy that status rests on, for the issuer in question. */
export interface StatusRules {
  readonly maxStatusAge: bigint;
  readonly execStatusAge: bigint;
  readonly caOverlap: bigint | undefined;
  readonly caPeriod: bigint;
  readonly coverageTolerance: bigint;
  readonly thisUpdateSkew: bigint;
  readonly w: bigint;
  readonly minW: bigint;
  readonly routineGrace: bigint;
  readonly allowHolds: boolean;
  readonly consecutiveNumbers: boolean;
  readonly countLive: boolean;
  readonly retained: boolean;
}

/** `live`: what the gate knew; `audit`: what is known now; `exec`: whether the call could run (14.6). */
export type StatusMode = 'live' | 'audit' | 'exec';

export interface StatusQuestion {
  readonly lists: readonly StatusList[];
  readonly notAfter: Instant;
  /** D and A of the decision. */
  readonly decided: Instant;
  readonly anchored: Instant;
  /** The evaluation time t. */
  readonly at: Instant;
  readonly mode: StatusMode;
  readonly rules: StatusRules;
}

export type StatusNote =
  | 'crl-number-reused'
  | 'revocation-withdrawn'
  | 'series-gap'
  | 'revoked-within-window'
  | 'held-within-window'
  | 'exec-status-overlap';

export type BasisKind = 'at-or-after-decision' | 'live-before-decision';

export type StatusAnswer = { readonly notes: readonly StatusNote[] } & (
  | { readonly result: 'revoked'; readonly e: Instant; readonly reason: number; readonly list: string }
  | { readonly result: 'unknown' }
  | { readonly result: 'stale'; readonly newest: StatusList }
  | {
      readonly result: 'good';
      readonly basis: BasisKind;
      readonly final: boolean;
      /** S of 15.4. */
      readonly statusTime: Instant;
      /** W′ of 15.2. */
      readonly window: bigint;
      readonly target: Instant;
      /** The list that S is of. */
      readonly rests: StatusList;
    }
);

const HOLD = 6;
const ROUTINE: ReadonlySet<number> = new Set([3, 4, 5, 9]);
const isCompromise = (reason: number): boolean => reason !== HOLD && !ROUTINE.has(reason);

/** The invalidity date where it says more than the revocation date: a later one would excuse what the CA had already disowned (14.3 rule 1). */
const invalidity = ({ revocationDate, invalidityDate }: Listing): Instant | undefined =>
  invalidityDate !== undefined && invalidityDate <= revocationDate ? invalidityDate : undefined;

const later = (a: Instant, b: Instant): Instant => (b > a ? b : a);

const earliest = (listing: Listing): Instant => invalidity(listing) ?? listing.revocationDate;

/** Order of a series; ties are settled by number and hash, so that the order of supply never matters. */
function inOrder(a: StatusList, b: StatusList): number {
  if (a.thisUpdate !== b.thisUpdate) return a.thisUpdate < b.thisUpdate ? -1 : 1;
  const [x, y] = [a.number ?? -1n, b.number ?? -1n];
  if (x !== y) return x < y ? -1 : 1;
  return a.id < b.id ? -1 : a.id > b.id ? 1 : 0;
}

/** Sections 14.3 to 15.4 for one certificate. */
export function certificateStatus(question: StatusQuestion): StatusAnswer {
  const { notAfter, anchored, rules } = question;
  const notes = new Set<StatusNote>();
  const usable = usableAt(question);
  const reused = reusedNumbers(usable);
  if (reused.size > 0) notes.add('crl-number-reused');
  const absent = new Set(usable.filter((list) => !reused.has(list) && saysAbsent(list, usable, question)));
  const informative = usable.filter((list) => list.listing !== undefined || absent.has(list));

  // 14.3 and 14.4
  const revocation = effectiveRevocation(usable, absent, question, notes);
  if (revocation !== undefined && revocation.e <= anchored)
    return { result: 'revoked', notes: [...notes], e: revocation.e, reason: revocation.reason, list: revocation.list };

  // 14.5
  const newest = informative.at(-1);
  if (newest === undefined) return { result: 'unknown', notes: [...notes] };

  // 14.6
  const reaches = (list: StatusList, instant: Instant) => list.thisUpdate - rules.thisUpdateSkew >= instant;
  const after = reaches(newest, anchored);
  if (isStale(question, newest, after, notes)) return { result: 'stale', notes: [...notes], newest };

  // 15.2
  const kept = rules.retained || usable.some((list) => keepsExpired(list, notAfter));
  const whole = anchored + rules.w;
  const target = notAfter < whole && !kept ? later(anchored, notAfter) : whole;
  const window = target - anchored;

  // 15.3
  const gap = hasGap(informative, question, target);
  if (gap) notes.add('series-gap');

  // 15.4
  const reaching = informative.filter((list) => reaches(list, target));
  const settled = reaching.find(({ listing }) => listing?.reason !== HOLD);
  if (reaching.length > 0 && settled === undefined) notes.add('held-within-window');
  const disowned = usable.some(
    ({ listing }) =>
      listing !== undefined &&
      (isCompromise(listing.reason) || (listing.reason === HOLD && !rules.allowHolds)) &&
      invalidity(listing) === undefined &&
      earliest(listing) > anchored &&
      earliest(listing) <= target,
  );
  if (disowned) notes.add('revoked-within-window');
  const final = after && settled !== undefined && window >= rules.minW && !gap && !disowned;
  const rests = final && settled !== undefined ? settled : newest;
  return {
    result: 'good',
    notes: [...notes],
    basis: after ? 'at-or-after-decision' : 'live-before-decision',
    final,
    statusTime: rests.thisUpdate,
    window,
    target,
    rests,
  };
}

/** 14.1 rule 5: what did not exist at t is no evidence at t. Each list once. */
function usableAt({ lists, at, rules }: StatusQuestion): readonly StatusList[] {
  const seen = new Set<string>();
  return lists
    .filter(({ id, thisUpdate }) => thisUpdate <= at + rules.thisUpdateSkew && !seen.has(id) && seen.add(id).size > 0)
    .sort(inOrder);
}

/** 14.1 rule 7. */
function reusedNumbers(lists: readonly StatusList[]): ReadonlySet<StatusList> {
  const byNumber = new Map<bigint, StatusList[]>();
  for (const list of lists)
    if (list.number !== undefined) byNumber.set(list.number, [...(byNumber.get(list.number) ?? []), list]);
  return new Set([...byNumber.values()].filter((same) => same.length > 1).flat());
}

function keepsExpired({ keepsExpiredSince }: StatusList, notAfter: Instant): boolean {
  return keepsExpiredSince !== undefined && keepsExpiredSince <= notAfter;
}

/** 14.1, last paragraph: silence about an expired certificate means nothing, but for the very next list. */
function saysAbsent(list: StatusList, usable: readonly StatusList[], { notAfter, rules }: StatusQuestion): boolean {
  if (list.listing !== undefined) return false;
  if (list.thisUpdate <= notAfter || rules.retained || keepsExpired(list, notAfter)) return true;
  const { number } = list;
  if (number === undefined) return false;
  return usable.some(
    (before) => before.number !== undefined && before.number + 1n === number && before.thisUpdate <= notAfter,
  );
}

interface Revocation {
  readonly e: Instant;
  readonly reason: number;
  readonly list: string;
}

/** The least E over all listings; of equal ones the newest list gives it (14.3 rules 3 to 5, 14.4). */
function effectiveRevocation(
  usable: readonly StatusList[],
  absent: ReadonlySet<StatusList>,
  { decided, anchored, rules, notAfter }: StatusQuestion,
  notes: Set<StatusNote>,
): Revocation | undefined {
  let least: Revocation | undefined;
  const take = (e: Instant, { reason }: Listing, { id }: StatusList): void => {
    if (least === undefined || e <= least.e) least = { e, reason, list: id };
  };
  let hold: { start: Instant; listing: Listing; list: StatusList } | undefined;
  let listed = false;
  for (const list of usable) {
    const { listing } = list;
    if (listing === undefined) {
      if (!absent.has(list)) continue;
      if (listed && list.thisUpdate <= notAfter) notes.add('revocation-withdrawn');
      // Released: what lies outside of [start, end) is unaffected.
      if (hold !== undefined && anchored >= hold.start && anchored < list.thisUpdate)
        take(hold.start, hold.listing, hold.list);
      hold = undefined;
      continue;
    }
    if (listing.reason === HOLD && rules.allowHolds) {
      if (hold === undefined || earliest(listing) < hold.start) hold = { start: earliest(listing), listing, list };
      continue;
    }
    if (listing.reason !== HOLD) listed = true;
    const graced =
      ROUTINE.has(listing.reason) && listing.invalidityDate === undefined && decided <= listing.revocationDate;
    const e = graced ? listing.revocationDate + rules.routineGrace : earliest(listing);
    take(hold !== undefined && hold.start < e ? hold.start : e, listing, list);
    hold = undefined;
  }
  if (hold !== undefined && anchored >= hold.start) take(hold.start, hold.listing, hold.list);
  return least;
}

function isStale(
  { at, anchored, mode, rules }: StatusQuestion,
  newest: StatusList,
  after: boolean,
  notes: Set<StatusNote>,
): boolean {
  const { thisUpdate: s, nextUpdate } = newest;
  if (mode === 'audit')
    return !after && !(rules.countLive && anchored <= nextUpdate && anchored - s <= rules.maxStatusAge);
  if (at > nextUpdate) return true;
  if (mode === 'live') {
    if (at - s > rules.maxStatusAge) return true;
  } else if (at - s > rules.execStatusAge) {
    if (rules.caOverlap === undefined || at - s > rules.caPeriod + rules.caOverlap) return true;
    notes.add('exec-status-overlap');
  }
  return !after && !rules.countLive;
}

/** 15.3: a step that is too long, or a number that is missing, between A and the target. */
function hasGap(informative: readonly StatusList[], { anchored, rules }: StatusQuestion, target: Instant): boolean {
  const step = rules.caPeriod + rules.coverageTolerance;
  const before = informative.findLastIndex(({ thisUpdate }) => thisUpdate <= anchored);
  const from = Math.max(before, 0);
  const first = informative[from];
  if (before < 0 && first !== undefined && first.thisUpdate - anchored > step) return true;
  const end = informative.findIndex(({ thisUpdate }) => thisUpdate - rules.thisUpdateSkew >= target);
  const range = informative.slice(from, end < 0 ? informative.length : end + 1);
  if (range.some((list, i) => i > 0 && list.thisUpdate - (range[i - 1] as StatusList).thisUpdate > step)) return true;
  if (!rules.consecutiveNumbers) return false;
  // An OCSP answer has no number: it is a point in time only (14.2).
  const numbers = range.flatMap(({ number }) => number ?? []);
  return numbers.some((number, i) => i > 0 && number !== (numbers[i - 1] as bigint) + 1n);
}
