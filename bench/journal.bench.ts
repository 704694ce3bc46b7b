/** Verification of a journal against the least that any reader must do: one JSON.parse and one SHA-256 of the same bytes, per record. */
import { utf8 } from '../src/bytes/encoding.ts';
import { sha256 } from '../src/crypto/sha256.ts';
import { encodeRecord } from '../src/journal/encode.ts';
import { encodeExport, readEntries, readExport } from '../src/journal/export.ts';
import { storedLeafHash } from '../src/journal/leaf.ts';
import { HEADER_FORMAT, HEADER_NAME, names } from '../src/journal/names.ts';
import { EMPTY_RECORD, type Journal, type JournalRecord } from '../src/journal/record.ts';
import { replay } from '../src/journal/replay.ts';
import { recordRules, sequenceRules } from '../src/journal/rules.ts';
import { jsonText, startValue } from '../src/journal/write-values.ts';
import { compare, type Measurement } from './bench.ts';

const TURNS = 4000;
/** Of both sides alike; the first five of a reader's go by before the engine has compiled it, so the usual five would measure the compiler. */
const ROUNDS = 15;

/** A run of many turns, each with one claimed side effect. */
function longRun(): readonly Uint8Array[] {
  const records: Uint8Array[] = [];
  const add = (given: Partial<JournalRecord> & { readonly name: string; readonly kind: string }) =>
    records.push(encodeRecord({ ...EMPTY_RECORD, salt: sha256(utf8(`bench ${records.length}`)), ...given }));
  add({ name: HEADER_NAME, kind: 'header', format: HEADER_FORMAT });
  add({
    name: 'run:start',
    kind: 'value',
    result: startValue({ input: jsonText('Go.'), startedAt: '2026-10-13T12:00:00.000Z' }),
  });
  for (let n = 0; n < TURNS; n++) {
    const id = `call-${n}`;
    add({
      name: names.turn(n),
      kind: 'model',
      message: {
        role: 'assistant',
        parts: [
          { type: 'text', text: 'Refunding <42> & logging.' },
          { type: 'tool_use', id, name: 'refund', args: utf8(`{"cents":500,"order":${n}}`), signature: '' },
        ],
      },
      usage: { inputTokens: 21, outputTokens: 9, cacheReadTokens: 0, cacheWriteTokens: 0 },
      finish: 'tool_use',
      model: { provider: 'scripted', model: 'script-1', responseFormat: false },
      promptDigest: '16f340561849b507c24d1b0007342b6ff1681a93f648a293e3fce689be9ea300',
    });
    add({
      name: names.toolAttempt(id),
      kind: 'attempt',
      toolUseId: id,
      attemptedAt: 1_791_893_102_007n,
      claim: '0'.repeat(32),
    });
    add({
      name: names.tool(id),
      kind: 'tool_result',
      toolUseId: id,
      result: utf8('{"refunded":500,"note":"ok"}'),
      safety: { readOnly: false, idempotent: false },
    });
  }
  return records;
}

function judge(journal: Journal | undefined): void {
  if (journal === undefined) throw new Error('the journal does not read');
  const run = replay(journal);
  if (recordRules(run).length + sequenceRules(run).length > 0) throw new Error('the journal does not verify');
  for (const stored of journal.records) storedLeafHash(stored);
}

async function against(records: readonly Uint8Array[], verify: () => void) {
  const decoder = new TextDecoder();
  const floor = () => {
    for (const record of records) {
      JSON.parse(decoder.decode(record));
      sha256(record);
    }
  };
  const { a, b } = await compare(verify, floor, ROUNDS);
  const each = (seconds: number) => `${((seconds / records.length) * 1e6).toFixed(2)} µs`;
  return { ratio: a / b, detail: `${each(a)} a record, floor ${each(b)}` };
}

export const benches: readonly Measurement[] = [
  {
    name: 'journal/records',
    most: 3,
    measure() {
      const records = longRun();
      return against(records, () =>
        judge(
          readEntries(
            'bench',
            records.map((data) => ({ data })),
          ).journal,
        ),
      );
    },
  },
  {
    name: 'journal/export',
    most: 3,
    measure() {
      const records = longRun();
      const file = encodeExport('bench', records);
      return against(records, () => judge(readExport(file).journal));
    },
  },
];
