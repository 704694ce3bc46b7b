/** The known word that a mistyped one was probably meant to be. */

/**
 * The closest of the candidates by edit distance; where none is within a third of the word's length, the one that begins or ends with it
 * ("secret" for "secret-env", "id-mismatch" for "session/id-mismatch").
 */
export function nearest(word: string, candidates: readonly string[]): string | undefined {
  let best: string | undefined;
  let least = Math.max(2, Math.floor(word.length / 3)) + 1;
  for (const candidate of candidates) {
    const distance = editDistance(word.slice(0, 64), candidate);
    if (distance < least) [best, least] = [candidate, distance];
  }
  if (best !== undefined || word.length < 3) return best;
  return candidates.find((name) => name.startsWith(word)) ?? candidates.find((name) => name.endsWith(word));
}

function editDistance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, i) => i);
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++) {
      const substituted = (row[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1);
      next.push(Math.min(substituted, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1));
    }
    row = next;
  }
  return row[b.length] ?? 0;
}
