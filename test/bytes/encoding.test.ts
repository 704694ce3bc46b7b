import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  base64Length,
  decodeUtf8,
  isUtf8,
  unbase64,
  unbase64At,
  unbase64Into,
  utf8,
} from '../../src/bytes/encoding.ts';

/** A spelling that Node gives back when it encodes what it decoded: strict, padded base64 and nothing else. */
const strict = (text: string) => Buffer.from(text, 'base64').toString('base64') === text;

describe('base64', () => {
  const spelled = fc.uint8Array({ maxLength: 40 }).map((bytes) => Buffer.from(bytes).toString('base64'));
  const letter = fc.constantFrom('A', 'Q', 'g', 'w', '/', '=', '-', ' ', '\n', 'é', '\ud800');
  const text = fc.oneof(
    spelled,
    fc.array(letter, { maxLength: 12 }).map((letters) => letters.join('')),
    fc
      .tuple(spelled, fc.nat(60), letter)
      .map(([of, at, other]) => of.slice(0, at % (of.length + 1)) + other + of.slice((at % (of.length + 1)) + 1)),
  );

  it('is decoded as Node decodes it, and refused where Node would spell the same bytes otherwise', () => {
    fc.assert(
      fc.property(text, (given) => {
        const decoded = unbase64(given);
        expect(decoded !== undefined).toBe(strict(given));
        if (decoded !== undefined) expect(decoded).toEqual(new Uint8Array(Buffer.from(given, 'base64')));
      }),
      { numRuns: 3000 },
    );
  });

  it('is the same where it stands between other bytes, and writes no byte beside its own', () => {
    fc.assert(
      fc.property(text, (given) => {
        const bytes = utf8(`"${given}"`);
        expect(unbase64At(bytes, 1, bytes.length - 1)).toEqual(unbase64(given));
        const length = Math.max(0, base64Length(bytes, 1, bytes.length - 1));
        const room = new Uint8Array(length + 2).fill(7);
        const read = unbase64Into(bytes, 1, bytes.length - 1, room.subarray(1, length + 1));
        expect(read).toBe(strict(given));
        expect([room[0], room[length + 1]]).toEqual([7, 7]);
        if (read) expect(room.slice(1, -1)).toEqual(unbase64(given));
      }),
      { numRuns: 1000 },
    );
  });
});

describe('UTF-8', () => {
  it('is told from other bytes wherever a piece of a long text ends', () => {
    const tail = fc.oneof(
      fc.string({ unit: 'binary', maxLength: 6 }).map(utf8),
      fc.uint8Array({ maxLength: 6 }),
      fc.constantFrom([0xf0, 0x9f, 0x98, 0x80], [0xe2, 0x80, 0xa8], [0x80, 0x80, 0x80, 0x80], [0xed, 0xa0, 0x80]),
    );
    fc.assert(
      fc.property(fc.nat(8), fc.array(tail, { minLength: 1, maxLength: 4 }), (before, parts) => {
        const bytes = Uint8Array.from([...new Uint8Array(65_536 - before).fill(0x61), ...parts.flatMap((p) => [...p])]);
        expect(isUtf8(bytes)).toBe(decodeUtf8(bytes) !== undefined);
      }),
      { numRuns: 100 },
    );
  });
});
