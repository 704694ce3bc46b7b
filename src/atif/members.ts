/**
 * Objects while a document is built: a run's end is added to the record of its start, wherever that landed (atif-export 6.6). Names come
 * from the session, so they are kept in maps until they are made members all at once.
 */
import type { Json, JsonObject } from './document.ts';

export type Draft = Json | Members | List;

/** A list that grows. */
export class List {
  readonly items: Draft[] = [];
}

/** An object under `extra`: written with its members sorted by name (6). */
export class Members {
  readonly #map = new Map<string, Draft>();

  /** Of rows whose value is undefined none is made. */
  static of(rows: readonly (readonly [name: string, value: Draft | undefined])[]): Members {
    const members = new Members();
    for (const [name, value] of rows) members.set(name, value);
    return members;
  }

  get size(): number {
    return this.#map.size;
  }
  has(name: string): boolean {
    return this.#map.has(name);
  }
  get(name: string): Draft | undefined {
    return this.#map.get(name);
  }
  set(name: string, value: Draft | undefined): void {
    if (value !== undefined) this.#map.set(name, value);
  }

  /** Appends to the list of that name, in place of a value that is none. */
  append(name: string, value: Draft): void {
    const found = this.#map.get(name);
    if (found instanceof List) found.items.push(value);
    else {
      const list = new List();
      list.items.push(value);
      this.#map.set(name, list);
    }
  }

  /** The object of that name, made where there is none. */
  object(name: string): Members {
    const found = this.#map.get(name);
    if (found instanceof Members) return found;
    const made = new Members();
    this.#map.set(name, made);
    return made;
  }

  /** Takes over every member of an object of the session; those that are there already give way unless `keep`. */
  copy(from: JsonObject, keep = false): void {
    for (const [name, value] of Object.entries(from)) if (!keep || !this.#map.has(name)) this.#map.set(name, value);
  }

  /** Takes over every member of another draft, and empties that. */
  absorb(from: Members): void {
    for (const [name, value] of from.#map) this.#map.set(name, value);
    from.#map.clear();
  }

  /** The finished object; undefined without a member. */
  finish(): JsonObject | undefined {
    return this.#map.size === 0 ? undefined : this.whole();
  }

  /** The same, `{}` included. */
  whole(): JsonObject {
    const rows = [...this.#map].sort(([a], [b]) => (a < b ? -1 : 1));
    return Object.fromEntries(rows.map(([name, value]) => [name, finished(value)]));
  }
}

function finished(draft: Draft): Json {
  if (draft instanceof Members) return draft.whole();
  if (draft instanceof List) return draft.items.map(finished);
  return draft;
}

/** An object of the members whose value is there, in the order given. */
export function object(rows: readonly (readonly [name: string, value: Json | undefined])[]): JsonObject {
  return Object.fromEntries(rows.filter((row): row is readonly [string, Json] => row[1] !== undefined));
}
