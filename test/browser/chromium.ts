/** Headless Chromium with the network off, for tests that must show the same in a browser. */
import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { type Browser, chromium, type Page } from 'playwright-core';

const EXECUTABLE = process.env['CHROMIUM'] ?? '/usr/bin/chromium';

/** Whether this machine has the browser; where it has not, tests that need it are skipped by name. */
export const HAS_CHROMIUM = existsSync(EXECUTABLE);

const BUNDLE = fileURLToPath(new URL('../../dist/browser/audit.js', import.meta.url));

export async function launch(): Promise<Browser> {
  return chromium.launch({
    executablePath: EXECUTABLE,
    args: [
      '--no-sandbox',
      '--disable-gpu',
      '--disable-quic',
      '--no-first-run',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
    ],
  });
}

/** An empty page that has the verifier and no network. */
export async function pageWithVerifier(browser: Browser): Promise<Page> {
  const context = await browser.newContext({ offline: true });
  const page = await context.newPage();
  await page.addScriptTag({ content: readFileSync(BUNDLE, 'utf8') });
  return page;
}

export interface PageInput {
  readonly path: string;
  readonly base64: string;
}

/** The JSON report that the page makes of the files. */
export async function verifyInPage(
  page: Page,
  files: readonly PageInput[],
  options: { readonly trust?: readonly PageInput[]; readonly heads?: readonly PageInput[]; readonly at?: string } = {},
): Promise<string> {
  return page.evaluate(
    async ({ files, options }) => {
      const decode = ({ path, base64 }: { path: string; base64: string }) => ({
        path,
        bytes: Uint8Array.from(atob(base64), (character) => character.charCodeAt(0)),
      });
      const { audit } = globalThis as unknown as {
        audit: {
          verify(files: unknown[], options: unknown): Promise<unknown>;
          renderReport(report: unknown, format: string): Promise<string>;
        };
      };
      const report = await audit.verify(files.map(decode), {
        ...options,
        trust: (options.trust ?? []).map(decode),
        heads: (options.heads ?? []).map(decode),
      });
      return audit.renderReport(report, 'json');
    },
    { files, options },
  );
}
