/** What the steps of an audit find, and what each finding does to the claims of the gate. */
import type { Finding, Missing, Verdict } from '../finding/finding.ts';
import type { GateAudit } from './audit.ts';
import { catalogue } from './catalogue.ts';

/** Collects what the steps find, and what it does to each claim. */
export class Problems {
  readonly findings: Finding[] = [];
  readonly missing: Missing[] = [];
  readonly #claims = new Map<ClaimName, Verdict>();
  readonly call: string;
  constructor(call: string) {
    this.call = call;
  }

  add(
    claim: ClaimName,
    code: Parameters<typeof catalogue.find>[0],
    message: string,
    more: {
      readonly at?: { readonly name: string; readonly position: number } | undefined;
      readonly expected?: string;
      readonly actual?: string;
      readonly severity?: 'warning' | 'note';
    } = {},
  ): void {
    const { at, expected, actual, severity } = more;
    const finding = catalogue.find(code, message, {
      where: at === undefined ? { entry: this.call } : { entry: at.name, pointer: `/records/${at.position}` },
      ...(expected === undefined ? {} : { expected }),
      ...(actual === undefined ? {} : { actual }),
      ...(severity === undefined ? {} : { severity }),
    });
    this.findings.push(finding);
    // What cannot be used decides nothing; only what was read and does not hold fails a claim.
    if (finding.class !== 'none') this.decide(claim, finding.class === 'not_verified' ? 'failed' : 'undecided');
  }

  need(claim: ClaimName, item: string, who: string, from: string | null = null): void {
    this.missing.push({ claim, item, who, from });
  }

  decide(claim: ClaimName, verdict: Verdict): void {
    const before = this.#claims.get(claim);
    if (before === undefined || verdict === 'failed' || (verdict === 'undecided' && before === 'verified'))
      this.#claims.set(claim, verdict);
  }

  get claims(): GateAudit['claims'] {
    return Object.fromEntries(this.#claims) as GateAudit['claims'];
  }
}

export type ClaimName = 'count' | 'outcome' | 'disclosure';
