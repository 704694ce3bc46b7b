/**
 * One certificate-bound decision through the pipeline (approver-identity 7.2, steps numbered as there; step 1 and step 13 are the counting
 * rule's, `src/approval`). All steps that can be taken are taken; of several reasons the first in the order of 7.3 is reported.
 */
import type { Subject } from '../approval/subject.ts';
import type { ReadableRecord } from '../journal/record.ts';
import { parseTimestamp } from '../journal/timestamp.ts';
import { type Certificate, parseCertificate } from '../pki/certificate.ts';
import { formatDuration } from '../time/duration.ts';
import { formatInstant, type Instant } from '../time/instant.ts';
import { type Anchored, anchoredAt, type TimeBound, type VettedHead } from './anchored.ts';
import type { Canonicaliser } from './canonical.ts';
import { type PinnedPath, pathAt, timeFreePaths } from './chain.ts';
import { identifierOfLeaf, lifetimeProblem, rsaProblemAt, usageProblem } from './leaf.ts';
import type { IdentityPolicy } from './policy.ts';
import type { Readings } from './readings.ts';
import { type Cause, countedTerm, firstCause, REASONS, type ReasonClass, type Tier } from './reasons.ts';
import { signatureCauses } from './signature.ts';
import { type BasisKind, certificateStatus, type StatusAnswer, type StatusMode, type StatusNote } from './status.ts';
import { issuerOf, type StatusArchive, type Unusable, usableLists } from './statusLists.ts';

export interface DecisionQuestion {
  readonly subject: Subject;
  readonly record: ReadableRecord;
  readonly policy: IdentityPolicy;
  /** Undefined: no canonicaliser is mapped to the name in the policy. */
  readonly canonicalise: Canonicaliser | undefined;
  /** What the identity map says of the approver. */
  readonly identifier: string;
  readonly anchors: readonly Certificate[];
  readonly intermediates: readonly Certificate[];
  readonly heads: readonly VettedHead[];
  readonly bounds: readonly TimeBound[];
  readonly archive: StatusArchive;
  readonly mode: StatusMode;
  /** The evaluation time t. */
  readonly at: Instant;
  /** The head that an identity record names (11.1). */
  readonly namedHead?: string | undefined;
  readonly readings: Readings;
}

export type DecisionNote =
  | StatusNote
  | 'chain-extra-certificate'
  | 'certificate-not-supplied'
  | 'canonicaliser-unknown'
  | 'head-times-elsewhere'
  | 'head-clock-ahead'
  | 'time-from-later-head'
  | 'tsa-accuracy-absent'
  | 'tsa-status-unknown'
  | 'anchored-after-expiry'
  | 'crl-unusable';

export interface Noted {
  readonly note: DecisionNote;
  readonly detail: string;
}

/** Status of one certificate of the accepted path. */
export interface CertificateFacts {
  readonly depth: number;
  readonly sha256: string;
  readonly serial: string;
  readonly notAfter: Instant;
  /** Hash of the issuer's key. */
  readonly issuerKey: string;
  readonly answer: StatusAnswer;
  readonly unusable: readonly Unusable[];
  /** Responses that answered about it. */
  readonly responses: readonly string[];
}

/** What evaluating one decision gave, in one mode at one time. */
export interface Judgement {
  readonly mode: StatusMode;
  readonly at: Instant;
  readonly counts: boolean;
  /** Where it does not count. */
  readonly cause: Cause | undefined;
  readonly class: ReasonClass | undefined;
  readonly decided: Instant | undefined;
  readonly leaf: Certificate | undefined;
  readonly identifier: string | undefined;
  readonly path: PinnedPath | undefined;
  readonly anchored: Anchored | undefined;
  readonly certificates: readonly CertificateFacts[];
  /** Of a decision that counts. */
  readonly tier: Tier | undefined;
  readonly basis: BasisKind | undefined;
  readonly statusTime: Instant | undefined;
  readonly window: bigint | undefined;
  readonly notes: readonly Noted[];
  /** The equivalent term of EN 319 102-1. */
  readonly en: string;
}

const MAX_CERTIFICATES = 8;
const MAX_CERTIFICATE_BYTES = 16_384;

/** Certificates of a record, parsed once. */
const parsed = new WeakMap<readonly Uint8Array[], readonly (Certificate | undefined)[]>();

function certificatesOf(chain: readonly Uint8Array[]): readonly (Certificate | undefined)[] {
  const known = parsed.get(chain);
  if (known !== undefined) return known;
  const read = chain.map((der) => parseCertificate(der).value);
  parsed.set(chain, read);
  return read;
}

/** Step 2: the certificates of a decision, or why it carries none that can be used. */
function carriedCertificates(
  chain: readonly Uint8Array[] | undefined,
  maxChain: number,
): readonly Certificate[] | { readonly problem: string } {
  const most = Math.min(maxChain, MAX_CERTIFICATES);
  if (chain === undefined || chain.length === 0) return { problem: 'it carries no certificate' };
  if (chain.length > most) return { problem: `it carries ${chain.length} certificates, at most ${most} are read` };
  const long = chain.findIndex((der) => der.length > MAX_CERTIFICATE_BYTES);
  if (long >= 0) return { problem: `certificate ${long} is longer than ${MAX_CERTIFICATE_BYTES} bytes` };
  const read = certificatesOf(chain);
  const bad = read.indexOf(undefined);
  if (bad >= 0) return { problem: `certificate ${bad} is not a certificate in strict DER` };
  return read as readonly Certificate[];
}

/** Evaluates one decision. */
export function judgeDecision(question: DecisionQuestion): Judgement {
  const { policy, readings, record, mode, at } = question;
  const causes: Cause[] = [];
  const notes: Noted[] = [];
  const note = (kind: DecisionNote, detail: string): void => {
    notes.push({ note: kind, detail });
  };
  const refuse = (reason: Cause['reason'], detail: string): void => {
    causes.push({ reason, detail });
  };
  const decided = parseTimestamp(record.record.decidedAt);
  const base = { mode, at, decided, notes };

  // 2. Certificates present.
  const carried = carriedCertificates(record.record.approverCert, policy.maxChain);
  if ('problem' in carried) return failed(base, [{ reason: 'no_cert', detail: carried.problem }]);
  const leaf = carried[0] as Certificate;

  // 3. Chain, time-free part.
  const { anchors, intermediates } = question;
  const chain = timeFreePaths({ carried, anchors, intermediates, policy, readings });
  for (const hash of chain.extra) note('chain-extra-certificate', hash);
  for (const hash of chain.unsupplied) note('certificate-not-supplied', hash);
  if (chain.problem !== undefined) refuse('cert_chain', chain.problem);

  // 4. Identity.
  let identifier: string | undefined;
  if (question.canonicalise === undefined) note('canonicaliser-unknown', policy.canonical);
  else {
    const read = identifierOfLeaf(leaf, policy.idKind, question.canonicalise);
    if ('problem' in read) refuse('cert_identity', read.problem);
    else if (read.identifier !== question.identifier)
      refuse('cert_identity', 'the certificate names another person than the identity map does for this approver');
    else identifier = read.identifier;
  }

  // 5. Usage, without the date of 10.7: some path must do, and the accepted one again below.
  const usage = chain.paths.map((path) => usageProblem(path, policy, readings));
  if (usage.length > 0 && !usage.includes(undefined)) refuse('cert_usage', usage[0] as string);

  // 6. Decided time against the leaf.
  const { notBefore, notAfter } = leaf;
  if (decided === undefined)
    return failed({ ...base, leaf, identifier }, [
      ...causes,
      { reason: 'cert_window', detail: 'the decision has no canonical time' },
    ]);
  if (decided < notBefore - policy.skew || decided > notAfter + policy.skew)
    refuse('cert_window', `it was decided at ${formatInstant(decided)}, the certificate is valid ${interval(leaf)}`);
  if (readings.lifetime === 'window') {
    const problem = lifetimeProblem(notBefore, notAfter, policy);
    if (problem !== undefined) refuse('cert_window', problem);
  }

  // 7. Scheme, signature.
  causes.push(...signatureCauses(question.subject, record.record, leaf, readings));

  // 8. Time.
  const anchored = anchoredAt({
    position: record.position,
    heads: question.heads,
    bounds: question.bounds,
    upTo: mode === 'audit' ? undefined : at,
    clockTolerance: policy.clockTolerance,
    named: question.namedHead,
  });
  if ('reason' in anchored) return failed({ ...base, leaf, identifier }, [...causes, anchored]);
  noteTime(anchored, policy, note);
  const dated = { ...base, leaf, identifier, anchored };
  const { a } = anchored;
  const logClockOnly = policy.independentTime && anchored.source === 'log-signer-clock';
  if (logClockOnly && readings.independent_time === 'refuse')
    return failed(dated, [...causes, { reason: 'no_covering_head', detail: 'no independent time' }]);

  // 9. Chain and usage at A.
  const accepted = chain.problem === undefined ? pathAt(chain.paths, a, policy) : undefined;
  if (accepted !== undefined && 'problem' in accepted) refuse('cert_chain', accepted.problem);
  const path = accepted !== undefined && 'path' in accepted ? accepted.path : undefined;
  if (path !== undefined) {
    const problem = usageProblem(path, policy, readings) ?? rsaProblemAt(path, a, policy);
    if (problem !== undefined) refuse('cert_usage', problem);
  }

  // 10. Window at A.
  const window = windowProblem(leaf, decided, a, policy);
  if (window === 'after-expiry') note('anchored-after-expiry', formatInstant(a));
  else if (window !== undefined) refuse('cert_window', window);
  if (path === undefined) return failed(dated, causes);

  // 11. Status of every certificate of the chain but the anchor.
  const certificates = path.certificates.map((_, depth) => statusOf(question, path, depth, decided, a));
  for (const { answer, unusable, issuerKey } of certificates) {
    for (const kind of answer.notes) note(kind, `of the CA with the key ${issuerKey}`);
    for (const { id, cause } of unusable) note('crl-unusable', `${id}: ${cause}`);
  }
  const status = statusCause(certificates, policy);
  if (status !== undefined) causes.push(status);

  // 12.
  if (causes.length > 0 || question.canonicalise === undefined) return failed({ ...dated, path, certificates }, causes);
  const good = certificates.flatMap(({ answer }) => (answer.result === 'good' ? [answer] : []));
  const basis = good.some((one) => one.basis === 'live-before-decision')
    ? 'live-before-decision'
    : 'at-or-after-decision';
  return {
    ...dated,
    path,
    certificates,
    counts: true,
    cause: undefined,
    class: undefined,
    tier: tierOf(good.every(({ final }) => final) && !logClockOnly, anchored),
    basis,
    statusTime: least(good.map(({ statusTime }) => statusTime)),
    window: least(good.map((one) => one.window)),
    en: countedTerm(basis),
  };
}

type Facts = Pick<Judgement, 'mode' | 'at' | 'decided' | 'notes'> &
  Partial<Pick<Judgement, 'leaf' | 'identifier' | 'anchored' | 'path' | 'certificates'>>;

function failed(facts: Facts, causes: readonly Cause[]): Judgement {
  const cause = firstCause(causes);
  return {
    leaf: undefined,
    identifier: undefined,
    anchored: undefined,
    path: undefined,
    certificates: [],
    ...facts,
    counts: false,
    cause,
    class: cause === undefined ? undefined : REASONS[cause.reason].class,
    tier: undefined,
    basis: undefined,
    statusTime: undefined,
    window: undefined,
    en: cause === undefined ? 'INDETERMINATE / GENERIC' : REASONS[cause.reason].en,
  };
}

function noteTime(
  anchored: Anchored,
  { clockTolerance }: IdentityPolicy,
  note: (kind: DecisionNote, detail: string) => void,
): void {
  const { bound, head } = anchored;
  if (anchored.elsewhere) note('head-times-elsewhere', 'two other heads of the run contradict each other');
  if (anchored.clockAhead)
    note(
      'head-clock-ahead',
      `the head is stamped ${formatInstant(head.time)}, it existed by ${formatInstant(anchored.a)}; ${formatDuration(clockTolerance)} are tolerated`,
    );
  if (anchored.fromLaterHead && bound !== undefined)
    note('time-from-later-head', `the time is that of the head of size ${bound.head.size}`);
  if (bound?.accuracyAbsent === true) note('tsa-accuracy-absent', bound.evidence);
  if (bound?.source === 'rfc3161' && bound.statusUnknown) note('tsa-status-unknown', bound.evidence);
}

/** Rules 2 to 4 of section 12. */
function windowProblem(leaf: Certificate, d: Instant, a: Instant, policy: IdentityPolicy): string | undefined {
  const { notBefore, notAfter } = leaf;
  const { skew, anchorGrace } = policy;
  const provable = `it was provable at ${formatInstant(a)}`;
  // 2.
  if (a < notBefore - skew) return `${provable}, the certificate is valid ${interval(leaf)}`;
  // 4.
  if (d > a + skew) return `it claims to be decided at ${formatInstant(d)}, and ${provable} already`;
  // 3.
  if (a <= notAfter) return undefined;
  if (a <= notAfter + anchorGrace && a <= d + anchorGrace && d <= notAfter) return 'after-expiry';
  return `${provable}, the certificate is valid ${interval(leaf)}, and the grace of ${formatDuration(anchorGrace)} does not reach`;
}

function interval({ notBefore, notAfter }: Certificate): string {
  return `from ${formatInstant(notBefore)} to ${formatInstant(notAfter)}`;
}

function statusOf(
  question: DecisionQuestion,
  path: PinnedPath,
  depth: number,
  decided: Instant,
  anchored: Instant,
): CertificateFacts {
  const { policy, archive, mode, at } = question;
  const certificate = path.certificates[depth] as Certificate;
  const issuerKey = issuerOf(path, depth).publicKey.sha256;
  const { lists, unusable } = usableLists(path, depth, archive);
  const answer = certificateStatus({
    lists,
    notAfter: certificate.notAfter,
    decided,
    anchored,
    at,
    mode,
    rules: {
      ...policy,
      maxStatusAge: policy.maxStatusAge(issuerKey),
      execStatusAge: policy.execStatusAge(issuerKey),
      caOverlap: policy.caOverlap(issuerKey),
      caPeriod: policy.caPeriod(issuerKey),
      thisUpdateSkew: policy.thisUpdateSkew(issuerKey),
    },
  });
  const { sha256, serialHex: serial, notAfter } = certificate;
  const responses = lists.filter(({ kind }) => kind === 'ocsp').map(({ id }) => id);
  return { depth, sha256, serial, notAfter, issuerKey, answer, unusable, responses };
}

/** 15.5: any revoked, else any unknown, else any stale. */
function statusCause(certificates: readonly CertificateFacts[], policy: IdentityPolicy): Cause | undefined {
  for (const { answer, serial, sha256 } of certificates)
    if (answer.result === 'revoked')
      return {
        reason: 'revoked',
        detail: `the certificate ${sha256} (serial ${serial}) was revoked as of ${formatInstant(answer.e)}, reason code ${answer.reason}, by the list ${answer.list}`,
      };
  for (const { answer, sha256, issuerKey, unusable } of certificates)
    if (answer.result === 'unknown') {
      const refused = unusable.length === 0 ? '' : `; ${unusable.length} cannot be used (${unusable[0]?.cause ?? ''})`;
      return {
        reason: 'status_unknown',
        detail: `no usable list of the CA with the key ${issuerKey} speaks about the certificate ${sha256}${refused}`,
      };
    }
  for (const { answer, sha256, issuerKey } of certificates)
    if (answer.result === 'stale')
      return {
        reason: 'status_stale',
        detail: `the newest list about the certificate ${sha256} is of ${formatInstant(answer.newest.thisUpdate)}; the policy allows ${formatDuration(policy.maxStatusAge(issuerKey))}${policy.countLive ? '' : ' and asks for one from after the decision'}`,
      };
  return undefined;
}

/** 15.6. */
function tierOf(final: boolean, { source }: Anchored): Tier {
  if (!final) return 'provisional';
  return source === 'log-signer-clock' ? 'logclock-final' : 'independent-final';
}

function least(values: readonly bigint[]): bigint | undefined {
  return values.reduce<bigint | undefined>(
    (best, value) => (best === undefined || value < best ? value : best),
    undefined,
  );
}
