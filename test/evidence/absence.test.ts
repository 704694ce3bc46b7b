/** Absence over arbitrary sets of calls: every key that is not there is proven absent, and no key that is there can be (audit spec 4.5). */
import fc from 'fast-check';
import { beforeAll, describe, expect, it } from 'vitest';
import { compareUtf8, utf8 } from '../../src/bytes/encoding.ts';
import { sha256 } from '../../src/crypto/sha256.ts';
import type { PrivateKey } from '../../src/crypto/signature.ts';
import { checkAbsence } from '../../src/evidence/absence.ts';
import { HeadChecker } from '../../src/evidence/heads.ts';
import { type JournalTree, treeOfJournal } from '../../src/evidence/journalTree.ts';
import { projectionFindings, proveAbsent, signKeySetHead, TOOL_USE_KEYS } from '../../src/evidence/keySets.ts';
import { encodeRecord } from '../../src/journal/encode.ts';
import { readEntries } from '../../src/journal/export.ts';
import { names } from '../../src/journal/names.ts';
import { EMPTY_RECORD } from '../../src/journal/record.ts';
import { ringOf } from '../../src/log/keyRing.ts';
import { logKey } from './fixtures.ts';

let key: PrivateKey;
let heads: HeadChecker;
beforeAll(async () => {
  key = await logKey();
  heads = new HeadChecker({ ring: ringOf(key.publicKey) });
});

function journalOf(calls: readonly string[]): JournalTree {
  const records = [
    { ...EMPTY_RECORD, name: '@journal', kind: 'header', format: 'bide.journal.v1-dev' },
    ...calls.map((id) => ({
      ...EMPTY_RECORD,
      name: names.tool(id),
      kind: 'tool_result',
      toolUseId: id,
      result: utf8('1'),
    })),
  ].map((record, i) => ({ data: encodeRecord({ ...record, salt: sha256(utf8(`${i}`)) }) }));
  const { journal, findings } = readEntries('r', records);
  if (journal === undefined) throw new Error(JSON.stringify(findings));
  return treeOfJournal(journal);
}

/** Ids whose order by UTF-16 units and by bytes differ are among them. */
const id = fc.oneof(
  fc.string({ minLength: 1, maxLength: 4, unit: 'grapheme' }),
  fc.constantFrom('a', 'b', '\uff61', '\u{1f600}', '\uff62', '~'),
);

describe('absence', () => {
  it('is proven of every key that is not in the set, and of none that is', () => {
    fc.assert(
      fc.property(fc.uniqueArray(id, { maxLength: 12, selector: (text) => names.tool(text) }), id, (calls, other) => {
        const of = journalOf(calls);
        const head = signKeySetHead(of, TOOL_USE_KEYS, key, 5n);
        if (!head.ok) throw new Error('no head');
        expect(projectionFindings(of, TOOL_USE_KEYS, head.value)).toEqual([]);
        const made = proveAbsent(of, TOOL_USE_KEYS, `tooluse:${other}`, head.value);
        expect(made.ok).toBe(!calls.includes(other));
        if (!made.ok) return;
        expect(checkAbsence(made.value, TOOL_USE_KEYS, heads)).toEqual({
          findings: [],
          authorship: 'verified',
          absence: 'verified',
        });
        const { left, right } = made.value.absence;
        const sorted = calls.map((call) => `tooluse:${call}`).sort(compareUtf8);
        expect(left?.key ?? null).toBe(sorted.filter((one) => compareUtf8(one, `tooluse:${other}`) < 0).at(-1) ?? null);
        expect(right?.key ?? null).toBe(sorted.find((one) => compareUtf8(one, `tooluse:${other}`) > 0) ?? null);
        // The same neighbours prove nothing about a key that is in the set, nor when one of them is left out.
        for (const present of calls) {
          const forged = { ...made.value, absence: { ...made.value.absence, key: `tooluse:${present}` } };
          expect(checkAbsence(forged, TOOL_USE_KEYS, heads).absence).toBe('failed');
        }
        for (const side of ['left', 'right'] as const) {
          if (made.value.absence[side] === null) continue;
          const cut = { ...made.value, absence: { ...made.value.absence, [side]: null } };
          expect(checkAbsence(cut, TOOL_USE_KEYS, heads).absence).toBe('failed');
        }
      }),
      { numRuns: 60 },
    );
  });
});
