import { beforeAll, describe, expect, it } from 'vitest';
import { base64, decodeUtf8, utf8 } from '../../src/bytes/encoding.ts';
import { sha256 } from '../../src/crypto/sha256.ts';
import type { PrivateKey } from '../../src/crypto/signature.ts';
import { checkDelegation, delegationRecord } from '../../src/evidence/delegation.ts';
import { grantDigest, grantRecordName, grantResult, numericAtMost, signGrant } from '../../src/evidence/grants.ts';
import { HeadChecker } from '../../src/evidence/heads.ts';
import { proveRecord, treeOfJournal } from '../../src/evidence/journalTree.ts';
import type { Grant, SignedGrant } from '../../src/evidence/shapes.ts';
import { readEntries } from '../../src/journal/export.ts';
import { subRunId } from '../../src/journal/run-id.ts';
import { signHead } from '../../src/log/head.ts';
import { ringOf } from '../../src/log/keyRing.ts';
import { logKey, privateKey, vector } from './fixtures.ts';

let [log, alice, agent]: PrivateKey[] = [];
beforeAll(async () => {
  log = await logKey();
  alice = await privateKey(vector('computed', 'keys', 'issuer alice', 'seed_hex'));
  agent = await privateKey(vector('computed', 'keys', 'issuer agent-1', 'seed_hex'));
});

const HEADER = '{"name":"@journal","kind":"header","format":"bide.journal.v1-dev"}';
const UNGRANTED = '{"name":"audit:delegation:ungranted","kind":"value","result":{"ungranted":true}}';
const TURN = '{"name":"@llm/0","kind":"model","message":{"role":"assistant"},"usage":{}}';
const leaf = (grant: SignedGrant) =>
  `{"name":"${grantRecordName(grant.grant)}","kind":"value","result":${decodeUtf8(grantResult(grant))}}`;

function journal(run: string, records: readonly string[]) {
  const salted = records.map((record, i) => ({
    data: utf8(record.replace(/}$/, `,"salt":"${base64(sha256(utf8(`${run} ${i}`)))}"}`)),
  }));
  const { journal: read, findings } = readEntries(run, salted);
  if (read === undefined) throw new Error(JSON.stringify(findings));
  return read;
}

const grantOf = (change: Partial<Grant>): Grant => ({
  id: 'g',
  issuer: 'alice',
  subject: 'agent',
  scope: new Map([['limit', '100']]),
  not_after_unix: 0n,
  parent_ref: '',
  ...change,
});
const parentGrant = () => signGrant(grantOf({}), alice as PrivateKey);
const childGrant = (change: Partial<Grant> = {}) =>
  signGrant(
    grantOf({
      issuer: 'agent',
      subject: 'helper',
      scope: new Map([['limit', '10']]),
      parent_ref: grantDigest(parentGrant().grant),
      ...change,
    }),
    agent as PrivateKey,
  );

function bundle(run: string, grant: SignedGrant) {
  const of = treeOfJournal(journal(run, [HEADER, leaf(grant)]));
  const head = signHead(
    { kind: 'journal', run_id: run, size: 2, root: of.tree.root(), timestamp_nanos: 5n },
    log as PrivateKey,
  );
  const proof = proveRecord(of, 1, head);
  if (!proof.ok) throw new Error('not proven');
  return { bundle: proof.value, where: { part: run } };
}

function check(
  child: SignedGrant,
  { run = subRunId('run-1', 'call 7'), subAgent = 'helper', ring = ringOf((log as PrivateKey).publicKey) } = {},
) {
  const keys = new Map([
    ['alice', [(alice as PrivateKey).publicKey]],
    ['agent', [(agent as PrivateKey).publicKey]],
  ]);
  return checkDelegation(
    { parent: bundle('run-1', parentGrant()), child: bundle(run, child), toolUseId: 'call 7', subAgent, above: [] },
    (issuer) => keys.get(issuer) ?? [],
    new Map([['limit', numericAtMost]]),
    new HeadChecker({ ring }),
  );
}

describe('a delegation', () => {
  it('is shown by the leaves of both grants, each in its own run', () => {
    expect(check(childGrant())).toEqual({ findings: [], authorship: 'verified', delegation: 'verified' });
  });

  it('is not shown for another call, another sub-agent, or a grant that allows more', () => {
    const codes = (report: ReturnType<typeof check>) => [
      report.delegation,
      ...report.findings.map((finding) => finding.code),
    ];
    expect(codes(check(childGrant(), { run: 'run-1>other' }))).toEqual(['failed', 'evidence/delegation']);
    expect(codes(check(childGrant(), { subAgent: 'somebody' }))).toEqual(['failed', 'evidence/delegation']);
    expect(codes(check(childGrant({ scope: new Map([['limit', '101']]) })))).toEqual([
      'failed',
      'evidence/grant-attenuation',
    ]);
    expect(codes(check(childGrant({ parent_ref: '' })))).toEqual(['failed', 'evidence/grant-attenuation']);
    expect(check(childGrant(), { ring: [] }).authorship).toBe('undecided');
  });
});

describe('the record of a delegation in a sub-run', () => {
  const state = (...records: readonly string[]) => {
    const { state: found, findings } = delegationRecord(journal('r>c', [HEADER, ...records]));
    return [found, ...findings.map((finding) => finding.class)];
  };
  it('is one grant, or that there is none, before the first turn', () => {
    expect(state(leaf(childGrant()), TURN)).toEqual(['granted']);
    expect(state(UNGRANTED, TURN)).toEqual(['ungranted']);
    expect(state(TURN)).toEqual(['none']);
    expect(state(leaf(childGrant()), UNGRANTED)).toEqual(['granted', 'unusable']);
    expect(state(leaf(childGrant()), leaf(parentGrant()))).toEqual(['granted', 'unusable']);
    expect(state(TURN, leaf(childGrant()))).toEqual(['granted', 'unusable']);
    expect(state(UNGRANTED.replace('true', 'false'))).toEqual(['none', 'unusable']);
  });
});
