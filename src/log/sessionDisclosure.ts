/**
 * Chosen entries of a session with the proof that they stand under its signed head, `audit.session-disclosure.v1`: the rest stays hidden.
 * docs/spec/session-heads.md 6 specifies it.
 */
import { equalBytes, hex } from '../bytes/encoding.ts';
import type { Finding, Verdict, Where } from '../finding/finding.ts';
import { OBJECT, Scanner, STRING } from '../json/scan.ts';
import { bytes, encode, formatted, integer, list, object, omitEmpty, type Shape } from '../json/shape.ts';
import { leafHash } from '../merkle/hash.ts';
import { FAULT_WORDS, inclusionFault, type Path } from '../merkle/proof.ts';
import type { MerkleTree } from '../merkle/tree.ts';
import { readHeader } from '../session/header.ts';
import { type EnvelopeRows, envelopeRows, Hasher, readHash } from '../session/ident.ts';
import { catalogue } from './catalogue.ts';
import type { KeyRing } from './keyRing.ts';
import {
  authenticateSessionHead,
  entryLeaf,
  headerIdent,
  type SessionHead,
  sessionHeadShape,
  sessionHeadShapeFault,
} from './sessionHead.ts';

export const SESSION_DISCLOSURE_FORMAT = 'audit.session-disclosure.v1';

export interface DisclosedEntry {
  /** Position in the tree: 1 for the first entry of the session. */
  readonly leaf: number;
  /** The line as the file has it, without its line end. */
  readonly line: Uint8Array | null;
  readonly path: Path;
}

export interface SessionDisclosure {
  readonly format: string;
  readonly head: SessionHead;
  /** The header line; absent where it stays hidden. */
  readonly header: Uint8Array | null;
  readonly entries: readonly DisclosedEntry[] | null;
}

export const sessionDisclosureShape: Shape<SessionDisclosure> = formatted(
  'session disclosure',
  SESSION_DISCLOSURE_FORMAT,
  {
    head: sessionHeadShape,
    header: omitEmpty(bytes),
    entries: list(object({ leaf: integer, line: bytes, path: list(bytes) })),
  },
);

/** What a disclosure shows. */
export interface ShownEntry {
  readonly leaf: number;
  /** `sha256:` and 64 digits, computed from the line; absent where the line holds no entry. */
  readonly id?: string;
  readonly proven: boolean;
}

export interface DisclosureReport {
  readonly findings: readonly Finding[];
  /** Undefined where the ring is empty. */
  readonly signed: boolean | undefined;
  readonly inclusion: Verdict;
  readonly shown: readonly ShownEntry[];
}

/** Checks the head, the header where it is shown, and every entry; each is looked at whatever the others give. */
export function checkSessionDisclosure(file: SessionDisclosure, ring: KeyRing, where: Where = {}): DisclosureReport {
  const { head } = file;
  const shapeless = sessionHeadShapeFault(head);
  if (shapeless !== undefined)
    return {
      findings: [
        catalogue.find('log/head-malformed', `the session head is of no shape that one can have: ${shapeless}`, {
          where,
        }),
      ],
      signed: undefined,
      inclusion: 'undecided',
      shown: [],
    };
  const unsigned = ring.length === 0 ? [] : authenticateSessionHead(head, ring, where).findings;
  const faults: Finding[] = file.header === null ? [] : [...headerFindings(file.header, head, where)];
  const shown: ShownEntry[] = [];
  let last = 0;
  for (const [i, entry] of (file.entries ?? []).entries()) {
    const place: Where = { ...where, pointer: `/entries/${i}` };
    if (entry.leaf <= last)
      faults.push(
        catalogue.find('log/disclosure-order', 'the entries shown are not in the order of the session, each once', {
          where: place,
          expected: `a position after ${last}`,
          actual: String(entry.leaf),
        }),
      );
    last = Math.max(last, entry.leaf);
    const judged = judgeEntry(entry, head, place);
    faults.push(...judged.findings);
    shown.push(judged.shown);
  }
  return {
    findings: [...unsigned, ...faults],
    signed: ring.length === 0 ? undefined : unsigned.length === 0,
    inclusion: faults.length > 0 ? 'failed' : shown.length === 0 ? 'undecided' : 'verified',
    shown,
  };
}

function headerFindings(line: Uint8Array, head: SessionHead, where: Where): readonly Finding[] {
  const ident = headerIdent(line);
  const { header } = readHeader(line, 0, 1);
  const isSame =
    ident !== undefined &&
    equalBytes(ident, head.ident ?? new Uint8Array()) &&
    header?.id === head.session &&
    header.format === head.declared;
  if (isSame) return [];
  return [
    catalogue.find('log/session-other', 'the header that is shown is not the one that the head was signed over', {
      where: { ...where, pointer: '/header' },
      expected: `${head.session}, header sha256:${hex(head.ident ?? new Uint8Array())}, ${head.declared}`,
      ...(ident === undefined ? {} : { actual: `header sha256:${hex(ident)}` }),
    }),
  ];
}

function judgeEntry(
  { leaf, line, path }: DisclosedEntry,
  head: SessionHead,
  where: Where,
): { readonly findings: readonly Finding[]; readonly shown: ShownEntry } {
  const id = entryId(line ?? new Uint8Array());
  if (id === undefined)
    return {
      findings: [
        catalogue.find(
          'log/disclosure-entry',
          'the line that is shown is no entry whose id is the hash of what it holds',
          {
            where: { ...where, pointer: `${where.pointer}/line` },
          },
        ),
      ],
      shown: { leaf, proven: false },
    };
  // Leaf 0 is the header: no entry stands there.
  const fault = leaf < 1 ? 'range' : inclusionFault(head.root, leafHash(entryLeaf(leaf, id)), leaf, head.size, path);
  if (fault === undefined) return { findings: [], shown: { leaf, id, proven: true } };
  return {
    findings: [
      catalogue.find(
        'log/disclosure-inclusion',
        `the entry is not shown at position ${leaf} under the head: ${FAULT_WORDS[fault]}`,
        {
          where: { ...where, entry: id },
        },
      ),
    ],
    shown: { leaf, id, proven: false },
  };
}

/** The id of an entry, computed from its line (session-format 4.4); undefined where the line states another or holds no entry. */
export function entryId(line: Uint8Array): string | undefined {
  const scanner = new Scanner();
  if (!scanner.scan(line) || scanner.kind[0] !== OBJECT || scanner.violationCount > 0) return undefined;
  const rows: EnvelopeRows = { id: -1, type: -1, parent: -1, parents: -1, ts: -1, content: -1 };
  envelopeRows(scanner, rows);
  if (rows.type < 0 || rows.id < 0 || scanner.kind[rows.type] !== STRING || scanner.kind[rows.id] !== STRING)
    return undefined;
  const hasher = new Hasher();
  const id = hasher.id(scanner, rows, hasher.contentHash(scanner, rows));
  const stated = new Uint8Array(32);
  const [start, end] = [(scanner.start[rows.id] as number) + 1, (scanner.end[rows.id] as number) - 1];
  return readHash(line, start, end, stated) && equalBytes(stated, id) ? `sha256:${hex(id)}` : undefined;
}

/**
 * Writes a disclosure; undefined where its own verifier would refuse it, because an entry is not under the head.
 *
 * @param entries position and line of each entry that is shown, in the order of the session
 */
export function writeSessionDisclosure(
  head: SessionHead,
  tree: MerkleTree,
  entries: readonly { readonly leaf: number; readonly line: Uint8Array }[],
  header: Uint8Array | null = null,
): Uint8Array | undefined {
  if (head.size > tree.size || entries.some(({ leaf }) => leaf < 1 || leaf >= head.size)) return undefined;
  const file: SessionDisclosure = {
    format: SESSION_DISCLOSURE_FORMAT,
    head,
    header,
    entries: entries.map(({ leaf, line }) => ({ leaf, line, path: tree.inclusion(leaf, head.size).path })),
  };
  return checkSessionDisclosure(file, []).inclusion === 'verified' ? encode(sessionDisclosureShape, file) : undefined;
}
