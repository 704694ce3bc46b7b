/**
 * Signed heads over agent sessions, `audit.session-head.v1`. A session file proves what is in it, not that nothing is missing nor who kept
 * it; a head over it says both, as of its size and time. docs/spec/session-heads.md is the specification of this format.
 *
 * The tree is that of RFC 6962. Leaf 0 commits to the header (its identity, session-format 2.7, and the format that it declares), leaf
 * i >= 1 to its position and the id of entry i - 1 in file order. Lines are never hashed as they are written, so that a session that is
 * formatted otherwise stays under its head.
 */
import { concat, equalBytes, hex, u64, utf8 } from '../bytes/encoding.ts';
import { sha256 } from '../crypto/sha256.ts';
import type { PrivateKey, PublicKey } from '../crypto/signature.ts';
import type { Finding, Where } from '../finding/finding.ts';
import { ByteWriter, sortMembers, writeCanonical, writeName } from '../json/canonical.ts';
import { name, OBJECT, Scanner } from '../json/scan.ts';
import { bytes, formatted, int64, integer, type Shape, string } from '../json/shape.ts';
import { leafHash } from '../merkle/hash.ts';
import { RootBuilder } from '../merkle/root.ts';
import { MerkleTree } from '../merkle/tree.ts';
import type { Session } from '../session/session.ts';
import { formatInstant, type Instant } from '../time/instant.ts';
import { catalogue } from './catalogue.ts';
import { checkpointText, originOfTree } from './checkpoint.ts';
import { inForce, type KeyRing, type RingEntry } from './keyRing.ts';

export const SESSION_HEAD_FORMAT = 'audit.session-head.v1';
const HEADER_LEAF_TAG = utf8('audit.session-header-leaf.v1\0');
const ENTRY_LEAF_TAG = utf8('audit.session-entry-leaf.v1\0');

export interface SessionHead {
  readonly format: string;
  /** `id` of the session's header. */
  readonly session: string;
  /** Identity of the header: 32 bytes. */
  readonly ident: Uint8Array | null;
  /** The format that the header declares, such as `agentsession/0.14`. */
  readonly declared: string;
  /** Leaves: one for the header and one for each entry. */
  readonly size: number;
  readonly root: Uint8Array | null;
  readonly timestamp_nanos: bigint;
  readonly alg: string;
  readonly signature: Uint8Array | null;
}

export const sessionHeadShape: Shape<SessionHead> = formatted('session head', SESSION_HEAD_FORMAT, {
  session: string,
  ident: bytes,
  declared: string,
  size: integer,
  root: bytes,
  timestamp_nanos: int64,
  alg: string,
  signature: bytes,
});

const FORMAT_MEMBER = name('format');

/** The header's identity (session-format 2.7): SHA-256 of its canonical form without `format`. Undefined for what is no JSON object. */
export function headerIdent(header: Uint8Array): Uint8Array | undefined {
  const scanner = new Scanner();
  if (!scanner.scan(header) || scanner.kind[0] !== OBJECT || scanner.violationCount > 0) return undefined;
  const members: number[] = [];
  for (let at = scanner.first(0); at >= 0; at = scanner.following(0, at)) {
    if (!scanner.nameIs(at, FORMAT_MEMBER)) members.push(at);
  }
  const out = new ByteWriter();
  out.byte(0x7b);
  for (const [i, member] of sortMembers(scanner, members).entries()) {
    if (i > 0) out.byte(0x2c);
    writeName(scanner, member, out);
    writeCanonical(scanner, member, out);
  }
  out.byte(0x7d);
  return new Uint8Array(sha256(out.view()));
}

/** What a head is over: the header and the ids of a session's entries, in file order. `Session` of src/session gives it. */
export interface SessionContent {
  readonly session: string;
  readonly ident: Uint8Array;
  readonly declared: string;
  /** Entries. */
  readonly entries: number;
  /** `sha256:` and 64 hexadecimal digits. */
  id(entry: number): string;
  /** The 32 bytes of the id, where they are at hand. */
  readonly idBytes?: ((entry: number) => Uint8Array) | undefined;
}

/** A session as it was read, as the content of a head. Undefined where its ids were assigned by migration, which no head can be over. */
export function contentOf(session: Session): SessionContent | undefined {
  const ident = headerIdent(session.header.raw.bytes);
  if (ident === undefined || session.migrated) return undefined;
  return {
    session: session.header.id,
    ident,
    declared: session.header.format,
    entries: session.size,
    id: (entry) => session.id(entry),
    idBytes: session.idBytes?.bind(session),
  };
}

/** Leaf data of the header. */
export function headerLeaf(ident: Uint8Array, declared: string): Uint8Array {
  const format = utf8(declared);
  return concat(HEADER_LEAF_TAG, ident, u64(format.length), format);
}

const ID_START = 'sha256:'.length;
const ID_LENGTH = ID_START + 64;
const ENTRY_LEAF_LENGTH = ENTRY_LEAF_TAG.length + 8 + 32;
/** Value of a lowercase hexadecimal digit by its code; -1 for any other character. */
const DIGIT = new Int8Array(128).fill(-1);
for (const [value, digit] of [...'0123456789abcdef'].entries()) DIGIT[digit.charCodeAt(0)] = value;

/** An entry leaf with its tag, to be filled again and again. */
function entryLeafBuffer(): Uint8Array {
  const data = new Uint8Array(ENTRY_LEAF_LENGTH);
  data.set(ENTRY_LEAF_TAG);
  return data;
}

/** Writes the position of an entry, and its id as text or as bytes, after the tag. Throws RangeError for what is no id. */
function fillEntryLeaf(into: Uint8Array, leaf: number, id: string | Uint8Array): void {
  let at = ENTRY_LEAF_TAG.length;
  for (let byte = 7, rest = leaf; byte >= 0; byte--, rest = Math.floor(rest / 256)) into[at + byte] = rest % 256;
  at += 8;
  if (typeof id !== 'string') {
    if (id.length !== 32) throw new RangeError(`${id.length} bytes are not the id of an entry`);
    into.set(id, at);
    return;
  }
  let isId = id.length === ID_LENGTH && id.startsWith('sha256:');
  for (let i = ID_START; isId && i < ID_LENGTH; i += 2) {
    const byte = ((DIGIT[id.charCodeAt(i)] ?? -1) << 4) | (DIGIT[id.charCodeAt(i + 1)] ?? -1);
    isId = byte >= 0;
    into[at++] = byte;
  }
  if (!isId) throw new RangeError(`${JSON.stringify(id.slice(0, 80))} is not the id of an entry`);
}

/** Leaf data of an entry: `leaf` is its position in the tree (1 for the first entry). Throws RangeError for what is no id. */
export function entryLeaf(leaf: number, id: string): Uint8Array {
  const data = entryLeafBuffer();
  fillEntryLeaf(data, leaf, id);
  return data;
}

/** Leaf data in order. One buffer serves all entries: each is to be hashed before the next is taken. */
function* leaves(content: SessionContent): Iterable<Uint8Array> {
  yield headerLeaf(content.ident, content.declared);
  const data = entryLeafBuffer();
  const idOf: (entry: number) => string | Uint8Array = content.idBytes ?? ((entry) => content.id(entry));
  for (let i = 0; i < content.entries; i++) {
    fillEntryLeaf(data, i + 1, idOf(i));
    yield data;
  }
}

/** The whole tree, for proofs. */
export function sessionTree(content: SessionContent): MerkleTree {
  return MerkleTree.ofLeaves(leaves(content));
}

/** Roots of the first leaves for several sizes in one pass, in constant memory. A size past the end has none. */
export function sessionRoots(content: SessionContent, sizes: readonly number[]): ReadonlyMap<number, Uint8Array> {
  const wanted = new Set(sizes);
  const roots = new Map<number, Uint8Array>();
  const builder = new RootBuilder();
  const last = Math.max(0, ...wanted);
  for (const leaf of leaves(content)) {
    if (builder.size >= last) break;
    builder.append(leafHash(leaf));
    if (wanted.has(builder.size)) roots.set(builder.size, builder.root());
  }
  return roots;
}

function field(value: Uint8Array): Uint8Array {
  return concat(u64(value.length), value);
}

const NOTHING = new Uint8Array();

/** What the signature is over. */
export function sessionHeadBytes(head: SessionHead): Uint8Array {
  return concat(
    utf8(`${SESSION_HEAD_FORMAT}\0`),
    field(utf8(head.alg)),
    field(utf8(head.session)),
    field(head.ident ?? NOTHING),
    field(utf8(head.declared)),
    u64(head.size),
    field(head.root ?? NOTHING),
    u64(head.timestamp_nanos),
  );
}

/** SHA-256 of the signed bytes: what a time-stamp of a session head is over. */
export function sessionHeadHash(head: SessionHead): Uint8Array {
  return new Uint8Array(sha256(sessionHeadBytes(head)));
}

/** Signs a head over a session as it stands. Throws RangeError for a session without an identity, or a time that is none. */
export function signSessionHead(content: SessionContent, time: Instant, key: PrivateKey): SessionHead {
  const size = content.entries + 1;
  if (content.session === '' || content.ident.length !== 32 || time <= 0n || time >= 1n << 63n)
    throw new RangeError('this session head cannot be signed: it names no session or no time');
  const head: SessionHead = {
    format: SESSION_HEAD_FORMAT,
    session: content.session,
    ident: content.ident,
    declared: content.declared,
    size,
    root: sessionRoots(content, [size]).get(size) as Uint8Array,
    timestamp_nanos: time,
    alg: key.scheme,
    signature: null,
  };
  return { ...head, signature: key.sign(sessionHeadBytes(head)) };
}

/** Why a session head has a shape that none can have; undefined when it is well formed. */
export function sessionHeadShapeFault(head: SessionHead): string | undefined {
  if (head.session === '') return 'it names no session';
  if (head.ident?.length !== 32) return 'the identity of its header is not 32 bytes';
  if (head.root?.length !== 32) return 'its root is not 32 bytes';
  return head.size < 1 ? `its size is ${head.size}, and a session has at least its header` : undefined;
}

/** The checks of a session head under one key: shape, scheme, signature. No finding: it is authentic. */
export function sessionHeadFindings(head: SessionHead, key: PublicKey, where: Where = {}): readonly Finding[] {
  const fault = sessionHeadShapeFault(head);
  if (fault !== undefined)
    return [
      catalogue.find('log/head-malformed', `the session head is of no shape that one can have: ${fault}`, {
        where,
        rule: 'session-heads 2',
      }),
    ];
  if (head.alg !== key.scheme)
    return [
      catalogue.find(
        'log/head-scheme',
        `the head is signed with ${JSON.stringify(head.alg)}, the key is of another scheme`,
        {
          where,
          expected: key.scheme,
          actual: head.alg,
          rule: 'session-heads 3',
        },
      ),
    ];
  if (!key.verify(head.signature ?? NOTHING, sessionHeadBytes(head)))
    return [
      catalogue.find(
        'log/head-signature',
        'the signature of the session head is not by this key, or the head was changed',
        {
          where,
          expected: `a signature by ${key.identities.join(' and ')}`,
          rule: 'session-heads 3',
        },
      ),
    ];
  return [];
}

/** Whether a session head is authentic under the key in force at its time (audit spec 3.8), and under which. The ring is not empty. */
export function authenticateSessionHead(
  head: SessionHead,
  ring: KeyRing,
  where: Where = {},
): { readonly by?: RingEntry; readonly findings: readonly Finding[] } {
  const entries = inForce(ring, head.timestamp_nanos);
  const first = entries.find(({ key }) => key.scheme === head.alg) ?? entries[0];
  if (first === undefined)
    return {
      findings: [
        catalogue.find('log/head-no-key', `no trusted key of the log covers ${formatInstant(head.timestamp_nanos)}`, {
          where,
          actual: formatInstant(head.timestamp_nanos),
        }),
      ],
    };
  const by = entries.find(({ key }) => sessionHeadFindings(head, key, where).length === 0);
  return by === undefined ? { findings: sessionHeadFindings(head, first.key, where) } : { by, findings: [] };
}

/** A session held against a head. */
export interface SessionBinding {
  /** No finding: the head is over this session, and the session holds everything that the head covers. */
  readonly findings: readonly Finding[];
  /** Entries under the head. */
  readonly covered: number;
  /** Entries after it, which nothing attests. */
  readonly unattested: number;
}

/**
 * Holds a session against an authentic head: same header, same first leaves, none missing.
 *
 * @param rootOf the root of the first leaves, where a caller with many heads has them all from one pass
 */
export function bindSession(
  content: SessionContent,
  head: SessionHead,
  where: Where = {},
  rootOf: (size: number) => Uint8Array | undefined = (size) => sessionRoots(content, [size]).get(size),
): SessionBinding {
  const covered = Math.min(Math.max(head.size - 1, 0), content.entries);
  const unattested = content.entries - covered;
  const findings: Finding[] = [];
  if (
    head.session !== content.session ||
    !equalBytes(head.ident ?? NOTHING, content.ident) ||
    head.declared !== content.declared
  )
    findings.push(
      catalogue.find('log/session-other', 'the head is over another session, or the header was changed', {
        where,
        expected: `${head.session}, header sha256:${hex(head.ident ?? NOTHING)}, ${head.declared}`,
        actual: `${content.session}, header sha256:${hex(content.ident)}, ${content.declared}`,
      }),
    );
  else if (head.size > content.entries + 1)
    findings.push(
      catalogue.find(
        'log/session-truncated',
        head.size - 2 === content.entries
          ? '1 entry that the head covers is not in the file'
          : `${head.size - 1 - content.entries} entries that the head covers are not in the file`,
        {
          where,
          expected: `${head.size - 1} ${head.size === 2 ? 'entry' : 'entries'}`,
          actual: `${content.entries} ${content.entries === 1 ? 'entry' : 'entries'}`,
        },
      ),
    );
  else {
    const root = rootOf(head.size) ?? NOTHING;
    if (!equalBytes(root, head.root ?? NOTHING))
      findings.push(
        catalogue.find(
          'log/session-history',
          `the first ${head.size - 1} entries are not those that the head was signed over`,
          {
            where,
            expected: `root ${hex(head.root ?? NOTHING)}`,
            actual: `root ${hex(root)}`,
          },
        ),
      );
  }
  return { findings, covered, unattested };
}

/** How the origin of a checkpoint over this session ends: the session and the identity of its header. */
export function sessionOrigin({ session, ident }: { readonly session: string; readonly ident: Uint8Array }): string {
  return originOfTree('', 'session', `${session}/${hex(ident)}`);
}

/** A session head as the text of a checkpoint. */
export function sessionHeadAsCheckpoint({ session, ident, size, root }: SessionHead, log: string): string {
  if (root === null || ident === null) throw new RangeError('the head has no root or no identity');
  return checkpointText(`${log}${sessionOrigin({ session, ident })}`, size, root);
}
