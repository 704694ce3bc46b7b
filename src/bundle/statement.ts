/**
 * in-toto statements (interop 3.1): something is said of files that are named by their digests. What is said is the predicate; nothing of it
 * is taken for a file whose digests do not match.
 */
import { hex, utf8 } from '../bytes/encoding.ts';
import { sha256 } from '../crypto/sha256.ts';
import { canonicalizeText } from '../json/canonical.ts';
import { type JsonNode, type JsonObject, parseTree } from '../json/tree.ts';
import { memberOf, repeatedName, textOf } from './members.ts';

export const STATEMENT_TYPE = 'https://in-toto.io/Statement/v1';
/** Digests that are computed here; others never match. Length in hexadecimal digits. */
const ALGORITHMS: ReadonlyMap<string, number> = new Map([
  ['sha256', 64],
  ['sha384', 96],
  ['sha512', 128],
]);

export type Digests = ReadonlyMap<string, string>;

export interface Subject {
  readonly name: string | undefined;
  readonly digest: Digests;
}

export interface Statement {
  readonly subjects: readonly Subject[];
  readonly predicateType: string;
  /** Undefined where the statement has none, which is the same as an empty one. */
  readonly predicate: JsonObject | undefined;
  /** The body, which the predicate's positions point into. */
  readonly bytes: Uint8Array;
}

export type StatementRule =
  | 'statement-json'
  | 'statement-duplicate-member'
  | 'statement-type'
  | 'statement-subject'
  | 'statement-digest'
  | 'statement-predicate-type'
  | 'statement-predicate'
  | 'predicate-type'
  | 'statement-digest-conflict'
  | 'subject-not-found';

export interface StatementFault {
  readonly rule: StatementRule;
  readonly message: string;
}

type Failed = { readonly ok: false; readonly fault: StatementFault };
export type StatementReading = { readonly ok: true; readonly statement: Statement } | Failed;

function fault(rule: StatementRule, message: string): Failed {
  return { ok: false, fault: { rule, message } };
}

/** Reads a statement from the body of a verified envelope. */
export function readStatement(bytes: Uint8Array): StatementReading {
  const parsed = parseTree(bytes);
  if (!parsed.ok) return fault('statement-json', `the statement is not one JSON text: ${parsed.problem.message}`);
  const { root } = parsed;
  const repeated = repeatedName(root);
  if (repeated !== undefined)
    return fault('statement-duplicate-member', `the member ${JSON.stringify(repeated)} is twice`);
  if (root.kind !== 'object' || textOf(memberOf(root, '_type')) !== STATEMENT_TYPE)
    return fault('statement-type', `_type is not ${STATEMENT_TYPE}`);
  const list = memberOf(root, 'subject');
  if (list?.kind !== 'array' || list.items.length === 0)
    return fault('statement-subject', 'the statement is about nothing');
  const subjects: Subject[] = [];
  for (const item of list.items) {
    if (item.kind !== 'object') return fault('statement-subject', 'a subject is no JSON object');
    const digest = digestsOf(memberOf(item, 'digest'));
    if (digest === undefined)
      return fault('statement-digest', 'a subject has no digests, or one that is not lower-case hex of its length');
    subjects.push({ name: textOf(memberOf(item, 'name')), digest });
  }
  const predicateType = textOf(memberOf(root, 'predicateType'));
  if (predicateType === undefined || predicateType === '')
    return fault('statement-predicate-type', 'the statement does not say what it states');
  const predicate = memberOf(root, 'predicate');
  if (predicate !== undefined && predicate.kind !== 'object')
    return fault('statement-predicate', 'the predicate is no JSON object');
  return { ok: true, statement: { subjects, predicateType, predicate, bytes } };
}

/** Digests of a descriptor, at least one; undefined where one is malformed. */
export function digestsOf(node: JsonNode | undefined): Digests | undefined {
  if (node?.kind !== 'object' || node.members.length === 0) return undefined;
  const digests = new Map<string, string>();
  for (const { name, value } of node.members) {
    const text = textOf(value);
    const length = ALGORITHMS.get(name);
    if (text === undefined || (length !== undefined && (text.length !== length || !/^[0-9a-f]*$/.test(text))))
      return undefined;
    digests.set(name, text);
  }
  return digests;
}

/** The subject that is this artifact, by digest and never by name; the predicate's type is looked at before it. */
export function matchSubject(
  statement: Statement,
  predicateType: string,
  artifact: Digests,
): { readonly ok: true; readonly subject: Subject } | Failed {
  if (statement.predicateType !== predicateType)
    return fault('predicate-type', `the statement states ${JSON.stringify(statement.predicateType)}`);
  for (const subject of statement.subjects) {
    const agree = [...subject.digest].flatMap(([name, value]) =>
      ALGORITHMS.has(name) && artifact.has(name) ? [artifact.get(name) === value] : [],
    );
    if (!agree.includes(true)) continue;
    if (agree.includes(false))
      return fault('statement-digest-conflict', 'one digest of the subject is of this file and another is not');
    return { ok: true, subject };
  }
  return fault('subject-not-found', 'the statement is not about this file');
}

/** A JSON value, as long as it is one. */
export type Plain = null | boolean | number | string | readonly Plain[] | { readonly [name: string]: Plain };

/** The bytes of a statement of ours: RFC 8785. */
export function writeStatement(
  subjects: readonly { readonly name: string; readonly sha256: string }[],
  predicateType: string,
  predicate: Plain,
): Uint8Array {
  return canonicalOf({
    _type: STATEMENT_TYPE,
    subject: subjects.map(({ name, sha256: digest }) => ({ name, digest: { sha256: digest } })),
    predicateType,
    predicate,
  });
}

/** RFC 8785 bytes of a value. Throws TypeError for one that is no I-JSON: the caller's mistake. */
export function canonicalOf(value: Plain): Uint8Array {
  const bytes = canonicalizeText(utf8(JSON.stringify(value)));
  if (bytes === undefined) throw new TypeError('this value has no canonical form');
  return bytes;
}

/** SHA-256 in hexadecimal. */
export function sha256Hex(bytes: Uint8Array): string {
  return hex(sha256(bytes));
}
