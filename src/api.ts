/** The library: what a program that uses this package imports. Everything here is pure and runs in Node and in browsers. */
export { type ByteSource, memorySource } from './bytes/source.ts';
export type { Claim, Finding, Grade, Missing, Verdict, Where } from './finding/finding.ts';
export { FORMATS, type Format, render } from './report/format.ts';
export { formatInstant, type Instant, parseInstant } from './time/instant.ts';
export { readTrust } from './trust/read.ts';
export { NO_TRUST, type Trust } from './trust/trust.ts';
export type { Input, VerifyOptions } from './verify/kind.ts';
export type { InputReport, Report, Result } from './verify/report.ts';
export { verify } from './verify/verify.ts';
