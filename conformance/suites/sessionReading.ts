/** The fixtures of `agentsession/` as far as reading goes: ids, leaves, migration, refusals; and the literal vectors about bytes. */
import { base64, utf8 } from '../../src/bytes/encoding.ts';
import type { Case, Json, Suite } from '../suite.ts';
import { equals } from '../suite.ts';

interface Fixture {
  readonly format: string;
  readonly session: string;
  readonly entries?: number;
  readonly leaves?: readonly string[];
  readonly leaf?: string;
  readonly legacy_leaves?: readonly string[];
  readonly read: 'ok' | 'ok with a note' | 'refused';
  readonly error_class?: readonly string[];
  readonly line?: number;
  readonly migration_unresolved?: readonly string[];
  readonly migrated_ids?: Readonly<Record<string, string>>;
  readonly base?: string;
  readonly repeated?: number;
  readonly truncated_line?: number;
}

interface Expected {
  readonly fixtures: Readonly<Record<string, Fixture>>;
  readonly vectors: {
    readonly es_numbers: { readonly cases: readonly { readonly bits: string; readonly text: string }[] };
    readonly canonical_json: {
      readonly accept: readonly { readonly name: string; readonly in: string; readonly out: string }[];
      readonly refuse: readonly string[];
    };
    readonly ijson_numbers: readonly { readonly literal: string; readonly ok: boolean }[];
    readonly ijson_documents: readonly { readonly text?: string; readonly base64?: string; readonly ok: boolean }[];
    readonly timestamps: readonly { readonly ts: string; readonly ok: boolean }[];
    readonly timestamps_writer: readonly { readonly in: string; readonly out: string }[];
    readonly entry_hashes: readonly {
      readonly name: string;
      readonly line: string;
      readonly id: string;
      readonly content_hash: string;
    }[];
    readonly formats: { readonly parse_ok: readonly string[]; readonly parse_refused: readonly string[] };
  };
}

interface Read {
  readonly read: boolean;
  readonly format?: string;
  readonly session?: string;
  readonly entries?: readonly { readonly id: string; readonly legacy_id: string | null }[];
  readonly leaf?: string | null;
  readonly leaves?: readonly string[];
  readonly base?: string | null;
  readonly unresolved?: readonly string[];
  readonly repeated?: readonly string[];
  readonly truncated?: number | null;
  readonly errors: readonly { readonly code: string; readonly line: number | null }[];
}

/** Codes of the reference's error classes; where it has no class it says in words what the error must tell. */
const CODES: Readonly<Record<string, string>> = {
  ErrBaseRule: 'session/base-rule',
  ErrNoEntry: 'session/no-entry',
  ErrBadConvergence: 'session/bad-convergence',
  ErrDuplicateEntry: 'session/duplicate-entry',
  ErrUnsupportedFormat: 'session/unsupported-format',
  'error that names the line': 'json/not-json',
  'error that says there is no id': 'session/id-mismatch',
};

function reading(fixture: Fixture): Case['expect'] {
  return (answer) => {
    const got = answer as unknown as Read;
    const wrong = (what: string, want: unknown, have: unknown) =>
      JSON.stringify(want) === JSON.stringify(have)
        ? undefined
        : `${what}: expected ${JSON.stringify(want)}, got ${JSON.stringify(have)}`;
    if (fixture.read === 'refused') {
      const [first] = got.errors;
      const want = CODES[fixture.error_class?.[0] ?? ''];
      return (
        wrong('error', want, first?.code) ??
        (fixture.line === undefined ? undefined : wrong('line', fixture.line, first?.line)) ??
        wrong('number of errors', 1, got.errors.length)
      );
    }
    const entries = got.entries ?? [];
    const named = (id: string | null | undefined) =>
      fixture.migration_unresolved === undefined ? id : entries.find((entry) => entry.id === id)?.legacy_id;
    const errors = fixture.truncated_line === undefined ? 0 : 1;
    return (
      wrong('format', fixture.format, got.format) ??
      wrong('session', fixture.session, got.session) ??
      wrong('errors', errors, got.errors.length) ??
      wrong('entries', fixture.entries, entries.length) ??
      wrong('leaf', fixture.leaf, named(got.leaf)) ??
      wrong('leaves', [...(fixture.leaves ?? [])].sort(), (got.leaves ?? []).map(named).sort()) ??
      wrong('base', fixture.base ?? null, got.base) ??
      wrong('repeated', fixture.repeated ?? 0, got.repeated?.length) ??
      wrong('truncated', fixture.truncated_line ?? null, got.truncated) ??
      wrong('unresolved', fixture.migration_unresolved ?? [], got.unresolved) ??
      (fixture.migrated_ids === undefined
        ? undefined
        : wrong(
            'migrated ids',
            Object.entries(fixture.migrated_ids).sort(),
            entries.map(({ id, legacy_id }) => [legacy_id, id]).sort(),
          ))
    );
  };
}

const files: Suite = {
  name: 'agentsession/reading',
  folder: 'agentsession',
  *cases(folder) {
    const { fixtures } = folder.json('expected.json') as Expected;
    for (const [file, fixture] of Object.entries(fixtures))
      yield {
        name: file,
        op: 'session/read',
        params: { file_b64: base64(folder.bytes(file)) },
        expect: reading(fixture),
      };
  },
};

const literals: Suite = {
  name: 'agentsession/bytes',
  folder: 'agentsession',
  *cases(folder) {
    const { vectors } = folder.json('expected.json') as Expected;
    for (const { bits, text } of vectors.es_numbers.cases)
      yield { name: `number ${bits}`, op: 'json/number', params: { bits }, expect: equals(text) };
    // The file holds a number that the I-JSON test refuses, so only what a session line can hold is asked of this reader.
    for (const { name, in: text, out } of vectors.canonical_json.accept)
      yield text.includes('12345678901234567890')
        ? { name, op: 'json/canonical', params: { text }, expect: equals(null) }
        : { name, op: 'json/canonical', params: { text }, expect: equals(base64(utf8(out))) };
    for (const text of vectors.canonical_json.refuse)
      yield { name: `no JSON: ${text}`, op: 'json/canonical', params: { text }, expect: equals(null) };
    for (const { literal, ok } of vectors.ijson_numbers)
      yield { name: `number ${literal}`, op: 'json/number-test', params: { literal }, expect: equals(ok) };
    for (const { text, base64: text_b64, ok } of vectors.ijson_documents) {
      const params: { readonly [name: string]: Json } = text === undefined ? { text_b64: text_b64 ?? '' } : { text };
      yield {
        name: `I-JSON ${text ?? text_b64}`,
        op: 'json/read',
        params,
        expect: (answer) => ((answer as unknown as { i_json: boolean }).i_json === ok ? undefined : `expected ${ok}`),
      };
    }
    for (const { ts, ok } of vectors.timestamps)
      yield { name: `ts ${ts}`, op: 'session/ts', params: { ts }, expect: equals(ok) };
    for (const { in: ts, out } of vectors.timestamps_writer)
      yield { name: `ts ${ts} written`, op: 'session/canonical-ts', params: { ts }, expect: equals(out) };
    for (const { name, line, id, content_hash } of vectors.entry_hashes)
      yield { name: `hashes: ${name}`, op: 'session/hashes', params: { line }, expect: equals({ id, content_hash }) };
    for (const format of vectors.formats.parse_ok)
      yield { name: `format ${format}`, op: 'session/format', params: { format }, expect: equals(true) };
    for (const format of vectors.formats.parse_refused)
      yield { name: `no format ${format}`, op: 'session/format', params: { format }, expect: equals(false) };
  },
};

export const suites: readonly Suite[] = [files, literals];
