/** What a verb of `bide-audit` is: its flags, what it checks before any file is opened, and what it does (audit spec 6.5). */
import type { FlagSpecs, Flags } from './flags.ts';
import type { BideIo } from './io.ts';
import type { Session } from './session.ts';

export interface Verb {
  readonly name: string;
  readonly summary: string;
  readonly flags: FlagSpecs;
  /** A verb that writes an artifact: its good result is `produced`. */
  readonly emits?: boolean;
  /** The flag that one argument without a flag stands for. */
  readonly argument?: string;
  /** What is wrong with the command line beyond the syntax of its flags; decided before any file is opened. */
  usage?(flags: Flags): string | undefined;
  run(flags: Flags, session: Session, io: BideIo): void | Promise<void>;
}

/** Flags that every verb takes. */
export const COMMON_FLAGS: FlagSpecs = {
  'max-input-bytes': { kind: 'int', help: 'refuse an input file that is larger (default 268435456)' },
  'max-clock-skew': { kind: 'duration', help: 'how far a head may be ahead of the clock (default 5m)' },
  json: { kind: 'bool', help: 'print one JSON object instead of lines' },
};

export const DEFAULT_MAX_INPUT_BYTES = 268_435_456;
export const DEFAULT_SKEW = 300_000_000_000n;
