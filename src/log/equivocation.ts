/**
 * The portable proof that a log lied, `audit.equivocation.v1`: two statements, both genuinely signed, that cannot both be true. Two forms
 * of contradiction: one size with two roots, and one position with two leaves under trees of different sizes. A consistency proof that
 * fails is neither: anybody can make one. docs/spec/equivocation.md is the specification of this format.
 */
import { equalBytes } from '../bytes/encoding.ts';
import type { Finding, Where } from '../finding/finding.ts';
import { bytes, encode, formatted, integer, list, nullable, object, omitEmpty, type Shape } from '../json/shape.ts';
import { FAULT_WORDS, inclusionFault, type Path } from '../merkle/proof.ts';
import type { Instant } from '../time/instant.ts';
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

export const EQUIVOCATION_FORMAT = 'audit.equivocation.v1';

/** A leaf at the divergent position, shown under one of the two roots. */
export interface DivergentLeaf {
  readonly leaf_hash: Uint8Array | null;
  readonly path: Path;
}

export interface Divergence {
  readonly index: number;
  readonly first: DivergentLeaf;
  readonly second: DivergentLeaf;
}

export interface Equivocation extends TwoStatements {
  readonly format: string;
  /** Needed where the sizes differ. */
  readonly divergence: Divergence | null;
}

const divergentLeaf = object({ leaf_hash: bytes, path: list(bytes) });

export const equivocationShape: Shape<Equivocation> = formatted('equivocation', EQUIVOCATION_FORMAT, {
  ...statementMembers,
  divergence: omitEmpty(nullable(object({ index: integer, first: divergentLeaf, second: divergentLeaf }))),
});

export interface EquivocationReport {
  readonly findings: readonly Finding[];
  /** `undefined`: no key was given that could decide it. */
  readonly signed: boolean | undefined;
  /** Whether the two statements cannot both be true. */
  readonly contradictory: boolean;
  /** The tree that both are about, in words; empty where they could not be read. */
  readonly about: string;
  readonly sizes: readonly bigint[];
}

const NOTHING = new Uint8Array();

/** Checks both signatures and the contradiction; the two are independent and both are always looked at. */
export function checkEquivocation(
  file: Equivocation,
  ring: KeyRing,
  where: Where = {},
  now?: Instant,
): EquivocationReport {
  const { findings, signed, pair } = readStatements(file, ring, where, now);
  if (pair === undefined) return { findings, signed, contradictory: false, about: '', sizes: [] };
  const [first, second] = pair;
  const harmless = whyBothCanBeTrue(first, second, file.divergence, where);
  return {
    findings: harmless === undefined ? findings : [...findings, harmless],
    signed,
    contradictory: harmless === undefined,
    about: first.tree,
    sizes: [first.size, second.size],
  };
}

/** Undefined where the two cannot both be true. */
function whyBothCanBeTrue(
  first: Statement,
  second: Statement,
  divergence: Divergence | null,
  where: Where,
): Finding | undefined {
  const no = (message: string, more: { readonly expected?: string; readonly actual?: string } = {}) =>
    catalogue.find('log/equivocation-harmless', message, { where, ...more });
  if (first.tree !== second.tree)
    return no('the two statements are about different trees', { expected: first.tree, actual: second.tree });
  const [a, b] = [first.journal, second.journal];
  if (a !== undefined && b !== undefined) {
    // A key set is remade for each journal size; two that name one journal must be one set.
    if (a.size === b.size && !equalBytes(a.root, b.root)) return undefined;
    if (a.size !== b.size) return no('the two key sets are of different sizes of their journal');
    return first.size === second.size && equalBytes(first.root, second.root)
      ? no('the two statements say the same')
      : undefined;
  }
  if (first.size === second.size)
    return equalBytes(first.root, second.root) ? no('the two statements say the same') : undefined;
  if (divergence === null)
    return no('the sizes differ, and nothing shows that the bigger tree does not continue the smaller one', {
      expected: 'one position with two different leaves, each proven under its root',
    });
  const { index } = divergence;
  for (const [statement, leaf, name] of [
    [first, divergence.first, 'first'],
    [second, divergence.second, 'second'],
  ] as const) {
    const fault = inclusionFault(statement.root, leaf.leaf_hash, index, statement.size, leaf.path);
    if (fault !== undefined)
      return no(`the leaf at position ${index} is not shown under the ${name} root: ${FAULT_WORDS[fault]}`);
  }
  return equalBytes(divergence.first.leaf_hash ?? NOTHING, divergence.second.leaf_hash ?? NOTHING)
    ? no(`both trees have the same leaf at position ${index}`)
    : undefined;
}

/** Writes the file; undefined where the two can both be true: no file is made that its own verifier refuses. */
export function writeEquivocation(
  statements: StatementPair,
  divergence: Divergence | null = null,
): Uint8Array | undefined {
  const file: Equivocation = { format: EQUIVOCATION_FORMAT, ...membersOf(statements), divergence };
  return checkEquivocation(file, []).contradictory ? encode(equivocationShape, file) : undefined;
}

/**
 * The first position at which two sets of leaf hashes differ, with both proofs: what shows that a bigger tree does not continue a
 * smaller one. Undefined where the shorter is a beginning of the longer.
 */
export function findDivergence(
  first: { readonly size: number; leaf(index: number): Uint8Array; inclusion(index: number): { readonly path: Path } },
  second: { readonly size: number; leaf(index: number): Uint8Array; inclusion(index: number): { readonly path: Path } },
): Divergence | undefined {
  const shared = Math.min(first.size, second.size);
  for (let index = 0; index < shared; index++) {
    const [a, b] = [first.leaf(index), second.leaf(index)];
    if (equalBytes(a, b)) continue;
    return {
      index,
      first: { leaf_hash: a, path: first.inclusion(index).path },
      second: { leaf_hash: b, path: second.inclusion(index).path },
    };
  }
  return undefined;
}
