/**
 * Certificate revocation lists (RFC 5280 5), made for large ones: the list of entries is walked once over its bytes, its serial numbers go into an
 * index when the first question is asked, and an entry is decoded only when it is asked for. A CRL of 100,000 entries
 * is one array of offsets and one map, not 100,000 objects.
 *
 * For callers above (identity): `der`, `sha256`, `tbs`, `issuer.der` are raw; `entriesFor` gives every entry of a serial number; `verifySigned(crl, key)`
 * is the one signature check; whether a CRL is usable is the caller's rule (`revocation.ts` has RFC 5280's, identity has its own).
 */
import { hex } from '../bytes/encoding.ts';
import { sha256 } from '../crypto/sha256.ts';
import type { Instant } from '../time/instant.ts';
import { type Algorithm, readAlgorithm, sameAlgorithm } from './algorithm.ts';
import { OID } from './certificate.ts';
import {
  Cursor,
  contents,
  type Element,
  elementAt,
  Malformed,
  openDer,
  raw,
  signatureBytes,
  smallInteger,
  TAG,
} from './der.ts';
import { type GeneralName, type Name, readName } from './name.ts';
import { MAX_SIZE, type Read, reading } from './read.ts';
import * as structures from './structures.ts';
import { x509Time } from './time.ts';

/** CRLReason (RFC 5280 5.3.1) by number. */
export const REASON = {
  unspecified: 0,
  keyCompromise: 1,
  cACompromise: 2,
  affiliationChanged: 3,
  superseded: 4,
  cessationOfOperation: 5,
  certificateHold: 6,
  removeFromCRL: 8,
  privilegeWithdrawn: 9,
  aACompromise: 10,
} as const;

const REASON_NAMES: ReadonlyMap<number, string> = new Map(Object.entries(REASON).map(([name, code]) => [code, name]));

export function reasonName(reason: number): string {
  return REASON_NAMES.get(reason) ?? `reason ${reason}`;
}

export interface CrlEntry {
  /** Contents of the serial number's INTEGER. */
  readonly serial: Uint8Array;
  readonly revocationDate: Instant;
  /** reasonCode; undefined when the entry has none. */
  readonly reason: number | undefined;
  readonly invalidityDate: Instant | undefined;
  /** Comparison key of the certificate's issuer: of the entry in an indirect CRL, of the CRL otherwise. */
  readonly issuerKey: string;
  /** Critical extensions of the entry without a rule here. */
  readonly unknownCritical: readonly string[];
  /** Offset of the entry in the CRL's bytes. */
  readonly byte: number;
}

export interface Crl {
  readonly der: Uint8Array;
  /** Hex SHA-256 of `der`: the CRL's identity. */
  readonly sha256: string;
  readonly tbs: Uint8Array;
  readonly version: 1 | 2;
  readonly issuer: Name;
  readonly thisUpdate: Instant;
  readonly nextUpdate: Instant | undefined;
  readonly signatureAlgorithm: Algorithm;
  readonly signature: Uint8Array;
  readonly extensions: ReadonlyMap<string, structures.Extension>;
  readonly number: bigint | undefined;
  /** BaseCRLNumber of a delta CRL. */
  readonly baseNumber: bigint | undefined;
  readonly scope: structures.IssuingDistributionPoint | undefined;
  readonly authorityKeyIdentifier: structures.AuthorityKeyIdentifier | undefined;
  /** expiredCertsOnCRL (X.509): entries of certificates that expired since then are kept. */
  readonly expiredCertsOnCrl: Instant | undefined;
  /** Critical extensions of the list without a rule here. */
  readonly unknownCritical: readonly string[];
  /** Critical extensions of entries without a rule here: such a list may tell no status at all (RFC 5280 5.3). */
  readonly unknownEntryCritical: readonly string[];
  /** Number of entries. */
  readonly size: number;
  /** An entry has certificateIssuer. */
  readonly hasEntryIssuers: boolean;
  /** Some entry has the reason removeFromCRL. */
  readonly hasRemovals: boolean;
  /** Entries with this serial number (an INTEGER's contents), decoded; in a well-made CRL at most one for each issuer. */
  entriesFor(serial: Uint8Array): readonly CrlEntry[];
  /** All entries in order, decoded as they are asked for. */
  entries(): Iterable<CrlEntry>;
}

/** Reads a CRL from strict DER. Entries are checked whole: each has a serial number, a time and extensions that can be decoded. */
export function parseCrl(der: Uint8Array, part?: string): Read<Crl> {
  return reading(der, MAX_SIZE.crl, 'a CRL', part, () => readCrl(der));
}

const PROCESSED: ReadonlySet<string> = new Set([
  OID.authorityKeyIdentifier,
  OID.issuerAltName,
  OID.crlNumber,
  OID.deltaCrlIndicator,
  OID.issuingDistributionPoint,
  OID.freshestCrl,
  OID.expiredCertsOnCrl,
]);

const ENTRY_PROCESSED: ReadonlySet<string> = new Set([OID.reasonCode, OID.invalidityDate, OID.certificateIssuer]);

function readCrl(der: Uint8Array): Crl {
  const outer = openDer(der, 'CRL');
  const tbsElement = outer.next('tbsCertList', TAG.sequence);
  const algorithm = readAlgorithm(outer.next('signatureAlgorithm', TAG.sequence));
  const signature = signatureBytes(outer.next('signature', TAG.bitString));
  outer.finish('CRL');

  const tbs = new Cursor(tbsElement);
  const versionElement = tbs.optional(TAG.integer);
  if (versionElement !== undefined && smallInteger(versionElement, 'version', 1) !== 1)
    throw new Malformed('a CRL that states its version is of version 2', versionElement.start);
  const version = versionElement === undefined ? 1 : 2;
  const inner = tbs.next('signature', TAG.sequence);
  if (!sameAlgorithm(readAlgorithm(inner), algorithm))
    throw new Malformed('the algorithm inside the signed part is not the one outside', inner.start);
  const issuer = readName(tbs.next('issuer', TAG.sequence));
  const thisUpdate = x509Time(tbs.next('thisUpdate'));
  const next = tbs.optional(TAG.utcTime) ?? tbs.optional(TAG.generalizedTime);
  const nextUpdate = next === undefined ? undefined : x509Time(next);
  const list = tbs.optional(TAG.sequence);
  const wrapper = tbs.optional(0xa0);
  if (wrapper !== undefined && version !== 2)
    throw new Malformed('only a version 2 CRL may have extensions', wrapper.start);
  tbs.finish('tbsCertList');

  const extensions = wrapper === undefined ? new Map<string, structures.Extension>() : readWrapped(new Cursor(wrapper));
  const value = <T>(oid: string, read: (bytes: Uint8Array) => T): T | undefined => {
    const extension = extensions.get(oid);
    return extension === undefined ? undefined : read(extension.value);
  };
  const entries = new Entries(list, issuer.key, version);
  return {
    der,
    sha256: hex(sha256(der)),
    tbs: raw(tbsElement),
    version,
    issuer,
    thisUpdate,
    nextUpdate,
    signatureAlgorithm: algorithm,
    signature,
    extensions,
    number: value(OID.crlNumber, structures.crlNumber),
    baseNumber: value(OID.deltaCrlIndicator, structures.crlNumber),
    scope: value(OID.issuingDistributionPoint, structures.issuingDistributionPoint),
    authorityKeyIdentifier: value(OID.authorityKeyIdentifier, structures.authorityKeyIdentifier),
    expiredCertsOnCrl: value(OID.expiredCertsOnCrl, structures.loneTime),
    unknownCritical: unknownCritical(extensions, PROCESSED),
    unknownEntryCritical: entries.unknownCritical,
    size: entries.size,
    hasEntryIssuers: entries.hasIssuers,
    hasRemovals: entries.hasRemovals,
    entriesFor: (serial) => entries.find(serial),
    entries: () => entries.all(),
  };
}

function readWrapped(cursor: Cursor): ReadonlyMap<string, structures.Extension> {
  const extensions = structures.readExtensions(cursor.next('extensions', TAG.sequence));
  cursor.finish('extensions');
  return extensions;
}

function unknownCritical(
  extensions: ReadonlyMap<string, structures.Extension>,
  known: ReadonlySet<string>,
): readonly string[] {
  return [...extensions.values()].filter(({ critical, oid }) => critical && !known.has(oid)).map(({ oid }) => oid);
}

/** revokedCertificates as offsets, with the index by serial number made on the first question. */
class Entries {
  readonly size: number;
  readonly hasIssuers: boolean;
  readonly hasRemovals: boolean;
  readonly unknownCritical: readonly string[];
  readonly #bytes: Uint8Array;
  readonly #offsets: Uint32Array;
  /** Issuer of each entry as an index into `#issuers`, in a CRL that names issuers. */
  readonly #issuerOf: Uint32Array | undefined;
  readonly #issuers: string[];
  /** Serial number to its first entry; further ones of the same number follow `#next`. */
  #first: Map<string, number> | undefined;
  #next: Map<number, number> = new Map();

  constructor(list: Element | undefined, issuerKey: string, version: 1 | 2) {
    this.#issuers = [issuerKey];
    this.#bytes = list?.bytes ?? new Uint8Array(0);
    const offsets: number[] = [];
    const issuerOf: number[] = [];
    let [hasIssuers, hasRemovals] = [false, false];
    const unknown = new Set<string>();
    for (let at = list?.content ?? 0; list !== undefined && at < list.end; ) {
      const entry = elementAt(list.bytes, at, list.end);
      const extensions = this.#check(entry, version);
      const issuer = extensions?.get(OID.certificateIssuer);
      if (issuer !== undefined) {
        hasIssuers = true;
        this.#issuers.push(directoryKey(structures.certificateIssuer(issuer.value), entry));
      }
      hasRemovals ||= reasonOf(extensions) === REASON.removeFromCRL;
      if (extensions !== undefined) for (const oid of unknownCritical(extensions, ENTRY_PROCESSED)) unknown.add(oid);
      offsets.push(at);
      issuerOf.push(this.#issuers.length - 1);
      at = entry.end;
    }
    this.size = offsets.length;
    this.hasIssuers = hasIssuers;
    this.hasRemovals = hasRemovals;
    this.unknownCritical = [...unknown];
    this.#offsets = Uint32Array.from(offsets);
    this.#issuerOf = hasIssuers ? Uint32Array.from(issuerOf) : undefined;
  }

  /** The entry has its structure; its extensions, if any, decode. */
  #check(entry: Element, version: 1 | 2): ReadonlyMap<string, structures.Extension> | undefined {
    if (entry.tag !== TAG.sequence) throw new Malformed('an entry of the list is not a SEQUENCE', entry.start);
    const { bytes } = entry;
    const serial = elementAt(bytes, entry.content, entry.end);
    if (serial.tag !== TAG.integer) throw new Malformed('an entry has no serial number', serial.start);
    const date = elementAt(bytes, serial.end, entry.end);
    checkTime(date);
    if (date.end === entry.end) return undefined;
    const list = elementAt(bytes, date.end, entry.end);
    if (list.tag !== TAG.sequence || list.end !== entry.end || version === 1)
      throw new Malformed('an entry has members that it must not have', list.start);
    const common = reasonAlone(bytes, list.start, list.end);
    if (common !== undefined) return common;
    const extensions = structures.readExtensions(list);
    reasonOf(extensions);
    const invalidity = extensions.get(OID.invalidityDate);
    if (invalidity !== undefined) structures.loneTime(invalidity.value);
    return extensions;
  }

  find(serial: Uint8Array): readonly CrlEntry[] {
    this.#first ??= this.#index();
    const found: CrlEntry[] = [];
    for (let i = this.#first.get(serialKey(serial)); i !== undefined; i = this.#next.get(i))
      found.push(this.#decode(i));
    return found;
  }

  *all(): Iterable<CrlEntry> {
    for (let i = 0; i < this.size; i++) yield this.#decode(i);
  }

  #index(): Map<string, number> {
    const first = new Map<string, number>();
    // From the end, so that each number's chain runs in the order of the list.
    for (let i = this.size - 1; i >= 0; i--) {
      const at = (this.#offsets[i] as number) + headerLength(this.#bytes, this.#offsets[i] as number);
      const serial = elementAt(this.#bytes, at, this.#bytes.length);
      const key = serialKey(contents(serial));
      const later = first.get(key);
      if (later !== undefined) this.#next.set(i, later);
      first.set(key, i);
    }
    return first;
  }

  #decode(i: number): CrlEntry {
    const at = this.#offsets[i] as number;
    const cursor = new Cursor(elementAt(this.#bytes, at, this.#bytes.length));
    const serial = contents(cursor.next('serial number'));
    const revocationDate = x509Time(cursor.next('revocation date'));
    const extensions = cursor.done ? undefined : structures.readExtensions(cursor.next('extensions'));
    const invalidity = extensions?.get(OID.invalidityDate);
    return {
      serial,
      revocationDate,
      reason: reasonOf(extensions),
      invalidityDate: invalidity === undefined ? undefined : structures.loneTime(invalidity.value),
      issuerKey: this.#issuers[this.#issuerOf?.[i] ?? 0] as string,
      unknownCritical: extensions === undefined ? [] : unknownCritical(extensions, ENTRY_PROCESSED),
      byte: at,
    };
  }
}

/** Extensions of an entry that has a reasonCode, not critical, and nothing else: most entries of most lists. */
const REASON_ALONE = [0x30, 0x0c, 0x30, 0x0a, 0x06, 0x03, 0x55, 0x1d, 0x15, 0x04, 0x03, 0x0a, 0x01];

const reasonsAlone: readonly (ReadonlyMap<string, structures.Extension> | undefined)[] = Array.from(
  { length: 11 },
  (_, reason) =>
    reason === 7
      ? undefined
      : new Map([
          [OID.reasonCode, { oid: OID.reasonCode, critical: false, value: Uint8Array.of(TAG.enumerated, 1, reason) }],
        ]),
);

function reasonAlone(
  bytes: Uint8Array,
  at: number,
  end: number,
): ReadonlyMap<string, structures.Extension> | undefined {
  if (end - at !== REASON_ALONE.length + 1) return undefined;
  for (let i = 0; i < REASON_ALONE.length; i++) if (bytes[at + i] !== REASON_ALONE[i]) return undefined;
  return reasonsAlone[bytes[end - 1] as number];
}

/** The first check of an entry's time is by its digits alone; the date is made when the entry is decoded. */
function checkTime(date: Element): void {
  const { bytes, content, end } = date;
  if (date.tag === TAG.utcTime && end - content === 13 && bytes[end - 1] === 0x5a && plausible(bytes, content)) return;
  x509Time(date);
}

/** YYMMDDHHMMSS with every field within its least range (day up to 28): what is outside goes the slow way. */
function plausible(bytes: Uint8Array, at: number): boolean {
  const two = (i: number): number => {
    const [tens, ones] = [(bytes[at + i] as number) - 48, (bytes[at + i + 1] as number) - 48];
    return tens < 0 || tens > 9 || ones < 0 || ones > 9 ? -1 : 10 * tens + ones;
  };
  const [month, day] = [two(2), two(4)];
  const [hour, minute, second] = [two(6), two(8), two(10)];
  return (
    two(0) >= 0 &&
    month >= 1 &&
    month <= 12 &&
    day >= 1 &&
    day <= 28 &&
    hour >= 0 &&
    hour <= 23 &&
    minute >= 0 &&
    minute <= 59 &&
    second >= 0 &&
    second <= 59
  );
}

function reasonOf(extensions: ReadonlyMap<string, structures.Extension> | undefined): number | undefined {
  const extension = extensions?.get(OID.reasonCode);
  return extension === undefined ? undefined : structures.crlReason(extension.value);
}

/** The issuer of an indirect CRL's entry: the directory name among its names. */
function directoryKey(names: readonly GeneralName[], entry: Element): string {
  for (const name of names) if (name.kind === 'directory') return name.name.key;
  throw new Malformed('the certificateIssuer of an entry has no directory name', entry.start);
}

function headerLength(bytes: Uint8Array, at: number): number {
  const length = bytes[at + 1] as number;
  return length < 0x80 ? 2 : 2 + (length & 0x7f);
}

/** A serial number as a short string, two bytes a character; a first character tells an odd length. */
function serialKey(serial: Uint8Array): string {
  let key = String.fromCharCode(serial.length & 1);
  let i = serial.length & 1;
  if (i === 1) key += String.fromCharCode(serial[0] as number);
  for (; i < serial.length; i += 2)
    key += String.fromCharCode(((serial[i] as number) << 8) | (serial[i + 1] as number));
  return key;
}
