/** Operations on artifacts: each is read from its text and checked under keys in their text form. */
import { statusOf } from '../../cmd/bide/session.ts';
import { readPolicy } from '../../src/approval/policy.ts';
import { keyVerifier, type Verifier } from '../../src/approval/verifier.ts';
import { hex, unbase64, unhex, utf8 } from '../../src/bytes/encoding.ts';
import { importPrivateKey, isUnusable, parsePublicKey } from '../../src/crypto/keys.ts';
import { sha256 } from '../../src/crypto/sha256.ts';
import type { PrivateKey, PublicKey } from '../../src/crypto/signature.ts';
import { checkAbsence } from '../../src/evidence/absence.ts';
import { approvalActions, checkApprovalEvidence } from '../../src/evidence/approvals.ts';
import { checkCurrentGrant, proveCurrentGrant } from '../../src/evidence/currentGrant.ts';
import { checkDelegation } from '../../src/evidence/delegation.ts';
import { checkEventUnderHead } from '../../src/evidence/events.ts';
import { FORMAT_TABLE } from '../../src/evidence/formats.ts';
import { checkGrantChain, expiryFindings, grantBytes, grantDigest, numericAtMost } from '../../src/evidence/grants.ts';
import { HeadChecker } from '../../src/evidence/heads.ts';
import { type JournalTree, proveRecord, treeOfJournal } from '../../src/evidence/journalTree.ts';
import { keySetOf, proveAbsent, signKeySetHead } from '../../src/evidence/keySets.ts';
import { outcomeClass } from '../../src/evidence/outcome.ts';
import { checkPackage, sealedBytes } from '../../src/evidence/package.ts';
import { producePackage } from '../../src/evidence/packageProducer.ts';
import { type Reading, readArtifact } from '../../src/evidence/place.ts';
import {
  type CheckerVerdict,
  certificateShape,
  checkConvergence,
  checkGovernedAction,
  policyDigest,
} from '../../src/evidence/policies.ts';
import { checkProof } from '../../src/evidence/proof.ts';
import { checkQuorum, tallyShape, voteShape } from '../../src/evidence/quorum.ts';
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
import type { Finding, FindingClass } from '../../src/finding/finding.ts';
import { encodeExport, readEntries } from '../../src/journal/export.ts';
import {
  bytes,
  check,
  decode,
  encode,
  integer,
  list,
  map,
  object,
  raw,
  type Shape,
  string,
} from '../../src/json/shape.ts';
import { headShape } from '../../src/log/head.ts';
import { ringOf } from '../../src/log/keyRing.ts';
import { leafHash } from '../../src/merkle/hash.ts';
import { parseInstant } from '../../src/time/instant.ts';
import { bide } from '../bideMemory.ts';
import { type ExitTable, exitTable, type Pick } from '../exitTable.ts';
import type { Json, Operation } from '../suite.ts';

type Params = Parameters<Operation>[0];

const text = (params: Params, name: string): string => String(params[name]);
const texts = (params: Params, name: string): readonly string[] =>
  (params[name] as readonly string[] | undefined) ?? [];

async function publicKey(value: string): Promise<PublicKey> {
  const key = await parsePublicKey(value);
  if (isUnusable(key)) throw new Error(key.unusable);
  return key;
}

async function privateKey(params: Params): Promise<PrivateKey> {
  const key = await importPrivateKey('ed25519', unhex(text(params, 'seed_hex')) as Uint8Array);
  if (isUnusable(key)) throw new Error(key.unusable);
  return key;
}

/** A checker of heads under `key`, with the timestamp rule where `now` (nanoseconds) is given; without `key`, nothing is authentic. */
async function heads(params: Params): Promise<HeadChecker> {
  return new HeadChecker({
    ring: params['key'] === undefined ? [] : ringOf(await publicKey(text(params, 'key'))),
    ...(params['now'] === undefined ? {} : { time: { now: BigInt(text(params, 'now')) } }),
  });
}

function answer(findings: readonly Finding[]): Json {
  const codes = findings.filter((finding) => finding.class !== 'none').map((finding) => finding.code);
  return { class: outcomeClass(findings), codes: [...new Set(codes)] };
}

function read<T>(shape: Shape<T>, value: string): T {
  const result = readArtifact(shape, utf8(value));
  if (!result.ok) throw new Unread(result.findings);
  return result.value;
}

class Unread extends Error {
  readonly findings: readonly Finding[];
  constructor(findings: readonly Finding[]) {
    super(findings[0]?.message ?? 'does not read');
    this.findings = findings;
  }
}

/** An operation whose inputs may not read: that is then its answer. */
function judged(operation: (params: Params) => Promise<readonly Finding[]>): Operation {
  return async (params) => {
    try {
      return answer(await operation(params));
    } catch (error) {
      if (error instanceof Unread) return answer(error.findings);
      throw error;
    }
  };
}

function journalOf(params: Params): JournalTree {
  const { journal, findings } = readEntries(
    text(params, 'run'),
    texts(params, 'records').map((record) => ({ data: utf8(record) })),
  );
  if (journal === undefined) throw new Error(findings[0]?.message ?? 'no journal');
  return treeOfJournal(journal);
}

function produced<T>(shape: Shape<T>, reading: Reading<T>): Json {
  if (!reading.ok) return answer(reading.findings);
  return { document: new TextDecoder().decode(encode(shape, reading.value)) };
}

const given = (params: Params, name: string) => ({
  bundle: read(proofShape, text(params, name)),
  where: { part: name },
});

function checker(params: Params): (() => CheckerVerdict) | undefined {
  switch (params['checker']) {
    case undefined:
      return undefined;
    case 'converges':
      return () => ({ verdict: 'converges' });
    case 'does-not-converge':
      return () => ({ verdict: 'does-not-converge' });
    default:
      return () => ({ verdict: 'none', reason: text(params, 'checker') });
  }
}

const SHAPES: ReadonlyMap<string, Shape<unknown>> = new Map<string, Shape<unknown>>([
  ['head', headShape],
  ['proof', proofShape],
  ['absence', absenceShape],
  ['event-inclusion', eventInclusionShape],
  ['current-grant', currentGrantShape],
  ['run-certificate', runCertificateShape],
  ['package', packageShape],
  ['signed-grant', signedGrantShape],
  ['tally', tallyShape],
  ['vote', voteShape],
  ['certificate', certificateShape],
] as const satisfies readonly (readonly [string, unknown])[]);

/** The type of `public.strict_json`. */
const STRICT = object({
  label: string,
  Kind: string,
  name: string,
  inner: object({ size: integer }),
  items: list(object({ size: integer })),
  raw,
  bytes,
  tags: map(string),
  when: check(string, (time) => (parseInstant(time) === undefined ? 'not an RFC 3339 time' : undefined)),
  nested: map(list(string)),
});

let table: Promise<ExitTable> | undefined;

export const operations: Readonly<Record<string, Operation>> = {
  'evidence/verify-proof': judged(
    async (params) => checkProof(read(proofShape, text(params, 'document')), await heads(params)).findings,
  ),

  'evidence/verify-absence': judged(async (params) => {
    const bundle = read(absenceShape, text(params, 'document'));
    const set = keySetOf(text(params, 'set'));
    if (set === undefined) throw new Error('no such set');
    return checkAbsence(bundle, set, await heads(params)).findings;
  }),

  'evidence/verify-event': judged(async (params) => {
    const content = { kind: text(params, 'kind'), event: utf8(text(params, 'event')) };
    const where = { proof: {}, head: { part: 'head' } };
    const proof = read(eventInclusionShape, text(params, 'document'));
    return checkEventUnderHead(proof, content, read(headShape, text(params, 'head')), await heads(params), where)
      .findings;
  }),

  'evidence/verify-grants': judged(async (params) => {
    const chain = read(list(signedGrantShape), text(params, 'document')) ?? [];
    const keys = new Map<string, PublicKey>();
    for (const [issuer, key] of Object.entries(params['issuers'] as Readonly<Record<string, string>>))
      keys.set(issuer, await publicKey(key));
    const rules = new Map(texts(params, 'rules').map((name) => [name, numericAtMost]));
    const report = checkGrantChain(chain, (issuer) => [keys.get(issuer)].flatMap((key) => key ?? []), rules);
    return [
      ...report.findings,
      ...(params['at'] === undefined ? [] : expiryFindings(chain, BigInt(text(params, 'at')))),
    ];
  }),
  'evidence/grant-bytes'(params) {
    const { grant } = read(signedGrantShape, text(params, 'document'));
    return { bytes_utf8: new TextDecoder().decode(grantBytes(grant)), digest_hex: grantDigest(grant) };
  },

  'evidence/verify-current-grant': judged(async (params) => {
    const proof = read(currentGrantShape, text(params, 'document'));
    const grant = read(signedGrantShape, text(params, 'grant'));
    const lastSeen = params['last_seen'] === undefined ? undefined : read(headShape, text(params, 'last_seen'));
    const inputs = { grant, ledger: text(params, 'ledger'), ...(lastSeen === undefined ? {} : { lastSeen }) };
    return checkCurrentGrant(proof, inputs, await heads(params)).findings;
  }),

  'evidence/verify-governed-action': judged(
    async (params) =>
      checkGovernedAction(given(params, 'action'), given(params, 'policy'), await heads(params), checker(params))
        .findings,
  ),
  'evidence/verify-convergence': judged(
    async (params) =>
      checkConvergence(given(params, 'certificate'), given(params, 'policy'), await heads(params), checker(params))
        .findings,
  ),

  'evidence/verify-run': judged(async (params) => {
    const approved = params['approved'] === undefined ? 'unknown' : new Set(texts(params, 'approved'));
    return checkRunCertificate(read(runCertificateShape, text(params, 'document')), approved, await heads(params))
      .findings;
  }),

  'evidence/verify-quorum': judged(async (params) => {
    const votes = texts(params, 'votes').map((vote, i) => ({
      bundle: read(proofShape, vote),
      where: { part: `vote ${i}` },
    }));
    const commit = params['commit'] === undefined ? {} : { commit: given(params, 'commit') };
    const inputs = {
      name: text(params, 'name'),
      k: Number(params['k']),
      tally: given(params, 'tally'),
      votes,
      ...commit,
    };
    return checkQuorum(inputs, await heads(params)).findings;
  }),

  'evidence/verify-package': judged(async (params) => {
    const approved = params['approved'] === undefined ? 'none' : new Set(texts(params, 'approved'));
    return checkPackage(read(packageShape, text(params, 'document')), approved, await heads(params)).findings;
  }),
  'evidence/seal'(params) {
    const sealed = sealedBytes(read(packageShape, text(params, 'document')));
    return { sha256_hex: hex(sha256(sealed)), length: sealed.length };
  },

  async 'evidence/verify-approvals'(params) {
    const evidence = read(packageShape, text(params, 'document'));
    const policy = readPolicy(utf8(text(params, 'policy')));
    if ('problem' in policy) throw new Error(policy.problem.message);
    const verifiers = new Map<string, Verifier | undefined>();
    for (const [approver, key] of Object.entries(params['approver_keys'] as Readonly<Record<string, string>>))
      verifiers.set(approver, keyVerifier([await publicKey(key)]));
    const report = checkPackage(evidence, 'none', await heads(params));
    const question = {
      call: text(params, 'call'),
      expected: { policy: policy.policy },
      resolver: (approver: string) => verifiers.get(approver),
    };
    const approval = checkApprovalEvidence(evidence, report.actions, question);
    return {
      package: outcomeClass(report.findings),
      ok: approval.ok,
      counted: [...(approval.audit?.count?.tally.approvedBy ?? [])],
      denied_by: [...(approval.audit?.count?.tally.deniedBy ?? [])],
      codes: [
        ...new Set(approval.findings.filter((finding) => finding.class !== 'none').map((finding) => finding.code)),
      ],
    };
  },

  /** Decoding and emitting again: the same text, or nothing where it does not read. */
  'evidence/round-trip'(params) {
    const shape = SHAPES.get(text(params, 'shape'));
    if (shape === undefined) throw new Error('no such shape');
    const decoded = decode(shape, utf8(text(params, 'document')));
    return decoded.ok ? { document: new TextDecoder().decode(encode(shape, decoded.value)) } : answer([]);
  },
  'evidence/reads'(params) {
    const shape = SHAPES.get(text(params, 'shape'));
    if (shape === undefined) throw new Error('no such shape');
    return decode(shape, utf8(text(params, 'document'))).ok;
  },
  'evidence/strict-json': (params) => decode(STRICT, unbase64(text(params, 'document_b64')) as Uint8Array).ok,
  'evidence/leaf-hash': (params) => hex(leafHash(unbase64(text(params, 'data_b64')) as Uint8Array)),
  'evidence/format': (params) =>
    FORMAT_TABLE.find((row) => row.artifact.endsWith(text(params, 'artifact')))?.tag ?? null,
  'evidence/policy-digest': (params) => policyDigest(utf8(text(params, 'policy'))),

  'evidence/produce-proof': (params) =>
    produced(
      proofShape,
      proveRecord(journalOf(params), Number(params['index']), read(headShape, text(params, 'head'))),
    ),
  'evidence/produce-absence'(params) {
    const set = keySetOf(text(params, 'absent'));
    if (set === undefined) throw new Error('no such set');
    return produced(
      absenceShape,
      proveAbsent(journalOf(params), set, text(params, 'absent'), read(headShape, text(params, 'head'))),
    );
  },
  async 'evidence/sign-key-set'(params) {
    const set = keySetOf(text(params, 'set'));
    if (set === undefined) throw new Error('no such set');
    return produced(
      headShape,
      signKeySetHead(journalOf(params), set, await privateKey(params), BigInt(text(params, 'time'))),
    );
  },
  'evidence/produce-current-grant': (params) =>
    produced(
      currentGrantShape,
      proveCurrentGrant(
        journalOf(params),
        read(headShape, text(params, 'head')),
        read(headShape, text(params, 'last_seen')),
      ),
    ),
  async 'evidence/produce-run'(params) {
    const head = read(headShape, text(params, 'head'));
    const approved = new Set(texts(params, 'approved'));
    return produced(
      runCertificateShape,
      produceRunCertificate(journalOf(params), head, approved, await privateKey(params), head.timestamp_nanos),
    );
  },
  async 'evidence/produce-package'(params) {
    const of = journalOf(params);
    const actions =
      params['approvals'] === undefined ? undefined : approvalActions(of.journal, text(params, 'approvals'));
    return produced(
      packageShape,
      producePackage(of, read(headShape, text(params, 'head')), await privateKey(params), {
        ...(params['label'] === undefined ? {} : { label: text(params, 'label') }),
        ...(params['from'] === undefined ? {} : { from: read(headShape, text(params, 'from')) }),
        ...(actions === undefined ? {} : { actions }),
      }),
    );
  },
  'evidence/redact'(params) {
    const { journal } = journalOf(params);
    const made = redactRecords(journal, params['positions'] as readonly number[], BigInt(text(params, 'at_ms')));
    if (!made.ok) return answer(made.findings);
    return { document: new TextDecoder().decode(encodeExport(journal.run, made.value.records)) };
  },

  /** A delegation from the leaves of both grants, the parent's being the root (audit spec 4.7). */
  async 'evidence/verify-delegation'(params) {
    const keys = new Map<string, readonly PublicKey[]>();
    for (const [issuer, key] of Object.entries((params['issuers'] ?? {}) as Readonly<Record<string, string>>))
      keys.set(issuer, [await publicKey(key)]);
    const given = (name: string) => ({ bundle: read(proofShape, text(params, name)), where: { part: name } });
    const report = checkDelegation(
      {
        parent: given('parent'),
        child: given('child'),
        toolUseId: text(params, 'call'),
        subAgent: text(params, 'sub_agent'),
        above: [],
      },
      (issuer) => keys.get(issuer) ?? [],
      new Map([['limit', numericAtMost]]),
      await heads(params),
    );
    return { delegation: report.delegation, codes: report.findings.map(({ code }) => code) };
  },

  /** The status that classes of findings give together. */
  'bide/precedence': (params) => statusOf(texts(params, 'classes') as readonly FindingClass[]),
  /** The statuses of the command lines that a case of the exit table means. */
  async 'bide/exit'(params) {
    table ??= exitTable(pickFrom(params['vectors']));
    const { commands, files, checkers } = await table;
    const statuses: number[] = [];
    for (const command of commands[text(params, 'case')] ?? [])
      statuses.push((await bide(command === '' ? [] : command.split(' '), files, { checkers })).status);
    return [...new Set(statuses)];
  },
};

function pickFrom(root: unknown): Pick {
  return <T>(...path: readonly (string | number)[]): T => {
    let value = root;
    for (const step of path) value = (value as Readonly<Record<string | number, unknown>>)[step];
    return value as T;
  };
}
