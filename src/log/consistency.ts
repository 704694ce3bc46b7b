/**
 * Two statements of one log and the proof that the later tree continues the earlier one, `audit.consistency.v1`: what `audit prove
 * consistency` writes and anybody can check. docs/spec/equivocation.md specifies it beside its opposite.
 */

import { equalBytes } from '../bytes/encoding.ts';
import type { Finding, Verdict, Where } from '../finding/finding.ts';
import { bytes, encode, formatted, list, type Shape } from '../json/shape.ts';
import { EMPTY_ROOT } from '../merkle/hash.ts';
import { FAULT_WORDS, growthFault, type Path } from '../merkle/proof.ts';
import { formatInstant, type Instant } from '../time/instant.ts';
import { catalogue } from './catalogue.ts';
import type { KeyRing } from './keyRing.ts';
import {
  membersOf,
  readStatements,
  type Statement,
  type StatementPair,
  statementMembers,
  type TwoStatements,
} from './statement.ts';

export const CONSISTENCY_FORMAT = 'audit.consistency.v1';

export interface ConsistencyFile extends TwoStatements {
  readonly format: string;
  /** Between the sizes of the two statements; the earlier stands first. */
  readonly path: Path;
}

export const consistencyFileShape: Shape<ConsistencyFile> = formatted('consistency proof', CONSISTENCY_FORMAT, {
  ...statementMembers,
  path: list(bytes),
});

export interface ConsistencyReport {
  readonly findings: readonly Finding[];
  readonly signed: boolean | undefined;
  readonly consistency: Verdict;
  readonly pair: readonly [Statement, Statement] | undefined;
}

/** Checks both signatures, that both are about one tree, the proof, and that times do not run backwards (audit spec 3.6 point 3). */
export function checkConsistency(
  file: ConsistencyFile,
  ring: KeyRing,
  where: Where = {},
  now?: Instant,
): ConsistencyReport {
  const { findings: read, signed, pair } = readStatements(file, ring, where, now);
  if (pair === undefined) return { findings: read, signed, consistency: 'undecided', pair };
  const findings = [...read];
  const [first, second] = pair;
  const reason = whyNotContinued(first, second, file.path);
  if (reason !== undefined)
    findings.push(
      catalogue.find('log/inconsistent', `the second tree is not shown to continue the first: ${reason}`, { where }),
    );
  if (first.time !== undefined && second.time !== undefined && second.time < first.time)
    findings.push(
      catalogue.find('log/head-order', 'the later head is stamped before the head that it extends', {
        where,
        expected: `at or after ${formatInstant(first.time)}`,
        actual: formatInstant(second.time),
      }),
    );
  return { findings, signed, consistency: reason === undefined ? 'verified' : 'failed', pair };
}

function whyNotContinued(first: Statement, second: Statement, path: Path): string | undefined {
  if (first.tree !== second.tree) return `they are about different trees, ${first.tree} and ${second.tree}`;
  if (first.journal !== undefined) return 'sets of keys do not grow at their end, so no proof connects two of them';
  if (first.size === 0n)
    return equalBytes(first.root, EMPTY_ROOT) && (path ?? []).length === 0
      ? undefined
      : 'the empty tree has another root, and needs no proof';
  const fault = growthFault(first.size, second.size, path, first.root, second.root);
  return fault === undefined ? undefined : FAULT_WORDS[fault];
}

/** Writes the file; undefined where the proof does not connect the two. */
export function writeConsistency(pair: StatementPair, path: Path): Uint8Array | undefined {
  const file: ConsistencyFile = { format: CONSISTENCY_FORMAT, ...membersOf(pair), path };
  return checkConsistency(file, []).consistency === 'verified' ? encode(consistencyFileShape, file) : undefined;
}
