/** What a time-stamp token beside a session, a head, a disclosure or a journal decides, and what it does not. */
import { describe, expect, it } from 'vitest';
import { demoJournal } from '../../scripts/demo/journal.ts';
import { cast, trustFile } from '../../scripts/demo/keys.ts';
import { demoSession } from '../../scripts/demo/session.ts';
import { stamp, timeRoot } from '../../scripts/demo/timestamps.ts';
import { base64, utf8 } from '../../src/bytes/encoding.ts';
import { memorySource } from '../../src/bytes/source.ts';
import { treeOfJournal } from '../../src/evidence/journalTree.ts';
import { readExport } from '../../src/journal/export.ts';
import { encode } from '../../src/json/shape.ts';
import { headShape, signedBytes, signHead } from '../../src/log/head.ts';
import { writeSessionDisclosure } from '../../src/log/sessionDisclosure.ts';
import {
  contentOf,
  sessionHeadBytes,
  sessionHeadShape,
  sessionTree,
  signSessionHead,
} from '../../src/log/sessionHead.ts';
import { readSession } from '../../src/session/read.ts';
import { parseInstant } from '../../src/time/instant.ts';
import { withTrust } from '../../src/verify/options.ts';
import type { InputReport } from '../../src/verify/report.ts';
import { verify } from '../../src/verify/verify.ts';

const people = await cast();
const SIGNED = parseInstant('2026-10-13T12:05:00Z') as bigint;
const SOON = '2026-10-13T12:05:03Z';
const anchors = [{ certificate: base64(timeRoot) }];

const bytes = utf8(demoSession());
const session = readSession(memorySource(bytes)).session;
const content = session === undefined ? undefined : contentOf(session);
if (session === undefined || content === undefined) throw new Error('the session does not read');
const head = signSessionHead(content, SIGNED, people.log.key);
const headFile = encode(sessionHeadShape, head);

const run = demoJournal(people);
const { journal } = readExport(run);
if (journal === undefined) throw new Error('the journal does not read');
const { tree } = treeOfJournal(journal);
const treeHead = signHead(
  { kind: 'journal', run_id: journal.run, size: tree.size, root: tree.root(), timestamp_nanos: SIGNED },
  people.log.key,
);

async function judged(
  input: Uint8Array,
  heads: readonly Uint8Array[],
  companions: readonly Uint8Array[],
  trust = trustFile(people, anchors),
): Promise<InputReport> {
  const named = (name: string) => (file: Uint8Array, i: number) => ({
    path: `${name} ${i}`,
    source: memorySource(file),
  });
  const { options } = await withTrust([{ path: 'trust.json', bytes: utf8(trust) }], {
    at: SIGNED + 3_600_000_000_000n,
    heads: heads.map(named('head')),
    companions: companions.map(named('token')),
  });
  const report = await verify([{ path: 'input', source: memorySource(input) }], options);
  return report.inputs[0] as InputReport;
}

const time = ({ claims, missing }: InputReport) => {
  const claim = claims.find((row) => row.claim === 'time');
  return [claim?.verdict, claim?.grade, missing.some((row) => row.claim === 'time')];
};
const VERIFIED = ['verified', 'rechecked', false];
const ASSERTED = ['undecided', 'asserted', true];

const line = session.bytes(3);
const disclosure = writeSessionDisclosure(head, sessionTree(content), [{ leaf: 4, line }]);

describe('a time-stamp token', () => {
  const token = stamp(sessionHeadBytes(head), SOON);

  it('dates a session by its head, the head itself and a disclosure under it', async () => {
    const report = await judged(bytes, [headFile], [token]);
    expect(time(report)).toEqual(VERIFIED);
    expect(report.claims.find(({ claim }) => claim === 'time')?.detail).toContain('existed by 2026-10-13T12:05:04Z');
    // No list of revocations was given, and the report says that nothing is known of the authority.
    expect(report.findings.map(({ code }) => code)).toContain('pki/token-status-unchecked');
    expect(report.claims.find(({ claim }) => claim === 'time')?.detail).toContain('was not checked');
    expect(time(await judged(headFile, [], [token]))).toEqual(VERIFIED);
    expect(time(await judged(disclosure ?? new Uint8Array(), [], [token]))).toEqual(VERIFIED);
  });

  it('dates a journal by its head, and a tree head', async () => {
    const over = stamp(signedBytes(treeHead), SOON);
    expect(time(await judged(run, [encode(headShape, treeHead)], [over]))).toEqual(VERIFIED);
    expect(time(await judged(encode(headShape, treeHead), [], [over]))).toEqual(VERIFIED);
  });

  it('over something else, by an authority that is not trusted, or that was changed leaves the word of the log', async () => {
    const altered = token.slice();
    altered[altered.length - 5] = (altered[altered.length - 5] as number) ^ 1;
    expect(time(await judged(bytes, [headFile], []))).toEqual(ASSERTED);
    expect(time(await judged(bytes, [headFile], [stamp(headFile, SOON)]))).toEqual(ASSERTED);
    expect(time(await judged(bytes, [headFile], [altered]))).toEqual(ASSERTED);
    expect(time(await judged(bytes, [headFile], [token], trustFile(people)))).toEqual(ASSERTED);
    expect(time(await judged(run, [encode(headShape, treeHead)], [token]))).toEqual(ASSERTED);
  });

  it('from before the time that the head names speaks against the head', async () => {
    const early = stamp(sessionHeadBytes(head), '2026-10-13T09:00:00Z');
    const report = await judged(bytes, [headFile], [early]);
    expect([time(report)[0], report.result]).toEqual(['failed', 'not_verified']);
    expect(report.findings.map(({ code }) => code)).toContain('evidence/stamp-contradicts-head');
    const over = stamp(signedBytes(treeHead), '2026-10-13T09:00:00Z');
    expect(time(await judged(run, [encode(headShape, treeHead)], [over]))[0]).toBe('failed');
  });

  it('over an earlier head dates what that head covers', async () => {
    const early = signSessionHead({ ...content, entries: 2 }, SIGNED - 60_000_000_000n, people.log.key);
    const over = stamp(sessionHeadBytes(early), '2026-10-13T12:04:30Z');
    const report = await judged(bytes, [headFile, encode(sessionHeadShape, early)], [over]);
    expect(report.claims.find(({ claim }) => claim === 'time')).toMatchObject({
      verdict: 'verified',
      scope: expect.stringContaining('the header and 2 of 6 entries'),
    });
  });
});
