/** Digests, durations, identifiers and policies against the examples of approver-identity 2, 5 and 9. */
import { describe, expect, it } from 'vitest';
import { decodeUtf8, hex, utf8 } from '../../src/bytes/encoding.ts';
import { canonicaliserOf } from '../../src/identity/canonical.ts';
import {
  checkPolicyDigest,
  digestOf,
  kindsDigest,
  policyDigest,
  rosterBytes,
  rosterDigest,
  tallyDigestForm,
} from '../../src/identity/digests.ts';
import { policyBytes, policyDifferences, policyProblems } from '../../src/identity/policy.ts';
import { DEFAULT_READINGS, readReadings } from '../../src/identity/readings.ts';
import { P0, policyRecord } from './bank.ts';

/** SPKI hashes of the examples are of the ASCII texts `root` and `ica`. */
const EXAMPLE = {
  anchors: [digestOf(utf8('root'))],
  intermediates: [digestOf(utf8('ica'))],
  ca_period_for: { [digestOf(utf8('root'))]: '720h0m0s' },
};

describe('the policy digest (5.1)', () => {
  const record = policyRecord(EXAMPLE);
  it('is over the 796 bytes of the example', () => {
    expect(policyBytes(record).length).toBe(796);
    expect(policyDigest(record)).toBe('1308af19a0406c7cf10560eed5a11a2886a5a7488d37c095a1405eae37fa1828');
  });
  it('tells the form with a newline, the stored form, and none', () => {
    const stored = policyBytes(record);
    const newline = '9ae9c7b7b9140b07a3c5c5016afc11126ea0cfbbeb3353ce4cfd38235f67e94a';
    expect(checkPolicyDigest(stored, record, newline)).toMatchObject({ matches: true, plain: false });
    const spaced = utf8(`${decodeUtf8(stored)} `);
    expect(checkPolicyDigest(spaced, record, digestOf(spaced))).toMatchObject({
      matches: true,
      plain: false,
      form: 'as stored only',
    });
    expect(checkPolicyDigest(stored, record, '0'.repeat(64)).matches).toBe(false);
  });
  it('takes an empty list as null or as []', () => {
    const empty = policyRecord({ ...EXAMPLE, intermediates: [] });
    const asNull = decodeUtf8(policyBytes(empty))?.replace('"intermediates":[]', '"intermediates":null') ?? '';
    expect(checkPolicyDigest(policyBytes(empty), empty, digestOf(utf8(asNull))).matches).toBe(true);
  });
});

describe('other digests', () => {
  it('of the roster sorts approvers (5.2, D14)', () => {
    const roster = new Map([
      ['bob', 'bob@bank.example'],
      ['alice', 'alice@bank.example'],
    ]);
    expect(hex(rosterBytes(roster))).toBe(
      '00000005616c69636500000012616c6963654062616e6b2e6578616d706c6500000003626f6200000010626f624062616e6b2e6578616d706c65',
    );
    expect(rosterDigest(roster)).toBe('144540f81428c84ca9fa433af44cc7561cdee93b1be18d8b8541c0ac2a42d614');
  });
  it('of kinds sorts lines, not ids (5.3, D15)', () => {
    expect(
      kindsDigest([
        ['a', 'bare'],
        ['a-b', 'cert'],
      ]),
    ).toBe('09f71d021b8ed6c3a9b120846285d34cc44616b611221e546681a9d0f1ffe0b9');
    expect(
      kindsDigest([
        ['bob', 'bare'],
        ['alice', 'cert'],
      ]),
    ).toBe('f98593c5e517d9ae8bbe69df127ed7b578fdf514ea08f4c2867f691b8070bf29');
  });
  it('of a count is over its value, or over its record (5.4)', () => {
    const [value, record] = [utf8('{"need":2}'), utf8('{"name":"x"}')];
    expect(tallyDigestForm(digestOf(value), value, record)).toBe('result');
    expect(tallyDigestForm(digestOf(record), value, record)).toBe('record');
    expect(tallyDigestForm(digestOf(utf8('')), value, record)).toBeUndefined();
  });
});

describe('policies (6)', () => {
  it.each([
    [{}, []],
    [{ eku: 'signing' }, ['"eku" is no dotted object identifier']],
    [{ id_kind: 'dns' }, ['"id_kind" is none of email, uri, upn']],
    [{ max_chain: 9 }, ['"max_chain" is not from 1 to 8']],
    [{ ca_period: '0s' }, ['"ca_period" is not more than 0s']],
    [{ w: '1440m' }, ['"w" is not written as 24h0m0s']],
    [{ anchors: ['AB'] }, ['"anchors" holds what is no SHA-256 in lower-case hex']],
    [{ distrust: { [digestOf(utf8('x'))]: 'soon' } }, ['"distrust" holds what is no time']],
    [{ max_status_age_for: { x: '1h0m0s' } }, ['"max_status_age_for" names what is no SHA-256 in lower-case hex']],
    [{ rsa2048_until: 'never' }, ['"rsa2048_until" is no time']],
  ])('%j gives %j', (change, problems) => {
    expect(policyProblems(policyRecord(change))).toEqual(problems);
  });
  it('differ in the members that differ, the date of the change record aside', () => {
    expect(policyDifferences(policyRecord(), policyRecord({ effective_from: '2020-01-01T00:00:00Z' }))).toEqual([]);
    expect(policyDifferences(policyRecord(), policyRecord({ w: '48h0m0s', count_live: false }))).toEqual([
      'w',
      'count_live',
    ]);
    expect(Object.keys(P0)).toContain('count_live');
  });
});

describe('identifiers (9)', () => {
  const email = canonicaliserOf('email-ascii/v1');
  const uri = canonicaliserOf('uri-ascii/v1');
  const upn = canonicaliserOf('upn-ascii/v1');
  it.each([
    ['Alice@BANK.example', 'alice@bank.example'],
    ["o'neil+x@bank.example", "o'neil+x@bank.example"],
    ['alice@bank', undefined],
    ['@bank.example', undefined],
    ['alice@', undefined],
    ['a@b@bank.example', undefined],
    ['.alice@bank.example', undefined],
    ['al..ice@bank.example', undefined],
    ['"alice"@bank.example', undefined],
    ['alice@-bank.example', undefined],
    ['alice@bank..example', undefined],
    ['alice@bank.example.', undefined],
    ['alice@[10.0.0.1]', undefined],
    [`${'a'.repeat(65)}@bank.example`, undefined],
    ['alice@bank.example\0', undefined],
    ['аlice@bank.example', undefined],
    ['alice @bank.example', undefined],
  ])('mail %j is %j', (text, expected) => {
    expect(email?.(text)).toBe(expected);
  });
  it.each([
    ['HTTPS://Bank.example/Alice', 'https://bank.example/Alice'],
    ['urn:Bank:Alice', 'urn:Bank:Alice'],
    ['https://alice@bank.example/', undefined],
    ['https://bank.example/#a', undefined],
    ['https://bank.example/a/../b', undefined],
    ['https://bank.example/%41', undefined],
    ['https://bank.example/%2f', undefined],
    ['https://bank.example/%2F', 'https://bank.example/%2F'],
    ['bank.example/alice', undefined],
  ])('URI %j is %j', (text, expected) => {
    expect(uri?.(text)).toBe(expected);
  });
  it('a principal name may have a domain of one label', () => {
    expect(upn?.('Alice@BANK')).toBe('alice@bank');
    expect(canonicaliserOf('email/v9')).toBeUndefined();
  });
});

describe('readings (23)', () => {
  it('are the rules of this program until another is named', () => {
    expect(readReadings([])).toEqual(DEFAULT_READINGS);
    expect(readReadings(['alg=leaf', 'generation=all'])).toEqual({
      ...DEFAULT_READINGS,
      alg: 'leaf',
      generation: 'all',
    });
    expect(readReadings(['alg=any'])).toHaveProperty('problem');
    expect(readReadings(['moon=full'])).toHaveProperty('problem');
  });
});
