import { describe, expect, it } from 'vitest';
import { base64, utf8 } from '../../src/bytes/encoding.ts';
import { sha256 } from '../../src/crypto/sha256.ts';
import { readEntries } from '../../src/journal/export.ts';
import { readTrust } from '../../src/trust/read.ts';
import { approvalsOutcome } from '../../src/verify/approvals.ts';

const RECORDS = [
  '{"name":"@journal","kind":"header","format":"bide.journal.v1-dev"}',
  '{"name":"run:start","kind":"value","result":{"input":"x","kind":"agent","started_at":"2026-01-01T00:00:00.000Z"}}',
  '{"name":"@llm/0","kind":"model","message":{"role":"assistant","parts":[{"args":{},"id":"c","name":"refund","type":"tool_use"}]},"usage":{},"finish":"tool_use"}',
  '{"name":"approval:c","kind":"approval","tool_use_id":"c","approved":true,"decided_at":"2026-01-01T00:00:00.000Z"}',
  `{"name":"attempt:tool:c","kind":"attempt","tool_use_id":"c","claim":"${'1'.repeat(32)}"}`,
  '{"name":"tool:c","kind":"tool_result","tool_use_id":"c","result":{},"safety":{},"approval":{"single":true}}',
];

describe('a gate of one unsigned decision', () => {
  it('is counted, and the claim says that nothing signed it', async () => {
    const { journal } = readEntries(
      'run',
      RECORDS.map((record, i) => ({
        data: utf8(record.replace(/}$/, `,"salt":"${base64(sha256(utf8(`salt ${i}`)))}"}`)),
      })),
    );
    const { trust, findings } = await readTrust([
      {
        name: 'trust.json',
        bytes: utf8('{"format":"audit.trust.v1","gates":[{"run":"*","tool":"*","policy":{"single":true}}]}'),
      },
    ]);
    expect([journal === undefined, findings]).toEqual([false, []]);
    const { claims } = approvalsOutcome(journal as NonNullable<typeof journal>, trust);
    const count = claims.find(({ claim }) => claim === 'count');
    expect(count?.verdict).toBe('verified');
    expect(count?.detail).toContain('who made it, the journal cannot show');
    expect(count?.detail).not.toContain('counted again from the signatures');
  });
});
