/**
 * The pinned policy of certificate-bound approvers (approver-identity 6): its members as they stand, in the order in which they are
 * written and hashed, and the same as values with the per-CA exceptions applied.
 */
import { utf8 } from '../bytes/encoding.ts';
import { boolean, encode, integer, list, map, object, omitEmpty, string, type ValueOf } from '../json/shape.ts';
import { formatDuration, parseDuration } from '../time/duration.ts';
import { type Instant, parseInstant } from '../time/instant.ts';

const texts = omitEmpty(map(string));
const flag = omitEmpty(boolean);

/** Member order of journal 3.5. */
const MEMBERS = {
  effective_from: string,
  anchors: list(string),
  intermediates: list(string),
  distrust: texts,
  eku: string,
  policy_oid: omitEmpty(string),
  id_kind: string,
  canonical: string,
  allow_email_protection_eku: flag,
  require_name_constraints: flag,
  require_policy_on_cas: flag,
  rsa2048_until: omitEmpty(string),
  max_chain: integer,
  max_leaf_lifetime: string,
  not_before_backdate: string,
  skew: string,
  anchor_grace: string,
  clock_tolerance: string,
  w: string,
  min_w: string,
  routine_grace: omitEmpty(string),
  max_status_age: string,
  exec_status_age: string,
  exec_status_age_for: texts,
  max_status_age_for: texts,
  ca_period: string,
  ca_period_for: texts,
  ca_overlap_for: texts,
  coverage_tolerance: string,
  this_update_skew: string,
  this_update_skew_for: texts,
  allow_holds: flag,
  consecutive_numbers: flag,
  count_live: flag,
  retained: flag,
  independent_time: flag,
};

/** As an auditor gives it: no unknown member. */
export const policyShape = object(MEMBERS);
/** As a record holds it: a later version's members are tolerated. */
export const recordedPolicyShape = object(MEMBERS, { unknown: 'tolerate' });

/** The members as they stand. */
export type PolicyRecord = ValueOf<typeof policyShape>;

/** Values per issuing CA, which is named by the hash of its key. */
type PerCa<T> = (issuerKey: string) => T;

export interface IdentityPolicy {
  readonly record: PolicyRecord;
  readonly anchors: ReadonlySet<string>;
  readonly intermediates: ReadonlySet<string>;
  /** Hash of a key to the instant from which it is distrusted; null: always. */
  readonly distrust: ReadonlyMap<string, Instant | null>;
  readonly eku: string;
  readonly policyOid: string | undefined;
  readonly idKind: string;
  readonly canonical: string;
  readonly allowEmailProtectionEku: boolean;
  readonly requireNameConstraints: boolean;
  readonly requirePolicyOnCas: boolean;
  readonly rsa2048Until: Instant | undefined;
  readonly maxChain: number;
  readonly maxLeafLifetime: bigint;
  readonly notBeforeBackdate: bigint;
  readonly skew: bigint;
  readonly anchorGrace: bigint;
  readonly clockTolerance: bigint;
  readonly w: bigint;
  readonly minW: bigint;
  readonly routineGrace: bigint;
  readonly coverageTolerance: bigint;
  readonly maxStatusAge: PerCa<bigint>;
  readonly execStatusAge: PerCa<bigint>;
  readonly caPeriod: PerCa<bigint>;
  /** Undefined where no overlap is allowed. */
  readonly caOverlap: PerCa<bigint | undefined>;
  readonly thisUpdateSkew: PerCa<bigint>;
  readonly allowHolds: boolean;
  readonly consecutiveNumbers: boolean;
  readonly countLive: boolean;
  readonly retained: boolean;
  readonly independentTime: boolean;
}

const HASH = /^[0-9a-f]{64}$/;
const OID_TEXT = /^[0-2](?:\.(?:0|[1-9][0-9]{0,38})){1,32}$/;
const DURATIONS = [
  'max_leaf_lifetime',
  'not_before_backdate',
  'skew',
  'anchor_grace',
  'clock_tolerance',
  'w',
  'min_w',
  'max_status_age',
  'exec_status_age',
  'ca_period',
  'coverage_tolerance',
  'this_update_skew',
] as const;
const DURATION_MAPS = [
  'exec_status_age_for',
  'max_status_age_for',
  'ca_period_for',
  'ca_overlap_for',
  'this_update_skew_for',
] as const;
const KINDS = ['email', 'uri', 'upn'];

/** What the load checks of section 6 refuse, one sentence each; none for a policy that can be used. */
export function policyProblems(record: PolicyRecord): readonly string[] {
  const problems: string[] = [];
  const need = (ok: boolean, problem: string): void => {
    if (!ok) problems.push(problem);
  };
  const duration = (name: string, text: string): void => {
    const value = parseDuration(text);
    need(value !== undefined && value >= 0n, `"${name}" is not a duration of at least 0s`);
    if (value !== undefined)
      need(formatDuration(value) === text, `"${name}" is not written as ${formatDuration(value)}`);
  };
  for (const name of ['anchors', 'intermediates'] as const)
    for (const hash of record[name] ?? [])
      need(HASH.test(hash), `"${name}" holds what is no SHA-256 in lower-case hex`);
  need((record.anchors ?? []).length > 0, 'there is no trust anchor');
  for (const [hash, from] of record.distrust ?? []) {
    need(HASH.test(hash), '"distrust" names what is no SHA-256 in lower-case hex');
    need(from === '' || parseInstant(from) !== undefined, '"distrust" holds what is no time');
  }
  need(OID_TEXT.test(record.eku), '"eku" is no dotted object identifier');
  need(record.policy_oid === '' || OID_TEXT.test(record.policy_oid), '"policy_oid" is no dotted object identifier');
  need(KINDS.includes(record.id_kind), `"id_kind" is none of ${KINDS.join(', ')}`);
  need(record.canonical !== '', '"canonical" is empty');
  need(parseInstant(record.effective_from) !== undefined, '"effective_from" is no time');
  const until = record.rsa2048_until;
  need(until === '' || parseInstant(until) !== undefined, '"rsa2048_until" is no time');
  need(record.max_chain >= 1 && record.max_chain <= 8, '"max_chain" is not from 1 to 8');
  for (const name of DURATIONS) duration(name, record[name]);
  if (record.routine_grace !== '') duration('routine_grace', record.routine_grace);
  for (const name of DURATION_MAPS)
    for (const [hash, text] of record[name] ?? []) {
      need(HASH.test(hash), `"${name}" names what is no SHA-256 in lower-case hex`);
      duration(name, text);
    }
  const [period, w, minW] = [record.ca_period, record.w, record.min_w].map(parseDuration);
  need(period === undefined || period > 0n, '"ca_period" is not more than 0s');
  for (const text of record.ca_period_for?.values() ?? []) need(parseDuration(text) !== 0n, '"ca_period_for" holds 0s');
  need(w === undefined || minW === undefined || minW <= w, '"min_w" is longer than "w"');
  return [...new Set(problems)];
}

/** The policy as values. Only for a record without problems. */
export function policyOf(record: PolicyRecord): IdentityPolicy {
  const span = (text: string): bigint => parseDuration(text) ?? 0n;
  const perCa = (general: string, own: ReadonlyMap<string, string> | null): PerCa<bigint> => {
    const values = new Map([...(own ?? [])].map(([hash, text]) => [hash, span(text)]));
    return (issuer) => values.get(issuer) ?? span(general);
  };
  const overlaps = new Map([...(record.ca_overlap_for ?? [])].map(([hash, text]) => [hash, span(text)]));
  return {
    record,
    anchors: new Set(record.anchors),
    intermediates: new Set(record.intermediates),
    distrust: new Map([...(record.distrust ?? [])].map(([hash, from]) => [hash, parseInstant(from) ?? null])),
    eku: record.eku,
    policyOid: record.policy_oid === '' ? undefined : record.policy_oid,
    idKind: record.id_kind,
    canonical: record.canonical,
    allowEmailProtectionEku: record.allow_email_protection_eku,
    requireNameConstraints: record.require_name_constraints,
    requirePolicyOnCas: record.require_policy_on_cas,
    rsa2048Until: parseInstant(record.rsa2048_until),
    maxChain: record.max_chain,
    maxLeafLifetime: span(record.max_leaf_lifetime),
    notBeforeBackdate: span(record.not_before_backdate),
    skew: span(record.skew),
    anchorGrace: span(record.anchor_grace),
    clockTolerance: span(record.clock_tolerance),
    w: span(record.w),
    minW: span(record.min_w),
    routineGrace: span(record.routine_grace),
    coverageTolerance: span(record.coverage_tolerance),
    maxStatusAge: perCa(record.max_status_age, record.max_status_age_for),
    execStatusAge: perCa(record.exec_status_age, record.exec_status_age_for),
    caPeriod: perCa(record.ca_period, record.ca_period_for),
    caOverlap: (issuer) => overlaps.get(issuer),
    thisUpdateSkew: perCa(record.this_update_skew, record.this_update_skew_for),
    allowHolds: record.allow_holds,
    consecutiveNumbers: record.consecutive_numbers,
    countLive: record.count_live,
    retained: record.retained,
    independentTime: record.independent_time,
  };
}

/** The bytes that `policy_digest` is over (5.1): declared order, empty members left out, no HTML escaping. */
export function policyBytes(record: PolicyRecord): Uint8Array {
  return encode(policyShape, record, 'JOURNAL');
}

/** Names of members in which two policies differ; the date of the change record aside. */
export function policyDifferences(a: PolicyRecord, b: PolicyRecord): readonly string[] {
  return Object.entries(MEMBERS).flatMap(([name, shape]) => {
    if (name === 'effective_from') return [];
    const [one, other] = [a, b].map((record) => (record as Readonly<Record<string, unknown>>)[name]);
    if (shape.isEmpty(one as never) && shape.isEmpty(other as never)) return [];
    return shape.write(one as never, 'JOURNAL') === shape.write(other as never, 'JOURNAL') ? [] : [name];
  });
}

/** Both ways in which an empty list can have been written, for the digest of a record (5.1). */
export function policyBytesVariants(record: PolicyRecord): readonly Uint8Array[] {
  const empty = (list: readonly string[] | null) => (list ?? []).length === 0;
  if (!empty(record.anchors) && !empty(record.intermediates)) return [policyBytes(record)];
  const lists = (value: readonly string[] | null) => (empty(value) ? [null, []] : [value]);
  return lists(record.anchors).flatMap((anchors) =>
    lists(record.intermediates).map((intermediates) => policyBytes({ ...record, anchors, intermediates })),
  );
}

/** Whether two spellings of bytes are one policy text followed by a newline. */
export function withNewline(bytes: Uint8Array): Uint8Array {
  const out = new Uint8Array(bytes.length + 1);
  out.set(bytes);
  out.set(utf8('\n'), bytes.length);
  return out;
}
