import { readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readZip, writeZip } from '../../src/bundle/zip.ts';
import { Draft, functionCall, functionOutput, message } from '../session/draft.ts';
import { HAS_CHROMIUM, launch } from './chromium.ts';
import { audit, demonstration, IS_BUILT, temporaryFolder } from './program.ts';

const SESSION = fileURLToPath(new URL('../session/demo.jsonl', import.meta.url));
const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
const AT = '2026-12-01T00:00:00Z';

let browser: Browser;
let folder: string;
const requests: string[] = [];

interface Look {
  readonly colorScheme?: 'light' | 'dark';
  readonly width?: number;
}

/** A page of its own without a network; what it asks for is kept. */
async function open(file: string, { colorScheme = 'light', width = 1000 }: Look = {}): Promise<Page> {
  const context = await browser.newContext({ offline: true, colorScheme, viewport: { width, height: 800 } });
  const page = await context.newPage();
  page.on('request', (request) => {
    if (!/^(file|blob|data):/.test(request.url())) requests.push(request.url());
  });
  await page.goto(`file://${file}`);
  return page;
}

/** Gives files to the page and waits for its answer: what it says, in which colour, and the report that it lets one save. */
async function drop(page: Page, files: readonly string[]) {
  await page.setInputFiles('#files', [...files]);
  await page.waitForSelector('#save');
  const [saved] = await Promise.all([page.waitForEvent('download'), page.click('#save')]);
  const note = page.locator('#answer > .verdict');
  return {
    says: (await note.textContent()) ?? '',
    tone: (await note.getAttribute('class')) ?? '',
    report: readFileSync(await saved.path(), 'utf8'),
  };
}

const made = new Map<string, { readonly page: string; readonly json: string }>();

/** A page and a JSON report of one run of the command line. */
function reported(name: string, ...args: readonly string[]): { readonly page: string; readonly json: string } {
  const known = made.get(args.join(' '));
  if (known !== undefined) return known;
  const page = join(folder, `${name}.html`);
  const json = join(folder, `${name}.report.json`);
  audit(folder, 'verify', ...args, '--format', `html=${page}`, '--format', `json=${json}`);
  const both = { page, json: readFileSync(json, 'utf8') };
  made.set(args.join(' '), both);
  return both;
}

/** The file with one byte of it changed. */
function altered(path: string, to: string, find: string): string {
  const bytes = readFileSync(path);
  const at = bytes.indexOf(find);
  if (at < 0) throw new Error(`${path} does not hold ${find}`);
  bytes[at] = (bytes[at] as number) ^ 1;
  writeFileSync(to, bytes);
  return to;
}

/** The bundle with one byte of a file in it changed, and everything that a container keeps of it set right. */
function alteredBundle(path: string, to: string): string {
  const archive = readZip(readFileSync(path));
  if (!archive.ok) throw new Error('no bundle');
  const entries = archive.entries.map(({ name, bytes }) => ({ name, bytes: bytes.slice() }));
  const session = entries.find(({ name }) => name === 'inputs/session.jsonl')?.bytes ?? new Uint8Array();
  session[200] = (session[200] as number) ^ 1;
  writeFileSync(to, writeZip(entries));
  return to;
}

const serious = async (page: Page) => {
  await page.evaluate(AXE);
  const { violations } = await page.evaluate(() =>
    (
      globalThis as unknown as {
        axe: { run(): Promise<{ violations: { id: string; impact: string; nodes: { html: string }[] }[] }> };
      }
    ).axe.run(),
  );
  return violations.map(({ id, impact, nodes }) => `${impact} ${id}: ${nodes[0]?.html ?? ''}`);
};

describe.skipIf(!HAS_CHROMIUM || !IS_BUILT)('the page', () => {
  beforeAll(async () => {
    browser = await launch();
    folder = await demonstration();
    writeFileSync(join(folder, 'demo.jsonl'), readFileSync(SESSION));
  });
  afterAll(async () => {
    await browser?.close();
    expect(requests).toEqual([]);
  });

  const CASES: readonly (readonly [string, readonly string[], readonly string[]])[] = [
    ['a session', ['demo.jsonl'], []],
    ['a package', ['evidence.json', '--trust', 'trust.json', '--at', AT], ['trust.json']],
    ['a bundle', ['refund.bundle', '--trust', 'trust.json'], ['trust.json']],
    [
      'a journal under a head',
      ['journal.json', '--trust', 'trust.json', '--head', 'journal-head.json'],
      ['trust.json', 'journal-head.json'],
    ],
    ['a trail as of the clock of the command line', ['notifications.json', '--trust', 'trust.json'], ['trust.json']],
    ['several inputs', ['demo.jsonl', 'session.jsonl', 'journal.json', '--require', 'integrity'], []],
  ];
  it.each(CASES)(
    'verifies %s again and comes to the report of the command line, byte for byte',
    async (name, args, beside) => {
      const { page: file, json } = reported(name.replaceAll(' ', '-'), ...args);
      const inputs = args.filter((arg, i) => !arg.startsWith('--') && !args[i - 1]?.startsWith('--'));
      const page = await open(file);
      const { says, tone, report } = await drop(
        page,
        [...beside, ...inputs].map((each) => join(folder, each)),
      );
      expect(report).toBe(json);
      expect(says).toContain('the same report, byte for byte');
      expect(tone).toContain('verified');
      await page.context().close();
    },
  );

  it.each([
    ['a session', ['demo.jsonl'], 'demo.jsonl', 'Oslo'],
    ['a package', ['evidence.json', '--trust', 'trust.json', '--at', AT], 'evidence.json', 'call_7'],
    ['a bundle', ['refund.bundle', '--trust', 'trust.json'], 'refund.bundle', ''],
  ] as const)(
    'turns red for %s that was tampered with, under the trust that was used',
    async (name, args, input, find) => {
      const { page: file } = reported(name.replaceAll(' ', '-'), ...args);
      const page = await open(file);
      const bad = join(temporaryFolder(), input);
      if (input === 'refund.bundle') alteredBundle(join(folder, input), bad);
      else altered(join(folder, input), bad, find);
      const { says, tone, report } = await drop(page, [bad, join(folder, 'trust.json')]);
      expect(says).toContain('not the bytes that the report is about');
      expect(tone).toContain('failed');
      expect(JSON.parse(report)).toMatchObject({ result: 'not_verified', status: 1 });
      expect(await page.locator('#result').textContent()).toContain('Not verified');
      await page.context().close();
    },
  );

  it('says which file is not there where a trust file or an input is left away', async () => {
    const { page: file } = reported('a-package', 'evidence.json', '--trust', 'trust.json', '--at', AT);
    const page = await open(file);
    const { says, tone, report } = await drop(page, [join(folder, 'evidence.json')]);
    expect(says).toContain('nothing here has the content of trust.json');
    expect(tone).toContain('failed');
    expect(JSON.parse(report).result).toBe('no_verdict');
    await page.context().close();
  });

  it('says so where the carried report is not what the files give', async () => {
    const { page: file } = reported('a-session', 'demo.jsonl');
    const forged = join(folder, 'forged.html');
    writeFileSync(forged, readFileSync(file, 'utf8').replace('"scope": "22 entries"', '"scope": "23 entries"'));
    const page = await open(forged);
    const { says, tone } = await drop(page, [SESSION]);
    expect(says).toContain('ANOTHER report');
    expect(tone).toContain('failed');
    await page.context().close();
  });

  it('says that a report of another command is none of its own', async () => {
    audit(folder, 'approvals', 'journal.json', '--trust', 'trust.json', '--format', 'html=approvals.html');
    const page = await open(join(folder, 'approvals.html'));
    const { says } = await drop(page, [join(folder, 'journal.json'), join(folder, 'trust.json')]);
    expect(says).toContain('may come from another command than "audit verify"');
    await page.context().close();
  });

  it('takes what only a walk over a folder knew from the report that it carries', async () => {
    const inner = temporaryFolder();
    writeFileSync(join(inner, 'demo.jsonl'), readFileSync(SESSION));
    writeFileSync(join(inner, 'notes.txt'), 'nothing that is known');
    audit(inner, 'verify', '.', 'gone.jsonl', '--format', 'html=page.html', '--format', 'json=report.json');
    const page = await open(join(inner, 'page.html'));
    const { says, report } = await drop(page, [join(inner, 'demo.jsonl')]);
    expect(report).toBe(readFileSync(join(inner, 'report.json'), 'utf8'));
    expect(JSON.parse(report)).toMatchObject({ totals: { left_out: 1, unusable_input: 1 }, status: 4 });
    expect(says).toContain('1 that could not be read then is taken from there');
    await page.context().close();
  });

  it('without a report is a verifier that gives what the command line gives', async () => {
    audit(folder, 'page', '--out', 'empty.html');
    const page = await open(join(folder, 'empty.html'));
    const { report, tone } = await drop(
      page,
      ['session.jsonl', 'evidence.json', 'trust.json'].map((name) => join(folder, name)),
    );
    const { out } = audit(
      folder,
      'verify',
      'session.jsonl',
      'evidence.json',
      '--trust',
      'trust.json',
      '--format',
      'json',
    );
    // Each has a clock of its own.
    const timeless = (json: string) => json.replace(/"time": "[^"]*"(?=,\s*"source": "clock")/g, '"time": ""');
    expect(timeless(report)).toBe(timeless(out));
    expect(tone).toContain('verified');
    await page.context().close();
  });

  it('takes a folder that is dropped on it', async () => {
    audit(folder, 'page', '--out', 'empty.html');
    const inner = temporaryFolder();
    for (const name of ['a.jsonl', 'b.jsonl']) writeFileSync(join(inner, name), readFileSync(SESSION));
    const page = await open(join(folder, 'empty.html'));
    await page.setInputFiles('#folder', inner);
    await page.waitForSelector('#save');
    expect(await page.locator('article h2').allTextContents()).toEqual([
      expect.stringMatching(/\/a\.jsonl$/),
      expect.stringMatching(/\/b\.jsonl$/),
    ]);
    await page.context().close();
  });

  it('shows an unusable choice of files as such and not as an answer', async () => {
    audit(folder, 'page', '--out', 'empty.html');
    const page = await open(join(folder, 'empty.html'));
    writeFileSync(join(folder, 'words.txt'), 'words');
    const { report, tone } = await drop(page, [join(folder, 'words.txt')]);
    expect(JSON.parse(report).result).toBe('unusable_input');
    expect(tone).toContain('unusable_input');
    await page.context().close();
  });

  it('refers to nothing outside itself', () => {
    const html = readFileSync(reported('a-bundle', 'refund.bundle', '--trust', 'trust.json').page, 'utf8');
    const markup = html.replace(/<script>[\s\S]*?<\/script>/g, '');
    expect(html.length - markup.length).toBeGreaterThan(100_000);
    expect(markup.replace(/<script type="application\/json"[\s\S]*?<\/script>/, '')).not.toMatch(
      /\b(?:src|srcset|action|poster|data)\s*=|href="(?!#)|url\(|@import|<link|<iframe|<object|<base/i,
    );
    expect(markup).toMatch(/default-src 'none'; style-src 'sha256-[^']+'; script-src 'sha256-[^']+'/);
  });

  it.each([
    ['light', 1000],
    ['dark', 380],
  ] as const)('has no accessibility issue in %s at %i pixels', async (colorScheme, width) => {
    const { page: file } = reported('some', 'demo.jsonl', 'notifications.json', 'words.txt', '--trust', 'trust.json');
    audit(folder, 'page', '--out', 'empty.html');
    const fits = (page: Page) =>
      page.evaluate(() => document.documentElement.scrollWidth <= document.documentElement.clientWidth);
    for (const [path, dropped] of [
      [file, SESSION],
      [join(folder, 'empty.html'), altered(SESSION, join(folder, 'bad.jsonl'), 'Oslo')],
    ] as const) {
      const page = await open(path, { colorScheme, width });
      expect(await serious(page)).toEqual([]);
      expect(await fits(page)).toBe(true);
      await page.setInputFiles('#files', dropped);
      await page.waitForSelector('#save');
      expect(await serious(page)).toEqual([]);
      expect(await fits(page)).toBe(true);
      await page.context().close();
    }
  });

  it('is used with the keyboard alone', async () => {
    const page = await open(reported('a-session', 'demo.jsonl').page);
    const focused = () => page.evaluate(() => document.activeElement?.id || document.activeElement?.textContent);
    await page.keyboard.press('Tab');
    expect(await focused()).toBe('To the report');
    await page.keyboard.press('Enter');
    expect(await focused()).toBe('main');
    const met: unknown[] = [];
    for (let i = 0; i < 8; i++) {
      await page.keyboard.press('Tab');
      met.push(await focused());
    }
    expect(met).toEqual(expect.arrayContaining(['files', 'folder']));
    await page.context().close();
  });

  it('shows text of the input as text, whatever it holds, and runs none of it', async () => {
    const evil = '</script></title><script>pwned=1</script><img src=x onerror=pwned=1>\u202E"\'>';
    const draft = new Draft({ records: [] });
    draft.add('config', { replace: true, model: evil });
    draft.item(message(evil));
    const target = draft.item(functionCall('c1', '<svg onload=pwned=1>', JSON.stringify({ evil })), {
      response: '<b>r</b>',
    });
    draft.item(functionOutput('c1', evil));
    draft.add('decision', {
      call_id: 'c1',
      target,
      verdict: 'reject',
      by: evil,
      reason: '<a href=javascript:pwned=1>x</a>',
    });
    const name = `<img src=x onerror=pwned=1>${'&amp;'}.jsonl`;
    const inner = temporaryFolder();
    writeFileSync(join(inner, name), draft.text().replace('c1', 'c2'));
    audit(inner, 'verify', name, '--expect-id', evil, '--format', 'html=page.html');
    const page = await open(join(inner, 'page.html'));
    await drop(page, [join(inner, name)]);
    expect(
      await page.evaluate(() => ({
        pwned: 'pwned' in globalThis,
        scripts: document.scripts.length,
        foreign: document.querySelectorAll('img,iframe,a[href^="javascript"],svg[onload],b').length,
      })),
    ).toEqual({ pwned: false, scripts: 2, foreign: 0 });
    expect(await page.locator('article h2').textContent()).toBe(name);
    expect(await page.locator('#shown').textContent()).toContain('\\u{202e}');
    await page.context().close();
  });

  it('runs no script but its own, even one that stands in the file', async () => {
    const html = readFileSync(reported('a-session', 'demo.jsonl').page, 'utf8');
    const injected = join(folder, 'injected.html');
    writeFileSync(
      injected,
      html.replace('</main>', '<script>pwned=1</script><p onclick="pwned=1" id="p">x</p></main>'),
    );
    const page = await open(injected);
    await page.click('#p');
    expect(await page.evaluate(() => 'pwned' in globalThis)).toBe(false);
    await page.context().close();
  });

  it('prints what it shows, folded parts included, and not what is to be clicked', async () => {
    const { page: file } = reported('all', '.', '--trust', 'trust.json', '--at', AT);
    const page = await open(file);
    await page.emulateMedia({ media: 'print' });
    expect(await page.locator('#drop').isVisible()).toBe(false);
    const tables = page.locator('details .claims');
    expect(await tables.count()).toBeGreaterThan(2);
    for (let i = 0; i < 3; i++) expect((await tables.nth(i).boundingBox())?.height ?? 0).toBeGreaterThan(20);
    const pdf = await page.pdf({ format: 'A4' });
    expect(new TextDecoder('latin1').decode(pdf.subarray(0, 5))).toBe('%PDF-');
    await page.context().close();
  });

  it('draws a branch where it leaves the path that it comes from', async () => {
    const draft = new Draft({ records: [] });
    draft.add('config', { replace: true, model: 'm' });
    draft.item(message('look'));
    const target = draft.item(functionCall('c1'), { response: 'r1' });
    const fork = draft.response('r1');
    draft.item(functionOutput('c1'));
    draft.add('decision', { call_id: 'c1', target, verdict: 'reject', reason: 'no' }, fork);
    const inner = temporaryFolder();
    writeFileSync(join(inner, 'fork.jsonl'), draft.text());
    audit(inner, 'verify', 'fork.jsonl', '--format', 'html=page.html');
    const page = await open(join(inner, 'page.html'));
    expect(await page.locator('.timeline .bend').count()).toBe(1);
    expect(await page.locator('.timeline').textContent()).toMatch(/leaves main: branch 1/);
    await page.context().close();
  });
});
