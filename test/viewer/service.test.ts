import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createApp } from '../../src/service/app.ts';
import { AnalysisError } from '../../src/lib/errors.ts';
import { createLog } from '../../src/lib/log.ts';
import type { TxReport } from '../../src/model/generated/report.ts';
import { buildViewer } from '../../viewer/build.ts';
import { hasBrowser, openTab, type Tab } from './support/browser.ts';
import { reportOf } from './support/reports.ts';

const outFile = join(tmpdir(), `txreport-viewer-service-${process.pid}.html`);
const UNKNOWN = `0x${'0'.repeat(63)}1`;

describe.skipIf(!hasBrowser)('the page and a service', () => {
  let tab: Tab;
  let report: TxReport;
  let service: Server;
  let api: string;
  const asked: string[] = [];

  beforeAll(async () => {
    report = await reportOf('swap-v3');
    const app = createApp({
      log: createLog({ level: 'silent' }),
      analyze: async (hash) => {
        asked.push(hash);
        if (hash !== report.tx.hash) throw new AnalysisError('transaction_not_found');
        return { json: JSON.stringify(report), intentKind: report.classification.intent_kind };
      },
    });
    service = createServer(app);
    await new Promise<void>((done) => service.listen(0, '127.0.0.1', done));
    api = `http://127.0.0.1:${(service.address() as AddressInfo).port}`;
    await buildViewer({ outFile });
    tab = await openTab();
  });
  afterAll(async () => {
    await tab?.close();
    service?.closeAllConnections();
    service?.close();
  });
  const go = (query: string): Promise<unknown> => tab.page.goto(`${pathToFileURL(outFile).href}${query}`);
  const seen = (selector: string): Promise<string> => tab.page.locator(selector).first().innerText();

  it('asks the service a link names, as any browser client would, and nobody else', async () => {
    tab.requests.length = 0;
    await go(`?tx=${report.tx.hash}&api=${api}`);
    await tab.page.locator('.report').waitFor();
    expect(await seen('h1')).toBe(report.classification.intent_label);
    expect(await seen('.status')).toContain(api);
    expect(asked).toEqual([report.tx.hash]);
    expect(tab.requests.filter((url) => !url.startsWith('file:'))).toEqual([`${api}/analyze`]);
    expect(tab.errors).toEqual([]);
  });

  it('lets the page reach no other address once it has asked one', async () => {
    await go(`?tx=${report.tx.hash}&api=${api}`);
    await tab.page.locator('.report').waitFor();
    const other = await tab.page.evaluate(
      'fetch("http://127.0.0.1:9/").then(() => "reached", (error) => error.message)',
    );
    expect(other).not.toBe('reached');
    expect(tab.errors.splice(0).join()).toMatch(
      /violates the following Content Security Policy directive: "connect-src http:\/\/127\.0\.0\.1:\d+"/,
    );
  });

  it('asks from the form, makes the address a link, and goes back', async () => {
    await go(`?api=${api}`);
    await tab.page
      .getByLabel('Transaction hash')
      .fill(`  ${report.tx.hash.toUpperCase().replace('0X', '0x')} `);
    await tab.page.keyboard.press('Enter');
    await tab.page.locator('.report').waitFor();
    expect(tab.page.url()).toContain(`?tx=${report.tx.hash}&api=${encodeURIComponent(api)}`);
    await tab.page.getByLabel('Transaction hash').fill(UNKNOWN);
    await tab.page.getByRole('button', { name: 'Analyze' }).click();
    await tab.page.locator('.failure').waitFor();
    expect(await seen('.failure')).toContain(
      'The service answered 502: analysis failed: transaction not found',
    );
    await tab.page.goBack();
    await tab.page.locator('.report').waitFor();
    tab.errors.length = 0;
  });

  it('says so when nobody answers, or what is asked for is no hash', async () => {
    await go(`?tx=${report.tx.hash}&api=http://127.0.0.1:9`);
    await tab.page.locator('.failure').waitFor();
    expect(await seen('.failure')).toContain('Nothing answered at http://127.0.0.1:9');
    await go('?tx=0x12');
    expect(await seen('.failure')).toContain('a transaction hash has 64 after 0x');
    await go(`?tx=${report.tx.hash}&api=javascript:alert(1)`);
    expect(await seen('.failure')).toContain('not the address of a service');
    tab.errors.length = 0;
  });

  it('asks the reader before it asks a stranger', async () => {
    tab.requests.length = 0;
    await go(`?tx=${report.tx.hash}&api=https://reports.example`);
    expect(await seen('.foreign')).toContain('https://reports.example');
    expect(tab.requests.filter((url) => !url.startsWith('file:'))).toEqual([]);
  });
});
