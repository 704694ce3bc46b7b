/** New sessions: headers (session-format 2.1), forks (12.1), successors (12.5) and subsessions (12.4). */
import { memorySource } from '../../bytes/source.ts';
import { canonicalize } from '../../json/canonical.ts';
import type { JsonObject } from '../../json/tree.ts';
import { buildContext } from '../context.ts';
import { FIRST_REDACTED_MINOR, LATEST_MINOR, readHeader } from '../header.ts';
import type { Header } from '../model.ts';
import { treeOf } from '../raw.ts';
import { ROOT, type Session } from '../session.ts';
import { configOfSettings } from './deltas.ts';
import { draft, type EntryDraft } from './draft.ts';
import { codeOfFinding, SessionError } from './error.ts';
import { joinLines } from './joinLines.ts';
import { type LiveOptions, LiveSession } from './live.ts';
import { subsessionId, uuidV7 } from './uuid.ts';
import { type JsonValue, memberNamed, objectOf, objectOfValue, textMember } from './value.ts';

/** The payload profile that is written. */
const PAYLOAD = 'openresponses/2026-04-24';

export interface HeaderInit {
  readonly id?: string;
  readonly createdAt?: string;
  readonly payload?: string;
  readonly harness?: { readonly name: string; readonly version?: string };
  readonly records?: readonly string[];
  readonly cwd?: string;
  readonly parentSession?: string;
  readonly spawnedBy?: string;
  readonly base?: string;
  readonly media?: 'inline' | 'sidecar';
  readonly redacted?: boolean;
  readonly redactedFrom?: { readonly session: string; readonly profile?: string };
  /** Members that the format does not define. */
  readonly extra?: { readonly [name: string]: JsonValue };
}

/** The line of a new header at a minor version, RFC 8785 JSON. Throws SessionError where the header would not read (2.3). */
export function headerLine(init: HeaderInit, now = Date.now(), minor = LATEST_MINOR): Uint8Array {
  const own = objectOfValue({
    type: 'session',
    format: `agentsession/0.${minor}`,
    id: init.id ?? uuidV7(now),
    created_at: init.createdAt ?? new Date(now).toISOString(),
    payload: init.payload ?? PAYLOAD,
    harness: init.harness && { name: init.harness.name, version: init.harness.version },
    records: init.records,
    cwd: init.cwd,
    parent_session: init.parentSession,
    spawned_by: init.spawnedBy,
    base: init.base,
    media: init.media,
    redacted: init.redacted,
    redacted_from: init.redactedFrom && { session: init.redactedFrom.session, profile: init.redactedFrom.profile },
  });
  const extra = objectOfValue(init.extra ?? {});
  const twice = extra.members.find(({ name }) => own.members.some((member) => member.name === name));
  if (twice !== undefined)
    throw new SessionError('bad_header', `the header would hold ${JSON.stringify(twice.name)} twice`);
  const line = canonicalize(objectOf([...own.members, ...extra.members]));
  checkHeaderLine(line);
  return line;
}

/** The header of a line. Throws SessionError for one that does not hold. */
export function checkHeaderLine(line: Uint8Array): Header {
  const { header, findings } = readHeader(line, 0, 1);
  const [error] = findings;
  if (header === undefined || error !== undefined)
    throw new SessionError(codeOfFinding(error?.code ?? 'session/bad-header'), error?.message ?? 'no header');
  checkCreate(header, false);
  return header;
}

/** What creating a session refuses (11.11): a `redacted_from` that names nothing, and what a redacted-only store does not take. */
export function checkCreate(header: Header, redactedOnly: boolean): void {
  if (header.holdsRedactedFrom && (header.redactedFrom === undefined || !header.redacted))
    throw new SessionError('redacted_from', 'redacted_from names the original of a redacted session');
  if (redactedOnly && !header.redacted)
    throw new SessionError('not_redacted', 'this store holds redacted sessions only');
}

/** A new session without a base. */
export function createSession(init: HeaderInit = {}, options: LiveOptions = {}): LiveSession {
  if (init.base !== undefined) throw new RangeError('a session with a base is made with fork');
  return LiveSession.start(headerLine(init), options);
}

/** A new session for the callee of a call (12.4); the parent links it with `rel: "subsession"`. */
export function createSubsession(
  parent: Session,
  callId: string,
  init: HeaderInit = {},
  options: LiveOptions = {},
): LiveSession {
  const { id } = parent.header;
  return createSession(
    { ...init, id: init.id ?? subsessionId(id, callId), parentSession: id, spawnedBy: callId },
    options,
  );
}

/**
 * Session-format 12.1: a session that continues from an entry of another one. Its lines begin with the path to that entry.
 *
 * @param minor of the lines; a session that is opened for writing stands at the latest one all the same, where it may be raised (2.6).
 *
 * Throws SessionError `no_entry`, `bad_convergence`, `unresolved_migration`, `no_raise`, `unsupported_format` or `media_differs`.
 */
export function fork(
  origin: Session,
  at: string,
  init: HeaderInit = {},
  options: LiveOptions = {},
  minor = LATEST_MINOR,
): LiveSession {
  // 1 to 3
  const lines = prefixLines(origin, at, minor);
  // 4
  const media = init.media ?? (origin.header.media as 'inline' | 'sidecar');
  if (media !== origin.header.media)
    throw new SessionError('media_differs', `the origin keeps its media ${origin.header.media}`);
  // 5
  const own: HeaderInit = {
    ...init,
    base: at,
    parentSession: init.parentSession ?? origin.header.id,
    payload: init.payload ?? origin.header.payload,
    ...(media === 'inline' ? {} : { media }),
  };
  const line = headerLine(own, Date.now(), minor);
  // 6
  return LiveSession.open(memorySource(joinLines([line, ...lines])), options);
}

/** The lines that a fork at an entry begins with, at a minor version. Session-format 12.1, steps 1 to 3. */
export function prefixLines(origin: Session, at: string, minor: number): readonly Uint8Array[] {
  const base = origin.find(at);
  if (base === undefined) throw new SessionError('no_entry', `the session holds no entry ${at.slice(0, 100)}`);
  if (!origin.pathUsable(base)) throw new SessionError('bad_entry', 'the path to the entry does not hold');
  const entry = origin.entry(base);
  if (entry.kind === 'label' && entry.label === 'leaf') throw new SessionError('no_entry', 'a leaf label is no base');
  const path = origin.path(base);
  const onPath = new Set(path.map((index) => origin.id(index)));
  const unresolved = new Set(origin.unresolved);
  return path.map((index) => {
    if (unresolved.has(index))
      throw new SessionError('unresolved_migration', 'an entry on the path could not be migrated whole');
    const bytes = origin.bytes(index);
    const tree = treeOf({ bytes }) as JsonObject;
    const parents = memberNamed(tree, 'parents');
    for (const ref of parents?.kind === 'array' ? parents.items : []) {
      if (ref.kind !== 'object' || (textMember(ref, 'session') ?? '') !== '') continue;
      if (!onPath.has(textMember(ref, 'entry') ?? ''))
        throw new SessionError('bad_convergence', 'an entry on the path names a predecessor that is not on it');
    }
    if (memberNamed(tree, 'redacted') !== undefined) {
      const wasDefined = origin.header.minor >= FIRST_REDACTED_MINOR;
      const isDefined = minor >= FIRST_REDACTED_MINOR;
      if (isDefined && !wasDefined)
        throw new SessionError('no_raise', 'a "redacted" member on the path would get a meaning');
      if (!isDefined && wasDefined)
        throw new SessionError('unsupported_format', 'a redacted entry on the path needs format 0.13');
    }
    return canonicalize(tree);
  });
}

/** A successor, and the link that the old session gets: written after the successor is kept (12.5). */
export interface Continuation {
  readonly successor: LiveSession;
  readonly link: EntryDraft;
}

/**
 * Session-format 12.5: a session that takes up the settings in force where another stands.
 *
 * @param summary an item, the one that stands for what was said.
 * Throws SessionError `superseded`, `bad_context`.
 */
export function continueSession(
  old: LiveSession,
  init: HeaderInit = {},
  summary?: JsonValue,
  options: LiveOptions = {},
): Continuation {
  // 1
  if (old.successor !== undefined)
    throw new SessionError('superseded', `the session was continued in ${old.successor} already`);
  // 2
  const { harness, cwd, records, media, id } = old.header;
  const successor = createSession(
    {
      ...(harness === undefined ? {} : { harness }),
      ...(cwd === undefined ? {} : { cwd }),
      ...(records.length === 0 ? {} : { records }),
      ...(media === 'inline' ? {} : { media: media as 'sidecar' }),
      ...init,
      parentSession: id,
    },
    options,
  );
  // 3
  const built = buildContext(old, old.leaf === ROOT ? [] : old.path(old.leaf));
  if (!built.ok) throw new SessionError('bad_context', 'the settings in force cannot be told');
  successor.append({ type: 'config', body: configOfSettings(built.context.settings) });
  // 4
  if (summary !== undefined) successor.append(draft('item', { item: summary }));
  // 5
  const name = displayName(old);
  if (name !== '') successor.append(draft('info', { name }));
  // 6
  return { successor, link: draft('link', { rel: 'continued_in', session: successor.header.id }) };
}

/** The display name of a session: of the last `info` entry in file order that has one (5.10). */
function displayName(session: Session): string {
  for (let index = session.size - 1; index >= 0; index--) {
    if (session.kind(index) !== 'info' || !session.usable(index)) continue;
    const entry = session.entry(index);
    if (entry.kind === 'info' && entry.name !== '') return entry.name;
  }
  return '';
}
