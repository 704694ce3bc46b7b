/**
 * The certificates of two approvers of the demonstration, and the revocation lists of those who issued them. The company root stands in the trust
 * file; the authority below it issues a list every six hours.
 */
import { base64, utf8 } from '../../src/bytes/encoding.ts';
import { digestOf } from '../../src/identity/digests.ts';
import { formatInstant, parseInstant } from '../../src/time/instant.ts';
import * as forge from '../../test/pki/forge.ts';
import { timeRoot } from './timestamps.ts';

const USAGE = '1.3.6.1.4.1.55555.1.1';
const POLICY = '1.3.6.1.4.1.55555.2.1';
const ROOT = 'O=Example Shop,CN=Example Shop Root';
const ISSUING = 'O=Example Shop,CN=Example Shop People';

const rootKey = forge.key('audit demonstration: company root');
const issuingKey = forge.key('audit demonstration: people authority');
const authority = [forge.basicConstraints(true), forge.keyUsage(5, 6)];

export const companyRoot: Uint8Array = forge.certificate({
  subject: ROOT,
  issuer: ROOT,
  key: rootKey,
  issuerKey: rootKey,
  serial: 1,
  from: '2020-01-01T00:00:00Z',
  until: '2040-01-01T00:00:00Z',
  extensions: authority,
});
export const issuing: Uint8Array = forge.certificate({
  subject: ISSUING,
  issuer: ROOT,
  key: issuingKey,
  issuerKey: rootKey,
  serial: 7,
  from: '2021-01-01T00:00:00Z',
  until: '2036-01-01T00:00:00Z',
  extensions: authority,
});

export interface Person {
  readonly email: string;
  readonly certificate: Uint8Array;
  sign(message: Uint8Array): Uint8Array;
}

function person(name: string, serial: number): Person {
  const key = forge.key(`audit demonstration: ${name}`);
  const email = `${name}@shop.example`;
  const certificate = forge.certificate({
    subject: `O=Example Shop,CN=${name}`,
    issuer: ISSUING,
    key,
    issuerKey: issuingKey,
    serial,
    from: '2026-01-01T00:00:00Z',
    until: '2026-12-31T23:59:59Z',
    extensions: [
      forge.keyUsage(0),
      forge.extendedKeyUsage([USAGE]),
      forge.altNames(`email:${email}`),
      forge.policies(POLICY),
    ],
  });
  return { email, certificate, sign: (message) => key.sign(message) };
}

export const PEOPLE: ReadonlyMap<string, Person> = new Map([
  ['anna', person('anna', 77)],
  ['chiara', person('chiara', 78)],
]);
export const IDENTITIES = { anna: 'anna@shop.example', bela: 'bela@shop.example', chiara: 'chiara@shop.example' };

/** What a certificate must be to count (approver-identity 5.1). */
export const IDENTITY_POLICY = {
  effective_from: '2026-09-01T00:00:00Z',
  anchors: [digestOf(rootKey.spki)],
  intermediates: [digestOf(issuingKey.spki)],
  eku: USAGE,
  policy_oid: POLICY,
  id_kind: 'email',
  canonical: 'email-ascii/v1',
  rsa2048_until: '2030-12-31T00:00:00Z',
  max_chain: 4,
  max_leaf_lifetime: '8784h0m0s',
  not_before_backdate: '1h0m0s',
  skew: '2m0s',
  anchor_grace: '5m0s',
  clock_tolerance: '2s',
  w: '24h0m0s',
  min_w: '1h0m0s',
  max_status_age: '24h0m0s',
  exec_status_age: '4h0m0s',
  ca_period: '6h0m0s',
  coverage_tolerance: '30m0s',
  this_update_skew: '1m0s',
  consecutive_numbers: true,
  count_live: true,
};

/** The sections of a trust file that judge certificates. */
export const identitySections = {
  certificate_policies: {
    policies: [
      {
        id: 'refunds-2026',
        applies_from: '2026-09-01T00:00:00Z',
        applies_until: null,
        gates: [{ tool: 'pay_*' }],
        identity_required: true,
        require_final: false,
        approvers: { anna: 'cert', bela: 'bare', chiara: 'cert' },
        policy: IDENTITY_POLICY,
      },
    ],
    certificates: { anchors: [], intermediates: [base64(issuing)] },
    tsa_anchors: [base64(timeRoot)],
  },
  rosters: [{ from: '2026-09-01T00:00:00Z', until: null, identities: IDENTITIES }],
};

export interface RevocationList {
  readonly name: string;
  readonly der: Uint8Array;
  readonly number: number;
  readonly from: string;
  readonly until: string;
}

const FIRST = parseInstant('2026-10-12T00:00:00Z') as bigint;
const STEP = 6n * 3_600_000_000_000n;

/** The lists of both authorities, numbered, from 18:00 on the 12th on: nothing is on them. */
export function revocationLists(last = 1007): readonly RevocationList[] {
  const lists: RevocationList[] = [];
  for (const [name, issuer, key] of [
    ['people', ISSUING, issuingKey],
    ['root', ROOT, rootKey],
  ] as const)
    for (let number = 998; number <= last; number++) {
      const start = FIRST + BigInt(number - 995) * STEP;
      const [from, until] = [formatInstant(start), formatInstant(start + 2n * STEP)];
      lists.push({
        name: `${name}-${number}`,
        der: forge.crl({ issuer, key, from, until, number }),
        number,
        from,
        until,
      });
    }
  return lists;
}

/** Text as bytes, for digests of what a record holds. */
export const textDigest = (text: string): string => digestOf(utf8(text));
