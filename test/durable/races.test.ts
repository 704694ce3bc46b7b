/** What another writer does between two calls of this one: neither takes from the other, and nothing is acknowledged that is not there. */
import { appendFileSync, mkdtempSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { AppendFailed, AppendFile, NotAsLeft } from '../../src/durable/appendFile.ts';

/** Called in place of a call to the system, which it may make. */
const between = vi.hoisted(() => ({
  write: undefined as ((write: (length?: number) => number) => number) | undefined,
  sync: undefined as (() => void) | undefined,
}));

vi.mock('node:fs', async (importOriginal) => {
  const fs = await importOriginal<typeof import('node:fs')>();
  return {
    ...fs,
    writeSync(fd: number, bytes: Uint8Array, at: number) {
      const write = (length = bytes.length - at) => fs.writeSync(fd, bytes, at, length);
      return between.write === undefined ? write() : between.write(write);
    },
    fsyncSync(fd: number) {
      fs.fsyncSync(fd);
      between.sync?.();
    },
  };
});

let folder = '';
let path = '';
let file: AppendFile;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'audit-races-'));
  path = join(folder, 'log');
  writeFileSync(path, 'one\n');
  file = AppendFile.resume(path, { read: 4, end: 4, lineFeed: false });
});
afterEach(() => {
  between.write = between.sync = undefined;
  file.close();
  rmSync(folder, { recursive: true, force: true });
});

const content = () => readFileSync(path, 'utf8');
const append = (sync: boolean) => file.append(new TextEncoder().encode('mine\n'), sync);

it('what another wrote after the look at the file is not written over', () => {
  between.write = (write) => {
    appendFileSync(path, 'theirs\n');
    return write();
  };
  append(false);
  expect(content()).toBe('one\ntheirs\nmine\n');
  between.write = undefined;
  expect(() => append(false)).toThrow(NotAsLeft);
});

it('a line that another cut off while it was brought to disk is not acknowledged', () => {
  between.sync = () => truncateSync(path, 4);
  expect(() => append(true)).toThrow(NotAsLeft);
  expect(content()).toBe('one\n');
});

it('a write that fails half way is cut back', () => {
  let calls = 0;
  between.write = (write) => {
    if (calls++ > 0) throw new Error('the disk is full');
    return write(2);
  };
  expect(() => append(true)).toThrow(/^the append failed: the disk is full$/);
  expect(content()).toBe('one\n');
});

it.each(['before', 'after'])('nothing is cut back where another wrote %s the half that was written', (when) => {
  let calls = 0;
  between.write = (write) => {
    if (calls++ > 0) throw new Error('the disk is full');
    if (when === 'before') appendFileSync(path, 'theirs\n');
    const written = write(2);
    if (when === 'after') appendFileSync(path, 'theirs\n');
    return written;
  };
  expect(() => append(true)).toThrow(/^the append failed and could not be cut back: the disk is full$/);
  expect(content()).toBe(when === 'before' ? 'one\ntheirs\nmi' : 'one\nmitheirs\n');
  expect(() => append(true)).toThrow(AppendFailed);
});
