/** Questions about writing and redacting sessions, answered by `src/session/write` and `src/session/redact`. */
import { concat, unbase64, utf8 } from '../../src/bytes/encoding.ts';
import { memorySource } from '../../src/bytes/source.ts';
import { canonicalOfTree } from '../../src/json/canonical.ts';
import type { JsonObject } from '../../src/json/tree.ts';
import { parseFormat } from '../../src/session/header.ts';
import { redactSession } from '../../src/session/redact/redact.ts';
import { secrets } from '../../src/session/redact/redactors.ts';
import { type RefMap, remapRefs } from '../../src/session/redact/remap.ts';
import { rewriteHeaderStrings, rewriteStrings } from '../../src/session/redact/rewriteStrings.ts';
import { setRedacted } from '../../src/session/redact/spans.ts';
import { contextAtLeaf } from '../../src/session/write/build.ts';
import { fork, type HeaderInit } from '../../src/session/write/create.ts';
import {
  instructionsDelta,
  omitDelta,
  omittedDelta,
  type WantedOmit,
  type WantedPart,
} from '../../src/session/write/deltas.ts';
import { draftOfLine, draftOfObject } from '../../src/session/write/draft.ts';
import { SessionError } from '../../src/session/write/error.ts';
import { parseLenient } from '../../src/session/write/lenient.ts';
import { LiveSession, type WriterChecks } from '../../src/session/write/live.ts';
import { type Normalisation, repairTree } from '../../src/session/write/normalise.ts';
import { redactedSessionId, subsessionId } from '../../src/session/write/uuid.ts';
import { type JsonValue, objectOfValue } from '../../src/session/write/value.ts';
import type { Json, Operation } from '../suite.ts';

type Params = { readonly [name: string]: Json };

const END = Uint8Array.of(0x0a);
const fileOf = (session: LiveSession): Uint8Array => concat(...[...session.lines()].flatMap((line) => [line, END]));
const textOf = (bytes: Uint8Array): string => new TextDecoder().decode(bytes);

/** What an action gives, or the name of the condition that it was refused with. */
function or(action: () => Json): Json {
  try {
    return action();
  } catch (error) {
    if (error instanceof SessionError) return { refused: error.code };
    throw error;
  }
}

function open({ file, checks }: Params): LiveSession {
  return LiveSession.open(memorySource(utf8(String(file))), {
    checks: (checks ?? 'written') as WriterChecks,
    now: () => '2026-11-01T10:00:00Z',
  });
}

const plain = (value: JsonObject | undefined): Json =>
  value === undefined ? null : (JSON.parse(canonicalOfTree(value)) as Json);

function rewriting(pairs: Json | undefined): (text: string) => string {
  return secrets((pairs as readonly (readonly [string, string])[]).map(([secret, by]) => ({ secret, by })));
}

function objectIn(value: Json | undefined): JsonObject {
  return objectOfValue(value as { readonly [name: string]: JsonValue });
}

export const operations: Record<string, Operation> = {
  /** A JSON text as a writer writes it, and the record of what it repaired. */
  'session/normalise': ({ text_b64 }) =>
    or(() => {
      const { root, source } = parseLenient(unbase64(String(text_b64)) ?? new Uint8Array());
      const records = new Map<string, Normalisation>();
      const repaired = repairTree(root, source, records);
      const sorted = [...records.values()].sort((a, b) => (a.at < b.at ? -1 : 1));
      return { out: canonicalOfTree(repaired), record: sorted.map((each) => ({ ...each })) };
    }),
  /** Outcome of each line appended in turn, or the condition that it is refused with; and the leaf afterwards. */
  'session/append': (params) =>
    or(() => {
      const session = open(params);
      const done = (params['lines'] as readonly Json[]).map((line): Json => {
        const bytes = typeof line === 'string' ? (unbase64(line) ?? new Uint8Array()) : utf8(JSON.stringify(line));
        const appended = or(() => session.append(draftOfLine(bytes)).outcome);
        return typeof appended === 'string' ? appended : (appended as { readonly refused: string }).refused;
      });
      return { done, leaf: session.leafId };
    }),
  /** The outcomes or conditions alone. */
  'session/append_outcomes': async (params) => {
    const answered = (await operations['session/append']?.(params)) as { readonly done?: Json };
    return answered.done ?? answered;
  },
  /** The last line after the lines are appended. */
  'session/written': (params) =>
    or(() => {
      const session = open(params);
      for (const line of params['lines'] as readonly Json[]) {
        const bytes = typeof line === 'string' ? (unbase64(line) ?? new Uint8Array()) : utf8(JSON.stringify(line));
        session.append(draftOfLine(bytes));
      }
      return textOf([...session.lines()].at(-1) ?? new Uint8Array());
    }),
  /** A file written anew line by line: whether every line is taken under the id that it has, and what stands in the file then. */
  'session/rewrite': ({ file_b64 }) =>
    or(() => {
      const original = LiveSession.open(memorySource(unbase64(String(file_b64)) ?? new Uint8Array()), {
        checks: 'read',
      });
      const [header, ...lines] = [...original.lines()];
      const copy = LiveSession.start(header ?? new Uint8Array(), { checks: 'read' });
      for (const line of lines) copy.append(draftOfLine(line));
      return {
        entries: copy.size,
        same: textOf(fileOf(copy)) === textOf(fileOf(original)),
        base: copy.header.base ?? null,
      };
    }),
  /** The labels that a line store writes before and after an entry (4.7), by what they mark. */
  'session/leaf_marks': (params) =>
    or(() => {
      const session = open(params);
      if (params['branch'] !== undefined) session.branch(String(params['branch']));
      const prepared = session.prepare(draftOfLine(utf8(JSON.stringify(params['line']))));
      const before = session.leafMarkBefore(prepared);
      if (before !== undefined) session.append(before);
      session.commit(session.prepare(draftOfLine(utf8(JSON.stringify(params['line'])))));
      const after = session.leafMarkNeeded();
      return { before: before?.parent ?? null, after: after?.parent ?? null };
    }),
  'session/head_label': (params) =>
    or(() => plain(open(params).headLabel(params['expected'] as string | null, params['to'] as string | null).body)),
  'session/fork': (params) =>
    or(() => {
      const header: HeaderInit = {
        id: 'fork',
        createdAt: '2026-11-01T10:00:00Z',
        ...(params['media'] === undefined ? {} : { media: params['media'] as 'sidecar' }),
      };
      const minor = params['format'] === undefined ? undefined : parseFormat(String(params['format']))?.minor;
      return textOf(fileOf(fork(open({ ...params, checks: 'read' }), String(params['at']), header, {}, minor)));
    }),
  'session/subsession_id': ({ parent, call_id, attempt }) =>
    subsessionId(String(parent), String(call_id), typeof attempt === 'number' ? attempt : undefined),
  'session/redacted_id': ({ original, profile }) => redactedSessionId(String(original), String(profile)),
  /** The shortest value of `instructions_omitted` that brings the list in force at the leaf to another one; null for none. */
  'session/omitted_delta': (params) =>
    or(() => {
      const session = open(params);
      for (const line of (params['lines'] ?? []) as readonly Json[])
        session.append(draftOfLine(utf8(JSON.stringify(line))));
      const delta = omittedDelta(contextAtLeaf(session).settings, params['want'] as readonly JsonValue[]);
      return delta === undefined ? null : (JSON.parse(canonicalOfTree(delta)) as Json);
    }),
  'session/parts_delta': (params) =>
    or(() =>
      plain(
        instructionsDelta(contextAtLeaf(open(params)).settings, params['want'] as unknown as readonly WantedPart[]),
      ),
    ),
  'session/omit_delta': (params) =>
    or(() => omitDelta(contextAtLeaf(open(params)).settings.omit, params['want'] as unknown as WantedOmit).map(plain)),
  /** A session file redacted by literal replacements. */
  'session/redact': (params) =>
    or(() => {
      const left = new Set((params['leave_out'] ?? []) as readonly string[]);
      const { session } = redactSession(open({ ...params, checks: 'read' }), {
        profile: String(params['profile']),
        createdAt: String(params['created_at']),
        rewrite: rewriting(params['replace']),
        leaveOut: ({ type }) => left.has(type),
      });
      return textOf(fileOf(session));
    }),
  /** The request hashes of the responses of a redacted session, in file order; null where there is none. */
  'session/redact_request_hashes': async (params) => {
    const file = String(await operations['session/redact']?.(params));
    return file
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as { readonly type: string; readonly request_hash?: string })
      .flatMap(({ type, request_hash }): Json[] => (type === 'response' ? [request_hash ?? null] : []));
  },
  /** A body, or a header, with its texts rewritten by literal replacements. */
  'session/rewrite_strings': ({ type, body, replace }) =>
    or(() =>
      type === 'session'
        ? plain(rewriteHeaderStrings(objectIn(body), rewriting(replace)))
        : plain(rewriteStrings(String(type), objectIn(body), rewriting(replace)).body),
    ),
  /** The texts that the rewriting function is given, in order. */
  'session/rewritten_texts': ({ type, body }) => {
    const given: string[] = [];
    rewriteStrings(String(type), objectIn(body), (text) => {
      given.push(text);
      return text;
    });
    return given;
  },
  /** An entry with its references re-pointed by a table; an id that the table gives null for was left out. */
  'session/remap': ({ entry, table, bounds, base }) =>
    or(() => {
      const of = (map: Json | undefined) => (id: string) => {
        const to = (map as { readonly [id: string]: string | null } | undefined)?.[id];
        return to === undefined ? ('as_written' as const) : to === null ? ('left_out' as const) : { id: to };
      };
      const { type, parent, parents, body } = draftOfObject(objectIn(entry));
      const map: RefMap = {
        entry: (_, id) => of(table)(id),
        ...(bounds === undefined ? {} : { bound: of(bounds) }),
        ...(base === undefined ? {} : { base: String(base) }),
      };
      const made = remapRefs({ type, parent: parent ?? null, parents: parents ?? [], body }, map);
      return {
        parent: made.parent,
        parents: made.parents.map((ref) => JSON.parse(canonicalOfTree(ref)) as Json),
        body: plain(made.body),
        dropped: [...made.dropped],
        unmapped: [...made.unmapped],
        opaque: made.opaque,
      };
    }),
  'session/set_redacted': ({ spans }) =>
    or(() => plain(setRedacted(objectIn({}), spans as unknown as readonly (number | readonly [number, number])[]))),
};
