/** What the adapters of signed artifacts share: reading, the keys of the log, and the claims that every signed head gives. */
import { readAll } from '../bytes/source.ts';
import { HeadChecker as Checker, type HeadChecker } from '../evidence/heads.ts';
import { type Reading, readArtifact } from '../evidence/place.ts';
import type { Claim, Finding, Missing, Verdict } from '../finding/finding.ts';
import type { Shape } from '../json/shape.ts';
import type { TreeHead } from '../log/head.ts';
import { type KeyRing, ringOfTrusted } from '../log/keyRing.ts';
import { formatInstant } from '../time/instant.ts';
import { keysFor } from '../trust/trust.ts';
import { catalogue } from './catalogue.ts';
import type { Input, Outcome, Prefix, VerifyContext } from './kind.ts';
import { topFormat } from './topFormat.ts';

/** Documents are read whole up to this size (audit spec 4.1). */
const MAX_BYTES = 268_435_456;

/** Whether the outermost format is of a family, whatever its version: another version is told apart by the reader. */
export function isOfFamily(prefix: Prefix, family: string): boolean {
  const format = topFormat(prefix.text);
  return format !== undefined && (format === family || format.startsWith(`${family}.`));
}

/** The bytes of an input, or undefined past the limit. */
export function wholeInput(input: Input): Uint8Array | undefined {
  return input.source.size > MAX_BYTES ? undefined : readAll(input.source);
}

/**
 * Reads a whole input as an artifact of one shape. Where it cannot be read, the outcome leaves the claims open and says why.
 *
 * @param reader the strict reader of the module that the shape belongs to
 */
export function readAs<T>(
  shape: Shape<T>,
  input: Input,
  required: readonly string[],
  reader: (shape: Shape<T>, bytes: Uint8Array) => Reading<T> = readArtifact,
): { readonly ok: true; readonly value: T } | { readonly ok: false; readonly outcome: Outcome } {
  const bytes = wholeInput(input);
  if (bytes === undefined) return { ok: false, outcome: tooLargeOutcome(required) };
  const read = reader(shape, bytes);
  return read.ok ? read : { ok: false, outcome: unreadOutcome(read.findings, required) };
}

/** The auditor's keys of the log. */
export function logRing(context: VerifyContext): KeyRing {
  return ringOfTrusted(keysFor(context.trust, 'log'));
}

/** A checker of heads under the trusted keys, with the timestamp rule at the instant of judgement. */
export function headChecker(context: VerifyContext): HeadChecker {
  return new Checker({ ring: logRing(context), time: { now: context.now() } });
}

/** An outcome of an input that could not be read as its kind: nothing was checked, so nothing is claimed. */
export function unreadOutcome(findings: readonly Finding[], required: readonly string[]): Outcome {
  return {
    subject: {},
    counts: {},
    claims: required.map((claim) => ({
      claim,
      verdict: 'undecided',
      grade: 'none',
      scope: 'nothing',
      detail: 'the artifact could not be read',
    })),
    required,
    findings,
    missing: required.map((claim) => ({
      claim,
      item: 'the artifact in a form that can be read',
      who: 'whoever produced it',
      from: null,
    })),
  };
}

/** An outcome of a document past the limit. */
export function tooLargeOutcome(required: readonly string[]): Outcome {
  return unreadOutcome([catalogue.find('input/too-large', 'the document is larger than is read whole')], required);
}

/** A claim that was re-derived here, or that stayed open. */
export function claimOf(claim: string, verdict: Verdict, scope: string, detail: string): Claim {
  return { claim, verdict, grade: verdict === 'undecided' ? 'none' : 'rechecked', scope, detail };
}

/** A head in words. */
export function headText(head: TreeHead): string {
  return `${head.kind} head of ${JSON.stringify(head.run_id)}, size ${head.size}`;
}

export function authorshipClaim(head: TreeHead, verdict: Verdict, hasKey: boolean): Claim {
  const detail =
    verdict === 'verified'
      ? 'signed by a key of the log that you trust'
      : verdict === 'failed'
        ? 'no trusted key of the log signed this'
        : hasKey
          ? 'the head could not be judged'
          : 'no key of the log was given';
  return claimOf('authorship', verdict, headText(head), detail);
}

export function authorshipMissing(verdict: Verdict, hasKey: boolean): readonly Missing[] {
  if (verdict !== 'undecided') return [];
  return [
    {
      claim: 'authorship',
      item: hasKey ? 'the artifact with a head that can be read' : 'the public key of the log, in a trust file',
      who: hasKey ? 'whoever produced it' : 'the keeper of the log, by a way that is not this file',
      from: null,
    },
  ];
}

/** When what is under a head existed: the log's own word until something independent dates it. */
export function timeClaim(head: TreeHead, findings: readonly Finding[]): Claim {
  const failed = findings.some((finding) => TIME_CODES.has(finding.code));
  return {
    claim: 'time',
    verdict: failed ? 'failed' : 'undecided',
    grade: failed ? 'rechecked' : 'asserted',
    scope: headText(head),
    detail: failed
      ? 'the time in the head cannot be'
      : `the clock of the log says ${formatInstant(head.timestamp_nanos)}; nothing independent of it does`,
  };
}

const TIME_CODES: ReadonlySet<string> = new Set(['log/head-time', 'log/head-future', 'log/head-order']);

export function timeMissing(claim: Claim, head: TreeHead): readonly Missing[] {
  if (claim.verdict !== 'undecided') return [];
  return [
    {
      claim: 'time',
      item: `a time-stamp token (RFC 3161) or an anchor receipt over this head`,
      who: 'the keeper of the log, or the anchor it publishes to',
      from: head.timestamp_nanos > 0n ? formatInstant(head.timestamp_nanos) : null,
    },
  ];
}

/** What a reader of any proof under one head should know was not looked at (law 1). */
export const NOT_SUPPLIED_UNDER_A_HEAD: readonly string[] = [
  'other heads of this run: a fork of the log would show only against them',
  'a later head: records after this one are not attested',
];
