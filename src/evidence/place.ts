/** Places inside an artifact: JSON Pointers that grow as a check goes deeper, and findings from problems of decoding. */
import type { Finding, Where } from '../finding/finding.ts';
import { escapeToken } from '../json/pointer.ts';
import { type Decoded, decode, type Shape, type ShapeProblem } from '../json/shape.ts';
import { catalogue } from './catalogue.ts';

/** The place of a member or element of the value at `where`. */
export function below(where: Where, ...tokens: readonly (string | number)[]): Where {
  return { ...where, pointer: `${where.pointer ?? ''}${tokens.map((token) => `/${escapeToken(token)}`).join('')}` };
}

/** Problems of decoding as findings (audit spec 0.3: `FORMAT` and `MALFORMED`, both status 4). */
export function shapeFindings(
  problems: readonly ShapeProblem[],
  artifact: string,
  where: Where = {},
): readonly Finding[] {
  return problems.map((problem) =>
    catalogue.find(
      problem.class === 'FORMAT' ? 'evidence/format' : 'evidence/malformed',
      problem.class === 'FORMAT' ? problem.message : `the ${artifact} cannot be read: ${problem.message}`,
      {
        where: { ...where, byte: problem.byte, pointer: `${where.pointer ?? ''}${problem.pointer}` },
        ...(problem.expected === undefined ? {} : { expected: problem.expected }),
        ...(problem.actual === undefined ? {} : { actual: problem.actual }),
      },
    ),
  );
}

/** Something that was read, or why it was not. */
export type Reading<T> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly findings: readonly Finding[] };

/** Reads one artifact strictly. */
export function readArtifact<T>(shape: Shape<T>, bytes: Uint8Array, where: Where = {}): Reading<T> {
  const decoded: Decoded<T> = decode(shape, bytes);
  return decoded.ok
    ? decoded
    : { ok: false, findings: shapeFindings(decoded.problems, shape.artifact?.name ?? 'document', where) };
}

/** The finding for a nested artifact that is absent or of another format: its `format` is looked at before anything else. */
export function formatFinding(artifact: string, expected: string, actual: string, where: Where): Finding | undefined {
  if (actual === expected) return undefined;
  return catalogue.find(
    'evidence/format',
    actual === ''
      ? `where a ${artifact} must stand there is none, or one without a format`
      : `this ${artifact} has format ${JSON.stringify(actual)}`,
    { where: below(where, 'format'), expected, actual },
  );
}
