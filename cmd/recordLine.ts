/**
 * What `audit record append` takes, one JSON object a line, and what it answers: entries as they stand on a line, and the few requests whose
 * entries follow from where the session stands.
 */
import { decodeUtf8 } from '../src/bytes/encoding.ts';
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
      const to = textMember(asked, 'to') ?? null;
      return [freshLabel(session, session.headLabel(session.leafId, to), now)];
    }
    case 'label':
      return [
        draft('label', { target: textMember(asked, 'target') ?? null, label: textMember(asked, 'label') ?? null }),
      ];
    default:
      throw new SessionError('bad_entry', `there is no op ${JSON.stringify(op.slice(0, 40))}`);
  }
}

function objectMember(object: JsonObject, name: string): JsonObject {
  const value = memberNamed(object, name);
  if (value?.kind !== 'object') throw new SessionError('bad_entry', `"${name}" is an object`);
  return value;
}

const LINE_FEED = 0x0a;

/** Pieces of input as lines, blank ones passed over; a last line needs no line feed. */
export function* linesIn(pieces: Iterable<Uint8Array>): Iterable<Uint8Array> {
  let held: Uint8Array[] = [];
  const line = (last: Uint8Array): Uint8Array => {
    const whole = new Uint8Array(held.reduce((sum, { length }) => sum + length, last.length));
    let at = 0;
    for (const piece of [...held, last]) {
      whole.set(piece, at);
      at += piece.length;
    }
    held = [];
    return whole;
  };
  for (const piece of pieces) {
    let start = 0;
    for (let end = piece.indexOf(LINE_FEED); end >= 0; end = piece.indexOf(LINE_FEED, start)) {
      const whole = line(piece.subarray(start, end));
      start = end + 1;
      if (!isBlank(whole)) yield whole;
    }
    if (start < piece.length) held.push(piece.slice(start));
  }
  const rest = line(new Uint8Array());
  if (!isBlank(rest)) yield rest;
}

function isBlank(line: Uint8Array): boolean {
  return line.every((byte) => byte === 0x20 || byte === 0x0d || byte === 0x09);
}
