// needs: vectors made elsewhere
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { SHARED_VECTORS } from '../../conformance/folder.ts';
import { bide } from './memory.ts';

interface BoundCase {
  readonly id: string;
  readonly title: string;
  readonly pubkey?: string;
  readonly flags?: readonly string[];
  readonly input: unknown;
  readonly expect: { readonly bound: boolean; readonly status: number };
}
// The times of heads are larger than a double holds: the text of each input is taken as it stands.
const text = readFileSync(join(SHARED_VECTORS, 'bide', 'notify-cases.json'), 'utf8');
const quoted = text.replace(/("timestamp_nanos": ?)(\d+)/g, '$1"$2"');
const { bound_cases: cases, cases: unbound } = JSON.parse(quoted) as {
  readonly bound_cases: readonly BoundCase[];
  readonly cases: readonly BoundCase[];
};
const inputOf = (item: BoundCase) => JSON.stringify(item.input).replace(/("timestamp_nanos":)"(\d+)"/g, '$1$2');

describe('bide-audit notifications', () => {
  it.each(cases.map((item) => [`${item.id} ${item.title}`, item] as const))('%s', async (_, item) => {
    const files = { 'trail.json': inputOf(item) };
    const more = [...(item.flags ?? []), ...(item.pubkey === undefined ? [] : ['-pubkey', item.pubkey])];
    const run = await bide(['notifications', ...more, 'trail.json'], files);
    expect(run.status, run.out + run.err).toBe(item.expect.status);
    const json = await bide(['-json', 'notifications', '-trail', 'trail.json', ...more], files);
    const { report } = JSON.parse(json.out) as { report: { format?: string; bound?: boolean } };
    if (item.expect.status !== 4)
      expect([report.format, report.bound]).toEqual(['bide-audit.notify-report.v1', item.expect.bound]);
  });

  it('takes records as given only when it is told to, and refuses what is no trail', async () => {
    const [item] = cases;
    if (item === undefined) throw new Error('no case');
    const { leaves: _, heads: __, ...bare } = item.input as Record<string, unknown>;
    const files = {
      'trail.json': JSON.stringify(bare),
      'empty.json': '{"format":"bide-audit.notify-trail.v1","trail":"notify:run-1","run_id":"run-1","records":[]}',
    };
    const status = async (...args: string[]) => (await bide(['notifications', ...args], files)).status;
    expect(await status('trail.json')).toBe(3);
    expect(await status('-unbound', 'trail.json')).toBe(0);
    expect(await status('empty.json')).toBe(1);
    expect(await status('gone.json')).toBe(4);
    expect(await status()).toBe(2);
    expect(await status('-set', 'nothing=1', 'trail.json')).toBe(2);
    expect(await status('-now', 'today', 'trail.json')).toBe(2);
    expect(await status('trail.json', 'more.json')).toBe(2);
  });

  it('refuses what a document and a file give in two ways', async () => {
    const item = unbound.find(({ input }) => (input as { journal?: object }).journal !== undefined);
    if (item === undefined) throw new Error('no case with a journal');
    const files = { 'trail.json': inputOf(item), 'journal.json': '{"complete":true,"events":[]}' };
    const run = await bide(['notifications', '-journal', 'journal.json', 'trail.json'], files);
    expect(run.err).toContain('-journal and the document both give this');
    expect([1, 4]).toContain(run.status);
  });

  it('says in words that nothing was checked, or that nothing is bound', async () => {
    const empty = '{"format":"bide-audit.notify-trail.v1","trail":"notify:run-1","run_id":"run-1","records":[]}';
    expect((await bide(['notifications', 'e.json'], { 'e.json': empty })).err).toContain(
      'there is no record, leaf, head or event',
    );
    const [item] = cases;
    if (item === undefined) throw new Error('no case');
    const { leaves: _, heads: __, ...bare } = item.input as Record<string, unknown>;
    expect((await bide(['notifications', 'b.json'], { 'b.json': JSON.stringify(bare) })).err).toContain(
      'bound to no signed head',
    );
  });
});
