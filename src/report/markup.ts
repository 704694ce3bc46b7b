/** Text that goes into a page. Everything that came from an input passes through here, so that none of it is ever markup. */
import { visible } from '../finding/visible.ts';

/** Text that is safe in an element and in a quoted attribute, and in the log of a job that prints the page (interop 5.3). */
export function text(value: string): string {
  return visible(value)
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')
    .replaceAll("'", '&#39;')
    .replace(/#(?=#\w*\[)/g, '&#35;');
}

/** A verdict as a mark with its word: colour is never all that tells it. */
export function mark(
  verdict: 'verified' | 'failed' | 'undecided',
  words: Readonly<Record<typeof verdict, string>>,
): string {
  const sign = { verified: '✓', failed: '✗', undecided: '?' }[verdict];
  return `<span class="mark ${verdict}">${sign} ${words[verdict]}</span>`;
}
