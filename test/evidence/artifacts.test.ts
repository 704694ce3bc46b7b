import { beforeAll, describe, expect, it } from 'vitest';
import { decodeUtf8, hex, utf8 } from '../../src/bytes/encoding.ts';
import { sha256 } from '../../src/crypto/sha256.ts';
import type { PrivateKey, PublicKey } from '../../src/crypto/signature.ts';
import { checkAbsence } from '../../src/evidence/absence.ts';
import { checkCurrentGrant, proveCurrentGrant } from '../../src/evidence/currentGrant.ts';
import { checkEventUnderHead, durableEvents, proveEvent } from '../../src/evidence/events.ts';
import { checkGrantChain, grantBytes, grantDigest, numericAtMost, signGrant } from '../../src/evidence/grants.ts';
import { HeadChecker } from '../../src/evidence/heads.ts';
import { proveRecord, treeOfJournal } from '../../src/evidence/journalTree.ts';
import {
  keySetOf,
  projectionFindings,
  proveAbsent,
  signKeySetHead,
  TOOL_USE_KEYS,
  USED_POLICY_KEYS,
} from '../../src/evidence/keySets.ts';
import { outcomeClass } from '../../src/evidence/outcome.ts';
import { checkPackage, sealedBytes } from '../../src/evidence/package.ts';
import { producePackage } from '../../src/evidence/packageProducer.ts';
import { readArtifact } from '../../src/evidence/place.ts';
import { checkConvergence, checkGovernedAction, policyDigest } from '../../src/evidence/policies.ts';
import { checkQuorum } from '../../src/evidence/quorum.ts';
import { redactRecords } from '../../src/evidence/redaction.ts';
import { checkRunCertificate, produceRunCertificate } from '../../src/evidence/runCertificate.ts';
import {
  absenceShape,
  currentGrantShape,
  eventInclusionShape,
  packageShape,
  proofShape,
  runCertificateShape,
  signedGrantShape,
} from '../../src/evidence/shapes.ts';
import { encodeExport, readEntries, readExport } from '../../src/journal/export.ts';
import type { Journal } from '../../src/journal/record.ts';
import { decode, encode, type Shape } from '../../src/json/shape.ts';
import { headShape, type TreeHead } from '../../src/log/head.ts';
import { ringOf } from '../../src/log/keyRing.ts';
import { AFTER, logKey, privateKey, publicKey, vector } from './fixtures.ts';

let key: PrivateKey;
beforeAll(async () => {
  key = await logKey();
});

const heads = () => new HeadChecker({ ring: ringOf(key.publicKey), time: { now: AFTER } });

function read<T>(shape: Shape<T>, text: string): T {
  const result = readArtifact(shape, utf8(text));
  if (!result.ok) throw new Error(JSON.stringify(result.findings));
  return result.value;
}

function must<T>(
  reading: { readonly ok: true; readonly value: T } | { readonly ok: false; readonly findings: unknown },
): T {
  if (!reading.ok) throw new Error(JSON.stringify(reading.findings));
  return reading.value;
}

const text = <T>(shape: Shape<T>, value: T) => decodeUtf8(encode(shape, value)) as string;

function journalOf(run: string, records: readonly string[]): Journal {
  const reading = readEntries(
    run,
    records.map((record) => ({ data: utf8(record) })),
  );
  if (reading.journal === undefined) throw new Error(JSON.stringify(reading.findings));
  return reading.journal;
}

const order42 = () => {
  const { journal } = readExport(utf8(vector('computed', 'export')));
  if (journal === undefined) throw new Error('the export does not read');
  return treeOfJournal(journal);
};
const head7 = () => read(headShape, vector('computed', 'head_size_7', 'json'));
const head3 = () => read(headShape, vector('computed', 'head_size_3', 'json'));

describe('absence', () => {
  it('is produced and verified as in the vectors', () => {
    const json = vector('computed', 'absence_tool_use', 'bundle_json');
    const bundle = read(absenceShape, json);
    expect(checkAbsence(bundle, TOOL_USE_KEYS, heads())).toEqual({
      findings: [],
      authorship: 'verified',
      absence: 'verified',
    });
    const head = must(signKeySetHead(order42(), TOOL_USE_KEYS, key, 1767225607123456790n));
    expect(text(headShape, head)).toBe(vector('computed', 'absence_tool_use', 'head', 'json'));
    expect(text(absenceShape, must(proveAbsent(order42(), TOOL_USE_KEYS, 'tooluse:toolu_02', head)))).toBe(json);
    expect(projectionFindings(order42(), TOOL_USE_KEYS, head)).toEqual([]);
  });

  it('of an empty set needs no neighbour', () => {
    const json = vector('computed', 'absence_empty_set', 'bundle_json');
    const bundle = read(absenceShape, json);
    expect(checkAbsence(bundle, USED_POLICY_KEYS, heads()).findings).toEqual([]);
    const head = must(signKeySetHead(order42(), USED_POLICY_KEYS, key, 1767225607123456791n));
    expect(text(absenceShape, must(proveAbsent(order42(), USED_POLICY_KEYS, bundle.absence.key, head)))).toBe(json);
  });

  it('is refused for a key that is present, and for the head of another set', () => {
    const head = must(signKeySetHead(order42(), TOOL_USE_KEYS, key, 1n));
    const present = proveAbsent(order42(), TOOL_USE_KEYS, 'tooluse:toolu_01', head);
    expect(present.ok ? [] : present.findings.map((finding) => finding.code)).toEqual(['evidence/key-present']);
    const other = proveAbsent(order42(), USED_POLICY_KEYS, 'policy_used:x', head);
    expect(other.ok ? [] : other.findings.map((finding) => finding.code)).toEqual(['evidence/wrong-key-set']);
  });

  it('does not verify with a neighbour left out, equal or on the wrong side, a key of another set, or another kind of head', () => {
    const bundle = read(absenceShape, vector('computed', 'absence_tool_use', 'bundle_json'));
    const { absence } = bundle;
    const codes = (changed: typeof bundle) =>
      checkAbsence(changed, TOOL_USE_KEYS, heads()).findings.map((finding) => finding.code);
    expect(codes({ ...bundle, absence: { ...absence, left: null } })).toEqual(['evidence/not-absent']);
    expect(codes({ ...bundle, absence: { ...absence, key: 'tooluse:toolu_01' } })).toEqual(['evidence/not-absent']);
    expect(codes({ ...bundle, absence: { ...absence, left: null, right: absence.left } })).toEqual([
      'evidence/not-absent',
    ]);
    expect(codes({ ...bundle, absence: { ...absence, key: 'tooluze' } })).toContain('evidence/absent-key-prefix');
    expect(codes({ ...bundle, absence: { ...absence, size: 2 } })).toContain('evidence/proof-size');
    expect(codes({ ...bundle, run_id: 'other' })).toEqual(['evidence/head-run']);
    expect(checkAbsence(bundle, USED_POLICY_KEYS, heads()).absence).toBe('failed');
    expect(keySetOf('other:x')).toBeUndefined();
  });

  it('is shown dishonest by the journal when a key was left out of the set', () => {
    const of = order42();
    const hidden = must(signKeySetHead(of, { ...TOOL_USE_KEYS, project: () => [] }, key, 5n));
    expect(checkAbsence(must(proveAbsentWith(of, hidden)), TOOL_USE_KEYS, heads()).findings).toEqual([]);
    expect(projectionFindings(of, TOOL_USE_KEYS, hidden).map((finding) => finding.code)).toEqual([
      'evidence/projection',
    ]);
    function proveAbsentWith(tree: typeof of, head: TreeHead) {
      return proveAbsent(tree, { ...TOOL_USE_KEYS, project: () => [] }, 'tooluse:toolu_01', head);
    }
  });
});

describe('events', () => {
  const leaves = vector<
    readonly { leaf_data_after_tag_utf8: string; salt_hex: string; kind: string; leaf_hash_hex: string }[]
  >('computed', 'events', 'leaves');

  it('are projected from a journal with derived salts, as in the vectors', () => {
    const events = must(durableEvents(order42().journal));
    expect(events.map((event) => decodeUtf8(event.leafData.subarray('bide.audit.event-leaf.v3'.length + 1)))).toEqual(
      leaves.map((leaf) => leaf.leaf_data_after_tag_utf8),
    );
    expect(events.map((event) => hex(event.salt))).toEqual(leaves.map((leaf) => leaf.salt_hex));
  });

  it('are proven under a head of their stream', () => {
    const events = must(durableEvents(order42().journal));
    const head = read(headShape, vector('computed', 'events', 'head', 'json'));
    const json = vector('computed', 'events', 'inclusion_1_json');
    const proof = read(eventInclusionShape, json);
    const event = events[1] as (typeof events)[number];
    expect(
      text(
        eventInclusionShape,
        proveEvent(
          events.map((each) => each.leafData),
          1,
          event.salt,
        ),
      ),
    ).toBe(json);
    const where = { proof: {}, head: {} };
    expect(checkEventUnderHead(proof, event, head, heads(), where)).toEqual({
      findings: [],
      authorship: 'verified',
      inclusion: 'verified',
    });
    const other = events[0] as (typeof events)[number];
    expect(checkEventUnderHead(proof, other, head, heads(), where).inclusion).toBe('failed');
    expect(checkEventUnderHead(proof, event, head7(), heads(), where).findings.map((finding) => finding.code)).toEqual([
      'evidence/head-kind',
      'evidence/proof-size',
      'evidence/not-included',
    ]);
    expect(
      outcomeClass(checkEventUnderHead({ ...proof, salt: new Uint8Array(31) }, event, head, heads(), where).findings),
    ).toBe('malformed');
  });
});

describe('redaction', () => {
  it('keeps the root and every other proof, and refuses the redacted record and all projections', () => {
    const of = order42();
    const redacted = must(redactRecords(of.journal, [4], 1767300000000n));
    const file = encodeExport(of.journal.run, redacted.records);
    expect(decodeUtf8(file)).toBe(vector('computed', 'redaction', 'export_json'));
    const after = readExport(file).journal;
    if (after === undefined) throw new Error('does not read');
    const tree = treeOfJournal(after);
    expect(hex(tree.tree.root())).toBe(vector('computed', 'redaction', 'root_after_hex'));
    for (let i = 0; i < 7; i++) {
      const proof = proveRecord(tree, i, head7());
      if (i === 4) expect(proof.ok ? [] : proof.findings.map((finding) => finding.code)).toEqual(['evidence/redacted']);
      else expect(text(proofShape, must(proof))).toBe(text(proofShape, must(proveRecord(of, i, head7()))));
    }
    expect(durableEvents(after).ok).toBe(false);
    expect(signKeySetHead(tree, TOOL_USE_KEYS, key, 1n).ok).toBe(false);
  });

  it('is refused for the header, the end marker, what is not there, and a run that is not over', () => {
    const { journal } = order42();
    for (const position of [0, 6, 7]) expect(redactRecords(journal, [position], 1n).ok).toBe(false);
    expect(redactRecords({ ...journal, records: journal.records.slice(0, 6) }, [4], 1n).ok).toBe(false);
  });
});

describe('grants', () => {
  const rules = new Map([['limit', numericAtMost]]);
  const root = () => read(signedGrantShape, vector('computed', 'grants', 'root', 'signed_json'));
  const child = () => read(signedGrantShape, vector('computed', 'grants', 'child', 'signed_json'));
  let alice: PrivateKey;
  let agent: PrivateKey;
  let resolver: (name: string) => readonly PublicKey[];
  beforeAll(async () => {
    alice = await privateKey(vector('computed', 'keys', 'issuer alice', 'seed_hex'));
    agent = await privateKey(vector('computed', 'keys', 'issuer agent-1', 'seed_hex'));
    const keys = new Map([
      ['principal-alice', [alice.publicKey]],
      ['agent-1', [agent.publicKey]],
    ]);
    resolver = (name) => keys.get(name) ?? [];
  });

  it('have the bytes, digests and signatures of the vectors', () => {
    for (const [grant, name, issuer] of [
      [root(), 'root', alice],
      [child(), 'child', agent],
    ] as const) {
      expect(decodeUtf8(grantBytes(grant.grant))).toBe(vector('computed', 'grants', name, 'bytes_utf8'));
      expect(grantDigest(grant.grant)).toBe(vector('computed', 'grants', name, 'digest_hex'));
      expect(text(signedGrantShape, signGrant(grant.grant, issuer))).toBe(
        vector('computed', 'grants', name, 'signed_json'),
      );
    }
    expect(checkGrantChain([root(), child()], resolver, rules)).toEqual({
      findings: [],
      signatures: 'verified',
      attenuation: 'verified',
    });
  });

  it('of a chain narrow what is above them', () => {
    const made = (change: object) => signGrant({ ...child().grant, ...change }, agent);
    const scope = child().grant.scope as ReadonlyMap<string, string>;
    const codes = (grant: ReturnType<typeof made>) =>
      checkGrantChain([root(), grant], resolver, rules).findings.map((finding) => finding.where.pointer);
    expect(codes(made({ scope: new Map([...scope, ['limit', '1001']]) }))).toEqual(['/1/grant/scope']);
    expect(codes(made({ scope: new Map([['limit', '100']]) }))).toEqual(['/1/grant/scope']);
    expect(codes(made({ scope: new Map([...scope, ['more', 'x']]) }))).toEqual([]);
    expect(codes(made({ not_after_unix: 0n }))).toEqual(['/1/grant/not_after_unix']);
    expect(codes(made({ not_after_unix: 1798761601n }))).toEqual(['/1/grant/not_after_unix']);
    expect(codes(made({ issuer: 'principal-alice' }))).toEqual(['/1/sig', '/1/grant/issuer']);
    expect(codes(made({ issuer: 'mallory' }))).toEqual(['/1/grant/issuer', '/1/grant/issuer']);
    expect(codes(made({ parent_ref: '' }))).toEqual(['/1/grant/parent_ref']);
    expect(checkGrantChain([child()], resolver, rules).attenuation).toBe('failed');
    expect(checkGrantChain([], resolver, rules).findings.map((finding) => finding.code)).toEqual([
      'evidence/grant-chain-empty',
    ]);
  });

  it.each([
    ['10', '10', true],
    ['10', '11', false],
    ['10', '+9', true],
    ['-1', '-2', true],
    ['10', '1e0', false],
    ['10', '', false],
    ['9223372036854775808', '1', false],
    ['10', ' 9', false],
  ] as const)('compare numbers: %s allows %s: %s', (parent, value, allowed) => {
    expect(numericAtMost(parent, value)).toBe(allowed);
  });

  it('are current when they are the last of a ledger that continues the one last seen', () => {
    const ledger = treeOfJournal(journalOf('ledger/agent-1', vector('computed', 'current_grant', 'records_utf8')));
    const proof = read(currentGrantShape, vector('computed', 'current_grant', 'proof_json'));
    const grant = read(signedGrantShape, vector('computed', 'current_grant', 'signed_grant_json'));
    const lastSeen = read(headShape, vector('computed', 'current_grant', 'last_seen_head_json'));
    const superseded = read(signedGrantShape, vector('computed', 'current_grant', 'superseded_grant_json'));
    const inputs = { grant, ledger: 'ledger/agent-1', lastSeen };
    expect(checkCurrentGrant(proof, inputs, heads()).findings).toEqual([]);
    expect(checkCurrentGrant(proof, inputs, heads())).toMatchObject({
      current: 'verified',
      consistency: 'verified',
      inclusion: 'verified',
    });
    expect(text(currentGrantShape, must(proveCurrentGrant(ledger, proof.leaf.sth, lastSeen)))).toBe(
      vector('computed', 'current_grant', 'proof_json'),
    );
    const codes = (change: Partial<typeof inputs>, changed = proof) =>
      checkCurrentGrant(changed, { ...inputs, ...change }, heads()).findings.map((finding) => finding.code);
    expect(codes({ grant: superseded })).toEqual(['evidence/other-grant']);
    expect(codes({ ledger: 'other' })).toEqual(['evidence/ledger-run', 'evidence/head-run'].reverse());
    expect(codes({ lastSeen: head3() })).toContain('evidence/head-run');
    expect(codes({}, { ...proof, consistency: { ...proof.consistency, first: 0, path: null } })).toEqual([
      'evidence/proof-size',
    ]);
    expect(codes({ lastSeen: { ...lastSeen, format: 'bide.audit.sth.v4' } })).toEqual(['evidence/format']);
    const old = must(proveRecord(ledger, 1, proof.leaf.sth));
    expect(codes({ grant: superseded }, { ...proof, leaf: old })).toEqual(['evidence/superseded']);
  });
});

describe('a governed run', () => {
  const of = () => treeOfJournal(journalOf('gov-1', vector('computed', 'governed_run', 'records_utf8')));
  const digest = vector('computed', 'governed_run', 'policy_digest_hex');
  const approved = new Set([digest]);
  const certificate = () => read(runCertificateShape, vector('computed', 'governed_run', 'run_certificate_json'));
  const bundle = (name: string) => ({
    bundle: read(proofShape, vector('computed', 'governed_run', name)),
    where: { part: name },
  });

  it('names its policies by digest', () => {
    expect(policyDigest(utf8(vector('public', 'policy_digest', 'policies_utf8', 0)))).toBe(
      vector('public', 'policy_digest', 'digests_hex', 0),
    );
    expect(policyDigest(utf8(vector('computed', 'governed_run', 'policy_utf8')))).toBe(digest);
  });

  it('has a run certificate that verifies and is produced byte for byte', () => {
    const report = checkRunCertificate(certificate(), approved, heads());
    expect(report.findings).toEqual([]);
    expect(report).toMatchObject({
      authorship: 'verified',
      onlyApprovedPolicies: 'verified',
      convergenceCertified: 'verified',
    });
    const head = read(headShape, vector('computed', 'governed_run', 'head_json'));
    expect(
      text(runCertificateShape, must(produceRunCertificate(of(), head, approved, key, head.timestamp_nanos))),
    ).toBe(vector('computed', 'governed_run', 'run_certificate_json'));
  });

  it('has its certificate refused for each rule broken', () => {
    const given = certificate();
    const codes = (change: Partial<typeof given>, allow: ReadonlySet<string> | 'unknown' = approved) =>
      checkRunCertificate({ ...given, ...change }, allow, heads()).findings.map((finding) => finding.code);
    expect(codes({ properties: ['policies-convergence-certified', 'only-approved-policies'] })).toEqual([
      'evidence/certificate-properties',
    ]);
    expect(codes({}, new Set())).toEqual(['evidence/policy-not-approved']);
    expect(codes({}, 'unknown')).toEqual(['evidence/no-allowlist']);
    expect(codes({ used_policies: [] })).toEqual(['evidence/used-policies', 'evidence/certificate-entries']);
    expect(codes({ used_policies: [digest, digest] })).toEqual([
      'evidence/used-policies',
      'evidence/certificate-entries',
    ]);
    expect(codes({ run_id: 'x' })).toEqual(['evidence/head-run', 'evidence/head-run']);
    expect(codes({ used_policy_absence: given.sth })).toContain('evidence/head-kind');
    const [entry] = given.convergence ?? [];
    if (entry === undefined) throw new Error('no entry');
    expect(codes({ convergence: [{ ...entry, certificate: entry.policy_leaf }] })).toEqual(['evidence/wrong-role']);
    expect(codes({ convergence: [{ ...entry, digest: 'ff' }] })).toEqual([
      'evidence/other-policy',
      'evidence/wrong-role',
      'evidence/wrong-role',
    ]);
    expect(codes({ used_policy_absence: { ...given.used_policy_absence, format: '' } })).toEqual(['evidence/format']);
  });

  it('has a certificate that is refused when its sets come from another journal or were stamped first', () => {
    const given = certificate();
    const short = treeOfJournal({ ...of().journal, records: of().journal.records.slice(0, 9) });
    const absence = must(signKeySetHead(short, USED_POLICY_KEYS, key, given.sth.timestamp_nanos));
    expect(
      checkRunCertificate({ ...given, used_policy_absence: absence }, approved, heads()).findings.map(
        (finding) => finding.code,
      ),
    ).toEqual(['evidence/certificate-source']);
    const early = must(signKeySetHead(of(), USED_POLICY_KEYS, key, given.sth.timestamp_nanos - 1n));
    expect(
      checkRunCertificate({ ...given, used_policy_absence: early }, approved, heads()).findings.map(
        (finding) => finding.code,
      ),
    ).toEqual(['log/head-order']);
  });

  it('shows an action under its policy, and the policy certified, with and without a checker', () => {
    const [action, policy, convergence] = [
      bundle('action_bundle_json'),
      bundle('policy_bundle_json'),
      bundle('convergence_bundle_json'),
    ];
    expect(checkGovernedAction(action, policy, heads()).findings).toEqual([]);
    expect(checkConvergence(convergence, policy, heads())).toMatchObject({
      findings: [],
      notes: [/earlier form/, /no checker/].map((pattern) => expect.stringMatching(pattern)),
    });
    const answers = {
      yes: () => ({ verdict: 'converges' }) as const,
      no: () => ({ verdict: 'does-not-converge' }) as const,
      none: () => ({ verdict: 'none', reason: 'status 7' }) as const,
      free: () => ({ verdict: 'converges', compensationFree: true }) as const,
    };
    const classOf = (check: typeof checkConvergence, first: typeof action, answer: keyof typeof answers) =>
      outcomeClass(check(first, policy, heads(), answers[answer]).findings);
    expect(classOf(checkGovernedAction, action, 'yes')).toBe('verified');
    expect(classOf(checkGovernedAction, action, 'no')).toBe('not_verified');
    expect(classOf(checkGovernedAction, action, 'none')).toBe('no_verdict');
    expect(classOf(checkConvergence, convergence, 'yes')).toBe('verified');
    expect(classOf(checkConvergence, convergence, 'no')).toBe('not_verified');
    expect(classOf(checkConvergence, convergence, 'none')).toBe('no_verdict');
    expect(classOf(checkConvergence, convergence, 'free')).toBe('not_verified');
    expect(outcomeClass(checkGovernedAction(policy, action, heads()).findings)).toBe('malformed');
    expect(outcomeClass(checkConvergence(policy, policy, heads()).findings)).toBe('malformed');
  });

  it('has a quorum that is counted again', () => {
    const votes = vector<readonly string[]>('computed', 'governed_run', 'quorum', 'vote_bundles_json').map(
      (json, i) => ({ bundle: read(proofShape, json), where: { part: `vote ${i}` } }),
    );
    const tally = {
      bundle: read(proofShape, vector('computed', 'governed_run', 'quorum', 'tally_bundle_json')),
      where: { part: 'tally' },
    };
    const inputs = { name: 'q', k: 2, tally, votes };
    expect(checkQuorum(inputs, heads())).toMatchObject({
      findings: [],
      count: 'verified',
      inclusion: 'verified',
      authorship: 'verified',
      notes: [],
    });
    const codes = (change: Partial<typeof inputs> & { commit?: typeof tally }) =>
      checkQuorum({ ...inputs, ...change }, heads()).findings.map((finding) => finding.code);
    expect(codes({ k: 3 })).toEqual(['evidence/quorum-count']);
    expect(codes({ name: 'r' })).toEqual(Array(4).fill('evidence/other-quorum'));
    expect(codes({ votes: votes.slice(1) })).toEqual(['evidence/quorum-count', 'evidence/quorum-count']);
    expect(codes({ votes: [...votes, ...votes.slice(0, 1)] })).toEqual(['evidence/quorum-count']);
    expect(codes({ commit: bundle('action_bundle_json') })).toEqual([]);
    expect(codes({ commit: tally })).toEqual(['evidence/wrong-role']);
    expect(codes({ tally: bundle('action_bundle_json') })).toEqual(['evidence/wrong-role']);
  });
});

describe('an evidence package', () => {
  const approved = new Set([vector('computed', 'governed_run', 'policy_digest_hex')]);

  it.each([
    ['evidence_package', 'verified'],
    ['evidence_package_with_run_certificate', 'verified'],
    ['evidence_package_empty (must fail: proves nothing)', 'not_verified'],
  ] as const)('has the seal of the vectors: %s is %s', (name, expected) => {
    const json = vector('computed', name, 'json');
    const evidence = read(packageShape, json);
    expect(text(packageShape, evidence)).toBe(json);
    const sealed = sealedBytes(evidence);
    expect(sealed.length).toBe(vector<number>('computed', name, 'sealed_message_len'));
    expect(hex(sha256(sealed))).toBe(vector('computed', name, 'sealed_message_sha256_hex'));
    const report = checkPackage(evidence, approved, heads());
    expect(outcomeClass(report.findings)).toBe(expected);
    expect(report.authorship).toBe('verified');
    expect(report.items.every((item) => item.verdict === 'verified')).toBe(true);
  });

  it('is produced byte for byte', () => {
    const made = must(producePackage(order42(), head7(), key, { label: 'Q1 <refunds> & reversals', from: head3() }));
    expect(text(packageShape, made)).toBe(vector('computed', 'evidence_package', 'json'));
    const given = read(packageShape, vector('computed', 'evidence_package_with_run_certificate', 'json'));
    const of = treeOfJournal(journalOf('gov-1', vector('computed', 'governed_run', 'records_utf8')));
    const certificate = must(produceRunCertificate(of, given.sth, approved, key, given.sth.timestamp_nanos));
    expect(text(packageShape, must(producePackage(of, given.sth, key, { runCertificate: certificate })))).toBe(
      vector('computed', 'evidence_package_with_run_certificate', 'json'),
    );
  });

  it('verifies from an indented copy, and not after null became [] or a label changed', () => {
    const json = vector('computed', 'evidence_package_with_run_certificate', 'json');
    const spaced = json.replaceAll(',"', ',\n  "');
    expect(checkPackage(read(packageShape, spaced), approved, heads()).findings).toEqual([]);
    const codes = (changed: string) =>
      checkPackage(read(packageShape, changed), approved, heads()).findings.map((finding) => finding.code);
    const plain = vector('computed', 'evidence_package', 'json');
    expect(codes(plain.replace('refunds', 'refunDs'))).toEqual(['evidence/seal']);
    expect(codes(plain.replace('"label":"toolu_01"', '"label":"other"'))).toEqual([
      'evidence/seal',
      'evidence/action-label',
    ]);
    expect(codes(plain.replace('"from":{', '"from":{').replace('"first":3', '"first":0'))).toEqual([
      'evidence/seal',
      'evidence/proof-size',
      'evidence/not-consistent',
    ]);
    const empty = vector('computed', 'evidence_package_empty (must fail: proves nothing)', 'json');
    expect(
      codes(
        empty.replace('"actions":[]', '"actions":null').includes('"actions":null')
          ? empty.replace(/"actions":(\[\]|null)/, (_, was) => `"actions":${was === 'null' ? '[]' : 'null'}`)
          : empty,
      ),
    ).toEqual(['evidence/seal', 'evidence/package-empty']);
  });

  it('fails for a foreign key, a missing allowlist and a package of another run', async () => {
    const json = vector('computed', 'evidence_package', 'json');
    const other = await publicKey(vector('computed', 'keys', 'another log', 'public_key_text'));
    const report = checkPackage(read(packageShape, json), 'none', new HeadChecker({ ring: ringOf(other) }));
    expect(report.findings.map((finding) => finding.code)).toEqual([
      'evidence/package-key',
      'evidence/seal',
      'log/head-signature',
      'log/head-signature',
      'log/head-signature',
    ]);
    const certified = read(packageShape, vector('computed', 'evidence_package_with_run_certificate', 'json'));
    expect(checkPackage(certified, 'none', heads()).findings.map((finding) => finding.code)).toEqual([
      'evidence/no-allowlist',
    ]);
    expect(checkPackage(certified, 'unknown', heads()).findings.map((finding) => finding.class)).toEqual([
      'no_verdict',
    ]);
  });

  it('is refused whichever byte of it is changed', () => {
    const original = utf8(vector('computed', 'evidence_package', 'json'));
    const checker = heads();
    for (let at = 0; at < original.length; at++) {
      const bytes = original.slice();
      bytes[at] = (bytes[at] as number) ^ 1;
      const result = decode(packageShape, bytes);
      if (!result.ok) {
        expect(result.problems.every((problem) => problem.byte >= 0)).toBe(true);
        continue;
      }
      const findings = checkPackage(result.value, approved, checker).findings.filter(
        (finding) => finding.class !== 'none',
      );
      if (findings.length === 0) throw new Error(`byte ${at} changed and nothing was found`);
      expect(['not_verified', 'format', 'malformed']).toContain(outcomeClass(findings));
      expect(findings.every((finding) => finding.where.pointer !== undefined)).toBe(true);
    }
  });
});
