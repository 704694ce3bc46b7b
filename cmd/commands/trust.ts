/** `audit trust init|add|show`: the trust file, `audit.trust.v1` (docs/trust-file.md). */
import { type Expectation, readGates } from '../../src/approval/gatePatterns.ts';
import { formatPublicKey } from '../../src/crypto/keys.ts';
import type { PublicKey } from '../../src/crypto/signature.ts';
import type { Finding } from '../../src/finding/finding.ts';
import { printed } from '../../src/finding/visible.ts';
import { Unreadable } from '../../src/host/files.ts';
import { formatInstant } from '../../src/time/instant.ts';
import { ROLES, readTrust } from '../../src/trust/read.ts';
import type { Role, Trust } from '../../src/trust/trust.ts';
import { addToTrustFile, emptyTrustFile, type TrustAddition } from '../../src/trust/write.ts';
import { type Args, type Command, type Io, type Option, UsageError } from '../command.ts';
import { keyFrom } from '../keyInput.ts';

const text = (name: string, placeholder: string, describe: string): Option => ({
  name,
  type: 'text',
  placeholder,
  describe,
});

export const trustInitCommand: Command = {
  name: 'trust init',
  summary: 'Write an empty trust file. A file that is there is not overwritten.',
  positional: '<file>',
  options: [],
  examples: [
    { command: 'audit trust init trust.json', says: 'A file that trusts nothing yet.' },
    { command: 'audit trust init bank.trust.json', says: 'One for each house is a good habit: --trust takes several.' },
  ],
  async run(args, io) {
    const path = onlyFile(args, 'trust init');
    if (exists(path, io)) throw new UsageError(`${path} is there already`);
    io.write(path, emptyTrustFile());
    return 0;
  },
};

export const trustAddCommand: Command = {
  name: 'trust add',
  summary: 'Add a key, an approver\u2019s key, a gate or a requirement to a trust file.',
  positional: '<key|approver|gate|require> <file>',
  options: [
    text('name', 'NAME', 'key: how reports call it.'),
    text('key', 'KEY|FILE', 'key, approver: the public key, as text or in a file (text, PEM, DER).'),
    { ...text('role', 'ROLE', `key: what it may sign: ${ROLES.join(', ')}.`), repeatable: true },
    text('from', 'TIME', 'key: valid from this instant on.'),
    text('until', 'TIME', 'key: not valid from this instant on.'),
    text('id', 'ID', 'approver: the id, exactly as policies spell it.'),
    text('run', 'PATTERN', 'gate: runs that it is for; * stands for any characters. All runs if not given.'),
    text('tool', 'PATTERN', 'gate: tools whose calls it is for.'),
    text('node', 'PATTERN', 'gate: flow nodes that it is for, in place of --tool.'),
    text('policy', 'JSON', 'gate: the policy, such as {"need":2,"approvers":["ops","risk"]}; null for none.'),
    text('kind', 'KIND', 'require: the kind of input, such as journal.'),
    { ...text('claim', 'CLAIM', 'require: a claim that must be verified.'), repeatable: true },
    text('out', 'FILE', 'Write the result here and leave the file as it is.'),
  ],
  examples: [
    {
      command: 'audit trust add key trust.json --name "acme log 2026" --key log.pub.pem --role log',
      says: 'Heads signed by this key are taken as the log\u2019s.',
    },
    {
      command: 'audit trust add approver trust.json --id finance --key finance.pem',
      says: 'Decisions of "finance" are checked with this key; a second key of one approver is a rotation.',
    },
    {
      command: 'audit trust add gate trust.json --run "acme/*" --tool refund --policy policy.json',
      says: 'Calls of refund in these runs must have met this policy (JSON, or a file that holds it).',
    },
  ],
  async run(args, io) {
    const [what, path] = args.positional;
    if (path === undefined || args.positional.length > 2)
      throw new UsageError('"audit trust add" takes what to add and the trust file');
    const addition = await additionOf(what, args, io);
    const added = addToTrustFile(io.read(path), addition);
    if ('problem' in added) throw new Unreadable(`${path}: ${added.problem}`);
    const { trust, findings } = await readTrust([{ name: path, bytes: added.bytes }]);
    const all = [...findings, ...readGates(trust).findings];
    if (all.length > 0) return refuse(all, io);
    io.write(args.text('out') ?? path, added.bytes);
    return 0;
  },
};

export const trustShowCommand: Command = {
  name: 'trust show',
  summary: 'Say in words what trust files trust, or what is wrong with them.',
  positional: '<file...>',
  options: [],
  examples: [
    { command: 'audit trust show trust.json', says: 'Keys, approvers, gates and requirements, a line each.' },
    {
      command: 'audit trust show house.json counterparty.json',
      says: 'Several files as they are merged; what contradicts each other is named.',
    },
  ],
  async run(args, io) {
    if (args.positional.length === 0) throw new UsageError('"audit trust show" needs a trust file');
    const files = args.positional.map((name) => ({ name, bytes: named(name, () => io.read(name)) }));
    const { trust, findings } = await readTrust(files);
    const { gates, findings: gateFindings } = readGates(trust);
    for (const line of linesOf(trust)) io.out(printed(line));
    const patterns = gates.files.flatMap((file) => file.patterns);
    for (const pattern of patterns) io.out(printed(pattern.inWords));
    for (const line of keylessLines(trust, patterns)) io.err(printed(line));
    const all = [...findings, ...gateFindings];
    return all.length === 0 ? 0 : refuse(all, io);
  },
};

async function additionOf(what: string | undefined, args: Args, io: Io): Promise<TrustAddition> {
  switch (what) {
    case 'key': {
      const roles = args.list('role').map((role) => {
        const known = ROLES.find((candidate) => candidate === role);
        if (known === undefined) throw new UsageError(`--role takes ${ROLES.join(', ')}; not ${JSON.stringify(role)}`);
        return known;
      }) as readonly Role[];
      if (roles.length === 0) throw new UsageError('--role is needed');
      const name = args.need('name');
      const [from, until] = [args.text('from'), args.text('until')];
      const key = await publicText(args.need('key'), io);
      return {
        to: 'keys',
        entry: { name, key, roles, ...(from === undefined ? {} : { from }), ...(until === undefined ? {} : { until }) },
      };
    }
    case 'approver': {
      const approver = args.need('id');
      return { to: 'approvers', approver, key: await publicText(args.need('key'), io) };
    }
    case 'gate': {
      if ((args.text('tool') === undefined) === (args.text('node') === undefined))
        throw new UsageError('a gate is for either --tool or --node');
      const policy = args.need('policy');
      const json = /^\s*(?:\{|null\s*$)/.test(policy)
        ? policy
        : new TextDecoder().decode(named(policy, () => io.read(policy)));
      const members = (['run', 'tool', 'node'] as const).flatMap((name) => {
        const value = args.text(name);
        return value === undefined ? [] : [`"${name}":${JSON.stringify(value)}`];
      });
      return { to: 'gates', json: `{${[...members, `"policy":${json}`].join(',')}}` };
    }
    case 'require': {
      const claims = args.list('claim').flatMap((claim) => claim.split(','));
      if (claims.length === 0) throw new UsageError('--claim is needed');
      return { to: 'requirements', kind: args.need('kind'), claims };
    }
    default:
      throw new UsageError(`what is added is one of key, approver, gate, require; not ${JSON.stringify(what ?? '')}`);
  }
}

async function publicText(argument: string, io: Io): Promise<string> {
  const { importPublicKey, isUnusable } = await import('../../src/crypto/keys.ts');
  const key = await keyFrom(argument, io);
  // A trust file is given to others: a private key never goes into one.
  if (key.secret)
    throw new Unreadable(`${argument} is a private key; "audit keys convert --public" gives its public part`);
  const imported = await importPublicKey(key.scheme, key.bytes);
  if (isUnusable(imported)) throw new Unreadable(`${argument}: ${imported.unusable}`);
  return formatPublicKey(imported);
}

/** A key as the trust file spells it, where that fits in a line, and as reports call it. */
function inWords(key: PublicKey): string {
  const text = formatPublicKey(key);
  const identities = `identity ${key.identities.join(' ')}`;
  return text.length > 200 ? identities : `${text}, ${identities}`;
}

function linesOf(trust: Trust): readonly string[] {
  const lines: string[] = [];
  for (const { name, roles, key, from, until } of trust.keys) {
    const window = `${from === undefined ? '' : ` from ${formatInstant(from)}`}${until === undefined ? '' : ` until ${formatInstant(until)}`}`;
    lines.push(`key ${JSON.stringify(name)} may sign as ${roles.join(', ')}${window}: ${inWords(key)}`);
  }
  for (const { approver, key } of trust.approvers) lines.push(`approver ${JSON.stringify(approver)}: ${inWords(key)}`);
  for (const [kind, claims] of trust.requirements) lines.push(`of a ${kind} are required: ${claims.join(', ')}`);
  for (const [name, sections] of trust.sections) {
    if (name !== 'gates') lines.push(`${name}: in ${sections.map(({ file }) => file).join(', ')}`);
  }
  if (lines.length === 0 && !trust.sections.has('gates')) lines.push('nothing is trusted');
  return lines;
}

/** Approvers whom a gate names and of whom no key is trusted: often a name that is spelled in two ways. */
function keylessLines(trust: Trust, patterns: readonly Expectation[]): readonly string[] {
  const known = new Set(trust.approvers.map(({ approver }) => approver));
  const named = patterns.flatMap(({ policy }) => (policy?.kind === 'm-of-n' ? policy.approvers : []));
  return [...new Set(named)]
    .filter((approver) => !known.has(approver))
    .map(
      (approver) =>
        `audit: a gate names ${JSON.stringify(approver)}, of whom no key is here: only decisions bound to a certificate can count as theirs`,
    );
}

function refuse(findings: readonly Finding[], io: Io): number {
  for (const { code, message, where, expected, remedy } of findings) {
    const place = [where.part, where.pointer].filter((part) => part !== undefined && part !== '').join(' ');
    io.err(printed(`audit: ${place}: ${message} (${code})${expected === undefined ? '' : `; expected ${expected}`}`));
    io.err(printed(`       ${remedy}`));
  }
  return 4;
}

function onlyFile(args: Args, name: string): string {
  const [path] = args.positional;
  if (path === undefined || args.positional.length > 1) throw new UsageError(`"audit ${name}" takes one file`);
  return path;
}

function exists(path: string, io: Io): boolean {
  try {
    io.read(path);
    return true;
  } catch (error) {
    if (error instanceof Unreadable) return error.message !== 'there is no such file';
    throw error;
  }
}

function named<T>(path: string, read: () => T): T {
  try {
    return read();
  } catch (error) {
    if (error instanceof Unreadable) throw new Unreadable(`${path}: ${error.message}`, error.tooLarge);
    throw error;
  }
}
