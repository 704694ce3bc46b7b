/** One scanner reads all records: nothing of one record may be seen in the next. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { utf8 } from '../../src/bytes/encoding.ts';
import { readStored } from '../../src/journal/decode.ts';
import { encodeRecord } from '../../src/journal/encode.ts';
import { EMPTY_RECORD } from '../../src/journal/record.ts';

const salt = (byte: number) => new Uint8Array(32).fill(byte);
const call = encodeRecord({
  ...EMPTY_RECORD,
  name: '@llm/0',
  kind: 'model',
  message: {
    role: 'assistant',
    parts: [
      { type: 'text', text: 'Good.' },
      { type: 'tool_use', id: 'c', name: 't', args: utf8('{"a":{"b":[1]}}'), signature: '' },
    ],
  },
  salt: salt(1),
});
const outcome = encodeRecord({ ...EMPTY_RECORD, name: 'tool:c', kind: 'tool_result', toolUseId: 'c', salt: salt(2) });

/** Each leaves the walk in the middle of something, or with something to say of the record. */
const FOREIGN: readonly Uint8Array[] = [
  '',
  '{',
  '{"name":"x","kind":"value","result":{"a":1,"a":',
  '{"name":"x","kind":"value","result":{"a":{"b":[{"c":1',
  '{"name":"x","kind":"value","zz":1,"yy":{"a":1,"b":2,"c":3,"d":4,"e":5,"f":6,"g":7,"h":8,"i":9,"a":1}}',
  '{"name":"x","kind":"value","message":{"role":"user","parts":[{"text":"a","type":"text"},{"text":"b"',
  '{"name":"x","name":"x","kind":"odd","redacted":1}',
  '{ "kind":"value","name":"\\u0078","Name":"\\ud800","salt":"AQ=="}',
  `{"name":"x","kind":"value","result":${'['.repeat(200)}`,
].map(utf8);

describe('records that are read one after another', () => {
  it('read as each does alone, whatever came before', () => {
    const all = [call, outcome, ...FOREIGN, Uint8Array.of(0xff, 0x22), utf8('{"name":"é","kind":"value"}')];
    const alone = all.map((bytes) => readStored(bytes, 0));
    expect(alone.slice(0, 2).every((read) => read.ok)).toBe(true);
    fc.assert(
      fc.property(fc.array(fc.nat(all.length - 1), { minLength: 2, maxLength: 12 }), (order) => {
        for (const index of order) expect(readStored(all[index] as Uint8Array, 0)).toEqual(alone[index]);
      }),
      { numRuns: 300 },
    );
  });

  it('keep their parts and salts when the next one is read', () => {
    const first = readStored(call, 0);
    const before = structuredClone(first);
    readStored(outcome, 1);
    readStored(FOREIGN[5] as Uint8Array, 2);
    expect(first).toEqual(before);
  });
});
