/** `audit bundle emit`: the one signed file for a regulator (docs/spec/bundle.md). */
import { renderJson } from '../../src/report/json.ts';
import { makeBundle } from '../../src/verify/bundleMake.ts';
import type { InsideFile } from '../../src/verify/bundleRun.ts';
import { addFiles, checkLimits, requireOf } from '../bundleFiles.ts';
import { type Command, UsageError } from '../command.ts';
import { AT, EXPECT_ID, HEAD, MEDIA_DIR, OUT, REQUIRE, STATUS, TRUST } from '../options.ts';
import { KEY, momentOf, privateKey, refuse } from '../producing.ts';
import { readTrustFiles } from '../trust.ts';

export const bundleEmitCommand: Command = {
  name: 'bundle emit',
  summary:
    'Make one signed file of records, their evidence, the report over them and a page that says how to check it.',
  positional: '<path...>',
  options: [TRUST, HEAD, STATUS, MEDIA_DIR, REQUIRE, EXPECT_ID, KEY, AT, OUT],
  examples: [
    {
      command:
        'audit bundle emit session.jsonl run.json --head head.json --trust trust.json --key maker.key --out case.bundle',
      says: 'A session and a journal with the head over the session, verified, reported and signed.',
    },
    {
      command: 'audit bundle emit evidence/ --status archive/ --trust trust.json --key maker.key --out case.bundle',
      says: 'A folder of evidence with an archive of certificates, revocation lists and time stamps.',
    },
  ],
  async run(args, io) {
    if (args.positional.length === 0) throw new UsageError('"audit bundle emit" takes at least one file to put in');
    const out = args.need('out');
    const at = momentOf(args, io);
    const key = await privateKey(args, io);
    const { findings } = await readTrustFiles(args, io);
    if (findings.length > 0) return refuse(findings, io);
    const files: InsideFile[] = [];
    addFiles(files, 'input', args.positional, io);
    if (files.length === 0) throw new UsageError('there is no file in what was named');
    addFiles(files, 'head', args.list('head'), io);
    addFiles(files, 'companion', args.list('status'), io);
    addFiles(files, 'media', args.list('media-dir'), io);
    addFiles(files, 'trust', args.list('trust'), io);
    checkLimits(files);
    const { bytes, report } = await makeBundle(
      files,
      { at, require: requireOf(args), expectIds: args.list('expect-id') },
      key,
      renderJson,
    );
    io.write(out, bytes);
    io.err(`${out}: ${files.length} files, ${bytes.length} bytes; the report inside says ${report.result}\n`);
    return 0;
  },
};
