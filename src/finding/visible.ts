/** Untrusted text made inert: control and bidirectional characters become visible escapes, in every format (design/cli.md, "Output"). */

const INVISIBLE =
  /[\p{Cc}\p{Zl}\p{Zp}\p{Surrogate}\u061C\u200B-\u200F\u202A-\u202E\u2060-\u2069\uFEFF\uFFF9-\uFFFB\u{E0000}-\u{E007F}]/gu;

/** The text on one line, every character that could move, hide or reorder others written as `\u{hex}`. */
export function visible(text: string): string {
  return text.replace(INVISIBLE, (character) => `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`);
}
