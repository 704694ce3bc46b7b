/** What a head is over, as the command line names it: a journal export, a session file, or a file of leaves. */
import { decodeUtf8, unbase64 } from '../src/bytes/encoding.ts';
import { treeOfJournal } from '../src/evidence/journalTree.ts';
import type { Finding } from '../src/finding/finding.ts';
import { Unreadable } from '../src/host/files.ts';
import { looksLikeRecordLines, readExport, readLines } from '../src/journal/export.ts';
import type { Journal } from '../src/journal/record.ts';
import { contentOf, type SessionContent, sessionTree } from '../src/log/sessionHead.ts';
import { MerkleTree } from '../src/merkle/tree.ts';
import { readSession } from '../src/session/read.ts';
import type { Session } from '../src/session/session.ts';
import { type Args, type Io, type Option, UsageError } from './command.ts';
import { readNamed, stops } from './producing.ts';

export const TREE_OPTIONS: readonly Option[] = [
  {
    name: 'journal',
    type: 'text',
    placeholder: 'FILE',
    describe: 'A journal export, or one stored record a line (with --run).',
  },
  { name: 'session', type: 'text', placeholder: 'FILE', describe: 'A session file.' },
  {
    name: 'leaves',
    type: 'text',
    placeholder: 'FILE',
    describe: 'The entries of a log, one a line, each in base64; they are hashed as RFC 6962 does.',
  },
  { name: 'run', type: 'text', placeholder: 'ID', describe: 'The run, where the journal file does not name it.' },
];

export type TreeSource =
  | { readonly of: 'journal'; readonly tree: MerkleTree; readonly journal: Journal }
  | { readonly of: 'session'; readonly tree: MerkleTree; readonly content: SessionContent; readonly session: Session }
  | { readonly of: 'leaves'; readonly tree: MerkleTree };

export type TreeReading =
  | { readonly ok: true; readonly source: TreeSource }
  | { readonly ok: false; readonly findings: readonly Finding[] };

export type SourceName = 'journal' | 'session' | 'leaves';

/** Which source is named. Throws UsageError for none or several, before any file is opened. */
export function namedSource(args: Args, allowed: readonly SourceName[] = ['journal', 'session', 'leaves']): SourceName {
  const named = allowed.filter((name) => args.text(name) !== undefined);
  if (named.length !== 1 || named[0] === undefined)
    throw new UsageError(`one of ${allowed.map((name) => `--${name}`).join(', ')} is needed`);
  return named[0];
}

/** Reads the source that is named. */
export function readTreeSource(args: Args, io: Io): TreeReading {
  const source = namedSource(args);
  const path = args.need(source);
  if (source === 'journal') return readJournal(path, args, io);
  return source === 'session' ? readSessionFile(path, io) : readLeaves(path, io);
}

function readJournal(path: string, args: Args, io: Io): TreeReading {
  const bytes = readNamed(path, io);
  const run = args.text('run');
  if (looksLikeRecordLines(bytes) && run === undefined)
    throw new UsageError('a journal of one record a line does not name its run: add --run ID');
  const { journal, findings } = looksLikeRecordLines(bytes) ? readLines(run as string, bytes) : readExport(bytes);
  const bad = findings.filter(stops);
  if (journal === undefined || bad.length > 0) return { ok: false, findings: bad };
  return { ok: true, source: { of: 'journal', ...treeOfJournal(journal) } };
}

function readSessionFile(path: string, io: Io): TreeReading {
  const { session, findings } = readSession(io.open(path));
  const bad = findings.filter(stops);
  if (session === undefined || bad.length > 0) return { ok: false, findings: bad };
  const content = contentOf(session);
  if (content === undefined)
    throw new Unreadable(`${path}: its entries got their ids by migration, so no head can be over them`);
  return { ok: true, source: { of: 'session', tree: sessionTree(content), content, session } };
}

function readLeaves(path: string, io: Io): TreeReading {
  const text = decodeUtf8(readNamed(path, io)) ?? '*';
  const lines = text.split('\n');
  if (lines.at(-1) === '') lines.pop();
  const leaves = lines.map((line, i) => {
    const leaf = unbase64(line);
    if (leaf === undefined) throw new Unreadable(`${path}: line ${i + 1} is not standard padded base64`);
    return leaf;
  });
  return { ok: true, source: { of: 'leaves', tree: MerkleTree.ofLeaves(leaves) } };
}
