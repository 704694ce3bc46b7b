import { createHash } from 'node:crypto';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { afterAll, describe, expect, it } from 'vitest';
import { main } from '../../cmd/main.ts';
import { readEnvelope } from '../../src/bundle/dsse.ts';
import { MANIFEST } from '../../src/bundle/manifest.ts';
import { readReportPredicate } from '../../src/bundle/reportPredicate.ts';
import { readStatement, sha256Hex } from '../../src/bundle/statement.ts';
import { vsaFault } from '../../src/bundle/vsa.ts';
import { decodeUtf8 } from '../../src/bytes/encoding.ts';
import { openFile, readFile } from '../../src/host/files.ts';
import { demo, entriesOf, exchanged } from '../../vectors/bundle-scenes.ts';
import { Draft, message } from '../session/draft.ts';

const folder = mkdtempSync(join(tmpdir(), 'audit-bundle-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
const at = (name: string) => join(folder, name);
mkdirSync(at('archive'));
for (const [name, bytes] of demo.files) writeFileSync(at(name), bytes);

/** The command line with real files. */
async function audit(...argv: readonly string[]) {
  let [out, err] = ['', ''];
  const status = await main(argv, {
    out: (text) => {
      out += typeof text === 'string' ? text : new TextDecoder().decode(text);
    },
    err: (text) => {
      err += text;
    },
    outIsTerminal: false,
    errIsTerminal: false,
    width: 80,
    height: 24,
    env: {},
    clock: () => 1_796_040_000_000_000_000n,
    open: openFile,
    read: readFile,
    writer: () => () => {},
    write: (path, bytes) => writeFileSync(path, bytes),
  });
  return { status, out, err };
}

const TRUST = ['--trust', at('trust.json')];
const KEY = ['--key', at('maker.key')];
const TIME = ['--at', '2026-11-30T12:00:00Z'];
const emit = async (out: string, ...more: readonly string[]) =>
  audit('bundle', 'emit', at('session.jsonl'), ...more, ...KEY, ...TIME, '--out', at(out));

describe('audit bundle', () => {
  it('holds the media of a session, and what it says of them is reproduced', async () => {
    const hash = (text: string) => createHash('sha256').update(text).digest('hex');
    const shown = 'a picture';
    const pictured = new Draft({ media: 'sidecar' });
    pictured.item(message('look', `sidecar:sha256:${hash(shown)}`));
    writeFileSync(at('pictured.jsonl'), pictured.text());
    for (const [name, text, result] of [
      ['right', shown, 'verified'],
      ['wrong', 'another', 'not_verified'],
    ] as const) {
      mkdirSync(at(name));
      writeFileSync(join(at(name), hash(shown)), text);
      const out = at(`${name}.bundle`);
      const files = ['--media-dir', at(name), '--require', 'media', ...TRUST];
      const made = await audit('bundle', 'emit', at('pictured.jsonl'), ...files, ...KEY, ...TIME, '--out', out);
      expect([made.status, made.err]).toEqual([0, expect.stringContaining(`the report inside says ${result}`)]);
      const verified = await audit('verify', out, ...TRUST, '--format', 'json');
      const [input] = JSON.parse(verified.out).inputs;
      expect(input.claims).toContainEqual(expect.objectContaining({ claim: 'reproduction', verdict: 'verified' }));
      expect(verified.status).toBe(result === 'verified' ? 0 : 1);
    }
  });

  it('emits what audit verify then accepts, the same bytes each time', async () => {
    const made = await emit('a.bundle', '--head', at('session-head.json'), ...TRUST);
    expect([made.status, made.err]).toEqual([0, expect.stringContaining('verified')]);
    await emit('b.bundle', '--head', at('session-head.json'), ...TRUST);
    expect(sha256Hex(readFileSync(at('a.bundle')))).toBe(sha256Hex(readFileSync(at('b.bundle'))));
    expect((await audit('verify', at('a.bundle'), ...TRUST)).status).toBe(0);
    expect((await audit('verify', at('a.bundle'))).status).toBe(3);
    const asked = await audit('verify', at('a.bundle'), ...TRUST, '--require', 'completeness,authorship');
    expect(asked.status).toBe(0);
    expect((await audit('verify', at('a.bundle'), ...TRUST, '--require', 'time')).status).toBe(3);
    expect((await audit('verify', at('a.bundle'), ...TRUST, '--require', 'approvals')).status).toBe(3);
  });

  it('keeps names apart and within what every system takes', async () => {
    writeFileSync(at('CON.jsonl'), demo.files.get('session.jsonl') ?? '');
    writeFileSync(at('ä b.jsonl'), demo.files.get('session.jsonl') ?? '');
    await emit('names.bundle', at('session.jsonl'), at('CON.jsonl'), at('ä b.jsonl'));
    const names = entriesOf(readFileSync(at('names.bundle'))).map(({ name }) => name);
    expect(names.filter((name) => name.startsWith('inputs/'))).toEqual([
      'inputs/2-session.jsonl',
      'inputs/_CON.jsonl',
      'inputs/__b.jsonl',
      'inputs/session.jsonl',
    ]);
  });

  it('shows what is inside, and says that nothing of it was verified', async () => {
    const { status, out } = await audit('bundle', 'inspect', at('refund.bundle'));
    expect([status, out]).toEqual([0, expect.stringContaining('Nothing below was verified')]);
    expect(out).toContain('inputs/journal.json');
    const page = await audit('bundle', 'inspect', at('refund.bundle'), '--member', 'README.txt');
    expect(page.out).toContain('HOW TO CHECK IT WITHOUT THE PROGRAM');
    expect((await audit('bundle', 'inspect', at('refund.bundle'), '--member', 'nothing')).status).toBe(2);
    expect((await audit('bundle', 'inspect', at('session.jsonl'))).status).toBe(4);
  });

  it('leaves files out of a new bundle that names the old one', async () => {
    const drop = ['--drop', 'inputs/session.jsonl', '--drop', 'heads/session-head.json'];
    const redact = (...argv: readonly string[]) =>
      audit('bundle', 'redact', ...argv, ...KEY, ...TIME, '--out', at('less.bundle'));
    expect((await redact(at('refund.bundle'), ...drop)).status).toBe(0);
    const less = readFileSync(at('less.bundle'));
    const old = sha256Hex(readFileSync(at('refund.bundle')));
    const report = JSON.parse((await audit('verify', at('less.bundle'), ...TRUST, '--format', 'json')).out);
    expect([report.status, report.inputs[0].subject.replaces]).toEqual([0, `sha256:${old}`]);
    const texts = entriesOf(less).map(({ bytes }) => new TextDecoder().decode(bytes));
    expect(texts.filter((text) => text.includes('My 480') || text.includes('arrived broken. I want'))).toHaveLength(1);
    expect(entriesOf(less).some(({ name }) => name === 'inputs/session.jsonl')).toBe(false);
    expect((await redact(at('refund.bundle'))).status).toBe(2);
    expect((await redact(at('refund.bundle'), '--drop', 'nothing')).status).toBe(2);
    expect((await redact(at('refund.bundle'), '--drop', 'README.txt')).status).toBe(2);
    writeFileSync(
      at('bad.bundle'),
      exchanged(readFileSync(at('refund.bundle')), 'trust/trust.json', () => new Uint8Array(2)),
    );
    expect((await redact(at('bad.bundle'), ...drop)).status).toBe(1);
  });

  it('puts a disclosure of one entry, under 4 kB, in the place of a session', async () => {
    const line = readFileSync(at('session.jsonl'), 'utf8').split('\n')[5] ?? '';
    const { id } = JSON.parse(line) as { id: string };
    const shown = await audit(
      'prove',
      'inclusion',
      '--session',
      at('session.jsonl'),
      '--head',
      at('session-head.json'),
      '--entry',
      id,
    );
    expect([shown.status, shown.err]).toEqual([0, '']);
    expect(new TextEncoder().encode(shown.out).length).toBeLessThan(4096);
    writeFileSync(at('entry.json'), shown.out);
    const made = await audit(
      ...['bundle', 'redact', at('refund.bundle'), '--drop', 'inputs/session.jsonl', '--add', at('entry.json')],
      ...[...KEY, ...TIME, '--out', at('entry.bundle')],
    );
    expect(made.status).toBe(0);
    const report = JSON.parse((await audit('verify', at('entry.bundle'), ...TRUST, '--format', 'json')).out);
    expect(report.status).toBe(0);
    const names = report.inputs[0].claims.map(({ claim }: { claim: string }) => claim);
    expect(names).toContain('entry.json: inclusion');
  });

  it('writes manifests that the published schema takes', () => {
    const schema = readFileSync(new URL('../../schemas/bundle-manifest.schema.json', import.meta.url), 'utf8');
    const validate = new Ajv2020({ strict: true, strictRequired: false, allowUnionTypes: true }).compile(
      JSON.parse(schema),
    );
    for (const name of ['refund.bundle', 'less.bundle']) {
      const stored = entriesOf(readFileSync(at(name))).find((entry) => entry.name === MANIFEST)?.bytes;
      const read = readEnvelope(stored ?? new Uint8Array());
      const body: unknown = JSON.parse(read.ok ? (decodeUtf8(read.envelope.payload) ?? '') : '');
      expect([name, validate(body), validate.errors]).toEqual([name, true, null]);
      expect(validate({ ...(body as object), predicateType: 'x' })).toBe(false);
    }
  });
});

describe('audit attest', () => {
  const statementOf = (text: string) => {
    const read = readEnvelope(new TextEncoder().encode(text));
    const statement = read.ok ? readStatement(read.envelope.payload) : undefined;
    if (statement?.ok !== true) throw new Error('no statement');
    return statement.statement;
  };

  it('signs what was found, whatever it is', async () => {
    const made = await audit('attest', at('refund.bundle'), ...TRUST, ...KEY, ...TIME, '--report', at('whole.json'));
    expect(made.status).toBe(0);
    const summary = readReportPredicate(statementOf(made.out).predicate);
    expect(summary).toMatchObject({ result: 'verified', status: 0, report: sha256Hex(readFileSync(at('whole.json'))) });
    expect(statementOf(made.out).subjects[0]?.digest.get('sha256')).toBe(sha256Hex(readFileSync(at('refund.bundle'))));
    writeFileSync(at('edited.jsonl'), readFileSync(at('session.jsonl'), 'utf8').replace('480', '180'));
    const bad = await audit('attest', at('edited.jsonl'), ...TRUST, ...KEY, ...TIME);
    expect(readReportPredicate(statementOf(bad.out).predicate)).toMatchObject({ result: 'not_verified', status: 1 });
    expect((await audit('attest', at('nothing'), ...TRUST, ...KEY, ...TIME)).status).toBe(4);
  });

  it('writes a SLSA summary only where one of its words is true', async () => {
    const vsa = (...argv: readonly string[]) => audit('attest', ...argv, '--predicate', 'vsa', ...KEY, ...TIME);
    const made = await vsa(at('refund.bundle'), ...TRUST);
    const expected = {
      verifierId: 'https://audit.example.invalid/tool',
      resourceUri: `urn:sha256:${sha256Hex(readFileSync(at('refund.bundle')))}`,
      levels: ['AUDIT_AUTHORSHIP', 'AUDIT_CONTENTS', 'AUDIT_REPRODUCTION', 'AUDIT_JOURNAL_JSON_SEQUENCE'],
    };
    expect(vsaFault(statementOf(made.out).predicate, expected)).toBeUndefined();
    const failed = await vsa(at('edited.jsonl'), ...TRUST);
    expect(
      vsaFault(statementOf(failed.out).predicate, {
        ...expected,
        resourceUri: `urn:sha256:${sha256Hex(readFileSync(at('edited.jsonl')))}`,
      })?.rule,
    ).toBe('vsa-failed');
    expect([
      (await vsa(at('refund.bundle'))).status,
      (await vsa(at('session.jsonl'), at('journal.json'), ...TRUST)).status,
    ]).toEqual([3, 3]);
  });
});
