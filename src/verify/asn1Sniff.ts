/**
 * A look at the first bytes of PEM or DER: certificate, CRL, OCSP response or time-stamp token. Lenient on purpose (BER too is recognised,
 * so that the reader can say what is wrong with it) and light: no X.509 code is loaded for an input that is none of these.
 */
import type { Prefix } from './kind.ts';

export type Asn1Kind = 'certificate' | 'crl' | 'ocsp' | 'timestamp';

const LABELS: ReadonlyMap<string, Asn1Kind> = new Map([
  ['CERTIFICATE', 'certificate'],
  ['X509 CERTIFICATE', 'certificate'],
  ['TRUSTED CERTIFICATE', 'certificate'],
  ['X509 CRL', 'crl'],
  ['OCSP RESPONSE', 'ocsp'],
]);

/** What the input seems to be, by its content alone. */
export function sniffAsn1(prefix: Pick<Prefix, 'bytes' | 'text'>): Asn1Kind | undefined {
  if (prefix.bytes[0] === 0x30) return sniffDer(prefix.bytes);
  // A key may stand before the certificate that belongs to it.
  for (const [, label] of prefix.text.matchAll(/^-----BEGIN ([A-Z0-9 ]{1,40})-----[ \t]*\r?$/gm)) {
    const kind = LABELS.get(label as string);
    if (kind !== undefined) return kind;
  }
  return undefined;
}

interface Header {
  readonly tag: number;
  readonly content: number;
  /** Undefined where the length is indefinite. */
  readonly end: number | undefined;
}

function headerAt(bytes: Uint8Array, at: number | undefined): Header | undefined {
  if (at === undefined) return undefined;
  const [tag, first] = [bytes[at], bytes[at + 1]];
  if (tag === undefined || first === undefined) return undefined;
  if (first < 0x80) return { tag, content: at + 2, end: at + 2 + first };
  const count = first & 0x7f;
  if (count > 4) return undefined;
  let length = 0;
  for (let i = 0; i < count; i++) length = length * 256 + (bytes[at + 2 + i] ?? 0);
  return { tag, content: at + 2 + count, end: count === 0 ? undefined : at + 2 + count + length };
}

const SIGNED_DATA = [0x2a, 0x86, 0x48, 0x86, 0xf7, 0x0d, 0x01, 0x07, 0x02];

function sniffDer(bytes: Uint8Array): Asn1Kind | undefined {
  const outer = headerAt(bytes, 0);
  const first = headerAt(bytes, outer?.content);
  if (first === undefined) return undefined;
  if (first.tag === 0x0a) return 'ocsp';
  if (first.tag === 0x06)
    return SIGNED_DATA.every((byte, i) => bytes[first.content + i] === byte) ? 'timestamp' : undefined;
  if (first.tag !== 0x30) return undefined;
  let member = headerAt(bytes, first.content);
  if (member?.tag === 0xa0) return 'certificate';
  if (member?.tag === 0x02 && isStatus(bytes, outer, first)) return 'timestamp';
  if (member?.tag === 0x02) member = headerAt(bytes, member.end);
  // Algorithm, name, then a CRL's time or a certificate's validity.
  const name = headerAt(bytes, member?.tag === 0x30 ? member.end : undefined);
  const third = headerAt(bytes, name?.tag === 0x30 ? name.end : undefined);
  if (third?.tag === 0x17 || third?.tag === 0x18) return 'crl';
  return third?.tag === 0x30 ? 'certificate' : undefined;
}

/** PKIStatusInfo: a small INTEGER, perhaps texts and failure bits, and after it a ContentInfo or nothing. */
function isStatus(bytes: Uint8Array, outer: Header | undefined, info: Header): boolean {
  if (bytes[info.content + 1] !== 1 || (bytes[info.content + 2] ?? 255) > 5) return false;
  if (info.end === undefined) return false;
  if (info.end === outer?.end) return true;
  const token = headerAt(bytes, info.end);
  return (
    token?.tag === 0x30 &&
    headerAt(bytes, token.content)?.tag === 0x06 &&
    SIGNED_DATA.every((byte, i) => bytes[token.content + 2 + i] === byte)
  );
}
