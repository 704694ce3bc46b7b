/**
 * The body of an entry by its type: session-format 5. A problem of the line goes to `read.problems`; a value outside a closed list goes to
 * `unknown`; everything that the format does not define stays in the line's bytes.
 */
import { ARRAY, type Name, type Node, name, OBJECT, STRING } from '../json/scan.ts';
import type { Members } from './members.ts';
import {
  ENTRY_KINDS,
  type Entry,
  type EntryKind,
  type EntryRef,
  type RedactedSpan,
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
  const { type, id, parent, ts, parents } = values;
  const legacyId = read.string(0, M.legacy_id);
  const redacted = values.redactedDefined ? readRedacted(read) : undefined;
  const envelope = {
    type,
    id,
    parent,
    ts,
    parents,
    ...(legacyId === undefined ? {} : { legacyId }),
    ...(redacted === undefined ? {} : { redacted }),
  };
  const closed = (member: MemberName, value: string, list: readonly string[], object: Node = 0): string => {
    if (value !== '' && !list.includes(value))
      unknown.push({ node: read.scanner.member(object, M[member]), member, value });
    return value;
  };
  return body(read, kindOf(type), envelope, closed);
}

type Envelope = Pick<Entry, 'type' | 'id' | 'parent' | 'ts' | 'parents' | 'legacyId' | 'redacted'>;
type Closed = (member: MemberName, value: string, list: readonly string[], object?: Node) => string;

function body(read: Members, kind: EntryKind, envelope: Envelope, closed: Closed): Entry {
  switch (kind) {
    case 'item':
      return item(read, envelope);
    case 'response':
      return {
        ...envelope,
        kind,
        responseId: read.string(0, M.response_id) ?? '',
        model: read.string(0, M.model) ?? '',
        status: read.string(0, M.status) ?? '',
        ...optional('usage', read.rawObject(0, M.usage)),
        ...optional('incomplete', read.rawObject(0, M.incomplete)),
        ...optional('error', read.rawObject(0, M.error)),
        ...optional('requestHash', read.string(0, M.request_hash) || undefined),
        ...optional('latencyMs', read.integer(0, M.latency_ms)),
        attempts: read.positive(0, M.attempts) ?? 1,
      };
    case 'config':
      return {
        ...envelope,
        kind,
        model: read.string(0, M.model) ?? '',
        ...optional('instructions', read.string(0, M.instructions)),
        ...optional(
          'instructionsParts',
          read.objects(0, M.instructions_parts, (part) => readPart(read, part)),
        ),
        ...optional(
          'instructionsOmitted',
          read.objects(0, M.instructions_omitted, (part) => readOmitted(read, part)),
        ),
        ...optional('reasoning', read.rawObject(0, M.reasoning)),
        ...optional('text', read.rawObject(0, M.text)),
        toolsAdded: read.objects(0, M.tools_added, (tool) => readTool(read, tool)) ?? [],
        toolsRemoved: read.strings(0, M.tools_removed) ?? [],
        extra: readExtra(read, 0),
        replace: read.boolean(0, M.replace) ?? false,
        ...optional('omit', readOmit(read, 0)),
      };
    case 'compaction': {
      const summary = read.requiredObject(0, M.summary);
      return {
        ...envelope,
        kind,
        firstKept: read.string(0, M.first_kept) ?? '',
        summary: readItem(read, Math.max(summary, 0)),
        pinned: read.objects(0, M.pinned, (node) => readItem(read, node)) ?? [],
        config: readCheckpoint(read, read.object(0, M.config)),
        ...optional('tokensBefore', read.integer(0, M.tokens_before)),
        ...optional('usage', read.rawObject(0, M.usage)),
      };
    }
    case 'branch_summary': {
      const summary = read.requiredObject(0, M.summary);
      return {
        ...envelope,
        kind,
        from: read.string(0, M.from) ?? '',
        summary: readItem(read, Math.max(summary, 0)),
        ...optional('usage', read.rawObject(0, M.usage)),
      };
    }
    case 'run':
      return run(read, envelope, closed);
    case 'dispatch':
      return {
        ...envelope,
        kind,
        callId: read.requiredString(0, M.call_id),
        target: read.requiredString(0, M.target),
        ...optional('idempotencyKey', read.typedString(0, M.idempotency_key)),
      };
    case 'decision': {
      const verdict = closed('verdict', read.requiredString(0, M.verdict), ['proceed', 'reject', 'hold', 'answer']);
      return {
        ...envelope,
        kind,
        callId: read.requiredString(0, M.call_id),
        target: read.requiredString(0, M.target),
        verdict,
        by: closed('by', read.string(0, M.by) ?? '', ['human', 'policy', 'agent']),
        reason: verdict === 'reject' ? read.requiredString(0, M.reason) : (read.string(0, M.reason) ?? ''),
        ...optional('args', read.anything(0, M.args)),
        withdrawn: verdict === 'reject' && read.isTrue(0, M.withdrawn),
      };
    }
    case 'queued': {
      const node = read.requiredObject(0, M.item);
      return {
        ...envelope,
        kind,
        item: readItem(read, Math.max(node, 0)),
        mode: closed('mode', read.requiredString(0, M.mode), ['steer', 'followup']),
        ...optional('trigger', trigger(read, M.trigger)),
        ...optional('ref', read.string(0, M.ref)),
      };
    }
    case 'info':
      return { ...envelope, kind, name: read.string(0, M.name) ?? '' };
    case 'label':
      return {
        ...envelope,
        kind,
        target: read.string(0, M.target) || null,
        label: read.string(0, M.label) ?? null,
        synthetic: read.isTrue(0, M.synthetic),
      };
    case 'env':
      return env(read, envelope, closed);
    case 'outcome':
      return {
        ...envelope,
        kind,
        outcome: closed('kind', read.string(0, M.kind) ?? '', [
          'feedback',
          'test',
          'task',
          'tool_error',
          'eval',
          'custom',
        ]),
        ...optional('target', read.string(0, M.target)),
        ...optional('score', read.number(0, M.score)),
        ...optional('pass', read.boolean(0, M.pass)),
        ...optional('label', read.string(0, M.label)),
        ...optional('details', read.anything(0, M.details)),
      };
    case 'link':
      return link(read, envelope, closed);
    case 'custom':
      return {
        ...envelope,
        kind,
        ns: read.string(0, M.ns) ?? '',
        ...optional('data', read.anything(0, M.data)),
        ...optional('callId', read.typedString(0, M.call_id)),
      };
    case 'extension':
      return { ...envelope, kind };
  }
}

function item(read: Members, envelope: Envelope): Entry {
  const node = read.requiredObject(0, M.item);
  const value = readItem(read, Math.max(node, 0));
  return {
    ...envelope,
    kind: 'item',
    item: value,
    ...optional('response', read.string(0, M.response)),
    visible: read.boolean(0, M.visible) ?? true,
    ...optional('source', trigger(read, M.source)),
    ...optional('queuedFrom', read.string(0, M.queued_from)),
    failed: value.type === 'function_call_output' && read.isTrue(0, M.failed),
    ...optional('fromLink', read.typedString(0, M.from_link)),
  };
}

function run(read: Members, envelope: Envelope, closed: Closed): Entry {
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
  const reason = isStart ? (read.string(0, M.reason) ?? '') : read.requiredString(0, M.reason);
  const pending = read.strings(0, M.pending) ?? [];
  return {
    ...envelope,
    kind: 'run',
    runId: read.requiredString(0, M.run_id),
    phase: isStart ? 'start' : 'end',
    source: isStart ? closed('source', source, ['input', 'resume']) : '',
    ...optional('trigger', isStart ? readTypedTrigger(read, 0, M.trigger) : undefined),
    reason: isStart
      ? ''
      : closed('reason', reason, ['done', 'stopped', 'interrupted', 'input_required', 'aborted', 'error']),
    pending: isStart ? [] : pending,
    ...optional('ref', read.string(0, M.ref)),
  };
}

function env(read: Members, envelope: Envelope, closed: Closed): Entry {
  const vcs = read.object(0, M.vcs);
  if (vcs >= 0) {
    read.string(vcs, M.system);
    read.string(vcs, M.revision);
    read.boolean(vcs, M.dirty);
  }
  const files = read.object(0, M.files);
  if (files >= 0) {
    stringMap(read, read.object(files, M.read));
    stringMap(read, read.object(files, M.written));
  }
  const tools = read.object(0, M.tools);
  stringMap(read, tools);
  const workspace = read.object(0, M.workspace);
  return {
    ...envelope,
    kind: 'env',
    ...optional('cwd', read.string(0, M.cwd)),
    ...optional('vcs', vcs < 0 ? undefined : read.raw(vcs)),
    ...optional('files', files < 0 ? undefined : read.raw(files)),
    ...optional('tools', tools < 0 ? undefined : read.raw(tools)),
    ...optional('workspace', workspace < 0 ? undefined : readWorkspace(read, workspace, closed)),
  };
}

function readWorkspace(read: Members, node: Node, closed: Closed): Workspace {
  const kind = read.string(node, M.kind);
  if (kind !== undefined) closed('kind', kind, ['local', 'container', 'remote'], node);
  return {
    raw: read.raw(node),
    ...optional('kind', kind),
    ...optional('ref', read.string(node, M.ref)),
    ...optional('host', read.typedString(node, M.host)),
    ...optional('instance', read.typedString(node, M.instance)),
  };
}

function stringMap(read: Members, node: Node): void {
  const { scanner } = read;
  if (node < 0) return;
  for (let at = scanner.first(node); at >= 0; at = scanner.following(node, at))
    if (scanner.kind[at] !== STRING) read.wrong(at, scanner.name(at), 'a string');
}

/** Members of 0.11 and 0.12 are taken only on their relations and beside their companions (5.14). */
function link(read: Members, envelope: Envelope, closed: Closed): Entry {
  const rel = closed('rel', read.string(0, M.rel) ?? '', [
    'subsession',
    'fork_of',
    'continued_in',
    'judged_by',
    'peer',
  ]);
  const isCallee = rel === 'subsession' || rel === 'peer';
  const target = read.typedString(0, M.target);
  const cancel = isCallee && target !== undefined && read.typedString(0, M.cancel) === 'sent';
  const url = isCallee ? read.typedString(0, M.url) : undefined;
  return {
    ...envelope,
    kind: 'link',
    rel,
    session: read.string(0, M.session) ?? '',
    ...optional('callId', read.string(0, M.call_id)),
    ...optional('target', rel === 'judged_by' || cancel ? target : undefined),
    ...optional('url', url),
    ...optional('task', url === undefined ? undefined : read.typedString(0, M.task)),
    ...optional('context', url === undefined ? undefined : read.typedString(0, M.context)),
    cancel,
  };
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

function optional<K extends string, V>(key: K, value: V | undefined): { readonly [P in K]?: V } {
  return (value === undefined ? {} : { [key]: value }) as { readonly [P in K]?: V };
}
