/**
 * The tampering matrix: one run with every kind of record around a gate, and every kind of edit, removal, reordering and replay. Each must change
 * a claim. Without a signed head some changes cannot be seen, and the table says which; under a head none stays hidden.
 */
import { describe, expect, it } from 'vitest';
import { base64, utf8 } from '../../src/bytes/encoding.ts';
import { memorySource } from '../../src/bytes/source.ts';
import { formatPublicKey } from '../../src/crypto/keys.ts';
import type { PrivateKey } from '../../src/crypto/signature.ts';
import { readExport } from '../../src/journal/export.ts';
import { recordLeafHash } from '../../src/journal/leaf.ts';
import { encode } from '../../src/json/shape.ts';
import { headShape, signHead } from '../../src/log/head.ts';
import { RootBuilder } from '../../src/merkle/root.ts';
import { readTrust } from '../../src/trust/read.ts';
import { approvalsOutcome } from '../../src/verify/approvals.ts';
import { verifyInput } from '../../src/verify/verify.ts';
import { KEYS, POLICY, RUN, Scene, trustText } from '../../vectors/approval-scenes.ts';

const EXCLUDING = { ...POLICY, excludePrincipal: true };
const LOG = KEYS.get('mallory') as PrivateKey;
const file = JSON.parse(
  trustText([{ tool: '*', policy: { need: 2, approvers: POLICY.approvers, exclude_principal: true } }]),
) as object;
const keys = [{ name: 'log', key: formatPublicKey(LOG.publicKey), roles: ['log'] }];
const { trust } = await readTrust([{ name: 'trust', bytes: utf8(JSON.stringify({ ...file, keys })) }]);

/** A run with every kind of record around its gate. */
function scene(): Scene {
  const made = new Scene().principal('desk-7').start('desk-7').turn().deadline(60);
  const records = [made.decide('alice'), made.decide('carol', { signer: 'mallory' }), made.decide('bob')];
  made.tally({
    approvedBy: ['alice', 'bob'],
    records,
    excludePrincipal: true,
    requesters: ['desk-7'],
    expiresAt: '2026-10-13T13:00:00.000Z',
  });
  return made
    .attempt()
    .result({ policy: EXCLUDING })
    .add({ name: 'run:complete', kind: 'value', recordedAt: '2026-10-13T12:40:00.000Z' });
}

const original = scene().records;
const nameOf = (bytes: Uint8Array) => (JSON.parse(new TextDecoder().decode(bytes)) as { readonly name: string }).name;

function exportOf(records: readonly Uint8Array[]): Uint8Array {
  return utf8(
    JSON.stringify({
      format: 'bide.audit.journal-export.v1',
      run_id: RUN,
      records: records.map((bytes) => base64(bytes)),
    }),
  );
}

const builder = new RootBuilder();
for (const bytes of original) builder.append(recordLeafHash(bytes) as Uint8Array);
const head = encode(
  headShape,
  signHead(
    { kind: 'journal', run_id: RUN, size: builder.size, root: builder.root(), timestamp_nanos: 1791893760000000000n },
    LOG,
  ),
);

/** Every claim on a journal, and on its approvals, in one text. */
async function claimsOf(records: readonly Uint8Array[], withHead: boolean): Promise<string> {
  const bytes = exportOf(records);
  const report = await verifyInput(
    { path: 'run.json', source: memorySource(bytes) },
    { trust, at: 1791893800000000000n, ...(withHead ? { heads: [{ path: 'head', source: memorySource(head) }] } : {}) },
  );
  const { journal } = readExport(bytes);
  const approvals = journal === undefined ? [] : approvalsOutcome(journal, trust).claims;
  return [...report.claims, ...approvals].map(({ claim, verdict }) => `${claim} ${verdict}`).join(', ');
}

interface Edit {
  readonly name: string;
  apply(records: readonly Uint8Array[], at: number): readonly Uint8Array[] | undefined;
}

const replaced = (records: readonly Uint8Array[], at: number, bytes: Uint8Array) =>
  records.map((record, i) => (i === at ? bytes : record));
/** Changes the first value of a member that the record has. */
const changed =
  (pattern: RegExp, by: (found: string) => string): Edit['apply'] =>
  (records, at) => {
    const text = new TextDecoder().decode(records[at]);
    return pattern.test(text) ? replaced(records, at, utf8(text.replace(pattern, by))) : undefined;
  };

const EDITS: readonly Edit[] = [
  { name: 'removed', apply: (records, at) => records.filter((_, i) => i !== at) },
  {
    name: 'moved to the end',
    apply: (records, at) =>
      at === records.length - 1 ? undefined : [...records.filter((_, i) => i !== at), records[at] as Uint8Array],
  },
  {
    name: 'moved to the front',
    apply: (records, at) =>
      at <= 1
        ? undefined
        : [records[0] as Uint8Array, records[at] as Uint8Array, ...records.filter((_, i) => i > 0 && i !== at)],
  },
  {
    name: 'repeated',
    apply: (records, at) => [...records.slice(0, at), records[at] as Uint8Array, ...records.slice(at)],
  },
  { name: 'renamed', apply: changed(/"name":"([^"]*)"/, (found) => found.replace(/"$/, 'x"')) },
  { name: 'kind changed', apply: changed(/"kind":"[^"]*"/, () => '"kind":"signal"') },
  {
    name: 'salt changed',
    apply: changed(/"salt":"(.)/, (found) => found.slice(0, -1) + (found.endsWith('A') ? 'B' : 'A')),
  },
  { name: 'result changed', apply: changed(/"result":\{"([a-z_]+)"/, (found) => found.replace('{"', '{"x_')) },
  { name: 'arguments changed', apply: changed(/1250\.00/, () => '9250.00') },
  { name: 'verdict changed', apply: changed(/"approved":true,/, () => '') },
  {
    name: 'signature changed',
    apply: changed(/"signature":"(.)/, (found) => found.slice(0, -1) + (found.endsWith('A') ? 'B' : 'A')),
  },
  { name: 'signed time changed', apply: changed(/"decided_at":"2026/, () => '"decided_at":"2025') },
  { name: 'recorded late', apply: changed(/"recorded_at":"2026/, () => '"recorded_at":"2027') },
  { name: 'error flag set', apply: changed(/,"safety"/, () => ',"is_error":true,"safety"') },
  { name: 'policy weakened', apply: changed(/"need":2/, () => '"need":1') },
  {
    name: 'replaced by a decision on another call',
    apply(records, at) {
      const other = new Scene();
      const approver = /"approver":"(\w+)"/.exec(new TextDecoder().decode(records[at]))?.[1];
      if (approver === undefined) return undefined;
      other.decide(approver, { subject: { call: 'call_0' }, change: { name: nameOf(records[at] as Uint8Array) } });
      return replaced(records, at, other.records[1] as Uint8Array);
    },
  },
];

/**
 * What no rule can see without a signed head: bytes that nothing else in the journal depends on. Salts and results are the writer's word; so is
 * where a run ended. A forged decision that never counted may be forged otherwise. A deadline is recognised by what it says, and it and a
 * decision may stand before the request.
 */
const HEAD_ONLY: ReadonlySet<string> = new Set([
  ...original.map((bytes) => `${labelOf(bytes)}: salt changed`),
  'run:start: moved to the front',
  'run:start: result changed',
  'approval-deadline:call_1: moved to the front',
  'approval-deadline:call_1: renamed',
  'approval:call_1:alice: moved to the front',
  'approval:call_1:carol: verdict changed',
  'approval:call_1:carol: signature changed',
  'approval:call_1:carol: signed time changed',
  'approval:call_1:carol: recorded late',
  'tool:call_1: result changed',
  'tool:call_1: error flag set',
  'run:complete: removed',
  'run:complete: renamed',
  'run:complete: recorded late',
]);

function labelOf(bytes: Uint8Array): string {
  return nameOf(bytes)
    .replace(/:[0-9a-f]{64}$/, '')
    .slice(0, 24);
}

describe('the tampering matrix', () => {
  it('changes a claim in every cell under a signed head, and shows which cells need one', async () => {
    const [bare, attested] = [await claimsOf(original, false), await claimsOf(original, true)];
    expect(attested).toContain('completeness verified');
    expect(bare).toContain('approvals verified');
    const rows: string[] = [];
    const hidden: string[] = [];
    for (const [at, bytes] of original.entries()) {
      const record = labelOf(bytes);
      const cells: string[] = [];
      for (const edit of EDITS) {
        const edited = edit.apply(original, at);
        if (edited === undefined) {
          cells.push('-');
          continue;
        }
        expect(await claimsOf(edited, true), `${record} ${edit.name}, under a head`).not.toBe(attested);
        const seen = (await claimsOf(edited, false)) !== bare;
        cells.push(seen ? 'seen' : 'head');
        if (!seen) hidden.push(`${record}: ${edit.name}`);
      }
      rows.push([record.padEnd(26), ...cells.map((cell) => cell.padEnd(5))].join(''));
    }
    const legend = EDITS.map(({ name }, i) => `${i + 1} ${name}`).join(', ');
    const header = [''.padEnd(26), ...EDITS.map((_, i) => String(i + 1).padEnd(5))].join('');
    console.log([`${legend}`, header, ...rows].join('\n'));
    expect(new Set(hidden)).toEqual(HEAD_ONLY);
  });
});
