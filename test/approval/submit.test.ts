import { describe, expect, it } from 'vitest';
import type { SignedDecision } from '../../src/approval/decision.ts';
import { signDecision } from '../../src/approval/decision.ts';
import { GateIndex } from '../../src/approval/gateIndex.ts';
import { recountGates } from '../../src/approval/recount.ts';
import { heldDecision, submitDecision } from '../../src/approval/submit.ts';
import { keyVerifier, trustResolver } from '../../src/approval/verifier.ts';
import { utf8 } from '../../src/bytes/encoding.ts';
import { formatPublicKey, generatePrivateKey } from '../../src/crypto/keys.ts';
import type { PrivateKey } from '../../src/crypto/signature.ts';
import { parseTimestamp } from '../../src/journal/timestamp.ts';
import type { Instant } from '../../src/time/instant.ts';
import { readTrust } from '../../src/trust/read.ts';
import { ARGS, CALL, KEYS, paid, RUN, Scene, TOOL, trustText } from '../../vectors/approval-scenes.ts';

const trust = (await readTrust([{ name: 'trust', bytes: utf8(trustText()) }])).trust;
const resolver = trustResolver(trust);
const NOW = parseTimestamp('2026-10-13T12:10:00.000Z') as Instant;
const SUBJECT = { run: RUN, call: CALL, tool: TOOL, args: utf8(ARGS) };

function signed(change: Partial<SignedDecision> = {}, key = 'alice', subject = SUBJECT): SignedDecision {
  const { approver = 'alice', approved = true, decidedAt = '2026-10-13T12:01:00.000Z' } = change;
  const decision = signDecision(subject, { approver, approved, decidedAt }, KEYS.get(key) as PrivateKey);
  if ('problem' in decision) throw new Error(decision.problem);
  return { ...decision, ...change };
}

function submit(scene: Scene, decision: SignedDecision, checked = true, now = NOW) {
  const input = { index: new GateIndex(scene.journal()), decision, now };
  return submitDecision(checked && resolver !== undefined ? { ...input, resolver } : input);
}

describe('a decision that is submitted', () => {
  it('is written as a record that then counts', () => {
    const scene = new Scene().start().turn();
    for (const approver of ['alice', 'bob']) {
      const submission = submit(scene, signed({ approver }, approver));
      if (submission.outcome !== 'write') throw new Error(JSON.stringify(submission));
      scene.add(submission.record);
    }
    const [gate] = recountGates(scene.journal(), trust).gates;
    expect(gate?.count?.tally.approvedBy).toEqual(['alice', 'bob']);
  });

  it('is held when it is on record already, under another signature too', () => {
    const scene = new Scene().start().turn();
    const decision = signed();
    const first = submit(scene, decision);
    if (first.outcome !== 'write') throw new Error(first.outcome);
    scene.add(first.record);
    expect(submit(scene, decision)).toEqual({ outcome: 'held', name: first.record.name });
    expect(submit(scene, decision, false)).toEqual({ outcome: 'held', name: first.record.name });
    expect(heldDecision(new GateIndex(scene.journal()), decision)?.name).toBe(first.record.name);
    expect(heldDecision(new GateIndex(scene.journal()), { ...decision, approved: false })).toBeUndefined();
  });

  it('goes under another name when junk sits at its own', () => {
    const scene = new Scene().start().turn();
    const decision = signed();
    const first = submit(scene, decision);
    if (first.outcome !== 'write') throw new Error(first.outcome);
    scene.value(first.record.name, '{}');
    const second = submit(scene, decision);
    expect(second.outcome === 'write' && second.record.name !== first.record.name).toBe(true);
  });

  it.each<[string, SignedDecision, string, Scene]>([
    ['signed by another key', signed({}, 'mallory'), 'does not verify', new Scene().start().turn()],
    [
      'for another call',
      signed({}, 'alice', { ...SUBJECT, tool: 'pay_all' }),
      'does not verify',
      new Scene().start().turn(),
    ],
    ['by somebody unknown', signed({ approver: 'mallory' }, 'mallory'), 'not known', new Scene().start().turn()],
    ['on a call that nobody asked for', signed(), 'no such call', new Scene().start()],
    ['without a signature', signed({ signature: new Uint8Array() }), 'is signed', new Scene().start().turn()],
    ['by an approver with a space', signed({ approver: 'alice' }), '', new Scene().start().turn()],
    ['at no canonical time', { ...signed(), decidedAt: 'now' }, 'form', new Scene().start().turn()],
    ['after the deadline', signed(), 'approval expired', new Scene().start().turn().deadline(5)],
    [
      'after the expiry',
      signed(),
      'approval expired',
      new Scene().start().turn().tally({ expired: true, expiresAt: '2026-10-13T12:05:00.000Z' }),
    ],
  ])('%s is refused', (_, decision, problem, scene) => {
    const submission = submit(scene, problem === '' ? { ...decision, approver: 'a b' } : decision);
    expect(submission.outcome === 'refused' ? submission.problem : submission.outcome).toContain(
      problem || 'printable',
    );
  });

  it('is refused where its approver has decided otherwise', () => {
    const scene = new Scene().start().turn();
    scene.decide('alice', { approved: false });
    expect(submit(scene, signed())).toEqual({ outcome: 'refused', problem: 'already decided' });
  });

  it('on a flow node is refused before the node asked, and when the same stands before its request', () => {
    const subject = { run: 'flow-1', call: 'node:settle', tool: 'settle', args: utf8('{"batch":"b-9"}') };
    const decision = signed({}, 'alice', subject);
    const scene = new Scene('flow-1').start();
    const early = submit(scene, decision);
    expect(early.outcome === 'refused' && early.problem).toContain('not asked');
    scene.decide('alice', { subject, decidedAt: decision.decidedAt, change: { toolUseId: 'node:settle' } });
    scene.request();
    const again = submit(scene, decision);
    expect(again.outcome === 'refused' && again.problem).toContain('before the request');
  });
});

describe('a key that was rotated to another scheme', () => {
  it('verifies each decision under the scheme that its record names', async () => {
    const [old, fresh] = [
      KEYS.get('alice') as PrivateKey,
      await generatePrivateKey('ecdsa-p256', (n) => new Uint8Array(n).fill(5)),
    ];
    const verifier = keyVerifier([old.publicKey, fresh.publicKey]);
    const message = utf8('m');
    expect(verifier?.otherAlgs).toEqual(['ecdsa-p256']);
    expect(verifier?.verify(message, fresh.sign(message), 'ecdsa-p256')).toBe(true);
    expect(verifier?.verify(message, fresh.sign(message), 'ed25519')).toBe(false);
    expect(verifier?.verify(message, old.sign(message))).toBe(true);

    const scene = new Scene().start().turn();
    const decision = signDecision(
      SUBJECT,
      { approver: 'alice', approved: true, decidedAt: '2026-10-13T12:00:00.000Z' },
      fresh,
    );
    if ('problem' in decision) throw new Error(decision.problem);
    const records = [
      scene.decide('alice', {
        decidedAt: decision.decidedAt,
        change: { approverAlg: 'ecdsa-p256', signature: decision.signature },
      }),
      scene.decide('bob'),
    ];
    const journal = scene
      .tally({ approvedBy: ['alice', 'bob'], records })
      .attempt()
      .result()
      .journal();
    const file = JSON.parse(trustText());
    file.approvers.alice = [formatPublicKey(old.publicKey), formatPublicKey(fresh.publicKey)];
    const rotated = (await readTrust([{ name: 'trust', bytes: utf8(JSON.stringify(file)) }])).trust;
    expect(recountGates(journal, rotated).gates[0]?.claims.count).toBe('verified');
    expect(recountGates(journal, trust).gates[0]?.claims.count).toBe('failed');
  });
});

describe('hostile journals', () => {
  it('with many decisions over large arguments are counted in linear time', () => {
    const scene = new Scene().start().turn(CALL, TOOL, JSON.stringify({ memo: 'x'.repeat(1_000_000) }));
    const name = scene.decide('alice');
    const one = scene.records.at(-1) as Uint8Array;
    const text = new TextDecoder().decode(one);
    for (let i = 0; i < 2000; i++)
      scene.records.push(utf8(text.replace(name, `${name.slice(0, -4)}${String(i).padStart(4, '0')}`)));
    const start = performance.now();
    recountGates(scene.journal(), trust);
    expect(performance.now() - start).toBeLessThan(10_000);
  });

  it('of random order and omission are recounted without an exception', () => {
    const { records } = paid();
    let seed = 1;
    const random = () => {
      seed = (seed * 1103515245 + 12345) % 2147483648;
      return seed / 2147483648;
    };
    for (let i = 0; i < 200; i++) {
      const scene = new Scene();
      for (const record of records.slice(1))
        if (random() < 0.7) scene.records.splice(1 + Math.floor(random() * scene.records.length), 0, record);
      recountGates(scene.journal(), trust);
    }
  });
});
