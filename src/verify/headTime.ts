/**
 * When what is under a head existed: the log's own word, or a time-stamp token among the companions that is over this very head, by an
 * authority that leads to an anchor of the trust file (audit spec 5.4).
 */
import { readAll } from '../bytes/source.ts';
import { headStampFindings, stampedBytes } from '../evidence/headStamp.ts';
import type { Claim, Finding, Missing } from '../finding/finding.ts';
import type { TreeHead } from '../log/head.ts';
import { formatInstant, type Instant } from '../time/instant.ts';
import { timeClaim, timeMissing } from './artifact.ts';
import type { VerifyContext } from './kind.ts';

export interface HeadTime {
  readonly claim: Claim;
  readonly findings: readonly Finding[];
  readonly missing: readonly Missing[];
}

/** Largest companion that is looked at as a token. */
const MAX_TOKEN = 1 << 20;

/** The time claim of a head. `findings` are those of the artifact, in which the timestamp rule has spoken already. */
export async function headTime(
  head: TreeHead,
  findings: readonly Finding[],
  context: VerifyContext,
): Promise<HeadTime> {
  const own = timeClaim(head, findings);
  const stamped =
    own.verdict === 'failed' ? undefined : await stampedTime(stampedBytes(head), head, own.scope, context);
  return stamped ?? { claim: own, findings: [], missing: timeMissing(own, head) };
}

/**
 * What a token among the companions says of signed bytes that name their own time; undefined where there is none.
 *
 * @param bytes what the token has to be over
 * @param named the time that they name
 */
export async function stampedTime(
  bytes: Uint8Array,
  named: { readonly timestamp_nanos: Instant },
  scope: string,
  context: VerifyContext,
): Promise<HeadTime | undefined> {
  const stamp = await stampOf(bytes, context);
  if (stamp === undefined) return undefined;
  const against = headStampFindings(named, stamp.genTime, stamp.accuracy, undefined, { part: stamp.path });
  const contradicted = against.some((finding) => finding.class === 'not_verified');
  return {
    claim: {
      claim: 'time',
      verdict: contradicted ? 'failed' : 'verified',
      grade: 'rechecked',
      scope,
      detail: contradicted
        ? `it names a time after ${formatInstant(stamp.genTime)}, at which a token says that it existed`
        : `existed by ${formatInstant(stamp.genTime + stamp.accuracy)}, by the token ${stamp.path}${stamp.remarks.some(({ code }) => code === 'pki/token-status-unchecked') ? '; whether its authority had been revoked was not checked' : ''}`,
    },
    findings: [...against, ...stamp.remarks],
    missing: [],
  };
}

interface Stamp {
  readonly path: string;
  readonly genTime: Instant;
  readonly accuracy: Instant;
  /** What was remarked upon in judging the token, such as that no list of revocations was given. */
  readonly remarks: readonly Finding[];
}

/** The earliest valid token over these bytes. A companion that is none, or not over it, is as good as absent. */
async function stampOf(stamped: Uint8Array, context: VerifyContext): Promise<Stamp | undefined> {
  const small = (context.companions ?? []).filter(({ source }) => source.size > 0 && source.size <= MAX_TOKEN);
  const candidates = small.filter(({ source }) => {
    const [first] = source.read(0, 1);
    source.close?.();
    return first === 0x30;
  });
  if (candidates.length === 0) return undefined;
  const { parseTimestamp } = await import('../pki/timestampToken.ts');
  const { judgeTimestamp } = await import('../pki/timestamp.ts');
  const { pkiSources } = await import('./pkiSources.ts');
  const sources = pkiSources(context);
  let best: Stamp | undefined;
  for (const { path, source } of candidates) {
    const token = parseTimestamp(readAll(source)).value?.token;
    if (token === undefined) continue;
    const judgement = judgeTimestamp(token, {
      stamped,
      anchors: sources.anchors,
      pool: sources.certificates,
      crls: sources.crls,
      ocsp: sources.ocsp,
    });
    const holds = judgement.signed && judgement.stamps === true && judgement.trusted === true;
    const against = judgement.findings.some((finding) => finding.class === 'not_verified');
    if (!holds || against) continue;
    const { genTime, accuracy } = judgement;
    if (best === undefined || genTime + accuracy < best.genTime + best.accuracy) {
      const remarks = judgement.findings
        .filter((finding) => finding.class === 'none')
        .map((finding) => ({ ...finding, where: { ...finding.where, part: path } }));
      best = { path, genTime, accuracy, remarks };
    }
  }
  return best;
}
