/** Notes of the checks, and problems of documents, as findings with their places. */
import type { Finding, Where } from '../finding/finding.ts';
import { catalogue, type NotifyCode } from './catalogue.ts';
import type { TrailDocument } from './document.ts';
import type { InputProblem } from './input.ts';
import type { Note } from './notes.ts';

const CLASS = { error: 'not_verified', warning: 'none', info: 'none' } as const;
const SEVERITY = { error: 'error', warning: 'warning', info: 'note' } as const;

/**
 * The finding of a note.
 *
 * @param strict a warning fails the input too (15, `-strict`)
 */
export function noteFinding(note: Note, document: TrailDocument, strict = false): Finding {
  const { condition, severity, message, expected, actual } = note;
  return catalogue.find(`notify/${condition}`, message, {
    where: placeOf(note, document),
    severity: SEVERITY[severity],
    class: strict && severity === 'warning' ? 'not_verified' : CLASS[severity],
    ...(expected === undefined ? {} : { expected }),
    ...(actual === undefined ? {} : { actual }),
  });
}

function placeOf({ where, index, key }: Note, document: TrailDocument): Where {
  const list = listOf(where, document);
  const byte = index === undefined || list === undefined ? undefined : list.starts[index];
  return {
    part: where,
    ...(key === undefined ? {} : { entry: key }),
    ...(index === undefined || list === undefined ? {} : { pointer: `${list.pointer}/${index}` }),
    ...(byte === undefined ? {} : { byte }),
  };
}

/** Where records of a part stand in the document; undefined for parts that came in files of their own. */
function listOf(
  where: string,
  document: TrailDocument,
): { readonly starts: readonly number[]; readonly pointer: string } | undefined {
  if (where === 'trail')
    return { starts: document.starts, pointer: document.starts.length > 0 ? '/records' : '/leaves' };
  const open = document.open;
  const name = where.slice(where.indexOf(':') + 1);
  const part = where.startsWith('open:')
    ? open?.segments.find((segment) => segment.name === name)
    : where.startsWith('index:')
      ? open?.indexes.find((index) => index.name === name)
      : undefined;
  // A part of its own file has its positions there, and the finding names the part.
  return part === undefined
    ? undefined
    : { starts: part.pointer.startsWith('/open/') ? part.starts : [], pointer: part.pointer };
}

const CODE_OF: Readonly<Record<InputProblem['about'], NotifyCode>> = {
  document: 'notify/document-malformed',
  leaf: 'notify/leaf-malformed',
  head: 'notify/head-malformed',
  routing: 'notify/routing-invalid',
  limit: 'notify/too-many-records',
};

/** The findings of a document that cannot be used. `part` names the file where it is not the input itself. */
export function problemFindings(problems: readonly InputProblem[], part?: string): readonly Finding[] {
  return problems.map(({ about, message, pointer, byte, expected, actual }) =>
    catalogue.find(CODE_OF[about], message, {
      where: { pointer, byte, ...(part === undefined ? {} : { part }) },
      ...(expected === undefined ? {} : { expected }),
      ...(actual === undefined ? {} : { actual }),
    }),
  );
}

export function nothingToCheck(): Finding {
  return catalogue.find(
    'notify/nothing-to-check',
    'the document holds no record, no leaf, no head and no journal event',
  );
}
