/** Questions about session files and lines, answered by the reader of `src/session`. */
import { hex, unbase64, utf8 } from '../../src/bytes/encoding.ts';
import { memorySource } from '../../src/bytes/source.ts';
import { Scanner } from '../../src/json/scan.ts';
import { parseFormat } from '../../src/session/header.ts';
import { type EnvelopeRows, envelopeRows, Hasher } from '../../src/session/ident.ts';
import { readSession } from '../../src/session/read.ts';
import { ROOT } from '../../src/session/session.ts';
import { canonicalTs, isCanonicalTs } from '../../src/session/timestamp.ts';
import type { Json, Operation } from '../suite.ts';

const bytes = (value: Json | undefined): Uint8Array =>
  unbase64(typeof value === 'string' ? value : '') ?? new Uint8Array();

/** Bytes of `file_b64`, or of `file`. */
const fileOf = ({ file, file_b64 }: { readonly [name: string]: Json }): Uint8Array =>
  file_b64 === undefined ? utf8(String(file)) : bytes(file_b64);

export const operations: Record<string, Operation> = {
  /** What reading a session file gives: entries with their old ids, leaf, leaves, and the errors with their lines. */
  'session/read': ({ file_b64 }) => {
    const { session, findings } = readSession(memorySource(bytes(file_b64)));
    const errors = findings
      .filter(({ class: effect }) => effect === 'not_verified' || effect === 'unusable')
      .map(({ code, where }): Json => ({ code, line: where.line ?? null }));
    if (session === undefined) return { read: false, errors };
    const usable = Array.from({ length: session.size }, (_, entry) => entry).filter((entry) => session.usable(entry));
    const legacy = (entry: number): Json => session.entry(entry).legacyId ?? null;
    return {
      read: true,
      format: session.header.format,
      session: session.header.id,
      entries: usable.map((entry): Json => ({ id: session.id(entry), legacy_id: legacy(entry) })),
      leaf: session.leaf === ROOT ? null : session.id(session.leaf),
      leaves: usable.filter((entry) => session.isLeaf(entry)).map((entry) => session.id(entry)),
      base: session.base === undefined ? null : session.id(session.base),
      unresolved: session.unresolved.map(legacy),
      repeated: session.repeated.map(({ entry }) => session.id(entry)),
      truncated: session.truncated === undefined ? null : session.truncated.line,
      errors,
    };
  },
  /** Code, line and pointer of each finding of reading. */
  'session/faults': (params) =>
    readSession(memorySource(fileOf(params))).findings.map(
      ({ code, where }): Json =>
        [code, where.line ?? 0, ...(where.pointer === undefined || where.pointer === '' ? [] : [where.pointer])].join(
          ' ',
        ),
    ),
  /** Line of the leaf; 0 for the universal root. */
  'session/leaf': (params) => {
    const { session } = readSession(memorySource(fileOf(params)));
    return session === undefined ? null : session.leaf === ROOT ? 0 : session.line(session.leaf);
  },
  /** Id and content hash of a line, `id` of the line aside. */
  'session/hashes': ({ line }) => {
    const scanner = new Scanner();
    if (!scanner.scan(utf8(String(line)))) return null;
    const rows: EnvelopeRows = { id: -1, type: -1, parent: -1, parents: -1, ts: -1, content: -1 };
    envelopeRows(scanner, rows);
    const hasher = new Hasher();
    const content = hasher.contentHash(scanner, rows);
    return { id: `sha256:${hex(hasher.id(scanner, rows, content))}`, content_hash: `sha256:${hex(content)}` };
  },
  'session/ts': ({ ts }) => {
    const text = utf8(String(ts));
    return isCanonicalTs(text, 0, text.length);
  },
  'session/canonical-ts': ({ ts }) => canonicalTs(String(ts)) ?? null,
  'session/format': ({ format }) => parseFormat(String(format)) !== undefined,
};
