/** What a suite of cases needs of a kind of store: fresh, opened again, a second writer, a reader. */
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Session } from '../../src/session/session.ts';
import { draft, type EntryDraft } from '../../src/session/write/draft.ts';
import { codeOf, isCondition } from '../../src/store/errors.ts';
import type { LineStore } from '../../src/store/lineStore.ts';
import { type DurableStoreOptions, jsonlStore, memoryStore, sqliteStore } from '../../src/store/open.ts';

export type Kind = 'memory' | 'jsonl' | 'sqlite';

/** A disk in memory where there is one: the cases are about what is kept, not about how long a sync takes. */
export const DISK = existsSync('/dev/shm') ? '/dev/shm' : tmpdir();

/** One place for sessions, and every store value opened on it. */
export class Place {
  readonly kind: Kind;
  /** Milliseconds; a case may move it. */
  now = Date.parse('2026-10-02T12:00:00.000Z');
  readonly folder = mkdtempSync(join(DISK, 'audit-store-'));
  readonly #stores: LineStore[] = [];

  constructor(kind: Kind) {
    this.kind = kind;
  }

  get path(): string {
    return this.kind === 'sqlite' ? join(this.folder, 'sessions.db') : join(this.folder, 'sessions');
  }

  async open(options: DurableStoreOptions = {}): Promise<LineStore> {
    const all = { now: () => this.now, ...options };
    const store =
      this.kind === 'memory'
        ? memoryStore(all)
        : this.kind === 'jsonl'
          ? jsonlStore(this.path, all)
          : await sqliteStore(this.path, all);
    this.#stores.push(store);
    return store;
  }

  /** The store as a later process finds it; the store in memory is its own later process. */
  async reopen(store: LineStore): Promise<LineStore> {
    if (this.kind === 'memory') return store;
    await store.close();
    this.#stores.splice(this.#stores.indexOf(store), 1);
    return this.open();
  }

  async end(): Promise<void> {
    for (const store of this.#stores) await store.close();
    rmSync(this.folder, { recursive: true, force: true });
  }
}

/** The code of the condition that an action ends with; `none` when it does not fail. */
export async function refusal(action: () => unknown): Promise<string> {
  try {
    await action();
  } catch (error) {
    return codeOf(error) ?? `no code: ${String(error)}`;
  }
  return 'none';
}

export async function refusedAs(action: () => unknown, code: string): Promise<boolean> {
  try {
    await action();
  } catch (error) {
    return isCondition(error, code);
  }
  return false;
}

export async function all<T>(items: AsyncIterable<T>): Promise<T[]> {
  const list: T[] = [];
  for await (const item of items) list.push(item);
  return list;
}

export function user(text: string, envelope: Parameters<typeof draft>[2] = {}): EntryDraft {
  return draft('item', { item: { type: 'message', role: 'user', content: [{ type: 'input_text', text }] } }, envelope);
}

export function info(name: string): EntryDraft {
  return draft('info', { name });
}

export function config(model: string): EntryDraft {
  return draft('config', { model });
}

export function leafLabelOn(target: string | null): EntryDraft {
  return draft('label', { label: 'leaf', target }, { parent: target });
}

export function ids(session: Session): string[] {
  return Array.from({ length: session.size }, (_, index) => session.id(index));
}

export function leafOf(session: Session): string | null {
  return session.leaf < 0 ? null : session.id(session.leaf);
}
