/**
 * What the X.509 kinds judge with: trust anchors from the section `anchors` of the trust files, and certificates, lists, responses and
 * requests among the companions (a status archive). Loaded only when an input of these kinds is met.
 *
 * `anchors` is a list; an item is the certificate as base64 DER or PEM text, or an object `{"certificate": ..., "about": ...}`.
 */
import { unbase64, utf8 } from '../bytes/encoding.ts';
import { readAll } from '../bytes/source.ts';
import type { Claim, Finding, Missing } from '../finding/finding.ts';
import type { JsonNode } from '../json/tree.ts';
import { catalogue } from '../pki/catalogue.ts';
import { type Certificate, parseCertificate } from '../pki/certificate.ts';
import { type Crl, parseCrl } from '../pki/crl.ts';
import { type OcspResponse, parseOcsp } from '../pki/ocsp.ts';
import { anchorOf, type TrustAnchor } from '../pki/pathValidation.ts';
import { looksLikePem, MAX_SIZE, type PemBlock, type Read, readPem } from '../pki/read.ts';
import { parseTimestampRequest, type TimestampRequest } from '../pki/timestampRequest.ts';
import { sniffAsn1 } from './asn1Sniff.ts';
import type { Input, VerifyContext } from './kind.ts';

export interface PkiSources {
  readonly anchors: readonly TrustAnchor[];
  readonly certificates: readonly Certificate[];
  readonly crls: readonly Crl[];
  readonly ocsp: readonly OcspResponse[];
  readonly requests: readonly TimestampRequest[];
  /** Companions of no kind of this folder: among them may be the bytes that a token stamps. */
  readonly others: readonly Input[];
  readonly findings: readonly Finding[];
}

/** Largest companion that is read. */
const MAX_COMPANION = MAX_SIZE.crl * 2;

export function pkiSources(context: VerifyContext): PkiSources {
  const findings: Finding[] = [];
  const anchors = readAnchors(context, findings);
  const certificates: Certificate[] = [];
  const crls: Crl[] = [];
  const ocsp: OcspResponse[] = [];
  const requests: TimestampRequest[] = [];
  const others: Input[] = [];
  const keep = <T>(list: T[], read: Read<T>, path: string): void => {
    if (read.value !== undefined) list.push(read.value);
    // A companion that does not read is said, and is as good as absent.
    else if (read.finding !== undefined)
      findings.push({
        ...read.finding,
        class: 'none',
        severity: 'warning',
        where: { ...read.finding.where, part: path },
      });
  };
  for (const companion of context.companions ?? []) {
    const { path, source } = companion;
    if (source.size > MAX_COMPANION) {
      others.push(companion);
      continue;
    }
    const bytes = readAll(source);
    source.close?.();
    const head = bytes.subarray(0, 1 << 16);
    const kind = sniffAsn1({ bytes: head, text: new TextDecoder().decode(head) });
    const request = kind === undefined && bytes[0] === 0x30 ? parseTimestampRequest(bytes, path).value : undefined;
    if (request !== undefined) requests.push(request);
    if (kind === undefined || kind === 'timestamp') {
      if (request === undefined) others.push(companion);
      continue;
    }
    for (const block of blocksOf(
      bytes,
      kind === 'crl' ? 'X509 CRL' : kind === 'ocsp' ? 'OCSP RESPONSE' : 'CERTIFICATE',
    )) {
      if (block.label.endsWith('CERTIFICATE')) keep(certificates, parseCertificate(block.der, path), path);
      else if (block.label === 'X509 CRL') keep(crls, parseCrl(block.der, path), path);
      else if (block.label === 'OCSP RESPONSE') keep(ocsp, parseOcsp(block.der, path), path);
    }
  }
  return { anchors, certificates, crls, ocsp, requests, others, findings };
}

/** The blocks of PEM text, or DER as one block; text that is not PEM gives none. */
function blocksOf(bytes: Uint8Array, label: string): readonly PemBlock[] {
  if (!looksLikePem(bytes)) return [{ label, der: bytes, byte: 0 }];
  return readPem(bytes).value ?? [];
}

/** DER blocks of an input of a kind: PEM blocks with a label, or the whole as DER; the finding says why there is none. */
export function inputBlocks(input: Input, label: string): Read<readonly PemBlock[]> {
  if (input.source.size > MAX_COMPANION)
    return {
      finding: catalogue.find('pki/limit', 'the file is larger than is read', {
        expected: `at most ${MAX_COMPANION} bytes`,
      }),
    };
  const bytes = readAll(input.source);
  return looksLikePem(bytes) ? readPem(bytes) : { value: [{ label, der: bytes, byte: 0 }] };
}

/** What is missing, for the claims that stayed open and for no other (law 4). */
export function missingOf(claims: readonly Claim[], rows: readonly Missing[]): readonly Missing[] {
  const open = new Set(claims.filter(({ verdict }) => verdict === 'undecided').map(({ claim }) => claim));
  return rows.filter(({ claim }) => open.has(claim));
}

function readAnchors(context: VerifyContext, findings: Finding[]): readonly TrustAnchor[] {
  const anchors: TrustAnchor[] = [];
  for (const { node, file } of context.trust.sections.get('anchors') ?? []) {
    const items = node.kind === 'array' ? node.items : [node];
    for (const [i, item] of items.entries()) {
      const pointer = node.kind === 'array' ? `/anchors/${i}` : '/anchors';
      const read = readAnchor(item);
      if (read.value !== undefined) anchors.push(...read.value.map(anchorOf));
      else if (read.finding !== undefined) findings.push({ ...read.finding, where: { part: file, pointer } });
    }
  }
  return anchors;
}

/** One item: every certificate of its PEM text, or the one of its base64. */
function readAnchor(node: JsonNode): Read<readonly Certificate[]> {
  const text = anchorText(node);
  if (text === undefined)
    return {
      finding: catalogue.find('pki/structure', 'an anchor is neither text nor an object with the member "certificate"'),
    };
  const pem = text.includes('-----BEGIN ');
  const der = pem ? undefined : unbase64(text.replace(/\s+/g, ''));
  if (!pem && der === undefined) return { finding: catalogue.find('pki/pem', 'an anchor is neither PEM nor base64') };
  const blocks: Read<readonly PemBlock[]> =
    der === undefined ? readPem(utf8(text)) : { value: [{ label: 'CERTIFICATE', der, byte: 0 }] };
  if (blocks.value === undefined) return blocks;
  const certificates: Certificate[] = [];
  for (const block of blocks.value) {
    const read = parseCertificate(block.der);
    if (read.value === undefined) return read;
    certificates.push(read.value);
  }
  return { value: certificates };
}

function anchorText(node: JsonNode): string | undefined {
  if (node.kind === 'string') return node.value;
  if (node.kind !== 'object') return undefined;
  const member = node.members.find(({ name }) => name === 'certificate')?.value;
  return member?.kind === 'string' ? member.value : undefined;
}
