/**
 * Writes vectors/store/folder.json and database.json: for each thing that `audit store verify` tells of beside the sessions (session-store 4,
 * 5, 7) a store that has it and nothing else. Answers stand here, written by hand; sessions come from the writer in test/session, refs and rows
 * are written out as the format says, without `src/store`.
 */
import { type Body, canonical, Draft, hash, message, type Value } from '../test/session/draft.ts';
import { writeCases } from './place.ts';

const CREATED = '2026-11-01T09:00:00.000000000Z';
/** No process has this number: it is past the most that a system gives. */
const NOBODY = 4_194_305;

interface Held {
  readonly draft: Draft;
  readonly header: Body;
  readonly path: string;
}

function session(id: string, make: (draft: Draft) => void, more: Body = {}): Held {
  const header = { id, ...more };
  const draft = new Draft(header);
  make(draft);
  return {
    draft,
    header: JSON.parse(linesOf(draft)[0] as string) as Body,
    path: `default/2026-11-01T09-00-00.000Z_${id}.jsonl`,
  };
}

const linesOf = (draft: Draft): string[] => draft.text().trimEnd().split('\n');
const image = (of: string): Body => message('see', `sidecar:${of}`);

const hello = session('hello', (draft) => draft.item(message('hi')));
const named = session('named', (draft) => draft.add('info', { name: 'One' }));
const eastern = session('eastern', (draft) => draft.item(message('hi')), { created_at: '2026-11-01T11:00:00+02:00' });
const placed = session('placed', (draft) => draft.item(message('hi')), { cwd: '/srv/app', parent_session: 'hello' });
const PICTURE = hash('picture');
const pictured = session('pictured', (draft) => draft.item(image(PICTURE)), { media: 'sidecar' });

/** The hash of the header without its format (session-format 2.7). */
function identOf({ header: { format: _, ...rest } }: Held): string {
  return hash(canonical(rest));
}

interface Target {
  readonly session: string;
  readonly entry: string;
  readonly ident: string;
}
const NONE: Target = { session: '', entry: '', ident: '' };
const to = (held: Held, entry = ''): Target => ({ session: held.header['id'] as string, entry, ident: identOf(held) });

// Folders

const document = (seq: number, refs: Record<string, Target>): string => `${JSON.stringify({ seq, refs }, null, 2)}\n`;
const record = (seq: number, name: string, next: Target, old = NONE): string =>
  `${JSON.stringify({ seq, name, old, new: next, at: CREATED, reason: '' })}\n`;
/** A record whose new target is written so. */
const withNew = (target: string): string =>
  record(1, 'main', to(hello))
    .replace(/"new":\{[^}]*\}/, `"new":${target}`)
    .trimEnd();
const files = (...held: readonly Held[]): Record<string, string> =>
  Object.fromEntries(held.map(({ path, draft }) => [path, draft.text()]));
const blob = (of: string): string => `.blobs/${of.slice(7)}`;
const lock = (pid: number, host: string): string => `${JSON.stringify({ pid, host, since: '2026-11-01T09:00:00Z' })}\n`;

type Row = readonly [
  name: string,
  store: Record<string, string>,
  findings: readonly string[],
  repaired?: { readonly left: readonly string[]; readonly changed: Record<string, Value> },
];

const gone = session('hello', (draft) => draft.item(message('hi')), { created_at: '2026-11-01T08:00:00Z' });
const one = { 'refs.json': document(1, { main: to(hello) }), 'refs.log': record(1, 'main', to(hello)) };
const whole = hello.draft.text();

const folders: readonly Row[] = [
  ['nothing', {}, []],
  ['a session', files(hello), []],
  ['a session with a ref to it', { ...files(hello), ...one }, []],
  ['a session with media', { ...files(pictured), [blob(PICTURE)]: 'picture' }, []],
  [
    'a lock of a process on another machine: nobody here knows whether it lives',
    { ...files(hello), [`${hello.path}.lock`]: lock(NOBODY, 'elsewhere.example') },
    [`store/held ${hello.path}.lock`],
  ],
  [
    'a lock that does not say whose it is',
    { ...files(hello), [`${hello.path}.lock`]: '' },
    [`store/held ${hello.path}.lock`],
  ],
  [
    'a lock of a process that is gone',
    { ...files(hello), [`${hello.path}.lock`]: lock(NOBODY, '{host}') },
    [`store/stale-lock ${hello.path}.lock`],
    { left: [], changed: { [`${hello.path}.lock`]: null } },
  ],
  [
    'the file of a step that did not finish',
    { ...files(hello), [`${hello.path}.tmp`]: whole },
    [`store/leftover ${hello.path}.tmp`],
    { left: [], changed: { [`${hello.path}.tmp`]: null } },
  ],
  [
    'a last line that was torn',
    { [hello.path]: `${whole}{"id":"sha256:12` },
    [`store/torn-tail ${hello.path}`],
    { left: [], changed: { [hello.path]: whole } },
  ],
  ['a last line that lacks its line feed is whole', { [hello.path]: whole.trimEnd() }, []],
  [
    'two files of one id',
    { [hello.path]: whole, [hello.path.replace('default', 'other')]: whole },
    [`store/id-twice ${hello.path.replace('default', 'other')}`],
  ],
  [
    'a file under the id of another session',
    { [hello.path.replace('_hello', '_other')]: whole },
    [`store/id-differs ${hello.path.replace('_hello', '_other')}`],
  ],
  [
    'a log of refs that is ahead of the document',
    { ...files(hello), ...one, 'refs.log': record(1, 'main', to(hello)) + record(2, 'next', to(hello)) },
    ['store/refs-behind'],
    { left: [], changed: { 'refs.json': JSON.parse(document(2, { main: to(hello), next: to(hello) })) } },
  ],
  [
    'a log of refs beside no document',
    { ...files(hello), 'refs.log': record(1, 'main', to(hello)) + record(2, 'next', to(hello)) },
    ['store/refs-behind'],
    { left: [], changed: { 'refs.json': JSON.parse(document(2, { main: to(hello), next: to(hello) })) } },
  ],
  [
    'a log of refs that lacks a record which the document does not hold either',
    { ...files(hello), ...one, 'refs.log': record(1, 'main', to(hello)) + record(3, 'next', to(hello)) },
    ['store/refs-damaged'],
  ],
  [
    'a record of a ref that was being written',
    { ...files(hello), ...one, 'refs.log': `${record(1, 'main', to(hello))}{"seq":2,"na` },
    ['store/refs-behind'],
    { left: [], changed: { 'refs.log': one['refs.log'] } },
  ],
  ...(
    [
      ['no JSON', '{"seq":1'],
      ['without a name', record(1, '', to(hello)).trimEnd()],
      ['without a number', record(1, 'main', to(hello)).replace('"seq":1,', '').trimEnd()],
      ['that does not say what the ref names', record(1, 'main', to(hello)).replace('"new"', '"now"').trimEnd()],
      ['whose target misspells the session', withNew('{"sesion":"hello"}')],
      ['whose target is empty: a removal says so by an empty session', withNew('{}')],
      ['whose target names a session that is no text', withNew('{"session":7}')],
      ['whose target pins an entry that is no text', withNew('{"session":"hello","entry":7}')],
    ] as const
  ).map(
    ([what, line]): Row => [
      `a whole record of a ref ${what}`,
      { ...files(hello), ...one, 'refs.log': `${line}\n` },
      ['store/refs-damaged'],
    ],
  ),
  [
    'a removal of a ref that the document does not hold yet',
    { ...files(hello), ...one, 'refs.log': `${one['refs.log']}${record(2, 'main', NONE, to(hello))}` },
    ['store/refs-behind'],
    { left: [], changed: { 'refs.json': JSON.parse(document(2, {})) } },
  ],
  ...(
    [
      ['with a ref that is a number', '{"seq":1,"refs":{"main":7}}'],
      ['with a ref to no session', document(1, { main: NONE }).trimEnd()],
      ['without a table of refs', '{"seq":1}'],
      ['with a list in place of its table', '{"seq":1,"refs":[]}'],
      ['without a number', '{"refs":{}}'],
      ['that is null', 'null'],
    ] as const
  ).map(
    ([what, text]): Row => [
      `a document of refs ${what}`,
      { ...files(hello), ...one, 'refs.json': `${text}\n` },
      ['store/refs-damaged'],
    ],
  ),
  [
    'a document of refs that is null, beside no log',
    { ...files(hello), 'refs.json': 'null\n' },
    ['store/refs-damaged'],
  ],
  [
    'a document of refs with a number past every count, beside no log',
    { ...files(hello), 'refs.json': '{"seq":1e999,"refs":{}}\n' },
    ['store/refs-damaged'],
  ],
  ['a ref to a session that is not held', one, ['store/ref-dangling main']],
  [
    'a ref to an earlier session of the same id',
    { ...files(hello), 'refs.json': document(1, { main: to(gone) }), 'refs.log': record(1, 'main', to(gone)) },
    ['store/ref-dangling main'],
  ],
  [
    'a ref to an entry',
    {
      ...files(hello),
      'refs.json': document(1, { main: to(hello, hello.draft.tip ?? '') }),
      'refs.log': record(1, 'main', to(hello, hello.draft.tip ?? '')),
    },
    [],
  ],
  [
    'a ref to an entry that the session does not hold',
    {
      ...files(hello),
      'refs.json': document(1, { main: to(hello, PICTURE) }),
      'refs.log': record(1, 'main', to(hello, PICTURE)),
    },
    ['store/ref-dangling main'],
  ],
  ...[hello.path.replace('_hello', '_other'), `${hello.path}.lock`, `${hello.path}.tmp`, 'refs.json.lock'].map(
    (path): Row => [
      `a folder under the name of a file: ${path}`,
      { ...files(hello), [`${path}/inside`]: '' },
      [`store/not-a-file ${path}`],
    ],
  ),
  [
    'a folder under the name of a lock, and a last line that was torn',
    { [hello.path]: `${whole}{"id":"sha256:12`, [`${hello.path}.lock/inside`]: '' },
    [`store/torn-tail ${hello.path}`, `store/not-a-file ${hello.path}.lock`],
  ],
  ...['refs.json', 'refs.log'].map(
    (path): Row => [
      `a folder under the name of the refs: ${path}`,
      {
        ...files(hello),
        ...Object.fromEntries(Object.entries(one).filter(([other]) => other !== path)),
        [`${path}/inside`]: '',
      },
      ['store/refs-damaged'],
    ],
  ),
  ['a file under the name of the folder of media', { ...files(hello), '.blobs': '' }, ['store/not-a-file .blobs']],
  [
    'a folder under the name of media',
    { ...files(pictured), [`${blob(PICTURE)}/inside`]: '' },
    [`store/not-a-file ${blob(PICTURE)}`, 'store/blob-missing pictured'],
  ],
  ['media that are not there', files(pictured), ['store/blob-missing pictured']],
  [
    'media that are something else',
    { ...files(pictured), [blob(PICTURE)]: 'pictures' },
    [`store/blob-mismatch ${PICTURE}`],
  ],
];

// Databases

const quoted = (value: Value): string =>
  value === null ? 'NULL' : typeof value === 'number' ? String(value) : `'${String(value).replaceAll("'", "''")}'`;
const insert = (table: string, row: Body): string =>
  `INSERT INTO ${table} (${Object.keys(row).join(', ')}) VALUES (${Object.values(row).map(quoted).join(', ')})`;

function rows({ draft, header }: Held, change: { readonly session?: Body; readonly entry?: Body } = {}): string[] {
  const [first, ...lines] = linesOf(draft);
  const id = header['id'] as string;
  const info = draft.entries.find(({ type }) => type === 'info');
  const name = (info?.body['name'] ?? '') as string;
  return [
    insert('sessions', {
      id,
      created_at: CREATED,
      updated_at: CREATED,
      name,
      header: first as string,
      ...change.session,
    }),
    ...draft.entries.map(({ id: entry, parent, type }, i) =>
      insert('entries', {
        session_id: id,
        seq: i + 1,
        id: entry,
        parent,
        type,
        line: lines[i] as string,
        ...change.entry,
      }),
    ),
  ];
}

const holder = (pid: number, host: string): string =>
  insert('holders', { session_id: 'hello', pid, host, token: '0011223344556677', since: CREATED, heartbeat: CREATED });
const ref = (target: Target): string => insert('refs', { name: 'main', ...target, updated_at: CREATED });
const stored = (of: string, data: string): string =>
  `INSERT INTO blobs (hash, data, stored_at) VALUES ('${of}', CAST('${data}' AS BLOB), '${CREATED}')`;

const databases: readonly (readonly [
  name: string,
  statements: readonly string[],
  findings: readonly string[],
  left?: readonly string[],
])[] = [
  ['nothing', [], []],
  ['a session', rows(hello), []],
  ['a session with a name', rows(named), []],
  ['a session with a ref to it', [...rows(hello), ref(to(hello))], []],
  ['a session with media', [...rows(pictured), stored(PICTURE, 'picture')], []],
  ['a holder on another machine', [...rows(hello), holder(NOBODY, 'elsewhere.example')], ['store/held hello']],
  ['a holder that is gone', [...rows(hello), holder(NOBODY, '{host}')], ['store/stale-lock hello'], []],
  [
    'entries of a session that is not there',
    ['PRAGMA foreign_keys = OFF', ...rows(hello).slice(1)],
    ['store/database-damaged'],
  ],
  [
    'the row of a session that holds another one',
    [...rows(hello, { session: { id: 'other' }, entry: { session_id: 'other' } })],
    ['store/id-differs other'],
  ],
  [
    'a column with another name than the lines give',
    rows(named, { session: { name: 'Two' } }),
    ['store/row-differs named'],
  ],
  [
    'a column with a successor that no line names',
    rows(hello, { session: { superseded_by: 'named' } }),
    ['store/row-differs hello'],
  ],
  [
    'a column with another time of creation than the header',
    rows(hello, { session: { created_at: CREATED.replace('09:', '08:') } }),
    ['store/row-differs hello'],
  ],
  [
    'a column with the time of creation as the header writes it, which does not sort',
    rows(hello, { session: { created_at: hello.header['created_at'] as string } }),
    ['store/row-differs hello'],
  ],
  [
    'a time of creation in another zone',
    rows(eastern, { session: { created_at: '2026-11-01T09:00:00.000000000Z' } }),
    [],
  ],
  ['a working directory', rows(placed, { session: { cwd: '/srv/app', parent_session: 'hello' } }), []],
  [
    'a column with another working directory than the header',
    rows(placed, { session: { cwd: '/srv/other', parent_session: 'hello' } }),
    ['store/row-differs placed'],
  ],
  [
    'a column with another parent session than the header',
    rows(placed, { session: { cwd: '/srv/app', parent_session: '' } }),
    ['store/row-differs placed'],
  ],
  ['a column with another id than the line', rows(hello, { entry: { id: PICTURE } }), ['store/row-differs hello']],
  [
    'a column with another parent than the line',
    rows(hello, { entry: { parent: PICTURE } }),
    ['store/row-differs hello'],
  ],
  ['a column with another type than the line', rows(hello, { entry: { type: 'info' } }), ['store/row-differs hello']],
  ['a row that is missing', rows(hello, { entry: { seq: 2 } }), ['store/row-differs hello']],
  ['a ref to a session that is not held', [ref(to(hello))], ['store/ref-dangling main']],
  ['a ref to an earlier session of the same id', [...rows(hello), ref(to(gone))], ['store/ref-dangling main']],
  ['media that are not there', rows(pictured), ['store/blob-missing pictured']],
  [
    'media that are something else',
    [...rows(pictured), stored(PICTURE, 'pictures')],
    [`store/blob-mismatch ${PICTURE}`],
  ],
];

writeCases(
  'store/folder.json',
  'Folders of session files, each as its files, {host} in them the machine: what is told of beside the sessions, what a repair leaves, and the files that it changes.',
  folders.map(([name, store, findings, repaired = { left: findings, changed: {} }]) => ({
    name,
    op: 'store/folder',
    params: { files: store },
    answer: { findings, ...repaired },
  })),
);
writeCases(
  'store/database.json',
  'Databases of sessions, each as the statements that fill the tables, {host} in them the machine: what is told of beside the sessions, and what a repair leaves.',
  databases.map(([name, statements, findings, left = findings]) => ({
    name,
    op: 'store/database',
    params: { statements },
    answer: { findings, left },
  })),
);
