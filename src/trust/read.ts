/**
 * Reads `audit.trust.v1` files and merges them. The format is described in docs/trust-file.md; `schemas/trust.schema.json` is its schema.
 *
 * Reading is strict (audit spec 0.5): what this version does not know, it refuses, because a member without effect is a key that is good
 * for more than its owner meant. All faults of a file are reported. A verification must not start while there is a finding.
 */
import { compareUtf8 } from '../bytes/encoding.ts';
import { formatPublicKey, isUnusable, parsePublicKey } from '../crypto/keys.ts';
import type { Finding } from '../finding/finding.ts';
import type { JsonNode, JsonObject } from '../json/tree.ts';
import { parseTree } from '../json/tree.ts';
import { parseInstant } from '../time/instant.ts';
import { catalogue } from './catalogue.ts';
import type { Role, Section, Trust, TrustedApprover, TrustedKey } from './trust.ts';

export const TRUST_FORMAT = 'audit.trust.v1';
export const ROLES: readonly Role[] = ['log', 'issuer', 'anchor', 'witness', 'bundle', 'checker'];
/** Sections whose content belongs to a module above. */
export const SECTIONS = [
  'gates',
  'certificate_policies',
  'anchors',
  'anchor_logs',
  'rosters',
  'witness_policies',
  'approved_policies',
] as const;
/** Kinds of input that requirements can be made of (`Kind` of src/verify/kind.ts). */
export const REQUIRING_KINDS = [
  'session',
  'journal',
  'head',
  'proof',
  'absence',
  'event',
  'grants',
  'current-grant',
  'run-certificate',
  'package',
  'quorum',
  'equivocation',
  'session-disclosure',
  'checkpoint',
  'tlog-proof',
  'trail',
  'bundle',
  'atif',
  'certificate',
  'crl',
  'ocsp',
  'timestamp',
] as const;
const MAX_BYTES = 16 * 1024 * 1024;

export interface TrustFile {
  /** As it is called in findings. */
  readonly name: string;
  readonly bytes: Uint8Array;
}

export interface TrustReading {
  /** What could be read; to be used only where there is no finding. */
  readonly trust: Trust;
  readonly findings: readonly Finding[];
}

/** What one file says, before merging. */
interface FileTrust {
  readonly file: string;
  readonly keys: readonly TrustedKey[];
  readonly approvers: readonly TrustedApprover[];
  readonly sections: readonly { readonly name: string; readonly section: Section }[];
  readonly requirements: ReadonlyMap<string, readonly string[]>;
}

/**
 * Reads and merges trust files.
 *
 * @param files any number; with none, the trust is empty. Their bytes are copied: the sections of the trust are read long after this.
 * @returns the trust and everything that is wrong with the files (class `unusable`).
 */
export async function readTrust(files: readonly TrustFile[]): Promise<TrustReading> {
  const findings: Finding[] = [];
  const read: FileTrust[] = [];
  const own = files.map((file) =>
    file.bytes.length > MAX_BYTES ? file : { ...file, bytes: new Uint8Array(file.bytes) },
  );
  for (const file of own) read.push(await new FileReader(file, findings).read());
  return { trust: merge(read, findings), findings };
}

/** One file. Collects findings, never throws. */
class FileReader {
  readonly #file: TrustFile;
  readonly #findings: Finding[];
  constructor(file: TrustFile, findings: Finding[]) {
    this.#file = file;
    this.#findings = findings;
  }

  async read(): Promise<FileTrust> {
    const empty: FileTrust = { file: this.#file.name, keys: [], approvers: [], sections: [], requirements: new Map() };
    if (this.#file.bytes.length > MAX_BYTES) {
      this.#find(
        'trust/too-large',
        `${this.#file.bytes.length} bytes are more than a trust file may have`,
        undefined,
        '',
        {
          expected: `at most ${MAX_BYTES} bytes`,
        },
      );
      return empty;
    }
    const parsed = parseTree(this.#file.bytes);
    if (!parsed.ok) {
      this.#findings.push(
        catalogue.find('trust/not-json', `the trust file does not read: ${parsed.problem.message}`, {
          where: { part: this.#file.name, byte: parsed.problem.at },
        }),
      );
      return empty;
    }
    const root = parsed.root;
    if (!this.#format(root)) return empty;
    this.#repetitions(root);
    const keys: TrustedKey[] = [];
    const approvers: TrustedApprover[] = [];
    const sections: FileTrust['sections'][number][] = [];
    let requirements: ReadonlyMap<string, readonly string[]> = new Map();
    for (const { name, value } of root.members) {
      const pointer = `/${escapePointer(name)}`;
      if (name === 'format') continue;
      if (name === 'keys') keys.push(...(await this.#keys(value, pointer)));
      else if (name === 'approvers') approvers.push(...(await this.#approvers(value, pointer)));
      else if (name === 'requirements') requirements = this.#requirements(value, pointer);
      else if ((SECTIONS as readonly string[]).includes(name))
        sections.push({ name, section: { node: value, bytes: this.#file.bytes, file: this.#file.name } });
      else if (name !== 'about' || value.kind !== 'string')
        this.#unknown(name, value, pointer, ['format', 'about', 'keys', 'approvers', 'requirements', ...SECTIONS]);
    }
    return { file: this.#file.name, keys, approvers, sections, requirements };
  }

  #format(root: JsonNode): root is JsonObject {
    const members = root.kind === 'object' ? root.members.filter(({ name }) => name === 'format') : [];
    const format = members.at(-1)?.value;
    if (format?.kind === 'string' && format.value === TRUST_FORMAT) return true;
    const actual = format === undefined ? 'none' : format.kind === 'string' ? format.value : `a ${format.kind}`;
    this.#find('trust/format', 'the file does not say that it is a trust file of this version', format, '/format', {
      expected: TRUST_FORMAT,
      actual: actual.slice(0, 80),
    });
    return false;
  }

  /** No object at any depth may name a member twice, sections of other modules included. */
  #repetitions(root: JsonNode): void {
    const stack: { readonly node: JsonNode; readonly pointer: string }[] = [{ node: root, pointer: '' }];
    for (let next = stack.pop(); next !== undefined; next = stack.pop()) {
      const { node, pointer } = next;
      // A pointer is kept only to a readable depth: it would otherwise grow with the square of the nesting.
      const below = (step: string | number) => (pointer.length > 400 ? pointer : `${pointer}/${step}`);
      if (node.kind === 'array') {
        for (const [i, item] of node.items.entries()) stack.push({ node: item, pointer: below(i) });
      } else if (node.kind === 'object') {
        const seen = new Set<string>();
        for (const { name, value } of node.members) {
          const at = below(escapePointer(name));
          if (seen.has(name))
            this.#find('trust/repeated-member', `${JSON.stringify(name)} stands twice in one object`, value, at);
          seen.add(name);
          stack.push({ node: value, pointer: at });
        }
      }
    }
  }

  async #keys(node: JsonNode, pointer: string): Promise<TrustedKey[]> {
    const keys: TrustedKey[] = [];
    const names = new Set<string>();
    if (node.kind !== 'array') {
      this.#shape(node, pointer, 'a list of keys');
      return keys;
    }
    for (const [i, item] of node.items.entries()) {
      const at = `${pointer}/${i}`;
      const members = this.#members(item, at, ['name', 'key', 'roles'], ['from', 'until', 'about']);
      if (members === undefined) continue;
      const name = this.#text(members.get('name'), `${at}/name`);
      const roles = this.#roles(members.get('roles'), `${at}/roles`);
      const from = this.#instant(members.get('from'), `${at}/from`);
      const until = this.#instant(members.get('until'), `${at}/until`);
      const key = await this.#key(members.get('key'), `${at}/key`);
      if (from !== undefined && until !== undefined && from >= until)
        this.#shape(members.get('until'), `${at}/until`, 'a time after "from"');
      if (name === undefined || roles === undefined || key === undefined) continue;
      if (names.has(name))
        this.#find('trust/repeated-key-name', `two keys are called ${JSON.stringify(name)}`, item, `${at}/name`);
      names.add(name);
      keys.push({
        name,
        roles,
        key,
        ...(from === undefined ? {} : { from }),
        ...(until === undefined ? {} : { until }),
      });
    }
    return keys;
  }

  async #approvers(node: JsonNode, pointer: string): Promise<TrustedApprover[]> {
    const approvers: TrustedApprover[] = [];
    if (node.kind !== 'object') {
      this.#shape(node, pointer, 'an object from approver id to key text, or to a list of them');
      return approvers;
    }
    const folded = new Map<string, string>();
    for (const { name, value } of node.members) {
      const at = `${pointer}/${escapePointer(name)}`;
      const lower = /^[\x21-\x7e]+$/.test(name) ? name.toLowerCase() : undefined;
      const other = lower === undefined ? undefined : folded.get(lower);
      if (lower === undefined)
        this.#find('trust/approver-id', `${JSON.stringify(name)} is not printable ASCII without spaces`, value, at);
      else if (other !== undefined && other !== name)
        this.#find(
          'trust/approver-id',
          `${JSON.stringify(name)} and ${JSON.stringify(other)} are one approver`,
          value,
          at,
        );
      else folded.set(lower, name);
      const texts = value.kind === 'array' ? value.items : [value];
      if (texts.length === 0) this.#shape(value, at, 'at least one key');
      for (const [i, text] of texts.entries()) {
        const key = await this.#key(text, value.kind === 'array' ? `${at}/${i}` : at);
        if (key !== undefined) approvers.push({ approver: name, key });
      }
    }
    return approvers;
  }

  #requirements(node: JsonNode, pointer: string): Map<string, readonly string[]> {
    const requirements = new Map<string, readonly string[]>();
    if (node.kind !== 'object') {
      this.#shape(node, pointer, 'an object from kind of input to a list of claims');
      return requirements;
    }
    for (const { name, value } of node.members) {
      const at = `${pointer}/${escapePointer(name)}`;
      const claims = this.#texts(value, at);
      // A requirement that nothing falls under, or that names nothing, would ask for less than its owner meant.
      if (!(REQUIRING_KINDS as readonly string[]).includes(name)) this.#unknown(name, value, at, REQUIRING_KINDS);
      else if (claims?.length === 0) this.#shape(value, at, 'a list of at least one claim', 'an empty list');
      else if (claims !== undefined) requirements.set(name, claims);
    }
    return requirements;
  }

  #roles(node: JsonNode | undefined, pointer: string): readonly Role[] | undefined {
    const texts = node === undefined ? undefined : this.#texts(node, pointer);
    if (texts === undefined) return undefined;
    const roles = texts.filter((text): text is Role => (ROLES as readonly string[]).includes(text));
    if (roles.length === texts.length && roles.length > 0) return roles;
    this.#shape(node, pointer, `one or more of ${ROLES.join(', ')}`);
    return undefined;
  }

  #texts(node: JsonNode, pointer: string): readonly string[] | undefined {
    if (node.kind !== 'array') {
      this.#shape(node, pointer, 'a list of texts');
      return undefined;
    }
    const texts = node.items.map((item, i) => this.#text(item, `${pointer}/${i}`));
    return texts.every((text) => text !== undefined) ? texts : undefined;
  }

  #text(node: JsonNode | undefined, pointer: string): string | undefined {
    if (node === undefined) return undefined;
    if (node.kind === 'string' && !node.illFormed && node.value !== '') return node.value;
    this.#shape(node, pointer, 'a text that is not empty');
    return undefined;
  }

  #instant(node: JsonNode | undefined, pointer: string): bigint | undefined {
    if (node === undefined) return undefined;
    const instant = node.kind === 'string' ? parseInstant(node.value) : undefined;
    if (instant === undefined) this.#shape(node, pointer, 'a time such as 2026-01-01T00:00:00Z');
    return instant;
  }

  async #key(node: JsonNode | undefined, pointer: string): Promise<TrustedKey['key'] | undefined> {
    const text = this.#text(node, pointer);
    if (text === undefined) return undefined;
    const key = await parsePublicKey(text);
    if (!isUnusable(key)) return key;
    this.#find('trust/unusable-key', `the key cannot be used: ${key.unusable}`, node, pointer, {
      expected: '<scheme>:<hex of the public key>',
      // A private key pasted by mistake must not travel into a report.
      actual: text.startsWith('private:') ? 'a private key' : text.slice(0, 80),
    });
    return undefined;
  }

  /** The members of an object that must have some names and may have others; undefined when it is no object or lacks one. */
  #members(
    node: JsonNode,
    pointer: string,
    required: readonly string[],
    optional: readonly string[],
  ): ReadonlyMap<string, JsonNode> | undefined {
    if (node.kind !== 'object') {
      this.#shape(node, pointer, `an object with ${required.join(', ')}`);
      return undefined;
    }
    const members = new Map<string, JsonNode>();
    for (const { name, value } of node.members) {
      if (required.includes(name) || optional.includes(name)) members.set(name, value);
      else this.#unknown(name, value, `${pointer}/${escapePointer(name)}`, [...required, ...optional]);
    }
    const lacking = required.filter((name) => !members.has(name));
    for (const name of lacking) this.#shape(node, `${pointer}/${name}`, `a member ${JSON.stringify(name)}`, 'none');
    return lacking.length === 0 ? members : undefined;
  }

  #unknown(name: string, node: JsonNode, pointer: string, known: readonly string[]): void {
    this.#find('trust/unknown-member', `${JSON.stringify(name)} is no member that stands here`, node, pointer, {
      expected: known.join(', '),
      actual: name.slice(0, 80),
    });
  }

  #shape(node: JsonNode | undefined, pointer: string, expected: string, actual?: string): void {
    const found =
      actual ?? (node === undefined ? 'none' : node.kind === 'string' ? JSON.stringify(node.value) : node.kind);
    this.#find('trust/shape', `${pointer} is not ${expected}`, node, pointer, { expected, actual: found.slice(0, 80) });
  }

  #find(
    code: Parameters<typeof catalogue.find>[0],
    message: string,
    node: JsonNode | undefined,
    pointer: string,
    particulars: { readonly expected?: string; readonly actual?: string } = {},
  ): void {
    const place = node === undefined ? {} : { byte: node.start, length: node.end - node.start };
    this.#findings.push(
      catalogue.find(code, message, { where: { part: this.#file.name, pointer, ...place }, ...particulars }),
    );
  }
}

function escapePointer(name: string): string {
  return name.replaceAll('~', '~0').replaceAll('/', '~1');
}

function byApprover(approvers: readonly TrustedApprover[]): ReadonlyMap<string, readonly TrustedApprover[]> {
  const groups = new Map<string, TrustedApprover[]>();
  for (const entry of approvers) {
    const group = groups.get(entry.approver);
    if (group === undefined) groups.set(entry.approver, [entry]);
    else group.push(entry);
  }
  return groups;
}

/** One trust from several files: equal entries once, contradictions as findings, requirements united, sections side by side. */
function merge(files: readonly FileTrust[], findings: Finding[]): Trust {
  const keys = new Map<string, { readonly key: TrustedKey; readonly file: string }>();
  const approvers = new Map<
    string,
    { readonly texts: string; readonly file: string; readonly keys: readonly TrustedApprover[] }
  >();
  const sections = new Map<string, Section[]>();
  const requirements = new Map<string, string[]>();
  const conflict = (what: string, pointer: string, first: string, second: string) =>
    findings.push(
      catalogue.find('trust/conflict', `${first} and ${second} differ on ${what}`, {
        where: { part: second, pointer },
        expected: `what ${first} says`,
      }),
    );
  for (const file of files) {
    for (const key of file.keys) {
      const known = keys.get(key.name);
      if (known === undefined) keys.set(key.name, { key, file: file.file });
      else if (known.file !== file.file && spelled(known.key) !== spelled(key))
        conflict(`the key ${JSON.stringify(key.name)}`, '/keys', known.file, file.file);
    }
    for (const [id, own] of byApprover(file.approvers)) {
      const texts = own
        .map(({ key }) => formatPublicKey(key))
        .sort(compareUtf8)
        .join(' ');
      const known = approvers.get(id.toLowerCase());
      if (known === undefined) approvers.set(id.toLowerCase(), { texts, file: file.file, keys: own });
      else if (known.file !== file.file && (known.texts !== texts || known.keys[0]?.approver !== id))
        conflict(`the approver ${JSON.stringify(id)}`, `/approvers/${escapePointer(id)}`, known.file, file.file);
    }
    for (const { name, section } of file.sections) sections.set(name, [...(sections.get(name) ?? []), section]);
    for (const [kind, claims] of file.requirements)
      requirements.set(kind, [...new Set([...(requirements.get(kind) ?? []), ...claims])]);
  }
  return {
    keys: [...keys.values()].map(({ key }) => key),
    approvers: [...approvers.values()].flatMap((entry) => entry.keys),
    sections,
    requirements,
  };
}

function spelled(key: TrustedKey): string {
  return [formatPublicKey(key.key), [...key.roles].sort().join(','), key.from ?? '', key.until ?? ''].join(' ');
}
