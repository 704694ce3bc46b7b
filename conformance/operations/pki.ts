/** Questions about certificates, lists, responses and tokens, answered by `src/pki`. Structures travel as base64 of their DER. */
import { hex, unbase64, unhex } from '../../src/bytes/encoding.ts';
import type { Finding } from '../../src/finding/finding.ts';
import { type Certificate, parseCertificate } from '../../src/pki/certificate.ts';
import { type Crl, parseCrl } from '../../src/pki/crl.ts';
import { authorOf, judgeCrl, judgeSeries } from '../../src/pki/crlAuthor.ts';
import { type OcspResponse, parseOcsp } from '../../src/pki/ocsp.ts';
import { buildPath } from '../../src/pki/pathBuilding.ts';
import { anchorOf, validatePath } from '../../src/pki/pathValidation.ts';
import { type Read, readPem } from '../../src/pki/read.ts';
import { pathStatus } from '../../src/pki/revocation.ts';
import { judgeTimestamp } from '../../src/pki/timestamp.ts';
import { parseTimestampRequest, writeTimestampRequest } from '../../src/pki/timestampRequest.ts';
import { parseTimestamp } from '../../src/pki/timestampToken.ts';
import { formatInstant, type Instant, parseInstant } from '../../src/time/instant.ts';
import type { Json, Operation } from '../suite.ts';

type Params = Parameters<Operation>[0];

const bytesOf = (value: Json | undefined): Uint8Array =>
  (typeof value === 'string' ? unbase64(value) : undefined) ?? new Uint8Array();
const listOf = (value: Json | undefined): readonly Uint8Array[] =>
  Array.isArray(value) ? (value as readonly Json[]).map(bytesOf) : [];
const textsOf = (value: Json | undefined): readonly string[] | undefined =>
  Array.isArray(value) ? (value as readonly Json[]).map(String) : undefined;
const instantOf = (value: Json | undefined): Instant | undefined =>
  typeof value === 'string' ? parseInstant(value) : undefined;

/** A structure of the question that does not read ends the question with the code of its finding. */
class Unread extends Error {
  readonly finding: Finding;
  constructor(finding: Finding) {
    super(finding.message);
    this.finding = finding;
  }
}

function must<T>(read: Read<T>): T {
  if (read.finding !== undefined) throw new Unread(read.finding);
  return read.value;
}

const certificates = (value: Json | undefined): readonly Certificate[] =>
  listOf(value).map((der) => must(parseCertificate(der)));
const crls = (value: Json | undefined): readonly Crl[] => listOf(value).map((der) => must(parseCrl(der)));
const responses = (value: Json | undefined): readonly OcspResponse[] =>
  listOf(value).map((der) => must(parseOcsp(der)));

const codes = (findings: readonly Finding[]): Json => [...new Set(findings.map(({ code }) => code))].sort();

/** The answer of an operation, or the code of what did not read. */
function answering(operation: (params: Params) => Json): Operation {
  return (params) => {
    try {
      return operation(params);
    } catch (error) {
      if (error instanceof Unread) return { unread: error.finding.code };
      throw error;
    }
  };
}

function path(params: Params): Json {
  const [target] = certificates([params['certificate_b64'] ?? '']);
  const pool = certificates(params['pool_b64']);
  const anchors = certificates(params['anchors_b64']).map(anchorOf);
  const at = instantOf(params['at']);
  const initialPolicies = textsOf(params['policies']);
  const purpose = params['purpose'];
  const judged = buildPath(
    target as Certificate,
    { pool, anchors },
    {
      at,
      ...(initialPolicies === undefined ? {} : { initialPolicies }),
      initialExplicitPolicy: params['explicit_policy'] === true,
      initialPolicyMappingInhibit: params['inhibit_mapping'] === true,
      initialAnyPolicyInhibit: params['inhibit_any_policy'] === true,
      ...(typeof purpose === 'string' ? { purpose } : {}),
    },
  );
  const judgesStatus = params['revocation'] === true && at !== undefined && judged.anchor !== undefined;
  const statuses = judgesStatus
    ? pathStatus(
        judged.path,
        judged.anchor,
        { crls: crls(params['crls_b64']), ocsp: responses(params['ocsp_b64']), pool },
        at,
      )
    : [];
  return {
    path: judged.valid,
    length: judged.path.length,
    policies: judged.policies.map(({ oid }) => oid).sort(),
    notices: [...new Set(judged.policies.flatMap(({ notices }) => notices))],
    status: statuses.map(({ status }) => status),
    findings: codes([...judged.findings, ...statuses.flatMap(({ findings }) => findings)]),
  };
}

/** One given path, whatever its names, as RFC 5280 6.1 takes it. */
function chain(params: Params): Json {
  const anchors = certificates(params['anchors_b64']).map(anchorOf);
  const judged = validatePath(certificates(params['path_b64']), anchors[0], { at: instantOf(params['at']) });
  return { valid: judged.valid, findings: codes(judged.findings) };
}

function crl(params: Params): Json {
  const [list, ...others] = crls(params['crls_b64']);
  const at = instantOf(params['at']);
  const sources = {
    anchors: certificates(params['anchors_b64']).map(anchorOf),
    pool: certificates(params['pool_b64']),
  };
  const author = authorOf(list as Crl, sources, at);
  const findings = [...author.findings, ...judgeCrl(list as Crl, at), ...judgeSeries([list as Crl, ...others])];
  return { authentic: author.authentic ?? null, entries: (list as Crl).size, findings: codes(findings) };
}

function timestamp(params: Params): Json {
  const { token } = must(parseTimestamp(bytesOf(params['token_b64'])));
  if (token === undefined) return { unread: 'pki/token-refused' };
  const request =
    typeof params['request_b64'] === 'string' ? must(parseTimestampRequest(bytesOf(params['request_b64']))) : undefined;
  const imprint = params['imprint_hex'];
  const hash = typeof imprint === 'string' ? unhex(imprint) : undefined;
  const stamped =
    hash !== undefined
      ? new Map([['sha256', hash] as const])
      : request !== undefined
        ? new Map([[request.imprint.hash, request.imprint.digest] as const])
        : undefined;
  const policies = textsOf(params['policies']);
  const judged = judgeTimestamp(token, {
    ...(stamped === undefined ? {} : { stamped }),
    ...(policies === undefined ? {} : { policies }),
    ...(request?.nonce === undefined ? {} : { nonce: request.nonce }),
    anchors: certificates(params['anchors_b64']).map(anchorOf),
    pool: certificates(params['pool_b64']),
    crls: crls(params['crls_b64']),
    ocsp: [],
  });
  return {
    verified:
      judged.signed &&
      judged.trusted === true &&
      judged.stamps !== false &&
      !judged.findings.some((one) => one.class !== 'none'),
    findings: codes(judged.findings),
    gen_time: formatInstant(judged.genTime),
    accuracy_nanos: String(judged.accuracy),
    policy: token.info.policy,
    nonce: token.info.nonce?.toString(16) ?? null,
    imprint_hash: token.info.imprint?.hash ?? null,
    time_evidence: token.sha256,
  };
}

function request(params: Params): Json {
  const read = must(parseTimestampRequest(bytesOf(params['request_b64'])));
  return {
    hash: read.imprint.hash,
    imprint: hex(read.imprint.digest),
    policy: read.policy ?? null,
    nonce: read.nonce?.toString(16) ?? null,
    cert_req: read.certReq,
    written: hex(writeTimestampRequest(read)),
  };
}

function pem(params: Params): Json {
  const read = readPem(new TextEncoder().encode(String(params['text'])));
  return read.value === undefined ? { unread: read.finding.code } : { blocks: read.value.map(({ label }) => label) };
}

export const operations: Readonly<Record<string, Operation>> = {
  'pki/path': answering(path),
  'pki/chain': answering(chain),
  'pki/crl': answering(crl),
  'pki/timestamp': answering(timestamp),
  'pki/request': answering(request),
  'pki/pem': answering(pem),
};
