/**
 * Makes certificates, CRLs, OCSP responses and time-stamp tokens byte by byte, good ones and ones that break a single rule. Everything is
 * deterministic: keys come from seeds, and ECDSA is RFC 6979. For tests and for `vectors/make-pki.ts`; nothing here is used to verify.
 */
import { createHash, createPrivateKey, createPublicKey, type KeyObject, sign as nodeSign } from 'node:crypto';
import { ed25519 } from '@noble/curves/ed25519.js';
import { p256, p384, p521 } from '@noble/curves/nist.js';

type Bytes = Uint8Array;

export const concat = (...parts: readonly Bytes[]): Bytes => Uint8Array.from(Buffer.concat(parts));
export const sha = (hash: string, bytes: Bytes): Bytes => Uint8Array.from(createHash(hash).update(bytes).digest());

export function tlv(tag: number, ...parts: readonly Bytes[]): Bytes {
  const body = concat(...parts);
  const length: number[] = [];
  if (body.length < 0x80) length.push(body.length);
  else {
    const digits: number[] = [];
    for (let n = body.length; n > 0; n = Math.floor(n / 256)) digits.unshift(n % 256);
    length.push(0x80 | digits.length, ...digits);
  }
  return concat(Uint8Array.of(tag, ...length), body);
}

const ascii = (text: string): Bytes => new TextEncoder().encode(text);
export const seq = (...parts: readonly Bytes[]): Bytes => tlv(0x30, ...parts);
export const set = (...parts: readonly Bytes[]): Bytes => tlv(0x31, ...[...parts].sort(Buffer.compare));
export const octets = (bytes: Bytes): Bytes => tlv(0x04, bytes);
export const bits = (bytes: Bytes, unused = 0): Bytes => tlv(0x03, Uint8Array.of(unused), bytes);
export const NULL = Uint8Array.of(5, 0);
export const TRUE = Uint8Array.of(1, 1, 0xff);

export function int(value: number | bigint): Bytes {
  let n = BigInt(value);
  const digits: number[] = [];
  do {
    digits.unshift(Number(BigInt.asUintN(8, n)));
    n >>= 8n;
  } while (!((n === 0n && (digits[0] as number) < 0x80) || (n === -1n && (digits[0] as number) >= 0x80)));
  return tlv(0x02, Uint8Array.from(digits));
}

export function oid(text: string): Bytes {
  const [first, second, ...rest] = text.split('.').map(BigInt) as [bigint, bigint, ...bigint[]];
  const body: number[] = [];
  for (const arc of [first * 40n + second, ...rest]) {
    const groups = [Number(arc & 127n)];
    for (let n = arc >> 7n; n > 0n; n >>= 7n) groups.unshift(Number(n & 127n) | 0x80);
    body.push(...groups);
  }
  return tlv(0x06, Uint8Array.from(body));
}

/** Named bits: bit i set for each number, trailing zeros dropped as DER wants it. */
export function flags(...set: readonly number[]): Bytes {
  const top = Math.max(-1, ...set);
  const bytes = new Uint8Array(Math.ceil((top + 1) / 8));
  for (const bit of set) bytes[bit >> 3] = (bytes[bit >> 3] as number) | (0x80 >> (bit & 7));
  return bits(bytes, top < 0 ? 0 : 7 - (top & 7));
}

const digits = (time: string): string => time.replace(/[-T:]/g, '').replace('Z', '').padEnd(14, '0');
/** UTCTime up to 2049, GeneralizedTime after, of `2026-01-02T03:04:05Z`. */
export function time(text: string): Bytes {
  const year = Number(text.slice(0, 4));
  return year >= 1950 && year < 2050 ? tlv(0x17, ascii(`${digits(text).slice(2)}Z`)) : gtime(text);
}
export const gtime = (text: string): Bytes => tlv(0x18, ascii(`${digits(text)}Z`));

const ATTRIBUTES: Readonly<Record<string, string>> = {
  CN: '2.5.4.3',
  C: '2.5.4.6',
  O: '2.5.4.10',
  OU: '2.5.4.11',
  emailAddress: '1.2.840.113549.1.9.1',
};

/** `O=Bank,CN=Root`; a value is a UTF8String, country a PrintableString, a mailbox an IA5String. */
export function name(text: string): Bytes {
  const rdns = text === '' ? [] : text.split(',');
  return seq(
    ...rdns.map((rdn) => {
      const [type, value] = rdn.split('=') as [string, string];
      const tag = type === 'C' ? 0x13 : type === 'emailAddress' ? 0x16 : 0x0c;
      return set(seq(oid(ATTRIBUTES[type] as string), tlv(tag, ascii(value))));
    }),
  );
}

/** GeneralName: `email:`, `dns:`, `uri:`, `dir:`, `ip:` (hex), `rid:`, `upn:`. */
export function general(text: string): Bytes {
  const at = text.indexOf(':');
  const [kind, value] = [text.slice(0, at), text.slice(at + 1)];
  switch (kind) {
    case 'email':
      return tlv(0x81, ascii(value));
    case 'dns':
      return tlv(0x82, ascii(value));
    case 'uri':
      return tlv(0x86, ascii(value));
    case 'dir':
      return tlv(0xa4, name(value));
    case 'ip':
      return tlv(0x87, Uint8Array.from(Buffer.from(value, 'hex')));
    case 'rid':
      return tlv(0x88, oid(value).subarray(2));
    default:
      return tlv(0xa0, oid('1.3.6.1.4.1.311.20.2.3'), tlv(0xa0, tlv(0x0c, ascii(value))));
  }
}

export interface Key {
  readonly spki: Bytes;
  readonly algorithm: Bytes;
  sign(message: Bytes): Bytes;
}

const CURVES = {
  p256: { curve: p256, oid: '1.2.840.10045.3.1.7', hash: 'sha256', signature: '1.2.840.10045.4.3.2' },
  p384: { curve: p384, oid: '1.3.132.0.34', hash: 'sha384', signature: '1.2.840.10045.4.3.3' },
  p521: { curve: p521, oid: '1.3.132.0.35', hash: 'sha512', signature: '1.2.840.10045.4.3.4' },
} as const;

const made = new Map<string, Key>();

/** A key from a seed text, the same every time. */
export function key(seed: string, kind: keyof typeof CURVES | 'ed25519' = 'p256'): Key {
  const known = made.get(`${kind} ${seed}`);
  if (known !== undefined) return known;
  const fresh = kind === 'ed25519' ? edKey(seed) : ecKey(seed, kind);
  made.set(`${kind} ${seed}`, fresh);
  return fresh;
}

function edKey(seed: string): Key {
  const secret = sha('sha256', ascii(seed));
  const algorithm = seq(oid('1.3.101.112'));
  return {
    spki: seq(algorithm, bits(ed25519.getPublicKey(secret))),
    algorithm,
    sign: (message) => ed25519.sign(message, secret),
  };
}

function ecKey(seed: string, kind: keyof typeof CURVES): Key {
  const { curve, oid: named, hash, signature } = CURVES[kind];
  const length = curve.lengths.secretKey ?? 32;
  const secret = concat(sha('sha512', ascii(`${seed} a`)), sha('sha512', ascii(`${seed} b`))).slice(0, length);
  secret[0] = 0;
  const point = curve.getPublicKey(secret, false);
  return {
    spki: seq(seq(oid('1.2.840.10045.2.1'), oid(named)), bits(point)),
    algorithm: seq(oid(signature)),
    sign: (message) => curve.sign(sha(hash, message), secret, { prehash: false, format: 'der', lowS: false }),
  };
}

/** An RSA key of a PEM private key; `pss` signs with RSASSA-PSS and SHA-256. */
export function rsaKey(pem: string | KeyObject, pss = false): Key {
  const secret = typeof pem === 'string' ? createPrivateKey(pem) : pem;
  const spki = Uint8Array.from(createPublicKey(secret).export({ type: 'spki', format: 'der' }));
  const sha256 = seq(oid('2.16.840.1.101.3.4.2.1'), NULL);
  const parameters = seq(tlv(0xa0, sha256), tlv(0xa1, seq(oid('1.2.840.113549.1.1.8'), sha256)), tlv(0xa2, int(32)));
  return {
    spki,
    algorithm: pss ? seq(oid('1.2.840.113549.1.1.10'), parameters) : seq(oid('1.2.840.113549.1.1.11'), NULL),
    sign: (message) =>
      Uint8Array.from(nodeSign('sha256', message, pss ? { key: secret, padding: 6, saltLength: 32 } : secret)),
  };
}

/** One extension; critical when asked. */
export const ext = (id: string, value: Bytes, critical = false): Bytes =>
  seq(oid(id), ...(critical ? [TRUE] : []), octets(value));

export const basicConstraints = (ca: boolean, pathLength?: number): Bytes =>
  ext('2.5.29.19', seq(...(ca ? [TRUE] : []), ...(pathLength === undefined ? [] : [int(pathLength)])), true);
export const keyUsage = (...set: readonly number[]): Bytes => ext('2.5.29.15', flags(...set), true);
export const extendedKeyUsage = (purposes: readonly string[], critical = false): Bytes =>
  ext('2.5.29.37', seq(...purposes.map(oid)), critical);
export const altNames = (...names: readonly string[]): Bytes => ext('2.5.29.17', seq(...names.map(general)));
export const policies = (...oids: readonly string[]): Bytes =>
  ext('2.5.29.32', seq(...oids.map((one) => seq(oid(one)))));
export const mappings = (...pairs: readonly (readonly [string, string])[]): Bytes =>
  ext('2.5.29.33', seq(...pairs.map(([a, b]) => seq(oid(a), oid(b)))), true);
export const policyConstraints = (explicit?: number, inhibit?: number): Bytes =>
  ext(
    '2.5.29.36',
    seq(
      ...(explicit === undefined ? [] : [retag(0x80, int(explicit))]),
      ...(inhibit === undefined ? [] : [retag(0x81, int(inhibit))]),
    ),
    true,
  );
export const inhibitAny = (skip: number): Bytes => ext('2.5.29.54', int(skip), true);
export const nameConstraints = (permitted: readonly string[], excluded: readonly string[] = []): Bytes => {
  const trees = (tag: number, names: readonly string[]): Bytes[] =>
    names.length === 0 ? [] : [tlv(tag, ...names.map((one) => seq(general(one))))];
  return ext('2.5.29.30', seq(...trees(0xa0, permitted), ...trees(0xa1, excluded)), true);
};
export const subjectKeyId = (id: string): Bytes => ext('2.5.29.14', octets(sha('sha1', ascii(id))));
export const authorityKeyId = (id: string): Bytes => ext('2.5.29.35', seq(retag(0x80, octets(sha('sha1', ascii(id))))));
export const distributionPoints = (...points: readonly Bytes[]): Bytes => ext('2.5.29.31', seq(...points));
/** DistributionPoint with full names, reasons and CRL issuers, each optional. */
export const point = (names: readonly string[], reasons?: readonly number[], issuers?: readonly string[]): Bytes =>
  seq(
    ...(names.length === 0 ? [] : [tlv(0xa0, tlv(0xa0, ...names.map(general)))]),
    ...(reasons === undefined ? [] : [retag(0x81, flags(...reasons))]),
    ...(issuers === undefined ? [] : [tlv(0xa2, ...issuers.map(general))]),
  );

/** The same contents under another tag (IMPLICIT). */
export function retag(tag: number, element: Bytes): Bytes {
  const copy = Uint8Array.from(element);
  copy[0] = tag;
  return copy;
}

export interface CertificateRecipe {
  readonly subject: string;
  readonly issuer: string;
  readonly key: Key;
  readonly issuerKey: Key;
  readonly serial?: number | bigint;
  readonly from?: string;
  readonly until?: string;
  readonly extensions?: readonly Bytes[];
  /** 0 leaves the version out (v1). */
  readonly version?: 0 | 1 | 2;
  /** Algorithm inside the signed part, where it is to differ. */
  readonly innerAlgorithm?: Bytes;
  readonly algorithm?: Bytes;
}

export function certificate(recipe: CertificateRecipe): Bytes {
  const { issuerKey, version = 2, extensions = [] } = recipe;
  const algorithm = recipe.algorithm ?? issuerKey.algorithm;
  const tbs = seq(
    ...(version === 0 ? [] : [tlv(0xa0, int(version))]),
    int(recipe.serial ?? 1),
    recipe.innerAlgorithm ?? algorithm,
    name(recipe.issuer),
    seq(time(recipe.from ?? '2026-01-01T00:00:00Z'), time(recipe.until ?? '2027-01-01T00:00:00Z')),
    name(recipe.subject),
    recipe.key.spki,
    ...(extensions.length === 0 ? [] : [tlv(0xa3, seq(...extensions))]),
  );
  return seq(tbs, algorithm, bits(issuerKey.sign(tbs)));
}

export interface EntryRecipe {
  readonly serial: number | bigint;
  readonly date?: string;
  readonly reason?: number;
  readonly invalidity?: string;
  readonly extensions?: readonly Bytes[];
}

export interface CrlRecipe {
  readonly issuer: string;
  readonly key: Key;
  readonly from?: string;
  /** null leaves nextUpdate out. */
  readonly until?: string | null;
  readonly entries?: readonly EntryRecipe[];
  readonly number?: number;
  readonly base?: number;
  readonly extensions?: readonly Bytes[];
  readonly version?: 0 | 1;
}

export function crlEntry({
  serial,
  date = '2026-05-01T00:00:00Z',
  reason,
  invalidity,
  extensions = [],
}: EntryRecipe): Bytes {
  const all = [
    ...(reason === undefined ? [] : [ext('2.5.29.21', tlv(0x0a, Uint8Array.of(reason)))]),
    ...(invalidity === undefined ? [] : [ext('2.5.29.24', gtime(invalidity))]),
    ...extensions,
  ];
  return seq(int(serial), time(date), ...(all.length === 0 ? [] : [seq(...all)]));
}

export function crl(recipe: CrlRecipe): Bytes {
  const { key: signer, version = 1, entries = [] } = recipe;
  const until = recipe.until === undefined ? '2026-07-01T00:00:00Z' : recipe.until;
  const extensions = [
    ...(recipe.number === undefined ? [] : [ext('2.5.29.20', int(recipe.number))]),
    ...(recipe.base === undefined ? [] : [ext('2.5.29.27', int(recipe.base), true)]),
    ...(recipe.extensions ?? []),
  ];
  const tbs = seq(
    ...(version === 0 ? [] : [int(1)]),
    signer.algorithm,
    name(recipe.issuer),
    time(recipe.from ?? '2026-06-01T00:00:00Z'),
    ...(until === null ? [] : [time(until)]),
    ...(entries.length === 0 ? [] : [seq(Uint8Array.from(Buffer.concat(entries.map(crlEntry))))]),
    ...(extensions.length === 0 ? [] : [tlv(0xa0, seq(...extensions))]),
  );
  return seq(tbs, signer.algorithm, bits(signer.sign(tbs)));
}

/** issuingDistributionPoint. */
export const issuingPoint = (options: {
  readonly names?: readonly string[];
  readonly users?: boolean;
  readonly cas?: boolean;
  readonly reasons?: readonly number[];
  readonly indirect?: boolean;
  readonly attributes?: boolean;
}): Bytes =>
  ext(
    '2.5.29.28',
    seq(
      ...(options.names === undefined ? [] : [tlv(0xa0, tlv(0xa0, ...options.names.map(general)))]),
      ...(options.users === true ? [retag(0x81, TRUE)] : []),
      ...(options.cas === true ? [retag(0x82, TRUE)] : []),
      ...(options.reasons === undefined ? [] : [retag(0x83, flags(...options.reasons))]),
      ...(options.indirect === true ? [retag(0x84, TRUE)] : []),
      ...(options.attributes === true ? [retag(0x85, TRUE)] : []),
    ),
    true,
  );

export interface AnswerRecipe {
  readonly serial: number | bigint;
  readonly status: 'good' | 'unknown' | { readonly revoked: string; readonly reason?: number };
  readonly from?: string;
  readonly until?: string | null;
}

export interface OcspRecipe {
  readonly issuer: string;
  readonly issuerKey: Key;
  readonly responder: string;
  readonly key: Key;
  readonly answers: readonly AnswerRecipe[];
  readonly certificates?: readonly Bytes[];
  readonly produced?: string;
  readonly hash?: 'sha1' | 'sha256';
  readonly byKey?: boolean;
  readonly extensions?: readonly Bytes[];
}

const SHA = {
  sha1: '1.3.14.3.2.26',
  sha256: '2.16.840.1.101.3.4.2.1',
  sha384: '2.16.840.1.101.3.4.2.2',
  sha512: '2.16.840.1.101.3.4.2.3',
} as const;

/** What OCSP key hashes are over: the contents of the BIT STRING of a SubjectPublicKeyInfo. */
export function keyBits(spki: Bytes): Bytes {
  const header = (at: number): number =>
    at + ((spki[at + 1] as number) < 0x80 ? 2 : 2 + ((spki[at + 1] as number) & 0x7f));
  const inner = header(0);
  const algorithmEnd = header(inner) + (spki[inner + 1] as number);
  return spki.subarray(header(algorithmEnd) + 1);
}

export function ocsp(recipe: OcspRecipe): Bytes {
  const { hash = 'sha1', key: signer } = recipe;
  const answers = recipe.answers.map(
    ({ serial, status, from = '2026-06-01T00:00:00Z', until = '2026-07-01T00:00:00Z' }) =>
      seq(
        seq(
          seq(oid(SHA[hash]), NULL),
          octets(sha(hash, name(recipe.issuer))),
          octets(sha(hash, keyBits(recipe.issuerKey.spki))),
          int(serial),
        ),
        status === 'good'
          ? tlv(0x80)
          : status === 'unknown'
            ? tlv(0x82)
            : tlv(
                0xa1,
                gtime(status.revoked),
                ...(status.reason === undefined ? [] : [tlv(0xa0, tlv(0x0a, Uint8Array.of(status.reason)))]),
              ),
        gtime(from),
        ...(until === null ? [] : [tlv(0xa0, gtime(until))]),
      ),
  );
  const responder =
    recipe.byKey === true ? tlv(0xa2, octets(sha('sha1', keyBits(signer.spki)))) : tlv(0xa1, name(recipe.responder));
  const extensions = recipe.extensions ?? [];
  const tbs = seq(
    responder,
    gtime(recipe.produced ?? '2026-06-01T00:00:00Z'),
    seq(...answers),
    ...(extensions.length === 0 ? [] : [tlv(0xa1, seq(...extensions))]),
  );
  const certificates = recipe.certificates ?? [];
  const basic = seq(
    tbs,
    signer.algorithm,
    bits(signer.sign(tbs)),
    ...(certificates.length === 0 ? [] : [tlv(0xa0, seq(...certificates))]),
  );
  return seq(tlv(0x0a, Uint8Array.of(0)), tlv(0xa0, seq(oid('1.3.6.1.5.5.7.48.1.1'), octets(basic))));
}

export interface TokenRecipe {
  readonly message: Bytes;
  readonly certificate: Bytes;
  readonly key: Key;
  readonly issuer: string;
  readonly serial: number | bigint;
  readonly at?: string;
  readonly hash?: keyof typeof SHA;
  readonly policy?: string;
  readonly nonce?: number | bigint;
  readonly accuracy?: Bytes | null;
  readonly extensions?: readonly Bytes[];
  /** Certificates that travel along; the signer's own by default. */
  readonly certificates?: readonly Bytes[];
  readonly crls?: readonly Bytes[];
  /** Changes to the signed attributes before they are signed, and to the contents after. */
  readonly attributes?: (attributes: readonly Bytes[]) => readonly Bytes[];
  readonly sorted?: boolean;
  readonly ess?: 'v1' | 'v2' | 'both';
  readonly essOver?: Bytes;
  readonly contentAfter?: (content: Bytes) => Bytes;
  readonly digestHash?: 'sha256' | 'sha512' | 'sha1';
  readonly contentType?: string;
  readonly version?: number;
  readonly signers?: number;
  readonly signatureAfter?: (signature: Bytes) => Bytes;
}

export const attribute = (type: string, value: Bytes): Bytes => seq(oid(type), set(value));

export function token(recipe: TokenRecipe): Bytes {
  const { hash = 'sha256', digestHash = 'sha256', ess = 'v2' } = recipe;
  const tst = '1.2.840.113549.1.9.16.1.4';
  const extensions = recipe.extensions ?? [];
  const content = seq(
    int(1),
    oid(recipe.policy ?? '1.2.3.4.1'),
    seq(seq(oid(SHA[hash]), NULL), octets(sha(hash, recipe.message))),
    int(4711),
    gtime(recipe.at ?? '2026-06-15T12:00:00Z'),
    ...(recipe.accuracy === null ? [] : [recipe.accuracy ?? seq(int(1))]),
    ...(recipe.nonce === undefined ? [] : [int(recipe.nonce)]),
    ...(extensions.length === 0 ? [] : [tlv(0xa1, ...extensions)]),
  );
  const named = recipe.essOver ?? recipe.certificate;
  const v2 = attribute('1.2.840.113549.1.9.16.2.47', seq(seq(seq(octets(sha('sha256', named))))));
  const v1 = attribute('1.2.840.113549.1.9.16.2.12', seq(seq(seq(octets(sha('sha1', named))))));
  const plain = [
    attribute('1.2.840.113549.1.9.3', oid(tst)),
    attribute('1.2.840.113549.1.9.4', octets(sha(digestHash, content))),
    ...(ess === 'v1' ? [v1] : ess === 'v2' ? [v2] : [v1, v2]),
  ];
  const attributes = recipe.attributes?.(plain) ?? plain;
  const order =
    recipe.sorted === false ? [...attributes].sort(Buffer.compare).reverse() : [...attributes].sort(Buffer.compare);
  const signature = recipe.key.sign(tlv(0x31, ...order));
  const digest = seq(oid(SHA[digestHash]));
  const signer = seq(
    int(1),
    seq(name(recipe.issuer), int(recipe.serial)),
    digest,
    ...(attributes.length === 0 ? [] : [tlv(0xa0, ...order)]),
    recipe.key.algorithm,
    octets(recipe.signatureAfter?.(signature) ?? signature),
  );
  const crls = recipe.crls ?? [];
  const certificates = recipe.certificates ?? [recipe.certificate];
  const signedData = seq(
    int(recipe.version ?? 3),
    set(digest),
    seq(oid(recipe.contentType ?? tst), tlv(0xa0, octets(recipe.contentAfter?.(content) ?? content))),
    ...(certificates.length === 0 ? [] : [tlv(0xa0, ...[...certificates].sort(Buffer.compare))]),
    ...(crls.length === 0 ? [] : [tlv(0xa1, ...crls)]),
    set(...Array.from({ length: recipe.signers ?? 1 }, () => signer)),
  );
  return seq(oid('1.2.840.113549.1.7.2'), tlv(0xa0, signedData));
}

/** TimeStampResp around a token, or a refusal. */
export const response = (status: number, inner?: Bytes, text?: string): Bytes =>
  seq(
    seq(int(status), ...(text === undefined ? [] : [seq(tlv(0x0c, ascii(text)))])),
    ...(inner === undefined ? [] : [inner]),
  );

export const request = (message: Bytes, nonce: number | bigint): Bytes =>
  seq(int(1), seq(seq(oid(SHA.sha256), NULL), octets(sha('sha256', message))), int(nonce), TRUE);

/** PEM text of DER. */
export function pem(label: string, der: Bytes): string {
  const lines =
    Buffer.from(der)
      .toString('base64')
      .match(/.{1,64}/g) ?? [];
  return `-----BEGIN ${label}-----\n${lines.join('\n')}\n-----END ${label}-----\n`;
}
