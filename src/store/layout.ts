/** Where a folder of session files keeps each (session-store 4.1). */
import { formatInstant, parseInstant } from '../time/instant.ts';

export const LINES = '.jsonl';
export const LOCK = '.lock';
export const TEMPORARY = '.tmp';
export const BLOBS = '.blobs';
export const REFS = 'refs.json';
export const REF_LOG = 'refs.log';

/** The folder of the sessions of a working directory. */
export function projectKey(cwd: string | undefined, separator: string): string {
  const path = separator === '/' ? (cwd ?? '') : (cwd ?? '').replaceAll(separator, '/');
  const key = path.replace(/^\/+/, '').replace(/[/\\:]/g, '-');
  // "." and ".." would name a folder that is there already, or none of ours.
  return key === '' || key === '.' || key === '..' ? 'default' : key;
}

/** `2026-10-02T12-00-00.123Z`: truncated to milliseconds, colons left out. Undefined where the text is no time. */
export function createdName(createdAt: string): string | undefined {
  const instant = parseInstant(createdAt.toUpperCase());
  if (instant === undefined) return undefined;
  const [seconds = '', fraction = ''] = formatInstant(instant).replace(/Z$/, '').split('.');
  return `${seconds.replaceAll(':', '-')}.${fraction.slice(0, 3).padEnd(3, '0')}Z`;
}

/** Whether a file in the folder of blobs is one: named by the hash of what it holds. */
export function isBlobName(name: string): boolean {
  return /^[0-9a-f]{64}$/.test(name);
}

/** Whether an id can be part of a file name and be found again. */
export function isFileId(id: string): boolean {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: a control character has no place in the name of a file.
  return id !== '' && id.length <= 200 && !/[/\\*?[\u0000-\u001f]/.test(id);
}

/** The id in the name of a session file: everything between the first `_` and the ending. */
export function idOfFile(name: string): string | undefined {
  const at = name.indexOf('_');
  return at >= 0 && name.endsWith(LINES) && name.length - LINES.length > at + 1
    ? name.slice(at + 1, -LINES.length)
    : undefined;
}
