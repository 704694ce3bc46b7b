/** Containers, envelopes and statements of bundles. */

import {
  type DsseRule,
  dsseKeyId,
  preAuthentication,
  readEnvelope,
  signersOf,
  verifyEnvelope,
} from '../../src/bundle/dsse.ts';
import { rawEcdsa } from '../../src/bundle/rawEcdsa.ts';
import { contentFindings, readBundle } from '../../src/bundle/read.ts';
import { readReportPredicate } from '../../src/bundle/reportPredicate.ts';
import { matchSubject, readStatement, sha256Hex } from '../../src/bundle/statement.ts';
import { vsaFault } from '../../src/bundle/vsa.ts';
import { readZip, writeZip } from '../../src/bundle/zip.ts';
import { base64, unbase64 } from '../../src/bytes/encoding.ts';
import { isUnusable, parsePublicKey } from '../../src/crypto/keys.ts';
import type { PublicKey } from '../../src/crypto/signature.ts';
import { canonicalizeText } from '../../src/json/canonical.ts';
import type { Json, Operation } from '../suite.ts';

const bytesOf = (value: Json | undefined) => unbase64(String(value)) ?? new Uint8Array();

async function keyOf(text: Json | undefined): Promise<PublicKey> {
  const key = await parsePublicKey(String(text));
  if (isUnusable(key)) throw new Error(key.unusable);
  return key;
}

type Row = { readonly [name: string]: Json };

export const operations: Record<string, Operation> = {
  /** Reads a canonical ZIP: `ok` with its entries, or the first rule that it breaks; what is read is written again. */
  'bundle/read-zip': ({ zip_b64 }) => {
    const read = readZip(bytesOf(zip_b64));
    if (!read.ok) return { gives: read.problem.rule };
    return {
      gives: 'ok',
      entries: read.entries.map(({ name, bytes }) => ({ name, bytes: bytes.length })),
      again_b64: base64(writeZip([...read.entries].reverse())),
    };
  },
  /** The bytes that a DSSE signature is over. */
  'bundle/dsse-pae': ({ type, body_b64 }) => ({ pae_b64: base64(preAuthentication(String(type), bytesOf(body_b64))) }),
  'bundle/dsse-key-id': async ({ key }) => ({ keyid: await dsseKeyId(await keyOf(key)) }),
  /** An envelope under t of these keys: `ok` with the names of all that signed, or the first rule that is broken. */
  'bundle/dsse-verify': async ({ envelope_b64, keys, threshold, types }) => {
    const read = readEnvelope(bytesOf(envelope_b64));
    if (!read.ok) return { gives: read.fault.rule satisfies DsseRule };
    const rows = keys as readonly Row[];
    const trusted: PublicKey[] = [];
    for (const { key, encoding } of rows) {
      const imported = await keyOf(key);
      trusted.push(encoding === 'raw' ? rawEcdsa(imported) : imported);
    }
    const verified = verifyEnvelope(read.envelope, trusted, Number(threshold), (types as readonly Json[]).map(String));
    if (!verified.ok) return { gives: verified.fault.rule };
    const { by } = signersOf(read.envelope, trusted);
    return {
      gives: 'ok',
      payload_b64: base64(read.envelope.payload),
      accepted: rows.flatMap(({ name }, position): string[] => (by.includes(position) ? [String(name)] : [])),
    };
  },
  /** An in-toto statement held against an artifact. */
  'bundle/statement-match': ({ statement_b64, predicate_type, digests }) => {
    const read = readStatement(bytesOf(statement_b64));
    if (!read.ok) return { gives: read.fault.rule };
    const artifact = new Map(Object.entries(digests as Row).map(([name, value]) => [name, String(value)]));
    const match = matchSubject(read.statement, String(predicate_type), artifact);
    return { gives: match.ok ? 'ok' : match.fault.rule };
  },
  /** A SLSA verification summary held against what its consumer expects. */
  'bundle/vsa': ({ statement_b64, expected }) => {
    const read = readStatement(bytesOf(statement_b64));
    if (!read.ok) return { gives: read.fault.rule };
    const { verifierId, resourceUri, levels } = expected as Row;
    const fault = vsaFault(read.statement.predicate, {
      verifierId: String(verifierId),
      resourceUri: String(resourceUri),
      levels: (levels as readonly Json[]).map(String),
    });
    return { gives: fault?.rule ?? 'ok' };
  },
  /** Reads the predicate of a report and hashes the canonical statement. */
  'bundle/report-predicate': ({ statement_b64 }) => {
    const read = readStatement(bytesOf(statement_b64));
    if (!read.ok) return { gives: read.fault.rule };
    const summary = readReportPredicate(read.statement.predicate);
    if ('wrong' in summary) return { gives: summary.wrong };
    return { gives: 'ok', sha256: sha256Hex(canonicalizeText(bytesOf(statement_b64)) ?? new Uint8Array()) };
  },
  /** A bundle as far as its form goes: what is wrong with it, what its manifest lists, and which bundle it replaces. */
  'bundle/read': ({ bundle_b64 }) => {
    const read = readBundle(bytesOf(bundle_b64));
    if (!read.ok) return { findings: read.findings.map(({ code }) => code) };
    const { manifest } = read.bundle;
    return {
      findings: contentFindings(read.bundle).map(({ code }) => code),
      members: manifest.members.map(({ name }) => name),
      replaces: manifest.replaces?.sha256 ?? null,
    };
  },
};
