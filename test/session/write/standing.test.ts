import { expect, it } from 'vitest';
import { utf8 } from '../../../src/bytes/encoding.ts';
import { finder, placeIn } from '../../../src/session/redact/standing.ts';

const secret = { secret: 'q"1234', by: '[A]' };
const at = (value: unknown, by = secret): string | undefined => placeIn(utf8(JSON.stringify(value)), by);

it('a secret is found as it is and as JSON spells it', () => {
  expect(finder([{ secret: 'other', by: '[B]' }, secret])(`x${secret.secret}`)).toBe(secret);
  expect(finder([secret])(JSON.stringify(secret.secret))).toBe(secret);
  expect(finder([secret])('q1234')).toBeUndefined();
});

it('its place is told without telling of it', () => {
  expect(at({ a: [1, { 'b/c': `-${secret.secret}-` }] })).toBe('/a/1/b~1c');
  expect(at({ a: { [secret.secret]: { b: secret.secret } } })).toBe('/a');
  expect(at({ a: 5551234 }, { secret: '1234', by: '[A]' })).toBe('/a');
  expect(at({ a: 'q' })).toBeUndefined();
  expect(placeIn(utf8('{'), secret)).toBeUndefined();
});
