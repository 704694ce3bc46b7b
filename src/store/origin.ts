/** Where a fork comes from: the session whose path it continues, and the one that owns its base (session-store 1.4, 1.14). */
import { memorySource } from '../bytes/source.ts';
import { readSession } from '../session/read.ts';
import type { Session } from '../session/session.ts';
import type { Backend } from './backend.ts';

interface Origin {
  /** Holds the base, among its own entries or on its prefix. */
  readonly origin: Session;
  /** The session whose own entry the base is; the origin itself where that is not held. */
  readonly owner: Session;
}

type Readable = (id: string) => boolean;

/** A session as it is stored; undefined where there is none, or none that reads. */
function readStored(backend: Backend, id: string): Session | undefined {
  const stored = backend.read(id);
  return stored === undefined ? undefined : readSession(memorySource(stored.bytes)).session;
}

function holds(session: Session, base: string): 'own' | 'prefix' | undefined {
  const index = session.find(base);
  if (index === undefined || !session.usable(index)) return undefined;
  return session.own(index) ? 'own' : 'prefix';
}

/** Finds the origin of a fork at `base`: the named session, else an owner, else one that has the entry on its prefix. */
export function findOrigin(
  backend: Backend,
  base: string,
  parent: string | undefined,
  readable: Readable,
): Origin | undefined {
  const named = parent !== undefined && readable(parent) ? readStored(backend, parent) : undefined;
  const held = named === undefined ? undefined : holds(named, base);
  if (named !== undefined && held === 'own') return { origin: named, owner: named };
  if (named !== undefined && held === 'prefix')
    return { origin: named, owner: ownerAbove(backend, named, base, readable) };
  const needle = Buffer.from(base);
  let onPrefix: Session | undefined;
  for (const id of backend.ids()) {
    if (id === parent || !readable(id)) continue;
    const stored = backend.read(id);
    if (stored === undefined || !contains(stored.bytes, needle)) continue;
    const { session } = readSession(memorySource(stored.bytes));
    const place = session === undefined ? undefined : holds(session, base);
    if (session === undefined || place === undefined) continue;
    if (place === 'own') return { origin: session, owner: session };
    onPrefix ??= session;
  }
  if (onPrefix === undefined) return undefined;
  return { origin: onPrefix, owner: ownerAbove(backend, onPrefix, base, readable) };
}

/** Follows `parent_session` to the session whose own entry the base is, then looks at all. */
function ownerAbove(backend: Backend, from: Session, base: string, readable: Readable): Session {
  const seen = new Set([from.header.id]);
  let at: Session | undefined = from;
  while (at !== undefined) {
    if (holds(at, base) === 'own') return at;
    const { parentSession }: Session['header'] = at.header;
    if (parentSession === undefined || seen.has(parentSession) || !readable(parentSession)) break;
    seen.add(parentSession);
    at = readStored(backend, parentSession);
  }
  const needle = Buffer.from(base);
  for (const id of backend.ids()) {
    if (seen.has(id) || !readable(id)) continue;
    const stored = backend.read(id);
    if (stored === undefined || !contains(stored.bytes, needle)) continue;
    const { session } = readSession(memorySource(stored.bytes));
    if (session !== undefined && holds(session, base) === 'own') return session;
  }
  return from;
}

function contains(bytes: Uint8Array, needle: Buffer): boolean {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).indexOf(needle) >= 0;
}
