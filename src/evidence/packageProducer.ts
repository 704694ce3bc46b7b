/** Produces and seals evidence packages (audit spec 4.11 "Produce"). */
import type { PrivateKey } from '../crypto/signature.ts';
import type { Finding } from '../finding/finding.ts';
import type { ReadableRecord } from '../journal/record.ts';
import type { TreeHead } from '../log/head.ts';
import { type ActionRole, actionRoles } from './actions.ts';
import { catalogue } from './catalogue.ts';
import { FORMAT } from './formats.ts';
import { grantRecordName } from './grants.ts';
import {
  type JournalTree,
  journalFindings,
  type Prover,
  proverOf,
  readable,
  redactedFinding,
  wrongHead,
} from './journalTree.ts';
import { sealedBytes } from './package.ts';
import type { Reading } from './place.ts';
import { proveNamed } from './runCertificate.ts';
import type { EvidenceAction, EvidencePackage, ProofBundle, RunCertificate, SignedGrant } from './shapes.ts';

/** One action to disclose: a position, and for a model record with several calls the id of the one that is meant. */
export interface ActionChoice {
  readonly position: number;
  readonly ref?: string;
}

export interface PackageOptions {
  readonly label?: string;
  /** Every completed tool call by default, in journal order. */
  readonly actions?: readonly ActionChoice[];
  readonly grants?: readonly SignedGrant[];
  readonly runCertificate?: RunCertificate;
  /** An earlier head, from which a consistency proof is made. */
  readonly from?: TreeHead;
}

/** Assembles a package under one head and seals it. The head is one that the caller authenticated, and the key is its log's. */
export function producePackage(
  of: JournalTree,
  head: TreeHead,
  key: PrivateKey,
  options: PackageOptions = {},
): Reading<EvidencePackage> {
  const prover = proverOf(of, head);
  if (!prover.ok) return prover;
  const findings: Finding[] = [];
  const actions: EvidenceAction[] = [];
  for (const choice of options.actions ?? completedCalls(of, head)) {
    const action = actionOf(of, choice, prover.value);
    if (action.ok) actions.push(action.value);
    else findings.push(...action.findings);
  }
  const anchored: ProofBundle[] = [];
  for (const grant of options.grants ?? []) {
    const bundle = proveNamed(of, grantRecordName(grant.grant), head);
    if (bundle.ok) anchored.push(bundle.value);
    else findings.push(...bundle.findings);
  }
  const { from } = options;
  if (from !== undefined) findings.push(...wrongHead(journalFindings(of, from)));
  if (from !== undefined && from.size > head.size)
    findings.push(
      catalogue.find('evidence/no-such-record', 'the earlier head is of a larger tree than the head', {
        expected: `at most ${head.size}`,
        actual: String(from.size),
      }),
    );
  if (findings.length > 0) return { ok: false, findings };
  const unsealed: EvidencePackage = {
    format: FORMAT.package,
    run_id: of.journal.run,
    label: options.label ?? '',
    alg: key.scheme,
    public_key: key.publicKey.bytes,
    sth: head,
    actions,
    grants: options.grants === undefined ? null : { chain: options.grants, anchored },
    run_certificate: options.runCertificate ?? null,
    consistency: from === undefined ? null : { from, proof: of.tree.consistency(from.size, head.size) },
    signature: null,
  };
  return { ok: true, value: { ...unsealed, signature: key.sign(sealedBytes(unsealed)) } };
}

function completedCalls(of: JournalTree, head: TreeHead): readonly ActionChoice[] {
  return readable(of.journal).flatMap(({ position, record }) =>
    record.kind === 'tool_result' && position < head.size ? [{ position }] : [],
  );
}

/** One action with its proof, in the role that a writer gives its record. */
function actionOf(of: JournalTree, choice: ActionChoice, prove: Prover): Reading<EvidenceAction> {
  const bundle = prove(choice.position);
  if (!bundle.ok) return bundle;
  const stored = of.journal.records[choice.position];
  if (stored?.record === undefined)
    return { ok: false, findings: stored === undefined ? [] : [redactedFinding(stored, 'be disclosed')] };
  const role = roleFor(stored, choice.ref);
  if (role === undefined)
    return {
      ok: false,
      findings: [
        catalogue.find('evidence/no-such-record', `record ${choice.position} cannot be disclosed as an action`, {
          where: { entry: stored.name },
          expected: 'a result, step, call, decision, tally or grant',
          actual: stored.record.kind,
        }),
      ],
    };
  return { ok: true, value: { ...role, bundle: bundle.value } };
}

function roleFor(stored: ReadableRecord, ref: string | undefined): ActionRole | undefined {
  return actionRoles(stored).find((role) => ref === undefined || role.ref === ref);
}
