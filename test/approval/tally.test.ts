import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ambiguousArguments, canonicalArguments } from '../../src/approval/arguments.ts';
import { decisionBytesV2, decisionBytesV3, decisionBytesV4, signDecision } from '../../src/approval/decision.ts';
import { GateIndex } from '../../src/approval/gateIndex.ts';
import type { QuorumPolicy } from '../../src/approval/policy.ts';
import { readPolicy, readStoredPolicy, validateKeys, validatePolicy, writePolicy } from '../../src/approval/policy.ts';
import { tallyApprovals, terminalTally } from '../../src/approval/tally.ts';
import { passed, readTally, unreachable, writeTally } from '../../src/approval/values.ts';
import type { Resolver, Verifier } from '../../src/approval/verifier.ts';
import { keyVerifier } from '../../src/approval/verifier.ts';
import { utf8 } from '../../src/bytes/encoding.ts';
import type { PrivateKey } from '../../src/crypto/signature.ts';
import { ARGS, CALL, KEYS, POLICY, RUN, Scene, TOOL } from '../../vectors/approval-scenes.ts';

const text = (bytes: Uint8Array) => new TextDecoder().decode(bytes);
const resolver: Resolver = (approver) => {
  const key = KEYS.get(approver);
  return key === undefined ? undefined : keyVerifier([key.publicKey]);
};

function count(scene: Scene, policy: QuorumPolicy = POLICY, by: Resolver | undefined = resolver) {
  const index = new GateIndex(scene.journal());
  const subject = { run: RUN, call: CALL, tool: TOOL, args: utf8(ARGS) };
  return tallyApprovals({
    subject,
    policy,
    resolver: by,
    decisions: index.decisions(CALL),
    requesters: index.requesters,
    deadline: index.deadline(CALL),
  });
}

describe('the counting rule', () => {
  const record = fc.record({
    approver: fc.constantFrom('alice', 'bob', 'carol', 'mallory'),
    approved: fc.boolean(),
    signer: fc.constantFrom(undefined, 'mallory'),
  });

  it('never gives one approver two voices, and never lets an invalid record take a place', () => {
    fc.assert(
      fc.property(fc.array(record, { maxLength: 8 }), (records) => {
        const scene = new Scene().start().turn();
        const first = new Map<string, boolean>();
        for (const { approver, approved, signer } of records) {
          scene.decide(approver, { approved, ...(signer === undefined ? {} : { signer }) });
          const valid = approver !== 'mallory' && signer === undefined;
          if (valid && !first.has(approver)) first.set(approver, approved);
        }
        const { tally } = count(scene);
        const by = (verdict: boolean) => [...first].filter(([, v]) => v === verdict).map(([id]) => id);
        expect([tally.approvedBy, tally.deniedBy]).toEqual([by(true), by(false)]);
        expect(tally.records.length).toBe(records.length);
        expect(passed(tally) && unreachable(tally)).toBe(false);
        expect([...tally.approvedBy, ...tally.deniedBy, ...tally.pending, ...tally.excluded].sort()).toEqual([
          ...POLICY.approvers,
        ]);
      }),
      { numRuns: 60 },
    );
  });

  it('does not count a v4 signature of a bare-key approver', () => {
    const scene = new Scene().start().turn();
    const subject = { run: RUN, call: CALL, tool: TOOL, args: utf8(ARGS) };
    const verdict = { approver: 'alice', approved: true, decidedAt: '2026-10-13T12:00:00.000Z' };
    const signature = (KEYS.get('alice') as PrivateKey).sign(decisionBytesV4(subject, verdict, new Uint8Array(32)));
    scene.decide('alice', { decidedAt: verdict.decidedAt, change: { signature } });
    expect(count(scene).checks[0]?.reason).toBe('bad_sig');
  });

  it('explains a decision of version 2, and does not count it', () => {
    const scene = new Scene().start().turn();
    const subject = { run: RUN, call: CALL, tool: TOOL, args: utf8(ARGS) };
    const signature = (KEYS.get('alice') as PrivateKey).sign(
      decisionBytesV2(subject, { approver: 'alice', approved: true }),
    );
    scene.decide('alice', { change: { signature, decidedAt: '' } });
    scene.decide('bob', { change: { decidedAt: '' } });
    const { checks, tally } = count(scene);
    expect(checks.map(({ reason, detail }) => [reason, detail])).toEqual([
      ['no_decided_at', 'signed under bide.approval.v2'],
      ['no_decided_at', undefined],
    ]);
    expect(tally.approved).toBe(0);
  });

  it('asks a judge about certificate-bound approvers, and lets neither of two under one leaf key count', () => {
    const bound: Verifier = {
      alg: 'x509',
      keyIds: ['ident:a'],
      verify: () => true,
      identifier: 'a',
      certificateBound: { rosterDigest: 'r' },
    };
    const by: Resolver = (approver) =>
      approver === 'carol' ? resolver('carol') : { ...bound, keyIds: [`ident:${approver}`] };
    const scene = new Scene().start().turn();
    const certified = { approverAlg: 'x509', approverCert: [new Uint8Array([0x30, 0])] };
    scene.decide('alice', { change: certified });
    scene.decide('bob', { change: certified });
    scene.decide('carol');
    const journal = scene.journal();
    const index = new GateIndex(journal);
    const ask = (keyHash: (approver: string) => string) =>
      tallyApprovals({
        subject: { run: RUN, call: CALL, tool: TOOL, args: utf8(ARGS) },
        policy: POLICY,
        resolver: by,
        decisions: index.decisions(CALL),
        requesters: index.requesters,
        journal,
        judge: {
          resolver: by,
          judge: ({ record }) => ({ verdict: 'counts', tier: 'tier 1', keyHash: keyHash(record.record.approver) }),
        },
      });
    expect(ask((approver) => approver).tally.approvedBy).toEqual(['alice', 'bob', 'carol']);
    const shared = ask(() => 'one');
    expect(shared.tally.approvedBy).toEqual(['carol']);
    expect(shared.checks.map(({ reason }) => reason)).toEqual(['shared_key', 'shared_key', undefined]);
    expect(shared.tally.pending).toEqual(['alice', 'bob']);
  });

  it('takes nothing for judged without a judge', () => {
    const by: Resolver = () => ({
      alg: 'x509',
      keyIds: ['ident:a'],
      verify: () => true,
      certificateBound: { rosterDigest: '' },
    });
    const scene = new Scene().start().turn();
    scene.decide('alice', { change: { approverAlg: 'x509', approverCert: [new Uint8Array([0x30, 0])] } });
    const result = count(scene, { ...POLICY, need: 1, approvers: ['alice'] }, by);
    expect(result.checks[0]?.reason).toBe('not_evaluated');
    expect([result.tally.approved, result.notEvaluated.length]).toEqual([0, 1]);
  });
});

describe('decision bytes', () => {
  const subject = { run: 'r', call: 'c', tool: 't', args: undefined };
  const verdict = { approver: 'a', approved: true, decidedAt: '2026-10-13T12:00:00.000Z' };
  it('of the versions never begin alike', () => {
    const tags = [
      decisionBytesV2(subject, verdict),
      decisionBytesV3(subject, verdict),
      decisionBytesV4(subject, verdict, new Uint8Array(32)),
    ];
    expect(tags.map((bytes) => text(bytes.slice(0, 17)))).toEqual([2, 3, 4].map((n) => `bide.approval.v${n}\n`));
  });

  it('differ whenever any field differs, wherever the boundary between fields is', () => {
    const field = fc.string({ maxLength: 6 });
    fc.assert(
      fc.property(field, field, field, field, field, field, (a, b, c, d, e, f) => {
        const [x, y] = [
          decisionBytesV3({ run: a, call: b, tool: c, args: undefined }, verdict),
          decisionBytesV3({ run: d, call: e, tool: f, args: undefined }, verdict),
        ];
        const same = [a, b, c].every((part, i) => utf8(part).join() === utf8([d, e, f][i] as string).join());
        expect(x.join() === y.join()).toBe(same);
      }),
    );
  });

  it('are not signed over arguments that others would read differently', () => {
    const signed = signDecision({ ...subject, args: utf8('{"a":1,"a":2}') }, verdict, KEYS.get('alice') as PrivateKey);
    expect('problem' in signed ? signed.problem : '').toContain('twice');
  });

  it.each([
    [{ ...verdict, approver: 'a b' }, 'printable'],
    [{ ...verdict, decidedAt: '2026-10-13' }, 'form'],
    [{ ...verdict, decidedAt: '0001-01-01T00:00:00.000Z' }, 'zero'],
  ])('are not signed for %j', (wrong, reason) => {
    const signed = signDecision(subject, wrong, KEYS.get('alice') as PrivateKey);
    expect('problem' in signed ? signed.problem : '').toContain(reason);
  });
});

describe('canonical arguments', () => {
  it('are a fixed point, and the same for every layout of a value', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        const canonical = canonicalArguments(utf8(JSON.stringify(value)));
        expect(text(canonicalArguments(canonical))).toBe(text(canonical));
        expect(text(canonicalArguments(utf8(` ${JSON.stringify(value, null, 3)}\n`)))).toBe(text(canonical));
      }),
    );
  });

  it('never fail, whatever the bytes', () => {
    fc.assert(fc.property(fc.uint8Array({ maxLength: 40 }), (bytes) => canonicalArguments(bytes).length > 0));
  });

  it('of ten thousand levels are written, of one more are used as they are', () => {
    const nested = (n: number) => utf8(`${'[ '.repeat(n)}${']'.repeat(n)}`);
    expect(canonicalArguments(nested(10_000)).length).toBe(20_000);
    expect(canonicalArguments(nested(10_001)).length).toBe(30_003);
  });

  it.each([
    ['{"a":1,"a":2}', 'twice'],
    ['{"a":"\\ud800"}', 'surrogate'],
    ['{"\\ud800":1}', 'surrogate'],
    ['{"a":1} x', 'not one JSON value'],
  ])('%s should not be signed', (raw, reason) => {
    expect(ambiguousArguments(utf8(raw))).toContain(reason);
  });

  it('that everybody reads alike may be signed', () => {
    expect(ambiguousArguments(utf8('{"a":[1,{"b":null}]}'))).toBeUndefined();
    expect(ambiguousArguments(undefined)).toBeUndefined();
  });
});

describe('policies', () => {
  it('come back from the bytes that a record holds', () => {
    const policy: QuorumPolicy = { kind: 'm-of-n', need: 1, approvers: ['a&b', '<ops>'], excludePrincipal: true };
    expect(text(writePolicy(policy))).toBe(
      '{"need":1,"approvers":["a\\u0026b","\\u003cops\\u003e"],"exclude_principal":true}',
    );
    expect(readPolicy(writePolicy(policy))).toEqual({ policy });
    expect(readStoredPolicy(writePolicy(policy))).toEqual({ policy });
  });

  it.each([
    ['{"need":2,"approvers":["a"],"later":1}', undefined],
    ['{"single":true,"need":3}', 'at once'],
    ['{"need":"2"}', 'neither'],
    ['[]', 'not an object'],
    ['{"need":1,"approvers":[1]}', 'wrong type'],
  ])('%s is read leniently from a record', (raw, problem) => {
    const read = readStoredPolicy(utf8(raw));
    if (problem === undefined) expect(read.problem).toBeUndefined();
    else expect(read.problem).toContain(problem);
  });

  it('do not let the Kelvin sign pass for a k', () => {
    expect(validatePolicy({ kind: 'm-of-n', need: 1, approvers: ['k', '\u212a'], excludePrincipal: false })).toContain(
      'printable',
    );
  });

  it('seat each key once', () => {
    const one: Resolver = () => keyVerifier([(KEYS.get('alice') as PrivateKey).publicKey]);
    expect(validateKeys(POLICY, one)).toContain('sign with one key');
    expect(validateKeys(POLICY, undefined)).toContain('no keys');
    expect(validateKeys(POLICY, resolver)).toBeUndefined();
    const nameless: Resolver = () => ({ alg: 'ed25519', keyIds: [], verify: () => true });
    expect(validateKeys(POLICY, nameless)).toContain('no identity');
    const rosters: Resolver = (id) => ({
      alg: 'x509',
      keyIds: [id],
      verify: () => true,
      identifier: id,
      certificateBound: { rosterDigest: id },
    });
    expect(validateKeys(POLICY, rosters)).toContain('different rosters');
    const unmapped: Resolver = (id) => ({
      alg: 'x509',
      keyIds: [id],
      verify: () => true,
      certificateBound: { rosterDigest: '' },
    });
    expect(validateKeys(POLICY, unmapped)).toContain('does not name');
  });
});

describe('tallies', () => {
  it('come back from their bytes', () => {
    const scene = new Scene().start().turn().deadline(60);
    scene.decide('alice');
    const index = new GateIndex(scene.journal());
    const tally = terminalTally(count(scene), { supersedes: 'x', expired: true, deadline: index.deadline(CALL) });
    expect(readTally(writeTally(tally))).toEqual({ tally });
    expect(tally.expiresAt).toBe('2026-10-13T13:00:00.000Z');
  });

  it.each(['{"need":1,"need":1}', '{"Need":1}', '{"more":1}', '{} 1', 'null', '[]', '{"need":1.0}', ''])(
    'do not read from %s',
    (raw) => {
      expect(readTally(utf8(raw))).toHaveProperty('problem');
    },
  );
});
