/**
 * Command lines in the manner of Go's flag package, as `bide-audit` has always read them (audit spec 6.1): `-f v`, `-f=v`, `--f v`,
 * `--f=v`; a boolean is `-f` or `-f=true`; reading stops at the first argument that is no flag; the last of a repeated flag wins.
 */
import { nearest } from '../nearest.ts';

export type FlagKind = 'string' | 'list' | 'bool' | 'int' | 'duration' | 'rules';

export interface FlagSpec {
  readonly kind: FlagKind;
  readonly help: string;
  readonly required?: boolean;
}

export type FlagSpecs = Readonly<Record<string, FlagSpec>>;

/** What the flags of one verb were given. Every accessor gives the zero value for a flag that was not. */
export class Flags {
  readonly #given: ReadonlyMap<string, readonly string[]>;
  constructor(given: ReadonlyMap<string, readonly string[]>) {
    this.#given = given;
  }
  has(name: string): boolean {
    return this.#given.has(name);
  }
  text(name: string): string {
    return this.#given.get(name)?.at(-1) ?? '';
  }
  optional(name: string): string | undefined {
    return this.#given.get(name)?.at(-1);
  }
  list(name: string): readonly string[] {
    return this.#given.get(name) ?? [];
  }
  bool(name: string): boolean {
    return goBool(this.text(name)) ?? false;
  }
  /** The integer given, or `fallback`. */
  integer(name: string, fallback: number): number {
    const value = this.optional(name);
    return value === undefined ? fallback : Number(goInteger(value) ?? fallback);
  }
  /** Nanoseconds. */
  duration(name: string, fallback: bigint): bigint {
    const value = this.optional(name);
    return value === undefined ? fallback : (goDuration(value) ?? fallback);
  }
}

export type FlagReading =
  | { readonly ok: true; readonly flags: Flags; readonly rest: readonly string[] }
  | { readonly ok: false; readonly help: boolean; readonly message: string };

/** Reads the flags at the start of `args`; `rest` begins with the first argument that is none. */
export function readFlags(specs: FlagSpecs, args: readonly string[]): FlagReading {
  const known = new Map(Object.entries(specs));
  const given = new Map<string, string[]>();
  const refuse = (message: string): FlagReading => ({ ok: false, help: false, message });
  let at = 0;
  while (at < args.length) {
    const arg = args[at] as string;
    if (arg.length < 2 || !arg.startsWith('-')) break;
    at++;
    if (arg === '--') break;
    const body = arg.slice(arg.startsWith('--') ? 2 : 1);
    const equals = body.indexOf('=');
    const name = equals < 0 ? body : body.slice(0, equals);
    if (body === '' || body.startsWith('-') || body.startsWith('=')) return refuse(`bad flag syntax: ${arg}`);
    const spec = known.get(name);
    if (spec === undefined) {
      if (name === 'h' || name === 'help') return { ok: false, help: true, message: 'help requested' };
      const near = nearest(name, [...known.keys()]);
      return refuse(`flag provided but not defined: -${name}${near === undefined ? '' : `; did you mean -${near}?`}`);
    }
    let value = equals < 0 ? undefined : body.slice(equals + 1);
    if (value === undefined && spec.kind === 'bool') value = 'true';
    if (value === undefined) {
      value = args[at];
      if (value === undefined) return refuse(`flag needs an argument: -${name}`);
      at++;
    }
    const problem = unfit(spec.kind, value);
    if (problem !== undefined) return refuse(`invalid value ${JSON.stringify(value)} for flag -${name}: ${problem}`);
    given.set(name, [...(given.get(name) ?? []), value]);
  }
  for (const [name, spec] of known) {
    if (spec.required === true && !given.has(name)) return refuse(`-${name} is required`);
  }
  return { ok: true, flags: new Flags(given), rest: args.slice(at) };
}

function unfit(kind: FlagKind, value: string): string | undefined {
  switch (kind) {
    case 'bool':
      return goBool(value) === undefined ? 'not a boolean' : undefined;
    case 'int':
      return goInteger(value) === undefined ? 'not an integer' : undefined;
    case 'duration':
      return goDuration(value) === undefined ? 'not a duration' : undefined;
    case 'rules':
      return /^[^=]+=numeric-at-most$/.test(value) ? undefined : 'expected <scope key>=numeric-at-most';
    default:
      return undefined;
  }
}

/** strconv.ParseBool. */
function goBool(text: string): boolean | undefined {
  if (['1', 't', 'T', 'TRUE', 'true', 'True'].includes(text)) return true;
  if (['0', 'f', 'F', 'FALSE', 'false', 'False', ''].includes(text)) return text === '' ? undefined : false;
  return undefined;
}

/** strconv.ParseInt with base 0, 64 bits: decimal, 0x, 0o, 0b and a leading 0 for octal, digits grouped by single underscores. */
export function goInteger(text: string): bigint | undefined {
  const match = /^([+-]?)(0[xX][0-9a-fA-F_]+|0[oO][0-7_]+|0[bB][01_]+|0[0-7_]*|[1-9][0-9_]*)$/.exec(text);
  if (match === null || text.includes('__') || text.endsWith('_')) return undefined;
  const digits = (match[2] as string).replaceAll('_', '');
  const magnitude = BigInt(/^0[0-7]+$/.test(digits) ? `0o${digits.slice(1)}` : digits);
  const value = match[1] === '-' ? -magnitude : magnitude;
  return BigInt.asIntN(64, value) === value ? value : undefined;
}

const UNIT: Readonly<Record<string, bigint>> = {
  ns: 1n,
  us: 1_000n,
  µs: 1_000n,
  μs: 1_000n,
  ms: 1_000_000n,
  s: 1_000_000_000n,
  m: 60_000_000_000n,
  h: 3_600_000_000_000n,
};

/** time.ParseDuration, in nanoseconds. */
export function goDuration(text: string): bigint | undefined {
  const sign = /^[+-]/.test(text) ? text[0] : '';
  let rest = text.slice(sign === '' || sign === undefined ? 0 : 1);
  if (rest === '0') return 0n;
  if (rest === '') return undefined;
  let total = 0n;
  while (rest !== '') {
    const match = /^([0-9]{0,19})(?:\.([0-9]{0,40}))?(ns|us|µs|μs|ms|s|m|h)/.exec(rest);
    if (match === null || ((match[1] ?? '') === '' && (match[2] ?? '') === '')) return undefined;
    const unit = UNIT[match[3] as string] as bigint;
    const fraction = match[2] ?? '';
    total += BigInt(match[1] === '' ? '0' : (match[1] as string)) * unit;
    if (fraction !== '') total += (BigInt(fraction) * unit) / 10n ** BigInt(fraction.length);
    rest = rest.slice(match[0].length);
  }
  if (total >= 1n << 63n) return undefined;
  return sign === '-' ? -total : total;
}
