/** The project's own vectors are what their makers write, byte for byte, and every one has a maker. */
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { OWN_VECTORS, openFolder } from '../../conformance/folder.ts';
import type { Folder } from '../../conformance/suite.ts';

const made = mkdtempSync(join(tmpdir(), 'audit-made-'));
const makers = readdirSync(OWN_VECTORS).filter((name) => /^make-.*\.ts$/.test(name));
const vectors = (folder: Folder | undefined) => folder?.files().filter((name) => name.endsWith('.json')) ?? [];

beforeAll(() => {
  process.env['AUDIT_MADE'] = made;
});
afterAll(() => {
  delete process.env['AUDIT_MADE'];
  rmSync(made, { recursive: true });
});

describe('the makers of vectors', () => {
  it.each(makers)('%s runs without arguments', async (name) => {
    await import(join(OWN_VECTORS, name));
  });

  it('write every committed vector and nothing else', () => {
    expect(vectors(openFolder(made))).toEqual(vectors(openFolder(OWN_VECTORS)));
  });

  it('write the committed bytes', () => {
    const [ours, committed] = [openFolder(made), openFolder(OWN_VECTORS)];
    const differing = vectors(ours).filter((name) => ours?.text(name) !== committed?.text(name));
    expect(differing).toEqual([]);
  });
});
