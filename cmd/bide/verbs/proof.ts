/** `verify` and `prove`: proof bundles checked and produced (audit spec 4.4, 6.5). */
import { catalogue } from '../../../src/evidence/catalogue.ts';
import { HeadChecker } from '../../../src/evidence/heads.ts';
import { proveRecord, selectRecord } from '../../../src/evidence/journalTree.ts';
import { checkProof, isProven } from '../../../src/evidence/proof.ts';
import { proofShape } from '../../../src/evidence/shapes.ts';
import { headShape } from '../../../src/log/head.ts';
import { headItself, headOfProof } from '../headsIn.ts';
import { Inputs } from '../inputs.ts';
import { OUT_FLAG, produce } from '../produce.ts';
import type { Verb } from '../verb.ts';

export const PUBKEY_FLAG = {
  pubkey: { kind: 'string', help: "the log's public key, as text or in a file", required: true },
} as const;

export const verifyVerb: Verb = {
  name: 'verify',
  summary: 'Checks a proof bundle: one record under a signed head.',
  flags: {
    bundle: { kind: 'string', help: 'the proof bundle', required: true },
    ...PUBKEY_FLAG,
  },
  async run(flags, session, io) {
    const inputs = new Inputs(flags, session, io);
    const path = flags.text('bundle');
    const bundle = inputs.artifact(path, proofShape, headOfProof);
    const ring = await inputs.ring();
    if (bundle === undefined) return;
    const report = checkProof(bundle, new HeadChecker({ ring }));
    session.take(report.findings, path);
    if (isProven(report)) {
      const { record, name } = report.record;
      session.ok(
        `record ${bundle.inclusion.index} of ${bundle.sth.size} of run ${bundle.run_id}: ${name} (${record.kind})`,
      );
    }
  },
};

export const proveVerb: Verb = {
  name: 'prove',
  summary: 'Produces the proof of one record of a journal under a head.',
  emits: true,
  flags: {
    journal: { kind: 'string', help: 'the journal export', required: true },
    sth: { kind: 'string', help: 'the signed head of the journal', required: true },
    tool: { kind: 'string', help: 'prove the result of this tool call' },
    index: { kind: 'int', help: 'prove the record at this position' },
    ...OUT_FLAG,
  },
  usage(flags) {
    if (flags.has('tool') === flags.has('index')) return 'exactly one of -tool and -index is needed';
    return flags.has('index') && flags.integer('index', -1) < 0 ? '-index must not be negative' : undefined;
  },
  run(flags, session, io) {
    const inputs = new Inputs(flags, session, io);
    const of = inputs.journal(flags.text('journal'));
    const head = inputs.artifact(flags.text('sth'), headShape, headItself);
    if (of === undefined || head === undefined) return;
    const tool = flags.optional('tool');
    const index =
      tool === undefined ? flags.integer('index', -1) : selectRecord(of.journal, { by: 'tool', id: tool })?.position;
    if (index === undefined) {
      session.take([
        catalogue.find(
          'evidence/no-such-record',
          `the journal holds no result of the tool call ${JSON.stringify(tool)}`,
        ),
      ]);
      return;
    }
    const proof = proveRecord(of, index, head);
    if (!proof.ok) session.take(proof.findings);
    else if (session.status === 0) produce(proofShape, proof.value, flags, session, io);
  },
};
