/** Reports of an earlier run, from its NDJSON: what a resumed run need not do again, and what a merge joins. */
import { decodeUtf8, hex } from '../bytes/encoding.ts';
import type { InputReport } from '../verify/report.ts';
import { hashFile } from './plan.ts';

/** Whether a value of an NDJSON line is the report of an input. The last line of a run is its summary; a torn line is none. */
export function isInputReport(value: unknown): value is InputReport {
  if (value === null || typeof value !== 'object') return false;
  const { path, result, claims, findings } = value as Record<string, unknown>;
  return typeof path === 'string' && typeof result === 'string' && Array.isArray(claims) && Array.isArray(findings);
}

/** The input reports of NDJSON bytes by path. A last line that a kill tore is left out. */
export function readEarlier(bytes: Uint8Array): ReadonlyMap<string, InputReport> {
  const earlier = new Map<string, InputReport>();
  let start = 0;
  while (start < bytes.length) {
    const found = bytes.indexOf(0x0a, start);
    if (found < 0) break;
    const text = decodeUtf8(bytes.subarray(start, found));
    start = found + 1;
    try {
      const value: unknown = JSON.parse(text ?? '');
      if (isInputReport(value)) earlier.set(value.path, value);
    } catch {
      // Not a line of a report; the file it would have been about is verified again.
    }
  }
  return earlier;
}

/** The earlier report of a path, if the file still has the content that it was about. */
export function stillHolds(path: string, earlier: ReadonlyMap<string, InputReport>): InputReport | undefined {
  const report = earlier.get(path);
  if (report === undefined || report.sha256 === null) return undefined;
  try {
    return hex(hashFile(path)) === report.sha256 ? report : undefined;
  } catch {
    return undefined;
  }
}
