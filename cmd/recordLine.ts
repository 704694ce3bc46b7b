/**
 * What `audit record append` takes, one JSON object a line, and what it answers: entries as they stand on a line, and the few requests whose
 * entries follow from where the session stands.
 */
import { decodeUtf8, joined } from '../src/bytes/encoding.ts';
import { indexOfByte } from '../src/bytes/search.ts';
import { type JsonObject, parseTree } from '../src/json/tree.ts';
import { compactKeeping, endRun, recordResponse, summarizeBranch } from '../src/session/write/build.ts';
import { draft, draftOfLine, type EntryDraft } from '../src/session/write/draft.ts';
import { SessionError } from '../src/session/write/error.ts';
import type { LiveSession } from '../src/session/write/live.ts';
import { freshLabel } from '../src/session/write/marked.ts';
import { type JsonValue, memberNamed, textMember } from '../src/session/write/value.ts';
import type { Instant } from '../src/time/instant.ts';

/** The entries that a line asks for, to be appended in this order. */
export function draftsOf(line: Uint8Array, session: LiveSession, now: Instant): readonly EntryDraft[] {
  const parsed = decodeUtf8(line) === undefined ? undefined : parseTree(line);
  if (parsed?.ok !== true || parsed.root.kind !== 'object') return [draftOfLine(line)];
  const asked = parsed.root;
  const op = textMember(asked, 'op');
  if (op === undefined || memberNamed(asked, 'type') !== undefined) return [draftOfLine(line)];
  const value = JSON.parse(decodeUtf8(line) as string) as { readonly [name: string]: JsonValue | undefined };
  checkMembers(op, asked);
  switch (op) {
    case 'response':
      return recordResponse(session, objectMember(asked, 'response'), {
        ...(memberNamed(asked, 'request') === undefined ? {} : { request: objectMember(asked, 'request') }),
        ...(typeof value['latency_ms'] === 'number' ? { latencyMs: value['latency_ms'] } : {}),
        ...(typeof value['attempts'] === 'number' ? { attempts: value['attempts'] } : {}),
        ...(value['unhashed'] === true ? { unhashed: true } : {}),
      });
    case 'end_run':
      return [endRun(session, textMember(asked, 'reason'), textMember(asked, 'ref'))];
    case 'compact': {
      const keep = value['keep'];
      if (typeof keep !== 'number') throw new SessionError('bad_entry', '"keep" says how many items stay');
      return [compactKeeping(session, keep, value['summary'] ?? null)];
    }
    case 'branch_summary':
      return [summarizeBranch(session, textMember(asked, 'from') ?? '', value['summary'] ?? null)];
    case 'branch': {
      const label = session.headLabel(session.leafId, textOrNull(value['to'], '"to" is the id of an entry, or null'));
      return [freshLabel(session, label, now)];
    }
    case 'label': {
      const target = textMember(asked, 'target') ?? '';
      if (session.find(target) === undefined)
        throw new SessionError('no_entry', `the session holds no entry ${target.slice(0, 100)}`);
      return [draft('label', { target, label: textOrNull(value['label'], '"label" is a text, or null') })];
    }
    default:
      throw new SessionError('bad_entry', `there is no op ${JSON.stringify(op.slice(0, 40))}`);
  }
}

/** What an op takes. */
const OPS: ReadonlyMap<string, readonly string[]> = new Map([
  ['response', ['response', 'request', 'latency_ms', 'attempts', 'unhashed']],
  ['end_run', ['reason', 'ref']],
  ['compact', ['keep', 'summary']],
  ['branch', ['to']],
  ['branch_summary', ['from', 'summary']],
  ['label', ['target', 'label']],
]);

function checkMembers(op: string, asked: JsonObject): void {
  const taken = OPS.get(op);
  const other = asked.members.find(({ name }) => name !== 'op' && taken?.includes(name) === false);
  if (other !== undefined)
    throw new SessionError(
      'bad_entry',
      `the op ${op} takes ${taken?.join(', ')}, and no ${JSON.stringify(other.name.slice(0, 40))}`,
    );
}

function textOrNull(value: JsonValue | undefined, what: string): string | null {
  if (value !== null && typeof value !== 'string') throw new SessionError('bad_entry', what);
  return value;
}

function objectMember(object: JsonObject, name: string): JsonObject {
  const value = memberNamed(object, name);
  if (value?.kind !== 'object') throw new SessionError('bad_entry', `"${name}" is an object`);
  return value;
}

const LINE_FEED = 0x0a;

/** Pieces of input as lines with their numbers, from 1; blank ones are passed over, and a last line needs no line feed. */
export function* linesIn(
  pieces: Iterable<Uint8Array>,
): Iterable<{ readonly line: Uint8Array; readonly number: number }> {
  let held: Uint8Array[] = [];
  let number = 0;
  for (const piece of pieces) {
    let start = 0;
    for (let end = indexOfByte(piece, LINE_FEED); end >= 0; end = indexOfByte(piece, LINE_FEED, start)) {
      held.push(piece.subarray(start, end));
      const line = joined(held);
      held = [];
      start = end + 1;
      number++;
      if (!isBlank(line)) yield { line, number };
    }
    if (start < piece.length) held.push(piece.slice(start));
  }
  const line = joined(held);
  if (!isBlank(line)) yield { line, number: number + 1 };
}

function isBlank(line: Uint8Array): boolean {
  return line.every((byte) => byte === 0x20 || byte === 0x0d || byte === 0x09);
}
