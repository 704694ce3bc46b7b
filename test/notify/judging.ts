/** Judging documents that a test holds as plain JSON, and heads signed by a key that stands for the log's. */
import { base64, utf8 } from '../../src/bytes/encoding.ts';
import { importPrivateKey, isUnusable } from '../../src/crypto/keys.ts';
import type { PrivateKey } from '../../src/crypto/signature.ts';
import { signHead } from '../../src/log/head.ts';
import { type KeyRing, ringOf } from '../../src/log/keyRing.ts';
import type { TrailDocument } from '../../src/notify/document.ts';
import { readTrailDocument } from '../../src/notify/input.ts';
import { type Judgement, type JudgeOptions, judgeTrail } from '../../src/notify/verify.ts';
import { trailHead } from '../../src/notify/write.ts';
import type { Instant } from '../../src/time/instant.ts';

export type Plain = Readonly<Record<string, unknown>>;

export function documentOf(value: unknown): TrailDocument {
  const reading = readTrailDocument(utf8(JSON.stringify(value)));
  if (reading.ok) return reading.value;
  throw new Error(reading.problems.map(({ pointer, message }) => `${pointer}: ${message}`).join('; '));
}

export function judge(value: unknown, options: JudgeOptions = {}): Judgement {
  return judgeTrail(documentOf(value), options);
}

/** Conditions that are errors, each once. */
export function errorsOf({ notes }: Judgement): readonly string[] {
  return [...new Set(notes.filter(({ severity }) => severity === 'error').map(({ condition }) => condition))];
}

const key = await importPrivateKey('ed25519', new Uint8Array(32).fill(7));
if (isUnusable(key)) throw new Error(key.unusable);
export const LOG_KEY: PrivateKey = key;
export const LOG_RING: KeyRing = ringOf(key.publicKey, 'log');

/** A signed head over leaves, as the JSON of a document. */
export function headOver(trail: string, leaves: readonly Uint8Array[], at: Instant): Plain {
  const head = signHead(trailHead(trail, leaves, at), LOG_KEY);
  return {
    format: head.format,
    kind: head.kind,
    run_id: head.run_id,
    size: head.size,
    root: base64(head.root as Uint8Array),
    timestamp_nanos: Number(head.timestamp_nanos),
    alg: head.alg,
    signature: base64(head.signature as Uint8Array),
  };
}
