/**
 * Anchors (audit spec 3.9) and receipts (3.10): signed heads published to a log that their signer does not control. The reference anchor
 * log is a tree over entries; how its root reaches the auditor, and when, is told by the auditor's own trust file.
 */
import { concat, equalBytes, hex, utf8 } from '../bytes/encoding.ts';
import type { Finding, Where } from '../finding/finding.ts';
import { encode, formatted, integer, nullable, type Shape, string } from '../json/shape.ts';
import { leafHash } from '../merkle/hash.ts';
import { FAULT_WORDS, type InclusionProof, inclusionFault, type MaybeHash } from '../merkle/proof.ts';
import type { Instant } from '../time/instant.ts';
import { catalogue } from './catalogue.ts';
import { headHash, headShape, inclusionShape, type TreeHead, unusableHead } from './head.ts';
import { readStrictly } from './read.ts';

export const ANCHOR_ENTRY_FORMAT = 'bide.audit.anchor-entry.v1';
const ANCHOR_LEAF_TAG = utf8('bide.audit.anchor-leaf.v1\0');

export interface AnchorEntry {
  readonly format: string;
  /** Position in the anchor log, from 0. */
  readonly seq: number;
  readonly run_id: string;
  readonly sth: TreeHead | null;
}

export const anchorEntryShape: Shape<AnchorEntry> = formatted('anchor entry', ANCHOR_ENTRY_FORMAT, {
  seq: integer,
  run_id: string,
  sth: nullable(headShape),
});

/** Leaf data of an entry: the tag, then its JSON in MARSHAL mode (audit spec 1.6). */
export function anchorLeafData(entry: AnchorEntry): Uint8Array {
  return concat(ANCHOR_LEAF_TAG, encode(anchorEntryShape, entry));
}

/** The entry under which a head is published. Throws RangeError for one that is unsigned or not well formed. */
export function anchorEntry(seq: number, head: TreeHead): AnchorEntry {
  if (head.signature === null || head.signature.length === 0)
    throw new RangeError('an unsigned head is never anchored');
  if (unusableHead(head) !== undefined) throw new RangeError('a head that is not well formed is never anchored');
  if (!Number.isSafeInteger(seq) || seq < 0) throw new RangeError(`an anchor log has no position ${seq}`);
  return { format: ANCHOR_ENTRY_FORMAT, seq, run_id: head.run_id, sth: head };
}

/**
 * The checks of an entry against a root of the anchor log (audit spec 3.9 steps 1 to 5). The head in it is not verified; that is done
 * separately, under the log's key.
 */
export function anchorEntryFindings(
  entry: AnchorEntry,
  proof: InclusionProof,
  root: MaybeHash,
  where: Where = {},
): readonly Finding[] {
  // 1.
  if (entry.format !== ANCHOR_ENTRY_FORMAT)
    return [
      catalogue.find('log/format', `the anchor entry has the format ${JSON.stringify(entry.format)}`, {
        where,
        expected: ANCHOR_ENTRY_FORMAT,
        actual: entry.format,
      }),
    ];
  const unusable = unusableHead(entry.sth, where);
  if (unusable !== undefined) return [unusable];
  const head = entry.sth as TreeHead;
  const findings: Finding[] = [];
  // 2.
  if (entry.seq !== proof.index)
    findings.push(
      catalogue.find('log/anchor-position', `the entry says position ${entry.seq}, its proof is for ${proof.index}`, {
        where,
        expected: String(proof.index),
        actual: String(entry.seq),
      }),
    );
  // 3.
  if (entry.run_id !== head.run_id)
    findings.push(
      catalogue.find('log/anchor-run', 'the entry and the head in it name different runs', {
        where,
        expected: head.run_id,
        actual: entry.run_id,
      }),
    );
  // 4. Decoding refuses such text; entries made in memory come here.
  if (/\p{Surrogate}/u.test(`${entry.run_id}${head.run_id}${head.kind}${head.alg}`)) {
    findings.push(catalogue.find('log/malformed', 'a string of the entry is not Unicode text', { where }));
    return findings;
  }
  // 5.
  const fault = inclusionFault(root, leafHash(anchorLeafData(entry)), proof.index, proof.size, proof.path);
  if (fault !== undefined)
    findings.push(
      catalogue.find('log/anchor-inclusion', `the entry is not shown to be in the anchor log: ${FAULT_WORDS[fault]}`, {
        where,
        ...(root === null ? {} : { expected: `root ${hex(root)}` }),
      }),
    );
  return findings;
}

/** When a receipt says that its head existed at the latest. */
export interface ReceiptTime {
  /** The instant that the receipt proves. */
  readonly time: Instant;
  /** How far off it may be, nanoseconds. */
  readonly accuracy: Instant;
}

export type ReceiptResult =
  | ({ readonly ok: true } & ReceiptTime)
  | { readonly ok: false; readonly findings: readonly Finding[] };

/** The interface through which every receipt is taken (audit spec 3.10). */
export type ReceiptVerifier = (receipt: Uint8Array, headHash: Uint8Array) => ReceiptResult;

/** A root of an anchor log that the auditor trusts, with the time at which the auditor's own copy says that it was published. */
export interface TrustedAnchorRoot {
  readonly name: string;
  readonly size: number;
  readonly root: Uint8Array;
  readonly published: Instant;
  /** Nanoseconds; 0 where the trust file says nothing. */
  readonly accuracy: Instant;
}

export const ANCHOR_RECEIPT_FORMAT = 'audit.anchor-receipt.v1';

export interface AnchorReceipt {
  readonly format: string;
  readonly entry: AnchorEntry | null;
  readonly inclusion: InclusionProof;
}

/** The entry-with-proof receipt as a file of its own. */
export const anchorReceiptShape: Shape<AnchorReceipt> = formatted('anchor receipt', ANCHOR_RECEIPT_FORMAT, {
  entry: nullable(anchorEntryShape),
  inclusion: inclusionShape,
});

/** Makes a receipt file, to be kept beside the head that it dates. */
export function writeAnchorReceipt(entry: AnchorEntry, inclusion: InclusionProof): Uint8Array {
  return encode(anchorReceiptShape, { format: ANCHOR_RECEIPT_FORMAT, entry, inclusion });
}

/** The verifier of entry-with-proof receipts over the roots that the auditor trusts. */
export function anchorReceiptVerifier(roots: readonly TrustedAnchorRoot[], where: Where = {}): ReceiptVerifier {
  return (receipt, hash) => {
    const read = readStrictly(anchorReceiptShape, receipt, where);
    if (!read.ok) return { ok: false, findings: read.findings };
    const { entry, inclusion } = read.value;
    if (entry === null)
      return { ok: false, findings: [catalogue.find('log/malformed', 'the receipt holds no entry', { where })] };
    const unusable = unusableHead(entry.sth, where);
    if (unusable !== undefined) return { ok: false, findings: [unusable] };
    const head = entry.sth as TreeHead;
    if (!equalBytes(headHash(head), hash))
      return {
        ok: false,
        findings: [
          catalogue.find('log/receipt-other-head', 'the receipt is for another head', {
            where,
            expected: hex(hash),
            actual: hex(headHash(head)),
          }),
        ],
      };
    const ofSize = roots.filter(({ size }) => size === inclusion.size);
    if (ofSize.length === 0)
      return {
        ok: false,
        findings: [
          catalogue.find('log/receipt-no-root', `no trusted root of an anchor log has size ${inclusion.size}`, {
            where,
            expected: roots.map(({ name, size }) => `${name} of size ${size}`).join('; ') || 'a root in the trust file',
            actual: `size ${inclusion.size}`,
          }),
        ],
      };
    let best: TrustedAnchorRoot | undefined;
    let findings: readonly Finding[] = [];
    for (const root of ofSize) {
      const found = anchorEntryFindings(entry, inclusion, root.root, where);
      if (found.length > 0) findings = found;
      else if (best === undefined || root.published + root.accuracy < best.published + best.accuracy) best = root;
    }
    return best === undefined ? { ok: false, findings } : { ok: true, time: best.published, accuracy: best.accuracy };
  };
}
