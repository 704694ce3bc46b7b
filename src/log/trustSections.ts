/**
 * The sections of a trust file that this folder owns: `witness_policies` (C2SP policies, `interop.md` 1.5) and `anchor_logs` (roots of anchor
 * logs that the auditor saw published, audit spec 3.10).
 */
import { utf8 } from '../bytes/encoding.ts';
import type { Finding } from '../finding/finding.ts';
import {
  bytes,
  check,
  integer,
  list,
  object,
  omitEmpty,
  Place,
  type Shape,
  type ShapeProblem,
  string,
} from '../json/shape.ts';
import { parseInstant } from '../time/instant.ts';
import type { Section, Trust } from '../trust/trust.ts';
import type { TrustedAnchorRoot } from './anchor.ts';
import { catalogue } from './catalogue.ts';
import { faultFinding } from './fault.ts';
import { type Policy, parsePolicy } from './policy.ts';

/** A policy of the trust file. */
export interface NamedPolicy {
  readonly name: string;
  readonly policy: Policy;
}

const policyShape = list(object({ name: string, policy: string }));

const anchorShape = list(
  object({
    name: string,
    size: check(integer, (size) => (size < 0 ? 'a size is not negative' : undefined)),
    root: check(bytes, (root) => (root?.length === 32 ? undefined : 'a root is 32 bytes in base64')),
    published: check(string, (time) => (parseInstant(time) === undefined ? 'the time is not RFC 3339' : undefined)),
    accuracy_ms: omitEmpty(check(integer, (span) => (span < 0 ? 'an accuracy is not negative' : undefined))),
  }),
);

/** The witness policies of the trust, and what is wrong with them. */
export async function witnessPolicies(
  trust: Trust,
): Promise<{ readonly policies: readonly NamedPolicy[]; readonly findings: readonly Finding[] }> {
  const findings: Finding[] = [];
  const policies: NamedPolicy[] = [];
  for (const section of trust.sections.get('witness_policies') ?? []) {
    for (const { name, policy } of readSection(section, policyShape, findings)) {
      const parsed = await parsePolicy(utf8(policy));
      if (parsed.ok) policies.push({ name, policy: parsed.value });
      else findings.push(faultFinding(parsed.fault, { part: `${section.file}, policy ${name}` }));
    }
  }
  return { policies, findings };
}

/** The roots of anchor logs in the trust, and what is wrong with them. */
export function trustedAnchorRoots(trust: Trust): {
  readonly roots: readonly TrustedAnchorRoot[];
  readonly findings: readonly Finding[];
} {
  const findings: Finding[] = [];
  const roots: TrustedAnchorRoot[] = [];
  for (const section of trust.sections.get('anchor_logs') ?? []) {
    for (const { name, size, root, published, accuracy_ms } of readSection(section, anchorShape, findings)) {
      const time = parseInstant(published);
      if (root === null || time === undefined) continue;
      roots.push({ name, size, root, published: time, accuracy: BigInt(accuracy_ms) * 1_000_000n });
    }
  }
  return { roots, findings };
}

function readSection<T>(section: Section, shape: Shape<readonly T[] | null>, findings: Finding[]): readonly T[] {
  const problems: ShapeProblem[] = [];
  const value = shape.read(section.node, new Place(section.bytes, problems));
  for (const { message, pointer, byte } of problems)
    findings.push(
      catalogue.find('log/trust-section', `the trust file says what is not understood: ${message}`, {
        where: { part: section.file, pointer, byte },
      }),
    );
  return problems.length === 0 ? (value ?? []) : [];
}

/** The policies under which a log is judged: those that list it, otherwise those that list no log at all. */
export function policiesFor(policies: readonly NamedPolicy[], origin: string): readonly NamedPolicy[] {
  const listing = policies.filter(({ policy }) => policy.logs.some((key) => key.name === origin));
  return listing.length > 0 ? listing : policies.filter(({ policy }) => policy.logs.length === 0);
}
