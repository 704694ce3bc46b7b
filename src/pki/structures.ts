/**
 * The one place where the `@peculiar/asn1-*` schemas are used: extension values of certificates and CRLs (RFC 5280 4.2, 5.2, 5.3) as plain data.
 * The library is lenient (it passes over members that a schema does not know, and accepts written defaults), so what it read is
 * written again and must give the same bytes: nothing is passed over, and defaults are left out as DER demands.
 */
import 'reflect-metadata';
import { AsnConvert, OctetString } from '@peculiar/asn1-schema';
import * as x509 from '@peculiar/asn1-x509';
import { equalBytes } from '../bytes/encoding.ts';
import type { Instant } from '../time/instant.ts';
import {
  Cursor,
  checkDer,
  contents,
  type Element,
  elementAt,
  integerValue,
  Malformed,
  oidText,
  openDer,
  smallInteger,
  TAG,
} from './der.ts';
import { type Attribute, type GeneralName, readGeneralName, readGeneralNames, readRdn } from './name.ts';
import { x509Time } from './time.ts';

/** Extension values are small; what is longer is not read. */
const MAX_VALUE = 1 << 20;

function decode<T>(value: Uint8Array, type: new () => T, what: string): T {
  checkDer(value, MAX_VALUE);
  let model: T;
  let again: Uint8Array;
  try {
    model = AsnConvert.parse(value, type);
    again = new Uint8Array(AsnConvert.serialize(model));
  } catch {
    throw new Malformed(`${what} does not have its structure`, 0);
  }
  if (!equalBytes(again, value))
    throw new Malformed(`${what} has members or defaults that DER does not allow in it`, 0);
  return model;
}

export interface BasicConstraints {
  readonly ca: boolean;
  readonly pathLength?: number;
}

export function basicConstraints(value: Uint8Array): BasicConstraints {
  const { cA, pathLenConstraint } = decode(value, x509.BasicConstraints, 'basicConstraints');
  if (pathLenConstraint === undefined) return { ca: cA };
  if (!Number.isSafeInteger(pathLenConstraint) || pathLenConstraint < 0)
    throw new Malformed('pathLenConstraint is out of range', 0);
  return { ca: cA, pathLength: pathLenConstraint };
}

/** Bits of KeyUsage, bit i of RFC 5280 4.2.1.3 as 1 << i. */
export const KEY_USAGE = {
  digitalSignature: 1,
  nonRepudiation: 2,
  keyEncipherment: 4,
  dataEncipherment: 8,
  keyAgreement: 16,
  keyCertSign: 32,
  cRLSign: 64,
  encipherOnly: 128,
  decipherOnly: 256,
} as const;

/** Named bits as a number, bit i as 1 << i. */
function namedBits(bytes: Uint8Array): number {
  let bits = 0;
  for (let i = 0; i < Math.min(16, 8 * bytes.length); i++)
    if ((((bytes[i >> 3] as number) >> (7 - (i & 7))) & 1) === 1) bits |= 1 << i;
  return bits;
}

export function keyUsage(value: Uint8Array): number {
  return namedBits(new Uint8Array(decode(value, x509.KeyUsage, 'keyUsage').value));
}

export function extendedKeyUsage(value: Uint8Array): readonly string[] {
  const purposes = [...decode(value, x509.ExtendedKeyUsage, 'extendedKeyUsage')];
  if (purposes.length === 0) throw new Malformed('extendedKeyUsage is empty', 0);
  return purposes;
}

export interface PolicyInformation {
  readonly oid: string;
  /** Explicit texts of user notices among the qualifiers. Untrusted text. */
  readonly notices: readonly string[];
}

export function certificatePolicies(value: Uint8Array): readonly PolicyInformation[] {
  const policies = [...decode(value, x509.CertificatePolicies, 'certificatePolicies')];
  if (policies.length === 0) throw new Malformed('certificatePolicies is empty', 0);
  if (new Set(policies.map((policy) => policy.policyIdentifier)).size !== policies.length)
    throw new Malformed('certificatePolicies names a policy twice', 0);
  return policies.map(({ policyIdentifier, policyQualifiers }) => ({
    oid: policyIdentifier,
    notices: (policyQualifiers ?? []).flatMap(({ policyQualifierId, qualifier }) =>
      policyQualifierId === '1.3.6.1.5.5.7.2.2' ? noticeText(new Uint8Array(qualifier)) : [],
    ),
  }));
}

function noticeText(qualifier: Uint8Array): readonly string[] {
  const text = decode(qualifier, x509.UserNotice, 'user notice').explicitText?.toString();
  return text === undefined ? [] : [text];
}

export interface PolicyMapping {
  readonly issuerPolicy: string;
  readonly subjectPolicy: string;
}

export function policyMappings(value: Uint8Array): readonly PolicyMapping[] {
  const mappings = [...decode(value, x509.PolicyMappings, 'policyMappings')];
  if (mappings.length === 0) throw new Malformed('policyMappings is empty', 0);
  return mappings.map((m) => ({ issuerPolicy: m.issuerDomainPolicy, subjectPolicy: m.subjectDomainPolicy }));
}

export interface PolicyConstraints {
  readonly requireExplicitPolicy?: number;
  readonly inhibitPolicyMapping?: number;
}

/** An INTEGER's contents, as the library hands them over, as a count of certificates; large counts are as good as none. */
function skipCertificates(bytes: ArrayBuffer): number {
  const content = new Uint8Array(bytes);
  const value = integerValue({ bytes: content, tag: TAG.integer, start: 0, content: 0, end: content.length });
  if (value < 0n) throw new Malformed('a count of certificates is negative', 0);
  return value > 1_000_000n ? 1_000_000 : Number(value);
}

export function policyConstraints(value: Uint8Array): PolicyConstraints {
  const model = decode(value, x509.PolicyConstraints, 'policyConstraints');
  const { requireExplicitPolicy: explicit, inhibitPolicyMapping: inhibit } = model;
  if (explicit === undefined && inhibit === undefined) throw new Malformed('policyConstraints is empty', 0);
  return {
    ...(explicit === undefined ? {} : { requireExplicitPolicy: skipCertificates(explicit) }),
    ...(inhibit === undefined ? {} : { inhibitPolicyMapping: skipCertificates(inhibit) }),
  };
}

export function inhibitAnyPolicy(value: Uint8Array): number {
  checkDer(value, MAX_VALUE);
  const element = elementAt(value, 0, value.length);
  if (element.tag !== TAG.integer) throw new Malformed('inhibitAnyPolicy is not an INTEGER', 0);
  return skipCertificates(Uint8Array.from(contents(element)).buffer);
}

export interface Subtree {
  readonly base: GeneralName;
  /** Whether minimum is 0 and maximum absent, as RFC 5280 4.2.1.10 requires. */
  readonly plain: boolean;
}

export interface NameConstraints {
  readonly permitted: readonly Subtree[];
  readonly excluded: readonly Subtree[];
}

export function nameConstraints(value: Uint8Array): NameConstraints {
  const model = decode(value, x509.NameConstraints, 'nameConstraints');
  const { permittedSubtrees: permitted, excludedSubtrees: excluded } = model;
  const empty = permitted === undefined && excluded === undefined;
  if (empty || permitted?.length === 0 || excluded?.length === 0) throw new Malformed('nameConstraints is empty', 0);
  const subtree = (tree: x509.GeneralSubtree): Subtree => ({
    base: generalName(tree.base),
    plain: tree.minimum === 0 && tree.maximum === undefined,
  });
  return { permitted: [...(permitted ?? [])].map(subtree), excluded: [...(excluded ?? [])].map(subtree) };
}

/** A name as it was encoded: the library's own decoding of addresses and mailboxes is not used. */
function generalName(name: x509.GeneralName): GeneralName {
  const der = new Uint8Array(AsnConvert.serialize(name));
  return readGeneralName(elementAt(der, 0, der.length));
}

export function alternativeNames(value: Uint8Array): readonly GeneralName[] {
  decode(value, x509.SubjectAlternativeName, 'alternative names');
  return readGeneralNames(elementAt(value, 0, value.length));
}

export interface AuthorityKeyIdentifier {
  readonly keyId?: Uint8Array;
  readonly issuer?: readonly GeneralName[];
  /** Contents of the serial number's INTEGER. */
  readonly serial?: Uint8Array;
}

export function authorityKeyIdentifier(value: Uint8Array): AuthorityKeyIdentifier {
  const model = decode(value, x509.AuthorityKeyIdentifier, 'authorityKeyIdentifier');
  const { keyIdentifier, authorityCertIssuer: issuer, authorityCertSerialNumber: serial } = model;
  if ((issuer === undefined) !== (serial === undefined))
    throw new Malformed('authorityKeyIdentifier names an issuer without a serial number, or the reverse', 0);
  return {
    ...(keyIdentifier === undefined ? {} : { keyId: new Uint8Array(keyIdentifier.buffer) }),
    ...(issuer === undefined ? {} : { issuer: issuer.map(generalName) }),
    ...(serial === undefined ? {} : { serial: new Uint8Array(serial) }),
  };
}

export function subjectKeyIdentifier(value: Uint8Array): Uint8Array {
  return new Uint8Array(decode(value, OctetString, 'subjectKeyIdentifier').buffer);
}

export interface DistributionPointName {
  readonly fullName?: readonly GeneralName[];
  readonly relativeName?: readonly Attribute[];
}

export interface DistributionPoint {
  readonly name?: DistributionPointName;
  /** Mask of ReasonFlags, bit i as 1 << i. */
  readonly reasons?: number;
  readonly crlIssuer?: readonly GeneralName[];
}

function distributionPointName(name: x509.DistributionPointName): DistributionPointName {
  if (name.fullName !== undefined) {
    if (name.fullName.length === 0) throw new Malformed('a distribution point has an empty list of names', 0);
    return { fullName: name.fullName.map(generalName) };
  }
  if (name.nameRelativeToCRLIssuer === undefined) throw new Malformed('a distribution point name is empty', 0);
  const der = new Uint8Array(AsnConvert.serialize(name.nameRelativeToCRLIssuer));
  return { relativeName: readRdn(elementAt(der, 0, der.length)) };
}

export function distributionPoints(value: Uint8Array): readonly DistributionPoint[] {
  const points = [...decode(value, x509.CRLDistributionPoints, 'cRLDistributionPoints')];
  if (points.length === 0) throw new Malformed('cRLDistributionPoints is empty', 0);
  return points.map(({ distributionPoint, reasons, cRLIssuer }) => ({
    ...(distributionPoint === undefined ? {} : { name: distributionPointName(distributionPoint) }),
    ...(reasons === undefined ? {} : { reasons: namedBits(new Uint8Array(reasons.value)) }),
    ...(cRLIssuer === undefined ? {} : { crlIssuer: cRLIssuer.map(generalName) }),
  }));
}

export interface IssuingDistributionPoint {
  readonly name?: DistributionPointName;
  readonly onlyUserCertificates: boolean;
  readonly onlyCaCertificates: boolean;
  readonly onlyAttributeCertificates: boolean;
  readonly onlySomeReasons?: number;
  readonly indirect: boolean;
}

export function issuingDistributionPoint(value: Uint8Array): IssuingDistributionPoint {
  const model = decode(value, x509.IssuingDistributionPoint, 'issuingDistributionPoint');
  const { distributionPoint, onlySomeReasons } = model;
  const only = [model.onlyContainsUserCerts, model.onlyContainsCACerts, model.onlyContainsAttributeCerts];
  if (only.filter((one) => one).length > 1)
    throw new Malformed('issuingDistributionPoint limits itself to two kinds of certificate at once', 0);
  return {
    ...(distributionPoint === undefined ? {} : { name: distributionPointName(distributionPoint) }),
    onlyUserCertificates: model.onlyContainsUserCerts,
    onlyCaCertificates: model.onlyContainsCACerts,
    onlyAttributeCertificates: model.onlyContainsAttributeCerts,
    ...(onlySomeReasons === undefined ? {} : { onlySomeReasons: namedBits(new Uint8Array(onlySomeReasons.value)) }),
    indirect: model.indirectCRL,
  };
}

/** CRLNumber and BaseCRLNumber: not negative, at most 20 bytes (RFC 5280 5.2.3). */
export function crlNumber(value: Uint8Array): bigint {
  checkDer(value, 64);
  const element = elementAt(value, 0, value.length);
  if (element.tag !== TAG.integer) throw new Malformed('a CRL number is not an INTEGER', 0);
  const number = integerValue(element);
  if (number < 0n || element.end - element.content > 21) throw new Malformed('a CRL number is out of range', 0);
  return number;
}

/** CRLReason: 0 to 10 without 7. */
export function crlReason(value: Uint8Array): number {
  checkDer(value, 64);
  const element = elementAt(value, 0, value.length);
  const reason = element.tag === TAG.enumerated ? smallInteger(element, 'reasonCode', 10) : 7;
  if (reason === 7) throw new Malformed('a reasonCode is none that is defined', 0);
  return reason;
}

/** A GeneralizedTime that stands alone (invalidityDate, expiredCertsOnCRL, archiveCutoff). */
export function loneTime(value: Uint8Array): Instant {
  checkDer(value, 64);
  const element = elementAt(value, 0, value.length);
  if (element.tag !== TAG.generalizedTime) throw new Malformed('a time is not a GeneralizedTime', 0);
  return x509Time(element);
}

/** GeneralNames of the certificateIssuer entry extension. */
export function certificateIssuer(value: Uint8Array): readonly GeneralName[] {
  checkDer(value, MAX_VALUE);
  openDer(value, 'certificateIssuer');
  return readGeneralNames(elementAt(value, 0, value.length));
}

export interface Extension {
  readonly oid: string;
  readonly critical: boolean;
  /** Contents of extnValue. */
  readonly value: Uint8Array;
}

/** Extensions (RFC 5280 4.1.2.9): one or more, none twice. */
export function readExtensions(element: Element): ReadonlyMap<string, Extension> {
  const extensions = new Map<string, Extension>();
  const cursor = new Cursor(element);
  while (!cursor.done) {
    const at = cursor.at;
    const extension = readExtension(cursor.next('extension', TAG.sequence));
    if (extensions.has(extension.oid)) throw new Malformed(`the extension ${extension.oid} stands twice`, at);
    extensions.set(extension.oid, extension);
  }
  if (extensions.size === 0) throw new Malformed('the list of extensions is empty', element.start);
  return extensions;
}

function readExtension(element: Element): Extension {
  const cursor = new Cursor(element);
  const oid = oidText(cursor.next('extension OID', TAG.oid));
  const critical = cursor.optional(TAG.boolean);
  if (critical !== undefined && element.bytes[critical.content] !== 0xff)
    throw new Malformed('critical FALSE is written out, which DER forbids', critical.start);
  const value = cursor.next('extnValue', TAG.octetString);
  cursor.finish('extension');
  return { oid, critical: critical !== undefined, value: contents(value) };
}
