/** The fixtures of `agentsession/` as far as meaning goes: request hashes, contexts, records, and the literal vectors about them. */
import { base64 } from '../../src/bytes/encoding.ts';
import type { Folder, Json, Suite } from '../suite.ts';
import { equals } from '../suite.ts';

interface Fixture {
  readonly read: string;
  readonly leaves?: readonly string[];
  readonly responses?: readonly { readonly response_id: string; readonly result: 'ok' | 'unhashed' | 'divergence' }[];
  readonly verify_records?: readonly { readonly leaf?: string; readonly error_class: string }[];
  readonly context?: string;
}

interface Expected {
  readonly fixtures: Readonly<Record<string, Fixture>>;
  readonly vectors: {
    readonly part_hashes: readonly { readonly text: string; readonly hash: string }[];
    readonly request_hashes: readonly { readonly name: string; readonly hash: string; readonly request: Json }[];
    readonly request_texts: {
      readonly alike: readonly { readonly text: string }[];
      readonly hash: string;
      readonly refuse: readonly string[];
    };
    readonly context_hashes: {
      readonly cases: readonly { readonly name: string; readonly preimage: Json; readonly hash: string }[];
    };
  };
}

const OUTCOME = { ok: 'verified', unhashed: 'absent', divergence: 'divergence' } as const;

/** `ErrBadTarget` is `bad-target`. */
function codeOf(error: string): string {
  return error
    .replace(/^Err/, '')
    .replace(/(?<=[a-z])(?=[A-Z])/g, '-')
    .toLowerCase();
}

const expected = (folder: Folder): Expected => folder.json('expected.json') as Expected;

const requests: Suite = {
  name: 'agentsession/requests',
  folder: 'agentsession',
  *cases(folder) {
    for (const [file, fixture] of Object.entries(expected(folder).fixtures)) {
      if (fixture.read === 'refused' || (fixture.responses ?? []).length === 0) continue;
      const want = (fixture.responses ?? []).map(({ response_id, result }) => ({
        response_id,
        outcome: OUTCOME[result],
        alone: OUTCOME[result],
      }));
      yield {
        name: file,
        op: 'session/check',
        params: { file_b64: base64(folder.bytes(file)) },
        expect: (answer) => equals(want)((answer as { responses: Json }).responses),
      };
    }
    const { part_hashes, request_hashes, request_texts, context_hashes } = expected(folder).vectors;
    for (const { text, hash } of part_hashes)
      yield { name: `part ${text}`, op: 'session/text-hash', params: { text }, expect: equals(hash) };
    for (const { name, hash, request } of request_hashes)
      yield {
        name: `request ${name}`,
        op: 'session/hash',
        params: { text: JSON.stringify(request) },
        expect: equals(hash),
      };
    for (const { text } of request_texts.alike)
      yield { name: `text ${text}`, op: 'session/hash', params: { text }, expect: equals(request_texts.hash) };
    for (const text of request_texts.refuse)
      yield { name: `no text ${text}`, op: 'session/hash', params: { text }, expect: equals(null) };
    for (const { name, preimage, hash } of context_hashes.cases)
      yield {
        name: `context hash: ${name}`,
        op: 'session/hash',
        params: { text: JSON.stringify(preimage) },
        expect: equals(hash),
      };
  },
};

const contexts: Suite = {
  name: 'agentsession/contexts',
  folder: 'agentsession',
  *cases(folder) {
    for (const [file, { context }] of Object.entries(expected(folder).fixtures)) {
      if (context?.startsWith('refused') === true)
        yield {
          name: file,
          op: 'session/context',
          params: { file_b64: base64(folder.bytes(file)) },
          expect: equals(null),
        };
    }
    for (const file of folder.files().filter((path) => /(^|\/)context\/[^/]*\.json$/.test(path))) {
      const older = file.startsWith('older/');
      const session = `sessions/${file.slice(file.lastIndexOf('/') + 1, -'.json'.length)}.jsonl`;
      const leaves = folder.json(file) as Readonly<Record<string, { readonly [name: string]: Json }>>;
      for (const [entry, want] of Object.entries(leaves))
        yield {
          name: `${file} ${entry}`,
          op: 'session/context',
          params: { file_b64: base64(folder.bytes(session)), entry },
          // The older ones name entries by ids from before hashes and hold nothing that later versions added.
          expect: (answer) => compare(answer, want, older || !entry.startsWith('sha256:')),
        };
    }
  },
};

function compare(answer: Json, want: { readonly [name: string]: Json }, itemsOnly: boolean): string | undefined {
  const got = answer as { readonly [name: string]: Json };
  const names = itemsOnly ? ['items'] : ['settings', 'items', 'entries', 'item_entries', 'omitted'];
  for (const name of names) {
    const problem = equals(want[name] ?? (name === 'omitted' ? [] : null))(got[name] ?? null);
    if (problem !== undefined) return `${name}: ${problem}`;
  }
  return undefined;
}

const records: Suite = {
  name: 'agentsession/records',
  folder: 'agentsession',
  *cases(folder) {
    for (const [file, fixture] of Object.entries(expected(folder).fixtures)) {
      if (fixture.read === 'refused' || fixture.verify_records === undefined) continue;
      const [problem] = fixture.verify_records;
      for (const entry of fixture.leaves ?? [])
        yield {
          name: `${file} ${entry}`,
          op: 'session/verify-records',
          params: { file_b64: base64(folder.bytes(file)), entry },
          expect: equals(problem === undefined ? null : codeOf(problem.error_class)),
        };
      yield {
        name: `${file} in one walk`,
        op: 'session/check',
        params: { file_b64: base64(folder.bytes(file)) },
        expect: (answer) => {
          const codes = (answer as { findings: readonly string[] }).findings
            .map((finding) => finding.split(' ')[0] as string)
            .filter(
              (code) =>
                code !== 'session/no-hash' && code !== 'session/unresolved-of' && code !== 'session/omit-divergence',
            );
          const want = (fixture.verify_records ?? []).map(({ error_class }) => `session/${codeOf(error_class)}`);
          const context = fixture.context?.startsWith('refused') === true ? ['session/bad-context'] : [];
          return equals([...want, ...context])(codes);
        },
      };
    }
  },
};

export const suites: readonly Suite[] = [requests, contexts, records];
