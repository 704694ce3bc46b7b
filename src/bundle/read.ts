/** A bundle from its bytes: container, envelope, statement, manifest (docs/spec/bundle.md 3). Nothing is verified here but the form. */
import { equalBytes } from '../bytes/encoding.ts';
import type { Finding } from '../finding/finding.ts';
import { canonicalizeText } from '../json/canonical.ts';
import { catalogue } from './catalogue.ts';
import { type Envelope, IN_TOTO, readEnvelope, writeEnvelope } from './dsse.ts';
import { MANIFEST, type Manifest, readManifest } from './manifest.ts';
import { readStatement, sha256Hex } from './statement.ts';
import { readZip } from './zip.ts';

export interface Bundle {
  readonly manifest: Manifest;
  readonly envelope: Envelope;
  /** The envelope as it is stored. */
  readonly stored: Uint8Array;
  /** Members but the manifest, by name, in the order of the archive. */
  readonly files: ReadonlyMap<string, Uint8Array>;
}

export type BundleReading =
  | { readonly ok: true; readonly bundle: Bundle }
  | { readonly ok: false; readonly findings: readonly Finding[] };

function refused(finding: Finding): BundleReading {
  return { ok: false, findings: [finding] };
}

/** Reads a bundle, or says why it is none. */
export function readBundle(bytes: Uint8Array): BundleReading {
  const zip = readZip(bytes);
  if (!zip.ok) {
    const { rule, message, at, name } = zip.problem;
    return refused(
      catalogue.find(
        'bundle/container',
        `the container is not in the one form that a bundle has (${rule}): ${message}`,
        {
          where: { byte: at, ...(name === undefined ? {} : { part: name }) },
        },
      ),
    );
  }
  const files = new Map(zip.entries.map(({ name, bytes: data }) => [name, data]));
  const stored = files.get(MANIFEST);
  if (stored === undefined)
    return refused(catalogue.find('bundle/no-manifest', `there is no ${MANIFEST}`, { expected: MANIFEST }));
  files.delete(MANIFEST);
  const where = { part: MANIFEST };
  const unreadable = (message: string) => refused(catalogue.find('bundle/manifest', message, { where }));
  const read = readEnvelope(stored);
  if (!read.ok) return unreadable(`${read.fault.message} (${read.fault.rule})`);
  const { envelope } = read;
  if (!equalBytes(writeEnvelope(envelope), stored))
    return unreadable(
      'the envelope is not written in the one form that a bundle has, so parts of it are signed by nobody',
    );
  if (envelope.payloadType !== IN_TOTO)
    return unreadable(`the envelope holds ${JSON.stringify(envelope.payloadType.slice(0, 200))}, not ${IN_TOTO}`);
  const statement = readStatement(envelope.payload);
  if (!statement.ok) return unreadable(`${statement.fault.message} (${statement.fault.rule})`);
  if (!equalBytes(canonicalizeText(envelope.payload) ?? new Uint8Array(), envelope.payload))
    return unreadable('the statement is not in canonical form (RFC 8785)');
  const manifest = readManifest(statement.statement);
  if ('wrong' in manifest) return unreadable(manifest.wrong);
  return { ok: true, bundle: { manifest, envelope, stored, files } };
}

/** Whether the members are those of the manifest, each with its digest. */
export function contentFindings({ manifest, files }: Bundle): readonly Finding[] {
  const findings: Finding[] = [];
  const listed = new Set(manifest.members.map(({ name }) => name));
  for (const { name, bytes: size, sha256 } of manifest.members) {
    const data = files.get(name);
    const where = { part: name };
    if (data === undefined)
      findings.push(
        catalogue.find('bundle/member-missing', `the manifest lists ${name}, and it is not there`, { where }),
      );
    else if (sha256Hex(data) !== sha256 || data.length !== size)
      findings.push(
        catalogue.find('bundle/member-changed', `${name} is not the file that the manifest lists`, {
          where,
          expected: `${size} bytes, sha256:${sha256}`,
          actual: `${data.length} bytes, sha256:${sha256Hex(data)}`,
        }),
      );
  }
  for (const name of files.keys())
    if (!listed.has(name))
      findings.push(
        catalogue.find('bundle/member-unlisted', `${name} is in the archive, and the manifest does not list it`, {
          where: { part: name },
        }),
      );
  return findings;
}
