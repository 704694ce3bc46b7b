/** Stores that fail on purpose, and two processes that take turns in every way. */
import type { Inserted, JournalStore, StoreEntry } from '../../src/journal/port.ts';
import { Crash, type Process, START, seededRandom, steppingClock } from './player.ts';

export interface CrashPoint {
  /** The write at which a process dies, counted from 0 over all processes since the crash before. */
  readonly write: number;
  /** Before it reaches the store, or after it is durable and before the process learns of it. */
  readonly when: 'before' | 'after';
}

/** Crashes to come, whichever process makes the write. */
export class Crashes {
  #writes = 0;
  readonly #points: CrashPoint[];
  constructor(points: readonly CrashPoint[] = []) {
    this.#points = [...points];
  }
  /** Writes since the last crash. */
  get writes(): number {
    return this.#writes;
  }
  /** Counts a write; when it is one to die at. */
  next(): CrashPoint['when'] | undefined {
    const point = this.#points[0];
    if (point === undefined || this.#writes++ !== point.write) {
      if (point === undefined) this.#writes++;
      return undefined;
    }
    this.#points.shift();
    this.#writes = 0;
    return point.when;
  }
}

/** A process over a store, that dies when its time has come. */
export function crashingProcess(store: JournalStore, seed: string, crashes: Crashes = new Crashes()): Process {
  let dead = false;
  const alive = () => {
    if (dead) throw new Crash('the process is dead');
  };
  const die = (): never => {
    dead = true;
    throw new Crash('the process died');
  };
  return {
    alive,
    random: seededRandom(seed),
    now: steppingClock(START),
    store: {
      async insert(run, name, data): Promise<Inserted> {
        alive();
        const when = crashes.next();
        if (when === 'before') return die();
        const inserted = await store.insert(run, name, data);
        if (when === 'after') return die();
        alive();
        return inserted;
      },
      async get(run, name): Promise<StoreEntry | undefined> {
        alive();
        return store.get(run, name);
      },
      async *load(run, after): AsyncIterable<StoreEntry> {
        alive();
        yield* store.load(run, after);
      },
    },
  };
}

/** Lets one process at a time do one operation on the store. */
export class Turnstile {
  readonly #waiting = new Map<string, (() => void)[]>();
  readonly #done = new Set<string>();

  /** A process whose every operation waits until it is let through. */
  wrap(who: string, process: Process): Process {
    const pass = () =>
      new Promise<void>((resolve) => {
        const queue = this.#waiting.get(who) ?? [];
        this.#waiting.set(who, queue);
        queue.push(resolve);
      });
    const { store } = process;
    return {
      ...process,
      store: {
        async insert(run, name, data) {
          await pass();
          return store.insert(run, name, data);
        },
        async get(run, name) {
          await pass();
          return store.get(run, name);
        },
        async *load(run, after) {
          await pass();
          yield* store.load(run, after);
        },
      },
    };
  }

  finished(who: string): void {
    this.#done.add(who);
  }

  /** Lets a process do some operations; fewer when it ends before. Gives how many it did. */
  async let(who: string, operations: number): Promise<number> {
    let let_ = 0;
    while (let_ < operations) {
      const next = await this.#next(who);
      if (next === undefined) break;
      let_++;
      next();
    }
    return let_;
  }

  async #next(who: string): Promise<(() => void) | undefined> {
    for (let i = 0; i < 10_000; i++) {
      const next = this.#waiting.get(who)?.shift();
      if (next !== undefined) return next;
      if (this.#done.has(who)) return undefined;
      // Whatever the process does next becomes known once its pending work has run.
      await (i < 100 ? Promise.resolve() : new Promise((resolve) => setTimeout(resolve, 0)));
    }
    throw new Error(`process ${who} neither ends nor comes to its store`);
  }
}
