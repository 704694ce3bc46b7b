/**
 * A session that is written: the entries of a file and those appended since, in the verifier's own model, so that everything it reads of a
 * session it reads of this one too. Session-format 4.6, 4.7. Nothing here keeps lines: `prepare` gives the line, whoever writes it commits.
 */
import { hex } from '../../bytes/encoding.ts';
import { type ByteSource, memorySource } from '../../bytes/source.ts';
import { ByteWriter, canonicalize, writeTree } from '../../json/canonical.ts';
import { name, Scanner } from '../../json/scan.ts';
import type { JsonNode, JsonObject } from '../../json/tree.ts';
import { EntryColumns, HAS_CHILD, LEAF_LABEL } from '../columns.ts';
import { convergenceProblem, readParents } from '../convergence.ts';
import { checkCommon, decodeEntry, type UnknownValue } from '../entry.ts';
import { FIRST_HASHED_MINOR, FIRST_REDACTED_MINOR, LATEST_MINOR, readHeader } from '../header.ts';
import { type EnvelopeRows, envelopeRows, Hasher } from '../ident.ts';
import { IndexedSession } from '../indexed.ts';
import type { LabelMark } from '../leaf.ts';
import { MAX_LINE } from '../lines.ts';
import { Members } from '../members.ts';
import type { Entry, Header, LabelEntry, ResponseEntry } from '../model.ts';
import { treeOf } from '../raw.ts';
import { readSession } from '../read.ts';
import { type EntryIndex, type ReadResult, ROOT } from '../session.ts';
import { canonicalTs } from '../timestamp.ts';
import { CallIndex, checkCallRules } from './callRules.ts';
import { draft, type EntryDraft } from './draft.ts';
import { codeOfFinding, SessionError } from './error.ts';
import { GrowingSource } from './growing.ts';
import { normalise } from './normalise.ts';
import type { Appended, Outcome, Prepared } from './outcome.ts';
import { PathChecks } from './pathChecks.ts';
import { sortedParents } from './references.ts';
import { ResumeState } from './resumeState.ts';
import { memberOf, objectOf, stringNode } from './value.ts';
import { checkReserved, checkWritten } from './writerRules.ts';

/**
 * How much is refused: `verified`, whatever `audit verify` would report of the session with the entry; `written`, what the format refuses a
 * writer (4.8, 4.9); `read`, only what a reader would not read.
 */
export type WriterChecks = 'verified' | 'written' | 'read';

export interface LiveOptions {
  /** `verified` by default. */
  readonly checks?: WriterChecks;
  /** Time of an entry that sets none, RFC 3339. */
  readonly now?: () => string;
}

const NORMALISED = name('normalised');
/** What a line is scanned with before its id is known. */
const NO_ID = stringNode(`sha256:${'0'.repeat(64)}`);

export class LiveSession extends IndexedSession {
  readonly #grown: GrowingSource;
  readonly #checks: WriterChecks;
  readonly #now: () => string;
  readonly #scanner = new Scanner();
  readonly #read = new Members(this.#scanner);
  readonly #rows: EnvelopeRows = { id: -1, type: -1, parent: -1, parents: -1, ts: -1, content: -1 };
  readonly #hasher = new Hasher();
  /** The entry that is being prepared. */
  readonly #out = new ByteWriter();
  readonly #index = new CallIndex();
  readonly #resume: ResumeState;
  readonly #paths: PathChecks;
  readonly #declared: Header;
  #successor: string | undefined;
  #lines: number;
  /** The entry that was appended last, and its id: most of what follows names it. */
  #last: { readonly index: EntryIndex; readonly id: string } | undefined;

  private constructor(
    header: Header,
    declared: Header,
    source: GrowingSource,
    columns: EntryColumns,
    lines: number,
    options: LiveOptions,
  ) {
    super(header, source, columns);
    this.#declared = declared;
    this.#grown = source;
    this.#checks = options.checks ?? 'verified';
    this.#now = options.now ?? (() => new Date().toISOString());
    this.#lines = lines;
    this.#resume = new ResumeState(columns, () => this.base);
    this.#paths = new PathChecks(this, (key) => this.#index.dispatchesOf(key));
  }

  /**
   * Opens a session file for appending. The header stands at the latest minor in memory unless that is refused (2.6).
   *
   * Throws SessionError for a file that does not read whole: the condition of its first error.
   */
  static open(source: ByteSource, options: LiveOptions = {}): LiveSession {
    return LiveSession.#of(source, readSession(source), options);
  }

  /** The same of a file whose last line a crash may have torn: that is left out, and told of by `truncated` (1.3). */
  static openTorn(source: ByteSource, options: LiveOptions = {}): LiveSession {
    const reading = readSession(source);
    const torn = reading.session?.truncated;
    if (torn === undefined) return LiveSession.#of(source, reading, options);
    const live = LiveSession.open(
      {
        size: torn.offset,
        read: (offset, length) => source.read(offset, Math.min(length, torn.offset - offset)),
      },
      options,
    );
    live.truncated = torn;
    return live;
  }

  static #of(source: ByteSource, { session, findings, lines }: ReadResult, options: LiveOptions): LiveSession {
    const error = findings.find(({ severity, code }) => severity === 'error' && code !== 'session/nothing-checked');
    if (error !== undefined || !(session instanceof IndexedSession))
      throw new SessionError(
        codeOfFinding(error?.code ?? 'session/not-a-session'),
        error === undefined
          ? 'the session does not read'
          : `${error.message}${error.where.line === undefined ? '' : ` (line ${error.where.line})`}`,
      );
    if (session.migrated)
      throw new SessionError('unsupported_format', `a session of ${session.header.format} is read but not written`);
    const { header } = session;
    const raised = raiseRefused(session) === undefined && header.minor < LATEST_MINOR ? raisedHeader(header) : header;
    const live = new LiveSession(raised, header, new GrowingSource(source), session.columns, lines, options);
    live.base = session.base;
    live.leaf = session.leaf;
    live.repeated.push(...session.repeated);
    live.holdsEarlyRedacted = session.holdsEarlyRedacted;
    live.#takeRead();
    return live;
  }

  /** A session of a header and nothing more. `line` is the header's, without a line feed. */
  static start(line: Uint8Array, options: LiveOptions = {}): LiveSession {
    const { header, findings } = readHeader(line, 0, 1);
    const [error] = findings;
    if (header === undefined || error !== undefined)
      throw new SessionError(codeOfFinding(error?.code ?? 'session/bad-header'), error?.message ?? 'no header');
    if (line.length > MAX_LINE) throw tooLong(line);
    const file = new Uint8Array(line.length + 1);
    file.set(line);
    file[line.length] = 0x0a;
    return new LiveSession(header, header, new GrowingSource(memorySource(file)), new EntryColumns(), 1, options);
  }

  override id(entry: EntryIndex): string {
    return entry === this.#last?.index ? this.#last.id : super.id(entry);
  }

  override find(id: string): EntryIndex | undefined {
    return id === this.#last?.id ? this.#last.index : super.find(id);
  }

  #takeRead(): void {
    for (let index = 0; index < this.size; index++) {
      const kind = this.kind(index);
      const concerns = kind === 'item' || kind === 'decision' || kind === 'dispatch' || kind === 'link';
      const entry = concerns || kind === 'label' ? this.entry(index) : undefined;
      if (entry !== undefined) this.#note(index, entry);
      this.#resume.add(index, entry?.kind === 'label' ? this.#markOf(index, entry) : undefined);
    }
  }

  #note(index: EntryIndex, entry: Entry): void {
    this.#index.add(index, entry);
    if (entry.kind === 'link' && entry.rel === 'continued_in' && entry.session !== '' && this.own(index))
      this.#successor = entry.session;
  }

  #markOf(index: EntryIndex, { target, label }: LabelEntry): LabelMark {
    return { entry: index, label, target: target === null ? ROOT : this.find(target) };
  }

  /** The session named by the last `continued_in` link, if any (5.14). */
  get successor(): string | undefined {
    return this.#successor;
  }

  /** The format that the kept header declares. */
  get declaredFormat(): string {
    return this.#declared.format;
  }

  /** The header line that must be kept before the first append, where the kept one declares an earlier minor (2.6). */
  get raisedLine(): Uint8Array | undefined {
    return this.header === this.#declared ? undefined : this.header.raw.bytes;
  }

  /**
   * Session-format 4.6, steps 1 to 11. Nothing of the session changes.
   *
   * Throws SessionError with the condition's code.
   */
  prepare(from: EntryDraft): Prepared {
    // 2, 3
    checkReserved(from.body);
    const refused = raiseRefused(this);
    if (refused !== undefined) throw refused;
    // 4, 5
    const parent = this.#parentOf(from);
    const parentId = parent === ROOT ? null : this.id(parent);
    // 6
    const ts =
      from.ts === undefined ? canonicalTs(this.#now()) : (canonicalTs(from.ts) ?? canonicalTs(from.ts.toUpperCase()));
    if (ts === undefined) throw new SessionError('bad_id', `${JSON.stringify(from.ts)} is no RFC 3339 time`);
    // 7
    const parents = from.isLine === true ? (from.parents ?? []) : sortedParents(from.parents ?? []);
    // 8
    const body = normalise(from.body, from.source);
    // 9
    const { hash, id, line } = this.#line(from.type, parentId, ts, parents, body);
    if (line.length > MAX_LINE) throw tooLong(line);
    if (from.id !== undefined && from.id !== id)
      throw new SessionError('bad_id', `the entry hashes to ${id}, not to ${from.id.slice(0, 100)}`);
    const { entry, unknown } = this.#decode(from.type, id, parentId, ts);
    // 1, over what would be written
    if (this.#checks !== 'read') checkWritten(entry, body, unknown);
    // 10
    const held = this.columns.find(hash);
    if (held !== undefined && this.usable(held))
      return { outcome: 'held', id, hash, entry: this.entry(held), parent, line: new Uint8Array() };
    // 11
    if (this.#checks !== 'read') {
      this.#paths.moveTo(parent);
      checkCallRules(this, this.#index, this.#paths.path, entry);
      this.#checkSuccessor(entry);
    }
    if (this.#checks === 'verified') this.#paths.hold(this.size, entry);
    return { outcome: this.#outcome(entry, parent), id, hash, entry, parent, line };
  }

  #parentOf({ parent }: EntryDraft): EntryIndex {
    if (parent === undefined) return this.#belowBase(this.leaf);
    if (parent === null) return this.#belowBase(ROOT);
    const index = this.find(parent);
    if (index === undefined) throw new SessionError('no_entry', `the session holds no entry ${parent.slice(0, 100)}`);
    return this.#belowBase(index);
  }

  /** Session-format 1.6 rule 2. */
  #belowBase(parent: EntryIndex): EntryIndex {
    const { base } = this;
    if (this.header.base === undefined) return parent;
    // Rule 1, while the prefix is being written: each line follows from the one before it.
    if (base === undefined ? parent === this.size - 1 : parent >= base) return parent;
    throw new SessionError(
      'base_rule',
      parent === ROOT
        ? 'a session with a base has no second first entry'
        : 'an entry of a session with a base hangs from the base or below it',
    );
  }

  /** The canonical line and its id, hashed by the verifier's own code. The line is scanned under no id, which no hash covers. */
  #line(
    type: string,
    parent: string | null,
    ts: string,
    parents: readonly JsonNode[],
    body: JsonObject,
  ): { readonly hash: Uint8Array; readonly id: string; readonly line: Uint8Array } {
    const members = [
      ...body.members,
      memberOf('id', NO_ID),
      memberOf('parent', parent === null ? { kind: 'null', start: 0, end: 0 } : stringNode(parent)),
      memberOf('ts', stringNode(ts)),
      memberOf('type', stringNode(type)),
    ];
    if (parents.length > 0) members.push(memberOf('parents', { kind: 'array', items: parents, start: 0, end: 0 }));
    const out = this.#out;
    out.clear();
    writeTree(objectOf(members), out);
    const line = out.bytes();
    const scanner = this.#scanner;
    this.#scan(line);
    const hash = this.#hasher.id(scanner, this.#rows, this.#hasher.contentHash(scanner, this.#rows));
    const id = `sha256:${hex(hash)}`;
    const at = (scanner.start[this.#rows.id] as number) + 1;
    for (let i = 0; i < id.length; i++) line[at + i] = id.charCodeAt(i);
    return { hash, id, line };
  }

  #scan(bytes: Uint8Array): void {
    const scanner = this.#scanner;
    if (!scanner.scan(bytes) || scanner.violationCount > 0)
      throw new SessionError(
        'not_i_json',
        scanner.problem?.message ?? scanner.violations[0]?.message ?? 'the entry is not I-JSON',
      );
    envelopeRows(scanner, this.#rows);
    this.#read.reset();
  }

  /** The entry of the line that was hashed last. */
  #decode(
    type: string,
    id: string,
    parent: string | null,
    ts: string,
  ): { readonly entry: Entry; readonly unknown: readonly UnknownValue[] } {
    const scanner = this.#scanner;
    const parents = readParents(scanner, this.#rows.parents, this.header.id);
    if (parents === undefined) throw new SessionError('bad_entry', '"parents" is an array of references to entries');
    const broken = convergenceProblem(parents, parent, (ref) => this.find(ref) !== undefined);
    if (broken !== undefined) throw new SessionError('bad_convergence', broken.message, `/parents/${broken.index}`);
    checkCommon(this.#read, this.#read.row(0, NORMALISED));
    const unknown: UnknownValue[] = [];
    const redactedDefined = this.header.minor >= FIRST_REDACTED_MINOR;
    const entry = decodeEntry(this.#read, { type, id, parent, ts, parents, redactedDefined }, unknown);
    const [problem] = this.#read.problems;
    if (problem !== undefined) throw new SessionError('bad_entry', problem.message, scanner.pointer(problem.node));
    return { entry, unknown };
  }

  /** A session has at most one successor (5.14). */
  #checkSuccessor(entry: Entry): void {
    if (entry.kind !== 'link' || entry.rel !== 'continued_in' || this.#successor === undefined) return;
    if (entry.session !== this.#successor)
      throw new SessionError('superseded', `the session was continued in ${this.#successor} already`);
  }

  /** Session-format 4.7. */
  #outcome(entry: Entry, parent: EntryIndex): Outcome {
    if (entry.kind === 'label' && entry.label === 'leaf') {
      const target = entry.target === null ? ROOT : this.find(entry.target);
      return this.#resume.mayRestOn(target) ? 'leaf_moved' : 'leaf_not_moved';
    }
    return parent === this.leaf ? 'continued' : 'branched';
  }

  /** Makes a prepared entry one of the session (4.6 step 12): its line is kept. Nothing may have been committed since it was prepared. */
  commit(prepared: Prepared): Appended {
    const { outcome, id, hash, entry, parent, line } = prepared;
    if (outcome === 'held') return { outcome, id, entry };
    const offset = this.#grown.append(line);
    const isLeafLabel = entry.kind === 'label' && entry.label === 'leaf';
    if (parent !== ROOT) this.columns.flag(parent, HAS_CHILD);
    const flags = isLeafLabel ? LEAF_LABEL : 0;
    const index = this.columns.add(hash, entry.kind, parent, flags, ++this.#lines, offset, line.length);
    this.#last = { index, id };
    this.keepDecoded(index, entry);
    this.#note(index, entry);
    const mark = entry.kind === 'label' ? this.#markOf(index, entry) : undefined;
    if (outcome === 'continued') this.leaf = index;
    else if (outcome === 'leaf_moved') this.leaf = mark?.target ?? this.leaf;
    this.#resume.add(index, mark);
    if (this.header.base === id && this.base === undefined) this.base = index;
    if (this.#checks !== 'read') this.#paths.follow(index, entry);
    return { outcome, id, entry };
  }

  /** Prepares and commits at once: for a session whose lines are kept by nobody else. */
  append(from: EntryDraft): Appended {
    return this.commit(this.prepare(from));
  }

  /** Sets the leaf to an entry, in memory alone (4.7); `markLeaf` gives the label that records it. */
  branch(id: string): void {
    const index = this.find(id);
    if (index === undefined) throw new SessionError('no_entry', `the session holds no entry ${id.slice(0, 100)}`);
    if (this.columns.has(index, LEAF_LABEL))
      throw new SessionError('head_target', 'the leaf never rests on a leaf label');
    this.leaf = index;
  }

  /** Sets the leaf to the universal root, in memory alone. */
  resetLeaf(): void {
    this.leaf = ROOT;
  }

  /** Where a reader of the lines finds the leaf (1.8). */
  get resolvedLeaf(): EntryIndex {
    return this.#resume.resolved;
  }

  get leafId(): string | null {
    return this.leaf === ROOT ? null : this.id(this.leaf);
  }

  /** The label that marks the current leaf, hung from it. */
  markLeaf(): EntryDraft {
    if (this.leaf === ROOT)
      throw new SessionError('no_entry', 'the leaf is the universal root: mark it by moving the head');
    return leafLabel(this.leafId);
  }

  /** The label to be written after what was appended, so that a reader of the lines finds the leaf; undefined when it does. */
  leafMarkNeeded(): EntryDraft | undefined {
    return this.resolvedLeaf === this.leaf ? undefined : leafLabel(this.leafId);
  }

  /** The label to be written before a prepared entry that would move a reader off the leaf; none for one that descends from it. */
  leafMarkBefore({ outcome, entry, parent }: Prepared): EntryDraft | undefined {
    if (outcome === 'held' || outcome === 'leaf_moved' || outcome === 'continued') return undefined;
    if (this.#descends(parent)) return undefined;
    const mark = entry.kind === 'label' ? this.#markOf(this.size, entry) : undefined;
    const after = this.#resume.resolvedWith(parent, mark);
    return after === this.leaf ? undefined : leafLabel(this.leafId);
  }

  #descends(entry: EntryIndex): boolean {
    if (this.leaf === ROOT) return true;
    let at = entry;
    while (at > this.leaf) at = this.parent(at);
    return at === this.leaf;
  }

  /**
   * The label that moves the head by compare-and-swap (12.6).
   *
   * Throws SessionError `head_moved`, `head_target` or `no_entry`.
   */
  headLabel(expected: string | null, to: string | null): EntryDraft {
    if (this.leafId !== expected)
      throw new SessionError('head_moved', `the head is ${this.leafId ?? 'the universal root'}`);
    const target = to === null ? ROOT : this.find(to);
    if (target !== undefined && target !== ROOT && this.columns.has(target, LEAF_LABEL))
      throw new SessionError('head_target', 'the head never rests on a leaf label');
    if (!this.#resume.mayRestOn(target)) throw new SessionError('no_entry', 'the head may not rest there');
    return leafLabel(to);
  }

  /**
   * The hash that a response under `parent` (the leaf when it is not given) would verify with (7.6).
   *
   * Throws SessionError `bad_context` where its request cannot be built.
   */
  requestHashFor(responseId: string, parent?: string | null): string {
    const under = this.#parentOf(parent === undefined ? EMPTY_DRAFT : { ...EMPTY_DRAFT, parent });
    this.#paths.moveTo(under);
    const response: ResponseEntry = {
      kind: 'response',
      type: 'response',
      id: '',
      parent: under === ROOT ? null : this.id(under),
      ts: '',
      parents: [],
      responseId,
      model: '',
      status: '',
      attempts: 1,
    };
    const hash = this.#paths.requestHash(this.size, response);
    if (hash === undefined) throw new SessionError('bad_context', 'the request of the response cannot be built');
    return hash;
  }

  /** The lines of the session as they are kept from now on, header first, each without its line feed (1.10). */
  *lines(): Iterable<Uint8Array> {
    yield canonicalize(treeOf(this.header.raw));
    for (let index = 0; index < this.size; index++) yield canonicalize(treeOf({ bytes: this.bytes(index) }));
  }
}

const EMPTY_DRAFT: EntryDraft = { type: 'response', body: objectOf([]) };

/** No reader takes more (1.1). */
function tooLong({ length }: Uint8Array): SessionError {
  return new SessionError('line_too_long', `the line has ${length} bytes, more than the ${MAX_LINE} that are read`);
}

/** A leaf label hung from its target; `null` for the universal root. */
function leafLabel(target: string | null): EntryDraft {
  return draft('label', { label: 'leaf', target }, { parent: target });
}

/** Why a session may not be written at the latest minor (2.6); undefined when it may. */
export function raiseRefused(session: {
  readonly header: Header;
  readonly holdsEarlyRedacted: boolean;
}): SessionError | undefined {
  const { header, holdsEarlyRedacted } = session;
  if (header.minor < FIRST_HASHED_MINOR)
    return new SessionError('unsupported_format', `a session of ${header.format} is not written`);
  if (header.minor >= FIRST_REDACTED_MINOR || (!header.holdsRedactedFrom && !holdsEarlyRedacted)) return undefined;
  return new SessionError(
    'no_raise',
    `the header says ${header.format}, where "redacted" means nothing; at a later version it would`,
  );
}

/** The header at the latest minor, its other members as they are. */
export function raisedHeader(header: Header): Header {
  const tree = treeOf(header.raw) as JsonObject;
  const format = stringNode(`agentsession/0.${LATEST_MINOR}`);
  const members = tree.members.map((member) => (member.name === 'format' ? { ...member, value: format } : member));
  const raised = readHeader(canonicalize(objectOf(members)), 0, 1).header;
  if (raised === undefined) throw new RangeError('a header that was read no longer reads');
  return raised;
}
