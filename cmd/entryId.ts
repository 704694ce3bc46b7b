/** Entries named on the command line as `audit show` prints them: by the beginning of their ids. */
import type { Session } from '../src/session/session.ts';
import { UsageError } from './command.ts';

const BEGINNING = /^(?:sha256:)?([0-9a-f]{6,63})$/;

/**
 * The id of the one entry that a text is the beginning of, `sha256:` left out or not; any other text as it is. Throws UsageError where several
 * ids begin so.
 */
export function entryId(session: Session, text: string): string {
  const beginning = BEGINNING.exec(text)?.[1];
  if (beginning === undefined) return text;
  let found: string | undefined;
  for (let entry = 0; entry < session.size; entry++) {
    const id = session.id(entry);
    if (!id.startsWith(beginning, 'sha256:'.length)) continue;
    if (found !== undefined) throw new UsageError(`${text} is the beginning of several ids: ${found}, ${id}`);
    found = id;
  }
  return found ?? text;
}
