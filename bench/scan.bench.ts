/**
 * Reading sessions: the scanner against `JSON.parse` of the same lines, ids against a naive verifier, and memory. `AUDIT_BENCH_MB` sets the
 * size of the files (default 12; 100 for the numbers of the documentation).
 */
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
        3,
      );
      return {
        ratio: b / a,
        detail: `how many times as fast as decode, JSON.parse, RFC 8785 and SHA-256 twice, ${spelling(canonical)}: ${megabytes(file, a)} to ${megabytes(file, b)}, ${lines.length - 1} entries`,
      };
    },
  };
}

export const benches: readonly Measurement[] = [scanner(true), scanner(false), ids(true), ids(false)];
