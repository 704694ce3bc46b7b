/**
 * What an auditor brings to judge certificate-bound approvers: policies with the gates and times that they apply to, certificates, the
 * identity map over time, requesters, time-stamp anchors (approver-identity 18.1). It stands in a policy file, or in the trust file: there
 * `certificate_policies` is the same object without `format`, and `anchors` and `rosters` add to it.
 */

import { matchesGlob } from '../approval/gatePatterns.ts';
import { unbase64, utf8 } from '../bytes/encoding.ts';
import { isUnusable, parsePublicKey } from '../crypto/keys.ts';
import type { Finding, Where } from '../finding/finding.ts';
import {
  boolean,
  findRepeatedNames,
  formatted,
  list,
  map,
  nullable,
  object,
  Place,
  type Shape,
  type ShapeProblem,
  string,
  type ValueOf,
} from '../json/shape.ts';
import type { JsonNode } from '../json/tree.ts';
import type { KeyRing, RingEntry } from '../log/keyRing.ts';
import { readStrictly } from '../log/read.ts';
import { type Certificate, parseCertificate } from '../pki/certificate.ts';
import { looksLikePem, readPem } from '../pki/read.ts';
import { parseDuration } from '../time/duration.ts';
import { type Instant, parseInstant } from '../time/instant.ts';
import type { Section, Trust } from '../trust/trust.ts';
import { CANONICALISER_NAMES, type Canonicaliser, canonicaliserOf } from './canonical.ts';
import { catalogue } from './catalogue.ts';
import { rosterDigest } from './digests.ts';
import { type IdentityPolicy, policyOf, policyProblems, policyShape } from './policy.ts';

const POLICY_FILE_FORMAT = 'bide-audit.identity-policy.v1';

const rosterShape = object({ from: string, until: string, identities: map(string) });
const MEMBERS = {
  policies: list(
    object({
      id: string,
      applies_from: string,
      applies_until: string,
      gates: list(object({ tool: string })),
      identity_required: boolean,
      require_final: boolean,
      approvers: map(string),
      policy: policyShape,
    }),
  ),
  canonicalisers: map(string),
  certificates: nullable(object({ anchors: list(string), intermediates: list(string) })),
  roster: list(rosterShape),
  requesters: map(string),
  requester_mapping: boolean,
  tsa_anchors: list(string),
  tsa_default_accuracy: string,
  log_keys: list(object({ id: string, key: string, valid_from: string, valid_to: string })),
};
const policyFileShape = formatted('identity policy', POLICY_FILE_FORMAT, MEMBERS);
const sectionShape = object(MEMBERS);

type Members = ValueOf<typeof sectionShape>;
type RosterItem = ValueOf<typeof rosterShape>;

/** A policy with what it applies to. */
export interface AppliedPolicy {
  readonly id: string;
  readonly from: Instant | undefined;
  /** Exclusive. */
  readonly until: Instant | undefined;
  readonly tools: readonly string[];
  readonly identityRequired: boolean;
  readonly requireFinal: boolean;
  /** Kinds of approvers; one that is not named signs with a bare key. */
  readonly approvers: ReadonlyMap<string, 'cert' | 'bare'>;
  readonly policy: IdentityPolicy;
}

/** The identity map in an interval. */
export interface Roster {
  readonly from: Instant | undefined;
  readonly until: Instant | undefined;
  readonly identities: ReadonlyMap<string, string>;
  readonly digest: string;
}

/** Everything that policy files and trust files say about certificate-bound approvers. */
export interface IdentityTrust {
  readonly policies: readonly AppliedPolicy[];
  readonly canonicalisers: ReadonlyMap<string, string>;
  readonly anchors: readonly Certificate[];
  readonly intermediates: readonly Certificate[];
  readonly rosters: readonly Roster[];
  readonly requesters: ReadonlyMap<string, string>;
  readonly requesterMapping: boolean;
  readonly tsaAnchors: readonly Certificate[];
  readonly tsaDefaultAccuracy: bigint;
  readonly logKeys: KeyRing;
}

export interface ReadIdentityTrust {
  readonly trust: IdentityTrust;
  /** Of class `unusable`: what is not understood is not judged under. */
  readonly findings: readonly Finding[];
}

/** Reads a policy file (18.1). */
export async function readPolicyFile(bytes: Uint8Array, part?: string): Promise<ReadIdentityTrust> {
  const where = part === undefined ? {} : { part };
  const read = readStrictly(policyFileShape, bytes, where);
  if (!read.ok)
    return {
      trust: EMPTY,
      findings: read.findings.map((finding) =>
        catalogue.find('identity/policy-file', finding.message, { where: finding.where }),
      ),
    };
  const builder = new Builder(where);
  builder.add(read.value);
  await builder.keys(read.value.log_keys ?? []);
  return builder.done();
}

/** Reads the sections of trust files. Undefined where none of them says anything about certificate-bound approvers. */
export function readIdentitySections(trust: Trust): ReadIdentityTrust | undefined {
  const policies = trust.sections.get('certificate_policies') ?? [];
  if (policies.length === 0) return undefined;
  const findings: Finding[] = [];
  const builders: Builder[] = [];
  const take = <T>(section: Section, shape: Shape<T>, use: (builder: Builder, value: T) => void): void => {
    const builder = builders.find(({ where }) => where.part === section.file) ?? new Builder({ part: section.file });
    if (!builders.includes(builder)) builders.push(builder);
    const value = readSection(section, shape, findings);
    if (value !== undefined) use(builder, value);
  };
  for (const section of policies) take(section, sectionShape, (builder, value) => builder.add(value));
  for (const section of trust.sections.get('rosters') ?? [])
    take(section, list(rosterShape), (builder, value) => builder.rosters(value ?? [], '/rosters'));
  for (const section of trust.sections.get('anchors') ?? []) {
    const builder = builders.find(({ where }) => where.part === section.file) ?? new Builder({ part: section.file });
    if (!builders.includes(builder)) builders.push(builder);
    builder.anchorTexts(anchorTexts(section.node), '/anchors');
  }
  const parts = builders.map((builder) => builder.done());
  return {
    trust: merge(parts.map((part) => part.trust)),
    findings: [...findings, ...parts.flatMap((part) => part.findings)],
  };
}

const EMPTY: IdentityTrust = {
  policies: [],
  canonicalisers: new Map(),
  anchors: [],
  intermediates: [],
  rosters: [],
  requesters: new Map(),
  requesterMapping: false,
  tsaAnchors: [],
  tsaDefaultAccuracy: 0n,
  logKeys: [],
};

const longer = (a: bigint, b: bigint): bigint => (b > a ? b : a);

function merge(parts: readonly IdentityTrust[]): IdentityTrust {
  return {
    policies: parts.flatMap(({ policies }) => policies),
    canonicalisers: new Map(parts.flatMap(({ canonicalisers }) => [...canonicalisers])),
    anchors: parts.flatMap(({ anchors }) => anchors),
    intermediates: parts.flatMap(({ intermediates }) => intermediates),
    rosters: parts.flatMap(({ rosters }) => rosters),
    requesters: new Map(parts.flatMap(({ requesters }) => [...requesters])),
    requesterMapping: parts.some(({ requesterMapping }) => requesterMapping),
    tsaAnchors: parts.flatMap(({ tsaAnchors }) => tsaAnchors),
    tsaDefaultAccuracy: parts.map(({ tsaDefaultAccuracy }) => tsaDefaultAccuracy).reduce(longer, 0n),
    logKeys: parts.flatMap(({ logKeys }) => logKeys),
  };
}

function readSection<T>({ node, bytes, file }: Section, shape: Shape<T>, findings: Finding[]): T | undefined {
  const problems: ShapeProblem[] = [];
  const place = new Place(bytes, problems);
  findRepeatedNames(node, place);
  const value = shape.read(node, place);
  for (const { message, pointer, byte } of problems)
    findings.push(catalogue.find('identity/policy-file', message, { where: { part: file, pointer, byte } }));
  return problems.length === 0 ? value : undefined;
}

/** Anchors of a trust file: texts, or objects with a text under `certificate`; anything else is reported by whoever owns the section. */
function anchorTexts(node: JsonNode): readonly string[] {
  const items = node.kind === 'array' ? node.items : [node];
  return items.flatMap((item) => {
    const text = item.kind === 'object' ? item.members.find(({ name }) => name === 'certificate')?.value : item;
    return text?.kind === 'string' ? [text.value] : [];
  });
}

/** Collects what one file says, and what is wrong with it. */
class Builder {
  readonly where: Where;
  readonly #findings: Finding[] = [];
  #trust: IdentityTrust = EMPTY;

  constructor(where: Where) {
    this.where = where;
  }

  done(): ReadIdentityTrust {
    return { trust: this.#trust, findings: this.#findings };
  }

  #refuse(message: string, pointer: string): void {
    this.#findings.push(catalogue.find('identity/policy-file', message, { where: { ...this.where, pointer } }));
  }

  add(members: Members): void {
    for (const [i, item] of (members.policies ?? []).entries()) this.#policy(item, `/policies/${i}`);
    for (const [name, ours] of members.canonicalisers ?? []) {
      if (canonicaliserOf(ours) === undefined)
        this.#refuse(`${JSON.stringify(ours)} is none of ${CANONICALISER_NAMES.join(', ')}`, `/canonicalisers/${name}`);
    }
    this.#trust = { ...this.#trust, canonicalisers: members.canonicalisers ?? new Map() };
    this.anchorTexts(members.certificates?.anchors ?? [], '/certificates/anchors');
    const intermediates = this.#certificates(members.certificates?.intermediates ?? [], '/certificates/intermediates');
    this.rosters(members.roster ?? [], '/roster');
    const accuracy = members.tsa_default_accuracy === '' ? 0n : parseDuration(members.tsa_default_accuracy);
    if (accuracy === undefined || accuracy < 0n)
      this.#refuse('the default accuracy is no duration of at least 0s', '/tsa_default_accuracy');
    this.#trust = {
      ...this.#trust,
      intermediates,
      requesters: members.requesters ?? new Map(),
      requesterMapping: members.requester_mapping,
      tsaAnchors: this.#certificates(members.tsa_anchors ?? [], '/tsa_anchors'),
      tsaDefaultAccuracy: accuracy ?? 0n,
    };
  }

  #policy(item: NonNullable<Members['policies']>[number], pointer: string): void {
    const problems = policyProblems(item.policy);
    for (const problem of problems) this.#refuse(problem, `${pointer}/policy`);
    const approvers = new Map<string, 'cert' | 'bare'>();
    for (const [approver, kind] of item.approvers ?? []) {
      if (kind === 'cert' || kind === 'bare') approvers.set(approver, kind);
      else
        this.#refuse(
          `an approver is "cert" or "bare", not ${JSON.stringify(kind)}`,
          `${pointer}/approvers/${approver}`,
        );
    }
    const interval = this.#interval(item.applies_from, item.applies_until, pointer);
    const tools = (item.gates ?? []).map(({ tool }) => tool);
    for (const tool of tools)
      if (tool === '' || tool.slice(0, -1).includes('*'))
        this.#refuse('a star stands only at the end of a tool', `${pointer}/gates`);
    if (item.id === '') this.#refuse('a policy has an id', `${pointer}/id`);
    if (problems.length > 0) return;
    const policy: AppliedPolicy = {
      id: item.id,
      ...interval,
      tools,
      identityRequired: item.identity_required,
      requireFinal: item.require_final,
      approvers,
      policy: policyOf(item.policy),
    };
    this.#trust = { ...this.#trust, policies: [...this.#trust.policies, policy] };
  }

  #interval(from: string, until: string, pointer: string): { from: Instant | undefined; until: Instant | undefined } {
    const [a, b] = [from, until].map((text) => (text === '' ? undefined : parseInstant(text)));
    if ((from !== '' && a === undefined) || (until !== '' && b === undefined))
      this.#refuse('an interval ends at what is no time', pointer);
    if (a !== undefined && b !== undefined && b <= a) this.#refuse('an interval ends before it begins', pointer);
    return { from: a, until: b };
  }

  rosters(items: readonly RosterItem[], pointer: string): void {
    const rosters = [...this.#trust.rosters];
    for (const [i, item] of items.entries()) {
      const at = `${pointer}/${i}`;
      const identities = item.identities ?? new Map<string, string>();
      const roster = { ...this.#interval(item.from, item.until, at), identities, digest: rosterDigest(identities) };
      if (rosters.some((other) => overlap(other, roster))) this.#refuse('two rosters are in force at one time', at);
      for (const [approver, identifier] of identities)
        if (!CANONICALISER_NAMES.some((name) => canonicaliserOf(name)?.(identifier) === identifier))
          this.#refuse(`the identifier of ${JSON.stringify(approver)} is not in canonical form`, `${at}/identities`);
      rosters.push(roster);
    }
    this.#trust = { ...this.#trust, rosters };
  }

  anchorTexts(texts: readonly string[], pointer: string): void {
    this.#trust = { ...this.#trust, anchors: [...this.#trust.anchors, ...this.#certificates(texts, pointer)] };
  }

  /** Certificates as base64 DER or PEM text. */
  #certificates(texts: readonly string[], pointer: string): readonly Certificate[] {
    return texts.flatMap((text, i) => {
      const bytes = utf8(text);
      const blocks = looksLikePem(bytes) ? readPem(bytes).value?.map(({ der }) => der) : [unbase64(text.trim())];
      return (blocks ?? [undefined]).flatMap((der) => {
        const certificate = der === undefined ? undefined : parseCertificate(der).value;
        if (certificate !== undefined) return [certificate];
        this.#refuse('this is no certificate as base64 DER or PEM', `${pointer}/${i}`);
        return [];
      });
    });
  }

  async keys(items: NonNullable<Members['log_keys']>): Promise<void> {
    const ring: RingEntry[] = [];
    for (const [i, item] of items.entries()) {
      const pointer = `/log_keys/${i}`;
      const key = await parsePublicKey(item.key);
      const { from, until: to } = this.#interval(item.valid_from, item.valid_to, pointer);
      if (isUnusable(key)) {
        this.#refuse(`the key cannot be used: ${key.unusable}`, pointer);
        continue;
      }
      const entry: RingEntry = {
        name: item.id,
        key,
        ...(from === undefined ? {} : { from }),
        ...(to === undefined ? {} : { to }),
      };
      // Both ends are in the interval, so that one instant in two intervals is an overlap.
      if (ring.some((other) => overlap({ from: other.from, until: other.to }, { from, until: to }, true)))
        this.#refuse('two log keys are in force at one time', pointer);
      ring.push(entry);
    }
    this.#trust = { ...this.#trust, logKeys: ring };
  }
}

interface Interval {
  readonly from: Instant | undefined;
  readonly until: Instant | undefined;
}

function overlap(a: Interval, b: Interval, closed = false): boolean {
  const before = (end: Instant | undefined, start: Instant | undefined) =>
    end !== undefined && start !== undefined && (closed ? end < start : end <= start);
  return !before(a.until, b.from) && !before(b.until, a.from);
}

const within = (at: Instant, { from, until }: Interval): boolean =>
  (from === undefined || from <= at) && (until === undefined || at < until);

/** The policies that apply to a call at a time, in the order given; the first decides. */
export function policiesFor(trust: IdentityTrust, tool: string, at: Instant): readonly AppliedPolicy[] {
  return trust.policies.filter((policy) => within(at, policy) && policy.tools.some((glob) => matchesGlob(glob, tool)));
}

/** The identity map in force. */
export function rosterAt(trust: IdentityTrust, at: Instant): Roster | undefined {
  return trust.rosters.find((roster) => within(at, roster));
}

/** The canonicaliser of a policy's name for it; a name of ours needs no mapping. */
export function canonicaliserFor(trust: IdentityTrust, policy: IdentityPolicy): Canonicaliser | undefined {
  return canonicaliserOf(trust.canonicalisers.get(policy.canonical) ?? policy.canonical);
}

/** Identifiers that more than one approver has. */
export function sharedIdentifiers(identities: ReadonlyMap<string, string>): ReadonlySet<string> {
  const seen = new Set<string>();
  const shared = new Set<string>();
  for (const identifier of identities.values()) (seen.has(identifier) ? shared : seen).add(identifier);
  return shared;
}
