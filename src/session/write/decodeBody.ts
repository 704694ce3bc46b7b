/** A body as the reader types it, before it is an entry of a session. */
import { canonicalize } from '../../json/canonical.ts';
import { Scanner } from '../../json/scan.ts';
import type { JsonObject } from '../../json/tree.ts';
import { decodeEntry } from '../entry.ts';
import { Members } from '../members.ts';
import type { Entry } from '../model.ts';
import { SessionError } from './error.ts';

/** The entry that a body reads as; it has no place in a session yet. Throws SessionError `bad_entry`. */
export function decodeBody(type: string, body: JsonObject, id = ''): Entry {
  const scanner = new Scanner();
  const read = new Members(scanner);
  read.keep = true;
  if (!scanner.scan(canonicalize(body))) throw new SessionError('bad_entry', 'the body is not JSON');
  const entry = decodeEntry(read, { type, id, parent: null, ts: '', parents: [], redactedDefined: true }, []);
  const [problem] = read.problems;
  if (problem !== undefined) throw new SessionError('bad_entry', problem.message, scanner.pointer(problem.node));
  return entry;
}
