/** Entries that follow from where a session stands: runs (session-format 8.5), responses (7.6), compactions and branch summaries (7.8). */
import { hex, utf8 } from '../../bytes/encoding.ts';
import { sha256 } from '../../crypto/sha256.ts';
import { canonicalOfTree } from '../../json/canonical.ts';
import type { JsonNode, JsonObject } from '../../json/tree.ts';
import { checkpointText } from '../checkpoint.ts';
import { buildContext, type Context } from '../context.ts';
import { treeOf } from '../raw.ts';
import { computeReason, pendingOfRun, type Run, runs } from '../runs.ts';
import { ROOT, type Session } from '../session.ts';
import { draft, type EntryDraft } from './draft.ts';
import { SessionError } from './error.ts';
import type { LiveSession } from './live.ts';
import { type JsonValue, memberNamed, memberOf, nodeOf, objectOf, textMember } from './value.ts';

/** The run that is open at the leaf (8.5). */
export function openRun(session: Session): Run | undefined {
  const last = session.leaf === ROOT ? undefined : runs(session, session.path(session.leaf)).at(-1);
  return last?.end === undefined ? last : undefined;
}

export interface RunStart {
  readonly runId: string;
  /** What the run begins with: by default `resume` never, since only what follows shows it. */
  readonly source?: 'input' | 'resume';
  readonly trigger?: JsonValue;
  readonly ref?: string;
}

export function startRun({ runId, source = 'input', trigger, ref }: RunStart): EntryDraft {
  return draft('run', { run_id: runId, phase: 'start', source, trigger, ref });
}

/**
 * The end of the run that is open at the leaf, with the calls that it leaves and, unless one is given, the reason that its segment shows.
 *
 * Throws SessionError `no_entry` when no run is open.
 */
export function endRun(session: Session, reason?: string, ref?: string): EntryDraft {
  const run = openRun(session);
  if (run === undefined) throw new SessionError('no_entry', 'no run is open at the leaf');
  return draft('run', {
    run_id: run.runId,
    phase: 'end',
    reason: reason ?? computeReason(session, run),
    pending: pendingOfRun(session, run),
    ref,
  });
}

export interface RecordedResponse {
  readonly latencyMs?: number;
  readonly attempts?: number;
  /** The request as it was sent; without it the hash is of the request that the session rebuilds. */
  readonly request?: JsonObject;
  /** Leave the hash out: the request was edited outside of the record. */
  readonly unhashed?: boolean;
}

/**
 * The entries of one model call (openresponses 7.1): an item for each output, then the response. They are appended in this order, each
 * under the one before.
 *
 * @param response the resource that the provider returned.
 */
export function recordResponse(
  session: LiveSession,
  response: JsonObject,
  { latencyMs, attempts, request, unhashed }: RecordedResponse = {},
): readonly EntryDraft[] {
  const responseId = textMember(response, 'id') ?? '';
  const output = memberNamed(response, 'output');
  if (output?.kind !== 'array') throw new SessionError('bad_entry', 'a response has an array "output"');
  // Outputs of a response without an id cannot be told from its input (7.4), so no hash could verify.
  const isUnhashed = unhashed === true || (responseId === '' && output.items.length > 0);
  const rebuilt = (): string => (request === undefined ? session.requestHashFor(responseId) : hashOfRequest(request));
  const hash = isUnhashed ? undefined : rebuilt();
  const items = output.items.map((item): EntryDraft => {
    if (item.kind !== 'object') throw new SessionError('bad_entry', 'an output of a response is an item');
    const named = responseId === '' ? [] : [memberOf('response', nodeOf(responseId))];
    return { type: 'item', body: objectOf([memberOf('item', item), ...named]) };
  });
  const copied = (to: string, from = to): [string, JsonNode][] => {
    const value = memberNamed(response, from);
    return value === undefined || value.kind === 'null' ? [] : [[to, value]];
  };
  const members: readonly [string, JsonNode][] = [
    ['response_id', nodeOf(responseId)],
    ['model', nodeOf(textMember(response, 'model') ?? '')],
    ['status', nodeOf(textMember(response, 'status') ?? '')],
    ...copied('usage'),
    ...copied('incomplete', 'incomplete_details'),
    ...copied('error'),
    ...(hash === undefined ? [] : [['request_hash', nodeOf(hash)] as [string, JsonNode]]),
    ...(latencyMs === undefined || latencyMs === 0 ? [] : [['latency_ms', nodeOf(latencyMs)] as [string, JsonNode]]),
    ...(attempts === undefined || attempts === 1 ? [] : [['attempts', nodeOf(attempts)] as [string, JsonNode]]),
  ];
  return [...items, { type: 'response', body: objectOf(members.map(([name, value]) => memberOf(name, value))) }];
}

const CALL_MEMBERS: ReadonlySet<string> = new Set([
  'previous_response_id',
  'store',
  'stream',
  'stream_options',
  'background',
]);

/** The hash of a request as it was sent, without what is about the one call and with `store: false` (7.5). */
export function hashOfRequest(request: JsonObject): string {
  const isNone = (name: string, value: JsonNode): boolean => {
    if (value.kind === 'null') return true;
    if (name === 'model' || name === 'instructions') return value.kind === 'string' && value.value === '';
    if (name === 'tools' || name === 'input') return value.kind === 'array' && value.items.length === 0;
    const isSmall = name === 'reasoning' || name === 'text';
    return isSmall && value.kind === 'object' && value.members.every((member) => member.value.kind === 'null');
  };
  const members = request.members.filter(({ name, value }) => !CALL_MEMBERS.has(name) && !isNone(name, value));
  const canonical = canonicalOfTree(objectOf([...members, memberOf('store', { kind: 'false', start: 0, end: 0 })]));
  return `sha256:${hex(sha256(utf8(canonical)))}`;
}

/** The context at the leaf (7.1). Throws SessionError `bad_context`. */
export function contextAtLeaf(session: Session): Context {
  const built = buildContext(session, session.leaf === ROOT ? [] : session.path(session.leaf));
  if (!built.ok) throw new SessionError('bad_context', 'the context at the leaf cannot be built');
  return built.context;
}

/** A compaction for the leaf that keeps the entries from `firstKept` on (7.8); `pinned` items are copies of what came before. */
export function compact(
  session: Session,
  firstKept: string,
  summary: JsonValue,
  pinned: readonly JsonValue[] = [],
): EntryDraft {
  if (session.leaf === ROOT) throw new SessionError('no_entry', 'at the universal root there is nothing to compact');
  const index = session.find(firstKept);
  if (index === undefined || !session.path(session.leaf).includes(index))
    throw new SessionError('no_entry', 'first_kept names no entry on the path to the leaf');
  const config = treeOf({ bytes: utf8(checkpointText(contextAtLeaf(session).settings)) });
  return {
    type: 'compaction',
    body: objectOf([
      memberOf('first_kept', nodeOf(firstKept)),
      memberOf('summary', nodeOf(summary)),
      memberOf('config', config),
      ...(pinned.length === 0 ? [] : [memberOf('pinned', nodeOf(pinned))]),
    ]),
  };
}

/** The same, keeping from the entry that contributed item `i` of the context on. */
export function compactFrom(session: Session, i: number, summary: JsonValue): EntryDraft {
  const item = contextAtLeaf(session).items[i];
  if (item === undefined) throw new RangeError(`the context has no item ${i}`);
  if (item.part === 'pinned' || (item.part === 'summary' && session.kind(item.entry) === 'compaction'))
    throw new RangeError('an earlier compaction alone contributes its summary and pinned items');
  return compact(session, session.id(item.entry), summary);
}

/** The same, keeping the last `n` items of the context. */
export function compactKeeping(session: Session, n: number, summary: JsonValue): EntryDraft {
  const { items } = contextAtLeaf(session);
  if (n < 1 || n > items.length) throw new RangeError(`the context has ${items.length} items, not ${n}`);
  return compactFrom(session, items.length - n, summary);
}

/** A summary of an abandoned branch, hung from the leaf (7.8). */
export function summarizeBranch(session: Session, from: string, summary: JsonValue): EntryDraft {
  if (session.find(from) === undefined) throw new SessionError('no_entry', 'the abandoned leaf is not in the session');
  if (session.leaf === ROOT) throw new SessionError('no_entry', 'a branch summary hangs from an entry');
  return draft('branch_summary', { from, summary });
}
