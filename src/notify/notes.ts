/**
 * What the checks of a trail note down: the condition in the specification's own word, its severity, and where it is (notifications 14).
 * `finding.ts` turns notes into findings, `report.ts` into the rows of the notify report.
 */
import type { Condition } from './catalogue.ts';
import { SEVERITIES } from './catalogue.ts';

/** The three marks of 14: a promise broken or evidence inconsistent; lateness or what a crash explains; context. */
export type NoteSeverity = 'error' | 'warning' | 'info';

export interface Note {
  readonly condition: Condition;
  readonly severity: NoteSeverity;
  /** `trail`, `journal`, `deliveries`, `heads`, `open`, `open:<segment>` or `index:<index>`. */
  readonly where: string;
  /** Position of the record, from 0. */
  readonly index?: number;
  readonly key?: string;
  /** One sentence in our own words; never a record's text. */
  readonly message: string;
  readonly expected?: string;
  readonly actual?: string;
}

export interface NoteMore {
  readonly index?: number | undefined;
  readonly key?: string | undefined;
  readonly severity?: NoteSeverity;
  readonly expected?: string | undefined;
  readonly actual?: string | undefined;
}

export class Notes {
  readonly list: Note[] = [];

  add(condition: Condition, where: string, message: string, more: NoteMore = {}): void {
    const { index, key, expected, actual, severity = SEVERITIES[condition] } = more;
    this.list.push({
      condition,
      severity,
      where,
      message,
      ...(index === undefined ? {} : { index }),
      ...(key === undefined ? {} : { key }),
      ...(expected === undefined ? {} : { expected }),
      ...(actual === undefined ? {} : { actual }),
    });
  }
}

const LAST = Number.MAX_SAFE_INTEGER;
const PLACES = ['trail', 'journal', 'deliveries', 'heads', 'open', 'index'];

/** The order of the report: where, index (absent last), code, key (15). */
export function sortNotes(notes: readonly Note[]): readonly Note[] {
  const ranks = new Map<string, number>();
  for (const { where } of notes)
    if (!ranks.has(where)) ranks.set(where, PLACES.indexOf(where.split(':', 1)[0] as string));
  const rank = ({ where }: Note) => ranks.get(where) as number;
  const text = (a: string, b: string) => (a < b ? -1 : a > b ? 1 : 0);
  return [...notes].sort(
    (a, b) =>
      (a.where === b.where ? 0 : rank(a) - rank(b) || text(a.where, b.where)) ||
      (a.index ?? LAST) - (b.index ?? LAST) ||
      text(a.condition, b.condition) ||
      text(a.key ?? '', b.key ?? ''),
  );
}
