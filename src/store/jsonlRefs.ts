/**
 * Named refs of a folder store: a document replaced whole and a log that is ahead of it by at most one record (session-store 4.7). The
 * record is what counts: once it is on disk the update stands, and a document that was not written yet is completed by the next one.
 */
import { mkdirSync, truncateSync } from 'node:fs';
import { basename, join } from 'node:path';
import { decodeUtf8, utf8 } from '../bytes/encoding.ts';
import { AppendFile } from '../durable/appendFile.ts';
import { createFile, replaceFile, standing } from '../durable/files.ts';
import { awaitLock, type Lock, Locked } from '../durable/lock.ts';
import type { RefStorage } from './backend.ts';
import { StoreError } from './errors.ts';
import { LOCK, REF_LOG, REFS } from './layout.ts';
import type { LoggedChange, RefTable, StoredRef } from './refs.ts';
import { readWhole } from './sessionFiles.ts';

interface Document {
  readonly seq: number;
  readonly refs: Map<string, StoredRef>;
}

interface LogRecord extends LoggedChange {
  readonly seq: number;
}

export class FileRefs implements RefStorage {
  readonly #root: string;
  readonly #document: string;
  readonly #log: string;
  readonly #since: () => string;

  constructor(root: string, since: () => string) {
    this.#root = root;
    this.#document = join(root, REFS);
    this.#log = join(root, REF_LOG);
    this.#since = since;
  }

  /** The document, and what it is with what was recorded and it does not hold yet. Throws corrupt. */
  #load(): { readonly log: Uint8Array | undefined; readonly document: Document; readonly current: Document } {
    // The log first: a document written in between is only newer.
    const log = readIfThere(this.#log);
    const last = log === undefined ? undefined : lastRecord(log);
    const bytes = readIfThere(this.#document);
    const document = bytes === undefined ? { seq: 0, refs: new Map<string, StoredRef>() } : parseDocument(bytes);
    if (log === undefined || last === undefined || last.seq <= document.seq)
      return { log, document, current: document };
    // A document that was put back from a backup, or removed, lacks more than the last.
    const pending = last.seq === document.seq + 1 ? [last] : recordsOf(log).filter(({ seq }) => seq > document.seq);
    const refs = new Map(document.refs);
    let { seq } = document;
    for (const record of pending) {
      if (record.seq !== ++seq)
        throw damaged(`the log of refs lacks record ${seq}, which ${REFS} does not hold either`);
      if (record.next === undefined) refs.delete(record.name);
      else refs.set(record.name, record.next);
    }
    return { log, document, current: { seq, refs } };
  }

  #read(): Document {
    return this.#load().current;
  }

  all(): RefTable {
    return this.#read().refs;
  }

  update(decide: Parameters<RefStorage['update']>[0], at: string): void {
    mkdirSync(this.#root, { recursive: true });
    const lock = awaitLock(`${this.#document}${LOCK}`, { since: this.#since() });
    try {
      const { seq, refs } = this.#read();
      const change = decide(refs);
      if (change === undefined) return;
      const record: LogRecord = { ...change, at, seq: seq + 1 };
      createFile(this.#log, new Uint8Array(0));
      // What the record before said is kept by the document before that record is no longer the last.
      if (seq > 0) this.#write(seq, refs);
      const file = this.#openLog();
      const before = file.length;
      try {
        file.append(utf8(`${formatRecord(record)}\n`), true);
      } finally {
        file.close();
      }
      const changed = new Map(refs);
      if (record.next === undefined) changed.delete(record.name);
      else changed.set(record.name, record.next);
      try {
        this.#write(record.seq, changed);
      } catch (error) {
        truncateSync(this.#log, before);
        throw error;
      }
    } finally {
      lock.release();
    }
  }

  /** Whether a step of an update is missing: a record that the document does not hold, or one that was being written. Throws corrupt. */
  isBehind(): boolean {
    const { log = new Uint8Array(0), document, current } = this.#load();
    recordsOf(log);
    return current.seq > document.seq || (log.length > 0 && log.at(-1) !== 0x0a);
  }

  /** Completes what an update left undone; false where somebody keeps the refs locked. */
  complete(): boolean {
    let lock: Lock;
    try {
      lock = awaitLock(`${this.#document}${LOCK}`, { since: this.#since() });
    } catch (error) {
      if (error instanceof Locked) return false;
      throw error;
    }
    try {
      const { seq, refs } = this.#read();
      this.#write(seq, refs);
      this.#openLog().close();
      return true;
    } finally {
      lock.release();
    }
  }

  /** A record without its line feed was never acknowledged: it is cut off. */
  #openLog(): AppendFile {
    const log = readIfThere(this.#log) ?? new Uint8Array(0);
    return AppendFile.resume(this.#log, { read: log.length, end: log.lastIndexOf(0x0a) + 1, lineFeed: false });
  }

  #write(seq: number, refs: RefTable): void {
    const current = readIfThere(this.#document);
    if (current !== undefined && parseDocument(current).seq === seq) return;
    // Names like __proto__ are data: the members are written one by one.
    const members = [...refs]
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([name, ref]) => `    ${JSON.stringify(name)}: ${formatTarget(ref)}`);
    const body = members.length === 0 ? '{}' : `{\n${members.join(',\n')}\n  }`;
    replaceFile(this.#document, utf8(`{\n  "seq": ${seq},\n  "refs": ${body}\n}\n`));
  }

  log(name: string): readonly LoggedChange[] {
    const bytes = readIfThere(this.#log);
    if (bytes === undefined) return [];
    return recordsOf(bytes).filter((record) => record.name === name);
  }
}

function readIfThere(path: string): Uint8Array | undefined {
  const bytes = readWhole(path)?.bytes;
  if (bytes === undefined && standing(path) === 'other') throw damaged(`${basename(path)} is no file`);
  return bytes;
}

/** Lines that end; a last one that does not is being written. */
function wholeLines(bytes: Uint8Array): string[] {
  const text = decodeUtf8(bytes.subarray(0, bytes.lastIndexOf(0x0a) + 1));
  if (text === undefined) throw damaged('the log of refs is not UTF-8');
  return text.split('\n').filter((line) => line !== '');
}

function recordsOf(log: Uint8Array): LogRecord[] {
  return wholeLines(log).map(parseRecord);
}

function lastRecord(bytes: Uint8Array): LogRecord | undefined {
  const end = bytes.lastIndexOf(0x0a);
  if (end < 0) return undefined;
  const start = bytes.lastIndexOf(0x0a, end - 1) + 1;
  const [line] = wholeLines(bytes.subarray(start, end + 1));
  return line === undefined ? undefined : parseRecord(line);
}

function damaged(what: string): StoreError {
  return new StoreError('corrupt', what);
}

function formatTarget(ref: StoredRef | undefined): string {
  return JSON.stringify(ref ?? { session: '', entry: '', ident: '' }, ['session', 'entry', 'ident']);
}

function formatRecord({ seq, name, old, next, at, reason }: LogRecord): string {
  return `{"seq":${seq},"name":${JSON.stringify(name)},"old":${formatTarget(old)},"new":${formatTarget(next)},"at":${JSON.stringify(at)},"reason":${JSON.stringify(reason)}}`;
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

function objectOf(value: unknown): Readonly<Record<string, unknown>> | undefined {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
    ? (value as Record<string, unknown>)
    : undefined;
}

function parseJson(text: string, what: string): Readonly<Record<string, unknown>> {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw damaged(`${what} is not JSON`);
  }
  const object = objectOf(value);
  if (object === undefined) throw damaged(`${what} is no object`);
  return object;
}

/** A target; undefined where it says that there is none, by an empty session. What says nothing is damage, not a removal. */
function parseTarget(value: unknown, what: string): StoredRef | undefined {
  const target = objectOf(value);
  if (target === undefined) throw damaged(`${what} is no target of a ref`);
  const { session, entry = '', ident = '' } = target;
  if (typeof session !== 'string' || typeof entry !== 'string' || typeof ident !== 'string')
    throw damaged(`${what} does not say which session it is`);
  return session === '' ? undefined : { session, entry, ident };
}

function parseSeq(value: unknown, what: string): number {
  if (typeof value !== 'number' || !Number.isSafeInteger(value) || value < 0) throw damaged(`${what} has no seq`);
  return value;
}

function parseRecord(line: string): LogRecord {
  const what = 'a record of the log of refs';
  const record = parseJson(line, what);
  const name = textOf(record['name']);
  if (name === '') throw damaged(`${what} names no ref`);
  return {
    seq: parseSeq(record['seq'], what),
    name,
    old: parseTarget(record['old'], `the old target of ${what}`),
    next: parseTarget(record['new'], `the new target of ${what}`),
    at: textOf(record['at']),
    reason: textOf(record['reason']),
  };
}

function parseDocument(bytes: Uint8Array): Document {
  const document = parseJson(decodeUtf8(bytes) ?? '', REFS);
  const members = objectOf(document['refs']);
  if (members === undefined) throw damaged(`${REFS} has no table of refs`);
  const refs = new Map<string, StoredRef>();
  // JSON.parse makes own members of every name, so that Object.entries sees them all.
  for (const [name, value] of Object.entries(members)) {
    const what = `${REFS}: the ref ${JSON.stringify(name)}`;
    const target = parseTarget(value, what);
    if (target === undefined) throw damaged(`${what} names no session`);
    refs.set(name, target);
  }
  return { seq: parseSeq(document['seq'], REFS), refs };
}
