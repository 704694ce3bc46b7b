/**
 * The catalogue: one entry for each finding code, kept by the module that emits it. `audit explain`, SARIF help, the page and the
 * docs are all made from it, and a module can emit no code that it does not describe.
 */
import type { Finding, FindingClass, FindingCode, Severity, Where } from './finding.ts';

export interface CatalogueEntry {
  /** A short title, without a full stop. */
  readonly title: string;
  /** What it does to the result, unless the reader of a kind says otherwise. */
  readonly class: FindingClass;
  /** `error` where the class is `not_verified` or `unusable`, as a rule. */
  readonly severity: Severity;
  /** Where the rule is written: `session-format 4.4`. */
  readonly rule: string;
  /** What it means, in plain words: one or two sentences. */
  readonly means: string;
  /** Why it matters to somebody who relies on the input. */
  readonly matters: string;
  /** How it is usually caused, honest causes first. */
  readonly causes: string;
  /** What to do: one sentence, printed with every finding. */
  readonly remedy: string;
}

/** What a finding says beside its code. */
export interface Particulars {
  readonly where?: Where;
  readonly expected?: string;
  readonly actual?: string;
  /** The class where the reader of this kind differs from the catalogue. */
  readonly class?: FindingClass;
  readonly severity?: Severity;
  /** A more exact section than the catalogue's. */
  readonly rule?: string;
  readonly remedy?: string;
}

export interface Catalogue<Code extends FindingCode> {
  readonly entries: Readonly<Record<Code, CatalogueEntry>>;
  /** Makes a finding of this catalogue. */
  find(code: Code, message: string, particulars?: Particulars): Finding;
}

const SEVERITY_OF_CLASS: Readonly<Record<FindingClass, Severity>> = {
  not_verified: 'error',
  unusable: 'error',
  no_verdict: 'warning',
  none: 'note',
};

/**
 * Declares the codes of one module.
 *
 * @param entries code to entry; the keys become the closed union of codes that `find` takes.
 */
export function defineCatalogue<const Code extends FindingCode>(
  entries: Readonly<Record<Code, CatalogueEntry>>,
): Catalogue<Code> {
  return {
    entries,
    find(code, message, particulars = {}) {
      const entry = entries[code];
      const { where = {}, expected, actual, rule = entry.rule, remedy = entry.remedy } = particulars;
      const cls = particulars.class ?? entry.class;
      const severity = particulars.severity ?? (cls === entry.class ? entry.severity : SEVERITY_OF_CLASS[cls]);
      return {
        code,
        class: cls,
        severity,
        message,
        where,
        ...(expected === undefined ? {} : { expected }),
        ...(actual === undefined ? {} : { actual }),
        rule,
        remedy,
      };
    },
  };
}
