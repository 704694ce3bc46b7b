/** Continuation and names over any store (session-store 1.20, session-format 12.5). */

import { memorySource } from '../bytes/source.ts';
import { successors } from '../session/links.ts';
import type { Session } from '../session/session.ts';
import { continueSession as buildSuccessor, type HeaderInit } from '../session/write/create.ts';
import { joinLines } from '../session/write/joinLines.ts';
import type { LiveSession } from '../session/write/live.ts';
import type { JsonValue } from '../session/write/value.ts';
import type { SessionStore } from './contract.ts';
import { codeOf, DanglingRef, isCondition, RefMoved, type RefTarget, StoreError } from './errors.ts';

/**
 * Continues a session in a new one that takes up its settings. Of two that do it at once, one link lands; the other's successor is deleted.
 *
 * Throws superseded, no_session, session_locked.
 */
export async function continueSession(store: SessionStore, id: string, summary?: JsonValue): Promise<Session> {
  const old = await store.open(id);
  const { successor, link } = buildSuccessor(old, {}, summary);
  const made = await store.import(memorySource(joinLines([...successor.lines()])));
  try {
    await store.append(id, link);
  } catch (error) {
    await store.delete(made.header.id);
    throw error;
  }
  return made;
}

/** The end of the chain of successors from where a ref points. */
export async function resolveCurrent(
  store: SessionStore,
  name: string,
): Promise<{ readonly id: string; readonly moved: boolean }> {
  const { session } = await store.resolveRef(name);
  const id = await endOfChain(store, session);
  return { id, moved: id !== session };
}

async function endOfChain(store: SessionStore, from: string): Promise<string> {
  const seen = new Set<string>();
  for (let id = from; ; ) {
    if (seen.has(id)) throw new StoreError('origin_chain', `the successors of session ${from} form a circle`);
    seen.add(id);
    const { successor } = successors(await store.read(id));
    if (successor === undefined) return id;
    id = successor;
  }
}

/** A ref that moved while its session was continued; the successor exists, the caller decides. */
export class ContinuedRefMoved extends RefMoved {
  readonly successor: Session;
  constructor(name: string, current: RefTarget | null, successor: Session) {
    super(name, current);
    this.successor = successor;
  }
}

/** Continues the session at the end of the chain and moves the ref to the successor, dropping a pin. */
export async function continueRef(store: SessionStore, name: string, summary?: JsonValue): Promise<Session> {
  const target = await store.resolveRef(name);
  const successor = await continueSession(store, await endOfChain(store, target.session), summary);
  try {
    await store.updateRef(name, target, { session: successor.header.id }, 'continued');
  } catch (error) {
    if (error instanceof RefMoved) throw new ContinuedRefMoved(name, error.current, successor);
    throw error;
  }
  return successor;
}

/**
 * The session that a ref names, made when there is none: of several callers one creates it, the others open it. A ref whose session is
 * gone is given a new one.
 */
export async function sessionFor(store: SessionStore, name: string, init: HeaderInit): Promise<LiveSession> {
  for (;;) {
    let expected: RefTarget | null;
    try {
      const { session } = await store.resolveRef(name);
      return await store.open(session);
    } catch (error) {
      if (error instanceof DanglingRef) expected = error.target;
      else if (codeOf(error) === 'no_ref') expected = null;
      else throw error;
    }
    const made = await store.create(init);
    const { id } = made.header;
    try {
      await store.updateRef(name, expected, { session: id }, 'created');
      return made;
    } catch (error) {
      await store.delete(id);
      if (!isCondition(error, 'ref_moved')) throw error;
    }
  }
}
