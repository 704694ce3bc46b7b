/** Artifacts of the audit layer (`bide/audit-vectors.json`), group by group. */
import { base64, unhex, utf8 } from '../../src/bytes/encoding.ts';
import { type Case, equals, type Folder, type Json, type Suite } from '../suite.ts';

/** The value at a path of the vectors. */
type Pick = <T = string>(...path: readonly (string | number)[]) => T;

function suite(name: string, cases: (pick: Pick, folder: Folder) => Iterable<Case>): Suite {
  return {
    name: `bide/audit/${name}`,
    folder: 'bide',
    cases(folder) {
      const root = folder.json('audit-vectors.json');
      const pick: Pick = <T>(...path: readonly (string | number)[]): T => {
        let value = root;
        for (const step of path) value = (value as Readonly<Record<string | number, unknown>>)[step];
        if (value === undefined) throw new Error(`no vector at ${path.join('.')}`);
        return value as T;
      };
      return cases(pick, folder);
    },
  };
}

function ask(name: string, op: string, params: Case['params'], answer: Json): Case {
  return { name, op, params, expect: equals(answer) };
}

const LOG = ['computed', 'keys', 'log'] as const;

/** The class alone: which codes a failure has is this implementation's. */
function askClass(name: string, op: string, params: Case['params'], expected: string): Case {
  return {
    name,
    op,
    params,
    expect(answer) {
      const actual = (answer as { readonly class?: Json } | null)?.class;
      return actual === expected ? undefined : `expected ${expected}, got ${JSON.stringify(answer)}`;
    },
  };
}

type Named = { readonly name: string; readonly class: string };

export const suites: readonly Suite[] = [
  suite('proofs', function* (pick) {
    const key = pick(...LOG, 'public_key_text');
    const verify = (name: string, document: string, expected: string) =>
      askClass(name, 'evidence/verify-proof', { document, key }, expected);
    yield verify('leaf 3', pick('computed', 'proof_bundle_leaf_3'), 'verified');
    yield verify('single leaf', pick('computed', 'proof_bundle_single_leaf_tree', 'json'), 'verified');
    for (const item of pick<readonly (Named & { readonly document: string })[]>(
      'computed',
      'negative_proof_bundles',
      'cases',
    ))
      yield verify(item.name, item.document, item.class);
    for (const item of pick<readonly (Named & { readonly bundle_json: string })[]>('computed', 'record_bytes_cases'))
      yield verify(`record: ${item.name}`, item.bundle_json, item.class);
    const records = pick<readonly { readonly record_utf8: string }[]>('computed', 'journal', 'records').map(
      (record) => record.record_utf8,
    );
    const params = {
      run: pick('computed', 'journal', 'run_id'),
      records,
      head: pick('computed', 'head_size_7', 'json'),
      index: 3,
    };
    yield ask('produced leaf 3', 'evidence/produce-proof', params, {
      document: pick('computed', 'proof_bundle_leaf_3'),
    });
    yield ask(
      'redaction',
      'evidence/redact',
      {
        run: params.run,
        records,
        positions: [pick<number>('computed', 'redaction', 'record_index')],
        at_ms: 1767300000000,
      },
      { document: pick('computed', 'redaction', 'export_json') },
    );
  }),

  suite('absence', function* (pick) {
    const key = pick(...LOG, 'public_key_text');
    const records = pick<readonly { readonly record_utf8: string }[]>('computed', 'journal', 'records').map(
      (record) => record.record_utf8,
    );
    const base = { run: pick('computed', 'journal', 'run_id'), records };
    for (const [name, set, time] of [
      ['absence_tool_use', 'tooluse:toolu_02', '1767225607123456790'],
      ['absence_empty_set', `policy_used:${'0'.repeat(64)}`, '1767225607123456791'],
    ] as const) {
      const [document, head] = [pick('computed', name, 'bundle_json'), pick('computed', name, 'head', 'json')];
      yield askClass(name, 'evidence/verify-absence', { document, set, key }, 'verified');
      yield askClass(
        `${name}, other run`,
        'evidence/verify-absence',
        { document: document.replace('acme/order-42', 'acme/x'), set, key },
        'not_verified',
      );
      yield ask(
        `${name}, head signed`,
        'evidence/sign-key-set',
        { ...base, set, time, seed_hex: pick(...LOG, 'seed_hex') },
        { document: head },
      );
      yield ask(`${name}, produced`, 'evidence/produce-absence', { ...base, absent: set, head }, { document });
    }
  }),

  suite('events', function* (pick) {
    type Leaf = { readonly kind: string; readonly leaf_data_after_tag_utf8: string };
    const key = pick(...LOG, 'public_key_text');
    const document = pick('computed', 'events', 'inclusion_1_json');
    const head = pick('computed', 'events', 'head', 'json');
    for (const [index, leaf] of pick<readonly Leaf[]>('computed', 'events', 'leaves').entries()) {
      const event = /"event":(.*),"salt":/.exec(leaf.leaf_data_after_tag_utf8)?.[1] ?? '';
      yield askClass(
        `leaf ${index}`,
        'evidence/verify-event',
        { document, head, key, kind: leaf.kind, event },
        index === 1 ? 'verified' : 'not_verified',
      );
    }
  }),

  suite('grants', function* (pick) {
    const [root, child] = [
      pick('computed', 'grants', 'root', 'signed_json'),
      pick('computed', 'grants', 'child', 'signed_json'),
    ];
    const issuers = {
      'principal-alice': pick('computed', 'keys', 'issuer alice', 'public_key_text'),
      'agent-1': pick('computed', 'keys', 'issuer agent-1', 'public_key_text'),
    };
    const chain = (name: string, document: string, expected: string, rules: readonly string[] = ['limit']) =>
      askClass(name, 'evidence/verify-grants', { document, issuers, rules }, expected);
    yield chain('root and child', `[${root},${child}]`, 'verified');
    yield chain('without the rule', `[${root},${child}]`, 'not_verified', []);
    yield chain('child alone', `[${child}]`, 'not_verified');
    yield chain('the other way round', `[${child},${root}]`, 'not_verified');
    yield chain('limit raised', `[${root},${child.replace('"limit":"100"', '"limit":"1001"')}]`, 'not_verified');
    yield chain('nothing', '[]', 'not_verified');
    for (const name of ['root', 'child'])
      yield ask(
        `bytes of ${name}`,
        'evidence/grant-bytes',
        { document: pick('computed', 'grants', name, 'signed_json') },
        {
          bytes_utf8: pick('computed', 'grants', name, 'bytes_utf8'),
          digest_hex: pick('computed', 'grants', name, 'digest_hex'),
        },
      );
    const ledger = {
      ledger: pick('computed', 'current_grant', 'ledger_run_id'),
      grant: pick('computed', 'current_grant', 'signed_grant_json'),
      last_seen: pick('computed', 'current_grant', 'last_seen_head_json'),
      key: pick(...LOG, 'public_key_text'),
    };
    const document = pick('computed', 'current_grant', 'proof_json');
    yield askClass('current grant', 'evidence/verify-current-grant', { ...ledger, document }, 'verified');
    yield askClass(
      'superseded grant',
      'evidence/verify-current-grant',
      { ...ledger, document, grant: pick('computed', 'current_grant', 'superseded_grant_json') },
      'not_verified',
    );
    yield askClass(
      'another ledger',
      'evidence/verify-current-grant',
      { ...ledger, document, ledger: 'x' },
      'not_verified',
    );
    const head = /"sth":(\{.*?\})\},"consistency"/.exec(document)?.[1] ?? '';
    const records = pick<readonly string[]>('computed', 'current_grant', 'records_utf8');
    yield ask(
      'current grant, produced',
      'evidence/produce-current-grant',
      { run: ledger.ledger, records, head, last_seen: ledger.last_seen },
      { document },
    );
  }),

  suite('governed run', function* (pick, folder) {
    const key = pick(...LOG, 'public_key_text');
    const run = (name: string) => pick('computed', 'governed_run', name);
    const digest = run('policy_digest_hex');
    yield ask('digest', 'evidence/policy-digest', { policy: run('policy_utf8') }, digest);
    yield ask(
      'public digest',
      'evidence/policy-digest',
      { policy: pick('public', 'policy_digest', 'policies_utf8', 0) },
      pick('public', 'policy_digest', 'digests_hex', 0),
    );
    const document = run('run_certificate_json');
    yield askClass('run certificate', 'evidence/verify-run', { document, key, approved: [digest] }, 'verified');
    yield askClass(
      'run certificate, not approved',
      'evidence/verify-run',
      { document, key, approved: ['ff'] },
      'not_verified',
    );
    yield askClass(
      'run certificate, policy hidden',
      'evidence/verify-run',
      { document: document.replace(`"used_policies":["${digest}"]`, '"used_policies":[]'), key, approved: [digest] },
      'not_verified',
    );
    const records = pick<readonly string[]>('computed', 'governed_run', 'records_utf8');
    const made = {
      run: run('run_id'),
      records,
      head: run('head_json'),
      approved: [digest],
      seed_hex: pick(...LOG, 'seed_hex'),
    };
    yield ask('run certificate, produced', 'evidence/produce-run', made, { document });
    const [action, policy, certificate] = [
      run('action_bundle_json'),
      run('policy_bundle_json'),
      run('convergence_bundle_json'),
    ];
    for (const [checker, expected] of [
      [undefined, 'verified'],
      ['converges', 'verified'],
      ['does-not-converge', 'not_verified'],
      ['ended with status 7', 'no_verdict'],
    ] as const) {
      const more = checker === undefined ? {} : { checker };
      yield askClass(
        `action, checker ${checker}`,
        'evidence/verify-governed-action',
        { action, policy, key, ...more },
        expected,
      );
      yield askClass(
        `convergence, checker ${checker}`,
        'evidence/verify-convergence',
        { certificate, policy, key, ...more },
        expected,
      );
    }
    yield askClass(
      'policy given as the action',
      'evidence/verify-governed-action',
      { action: policy, policy, key },
      'malformed',
    );
    const quorum = {
      name: pick('computed', 'governed_run', 'quorum', 'name'),
      k: pick<number>('computed', 'governed_run', 'quorum', 'k'),
      tally: pick('computed', 'governed_run', 'quorum', 'tally_bundle_json'),
      votes: pick<readonly string[]>('computed', 'governed_run', 'quorum', 'vote_bundles_json'),
      key,
    };
    yield askClass('quorum', 'evidence/verify-quorum', quorum, 'verified');
    yield askClass('quorum, governed commit', 'evidence/verify-quorum', { ...quorum, commit: action }, 'verified');
    yield askClass(
      'quorum, k above the votes',
      'evidence/verify-quorum',
      { ...quorum, k: quorum.k + 1 },
      'not_verified',
    );
    yield askClass(
      'quorum, a vote left out',
      'evidence/verify-quorum',
      { ...quorum, votes: quorum.votes.slice(1) },
      'not_verified',
    );
    for (const file of folder.files().filter((name) => name.startsWith('testdata/govern-wire/'))) {
      const shape = file.includes('certificate') ? 'certificate' : file.includes('tally') ? 'tally' : 'vote';
      const wire = folder.text(file);
      yield ask(file, 'evidence/reads', { shape, document: wire }, true);
      yield ask(
        `${file}, unknown member`,
        'evidence/reads',
        { shape, document: wire.replace(/}$/, ',"extra":1}') },
        false,
      );
      if (shape !== 'certificate')
        yield ask(`${file}, again`, 'evidence/round-trip', { shape, document: wire }, { document: wire });
    }
    const members = pick<readonly string[]>('public', 'cert_obligation_members', 'members').map(
      (member) => /^[a-z_]+/.exec(member)?.[0] ?? '',
    );
    for (const member of members)
      yield ask(
        `certificate knows ${member}`,
        'evidence/reads',
        { shape: 'certificate', document: `{"${member}":null}` },
        true,
      );
  }),

  suite('packages', function* (pick) {
    const key = pick(...LOG, 'public_key_text');
    const approved = [pick('computed', 'governed_run', 'policy_digest_hex')];
    for (const [name, expected] of [
      ['evidence_package', 'verified'],
      ['evidence_package_with_run_certificate', 'verified'],
      ['evidence_package_empty (must fail: proves nothing)', 'not_verified'],
    ] as const) {
      const document = pick('computed', name, 'json');
      yield askClass(
        name,
        'evidence/verify-package',
        { document, key, approved, now: '1900000000000000000' },
        expected,
      );
      yield ask(
        `${name}, seal`,
        'evidence/seal',
        { document },
        {
          sha256_hex: pick('computed', name, 'sealed_message_sha256_hex'),
          length: pick<number>('computed', name, 'sealed_message_len'),
        },
      );
      yield ask(`${name}, again`, 'evidence/round-trip', { shape: 'package', document }, { document });
    }
    const records = pick<readonly { readonly record_utf8: string }[]>('computed', 'journal', 'records').map(
      (record) => record.record_utf8,
    );
    yield ask(
      'produced',
      'evidence/produce-package',
      {
        run: pick('computed', 'journal', 'run_id'),
        records,
        head: pick('computed', 'head_size_7', 'json'),
        from: pick('computed', 'head_size_3', 'json'),
        label: 'Q1 <refunds> & reversals',
        seed_hex: pick(...LOG, 'seed_hex'),
      },
      { document: pick('computed', 'evidence_package', 'json') },
    );
  }),

  suite('approval evidence', function* (pick) {
    const approval = <T = string>(...path: readonly (string | number)[]) =>
      pick<T>('computed', 'approval_evidence', ...path);
    const document = approval('package', 'json');
    const policy = approval<{ readonly need: number; readonly approvers: readonly string[] }>('policy');
    const params = {
      document,
      key: pick(...LOG, 'public_key_text'),
      call: approval('call'),
      policy: JSON.stringify(policy),
      approver_keys: approval<{ readonly [approver: string]: string }>('approver_keys'),
    };
    yield ask('counted again', 'evidence/verify-approvals', params, {
      package: 'verified',
      ok: approval<boolean>('expect', 'ok'),
      counted: approval<readonly string[]>('expect', 'counted'),
      denied_by: approval<readonly string[]>('expect', 'denied_by'),
      codes: [],
    });
    const refused = (name: string, more: Case['params']): Case => ({
      name,
      op: 'evidence/verify-approvals',
      params: { ...params, ...more },
      expect: (answer) =>
        (answer as { readonly ok?: boolean } | null)?.ok === false ? undefined : JSON.stringify(answer),
    });
    yield refused('another order of approvers', {
      policy: JSON.stringify({ ...policy, approvers: [...policy.approvers].reverse() }),
    });
    yield refused('one approval is enough', { policy: JSON.stringify({ ...policy, need: 1 }) });
    yield refused('another call', { call: 'toolu_10' });
    const cut = document.slice(0, document.lastIndexOf(',{"label":"run:principal"'));
    yield refused('without the run:principal action', {
      document: `${cut}],"signature":"${document.slice(document.lastIndexOf('"signature":"') + 13)}`,
    });
    const head = /"sth":(\{.*?\}),"actions"/.exec(document)?.[1] ?? '';
    yield ask(
      'produced',
      'evidence/produce-package',
      {
        run: approval('run_id'),
        records: approval<readonly string[]>('records_utf8'),
        head,
        approvals: approval('call'),
        seed_hex: pick(...LOG, 'seed_hex'),
      },
      { document },
    );
  }),

  suite('bytes', function* (pick) {
    const subject = {
      run_id: pick('computed', 'approval_evidence', 'run_id'),
      tool_use_id: pick('computed', 'approval_evidence', 'call'),
      tool_name: 'refund',
      args_base64: base64(utf8(pick('computed', 'approval_bytes', 'args_as_received'))),
    };
    yield ask(
      'canonical arguments',
      'approval/canonical-arguments',
      { raw_b64: subject.args_base64 },
      base64(utf8(pick('computed', 'approval_bytes', 'canonical_args'))),
    );
    for (const [name, approver, version] of [
      ['v3_finance_approve', 'finance', 3],
      ['v3_ops_approve', 'ops', 3],
    ] as const)
      yield ask(
        name,
        'approval/decision-bytes',
        {
          subject,
          approver,
          approved: true,
          version,
          decided_at: pick('computed', 'approval_bytes', name, 'decided_at'),
        },
        pick('computed', 'approval_bytes', name, 'bytes_hex'),
      );
    yield ask(
      'v4_finance_approve',
      'approval/decision-bytes',
      {
        subject,
        approver: 'finance',
        approved: true,
        version: 4,
        decided_at: pick('computed', 'approval_bytes', 'v3_finance_approve', 'decided_at'),
        leaf_hash_b64: base64(
          unhex(pick('computed', 'approval_bytes', 'v4_finance_approve', 'leaf_hash_hex')) ?? new Uint8Array(),
        ),
      },
      pick('computed', 'approval_bytes', 'v4_finance_approve', 'bytes_hex'),
    );
    const notify = 'notify_leaf (kind string inferred)';
    const leaf = utf8(`bide.audit.event-leaf.v3\0${pick('computed', notify, 'leaf_data_after_tag_utf8')}`);
    yield ask(notify, 'evidence/leaf-hash', { data_b64: base64(leaf) }, pick('computed', notify, 'leaf_hash_hex'));
    yield ask('delivery id', 'notify/notifyID', { key: 'k1' }, pick('computed', notify, 'delivery_id_of_key_k1'));
    for (const [artifact, tag] of Object.entries(pick<Readonly<Record<string, string>>>('public', 'formats', 'tags')))
      yield ask(`format of ${artifact}`, 'evidence/format', { artifact }, tag);
  }),

  suite('strict JSON', function* (pick) {
    const strict = (name: string, document: Uint8Array, accepted: boolean) =>
      ask(name, 'evidence/strict-json', { document_b64: base64(document) }, accepted);
    yield strict('accepted', utf8(pick('public', 'strict_json', 'accepted')), true);
    for (const [name, document] of Object.entries(
      pick<Readonly<Record<string, string>>>('public', 'strict_json', 'refused'),
    ))
      yield strict(name, utf8(document), false);
    for (const [name, document] of Object.entries(
      pick<Readonly<Record<string, string>>>('public', 'strict_json', 'refused_bytes_hex'),
    ))
      yield strict(name, unhex(document) ?? new Uint8Array(), false);
  }),

  suite('exit statuses', function* (pick, folder) {
    type Exit = { readonly verb: string; readonly case: string; readonly exit: number };
    const vectors = folder.json('audit-vectors.json') as Json;
    for (const item of pick<readonly Exit[]>('public', 'cli_exit_table', 'cases'))
      yield ask(`${item.verb}: ${item.case}`, 'bide/exit', { vectors, case: `${item.verb}: ${item.case}` }, [
        item.exit,
      ]);
    // A usage error is decided before anything else, so it never meets other classes (audit spec 6.2 rule 1); it is asked above.
    type Precedence = { readonly errors: readonly string[]; readonly exit: number };
    const classes = new Map([
      ['unclassified', 'no_verdict'],
      ['output could not be written', 'no_verdict'],
    ]);
    for (const { errors, exit } of pick<readonly Precedence[]>('public', 'cli_exit_table', 'error_class_precedence'))
      if (!errors.includes('usage'))
        yield ask(
          `combined: ${errors.join(', ') || 'none'}`,
          'bide/precedence',
          { classes: errors.map((error) => classes.get(error) ?? error) },
          exit,
        );
  }),
];
