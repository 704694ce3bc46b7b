/**
 * Witness policies, the C2SP tlog-policy file (`interop.md` 1.5): which logs, which witnesses, and how many of them make a quorum. Names
 * are octet strings, compared as octets: they are held as Latin-1 text in Maps and never decoded.
 */
import { decodeUtf8, hex } from '../bytes/encoding.ts';
import { type Fault, type Result, refuse } from './fault.ts';
import { ED25519_COSIGNATURE, ML_DSA_44_COSIGNATURE, type NoteKey, parseVerifierKey } from './noteKey.ts';

const MAX_BYTES = 1 << 20;
const MAX_OF_EACH = 1000;

export interface PolicyWitness {
  /** Octets as Latin-1 text. */
  readonly name: string;
  readonly key: NoteKey;
}

export interface PolicyGroup {
  readonly name: string;
  readonly threshold: number;
  readonly members: readonly string[];
}

export interface Policy {
  readonly logs: readonly NoteKey[];
  readonly witnesses: ReadonlyMap<string, PolicyWitness>;
  /** Each group after those that it is made of. */
  readonly groups: ReadonlyMap<string, PolicyGroup>;
  /** A witness, a group, or `none`. */
  readonly quorum: string;
  /** Names of witnesses whose key is also the key of a log: the log witnesses itself. */
  readonly selfWitnesses: readonly string[];
}

/** Reads a policy file, or gives the first rule that it breaks. */
export async function parsePolicy(bytes: Uint8Array): Promise<Result<Policy>> {
  if (bytes.length > MAX_BYTES)
    return refuse('policy-too-large', 'the policy is larger than 1 MiB', {
      expected: `at most ${MAX_BYTES} bytes`,
      actual: String(bytes.length),
    });
  let line = 1;
  for (const byte of bytes) {
    if (byte !== 0x09 && byte !== 0x0a && (byte < 0x20 || byte === 0x7f))
      return refuse('policy-octet', 'the policy holds a control character', {
        line,
        actual: `0x${hex(Uint8Array.of(byte))}`,
      });
    if (byte === 0x0a) line++;
  }
  if (bytes.at(-1) !== 0x0a)
    return refuse('policy-final-newline', 'the last line is cut off: it does not end in a line feed', { line });
  const reader = new PolicyReader();
  for (const [i, content] of latin1(bytes).split('\n').slice(0, -1).entries()) {
    const fault = await reader.take(
      content.split(/[ \t]+/).filter((item) => item !== ''),
      i + 1,
    );
    if (fault !== undefined) return { ok: false, fault };
  }
  return reader.finish();
}

class PolicyReader {
  readonly #logs: NoteKey[] = [];
  readonly #logKeys = new Set<string>();
  readonly #witnessKeys = new Map<string, string>();
  readonly #witnesses = new Map<string, PolicyWitness>();
  readonly #groups = new Map<string, PolicyGroup>();
  readonly #members = new Set<string>();
  #quorum: string | undefined;

  async take(items: readonly string[], line: number): Promise<Fault | undefined> {
    const [keyword, ...rest] = items;
    if (keyword === undefined || keyword.startsWith('#')) return undefined;
    switch (keyword) {
      case 'log':
        return this.#log(rest, line);
      case 'witness':
        return this.#witness(rest, line);
      case 'group':
        return this.#group(rest, line);
      case 'quorum':
        return this.#takeQuorum(rest, line);
      default:
        return refuse('policy-keyword', 'a line begins with log, witness, group, quorum or #', {
          line,
          actual: shown(keyword),
        }).fault;
    }
  }

  finish(): Result<Policy> {
    if (this.#quorum === undefined) return refuse('policy-no-quorum', 'the policy has no quorum line');
    return {
      ok: true,
      value: {
        logs: this.#logs,
        witnesses: this.#witnesses,
        groups: this.#groups,
        quorum: this.#quorum,
        selfWitnesses: [...this.#witnessKeys].filter(([key]) => this.#logKeys.has(key)).map(([, name]) => name),
      },
    };
  }

  async #log(items: readonly string[], line: number): Promise<Fault | undefined> {
    if (items.length < 1 || items.length > 2)
      return refuse('policy-items', 'a log line is: log VKEY [URL]', { line, actual: `${items.length} items` }).fault;
    const parsed = await this.#key(items[0] as string, line);
    if (!parsed.ok) return parsed.fault;
    const key = parsed.value;
    const identity = hex(key.bytes);
    if (this.#logKeys.has(identity))
      return refuse('policy-duplicate-log', 'the same public key stands in two log lines', { line, actual: key.name })
        .fault;
    this.#logKeys.add(identity);
    this.#logs.push(key);
    return tooMany(this.#logs.length, 'logs', line);
  }

  async #witness(items: readonly string[], line: number): Promise<Fault | undefined> {
    if (items.length < 2 || items.length > 3)
      return refuse('policy-items', 'a witness line is: witness NAME VKEY [URL]', {
        line,
        actual: `${items.length} items`,
      }).fault;
    const [name, text] = items as [string, string];
    const taken = this.#nameFault(name, line);
    if (taken !== undefined) return taken;
    const parsed = await this.#key(text, line);
    if (!parsed.ok) return parsed.fault;
    const key = parsed.value;
    if (key.type !== ED25519_COSIGNATURE && key.type !== ML_DSA_44_COSIGNATURE)
      return refuse('policy-witness-type', 'the key of a witness is of a type that makes no cosignatures', {
        line,
        expected: 'type 4 or 6',
        actual: `type ${key.type}`,
      }).fault;
    const identity = hex(key.bytes);
    if (this.#witnessKeys.has(identity))
      return refuse(
        'policy-duplicate-witness',
        'the same public key stands in two witness lines, and one witness would count twice',
        {
          line,
          actual: shown(name),
        },
      ).fault;
    this.#witnessKeys.set(identity, name);
    this.#witnesses.set(name, { name, key });
    return tooMany(this.#witnesses.size, 'witnesses', line);
  }

  #group(items: readonly string[], line: number): Fault | undefined {
    const [name, threshold, ...members] = items;
    if (name === undefined || threshold === undefined || members.length === 0)
      return refuse('policy-items', 'a group line is: group NAME any|all|K MEMBER...', {
        line,
        actual: `${items.length} items`,
      }).fault;
    const taken = this.#nameFault(name, line);
    if (taken !== undefined) return taken;
    const needed =
      threshold === 'any'
        ? 1
        : threshold === 'all'
          ? members.length
          : /^[1-9][0-9]{0,6}$/.test(threshold)
            ? Number(threshold)
            : 0;
    if (needed < 1 || needed > members.length)
      return refuse('policy-threshold', 'the threshold is any, all, or a number from 1 to the number of members', {
        line,
        expected: `1 to ${members.length}`,
        actual: shown(threshold),
      }).fault;
    for (const member of members) {
      if (!this.#isDefined(member))
        return refuse('policy-undefined', 'a member of the group is defined on no line before', {
          line,
          actual: shown(member),
        }).fault;
      if (this.#members.has(member))
        return refuse('policy-member-twice', 'a name is a member twice, and would count twice', {
          line,
          actual: shown(member),
        }).fault;
      this.#members.add(member);
    }
    this.#groups.set(name, { name, threshold: needed, members });
    return tooMany(this.#groups.size, 'groups', line);
  }

  #takeQuorum(items: readonly string[], line: number): Fault | undefined {
    const [name] = items;
    if (name === undefined || items.length !== 1)
      return refuse('policy-items', 'a quorum line is: quorum NAME', { line, actual: `${items.length} items` }).fault;
    if (this.#quorum !== undefined)
      return refuse('policy-quorum-twice', 'the policy has two quorum lines', { line }).fault;
    if (name !== 'none' && !this.#isDefined(name))
      return refuse('policy-undefined', 'the quorum names what no line before defines', { line, actual: shown(name) })
        .fault;
    this.#quorum = name;
    return undefined;
  }

  #isDefined(name: string): boolean {
    return this.#witnesses.has(name) || this.#groups.has(name);
  }

  #nameFault(name: string, line: number): Fault | undefined {
    if (name !== 'none' && !this.#isDefined(name)) return undefined;
    return refuse('policy-name', name === 'none' ? 'none cannot be defined' : 'the name is defined twice', {
      line,
      actual: shown(name),
    }).fault;
  }

  async #key(item: string, line: number): Promise<Result<NoteKey>> {
    const text = decodeUtf8(Uint8Array.from(item, (character) => character.charCodeAt(0)));
    if (text === undefined) return refuse('vkey', 'the verifier key is not UTF-8', { line });
    const parsed = await parseVerifierKey(text);
    return parsed.ok ? parsed : { ok: false, fault: { ...parsed.fault, line } };
  }
}

function tooMany(count: number, of: string, line: number): Fault | undefined {
  return count <= MAX_OF_EACH
    ? undefined
    : refuse('policy-too-large', `the policy lists more than ${MAX_OF_EACH} ${of}`, {
        line,
        expected: `at most ${MAX_OF_EACH}`,
      }).fault;
}

function latin1(bytes: Uint8Array): string {
  let text = '';
  for (let i = 0; i < bytes.length; i += 8192) text += String.fromCharCode(...bytes.subarray(i, i + 8192));
  return text;
}

/** A name for people: its octets as UTF-8 where they are that, otherwise with the high ones as `\\xNN`. */
export function shown(name: string): string {
  const text =
    decodeUtf8(Uint8Array.from(name, (character) => character.charCodeAt(0))) ??
    name.replace(/[\u0080-\u00ff]/g, (character) => `\\x${character.charCodeAt(0).toString(16)}`);
  return text.length > 80 ? `${text.slice(0, 80)}…` : text;
}

/** Whether the quorum holds when the named witnesses cosigned. Groups stand after their members, so one pass decides. */
export function isSatisfied(policy: Policy, cosigned: ReadonlySet<string>): boolean {
  if (policy.quorum === 'none') return true;
  const satisfied = new Set([...cosigned].filter((name) => policy.witnesses.has(name)));
  for (const { name, threshold, members } of policy.groups.values()) {
    let count = 0;
    for (const member of members) if (satisfied.has(member)) count++;
    if (count >= threshold) satisfied.add(name);
  }
  return satisfied.has(policy.quorum);
}
