/** A journal as a tree, and the proofs that come out of it (audit spec 4.3 "Check an export against a head", 4.4 "Produce"). */
import { equalBytes, hex } from '../bytes/encoding.ts';
import type { Finding, Where } from '../finding/finding.ts';
import { storedLeafHash } from '../journal/leaf.ts';
import type { Journal, ReadableRecord, StoredRecord } from '../journal/record.ts';
import type { TreeHead } from '../log/head.ts';
import { MerkleTree } from '../merkle/tree.ts';
import { catalogue } from './catalogue.ts';
import { FORMAT } from './formats.ts';
import { rootOf } from './heads.ts';
import type { Reading } from './place.ts';
import type { ProofBundle } from './shapes.ts';

export interface JournalTree {
  readonly journal: Journal;
  readonly tree: MerkleTree;
}

/** The tree over the leaves of a journal, a tombstone standing for the leaf that it records. */
export function treeOfJournal(journal: Journal): JournalTree {
  return { journal, tree: MerkleTree.ofHashes(journal.records.map(storedLeafHash)) };
}

/**
 * Whether the journal is the one that a head signs, as far as the head reaches: kind, run, size and root. The head's signature is checked
 * elsewhere.
 */
export function journalFindings({ journal, tree }: JournalTree, head: TreeHead, where: Where = {}): readonly Finding[] {
  const findings: Finding[] = [];
  if (head.kind !== 'journal')
    findings.push(
      catalogue.find('evidence/head-kind', 'the head is of another kind of tree', {
        where,
        expected: 'journal',
        actual: head.kind,
      }),
    );
  if (head.run_id !== journal.run)
    findings.push(
      catalogue.find('evidence/head-run', 'the head is of another run than the journal', {
        where,
        expected: journal.run,
        actual: head.run_id,
      }),
    );
  findings.push(...prefixFindings({ journal, tree }, head, where));
  return findings;
}

/** Whether the first `size` records have the root. */
export function prefixFindings(
  { tree }: JournalTree,
  head: { readonly size: number; readonly root: Uint8Array | null },
  where: Where = {},
): readonly Finding[] {
  if (head.size < 0 || head.size > tree.size)
    return [
      catalogue.find('evidence/journal-short', `the journal has ${tree.size} records and the head signs ${head.size}`, {
        where,
        expected: `at least ${head.size} records`,
        actual: `${tree.size} records`,
      }),
    ];
  const root = tree.root(head.size);
  if (equalBytes(root, rootOf(head))) return [];
  return [
    catalogue.find('evidence/journal-root', `the first ${head.size} records do not have the signed root`, {
      where,
      expected: hex(rootOf(head)),
      actual: hex(root),
    }),
  ];
}

/** Records without a salt of 32 bytes among the first `size`: no tree is built over them (audit spec 1.2). */
export function unsaltedFindings(journal: Journal, size: number): readonly Finding[] {
  return journal.records
    .slice(0, size)
    .filter((stored) => stored.record !== undefined && stored.record.salt?.length !== 32)
    .map((stored) =>
      catalogue.find('evidence/journal-unsalted', `record ${stored.position} has no salt of 32 bytes`, {
        where: { entry: stored.name, pointer: `/records/${stored.position}` },
      }),
    );
}

/** Makes proofs of records under one head that was found to be of the journal. */
export type Prover = (index: number) => Reading<ProofBundle>;

/** A prover for a head, which the caller authenticated; or why the head is none for this journal. */
export function proverOf(of: JournalTree, head: TreeHead): Reading<Prover> {
  const findings = [...wrongHead(journalFindings(of, head)), ...unsaltedFindings(of.journal, head.size)];
  if (findings.length > 0) return { ok: false, findings };
  return { ok: true, value: (index) => proofAt(of, index, head) };
}

/**
 * Produces the proof of one record. The head is one that the caller authenticated.
 *
 * @returns the bundle, or why there is none: the head is not of this journal, the index is outside it, the record is redacted.
 */
export function proveRecord(of: JournalTree, index: number, head: TreeHead): Reading<ProofBundle> {
  const prover = proverOf(of, head);
  return prover.ok ? prover.value(index) : prover;
}

function proofAt({ journal, tree }: JournalTree, index: number, head: TreeHead): Reading<ProofBundle> {
  const stored = journal.records[index];
  if (index < 0 || index >= head.size || stored === undefined)
    return {
      ok: false,
      findings: [
        catalogue.find('evidence/no-such-record', `there is no record ${index} under a head of size ${head.size}`, {
          expected: `0 to ${head.size - 1}`,
          actual: String(index),
        }),
      ],
    };
  if (stored.tombstone !== undefined) return { ok: false, findings: [redactedFinding(stored, 'be proven')] };
  return {
    ok: true,
    value: {
      format: FORMAT.proof,
      run_id: journal.run,
      record_bytes: stored.bytes,
      inclusion: tree.inclusion(index, head.size),
      sth: head,
    },
  };
}

/** For a producer a head of another journal is the wrong input (audit spec 6.5, `prove`): status 4. */
export function wrongHead(findings: readonly Finding[]): readonly Finding[] {
  return findings.map((finding) => (finding.class === 'not_verified' ? { ...finding, class: 'unusable' } : finding));
}

/** That something cannot be had from a journal because a record of it was redacted. */
export function redactedFinding(stored: StoredRecord, what: string): Finding {
  return catalogue.find('evidence/redacted', `record ${stored.position} was redacted and cannot ${what}`, {
    where: { pointer: `/records/${stored.position}`, ...(stored.name === '' ? {} : { entry: stored.name }) },
  });
}

/** Which record is to be proven (audit spec 4.4, "Selecting the record"). */
export type Selection =
  | { readonly by: 'tool'; readonly id: string }
  | { readonly by: 'step'; readonly name: string }
  | { readonly by: 'approval'; readonly name: string };

/** The first record of a selection. */
export function selectRecord(journal: Journal, selection: Selection): ReadableRecord | undefined {
  return readable(journal).find((stored) => isSelected(stored, selection));
}

function isSelected({ name, record }: ReadableRecord, selection: Selection): boolean {
  switch (selection.by) {
    case 'tool':
      return record.kind === 'tool_result' && record.toolUseId === selection.id;
    case 'step':
      return record.kind === 'value' && name === selection.name;
    case 'approval':
      return record.kind === 'approval' && name === selection.name && record.approver !== '';
  }
}

/** The records that are not redacted. */
export function readable(journal: Journal): readonly ReadableRecord[] {
  return journal.records.filter((stored): stored is ReadableRecord => stored.record !== undefined);
}
