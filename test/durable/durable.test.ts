/** Durable files: whole or not there, a torn tail found, a dead holder's lock taken over. */
import { spawn, spawnSync } from 'node:child_process';
import {
  appendFileSync,
  closeSync,
  existsSync,
  linkSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { AppendFile, NotAsLeft } from '../../src/durable/appendFile.ts';
import { createFile, replaceFile } from '../../src/durable/files.ts';
import { breakLock, Locked, lockHolder, takeLock } from '../../src/durable/lock.ts';
import { LineLog } from '../../src/durable/namedLog.ts';
import { openSqlite } from '../../src/durable/sqlite.ts';

const SINCE = '2026-11-30T12:00:00Z';
const bytes = (text: string) => new TextEncoder().encode(text);
let folder = '';
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'audit-durable-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

describe('a file', () => {
  it('is created once; a second creation changes nothing', () => {
    const path = join(folder, 'a');
    expect(createFile(path, bytes('one'))).toBe(true);
    expect(createFile(path, bytes('two'))).toBe(false);
    expect(readFileSync(path, 'utf8')).toBe('one');
    expect(existsSync(`${path}.tmp`)).toBe(false);
  });

  it('is replaced at once, a stale temporary file notwithstanding', () => {
    const path = join(folder, 'a');
    createFile(path, bytes('one'));
    writeFileSync(`${path}.tmp`, 'left by a crash');
    replaceFile(path, bytes('two'));
    expect(readFileSync(path, 'utf8')).toBe('two');
  });
});

const never = () => false;

/** Opens a file as what it holds was judged: without `end` all of it is whole. */
function judged(path: string, end?: number): AppendFile {
  const read = readFileSync(path).length;
  return AppendFile.resume(path, { read, end: end ?? read, lineFeed: false });
}

describe('an append file', () => {
  it('appends lines after what is there', () => {
    const path = join(folder, 'log');
    writeFileSync(path, 'one\n');
    const file = judged(path);
    file.append(bytes('two\n'), true);
    file.append(bytes('three\n'), false);
    file.close();
    expect(readFileSync(path, 'utf8')).toBe('one\ntwo\nthree\n');
  });

  it.each([0, 1, 200_000])('cuts off a torn tail of %i bytes', (length) => {
    const path = join(folder, 'log');
    writeFileSync(path, `one\n${'x'.repeat(length)}`);
    const file = judged(path, 4);
    file.append(bytes('two\n'), true);
    file.close();
    expect(readFileSync(path, 'utf8')).toBe('one\ntwo\n');
  });

  it('gives a whole last line its line feed', () => {
    const path = join(folder, 'log');
    writeFileSync(path, 'one\ntwo');
    const file = AppendFile.resume(path, { read: 7, end: 7, lineFeed: true });
    file.append(bytes('three\n'), true);
    file.close();
    expect(readFileSync(path, 'utf8')).toBe('one\ntwo\nthree\n');
  });

  it('takes nothing more, and is cut nowhere, once somebody else wrote to it, removed it, or put another in its place', () => {
    const spoil = {
      'somebody else wrote to the file': (path: string) => appendFileSync(path, 'theirs\n'),
      'the file was removed or replaced': (path: string) => replaceFile(path, bytes('another\n')),
    };
    for (const [message, act] of Object.entries(spoil)) {
      const path = join(folder, message.replaceAll(' ', '-'));
      writeFileSync(path, 'one\n');
      const file = judged(path);
      file.append(bytes('two\n'), false);
      act(path);
      const before = readFileSync(path, 'utf8');
      for (const attempt of [() => file.check(), () => file.append(bytes('mine\n'), true)])
        expect(attempt).toThrow(new NotAsLeft(message.startsWith('the') ? 'gone' : 'written to'));
      file.close();
      expect(readFileSync(path, 'utf8')).toBe(before);
    }
  });

  it('that grew since it was judged is not cut: it has to be read again', () => {
    const path = join(folder, 'log');
    writeFileSync(path, 'one\ntorn');
    appendFileSync(path, ' no more\n');
    expect(() => AppendFile.resume(path, { read: 8, end: 4, lineFeed: false })).toThrow(NotAsLeft);
    expect(readFileSync(path, 'utf8')).toBe('one\ntorn no more\n');
  });

  it('that is closed touches no file that was opened since, whose number may be the same', () => {
    const path = join(folder, 'log');
    writeFileSync(path, 'one\n');
    const file = judged(path);
    file.close();
    const other = openSync(join(folder, 'other'), 'w');
    file.close();
    expect(() => file.append(bytes('two\n'), false)).toThrow();
    writeSync(other, 'still open');
    closeSync(other);
    expect([readFileSync(path, 'utf8'), readFileSync(join(folder, 'other'), 'utf8')]).toEqual(['one\n', 'still open']);
  });

  it('is not made where there is none', () => {
    expect(() => AppendFile.resume(join(folder, 'none'), { read: 0, end: 0, lineFeed: false })).toThrow('ENOENT');
    expect(readdirSync(folder)).toEqual([]);
  });
});

describe('a log of named records in a file', () => {
  it('takes none once its lock was broken, somebody else wrote to the file, or another file is in its place', async () => {
    const spoil = {
      'the lock was taken away from this writer': (path: string) => breakLock(`${path}.lock`),
      'somebody else wrote to the file': (path: string) => appendFileSync(path, 'b:2\n'),
      'the file was removed or replaced': (path: string) => replaceFile(path, bytes('a:1\n')),
    };
    for (const [message, act] of Object.entries(spoil)) {
      const path = join(folder, message.replaceAll(' ', '-'));
      const names = () => [];
      const log = LineLog.open({ path, run: 'r', create: true, since: SINCE, names, isWhole: never });
      expect((await log.insert('r', 'a', bytes('a:1'))).inserted).toBe(true);
      act(path);
      const before = readFileSync(path, 'utf8');
      expect(() => log.insert('r', 'b', bytes('b:1'))).toThrow(message);
      expect(readFileSync(path, 'utf8')).toBe(before);
      log.close();
    }
  });
});

describe('a lock', () => {
  it('that was broken is not held, and its release leaves the lock of the next holder alone', () => {
    const path = join(folder, 's.lock');
    const mine = takeLock(path, { since: SINCE });
    expect(mine.isHeld()).toBe(true);
    breakLock(path);
    expect(mine.isHeld()).toBe(false);
    const theirs = takeLock(path, { since: SINCE });
    expect([mine.isHeld(), mine.mayBeHeld()]).toEqual([false, false]);
    expect([theirs.isHeld(), theirs.mayBeHeld()]).toEqual([true, true]);
    mine.release();
    expect([existsSync(path), theirs.isHeld()]).toEqual([true, true]);
    // With a second name the path is asked.
    linkSync(path, `${path}.backup`);
    expect([theirs.isHeld(), theirs.mayBeHeld()]).toEqual([true, true]);
    renameSync(path, `${path}.aside`);
    expect([theirs.isHeld(), theirs.mayBeHeld()]).toEqual([false, false]);
    renameSync(`${path}.aside`, path);
    rmSync(`${path}.backup`);
    // Moved away it is nobody's to remove.
    renameSync(path, `${path}.moved`);
    expect([theirs.isHeld(), theirs.mayBeHeld()]).toEqual([false, true]);
    theirs.release();
    expect([existsSync(`${path}.moved`), theirs.isHeld()]).toEqual([true, false]);
  });

  it('keeps a second taker out until it is released', () => {
    const path = join(folder, 's.lock');
    const lock = takeLock(path, { since: SINCE });
    expect(() => takeLock(path, { since: SINCE })).toThrow(Locked);
    expect(lockHolder(path)).toEqual({ pid: process.pid, host: hostname(), since: SINCE });
    lock.release();
    takeLock(path, { since: SINCE }).release();
    expect(lockHolder(path)).toBeUndefined();
  });

  it('of a dead process on this host is taken over and reported', () => {
    const path = join(folder, 's.lock');
    const dead = spawnSync(process.execPath, ['-e', '']).pid;
    writeFileSync(path, JSON.stringify({ pid: dead, host: hostname(), since: SINCE }));
    const stale: unknown[] = [];
    takeLock(path, { since: SINCE, onStale: (holder) => stale.push(holder) }).release();
    expect(stale).toEqual([{ pid: dead, host: hostname(), since: SINCE }]);
  });

  it('of another host, or one that does not say whose it is, is never taken over; it can be broken', () => {
    const path = join(folder, 's.lock');
    for (const content of [JSON.stringify({ pid: 1, host: 'elsewhere', since: SINCE }), '', 'null', '{"pid":"1"}']) {
      writeFileSync(path, content);
      expect(() => takeLock(path, { since: SINCE })).toThrow(Locked);
    }
    breakLock(path);
    takeLock(path, { since: SINCE }).release();
  });

  it('is given back by a killed holder', async () => {
    const path = join(folder, 's.lock');
    const child = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)'], { stdio: 'ignore' });
    writeFileSync(path, JSON.stringify({ pid: child.pid, host: hostname(), since: SINCE }));
    expect(() => takeLock(path, { since: SINCE })).toThrow(Locked);
    child.kill('SIGKILL');
    await new Promise((resolve) => child.once('exit', resolve));
    takeLock(path, { since: SINCE }).release();
  });
});

describe('a database', () => {
  it('syncs every commit when it is asked to be durable', async () => {
    const database = await openSqlite(join(folder, 'd.db'), { commit: 'durable' });
    expect(database.pragma('synchronous', { simple: true })).toBe(2);
    expect(database.pragma('journal_mode', { simple: true })).toBe('wal');
    database.close();
  });

  it('is opened for reading only where it exists', async () => {
    await expect(openSqlite(join(folder, 'none.db'), { commit: 'lazy', readOnly: true })).rejects.toThrow();
  });
});
