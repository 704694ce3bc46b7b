/** Findings about JSON as such, shared by every reader of texts and lines. The class is that of a line format; readers of documents set their own. */
import { defineCatalogue } from '../finding/catalogue.ts';
import type { Finding, Where } from '../finding/finding.ts';
import type { Violation } from './scan.ts';
import type { JsonProblem } from './tree.ts';

export const catalogue = defineCatalogue({
  'json/not-json': {
    title: 'Not JSON',
    class: 'not_verified',
    severity: 'error',
    rule: 'RFC 8259 2',
    means: 'The bytes are not one well-formed JSON text. The place is the first byte that does not fit the grammar.',
    matters: 'What cannot be read cannot be checked; whatever stood here is not covered by any verdict.',
    causes:
      'A write that was interrupted, a file that was cut or joined by hand, an editor that changed quotes, or a comment or trailing comma, which JSON does not have.',
    remedy: 'Get the file again from where it was written, or restore this part from a copy.',
  },
  'json/not-i-json': {
    title: 'JSON that two readers may read differently',
    class: 'not_verified',
    severity: 'error',
    rule: 'session-format 3.2',
    means:
      'The text is JSON, but holds bytes that are not UTF-8, half of a surrogate pair, a member name twice in one object, or a number that no 64-bit floating-point number holds.',
    matters:
      'Readers repair such text silently, each in its own way, so a hash computed after decoding may fit although people see another value than the one that was written.',
    causes:
      'A writer that did not normalise what a provider sent (large integers, cut emoji), a binary tool output, or a change made by hand so that two readers see different things.',
    remedy: 'Have the writer normalise values before it writes them; a line that fails this test is not repaired.',
  },
  'json/too-deep': {
    title: 'JSON nested too deep',
    class: 'not_verified',
    severity: 'error',
    rule: 'session-format 3.2',
    means: 'Arrays and objects are nested more than 10,000 levels deep, which is the limit.',
    matters: 'Readers give up at different depths, or crash; a fixed limit gives the same verdict everywhere.',
    causes: 'Nearly always a text made to bring a reader down; otherwise a program that wraps a value in itself.',
    remedy: 'Find out where the text came from; no reader of the format takes it.',
  },
});

const NAMES: Readonly<Record<Violation['kind'], string>> = {
  'not-utf8': 'UTF-8 text',
  'lone-surrogate': 'escapes of surrogates in pairs, high then low',
  'repeated-name': 'each member name once in an object',
  number: 'a number that binary64 holds, or the shortest spelling of one',
};

/** The finding for a text that is not JSON or too deep. `offset` is where the scanned bytes begin in the input. */
export function problemFinding(problem: JsonProblem, offset: number, where: Where, subject: string): Finding {
  const place = { ...where, byte: offset + problem.at };
  if (problem.kind === 'too-deep')
    return catalogue.find('json/too-deep', `${subject} is nested deeper than 10,000 levels`, {
      where: place,
      expected: 'at most 10,000 levels of arrays and objects',
    });
  if (problem.kind === 'not-utf8')
    return catalogue.find('json/not-i-json', `${subject} is not UTF-8 text`, { where: place, expected: 'UTF-8 text' });
  return catalogue.find('json/not-json', `${subject} is not JSON: ${problem.message}`, { where: place });
}

/** The finding for one violation of the I-JSON test. */
export function violationFinding(violation: Violation, offset: number, where: Where, subject: string): Finding {
  return catalogue.find('json/not-i-json', `${subject} fails the I-JSON test: ${violation.message}`, {
    where: { ...where, byte: offset + violation.at, length: violation.length, pointer: violation.pointer },
    expected: NAMES[violation.kind],
  });
}
