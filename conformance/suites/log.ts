/** Heads and anchors of `bide/audit-vectors.json`, and the C2SP files of `interop/`. */
import { base64, hex, unbase64, unhex, utf8 } from '../../src/bytes/encoding.ts';
import { type Row, text } from '../rows.ts';
import type { Case, Json, Suite } from '../suite.ts';
import { equals } from '../suite.ts';

const b64 = (digits: Json | undefined): string => base64(unhex(text(digits)) ?? new Uint8Array());

/** Only the members that a case states are compared. */
function stated(expected: Row): Case['expect'] {
  return (answer) => {
    const given = answer as Row;
    return equals(expected)(Object.fromEntries(Object.keys(expected).map((name) => [name, given[name] ?? null])));
  };
}

const present = (of: Row): Row => Object.fromEntries(Object.entries(of).filter(([, value]) => value !== undefined));

function interop(name: string, file: string, group: string, toCase: (row: Row) => Iterable<Case>): Suite {
  return {
    name: `interop/${name}`,
    folder: 'interop',
    *cases(folder) {
      const rows = (folder.json(file) as { readonly [group: string]: readonly Row[] })[group] ?? [];
      for (const row of rows) yield* toCase(row);
    },
  };
}

function noteCase(row: Row): Case {
  const timestamps = row['timestamps'] as { readonly [name: string]: string } | undefined;
  return {
    name: text(row['id']),
    op: 'log/verify-note',
    params: { note_b64: row['note'] ?? '', vkeys: row['vkeys'] ?? [] },
    expect: stated(
      present({
        gives: row['gives'] as Json,
        text: row['text'] as Json,
        by: row['verifiedBy'] as Json,
        unknown: row['unknownSignatures'] as Json,
        times: (timestamps === undefined ? undefined : Object.entries(timestamps)) as Json,
      }),
    ),
  };
}

/** A policy stands in the files as base64 or, beside notes, as text. */
const policyBytes = (policy: Json | undefined): string => {
  const given = text(policy);
  return given.includes('\n') ? base64(utf8(given)) : given;
};

const heads: Suite = {
  name: 'bide/audit/heads',
  folder: 'bide',
  *cases(folder) {
    const { public: given, computed } = folder.json('audit-vectors.json') as {
      readonly public: { readonly heads_that_are_malformed: { readonly cases: readonly Row[] } };
      readonly computed: { readonly [group: string]: Row };
    };
    const of = (value: Json | undefined): Row => value as Row;
    for (const row of given.heads_that_are_malformed.cases)
      yield {
        name: `malformed: ${text(row['why'])}`,
        op: 'log/well-formed',
        params: present({ kind: row['kind'] as Json, size: row['size'] as Json, journal: row['journal'] as Json }),
        expect: equals(false),
      };
    const logKey = text(of(computed['keys']?.['log'])['public_key_text']);
    const seed = b64(of(computed['keys']?.['log'])['seed_hex']);
    const signed: readonly (readonly [string, Row, string, string?, string?])[] = [
      ['size 3', of(computed['head_size_3']), logKey, 'ed25519', seed],
      ['size 7', of(computed['head_size_7']), logKey, 'ed25519', seed],
      ['absence', of(computed['absence_tool_use']?.['head']), logKey, 'ed25519', seed],
      ['absence of an empty set', of(computed['absence_empty_set']?.['head']), logKey, 'ed25519', seed],
      ['events', of(computed['events']?.['head']), logKey, 'ed25519', seed],
      ['ml-dsa-65', of(computed['head_ml_dsa_65']), keyText('ml-dsa-65', of(computed['head_ml_dsa_65']))],
      ['hybrid', of(computed['head_hybrid']), keyText('ed25519+ml-dsa-65', of(computed['head_hybrid']))],
      [
        'ecdsa-p256',
        of(computed['head_ecdsa_p256 (encodings inferred)']),
        text(of(computed['head_ecdsa_p256 (encodings inferred)'])['public_key_text']),
      ],
    ];
    for (const [name, row, key, scheme, secret] of signed) {
      const json = text(row['json']);
      yield {
        name: `${name}, verified`,
        op: 'log/head',
        params: { head: json, key },
        expect: stated(
          present({ findings: [], canonical: row['canonical_hex'] as Json, hash: row['hash_hex'] as Json, json }),
        ),
      };
      yield {
        name: `${name}, another run`,
        op: 'log/verify-head',
        params: { head: json.replace('"run_id":"', '"run_id":"x'), key },
        expect: equals(['log/head-signature']),
      };
      yield {
        name: `${name}, another format`,
        op: 'log/verify-head',
        params: { head: json.replace('sth.v5', 'sth.v4'), key },
        expect: equals(['log/format']),
      };
      if (scheme !== undefined && secret !== undefined)
        yield {
          name: `${name}, signed again`,
          op: 'log/sign-head',
          params: signParams(json, scheme, secret),
          expect: equals(json),
        };
    }
    const anchors = of(computed['anchor_log']);
    const entries = anchors['entries'] as readonly Row[];
    const inclusion = of(anchors['inclusion_1']);
    for (const [i, entry] of entries.entries())
      yield {
        name: `anchor entry ${i}`,
        op: 'log/anchor-leaf-hash',
        params: { entry: entry['json'] ?? '' },
        expect: equals(entry['leaf_hash_hex'] ?? null),
      };
    const verifyAnchor = (name: string, entry: Json | undefined, expected: Json): Case => ({
      name,
      op: 'log/verify-anchor-entry',
      params: {
        entry: entry ?? '',
        index: inclusion['index'] ?? 0,
        size: inclusion['size'] ?? 0,
        path_b64: (inclusion['path_hex'] as readonly string[]).map(b64),
        root_b64: b64(anchors['root_hex']),
      },
      expect: equals(expected),
    });
    yield verifyAnchor('anchor entry 1 in the log', entries[1]?.['json'], []);
    yield verifyAnchor('anchor entry 0 with the proof of 1', entries[0]?.['json'], [
      'log/anchor-position',
      'log/anchor-inclusion',
    ]);
  },
};

function keyText(scheme: string, row: Row): string {
  return `${scheme}:${hex(unbase64(text(row['public_key_base64'])) ?? new Uint8Array())}`;
}

function signParams(json: string, scheme: string, secret: string): Case['params'] {
  const head = JSON.parse(json) as Row;
  const journal = head['journal'] as Row | undefined;
  return present({
    scheme,
    private_b64: secret,
    kind: head['kind'] as Json,
    run_id: head['run_id'] as Json,
    size: head['size'] as Json,
    root_b64: head['root'] as Json,
    // JSON.parse rounds it; the digits are taken as they stand.
    timestamp_nanos: /"timestamp_nanos":(\d+)/.exec(json)?.[1] as Json,
    journal: (journal === undefined ? undefined : { size: journal['size'], root_b64: journal['root'] }) as Json,
  });
}

export const suites: readonly Suite[] = [
  heads,
  interop('verifier keys', 'notes.json', 'vkeys', function* (row) {
    const key = text(row['public']);
    yield {
      name: text(row['id']),
      op: 'log/verifier-key',
      params: { vkey: row['vkey'] ?? '' },
      expect: stated(
        present({
          gives: row['gives'] as Json,
          name: row['name'] as Json,
          id: row['keyId'] as Json,
          type: row['type'] as Json,
          key: (row['public'] === undefined || key.startsWith('sha256:') ? undefined : key) as Json,
        }),
      ),
    };
  }),
  interop('notes', 'notes.json', 'cases', function* (row) {
    yield noteCase(row);
  }),
  interop('checkpoints', 'checkpoints.json', 'checkpoints', function* (row) {
    yield {
      name: text(row['id']),
      op: 'log/checkpoint',
      params: { text: row['text'] ?? '' },
      expect: stated(
        present({
          gives: row['gives'] as Json,
          origin: row['origin'] as Json,
          size: row['size'] as Json,
          root: row['root'] as Json,
          extensions: row['extensions'] as Json,
        }),
      ),
    };
  }),
  interop('cosignatures', 'checkpoints.json', 'cosignatures', function* (row) {
    yield noteCase(row);
    const message =
      row['signedMessageHex'] ??
      (row['signedMessage'] === undefined ? undefined : hex(utf8(text(row['signedMessage']))));
    if (message === undefined) return;
    const [name, time] = Object.entries(row['timestamps'] as { readonly [name: string]: string })[0] ?? [];
    yield {
      name: `${text(row['id'])}: message`,
      op: 'log/cosigned-message',
      params: {
        note_b64: row['note'] ?? '',
        type: row['signedMessageHex'] === undefined ? 4 : 6,
        name: name ?? '',
        time: time ?? '',
      },
      expect: equals(message),
    };
  }),
  interop('time rule', 'checkpoints.json', 'timeRule', function* (row) {
    yield {
      name: text(row['id']),
      op: 'log/evaluate',
      params: present({
        note_b64: row['note'] as Json,
        policy_b64: policyBytes(row['policy']),
        as_of: row['asOf'] as Json,
      }),
      expect: stated({ gives: row['gives'] ?? null }),
    };
  }),
  interop('policies', 'policies.json', 'cases', function* (row) {
    const sets = (row['sets'] ?? []) as readonly {
      readonly cosigned: readonly string[];
      readonly satisfied: boolean;
    }[];
    yield {
      name: text(row['id']),
      op: 'log/policy',
      params: { policy_b64: row['policy'] ?? '', sets: sets.map((set) => set.cosigned) },
      expect: stated(
        present({
          gives: row['gives'] as Json,
          logs: row['logs'] as Json,
          witnesses: row['witnesses'] as Json,
          groups: row['groups'] as Json,
          quorum: row['quorum'] as Json,
          satisfied: (row['sets'] === undefined ? undefined : sets.map((set) => set.satisfied)) as Json,
        }),
      ),
    };
  }),
  interop('evaluations', 'policies.json', 'evaluations', function* (row) {
    yield {
      name: text(row['id']),
      op: 'log/evaluate',
      params: { note_b64: row['note'] ?? '', policy_b64: policyBytes(row['policy']) },
      expect: stated(present({ gives: row['gives'] as Json, cosigned: row['cosigned'] as Json })),
    };
  }),
  interop('proof files', 'proofs.json', 'cases', function* (row) {
    yield {
      name: text(row['id']),
      op: 'log/tlog-proof',
      params: {
        proof_b64: row['proof'] ?? '',
        leaf_b64: row['leafData'] ?? '',
        policy_b64: policyBytes(row['policy']),
      },
      expect: stated(
        present({
          gives: row['gives'] as Json,
          index: (row['index'] === undefined ? undefined : text(row['index'])) as Json,
          hashes: row['hashes'] as Json,
          extra_b64: row['extra'] as Json,
          cosigned: row['cosigners'] as Json,
        }),
      ),
    };
  }),
  interop('literal notes', 'literal-notes.json', 'cases', function* (row) {
    yield noteCase(row);
  }),
  {
    name: 'interop/literal policies',
    folder: 'interop',
    *cases(folder) {
      const { policies } = folder.json('literal-notes.json') as {
        readonly policies: { readonly cases: readonly Row[] };
      };
      for (const [i, row] of policies.cases.entries())
        yield {
          name: `${i} ${text(row['name'])}`,
          op: 'log/policy',
          params: { policy_b64: row['policy'] ?? '' },
          expect: stated({ gives: row['givesHere'] ?? null }),
        };
    },
  },
];
