/**
 * Where the engine's documentation leaves two readings, this program has one rule and offers the other as a switch (approver-identity 23).
 * A report lists the readings in use.
 */
export interface Readings {
  /** `leaf`: `approver_alg` names the scheme of the leaf's key (3.4). */
  readonly alg: 'x509' | 'leaf';
  /** `pss`: RSA signatures are RSASSA-PSS with SHA-256 and a salt of 32 bytes (3.4). */
  readonly rsa: 'pkcs1' | 'pss';
  /** `cap`: without an independent time the tier stays provisional, in place of not counting (11.5). */
  readonly independent_time: 'refuse' | 'cap';
  /** `anchor`: the anchor's certificate counts too (6, max_chain). */
  readonly max_chain: 'path' | 'anchor';
  /** `window`: a lifetime that is too long is a matter of the window (10.8). */
  readonly lifetime: 'usage' | 'window';
  /** `all`: a later generation may count decisions from before its hold (17 rule 4). */
  readonly generation: 'after-hold' | 'all';
}

export const DEFAULT_READINGS: Readings = {
  alg: 'x509',
  rsa: 'pkcs1',
  independent_time: 'refuse',
  max_chain: 'path',
  lifetime: 'usage',
  generation: 'after-hold',
};

const OTHERS: Readonly<Record<keyof Readings, string>> = {
  alg: 'leaf',
  rsa: 'pss',
  independent_time: 'cap',
  max_chain: 'anchor',
  lifetime: 'window',
  generation: 'all',
};

/** Readings from `name=value` texts; the text that is none. */
export function readReadings(texts: readonly string[]): Readings | { readonly problem: string } {
  const readings = new Map<string, string>(Object.entries(DEFAULT_READINGS));
  for (const text of texts) {
    const [name = '', value = ''] = text.split('=');
    const known = readings.has(name) ? [DEFAULT_READINGS[name as keyof Readings], OTHERS[name as keyof Readings]] : [];
    if (known.length === 0)
      return { problem: `there is no reading ${JSON.stringify(name)}; there are ${[...readings.keys()].join(', ')}` };
    if (!known.includes(value)) return { problem: `the reading ${name} is ${known.join(' or ')}` };
    readings.set(name, value);
  }
  return Object.fromEntries(readings) as unknown as Readings;
}
