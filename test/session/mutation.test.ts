/** Any single byte of an entry line changed to any other value gives a finding, or a file whose JSON values are all unchanged. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { SHARED_VECTORS } from '../../conformance/folder.ts';
import { memorySource } from '../../src/bytes/source.ts';
import { SessionChecker } from '../../src/session/check.ts';
import { readSession } from '../../src/session/read.ts';
import { Draft, functionCall, functionOutput, message } from './draft.ts';

/** The values of a file, line by line, or undefined where a line is no JSON to the platform. */
function values(bytes: Uint8Array): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })
      .decode(bytes)
      .split('\n')
      .map((line) => line.replace(/\r+$/, ''))
      .filter((line) => line !== '')
      .map((line) => JSON.stringify(sorted(JSON.parse(line))))
      .join('\n');
  } catch {
    return undefined;
  }
}

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (value === null || typeof value !== 'object') return value;
  return Object.entries(value)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, member]) => [name, sorted(member)]);
}

/** Whether the change is seen. Notes are not enough. */
function isFound(bytes: Uint8Array): boolean {
  const { session, findings } = readSession(memorySource(bytes));
  return session === undefined || findings.some(({ class: effect }) => effect !== 'none');
}

function everyByte(file: Uint8Array): string[] {
  const before = values(file);
  const unseen: string[] = [];
  const changed = file.slice();
  for (let at = file.indexOf(0x0a) + 1; at < file.length; at++) {
    const was = file[at] as number;
    for (let value = 0; value < 256; value++) {
      if (value === was) continue;
      changed[at] = value;
      if (!isFound(changed) && values(changed) !== before) unseen.push(`byte ${at}: ${was} to ${value}`);
    }
    changed[at] = was;
  }
  return unseen;
}

const small = new Draft();
small.item({ type: 'message', role: 'user', content: 'é\n1' }, { 'x:n': [1, 0.5, 1e21, true, null] });
small.add('label', { target: small.tip, label: 'leaf' });

const spaced = new Draft({}, false);
spaced.item(functionCall('c1', 'look', '{"a":"\\u00e9"}'));

describe('one changed byte', () => {
  it.each([
    ['canonical lines', small],
    ['lines with spaces and a writer’s order', spaced],
  ])('is found wherever it changes a value, exhaustively over %s', (_, draft) => {
    expect(isFound(draft.bytes())).toBe(false);
    expect(everyByte(draft.bytes())).toEqual([]);
  });

  const folder = join(SHARED_VECTORS, 'agentsession/sessions');
  const files = existsSync(folder)
    ? readdirSync(folder)
        .filter((name) => name.endsWith('.jsonl'))
        .map((name) => new Uint8Array(readFileSync(join(folder, name))))
        .filter((file) => !isFound(file))
    : [];
  it.skipIf(files.length === 0)('is found in fixtures made elsewhere, sampled', () => {
    fc.assert(
      fc.property(
        fc.constantFrom(...files),
        fc.double({ min: 0, max: 1, noNaN: true }),
        fc.integer({ min: 1, max: 255 }),
        (file, place, change) => {
          const first = file.indexOf(0x0a) + 1;
          const at = first + Math.floor(place * (file.length - first - 1));
          const changed = file.slice();
          changed[at] = (changed[at] as number) ^ change;
          if (!isFound(changed)) expect(values(changed)).toBe(values(file));
        },
      ),
      { numRuns: 1500 },
    );
  });
});

describe('hostile files', () => {
  const seeds = [small, spaced].map((draft) => draft.bytes());
  const busy = new Draft({ records: ['dispatch'] });
  busy.add('config', { model: 'm', omit: { images: { keep: 1, placeholder: '' } }, instructions_parts: [{ keep: 2 }] });
  const call = busy.item(functionCall('c'));
  busy.add('dispatch', { call_id: 'c', target: call });
  busy.item(functionOutput('c', [{ type: 'input_image' }]), { failed: true });
  busy.add('compaction', { first_kept: call, summary: message('s'), config: { tools: [{}], extra: { a: null } } });
  busy.add('link', { rel: 'peer', session: '', url: 'u', call_id: 'c' });
  busy.add('env', { workspace: { kind: 'local' }, files: { read: {} } });
  seeds.push(busy.bytes());

  it('never end in an exception', () => {
    const runs = process.env['AUDIT_FUZZ'] === '1' ? 200_000 : 3000;
    const edit = fc.tuple(fc.nat(), fc.nat({ max: 20 }), fc.uint8Array({ maxLength: 12 }));
    fc.assert(
      fc.property(fc.constantFrom(...seeds), fc.array(edit, { minLength: 1, maxLength: 4 }), (seed, edits) => {
        let file = seed;
        for (const [place, removed, inserted] of edits) {
          const at = place % (file.length + 1);
          const next = new Uint8Array(Math.max(0, file.length - removed) + inserted.length + removed);
          next.set(file.subarray(0, at));
          next.set(inserted, at);
          const rest = file.subarray(Math.min(at + removed, file.length));
          next.set(rest, at + inserted.length);
          file = next.subarray(0, at + inserted.length + rest.length);
        }
        const checker = new SessionChecker();
        const { session } = readSession(memorySource(file), { visit: checker.visit });
        if (session !== undefined) checker.finish(session);
        for (let entry = 0; entry < (session?.size ?? 0); entry++)
          if (session?.usable(entry) === true) session.entry(entry);
      }),
      { numRuns: runs },
    );
  }, 1_200_000);
});
