/** The evidence of one run for `verify-identity`: journal, heads, tokens, receipts, lists and responses (approver-identity 18.2). */
import type { Finding } from '../finding/finding.ts';
import { readExport } from '../journal/export.ts';
import type { Journal } from '../journal/record.ts';
import { bytes, formatted, list, object, raw, string } from '../json/shape.ts';
import { headShape } from '../log/head.ts';
import { readStrictly } from '../log/read.ts';
import { type Crl, parseCrl } from '../pki/crl.ts';
import { type OcspResponse, parseOcsp } from '../pki/ocsp.ts';
import type { Read } from '../pki/read.ts';
import { parseTimestamp } from '../pki/timestampToken.ts';
import { type Instant, parseInstant } from '../time/instant.ts';
import type { GivenHead, GivenTime } from './anchored.ts';
import { catalogue } from './catalogue.ts';
import { digestOf } from './digests.ts';

const EVIDENCE_FORMAT = 'bide-audit.identity-evidence.v1';

const evidenceShape = formatted('identity evidence', EVIDENCE_FORMAT, {
  run_id: string,
  as_of: string,
  journal: raw,
  heads: list(headShape),
  tokens: list(object({ head_hash: string, token: bytes })),
  receipts: list(object({ head_hash: string, receipt: bytes, kind: string })),
  crls: list(bytes),
  ocsp: list(bytes),
});

export interface IdentityEvidence {
  /** Undefined where the journal does not read. */
  readonly journal: Journal | undefined;
  readonly heads: readonly GivenHead[];
  readonly times: readonly GivenTime[];
  readonly crls: readonly Crl[];
  readonly ocsp: readonly OcspResponse[];
  /** The instant that the file judges by. */
  readonly asOf: Instant | undefined;
  readonly findings: readonly Finding[];
}

/** Reads an evidence file. Single items that do not read are said and left out; nothing rests on them. */
export function readEvidenceFile(file: Uint8Array, part: string): IdentityEvidence {
  const read = readStrictly(evidenceShape, file, { part });
  if (!read.ok)
    return {
      ...NOTHING,
      findings: read.findings.map(({ message, where }) => catalogue.find('identity/evidence-file', message, { where })),
    };
  const { value } = read;
  const findings: Finding[] = [];
  const refuse = (message: string, pointer: string): void => {
    findings.push(catalogue.find('identity/evidence-file', message, { where: { part, pointer } }));
  };
  const reading = value.journal === null ? undefined : readExport(value.journal);
  if (reading === undefined) refuse('there is no journal', '/journal');
  for (const { message } of reading?.findings ?? []) refuse(message, '/journal');
  const asOf = parseInstant(value.as_of);
  if (value.as_of !== '' && asOf === undefined) refuse('as_of is no time', '/as_of');
  const others = [
    ...(reading?.journal === undefined ? [] : [reading.journal.run]),
    ...(value.heads ?? []).map((head) => head.run_id),
  ].filter((run) => run !== value.run_id);
  if (others.length > 0)
    findings.push(
      catalogue.find('identity/evidence-run', 'the evidence holds a journal or a head of another run', {
        where: { part },
        expected: value.run_id,
        actual: [...new Set(others)].join(', '),
      }),
    );
  const times: GivenTime[] = [];
  for (const [i, { head_hash: headHash, token: der }] of (value.tokens ?? []).entries()) {
    const token = der === null ? undefined : parseTimestamp(der).value?.token;
    if (token === undefined) refuse('this is no time-stamp token', `/tokens/${i}`);
    else times.push({ headHash, proof: { kind: 'rfc3161', token } });
  }
  for (const { head_hash: headHash, receipt } of value.receipts ?? [])
    if (receipt !== null)
      times.push({ headHash, proof: { kind: 'anchor-receipt', receipt, sha256: digestOf(receipt) } });
  const parsed = <T>(
    items: readonly (Uint8Array | null)[] | null,
    name: string,
    parse: (der: Uint8Array) => Read<T>,
  ): T[] =>
    (items ?? []).flatMap((der, i) => {
      const item = der === null ? undefined : parse(der).value;
      if (item === undefined) refuse(`this is no ${name === 'crls' ? 'CRL' : 'OCSP response'}`, `/${name}/${i}`);
      return item === undefined ? [] : [item as T];
    });
  return {
    journal: reading?.journal,
    heads: (value.heads ?? []).map((head, i) => ({ head, part: `${part} /heads/${i}` })),
    times,
    crls: parsed(value.crls, 'crls', parseCrl),
    ocsp: parsed(value.ocsp, 'ocsp', parseOcsp),
    asOf,
    findings,
  };
}

const NOTHING: IdentityEvidence = {
  journal: undefined,
  heads: [],
  times: [],
  crls: [],
  ocsp: [],
  asOf: undefined,
  findings: [],
};

/** Without any instant to judge by, the latest time in the evidence is it (18.2). */
export function latestTime({ heads, times, crls }: IdentityEvidence): Instant {
  const instants = [
    ...heads.map(({ head }) => head.timestamp_nanos),
    ...crls.map(({ thisUpdate }) => thisUpdate),
    ...times.flatMap(({ proof }) => (proof.kind === 'rfc3161' ? [proof.token.info.genTime] : [])),
  ];
  return instants.sort((a, b) => (a < b ? -1 : 1)).at(-1) ?? 0n;
}
