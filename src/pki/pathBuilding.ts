/**
 * Path building: depth first from the target towards the anchors, over issuers that match by name, whose key identifiers do not speak
 * against it, and whose key verifies the signature. The number of steps is bounded, so that a hostile set of certificates costs a finding
 * and not an hour. Every candidate is judged by `validatePath`; the first that is valid is the path, and `validPaths` gives all
 * of them (approver-identity 8: exactly one).
 */
import { equalBytes, hex } from '../bytes/encoding.ts';
import type { Finding } from '../finding/finding.ts';
import type { PublicKeyInfo } from './algorithm.ts';
import { catalogue } from './catalogue.ts';
import { type Certificate, describe, verifyCertificate } from './certificate.ts';
import type { Name } from './name.ts';
import {
  found,
  type Path,
  type PathJudgement,
  type PathOptions,
  type TrustAnchor,
  validatePath,
} from './pathValidation.ts';

/** Certificates in a path, anchor excluded. */
export const MAX_PATH_LENGTH = 12;
/** Issuer candidates looked at, and signatures checked, for one target. */
export const MAX_STEPS = 4096;
export const MAX_SIGNATURES = 512;

export interface PathSources {
  /** Certificates that may stand in a path; none of them is trusted. */
  readonly pool: readonly Certificate[];
  readonly anchors: readonly TrustAnchor[];
}

export interface BuildOptions extends PathOptions {
  /** Match issuers by the DER of their names, never past contradicting key identifiers, and use no key twice (approver-identity 8 step 3). */
  readonly strictIssuers?: boolean;
  readonly maxPathLength?: number;
}

export interface JudgedPath extends PathJudgement {
  readonly path: Path;
  readonly anchor: TrustAnchor | undefined;
}

interface Budget {
  steps: number;
  signatures: number;
  exhausted: boolean;
  /** The longest chain that led nowhere. */
  deadEnd: Path;
}

/** A possible issuer: an anchor, or a certificate of the pool. */
type Issuer = { readonly key: PublicKeyInfo; readonly name: Name } & (
  | { readonly anchor: TrustAnchor; readonly certificate?: undefined }
  | { readonly certificate: Certificate; readonly anchor?: undefined }
);

/** The first valid path; without one, the attempt that breaks fewest rules, with all its findings. */
export function buildPath(target: Certificate, sources: PathSources, options: BuildOptions): JudgedPath {
  const budget: Budget = { steps: 0, signatures: 0, exhausted: false, deadEnd: [target] };
  let best: JudgedPath | undefined;
  for (const candidate of candidates(target, sources, options, budget)) {
    const judged = { ...candidate, ...validatePath(candidate.path, candidate.anchor, options) };
    if (judged.valid) return judged;
    if (best === undefined || weight(judged) < weight(best)) best = judged;
  }
  const attempt = best ?? {
    path: budget.deadEnd,
    anchor: undefined,
    ...validatePath(budget.deadEnd, undefined, options),
  };
  const findings = [...(best === undefined ? [noPath(budget.deadEnd, sources)] : []), ...attempt.findings];
  if (budget.exhausted) findings.push(pathLimit(target));
  return { ...attempt, valid: false, findings };
}

/** Every valid path. `complete` is false when the search was given up, so that the number of paths is not known. */
export function validPaths(
  target: Certificate,
  sources: PathSources,
  options: BuildOptions,
): { readonly paths: readonly JudgedPath[]; readonly refused: readonly JudgedPath[]; readonly complete: boolean } {
  const budget: Budget = { steps: 0, signatures: 0, exhausted: false, deadEnd: [target] };
  const paths: JudgedPath[] = [];
  const refused: JudgedPath[] = [];
  for (const candidate of candidates(target, sources, options, budget)) {
    const judged = { ...candidate, ...validatePath(candidate.path, candidate.anchor, options) };
    if (judged.valid) paths.push(judged);
    else if (refused.length < 32) refused.push(judged);
  }
  return { paths, refused, complete: !budget.exhausted };
}

function weight(judged: JudgedPath): number {
  return judged.findings.filter((finding) => finding.class !== 'none').length;
}

function noPath(deadEnd: Path, { anchors }: PathSources): Finding {
  const depth = deadEnd.length - 1;
  const top = deadEnd[depth] as Certificate;
  const none = anchors.length === 0 ? 'no trust anchor was given' : 'no certificate or anchor given is its issuer';
  const message =
    top.selfIssued && verifyCertificate(top, top.publicKey) ? 'it is self-signed and not a trust anchor' : none;
  return found('pki/no-path', top, depth, message, `an issuer named ${top.issuer.text}`);
}

function pathLimit(target: Certificate): Finding {
  return catalogue.find('pki/path-limit', `${describe(target)}: the search for a path was given up`, {
    where: { part: 'depth 0' },
    expected: `at most ${MAX_STEPS} candidates, ${MAX_SIGNATURES} signatures and ${MAX_PATH_LENGTH} certificates`,
  });
}

function* candidates(
  target: Certificate,
  sources: PathSources,
  options: BuildOptions,
  budget: Budget,
): Generator<{ readonly path: Path; readonly anchor: TrustAnchor }> {
  const self = sources.anchors.find((anchor) => anchor.certificate?.sha256 === target.sha256);
  if (self !== undefined && options.strictIssuers !== true) {
    yield { path: [], anchor: self };
    return;
  }
  const byName = indexed(sources, options.strictIssuers === true);
  const limit = Math.min(options.maxPathLength ?? MAX_PATH_LENGTH, MAX_PATH_LENGTH);
  // An explicit stack: each level holds the issuers of its certificate that are still to be tried.
  const path: Certificate[] = [target];
  const pending: Issuer[][] = [issuersOf(path, byName, options, budget)];
  while (pending.length > 0) {
    const level = pending[pending.length - 1] as Issuer[];
    const issuer = level.shift();
    if (issuer === undefined) {
      pending.pop();
      path.pop();
      continue;
    }
    if (issuer.anchor !== undefined) {
      yield { path: [...path], anchor: issuer.anchor };
      continue;
    }
    if (path.length >= limit) {
      budget.exhausted ||= limit === MAX_PATH_LENGTH;
      continue;
    }
    path.push(issuer.certificate);
    if (path.length > budget.deadEnd.length) budget.deadEnd = [...path];
    pending.push(issuersOf(path, byName, options, budget));
  }
}

function indexed({ pool, anchors }: PathSources, strict: boolean): ReadonlyMap<string, readonly Issuer[]> {
  const index = new Map<string, Issuer[]>();
  const add = (issuer: Issuer): void => {
    const key = strict ? derKey(issuer.name) : issuer.name.key;
    const list = index.get(key);
    if (list === undefined) index.set(key, [issuer]);
    else list.push(issuer);
  };
  const trusted = new Set<string>();
  for (const anchor of anchors) {
    const identity = `${derKey(anchor.name)} ${anchor.publicKey.sha256}`;
    // Two certificates of one name and key are one anchor (approver-identity 8 step 4).
    if (trusted.has(identity) && strict) continue;
    trusted.add(identity);
    add({ anchor, key: anchor.publicKey, name: anchor.name });
  }
  const seen = new Set<string>();
  for (const certificate of pool) {
    if (seen.has(certificate.sha256)) continue;
    seen.add(certificate.sha256);
    add({ certificate, key: certificate.publicKey, name: certificate.subject });
  }
  return index;
}

function derKey(name: Name): string {
  return hex(name.der);
}

/** Issuers of the last certificate of a path, best first: those whose key verifies; without one, the first whose name and key identifier match, so that it can be reported. */
function issuersOf(
  path: readonly Certificate[],
  byName: ReadonlyMap<string, readonly Issuer[]>,
  options: BuildOptions,
  budget: Budget,
): Issuer[] {
  const child = path[path.length - 1] as Certificate;
  const strict = options.strictIssuers === true;
  const named = byName.get(strict ? derKey(child.issuer) : child.issuer.key) ?? [];
  const likely: Issuer[] = [];
  const unlikely: Issuer[] = [];
  for (const issuer of named) {
    if (++budget.steps > MAX_STEPS) {
      budget.exhausted = true;
      break;
    }
    if (path.some((used) => repeats(used, issuer, strict))) continue;
    if (contradicts(child, issuer)) {
      if (!strict) unlikely.push(issuer);
    } else likely.push(issuer);
  }
  const matching = [...likely, ...unlikely];
  const verifying: Issuer[] = [];
  for (const issuer of matching) {
    if (budget.signatures >= MAX_SIGNATURES) {
      budget.exhausted = true;
      break;
    }
    budget.signatures++;
    if (verifyCertificate(child, issuer.key)) verifying.push(issuer);
  }
  return verifying.length > 0 || strict ? verifying : likely.slice(0, 1);
}

function repeats(used: Certificate, issuer: Issuer, strict: boolean): boolean {
  if (issuer.certificate?.sha256 === used.sha256) return true;
  if (strict) return issuer.key.sha256 === used.publicKey.sha256;
  return (
    issuer.certificate !== undefined &&
    issuer.key.sha256 === used.publicKey.sha256 &&
    issuer.name.key === used.subject.key
  );
}

/** Authority and subject key identifier both stand and differ. */
function contradicts(child: Certificate, issuer: Issuer): boolean {
  const keyId = child.authorityKeyIdentifier?.keyId;
  const subjectKeyId = (issuer.certificate ?? issuer.anchor).subjectKeyIdentifier;
  return keyId !== undefined && subjectKeyId !== undefined && !equalBytes(keyId, subjectKeyId);
}
