/** Absence bundles: a key is not in the set that a head signs (audit spec 4.5 "Verify the bundle", steps numbered as there). */
import type { Finding, Verdict, Where } from '../finding/finding.ts';
import { type AbsenceFault, absenceFault } from '../merkle/keySet.ts';
import { FAULT_WORDS } from '../merkle/proof.ts';
import { catalogue } from './catalogue.ts';
import { FORMAT } from './formats.ts';
import { type HeadChecker, rootOf } from './heads.ts';
import { type KeySetDefinition, keySetFault } from './keySets.ts';
import { below, formatFinding } from './place.ts';
import { headIsOf } from './proof.ts';
import type { AbsenceBundle } from './shapes.ts';

export interface AbsenceReport {
  readonly findings: readonly Finding[];
  readonly authorship: Verdict;
  /** That the key is not in the set under the root of the head; whoever signed that, and however the set was projected. */
  readonly absence: Verdict;
}

const WORDS: Readonly<Record<AbsenceFault['fault'], string>> = {
  ...FAULT_WORDS,
  size: 'the set has a negative size',
  'neighbour-in-empty-set': 'an empty set has no neighbours',
  'neighbour-size': 'the neighbour is proven in a set of another size',
  order: 'the neighbour is not on its side of the key',
  'not-adjacent': 'the neighbours do not stand next to each other, so a key between them may be hidden',
  'not-at-end': 'the only neighbour is not at the end of the set',
  'no-neighbour': 'a set that is not empty must show a neighbour',
};

/** Checks an absence bundle. Throws RangeError for a set that is not well defined (step 1, `CONFIG`). */
export function checkAbsence(
  bundle: AbsenceBundle,
  set: KeySetDefinition,
  heads: HeadChecker,
  where: Where = {},
): AbsenceReport {
  // 1.
  const config = keySetFault(set);
  if (config !== undefined) throw new RangeError(config);
  // 2.
  const format = formatFinding('absence bundle', FORMAT.absence, bundle.format, where);
  if (format !== undefined) return { findings: [format], authorship: 'undecided', absence: 'undecided' };
  // 3.
  const { absence, sth } = bundle;
  const head = heads.check(sth, below(where, 'sth'));
  const findings: Finding[] = [...head.findings];
  let verdict: Verdict = 'undecided';
  if (head.usable) {
    // 4. A well-formed head of a key-set kind has its journal.
    findings.push(...headIsOf(sth, set.kind, bundle.run_id, where));
    // 6.
    if (absence.size !== sth.size)
      findings.push(
        catalogue.find('evidence/proof-size', 'the proof is for a set of another size than the signed one', {
          where: below(where, 'absence', 'size'),
          expected: String(sth.size),
          actual: String(absence.size),
        }),
      );
    // 7.
    const fault = absenceFault(rootOf(sth), absence);
    if (fault !== undefined)
      findings.push(
        catalogue.find('evidence/not-absent', `the key is not shown to be absent: ${WORDS[fault.fault]}`, {
          where: below(where, 'absence', ...(fault.part === undefined ? [] : [fault.part])),
        }),
      );
    verdict = fault === undefined && absence.size === sth.size && sth.kind === set.kind ? 'verified' : 'failed';
  }
  // 5.
  if (!absence.key.startsWith(set.prefix)) {
    findings.push(
      catalogue.find('evidence/absent-key-prefix', 'the key is none of this set', {
        where: below(where, 'absence', 'key'),
        expected: `a key that begins ${set.prefix}`,
        actual: absence.key,
      }),
    );
    verdict = 'failed';
  }
  return { findings, authorship: head.authorship, absence: verdict };
}
