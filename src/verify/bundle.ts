/**
 * Kind `bundle`: the one file for a regulator (docs/spec/bundle.md). Who made it, whether it holds what its maker put in, whether the report
 * inside follows from the files beside it, and everything that the files inside are worth under the trust of whoever verifies. The trust
 * file inside is the maker's: it serves to make the report again, and is trusted for nothing else.
 */

import { catalogue } from '../bundle/catalogue.ts';
import { dsseKeyId, readEnvelope, signersOf } from '../bundle/dsse.ts';
import { type Manifest, placeOf, roleOf } from '../bundle/manifest.ts';
import { type Bundle, contentFindings, readBundle } from '../bundle/read.ts';
import { readmeText } from '../bundle/readme.ts';
import { reportStatement } from '../bundle/reportPredicate.ts';
import { sha256Hex } from '../bundle/statement.ts';
import { equalBytes, utf8 } from '../bytes/encoding.ts';
import { readAll } from '../bytes/source.ts';
import { readKeyDer, readPem } from '../crypto/pem.ts';
import type { PublicKey } from '../crypto/signature.ts';
import { type Claim, type Finding, type Missing, mergeVerdicts, type Verdict } from '../finding/finding.ts';
import { formatInstant } from '../time/instant.ts';
import { keysFor } from '../trust/trust.ts';
import { claimOf, unreadOutcome, wholeInput } from './artifact.ts';
import { type InsideFile, lifted, optionsInside, reportInside, shortName, verifyInside } from './bundleRun.ts';
import { catalogue as road } from './catalogue.ts';
import { type HeadTime, stampedTime } from './headTime.ts';
import type { KindVerifier, Outcome, TimelineRow, VerifyContext } from './kind.ts';
import type { InputReport, Report } from './report.ts';
import { isWording, reproduce } from './reproduction.ts';

const REQUIRED = ['authorship', 'contents', 'reproduction'] as const;

export const verifier: KindVerifier = {
  kind: 'bundle',
  detect: ({ bytes }) => isZip(bytes),
  async verify(input, context) {
    const bytes = wholeInput(input);
    if (bytes === undefined)
      return unreadOutcome([road.find('input/too-large', 'the bundle is larger than is read whole')], REQUIRED);
    const read = readBundle(bytes);
    return read.ok ? outcome(read.bundle, context) : unreadOutcome(read.findings, REQUIRED);
  },
};

/** `PK` and one of the signatures that an archive can begin with. */
function isZip(bytes: Uint8Array): boolean {
  const [p, k, a, b] = bytes;
  return p === 0x50 && k === 0x4b && ((a === 3 && b === 4) || (a === 5 && b === 6) || (a === 7 && b === 8));
}

async function outcome(bundle: Bundle, context: VerifyContext): Promise<Outcome> {
  const { manifest } = bundle;
  const signed = await signature(bundle, context);
  const changed = contentFindings(bundle);
  const files = insideFiles(bundle);
  const inside = await verifyInside(files, insideOptions(files, context));
  const again = await reportInside(files, { at: manifest.made, ...manifest.settings });
  const reproduced = await reproduction(bundle, again, signed.keys);
  const time = await madeTime(bundle, context);
  const ownName = new Set<string>([...REQUIRED, 'time']);
  const claims = inside.flatMap(({ path, claims: rows }) =>
    rows.map((claim): Claim => ({ ...claim, claim: `${shortName(path)}: ${claim.claim}` })),
  );
  const asked = context.require ?? context.trust.requirements.get('bundle') ?? [];
  const merged = [...new Set(asked)]
    .filter((name) => !ownName.has(name) && !claims.some(({ claim }) => claim === name))
    .flatMap((name) => mergedClaim(name, inside));
  const contents: Verdict = changed.length > 0 ? 'failed' : signed.verdict === 'verified' ? 'verified' : 'undecided';
  const undecided = (claim: string, item: string, who: string): Missing => ({ claim, item, who, from: null });
  return {
    subject: {
      format: 'audit.bundle.v1',
      made: formatInstant(manifest.made),
      by: signed.by,
      with: `${manifest.tool.name} ${manifest.tool.version}`,
      replaces: manifest.replaces === null ? null : `sha256:${manifest.replaces.sha256}`,
    },
    counts: {
      members: bundle.files.size,
      inputs: inside.length,
      verified_inputs: inside.filter(({ result }) => result === 'verified').length,
    },
    claims: [
      claimOf(
        'authorship',
        signed.verdict,
        `the manifest, over ${manifest.members.length} files`,
        SIGNED[signed.verdict],
      ),
      claimOf('contents', contents, `${bundle.files.size} files beside the manifest`, CONTENTS[contents]),
      reproduced.claim,
      time.claim,
      ...merged,
      ...claims,
    ],
    required: [
      ...REQUIRED,
      ...inside.flatMap(({ path, required }) => required.map((name) => `${shortName(path)}: ${name}`)),
    ],
    findings: [
      ...signed.findings,
      ...changed,
      ...reproduced.findings,
      ...time.findings,
      ...trustNote(bundle, context),
      ...redactionNote(manifest),
      ...inside.flatMap(({ path, findings }) => findings.map((finding) => plain(lifted(finding, path)))),
    ],
    missing: [
      ...(signed.verdict === 'undecided'
        ? [undecided('authorship', 'the key that signs bundles of this maker, in a trust file', SIGNER)]
        : []),
      ...(contents === 'undecided'
        ? [undecided('contents', 'the key that signs bundles of this maker, in a trust file', SIGNER)]
        : []),
      ...reproduced.missing,
      ...time.missing,
      ...inside.flatMap(({ path, missing }) =>
        missing.map((row) => ({ ...row, claim: `${shortName(path)}: ${row.claim}` })),
      ),
      ...merged
        .filter(({ verdict }) => verdict === 'undecided')
        .map(({ claim }) => undecided(claim, 'what the files inside lack, named with each of them', 'see there')),
    ],
    notSupplied: [
      ...(inside.length === 0 ? ['a file to verify: the bundle holds none'] : []),
      ...new Set(inside.flatMap(({ path, not_supplied }) => not_supplied.map((item) => `${shortName(path)}: ${item}`))),
    ],
    timeline: inside.flatMap(({ path, timeline }) =>
      timeline.map(
        (row): TimelineRow => ({
          ...row,
          lane: row.lane === undefined ? shortName(path) : `${shortName(path)} ${row.lane}`,
        }),
      ),
    ),
  };
}

/** When the bundle was made: the maker's own word, until a token that the verifier has is over the manifest as it is stored. */
async function madeTime({ stored, manifest }: Bundle, context: VerifyContext): Promise<HeadTime> {
  const scope = 'the manifest';
  const stamped = await stampedTime(stored, { timestamp_nanos: manifest.made }, scope, context);
  if (stamped !== undefined) return stamped;
  const made = formatInstant(manifest.made);
  return {
    claim: {
      claim: 'time',
      verdict: 'undecided',
      grade: 'asserted',
      scope,
      detail: `the clock of the maker says ${made}; nothing independent of it does`,
    },
    findings: [],
    missing: [
      { claim: 'time', item: 'a time-stamp token (RFC 3161) over manifest.dsse.json', who: SIGNER, from: made },
    ],
  };
}

const SIGNER = 'the maker of the bundle, by a way that is not this file';
const SIGNED: Readonly<Record<Verdict, string>> = {
  verified: 'signed by a key that you trust for bundles',
  failed: 'no key that you trust for bundles signed this as it should',
  undecided: 'no key for bundles was given',
};
const CONTENTS: Readonly<Record<Verdict, string>> = {
  verified: 'every file is the one that the maker signed for; none is missing and none was added',
  failed: 'the files are not those that the manifest lists',
  undecided: 'the files are those of the manifest, and nobody whom you trust signed it',
};

/** What a finding of the road adds when it is reported is taken off again, so that it is reported as one of the bundle. */
function plain(finding: Finding): Finding {
  const { fingerprint: _, excerpt: __, ...rest } = finding as Finding & { fingerprint?: string; excerpt?: string };
  return rest;
}

/** The files in the places that the manifest names; files that it does not list take part in nothing. */
function insideFiles({ manifest, files }: Bundle): readonly InsideFile[] {
  return manifest.members.flatMap(({ name, role }) => {
    const bytes = files.get(name);
    return bytes === undefined ? [] : [{ path: name, bytes, role }];
  });
}

/** The options of the verifier with what the bundle holds beside the inputs. */
function insideOptions(files: readonly InsideFile[], context: VerifyContext) {
  const { heads, companions, media, siblings } = optionsInside(files);
  const { clock: _, at, now, ...rest } = context;
  return {
    ...rest,
    ...(at === undefined && context.clock === undefined ? {} : { clock: () => now() as bigint }),
    ...(at === undefined ? {} : { at }),
    heads: [...heads, ...(context.heads ?? [])],
    companions: [...companions, ...(context.companions ?? [])],
    media: [...media, ...(context.media ?? [])],
    siblings,
  };
}

interface Signature {
  readonly verdict: Verdict;
  readonly by: string | null;
  /** Trusted keys that signed. */
  readonly keys: readonly PublicKey[];
  readonly findings: readonly Finding[];
}

async function signature({ envelope, manifest }: Bundle, context: VerifyContext): Promise<Signature> {
  const trusted = keysFor(context.trust, 'bundle');
  if (trusted.length === 0) return { verdict: 'undecided', by: null, keys: [], findings: [] };
  const { accepted, by } = signersOf(
    envelope,
    trusted.map(({ key }) => key),
  );
  const findings: Finding[] = [];
  const where = { part: 'manifest.dsse.json' };
  for (const [i, position] of by.entries()) {
    const keyid = envelope.signatures[i]?.keyid ?? '';
    if (position === undefined) {
      if (accepted.length > 0)
        findings.push(
          catalogue.find('bundle/other-signature', `signature ${i + 1} is by no key that you trust`, { where }),
        );
      continue;
    }
    const expected = await dsseKeyId((trusted[position] as (typeof trusted)[number]).key);
    if (keyid !== expected)
      findings.push(
        catalogue.find('bundle/signer-hint', `signature ${i + 1} names another key than the one that made it`, {
          where,
          expected,
          actual: keyid,
        }),
      );
  }
  const names = [...new Set(by.flatMap((position) => (position === undefined ? [] : [trusted[position]?.name ?? ''])))];
  const inForce = trusted.filter(
    ({ key, from, until }) =>
      accepted.some((other) => other.scheme === key.scheme && equalBytes(other.bytes, key.bytes)) &&
      (from === undefined || from <= manifest.made) &&
      (until === undefined || manifest.made < until),
  );
  if (accepted.length === 0)
    findings.push(
      catalogue.find('bundle/signature', 'no key that you trust for bundles signed the manifest', {
        where,
        expected: `a signature by ${trusted.map(({ name }) => name).join(' or ')}`,
      }),
    );
  else if (inForce.length === 0)
    findings.push(
      catalogue.find('bundle/signer-time', 'the key was not in force when the bundle says that it was made', {
        where,
        actual: formatInstant(manifest.made),
      }),
    );
  const holds = findings.every((finding) => finding.class === 'none');
  return {
    verdict: holds ? 'verified' : 'failed',
    by: names.length === 0 ? null : names.join(', '),
    keys: accepted,
    findings,
  };
}

interface Reproduced {
  readonly claim: Claim;
  readonly findings: readonly Finding[];
  readonly missing: readonly Missing[];
}

/** The report inside, against what the same files give here; and the signed summary of it, where there is one. */
async function reproduction(bundle: Bundle, again: Report, keys: readonly PublicKey[]): Promise<Reproduced> {
  const { files, envelope } = bundle;
  const place = placeOf('report');
  const bytes = files.get(place);
  const found = bytes === undefined ? undefined : reproduce(bytes, again);
  const where = { part: place };
  const findings: Finding[] = [];
  if (bytes === undefined || found === undefined)
    findings.push(catalogue.find('bundle/no-report', 'there is no report inside that could be read', { where }));
  else {
    const sameVersion = found.version === again.tool.version;
    const weighty = found.differences.filter((difference) => sameVersion || !isWording(difference));
    for (const { pointer, expected, actual } of weighty)
      findings.push(
        catalogue.find(
          'bundle/report-differs',
          `the report inside says otherwise at ${pointer === '' ? 'its root' : pointer}`,
          {
            where: { ...where, pointer },
            expected,
            actual,
          },
        ),
      );
    if (weighty.length === 0 && found.differences.length > 0)
      findings.push(
        catalogue.find('bundle/report-words', 'the report inside is of another version and worded differently', {
          where,
        }),
      );
    findings.push(...attestation(files, bytes, again, envelope.signatures.length, keys));
    findings.push(...page(bundle, again, sameVersion));
  }
  const failed = findings.some((finding) => finding.class !== 'none');
  const verdict: Verdict = failed ? 'failed' : again.inputs.length === 0 ? 'undecided' : 'verified';
  return {
    findings,
    claim: claimOf(
      'reproduction',
      verdict,
      `the report inside, over ${again.inputs.length} files`,
      REPRODUCED[verdict],
    ),
    missing:
      verdict === 'undecided'
        ? [{ claim: 'reproduction', item: 'a file to verify', who: 'the maker of the bundle', from: null }]
        : [],
  };
}

const REPRODUCED: Readonly<Record<Verdict, string>> = {
  verified: 'verifying the files again, under the trust file and at the instant of the maker, gives the report inside',
  failed: 'what the report inside says does not follow from the files beside it',
  undecided: 'the bundle holds nothing that could be verified',
};

/** The signed summary says what the report says, and is by whoever signed the manifest. */
function attestation(
  files: ReadonlyMap<string, Uint8Array>,
  report: Uint8Array,
  again: Report,
  signatures: number,
  keys: readonly PublicKey[],
): readonly Finding[] {
  const place = placeOf('attestation');
  const stored = files.get(place);
  if (stored === undefined) return [];
  const wrong = (message: string) => [catalogue.find('bundle/attestation', message, { where: { part: place } })];
  const read = readEnvelope(stored);
  if (!read.ok) return wrong(`the summary is no envelope: ${read.fault.message}`);
  const statement = reportStatement(again, report);
  if (statement === undefined || !equalBytes(statement, read.envelope.payload))
    return wrong('the summary is not the one that the report gives');
  if (keys.length > 0 && signersOf(read.envelope, keys).accepted.length === 0)
    return wrong('the summary is not signed by the maker of the bundle');
  return read.envelope.signatures.length > signatures ? wrong('the summary has more signatures than the manifest') : [];
}

/** The page for people says what the report says, and shows the key that signed: nothing else in a bundle speaks to a reader directly. */
function page({ files, envelope, manifest }: Bundle, again: Report, sameVersion: boolean): readonly Finding[] {
  const pem = files.get(placeOf('key'));
  const der = pem === undefined ? undefined : readPem(new TextDecoder().decode(pem));
  const key = der === undefined ? undefined : readKeyDer(der);
  const keyid = envelope.signatures[0]?.keyid ?? '';
  const findings: Finding[] = [];
  const isKey = der !== undefined && key !== undefined && !('unusable' in key) && !key.secret;
  if (pem !== undefined && (!isKey || sha256Hex(der) !== keyid))
    findings.push(
      catalogue.find('bundle/key', 'maker.pem is not the key that the first signature names', {
        where: { part: placeOf('key') },
        expected: keyid,
        ...(der === undefined ? {} : { actual: sha256Hex(der) }),
      }),
    );
  const place = placeOf('readme');
  const expected = readmeText({
    made: formatInstant(manifest.made),
    scheme: isKey ? key.scheme : 'ed25519+ml-dsa-65',
    keyid,
    members: manifest.members
      .filter(({ role }) => role !== 'readme')
      .map(({ name, role }) => ({ name, role, bytes: files.get(name) ?? new Uint8Array() })),
    replaces: manifest.replaces,
    report: again,
  });
  if (!equalBytes(files.get(place) ?? new Uint8Array(), utf8(expected)))
    findings.push(
      catalogue.find('bundle/page', `${place} is not the page that this bundle gives`, {
        where: { part: place },
        ...(sameVersion ? {} : { class: 'none' }),
      }),
    );
  return findings;
}

/** Says that the claims here stand under other trust than the report inside, so that nobody takes one for the other. */
function trustNote({ manifest }: Bundle, context: VerifyContext): readonly Finding[] {
  const inside = manifest.members.filter(({ role }) => role === 'trust');
  const given = (context.trustFiles ?? []).map(({ source }) => sha256Hex(readAll(source)));
  const same = given.length === inside.length && inside.every(({ sha256 }) => given.includes(sha256));
  if (same) return [];
  return [
    catalogue.find(
      'bundle/other-trust',
      given.length === 0
        ? 'you gave no trust file; the one inside is the maker’s, and the claims here do not rest on it'
        : 'the claims here stand under the trust that you gave; the report inside stands under the trust file inside',
      { where: inside[0] === undefined ? {} : { part: inside[0].name } },
    ),
  ];
}

function redactionNote({ replaces }: Manifest): readonly Finding[] {
  if (replaces === null) return [];
  const names = replaces.removed.map((name) => (roleOf(name) === undefined ? `${name} (?)` : name));
  return [
    catalogue.find(
      'bundle/redacted',
      `this bundle replaces sha256:${replaces.sha256} and leaves out or changes ${names.length === 0 ? 'nothing' : names.join(', ')}`,
    ),
  ];
}

/** A claim that was asked of the bundle and is one of the files inside: all of them that have it, together. */
function mergedClaim(name: string, inside: readonly InputReport[]): readonly Claim[] {
  const having = inside.flatMap(({ path, claims }) =>
    claims.filter(({ claim }) => claim === name).map((claim) => ({ path, claim })),
  );
  if (having.length === 0) return [];
  return [
    claimOf(
      name,
      mergeVerdicts(having.map(({ claim }) => claim.verdict)),
      having.map(({ path }) => shortName(path)).join(', '),
      'of the files inside that have it, together',
    ),
  ];
}
