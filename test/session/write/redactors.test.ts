import { readFileSync } from 'node:fs';
import { Ajv2020 } from 'ajv/dist/2020.js';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { base64, utf8 } from '../../../src/bytes/encoding.ts';
import { memorySource } from '../../../src/bytes/source.ts';
import { CREDENTIALS } from '../../../src/session/redact/credentials.ts';
import { original } from '../../../src/session/redact/original.ts';
import { redactSession } from '../../../src/session/redact/redact.ts';
import { credentials, environment, homePaths, inOrder, secrets } from '../../../src/session/redact/redactors.ts';
import { Rewriter } from '../../../src/session/redact/rewriter.ts';
import { BadRules, readRules } from '../../../src/session/redact/rules.ts';
import { textHash } from '../../../src/session/settings.ts';
import { createSession, fork } from '../../../src/session/write/create.ts';
import { draft } from '../../../src/session/write/draft.ts';
import { SessionError } from '../../../src/session/write/error.ts';
import { LiveSession } from '../../../src/session/write/live.ts';
import { faults, linesOf } from './program.ts';

const options = {
  profile: 'p@1',
  createdAt: '2026-11-30T00:00:00Z',
  rewrite: (text: string) => text.replaceAll('Ada', '[N]'),
};

describe('redactors', () => {
  it('find a secret as it stands, in JSON, in a URL and in base64', () => {
    const secret = 'pa"ss wö\\rd';
    const rewrite = secrets([{ secret, by: '#' }]);
    for (const spelled of [
      secret,
      JSON.stringify({ x: secret }),
      JSON.stringify(JSON.stringify({ x: secret })),
      `https://x/?q=${encodeURIComponent(secret)}`,
      `Basic ${base64(utf8(secret))}`,
    ])
      expect(rewrite(spelled), spelled).toMatch(/#/);
    expect(rewrite('pass word')).toBe('pass word');
    expect(secrets([])('x')).toBe('x');
  });

  /** How programs spell a text: each gives what stands around it, and the text as it is written there. */
  const SPELLINGS: Readonly<Record<string, (text: string) => string>> = {
    'as it is': (text) => text,
    'JSON, only ASCII (Python)': (text) => inAscii(JSON.stringify(text).slice(1, -1)),
    'JSON, upper case': (text) => inAscii(JSON.stringify(text).slice(1, -1), (digits) => digits.toUpperCase()),
    'JSON with a slash escaped (PHP)': (text) => inAscii(JSON.stringify(text).slice(1, -1).replaceAll('/', '\\/')),
    'JSON fit for HTML (Go)': (text) =>
      JSON.stringify(text)
        .slice(1, -1)
        .replace(/[<>&\u2028\u2029]/g, (unit) => escapeOf(unit)),
    'JSON in JSON in JSON': (text) => [1, 2, 3].reduce((inner) => inAscii(JSON.stringify(inner).slice(1, -1)), text),
    'a part of a URL': encodeURIComponent,
    'a part of a URL, lower case': (text) => encodeURIComponent(text).replace(/%../g, (byte) => byte.toLowerCase()),
    'a path of a URL': (text) => encodeURIComponent(text).replaceAll('%2F', '/'),
    'a form': (text) => new URLSearchParams({ q: text }).toString().slice(2),
    'a URL in a URL': (text) => encodeURIComponent(encodeURIComponent(text)),
    'a URL in JSON': (text) =>
      inAscii(JSON.stringify(encodeURIComponent(text).replaceAll('%2F', '/')).slice(1, -1).replaceAll('/', '\\/')),
    HTML: (text) =>
      text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;').replaceAll("'", '&#39;'),
    hexadecimal: (text) => Buffer.from(text).toString('hex'),
  };
  const escapeOf = (unit: string, spell = (digits: string) => digits): string =>
    `\\u${spell(unit.charCodeAt(0).toString(16).padStart(4, '0'))}`;
  const inAscii = (text: string, spell?: (digits: string) => string): string =>
    text.replace(/[^ -~]/g, (unit) => escapeOf(unit, spell));
  // Secrets hold what looks like an escape of another kind: an address with a signature, a path, a line feed that is written out.
  const aPiece = fc.oneof(
    { weight: 4, arbitrary: fc.string({ unit: 'grapheme', minLength: 1, maxLength: 3 }) },
    fc.constantFrom(
      '%41',
      '%2F',
      '%25',
      '%ff',
      '&amp;',
      '&lt;b',
      '&#65;',
      '\\n',
      '\\u0041',
      '\\\\',
      '"',
      '+',
      ' ',
      '/',
      '\n',
    ),
  );
  const aSecret = fc
    .array(aPiece, { minLength: 3, maxLength: 9 })
    .map((pieces) => pieces.join(''))
    .filter((text) => Buffer.byteLength(text) >= 6 && !/^\p{Surrogate}|\p{Surrogate}$/u.test(text));
  const around = fc.constantFrom('', 'a', ' ', 'key=', '"', '\n');

  it.each(Object.entries(SPELLINGS))('find a secret in the spelling: %s, and nothing else of the text', (_, spell) => {
    fc.assert(
      fc.property(aSecret, around, around, (secret, before, after) => {
        fc.pre(!`${before}${after}`.includes(secret));
        expect(secrets([{ secret, by: '\u2588' }])(`${before}${spell(secret)}${after}`)).toBe(
          `${before}\u2588${after}`,
        );
      }),
      { numRuns: 300 },
    );
  });

  it.each(['base64', 'base64url'] as const)(
    'find a secret wherever it begins in %s, and leave nothing of it',
    (coding) => {
      fc.assert(
        fc.property(aSecret, fc.string({ maxLength: 9 }), fc.string({ maxLength: 9 }), (secret, before, after) => {
          const coded = Buffer.from(`${before}${secret}${after}`).toString(coding);
          const left = secrets([{ secret, by: '\u2588' }])(`Basic ${coded} end`);
          const [head = '', tail = '', ...more] = left.slice('Basic '.length, -' end'.length).split('\u2588');
          expect(more).toEqual([]);
          expect(left).toContain('\u2588');
          // Whole letters of what stands around it are left, and no other.
          expect(coded.startsWith(head) && coded.endsWith(tail)).toBe(true);
          expect(head.length).toBeLessThanOrEqual(Math.floor((Buffer.byteLength(before) * 8) / 6));
          const last = Math.ceil((Buffer.byteLength(before + secret) * 8) / 6);
          expect(tail.length).toBeLessThanOrEqual(coded.length - last);
        }),
        { numRuns: 1000 },
      );
    },
  );

  it('read hostile texts in time that grows with them', () => {
    const rewrite = secrets([{ secret: 'hunter2-is-secret', by: '#' }]);
    for (const piece of ['\\', '\\u', '\\\\u0061', '%', '%ff', '%25', '&', '&amp;', '&#x', '+', 'hunter2-is-secre']) {
      const text = piece.repeat(200_000);
      const start = performance.now();
      expect(rewrite(text)).toBe(text);
      expect(performance.now() - start).toBeLessThan(10_000);
    }
  });

  it('find a secret anywhere in a long text, and each once', () => {
    const secret = 'pässwörd & more';
    const rewrite = secrets([{ secret, by: '\u2588' }]);
    const spelled = JSON.stringify(JSON.stringify(secret).replace(/[^ -~]/g, (unit) => escapeOf(unit))).slice(1, -1);
    for (const at of [0, 262_100, 262_144 - spelled.length, 262_143, 262_144, 266_500, 530_000]) {
      const [before, after] = ['x'.repeat(at), 'y'.repeat(600_000 - at)];
      expect(rewrite(`${before}${spelled}${after}`) === `${before}\\"\u2588\\"${after}`, String(at)).toBe(true);
    }
  });

  it('take every one of secrets that overlap', () => {
    const rewrite = secrets([
      { secret: 'abcdef', by: '1' },
      { secret: 'defghi', by: '2' },
    ]);
    expect(rewrite('-abcdefghi-')).toBe('-1-');
  });

  it('take the longer of two secrets of which one begins the other', () => {
    const rewrite = secrets([
      { secret: 'abc', by: '1' },
      { secret: 'abcdef', by: '2' },
    ]);
    expect(rewrite('abcdef abc')).toBe('2 1');
  });

  it('put ~ in the place of home folders', () => {
    const rewrite = homePaths(['/var/lib/ada']);
    expect(rewrite('cat /home/ada/.ssh/id /Users/ada/x C:\\Users\\Ada\\y C:\\\\Users\\\\Ada\\\\z /var/lib/ada/q')).toBe(
      'cat ~/.ssh/id ~/x ~\\y ~\\\\z ~/q',
    );
    expect(rewrite('/homes/ada and /usr/home')).toBe('/homes/ada and /usr/home');
  });

  it('replace values of the environment by their names, short ones left', () => {
    expect(environment({ TOKEN: 'abcdef', SHELL: 'sh', UNSET: undefined })('abcdef sh')).toBe('[TOKEN] sh');
  });

  it('know the shapes of credentials, and leave ordinary text', () => {
    const x = (n: number): string => 'aB3'.repeat(n).slice(0, n);
    const samples: Record<string, string> = {
      AWS_ACCESS_KEY: `AKIA${'A1B2'.repeat(4)}`,
      GITHUB_TOKEN: `ghp_${x(36)}`,
      GITLAB_TOKEN: `glpat-${x(20)}`,
      SLACK_TOKEN: `xoxb-${x(24)}`,
      STRIPE_KEY: `sk_live_${x(24)}`,
      ANTHROPIC_KEY: `sk-ant-api03-${x(40)}`,
      OPENAI_KEY: `sk-proj-${x(40)}`,
      GOOGLE_API_KEY: `AIza${x(35)}`,
      NPM_TOKEN: `npm_${x(36)}`,
      JWT: `eyJ${x(20)}.eyJ${x(30)}.${x(40)}`,
      PRIVATE_KEY: `-----BEGIN PRIVATE KEY-----\n${x(64)}\n-----END PRIVATE KEY-----`,
      URL_PASSWORD: 's3cret!',
    };
    expect(Object.keys(samples).sort()).toEqual(CREDENTIALS.map(({ name }) => name).sort());
    for (const [name, sample] of Object.entries(samples)) {
      const before = name === 'URL_PASSWORD' ? `postgres://ada:${sample}@db/x` : `use ${sample} now`;
      expect(credentials(before), name).toBe(before.replace(sample, `[${name}]`));
    }
    for (const plain of [
      'a skeleton key',
      'https://example.org:8080/x@y',
      'sk-short',
      'AKIA is a prefix',
      `sha256:${'0'.repeat(64)}`,
    ])
      expect(credentials(plain)).toBe(plain);
  });

  it('stay linear on hostile text', () => {
    const began = performance.now();
    for (const hostile of [
      '-----BEGIN A PRIVATE KEY-----'.repeat(3000),
      'eyJ'.repeat(60_000),
      'a://'.repeat(40_000),
      'x'.repeat(500_000),
    ])
      inOrder(credentials, homePaths())(hostile);
    expect(performance.now() - began).toBeLessThan(5_000);
  });
});

describe('rules', () => {
  const rules = (value: unknown): Uint8Array =>
    utf8(JSON.stringify({ format: 'audit.redaction-rules.v1', ...(value as object) }));
  const validate = new Ajv2020().compile(
    JSON.parse(
      readFileSync(new URL('../../../schemas/redaction-rules.schema.json', import.meta.url), 'utf8'),
    ) as object,
  );
  const good: readonly unknown[] = [
    {},
    {
      profile: 'p@1',
      replace: [
        { text: 'a', with: 'b' },
        { pattern: 'c+', flags: 'i' },
      ],
      credentials: true,
      home: false,
    },
    { leave_out: ['custom', 'x:*', 'x:note'], file_hashes: 'drop', placeholder: '-' },
  ];
  const bad: readonly unknown[] = [
    { format: 'other' },
    { profile: '' },
    { replace: [{}] },
    { replace: [{ text: 'a', pattern: 'b' }] },
    { replace: [{ pattern: 'a', flags: 'g' }] },
    { leave_out: ['item'] },
    { file_hashes: 'maybe' },
    { credentials: 'yes' },
    { unheard: 1 },
  ];

  it.each(good)('takes %j, as the schema does', (value) => {
    expect(readRules(rules(value))).toBeDefined();
    expect(validate(JSON.parse(new TextDecoder().decode(rules(value))))).toBe(true);
  });

  it.each(bad)('refuses %j, as the schema does', (value) => {
    expect(() => readRules(rules(value))).toThrow(BadRules);
    expect(validate(JSON.parse(new TextDecoder().decode(rules(value))))).toBe(false);
  });

  it('refuses what only a program can find', () => {
    expect(() => readRules(utf8('{'))).toThrow('not JSON');
    expect(() => readRules(rules({ replace: [{ pattern: '(' }] }))).toThrow('no regular expression');
    expect(() => readRules(rules({ replace: [{ pattern: 'a*' }] }))).toThrow('matches the empty text');
  });
});

describe('a redaction', () => {
  const withParts = () => {
    const session = createSession();
    session.append(
      draft('config', {
        model: 'm',
        instructions_parts: [
          { id: 'a', text: 'Ada' },
          { id: 'b', text: 'b' },
        ],
      }),
    );
    session.append(
      draft('config', {
        instructions_parts: [
          { id: 'b', hash: textHash('b') },
          { id: 'a', hash: textHash('Ada') },
        ],
      }),
    );
    session.append(draft('config', { instructions_parts: [{ keep: 2 }, { id: 'c', text: 'c' }] }));
    session.append(draft('response', { response_id: 'r', request_hash: session.requestHashFor('r') }));
    return session;
  };

  it('gives parts the hashes of their new texts', () => {
    const { session, unmet } = redactSession(withParts(), options);
    const text = new TextDecoder().decode(linesOf(session));
    expect(unmet).toEqual([]);
    expect(text).toContain(textHash('[N]'));
    expect(text).not.toContain(textHash('Ada'));
    expect(faults(linesOf(session))).toEqual([]);
    expect(text).toContain('"request_hash"');
  });

  it('tells of parts that it cannot rebuild, and puts placeholders there', () => {
    const from = withParts();
    const first = from.id(0);
    const { session, unmet } = redactSession(from, { ...options, leaveOut: ({ id }) => id === first });
    expect(unmet).toEqual([
      { entry: from.id(1), at: '/instructions_parts/0', id: 'b' },
      { entry: from.id(1), at: '/instructions_parts/1', id: 'a' },
    ]);
    const text = new TextDecoder().decode(linesOf(session));
    expect(text).toContain('[redacted]');
    expect(text).not.toContain(textHash('Ada'));
    expect(faults(linesOf(session))).toEqual([]);
  });

  it('tells of keeps that name nothing once an entry is left out', () => {
    const from = withParts();
    const rewriter = new Rewriter(from, options.rewrite);
    rewriter.leftOut(0);
    rewriter.leftOut(1);
    rewriter.rewrite(2);
    expect(rewriter.unmet()).toEqual([{ entry: from.id(2), at: '/instructions_parts/0', id: '' }]);
  });

  it('keeps an original that verified from becoming one that does not, or says why', () => {
    const session = createSession();
    session.append(draft('run', { run_id: 'r', phase: 'start', source: 'input' }));
    expect(() => redactSession(session, { ...options, rewrite: (text) => text.replace('start', 'x') })).toThrow(
      SessionError,
    );
  });

  it('of a fork keeps its base, and grows', () => {
    const origin = createSession({ id: 'origin' });
    origin.append(draft('info', { name: 'Ada' }));
    origin.append(draft('info', { name: 'b' }));
    const forked = fork(origin, origin.id(0), { id: 'fork' });
    forked.append(draft('info', { name: 'Ada again' }));
    const { session } = redactSession(forked, options);
    expect(session.header.base).toBe(session.id(0));
    expect(faults(linesOf(session))).toEqual([]);
    forked.append(draft('info', { name: 'more' }));
    const into = LiveSession.open(memorySource(linesOf(session)), { checks: 'read' });
    expect(redactSession(forked, { ...options, into }).appended).toBe(1);
    expect(faults(linesOf(into))).toEqual([]);
  });

  it('names other sessions by the ids of their redactions, and no entry of theirs', () => {
    const session = createSession({ id: 's', parentSession: 'parent' });
    session.append(draft('link', { rel: 'judged_by', session: 'judge' }));
    session.append(draft('info', { name: 'x' }, { parents: [{ session: 'other', entry: 'sha256:e' }] }));
    const text = new TextDecoder().decode(linesOf(redactSession(session, options).session));
    for (const named of ['"parent_session":"parent"', '"judge"', '"other"', 'sha256:e"'])
      expect(text).not.toContain(named);
    expect(text).toContain('"redacted_from":{"profile":"p@1","session":"s"}');
  });

  it('is mapped back only to an original that is at hand and long enough', () => {
    const from = withParts();
    const { session } = redactSession(from, options);
    const at = (action: () => unknown): string => {
      try {
        action();
        return 'mapped';
      } catch (error) {
        return error instanceof SessionError ? error.code : 'another error';
      }
    };
    expect(at(() => original(from, () => from))).toBe('not_redacted');
    expect(at(() => original(session, () => undefined))).toBe('no_session');
    expect(at(() => original(session, () => createSession()))).toBe('stale_original');
    expect(original(session, () => from).get(session.id(3))).toEqual([from.id(3)]);
  });
});
