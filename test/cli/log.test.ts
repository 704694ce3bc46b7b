import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { base64, hex, utf8 } from '../../src/bytes/encoding.ts';
import { formatPrivateKey, formatPublicKey } from '../../src/crypto/keys.ts';
import { sha256 } from '../../src/crypto/sha256.ts';
import { encodeRecord } from '../../src/journal/encode.ts';
import { encodeExport } from '../../src/journal/export.ts';
import { EMPTY_RECORD } from '../../src/journal/record.ts';
import { testKey } from '../log/keys.ts';
import { audit } from './io.ts';

const folder = mkdtempSync(join(tmpdir(), 'audit-log-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
const at = (name: string) => join(folder, name);
const put = (name: string, bytes: Uint8Array | string) => {
  writeFileSync(at(name), bytes);
  return at(name);
};

const key = await testKey('ed25519', 1);
put('log.key', formatPrivateKey('ed25519', new Uint8Array(32).fill(1)));
put('witness.key', `${formatPrivateKey('ed25519', new Uint8Array(32).fill(2))}\n`);
put('ml.key', formatPrivateKey('ml-dsa-65', new Uint8Array(32).fill(2)));
put(
  'trust.json',
  JSON.stringify({
    format: 'audit.trust.v1',
    keys: [{ name: 'log', roles: ['log'], key: formatPublicKey(key.publicKey) }],
  }),
);

const TIME = ['--at', '2026-11-30T12:00:00Z'];
const TRUST = ['--trust', at('trust.json')];
const KEY = ['--key', at('log.key')];

/** Runs a command that must succeed and keeps its output as a file. */
async function made(name: string, ...argv: readonly string[]): Promise<string> {
  const ran = await audit(argv);
  expect(`${argv.join(' ')}: ${ran.err}${ran.status}`).toBe(`${argv.join(' ')}: ${ran.err}0`);
  return put(name, ran.out);
}
const status = async (...argv: readonly string[]) => (await audit([...argv, '--quiet'])).status;

const header = (name: string) => ({ ...EMPTY_RECORD, name, kind: 'value' as const, salt: sha256(utf8(name)) });
const records = (names: readonly string[]) =>
  [
    {
      ...EMPTY_RECORD,
      name: '@journal',
      kind: 'header' as const,
      format: 'bide.journal.v1-dev',
      salt: sha256(utf8('h')),
    },
    ...names.map(header),
  ].map((record) => encodeRecord(record));
const journal = (name: string, names: readonly string[]) => put(name, encodeExport('run>1', records(names)));
const short = journal('short.json', ['a', 'b']);
const long = journal('long.json', ['a', 'b', 'c', 'd']);
const forked = journal('forked.json', ['a', 'x', 'c', 'd']);

const entries = Array.from({ length: 6 }, (_, i) => utf8(`entry ${i}\n`));
put('leaves', `${entries.map(base64).join('\n')}\n`);
put('fewer', `${entries.slice(0, 4).map(base64).join('\n')}\n`);

describe('audit head and audit prove', () => {
  it('sign heads over a journal, prove growth and a record, and tell two histories apart', async () => {
    const first = await made('first.json', 'head', 'sign', '--journal', short, ...KEY, ...TIME);
    const second = await made('second.json', 'head', 'sign', '--journal', long, ...KEY, ...TIME);
    const fork = await made('fork.json', 'head', 'sign', '--journal', forked, ...KEY, ...TIME);
    expect(await status('head', 'verify', first, ...TRUST, ...TIME)).toBe(0);
    expect(await status('head', 'verify', first, ...TIME)).toBe(3);
    expect(await status('head', 'verify', long, ...TRUST, ...TIME)).toBe(4);
    const growth = await made('growth.json', 'prove', 'consistency', second, first, '--journal', long);
    expect(await status('head', 'verify', growth, ...TRUST, ...TIME)).toBe(0);
    expect(await status('head', 'compare', first, second, ...TRUST, ...TIME)).toBe(3);
    expect(await status('head', 'compare', first, second, '--head', growth, ...TRUST, ...TIME)).toBe(0);
    expect((await audit(['prove', 'consistency', first, second, '--journal', forked])).status).toBe(4);
    const compared = await audit([
      'head',
      'compare',
      second,
      fork,
      '--equivocation',
      at('proof.json'),
      ...TRUST,
      ...TIME,
      '--quiet',
    ]);
    expect(compared.status).toBe(1);
    const proof = put('proof.json', compared.written.get(at('proof.json')) ?? '');
    expect(await status('head', 'verify', proof, ...TRUST, ...TIME)).toBe(0);
    const record = await made(
      'record.json',
      'prove',
      'inclusion',
      '--journal',
      long,
      '--head',
      second,
      '--record',
      'c',
    );
    expect(await status('verify', record, ...TRUST, ...TIME)).toBe(0);
    expect((await audit(['prove', 'inclusion', '--journal', forked, '--head', second, '--index', '1'])).status).toBe(4);
    expect((await audit(['prove', 'inclusion', '--journal', long, '--head', second, '--record', 'z'])).status).toBe(4);
  });

  it('make checkpoints of heads and of entries, cosign them, and prove an entry', async () => {
    const head = await made('head.json', 'head', 'sign', '--journal', long, ...KEY, ...TIME);
    const published = await made('published.txt', 'head', 'checkpoint', head, '--log', 'log.example/a', ...KEY);
    expect(await status('head', 'verify', published, ...TRUST, ...TIME)).toBe(0);
    const point = await made(
      'point.txt',
      'head',
      'checkpoint',
      '--leaves',
      at('leaves'),
      '--log',
      'log.example/a',
      ...KEY,
    );
    const older = await made(
      'older.txt',
      'head',
      'checkpoint',
      '--leaves',
      at('fewer'),
      '--log',
      'log.example/a',
      ...KEY,
    );
    const cosigned = await made(
      'cosigned.txt',
      'head',
      'checkpoint',
      point,
      '--cosign',
      'w.example',
      '--key',
      at('witness.key'),
      ...TIME,
    );
    expect(await status('head', 'verify', cosigned, ...TRUST, ...TIME)).toBe(0);
    const growth = await made('points.json', 'prove', 'consistency', older, point, '--leaves', at('leaves'));
    expect(await status('verify', growth, ...TRUST, ...TIME)).toBe(0);
    const proof = await made(
      'entry.tlog-proof',
      'prove',
      'inclusion',
      '--leaves',
      at('leaves'),
      '--head',
      cosigned,
      '--index',
      '3',
    );
    put('entry', entries[3] as Uint8Array);
    expect(await status('verify', proof, '--head', at('entry'), ...TRUST, ...TIME)).toBe(0);
    expect(await status('verify', proof, ...TRUST, ...TIME)).toBe(3);
    expect((await audit(['head', 'checkpoint', head, '--log', 'log.example/a', '--key', at('ml.key')])).status).toBe(4);
    expect((await audit(['head', 'checkpoint', point, '--log', 'log.example/a', ...KEY])).status).toBe(2);
    expect((await audit(['prove', 'inclusion', '--leaves', at('fewer'), '--head', point, '--index', '3'])).status).toBe(
      4,
    );
  });

  it('sign a head over a session, and refuse one that does not hold', async () => {
    const session = put('session.jsonl', sessionText());
    const head = await made('session-head.json', 'head', 'sign', '--session', session, ...KEY, ...TIME);
    expect(await status('head', 'verify', head, ...TRUST, ...TIME)).toBe(0);
    const under = ['--head', head, ...TRUST, ...TIME, '--require', 'integrity,records,authorship,completeness'];
    expect(await status('verify', session, ...under)).toBe(0);
    expect(await status('verify', session, '--head', head, ...TIME, '--require', 'completeness')).toBe(3);
    const longer = put('longer.jsonl', sessionText(['hello', 'more']));
    const report = JSON.parse((await audit(['verify', longer, ...under])).out);
    expect(report.status).toBe(0);
    expect(JSON.stringify(report.inputs[0].claims)).toContain(
      'complete as of size 2 at 2026-11-30T12:00:00Z, 1 later entry',
    );
    const spaced = put('spaced.jsonl', sessionText().replaceAll('":', '" : '));
    expect(await status('verify', spaced, ...under)).toBe(0);
    const rewritten = put('rewritten.jsonl', sessionText(['other']));
    const empty = put('empty.jsonl', sessionText([]));
    const other = put('other.jsonl', sessionText().replace('"created_at":"2026-11-01', '"created_at":"2026-11-02'));
    for (const [file, code] of [
      [rewritten, 'log/session-history'],
      [empty, 'log/session-truncated'],
      [other, 'log/session-other'],
    ] as const) {
      const ran = await audit(['verify', file, ...under]);
      expect(`${code} ${ran.status}`).toBe(`${code} 1`);
      expect(ran.out).toContain(code);
    }
    const published = await made('session.txt', 'head', 'checkpoint', head, '--log', 'log.example/a', ...KEY);
    const underCheckpoint = ['--head', published, ...TRUST, ...TIME, '--require', 'authorship,completeness'];
    expect(await status('verify', session, ...underCheckpoint)).toBe(0);
    expect(await status('verify', rewritten, ...underCheckpoint)).toBe(1);
    expect(await status('verify', empty, ...underCheckpoint)).toBe(1);
    const ids = [...sessionText(['hello', 'more']).matchAll(/^{"id":"(sha256:[0-9a-f]{64})"/gm)].map(
      ([, id]) => id as string,
    );
    const both = await made('both.json', 'head', 'sign', '--session', longer, ...KEY, ...TIME);
    const show = ['prove', 'inclusion', '--session', longer];
    const shown = await made('shown.json', ...show, '--head', both, '--entry', ids[1] as string, '--show-header');
    expect(await status('verify', shown, ...TRUST, ...TIME)).toBe(0);
    expect((await audit(['verify', shown, ...TRUST, ...TIME])).out).toContain('entry 2 of 2');
    expect((await audit([...show, '--head', head, '--entry', ids[1] as string])).status).toBe(4);
    expect((await audit([...show, '--head', head, '--entry', `sha256:${'0'.repeat(64)}`])).status).toBe(4);
    expect(
      (await audit(['prove', 'inclusion', '--session', rewritten, '--head', head, '--entry', ids[0] as string])).status,
    ).toBe(4);
    expect((await audit([...show, '--head', head])).status).toBe(2);
    const garbage = put('garbage.jsonl', `${sessionText()}{"no":"entry"}\n{]\n{"id":7}\n`);
    const ran = await audit(['verify', garbage, ...under]);
    expect(`${ran.status} ${ran.out.includes('internal-error')}`).toBe('1 false');
    const broken = put('broken.jsonl', sessionText().replace('hello', 'hallo'));
    expect((await audit(['head', 'sign', '--session', broken, ...KEY, ...TIME])).status).toBe(1);
  });

  it('say before opening a file what is wrong with the command line', async () => {
    for (const argv of [
      ['head', 'sign', '--journal', short, ...TIME],
      ['head', 'sign', ...KEY, ...TIME],
      ['head', 'sign', '--journal', short, '--session', short, ...KEY, ...TIME],
      ['head', 'compare', short, ...TRUST],
      ['head', 'checkpoint', short, ...KEY],
      ['head', 'checkpoint', short, '--log', 'a b', ...KEY],
      ['prove', 'consistency', short, long],
      ['prove', 'inclusion', '--journal', long, '--head', short],
      ['prove', 'inclusion', '--journal', long, '--index', '0'],
    ])
      expect(`${argv.join(' ')}: ${(await audit(argv)).status}`).toBe(`${argv.join(' ')}: 2`);
  });
});

/** A session of messages, their ids computed as session-format 4.4 says, by hand. */
function sessionText(messages: readonly string[] = ['hello']): string {
  const lines = [
    '{"created_at":"2026-11-01T09:00:00Z","format":"agentsession/0.14","id":"s-1","payload":"openresponses/2026-04-24","type":"session"}',
  ];
  let parent = 'null';
  for (const text of messages) {
    const body = `{"item":{"content":[{"text":"${text}","type":"input_text"}],"role":"user","type":"message"}}`;
    const ts = '2026-11-01T09:00:01Z';
    const envelope = `{"content":"sha256:${hex(sha256(utf8(body)))}","parent":${parent},"ts":"${ts}","type":"item"}`;
    const id = `"sha256:${hex(sha256(utf8(envelope)))}"`;
    lines.push(`{"id":${id},${body.slice(1, -1)},"parent":${parent},"ts":"${ts}","type":"item"}`);
    parent = id;
  }
  return `${lines.join('\n')}\n`;
}
