/** Following a session as it grows (session-store 1.11): by what the storage shows, without a hold and without writing. */
import { memorySource } from '../bytes/source.ts';
import { draftOfLine } from '../session/write/draft.ts';
import { LiveSession } from '../session/write/live.ts';
import type { Backend } from './backend.ts';
import type { Change, Cursor } from './contract.ts';
import { StoreError } from './errors.ts';

const FIRST_PAUSE_MS = 100;
const LEAST_LONGEST_PAUSE_MS = 1000;

export interface FollowOptions {
  readonly signal?: AbortSignal;
  /** Longest pause between two looks; at least a second is allowed. */
  readonly intervalMs?: number;
}

/** The follower's own session, placed by the resume rule over the lines seen so far (session-format 1.9). */
class Followed {
  readonly session: LiveSession;

  constructor(bytes: Uint8Array) {
    this.session = LiveSession.open(memorySource(bytes), { checks: 'read' });
  }

  /** Takes the next line; false for one that the session has already. Throws for one that does not extend it. */
  take(line: Uint8Array): boolean {
    const { session } = this;
    const prepared = session.prepare(draftOfLine(line));
    if (prepared.outcome === 'held') return false;
    session.commit(prepared);
    session.leaf = session.resolvedLeaf;
    return true;
  }
}

function gone(id: string): StoreError {
  return new StoreError('no_session', `the session ${id} is not there any more`);
}

/** Changes of a session, from a cursor or from the beginning. Ends when the signal is aborted; throws no_session when it is deleted. */
export async function* followSession(
  backend: Backend,
  id: string,
  from: Cursor | undefined,
  options: FollowOptions,
): AsyncGenerator<Change> {
  const { signal } = options;
  if (isAborted(signal)) return;
  const longest = Math.max(LEAST_LONGEST_PAUSE_MS, options.intervalMs ?? 0);
  const load = (): { followed: Followed; cursor: Cursor } => {
    const stored = backend.read(id);
    if (stored === undefined) throw gone(id);
    return { followed: new Followed(stored.bytes.subarray(0, stored.whole)), cursor: stored.cursor };
  };
  const wakeup = new Wakeup();
  const unwatch = backend.watch(id, () => wakeup.wake());
  try {
    let pause = FIRST_PAUSE_MS;
    let { followed, cursor } = load();
    if (from === undefined) yield { kind: 'snapshot', session: followed.session, cursor };
    else {
      // A session that is followed from the middle is read whole, then what stands behind the cursor is told.
      const tail = backend.tail(id, from);
      const behind = tail.kind === 'lines' ? replay(backend, id, tail.lines.length) : undefined;
      if (behind === undefined) yield { kind: 'reset', session: followed.session, cursor };
      else {
        followed = behind;
        cursor = from;
      }
    }
    while (!isAborted(signal)) {
      // The bell is armed before the look, or an append in between would be missed.
      const rung = wakeup.arm();
      const tail = backend.tail(id, cursor);
      if (tail.kind === 'gone' || tail.kind === 'other') throw gone(id);
      let reset = tail.kind === 'reset';
      let came = reset;
      for (const { line, cursor: after } of tail.kind === 'lines' ? tail.lines : []) {
        if (isAborted(signal)) return;
        came = true;
        cursor = after;
        const { session } = followed;
        const leaf = session.leafId;
        try {
          if (!followed.take(line)) continue;
        } catch {
          reset = true;
          break;
        }
        const index = session.size - 1;
        const entry = session.entry(index);
        yield { kind: 'appended', session, id: session.id(index), entry, cursor };
        if (entry.kind === 'label' && entry.label === 'leaf' && session.leafId !== leaf)
          yield { kind: 'head', session, leaf: session.leafId, cursor };
      }
      if (reset) {
        ({ followed, cursor } = load());
        yield { kind: 'reset', session: followed.session, cursor };
      }
      if (came) pause = FIRST_PAUSE_MS;
      else {
        await rung.wait(pause, signal);
        pause = Math.min(longest, pause * 2);
      }
    }
  } finally {
    unwatch();
    wakeup.close();
  }
}

function isAborted(signal: AbortSignal | undefined): boolean {
  return signal?.aborted === true;
}

/** The session without its last lines; undefined where they are no longer the last. */
function replay(backend: Backend, id: string, behind: number): Followed | undefined {
  const stored = backend.read(id);
  if (stored === undefined) return undefined;
  let end = stored.whole;
  for (let left = behind; left > 0 && end > 0; ) {
    const start = stored.bytes.lastIndexOf(0x0a, end - 2) + 1;
    if (end - start > 1) left--;
    end = start;
  }
  try {
    return new Followed(stored.bytes.subarray(0, end));
  } catch {
    return undefined;
  }
}

/** Waits for a time, a bell or an abort, whichever is first, and leaves nothing behind. */
class Wakeup {
  #ring: (() => void) | undefined;

  wake(): void {
    this.#ring?.();
  }

  arm(): { wait(milliseconds: number, signal: AbortSignal | undefined): Promise<void> } {
    let rung = false;
    this.#ring = () => {
      rung = true;
    };
    return {
      wait: (milliseconds, signal) =>
        new Promise((resolve) => {
          if (rung || signal?.aborted === true) return resolve();
          const done = (): void => {
            clearTimeout(timer);
            signal?.removeEventListener('abort', done);
            this.#ring = undefined;
            resolve();
          };
          const timer = setTimeout(done, milliseconds);
          signal?.addEventListener('abort', done);
          this.#ring = done;
        }),
    };
  }

  close(): void {
    this.#ring = undefined;
  }
}
