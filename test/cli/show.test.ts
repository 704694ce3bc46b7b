/** `audit show` over kinds that are neither sessions nor ATIF documents. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { audit } from './io.ts';

interface PkiCase {
  readonly params: { readonly anchors_b64?: readonly string[] };
}
const { cases } = JSON.parse(readFileSync(new URL('../../vectors/pki/reading.json', import.meta.url), 'utf8')) as {
  readonly cases: readonly PkiCase[];
};
let folder = '';
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'audit-show-kinds-'));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe('audit show', () => {
  it('says whose a certificate is and for how long, and judges nothing', async () => {
    const [anchor = ''] = cases.flatMap(({ params }) => params.anchors_b64 ?? []);
    const file = join(folder, 'root.crt');
    writeFileSync(file, Buffer.from(anchor, 'base64'));
    const { status, out } = await audit(['show', file]);
    expect(status).toBe(0);
    expect(out).toContain('(certificate)');
    expect(out).toMatch(/subject +.*CN = Root/);
    expect(out).toMatch(/not after +2036-01-01T00:00:00Z/);
  });

  it('names the command that shows more of a journal', async () => {
    const file = join(folder, 'journal.json');
    writeFileSync(file, '{"format":"bide.audit.journal-export.v1","run_id":"r","records":[]}');
    const { out } = await audit(['show', file]);
    expect(out).toContain('"audit journal show');
  });

  it('refuses what is of no known kind', async () => {
    const file = join(folder, 'notes.txt');
    writeFileSync(file, 'hello\n');
    const { status, err, out } = await audit(['show', file]);
    expect([status, out]).toEqual([4, '']);
    expect(err).toContain('of no kind that this program knows');
  });
});
