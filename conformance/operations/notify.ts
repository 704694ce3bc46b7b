/** Operations of `src/notify`: judging a trail, folds, keys, routing, records. */
import { unbase64, utf8 } from '../../src/bytes/encoding.ts';
import { isUnusable, parsePublicKey } from '../../src/crypto/keys.ts';
import type { Finding } from '../../src/finding/finding.ts';
import { parseTree } from '../../src/json/tree.ts';
import { ringOf } from '../../src/log/keyRing.ts';
import { readCompanions } from '../../src/notify/companions.ts';
import { noteFinding, nothingToCheck, problemFindings } from '../../src/notify/finding.ts';
import { claimLive, overdueDue, recoveryFailingDue } from '../../src/notify/fold.ts';
import { readTrailDocument } from '../../src/notify/input.ts';
import { notifyID, parseEscalationKey, splitToKey, validReceiver } from '../../src/notify/keys.ts';
import { lastSegment } from '../../src/notify/open.ts';
import { decodeRecord, type NotifyRecord, sameRecord } from '../../src/notify/record.ts';
import { notifyReport } from '../../src/notify/report.ts';
import { receivers } from '../../src/notify/routing.ts';
import { parseDuration } from '../../src/notify/time.ts';
import { isEmptyHanded, judgeTrail, statusOf } from '../../src/notify/verify.ts';
import { parseInstant } from '../../src/time/instant.ts';
import type { Json, Operation } from '../suite.ts';

type Params = { readonly [name: string]: Json };

function recordsOf(value: Json): readonly (NotifyRecord | { index: number; malformed: string })[] {
  return (value as readonly Json[]).map((item, index) => {
    const parsed = parseTree(utf8(JSON.stringify(item)));
    return parsed.ok ? decodeRecord(parsed.root, index) : { index, malformed: parsed.problem.message };
  });
}

const instant = (value: Json | undefined) => (typeof value === 'string' ? parseInstant(value) : undefined);

/** A record with only the members that a predicate looks at. */
function bare(members: Partial<NotifyRecord>): NotifyRecord {
  const [record] = recordsOf([{ kind: 'watch', at: '2026-01-01T00:00:00Z' }]);
  return { ...(record as NotifyRecord), ...members };
}

async function judge({ document, text, pubkey, flags }: Params): Promise<Json> {
  const bytes = utf8(typeof text === 'string' ? text : JSON.stringify(document));
  const reading = readTrailDocument(bytes);
  if (!reading.ok) return { status: 4 };
  const key = typeof pubkey === 'string' ? await parsePublicKey(pubkey) : undefined;
  if (key !== undefined && isUnusable(key)) return { status: 4 };
  const judgement = judgeTrail(reading.value, { ring: key === undefined ? undefined : ringOf(key) });
  const { fold, open, findings, bound } = notifyReport(judgement);
  const rows = findings.map(({ code, severity, where, index, key: about }) => ({
    code,
    severity,
    where,
    ...(index === undefined ? {} : { index }),
    ...(about === undefined ? {} : { key: about }),
  }));
  const given = (flags ?? []) as readonly string[];
  const status = statusOf(judgement, { unbound: given.includes('-unbound'), strict: given.includes('-strict') });
  return { status, bound, findings: rows, fold, open } as unknown as Json;
}

/** The codes of all findings, each once, sorted; those of a document that cannot be used as well. */
async function codes({ document, text, pubkey, journal_b64 }: Params): Promise<Json> {
  const reading = readTrailDocument(utf8(typeof text === 'string' ? text : JSON.stringify(document)));
  const sorted = (findings: readonly Finding[]) => [...new Set(findings.map(({ code }) => code))].sort();
  if (!reading.ok) return sorted(problemFindings(reading.problems));
  const journal = typeof journal_b64 === 'string' ? unbase64(journal_b64) : undefined;
  const companions = readCompanions({ journals: journal === undefined ? [] : [{ name: 'journal', bytes: journal }] });
  const key = typeof pubkey === 'string' ? await parsePublicKey(pubkey) : undefined;
  if (key !== undefined && isUnusable(key)) return null;
  const completed = companions.complete(reading.value).document;
  const judgement = judgeTrail(completed, { ring: key === undefined ? undefined : ringOf(key) });
  const findings = judgement.notes.map((note) => noteFinding(note, judgement.document));
  return sorted([...companions.findings, ...findings, ...(isEmptyHanded(judgement) ? [nothingToCheck()] : [])]);
}

export const operations: Record<string, Operation> = {
  'notify/codes': codes,
  'notify/judge': judge,
  'notify/notifyID': ({ key }) => notifyID(key as string),
  'notify/splitToKey': ({ key }) => {
    const split = splitToKey(key as string);
    return split === undefined ? { ok: false } : { ...split, ok: true };
  },
  'notify/parseEscalationKey': ({ key }) => {
    const parsed = parseEscalationKey(key as string);
    return parsed === undefined ? { ok: false } : { ...parsed, ok: true };
  },
  'notify/validReceiver': ({ name }) => validReceiver(name as string),
  'notify/receivers': ({ routing, kind, approvers }) => {
    const { routes = {}, approver_routes = {}, escalation = {} } = routing as Record<string, Record<string, Json>>;
    const read = {
      routes: new Map(Object.entries(routes)) as ReadonlyMap<string, string>,
      approverRoutes: new Map(Object.entries(approver_routes)) as ReadonlyMap<string, string>,
      escalation: new Map(Object.entries(escalation)) as ReadonlyMap<string, readonly string[]>,
    };
    return receivers(read, kind as string, (approvers as readonly string[] | null) ?? undefined);
  },
  'notify/lastSegment': ({ records }) => lastSegment(recordsOf(records as Json)),
  'notify/claimLive': ({ claim, now }) => {
    const { until } = (claim ?? {}) as Params;
    return claimLive(claim === null ? undefined : bare({ until: instant(until) }), instant(now) ?? 0n);
  },
  'notify/overdueDue': ({ deadline_at, acked, cleared, overdue, now }) => {
    const mark = (set: Json | undefined) => (set === true ? bare({}) : undefined);
    const event = { acked: mark(acked), cleared: mark(cleared), overdue: mark(overdue) };
    return overdueDue({ ...event, observed: bare({ deadlineAt: instant(deadline_at) }) }, instant(now) ?? 0n);
  },
  'notify/recoveryFailingDue': ({ failing_since, d, now }) => {
    const at = instant(failing_since);
    return recoveryFailingDue(
      at === undefined ? undefined : bare({ at }),
      instant(now) ?? 0n,
      parseDuration(d as string) ?? 0n,
    );
  },
  'notify/sameRecord': ({ a, b }) => {
    const [first, second] = [utf8(JSON.stringify(a)), utf8(JSON.stringify(b))];
    const [left, right] = [parseTree(first), parseTree(second)];
    return left.ok && right.ok && sameRecord(left.root, first, right.root, second);
  },
};
