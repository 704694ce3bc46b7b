/**
 * The heads of an artifact: each is checked under the key that the auditor holds for it and, where the caller asks, against the timestamp
 * rule (audit spec 3.4, 3.6, 3.8). A package repeats one head in every action, so a head that was checked is not checked again.
 */
import { base64, equalBytes } from '../bytes/encoding.ts';
import type { Finding, Verdict, Where } from '../finding/finding.ts';
import { DEFAULT_SKEW, headTimeFindings, type TreeHead, unusableHead } from '../log/head.ts';
import { authenticateHead, inForce, type KeyRing } from '../log/keyRing.ts';
import type { Instant } from '../time/instant.ts';

export interface HeadRules {
  /** The auditor's keys of the log; empty: none is held, so authorship stays undecided. Never taken from the artifact. */
  readonly ring: KeyRing;
  /** When set, the timestamp rule is applied to every head. */
  readonly time?: { readonly now: Instant | undefined; readonly skew?: Instant };
}

export interface HeadReport {
  readonly findings: readonly Finding[];
  readonly authorship: Verdict;
  /** Of the format and shape of a head: what it says can be compared and proven against. */
  readonly usable: boolean;
}

const NO_BYTES = new Uint8Array();

export class HeadChecker {
  readonly #rules: HeadRules;
  readonly #known = new Map<string, HeadReport>();

  constructor(rules: HeadRules) {
    this.#rules = rules;
  }

  /** The keys that may have signed something at the time of a head (a seal). */
  keysAt(head: TreeHead): KeyRing {
    return inForce(this.#rules.ring, head.timestamp_nanos);
  }

  /** Whether the auditor holds any key at all. */
  get hasKey(): boolean {
    return this.#rules.ring.length > 0;
  }

  check(head: TreeHead, where: Where): HeadReport {
    const identity = headIdentity(head);
    let report = this.#known.get(identity);
    if (report === undefined) {
      report = this.#judge(head);
      this.#known.set(identity, report);
    }
    return { ...report, findings: report.findings.map((finding) => ({ ...finding, where })) };
  }

  #judge(head: TreeHead): HeadReport {
    const unusable = unusableHead(head);
    if (unusable !== undefined) return { findings: [unusable], authorship: 'undecided', usable: false };
    const { time, ring } = this.#rules;
    const findings: Finding[] = [];
    let authorship: Verdict = 'undecided';
    if (ring.length > 0) {
      const authentication = authenticateHead(head, ring);
      authorship = authentication.ok ? 'verified' : 'failed';
      if (!authentication.ok) findings.push(...authentication.findings);
    }
    if (time !== undefined) findings.push(...headTimeFindings(head, time.now, time.skew ?? DEFAULT_SKEW));
    return { findings, authorship, usable: true };
  }
}

function headIdentity(head: TreeHead): string {
  const text = (bytes: Uint8Array | null) => (bytes === null ? '-' : base64(bytes));
  return JSON.stringify([
    head.format,
    head.kind,
    head.run_id,
    head.size,
    text(head.root),
    head.timestamp_nanos.toString(),
    head.journal === null ? null : [head.journal.size, text(head.journal.root)],
    head.alg,
    text(head.signature),
  ]);
}

/** The root of a head, empty bytes where it has none (which can satisfy no proof). */
export function rootOf(head: { readonly root: Uint8Array | null }): Uint8Array {
  return head.root ?? NO_BYTES;
}

function sameBytes(a: Uint8Array | null, b: Uint8Array | null): boolean {
  return equalBytes(a ?? NO_BYTES, b ?? NO_BYTES);
}

/** Which of the members that name a tree differ (audit spec 4.2, "Same tree"); undefined when two heads are of the same tree. */
export function treeDifference(a: TreeHead, b: TreeHead): string | undefined {
  if (a.kind !== b.kind) return 'kind';
  if (a.run_id !== b.run_id) return 'run_id';
  if (a.size !== b.size) return 'size';
  if (!sameBytes(a.root, b.root)) return 'root';
  if (a.journal === null || b.journal === null) return a.journal === b.journal ? undefined : 'journal';
  return a.journal.size === b.journal.size && sameBytes(a.journal.root, b.journal.root) ? undefined : 'journal';
}
