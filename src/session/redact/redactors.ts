/** Functions that rewrite texts: given secrets, home folders, values of the environment, rules, and shapes of credentials. */
import { base64, utf8 } from '../../bytes/encoding.ts';
import { CREDENTIALS } from './credentials.ts';
import type { RewriteText } from './rewriteStrings.ts';

/** One after the other. */
export function inOrder(...redactors: readonly RewriteText[]): RewriteText {
  return (text) => redactors.reduce((rewritten, redactor) => redactor(rewritten), text);
}

/** The spellings in which a secret can stand in a text: itself, inside a JSON string, inside a URL, and in base64. */
function spellings(secret: string): readonly string[] {
  const json = JSON.stringify(secret).slice(1, -1);
  const encoded = encodeURIComponent(secret.replace(/\p{Surrogate}/gu, '\ufffd'));
  const bytes = utf8(secret);
  const in64 = base64(bytes);
  // A base64 of a few letters would stand in many texts by chance.
  const coded = bytes.length < 6 ? [] : [in64, in64.replace(/=+$/, '').replaceAll('+', '-').replaceAll('/', '_')];
  return [...new Set([secret, json, JSON.stringify(json).slice(1, -1), encoded, ...coded])];
}

/**
 * Replaces given texts wherever they stand.
 *
 * @param secrets each with what stands in its place; empty ones are passed over.
 */
export function secrets(given: readonly { readonly secret: string; readonly by: string }[]): RewriteText {
  const byText = new Map<string, string>();
  for (const { secret, by } of given)
    if (secret !== '') for (const spelled of spellings(secret)) if (!byText.has(spelled)) byText.set(spelled, by);
  if (byText.size === 0) return (text) => text;
  // The longest first: one secret may begin another.
  const pattern = new RegExp(
    [...byText.keys()]
      .sort((a, b) => b.length - a.length)
      .map((text) => text.replace(/[\\^$.*+?()[\]{}|/-]/g, '\\$&'))
      .join('|'),
    'g',
  );
  return (text) => text.replace(pattern, (found) => byText.get(found) ?? found);
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
