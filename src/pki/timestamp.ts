/**
 * What a time-stamp token proves, in the steps of audit 5.3. `judgeTimestamp` takes the token's model, the stamped bytes or their hashes, anchors
 * and lists, and gives the time with its accuracy or every reason why there is none. All independent checks run.
 */
import { equalBytes, hex } from '../bytes/encoding.ts';
import type { Finding } from '../finding/finding.ts';
import { formatInstant, type Instant } from '../time/instant.ts';
import { HASH_LENGTH, type HashName, hashOf, type SignatureAlgorithm, signatureAlgorithm } from './algorithm.ts';
import { catalogue, type PkiCode } from './catalogue.ts';
import { type Certificate, describe, OID } from './certificate.ts';
import type { Crl } from './crl.ts';
import { contents, oidText, TAG } from './der.ts';
import type { OcspResponse } from './ocsp.ts';
import { buildPath, type JudgedPath } from './pathBuilding.ts';
import type { TrustAnchor } from './pathValidation.ts';
import { certificateStatus, type StatusSources } from './revocation.ts';
import { digest, verifySignature, weakness } from './signature.ts';
import {
  type Attribute,
  type CertificateId,
  firstCertificateId,
  type SignerInfo,
  type TimestampToken,
  TST_INFO,
} from './timestampToken.ts';

export interface TimestampOptions {
  /** The stamped bytes, or their hash by algorithm for callers that hold hashes only. Undefined: the imprint is not compared. */
  readonly stamped?: Uint8Array | ReadonlyMap<HashName, Uint8Array>;
  /** Accepted policies; undefined accepts any. */
  readonly policies?: readonly string[];
  /** The request's nonce; undefined when no request is at hand or it had none. */
  readonly nonce?: bigint;
  readonly anchors: readonly TrustAnchor[];
  /** Certificates beside those in the token. */
  readonly pool: readonly Certificate[];
  readonly crls: readonly Crl[];
  readonly ocsp: readonly OcspResponse[];
}

export interface TimestampJudgement {
  readonly findings: readonly Finding[];
  /** Steps 1 to 9 hold: the signer whose certificate is `signer` signed this time. */
  readonly signed: boolean;
  /** The imprint is that of the stamped bytes; undefined when none were given. */
  readonly stamps: boolean | undefined;
  /** Step 10: a path leads to an anchor; undefined when there was no signer or nothing to build one with. */
  readonly trusted: boolean | undefined;
  /** Step 11: every certificate of the path has a status that does not reach back to genTime. */
  readonly statusChecked: boolean;
  readonly genTime: Instant;
  /** Nanoseconds; 0 when not stated. */
  readonly accuracy: bigint;
  readonly accuracyStated: boolean;
  readonly signer: Certificate | undefined;
  readonly path: JudgedPath | undefined;
}

const CONTENT_TYPE = '1.2.840.113549.1.9.3';
const MESSAGE_DIGEST = '1.2.840.113549.1.9.4';
const ESS_V1 = '1.2.840.113549.1.9.16.2.12';
const ESS_V2 = '1.2.840.113549.1.9.16.2.47';
const RSA_ENCRYPTION = '1.2.840.113549.1.1.1';

/** Hash of the stamped bytes under the imprint's algorithm, if it can be had. */
function stampedHash(stamped: NonNullable<TimestampOptions['stamped']>, hash: HashName): Uint8Array | undefined {
  return stamped instanceof Uint8Array ? digest(hash, stamped) : stamped.get(hash);
}

/** Judges one token. Revocation and path are judged at genTime. */
export function judgeTimestamp(token: TimestampToken, options: TimestampOptions): TimestampJudgement {
  const findings: Finding[] = [];
  const find = (code: PkiCode, message: string, expected?: string, actual?: string): void => {
    findings.push(
      catalogue.find(code, message, {
        where: { part: `token ${token.sha256.slice(0, 16)}` },
        ...(expected === undefined ? {} : { expected }),
        ...(actual === undefined ? {} : { actual }),
      }),
    );
  };
  const { info } = token;

  // 2
  if (token.version !== 3)
    find('pki/token-structure', 'the version of the SignedData is not 3', '3', String(token.version));
  if (token.signers.length !== 1)
    find('pki/token-structure', 'a token has exactly one signer', '1', String(token.signers.length));
  // 3
  let stamps: boolean | undefined;
  const { imprint } = info;
  if (imprint === undefined || imprint.hash === 'sha1')
    find(
      'pki/token-imprint-algorithm',
      'the imprint is by a hash that is not accepted',
      'SHA-256, SHA-384 or SHA-512',
      info.imprintOid,
    );
  if (options.stamped !== undefined) {
    const expected =
      imprint === undefined || imprint.hash === 'sha1' ? undefined : stampedHash(options.stamped, imprint.hash);
    stamps = expected !== undefined && imprint !== undefined && equalBytes(expected, imprint.digest);
    if (imprint !== undefined && imprint.hash !== 'sha1' && !stamps)
      find(
        'pki/token-imprint',
        'the token stamps other bytes',
        expected === undefined ? undefined : hex(expected),
        hex(imprint.digest),
      );
  }
  // 4
  if (options.policies !== undefined && !options.policies.includes(info.policy))
    find('pki/token-policy', 'the policy of the token is not accepted', options.policies.join(', '), info.policy);
  if (options.nonce !== undefined && info.nonce !== options.nonce)
    find(
      'pki/token-nonce',
      'the nonce is not that of the request',
      options.nonce.toString(16),
      info.nonce?.toString(16) ?? 'absent',
    );
  for (const oid of info.criticalExtensions)
    find('pki/token-extension', 'the token has a critical extension that is not understood', undefined, oid);
  // 5
  const { accuracy } = info;
  if (accuracy === undefined) find('pki/token-accuracy-absent', 'the token states no accuracy; 0 is counted');
  const spread =
    accuracy === undefined
      ? 0n
      : BigInt(accuracy.seconds) * 1_000_000_000n +
        BigInt(accuracy.millis) * 1_000_000n +
        BigInt(accuracy.micros) * 1_000n;

  const [signerInfo] = token.signers;
  let signer: Certificate | undefined;
  if (signerInfo !== undefined) {
    const ids = judgeAttributes(token, signerInfo, find); // 6
    signer = judgeSigner(token, signerInfo, ids, options.pool, find); // 6, 7
    if (signer !== undefined) {
      judgeSignature(signerInfo, signer, find); // 8
      judgeUsage(signer, find); // 9
    }
  }
  const signed =
    signer !== undefined &&
    !findings.some(
      (finding) =>
        finding.class !== 'none' &&
        finding.code !== 'pki/token-imprint' &&
        finding.code !== 'pki/token-policy' &&
        finding.code !== 'pki/token-nonce',
    );

  // 10
  const pool = [...token.certificates, ...options.pool];
  const path =
    signer === undefined
      ? undefined
      : buildPath(signer, { pool, anchors: options.anchors }, { at: info.genTime, purpose: OID.timeStamping });
  if (path !== undefined) findings.push(...path.findings);
  // 11
  const status =
    path?.valid === true && path.anchor !== undefined
      ? judgeStatus(path, path.anchor, token, options, findings)
      : false;
  if (path?.valid === true && path.path.length > 0 && !status)
    find(
      'pki/token-status-unchecked',
      'revocation of the time-stamp authority was not checked for every certificate of its path',
    );
  return {
    findings,
    signed,
    stamps,
    trusted: path?.valid,
    statusChecked: status,
    genTime: info.genTime, // 12
    accuracy: spread,
    accuracyStated: accuracy !== undefined,
    signer,
    path,
  };
}

type Find = (code: PkiCode, message: string, expected?: string, actual?: string) => void;

/** Step 6 without the certificate itself: each attribute once, in order, and the digest of the contents. */
function judgeAttributes(
  token: TimestampToken,
  signer: SignerInfo,
  find: Find,
): readonly (CertificateId | undefined)[] {
  const signed = signer.signedAttributes;
  if (signed === undefined) {
    find('pki/token-attributes', 'there are no signed attributes');
    return [];
  }
  if (!signed.sorted) find('pki/token-attributes', 'the signed attributes are not in canonical order');
  const once = (type: string, name: string, needed: boolean): Attribute['values'][number] | undefined => {
    const standing = signed.attributes.filter((attribute) => attribute.type === type);
    if (standing.length === 0 && !needed) return undefined;
    const [value, more] = standing[0]?.values ?? [];
    if (standing.length === 1 && value !== undefined && more === undefined) return value;
    find('pki/token-attributes', `the attribute ${name} must stand once with one value`, '1', String(standing.length));
    return undefined;
  };
  const contentType = once(CONTENT_TYPE, 'content-type', true);
  if (contentType !== undefined && (contentType.tag !== TAG.oid || oidText(contentType) !== TST_INFO))
    find('pki/token-attributes', 'the signed content type is not that of a time stamp');
  const messageDigest = once(MESSAGE_DIGEST, 'message-digest', true);
  const hash = hashOf(signer.digestAlgorithm);
  if (hash === undefined || hash === 'sha1')
    find(
      'pki/algorithm',
      'the digest of the signer is not accepted',
      'SHA-256, SHA-384 or SHA-512',
      signer.digestAlgorithm.oid,
    );
  else if (messageDigest !== undefined) {
    const actual = contents(messageDigest);
    const expected = digest(hash, token.content);
    if (messageDigest.tag !== TAG.octetString || !equalBytes(actual, expected))
      find(
        'pki/token-digest',
        'the signed digest is not that of the contents',
        hex(expected),
        hex(actual.subarray(0, 64)),
      );
  }
  const v1 = once(ESS_V1, 'signing-certificate', false);
  const v2 = once(ESS_V2, 'signing-certificate-v2', v1 === undefined);
  if (v1 !== undefined && v2 === undefined) find('pki/token-ess-sha1', 'the signer certificate is named by SHA-1 only');
  return [
    ...(v1 === undefined ? [] : [firstCertificateId(v1, false)]),
    ...(v2 === undefined ? [] : [firstCertificateId(v2, true)]),
  ];
}

/** Steps 6 and 7: the certificate that sid and certificate ids select, never one chosen by position. */
function judgeSigner(
  token: TimestampToken,
  signer: SignerInfo,
  ids: readonly (CertificateId | undefined)[],
  pool: readonly Certificate[],
  find: Find,
): Certificate | undefined {
  const { sid } = signer;
  const wanted = sid.keyId === undefined ? 1 : 3;
  if (signer.version !== wanted)
    find(
      'pki/token-structure',
      'the version of the SignerInfo does not fit its signer identifier',
      String(wanted),
      String(signer.version),
    );
  const candidates = [...token.certificates, ...pool].filter((certificate) =>
    sid.keyId === undefined
      ? sid.issuer.key === certificate.issuer.key && equalBytes(sid.serial, certificate.serial)
      : certificate.subjectKeyIdentifier !== undefined && equalBytes(sid.keyId, certificate.subjectKeyIdentifier),
  );
  const chosen = candidates.find(
    (certificate) => ids.length > 0 && ids.every((id) => id !== undefined && names(id, certificate)),
  );
  if (chosen === undefined) {
    const why =
      candidates.length === 0
        ? 'no certificate given is the one that the signer identifier names'
        : 'the certificate of the signer identifier is not the one that the signing-certificate attribute names';
    find('pki/token-signer', why);
  }
  return chosen;
}

function names(id: CertificateId, certificate: Certificate): boolean {
  if (id.hash === undefined || id.digest.length !== HASH_LENGTH[id.hash]) return false;
  if (!equalBytes(id.digest, digest(id.hash, certificate.der))) return false;
  if (id.issuerSerial === undefined) return true;
  const { issuer, serial } = id.issuerSerial;
  return (
    equalBytes(serial, certificate.serial) &&
    issuer.length === 1 &&
    issuer.every((name) => name.kind === 'directory' && name.name.key === certificate.issuer.key)
  );
}

/** Step 8. */
function judgeSignature(signer: SignerInfo, certificate: Certificate, find: Find): void {
  const algorithm = cmsAlgorithm(signer);
  const refused = typeof algorithm === 'string' ? algorithm : weakness(certificate.publicKey.key);
  const tbs = signer.signedAttributes?.tbs;
  if (refused !== undefined || typeof algorithm === 'string')
    find('pki/algorithm', `${describe(certificate)}: ${refused}`);
  else if (tbs !== undefined && !verifySignature(certificate.publicKey.key, algorithm, tbs, signer.signature))
    find('pki/token-signature', `the signature does not verify under ${describe(certificate)}`);
}

/** The signature algorithm of a SignerInfo; `rsaEncryption` takes its hash from the digest algorithm (RFC 3370 3.2). */
function cmsAlgorithm(signer: SignerInfo): SignatureAlgorithm | string {
  const hash = hashOf(signer.digestAlgorithm);
  if (hash === undefined || hash === 'sha1') return 'the digest of the signer is not accepted';
  const { oid, parameters } = signer.signatureAlgorithm;
  if (oid === RSA_ENCRYPTION)
    return parameters === undefined || parameters.tag === TAG.null
      ? { kind: 'rsa-pkcs1', hash }
      : 'rsaEncryption has parameters';
  const algorithm = signatureAlgorithm(signer.signatureAlgorithm);
  if ('refused' in algorithm) return algorithm.refused;
  if (algorithm.kind === 'ed25519' || algorithm.kind === 'ml-dsa-65')
    return 'tokens are accepted with RSA and ECDSA signatures only';
  return algorithm.hash === hash ? algorithm : 'signature and digest use different hashes';
}

/** Step 9. */
function judgeUsage(certificate: Certificate, find: Find): void {
  const usage = certificate.extensions.get(OID.extendedKeyUsage);
  const purposes = certificate.extendedKeyUsage ?? [];
  const only = purposes.length === 1 && purposes[0] === OID.timeStamping;
  if (usage?.critical !== true || !only)
    find(
      'pki/token-usage',
      `${describe(certificate)}: the extended key usage must be critical and timeStamping alone`,
      OID.timeStamping,
      purposes.length === 0 ? 'absent' : `${purposes.join(', ')}${usage?.critical === true ? '' : ' (not critical)'}`,
    );
  if (certificate.keyUsage !== undefined && (certificate.keyUsage & 3) === 0)
    find('pki/token-usage', `${describe(certificate)}: the key usage must be digitalSignature or nonRepudiation`);
  if (certificate.basicConstraints?.ca === true)
    find('pki/token-usage', `${describe(certificate)}: it is the certificate of a CA`);
}

/** Step 11: no revocation that reaches back to genTime; true when every certificate of the path has a status. */
function judgeStatus(
  path: JudgedPath,
  anchor: TrustAnchor,
  token: TimestampToken,
  options: TimestampOptions,
  findings: Finding[],
): boolean {
  const { genTime } = token.info;
  const sources: StatusSources = {
    crls: [...token.crls, ...options.crls],
    ocsp: options.ocsp,
    pool: [...token.certificates, ...options.pool],
  };
  const later = sources.crls.map((crl) => crl.thisUpdate).filter((instant) => instant > genTime);
  const instants = [genTime, ...later.sort((a, b) => (a < b ? -1 : 1)).slice(0, 1), ...later.slice(-1)];
  return path.path
    .map(({ notAfter }, depth) => {
      let checked = false;
      for (const at of new Set(instants)) {
        const judged = certificateStatus(path.path, depth, anchor, sources, at);
        const { revocation } = judged;
        if (revocation === undefined) {
          // A list may drop what has expired: its silence after that says nothing (RFC 5280 3.3).
          checked ||= judged.status === 'good' && at <= notAfter;
          continue;
        }
        checked = true;
        const { date, invalidityDate } = revocation;
        const since = invalidityDate !== undefined && invalidityDate < date ? invalidityDate : date;
        if (since > genTime) continue;
        findings.push(...judged.findings.filter((finding) => finding.class === 'not_verified'));
        break;
      }
      return checked;
    })
    .every((checked) => checked);
}

/** A time with its accuracy, for people. */
export function timestampText(judgement: TimestampJudgement): string {
  const { genTime, accuracy, accuracyStated } = judgement;
  const spread = accuracyStated ? `, accurate to ${Number(accuracy) / 1e9} s` : ', accuracy not stated';
  return `${formatInstant(genTime)}${spread}`;
}
