/** Reports of an earlier run, from its NDJSON: what a resumed run need not do again, and what a merge joins. */
import { decodeUtf8, hex, utf8 } from '../bytes/encoding.ts';
import { indexOfByte } from '../bytes/search.ts';
import { sha256 } from '../crypto/sha256.ts';
import { isSettledInput } from '../verify/agreement.ts';
import type { VerifyOptions } from '../verify/kind.ts';
import type { Given, GivenFile, InputReport } from '../verify/report.ts';
import { TOOL } from '../verify/tool.ts';
import { hashFile } from './plan.ts';

/**
 * What a report depends on beside its input, as one hash: this version of the program, what was asked, the contents of what was given. Paths
 * are left out, so that another machine with the same files comes to the same.
 */
export function underOf(given: Given, { at, kinds }: Pick<VerifyOptions, 'at' | 'kinds'>): string {
  const contents = (files: readonly GivenFile[]) => files.map(({ sha256 }) => sha256);
  const { trust, heads, companions, media = [], require, expect_ids, expect_leaf, entry, run } = given;
  const all = [
    [TOOL.version, at === undefined ? null : String(at)],
    [contents(trust), contents(heads), contents(companions), contents(media)],
    [require, expect_ids, expect_leaf, entry, run, kinds ?? null],
  ];
  return hex(sha256(utf8(JSON.stringify(all))));
}

/** The input reports of NDJSON bytes by path. A last line that a kill tore is left out. */
export function readEarlier(bytes: Uint8Array): ReadonlyMap<string, InputReport> {
  const earlier = new Map<string, InputReport>();
  let start = 0;
  while (start < bytes.length) {
    const found = indexOfByte(bytes, 0x0a, start);
    if (found < 0) break;
    const text = decodeUtf8(bytes.subarray(start, found));
    start = found + 1;
    try {
      const value: unknown = JSON.parse(text ?? '');
      if (isSettledInput(value)) earlier.set(value.path, value);
    } catch {
      // Not a line of a report; the file it would have been about is verified again.
    }
  }
  return earlier;
}

/**
 * The earlier report of a path, if the same was asked and given then and the file still has the content that it was about. What a session says
 * of its child sessions depends on their files as well, so one that links to any is verified again.
 */
export function stillHolds(
  path: string,
  earlier: ReadonlyMap<string, InputReport>,
  under: string,
): InputReport | undefined {
  const report = earlier.get(path);
  if (report === undefined || report.sha256 === null || report.under !== under) return undefined;
  if (report.claims.some(({ claim }) => claim === 'links')) return undefined;
  try {
    return hex(hashFile(path)) === report.sha256 ? report : undefined;
  } catch {
    return undefined;
  }
}
