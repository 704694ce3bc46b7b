/** `verify-identity`: the certificate-bound gates of a run under a policy file (approver-identity 18, 19, 21). */
import { auditGate } from '../../../src/approval/audit.ts';
import { GateIndex } from '../../../src/approval/gateIndex.ts';
import { Unreadable } from '../../../src/host/files.ts';
import { catalogue as identityCatalogue } from '../../../src/identity/catalogue.ts';
import { type IdentityEvidence, latestTime, readEvidenceFile } from '../../../src/identity/evidenceFile.ts';
import type { GateIdentity } from '../../../src/identity/gateAudit.ts';
import { IdentityJudge } from '../../../src/identity/judge.ts';
import { readPolicyFile } from '../../../src/identity/policyFile.ts';
import { DEFAULT_READINGS, type Readings, readReadings } from '../../../src/identity/readings.ts';
import { identityReport } from '../../../src/identity/report.ts';
import { anchorReceiptVerifier } from '../../../src/log/anchor.ts';
import { type Crl, parseCrl } from '../../../src/pki/crl.ts';
import { looksLikePem, readPem } from '../../../src/pki/read.ts';
import { parseInstant } from '../../../src/time/instant.ts';
import { catalogue as inputCatalogue } from '../../../src/verify/catalogue.ts';
import type { Flags } from '../flags.ts';
import { Inputs } from '../inputs.ts';
import type { BideIo } from '../io.ts';
import type { Session } from '../session.ts';
import type { Verb } from '../verb.ts';

export const verifyIdentityVerb: Verb = {
  name: 'verify-identity',
  summary: 'Checks the certificate-bound gates of a run: whose decisions were counted, and how firmly that is known.',
  flags: {
    policy: { kind: 'string', help: 'the policy file', required: true },
    evidence: { kind: 'string', help: 'the evidence file', required: true },
    crls: { kind: 'string', help: 'a folder of more CRLs, DER or PEM' },
    call: { kind: 'list', help: 'only the gate of this call; may be repeated' },
    now: { kind: 'string', help: 'the instant to judge by, RFC 3339' },
    reading: { kind: 'list', help: 'another reading of an open point, name=value; may be repeated' },
    strict: { kind: 'bool', help: 'a warning fails the gate too' },
  },
  usage(flags) {
    if (flags.has('now') && parseInstant(flags.text('now')) === undefined) return '-now is an RFC 3339 time';
    const readings = readReadings(flags.list('reading'));
    return 'problem' in readings ? readings.problem : undefined;
  },
  async run(flags, session, io) {
    const inputs = new Inputs(flags, session, io);
    const [policyBytes, bytes] = [inputs.bytes(flags.text('policy')), inputs.bytes(flags.text('evidence'))];
    const policy = policyBytes === undefined ? undefined : await readPolicyFile(policyBytes, flags.text('policy'));
    const evidence = bytes === undefined ? undefined : readEvidenceFile(bytes, flags.text('evidence'));
    session.take(policy?.findings ?? []);
    session.take(evidence?.findings ?? []);
    const more = flags.has('crls') ? listsOf(flags.text('crls'), inputs, session, io) : [];
    if (policy === undefined || evidence?.journal === undefined) return;
    const readings = readReadings(flags.list('reading'));
    const asOf = parseInstant(flags.text('now')) ?? evidence.asOf ?? latestTime(evidence);
    const used = 'problem' in readings ? DEFAULT_READINGS : readings;
    judgeRun({ ...evidence, crls: [...evidence.crls, ...more] }, policy.trust, asOf, used, flags, session);
  },
};

function judgeRun(
  evidence: IdentityEvidence,
  trust: Awaited<ReturnType<typeof readPolicyFile>>['trust'],
  asOf: bigint,
  readings: Readings,
  flags: Flags,
  session: Session,
): void {
  const { journal } = evidence;
  if (journal === undefined) return;
  const { heads, times, crls, ocsp } = evidence;
  const judge = new IdentityJudge(journal, {
    trust,
    ring: trust.logKeys,
    heads,
    times,
    receipts: anchorReceiptVerifier([]),
    crls,
    ocsp,
    asOf,
    readings,
    bare: undefined,
    onePolicy: true,
  });
  const index = new GateIndex(journal);
  const wanted = flags.list('call');
  const calls = [...index.calls].filter((call) => wanted.length === 0 || wanted.includes(call));
  const counted = calls.map((call) =>
    auditGate({ index, call, expected: undefined, resolver: undefined, judge: judge.forCall(call), whole: true }),
  );
  const run = judge.audit(counted);
  session.report = identityReport(journal.run, asOf, run, readings);
  session.take(run.findings);
  for (const gate of run.gates) {
    // The policy of the gate itself is not what this verb is given; that the count is another one is a failure all the same.
    const count = counted.find(({ call }) => call === gate.gate.call)?.findings ?? [];
    const findings = [...gate.findings, ...count.filter(({ code }) => code === 'approval/count-differs')];
    session.take(
      flags.bool('strict')
        ? findings.map((finding) =>
            finding.class === 'none' && finding.severity === 'warning'
              ? { ...finding, class: 'not_verified' as const, severity: 'error' as const }
              : finding,
          )
        : findings,
    );
    if (gate.gate.outcome === undefined && gate.verdict !== 'failed')
      session.take([identityCatalogue.find('identity/decision-open', `${gate.gate.call} has no count yet`)]);
    describe(gate, session);
  }
  for (const call of wanted) {
    if (run.gates.some(({ gate }) => gate.call === call)) continue;
    session.take([identityCatalogue.find('identity/nothing-bound', `the call ${call} has no certificate-bound gate`)]);
  }
  if (run.gates.length === 0 && wanted.length === 0)
    session.take([identityCatalogue.find('identity/nothing-bound', 'the run has no certificate-bound gate')]);
}

function describe({ gate, verdict, tierFloor, decisions, missing }: GateIdentity, session: Session): void {
  for (const { approver, audit } of decisions) {
    if (audit?.counts === true) session.item('PASS', `${gate.call}: ${approver} is ${audit.identifier}, ${audit.tier}`);
    else
      session.item(
        'INFO',
        `${gate.call}: ${approver} is not shown${audit?.cause === undefined ? '' : `: ${audit.cause.detail}`}`,
      );
  }
  for (const { item, who, from } of missing)
    session.note(`missing: ${item}; from ${who}${from === null ? '' : `, from ${from} on`}`);
  if (verdict === 'verified')
    session.ok(`${gate.call} is verified${tierFloor === undefined ? '' : `, ${tierFloor} at least`}`);
}

/** The CRLs of a folder; a file that is none is listed. */
function listsOf(folder: string, inputs: Inputs, session: Session, io: BideIo): readonly Crl[] {
  let paths: readonly string[];
  try {
    paths = io.folder(folder);
  } catch (error) {
    if (!(error instanceof Unreadable)) throw error;
    session.take([inputCatalogue.find('input/unreadable', error.message, { where: { part: folder } })]);
    return [];
  }
  return paths.flatMap((path) => {
    const bytes = inputs.bytes(path);
    if (bytes === undefined) return [];
    const blocks = looksLikePem(bytes) ? (readPem(bytes).value?.map(({ der }) => der) ?? []) : [bytes];
    const crls = blocks.flatMap((der) => parseCrl(der).value ?? []);
    if (crls.length === 0) session.note(`${path} is no CRL in DER or PEM, and is left out`);
    return crls;
  });
}
