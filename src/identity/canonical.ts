/**
 * Canonical identifiers of people (approver-identity 9). What is not acceptable is refused, never repaired: a NUL, a letter outside ASCII or a
 * look-alike must not become somebody's name.
 */

export type Canonicaliser = (text: string) => string | undefined;

const PRINTABLE = /^[\x21-\x7e]*$/;
const LOCAL = /^[A-Za-z0-9.!#$%&'*+/=?^_`{|}~-]{1,64}$/;
const LABEL = /^[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?$/;

function mailbox(text: string, leastLabels: number): string | undefined {
  if (text.length < 3 || text.length > 254 || !PRINTABLE.test(text)) return undefined;
  const parts = text.split('@');
  const [local = '', domain = ''] = parts;
  if (parts.length !== 2 || !LOCAL.test(local)) return undefined;
  if (local.startsWith('.') || local.endsWith('.') || local.includes('..')) return undefined;
  const labels = domain.split('.');
  if (labels.length < leastLabels || !labels.every((label) => LABEL.test(label))) return undefined;
  return text.replace(/[A-Z]/g, (letter) => letter.toLowerCase());
}

const UNRESERVED = /^[A-Za-z0-9._~-]$/;

function uri(text: string): string | undefined {
  if (text.length > 2048 || !PRINTABLE.test(text) || text.includes('#')) return undefined;
  const scheme = /^[A-Za-z][A-Za-z0-9+.-]*:/.exec(text)?.[0];
  if (scheme === undefined) return undefined;
  for (let at = text.indexOf('%'); at >= 0; at = text.indexOf('%', at + 1)) {
    const digits = text.slice(at + 1, at + 3);
    if (!/^[0-9A-F]{2}$/.test(digits)) return undefined;
    if (UNRESERVED.test(String.fromCharCode(Number.parseInt(digits, 16)))) return undefined;
  }
  let rest = text.slice(scheme.length);
  let host = '';
  if (rest.startsWith('//')) {
    const end = rest.slice(2).search(/[/?]/);
    host = end < 0 ? rest : rest.slice(0, end + 2);
    rest = rest.slice(host.length);
    if (host.includes('@')) return undefined;
  }
  const [path = ''] = rest.split('?');
  if (path.split('/').some((segment) => segment === '.' || segment === '..')) return undefined;
  // Letters of a percent-encoded byte keep their upper case: it is part of the canonical form.
  const folded = host.replace(/%[0-9A-F]{2}|[A-Z]/g, (part) => (part.length === 1 ? part.toLowerCase() : part));
  return `${scheme.toLowerCase()}${folded}${rest}`;
}

const CANONICALISERS: ReadonlyMap<string, Canonicaliser> = new Map([
  // Only a principal name may have a domain of one label.
  ['email-ascii/v1', (text: string) => mailbox(text, 2)],
  ['uri-ascii/v1', uri],
  ['upn-ascii/v1', (text: string) => mailbox(text, 1)],
]);

/** The canonicaliser of a name of ours. */
export function canonicaliserOf(name: string): Canonicaliser | undefined {
  return CANONICALISERS.get(name);
}

export const CANONICALISER_NAMES: readonly string[] = [...CANONICALISERS.keys()];
