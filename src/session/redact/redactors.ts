/** Functions that rewrite texts: given secrets, home folders, values of the environment, rules, and shapes of credentials. */
import { CREDENTIALS } from './credentials.ts';
import type { RewriteText } from './rewriteStrings.ts';
import { Spellings } from './spellings.ts';

/** One after the other. */
export function inOrder(...redactors: readonly RewriteText[]): RewriteText {
  return (text) => redactors.reduce((rewritten, redactor) => redactor(rewritten), text);
}

/**
 * Replaces given texts wherever they stand, however they are spelled there (`Spellings`).
 *
 * @param given each with what stands in its place; empty ones are passed over.
 */
export function secrets(given: readonly { readonly secret: string; readonly by: string }[]): RewriteText {
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

/** Values of environment variables, each by its name; values of fewer than six characters stand in too many texts. */
export function environment(variables: { readonly [name: string]: string | undefined }): RewriteText {
  return secrets(
    Object.entries(variables).flatMap(([name, value]) =>
      value === undefined || value.length < 6 ? [] : [{ secret: value, by: `[${name}]` }],
    ),
  );
}

/** Whatever has the shape of a common credential. */
export const credentials: RewriteText = (text) =>
  CREDENTIALS.reduce((rewritten, { name, pattern }) => rewritten.replace(pattern, `[${name}]`), text);
