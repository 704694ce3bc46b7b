/**
 * The journal of the demonstration: the same run as the engine recorded it, with the decisions of two of three people. In the plain form they
 * sign with bare keys; in the full form with certificates of the company, and the engine records whose they were and what it knew of them.
 */
import { decisionBytesV4, decisionDigest, signDecision } from '../../src/approval/decision.ts';
import { writePolicy } from '../../src/approval/policy.ts';
import { writeTally } from '../../src/approval/values.ts';
import { base64, hex, utf8 } from '../../src/bytes/encoding.ts';
import { sha256 } from '../../src/crypto/sha256.ts';
import { treeOfJournal } from '../../src/evidence/journalTree.ts';
import { digestOf, rosterDigest } from '../../src/identity/digests.ts';
import { encodeRecord } from '../../src/journal/encode.ts';
import { encodeExport, readExport } from '../../src/journal/export.ts';
import { HEADER_FORMAT, names } from '../../src/journal/names.ts';
import { EMPTY_RECORD, type JournalRecord } from '../../src/journal/record.ts';
import { waitValue } from '../../src/journal/write-values.ts';
import { headHash, signHead, type TreeHead } from '../../src/log/head.ts';
import { parseInstant } from '../../src/time/instant.ts';
import { IDENTITIES, IDENTITY_POLICY, issuing, PEOPLE, revocationLists, textDigest } from './certificates.ts';
import { APPROVERS, type Cast } from './keys.ts';
import { ARGS, CALL, TOOL } from './session.ts';

export const RUN = 'refund/order-1041';
const PAID = '{"refund":"R-88213","paid":"480.00"}';

/** Records one after the other. */
class Records {
  readonly #records: Uint8Array[] = [];
  add(record: Partial<JournalRecord>): void {
    const salt = sha256(utf8(`audit demonstration: salt ${this.#records.length}`)).slice();
    this.#records.push(encodeRecord({ ...EMPTY_RECORD, ...record, salt }));
  }
  value(name: string, content: unknown): void {
    this.add({ name, kind: 'value', result: utf8(typeof content === 'string' ? content : JSON.stringify(content)) });
  }
  get export(): Uint8Array {
    return encodeExport(RUN, this.#records);
  }
}

/** The run up to the question whether the refund may be paid. */
function begun(): Records {
  const records = new Records();
  records.add({ name: '@journal', kind: 'header', format: HEADER_FORMAT });
  records.value('run:start', {
    input: 'Order 1041 arrived broken. I want my 480.00 back.',
    kind: 'agent',
    started_at: '2026-10-13T08:58:00.000Z',
  });
  records.add({
    name: '@llm/0',
    kind: 'model',
    message: {
      role: 'assistant',
      parts: [{ type: 'tool_use', id: CALL, name: TOOL, args: utf8(ARGS), signature: '' }],
    },
    usage: { inputTokens: 412, outputTokens: 38, cacheReadTokens: 0, cacheWriteTokens: 0 },
    finish: 'tool_use',
  });
  const result = waitValue({
    toolUseId: CALL,
    toolName: TOOL,
    need: 2,
    approvers: APPROVERS,
    recordedAt: '2026-10-13T08:59:00.000Z',
  });
  records.add({ name: names.pauseNote(CALL), kind: 'value', result });
  return records;
}

function tallyOf(decided: readonly { readonly approver: string; readonly name: string }[]): Uint8Array {
  const by = decided.map(({ approver }) => approver);
  return writeTally({
    need: 2,
    approvers: APPROVERS,
    approved: 2,
    denied: 0,
    approvedBy: by,
    deniedBy: [],
    pending: APPROVERS.filter((name) => !by.includes(name)),
    excluded: [],
    excludePrincipal: false,
    requesters: [],
    records: decided.map(({ name }) => name),
    decisionFormat: 'bide.approval.v3',
    supersedes: '',
    expired: false,
    expiresAt: '',
  });
}

function ended(records: Records): void {
  records.add({
    name: names.toolAttempt(CALL),
    kind: 'attempt',
    toolUseId: CALL,
    attemptedAt: (parseInstant('2026-10-13T12:06:00Z') as bigint) / 1_000_000n,
    claim: '5e'.repeat(16),
  });
  records.add({
    name: names.tool(CALL),
    kind: 'tool_result',
    toolUseId: CALL,
    result: utf8(PAID),
    safety: { readOnly: false, idempotent: false },
    approval: writePolicy({ kind: 'm-of-n', need: 2, approvers: APPROVERS, excludePrincipal: false }),
  });
}

/**
 * The export of the plain form.
 *
 * @param signers who says yes
 * @param signed the arguments that they sign for: those of the call
 */
export function demoJournal(
  cast: Cast,
  signers: readonly [string, string] = ['anna', 'chiara'],
  signed: string = ARGS,
): Uint8Array {
  const records = begun();
  const subject = { run: RUN, call: CALL, tool: TOOL, args: utf8(signed) };
  const decided = signers.map((approver, i) => {
    const person = cast.approvers.get(approver);
    if (person === undefined) throw new Error(`nobody is called ${approver}`);
    const verdict = { approver, approved: true, decidedAt: `2026-10-13T09:00:${i}0.000Z` };
    const decision = signDecision(subject, verdict, person.key);
    if ('problem' in decision) throw new Error(decision.problem);
    const name = names.signedDecision(CALL, approver, decisionDigest(decision));
    records.add({
      name,
      kind: 'approval',
      toolUseId: CALL,
      approved: true,
      approver,
      approverAlg: decision.alg,
      signature: decision.signature,
      decidedAt: verdict.decidedAt,
      recordedAt: verdict.decidedAt,
    });
    return { approver, name };
  });
  records.add({ name: names.tally(CALL), kind: 'value', result: tallyOf(decided) });
  ended(records);
  return records.export;
}

export interface CertifiedJournal {
  readonly bytes: Uint8Array;
  /** The head that first covers both decisions: by when they existed. */
  readonly head: TreeHead;
}

/** The full form: certificates, the lists that the engine had, and what it made of them. */
export function certifiedJournal(cast: Cast): CertifiedJournal {
  const records = begun();
  const decided = [...PEOPLE].map(([approver, person], i) => {
    const decidedAt = `2026-10-13T09:00:${i}0.000Z`;
    const message = decisionBytesV4(
      { run: RUN, call: CALL, tool: TOOL, args: utf8(ARGS) },
      { approver, approved: true, decidedAt },
      sha256(person.certificate),
    );
    const name = `approval:${CALL}:${approver}:${digestOf(message)}`;
    records.add({
      name,
      kind: 'approval',
      toolUseId: CALL,
      approved: true,
      approver,
      approverAlg: 'x509',
      signature: person.sign(message),
      decidedAt,
      recordedAt: decidedAt,
      approverCert: [person.certificate, issuing],
    });
    return { approver, name, person };
  });
  const head = headOver(records.export, '2026-10-13T09:00:30Z', cast);
  const had = revocationLists().filter(({ number }) => number === 1000 || number === 1001);
  for (const { der, number, from, until } of had)
    records.value(`approval-status:${digestOf(der)}`, {
      format: 'bide.approval-status.v2',
      kind: 'crl',
      issuer: 'an authority of the shop',
      number: String(number),
      this_update: from,
      next_update: until,
      size: der.length,
      der: base64(der),
    });
  const tally = tallyOf(decided);
  const tallyName = `approval-tally:${CALL}:ident`;
  const policy = JSON.stringify(IDENTITY_POLICY);
  records.value(`approval-identity:${CALL}:0`, {
    format: 'bide.approval-identity.v2',
    tool_use_id: CALL,
    generation: 0,
    tally: tallyName,
    tally_digest: digestOf(tally),
    evaluated: 'live',
    evaluated_at: '2026-10-13T12:05:00Z',
    policy: JSON.parse(policy),
    policy_digest: textDigest(policy),
    roster_digest: rosterDigest(new Map(Object.entries(IDENTITIES))),
    decisions: decided.map(({ approver, name, person }) => ({
      approver,
      step: name,
      identifier: person.email,
      leaf_hash: digestOf(person.certificate),
      chain: [digestOf(person.certificate), digestOf(issuing)],
      anchor: IDENTITY_POLICY.anchors[0],
      anchored_at: '2026-10-13T09:00:30Z',
      time_source: 'log-signer-clock',
      head_size: head.size,
      head_root: hex(head.root ?? new Uint8Array()),
      head_hash: hex(headHash(head)),
      tier: 'provisional',
      basis_kind: 'at-or-after-decision',
      basis: 'the lists of noon',
      status_time: '2026-10-13T12:00:00Z',
      window: '24h0m0s',
      status: had.map(({ der }) => digestOf(der)),
    })),
    rules: 'v1',
    verifier: 'demo',
  });
  records.add({ name: tallyName, kind: 'value', result: tally });
  ended(records);
  return { bytes: records.export, head };
}

/** The signed head over an export as it stands. */
export function headOver(bytes: Uint8Array, at: string, { log }: Cast): TreeHead {
  const { journal } = readExport(bytes);
  if (journal === undefined) throw new Error('the journal of the demonstration does not read');
  const { tree } = treeOfJournal(journal);
  const time = parseInstant(at) as bigint;
  return signHead({ kind: 'journal', run_id: RUN, size: tree.size, root: tree.root(), timestamp_nanos: time }, log.key);
}
