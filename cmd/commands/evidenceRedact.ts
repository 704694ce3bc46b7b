/** `audit evidence redact`: a journal in which chosen records of an ended run gave way to tombstones (audit spec 1.3). */
import { redactRecords } from '../../src/evidence/redaction.ts';
import { printed } from '../../src/finding/visible.ts';
import { Unreadable } from '../../src/host/files.ts';
import { encodeExport } from '../../src/journal/export.ts';
import { type Command, UsageError } from '../command.ts';
import { AT, OUT } from '../options.ts';
import { deliver, momentOf, refuse } from '../producing.ts';
import { readTreeSource, TREE_OPTIONS } from '../treeSource.ts';

const MILLISECOND = 1_000_000n;

export const evidenceRedactCommand: Command = {
  name: 'evidence redact',
  summary:
    'Remove the content of records from the journal of an ended run; its signed heads and other proofs stay valid.',
  options: [
    ...TREE_OPTIONS.filter(({ name }) => name === 'journal' || name === 'run'),
    { name: 'record', type: 'text', repeatable: true, placeholder: 'NAME', describe: 'A record to redact, by name.' },
    {
      name: 'index',
      type: 'text',
      repeatable: true,
      placeholder: 'N',
      describe: 'A record to redact, by position from 0.',
    },
    AT,
    OUT,
  ],
  examples: [
    {
      command: 'audit evidence redact --journal run.json --record tool:toolu_01 --out redacted.json',
      says: 'The result of one call is gone; the root that was signed is the same.',
    },
    {
      command: 'audit evidence redact --journal run.json --index 4 --index 7 --at 2026-11-30T12:00:00Z',
      says: 'Two records by position, with the time that their tombstones name.',
    },
  ],
  run(args, io) {
    const [names, indices] = [args.list('record'), args.list('index')];
    if (names.length + indices.length === 0) throw new UsageError('at least one --record or --index is needed');
    const wrong = indices.find((text) => !/^(?:0|[1-9][0-9]{0,14})$/.test(text));
    if (wrong !== undefined) throw new UsageError(`--index takes a position from 0; not ${JSON.stringify(wrong)}`);
    args.need('journal');
    const at = momentOf(args, io);
    const read = readTreeSource(args, io);
    if (!read.ok) return refuse(read.findings, io);
    if (read.source.of !== 'journal') throw new UsageError('records are redacted from a journal: --journal is needed');
    const { journal } = read.source;
    const positions = names.map((name) => {
      const position = journal.records.findIndex((stored) => stored.name === name);
      if (position < 0) throw new Unreadable(`the journal holds no record named ${name}`);
      return position;
    });
    const made = redactRecords(journal, [...positions, ...indices.map(Number)], at / MILLISECOND);
    if (!made.ok) return refuse(made.findings, io);
    for (const position of made.value.redacted)
      io.err(printed(`redacted record ${position}, ${journal.records[position]?.name ?? ''}`));
    return deliver(encodeExport(journal.run, made.value.records), args, io);
  },
};
