/**
 * Shapes of common credentials, from their issuers' documentation: a fixed beginning and a fixed alphabet, so that ordinary text does not match.
 * A credential without such a shape (a password) is not found: give it as a secret. Every pattern is linear: one run of one alphabet, bounded.
 */
export interface CredentialShape {
  /** Stands in brackets in the place of what was found. */
  readonly name: string;
  readonly pattern: RegExp;
}

export const CREDENTIALS: readonly CredentialShape[] = [
  { name: 'AWS_ACCESS_KEY', pattern: /\b(?:AKIA|ASIA)[A-Z0-9]{16}\b/g },
  { name: 'GITHUB_TOKEN', pattern: /\b(?:gh[pousr]_[A-Za-z0-9]{36,255}|github_pat_[A-Za-z0-9_]{22,255})\b/g },
  { name: 'GITLAB_TOKEN', pattern: /\bglpat-[A-Za-z0-9_-]{20,255}/g },
  { name: 'SLACK_TOKEN', pattern: /\bxox[abeoprs]-[A-Za-z0-9-]{10,255}/g },
  { name: 'STRIPE_KEY', pattern: /\b(?:sk|rk)_(?:live|test)_[A-Za-z0-9]{16,255}\b/g },
  { name: 'ANTHROPIC_KEY', pattern: /\bsk-ant-[A-Za-z0-9_-]{20,255}/g },
  { name: 'OPENAI_KEY', pattern: /\bsk-(?:proj-|svcacct-|admin-)?[A-Za-z0-9_-]{20,255}/g },
  { name: 'GOOGLE_API_KEY', pattern: /\bAIza[A-Za-z0-9_-]{35}/g },
  { name: 'NPM_TOKEN', pattern: /\bnpm_[A-Za-z0-9]{36}\b/g },
  { name: 'JWT', pattern: /\beyJ[A-Za-z0-9_-]{10,4096}\.eyJ[A-Za-z0-9_-]{10,8192}\.[A-Za-z0-9_-]{10,4096}/g },
  {
    name: 'PRIVATE_KEY',
    pattern:
      /-----BEGIN [A-Z ]{0,40}PRIVATE KEY-----[A-Za-z0-9+/=\s\\]{16,65536}-----END [A-Z ]{0,40}PRIVATE KEY-----/g,
  },
  { name: 'URL_PASSWORD', pattern: /(?<=\b[a-z][a-z0-9+.-]{1,30}:\/\/[^/\s:@]{1,100}:)[^/\s:@]{3,100}(?=@)/g },
];
