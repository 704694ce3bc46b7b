/**
 * Name constraints (RFC 5280 4.2.1.10 and 6.1.3 (b), (c)) for every form of name. The state keeps, as a list, what each CA permitted: a name must
 * be within every such set that speaks of its form (the intersection), and within no excluded subtree (the union).
 */
import type { Certificate } from './certificate.ts';
import { type GeneralName, generalNameText, type Name } from './name.ts';
import type { NameConstraints, Subtree } from './structures.ts';

/** What the CAs above a certificate permit and exclude. */
export interface NameState {
  readonly permitted: readonly (readonly Subtree[])[];
  readonly excluded: readonly Subtree[];
}

export const NO_CONSTRAINTS: NameState = { permitted: [], excluded: [] };

/** Comparisons for one certificate; a certificate that needs more is refused. */
export const MAX_NAME_COMPARISONS = 1 << 20;

/** RFC 5280 6.1.4 (g). */
export function constrain(state: NameState, constraints: NameConstraints): NameState {
  return {
    permitted: constraints.permitted.length === 0 ? state.permitted : [...state.permitted, constraints.permitted],
    excluded: [...state.excluded, ...constraints.excluded],
  };
}

/** A violation: not permitted, excluded, or not to be evaluated. */
export interface NameViolation {
  readonly kind: 'not-permitted' | 'excluded' | 'not-evaluable';
  readonly name: string;
}

/** The names of a certificate that constraints speak of: subject, alternative names, and mailboxes in the subject. */
export function constrainedNames(certificate: Certificate): readonly GeneralName[] {
  const { subject } = certificate;
  const mailboxes = subject.rdns
    .flat()
    .filter((attribute) => attribute.type === '1.2.840.113549.1.9.1')
    .map((attribute): GeneralName => ({ kind: 'email', text: attribute.text ?? '' }));
  return [
    ...(subject.rdns.length === 0 ? [] : [{ kind: 'directory', name: subject } as const]),
    ...(certificate.subjectAltNames ?? []),
    ...mailboxes,
  ];
}

/** All violations of one certificate, in the order of its names. */
export function violations(state: NameState, certificate: Certificate): readonly NameViolation[] {
  const subtrees = state.excluded.length + state.permitted.reduce((sum, set) => sum + set.length, 0);
  if (subtrees === 0) return [];
  const names = constrainedNames(certificate);
  if (names.length * subtrees > MAX_NAME_COMPARISONS)
    return [{ kind: 'not-evaluable', name: `${names.length} names under ${subtrees} constraints` }];
  return names.flatMap((name) => {
    const kind = judge(state, name);
    return kind === undefined ? [] : [{ kind, name: generalNameText(name) }];
  });
}

function judge(state: NameState, name: GeneralName): NameViolation['kind'] | undefined {
  for (const set of state.permitted) {
    const speaking = set.filter((tree) => sameForm(tree.base, name));
    if (speaking.length === 0) continue;
    const results = speaking.map((tree) => within(name, tree));
    if (results.includes(undefined)) return 'not-evaluable';
    if (!results.includes(true)) return 'not-permitted';
  }
  for (const tree of state.excluded) {
    if (!sameForm(tree.base, name)) continue;
    const result = within(name, tree);
    if (result === undefined) return 'not-evaluable';
    if (result) return 'excluded';
  }
  return undefined;
}

/** Whether a constraint speaks of the form of a name; for otherName, of its type. */
function sameForm(base: GeneralName, name: GeneralName): boolean {
  return base.kind === name.kind && (base.kind !== 'other' || name.kind !== 'other' || base.type === name.type);
}

/** Whether a name lies in a subtree; undefined when no rule tells. */
function within(name: GeneralName, tree: Subtree): boolean | undefined {
  if (!tree.plain) return undefined;
  const { base } = tree;
  if (name.kind === 'directory' && base.kind === 'directory') return directoryWithin(name.name, base.name);
  if (name.kind === 'email' && base.kind === 'email') return emailWithin(name.text, base.text);
  if (name.kind === 'dns' && base.kind === 'dns') return dnsWithin(name.text, base.text);
  if (name.kind === 'uri' && base.kind === 'uri') return uriWithin(name.text, base.text);
  if (name.kind === 'ip' && base.kind === 'ip') return ipWithin(name.bytes, base.bytes);
  return undefined;
}

function directoryWithin(name: Name, base: Name): boolean {
  return base.rdnKeys.length <= name.rdnKeys.length && base.rdnKeys.every((key, i) => key === name.rdnKeys[i]);
}

/** A mailbox, a host, or with a leading dot all hosts below a domain. */
function emailWithin(name: string, base: string): boolean | undefined {
  const at = name.lastIndexOf('@');
  if (at <= 0 || name.slice(0, at).includes('"')) return undefined;
  const host = name.slice(at + 1).toLowerCase();
  if (!isHost(host)) return undefined;
  const split = base.lastIndexOf('@');
  if (split > 0) return name.slice(0, at) === base.slice(0, split) && host === base.slice(split + 1).toLowerCase();
  return hostWithin(host, base.slice(split + 1));
}

/** A host exactly, or with a leading dot everything below it; the empty constraint holds everything. */
function hostWithin(host: string, base: string): boolean {
  const domain = base.toLowerCase();
  return domain === '' || (domain.startsWith('.') ? host.endsWith(domain) : host === domain);
}

/** The name itself or anything made by adding labels on the left. */
function dnsWithin(name: string, base: string): boolean | undefined {
  const host = name.toLowerCase();
  if (!isHost(host.startsWith('*.') ? host.slice(2) : host)) return undefined;
  const domain = base.toLowerCase();
  if (domain === '' || host === domain) return true;
  return host.endsWith(domain.startsWith('.') ? domain : `.${domain}`);
}

/** Letters, digits, hyphens, underscores in labels; no address, no trailing dot. */
function isHost(host: string): boolean {
  return host.length <= 253 && /^[a-z0-9_-]{1,63}(\.[a-z0-9_-]{1,63})*$/.test(host) && !/^[0-9.]+$/.test(host);
}

/** The host of an absolute URI with an authority; a URI without a host name cannot be judged (RFC 5280 4.2.1.10). */
function uriWithin(name: string, base: string): boolean | undefined {
  const authority = /^[A-Za-z][A-Za-z0-9+.-]*:\/\/([^/?#]*)/.exec(name)?.[1];
  if (authority === undefined) return undefined;
  const host = authority
    .slice(authority.lastIndexOf('@') + 1)
    .replace(/:\d*$/, '')
    .toLowerCase();
  return isHost(host) ? hostWithin(host, base) : undefined;
}

/** Address and mask of one length (RFC 5280 4.2.1.10). */
function ipWithin(address: Uint8Array, base: Uint8Array): boolean | undefined {
  if (base.length !== 8 && base.length !== 32) return undefined;
  if (address.length !== 4 && address.length !== 16) return undefined;
  if (address.length * 2 !== base.length) return false;
  const half = address.length;
  return address.every((byte, i) => ((byte ^ (base[i] as number)) & (base[half + i] as number)) === 0);
}
