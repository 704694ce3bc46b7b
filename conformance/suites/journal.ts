/** Headers, keys, digests, records and journals of `bide/journal-vectors.json`, and the groups of `bide/audit-vectors.json` that are about records. */
import { of, type Row, rows, text, texts, toBase64 } from '../rows.ts';
import type { Case, Folder, Json, Suite } from '../suite.ts';
import { equals } from '../suite.ts';
import { audit, type Cases, computed, fixedPoint, journalVectors, suite } from './journalCodec.ts';

function* headers(folder: Folder): Cases {
  const header = of(journalVectors(folder)['header']);
  for (const row of [...rows(header['refused_formats']), of(header['accepted'])]) {
    yield {
      name: text(row['format']),
      op: 'journal/header-format',
      params: { data: row['first_entry_data'] ?? '' },
      expect: equals({
        format: row['format'] ?? null,
        supported: texts(header['supported']).includes(text(row['format'])),
      }),
    };
  }
}

function* keys(folder: Folder): Cases {
  const vectors = journalVectors(folder);
  for (const id of texts(of(vectors['keys'])['ids_unchanged_by_escape']))
    yield { name: `unchanged ${id}`, op: 'journal/encode-id', params: { id }, expect: equals(id) };
  for (const row of rows(of(vectors['keys'])['retry_keys'])) {
    yield {
      name: text(row['key']),
      op: 'journal/attempt-key',
      params: { base: row['base'] ?? '', number: row['number'] ?? 0 },
      expect: equals(row['key'] ?? null),
    };
  }
  for (const row of rows(of(vectors['plan_node_keys'])['cases'])) {
    yield {
      name: `node key ${text(row['key'])}`,
      op: 'journal/node-key',
      params: { key: row['key'] ?? '' },
      expect: equals(row['node_key'] === null ? null : { node: row['node_key'] ?? null, step: row['step'] ?? null }),
    };
  }
  for (const [index, row] of rows(computed(folder)['enc']).entries()) {
    const [unit, times] = (row['id_repeat'] ?? []) as readonly [string?, number?];
    const id = row['id'] === null ? text(unit).repeat(times ?? 0) : text(row['id']);
    yield { name: `enc ${index}`, op: 'journal/encode-id', params: { id }, expect: equals(row['enc'] ?? null) };
    yield {
      name: `enc ${index} is an escape`,
      op: 'journal/is-encoded-id',
      params: { text: row['enc'] ?? '' },
      expect: equals(true),
    };
  }
  for (const [index, row] of rows(audit(folder, 'computed')['encode_id'] as Json).entries()) {
    yield {
      name: `audit enc ${index}`,
      op: 'journal/encode-id',
      params: { id: row['id'] ?? '' },
      expect: equals(row['encoded'] ?? null),
    };
  }
  for (const { id = '', ...expected } of rows(computed(folder)['run_ids']))
    yield { name: `run id ${JSON.stringify(id)}`, op: 'journal/run-id', params: { id }, expect: equals(expected) };
  for (const row of rows(computed(folder)['sub_run_ids'])) {
    yield {
      name: `sub-run ${text(row['run_id'])}`,
      op: 'journal/sub-run-id',
      params: { parent: row['parent'] ?? '', tool_use_id: row['tool_use_id'] ?? '' },
      expect: equals(row['run_id'] ?? null),
    };
  }
}

function* times(folder: Folder): Cases {
  const table = of(computed(folder)['timestamps']);
  for (const verdict of ['accept', 'refuse'] as const) {
    for (const item of texts(table[verdict])) {
      yield {
        name: `${verdict} ${JSON.stringify(item)}`,
        op: 'journal/canonical-timestamp',
        params: { text: item },
        expect: equals(verdict === 'accept'),
      };
    }
  }
}

function* digests(folder: Folder): Cases {
  const given = of(computed(folder)['digests']);
  for (const row of rows(given['prompt'])) {
    yield {
      name: `prompt ${JSON.stringify(row['system_messages'])}`,
      op: 'journal/prompt-digest',
      params: { system_messages: row['system_messages'] ?? [] },
      expect: equals(row['digest'] ?? null),
    };
  }
  for (const row of rows(given['tool_sets'])) {
    const tools = texts(row['tools']).map((name) => rows(given['tools']).find((tool) => tool['name'] === name) ?? {});
    yield {
      name: `tools ${JSON.stringify(row['tools'])}`,
      op: 'journal/tools-digest',
      params: { tools },
      expect: equals(row['digest'] ?? null),
    };
  }
  let before = '';
  for (const row of rows(computed(folder)['session_chain'])) {
    yield {
      name: `transcript ${text(row['run_id'])}`,
      op: 'journal/transcript-digest',
      params: { before, run: row['run_id'] ?? '', claim: row['claim'] ?? '' },
      expect: equals(row['digest'] ?? null),
    };
    before = text(row['digest']);
  }
}

function* records(folder: Folder): Cases {
  const journals = of(computed(folder)['journals']);
  for (const [run, list] of Object.entries(journals)) {
    for (const row of rows(list)) {
      const data = toBase64(text(row['data']));
      yield fixedPoint(`${run} ${text(row['name'])}`, data);
      yield {
        name: `${run} ${text(row['name'])}: leaf`,
        op: 'journal/leaf-hash',
        params: { data_b64: data },
        expect: equals(row['leaf'] ?? null),
      };
    }
  }
  for (const row of rows(computed(folder)['records']))
    yield fixedPoint(text(row['title']), toBase64(text(row['data'])));
  const tombstone = toBase64(text(of(computed(folder)['tombstone'])['data']));
  const leaf = rows(journals['run-1'])[7]?.['leaf'] ?? null;
  yield {
    name: 'a tombstone stands for the leaf hash that it records',
    op: 'journal/leaf-hash',
    params: { data_b64: tombstone },
    expect: equals(leaf),
  };
}

/** What the text of A.4 says of the four journals. */
const STORIES: Readonly<Record<string, Row>> = {
  'run-1': {
    codes: [],
    status: 'completed',
    records: 10,
    ended_at: '2026-10-13T12:05:04.100Z',
    answer: 'The refund is done.',
    events: [
      {
        key: 'approval:run-1:call-1',
        kind: 'approval_pending',
        at: '2026-10-13T12:00:01.250Z',
        current: false,
        resolved_at: '2026-10-13T12:05:00.000Z',
      },
    ],
  },
  'run-2': {
    codes: [],
    status: 'completed',
    halts: [],
    events: [
      {
        key: 'halted:run-2:tool:c1:1791896460000',
        kind: 'outcome_unknown',
        at: '2026-10-13T13:01:00.000Z',
        current: false,
        resolved_at: '2026-10-13T14:00:00.000Z',
      },
    ],
  },
  'run-3': { codes: [], status: 'aborted', terminal: 'card declined' },
  's1>@session': { codes: [], status: 'not_started' },
};

function* journals(folder: Folder): Cases {
  const given = of(computed(folder)['journals']);
  const stated =
    (expected: Row): Case['expect'] =>
    (answer) =>
      equals(expected)(Object.fromEntries(Object.keys(expected).map((name) => [name, of(answer)[name] ?? null])));
  for (const [run, expected] of Object.entries(STORIES)) {
    yield { name: run, op: 'journal/judge', params: { run, records: given[run] ?? [] }, expect: stated(expected) };
  }
  yield {
    name: 'run-2 stopped after its crash halts',
    op: 'journal/judge',
    params: { run: 'run-2', records: rows(given['run-2']).slice(0, 6) },
    expect: stated({ codes: [], status: 'started', halts: [{ kind: 'tool', op: 'c1', at_ms: '1791896460000' }] }),
  };
}

function* audited(folder: Folder): Cases {
  const ours = audit(folder, 'computed');
  const theirs = audit(folder, 'public');
  const journal = of(ours['journal']);
  for (const row of rows(journal['records'])) {
    yield {
      name: `leaf ${text(row['index'])}`,
      op: 'journal/leaf-hash',
      params: { data_b64: row['record_base64'] ?? '' },
      expect: equals(row['leaf_hash_hex'] ?? null),
    };
    yield fixedPoint(`record ${text(row['index'])}`, text(row['record_base64']));
  }
  yield {
    name: 'linear head',
    op: 'journal/linear-head',
    params: { records_b64: rows(journal['records']).map((row) => row['record_base64'] ?? '') },
    expect: equals(of(ours['linear_head'])['head_hex'] ?? null),
  };
  const file = toBase64(text(ours['export']));
  yield {
    name: 'export written again',
    op: 'journal/export-round-trip',
    params: { export_b64: file },
    expect: equals(file),
  };
  yield {
    name: 'events',
    op: 'journal/events',
    params: { export_b64: file },
    expect: equals(
      rows(of(ours['events'])['leaves']).map((leaf) => ({
        kind: leaf['kind'] ?? null,
        source_record: leaf['source_record'] ?? null,
        salt: leaf['salt_hex'] ?? null,
        leaf_hash: leaf['leaf_hash_hex'] ?? null,
      })),
    ),
  };
  const redaction = of(ours['redaction']);
  yield {
    name: 'redacted export',
    op: 'journal/judge-export',
    params: { export_b64: toBase64(text(redaction['export_json'])) },
    expect: (answer) => equals(['journal/redacted'])(of(answer)['codes'] ?? null),
  };
  yield {
    name: 'nothing is projected from a redacted journal',
    op: 'journal/events',
    params: { export_b64: toBase64(text(redaction['export_json'])) },
    expect: equals(null),
  };
  for (const row of rows(ours['record_bytes_cases'] as Json)) {
    yield {
      name: `record bytes: ${text(row['name'])}`,
      op: 'journal/read-stored',
      params: { data_b64: toBase64(text(row['record_utf8'])) },
      expect: (answer) => equals(row['class'] === 'malformed' ? 'malformed' : 'record')(of(answer)['class'] ?? null),
    };
  }
  const twoWays = of(of(theirs['record_bytes_that_read_two_ways'])['cases']);
  for (const [name, record] of Object.entries(twoWays)) {
    yield {
      name: `reads two ways: ${name}`,
      op: 'journal/read-stored',
      params: { data_b64: toBase64(text(record)) },
      expect: equals({ class: 'malformed' }),
    };
  }
  const forms = of(theirs['leaf_forms']);
  yield {
    name: 'a later version’s member is read past',
    op: 'journal/read-stored',
    params: { data_b64: toBase64(text(forms['record_with_unknown_member_verifies'])) },
    expect: equals({ class: 'record', salt_length: 32 }),
  };
  for (const length of (forms['refused_salt_lengths'] ?? []) as readonly number[]) {
    const salt = length === 0 ? '' : `,"salt":"${btoa('\u0007'.repeat(length))}"`;
    const header = `{"name":"@journal","kind":"header","format":"bide.journal.v1-dev"${salt}}`;
    yield {
      name: `salt of ${length} bytes`,
      op: 'journal/judge',
      params: { run: 'r', records: [{ data: header }] },
      expect: (answer) => equals(['journal/salt-missing'])(of(answer)['codes'] ?? null),
    };
  }
  const tombstone = of(theirs['tombstone']);
  yield {
    name: 'a tombstone of a short hash',
    op: 'journal/read-stored',
    params: { data_b64: toBase64(text(tombstone['bad_leaf_hash'])) },
    expect: equals({ class: 'malformed' }),
  };
  for (const [name, records] of [
    ['governed run', of(ours['governed_run'])['records_utf8']],
    ['grant ledger', of(ours['current_grant'])['records_utf8']],
    ['approval evidence', of(ours['approval_evidence'])['records_utf8']],
  ] as const) {
    yield {
      name: `${name}: nothing to object`,
      op: 'journal/judge',
      params: { run: name, records: texts(records).map((data) => ({ data })) },
      expect: (answer) => equals([])(of(answer)['codes'] ?? null),
    };
  }
}

export const suites: readonly Suite[] = [
  suite('header', headers),
  suite('keys-and-run-ids', keys),
  suite('timestamps', times),
  suite('digests', digests),
  suite('records', records),
  suite('journals', journals),
  suite('audit-records', audited),
];
