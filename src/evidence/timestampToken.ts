/**
 * RFC 3161 time-stamp tokens: their structure, their imprint and what binds them to the signer's certificate (audit spec 5.2, 5.3 steps 1
 * to 7, interop 4). The signature and the path to an anchor (steps 8 to 11) are judged by whoever knows certificates: a `SignerJudge`.
 */
import { sha1 } from '@noble/hashes/legacy.js';
import { compareBytes, equalBytes, hex } from '../bytes/encoding.ts';
import { sha256 } from '../crypto/sha256.ts';
import { type Instant, parseInstant } from '../time/instant.ts';
import { DerProblem, DerReader, type DerValue, derBoolean, derInteger, derValue, TAG } from './der.ts';
import { IMPRINT_HASHES, type MessageImprint, readImprint } from './timestampRequest.ts';

const OID = {
  signedData: '1.2.840.113549.1.7.2',
  tstInfo: '1.2.840.113549.1.9.16.1.4',
  contentType: '1.2.840.113549.1.9.3',
  messageDigest: '1.2.840.113549.1.9.4',
  signingCertificate: '1.2.840.113549.1.9.16.2.12',
  signingCertificateV2: '1.2.840.113549.1.9.16.2.47',
  subjectKeyIdentifier: '2.5.29.14',
} as const;

export interface TstInfo {
  readonly policy: string;
  readonly imprint: MessageImprint;
  readonly serial: bigint;
  readonly genTime: Instant;
  /** Nanoseconds; undefined where the token does not state it, which counts as 0 and is not "exact". */
  readonly accuracy: bigint | undefined;
  readonly nonce: bigint | undefined;
}

/** What a `SignerJudge` needs: everything of the signature, and the certificates that travelled with it (outside the signature). */
export interface TokenSigner {
  /** DER of the certificate that the signer identifier and the signed certificate id both name. */
  readonly certificate: Uint8Array;
  readonly certificates: readonly Uint8Array[];
  /** OID of the digest, DER of the signature's AlgorithmIdentifier. */
  readonly digestAlgorithm: string;
  readonly signatureAlgorithm: Uint8Array;
  /** The signed attributes with the tag SET: the bytes under the signature. */
  readonly signedAttributes: Uint8Array;
  readonly signature: Uint8Array;
  readonly genTime: Instant;
}

export interface TimeStampToken {
  /** Hex SHA-256 of the ContentInfo, as `time_evidence` records it. */
  readonly evidence: string;
  /** Faults against audit spec 5.3 steps 2 to 7, in words; empty when the structure holds. */
  readonly faults: readonly string[];
  readonly info: TstInfo | undefined;
  /** Undefined where no certificate is named consistently. */
  readonly signer: TokenSigner | undefined;
  /** The signer's certificate is named by a SHA-1 hash only (interop 4 rule 7). */
  readonly sha1Only: boolean;
}

export type TokenReading =
  | { readonly token: TimeStampToken }
  | { readonly unreadable: string; readonly ber: boolean }
  | { readonly refused: string };

/**
 * Reads a TimeStampResp or a bare token.
 *
 * @param supplied certificates that the auditor holds (DER), for tokens that carry none
 */
export function readTimeStampToken(bytes: Uint8Array, supplied: readonly Uint8Array[] = []): TokenReading {
  try {
    const inner = unwrapResponse(derValue(bytes));
    if (typeof inner === 'string') return { refused: inner };
    return { token: readContentInfo(inner, supplied) };
  } catch (error) {
    if (error instanceof DerProblem) return { unreadable: error.message, ber: error.indefinite };
    throw error;
  }
}

const STATUS_WORDS: readonly string[] = [
  'granted',
  'granted with modifications',
  'rejected',
  'waiting',
  'revocation warning',
  'revocation notification',
];

/** The ContentInfo of a response, or why there is none. A bare token is its own. */
function unwrapResponse(value: DerValue): DerValue | string {
  if (value.tag !== TAG.sequence) throw new DerProblem('a token is a SEQUENCE');
  const reader = new DerReader(value.content);
  if (reader.next !== TAG.sequence) return value;
  const status = new DerReader(reader.take(TAG.sequence, 'PKIStatusInfo').content).integer('status');
  if (status !== 0n && status !== 1n)
    return `the response says "${STATUS_WORDS[Number(status)] ?? status}" and carries no token`;
  const token = reader.take(TAG.sequence, 'the token of the response');
  reader.end('the response');
  return token;
}

function readContentInfo(contentInfo: DerValue, supplied: readonly Uint8Array[]): TimeStampToken {
  const faults: string[] = [];
  const outer = new DerReader(contentInfo.content);
  if (outer.oid('the content type') !== OID.signedData) faults.push('the token is not CMS signed data');
  const wrapped = new DerReader(outer.take(0xa0, 'the content').content);
  outer.end('ContentInfo');
  const signedData = wrapped.sequence('SignedData');
  wrapped.end('the content');

  if (signedData.integer('version') !== 3n) faults.push('the version of the signed data is not 3');
  signedData.take(TAG.set, 'digestAlgorithms');
  const encap = signedData.sequence('encapContentInfo');
  if (encap.oid('eContentType') !== OID.tstInfo) faults.push('what is signed is not a TSTInfo');
  const explicit = encap.optional(0xa0);
  const content = explicit === undefined ? undefined : derValue(explicit.content);
  if (content !== undefined && content.tag !== TAG.octetString) throw new DerProblem('eContent is not an OCTET STRING');
  if (content === undefined) faults.push('the token holds no TSTInfo');
  const certificates: Uint8Array[] = [];
  const set = signedData.optional(0xa0);
  if (set !== undefined) {
    const each = new DerReader(set.content);
    while (each.next !== undefined) certificates.push(each.any('a certificate').whole);
  }
  signedData.optional(0xa1);
  const infos = new DerReader(signedData.take(TAG.set, 'signerInfos').content);
  signedData.end('SignedData');
  const signerInfos: DerReader[] = [];
  while (infos.next !== undefined) signerInfos.push(infos.sequence('SignerInfo'));
  if (signerInfos.length !== 1) faults.push(`the token has ${signerInfos.length} signers, not one`);

  const info = content === undefined ? undefined : readTstInfo(content.content, faults);
  const only = signerInfos[0];
  const signed =
    only === undefined || content === undefined || info === undefined
      ? undefined
      : readSignerInfo(only, content.content, [...certificates, ...supplied], info.genTime, faults);
  return {
    evidence: hex(sha256(contentInfo.whole)),
    faults,
    info,
    signer: signed?.signer,
    sha1Only: signed?.sha1Only ?? false,
  };
}

const GENERALIZED = /^(\d{4})(\d{2})(\d{2})(\d{2})(\d{2})(\d{2})(?:\.(\d*[1-9]))?Z$/;

/** 5.3 step 5: UTC, seconds present, a fraction without trailing zeros. Digits past the nanosecond are dropped. */
function generalizedTime(content: Uint8Array): Instant | undefined {
  const match = GENERALIZED.exec(String.fromCharCode(...content.subarray(0, 64)));
  if (match === null) return undefined;
  const [, year, month, day, hour, minute, second, fraction] = match;
  const digits = fraction === undefined ? '' : `.${fraction.slice(0, 9)}`;
  return parseInstant(`${year}-${month}-${day}T${hour}:${minute}:${second}${digits}Z`);
}

function readTstInfo(bytes: Uint8Array, faults: string[]): TstInfo {
  const value = derValue(bytes);
  if (value.tag !== TAG.sequence) throw new DerProblem('TSTInfo is not a SEQUENCE');
  const reader = new DerReader(value.content);
  if (reader.integer('the version of TSTInfo') !== 1n) faults.push('the version of the TSTInfo is not 1');
  const policy = reader.oid('policy');
  const imprint = readImprint(reader);
  const hash = IMPRINT_HASHES.find((candidate) => candidate.oid === imprint.oid);
  if (hash === undefined) faults.push(`the imprint uses ${imprint.oid}, which is none of SHA-256, SHA-384 and SHA-512`);
  else if (imprint.hash.length !== hash.length)
    faults.push(`the imprint has ${imprint.hash.length} bytes, its algorithm gives ${hash.length}`);
  const serial = reader.integer('serialNumber');
  const genTime = generalizedTime(reader.take(TAG.generalizedTime, 'genTime').content);
  if (genTime === undefined) throw new DerProblem('genTime is not a UTC time with seconds in its DER form');
  const accuracy = reader.next === TAG.sequence ? readAccuracy(reader.sequence('accuracy'), faults) : undefined;
  const ordering = reader.optional(TAG.boolean);
  if (ordering !== undefined && !derBoolean(ordering.content, 'ordering'))
    throw new DerProblem('ordering FALSE is the default and has to be left out');
  const nonce = reader.next === TAG.integer ? reader.integer('nonce') : undefined;
  reader.optional(0xa0);
  const extensions = reader.optional(0xa1);
  if (extensions !== undefined) {
    const each = new DerReader(extensions.content);
    while (each.next !== undefined) {
      const extension = each.sequence('an extension');
      const name = extension.oid('an extension');
      const critical = extension.optional(TAG.boolean);
      if (critical !== undefined && derBoolean(critical.content, 'critical'))
        faults.push(`the token has an unknown critical extension ${name}`);
    }
  }
  reader.end('TSTInfo');
  return { policy, imprint, serial, genTime, accuracy, nonce };
}

function readAccuracy(reader: DerReader, faults: string[]): bigint {
  const seconds = reader.next === TAG.integer ? reader.integer('the seconds of the accuracy') : 0n;
  const part = (tag: number, name: string): bigint => {
    const value = reader.optional(tag);
    if (value === undefined) return 0n;
    const number = derInteger(value.content, name);
    if (number < 1n || number > 999n) faults.push(`the ${name} of the accuracy are ${number}, not 1 to 999`);
    return number;
  };
  const millis = part(0x80, 'millis');
  const micros = part(0x81, 'micros');
  reader.end('accuracy');
  if (seconds < 0n) faults.push('the accuracy is negative');
  return seconds * 1_000_000_000n + millis * 1_000_000n + micros * 1_000n;
}

interface CertificateNames {
  readonly issuer: Uint8Array;
  readonly serial: bigint;
  readonly keyIdentifier: Uint8Array | undefined;
}

/** Issuer, serial number and subject key identifier of a certificate: enough to select it. */
function certificateNames(certificate: Uint8Array): CertificateNames | undefined {
  try {
    const tbs = new DerReader(derValue(certificate).content).sequence('tbsCertificate');
    tbs.optional(0xa0);
    const serial = tbs.integer('serialNumber');
    tbs.take(TAG.sequence, 'signature');
    const issuer = tbs.take(TAG.sequence, 'issuer').whole;
    for (const name of ['validity', 'subject', 'subjectPublicKeyInfo']) tbs.take(TAG.sequence, name);
    tbs.optional(0x81);
    tbs.optional(0x82);
    const extensions = tbs.optional(0xa3);
    let keyIdentifier: Uint8Array | undefined;
    if (extensions !== undefined) {
      const each = new DerReader(extensions.content).sequence('extensions');
      while (each.next !== undefined) {
        const extension = each.sequence('an extension');
        const name = extension.oid('an extension');
        extension.optional(TAG.boolean);
        const value = extension.take(TAG.octetString, 'the value of an extension').content;
        if (name === OID.subjectKeyIdentifier) keyIdentifier = derValue(value).content;
      }
    }
    return { issuer, serial, keyIdentifier };
  } catch (error) {
    if (error instanceof DerProblem) return undefined;
    throw error;
  }
}

interface CertificateId {
  readonly hash: Uint8Array;
  hashOf(certificate: Uint8Array): Uint8Array | undefined;
  readonly issuer: Uint8Array | undefined;
  readonly serial: bigint | undefined;
}

/** Steps 6 and 7 of 5.3. */
function readSignerInfo(
  reader: DerReader,
  content: Uint8Array,
  certificates: readonly Uint8Array[],
  genTime: Instant,
  faults: string[],
): { signer: TokenSigner | undefined; sha1Only: boolean } {
  const version = reader.integer('the version of the signer');
  const sid = reader.any('the signer identifier');
  const digestAlgorithm = reader.sequence('digestAlgorithm').oid('digestAlgorithm');
  const attributes = reader.optional(0xa0);
  const signatureAlgorithm = reader.take(TAG.sequence, 'signatureAlgorithm').whole;
  const signature = reader.take(TAG.octetString, 'the signature').content;
  reader.optional(0xa1);
  reader.end('SignerInfo');

  const bySerial = sid.tag === TAG.sequence;
  if (!bySerial && sid.tag !== 0x80) throw new DerProblem('the signer identifier is of no known form');
  if (version !== (bySerial ? 1n : 3n)) faults.push('the version of the signer does not fit its identifier');
  if (attributes === undefined) {
    faults.push('the signer signed no attributes');
    return { signer: undefined, sha1Only: false };
  }
  const values = readAttributes(attributes.content, faults);
  const contentType = single(values, OID.contentType, 'content type', faults);
  if (contentType !== undefined && new DerReader(contentType).oid('content type') !== OID.tstInfo)
    faults.push('the signed content type is not that of a TSTInfo');
  const digest = single(values, OID.messageDigest, 'message digest', faults);
  const hash = IMPRINT_HASHES.find((candidate) => candidate.oid === digestAlgorithm);
  if (hash === undefined) faults.push(`the signer's digest ${digestAlgorithm} is none of SHA-256, SHA-384 and SHA-512`);
  else if (
    digest !== undefined &&
    !equalBytes(new DerReader(digest).take(TAG.octetString, 'the digest').content, hash.hash(content))
  )
    faults.push('the signed message digest is not that of the TSTInfo: it was changed after signing');

  const ids: CertificateId[] = [];
  const v2 = values.has(OID.signingCertificateV2)
    ? single(values, OID.signingCertificateV2, 'signing certificate', faults)
    : undefined;
  const v1 = values.has(OID.signingCertificate)
    ? single(values, OID.signingCertificate, 'signing certificate', faults)
    : undefined;
  if (v2 !== undefined) ids.push(firstCertificateId(v2, true));
  if (v1 !== undefined) ids.push(firstCertificateId(v1, false));
  if (ids.length === 0) faults.push('no signed attribute names the signing certificate');

  const bytes = Uint8Array.from(attributes.whole);
  bytes[0] = TAG.set;
  const certificate = certificates.find((candidate) => isNamed(sid, bySerial, candidate));
  if (certificate === undefined) faults.push("the signer's certificate is neither in the token nor supplied");
  else if (!ids.every((id) => matches(id, certificate)))
    faults.push("the signed certificate id names another certificate than the signer's");
  return {
    signer:
      certificate === undefined
        ? undefined
        : {
            certificate,
            certificates,
            digestAlgorithm,
            signatureAlgorithm,
            signedAttributes: bytes,
            signature,
            genTime,
          },
    sha1Only: v2 === undefined && v1 !== undefined,
  };
}

/** Attribute type to its values, in the order of the DER; sorted as a SET OF must be. */
function readAttributes(content: Uint8Array, faults: string[]): ReadonlyMap<string, readonly Uint8Array[]> {
  const attributes = new Map<string, Uint8Array[]>();
  const reader = new DerReader(content);
  let last: Uint8Array | undefined;
  while (reader.next !== undefined) {
    const attribute = reader.take(TAG.sequence, 'a signed attribute');
    if (last !== undefined && compareBytes(last, attribute.whole) >= 0)
      faults.push('the signed attributes are not in the order of DER');
    last = attribute.whole;
    const parts = new DerReader(attribute.content);
    const type = parts.oid('the type of an attribute');
    const each = new DerReader(parts.take(TAG.set, 'the values of an attribute').content);
    const values = attributes.get(type) ?? [];
    while (each.next !== undefined) values.push(each.any('a value').whole);
    attributes.set(type, values);
  }
  return attributes;
}

function single(
  attributes: ReadonlyMap<string, readonly Uint8Array[]>,
  type: string,
  name: string,
  faults: string[],
): Uint8Array | undefined {
  const values = attributes.get(type) ?? [];
  if (values.length !== 1) faults.push(`the signed attribute "${name}" is there ${values.length} times, not once`);
  return values[0];
}

/** The first certificate id of an ESS signing certificate attribute, of either version. */
function firstCertificateId(attribute: Uint8Array, v2: boolean): CertificateId {
  const ids = new DerReader(
    new DerReader(attribute).sequence('the signing certificate').take(TAG.sequence, 'its list').content,
  );
  const id = ids.sequence('the certificate id');
  let hashOid = IMPRINT_HASHES[0]?.oid;
  if (v2 && id.next === TAG.sequence) hashOid = id.sequence('the hash of the certificate id').oid('its algorithm');
  const hash = id.take(TAG.octetString, 'certHash').content;
  let issuer: Uint8Array | undefined;
  let serial: bigint | undefined;
  if (id.next === TAG.sequence) {
    const issuerSerial = id.sequence('issuerSerial');
    const names = new DerReader(issuerSerial.take(TAG.sequence, 'issuer').content);
    if (names.next === 0xa4) issuer = names.any('the directory name').content;
    serial = issuerSerial.integer('serialNumber');
  }
  return {
    hash,
    hashOf: (certificate) =>
      v2 ? IMPRINT_HASHES.find((candidate) => candidate.oid === hashOid)?.hash(certificate) : sha1(certificate),
    issuer,
    serial,
  };
}

function matches(id: CertificateId, certificate: Uint8Array): boolean {
  const names = certificateNames(certificate);
  const hash = id.hashOf(certificate);
  return (
    names !== undefined &&
    hash !== undefined &&
    equalBytes(hash, id.hash) &&
    (id.serial === undefined || id.serial === names.serial) &&
    (id.issuer === undefined || equalBytes(id.issuer, names.issuer))
  );
}

function isNamed(sid: DerValue, bySerial: boolean, certificate: Uint8Array): boolean {
  const names = certificateNames(certificate);
  if (names === undefined) return false;
  if (!bySerial) return names.keyIdentifier !== undefined && equalBytes(sid.content, names.keyIdentifier);
  const reader = new DerReader(sid.content);
  const issuer = reader.take(TAG.sequence, 'the issuer of the signer').whole;
  return equalBytes(issuer, names.issuer) && reader.integer('the serial number of the signer') === names.serial;
}
