/**
 * What signed heads given beside a session say of it (docs/spec/session-heads.md): who attests it, and that nothing was missing as of their size
 * and time. Heads of other sessions are left alone, so that many can be given for a folder.
 */
import { equalBytes, hex } from '../bytes/encoding.ts';
import type { Claim, Finding, Missing, Verdict } from '../finding/finding.ts';
import { catalogue } from '../log/catalogue.ts';
import { parseCheckpoint } from '../log/checkpoint.ts';
import { headTimeFindings } from '../log/head.ts';
import { parseNote } from '../log/note.ts';
import {
  bindSession,
  contentOf,
  type SessionContent,
  type SessionHead,
  sessionHeadBytes,
  sessionOrigin,
  sessionRoots,
} from '../log/sessionHead.ts';
import { judgeSingle, readSingle } from '../log/statement.ts';
import type { Session } from '../session/session.ts';
import { formatInstant } from '../time/instant.ts';
import { claimOf, logRing, wholeInput } from './artifact.ts';
import { type HeadTime, stampedTime } from './headTime.ts';
import type { VerifyContext } from './kind.ts';
import { topFormat } from './topFormat.ts';

export interface HeadedSession {
  /** `completeness`, `authorship` and `time`. */
  readonly claims: readonly Claim[];
  readonly missing: readonly Missing[];
  readonly findings: readonly Finding[];
  /** A head that holds covers the header, which no id does. */
  readonly protectsHeader: boolean;
}

/** One head about this session, judged. */
interface JudgedHead {
  readonly name: string;
  readonly size: number;
  /** RFC 3339, or in words where a checkpoint has none. */
  readonly when: string;
  readonly signed: boolean | undefined;
  readonly findings: readonly Finding[];
  /** The head itself; a checkpoint names no time and is none. */
  readonly head?: SessionHead;
}

/** Holds a session against the heads given; undefined where none is about it. */
export async function sessionUnderHeads(session: Session, context: VerifyContext): Promise<HeadedSession | undefined> {
  const content = contentOf(session);
  if (content === undefined) return undefined;
  const files = (context.heads ?? []).flatMap(({ path, source }) => {
    const bytes = wholeInput({ path, source });
    return bytes === undefined ? [] : [{ path, bytes }];
  });
  const rootOf = rootsOf(content, files);
  const heads = files.flatMap(({ path, bytes }) => judgeHead(path, bytes, content, rootOf, context) ?? []);
  if (heads.length === 0) return undefined;
  const findings = heads.flatMap((head) => head.findings);
  const good = heads.filter((head) => head.signed === true && head.findings.length === 0);
  const widestFirst = [...good].sort((a, b) => b.size - a.size);
  const [widest] = widestFirst;
  const has = (...codes: readonly string[]) => findings.some(({ code }) => codes.includes(code));
  const contradicted = has('log/session-other', 'log/session-history');
  const completeness = verdictOf(contradicted || has('log/session-truncated'), widest !== undefined);
  const isForged = heads.some((head) => head.signed === false);
  const covered = widest === undefined ? 0 : widest.size - 1;
  const broken = firstBroken(session, covered);
  const authorship = verdictOf(contradicted || isForged, widest !== undefined && broken === undefined);
  const later = session.size - covered;
  // A head by a trusted key that does not hold for this file: the key is not what is missing.
  const isSigned = heads.some((head) => head.signed === true);
  const open = !isSigned
    ? 'no head given is signed by a key that you trust'
    : has('log/session-truncated')
      ? 'the head is signed by a key that you trust, over entries that are not in the file'
      : 'the head is signed by a key that you trust, and a finding says why nothing rests on it';
  const decider = !isSigned
    ? 'the key of the log that signed the head, in a trust file'
    : has('log/session-truncated')
      ? 'the whole session that the head was signed over'
      : 'a head of this session that holds';
  const scope =
    widest === undefined ? 'the file' : `${coverage(widest, session)}${later === 0 ? '' : `; ${unattested(later)}`}`;
  const stamped = await timeOf(widestFirst, session, context);
  return {
    protectsHeader: widest !== undefined && !contradicted,
    findings: [...findings, ...(stamped?.findings ?? [])],
    claims: [
      claimOf(
        'completeness',
        completeness,
        widest === undefined
          ? 'the file'
          : `complete as of size ${widest.size} at ${widest.when}${later === 0 ? '' : `, ${unattested(later)}`}`,
        {
          verified:
            'every entry that the head covers is in the file, in its place; entries written after the head may be missing',
          failed: 'the file is not all that the head covers',
          undecided: open,
        }[completeness],
      ),
      claimOf(
        'authorship',
        authorship,
        scope,
        {
          verified: `${widest?.name ?? ''} is signed by a key of the log that you trust, over these ids`,
          failed: isForged
            ? 'a head given is not signed by a trusted key of the log'
            : 'the log signed something else than this file',
          undecided:
            broken === undefined ? open : `entry ${broken + 1} is under the head, and its line does not have its id`,
        }[authorship],
      ),
      stamped?.claim ?? {
        claim: 'time',
        verdict: 'undecided',
        grade: widest === undefined ? 'none' : 'asserted',
        scope,
        detail:
          widest === undefined
            ? 'times in the file are its writer’s own word'
            : `the log says that this existed by ${widest.when}; nothing independent of it does`,
      },
    ],
    missing: [
      ...(completeness === 'undecided' ? [missing('completeness', decider)] : []),
      ...(authorship === 'undecided'
        ? [missing('authorship', broken === undefined ? decider : 'a copy of the session whose entries hold')]
        : []),
      ...(stamped === undefined ? [missing('time', 'a time-stamp token (RFC 3161) over the head')] : []),
    ],
  };
}

type RootOf = (size: number) => Uint8Array | undefined;

/** Roots for the sizes of all heads that are of this session, from one pass over it, made when the first is asked for. */
function rootsOf(content: SessionContent, files: readonly { readonly bytes: Uint8Array }[]): RootOf {
  const sizes = files.flatMap(({ bytes }) => {
    const read = readSingle(bytes, {});
    if (!read.ok) return [];
    const { size } = judgeSingle(read.value, []).statement ?? {};
    return size === undefined || size > BigInt(content.entries + 1) ? [] : [Number(size)];
  });
  let roots: ReadonlyMap<number, Uint8Array> | undefined;
  return (size) => {
    roots ??= sessionRoots(content, sizes);
    return roots.get(size);
  };
}

function coverage({ size, when }: JudgedHead, session: Session): string {
  return `the header and ${size - 1} of ${session.size} entries, as of ${when}`;
}

function unattested(later: number): string {
  return `${later} later ${later === 1 ? 'entry' : 'entries'} unattested`;
}

/** When what is under a head existed, by a token over the widest head that has one. */
async function timeOf(
  heads: readonly JudgedHead[],
  session: Session,
  context: VerifyContext,
): Promise<HeadTime | undefined> {
  for (const judged of heads) {
    if (judged.head === undefined) continue;
    const scope = coverage(judged, session);
    const stamped = await stampedTime(sessionHeadBytes(judged.head), judged.head, scope, context);
    if (stamped !== undefined) return stamped;
  }
  return undefined;
}

function missing(claim: string, item: string): Missing {
  return { claim, item, who: 'the keeper of the log', from: null };
}

function verdictOf(isFailed: boolean, isVerified: boolean): Verdict {
  return isFailed ? 'failed' : isVerified ? 'verified' : 'undecided';
}

/** The first entry under the head whose line does not hold: its id is attested, what the line says is not. */
function firstBroken(session: Session, covered: number): number | undefined {
  for (let entry = 0; entry < covered; entry++) if (!session.usable(entry)) return entry;
  return undefined;
}

function judgeHead(
  path: string,
  bytes: Uint8Array,
  content: SessionContent,
  rootOf: RootOf,
  context: VerifyContext,
): JudgedHead | undefined {
  const where = { part: path };
  const text = new TextDecoder().decode(bytes.subarray(0, 65_536));
  const format = topFormat(text);
  if (format === undefined) return judgeCheckpoint(path, bytes, content, rootOf, context);
  if (!format.startsWith('audit.session-head')) return undefined;
  const read = readSingle(bytes, where);
  if (!read.ok) return { name: path, size: 0, when: '', signed: undefined, findings: read.findings };
  const head = read.value.value as SessionHead;
  if (head.session !== content.session) return undefined;
  const ring = logRing(context);
  const { findings } = judgeSingle(read.value, ring, where);
  const signed = ring.length === 0 ? undefined : findings.length === 0;
  return {
    name: path,
    size: head.size,
    when: formatInstant(head.timestamp_nanos),
    signed,
    head,
    findings: [
      ...findings,
      ...headTimeFindings(head, context.now(), undefined, where),
      // What nobody whom you trust signed says nothing about the file.
      ...(signed === true ? bindSession(content, head, where, rootOf).findings : []),
    ],
  };
}

/** A checkpoint whose origin names this session and its header. */
function judgeCheckpoint(
  path: string,
  bytes: Uint8Array,
  content: SessionContent,
  rootOf: RootOf,
  context: VerifyContext,
): JudgedHead | undefined {
  const where = { part: path };
  const note = parseNote(bytes);
  const checkpoint = note.ok ? parseCheckpoint(note.value.text) : note;
  if (!checkpoint.ok || !checkpoint.value.origin.endsWith(sessionOrigin(content))) return undefined;
  const size = Number(checkpoint.value.size);
  const ring = logRing(context);
  const single = readSingle(bytes, where);
  const findings = single.ok ? [...judgeSingle(single.value, ring, where, context.now()).findings] : [];
  const signed = ring.length === 0 ? undefined : findings.length === 0;
  if (signed === true) {
    const root = rootOf(size);
    if (root === undefined)
      findings.push(
        catalogue.find(
          'log/session-truncated',
          `the checkpoint covers ${size - 1} entries and the file holds ${content.entries}`,
          {
            where,
            expected: `${size - 1} entries`,
            actual: `${content.entries} entries`,
          },
        ),
      );
    else if (!equalBytes(root, checkpoint.value.root))
      findings.push(
        catalogue.find('log/session-history', `the first ${size - 1} entries are not those of the checkpoint`, {
          where,
          expected: `root ${hex(checkpoint.value.root)}`,
          actual: `root ${hex(root)}`,
        }),
      );
  }
  return { name: path, size, when: 'the time of the checkpoint', signed, findings };
}
