/**
 * RFC 3161 time-stamp responses and tokens as a model over their bytes: TimeStampResp, or a bare CMS ContentInfo (RFC 5652) that holds
 * SignedData over a TSTInfo (audit 5.2, interop 4). What they prove is `timestamp.ts`. Texts in them are untrusted.
 */
import { decodeUtf8, hex } from '../bytes/encoding.ts';
import { sha256 } from '../crypto/sha256.ts';
import type { Instant } from '../time/instant.ts';
import { type Algorithm, HASH_LENGTH, type HashName, hashOf, readAlgorithm } from './algorithm.ts';
import { type Certificate, parseCertificate } from './certificate.ts';
import { type Crl, parseCrl } from './crl.ts';
import {
  Cursor,
  checkBitString,
  checkInteger,
  checkSorted,
  contents,
  type Element,
  elementAt,
  integerValue,
  Malformed,
  oidText,
  openDer,
  raw,
  smallInteger,
  TAG,
} from './der.ts';
import { type GeneralName, type Name, readGeneralName, readGeneralNames, readName } from './name.ts';
import { MAX_SIZE, type Read, reading } from './read.ts';
import * as structures from './structures.ts';
import { preciseTime } from './time.ts';

const SIGNED_DATA = '1.2.840.113549.1.7.2';
export const TST_INFO = '1.2.840.113549.1.9.16.1.4';

export interface Imprint {
  readonly hash: HashName;
  readonly digest: Uint8Array;
}

export interface Accuracy {
  readonly seconds: number;
  readonly millis: number;
  readonly micros: number;
}

export interface TstInfo {
  readonly policy: string;
  /** OID of the imprint's algorithm, and the imprint where that is a known one of the right length. */
  readonly imprintOid: string;
  readonly imprint: Imprint | undefined;
  readonly serial: bigint;
  readonly genTime: Instant;
  readonly accuracy: Accuracy | undefined;
  readonly ordering: boolean;
  readonly nonce: bigint | undefined;
  readonly tsa: GeneralName | undefined;
  readonly criticalExtensions: readonly string[];
}

export interface Attribute {
  readonly type: string;
  /** The values, whole elements. */
  readonly values: readonly Element[];
}

export type SignerId =
  | { readonly issuer: Name; readonly serial: Uint8Array; readonly keyId?: undefined }
  | { readonly keyId: Uint8Array; readonly issuer?: undefined };

export interface SignerInfo {
  readonly version: number;
  readonly sid: SignerId;
  readonly digestAlgorithm: Algorithm;
  /** signedAttrs re-tagged as the SET that is signed (interop 4 rule 6); undefined when absent. */
  readonly signedAttributes:
    | { readonly tbs: Uint8Array; readonly attributes: readonly Attribute[]; readonly sorted: boolean }
    | undefined;
  readonly signatureAlgorithm: Algorithm;
  readonly signature: Uint8Array;
}

export interface TimestampToken {
  /** The ContentInfo. */
  readonly der: Uint8Array;
  /** Hex SHA-256 of the ContentInfo: the `time_evidence` of journals (audit 5.2). */
  readonly sha256: string;
  readonly version: number;
  readonly contentType: string;
  /** Contents of the eContent OCTET STRING: what the digest attribute is over. */
  readonly content: Uint8Array;
  readonly info: TstInfo;
  readonly signers: readonly SignerInfo[];
  /** Certificates and CRLs that travel with the token, outside of its signature. */
  readonly certificates: readonly Certificate[];
  readonly crls: readonly Crl[];
}

export interface TimestampResponse {
  /** PKIStatus: 0 granted, 1 granted with modifications; undefined for a bare token. */
  readonly status: number | undefined;
  readonly statusText: readonly string[];
  /** Numbers of the failInfo bits. */
  readonly failures: readonly number[];
  readonly token: TimestampToken | undefined;
}

const FAILURES: ReadonlyMap<number, string> = new Map([
  [0, 'badAlg'],
  [2, 'badRequest'],
  [5, 'badDataFormat'],
  [14, 'timeNotAvailable'],
  [15, 'unacceptedPolicy'],
  [16, 'unacceptedExtension'],
  [17, 'addInfoNotAvailable'],
  [25, 'systemFailure'],
]);

export function failureName(bit: number): string {
  return FAILURES.get(bit) ?? `failure ${bit}`;
}

/** Reads a TimeStampResp or a bare token from strict DER. A token that is no time-stamp token gives `pki/token-structure`. */
export function parseTimestamp(der: Uint8Array, part?: string): Read<TimestampResponse> {
  return reading(
    der,
    MAX_SIZE.token,
    'a time-stamp response or token',
    part,
    () => readEither(der),
    'pki/token-structure',
  );
}

function readEither(der: Uint8Array): TimestampResponse {
  const cursor = openDer(der, 'time-stamp response');
  if (cursor.tag === TAG.oid)
    return { status: undefined, statusText: [], failures: [], token: readToken(elementAt(der, 0, der.length)) };
  const info = cursor.enter('PKIStatusInfo');
  const status = smallInteger(info.next('status', TAG.integer), 'status', 5);
  const texts: string[] = [];
  const list = info.optional(TAG.sequence);
  if (list !== undefined) {
    const lines = new Cursor(list);
    while (!lines.done) texts.push(decodeUtf8(contents(lines.next('statusString', TAG.utf8String))) as string);
  }
  const bits = info.optional(TAG.bitString);
  info.finish('PKIStatusInfo');
  const token = cursor.done ? undefined : readToken(cursor.next('token', TAG.sequence));
  cursor.finish('time-stamp response');
  if (token === undefined && status < 2) throw new Malformed('a granted response has no token', 0);
  if (token !== undefined && status >= 2) throw new Malformed('a refusal has a token', 0);
  return { status, statusText: texts, failures: bits === undefined ? [] : setBits(bits), token };
}

function setBits(element: Element): readonly number[] {
  checkBitString(element);
  const bytes = contents(element).subarray(1);
  const bits: number[] = [];
  for (let i = 0; i < Math.min(64, 8 * bytes.length); i++)
    if ((((bytes[i >> 3] as number) >> (7 - (i & 7))) & 1) === 1) bits.push(i);
  return bits;
}

function readToken(element: Element): TimestampToken {
  const outer = new Cursor(element);
  if (oidText(outer.next('contentType', TAG.oid)) !== SIGNED_DATA)
    throw new Malformed('the content is not signedData', element.start);
  const wrapper = outer.next('content', 0xa0);
  outer.finish('ContentInfo');
  const holder = new Cursor(wrapper);
  const signed = holder.enter('SignedData');
  holder.finish('content');
  const version = smallInteger(signed.next('version', TAG.integer), 'version', 5);
  const digests = new Cursor(signed.next('digestAlgorithms', TAG.set));
  while (!digests.done) readAlgorithm(digests.next('digest algorithm', TAG.sequence));
  const encapsulated = signed.enter('encapContentInfo');
  const contentType = oidText(encapsulated.next('eContentType', TAG.oid));
  const contentHolder = new Cursor(encapsulated.next('eContent', 0xa0));
  const content = contents(contentHolder.next('eContent', TAG.octetString));
  contentHolder.finish('eContent');
  encapsulated.finish('encapContentInfo');
  const certificates = readCertificates(signed.optional(0xa0));
  const crls = readCrls(signed.optional(0xa1));
  const signers: SignerInfo[] = [];
  const list = signed.enter('signerInfos', TAG.set);
  while (!list.done) signers.push(readSigner(list.next('SignerInfo', TAG.sequence)));
  signed.finish('SignedData');
  if (contentType !== TST_INFO) throw new Malformed('the signed content is not a TSTInfo', element.start);
  const der = raw(element);
  return {
    der,
    sha256: hex(sha256(der)),
    version,
    contentType,
    content,
    info: readInfo(content),
    signers,
    certificates,
    crls,
  };
}

/** Other kinds of certificate, and ones that cannot be read, are passed over: nothing signed rests on them. */
function readCertificates(set: Element | undefined): readonly Certificate[] {
  const certificates: Certificate[] = [];
  const cursor = set === undefined ? undefined : new Cursor(set);
  while (cursor !== undefined && !cursor.done) {
    const element = cursor.next('certificate');
    const read = element.tag === TAG.sequence ? parseCertificate(raw(element)) : undefined;
    if (read?.value !== undefined) certificates.push(read.value);
  }
  return certificates;
}

function readCrls(set: Element | undefined): readonly Crl[] {
  const crls: Crl[] = [];
  const cursor = set === undefined ? undefined : new Cursor(set);
  while (cursor !== undefined && !cursor.done) {
    const element = cursor.next('CRL');
    const read = element.tag === TAG.sequence ? parseCrl(raw(element)) : undefined;
    if (read?.value !== undefined) crls.push(read.value);
  }
  return crls;
}

function readSigner(element: Element): SignerInfo {
  const cursor = new Cursor(element);
  const version = smallInteger(cursor.next('version', TAG.integer), 'version', 5);
  const sid = readSignerId(cursor.next('sid'));
  const digestAlgorithm = readAlgorithm(cursor.next('digestAlgorithm', TAG.sequence));
  const signedAttributes = cursor.optional(0xa0);
  const signatureAlgorithm = readAlgorithm(cursor.next('signatureAlgorithm', TAG.sequence));
  const signature = contents(cursor.next('signature', TAG.octetString));
  cursor.optional(0xa1);
  cursor.finish('SignerInfo');
  return {
    version,
    sid,
    digestAlgorithm,
    signedAttributes: signedAttributes === undefined ? undefined : readAttributes(signedAttributes),
    signatureAlgorithm,
    signature,
  };
}

function readSignerId(element: Element): SignerId {
  if (element.tag === 0x80) return { keyId: contents(element) };
  if (element.tag !== TAG.sequence) throw new Malformed('the signer identifier has an unknown form', element.start);
  const cursor = new Cursor(element);
  const issuer = readName(cursor.next('issuer', TAG.sequence));
  const serial = contents(cursor.next('serialNumber', TAG.integer));
  cursor.finish('signer identifier');
  return { issuer, serial };
}

function readAttributes(element: Element): NonNullable<SignerInfo['signedAttributes']> {
  const attributes: Attribute[] = [];
  const cursor = new Cursor(element);
  while (!cursor.done) {
    const pair = cursor.enter('attribute');
    const type = oidText(pair.next('attribute type', TAG.oid));
    const set = new Cursor(pair.next('attribute values', TAG.set));
    pair.finish('attribute');
    const values: Element[] = [];
    while (!set.done) values.push(set.next('attribute value'));
    attributes.push({ type, values });
  }
  const tbs = Uint8Array.from(raw(element));
  tbs[0] = TAG.set;
  return { tbs, attributes, sorted: isSorted(element) };
}

function isSorted(element: Element): boolean {
  try {
    checkSorted(element);
    return true;
  } catch (error) {
    if (error instanceof Malformed) return false;
    throw error;
  }
}

function readInfo(content: Uint8Array): TstInfo {
  const read = reading(content, MAX_SIZE.token, 'a TSTInfo', undefined, () => readTstInfo(content));
  if (read.value === undefined) throw new Malformed(read.finding.message, 0);
  return read.value;
}

function readTstInfo(content: Uint8Array): TstInfo {
  const cursor = openDer(content, 'TSTInfo');
  if (smallInteger(cursor.next('version', TAG.integer), 'version') !== 1)
    throw new Malformed('the version of the TSTInfo is not 1', 0);
  const policy = oidText(cursor.next('policy', TAG.oid));
  const { imprintOid, imprint } = readImprint(cursor.enter('messageImprint'));
  const serial = integerValue(cursor.next('serialNumber', TAG.integer));
  const genTime = preciseTime(cursor.next('genTime', TAG.generalizedTime));
  const accuracy = cursor.optional(TAG.sequence);
  const ordering = cursor.optional(TAG.boolean);
  if (ordering !== undefined && content[ordering.content] !== 0xff)
    throw new Malformed('ordering FALSE is written out, which DER forbids', ordering.start);
  const nonce = cursor.optional(TAG.integer);
  const tsa = cursor.optional(0xa0);
  const extensions = cursor.optional(0xa1);
  cursor.finish('TSTInfo');
  return {
    policy,
    imprintOid,
    imprint,
    serial,
    genTime,
    accuracy: accuracy === undefined ? undefined : readAccuracy(accuracy),
    ordering: ordering !== undefined,
    nonce: nonce === undefined ? undefined : integerValue(nonce),
    tsa: tsa === undefined ? undefined : readTsa(tsa),
    criticalExtensions: extensions === undefined ? [] : readCritical(extensions),
  };
}

function readTsa(wrapper: Element): GeneralName {
  const cursor = new Cursor(wrapper);
  const name = readGeneralName(cursor.next('tsa'));
  cursor.finish('tsa');
  return name;
}

/** Extensions are implicitly tagged: the members stand in the tag itself. */
function readCritical(element: Element): readonly string[] {
  return [...structures.readExtensions(element).values()].filter(({ critical }) => critical).map(({ oid }) => oid);
}

function readImprint(cursor: Cursor): Pick<TstInfo, 'imprintOid' | 'imprint'> {
  const algorithm = readAlgorithm(cursor.next('hashAlgorithm', TAG.sequence));
  const digest = contents(cursor.next('hashedMessage', TAG.octetString));
  cursor.finish('messageImprint');
  const hash = hashOf(algorithm);
  if (hash === undefined) return { imprintOid: algorithm.oid, imprint: undefined };
  if (digest.length !== HASH_LENGTH[hash]) throw new Malformed('the imprint does not have the length of its hash', 0);
  return { imprintOid: algorithm.oid, imprint: { hash, digest } };
}

/** Each part optional; millis and micros 1 to 999, implicitly tagged. */
function readAccuracy(element: Element): Accuracy {
  const cursor = new Cursor(element);
  const seconds = cursor.optional(TAG.integer);
  const part = (tag: number, what: string): number => {
    const member = cursor.optional(tag);
    if (member === undefined) return 0;
    const value = smallInteger(member, what, 999);
    if (value === 0) throw new Malformed(`${what} of the accuracy must be 1 to 999`, member.start);
    return value;
  };
  const accuracy = {
    seconds: seconds === undefined ? 0 : smallInteger(seconds, 'seconds'),
    millis: part(0x80, 'millis'),
    micros: part(0x81, 'micros'),
  };
  cursor.finish('accuracy');
  return accuracy;
}

/** One certificate id of a signing-certificate attribute (RFC 5035, RFC 2634). */
export interface CertificateId {
  readonly hash: HashName | undefined;
  readonly digest: Uint8Array;
  readonly issuerSerial: { readonly issuer: readonly GeneralName[]; readonly serial: Uint8Array } | undefined;
}

/** The first certificate id of SigningCertificate (`v2` false) or SigningCertificateV2; undefined when the value does not have its structure. */
export function firstCertificateId(value: Element, v2: boolean): CertificateId | undefined {
  try {
    if (value.tag !== TAG.sequence) return undefined;
    const outer = new Cursor(value);
    const ids = outer.enter('certs');
    outer.optional(TAG.sequence);
    outer.finish('signing certificate');
    const id = new Cursor(ids.next('certificate id', TAG.sequence));
    const algorithm = v2 ? id.optional(TAG.sequence) : undefined;
    const named = algorithm === undefined ? undefined : readAlgorithm(algorithm);
    const fallback: HashName = v2 ? 'sha256' : 'sha1';
    const hash = named === undefined ? fallback : hashOf(named);
    // The default is {SHA-256, no parameters}; DER leaves a default out.
    if (named !== undefined && hash === 'sha256' && named.parameters === undefined) return undefined;
    const digest = contents(id.next('certHash', TAG.octetString));
    const issuerSerial = id.optional(TAG.sequence);
    id.finish('certificate id');
    return { hash, digest, issuerSerial: issuerSerial === undefined ? undefined : readIssuerSerial(issuerSerial) };
  } catch (error) {
    if (error instanceof Malformed) return undefined;
    throw error;
  }
}

function readIssuerSerial(element: Element): NonNullable<CertificateId['issuerSerial']> {
  const cursor = new Cursor(element);
  const issuer = readGeneralNames(cursor.next('issuer', TAG.sequence));
  const serialElement = cursor.next('serialNumber', TAG.integer);
  checkInteger(serialElement);
  cursor.finish('issuerSerial');
  return { issuer, serial: contents(serialElement) };
}
