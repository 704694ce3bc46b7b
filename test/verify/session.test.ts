import { describe, expect, it } from 'vitest';
import { utf8 } from '../../src/bytes/encoding.ts';
import { memorySource } from '../../src/bytes/source.ts';
import { NO_TRUST } from '../../src/trust/trust.ts';
import type { VerifyOptions } from '../../src/verify/kind.ts';
import type { InputReport } from '../../src/verify/report.ts';
import { verifyInput } from '../../src/verify/verify.ts';
import { Draft, functionCall, functionOutput, hash, message } from '../session/draft.ts';

type Options = Partial<Omit<VerifyOptions, 'trust'>>;

const verify = (text: string, options: Options = {}, path = 'session.jsonl'): Promise<InputReport> =>
  verifyInput({ path, source: memorySource(utf8(text)) }, { trust: NO_TRUST, ...options });

const verdict = (report: InputReport, claim: string) => report.claims.find((each) => each.claim === claim)?.verdict;

function conversation(header = {}): Draft {
  const draft = new Draft({ records: ['run', 'dispatch'], ...header });
  draft.add('config', { replace: true, model: 'm' });
  draft.item(message('look'));
  const call = draft.item(functionCall('c1'), { response: 'r1' });
  draft.response('r1');
  draft.add('dispatch', { call_id: 'c1', target: call });
  draft.item(functionOutput('c1'));
  return draft;
}

describe('what is claimed of a session', () => {
  it('is integrity, records and requests where they hold, and nothing that a bare file cannot show', async () => {
    const report = await verify(conversation().text());
    expect(report.result).toBe('verified');
    expect(report.claims.map(({ claim, verdict }) => [claim, verdict])).toEqual([
      ['integrity', 'verified'],
      ['records', 'verified'],
      ['requests', 'verified'],
      ['completeness', 'undecided'],
      ['authorship', 'undecided'],
      ['time', 'undecided'],
    ]);
    expect(report.required).toEqual(['integrity', 'records']);
    for (const { claim, verdict } of report.claims)
      expect(report.missing.some((missing) => missing.claim === claim)).toBe(verdict === 'undecided');
  });
  it('says that nothing protects the header, and with it the promise of records', async () => {
    const { claims } = await verify(conversation().text());
    expect(claims[0]?.detail).toContain('nothing in the file protects the header');
    expect(claims[1]?.detail).toContain(
      'the header promises run, dispatch, and nothing in the file protects the header',
    );
  });
  it('says how far it reaches', async () => {
    const { claims, counts } = await verify(conversation().text());
    expect(claims.slice(0, 3).map(({ scope }) => scope)).toEqual([
      '6 entries',
      '1 of 1 path to a last entry',
      '1 of 1 response',
    ]);
    expect(counts).toMatchObject({ entries: 6, responses: 1, hashes_verified: 1, hashes_absent: 0, leaves: 1 });
  });
  it('fails with the place where a line was altered, and leaves what rests on it undecided', async () => {
    const report = await verify(conversation().text().replace('"look"', '"hook"'));
    expect(report.result).toBe('not_verified');
    expect(verdict(report, 'integrity')).toBe('failed');
    expect(verdict(report, 'records')).toBe('undecided');
    expect(report.findings.filter(({ class: effect }) => effect !== 'none')).toMatchObject([
      { code: 'session/id-mismatch', where: { line: 3, pointer: '/id' } },
    ]);
  });
  it('holds before a cut, and the file is not verified', async () => {
    const report = await verify(`${conversation().text()}{"id":`);
    expect(report.result).toBe('not_verified');
    expect(report.claims[0]).toMatchObject({ verdict: 'verified', scope: '6 entries; the last line is cut off' });
  });
  it('has no verdict where a head was given and is about another session: renaming a session takes it from under its head', async () => {
    const codes = async (heads: VerifyOptions['heads']) =>
      (await verify(conversation().text(), { heads: heads ?? [] })).findings.map(({ code }) => code);
    expect(await codes([])).not.toContain('session/head-elsewhere');
    const heads = [{ path: 'notes.txt', source: memorySource(utf8('hello')) }];
    expect(await codes(heads)).toContain('session/head-elsewhere');
    expect((await verify(conversation().text(), { heads })).result).toBe('no_verdict');
  });
  it('is nothing for a header alone', async () => {
    const report = await verify(new Draft().text());
    expect(report.result).toBe('not_verified');
    expect(report.claims.every(({ verdict }) => verdict === 'undecided')).toBe(true);
  });
  it('leaves integrity undecided where ids are names', async () => {
    const header = new Draft({ format: 'agentsession/0.4' }).text();
    const report = await verify(
      `${header}{"type":"info","id":"a","parent":null,"ts":"2026-11-01T09:00:00Z","name":"n"}\n`,
    );
    expect(report.result).toBe('no_verdict');
    expect(verdict(report, 'integrity')).toBe('undecided');
    expect(report.findings.map(({ code }) => code)).toEqual(['session/ids-assigned']);
  });
  it('is nothing where the header could not be read', async () => {
    const report = await verify(conversation({ format: 'agentsession/0.99' }).text());
    expect(report.result).toBe('unusable_input');
    expect(report.claims.every(({ verdict }) => verdict === 'undecided')).toBe(true);
  });
  it('is undecided for requests when no response recorded a hash, and required then gives no verdict', async () => {
    const draft = new Draft();
    draft.add('response', { response_id: 'r' });
    expect((await verify(draft.text())).result).toBe('verified');
    const report = await verify(draft.text(), { require: ['requests'] });
    expect(report.result).toBe('no_verdict');
    expect(report.findings.map(({ code }) => code)).toEqual(['session/no-hash']);
  });
});

describe('what the caller knows from elsewhere', () => {
  const draft = conversation();
  const last = draft.tip as string;

  it('proves the path to an expected entry', async () => {
    const report = await verify(draft.text(), { expectIds: [last], expectLeaf: last });
    expect(report.result).toBe('verified');
    expect(report.claims[0]?.detail).toContain('the path to the expected entry is as known from elsewhere');
    expect(verdict(report, 'completeness')).toBe('undecided');
    // What was given is not said to be lacking.
    const noted = 'an entry id noted when the session was written (--expect-id)';
    expect(report.not_supplied).not.toContain(noted);
    expect((await verify(draft.text())).not_supplied).toContain(noted);
  });
  it('fails where the expected entry is missing', async () => {
    const report = await verify(draft.text(), { expectIds: [`sha256:${'0'.repeat(64)}`] });
    expect(report.result).toBe('not_verified');
    expect(report.findings.map(({ code }) => code)).toContain('session/expected-id-missing');
  });
  it('fails where the expected entry is there and a line above it was altered', async () => {
    const report = await verify(draft.text().replace('"look"', '"hook"'), { expectIds: [last] });
    expect(report.findings.map(({ code }) => code)).toContain('session/expected-id-missing');
  });
  it('fails where the session ends elsewhere', async () => {
    const lines = draft.text().trimEnd().split('\n');
    const report = await verify(lines.slice(0, -1).join('\n'), { expectLeaf: last });
    expect(report.result).toBe('not_verified');
    expect(report.findings).toMatchObject([{ code: 'session/expected-leaf', expected: last }]);
  });
});

describe('links to child sessions', () => {
  const parent = new Draft({ id: 'parent' });
  const call = parent.item(functionCall('c1'));
  parent.add('link', { rel: 'subsession', session: 'child', call_id: 'c1' });
  parent.add('dispatch', { call_id: 'c1', target: call });
  const child = (header: { readonly [name: string]: string }) => {
    const draft = new Draft({ id: 'child', ...header });
    draft.add('info', { name: 'n' });
    return { path: 'child.jsonl', source: memorySource(draft.bytes()) };
  };

  it('are undecided without the child', async () => {
    const report = await verify(parent.text());
    expect(report.result).toBe('verified');
    expect(verdict(report, 'links')).toBe('undecided');
    expect(report.missing.find(({ claim }) => claim === 'links')?.item).toContain('child');
  });
  it('hold where the child names this session and the call', async () => {
    const companions = [child({ parent_session: 'parent', spawned_by: 'c1' })];
    expect(verdict(await verify(parent.text(), { companions }), 'links')).toBe('verified');
    expect(verdict(await verify(parent.text(), { siblings: companions }), 'links')).toBe('verified');
  });
  it('fail where the child names another', async () => {
    for (const header of [
      { parent_session: 'other', spawned_by: 'c1' },
      { parent_session: 'parent', spawned_by: 'c2' },
    ]) {
      const report = await verify(parent.text(), { companions: [child(header)] });
      expect(report.result).toBe('not_verified');
      expect(report.findings.map(({ code }) => code)).toContain('session/link-mismatch');
    }
  });
});

describe('recognising a session', () => {
  it.each([
    ['its header', conversation().text(), 'session'],
    [
      'a header with spaces and blank lines before it',
      `\n\n ${JSON.stringify({ id: 'x', type: 'session' }, null, 1).replaceAll('\n', ' ')}\n`,
      'session',
    ],
    ['an entry whose header is lost', conversation().text().split('\n').slice(1).join('\n'), 'session'],
    ['a byte order mark before a header', `\ufeff${conversation().text()}`, 'session'],
    ['another document that holds one', JSON.stringify({ format: 'x.y.v1', inside: conversation().text() }), null],
    ['other lines of JSON', '{"type":"event"}\n{"type":"session"}\n', null],
    ['no JSON', 'agentsession/0.14', null],
  ])('by %s', async (_, text, kind) => {
    expect((await verify(text, {}, 'anything.txt')).kind).toBe(kind);
  });
});

describe('an input of no kind', () => {
  it('is called a database where it is one, with what reads it', async () => {
    const [stray] = (await verify('hello')).findings;
    expect([stray?.code, stray?.message]).toEqual([
      'input/unknown-kind',
      'the input is of no kind that this program knows',
    ]);
    const [database] = (await verify('SQLite format 3\0...')).findings;
    expect([database?.code, database?.remedy]).toEqual([
      'input/database',
      expect.stringContaining('"audit store verify" for a store of sessions'),
    ]);
  });
});

describe('media that a session keeps beside itself', () => {
  const [first, second] = ['one picture', 'another picture'];
  const pictured = new Draft({ media: 'sidecar' });
  pictured.item(message('compare', `sidecar:${hash(first)}`, `sidecar:${hash(second)}`, `sidecar:${hash(first)}`));
  const file = (path: string, text: string) => ({ path, source: memorySource(utf8(text)) });
  const nameOf = (text: string) => `media/${hash(text).slice('sha256:'.length)}`;
  const claimOf = (report: InputReport) => report.claims.find(({ claim }) => claim === 'media');

  it('is not proven, by a hash that is lacking and how many more are, while no file of it is given', async () => {
    const report = await verify(pictured.text());
    expect(report.result).toBe('verified');
    expect(claimOf(report)).toMatchObject({ verdict: 'undecided', grade: 'none', scope: '0 of 2 media files' });
    expect(report.missing.find(({ claim }) => claim === 'media')?.item).toMatch(
      new RegExp(`^the media file (${hash(first)}|${hash(second)}), and 1 more$`),
    );
    expect(report.not_supplied).toContain('2 of the media files (--media-dir)');
  });
  it('is proven by files of these hashes, whatever they are called', async () => {
    const media = [file(nameOf(first), first), file('holiday.png', second), file('else', 'else')];
    const report = await verify(pictured.text(), { media, require: ['media'] });
    expect([report.result, verdict(report, 'media')]).toEqual(['verified', 'verified']);
    // Less is never worth more (law 1).
    for (const left of media.slice(0, 2))
      expect(verdict(await verify(pictured.text(), { media: media.filter((each) => each !== left) }), 'media')).toBe(
        'undecided',
      );
  });
  it('fails where a file under the name of one holds something else, and names it; what is absent is still said', async () => {
    for (const path of [nameOf(first), `${nameOf(first)}.png`, nameOf(first).replace('media/', 'media/2-')]) {
      const report = await verify(pictured.text(), { media: [file(path, 'touched up')] });
      expect([report.result, verdict(report, 'media')]).toEqual(['not_verified', 'failed']);
      expect(report.findings).toMatchObject([
        { code: 'session/blob-mismatch', where: { part: path }, expected: hash(first), actual: hash('touched up') },
      ]);
      expect(report.not_supplied).toContain('1 of the media files (--media-dir)');
    }
    const both = await verify(pictured.text(), { media: [file(nameOf(first), 'touched up'), file('first', first)] });
    expect([both.result, claimOf(both)?.scope]).toEqual(['verified', '1 of 2 media files']);
  });
  it('is a matter of the items alone, which ids cover, and not of the header, which they do not', async () => {
    const unsaid = pictured.text().replace('"media":"sidecar",', '');
    expect(unsaid).not.toContain('"media"');
    const media = [file('one', first), file('two', second)];
    for (const [given, verdictOf] of [
      [[], 'undecided'],
      [media, 'verified'],
    ] as const) {
      const claim = claimOf(await verify(unsaid, { media: given }));
      expect(claim?.verdict).toBe(verdictOf);
      expect(claim?.detail).toMatch(/; the header does not say that media are kept beside the session$/);
      expect(claimOf(await verify(pictured.text(), { media: given }))?.detail).not.toMatch(/header/);
    }
    // Nothing else than an item's whole string is a name.
    const spoken = new Draft({ media: 'sidecar' });
    spoken.item(message(`see sidecar:${hash(first)}`));
    spoken.add('custom', { ns: 'x', data: `sidecar:${hash(first)}` });
    expect(claimOf(await verify(spoken.text()))).toBeUndefined();
  });
  it('is evidence of nothing else: a picture that reads as a child session decides no link', async () => {
    const child = new Draft({ id: 'child', parent_session: 'another' }).text();
    const linked = new Draft({ media: 'sidecar', id: 'parent' });
    linked.item(functionCall('c1'));
    linked.add('link', { rel: 'subsession', session: 'child', call_id: 'c1' });
    linked.item(message('see', `sidecar:${hash(child)}`));
    const without = await verify(linked.text());
    const report = await verify(linked.text(), { media: [file(nameOf(child), child)] });
    expect(verdict(report, 'media')).toBe('verified');
    const others = ({ claims }: InputReport) => claims.filter(({ claim }) => claim !== 'media');
    expect([report.findings, others(report)]).toEqual([without.findings, others(without)]);
  });
});
