import fc from 'fast-check';
import { expect, test } from 'vitest';
import { formatInstant, parseInstant } from '../../src/time/instant.ts';

const day = fc.date({
  min: new Date('0000-01-01T00:00:00Z'),
  max: new Date('9999-12-31T23:59:59.999Z'),
  noInvalidDate: true,
});

test('instants agree with the calendar of the platform, from year 0 to 9999', () => {
  fc.assert(fc.property(day, (date) => parseInstant(date.toISOString()) === BigInt(date.getTime()) * 1_000_000n));
});

test('the last day of every February is the platform’s', () => {
  for (let year = 0; year <= 9999; year++) {
    const digits = String(year).padStart(4, '0');
    const date = new Date(`${digits}-02-29T00:00:00Z`);
    const exists = date.getUTCMonth() === 1;
    expect(parseInstant(`${digits}-02-29T00:00:00Z`) !== undefined, digits).toBe(exists);
    expect(parseInstant(`${digits}-03-01T00:00:00Z`), digits).toBe(
      BigInt(Date.parse(`${digits}-03-01T00:00:00Z`)) * 1_000_000n,
    );
  }
});

test('every offset of one instant gives that instant, and what is written reads back', () => {
  fc.assert(
    fc.property(day, fc.integer({ min: -1439, max: 1439 }), fc.nat(999_999), (date, minutes, nanoseconds) => {
      const local = new Date(date.getTime() + minutes * 60_000);
      if (local.getUTCFullYear() < 0 || local.getUTCFullYear() > 9999) return;
      const two = (n: number) => String(n).padStart(2, '0');
      const offset = `${minutes < 0 ? '-' : '+'}${two(Math.floor(Math.abs(minutes) / 60))}:${two(Math.abs(minutes) % 60)}`;
      const instant = parseInstant(
        `${local.toISOString().slice(0, -1)}${String(nanoseconds).padStart(6, '0')}${offset}`,
      );
      expect(instant).toBe(BigInt(date.getTime()) * 1_000_000n + BigInt(nanoseconds));
      expect(parseInstant(formatInstant(instant as bigint))).toBe(instant);
    }),
  );
});

test.each([
  '2026-02-29T00:00:00Z',
  '2026-13-01T00:00:00Z',
  '2026-00-01T00:00:00Z',
  '2026-01-01T24:00:00Z',
  '2026-01-01T00:00:60Z',
  '2026-01-01t00:00:00Z',
  '2026-01-01T00:00:00',
  '2026-01-01T00:00:00.1234567890Z',
  '2026-01-01T00:00:00+24:00',
  '10000-01-01T00:00:00Z',
  ' 2026-01-01T00:00:00Z',
])('%s is no instant', (text) => {
  expect(parseInstant(text)).toBeUndefined();
});
