/**
 * Members of an entry that the session format does not define for its type: they travel into the document (atif-export 1). A member that a
 * later minor defined, in a form that its definition does not allow, is kept as unknown and travels too (session-format 0.4).
 */
import type { Entry, EntryKind } from '../session/model.ts';
import type { JsonObject } from './document.ts';

const EVERY_ENTRY = ['type', 'id', 'parent', 'ts', 'parents', 'legacy_id', 'normalised'];

const OF_KIND: Readonly<Record<EntryKind, readonly string[]>> = {
  item: ['item', 'response', 'visible', 'source', 'queued_from', 'failed', 'from_link'],
  response: [
    'response_id',
    'model',
    'status',
    'usage',
    'incomplete',
    'error',
    'request_hash',
    'latency_ms',
    'attempts',
  ],
  config: [
    'model',
    'instructions',
    'instructions_parts',
    'instructions_omitted',
    'reasoning',
    'text',
    'tools_added',
    'tools_removed',
    'extra',
    'replace',
    'omit',
  ],
  compaction: ['first_kept', 'summary', 'pinned', 'config', 'tokens_before', 'usage'],
  branch_summary: ['from', 'summary', 'usage'],
  run: ['run_id', 'phase', 'source', 'trigger', 'reason', 'pending', 'ref'],
  dispatch: ['call_id', 'target', 'idempotency_key'],
  decision: ['call_id', 'target', 'verdict', 'by', 'reason', 'args', 'withdrawn'],
  queued: ['item', 'mode', 'trigger', 'ref'],
  info: ['name'],
  label: ['target', 'label', 'synthetic'],
  env: ['cwd', 'vcs', 'files', 'tools', 'workspace'],
  outcome: ['kind', 'target', 'score', 'pass', 'label', 'details'],
  link: ['rel', 'session', 'call_id', 'target', 'url', 'task', 'context', 'cancel'],
  custom: ['ns', 'data', 'call_id'],
  extension: [],
};

const DECLARED: ReadonlyMap<EntryKind, ReadonlySet<string>> = new Map(
  (Object.entries(OF_KIND) as [EntryKind, readonly string[]][]).map(([kind, names]) => [
    kind,
    new Set([...EVERY_ENTRY, ...names]),
  ]),
);

/** Declared members that fell back: the line holds them, the entry reads as if it did not. */
function fallenBack(entry: Entry): readonly string[] {
  const unless = (taken: boolean, name: string): readonly string[] => (taken ? [] : [name]);
  switch (entry.kind) {
    case 'item':
      return [...unless(entry.failed, 'failed'), ...unless(entry.fromLink !== undefined, 'from_link')];
    case 'config':
      return unless(entry.omit !== undefined, 'omit');
    case 'run':
      return entry.phase === 'end' ? [] : unless(entry.trigger !== undefined, 'trigger');
    case 'dispatch':
      return unless(entry.idempotencyKey !== undefined, 'idempotency_key');
    case 'decision':
      return unless(entry.withdrawn, 'withdrawn');
    case 'custom':
      return unless(entry.callId !== undefined, 'call_id');
    case 'link':
      return [
        ...unless(entry.target !== undefined, 'target'),
        ...unless(entry.url !== undefined, 'url'),
        ...unless(entry.task !== undefined, 'task'),
        ...unless(entry.context !== undefined, 'context'),
        ...unless(entry.cancel, 'cancel'),
      ];
    default:
      return [];
  }
}

/** The undeclared members of an entry, `redacted` among them (9.5). */
export function undeclared(entry: Entry, line: JsonObject): JsonObject {
  const declared = DECLARED.get(entry.kind) as ReadonlySet<string>;
  const fell = fallenBack(entry);
  return Object.fromEntries(
    Object.entries(line).filter(([name, value]) => !declared.has(name) || (value !== null && fell.includes(name))),
  );
}
