/**
 * Writes vectors/identity: the case matrix of approver-identity 22 as decisions with their chains, heads, tokens and lists, the status rules over
 * plain values, digests and identifiers. The answers stand in `test/identity/cases.ts` and here, written by hand; the library is only
 * asked for encodings. Cases with keys that no seed gives (RSA) and with receipts are left to the tests.
 */
import { base64, hex, utf8 } from '../src/bytes/encoding.ts';
import { digestOf } from '../src/identity/digests.ts';
import type { Crl } from '../src/pki/crl.ts';
import { formatInstant } from '../src/time/instant.ts';
import {
  allCrls,
  DECIDED,
  HEAD,
  ica,
  leaf,
  P0,
  parsed,
  recordOf,
  root,
  SUBJECT,
  tsaRoot,
  when,
} from '../test/identity/bank.ts';
import { type Row, sections } from '../test/identity/cases.ts';
import { writeCases } from './place.ts';

type Json = null | boolean | number | string | readonly Json[] | { readonly [name: string]: Json };

const TIERS: Readonly<Record<string, string>> = {
  prov: 'provisional',
  logclock: 'logclock-final',
  independent: 'independent-final',
};
const BASES: Readonly<Record<string, string>> = { after: 'at-or-after-decision', before: 'live-before-decision' };

/** `prov after 13 12:00` as the operation says it. */
function answerOf(is: string): Json {
  const [tier = '', basis = '', day, time] = is.split(' ');
  if (TIERS[tier] === undefined) return { counts: false, reason: is === 'not evaluated' ? null : is };
  return {
    counts: true,
    tier: TIERS[tier] as string,
    basis_kind: BASES[basis] as string,
    status_time: `2026-10-${day}T${time}:00Z`,
  };
}

const b64 = (list: readonly Uint8Array[]): readonly string[] => list.map(base64);

/** Lists of the time around the decision; what is later than the evaluation, no rule looks at. */
function nearby(crls: readonly Crl[], at: bigint): readonly Crl[] {
  const minute = 60_000_000_000n;
  return crls.filter(({ thisUpdate }) => thisUpdate >= when('13 00:00') && thisUpdate <= at + minute);
}

function decisionCase({ id, situation, is }: Row): Json {
  const { record, position } = recordOf(situation);
  const at = when(situation.at ?? '12:05');
  const subject = situation.subject ?? SUBJECT;
  return {
    name: id,
    op: 'identity/decision',
    params: {
      subject: {
        run: subject.run,
        call: subject.call,
        tool: subject.tool,
        args: new TextDecoder().decode(subject.args),
      },
      record: {
        approver: record.approver,
        alg: record.approverAlg,
        decided_at: record.decidedAt,
        position,
        signature_b64: base64(record.signature ?? new Uint8Array()),
        certificates_b64: record.approverCert === undefined ? null : b64(record.approverCert),
      },
      policy: { ...P0, ...situation.policy } as Json,
      identifier: situation.identifier ?? 'alice@bank.example',
      anchors_b64: b64(situation.anchors ?? [root()]),
      intermediates_b64: b64(situation.intermediates ?? [ica()]),
      tsa_anchors_b64: situation.times === undefined ? [] : [base64(tsaRoot)],
      heads: (situation.heads ?? [HEAD]).map(({ head, time }) => ({
        run: head.run_id,
        size: head.size,
        root: hex(head.root ?? new Uint8Array()),
        time: formatInstant(time),
      })),
      tokens: (situation.times ?? []).flatMap(({ headHash, proof }) =>
        proof.kind === 'rfc3161' ? [{ head: headHash ?? '', token_b64: base64(proof.token.der) }] : [],
      ),
      crls_b64: nearby(allCrls(situation), at).map(({ der }) => base64(der)),
      ocsp_b64: [],
      mode: situation.mode ?? 'live',
      at: formatInstant(at),
      readings: Object.entries(situation.readings ?? {}).map(([name, value]) => `${name}=${value}`),
    },
    answer: answerOf(is),
  };
}

/** What the leaf's lists say, in plain values. */
function statusCase({ id, situation, is, e, leafS, window }: Row): Json {
  const der = situation.leaf ?? leaf();
  const own = hex(parsed(der).issuer.der);
  const lists = allCrls(situation).filter(({ issuer }) => hex(issuer.der) === own);
  const [tier = '', basis = '', day, time] = is.split(' ');
  const s = leafS ?? `${day} ${time}`;
  const answer: Json =
    is === 'revoked'
      ? { status: 'revoked', e: formatInstant(when(e ?? '')) }
      : is.startsWith('status_')
        ? { status: is.slice('status_'.length) }
        : {
            status: 'good',
            final: tier !== 'prov',
            basis_kind: BASES[basis] as string,
            status_time: formatInstant(when(s)),
            window: window ?? '24h0m0s',
          };
  return {
    name: id,
    op: 'identity/status',
    params: {
      lists: lists.map((crl) => {
        const [entry] = crl.entriesFor(Uint8Array.of(77));
        return {
          this_update: formatInstant(crl.thisUpdate),
          next_update: formatInstant(crl.nextUpdate ?? 0n),
          number: Number(crl.number),
          ...(crl.expiredCertsOnCrl === undefined ? {} : { keeps_expired_since: formatInstant(crl.expiredCertsOnCrl) }),
          ...(entry === undefined
            ? {}
            : {
                listing: {
                  date: formatInstant(entry.revocationDate),
                  ...(entry.invalidityDate === undefined ? {} : { invalidity: formatInstant(entry.invalidityDate) }),
                  reason: entry.reason ?? 0,
                },
              }),
        };
      }),
      not_after: formatInstant(parsed(der).notAfter),
      decided: situation.decidedAt ?? DECIDED,
      anchored: formatInstant((situation.heads ?? [HEAD])[0]?.time ?? 0n),
      at: formatInstant(when(situation.at ?? '12:05')),
      mode: situation.mode ?? 'live',
      policy: { ...P0, ...situation.policy } as Json,
    },
    answer,
  };
}

const rows = sections().flatMap((section) => section.rows);
const isStatus = ({ id }: Row): boolean => /^(?:R(?!37|38|39|40|41)\d\d|G0[1-8]|E0\d)/.test(id);
const isPortable = ({ id, situation }: Row): boolean =>
  !/RSA|^T15|^T03 the one|^T19 the default|^R|^G|^E/.test(id) && situation.receipts === undefined;
/** Rows with an E that the matrix states; where it states none, the answer of a revoked row is the date of its entry. */
const dated = (row: Row): Row =>
  row.is === 'revoked' && row.e === undefined ? { ...row, e: ENTRY_DATES[row.id.slice(0, 3)] ?? '' } : row;
const ENTRY_DATES: Readonly<Record<string, string>> = {
  R24: '09:00:10',
  R26: '08:59:50',
  R27: '09:00:10',
  R29: '09:00:10',
  R31: '12 23:00',
};

writeCases(
  'identity/decisions.json',
  'One certificate-bound decision with its chain, heads, tokens and lists (approver-identity 7 to 15): it counts with tier, basis and status time, or the reason.',
  rows.filter(isPortable).map(decisionCase),
);
writeCases(
  'identity/status.json',
  'Revocation status of a leaf over plain values (approver-identity 14.3 to 15.4): rows R, G and E of the case matrix.',
  rows.filter(isStatus).map((row) => statusCase(dated(row))),
);
const hashed = (text: string) => digestOf(utf8(text));
const EXAMPLE: Json = {
  ...P0,
  anchors: [hashed('root')],
  intermediates: [hashed('ica')],
  ca_period_for: { [hashed('root')]: '720h0m0s' },
};
const canonical = (text: string, answer: string | null, name = 'email-ascii/v1'): Json => ({
  name: `${name}: ${JSON.stringify(text)}`,
  op: 'identity/canonical',
  params: { canonical: name, text },
  answer,
});
const policy = (name: string, change: Json, answer: readonly string[]): Json => ({
  name,
  op: 'identity/policy',
  params: { policy: { ...P0, ...(change as object) } },
  answer,
});
writeCases('identity/forms.json', 'Digests, identifiers and the load checks of policies (approver-identity 5, 6, 9).', [
  {
    name: 'the policy of 5.1',
    op: 'identity/digests',
    params: { policy: EXAMPLE },
    answer: { policy: '1308af19a0406c7cf10560eed5a11a2886a5a7488d37c095a1405eae37fa1828' },
  },
  {
    name: 'the roster of 5.2',
    op: 'identity/digests',
    params: { roster: { bob: 'bob@bank.example', alice: 'alice@bank.example' } },
    answer: { roster: '144540f81428c84ca9fa433af44cc7561cdee93b1be18d8b8541c0ac2a42d614' },
  },
  {
    name: 'lines are sorted, not ids',
    op: 'identity/digests',
    params: { kinds: { a: 'bare', 'a-b': 'cert' } },
    answer: { kinds: '09f71d021b8ed6c3a9b120846285d34cc44616b611221e546681a9d0f1ffe0b9' },
  },
  {
    name: 'two kinds',
    op: 'identity/digests',
    params: { kinds: { bob: 'bare', alice: 'cert' } },
    answer: { kinds: 'f98593c5e517d9ae8bbe69df127ed7b578fdf514ea08f4c2867f691b8070bf29' },
  },
  canonical('Alice@BANK.example', 'alice@bank.example'),
  canonical('alice@bank', null),
  canonical('alice@bank.example.', null),
  canonical('al..ice@bank.example', null),
  canonical('"alice"@bank.example', null),
  canonical('alice@bank.example\0.evil', null),
  canonical('\u0430lice@bank.example', null),
  canonical('Alice@BANK', 'alice@bank', 'upn-ascii/v1'),
  canonical('HTTPS://Bank.example/Alice', 'https://bank.example/Alice', 'uri-ascii/v1'),
  canonical('https://alice@bank.example/', null, 'uri-ascii/v1'),
  canonical('https://bank.example/%41', null, 'uri-ascii/v1'),
  canonical('https://bank.example/a/../b', null, 'uri-ascii/v1'),
  canonical('alice@bank.example', null, 'email/v9'),
  policy('P0', {}, []),
  policy('a window shorter than its least', { w: '30m0s' }, ['"min_w" is longer than "w"']),
  policy('a duration that is not canonical', { skew: '120s' }, ['"skew" is not written as 2m0s']),
  policy('no anchor', { anchors: [] }, ['there is no trust anchor']),
  policy('nine certificates', { max_chain: 9 }, ['"max_chain" is not from 1 to 8']),
  policy('no period', { ca_period: '0s' }, ['"ca_period" is not more than 0s']),
  policy('no object identifier', { eku: 'signing' }, ['"eku" is no dotted object identifier']),
  policy('an unknown member', { more: true }, ['unreadable']),
]);
