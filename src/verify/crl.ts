/** Kind `crl`: who signed this list, is it current at the instant, and what does it list (RFC 5280 5, 6.3.3). */
import type { Finding, Missing, Verdict } from '../finding/finding.ts';
import { parseCrl } from '../pki/crl.ts';
import { authorOf, judgeCrl, judgeSeries } from '../pki/crlAuthor.ts';
import { formatInstant } from '../time/instant.ts';
import { claimOf, unreadOutcome } from './artifact.ts';
import { sniffAsn1 } from './asn1Sniff.ts';
import type { KindVerifier } from './kind.ts';
import { allWords } from './opensslWords.ts';
import { inputBlocks, missingOf, pkiSources } from './pkiSources.ts';

const REQUIRED = ['authorship'] as const;

export const verifier: KindVerifier = {
  kind: 'crl',
  detect: (prefix) => sniffAsn1(prefix) === 'crl',
  verify(input, context) {
    const blocks = inputBlocks(input, 'X509 CRL');
    if (blocks.value === undefined) return unreadOutcome([blocks.finding], REQUIRED);
    const block = blocks.value.find(({ label }) => label === 'X509 CRL');
    const read = block === undefined ? undefined : parseCrl(block.der);
    if (read?.value === undefined) return unreadOutcome(read === undefined ? [] : [read.finding], REQUIRED);
    const sources = pkiSources(context);
    if (sources.findings.some((finding) => finding.class === 'unusable'))
      return unreadOutcome(sources.findings, REQUIRED);
    const crl = read.value;
    const at = context.now();
    const author = authorOf(crl, { anchors: sources.anchors, pool: sources.certificates }, at);
    // A list that is not of the instant is not wrong: the claim `current` stays open.
    const own = judgeCrl(crl, at).map(
      (finding): Finding => (finding.class === 'no_verdict' ? { ...finding, class: 'none' } : finding),
    );
    const wrong = own.filter((finding) => finding.class === 'not_verified');
    // Without an instant the dates of its signer were not judged.
    const open = author.authentic === undefined || (author.authentic && at === undefined);
    const authorship: Verdict = open ? 'undecided' : author.authentic === true ? 'verified' : 'failed';
    const dated = own.some((finding) => finding.code === 'pki/crl-stale' || finding.code === 'pki/crl-not-yet-valid');
    const current: Verdict = authorship === 'verified' && !dated ? 'verified' : 'undecided';
    const kind = crl.baseNumber === undefined ? 'complete' : 'delta';
    const scope = `${kind} list ${crl.number === undefined ? 'without a number' : `number ${crl.number}`}, ${crl.size} entries`;
    const span = `from ${formatInstant(crl.thisUpdate)} to ${crl.nextUpdate === undefined ? 'no stated time' : formatInstant(crl.nextUpdate)}`;
    const missing: Missing[] = [];
    if (authorship === 'undecided')
      missing.push({
        claim: 'authorship',
        item:
          author.authentic === true
            ? 'the instant to judge by (--at)'
            : `the certificate of ${crl.issuer.text}, or its trust anchor`,
        who: author.authentic === true ? 'you' : 'the CA',
        from: null,
      });
    if (current === 'undecided')
      missing.push(
        at === undefined
          ? { claim: 'current', item: 'the instant to judge by (--at)', who: 'you', from: null }
          : {
              claim: 'current',
              item: `a list of ${crl.issuer.text} with a known signer that was current at ${formatInstant(at)}`,
              who: crl.issuer.text,
              from: null,
            },
      );
    const detail =
      author.authentic === true
        ? `signed by ${author.signer}, with a path to a trust anchor`
        : allWords(author.findings) || 'its signer could not be told';
    const claims = [
      claimOf('authorship', authorship, scope, detail),
      claimOf(
        'current',
        current,
        span,
        current === 'verified'
          ? `current at ${formatInstant(at ?? 0n)}`
          : dated
            ? 'not of the instant'
            : 'only the list itself says so',
      ),
    ];
    return {
      subject: {
        format: `CRL v${crl.version}`,
        issuer: crl.issuer.text,
        number: crl.number === undefined ? null : String(crl.number),
        base_number: crl.baseNumber === undefined ? null : String(crl.baseNumber),
        this_update: formatInstant(crl.thisUpdate),
        next_update: crl.nextUpdate === undefined ? null : formatInstant(crl.nextUpdate),
        indirect: crl.scope?.indirect === true,
        sha256: crl.sha256,
      },
      counts: { entries: crl.size },
      claims: [
        ...claims,
        claimOf(
          'entries',
          wrong.length === 0 ? 'verified' : 'failed',
          scope,
          wrong.length === 0
            ? 'every entry and extension was understood'
            : 'something in the list is not understood or may not stand in it',
        ),
      ],
      required: REQUIRED,
      findings: [...sources.findings, ...author.findings, ...own, ...judgeSeries([crl, ...sources.crls])],
      missing: missingOf(claims, missing),
      notSupplied: ['the CRLs for the certificate that signed this list: its own revocation would show only in them'],
    };
  },
};
