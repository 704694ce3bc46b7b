/** The rules file of a redaction, `audit.redaction-rules.v1`: what is replaced by what, and what is left out. Its schema is published. */
import { decodeUtf8 } from '../../bytes/encoding.ts';
import type { Entry } from '../model.ts';
import { credentials, homePaths, inOrder, secrets } from './redactors.ts';
import type { RewriteText } from './rewriteStrings.ts';

const RULES_FORMAT = 'audit.redaction-rules.v1';

/** A rules file that cannot be used. */
export class BadRules extends Error {}

export interface RedactionRules {
  /** Names the rules at a version; another rule set must not have the name. */
  readonly profile: string | undefined;
  readonly rewrite: RewriteText;
  readonly leaveOut: ((entry: Entry) => boolean) | undefined;
  readonly withoutFileHashes: boolean;
  /** Drops all media that the session keeps beside itself. */
  readonly withoutMedia: boolean;
  readonly placeholder: string | undefined;
}

/** Entries that others do not rest on: a call, a run or a setting cannot be left out alone. */
const LEAVABLE: ReadonlySet<string> = new Set(['custom', 'env', 'info', 'label', 'outcome']);

const MEMBERS: ReadonlySet<string> = new Set([
  'format',
  'profile',
  'replace',
  'credentials',
  'home',
  'leave_out',
  'file_hashes',
  'media',
  'placeholder',
]);

/** Reads a rules file. Throws BadRules with the reason in words. */
export function readRules(bytes: Uint8Array): RedactionRules {
  const rules = record(parse(bytes), 'the rules');
  for (const name of Object.keys(rules))
    if (!MEMBERS.has(name)) throw new BadRules(`there is no rule ${JSON.stringify(name)}`);
  if (rules['format'] !== RULES_FORMAT) throw new BadRules(`"format" is ${JSON.stringify(RULES_FORMAT)}`);
  const replace = list(rules['replace'] ?? [], 'replace').map((rule, i) =>
    replacement(record(rule, `replace[${i}]`), i),
  );
  const leaveOut = list(rules['leave_out'] ?? [], 'leave_out').map((type) => leavable(text(type, 'leave_out')));
  const isDropped = (name: 'file_hashes' | 'media'): boolean => {
    const value = rules[name] ?? 'keep';
    if (value !== 'keep' && value !== 'drop') throw new BadRules(`"${name}" is "keep" or "drop"`);
    return value === 'drop';
  };
  return {
    profile: rules['profile'] === undefined ? undefined : filled(rules['profile'], 'profile'),
    rewrite: inOrder(
      ...replace,
      ...(flag(rules['credentials'], 'credentials') ? [credentials] : []),
      ...(flag(rules['home'], 'home') ? [homePaths()] : []),
    ),
    leaveOut: leaveOut.length === 0 ? undefined : (entry) => leaveOut.some((matches) => matches(entry)),
    withoutFileHashes: isDropped('file_hashes'),
    withoutMedia: isDropped('media'),
    placeholder: rules['placeholder'] === undefined ? undefined : text(rules['placeholder'], 'placeholder'),
  };
}

function parse(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(decodeUtf8(bytes) ?? '') as unknown;
  } catch {
    throw new BadRules('the rules are not JSON');
  }
}

function replacement(rule: { readonly [name: string]: unknown }, index: number): RewriteText {
  const where = `replace[${index}]`;
  const by = text(rule['with'] ?? '', `${where}.with`);
  if ((rule['text'] === undefined) === (rule['pattern'] === undefined))
    throw new BadRules(`${where} has either "text" or "pattern"`);
  if (rule['text'] !== undefined) return secrets([{ secret: filled(rule['text'], `${where}.text`), by }]);
  const flags = text(rule['flags'] ?? '', `${where}.flags`);
  if (!/^[imsu]*$/.test(flags)) throw new BadRules(`${where}.flags are of i, m, s and u`);
  let pattern: RegExp;
  try {
    pattern = new RegExp(filled(rule['pattern'], `${where}.pattern`), `g${flags}`);
  } catch (error) {
    if (error instanceof BadRules) throw error;
    throw new BadRules(`${where}.pattern is no regular expression: ${(error as Error).message}`);
  }
  if (pattern.test('')) throw new BadRules(`${where}.pattern matches the empty text`);
  // A function, so that a "$" of the replacement means itself.
  return (whole) => whole.replace(pattern, () => by);
}

function leavable(type: string): (entry: Entry) => boolean {
  if (type.endsWith(':*')) return (entry) => entry.kind === 'extension' && entry.type.startsWith(type.slice(0, -1));
  if (type.includes(':')) return (entry) => entry.kind === 'extension' && entry.type === type;
  if (!LEAVABLE.has(type)) throw new BadRules(`entries of type ${JSON.stringify(type)} cannot be left out`);
  // A leaf label says where the session stands.
  return (entry) => entry.kind === type && !(entry.kind === 'label' && entry.label === 'leaf');
}

function record(value: unknown, what: string): { readonly [name: string]: unknown } {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw new BadRules(`${what} is an object`);
  return value as { readonly [name: string]: unknown };
}

function list(value: unknown, what: string): readonly unknown[] {
  if (!Array.isArray(value)) throw new BadRules(`"${what}" is a list`);
  return value as readonly unknown[];
}

function text(value: unknown, what: string): string {
  if (typeof value !== 'string') throw new BadRules(`"${what}" is a text`);
  return value;
}

function filled(value: unknown, what: string): string {
  const found = text(value, what);
  if (found === '') throw new BadRules(`"${what}" is a text that is not empty`);
  return found;
}

function flag(value: unknown, what: string): boolean {
  if (value !== undefined && typeof value !== 'boolean') throw new BadRules(`"${what}" is true or false`);
  return value === true;
}
