/**
 * One gate as certificates see it: which policy and roster apply to its call, which count it goes by, which identity record belongs to that
 * count (approver-identity 5.4, 17, 18.1), and the evaluation of its decisions in each mode (7.1).
 */
import type { GateIndex, TallyRecord } from '../approval/gateIndex.ts';
import { nodeName } from '../approval/gatePatterns.ts';
import { identGeneration, type ReadTally, recordedOutcome } from '../approval/recorded.ts';
import type { Subject } from '../approval/subject.ts';
import { CERTIFICATE_ALG, type Resolver, type Verifier } from '../approval/verifier.ts';
import { names } from '../journal/names.ts';
import type { ReadableRecord } from '../journal/record.ts';
import { fromMilliseconds, type Instant, parseInstant } from '../time/instant.ts';
import type { TimeBounds, VettedHeads } from './anchored.ts';
import { type Judgement, judgeDecision } from './decision.ts';
import { tallyDigestForm } from './digests.ts';
import type { IdentityPolicy } from './policy.ts';
import {
  type AppliedPolicy,
  canonicaliserFor,
  type IdentityTrust,
  policiesFor,
  type Roster,
  rosterAt,
} from './policyFile.ts';
import type { Readings } from './readings.ts';
import { type IdentityRecord, readIdentityRecord, type StoredStatus } from './records.ts';
import type { StatusMode } from './status.ts';
import { onlyNamed, type StatusArchive } from './statusLists.ts';

/** What decisions of a run are evaluated with. */
export interface Evidence {
  readonly trust: IdentityTrust;
  readonly heads: VettedHeads;
  readonly times: TimeBounds;
  readonly archive: StatusArchive;
  readonly stored: readonly StoredStatus[];
  readonly asOf: Instant;
  readonly readings: Readings;
  /** Bare keys of approvers. */
  readonly bare: Resolver | undefined;
}

export interface StoredIdentity {
  readonly stored: ReadableRecord;
  readonly record: IdentityRecord | undefined;
}

/** An identity record that belongs to the gate's count. */
export interface MatchedIdentity {
  readonly stored: ReadableRecord;
  readonly record: IdentityRecord;
  readonly form: 'result' | 'record';
}

export interface Gate {
  readonly call: string;
  readonly tool: string;
  readonly subject: Subject | undefined;
  /** The time by which policy and roster are chosen: that of the count. */
  readonly at: Instant;
  /** Policies that apply; the first decides. */
  readonly policies: readonly AppliedPolicy[];
  readonly roster: Roster | undefined;
  /** A note, a record or the policy says that this gate identifies its approvers. */
  readonly bound: boolean;
  readonly outcome: ReadTally | undefined;
  readonly generation: number;
  readonly identities: readonly StoredIdentity[];
  readonly identity: MatchedIdentity | undefined;
  /** When the call ran (17 rule 6); undefined where no marker says so. */
  readonly ranAt: Instant | undefined;
}

/** The newest pause note of the call that says anything about identity. */
export function boundNote(index: GateIndex, call: string) {
  return index.notes(call).findLast(({ members }) => members.get('identity_bound')?.kind === 'true');
}

export function gateOf(index: GateIndex, call: string, { trust, asOf }: Evidence): Gate {
  const request = index.request(call);
  const tool = request?.subject.tool ?? (call.startsWith('node:') ? nodeName(call) : '');
  const identities = index.identityRecords(call).map((stored) => ({ stored, record: readIdentityRecord(stored) }));
  const at = timeOf(index, call, identities) ?? asOf;
  const policies = policiesFor(trust, tool, at);
  const [applied] = policies;
  const certified = [...(applied?.approvers.values() ?? [])].includes('cert');
  const bound =
    boundNote(index, call) !== undefined ||
    identities.length > 0 ||
    index.tallies(call).some(({ name }) => identGeneration(name, call) !== undefined) ||
    applied?.identityRequired === true ||
    certified;
  const { outcome, generation } = recordedOutcome(index, call, bound);
  const identity = outcome === undefined ? undefined : matching(index, outcome, generation ?? 0, call, identities);
  // The record of the count that the gate goes by says when it was made; others only stand in for it.
  const counted = parseInstant(identity?.record.evaluated_at ?? '') ?? at;
  const attempt = index.attempts(call).findLast(({ record }) => record.attemptedAt > 0n);
  return {
    call,
    tool,
    subject: request?.subject,
    at: counted,
    policies: policiesFor(trust, tool, counted),
    roster: rosterAt(trust, counted),
    bound,
    outcome,
    generation: generation ?? 0,
    identities,
    identity,
    ranAt: attempt === undefined ? undefined : fromMilliseconds(Number(attempt.record.attemptedAt)),
  };
}

/** When the gate counted: its identity record says so; else the times on its records, from the count back. */
function timeOf(index: GateIndex, call: string, identities: readonly StoredIdentity[]): Instant | undefined {
  const evaluated = identities.findLast(({ record }) => parseInstant(record?.evaluated_at ?? '') !== undefined);
  if (evaluated !== undefined) return parseInstant(evaluated.record?.evaluated_at ?? '');
  const tally = index.tallies(call).at(-1);
  const stored = tally === undefined ? undefined : index.byName(tally.name);
  const times = [
    stored?.record?.recordedAt,
    index.result(call)?.record.recordedAt,
    ...index
      .decisions(call)
      .map(({ record }) => record.recordedAt)
      .reverse(),
  ];
  for (const time of times) {
    const instant = time === undefined ? undefined : parseInstant(time);
    if (instant !== undefined) return instant;
  }
  return undefined;
}

/** 5.4: plain name first, then the digest-named form; the digest decides. */
function matching(
  index: GateIndex,
  outcome: TallyRecord,
  generation: number,
  call: string,
  identities: readonly StoredIdentity[],
): MatchedIdentity | undefined {
  const tally = index.byName(outcome.name);
  const ordered = [...identities].sort((a, b) => a.stored.name.length - b.stored.name.length);
  for (const { stored, record } of ordered) {
    if (record === undefined || record.generation !== generation || record.tool_use_id !== call) continue;
    const form = tallyDigestForm(record.tally_digest, outcome.raw, tally?.bytes ?? new Uint8Array());
    if (form !== undefined) return { stored, record, form };
  }
  return undefined;
}

/** Whether an approver of the gate has to sign with a certificate. */
export function isCertificateBound(gate: Gate, approver: string): boolean {
  return gate.policies[0]?.approvers.get(approver) === 'cert';
}

/** Bare keys and the identity map together, for the counting rule (16 rule 1). */
export function resolverOf(gate: Gate, { bare }: Evidence): Resolver {
  const certified = [...(gate.policies[0]?.approvers.values() ?? [])].includes('cert');
  return (approver): Verifier | undefined => {
    const identifier = gate.roster?.identities.get(approver);
    if (!isCertificateBound(gate, approver)) {
      const verifier = bare?.(approver);
      if (!certified || verifier === undefined) return verifier;
      // Every eligible approver of such a gate has to be in the map, so that a person cannot have two seats.
      if (identifier === undefined) return undefined;
      return { ...verifier, identifier, keyIds: [...verifier.keyIds, `ident:${identifier}`] };
    }
    if (identifier === undefined || gate.roster === undefined) return undefined;
    return {
      alg: CERTIFICATE_ALG,
      keyIds: [`ident:${identifier}`],
      verify: () => false,
      identifier,
      certificateBound: { rosterDigest: gate.roster.digest },
    };
  };
}

/** How one evaluation differs from another. */
export interface Evaluation {
  readonly mode: StatusMode;
  readonly at: Instant;
  readonly policy: IdentityPolicy;
  /** Only these status bytes are looked at. */
  readonly only?: ReadonlySet<string>;
  readonly namedHead?: string;
  /** Of tokens and receipts only this one, by its hash; the empty text is none. */
  readonly timeEvidence?: string;
  /** What the identity map said, where another one than that of the gate is meant. */
  readonly identifier?: string;
}

/** Evaluates one decision record of a gate. Undefined where the call's request or the approver's identifier is not known. */
export function evaluate(
  gate: Gate,
  record: ReadableRecord,
  evidence: Evidence,
  how: Evaluation,
): Judgement | undefined {
  const { trust, archive, heads, times, readings } = evidence;
  const identifier = how.identifier ?? gate.roster?.identities.get(record.record.approver);
  if (gate.subject === undefined || identifier === undefined) return undefined;
  return judgeDecision({
    subject: gate.subject,
    record,
    policy: how.policy,
    canonicalise: canonicaliserFor(trust, how.policy),
    identifier,
    anchors: trust.anchors,
    intermediates: trust.intermediates,
    heads: heads.heads,
    bounds:
      how.timeEvidence === undefined
        ? times.bounds
        : times.bounds.filter(({ evidence: hash }) => hash === how.timeEvidence),
    archive: how.only === undefined ? archive : onlyNamed(archive, how.only),
    mode: how.mode,
    at: how.at,
    namedHead: how.namedHead,
    readings,
  });
}

/** The name of the plain count. */
export const plainTally = (call: string): string => names.tally(call);
