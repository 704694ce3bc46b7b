import { describe, expect, it } from 'vitest';
import { decodeUtf8, utf8 } from '../../src/bytes/encoding.ts';
import {
  boolean,
  bytes,
  check,
  type Decoded,
  decode,
  encode,
  formatted,
  int64,
  integer,
  list,
  map,
  nullable,
  object,
  omitEmpty,
  raw,
  string,
} from '../../src/json/shape.ts';

const inner = object({ size: integer });
const shape = object({
  label: string,
  yes: boolean,
  nanos: int64,
  inner,
  pointer: nullable(inner),
  items: list(inner),
  raw,
  bytes,
  tags: map(string),
  late: omitEmpty(list(string)),
});

function first<T>(decoded: Decoded<T>): string {
  if (decoded.ok) return 'ok';
  const problem = decoded.problems[0];
  return `${problem?.class} ${problem?.pointer}`;
}

describe('strict decoding (audit spec 0.5)', () => {
  it('gives typed values', () => {
    const decoded = decode(
      shape,
      utf8(
        '{"label":"l","yes":true,"nanos":9223372036854775807,"inner":{"size":1},"items":[{"size":2}],"raw":{"any":1, "Any":2},"bytes":"AAE=","tags":{"a":"1","A":"2"}}',
      ),
    );
    expect(decoded).toEqual({
      ok: true,
      value: {
        label: 'l',
        yes: true,
        nanos: 9223372036854775807n,
        inner: { size: 1 },
        pointer: null,
        items: [{ size: 2 }],
        raw: utf8('{"any":1, "Any":2}'),
        bytes: Uint8Array.of(0, 1),
        tags: new Map([
          ['a', '1'],
          ['A', '2'],
        ]),
        late: null,
      },
    });
  });
  it('keeps absent and empty apart and writes them so', () => {
    const written = (text: string) => {
      const decoded = decode(shape, utf8(text));
      return decoded.ok ? decodeUtf8(encode(shape, decoded.value)) : decoded.problems;
    };
    expect(written('{}')).toBe(
      '{"label":"","yes":false,"nanos":0,"inner":{"size":0},"pointer":null,"items":null,"raw":null,"bytes":null,"tags":null}',
    );
    expect(written('{"items":[],"bytes":"","tags":{},"pointer":{},"raw":"<","late":[]}')).toBe(
      '{"label":"","yes":false,"nanos":0,"inner":{"size":0},"pointer":{"size":0},"items":[],"raw":"\\u003c","bytes":"","tags":{}}',
    );
    expect(written('{"label":null,"items":null,"late":["x"]}')).toContain('"items":null,');
  });
  it.each([
    ['a repeated name', '{"label":"a","label":"b"}', 'MALFORMED /label'],
    ['a repeated name spelled with an escape', '{"label":"a","\\u006cabel":"b"}', 'MALFORMED /label'],
    ['a repeated name in raw JSON', '{"raw":{"a":[{"x":1,"x":2}]}}', 'MALFORMED /raw/a/0/x'],
    ['a repeated map key', '{"tags":{"a":"1","a":"2"}}', 'MALFORMED /tags/a'],
    ['another case', '{"Label":"a"}', 'MALFORMED '],
    ['an unknown member', '{"inner":{"other":1}}', 'MALFORMED /inner'],
    ['a fraction for an integer', '{"inner":{"size":7.0}}', 'MALFORMED /inner/size'],
    ['an exponent for an integer', '{"nanos":7e0}', 'MALFORMED /nanos'],
    ['a string for an integer', '{"nanos":"7"}', 'MALFORMED /nanos'],
    ['an integer past 64 bits', '{"nanos":9223372036854775808}', 'MALFORMED /nanos'],
    ['a size past 2^53-1', '{"inner":{"size":9007199254740992}}', 'MALFORMED /inner/size'],
    ['base64 without padding', '{"bytes":"AAE"}', 'MALFORMED /bytes'],
    ['base64 with unused bits set', '{"bytes":"AAF="}', 'MALFORMED /bytes'],
    ['base64 as numbers', '{"bytes":[0,1]}', 'MALFORMED /bytes'],
    ['a lone surrogate in a string', '{"label":"\\ud800"}', 'MALFORMED /label'],
    ['a lone surrogate in a map key', '{"tags":{"\\udc00":"a"}}', 'MALFORMED /tags'],
    ['a value after the value', '{} {}', 'MALFORMED '],
    ['a byte order mark', '\ufeff{}', 'MALFORMED '],
  ])('refuses %s', (_, text, expected) => {
    expect(first(decode(shape, utf8(text)))).toBe(expected);
  });
  it('tolerates a lone surrogate in free-form JSON, which is committed as written', () => {
    expect(first(decode(shape, utf8('{"raw":"\\ud800"}')))).toBe('ok');
  });
  it('refuses bytes that are not UTF-8', () => {
    expect(first(decode(shape, Uint8Array.of(0x22, 0xff, 0x22)))).toBe('MALFORMED ');
  });
  it('reports every problem, not the first alone', () => {
    const decoded = decode(shape, utf8('{"label":1,"yes":2,"other":3}'));
    expect(decoded.ok ? 0 : decoded.problems.length).toBe(3);
  });
});

describe('formatted artifacts', () => {
  const head = formatted('head', 'x.head.v1', { size: integer });
  const bundle = formatted('bundle', 'x.bundle.v2', { run: string, head });

  it('looks at the format before anything else', () => {
    expect(first(decode(bundle, utf8('{"format":"x.bundle.v1","what":1,"what":2}')))).toBe('FORMAT /format');
    expect(first(decode(bundle, utf8('{"run":"r"}')))).toBe('FORMAT /format');
    expect(first(decode(bundle, utf8('{"format":7}')))).toBe('FORMAT /format');
  });
  it('takes the last format of several, then refuses the repetition', () => {
    expect(first(decode(bundle, utf8('{"format":"other","format":"x.bundle.v2"}')))).toBe('MALFORMED /format');
  });
  it('looks at the format of a nested artifact before its members', () => {
    expect(first(decode(bundle, utf8('{"format":"x.bundle.v2","head":{"format":"x.head.v0","zzz":1}}')))).toBe(
      'FORMAT /head/format',
    );
  });
  it('reads an absent and a null nested artifact as one without format', () => {
    for (const text of ['{"format":"x.bundle.v2"}', '{"format":"x.bundle.v2","head":null}'])
      expect(decode(bundle, utf8(text))).toMatchObject({ ok: true, value: { head: { format: '', size: 0 } } });
  });
});

describe('rules of a shape', () => {
  it('a rule of its own is held against present values only', () => {
    const even = object({
      n: check(integer, (n) => (n % 2 === 0 ? undefined : 'not even')),
    });
    expect(first(decode(even, utf8('{"n":3}')))).toBe('MALFORMED /n');
    expect(first(decode(even, utf8('{"n":4}')))).toBe('ok');
    expect(first(decode(even, utf8('{}')))).toBe('ok');
  });
  it('a tolerant object ignores what a later version may add and refuses what folds to a member', () => {
    const record = object({ kind: string }, { unknown: 'tolerate' });
    expect(first(decode(record, utf8('{"kind":"a","later":1}')))).toBe('ok');
    expect(first(decode(record, utf8('{"KIND":"a"}')))).toBe('MALFORMED ');
    expect(first(decode(record, utf8('{"\\u212aind":"a"}')))).toBe('MALFORMED ');
  });
});
