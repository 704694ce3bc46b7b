/**
 * When a decision became provable: A(d) (approver-identity 11). The first signed head that covers the record, tokens and receipts over it;
 * always the upper bound, because a later A makes more revocations apply and asks for later status.
 */
import { equalBytes, hex } from '../bytes/encoding.ts';
import type { Finding } from '../finding/finding.ts';
import { storedLeafHash } from '../journal/leaf.ts';
import type { Journal } from '../journal/record.ts';
import type { ReceiptVerifier } from '../log/anchor.ts';
import { DEFAULT_SKEW, headHash, headTimeFindings, signedBytes, type TreeHead } from '../log/head.ts';
import { authenticateHead, type KeyRing } from '../log/keyRing.ts';
import { hashPrefixRoots } from '../log/leaves.ts';
import type { Certificate } from '../pki/certificate.ts';
import type { Crl } from '../pki/crl.ts';
import { anchorOf } from '../pki/pathValidation.ts';
import { judgeTimestamp } from '../pki/timestamp.ts';
import type { TimestampToken } from '../pki/timestampToken.ts';
import { formatInstant, type Instant } from '../time/instant.ts';
import { catalogue } from './catalogue.ts';

export type TimeSource = 'log-signer-clock' | 'rfc3161' | 'anchor-receipt';

/** An authentic head of the run. */
export interface VettedHead {
  readonly head: TreeHead;
  /** Hex of Hash(head). */
  readonly hash: string;
  readonly size: number;
  readonly time: Instant;
  /** Whether the journal at hand gives its root; only such a head covers anything. */
  readonly covers: boolean;
}

/** Heads of one run as they are given: kind, run and signature unchecked. */
export interface GivenHead {
  readonly head: TreeHead;
  readonly part?: string;
}

export interface VettedHeads {
  readonly heads: readonly VettedHead[];
  readonly findings: readonly Finding[];
  /** Heads that no key in force authenticates, or that are of another run or kind: they date nothing. */
  readonly refused: number;
}

/**
 * Takes the heads that may date decisions (11.1): of this run, of kind `journal`, authentic under the key in force at their time, and of
 * this journal. Two authentic heads that cannot be of one tree fail the whole audit.
 *
 * @param asOf heads stamped later than this and its allowance are not used; undefined leaves that out.
 * @param proven the head under which proofs show every record of a selection; the leaves of a selection give no root.
 */
export function vetHeads(
  given: readonly GivenHead[],
  ring: KeyRing,
  journal: Journal,
  asOf?: Instant,
  proven?: TreeHead,
): VettedHeads {
  const findings: Finding[] = [];
  let refused = 0;
  const authentic = new Map<string, GivenHead>();
  for (const one of given) {
    const { head } = one;
    const ok =
      head.kind === 'journal' &&
      head.run_id === journal.run &&
      ring.length > 0 &&
      authenticateHead(head, ring).ok &&
      headTimeFindings(head, asOf, DEFAULT_SKEW).length === 0;
    if (ok) authentic.set(hex(headHash(head)), one);
    else refused++;
  }
  const ordered = [...authentic].sort(([a, x], [b, y]) => byPlace(x.head, y.head) || (a < b ? -1 : 1));
  const sizes = proven === undefined ? ordered.map(([, { head }]) => head.size) : [];
  const roots = hashPrefixRoots(journal.records.map(storedLeafHash), sizes);
  const shown = proven === undefined ? undefined : hex(headHash(proven));
  const heads: VettedHead[] = [];
  const bad = new Set<number>();
  let previous: TreeHead | undefined;
  for (const [hash, { head, part }] of ordered) {
    const where = { entry: hash, ...(part === undefined ? {} : { part }) };
    if (previous !== undefined && previous.size === head.size && !sameRoot(previous.root, head.root)) {
      bad.add(head.size);
      findings.push(
        catalogue.find('identity/log-equivocation', `two signed heads of size ${head.size} have different roots`, {
          where,
          expected: rootText(previous.root),
          actual: rootText(head.root),
        }),
      );
    }
    previous = head;
    const root = roots.get(head.size);
    if (root !== undefined && !sameRoot(head.root, root)) {
      findings.push(
        catalogue.find(
          'identity/head-of-other-records',
          `the signed head of size ${head.size} is not of these records`,
          {
            where,
            expected: rootText(head.root),
            actual: hex(root),
          },
        ),
      );
      continue;
    }
    heads.push({
      head,
      hash,
      size: head.size,
      time: head.timestamp_nanos,
      covers: root !== undefined || hash === shown,
    });
  }
  return { heads: heads.map((head) => (bad.has(head.size) ? { ...head, covers: false } : head)), findings, refused };
}

function byPlace(a: TreeHead, b: TreeHead): number {
  if (a.size !== b.size) return a.size - b.size;
  return a.timestamp_nanos < b.timestamp_nanos ? -1 : a.timestamp_nanos > b.timestamp_nanos ? 1 : 0;
}

const sameRoot = (a: Uint8Array | null, b: Uint8Array | null): boolean => a !== null && b !== null && equalBytes(a, b);
const rootText = (root: Uint8Array | null): string => (root === null ? 'none' : hex(root));

/** A token or receipt, with the head that it is said to be over where somebody says so. */
export interface GivenTime {
  readonly headHash: string | undefined;
  readonly proof:
    | { readonly kind: 'rfc3161'; readonly token: TimestampToken }
    | { readonly kind: 'anchor-receipt'; readonly receipt: Uint8Array; readonly sha256: string };
}

/** What tokens and receipts are judged with. */
export interface TimeTrust {
  readonly tsaAnchors: readonly Certificate[];
  readonly tsaDefaultAccuracy: bigint;
  readonly crls: readonly Crl[];
  readonly receipts: ReceiptVerifier;
}

/** An upper bound for the existence of a head. */
export interface TimeBound {
  readonly source: TimeSource;
  readonly head: VettedHead;
  /** genTime, or the time of a receipt. */
  readonly time: Instant;
  readonly bound: Instant;
  /** Hex SHA-256 of the token or receipt. */
  readonly evidence: string;
  /** notAfter of the time-stamp authority's certificate: until then the token stands without help. */
  readonly until: Instant | undefined;
  readonly accuracyAbsent: boolean;
  readonly statusUnknown: boolean;
}

export interface TimeBounds {
  readonly bounds: readonly TimeBound[];
  /** Tokens and receipts that date nothing, with the cause. */
  readonly invalid: readonly {
    readonly evidence: string;
    readonly headHash: string | undefined;
    readonly cause: string;
  }[];
}

/** Judges every token and receipt once (11.4). One without a named head is tried on the head that its imprint fits. */
export function timeBounds(times: readonly GivenTime[], heads: readonly VettedHead[], trust: TimeTrust): TimeBounds {
  const bounds = new Map<string, TimeBound>();
  const invalid: { evidence: string; headHash: string | undefined; cause: string }[] = [];
  const byHash = new Map(heads.map((head) => [head.hash, head]));
  for (const { headHash: named, proof } of times) {
    const evidence = proof.kind === 'rfc3161' ? proof.token.sha256 : proof.sha256;
    const candidates = named === undefined ? heads : [byHash.get(named)].filter((head) => head !== undefined);
    let cause =
      named === undefined ? 'it is over none of the heads' : 'the head that it is said to be over is not at hand';
    for (const head of candidates) {
      const judged = proof.kind === 'rfc3161' ? tokenBound(proof.token, head, trust) : receiptBound(proof, head, trust);
      if ('cause' in judged) {
        if (named !== undefined || !judged.otherHead) cause = judged.cause;
        continue;
      }
      cause = '';
      bounds.set(`${evidence} ${head.hash}`, judged);
    }
    if (cause !== '') invalid.push({ evidence, headHash: named, cause });
  }
  return { bounds: [...bounds.values()], invalid };
}

type Judged = TimeBound | { readonly cause: string; readonly otherHead: boolean };

function tokenBound(token: TimestampToken, head: VettedHead, trust: TimeTrust): Judged {
  const judgement = judgeTimestamp(token, {
    stamped: signedBytes(head.head),
    anchors: trust.tsaAnchors.map(anchorOf),
    pool: [],
    crls: trust.crls,
    ocsp: [],
  });
  const fault = judgement.findings.find(({ class: cls }) => cls === 'not_verified' || cls === 'unusable');
  if (judgement.stamps === false) return { cause: 'it stamps other bytes than this head', otherHead: true };
  if (!judgement.signed || judgement.stamps !== true || judgement.trusted !== true || fault !== undefined)
    return { cause: fault?.code ?? 'no chain leads to a trusted time-stamp authority', otherHead: false };
  const accuracy = judgement.accuracyStated ? judgement.accuracy : trust.tsaDefaultAccuracy;
  return {
    source: 'rfc3161',
    head,
    time: judgement.genTime,
    bound: judgement.genTime + accuracy,
    evidence: token.sha256,
    until: judgement.signer?.notAfter,
    accuracyAbsent: !judgement.accuracyStated,
    statusUnknown: !judgement.statusChecked,
  };
}

function receiptBound(
  { receipt, sha256 }: GivenTime['proof'] & { readonly kind: 'anchor-receipt' },
  head: VettedHead,
  trust: TimeTrust,
): Judged {
  const judged = trust.receipts(receipt, headHash(head.head));
  if (!judged.ok) {
    const code = judged.findings[0]?.code ?? 'log/malformed';
    return { cause: code, otherHead: code === 'log/receipt-other-head' };
  }
  return {
    source: 'anchor-receipt',
    head,
    time: judged.time,
    bound: judged.time + judged.accuracy,
    evidence: sha256,
    until: undefined,
    accuracyAbsent: false,
    statusUnknown: false,
  };
}

/** A(d), and what it rests on. */
export interface Anchored {
  readonly a: Instant;
  /** A without the accuracy of its token: a gate may have recorded either (11.3). */
  readonly bare: Instant;
  readonly source: TimeSource;
  readonly evidence: string | undefined;
  readonly head: VettedHead;
  readonly bound: TimeBound | undefined;
  readonly fromLaterHead: boolean;
  /** The log's clock ran ahead of an independent time. */
  readonly clockAhead: boolean;
  /** Two other heads contradict each other. */
  readonly elsewhere: boolean;
}

export interface AnchorQuestion {
  readonly position: number;
  readonly heads: readonly VettedHead[];
  readonly bounds: readonly TimeBound[];
  /** Heads and tokens of a later time are not looked at. */
  readonly upTo: Instant | undefined;
  readonly clockTolerance: bigint;
  /** The head that an identity record names: of several first ones, that one (11.1). */
  readonly named?: string | undefined;
}

/** 11.1 to 11.3. */
export function anchoredAt(
  question: AnchorQuestion,
): Anchored | { readonly reason: 'no_covering_head' | 'head_times'; readonly detail: string } {
  const { position, upTo, clockTolerance } = question;
  const heads = question.heads.filter(({ time }) => upTo === undefined || time <= upTo);
  const covering = heads.filter(({ size, covers }) => covers && size > position);
  // 11.1
  const least = covering.reduce((size, head) => Math.min(size, head.size), Number.POSITIVE_INFINITY);
  const first = covering.filter(({ size }) => size === least);
  const h =
    first.find(({ hash }) => hash === question.named) ??
    first.reduce<VettedHead | undefined>(
      (best, head) => (best === undefined || head.time < best.time ? head : best),
      undefined,
    );
  if (h === undefined) return { reason: 'no_covering_head', detail: `no usable head of size ${position + 1} or more` };
  // 11.2
  const contradicts = (a: VettedHead, b: VettedHead): boolean => b.size > a.size && b.time < a.time - clockTolerance;
  const against = heads.find((x) => contradicts(h, x) || contradicts(x, h));
  if (against !== undefined)
    return {
      reason: 'head_times',
      detail: `the head of size ${h.size} at ${formatInstant(h.time)} is contradicted by the head of size ${against.size} at ${formatInstant(against.time)}`,
    };
  const elsewhere = contradiction(
    heads.filter((head) => head !== h),
    clockTolerance,
  );
  // 11.3
  const inTime = question.bounds.filter(({ time }) => upTo === undefined || time <= upTo);
  const own = leastBound(inTime.filter(({ head }) => head.hash === h.hash));
  const later =
    own === undefined
      ? leastBound(inTime.filter(({ head }) => head.hash !== h.hash && covering.some(({ hash }) => hash === head.hash)))
      : undefined;
  const bound = own ?? later;
  if (bound === undefined)
    return {
      a: h.time,
      bare: h.time,
      source: 'log-signer-clock',
      evidence: undefined,
      head: h,
      bound: undefined,
      fromLaterHead: false,
      clockAhead: false,
      elsewhere,
    };
  return {
    a: bound.bound,
    bare: bound.time,
    source: bound.source,
    evidence: bound.evidence,
    head: h,
    bound,
    fromLaterHead: own === undefined,
    clockAhead: bound.bound < h.time - clockTolerance,
    elsewhere,
  };
}

/** The least bound; of equal ones a token goes before a receipt, then the smaller hash. */
function leastBound(bounds: readonly TimeBound[]): TimeBound | undefined {
  const key = ({ source, evidence }: TimeBound) => `${source === 'rfc3161' ? 0 : 1}${evidence}`;
  return bounds.reduce<TimeBound | undefined>(
    (best, bound) =>
      best === undefined || bound.bound < best.bound || (bound.bound === best.bound && key(bound) < key(best))
        ? bound
        : best,
    undefined,
  );
}

/** Whether some larger head is stamped before some smaller one by more than the tolerance. */
function contradiction(heads: readonly VettedHead[], tolerance: bigint): boolean {
  let latest: Instant | undefined;
  let ofSize: { size: number; latest: Instant } | undefined;
  for (const { size, time } of [...heads].sort((a, b) => a.size - b.size)) {
    if (ofSize !== undefined && ofSize.size < size) {
      if (latest === undefined || ofSize.latest > latest) latest = ofSize.latest;
      ofSize = undefined;
    }
    if (latest !== undefined && time < latest - tolerance) return true;
    if (ofSize === undefined || time > ofSize.latest) ofSize = { size, latest: time };
  }
  return false;
}
