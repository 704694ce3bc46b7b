/** Kind `grants`: a chain of signed grants, root first (audit spec 4.7). The keys of the issuers come from the trust file, by name. */
import { catalogue as evidence } from '../evidence/catalogue.ts';
import { checkGrantChain, expiryFindings, numericAtMost, type ScopeRules } from '../evidence/grants.ts';
import { readArtifact } from '../evidence/place.ts';
import { type SignedGrant, signedGrantShape } from '../evidence/shapes.ts';
import type { Finding, Verdict, Where } from '../finding/finding.ts';
import { list } from '../json/shape.ts';
import { formatInstant, type Instant } from '../time/instant.ts';
import { keysFor, type TrustedKey } from '../trust/trust.ts';
import { claimOf, tooLargeOutcome, unreadOutcome, wholeInput } from './artifact.ts';
import type { KindVerifier, Outcome, VerifyContext } from './kind.ts';

const REQUIRED = ['authorship', 'attenuation'] as const;
const SECOND = 1_000_000_000n;

/** The one restriction whose meaning is documented (audit spec 4.8); any other may only stay equal. */
const RULES: ScopeRules = new Map([['limit', numericAtMost]]);

export const verifier: KindVerifier = {
  kind: 'grants',
  detect: ({ text }) => /^\s*(?:\[\s*)?\{\s*"(?:grant"\s*:\s*\{|alg"|sig")/.test(text) && text.includes('"issuer"'),
  verify(input, context): Outcome {
    const bytes = wholeInput(input);
    if (bytes === undefined) return tooLargeOutcome(REQUIRED);
    const one = /^\s*\{/.test(new TextDecoder().decode(bytes.subarray(0, 4096)));
    const read = one ? readArtifact(signedGrantShape, bytes) : readArtifact(list(signedGrantShape), bytes);
    if (!read.ok) return unreadOutcome(read.findings, REQUIRED);
    const value = read.value;
    const chain: readonly SignedGrant[] = value === null ? [] : 'grant' in value ? [value] : value;
    return outcomeOf(chain, context);
  },
};

export interface ChainJudgement {
  /** That every grant is signed by the issuer that it names. */
  readonly signed: Verdict;
  readonly attenuation: Verdict;
  readonly findings: readonly Finding[];
  /** Issuers without a key that is known and in force. */
  readonly unknown: readonly string[];
}

/** A chain under the issuers' keys of the trust file. A grant does not say when it was signed, so a key has to be in force at the instant of judgement. */
export function judgeChain(chain: readonly SignedGrant[], context: VerifyContext, where: Where = {}): ChainJudgement {
  const issuers = keysFor(context.trust, 'issuer');
  const now = issuers.some(({ from, until }) => from !== undefined || until !== undefined) ? context.now() : undefined;
  const inForce = now === undefined ? issuers : issuers.filter((key) => isInForce(key, now));
  const keysOf = (issuer: string) => inForce.filter(({ name }) => name === issuer).map(({ key }) => key);
  const unknown = [...new Set(chain.map(({ grant }) => grant.issuer))].filter((issuer) => keysOf(issuer).length === 0);
  const report = checkGrantChain(chain, keysOf, RULES, where);
  // An issuer without a key leaves the signature open; that somebody else signed was not shown.
  const findings: Finding[] = report.findings.map((finding) =>
    finding.code === 'evidence/grant-issuer'
      ? evidence.find('evidence/grant-issuer', 'no key that is in force is known for the issuer of the grant', {
          where: finding.where,
          ...(finding.actual === undefined ? {} : { actual: finding.actual }),
          class: 'no_verdict',
          severity: 'warning',
        })
      : finding,
  );
  const signed: Verdict =
    chain.length === 0
      ? 'failed'
      : findings.some(
            (finding) => finding.code === 'evidence/grant-signature' || finding.code === 'evidence/grant-scheme',
          )
        ? 'failed'
        : unknown.length > 0
          ? 'undecided'
          : report.signatures;
  return { signed, attenuation: report.attenuation, findings, unknown };
}

function isInForce({ from, until }: TrustedKey, now: Instant): boolean {
  return (from === undefined || from <= now) && (until === undefined || now < until);
}

function outcomeOf(chain: readonly SignedGrant[], context: VerifyContext): Outcome {
  const { signed, attenuation, findings, unknown } = judgeChain(chain, context);
  const now = context.now();
  const expired = now === undefined ? [] : expiryFindings(chain, now / SECOND);
  const inForce: Verdict =
    now === undefined || chain.length === 0 ? 'undecided' : expired.length > 0 ? 'failed' : 'verified';
  const [root] = chain;
  const last = chain.at(-1);
  const scope =
    root === undefined || last === undefined
      ? 'no grant'
      : `${root.grant.issuer} to ${last.grant.subject}, ${chain.length} grants`;
  return {
    subject: {
      grants: chain.length,
      issuer: root?.grant.issuer ?? null,
      subject: last?.grant.subject ?? null,
      not_after_unix:
        last === undefined || last.grant.not_after_unix === 0n ? null : last.grant.not_after_unix.toString(),
    },
    counts: {
      grants: chain.length,
      issuers_known: new Set(chain.map(({ grant }) => grant.issuer)).size - unknown.length,
    },
    claims: [
      claimOf(
        'authorship',
        signed,
        scope,
        signed === 'verified'
          ? 'every grant is signed by the issuer that it names'
          : signed === 'failed'
            ? 'a grant is not by its issuer'
            : `no key that is in force is known for ${unknown.join(', ')}`,
      ),
      claimOf(
        'attenuation',
        attenuation,
        scope,
        attenuation === 'verified'
          ? 'no grant allows more than the one above it'
          : 'a grant allows more than the one above it',
      ),
      claimOf(
        'time',
        inForce,
        now === undefined ? 'no time to judge by' : `at ${formatInstant(now)}`,
        inForce === 'verified'
          ? 'no grant had expired'
          : inForce === 'failed'
            ? 'a grant had expired'
            : 'no time was given',
      ),
    ],
    required: REQUIRED,
    findings: [...findings, ...expired],
    missing: [
      ...(signed === 'undecided'
        ? [
            {
              claim: 'authorship',
              item: `the public key of ${unknown.join(', ')}, as an issuer in a trust file`,
              who: 'the issuer',
              from: null,
            },
          ]
        : []),
      ...(inForce === 'undecided'
        ? [{ claim: 'time', item: 'the time in question (--at)', who: 'you', from: null }]
        : []),
    ],
    notSupplied: [
      ...(root === undefined
        ? []
        : [`whether ${root.grant.issuer} may grant this at all: no grant stands above its own`]),
      'a later grant or a revocation: only the ledger of the delegate shows which grant is current',
    ],
  };
}
