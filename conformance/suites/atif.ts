/**
 * ATIF: the documents and exports of `atif/`, and the exports of the reference implementation in `agentsession/export`. Of these, documents
 * of format 0.11 must be reproduced but for the format member that atif-export 16 exempts; older ones may differ in the named places alone
 * in which formats differ, and each of those differences is listed.
 */
import { base64 } from '../../src/bytes/encoding.ts';
import { memorySource } from '../../src/bytes/source.ts';
import { readSession } from '../../src/session/read.ts';
import type { Case, Folder, Json, Suite } from '../suite.ts';
import { equals } from '../suite.ts';

type Members = { readonly [name: string]: Json };

interface Index {
  readonly documents: readonly {
    readonly file: string;
    readonly schema: boolean;
    readonly parse: boolean;
    readonly validate: boolean;
    readonly closed: boolean;
    readonly rule?: string;
    readonly at?: string;
  }[];
  readonly exports: readonly {
    readonly session: string;
    readonly leaf: string;
    readonly document: string;
    readonly price: Json;
    readonly items: number;
    readonly all_items: number;
  }[];
}

const documents: Suite = {
  name: 'atif/documents',
  folder: 'atif',
  *cases(folder) {
    for (const { file, schema, parse, validate, closed, rule = null, at = null } of (folder.json('index.json') as Index)
      .documents)
      yield {
        name: file,
        op: 'atif/check',
        params: { document_b64: base64(folder.bytes(file)) },
        expect: (answer) => {
          const { codes: _, ...verdicts } = answer as Members;
          return equals({ read: true, schema, parse, validate, closed, rule, at })(verdicts);
        },
      };
  },
};

const exports: Suite = {
  name: 'atif/exports',
  folder: 'atif',
  *cases(folder) {
    for (const { session, leaf, document, price, items, all_items } of (folder.json('index.json') as Index).exports) {
      const session_b64 = base64(folder.bytes(session));
      yield {
        name: `${session} at ${leaf.slice(0, 19)}`,
        op: 'atif/export',
        params: { session_b64, leaf, price },
        expect: equals(folder.json(document) as Json),
      };
      yield {
        name: `items of ${document}`,
        op: 'atif/items',
        params: { document_b64: base64(folder.bytes(document)) },
        expect: (answer) => {
          const { items: sent, all } = answer as { readonly items?: readonly Json[]; readonly all?: readonly Json[] };
          return equals([items, all_items])([sent?.length ?? -1, all?.length ?? -1]);
        },
      };
      yield {
        name: `steps of ${document} against its items`,
        op: 'atif/agreement',
        params: { document: folder.json(document) as Json },
        expect: (answer) => equals([])((answer as { readonly findings: Json }).findings),
      };
    }
  },
};

/** Documents are kept by the old ids of their entries, and the session of that age is not always at hand. */
interface Fixtures {
  readonly fixtures: Readonly<Record<string, { readonly export?: readonly string[] }>>;
}

const reference: Suite = {
  name: 'agentsession/export',
  folder: 'agentsession',
  *cases(folder) {
    const { fixtures } = folder.json('expected.json') as Fixtures;
    for (const [file, { export: made = [] }] of Object.entries(fixtures))
      for (const document of made) yield* referenceCase(folder, file, document);
  },
};

function* referenceCase(folder: Folder, session: string, file: string): Generator<Case> {
  const wanted = folder.json(file) as Members;
  const isCurrent = formatOf(wanted) === 'agentsession/0.11';
  const name = session.slice('sessions/'.length);
  // A document from before entries had hashes was made from the session of its age, where that is here.
  const sources = isCurrent ? [session] : [`sessions/v0.4/${name}`, ...older(folder, name), session];
  const source = sources.find((path) => holds(folder, path, wanted)) ?? session;
  const known = DIFFERENCES.filter(({ at }) => file in at);
  const pointers = known.flatMap(({ at }) => at[file] ?? []);
  yield {
    name: file,
    op: 'atif/export',
    params: { session_b64: base64(folder.bytes(source)), leaf: wanted['trajectory_id'] as Json },
    expect: (answer) =>
      equals([...pointers].sort())(
        compare(without(isCurrent ? wanted : translated(wanted, folder.bytes(source))), without(answer)),
      ),
  };
  for (const { reason, at } of known)
    for (const pointer of at[file] ?? [])
      yield { name: `${file} ${pointer}`, op: 'atif/export', params: {}, expect: () => undefined, skip: reason };
}

function older(folder: Folder, name: string): readonly string[] {
  return folder.files().filter((path) => path.startsWith('older/') && path.endsWith(`/sessions/${name}`));
}

/** Whether a session file holds the entries that a document names. */
function holds(folder: Folder, path: string, document: Members): boolean {
  if (!folder.files().includes(path)) return false;
  const ids = new Set(
    folder
      .text(path)
      .split('\n')
      .flatMap((line) => {
        if (line.trim() === '') return [];
        const { id, legacy_id } = JSON.parse(line) as Members;
        return [id, legacy_id];
      }),
  );
  return [...entryIds(document)].every((id) => ids.has(id));
}

function* entryIds(document: Members): Generator<Json> {
  yield document['trajectory_id'] as Json;
  for (const step of document['steps'] as readonly Members[]) {
    const extra = step['extra'] as Members;
    yield (extra['agentsession'] as Members)['entry_id'] as Json;
  }
}

const formatOf = (document: Members): Json =>
  ((document['extra'] as Members)['agentsession'] as Members)['format'] as Json;

/** A document without the root's format member (atif-export 16). */
function without(document: Json): Json {
  const { extra, ...rest } = document as Members;
  const { agentsession, ...more } = extra as Members;
  const { format: _, ...kept } = agentsession as Members;
  return { ...rest, extra: { ...more, agentsession: kept } };
}

/** Old ids as the ids that the entries of the session have become. */
function translated(document: Members, file: Uint8Array): Json {
  const { session } = readSession(memorySource(file));
  const ids = new Map<string, string>();
  for (let entry = 0; entry < (session?.size ?? 0); entry++) {
    const old = session?.entry(entry).legacyId;
    if (old !== undefined) ids.set(old, session?.id(entry) as string);
  }
  return JSON.parse(JSON.stringify(document), (_, value: unknown) => {
    if (typeof value === 'string') return ids.get(value) ?? value;
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
    return Object.fromEntries(
      Object.entries(value).map(([name, member]) => [ids.get(name) ?? name, member as unknown]),
    );
  }) as Json;
}

/** Pointers of the places where two values differ, the deepest that say it, sorted. */
function compare(a: Json | undefined, b: Json | undefined, at = ''): readonly string[] {
  const isContainer = (value: Json | undefined): value is Members => typeof value === 'object' && value !== null;
  if (!isContainer(a) || !isContainer(b) || Array.isArray(a) !== Array.isArray(b))
    return JSON.stringify(a) === JSON.stringify(b) ? [] : [at];
  const names = [...new Set([...Object.keys(a), ...Object.keys(b)])];
  return names.flatMap((name) => compare(a[name], b[name], `${at}/${name}`)).sort();
}

/** Where exporters of before format 0.11 wrote something else, by reason. */
const DIFFERENCES: readonly { readonly reason: string; readonly at: Readonly<Record<string, readonly string[]>> }[] = [
  {
    reason: 'before format 0.11 total_steps counted steps and folded calls, without a note (atif-export 7.2)',
    at: Object.fromEntries(
      [
        'basic.o0000001',
        'branch.n0000001',
        'compaction.i0000007',
        'converge.i0000008',
        'converge.i0000009',
        'extensions.r0000002',
        'fork.f0000002',
        'instructions.r0000002',
        'interleaved.r0000002',
        'queued.q0000002',
        'runs.o0000001',
      ].map((name) => [`export/${name}.json`, ['/final_metrics/total_steps', '/notes']]),
    ),
  },
  {
    reason: 'before format 0.11 the tokens of folded calls were not in the totals (atif-export 16)',
    at: {
      'export/compaction.i0000007.json': [
        '/final_metrics/total_completion_tokens',
        '/final_metrics/total_prompt_tokens',
      ],
    },
  },
  {
    reason: 'the first exporters knew no main trajectory (atif-export 16)',
    at: {
      'export/basic.o0000001.json': ['/extra/agentsession/main'],
      'export/compaction.i0000007.json': ['/extra/agentsession/main'],
    },
  },
  {
    reason: 'before format 0.11 the answering leaf of a subagent was not named (atif-export 16)',
    at: Object.fromEntries(
      ['converge.i0000008', 'converge.i0000009'].map((name) => [
        `export/${name}.json`,
        [0, 1].flatMap((result) => {
          const reference = `/steps/1/observation/results/${result}/subagent_trajectory_ref/0`;
          return [`${reference}/extra/child_leaf`, `${reference}/trajectory_id`];
        }),
      ]),
    ),
  },
  {
    reason: 'the experimental root extra fork_of was given up (atif-export 16)',
    at: { 'export/fork.f0000002.json': ['/extra/fork_of'] },
  },
  {
    reason: 'the first exporters left undeclared members of config entries out (atif-export 5.5)',
    at: { 'export/extensions.r0000002.json': ['/steps/0/extra/config_extensions'] },
  },
  {
    reason: 'entries of a file from before format 0.5 have kept their old id since (session-format 10)',
    at: {
      ...Object.fromEntries(
        Object.entries({
          'basic.o0000001': [1, 2],
          'branch.n0000001': [1, 4],
          'compaction.i0000007': [2, 4],
          'converge.i0000008': [1, 2],
          'converge.i0000009': [1, 2],
          'fork.f0000002': [1, 2],
          'instructions.r0000002': [1, 3],
          'interleaved.r0000002': [1, 2],
          'queued.q0000002': [2],
          'runs.o0000001': [1, 2],
        }).map(([name, steps]) => [
          `export/${name}.json`,
          steps.map((step) => `/steps/${step}/extra/openresponses/response/legacy_id`),
        ]),
      ),
      'export/extensions.r0000002.json': [
        '/steps/1/extra/extensions/0/legacy_id',
        '/steps/2/extra/openresponses/response/legacy_id',
        '/steps/3/extra/openresponses/response/legacy_id',
      ],
    },
  },
];

export const suites: readonly Suite[] = [documents, exports, reference];
