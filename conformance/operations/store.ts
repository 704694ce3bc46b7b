/** Questions about stores: what may stand beside what, answered by one in memory; what a crash or a hand left in one on disk. */
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { hostname, tmpdir } from 'node:os';
import { dirname, join, sep } from 'node:path';
import { openSqlite } from '../../src/durable/sqlite.ts';
import { codeOf } from '../../src/store/errors.ts';
import type { LineStore } from '../../src/store/lineStore.ts';
import { jsonlStore, memoryStore, sqliteStore } from '../../src/store/open.ts';
import type { Json, Operation } from '../suite.ts';

const texts = (value: Json | undefined): readonly string[] => (Array.isArray(value) ? value.map(String) : []);

async function storeWith(names: readonly string[]): Promise<LineStore> {
  const store = memoryStore();
  await store.create({ id: 's' });
  for (const name of names) await store.updateRef(name, null, { session: 's' });
  return store;
}

/** A process is dead or alive on the machine that asks: vectors call it so. */
const here = (text: string): string => text.replaceAll('{host}', hostname());

function writeFiles(root: string, files: { readonly [path: string]: Json }): void {
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), here(String(text)));
  }
}

function filesBelow(root: string): ReadonlyMap<string, string> {
  const entries = readdirSync(root, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  const paths = entries.map(({ parentPath, name }) => join(parentPath, name)).sort();
  return new Map(paths.map((path) => [path.slice(root.length + 1).replaceAll(sep, '/'), readFileSync(path, 'utf8')]));
}

/** A document is what it says, however it is indented. */
function contentOf(path: string, text: string | undefined): Json {
  if (text === undefined) return null;
  return path.endsWith('.json') ? (JSON.parse(text) as Json) : text;
}

async function inStore<T>(store: LineStore, act: (store: LineStore) => T): Promise<T> {
  try {
    return act(store);
  } finally {
    await store.close();
  }
}

const told = (store: LineStore): string[] =>
  [...store.troubles()].map(({ finding: { code, where } }) =>
    where.part === undefined ? code : `${code} ${where.part}`,
  );

/** What a store has wrong beside its sessions, and what of that is left when it was set right. */
async function judged(open: (readOnly: boolean) => LineStore | Promise<LineStore>): Promise<Record<string, Json>> {
  const findings = await inStore(await open(true), told);
  await inStore(await open(false), (store) => {
    for (const { repair } of [...store.troubles()]) repair?.();
  });
  return { findings, left: await inStore(await open(true), told) };
}

async function inFolder<T>(act: (folder: string) => Promise<T>): Promise<T> {
  const folder = mkdtempSync(join(tmpdir(), 'audit-conformance-'));
  try {
    return await act(folder);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

export const operations: Record<string, Operation> = {
  'store/create_ref': async ({ name, beside }) => {
    const store = await storeWith(texts(beside));
    try {
      await store.updateRef(String(name), null, { session: 's' });
      return 'created';
    } catch (error) {
      return codeOf(error) ?? String(error);
    }
  },
  'store/list_refs': async ({ prefix, names }) => {
    const store = await storeWith(texts(names));
    const found: string[] = [];
    for await (const ref of store.listRefs(String(prefix))) found.push(ref.name);
    return found;
  },
  /** A folder of files, `{host}` in them the name of this machine: findings, those left after a repair, and the files that it changed. */
  'store/folder': ({ files }) =>
    inFolder(async (root) => {
      writeFiles(root, files as { readonly [path: string]: Json });
      const before = filesBelow(root);
      const answer = await judged((readOnly) => jsonlStore(root, { readOnly }));
      const after = filesBelow(root);
      const changed: Record<string, Json> = {};
      for (const path of [...new Set([...before.keys(), ...after.keys()])].sort())
        if (before.get(path) !== after.get(path)) changed[path] = contentOf(path, after.get(path));
      return { ...answer, changed };
    }),
  /** The same of a database: statements of SQL over the empty tables of session-store 5.1. */
  'store/database': ({ statements }) =>
    inFolder(async (folder) => {
      const path = join(folder, 'sessions.db');
      await (await sqliteStore(path)).close();
      const database = await openSqlite(path, { commit: 'durable' });
      database.exec(here(texts(statements).join(';')));
      database.close();
      return judged((readOnly) => sqliteStore(path, { readOnly }));
    }),
};
