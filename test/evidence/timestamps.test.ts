import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { SHARED_VECTORS } from '../../conformance/folder.ts';
import { base64, hex, unbase64, unhex, utf8 } from '../../src/bytes/encoding.ts';
import { readArtifact } from '../../src/evidence/place.ts';
import { buildTimeStampRequest, readTimeStampRequest } from '../../src/evidence/timestampRequest.ts';
import { checkTimeStamp } from '../../src/evidence/timestamps.ts';
import { readTimeStampToken } from '../../src/evidence/timestampToken.ts';
import { headShape, signedBytes, type TreeHead } from '../../src/log/head.ts';
import { parseInstant } from '../../src/time/instant.ts';
import { vector } from './fixtures.ts';

interface RequestCase {
  readonly id: string;
  readonly der: string;
  readonly message: string;
  readonly nonce: string | null;
  readonly certReq: boolean;
  readonly policy?: string;
}
const interop = JSON.parse(readFileSync(join(SHARED_VECTORS, 'interop', 'rfc3161.json'), 'utf8')) as {
  readonly requests: readonly RequestCase[];
  readonly badRequests: readonly { readonly id: string; readonly der: string }[];
};

const bytes = (text: string) => unbase64(text) as Uint8Array;
const head = (): TreeHead => {
  const read = readArtifact(headShape, utf8(vector('computed', 'head_size_7', 'json')));
  if (!read.ok) throw new Error('no head');
  return read.value;
};
const good = bytes(vector('computed', 'rfc3161', 'good', 'token_der_base64'));

describe('time-stamp requests', () => {
  it.each(interop.requests.map((item) => [item.id, item] as const))('are read as what they say: %s', (_, item) => {
    const read = readTimeStampRequest(unhex(item.der) as Uint8Array);
    if (!('request' in read)) throw new Error('does not read');
    expect(read.request.certReq).toBe(item.certReq);
    expect(read.request.nonce?.toString(16) ?? null).toBe(item.nonce);
    expect(read.request.policy).toBe(item.policy);
    if (item.id === 'parameters-absent') return;
    const algorithm = read.request.imprint.algorithm ?? 'sha-256';
    const nonce = item.nonce === null ? undefined : (unhex(item.nonce.padStart(16, '0')) as Uint8Array);
    const again = buildTimeStampRequest(bytes(item.message), {
      algorithm,
      certReq: item.certReq,
      ...(nonce === undefined ? {} : { nonce }),
      ...(item.policy === undefined ? {} : { policy: item.policy }),
    });
    expect(hex(again)).toBe(item.der);
  });

  it.each(interop.badRequests.map((item) => [item.id, item] as const))(
    'are refused when they are not DER: %s',
    (_, item) => {
      const read = readTimeStampRequest(unhex(item.der) as Uint8Array);
      expect('findings' in read ? read.findings.map((finding) => finding.code) : []).toEqual([
        'evidence/request-unreadable',
      ]);
    },
  );

  it('are understood by OpenSSL', () => {
    const folder = mkdtempSync(join(tmpdir(), 'tsq-'));
    try {
      const file = join(folder, 'head.tsq');
      const request = buildTimeStampRequest(signedBytes(head()), { nonce: Uint8Array.of(0, 1, 2, 3, 4, 5, 6, 255) });
      writeFileSync(file, request);
      const said = execFileSync('openssl', ['ts', '-query', '-in', file, '-text'], { encoding: 'utf8' });
      expect(said).toContain('Hash Algorithm: sha256');
      expect(said).toContain('Nonce: 0x010203040506FF');
      expect(said).toContain('Certificate required: yes');
    } finally {
      rmSync(folder, { recursive: true });
    }
  });
});

describe('a time-stamp token', () => {
  it('is over the hash of the head, and names its certificate', async () => {
    const report = await checkTimeStamp(good, head(), { judge: () => [] });
    expect(report.findings.filter((finding) => finding.class !== 'none')).toEqual([]);
    expect(report.verdict).toBe('verified');
    expect(report.evidence).toBe(vector('computed', 'rfc3161', 'good', 'token_sha256_hex (TimeEvidence)'));
    expect(report.info?.policy).toBe(vector('computed', 'rfc3161', 'good', 'policy_oid'));
    expect(report.info?.accuracy).toBe(
      BigInt(vector<number>('computed', 'rfc3161', 'good', 'accuracy_seconds')) * 1_000_000_000n,
    );
    const genTime = vector('computed', 'rfc3161', 'good', 'gen_time');
    expect([parseInstant(genTime), genTime]).toContain(report.info?.genTime);
  });

  it('is found inside a response, with the same time evidence', async () => {
    const response = bytes(vector('computed', 'rfc3161', 'good', 'time_stamp_resp_der_base64'));
    expect((await checkTimeStamp(response, head(), { judge: () => [] })).evidence).toBe(
      vector('computed', 'rfc3161', 'good', 'token_sha256_hex (TimeEvidence)'),
    );
  });

  it('proves nothing while nobody judged its signer', async () => {
    const report = await checkTimeStamp(good, head());
    expect(report.verdict).toBe('undecided');
    expect(report.findings.map((finding) => finding.code)).toContain('evidence/token-signer-unjudged');
  });

  it('is refused over another message, under another policy, for another nonce, and against a younger head', async () => {
    const codes = async (token: Uint8Array, of: TreeHead, rules: Parameters<typeof checkTimeStamp>[2]) =>
      (await checkTimeStamp(token, of, { judge: () => [], ...rules })).findings
        .filter((finding) => finding.class === 'not_verified')
        .map((finding) => finding.code);
    expect(await codes(bytes(vector('computed', 'rfc3161', 'wrong_imprint', 'token_der_base64')), head(), {})).toEqual([
      'evidence/token-imprint',
    ]);
    expect(await codes(good, head(), { policies: ['1.2.3'] })).toEqual(['evidence/token-policy']);
    expect(await codes(good, head(), { nonce: 1n })).toEqual(['evidence/token-nonce']);
    const younger = { ...head(), timestamp_nanos: 4_000_000_000_000_000_000n };
    expect(await codes(good, younger, {})).toEqual(['evidence/token-imprint', 'evidence/token-head-time']);
  });

  it('never throws, and never holds, whichever byte of its signed parts is changed', async () => {
    const read = readTimeStampToken(good);
    if (!('token' in read) || read.token.signer === undefined) throw new Error('does not read');
    const { signedAttributes, signature } = read.token.signer;
    for (let at = 0; at < good.length; at++) {
      const changed = good.slice();
      changed[at] = (changed[at] as number) ^ 1;
      const after = readTimeStampToken(changed);
      if (!('token' in after) || after.token.faults.length > 0 || after.token.signer === undefined) continue;
      const { signer, info } = after.token;
      const sameSigned =
        hex(signer.signedAttributes) === hex(signedAttributes) &&
        hex(signer.signature) === hex(signature) &&
        JSON.stringify(info, (_, value: unknown) => (typeof value === 'bigint' ? String(value) : value)) ===
          JSON.stringify(read.token.info, (_, value: unknown) => (typeof value === 'bigint' ? String(value) : value));
      const isUnsigned = sameSigned && hex(signer.certificate) === hex(read.token.signer.certificate);
      if (
        !isUnsigned &&
        hex(signer.signedAttributes) === hex(signedAttributes) &&
        hex(signer.signature) === hex(signature)
      )
        throw new Error(`byte ${at} changed what is believed and not what is signed`);
    }
  });

  it('of random bytes is refused without a crash', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 200 }), (random) => {
        const read = readTimeStampToken(random);
        expect('token' in read ? read.token.faults.length : 1).toBeGreaterThan(0);
      }),
      { numRuns: 300 },
    );
    expect(base64(good).length).toBeGreaterThan(0);
  });
});
