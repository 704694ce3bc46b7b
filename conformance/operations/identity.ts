/**
 * Questions about certificate-bound approvers, answered by `src/identity`: one decision with its chain, heads, tokens and lists; the status
 * rules over plain values; digests and identifiers. Structures travel as base64 of their DER.
 */
import { hex, unbase64, unhex, utf8 } from '../../src/bytes/encoding.ts';
import { type GivenTime, timeBounds, type VettedHead } from '../../src/identity/anchored.ts';
import { canonicaliserOf } from '../../src/identity/canonical.ts';
import { judgeDecision } from '../../src/identity/decision.ts';
import { kindsDigest, policyDigest, rosterDigest } from '../../src/identity/digests.ts';
import { type PolicyRecord, policyOf, policyProblems, policyShape } from '../../src/identity/policy.ts';
import { DEFAULT_READINGS, readReadings } from '../../src/identity/readings.ts';
import { certificateStatus, type StatusList, type StatusMode } from '../../src/identity/status.ts';
import { statusArchive } from '../../src/identity/statusLists.ts';
import { EMPTY_RECORD } from '../../src/journal/record.ts';
import { decode } from '../../src/json/shape.ts';
import { headHash, type TreeHead } from '../../src/log/head.ts';
import { parseCertificate } from '../../src/pki/certificate.ts';
import { parseCrl } from '../../src/pki/crl.ts';
import { parseOcsp } from '../../src/pki/ocsp.ts';
import type { Read } from '../../src/pki/read.ts';
import { parseTimestamp } from '../../src/pki/timestampToken.ts';
import { formatDuration } from '../../src/time/duration.ts';
import { formatInstant, parseInstant } from '../../src/time/instant.ts';
import type { Json, Operation } from '../suite.ts';

type Of = { readonly [name: string]: Json };

const members = (value: Json | undefined): Of => (value ?? {}) as Of;
const list = (value: Json | undefined): readonly Json[] => (Array.isArray(value) ? (value as readonly Json[]) : []);
const text = (value: Json | undefined): string => (typeof value === 'string' ? value : '');
const bytes = (value: Json | undefined): Uint8Array => unbase64(text(value)) ?? new Uint8Array();
const instant = (value: Json | undefined): bigint => parseInstant(text(value)) ?? 0n;
const all = <T>(value: Json | undefined, parse: (der: Uint8Array) => Read<T>): T[] =>
  list(value).flatMap((item) => {
    const read = parse(bytes(item));
    return read.value === undefined ? [] : [read.value as T];
  });

function policyRecord(value: Json | undefined): PolicyRecord | undefined {
  const decoded = decode(policyShape, utf8(JSON.stringify(value)));
  return decoded.ok ? decoded.value : undefined;
}

function headOf(value: Json): VettedHead {
  const { run, size, root, time } = members(value);
  const head: TreeHead = {
    format: 'bide.audit.sth.v5',
    kind: 'journal',
    run_id: text(run),
    size: Number(size),
    root: unhex(text(root)) ?? null,
    timestamp_nanos: instant(time),
    journal: null,
    alg: 'ed25519',
    signature: null,
  };
  return { head, hash: hex(headHash(head)), size: head.size, time: head.timestamp_nanos, covers: true };
}

function tokenOf(value: Json): readonly GivenTime[] {
  const { head, token_b64: der } = members(value);
  const token = parseTimestamp(bytes(der)).value?.token;
  return token === undefined ? [] : [{ headHash: text(head), proof: { kind: 'rfc3161', token } }];
}

function decision(params: Of): Json {
  const policy = policyRecord(params['policy']);
  if (policy === undefined || policyProblems(policy).length > 0) return { unusable: 'policy' };
  const readings = readReadings(list(params['readings']).map(text));
  const { run, call, tool, args } = members(params['subject']);
  const of = members(params['record']);
  const heads = list(params['heads']).map(headOf);
  const certificates = of['certificates_b64'];
  const { bounds } = timeBounds(list(params['tokens']).flatMap(tokenOf), heads, {
    tsaAnchors: all(params['tsa_anchors_b64'], parseCertificate),
    tsaDefaultAccuracy: 0n,
    crls: [],
    receipts: () => ({ ok: false, findings: [] }),
  });
  const judgement = judgeDecision({
    subject: { run: text(run), call: text(call), tool: text(tool), args: utf8(text(args)) },
    record: {
      position: Number(of['position']),
      name: 'decision',
      bytes: new Uint8Array(),
      deviation: undefined,
      unknown: [],
      members: 0,
      record: {
        ...EMPTY_RECORD,
        kind: 'approval',
        toolUseId: text(call),
        approved: true,
        approver: text(of['approver']),
        approverAlg: text(of['alg']),
        decidedAt: text(of['decided_at']),
        signature: bytes(of['signature_b64']),
        approverCert: certificates === null ? undefined : list(certificates).map(bytes),
      },
    },
    policy: policyOf(policy),
    canonicalise: canonicaliserOf(policy.canonical),
    identifier: text(params['identifier']),
    anchors: all(params['anchors_b64'], parseCertificate),
    intermediates: all(params['intermediates_b64'], parseCertificate),
    heads,
    bounds,
    archive: statusArchive(all(params['crls_b64'], parseCrl), all(params['ocsp_b64'], parseOcsp)),
    mode: text(params['mode']) as StatusMode,
    at: instant(params['at']),
    readings: 'problem' in readings ? DEFAULT_READINGS : readings,
  });
  if (!judgement.counts) return { counts: false, reason: judgement.cause?.reason ?? null };
  const { tier, basis, statusTime } = judgement;
  return { counts: true, tier: tier ?? null, basis_kind: basis ?? null, status_time: formatInstant(statusTime ?? 0n) };
}

function listOf(value: Json, i: number): StatusList {
  const of = members(value);
  const { date, invalidity, reason } = members(of['listing']);
  return {
    kind: 'crl',
    id: `list ${i}`,
    thisUpdate: instant(of['this_update']),
    nextUpdate: instant(of['next_update']),
    number: BigInt(Number(of['number'])),
    keepsExpiredSince: of['keeps_expired_since'] === undefined ? undefined : instant(of['keeps_expired_since']),
    listing:
      date === undefined
        ? undefined
        : {
            revocationDate: instant(date),
            invalidityDate: invalidity === undefined ? undefined : instant(invalidity),
            reason: Number(reason ?? 0),
          },
  };
}

function status(params: Of): Json {
  const record = policyRecord(params['policy']);
  if (record === undefined) return { unusable: 'policy' };
  const policy = policyOf(record);
  const answer = certificateStatus({
    lists: list(params['lists']).map(listOf),
    notAfter: instant(params['not_after']),
    decided: instant(params['decided']),
    anchored: instant(params['anchored']),
    at: instant(params['at']),
    mode: text(params['mode']) as StatusMode,
    rules: {
      ...policy,
      maxStatusAge: policy.maxStatusAge(''),
      execStatusAge: policy.execStatusAge(''),
      caOverlap: policy.caOverlap(''),
      caPeriod: policy.caPeriod(''),
      thisUpdateSkew: policy.thisUpdateSkew(''),
    },
  });
  if (answer.result === 'revoked') return { status: 'revoked', e: formatInstant(answer.e) };
  if (answer.result !== 'good') return { status: answer.result };
  const { final, basis, statusTime, window } = answer;
  return {
    status: 'good',
    final,
    basis_kind: basis,
    status_time: formatInstant(statusTime),
    window: formatDuration(window),
  };
}

function digests(params: Of): Json {
  const record = policyRecord(params['policy']);
  const texts = (value: Json | undefined) =>
    Object.entries(members(value)).map(([name, one]) => [name, text(one)] as const);
  const kinds = texts(params['kinds']).map(
    ([approver, kind]) => [approver, kind === 'cert' ? 'cert' : 'bare'] as const,
  );
  return {
    ...(record === undefined ? {} : { policy: policyDigest(record) }),
    ...(params['roster'] === undefined ? {} : { roster: rosterDigest(new Map(texts(params['roster']))) }),
    ...(params['kinds'] === undefined ? {} : { kinds: kindsDigest(kinds) }),
  };
}

export const operations: Readonly<Record<string, Operation>> = {
  'identity/decision': (params) => decision(params),
  'identity/status': (params) => status(params),
  'identity/digests': (params) => digests(params),
  'identity/canonical': (params) => canonicaliserOf(text(params['canonical']))?.(text(params['text'])) ?? null,
  'identity/policy': (params) => {
    const record = policyRecord(params['policy']);
    return record === undefined ? ['unreadable'] : policyProblems(record);
  },
};
