/** Sessions and documents made to bring a reader down: nothing throws, and depth and names cost nothing. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { checkAgreement } from '../../src/atif/agreement.ts';
import type { AtifDocument } from '../../src/atif/document.ts';
import { toAtif } from '../../src/atif/export.ts';
import { items } from '../../src/atif/items.ts';
import { itemsFrom } from '../../src/atif/itemsFrom.ts';
import { readPrices } from '../../src/atif/prices.ts';
import { readAtif, schemaProblem } from '../../src/atif/read.ts';
import { environment, noPassthrough, redact, secrets } from '../../src/atif/redact.ts';
import { showAtif } from '../../src/atif/show.ts';
import { isTrajectory, trajectories } from '../../src/atif/trajectory.ts';
import { documentText } from '../../src/atif/write.ts';
import { memorySource } from '../../src/bytes/source.ts';
import { verifier } from '../../src/verify/atif.ts';
import { type Body, canonical, Draft, functionCall, message, type Value } from '../session/draft.ts';
import { read } from '../session/load.ts';

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);

async function documents(draft: Draft): Promise<readonly AtifDocument[]> {
  const paths = [...trajectories(read(draft.bytes()))].filter(isTrajectory);
  return Promise.all(paths.map((path) => toAtif(path)));
}

describe('export', () => {
  it('takes items of any shape', async () => {
    const type = fc.constantFrom(
      'message',
      'reasoning',
      'function_call',
      'function_call_output',
      'compaction',
      'x:y',
      '',
    );
    const names = [
      'role',
      'content',
      'output',
      'call_id',
      'name',
      'arguments',
      'summary',
      'text',
      'phase',
      '__proto__',
    ];
    const shape = fc.tuple(type, fc.dictionary(fc.constantFrom(...names), fc.jsonValue({ maxDepth: 3 })));
    await fc.assert(
      fc.asyncProperty(fc.array(shape, { minLength: 1, maxLength: 6 }), fc.boolean(), async (given, inCall) => {
        const draft = new Draft();
        // Of a number, a session holds what is left after its own rules.
        for (const [type, rest] of given) {
          const item = JSON.parse(JSON.stringify({ ...rest, type }).replaceAll('-0', '0')) as Body;
          draft.item(item, inCall ? { response: 'p' } : {});
        }
        draft.add('response', { response_id: 'p', status: 'completed', usage: { input_tokens: 'x' } });
        for (const document of await documents(draft)) {
          const back = items(document);
          const recorded = draft.entries.flatMap(({ type, body }) => (type === 'item' ? [body['item'] as Value] : []));
          const sorted = (values: readonly unknown[]) => values.map((value) => canonical(value as Value)).sort();
          expect(sorted(back.ok ? back.items : [])).toEqual(sorted(recorded));
          itemsFrom(document);
          expect(readAtif(bytes(documentText(document))).findings).toEqual([]);
        }
      }),
      { numRuns: process.env['AUDIT_FUZZ'] === undefined ? 200 : 10_000 },
    );
  });

  it('takes names that objects inherit', async () => {
    const draft = new Draft();
    const own = JSON.parse('{"__proto__":{"polluted":1},"constructor":2}') as Body;
    const id = draft.item({ ...message('x'), ...own }, own);
    draft.add('dispatch', { call_id: '__proto__', target: id });
    draft.add('label', { target: id, label: '__proto__' });
    const [document] = await documents(draft);
    const text = documentText(document as AtifDocument);
    expect(text).toContain('"__proto__": {\n          "polluted": 1');
    expect(text).toMatch(/"calls": \{\s+"__proto__": \{\s+"dispatch"/);
    expect(({} as { polluted?: number }).polluted).toBeUndefined();
    const cleaned = redact(document as AtifDocument, secrets('nothing'), environment());
    expect(JSON.parse(documentText(cleaned)) as unknown).toEqual(
      JSON.parse(documentText(redact(document as AtifDocument, environment()))),
    );
  });

  it('takes values that nest as deep as a session may, without stack and without a flood of indents', async () => {
    let deep: Value = 0;
    for (let i = 0; i < 9_900; i++) deep = [deep];
    const draft = new Draft();
    draft.item(functionCall('c1', 'f', `{"a":${'['.repeat(50_000)}${']'.repeat(50_000)}}`));
    const [document] = await documents(draft);
    const made = document as AtifDocument;
    expect(Object.keys(made.steps[0]?.tool_calls?.[0]?.arguments ?? {})).toEqual(['_arguments']);
    const step = made.steps[0] as AtifDocument['steps'][number];
    const nested: AtifDocument = { ...made, steps: [{ ...step, extra: { deep } }] };
    const text = documentText(redact(nested, secrets('x'), noPassthrough()));
    expect(text.length).toBeLessThan(200_000);
    const { rules, document: again, findings } = readAtif(bytes(text));
    expect([findings, rules?.violations]).toEqual([[], []]);
    expect(schemaProblem(again as AtifDocument, rules as NonNullable<typeof rules>)).toBeUndefined();
    expect(checkAgreement(again as AtifDocument).findings).toEqual([]);
    expect([...showAtif(again as AtifDocument)].length).toBeGreaterThan(3);
  });
});

describe('verification', () => {
  const base =
    '{"schema_version":"ATIF-v1.8","agent":{"name":"a","version":"1"},"steps":[{"step_id":1,"source":"user","message":""}],"extra":';
  const outcome = (text: string) => verifier.verify({ path: 'x', source: memorySource(bytes(text)) }, {} as never);

  it('gives a verdict on any bytes', async () => {
    await fc.assert(
      fc.asyncProperty(fc.oneof(fc.json(), fc.string()), async (text) => {
        const { claims } = await outcome(`${base}${text}}`);
        expect(claims.map(({ claim }) => claim).slice(0, 2)).toEqual(['schema', 'rules']);
      }),
      { numRuns: 200 },
    );
  });

  it('never verifies a document with an ambiguous name, one that is cut off, or one that nests too deep', async () => {
    for (const text of [
      `${base}{"a":1,"a":2}}`,
      `${base}{"a":[{"b":0,"b":0}]}}`,
      base,
      `${base}${'['.repeat(20_000)}`,
      `${base}{},"extra":{}}`,
    ]) {
      const { claims, findings } = await outcome(text);
      expect(claims.filter(({ verdict }) => verdict === 'verified')).toEqual([]);
      expect(findings).not.toEqual([]);
    }
  });

  it('lists a flood of faults by its beginning and counts the rest', async () => {
    const members = Array.from({ length: 5000 }, (_, i) => `"m${i}":1`).join(',');
    const { findings, counts } = await outcome(`${base}null,${members}}`);
    expect(findings.length).toBeLessThan(200);
    expect(counts['broken_rules']).toBe(5000);
  });
});

describe('price tables', () => {
  const read = (text: string) => readPrices(bytes(text));
  const usage = { input: 1e6, output: 2e6, cached: 4e5, reasoning: 0, raw: {} };
  it('price input, output and, where they say so, cached input', () => {
    const table = read(
      '{"format":"audit.prices.v1","models":{"m":{"input":2,"output":8,"cached":1},"*":{"input":1,"output":0},"__proto__":{"input":7,"output":0}}}',
    );
    if (!table.ok) throw new Error(table.message);
    expect(table.cost('m', usage)).toBeCloseTo(1.2 + 0.4 + 16, 12);
    expect([table.cost('other', usage), table.cost('__proto__', usage)]).toEqual([1, 7]);
    const named = read('{"format":"audit.prices.v1","models":{"m":{"input":0,"output":0}}}');
    expect(named.ok && [named.cost('m', usage), named.cost('toString', usage)]).toEqual([0, undefined]);
  });
  it.each([
    '{}',
    '[]',
    '{"format":"audit.prices.v2","models":{}}',
    '{"format":"audit.prices.v1"}',
    '{"format":"audit.prices.v1","models":{},"more":1}',
    '{"format":"audit.prices.v1","models":{"m":{"input":1}}}',
    '{"format":"audit.prices.v1","models":{"m":{"input":-1,"output":1}}}',
    '{"format":"audit.prices.v1","models":{"m":{"input":1e999,"output":1}}}',
    '{"format":"audit.prices.v1","models":{"m":{"input":1,"output":1,"cashed":1}}}',
    '{"format":"audit.prices.v1","models":{"m":{"input":1,"output":1},"m":{"input":2,"output":1}}}',
    '{"format":"audit.prices.v1","models":{"m":{"input":1,"input":2,"output":1}}}',
  ])('are refused when they are not exactly of the format: %s', (text) => {
    expect(read(text).ok).toBe(false);
  });
});
