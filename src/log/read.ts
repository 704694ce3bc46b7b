/** Strict reading of the files of this folder: what the decoder refuses, as findings (audit spec 0.3 and 0.5). */
import type { Finding, Where } from '../finding/finding.ts';
import { decode, type Shape, type ShapeProblem } from '../json/shape.ts';
import { catalogue } from './catalogue.ts';

export type Read<T> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly findings: readonly Finding[] };

/** Decodes one file. Every problem is a finding of class `unusable`. */
export function readStrictly<T>(shape: Shape<T>, bytes: Uint8Array, where: Where = {}): Read<T> {
  const decoded = decode(shape, bytes);
  return decoded.ok
    ? decoded
    : { ok: false, findings: decoded.problems.map((problem) => problemFinding(problem, where)) };
}

function problemFinding(problem: ShapeProblem, where: Where): Finding {
  const { message, pointer, byte, expected, actual } = problem;
  return catalogue.find(problem.class === 'FORMAT' ? 'log/format' : 'log/malformed', message, {
    where: { ...where, pointer, byte },
    ...(expected === undefined ? {} : { expected }),
    ...(actual === undefined ? {} : { actual }),
  });
}
