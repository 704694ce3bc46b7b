import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import fc from 'fast-check';
import { beforeAll, describe, expect, it } from 'vitest';
import { goDuration, goInteger, readFlags } from '../../cmd/bide/flags.ts';
import { indentJson } from '../../cmd/bide/indent.ts';
import { VERB_NAMES } from '../../cmd/bide/verbs.ts';
import { base64, decodeUtf8, unbase64 } from '../../src/bytes/encoding.ts';
import { encode } from '../../src/json/shape.ts';
import { headShape, signHead } from '../../src/log/head.ts';
import { AFTER, logKey, vector } from '../evidence/fixtures.ts';
import { bide, type Files } from './memory.ts';

const KEY = `-pubkey ${vector('computed', 'keys', 'log', 'public_key_hex')}`;
let files: Files;

beforeAll(async () => {
  const key = await logKey();
  const head = (size: number, root: string, time: bigint) =>
    decodeUtf8(
      encode(
        headShape,
        signHead(
          {
            kind: 'journal',
            run_id: 'acme/order-42',
            size,
            root: Uint8Array.from(Buffer.from(root, 'hex')),
            timestamp_nanos: time,
          },
          key,
        ),
      ),
    ) as string;
  const roots = vector<Readonly<Record<string, string>>>('computed', 'journal', 'roots_hex');
  const hashes = (path: readonly string[]) =>
    path.length === 0 ? null : path.map((hash) => base64(Uint8Array.from(Buffer.from(hash, 'hex'))));
  const consistency = vector<readonly { first: number; size: number; path_hex: readonly string[] }[]>(
    'computed',
    'consistency_to_7',
  );
  const three = consistency.find(({ first }) => first === 3);
  const anchored = vector<{ index: number; size: number; path_hex: readonly string[] }>(
    'computed',
    'anchor_log',
    'inclusion_1',
  );
  files = {
    'journal.json': vector('computed', 'export'),
    'redacted.json': vector('computed', 'redaction', 'export_json'),
    'h3.json': vector('computed', 'head_size_3', 'json'),
    'h7.json': vector('computed', 'head_size_7', 'json'),
    'h5.json': head(5, roots['5'] as string, 1767225605000000000n),
    'fork5.json': head(5, roots['4'] as string, 1767225605000000000n),
    'late5.json': head(5, roots['5'] as string, 1767225607123456789n + 600_000_000_000n),
    'proof.json': JSON.stringify({ first: 3, size: 7, path: hashes(three?.path_hex ?? []) }),
    'empty-proof.json': '{"first":0,"size":7,"path":null}',
    'entry.json': vector('computed', 'anchor_log', 'entries', 1, 'json'),
    'entry-0.json': vector('computed', 'anchor_log', 'entries', 0, 'json'),
    'anchor-proof.json': JSON.stringify({
      index: anchored.index,
      size: anchored.size,
      path: hashes(anchored.path_hex),
    }),
    'chain.json': `[${vector('computed', 'grants', 'root', 'signed_json')},${vector('computed', 'grants', 'child', 'signed_json')}]`,
    'wide.json': `[${vector('computed', 'grants', 'child', 'signed_json')}]`,
    'issuers.json': JSON.stringify({
      'principal-alice': [vector('computed', 'keys', 'issuer alice', 'public_key_text')],
      'agent-1': vector('computed', 'keys', 'issuer agent-1', 'public_key_hex'),
    }),
    'grant.json': vector('computed', 'current_grant', 'signed_grant_json'),
    'old-grant.json': vector('computed', 'current_grant', 'superseded_grant_json'),
    'current.json': vector('computed', 'current_grant', 'proof_json'),
    'seen.json': vector('computed', 'current_grant', 'last_seen_head_json'),
    'token.tsr': unbase64(vector('computed', 'rfc3161', 'good', 'token_der_base64')) as Uint8Array,
    'other.tsr': unbase64(vector('computed', 'rfc3161', 'wrong_imprint', 'token_der_base64')) as Uint8Array,
    'tsa.der': unbase64(vector('computed', 'rfc3161', 'tsa_root_der_base64')) as Uint8Array,
    'approvals.json': vector('computed', 'approval_evidence', 'package', 'json'),
    'keys.json': JSON.stringify(vector('computed', 'approval_evidence', 'approver_keys')),
    'policy.json': '{"need":2,"approvers":["ops","finance"],"exclude_principal":true}',
    'bundle.json': vector('computed', 'proof_bundle_leaf_3'),
    'evidence.json': vector('computed', 'evidence_package', 'json'),
  };
});

const approvals = `verify-approvals -evidence approvals.json ${KEY} -call toolu_09 -approver-keys keys.json`;
const anchorRoot = vector('computed', 'anchor_log', 'root_hex');

describe('the verbs beyond the table', () => {
  it.each([
    [`verify-journal -journal journal.json -sth h7.json ${KEY}`, 0],
    [`verify-journal -journal journal.json -sth h3.json ${KEY}`, 0],
    [`verify-journal -journal redacted.json -sth h7.json ${KEY}`, 0],
    [`verify-journal -journal journal.json -sth fork5.json ${KEY}`, 1],
    [`verify-journal -journal gone.json -sth h7.json ${KEY}`, 4],
    [`verify-consistency -from h3.json -to h7.json ${KEY} -proof proof.json`, 0],
    [`verify-consistency -from h3.json -to h7.json ${KEY} -journal journal.json`, 0],
    [`verify-consistency -from h7.json -to h3.json ${KEY} -journal journal.json`, 1],
    [`verify-consistency -from h3.json -to h7.json ${KEY} -proof empty-proof.json`, 1],
    [`verify-consistency -from fork5.json -to h7.json ${KEY} -journal journal.json`, 1],
    [`verify-consistency -from h3.json -to h7.json ${KEY}`, 2],
    [`verify-heads -sth h3.json -sth h7.json -sth h5.json ${KEY} -journal journal.json`, 0],
    [`verify-heads -sth h3.json -sth h7.json ${KEY}`, 3],
    [`verify-heads -sth h5.json -sth fork5.json ${KEY}`, 1],
    [`verify-heads -sth h3.json -sth late5.json -sth h7.json ${KEY} -journal journal.json`, 1],
    [`verify-heads -sth h3.json -sth late5.json -sth h7.json ${KEY} -journal journal.json -tolerance 20m`, 0],
    [`verify-anchor -entry entry.json -proof anchor-proof.json -root ${anchorRoot} ${KEY}`, 0],
    [`verify-anchor -entry entry-0.json -proof anchor-proof.json -root ${anchorRoot} ${KEY}`, 1],
    [`verify-anchor -entry entry.json -proof anchor-proof.json -root ff ${KEY}`, 2],
    [
      'verify-grants -chain chain.json -issuer-keys issuers.json -rule limit=numeric-at-most -now 2026-12-01T00:00:00Z',
      0,
    ],
    ['verify-grants -chain chain.json -issuer-keys issuers.json -now 1798761600', 1],
    ['verify-grants -chain chain.json -issuer-keys issuers.json -rule limit=numeric-at-most -now 1798761601', 1],
    ['verify-grants -chain wide.json -issuer-keys issuers.json -now 0', 1],
    ['verify-grants -chain chain.json -issuer-keys issuers.json -rule limit=any', 2],
    [
      `verify-current-grant -grant grant.json -proof current.json -ledger ledger/agent-1 ${KEY} -last-seen seen.json`,
      0,
    ],
    [`verify-current-grant -grant grant.json -proof current.json -ledger ledger/agent-1 ${KEY}`, 0],
    [`verify-current-grant -grant old-grant.json -proof current.json -ledger ledger/agent-1 ${KEY}`, 1],
    [`verify-timestamp -sth h7.json -token token.tsr ${KEY} -tsa-roots tsa.der`, 0],
    [`verify-timestamp -sth h7.json -token other.tsr ${KEY} -tsa-roots tsa.der`, 1],
    [`verify-timestamp -sth h7.json -token token.tsr ${KEY} -tsa-roots tsa.der -tsa-policy 1.2.3`, 1],
    [`verify-timestamp -sth h7.json -token h7.json ${KEY} -tsa-roots tsa.der`, 4],
    [`${approvals} -need 2 -approvers ops,finance -exclude-principal`, 0],
    [`${approvals} -policy policy.json`, 0],
    [`${approvals} -need 2 -approvers finance,ops -exclude-principal`, 1],
    [`${approvals} -need 2 -approvers ops,finance`, 1],
    [`${approvals} -policy policy.json -need 2`, 2],
    [`${approvals} -need 2 -approvers ops,finance -timeout 1ns`, 2],
  ] as const)('%s gives %i', async (command, status) => {
    const run = await bide(command.split(' '), files, { now: AFTER });
    expect(run.status, run.out + run.err).toBe(status);
    const json = await bide(['-json', ...command.split(' ')], files, { now: AFTER });
    expect((JSON.parse(json.out) as { exit_code: number }).exit_code).toBe(status);
  });

  it('verify-timestamp without a trusted root gives no verdict of its own making', async () => {
    const run = await bide(
      `verify-timestamp -sth h7.json -token token.tsr ${KEY} -tsa-roots h7.json`.split(' '),
      files,
    );
    expect(run.status).toBe(4);
  });

  it('gives every verb a usage with its flags', async () => {
    for (const verb of VERB_NAMES) {
      const run = await bide([verb, '-h']);
      expect([run.status, run.out]).toEqual([2, '']);
      expect(run.err).toContain('-max-clock-skew');
    }
  });

  it('never reads a file that is named like a key, and reads a key from a file', async () => {
    const hexKey = vector('computed', 'keys', 'another log', 'public_key_hex');
    const planted = { ...files, [hexKey]: vector('computed', 'keys', 'log', 'public_key_text') };
    const run = await bide(['verify', '-bundle', 'bundle.json', '-pubkey', hexKey], planted);
    expect([run.status, run.opened]).toEqual([1, ['bundle.json']]);
    const fromFile = { ...files, 'log.pub': ` ${vector('computed', 'keys', 'log', 'public_key_text')}\n` };
    expect((await bide(['verify', '-bundle', 'bundle.json', '-pubkey', 'log.pub'], fromFile)).status).toBe(0);
  });

  it('finds tampering beside a key that cannot be used, and nothing where there is none', async () => {
    const weak = ['-pubkey', `01${'00'.repeat(31)}`];
    const moved = { ...files, 'bundle.json': (files['bundle.json'] as string).replace('"index":3', '"index":2') };
    const status = async (args: readonly string[], of: Files) => (await bide([...args, ...weak], of)).status;
    expect(await status(['verify', '-bundle', 'bundle.json'], files)).toBe(4);
    expect(await status(['verify', '-bundle', 'bundle.json'], moved)).toBe(1);
    expect(await status(['verify-evidence', '-evidence', 'evidence.json'], files)).toBe(4);
    const label = {
      ...files,
      'evidence.json': (files['evidence.json'] as string).replace('"label":"toolu_01"', '"label":"x"'),
    };
    expect(await status(['verify-evidence', '-evidence', 'evidence.json'], label)).toBe(1);
    const approvals = [
      'verify-approvals',
      '-evidence',
      'approvals.json',
      '-call',
      'toolu_09',
      '-policy',
      'policy.json',
      '-approver-keys',
      'keys.json',
    ];
    expect(await status(approvals, files)).toBe(4);
    expect(await status(['verify-journal', '-journal', 'journal.json', '-sth', 'h7.json'], files)).toBe(4);
    expect(await status(['verify-journal', '-journal', 'journal.json', '-sth', 'fork5.json'], files)).toBe(1);
  });

  it('applies the timestamp rule with the skew that is asked for', async () => {
    const at = 1767225607123456789n;
    const run = (now: bigint, ...more: string[]) =>
      bide(['verify', '-bundle', 'bundle.json', ...KEY.split(' '), ...more], files, { now }).then((ran) => ran.status);
    expect(await run(at - 300_000_000_000n)).toBe(0);
    expect(await run(at - 300_000_000_001n)).toBe(1);
    expect(await run(at - 1n, '-max-clock-skew', '0')).toBe(1);
    expect(await run(at, '-max-clock-skew=0s')).toBe(0);
    expect(await run(at, '-max-clock-skew=-1s')).toBe(2);
  });

  it('ends with 3 where nothing is wrong and its output cannot be written', async () => {
    expect((await bide(['verify', '-bundle', 'bundle.json', ...KEY.split(' ')], files, { closed: true })).status).toBe(
      3,
    );
    const out = await bide(
      ['prove', '-journal', 'journal.json', '-sth', 'h7.json', '-index', '3', '-out', '/nowhere/x'],
      files,
    );
    expect(out.status).toBe(3);
  });

  it('writes artifacts with two spaces of indentation and reads them again', async () => {
    const made = await bide(
      ['prove', '-journal', 'journal.json', '-sth', 'h7.json', '-index', '3', '-out', 'made.json'],
      files,
    );
    expect([made.status, made.out, made.err]).toEqual([0, '', 'wrote made.json\n']);
    const text = made.written.get('made.json') as string;
    expect(text.startsWith('{\n  "format": "bide.audit.proof.v3",\n  "run_id"')).toBe(true);
    expect(text.endsWith('}')).toBe(true);
    expect(
      (await bide(['verify', '-bundle', 'made.json', ...KEY.split(' ')], { ...files, 'made.json': text })).status,
    ).toBe(0);
  });

  it('escapes untrusted text for people', async () => {
    const label = vector('computed', 'evidence_package', 'json').replace(
      '"label":"toolu_01"',
      '"label":"\\u001b[2K\\u202etoolu_01"',
    );
    const run = await bide(['verify-evidence', '-evidence', 'evil.json', ...KEY.split(' ')], {
      ...files,
      'evil.json': label,
    });
    expect(run.status).toBe(1);
    for (const character of ['\u001b', '\u202e']) expect(`${run.out}${run.err}`).not.toContain(character);
  });

  it('survives any bytes in any input', async () => {
    const commands = [
      'verify -bundle x',
      'verify-absent -bundle x',
      'verify-run -cert x -approved f',
      'verify-evidence -evidence x',
      'verify-current-grant -grant x -proof x -ledger l',
      'verify-timestamp -sth h7.json -token x -tsa-roots x',
      'verify-journal -journal x -sth h7.json',
    ];
    const start = fc.constantFrom(
      '',
      '{"format":"bide.audit.proof.v3",',
      '{"format":"bide.audit.evidence.v5","sth":',
      '[[[[',
      '{"__proto__":{"a":1},',
    );
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom(...commands),
        start,
        fc.uint8Array({ maxLength: 60 }),
        async (command, first, rest) => {
          const content = Uint8Array.from([...Buffer.from(first), ...rest]);
          const run = await bide([...command.split(' '), ...KEY.split(' ')], { ...files, x: content });
          expect([1, 4]).toContain(run.status);
        },
      ),
      { numRuns: 200 },
    );
    const deep = '['.repeat(1_000_000);
    expect((await bide(['verify', '-bundle', 'x', ...KEY.split(' ')], { x: deep })).status).toBe(4);
  });
});

describe('flags in the manner of Go', () => {
  it.each([
    ['5m', 300_000_000_000n],
    ['1h2m3.5s', 3_723_500_000_000n],
    ['-1.5h', -5_400_000_000_000n],
    ['.5s', 500_000_000n],
    ['0', 0n],
    ['100', undefined],
    ['1d', undefined],
    ['', undefined],
    ['s', undefined],
  ] as const)('read the duration %s', (text, nanoseconds) => {
    expect(goDuration(text)).toBe(nanoseconds);
  });

  it.each([
    ['7', 7n],
    ['-7', -7n],
    ['0x1F', 31n],
    ['0b11', 3n],
    ['017', 15n],
    ['1_000', 1000n],
    ['1__0', undefined],
    ['9223372036854775808', undefined],
    ['7.0', undefined],
    ['', undefined],
  ] as const)('read the integer %s', (text, value) => {
    expect(goInteger(text)).toBe(value);
  });

  it('stop at the first argument that is none, and let the last of a repeated one win', () => {
    const specs = { a: { kind: 'string', help: '' }, b: { kind: 'bool', help: '' } } as const;
    const read = readFlags(specs, ['-a', '1', '--a=2', '-b', '--', '-a', '3']);
    expect(read.ok && [read.flags.text('a'), read.flags.bool('b'), read.rest]).toEqual(['2', true, ['-a', '3']]);
    for (const args of [['---a'], ['-=x'], ['-c'], ['-a'], ['-b=maybe']]) expect(readFlags(specs, args).ok).toBe(false);
    expect(readFlags(specs, ['-'])).toMatchObject({ ok: true, rest: ['-'] });
  });
});

it('indents JSON by white space alone', () => {
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      const compact = JSON.stringify(value);
      expect(indentJson(compact)).toBe(JSON.stringify(value, null, 2));
    }),
  );
  expect(indentJson('{"n":1767225607123456789,"e":"\\u003c\\""}')).toBe(
    '{\n  "n": 1767225607123456789,\n  "e": "\\u003c\\""\n}',
  );
});

const binary = fileURLToPath(new URL('../../dist/cmd/bide-audit.js', import.meta.url));
/** A build that has the verb which starts checkers; `make test` builds first. */
const isBuilt = existsSync(fileURLToPath(new URL('../../dist/cmd/bide/verbs/governance.js', import.meta.url)));
describe.skipIf(!isBuilt)('the built program', () => {
  const folder = mkdtempSync(join(tmpdir(), 'bide-'));
  const run = (...args: string[]) => spawnSync(process.execPath, [binary, ...args], { encoding: 'utf8', cwd: folder });

  it('gives the same statuses as a process, with a checker that is one', () => {
    try {
      writeFileSync(join(folder, 'bundle.json'), vector('computed', 'proof_bundle_leaf_3'));
      writeFileSync(join(folder, 'policy.txt'), vector('computed', 'governed_run', 'policy_utf8'));
      for (const [name, status] of [
        ['agrees', 0],
        ['refuses', 1],
        ['breaks', 7],
      ] as const) {
        writeFileSync(join(folder, name), `#!/bin/sh\necho "asked about $1"\nexit ${status}\n`, { mode: 0o755 });
      }
      expect(run('verify', '-bundle', 'bundle.json', ...KEY.split(' ')).status).toBe(0);
      expect(run('verify', '-bundle', 'gone.json', ...KEY.split(' ')).status).toBe(4);
      expect(run('verify').status).toBe(2);
      expect(run('-version').stdout).toContain('bide.audit.evidence.v5');
      expect(run('verify-governance', '-policy', 'policy.txt', '-checker', './agrees')).toMatchObject({
        status: 0,
        stdout: expect.stringContaining('asked about policy.txt'),
      });
      expect(run('verify-governance', '-policy', 'policy.txt', '-checker', './refuses').status).toBe(1);
      expect(run('verify-governance', '-policy', 'policy.txt', '-checker', './breaks').status).toBe(3);
      expect(run('verify-governance', '-policy', 'policy.txt', '-checker', './absent').status).toBe(3);
      const piped = execFileSync(
        process.execPath,
        [binary, '-json', 'verify', '-bundle', join(folder, 'bundle.json'), ...KEY.split(' ')],
        { encoding: 'utf8' },
      );
      expect((JSON.parse(piped) as { verified: boolean }).verified).toBe(true);
      expect(readFileSync(join(folder, 'bundle.json'), 'utf8')).toBe(vector('computed', 'proof_bundle_leaf_3'));
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  });
});
