/**
 * Kind `tlog-proof`: a proof file of a log with the checkpoint that it leads to (`interop.md` 1.6). The file holds neither the entry nor its
 * leaf rule: the entry is given beside it, and is hashed as RFC 6962 does.
 */
import { readExactly } from '../bytes/source.ts';
import type { Verdict } from '../finding/finding.ts';
import { NO_POLICY } from '../log/evaluate.ts';
import { faultFinding } from '../log/fault.ts';
import { evaluateTlogProof, parseTlogProof } from '../log/tlogProof.ts';
import { leafHash } from '../merkle/hash.ts';
import { claimOf, unreadOutcome } from './artifact.ts';
import { catalogue } from './catalogue.ts';
import { countsOf, judgeCheckpoint, requiredOf, smallInput, subjectOf } from './checkpoint.ts';
import type { KindVerifier, VerifyContext } from './kind.ts';

const REQUIRED = ['authorship', 'inclusion'] as const;
/** Entries past this size are not tried as the entry of a proof. */
const MAX_ENTRY_BYTES = 256 << 20;

export const verifier: KindVerifier = {
  kind: 'tlog-proof',
  detect: ({ text }) => text.startsWith('c2sp.org/tlog-proof@'),
  async verify(input, context) {
    const bytes = smallInput(input);
    if (bytes === undefined)
      return unreadOutcome([catalogue.find('input/too-large', 'a proof file is at most 2 MiB')], REQUIRED);
    const parsed = parseTlogProof(bytes);
    if (!parsed.ok) return unreadOutcome([faultFinding(parsed.fault)], REQUIRED);
    const judged = await judgeCheckpoint(parsed.value.note, context);
    const { evaluation } = judged;
    if (evaluation.checkpoint === undefined) return unreadOutcome(judged.findings, REQUIRED);
    const entries = entriesBeside(context);
    const faults = entries.map(
      ({ leaf }) => evaluateTlogProof(bytes, leaf, NO_POLICY).faults.filter(({ reason }) => INCLUSION.has(reason))[0],
    );
    const found = faults.indexOf(undefined);
    const [fault] = faults;
    const inclusion: Verdict = found >= 0 ? 'verified' : fault === undefined ? 'undecided' : 'failed';
    const scope = `entry ${parsed.value.index} of ${evaluation.checkpoint.size} in log ${JSON.stringify(evaluation.checkpoint.origin)}`;
    return {
      subject: {
        ...subjectOf(evaluation),
        index: String(parsed.value.index),
        entry: found < 0 ? null : (entries[found]?.path ?? null),
        extra_bytes: parsed.value.extra?.length ?? 0,
      },
      counts: { ...countsOf(evaluation), hashes: parsed.value.path.length },
      claims: [
        ...judged.claims,
        claimOf(
          'inclusion',
          inclusion,
          scope,
          inclusion === 'verified'
            ? `the entry ${entries[found]?.path ?? ''} is at that position`
            : inclusion === 'failed'
              ? 'no entry that was given is at that position'
              : 'the entry was not given',
        ),
      ],
      required: [...requiredOf(judged.policies), 'inclusion'],
      findings: [...judged.findings, ...(inclusion === 'failed' && fault !== undefined ? [faultFinding(fault)] : [])],
      missing: [
        ...judged.missing,
        ...(inclusion === 'undecided'
          ? [
              {
                claim: 'inclusion',
                item: 'the entry, byte for byte as it was logged',
                who: 'whoever logged it; the proof file does not hold it',
                from: null,
              },
            ]
          : []),
      ],
      notSupplied: ['other checkpoints of this log: a second history would show only against them'],
    };
  },
};

const INCLUSION: ReadonlySet<string> = new Set(['index', 'proof-length', 'root']);

/** Files given beside the proof, each tried as the entry. */
function entriesBeside(context: VerifyContext): readonly { readonly path: string; readonly leaf: Uint8Array }[] {
  return [...(context.companions ?? []), ...(context.heads ?? [])]
    .filter(({ source }) => source.size <= MAX_ENTRY_BYTES)
    .map(({ path, source }) => ({ path, leaf: leafHash(readExactly(source, 0, source.size)) }));
}
