/** `verify-journal`, `verify-consistency`, `verify-heads`, `verify-anchor`: heads, and what they are of (audit spec 3.4 to 3.9, 4.3, 6.5). */
import { unhex } from '../../../src/bytes/encoding.ts';
import { catalogue } from '../../../src/evidence/catalogue.ts';
import { tiedConsistency } from '../../../src/evidence/currentGrant.ts';
import { HeadChecker } from '../../../src/evidence/heads.ts';
import { journalFindings, unsaltedFindings } from '../../../src/evidence/journalTree.ts';
import { redactionWarnings } from '../../../src/evidence/redaction.ts';
import { formatFindings } from '../../../src/journal/export.ts';
import { anchorEntryFindings, anchorEntryShape } from '../../../src/log/anchor.ts';
import {
  consistencyShape,
  headOrderFindings,
  headShape,
  inclusionShape,
  type TreeHead,
} from '../../../src/log/head.ts';
import { compareHeads } from '../../../src/log/heads.ts';
import { headItself, headOfAnchorEntry, noHeads } from '../headsIn.ts';
import { Inputs } from '../inputs.ts';
import type { Session } from '../session.ts';
import type { Verb } from '../verb.ts';
import { PUBKEY_FLAG } from './proof.ts';

export const verifyJournalVerb: Verb = {
  name: 'verify-journal',
  summary: 'Checks a journal export against a signed head.',
  flags: {
    journal: { kind: 'string', help: 'the journal export', required: true },
    sth: { kind: 'string', help: 'the signed head of the journal', required: true },
    ...PUBKEY_FLAG,
  },
  async run(flags, session, io) {
    const inputs = new Inputs(flags, session, io);
    const path = flags.text('sth');
    const of = inputs.journal(flags.text('journal'));
    const head = inputs.artifact(path, headShape, headItself);
    const ring = await inputs.ring();
    if (of !== undefined) {
      session.take(
        [...formatFindings(of.journal), ...unsaltedFindings(of.journal, of.tree.size)].map((finding) => ({
          ...finding,
          // Checks that only hash stored bytes report these and go on (audit spec 1.2).
          class: finding.code === 'evidence/journal-unsalted' ? finding.class : ('none' as const),
        })),
        flags.text('journal'),
      );
      session.take(redactionWarnings(of.journal), flags.text('journal'));
      const tombstones = of.journal.records.filter((stored) => stored.tombstone !== undefined).length;
      if (tombstones > 0) session.note(`${tombstones} records are redacted`);
    }
    if (head === undefined) return;
    session.take(new HeadChecker({ ring }).check(head, {}).findings, path);
    if (of === undefined) return;
    session.take(journalFindings(of, head), path);
    if (session.status !== 0) return;
    session.ok(`${head.size} records of run ${head.run_id} have the signed root`);
    if (of.tree.size > head.size) session.note(`${of.tree.size - head.size} records after the head are not covered`);
  },
};

export const verifyConsistencyVerb: Verb = {
  name: 'verify-consistency',
  summary: 'Checks that a later head continues an earlier one.',
  flags: {
    from: { kind: 'string', help: 'the earlier head', required: true },
    to: { kind: 'string', help: 'the later head', required: true },
    ...PUBKEY_FLAG,
    proof: { kind: 'string', help: 'a consistency proof between the two' },
    journal: { kind: 'string', help: 'the journal export, in place of a proof' },
  },
  usage: (flags) =>
    flags.has('proof') === flags.has('journal') ? 'exactly one of -proof and -journal is needed' : undefined,
  async run(flags, session, io) {
    const inputs = new Inputs(flags, session, io);
    const from = inputs.artifact(flags.text('from'), headShape, headItself);
    const to = inputs.artifact(flags.text('to'), headShape, headItself);
    const ring = await inputs.ring();
    const proofPath = flags.optional('proof');
    const proof = proofPath === undefined ? undefined : inputs.artifact(proofPath, consistencyShape, noHeads);
    const of = proofPath === undefined ? inputs.journal(flags.text('journal')) : undefined;
    const heads = new HeadChecker({ ring });
    for (const [head, name] of [
      [from, 'from'],
      [to, 'to'],
    ] as const)
      if (head !== undefined) session.take(heads.check(head, {}).findings, flags.text(name));
    if (from === undefined || to === undefined) return;
    if (from.run_id !== to.run_id || from.kind !== to.kind)
      session.take(
        [
          catalogue.find('evidence/head-run', 'the two heads are of different runs or kinds of tree', {
            expected: `${from.kind} of ${from.run_id}`,
            actual: `${to.kind} of ${to.run_id}`,
          }),
        ],
        flags.text('to'),
      );
    session.take(headOrderFindings(from, to), flags.text('to'));
    if (proof !== undefined) session.take(tiedConsistency(proof, from, to, {}), proofPath);
    if (of !== undefined) {
      session.take(journalFindings(of, from), flags.text('from'));
      session.take(journalFindings(of, to), flags.text('to'));
      if (from.size > to.size)
        session.take(
          [catalogue.find('evidence/not-consistent', 'the later head is of a smaller tree')],
          flags.text('to'),
        );
    }
    if (session.status === 0) session.ok(`size ${to.size} continues size ${from.size} of run ${to.run_id}`);
  },
};

export const verifyHeadsVerb: Verb = {
  name: 'verify-heads',
  summary: 'Holds several heads of one run against each other.',
  flags: {
    sth: { kind: 'list', help: 'a signed head; once for each', required: true },
    ...PUBKEY_FLAG,
    journal: { kind: 'string', help: 'the journal export, to recompute the roots' },
    tolerance: { kind: 'duration', help: 'clock tolerance between signers (default -max-clock-skew)' },
  },
  usage: (flags) => (flags.duration('tolerance', 0n) < 0n ? '-tolerance must not be negative' : undefined),
  async run(flags, session, io) {
    const inputs = new Inputs(flags, session, io);
    const paths = flags.list('sth');
    const given = paths.flatMap((name) => {
      const head = inputs.artifact(name, headShape, headItself);
      return head === undefined ? [] : [{ name, head }];
    });
    const ring = await inputs.ring();
    const of = flags.has('journal') ? inputs.journal(flags.text('journal')) : undefined;
    const heads = new HeadChecker({ ring });
    const authentic = given.filter(({ name, head }) => {
      const report = heads.check(head, {});
      session.take(report.findings, name);
      return report.authorship === 'verified';
    });
    const [first] = authentic;
    if (first === undefined) return;
    for (const { name, head } of authentic) oneRun(first.head, head, name, session);
    if (of !== undefined) for (const { name, head } of authentic) session.take(journalFindings(of, head), name);
    const tree = of?.tree;
    const compared = compareHeads(
      authentic.filter(({ head }) => head.run_id === first.head.run_id && head.kind === first.head.kind),
      {
        tolerance: flags.duration('tolerance', inputs.skew),
        ...(tree === undefined ? {} : { rootAt: (size) => (size <= tree.size ? tree.root(size) : undefined) }),
      },
    );
    session.take(compared.findings);
    if (session.status === 0)
      session.ok(
        `${authentic.length} heads of run ${first.head.run_id} are of one history, up to size ${compared.ordered.at(-1)?.head.size}`,
      );
  },
};

function oneRun(first: TreeHead, head: TreeHead, name: string, session: Session): void {
  if (head.run_id === first.run_id && head.kind === first.kind) return;
  session.take(
    [
      catalogue.find('evidence/head-run', 'the heads are not all of one run and kind', {
        expected: `${first.kind} of ${first.run_id}`,
        actual: `${head.kind} of ${head.run_id}`,
      }),
    ],
    name,
  );
}

export const verifyAnchorVerb: Verb = {
  name: 'verify-anchor',
  summary: 'Checks that a head is an entry of an anchor log.',
  flags: {
    entry: { kind: 'string', help: 'the anchor entry', required: true },
    proof: { kind: 'string', help: 'the inclusion proof of the entry', required: true },
    root: { kind: 'string', help: 'the root of the anchor log, hexadecimal', required: true },
    ...PUBKEY_FLAG,
  },
  usage: (flags) => (unhex(flags.text('root'))?.length === 32 ? undefined : '-root is 64 hexadecimal digits'),
  async run(flags, session, io) {
    const inputs = new Inputs(flags, session, io);
    const path = flags.text('entry');
    const entry = inputs.artifact(path, anchorEntryShape, headOfAnchorEntry);
    const proof = inputs.artifact(flags.text('proof'), inclusionShape, noHeads);
    const ring = await inputs.ring();
    if (entry === undefined) return;
    if (entry.sth !== null)
      session.take(new HeadChecker({ ring }).check(entry.sth, { pointer: '/sth' }).findings, path);
    if (proof === undefined) return;
    session.take(anchorEntryFindings(entry, proof, unhex(flags.text('root')) ?? null), path);
    if (session.status === 0)
      session.ok(`the head of size ${entry.sth?.size} of run ${entry.run_id} is entry ${entry.seq} of the anchor log`);
  },
};
