/** Grants: who allowed whom what, until when; chains of them; and their leaves in a journal (audit spec 4.7). */
import { concat, equalBytes, hex, utf8 } from '../bytes/encoding.ts';
import { sha256 } from '../crypto/sha256.ts';
import type { PrivateKey, PublicKey } from '../crypto/signature.ts';
import type { Finding, Verdict, Where } from '../finding/finding.ts';
import type { ReadableRecord } from '../journal/record.ts';
import { isWellFormed } from '../journal/text.ts';
import { goCompact } from '../json/gojson.ts';
import { encode } from '../json/shape.ts';
import { catalogue } from './catalogue.ts';
import { FORMAT } from './formats.ts';
import { payloadProblem, strictPayload } from './payload.ts';
import { below } from './place.ts';
import { type Grant, grantShape, type SignedGrant, signedGrantShape } from './shapes.ts';

const PREFIX = utf8(`${FORMAT.grant}\n`);

/** The bytes that an issuer signs. */
export function grantBytes(grant: Grant): Uint8Array {
  return concat(PREFIX, encode(grantShape, grant));
}

/** Hex digest of a grant: how its children and its leaf name it. */
export function grantDigest(grant: Grant): string {
  return hex(sha256(grantBytes(grant)));
}

/** Name of the record that holds a grant. */
export function grantRecordName(grant: Grant): string {
  return `audit:grant:${grantDigest(grant)}`;
}

/** Signs a grant. Throws RangeError for text that is not Unicode. */
export function signGrant(grant: Grant, issuer: PrivateKey): SignedGrant {
  return { grant, alg: issuer.scheme, sig: issuer.sign(grantBytes(grant)) };
}

/** Whether an issuer's key signed a grant. */
export function grantSignatureFindings(signed: SignedGrant, key: PublicKey, where: Where = {}): readonly Finding[] {
  if (!isEmittable(signed.grant))
    return [catalogue.find('evidence/malformed', 'the grant holds text that is not Unicode', { where })];
  if (signed.alg !== key.scheme)
    return [
      catalogue.find('evidence/grant-scheme', 'the grant is signed with another scheme than the key of its issuer', {
        where: below(where, 'alg'),
        expected: key.scheme,
        actual: signed.alg,
      }),
    ];
  if (key.verify(signed.sig ?? new Uint8Array(), grantBytes(signed.grant))) return [];
  return [
    catalogue.find(
      'evidence/grant-signature',
      'the signature of the grant is not by its issuer, or the grant was changed',
      {
        where: below(where, 'sig'),
        expected: `a signature by ${key.identities.join(' and ')}`,
      },
    ),
  ];
}

function isEmittable(grant: Grant): boolean {
  const scope = [...(grant.scope ?? [])].flat();
  return [grant.id, grant.issuer, grant.subject, grant.parent_ref, ...scope].every(isWellFormed);
}

/** The bound is inclusive; 0 never expires. Both in Unix seconds. */
export function isExpired(grant: Grant, nowSeconds: bigint): boolean {
  return grant.not_after_unix !== 0n && nowSeconds > grant.not_after_unix;
}

/** Whether a child's value of a scope key lies within its parent's. */
export type ScopeRule = (parent: string, child: string) => boolean;
export type ScopeRules = ReadonlyMap<string, ScopeRule>;

const DECIMAL = /^[+-]?[0-9]+$/;

function int64(text: string): bigint | undefined {
  if (!DECIMAL.test(text) || text.length > 64) return undefined;
  const value = BigInt(text.startsWith('+') ? text.slice(1) : text);
  return BigInt.asIntN(64, value) === value ? value : undefined;
}

/** Both values are signed 64-bit integers in base 10, and the child's is not greater. */
export const numericAtMost: ScopeRule = (parent, child) => {
  const [most, value] = [int64(parent), int64(child)];
  return most !== undefined && value !== undefined && value <= most;
};

/** Rules 1 to 4 of attenuation: a child allows no more than its parent. */
export function attenuationFindings(
  parent: Grant,
  child: Grant,
  rules: ScopeRules,
  where: Where = {},
): readonly Finding[] {
  const findings: Finding[] = [];
  const find = (member: string, message: string, expected: string, actual: string) =>
    findings.push(
      catalogue.find('evidence/grant-attenuation', message, { where: below(where, 'grant', member), expected, actual }),
    );
  const digest = grantDigest(parent);
  if (child.parent_ref !== digest)
    find('parent_ref', 'the grant does not name the grant above it', digest, child.parent_ref);
  if (child.issuer !== parent.subject)
    find('issuer', 'the grant is issued by somebody to whom nothing was granted', parent.subject, child.issuer);
  if (parent.not_after_unix !== 0n && (child.not_after_unix === 0n || child.not_after_unix > parent.not_after_unix))
    find(
      'not_after_unix',
      'the grant outlives the grant above it',
      `at most ${parent.not_after_unix}`,
      child.not_after_unix === 0n ? 'never' : String(child.not_after_unix),
    );
  for (const [key, value] of parent.scope ?? []) {
    const narrowed = child.scope?.get(key);
    if (narrowed === undefined)
      find('scope', `the grant drops the restriction ${JSON.stringify(key)}`, value, 'no restriction');
    else if (narrowed !== value && rules.get(key)?.(value, narrowed) !== true)
      find('scope', `the grant widens the restriction ${JSON.stringify(key)}`, value, narrowed);
  }
  return findings;
}

export interface ChainReport {
  readonly findings: readonly Finding[];
  /** That every grant is signed by the issuer that it names, by keys that the auditor resolves. */
  readonly signatures: Verdict;
  readonly attenuation: Verdict;
}

/** The keys of an issuer over time; none for one that is not known. */
export type IssuerResolver = (issuer: string) => readonly PublicKey[];

/** Verifies a chain of grants, root first. Every grant and every step is checked, whatever the others give. */
export function checkGrantChain(
  chain: readonly SignedGrant[],
  resolve: IssuerResolver,
  rules: ScopeRules,
  where: Where = {},
): ChainReport {
  if (chain.length === 0)
    return {
      findings: [catalogue.find('evidence/grant-chain-empty', 'the chain holds no grant', { where })],
      signatures: 'undecided',
      attenuation: 'undecided',
    };
  const signing: Finding[] = [];
  chain.forEach((signed, i) => {
    const at = below(where, i);
    const keys = resolve(signed.grant.issuer);
    const key = keys.find((candidate) => grantSignatureFindings(signed, candidate).length === 0) ?? keys[0];
    if (key === undefined)
      signing.push(
        catalogue.find('evidence/grant-issuer', 'no key is known for the issuer of the grant', {
          where: below(at, 'grant', 'issuer'),
          actual: signed.grant.issuer,
        }),
      );
    else signing.push(...grantSignatureFindings(signed, key, at));
  });
  const narrowing: Finding[] = [];
  const root = chain[0] as SignedGrant;
  if (root.grant.parent_ref !== '')
    narrowing.push(
      catalogue.find('evidence/grant-attenuation', 'the first grant of the chain names a grant above it', {
        where: below(where, 0, 'grant', 'parent_ref'),
        expected: 'none',
        actual: root.grant.parent_ref,
      }),
    );
  for (let i = 1; i < chain.length; i++)
    narrowing.push(
      ...attenuationFindings(
        (chain[i - 1] as SignedGrant).grant,
        (chain[i] as SignedGrant).grant,
        rules,
        below(where, i),
      ),
    );
  const verdict = (found: readonly Finding[]): Verdict => (found.length === 0 ? 'verified' : 'failed');
  return { findings: [...signing, ...narrowing], signatures: verdict(signing), attenuation: verdict(narrowing) };
}

/** Who is trusted at the root, and whether the chain still holds at a time: what the caller of a chain has to check besides. */
export function expiryFindings(
  chain: readonly SignedGrant[],
  nowSeconds: bigint,
  where: Where = {},
): readonly Finding[] {
  return chain.flatMap((signed, i) =>
    isExpired(signed.grant, nowSeconds)
      ? [
          catalogue.find('evidence/grant-expired', 'the grant had expired at the time in question', {
            where: below(where, i, 'grant', 'not_after_unix'),
            expected: `at least ${nowSeconds}`,
            actual: String(signed.grant.not_after_unix),
          }),
        ]
      : [],
  );
}

/** The grant that a record holds: of kind `value`, named for the digest of the grant in it, its result exactly the signed grant. */
export function grantOfRecord(record: ReadableRecord): { readonly grant: SignedGrant } | { readonly problem: string } {
  if (record.record.kind !== 'value') return { problem: `it is of kind ${JSON.stringify(record.record.kind)}` };
  const decoded = strictPayload(signedGrantShape, record.record.result);
  if (!decoded.ok) return { problem: `its result is no signed grant: ${payloadProblem(decoded.problems)}` };
  const grant = decoded.value;
  if (record.name !== grantRecordName(grant.grant)) return { problem: 'its name is not the one for the grant in it' };
  if (!equalBytes(goCompact(record.record.result ?? new Uint8Array(), 'JOURNAL'), encode(signedGrantShape, grant)))
    return { problem: 'its result is not the signed grant as it is written' };
  return { grant };
}

/** The result of a grant's record. */
export function grantResult(signed: SignedGrant): Uint8Array {
  return encode(signedGrantShape, signed);
}

/** Whether two signed grants are one, byte for byte. */
export function sameGrant(a: SignedGrant, b: SignedGrant): boolean {
  return equalBytes(grantResult(a), grantResult(b));
}
