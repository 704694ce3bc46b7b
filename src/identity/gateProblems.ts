/** Findings and missing items of one gate, each said once. */
import type { Finding, Missing } from '../finding/finding.ts';
import { catalogue, type IdentityCode } from './catalogue.ts';
import type { DecisionNote, Noted } from './decision.ts';

type Short = IdentityCode extends `identity/${infer Name}` ? Name : never;

/** A record that a finding is about. */
export interface At {
  readonly name: string;
  readonly position: number;
}

export interface More {
  readonly at?: At | undefined;
  readonly expected?: string;
  readonly actual?: string;
  readonly missing?: Omit<Missing, 'claim' | 'from'> & { readonly from?: string };
}

/** What a note of the pipeline says to a reader. */
const NOTE_WORDS: Readonly<Record<DecisionNote, string>> = {
  'crl-number-reused': 'two different lists have one number',
  'revocation-withdrawn': 'a revocation is gone from a later list',
  'series-gap': 'the series of lists has a gap',
  'revoked-within-window': 'a compromise was reported within the window, without its date',
  'held-within-window': 'the certificate is on hold at the end of the window',
  'exec-status-overlap': 'the status was older than the age and within the overlap',
  'chain-extra-certificate': 'the decision carries a certificate that is not pinned',
  'certificate-not-supplied': 'the policy pins a key for which no certificate was supplied',
  'canonicaliser-unknown': 'no canonicaliser is mapped to the name in the policy',
  'head-times-elsewhere': 'the clock of the log is doubtful',
  'head-clock-ahead': 'the clock of the log ran ahead',
  'time-from-later-head': 'the independent time is not that of the first head',
  'tsa-accuracy-absent': 'the time stamp states no accuracy',
  'tsa-status-unknown': 'the time-stamp authority was not checked for revocation',
  'anchored-after-expiry': 'the decision became provable just after the certificate expired',
  'crl-unusable': 'a list cannot be used',
};

export class Problems {
  readonly call: string;
  readonly #findings: Finding[] = [];
  readonly #missing: Missing[] = [];
  readonly #said = new Set<string>();

  constructor(call: string) {
    this.call = call;
  }

  get findings(): readonly Finding[] {
    return this.#findings;
  }

  get missing(): readonly Missing[] {
    return this.#missing;
  }

  add(code: Short, message: string, { at, expected, actual, missing }: More): void {
    if (missing !== undefined) this.need({ claim: 'identity', from: null, ...missing });
    const key = `${code} ${at?.name ?? ''} ${message}`;
    if (this.#said.has(key)) return;
    this.#said.add(key);
    this.#findings.push(
      catalogue.find(`identity/${code}` as IdentityCode, message, {
        where: at === undefined ? { entry: this.call } : { entry: at.name, pointer: `/records/${at.position}` },
        ...(expected === undefined ? {} : { expected }),
        ...(actual === undefined ? {} : { actual }),
      }),
    );
  }

  note({ note, detail }: Noted, more: More): void {
    this.add(note, `${NOTE_WORDS[note]}: ${detail}`, more);
  }

  need(row: Missing): void {
    if (!this.#missing.some(({ item }) => item === row.item)) this.#missing.push(row);
  }
}
