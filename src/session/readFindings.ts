/** What reading a session can find, in words: one function for each rule, so that the reader shows the steps and this the sentences. */
import type { Finding, Where } from '../finding/finding.ts';
import { catalogue } from './catalogue.ts';
import type { UnknownValue } from './entry.ts';

/** What a hostile line states can be as long as the line. */
function clip(text: string): string {
  return text.length > 200 ? `${text.slice(0, 200)}…` : text;
}

export const emptyFile = (): Finding =>
  catalogue.find('session/not-a-session', 'the file is empty', { expected: 'a session header' });

export const lineTooLong = (where: Where): Finding =>
  catalogue.find('session/line-too-long', 'the line is longer than the limit and was passed over', { where });

export const otherId = (where: Where, computed: string, stated: string): Finding =>
  catalogue.find('session/id-mismatch', 'the id of the entry is not the hash of what the line holds', {
    where: { ...where, entry: clip(stated) },
    expected: computed,
    actual: clip(stated),
  });

export const noId = (where: Where): Finding =>
  catalogue.find('session/id-mismatch', 'the line states no id', { where, expected: 'an id', actual: 'none' });

export const reservedMember = (where: Where): Finding =>
  catalogue.find('session/reserved-member', 'the line has a top-level member named "content"', { where });

export const emptyParent = (where: Where): Finding =>
  catalogue.find('session/bad-parent', 'the parent is an empty string; a first entry has null', {
    where,
    expected: 'an id or null',
    actual: '""',
  });

export const badTs = (where: Where, stated: string): Finding =>
  catalogue.find('session/bad-ts', 'the time is not in the one spelling that the format has', {
    where,
    expected: 'YYYY-MM-DDThh:mm:ssZ, with a fraction of one to nine digits that ends in no zero',
    actual: clip(stated) || 'none',
  });

export const badEntry = (where: Where, message: string, expected: string, actual: string): Finding =>
  catalogue.find('session/bad-entry', message, { where, expected, actual });

export const repeatedLine = (where: Where, firstLine: number): Finding =>
  catalogue.find('session/repeated', `the line is the entry of line ${firstLine} once more`, { where });

export const noParent = (where: Where, stated: string): Finding =>
  catalogue.find('session/no-entry', 'the parent of the entry does not stand before it in the file', {
    where,
    expected: 'an entry on an earlier line',
    actual: clip(stated),
  });

export const noBase = (base: string): Finding =>
  catalogue.find('session/no-entry', 'the base that the header names is not in the file', {
    where: { pointer: '/base' },
    expected: clip(base),
    actual: 'not in the file',
    rule: 'session-format 1.6',
  });

/** Before the base an entry follows from the line before it. */
export const besideThePrefix = (where: Where, previous: string, parent: string): Finding =>
  catalogue.find('session/base-rule', 'before the base each entry follows from the one on the line before it', {
    where,
    expected: previous,
    actual: parent,
  });

/** After the base nothing hangs from above it. */
export const aboveTheBase = (where: Where, base: string, parent: string): Finding =>
  catalogue.find('session/base-rule', 'after the base no entry hangs from the root or from above the base', {
    where,
    expected: `the base ${base}, or an entry after it`,
    actual: parent,
  });

export const badConvergence = (where: Where, message: string, stated: string): Finding =>
  catalogue.find('session/bad-convergence', message, { where, actual: clip(stated) || 'none' });

export const unknownValue = (where: Where, { member, value }: UnknownValue): Finding =>
  catalogue.find(
    'session/unknown-value',
    `"${member}" is ${JSON.stringify(clip(value))}, which the format does not define`,
    { where, actual: clip(value) },
  );

export const unresolved = (where: Where): Finding =>
  catalogue.find('session/unresolved-migration', 'the entry names something that migration could not follow', {
    where,
  });

export const duplicateEntry = (where: Where, firstLine: number, id: string): Finding =>
  catalogue.find('session/duplicate-entry', `line ${firstLine} states the same id and holds something else`, {
    where,
    actual: clip(id),
  });

export const truncated = (where: Where): Finding =>
  catalogue.find('session/truncated', `the file ends inside line ${where.line}`, { where });

export const nothingChecked = (): Finding =>
  catalogue.find('session/nothing-checked', 'the file holds a header and no entry', { where: { line: 1 } });

export const idsAssigned = (format: string): Finding =>
  catalogue.find('session/ids-assigned', `the file is of format ${format}: its ids are names, not hashes`, {
    where: { line: 1 },
  });
