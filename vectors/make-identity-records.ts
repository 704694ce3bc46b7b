/**
 * Writes vectors/identity/records.json: whole runs with a certificate-bound gate through `audit approvals`, a package, evidence files and `verify-identity`, with
 * the findings of approver-identity 20. The runs and the answers stand in `identity-scenes.ts` and here, written by hand.
 */
import { base64 } from '../src/bytes/encoding.ts';
import { formatPublicKey } from '../src/crypto/keys.ts';
import { approvalActions } from '../src/evidence/approvals.ts';
import { treeOfJournal } from '../src/evidence/journalTree.ts';
import { producePackage } from '../src/evidence/packageProducer.ts';
import { packageShape } from '../src/evidence/shapes.ts';
import { encodeExport } from '../src/journal/export.ts';
import { encode } from '../src/json/shape.ts';
import { headShape } from '../src/log/head.ts';
import { ica, RUN, root, stamp } from '../test/identity/bank.ts';
import {
  CALL,
  headOfScene,
  IDENTITIES,
  listed,
  logKey,
  makeRun,
  policyItem,
  type Run,
  trustOf,
} from '../test/identity/run.ts';
import { type IdentityScene, identityScenes } from './identity-scenes.ts';
import { writeCases } from './place.ts';

const AT = '14 13:00';
const named = (codes: readonly string[]) => codes.map((code) => `identity/${code}`).sort();
const encoded = (head: Run['head'] | Uint8Array) => (head instanceof Uint8Array ? head : encode(headShape, head));
const json = (bytes: Uint8Array): unknown => JSON.parse(new TextDecoder().decode(bytes));

function runCase({ name, status, codes, nobody, change, given }: IdentityScene) {
  const run = makeRun(change);
  const { trust, heads, archive, at } = typeof given === 'function' ? given(run) : given;
  return {
    name,
    op: 'audit/approvals',
    params: {
      journal_b64: base64(encodeExport(RUN, run.records)),
      trust: trust ?? trustOf(),
      heads_b64: (heads ?? [run.head]).map((head) => base64(encoded(head))),
      companions_b64: (archive ?? listed()).map(base64),
      at: stamp(at ?? AT),
    },
    answer: { status, codes: named(nobody === true ? codes : [...codes, 'decision-stands']) },
  };
}

/** The run as a package whose head is later than the one that the identity record names. */
function packageCase() {
  const { scene } = makeRun();
  const journal = scene.journal();
  const made = producePackage(treeOfJournal(journal), headOfScene(scene, scene.records.length, '12:10'), logKey, {
    actions: approvalActions(journal, CALL, true) ?? [],
  });
  if (!made.ok) throw new Error('this is no package');
  return {
    name: 'a package that does not hold the head of the record',
    op: 'audit/codes',
    params: {
      file_b64: base64(encode(packageShape, made.value)),
      trust: [JSON.stringify(trustOf())],
      companions: listed().map((der) => `base64:${base64(der)}`),
      at: stamp(AT),
    },
    answer: {
      status: 3,
      kind: 'package',
      codes: ['claim/undecided', ...named(['decision-stands', 'exec-time-unknown', 'head-missing'])],
    },
  };
}

const policy = {
  format: 'bide-audit.identity-policy.v1',
  policies: [policyItem()],
  canonicalisers: { 'email/v1': 'email-ascii/v1' },
  certificates: { anchors: [base64(root())], intermediates: [base64(ica())] },
  roster: [{ from: '2026-09-01T00:00:00Z', until: null, identities: IDENTITIES }],
  requesters: {},
  requester_mapping: false,
  tsa_anchors: [],
  tsa_default_accuracy: '0s',
  log_keys: [
    { id: 'log-1', key: formatPublicKey(logKey.publicKey), valid_from: '2026-01-01T00:00:00Z', valid_to: null },
  ],
};
const plain = makeRun();
const evidence = (records: Run['records'] = plain.records) => ({
  format: 'bide-audit.identity-evidence.v1',
  run_id: RUN,
  as_of: stamp(AT),
  journal: json(encodeExport(RUN, records)),
  heads: [json(encode(headShape, plain.head))],
  tokens: [],
  receipts: [],
  crls: listed().map(base64),
  ocsp: [],
});

const evidenceCase = (name: string, codes: readonly string[], change: object = {}) => ({
  name: `an evidence file: ${name}`,
  op: 'identity/evidence',
  params: { evidence: { ...evidence(), ...change } },
  answer: named(codes),
});

const verbCase = (
  name: string,
  status: number,
  codes: readonly string[],
  given: { readonly policy?: object; readonly records?: Run['records']; readonly args?: readonly string[] } = {},
) => ({
  name: `verify-identity: ${name}`,
  op: 'bide/codes',
  params: {
    verb: 'verify-identity',
    args: ['-policy', 'policy.json', '-evidence', 'evidence.json', ...(given.args ?? [])],
    files: {
      'policy.json': JSON.stringify({ ...policy, ...given.policy }),
      'evidence.json': JSON.stringify(evidence(given.records)),
    },
  },
  answer: { status, codes: named(codes) },
});

writeCases(
  'identity/records.json',
  'Whole runs with a certificate-bound gate (approver-identity 16 to 21): the exit status and the codes of the family identity.',
  [
    ...identityScenes.map(runCase),
    packageCase(),
    evidenceCase('a run with its head and lists', []),
    evidenceCase('a list that is none', ['evidence-file'], { crls: ['AAAA'] }),
    evidenceCase('a time that is none', ['evidence-file'], { as_of: 'today' }),
    evidenceCase('the evidence of another run', ['evidence-run'], { run_id: 'run-9' }),
    verbCase('the run with everything at hand', 0, ['now-final']),
    verbCase(
      'a policy file with a member that is not known',
      4,
      ['decision-open', 'policy-expected-missing', 'policy-file'],
      {
        policy: { extra: 1 },
      },
    ),
    verbCase('a call without a gate', 3, ['nothing-bound'], { args: ['-call', 'call-9'] }),
    verbCase('a gate that has not counted yet', 3, ['decision-open'], {
      records: plain.records.slice(0, plain.head.size),
    }),
  ],
);
