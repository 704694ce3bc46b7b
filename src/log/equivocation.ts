/**
 * The portable proof that a log lied, `audit.equivocation.v1`: two statements, both genuinely signed, that cannot both be true. Two forms
 * of contradiction: one size with two roots, and one position with two leaves under trees of different sizes. A consistency proof that
 * fails is neither: anybody can make one. docs/equivocation.md is the specification of this format.
 */
import { equalBytes, hex, utf8 } from '../bytes/encoding.ts';
import type { Finding, Where } from '../finding/finding.ts';
import {
  bytes,
  encode,
  formatted,
  integer,
  list,
  nullable,
  object,
  omitEmpty,
  type Shape,
  string,
} from '../json/shape.ts';
import { FAULT_WORDS, inclusionFault, type Path } from '../merkle/proof.ts';
import { catalogue } from './catalogue.ts';
import { parseCheckpoint } from './checkpoint.ts';
import { faultFinding } from './fault.ts';
import { headShape, type TreeHead } from './head.ts';
import { authenticateHead, type KeyRing } from './keyRing.ts';
import { checkSignatures, parseNote } from './note.ts';
import { ED25519_NOTE, type NoteKey, noteKeyId } from './noteKey.ts';
import { authenticateSessionHead, type SessionHead, sessionHeadShape } from './sessionHead.ts';

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

export interface Equivocation {
  readonly format: string;
  /** Exactly one of the three lists is present, with two statements. */
  readonly heads: readonly TreeHead[] | null;
  readonly session_heads: readonly SessionHead[] | null;
  /** Signed notes, verbatim. */
  readonly checkpoints: readonly string[] | null;
  /** Needed where the sizes differ. */
  readonly divergence: Divergence | null;
}

const divergentLeaf = object({ leaf_hash: bytes, path: list(bytes) });

export const equivocationShape: Shape<Equivocation> = formatted('equivocation', EQUIVOCATION_FORMAT, {
  heads: omitEmpty(list(headShape)),
  session_heads: omitEmpty(list(sessionHeadShape)),
  checkpoints: omitEmpty(list(string)),
  divergence: omitEmpty(nullable(object({ index: integer, first: divergentLeaf, second: divergentLeaf }))),
});

/** What a statement says, whatever its kind. */
interface Statement {
  /** What both must be about for a contradiction to be one; undefined where the statement could not be read. */
  readonly tree: string;
  readonly size: bigint;
  readonly root: Uint8Array;
  /** Size and root of the source journal of a key set: signed too. */
  readonly journal?: { readonly size: number; readonly root: Uint8Array };
}

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
export function checkEquivocation(file: Equivocation, ring: KeyRing, where: Where = {}): EquivocationReport {
  const findings: Finding[] = [];
  const lists = [file.heads, file.session_heads, file.checkpoints].filter((some) => some !== null && some.length > 0);
  if (lists.length !== 1 || lists[0]?.length !== 2) {
    findings.push(
      catalogue.find('log/equivocation-form', 'the file does not hold exactly two statements of one kind', {
        where,
        expected: 'two heads, two session heads or two checkpoints',
        actual: `${file.heads?.length ?? 0} heads, ${file.session_heads?.length ?? 0} session heads, ${file.checkpoints?.length ?? 0} checkpoints`,
      }),
    );
    return { findings, signed: undefined, contradictory: false, about: '', sizes: [] };
  }
  const statements: Statement[] = [];
  let signed = ring.length === 0 ? undefined : true;
  for (const [i, name] of (['first', 'second'] as const).entries()) {
    const place = { ...where, part: `${name} statement` };
    const read = readStatement(file, i, ring, place);
    findings.push(...read.findings);
    if (ring.length > 0 && read.findings.length > 0) signed = false;
    if (read.statement !== undefined) statements.push(read.statement);
  }
  const [first, second] = statements;
  if (first === undefined || second === undefined)
    return { findings, signed, contradictory: false, about: first?.tree ?? '', sizes: [] };
  const harmless = whyBothCanBeTrue(first, second, file.divergence, where);
  if (harmless !== undefined) findings.push(harmless);
  return {
    findings,
    signed,
    contradictory: harmless === undefined,
    about: first.tree,
    sizes: [first.size, second.size],
  };
}

function readStatement(
  file: Equivocation,
  i: number,
  ring: KeyRing,
  where: Where,
): { readonly statement?: Statement; readonly findings: readonly Finding[] } {
  const head = file.heads?.[i];
  if (head !== undefined) {
    const checked = ring.length === 0 ? undefined : authenticateHead(head, ring, where);
    const { journal } = head;
    return {
      statement: {
        tree: `${head.kind} of ${JSON.stringify(head.run_id)}`,
        size: BigInt(head.size),
        root: head.root ?? NOTHING,
        ...(journal === null ? {} : { journal: { size: journal.size, root: journal.root ?? NOTHING } }),
      },
      findings: checked === undefined || checked.ok ? [] : checked.findings,
    };
  }
  const sessionHead = file.session_heads?.[i];
  if (sessionHead !== undefined)
    return {
      statement: {
        tree: `session ${JSON.stringify(sessionHead.session)}, header ${hex(sessionHead.ident ?? NOTHING)}, ${JSON.stringify(sessionHead.declared)}`,
        size: BigInt(sessionHead.size),
        root: sessionHead.root ?? NOTHING,
      },
      findings: ring.length === 0 ? [] : authenticateSessionHead(sessionHead, ring, where).findings,
    };
  const note = parseNote(utf8(file.checkpoints?.[i] ?? ''));
  if (!note.ok) return { findings: [faultFinding(note.fault, where)] };
  const checkpoint = parseCheckpoint(note.value.text);
  if (!checkpoint.ok) return { findings: [faultFinding(checkpoint.fault, where)] };
  const statement = {
    tree: `log ${JSON.stringify(checkpoint.value.origin)}`,
    size: checkpoint.value.size,
    root: checkpoint.value.root,
  };
  if (ring.length === 0) return { statement, findings: [] };
  const checked = checkSignatures(note.value, noteKeysOf(ring, note.value.signatures));
  const findings = checked.faults.map((fault) => faultFinding(fault, where));
  if (checked.by.length === 0 && findings.length === 0)
    findings.push(
      faultFinding({ reason: 'no-log-signature', message: 'no trusted key of the log signed this checkpoint' }, where),
    );
  return { statement, findings };
}

/**
 * The Ed25519 keys of a ring as keys of the notes at hand: the auditor trusts the key, under whatever name a line gives it. A checkpoint has
 * no time of its own, so every key of the ring counts.
 */
export function noteKeysOf(
  ring: KeyRing,
  lines: readonly { readonly name: string; readonly id: string }[],
  type: number = ED25519_NOTE,
): readonly NoteKey[] {
  const keys = new Map<string, NoteKey>();
  for (const { key } of ring) {
    if (key.scheme !== 'ed25519') continue;
    for (const { name, id } of lines) {
      if (noteKeyId(name, type, key.bytes) === id)
        keys.set(`${name}+${id}`, {
          name,
          id,
          type,
          bytes: key.bytes,
          verify: (signature, message) => key.verify(signature, message),
        });
    }
  }
  return [...keys.values()];
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

/** Two statements of one kind, from which the file is made. */
export type TwoStatements =
  | { readonly heads: readonly [TreeHead, TreeHead] }
  | { readonly session_heads: readonly [SessionHead, SessionHead] }
  | { readonly checkpoints: readonly [string, string] };

/**
 * Writes the file. The smaller size stands first.
 *
 * @returns undefined where the two can both be true: no file is made that its own verifier refuses
 */
export function writeEquivocation(
  statements: TwoStatements,
  divergence: Divergence | null = null,
): Uint8Array | undefined {
  const file: Equivocation = {
    format: EQUIVOCATION_FORMAT,
    heads: null,
    session_heads: null,
    checkpoints: null,
    divergence,
    ...statements,
  };
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
