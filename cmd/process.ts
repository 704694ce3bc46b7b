/** The process as the `Io` of a command. */
import { openSync, writeFileSync, writeSync } from 'node:fs';
import type { ByteSource } from '../src/bytes/source.ts';
import {
  incomingStandardInput,
  openFile,
  readFile,
  readStandardInput,
  reasonOf,
  Unreadable,
} from '../src/host/files.ts';
import { fromMilliseconds } from '../src/time/instant.ts';
import type { Io } from './command.ts';

/** Writes all bytes to a descriptor, waiting where a pipe is full; a reader that went away ends the output silently. */
function writeAll(fd: number, data: string | Uint8Array): void {
  const bytes = typeof data === 'string' ? new TextEncoder().encode(data) : data;
  for (let at = 0; at < bytes.length; ) {
    try {
      at += writeSync(fd, bytes, at);
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      if (code === 'EPIPE') return;
      if (code !== 'EAGAIN') throw error;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 5);
    }
  }
}

export function processIo(): Io {
  let standardInput: ByteSource | undefined;
  const open = (path: string): ByteSource => {
    if (path !== '-') return openFile(path);
    standardInput ??= readStandardInput();
    return standardInput;
  };
  return {
    out: (text) => writeAll(1, text),
    err: (text) => writeAll(2, text),
    outIsTerminal: process.stdout.isTTY === true,
    errIsTerminal: process.stderr.isTTY === true,
    width: process.stdout.columns ?? 80,
    height: process.stdout.rows ?? 24,
    env: process.env,
    clock: () => fromMilliseconds(Date.now()),
    open,
    incoming: () => incomingStandardInput(),
    read(path) {
      if (path !== '-') return readFile(path);
      const source = open(path);
      return source.read(0, source.size);
    },
    writer(path) {
      let fd: number;
      try {
        fd = openSync(path, 'w');
      } catch (error) {
        throw new Unreadable(`${path}: ${reasonOf(error)}`);
      }
      return (text) => writeAll(fd, text);
    },
    write(path, bytes, { secret = false } = {}) {
      try {
        writeFileSync(path, bytes, secret ? { mode: 0o600, flag: 'wx' } : {});
      } catch (error) {
        throw new Unreadable(`${path}: ${reasonOf(error)}`);
      }
    },
  };
}
