/** Redaction leaves no trace of what it removes, and its result verifies (session-format 11). */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { utf8 } from '../../../src/bytes/encoding.ts';
import { memorySource } from '../../../src/bytes/source.ts';
import { original } from '../../../src/session/redact/original.ts';
import { type RedactOptions, redactSession } from '../../../src/session/redact/redact.ts';
import { secrets } from '../../../src/session/redact/redactors.ts';
import { createSession, fork } from '../../../src/session/write/create.ts';
import { draft } from '../../../src/session/write/draft.ts';
import { LiveSession } from '../../../src/session/write/live.ts';
import { faults, hashesOfTexts, linesOf, Program, type Step } from './program.ts';

const EXAMPLE = `{"created_at":"2026-11-01T13:00:00Z","format":"agentsession/0.14","id":"01995b2a-0000-7000-8000-0000000000b1","payload":"openresponses/2026-04-24","type":"session"}
{"id":"sha256:82ccdca9d00ce45246ee4fa99723b6f9382d2a67be3640c43e7fab2e05f647da","instructions":"Help Ada.","model":"gpt-5","parent":null,"ts":"2026-11-01T13:00:01Z","type":"config"}
{"id":"sha256:6395601e414ffb7b919c500240a51282d9810d2c9427a92ff8b0c9598f5aa95d","item":{"content":[{"text":"I am Ada.","type":"input_text"}],"role":"user","type":"message"},"parent":"sha256:82ccdca9d00ce45246ee4fa99723b6f9382d2a67be3640c43e7fab2e05f647da","ts":"2026-11-01T13:00:02Z","type":"item"}
{"data":{"user":"Ada"},"id":"sha256:1f3fa8f30d0f61fcb94e3e2cf7988281c4bcbac49b256914472b5a4b1d760874","ns":"x:audit","parent":"sha256:6395601e414ffb7b919c500240a51282d9810d2c9427a92ff8b0c9598f5aa95d","ts":"2026-11-01T13:00:03Z","type":"custom"}
{"id":"sha256:e1647ebef0c73a04a3784b139312ea13e82a3d2029512b21292d3db783dfa597","item":{"content":[{"annotations":[],"text":"Hello Ada.","type":"output_text"}],"id":"msg_1","role":"assistant","status":"completed","type":"message"},"parent":"sha256:1f3fa8f30d0f61fcb94e3e2cf7988281c4bcbac49b256914472b5a4b1d760874","response":"resp_1","ts":"2026-11-01T13:00:04Z","type":"item"}
{"id":"sha256:948fdb9d32d0eaaf4e84ef58bd9dc9f1acbb3c43330c93e35abfa332e250755a","parent":"sha256:e1647ebef0c73a04a3784b139312ea13e82a3d2029512b21292d3db783dfa597","request_hash":"sha256:ebdd79510f576bf0e2ff393a6a676fc9cba4d43b99ca1f15e9e1e7ce013b779b","response_id":"resp_1","status":"completed","ts":"2026-11-01T13:00:05Z","type":"response"}
`;

const REDACTED = `{"created_at":"2026-11-01T14:00:00Z","format":"agentsession/0.14","id":"a3f568a3-c1ba-59b2-bba8-95d42cd88623","payload":"openresponses/2026-04-24","redacted":true,"redacted_from":{"profile":"names@1","session":"01995b2a-0000-7000-8000-0000000000b1"},"type":"session"}
{"id":"sha256:2a6eb3ba0f4003725c6bddbddfbaf1558224bbf518f1e22122915d537a13f291","instructions":"Help [NAME].","model":"gpt-5","parent":null,"redacted":[1],"ts":"2026-11-01T13:00:01Z","type":"config"}
{"id":"sha256:d808a06431b051591a68ea9faf2bced85d4b89efc9136b7b5238827ad5ee355f","item":{"content":[{"text":"I am [NAME].","type":"input_text"}],"role":"user","type":"message"},"parent":"sha256:2a6eb3ba0f4003725c6bddbddfbaf1558224bbf518f1e22122915d537a13f291","redacted":[2],"ts":"2026-11-01T13:00:02Z","type":"item"}
{"id":"sha256:c40657d1b7ad6220e7c15bb1949e7ae607b1dc535d2a44f9654db4b8947c8c78","item":{"content":[{"annotations":[],"text":"Hello [NAME].","type":"output_text"}],"id":"msg_1","role":"assistant","status":"completed","type":"message"},"parent":"sha256:d808a06431b051591a68ea9faf2bced85d4b89efc9136b7b5238827ad5ee355f","redacted":[4],"response":"resp_1","ts":"2026-11-01T13:00:04Z","type":"item"}
{"id":"sha256:9c53ec4920eb51d9c9f0915c0198aec486924e6046e9a69f9acf298f5ad57817","parent":"sha256:c40657d1b7ad6220e7c15bb1949e7ae607b1dc535d2a44f9654db4b8947c8c78","redacted":[5],"request_hash":"sha256:ce95a5a7fdc247762b52d584a440e30c4e0f53b481ad06c15db8a72cc786aec1","response_id":"resp_1","status":"completed","ts":"2026-11-01T13:00:05Z","type":"response"}
`;

const names = {
  profile: 'names@1',
  rewrite: secrets([{ secret: 'Ada', by: '[NAME]' }]),
  createdAt: '2026-11-01T14:00:00Z',
  leaveOut: ({ kind }: { readonly kind: string }) => kind === 'custom',
};

const text = (bytes: Uint8Array): string => new TextDecoder().decode(bytes);

test('the worked example is redacted to the bytes of the specification', () => {
  const { session, leftOut } = redactSession(LiveSession.open(memorySource(utf8(EXAMPLE))), names);
  expect(text(linesOf(session))).toBe(REDACTED);
  expect(leftOut).toEqual(['sha256:1f3fa8f30d0f61fcb94e3e2cf7988281c4bcbac49b256914472b5a4b1d760874']);
  const added = session.append(draft('info', { name: 'redacted copy', redacted: [] }, { ts: '2026-11-01T14:00:06Z' }));
  expect(added.id).toBe('sha256:2cb8416121aba12fffc5a8d3660c70679f46c045821ba11dbcf293bfd2e3fb47');
});

test('what the original gains is appended, and what is there stays byte for byte', () => {
  const lines = EXAMPLE.trim().split('\n');
  const first = LiveSession.open(memorySource(utf8(`${lines.slice(0, 4).join('\n')}\n`)));
  const { session } = redactSession(first, names);
  session.append(draft('info', { name: 'native' }, { ts: '2026-11-01T14:30:00Z' }));
  const before = text(linesOf(session));
  const whole = LiveSession.open(memorySource(utf8(EXAMPLE)));
  const into = LiveSession.open(memorySource(utf8(before)), { checks: 'read' });
  const grown = redactSession(whole, { ...names, into });
  expect(grown.appended).toBe(2);
  expect(text(linesOf(grown.session)).startsWith(before)).toBe(true);
  const again = redactSession(whole, { ...names, into: grown.session });
  expect(again.appended).toBe(0);
  expect(() => redactSession(whole, { ...names, rewrite: (each) => each, into: grown.session })).toThrow(
    /made by other rules/,
  );
});

const SECRETS = ['hunter2-Zürich', 'q"uo\\te-47', 's3cret/with space'];
const rewrite = secrets(SECRETS.map((secret, i) => ({ secret, by: `[SECRET ${i}]` })));
const planted = { text: (n: number) => (n % 3 === 0 ? `plain ${n % 5}` : `tell ${SECRETS[n % 3]} to ${n % 4}`) };
// Without redactions inside: where nothing changes, the copy of a copy is the same entry under the same id.
const op = fc.nat(19).map((n) => (n === 19 ? 20 : n));
const step: fc.Arbitrary<Step> = fc.tuple(op, fc.nat(60), fc.nat(60));

/** What of a session must not stand in its copy and does: secrets, hashes of texts that held one, ids. */
function leaks(session: LiveSession, output: string): readonly string[] {
  const hashes = hashesOfTexts(text(linesOf(session)), SECRETS);
  const found = new Set(output.match(/[0-9a-f]{64}/g));
  return [
    ...SECRETS.flatMap((secret) => [secret, JSON.stringify(secret).slice(1, -1)]).filter((each) =>
      output.includes(each),
    ),
    ...Array.from({ length: session.size }, (_, index) => session.id(index).slice(7)).filter((id) => found.has(id)),
    ...[...found].filter((hash) => hashes.has(hash)),
  ];
}

test('of 500 sessions with planted secrets no trace is left, and each verifies', { timeout: 3_600_000 }, () => {
  const numRuns = process.env['AUDIT_FUZZ'] === undefined ? 500 : 20_000;
  let entries = 0;
  let hashed = 0;
  fc.assert(
    fc.property(
      fc.constantFrom([], ['run', 'dispatch', 'decision']),
      fc.array(step, { minLength: 6, maxLength: 20 }),
      (records, steps) => {
        const program = new Program(records, planted).run(steps);
        for (const session of [...program.left, program.session]) {
          const options: RedactOptions = {
            profile: 'test@1',
            rewrite,
            createdAt: '2026-11-30T00:00:00Z',
            withoutFileHashes: true,
            ...(steps.length % 2 === 0 ? { leaveOut: ({ kind }) => kind === 'custom' || kind === 'info' } : {}),
          };
          const made = redactSession(session, options);
          const bytes = linesOf(made.session);
          const output = text(bytes);
          expect(faults(bytes)).toEqual([]);
          expect(leaks(session, output)).toEqual([]);
          const back = original(made.session, (id) => (id === session.header.id ? session : undefined));
          for (let index = 0; index < made.session.size; index++) {
            entries++;
            if (!made.session.own(index)) continue;
            const id = made.session.id(index);
            const of = back.get(id);
            if (of?.length !== 1 || made.ids.get(of[0] as string) !== id)
              expect(of, id).toBe('one entry of the original');
          }
          hashed += output.match(/"request_hash"/g)?.length ?? 0;
          expect(made.ids.size + made.leftOut.length).toBe(session.size);
          // Repeated over its own result it has nothing to add.
          const into = LiveSession.open(memorySource(bytes), { checks: 'read' });
          expect(redactSession(session, { ...options, into }).appended).toBe(0);
        }
      },
    ),
    { numRuns },
  );
  expect(entries).toBeGreaterThan(numRuns * 2);
  expect(hashed).toBeGreaterThan(0);
});

const part = fc.array(step, { minLength: 4, maxLength: 10 });
/** A fork at some entry. */
const forking = fc.nat(20).map((n): Step[] => [[18, 3 * n, 1]]);

test('the copy of a fork is a fork of the copy of its origin, and has its prefix byte for byte', {
  timeout: 3_600_000,
}, () => {
  const numRuns = process.env['AUDIT_FUZZ'] === undefined ? 300 : 10_000;
  let forks = 0;
  let apart = 0;
  fc.assert(
    fc.property(part, forking, part, forking, part, (...parts) => {
      const program = new Program([], planted).run(parts.flat());
      const all = new Map([...program.left, program.session].map((each) => [each.header.id, each]));
      const options = { profile: 'test@1', rewrite, createdAt: '2026-11-30T00:00:00Z', withoutFileHashes: true };
      const copies = new Map<string, LiveSession>();
      for (const session of all.values()) {
        const { base, parentSession = '' } = session.header;
        const copy = copies.get(parentSession);
        const atHand = (id: string) => all.get(id) ?? [...copies.values()].find(({ header }) => header.id === id);
        const place = session.base ?? -1;
        const shown = copy === undefined ? [] : [...original(copy, atHand).values()].flat();
        // Where nothing of the prefix is in the copy of the origin there is nothing to fork from.
        const isLeftOut = !session.path(place).some((index) => shown.includes(session.id(index)));
        const origin = base === undefined || copy === undefined || isLeftOut ? {} : { origin: { copy, atHand } };
        if (base !== undefined && copy !== undefined && isLeftOut)
          expect(() => redactSession(session, { ...options, origin: { copy, atHand } })).toThrow(
            /no entry of the prefix/,
          );
        const made = redactSession(session, { ...options, ...origin });
        copies.set(session.header.id, made.session);
        if (base === undefined || copy === undefined || isLeftOut) continue;
        forks++;
        const bytes = linesOf(made.session);
        expect(faults(bytes)).toEqual([]);
        expect(leaks(session, text(bytes))).toEqual([]);
        const { header } = made.session;
        // A base that was left out gives way to the nearest entry above it that was not.
        const kept = session.path(place).findLast((index) => made.ids.has(session.id(index))) ?? -1;
        expect([header.parentSession, header.base]).toEqual([copy.header.id, made.ids.get(session.id(kept))]);
        const prefix = copy.path(copy.find(header.base ?? '') ?? -1).map((index) => text(copy.bytes(index)));
        expect(prefix.map((_, index) => text(made.session.bytes(index)))).toEqual(prefix);
        if (copy.find(header.base ?? '') !== prefix.length - 1) apart++;
        const back = original(made.session, atHand);
        for (const [from, to] of made.ids) expect(back.get(to)).toContain(from);
        const into = LiveSession.open(memorySource(bytes), { checks: 'read' });
        expect(redactSession(session, { ...options, ...origin, into }).appended).toBe(0);
      }
    }),
    { numRuns },
  );
  expect(forks).toBeGreaterThan(numRuns);
  expect(apart).toBeGreaterThan(0);
});

test('an origin is the copy of the parent by the same profile, and has something of the prefix', () => {
  const run = LiveSession.open(memorySource(utf8(EXAMPLE)));
  const retry = fork(run, run.id(1), { id: 'retry', createdAt: '2026-11-01T13:30:00Z' });
  retry.append(draft('info', { name: 'Ada again' }, { ts: '2026-11-01T13:30:01Z' }));
  const copy = redactSession(run, names).session;
  const atHand = (id: string) => (id === run.header.id ? run : undefined);
  const shared = redactSession(retry, { ...names, origin: { copy, atHand } });
  expect(text(linesOf(shared.session)).split('\n').slice(1, 3)).toEqual(REDACTED.split('\n').slice(1, 3));
  const refused = (session: LiveSession, origin: object, more: object = {}) =>
    expect(() => redactSession(session, { ...names, ...more, origin: { copy, atHand, ...origin } }));
  refused(run, {}).toThrow(/no fork/);
  refused(retry, { copy: retry }).toThrow(/not of the parent/);
  refused(retry, {}, { profile: 'names@2' }).toThrow(/by this profile/);
  refused(retry, { atHand: () => undefined }).toThrow(/not at hand/);
  const lone = createSession({ id: 'lone', createdAt: '2026-11-01T13:00:00Z' });
  const first = lone.append(draft('custom', { ns: 'x:audit', data: {} }, { ts: '2026-11-01T13:00:01Z' }));
  const branch = fork(lone, first.id, { id: 'branch', createdAt: '2026-11-01T13:30:00Z' });
  refused(branch, { copy: redactSession(lone, names).session, atHand: () => lone }).toThrow(/no entry of the prefix/);
});

test('a merged branch that was left out is no longer named where the parent stands for it', () => {
  const session = createSession({ id: 's' });
  const kept = session.append(draft('item', { item: { type: 'message', role: 'user', content: [] } }));
  const branch = session.append(draft('custom', { ns: 'x:sub', data: 1 }, { parent: kept.id }));
  const other = session.append(draft('custom', { ns: 'x:sub', data: 2 }, { parent: kept.id }));
  const aside = session.append(draft('info', { name: 'aside' }, { parent: kept.id }));
  const below = session.append(draft('custom', { ns: 'x:sub', data: 3 }, { parent: aside.id }));
  const merged = [branch, other, aside, below].map(({ id }) => ({ entry: id }));
  session.append(draft('info', { name: 'merged' }, { parent: kept.id, parents: merged }));
  expect(faults(linesOf(session))).toEqual([]);
  const made = redactSession(session, { ...names, leaveOut: ({ kind }) => kind === 'custom' });
  expect(faults(linesOf(made.session))).toEqual([]);
  const last = made.session.entry(made.session.size - 1);
  expect(last.parents).toEqual([{ entry: made.ids.get(aside.id) }]);
  expect(made.leftOut).toHaveLength(3);
});
