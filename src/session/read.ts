/**
 * Reading a session file (session-format 1.2), with every line's id re-computed from its own bytes. Where a library stops at the first bad
 * line this goes on (9.3): a bad line counts as met under the id that it states, so that one fault gives one finding. The steps of 1.2 share
 * the state of one reading and stand in its order, in one file.
 */
import { equalBytes, hex, utf8 } from '../bytes/encoding.ts';
import type { ByteSource } from '../bytes/source.ts';
import { sha256 } from '../crypto/sha256.ts';
import type { Where } from '../finding/finding.ts';
import { problemFinding, violationFinding } from '../json/catalogue.ts';
import { ARRAY, type Node, NULL, name, OBJECT, Scanner, STRING } from '../json/scan.ts';
import { BAD, EntryColumns, HAS_CHILD, LEAF_LABEL, TAINTED } from './columns.ts';
import { convergenceProblem, readParents } from './convergence.ts';
import { checkCommon, decodeEntry, holdsRedacted, kindOf, type UnknownValue } from './entry.ts';
import { FindingSink } from './findingSink.ts';
import { FIRST_HASHED_MINOR, FIRST_REDACTED_MINOR, readHeader } from './header.ts';
import { type EnvelopeRows, envelopeRows, Hasher, hashOfText, readHash, readHashText, statedHash } from './ident.ts';
import { IndexedSession } from './indexed.ts';
import { type LabelMark, resolveLeaf } from './leaf.ts';
import { LineReader, MAX_LINE } from './lines.ts';
import { namesBlob } from './media.ts';
import { Members } from './members.ts';
import { Migration, withId } from './migrate.ts';
import type { EntryRef, Header } from './model.ts';
import * as found from './readFindings.ts';
import { type EntryIndex, type EntryVisitor, NOWHERE, type ReadResult, ROOT } from './session.ts';
import { canonicalTs, isCanonicalTs } from './timestamp.ts';

export interface ReadOptions {
  /** Called for each usable entry in file order. What the entry holds of the line's bytes is good during the call only. */
  readonly visit?: EntryVisitor;
  /** Longest line that is read, in bytes. */
  readonly maxLine?: number;
}

/** Reads a whole session file. Never throws for what the file holds. */
export function readSession(source: ByteSource, options: ReadOptions = {}): ReadResult {
  const lines = new LineReader(source, { maxLine: options.maxLine ?? MAX_LINE });
  if (!lines.next())
    return {
      session: undefined,
      findings: [found.emptyFile()],
      lines: 0,
      namesMedia: false,
    };
  if (lines.tooLong)
    return {
      session: undefined,
      findings: [found.lineTooLong({ line: lines.number, byte: lines.offset })],
      lines: 1,
      namesMedia: false,
    };
  const headerLine = lines.bytes.slice(lines.start, lines.end);
  const tools = takeTools();
  const { header, findings } = readHeader(headerLine, lines.offset, lines.number, tools.scanner);
  if (header === undefined) return { session: undefined, findings, lines: 1, namesMedia: false };
  const reader = new SessionReader(header, source, options, tools);
  for (const finding of findings) reader.sink.add(finding);
  let count = 1;
  while (lines.next()) {
    count++;
    reader.line(lines);
  }
  reader.finish();
  reader.giveBack();
  const { session, namesMedia } = reader;
  return { session, findings: reader.sink.all(), lines: count, namesMedia };
}

const NORMALISED = name('normalised');
/** Tools of a reading of a longer file, which may have grown, are not kept. */
const MOST_KEPT = 1 << 20;
const NO_ID = new Uint8Array(0);

/** What a reading works with, kept for the next one: a folder may hold a hundred thousand small sessions. */
interface Tools {
  readonly scanner: Scanner;
  readonly hasher: Hasher;
}
let spare: Tools | undefined;

function takeTools(): Tools {
  const tools = spare ?? { scanner: new Scanner(), hasher: new Hasher() };
  spare = undefined;
  return tools;
}

/** The state of one reading. */
class SessionReader {
  readonly session: IndexedSession;
  readonly sink = new FindingSink();
  namesMedia = false;
  readonly #header: Header;
  readonly #columns = new EntryColumns();
  readonly #visit: EntryVisitor | undefined;
  readonly #tools: Tools;
  readonly #scanner: Scanner;
  readonly #hasher: Hasher;
  readonly #read: Members;
  readonly #rows: EnvelopeRows = { id: -1, type: -1, parent: -1, parents: -1, ts: -1, content: -1 };
  readonly #labels: { entry: EntryIndex; target: string | null; label: string | null }[] = [];
  readonly #stated = new Uint8Array(32);
  readonly #parentId = new Uint8Array(32);
  readonly #migration: Migration | undefined;
  readonly #baseId: Uint8Array | undefined;

  // The line that is being read.
  #number = 0;
  #offset = 0;
  #length = 0;
  #last = false;
  #isRewritten = false;
  #isTooLong = false;
  #lines: LineReader | undefined;
  /** Offset in the file of the first byte of what the scanner holds. */
  #origin = 0;

  constructor(header: Header, source: ByteSource, { visit }: ReadOptions, tools: Tools) {
    this.#tools = tools;
    this.#scanner = tools.scanner;
    this.#hasher = tools.hasher;
    this.#read = new Members(tools.scanner);
    this.#header = header;
    this.#visit = visit;
    this.#read.canonicalMember = (node) => this.#hasher.canonicalMember(node);
    const columns = this.#columns;
    if (header.minor < FIRST_HASHED_MINOR) {
      const migration = new Migration(header.id, (entry) => columns.id(entry));
      this.#migration = migration;
      this.session = new IndexedSession(header, source, columns, (line, entry) =>
        withId(migration.rewrite(line, entry).line, hashOfText(columns.id(entry))),
      );
    } else this.session = new IndexedSession(header, source, columns);
    if (header.base !== undefined) {
      const id = new Uint8Array(32);
      this.#baseId = readHashText(header.base, id) ? id : NO_ID;
    }
  }

  /** After the last line: what is big goes with this reading. */
  giveBack(): void {
    if (this.#offset + this.#length < MOST_KEPT) spare = this.#tools;
  }

  line(lines: LineReader): void {
    this.#number = lines.number;
    this.#offset = lines.offset;
    this.#length = lines.end - lines.start;
    this.#last = lines.last;
    this.#isRewritten = false;
    this.#isTooLong = lines.tooLong;
    if (lines.tooLong) {
      this.sink.add(found.lineTooLong(this.#where()));
      this.#count(this.#salvage(lines.bytes.subarray(lines.start, lines.end)));
      return;
    }
    this.#lines = lines;
    this.#origin = lines.offset - lines.start;
    const scanner = this.#scanner;
    // 4a. JSON at all; only then, and only at the very end of the file, can it be a truncated line (1.3).
    if (!scanner.scan(lines.bytes, lines.start, lines.end)) {
      const problem = scanner.problem;
      if (problem === undefined) return;
      if (problem.kind !== 'too-deep' && this.#last) {
        this.#truncate(problem.at);
        return;
      }
      this.sink.add(problemFinding(problem, this.#origin, { line: this.#number }, 'the line'));
      this.#count(this.#salvage(this.#lineBytes()));
      return;
    }
    // 4b. The I-JSON test.
    if (scanner.violationCount > 0) {
      const more = scanner.violationCount - scanner.violations.length;
      const subject = more === 0 ? 'the line' : `the line, which holds ${more} more that are not listed,`;
      for (const violation of scanner.violations)
        this.sink.add(violationFinding(violation, this.#origin, { line: this.#number }, subject));
      this.#count(this.#salvage(this.#lineBytes()));
      return;
    }
    envelopeRows(scanner, this.#rows);
    this.#read.reset();
    if (this.#migration !== undefined) this.#oldLine(this.#migration, this.#lineBytes());
    else this.#hashedLine();
  }

  /** Steps 4c to 4j for a line whose id is a hash. */
  #hashedLine(): void {
    const scanner = this.#scanner;
    const rows = this.#rows;
    const refs = this.#envelope();
    if (refs === undefined) return;
    // 4d. Both hashes from the line's own members.
    const content = this.#hasher.contentHash(scanner, rows);
    const id = this.#hasher.id(scanner, rows, content);
    const stated = this.#statedId();
    if (stated === undefined || !equalBytes(stated, id)) {
      this.sink.add(found.otherId(this.#where('/id', rows.id), `sha256:${hex(id)}`, this.#textOf(rows.id)));
      this.#count(stated, id);
      return;
    }
    // 4e. Two entries that are the same are one.
    const met = this.#columns.find(id);
    if (met !== undefined && !this.#columns.has(met, BAD)) {
      this.session.repeated.push({ line: this.#number, entry: met });
      this.sink.add(found.repeatedLine({ ...this.#where(), entry: this.#columns.id(met) }, this.#columns.line(met)));
      return;
    }
    this.#place(id, refs);
  }

  /** Envelope checks of 4.1 rows 1 to 8; gives the references of `parents`, or undefined after a finding. */
  #envelope(): readonly EntryRef[] | undefined {
    const scanner = this.#scanner;
    const rows = this.#rows;
    const isOld = this.#migration !== undefined;
    if (scanner.kind[0] !== OBJECT) {
      this.#bad('the line is not an object', 0, 'an object', this.#read.kindWord(0));
      return undefined;
    }
    if (rows.content >= 0 && !isOld) {
      this.sink.add(found.reservedMember(this.#where('/content', rows.content)));
      this.#count(this.#statedId());
      return undefined;
    }
    if (
      this.#isNoString(rows.type, 'type') ||
      this.#isNoString(rows.id, 'id') ||
      this.#isNoString(rows.parent, 'parent') ||
      this.#isNoString(rows.ts, 'ts')
    )
      return undefined;
    if (isEmpty(scanner, rows.type)) {
      this.#bad('the line has no type', Math.max(rows.type, 0), 'a type', 'none');
      return undefined;
    }
    if (isEmpty(scanner, rows.id)) {
      this.sink.add(found.noId(this.#where('', 0)));
      this.#count(undefined, isOld ? undefined : this.#computedId());
      return undefined;
    }
    if (rows.parent >= 0 && scanner.kind[rows.parent] === STRING && isEmpty(scanner, rows.parent)) {
      this.sink.add(found.emptyParent(this.#where('/parent', rows.parent)));
      this.#count(this.#statedId());
      return undefined;
    }
    if (!this.#tsIsGood(isOld)) {
      this.sink.add(found.badTs(this.#where('/ts', Math.max(rows.ts, 0)), this.#textOf(rows.ts)));
      this.#count(this.#statedId());
      return undefined;
    }
    return this.#commonMembers();
  }

  /** Row 3: neither a string nor null nor absent. */
  #isNoString(row: Node, member: string): boolean {
    if (row < 0) return false;
    const kind = this.#scanner.kind[row];
    if (kind === STRING || kind === NULL) return false;
    this.#bad(`"${member}" is ${this.#read.kindWord(row)}, not a string`, row, 'a string', this.#read.kindWord(row));
    return true;
  }

  /** Row 8: `legacy_id`, `normalised`, `parents`. */
  #commonMembers(): readonly EntryRef[] | undefined {
    const scanner = this.#scanner;
    const normalised = this.#read.row(0, NORMALISED);
    if (normalised >= 0 && scanner.kind[normalised] !== ARRAY)
      this.#read.wrong(normalised, 'normalised', 'an array of objects');
    checkCommon(this.#read, normalised >= 0 && scanner.kind[normalised] === ARRAY ? normalised : -1);
    const refs = readParents(scanner, this.#rows.parents, this.#header.id);
    if (refs === undefined) this.#read.wrong(this.#rows.parents, 'parents', 'an array of references to entries');
    if (this.#memberProblems()) return undefined;
    return refs;
  }

  #tsIsGood(isOld: boolean): boolean {
    const scanner = this.#scanner;
    const { ts } = this.#rows;
    if (ts < 0 || scanner.kind[ts] !== STRING) return false;
    if (isOld) return canonicalTs(scanner.text(ts)) !== undefined;
    const [start, end] = [(scanner.start[ts] as number) + 1, (scanner.end[ts] as number) - 1];
    if (isCanonicalTs(scanner.bytes, start, end)) return true;
    // Spelled with escapes it is the same string (1.1).
    const text = utf8(scanner.text(ts));
    return isCanonicalTs(text, 0, text.length);
  }

  /** Steps 4f to 4j: parent, base rule, convergence, body; then the entry is one of the session. */
  #place(id: Uint8Array, refs: readonly EntryRef[]): void {
    const scanner = this.#scanner;
    const type = scanner.text(this.#rows.type);
    const parent = this.#parent();
    const idText = this.#migration === undefined ? scanner.text(this.#rows.id) : `sha256:${hex(id)}`;
    const before = this.#findingsOfLine;
    if (parent === NOWHERE) this.#noParent(idText);
    else this.#baseRule(parent, idText);
    const parentText = parent < 0 ? null : parent === this.#lastEntry ? this.#lastId : scanner.text(this.#rows.parent);
    this.#convergence(refs, parentText, idText);
    const unknown: UnknownValue[] = [];
    const entry = decodeEntry(
      this.#read,
      {
        type,
        id: idText,
        parent: parentText,
        ts: scanner.text(this.#rows.ts),
        parents: refs,
        redactedDefined: this.#header.minor >= FIRST_REDACTED_MINOR,
      },
      unknown,
    );
    for (const { message, node, expected, actual } of this.#read.problems)
      this.#badMember(message, node, expected, actual, idText);
    const isBad = this.#findingsOfLine !== before;
    const index = this.#add(id, type, parent, isBad);
    this.#lastEntry = index;
    this.#lastId = idText;
    for (const value of unknown)
      this.sink.add(
        found.unknownValue({ ...this.#where(scanner.pointer(value.node), value.node), entry: idText }, value),
      );
    if (this.#header.minor < FIRST_REDACTED_MINOR && holdsRedacted(this.#read)) this.session.holdsEarlyRedacted = true;
    if (isBad) return;
    if (!this.namesMedia && namesBlob(scanner, entry.kind)) this.namesMedia = true;
    if (entry.kind === 'label') {
      this.#labels.push({ entry: index, target: entry.target, label: entry.label });
      if (entry.label === 'leaf') this.#columns.flag(index, LEAF_LABEL);
    }
    this.#visit?.(index, entry, this.session);
  }

  #noParent(idText: string): void {
    this.#findingsOfLine++;
    this.sink.add(
      found.noParent({ ...this.#where('/parent', this.#rows.parent), entry: idText }, this.#textOf(this.#rows.parent)),
    );
  }

  #findingsOfLine = 0;
  /** The entry placed last, whose id the next one nearly always names. */
  #lastEntry: EntryIndex = NOWHERE;
  #lastId = '';

  /** 1.6: before the base a line follows from the line before it; after it nothing hangs from above the base. */
  #baseRule(parent: EntryIndex, idText: string): void {
    if (this.#baseId === undefined) return;
    const { base } = this.session;
    const keeps = base === undefined ? parent === this.#columns.size - 1 : parent >= base;
    if (keeps) return;
    this.#findingsOfLine++;
    const where = { ...this.#where('/parent', this.#rows.parent), entry: idText };
    const parentText = parent === ROOT ? 'null' : this.#columns.id(parent);
    const previous = this.#columns.size - 1;
    this.sink.add(
      base === undefined
        ? found.besideThePrefix(where, previous < 0 ? 'null' : this.#columns.id(previous), parentText)
        : found.aboveTheBase(where, this.#columns.id(base), parentText),
    );
  }

  #convergence(refs: readonly EntryRef[], parent: string | null, idText: string): void {
    if (refs.length === 0) return;
    const id = new Uint8Array(32);
    const isKnown = (text: string): boolean => readHashText(text, id) && this.#columns.find(id) !== undefined;
    const problem = convergenceProblem(refs, parent, isKnown);
    if (problem !== undefined) this.#converges(problem, idText);
  }

  #converges(
    problem: { readonly index: number; readonly message: string; readonly actual: string },
    idText: string,
  ): void {
    this.#findingsOfLine++;
    this.sink.add(
      found.badConvergence(
        { ...this.#where(`/parents/${problem.index}`, this.#rows.parents), entry: idText },
        problem.message,
        problem.actual,
      ),
    );
  }

  /** Section 10 in the place of 4c to 4h. */
  #oldLine(migration: Migration, line: Uint8Array): void {
    const refs = this.#envelope();
    if (refs === undefined) return;
    const scanner = this.#scanner;
    const old = scanner.text(this.#rows.id);
    const parentRow = this.#rows.parent;
    const oldParent = parentRow >= 0 && scanner.kind[parentRow] === STRING ? scanner.text(parentRow) : null;
    const before = this.#findingsOfLine;
    if (oldParent !== null && migration.get(oldParent) === undefined) this.#noParent(old);
    const problem = convergenceProblem(refs, oldParent, (id) => migration.get(id) !== undefined);
    if (problem !== undefined) this.#converges(problem, old);
    if (this.#findingsOfLine !== before) {
      this.#countOld(migration, old, line);
      return;
    }
    const met = migration.get(old);
    const { line: rewritten, unresolved } = migration.rewrite(line, met ?? this.#columns.size);
    scanner.scan(rewritten);
    this.#isRewritten = true;
    envelopeRows(scanner, this.#rows);
    this.#read.reset();
    const id = this.#hasher.id(scanner, this.#rows, this.#hasher.contentHash(scanner, this.#rows));
    if (met !== undefined) {
      this.#metAgain(met, old, id);
      return;
    }
    this.#place(id, readParents(scanner, this.#rows.parents, this.#header.id) ?? []);
    const index = this.#columns.size - 1;
    migration.set(old, index);
    if (!unresolved) return;
    this.session.unresolved.push(index);
    this.sink.add(found.unresolved({ ...this.#where(), entry: old }));
  }

  #metAgain(met: EntryIndex, old: string, id: Uint8Array): void {
    const where = { ...this.#where(), entry: old };
    if (this.#columns.find(id) === met) {
      this.session.repeated.push({ line: this.#number, entry: met });
      this.sink.add(found.repeatedLine(where, this.#columns.line(met)));
    } else this.sink.add(found.duplicateEntry(where, this.#columns.line(met), old));
  }

  /** A bad old line counts as met under its old id; it gets an id of its own that nothing else can have. */
  #countOld(migration: Migration, old: string, line: Uint8Array): void {
    if (migration.get(old) !== undefined) return;
    const index = this.#add(sha256(line), this.#textOf(this.#rows.type), NOWHERE, true);
    migration.set(old, index);
  }

  #add(id: Uint8Array, type: string, parent: EntryIndex, isBad: boolean): EntryIndex {
    const tainted = isBad || parent === NOWHERE || (parent >= 0 && this.#columns.has(parent, TAINTED));
    const flags = (isBad ? BAD : 0) | (tainted ? TAINTED : 0);
    if (parent >= 0) this.#columns.flag(parent, HAS_CHILD);
    const index = this.#columns.add(id, kindOf(type), parent, flags, this.#number, this.#offset, this.#length);
    if (this.#baseId !== undefined && this.session.base === undefined && equalBytes(id, this.#baseId))
      this.session.base = index;
    return index;
  }

  /** Counts a bad line as met under the ids that it states and that it has (9.3). */
  #count(stated: Uint8Array | undefined, computed?: Uint8Array): void {
    if (this.#migration !== undefined) {
      const old = this.#rows.id >= 0 && this.#scanner.problem === undefined ? this.#textOf(this.#rows.id) : '';
      if (old !== '') this.#countOld(this.#migration, old, this.#lineBytes());
      return;
    }
    const isNew = (id: Uint8Array | undefined): id is Uint8Array =>
      id !== undefined && this.#columns.find(id) === undefined;
    const id = isNew(stated) ? stated : isNew(computed) ? computed : undefined;
    if (id === undefined) return;
    const isRead = this.#scanner.problem === undefined && this.#scanner.kind[0] === OBJECT;
    const type = isRead ? this.#textOf(this.#rows.type) : '';
    const index = this.#add(id, type, isRead ? this.#parent() : NOWHERE, true);
    if (computed === undefined || computed === id || !isNew(computed)) return;
    this.#columns.addAlias(computed, index);
    if (this.#baseId !== undefined && this.session.base === undefined && equalBytes(computed, this.#baseId))
      this.session.base = index;
  }

  /** The id that a line states which cannot be read, by the look of it. */
  #salvage(bytes: Uint8Array): Uint8Array | undefined {
    this.#rows.id = this.#rows.type = this.#rows.parent = -1;
    if (this.#migration !== undefined) return undefined;
    if (!this.#isTooLong && this.#scanner.problem === undefined && this.#scanner.kind[0] === OBJECT) {
      envelopeRows(this.#scanner, this.#rows);
      return this.#statedId();
    }
    return statedHash(bytes);
  }

  #parent(): EntryIndex {
    const scanner = this.#scanner;
    const { parent } = this.#rows;
    if (parent < 0 || scanner.kind[parent] === NULL) return ROOT;
    if (scanner.kind[parent] !== STRING) return NOWHERE;
    if (!this.#readHash(parent, this.#parentId)) return NOWHERE;
    return this.#columns.find(this.#parentId) ?? NOWHERE;
  }

  /** Reads the hash that a string holds, in place unless it is spelled with escapes. */
  #readHash(row: Node, into: Uint8Array): boolean {
    const scanner = this.#scanner;
    const [start, end] = [(scanner.start[row] as number) + 1, (scanner.end[row] as number) - 1];
    if (end - start === 71) return readHash(scanner.bytes, start, end, into);
    const bytes = utf8(scanner.text(row));
    return readHash(bytes, 0, bytes.length, into);
  }

  /** The id of the line as 32 bytes, when it is a hash. */
  #statedId(): Uint8Array | undefined {
    const { id } = this.#rows;
    if (id < 0 || this.#scanner.kind[id] !== STRING) return undefined;
    return this.#readHash(id, this.#stated) ? this.#stated : undefined;
  }

  #computedId(): Uint8Array {
    return this.#hasher.id(this.#scanner, this.#rows, this.#hasher.contentHash(this.#scanner, this.#rows));
  }

  #textOf(row: Node): string {
    return row >= 0 && this.#scanner.kind[row] === STRING ? this.#scanner.text(row) : '';
  }

  #where(pointer?: string, node?: Node): Where {
    // A migrated line is not the file's: what is wrong with it is placed at the line.
    const isPlaced = node !== undefined && node >= 0 && !this.#isRewritten;
    const at = isPlaced ? this.#origin + (this.#scanner.start[node] as number) : this.#offset;
    return {
      line: this.#number,
      byte: at,
      ...(pointer === undefined || pointer === '' ? {} : { pointer }),
    };
  }

  #bad(message: string, node: Node, expected: string, actual: string): void {
    this.#badMember(message, node, expected, actual);
    this.#count(this.#statedId());
  }

  #badMember(message: string, node: Node, expected: string, actual: string, entry?: string): void {
    this.#findingsOfLine++;
    this.sink.add(
      found.badEntry(
        { ...this.#where(this.#scanner.pointer(node), node), ...(entry === undefined ? {} : { entry }) },
        message,
        expected,
        actual,
      ),
    );
  }

  #memberProblems(): boolean {
    const { problems } = this.#read;
    if (problems.length === 0) return false;
    for (const { message, node, expected, actual } of problems) this.#badMember(message, node, expected, actual);
    this.#count(this.#statedId());
    return true;
  }

  #lineBytes(): Uint8Array {
    const lines = this.#lines;
    return lines === undefined ? NO_ID : lines.bytes.subarray(lines.start, lines.end);
  }

  #truncate(at: number): void {
    this.session.truncated = { line: this.#number, offset: this.#offset, length: this.#length };
    this.sink.add(
      found.truncated({
        line: this.#number,
        byte: this.#origin + at,
        length: this.#offset + this.#length - this.#origin - at,
      }),
    );
  }

  /** Steps 5 and 6, and what is to be said of the file as a whole. */
  finish(): void {
    const { session } = this;
    if (this.#baseId !== undefined && session.base === undefined) this.sink.add(found.noBase(this.#header.base ?? ''));
    if (this.#number === 0) this.sink.add(found.nothingChecked());
    if (session.migrated) this.sink.add(found.idsAssigned(this.#header.format));
    const marks: LabelMark[] = this.#labels.map(({ entry, target, label }) => ({
      entry,
      label,
      target: target === null ? ROOT : session.find(target),
    }));
    session.leaf = resolveLeaf(this.#columns, marks, session.base);
  }
}

function isEmpty(scanner: Scanner, row: Node): boolean {
  return row < 0 || scanner.kind[row] === NULL || (scanner.end[row] as number) - (scanner.start[row] as number) === 2;
}
