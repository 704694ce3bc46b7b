/**
 * The accepted chain: exactly one (approver-identity 8, steps numbered as there). Two paths can have different lists and different
 * revocations, so that two auditors could honestly disagree; therefore a second valid path refuses the decision.
 */
import { concat, utf8 } from '../bytes/encoding.ts';
import { type Certificate, refusedAlgorithm } from '../pki/certificate.ts';
import { type JudgedPath, validPaths } from '../pki/pathBuilding.ts';
import { bareAnchorOf } from '../pki/pathValidation.ts';
import { formatInstant, type Instant } from '../time/instant.ts';
import { digestOf } from './digests.ts';
import type { IdentityPolicy } from './policy.ts';
import type { Readings } from './readings.ts';

/** A path that passed the time-free checks: leaf, intermediates, and the anchor as a key. */
export interface PinnedPath {
  readonly certificates: readonly Certificate[];
  readonly anchorKey: string;
  readonly anchor: JudgedPath['anchor'] & object;
  /** The hashes of the certificates and of the anchor's key, as one. */
  readonly id: string;
}

export interface ChainInput {
  /** Certificates of the decision, leaf first; at least one. */
  readonly carried: readonly Certificate[];
  /** Certificates of the policy file. */
  readonly anchors: readonly Certificate[];
  readonly intermediates: readonly Certificate[];
  readonly policy: IdentityPolicy;
  readonly readings: Readings;
}

export interface TimeFree {
  readonly paths: readonly PinnedPath[];
  /** Why there is no path, in safe words; undefined when there is one. */
  readonly problem: string | undefined;
  /** Hashes of carried certificates that could not be used. */
  readonly extra: readonly string[];
  /** Keys that the policy pins and no certificate was supplied for. */
  readonly unsupplied: readonly string[];
}

const FORM_OF_KIND: Readonly<Record<string, string>> = { email: 'email', uri: 'uri', upn: 'other' };

/** Steps 1 to 6. */
export function timeFreePaths({ carried, anchors, intermediates, policy, readings }: ChainInput): TimeFree {
  const [leaf, ...rest] = carried;
  const pinned = (certificate: Certificate) => policy.intermediates.has(certificate.publicKey.sha256);
  const isAnchor = (certificate: Certificate) => policy.anchors.has(certificate.publicKey.sha256);
  // 2.
  const extra = rest
    .filter((certificate) => !isAnchor(certificate) && !pinned(certificate))
    .map(({ sha256 }) => sha256);
  const supplied = new Set([...anchors, ...intermediates, ...rest].map(({ publicKey }) => publicKey.sha256));
  const unsupplied = [...policy.anchors, ...policy.intermediates].filter((hash) => !supplied.has(hash));
  const none = (problem: string): TimeFree => ({ paths: [], problem, extra, unsupplied });
  if (leaf === undefined) return none('there is no certificate');
  // 1.
  if (isAnchor(leaf)) return none('the key of the leaf is the key of a trust anchor');
  const pool = [...intermediates, ...rest].filter((certificate) => pinned(certificate) && !isAnchor(certificate));
  // 3 and 4.
  const found = validPaths(
    leaf,
    { pool, anchors: anchors.filter(isAnchor).map(bareAnchorOf) },
    { at: undefined, strictIssuers: true },
  );
  if (!found.complete) return none('the search for chains was given up at its limit');
  const built = [...found.paths, ...found.refused.filter(onlyLeafKey)];
  const problems = new Set<string>();
  const paths = new Map<string, PinnedPath>();
  for (const { path, anchor } of built) {
    if (anchor === undefined) continue;
    // 5.
    const length = path.length + (readings.max_chain === 'anchor' ? 1 : 0);
    if (length > policy.maxChain) {
      problems.add(`a chain has ${length} certificates, the policy allows ${policy.maxChain}`);
      continue;
    }
    // 6, last sentences; the rest was judged on the way.
    if (policy.requireNameConstraints && !constrains(path.slice(1), policy.idKind)) {
      problems.add('no CA of a chain says which names it may certify');
      continue;
    }
    const id = digestOf(concat(...path.map(({ sha256 }) => utf8(sha256)), utf8(anchor.publicKey.sha256)));
    paths.set(id, { certificates: path, anchorKey: anchor.publicKey.sha256, anchor, id });
  }
  for (const { findings } of found.refused)
    for (const { code, where, class: cls } of findings)
      if (cls !== 'none') problems.add(`${code} at ${where.part ?? 'the leaf'}`);
  if (paths.size > 0) return { paths: [...paths.values()], problem: undefined, extra, unsupplied };
  return none(
    problems.size === 0
      ? 'no chain leads from the leaf over pinned intermediates to a trust anchor'
      : `no chain passes: ${[...problems].sort().slice(0, 8).join('; ')}`,
  );
}

/** A leaf whose own key is weak makes a path all the same; that is a matter of usage (10.6). */
function onlyLeafKey({ path, anchor, findings }: JudgedPath): boolean {
  const [leaf, issuer] = path;
  const issuerKey = issuer?.publicKey ?? anchor?.publicKey;
  if (leaf === undefined || issuerKey === undefined || refusedAlgorithm(leaf, issuerKey) !== undefined) return false;
  return findings.every(
    ({ code, where, class: cls }) => cls === 'none' || (code === 'pki/algorithm' && where.part === 'depth 0'),
  );
}

function constrains(authorities: readonly Certificate[], idKind: string): boolean {
  const form = FORM_OF_KIND[idKind];
  return authorities.some(({ nameConstraints }) => nameConstraints?.permitted.some(({ base }) => base.kind === form));
}

/** Steps 7 to 9: the one path that holds at A, or why there is none, or several. */
export function pathAt(
  paths: readonly PinnedPath[],
  at: Instant,
  policy: IdentityPolicy,
): { readonly path: PinnedPath } | { readonly problem: string } {
  const problems: string[] = [];
  const good = paths.filter((path) => {
    const problem = problemAt(path, at, policy);
    if (problem !== undefined) problems.push(problem);
    return problem === undefined;
  });
  const [only, second] = good;
  if (only !== undefined && second === undefined) return { path: only };
  if (only === undefined) return { problem: problems.sort().join('; ') };
  return {
    problem: `${good.length} chains verify: ${good
      .map(({ id }) => id)
      .sort()
      .join(', ')}`,
  };
}

function problemAt({ certificates, anchorKey }: PinnedPath, at: Instant, policy: IdentityPolicy): string | undefined {
  // 7. An anchor is a key: its own certificate may have expired.
  for (const certificate of certificates.slice(1)) {
    const { notBefore, notAfter, sha256 } = certificate;
    if (at < notBefore || at > notAfter)
      return `the CA certificate ${sha256} is valid from ${formatInstant(notBefore)} to ${formatInstant(notAfter)}, not at ${formatInstant(at)}`;
  }
  // 8.
  for (const key of [...certificates.map(({ publicKey }) => publicKey.sha256), anchorKey]) {
    const from = policy.distrust.get(key);
    if (from === null) return `the key ${key} is distrusted`;
    if (from !== undefined && at >= from) return `the key ${key} is distrusted from ${formatInstant(from)} on`;
  }
  return undefined;
}
