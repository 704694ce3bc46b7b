/**
 * The edge between readers that throw `Malformed` and everybody else, who gets a value or a finding; and PEM (RFC 7468), read strictly.
 */
import { decodeUtf8, unbase64 } from '../bytes/encoding.ts';
import type { Finding } from '../finding/finding.ts';
import { catalogue } from './catalogue.ts';
import { checkDer, Malformed } from './der.ts';

/** A value, or the one finding that says why there is none. */
export type Read<T> =
  | { readonly value: T; readonly finding?: undefined }
  | { readonly value?: undefined; readonly finding: Finding };

/** Largest structures that are read, in bytes. */
export const MAX_SIZE = { certificate: 1 << 16, crl: 1 << 28, ocsp: 1 << 20, token: 1 << 20 } as const;

/**
 * Checks that `der` is strict DER and reads it.
 *
 * @param what the structure, in words, for messages.
 * @param part the place for findings: which certificate or file.
 */
export function reading<T>(
  der: Uint8Array,
  maxSize: number,
  what: string,
  part: string | undefined,
  read: () => T,
  structureCode: 'pki/structure' | 'pki/token-structure' = 'pki/structure',
): Read<T> {
  let canonical = false;
  try {
    checkDer(der, maxSize);
    canonical = true;
    return { value: read() };
  } catch (error) {
    if (!(error instanceof Malformed)) throw error;
    const code = error.limit ? 'pki/limit' : canonical ? structureCode : 'pki/not-der';
    const where = { byte: error.at, ...(part === undefined ? {} : { part }) };
    return { finding: catalogue.find(code, `this is not ${what}: ${error.message}`, { where }) };
  }
}

export interface PemBlock {
  /** `CERTIFICATE`, `X509 CRL` ... */
  readonly label: string;
  readonly der: Uint8Array;
  /** Byte offset of the block's first line. */
  readonly byte: number;
}

const BOUNDARY = /^-----(BEGIN|END) ([A-Z0-9 ]{1,40})-----[ \t]*$/;

/** Whether bytes look like PEM rather than DER. */
export function looksLikePem(bytes: Uint8Array): boolean {
  return bytes[0] !== 0x30 && indexOf(bytes.subarray(0, 1 << 16), '-----BEGIN ') >= 0;
}

function indexOf(bytes: Uint8Array, text: string): number {
  outer: for (let i = 0; i + text.length <= bytes.length; i++) {
    for (let j = 0; j < text.length; j++) if (bytes[i + j] !== text.charCodeAt(j)) continue outer;
    return i;
  }
  return -1;
}

/** All blocks of PEM text. Text outside of blocks is passed over, as everybody does; inside, only base64 stands. */
export function readPem(bytes: Uint8Array): Read<readonly PemBlock[]> {
  const refuse = (message: string, byte: number): Read<readonly PemBlock[]> => ({
    finding: catalogue.find('pki/pem', message, { where: { byte } }),
  });
  const text = decodeUtf8(bytes);
  if (text === undefined) return refuse('the PEM text is not valid UTF-8', 0);
  const blocks: PemBlock[] = [];
  let open: { readonly label: string; readonly byte: number; readonly lines: string[] } | undefined;
  let at = 0;
  for (const line of text.split('\n')) {
    const bare = line.endsWith('\r') ? line.slice(0, -1) : line;
    const boundary = BOUNDARY.exec(bare);
    if (boundary?.[1] === 'BEGIN') {
      if (open !== undefined) return refuse(`a PEM block begins inside the block ${open.label}`, at);
      open = { label: boundary[2] as string, byte: at, lines: [] };
    } else if (boundary?.[1] === 'END') {
      if (open === undefined || open.label !== boundary[2]) return refuse('a PEM block ends that did not begin', at);
      const der = unbase64(open.lines.join(''));
      if (der === undefined) return refuse(`the PEM block ${open.label} is not base64`, open.byte);
      blocks.push({ label: open.label, der, byte: open.byte });
      open = undefined;
    } else if (open !== undefined) open.lines.push(bare.trim());
    at += line.length + 1;
  }
  if (open !== undefined) return refuse(`the PEM block ${open.label} has no end; the text is cut off`, open.byte);
  if (blocks.length === 0) return refuse('there is no PEM block', 0);
  return { value: blocks };
}
