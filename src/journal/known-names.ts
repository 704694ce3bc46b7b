/** The names that one kind of object has for its members, found by their bytes: few names of a journal ever become strings. */
import { utf8 } from '../bytes/encoding.ts';

interface Known {
  readonly index: number;
  readonly bytes: Uint8Array;
}

export class KnownNames {
  readonly texts: readonly string[];
  /** Each with its quotes and colon. */
  readonly members: readonly Uint8Array[];
  /** By the index of one member, from -1: the index of the one that followed it the last time, since records of a kind are alike. */
  readonly #followers: number[];
  /** A name that may stand here no more than a known one in another case. */
  readonly reserved: string | undefined;
  readonly #byText: ReadonlyMap<string, number>;
  /** By length, which few names share. */
  readonly #byLength: readonly (readonly Known[])[];

  constructor(texts: readonly string[], reserved?: string) {
    this.texts = texts;
    this.reserved = reserved;
    this.members = texts.map((text) => utf8(`"${text}":`));
    this.#followers = [...texts.keys(), 0];
    this.#byText = new Map(texts.map((text, index) => [text, index] as const));
    const known = texts.map((text, index) => ({ index, bytes: utf8(text) }));
    const longest = Math.max(...known.map(({ bytes }) => bytes.length));
    this.#byLength = Array.from({ length: longest + 1 }, (_, length) =>
      known.filter(({ bytes }) => bytes.length === length),
    );
  }

  /** The member that most likely comes after another one; -1 is before the first. */
  guessAfter(last: number): number {
    return this.#followers[last + 1] as number;
  }

  follow(last: number, index: number): void {
    this.#followers[last + 1] = index;
  }

  /** Index of a name; -1 if it is none of these. */
  indexOf(text: string): number {
    return this.#byText.get(text) ?? -1;
  }

  /** Index of the name that stands in bytes from `start` to `end`; -1 if none of these does. */
  at(bytes: Uint8Array, start: number, end: number): number {
    const length = end - start;
    if (length >= this.#byLength.length) return -1;
    const candidates = this.#byLength[length] as readonly Known[];
    for (let i = 0; i < candidates.length; i++) {
      const { index, bytes: name } = candidates[i] as Known;
      let same = 0;
      while (same < length && name[same] === bytes[start + same]) same++;
      if (same === length) return index;
    }
    return -1;
  }
}
