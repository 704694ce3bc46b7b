/**
 * Whether a CRL covers a certificate at one of its distribution points, and for which reasons (RFC 5280 6.3.3 (b), (d)); and whether a
 * delta belongs to a complete CRL ((c)). Names, scopes and numbers only: signatures and dates are `revocation.ts`.
 */
import { equalBytes } from '../bytes/encoding.ts';
import { type Certificate, OID } from './certificate.ts';
import type { Crl } from './crl.ts';
import { generalNameKey, type Name, relativeKey } from './name.ts';
import type { DistributionPoint, DistributionPointName } from './structures.ts';

/** All ReasonFlags but the unused bit 0. */
export const ALL_REASONS = 0b111111110;

const FLAG_NAMES = [
  'unused',
  'keyCompromise',
  'cACompromise',
  'affiliationChanged',
  'superseded',
  'cessationOfOperation',
  'certificateHold',
  'privilegeWithdrawn',
  'aACompromise',
];

/** Names of the flags in a mask, for people. */
export function reasonFlagNames(mask: number): string {
  return FLAG_NAMES.filter((_, bit) => (mask & (1 << bit)) !== 0).join(', ');
}

/** The point that every certificate has besides those it names: its issuer (6.3.3, last paragraph). */
export function pointsOf(certificate: Certificate): readonly DistributionPoint[] {
  const implicit: DistributionPoint = { name: { fullName: [{ kind: 'directory', name: certificate.issuer }] } };
  return [...(certificate.distributionPoints ?? []), implicit];
}

/** Why a CRL does not cover a certificate at a point, in words; or the reasons for which it does. */
export type Coverage = { readonly reasons: number } | { readonly outside: string };

export function coverage(crl: Crl, certificate: Certificate, point: DistributionPoint): Coverage {
  const { scope } = crl;
  // (b)(1)
  const issuers = point.crlIssuer?.flatMap((name) => (name.kind === 'directory' ? [name.name] : []));
  if (issuers !== undefined) {
    if (!issuers.some((name) => name.key === crl.issuer.key)) return { outside: 'another issuer of lists is named' };
    if (scope?.indirect !== true && crl.issuer.key !== certificate.issuer.key)
      return { outside: 'the list of another issuer is not marked as indirect' };
  } else if (crl.issuer.key !== certificate.issuer.key) return { outside: 'it is the list of another issuer' };
  if (scope === undefined) return { reasons: point.reasons ?? ALL_REASONS };
  // (b)(2)(i)
  if (scope.name !== undefined) {
    const ours = namesOf(scope.name, crl.issuer);
    const theirs =
      point.name === undefined
        ? new Set(point.crlIssuer?.map(generalNameKey))
        : namesOf(point.name, issuers?.[0] ?? certificate.issuer);
    if (![...ours].some((name) => theirs.has(name))) return { outside: 'it is limited to another distribution point' };
  }
  // (b)(2)(ii) to (iv)
  const ca = certificate.basicConstraints?.ca === true;
  if (scope.onlyUserCertificates && ca) return { outside: 'it is limited to certificates that are not of CAs' };
  if (scope.onlyCaCertificates && !ca) return { outside: 'it is limited to certificates of CAs' };
  if (scope.onlyAttributeCertificates) return { outside: 'it is limited to attribute certificates' };
  // (d)
  return { reasons: (scope.onlySomeReasons ?? ALL_REASONS) & (point.reasons ?? ALL_REASONS) & ALL_REASONS };
}

function namesOf(name: DistributionPointName, issuer: Name): ReadonlySet<string> {
  if (name.relativeName !== undefined) return new Set([`directory:${relativeKey(issuer, name.relativeName)}`]);
  return new Set(name.fullName?.map(generalNameKey));
}

/** Why a delta cannot be applied to a complete CRL (6.3.3 (c), 5.2.4), in words; undefined when it can, dates and signature aside. */
export function deltaMismatch(delta: Crl, complete: Crl): string | undefined {
  if (delta.issuer.key !== complete.issuer.key) return 'it has another issuer'; // (c)(1)
  if (!sameExtension(delta, complete, OID.issuingDistributionPoint)) return 'it has another scope'; // (c)(2)
  if (!sameExtension(delta, complete, OID.authorityKeyIdentifier)) return 'it names another key'; // (c)(3)
  if (delta.number === undefined || complete.number === undefined || delta.baseNumber === undefined)
    return 'one of the two has no number';
  if (complete.number < delta.baseNumber) return 'the complete list is older than its base';
  if (delta.number <= complete.number) return 'the complete list is as new';
  return undefined;
}

function sameExtension(a: Crl, b: Crl, oid: string): boolean {
  const [one, other] = [a.extensions.get(oid)?.value, b.extensions.get(oid)?.value];
  return one === undefined || other === undefined ? one === other : equalBytes(one, other);
}
