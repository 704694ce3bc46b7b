/**
 * What is in a session, in lines of text for a person: entries, the context at one of them, calls and runs. Session-format 13.1.
 *
 * Text of the session is untrusted; who prints the lines makes control characters visible.
 */

import { callees } from './callees.ts';
import { callKey, callState, calls, dispatches, hasFailed, isPending, sessionDispatches } from './calls.ts';
import { buildContext } from './context.ts';
import { type IdSet, idsOf } from './idSet.ts';
import type { Entry, Item, RawJson } from './model.ts';
import { queued } from './queued.ts';
import { canonicalText, textOf, treeOf } from './raw.ts';
import { computeReason, computeSource, pendingOfRun, runs } from './runs.ts';
import { type EntryIndex, ROOT, type Session } from './session.ts';

export interface ShowOptions {
  /** Show the context, calls and runs at this entry in place of the leaf. */
  readonly at?: EntryIndex;
  /** Also the data of custom and extension entries, and texts whole. */
  readonly verbose?: boolean;
}

const CLIP = 100;

/** The lines of `audit show` for a session. */
export function* showSession(session: Session, options: ShowOptions = {}): Iterable<string> {
  const verbose = options.verbose === true;
  const at = options.at ?? session.leaf;
  yield* header(session);
  yield '';
  yield* entries(session, verbose);
  if (session.truncated !== undefined) yield `  line ${session.truncated.line}: cut off, not an entry`;
  yield '';
  const place = at === ROOT ? 'the universal root' : `${shortId(session.id(at))} (line ${session.line(at)})`;
  if (at !== ROOT && !session.pathUsable(at)) {
    yield `Context at ${place}: not shown, an entry on its path cannot be used`;
    return;
  }
  const path = session.path(at);
  yield* contextLines(session, path, place, verbose);
  yield* callLines(session, path);
  yield* runLines(session, path);
}

function* header(session: Session): Iterable<string> {
  const { header } = session;
  yield `Session ${header.id}`;
  yield `  format     ${header.format}${session.migrated ? ' (ids assigned by migration)' : ''}`;
  yield `  created    ${header.createdAt}`;
  yield `  payload    ${header.payload}`;
  if (header.harness !== undefined)
    yield `  harness    ${header.harness.name} ${header.harness.version ?? ''}`.trimEnd();
  if (header.records.length > 0) yield `  records    ${header.records.join(', ')}`;
  if (header.parentSession !== undefined) yield `  parent     ${header.parentSession}`;
  if (header.spawnedBy !== undefined) yield `  spawned by ${header.spawnedBy}`;
  if (header.base !== undefined) yield `  base       ${header.base}`;
  if (header.redacted)
    yield `  redacted   yes${header.redactedFrom === undefined ? '' : `, from ${header.redactedFrom.session}`}`;
  yield `  entries    ${session.size}`;
  yield `  leaf       ${session.leaf === ROOT ? 'the universal root' : session.id(session.leaf)}`;
}

function* entries(session: Session, verbose: boolean): Iterable<string> {
  yield 'Entries';
  for (let index = 0; index < session.size; index++) {
    const mark = index === session.leaf ? '*' : ' ';
    const start = `${mark} ${String(session.line(index)).padStart(5)}  ${shortId(session.id(index))}  `;
    if (!session.usable(index)) {
      yield `${start}cannot be used: see audit verify`;
      continue;
    }
    const entry = session.entry(index);
    const parent = session.parent(index);
    const hangs =
      parent === index - 1 ? '' : parent === ROOT ? ' (first entry)' : ` (under line ${session.line(parent)})`;
    yield `${start}${entry.ts}  ${describe(entry, verbose)}${hangs}`;
    if (verbose && (entry.kind === 'custom' || entry.kind === 'extension'))
      yield `${' '.repeat(start.length)}${entry.kind === 'custom' ? json(entry.data, true) : text(session.bytes(index))}`;
  }
}

/** One entry in one line. */
export function describe(entry: Entry, verbose = false): string {
  switch (entry.kind) {
    case 'item':
      return `item ${item(entry.item, verbose)}${entry.failed ? ' [failed]' : ''}${entry.visible ? '' : ' [hidden]'}`;
    case 'response':
      return `response ${entry.responseId} ${entry.status} ${entry.model}${entry.error === undefined ? '' : ' [error]'}${entry.requestHash === undefined ? ' [no request hash]' : ''}`;
    case 'config':
      return `config${entry.replace ? ' replace' : ''}${entry.model === '' ? '' : ` model ${entry.model}`}${entry.omit === undefined ? '' : ' omit'}`;
    case 'compaction':
      return `compaction keeps from ${shortId(entry.firstKept)}, pinned ${entry.pinned.length}`;
    case 'branch_summary':
      return `branch_summary of ${shortId(entry.from)}: ${item(entry.summary, verbose)}`;
    case 'run':
      return entry.phase === 'start'
        ? `run ${entry.runId} starts (${entry.source})`
        : `run ${entry.runId} ends (${entry.reason}${entry.pending.length > 0 ? `, pending ${entry.pending.join(', ')}` : ''})`;
    case 'dispatch':
      return `dispatch ${entry.callId}${entry.idempotencyKey === undefined ? '' : ` key ${entry.idempotencyKey}`}`;
    case 'decision':
      return `decision ${entry.callId} ${entry.verdict}${entry.withdrawn ? ' (withdrawn)' : ''}${entry.by === '' ? '' : ` by ${entry.by}`}${entry.reason === '' ? '' : `: ${entry.reason}`}`;
    case 'queued':
      return `queued ${entry.mode}: ${item(entry.item, verbose)}`;
    case 'info':
      return `info ${entry.name}`;
    case 'label':
      return `label ${entry.label ?? 'cleared'} on ${entry.target === null ? 'the universal root' : shortId(entry.target)}`;
    case 'env':
      return `env ${entry.cwd ?? ''}`.trimEnd();
    case 'outcome':
      return `outcome ${entry.outcome}${entry.pass === undefined ? '' : entry.pass ? ' pass' : ' fail'}${entry.score === undefined ? '' : ` ${entry.score}`}${entry.label === undefined ? '' : ` ${entry.label}`}`;
    case 'link':
      return `link ${entry.rel} ${entry.session || entry.url || ''}${entry.cancel ? ' (cancel sent)' : ''}${entry.callId === undefined ? '' : ` for ${entry.callId}`}`;
    case 'custom':
      return `custom ${entry.ns}`;
    default:
      return `${entry.type} (extension)`;
  }
}

function item(value: Item, verbose: boolean): string {
  const name = value.name ?? '';
  if (value.type === 'function_call')
    return `function_call ${value.callId ?? ''} ${name}(${clip(value.arguments ?? '', verbose)})`;
  const said = clip(itemText(value) ?? json(value.raw, true), verbose);
  if (value.type === 'function_call_output') return `function_call_output ${value.callId ?? ''} ${said}`;
  return `${value.type}${value.role === undefined ? '' : ` ${value.role}`} ${said}`;
}

const TEXT_PARTS: ReadonlySet<unknown> = new Set([
  'input_text',
  'output_text',
  'text',
  'summary_text',
  'reasoning_text',
]);

/** The text of a message or an output (openresponses 2.1, 2.3), other parts by their type; undefined for other items. */
function itemText(value: Item): string | undefined {
  const member = value.type === 'message' ? 'content' : value.type === 'function_call_output' ? 'output' : undefined;
  const tree = member === undefined ? undefined : treeOf(value.raw);
  const held = tree?.kind === 'object' ? tree.members.find(({ name }) => name === member)?.value : undefined;
  if (held?.kind === 'string') return JSON.stringify(held.value);
  if (held?.kind !== 'array') return undefined;
  const parts = held.items.map((part) => {
    if (part.kind !== 'object') return undefined;
    const type = textOf(part, 'type') ?? '';
    return TEXT_PARTS.has(type) ? JSON.stringify(textOf(part, 'text') ?? '') : `[${type}]`;
  });
  return parts.includes(undefined) ? undefined : parts.join(' ');
}

function* contextLines(
  session: Session,
  path: readonly EntryIndex[],
  place: string,
  verbose: boolean,
): Iterable<string> {
  const built = buildContext(session, path);
  if (!built.ok) {
    yield `Context at ${place}: cannot be built, first_kept of the compaction on line ${session.line(built.problem.compaction)} names no entry before it`;
    return;
  }
  const { settings, items, leftOut, replaced } = built.context;
  yield `Context at ${place}`;
  yield `  model         ${settings.model || '(none)'}`;
  yield `  instructions  ${settings.instructions === '' ? '(none)' : clip(JSON.stringify(settings.instructions), verbose)}`;
  for (const part of settings.instructionsParts)
    yield part.unresolved
      ? `    part ${part.id} (unresolved)`
      : `    part ${part.id} from ${part.source || '(no source)'}`;
  for (const omission of settings.instructionsOmitted)
    yield omission.id === ''
      ? `    omitted ${omission.json} (unresolved)`
      : `    omitted ${clip(omission.json, verbose)}`;
  if (settings.reasoning !== undefined) yield `  reasoning     ${clip(settings.reasoning, verbose)}`;
  if (settings.text !== undefined) yield `  text          ${clip(settings.text, verbose)}`;
  for (const { name, json: tool } of settings.tools) yield `  tool          ${name || clip(tool, verbose)}`;
  for (const [name, value] of settings.extra) yield `  ${name.padEnd(12)}  ${clip(value, verbose)}`;
  const { omit } = settings;
  if (omit.otherModels) yield '  omit          reasoning of other models';
  if (omit.items.size > 0) yield `  omit          items ${ids(omit.items)}`;
  if (omit.outputs !== undefined)
    yield `  omit          outputs ${ids(omit.outputs.items)} as ${JSON.stringify(omit.outputs.text)}`;
  if (omit.images !== undefined) yield `  omit          images ${JSON.stringify(omit.images)}`;
  yield `  ${items.length} items`;
  const replacedIn = new Map(replaced.map(({ entry, rule }) => [entry, rule]));
  for (const { entry, part, item: sent } of items) {
    const rule = part === 'item' ? replacedIn.get(entry) : undefined;
    yield `    line ${String(session.line(entry)).padStart(5)}  ${part === 'item' ? '' : `${part}: `}${item(sent, verbose)}${rule === undefined ? '' : ` [${rule} replaced]`}`;
  }
  for (const { entry, reason } of leftOut)
    yield `    line ${String(session.line(entry)).padStart(5)}  omitted, not absent (${reason})`;
  const waiting = queued(session, path);
  if (waiting.length > 0) yield `  queued        ${waiting.map((index) => `line ${session.line(index)}`).join(', ')}`;
}

function ids(set: IdSet): string {
  return idsOf(set).map(shortId).join(', ');
}

function* callLines(session: Session, path: readonly EntryIndex[]): Iterable<string> {
  const made = calls(session, path);
  if (made.length === 0) return;
  yield '';
  yield 'Calls';
  const onPath = new Set(path);
  const all = sessionDispatches(session);
  for (const call of made) {
    const elsewhere =
      all.get(callKey(session.id(call.entry), call.callId))?.some((entry) => !onPath.has(entry)) === true;
    const state = callState(session, call, elsewhere);
    const failed = hasFailed(session, call) ? ', failed' : '';
    const withdrawn = call.withdrawn.length > 0 ? `, ${call.withdrawn.length} withdrawn` : '';
    yield `  ${call.callId || '(no call id)'}  ${call.name}  ${state}${failed}  dispatched ${dispatches(call).length}${withdrawn}${isPending(call) ? '  pending' : ''}`;
  }
  for (const callee of callees(session, path)) {
    const link = session.entry(callee.link);
    if (link.kind !== 'link') continue;
    const became = callee.cancelled ? 'cancelled' : callee.answered ? 'answered' : 'open';
    yield `  ${link.callId ?? ''}  reached ${link.rel} ${link.session || link.url || ''}  ${became}`;
  }
}

function* runLines(session: Session, path: readonly EntryIndex[]): Iterable<string> {
  const found = runs(session, path);
  if (found.length === 0) return;
  yield '';
  yield 'Runs';
  for (const run of found) {
    const end = run.end === undefined ? undefined : session.entry(run.end);
    const ended = end?.kind === 'run' ? `${end.reason} (as computed: ${computeReason(session, run)})` : 'open';
    const pending = pendingOfRun(session, run);
    yield `  ${run.runId}  source as computed: ${computeSource(session, run)}  ${ended}${pending.length > 0 ? `  pending ${pending.join(', ')}` : ''}`;
  }
}

function json(raw: RawJson | undefined, verbose: boolean): string {
  return raw === undefined ? '' : clip(canonicalText(raw), verbose);
}

function text(bytes: Uint8Array): string {
  return new TextDecoder().decode(bytes);
}

function clip(value: string, verbose: boolean): string {
  if (verbose || value.length <= CLIP) return value;
  // Half a character would be no text.
  const last = value.charCodeAt(CLIP - 1);
  return `${value.slice(0, last >= 0xd800 && last < 0xdc00 ? CLIP - 1 : CLIP)}…`;
}

function shortId(id: string): string {
  return id.startsWith('sha256:') ? id.slice(7, 19) : id;
}
