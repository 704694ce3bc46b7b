/**
 * What a log signs about one of its trees, in any of three forms: a bide tree head, a session head, a checkpoint. Files that hold two
 * statements of one log (`equivocation.ts`, `consistency.ts`) read them here.
 */
import { decodeUtf8, hex, utf8 } from '../bytes/encoding.ts';
import type { Finding, Where } from '../finding/finding.ts';
import { list, omitEmpty, string } from '../json/shape.ts';
import { parseTree } from '../json/tree.ts';
import type { Instant } from '../time/instant.ts';
import { catalogue } from './catalogue.ts';
import { parseCheckpoint } from './checkpoint.ts';
import { faultFinding } from './fault.ts';
import { headShape, type TreeHead, unusableHead } from './head.ts';
import { authenticateHead, inForce, type KeyRing } from './keyRing.ts';
import { checkSignatures, parseNote } from './note.ts';
import { type ED25519_COSIGNATURE, ED25519_NOTE, type NoteKey, noteKeyId } from './noteKey.ts';
import { type Read, readStrictly } from './read.ts';
import { authenticateSessionHead, type SessionHead, sessionHeadShape, sessionHeadShapeFault } from './sessionHead.ts';

/** Members of a file of two statements: exactly one of the lists is there. */
export interface TwoStatements {
  readonly heads: readonly TreeHead[] | null;
  readonly session_heads: readonly SessionHead[] | null;
  /** Signed notes, verbatim. */
  readonly checkpoints: readonly string[] | null;
}

/** The shapes of those members. */
export const statementMembers = {
  heads: omitEmpty(list(headShape)),
  session_heads: omitEmpty(list(sessionHeadShape)),
  checkpoints: omitEmpty(list(string)),
};

/** Two statements of one kind, as a producer gives them. */
export type StatementPair =
  | { readonly heads: readonly [TreeHead, TreeHead] }
  | { readonly session_heads: readonly [SessionHead, SessionHead] }
  | { readonly checkpoints: readonly [string, string] };

/** The members of a file that holds a pair. */
export function membersOf(pair: StatementPair): TwoStatements {
  return { heads: null, session_heads: null, checkpoints: null, ...pair };
}

/** What a statement says, whatever its form. */
export interface Statement {
  /** The tree that it is about: two statements speak of one tree exactly when these are equal. */
  readonly tree: string;
  readonly size: bigint;
  readonly root: Uint8Array;
  /** Nanoseconds; a checkpoint has no time of its own. */
  readonly time?: bigint;
  /** Size and root of the source journal of a key set. */
  readonly journal?: { readonly size: number; readonly root: Uint8Array };
}

export interface ReadStatements {
  readonly findings: readonly Finding[];
  /** Whether both are signed by keys of the ring; undefined where the ring is empty or the file holds no two statements. */
  readonly signed: boolean | undefined;
  /** Both, or none where one could not be read. */
  readonly pair: readonly [Statement, Statement] | undefined;
}

const NOTHING = new Uint8Array();

/**
 * Reads both statements and checks both signatures.
 *
 * @param now the time of judgement: a checkpoint has no time of its own, so its key must be in force then
 */
export function readStatements(file: TwoStatements, ring: KeyRing, where: Where = {}, now?: Instant): ReadStatements {
  const lists = [file.heads, file.session_heads, file.checkpoints].filter((some) => some !== null && some.length > 0);
  if (lists.length !== 1 || lists[0]?.length !== 2)
    return {
      findings: [
        catalogue.find('log/two-statements', 'the file does not hold exactly two statements of one kind', {
          where,
          expected: 'two heads, two session heads or two checkpoints',
          actual: `${file.heads?.length ?? 0} heads, ${file.session_heads?.length ?? 0} session heads, ${file.checkpoints?.length ?? 0} checkpoints`,
        }),
      ],
      signed: undefined,
      pair: undefined,
    };
  const first = readStatement(file, 0, ring, { ...where, part: 'first statement' }, now);
  const second = readStatement(file, 1, ring, { ...where, part: 'second statement' }, now);
  return {
    findings: [...first.findings, ...second.findings],
    signed: ring.length === 0 ? undefined : first.findings.length + second.findings.length === 0,
    pair:
      first.statement === undefined || second.statement === undefined ? undefined : [first.statement, second.statement],
  };
}

/** One statement of a file of its own. */
export type SingleStatement =
  | { readonly form: 'heads'; readonly value: TreeHead }
  | { readonly form: 'session_heads'; readonly value: SessionHead }
  | { readonly form: 'checkpoints'; readonly value: string };

/** Reads a file that is one head, one session head or one checkpoint. Signatures are not looked at. */
export function readSingle(file: Uint8Array, where: Where = {}): Read<SingleStatement> {
  if (!isJson(file)) {
    const note = parseNote(file);
    const checkpoint = note.ok ? parseCheckpoint(note.value.text) : note;
    if (!checkpoint.ok) return { ok: false, findings: [faultFinding(checkpoint.fault, where)] };
    return { ok: true, value: { form: 'checkpoints', value: decodeUtf8(file) as string } };
  }
  const parsed = parseTree(file);
  const members = parsed.ok && parsed.root.kind === 'object' ? parsed.root.members : [];
  const format = members.findLast(({ name }) => name === 'format')?.value;
  if (format?.kind === 'string' && format.value.startsWith('audit.session-head')) {
    const read = readStrictly(sessionHeadShape, file, where);
    return read.ok ? { ok: true, value: { form: 'session_heads', value: read.value } } : read;
  }
  const read = readStrictly(headShape, file, where);
  return read.ok ? { ok: true, value: { form: 'heads', value: read.value } } : read;
}

/** The first byte that is no white space opens an object. */
function isJson(file: Uint8Array): boolean {
  return file.find((byte) => byte !== 0x20 && byte !== 0x09 && byte !== 0x0a && byte !== 0x0d) === 0x7b;
}

/** Two single statements as a pair, the smaller size first; undefined where they are of two forms. */
export function pairOf(a: SingleStatement, b: SingleStatement): StatementPair | undefined {
  const [first, second] = sizeOf(a) <= sizeOf(b) ? [a, b] : [b, a];
  if (first.form === 'heads' && second.form === 'heads') return { heads: [first.value, second.value] };
  if (first.form === 'session_heads' && second.form === 'session_heads')
    return { session_heads: [first.value, second.value] };
  if (first.form === 'checkpoints' && second.form === 'checkpoints')
    return { checkpoints: [first.value, second.value] };
  return undefined;
}

function sizeOf(statement: SingleStatement): bigint {
  return judgeSingle(statement, []).statement?.size ?? 0n;
}

/** What a single statement says, and whether a key of the ring signed it; `now` as in `readStatements`. */
export function judgeSingle(
  statement: SingleStatement,
  ring: KeyRing,
  where: Where = {},
  now?: Instant,
): ReadStatement {
  switch (statement.form) {
    case 'heads':
      return headStatement(statement.value, ring, where);
    case 'session_heads':
      return sessionHeadStatement(statement.value, ring, where);
    case 'checkpoints':
      return checkpointStatement(statement.value, ring, where, now);
  }
}

export interface ReadStatement {
  readonly statement?: Statement;
  readonly findings: readonly Finding[];
}

function readStatement(
  file: TwoStatements,
  i: number,
  ring: KeyRing,
  where: Where,
  now: Instant | undefined,
): ReadStatement {
  const head = file.heads?.[i];
  if (head !== undefined) return headStatement(head, ring, where);
  const sessionHead = file.session_heads?.[i];
  if (sessionHead !== undefined) return sessionHeadStatement(sessionHead, ring, where);
  return checkpointStatement(file.checkpoints?.[i] ?? '', ring, where, now);
}

function headStatement(head: TreeHead, ring: KeyRing, where: Where): ReadStatement {
  const unusable = unusableHead(head, where);
  if (unusable !== undefined) return { findings: [unusable] };
  const checked = ring.length === 0 ? undefined : authenticateHead(head, ring, where);
  const { journal } = head;
  return {
    statement: {
      tree: `${head.kind} of ${JSON.stringify(head.run_id)}`,
      size: BigInt(head.size),
      root: head.root ?? NOTHING,
      time: head.timestamp_nanos,
      ...(journal === null ? {} : { journal: { size: journal.size, root: journal.root ?? NOTHING } }),
    },
    findings: checked === undefined || checked.ok ? [] : checked.findings,
  };
}

function sessionHeadStatement(head: SessionHead, ring: KeyRing, where: Where): ReadStatement {
  const fault = sessionHeadShapeFault(head);
  if (fault !== undefined)
    return {
      findings: [
        catalogue.find('log/head-malformed', `the session head is of no shape that one can have: ${fault}`, { where }),
      ],
    };
  return {
    statement: {
      tree: `session ${JSON.stringify(head.session)}, header ${hex(head.ident ?? NOTHING)}, ${JSON.stringify(head.declared)}`,
      size: BigInt(head.size),
      root: head.root ?? NOTHING,
      time: head.timestamp_nanos,
    },
    findings: ring.length === 0 ? [] : authenticateSessionHead(head, ring, where).findings,
  };
}

function checkpointStatement(text: string, ring: KeyRing, where: Where, now: Instant | undefined): ReadStatement {
  const note = parseNote(utf8(text));
  if (!note.ok) return { findings: [faultFinding(note.fault, where)] };
  const checkpoint = parseCheckpoint(note.value.text);
  if (!checkpoint.ok) return { findings: [faultFinding(checkpoint.fault, where)] };
  const { origin, size, root } = checkpoint.value;
  const statement = { tree: `log ${JSON.stringify(origin)}`, size, root };
  if (ring.length === 0) return { statement, findings: [] };
  const checked = checkSignatures(note.value, noteKeysOf(ring, note.value.signatures, now));
  const findings = checked.faults.map((fault) => faultFinding(fault, where));
  if (checked.by.length === 0 && findings.length === 0)
    findings.push(
      faultFinding({ reason: 'no-log-signature', message: 'no trusted key of the log signed this checkpoint' }, where),
    );
  return { statement, findings };
}

/**
 * The Ed25519 keys of a ring as keys of the notes at hand: the auditor trusts the key, under whatever name a line gives it. A checkpoint has
 * no time of its own, so only keys in force at the time of judgement count: a key that leaked after its time could sign any now.
 */
export function noteKeysOf(
  ring: KeyRing,
  lines: readonly { readonly name: string; readonly id: string }[],
  now?: Instant,
  type: typeof ED25519_NOTE | typeof ED25519_COSIGNATURE = ED25519_NOTE,
): readonly NoteKey[] {
  const keys = new Map<string, NoteKey>();
  for (const { key } of now === undefined ? ring : inForce(ring, now)) {
    if (key.scheme !== 'ed25519') continue;
    for (const { name, id } of lines) {
      if (noteKeyId(name, type, key.bytes) !== id) continue;
      const verify: NoteKey['verify'] = (signature, message) => key.verify(signature, message);
      keys.set(`${name}+${id}`, { name, id, type, bytes: key.bytes, verify });
    }
  }
  return [...keys.values()];
}
