/**
 * A run with one certificate-bound gate, as the engine journals it: the call, two decisions of alice and bob, status bytes, identity record,
 * count, attempt, result; the signed head of the decisions, the archive and the trust file beside it. Every case changes one thing.
 */

import { decisionBytesV4 } from '../../src/approval/decision.ts';
import { type Tally, writeTally } from '../../src/approval/values.ts';
import { base64, hex, utf8 } from '../../src/bytes/encoding.ts';
import { memorySource } from '../../src/bytes/source.ts';
import { formatPublicKey } from '../../src/crypto/keys.ts';
import { sha256 } from '../../src/crypto/sha256.ts';
import { digestOf, kindsDigest, rosterDigest } from '../../src/identity/digests.ts';
import { encodeExport } from '../../src/journal/export.ts';
import { storedLeafHash } from '../../src/journal/leaf.ts';
import type { JournalRecord } from '../../src/journal/record.ts';
import { encode } from '../../src/json/shape.ts';
import { type HeadContent, headHash, headShape, signHead, type TreeHead } from '../../src/log/head.ts';
import { MerkleTree } from '../../src/merkle/tree.ts';
import type { Crl } from '../../src/pki/crl.ts';
import { readTrust } from '../../src/trust/read.ts';
import { approvalsVerifier } from '../../src/verify/approvals.ts';
import type { InputReport } from '../../src/verify/report.ts';
import { verifyInput } from '../../src/verify/verify.ts';
import { journalOf, KEYS, Scene } from '../../vectors/approval-scenes.ts';
import { testKey } from '../log/keys.ts';
import * as forge from '../pki/forge.ts';
import {
  ica,
  icaKey,
  leaf,
  leafExtensions,
  leafKey,
  P0,
  RUN,
  root,
  rootKey,
  SUBJECT,
  series,
  spkiHash,
  tsaRoot,
  when,
} from './bank.ts';

type Json = Record<string, unknown>;
export const CALL = 'call-1';
export const logKey = await testKey('ed25519', 3);
export const bobKey = forge.key('identity bob');
export const bobLeaf = (change: Partial<forge.CertificateRecipe> = {}) =>
  leaf({
    key: bobKey,
    serial: 78,
    subject: 'O=Bank,CN=Bob',
    extensions: leafExtensions({ names: forge.altNames('email:bob@bank.example') }),
    ...change,
  });
export const IDENTITIES = { alice: 'alice@bank.example', bob: 'bob@bank.example', carol: 'carol@bank.example' };
export const KINDS = { alice: 'cert', bob: 'cert', carol: 'bare' } as const;
const APPROVERS = ['alice', 'bob', 'carol'];

export interface RunChange {
  /** The policy in the identity record. */
  readonly recordedPolicy?: Json;
  readonly identity?: (record: Json, decisions: Json[]) => Json | undefined;
  /** Text of the record's policy in place of the declared encoding. */
  readonly identityText?: (text: string) => string;
  readonly identityName?: string;
  readonly moreIdentities?: (record: Json) => readonly { readonly name: string; readonly value: Json }[];
  readonly identityAfterTally?: boolean;
  readonly tally?: Partial<Tally>;
  readonly tallyName?: string;
  readonly status?: (crl: Crl, value: Json) => { readonly name?: string; readonly value: Json } | undefined;
  readonly before?: (scene: Scene) => void;
  readonly beforeTally?: (scene: Scene) => void;
  readonly afterTally?: (scene: Scene) => void;
  readonly note?: Json;
  readonly attemptedAt?: string | null;
  readonly result?: boolean;
  readonly alice?: { readonly leaf?: Uint8Array; readonly change?: Partial<JournalRecord>; readonly absent?: boolean };
  readonly bob?: {
    readonly leaf?: Uint8Array;
    readonly key?: forge.Key;
    readonly change?: Partial<JournalRecord>;
    readonly absent?: boolean;
  };
  /** More decisions after alice's and bob's, by their own certificates. */
  readonly principal?: string;
  readonly evaluatedAt?: string;
  /** Numbers of the lists that the gate had. */
  readonly had?: readonly number[];
  readonly headTime?: string;
  readonly decisionHead?: Partial<HeadContent>;
}

export interface Run {
  readonly scene: Scene;
  readonly head: TreeHead;
  readonly records: readonly Uint8Array[];
}

const num = (crl: Crl): number => Number(crl.number);

/** The journal of a change, with the head that first covers both decisions. */
export function makeRun(change: RunChange = {}): Run {
  const scene = new Scene(RUN);
  if (change.principal !== undefined) scene.principal(change.principal);
  scene.start(change.principal).turn(CALL, SUBJECT.tool, new TextDecoder().decode(SUBJECT.args));
  change.before?.(scene);
  if (change.note !== undefined)
    scene.value(`approval-pending:${CALL}`, {
      tool_use_id: CALL,
      tool_name: SUBJECT.tool,
      need: 2,
      approvers: APPROVERS,
      ...change.note,
    });
  const steps: string[] = [];
  const people = [
    {
      approver: 'alice',
      der: change.alice?.leaf ?? leaf(),
      key: leafKey,
      at: '2026-10-13T09:00:00.000Z',
      ...change.alice,
    },
    {
      approver: 'bob',
      der: change.bob?.leaf ?? bobLeaf(),
      at: '2026-10-13T09:00:10.000Z',
      ...change.bob,
      key: change.bob?.key ?? bobKey,
    },
  ];
  for (const { approver, der, key, at, change: more, absent } of people) {
    if (absent === true) continue;
    steps.push(decide(scene, approver, der, key, at, more));
  }
  const size = scene.records.length;
  const head = headOfScene(scene, size, change.headTime ?? '09:00:30', change.decisionHead);
  const had = change.had ?? [1000, 1001];
  const lists = [...series('ica'), ...series('root')].filter((crl) => had.includes(num(crl)));
  for (const crl of lists) {
    const value: Json = {
      format: 'bide.approval-status.v2',
      kind: 'crl',
      issuer: 'a CA',
      number: String(crl.number),
      this_update: new Date(Number(crl.thisUpdate / 1_000_000n)).toISOString(),
      next_update: new Date(Number((crl.nextUpdate ?? 0n) / 1_000_000n)).toISOString(),
      size: crl.der.length,
      der: base64(crl.der),
    };
    const stored = change.status === undefined ? { value } : change.status(crl, value);
    if (stored !== undefined) scene.value(stored.name ?? `approval-status:${crl.sha256}`, stored.value);
  }
  const approvedBy = people.filter(({ absent }) => absent !== true).map(({ approver }) => approver);
  const tallyName = change.tallyName ?? `approval-tally:${CALL}:ident`;
  const tally = tallyOf({ approvedBy, records: steps, ...change.tally });
  const decisions = people.flatMap(({ approver, der, absent }, i): Json[] =>
    absent === true
      ? []
      : [
          {
            approver,
            step: steps[i],
            identifier: IDENTITIES[approver as 'alice' | 'bob'],
            leaf_hash: digestOf(der),
            chain: [digestOf(der), digestOf(ica())],
            anchor: spkiHash(rootKey),
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
            status: lists.map(({ sha256 }) => sha256),
          },
        ],
  );
  const policyText = JSON.stringify({ ...P0, ...change.recordedPolicy });
  const plain: Json = {
    format: 'bide.approval-identity.v2',
    tool_use_id: CALL,
    generation: 0,
    tally: tallyName,
    tally_digest: digestOf(tally),
    evaluated: 'live',
    evaluated_at: change.evaluatedAt ?? '2026-10-13T12:05:00Z',
    policy: JSON.parse(policyText),
    policy_digest: digestOf(utf8(policyText)),
    roster_digest: rosterDigest(new Map(Object.entries(IDENTITIES))),
    decisions,
    rules: 'v1',
    verifier: 'go1.25.0',
  };
  const identity = change.identity === undefined ? plain : change.identity(plain, decisions);
  const writeIdentity = () => {
    for (const { name, value } of change.moreIdentities?.(plain) ?? []) scene.value(name, value);
    if (identity === undefined) return;
    const text = JSON.stringify(identity);
    scene.value(change.identityName ?? `approval-identity:${CALL}:0`, change.identityText?.(text) ?? text);
  };
  if (change.identityAfterTally !== true) writeIdentity();
  change.beforeTally?.(scene);
  scene.add({ name: tallyName, kind: 'value', result: tally });
  if (change.identityAfterTally === true) writeIdentity();
  change.afterTally?.(scene);
  if (change.result !== false) {
    if (change.attemptedAt !== null)
      scene.add({
        name: `attempt:tool:${CALL}`,
        kind: 'attempt',
        toolUseId: CALL,
        attemptedAt: when(change.attemptedAt ?? '12:06') / 1_000_000n,
        claim: 'ab'.repeat(16),
      });
    scene.result({
      toolUseId: CALL,
      policy: {
        kind: 'm-of-n',
        need: 2,
        approvers: APPROVERS,
        excludePrincipal: change.tally?.excludePrincipal ?? false,
      },
    });
  }
  return { scene, head, records: scene.records };
}

export function decide(
  scene: Scene,
  approver: string,
  der: Uint8Array,
  key: forge.Key,
  decidedAt: string,
  more: Partial<JournalRecord> = {},
): string {
  const approved = more.approved ?? true;
  const message = decisionBytesV4(SUBJECT, { approver, approved, decidedAt }, sha256(der));
  const name = more.name ?? `approval:${CALL}:${approver}:${digestOf(message)}`;
  scene.add({
    name,
    kind: 'approval',
    toolUseId: CALL,
    approved,
    approver,
    approverAlg: 'x509',
    signature: key.sign(message),
    decidedAt,
    recordedAt: decidedAt,
    approverCert: [der, ica()],
    ...more,
  });
  return name;
}

export function tallyOf(tally: Partial<Tally>): Uint8Array {
  const approvedBy = tally.approvedBy ?? [];
  return writeTally({
    need: 2,
    approvers: APPROVERS,
    approved: approvedBy.length,
    denied: tally.deniedBy?.length ?? 0,
    approvedBy,
    deniedBy: [],
    pending: APPROVERS.filter(
      (id) => !approvedBy.includes(id) && !(tally.deniedBy ?? []).includes(id) && !(tally.excluded ?? []).includes(id),
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
  });
}

/** The signed head over the first records of a scene. */
export function headOfScene(scene: Scene, size: number, time: string, more: Partial<HeadContent> = {}): TreeHead {
  const { records } = journalOf(RUN, scene.records.slice(0, size));
  const tree = MerkleTree.ofHashes(records.map(storedLeafHash));
  return signHead(
    { kind: 'journal', run_id: RUN, size, root: tree.root(), timestamp_nanos: when(time), ...more },
    logKey,
  );
}

export interface TrustChange {
  readonly policy?: Json;
  readonly item?: Json;
  readonly section?: Json;
  readonly identities?: Json;
  readonly policies?: readonly Json[];
  readonly top?: Json;
  readonly gate?: Json;
}

export const policyItem = (change: TrustChange = {}): Json => ({
  id: 'wires-2026',
  applies_from: '2026-09-01T00:00:00Z',
  applies_until: null,
  gates: [{ tool: 'wire_*' }],
  identity_required: true,
  require_final: false,
  approvers: KINDS,
  policy: { ...P0, ...change.policy },
  ...change.item,
});

/** The trust file. */
export function trustOf(change: TrustChange = {}): Json {
  return {
    format: 'audit.trust.v1',
    keys: [{ name: 'log', roles: ['log'], key: formatPublicKey(logKey.publicKey) }],
    approvers: {
      carol: formatPublicKey((KEYS.get('carol') as { publicKey: Parameters<typeof formatPublicKey>[0] }).publicKey),
    },
    gates: [{ run: '*', tool: 'wire_transfer', policy: { need: 2, approvers: APPROVERS, ...change.gate } }],
    certificate_policies: {
      policies: change.policies ?? [policyItem(change)],
      certificates: { anchors: [], intermediates: [base64(ica())] },
      tsa_anchors: [base64(tsaRoot)],
      ...change.section,
    },
    anchors: [base64(root())],
    rosters: [{ from: '2026-09-01T00:00:00Z', until: null, identities: change.identities ?? IDENTITIES }],
    ...change.top,
  };
}

export interface Given {
  readonly trust?: Json;
  readonly heads?: readonly (TreeHead | Uint8Array)[];
  readonly archive?: readonly Uint8Array[];
  readonly at?: string;
}

/** The lists around the decision: the whole series only costs time here. */
export const listed = (change?: Parameters<typeof series>[1]): Uint8Array[] =>
  [...series('ica', change, 1005, 1000), ...series('root', undefined, 1005, 1000)].map(({ der }) => der);
export const allLists = (): Uint8Array[] => listed();

/** `audit approvals` of the run. */
export async function auditRun({ records, head }: Run, given: Given = {}): Promise<InputReport> {
  const { trust, findings } = await readTrust([
    { name: 'trust.json', bytes: utf8(JSON.stringify(given.trust ?? trustOf())) },
  ]);
  if (findings.length > 0) throw new Error(findings[0]?.message);
  const input = (bytes: Uint8Array, i: number) => ({ path: `file ${i}`, source: memorySource(bytes) });
  const heads = (given.heads ?? [head]).map((one) => (one instanceof Uint8Array ? one : encode(headShape, one)));
  return verifyInput(
    { path: 'run.json', source: memorySource(encodeExport(RUN, records)) },
    {
      trust,
      at: when(given.at ?? '14 13:00'),
      heads: heads.map(input),
      companions: (given.archive ?? allLists()).map(input),
    },
    approvalsVerifier,
  );
}

/** Codes of a report that are of this module, `identity/` left out. */
export const codesOf = ({ findings }: InputReport): readonly string[] =>
  [
    ...new Set(
      findings
        .map(({ code }) => code)
        .filter((code) => code.startsWith('identity/') && code !== 'identity/decision-stands'),
    ),
  ]
    .map((code) => code.slice('identity/'.length))
    .sort();

export { icaKey, kindsDigest };
