/** Reading a whole file for a store to take (session-format 1.12, session-store 1.14): refused for anything that a reader would report. */
import type { ByteSource } from '../bytes/source.ts';
import { FIRST_HASHED_MINOR, LATEST_MINOR } from '../session/header.ts';
import type { Header } from '../session/model.ts';
import { readSession } from '../session/read.ts';
import type { Session } from '../session/session.ts';
import { codeOfFinding, SessionError } from '../session/write/error.ts';
import { raisedHeader, raiseRefused } from '../session/write/live.ts';
import { StoreError } from './errors.ts';

interface ImportFile {
  readonly session: Session;
  /** At the latest minor, where it may be raised to it. */
  readonly header: Header;
}

/** Throws SessionError, StoreError synthetic_marker. */
export function readImport(file: ByteSource): ImportFile {
  const { session, findings } = readSession(file);
  const problem = findings.find(({ severity, code }) => severity === 'error' && code !== 'session/nothing-checked');
  if (session === undefined || problem !== undefined)
    throw new SessionError(codeOfFinding(problem?.code ?? 'session/not-a-session'), problem?.message ?? 'no session');
  if (session.unresolved.length > 0)
    throw new SessionError('unresolved_migration', 'an entry of the file could not be migrated whole');
  for (let index = 0; index < session.size; index++) {
    if (session.kind(index) !== 'label') continue;
    const entry = session.entry(index);
    if (entry.kind === 'label' && entry.synthetic)
      throw new StoreError(
        'synthetic_marker',
        'the file holds a marker of a projection, which a store of lines cannot keep',
      );
  }
  return { session, header: headerFor(session) };
}

function headerFor(session: Session): Header {
  const { header } = session;
  if (header.minor === LATEST_MINOR) return header;
  if (header.minor < FIRST_HASHED_MINOR) {
    // What migration made are hashed entries: they stand under the latest header, unless something would get a meaning that it had not.
    if (header.holdsRedactedFrom || session.holdsEarlyRedacted)
      throw new SessionError('no_raise', 'the file is of a format without redaction, and holds a member of that name');
    return raisedHeader(header);
  }
  return raiseRefused(session) === undefined ? raisedHeader(header) : header;
}
