import { readdirSync, readFileSync } from 'node:fs';
import fc from 'fast-check';
import { beforeAll, describe, expect, it } from 'vitest';
import { utf8 } from '../../src/bytes/encoding.ts';
import { decodeRecord } from '../../src/journal/decode.ts';
import { encodeRecord } from '../../src/journal/encode.ts';
import { readEntries, readExport, readLines } from '../../src/journal/export.ts';
import { MemoryStore } from '../../src/journal/memory-store.ts';
import { notifyEvents } from '../../src/journal/notify-events.ts';
import { projectEvents } from '../../src/journal/project.ts';
import type { JournalRecord } from '../../src/journal/record.ts';
import { haltsOf, replay, statusOf } from '../../src/journal/replay.ts';
import { recordRules, sequenceRules } from '../../src/journal/rules.ts';
import { recordLines, renderConversation, standingOf } from '../../src/journal/show.ts';
import { crashingProcess } from './crashes.ts';
import { playToEnd, type Scenario, World } from './player.ts';

const journals: Uint8Array[][] = [];
beforeAll(async () => {
  const folder = new URL('scenarios/', import.meta.url);
  for (const file of readdirSync(folder)) {
    const scenario = JSON.parse(readFileSync(new URL(file, folder), 'utf8')) as Scenario;
    const store = new MemoryStore();
    let started = 0;
    await playToEnd(scenario, new World(), () => crashingProcess(store, `${scenario.run} ${started++}`));
    const records: Uint8Array[] = [];
    for await (const entry of store.load(scenario.run, -1n)) records.push(entry.data);
    journals.push(records);
  }
});

/** Everything that is ever asked of a journal. */
function everything(records: readonly Uint8Array[]): number {
  const { journal, findings } = readEntries(
    'r>sub',
    records.map((data) => ({ data })),
  );
  if (journal === undefined) return findings.length;
  const run = replay(journal);
  statusOf(run);
  haltsOf(run);
  notifyEvents(run);
  projectEvents(journal);
  recordLines(run);
  standingOf(run);
  renderConversation(run);
  return recordRules(run).length + sequenceRules(run).length;
}

const NAMES = [
  'run:start',
  'run:principal',
  'tool:c1',
  'tool:%',
  'attempt:retry:99:tool:c1',
  'attempt:not-started::x',
  'attempt:not-started:a',
  'approval-tally:',
  'approval-tally:c1:ident-reask:1',
  'approval-pending:c1',
  'chan:9:x',
  'chan:1:x:',
  'turn/0',
  'start/x',
  'from/',
  'timer:',
  'await-timeout:x',
  '@saga/compensate/~',
  '@llm/00',
  'run:limits:1',
  'node:a',
  '__proto__',
  'constructor',
];
const RESULTS = [
  '{}',
  '[]',
  'null',
  '"x"',
  '1e999',
  '{"tool_use_id":"c1","tool_name":"t"}',
  '{"tool_use_id":"c1","tool_name":"t","reask":"x","supersedes":"approval-tally:c1","identity_bound":true}',
  '{"tool_use_id":"node:a","tool_name":"t","args":{}}',
  '{"tool_use_id":"c1","requested_at":"x","expires_at":"y","timeout_ms":-1}',
  '{"format":"bide.approval-exec-hold.v2","tool_use_id":"c1","generation":0}',
  '{"need":1,"approvers":null,"approved":1,"denied":0}',
  '{"__proto__":{"need":1}}',
  '{"input":{"role":"user","parts":[{"type":"song"}]}}',
  '{"turns":-1,"digest":"x"}',
  '{"turns":9007199254740991,"digest":""}',
  '{"principal":null,"ancestors":[null]}',
];

describe('a hostile journal', () => {
  it('never makes anything that reads it throw', () => {
    let judged = 0;
    const edit = fc.record({
      at: fc.nat(40),
      what: fc.constantFrom('name', 'result', 'kind', 'id', 'byte', 'drop', 'claim', 'time'),
      name: fc.constantFrom(...NAMES),
      result: fc.constantFrom(...RESULTS),
      kind: fc.constantFrom(
        'model',
        'tool_result',
        'value',
        'signal',
        'approval',
        'attempt',
        'saga_fail',
        'not_started',
        'header',
        '__proto__',
        '',
      ),
      byte: fc.nat(255),
      offset: fc.nat(400),
    });
    fc.assert(
      fc.property(fc.nat(), fc.array(edit, { minLength: 1, maxLength: 5 }), (which, edits) => {
        let records = [...(journals[which % journals.length] ?? [])];
        for (const { at, what, name, result, kind, byte, offset } of edits) {
          const place = 1 + (at % (records.length - 1));
          const bytes = records[place] as Uint8Array;
          if (what === 'drop') records = records.filter((_, i) => i !== place || records.length < 4);
          else if (what === 'byte') records[place] = bytes.map((old, i) => (i === offset % bytes.length ? byte : old));
          else {
            const read = decodeRecord(bytes);
            if (!read.ok) continue;
            const change: Partial<JournalRecord> =
              what === 'name'
                ? { name }
                : what === 'result'
                  ? { name, result: utf8(result) }
                  : what === 'kind'
                    ? { kind }
                    : what === 'id'
                      ? { toolUseId: name }
                      : what === 'claim'
                        ? { claim: result.slice(0, 32) }
                        : { recordedAt: result, attemptedAt: -1n };
            records[place] = encodeRecord({ ...read.record, ...change });
          }
        }
        if (everything(records) > 0) judged++;
      }),
      { numRuns: 3000, endOnFailure: true },
    );
    expect(judged).toBeGreaterThan(2000);
  });

  it('of any bytes is a finding and never an exception', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 200 }), (bytes) => {
        expect(readExport(bytes).findings.length).toBeGreaterThan(0);
        expect(readLines('r', bytes).findings.length).toBeGreaterThan(0);
      }),
      { numRuns: 300 },
    );
  });

  it('of many gates, attempts and calls is judged in linear time', () => {
    const salt = (i: number) => new Uint8Array(new BigUint64Array([BigInt(i), 1n, 2n, 3n]).buffer);
    const records = [utf8('{"name":"@journal","kind":"header","format":"bide.journal.v1-dev"}')];
    const value = (name: string, kind: string, more: string) =>
      records.push(
        utf8(
          `{"name":"${name}","kind":"${kind}"${more},"salt":"${Buffer.from(salt(records.length)).toString('base64')}"}`,
        ),
      );
    const N = 10_000;
    const parts = Array.from({ length: N }, (_, i) => `{"id":"c${i}","name":"t","type":"tool_use"}`).join(',');
    value('@llm/0', 'model', `,"message":{"role":"assistant","parts":[${parts}]}`);
    for (let i = 0; i < N; i++) {
      value(`approval-pending:c${i}`, 'value', `,"result":{"tool_use_id":"c0","tool_name":"t","reask":"x${i}"}`);
      value(`attempt:retry:${i + 1}:tool:c0`, 'attempt', ',"tool_use_id":"c0","claim":"00"');
      value(`approval-tally:c0:x${i}`, 'value', ',"result":{"need":1,"approvers":null,"approved":0,"denied":0}');
      value(`attempt:not-started:00:attempt:retry:${i + 1}:tool:c0`, 'not_started', ',"tool_use_id":"c0","claim":"00"');
    }
    const start = performance.now();
    expect(everything(records)).toBeGreaterThan(0);
    expect(performance.now() - start).toBeLessThan(20_000);
  }, 60_000);

  it('of many markers and outcomes that all tell of one call is judged in linear time', () => {
    const id = 'a'.repeat(200);
    const records = [utf8('{"name":"@journal","kind":"header","format":"bide.journal.v1-dev"}')];
    for (let i = 0; i < 5000; i++)
      records.push(
        utf8(`{"name":"attempt:tool:x${i}","kind":"attempt","tool_use_id":"${id}"}`),
        utf8(`{"name":"tool:x${i}","kind":"tool_result","tool_use_id":"${id}","result":1}`),
      );
    const start = performance.now();
    expect(everything(records)).toBeGreaterThan(0);
    expect(performance.now() - start).toBeLessThan(20_000);
  }, 200_000);
});
