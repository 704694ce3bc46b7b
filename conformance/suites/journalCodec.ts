/** How records are written and read: goldens, the corpus of identities, raw JSON and strings of `bide/journal-vectors.json`. */
import { of, type Row, rows, text, texts, toBase64 } from '../rows.ts';
import type { Case, Folder, Json, Suite } from '../suite.ts';
import { equals } from '../suite.ts';

export type Cases = Iterable<Case>;

export const journalVectors = (folder: Folder) => folder.json('journal-vectors.json') as Row;
export const computed = (folder: Folder) => of(journalVectors(folder)['computed_by_spec_author']);
export const audit = (folder: Folder, part: 'public' | 'computed') =>
  of((folder.json('audit-vectors.json') as Row)[part]);

export function suite(name: string, cases: (folder: Folder) => Cases): Suite {
  return { name: `bide/journal/${name}`, folder: 'bide', cases };
}

/** A fixed point: decoded and written again, the bytes are the same. */
export function fixedPoint(name: string, data: string, twoWays: string | null = null): Case {
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

export const suites: readonly Suite[] = [
  suite('codec-goldens', goldens),
  suite('record-identity-corpus', corpus),
  suite('raw-json', rawJson),
  suite('strings-and-policies', strings),
];
