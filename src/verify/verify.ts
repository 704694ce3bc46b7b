/**
 * The one road: bytes, kind, reader, checks, findings, claims, report. The command line, workers and the browser page all come through
 * here (law 8).
 */
import { equalBytes, utf8 } from '../bytes/encoding.ts';
import { type ByteSource, readExactly, SourceError } from '../bytes/source.ts';
import type { Finding } from '../finding/finding.ts';
import { formatInstant, type Instant } from '../time/instant.ts';
import { catalogue } from './catalogue.ts';
import { digest } from './digest.ts';
import { identify } from './identity.ts';
import type { Input, KindVerifier, Outcome, VerifyContext, VerifyOptions } from './kind.ts';
import { detectKind } from './kinds.ts';
import { excerpts, locate } from './locate.ts';
import { type AsOf, assemble, type Given, type InputReport, type Report, settle } from './report.ts';

/** The instant of a verification: read from the option or, once, from the clock; and whether anything asked for it. */
class Moment {
  readonly #options: VerifyOptions;
  #instant: Instant | undefined;
  #asked = false;
  constructor(options: VerifyOptions) {
    this.#options = options;
  }
  now(): Instant | undefined {
    if (!this.#asked) this.#instant = this.#options.at ?? this.#options.clock?.();
    this.#asked = true;
    return this.#instant;
  }
  get asOf(): AsOf | null {
    if (!this.#asked || this.#instant === undefined) return null;
    return { time: formatInstant(this.#instant), source: this.#options.at === undefined ? 'clock' : 'option' };
  }
}

export interface Extra {
  /** Findings that belong to no input. */
  readonly findings?: readonly Finding[];
}

/** Verifies inputs one after the other: one report over all. */
export async function verify(inputs: Iterable<Input>, options: VerifyOptions, extra: Extra = {}): Promise<Report> {
  const reports: InputReport[] = [];
  for (const input of inputs) reports.push(await verifyInput(input, options));
  return assemble(reports, extra.findings ?? [], givenBy(options));
}

/** What the report says of the options. */
export function givenBy(options: VerifyOptions): Given {
  const files = (inputs: readonly Input[] = []) =>
    inputs.map(({ path, source }) => {
      const file = { path, sha256: digest(source) };
      source.close?.();
      return file;
    });
  return {
    trust: files(options.trustFiles),
    heads: files(options.heads),
    companions: files(options.companions),
    ...(options.media === undefined || options.media.length === 0 ? {} : { media: files(options.media) }),
    require: options.require ?? null,
    expect_ids: options.expectIds ?? [],
    expect_leaf: options.expectLeaf ?? null,
    entry: options.entry ?? null,
    run: options.run ?? null,
  };
}

const NOTHING: Outcome = { subject: {}, counts: {}, claims: [], required: [], findings: [], missing: [] };

/**
 * The report of one input. Never throws: a defect of a check is itself a finding.
 *
 * @param using the verifier to take in place of the one that detection gives: a command that reads one kind, with options of its own
 */
export async function verifyInput(input: Input, options: VerifyOptions, using?: KindVerifier): Promise<InputReport> {
  const moment = new Moment(options);
  const context: VerifyContext = { ...options, now: () => moment.now() };
  const { path, source } = input;
  let kind: string | null = null;
  let sha256: string | null = null;
  let outcome: Outcome;
  try {
    sha256 = digest(source);
    const detected = await detectKind(input);
    const verifier = using ?? detected;
    const kinds = using === undefined ? options.kinds : [using.kind];
    kind = (detected ?? using)?.kind ?? null;
    outcome =
      verifier === undefined || kinds?.includes(kind ?? '') === false
        ? { ...NOTHING, findings: [unfit(source, kind, kinds)] }
        : expected(verifier, await verifier.verify(input, context), options);
  } catch (error) {
    outcome = { ...NOTHING, findings: [failure(error)] };
  }
  const findings = locate(source, outcome.findings);
  return inputReport(
    { path, kind, sha256, bytes: source.size, as_of: outcome.asOf ?? moment.asOf },
    { ...outcome, findings },
    requiredClaims(kind, outcome, options),
    excerpts(source, findings),
  );
}

/** Why nothing here reads an input. */
function unfit(source: ByteSource, kind: string | null, kinds: readonly string[] | undefined): Finding {
  if (kind === null || kinds === undefined)
    return isDatabase(source)
      ? catalogue.find('input/database', 'the input is an SQLite database, which is not read as a file')
      : catalogue.find('input/unknown-kind', 'the input is of no kind that this program knows');
  const read = kinds.join(', ');
  return catalogue.find('input/other-kind', `the input is of the kind ${kind}; this command reads: ${read}`, {
    expected: read,
    actual: kind,
  });
}

const DATABASE = utf8('SQLite format 3\0');

function isDatabase(source: ByteSource): boolean {
  return source.size >= DATABASE.length && equalBytes(readExactly(source, 0, DATABASE.length), DATABASE);
}

/** Bytes that could not be had are the input's; any other failure is this program's. */
function failure(error: unknown): Finding {
  const says = error instanceof Error ? error.message : String(error);
  return error instanceof SourceError
    ? catalogue.find('input/unreadable', says)
    : catalogue.find('input/internal-error', `the program failed: ${says}`);
}

/** Kinds whose verifiers answer for ids that are expected. */
const OF_ENTRIES: ReadonlySet<string> = new Set(['session', 'bundle']);

/** An option that no check of this kind looked at is an open question, not an answered one (law 2). */
function expected(
  { kind }: KindVerifier,
  outcome: Outcome,
  { expectIds = [], expectLeaf, entry, run }: VerifyOptions,
): Outcome {
  const { run: own } = outcome.subject;
  if (kind === 'journal' && run !== undefined && typeof own === 'string' && own !== run)
    return { ...outcome, findings: [...outcome.findings, otherRun(run, own)] };
  const asked = new Set([...expectIds, ...[expectLeaf, entry].flatMap((id) => (id === undefined ? [] : [id]))]);
  if (asked.size === 0 || OF_ENTRIES.has(kind)) return outcome;
  const findings = [...asked].map((id) =>
    catalogue.find(
      'input/expectation-unchecked',
      `a ${kind} has no entries that an expected id could be held against`,
      {
        where: {},
        expected: id,
        actual: 'not checked',
      },
    ),
  );
  return { ...outcome, findings: [...outcome.findings, ...findings] };
}

/** An export says itself which run it is of: what was found of it is not an answer about another. */
function otherRun(expected: string, actual: string): Finding {
  return catalogue.find('input/expectation-unchecked', `the journal is of the run ${JSON.stringify(actual)}`, {
    expected,
    actual,
  });
}

/** The caller's word goes before the trust file's, and that before the kind's own. */
function requiredClaims(kind: string | null, outcome: Outcome, options: VerifyOptions): readonly string[] {
  return options.require ?? (kind === null ? undefined : options.trust.requirements.get(kind)) ?? outcome.required;
}

function inputReport(
  about: Pick<InputReport, 'path' | 'kind' | 'sha256' | 'bytes' | 'as_of'>,
  outcome: Outcome,
  required: readonly string[],
  excerpted: readonly (string | undefined)[] = [],
): InputReport {
  return {
    ...about,
    result: settle(outcome.findings, outcome.claims, required),
    required,
    subject: outcome.subject,
    counts: outcome.counts,
    claims: outcome.claims,
    findings: identify(about.path, outcome.findings, excerpted),
    missing: outcome.missing,
    not_supplied: outcome.notSupplied ?? [],
    timeline: outcome.timeline ?? [],
  };
}

/** The report of an input whose bytes could not be had: missing, unreadable, too large. */
export function unreadableInput(
  path: string,
  reason: string,
  code: 'input/unreadable' | 'input/too-large' | 'input/unknown-kind' = 'input/unreadable',
): InputReport {
  return inputReport(
    { path, kind: null, sha256: null, bytes: null, as_of: null },
    { ...NOTHING, findings: [catalogue.find(code, reason)] },
    [],
  );
}
