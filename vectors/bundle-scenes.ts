/** A small bundle for vectors and tests, and ways to take one apart and put it together again. */
import { demoCase } from '../scripts/demo/case.ts';
import { type Cast, cast, trustFile } from '../scripts/demo/keys.ts';
import { SessionText } from '../scripts/demo/session.ts';
import { IN_TOTO, signEnvelope, writeEnvelope } from '../src/bundle/dsse.ts';
import { MANIFEST, type Member, roleOf, writeManifest } from '../src/bundle/manifest.ts';
import { readZip, writeZip, type ZipEntry } from '../src/bundle/zip.ts';
import { utf8 } from '../src/bytes/encoding.ts';
import { memorySource } from '../src/bytes/source.ts';
import type { PrivateKey } from '../src/crypto/signature.ts';
import { encode } from '../src/json/shape.ts';
import { contentOf, sessionHeadShape, signSessionHead } from '../src/log/sessionHead.ts';
import { renderJson } from '../src/report/json.ts';
import { readSession } from '../src/session/read.ts';
import { parseInstant } from '../src/time/instant.ts';
import { makeBundle } from '../src/verify/bundleMake.ts';
import type { InsideFile } from '../src/verify/bundleRun.ts';
import { withTrust } from '../src/verify/options.ts';
import type { Report } from '../src/verify/report.ts';
import { TOOL } from '../src/verify/tool.ts';
import { verify } from '../src/verify/verify.ts';

export const AT = parseInstant('2026-11-30T12:00:00Z') as bigint;
export const people: Cast = await cast();
export const trustText = trustFile(people);
export const demo = await demoCase();

export function session(...texts: readonly string[]): Uint8Array {
  const lines = new SessionText({
    type: 'session',
    format: 'agentsession/0.14',
    id: 's',
    created_at: '2026-10-13T11:59:00Z',
    payload: 'openresponses/2026-04-24',
  });
  for (const text of texts)
    lines.add('2026-10-13T12:00:00Z', 'item', {
      item: { type: 'message', role: 'user', content: [{ type: 'input_text', text }] },
    });
  return utf8(lines.text);
}

export function headOver(bytes: Uint8Array, key: PrivateKey = people.log.key): Uint8Array {
  const read = readSession(memorySource(bytes)).session;
  const content = read === undefined ? undefined : contentOf(read);
  if (content === undefined) throw new Error('not a session');
  return encode(sessionHeadShape, signSessionHead(content, AT - 60_000_000_000n, key));
}

export function insideOf(bytes: Uint8Array, more: readonly InsideFile[] = []): readonly InsideFile[] {
  return [
    { path: 'inputs/s.jsonl', role: 'input', bytes },
    { path: 'heads/h.json', role: 'head', bytes: headOver(bytes) },
    { path: 'trust/t.json', role: 'trust', bytes: utf8(trustText) },
    ...more,
  ];
}

export async function bundleOf(
  files: readonly InsideFile[],
  key: PrivateKey = people.maker.key,
  render: (report: Report) => string = renderJson,
): Promise<Uint8Array> {
  return (await makeBundle(files, { at: AT, require: null, expectIds: [] }, key, render)).bytes;
}

/** Verifies bytes under a trust file; without one under none. */
export async function judge(bytes: Uint8Array, trust: string | null = trustText, more: object = {}): Promise<Report> {
  const { options, findings } = await withTrust(trust === null ? [] : [{ path: 't.json', bytes: utf8(trust) }], {
    at: AT,
    ...more,
  });
  return verify([{ path: 'x.bundle', source: memorySource(bytes) }], options, { findings });
}

export const textOf = (bytes: Uint8Array): string => new TextDecoder().decode(bytes);

export function codes(report: Report): readonly string[] {
  return report.inputs.flatMap(({ findings }) =>
    findings.filter(({ class: cls }) => cls !== 'none').map(({ code }) => code),
  );
}

export function verdict(report: Report, claim: string): string {
  return report.inputs[0]?.claims.find((row) => row.claim === claim)?.verdict ?? 'absent';
}

export function entriesOf(bytes: Uint8Array): readonly ZipEntry[] {
  const read = readZip(bytes);
  if (!read.ok) throw new Error(read.problem.message);
  return read.entries;
}

/** The archive with one file exchanged, the container made right again. */
export function exchanged(bytes: Uint8Array, name: string, change: (data: Uint8Array) => Uint8Array): Uint8Array {
  return writeZip(
    entriesOf(bytes).map((entry) => (entry.name === name ? { name, bytes: change(entry.bytes) } : entry)),
  );
}

/** A manifest over these very files, signed: what a dishonest maker can always do. */
export async function signedAnew(
  entries: readonly ZipEntry[],
  key: PrivateKey,
  more: { readonly made?: bigint; readonly version?: string } = {},
): Promise<Uint8Array> {
  const members = entries
    .filter(({ name }) => name !== MANIFEST)
    .map(({ name, bytes }): Member => ({ name, bytes, role: roleOf(name) ?? 'input' }));
  const manifest = writeManifest(members, {
    made: more.made ?? AT,
    tool: { ...TOOL, version: more.version ?? TOOL.version },
    settings: { require: null, expectIds: [] },
    replaces: null,
  });
  const envelope = writeEnvelope(await signEnvelope(IN_TOTO, manifest, [key]));
  return writeZip([...members, { name: MANIFEST, bytes: envelope }]);
}
