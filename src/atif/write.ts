/**
 * JSON text of a document (atif-export 12.2): two spaces an indent and a line feed at the end, as `JSON.stringify(document, null, 2)`
 * writes it. Depth costs no stack. Below 64 levels a value is written on one line, since indents of a deep value would fill a disk.
 */
import { canonicalNumber } from '../json/number.ts';
import type { Json, JsonObject } from './document.ts';

const INDENTED_LEVELS = 64;

interface Open {
  readonly close: string;
  readonly names: readonly string[] | undefined;
  readonly values: readonly Json[];
  at: number;
}

/** Compact JSON; `sorted` orders the members of every object by name. */
export function jsonText(value: Json, sorted = false): string {
  return write(value, 0, sorted);
}

/** The file of a document. */
export function documentText(document: object): string {
  return `${write(document as JsonObject, INDENTED_LEVELS, false)}\n`;
}

/** Steps that stand in several documents, with their text at the place of a step. */
const shared = new WeakMap<object, string>();

/** Has the text of a step written once for all documents that hold this same object. */
export function shareText(step: object): void {
  if (!shared.has(step)) shared.set(step, write(step as JsonObject, INDENTED_LEVELS, false, STEP_LEVEL));
}

/** Document, steps, step. */
const STEP_LEVEL = 2;

/** @param base level at which the value stands in the document. */
function write(root: Json, indented: number, sorted: boolean, base = 0): string {
  // Pieces are appended to one text: the engine joins them once, at the end.
  let text = '';
  const stack: Open[] = [];
  let next: Json | undefined = root;
  for (;;) {
    if (next !== undefined) {
      const known = indented > 0 && base + stack.length === STEP_LEVEL ? sharedText(next) : undefined;
      if (known !== undefined) text += known;
      else if (next === null || typeof next !== 'object') text += scalar(next);
      else {
        const isList = Array.isArray(next);
        let names = isList ? undefined : Object.keys(next).filter((name) => (next as JsonObject)[name] !== undefined);
        if (sorted) names = names?.sort();
        const values =
          names === undefined ? (next as readonly Json[]) : names.map((name) => (next as JsonObject)[name]);
        if (values.length === 0) text += isList ? '[]' : '{}';
        else {
          text += isList ? '[' : '{';
          stack.push({ close: isList ? ']' : '}', names, values: values as readonly Json[], at: 0 });
        }
      }
    }
    const open = stack.at(-1);
    if (open === undefined) return text;
    const pretty = base + stack.length <= indented;
    if (open.at === open.values.length) {
      stack.pop();
      if (pretty) text += lineBreak(base + stack.length);
      text += open.close;
      next = undefined;
      continue;
    }
    if (open.at > 0) text += ',';
    if (pretty) text += lineBreak(base + stack.length);
    const name = open.names?.[open.at];
    if (name !== undefined) text += JSON.stringify(name) + (pretty ? ': ' : ':');
    next = open.values[open.at++] as Json;
  }
}

const LINE_BREAKS = Array.from({ length: INDENTED_LEVELS + 1 }, (_, level) => `\n${'  '.repeat(level)}`);

function lineBreak(level: number): string {
  return LINE_BREAKS[level] as string;
}

function sharedText(value: Json): string | undefined {
  return typeof value === 'object' && value !== null ? shared.get(value) : undefined;
}

function scalar(value: null | boolean | number | string): string {
  if (typeof value === 'string') return JSON.stringify(value);
  return typeof value === 'number' ? canonicalNumber(value) : String(value);
}
