/**
 * Other heads, session heads or checkpoints given beside one of them: those of its tree are held against it (audit spec 3.7). Only a
 * statement that a trusted key signed says anything.
 */
import { decodeUtf8 } from '../bytes/encoding.ts';
import type { Claim, Finding, Missing, Verdict } from '../finding/finding.ts';
import { consistencyFileShape } from '../log/consistency.ts';
import type { TreeHead } from '../log/head.ts';
import { compareHeads, type NamedHead, type SuppliedConsistency } from '../log/heads.ts';
import type { KeyRing } from '../log/keyRing.ts';
import { readStrictly } from '../log/read.ts';
import { judgeSingle, readSingle, readStatements, type Statement } from '../log/statement.ts';
import { claimOf, logRing, NOT_SUPPLIED_UNDER_A_HEAD, wholeInput } from './artifact.ts';
import type { Input, VerifyContext } from './kind.ts';
import { topFormat } from './topFormat.ts';

export interface Others {
  /** Other statements about this tree that count. */
  readonly count: number;
  readonly findings: readonly Finding[];
  readonly verdict: Verdict;
}

/** Holds a statement against those given beside the input. */
export function otherStatements(statement: Statement, ring: KeyRing, context: VerifyContext): Others {
  const named: NamedHead[] = [{ name: 'this one', head: comparable(statement) }];
  const proofs: SuppliedConsistency[] = [];
  const findings: Finding[] = [];
  const add = (name: string, other: Statement | undefined, isSigned: boolean) => {
    // Sets of keys do not grow at their end: two of them are no two sizes of one tree.
    if (other?.tree !== statement.tree || other.journal !== undefined || !isSigned) return;
    named.push({ name, head: comparable(other) });
  };
  for (const input of context.heads ?? []) {
    const bytes = wholeInput(input);
    if (bytes === undefined) continue;
    const where = { part: input.path };
    const format = topFormat(decodeUtf8(bytes.subarray(0, 65_536)) ?? '') ?? '';
    if (format.startsWith('audit.consistency.')) {
      const read = readStrictly(consistencyFileShape, bytes, where);
      const both = read.ok ? readStatements(read.value, ring, where, context.now()) : undefined;
      findings.push(...(read.ok ? (both?.findings ?? []) : read.findings));
      if (!read.ok || both?.pair === undefined) continue;
      const [first, second] = both.pair;
      if (first.tree === statement.tree) proofs.push({ first: first.size, size: second.size, path: read.value.path });
      for (const other of both.pair) add(input.path, other, both.signed === true);
    } else if (!format.startsWith('audit.') || format.startsWith('audit.session-head.')) {
      const read = readSingle(bytes, where);
      if (!read.ok) {
        findings.push(...read.findings);
        continue;
      }
      const other = judgeSingle(read.value, ring, where, context.now());
      if (other.statement?.tree === statement.tree) findings.push(...other.findings);
      add(input.path, other.statement, ring.length > 0 && other.findings.length === 0);
    }
  }
  if (named.length === 1) return { count: 0, findings, verdict: 'undecided' };
  const compared = compareHeads(named, { proofs });
  const verdict = compared.forks.length > 0 ? 'failed' : compared.unproven.length > 0 ? 'undecided' : 'verified';
  // A pair that nothing connects leaves the claim open; it is no fault of either.
  const spoken = compared.findings.filter((finding) => finding.code !== 'log/unproven-pair');
  return { count: named.length - 1, findings: [...findings, ...spoken], verdict };
}

/** A checkpoint has no time, so it contradicts no other by it. */
function comparable({ size, root, time = 0n }: Statement): NamedHead['head'] {
  return { size, root, timestamp_nanos: time };
}

export function consistencyClaim(scope: string, { count, verdict }: Others): Claim {
  const detail = {
    verified: 'every other head given is of the same history',
    failed: 'the log signed another history than this',
    undecided: count === 0 ? 'no other head of this tree was given' : 'nothing given connects the heads',
  } as const;
  return claimOf('consistency', verdict, `${scope}, ${count} other heads`, detail[verdict]);
}

export function consistencyMissing({ count, verdict }: Others): readonly Missing[] {
  if (verdict !== 'undecided') return [];
  return [
    {
      claim: 'consistency',
      item: count === 0 ? 'another head of this tree' : 'a consistency proof between the two sizes',
      who: 'the keeper of the log, or whoever kept an earlier head',
      from: null,
    },
  ];
}

/** What the heads given beside an artifact say of the head in it. */
export interface BesideHead {
  readonly claims: readonly Claim[];
  readonly findings: readonly Finding[];
  readonly missing: readonly Missing[];
  readonly notSupplied: readonly string[];
}

/** Heads of runs and proofs between them; what else is given as a head is meant for other inputs. */
function isOfTrees({ source }: Input): boolean {
  const start = source.read(0, Math.min(source.size, 65_536));
  const format = topFormat(new TextDecoder().decode(start)) ?? '';
  return format.startsWith('bide.audit.sth.') || format.startsWith('audit.consistency.');
}

/**
 * Holds the head of an artifact against other heads of its run that are given with it: a log that signed two histories can prove anything in one
 * of them (audit spec 3.7). A head of a key set is held by the journal that it names. Only for a head that a trusted key signed.
 */
export function besideHead(sth: TreeHead, authorship: Verdict, context: VerifyContext): BesideHead {
  const open = { claims: [], findings: [], missing: [], notSupplied: NOT_SUPPLIED_UNDER_A_HEAD };
  const heads = (context.heads ?? []).filter(isOfTrees);
  if (authorship !== 'verified' || heads.length === 0) return open;
  const { journal } = sth;
  const value =
    journal === null ? sth : { ...sth, kind: 'journal', size: journal.size, root: journal.root, journal: null };
  const { statement } = judgeSingle({ form: 'heads', value }, []);
  if (statement === undefined) return open;
  const others = otherStatements(statement, logRing(context), { ...context, heads });
  if (others.count === 0) return { ...open, findings: others.findings };
  const scope = `journal head of ${JSON.stringify(value.run_id)}, size ${value.size}`;
  return {
    claims: [{ ...consistencyClaim(scope, others), claim: 'other-heads' }],
    findings: others.findings,
    missing: consistencyMissing(others).map((row) => ({ ...row, claim: 'other-heads' })),
    notSupplied: NOT_SUPPLIED_UNDER_A_HEAD.slice(1),
  };
}
