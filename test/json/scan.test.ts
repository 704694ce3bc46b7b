import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { decodeUtf8, utf8 } from '../../src/bytes/encoding.ts';
import { canonicalizeText, canonicalOfTree } from '../../src/json/canonical.ts';
import { isCanonicalNumber, passesNumberTest } from '../../src/json/number.ts';
import { MOST_VIOLATIONS, name, Scanner, type Violation } from '../../src/json/scan.ts';
import { parseTree } from '../../src/json/tree.ts';

const scanner = new Scanner();

function violations(text: string | Uint8Array): readonly Violation[] {
  const bytes = typeof text === 'string' ? utf8(text) : text;
  expect(scanner.scan(bytes), scanner.problem?.message).toBe(true);
  return scanner.violations;
}

const found = (text: string | Uint8Array) =>
  violations(text).map(({ kind, pointer, at }) => `${kind} ${pointer} ${at}`);

function accepts(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

/** RFC 8785 by its shortest statement, to hold the writer against. */
function simpleCanonical(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(simpleCanonical).join(',')}]`;
  if (value !== null && typeof value === 'object')
    return `{${Object.entries(value)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([key, item]) => `${JSON.stringify(key)}:${simpleCanonical(item)}`)
      .join(',')}}`;
  return JSON.stringify(value);
}

const json = fc.jsonValue({ maxDepth: 5, stringUnit: 'grapheme' });

describe('the grammar', () => {
  it('is that of JSON.parse for texts with any one character changed', () => {
    fc.assert(
      fc.property(
        json,
        fc.nat(),
        fc.constantFrom(...'{}[]",:\\0123e.+-ut n\n\u0001é'),
        fc.boolean(),
        (value, at, letter, insert) => {
          const text = JSON.stringify(value);
          const place = at % (text.length + 1);
          const changed = text.slice(0, place) + letter + text.slice(insert ? place : place + 1);
          expect(scanner.scan(utf8(changed))).toBe(accepts(decodeUtf8(utf8(changed)) as string));
          expect(parseTree(utf8(changed)).ok).toBe(scanner.problem === undefined);
        },
      ),
      { numRuns: 2000 },
    );
  });
  it.each([
    '',
    ' ',
    '-',
    '01',
    '1.',
    '1e',
    '.5',
    '+1',
    'tru',
    'nul',
    'fals',
    '"',
    '"\\',
    '"\\u12',
    '"\\u12g4"',
    '[',
    '[1',
    '[1,',
    '{',
    '{"a"',
    '{"a":',
    '{"a":1',
    '{"a":1,',
    '{1:2}',
    '[1]]',
    '"\u0001"',
    '\ufeff{}',
    '{"a":1,}',
    '[,]',
    '1 2',
  ])('refuses %j', (text) => {
    expect(scanner.scan(utf8(text))).toBe(false);
    expect(scanner.problem?.kind).toBe('not-json');
  });
  it('names the byte where a text stops being JSON', () => {
    expect(scanner.scan(utf8('{"é":tru}'))).toBe(false);
    expect(scanner.problem).toMatchObject({ kind: 'not-json', at: 6 });
  });
  it('takes 10,000 levels and refuses one more without a stack', () => {
    expect(scanner.scan(utf8('['.repeat(10_000) + ']'.repeat(10_000)))).toBe(true);
    expect(scanner.scan(utf8('['.repeat(10_001) + ']'.repeat(10_001)))).toBe(false);
    expect(scanner.problem).toMatchObject({ kind: 'too-deep', at: 10_000 });
  });
});

describe('the table of spans', () => {
  it('gives names, kinds and nested spans', () => {
    const text = ' {"a": [1, {"b":"x"}], "c\\u0064":null} ';
    scanner.scan(utf8(text));
    const a = scanner.member(0, name('a'));
    expect(decodeUtf8(scanner.span(a))).toBe('[1, {"b":"x"}]');
    const second = scanner.following(a, scanner.first(a));
    expect(decodeUtf8(scanner.span(second))).toBe('{"b":"x"}');
    expect(scanner.pointer(scanner.first(second))).toBe('/a/1/b');
    expect(scanner.text(scanner.first(second))).toBe('x');
    expect(scanner.textIs(scanner.first(second), name('x'))).toBe(true);
    expect(scanner.member(0, name('cd'))).toBeGreaterThan(0);
    expect(scanner.member(0, name('d'))).toBe(-1);
  });
  it('holds every value of a text, in order and in place', () => {
    fc.assert(
      fc.property(json, (value) => {
        const text = utf8(JSON.stringify(value, null, 1));
        scanner.scan(text);
        expect(JSON.parse(decodeUtf8(scanner.span(0)) as string)).toEqual(JSON.parse(JSON.stringify(value)));
        for (let row = 0; row < scanner.count; row++)
          expect(accepts(decodeUtf8(scanner.span(row)) as string)).toBe(true);
      }),
      { numRuns: 200 },
    );
  });
});

describe('the I-JSON test (session-format 3.2)', () => {
  it('finds bytes that are not UTF-8 inside strings', () => {
    expect(found(Uint8Array.of(0x5b, 0x22, 0xff, 0x22, 0x5d))).toEqual(['not-utf8 /0 2']);
    expect(found(Uint8Array.of(0x7b, 0x22, 0xc3, 0x22, 0x3a, 0x31, 0x7d))).toEqual(['not-utf8  2']);
    expect(found(Uint8Array.of(0x22, 0xed, 0xa0, 0xbd, 0x22)).length).toBe(3);
    expect(found(Uint8Array.of(0x22, 0xc0, 0x80, 0x22)).length).toBe(2);
    expect(found(Uint8Array.of(0x22, 0xf4, 0x90, 0x80, 0x80, 0x22)).length).toBe(4);
  });
  it('finds lone surrogates in names and values, with their place', () => {
    expect(found('{"a":["\\ud83d\\ude00","x\\ud83d"]}')).toEqual(['lone-surrogate /a/1 23']);
    expect(found('{"a":{"\\udc00":1}}')).toEqual(['lone-surrogate /a 7']);
    expect(found('"\\ud83d\\ud83d\\ude00"')).toEqual(['lone-surrogate  1']);
  });
  it('finds repeated names at every depth, after unescaping, few or many', () => {
    expect(found('{"a":1,"a":2}')).toEqual(['repeated-name /a 7']);
    expect(found('{"b":1,"a":[{"x":1,"y":2,"\\u0078":3}]}')).toEqual(['repeated-name /a/0/x 25']);
    const many = Array.from({ length: 40 }, (_, i) => `"n${(i * 7) % 39}":0`).join(',');
    expect(found(`{${many}}`)).toHaveLength(1);
    expect(found('{"a":1,"b":2,"A":3,"\\u0062":4,"a":5}')).toEqual(['repeated-name /b 19', 'repeated-name /a 30']);
  });
  it('lists some and counts all', () => {
    violations(`[${'"\\ud800",'.repeat(50)}1]`);
    expect(scanner.violations.length).toBe(MOST_VIOLATIONS);
    expect(scanner.violationCount).toBe(50);
  });
  it('places a number that no binary64 holds', () => {
    expect(found('{"a":[0,9007199254740993]}')).toEqual(['number /a/1 8']);
    expect(found('{"a":1e400}')).toEqual(['number /a 5']);
  });
});

describe('the number test', () => {
  it.each([
    ['0', true, '0'],
    ['-0', true, '0'],
    ['1.0', true, '1'],
    ['1e2', true, '100'],
    ['9007199254740991', true, '9007199254740991'],
    ['9007199254740992', true, '9007199254740992'],
    ['9007199254740993', false, '9007199254740992'],
    ['9007199254740993.0', false, '9007199254740992'],
    ['9.007199254740993e15', false, '9007199254740992'],
    ['9007199254740993.5', true, '9007199254740994'],
    ['9007199254740994', true, '9007199254740994'],
    ['-9007199254740993', false, '-9007199254740992'],
    ['1152921504606846976', true, '1152921504606847000'],
    ['1152921504606847000', true, '1152921504606847000'],
    ['1152921504606846975', false, '1152921504606847000'],
    ['1234567890123456789', false, '1234567890123456800'],
    ['1234567890123456800', true, '1234567890123456800'],
    ['1e20', true, '100000000000000000000'],
    ['1e21', true, '1e+21'],
    ['1e22', true, '1e+22'],
    ['1e23', true, '1e+23'],
    ['99999999999999991611392', true, '1e+23'],
    ['123456789012345680000', true, '123456789012345680000'],
    ['1e308', true, '1e+308'],
    ['1.7976931348623157e308', true, '1.7976931348623157e+308'],
    ['1.7976931348623158e308', false, '1.7976931348623157e+308'],
    ['1.7976931348623159e308', false, undefined],
    ['1e400', false, undefined],
    ['1e99999999999999999999999', false, undefined],
    ['0e99999999999999999999999', true, '0'],
    ['1e-99999999999999999999999', true, '0'],
    ['1e-400', true, '0'],
    ['5e-324', true, '5e-324'],
    ['0.1', true, '0.1'],
    ['0.30000000000000004', true, '0.30000000000000004'],
    ['4.50', true, '4.5'],
    ['333333333.33333329', true, '333333333.3333333'],
    ['1E-7', true, '1e-7'],
  ])('%s passes: %s, canonical %s', (literal, passes, canonical) => {
    expect(passesNumberTest(literal)).toBe(passes);
    if (canonical === undefined) return;
    expect(isCanonicalNumber(canonical)).toBe(true);
    if (passes) expect(decodeUtf8(canonicalizeText(utf8(literal)) as Uint8Array)).toBe(canonical);
    scanner.scan(utf8(literal));
    expect(scanner.canonical).toBe(literal === canonical);
  });
});

describe('canonical form (RFC 8785)', () => {
  it.each([
    ['white space', '[1, 2]', 3],
    ['white space at the end', '[1] ', 3],
    ['member order', '{"b":1,"a":2}', 7],
    ['an escape that is not needed', '{"a":"\\/"}', 6],
    ['a control character in capitals', '"\\u001F"', 1],
    ['a long escape of a short one', '"\\u000a"', 1],
    ['an escaped letter in a name', '{"\\u0061":1}', 2],
    ['a number', '[0.10]', 1],
  ])('the first byte that is not canonical is named: %s', (_, text, at) => {
    scanner.scan(utf8(text));
    expect(scanner.firstNotCanonical).toBe(at);
  });
  it('orders names by UTF-16 code units', () => {
    scanner.scan(utf8('{"\\r":2,"1":4,"\u0080":6,"ö":7,"€":1,"\u{1f600}":5,"\ufb33":3}'));
    expect(scanner.canonical).toBe(true);
    scanner.scan(utf8('{"\ufb33":3,"\u{1f600}":5}'));
    expect(scanner.canonical).toBe(false);
  });
  it('is the simple statement of it for any value in any spelling, and is seen to be canonical then', () => {
    fc.assert(
      fc.property(json, fc.constantFrom(0, 2), (value, space) => {
        const text = utf8(JSON.stringify(value, null, space));
        const want = simpleCanonical(value);
        expect(decodeUtf8(canonicalizeText(text) as Uint8Array)).toBe(want);
        const tree = parseTree(text);
        expect(tree.ok && canonicalOfTree(tree.root)).toBe(want);
        scanner.scan(utf8(want));
        expect(scanner.canonical).toBe(true);
        for (let row = 0; row < scanner.count; row++) expect(scanner.isCanonical(row)).toBe(true);
      }),
      { numRuns: 500 },
    );
  });
  it('says of each value alone whether it is canonical', () => {
    fc.assert(
      fc.property(json, fc.constantFrom(0, 1), (value, space) => {
        const text = utf8(JSON.stringify(value, null, space));
        scanner.scan(text);
        for (let row = 0; row < scanner.count; row++) {
          const span = decodeUtf8(scanner.span(row)) as string;
          expect(scanner.isCanonical(row)).toBe(span === simpleCanonical(JSON.parse(span)));
        }
      }),
      { numRuns: 200 },
    );
  });
  it('goes as deep as the limit', () => {
    const deep = `${'[ '.repeat(10_000)}1${']'.repeat(10_000)}`;
    expect(canonicalizeText(utf8(deep))?.length).toBe(20_001);
  });
});
