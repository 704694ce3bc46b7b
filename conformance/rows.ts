/** Reading the rows of a file of vectors, whose members are what the file says that they are. */
import type { Json } from './suite.ts';

export type Row = { readonly [name: string]: Json };

/** A member that is an object; an empty one where it is absent. */
export const of = (value: Json | undefined): Row => (value ?? {}) as Row;
/** A member that is a list of rows. */
export const rows = (value: Json | undefined): readonly Row[] => (value ?? []) as readonly Row[];
/** A member that is a list of texts. */
export const texts = (value: Json | undefined): readonly string[] => (value ?? []) as readonly string[];
/** A member that is a text; an empty one where it is absent. */
export const text = (value: Json | undefined): string => String(value ?? '');
/** Base64 of the UTF-8 of a text. */
export const toBase64 = (utf8: string): string => btoa(String.fromCharCode(...new TextEncoder().encode(utf8)));
