/**
 * OCSP responses (RFC 6960): the model, and what one response says about one certificate. A response counts when it is signed by the certificate's
 * issuer, or by a responder that this issuer certified for OCSPSigning (4.2.2.2).
 *
 * For callers above (identity 14.2): `parseOcsp` gives the model, `responderOf` finds and authorises the signer, `answerFor` the single answer
 * about a certificate. Dates are left to the caller, who knows the instant.
 */
import { equalBytes, hex } from '../bytes/encoding.ts';
import { sha256 } from '../crypto/sha256.ts';
import type { Instant } from '../time/instant.ts';
import { type Algorithm, type HashName, hashOf, type PublicKeyInfo, readAlgorithm } from './algorithm.ts';
import {
  type Certificate,
  OID,
  parseCertificate,
  type Signed,
  verifyCertificate,
  verifySigned,
} from './certificate.ts';
import {
  Cursor,
  contents,
  type Element,
  Malformed,
  oidText,
  openDer,
  raw,
  signatureBytes,
  smallInteger,
  TAG,
} from './der.ts';
import { type Name, readName } from './name.ts';
import { MAX_SIZE, type Read, reading } from './read.ts';
import { digest } from './signature.ts';
import * as structures from './structures.ts';
import { x509Time } from './time.ts';

export type OcspAnswer = 'good' | 'revoked' | 'unknown';

export interface SingleResponse {
  /** Digest of the certID; undefined when it is not known here. */
  readonly hash: HashName | undefined;
  readonly issuerNameHash: Uint8Array;
  readonly issuerKeyHash: Uint8Array;
  /** Contents of the serial number's INTEGER. */
  readonly serial: Uint8Array;
  readonly answer: OcspAnswer;
  readonly revocationTime: Instant | undefined;
  readonly reason: number | undefined;
  readonly thisUpdate: Instant;
  readonly nextUpdate: Instant | undefined;
  readonly archiveCutoff: Instant | undefined;
  readonly unknownCritical: readonly string[];
}

export interface BasicResponse extends Signed {
  readonly responder:
    | { readonly name: Name; readonly keyHash?: undefined }
    | { readonly keyHash: Uint8Array; readonly name?: undefined };
  readonly producedAt: Instant;
  readonly responses: readonly SingleResponse[];
  readonly unknownCritical: readonly string[];
  /** Certificates beside the signed part; they are not covered by the signature. */
  readonly certificates: readonly Certificate[];
  readonly signatureAlgorithm: Algorithm;
}

export interface OcspResponse {
  readonly der: Uint8Array;
  /** Hex SHA-256 of `der`. */
  readonly sha256: string;
  /** OCSPResponseStatus: 0 is successful, anything else an unsigned error. */
  readonly responseStatus: number;
  readonly basic: BasicResponse | undefined;
}

const STATUS_NAMES: ReadonlyMap<number, string> = new Map([
  [0, 'successful'],
  [1, 'malformedRequest'],
  [2, 'internalError'],
  [3, 'tryLater'],
  [5, 'sigRequired'],
  [6, 'unauthorized'],
]);

export function responseStatusName(status: number): string {
  return STATUS_NAMES.get(status) ?? `status ${status}`;
}

const NONCE = '1.3.6.1.5.5.7.48.1.2';
const CRL_REFERENCE = '1.3.6.1.5.5.7.48.1.3';
const ARCHIVE_CUTOFF = '1.3.6.1.5.5.7.48.1.6';
const EXTENDED_REVOKE = '1.3.6.1.5.5.7.48.1.9';

/** Reads an OCSPResponse from strict DER. */
export function parseOcsp(der: Uint8Array, part?: string): Read<OcspResponse> {
  return reading(der, MAX_SIZE.ocsp, 'an OCSP response', part, () => readResponse(der));
}

function readResponse(der: Uint8Array): OcspResponse {
  const outer = openDer(der, 'OCSP response');
  const responseStatus = smallInteger(outer.next('responseStatus', TAG.enumerated), 'responseStatus', 6);
  const wrapper = outer.optional(0xa0);
  outer.finish('OCSP response');
  const identity = { der, sha256: hex(sha256(der)), responseStatus };
  if (wrapper === undefined) {
    if (responseStatus === 0) throw new Malformed('a successful response has no answer', 0);
    return { ...identity, basic: undefined };
  }
  const holder = new Cursor(wrapper);
  const bytes = holder.enter('responseBytes');
  holder.finish('responseBytes');
  const type = oidText(bytes.next('responseType', TAG.oid));
  const response = bytes.next('response', TAG.octetString);
  bytes.finish('responseBytes');
  if (type !== '1.3.6.1.5.5.7.48.1.1' || responseStatus !== 0)
    throw new Malformed('the response is not a basic OCSP response', response.start);
  return { ...identity, basic: readInner(contents(response)) };
}

function readInner(der: Uint8Array): BasicResponse {
  const read = reading(der, MAX_SIZE.ocsp, 'a basic OCSP response', undefined, () => readBasic(der));
  if (read.value === undefined) throw new Malformed(read.finding.message, 0);
  return read.value;
}

function readBasic(der: Uint8Array): BasicResponse {
  const outer = openDer(der, 'basic response');
  const tbsElement = outer.next('tbsResponseData', TAG.sequence);
  const signatureAlgorithm = readAlgorithm(outer.next('signatureAlgorithm', TAG.sequence));
  const signature = signatureBytes(outer.next('signature', TAG.bitString));
  const certificates = outer.optional(0xa0);
  outer.finish('basic response');

  const tbs = new Cursor(tbsElement);
  const version = tbs.optional(0xa0);
  if (version !== undefined) throw new Malformed('version 1 is written out, or another version', version.start);
  const responder = readResponder(tbs.next('responderID'));
  const producedAt = generalizedTime(tbs.next('producedAt'));
  const responses: SingleResponse[] = [];
  const list = tbs.enter('responses');
  while (!list.done) responses.push(readSingle(list.next('single response', TAG.sequence)));
  const extensions = readWrapped(tbs.optional(0xa1));
  tbs.finish('tbsResponseData');
  return {
    tbs: raw(tbsElement),
    signatureAlgorithm,
    signature,
    responder,
    producedAt,
    responses,
    unknownCritical: critical(extensions, [NONCE, EXTENDED_REVOKE]),
    certificates: certificates === undefined ? [] : readCertificates(certificates),
  };
}

function generalizedTime(element: Element): Instant {
  if (element.tag !== TAG.generalizedTime) throw new Malformed('a time is not a GeneralizedTime', element.start);
  return x509Time(element);
}

function readResponder(element: Element): BasicResponse['responder'] {
  const cursor = new Cursor(element);
  if (element.tag === 0xa1) {
    const name = readName(cursor.next('responder name', TAG.sequence));
    cursor.finish('responderID');
    return { name };
  }
  if (element.tag !== 0xa2) throw new Malformed('responderID is neither a name nor a key hash', element.start);
  const keyHash = contents(cursor.next('responder key hash', TAG.octetString));
  cursor.finish('responderID');
  return { keyHash };
}

function readCertificates(wrapper: Element): readonly Certificate[] {
  const holder = new Cursor(wrapper);
  const list = holder.enter('certificates');
  holder.finish('certificates');
  const certificates: Certificate[] = [];
  while (!list.done) {
    const read = parseCertificate(raw(list.next('certificate', TAG.sequence)));
    if (read.value === undefined) throw new Malformed(read.finding.message, wrapper.start);
    certificates.push(read.value);
  }
  return certificates;
}

function readWrapped(wrapper: Element | undefined): ReadonlyMap<string, structures.Extension> {
  if (wrapper === undefined) return new Map();
  const cursor = new Cursor(wrapper);
  const extensions = structures.readExtensions(cursor.next('extensions', TAG.sequence));
  cursor.finish('extensions');
  return extensions;
}

function critical(extensions: ReadonlyMap<string, structures.Extension>, known: readonly string[]): readonly string[] {
  return [...extensions.values()].filter((one) => one.critical && !known.includes(one.oid)).map((one) => one.oid);
}

function readSingle(element: Element): SingleResponse {
  const cursor = new Cursor(element);
  const id = cursor.enter('certID');
  const hash = hashOf(readAlgorithm(id.next('certID algorithm', TAG.sequence)));
  const issuerNameHash = contents(id.next('issuerNameHash', TAG.octetString));
  const issuerKeyHash = contents(id.next('issuerKeyHash', TAG.octetString));
  const serial = contents(id.next('serialNumber', TAG.integer));
  id.finish('certID');
  const status = readStatus(cursor.next('certStatus'));
  const thisUpdate = generalizedTime(cursor.next('thisUpdate'));
  const next = cursor.optional(0xa0);
  const extensions = readWrapped(cursor.optional(0xa1));
  cursor.finish('single response');
  const cutoff = extensions.get(ARCHIVE_CUTOFF);
  return {
    hash,
    issuerNameHash,
    issuerKeyHash,
    serial,
    ...status,
    thisUpdate,
    nextUpdate: next === undefined ? undefined : inTag(next, generalizedTime),
    archiveCutoff: cutoff === undefined ? undefined : structures.loneTime(cutoff.value),
    unknownCritical: critical(extensions, [ARCHIVE_CUTOFF, CRL_REFERENCE]),
  };
}

function inTag<T>(wrapper: Element, read: (element: Element) => T): T {
  const cursor = new Cursor(wrapper);
  const value = read(cursor.next('tagged value'));
  cursor.finish('tagged value');
  return value;
}

/** CertStatus: good [0] NULL, revoked [1] RevokedInfo, unknown [2] NULL, all implicit. */
function readStatus(element: Element): Pick<SingleResponse, 'answer' | 'revocationTime' | 'reason'> {
  if (element.tag === 0x80 || element.tag === 0x82) {
    if (element.content !== element.end) throw new Malformed('a certStatus that is NULL has contents', element.start);
    return { answer: element.tag === 0x80 ? 'good' : 'unknown', revocationTime: undefined, reason: undefined };
  }
  if (element.tag !== 0xa1) throw new Malformed('a certStatus is neither good, revoked nor unknown', element.start);
  const cursor = new Cursor(element);
  const revocationTime = generalizedTime(cursor.next('revocationTime'));
  const wrapper = cursor.optional(0xa0);
  cursor.finish('RevokedInfo');
  const reason = wrapper === undefined ? undefined : inTag(wrapper, (one) => structures.crlReason(raw(one)));
  return { answer: 'revoked', revocationTime, reason };
}

/** The issuer of a certificate in an accepted path: name and key, and its certificate where it has one. */
export interface IssuerContext {
  readonly name: Name;
  readonly publicKey: PublicKeyInfo;
  readonly certificate?: Certificate;
}

/** Whether an answer is about a certificate of this issuer: hashes of its name and key (RFC 6960 4.1.1). */
export function issuedBy({ hash, issuerNameHash, issuerKeyHash }: SingleResponse, issuer: IssuerContext): boolean {
  return (
    hash !== undefined &&
    equalBytes(issuerNameHash, digest(hash, issuer.name.der)) &&
    equalBytes(issuerKeyHash, digest(hash, issuer.publicKey.bits))
  );
}

/** All answers in the response about this certificate of this issuer: name hash, key hash and serial number. */
export function answersFor(
  basic: BasicResponse,
  certificate: Certificate,
  issuer: IssuerContext,
): readonly SingleResponse[] {
  return basic.responses.filter((answer) => equalBytes(answer.serial, certificate.serial) && issuedBy(answer, issuer));
}

/** Who signed a response, or why nobody who may. `delegate` is undefined when the issuer itself signed. */
export type Responder =
  | { readonly delegate: Certificate | undefined; readonly problem?: undefined }
  | { readonly problem: 'signature' | 'responder'; readonly detail: string };

/**
 * Finds the signer and authorises it (RFC 6960 4.2.2.2), dates and revocation of a delegate aside.
 *
 * @param pool certificates beside those in the response among which the delegate may be.
 */
export function responderOf(basic: BasicResponse, issuer: IssuerContext, pool: readonly Certificate[]): Responder {
  const named = (name: Name, key: PublicKeyInfo): boolean =>
    basic.responder.name === undefined
      ? equalBytes(basic.responder.keyHash, digest('sha1', key.bits))
      : basic.responder.name.key === name.key;
  if (named(issuer.name, issuer.publicKey) && verifySigned(basic, issuer.publicKey)) return { delegate: undefined };
  let detail = 'no certificate given is the responder that the response names';
  let problem: 'signature' | 'responder' = 'responder';
  if (named(issuer.name, issuer.publicKey))
    [problem, detail] = ['signature', 'it does not verify under the key of the issuer'];
  for (const certificate of [...basic.certificates, ...pool]) {
    if (!named(certificate.subject, certificate.publicKey)) continue;
    if (!verifySigned(basic, certificate.publicKey)) {
      [problem, detail] = ['signature', 'it does not verify under the key of the responder that it names'];
      continue;
    }
    const refusal = notDelegated(certificate, issuer);
    if (refusal === undefined) return { delegate: certificate };
    [problem, detail] = ['responder', refusal];
  }
  return { problem, detail };
}

function notDelegated(certificate: Certificate, issuer: IssuerContext): string | undefined {
  if (certificate.issuer.key !== issuer.name.key || !verifyCertificate(certificate, issuer.publicKey))
    return 'the responder was not certified by the issuer of the certificate';
  if (certificate.extendedKeyUsage?.includes(OID.ocspSigning) !== true)
    return 'the responder certificate is not for OCSPSigning';
  if (certificate.keyUsage !== undefined && (certificate.keyUsage & 3) === 0)
    return 'the key usage of the responder certificate does not allow signatures';
  return undefined;
}
