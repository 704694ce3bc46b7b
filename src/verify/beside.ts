/** What may lie beside an artifact: journals, heads, grants, events and lists, found among companions and heads by what they are. */

import { readExactly } from '../bytes/source.ts';
import type { JournalTree } from '../evidence/journalTree.ts';
import { treeOfJournal } from '../evidence/journalTree.ts';
import { readArtifact } from '../evidence/place.ts';
import { readExport } from '../journal/export.ts';
import { decode, type Shape } from '../json/shape.ts';
import { headShape, type TreeHead } from '../log/head.ts';
import { wholeInput } from './artifact.ts';
import type { Input, VerifyContext } from './kind.ts';
import { topFormat } from './topFormat.ts';

/** Something found beside an input, with the name of its file. */
export interface Beside<T> {
  readonly path: string;
  readonly value: T;
}

function textStart({ source }: Input): string {
  const start = readExactly(source, 0, Math.min(source.size, 4096));
  source.close?.();
  return new TextDecoder().decode(start);
}

/** Every companion that decodes as a shape; others are as good as absent. */
export function companionsOf<T>(context: VerifyContext, shape: Shape<T>): readonly Beside<T>[] {
  return (context.companions ?? []).flatMap((input) => {
    if (!/^\s*[{[]/.test(textStart(input))) return [];
    const bytes = wholeInput(input);
    const decoded = bytes === undefined ? undefined : decode(shape, bytes);
    return decoded?.ok === true ? [{ path: input.path, value: decoded.value }] : [];
  });
}

/** A journal export of a run among the companions. */
export function journalBeside(context: VerifyContext, run: string): Beside<JournalTree> | undefined {
  for (const input of context.companions ?? []) {
    if (topFormat(textStart(input))?.startsWith('bide.audit.journal-export.') !== true) continue;
    const bytes = wholeInput(input);
    const journal = bytes === undefined ? undefined : readExport(bytes).journal;
    if (journal?.run === run) return { path: input.path, value: treeOfJournal(journal) };
  }
  return undefined;
}

/** Heads given with `--head`, or lying among the companions, that read. */
export function headsBeside(context: VerifyContext): readonly Beside<TreeHead>[] {
  return [...(context.heads ?? []), ...(context.companions ?? [])].flatMap((input) => {
    if (topFormat(textStart(input))?.startsWith('bide.audit.sth.') !== true) return [];
    const bytes = wholeInput(input);
    const read = bytes === undefined ? undefined : readArtifact(headShape, bytes, { part: input.path });
    return read?.ok === true ? [{ path: input.path, value: read.value }] : [];
  });
}

/** The policies that the trust files approve: `approved_policies`, lists of digests. Undefined where no file says so. */
export function approvedPolicies(context: VerifyContext): ReadonlySet<string> | undefined {
  const sections = context.trust.sections.get('approved_policies');
  if (sections === undefined || sections.length === 0) return undefined;
  const digests = new Set<string>();
  for (const { node } of sections)
    if (node.kind === 'array')
      for (const item of node.items) if (item.kind === 'string' && !item.illFormed) digests.add(item.value);
  return digests;
}
