/** `audit attest`: the report over files as a signed statement for other tools (interop 3.2, 3.3). What is signed is the word of whoever signs. */
import { IN_TOTO, signEnvelope, writeEnvelope } from '../../src/bundle/dsse.ts';
import { reportStatement } from '../../src/bundle/reportPredicate.ts';
import { vsaStatement } from '../../src/bundle/vsa.ts';
import { utf8 } from '../../src/bytes/encoding.ts';
import { planJobs } from '../../src/corpus/plan.ts';
import { prepare, runJobs } from '../../src/corpus/run.ts';
import { renderJson } from '../../src/report/json.ts';
import { formatInstant } from '../../src/time/instant.ts';
import { assemble, type InputReport } from '../../src/verify/report.ts';
import { givenBy } from '../../src/verify/verify.ts';
import { type Command, UsageError } from '../command.ts';
import { settingOf } from '../inputs.ts';
import { AT, EXPECT_ID, HEAD, MEDIA_DIR, OUT, REQUIRE, STATUS, TRUST } from '../options.ts';
import { deliver, KEY, momentOf, privateKey, refuse } from '../producing.ts';
import { readTrustFiles } from '../trust.ts';

export const attestCommand: Command = {
  name: 'attest',
  summary: 'Verify files and sign what was found: an in-toto statement of the report, or a SLSA verification summary.',
  positional: '<path...>',
  options: [
    TRUST,
    HEAD,
    STATUS,
    MEDIA_DIR,
    REQUIRE,
    EXPECT_ID,
    {
      name: 'predicate',
      type: 'text',
      placeholder: 'NAME',
      describe: 'report (the default) or vsa.',
      choices: ['report', 'vsa'],
    },
    {
      name: 'report',
      type: 'text',
      placeholder: 'FILE',
      describe: 'Also write the whole report here; the statement names its digest.',
    },
    KEY,
    AT,
    OUT,
  ],
  examples: [
    {
      command: 'audit attest case.bundle --trust trust.json --key auditor.key --out case.intoto.jsonl',
      says: 'What this verification found, signed, for tools that read in-toto statements.',
    },
    {
      command: 'audit attest case.bundle --predicate vsa --trust trust.json --key auditor.key --out case.vsa.jsonl',
      says: 'PASSED or FAILED for tools that know SLSA summaries; nothing where neither word is true.',
    },
  ],
  async run(args, io) {
    if (args.positional.length === 0) throw new UsageError('"audit attest" takes at least one file');
    const kind = args.text('predicate') ?? 'report';
    if (kind !== 'report' && kind !== 'vsa')
      throw new UsageError(`--predicate takes report or vsa; not ${JSON.stringify(kind)}`);
    const at = momentOf(args, io);
    const key = await privateKey(args, io);
    const { findings } = await readTrustFiles(args, io);
    if (findings.length > 0) return refuse(findings, io);
    const setting = { ...settingOf(args), at };
    const inputs: InputReport[] = [];
    for await (const done of runJobs(planJobs(args.positional), setting, { standardInput: () => io.open('-') }))
      if (!done.leftOut) inputs.push(done.report());
    const report = assemble(inputs, [], givenBy(await prepare(setting)));
    const rendered = utf8(renderJson(report));
    const statement = kind === 'vsa' ? vsaStatement(report, formatInstant(at)) : reportStatement(report, rendered);
    if (statement === undefined) {
      io.err(
        kind === 'vsa'
          ? `audit: the result is ${report.result}: a summary says PASSED or FAILED of one file under one trust file, and this is neither\n`
          : 'audit: no file could be read, so there is nothing that a statement could be about\n',
      );
      return report.status === 0 ? 3 : report.status;
    }
    const whole = args.text('report');
    if (whole !== undefined) io.write(whole, rendered);
    io.err(`audit: signed a statement that says ${report.result}\n`);
    return deliver(writeEnvelope(await signEnvelope(IN_TOTO, statement, [key])), args, io);
  },
};
