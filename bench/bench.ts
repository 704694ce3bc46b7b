/** Measurements as ratios: the thing itself against a floor or a peer, alternating in the same run, so that a slow machine changes both. */

export interface Measurement {
  readonly name: string;
  /** What the ratio should be at most (`most`) or at least (`least`); printed, never a gate. */
  readonly most?: number;
  readonly least?: number;
  /** Gives the ratio and a line about the numbers behind it. */
  measure(): Promise<{ ratio: number; detail: string }> | { ratio: number; detail: string };
}

/** The least of what `rounds` runs of each give, alternating. */
export async function fastest(
  a: (round: number) => number | Promise<number>,
  b: (round: number) => number | Promise<number>,
  rounds: number,
): Promise<{ a: number; b: number }> {
  let [bestA, bestB] = [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY];
  for (let round = 0; round < rounds; round++) {
    bestA = Math.min(bestA, await a(round));
    bestB = Math.min(bestB, await b(round));
  }
  return { a: bestA, b: bestB };
}

/** Seconds of the fastest of `rounds` runs of each, alternating. */
export function compare(a: () => unknown, b: () => unknown, rounds = 5): Promise<{ a: number; b: number }> {
  return fastest(
    () => time(a),
    () => time(b),
    rounds,
  );
}

export async function time(action: () => unknown): Promise<number> {
  const start = performance.now();
  await action();
  return (performance.now() - start) / 1000;
}
