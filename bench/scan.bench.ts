/**
 * Reading sessions: the scanner against `JSON.parse` of the same lines, ids against a naive verifier, and memory. `AUDIT_BENCH_MB` sets the
 * size of the files (default 12; 100 for the numbers of the documentation), `AUDIT_BENCH_LONG_MB` that of the one read in a process of its own
 * (default 60; 1000 for those numbers).
 */
import { execFileSync } from 'node:child_process';
import { closeSync, mkdtempSync, openSync, rmSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { hex, utf8 } from '../src/bytes/encoding.ts';
import { memorySource } from '../src/bytes/source.ts';
import { sha256 } from '../src/crypto/sha256.ts';
import { Scanner } from '../src/json/scan.ts';
import { readSession } from '../src/session/read.ts';
import { compare, type Measurement } from './bench.ts';
import { type Shape, sessionFile } from './sessionFile.ts';

const MEGABYTES = Number(process.env['AUDIT_BENCH_MB'] ?? '12');

const files = new Map<boolean, Uint8Array>();

/** A file of realistic entries, about 1.7 KB each. */
function fileOf(canonical: boolean): Uint8Array {
  const known = files.get(canonical);
  if (known !== undefined) return known;
  const shape: Shape = { turns: Math.ceil((MEGABYTES * 1e6) / 15_000), tools: true, size: 9000, canonical };
  const file = sessionFile(shape);
  files.set(canonical, file);
  return file;
}

function linesOf(file: Uint8Array): readonly Uint8Array[] {
  const lines: Uint8Array[] = [];
  for (let at = 0; at < file.length; ) {
    const end = file.indexOf(0x0a, at);
    lines.push(file.subarray(at, end));
    at = end + 1;
  }
  return lines;
}

const decoder = new TextDecoder();

/** RFC 8785 over decoded values, as a short package writes it. */
function naiveCanonical(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(naiveCanonical).join(',')}]`;
  if (value === null || typeof value !== 'object') return JSON.stringify(value);
  const members = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return `{${members.map(([name, member]) => `${JSON.stringify(name)}:${naiveCanonical(member)}`).join(',')}}`;
}

/** What a first implementation does for an id: decode, parse, canonicalise, hash content and envelope. */
function naiveIds(lines: readonly Uint8Array[]): number {
  let held = 0;
  for (const line of lines.slice(1)) {
    const { id, type, parent, ts, parents, ...body } = JSON.parse(decoder.decode(line)) as Record<string, unknown>;
    const content = `sha256:${hex(sha256(utf8(naiveCanonical(body))))}`;
    const envelope = { content, parent, ts, type, ...(parents === undefined ? {} : { parents }) };
    if (id === `sha256:${hex(sha256(utf8(naiveCanonical(envelope))))}`) held++;
  }
  return held;
}

const spelling = (canonical: boolean) => (canonical ? 'canonical lines' : 'lines in a writer’s member order');

function megabytes(file: Uint8Array, seconds: number): string {
  return `${(file.length / 1e6 / seconds).toFixed(0)} MB/s`;
}

function scanner(canonical: boolean): Measurement {
  return {
    name: `scan/${canonical ? 'canonical' : 'writer-order'}`,
    least: 0.5,
    async measure() {
      const file = fileOf(canonical);
      const lines = linesOf(file);
      const texts = lines.map((line) => decoder.decode(line));
      const reused = new Scanner();
      const { a, b } = await compare(
        () => {
          for (const line of lines) if (!reused.scan(line) || reused.violationCount > 0) throw new Error('no I-JSON');
        },
        () => {
          for (const text of texts) JSON.parse(text);
        },
      );
      return {
        ratio: b / a,
        detail: `speed of the scanner over that of JSON.parse on decoded text, ${spelling(canonical)}: ${megabytes(file, a)} to ${megabytes(file, b)}`,
      };
    },
  };
}

function ids(canonical: boolean): Measurement {
  return {
    name: `ids/${canonical ? 'canonical' : 'writer-order'}`,
    least: 2,
    async measure() {
      const file = fileOf(canonical);
      const lines = linesOf(file);
      const { a, b } = await compare(
        () => {
          const { session, findings } = readSession(memorySource(file));
          if (session?.size !== lines.length - 1 || findings.length > 0) throw new Error('an id does not hold');
        },
        () => {
          if (naiveIds(lines) !== lines.length - 1) throw new Error('an id does not hold');
        },
        7,
      );
      return {
        ratio: b / a,
        detail: `how many times as fast as decode, JSON.parse, RFC 8785 and SHA-256 twice, ${spelling(canonical)}: ${megabytes(file, a)} to ${megabytes(file, b)}, ${lines.length - 1} entries`,
      };
    },
  };
}

/** Writes a file of so many megabytes without holding it: messages in a chain, on one path. */
function writeLong(path: string, megabytes: number): void {
  const file = openSync(path, 'w');
  const text = 'the result of "query" was für alpha\n'.repeat(40);
  let parent: string | null = null;
  let written = writeSync(
    file,
    '{"created_at":"2026-01-01T00:00:00Z","format":"agentsession/0.14","id":"long","payload":"openresponses/2026-04-24","type":"session"}\n',
  );
  for (let entry = 0; written < megabytes * 1e6; ) {
    const lines: string[] = [];
    for (let i = 0; i < 1000; i++) {
      const ts = `${new Date(Date.UTC(2026, 0, 1) + entry++ * 1000).toISOString().slice(0, 19)}Z`;
      const content = [{ text: `${entry} ${text}`, type: 'input_text' }];
      const body = `"item":${JSON.stringify({ content, role: 'user', type: 'message' })}`;
      const hash = `sha256:${hex(sha256(utf8(`{${body}}`)))}`;
      const id: string = `sha256:${hex(sha256(utf8(JSON.stringify({ content: hash, parent, ts, type: 'item' }))))}`;
      lines.push(`{"id":"${id}",${body},"parent":${JSON.stringify(parent)},"ts":"${ts}","type":"item"}\n`);
      parent = id;
    }
    written += writeSync(file, lines.join(''));
  }
  closeSync(file);
}

/** Peak memory of a process of its own that reads and checks a long file. */
const memory: Measurement = {
  name: 'memory/session',
  most: 300,
  measure() {
    const megabytes = Number(process.env['AUDIT_BENCH_LONG_MB'] ?? '60');
    const folder = mkdtempSync(join(tmpdir(), 'audit-bench-'));
    try {
      const path = join(folder, 'long.jsonl');
      writeLong(path, megabytes);
      const module = (name: string) => JSON.stringify(new URL(`../${name}`, import.meta.url).href);
      const program = `
        import { closeSync, openSync, readSync, statSync } from 'node:fs';
        import { peakMemory } from ${module('bench/peak.js')};
        import { readSession } from ${module('src/session/read.js')};
        import { SessionChecker } from ${module('src/session/check.js')};
        const file = openSync(process.argv[1], 'r');
        const piece = new Uint8Array(1 << 20);
        const read = (offset, length) => piece.subarray(0, readSync(file, piece, 0, Math.min(length, piece.length), offset));
        const checker = new SessionChecker();
        const { session, findings } = readSession({ size: statSync(process.argv[1]).size, read }, { visit: checker.visit });
        checker.finish(session);
        closeSync(file);
        console.log(JSON.stringify([peakMemory() / 1024, session.size, findings.length]));`;
      const output = execFileSync(process.execPath, ['--input-type=module', '-e', program, path], { encoding: 'utf8' });
      const [peak, entries, findings] = JSON.parse(output) as [number, number, number];
      if (findings > 0) throw new Error('the file does not hold');
      return {
        ratio: peak,
        detail: `megabytes of memory at most for a file of ${megabytes} MB with ${entries} entries`,
      };
    } finally {
      rmSync(folder, { recursive: true });
    }
  },
};

export const benches: readonly Measurement[] = [scanner(true), scanner(false), ids(true), ids(false), memory];
