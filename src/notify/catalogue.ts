/** Every finding that a notification trail can have (notifications 14), the conditions in the specification's own words. */
import { defineCatalogue } from '../finding/catalogue.ts';
import { BINDING_ENTRIES } from './catalogue/binding.ts';
import { DELIVERY_ENTRIES } from './catalogue/delivery.ts';
import { END_ENTRIES } from './catalogue/ends.ts';
import { OPEN_ENTRIES } from './catalogue/open.ts';
import { RECORD_ENTRIES } from './catalogue/records.ts';
import type { NoteSeverity } from './notes.ts';

const entries = { ...RECORD_ENTRIES, ...DELIVERY_ENTRIES, ...END_ENTRIES, ...OPEN_ENTRIES, ...BINDING_ENTRIES };

export const catalogue = defineCatalogue(entries);

export type NotifyCode = keyof typeof entries;

type Bare<Code> = Code extends `notify/${infer Name}` ? Name : never;

/** The specification's name of a finding: the code without the folder. */
export type Condition = Bare<NotifyCode>;

const WORD = { error: 'error', warning: 'warning', note: 'info' } as const;

/** The severity of each condition where a rule does not say otherwise. */
export const SEVERITIES = Object.fromEntries(
  Object.entries(entries).map(([code, { severity }]) => [code.slice('notify/'.length), WORD[severity]]),
) as Readonly<Record<Condition, NoteSeverity>>;
