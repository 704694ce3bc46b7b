/** One decision of an identity record against fresh evaluations (approver-identity 19 steps 5 to 7). */

import { reasonText } from '../approval/reasons.ts';
import { hex } from '../bytes/encoding.ts';
import { parseDuration } from '../time/duration.ts';
import { formatInstant, parseInstant } from '../time/instant.ts';
import type { Judgement } from './decision.ts';
import type { DecisionIdentity, GateQuestion } from './gateAudit.ts';
import type { Problems } from './gateProblems.ts';
import { TIERS, type Tier } from './reasons.ts';
import { MAX_STORED_STATUS, namedHash, type RecordedDecision } from './records.ts';

export function checkDecisionRecord(question: GateQuestion, decision: DecisionIdentity, problems: Problems): void {
  const { recorded, replay, audit, record } = decision;
  for (const noted of audit?.notes ?? []) if (noted.note !== 'crl-unusable') problems.note(noted, { at: record });
  if (recorded !== undefined) {
    const statusHere = checkStatusBytes(question, recorded, decision, problems);
    checkStatements(question, recorded, decision, problems);
    if (replay !== undefined && statusHere && headHere(question, recorded, replay))
      compareReplay(recorded, replay, decision, problems);
  }
  // 7.
  const quoted = JSON.stringify(decision.approver);
  if (audit === undefined || audit.counts) {
    compareNow(question, decision, problems);
    return;
  }
  if (audit.cause === undefined || audit.class === 'wait') return;
  const now = audit.cause;
  if (now.reason === 'revoked')
    problems.add('revoked-now', `the counted decision of ${quoted} does not stand: ${now.detail}`, { at: record });
  else if (replay === undefined || replay.counts)
    problems.add(
      'later-reason',
      `the counted decision of ${quoted} does not count: ${reasonText(now.reason)} (${now.detail})`,
      {
        at: record,
        actual: now.reason,
      },
    );
}

/** A replay that lacks the head which the record names says nothing about the gate: an input is missing (18.3). */
function headHere({ evidence }: GateQuestion, recorded: RecordedDecision, { cause }: Judgement): boolean {
  return cause?.reason !== 'no_covering_head' || isShown(evidence, recorded);
}

/** Whether the recorded head is at hand with the records under it. Beside a package, which shows its own head alone, another one says nothing. */
function isShown({ heads }: GateQuestion['evidence'], recorded: RecordedDecision): boolean {
  return heads.heads.some(({ hash, covers }) => covers && hash === recorded.head_hash);
}

/** Step 5, the status bytes; whether all of them are there. */
function checkStatusBytes(
  { evidence }: GateQuestion,
  recorded: RecordedDecision,
  { record }: DecisionIdentity,
  problems: Problems,
): boolean {
  const { archive, stored } = evidence;
  const here = new Set([...archive.crls.map(({ sha256 }) => sha256), ...archive.ocsp.map(({ sha256 }) => sha256)]);
  let all = true;
  for (const text of recorded.status ?? []) {
    const hash = namedHash(text);
    const status = stored.find(({ named }) => named === hash);
    if (status?.sha256 !== undefined && status.sha256 !== hash)
      problems.add('status-hash', 'the bytes of a status record do not have the hash in its name', {
        at: status,
        expected: hash,
        actual: status.sha256,
      });
    if (status !== undefined && status.sha256 === hash && status.differing.length > 0)
      problems.add(
        'status-metadata',
        `the record beside a list says otherwise than the list on ${status.differing.join(', ')}`,
        { at: status },
      );
    if (here.has(hash)) continue;
    all = false;
    const large = status !== undefined && status.sha256 === undefined && status.size > MAX_STORED_STATUS;
    problems.add(
      large ? 'archive-missing' : 'status-missing',
      `the ${large ? 'archived ' : ''}status bytes ${hash} are not at hand`,
      {
        at: record,
        expected: hash,
        missing: {
          item: `the list or response with the SHA-256 ${hash}`,
          who: 'whoever keeps the status archive of the gate',
        },
      },
    );
  }
  return all;
}

/** Step 5, what the record says about certificate, chain and time. */
function checkStatements(
  { evidence }: GateQuestion,
  recorded: RecordedDecision,
  { record, replay, audit }: DecisionIdentity,
  problems: Problems,
): void {
  const judgement = replay?.anchored === undefined ? audit : replay;
  const at = record;
  const leaf = judgement?.leaf;
  if (leaf !== undefined && recorded.leaf_hash !== leaf.sha256)
    problems.add('leaf-hash', 'the recorded certificate is not the one in the decision', {
      at,
      expected: leaf.sha256,
      actual: recorded.leaf_hash,
    });
  const { path, identifier, anchored } = judgement ?? {};
  if (path !== undefined) {
    const chain = path.certificates.map(({ sha256 }) => sha256);
    const anchors = evidence.trust.anchors
      .filter(({ publicKey }) => publicKey.sha256 === path.anchorKey)
      .map(({ sha256 }) => sha256);
    const given = recorded.chain ?? [];
    const last = given.at(-1);
    const own =
      given.length === chain.length + 1 && last !== undefined && anchors.includes(last) ? given.slice(0, -1) : given;
    if (own.join() !== chain.join())
      problems.add('chain-differs', 'the recorded chain is not the one that verifies', {
        at,
        expected: chain.join(', '),
        actual: given.join(', '),
      });
    if (recorded.anchor !== path.anchorKey)
      problems.add('anchor-differs', 'the recorded trust anchor is not the one of the chain', {
        at,
        expected: path.anchorKey,
        actual: recorded.anchor,
      });
  }
  if (identifier !== undefined && recorded.identifier !== identifier)
    problems.add('identifier-differs', 'the recorded identifier is not the one in the certificate', {
      at,
      expected: identifier,
      actual: recorded.identifier,
    });
  if (recorded.time_evidence !== '') {
    const known = [...evidence.times.bounds, ...evidence.times.invalid].some(
      ({ evidence: hash }) => hash === recorded.time_evidence,
    );
    if (!known)
      problems.add('time-evidence-missing', 'the token or receipt that the record rests on was not supplied', {
        at,
        expected: recorded.time_evidence,
      });
  }
  if (anchored === undefined) return;
  const { head } = anchored;
  const root = hex(head.head.root ?? new Uint8Array());
  if (recorded.head_size < head.size && !isShown(evidence, recorded)) {
    // A smaller head than the first at hand: what it says cannot be compared, and A here is later, on the safe side.
    problems.add('head-missing', 'the head that the record names was not supplied with the records under it', {
      at,
      expected: recorded.head_hash,
      missing: {
        item: `the signed head ${recorded.head_hash} of size ${recorded.head_size}, with the records that it covers`,
        who: 'the keeper of the log',
      },
    });
    return;
  }
  if (recorded.head_hash !== head.hash || recorded.head_size !== head.size || recorded.head_root !== root)
    problems.add('head-differs', 'the recorded head is not the first one that covers the decision', {
      at,
      expected: `size ${head.size}, ${head.hash}`,
      actual: `size ${recorded.head_size}, ${recorded.head_hash}`,
    });
  if (recorded.time_source !== anchored.source)
    problems.add('time-source-differs', 'the recorded time comes from elsewhere', {
      at,
      expected: anchored.source,
      actual: recorded.time_source,
    });
  const time = parseInstant(recorded.anchored_at);
  if (time === undefined || (time !== anchored.a && time !== anchored.bare))
    problems.add('anchored-at-differs', 'the recorded time is not the one at which the decision became provable', {
      at,
      expected: formatInstant(anchored.a),
      actual: recorded.anchored_at,
    });
}

/** Step 6. */
function compareReplay(
  recorded: RecordedDecision,
  replay: Judgement,
  { record, approver }: DecisionIdentity,
  problems: Problems,
): void {
  const at = record;
  if (!replay.counts) {
    if (replay.cause !== undefined)
      problems.add(
        'replay-reason',
        `the gate should not have counted ${JSON.stringify(approver)}: ${reasonText(replay.cause.reason)} (${replay.cause.detail})`,
        {
          at,
          actual: replay.cause.reason,
        },
      );
    return;
  }
  const [found, wanted] = [rank(recorded.tier), rank(replay.tier ?? '')];
  if (found !== wanted)
    problems.add(
      found > wanted ? 'tier-overstated' : 'tier-understated',
      'the recorded tier is not what the gate could know',
      {
        at,
        expected: replay.tier ?? '',
        actual: recorded.tier,
      },
    );
  if (recorded.basis_kind !== replay.basis)
    problems.add('basis-differs', 'the recorded basis is another one', {
      at,
      expected: replay.basis ?? '',
      actual: recorded.basis_kind,
    });
  if (recorded.window !== '' && parseDuration(recorded.window) !== replay.window)
    problems.add('window-differs', 'the recorded window is another one', {
      at,
      expected: `${replay.window} ns`,
      actual: recorded.window,
    });
  if (recorded.status_time !== '' && parseInstant(recorded.status_time) !== replay.statusTime)
    problems.add('status-time-differs', 'the recorded status is of another time', {
      at,
      expected: replay.statusTime === undefined ? '' : formatInstant(replay.statusTime),
      actual: recorded.status_time,
    });
}

/** Unknown tiers claim more than any other. */
function rank(tier: string): number {
  const place = TIERS.indexOf(tier as Tier);
  return place < 0 ? TIERS.length : place;
}

const longer = (a: bigint, b: bigint): bigint => (b > a ? b : a);

/** What time has made of a decision that still counts. */
function compareNow(
  { evidence }: GateQuestion,
  { audit, recorded, replay, record, approver, policy }: DecisionIdentity,
  problems: Problems,
): void {
  if (audit?.tier === undefined || audit.anchored === undefined) return;
  const before = replay?.tier ?? recorded?.tier;
  if (before === 'provisional' && audit.tier !== 'provisional')
    problems.add('now-final', `the decision of ${JSON.stringify(approver)} was provisional and is ${audit.tier}`, {
      at: record,
    });
  const slowest = audit.certificates.map(({ issuerKey }) => policy.caPeriod(issuerKey)).reduce(longer, 0n);
  if (audit.tier === 'provisional' && evidence.asOf > audit.anchored.a + policy.w + slowest)
    problems.add(
      'still-provisional',
      `the decision of ${JSON.stringify(approver)} could be final since ${formatInstant(audit.anchored.a + policy.w + slowest)}`,
      { at: record },
    );
}
