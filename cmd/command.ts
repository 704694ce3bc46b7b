/** What a command is: one table row from which parsing, help, completion and the manual page are all made. */
import type { ByteSource } from '../src/bytes/source.ts';
import type { Instant } from '../src/time/instant.ts';

export interface Option {
  /** Without the dashes. */
  readonly name: string;
  readonly type: 'text' | 'flag';
  /** May be given more than once; texts of each are kept in order. */
  readonly repeatable?: boolean;
  /** Shown in help: `--trust FILE`. */
  readonly placeholder?: string;
  readonly describe: string;
  readonly choices?: readonly string[];
  /** Texts that completion offers, where others may be given too. */
  readonly suggests?: readonly string[];
}

export interface Example {
  readonly command: string;
  readonly says: string;
}

export interface Command {
  /** One word or two: `verify`, `record new`. */
  readonly name: string;
  readonly summary: string;
  /** Shown in help; the arguments that are no options: `<path...>`. Absent: none are taken. */
  readonly positional?: string;
  readonly options: readonly Option[];
  /** At least two, each real. */
  readonly examples: readonly Example[];
  /** Gives the exit status. Throws UsageError before any file is opened, Unreadable for a named file that cannot be used. */
  run(args: Args, io: Io): number | Promise<number>;
}

/** The command line is wrong: status 2. */
export class UsageError extends Error {}

/** The parsed arguments of a command. */
export class Args {
  readonly positional: readonly string[];
  readonly #values: ReadonlyMap<string, readonly string[]>;
  constructor(positional: readonly string[], values: ReadonlyMap<string, readonly string[]>) {
    this.positional = positional;
    this.#values = values;
  }
  /** All values of a repeatable option. */
  list(name: string): readonly string[] {
    return this.#values.get(name) ?? [];
  }
  /** The value of an option, or undefined. */
  text(name: string): string | undefined {
    return this.list(name).at(-1);
  }
  /** The value of an option that must be there. */
  need(name: string): string {
    const value = this.text(name);
    if (value === undefined) throw new UsageError(`--${name} is needed`);
    return value;
  }
  flag(name: string): boolean {
    return this.#values.has(name);
  }
}

/** Everything a command may touch, so that tests can run it in process. */
export interface Io {
  out(text: string | Uint8Array): void;
  err(text: string): void;
  /** Whether standard output, standard error are terminals; the width and height of the first. */
  readonly outIsTerminal: boolean;
  readonly errIsTerminal: boolean;
  readonly width: number;
  readonly height: number;
  readonly env: { readonly [name: string]: string | undefined };
  clock(): Instant;
  /** A file for reading by position, or standard input for `-`. Throws Unreadable. */
  open(path: string): ByteSource;
  /** Standard input as it comes, for a command that answers while it is written to; without it, `open` of `-` is read. */
  incoming?(): Iterable<Uint8Array>;
  /** A whole file. Throws Unreadable. */
  read(path: string): Uint8Array;
  /**
   * Writes a file whole (never through a link out of the named path). A secret goes into a new file that only its owner can read.
   * Throws Unreadable.
   */
  write(path: string, bytes: Uint8Array | string, how?: { readonly secret?: boolean }): void;
  /** Starts a file anew and gives what appends to it. Throws Unreadable. */
  writer(path: string): (text: string | Uint8Array) => void;
}
