/** The compiled schema as the text of `src/atif/schemaCheck.ts`. */
export function compiled(): string;
