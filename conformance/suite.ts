/**
 * What a suite of vectors is: cases that each ask one operation one question. Questions and answers are JSON, so that the same case can
 * be put to this library or, with `--command`, to any other program.
 */

export type Json = null | boolean | number | string | readonly Json[] | { readonly [name: string]: Json };

/** An operation of this implementation: JSON in, JSON out. Bytes travel as base64 in members whose name ends in `_b64`. */
export type Operation = (params: { readonly [name: string]: Json }) => Json | Promise<Json>;

export interface Case {
  /** Unique within the suite; printed when it fails. */
  readonly name: string;
  readonly op: string;
  readonly params: { readonly [name: string]: Json };
  /** Undefined when the answer is right, otherwise what is wrong with it in one line. */
  expect(answer: Json): string | undefined;
  /** Why the case is not run. A case without a reason runs. */
  readonly skip?: string;
}

export interface Folder {
  /** Bytes of a file below the folder, by relative path with `/`. */
  bytes(path: string): Uint8Array;
  text(path: string): string;
  json(path: string): unknown;
  /** Relative paths of all files below the folder, sorted. */
  files(): readonly string[];
}

export interface Suite {
  /** Name of the suite, as in RESULTS.md. */
  readonly name: string;
  /** Folder below the vectors' root, such as `json/jcs`. */
  readonly folder: string;
  cases(folder: Folder): Iterable<Case>;
}

/** The usual expectation: deep equality of JSON, member order aside. */
export function equals(expected: Json): (answer: Json) => string | undefined {
  return (answer) => {
    const [want, got] = [stable(expected), stable(answer)];
    return want === got ? undefined : `expected ${clip(want)}, got ${clip(got)}`;
  };
}

function stable(value: Json): string {
  return JSON.stringify(value, (_, member: unknown) =>
    member !== null && typeof member === 'object' && !Array.isArray(member)
      ? Object.fromEntries(Object.entries(member).sort(([a], [b]) => (a < b ? -1 : 1)))
      : member,
  );
}

function clip(text: string): string {
  return text.length > 400 ? `${text.slice(0, 400)}…` : text;
}
