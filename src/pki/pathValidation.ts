/**
 * Certification path validation (RFC 5280 6.1), written in the order of its steps. It differs from the text in one way: it does not stop
 * at the first failure, so that a report names every rule that is broken and the certificate that breaks it. Revocation (6.1.3 (a)(3)) is
 * `revocation.ts`. What a trust anchor's own certificate says (path length, names, key usage) binds too (RFC 5937), unless the anchor is
 * given as a bare name and key.
 */
import type { Finding } from '../finding/finding.ts';
import { formatInstant, type Instant } from '../time/instant.ts';
import type { PublicKeyInfo } from './algorithm.ts';
import { catalogue, type PkiCode } from './catalogue.ts';
import { type Certificate, describe, OID, refusedAlgorithm, verifyCertificate } from './certificate.ts';
import type { Name } from './name.ts';
import { constrain, type NameState, NO_CONSTRAINTS, violations } from './nameConstraints.ts';
import { PolicyGraph, type ValidPolicy } from './policyGraph.ts';
import { weakness } from './signature.ts';
import { KEY_USAGE } from './structures.ts';

/** A name and a key that are trusted (RFC 5280 6.1.1 (d)), with the certificate that carried them, if its constraints are to bind. */
export interface TrustAnchor {
  readonly name: Name;
  readonly publicKey: PublicKeyInfo;
  readonly subjectKeyIdentifier?: Uint8Array;
  readonly certificate?: Certificate;
}

/** The anchor that a certificate stands for, its own constraints included. */
export function anchorOf(certificate: Certificate): TrustAnchor {
  return { ...bareAnchorOf(certificate), certificate };
}

/** The anchor as a mere name and key (approver-identity 8: "an anchor is a key"). */
export function bareAnchorOf(certificate: Certificate): TrustAnchor {
  const { subject: name, publicKey, subjectKeyIdentifier } = certificate;
  return { name, publicKey, ...(subjectKeyIdentifier === undefined ? {} : { subjectKeyIdentifier }) };
}

/** Inputs of RFC 5280 6.1.1, besides path and anchor. */
export interface PathOptions {
  /** The instant to judge by; undefined leaves dates unchecked, for callers that judge them apart. */
  readonly at: Instant | undefined;
  /** user-initial-policy-set; undefined is any-policy. */
  readonly initialPolicies?: readonly string[];
  readonly initialPolicyMappingInhibit?: boolean;
  readonly initialExplicitPolicy?: boolean;
  readonly initialAnyPolicyInhibit?: boolean;
  /** An extended key usage that the target must have, and every CA that is limited to purposes too. */
  readonly purpose?: string;
}

export interface PathJudgement {
  /** No finding refuses the path. */
  readonly valid: boolean;
  /** All findings; `where.part` names the certificate by depth, 0 being the target. */
  readonly findings: readonly Finding[];
  /** Policies valid for the path, none if it is not valid; a single anyPolicy stands for all. */
  readonly policies: readonly ValidPolicy[];
}

/** Certificates from the target (depth 0) up to the one that the anchor issued. */
export type Path = readonly Certificate[];

/** Critical extensions of certificates that this module or `revocation.ts` processes. */
const PROCESSED: ReadonlySet<string> = new Set([
  OID.keyUsage,
  OID.subjectAltName,
  OID.issuerAltName,
  OID.basicConstraints,
  OID.nameConstraints,
  OID.crlDistributionPoints,
  OID.certificatePolicies,
  OID.policyMappings,
  OID.policyConstraints,
  OID.extendedKeyUsage,
  OID.inhibitAnyPolicy,
  OID.authorityKeyIdentifier,
  OID.subjectKeyIdentifier,
  OID.freshestCrl,
  OID.ocspNoCheck,
]);

/**
 * Validates one path under one anchor.
 *
 * @param path target first; empty when the target is the anchor itself.
 * @param anchor undefined when none was found: everything that needs none is judged all the same, and the path is not valid.
 */
export function validatePath(path: Path, anchor: TrustAnchor | undefined, options: PathOptions): PathJudgement {
  const n = path.length;
  const findings: Finding[] = [];

  // 6.1.2 Initialization
  const graph = new PolicyGraph(); // (a)
  let names: NameState = NO_CONSTRAINTS; // (b), (c)
  let explicitPolicy = options.initialExplicitPolicy === true ? 0 : n + 1; // (d)
  let inhibitAny = options.initialAnyPolicyInhibit === true ? 0 : n + 1; // (e)
  let policyMapping = options.initialPolicyMappingInhibit === true ? 0 : n + 1; // (f)
  let issuerKey = anchor?.publicKey; // (g), (h), (i)
  let issuerName = anchor?.name; // (j)
  let maxPathLength = n; // (k)
  const anchorCertificate = anchor?.certificate;
  if (anchorCertificate !== undefined) {
    findings.push(...judgeAnchor(anchorCertificate, n, options.at));
    maxPathLength = Math.min(n, anchorCertificate.basicConstraints?.pathLength ?? n);
    if (anchorCertificate.nameConstraints !== undefined) names = constrain(names, anchorCertificate.nameConstraints);
  }

  for (let i = 1; i <= n; i++) {
    const certificate = path[n - i] as Certificate;
    const depth = n - i;
    const last = i === n;
    const find = (code: PkiCode, message: string, expected?: string, actual?: string): void => {
      findings.push(found(code, certificate, depth, message, expected, actual));
    };

    // 6.1.3 Basic Certificate Processing
    if (issuerKey !== undefined) {
      const refused = refusedAlgorithm(certificate, issuerKey);
      if (refused !== undefined)
        find('pki/algorithm', refused); // (a)(1)
      else if (!verifyCertificate(certificate, issuerKey))
        find('pki/signature', 'the signature does not verify under the key of its issuer'); // (a)(1)
    }
    if (options.at !== undefined) findings.push(...judgeDates(certificate, depth, options.at)); // (a)(2)
    if (issuerName !== undefined && certificate.issuer.key !== issuerName.key)
      find(
        'pki/name-chaining',
        'the issuer is not the subject of the certificate above',
        issuerName.text,
        certificate.issuer.text,
      ); // (a)(4)
    if (!certificate.selfIssued || last) {
      for (const { kind, name } of violations(names, certificate)) {
        if (kind === 'not-evaluable')
          find('pki/name-constraints-form', 'no rule tells whether this name is permitted', undefined, name);
        else
          find(
            'pki/name-constraints',
            kind === 'excluded' ? 'a CA above excludes this name' : 'no CA above may certify this name',
            undefined,
            name,
          );
      } // (b), (c)
    }
    graph.descend(certificate.policies, inhibitAny > 0 || (!last && certificate.selfIssued)); // (d), (e)
    if (explicitPolicy === 0 && graph.empty)
      find('pki/policy', 'no policy holds from the anchor down to here, and one is required'); // (f)

    findings.push(...judgeCritical(certificate, depth)); // 6.1.4 (o), 6.1.5 (e)
    if (options.purpose !== undefined) findings.push(...judgePurpose(certificate, depth, last, options.purpose));
    if (last) {
      // 6.1.5 Wrap-Up Procedure
      if (explicitPolicy > 0) explicitPolicy--; // (a)
      if (certificate.policyConstraints?.requireExplicitPolicy === 0) explicitPolicy = 0; // (b)
      const weak = certificate.publicKey.key.kind === 'unsupported' ? undefined : weakness(certificate.publicKey.key);
      if (weak !== undefined) find('pki/algorithm', weak);
      break;
    }

    // 6.1.4 Preparation for Certificate i+1
    const { policyMappings: mappings, policyConstraints, keyUsage, basicConstraints } = certificate;
    if (mappings !== undefined) {
      if (mappings.some((m) => m.issuerPolicy === OID.anyPolicy || m.subjectPolicy === OID.anyPolicy))
        find('pki/policy-mapping', 'a policy is mapped from or to anyPolicy'); // (a)
      if (policyMapping > 0)
        graph.map(mappings, certificate.policies); // (b)(1)
      else graph.unmap(mappings); // (b)(2)
    }
    issuerName = certificate.subject; // (c)
    issuerKey = certificate.publicKey; // (d), (e), (f)
    if (certificate.nameConstraints !== undefined) names = constrain(names, certificate.nameConstraints); // (g)
    if (!certificate.selfIssued) {
      if (explicitPolicy > 0) explicitPolicy--; // (h)(1)
      if (policyMapping > 0) policyMapping--; // (h)(2)
      if (inhibitAny > 0) inhibitAny--; // (h)(3)
    }
    explicitPolicy = Math.min(explicitPolicy, policyConstraints?.requireExplicitPolicy ?? explicitPolicy); // (i)(1)
    policyMapping = Math.min(policyMapping, policyConstraints?.inhibitPolicyMapping ?? policyMapping); // (i)(2)
    inhibitAny = Math.min(inhibitAny, certificate.inhibitAnyPolicy ?? inhibitAny); // (j)
    if (certificate.version !== 3 || basicConstraints?.ca !== true)
      find(
        'pki/not-a-ca',
        'it issued the certificate below it and is not marked as a CA',
        'version 3 with basicConstraints CA',
        `version ${certificate.version}`,
      ); // (k)
    if (!certificate.selfIssued) {
      if (maxPathLength === 0)
        find('pki/path-length', 'a CA above allows fewer CAs below it'); // (l)
      else maxPathLength--;
    }
    maxPathLength = Math.min(maxPathLength, basicConstraints?.pathLength ?? maxPathLength); // (m)
    if (keyUsage !== undefined && (keyUsage & KEY_USAGE.keyCertSign) === 0)
      find('pki/key-usage', 'its key usage leaves out keyCertSign'); // (n)
  }

  // 6.1.5 (g)
  const initial =
    options.initialPolicies === undefined || options.initialPolicies.includes(OID.anyPolicy)
      ? undefined
      : new Set(options.initialPolicies);
  const policies = n === 0 ? [] : graph.valid(initial);
  const target = path[0];
  const already = findings.some((finding) => finding.code === 'pki/policy');
  if (target !== undefined && explicitPolicy === 0 && policies.length === 0 && !already) {
    const message = 'no acceptable policy holds for the whole path, and one is required';
    findings.push(found('pki/policy', target, 0, message, initial === undefined ? undefined : [...initial].join(', ')));
  }
  const valid = anchor !== undefined && !findings.some((finding) => finding.class !== 'none');
  return { valid, findings, policies: valid ? policies : [] };
}

/** A finding about the certificate at a depth. */
export function found(
  code: PkiCode,
  certificate: Certificate,
  depth: number,
  message: string,
  expected?: string,
  actual?: string,
): Finding {
  return catalogue.find(code, `depth ${depth}, ${describe(certificate)}: ${message}`, {
    where: { part: `depth ${depth}` },
    ...(expected === undefined ? {} : { expected }),
    ...(actual === undefined ? {} : { actual }),
  });
}

function judgeDates(certificate: Certificate, depth: number, at: Instant): readonly Finding[] {
  const { notBefore, notAfter } = certificate;
  const actual = formatInstant(at);
  if (at < notBefore)
    return [
      found('pki/not-yet-valid', certificate, depth, 'it is not yet valid', `from ${formatInstant(notBefore)}`, actual),
    ];
  // notAfter names a whole second, the last of validity (RFC 5280 4.1.2.5).
  if (at >= notAfter + 1_000_000_000n)
    return [found('pki/expired', certificate, depth, 'it has expired', `until ${formatInstant(notAfter)}`, actual)];
  return [];
}

function judgeAnchor(certificate: Certificate, depth: number, at: Instant | undefined): readonly Finding[] {
  const findings: Finding[] = [];
  const { basicConstraints, keyUsage, notAfter } = certificate;
  if (depth > 0 && basicConstraints?.ca === false)
    findings.push(found('pki/not-a-ca', certificate, depth, 'the trust anchor says of itself that it is no CA'));
  if (depth > 0 && keyUsage !== undefined && (keyUsage & KEY_USAGE.keyCertSign) === 0)
    findings.push(
      found('pki/key-usage', certificate, depth, 'the trust anchor leaves keyCertSign out of its key usage'),
    );
  findings.push(...judgeCritical(certificate, depth));
  if (at !== undefined && at >= notAfter + 1_000_000_000n) {
    const until = `until ${formatInstant(notAfter)}`;
    findings.push(
      found('pki/anchor-expired', certificate, depth, 'the trust anchor is past its dates', until, formatInstant(at)),
    );
  }
  return findings;
}

function judgeCritical(certificate: Certificate, depth: number): readonly Finding[] {
  return [...certificate.extensions.values()]
    .filter((extension) => extension.critical && !PROCESSED.has(extension.oid))
    .map(({ oid }) =>
      found(
        'pki/critical-extension',
        certificate,
        depth,
        'it has a critical extension without a rule here',
        undefined,
        oid,
      ),
    );
}

/** The target must have the purpose; a CA that is limited to purposes must have it too (nested usage). */
function judgePurpose(certificate: Certificate, depth: number, last: boolean, purpose: string): readonly Finding[] {
  const { extendedKeyUsage } = certificate;
  const fits =
    extendedKeyUsage?.includes(purpose) === true ||
    (!last && extendedKeyUsage?.includes(OID.anyExtendedKeyUsage) === true);
  if (fits || (extendedKeyUsage === undefined && !last)) return [];
  return [
    found(
      'pki/purpose',
      certificate,
      depth,
      'its extended key usage leaves out the purpose',
      purpose,
      extendedKeyUsage?.join(', ') ?? 'absent',
    ),
  ];
}
