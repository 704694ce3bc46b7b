/**
 * The journal's own records about certificate-bound gates (approver-identity 4): identity records, status bytes, execution holds, and the
 * identity members of pause notes. What they say is held against a fresh evaluation by `gateAudit.ts`.
 */

import type { Journal, ReadableRecord } from '../journal/record.ts';
import {
  bytes,
  decode,
  integer,
  list,
  nullable,
  object,
  raw,
  type Shape,
  string,
  type ValueOf,
} from '../json/shape.ts';
import { type Crl, parseCrl } from '../pki/crl.ts';
import { type OcspResponse, parseOcsp } from '../pki/ocsp.ts';
import { parseInstant } from '../time/instant.ts';
import { digestOf } from './digests.ts';

export const IDENTITY_FORMAT = 'bide.approval-identity.v2';
export const STATUS_FORMAT = 'bide.approval-status.v2';
/** Above this many bytes a list is not in the journal but in the archive (4.2). */
export const MAX_STORED_STATUS = 262_144;

const tolerate = { unknown: 'tolerate' } as const;
const texts = list(string);

const decisionShape = object(
  {
    approver: string,
    step: string,
    identifier: string,
    leaf_hash: string,
    chain: texts,
    anchor: string,
    anchored_at: string,
    time_source: string,
    time_evidence: string,
    head_size: integer,
    head_root: string,
    head_hash: string,
    tier: string,
    basis_kind: string,
    basis: string,
    status_time: string,
    window: string,
    status: texts,
    warnings: nullable(raw as Shape<Uint8Array | null>),
  },
  tolerate,
);

const identityShape = object(
  {
    format: string,
    tool_use_id: string,
    generation: integer,
    tally: string,
    tally_digest: string,
    evaluated: string,
    evaluated_at: string,
    policy: raw,
    policy_digest: string,
    roster_digest: string,
    decisions: list(decisionShape),
    rules: string,
    verifier: string,
    verifier_rev: string,
    godebug_declared: string,
    godebug_build: string,
    recorded_at: string,
  },
  tolerate,
);

const statusShape = object(
  {
    format: string,
    kind: string,
    issuer: string,
    number: string,
    this_update: string,
    next_update: string,
    size: integer,
    der: bytes,
  },
  tolerate,
);

const holdShape = object(
  {
    format: string,
    tool_use_id: string,
    generation: integer,
    reason: string,
    detail: string,
    approvers: texts,
    checked_at: string,
    status_time: string,
    serial: string,
    e: string,
    reason_code: integer,
    crl_hash: string,
    anchored_at: string,
    policy_digest: string,
  },
  tolerate,
);

export type RecordedDecision = ValueOf<typeof decisionShape>;
export type IdentityRecord = ValueOf<typeof identityShape>;
export type HoldRecord = ValueOf<typeof holdShape>;
type StatusRecord = ValueOf<typeof statusShape>;

function read<T>(shape: Shape<T>, { record }: ReadableRecord): T | undefined {
  if (record.result === undefined) return undefined;
  const decoded = decode(shape, record.result);
  return decoded.ok ? decoded.value : undefined;
}

export const readIdentityRecord = (record: ReadableRecord): IdentityRecord | undefined => read(identityShape, record);
export const readHold = (record: ReadableRecord): HoldRecord | undefined => read(holdShape, record);

/** The hash that an element of `status` names: it may be the hash or the name of a record (4.4). */
export function namedHash(text: string): string {
  return text.slice(-64);
}

/** A status record with what its bytes are. */
export interface StoredStatus {
  readonly name: string;
  readonly position: number;
  /** The last 64 digits of its name. */
  readonly named: string;
  /** Undefined where the bytes are in the archive. */
  readonly sha256: string | undefined;
  readonly crl: Crl | undefined;
  readonly ocsp: OcspResponse | undefined;
  readonly size: number;
  /** Members that say otherwise than the bytes. */
  readonly differing: readonly string[];
}

/** All status records of a journal, found by their format. */
export function storedStatuses(journal: Journal): readonly StoredStatus[] {
  return journal.records.flatMap((stored) => {
    if (stored.record === undefined || stored.record.kind !== 'value') return [];
    const { result } = stored.record;
    if (result === undefined || !mentions(result)) return [];
    const status = read(statusShape, stored);
    if (status?.format !== STATUS_FORMAT) return [];
    return [storedStatus(stored, status)];
  });
}

const FORMAT_BYTES = new TextEncoder().encode(STATUS_FORMAT);

/** Whether the bytes hold the name of the format near their start; only then is the value read. */
function mentions(result: Uint8Array): boolean {
  const head = result.subarray(0, 64);
  for (let at = head.indexOf(FORMAT_BYTES[0] as number); at >= 0; at = head.indexOf(FORMAT_BYTES[0] as number, at + 1))
    if (FORMAT_BYTES.every((byte, i) => head[at + i] === byte)) return true;
  return false;
}

function storedStatus({ name, position }: ReadableRecord, status: StatusRecord): StoredStatus {
  const { der } = status;
  const crl = der === null || status.kind === 'ocsp' ? undefined : parseCrl(der).value;
  const ocsp = der === null || crl !== undefined ? undefined : parseOcsp(der).value;
  return {
    name,
    position,
    named: namedHash(name),
    sha256: der === null ? undefined : digestOf(der),
    crl,
    ocsp,
    size: status.size,
    differing: der === null ? [] : differences(status, der, crl),
  };
}

function differences(status: StatusRecord, der: Uint8Array, crl: Crl | undefined): readonly string[] {
  const differing: string[] = [];
  if (status.size !== der.length) differing.push('size');
  if (crl === undefined) return differing;
  if (status.number !== '' && status.number !== crl.number?.toString()) differing.push('number');
  if (parseInstant(status.this_update) !== crl.thisUpdate) differing.push('this_update');
  if (status.next_update !== '' && parseInstant(status.next_update) !== crl.nextUpdate) differing.push('next_update');
  return differing;
}
