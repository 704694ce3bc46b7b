/**
 * Objects of known members and their values, as records hold them. `null` and a value that says nothing stand for an absent member and
 * are deviations, and so is a member out of its place (journal 2.1 and 2.9, audit spec 0.5 rule 11 and 1.2).
 */
import { base64Length, unbase64, unbase64Into } from '../bytes/encoding.ts';
import { foldName } from '../json/shape.ts';
import type { KnownNames } from './known-names.ts';
import { Scanner } from './scanner.ts';
import { quote } from './text.ts';

/** How far the reading of an object's members has come; what it was when the object ended holds until the next object is opened. */
export interface Members {
  names: KnownNames;
  /** Bit i is set when member i of the names was there. */
  seen: number;
  /** Index of the member before. */
  last: number;
  isFirst: boolean;
  /** Unknown names so far. */
  others: Set<string> | undefined;
}

/** What `member` gives after the last one. */
export const END = -1;
const NONE: readonly string[] = [];
const SALT_LENGTH = 32;

export class MemberScanner extends Scanner {
  #unknown: string[] | undefined;
  /** By depth: a record's, a message's, a part's. */
  readonly #objects: Members[] = [];
  #depth = 0;
  #room = new Uint8Array(0);
  #roomUsed = 0;

  override begin(bytes: Uint8Array): this {
    this.#unknown = undefined;
    this.#depth = 0;
    return super.begin(bytes);
  }

  /** Names that this version does not know. */
  get unknown(): readonly string[] {
    return this.#unknown ?? NONE;
  }

  /** Steps into an object, whose members `member` then gives. */
  open(names: KnownNames, what: string): Members {
    if (this.peek() !== 0x7b) this.wrong(what);
    this.at++;
    const kept = this.#objects[this.#depth++];
    if (kept === undefined) {
      const fresh = { names, seen: 0, last: -1, isFirst: true, others: undefined };
      this.#objects.push(fresh);
      return fresh;
    }
    kept.names = names;
    kept.seen = 0;
    kept.last = -1;
    kept.isFirst = true;
    kept.others = undefined;
    return kept;
  }

  /** Index of the next known member, whose value the caller reads, or `END`. Order, repetition and case variants are judged here. */
  member(members: Members): number {
    const { names } = members;
    for (;;) {
      if (members.isFirst) {
        members.isFirst = false;
        if (this.takes(0x7d)) return this.#end();
      } else if (!this.takes(0x2c)) {
        this.take(0x7d, '"," or "}"');
        return this.#end();
      }
      this.peek();
      const at = this.at;
      const guess = names.guessAfter(members.last);
      if (this.takesAll(names.members[guess] as Uint8Array)) {
        this.#place(members, guess, at);
        return guess;
      }
      let index = this.known(names);
      let name = '';
      if (index < 0) {
        name = this.name();
        index = names.indexOf(name);
      }
      this.take(0x3a, '":" after a member name');
      if (index >= 0) {
        names.follow(members.last, index);
        this.#place(members, index, at);
        return index;
      }
      this.#unknownMember(members, name, at);
    }
  }

  #end(): number {
    this.#depth--;
    return END;
  }

  #place(members: Members, index: number, at: number): void {
    const { names, last, seen } = members;
    if ((seen & (1 << index)) !== 0) this.#repeated(names.texts[index] as string, at);
    else if (index < last)
      this.deviate(at, `the member ${quote(names.texts[index] as string)} does not stand in its place`);
    members.seen = seen | (1 << index);
    members.last = index;
  }

  #repeated(name: string, at: number): void {
    this.ambiguous('repeated-name', at, `the member ${quote(name)} comes twice`);
  }

  /** A later version's member is kept aside; one that folds to a known name is read differently by other readers. */
  #unknownMember(members: Members, name: string, at: number): void {
    const { names } = members;
    members.others ??= new Set();
    if (members.others.has(name)) this.#repeated(name, at);
    members.others.add(name);
    const folded = foldName(name);
    if (names.indexOf(folded) >= 0)
      this.ambiguous('case-variant', at, `the member ${quote(name)} is ${quote(folded)} to readers that ignore case`);
    else if (folded === names.reserved)
      this.ambiguous('redacted-member', at, 'a record holds a member "redacted", which only a tombstone has');
    this.#unknown ??= [];
    this.#unknown.push(name);
    const { deviation } = this;
    this.skip();
    // White space inside a member that is not read does not make the rest of the record foreign.
    this.deviation = deviation;
    if (this.loneSurrogateAt >= 0)
      this.ambiguous(
        'lone-surrogate',
        this.loneSurrogateAt,
        'an escape gives half a surrogate pair, which readers replace differently',
      );
  }

  text(always = false): string {
    const at = this.at;
    if (this.null()) return '';
    const text = this.string();
    if (text === '' && !always) this.deviate(at, 'an empty string is written where it is left out');
    return text;
  }

  /** A text that is one of a few in almost every record, and then the same string in all of them. */
  word(words: KnownNames, always = false): string {
    const index = this.peek() === 0x22 ? this.known(words) : -1;
    return index < 0 ? this.text(always) : (words.texts[index] as string);
  }

  flag(): boolean {
    const at = this.at;
    if (this.null()) return false;
    const flag = this.boolean();
    if (!flag) this.deviate(at, 'false is written where it is left out');
    return flag;
  }

  int64(): bigint {
    const at = this.at;
    if (this.null()) return 0n;
    const plain = this.digits();
    if (plain > 0) return BigInt(plain);
    const text = plain === 0 ? '0' : this.integer();
    const value = text.length > 20 ? undefined : BigInt(text);
    if (value === undefined || BigInt.asIntN(64, value) !== value) this.wrong('an integer of 64 bits', at);
    if (value === 0n) this.deviate(at, 'zero is written where it is left out');
    return value;
  }

  count(): number {
    const at = this.at;
    if (this.null()) return 0;
    const plain = this.digits();
    const value = plain < 0 ? Number(this.integer()) : plain;
    if (!Number.isSafeInteger(value)) this.wrong('a count below 2^53', at);
    if (value === 0) this.deviate(at, 'zero is written where it is left out');
    return value === 0 ? 0 : value;
  }

  base64(): Uint8Array {
    this.peek();
    const at = this.at;
    if (this.plainString()) {
      const value = this.#roomFor(base64Length(this.bytes, at + 1, this.at - 1));
      if (unbase64Into(this.bytes, at + 1, this.at - 1, value)) return value;
      this.at = at;
    }
    const text = this.string();
    const strict = unbase64(text);
    if (strict !== undefined) return strict;
    this.deviate(at, 'the base64 is not spelled as a journal spells it');
    const lenient = lenientBase64(text);
    if (lenient === undefined) this.wrong('bytes in base64', at);
    return lenient;
  }

  /** Salts, of which every record has one, share a buffer with those next to them: it costs each more than its own bytes do. */
  #roomFor(length: number): Uint8Array {
    if (length !== SALT_LENGTH) return new Uint8Array(Math.max(0, length));
    if (this.#roomUsed === this.#room.length) {
      this.#room = new Uint8Array(64 * SALT_LENGTH);
      this.#roomUsed = 0;
    }
    const start = this.#roomUsed;
    this.#roomUsed += SALT_LENGTH;
    return this.#room.subarray(start, this.#roomUsed);
  }

  /** Bytes of a member that is left out when there are none. */
  someBytes(): Uint8Array | undefined {
    const at = this.at;
    if (this.null()) return undefined;
    const bytes = this.base64();
    if (bytes.length > 0) return bytes;
    this.deviate(at, 'empty bytes are written where they are left out');
    return undefined;
  }

  /** Walks a list; `take` reads one item. The list is left out when it is empty. */
  list(take: () => void): void {
    const at = this.at;
    if (this.null()) return;
    if (this.peek() !== 0x5b) this.wrong('a list');
    this.at++;
    if (this.takes(0x5d)) {
      this.deviate(at, 'an empty list is written where it is left out');
      return;
    }
    do take();
    while (this.takes(0x2c));
    this.take(0x5d, '"," or "]"');
  }
}

/** Base64 as the original reads it: CR and LF are ignored, unused bits tolerated (journal 2.9). */
function lenientBase64(text: string): Uint8Array | undefined {
  const bare = text.replace(/[\r\n]/g, '');
  const strict = unbase64(bare);
  if (strict !== undefined) return strict;
  const padding = bare.endsWith('==') ? 2 : bare.endsWith('=') ? 1 : 0;
  if (padding === 0 || bare.length % 4 !== 0) return undefined;
  // The last character before the padding may have bits set that mean nothing: clear them and try again.
  const at = bare.length - padding - 1;
  const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';
  const value = alphabet.indexOf(bare[at] as string);
  if (value < 0) return undefined;
  const cleared = alphabet[value & (padding === 2 ? 0x30 : 0x3c)] as string;
  return unbase64(bare.slice(0, at) + cleared + bare.slice(at + 1));
}
