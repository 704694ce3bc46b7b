/** Functions that rewrite texts: given secrets, home folders, values of the environment, rules, and shapes of credentials. */
import { CREDENTIALS } from './credentials.ts';
import type { RewriteText } from './rewriteStrings.ts';
import { Spellings } from './spellings.ts';
import type { Secret } from './standing.ts';

/** One after the other. */
export function inOrder(...redactors: readonly RewriteText[]): RewriteText {
  return (text) => redactors.reduce((rewritten, redactor) => redactor(rewritten), text);
}

/**
 * Replaces given texts wherever they stand, however they are spelled there (`Spellings`).
 *
 * @param given each with what stands in its place; empty ones are passed over.
 */
export function secrets(given: readonly Secret[]): RewriteText {
  const byText = new Map<string, string>();
  for (const { secret, by } of given) if (secret !== '' && !byText.has(secret)) byText.set(secret, by);
  if (byText.size === 0) return (text) => text;
  const spellings = new Spellings(byText);
  return (text) => {
    const found = spellings.in(text);
    if (found.length === 0) return text;
    let rewritten = '';
    let done = 0;
    for (const { start, end, by } of found) {
      rewritten += text.slice(done, start) + by;
      done = end;
    }
    return rewritten + text.slice(done);
  };
}

/** Home folders become `~`, whosoever they are: `/home/NAME`, `/Users/NAME`, `C:\Users\NAME`, and those given. */
export function homePaths(given: readonly string[] = []): RewriteText {
  const own = secrets(given.filter((path) => path.length > 1).map((path) => ({ secret: path, by: '~' })));
  return (text) =>
    own(text).replace(
      /(?:\/(?:home|Users)\/|[A-Za-z]:(?:\\{1,2}|\/)Users(?:\\{1,2}|\/))[^/\\\s"'<>|:;,()]{1,255}/g,
      '~',
    );
}

/** A value of fewer characters stands in too many texts. */
const LEAST_VALUE = 6;

/** Values of environment variables, each by its name; those of fewer than six characters are passed over. */
export function environment(variables: { readonly [name: string]: string | undefined }): RewriteText {
  return secrets(environmentSecrets(variables));
}

/** What `environment` replaces, and by what. */
export function environmentSecrets(variables: { readonly [name: string]: string | undefined }): readonly Secret[] {
  return Object.entries(variables).flatMap(([name, value]) =>
    value === undefined || value.length < LEAST_VALUE ? [] : [{ secret: value, by: `[${name}]` }],
  );
}

/** Whatever has the shape of a common credential. */
export const credentials: RewriteText = (text) =>
  CREDENTIALS.reduce((rewritten, { name, pattern }) => rewritten.replace(pattern, `[${name}]`), text);
