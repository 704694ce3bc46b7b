/** Sessions of a folder in short, newest first. Session-format 13.4, 5.10 (name), 12.5 (successor). */
import type { ByteSource } from '../bytes/source.ts';
import type { Finding } from '../finding/finding.ts';
import { parseInstant } from '../time/instant.ts';
import type { Header } from './model.ts';
import { readSession } from './read.ts';

export interface SessionSummary {
  readonly header: Header;
  readonly path: string;
  readonly id: string;
  readonly format: string;
  /** As the header spells it. */
  readonly createdAt: string;
  /** Of the last `info` entry that has one; empty without. */
  readonly name: string;
  readonly entries: number;
  /** The session that continues this one. */
  readonly successor: string | undefined;
  /** Findings of the reading that concern what was written: 0 for a session that reads whole. */
  readonly faults: number;
}

/** A file that begins like a session and cannot be read as one. */
export interface UnreadableSession {
  readonly path: string;
  readonly findings: readonly Finding[];
}

/** Reads one session for a list. */
export function summarize(path: string, source: ByteSource): SessionSummary | UnreadableSession {
  let name = '';
  let successor: string | undefined;
  const { session, findings } = readSession(source, {
    visit(index, entry, session) {
      if (entry.kind === 'info' && entry.name !== '') name = entry.name;
      if (entry.kind === 'link' && entry.rel === 'continued_in' && entry.session !== '' && session.own(index))
        successor = entry.session;
    },
  });
  if (session === undefined) return { path, findings };
  const { id, format, createdAt } = session.header;
  // A session that was only begun holds nothing that could be wrong (1.2).
  const isFault = ({ code, class: effect }: Finding): boolean =>
    effect === 'not_verified' && code !== 'session/nothing-checked';
  const faults = findings.filter(isFault).length;
  return { header: session.header, path, id, format, createdAt, name, entries: session.size, successor, faults };
}

/** Newest first by the time of creation; of one time by path. */
export function newestFirst(sessions: readonly SessionSummary[]): readonly SessionSummary[] {
  const keyed = sessions.map((session) => ({ session, at: parseInstant(session.createdAt.toUpperCase()) ?? -1n }));
  keyed.sort((a, b) => (a.at === b.at ? (a.session.path < b.session.path ? -1 : 1) : a.at > b.at ? -1 : 1));
  return keyed.map(({ session }) => session);
}
