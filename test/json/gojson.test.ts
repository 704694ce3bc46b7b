import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { decodeUtf8, utf8 } from '../../src/bytes/encoding.ts';
import { goBytes, goCompact, goMap, goString } from '../../src/json/gojson.ts';

describe('Go emission (audit spec 0.6)', () => {
  it('escapes <, > and & in MARSHAL mode and leaves them raw in JOURNAL mode', () => {
    expect(goString('<a> & "b"', 'MARSHAL')).toBe('"\\u003ca\\u003e \\u0026 \\"b\\""');
    expect(goString('<a> & "b"', 'JOURNAL')).toBe('"<a> & \\"b\\""');
  });
  it('writes control characters short where JSON has a short form and as lowercase hex otherwise', () => {
    expect(goString('\u0000\u0001\b\t\n\f\r\u001f\u007f', 'JOURNAL')).toBe(
      '"\\u0000\\u0001\\b\\t\\n\\f\\r\\u001f\u007f"',
    );
  });
  it('escapes U+2028 and U+2029 in both modes and nothing else beyond ASCII', () => {
    for (const mode of ['MARSHAL', 'JOURNAL'] as const)
      expect(goString('\u2028\u2029é😀/', mode)).toBe('"\\u2028\\u2029é😀/"');
  });
  it('refuses a lone surrogate, which no producer can emit', () => {
    expect(() => goString('\ud800', 'MARSHAL')).toThrow(RangeError);
  });
  it('sorts map keys by UTF-8, where a character beyond U+FFFF comes last', () => {
    expect(
      goMap(
        [
          ['\u{1f600}', '1'],
          ['\ufb33', '2'],
          ['b', '3'],
          ['a', '4'],
        ],
        'MARSHAL',
      ),
    ).toBe('{"a":4,"b":3,"\ufb33":2,"\u{1f600}":1}');
  });
  it('tells absent bytes from empty ones', () => {
    expect(goBytes(null)).toBe('null');
    expect(goBytes(new Uint8Array())).toBe('""');
  });
  it('compacts embedded JSON and keeps number spelling, member order and escapes', () => {
    const text = ' { "b" : 1.0 , "a" : [ 1E2, "<\\u003c \u2028 &" ] } ';
    expect(decodeUtf8(goCompact(utf8(text), 'MARSHAL'))).toBe('{"b":1.0,"a":[1E2,"\\u003c\\u003c \\u2028 \\u0026"]}');
    expect(decodeUtf8(goCompact(utf8(text), 'JOURNAL'))).toBe('{"b":1.0,"a":[1E2,"<\\u003c \u2028 &"]}');
  });
  it('compacting never changes a value', () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.constantFrom('MARSHAL', 'JOURNAL'), (value, mode) => {
        const text = JSON.stringify(value, null, 2);
        expect(JSON.parse(decodeUtf8(goCompact(utf8(text), mode)) as string)).toEqual(JSON.parse(text));
      }),
      { numRuns: 200 },
    );
  });
  it('a string read back is the string written', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), fc.constantFrom('MARSHAL', 'JOURNAL'), (text, mode) => {
        expect(JSON.parse(goString(text, mode))).toBe(text);
      }),
      { numRuns: 200 },
    );
  });
});
