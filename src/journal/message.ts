/** Messages as records hold them (journal 2.6): members in their places, those of a part sorted by name with its type among them. */
import { KnownNames } from './known-names.ts';
import { END, MemberScanner, type Members } from './members.ts';
import type { Message, Part, RawJson } from './record.ts';
import { NoRecord } from './scanner.ts';
import { quote } from './text.ts';

const MESSAGE_NAMES = new KnownNames(['role', 'parts']);
const ROLES = new KnownNames(['system', 'user', 'assistant', 'tool']);

const TYPES = new KnownNames(['text', 'reasoning', 'tool_use', 'tool_result', 'image']);
const TEXT = new KnownNames(['text', 'type']);
const REASONING = new KnownNames(['redacted', 'signature', 'text', 'type']);
const TOOL_USE = new KnownNames(['args', 'id', 'name', 'signature', 'type']);
const TOOL_RESULT = new KnownNames(['is_error', 'result', 'tool_use_id', 'type']);
const IMAGE = new KnownNames(['data', 'mime', 'type', 'url']);
/** The names of every part, the type first. */
const ANY_PART = new KnownNames([
  ...new Set(['type', ...[TEXT, REASONING, TOOL_USE, TOOL_RESULT, IMAGE].flatMap(({ texts }) => texts)]),
]);

export class MessageScanner extends MemberScanner {
  /** Where the parts of a message are collected; the list that is given takes only the room that it needs. */
  readonly #parts: Part[] = [];

  message(): Message {
    let role = '';
    let count = 0;
    const members = this.open(MESSAGE_NAMES, 'a message');
    for (let index = this.member(members); index !== END; index = this.member(members)) {
      if (index === 0) role = this.word(ROLES, true);
      else
        this.list(() => {
          this.#parts[count++] = this.#part();
        });
    }
    if ((members.seen & 1) === 0) this.deviate(this.at - 1, 'a message without role');
    return { role, parts: this.#parts.slice(0, count) };
  }

  /** The type decides what the other members are, and stands last: first it is looked for, then the part is read. */
  #part(): Part {
    this.peek();
    const start = this.at;
    const type = this.#typeOfPart();
    this.at = start;
    switch (type) {
      case 'text':
        return this.#text();
      case 'reasoning':
        return this.#reasoning();
      case 'tool_use':
        return this.#toolUse();
      case 'tool_result':
        return this.#toolResult();
      case 'image':
        return this.#image();
      default:
        throw new NoRecord('unknown-part', start, `a message part has the unknown type ${quote(type)}`);
    }
  }

  #text(): Part {
    let text = '';
    const members = this.#open(TEXT);
    for (let index = this.member(members); index !== END; index = this.member(members)) {
      if (index === 0) text = this.text(true);
      else this.#type();
    }
    this.#close(members, 0b11);
    return { type: 'text', text };
  }

  #reasoning(): Part {
    let [redacted, signature, text] = ['', '', ''];
    const members = this.#open(REASONING);
    for (let index = this.member(members); index !== END; index = this.member(members)) {
      if (index === 0) redacted = this.text();
      else if (index === 1) signature = this.text();
      else if (index === 2) text = this.text(true);
      else this.#type();
    }
    this.#close(members, 0b1100);
    return { type: 'reasoning', text, signature, redacted };
  }

  #toolUse(): Part {
    let args: RawJson | undefined;
    let [id, name, signature] = ['', '', ''];
    const members = this.#open(TOOL_USE);
    for (let index = this.member(members); index !== END; index = this.member(members)) {
      if (index === 0) args = this.raw();
      else if (index === 1) id = this.text(true);
      else if (index === 2) name = this.text(true);
      else if (index === 3) signature = this.text();
      else this.#type();
    }
    this.#close(members, 0b10110);
    return { type: 'tool_use', id, name, args, signature };
  }

  #toolResult(): Part {
    let isError = false;
    let result: RawJson | undefined;
    let toolUseId = '';
    const members = this.#open(TOOL_RESULT);
    for (let index = this.member(members); index !== END; index = this.member(members)) {
      if (index === 0) isError = this.flag();
      else if (index === 1) result = this.raw();
      else if (index === 2) toolUseId = this.text(true);
      else this.#type();
    }
    this.#close(members, 0b1100);
    return { type: 'tool_result', toolUseId, result, isError };
  }

  #image(): Part {
    let data: Uint8Array | undefined;
    let [mime, url] = ['', ''];
    const members = this.#open(IMAGE);
    for (let index = this.member(members); index !== END; index = this.member(members)) {
      if (index === 0) data = this.someBytes();
      else if (index === 1) mime = this.text();
      else if (index === 3) url = this.text();
      else this.#type();
    }
    this.#close(members, 0b100);
    return { type: 'image', mime, url, data };
  }

  #open(names: KnownNames): Members {
    return this.open(names, 'a message part');
  }

  /** `always` has the bits of the members that are written even when empty. */
  #close({ seen }: Members, always: number): void {
    if ((seen & always) !== always) this.deviate(this.at - 1, 'a part lacks a member that is always written');
  }

  #type(): string {
    this.peek();
    const index = this.known(TYPES);
    return index < 0 ? this.string() : (TYPES.texts[index] as string);
  }

  /** The `type` of the part that begins here. What else there is to say of the part is said when it is read. */
  #typeOfPart(): string {
    const { deviation, twoWays } = this;
    let type: string | undefined;
    if (this.peek() !== 0x7b) this.wrong('a message part, which is an object');
    this.at++;
    if (!this.takes(0x7d)) {
      do {
        this.peek();
        const index = this.known(ANY_PART);
        const isType = index < 0 ? this.name() === 'type' : index === 0;
        this.take(0x3a, '":" after a member name');
        if (isType && this.peek() === 0x22) type = this.#type();
        else this.skip();
      } while (this.takes(0x2c));
      this.take(0x7d, '"," or "}"');
    }
    this.deviation = deviation;
    this.twoWays = twoWays;
    if (type === undefined) this.wrong('a message part with a type');
    return type;
  }
}
