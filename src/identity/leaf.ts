/**
 * What the leaf certificate says about its holder: the one identifier (approver-identity 9) and whether the key may be used for
 * approving (10, rules numbered as there).
 */
import { decodeUtf8 } from '../bytes/encoding.ts';
import { type Certificate, OID } from '../pki/certificate.ts';
import { contents, elementAt, Malformed, TAG } from '../pki/der.ts';
import type { GeneralName } from '../pki/name.ts';
import { weakness } from '../pki/signature.ts';
import { KEY_USAGE } from '../pki/structures.ts';
import { formatDuration } from '../time/duration.ts';
import { formatInstant, type Instant } from '../time/instant.ts';
import type { Canonicaliser } from './canonical.ts';
import type { PinnedPath } from './chain.ts';
import type { IdentityPolicy } from './policy.ts';
import type { Readings } from './readings.ts';

const UPN = '1.3.6.1.4.1.311.20.2.3';
const EMAIL_ADDRESS = '1.2.840.113549.1.9.1';
const EMAIL_PROTECTION = '1.3.6.1.5.5.7.3.4';

/** The canonical identifier of the leaf's one alternative name (9), or in safe words why there is none. */
export function identifierOfLeaf(
  leaf: Certificate,
  idKind: string,
  canonicalise: Canonicaliser,
): { readonly identifier: string } | { readonly problem: string } {
  // 1.
  const names = leaf.subjectAltNames ?? [];
  const [only, second] = names;
  if (only === undefined) return { problem: 'the certificate has no alternative name' };
  if (second !== undefined)
    return {
      problem: `the certificate has ${names.length} alternative names; which of them is meant would be a choice`,
    };
  const text = textOf(only, idKind);
  if (text === undefined) return { problem: `the alternative name is not of the kind ${idKind}` };
  // 3, because 2 compares with it.
  const identifier = canonicalise(text);
  if (identifier === undefined) return { problem: 'the alternative name has no canonical form' };
  // 2.
  for (const attribute of leaf.subject.rdns.flat())
    if (attribute.type === EMAIL_ADDRESS) {
      const address = attribute.text === undefined ? undefined : canonicalise(attribute.text);
      if (address !== identifier) return { problem: 'the subject holds a second, other mail address' };
    }
  return { identifier };
}

function textOf(name: GeneralName, idKind: string): string | undefined {
  if (idKind === 'upn') return name.kind === 'other' && name.type === UPN ? utf8String(name.value) : undefined;
  return (name.kind === 'email' || name.kind === 'uri') && name.kind === idKind ? name.text : undefined;
}

function utf8String(value: Uint8Array): string | undefined {
  try {
    const element = elementAt(value, 0, value.length);
    return element.tag === TAG.utf8String && element.end === value.length ? decodeUtf8(contents(element)) : undefined;
  } catch (error) {
    if (error instanceof Malformed) return undefined;
    throw error;
  }
}

/** What 10 refuses without knowing A, in safe words; undefined when the leaf and the path may be used. */
export function usageProblem(path: PinnedPath, policy: IdentityPolicy, readings: Readings): string | undefined {
  const [leaf, ...authorities] = path.certificates;
  if (leaf === undefined) return 'there is no certificate';
  const { keyUsage, extendedKeyUsage, basicConstraints, notBefore, notAfter } = leaf;
  // 1.
  if (basicConstraints?.ca === true) return 'the leaf is the certificate of a CA';
  // 2.
  if (keyUsage === undefined) return 'the leaf has no key usage';
  if ((keyUsage & (KEY_USAGE.digitalSignature | KEY_USAGE.nonRepudiation)) === 0)
    return 'the key usage of the leaf allows no signatures';
  if ((keyUsage & (KEY_USAGE.keyCertSign | KEY_USAGE.cRLSign)) !== 0)
    return 'the key usage of the leaf is that of a CA';
  // 3.
  const satisfying = [policy.eku, ...(policy.allowEmailProtectionEku ? [EMAIL_PROTECTION] : [])];
  if (!extendedKeyUsage?.some((oid) => satisfying.includes(oid)))
    return `the extended key usage of the leaf leaves out ${policy.eku}`;
  // 4.
  for (const { extendedKeyUsage: nested, sha256 } of authorities)
    if (nested !== undefined && !nested.some((oid) => oid === OID.anyExtendedKeyUsage || satisfying.includes(oid)))
      return `the CA ${sha256} is limited to other purposes`;
  // 5.
  const { policyOid } = policy;
  if (policyOid !== undefined) {
    if (!leaf.policies?.some(({ oid }) => oid === policyOid)) return `the leaf is not issued under ${policyOid}`;
    const lacks = authorities.find(
      ({ policies }) => !policies?.some(({ oid }) => oid === policyOid || oid === OID.anyPolicy),
    );
    if (policy.requirePolicyOnCas && lacks !== undefined)
      return `the CA ${lacks.sha256} has not the policy ${policyOid}`;
  }
  // 6.
  for (const { publicKey } of keysOf(path)) {
    const { key } = publicKey;
    const weak =
      weakness(key) ?? (key.kind === 'rsa' && key.exponent < 65_537n ? 'the RSA exponent is below 65537' : undefined);
    if (weak !== undefined) return `the key ${publicKey.sha256} is not of a kind that counts: ${weak}`;
  }
  // 7, where no date can help.
  if (policy.rsa2048Until === undefined) {
    const short = keysOf(path).find(isShortRsa);
    if (short !== undefined)
      return `the key ${short.publicKey.sha256} is RSA under 3072 bits, which the policy has no date for`;
  }
  // 8.
  return readings.lifetime === 'usage' ? lifetimeProblem(notBefore, notAfter, policy) : undefined;
}

/** 10 rule 8. */
export function lifetimeProblem(notBefore: Instant, notAfter: Instant, policy: IdentityPolicy): string | undefined {
  const most = policy.maxLeafLifetime + policy.notBeforeBackdate;
  if (notAfter - notBefore <= most) return undefined;
  return `the leaf is valid for ${formatDuration(notAfter - notBefore)}, more than ${formatDuration(most)}`;
}

/** 10 rule 7 at A. */
export function rsaProblemAt(path: PinnedPath, at: Instant, policy: IdentityPolicy): string | undefined {
  const until = policy.rsa2048Until;
  if (until === undefined || at < until) return undefined;
  const short = keysOf(path).find(isShortRsa);
  if (short === undefined) return undefined;
  return `the key ${short.publicKey.sha256} is RSA under 3072 bits, which counts only before ${formatInstant(until)}`;
}

type HasKey = Pick<Certificate, 'publicKey'>;

function keysOf(path: PinnedPath): readonly HasKey[] {
  return [...path.certificates, path.anchor];
}

function isShortRsa({ publicKey: { key } }: HasKey): boolean {
  return key.kind === 'rsa' && key.bits < 3072;
}
