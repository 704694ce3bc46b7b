/** The outcome classes of audit spec 0.3, from findings. */
import type { Finding } from '../finding/finding.ts';

export type OutcomeClass = 'verified' | 'not_verified' | 'format' | 'malformed' | 'no_verdict';

const FORMAT_CODES: ReadonlySet<string> = new Set(['evidence/format', 'log/head-format', 'log/format']);

/** The one class of a verification, in the order of precedence of audit spec 6.2; `format` is the kind of `malformed` that it is. */
export function outcomeClass(findings: readonly Finding[]): OutcomeClass {
  const of = (wanted: Finding['class']) => findings.filter((finding) => finding.class === wanted);
  if (of('not_verified').length > 0) return 'not_verified';
  const unusable = of('unusable');
  if (unusable.length > 0) return unusable.some((finding) => FORMAT_CODES.has(finding.code)) ? 'format' : 'malformed';
  return of('no_verdict').length > 0 ? 'no_verdict' : 'verified';
}
