import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, describe, it } from 'vitest';
import { buildViewer } from '../../viewer/build.ts';
import { checkAxe } from './support/axe.ts';
import { bigReport } from './support/bigReport.ts';
import { hasBrowser, openTab, type Tab } from './support/browser.ts';
import { asFile, reportOf } from './support/reports.ts';

const outFile = join(tmpdir(), `txreport-viewer-axe-${process.pid}.html`);

describe.skipIf(!hasBrowser)('accessibility', () => {
  let tab: Tab;
  beforeAll(async () => {
    await buildViewer({ outFile });
    tab = await openTab();
  });
  afterAll(async () => {
    await tab?.close();
  });

  const check = (name: string): Promise<void> => checkAxe(tab, name);
  async function open(report: unknown): Promise<void> {
    await tab.page.goto(pathToFileURL(outFile).href);
    await tab.page.setInputFiles('#file', asFile('axe.json', report));
    await tab.page.locator('.report').waitFor();
  }

  for (const scheme of ['light', 'dark'] as const) {
    it(`holds for reports of every kind in the ${scheme} theme`, async () => {
      await tab.page.emulateMedia({ colorScheme: scheme, reducedMotion: 'reduce' });
      await tab.page.goto(pathToFileURL(outFile).href);
      await check(`${scheme}, empty`);
      for (const name of [
        'swap-v3-two-hops',
        'arbitrage-builder',
        'aave-liquidation',
        'cow-two-orders',
        'userop-swap',
        'safe-add-owner',
        'reverted-string',
        'nft-sale',
      ]) {
        await open(await reportOf(name));
        await check(`${scheme}, ${name}`);
      }
    });

    it(`holds with a claim open, with lists unfolded and for a large graph in the ${scheme} theme`, async () => {
      await tab.page.emulateMedia({ colorScheme: scheme, reducedMotion: 'reduce' });
      const small = await reportOf('arbitrage-flashloan');
      await open(small);
      await tab.page.locator('.step-list summary').click();
      await tab.page.locator('.motif').first().click();
      await check(`${scheme}, claim open`);
      await open(bigReport(small, 120));
      await check(`${scheme}, large and folded`);
      await tab.page.locator('.fold').first().click();
      await check(`${scheme}, large and unfolded`);
    });
  }

  it('holds on a phone', async () => {
    await tab.page.setViewportSize({ width: 360, height: 740 });
    await open(await reportOf('swap-v3-two-hops'));
    await check('phone');
    await tab.page.locator('.motif').first().click();
    await check('phone, claim open');
  });
});
