/** Packages that disclose one gate, made from fixed seeds. */
import { decisionDigest, signDecision } from '../../src/approval/decision.ts';
import { writeTally } from '../../src/approval/values.ts';
import { keyVerifier } from '../../src/approval/verifier.ts';
import { utf8 } from '../../src/bytes/encoding.ts';
import { formatPublicKey, importPrivateKey, isUnusable } from '../../src/crypto/keys.ts';
import { sha256 } from '../../src/crypto/sha256.ts';
import type { PrivateKey } from '../../src/crypto/signature.ts';
import { type ApprovalReport, approvalActions, checkApprovalEvidence } from '../../src/evidence/approvals.ts';
import { HeadChecker } from '../../src/evidence/heads.ts';
import { proveRecord, treeOfJournal } from '../../src/evidence/journalTree.ts';
import { checkPackage, sealedBytes } from '../../src/evidence/package.ts';
import { producePackage } from '../../src/evidence/packageProducer.ts';
import type { EvidencePackage } from '../../src/evidence/shapes.ts';
import { encodeRecord } from '../../src/journal/encode.ts';
import { readEntries } from '../../src/journal/export.ts';
import { names } from '../../src/journal/names.ts';
import { EMPTY_RECORD, type JournalRecord } from '../../src/journal/record.ts';
import { signHead } from '../../src/log/head.ts';
import { ringOf } from '../../src/log/keyRing.ts';

export interface Gate {
  readonly approvals: readonly string[];
  readonly denials: readonly string[];
  readonly need: number;
  readonly approvers: readonly string[];
  /** A second turn asks for the call with these arguments. */
  readonly askedAgain?: string;
  /** Kind of action to leave out. */
  readonly leaveOut?: string;
  /** Kind of action to prove under an earlier head. */
  readonly otherHeadFor?: string;
}

const CALL = 'c1';
const subject = { run: 'r', call: CALL, tool: 'pay', args: utf8('{"amount":1}') };

async function keyOf(name: string): Promise<PrivateKey> {
  const key = await importPrivateKey('ed25519', sha256(utf8(name)));
  if (isUnusable(key)) throw new Error(key.unusable);
  return key;
}

export class TallyScene {
  readonly #log: PrivateKey;
  readonly #people: ReadonlyMap<string, PrivateKey>;
  constructor(log: PrivateKey, people: ReadonlyMap<string, PrivateKey>) {
    this.#log = log;
    this.#people = people;
  }

  static async make(): Promise<TallyScene> {
    const people = new Map<string, PrivateKey>();
    for (const name of ['alice', 'bob']) people.set(name, await keyOf(name));
    return new TallyScene(await keyOf('log'), people);
  }

  #decision(approver: string, approved: boolean, second: number): JournalRecord {
    const verdict = { approver, approved, decidedAt: `2026-01-01T00:00:0${second}.000Z` };
    const signed = signDecision(subject, verdict, this.#people.get(approver) as PrivateKey);
    if ('problem' in signed) throw new Error(signed.problem);
    return {
      ...EMPTY_RECORD,
      name: names.signedDecision(CALL, approver, decisionDigest(signed)),
      kind: 'approval',
      toolUseId: CALL,
      approved,
      approver,
      approverAlg: signed.alg,
      signature: signed.signature,
      decidedAt: verdict.decidedAt,
      recordedAt: verdict.decidedAt,
    };
  }

  /** The package that discloses a gate, sealed. */
  evidence(gate: Gate): EvidencePackage {
    const turn = (n: number, args: string): JournalRecord => ({
      ...EMPTY_RECORD,
      name: names.turn(n),
      kind: 'model',
      message: {
        role: 'assistant',
        parts: [{ type: 'tool_use', id: CALL, name: 'pay', args: utf8(args), signature: '' }],
      },
    });
    const decisions = [
      ...gate.approvals.map((approver, i) => this.#decision(approver, true, i + 1)),
      ...gate.denials.map((approver, i) => this.#decision(approver, false, i + 5)),
    ];
    const passes = gate.approvals.length >= gate.need;
    const tally = writeTally({
      need: gate.need,
      approvers: gate.approvers,
      approved: gate.approvals.length,
      denied: gate.denials.length,
      approvedBy: gate.approvals,
      deniedBy: gate.denials,
      pending: [],
      excluded: [],
      excludePrincipal: false,
      requesters: [],
      records: decisions.map((record) => record.name),
      decisionFormat: 'bide.approval.v3',
      supersedes: '',
      expired: false,
      expiresAt: '',
    });
    const records: readonly JournalRecord[] = [
      { ...EMPTY_RECORD, name: '@journal', kind: 'header', format: 'bide.journal.v1-dev' },
      turn(0, '{"amount":1}'),
      ...(gate.askedAgain === undefined ? [] : [turn(1, gate.askedAgain)]),
      ...decisions,
      { ...EMPTY_RECORD, name: names.tally(CALL), kind: 'value', result: tally },
      {
        ...EMPTY_RECORD,
        name: names.tool(CALL),
        kind: 'tool_result',
        toolUseId: CALL,
        result: utf8(passes ? '"paid"' : '"tool call denied by human"'),
        isError: !passes,
      },
    ];
    const { journal, findings } = readEntries(
      'r',
      records.map((record, i) => ({ data: encodeRecord({ ...record, salt: sha256(utf8(`gate ${i}`)) }) })),
    );
    if (journal === undefined) throw new Error(JSON.stringify(findings));
    const of = treeOfJournal(journal);
    const head = (size: number) =>
      signHead({ kind: 'journal', run_id: 'r', size, root: of.tree.root(size), timestamp_nanos: 5n }, this.#log);
    const actions = [
      ...(approvalActions(journal, CALL) ?? []),
      ...(gate.askedAgain === undefined ? [] : [{ position: 2, ref: CALL }]),
    ];
    const made = producePackage(of, head(of.tree.size), this.#log, { actions });
    if (!made.ok) throw new Error(JSON.stringify(made.findings));
    const changed = (made.value.actions ?? [])
      .filter((action) => action.kind !== gate.leaveOut)
      .map((action) => {
        if (action.kind !== gate.otherHeadFor) return action;
        const bundle = proveRecord(of, action.bundle.inclusion.index, head(of.tree.size - 1));
        return bundle.ok ? { ...action, bundle: bundle.value } : action;
      });
    const evidence = { ...made.value, actions: changed };
    return { ...evidence, signature: this.#log.sign(sealedBytes(evidence)) };
  }

  /** A trust file with the log, the people and the policy of a gate. */
  trust({ need, approvers }: Gate): object {
    const text = (key: PrivateKey | undefined) => formatPublicKey((key as PrivateKey).publicKey);
    return {
      keys: [{ name: 'log', roles: ['log'], key: text(this.#log) }],
      approvers: Object.fromEntries([...this.#people].map(([name, key]) => [name, text(key)])),
      gates: [{ run: '*', tool: 'pay', policy: { need, approvers } }],
    };
  }

  judge(gate: Gate): ApprovalReport {
    const evidence = this.evidence(gate);
    const report = checkPackage(evidence, 'none', new HeadChecker({ ring: ringOf(this.#log.publicKey) }));
    return checkApprovalEvidence(evidence, report.actions, {
      call: CALL,
      expected: { policy: { kind: 'm-of-n', need: gate.need, approvers: gate.approvers, excludePrincipal: false } },
      resolver: (approver) => {
        const key = this.#people.get(approver);
        return key === undefined ? undefined : keyVerifier([key.publicKey]);
      },
    });
  }
}
