/**
 * The judge of certificate-bound decisions for the counting rule (approvals 4.8), and the audit of a run's certificate-bound gates around
 * the recount. Policies and rosters are chosen for each call by its tool and the time of its count.
 */
import type { GateAudit } from '../approval/audit.ts';
import { GateIndex } from '../approval/gateIndex.ts';
import type { CertificateAnswer, CertificateQuestion, DecisionJudge, Resolver } from '../approval/verifier.ts';
import type { Finding, Missing } from '../finding/finding.ts';
import type { Journal } from '../journal/record.ts';
import type { ReceiptVerifier } from '../log/anchor.ts';
import type { TreeHead } from '../log/head.ts';
import type { KeyRing } from '../log/keyRing.ts';
import type { Crl } from '../pki/crl.ts';
import type { OcspResponse } from '../pki/ocsp.ts';
import type { Instant } from '../time/instant.ts';
import { type GivenHead, type GivenTime, timeBounds, vetHeads } from './anchored.ts';
import { catalogue } from './catalogue.ts';
import { missingFor } from './explain.ts';
import { type Evidence, evaluate, type Gate, gateOf, resolverOf } from './gate.ts';
import { auditIdentity, type GateIdentity } from './gateAudit.ts';
import type { IdentityTrust } from './policyFile.ts';
import type { Readings } from './readings.ts';
import { type IdentityRecord, storedStatuses } from './records.ts';
import { statusArchive } from './statusLists.ts';

/** Everything at hand beside the journal. */
export interface Supplied {
  readonly trust: IdentityTrust;
  /** Keys of the log over time. */
  readonly ring: KeyRing;
  readonly heads: readonly GivenHead[];
  readonly times: readonly GivenTime[];
  readonly receipts: ReceiptVerifier;
  readonly crls: readonly Crl[];
  readonly ocsp: readonly OcspResponse[];
  readonly asOf: Instant;
  readonly readings: Readings;
  readonly bare: Resolver | undefined;
  /** The head under which proofs show every record, where the journal is a selection. */
  readonly proven?: TreeHead;
  /** Two policies for one call are a mistake of the file (18.1), and not two views of one fact. */
  readonly onePolicy?: boolean;
}

/** What the audit of a run's certificate-bound gates gives. */
export interface RunIdentity {
  readonly gates: readonly GateIdentity[];
  /** Findings that belong to no single gate. */
  readonly findings: readonly Finding[];
  readonly missing: readonly Missing[];
  /** Size of the largest head that covers records at hand; 0 without one. */
  readonly attested: number;
}

export class IdentityJudge implements DecisionJudge {
  readonly resolver: Resolver;
  readonly #index: GateIndex;
  readonly #evidence: Evidence;
  readonly #supplied: Supplied;
  readonly #gates = new Map<string, Gate>();

  constructor(journal: Journal, supplied: Supplied) {
    const { trust, ring, heads, times, receipts, asOf, readings, bare } = supplied;
    this.#index = new GateIndex(journal);
    this.#supplied = supplied;
    this.resolver = bare ?? (() => undefined);
    const vetted = vetHeads(heads, ring, journal, asOf, supplied.proven);
    const stored = storedStatuses(journal);
    const named = stored.filter(({ sha256, named: name }) => sha256 === name);
    const crls = [...supplied.crls, ...named.flatMap(({ crl }) => crl ?? [])];
    this.#evidence = {
      trust,
      heads: vetted,
      times: timeBounds(times, vetted.heads, {
        tsaAnchors: trust.tsaAnchors,
        tsaDefaultAccuracy: trust.tsaDefaultAccuracy,
        crls,
        receipts,
      }),
      archive: statusArchive(crls, [...supplied.ocsp, ...named.flatMap(({ ocsp }) => ocsp ?? [])]),
      stored,
      asOf,
      readings,
      bare,
    };
  }

  gate(call: string): Gate {
    const known = this.#gates.get(call);
    if (known !== undefined) return known;
    const gate = gateOf(this.#index, call, this.#evidence);
    this.#gates.set(call, gate);
    return gate;
  }

  /** The judge of one call; undefined where no policy of certificates applies to it. */
  forCall(call: string): DecisionJudge | undefined {
    const gate = this.gate(call);
    if (gate.policies.length === 0) return undefined;
    const { requesters } = this.#evidence.trust;
    return {
      resolver: resolverOf(gate, this.#evidence),
      judge: (question) => this.#answer(gate, question),
      ...(requesters.size === 0 ? {} : { identifierOf: (requester: string) => requesters.get(requester) }),
    };
  }

  judge(question: CertificateQuestion): CertificateAnswer {
    const judge = this.forCall(question.subject.call);
    return judge?.judge(question) ?? { verdict: 'not_evaluated', missing: 'a policy of certificates for this call' };
  }

  #answer(gate: Gate, { record }: CertificateQuestion): CertificateAnswer {
    const policy = gate.policies[0]?.policy;
    const evidence = this.#evidence;
    const audit =
      policy === undefined ? undefined : evaluate(gate, record, evidence, { mode: 'audit', at: evidence.asOf, policy });
    if (audit === undefined || policy === undefined)
      return { verdict: 'not_evaluated', missing: `the identity map at the time of the count` };
    const listed = gate.identity?.record.decisions?.some(({ step }) => step === record.name);
    if (audit.counts && audit.leaf !== undefined) {
      // What the gate did not count, because it could not know then what is known now, is no difference of the count.
      const then =
        listed === false ? evaluate(gate, record, evidence, { mode: 'live', at: gate.at, policy }) : undefined;
      if (then?.cause !== undefined && then.class === 'wait')
        return {
          verdict: 'does_not_count',
          reason: then.cause.reason,
          detail: `at the time of the count: ${then.cause.detail}`,
        };
      return {
        verdict: 'counts',
        keyHash: audit.leaf.publicKey.sha256,
        ...(audit.tier === undefined ? {} : { tier: audit.tier }),
        ...(audit.basis === undefined ? {} : { basis: audit.basis }),
      };
    }
    const { cause } = audit;
    if (cause !== undefined && (audit.class !== 'wait' || listed === false))
      return { verdict: 'does_not_count', reason: cause.reason, detail: cause.detail };
    const { approver, recordedAt } = record.record;
    const run = this.#index.journal.run;
    const [row] = missingFor(audit, policy, { approver, position: record.position, run, recordedAt }, 'count');
    return {
      verdict: 'not_evaluated',
      missing: row?.item ?? 'what decides it',
      ...(row === undefined ? {} : { who: row.who, from: row.from }),
    };
  }

  /** The certificate-bound gates of the run, held against their records (approver-identity 19), after the recount. */
  audit(counted: readonly GateAudit[]): RunIdentity {
    const gates = counted.flatMap((one) => {
      const gate = this.gate(one.call);
      return auditIdentity({ index: this.#index, gate, counted: one, evidence: this.#evidence }) ?? [];
    });
    return {
      gates,
      findings: [
        ...this.#evidence.heads.findings,
        ...this.#ambiguous(gates),
        ...this.#times(gates),
        ...lists(gates),
        ...this.#ignored(gates),
        ...versions(gates),
      ],
      missing: gates.flatMap(({ missing }) => missing),
      attested: Math.max(0, ...this.#evidence.heads.heads.filter(({ covers }) => covers).map(({ size }) => size)),
    };
  }

  #ambiguous(gates: readonly GateIdentity[]): readonly Finding[] {
    if (this.#supplied.onePolicy !== true) return [];
    return gates.flatMap(({ gate }) => {
      const [first, second] = gate.policies;
      if (first === undefined || second === undefined) return [];
      return [
        catalogue.find(
          'identity/policy-file',
          `two policies apply to ${JSON.stringify(gate.tool)} at the time of its count: ${first.id} and ${second.id}`,
          {
            where: { entry: gate.call },
          },
        ),
      ];
    });
  }

  #times(gates: readonly GateIdentity[]): readonly Finding[] {
    if (gates.length === 0) return [];
    return this.#evidence.times.invalid.map(({ evidence, headHash, cause }) =>
      catalogue.find('identity/token-invalid', `the token or receipt ${evidence} dates nothing: ${cause}`, {
        where: { part: evidence, ...(headHash === undefined ? {} : { entry: headHash }) },
      }),
    );
  }

  #ignored(gates: readonly GateIdentity[]): readonly Finding[] {
    if (gates.length === 0) return [];
    const used = new Set(
      gates.flatMap(({ decisions }) =>
        decisions.flatMap(({ audit }) => audit?.certificates.flatMap(({ responses }) => responses) ?? []),
      ),
    );
    return this.#evidence.archive.ocsp
      .filter(({ sha256 }) => !used.has(sha256))
      .map(({ sha256 }) =>
        catalogue.find(
          'identity/ocsp-ignored',
          `the status response ${sha256} says nothing about a certificate here that may be relied on`,
          {
            where: { part: sha256 },
          },
        ),
      );
  }
}

/** Each list that cannot be used, once. */
function lists(gates: readonly GateIdentity[]): readonly Finding[] {
  const causes = new Map(
    gates.flatMap(({ decisions }) =>
      decisions.flatMap(
        ({ audit }) =>
          audit?.certificates.flatMap(({ unusable }) => unusable.map(({ id, cause }) => [id, cause] as const)) ?? [],
      ),
    ),
  );
  return [...causes].map(([id, cause]) =>
    catalogue.find('identity/crl-unusable', `the list ${id} cannot be used: ${cause}`, { where: { part: id } }),
  );
}

/** 20, verifier-differs: one run, several programs. */
function versions(gates: readonly GateIdentity[]): readonly Finding[] {
  const builds = new Map<string, IdentityRecord>();
  for (const { gate } of gates) {
    const record = gate.identity?.record;
    if (record !== undefined)
      builds.set(
        [record.verifier, record.verifier_rev, record.godebug_declared, record.godebug_build].join(' '),
        record,
      );
  }
  if (builds.size < 2) return [];
  return [
    catalogue.find('identity/verifier-differs', `the gates of this run were counted by ${builds.size} builds`, {
      actual: [...builds.keys()].join('; '),
    }),
  ];
}
