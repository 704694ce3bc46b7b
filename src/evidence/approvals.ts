/**
 * Approval evidence: a gate counted again from the records that a package discloses (audit spec 4.12.5 and 4.12.6, steps numbered as
 * there). What is counted and how is `src/approval`'s; this is the envelope: which records are proven, under which head, and which are
 * missing.
 */

import { canonicalArguments } from '../approval/arguments.ts';
import { auditGate, type GateAudit } from '../approval/audit.ts';
import { GateIndex } from '../approval/gateIndex.ts';
import type { Expectation } from '../approval/gatePatterns.ts';
import { reasonText } from '../approval/reasons.ts';
import { recordedOutcome } from '../approval/recorded.ts';
import { passed } from '../approval/values.ts';
import type { DecisionJudge, Resolver } from '../approval/verifier.ts';
import { equalBytes } from '../bytes/encoding.ts';
import type { Finding, Where } from '../finding/finding.ts';
import { HEADER_FORMAT, names, RUN_PRINCIPAL } from '../journal/names.ts';
import type { Journal, ReadableRecord } from '../journal/record.ts';
import type { TreeHead } from '../log/head.ts';
import { catalogue } from './catalogue.ts';
import { treeDifference } from './heads.ts';
import { readable } from './journalTree.ts';
import type { ActionChoice } from './packageProducer.ts';
import { below } from './place.ts';
import { isProven, type ProofReport } from './proof.ts';
import type { EvidencePackage } from './shapes.ts';

export interface ApprovalQuestion {
  /** Tool-use id, or node key of a flow's gate. */
  readonly call: string;
  /** From the auditor, validated; undefined where none was given. */
  readonly expected: Expectation | undefined;
  readonly resolver: Resolver | undefined;
  readonly judge?: DecisionJudge | undefined;
}

/** A decision that did not reach the count, with the reason. */
export interface IgnoredDecision {
  readonly approver: string;
  readonly step: string;
  readonly reason: string;
}

export interface ApprovalReport {
  /** Besides the package's own, which are separate and required too. */
  readonly findings: readonly Finding[];
  readonly audit: GateAudit | undefined;
  readonly ignored: readonly IgnoredDecision[];
  /** The count stands, passed, and nothing is left unjudged. */
  readonly ok: boolean;
}

/** The records of a package that can be counted with: proven, under its one head, each name once. */
export interface Disclosure {
  readonly index: GateIndex;
  /** What is wrong with records that are not counted with. */
  readonly findings: readonly Finding[];
  readonly ignored: readonly IgnoredDecision[];
  /** Where the record of a name is disclosed. */
  readonly places: ReadonlyMap<string, Where>;
  /** Every turn that asks for a call. */
  readonly asked: ReadonlyMap<string, readonly Asked[]>;
  readonly where: Where;
}

interface Asked {
  readonly stored: ReadableRecord;
  readonly name: string;
  readonly args: Uint8Array;
}

/** Counts one gate again from a package. `reports` are those of the package's check, one for each action. */
export function checkApprovalEvidence(
  evidence: EvidencePackage,
  reports: readonly ProofReport[],
  question: ApprovalQuestion,
  where: Where = {},
): ApprovalReport {
  return checkGate(disclose(evidence, reports, where), question);
}

/** Steps 2, 4 and 7: what a package discloses. What does not decode is a finding of the package's check already. */
export function disclose(evidence: EvidencePackage, reports: readonly ProofReport[], where: Where = {}): Disclosure {
  const findings: Finding[] = [];
  const ignored: IgnoredDecision[] = [];
  const places = new Map<string, Where>();
  const byName = new Map<string, ReadableRecord>();
  for (const [i, report] of reports.entries()) {
    const action = evidence.actions?.[i];
    const { record } = report;
    if (action === undefined || record === undefined) continue;
    const at = below(where, 'actions', i);
    const known = byName.get(record.name);
    const reason = !isProven(report)
      ? 'its proof does not hold'
      : headDifference(action.bundle.sth, evidence.sth) !== undefined
        ? 'it is under another head or of another run'
        : known !== undefined && known.position !== record.position
          ? 'another record of the same name is disclosed before it'
          : undefined;
    if (reason === undefined) {
      if (known !== undefined) continue;
      byName.set(record.name, record);
      places.set(record.name, at);
      continue;
    }
    if (record.record.kind === 'approval')
      ignored.push({ approver: record.record.approver, step: record.name, reason });
    findings.push(
      catalogue.find('evidence/approval-ignored', `a disclosed record is not counted with: ${reason}`, { where: at }),
    );
  }
  const records = [...byName.values()].sort((a, b) => a.position - b.position);
  const asked = new Map<string, Asked[]>();
  for (const stored of records)
    for (const part of stored.record.message?.parts ?? []) {
      if (part.type !== 'tool_use') continue;
      const list = asked.get(part.id) ?? [];
      list.push({ stored, name: part.name, args: part.args ?? new Uint8Array() });
      asked.set(part.id, list);
    }
  // The run is the one in the signed head, not one from the package's text.
  const journal: Journal = { run: evidence.sth.run_id, format: HEADER_FORMAT, records };
  return { index: new GateIndex(journal), findings, ignored, places, asked, where };
}

/** Counts one gate again from what a package discloses. */
export function checkGate(disclosure: Disclosure, question: ApprovalQuestion): ApprovalReport {
  const { index, places, where } = disclosure;
  const ignored = [...disclosure.ignored];
  // 3.
  const findings: Finding[] = [
    ...disclosure.findings,
    ...missingFindings(index, question, where),
    ...callFindings(disclosure, question.call),
  ];
  // 5. to 8.
  const audit = auditGate({ ...question, index, whole: false });
  findings.push(...audit.findings.map((finding) => ({ ...finding, where: placed(finding, places, where) })));
  for (const check of audit.count?.checks ?? [])
    if (!check.counted && check.reason !== undefined)
      ignored.push({ approver: check.approver, step: check.name, reason: reasonText(check.reason) });
  // 9.
  const against = findings.some((finding) => finding.class !== 'none');
  const counted = audit.count === undefined ? undefined : passed(audit.count.tally);
  if (!against && (audit.end !== 'passed' || counted !== true))
    findings.push(
      catalogue.find('evidence/approval-not-passed', notPassed(audit), {
        where,
        expected: `${audit.count?.tally.need ?? 'the needed'} approvals, before any expiry`,
        actual:
          audit.count === undefined
            ? audit.end
            : `${audit.count.tally.approved} approvals, ${audit.count.tally.denied} denials`,
      }),
    );
  return {
    findings,
    audit,
    ignored,
    ok: audit.end === 'passed' && counted === true && findings.every((finding) => finding.class === 'none'),
  };
}

function notPassed(audit: GateAudit): string {
  if (audit.end === 'expired') return 'the evidence is consistent and the gate expired';
  if (audit.end === 'denied') return `the evidence is consistent and the call was denied${byWhom(audit)}`;
  return 'the evidence does not show that enough approvers approved the call';
}

function byWhom(audit: GateAudit): string {
  const denied = audit.count?.tally.deniedBy ?? [];
  return denied.length === 0 ? '' : ` by ${denied.join(', ')}`;
}

/** 3. The call, the outcome and the result have to be there; a node that did not pass has no result. */
function missingFindings(
  index: GateIndex,
  { call, judge, resolver }: ApprovalQuestion,
  where: Where,
): readonly Finding[] {
  const findings: Finding[] = [];
  const miss = (what: string) =>
    findings.push(
      catalogue.find(
        'evidence/approval-missing',
        `the package does not show ${what} of the call ${JSON.stringify(call)}`,
        {
          where: below(where, 'actions'),
          expected: what,
        },
      ),
    );
  const request = index.request(call);
  const known = judge?.resolver ?? resolver;
  const bound = index
    .tallies(call)
    .some(({ tally }) => (tally?.approvers ?? []).some((id) => known?.(id)?.certificateBound !== undefined));
  const { outcome, unreadable } = recordedOutcome(
    index,
    call,
    bound || index.tallies(call).some(({ name }) => name.includes(':ident')),
  );
  if (request === undefined) miss('the request');
  if (outcome === undefined && unreadable.length === 0) miss('the recorded count');
  const mayLack = call.startsWith('node:') && outcome !== undefined && !passed(outcome.tally);
  if (index.result(call) === undefined && !mayLack) miss('the result');
  return findings;
}

/** Several records that ask for the call must ask for one thing. */
function callFindings({ asked, places, where }: Disclosure, call: string): readonly Finding[] {
  const [first, ...others] = asked.get(call) ?? [];
  if (first === undefined) return [];
  return others
    .filter(({ name, args }) => name !== first.name || !sameArguments(args, first.args))
    .map(({ stored }) =>
      catalogue.find(
        'evidence/approval-calls-differ',
        'two records ask for the call with another name or other arguments',
        { where: places.get(stored.name) ?? where },
      ),
    );
}

function sameArguments(a: Uint8Array, b: Uint8Array): boolean {
  return equalBytes(canonicalArguments(a), canonicalArguments(b));
}

/** Heads must be equal in size, root and signature, and of one run. */
function headDifference(head: TreeHead, of: TreeHead): string | undefined {
  const difference = treeDifference(head, of);
  if (difference !== undefined) return difference;
  return equalBytes(head.signature ?? new Uint8Array(), of.signature ?? new Uint8Array()) ? undefined : 'signature';
}

/** The action whose record a finding of the count is about. */
function placed(finding: Finding, places: ReadonlyMap<string, Where>, where: Where): Where {
  const { entry } = finding.where;
  return {
    ...((entry === undefined ? undefined : places.get(entry)) ?? where),
    ...(entry === undefined ? {} : { entry }),
  };
}

/**
 * What evidence of a gate discloses, in order (audit spec 4.12.5): the request, the decisions that the outcome names, the tallies that it
 * supersedes and itself, the result; then what the count depends on. Undefined where the journal records no outcome of the call.
 */
export function approvalActions(journal: Journal, call: string, bound = false): readonly ActionChoice[] | undefined {
  const index = new GateIndex(journal);
  const request = index.request(call);
  const recorded = recordedOutcome(index, call, bound);
  const { outcome } = recorded;
  if (request === undefined || outcome === undefined) return undefined;
  const choices: ActionChoice[] = [{ position: request.position, ref: call }];
  const at = (position: number | undefined) => {
    if (position !== undefined && !choices.some((choice) => choice.position === position)) choices.push({ position });
  };
  for (const name of outcome.tally.records) at(index.byName(name)?.position);
  for (const superseded of recorded.superseded) at(superseded.position);
  at(outcome.position);
  at(index.result(call)?.position);
  if (outcome.tally.excludePrincipal) at(index.byName(RUN_PRINCIPAL)?.position);
  if (outcome.tally.expiresAt !== '') at(index.byName(names.deadline(call))?.position);
  for (const identity of index.identityRecords(call)) at(identity.position);
  for (const hold of index.holds(call)) at(hold.position);
  if (index.identityRecords(call).length > 0)
    for (const { name, position } of readable(journal)) if (name.startsWith('approval-status:')) at(position);
  return choices;
}
