/** `agentsession/` as far as writing goes: normalisation, ids, references, deltas, what an append refuses; and its files written anew. */
import { base64, utf8 } from '../../src/bytes/encoding.ts';
import type { Case, Folder, Json, Suite } from '../suite.ts';
import { equals } from '../suite.ts';

interface Normalise {
  readonly accept: readonly {
    readonly name: string;
    readonly in?: string;
    readonly in_base64?: string;
    readonly out: string;
    readonly record: Json;
  }[];
  readonly refuse: readonly { readonly in: string }[];
}

interface Expected {
  readonly fixtures: Readonly<
    Record<
      string,
      { readonly format: string; readonly read: string; readonly entries?: number; readonly base?: string }
    >
  >;
  readonly vectors: {
    readonly normalise: Normalise;
    readonly subsession_ids: { readonly cases: readonly { parent: string; call_id: string; id: string }[] };
  };
  readonly behaviour: {
    readonly parents: { readonly writer_order: { readonly in: Json; readonly out: Json } };
    readonly instructions_omitted: {
      readonly writer_deltas: { readonly cases: readonly (readonly [string, string])[] };
    };
  };
}

const HEADER =
  '{"created_at":"2026-11-01T09:00:00Z","format":"agentsession/0.14","id":"s","payload":"openresponses/2026-04-24","type":"session"}\n';

function expectedOf(folder: Folder): Expected {
  return folder.json('expected.json') as Expected;
}

function* normalisation(expected: Expected): Iterable<Case> {
  const { accept, refuse } = expected.vectors.normalise;
  for (const { name, in: text, in_base64, out, record } of accept)
    yield {
      name: `normalise: ${name}`,
      op: 'session/normalise',
      params: { text_b64: in_base64 ?? base64(utf8(text ?? '')) },
      expect: (answer) => {
        const got = answer as { readonly out: string; readonly record: Json };
        return equals({ out: JSON.parse(out) as Json, record })({
          out: JSON.parse(got.out) as Json,
          record: got.record,
        });
      },
    };
  for (const [i, { in: text }] of refuse.entries())
    yield {
      name: `normalise: refused ${i + 1}`,
      op: 'session/normalise',
      params: { text_b64: base64(utf8(text)) },
      expect: (answer) => ((answer as { refused?: string }).refused === undefined ? 'it was taken' : undefined),
    };
}

/** The records that a caller may not set, by the words of the vectors. */
const BAD_RECORDS: readonly (readonly [name: string, records: Json])[] = [
  ['at without a slash', [{ at: 'x', was: '1' }]],
  ['both was and raw', [{ at: '/x', was: '1', raw: 'MQ==' }]],
  ['neither was nor raw', [{ at: '/x' }]],
  ['raw is no base64', [{ at: '/x', raw: 'not base64!' }]],
  ['raw without padding', [{ at: '/x', raw: 'MQ' }]],
  ['raw with a line end', [{ at: '/x', raw: 'MQ==\n' }]],
  ['raw with bits that are not zero', [{ at: '/x', raw: 'MR==' }]],
  ['was is no JSON text', [{ at: '/x', was: 'one' }]],
  ['was with space around it', [{ at: '/x', was: ' 1' }]],
  [
    'one at twice',
    [
      { at: '/x', was: '1' },
      { at: '/x', was: '2' },
    ],
  ],
  ['at with a wrong tilde', [{ at: '/~2', was: '1' }]],
  ['at that is not Unicode', [{ at: '/\ud83d', was: '1' }]],
];

function append(name: string, lines: readonly Json[], done: readonly string[]): Case {
  return {
    name,
    op: 'session/append',
    params: { file: HEADER, lines },
    expect: (answer) => equals([...done])((answer as { readonly done?: Json }).done ?? answer),
  };
}

function* behaviour(expected: Expected): Iterable<Case> {
  for (const [name, normalised] of BAD_RECORDS)
    yield append(`record of the caller: ${name}`, [{ type: 'info', name: 'n', normalised }], ['bad_normalisation']);
  yield append(
    'record of the caller: kept and sorted',
    [
      {
        type: 'info',
        name: 'n',
        normalised: [
          { at: '/y', was: '1' },
          { at: '/x', raw: 'MQ==' },
        ],
      },
    ],
    ['continued'],
  );
  const { in: given, out } = expected.behaviour.parents.writer_order;
  // A reference into the session names an entry of it, so the one of the vectors gets an id that exists.
  const first = 'sha256:4a048e9fd95f92376717677433330ce703b61ef3b56381db083376a49fa57425';
  const second = { type: 'info', name: 'n', ts: '2026-11-01T09:00:01Z', parent: first };
  const named = (refs: Json): Json => JSON.parse(JSON.stringify(refs).replace('"b"', JSON.stringify(first))) as Json;
  yield {
    name: 'parents: the order of a writer',
    op: 'session/written',
    params: {
      file: HEADER,
      lines: [
        { type: 'info', name: 'Demo', parent: null, ts: '2026-11-01T09:00:00Z' },
        second,
        { type: 'info', name: 'm', ts: '2026-11-01T09:00:02Z', parents: named(given) },
      ],
    },
    expect: (answer) => equals(named(out))((JSON.parse(String(answer)) as { readonly parents: Json }).parents),
  };
  for (const [name, words] of expected.behaviour.instructions_omitted.writer_deltas.cases)
    yield* writerDelta(name, words);
}

const listed = (id: string, size = 1): { readonly id: string; readonly reason: string; readonly size: number } => ({
  id,
  reason: `a reason that is long enough for a keep to be worth it (${id})`,
  size,
});
const TEN = Array.from({ length: 10 }, (_, i) => listed(`m${i}`));

/** The list that each case of the vectors asks for, where m0 to m9 are in force. */
const WANTED: Readonly<Record<string, readonly Json[]>> = {
  'new one at the head': [listed('n'), ...TEN],
  'new one at the tail': [...TEN, listed('n')],
  'm4 gone': TEN.filter(({ id }) => id !== 'm4'),
  'first gone': TEN.slice(1),
  'last gone': TEN.slice(0, 9),
  'm4 changed': TEN.map((each) => (each.id === 'm4' ? listed('m4', 2) : each)),
  'm3 and m4 swapped': [...TEN.slice(0, 3), ...[4, 3].map((i) => TEN[i] as (typeof TEN)[0]), ...TEN.slice(5)],
  'all new': [listed('n')],
  unchanged: TEN,
  cleared: [],
};

function* writerDelta(name: string, words: string): Iterable<Case> {
  const want = WANTED[name];
  if (want === undefined) return;
  const config = JSON.stringify({
    type: 'config',
    parent: null,
    ts: '2026-11-01T09:00:00Z',
    instructions_omitted: TEN,
  });
  yield {
    name: `omitted list: ${name}`,
    op: 'session/omitted_delta',
    params: { file: HEADER, lines: [JSON.parse(config) as Json], want },
    expect: (answer) => {
      const spelled =
        answer === null
          ? 'no member'
          : (answer as readonly { readonly id?: string; readonly keep?: number }[])
              .map(({ id, keep }) => (keep === undefined ? id : `+${keep}`))
              .join(' ') || 'an empty list';
      return spelled === words ? undefined : `expected ${words}, got ${spelled}`;
    },
  };
}

function* files(folder: Folder, expected: Expected): Iterable<Case> {
  for (const [path, { format, read, entries, base }] of Object.entries(expected.fixtures)) {
    const minor = Number(format.split('.')[1]);
    if (read === 'refused' || minor < 5 || path.includes('truncated')) continue;
    yield {
      name: `written anew: ${path}`,
      op: 'session/rewrite',
      params: { file_b64: base64(folder.bytes(path)) },
      expect: equals({ entries: entries ?? 0, same: true, base: base ?? null }),
    };
  }
}

function* ids(expected: Expected): Iterable<Case> {
  for (const { parent, call_id, id } of expected.vectors.subsession_ids.cases)
    yield {
      name: `subsession of ${call_id}`,
      op: 'session/subsession_id',
      params: { parent, call_id },
      expect: equals(id),
    };
}

export const suites: readonly Suite[] = [
  {
    name: 'agentsession/writing',
    folder: 'agentsession',
    *cases(folder) {
      const expected = expectedOf(folder);
      yield* normalisation(expected);
      yield* behaviour(expected);
      yield* ids(expected);
      yield* files(folder, expected);
    },
  },
];
