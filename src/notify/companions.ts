/** Files that stand for members of a trail document: segments and indexes, the journal, the routing (notifications 11.3, 15). */
import type { Finding } from '../finding/finding.ts';
import { EXPORT_FORMAT } from '../journal/export.ts';
import { parseTree } from '../json/tree.ts';
import { deriveJournalFacts } from './derive.ts';
import type { JournalFacts, TrailDocument } from './document.ts';
import { problemFindings } from './finding.ts';
import { asOpenPart, formatOf, mergeOpen, readJournalFacts, readRouting, readTrailDocument } from './input.ts';
import { encodeID } from './keys.ts';
import type { Routing } from './routing.ts';

export interface TrailFile {
  /** For findings. */
  readonly name: string;
  readonly bytes: Uint8Array;
}

export interface TrailFiles {
  /** Documents or exports of segments and indexes, told apart by name. */
  readonly open?: readonly TrailFile[];
  /** Lists of events, or journal exports from which they are derived; a trail takes the one of its run. */
  readonly journals?: readonly TrailFile[];
  readonly routing?: TrailFile;
}

/** The files, read once for all trails. */
export interface Companions {
  readonly findings: readonly Finding[];
  /**
   * The document with what the files add to it.
   *
   * @returns also what both the document and a file give, and give differently: a usage error of the caller.
   */
  complete(document: TrailDocument): { readonly document: TrailDocument; readonly conflicts: readonly string[] };
}

export function readCompanions({ open = [], journals = [], routing }: TrailFiles): Companions {
  const findings: Finding[] = [];
  const parts = open.flatMap(({ name, bytes }) => {
    const reading = readTrailDocument(bytes);
    if (reading.ok) return [asOpenPart(reading.value, '')];
    findings.push(...problemFindings(reading.problems, name));
    return [];
  });
  const facts = journals.flatMap((file): JournalFacts[] => {
    const read = readJournal(file);
    if ('facts' in read) return [read.facts];
    findings.push(...read.findings);
    return [];
  });
  let routed: Routing | undefined;
  if (routing !== undefined) {
    const reading = readRouting(routing.bytes);
    if (reading.ok) routed = reading.value;
    else findings.push(...problemFindings(reading.problems, routing.name));
  }
  return {
    findings,
    complete(document) {
      const conflicts: string[] = [];
      const journal = journalFor(document, facts);
      if (journal !== undefined && document.journal !== undefined && !same(journal, document.journal))
        conflicts.push('journal');
      if (routed !== undefined && document.routing !== undefined && !same(routed, document.routing))
        conflicts.push('routing');
      const names = [...(document.open?.segments ?? []), ...(document.open?.indexes ?? [])].map(({ name }) => name);
      for (const part of parts) names.push('segment' in part ? part.segment.name : part.index.name);
      if (new Set(names).size < names.length) conflicts.push('open-trail');
      return {
        conflicts,
        document: {
          ...document,
          journal: journal ?? document.journal,
          routing: routed ?? document.routing,
          open: parts.length === 0 ? document.open : mergeOpen(document.open, parts, true),
        },
      };
    },
  };
}

function readJournal({
  name,
  bytes,
}: TrailFile): { readonly facts: JournalFacts } | { readonly findings: readonly Finding[] } {
  const parsed = parseTree(bytes);
  if (parsed.ok && formatOf(parsed.root) === EXPORT_FORMAT) {
    const derived = deriveJournalFacts(bytes);
    if (derived.ok) return { facts: derived.facts };
    return {
      findings: derived.findings.map((finding) => ({
        ...finding,
        class: 'unusable',
        where: { ...finding.where, part: name },
      })),
    };
  }
  const reading = readJournalFacts(bytes);
  return reading.ok ? { facts: reading.value } : { findings: problemFindings(reading.problems, name) };
}

/** The one journal, or of several the one of this run; of one run that has sub-runs, all their events together. */
function journalFor({ runId }: TrailDocument, facts: readonly JournalFacts[]): JournalFacts | undefined {
  const [only] = facts;
  if (facts.length < 2 || only === undefined) return only;
  const ofRun = facts.filter((fact) => fact.runId === runId || encodeID(fact.runId) === runId);
  const [first] = ofRun;
  if (first === undefined) return undefined;
  return {
    ...first,
    complete: ofRun.some(({ complete }) => complete),
    runEnded: ofRun.find(({ runEnded }) => runEnded === true)?.runEnded ?? first.runEnded,
    events: ofRun.flatMap(({ events }) => events),
    ...(ofRun.some(({ partial }) => partial === true) ? { partial: true } : {}),
  };
}

/** Equality of what was read, times and members of maps included. */
function same(a: unknown, b: unknown): boolean {
  const text = (value: unknown) =>
    JSON.stringify(value, (_, member: unknown) =>
      typeof member === 'bigint'
        ? `${member}`
        : member instanceof Map
          ? [...member].sort(([x], [y]) => (x < y ? -1 : 1))
          : member,
    );
  return text(a) === text(b);
}
