/** Every group of `bide/journal-vectors.json`, and the groups of `bide/audit-vectors.json` that are about records. */
import type { Case, Folder, Json, Suite } from '../suite.ts';
import { equals } from '../suite.ts';

type Row = { readonly [name: string]: Json };
type Cases = Iterable<Case>;

const of = (value: Json | undefined): Row => (value ?? {}) as Row;
const rows = (value: Json | undefined): readonly Row[] => (value ?? []) as readonly Row[];
const texts = (value: Json | undefined): readonly string[] => (value ?? []) as readonly string[];
const text = (value: Json | undefined): string => String(value ?? '');
const toBase64 = (utf8: string) => btoa(String.fromCharCode(...new TextEncoder().encode(utf8)));

const journalVectors = (folder: Folder) => folder.json('journal-vectors.json') as Row;
const computed = (folder: Folder) => of(journalVectors(folder)['computed_by_spec_author']);
const audit = (folder: Folder, part: 'public' | 'computed') => of((folder.json('audit-vectors.json') as Row)[part]);

function suite(name: string, cases: (folder: Folder) => Cases): Suite {
  return { name: `bide/journal/${name}`, folder: 'bide', cases };
}

/** A fixed point: decoded and written again, the bytes are the same. */
function fixedPoint(name: string, data: string, twoWays: string | null = null): Case {
  return {
    name: `${name}: fixed point`,
    op: 'journal/decode-record',
    params: { data_b64: data },
    expect(answer) {
      const got = of(answer);
      return equals({ again_b64: data, canonical: true, problem: twoWays })({
        again_b64: got['again_b64'] ?? null,
        canonical: got['canonical'] ?? null,
        problem: got['problem'] ?? null,
      });
    },
  };
}

function* goldens(folder: Folder): Cases {
  for (const row of rows(of(journalVectors(folder)['codec_goldens'])['cases'])) {
    const record = of(row['record']);
    const message = record['message'];
    const given: Record<string, Json> = { ...record };
    if (message !== undefined) given['message'] = { ...of(message), parts: rows(of(message)['parts']).map(goldenPart) };
    if (record['result_raw_base64'] !== undefined) given['result_b64'] = record['result_raw_base64'];
    yield {
      name: `${text(row['title'])}: encoded`,
      op: 'journal/encode-record',
      params: { record: given },
      expect: equals(row['encoding_base64'] ?? null),
    };
    const raw = record['result_raw_base64'] === undefined ? null : 'invalid-utf8';
    yield fixedPoint(text(row['title']), text(row['encoding_base64']), raw);
  }
}

function goldenPart(part: Row): Json {
  const given: Record<string, Json> = { ...part };
  if (part['text_base64'] !== undefined) given['text_b64'] = part['text_base64'];
  if (part['data_base64'] !== undefined) given['data_b64'] = part['data_base64'];
  if (part['args_raw'] !== undefined) given['args_b64'] = toBase64(text(part['args_raw']));
  return given;
}

/** Builds each line as the corpus says. */
function* corpus(folder: Folder): Cases {
  const given = of(journalVectors(folder)['record_identity_corpus']);
  const order = texts(given['field_order']);
  const sets = rows(given['value_sets']);
  for (const [index, line] of rows(given['lines']).entries()) {
    const set = of(sets[Number(line['set'])] as Row);
    const name = `line ${index}`;
    yield {
      name: `${name}: encoded`,
      op: 'journal/encode-record',
      params: { record: corpusRecord(texts(line['fields']), order, set) },
      expect: equals(line['encoding_base64'] ?? null),
    };
    yield fixedPoint(name, text(line['encoding_base64']));
  }
}

function corpusRecord(fields: readonly string[], order: readonly string[], set: Row): Json {
  const strings = texts(set['strings_base64']);
  const at = (i: number) => strings[i] as string;
  const n = BigInt(text(set['n']));
  const record: Record<string, Json> = {};
  for (const field of fields) {
    switch (field) {
      case 'message':
        record['message'] = {
          role: 'assistant',
          parts: [
            { type: 'text', text_b64: at(0) },
            { type: 'reasoning', text_b64: at(1), signature_b64: at(2) },
            {
              type: 'tool_use',
              id_b64: at(3),
              name_b64: at(4),
              args_b64: text(set['raw_base64']),
              signature_b64: at(5),
            },
          ],
        };
        break;
      case 'usage':
        record['usage'] = { input_tokens: 3, output_tokens: Number(n % 1000n), cache_read_tokens: 1 };
        break;
      case 'discarded':
        record['discarded_usage'] = { input_tokens: 5, cache_write_tokens: 2 };
        break;
      case 'model':
        record['model'] = { provider_b64: at(0), model_b64: at(1), response_format: set['single'] ?? false };
        break;
      case 'result':
      case 'evidence':
        record[`${field}_b64`] = set['raw_base64'] ?? '';
        break;
      case 'signature':
      case 'salt':
        record[`${field}_b64`] = set['bin_base64'] ?? '';
        break;
      case 'attempted_at':
        record['attempted_at'] = text(set['n']);
        break;
      case 'is_error':
      case 'approved':
      case 'reconciled':
      case 'outcome_unknown':
        record[field] = true;
        break;
      case 'safety':
        record['safety'] = { read_only: set['single'] ?? false, idempotent: true };
        break;
      case 'approval':
        record['approval'] =
          set['single'] === true ? { single: true } : { need: 2, approvers_b64: [at(0), at(3), at(4)] };
        break;
      default:
        record[`${field}_b64`] = at(order.indexOf(field) % 6);
    }
  }
  return record;
}

function* rawJson(folder: Folder): Cases {
  const fidelity = rows(of(journalVectors(folder)['fidelity'])['cases']);
  const own = rows(computed(folder)['raw_json']);
  for (const [index, row] of [...fidelity, ...own].entries()) {
    yield {
      name: row['case'] === undefined ? `raw ${index}` : text(row['case']),
      op: 'journal/compact-raw',
      params: { in_b64: row['in_base64'] ?? '' },
      expect: equals(row['stored_base64'] ?? null),
    };
  }
}

function* strings(folder: Folder): Cases {
  for (const [index, row] of rows(computed(folder)['strings']).entries()) {
    yield {
      name: `string ${index}`,
      op: 'journal/quote',
      params: { text: row['string'] ?? '' },
      expect: equals(row['encoding_base64'] ?? null),
    };
  }
  for (const [index, row] of rows(computed(folder)['invalid_utf8_strings']).entries()) {
    yield {
      name: `invalid UTF-8 ${index}`,
      op: 'journal/quote',
      params: { in_b64: row['in_base64'] ?? '' },
      expect: equals(row['encoding_base64'] ?? null),
    };
  }
  for (const [index, row] of rows(audit(folder, 'computed')['go_json_strings'] as Json).entries()) {
    for (const [member, expected] of Object.entries(row)) {
      if (member === 'input') continue;
      const mode = member.startsWith('html') ? 'marshal' : 'journal';
      yield {
        name: `both modes ${index} ${mode}`,
        op: 'journal/quote',
        params: { text: row['input'] ?? '', mode },
        expect: equals(toBase64(text(expected))),
      };
    }
  }
  for (const row of rows(computed(folder)['policies'])) {
    yield {
      name: `policy ${text(row['encoding'])}`,
      op: 'journal/encode-policy',
      params: { policy: row['policy'] ?? null },
      expect: equals(row['encoding'] ?? null),
    };
  }
}

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
  suite('codec-goldens', goldens),
  suite('record-identity-corpus', corpus),
  suite('raw-json', rawJson),
  suite('strings-and-policies', strings),
  suite('header', headers),
  suite('keys-and-run-ids', keys),
  suite('timestamps', times),
  suite('digests', digests),
  suite('records', records),
  suite('journals', journals),
  suite('audit-records', audited),
];
