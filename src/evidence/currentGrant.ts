/** Current-grant proofs: a grant is the last one of a ledger run (audit spec 4.8, steps numbered as there). */
import type { Finding, Verdict, Where } from '../finding/finding.ts';
import { HEAD_FORMAT, type TreeHead } from '../log/head.ts';
import { consistencyFault, FAULT_WORDS } from '../merkle/proof.ts';
import { catalogue } from './catalogue.ts';
import { FORMAT } from './formats.ts';
import { grantOfRecord, sameGrant } from './grants.ts';
import { type HeadChecker, rootOf } from './heads.ts';
import { type JournalTree, journalFindings, proveRecord, wrongHead } from './journalTree.ts';
import { currentGrantFormats, headFormats } from './nestedFormats.ts';
import { below, type Reading } from './place.ts';
import { checkProof } from './proof.ts';
import type { CurrentGrantProof, SignedGrant } from './shapes.ts';

export interface CurrentGrantReport {
  readonly findings: readonly Finding[];
  readonly authorship: Verdict;
  /** That the leaf is in the ledger's tree. */
  readonly inclusion: Verdict;
  /** That the leaf is this grant and the last of the ledger, as far as the head reaches. */
  readonly current: Verdict;
  /** That the ledger continues the one last seen; undecided on first contact. */
  readonly consistency: Verdict;
  /** The head to keep as the next last seen one. */
  readonly head: TreeHead;
}

export interface CurrentGrantInputs {
  readonly grant: SignedGrant;
  readonly ledger: string;
  /** The head that the auditor saw last; none on first contact only. */
  readonly lastSeen?: TreeHead;
}

/** Checks that a signed grant is a ledger's current one. The grant itself (issuer, attenuation, expiry) is verified separately. */
export function checkCurrentGrant(
  proof: CurrentGrantProof,
  { grant, ledger, lastSeen }: CurrentGrantInputs,
  heads: HeadChecker,
  where: { readonly proof: Where; readonly lastSeen?: Where } = { proof: {} },
): CurrentGrantReport {
  const { leaf } = proof;
  const at = where.proof;
  const undecided = {
    authorship: 'undecided',
    inclusion: 'undecided',
    current: 'undecided',
    consistency: 'undecided',
  } as const;
  // 1.
  const formats = [
    ...currentGrantFormats(proof, at),
    ...(lastSeen === undefined ? [] : headFormats(lastSeen, where.lastSeen ?? {})),
  ];
  if (formats.length > 0) return { findings: formats, ...undecided, head: leaf.sth };
  // 3.
  const report = checkProof(leaf, heads, below(at, 'leaf'));
  const findings: Finding[] = [...report.findings];
  const judged: Finding[] = [];
  // 2.
  if (leaf.run_id !== ledger)
    judged.push(
      catalogue.find('evidence/ledger-run', 'the leaf is of another run than the ledger', {
        where: below(at, 'leaf', 'run_id'),
        expected: ledger,
        actual: leaf.run_id,
      }),
    );
  // 4.
  if (report.record !== undefined) {
    const held = grantOfRecord(report.record);
    if ('problem' in held || !sameGrant(held.grant, grant))
      judged.push(
        catalogue.find(
          'evidence/other-grant',
          'problem' in held ? `the leaf is no grant: ${held.problem}` : 'the leaf is another grant than the one given',
          { where: below(at, 'leaf', 'record_bytes') },
        ),
      );
  }
  // 5.
  if (leaf.inclusion.index !== leaf.sth.size - 1)
    judged.push(
      catalogue.find('evidence/superseded', 'the grant is not the last of the ledger: a later one supersedes it', {
        where: below(at, 'leaf', 'inclusion', 'index'),
        expected: String(leaf.sth.size - 1),
        actual: String(leaf.inclusion.index),
      }),
    );
  // 6.
  let continued: Verdict = 'undecided';
  if (lastSeen !== undefined) {
    const seen = consistencyFindings(proof, lastSeen, ledger, heads, at, where.lastSeen ?? {});
    findings.push(...seen.findings);
    continued = seen.verdict;
  }
  const usable = leaf.sth.format === HEAD_FORMAT && report.record !== undefined;
  return {
    findings: [...findings, ...judged],
    authorship: report.authorship,
    inclusion: report.inclusion,
    current: judged.length > 0 ? 'failed' : usable ? 'verified' : 'undecided',
    consistency: continued,
    head: leaf.sth,
  };
}

function consistencyFindings(
  { leaf, consistency }: CurrentGrantProof,
  lastSeen: TreeHead,
  ledger: string,
  heads: HeadChecker,
  at: Where,
  seenAt: Where,
): { readonly findings: readonly Finding[]; readonly verdict: Verdict } {
  const seen = heads.check(lastSeen, seenAt);
  const findings: Finding[] = [...seen.findings];
  if (!seen.usable) return { findings, verdict: 'undecided' };
  if (lastSeen.kind !== 'journal' || lastSeen.run_id !== ledger)
    findings.push(
      catalogue.find('evidence/head-run', 'the head last seen is not of the journal of this ledger', {
        where: seenAt,
        expected: `journal of ${ledger}`,
        actual: `${lastSeen.kind} of ${lastSeen.run_id}`,
      }),
    );
  findings.push(...tiedConsistency(consistency, lastSeen, leaf.sth, below(at, 'consistency')));
  return { findings, verdict: findings.some((finding) => finding.class === 'not_verified') ? 'failed' : 'verified' };
}

/** That a consistency proof leads from one head to another: its sizes are theirs, and its hashes hold between their roots. */
export function tiedConsistency(
  proof: { readonly first: number; readonly size: number; readonly path: readonly (Uint8Array | null)[] | null },
  from: TreeHead,
  to: TreeHead,
  where: Where,
): readonly Finding[] {
  const findings: Finding[] = [];
  for (const [member, head] of [
    ['first', from],
    ['size', to],
  ] as const) {
    if (proof[member] !== head.size)
      findings.push(
        catalogue.find('evidence/proof-size', 'the consistency proof is between trees of other sizes than the heads', {
          where: below(where, member),
          expected: String(head.size),
          actual: String(proof[member]),
        }),
      );
  }
  const fault = consistencyFault(proof.first, proof.size, proof.path, rootOf(from), rootOf(to));
  if (fault !== undefined)
    findings.push(
      catalogue.find(
        'evidence/not-consistent',
        `the later tree is not shown to continue the earlier one: ${FAULT_WORDS[fault]}`,
        {
          where,
        },
      ),
    );
  return findings;
}

/** Produces the proof for a ledger's last record, from the head last seen or for first contact. */
export function proveCurrentGrant(
  ledger: JournalTree,
  head: TreeHead,
  lastSeen?: TreeHead,
): Reading<CurrentGrantProof> {
  const leaf = proveRecord(ledger, head.size - 1, head);
  if (!leaf.ok) return leaf;
  if (lastSeen !== undefined) {
    const wrong = wrongHead(journalFindings(ledger, lastSeen));
    if (wrong.length > 0) return { ok: false, findings: wrong };
  }
  const consistency =
    lastSeen === undefined || lastSeen.size > head.size
      ? { first: lastSeen?.size ?? 0, size: head.size, path: null }
      : ledger.tree.consistency(lastSeen.size, head.size);
  return { ok: true, value: { format: FORMAT.currentGrant, leaf: leaf.value, consistency } };
}
