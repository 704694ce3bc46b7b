/** Binding of a trail's records to signed heads (notifications 12.2, audit 7.5). */
import { hex } from '../bytes/encoding.ts';
import { DEFAULT_SKEW, headTimeFindings, type TreeHead } from '../log/head.ts';
import { compareHeads, type NamedHead, widestHead } from '../log/heads.ts';
import { authenticateHead, type KeyRing } from '../log/keyRing.ts';
import { leafInclusionFault, prefixRoots } from '../log/leaves.ts';
import { formatInstant, type Instant } from '../time/instant.ts';
import type { RecordList, TrailProof } from './document.ts';
import type { Notes } from './notes.ts';

export interface BindingInput {
  readonly list: RecordList;
  /** The name that a head must carry as its run ID. */
  readonly trail: string;
  readonly heads: readonly TreeHead[] | undefined;
  readonly proofs: readonly TrailProof[];
  /** Keys that may sign heads; undefined when none was given. */
  readonly ring: KeyRing | undefined;
  readonly asOf: Instant;
  /** How far ahead of the time of judgement a head may be stamped. */
  readonly skew?: bigint;
  /** Where findings stand: `heads`, or the segment or index. */
  readonly where: string;
}

export interface Binding {
  /** At least one verified head covers records that were given, and no record differs from its leaf. */
  readonly bound: boolean;
  /** Records that a verified head covers, from the first on. */
  readonly attested: number;
  readonly total: number;
  /** The head that covers them. */
  readonly head: TreeHead | undefined;
  /** Whether anything that binding needs was given at all. */
  readonly attempted: boolean;
  readonly lacks: readonly ('leaves' | 'heads' | 'key')[];
}

export function bind(input: BindingInput, notes: Notes): Binding {
  const { list, heads, ring, where } = input;
  const { leaves } = list;
  const total = leaves?.length ?? list.records.length;
  const given = heads ?? [];
  // 1.
  for (const { size } of given)
    if (size > total)
      notes.add('records-missing', where, `a head covers ${size} records and ${total} were given`, {
        expected: `${size} records`,
        actual: `${total} records`,
      });
  const largest = widestHead(given);
  if (largest !== undefined && largest.size < total)
    notes.add(
      'head-behind',
      where,
      `the largest head covers ${largest.size} of ${total} records; ${total - largest.size} later ones are not attested`,
      {
        expected: `a head of size ${total}`,
        actual: `size ${largest.size}`,
      },
    );
  // 2.
  for (const index of list.mismatched)
    notes.add(
      'leaf-mismatch',
      where === 'heads' ? 'trail' : where,
      `record ${index} is not the one that its stored leaf holds`,
      { index },
    );
  // 3.
  const valid = ring === undefined ? [] : verifiedHeads(input, given, ring, notes);
  // 4.
  const covering = leaves === undefined ? [] : coveringHeads(valid, leaves, where, notes);
  checkProofs(input, valid, notes);
  // 5.
  const lacks = [
    ...(leaves === undefined ? (['leaves'] as const) : []),
    ...(given.length === 0 ? (['heads'] as const) : []),
    ...(ring === undefined ? (['key'] as const) : []),
  ];
  const attempted = leaves !== undefined || given.length > 0 || (ring !== undefined && where === 'heads');
  if (attempted && lacks.length > 0)
    notes.add(
      'binding-unverified',
      where,
      `nothing shows that these are the records of the trail: ${lacks.map((lack) => LACK[lack]).join(', ')}`,
    );
  const head = widestHead(covering);
  const bound = head !== undefined && list.mismatched.length === 0 && (head.size > 0 || total === 0);
  return { bound, attested: bound ? head.size : 0, total, head: bound ? head : undefined, attempted, lacks };
}

const LACK = {
  leaves: 'the stored leaves were not given',
  heads: 'no signed head was given',
  key: 'no key to verify heads by was given',
} as const;

function verifiedHeads(
  input: BindingInput,
  heads: readonly TreeHead[],
  ring: KeyRing,
  notes: Notes,
): readonly TreeHead[] {
  const { trail, asOf, skew = DEFAULT_SKEW, where } = input;
  const valid: TreeHead[] = [];
  for (const head of heads) {
    const authentication = authenticateHead(head, ring);
    const faults = [
      ...(authentication.ok ? [] : authentication.findings.map(({ message }) => message)),
      ...(head.kind === 'events' ? [] : ['a head of a trail is of kind "events"']),
      ...(head.run_id === trail ? [] : ['the head names another trail']),
      ...headTimeFindings(head, asOf, skew).map(({ message }) => message),
    ];
    if (faults.length === 0) valid.push(head);
    else
      notes.add('head-invalid', where, `the head of size ${head.size} cannot be relied on: ${faults.join('; ')}`, {
        ...(head.run_id === trail ? {} : { expected: trail, actual: head.run_id.slice(0, 200) }),
      });
  }
  const compared = compareHeads(valid.map((head): NamedHead => ({ name: `head of size ${head.size}`, head })));
  const broken = new Set<unknown>();
  for (const finding of compared.findings) {
    if (finding.code !== 'log/fork' && finding.code !== 'log/time-contradiction') continue;
    notes.add('head-invalid', where, finding.message, { expected: finding.expected, actual: finding.actual });
  }
  for (const { head } of compared.implicated) broken.add(head);
  for (const pair of compared.forks) for (const { head } of pair) broken.add(head);
  return valid.filter((head) => !broken.has(head));
}

function coveringHeads(
  heads: readonly TreeHead[],
  leaves: readonly Uint8Array[],
  where: string,
  notes: Notes,
): readonly TreeHead[] {
  const roots = prefixRoots(
    leaves,
    heads.map(({ size }) => size),
  );
  return heads.filter((head) => {
    const root = roots.get(head.size);
    if (root === undefined) return false;
    const written = head.root === null ? 'none' : hex(head.root);
    if (written === hex(root)) return true;
    notes.add(
      'root-mismatch',
      where,
      `the first ${head.size} leaves have another root than the head of ${formatInstant(head.timestamp_nanos)} signed`,
      {
        expected: written,
        actual: hex(root),
      },
    );
    return false;
  });
}

function checkProofs({ list, proofs, where }: BindingInput, heads: readonly TreeHead[], notes: Notes): void {
  for (const { index, first, size, path } of proofs) {
    for (const head of heads) {
      if (head.size !== size) continue;
      if (index !== undefined) {
        const leaf = list.leaves?.[index];
        const fault = leaf === undefined ? undefined : leafInclusionFault(head.root, leaf, { index, size, path });
        if (fault !== undefined)
          notes.add(
            'head-invalid',
            where,
            `the proof that leaf ${index} is under the head of size ${size} does not hold: ${fault}`,
          );
      } else if (first !== undefined) {
        for (const earlier of heads) {
          if (earlier.size !== first || earlier === head) continue;
          const pair = [earlier, head].map((one): NamedHead => ({ name: `head of size ${one.size}`, head: one }));
          for (const finding of compareHeads(pair, { proofs: [{ first, size, path }] }).findings)
            if (finding.code === 'log/inconsistent')
              notes.add('head-invalid', where, finding.message, { expected: finding.expected, actual: finding.actual });
        }
      }
    }
  }
}
