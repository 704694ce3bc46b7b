/**
 * The valid policies of a path (RFC 5280 6.1.2 (a) to 6.1.5 (g)) as the graph of RFC 9618, which gives the results of the standard's tree without
 * its exponential growth: one node for each policy at each depth, with all its parents.
 */
import { OID } from './certificate.ts';
import type { PolicyInformation, PolicyMapping } from './structures.ts';

interface Node {
  readonly policy: string;
  readonly notices: readonly string[];
  expected: ReadonlySet<string>;
  readonly parents: readonly Node[];
}

const ANY = OID.anyPolicy;

/** A policy that holds for the path, in the terms of the first CA's domain, with the user notices that go with it. */
export interface ValidPolicy {
  readonly oid: string;
  readonly notices: readonly string[];
}

/** The valid policy graph; only its deepest level is kept, with links upward. `null` (RFC 5280's NULL tree) when no policy is left. */
export class PolicyGraph {
  #level: ReadonlyMap<string, Node> | null;

  constructor() {
    const root: Node = { policy: ANY, notices: [], expected: new Set([ANY]), parents: [] };
    this.#level = new Map([[ANY, root]]);
  }

  get empty(): boolean {
    return this.#level === null;
  }

  /** 6.1.3 (d): the certificate's policies; (e): none. `anyAllowed` is the condition of (d)(2). */
  descend(policies: readonly PolicyInformation[] | undefined, anyAllowed: boolean): void {
    const above = this.#level;
    if (above === null) return;
    const level = new Map<string, Node>();
    const expecting = new Map<string, Node[]>();
    for (const node of above.values())
      for (const policy of node.expected) {
        const nodes = expecting.get(policy);
        if (nodes === undefined) expecting.set(policy, [node]);
        else nodes.push(node);
      }
    const anyAbove = above.get(ANY);
    for (const { oid, notices } of policies ?? []) {
      if (oid === ANY) continue;
      const parents = expecting.get(oid) ?? (anyAbove === undefined ? [] : [anyAbove]); // (d)(1)(i), (ii)
      if (parents.length > 0) level.set(oid, { policy: oid, notices, expected: new Set([oid]), parents });
    }
    const any = policies?.find((policy) => policy.oid === ANY);
    if (any !== undefined && anyAllowed) {
      for (const [policy, parents] of expecting) {
        if (!level.has(policy))
          level.set(policy, { policy, notices: any.notices, expected: new Set([policy]), parents }); // (d)(2)
      }
    }
    this.#settle(level); // (d)(3), (e)
  }

  /** 6.1.4 (b)(1): each mapped policy now expects what it is mapped to. */
  map(mappings: readonly PolicyMapping[], policies: readonly PolicyInformation[] | undefined): void {
    if (this.#level === null) return;
    const level = new Map(this.#level);
    for (const [issuerPolicy, subjects] of grouped(mappings)) {
      const node = level.get(issuerPolicy);
      const any = level.get(ANY);
      if (node !== undefined) node.expected = subjects;
      else if (any !== undefined) {
        const notices = policies?.find((policy) => policy.oid === ANY)?.notices ?? [];
        level.set(issuerPolicy, { policy: issuerPolicy, notices, expected: subjects, parents: any.parents });
      }
    }
    this.#settle(level);
  }

  /** 6.1.4 (b)(2): mapping is inhibited, so mapped policies end here. */
  unmap(mappings: readonly PolicyMapping[]): void {
    if (this.#level === null) return;
    const level = new Map(this.#level);
    for (const { issuerPolicy } of mappings) level.delete(issuerPolicy);
    this.#settle(level);
  }

  #settle(level: ReadonlyMap<string, Node>): void {
    this.#level = level.size === 0 ? null : level;
  }

  /**
   * 6.1.5 (g): the policies valid for the path. Without `initial` (any-policy) all of them; otherwise those of `initial`, judged by the policy under
   * which the first CA of each chain of mappings issued.
   */
  valid(initial: ReadonlySet<string> | undefined): readonly ValidPolicy[] {
    if (this.#level === null) return [];
    const found = new Map<string, Set<string>>();
    const add = (oid: string, notices: readonly string[]): void => {
      const texts = found.get(oid) ?? new Set();
      for (const notice of notices) texts.add(notice);
      found.set(oid, texts);
    };
    for (const leaf of this.#level.values()) {
      if (leaf.policy === ANY) {
        if (initial === undefined) add(ANY, leaf.notices);
        continue;
      }
      const { policies, notices } = ancestry(leaf);
      for (const oid of policies) if (initial === undefined || initial.has(oid)) add(oid, notices);
    }
    const any = this.#level.get(ANY);
    if (any !== undefined) for (const oid of initial ?? []) if (!found.has(oid)) add(oid, any.notices);
    return [...found].map(([oid, notices]) => ({ oid, notices: [...notices] }));
  }
}

/**
 * (g)(iii)(1): policies of the nodes above a leaf, or the leaf itself, whose parent is anyPolicy; and the notices that stand with them on
 * the way, the anyPolicy that stood in for a policy included (RFC 5280 6.1.5: for display).
 */
function ancestry(leaf: Node): { readonly policies: ReadonlySet<string>; readonly notices: readonly string[] } {
  const policies = new Set<string>();
  const notices: string[] = [...leaf.notices];
  const seen = new Set<Node>([leaf]);
  for (const node of seen) {
    for (const parent of node.parents) {
      notices.push(...parent.notices);
      if (parent.policy === ANY) policies.add(node.policy);
      else seen.add(parent);
    }
  }
  return { policies, notices };
}

function grouped(mappings: readonly PolicyMapping[]): ReadonlyMap<string, ReadonlySet<string>> {
  const groups = new Map<string, Set<string>>();
  for (const { issuerPolicy, subjectPolicy } of mappings) {
    const group = groups.get(issuerPolicy) ?? new Set();
    group.add(subjectPolicy);
    groups.set(issuerPolicy, group);
  }
  return groups;
}
