/**
 * What a check has to say: findings, claims and what is missing. Architecture, "The one road a verification travels".
 *
 * Everything here is data. Checks return it, `verify` settles it, renderers print it; nothing throws it.
 */

/** What a finding does to the result of its input (design/cli.md, "Exit status"). */
export type FindingClass = 'not_verified' | 'no_verdict' | 'unusable' | 'none';

export type Severity = 'error' | 'warning' | 'note';

/** `folder/condition`, stable for ever. */
export type FindingCode = `${string}/${string}`;

/** The exact place of a finding. Every member is optional: a place names what it can. */
export interface Where {
  /** 1-based line of a line format. */
  readonly line?: number;
  /** 0-based offset into the input's bytes. */
  readonly byte?: number;
  /** Length in bytes of what the finding is about, from `byte` on. */
  readonly length?: number;
  /** 1-based column of `byte` in its line, in UTF-16 code units, and the column after the end. The road fills them in for text. */
  readonly column?: number;
  readonly endColumn?: number;
  /** Id of a session entry, name of a journal record, key of an event. */
  readonly entry?: string;
  /** JSON Pointer (RFC 6901) inside the line or document. */
  readonly pointer?: string;
  /** The part of an artifact, file of a bundle or certificate of a chain, where there are several. */
  readonly part?: string;
}

export interface Finding {
  readonly code: FindingCode;
  readonly class: FindingClass;
  readonly severity: Severity;
  /** One sentence: what is so, in plain words. */
  readonly message: string;
  readonly where: Where;
  readonly expected?: string;
  readonly actual?: string;
  /** `document section`, such as `session-format 4.4` or `RFC 6962 2.1.1`. */
  readonly rule: string;
  /** One sentence: what to do. */
  readonly remedy: string;
}

export type Verdict = 'verified' | 'failed' | 'undecided';

/** `rechecked`: derived here from the bytes; `asserted`: somebody's word, named in the detail; `none`: nothing decided it. */
export type Grade = 'rechecked' | 'asserted' | 'none';

/** What a reader may now rely on, and how far. */
export interface Claim {
  readonly claim: string;
  readonly verdict: Verdict;
  readonly grade: Grade;
  /** How far the claim reaches, in words: "path to entry X", "85 of 94 responses". */
  readonly scope: string;
  readonly detail: string;
  /** RFC 3339 instant until which the given bytes alone reproduce this answer, where that has an end. */
  readonly reproducible_until?: string;
}

/** What an undecided claim lacks: the smallest item that would decide it. Law 4. */
export interface Missing {
  readonly claim: string;
  readonly item: string;
  readonly who: string;
  /** RFC 3339 instant from which the item can exist, where that follows from the facts. */
  readonly from: string | null;
}

/** Verdict of several parts: failed beats undecided beats verified; of no part at all: undecided (law 2). */
export function mergeVerdicts(verdicts: Iterable<Verdict>): Verdict {
  let merged: Verdict | undefined;
  for (const verdict of verdicts) {
    if (verdict === 'failed') return 'failed';
    if (verdict === 'undecided' || merged === undefined) merged = verdict;
  }
  return merged ?? 'undecided';
}
