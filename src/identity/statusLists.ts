/**
 * Which CRLs and OCSP responses are usable for a certificate (approver-identity 14.1 and 14.2), and what each says about it, as plain
 * values. Narrower than RFC 5280: complete, direct CRLs under the issuer's key of the accepted path, with both dates and a number.
 */
import { equalBytes, hex } from '../bytes/encoding.ts';
import { type Certificate, verifySigned } from '../pki/certificate.ts';
import type { Crl, CrlEntry } from '../pki/crl.ts';
import { type GeneralName, generalNameKey } from '../pki/name.ts';
import { answersFor, type IssuerContext, type OcspResponse, responderOf } from '../pki/ocsp.ts';
import { KEY_USAGE } from '../pki/structures.ts';
import type { PinnedPath } from './chain.ts';
import type { Listing, StatusList } from './status.ts';

/** All lists and responses at hand, found by their issuer. */
export interface StatusArchive {
  readonly crls: readonly Crl[];
  readonly ocsp: readonly OcspResponse[];
  crlsOf(issuerName: Uint8Array): readonly Crl[];
}

export function statusArchive(crls: readonly Crl[], ocsp: readonly OcspResponse[]): StatusArchive {
  const distinct = [...new Map(crls.map((crl) => [crl.sha256, crl])).values()];
  const byIssuer = new Map<string, Crl[]>();
  for (const crl of distinct) {
    const key = hex(crl.issuer.der);
    const list = byIssuer.get(key);
    if (list === undefined) byIssuer.set(key, [crl]);
    else list.push(crl);
  }
  return {
    crls: distinct,
    ocsp: [...new Map(ocsp.map((response) => [response.sha256, response])).values()],
    crlsOf: (name) => byIssuer.get(hex(name)) ?? [],
  };
}

/** The same archive with only the items whose hash is named. */
export function onlyNamed({ crls, ocsp }: StatusArchive, hashes: ReadonlySet<string>): StatusArchive {
  return statusArchive(
    crls.filter(({ sha256 }) => hashes.has(sha256)),
    ocsp.filter(({ sha256 }) => hashes.has(sha256)),
  );
}

/** The issuer of the certificate at a depth of a path; the anchor is a name and a key. */
export function issuerOf(path: PinnedPath, depth: number): IssuerContext {
  const above = path.certificates[depth + 1];
  if (above === undefined) return { name: path.anchor.name, publicKey: path.anchor.publicKey };
  return { name: above.subject, publicKey: above.publicKey, certificate: above };
}

export interface Unusable {
  readonly id: string;
  readonly cause: string;
}

export interface UsableLists {
  readonly lists: readonly StatusList[];
  /** Lists of this issuer that cannot be used, with the rule. */
  readonly unusable: readonly Unusable[];
}

/** The usable lists and answers for the certificate at a depth of the accepted path, time of evaluation aside. */
export function usableLists(path: PinnedPath, depth: number, archive: StatusArchive): UsableLists {
  const certificate = path.certificates[depth];
  if (certificate === undefined) return { lists: [], unusable: [] };
  const issuer = issuerOf(path, depth);
  const lists: StatusList[] = [];
  const unusable: Unusable[] = [];
  for (const crl of archive.crlsOf(certificate.issuer.der)) {
    const cause = crlFault(crl, certificate, issuer, depth === 0);
    if (cause === undefined) lists.push(listOf(crl, certificate));
    else unusable.push({ id: crl.sha256, cause });
  }
  for (const response of archive.ocsp) lists.push(...ocspLists(response, certificate, issuer, archive));
  return { lists, unusable };
}

/** Rules 1 to 4 and 6 of 14.1, in their order; undefined for a usable CRL. */
function crlFault(crl: Crl, certificate: Certificate, issuer: IssuerContext, isLeaf: boolean): string | undefined {
  // 1.
  if (crl.version !== 2) return 'it is not of version 2';
  if (!equalBytes(crl.issuer.der, certificate.issuer.der)) return 'it is of another issuer';
  if (!verifySigned(crl, issuer.publicKey)) return "its signature is not by the issuer's key of the accepted chain";
  const usage = issuer.certificate?.keyUsage;
  if (usage !== undefined && (usage & KEY_USAGE.cRLSign) === 0) return 'the key usage of the issuer leaves out cRLSign';
  // 2.
  if (crl.nextUpdate === undefined) return 'it has no nextUpdate';
  if (crl.thisUpdate > crl.nextUpdate) return 'its nextUpdate is before its thisUpdate';
  if (crl.number === undefined) return 'it has no number';
  // 3.
  if (crl.baseNumber !== undefined) return 'it is a delta';
  const { scope } = crl;
  if (scope?.indirect === true || crl.hasEntryIssuers) return 'it is indirect';
  if (scope?.onlySomeReasons !== undefined) return 'it is for some reasons only';
  if (scope?.onlyAttributeCertificates === true) return 'it is for attribute certificates only';
  if (scope?.onlyUserCertificates === true && !isLeaf) return 'it is for certificates of users only';
  if (scope?.onlyCaCertificates === true && certificate.basicConstraints?.ca !== true)
    return 'it is for certificates of CAs only';
  if (scope?.name !== undefined && !sharesPoint(scope.name.fullName ?? [], certificate))
    return 'it is of another distribution point';
  if (crl.unknownCritical.length > 0) return 'it has a critical extension without a rule here';
  if (crl.unknownEntryCritical.length > 0) return 'an entry has a critical extension without a rule here';
  // 4. An anchor is valid at all times.
  const { certificate: above } = issuer;
  if (above !== undefined && (crl.thisUpdate < above.notBefore || crl.thisUpdate > above.notAfter))
    return "the issuer's certificate was not valid at its thisUpdate";
  // 6.
  if (crl.hasRemovals) return 'it removes an entry, which only a delta may do';
  return undefined;
}

function sharesPoint(names: readonly GeneralName[], certificate: Certificate): boolean {
  const ours = new Set(
    certificate.distributionPoints?.flatMap(({ name }) => (name?.fullName ?? []).map(generalNameKey)),
  );
  return names.some((name) => ours.has(generalNameKey(name)));
}

function listOf(crl: Crl, certificate: Certificate): StatusList {
  return {
    kind: 'crl',
    id: crl.sha256,
    thisUpdate: crl.thisUpdate,
    nextUpdate: crl.nextUpdate as bigint,
    number: crl.number,
    keepsExpiredSince: crl.expiredCertsOnCrl,
    listing: worst(crl.entriesFor(certificate.serial).map(listingOf)),
  };
}

function listingOf({ revocationDate, invalidityDate, reason }: CrlEntry): Listing {
  return { revocationDate, invalidityDate, reason: reason ?? 0 };
}

/** Of several entries for one serial number the earliest revocation speaks, and never the one that is a mere hold. */
function worst(listings: readonly Listing[]): Listing | undefined {
  const rank = ({ reason }: Listing) => (reason === 6 ? 1 : 0);
  const since = ({ revocationDate: rd, invalidityDate: inv }: Listing) => (inv !== undefined && inv < rd ? inv : rd);
  return [...listings].sort((a, b) => rank(a) - rank(b) || (since(a) < since(b) ? -1 : 1))[0];
}

/** 14.2: the answers of one response about the certificate. */
function ocspLists(
  { basic, sha256, responseStatus }: OcspResponse,
  certificate: Certificate,
  issuer: IssuerContext,
  archive: StatusArchive,
): readonly StatusList[] {
  if (responseStatus !== 0 || basic === undefined || basic.unknownCritical.length > 0) return [];
  const answers = answersFor(basic, certificate, issuer);
  if (answers.length === 0) return [];
  const responder = responderOf(basic, issuer, []);
  if (responder.problem !== undefined) return [];
  const { delegate } = responder;
  if (delegate !== undefined && !delegateGood(delegate, basic.producedAt, issuer, archive)) return [];
  return answers.flatMap((answer) => {
    const { thisUpdate, nextUpdate, unknownCritical, archiveCutoff, revocationTime } = answer;
    if (nextUpdate === undefined || thisUpdate > nextUpdate || unknownCritical.length > 0) return [];
    if (answer.answer === 'unknown') return [];
    const listing =
      answer.answer === 'good' || revocationTime === undefined
        ? undefined
        : { revocationDate: revocationTime, invalidityDate: undefined, reason: answer.reason ?? 0 };
    return [
      {
        kind: 'ocsp',
        id: sha256,
        thisUpdate,
        nextUpdate,
        number: undefined,
        keepsExpiredSince: archiveCutoff,
        listing,
      },
    ];
  });
}

/** A delegated responder: valid at producedAt, and either exempt from checking or unlisted by a CRL of the issuer at that time. */
function delegateGood(
  delegate: Certificate,
  producedAt: bigint,
  issuer: IssuerContext,
  archive: StatusArchive,
): boolean {
  if (producedAt < delegate.notBefore || producedAt > delegate.notAfter) return false;
  if (delegate.ocspNoCheck) return true;
  const usable = archive
    .crlsOf(delegate.issuer.der)
    .filter((crl) => crlFault(crl, delegate, issuer, true) === undefined);
  const listed = usable.some((crl) =>
    crl
      .entriesFor(delegate.serial)
      .some(({ revocationDate: rd, invalidityDate: inv }) => (inv ?? rd) <= producedAt || rd <= producedAt),
  );
  return (
    !listed &&
    usable.some(
      ({ thisUpdate, nextUpdate }) => thisUpdate <= producedAt && nextUpdate !== undefined && producedAt <= nextUpdate,
    )
  );
}
