/** Kind `journal`: an export of a run's records, or one stored record a line (journal 5.9, audit spec 4.3). */

import { equalBytes, hex } from '../bytes/encoding.ts';
import { readAll } from '../bytes/source.ts';
import { stampedBytes } from '../evidence/headStamp.ts';
import { HeadChecker } from '../evidence/heads.ts';
import type { Claim, Finding, Missing } from '../finding/finding.ts';
import { counted } from '../finding/words.ts';
import { catalogue as journalCatalogue } from '../journal/catalogue.ts';
import { type ExportReading, formatFindings, looksLikeRecordLines, readExport, readLines } from '../journal/export.ts';
import { storedLeafHash } from '../journal/leaf.ts';
import type { Journal } from '../journal/record.ts';
import { haltsOf, type Replay, replay, statusOf } from '../journal/replay.ts';
import { recordRules, sequenceRules } from '../journal/rules.ts';
import { recordLines } from '../journal/show.ts';
import { headShape, type TreeHead } from '../log/head.ts';
import { readStrictly } from '../log/read.ts';
import { RootBuilder } from '../merkle/root.ts';
import { formatInstant } from '../time/instant.ts';
import { NO_TRUST } from '../trust/trust.ts';
import { anchoredTime, anchoredTimeClaim } from './anchored.ts';
import {
  approvalsOutcome,
  type CertificateMeans,
  certificateMeans,
  approvalsClaim as countedClaim,
} from './approvals.ts';
import { claimOf, isOfFamily, logRing, tooLargeOutcome, unreadOutcome, wholeInput } from './artifact.ts';
import { stampedTime } from './headTime.ts';
import type { KindVerifier, Outcome, TimelineRow, VerifyContext } from './kind.ts';

const REQUIRED = ['integrity', 'sequence'] as const;
const GATE_CODES: ReadonlySet<string> = new Set(['journal/gate-bypassed', 'journal/attempt-after-denial']);

export const verifier: KindVerifier = {
  kind: 'journal',
  detect: (prefix) => isOfFamily(prefix, 'bide.audit.journal-export') || looksLikeRecordLines(prefix.bytes),
  async verify(input, context) {
    const bytes = wholeInput(input);
    if (bytes === undefined) return tooLargeOutcome(REQUIRED);
    const reading = looksLikeRecordLines(bytes) ? readLines(context.run ?? '', bytes) : readExport(bytes);
    if (reading.journal === undefined) return partialOutcome(reading);
    return journalOutcome(reading.journal, context, await certificateMeans(context, reading.journal));
  },
};

/** What can be said of a journal that does not read as a whole: the records that do read are judged each for itself. */
function partialOutcome(reading: ExportReading): Outcome {
  const readable: Journal = { run: reading.run ?? '', format: '', records: reading.readable };
  const records = recordRules(replay(readable));
  const unread = unreadOutcome([...reading.findings, ...records], REQUIRED);
  return { ...unread, subject: { run: reading.run ?? null }, counts: { records_read: reading.readable.length } };
}

async function journalOutcome(
  journal: Journal,
  context: VerifyContext,
  by: CertificateMeans | undefined,
): Promise<Outcome> {
  const run = replay(journal);
  const format = formatFindings(journal);
  const records = recordRules(run);
  // What the records say is read only under a format that is known (journal 2.12).
  const sequence = format.length > 0 ? [] : sequenceRules(run);
  const attested = await dated(attest(journal, context), context);
  const approvals =
    format.length > 0
      ? judgeApprovals(run, sequence, { ...context, trust: NO_TRUST }, undefined)
      : judgeApprovals(run, sequence, context, by);
  const status = statusOf(run);
  const claims = [
    integrityClaim(run, records),
    sequenceClaim(run, sequence, format),
    approvals.claim,
    ...attested.claims,
  ];
  return {
    subject: {
      format: journal.format,
      run: journal.run === '' ? null : journal.run,
      status: status.status,
      root: attested.root,
    },
    counts: countsOf(run),
    claims,
    required: REQUIRED,
    findings: [...format, ...records, ...sequence, ...approvals.findings, ...attested.findings],
    missing: [...missingOf(run, claims), ...approvals.missing, ...attested.missing],
    notSupplied: attested.notSupplied,
    timeline: timelineOf(run),
  };
}

function integrityClaim(run: Replay, findings: readonly Finding[]): Claim {
  const total = run.journal.records.length;
  const readable = total - run.tombstones;
  const bad = new Set(findings.filter(({ class: cls }) => cls === 'not_verified').map(({ where }) => where.pointer))
    .size;
  const redacted = run.tombstones === 0 ? '' : `; ${run.tombstones} redacted`;
  return claimOf(
    'integrity',
    bad > 0 ? 'failed' : 'verified',
    `${readable - bad} of ${total} records${redacted}`,
    bad > 0
      ? counted(bad, 'record is not as a journal writes it', 'records are not as a journal writes them')
      : 'each record is spelled as a journal spells it, salted, and under its own name; that none was replaced, only a signed head can show',
  );
}

function sequenceClaim(run: Replay, findings: readonly Finding[], format: readonly Finding[]): Claim {
  const total = run.journal.records.length;
  const scope = `${total - run.tombstones} of ${total} records in journal order`;
  if (format.length > 0)
    return claimOf('sequence', 'undecided', 'nothing', 'the format of the journal is not read here');
  const failed = findings.filter(({ class: cls }) => cls === 'not_verified').length;
  const open = findings.filter(({ class: cls }) => cls === 'no_verdict').length;
  if (failed > 0)
    return claimOf(
      'sequence',
      'failed',
      scope,
      `${counted(failed, 'thing stands', 'things stand')} here that an engine cannot have written`,
    );
  if (open > 0)
    return claimOf(
      'sequence',
      'undecided',
      scope,
      `${counted(open, 'thing stands', 'things stand')} here that the rules do not explain`,
    );
  if (run.tombstones > 0)
    return claimOf(
      'sequence',
      'undecided',
      scope,
      'nothing speaks against it, but what the redacted records said is not known',
    );
  return claimOf('sequence', 'verified', scope, 'an engine can have written these records in this order');
}

/**
 * Without approver keys or expected policies the journal's own word is all there is: what it shows to be wrong is wrong, the rest is open.
 * With them every gate is counted again.
 */
function judgeApprovals(
  run: Replay,
  sequence: readonly Finding[],
  context: VerifyContext,
  by: CertificateMeans | undefined,
): { readonly claim: Claim; readonly findings: readonly Finding[]; readonly missing: readonly Missing[] } {
  const { trust } = context;
  const means = by !== undefined || trust.approvers.length > 0 || (trust.sections.get('gates')?.length ?? 0) > 0;
  const bypassed = sequence.filter(({ code, class: cls }) => GATE_CODES.has(code) && cls === 'not_verified').length;
  const gates = gatedCalls(run);
  if (means && run.journal.run !== '') {
    const outcome = approvalsOutcome(run.journal, trust, by);
    const claim = countedClaim(outcome);
    return {
      claim: bypassed > 0 ? { ...claim, verdict: 'failed', grade: 'rechecked' } : claim,
      findings: outcome.findings,
      missing: outcome.missing
        .filter(({ claim: of }) => by !== undefined || of !== 'identity')
        .map((row) => ({ ...row, claim: 'approvals' })),
    };
  }
  const scope = counted(gates, 'gated call');
  const claim =
    bypassed > 0
      ? claimOf(
          'approvals',
          'failed',
          scope,
          `${counted(bypassed, 'record shows', 'records show')} a gated call without, or against, a recorded decision`,
        )
      : claimOf(
          'approvals',
          'undecided',
          scope,
          gates === 0
            ? 'no record shows a gated call; that there was none, the journal alone does not prove'
            : 'the recorded outcomes stand before the calls; the signatures were not counted again',
        );
  const missing: readonly Missing[] = [
    {
      claim: 'approvals',
      item: means
        ? 'the run id of these records: signatures are over it'
        : 'the approvers’ public keys and the policy of each gate, in a trust file',
      who: 'whoever administers the approvers',
      from: null,
    },
  ];
  return { claim, findings: [], missing: bypassed > 0 ? [] : missing };
}

function gatedCalls(run: Replay): number {
  const calls = new Set<string>(run.gates.keys());
  for (const [id, list] of run.outcomes) if (list.some(({ record }) => record.approval !== undefined)) calls.add(id);
  return calls.size;
}

function countsOf(run: Replay): Readonly<Record<string, number>> {
  let attempts = 0;
  let voided = 0;
  for (const effect of run.effects.values()) {
    attempts += effect.attempts.length;
    voided += effect.attempts.filter(({ voidedAt }) => voidedAt !== undefined).length;
  }
  let outcomes = 0;
  for (const list of run.outcomes.values()) outcomes += list.length;
  let decisions = 0;
  for (const gate of run.gates.values()) decisions += gate.signed.length + (gate.decision === undefined ? 0 : 1);
  return {
    records: run.journal.records.length,
    redacted: run.tombstones,
    turns: run.turns.length,
    calls: run.calls.size,
    outcomes,
    attempts,
    attempts_voided: voided,
    halts: haltsOf(run).length,
    gates: gatedCalls(run),
    decisions,
    signals: run.signals.length,
  };
}

interface Attested {
  readonly claims: readonly Claim[];
  readonly findings: readonly Finding[];
  readonly missing: readonly Missing[];
  readonly notSupplied: readonly string[];
  /** The root over all leaves, in hexadecimal. */
  readonly root: string;
  /** The widest head that holds. */
  readonly widest: TreeHead | undefined;
}

/** The time claim decided by a token or a receipt over the head, where one is beside the journal. */
async function dated(attested: Attested, context: VerifyContext): Promise<Attested> {
  const { widest } = attested;
  if (widest === undefined) return attested;
  const anchored = anchoredTime(widest, context);
  const stamped = await stampedTime(stampedBytes(widest), widest, `head of size ${widest.size}`, context);
  const claim =
    stamped?.claim.verdict === 'failed' ? stamped.claim : (anchoredTimeClaim(widest, anchored) ?? stamped?.claim);
  const findings = [...attested.findings, ...anchored.findings, ...(stamped?.findings ?? [])];
  if (claim === undefined) return { ...attested, findings };
  return {
    ...attested,
    findings,
    claims: attested.claims.map((own) => (own.claim === 'time' ? claim : own)),
    missing: attested.missing.filter((row) => row.claim !== 'time'),
  };
}

/** Completeness, authorship and time: what signed heads given beside the export say of it (audit spec 4.3). */
function attest(journal: Journal, context: VerifyContext): Attested {
  const { heads, findings, notSupplied } = headsOf(journal, context);
  const wanted = new Set(heads.map(({ size }) => size));
  const roots = new Map<number, Uint8Array>();
  const builder = new RootBuilder();
  if (wanted.has(0)) roots.set(0, builder.root());
  for (const stored of journal.records) {
    builder.append(storedLeafHash(stored));
    if (wanted.has(builder.size)) roots.set(builder.size, builder.root());
  }
  const total = journal.records.length;
  const checker = new HeadChecker({
    ring: logRing(context),
    time: { now: heads.length === 0 ? undefined : context.now() },
  });
  const all = [...findings];
  const unused = [...notSupplied];
  let widest: TreeHead | undefined;
  let failed = false;
  let authorship: 'verified' | 'failed' | 'undecided' = 'undecided';
  for (const head of heads) {
    const report = checker.check(head, { part: `head of size ${head.size}` });
    all.push(...report.findings);
    if (report.authorship === 'failed') authorship = 'failed';
    if (report.authorship !== 'verified') continue;
    const root = roots.get(head.size);
    const fits = root !== undefined && head.root !== null && equalBytes(root, head.root);
    // A head of no records is true of every journal: it shows nothing of this one (audit spec 2.3 step 3).
    if (fits && head.size === 0) {
      unused.push('a head of this journal that covers a record: one that was given is of size 0');
      continue;
    }
    if (authorship === 'undecided') authorship = 'verified';
    if (fits) {
      if (widest === undefined || head.size > widest.size) widest = head;
      continue;
    }
    failed = true;
    all.push(
      journalCatalogue.find(
        'journal/not-under-head',
        root === undefined
          ? `A signed head covers ${head.size} records, and the journal holds ${total}.`
          : `The first ${head.size} records do not give the root that was signed for them.`,
        {
          where: { part: `head of size ${head.size}` },
          expected: root === undefined ? `${head.size} records` : hex(head.root ?? new Uint8Array(0)),
          actual: root === undefined ? `${total} records` : hex(root),
        },
      ),
    );
  }
  const none = widest === undefined;
  const at = widest === undefined ? '' : formatInstant(widest.timestamp_nanos);
  const later = total - (widest?.size ?? 0);
  const scope =
    widest === undefined
      ? `${total} records`
      : `complete as of size ${widest.size} at ${at}${later > 0 ? `, ${counted(later, 'later record')} unattested` : ''}`;
  const completeness = failed ? 'failed' : none ? 'undecided' : 'verified';
  const needKey = heads.length > 0 && !checker.hasKey;
  const item = needKey
    ? 'the public key of the log, in a trust file'
    : `a signed journal head of ${journal.run === '' ? 'the run' : JSON.stringify(journal.run)}`;
  const who = 'the keeper of the log';
  const lack = (claim: string): Missing => ({ claim, item, who, from: null });
  return {
    root: hex(builder.root()),
    widest,
    findings: all,
    notSupplied: unused,
    claims: [
      claimOf(
        'completeness',
        completeness,
        scope,
        failed
          ? 'the records are not those that were signed'
          : none
            ? 'an export can leave records out, and no authenticated head was given'
            : 'no record was removed, changed or put in between up to that size; no artifact proves that it is the last head',
      ),
      claimOf(
        'authorship',
        authorship === 'verified' && failed ? 'failed' : authorship,
        scope,
        authorship === 'verified' && !failed
          ? 'the log that you trust signed the root over these records'
          : 'no trusted signature covers these records',
      ),
      {
        claim: 'time',
        verdict: 'undecided',
        grade: 'asserted',
        scope: none ? 'times in records' : `head of size ${widest?.size ?? 0}`,
        detail: none
          ? 'times in records are the word of the process that wrote them'
          : `the clock of the log says ${at}; nothing independent of it does`,
      },
    ],
    missing: [
      ...(completeness === 'undecided' ? [lack('completeness')] : []),
      ...(authorship === 'undecided' ? [lack('authorship')] : []),
      {
        claim: 'time',
        item: none ? item : 'a time-stamp token (RFC 3161) or an anchor receipt over the head',
        who: none ? who : 'the keeper of the log, or the anchor it publishes to',
        from: none ? null : at,
      },
    ],
  };
}

/** Heads among the files given that are of this journal; a file that is no head, or another's, is said to be unused. */
function headsOf(
  journal: Journal,
  context: VerifyContext,
): {
  readonly heads: readonly TreeHead[];
  readonly findings: readonly Finding[];
  readonly notSupplied: readonly string[];
} {
  const heads: TreeHead[] = [];
  const findings: Finding[] = [];
  const notSupplied: string[] = [];
  for (const { path, source } of context.heads ?? []) {
    const read = readStrictly(headShape, readAll(source), { part: path });
    if (!read.ok) findings.push(...read.findings);
    else if (read.value.kind === 'journal' && read.value.run_id === journal.run) heads.push(read.value);
    else
      notSupplied.push(
        `${path} is a head of kind ${read.value.kind} of ${JSON.stringify(read.value.run_id)}, not a journal head of this run`,
      );
  }
  if (heads.length === 0) notSupplied.push('a signed head of this journal: records may have been left out at its end');
  return { heads, findings, notSupplied };
}

function missingOf(run: Replay, claims: readonly Claim[]): readonly Missing[] {
  const open = (name: string) => claims.some(({ claim, verdict }) => claim === name && verdict === 'undecided');
  const missing: Missing[] = [];
  if (open('sequence')) {
    missing.push({
      claim: 'sequence',
      item:
        run.tombstones > 0
          ? 'the original bytes of the redacted records'
          : 'an explanation of the records named in the findings',
      who: 'whoever keeps the store',
      from: null,
    });
  }
  return missing;
}

function timelineOf(run: Replay): readonly TimelineRow[] {
  const lane = run.journal.run;
  return recordLines(run).map(({ time, type, name, text }) => ({
    time: time ?? null,
    type: TYPE_OF[type] ?? type,
    text,
    ...(name === '' ? {} : { entry: name }),
    ...(lane === '' ? {} : { lane }),
  }));
}

const TYPE_OF: Readonly<Record<string, string>> = {
  turn: 'response',
  attempt: 'call',
  outcome: 'call',
  gate: 'approval',
};
