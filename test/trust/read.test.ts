import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { utf8 } from '../../src/bytes/encoding.ts';
import { canonicalOfTree } from '../../src/json/canonical.ts';
import type { JsonNode } from '../../src/json/tree.ts';
import { objectOfValue } from '../../src/session/write/value.ts';
import { readTrust } from '../../src/trust/read.ts';
import { keysFor } from '../../src/trust/trust.ts';
import { addToTrustFile, emptyTrustFile } from '../../src/trust/write.ts';

const LOG = 'ed25519:03a107bff3ce10be1d70dd18e74bc09967e4d6309ba50d5f1ddc8664125531b8';
const OPS = 'ed25519:9928da325ec993b3adcc9aec76b2229a6f38d399b9f4560da8df6ad6f3943a23';
const FINANCE = 'ed25519:172ddc042fe06ee712838b63d25be1f26f4e1b7f2018f3321499b7ad7c43f747';

const file = (value: unknown, name = 'trust.json') => ({
  name,
  bytes:
    typeof value === 'string' ? utf8(value) : utf8(JSON.stringify({ format: 'audit.trust.v1', ...(value as object) })),
});
const codes = async (...files: Parameters<typeof readTrust>[0]) =>
  (await readTrust(files)).findings.map(({ code }) => code);

describe('a trust file', () => {
  it('gives keys by role, with their validity', async () => {
    const { trust, findings } = await readTrust([
      file({
        about: 'the house',
        keys: [
          {
            name: 'log',
            key: LOG,
            roles: ['log', 'witness'],
            from: '2026-01-01T00:00:00Z',
            until: '2027-01-01T00:00:00Z',
          },
          { name: 'bundles', key: OPS, roles: ['bundle'] },
        ],
      }),
    ]);
    expect(findings).toEqual([]);
    expect(keysFor(trust, 'log').map(({ name }) => name)).toEqual(['log']);
    expect(keysFor(trust, 'bundle').map(({ name }) => name)).toEqual(['bundles']);
    expect(keysFor(trust, 'issuer')).toEqual([]);
    expect(trust.keys[0]?.from).toBe(1767225600000000000n);
  });

  it('gives each approver one key or several', async () => {
    const { trust, findings } = await readTrust([file({ approvers: { ops: OPS, finance: [FINANCE, LOG] } })]);
    expect(findings).toEqual([]);
    expect(trust.approvers.map(({ approver }) => approver)).toEqual(['ops', 'finance', 'finance']);
  });

  it('keeps what it said when it was read, whatever becomes of its bytes', async () => {
    const gates = [{ tool: 'pay', policy: { m_of_n: { need: 1, approvers: ['ops'] } } }];
    const given = { ...file({ gates }), bytes: Buffer.from(file({ gates }).bytes) };
    const reading = readTrust([file({ about: 'one before it' }), given]);
    given.bytes.fill(0x20);
    const { trust, findings } = await reading;
    expect(findings).toEqual([]);
    const [section] = trust.sections.get('gates') ?? [];
    const { node, bytes } = section as NonNullable<typeof section>;
    expect(JSON.parse(new TextDecoder().decode(bytes.subarray(node.start, node.end)))).toEqual(gates);
    given.bytes.fill(0x21);
    expect(canonicalOfTree(node)).toBe(canonicalOfTree(objectOfValue({ gates }).members[0]?.value as JsonNode));
  });

  it('keeps the sections of other modules with their bytes', async () => {
    const { trust } = await readTrust([file({ gates: [{ tool: 'x', policy: null }], rosters: { a: 1.5 } })]);
    const [section] = trust.sections.get('rosters') ?? [];
    expect(new TextDecoder().decode(section?.bytes.slice(section.node.start, section.node.end))).toBe('{"a":1.5}');
  });

  it.each([
    ['{"format":"audit.trust.v1",', 'trust/not-json'],
    ['[]', 'trust/format'],
    ['{}', 'trust/format'],
    ['{"format":"audit.trust.v2","keys":7}', 'trust/format'],
    ['{"format":1}', 'trust/format'],
    ['{"format":"audit.trust.v1","key":[]}', 'trust/unknown-member'],
    ['{"format":"audit.trust.v1","__proto__":{}}', 'trust/unknown-member'],
    ['{"format":"audit.trust.v1","keys":{}}', 'trust/shape'],
    ['{"format":"audit.trust.v1","approvers":[]}', 'trust/shape'],
    ['{"format":"audit.trust.v1","approvers":{"ops":[]}}', 'trust/shape'],
    ['{"format":"audit.trust.v1","requirements":{"journal":"count"}}', 'trust/shape'],
    ['{"format":"audit.trust.v1","gates":[],"gates":[]}', 'trust/repeated-member'],
    ['{"format":"audit.trust.v1","rosters":[{"a":1,"\\u0061":2}]}', 'trust/repeated-member'],
    ['{"format":"audit.trust.v1","approvers":{"ops":"ed25519:00"}}', 'trust/unusable-key'],
    [`{"format":"audit.trust.v1","approvers":{"the ops":"${OPS}"}}`, 'trust/approver-id'],
    [`{"format":"audit.trust.v1","approvers":{"ops":"${OPS}","OPS":"${LOG}"}}`, 'trust/approver-id'],
  ])('%s is refused as %s', async (text, code) => {
    expect(await codes(file(text))).toEqual([code]);
  });

  it.each([
    [{ name: 'a', key: LOG }, 'trust/shape'],
    [{ name: 'a', key: LOG, roles: [] }, 'trust/shape'],
    [{ name: 'a', key: LOG, roles: ['root'] }, 'trust/shape'],
    [{ name: '', key: LOG, roles: ['log'] }, 'trust/shape'],
    [{ name: 'a', key: LOG, roles: ['log'], from: '2026' }, 'trust/shape'],
    [
      { name: 'a', key: LOG, roles: ['log'], from: '2027-01-01T00:00:00Z', until: '2026-01-01T00:00:00Z' },
      'trust/shape',
    ],
    [{ name: 'a', key: LOG, roles: ['log'], untill: '2026-01-01T00:00:00Z' }, 'trust/unknown-member'],
    [
      { name: 'a', key: `0100000000000000000000000000000000000000000000000000000000000000`, roles: ['log'] },
      'trust/unusable-key',
    ],
  ])('a key entry %j is refused as %s', async (entry, code) => {
    expect(await codes(file({ keys: [entry] }))).toEqual([code]);
  });

  it('says where each fault is, and reports all of them', async () => {
    const { findings } = await readTrust([file({ keys: [{ name: 'a', key: 'x', roles: ['log'] }], other: 1 })]);
    expect(findings.map(({ code, where }) => [code, where.pointer, where.part])).toEqual([
      ['trust/unusable-key', '/keys/0/key', 'trust.json'],
      ['trust/unknown-member', '/other', 'trust.json'],
    ]);
    expect(findings.every((finding) => finding.class === 'unusable')).toBe(true);
  });

  it('does not show a private key that was pasted into it', async () => {
    const { findings } = await readTrust([file({ approvers: { ops: `private:ed25519:${'ab'.repeat(32)}` } })]);
    expect(JSON.stringify(findings, (_, value) => (typeof value === 'bigint' ? String(value) : value))).not.toContain(
      'abab',
    );
  });

  it('refuses two keys of one name', async () => {
    const key = { name: 'log', key: LOG, roles: ['log'] };
    expect(await codes(file({ keys: [key, { ...key, key: OPS }] }))).toEqual(['trust/repeated-key-name']);
  });

  it('refuses more than 16 MiB unread', async () => {
    expect(await codes({ name: 'big', bytes: new Uint8Array(16 * 1024 * 1024 + 1) })).toEqual(['trust/too-large']);
  });

  it('is read without an exception, whatever its bytes', async () => {
    await fc.assert(
      fc.asyncProperty(fc.json(), fc.uint8Array(), async (json, bytes) => {
        for (const text of [
          json,
          `{"format":"audit.trust.v1","keys":${json},"approvers":${json},"requirements":${json}}`,
        ])
          await readTrust([file(text)]);
        await readTrust([{ name: 'x', bytes }]);
      }),
      { numRuns: 150 },
    );
  });
});

describe('several trust files', () => {
  const key = { name: 'log', key: LOG, roles: ['log'] };

  it('are merged: equal entries once, requirements united', async () => {
    const { trust, findings } = await readTrust([
      file({ keys: [key], approvers: { ops: OPS }, requirements: { journal: ['count'] } }, 'a'),
      file({ keys: [key], approvers: { ops: OPS }, requirements: { journal: ['outcome', 'count'] } }, 'b'),
    ]);
    expect(findings).toEqual([]);
    expect([trust.keys.length, trust.approvers.length]).toEqual([1, 1]);
    expect(trust.requirements.get('journal')).toEqual(['count', 'outcome']);
  });

  it.each([
    [{ keys: [key] }, { keys: [{ ...key, key: OPS }] }],
    [{ keys: [key] }, { keys: [{ ...key, roles: ['log', 'bundle'] }] }],
    [{ keys: [key] }, { keys: [{ ...key, until: '2030-01-01T00:00:00Z' }] }],
    [{ approvers: { ops: OPS } }, { approvers: { ops: FINANCE } }],
    [{ approvers: { ops: OPS } }, { approvers: { ops: [OPS, FINANCE] } }],
    [{ approvers: { ops: OPS } }, { approvers: { OPS } }],
  ])('that contradict each other are refused: %j and %j', async (a, b) => {
    expect(await codes(file(a, 'a'), file(b, 'b'))).toEqual(['trust/conflict']);
    expect(await codes(file(b, 'b'), file(a, 'a'))).toEqual(['trust/conflict']);
  });
});

describe('adding to a trust file', () => {
  const added = (bytes: Uint8Array, addition: Parameters<typeof addToTrustFile>[1]): Uint8Array => {
    const result = addToTrustFile(bytes, addition);
    if ('problem' in result) throw new Error(result.problem);
    return result.bytes;
  };

  it('gives a file that reads back as what was added', async () => {
    let bytes = emptyTrustFile();
    bytes = added(bytes, {
      to: 'keys',
      entry: { name: 'log', key: LOG, roles: ['log'], until: '2030-01-01T00:00:00Z' },
    });
    bytes = added(bytes, { to: 'approvers', approver: 'ops', key: OPS });
    bytes = added(bytes, { to: 'approvers', approver: 'ops', key: FINANCE });
    bytes = added(bytes, { to: 'gates', json: '{"tool":"refund","policy":{"need":1,"approvers":["ops"]}}' });
    bytes = added(bytes, { to: 'requirements', kind: 'journal', claims: ['integrity'] });
    bytes = added(bytes, { to: 'requirements', kind: 'journal', claims: ['integrity', 'approvals'] });
    const { trust, findings } = await readTrust([{ name: 'x', bytes }]);
    expect(findings).toEqual([]);
    expect(trust.keys.map(({ name, roles }) => [name, roles])).toEqual([['log', ['log']]]);
    expect(trust.approvers.length).toBe(2);
    expect(trust.sections.get('gates')?.length).toBe(1);
    expect(trust.requirements.get('journal')).toEqual(['integrity', 'approvals']);
    expect(new TextDecoder().decode(bytes)).toMatchSnapshot();
  });

  it('keeps what it does not own: other sections, their order and number spellings', () => {
    const before = utf8('{"format":"audit.trust.v1","about":"x","rosters":{"n":1.50,"m":[]},"keys":[]}');
    const after = new TextDecoder().decode(added(before, { to: 'approvers', approver: 'ops', key: OPS }));
    expect(after).toContain('"n": 1.50');
    expect(after.indexOf('"about"')).toBeLessThan(after.indexOf('"rosters"'));
  });

  it.each([
    ['[1]', 'not an object'],
    ['{', 'does not read'],
    ['{"gates":{}}', 'not a list'],
    [`{"rosters":${'['.repeat(80)}${']'.repeat(80)}}`, 'deeper than'],
  ])('is refused for %s', (text, reason) => {
    const result = addToTrustFile(utf8(text), { to: 'gates', json: '{}' });
    expect('problem' in result ? result.problem : '').toContain(reason);
  });
});
