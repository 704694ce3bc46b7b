/**
 * Signed tree heads, `bide.audit.sth.v5` (audit spec 3.1 to 3.6): what is signed, when a head is well formed, whether it is authentic and
 * what its time may be. Authenticity alone: which run, kind and size a head must have is its user's question.
 */
import { concat, u64, utf8 } from '../bytes/encoding.ts';
import { sha256 } from '../crypto/sha256.ts';
import type { PrivateKey, PublicKey } from '../crypto/signature.ts';
import type { Finding, Where } from '../finding/finding.ts';
import {
  bytes,
  formatted,
  int64,
  integer,
  list,
  nullable,
  object,
  omitEmpty,
  type Shape,
  string,
} from '../json/shape.ts';
import type { ConsistencyProof, InclusionProof } from '../merkle/proof.ts';
import { formatInstant, type Instant } from '../time/instant.ts';
import { catalogue } from './catalogue.ts';

export const HEAD_FORMAT = 'bide.audit.sth.v5';

/** An inclusion proof as artifacts embed it (audit spec 2.2). */
export const inclusionShape: Shape<InclusionProof> = object({ index: integer, size: integer, path: list(bytes) });

/** A consistency proof as artifacts embed it (audit spec 2.3). */
export const consistencyShape: Shape<ConsistencyProof> = object({ first: integer, size: integer, path: list(bytes) });

/** The tree of a journal from which a key set was projected. */
export interface JournalReference {
  readonly size: number;
  readonly root: Uint8Array | null;
}

/** A head as decoded, members as in audit spec 3.3; `null` bytes are absent ones (0.5 rule 11). */
export interface TreeHead {
  readonly format: string;
  readonly kind: string;
  readonly run_id: string;
  readonly size: number;
  readonly root: Uint8Array | null;
  readonly timestamp_nanos: bigint;
  readonly journal: JournalReference | null;
  readonly alg: string;
  readonly signature: Uint8Array | null;
}

/** The strict shape and the emission of a head (audit spec 0.5, 0.6, 3.3). */
export const headShape: Shape<TreeHead> = formatted('tree head', HEAD_FORMAT, {
  kind: string,
  run_id: string,
  size: integer,
  root: bytes,
  timestamp_nanos: int64,
  journal: omitEmpty(nullable(object({ size: integer, root: bytes }))),
  alg: string,
  signature: bytes,
});

const NOTHING = new Uint8Array();

function field(bytes: Uint8Array): Uint8Array {
  return concat(u64(bytes.length), bytes);
}

/** The signed canonical encoding (audit spec 3.2). */
export function signedBytes(head: TreeHead): Uint8Array {
  const { journal } = head;
  return concat(
    utf8(`${HEAD_FORMAT}\0`),
    field(utf8(head.alg)),
    field(utf8(head.kind)),
    field(utf8(head.run_id)),
    u64(head.size),
    field(head.root ?? NOTHING),
    u64(head.timestamp_nanos),
    ...(journal === null ? [Uint8Array.of(0)] : [Uint8Array.of(1), u64(journal.size), field(journal.root ?? NOTHING)]),
  );
}

/** `Hash(head)` (audit spec 3.5): what records refer to and what a time-stamp is over. The signature is no part of it. */
export function headHash(head: TreeHead): Uint8Array {
  return new Uint8Array(sha256(signedBytes(head)));
}

/** Why a head has a shape that none can have (audit spec 3.1); undefined when it is well formed. */
export function headShapeFault(head: TreeHead): string | undefined {
  const { kind, size, journal } = head;
  if (size < 0) return `its size is ${size}`;
  const isKeySet = kind.startsWith('absence/') && kind.length > 'absence/'.length;
  if (kind !== 'journal' && kind !== 'events' && !isKeySet) return `its kind is ${JSON.stringify(kind)}`;
  if (isKeySet && journal === null) return `a head of kind ${kind} names no source journal`;
  if (!isKeySet && journal !== null) return `a head of kind ${kind} names a source journal`;
  if (journal !== null && journal.size < 0) return `the size of its source journal is ${journal.size}`;
  return undefined;
}

/**
 * The checks of a head under one key (audit spec 3.4 steps 2 to 5). No finding: it is authentic.
 *
 * @param head the head; `undefined` or `null` stands for one that is absent, whose format is empty
 */
export function headFindings(head: TreeHead | null | undefined, key: PublicKey, where: Where = {}): readonly Finding[] {
  const unusable = unusableHead(head, where);
  if (unusable !== undefined) return [unusable];
  const present = head as TreeHead;
  if (present.alg !== key.scheme)
    return [
      catalogue.find(
        'log/head-scheme',
        `the head is signed with ${JSON.stringify(present.alg)}, the key is of another scheme`,
        {
          where,
          expected: key.scheme,
          actual: present.alg,
        },
      ),
    ];
  if (!key.verify(present.signature ?? NOTHING, signedBytes(present)))
    return [
      catalogue.find('log/head-signature', 'the signature of the head is not by this key, or the head was changed', {
        where,
        expected: `a signature by ${key.identities.join(' and ')}`,
      }),
    ];
  return [];
}

/** Steps 2 and 3 of audit spec 3.4: what makes a head unusable whatever the key. */
export function unusableHead(head: TreeHead | null | undefined, where: Where = {}): Finding | undefined {
  const format = head?.format ?? '';
  if (head === undefined || head === null || format !== HEAD_FORMAT)
    return catalogue.find('log/head-format', `the head has the format ${JSON.stringify(format)}`, {
      where,
      expected: HEAD_FORMAT,
      actual: format,
    });
  const fault = headShapeFault(head);
  return fault === undefined
    ? undefined
    : catalogue.find('log/head-malformed', `the head is of no shape that a head can have: ${fault}`, { where });
}

/** Five minutes: how far ahead of the time of judgement a head may be stamped (audit spec 3.6). */
export const DEFAULT_SKEW: Instant = 300_000_000_000n;

/**
 * Points 1 and 2 of the timestamp rule (audit spec 3.6).
 *
 * @param now the time of judgement; `undefined` leaves point 2 out
 * @param skew nanoseconds, not negative
 */
export function headTimeFindings(
  head: { readonly timestamp_nanos: bigint },
  now: Instant | undefined,
  skew: Instant = DEFAULT_SKEW,
  where: Where = {},
): readonly Finding[] {
  const time = head.timestamp_nanos;
  if (time <= 0n)
    return [
      catalogue.find('log/head-time', `the head is stamped ${time} ns, which is no time after 1970`, {
        where,
        actual: time.toString(),
      }),
    ];
  if (now !== undefined && time > now + skew)
    return [
      catalogue.find('log/head-future', 'the head is stamped later than the time of judgement and its allowance', {
        where,
        expected: `at most ${formatInstant(now + skew)}`,
        actual: formatInstant(time),
      }),
    ];
  return [];
}

/** Point 3 of the timestamp rule: a head that extends another is not stamped earlier. Equal times are fine. */
export function headOrderFindings(earlier: TreeHead, later: TreeHead, where: Where = {}): readonly Finding[] {
  if (later.timestamp_nanos >= earlier.timestamp_nanos) return [];
  return [
    catalogue.find('log/head-order', 'the later head is stamped before the head that it extends', {
      where,
      expected: `at or after ${formatInstant(earlier.timestamp_nanos)}`,
      actual: formatInstant(later.timestamp_nanos),
    }),
  ];
}

/** What a producer gives to be signed. */
export interface HeadContent {
  readonly kind: string;
  readonly run_id: string;
  readonly size: number;
  readonly root: Uint8Array;
  readonly timestamp_nanos: bigint;
  readonly journal?: { readonly size: number; readonly root: Uint8Array };
}

/** Signs a head. Throws RangeError for one that is not well formed or whose root is not 32 bytes (audit spec 3.1, `CONFIG`). */
export function signHead(content: HeadContent, key: PrivateKey): TreeHead {
  const head: TreeHead = {
    format: HEAD_FORMAT,
    ...content,
    journal: content.journal ?? null,
    alg: key.scheme,
    signature: null,
  };
  const fault =
    headShapeFault(head) ??
    (content.root.length === 32 ? undefined : `its root has ${content.root.length} bytes`) ??
    (content.timestamp_nanos > 0n && content.timestamp_nanos < 1n << 63n ? undefined : 'its time is out of range') ??
    (/\p{Surrogate}/u.test(content.run_id + content.kind) ? 'its run id or kind is not Unicode text' : undefined);
  if (fault !== undefined) throw new RangeError(`this head cannot be signed: ${fault}`);
  return { ...head, signature: key.sign(signedBytes(head)) };
}
