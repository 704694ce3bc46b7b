/** Makes a bundle: verifies the files as its reader will, writes the report, the page for people and the manifest, and signs (docs/spec/bundle.md). */
import { dsseKeyId, IN_TOTO, signEnvelope, writeEnvelope } from '../bundle/dsse.ts';
import { MANIFEST, type Member, type MemberRole, placeOf, type Replaced, writeManifest } from '../bundle/manifest.ts';
import { readmeText } from '../bundle/readme.ts';
import { reportStatement } from '../bundle/reportPredicate.ts';
import { writeZip } from '../bundle/zip.ts';
import { utf8 } from '../bytes/encoding.ts';
import { writeKeyDer, writePem } from '../crypto/pem.ts';
import type { PrivateKey } from '../crypto/signature.ts';
import { formatInstant } from '../time/instant.ts';
import { type InsideFile, type InsideSettings, reportInside } from './bundleRun.ts';
import type { Report } from './report.ts';
import { TOOL } from './tool.ts';

export interface MadeBundle {
  readonly bytes: Uint8Array;
  readonly report: Report;
}

/**
 * Makes a bundle.
 *
 * @param files in their places (`memberName`); the report, the page, the key and the manifest are added
 * @param render the report as JSON text
 * @throws RangeError for names or sizes that no bundle can have: the caller's mistake
 */
export async function makeBundle(
  files: readonly InsideFile[],
  settings: InsideSettings,
  key: PrivateKey,
  render: (report: Report) => string,
  replaces: Replaced | null = null,
): Promise<MadeBundle> {
  const report = await reportInside(
    [...files].sort((a, b) => (a.path < b.path ? -1 : 1)),
    settings,
  );
  const rendered = utf8(render(report));
  const members: Member[] = files.map(({ path, bytes, role }) => ({ name: path, bytes, role }));
  const add = (role: MemberRole, bytes: Uint8Array) => members.push({ name: placeOf(role), bytes, role });
  add('report', rendered);
  const statement = reportStatement(report, rendered);
  if (statement !== undefined) add('attestation', writeEnvelope(await signEnvelope(IN_TOTO, statement, [key])));
  const { scheme, bytes: keyBytes } = key.publicKey;
  const der = await writeKeyDer({ scheme, bytes: keyBytes, secret: false });
  if (der !== undefined) add('key', utf8(writePem(der, false)));
  members.sort((a, b) => (a.name < b.name ? -1 : 1));
  const keyid = await dsseKeyId(key.publicKey);
  add('readme', utf8(readmeText({ made: formatInstant(settings.at), scheme, keyid, members, replaces, report })));
  const manifest = writeManifest(members, {
    made: settings.at,
    tool: TOOL,
    settings: { require: settings.require, expectIds: settings.expectIds },
    replaces,
  });
  const envelope = writeEnvelope(await signEnvelope(IN_TOTO, manifest, [key]));
  return { bytes: writeZip([...members, { name: MANIFEST, bytes: envelope }]), report };
}

/** A name for a file of a role: the end of its path in characters that every system takes, unlike any name in use. */
export function memberName(role: MemberRole, path: string, used: ReadonlySet<string>): string {
  const end =
    path.split(/[\\/]/).findLast((segment) => segment !== '' && segment !== '.' && segment !== '..') ?? 'file';
  const plain = end
    .replace(/[^A-Za-z0-9._-]/g, '_')
    .replace(/^[.]+/, '_')
    .replace(/[.]+$/, '')
    .slice(-100);
  const base = plain === '' || /^(con|prn|aux|nul|com[0-9]|lpt[0-9])([.]|$)/i.test(plain) ? `_${plain}` : plain;
  const taken = (name: string) => used.has(name.toLowerCase());
  let name = `${placeOf(role)}${base}`;
  for (let count = 2; taken(name); count++) name = `${placeOf(role)}${count}-${base}`;
  return name;
}
