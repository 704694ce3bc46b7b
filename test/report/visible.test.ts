import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { clip, inert, printed, visible } from '../../src/finding/visible.ts';
import { commands } from './readers.ts';

const nasty = fc
  .array(
    fc.constantFrom(
      ':',
      '::',
      '#',
      '##',
      '[',
      'vso[',
      'error',
      ' ',
      '\t',
      '\n',
      '\r',
      '\u2028',
      '\u00a0',
      '\u202e',
      '\ud83d',
      '😀',
      'a',
      '%0A',
    ),
    { maxLength: 12 },
  )
  .map((parts) => parts.join(''));

describe('a printed line', () => {
  it('is one line in which no runner finds a command', () => {
    fc.assert(
      fc.property(nasty, (text) => {
        const line = printed(text);
        expect(line.endsWith('\n')).toBe(true);
        expect(line.slice(0, -1)).not.toMatch(/[\n\r\u2028]/);
        expect(commands(line)).toEqual({ now: [], old: [] });
        expect(line.isWellFormed()).toBe(true);
      }),
      { numRuns: 2000 },
    );
  });

  it('is the text itself where nothing in it hides, moves or commands', () => {
    expect(printed('a::b # c ## d [e] é 😀')).toBe('a::b # c ## d [e] é 😀\n');
    expect([inert('::error::x'), inert('  ::x'), inert('a ##[x]'), inert('a ##vso[x]')]).toEqual([
      '\\u{3a}:error::x',
      '  \\u{3a}:x',
      'a #\\u{23}[x]',
      'a #\\u{23}vso[x]',
    ]);
    expect(visible('a\nb\u202ec\ud83d')).toBe('a\\u{a}b\\u{202e}c\\u{d83d}');
  });

  it('is linear in its length', () => {
    for (const text of ['#'.repeat(400_000), ' '.repeat(400_000), `##${'a'.repeat(400_000)}`, '##a'.repeat(130_000)]) {
      const start = performance.now();
      inert(text);
      expect(performance.now() - start).toBeLessThan(1000);
    }
  });

  it('is never cut inside a character', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), fc.nat(20), (text, units) => {
        const cut = clip(text, units);
        expect(cut.length).toBeLessThanOrEqual(units + 1);
        expect(cut.isWellFormed()).toBe(true);
      }),
    );
    expect(clip('a😀b', 2)).toBe('a…');
  });
});
