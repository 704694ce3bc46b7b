/**
 * Distinguished names and GeneralNames. A `Name` keeps its DER and carries a `key`: the form in which RFC 5280 7.1 compares names
 * (attribute values case-folded, white space trimmed and collapsed, RDNs as sets). Identity compares `der` instead (approver-identity 8.3).
 */
import { decodeUtf8, hex } from '../bytes/encoding.ts';
import { Cursor, contents, type Element, Malformed, oidText, raw, TAG } from './der.ts';

export interface Attribute {
  readonly type: string;
  /** Tag of the value's string type. */
  readonly tag: number;
  readonly value: Uint8Array;
  /** Decoded text of the string types, undefined for anything else. */
  readonly text: string | undefined;
}

export interface Name {
  readonly der: Uint8Array;
  readonly rdns: readonly (readonly Attribute[])[];
  /** Comparison key of each RDN, in order. */
  readonly rdnKeys: readonly string[];
  /** Comparison key of the whole name. */
  readonly key: string;
  /** For people, as openssl prints it: `C = US, O = Bank, CN = Root`. Untrusted text. */
  readonly text: string;
}

export type GeneralName =
  | { readonly kind: 'email' | 'dns' | 'uri'; readonly text: string }
  | { readonly kind: 'directory'; readonly name: Name }
  | { readonly kind: 'ip'; readonly bytes: Uint8Array }
  | { readonly kind: 'registered-id'; readonly oid: string }
  | { readonly kind: 'other'; readonly type: string; readonly value: Uint8Array }
  | { readonly kind: 'x400' | 'edi'; readonly value: Uint8Array };

const SHORT: ReadonlyMap<string, string> = new Map([
  ['2.5.4.3', 'CN'],
  ['2.5.4.4', 'SN'],
  ['2.5.4.5', 'serialNumber'],
  ['2.5.4.6', 'C'],
  ['2.5.4.7', 'L'],
  ['2.5.4.8', 'ST'],
  ['2.5.4.10', 'O'],
  ['2.5.4.11', 'OU'],
  ['2.5.4.12', 'title'],
  ['2.5.4.42', 'GN'],
  ['2.5.4.46', 'dnQualifier'],
  ['1.2.840.113549.1.9.1', 'emailAddress'],
  ['0.9.2342.19200300.100.1.1', 'UID'],
  ['0.9.2342.19200300.100.1.25', 'DC'],
]);

/** The Name that this element is. */
export function readName(element: Element): Name {
  if (element.tag !== TAG.sequence) throw new Malformed('a name is not a SEQUENCE', element.start);
  const rdns: Attribute[][] = [];
  const cursor = new Cursor(element);
  while (!cursor.done) rdns.push(readRdn(cursor.next('RDN', TAG.set)));
  return nameOf(raw(element), rdns);
}

function nameOf(der: Uint8Array, rdns: readonly (readonly Attribute[])[]): Name {
  const rdnKeys = rdns.map(rdnKey);
  const text = rdns
    .map((rdn) =>
      rdn.map(({ type, value, text }) => `${SHORT.get(type) ?? type} = ${text ?? `#${hex(value)}`}`).join(' + '),
    )
    .join(', ');
  return { der, rdns, rdnKeys, key: JSON.stringify(rdnKeys), text };
}

/** The attributes of one RelativeDistinguishedName (a SET, or an element implicitly tagged as one). */
export function readRdn(element: Element): Attribute[] {
  const attributes: Attribute[] = [];
  const cursor = new Cursor(element);
  while (!cursor.done) {
    const pair = cursor.enter('attribute');
    const type = oidText(pair.next('attribute type', TAG.oid));
    const value = pair.next('attribute value');
    pair.finish('attribute');
    attributes.push({ type, tag: value.tag, value: contents(value), text: stringText(value) });
  }
  if (attributes.length === 0) throw new Malformed('a relative distinguished name is empty', element.start);
  return attributes;
}

/** Issuer name with one RDN appended (nameRelativeToCRLIssuer, RFC 5280 4.2.1.13): a comparison key only. */
export function relativeKey(issuer: Name, rdn: readonly Attribute[]): string {
  return JSON.stringify([...issuer.rdnKeys, rdnKey(rdn)]);
}

function rdnKey(rdn: readonly Attribute[]): string {
  const parts = rdn.map(({ type, tag, value, text }) =>
    text === undefined ? `${type}#${tag}:${hex(value)}` : `${type}=${foldText(text)}`,
  );
  return JSON.stringify(parts.sort());
}

/** RFC 4518 as far as names need it: compatibility composition, case folding, insignificant space. */
function foldText(text: string): string {
  return text.normalize('NFKC').toLowerCase().normalize('NFKC').replace(/\s+/gu, ' ').replace(/^ | $/gu, '');
}

function stringText(element: Element): string | undefined {
  const bytes = contents(element);
  switch (element.tag) {
    case TAG.utf8String:
      return decodeUtf8(bytes);
    case 0x12: // NumericString
    case 0x13: // PrintableString
    case 0x16: // IA5String
    case 0x1a: // VisibleString
      return bytes.every((byte) => byte < 0x80) ? latin1(bytes) : undefined;
    case 0x14: // TeletexString, read as Latin-1 as everybody does
      return latin1(bytes);
    case 0x1e: {
      let text = '';
      for (let i = 0; i + 1 < bytes.length; i += 2)
        text += String.fromCharCode(((bytes[i] as number) << 8) | (bytes[i + 1] as number));
      return /\p{Surrogate}/u.test(text) ? undefined : text;
    }
    default:
      return undefined;
  }
}

function latin1(bytes: Uint8Array): string {
  let text = '';
  for (const byte of bytes) text += String.fromCharCode(byte);
  return text;
}

/** One GeneralName (RFC 5280 4.2.1.6). */
export function readGeneralName(element: Element): GeneralName {
  const bytes = contents(element);
  switch (element.tag) {
    case 0xa0: {
      const cursor = new Cursor(element);
      const type = oidText(cursor.next('otherName type', TAG.oid));
      const value = cursor.next('otherName value', 0xa0);
      cursor.finish('otherName');
      return { kind: 'other', type, value: contents(value) };
    }
    case 0x81:
      return { kind: 'email', text: ia5(element) };
    case 0x82:
      return { kind: 'dns', text: ia5(element) };
    case 0x86:
      return { kind: 'uri', text: ia5(element) };
    case 0xa4: {
      const cursor = new Cursor(element);
      const name = readName(cursor.next('directoryName', TAG.sequence));
      cursor.finish('directoryName');
      return { kind: 'directory', name };
    }
    case 0x87:
      return { kind: 'ip', bytes };
    case 0x88:
      return { kind: 'registered-id', oid: oidText(element) };
    case 0xa3:
      return { kind: 'x400', value: bytes };
    case 0xa5:
      return { kind: 'edi', value: bytes };
    default:
      throw new Malformed('a GeneralName has an unknown form', element.start);
  }
}

/**
 * Bytes outside of ASCII are kept as Latin-1 characters: such a name equals no proper one, no constraint on hosts evaluates it, and whoever
 * asks for a person's identifier says that this one is none (approver-identity 9).
 */
function ia5(element: Element): string {
  return latin1(contents(element));
}

/** GeneralNames: one or more, in an element that holds them directly. */
export function readGeneralNames(element: Element): readonly GeneralName[] {
  const names: GeneralName[] = [];
  const cursor = new Cursor(element);
  while (!cursor.done) names.push(readGeneralName(cursor.next('GeneralName')));
  if (names.length === 0) throw new Malformed('a list of names is empty', element.start);
  return names;
}

/** A text that equal names share. URIs and mailboxes compare as written (RFC 5280 7.4, 7.5 fold only schemes and hosts, which is done here). */
export function generalNameKey(name: GeneralName): string {
  switch (name.kind) {
    case 'directory':
      return `directory:${name.name.key}`;
    case 'dns':
      return `dns:${name.text.toLowerCase()}`;
    case 'uri': {
      const match = /^([^:/?#]*:)(\/\/[^/?#]*)?/.exec(name.text);
      const head = match?.[0] ?? '';
      return `uri:${head.toLowerCase()}${name.text.slice(head.length)}`;
    }
    case 'email': {
      const at = name.text.lastIndexOf('@');
      return `email:${name.text.slice(0, at + 1)}${name.text.slice(at + 1).toLowerCase()}`;
    }
    case 'ip':
      return `ip:${hex(name.bytes)}`;
    case 'registered-id':
      return `rid:${name.oid}`;
    case 'other':
      return `other:${name.type}:${hex(name.value)}`;
    default:
      return `${name.kind}:${hex(name.value)}`;
  }
}

/** A GeneralName for people. Untrusted text. */
export function generalNameText(name: GeneralName): string {
  switch (name.kind) {
    case 'directory':
      return `DirName:${name.name.text}`;
    case 'dns':
      return `DNS:${name.text}`;
    case 'uri':
      return `URI:${name.text}`;
    case 'email':
      return `email:${name.text}`;
    case 'ip':
      return `IP:${name.bytes.length === 4 ? name.bytes.join('.') : hex(name.bytes)}`;
    case 'registered-id':
      return `Registered ID:${name.oid}`;
    case 'other':
      return `othername:${name.type}`;
    default:
      return name.kind;
  }
}
