import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { chromium, type BrowserContext, type BrowserContextOptions, type Page } from 'playwright-core';

const EXECUTABLE = process.env['CHROMIUM'] ?? '/usr/bin/chromium';
const ARGS = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];

export const hasBrowser = existsSync(EXECUTABLE);
if (!hasBrowser)
  console.warn(
    `SKIPPED: the viewer is not tested in a browser, there is none at ${EXECUTABLE} (set CHROMIUM)`,
  );

export interface Tab {
  readonly page: Page;
  /** Requests that left the page, but for data and blob addresses. */
  readonly requests: string[];
  /** Errors of the page and of its console. */
  readonly errors: string[];
  close(): Promise<void>;
}

/** A page of a browser with an empty profile of its own. */
export async function openTab(
  options: BrowserContextOptions & { width?: number; height?: number } = {},
): Promise<Tab> {
  const { width = 1280, height = 900, ...rest } = options;
  const profile = mkdtempSync(join(tmpdir(), 'txreport-browser-'));
  const context: BrowserContext = await chromium.launchPersistentContext(profile, {
    executablePath: EXECUTABLE,
    headless: true,
    args: ARGS,
    viewport: { width, height },
    ...rest,
  });
  const page = context.pages()[0] ?? (await context.newPage());
  const requests: string[] = [];
  const errors: string[] = [];
  page.on('request', (request) => {
    if (!/^(data|blob):/.test(request.url())) requests.push(request.url());
  });
  page.on('pageerror', (error) => errors.push(String(error)));
  page.on('console', (message) => {
    if (message.type() === 'error') errors.push(message.text());
  });
  return {
    page,
    requests,
    errors,
    async close() {
      await context.close();
      rmSync(profile, { recursive: true, force: true });
    },
  };
}
