/** Proof bundles: one record of a run, in the tree that a signed head names (audit spec 4.4, steps numbered as there). */
import { hex } from '../bytes/encoding.ts';
import type { Finding, Verdict, Where } from '../finding/finding.ts';
import { readStored } from '../journal/decode.ts';
import { leafHash, recordLeafData } from '../journal/leaf.ts';
import type { ReadableRecord } from '../journal/record.ts';
import { looksLikeTombstone } from '../journal/tombstone.ts';
import { FAULT_WORDS, inclusionFault } from '../merkle/proof.ts';
import { catalogue } from './catalogue.ts';
import { FORMAT } from './formats.ts';
import { type HeadChecker, rootOf } from './heads.ts';
import { below, formatFinding } from './place.ts';
import type { ProofBundle } from './shapes.ts';

export interface ProofReport {
  readonly findings: readonly Finding[];
  /** Of the head, under the auditor's key. */
  readonly authorship: Verdict;
  /** That these bytes are the leaf that the proof names, under the root of the head; whoever signed that. */
  readonly inclusion: Verdict;
  /** The record, where its bytes read one way; believed only as far as the rest of the report goes. */
  readonly record: ReadableRecord | undefined;
}

/** Whether a report gives its record as proven: nothing speaks against it and the head is by the auditor's key. */
export function isProven(report: ProofReport): report is ProofReport & { readonly record: ReadableRecord } {
  return (
    report.authorship === 'verified' &&
    report.inclusion === 'verified' &&
    report.record !== undefined &&
    holds(report.findings)
  );
}

/** Whether no finding speaks against what was checked. */
export function holds(findings: readonly Finding[]): boolean {
  return findings.every((finding) => finding.class === 'none');
}

/** Checks a proof bundle whole: every step whose inputs are usable runs, whatever the others give. */
export function checkProof(bundle: ProofBundle, heads: HeadChecker, where: Where = {}): ProofReport {
  // 1.
  const format = formatFinding('proof bundle', FORMAT.proof, bundle.format, where);
  if (format !== undefined)
    return { findings: [format], authorship: 'undecided', inclusion: 'undecided', record: undefined };
  // 2.
  const head = heads.check(bundle.sth, below(where, 'sth'));
  const findings: Finding[] = [...head.findings];
  let inclusion: Verdict = 'undecided';
  const bytes = bundle.record_bytes ?? new Uint8Array();
  if (head.usable) {
    // 3.
    findings.push(...headIsOf(bundle.sth, 'journal', bundle.run_id, where));
    // 4.
    const { index, size } = bundle.inclusion;
    if (size !== bundle.sth.size)
      findings.push(
        catalogue.find('evidence/proof-size', 'the proof is for a tree of another size than the signed one', {
          where: below(where, 'inclusion', 'size'),
          expected: String(bundle.sth.size),
          actual: String(size),
        }),
      );
    // 5. The bytes that the proof carries are hashed as they are; a tombstone's recorded hash is not believed here.
    const leaf = leafHash(recordLeafData(bytes));
    const fault = inclusionFault(rootOf(bundle.sth), leaf, index, size, bundle.inclusion.path);
    inclusion = fault === undefined && size === bundle.sth.size ? 'verified' : 'failed';
    if (fault !== undefined)
      findings.push(
        catalogue.find(
          'evidence/not-included',
          `the record is not leaf ${index} of the signed tree: ${FAULT_WORDS[fault]}`,
          {
            where: below(where, 'inclusion'),
            expected: `a path from the leaf to the root ${hex(rootOf(bundle.sth))}`,
            actual: `leaf hash ${hex(leaf)}`,
            ...(looksLikeTombstone(bytes)
              ? { remedy: 'A redacted record cannot be proven; ask for a proof that was made before the redaction.' }
              : {}),
          },
        ),
      );
  }
  // 6.
  const read = readStored(bytes, bundle.inclusion.index);
  if (!read.ok)
    findings.push(
      catalogue.find('evidence/record-unreadable', `the record cannot be read one way: ${read.problem.message}`, {
        where: { ...below(where, 'record_bytes'), byte: read.problem.at },
      }),
    );
  const record = read.ok && read.stored.tombstone === undefined ? read.stored : undefined;
  if (record !== undefined && record.record.salt?.length !== 32)
    findings.push(
      catalogue.find('evidence/record-unsalted', 'the record has no salt of 32 bytes', {
        where: below(where, 'record_bytes'),
        expected: '32 bytes',
        actual: `${record.record.salt?.length ?? 0} bytes`,
      }),
    );
  return { findings, authorship: head.authorship, inclusion, record };
}

/** That a usable head is of this kind and run. */
export function headIsOf(
  head: { readonly kind: string; readonly run_id: string },
  kind: string,
  run: string,
  where: Where,
): readonly Finding[] {
  const findings: Finding[] = [];
  if (head.kind !== kind)
    findings.push(
      catalogue.find('evidence/head-kind', `the head is of another kind of tree`, {
        where: below(where, 'sth', 'kind'),
        expected: kind,
        actual: head.kind,
      }),
    );
  if (head.run_id !== run)
    findings.push(
      catalogue.find('evidence/head-run', 'the head is of another run', {
        where: below(where, 'sth', 'run_id'),
        expected: run,
        actual: head.run_id,
      }),
    );
  return findings;
}
