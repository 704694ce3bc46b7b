/**
 * One run over what a bundle holds, used when it is made, when it is verified and when the report inside is held against the files: the same
 * files under the same trust at the same instant give the same report, byte for byte.
 */

import { catalogue } from '../bundle/catalogue.ts';
import { type MemberRole, placeOf } from '../bundle/manifest.ts';
import { memorySource, readExactly } from '../bytes/source.ts';
import type { Finding } from '../finding/finding.ts';
import type { Instant } from '../time/instant.ts';
import type { Input, KindVerifier, VerifyOptions } from './kind.ts';
import { detectKind } from './kinds.ts';
import { type NamedBytes, withTrust } from './options.ts';
import { assemble, type InputReport, type Report } from './report.ts';
import { topFormat } from './topFormat.ts';
import { givenBy, verifyInput } from './verify.ts';

export interface InsideFile extends NamedBytes {
  readonly role: MemberRole;
}

/** The settings of a run that travel with a bundle. */
export interface InsideSettings {
  readonly at: Instant;
  readonly require: readonly string[] | null;
  readonly expectIds: readonly string[];
}

function ofRole(files: readonly InsideFile[], role: MemberRole): readonly Input[] {
  return files.filter((file) => file.role === role).map(({ path, bytes }) => ({ path, source: memorySource(bytes) }));
}

/** The report that belongs into a bundle: under the trust files inside, at the instant at which it is made. */
export async function reportInside(files: readonly InsideFile[], settings: InsideSettings): Promise<Report> {
  const { options, findings } = await withTrust(
    files.filter(({ role }) => role === 'trust'),
    {
      ...optionsInside(files),
      at: settings.at,
      expectIds: settings.expectIds,
      ...(settings.require === null ? {} : { require: settings.require }),
    },
  );
  return assemble(await verifyInside(files, options), findings, givenBy(options));
}

/** Heads, companions and media inside, and the inputs as each other's siblings. */
export function optionsInside(
  files: readonly InsideFile[],
): Required<Pick<VerifyOptions, 'heads' | 'companions' | 'media' | 'siblings'>> {
  return {
    heads: ofRole(files, 'head'),
    companions: ofRole(files, 'companion'),
    media: ofRole(files, 'media'),
    siblings: ofRole(files, 'input'),
  };
}

/** Every input of a bundle by its kind. */
export async function verifyInside(
  files: readonly InsideFile[],
  options: VerifyOptions,
): Promise<readonly InputReport[]> {
  const reports: InputReport[] = [];
  for (const input of ofRole(files, 'input')) {
    const kind = (await detectKind(input))?.kind;
    // A bundle in a bundle would be run twice at every depth.
    const using = kind === 'bundle' ? NESTED : undefined;
    reports.push(
      await verifyInput(input, TREES.has(kind ?? '') ? { ...options, heads: treeHeads(options) } : options, using),
    );
  }
  return reports;
}

/** Kinds that take each head given to be meant for them, and know no head of a session. */
const TREES: ReadonlySet<string> = new Set(['trail', 'journal']);

function treeHeads({ heads = [] }: VerifyOptions): readonly Input[] {
  return heads.filter(({ source }) =>
    topFormat(new TextDecoder().decode(readExactly(source, 0, Math.min(source.size, 4096))))?.startsWith(
      'bide.audit.sth.',
    ),
  );
}

const NESTED: KindVerifier = {
  kind: 'bundle',
  detect: () => true,
  verify: () => ({
    subject: {},
    counts: {},
    claims: [],
    required: [],
    findings: [catalogue.find('bundle/nested', 'a bundle inside a bundle is not opened')],
    missing: [],
  }),
};

/** A finding about a file inside, as a finding about the bundle: its place names the file. */
export function lifted(finding: Finding, path: string): Finding {
  const { part, byte: _, length: __, ...where } = finding.where;
  return { ...finding, where: { ...where, part: part === undefined ? path : `${path} > ${part}` } };
}

/** What a file inside is called in claims: its name without the folder that all inputs stand in. */
export function shortName(path: string): string {
  return path.startsWith(placeOf('input')) ? path.slice(placeOf('input').length) : path;
}
