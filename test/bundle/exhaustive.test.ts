import { describe, expect, it } from 'vitest';
import { signersOf } from '../../src/bundle/dsse.ts';
import { MANIFEST } from '../../src/bundle/manifest.ts';
import { contentFindings, readBundle } from '../../src/bundle/read.ts';
import { readZip, writeZip, type ZipEntry } from '../../src/bundle/zip.ts';
import { concat } from '../../src/bytes/encoding.ts';
import { bundleOf, codes, entriesOf, insideOf, judge, people, session } from '../../vectors/bundle-scenes.ts';

const bytes = await bundleOf(insideOf(session('pay')));
const entries = entriesOf(bytes);
const flipped = (data: Uint8Array, at: number): Uint8Array => {
  const changed = data.slice();
  changed[at] = (changed[at] as number) ^ 1;
  return changed;
};

describe('a small bundle', () => {
  it('is verified as it is, and what it needs for that is in it', async () => {
    const report = await judge(bytes);
    expect(codes(report)).toEqual([]);
    expect(report.status).toBe(0);
  });

  it('is unusable with any one byte changed', () => {
    const readable: number[] = [];
    for (let at = 0; at < bytes.length; at++) if (readZip(flipped(bytes, at)).ok) readable.push(at);
    expect(readable).toEqual([]);
  });

  it('is not verified with any one byte of any file changed and the container made right again', async () => {
    const trusted = people.maker.key.publicKey;
    const whole = readBundle(bytes);
    if (!whole.ok) throw new Error('the bundle does not read');
    const caughtAt = async (name: string, data: Uint8Array, at: number): Promise<boolean> => {
      if (name !== MANIFEST) {
        const members = whole.bundle.manifest.members.filter((member) => member.name === name);
        const one = { ...whole.bundle, manifest: { ...whole.bundle.manifest, members } };
        const files = new Map([[name, flipped(data, at)]]);
        return contentFindings({ ...one, files }).some(({ code }) => code === 'bundle/member-changed');
      }
      const changed = writeZip(
        entries.map((entry) => (entry.name === name ? { name, bytes: flipped(data, at) } : entry)),
      );
      const read = readBundle(changed);
      if (!read.ok || signersOf(read.bundle.envelope, [trusted]).accepted.length === 0) return true;
      return (await judge(changed)).status === 1;
    };
    for (const { name, bytes: data } of entries) {
      const missed: number[] = [];
      for (let at = 0; at < data.length; at++) if (!(await caughtAt(name, data, at))) missed.push(at);
      expect([name, missed]).toEqual([name, []]);
    }
  }, 30_000);

  it('is not verified without one of its files, with one more, with one renamed', async () => {
    for (const { name } of entries) {
      const left = entries.filter((entry) => entry.name !== name);
      expect([name, (await judge(writeZip(left))).status]).toEqual([name, name === MANIFEST ? 4 : 1]);
      const renamed = entries.map((entry) => (entry.name === name ? { ...entry, name: `${name}x` } : entry));
      expect([name, (await judge(writeZip(renamed))).status]).toEqual([name, name === MANIFEST ? 4 : 1]);
    }
    for (const name of ['a', 'inputs/t.jsonl', 'zz/z', 'README.md']) {
      const more: ZipEntry[] = [...entries, { name, bytes: session('more') }];
      const report = await judge(writeZip(more));
      expect([name, codes(report), report.status]).toEqual([name, ['bundle/member-unlisted'], 1]);
    }
  });

  it('is not verified with two files exchanged for each other', async () => {
    for (let i = 1; i < entries.length; i++) {
      const [before, after] = [entries[i - 1] as ZipEntry, entries[i] as ZipEntry];
      const swapped = entries.map((entry) =>
        entry === before
          ? { name: before.name, bytes: after.bytes }
          : entry === after
            ? { name: after.name, bytes: before.bytes }
            : entry,
      );
      expect([1, 4]).toContain((await judge(writeZip(swapped))).status);
    }
  });

  it('is unusable with its entries in another order, cut off anywhere, or with a second archive around it', async () => {
    // Local parts in another order, under the directory as it was.
    const parts = entries.map(({ name, bytes: data }) => {
      const length = 30 + name.length + data.length;
      return { name, length };
    });
    let at = 0;
    const locals = parts.map(({ length }) => {
      const part = bytes.subarray(at, at + length);
      at += length;
      return part;
    });
    const [first, second, ...rest] = locals as [Uint8Array, Uint8Array, ...Uint8Array[]];
    const reordered = concat(second, first, ...rest, bytes.subarray(at));
    expect(readZip(reordered).ok).toBe(false);
    for (const wrapped of [
      concat(bytes, bytes),
      concat(bytes, Uint8Array.of(0)),
      concat(Uint8Array.of(0), bytes),
      concat(bytes, writeZip([{ name: 'a', bytes: Uint8Array.of(1) }])),
    ])
      expect((await judge(wrapped)).status).toBe(4);
    for (let length = bytes.length - 1; length > 0; length -= 97)
      expect(readZip(bytes.subarray(0, length)).ok).toBe(false);
  });
});
