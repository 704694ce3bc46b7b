/** `verify` and `prove`: proof bundles checked and produced (audit spec 4.4, 6.5). */
import { HeadChecker } from '../../../src/evidence/heads.ts';
import { checkProof, isProven } from '../../../src/evidence/proof.ts';
import { proofShape } from '../../../src/evidence/shapes.ts';
import { headOfProof } from '../headsIn.ts';
import { Inputs } from '../inputs.ts';
import type { Verb } from '../verb.ts';

export const verifyVerb: Verb = {
  name: 'verify',
  summary: 'Checks a proof bundle: one record under a signed head.',
  flags: {
    bundle: { kind: 'string', help: 'the proof bundle', required: true },
    pubkey: { kind: 'string', help: "the log's public key, as text or in a file", required: true },
  },
  async run(flags, session, io) {
    const inputs = new Inputs(flags, session, io);
    const path = flags.text('bundle');
    const bundle = inputs.artifact(path, proofShape, headOfProof);
    const ring = await inputs.ring();
    if (bundle === undefined || ring === undefined) return;
    const report = checkProof(bundle, new HeadChecker({ ring }));
    session.take(report.findings, path);
    if (isProven(report) && session.status === 0) {
      const { record } = report.record;
      session.ok(
        `record ${bundle.inclusion.index} of ${bundle.sth.size} of run ${bundle.run_id}: ${record.name} (${record.kind})`,
      );
    }
  },
};
