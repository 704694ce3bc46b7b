/** Untrusted text made inert: control and bidirectional characters become visible escapes, in every format (design/cli.md, "Output"). */

const INVISIBLE =
  /[\p{Cc}\p{Zl}\p{Zp}\p{Surrogate}\u061C\u200B-\u200F\u202A-\u202E\u2060-\u2069\uFEFF\uFFF9-\uFFFB\u{E0000}-\u{E007F}]/gu;

/**
 * A line of a log in which no runner of a CI platform finds a command (interop 5.3): `::` is one at the start of a trimmed line, `##[`,
 * `##vso[` and the like anywhere.
 */
export function inert(line: string): string {
  return line.replace(/^(\s*):(?=:)/, '$1\\u{3a}').replace(/##(?=\w*\[)/g, '#\\u{23}');
}

/** At most so many UTF-16 code units of a text, never half of a character. */
export function clip(text: string, units: number): string {
  return text.length > units ? `${text.slice(0, units).replace(/[\ud800-\udbff]$/, '')}…` : text;
}

/** The text on one line, every character that could move, hide or reorder others written as `\u{hex}`. */
export function visible(text: string): string {
  return text.replace(INVISIBLE, (character) => `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`);
}

/** One line of printed text: everything untrusted in it visible, nothing in it a command to a CI runner, and its line feed. */
export function printed(line: string): string {
  return `${inert(visible(line))}\n`;
}
