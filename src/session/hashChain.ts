/**
 * The hash of a growing list of items, kept so that the next request continues from the last common item: requests of one path share
 * their beginning (session-format 7.5). States are saved every few items; what changes in the middle is hashed again from the state
 * saved before it.
 */
import { utf8 } from '../bytes/encoding.ts';
import { createSha256, type Sha256 } from '../crypto/sha256.ts';

/** A saved state costs some 600 bytes: one for so many items or bytes, whichever comes first. */
const ITEMS_BETWEEN_SAVES = 16;
const BYTES_BETWEEN_SAVES = 65_536;

interface Save {
  /** Positions of the list that went in. */
  readonly position: number;
  /** Items that they gave: what `omit` leaves out gives none. */
  readonly emitted: number;
  /** It stands where a change began, not after so many items. */
  readonly atChange: boolean;
  readonly state: Sha256;
}

const COMMA = utf8(',');

export class HashChain {
  /** Positions hashed so far. */
  position = 0;
  /** Items hashed so far. */
  emitted = 0;
  #state: Sha256;
  readonly #start: Sha256;
  readonly #saves: Save[] = [];
  #bytesSinceSave = 0;
  /** Where the last change began: the next one is likely to begin near it, as in a window that slides. */
  #change = -1;
  /** What was hashed behind the chain for the last response. */
  #behind: { readonly from: number; readonly count: number; readonly state: Sha256 } | undefined;

  /** @param head what stands before the items. */
  constructor(head: string) {
    this.#start = createSha256().update(utf8(head));
    this.#state = this.#start.clone();
  }

  /** Takes the next position in: the bytes of its item, or undefined when it gives none. */
  append(item: Uint8Array | undefined): void {
    this.#behind = undefined;
    if (item !== undefined) {
      if (this.emitted > 0) this.#state.update(COMMA);
      this.#state.update(item);
      this.emitted++;
      this.#bytesSinceSave += item.length;
    }
    this.position++;
    const atChange = this.position === this.#change;
    const saved = this.#saves.findLast((save) => !save.atChange)?.position ?? 0;
    const regular = this.position - saved >= ITEMS_BETWEEN_SAVES || this.#bytesSinceSave >= BYTES_BETWEEN_SAVES;
    if (!regular && !atChange) return;
    // Between two regular saves only the last place where a change began is kept.
    if (!regular && this.#saves.at(-1)?.atChange === true) this.#saves.pop();
    this.#saves.push({
      position: this.position,
      emitted: this.emitted,
      atChange: !regular,
      state: this.#state.clone(),
    });
    if (regular) this.#bytesSinceSave = 0;
  }

  /** Forgets what was hashed from a position on, and as much before it as lies behind the last saved state. */
  cut(position: number): void {
    if (position >= this.position) return;
    this.#change = position;
    this.#behind = undefined;
    while ((this.#saves.at(-1)?.position ?? 0) > position) this.#saves.pop();
    const save = this.#saves.at(-1);
    this.position = save?.position ?? 0;
    this.emitted = save?.emitted ?? 0;
    this.#state = (save?.state ?? this.#start).clone();
    this.#bytesSinceSave = 0;
  }

  /** What was hashed behind the chain may have changed. */
  forgetBehind(): void {
    this.#behind = undefined;
  }

  /**
   * The hash with further items and what stands after them; the chain stays as it is. Items that follow are numbered: those that a
   * response before had behind the same place of the chain are not hashed again.
   */
  digest(from: number, count: number, item: (number: number) => Uint8Array, tail: Uint8Array): Uint8Array {
    if (count === 0) return this.#state.clone().update(tail).digest();
    const known = this.#behind;
    const goesOn = known?.from === from && known.count <= count;
    const state = goesOn ? known.state : this.#state.clone();
    let emitted = this.emitted + (goesOn ? known.count : 0);
    for (let number = from + (goesOn ? known.count : 0); number < from + count; number++) {
      if (emitted++ > 0) state.update(COMMA);
      state.update(item(number));
    }
    this.#behind = { from, count, state };
    return state.clone().update(tail).digest();
  }
}
