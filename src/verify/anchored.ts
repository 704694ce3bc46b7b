/**
 * Independent time of a head: anchor receipts given beside it, against the roots of anchor logs that the auditor saw published (audit spec
 * 3.10). A receipt that is for another head is somebody else's and is left alone.
 */

import { equalBytes } from '../bytes/encoding.ts';
import type { Claim, Finding } from '../finding/finding.ts';
import { ANCHOR_RECEIPT_FORMAT, anchorReceiptShape, anchorReceiptVerifier } from '../log/anchor.ts';
import { headHash, type TreeHead } from '../log/head.ts';
import { readStrictly } from '../log/read.ts';
import { trustedAnchorRoots } from '../log/trustSections.ts';
import { formatInstant, type Instant } from '../time/instant.ts';
import { headText, wholeInput } from './artifact.ts';
import type { VerifyContext } from './kind.ts';
import { topFormat } from './topFormat.ts';

export interface Anchored {
  readonly findings: readonly Finding[];
  /** The instant by which the head existed at the latest, and what says so. */
  readonly by?: { readonly time: Instant; readonly receipt: string };
}

/** The earliest time that a receipt beside the input proves for the head. */
export function anchoredTime(head: TreeHead, context: VerifyContext): Anchored {
  const given = [...(context.companions ?? []), ...(context.heads ?? [])];
  const receipts = given.flatMap(({ path, source }) => {
    const bytes = wholeInput({ path, source });
    const format = bytes === undefined ? undefined : topFormat(new TextDecoder().decode(bytes.subarray(0, 65_536)));
    return bytes !== undefined && format === ANCHOR_RECEIPT_FORMAT ? [{ path, bytes }] : [];
  });
  if (receipts.length === 0) return { findings: [] };
  const { roots, findings: sectionFindings } = trustedAnchorRoots(context.trust);
  const findings: Finding[] = [...sectionFindings];
  const hash = headHash(head);
  let by: Anchored['by'];
  for (const { path, bytes } of receipts) {
    const where = { part: path };
    const read = readStrictly(anchorReceiptShape, bytes, where);
    const sth = read.ok ? (read.value.entry?.sth ?? undefined) : undefined;
    if (sth !== undefined && !equalBytes(headHash(sth), hash)) continue;
    const result = anchorReceiptVerifier(roots, where)(bytes, hash);
    if (!result.ok) findings.push(...result.findings);
    else if (by === undefined || result.time + result.accuracy < by.time)
      by = { time: result.time + result.accuracy, receipt: path };
  }
  return by === undefined ? { findings } : { findings, by };
}

/** The claim that a receipt decides; the log's own word stays beside it. */
export function anchoredTimeClaim(head: TreeHead, { by }: Anchored): Claim | undefined {
  if (by === undefined) return undefined;
  return {
    claim: 'time',
    verdict: 'verified',
    grade: 'rechecked',
    scope: headText(head),
    detail: `existed by ${formatInstant(by.time)}, when you saw the root of the anchor log that holds it (${by.receipt})`,
  };
}
