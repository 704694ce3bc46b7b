/** Convergence (session-format 4.5): the references of `parents`, and what is wrong with them. */
import { ARRAY, type Node, NULL, name, OBJECT, type Scanner, STRING } from '../json/scan.ts';
import type { EntryRef } from './model.ts';

const SESSION = name('session');
const ENTRY = name('entry');

/** References in the order of the line, those into the session itself without a `session`; undefined when a type is wrong (4.1 row 8). */
export function readParents(scanner: Scanner, node: Node, sessionId: string): readonly EntryRef[] | undefined {
  if (node < 0 || scanner.kind[node] === NULL) return [];
  if (scanner.kind[node] !== ARRAY) return undefined;
  const refs: EntryRef[] = [];
  for (let at = scanner.first(node); at >= 0; at = scanner.following(node, at)) {
    if (scanner.kind[at] !== OBJECT) return undefined;
    const sessionRow = scanner.member(at, SESSION);
    if (sessionRow >= 0 && scanner.kind[sessionRow] !== STRING && scanner.kind[sessionRow] !== NULL) return undefined;
    const session = sessionRow >= 0 && scanner.kind[sessionRow] === STRING ? scanner.text(sessionRow) : '';
    const entryRow = scanner.member(at, ENTRY);
    const entry = entryRow >= 0 && scanner.kind[entryRow] === STRING ? scanner.text(entryRow) : '';
    refs.push(session === '' || session === sessionId ? { entry } : { session, entry });
  }
  return refs;
}

/** The first rule of 4.5 that the references break, in words with the place of the element; undefined when they keep all. */
export function convergenceProblem(
  refs: readonly EntryRef[],
  parent: string | null,
  isMet: (id: string) => boolean,
): { readonly index: number; readonly message: string; readonly actual: string } | undefined {
  if (refs.length === 0) return undefined;
  const seen = new Set<string>();
  for (let index = 0; index < refs.length; index++) {
    const { session, entry } = refs[index] as EntryRef;
    const broken = (message: string) => ({ index, message, actual: entry });
    if (entry === '') return broken('a reference in "parents" names no entry');
    const pair = JSON.stringify([session ?? '', entry]);
    if (seen.has(pair)) return broken('"parents" names one entry twice');
    seen.add(pair);
    if (session !== undefined) continue;
    if (entry === parent) return broken('"parents" names the parent of the entry itself');
    if (!isMet(entry)) return broken('"parents" names an entry that does not stand before it in the file');
  }
  return undefined;
}
