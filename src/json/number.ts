/**
 * Numbers of JSON: the number test of I-JSON lines (session-format 3.2 point 4) and the canonical spelling (RFC 8785 3.2.2.3, which is
 * ECMAScript's `Number::toString`).
 */

const PARTS = /^(-?)([0-9]+)(?:\.([0-9]+))?(?:[eE]([+-]?[0-9]+))?$/;

/** Whole numbers of at most 15 digits, which binary64 holds exactly: nearly every number of a session is one. */
const SMALL_WHOLE = /^-?[0-9]{1,15}$/;

/** Decimal magnitude past which a literal is not finite, and the one below which it rounds to zero (session-format 3.2). */
const LARGEST = 310;
const SMALLEST = -400;

/** A literal as a whole coefficient without trailing zeros and a power of ten; zero has no coefficient. */
interface Decimal {
  /** Digits without leading and trailing zeros; empty for zero. */
  readonly digits: string;
  readonly exponent: bigint;
}

function decimal(literal: string): Decimal {
  const [, , whole = '', fraction = '', exponent = '0'] = PARTS.exec(literal) ?? [];
  const all = whole + fraction;
  let begin = 0;
  while (begin < all.length && all.charCodeAt(begin) === 0x30) begin++;
  let end = all.length;
  while (end > begin && all.charCodeAt(end - 1) === 0x30) end--;
  // An exponent of more digits than any text of this program has is as good as infinite; its sign decides.
  const power =
    exponent.length > 20 ? BigInt(`${exponent.startsWith('-') ? '-' : ''}${'9'.repeat(19)}`) : BigInt(exponent);
  return { digits: all.slice(begin, end), exponent: power - BigInt(fraction.length) + BigInt(all.length - end) };
}

/**
 * The number test: the value is finite as binary64, and when it is whole, it is that binary64 number exactly or the value of the
 * canonical spelling of that number.
 *
 * @param literal text that matches the JSON grammar of numbers.
 */
export function passesNumberTest(literal: string): boolean {
  if (SMALL_WHOLE.test(literal)) return true;
  const exact = decimal(literal);
  if (exact.digits === '') return true;
  const magnitude = exact.exponent + BigInt(exact.digits.length);
  if (magnitude > LARGEST) return false;
  if (magnitude < SMALLEST) return true;
  const rounded = Number(literal);
  if (!Number.isFinite(rounded)) return false;
  if (exact.exponent < 0n) return true;
  const value = BigInt(exact.digits) * 10n ** exact.exponent;
  if (BigInt(Math.abs(rounded)) === value) return true;
  const spelled = decimal(canonicalNumber(Math.abs(rounded)));
  return spelled.digits === exact.digits && spelled.exponent === exact.exponent;
}

/** RFC 8785 spelling of a finite number. */
export function canonicalNumber(value: number): string {
  return Object.is(value, -0) ? '0' : String(value);
}

/** Whether a literal is already the RFC 8785 spelling of its value. */
export function isCanonicalNumber(literal: string): boolean {
  return literal.length <= 30 && canonicalNumber(Number(literal)) === literal;
}
