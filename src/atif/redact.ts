/** Rewriting finished documents: atif-export 10. The session is never touched; a redactor gives a new document. */
import { type AtifDocument, isObject, type Json, type JsonObject, type Step } from './document.ts';

export type Redactor = (document: AtifDocument) => AtifDocument;

export const REPLACEMENT = '[REDACTED]';

/** Runs redactors in order. */
export function redact(document: AtifDocument, ...redactors: readonly Redactor[]): AtifDocument {
  return redactors.reduce((redacted, redactor) => redactor(redacted), document);
}

/** A redactor that applies a function to every string value, at every depth; names, numbers and booleans stay. */
export function rewriteStrings(rewrite: (text: string) => string): Redactor {
  return (document) => rewritten(document as unknown as Json, rewrite) as unknown as AtifDocument;
}

/** Every occurrence of each value becomes `[REDACTED]`; longer values first, so that none is left in part. */
export function secrets(...values: readonly string[]): Redactor {
  const sorted = values.filter((value) => value !== '').sort((a, b) => b.length - a.length);
  if (sorted.length === 0) return (document) => document;
  return rewriteStrings((text) => sorted.reduce((redacted, value) => redacted.replaceAll(value, REPLACEMENT), text));
}

/** A home folder becomes `~`, in the middle of longer names too. */
export function homePaths(home: string): Redactor {
  const cleaned = cleanPath(home);
  if (cleaned === '' || cleaned === '.' || cleaned === '/') return (document) => document;
  return rewriteStrings((text) =>
    text.replaceAll(`${cleaned}/`, '~/').replaceAll(`${cleaned}\\`, '~\\').replaceAll(cleaned, '~'),
  );
}

/** A path without a trailing slash, `.`, `..` and doubled slashes. */
function cleanPath(path: string): string {
  if (path === '') return '';
  const rooted = path.startsWith('/');
  const parts: string[] = [];
  for (const part of path.split('/')) {
    if (part === '' || part === '.') continue;
    if (part !== '..') parts.push(part);
    else if (parts.length > 0 && parts.at(-1) !== '..') parts.pop();
    else if (!rooted) parts.push(part);
  }
  return `${rooted ? '/' : ''}${parts.join('/')}` || (rooted ? '/' : '.');
}

/** Takes the environment out of the root and of every step, and the working folder beside it. */
export function environment(): Redactor {
  const clean = (extra: JsonObject): JsonObject => {
    const { environment: _, ...rest } = extra;
    const { agentsession } = rest;
    if (!isObject(agentsession)) return rest;
    const { cwd: __, ...kept } = agentsession;
    return { ...rest, agentsession: kept };
  };
  return everyDocument((document) => ({
    ...document,
    ...cleaned(document, clean),
    steps: document.steps.map((step) => ({ ...step, ...cleaned(step, clean) })),
  }));
}

/** Takes the raw items out of every step and result; the root keeps the payload's name. */
export function noPassthrough(): Redactor {
  const clean = ({ openresponses: _, ...rest }: JsonObject): JsonObject => rest;
  return everyDocument((document) => ({
    ...document,
    steps: document.steps.map((step): Step => {
      const { observation } = step;
      const stripped = { ...step, ...cleaned(step, clean) };
      if (observation === undefined || observation === null) return stripped;
      const results = observation.results.map((result) => ({ ...result, ...cleaned(result, clean) }));
      return { ...stripped, observation: { ...observation, results } };
    }),
  }));
}

function cleaned(
  { extra }: { readonly extra?: JsonObject | null },
  clean: (extra: JsonObject) => JsonObject,
): { readonly extra?: JsonObject } {
  return extra === undefined || extra === null ? {} : { extra: clean(extra) };
}

/** A change of one document, made in every embedded one too. Embedding is as deep as a document's own depth, so a stack holds the work. */
function everyDocument(change: Redactor): Redactor {
  return (root) => {
    // Children first: each document is changed once those inside it are.
    const order: AtifDocument[] = [];
    const work = [root];
    for (let next = work.pop(); next !== undefined; next = work.pop()) {
      order.push(next);
      work.push(...(next.subagent_trajectories ?? []));
    }
    const changed = new Map<AtifDocument, AtifDocument>();
    for (const document of order.reverse()) {
      const inner = document.subagent_trajectories;
      const made = change(document);
      changed.set(
        document,
        inner === undefined || inner === null
          ? made
          : { ...made, subagent_trajectories: inner.map((child) => changed.get(child) as AtifDocument) },
      );
    }
    return changed.get(root) as AtifDocument;
  };
}

interface Open {
  readonly names: readonly string[] | undefined;
  readonly values: readonly Json[];
  readonly made: Json[];
}

/** A value with every string in it rewritten. Depth costs no stack. */
export function rewritten(root: Json, rewrite: (text: string) => string): Json {
  const stack: Open[] = [];
  let next: Json = root;
  for (;;) {
    let value: Json | undefined;
    if (typeof next === 'string') value = rewrite(next);
    else if (next === null || typeof next !== 'object') value = next;
    else if (Array.isArray(next)) stack.push({ names: undefined, values: next as readonly Json[], made: [] });
    else stack.push({ names: Object.keys(next), values: Object.values(next), made: [] });
    for (;;) {
      const open = stack.at(-1);
      if (open === undefined) return value as Json;
      if (value !== undefined) open.made.push(value);
      if (open.made.length < open.values.length) {
        next = open.values[open.made.length] as Json;
        break;
      }
      stack.pop();
      value =
        open.names === undefined
          ? open.made
          : Object.fromEntries(open.names.map((name, i) => [name, open.made[i] as Json]));
    }
  }
}
