import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { decodeUtf8, utf8 } from '../../src/bytes/encoding.ts';
import { canonicalize } from '../../src/json/canonical.ts';
import { bytesList, decode, object } from '../../src/json/shape.ts';
import { type JsonNode, parseTree } from '../../src/json/tree.ts';

function plain(node: JsonNode): unknown {
  switch (node.kind) {
    case 'null':
      return null;
    case 'true':
    case 'false':
      return node.kind === 'true';
    case 'number':
      return Number(node.text);
    case 'string':
      return node.value;
    case 'array':
      return node.items.map(plain);
    case 'object':
      return Object.fromEntries(node.members.map(({ name, value }) => [name, plain(value)]));
  }
}

describe('a tree', () => {
  it('says what JSON.parse says, and is refused where JSON.parse refuses, as no text before anything else', () => {
    const change = fc.option(fc.tuple(fc.nat(), fc.nat(255)), { nil: undefined });
    fc.assert(
      fc.property(fc.json({ stringUnit: 'grapheme' }), change, (json, changed) => {
        const bytes = utf8(json);
        if (changed !== undefined) bytes[changed[0] % bytes.length] = changed[1];
        const text = decodeUtf8(bytes);
        const parsed = parseTree(bytes);
        let expected: string | undefined;
        try {
          if (text !== undefined) expected = JSON.stringify(JSON.parse(text));
        } catch {
          // What JSON.parse refuses, the tree shall refuse.
        }
        expect(parsed.ok ? JSON.stringify(plain(parsed.root)) : undefined).toBe(expected);
        if (!parsed.ok) expect(parsed.problem.kind).toBe(text === undefined ? 'not-utf8' : 'not-json');
      }),
      { numRuns: 2000 },
    );
  });
});

describe('a string of a tree', () => {
  const pieces = ['a', 'é', '😀', '\u007f', '\\n', '\\/', '\\"', '\\\\', '\\b', '\\u0008', '\\u0041', '\\u00e9'];
  const controls = ['\\u001f', '\\u001F', '\\u000b', '\\u000a', '\\ud83d\\ude00', '\\ud83d'];

  it('stands in its text as RFC 8785 writes it just where it is so spelled, and is written the same either way', () => {
    fc.assert(
      fc.property(fc.array(fc.constantFrom(...pieces, ...controls), { maxLength: 6 }), (spelled) => {
        const text = `["x", "${spelled.join('')}"]`;
        const parsed = parseTree(utf8(text));
        const node = parsed.ok && parsed.root.kind === 'array' ? parsed.root.items[1] : undefined;
        if (node?.kind !== 'string') throw new Error(text);
        const canonical = JSON.stringify(node.value);
        const stands = node.canonicalIn && decodeUtf8(node.canonicalIn.subarray(node.start, node.end));
        expect(stands).toBe(!node.illFormed && text === `["x", ${canonical}]` ? canonical : undefined);
        expect(node.plain === true).toBe(!text.includes('\\'));
        if (!node.illFormed) expect(decodeUtf8(canonicalize(node))).toBe(canonical);
      }),
      { numRuns: 2000 },
    );
  });
});

describe('a list of bytes', () => {
  const shape = object({ records: bytesList });

  it('holds each of them, spelled with escapes or not, and null as null', () => {
    const decoded = decode(shape, utf8('{"records":["AQI=","","\\u0041QI=",null,"AwQF"]}'));
    expect(decoded).toEqual({
      ok: true,
      value: {
        records: [[1, 2], [], [1, 2], null, [3, 4, 5]].map((item) => (item === null ? null : Uint8Array.from(item))),
      },
    });
  });

  it('is refused for an item that is no base64, with the place of the item', () => {
    const decoded = decode(shape, utf8('{"records":["AQI=","AQJ=","AQI",7]}'));
    expect(!decoded.ok && decoded.problems.map(({ pointer }) => pointer)).toEqual([
      '/records/1',
      '/records/2',
      '/records/3',
    ]);
  });
});
