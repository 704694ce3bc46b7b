/**
 * Time-stamp requests (RFC 3161 2.4.1, audit 5.1, interop 4): written here, sent by nobody here. Request and nonce are kept beside the
 * head, because without them the nonce of the answer cannot be checked later.
 */
import 'reflect-metadata';
import { AsnConvert, OctetString } from '@peculiar/asn1-schema';
import { MessageImprint, TimeStampReq } from '@peculiar/asn1-tsp';
import { AlgorithmIdentifier } from '@peculiar/asn1-x509';
import { HASH_LENGTH, HASH_OIDS, hashOf, readAlgorithm } from './algorithm.ts';
import { contents, integerValue, Malformed, oidText, openDer, smallInteger, TAG } from './der.ts';
import { MAX_SIZE, type Read, reading } from './read.ts';
import * as structures from './structures.ts';
import type { Imprint } from './timestampToken.ts';

export interface TimestampRequest {
  readonly imprint: Imprint;
  readonly policy: string | undefined;
  /** Not negative; compared as an integer (interop 4 rule 3). */
  readonly nonce: bigint | undefined;
  readonly certReq: boolean;
}

/** Reads a TimeStampReq from strict DER. */
export function parseTimestampRequest(der: Uint8Array, part?: string): Read<TimestampRequest> {
  return reading(der, MAX_SIZE.token, 'a time-stamp request', part, () => readRequest(der));
}

function readRequest(der: Uint8Array): TimestampRequest {
  const cursor = openDer(der, 'time-stamp request');
  if (smallInteger(cursor.next('version', TAG.integer), 'version') !== 1)
    throw new Malformed('the version is not 1', 0);
  const imprint = cursor.enter('messageImprint');
  const hash = hashOf(readAlgorithm(imprint.next('hashAlgorithm', TAG.sequence)));
  const digest = contents(imprint.next('hashedMessage', TAG.octetString));
  imprint.finish('messageImprint');
  if (hash === undefined || digest.length !== HASH_LENGTH[hash])
    throw new Malformed('the imprint is not a known hash with its length', 0);
  const policy = cursor.optional(TAG.oid);
  const nonceElement = cursor.optional(TAG.integer);
  const nonce = nonceElement === undefined ? undefined : integerValue(nonceElement);
  if (nonce !== undefined && nonce < 0n) throw new Malformed('the nonce is negative', 0);
  const certReq = cursor.optional(TAG.boolean);
  if (certReq !== undefined && der[certReq.content] !== 0xff)
    throw new Malformed('certReq FALSE is written out, which DER forbids', certReq.start);
  const extensions = cursor.optional(0xa0);
  if (extensions !== undefined) structures.readExtensions(extensions);
  cursor.finish('time-stamp request');
  return {
    imprint: { hash, digest },
    policy: policy === undefined ? undefined : oidText(policy),
    nonce,
    certReq: certReq !== undefined,
  };
}

/** DER of a request. NULL parameters as most tools write them; certReq FALSE is left out. */
export function writeTimestampRequest(request: TimestampRequest): Uint8Array {
  const oid = [...HASH_OIDS].find(([, name]) => name === request.imprint.hash)?.[0] as string;
  const model = new TimeStampReq({
    messageImprint: new MessageImprint({
      hashAlgorithm: new AlgorithmIdentifier({ algorithm: oid, parameters: Uint8Array.of(5, 0).buffer }),
      hashedMessage: new OctetString(Uint8Array.from(request.imprint.digest)),
    }),
    certReq: request.certReq,
  });
  if (request.policy !== undefined) model.reqPolicy = request.policy;
  if (request.nonce !== undefined) model.nonce = integerBytes(request.nonce).buffer;
  return new Uint8Array(AsnConvert.serialize(model));
}

/** Shortest two's complement of a number that is not negative. */
function integerBytes(value: bigint): Uint8Array<ArrayBuffer> {
  let text = value.toString(16);
  if (text.length % 2 === 1) text = `0${text}`;
  if (Number.parseInt(text.slice(0, 2), 16) >= 0x80) text = `00${text}`;
  return Uint8Array.from({ length: text.length / 2 }, (_, i) => Number.parseInt(text.slice(2 * i, 2 * i + 2), 16));
}
