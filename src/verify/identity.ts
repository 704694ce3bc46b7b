/** One finding, one identity (law 7; interop 5.1 "Fingerprints"). */
import { hex, utf8 } from '../bytes/encoding.ts';
import { sha256 } from '../crypto/sha256.ts';
import type { Finding, Where } from '../finding/finding.ts';
import type { ReportedFinding } from './report.ts';

/** The most stable anchor that a place has; never text that a later version may word otherwise. */
function anchor(where: Where): string {
  const part = where.part === undefined ? '' : `part:${where.part} `;
  if (where.entry !== undefined) return `${part}entry:${where.entry}`;
  if (where.pointer !== undefined && where.line === undefined) return `${part}pointer:${where.pointer}`;
  if (where.line !== undefined) return `${part}line:${where.line}`;
  return part.trimEnd();
}

/** Gives each finding of an input its fingerprint; equal ones are told apart by `#2`, `#3` in report order. */
export function identify(
  path: string,
  findings: readonly Finding[],
  excerpts: readonly (string | undefined)[] = [],
): readonly ReportedFinding[] {
  const seen = new Map<string, number>();
  return findings.map((finding, i) => {
    const text = ['audit/v1', path, finding.code, finding.rule, anchor(finding.where)].join('\n');
    const print = hex(sha256(utf8(text)));
    const times = (seen.get(print) ?? 0) + 1;
    seen.set(print, times);
    const excerpt = excerpts[i];
    return {
      ...finding,
      ...(excerpt === undefined ? {} : { excerpt }),
      fingerprint: times === 1 ? print : `${print}#${times}`,
    };
  });
}
