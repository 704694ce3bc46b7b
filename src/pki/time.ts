/** Times of X.509 (RFC 5280 4.1.2.5) and of time-stamp tokens (RFC 3161 2.4.2) as instants. */
import { type Instant, parseInstant } from '../time/instant.ts';
import { contents, type Element, Malformed, TAG } from './der.ts';

function asciiOf(element: Element): string {
  return String.fromCharCode(...contents(element).subarray(0, 40));
}

const UTC_TIME = /^(\d\d)(\d\d)(\d\d)(\d\d)(\d\d)(\d\d)Z$/;
const GENERALIZED_TIME = /^(\d{4})(\d\d)(\d\d)(\d\d)(\d\d)(\d\d)(?:\.(\d{1,9}))?Z$/;

function instant(parts: readonly (string | undefined)[], element: Element): Instant {
  const [year, month, day, hour, minute, second, fraction] = parts;
  const digits = fraction === undefined ? '' : `.${fraction}`;
  const value = parseInstant(`${year}-${month}-${day}T${hour}:${minute}:${second}${digits}Z`);
  if (value === undefined) throw new Malformed('a time is not a date that exists', element.start);
  return value;
}

/** A Time of RFC 5280: UTCTime (years 1950 to 2049) or GeneralizedTime, with seconds, with Z, without a fraction. */
export function x509Time(element: Element): Instant {
  const text = asciiOf(element);
  if (element.tag === TAG.utcTime) {
    const match = UTC_TIME.exec(text);
    if (match === null) throw new Malformed('a UTCTime is not YYMMDDHHMMSSZ', element.start);
    const short = Number(match[1]);
    return instant([String(short >= 50 ? 1900 + short : 2000 + short), ...match.slice(2)], element);
  }
  if (element.tag !== TAG.generalizedTime)
    throw new Malformed('a time is neither UTCTime nor GeneralizedTime', element.start);
  const match = GENERALIZED_TIME.exec(text);
  if (match === null || match[7] !== undefined)
    throw new Malformed('a GeneralizedTime is not YYYYMMDDHHMMSSZ', element.start);
  return instant(match.slice(1, 7), element);
}

/** A GeneralizedTime with an optional fraction of at most nine digits that does not end in zero (audit 5.3 step 5). */
export function preciseTime(element: Element): Instant {
  const match = element.tag === TAG.generalizedTime ? GENERALIZED_TIME.exec(asciiOf(element)) : null;
  if (match === null || match[7]?.endsWith('0') === true)
    throw new Malformed('a GeneralizedTime is not YYYYMMDDHHMMSS[.f]Z without trailing zeros', element.start);
  return instant(match.slice(1, 8), element);
}
