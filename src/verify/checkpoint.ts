/** Kind `checkpoint`: a signed note that says origin, size and root of a log, with the cosignatures of witnesses (`interop.md` 1.2 to 1.5). */
import { utf8 } from '../bytes/encoding.ts';
import { readExactly } from '../bytes/source.ts';
import type { Claim, Finding, Missing, Verdict } from '../finding/finding.ts';
import { catalogue as logCatalogue } from '../log/catalogue.ts';
import { secondsText } from '../log/cosignature.ts';
import { type Evaluation, evaluateCheckpoint, NO_POLICY } from '../log/evaluate.ts';
import { faultFinding } from '../log/fault.ts';
import { ringOfTrusted } from '../log/keyRing.ts';
import { parseNote, type SignatureLine } from '../log/note.ts';
import { ED25519_COSIGNATURE } from '../log/noteKey.ts';
import { type Policy, shown } from '../log/policy.ts';
import { judgeSingle, noteKeysOf, readSingle } from '../log/statement.ts';
import { type NamedPolicy, policiesFor, witnessPolicies } from '../log/trustSections.ts';
import { keysFor } from '../trust/trust.ts';
import { claimOf, logRing, unreadOutcome } from './artifact.ts';
import { catalogue } from './catalogue.ts';
import type { Input, KindVerifier, Prefix, VerifyContext } from './kind.ts';
import { consistencyClaim, consistencyMissing, otherStatements } from './otherStatements.ts';

/** Notes and proof files are at most 1 MiB (`interop.md` 1.1); a proof file has some lines before its note. */
const MAX_BYTES = 2 << 20;
/** What is required: cosignatures only where the trust file asks for any. */
export function requiredOf(policies: readonly NamedPolicy[]): readonly string[] {
  return policies.length === 0 ? ['authorship'] : ['authorship', 'witnesses'];
}

/** Whether a text looks like origin, size and root of a checkpoint. */
export function looksLikeCheckpoint({ text }: Prefix): boolean {
  return /^[^\n{[][^\n]*\n[0-9]+\n[A-Za-z0-9+/=]+\n/.test(text) && text.includes('\n\n\u2014 ');
}

/** The bytes of a small text input; undefined past the limit. */
export function smallInput({ source }: Input): Uint8Array | undefined {
  return source.size > MAX_BYTES ? undefined : readExactly(source, 0, source.size);
}

export const verifier: KindVerifier = {
  kind: 'checkpoint',
  detect: looksLikeCheckpoint,
  async verify(input, context) {
    const bytes = smallInput(input);
    if (bytes === undefined)
      return unreadOutcome([catalogue.find('input/too-large', 'a checkpoint is at most 1 MiB')], requiredOf([]));
    const judged = await judgeCheckpoint(bytes, context);
    const { evaluation, findings } = judged;
    if (evaluation.checkpoint === undefined) return unreadOutcome(findings, requiredOf([]));
    const { origin, size } = evaluation.checkpoint;
    const single = readSingle(bytes);
    const statement = single.ok ? judgeSingle(single.value, []).statement : undefined;
    const others = statement === undefined ? undefined : otherStatements(statement, logRing(context), context);
    return {
      subject: subjectOf(evaluation),
      counts: countsOf(evaluation),
      claims: [
        ...judged.claims,
        ...(others === undefined ? [] : [consistencyClaim(`log ${JSON.stringify(origin)}, size ${size}`, others)]),
      ],
      required: requiredOf(judged.policies),
      findings: [...findings, ...(others?.findings ?? [])],
      missing: [...judged.missing, ...(others === undefined ? [] : consistencyMissing(others))],
      notSupplied:
        others?.count === 0 ? ['other checkpoints of this log: a second history would show only against them'] : [],
    };
  },
};

export interface Judged {
  readonly evaluation: Evaluation;
  readonly findings: readonly Finding[];
  /** `authorship`, `witnesses` and `time`. */
  readonly claims: readonly Claim[];
  readonly missing: readonly Missing[];
  /** The policies that apply. */
  readonly policies: readonly NamedPolicy[];
}

/** What the trusted log keys and witness policies say of a checkpoint. */
export async function judgeCheckpoint(note: Uint8Array, context: VerifyContext): Promise<Judged> {
  const parsed = parseNote(note);
  const lines = parsed.ok ? parsed.value.signatures : [];
  const { policies, findings: sectionFindings } = await witnessPolicies(context.trust);
  const now = context.now();
  const logKeys = noteKeysOf(logRing(context), lines, now);
  const asOf = now === undefined ? {} : { asOf: now / 1_000_000_000n };
  const origin = parsed.ok ? originOf(parsed.value.text) : '';
  const applying = policiesFor(policies, origin);
  const evaluate = (policy: Policy) => evaluateCheckpoint(note, policy, { logKeys, ...asOf });
  // Every policy that applies must hold; the evaluation that is reported is the first that does not.
  const evaluations = (
    applying.length === 0 ? [knownWitnesses(lines, context)] : applying.map(({ policy }) => policy)
  ).map(evaluate);
  const evaluation = evaluations.find(({ faults }) => faults.length > 0) ?? (evaluations[0] as Evaluation);
  const hasLogKey =
    logKeys.length > 0 || logRing(context).length > 0 || applying.some(({ policy }) => policy.logs.length > 0);
  const findings = [...sectionFindings, ...evaluation.faults.map((fault) => faultFinding(fault))];
  for (const { name, policy } of applying) {
    for (const witness of policy.selfWitnesses)
      findings.push(
        logCatalogue.find(
          'log/self-witness',
          `in the policy ${name} the witness ${shown(witness)} has the key of a log`,
        ),
      );
  }
  const { claims, missing } = claimsOf(evaluation, applying, hasLogKey);
  return { evaluation, findings, claims, missing, policies: applying };
}

/** Without a policy no cosignature is needed; those of witnesses whose keys are trusted are checked, and say by when the tree existed. */
function knownWitnesses(lines: readonly SignatureLine[], context: VerifyContext): Policy {
  const ring = ringOfTrusted(keysFor(context.trust, 'witness'));
  const keys = noteKeysOf(ring, lines, context.now(), ED25519_COSIGNATURE);
  // Names of a policy are octets.
  const octets = (name: string) => String.fromCharCode(...utf8(name));
  return {
    ...NO_POLICY,
    witnesses: new Map(keys.map((key) => [octets(key.name), { name: octets(key.name), key }])),
  };
}

function originOf(text: Uint8Array): string {
  const end = text.indexOf(0x0a);
  return new TextDecoder().decode(text.subarray(0, end < 0 ? text.length : end));
}

function claimsOf(
  evaluation: Evaluation,
  policies: readonly NamedPolicy[],
  hasLogKey: boolean,
): { readonly claims: readonly Claim[]; readonly missing: readonly Missing[] } {
  const reasons = new Set(evaluation.faults.map(({ reason }) => reason));
  const scope =
    evaluation.checkpoint === undefined
      ? 'nothing'
      : `log ${JSON.stringify(evaluation.checkpoint.origin)}, size ${evaluation.checkpoint.size}`;
  const authorship: Verdict =
    reasons.has('signature') || reasons.has('checkpoint-empty-root')
      ? 'failed'
      : evaluation.logs.length > 0
        ? 'verified'
        : 'undecided';
  const witnesses: Verdict = reasons.has('cosignature')
    ? 'failed'
    : policies.length === 0 || reasons.has('quorum') || reasons.has('quorum-late')
      ? 'undecided'
      : 'verified';
  const missing: Missing[] = [];
  if (authorship === 'undecided')
    missing.push({
      claim: 'authorship',
      item: hasLogKey ? 'the checkpoint with the signature of its log' : 'the key of the log, in a trust file',
      who: 'the keeper of the log',
      from: null,
    });
  if (witnesses === 'undecided')
    missing.push({
      claim: 'witnesses',
      item:
        policies.length === 0
          ? 'a witness policy for this log, in a trust file'
          : `cosignatures of ${evaluation.absent.map(shown).join(', ') || 'witnesses whose time has come'}`,
      who:
        policies.length === 0
          ? 'you: it says whose cosignatures you rely on'
          : 'the keeper of the log, or the witnesses',
      from: null,
    });
  const times = evaluation.cosigners.filter(({ time }) => time > 0n);
  const time: Claim = {
    claim: 'time',
    verdict: 'undecided',
    grade: times.length === 0 ? 'none' : 'asserted',
    scope,
    detail:
      times.length === 0
        ? 'nothing says when the tree existed'
        : `existed by ${times.map((cosigner) => `${secondsText(cosigner.time)} (${shown(cosigner.name)})`).join(', ')}, if the witness is honest`,
  };
  missing.push({
    claim: 'time',
    item: 'a time-stamp token over this checkpoint; the times of witnesses are their word',
    who: 'the keeper of the log',
    from: null,
  });
  return {
    claims: [
      claimOf('authorship', authorship, scope, AUTHORSHIP[authorship]),
      claimOf('witnesses', witnesses, scope, WITNESSES[witnesses]),
      time,
    ],
    missing,
  };
}

const AUTHORSHIP: Readonly<Record<Verdict, string>> = {
  verified: 'signed by a key of the log that you trust',
  failed: 'the signature of the log does not hold, or no tree has this size and root',
  undecided: 'no known key of the log signed it',
};
const WITNESSES: Readonly<Record<Verdict, string>> = {
  verified: 'the quorum of the policy holds',
  failed: 'a cosignature of a listed witness does not hold',
  undecided: 'no policy was given, or too few of its witnesses signed',
};

export function subjectOf({ checkpoint }: Evaluation): Readonly<Record<string, string | number | null>> {
  return checkpoint === undefined
    ? {}
    : {
        origin: checkpoint.origin,
        size: String(checkpoint.size),
        extension_lines: checkpoint.extensions.length,
      };
}

export function countsOf({ logs, cosigners, late, unknown }: Evaluation): Readonly<Record<string, number>> {
  return {
    log_signatures: logs.length,
    cosignatures: cosigners.length,
    late_cosignatures: late.length,
    unknown_signatures: unknown,
  };
}
