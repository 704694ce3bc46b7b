/** Kind `ocsp`: who signed this response, and what it says of which certificates (RFC 6960). */
import { type Finding, type Missing, mergeVerdicts, type Verdict } from '../finding/finding.ts';
import { catalogue } from '../pki/catalogue.ts';
import {
  type BasicResponse,
  type IssuerContext,
  issuedBy,
  parseOcsp,
  responderOf,
  responseStatusName,
} from '../pki/ocsp.ts';
import { buildPath } from '../pki/pathBuilding.ts';
import { formatInstant } from '../time/instant.ts';
import { claimOf, unreadOutcome } from './artifact.ts';
import { sniffAsn1 } from './asn1Sniff.ts';
import type { KindVerifier, Outcome } from './kind.ts';
import { inputBlocks, pkiSources } from './pkiSources.ts';

const REQUIRED = ['authorship'] as const;

export const verifier: KindVerifier = {
  kind: 'ocsp',
  detect: (prefix) => sniffAsn1(prefix) === 'ocsp',
  verify(input, context): Outcome {
    const blocks = inputBlocks(input, 'OCSP RESPONSE');
    if (blocks.value === undefined) return unreadOutcome([blocks.finding], REQUIRED);
    const block = blocks.value.find(({ label }) => label === 'OCSP RESPONSE');
    const read = block === undefined ? undefined : parseOcsp(block.der);
    if (read === undefined || read.value === undefined)
      return unreadOutcome(read === undefined ? [] : [read.finding], REQUIRED);
    const sources = pkiSources(context);
    if (sources.findings.some((finding) => finding.class === 'unusable'))
      return unreadOutcome(sources.findings, REQUIRED);
    const { basic, responseStatus, sha256 } = read.value;
    const at = context.now();
    const where = { part: `OCSP response ${sha256.slice(0, 16)}` };
    const findings: Finding[] = [...sources.findings];
    const subject = { format: 'OCSP response', status: responseStatusName(responseStatus), sha256 };
    if (basic === undefined) {
      findings.push(
        catalogue.find('pki/ocsp-unsuccessful', `the responder says ${responseStatusName(responseStatus)}`, { where }),
      );
      return { ...unreadOutcome(findings, REQUIRED), subject };
    }
    // Every answer must be one of an issuer that is known and trusted.
    const pool = [...sources.certificates, ...basic.certificates];
    const issuers: IssuerContext[] = [
      ...sources.anchors,
      ...pool
        .filter((one) => one.basicConstraints?.ca === true)
        .map((certificate) => ({ name: certificate.subject, publicKey: certificate.publicKey, certificate })),
    ];
    const verdicts: Verdict[] = [];
    const rows: string[] = [];
    const missing: Missing[] = [];
    for (const answer of basic.responses) {
      const serial = [...answer.serial].map((byte) => byte.toString(16).padStart(2, '0')).join('');
      const since = answer.revocationTime === undefined ? '' : ` at ${formatInstant(answer.revocationTime)}`;
      rows.push(`serial ${serial} ${answer.answer}${since}`);
      const issuer = issuers.find((one) => issuedBy(answer, one));
      if (issuer === undefined) {
        verdicts.push('undecided');
        missing.push({
          claim: 'authorship',
          item: `the certificate of the issuer of serial number ${serial}`,
          who: 'the CA',
          from: null,
        });
        continue;
      }
      const responder = responderOf(basic, issuer, pool);
      if (responder.problem !== undefined) {
        verdicts.push('failed');
        findings.push(
          catalogue.find(
            responder.problem === 'signature' ? 'pki/ocsp-signature' : 'pki/ocsp-responder',
            responder.detail,
            { where },
          ),
        );
        continue;
      }
      const signer = responder.delegate ?? issuer.certificate;
      const path = signer === undefined ? undefined : buildPath(signer, { pool, anchors: sources.anchors }, { at });
      findings.push(...(path?.findings ?? []));
      const failed = path?.findings.some((finding) => finding.class === 'not_verified') === true;
      const trusted =
        path === undefined
          ? sources.anchors.some((anchor) => anchor.publicKey.sha256 === issuer.publicKey.sha256)
          : path.valid;
      verdicts.push(failed ? 'failed' : trusted ? 'verified' : 'undecided');
      if (!failed && !trusted)
        missing.push({
          claim: 'authorship',
          item: `a trust anchor above ${issuer.name.text}`,
          who: 'whoever maintains the anchors',
          from: null,
        });
    }
    for (const oid of [...basic.unknownCritical, ...basic.responses.flatMap((answer) => answer.unknownCritical)])
      findings.push(
        catalogue.find('pki/critical-extension', 'the response has a critical extension without a rule here', {
          where,
          actual: oid,
        }),
      );
    const authorship = mergeVerdicts(verdicts);
    const unique = [...new Map(findings.map((finding) => [`${finding.code} ${finding.message}`, finding])).values()];
    const dates = at === undefined ? [] : datesOf(basic.responses, at);
    for (const { code, message } of dates)
      unique.push(catalogue.find(code, message, { where, class: 'none', severity: 'warning' }));
    const current: Verdict =
      at === undefined || dates.length > 0 || basic.responses.length === 0 ? 'undecided' : 'verified';
    if (current === 'undecided')
      missing.push({
        claim: 'current',
        item:
          at === undefined ? 'the instant to judge by (--at)' : `a response that was current at ${formatInstant(at)}`,
        who: at === undefined ? 'you' : 'the responder',
        from: null,
      });
    return {
      subject: {
        ...subject,
        produced_at: formatInstant(basic.producedAt),
        responder: basic.responder.name?.text ?? 'by key',
      },
      counts: { responses: basic.responses.length, certificates: basic.certificates.length },
      claims: [
        claimOf('authorship', authorship, `${basic.responses.length} answers`, rows.join('; ')),
        claimOf(
          'current',
          current,
          rows.join('; '),
          at === undefined ? 'no instant was given' : `at ${formatInstant(at)}`,
        ),
      ],
      required: REQUIRED,
      findings: unique,
      missing,
      notSupplied: ['CRLs for the certificate of the responder: its own revocation would show only in them'],
    };
  },
};

interface DateFault {
  readonly code: 'pki/ocsp-not-yet-valid' | 'pki/ocsp-stale';
  readonly message: string;
}

function datesOf(answers: BasicResponse['responses'], at: bigint): readonly DateFault[] {
  return answers.flatMap(({ thisUpdate, nextUpdate }): readonly DateFault[] => {
    if (thisUpdate > at)
      return [
        {
          code: 'pki/ocsp-not-yet-valid',
          message: `an answer is from ${formatInstant(thisUpdate)}, after the instant`,
        },
      ];
    if (nextUpdate !== undefined && nextUpdate >= at) return [];
    const end = nextUpdate === undefined ? 'has no nextUpdate' : `expired at ${formatInstant(nextUpdate)}`;
    return [{ code: 'pki/ocsp-stale', message: `an answer ${end}` }];
  });
}
