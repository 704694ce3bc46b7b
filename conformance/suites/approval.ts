/** The counting rule, gates and every table of `bide/tally-cases.json`. */
import type { Case, Json, Suite } from '../suite.ts';
import { equals } from '../suite.ts';

type Row = { readonly [name: string]: Json };
type Tables = { readonly [table: string]: readonly Row[] };

function suite(name: string, table: string, toCase: (row: Row, index: number) => Case): Suite {
  return {
    name: `bide/tally/${name}`,
    folder: 'bide',
    cases: (folder) => ((folder.json('tally-cases.json') as Tables)[table] ?? []).map(toCase),
  };
}

const of = (value: Json | undefined): Row => value as Row;
const text = (value: Json | undefined): string => String(value);

/** Compares what a counting case states: the members of `unspecified` and the reasons of `also_acceptable` are left open. */
function expectCount(expected: Row): Case['expect'] {
  return (answer) => {
    const got = of(answer);
    const open = (expected['unspecified'] ?? []) as readonly string[];
    const strip = (tally: Row) => Object.fromEntries(Object.entries(tally).filter(([name]) => !open.includes(name)));
    const checks = got['checks'] as readonly Row[];
    const wanted = (expected['checks'] as readonly Row[]).map(({ also_acceptable: others = [], ...check }, i) => {
      const reason = checks[i]?.['reason'] ?? null;
      return { ...check, reason: (others as readonly Json[]).includes(reason) ? reason : (check['reason'] ?? null) };
    });
    const terminal = expected['terminal_tally_json'];
    return equals({
      passed: expected['passed'] ?? null,
      unreachable: expected['unreachable'] ?? null,
      tally: strip(of(expected['tally'])),
      checks: wanted,
      terminal: terminal ?? null,
    })({
      passed: got['passed'] ?? null,
      unreachable: got['unreachable'] ?? null,
      tally: strip(of(got['tally'])),
      checks,
      terminal: terminal === undefined ? null : (got['terminal_tally_json'] ?? null),
    });
  };
}

/** Only the members that a gate case states are compared. */
function expectGate(expected: Row): Case['expect'] {
  return (answer) =>
    equals(expected)(Object.fromEntries(Object.keys(expected).map((name) => [name, of(answer)[name] ?? null])));
}

export const suites: readonly Suite[] = [
  suite('count', 'tally_cases', (row) => ({
    name: `${text(row['id'])} ${text(row['title'])}`,
    op: 'approval/count',
    params: {
      subject: of(row['subject']),
      policy: row['policy'] ?? null,
      resolver: row['resolver'] ?? null,
      records: row['records'] ?? [],
      ...(row['since'] === undefined ? {} : { since: row['since'] }),
    },
    expect: expectCount(of(row['expect'])),
  })),
  suite('gate', 'gate_cases', (row) => ({
    name: `${text(row['id'])} ${text(row['title'])}`,
    op: 'approval/gate',
    params: {
      subject: of(row['subject']),
      policy: row['policy'] ?? null,
      resolver: row['resolver'] ?? null,
      records: row['records'] ?? [],
    },
    expect: expectGate(of(row['expect'])),
  })),
  suite('policy-json', 'policy_json_cases', (row, i) => ({
    name: `${i} ${text(row['json'])}`,
    op: 'approval/read-policy',
    params: { json: row['json'] ?? '' },
    expect: equals({ decodes: row['decodes'] ?? null, error: row['error'] ?? null }),
  })),
  suite('policy-validate', 'policy_validate_cases', (row, i) => ({
    name: `${i} ${JSON.stringify(row['policy'])}`,
    op: 'approval/validate-policy',
    params: { policy: row['policy'] ?? null },
    expect: equals(row['valid'] ?? null),
  })),
  suite('timestamp', 'timestamp_cases', (row, i) => ({
    name: `${i} ${text(row['text'])}`,
    op: 'journal/canonical-timestamp',
    params: { text: row['text'] ?? '' },
    expect: equals(row['canonical'] ?? null),
  })),
  suite('same-approver', 'same_approver_cases', (row, i) => ({
    name: `${i} ${text(row['a'])} ${text(row['b'])}`,
    op: 'approval/same-approver',
    params: { a: row['a'] ?? '', b: row['b'] ?? '' },
    expect: equals(row['same'] ?? null),
  })),
  suite('encode-id', 'encode_id_cases', (row, i) => ({
    name: `${i} ${text(row['id']).slice(0, 40)}`,
    op: 'journal/encode-id',
    params: { id: row['id'] ?? '' },
    expect: equals(row['encoded'] ?? null),
  })),
  suite('canonical-arguments', 'canonical_args_cases', (row, i) => ({
    name: `${i} ${text(row['canonical_text']).slice(0, 60)}`,
    op: 'approval/canonical-arguments',
    params: { raw_b64: row['raw_base64'] ?? null },
    expect: equals(row['canonical_base64'] ?? null),
  })),
  suite('worked-examples', 'worked_examples', (row) => ({
    name: text(row['id']),
    op: 'approval/decision-bytes',
    params: {
      subject: of(row['subject']),
      version: row['version'] ?? 3,
      approver: row['approver'] ?? '',
      approved: row['approved'] ?? false,
      decided_at: row['decided_at'] ?? '',
      leaf_hash_b64: row['leaf_hash_hex'] === undefined ? '' : fromHex(text(row['leaf_hash_hex'])),
    },
    expect: equals(row['bytes_hex'] ?? null),
  })),
  suite('ed25519-keys', 'ed25519_key_cases', (row, i) => ({
    name: `${i} ${text(row['what'])}`,
    op: 'crypto/key',
    params: { scheme: 'ed25519', key_hex: row['public_hex'] ?? '' },
    expect: equals({ usable: row['usable'] ?? null, key_ids: row['key_ids'] ?? [] }),
  })),
  {
    name: 'bide/audit/approvals',
    folder: 'bide',
    *cases(folder) {
      const { computed } = folder.json('audit-vectors.json') as { readonly computed: { readonly [name: string]: Row } };
      const { approval_evidence: evidence = {}, approval_bytes: bytes = {} } = computed;
      const policy = evidence['policy'] ?? null;
      const trust = {
        format: 'audit.trust.v1',
        approvers: evidence['approver_keys'] ?? {},
        gates: [{ tool: '*', policy }],
      };
      const params = {
        run: evidence['run_id'] ?? '',
        records: evidence['records_utf8'] ?? [],
        trust: [JSON.stringify(trust)],
      };
      const good = { count: 'verified', outcome: 'verified', disclosure: 'verified' };
      yield {
        name: 'the run of the approval evidence, recounted',
        op: 'approval/recount',
        params,
        expect: equals({ gates: [{ end: 'passed', claims: good }], codes: [], notes: [] }),
      };
      yield {
        name: 'the same records under another run',
        op: 'approval/recount',
        params: { ...params, run: 'acme/order-44' },
        expect: (answer) =>
          equals(['failed'])(
            ((of(answer)['gates'] ?? []) as readonly Row[]).map((gate) => of(gate['claims'])['count'] ?? null),
          ),
      };
      const subject = {
        run_id: evidence['run_id'] ?? '',
        tool_use_id: evidence['call'] ?? '',
        tool_name: 'refund',
        args_base64: btoa(text(bytes['args_as_received'])),
      };
      for (const [name, value] of Object.entries(bytes)) {
        const match = /^v([34])_(\w+)_approve$/.exec(name);
        if (match === null) continue;
        const row = of(value);
        const [, version, approver] = match as unknown as [string, string, string];
        yield {
          name,
          op: 'approval/decision-bytes',
          params: {
            subject,
            version: Number(version),
            approver,
            approved: true,
            decided_at: row['decided_at'] ?? of(bytes['v3_finance_approve'])['decided_at'] ?? '',
            leaf_hash_b64: row['leaf_hash_hex'] === undefined ? '' : fromHex(text(row['leaf_hash_hex'])),
          },
          expect: equals(row['bytes_hex'] ?? null),
        };
      }
    },
  },
];

function fromHex(digits: string): string {
  return btoa(String.fromCharCode(...(digits.match(/../g) ?? []).map((pair) => Number.parseInt(pair, 16))));
}
