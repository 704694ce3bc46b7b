import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { unhex, utf8 } from '../../src/bytes/encoding.ts';
import { formatPrivateKey } from '../../src/crypto/keys.ts';
import { encodeExport } from '../../src/journal/export.ts';
import { audit } from '../cli/io.ts';
import { vector } from './fixtures.ts';

const folder = mkdtempSync(join(tmpdir(), 'audit-evidence-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
const put = (name: string, content: string | Uint8Array) => {
  writeFileSync(join(folder, name), content);
  return join(folder, name);
};

const JOURNAL = put('run.json', vector('computed', 'export'));
const HEAD = put('head.json', vector('computed', 'head_size_7', 'json'));
const EARLIER = put('earlier.json', vector('computed', 'head_size_3', 'json'));
const KEY = put(
  'log.key',
  formatPrivateKey('ed25519', unhex(vector('computed', 'keys', 'log', 'seed_hex')) as Uint8Array),
);
const OTHER = put(
  'other.key',
  formatPrivateKey('ed25519', unhex(vector('computed', 'keys', 'another log', 'seed_hex')) as Uint8Array),
);
const TRUST = put(
  'trust.json',
  JSON.stringify({
    format: 'audit.trust.v1',
    keys: [{ name: 'log', roles: ['log'], key: vector('computed', 'keys', 'log', 'public_key_text') }],
    approvers: vector<object>('computed', 'approval_evidence', 'approver_keys'),
    gates: [{ run: '*', tool: 'refund', policy: { need: 2, approvers: ['ops', 'finance'], exclude_principal: true } }],
    approved_policies: [vector('computed', 'governed_run', 'policy_digest_hex')],
  }),
);
const AT = ['--at', '2026-11-30T12:00:00Z'];
const verified = async (name: string, content: string) =>
  (await audit(['verify', put(name, content), '--trust', TRUST, ...AT, '--quiet'])).status;

describe('audit evidence emit', () => {
  const emit = (...argv: readonly string[]) =>
    audit(['evidence', 'emit', '--journal', JOURNAL, '--head', HEAD, '--key', KEY, ...argv]);

  it('makes a package of every completed call, which verifies', async () => {
    const ran = await emit('--label', 'Q1 <refunds> & reversals', '--from', EARLIER);
    expect([ran.status, ran.err]).toEqual([0, '']);
    expect(ran.out.trimEnd()).toBe(vector('computed', 'evidence_package', 'json'));
    expect(await verified('package.json', ran.out)).toBe(0);
    expect(await verified('altered.json', ran.out.replace('refunds', 'refunDs'))).toBe(1);
  });

  it('discloses the approval of a call, and a run certificate', async () => {
    const records = vector<readonly string[]>('computed', 'approval_evidence', 'records_utf8').map(utf8);
    const journal = put('order-43.json', encodeExport('acme/order-43', records));
    const evidence = JSON.parse(
      vector('computed', 'approval_evidence', 'package', 'json').replace(
        /"timestamp_nanos":(\d+)/g,
        '"timestamp_nanos":"$1"',
      ),
    ) as { sth: object };
    const head = put(
      'head-43.json',
      JSON.stringify(evidence.sth).replace(/"timestamp_nanos":"(\d+)"/, '"timestamp_nanos":$1'),
    );
    const ran = await audit([
      'evidence',
      'emit',
      '--journal',
      journal,
      '--head',
      head,
      '--key',
      KEY,
      '--approvals',
      'toolu_09',
    ]);
    expect(ran.out.trimEnd()).toBe(vector('computed', 'approval_evidence', 'package', 'json'));
    expect(await verified('approval.json', ran.out)).toBe(0);
    const none = await audit([
      'evidence',
      'emit',
      '--journal',
      journal,
      '--head',
      head,
      '--key',
      KEY,
      '--approvals',
      'toolu_10',
    ]);
    expect([none.status, none.out]).toEqual([4, '']);

    const governed = put(
      'gov.json',
      encodeExport('gov-1', vector<readonly string[]>('computed', 'governed_run', 'records_utf8').map(utf8)),
    );
    const govHead = put('gov-head.json', vector('computed', 'governed_run', 'head_json'));
    const certified = await audit([
      'evidence',
      'emit',
      '--journal',
      governed,
      '--head',
      govHead,
      '--key',
      KEY,
      '--approved',
      vector('computed', 'governed_run', 'policy_digest_hex'),
      ...AT,
    ]);
    expect(certified.status).toBe(0);
    expect(await verified('certified.json', certified.out)).toBe(0);
  });

  it('refuses the head of another log, of another journal, and records that are not there', async () => {
    expect((await audit(['evidence', 'emit', '--journal', JOURNAL, '--head', HEAD, '--key', OTHER])).status).toBe(1);
    const governed = put('gov-head.json', vector('computed', 'governed_run', 'head_json'));
    expect((await audit(['evidence', 'emit', '--journal', JOURNAL, '--head', governed, '--key', KEY])).status).toBe(4);
    expect((await emit('--record', 'nothing')).status).toBe(4);
    expect((await emit('--record', 'run:start', '--record', 'tool:toolu_01')).status).toBe(0);
    expect((await audit(['evidence', 'emit', '--journal', JOURNAL])).status).toBe(2);
  });
});

describe('audit evidence inspect', () => {
  it('shows what is in a package and says that nothing was verified', async () => {
    const file = put('shown.json', vector('computed', 'evidence_package', 'json'));
    const ran = await audit(['evidence', 'inspect', file, '--records']);
    expect(ran.status).toBe(0);
    expect(ran.out).toContain('Nothing below was verified');
    expect(ran.out).toContain('tool:toolu_01');
    expect(ran.out).toContain('continues a head of size 3');
    const json = JSON.parse((await audit(['evidence', 'inspect', file, '--json'])).out) as {
      verified: boolean;
      actions: object[];
    };
    expect([json.verified, json.actions.length]).toEqual([false, 1]);
    expect((await audit(['evidence', 'inspect', HEAD])).status).toBe(4);
  });

  it('makes control characters of labels visible', async () => {
    const file = put(
      'shown.json',
      vector('computed', 'evidence_package', 'json').replace('"label":"Q1', '"label":"\\u001b[31m\\u202eQ1'),
    );
    const { out } = await audit(['evidence', 'inspect', file]);
    expect(out).toContain('\\u{1b}');
    expect(out).not.toContain('\u001b');
  });
});

describe('audit evidence redact', () => {
  it('removes a record and keeps what was signed', async () => {
    const ran = await audit([
      'evidence',
      'redact',
      '--journal',
      JOURNAL,
      '--record',
      'note',
      '--at',
      '2026-01-01T20:40:00Z',
    ]);
    expect(ran.status).toBe(0);
    expect(ran.err).toContain('redacted record 4, note');
    expect(ran.out.trimEnd()).toBe(vector('computed', 'redaction', 'export_json'));
    const redacted = put('redacted.json', ran.out);
    const again = await audit([
      'prove',
      'inclusion',
      '--journal',
      redacted,
      '--head',
      HEAD,
      '--record',
      'tool:toolu_01',
    ]);
    expect(await verified('proof.json', again.out)).toBe(0);
    expect((await audit(['prove', 'inclusion', '--journal', redacted, '--head', HEAD, '--index', '4'])).status).toBe(4);
  });

  it('refuses the header and unknown names, and asks which record', async () => {
    expect((await audit(['evidence', 'redact', '--journal', JOURNAL, '--index', '0', ...AT])).status).toBe(4);
    expect((await audit(['evidence', 'redact', '--journal', JOURNAL, '--record', 'x', ...AT])).status).toBe(4);
    expect((await audit(['evidence', 'redact', '--journal', JOURNAL, ...AT])).status).toBe(2);
    expect((await audit(['evidence', 'redact', '--journal', JOURNAL, '--index', '1e3', ...AT])).status).toBe(2);
  });
});

describe('audit prove absence', () => {
  it('signs the set or takes a signed one, and the proof verifies', async () => {
    const head = put('keys.json', vector('computed', 'absence_tool_use', 'head', 'json'));
    const under = await audit(['prove', 'absence', '--journal', JOURNAL, '--absent', 'tool:toolu_02', '--head', head]);
    expect(under.out.trimEnd()).toBe(vector('computed', 'absence_tool_use', 'bundle_json'));
    const signed = await audit([
      'prove',
      'absence',
      '--journal',
      JOURNAL,
      '--absent',
      'policy:ff',
      '--key',
      KEY,
      ...AT,
    ]);
    expect([signed.status, await verified('absence.json', signed.out)]).toEqual([0, 0]);
  });

  it('refuses what is there, another set, and a command line that says too little', async () => {
    expect(
      (await audit(['prove', 'absence', '--journal', JOURNAL, '--absent', 'tool:toolu_01', '--key', KEY, ...AT]))
        .status,
    ).toBe(4);
    const head = put('keys.json', vector('computed', 'absence_tool_use', 'head', 'json'));
    expect(
      (await audit(['prove', 'absence', '--journal', JOURNAL, '--absent', 'policy:ff', '--head', head])).status,
    ).toBe(4);
    expect((await audit(['prove', 'absence', '--journal', JOURNAL, '--absent', 'toolu_02', '--key', KEY])).status).toBe(
      2,
    );
    expect((await audit(['prove', 'absence', '--journal', JOURNAL, '--absent', 'tool:x'])).status).toBe(2);
  });
});
