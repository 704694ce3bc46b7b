/** The library: what a program that uses this package imports. Everything here is pure and runs in Node and in browsers. */
export { type ByteSource, memorySource } from './bytes/source.ts';
export type { Claim, Finding, Grade, Missing, Verdict, Where } from './finding/finding.ts';
export { FORMATS, type Format, render } from './report/format.ts';
export type { MediaOptions, RedactedMedia } from './session/redact/media.ts';
export { original, type SessionAtHand } from './session/redact/original.ts';
export {
  type RedactedOrigin,
  type RedactionResult,
  type RedactOptions,
  redactSession,
} from './session/redact/redact.ts';
export { credentials, environment, homePaths, inOrder, secrets } from './session/redact/redactors.ts';
export { readRules } from './session/redact/rules.ts';
export { clearRedacted, setRedacted } from './session/redact/spans.ts';
export {
  compact,
  compactFrom,
  compactKeeping,
  endRun,
  recordResponse,
  startRun,
  summarizeBranch,
} from './session/write/build.ts';
export { continueSession, createSession, createSubsession, fork, type HeaderInit } from './session/write/create.ts';
export { configDelta, configFromRequest, omitDelta } from './session/write/deltas.ts';
export { draft, draftOfLine, type EntryDraft } from './session/write/draft.ts';
export { SessionError, type SessionErrorCode } from './session/write/error.ts';
export { type LiveOptions, LiveSession } from './session/write/live.ts';
export type { Appended, Outcome, Prepared } from './session/write/outcome.ts';
export { type JsonValue, objectOfValue } from './session/write/value.ts';
export { formatInstant, type Instant, parseInstant } from './time/instant.ts';
export { readTrust } from './trust/read.ts';
export { NO_TRUST, type Trust } from './trust/trust.ts';
export type { Input, VerifyOptions } from './verify/kind.ts';
export type { InputReport, Report, Result } from './verify/report.ts';
export { verify } from './verify/verify.ts';
