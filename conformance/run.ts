/** Runs suites against an implementation: this library, or another program that answers the same questions. */
import { join } from 'node:path';
import { OWN_VECTORS, openFolder, SHARED_VECTORS } from './folder.ts';
import { type Case, equals, type Json, type Operation, type Suite } from './suite.ts';

export interface Miss {
  readonly name: string;
  readonly problem: string;
}

export interface SuiteResult {
  readonly suite: string;
  readonly folder: string;
  /** The folder is not on this machine; nothing was run. */
  readonly absent: boolean;
  readonly ran: number;
  readonly passed: number;
  readonly misses: readonly Miss[];
  /** Reason to the names of the cases that it kept from running. */
  readonly skipped: ReadonlyMap<string, readonly string[]>;
}

/** Answers one question; `unsupported` when the implementation has no such operation. */
export type Answerer = (op: string, params: Case['params']) => Promise<{ answer: Json } | { unsupported: true }>;

/** This library as an answerer. */
export function libraryAnswerer(operations: ReadonlyMap<string, Operation>): Answerer {
  return async (op, params) => {
    const operation = operations.get(op);
    return operation === undefined ? { unsupported: true } : { answer: await operation(params) };
  };
}

/** Runs one suite. Suites whose folder begins with `own:` stand in the project's own vectors. */
export async function runSuite(suite: Suite, answer: Answerer): Promise<SuiteResult> {
  const path = suite.folder.startsWith('own:')
    ? join(OWN_VECTORS, suite.folder.slice(4))
    : join(SHARED_VECTORS, suite.folder);
  const folder = openFolder(path);
  const misses: Miss[] = [];
  const skipped = new Map<string, string[]>();
  const names = new Set<string>();
  let ran = 0;
  const base = { suite: suite.name, folder: suite.folder };
  if (folder === undefined) return { ...base, absent: true, ran, passed: 0, misses, skipped };
  for (const item of suite.cases(folder)) {
    if (names.has(item.name)) misses.push({ name: item.name, problem: 'two cases have this name' });
    names.add(item.name);
    if (item.skip !== undefined) {
      if (item.skip === '') misses.push({ name: item.name, problem: 'skipped without a reason' });
      skipped.set(item.skip, [...(skipped.get(item.skip) ?? []), item.name]);
      continue;
    }
    ran++;
    const problem = await runCase(item, answer);
    if (problem !== undefined) misses.push({ name: item.name, problem });
  }
  if (ran === 0 && skipped.size === 0) misses.push({ name: suite.name, problem: 'the suite has no cases' });
  return { ...base, absent: false, ran, passed: ran - misses.length, misses, skipped };
}

async function runCase(item: Case, answer: Answerer): Promise<string | undefined> {
  try {
    const given = await answer(item.op, item.params);
    return 'unsupported' in given ? `no operation ${item.op}` : item.expect(given.answer);
  } catch (error) {
    return `threw ${error instanceof Error ? error.message : String(error)}`;
  }
}

interface OwnCase {
  readonly name: string;
  readonly op: string;
  readonly params: Case['params'];
  readonly answer: Json;
}

/** The project's own vectors of one folder: files of `{about, cases: [{name, op, params, answer}]}`. */
export function ownSuite(folder: string): Suite {
  return {
    name: `own/${folder}`,
    folder: `own:${folder}`,
    *cases(files) {
      for (const file of files.files().filter((name) => name.endsWith('.json'))) {
        for (const item of (files.json(file) as { cases: readonly OwnCase[] }).cases) {
          yield { name: `${file}: ${item.name}`, op: item.op, params: item.params, expect: equals(item.answer) };
        }
      }
    },
  };
}
