/**
 * Who signed a CRL that stands alone: a certificate of its issuer's name whose key verifies it, may sign CRLs, and has a valid path to an anchor.
 * RFC 5280 6.3.3 (f), (g) without a certificate whose status is asked for. Also what can be said of a list, or several, on its face.
 */
import type { Finding } from '../finding/finding.ts';
import { formatInstant, type Instant } from '../time/instant.ts';
import { catalogue, type PkiCode } from './catalogue.ts';
import { type Certificate, describe, refusedAlgorithm, verifySigned } from './certificate.ts';
import type { Crl } from './crl.ts';
import { buildPath, type JudgedPath } from './pathBuilding.ts';
import type { TrustAnchor } from './pathValidation.ts';
import { KEY_USAGE } from './structures.ts';

export interface CrlAuthor {
  /** Undefined: no signer could be told. `false`: one was told and something does not hold. */
  readonly authentic: boolean | undefined;
  readonly findings: readonly Finding[];
  /** Name of the signer whose key verifies. */
  readonly signer: string | undefined;
  readonly path: JudgedPath | undefined;
}

export interface AuthorSources {
  readonly anchors: readonly TrustAnchor[];
  readonly pool: readonly Certificate[];
}

/** Finds and judges the signer of a CRL. Its path is judged at `at`. */
export function authorOf(crl: Crl, sources: AuthorSources, at: Instant | undefined): CrlAuthor {
  const part = `CRL ${crl.sha256.slice(0, 16)}`;
  const find = (code: PkiCode, message: string, expected?: string): Finding =>
    catalogue.find(code, message, { where: { part }, ...(expected === undefined ? {} : { expected }) });
  const findings: Finding[] = [];
  const named = sources.pool.filter((certificate) => certificate.subject.key === crl.issuer.key);
  const anchors = sources.anchors.filter((anchor) => anchor.name.key === crl.issuer.key);
  const anchor = anchors.find(({ publicKey }) => verifySigned(crl, publicKey));
  if (anchor !== undefined) {
    if (mayNotSign(anchor.certificate))
      findings.push(find('pki/crl-key-usage', 'the trust anchor that signed the list may not sign CRLs'));
    return { authentic: findings.length === 0, findings, signer: anchor.name.text, path: undefined };
  }
  const signers = named.filter(({ publicKey }) => verifySigned(crl, publicKey));
  const [first] = signers;
  if (first === undefined)
    return unsigned(crl, [...anchors.map((one) => one.publicKey), ...named.map((one) => one.publicKey)], find);
  const allowed = signers.filter((certificate) => !mayNotSign(certificate));
  if (allowed.length === 0) {
    findings.push(find('pki/crl-key-usage', `${describe(first)} signed the list and may not sign CRLs`));
    return { authentic: false, findings, signer: first.subject.text, path: undefined };
  }
  const paths = allowed.map((certificate) => buildPath(certificate, sources, { at }));
  const path = paths.find(({ valid }) => valid) ?? (paths[0] as JudgedPath);
  if (path.valid) return { authentic: true, findings: path.findings, signer: first.subject.text, path };
  const failed = path.findings.some((finding) => finding.class === 'not_verified');
  findings.push(...path.findings);
  if (!failed)
    findings.push(
      find('pki/crl-issuer', 'the certificate that signed the list has no path to a trust anchor', crl.issuer.text),
    );
  return { authentic: failed ? false : undefined, findings, signer: first.subject.text, path };
}

function unsigned(
  crl: Crl,
  keys: readonly Certificate['publicKey'][],
  find: (code: PkiCode, message: string, expected?: string) => Finding,
): CrlAuthor {
  const [key] = keys;
  if (key === undefined) {
    const finding = find(
      'pki/crl-issuer',
      'no certificate and no anchor has the name of the issuer of the list',
      crl.issuer.text,
    );
    return { authentic: undefined, findings: [finding], signer: undefined, path: undefined };
  }
  const refused = refusedAlgorithm(crl, key);
  const finding =
    refused === undefined
      ? find('pki/crl-signature', 'the list does not verify under any key given for its issuer', crl.issuer.text)
      : find('pki/algorithm', `the signature of the list is not accepted: ${refused}`);
  return { authentic: false, findings: [finding], signer: undefined, path: undefined };
}

function mayNotSign(certificate: Certificate | undefined): boolean {
  return certificate?.keyUsage !== undefined && (certificate.keyUsage & KEY_USAGE.cRLSign) === 0;
}

/** What is wrong with a list on its face: critical extensions, entries it may not hold, dates at an instant. */
export function judgeCrl(crl: Crl, at: Instant | undefined): readonly Finding[] {
  const part = `CRL ${crl.sha256.slice(0, 16)}`;
  const findings: Finding[] = [];
  const find = (code: PkiCode, message: string, expected?: string, actual?: string): void => {
    findings.push(
      catalogue.find(code, message, {
        where: { part },
        ...(expected === undefined ? {} : { expected }),
        ...(actual === undefined ? {} : { actual }),
      }),
    );
  };
  for (const oid of crl.unknownCritical)
    find('pki/crl-critical-extension', 'the list has a critical extension without a rule here', undefined, oid);
  for (const oid of crl.unknownEntryCritical)
    find('pki/crl-critical-extension', 'an entry has a critical extension without a rule here', undefined, oid);
  if (crl.baseNumber === undefined && crl.hasRemovals)
    find('pki/crl-entry', 'a complete list has an entry removeFromCRL');
  if (crl.hasEntryIssuers && crl.scope?.indirect !== true)
    find('pki/crl-entry', 'entries name other issuers, and the list is not marked as indirect');
  if (at === undefined) return findings;
  if (crl.thisUpdate > at)
    find(
      'pki/crl-not-yet-valid',
      'the list is from after the instant',
      `at or before ${formatInstant(at)}`,
      formatInstant(crl.thisUpdate),
    );
  if (crl.nextUpdate === undefined) find('pki/crl-stale', 'the list has no nextUpdate, so its age cannot be judged');
  else if (crl.nextUpdate < at)
    find('pki/crl-stale', 'the list has expired', `at or after ${formatInstant(at)}`, formatInstant(crl.nextUpdate));
  return findings;
}

/** The series of one issuer and scope by number: numbers used twice, and gaps (approver-identity 14.1 rule 7, 15.3). */
export function judgeSeries(crls: readonly Crl[]): readonly Finding[] {
  const series = new Map<string, Map<bigint, Crl>>();
  const findings: Finding[] = [];
  for (const crl of crls) {
    if (crl.number === undefined || crl.baseNumber !== undefined) continue;
    const scope = crl.extensions.get('2.5.29.28')?.value;
    const key = `${crl.issuer.key} ${scope === undefined ? '' : [...scope].join(',')}`;
    const numbers = series.get(key) ?? new Map<bigint, Crl>();
    series.set(key, numbers);
    const other = numbers.get(crl.number);
    if (other === undefined) numbers.set(crl.number, crl);
    else if (other.sha256 !== crl.sha256)
      findings.push(
        catalogue.find('pki/crl-number-reused', `two lists of ${crl.issuer.text} have the number ${crl.number}`, {
          where: { part: `CRL ${crl.sha256.slice(0, 16)}` },
          expected: other.sha256,
          actual: crl.sha256,
        }),
      );
  }
  for (const numbers of series.values()) {
    const sorted = [...numbers.values()].sort((a, b) => ((a.number ?? 0n) < (b.number ?? 0n) ? -1 : 1));
    for (const [i, crl] of sorted.entries()) {
      const [before, after] = [crl.number ?? 0n, sorted[i + 1]?.number];
      if (after === undefined || after === before + 1n) continue;
      findings.push(
        catalogue.find(
          'pki/crl-series-gap',
          `lists of ${crl.issuer.text} are missing between the numbers ${before} and ${after}`,
          {
            where: { part: `CRL ${crl.sha256.slice(0, 16)}` },
            expected: String(before + 1n),
            actual: String(after),
          },
        ),
      );
    }
  }
  return findings;
}
