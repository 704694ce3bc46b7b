/**
 * Scenes of approval gates: journals of real records with real signatures, made from fixed seeds. `make-approval.ts` writes them down as
 * vectors; the tests change them one thing at a time.
 */

import { decisionDigest, signDecision } from '../src/approval/decision.ts';
import type { Policy } from '../src/approval/policy.ts';
import { writePolicy } from '../src/approval/policy.ts';
import type { Subject } from '../src/approval/subject.ts';
import type { Tally } from '../src/approval/values.ts';
import { writeTally } from '../src/approval/values.ts';
import { utf8 } from '../src/bytes/encoding.ts';
import { formatPublicKey, importPrivateKey, isUnusable } from '../src/crypto/keys.ts';
import { sha256 } from '../src/crypto/sha256.ts';
import type { PrivateKey } from '../src/crypto/signature.ts';
import { readStored } from '../src/journal/decode.ts';
import { encodeRecord } from '../src/journal/encode.ts';
import { HEADER_FORMAT, names } from '../src/journal/names.ts';
import type { Journal, JournalRecord } from '../src/journal/record.ts';
import { EMPTY_RECORD } from '../src/journal/record.ts';

export const RUN = 'bank/order-7';
export const CALL = 'call_1';
export const TOOL = 'pay_invoice';
export const ARGS = '{"invoice":"INV-7","amount":"1250.00"}';
export const APPROVERS = ['alice', 'bob', 'carol'] as const;
export const POLICY = { kind: 'm-of-n', need: 2, approvers: APPROVERS, excludePrincipal: false } as const;

export async function keyOf(person: string): Promise<PrivateKey> {
  const key = await importPrivateKey('ed25519', sha256(utf8(`approval scene ${person}`)));
  if (isUnusable(key)) throw new Error(key.unusable);
  return key;
}

export const KEYS: ReadonlyMap<string, PrivateKey> = new Map(
  await Promise.all(['alice', 'bob', 'carol', 'mallory'].map(async (person) => [person, await keyOf(person)] as const)),
);

/** The text of a trust file with the three approvers, and the gates given. */
export function trustText(
  gates: unknown = [{ run: 'bank/*', tool: 'pay_*', policy: { need: 2, approvers: APPROVERS } }],
  approvers: readonly string[] = APPROVERS,
): string {
  const keys = approvers.map((person) => [person, formatPublicKey((KEYS.get(person) as PrivateKey).publicKey)]);
  return JSON.stringify({ format: 'audit.trust.v1', approvers: Object.fromEntries(keys), gates });
}

export interface DecisionOptions {
  readonly approved?: boolean;
  readonly signer?: string;
  readonly subject?: Partial<Subject>;
  readonly decidedAt?: string;
  readonly recordedAt?: string;
  readonly change?: Partial<JournalRecord>;
}

/** Writes a run's records one by one, as a gate would, and whatever a test asks for. */
export class Scene {
  readonly run: string;
  readonly records: Uint8Array[] = [];
  #minute = 0;
  #turns = 0;
  constructor(run = RUN) {
    this.run = run;
    this.add({ name: '@journal', kind: 'header', format: HEADER_FORMAT });
  }

  add(record: Partial<JournalRecord>): this {
    const salt = sha256(utf8(`salt ${this.records.length}`));
    this.records.push(encodeRecord({ ...EMPTY_RECORD, ...record, salt }));
    return this;
  }

  /** A value record under a name. */
  value(name: string, value: unknown): this {
    return this.add({ name, kind: 'value', result: utf8(typeof value === 'string' ? value : JSON.stringify(value)) });
  }

  principal(id: string, ancestors: readonly string[] = []): this {
    const above = ancestors.map((ancestor) => ({ on_behalf_of: ancestor }));
    return this.value('run:principal', {
      principal: { on_behalf_of: id },
      ...(above.length === 0 ? {} : { ancestors: above }),
    });
  }

  /** The start of the run, for a principal where it has one. */
  start(principal?: string): this {
    return this.value('run:start', {
      input: 'Pay the invoice.',
      kind: 'agent',
      ...(principal === undefined ? {} : { principal: { on_behalf_of: principal } }),
      started_at: '2026-10-13T11:59:00.000Z',
    });
  }

  /** A model turn that asks for one call. */
  turn(call = CALL, tool = TOOL, args = ARGS): this {
    const n = this.#turns++;
    const part = { type: 'tool_use', id: call, name: tool, args: utf8(args), signature: '' } as const;
    const usage = { inputTokens: 1, outputTokens: 1, cacheReadTokens: 0, cacheWriteTokens: 0 };
    return this.add({
      name: `@llm/${n}`,
      kind: 'model',
      message: { role: 'assistant', parts: [part] },
      usage,
      finish: 'tool_use',
    });
  }

  request(node = 'settle', args = '{"batch":"b-9"}'): this {
    const call = `node:${node}`;
    return this.value(
      names.request(call),
      `{"tool_use_id":${JSON.stringify(call)},"tool_name":${JSON.stringify(node)},"args":${args},"recorded_at":"2026-10-13T12:00:00.000Z"}`,
    );
  }

  deadline(minutes: number, call = CALL): this {
    const expires = new Date(Date.UTC(2026, 9, 13, 12, minutes)).toISOString();
    return this.value(names.deadline(call), {
      tool_use_id: call,
      requested_at: '2026-10-13T12:00:00.000Z',
      expires_at: expires,
      timeout_ms: minutes * 60_000,
    });
  }

  /** A decision, signed by its approver unless somebody else is named. Gives the name of the record. */
  decide(approver: string, options: DecisionOptions = {}): string {
    this.#minute++;
    const minute = String(this.#minute).padStart(2, '0');
    const subject: Subject = { run: this.run, call: CALL, tool: TOOL, args: utf8(ARGS), ...options.subject };
    const verdict = {
      approver,
      approved: options.approved ?? true,
      decidedAt: options.decidedAt ?? `2026-10-13T12:${minute}:00.000Z`,
    };
    const key = KEYS.get(options.signer ?? approver) as PrivateKey;
    const signed = signDecision(subject, verdict, key);
    if ('problem' in signed) throw new Error(signed.problem);
    const call = options.change?.toolUseId ?? CALL;
    const name = options.change?.name ?? names.signedDecision(call, approver, decisionDigest(signed));
    this.add({
      name,
      kind: 'approval',
      toolUseId: call,
      approved: verdict.approved,
      approver,
      approverAlg: signed.alg,
      signature: signed.signature,
      decidedAt: verdict.decidedAt,
      recordedAt: options.recordedAt ?? `2026-10-13T12:${minute}:05.000Z`,
      ...options.change,
    });
    return name;
  }

  /** An unsigned decision. */
  approve(approved = true, call = CALL): this {
    return this.add({
      name: names.decision(call),
      kind: 'approval',
      toolUseId: call,
      approved,
      recordedAt: '2026-10-13T12:30:00.000Z',
    });
  }

  tally(tally: Partial<Tally>, name = names.tally(CALL)): this {
    const full: Tally = {
      need: 2,
      approvers: APPROVERS,
      approved: tally.approvedBy?.length ?? 0,
      denied: tally.deniedBy?.length ?? 0,
      approvedBy: [],
      deniedBy: [],
      pending: APPROVERS.filter(
        (id) =>
          !(tally.approvedBy ?? []).includes(id) &&
          !(tally.deniedBy ?? []).includes(id) &&
          !(tally.excluded ?? []).includes(id),
      ),
      excluded: [],
      excludePrincipal: false,
      requesters: [],
      records: [],
      decisionFormat: 'bide.approval.v3',
      supersedes: '',
      expired: false,
      expiresAt: '',
      ...tally,
    };
    return this.add({ name, kind: 'value', result: writeTally(full) });
  }

  attempt(call = CALL): this {
    const claim = 'ab'.repeat(16);
    return this.add({
      name: names.toolAttempt(call),
      kind: 'attempt',
      toolUseId: call,
      attemptedAt: 1791893000000n,
      claim,
    });
  }

  result(change: Partial<JournalRecord> & { readonly policy?: Policy | null; readonly text?: string } = {}): this {
    const { policy = POLICY, text = '{"paid":true}', ...rest } = change;
    const call = rest.toolUseId ?? CALL;
    return this.add({
      name: names.tool(call),
      kind: 'tool_result',
      toolUseId: call,
      result: utf8(text),
      safety: { readOnly: false, idempotent: false },
      ...(policy === null ? {} : { approval: writePolicy(policy) }),
      ...rest,
    });
  }

  denied(text = 'tool call denied by human'): this {
    return this.result({ text: JSON.stringify(text), isError: true });
  }

  journal(): Journal {
    return journalOf(this.run, this.records);
  }
}

/** The journal of stored bytes. A scene that does not read is a mistake of its author. */
export function journalOf(run: string, stored: readonly Uint8Array[]): Journal {
  const records = stored.map((bytes, position) => {
    const read = readStored(bytes, position);
    if (!read.ok) throw new Error(`record ${position} does not read: ${read.problem.message}`);
    return read.stored;
  });
  return { run, format: HEADER_FORMAT, records };
}

/** The plain case: asked for, approved by two of three, counted, tried, done. */
export function paid(): Scene {
  const scene = new Scene().start().turn();
  const records = [scene.decide('alice'), scene.decide('bob')];
  return scene
    .tally({ approvedBy: ['alice', 'bob'], records })
    .attempt()
    .result();
}
