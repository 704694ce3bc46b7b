/** Listing sessions with filters, newest first (session-store 1.12). */
import { canonicalOfTree } from '../json/canonical.ts';
import { readHeader } from '../session/header.ts';
import type { Header } from '../session/model.ts';
import { treeOf } from '../session/raw.ts';
import { memberNamed, nodeOf } from '../session/write/value.ts';
import { type Instant, parseInstant } from '../time/instant.ts';
import type { Backend, Listed } from './backend.ts';
import type { ListFailure, ListFilter, Summary } from './contract.ts';
import { StoreError } from './errors.ts';

/** Members of a header that the format defines: `extra` asks for others. */
const DEFINED: ReadonlySet<string> = new Set([
  'type',
  'format',
  'id',
  'created_at',
  'payload',
  'harness',
  'records',
  'cwd',
  'parent_session',
  'spawned_by',
  'base',
  'media',
  'redacted',
]);

interface Found {
  readonly listed: Listed;
  readonly header: Header;
  readonly at: Instant;
}

/** Summaries, then what could not be read. */
export function* listSessions(backend: Backend, filter: ListFilter): Generator<Summary | ListFailure> {
  const found: Found[] = [];
  const failures: ListFailure[] = [];
  const matches = matcher(filter);
  try {
    for (const listed of backend.list()) {
      if ('failure' in listed) {
        failures.push(listed);
        continue;
      }
      const { header, findings } = readHeader(listed.header, 0, 1);
      const [problem] = findings;
      if (header === undefined || problem !== undefined)
        failures.push({
          failure: new StoreError('bad_header', `session ${listed.id}: ${problem?.message ?? 'no header'}`),
          ...(listed.path === undefined ? {} : { path: listed.path }),
        });
      else {
        const at = instantOf(header.createdAt);
        if (matches(header, at)) found.push({ listed, header, at });
      }
    }
  } catch (error) {
    yield { failure: error as Error };
    return;
  }
  found.sort((a, b) => (a.at === b.at ? (a.header.id < b.header.id ? 1 : -1) : a.at < b.at ? 1 : -1));
  let left = filter.limit === undefined || filter.limit <= 0 ? Number.POSITIVE_INFINITY : filter.limit;
  for (const { listed, header } of found) {
    if (left === 0) break;
    const { path, size, modified } = listed;
    let names: ReturnType<Listed['names']> = {};
    try {
      if (filter.withNames === true || filter.current === true) names = listed.names(header.base);
    } catch (error) {
      failures.push({ failure: error as Error, ...(path === undefined ? {} : { path }) });
      continue;
    }
    if (filter.current === true && names.supersededBy !== undefined) continue;
    left--;
    yield {
      header,
      ...names,
      ...(path === undefined ? {} : { path }),
      ...(size === undefined ? {} : { size }),
      ...(modified === undefined ? {} : { modified }),
    };
  }
  yield* failures;
}

/** Whether a header is one of those asked for; what a header does not say is not looked at. */
export function filterOf(filter: ListFilter): (header: Header) => boolean {
  const matches = matcher(filter);
  return (header) => matches(header, instantOf(header.createdAt));
}

function instantOf(text: string): Instant {
  return parseInstant(text.toUpperCase()) ?? 0n;
}

function matcher(filter: ListFilter): (header: Header, at: Instant) => boolean {
  const { cwd, parentSession, harness, topLevel } = filter;
  const after = filter.after === undefined ? undefined : instantOf(filter.after);
  const before = filter.before === undefined ? undefined : instantOf(filter.before);
  const extra = Object.entries(filter.extra ?? {}).map(
    ([name, value]) => [name, canonicalOfTree(nodeOf(value))] as const,
  );
  return (header, at) =>
    (cwd === undefined || header.cwd === cwd) &&
    (parentSession === undefined || header.parentSession === parentSession) &&
    (harness === undefined || header.harness?.name === harness) &&
    (topLevel !== true || header.spawnedBy === undefined) &&
    (after === undefined || at > after) &&
    (before === undefined || at < before) &&
    (extra.length === 0 || holdsExtra(header, extra));
}

function holdsExtra(header: Header, extra: readonly (readonly [string, string])[]): boolean {
  const tree = treeOf(header.raw);
  if (tree.kind !== 'object') return false;
  return extra.every(([name, wanted]) => {
    const typed = DEFINED.has(name) || (name === 'redacted_from' && header.redactedFrom !== undefined);
    const value = typed ? undefined : memberNamed(tree, name);
    return value !== undefined && canonicalOfTree(value) === wanted;
  });
}
