/** `audit verify <path...>`: every input by its kind, every check that the given trust allows. */

import { verify } from '../../src/verify/verify.ts';
import type { Command } from '../command.ts';
import { gatherInputs, verifyOptions } from '../inputs.ts';
import { AT, ENTRY, EXPECT_ID, EXPECT_LEAF, HEAD, REQUIRE, STATUS, TRUST } from '../options.ts';
import { emit, OUTPUT_OPTIONS, outputsOf } from '../output.ts';

export const verifyCommand: Command = {
  name: 'verify',
  summary:
    'Verify files of any known kind: sessions, journals, proofs, packages, trails, bundles, certificates. Folders are walked.',
  positional: '<path...>',
  options: [TRUST, AT, REQUIRE, EXPECT_ID, EXPECT_LEAF, ENTRY, HEAD, STATUS, ...OUTPUT_OPTIONS],
  examples: [
    {
      command: 'audit verify session.jsonl',
      says: 'Re-derives every id and request hash of a session and says what holds.',
    },
    {
      command: 'audit verify session.jsonl --head head.json --trust trust.json --require completeness',
      says: 'Also demands that a head signed by a key of the trust file covers the session.',
    },
    {
      command: 'audit verify evidence/ --format text --format sarif=report.sarif',
      says: 'Walks a folder; a person reads the text, the platform the SARIF.',
    },
  ],
  async run(args, io) {
    const outputs = outputsOf(args, io);
    const prepared = await verifyOptions(args, io);
    const gathered = gatherInputs(args.positional, io);
    const report = await verify(
      gathered.inputs(),
      { ...prepared.options, siblings: gathered.siblings },
      {
        findings: prepared.findings,
        unreadable: gathered.unreadable,
      },
    );
    return emit(report, outputs, args, io);
  },
};
