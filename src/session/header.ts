/** The header of a session file: session-format 2.2 (decoding), 2.3 (validation), 2.4 (format), 2.5 (gating). */
import type { Finding, Where } from '../finding/finding.ts';
import { problemFinding, violationFinding } from '../json/catalogue.ts';
import { type Name, type Node, name, OBJECT, Scanner } from '../json/scan.ts';
import { catalogue } from './catalogue.ts';
import { foreignEncoding } from './lines.ts';
import { Members } from './members.ts';
import type { Header, RedactedFrom } from './model.ts';
import { isRfc3339 } from './timestamp.ts';

/** Latest minor that is read and written. */
export const LATEST_MINOR = 14;
/** First minor whose ids are hashes. */
export const FIRST_HASHED_MINOR = 5;
/** First minor that defines `redacted_from` and an entry's `redacted`. */
export const FIRST_REDACTED_MINOR = 13;

const FORMAT = /^agentsession\/(0|[1-9][0-9]*)\.(0|[1-9][0-9]*)$/;

const N = Object.fromEntries(
  [
    'type',
    'format',
    'id',
    'created_at',
    'payload',
    'harness',
    'version',
    'records',
    'cwd',
    'parent_session',
    'spawned_by',
    'base',
    'media',
    'redacted',
    'redacted_from',
    'session',
    'profile',
    'name',
  ].map((text) => [text, name(text)]),
) as Readonly<Record<string, Name>>;
const member = (text: string) => N[text] as Name;

/** Major and minor of a format string (2.4); undefined for anything else. */
export function parseFormat(text: string): { readonly major: number; readonly minor: number } | undefined {
  const match = FORMAT.exec(text);
  return match === null ? undefined : { major: Number(match[1]), minor: Number(match[2]) };
}

/** The header, where the line is one of a format that is read, and what is wrong with it. With a header the entries can be read. */
export interface HeaderResult {
  readonly header: Header | undefined;
  readonly findings: readonly Finding[];
}

/**
 * Reads the header line. `offset` is where it begins in the file.
 *
 * @param scanner one that the caller uses again afterwards
 */
export function readHeader(
  line: Uint8Array,
  offset: number,
  lineNumber: number,
  scanner = new Scanner(),
): HeaderResult {
  const where: Where = { line: lineNumber, byte: offset };
  const refuse = (finding: Finding): HeaderResult => ({ header: undefined, findings: [finding] });
  const foreign = foreignEncoding(line);
  if (foreign !== undefined)
    return refuse(
      catalogue.find('session/not-a-session', `the file is ${foreign}; a session is UTF-8 without a byte order mark`, {
        where,
        expected: 'UTF-8 without a byte order mark',
        actual: foreign,
      }),
    );
  if (!scanner.scan(line)) {
    if (scanner.problem?.kind === 'too-deep')
      return refuse(problemFinding(scanner.problem, offset, where, 'the header'));
    return refuse(
      catalogue.find(
        'session/not-a-session',
        `the first line is not a session header: it is not JSON (${scanner.problem?.message ?? 'unreadable'})`,
        { where: { line: lineNumber, byte: offset + (scanner.problem?.at ?? 0) } },
      ),
    );
  }
  const read = new Members(scanner);
  read.keep = true;
  const type = scanner.kind[0] === OBJECT ? scanner.member(0, member('type')) : -1;
  if (type < 0 || !scanner.textIs(type, name('session')))
    return refuse(
      catalogue.find('session/not-a-session', 'the first line is JSON, but not a session header', {
        where,
        expected: 'an object whose "type" is "session"',
        actual:
          type < 0 ? `${read.kindWord(0)} without a "type"` : new TextDecoder().decode(scanner.span(type).slice(0, 60)),
      }),
    );
  const findings = scanner.violations.map((violation) => violationFinding(violation, offset, where, 'the header'));
  const header = decodeHeader(read);
  if (header === undefined) return { header, findings: [...findings, unsupported(read, where)] };
  if (header.payload !== '' && !header.payload.startsWith('openresponses/'))
    return refuse(
      catalogue.find('session/unsupported-format', `the payload of the session is ${JSON.stringify(header.payload)}`, {
        where: { ...where, pointer: '/payload' },
        expected: 'openresponses/ and a date',
        actual: header.payload,
        rule: 'session-format 2.3',
      }),
    );
  findings.push(...validate(header, read, where, offset));
  return { header, findings };
}

function unsupported(read: Members, where: Where): Finding {
  const found = read.string(0, member('format'));
  return catalogue.find(
    'session/unsupported-format',
    found === undefined ? 'the header names no format' : `the format ${JSON.stringify(found)} is not one that is read`,
    {
      where: { ...where, pointer: '/format' },
      expected: `agentsession/0.1 to agentsession/0.${LATEST_MINOR}`,
      actual: found ?? 'no format',
    },
  );
}

/** Undefined when the format is not one that is read. */
function decodeHeader(read: Members): Header | undefined {
  const format = read.string(0, member('format')) ?? '';
  const { major, minor } = parseFormat(format) ?? { major: -1, minor: -1 };
  if (major !== 0 || minor < 1 || minor > LATEST_MINOR) return undefined;
  const harness = read.object(0, member('harness'));
  const version = harness < 0 ? undefined : read.string(harness, member('version'));
  const redactedFrom = minor >= FIRST_REDACTED_MINOR ? readRedactedFrom(read) : undefined;
  return {
    raw: read.raw(0),
    format,
    major,
    minor,
    id: read.string(0, member('id')) ?? '',
    createdAt: read.string(0, member('created_at')) ?? '',
    payload: read.string(0, member('payload')) ?? '',
    ...(harness < 0
      ? {}
      : {
          harness: {
            name: read.string(harness, member('name')) ?? '',
            ...(version === undefined ? {} : { version }),
          },
        }),
    records: read.strings(0, member('records')) ?? [],
    ...optional('cwd', read.string(0, member('cwd'))),
    ...optional('parentSession', read.string(0, member('parent_session'))),
    ...optional('spawnedBy', read.string(0, member('spawned_by'))),
    // Before entries had hashes a base is not a base (10).
    ...optional('base', minor < FIRST_HASHED_MINOR ? undefined : read.string(0, member('base')) || undefined),
    media: read.string(0, member('media')) || 'inline',
    redacted: read.boolean(0, member('redacted')) ?? false,
    ...optional('redactedFrom', redactedFrom),
    holdsRedactedFrom: read.scanner.member(0, member('redacted_from')) >= 0,
  };
}

function readRedactedFrom(read: Members): RedactedFrom | undefined {
  const node: Node = read.row(0, member('redacted_from'));
  if (node < 0 || read.scanner.kind[node] !== OBJECT) return undefined;
  const session = read.typedString(node, member('session'));
  if (session === undefined) return undefined;
  return { session, ...optional('profile', read.typedString(node, member('profile'))) };
}

function validate(header: Header, read: Members, where: Where, offset: number): Finding[] {
  const findings = read.problems.map(({ message, node, expected, actual }) =>
    catalogue.find('session/bad-header', `in the header, ${message}`, {
      where: { ...where, byte: offset + (read.scanner.start[node] as number), pointer: read.scanner.pointer(node) },
      expected,
      actual,
      rule: 'session-format 2.2',
    }),
  );
  const bad = (pointer: string, message: string, expected: string, actual: string) => {
    if (!findings.some((finding) => finding.where.pointer === pointer))
      findings.push(catalogue.find('session/bad-header', message, { where: { ...where, pointer }, expected, actual }));
  };
  if (header.id === '') bad('/id', 'the header has no id', 'an id that is not empty', 'no id');
  if (!isRfc3339(header.createdAt))
    bad('/created_at', 'the header has no valid time of creation', 'an RFC 3339 time', header.createdAt || 'no time');
  if (header.payload === '') bad('/payload', 'the header names no payload', 'openresponses/ and a date', 'no payload');
  const { redactedFrom } = header;
  if (redactedFrom === undefined) return findings;
  const wrong = (message: string) =>
    findings.push(
      catalogue.find('session/redacted-from', message, {
        where: { ...where, pointer: '/redacted_from' },
        actual: redactedFrom.session,
      }),
    );
  if (!header.redacted) wrong('the header names an original and does not say that the session is redacted');
  if (redactedFrom.session === header.id) wrong('the session names itself as the original that it was redacted from');
  return findings;
}

function optional<K extends string, V>(key: K, value: V | undefined): { readonly [P in K]?: V } {
  return (value === undefined ? {} : { [key]: value }) as { readonly [P in K]?: V };
}
