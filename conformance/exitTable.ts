/**
 * The exit status table of `bide-audit` (`public.cli_exit_table` of `bide/audit-vectors.json`): for each case, in whose words it is named, the
 * command lines that it means and the files that they read.
 */
import { base64, decodeUtf8, unhex, utf8 } from '../src/bytes/encoding.ts';
import { importPrivateKey, isUnusable } from '../src/crypto/keys.ts';
import { sha256 } from '../src/crypto/sha256.ts';
import type { PrivateKey } from '../src/crypto/signature.ts';
import { proveRecord, treeOfJournal } from '../src/evidence/journalTree.ts';
import { convergenceName, policyDigest, policyName } from '../src/evidence/policies.ts';
import { produceRunCertificate } from '../src/evidence/runCertificate.ts';
import { proofShape, runCertificateShape } from '../src/evidence/shapes.ts';
import { readEntries } from '../src/journal/export.ts';
import { encode, type Shape } from '../src/json/shape.ts';
import { type HeadContent, headShape, signHead } from '../src/log/head.ts';
import { AFTER, type Checkers, type Files } from './bideMemory.ts';

/** The value at a path of the vectors. */
export type Pick = <T = string>(...path: readonly (string | number)[]) => T;

export interface ExitTable {
  readonly files: Files;
  readonly checkers: Checkers;
  /** `verb: case` to its command lines, words separated by single spaces. */
  readonly commands: Readonly<Record<string, readonly string[]>>;
}

/** Builds the table from the vectors. */
export async function exitTable(vector: Pick): Promise<ExitTable> {
  return { files: await filesOf(vector), checkers, commands: commandsOf(vector) };
}

const IDENTITY_POINT = `01${'00'.repeat(31)}`;

async function logKeyOf(vector: Pick): Promise<PrivateKey> {
  const key = await importPrivateKey('ed25519', unhex(vector('computed', 'keys', 'log', 'seed_hex')) as Uint8Array);
  if (isUnusable(key)) throw new Error(key.unusable);
  return key;
}

const text = <T>(shape: Shape<T>, value: T) => decodeUtf8(encode(shape, value)) as string;
const must = <T>(
  reading: { readonly ok: true; readonly value: T } | { readonly ok: false; readonly findings: unknown },
): T => {
  if (!reading.ok) throw new Error(JSON.stringify(reading.findings));
  return reading.value;
};

/** Another signature in the first head of a document. */
const flipped = (json: string) =>
  json.replace(/"signature":"(.)/, (_, first: string) => `"signature":"${first === 'A' ? 'B' : 'A'}`);
const flippedSeal = (json: string) => {
  const at = json.lastIndexOf('"signature":"') + '"signature":"'.length;
  return `${json.slice(0, at)}${json[at] === 'A' ? 'B' : 'A'}${json.slice(at + 1)}`;
};

/** A journal of governed calls under two policies, with everything certified. */
function twoPolicies(key: PrivateKey) {
  const salt = (i: number) => base64(sha256(utf8(`two-${i}`)));
  const policies = ['(doms 2 2)\n(ev (do (set 0 (lit 1))))\n', '(doms 3 3)\n(ev (do (set 1 (lit 2))))\n'];
  const records = ['{"name":"@journal","kind":"header","format":"bide.journal.v1-dev","salt":"S"}'];
  policies.forEach((policy, i) => {
    const digest = policyDigest(utf8(policy));
    records.push(
      `{"name":"${policyName(digest)}","kind":"value","result":{"digest":"${digest}","policy":${JSON.stringify(policy)}},"salt":"S"}`,
      `{"name":"${convergenceName(digest)}","kind":"value","result":{"digest":"${digest}","certificate":{"machine":"m","policy_digest":"${digest}","converges":true,"wfc":true,"cc":true,"max_repair_len":1,"pairs_total":1,"pairs_disjoint":0,"pairs_brute":1,"states":4,"compensation_free":false}},"salt":"S"}`,
      `{"name":"tool:c${i}","kind":"tool_result","tool_use_id":"c${i}","result":{"policy_digest":"${digest}"},"safety":{"idempotent":true},"salt":"S"}`,
    );
  });
  const { journal, findings } = readEntries(
    'two',
    records.map((record, i) => ({ data: utf8(record.replace('"S"', `"${salt(i)}"`)) })),
  );
  if (journal === undefined) throw new Error(JSON.stringify(findings));
  const of = treeOfJournal(journal);
  const head = signHead(
    { kind: 'journal', run_id: 'two', size: of.tree.size, root: of.tree.root(), timestamp_nanos: 5n },
    key,
  );
  const digests = policies.map((policy) => policyDigest(utf8(policy)));
  return {
    certificate: text(runCertificateShape, must(produceRunCertificate(of, head, new Set(digests), key, 5n))),
    digests,
  };
}

const checkers: Checkers = {
  agrees: () => ({ status: 0, output: 'converges\ncompensation_free=false\n' }),
  refuses: () => ({ status: 1, output: 'does not converge\n' }),
  breaks: () => ({ status: 7, output: 'internal error\n' }),
  first: (policy) => ({ status: policy.startsWith('(doms 2') ? 7 : 1, output: '' }),
  second: (policy) => ({ status: policy.startsWith('(doms 2') ? 1 : 7, output: '' }),
};

async function filesOf(vector: Pick): Promise<Files> {
  const key = await logKeyOf(vector);
  const DIGEST = vector('computed', 'governed_run', 'policy_digest_hex');
  const governed = (name: string) => vector('computed', 'governed_run', name);
  const { journal } = readEntries(
    'acme/order-42',
    vector<readonly { record_utf8: string }[]>('computed', 'journal', 'records').map(({ record_utf8 }) => ({
      data: utf8(record_utf8),
    })),
  );
  if (journal === undefined) throw new Error('no journal');
  const of = treeOfJournal(journal);
  const content: HeadContent = {
    kind: 'journal',
    run_id: 'acme/order-42',
    size: 7,
    root: of.tree.root(),
    timestamp_nanos: AFTER + 3_600_000_000_000n,
  };
  const future = signHead(content, key);
  const sth = vector('computed', 'head_size_7', 'json');
  const proof = vector('computed', 'proof_bundle_leaf_3');
  const votes = vector<readonly string[]>('computed', 'governed_run', 'quorum', 'vote_bundles_json');
  const certificate = governed('run_certificate_json');
  const shaped = readEntries('gov-1', [
    ...vector<readonly string[]>('computed', 'governed_run', 'records_utf8').map((record) => ({ data: utf8(record) })),
    {
      data: utf8(
        `{"name":"tool:leaf","kind":"tool_result","tool_use_id":"leaf","result":{"digest":"${DIGEST}","policy":"x"},"salt":"${base64(sha256(utf8('shaped')))}"}`,
      ),
    },
  ]).journal;
  if (shaped === undefined) throw new Error('no journal');
  const shapedTree = treeOfJournal(shaped);
  const shapedHead = signHead(
    { kind: 'journal', run_id: 'gov-1', size: 11, root: shapedTree.tree.root(), timestamp_nanos: 5n },
    key,
  );
  const two = twoPolicies(key);
  const keys = vector<Readonly<Record<string, string>>>('computed', 'approval_evidence', 'approver_keys');
  const absence = vector('computed', 'absence_tool_use', 'bundle_json');
  return {
    'journal.json': vector('computed', 'export'),
    'sth.json': sth,
    'future.json': text(headShape, future),
    'no-format.json': sth.replace('"format":"bide.audit.sth.v5",', ''),
    'v4.json': sth.replace('sth.v5', 'sth.v4'),
    'other-export.json': vector('computed', 'export').replace('export.v1', 'export.v2'),
    'bare.json': '["e30="]',
    'junk.json': 'not json',
    'proof.json': proof,
    'proof-flipped.json': flipped(proof),
    'proof-future.json': text(proofShape, must(proveRecord(of, 3, future))),
    'proof-v4-head.json': proof.replace('sth.v5', 'sth.v4'),
    'proof-v2.json': proof.replace('proof.v3', 'proof.v2'),
    'absence.json': absence,
    'absence-flipped.json': flipped(absence),
    'absence-other.json': absence.replaceAll('tooluse:', 'other:'),
    'absence-sth.json': vector('computed', 'absence_tool_use', 'head', 'json'),
    'policy.txt': governed('policy_utf8'),
    'action.json': governed('action_bundle_json'),
    'action-flipped.json': flipped(governed('action_bundle_json')),
    'policy.json': governed('policy_bundle_json'),
    'policy-flipped.json': flipped(governed('policy_bundle_json')),
    'shaped.json': text(proofShape, must(proveRecord(shapedTree, 10, shapedHead))),
    'shaped-action.json': text(proofShape, must(proveRecord(shapedTree, 5, shapedHead))),
    'convergence.json': governed('convergence_bundle_json'),
    'convergence-flipped.json': flipped(governed('convergence_bundle_json')),
    'tally.json': vector('computed', 'governed_run', 'quorum', 'tally_bundle_json'),
    'vote-a.json': votes[0] as string,
    'vote-b.json': votes[1] as string,
    'vote-c.json': votes[2] as string,
    'vote-flipped.json': flipped(votes[0] as string),
    'cert.json': certificate,
    'cert-flipped.json': flipped(certificate),
    'approved.txt': `# approved\n\n  ${DIGEST}  \n`,
    'cert-two.json': two.certificate,
    'approved-two.txt': two.digests.join('\n'),
    'evidence.json': vector('computed', 'evidence_package', 'json'),
    'evidence-flipped.json': flippedSeal(vector('computed', 'evidence_package', 'json')),
    'evidence-v4.json': vector('computed', 'evidence_package', 'json').replace('evidence.v5', 'evidence.v4'),
    'evidence-cert.json': vector('computed', 'evidence_package_with_run_certificate', 'json'),
    'evidence-cert-flipped.json': flippedSeal(vector('computed', 'evidence_package_with_run_certificate', 'json')),
    'approvals.json': vector('computed', 'approval_evidence', 'package', 'json'),
    'keys.json': JSON.stringify(keys),
    'keys-shared.json': JSON.stringify({ ...keys, outsider: keys['ops'] }),
    'keys-same.json': JSON.stringify({ ops: keys['ops'], finance: keys['ops'] }),
    'keys-weak.json': JSON.stringify({ ...keys, ops: IDENTITY_POINT }),
  };
}

function commandsOf(vector: Pick): ExitTable['commands'] {
  const KEY = vector('computed', 'keys', 'log', 'public_key_hex');
  const OTHER = vector('computed', 'keys', 'another log', 'public_key_text');
  const DIGEST = vector('computed', 'governed_run', 'policy_digest_hex');
  const ops = { journal: '-journal journal.json', sth: '-sth sth.json', key: `-pubkey ${KEY}` };
  const quorum = (votes = 'vote-a.json vote-b.json vote-c.json') =>
    `-name q -tally tally.json ${votes
      .split(' ')
      .map((vote) => `-vote ${vote}`)
      .join(' ')} ${ops.key}`;
  const approvals = '-evidence approvals.json -call toolu_09 -need 2 -approvers ops,finance -exclude-principal';

  return {
    '(command line): no verb': [''],
    '(command line): unknown verb': ['verify-everything'],
    '(command line): unknown top-level flag': ['-verbose verify'],
    '(command line): -version': ['-version', '--version', '-version -json'],
    '(command line): -version with a verb': ['-version verify'],
    'prove: genuine': [`prove ${ops.journal} ${ops.sth} -tool toolu_01`, `prove ${ops.journal} ${ops.sth} -index 0`],
    'prove: missing -sth': [`prove ${ops.journal} -tool toolu_01`],
    'prove: missing journal file': [`prove -journal gone.json ${ops.sth} -tool toolu_01`],
    'prove: journal not JSON': [`prove -journal junk.json ${ops.sth} -tool toolu_01`],
    'prove: no such tool call': [`prove ${ops.journal} ${ops.sth} -tool toolu_99`],
    'prove: head signed an hour in the future': [`prove ${ops.journal} -sth future.json -tool toolu_01`],
    'prove: future head beside a missing journal': ['prove -journal gone.json -sth future.json -tool toolu_01'],
    'prove: head with no format member': [`prove ${ops.journal} -sth no-format.json -tool toolu_01`],
    'prove: head of format bide.audit.sth.v4': [`prove ${ops.journal} -sth v4.json -tool toolu_01`],
    'prove: journal export of another format': [`prove -journal other-export.json ${ops.sth} -tool toolu_01`],
    'prove: bare JSON array of records instead of an export': [`prove -journal bare.json ${ops.sth} -tool toolu_01`],
    'verify: genuine': [`verify -bundle proof.json ${ops.key}`, `audit verify --bundle=proof.json ${ops.key}`],
    'verify: head signature flipped': [`verify -bundle proof-flipped.json ${ops.key}`],
    'verify: another key': [`verify -bundle proof.json -pubkey ${OTHER}`],
    'verify: identity point as the key': [`verify -bundle proof.json -pubkey ${IDENTITY_POINT}`],
    'verify: head signed in the future': [`verify -bundle proof-future.json ${ops.key}`],
    'verify: stray argument between flags': [`verify -bundle proof.json stray ${ops.key}`],
    'verify: -h': ['verify -h', 'verify --help'],
    'verify: missing bundle': [`verify -bundle gone.json ${ops.key}`],
    'verify: bundle not JSON': [`verify -bundle junk.json ${ops.key}`],
    'verify: absence bundle given as -bundle': [`verify -bundle absence.json ${ops.key}`],
    'verify: -max-input-bytes below the bundle size': [`verify -bundle proof.json ${ops.key} -max-input-bytes 100`],
    'verify: key neither hex nor an existing file': ['verify -bundle proof.json -pubkey nokey'],
    'verify: future head beside a missing key file': ['verify -bundle proof-future.json -pubkey nokey.txt'],
    'verify: key as ed25519:<hex>': [`verify -bundle proof.json -pubkey ed25519:${KEY}`],
    'verify: key text rsa-4096:<hex>': [`verify -bundle proof.json -pubkey rsa-4096:${KEY}`],
    'verify: nested head of format bide.audit.sth.v4': [`verify -bundle proof-v4-head.json ${ops.key}`],
    'verify: bide.audit.proof.v2 bundle': [`verify -bundle proof-v2.json ${ops.key}`],
    'verify-governance: digest matches': [`verify-governance -policy policy.txt -digest ${DIGEST}`],
    'verify-governance: digest mismatch': ['verify-governance -policy policy.txt -digest ff'],
    'verify-governance: missing policy file': ['verify-governance -policy gone.txt'],
    'verify-governance: no -policy': ['verify-governance'],
    'verify-governance: agreeing checker': ['verify-governance -policy policy.txt -checker agrees'],
    'verify-governance: checker exits 1': ['verify-governance -policy policy.txt -checker refuses'],
    'verify-governance: checker exits 7': ['verify-governance -policy policy.txt -checker breaks'],
    'verify-governance: digest mismatch beside a checker that exits 7': [
      'verify-governance -policy policy.txt -digest ff -checker breaks',
    ],
    'verify-governed-action: genuine': [
      `verify-governed-action -action action.json -policy-bundle policy.json ${ops.key}`,
    ],
    'verify-governed-action: no -pubkey': ['verify-governed-action -action action.json -policy-bundle policy.json'],
    'verify-governed-action: action tampered': [
      `verify-governed-action -action action-flipped.json -policy-bundle policy.json ${ops.key}`,
    ],
    'verify-governed-action: missing action': [
      `verify-governed-action -action gone.json -policy-bundle policy.json ${ops.key}`,
    ],
    'verify-governed-action: policy leaf given as the action': [
      `verify-governed-action -action policy.json -policy-bundle policy.json ${ops.key}`,
    ],
    'verify-governed-action: action given as the policy leaf': [
      `verify-governed-action -action action.json -policy-bundle action.json ${ops.key}`,
    ],
    'verify-governed-action: tool result shaped like a policy leaf given as the policy leaf': [
      `verify-governed-action -action shaped-action.json -policy-bundle shaped.json ${ops.key}`,
    ],
    'verify-governed-action: tampered action beside a missing policy': [
      `verify-governed-action -action action-flipped.json -policy-bundle gone.json ${ops.key}`,
    ],
    'verify-governed-action: agreeing checker': [
      `verify-governed-action -action action.json -policy-bundle policy.json ${ops.key} -checker agrees`,
    ],
    'verify-governed-action: checker gives no verdict': [
      `verify-governed-action -action action.json -policy-bundle policy.json ${ops.key} -checker breaks`,
    ],
    'verify-governed-action: missing action beside a broken checker': [
      `verify-governed-action -action gone.json -policy-bundle policy.json ${ops.key} -checker breaks`,
      `verify-governed-action -action gone.json -policy-bundle policy.json ${ops.key} -checker absent`,
    ],
    'verify-governed-action: missing action beside a non-convergent policy': [
      `verify-governed-action -action gone.json -policy-bundle policy.json ${ops.key} -checker refuses`,
    ],
    'verify-convergence: genuine': [
      `verify-convergence -cert-bundle convergence.json -policy-bundle policy.json ${ops.key}`,
    ],
    'verify-convergence: trailing argument': [
      `verify-convergence -cert-bundle convergence.json -policy-bundle policy.json ${ops.key} more`,
    ],
    'verify-convergence: certificate bundle tampered': [
      `verify-convergence -cert-bundle convergence-flipped.json -policy-bundle policy.json ${ops.key}`,
    ],
    'verify-convergence: policy leaf given as the certificate': [
      `verify-convergence -cert-bundle policy.json -policy-bundle policy.json ${ops.key}`,
    ],
    'verify-convergence: tampered policy beside a missing certificate': [
      `verify-convergence -cert-bundle gone.json -policy-bundle policy-flipped.json ${ops.key}`,
    ],
    'verify-convergence: agreeing checker': [
      `verify-convergence -cert-bundle convergence.json -policy-bundle policy.json ${ops.key} -checker agrees`,
    ],
    'verify-convergence: checker disagrees': [
      `verify-convergence -cert-bundle convergence.json -policy-bundle policy.json ${ops.key} -checker refuses`,
    ],
    'verify-convergence: checker gives no verdict': [
      `verify-convergence -cert-bundle convergence.json -policy-bundle policy.json ${ops.key} -checker breaks`,
    ],
    'verify-convergence: missing certificate beside a broken checker': [
      `verify-convergence -cert-bundle gone.json -policy-bundle policy.json ${ops.key} -checker breaks`,
    ],
    'verify-quorum: genuine': [`verify-quorum ${quorum()} -k 2`],
    'verify-quorum: vote tampered': [`verify-quorum ${quorum('vote-flipped.json vote-b.json vote-c.json')} -k 2`],
    "verify-quorum: another quorum's name": [`verify-quorum ${quorum().replace('-name q', '-name r')} -k 2`],
    'verify-quorum: k above the votes': [`verify-quorum ${quorum()} -k 3`],
    'verify-quorum: missing vote': [`verify-quorum ${quorum('gone.json vote-b.json vote-c.json')} -k 2`],
    'verify-quorum: no -k': [`verify-quorum ${quorum()}`],
    'verify-quorum: a vote given as the commit': [`verify-quorum ${quorum()} -k 2 -commit vote-a.json`],
    'verify-quorum: governed commit': [`verify-quorum ${quorum()} -k 2 -commit action.json`],
    'verify-quorum: tampered vote beside a missing vote': [
      `verify-quorum ${quorum('vote-flipped.json gone.json vote-c.json')} -k 2`,
    ],
    'verify-quorum: missing vote beside a tampered commit': [
      `verify-quorum ${quorum('gone.json vote-b.json vote-c.json')} -k 2 -commit action-flipped.json`,
    ],
    'verify-run: genuine, allowlist file': [`verify-run -cert cert.json ${ops.key} -approved-file approved.txt`],
    'verify-run: certificate head tampered': [
      `verify-run -cert cert-flipped.json ${ops.key} -approved-file approved.txt`,
    ],
    'verify-run: policy outside the allowlist': [`verify-run -cert cert.json ${ops.key} -approved ff`],
    'verify-run: no allowlist flag': [`verify-run -cert cert.json ${ops.key}`],
    'verify-run: missing certificate': [`verify-run -cert gone.json ${ops.key} -approved-file approved.txt`],
    'verify-run: proof bundle given as the certificate': [
      `verify-run -cert proof.json ${ops.key} -approved-file approved.txt`,
    ],
    'verify-run: missing allowlist file': [`verify-run -cert cert.json ${ops.key} -approved-file gone.txt`],
    'verify-run: tampered beside a missing allowlist file': [
      `verify-run -cert cert-flipped.json ${ops.key} -approved-file gone.txt`,
    ],
    'verify-run: agreeing checker': [
      `verify-run -cert cert.json ${ops.key} -approved-file approved.txt -checker agrees`,
    ],
    'verify-run: checker disagrees': [
      `verify-run -cert cert.json ${ops.key} -approved-file approved.txt -checker refuses`,
    ],
    'verify-run: checker gives no verdict': [
      `verify-run -cert cert.json ${ops.key} -approved-file approved.txt -checker breaks`,
    ],
    'verify-run: no verdict on one policy, disagreement on the other (either order)': [
      `verify-run -cert cert-two.json ${ops.key} -approved-file approved-two.txt -checker first`,
      `verify-run -cert cert-two.json ${ops.key} -approved-file approved-two.txt -checker second`,
    ],
    'verify-run: missing allowlist file beside a broken checker': [
      `verify-run -cert cert.json ${ops.key} -approved-file gone.txt -checker breaks`,
    ],
    'verify-run: missing allowlist file beside a disagreeing checker': [
      `verify-run -cert cert.json ${ops.key} -approved-file gone.txt -checker refuses`,
    ],
    'verify-evidence: genuine': [`verify-evidence -evidence evidence.json ${ops.key}`],
    'verify-evidence: seal flipped': [`verify-evidence -evidence evidence-flipped.json ${ops.key}`],
    'verify-evidence: missing package': [`verify-evidence -evidence gone.json ${ops.key}`],
    'verify-evidence: proof bundle given as the package': [`verify-evidence -evidence proof.json ${ops.key}`],
    'verify-evidence: package without a certificate, missing allowlist file': [
      `verify-evidence -evidence evidence.json ${ops.key} -approved-file gone.txt`,
    ],
    'verify-evidence: with a run certificate and its allowlist': [
      `verify-evidence -evidence evidence-cert.json ${ops.key} -approved ${DIGEST}`,
    ],
    'verify-evidence: run certificate policy outside the allowlist': [
      `verify-evidence -evidence evidence-cert.json ${ops.key} -approved ff`,
    ],
    'verify-evidence: run certificate beside a missing allowlist file': [
      `verify-evidence -evidence evidence-cert.json ${ops.key} -approved-file gone.txt`,
    ],
    'verify-evidence: tampered beside a missing allowlist file': [
      `verify-evidence -evidence evidence-cert-flipped.json ${ops.key} -approved-file gone.txt`,
    ],
    'verify-evidence: no -pubkey': ['verify-evidence -evidence evidence.json'],
    'verify-evidence: bide.audit.evidence.v4 package': [`verify-evidence -evidence evidence-v4.json ${ops.key}`],
    'verify-evidence: another key': [`verify-evidence -evidence evidence.json -pubkey ${OTHER}`],
    'verify-approvals: no gate for the call in the package': [
      `verify-approvals -evidence evidence.json ${ops.key} -call toolu_01 -need 2 -approvers ops,finance -approver-keys keys.json`,
    ],
    'verify-approvals: key file gives two ids one key, one outside the policy': [
      `verify-approvals ${approvals} ${ops.key} -approver-keys keys-shared.json`,
    ],
    'verify-approvals: no -need': [
      `verify-approvals -evidence approvals.json ${ops.key} -call toolu_09 -approvers ops,finance -approver-keys keys.json`,
    ],
    'verify-approvals: an approver listed twice in -approvers (files missing too)': [
      `verify-approvals -evidence gone.json ${ops.key} -call toolu_09 -need 2 -approvers ops,ops -approver-keys gone.json`,
    ],
    'verify-approvals: missing package': [
      `verify-approvals -evidence gone.json ${ops.key} -call toolu_09 -need 2 -approvers ops,finance -approver-keys keys.json`,
    ],
    'verify-approvals: approver keys not JSON': [`verify-approvals ${approvals} ${ops.key} -approver-keys junk.json`],
    'verify-approvals: small-order approver key': [
      `verify-approvals ${approvals} ${ops.key} -approver-keys keys-weak.json`,
    ],
    'verify-approvals: two policy approvers on one key': [
      `verify-approvals ${approvals} ${ops.key} -approver-keys keys-same.json`,
    ],
    'prove-absent: genuine': [`prove-absent ${ops.journal} -sth absence-sth.json -key tool:toolu_02`],
    'prove-absent: -key without tool: or policy:': [`prove-absent ${ops.journal} -sth absence-sth.json -key toolu_02`],
    'prove-absent: missing journal': ['prove-absent -journal gone.json -sth absence-sth.json -key tool:toolu_02'],
    'prove-absent: journal export of another format': [
      'prove-absent -journal other-export.json -sth absence-sth.json -key tool:toolu_02',
    ],
    'prove-absent: key that is present': [`prove-absent ${ops.journal} -sth absence-sth.json -key tool:toolu_01`],
    'prove-absent: policy key against a tool-use head': [
      `prove-absent ${ops.journal} -sth absence-sth.json -key policy:ff`,
    ],
    'verify-absent: genuine': [
      `verify-absent -bundle absence.json ${ops.key}`,
      `verify-absent -bundle absence.json ${ops.key} ${ops.journal}`,
    ],
    'verify-absent: head signature flipped': [`verify-absent -bundle absence-flipped.json ${ops.key}`],
    'verify-absent: proof bundle given as -bundle': [`verify-absent -bundle proof.json ${ops.key}`],
    'verify-absent: key of no known key set': [`verify-absent -bundle absence-other.json ${ops.key}`],
    'verify-absent: missing bundle': [`verify-absent -bundle gone.json ${ops.key}`],
    'verify-absent: unknown flag': [`verify-absent -bundle absence.json ${ops.key} -fast`],
  };
}
