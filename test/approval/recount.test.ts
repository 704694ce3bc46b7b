import { describe, expect, it } from 'vitest';
import { auditGate } from '../../src/approval/audit.ts';
import { catalogue } from '../../src/approval/catalogue.ts';
import { GateIndex } from '../../src/approval/gateIndex.ts';
import { matchesGlob } from '../../src/approval/gatePatterns.ts';
import { recountGates } from '../../src/approval/recount.ts';
import { trustResolver } from '../../src/approval/verifier.ts';
import { utf8 } from '../../src/bytes/encoding.ts';
import { names } from '../../src/journal/names.ts';
import type { Journal, StoredRecord } from '../../src/journal/record.ts';
import { encodeTombstone } from '../../src/journal/tombstone.ts';
import { readTrust } from '../../src/trust/read.ts';
import { approvalsOutcome } from '../../src/verify/approvals.ts';
import { CALL, journalOf, POLICY, paid, RUN, Scene, trustText } from '../../vectors/approval-scenes.ts';

const trustOf = async (text = trustText()) => (await readTrust([{ name: 'trust', bytes: utf8(text) }])).trust;
const trust = await trustOf();

const verdicts = (journal: Journal, by = trust) =>
  Object.fromEntries(approvalsOutcome(journal, by).claims.map(({ claim, verdict }) => [claim, verdict]));

describe('an approved payment', () => {
  it('is verified in count, outcome and disclosure, while who holds a key is the trust file\u2019s word', () => {
    expect(verdicts(paid().journal())).toEqual({
      count: 'verified',
      outcome: 'verified',
      identity: 'undecided',
      disclosure: 'verified',
    });
  });

  it('is never verified in all three once any record of its gate is removed', () => {
    const { records, run } = paid();
    for (let at = 1; at < records.length; at++) {
      const rest = records.filter((_, i) => i !== at);
      const after = verdicts(journalOf(run, rest));
      const name = new TextDecoder().decode(records[at]).slice(9, 60);
      // The start of the run, the attempt and the result say nothing about the count: a head shows that they are gone.
      const silent = /^"?(run:start|attempt:|tool:)/.test(name);
      const all = [after['count'], after['outcome'], after['disclosure']].every((verdict) => verdict === 'verified');
      expect(all, name).toBe(silent);
    }
  });

  it('is never verified in all three once two records of its gate change places', () => {
    const { records, run } = paid();
    const gate = records.map((_, i) => i).filter((i) => i >= 2);
    for (const a of gate) {
      for (const b of gate.filter((other) => other > a)) {
        const swapped = records.slice();
        [swapped[a], swapped[b]] = [records[b] as Uint8Array, records[a] as Uint8Array];
        const after = verdicts(journalOf(run, swapped));
        const all = ['count', 'outcome', 'disclosure'].every((claim) => after[claim] === 'verified');
        const names = [a, b].map((i) => new TextDecoder().decode(records[i]).slice(9, 30));
        // A decision on a call that is asked for only later, and an attempt after its own result, are the journal's rules to judge.
        if (names[0]?.startsWith('@llm') === true && names[1]?.startsWith('approval:') === true) continue;
        const both = names.every((name) => /^(attempt:|tool:)/.test(name));
        expect(all, names.join(' and ')).toBe(both);
      }
    }
  });

  it.each([
    ['"amount":"1250.00"', '"amount":"9250.00"'],
    ['"name":"pay_invoice"', '"name":"pay_anybody"'],
    ['"approver":"bob"', '"approver":"carol"'],
    ['"decided_at":"2026-10-13T12:02:00.000Z"', '"decided_at":"2026-10-13T12:03:00.000Z"'],
    ['"approved_by":["alice","bob"]', '"approved_by":["alice","carol"]'],
    ['"approved":2', '"approved":3'],
    [
      '"need":2,"approvers":["alice","bob","carol"],"approved"',
      '"need":1,"approvers":["alice","bob","carol"],"approved"',
    ],
    ['"decision_format":"bide.approval.v3"', '"decision_format":"bide.approval.v2"'],
    ['"is_error":false', '"is_error":true'],
  ])('with %s made %s is not verified', (from, to) => {
    const { records, run } = paid();
    const changed = records.map((bytes) => utf8(new TextDecoder().decode(bytes).replaceAll(from, to)));
    if (
      changed.every(
        (bytes, i) => bytes.length === records[i]?.length && bytes.every((byte, j) => byte === records[i]?.[j]),
      )
    )
      return;
    const after = verdicts(journalOf(run, changed));
    expect(['count', 'outcome', 'disclosure'].every((claim) => after[claim] === 'verified')).toBe(false);
  });

  it('is not verified for another run: the signatures are over its id', () => {
    const after = verdicts(journalOf('bank/order-8', paid().records));
    expect(after['count']).toBe('failed');
  });

  it('is undecided, and never failed, when only the auditor\u2019s keys or policies are missing', async () => {
    for (const text of [trustText([]), trustText(undefined, []), trustText(undefined, ['alice'])])
      expect(verdicts(paid().journal(), await trustOf(text))['count']).toBe('undecided');
    expect(
      approvalsOutcome(paid().journal(), await trustOf(trustText(undefined, ['alice']))).missing.map(
        ({ item }) => item,
      ),
    ).toContain('the public key of approver "bob" at the time');
  });
});

describe('less evidence', () => {
  it('never gives a better claim: keys and gates taken away one by one', async () => {
    const rank = { failed: 0, undecided: 1, verified: 2 } as const;
    const full = verdicts(paid().journal());
    for (const approvers of [['alice', 'bob'], ['alice', 'carol'], ['alice'], []] as const) {
      for (const gates of [undefined, []]) {
        const after = verdicts(paid().journal(), await trustOf(trustText(gates, approvers)));
        for (const [claim, verdict] of Object.entries(after))
          expect(rank[verdict]).toBeLessThanOrEqual(rank[full[claim] as keyof typeof rank]);
      }
    }
  });
});

describe('a run without gates', () => {
  it('proves nothing about approvals', () => {
    const journal = new Scene('shop/1').start().turn().attempt().result({ policy: null }).journal();
    expect(verdicts(journal)).toEqual({
      count: 'undecided',
      outcome: 'undecided',
      identity: 'undecided',
      disclosure: 'undecided',
    });
  });
});

describe('a redacted decision', () => {
  const tombstone = { leafHash: new Uint8Array(32), atMs: 1n };

  it('whose name the store still knows is named as redacted', () => {
    const { records, run } = paid();
    const journal = journalOf(run, records);
    const redacted = journal.records.map(
      (stored, i): StoredRecord =>
        i === 3 ? { position: 3, name: stored.name, bytes: encodeTombstone(tombstone), tombstone } : stored,
    );
    const codes = recountGates({ ...journal, records: redacted }, trust).gates.flatMap(({ findings }) =>
      findings.map(({ code }) => code),
    );
    expect(codes).toContain('approval/decision-redacted');
  });

  it('in an export, which names no tombstone, is omitted or redacted', () => {
    const { records, run } = paid();
    const redacted = records.map((bytes, i) => (i === 3 ? encodeTombstone(tombstone) : bytes));
    const [finding] = recountGates(journalOf(run, redacted), trust).gates.flatMap(({ findings }) =>
      findings.filter(({ code }) => code === 'approval/decision-omitted'),
    );
    expect(finding?.message).toContain('or was redacted');
  });
});

describe('selected evidence', () => {
  const expected = { policy: POLICY };
  it('needs the result of the call', () => {
    const records = paid()
      .journal()
      .records.filter(({ name }) => !name.startsWith('tool:'));
    const index = new GateIndex({ run: RUN, format: '', records });
    const audit = auditGate({ index, call: CALL, expected, resolver: trustResolver(trust), whole: false });
    expect(audit.findings.map(({ code }) => code)).toEqual(['approval/result-missing']);
  });

  it('with all that the gate names is verified as the whole journal is', () => {
    const wanted = /^(@llm|approval|tool:)/;
    const records = paid()
      .journal()
      .records.filter(({ name }) => wanted.test(name));
    const index = new GateIndex({ run: RUN, format: '', records });
    const audit = auditGate({ index, call: CALL, expected, resolver: trustResolver(trust), whole: false });
    expect(audit.findings).toEqual([]);
    expect(audit.claims).toEqual({ count: 'verified', outcome: 'verified', disclosure: 'verified' });
  });
});

describe('what only looks like a record of the gate', () => {
  it('in the value of a developer\u2019s node is not read as one', () => {
    const scene = new Scene().start().turn();
    scene.value('node:look', { tool_use_id: CALL, expires_at: 'never', timeout_ms: 1 });
    const records = [scene.decide('alice'), scene.decide('bob')];
    const journal = scene
      .tally({ approvedBy: ['alice', 'bob'], records })
      .attempt()
      .result()
      .journal();
    expect(verdicts(journal)['count']).toBe('verified');
  });

  it('signed decisions on a call that has no gate accuse nobody', () => {
    const scene = new Scene('shop/1').start().turn();
    scene.decide('mallory');
    const recount = recountGates(scene.attempt().result({ policy: null }).journal(), trust);
    expect(recount.gates).toEqual([]);
  });
});

describe('a denial that the count names and passes over', () => {
  const scene = new Scene().start().turn();
  const records = [scene.decide('alice'), scene.decide('bob', { approved: false })];
  const pending = POLICY.approvers.filter((id) => id !== 'alice');
  scene.tally({ approvedBy: ['alice'], need: 1, records, pending }).attempt();
  scene.result({ policy: { ...POLICY, need: 1 } });
  const gates = [{ tool: '*', policy: { need: 1, approvers: POLICY.approvers } }];

  it('fails the count, and without the key of who denied leaves it open', async () => {
    expect(verdicts(scene.journal(), await trustOf(trustText(gates)))['count']).toBe('failed');
    const { approvers, ...rest } = JSON.parse(trustText(gates)) as { readonly approvers: Record<string, unknown> };
    const others = Object.fromEntries(Object.entries(approvers).filter(([id]) => id !== 'bob'));
    const outcome = approvalsOutcome(scene.journal(), await trustOf(JSON.stringify({ ...rest, approvers: others })));
    expect(outcome.claims.find(({ claim }) => claim === 'count')?.verdict).toBe('undecided');
    expect(outcome.missing.find(({ claim }) => claim === 'count')?.item).toContain('the public key of approver "bob"');
  });
});

describe('many gates', () => {
  it('are recounted in time that grows with the journal and not with its square', () => {
    const journalWith = (n: number) => {
      const scene = new Scene().start();
      for (let i = 0; i < n; i++)
        scene
          .turn(`call_${i}`)
          .value(
            names.tally(`call_${i}`),
            '{"need":2,"approvers":["alice"],"approved":0,"denied":1,"denied_by":["alice"]}',
          );
      return scene.journal();
    };
    const time = (journal: Journal) => {
      const start = performance.now();
      recountGates(journal, trust);
      return performance.now() - start;
    };
    const [small, large] = [journalWith(500), journalWith(4000)];
    time(small);
    expect(time(large)).toBeLessThan(Math.max(time(small), 5) * 40);
  });
});

describe('patterns', () => {
  it.each([
    ['*', '', true],
    ['*', 'bank/1>c', true],
    ['bank/*', 'bank/', true],
    ['bank/*', 'shop/1', false],
    ['a*b*c', 'aXbYbc', true],
    ['a*b*c', 'ac', false],
    ['ab*ba', 'aba', false],
    ['pay', 'pay_all', false],
    ['.*', 'x', false],
    ['**', 'x', true],
  ])('%s and %s: %s', (glob, value, expected) => {
    expect(matchesGlob(glob, value)).toBe(expected);
  });

  it('of a file are tried in their order, so that an exception stands before the rule', async () => {
    const gates = [
      { tool: 'pay_invoice', policy: null },
      { tool: '*', policy: { need: 2, approvers: ['alice', 'bob'] } },
    ];
    const journal = new Scene().start().turn().attempt().result({ policy: null }).journal();
    expect(recountGates(journal, await trustOf(trustText(gates))).gates).toEqual([]);
    const reversed = recountGates(journal, await trustOf(trustText(gates.toReversed())));
    expect(reversed.gates.map(({ claims }) => claims.outcome)).toEqual(['failed']);
  });
});

it('every catalogue entry speaks in whole sentences', () => {
  for (const entry of Object.values(catalogue.entries))
    for (const said of [entry.means, entry.matters, entry.causes, entry.remedy]) expect(said).toMatch(/[.]$/);
});
