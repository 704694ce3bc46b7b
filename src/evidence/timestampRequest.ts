/** RFC 3161 time-stamp requests, written and read (audit spec 5.1, interop 4). Nothing is sent anywhere. */
import { sha384, sha512 } from '@noble/hashes/sha2.js';
import { sha256 } from '../crypto/sha256.ts';
import type { Finding } from '../finding/finding.ts';
import { catalogue } from './catalogue.ts';
import { DerProblem, DerReader, der, derBoolean, derObjectIdentifier, derUnsigned, derValue, TAG } from './der.ts';

export type ImprintAlgorithm = 'sha-256' | 'sha-384' | 'sha-512';

interface ImprintHash {
  readonly name: ImprintAlgorithm;
  readonly oid: string;
  readonly length: number;
  hash(message: Uint8Array): Uint8Array;
}

/** The hashes that an imprint may use; SHA-1 and anything else is refused (audit spec 5.1). */
export const IMPRINT_HASHES: readonly ImprintHash[] = [
  { name: 'sha-256', oid: '2.16.840.1.101.3.4.2.1', length: 32, hash: (message) => sha256(message) },
  { name: 'sha-384', oid: '2.16.840.1.101.3.4.2.2', length: 48, hash: (message) => sha384(message) },
  { name: 'sha-512', oid: '2.16.840.1.101.3.4.2.3', length: 64, hash: (message) => sha512(message) },
];

export interface MessageImprint {
  /** Undefined for an algorithm that is refused. */
  readonly algorithm: ImprintAlgorithm | undefined;
  readonly oid: string;
  readonly hash: Uint8Array;
}

export interface TimeStampRequest {
  readonly imprint: MessageImprint;
  readonly policy?: string;
  readonly nonce?: bigint;
  readonly certReq: boolean;
}

export interface RequestOptions {
  /** SHA-256 unless said otherwise. */
  readonly algorithm?: ImprintAlgorithm;
  /** Random bytes, at least 8 for a nonce that is worth having; the caller draws them. */
  readonly nonce?: Uint8Array;
  readonly certReq?: boolean;
  /** Object identifier of the policy asked for. */
  readonly policy?: string;
}

/**
 * The DER of a request that asks for a time stamp over `message` (for a head: its signed canonical encoding, audit spec 3.2). Keep the
 * request beside the head: without it the nonce cannot be compared later.
 */
export function buildTimeStampRequest(message: Uint8Array, options: RequestOptions = {}): Uint8Array {
  const wanted = options.algorithm ?? 'sha-256';
  const algorithm = IMPRINT_HASHES.find((candidate) => candidate.name === wanted) as ImprintHash;
  return der(
    TAG.sequence,
    derUnsigned(Uint8Array.of(1)),
    der(
      TAG.sequence,
      der(TAG.sequence, derObjectIdentifier(algorithm.oid), der(TAG.null)),
      der(TAG.octetString, algorithm.hash(message)),
    ),
    ...(options.policy === undefined ? [] : [derObjectIdentifier(options.policy)]),
    ...(options.nonce === undefined ? [] : [derUnsigned(options.nonce)]),
    ...((options.certReq ?? true) ? [der(TAG.boolean, Uint8Array.of(0xff))] : []),
  );
}

/** Reads a MessageImprint; parameters are NULL or absent. */
export function readImprint(reader: DerReader): MessageImprint {
  const imprint = reader.sequence('messageImprint');
  const identifier = imprint.sequence('the hash algorithm of the imprint');
  const oid = identifier.oid('the hash algorithm of the imprint');
  if (identifier.next !== undefined && identifier.take(TAG.null, 'the parameters of the hash').content.length !== 0)
    throw new DerProblem('a NULL has content');
  identifier.end('the hash algorithm of the imprint');
  const hash = imprint.take(TAG.octetString, 'hashedMessage').content;
  imprint.end('messageImprint');
  return { algorithm: IMPRINT_HASHES.find((candidate) => candidate.oid === oid)?.name, oid, hash };
}

/** Reads a request strictly. */
export function readTimeStampRequest(
  bytes: Uint8Array,
): { readonly request: TimeStampRequest } | { readonly findings: readonly Finding[] } {
  try {
    const whole = derValue(bytes);
    if (whole.tag !== TAG.sequence) throw new DerProblem('a request is a SEQUENCE');
    const reader = new DerReader(whole.content);
    if (reader.integer('version') !== 1n) throw new DerProblem('the version of a request is 1');
    const imprint = readImprint(reader);
    const hash = IMPRINT_HASHES.find((candidate) => candidate.oid === imprint.oid);
    if (hash !== undefined && imprint.hash.length !== hash.length)
      throw new DerProblem(`the imprint has ${imprint.hash.length} bytes, its algorithm gives ${hash.length}`);
    const policy = reader.next === TAG.oid ? reader.oid('reqPolicy') : undefined;
    const nonce = reader.next === TAG.integer ? reader.integer('nonce') : undefined;
    if (nonce !== undefined && nonce < 0n) throw new DerProblem('the nonce is negative');
    const certReq = reader.optional(TAG.boolean);
    if (certReq !== undefined && !derBoolean(certReq.content, 'certReq'))
      throw new DerProblem('certReq FALSE is the default and has to be left out');
    reader.optional(0xa0);
    reader.end('the request');
    return {
      request: {
        imprint,
        certReq: certReq !== undefined,
        ...(policy === undefined ? {} : { policy }),
        ...(nonce === undefined ? {} : { nonce }),
      },
    };
  } catch (error) {
    if (!(error instanceof DerProblem)) throw error;
    return {
      findings: [
        catalogue.find('evidence/request-unreadable', `the time-stamp request cannot be read: ${error.message}`),
      ],
    };
  }
}
