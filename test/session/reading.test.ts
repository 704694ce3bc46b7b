import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { hex, utf8 } from '../../src/bytes/encoding.ts';
import { type ByteSource, memorySource } from '../../src/bytes/source.ts';
import { Scanner } from '../../src/json/scan.ts';
import { MOST_OF_ONE_CODE } from '../../src/session/findingSink.ts';
import { type EnvelopeRows, envelopeRows, Hasher } from '../../src/session/ident.ts';
import { LineReader } from '../../src/session/lines.ts';
import { readSession } from '../../src/session/read.ts';
import { ROOT } from '../../src/session/session.ts';
import { type Body, Draft, functionCall, functionOutput, message, type Value } from './draft.ts';

/** A source that gives at most so many bytes at a time, in memory that the next read overwrites. */
function chopped(bytes: Uint8Array, piece: number): ByteSource {
  const shared = new Uint8Array(piece);
  return {
    size: bytes.length,
    read(offset, length) {
      const part = bytes.subarray(offset, Math.min(offset + Math.min(length, piece), bytes.length));
      shared.fill(0x3f);
      shared.set(part);
      return shared.subarray(0, part.length);
    },
  };
}

function hashes(line: string): { id: string; content: string } {
  const scanner = new Scanner();
  scanner.scan(utf8(line));
  const rows: EnvelopeRows = { id: -1, type: -1, parent: -1, parents: -1, ts: -1, content: -1 };
  envelopeRows(scanner, rows);
  const hasher = new Hasher();
  const content = hasher.contentHash(scanner, rows);
  return { id: `sha256:${hex(hasher.id(scanner, rows, content))}`, content: `sha256:${hex(content)}` };
}

describe('ids (session-format 4.4)', () => {
  const line = '{"type":"info","parent":null,"ts":"2026-11-01T09:00:00Z","name":"Demo"}';
  const content = 'sha256:fdef97059d5819ef64f84034018a887b8591f398da5cbbe240376ca81f1444bb';
  const id = 'sha256:4a048e9fd95f92376717677433330ce703b61ef3b56381db083376a49fa57425';

  it('are those of the worked example', () => {
    expect(hashes(line)).toEqual({ id, content });
    expect(hashes(line.replace('{', '{"parents":[],'))).toEqual({ id, content });
    expect(hashes(line.replace('{', '{"parents":null,'))).toEqual({ id, content });
    expect(hashes(line.replace('00Z', '00.5Z'))).toEqual({
      id: 'sha256:1946071c67be5f4da27abdd4d88820cf940246969c15dc9bd8ecbb25209b94c2',
      content,
    });
    expect(hashes(line.replace('}', ',"x:note":{"b":1,"a":[1.0,2]}}'))).toEqual({
      id: 'sha256:2585592590bb9578f0528f6973ed3a5d8739285a992b364e7c3e67090d2d0f35',
      content: 'sha256:e976b3d41891b5b997548febe790503508543addd740cd6eb047324a4823ffb5',
    });
    const refs = `[{"entry":"sha256:2585592590bb9578f0528f6973ed3a5d8739285a992b364e7c3e67090d2d0f35"},{"session":"s-2","entry":"${id}"}]`;
    expect(hashes(line.replace('{', `{"parents":${refs},`)).id).toBe(
      'sha256:9c4fdb7da75d9eb1fd6d6ae7427ba0f8ccf1e717eeb940b6fd1aee826ff0a7af',
    );
  });
  it('do not depend on member order, spacing or spelling', () => {
    const body = fc.dictionary(
      fc.string({ unit: 'grapheme', minLength: 1 }).filter((name) => name !== 'content' && name !== '__proto__'),
      fc.jsonValue({ maxDepth: 3, stringUnit: 'grapheme' }),
      { maxKeys: 5 },
    );
    fc.assert(
      fc.property(body, fc.constantFrom(0, 2), fc.boolean(), (members, space, escaped) => {
        const entry = { type: 'x:y', parent: null, ts: '2026-11-01T09:00:00Z' };
        const text = JSON.stringify({ ...entry, ...members });
        const order = Object.entries({ ...members, ...entry }).reverse();
        let other = JSON.stringify(Object.fromEntries(order), null, space);
        if (escaped)
          other = other.replace(/[a-zA-Z\u0100-\uffff](?=[^"\\]*")/gu, (letter, at: number) =>
            other[at - 1] === '\\' || /\\u[0-9a-f]{0,3}$/.test(other.slice(Math.max(0, at - 5), at))
              ? letter
              : [...letter].map((unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`).join(''),
          );
        let respelled: unknown;
        try {
          respelled = JSON.parse(other);
        } catch {
          return; // The respelling hit a word such as true.
        }
        expect(respelled).toEqual(JSON.parse(text));
        expect(hashes(other)).toEqual(hashes(text));
      }),
      { numRuns: 300 },
    );
  });
});

describe('lines', () => {
  it('are the same however the source chops its bytes', () => {
    const lines = fc.array(fc.constantFrom('a', 'é', '\r', '\n', '\n\n', '\r\n', 'long '.repeat(20), ' '), {
      maxLength: 30,
    });
    fc.assert(
      fc.property(lines, fc.integer({ min: 1, max: 40 }), (parts, piece) => {
        const bytes = utf8(parts.join(''));
        const all = (source: ByteSource) => {
          const reader = new LineReader(source);
          const found: unknown[] = [];
          while (reader.next()) {
            const text = new TextDecoder().decode(reader.bytes.subarray(reader.start, reader.end));
            found.push([reader.number, reader.offset, reader.last, text]);
          }
          return found;
        };
        const want = all(memorySource(bytes));
        expect(all(chopped(bytes, piece))).toEqual(want);
        const simple = new TextDecoder()
          .decode(bytes)
          .split('\n')
          .map((text, index) => [index + 1, text.replace(/\r+$/, '')] as const)
          .filter(([, text]) => text !== '');
        expect(want.map((row) => [(row as unknown[])[0], (row as unknown[])[3]])).toEqual(simple);
      }),
      { numRuns: 300 },
    );
  });
  it('past the limit are passed over, and what follows is read', () => {
    const bytes = utf8(`one\n${'x'.repeat(5000)}\nthree\n`);
    for (const source of [memorySource(bytes), chopped(bytes, 7)]) {
      const reader = new LineReader(source, { maxLine: 1000 });
      const found: unknown[] = [];
      while (reader.next()) found.push([reader.number, reader.offset, reader.tooLong, reader.last]);
      expect(found).toEqual([
        [1, 0, false, false],
        [2, 4, true, false],
        [3, 5005, false, true],
      ]);
    }
  });
});

/** A session with a bit of everything, two branches. */
function sample(): Draft {
  const draft = new Draft({ records: ['run', 'dispatch', 'decision'] });
  draft.add('config', { replace: true, model: 'm', instructions: 'Be brief.' });
  const ask = draft.item(message('what?'));
  const call = draft.item(functionCall('c1'), { response: 'r1' });
  draft.response('r1');
  draft.add('decision', { call_id: 'c1', target: call, verdict: 'proceed', by: 'policy' });
  draft.add('dispatch', { call_id: 'c1', target: call });
  draft.item(functionOutput('c1', 'é 😀'));
  draft.item(message('other branch'), {}, ask);
  return draft;
}

describe('a session', () => {
  it('reads the same whole, chopped and byte by byte', () => {
    const bytes = sample().bytes();
    const read = (source: ByteSource) => {
      const { session, findings } = readSession(source);
      if (session === undefined) throw new Error('no session');
      const entries = Array.from({ length: session.size }, (_, i) => [
        session.entry(i),
        session.offset(i),
        session.line(i),
      ]);
      return JSON.stringify({ entries, leaf: session.leaf, findings });
    };
    const want = read(memorySource(bytes));
    for (const piece of [1, 2, 3, 61, 1000]) expect(read(chopped(bytes, piece))).toBe(want);
  });
  it('gives entries on demand, and their paths', () => {
    const draft = sample();
    const { session, findings } = readSession(memorySource(draft.bytes()));
    expect(findings).toEqual([]);
    expect(session?.size).toBe(draft.entries.length);
    draft.entries.forEach((entry, index) => {
      expect(session?.id(index)).toBe(entry.id);
      expect(session?.find(entry.id)).toBe(index);
      expect(session?.path(index).map((at) => session.id(at))).toEqual(draft.path(entry.id).map(({ id }) => id));
      expect(JSON.parse(new TextDecoder().decode(session?.bytes(index)))).toMatchObject(entry.body);
    });
    expect(session?.find('sha256:00')).toBeUndefined();
    expect(session?.leaf).toBe(draft.entries.length - 1);
    expect([0, 1, 6, 7].map((index) => session?.isLeaf(index))).toEqual([false, false, true, true]);
  });
  it('visits each usable entry once, in file order, before the file is read to its end', () => {
    const draft = sample();
    const seen: string[] = [];
    readSession(memorySource(draft.bytes()), {
      visit: (index, entry, session) => {
        expect(session.size).toBe(index + 1);
        seen.push(entry.id);
      },
    });
    expect(seen).toEqual(draft.entries.map(({ id }) => id));
  });
  it('goes on after a bad line; what stands below it is there and not usable', () => {
    const draft = sample();
    const lines = draft.text().split('\n');
    lines[3] = (lines[3] as string).replace('"name":"look"', '"name":"hook"');
    const { session, findings } = readSession(memorySource(utf8(lines.join('\n'))));
    expect(findings.map(({ code, where }) => [code, where.line])).toEqual([['session/id-mismatch', 4]]);
    expect(session?.size).toBe(draft.entries.length);
    expect(Array.from({ length: 8 }, (_, i) => session?.usable(i))).toEqual([
      true,
      true,
      false,
      true,
      true,
      true,
      true,
      true,
    ]);
    expect(Array.from({ length: 8 }, (_, i) => session?.pathUsable(i))).toEqual([
      true,
      true,
      false,
      false,
      false,
      false,
      false,
      true,
    ]);
    expect(() => session?.entry(2)).toThrow(RangeError);
  });
  it('finds a good line under its id even when a bad one stated it before', () => {
    const draft = sample();
    const lines = draft.text().split('\n');
    const good = lines[2] as string;
    lines.splice(2, 0, good.replace('what?', 'why?'));
    const { session, findings } = readSession(memorySource(utf8(lines.join('\n'))));
    expect(findings.map(({ code, where }) => [code, where.line])).toEqual([['session/id-mismatch', 3]]);
    const found = session?.find(draft.entries[1]?.id ?? '');
    expect(found !== undefined && session?.usable(found)).toBe(true);
    expect(session?.pathUsable((session?.size ?? 0) - 1)).toBe(true);
  });
  it('keeps what a name or number cannot change: a member named __proto__ and integer names', () => {
    const body = JSON.parse('{"__proto__":{"polluted":true},"10":1,"9":2,"constructor":null}') as Body;
    const draft = new Draft();
    draft.add('x:y', body);
    const { session, findings } = readSession(memorySource(draft.bytes()));
    expect(findings).toEqual([]);
    expect(({} as { polluted?: boolean }).polluted).toBeUndefined();
    expect(new TextDecoder().decode(session?.bytes(0))).toContain('"__proto__":{"polluted":true}');
  });
  it('reports a line past the limit and checks the others', () => {
    const draft = sample();
    const lines = draft.text().split('\n');
    lines.splice(2, 0, `{"x":"${'y'.repeat(2000)}"}`);
    const { session, findings } = readSession(memorySource(utf8(lines.join('\n'))), { maxLine: 1000 });
    expect(findings.map(({ code, where }) => [code, where.line])).toEqual([['session/line-too-long', 3]]);
    expect(session?.size).toBe(draft.entries.length);
  });
  it('is not read when its header is past the limit', () => {
    const { session, findings } = readSession(memorySource(utf8(`{"x":"${'y'.repeat(2000)}"}\n`)), { maxLine: 1000 });
    expect(session).toBeUndefined();
    expect(findings.map(({ code }) => code)).toEqual(['session/line-too-long']);
  });
  it('lists findings of one code up to a number and counts the rest', () => {
    const { findings } = readSession(memorySource(utf8(`${new Draft().text()}${'{}\n'.repeat(MOST_OF_ONE_CODE + 7)}`)));
    expect(findings.length).toBe(MOST_OF_ONE_CODE + 1);
    expect(findings.at(-1)?.message).toContain('7 more');
  });
  it('follows a path of fifty thousand entries without a stack', () => {
    const draft = new Draft();
    for (let i = 0; i < 50_000; i++) draft.add('info', { name: `${i}` });
    const { session } = readSession(memorySource(draft.bytes()));
    expect(session?.path(49_999).length).toBe(50_000);
    expect(session?.pathUsable(49_999)).toBe(true);
  });
});

describe('the resume rule (session-format 1.8)', () => {
  it('gives the leaf of the worked example line by line', () => {
    const header = new Draft().text();
    const lines = [
      '{"id":"sha256:fec11db3fe6fe438c4f7ffd75452889bb6d4c844891db264cfc3d5235425eff7","item":{"content":[{"text":"A","type":"input_text"}],"role":"user","type":"message"},"parent":null,"ts":"2026-11-01T11:00:00Z","type":"item"}',
      '{"id":"sha256:a6cd52edc145eb0957dfeb2fe111225df828bff82a7826bc64a8781227363cfb","item":{"content":[{"text":"B","type":"input_text"}],"role":"user","type":"message"},"parent":"sha256:fec11db3fe6fe438c4f7ffd75452889bb6d4c844891db264cfc3d5235425eff7","ts":"2026-11-01T11:00:01Z","type":"item"}',
      '{"id":"sha256:d74c397fe7c6a38626896937d170dbdc8469373597457bf148fefe624af17025","label":"leaf","parent":null,"target":null,"ts":"2026-11-01T11:00:02Z","type":"label"}',
      '{"id":"sha256:b6333bd12dac68624e918e4e3e2413b7157916f876f6dafbf3eb29743e8cae2f","item":{"content":[{"text":"C","type":"input_text"}],"role":"user","type":"message"},"parent":null,"ts":"2026-11-01T11:00:03Z","type":"item"}',
      '{"id":"sha256:c958932d9c3b58ad278ab928dd4e3fe807d37b5526ab20042a9daf509b8b79a9","label":"leaf","parent":"sha256:fec11db3fe6fe438c4f7ffd75452889bb6d4c844891db264cfc3d5235425eff7","target":"sha256:fec11db3fe6fe438c4f7ffd75452889bb6d4c844891db264cfc3d5235425eff7","ts":"2026-11-01T11:00:04Z","type":"label"}',
    ];
    const leaves = lines.map((_, count) => {
      const { session, findings } = readSession(memorySource(utf8(header + lines.slice(0, count + 1).join('\n'))));
      expect(findings).toEqual([]);
      return session?.leaf;
    });
    expect(leaves).toEqual([0, 1, ROOT, 3, 0]);
  });
});

describe('migration (session-format 10)', () => {
  it('gives the entries of the worked example', () => {
    const text = [
      '{"type":"session","format":"agentsession/0.4","id":"old-1","created_at":"2026-09-17T12:00:00Z","payload":"openresponses/2026-04-24"}',
      '{"type":"config","id":"c1","parent":null,"ts":"2026-09-17T14:00:00+02:00","model":"gpt-5","instructions":"Be brief."}',
      '{"type":"item","id":"i1","parent":"c1","ts":"2026-09-17T12:00:01.250Z","item":{"type":"message","role":"user","content":[{"type":"input_text","text":"hi"}]}}',
      '{"type":"label","id":"l1","parent":"i1","ts":"2026-09-17T12:00:02.1234567895Z","target":"i1","label":"start"}',
    ].join('\n');
    const { session } = readSession(memorySource(utf8(text)));
    expect(session?.migrated).toBe(true);
    expect([0, 1, 2].map((entry) => new TextDecoder().decode(session?.bytes(entry)))).toEqual([
      '{"id":"sha256:2f2b1c565c7967956c3d1686b496c46e9af1ec8e8359ed94055e9abfeed61d40","instructions":"Be brief.","legacy_id":"c1","model":"gpt-5","parent":null,"ts":"2026-09-17T12:00:00Z","type":"config"}',
      '{"id":"sha256:383beae1ed56e36670feeeb3c6e9acdc7d33285547aef1ab7115dc673cd1359d","item":{"content":[{"text":"hi","type":"input_text"}],"role":"user","type":"message"},"legacy_id":"i1","parent":"sha256:2f2b1c565c7967956c3d1686b496c46e9af1ec8e8359ed94055e9abfeed61d40","ts":"2026-09-17T12:00:01.25Z","type":"item"}',
      '{"id":"sha256:547ffa158765cbf60d0466f1b5b8781dc562f665dbe038cc66f8c4462a15fe89","label":"start","legacy_id":"l1","parent":"sha256:383beae1ed56e36670feeeb3c6e9acdc7d33285547aef1ab7115dc673cd1359d","target":"sha256:383beae1ed56e36670feeeb3c6e9acdc7d33285547aef1ab7115dc673cd1359d","ts":"2026-09-17T12:00:02.123456789Z","type":"label"}',
    ]);
  });
});

describe('entries', () => {
  const decoded = (type: string, body: Body, header: Body = {}) => {
    const draft = new Draft(header);
    draft.add(type, body);
    const { session, findings } = readSession(memorySource(draft.bytes()));
    expect(findings.filter(({ class: effect }) => effect !== 'none')).toEqual([]);
    const { id: _, ts: __, type: ___, parent: ____, parents: _____, ...rest } = session?.entry(0) ?? ({} as never);
    return JSON.parse(JSON.stringify(rest, (name, value: unknown) => (name === 'raw' ? undefined : value))) as Value;
  };

  it('take members of later minors by form, in a file of any minor', () => {
    const early = { format: 'agentsession/0.5' };
    expect(decoded('item', { item: functionOutput('c'), failed: true, from_link: 'l' }, early)).toMatchObject({
      failed: true,
      fromLink: 'l',
    });
    expect(decoded('item', { item: message('m'), failed: true }, early)).toMatchObject({ failed: false });
    expect(decoded('response', { attempts: 3 }, early)).toMatchObject({ attempts: 3 });
    expect(decoded('response', { attempts: 0 })).toMatchObject({ attempts: 1 });
    expect(
      decoded('decision', { call_id: 'c', target: 't', verdict: 'reject', reason: 'r', withdrawn: true }, early),
    ).toMatchObject({ withdrawn: true });
    expect(decoded('decision', { call_id: 'c', target: 't', verdict: 'hold', withdrawn: true })).toMatchObject({
      withdrawn: false,
    });
    expect(
      decoded('config', { omit: { images: { keep: 2, placeholder: 'x' } } }, { format: 'agentsession/0.11' }),
    ).toMatchObject({
      omit: { images: { keep: 2, placeholder: 'x' }, holdsUntyped: false },
    });
  });
  it('take redacted only under a header of 0.13 or later', () => {
    expect(decoded('info', { redacted: [1, [2, 4], 6] })).toMatchObject({ redacted: [1, [2, 4], 6] });
    expect(decoded('info', { redacted: [] })).toMatchObject({ redacted: [] });
    expect(decoded('info', { redacted: [1] }, { format: 'agentsession/0.12' })).not.toHaveProperty('redacted');
    for (const form of [[2, 1], [1, 1], [[1, 3], 3], [[2, 2]], [0], ['1'], [1.5], [[1]], [[1, 2, 3]], {}] as const)
      expect(decoded('info', { redacted: form as unknown as Value })).not.toHaveProperty('redacted');
  });
  it('take members of links only on their relations and beside their companions', () => {
    const all = { session: 's', call_id: 'c', target: 't', url: 'u', task: 'k', context: 'x', cancel: 'sent' };
    expect(decoded('link', { rel: 'peer', ...all })).toEqual({
      kind: 'link',
      rel: 'peer',
      session: 's',
      callId: 'c',
      target: 't',
      url: 'u',
      task: 'k',
      context: 'x',
      cancel: true,
    });
    expect(decoded('link', { rel: 'judged_by', ...all })).toEqual({
      kind: 'link',
      rel: 'judged_by',
      session: 's',
      callId: 'c',
      target: 't',
      cancel: false,
    });
    expect(decoded('link', { rel: 'fork_of', ...all })).toEqual({
      kind: 'link',
      rel: 'fork_of',
      session: 's',
      callId: 'c',
      cancel: false,
    });
    expect(decoded('link', { rel: 'peer', session: '', task: 'k', cancel: 'sent' })).toEqual({
      kind: 'link',
      rel: 'peer',
      session: '',
      cancel: false,
    });
  });
  it('take a keep only as a positive integer in digits beside no id', () => {
    const parts = [{ keep: 2 }, { keep: 0 }, { keep: '2' }, { id: 'a', keep: 2 }, { id: 'b', text: 'B', source: 's' }];
    expect(decoded('config', { instructions_parts: parts })).toMatchObject({
      instructionsParts: [
        { id: '', keep: 2 },
        { id: '' },
        { id: '' },
        { id: 'a' },
        { id: 'b', text: 'B', source: 's' },
      ],
    });
    expect(
      decoded('config', {
        instructions_omitted: [
          { keep: 1, of: 'x' },
          { id: 'a', of: 'x', keep: 1 },
        ],
      }),
    ).toMatchObject({
      instructionsOmitted: [{ id: '', keep: 1, of: 'x' }, { id: 'a' }],
    });
  });
  it('let an omit fall back whole when a name is spelled in another case', () => {
    expect(decoded('config', { omit: { Reasoning: 'other_models' } })).not.toHaveProperty('omit');
    expect(decoded('config', { omit: {} })).toMatchObject({ omit: { reasoning: '', items: [], holdsUntyped: false } });
    expect(decoded('config', { omit: { outputs: 7 } })).toMatchObject({ omit: { holdsUntyped: true } });
    expect(decoded('config', { omit: { images: { keep: -1, placeholder: '' } } })).toMatchObject({
      omit: { holdsUntyped: true },
    });
  });
  it('count the images of messages and outputs', () => {
    const image = { type: 'input_image', image_url: 'u' };
    expect(
      decoded('item', { item: { type: 'message', content: [image, { type: 'input_text' }, image] } }),
    ).toMatchObject({ item: { images: 2 } });
    expect(decoded('item', { item: { type: 'function_call_output', call_id: 'c', output: [image] } })).toMatchObject({
      item: { images: 1 },
    });
    expect(decoded('item', { item: { type: 'reasoning', content: [image] } })).toMatchObject({ item: { images: 0 } });
  });
});
