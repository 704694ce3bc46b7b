/** Questions about approvals, answered by `src/approval`. */

import { canonicalArguments } from '../../src/approval/arguments.ts';
import { decisionBytesV2, decisionBytesV3, decisionBytesV4 } from '../../src/approval/decision.ts';
import { evaluateGate } from '../../src/approval/gate.ts';
import { GateIndex } from '../../src/approval/gateIndex.ts';
import type { Policy, QuorumPolicy } from '../../src/approval/policy.ts';
import { readPolicy, sameApprover, validatePolicy } from '../../src/approval/policy.ts';
import { recountGates } from '../../src/approval/recount.ts';
import type { Subject } from '../../src/approval/subject.ts';
import type { Check } from '../../src/approval/tally.ts';
import { tallyApprovals, terminalTally } from '../../src/approval/tally.ts';
import type { Tally } from '../../src/approval/values.ts';
import { passed, unreachable, writeTally } from '../../src/approval/values.ts';
import type { Resolver, Verifier } from '../../src/approval/verifier.ts';
import { keyVerifier } from '../../src/approval/verifier.ts';
import { base64, hex, unbase64, utf8 } from '../../src/bytes/encoding.ts';
import { isUnusable, parsePublicKey } from '../../src/crypto/keys.ts';
import type { PublicKey } from '../../src/crypto/signature.ts';
import { readStored } from '../../src/journal/decode.ts';
import { HEADER_FORMAT } from '../../src/journal/names.ts';
import type { JournalRecord, StoredRecord } from '../../src/journal/record.ts';
import { EMPTY_RECORD } from '../../src/journal/record.ts';
import { encodeId } from '../../src/journal/run-id.ts';
import { parseTimestamp } from '../../src/journal/timestamp.ts';
import { readTrust } from '../../src/trust/read.ts';
import type { Json, Operation } from '../suite.ts';

type Members = { readonly [name: string]: Json };

const text = (value: Json | undefined): string => (typeof value === 'string' ? value : '');
const bytes = (value: Json | undefined): Uint8Array => unbase64(text(value)) ?? new Uint8Array();
const list = (value: Json | undefined): readonly Json[] => (Array.isArray(value) ? (value as readonly Json[]) : []);
const members = (value: Json | undefined): Members =>
  value !== null && typeof value === 'object' && !Array.isArray(value) ? (value as Members) : {};

function subjectOf(value: Json | undefined): Subject {
  const of = members(value);
  return {
    run: text(of['run_id']),
    call: text(of['tool_use_id']),
    tool: text(of['tool_name']),
    args: typeof of['args_base64'] === 'string' ? bytes(of['args_base64']) : undefined,
  };
}

/** A policy as the cases write it: not read strictly, since invalid ones are asked about. */
function policyOf(value: Json | undefined): Policy | undefined {
  if (value === null || value === undefined) return undefined;
  const of = members(value);
  const timeout = typeof of['timeout_ms'] === 'number' ? { timeoutMs: of['timeout_ms'] } : {};
  if (of['single'] === true) return { kind: 'single', ...timeout };
  return {
    kind: 'm-of-n',
    need: Number(of['need'] ?? 0),
    approvers: list(of['approvers']).map(text),
    excludePrincipal: of['exclude_principal'] === true,
    ...timeout,
  };
}

async function resolverOf(value: Json | undefined): Promise<Resolver | undefined> {
  if (value === null || value === undefined) return undefined;
  const verifiers = new Map<string, Verifier>();
  for (const [approver, entry] of Object.entries(members(value))) {
    if (entry === null) continue;
    const of = members(entry);
    const keys: PublicKey[] = [];
    for (const key of list(of['keys'])) {
      const imported = await parsePublicKey(text(key));
      if (!isUnusable(imported)) keys.push(imported);
    }
    const bound = of['alg'] === 'x509';
    const made = keyVerifier(keys);
    const reported = of['report_key_ids'];
    verifiers.set(approver, {
      alg: text(of['alg']),
      keyIds: reported === undefined ? (made?.keyIds ?? []) : list(reported).map(text),
      verify: (message, signature) => made?.verify(message, signature) ?? false,
      ...(bound ? { certificateBound: { rosterDigest: '' }, identifier: approver } : {}),
    });
  }
  return (approver) => verifiers.get(approver);
}

/** Records as the cases write them: without salt, `result` as a value or as its text. A name alone stands for a tombstone. */
function recordsOf(value: Json | undefined): readonly StoredRecord[] {
  return list(value).map((item, position) => {
    const of = members(item);
    const name = text(of['name']);
    const stored = { position, name, bytes: new Uint8Array() };
    if (of['kind'] === undefined) return { ...stored, tombstone: { leafHash: new Uint8Array(32), atMs: 0n } };
    const parts = list(members(of['message'])['parts']).map((part) => {
      const p = members(part);
      const args = p['args'] === undefined ? undefined : utf8(JSON.stringify(p['args']));
      return { type: 'tool_use' as const, id: text(p['id']), name: text(p['name']), args, signature: '' };
    });
    const result =
      typeof of['result_text'] === 'string'
        ? utf8(of['result_text'])
        : of['result'] === undefined
          ? undefined
          : utf8(JSON.stringify(of['result']));
    const chain = of['approver_cert'] === undefined ? undefined : list(of['approver_cert']).map(bytes);
    const record: JournalRecord = {
      ...EMPTY_RECORD,
      name,
      kind: text(of['kind']),
      message: of['message'] === undefined ? undefined : { role: 'assistant', parts },
      toolUseId: text(of['tool_use_id']),
      result,
      isError: of['is_error'] === true,
      approved: of['approved'] === true,
      approver: text(of['approver']),
      approverAlg: text(of['approver_alg']),
      signature: of['signature'] === undefined ? undefined : bytes(of['signature']),
      decidedAt: text(of['decided_at']),
      recordedAt: text(of['recorded_at']),
      approverCert: chain,
    };
    return { ...stored, record, deviation: undefined, unknown: [], members: 0 };
  });
}

function tallyJson(tally: Tally): Json {
  return {
    need: tally.need,
    approvers: tally.approvers,
    approved: tally.approved,
    denied: tally.denied,
    approved_by: tally.approvedBy,
    denied_by: tally.deniedBy,
    pending: tally.pending,
    excluded: tally.excluded,
    exclude_principal: tally.excludePrincipal,
    requesters: tally.requesters,
    records: tally.records,
  };
}

function checkJson(check: Check): Json {
  const { name, approver, approved, counted, reason = null } = check;
  return { step: name, approver, approved, counted, reason };
}

const verdictOf = (params: Members) => ({
  approver: text(params['approver']),
  approved: params['approved'] === true,
  decidedAt: text(params['decided_at']),
});

export const operations: Record<string, Operation> = {
  'approval/count': async (params) => {
    const subject = subjectOf(params['subject']);
    const records = recordsOf(params['records']);
    const index = new GateIndex({ run: subject.run, format: '', records });
    const since = params['since'];
    const after = typeof since === 'string' ? (index.byName(since)?.position ?? Number.POSITIVE_INFINITY) : -1;
    const deadline = index.deadline(subject.call);
    const count = tallyApprovals({
      subject,
      policy: policyOf(params['policy']) as QuorumPolicy,
      resolver: await resolverOf(params['resolver']),
      decisions: index.decisions(subject.call, after),
      requesters: index.requesters,
      deadline,
    });
    return {
      passed: passed(count.tally),
      unreachable: unreachable(count.tally),
      tally: tallyJson(count.tally),
      checks: count.checks.map(checkJson),
      terminal_tally_json: new TextDecoder().decode(writeTally(terminalTally(count, { deadline }))),
    };
  },
  'approval/gate': async (params) => {
    const subject = subjectOf(params['subject']);
    const index = new GateIndex({ run: subject.run, format: '', records: recordsOf(params['records']) });
    const standing = evaluateGate({
      index,
      subject,
      policy: policyOf(params['policy']),
      resolver: await resolverOf(params['resolver']),
    });
    const steps = (counted: boolean) => standing.checks.filter((c) => c.counted === counted).map((c) => c.position);
    return {
      status: standing.status,
      ran: standing.ran,
      denied: standing.denied,
      recorded: standing.recorded,
      expired: standing.expired,
      single_decided: standing.singleDecided,
      single_approved: standing.singleApproved,
      reask: standing.reask ?? null,
      error: standing.error?.category ?? null,
      passed: standing.tally === undefined ? null : passed(standing.tally),
      approved_by: standing.tally?.approvedBy ?? null,
      pending: standing.tally?.pending ?? null,
      deadline: standing.deadline?.status === 'read' ? standing.deadline.expiresAt : null,
      reasons: standing.checks.map((check) => check.reason ?? null),
      counted_steps: steps(true),
      uncounted_steps: steps(false),
    };
  },
  /** Records as their stored text, trust files as theirs, `names` those of redacted records that the store still knows. Codes of class `none` are notes. */
  'approval/recount': async (params) => {
    const records = list(params['records']).map((item, position) => {
      const read = readStored(utf8(text(item)), position);
      if (!read.ok) throw new RangeError(`record ${position} does not read: ${read.problem.message}`);
      const name = members(params['names'] ?? {})[String(position)];
      return typeof name === 'string' ? { ...read.stored, name } : read.stored;
    });
    const files = list(params['trust']).map((item, i) => ({ name: `trust ${i}`, bytes: utf8(text(item)) }));
    const { trust, findings: faults } = await readTrust(files);
    const recount = recountGates({ run: text(params['run']), format: HEADER_FORMAT, records }, trust);
    const findings = [...faults, ...recount.findings, ...recount.gates.flatMap((gate) => gate.findings)];
    const codes = (notes: boolean) =>
      findings
        .filter((finding) => (finding.class === 'none') === notes)
        .map(({ code }) => code)
        .sort();
    return {
      gates: recount.gates.map(({ end, claims }) => ({ end, claims: { ...claims } })),
      codes: codes(false),
      notes: codes(true),
    };
  },
  'approval/read-policy': (params) => {
    const read = readPolicy(utf8(text(params['json'])));
    return 'policy' in read ? { decodes: read.policy.kind, error: null } : { decodes: null, error: 'protocol' };
  },
  'approval/validate-policy': (params) => {
    const of = members(params['policy']);
    const single = of['single'] === true && of['exclude_principal'] === true;
    const policy = policyOf(of);
    return !single && policy !== undefined && validatePolicy(policy) === undefined;
  },
  'approval/same-approver': (params) => sameApprover(text(params['a']), text(params['b'])),
  'approval/canonical-arguments': (params) =>
    base64(canonicalArguments(typeof params['raw_b64'] === 'string' ? bytes(params['raw_b64']) : undefined)),
  'approval/decision-bytes': (params) => {
    const subject = subjectOf(params['subject']);
    const verdict = verdictOf(params);
    const leaf = bytes(params['leaf_hash_b64']);
    switch (params['version']) {
      case 2:
        return hex(decisionBytesV2(subject, verdict));
      case 4:
        return hex(decisionBytesV4(subject, verdict, leaf));
      default:
        return hex(decisionBytesV3(subject, verdict));
    }
  },
  'journal/canonical-timestamp': (params) => parseTimestamp(text(params['text'])) !== undefined,
  'journal/encode-id': (params) => encodeId(text(params['id'])),
};
