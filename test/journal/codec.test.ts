import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { decodeUtf8, hex, utf8 } from '../../src/bytes/encoding.ts';
import { decodeRecord, readStored } from '../../src/journal/decode.ts';
import { compactRaw, encodeRecord } from '../../src/journal/encode.ts';
import { encodeExport, encodeLines, readExport, readLines } from '../../src/journal/export.ts';
import { recordLeafHash } from '../../src/journal/leaf.ts';
import { encodePolicy, readPolicyShape } from '../../src/journal/policy.ts';
import { EMPTY_RECORD, type JournalRecord, type Part } from '../../src/journal/record.ts';
import { sameJson } from '../../src/journal/resolve.ts';
import { characterLength, decodeEachByte, quote, quoteHtml } from '../../src/journal/text.ts';
import { parseTree } from '../../src/json/tree.ts';

const text = fc.string({ unit: 'binary', maxLength: 12 }).map((value) => value.replace(/\p{Surrogate}/gu, ''));
const bytes = fc.uint8Array({ minLength: 1, maxLength: 40 });
const raw = fc.oneof(
  fc.json({ maxDepth: 3 }).map(utf8),
  fc
    .constantFrom(
      '1.50',
      '1e20',
      '-0.0',
      '9007199254740993',
      '"\\ud800"',
      '"a\\/b"',
      '"\\u003c<"',
      'null',
      '{"z":1,"a":2}',
    )
    .map(utf8),
);
const optional = <T>(of: fc.Arbitrary<T>) => fc.option(of, { nil: undefined });
const count = fc.nat(1000);
const usage = fc.record({ inputTokens: count, outputTokens: count, cacheReadTokens: count, cacheWriteTokens: count });
const part: fc.Arbitrary<Part> = fc.oneof(
  fc.record({ type: fc.constant('text' as const), text }),
  fc.record({ type: fc.constant('reasoning' as const), text, signature: text, redacted: text }),
  fc.record({ type: fc.constant('tool_use' as const), id: text, name: text, args: optional(raw), signature: text }),
  fc.record({
    type: fc.constant('tool_result' as const),
    toolUseId: text,
    result: optional(raw),
    isError: fc.boolean(),
  }),
  fc.record({ type: fc.constant('image' as const), mime: text, url: text, data: optional(bytes) }),
);
const policy = fc.oneof(
  fc.constant({ single: true } as const),
  fc.record({
    need: fc.nat(9),
    approvers: fc.array(fc.string({ minLength: 1 }), { maxLength: 3 }),
    excludePrincipal: fc.boolean(),
  }),
);
const record: fc.Arbitrary<JournalRecord> = fc.record({
  name: text,
  kind: text,
  message: optional(fc.record({ role: text, parts: fc.array(part, { maxLength: 3 }) })),
  usage: optional(usage),
  discardedUsage: optional(usage),
  finish: text,
  rawFinish: text,
  model: optional(fc.record({ provider: text, model: text, responseFormat: fc.boolean() })),
  promptDigest: text,
  toolsDigest: text,
  toolUseId: text,
  result: optional(raw),
  isError: fc.boolean(),
  approved: fc.boolean(),
  approver: text,
  approverAlg: text,
  signature: optional(bytes),
  decidedAt: text,
  recordedAt: text,
  approverCert: optional(fc.array(bytes, { minLength: 1, maxLength: 2 })),
  attemptedAt: fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }),
  reconciled: fc.boolean(),
  outcomeUnknown: fc.boolean(),
  safety: optional(fc.record({ readOnly: fc.boolean(), idempotent: fc.boolean() })),
  approval: optional(policy.map(encodePolicy)),
  evidence: optional(raw),
  format: text,
  claim: text,
  salt: optional(bytes),
});

describe('records', () => {
  it('decoded and encoded again are the bytes that were stored', () => {
    fc.assert(
      fc.property(record, (given) => {
        const stored = encodeRecord(given);
        const decoded = decodeRecord(stored);
        if (!decoded.ok) throw new Error(decoded.problem.message);
        expect(decoded.deviation).toBeUndefined();
        expect(decoded.twoWays?.kind ?? 'none').toMatch(/none|repeated-name/);
        expect(hex(encodeRecord(decoded.record))).toBe(hex(stored));
      }),
      { numRuns: 400 },
    );
  });

  it('say what JSON.parse says of the same bytes', () => {
    fc.assert(
      fc.property(record, (given) => {
        const decoded = decodeRecord(encodeRecord(given));
        const parsed = JSON.parse(decodeUtf8(encodeRecord(given)) ?? '') as Record<string, unknown>;
        if (!decoded.ok) throw new Error(decoded.problem.message);
        expect(decoded.record.name).toBe(parsed['name']);
        expect(decoded.record.toolUseId).toBe(parsed['tool_use_id'] ?? '');
        expect(decoded.record.isError).toBe(parsed['is_error'] ?? false);
        expect(decoded.record.message?.parts.length ?? 0).toBe(
          (parsed['message'] as { parts?: unknown[] } | undefined)?.parts?.length ?? 0,
        );
      }),
      { numRuns: 200 },
    );
  });

  it('are canonical exactly when encoding what was decoded gives the stored bytes, whatever byte was changed', () => {
    const replacements = fc.constantFrom(0x20, 0x22, 0x2c, 0x30, 0x5c, 0x61, 0x7b, 0x7d, 0xc3, 0xff);
    let foreign = 0;
    fc.assert(
      fc.property(record, fc.nat(), replacements, fc.boolean(), (given, at, byte, insert) => {
        // A policy is kept as its bytes; its spelling is judged apart, below.
        const stored = encodeRecord({ ...given, approval: undefined });
        const place = at % stored.length;
        const changed = insert
          ? Uint8Array.of(...stored.subarray(0, place), byte, ...stored.subarray(place))
          : stored.map((old, i) => (i === place ? byte : old));
        const decoded = decodeRecord(changed);
        if (!decoded.ok || decoded.unknown.length > 0 || decoded.twoWays !== undefined) return;
        const again = hex(encodeRecord(decoded.record)) === hex(changed);
        if (!again) foreign++;
        if ((decoded.deviation === undefined) !== again)
          throw new Error(
            `${decoded.deviation?.message} ${decodeUtf8(changed)} ${decodeUtf8(encodeRecord(decoded.record))}`,
          );
      }),
      { numRuns: 1500, endOnFailure: true },
    );
    expect(foreign).toBeGreaterThan(5);
  });

  it('are read without being changed', () => {
    fc.assert(
      fc.property(record, (given) => {
        const stored = encodeRecord(given);
        const before = hex(stored);
        readStored(stored, 0);
        recordLeafHash(stored);
        expect(hex(stored)).toBe(before);
      }),
      { numRuns: 100 },
    );
  });

  it('refuse nesting past the limit without running out of stack, in raw JSON and in place of a member', () => {
    const deep = '['.repeat(200_000);
    for (const member of [`"result":${deep}`, `"message":${deep}`, `"unknown":${deep}`, `"usage":{"x":${deep}}`]) {
      const read = decodeRecord(utf8(`{"name":"x","kind":"value",${member}`));
      expect(read.ok).toBe(false);
    }
  });

  it('with a million names in one object are read in linear time', () => {
    const members = Array.from({ length: 200_000 }, (_, i) => `"n${i}":0`).join(',');
    const start = performance.now();
    const read = decodeRecord(utf8(`{"name":"x","kind":"value","result":{${members}},${members}}`));
    expect(read.ok && read.unknown.length).toBe(200_000);
    expect(performance.now() - start).toBeLessThan(4000);
  });

  it.each([
    ['salt', '"salt":"AAE"'],
    ['signature', '"signature":"A*=="'],
    ['attempted_at', '"attempted_at":1.5'],
    ['attempted_at', '"attempted_at":9223372036854775808'],
    ['usage', '"usage":{"input_tokens":"1"}'],
    ['usage', '"usage":[]'],
    ['is_error', '"is_error":1'],
    ['approver_cert', '"approver_cert":"MAY="'],
    ['approval', '"approval":[]'],
    ['approval', '"approval":{"need":"2"}'],
    ['message', '"message":{"parts":[{"text":"no type"}]}'],
  ])('refuse a %s that is not of its type: %s', (_, member) => {
    expect(decodeRecord(utf8(`{"name":"x","kind":"value",${member}}`)).ok).toBe(false);
  });

  it('tolerate base64 as the original reads it, and report its spelling', () => {
    const loose = decodeRecord(utf8('{"name":"x","kind":"value","salt":"AA\\r\\nF="}'));
    expect(loose.ok && loose.deviation?.message).toMatch(/spelled|base64/);
    expect(loose.ok && hex(loose.record.salt ?? new Uint8Array(0))).toBe('0001'.slice(0, 4));
  });
});

describe('raw JSON', () => {
  it('is accepted exactly when the tree parser accepts it', () => {
    const pieces = fc.array(
      fc.constantFrom(
        '{',
        '}',
        '[',
        ']',
        ',',
        ':',
        '"a"',
        '"\\u00e9"',
        '1',
        '-0.5e+3',
        'true',
        'nul',
        ' ',
        '\n',
        '"\\x"',
        '01',
      ),
      { maxLength: 8 },
    );
    fc.assert(
      fc.property(
        fc.oneof(
          pieces.map((list) => list.join('')),
          fc.json(),
        ),
        (json) => {
          const given = utf8(json);
          let accepted = true;
          try {
            compactRaw(given);
          } catch {
            accepted = false;
          }
          expect(accepted, json).toBe(parseTree(given).ok);
        },
      ),
      { numRuns: 1500 },
    );
  });

  it('compacted stays the same value, and compacting again changes nothing', () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.nat(3), (value, indent) => {
        const spaced = utf8(JSON.stringify(value, null, indent));
        const compact = compactRaw(spaced);
        expect(JSON.parse(decodeUtf8(compact) ?? '')).toEqual(JSON.parse(decodeUtf8(spaced) ?? ''));
        expect(hex(compactRaw(compact))).toBe(hex(compact));
      }),
    );
  });

  it('is one value to people who resolve a halt, however it is spelled', () => {
    const same = (a: string, b: string) => sameJson(utf8(a), utf8(b));
    expect(same('{"a":1.50,"b":"\\u0041"}', '{"b":"A","a":15e-1}')).toBe(true);
    expect(same('100', '1e2')).toBe(true);
    expect(same('-0', '0')).toBe(true);
    expect(same('9007199254740993', '9007199254740992')).toBe(false);
    expect(same('{"a":1,"a":1}', '{"a":1}')).toBe(false);
    expect(same('[1,2]', '[2,1]')).toBe(false);
  });
});

describe('strings', () => {
  it('read back as what they were', () => {
    fc.assert(
      fc.property(text, (value) => {
        expect(JSON.parse(quote(value))).toBe(value);
        expect(JSON.parse(quoteHtml(value))).toBe(value);
        expect(quoteHtml(value)).not.toMatch(/[<>&\u2028\u2029]/);
      }),
    );
  });

  it('of invalid bytes have one replacement for each byte that belongs to no character', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 12 }), (given) => {
        let good = 0;
        let bad = 0;
        for (let at = 0; at < given.length; ) {
          const length = characterLength(given, at);
          if (length === 0) bad++;
          else if (decodeUtf8(given.subarray(at, at + length)) === '\ufffd') good++;
          at += length || 1;
        }
        expect([...decodeEachByte(given)].filter((character) => character === '\ufffd').length).toBe(good + bad);
        expect(bad === 0).toBe(decodeUtf8(given) !== undefined);
      }),
      { numRuns: 1000 },
    );
  });
});

describe('policies in a record', () => {
  it.each([
    ['{"single":true}', true],
    ['{"need":2,"approvers":["a\\u0026b"]}', true],
    ['{"need":2,"approvers":["a&b"]}', true],
    ['{"need":2,"approvers":["a"],"newer":{"x": 1}}', true],
    ['{"approvers":["a"],"need":2}', false],
    ['{"single":true,"need":3}', false],
    ['{"need":2,"approvers":[]}', false],
    ['{"need": 2}', false],
    ['{"single":false}', false],
  ])('%s is canonical: %s', (json, canonical) => {
    expect(readPolicyShape(utf8(json))?.canonical).toBe(canonical);
  });
});

describe('files of a journal', () => {
  const journal = [
    encodeRecord({
      ...EMPTY_RECORD,
      name: '@journal',
      kind: 'header',
      format: 'bide.journal.v1-dev',
      salt: new Uint8Array(32).fill(1),
    }),
    encodeRecord({
      ...EMPTY_RECORD,
      name: 'r\u2028<&>',
      kind: 'value',
      result: utf8('{"a":1.50}'),
      salt: new Uint8Array(32).fill(2),
    }),
  ];

  it('export and lines hold the same stored bytes', () => {
    const fromExport = readExport(encodeExport('run>sub', journal));
    const fromLines = readLines('run>sub', encodeLines(journal));
    expect(fromExport.findings).toEqual([]);
    expect(fromLines.findings).toEqual([]);
    for (const { journal: read } of [fromExport, fromLines]) {
      expect(read?.run).toBe('run>sub');
      expect(read?.records.map((stored) => hex(stored.bytes))).toEqual(journal.map(hex));
    }
  });

  it('cut off in the middle of a line keeps what was whole', () => {
    const lines = encodeLines(journal);
    const read = readLines('r', lines.subarray(0, lines.length - 20));
    expect(read.journal).toBeUndefined();
    expect(read.readable.length).toBe(1);
    expect(read.findings.map(({ code, where }) => [code, where.line])).toEqual([['journal/record-not-json', 2]]);
  });

  it('lines refuse a record that holds a line feed', () => {
    expect(() => encodeLines([utf8('{\n}')])).toThrow(RangeError);
  });
});
