import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startView, type PageServer } from '../../src/tools/view/servePage.ts';
import { buildViewer } from '../../viewer/build.ts';
import { hasBrowser, openTab } from './support/browser.ts';
import { tracedOf } from './support/reports.ts';

const viewerFile = join(tmpdir(), `txreport-view-${process.pid}.html`);

describe('the viewer with a service of its own', () => {
  let server: PageServer;
  let json: string;
  let hash: string;
  beforeAll(async () => {
    await buildViewer({ outFile: viewerFile });
    const { report, tree } = await tracedOf('swap-v2-eth-usdc');
    [json, hash] = [JSON.stringify(report), report.tx.hash];
    server = await startView({
      port: 0,
      viewerFile,
      analyze: () => Promise.resolve(json),
      trace: () => Promise.resolve(tree),
      examples: [[hash, 'A swap & "more"']],
    });
  });
  afterAll(() => server?.close());

  const post = (body: unknown, headers: Record<string, string> = {}): Promise<Response> =>
    fetch(`${server.url}/analyze`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: JSON.stringify(body),
    });

  it('answers its own page with a report, and takes hashes as pasted', async () => {
    const answer = await post({
      tx_hash: `https://etherscan.io/tx/${hash.toUpperCase().replace('0X', '0x')}`,
    });
    expect(JSON.stringify(await answer.json())).toBe(json);
    expect((await post({ tx_hash: '0x12' })).status).toBe(400);
  });

  it('answers no page from elsewhere', async () => {
    expect((await post({ tx_hash: hash }, { origin: 'https://evil.example' })).status).toBe(403);
    expect((await post({ tx_hash: hash }, { 'sec-fetch-site': 'cross-site' })).status).toBe(403);
  });

  it.skipIf(!hasBrowser)('offers the examples and opens them', async () => {
    const tab = await openTab();
    try {
      await tab.page.goto(server.url);
      await tab.page.getByRole('button', { name: 'A swap & "more"' }).click();
      await tab.page.locator('.report').waitFor();
      expect(await tab.page.locator('h1').innerText()).toMatch(/^Swap 1 ETH/);
      // From a step to its call: the one whose log is the swap.
      await tab.page.locator('.motif', { hasText: 'Swap' }).first().click();
      await tab.page.getByRole('button', { name: 'Show in the call tree' }).click();
      await tab.page.locator('.call-tree .found').waitFor();
      const tree = tab.page.locator('.call-tree');
      expect(await tree.innerText()).toMatch(/swapExactETHForTokens\(amountOutMin 0/);
      expect(await tree.locator('[data-movement]').count()).toBe(5);
      expect(await tree.locator('.found').innerText()).toBe('Swap');
      expect(tab.errors).toEqual([]);
    } finally {
      await tab.close();
    }
  });
});
