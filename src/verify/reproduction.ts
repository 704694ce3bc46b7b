/** A report that was made elsewhere, held against the one that the same files give here: where they differ first. */

import { repeatedName } from '../bundle/members.ts';
import { utf8 } from '../bytes/encoding.ts';
import { escapeToken } from '../json/pointer.ts';
import { type JsonNode, parseTree } from '../json/tree.ts';
import type { Report } from './report.ts';

export interface Difference {
  /** JSON Pointer into the report. */
  readonly pointer: string;
  /** What the files give. */
  readonly expected: string;
  /** What the report says. */
  readonly actual: string;
}

export interface Reproduction {
  /** Undefined where the report could not be read. */
  readonly version: string | undefined;
  readonly differences: readonly Difference[];
}

/** Members that hold sentences, which another version of the program may word otherwise. */
const WORDS: ReadonlySet<string> = new Set([
  'message',
  'detail',
  'scope',
  'remedy',
  'rule',
  'item',
  'who',
  'text',
  'version',
]);
const MOST = 20;

/** The report as JSON bytes against the report of this run; undefined where it is no JSON text without repeated names. */
export function reproduce(bytes: Uint8Array, again: Report): Reproduction | undefined {
  const theirs = parseTree(bytes);
  if (!theirs.ok || theirs.root.kind !== 'object' || repeatedName(theirs.root) !== undefined) return undefined;
  const ours = parseTree(utf8(JSON.stringify(again)));
  if (!ours.ok) throw new Error('a report is JSON');
  const tool = theirs.root.members.find(({ name }) => name === 'tool')?.value;
  const version = tool?.kind === 'object' ? tool.members.find(({ name }) => name === 'version')?.value : undefined;
  const differences: Difference[] = [];
  compare(ours.root, theirs.root, '', differences);
  return { version: version?.kind === 'string' ? version.value : undefined, differences };
}

/** Whether a difference is one of wording alone. */
export function isWording({ pointer }: Difference): boolean {
  return WORDS.has(pointer.slice(pointer.lastIndexOf('/') + 1)) || /\/not_supplied\/[0-9]+$/.test(pointer);
}

/** Walks both trees together; it goes no deeper than ours does. */
function compare(ours: JsonNode | undefined, theirs: JsonNode | undefined, at: string, found: Difference[]): void {
  if (found.length >= MOST) return;
  if (ours?.kind === 'object' && theirs?.kind === 'object') {
    const [mine, other] = [ours, theirs].map(
      ({ members }) => new Map(members.map(({ name, value }) => [name, value])),
    ) as [Map<string, JsonNode>, Map<string, JsonNode>];
    for (const name of new Set([...mine.keys(), ...other.keys()]))
      compare(mine.get(name), other.get(name), `${at}/${escapeToken(name)}`, found);
  } else if (ours?.kind === 'array' && theirs?.kind === 'array') {
    for (let i = 0; i < Math.max(ours.items.length, theirs.items.length) && found.length < MOST; i++)
      compare(ours.items[i], theirs.items[i], `${at}/${i}`, found);
  } else if (said(ours) !== said(theirs)) found.push({ pointer: at, expected: said(ours), actual: said(theirs) });
}

function said(node: JsonNode | undefined): string {
  if (node === undefined) return 'nothing';
  if (node.kind === 'string') return JSON.stringify(node.value);
  if (node.kind === 'number') return node.text;
  return node.kind === 'object' ? 'an object' : node.kind === 'array' ? 'a list' : node.kind;
}
