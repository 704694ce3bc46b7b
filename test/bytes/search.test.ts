import fc from 'fast-check';
import { expect, it } from 'vitest';
import { indexOfByte } from '../../src/bytes/search.ts';

it('a byte is found where a typed array finds it', () => {
  fc.assert(
    fc.property(
      fc.array(fc.integer({ min: 9, max: 11 }), { maxLength: 40 }),
      fc.nat(8),
      fc.nat(50),
      (values, before, from) => {
        // A view into a longer piece of memory, as lines are.
        const memory = new Uint8Array(before + values.length + 4).fill(10);
        memory.set(values, before);
        const bytes = memory.subarray(before, before + values.length);
        expect(indexOfByte(bytes, 10, from)).toBe(bytes.indexOf(10, from));
        expect(indexOfByte(bytes, 10)).toBe(bytes.indexOf(10));
      },
    ),
  );
});

it('a byte past the first two gigabytes is found too', () => {
  const bytes = new Uint8Array(2 ** 31 + 4);
  bytes[2 ** 31 + 2] = 10;
  expect(indexOfByte(bytes, 10, 2 ** 31 + 1)).toBe(2 ** 31 + 2);
  expect(indexOfByte(bytes, 10, 2 ** 31 + 3)).toBe(-1);
});
