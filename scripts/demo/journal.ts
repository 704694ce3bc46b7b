/** The journal of the demonstration: the same run as the engine recorded it, with the approvals of two of three people, each signed. */
import { decisionDigest, signDecision } from '../../src/approval/decision.ts';
import { writePolicy } from '../../src/approval/policy.ts';
import { writeTally } from '../../src/approval/values.ts';
import { utf8 } from '../../src/bytes/encoding.ts';
import { sha256 } from '../../src/crypto/sha256.ts';
import { encodeRecord } from '../../src/journal/encode.ts';
import { encodeExport } from '../../src/journal/export.ts';
import { HEADER_FORMAT, names } from '../../src/journal/names.ts';
import { EMPTY_RECORD, type JournalRecord } from '../../src/journal/record.ts';
import { APPROVERS, type Cast } from './keys.ts';
import { ARGS, CALL, TOOL } from './session.ts';

export const RUN = 'refund/order-1041';

/**
 * The export of the journal.
 *
 * @param signers who says yes
 * @param signed the arguments that they sign for: those of the call
 */
export function demoJournal(
  cast: Cast,
  signers: readonly [string, string] = ['anna', 'chiara'],
  signed: string = ARGS,
): Uint8Array {
  const records: Uint8Array[] = [];
  const add = (record: Partial<JournalRecord>) => {
    const salt = sha256(utf8(`audit demonstration: salt ${records.length}`)).slice();
    records.push(encodeRecord({ ...EMPTY_RECORD, ...record, salt }));
  };
  const value = (name: string, content: unknown) =>
    add({ name, kind: 'value', result: utf8(typeof content === 'string' ? content : JSON.stringify(content)) });

  add({ name: '@journal', kind: 'header', format: HEADER_FORMAT });
  value('run:start', {
    input: 'Order 1041 arrived broken. I want my 480.00 back.',
    kind: 'agent',
    started_at: '2026-10-13T11:59:00.000Z',
  });
  add({
    name: '@llm/0',
    kind: 'model',
    message: {
      role: 'assistant',
      parts: [{ type: 'tool_use', id: CALL, name: TOOL, args: utf8(ARGS), signature: '' }],
    },
    usage: { inputTokens: 412, outputTokens: 38, cacheReadTokens: 0, cacheWriteTokens: 0 },
    finish: 'tool_use',
  });
  const subject = { run: RUN, call: CALL, tool: TOOL, args: utf8(signed) };
  const decided = signers.map((approver, i) => {
    const minute = `0${i + 2}`;
    const person = cast.approvers.get(approver);
    if (person === undefined) throw new Error(`nobody is called ${approver}`);
    const verdict = { approver, approved: true, decidedAt: `2026-10-13T12:${minute}:00.000Z` };
    const decision = signDecision(subject, verdict, person.key);
    if ('problem' in decision) throw new Error(decision.problem);
    const name = names.signedDecision(CALL, approver, decisionDigest(decision));
    add({
      name,
      kind: 'approval',
      toolUseId: CALL,
      approved: true,
      approver,
      approverAlg: decision.alg,
      signature: decision.signature,
      decidedAt: verdict.decidedAt,
      recordedAt: `2026-10-13T12:${minute}:05.000Z`,
    });
    return { approver, name };
  });
  add({
    name: names.tally(CALL),
    kind: 'value',
    result: writeTally({
      need: 2,
      approvers: APPROVERS,
      approved: 2,
      denied: 0,
      approvedBy: decided.map(({ approver }) => approver),
      deniedBy: [],
      pending: ['bela'],
      excluded: [],
      excludePrincipal: false,
      requesters: [],
      records: decided.map(({ name }) => name),
      decisionFormat: 'bide.approval.v3',
      supersedes: '',
      expired: false,
      expiresAt: '',
    }),
  });
  add({
    name: names.toolAttempt(CALL),
    kind: 'attempt',
    toolUseId: CALL,
    attemptedAt: 1_791_893_050_000n,
    claim: '5e'.repeat(16),
  });
  add({
    name: names.tool(CALL),
    kind: 'tool_result',
    toolUseId: CALL,
    result: utf8('{"refund":"R-88213","paid":"480.00"}'),
    safety: { readOnly: false, idempotent: false },
    approval: writePolicy({ kind: 'm-of-n', need: 2, approvers: APPROVERS, excludePrincipal: false }),
  });
  return encodeExport(RUN, records);
}
