import { readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { TxReport } from '../../src/model/generated/report.ts';
import { buildViewer } from '../../viewer/build.ts';
import { bigReport } from './support/bigReport.ts';
import { hasBrowser, openTab, type Tab } from './support/browser.ts';
import { asFile, reportOf } from './support/reports.ts';

const outFile = join(tmpdir(), `txreport-viewer-people-${process.pid}.html`);
const WIDTHS = [390, 768, 1024, 1440];

/** Visible texts that are cut, leave the window or lie on another control; drawings that scroll are measured inside. */
const FAULTS = `(() => {
  const faults = [];
  const name = (e) => (e.className?.baseVal ?? e.className) + ' ' + e.textContent.slice(0, 40);
  if (document.documentElement.scrollWidth > innerWidth) faults.push('the page scrolls sideways');
  for (const e of document.querySelectorAll('main *, header *')) {
    if (!e.checkVisibility() || e.closest('svg, .sr, .canvas, option')) continue;
    const box = e.getBoundingClientRect();
    if (box.width > 1 && (box.right > innerWidth + 1 || box.left < -1)) faults.push('outside: ' + name(e));
  }
  for (const e of document.querySelectorAll('.edge-lines bdi, .node-name, .node-net, h1, h2, .tile-value, .account code'))
    if (e.checkVisibility() && e.scrollWidth > e.clientWidth + 1 && e.clientWidth > 0) faults.push('cut: ' + name(e));
  for (const e of document.querySelectorAll('.card *, .tile *, .panel *')) {
    if (!e.checkVisibility() || e.closest('svg, .sr, .canvas, option, .table-holder')) continue;
    const box = e.getBoundingClientRect();
    const card = e.parentElement.closest('.card, .tile, .panel').getBoundingClientRect();
    if (box.width > 1 && (box.right > card.right + 1 || box.left < card.left - 1)) faults.push('out of its card: ' + name(e));
  }
  const controls = [...document.querySelectorAll('.report button, .report select, .report a')]
    .filter((e) => e.checkVisibility()).map((e) => [e, e.getBoundingClientRect()]);
  controls.forEach(([a, p], i) => controls.slice(i + 1).forEach(([b, q]) => {
    if (a.contains(b) || b.contains(a) || a.closest('.canvas') !== b.closest('.canvas')) return;
    const w = Math.min(p.right, q.right) - Math.max(p.left, q.left);
    const h = Math.min(p.bottom, q.bottom) - Math.max(p.top, q.top);
    if (w > 1 && h > 1) faults.push('overlap: ' + name(a) + ' and ' + name(b));
  }));
  return faults;
})()`;

describe.skipIf(!hasBrowser)('the page for people', () => {
  let tab: Tab;
  let swap: TxReport;
  beforeAll(async () => {
    await buildViewer({ outFile });
    [tab, swap] = await Promise.all([openTab({ acceptDownloads: true }), reportOf('swap-v2-eth-usdc')]);
  });
  afterAll(async () => {
    await tab?.close();
  });
  const home = (): Promise<unknown> => tab.page.goto(pathToFileURL(outFile).href);
  async function open(report: unknown): Promise<void> {
    await home();
    await tab.page.setInputFiles('#file', asFile('people.json', report));
    await tab.page.locator('.report, .failure').first().waitFor();
    if (await tab.page.locator('.canvas').first().isVisible())
      await tab.page.locator('.node-card').first().waitFor();
  }
  const text = (selector: string): Promise<string> => tab.page.locator(selector).first().innerText();

  for (const colorScheme of ['light', 'dark'] as const)
    it.each(WIDTHS)(`cuts and covers nothing at %i pixels, ${colorScheme}`, async (width) => {
      await tab.page.setViewportSize({ width, height: 900 });
      await tab.page.emulateMedia({ colorScheme });
      await home();
      expect(await tab.page.evaluate(FAULTS), 'start page').toEqual([]);
      for (const name of [
        'swap-v2-eth-usdc',
        'aave-liquidation',
        'reverted-string',
        'nft-sale',
        'userop-swap',
      ]) {
        await open(await reportOf(name));
        expect(await tab.page.evaluate(FAULTS), name).toEqual([]);
      }
    });

  const TWELVE = [
    'swap-v2-eth-usdc',
    'aave-liquidation',
    'reverted-string',
    'nft-sale',
    'userop-swap',
    'userop-two',
    'cow-two-orders',
    'arbitrage-flashloan',
    'approval-permit2',
    'safe-multisend',
    'add-liquidity-v4',
    'batch-token',
  ];
  it.each(WIDTHS)('keeps every box in its card at %i pixels, with the panel open and shut', async (width) => {
    await tab.page.setViewportSize({ width, height: 844 });
    await tab.page.emulateMedia({ colorScheme: 'light' });
    for (const name of TWELVE) {
      await open(await reportOf(name));
      expect(await tab.page.evaluate(FAULTS), name).toEqual([]);
      await tab.page.getByRole('button', { name: 'Why this label?' }).click();
      const faults = (await tab.page.evaluate(FAULTS)) as string[];
      // On a phone and a tablet the panel lies on the page.
      expect(
        faults.filter((fault) => width === 1440 || fault.startsWith('out of its card')),
        name,
      ).toEqual([]);
    }
  });

  it('shows the amounts within the first 500 pixels of a phone', async () => {
    await tab.page.setViewportSize({ width: 390, height: 844 });
    for (const name of TWELVE) {
      await open(await reportOf(name));
      const top = `document.querySelector('.money-strip .money').getBoundingClientRect().top + scrollY`;
      expect(await tab.page.evaluate(top), name).toBeLessThanOrEqual(500);
    }
  });

  it('shows many movements of a phone as a list first, the drawing on demand', async () => {
    await tab.page.setViewportSize({ width: 390, height: 844 });
    const report = await reportOf('userop-swap');
    expect(report.movements!.length).toBeGreaterThan(6);
    await open(report);
    expect(await tab.page.locator('.steps li').count()).toBe(report.movements!.length);
    expect(await tab.page.locator('.canvas').isVisible()).toBe(false);
    await tab.page.locator('.drawing summary').click();
    await tab.page.locator('.node-card').first().waitFor();
  });

  it('prints every step, folded ones and the rest of long lists too, none on another', async () => {
    await tab.page.setViewportSize({ width: 1024, height: 900 });
    const step = swap.motifs.find((m) => m.kind === 'swap')!;
    const kinds = ['swap', 'transfer', 'wrap'];
    const many = Array.from({ length: 40 }, (_, i) => ({
      ...step,
      id: `m-${i}`,
      kind: i < 20 ? 'swap' : kinds[i % 3]!,
      parent_id: null,
    }));
    await open({ ...swap, motifs: many });
    await tab.page.emulateMedia({ media: 'print' });
    await tab.page.evaluate('dispatchEvent(new Event("beforeprint"))');
    const rows = `[...document.querySelectorAll('.motifs button.motif')].filter((e) => e.checkVisibility())
      .map((e) => e.getBoundingClientRect()).map(({ top, bottom }) => ({ top, bottom }))`;
    const boxes = (await tab.page.evaluate(rows)) as { top: number; bottom: number }[];
    expect(boxes).toHaveLength(40);
    boxes.slice(1).forEach(({ top }, i) => expect(top).toBeGreaterThanOrEqual(boxes[i]!.bottom));
    await tab.page.emulateMedia({ media: 'screen' });
  });

  it('has a row of amounts for each owner of a batch', async () => {
    await tab.page.setViewportSize({ width: 1280, height: 900 });
    await open(await reportOf('userop-two'));
    const rows = await tab.page.locator('.money-strip .owner').allInnerTexts();
    expect(rows.map((row) => /−[\d.]+ USDC/.exec(row)?.[0]).sort()).toEqual(['−10 USDC', '−20 USDC']);
  });

  it('shows no empty amounts of a failed transaction', async () => {
    await open(await reportOf('reverted-string'));
    expect(await tab.page.locator('.tile').count()).toBe(1);
    expect(await text('.tile')).toContain('Gas');
  });

  it('names the open evidence in its address', async () => {
    await open(swap);
    await tab.page.locator('.tile.out-of').click();
    expect(new URL(tab.page.url()).hash).toBe('#open=sent');
    await tab.page.getByRole('button', { name: 'Why this label?' }).click();
    expect(new URL(tab.page.url()).hash).toBe('#open=why');
  });

  it('shows an example without a service', async () => {
    await tab.page.setViewportSize({ width: 1280, height: 900 });
    await home();
    await tab.page.getByRole('button', { name: 'Show an example' }).click();
    expect(await text('h1')).toMatch(/^Swap /);
    expect(tab.errors).toEqual([]);
  });

  it('shows time, method, names, caveats and allowances where the report has them', async () => {
    const [usdc] = swap.inventory_deltas.filter((d) => d.asset.symbol === 'USDC');
    const router = swap.tx.to!;
    await open({
      ...swap,
      tx: {
        ...swap.tx,
        timestamp: '2024-05-01T12:00:11Z',
        nonce: 7,
        method: { selector: '0x7ff36ab5', name: 'swapExactETHForTokens', signature: null },
      },
      classification: {
        ...swap.classification,
        status: 'Suspected',
        structural_proof: false,
        caveats: [{ code: 'unknown_protocol', text: 'The pool belongs to no known protocol.' }],
      },
      accounts: { [router]: { ...Object.values(swap.accounts!)[0]!, name: 'Uniswap V2 Router' } },
      allowances: [
        {
          asset: usdc!.asset,
          owner: swap.tx.signer,
          spender: router,
          kind: 'granted',
          amount_raw: null,
          amount: null,
          unlimited: true,
          expires_at: null,
          evidence: [swap.movements!.at(-1)!.evidence],
        },
      ],
    });
    const facts = await text('.facts');
    expect(facts).toContain('2024-05-01 12:00:11 UTC');
    expect(facts).toContain('swapExactETHForTokens()');
    expect(facts).toContain('Uniswap V2 Router');
    expect(await text('.headline .caveat')).toContain('The pool belongs to no known protocol.');
    expect(await text('.allowances')).toMatch(
      /lets[^]*Uniswap V2 Router[^]*spend unlimited USDC[^]*Unlimited/,
    );
  });

  it('shows reports of older services, without the optional keys', async () => {
    const { accounts: _a, allowances: _b, movements: _c, engine: _d, ...old } = structuredClone(swap);
    for (const key of ['timestamp', 'nonce', 'method'] as const) delete old.tx[key];
    delete old.classification.caveats;
    await open(old);
    expect(await tab.page.locator('.report').count()).toBe(1);
    expect(await text('.facts')).not.toContain('Time');
    expect(tab.errors).toEqual([]);
  });

  it('explains a failed transaction, without a shield', async () => {
    await open(await reportOf('reverted-string'));
    expect(await text('.badge.big')).toBe('Failed');
    expect(await tab.page.locator('.badge.proven.big').count()).toBe(0);
    expect(await text('.failed')).toMatch(/It tried to call[^]*only gas was paid[^]*Reason: .*nothing doing/);
  });

  it('says why an account was ruled out', async () => {
    await open(swap);
    expect(await text('.attribution')).toContain('Ruled out: it is a pool');
  });

  it('tells the report from another account’s side', async () => {
    await open(swap);
    expect(await text('.tile.into .money')).toBe('+3,388.11 USDC');
    const pool = swap.motifs.find((m) => m.kind === 'swap')!.protocol!.contract;
    await tab.page.locator('#seen-by').selectOption(pool);
    expect(await text('.tile.into .money')).toBe('+1 WETH');
    expect(await text('.tile.out-of .money')).toBe('−3,388.11 USDC');
    await tab.page.locator('.node-card.is-actor').first().waitFor();
    expect(await text('.node-card.is-actor')).toContain('Uniswap V2');
  });

  it('draws one token alone', async () => {
    await open(swap);
    const usdc = swap.movements!.filter((m) => m.asset_id.includes('erc20')).at(-1)!.asset_id;
    await tab.page.locator('.asset-filter').selectOption(usdc);
    const count = swap.movements!.filter((m) => m.asset_id === usdc).length;
    expect(await tab.page.locator('.edge-label').count()).toBe(count);
  });

  it('places movements in the call tree', async () => {
    await open(swap);
    await tab.page.locator('.call-tree summary').click();
    await tab.page.locator('.call-moves li').first().waitFor();
    expect(await tab.page.locator('.call-moves li').count()).toBe(swap.movements!.length);
    const last = swap.movements!.at(-1)!.evidence.frame_path!.join('.');
    expect(await text('.call-tree')).toContain(last);
  });

  it('saves the graph as SVG and PNG', async () => {
    await open(swap);
    const save = async (label: string): Promise<Buffer> => {
      const pending = tab.page.waitForEvent('download');
      await tab.page.getByRole('button', { name: `Save the graph as ${label}` }).click();
      return readFileSync(await (await pending).path());
    };
    const svg = (await save('SVG')).toString('utf8');
    expect(svg).toContain('+3,388.11 USDC');
    expect(svg).not.toMatch(/var\(|class="reach"/);
    const png = await save('PNG');
    expect(png.subarray(1, 4).toString('latin1')).toBe('PNG');
    expect(png.readUInt32BE(16)).toBeGreaterThan(400);
  });

  it('folds runs of alike steps', async () => {
    const step = swap.motifs.find((m) => m.kind === 'swap')!;
    const many = Array.from({ length: 223 }, (_, i) => ({ ...step, id: `m-${i}`, parent_id: null }));
    await open({ ...swap, motifs: many });
    expect(await tab.page.locator('.motifs .motif').count()).toBe(1);
    expect(await text('.motifs .run')).toContain('Swap × 223');
  });

  it('takes a hash as pasted, and says what is wrong with one that is none', async () => {
    await home();
    await tab.page.locator('#tx').fill(swap.tx.hash.slice(0, 60));
    await tab.page.keyboard.press('Enter');
    expect(await text('.failure')).toMatch(/58 hexadecimal digits.*Was it cut/);
    await tab.page
      .locator('#tx')
      .fill(` https://etherscan.io/tx/${swap.tx.hash.toUpperCase().replace('0X', '0x')}#eventlog`);
    await tab.page.keyboard.press('Enter');
    expect(await tab.page.locator('#tx').inputValue()).toBe(swap.tx.hash);
    tab.errors.length = 0;
  });

  it('draws a report of 500 flows in less than 1.5 s', async () => {
    await open(bigReport(swap, 500));
    await tab.page.waitForFunction('performance.getEntriesByName("txreport-draw").length > 0');
    const took = await tab.page.evaluate('performance.getEntriesByName("txreport-draw")[0].duration');
    expect(took).toBeLessThan(1_500);
  });
});
