/** All suites and operations, found by file name: `suites/*.ts` exports `suites`, `operations/*.ts` exports `operations`. */
import { readdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { Operation, Suite } from './suite.ts';

async function modules<T>(folder: string): Promise<readonly T[]> {
  const base = new URL(`${folder}/`, import.meta.url);
  const files = readdirSync(fileURLToPath(base)).filter((file) => /\.(ts|js)$/.test(file) && !file.endsWith('.d.ts'));
  return Promise.all(files.sort().map((file) => import(new URL(file, base).href) as Promise<T>));
}

export async function allSuites(): Promise<readonly Suite[]> {
  return (await modules<{ suites: readonly Suite[] }>('suites')).flatMap((module) => module.suites);
}

export async function allOperations(): Promise<ReadonlyMap<string, Operation>> {
  const rows = (await modules<{ operations: Readonly<Record<string, Operation>> }>('operations')).flatMap((module) =>
    Object.entries(module.operations),
  );
  return new Map(rows);
}
