/** Named refs over any place for sessions (session-store 7): targets are looked up, everything else is the rules of refs.ts. */
import type { Session } from '../session/session.ts';
import { formatInstant, fromMilliseconds } from '../time/instant.ts';
import type { Backend } from './backend.ts';
import type { Ref, RefUpdate } from './contract.ts';
import { DanglingRef, type RefTarget, StoreError } from './errors.ts';
import { headerIdent, headerSpan } from './lineScan.ts';
import { checkName, checkPrefix, decideUpdate, targetOf } from './refs.ts';

export class StoreRefs {
  readonly #backend: Backend;
  readonly #read: (id: string) => Session;

  /** @param read a session as it is stored; throws where it does not read */
  constructor(backend: Backend, read: (id: string) => Session) {
    this.#backend = backend;
    this.#read = read;
  }

  /** Identity of the session under an id; undefined where there is none. */
  identOf(id: string): string | undefined {
    const stored = this.#backend.read(id);
    const span = stored === undefined ? undefined : headerSpan(stored.bytes);
    return stored === undefined || span === undefined
      ? undefined
      : headerIdent(stored.bytes.slice(span.start, span.end));
  }

  /** Literal: no successor is looked for. Throws ref_name, no_ref, and DanglingRef with the target. */
  resolve(name: string): RefTarget {
    checkName(name);
    const ref = this.#backend.refs.all().get(name);
    const target = targetOf(ref);
    if (ref === undefined || target === null) throw new StoreError('no_ref', `there is no ref ${JSON.stringify(name)}`);
    if (this.identOf(ref.session) !== ref.ident) throw new DanglingRef(name, target);
    return target;
  }

  /** Throws ref_moved, no_session, no_entry, ref_name, in that order. */
  update(name: string, expected: RefTarget | null, next: RefTarget | null, reason: string, now: number): void {
    const at = formatInstant(fromMilliseconds(now));
    this.#backend.refs.update(
      (refs) => decideUpdate(refs, name, expected, next, reason, (target) => this.#identOfTarget(target)),
      at,
    );
  }

  #identOfTarget({ session, entry = '' }: RefTarget): string {
    const ident = this.identOf(session);
    if (ident === undefined) throw new StoreError('no_session', `there is no session ${session.slice(0, 200)}`);
    if (entry !== '' && this.#read(session).find(entry) === undefined)
      throw new StoreError('no_entry', `session ${session} holds no entry ${entry.slice(0, 100)}`);
    return ident;
  }

  /** In the order of the bytes of their names, dangling ones too. */
  list(prefix: string): readonly Ref[] {
    checkPrefix(prefix);
    return [...this.#backend.refs.all()]
      .filter(([name]) => name.startsWith(prefix))
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([name, ref]) => ({ name, target: targetOf(ref) as RefTarget }));
  }

  /** Newest first. */
  log(name: string): readonly RefUpdate[] {
    checkName(name);
    return this.#backend.refs
      .log(name)
      .map(({ old, next, at, reason }) => ({ name, old: targetOf(old), new: targetOf(next), time: at, reason }))
      .reverse();
  }
}
