/**
 * What a bundle holds, as its maker signed it (docs/spec/bundle.md 2): an in-toto statement whose subjects are all members but the manifest
 * itself, with a predicate that says what each is for and under which settings the report inside was made.
 */
import { compareUtf8, hex } from '../bytes/encoding.ts';
import { sha256 } from '../crypto/sha256.ts';
import type { JsonNode, JsonObject } from '../json/tree.ts';
import { formatInstant, type Instant, parseInstant } from '../time/instant.ts';
import { countOf, memberOf, textOf, textsOf } from './members.ts';
import { type Plain, type Statement, writeStatement } from './statement.ts';
import type { ZipEntry } from './zip.ts';

export const BUNDLE_FORMAT = 'audit.bundle.v1';
export const BUNDLE_PREDICATE_TYPE = 'https://audit.example.invalid/bundle/v1';
export const MANIFEST = 'manifest.dsse.json';

/** What a member is for; each role has one place, so that a name tells it. */
export type MemberRole =
  | 'input'
  | 'head'
  | 'companion'
  | 'media'
  | 'trust'
  | 'report'
  | 'attestation'
  | 'readme'
  | 'key';

/** Folder of the roles of which there may be many; exact name of the others. */
const PLACES: Readonly<Record<MemberRole, string>> = {
  input: 'inputs/',
  head: 'heads/',
  companion: 'companions/',
  media: 'media/',
  trust: 'trust/',
  report: 'report.json',
  attestation: 'report.dsse.json',
  readme: 'README.txt',
  key: 'maker.pem',
};

/** Where a member of a role stands. */
export function placeOf(role: MemberRole): string {
  return PLACES[role];
}

/** The role that a name tells; undefined for a name that no member can have. */
export function roleOf(name: string): MemberRole | undefined {
  for (const [role, place] of Object.entries(PLACES) as [MemberRole, string][])
    if (place.endsWith('/') ? name.startsWith(place) && name.length > place.length : name === place) return role;
  return undefined;
}

export interface Member extends ZipEntry {
  readonly role: MemberRole;
}

/** What the report inside was asked for. */
export interface BundleSettings {
  readonly require: readonly string[] | null;
  readonly expectIds: readonly string[];
}

export interface Replaced {
  /** SHA-256 of the bundle that this one was made from. */
  readonly sha256: string;
  /** Members of it that are left out or changed here, by name. */
  readonly removed: readonly string[];
}

export interface Manifest {
  /** When it was made and by which instant the report inside was judged, by the maker's own word. */
  readonly made: Instant;
  readonly tool: { readonly name: string; readonly version: string };
  readonly settings: BundleSettings;
  readonly members: readonly {
    readonly name: string;
    readonly role: MemberRole;
    readonly bytes: number;
    readonly sha256: string;
  }[];
  readonly replaces: Replaced | null;
}

/** The body of the envelope over these members. */
export function writeManifest(
  members: readonly Member[],
  about: Pick<Manifest, 'made' | 'tool' | 'settings' | 'replaces'>,
): Uint8Array {
  const { made, tool, settings, replaces } = about;
  const rows = [...members].sort((a, b) => compareUtf8(a.name, b.name));
  const predicate: Plain = {
    format: BUNDLE_FORMAT,
    made: formatInstant(made),
    tool: { name: tool.name, version: tool.version },
    settings: { require: settings.require, expectIds: settings.expectIds },
    members: rows.map(({ name, role, bytes }) => ({ name, role, bytes: bytes.length })),
    replaces: replaces === null ? null : { digest: { sha256: replaces.sha256 }, removed: replaces.removed },
  };
  return writeStatement(
    rows.map(({ name, bytes }) => ({ name, sha256: hex(sha256(bytes)) })),
    BUNDLE_PREDICATE_TYPE,
    predicate,
  );
}

class Refusal extends Error {}

function need<T>(value: T | undefined, what: string): T {
  if (value === undefined) throw new Refusal(what);
  return value;
}

/** Reads the manifest of a statement, or says what is wrong with it. Members that are not known are refused: they could change its meaning. */
export function readManifest(statement: Statement): Manifest | { readonly wrong: string } {
  try {
    return read(statement);
  } catch (error) {
    if (error instanceof Refusal) return { wrong: error.message };
    throw error;
  }
}

/** An object with exactly these members. */
function exactly(node: JsonNode | undefined, what: string, names: readonly string[]): JsonObject {
  if (node?.kind !== 'object') throw new Refusal(`${what} is no object`);
  const other = node.members.find(({ name }) => !names.includes(name));
  if (other !== undefined)
    throw new Refusal(`${what} has a member ${JSON.stringify(other.name.slice(0, 80))}, which is not known`);
  return node;
}

function read(statement: Statement): Manifest {
  if (statement.predicateType !== BUNDLE_PREDICATE_TYPE)
    throw new Refusal(
      `the statement states ${JSON.stringify(statement.predicateType.slice(0, 200))}, not what a bundle holds`,
    );
  const names = ['format', 'made', 'tool', 'settings', 'members', 'replaces'];
  const predicate = exactly(statement.predicate, 'the predicate', names);
  const member = (name: string) => memberOf(predicate, name);
  const format = textOf(member('format'));
  if (format !== BUNDLE_FORMAT)
    throw new Refusal(`the format is ${JSON.stringify(format?.slice(0, 80) ?? null)}, not ${BUNDLE_FORMAT}`);
  const tool = exactly(member('tool'), 'tool', ['name', 'version']);
  const settings = exactly(member('settings'), 'settings', ['require', 'expectIds']);
  const require = memberOf(settings, 'require');
  return {
    made: need(parseInstant(textOf(member('made')) ?? ''), 'made is no RFC 3339 time'),
    tool: {
      name: need(textOf(memberOf(tool, 'name')), 'the tool has no name'),
      version: need(textOf(memberOf(tool, 'version')), 'the tool has no version'),
    },
    settings: {
      require: require?.kind === 'null' ? null : need(textsOf(require), 'require is neither null nor a list of names'),
      expectIds: need(textsOf(memberOf(settings, 'expectIds')), 'expectIds is no list of ids'),
    },
    members: membersOf(statement, member('members')),
    replaces: replacedOf(member('replaces')),
  };
}

function membersOf(statement: Statement, list: JsonNode | undefined): Manifest['members'] {
  if (list?.kind !== 'array' || list.items.length !== statement.subjects.length)
    throw new Refusal('members is no list of the same length as the subjects');
  const seen = new Set<string>();
  return list.items.map((item, position) => {
    const row = exactly(item, 'a member', ['name', 'role', 'bytes']);
    const subject = statement.subjects[position];
    const name = need(textOf(memberOf(row, 'name')), 'a member has no name');
    const role = roleOf(name);
    if (role === undefined || role !== textOf(memberOf(row, 'role')))
      throw new Refusal(`${JSON.stringify(name.slice(0, 250))} does not stand where its role does`);
    if (subject?.name !== name || seen.has(name)) throw new Refusal('members and subjects are not the same, each once');
    seen.add(name);
    return {
      name,
      role,
      bytes: need(countOf(memberOf(row, 'bytes')), 'a member has no size'),
      sha256: need(subject.digest.get('sha256'), 'a subject has no SHA-256'),
    };
  });
}

function replacedOf(node: JsonNode | undefined): Replaced | null {
  if (node?.kind === 'null') return null;
  const replaces = exactly(node, 'replaces', ['digest', 'removed']);
  const sha256Text = textOf(
    memberOf(exactly(memberOf(replaces, 'digest'), 'the digest of replaces', ['sha256']), 'sha256'),
  );
  if (sha256Text === undefined || !/^[0-9a-f]{64}$/.test(sha256Text)) throw new Refusal('replaces names no SHA-256');
  return {
    sha256: sha256Text,
    removed: need(textsOf(memberOf(replaces, 'removed')), 'removed is no list of names'),
  };
}
