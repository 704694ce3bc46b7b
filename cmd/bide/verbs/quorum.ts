/** `verify-quorum`: votes counted again (audit spec 4.14, 6.5). */
import { HeadChecker } from '../../../src/evidence/heads.ts';
import { checkQuorum, quorumFault } from '../../../src/evidence/quorum.ts';
import { proofShape } from '../../../src/evidence/shapes.ts';
import { headOfProof } from '../headsIn.ts';
import { Inputs } from '../inputs.ts';
import type { Verb } from '../verb.ts';
import { PUBKEY_FLAG } from './proof.ts';

export const verifyQuorumVerb: Verb = {
  name: 'verify-quorum',
  summary: 'Counts the votes of a quorum again.',
  flags: {
    name: { kind: 'string', help: 'the name of the quorum', required: true },
    tally: { kind: 'string', help: 'the proof bundle of the tally', required: true },
    vote: { kind: 'list', help: 'the proof bundle of a vote; once for each vote', required: true },
    ...PUBKEY_FLAG,
    k: { kind: 'int', help: 'votes that the decision needs', required: true },
    commit: { kind: 'string', help: 'the proof bundle of the governed commit' },
  },
  usage: (flags) => quorumFault(flags.text('name'), flags.integer('k', 0)),
  async run(flags, session, io) {
    const inputs = new Inputs(flags, session, io);
    const given = (path: string) => ({ bundle: inputs.artifact(path, proofShape, headOfProof), where: { part: path } });
    const tally = given(flags.text('tally'));
    const votes = flags.list('vote').map(given);
    const commitPath = flags.optional('commit');
    const commit = commitPath === undefined ? undefined : given(commitPath);
    const ring = await inputs.ring();
    const report = checkQuorum(
      {
        name: flags.text('name'),
        k: flags.integer('k', 0),
        tally,
        votes,
        ...(commit === undefined ? {} : { commit }),
      },
      new HeadChecker({ ring }),
    );
    session.take(report.findings);
    for (const note of report.notes) session.note(note);
    if (session.status === 0 && report.tally !== undefined)
      session.ok(`${report.tally.votes_for} of ${report.tally.total} votes for ${report.tally.decision}`);
  },
};
