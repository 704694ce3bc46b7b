/**
 * Kind `session`: an agent session file. Reading decides integrity; the checks of the session module decide what its records and requests
 * are worth; what a bare file cannot show is undecided and says what would decide it (architecture, claims table).
 */
import type { Claim, Finding, Missing, Verdict } from '../finding/finding.ts';
import { catalogue } from '../session/catalogue.ts';
import { SessionChecker, type SessionChecks } from '../session/check.ts';
import { looksLikeSession } from '../session/detect.ts';
import { MOST_OF_ONE_CODE } from '../session/findingSink.ts';
import { readHeader } from '../session/header.ts';
import { LineReader } from '../session/lines.ts';
import { subsessionLinks, successors, verifyLinks } from '../session/links.ts';
import type { Header } from '../session/model.ts';
import { readSession } from '../session/read.ts';
import { type ReadResult, ROOT, type Session } from '../session/session.ts';
import type { Input, KindVerifier, Outcome, VerifyContext } from './kind.ts';
import { sessionUnderHeads } from './sessionHeads.ts';
import { sessionMedia } from './sessionMedia.ts';
import { sessionTimeline } from './sessionTimeline.ts';

const REQUIRED = ['integrity', 'records'] as const;

export const verifier: KindVerifier = {
  kind: 'session',
  detect: (prefix) => looksLikeSession(prefix.bytes, prefix.source.size, prefix.path),
  verify(input, context) {
    const checker = new SessionChecker();
    const read = readSession(input.source, { visit: checker.visit });
    const { session } = read;
    if (session === undefined) return unreadable(read);
    return outcome(session, read, checker.finish(session), context);
  },
};

async function outcome(
  session: Session,
  read: ReadResult,
  checks: SessionChecks,
  context: VerifyContext,
): Promise<Outcome> {
  const expected = expectations(session, context);
  const links = linkChecks(session, context);
  const media = sessionMedia(session, read.namesMedia, context);
  const successor = successors(session);
  const { header, leaf } = session;
  const headed = await sessionUnderHeads(session, context);
  const { counts } = checks;
  const judged = [
    integrity(session, read.findings, context, headed?.protectsHeader === true),
    records(session, checks, headed?.protectsHeader === true),
    requests(session, checks),
    ...links.judged,
    ...(headed === undefined ? open(session) : []),
  ];
  return {
    subject: {
      format: header.format,
      id: header.id,
      leaf: leaf === ROOT ? null : session.id(leaf),
      base: header.base ?? null,
      media: header.media,
      redacted: header.redacted,
      redacted_from: header.redactedFrom?.session ?? null,
      successor: successor.successor ?? null,
    },
    counts: {
      entries: session.size,
      entries_bad: countBad(session),
      entries_own: countOwn(session),
      lines: read.lines,
      repeated: session.repeated.length,
      leaves: checks.leaves + checks.leavesUnchecked,
      responses: counts.responses,
      hashes_verified: counts.verified,
      hashes_absent: counts.absent,
      hashes_failed: counts.failed,
      hashes_unchecked: counts.unchecked,
      links: links.count,
    },
    claims: [...judged.map(({ claim }) => claim), ...media.claims, ...(headed?.claims ?? [])],
    required: REQUIRED,
    findings: [
      ...read.findings,
      ...(headed?.findings ?? []),
      ...checks.recordFindings,
      ...checks.requestFindings,
      ...links.findings,
      ...media.findings,
      ...successor.findings,
      ...expected,
      ...headsElsewhere(session, headed === undefined ? (context.heads ?? []) : []),
      ...checks.notes,
    ],
    missing: [...judged.flatMap(({ missing }) => missing), ...media.missing, ...(headed?.missing ?? [])],
    notSupplied: [
      ...(headed === undefined ? ['a signed head of this session'] : ['a later head of this session']),
      ...((context.expectIds ?? []).length > 0 ? [] : ['an entry id noted when the session was written (--expect-id)']),
      ...(links.absent.length === 0 ? [] : [`${links.absent.length} of the linked sessions`]),
      ...media.notSupplied,
    ],
    timeline: sessionTimeline(session, checks.verdicts),
  };
}

/** Heads were given and none is about this session, which somebody may have meant them for: renaming a session takes it from under its head. */
function headsElsewhere(session: Session, heads: readonly Input[]): readonly Finding[] {
  if (heads.length === 0) return [];
  const [first] = heads;
  return [
    catalogue.find(
      'session/head-elsewhere',
      `${heads.length === 1 ? `the head given (${first?.path ?? ''}) is not` : `none of the ${heads.length} heads given is`} about this session, so nothing was held against it`,
      {
        where: { pointer: '/id' },
        expected: `a head of ${JSON.stringify(session.header.id)} with this header`,
        actual: 'none',
      },
    ),
  ];
}

/** A claim with what would decide it, where it is undecided. */
interface Judged {
  readonly claim: Claim;
  readonly missing: readonly Missing[];
}

function judge(
  claim: string,
  verdict: Verdict,
  scope: string,
  detail: string,
  missing?: Omit<Missing, 'claim'>,
): Judged {
  return {
    claim: { claim, verdict, grade: verdict === 'undecided' ? 'none' : 'rechecked', scope, detail },
    missing: verdict === 'undecided' && missing !== undefined ? [{ claim, ...missing }] : [],
  };
}

/** Who answers for the header, which no id covers. */
const headerNote = (isProtected: boolean): string =>
  isProtected ? 'the signed head covers the header' : 'nothing in the file protects the header';

/** Whether every entry is what was written under its id. */
function integrity(
  session: Session,
  findings: readonly Finding[],
  { expectIds = [] }: VerifyContext,
  protectsHeader: boolean,
): Judged {
  const claim = 'integrity';
  const { size } = session;
  if (session.migrated)
    return judge(
      claim,
      'undecided',
      `${entries(size)} of format ${session.header.format}`,
      'the ids of this format are names; nothing in the file shows a change to it',
      {
        item: 'the SHA-256 of the file from when it was written, or the session in a format of 0.5 or later',
        who: 'whoever kept the session',
        from: null,
      },
    );
  const faults = findings.filter(
    ({ code, class: effect }) => effect === 'not_verified' && code !== 'session/truncated' && !OF_HEADER.has(code),
  );
  if (size === 0 && faults.length === 0)
    return judge(claim, 'undecided', 'no entry', 'there is no entry whose id could be checked', {
      item: 'the entries of the session',
      who: 'whoever kept the session',
      from: null,
    });
  const bad = countBad(session);
  const cut = session.truncated === undefined ? '' : '; the last line is cut off';
  if (faults.length > 0)
    return judge(
      claim,
      'failed',
      `${size - bad} of ${entries(size)} hold${cut}`,
      `${faults.length > MOST_OF_ONE_CODE ? `more than ${MOST_OF_ONE_CODE}` : faults.length} ${faults.length === 1 ? 'fault was' : 'faults were'} found on the lines; ${headerNote(protectsHeader)}`,
    );
  const known = expectIds.filter((id) => isHeld(session, id)).length;
  return judge(
    claim,
    'verified',
    `${entries(size)}${cut}`,
    `every id was computed again from its line and fits${known === 0 ? '' : `; ${known === 1 ? 'the path to the expected entry is' : 'the paths to the expected entries are'} as known from elsewhere`}; ${headerNote(protectsHeader)}`,
  );
}

/** Findings about the header, which no id covers. */
const OF_HEADER: ReadonlySet<string> = new Set([
  'session/bad-header',
  'session/redacted-from',
  'session/nothing-checked',
]);

/** Whether runs, calls, decisions and dispatches agree with each other on every path. */
function records(session: Session, checks: SessionChecks, protectsHeader: boolean): Judged {
  const { leaves, leavesUnchecked, recordFaults: faults } = checks;
  const all = leaves + leavesUnchecked;
  const scope = `${leaves} of ${all} ${all === 1 ? 'path' : 'paths'} to a last entry`;
  const promise =
    session.header.records.length === 0
      ? 'the header promises no records, so a missing one proves nothing'
      : `the header promises ${session.header.records.join(', ')}, and ${headerNote(protectsHeader)}`;
  if (faults > 0)
    return judge(
      'records',
      'failed',
      scope,
      `${faults} ${faults === 1 ? 'record does' : 'records do'} not agree; ${promise}`,
    );
  if (leavesUnchecked > 0 || leaves === 0)
    return judge(
      'records',
      'undecided',
      scope,
      leaves === 0 && leavesUnchecked === 0
        ? 'there is no entry to check'
        : 'paths with an entry that does not hold were not checked',
      { item: 'a copy of the session whose entries hold', who: 'whoever kept the session', from: null },
    );
  return judge('records', 'verified', scope, `runs, calls, decisions and dispatches agree; ${promise}`);
}

/** Whether the model was sent what the entries say. */
function requests(session: Session, { counts, requestFindings }: SessionChecks): Judged {
  const { responses, verified, absent, failed, unchecked } = counts;
  const scope = `${verified} of ${responses} ${responses === 1 ? 'response' : 'responses'}`;
  const redacted = session.header.redacted ? '; the hashes are those of the redacted session' : '';
  if (failed > 0 || requestFindings.length > 0)
    return judge(
      'requests',
      'failed',
      scope,
      failed === 0
        ? 'a context cannot be built'
        : `${failed} recorded ${failed === 1 ? 'hash does' : 'hashes do'} not fit the request rebuilt from the entries`,
    );
  if (unchecked > 0)
    return judge('requests', 'undecided', scope, `${unchecked} could not be checked; a finding says where and why`, {
      item: 'a copy of the session whose entries hold and whose requests can be rebuilt within the limits',
      who: 'whoever kept the session',
      from: null,
    });
  if (verified === 0)
    return judge(
      'requests',
      'undecided',
      scope,
      responses === 0 ? 'the session holds no response' : 'no response recorded the hash of its request',
      {
        item: responses === 0 ? 'a response with the hash of its request' : 'request hashes on the responses',
        who: 'the harness that writes the session',
        from: null,
      },
    );
  return judge(
    'requests',
    'verified',
    scope,
    `each request rebuilt from the entries has the hash that its response recorded${absent === 0 ? '' : `; ${absent} recorded none`}${redacted}`,
  );
}

/** What a file alone never shows. */
function open(session: Session): readonly Judged[] {
  const head = { item: 'a signed head of this session', who: 'the keeper of the log', from: null };
  return [
    judge('completeness', 'undecided', entries(session.size), 'entries taken from the end leave a valid file', head),
    judge('authorship', 'undecided', 'the file', 'nothing in the file is signed', head),
    judge('time', 'undecided', 'the file', 'times in the file are its writer’s own word', {
      item: 'a signed head with a time stamp, or an anchored one',
      who: 'the keeper of the log',
      from: null,
    }),
  ];
}

/** Ids that the caller knows from elsewhere, and the leaf that the caller expects. */
function expectations(session: Session, { expectIds = [], expectLeaf, entry }: VerifyContext): readonly Finding[] {
  const findings: Finding[] = [];
  for (const id of new Set(entry === undefined ? expectIds : [...expectIds, entry])) {
    if (isHeld(session, id)) continue;
    const found = session.find(id);
    findings.push(
      catalogue.find(
        'session/expected-id-missing',
        found === undefined
          ? 'the file does not hold the expected entry'
          : 'the expected entry, or an entry on its path, does not hold',
        {
          where: found === undefined ? {} : { line: session.line(found), byte: session.offset(found), entry: id },
          expected: id,
          actual: found === undefined ? 'not in the file' : 'in the file, with findings',
        },
      ),
    );
  }
  if (expectLeaf !== undefined) {
    const actual = session.leaf === ROOT ? 'the universal root' : session.id(session.leaf);
    if (actual !== expectLeaf || !session.pathUsable(session.leaf))
      findings.push(
        catalogue.find('session/expected-leaf', 'the session resolves to another leaf than the expected one', {
          where: session.leaf === ROOT ? {} : { line: session.line(session.leaf), entry: session.id(session.leaf) },
          expected: expectLeaf,
          actual: actual === expectLeaf ? `${actual}, whose path does not hold` : actual,
        }),
      );
  }
  return findings;
}

function isHeld(session: Session, id: string): boolean {
  const found = session.find(id);
  return found !== undefined && session.id(found) === id && session.pathUsable(found);
}

/** Links to child sessions, against the files given beside the input. */
function linkChecks(
  session: Session,
  { companions = [], siblings = [] }: VerifyContext,
): { judged: readonly Judged[]; findings: readonly Finding[]; absent: readonly string[]; count: number } {
  const wanted = new Set(subsessionLinks(session).map(({ link }) => link.session));
  if (wanted.size === 0) return { judged: [], findings: [], absent: [], count: 0 };
  const [beside, among] = [headersOf(companions), headersOf(siblings)];
  const { links, checked, absent, findings } = verifyLinks(session, (id) => [
    ...(beside.get(id) ?? []),
    ...(among.get(id) ?? []),
  ]);
  const scope = `${checked} of ${links} ${links === 1 ? 'link' : 'links'} to a child session`;
  const verdict: Verdict = findings.length > 0 ? 'failed' : checked === links ? 'verified' : 'undecided';
  const detail = {
    failed: 'a linked session names another parent or another call',
    verified: 'each linked session names this one and the call that started it; their headers are not protected either',
    undecided: 'some linked sessions were not given, or never started',
  }[verdict];
  return {
    judged: [
      judge('links', verdict, scope, detail, {
        item: `the session ${absent[0] ?? ''}${absent.length > 1 ? ` and ${absent.length - 1} more` : ''}`,
        who: 'whoever kept the session',
        from: null,
      }),
    ],
    findings,
    absent,
    count: links,
  };
}

/** Headers by id, read once for all sessions of a run: each session of a folder of a hundred thousand may name another. */
const HEADERS = new WeakMap<Iterable<Input>, ReadonlyMap<string, readonly Header[]>>();

function headersOf(inputs: Iterable<Input>): ReadonlyMap<string, readonly Header[]> {
  const known = HEADERS.get(inputs);
  if (known !== undefined) return known;
  const headers = new Map<string, Header[]>();
  for (const input of inputs) {
    const header = headerOf(input);
    if (header === undefined) continue;
    const same = headers.get(header.id);
    if (same === undefined) headers.set(header.id, [header]);
    else same.push(header);
  }
  HEADERS.set(inputs, headers);
  return headers;
}

/** The header of a file, if it begins with one. */
function headerOf({ source }: Input): Header | undefined {
  try {
    const lines = new LineReader(source, { maxLine: 1 << 20 });
    if (!lines.next() || lines.tooLong) return undefined;
    return readHeader(lines.bytes.slice(lines.start, lines.end), lines.offset, lines.number).header;
  } finally {
    source.close?.();
  }
}

/** Nothing was read, so nothing is claimed. */
function unreadable({ findings, lines }: ReadResult): Outcome {
  const claims = [...REQUIRED, 'requests', 'completeness', 'authorship', 'time'];
  const judged = claims.map((claim) =>
    judge(claim, 'undecided', 'nothing', 'the header could not be read, so no entry was', {
      item: 'the session with its header',
      who: 'whoever kept the session',
      from: null,
    }),
  );
  return {
    subject: {},
    counts: { lines },
    claims: judged.map(({ claim }) => claim),
    required: REQUIRED,
    findings,
    missing: judged.flatMap(({ missing }) => missing),
  };
}

function entries(count: number): string {
  return count === 1 ? '1 entry' : `${count} entries`;
}

function countBad(session: Session): number {
  let bad = 0;
  for (let entry = 0; entry < session.size; entry++) if (!session.usable(entry)) bad++;
  return bad;
}

function countOwn(session: Session): number {
  let own = 0;
  for (let entry = 0; entry < session.size; entry++) if (session.own(entry)) own++;
  return own;
}
