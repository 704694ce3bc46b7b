const NONE = new Int32Array(0);

/** What a list begins with: no more than an engine keeps beside the object itself, for most sessions are small. */
const FIRST = 16;

/** A growing list of whole numbers, four bytes each: what is kept of every entry of a path has to be small. */
export class IntColumn {
  #values = NONE;
  length = 0;

  push(value: number): void {
    if (this.length === this.#values.length) {
      const grown = new Int32Array(Math.max(FIRST, this.length * 2));
      grown.set(this.#values);
      this.#values = grown;
    }
    this.#values[this.length++] = value;
  }

  /** The value at a place below `length`. */
  at(place: number): number {
    return this.#values[place] as number;
  }

  set(place: number, value: number): void {
    this.#values[place] = value;
  }

  /** The last value; -1 when there is none. */
  last(): number {
    return this.length === 0 ? -1 : (this.#values[this.length - 1] as number);
  }

  cut(length: number): void {
    if (length < this.length) this.length = length;
  }

  /** Takes off what is at the end and not below `bound`, in a list that ascends. */
  cutFrom(bound: number): void {
    while (this.length > 0 && (this.#values[this.length - 1] as number) >= bound) this.length--;
  }

  /** Place of the first value above `bound` in a list that ascends; `length` when there is none. */
  firstAbove(bound: number, from = 0): number {
    let low = from;
    let high = this.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((this.#values[middle] as number) <= bound) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}
