/** `verify-timestamp`: an RFC 3161 token over a head (audit spec 5, 6.5). */
import { headStampFindings, otherStamped, stampedBytes } from '../../../src/evidence/headStamp.ts';
import { HeadChecker } from '../../../src/evidence/heads.ts';
import { headShape } from '../../../src/log/head.ts';
import { catalogue as pkiCatalogue } from '../../../src/pki/catalogue.ts';
import { type Certificate, parseCertificate } from '../../../src/pki/certificate.ts';
import { anchorOf } from '../../../src/pki/pathValidation.ts';
import { looksLikePem, readPem } from '../../../src/pki/read.ts';
import { digest } from '../../../src/pki/signature.ts';
import { judgeTimestamp, timestampText } from '../../../src/pki/timestamp.ts';
import { parseTimestamp } from '../../../src/pki/timestampToken.ts';
import { headItself } from '../headsIn.ts';
import { Inputs } from '../inputs.ts';
import type { Session } from '../session.ts';
import type { Verb } from '../verb.ts';
import { PUBKEY_FLAG } from './proof.ts';

export const verifyTimestampVerb: Verb = {
  name: 'verify-timestamp',
  summary: 'Checks an RFC 3161 time-stamp token over a head.',
  flags: {
    sth: { kind: 'string', help: 'the signed head', required: true },
    token: { kind: 'string', help: 'the token or the response around it, DER', required: true },
    ...PUBKEY_FLAG,
    'tsa-roots': {
      kind: 'string',
      help: 'root certificates of the authorities that you trust, PEM or DER',
      required: true,
    },
    'tsa-policy': { kind: 'list', help: 'an accepted policy OID; may be repeated' },
    nonce: { kind: 'string', help: 'the nonce of the request, hexadecimal' },
  },
  usage: (flags) =>
    flags.has('nonce') && !/^(?:0x)?[0-9a-fA-F]{1,128}$/.test(flags.text('nonce'))
      ? '-nonce is hexadecimal'
      : undefined,
  async run(flags, session, io) {
    const inputs = new Inputs(flags, session, io);
    const head = inputs.artifact(flags.text('sth'), headShape, headItself);
    const path = flags.text('token');
    const bytes = inputs.bytes(path);
    const ring = await inputs.ring();
    const roots = certificates(flags.text('tsa-roots'), inputs, session);
    if (head !== undefined) session.take(new HeadChecker({ ring }).check(head, {}).findings, flags.text('sth'));
    const read = bytes === undefined ? undefined : parseTimestamp(bytes);
    if (read?.finding !== undefined) session.take([{ ...read.finding, class: 'unusable' }], path);
    const token = read?.value?.token;
    if (read?.value !== undefined && token === undefined)
      session.take(
        [pkiCatalogue.find('pki/token-refused', `the authority refused with status ${read.value.status}`)],
        path,
      );
    if (token === undefined || head === undefined || roots === undefined) return;
    const judgement = judgeTimestamp(token, {
      stamped: stampedBytes(head),
      anchors: roots.map(anchorOf),
      pool: [],
      crls: [],
      ocsp: [],
      ...(flags.has('tsa-policy') ? { policies: flags.list('tsa-policy') } : {}),
      ...(flags.has('nonce') ? { nonce: BigInt(`0x${flags.text('nonce').replace(/^0x/, '')}`) } : {}),
    });
    // Without CRLs the report says that revocation was not checked; it is no failure (audit spec 5.3 step 11).
    session.take(
      judgement.findings.map((finding) =>
        finding.code === 'pki/token-status-unchecked' ? { ...finding, class: 'none' as const } : finding,
      ),
      path,
    );
    const { imprint } = token.info;
    if (judgement.stamps === false && imprint !== undefined) {
      const other = otherStamped(head, (message) => digest(imprint.hash, message), imprint.digest);
      if (other !== undefined) session.note(`the token is over ${other}, by which no head is stamped`);
    }
    session.take(headStampFindings(head, judgement.genTime, judgement.accuracy, inputs.skew), path);
    // Whatever keeps a token from being trusted is a finding; should one be missing, that is a defect here and no verdict.
    if (session.status === 0 && judgement.trusted !== true) throw new Error('the path of the authority was not judged');
    if (session.status === 0)
      session.ok(`the head existed by ${timestampText(judgement)}; time_evidence ${token.sha256}`);
  },
};

/** The certificates of a PEM or DER file; undefined where it cannot be used, which is reported. */
function certificates(path: string, inputs: Inputs, session: Session): readonly Certificate[] | undefined {
  const bytes = inputs.bytes(path);
  if (bytes === undefined) return undefined;
  const blocks = looksLikePem(bytes) ? readPem(bytes) : { value: [{ label: 'CERTIFICATE', der: bytes, byte: 0 }] };
  if (blocks.value === undefined) {
    session.take([{ ...blocks.finding, class: 'unusable' }], path);
    return undefined;
  }
  const found: Certificate[] = [];
  for (const block of blocks.value) {
    const read = parseCertificate(block.der);
    if (read.value === undefined) session.take([{ ...read.finding, class: 'unusable' }], path);
    else found.push(read.value);
  }
  return found;
}
