/** A session as a plain file that commands write to: lines appended durably, under a lock that a dead writer cannot keep. */
import { existsSync, realpathSync } from 'node:fs';
import { dirname } from 'node:path';
import { readExactly } from '../src/bytes/source.ts';
import { AppendFailed, AppendFile } from '../src/durable/appendFile.ts';
import { createFile } from '../src/durable/files.ts';
import { type Lock, Locked, takeLock } from '../src/durable/lock.ts';
import { printed } from '../src/finding/visible.ts';
import { type OpenFile, openFile, reasonOf, Unreadable } from '../src/host/files.ts';
import type { EntryDraft } from '../src/session/write/draft.ts';
import { SessionError } from '../src/session/write/error.ts';
import { joinLines } from '../src/session/write/joinLines.ts';
import { type LiveOptions, LiveSession, type WriterChecks } from '../src/session/write/live.ts';
import { commitPlanned, planAppend } from '../src/session/write/marked.ts';
import type { Appended } from '../src/session/write/outcome.ts';
import { replaceHeader } from '../src/store/sessionFiles.ts';
import { formatInstant } from '../src/time/instant.ts';
import type { Io } from './command.ts';

const LINE_FEED = 0x0a;

/** An entry that is on disk, and the leaf labels that were written so that a reader finds the leaf (session-store 1.8). */
export interface Recorded extends Appended {
  readonly marks: readonly string[];
}

interface Opened {
  readonly session: LiveSession;
  readonly reading: OpenFile;
  /** How the file ends, as it was judged. */
  readonly ending: { readonly read: number; readonly end: number; readonly lineFeed: boolean };
  /** Opened by the first append: until then nothing of the file is changed. */
  file: AppendFile | undefined;
}

/** One session file, locked while it is open. */
export class SessionFile {
  readonly #path: string;
  readonly #lock: Lock;
  readonly #options: LiveOptions;
  readonly #io: Io;
  #opened: Opened;

  /** Opens a file for appending. Throws Unreadable where it is locked, missing, or does not hold. The first append cuts a torn last line off. */
  static open(path: string, io: Io, checks: WriterChecks = 'verified'): SessionFile {
    if (!existsSync(path)) throw new Unreadable(`${path} is not there`);
    // Two names of one file have one lock.
    const real = realpathSync(path);
    const lock = lockOf(real, io);
    try {
      return new SessionFile(real, lock, checks, io);
    } catch (error) {
      lock.release();
      throw error;
    }
  }

  private constructor(path: string, lock: Lock, checks: WriterChecks, io: Io) {
    this.#path = path;
    this.#lock = lock;
    this.#io = io;
    this.#options = { checks, now: () => formatInstant(io.clock()) };
    this.#opened = this.#open();
  }

  get session(): LiveSession {
    return this.#opened.session;
  }

  /** Judged before anything is changed: a file that is no session is left as it is. */
  #open(): Opened {
    let reading: OpenFile | undefined;
    try {
      reading = openFile(this.#path);
      const session = LiveSession.openTorn(reading, this.#options);
      const { size } = reading;
      const end = session.truncated?.offset ?? size;
      const isEnded = readExactly(reading, size - 1, 1)[0] === LINE_FEED;
      // A crash tears a line off before its end: what has one was kept whole, and is damaged.
      if (end < size && isEnded)
        throw new SessionError(
          'truncated_line',
          `line ${session.truncated?.line}, the last one, is whole and no JSON: something else than a crash damaged it`,
        );
      const ending = { read: size, end, lineFeed: end === size && !isEnded };
      return { session, reading, ending, file: undefined };
    } catch (error) {
      reading?.close();
      if (error instanceof SessionError) throw new Unreadable(`${this.#path}: ${error.message} (${error.code})`);
      if (error instanceof AppendFailed || error instanceof Unreadable)
        throw new Unreadable(`${this.#path}: ${error.message}`);
      throw error;
    }
  }

  /** Appends an entry, on disk when this returns. Throws SessionError, and nothing is written then. */
  append(draft: EntryDraft): Recorded {
    const [recorded] = this.appendAll([draft]);
    return recorded as Recorded;
  }

  /** The same of entries that belong together: all of them are written, at once, or none. */
  appendAll(drafts: readonly EntryDraft[]): readonly Recorded[] {
    const lines: Uint8Array[] = [];
    const recorded: Recorded[] = [];
    try {
      for (const draft of drafts) recorded.push(this.#take(draft, lines));
    } catch (error) {
      // What was taken before it is in memory alone.
      if (recorded.length > 0) this.#openAgain();
      throw error;
    }
    const raised = this.session.raisedLine;
    if (lines.length > 0 && raised !== undefined) this.#raise(raised);
    this.#append(lines);
    if (lines.length > 0 && raised !== undefined) this.#openAgain();
    return recorded;
  }

  /** Makes an entry one of the session in memory; the lines that must be kept for it are added to `lines`. */
  #take(draft: EntryDraft, lines: Uint8Array[]): Recorded {
    const { session } = this;
    const planned = planAppend(session, draft, this.#io.clock());
    const { prepared, mark } = planned;
    const { outcome, id, entry, line } = prepared;
    if (outcome === 'held') return { outcome, id, entry, marks: [] };
    const after = commitPlanned(session, draft, planned, this.#io.clock());
    if (after !== undefined) session.commit(after);
    const marks: string[] = [];
    for (const label of [mark, after]) if (label !== undefined) marks.push(label.id);
    if (mark !== undefined) lines.push(mark.line);
    lines.push(line);
    if (after !== undefined) lines.push(after.line);
    return { outcome, id, entry, marks };
  }

  #append(lines: readonly Uint8Array[]): void {
    if (lines.length > 0) this.#asLeft((file) => file.append(joinLines(lines), true));
  }

  /** Does what is to be done to the file as it was left. Throws Unreadable where the lock was broken, and for what the file cannot take. */
  #asLeft(act: (file: AppendFile) => void): void {
    if (!this.#lock.isHeld()) throw new Unreadable(`${this.#path}: the lock was taken away from this writer`);
    const opened = this.#opened;
    const { read, end } = opened.ending;
    try {
      if (opened.file === undefined) {
        opened.file = AppendFile.resume(this.#path, opened.ending);
        if (end < read)
          this.#io.err(
            printed(
              `audit: ${this.#path}: ${read - end} bytes of line ${opened.session.truncated?.line}, which a crash tore, are cut off`,
            ),
          );
      }
      act(opened.file);
    } catch (error) {
      if (error instanceof AppendFailed) throw new Unreadable(`${this.#path}: ${error.message}`);
      throw error;
    }
  }

  /** Session-format 2.6: a new file takes the place of the old one, so that no crash leaves half a header. */
  #raise(line: Uint8Array): void {
    this.#asLeft((file) => file.check());
    if (replaceHeader(this.#path, line) === undefined) throw new Unreadable(`${this.#path} is gone`);
    this.#openAgain();
  }

  /** The session as the file has it. */
  #openAgain(): void {
    this.#opened.file?.close();
    this.#opened.reading.close();
    this.#opened = this.#open();
  }

  /** Writes lines that the session in memory has already, all at once. */
  keep(lines: readonly Uint8Array[]): void {
    this.#append(lines);
  }

  close(): void {
    this.#opened.reading.close();
    this.#opened.file?.close();
    this.#lock.release();
  }
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
  const folder = dirname(path);
  if (!existsSync(folder)) throw new Unreadable(`${path}: the folder ${folder} is not there`);
  try {
    return takeLock(`${path}.lock`, { since: formatInstant(io.clock()) });
  } catch (error) {
    if (error instanceof Locked) throw new Unreadable(`${path}: ${error.message}`);
    throw new Unreadable(`${path}: ${reasonOf(error)}`);
  }
}
