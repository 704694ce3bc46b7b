/** A session as a plain file that commands write to: lines appended durably, under a lock that a dead writer cannot keep. */
import { existsSync } from 'node:fs';
import { concat } from '../src/bytes/encoding.ts';
import { AppendFailed, AppendFile } from '../src/durable/appendFile.ts';
import { createFile, replaceFile } from '../src/durable/files.ts';
import { type Lock, Locked, takeLock } from '../src/durable/lock.ts';
import { type OpenFile, openFile, readFile, reasonOf, Unreadable } from '../src/host/files.ts';
import { Scanner } from '../src/json/scan.ts';
import type { EntryDraft } from '../src/session/write/draft.ts';
import { SessionError } from '../src/session/write/error.ts';
import { joinLines } from '../src/session/write/joinLines.ts';
import { LiveSession, type WriterChecks } from '../src/session/write/live.ts';
import type { Appended, Prepared } from '../src/session/write/outcome.ts';
import { formatInstant } from '../src/time/instant.ts';
import type { Io } from './command.ts';

const LINE_FEED = Uint8Array.of(0x0a);

/** An entry that is on disk, and the leaf labels that were written so that a reader finds the leaf (session-store 1.8). */
export interface Recorded extends Appended {
  readonly marks: readonly string[];
}

/** One session file, locked while it is open. */
export class SessionFile {
  readonly #path: string;
  readonly #lock: Lock;
  readonly #checks: WriterChecks;
  readonly #now: () => string;
  #reading: OpenFile;
  #file: AppendFile;
  session: LiveSession;

  /** Opens a file for appending. Throws Unreadable where it is locked, missing, or does not hold. A torn last line is cut off. */
  static open(path: string, io: Io, checks: WriterChecks = 'verified'): SessionFile {
    if (!existsSync(path)) throw new Unreadable(`${path} is not there`);
    const lock = lockOf(path, io);
    try {
      return new SessionFile(path, lock, checks, io);
    } catch (error) {
      lock.release();
      if (error instanceof SessionError) throw new Unreadable(`${path}: ${error.message} (${error.code})`);
      if (error instanceof AppendFailed) throw new Unreadable(`${path}: ${error.message}`);
      throw error;
    }
  }

  private constructor(path: string, lock: Lock, checks: WriterChecks, io: Io) {
    this.#path = path;
    this.#lock = lock;
    this.#checks = checks;
    this.#now = () => formatInstant(io.clock());
    this.#file = AppendFile.open(path, (rest) => new Scanner().scan(rest)).file;
    this.#reading = openFile(path);
    try {
      if (this.#reading.size !== this.#file.length)
        throw new Unreadable(`${path}: somebody else is writing to the file`);
      this.session = LiveSession.open(this.#reading, { checks, now: this.#now });
    } catch (error) {
      this.#reading.close();
      this.#file.close();
      throw error;
    }
  }

  /** Appends an entry, on disk when this returns. Throws SessionError, and nothing is written then. */
  append(draft: EntryDraft): Recorded {
    let prepared = this.session.prepare(draft);
    if (prepared.outcome === 'held') return { ...this.session.commit(prepared), marks: [] };
    if (prepared.entry.kind === 'label' && prepared.entry.synthetic)
      throw new SessionError('synthetic_marker', 'a synthetic marker is written by the projection of a store alone');
    if (this.session.raisedLine !== undefined) {
      this.#raise(this.session.raisedLine);
      prepared = this.session.prepare(draft);
    }
    const marks: string[] = [];
    const before = this.session.leafMarkBefore(prepared);
    if (before !== undefined) {
      const label = this.session.prepare(before);
      marks.push(label.id);
      this.#write(label);
      prepared = this.session.prepare(draft);
    }
    this.#write(prepared);
    const after = this.session.leafMarkNeeded();
    if (after !== undefined) {
      const label = this.session.prepare(after);
      marks.push(label.id);
      this.#write(label);
    }
    const { outcome, id, entry } = prepared;
    return { outcome, id, entry, marks };
  }

  #write(prepared: Prepared): void {
    if (prepared.outcome !== 'held') this.#append(concat(prepared.line, LINE_FEED));
    this.session.commit(prepared);
  }

  #append(bytes: Uint8Array): void {
    this.#asLeft(() => this.#file.append(bytes, true));
  }

  /** Does what is to be done to the file as it was left. Throws Unreadable where the lock was broken, and for what the file cannot take. */
  #asLeft(act: () => void): void {
    if (!this.#lock.isHeld()) throw new Unreadable(`${this.#path}: the lock was taken away from this writer`);
    try {
      act();
    } catch (error) {
      if (error instanceof AppendFailed) throw new Unreadable(`${this.#path}: ${error.message}`);
      throw error;
    }
  }

  /** Session-format 2.6: a new file takes the place of the old one, so that no crash leaves half a header. */
  #raise(line: Uint8Array): void {
    this.#asLeft(() => this.#file.check());
    const old = readFile(this.#path);
    const end = firstLineEnd(old);
    this.#file.close();
    this.#reading.close();
    replaceFile(this.#path, concat(line, LINE_FEED, old.subarray(end)));
    this.#file = AppendFile.open(this.#path, (rest) => new Scanner().scan(rest)).file;
    this.#reading = openFile(this.#path);
    this.session = LiveSession.open(this.#reading, { checks: this.#checks, now: this.#now });
  }

  /** Writes lines that the session in memory has already, all at once. */
  keep(lines: readonly Uint8Array[]): void {
    if (lines.length > 0) this.#append(joinLines(lines));
  }

  close(): void {
    this.#reading.close();
    this.#file.close();
    this.#lock.release();
  }
}

/** Offset after the first line that is not blank. */
function firstLineEnd(bytes: Uint8Array): number {
  let start = 0;
  while (bytes[start] === 0x0a || bytes[start] === 0x0d) start++;
  const end = bytes.indexOf(0x0a, start);
  return end < 0 ? bytes.length : end + 1;
}

/** Creates the file of a session, durably and whole. Throws Unreadable when there is one. */
export function createSessionFile(path: string, lines: Iterable<Uint8Array>, io: Io): void {
  const lock = lockOf(path, io);
  try {
    if (!createFile(path, joinLines(lines))) throw new Unreadable(`${path} is there already`);
  } catch (error) {
    if (error instanceof Unreadable) throw error;
    throw new Unreadable(`${path}: ${reasonOf(error)}`);
  } finally {
    lock.release();
  }
}

function lockOf(path: string, io: Io): Lock {
  try {
    return takeLock(`${path}.lock`, { since: formatInstant(io.clock()) });
  } catch (error) {
    if (error instanceof Locked) throw new Unreadable(`${path}: ${error.message}`);
    throw new Unreadable(`${path}: ${reasonOf(error)}`);
  }
}
