/** `audit head verify`: heads, checkpoints and proofs about them under the keys of the trust file. */
import type { Command } from '../command.ts';
import { AT, HEAD, REQUIRE, TRUST } from '../options.ts';
import { OUTPUT_OPTIONS } from '../output.ts';
import { verifyAll } from './verify.ts';

const KINDS = ['head', 'checkpoint', 'equivocation', 'tlog-proof'];

export const headVerifyCommand: Command = {
  name: 'head verify',
  summary: 'Verify heads, session heads, checkpoints, consistency proofs and proofs of equivocation.',
  positional: '<head...>',
  options: [TRUST, AT, REQUIRE, HEAD, ...OUTPUT_OPTIONS],
  examples: [
    {
      command: 'audit head verify head.json --trust trust.json',
      says: 'Is it signed by a key that you trust, at a possible time?',
    },
    {
      command: 'audit head verify checkpoint.txt --trust trust.json --at 2026-11-30T12:00:00Z',
      says: 'Also counts the cosignatures that the witness policy of the trust file asks for.',
    },
  ],
  run: (args, io) => verifyAll(args, io, KINDS),
};
