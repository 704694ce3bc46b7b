/**
 * The numbers and words that `openssl verify` has for what `src/pki` finds, for people who know them by heart: "error 10 at 0 depth lookup:
 * certificate has expired".
 */
import type { Finding } from '../finding/finding.ts';

const WORDS: ReadonlyMap<string, readonly [number, string]> = new Map([
  ['pki/no-path', [20, 'unable to get local issuer certificate']],
  ['pki/path-limit', [22, 'certificate chain too long']],
  ['pki/signature', [7, 'certificate signature failure']],
  ['pki/algorithm', [68, 'CA signature digest algorithm too weak']],
  ['pki/name-chaining', [29, 'subject issuer mismatch']],
  ['pki/not-yet-valid', [9, 'certificate is not yet valid']],
  ['pki/expired', [10, 'certificate has expired']],
  ['pki/not-a-ca', [79, 'invalid CA certificate']],
  ['pki/key-usage', [32, 'key usage does not include certificate signing']],
  ['pki/path-length', [25, 'path length constraint exceeded']],
  ['pki/name-constraints', [47, 'permitted subtree violation']],
  ['pki/name-constraints-form', [51, 'unsupported name constraint type']],
  ['pki/policy', [43, 'no explicit policy']],
  ['pki/policy-mapping', [42, 'invalid or inconsistent certificate policy extension']],
  ['pki/critical-extension', [34, 'unhandled critical extension']],
  ['pki/purpose', [26, 'unsuitable certificate purpose']],
  ['pki/revoked', [23, 'certificate revoked']],
  ['pki/on-hold', [23, 'certificate revoked']],
  ['pki/status-unknown', [3, 'unable to get certificate CRL']],
  ['pki/status-stale', [12, 'CRL has expired']],
  ['pki/crl-signature', [8, 'CRL signature failure']],
  ['pki/crl-issuer', [33, 'unable to get CRL issuer certificate']],
  ['pki/crl-key-usage', [35, 'key usage does not include CRL signing']],
  ['pki/crl-critical-extension', [36, 'unhandled critical CRL extension']],
  ['pki/crl-not-yet-valid', [11, 'CRL is not yet valid']],
  ['pki/crl-stale', [12, 'CRL has expired']],
]);

/** The finding as openssl would put it, if it has words for it. */
export function opensslWords(finding: Finding): string | undefined {
  const words = WORDS.get(finding.code);
  if (words === undefined) return undefined;
  const depth = /^depth (\d+)$/.exec(finding.where.part ?? '')?.[1];
  const [number, text] =
    finding.code === 'pki/no-path' && finding.message.includes('self-signed')
      ? ([18, 'self-signed certificate'] as const)
      : words;
  return `error ${number}${depth === undefined ? '' : ` at ${depth} depth lookup`}: ${text}`;
}

/** All of them, in order, for the detail of a claim. */
export function allWords(findings: readonly Finding[]): string {
  return [...new Set(findings.map(opensslWords).filter((words) => words !== undefined))].join('; ');
}
