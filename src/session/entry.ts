/**
 * The body of an entry by its type: session-format 5. A problem of the line goes to `read.problems`; a value outside a closed list goes to
 * `unknown`; everything that the format does not define stays in the line's bytes.
 */
import { ARRAY, type Name, type Node, name, OBJECT, STRING } from '../json/scan.ts';
import type { Members } from './members.ts';
import {
  type BranchSummaryEntry,
  type CompactionEntry,
  type ConfigEntry,
  type CustomEntry,
  type DecisionEntry,
  type DispatchEntry,
  ENTRY_KINDS,
  type Entry,
  type EntryKind,
  type EntryRef,
  type EnvEntry,
  type ItemEntry,
  type LinkEntry,
  type OutcomeEntry,
  type QueuedEntry,
  type RedactedSpan,
  type ResponseEntry,
  type RunEntry,
  type Trigger,
  type Workspace,
} from './model.ts';
import {
  readCheckpoint,
  readExtra,
  readItem,
  readOmit,
  readOmitted,
  readPart,
  readTool,
  readTrigger,
  readTypedTrigger,
} from './payload.ts';

const NAMES = [
  'args',
  'attempts',
  'by',
  'call_id',
  'cancel',
  'config',
  'context',
  'cwd',
  'data',
  'details',
  'error',
  'failed',
  'files',
  'first_kept',
  'from',
  'from_link',
  'host',
  'idempotency_key',
  'incomplete',
  'instance',
  'instructions',
  'instructions_omitted',
  'instructions_parts',
  'item',
  'kind',
  'label',
  'latency_ms',
  'legacy_id',
  'mode',
  'model',
  'name',
  'ns',
  'omit',
  'pass',
  'pending',
  'phase',
  'pinned',
  'queued_from',
  'read',
  'reason',
  'reasoning',
  'redacted',
  'ref',
  'rel',
  'replace',
  'request_hash',
  'response',
  'response_id',
  'run_id',
  'score',
  'session',
  'source',
  'status',
  'summary',
  'synthetic',
  'system',
  'revision',
  'dirty',
  'target',
  'task',
  'text',
  'tokens_before',
  'tools',
  'tools_added',
  'tools_removed',
  'trigger',
  'url',
  'usage',
  'vcs',
  'verdict',
  'visible',
  'withdrawn',
  'workspace',
  'written',
  'entry',
] as const;

type MemberName = (typeof NAMES)[number];

const M = Object.fromEntries(NAMES.map((text) => [text, name(text)])) as Readonly<Record<MemberName, Name>>;

const KINDS: ReadonlySet<string> = new Set(ENTRY_KINDS.filter((kind) => kind !== 'extension'));

/** The kind that a line's `type` is read as (5.16: a type that is not of the core reads like an extension). */
export function kindOf(type: string): EntryKind {
  return KINDS.has(type) ? (type as EntryKind) : 'extension';
}

/** A value outside a closed list (5): kept, compared as it stands, reported as a note. */
export interface UnknownValue {
  readonly node: Node;
  readonly member: string;
  readonly value: string;
}

/** What the envelope of a line gave. */
export interface EnvelopeValues {
  readonly type: string;
  readonly id: string;
  readonly parent: string | null;
  readonly ts: string;
  readonly parents: readonly EntryRef[];
  /** The header's minor defines an entry's `redacted` (2.5). */
  readonly redactedDefined: boolean;
}

/** Decodes the line that `read.scanner` holds. */
export function decodeEntry(read: Members, values: EnvelopeValues, unknown: UnknownValue[]): Entry {
  const decoded = body(read, kindOf(values.type), values, (member, value, list, object = 0) => {
    if (value !== '' && !list.includes(value))
      unknown.push({ node: read.scanner.member(object, M[member]), member, value });
    return value;
  });
  const legacyId = read.string(0, M.legacy_id);
  if (legacyId !== undefined) decoded.legacyId = legacyId;
  const redacted = values.redactedDefined ? readRedacted(read) : undefined;
  if (redacted !== undefined) decoded.redacted = redacted;
  return decoded;
}

type Closed = (member: MemberName, value: string, list: readonly string[], object?: Node) => string;

// Entries are built member by member: objects of one type then have few shapes, and nothing is copied.
type Building<E> = E extends unknown ? { -readonly [Key in keyof E]: E[Key] } : never;

const VERDICTS = ['proceed', 'reject', 'hold', 'answer'];
const DECIDERS = ['human', 'policy', 'agent'];
const MODES = ['steer', 'followup'];
const SOURCES = ['input', 'resume'];
const REASONS = ['done', 'stopped', 'interrupted', 'input_required', 'aborted', 'error'];
const OUTCOMES = ['feedback', 'test', 'task', 'tool_error', 'eval', 'custom'];
const RELATIONS = ['subsession', 'fork_of', 'continued_in', 'judged_by', 'peer'];
const WORKSPACES = ['local', 'container', 'remote'];

function body(read: Members, kind: EntryKind, values: EnvelopeValues, closed: Closed): Building<Entry> {
  const { type, id, parent, ts, parents } = values;
  switch (kind) {
    case 'item':
      return item(read, values);
    case 'response':
      return response(read, values);
    case 'config':
      return config(read, values);
    case 'compaction': {
      const summary = readItem(read, Math.max(read.requiredObject(0, M.summary), 0));
      const pinned = read.objects(0, M.pinned, (node) => readItem(read, node)) ?? [];
      const entry: Building<CompactionEntry> = {
        kind,
        type,
        id,
        parent,
        ts,
        parents,
        firstKept: read.string(0, M.first_kept) ?? '',
        summary,
        pinned,
        config: readCheckpoint(read, read.object(0, M.config)),
      };
      const tokensBefore = read.integer(0, M.tokens_before);
      if (tokensBefore !== undefined) entry.tokensBefore = tokensBefore;
      const usage = read.rawObject(0, M.usage);
      if (usage !== undefined) entry.usage = usage;
      return entry;
    }
    case 'branch_summary': {
      const from = read.string(0, M.from) ?? '';
      const summary = readItem(read, Math.max(read.requiredObject(0, M.summary), 0));
      const entry: Building<BranchSummaryEntry> = { kind, type, id, parent, ts, parents, from, summary };
      const usage = read.rawObject(0, M.usage);
      if (usage !== undefined) entry.usage = usage;
      return entry;
    }
    case 'run':
      return run(read, values, closed);
    case 'dispatch': {
      const callId = read.requiredString(0, M.call_id);
      const target = read.requiredString(0, M.target);
      const entry: Building<DispatchEntry> = { kind, type, id, parent, ts, parents, callId, target };
      const idempotencyKey = read.typedString(0, M.idempotency_key);
      if (idempotencyKey !== undefined) entry.idempotencyKey = idempotencyKey;
      return entry;
    }
    case 'decision': {
      const verdict = closed('verdict', read.requiredString(0, M.verdict), VERDICTS);
      const entry: Building<DecisionEntry> = {
        kind,
        type,
        id,
        parent,
        ts,
        parents,
        callId: read.requiredString(0, M.call_id),
        target: read.requiredString(0, M.target),
        verdict,
        by: closed('by', read.string(0, M.by) ?? '', DECIDERS),
        reason: verdict === 'reject' ? read.requiredString(0, M.reason) : (read.string(0, M.reason) ?? ''),
        withdrawn: verdict === 'reject' && read.isTrue(0, M.withdrawn),
      };
      const args = read.anything(0, M.args);
      if (args !== undefined) entry.args = args;
      return entry;
    }
    case 'queued': {
      const queued = readItem(read, Math.max(read.requiredObject(0, M.item), 0));
      const mode = closed('mode', read.requiredString(0, M.mode), MODES);
      const entry: Building<QueuedEntry> = { kind, type, id, parent, ts, parents, item: queued, mode };
      const cause = trigger(read, M.trigger);
      if (cause !== undefined) entry.trigger = cause;
      const ref = read.string(0, M.ref);
      if (ref !== undefined) entry.ref = ref;
      return entry;
    }
    case 'info':
      return { kind, type, id, parent, ts, parents, name: read.string(0, M.name) ?? '' };
    case 'label': {
      const target = read.string(0, M.target) || null;
      const label = read.string(0, M.label) ?? null;
      return { kind, type, id, parent, ts, parents, target, label, synthetic: read.isTrue(0, M.synthetic) };
    }
    case 'env':
      return env(read, values, closed);
    case 'outcome':
      return outcome(read, values, closed);
    case 'link':
      return link(read, values, closed);
    case 'custom': {
      const entry: Building<CustomEntry> = { kind, type, id, parent, ts, parents, ns: read.string(0, M.ns) ?? '' };
      const data = read.anything(0, M.data);
      if (data !== undefined) entry.data = data;
      const callId = read.typedString(0, M.call_id);
      if (callId !== undefined) entry.callId = callId;
      return entry;
    }
    case 'extension':
      return { kind, type, id, parent, ts, parents };
  }
}

function item(read: Members, { type, id, parent, ts, parents }: EnvelopeValues): Building<ItemEntry> {
  const value = readItem(read, Math.max(read.requiredObject(0, M.item), 0));
  const entry: Building<ItemEntry> = {
    kind: 'item',
    type,
    id,
    parent,
    ts,
    parents,
    item: value,
    visible: read.boolean(0, M.visible) ?? true,
    failed: value.type === 'function_call_output' && read.isTrue(0, M.failed),
  };
  const responseId = read.string(0, M.response);
  if (responseId !== undefined) entry.response = responseId;
  const source = trigger(read, M.source);
  if (source !== undefined) entry.source = source;
  const queuedFrom = read.string(0, M.queued_from);
  if (queuedFrom !== undefined) entry.queuedFrom = queuedFrom;
  const fromLink = read.typedString(0, M.from_link);
  if (fromLink !== undefined) entry.fromLink = fromLink;
  return entry;
}

function response(read: Members, { type, id, parent, ts, parents }: EnvelopeValues): Building<ResponseEntry> {
  const entry: Building<ResponseEntry> = {
    kind: 'response',
    type,
    id,
    parent,
    ts,
    parents,
    responseId: read.string(0, M.response_id) ?? '',
    model: read.string(0, M.model) ?? '',
    status: read.string(0, M.status) ?? '',
    attempts: read.positive(0, M.attempts) ?? 1,
  };
  const requestHash = read.string(0, M.request_hash);
  if (requestHash !== undefined && requestHash !== '') entry.requestHash = requestHash;
  const usage = read.rawObject(0, M.usage);
  if (usage !== undefined) entry.usage = usage;
  const incomplete = read.rawObject(0, M.incomplete);
  if (incomplete !== undefined) entry.incomplete = incomplete;
  const error = read.rawObject(0, M.error);
  if (error !== undefined) entry.error = error;
  const latencyMs = read.integer(0, M.latency_ms);
  if (latencyMs !== undefined) entry.latencyMs = latencyMs;
  return entry;
}

function config(read: Members, { type, id, parent, ts, parents }: EnvelopeValues): Building<ConfigEntry> {
  const entry: Building<ConfigEntry> = {
    kind: 'config',
    type,
    id,
    parent,
    ts,
    parents,
    model: read.string(0, M.model) ?? '',
    toolsAdded: read.objects(0, M.tools_added, (tool) => readTool(read, tool)) ?? [],
    toolsRemoved: read.strings(0, M.tools_removed) ?? [],
    extra: readExtra(read, 0),
    replace: read.boolean(0, M.replace) ?? false,
  };
  const instructions = read.string(0, M.instructions);
  if (instructions !== undefined) entry.instructions = instructions;
  const parts = read.objects(0, M.instructions_parts, (part) => readPart(read, part));
  if (parts !== undefined) entry.instructionsParts = parts;
  const omitted = read.objects(0, M.instructions_omitted, (part) => readOmitted(read, part));
  if (omitted !== undefined) entry.instructionsOmitted = omitted;
  const reasoning = read.rawObject(0, M.reasoning);
  if (reasoning !== undefined) entry.reasoning = reasoning;
  const text = read.rawObject(0, M.text);
  if (text !== undefined) entry.text = text;
  const omit = readOmit(read, 0);
  if (omit !== undefined) entry.omit = omit;
  return entry;
}

function run(read: Members, values: EnvelopeValues, closed: Closed): Building<RunEntry> {
  const { type, id, parent, ts, parents } = values;
  const phase = read.requiredString(0, M.phase);
  if (phase !== '' && phase !== 'start' && phase !== 'end') {
    const node = read.scanner.member(0, M.phase);
    read.problems.push({
      message: `"phase" is ${JSON.stringify(phase.slice(0, 40))}, not "start" or "end"`,
      node,
      expected: 'start or end',
      actual: phase.slice(0, 40),
    });
  }
  const isStart = phase === 'start';
  const source = isStart ? read.requiredString(0, M.source) : (read.string(0, M.source) ?? '');
  const reason = phase === 'end' ? read.requiredString(0, M.reason) : (read.string(0, M.reason) ?? '');
  const pending = read.strings(0, M.pending) ?? [];
  const entry: Building<RunEntry> = {
    kind: 'run',
    type,
    id,
    parent,
    ts,
    parents,
    runId: read.requiredString(0, M.run_id),
    phase: isStart ? 'start' : 'end',
    source: isStart ? closed('source', source, SOURCES) : '',
    reason: isStart ? '' : closed('reason', reason, REASONS),
    pending: isStart ? [] : pending,
  };
  const cause = isStart ? readTypedTrigger(read, 0, M.trigger) : undefined;
  if (cause !== undefined) entry.trigger = cause;
  const ref = read.string(0, M.ref);
  if (ref !== undefined) entry.ref = ref;
  return entry;
}

function env(read: Members, { type, id, parent, ts, parents }: EnvelopeValues, closed: Closed): Building<EnvEntry> {
  const entry: Building<EnvEntry> = { kind: 'env', type, id, parent, ts, parents };
  const cwd = read.string(0, M.cwd);
  if (cwd !== undefined) entry.cwd = cwd;
  const vcs = read.object(0, M.vcs);
  if (vcs >= 0) {
    read.string(vcs, M.system);
    read.string(vcs, M.revision);
    read.boolean(vcs, M.dirty);
    entry.vcs = read.raw(vcs);
  }
  const files = read.object(0, M.files);
  if (files >= 0) {
    stringMap(read, read.object(files, M.read));
    stringMap(read, read.object(files, M.written));
    entry.files = read.raw(files);
  }
  const tools = read.object(0, M.tools);
  if (tools >= 0) {
    stringMap(read, tools);
    entry.tools = read.raw(tools);
  }
  const workspace = read.object(0, M.workspace);
  if (workspace >= 0) entry.workspace = readWorkspace(read, workspace, closed);
  return entry;
}

function readWorkspace(read: Members, node: Node, closed: Closed): Workspace {
  const workspace: Building<Workspace> = { raw: read.raw(node) };
  const kind = read.string(node, M.kind);
  if (kind !== undefined) workspace.kind = closed('kind', kind, WORKSPACES, node);
  const ref = read.string(node, M.ref);
  if (ref !== undefined) workspace.ref = ref;
  const host = read.typedString(node, M.host);
  if (host !== undefined) workspace.host = host;
  const instance = read.typedString(node, M.instance);
  if (instance !== undefined) workspace.instance = instance;
  return workspace;
}

function outcome(read: Members, values: EnvelopeValues, closed: Closed): Building<OutcomeEntry> {
  const { type, id, parent, ts, parents } = values;
  const kind = closed('kind', read.string(0, M.kind) ?? '', OUTCOMES);
  const entry: Building<OutcomeEntry> = { kind: 'outcome', type, id, parent, ts, parents, outcome: kind };
  const target = read.string(0, M.target);
  if (target !== undefined) entry.target = target;
  const score = read.number(0, M.score);
  if (score !== undefined) entry.score = score;
  const pass = read.boolean(0, M.pass);
  if (pass !== undefined) entry.pass = pass;
  const label = read.string(0, M.label);
  if (label !== undefined) entry.label = label;
  const details = read.anything(0, M.details);
  if (details !== undefined) entry.details = details;
  return entry;
}

/** Members of 0.11 and 0.12 are taken only on their relations and beside their companions (5.14). */
function link(read: Members, { type, id, parent, ts, parents }: EnvelopeValues, closed: Closed): Building<LinkEntry> {
  const rel = closed('rel', read.string(0, M.rel) ?? '', RELATIONS);
  const session = read.string(0, M.session) ?? '';
  const isCallee = rel === 'subsession' || rel === 'peer';
  const target = read.typedString(0, M.target);
  const cancel = isCallee && target !== undefined && read.typedString(0, M.cancel) === 'sent';
  const entry: Building<LinkEntry> = { kind: 'link', type, id, parent, ts, parents, rel, session, cancel };
  const callId = read.string(0, M.call_id);
  if (callId !== undefined) entry.callId = callId;
  if (target !== undefined && (rel === 'judged_by' || cancel)) entry.target = target;
  const url = isCallee ? read.typedString(0, M.url) : undefined;
  if (url === undefined) return entry;
  entry.url = url;
  const task = read.typedString(0, M.task);
  if (task !== undefined) entry.task = task;
  const context = read.typedString(0, M.context);
  if (context !== undefined) entry.context = context;
  return entry;
}

function stringMap(read: Members, node: Node): void {
  const { scanner } = read;
  if (node < 0) return;
  for (let at = scanner.first(node); at >= 0; at = scanner.following(node, at))
    if (scanner.kind[at] !== STRING) read.wrong(at, scanner.name(at), 'a string');
}

function trigger(read: Members, name: Name): Trigger | undefined {
  const node = read.object(0, name);
  return node < 0 ? undefined : readTrigger(read, node);
}

/** The spans of a `redacted` member in exactly the form of 11.3; undefined in any other. */
function readRedacted(read: Members): readonly RedactedSpan[] | undefined {
  const { scanner } = read;
  const node = scanner.member(0, M.redacted);
  if (node < 0 || scanner.kind[node] !== ARRAY) return undefined;
  const spans: RedactedSpan[] = [];
  let last = 0;
  for (let at = scanner.first(node); at >= 0; at = scanner.following(node, at)) {
    const range = scanner.kind[at] === ARRAY;
    const from = range ? (scanner.first(at) < 0 ? undefined : read.digits(scanner.first(at))) : read.digits(at);
    if (from === undefined || from <= last) return undefined;
    if (!range) {
      spans.push(from);
      last = from;
      continue;
    }
    const second = scanner.following(at, scanner.first(at));
    const to = second < 0 || scanner.following(at, second) >= 0 ? undefined : read.digits(second);
    if (to === undefined || to <= from) return undefined;
    spans.push([from, to]);
    last = to;
  }
  return spans;
}

/** Whether the line has a member named `redacted`, in any form (2.6). */
export function holdsRedacted(read: Members): boolean {
  return read.scanner.member(0, M.redacted) >= 0;
}

/** Types of the members that any entry may carry (4.1 row 8). */
export function checkCommon(read: Members, normalised: Node): void {
  read.string(0, M.legacy_id);
  if (normalised < 0) return;
  const { scanner } = read;
  for (let at = scanner.first(normalised); at >= 0; at = scanner.following(normalised, at)) {
    if (scanner.kind[at] !== OBJECT) read.wrong(at, 'an element of normalised', 'an object');
  }
}
