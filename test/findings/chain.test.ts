// Blocks of several transactions on a local chain with the real Uniswap V2 contracts: what txreport block says of them, with
// amounts worked out from the pools' own formula.
import { mkdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import type { Hex } from 'viem';
import { addressOf } from '../devnet/accounts.ts';
import { MAINNET } from '../devnet/addresses.ts';
import { fn, type Request } from '../devnet/chain.ts';
import { FAR_FUTURE, mintV3 } from '../devnet/deploy/uniswap.ts';
import { collectV3 } from '../devnet/scenarios/liquidity.ts';
import { builtPackage } from '../cli/builtCli.ts';
import { runCli, startCli } from '../cli/runCli.ts';
import { startFakeNode, type FakeNode } from '../support/fakeNode.ts';
import { buildViewer } from '../../viewer/build.ts';
import { hasBrowser, openTab } from '../viewer/support/browser.ts';
import {
  addLiquidity,
  amountsOf,
  at,
  bot,
  buyUsdc,
  CALLS,
  ETHER,
  give,
  liquidity,
  mine,
  named,
  Pair,
  removeLiquidity,
  sellUsdc,
  startBlocks,
  stepOf,
  story,
  take,
} from './blockStory.ts';

vi.setConfig({ testTimeout: 180_000, hookTimeout: 240_000 });

beforeAll(startBlocks);
afterAll(() => story?.stop());

/** The chain's node, but for the trace of one transaction, which it cannot give. */
async function nodeWithout(hash: string): Promise<FakeNode> {
  type Answer = { id: number; result?: unknown };
  const error = { code: -32000, message: 'out of memory' };
  return startFakeNode({
    intercept: ({ response, body }) => {
      const calls = [body].flat() as { id: number; method: string; params: unknown[] }[];
      const broken = new Set(
        calls
          .filter(({ method, params }) => method.startsWith('debug_traceT') && params[0] === hash)
          .map(({ id }) => id),
      );
      const whole = new Set(
        calls.filter(({ method }) => method.startsWith('debug_traceB')).map(({ id }) => id),
      );
      const passed = async (): Promise<string> => {
        const sent = {
          method: 'POST',
          headers: { 'content-type': 'application/json' },
          body: JSON.stringify(body),
        };
        const answers = (await (await fetch(story.devnet.rpcUrl, sent)).json()) as Answer | Answer[];
        const changed = [answers].flat().map((one): object => {
          if (broken.has(one.id)) return { jsonrpc: '2.0', id: one.id, error };
          if (!whole.has(one.id)) return one;
          const traces = one.result as { txHash: string }[];
          return {
            ...one,
            result: traces.map((trace) =>
              trace.txHash === hash ? { txHash: hash, error: error.message } : trace,
            ),
          };
        });
        return JSON.stringify(Array.isArray(answers) ? changed : changed[0]);
      };
      void passed().then((text) => response.writeHead(200, { 'content-type': 'application/json' }).end(text));
      return true;
    },
  });
}

describe('a block with several transactions', () => {
  it('a sandwich over two pools with victims at both: profit, tip, and losses to the unit', async () => {
    const [v2, sushi] = [await Pair.read('v2PairUSDC'), await Pair.read('sushiPairUSDC')];
    // One trades before the bot, in its direction: the reserves before the front-run are those after it.
    v2.buy(2n * ETHER);
    const before = v2.copy();
    const bought = [v2.buy(20n * ETHER), sushi.buy(10n * ETHER)] as const;
    const got = { alice: v2.buy(30n * ETHER), bob: v2.buy(5n * ETHER), carol: sushi.buy(4n * ETHER) };
    const sold = [v2.sell(bought[0]), sushi.sell(bought[1])] as const;
    const tip = ETHER / 100n;
    const { hashes, findings } = await mine([
      ['dave', buyUsdc('dave', 2n * ETHER)],
      [
        'searcher',
        bot('USDC', [
          give('WETH', 'v2PairUSDC', 20n * ETHER),
          take('v2PairUSDC', bought[0], 0n, 'arbBot'),
          give('WETH', 'sushiPairUSDC', 10n * ETHER),
          take('sushiPairUSDC', bought[1], 0n, 'arbBot'),
        ]),
      ],
      ['alice', buyUsdc('alice', 30n * ETHER)],
      ['bob', buyUsdc('bob', 5n * ETHER)],
      [
        'carol',
        {
          to: at('aggregator'),
          data: fn(`swap(address,uint256,address,uint256,${CALLS})`, [
            at('WETH'),
            4n * ETHER,
            at('USDC'),
            0n,
            [give('WETH', 'sushiPairUSDC', 4n * ETHER), take('sushiPairUSDC', got.carol, 0n, 'aggregator')],
          ]),
        },
      ],
      [
        'searcher',
        bot(
          'WETH',
          [
            give('USDC', 'v2PairUSDC', bought[0]),
            take('v2PairUSDC', 0n, sold[0], 'arbBot'),
            give('USDC', 'sushiPairUSDC', bought[1]),
            take('sushiPairUSDC', 0n, sold[1], 'arbBot'),
          ],
          tip,
        ),
      ],
      // After the bot, in its direction: no victim either.
      ['heidi', buyUsdc('heidi', 3n * ETHER)],
    ]);
    const [sandwich, ...others] = named(findings, 'sandwich');
    expect(others).toEqual([]);
    expect([sandwich!.status, sandwich!.caveats]).toEqual(['Proven', []]);
    expect(stepOf(sandwich!, 'front')).toEqual([hashes[1]]);
    expect(stepOf(sandwich!, 'victim')).toEqual([hashes[2], hashes[3], hashes[4]]);
    expect(stepOf(sandwich!, 'back')).toEqual([hashes[5]]);
    expect(sandwich!.entity).toEqual([at('arbBot'), addressOf('searcher')].sort());
    expect(sandwich!.venues.map(({ venue }) => venue).sort()).toEqual(
      [at('v2PairUSDC'), at('sushiPairUSDC')].sort(),
    );
    expect(amountsOf(sandwich!, 'profit').map(([, , raw]) => raw)).toEqual([
      String(sold[0] + sold[1] - 30n * ETHER),
    ]);
    expect(amountsOf(sandwich!, 'tip').map(([, , raw]) => raw)).toEqual([String(tip)]);
    const expected = [
      [addressOf('alice'), 'USDC', String(before.buy(30n * ETHER) - got.alice)],
      [addressOf('bob'), 'USDC', String(before.buy(5n * ETHER) - got.bob)],
      // The other pair's code is not that of its factory on mainnet: nobody states its fee.
      [addressOf('carol'), null, null],
    ];
    expect(amountsOf(sandwich!, 'loss').sort()).toEqual(expected.sort());
    const reasons = sandwich!.amounts.flatMap(({ reason }) => (reason === null ? [] : [reason]));
    expect(reasons).toEqual(['the rules know no constant-product fee of the pool']);
  });

  it('two rounds of one bot: each is a sandwich of its own, with its victim', async () => {
    const v2 = await Pair.read('v2PairUSDC');
    const rounds = [];
    const sent: [string, Request][] = [];
    for (const [victim, weth] of [
      ['alice', 30n * ETHER],
      ['bob', 12n * ETHER],
    ] as const) {
      const before = v2.copy();
      const bought = v2.buy(20n * ETHER);
      const got = v2.buy(weth);
      const sold = v2.sell(bought);
      rounds.push({ victim, profit: sold - 20n * ETHER, loss: before.buy(weth) - got });
      const front = [give('WETH', 'v2PairUSDC', 20n * ETHER), take('v2PairUSDC', bought, 0n, 'arbBot')];
      const back = [give('USDC', 'v2PairUSDC', bought), take('v2PairUSDC', 0n, sold, 'arbBot')];
      sent.push(
        ['searcher', bot('USDC', front)],
        [victim, buyUsdc(victim, weth)],
        ['searcher', bot('WETH', back)],
      );
    }
    const { hashes, findings } = await mine(sent);
    const found = named(findings, 'sandwich');
    expect(found.map(({ status, caveats }) => [status, caveats])).toEqual([
      ['Proven', []],
      ['Proven', []],
    ]);
    for (const [i, { victim, profit, loss }] of rounds.entries()) {
      const steps = ['front', 'victim', 'back'].map((step) => stepOf(found[i]!, step));
      expect(steps).toEqual(hashes.slice(3 * i, 3 * i + 3).map((hash) => [hash]));
      expect(amountsOf(found[i]!, 'profit').map(([, , raw]) => raw)).toEqual([String(profit)]);
      expect(amountsOf(found[i]!, 'loss')).toEqual([[addressOf(victim), 'USDC', String(loss)]]);
    }
  });

  it('an arbitrage right behind the trade that made it possible', async () => {
    const [v2, sushi] = [await Pair.read('v2PairUSDC'), await Pair.read('sushiPairUSDC')];
    v2.buy(60n * ETHER);
    const usdc = sushi.buy(5n * ETHER);
    const weth = v2.sell(usdc);
    const { hashes, findings } = await mine([
      ['alice', buyUsdc('alice', 60n * ETHER)],
      [
        'searcher',
        bot('WETH', [
          give('WETH', 'sushiPairUSDC', 5n * ETHER),
          take('sushiPairUSDC', usdc, 0n, 'v2PairUSDC'),
          take('v2PairUSDC', 0n, weth, 'arbBot'),
        ]),
      ],
    ]);
    const [run, ...others] = named(findings, 'back_run');
    expect(others).toEqual([]);
    expect(run!.status).toBe('Proven');
    expect([stepOf(run!, 'mover'), stepOf(run!, 'run')]).toEqual([[hashes[0]], [hashes[1]]]);
    expect(amountsOf(run!, 'profit').map(([, , raw]) => raw)).toEqual([String(weth - 5n * ETHER)]);
    expect(named(findings, 'sandwich')).toEqual([]);
  });

  it('liquidity added before a trade and removed after it', async () => {
    const weth = 50n * ETHER;
    const [usdc, shares] = await liquidity(weth);
    const maker = addressOf('maker');
    const { hashes, findings } = await mine([
      ['maker', addLiquidity(weth, usdc, maker)],
      ['alice', buyUsdc('alice', 20n * ETHER)],
      ['maker', removeLiquidity(shares, maker)],
    ]);
    const [jit, ...others] = named(findings, 'jit_liquidity');
    expect(others).toEqual([]);
    expect([jit!.status, jit!.caveats]).toEqual(['Proven', []]);
    expect(['add', 'trade', 'remove'].map((step) => stepOf(jit!, step))).toEqual(
      hashes.map((hash) => [hash]),
    );
  });

  describe('concentrated liquidity around one trade', () => {
    const POOL = 500;
    const tokens = (): [Hex, Hex] => [at('USDC'), at('WETH')];
    const add = (): Request => ({
      to: MAINNET.v3Positions,
      data: mintV3(tokens(), POOL, [194_000, 196_000], [170_000_000_000n, 50n * ETHER], addressOf('maker')),
    });
    const trade: () => Request = () => ({
      to: MAINNET.v3Router02,
      value: 10n * ETHER,
      data: fn('exactInputSingle((address,address,uint24,address,uint256,uint256,uint160))', [
        [at('WETH'), at('USDC'), POOL, addressOf('alice'), 10n * ETHER, 0n, 0n],
      ]),
    });
    const remove = (id: bigint, shares: bigint): Request => ({
      to: MAINNET.v3Positions,
      data: fn('multicall(bytes[])', [
        [
          fn('decreaseLiquidity((uint256,uint128,uint256,uint256,uint256))', [
            [id, shares, 0n, 0n, FAR_FUTURE],
          ]),
          collectV3(id, addressOf('maker')),
        ],
      ]),
    });
    /** What minting now would give: the position's id and its liquidity. */
    const minted = async (): Promise<[id: bigint, shares: bigint]> => {
      const { to, data } = add();
      const answer = (await story.devnet.rpc('eth_call', [
        { from: addressOf('maker'), to, data },
        'latest',
      ])) as string;
      return [BigInt(answer.slice(0, 66)), BigInt(`0x${answer.slice(66, 130)}`)];
    };
    const held = (token: string): Promise<bigint> =>
      story.ctx.chain.read(at(token), 'balanceOf(address) view returns (uint256)', [addressOf('maker')]);
    beforeAll(() =>
      story.ctx.prepare('maker', { to: at('WETH'), value: 200n * ETHER, data: fn('deposit()') }),
    );

    it('is Proven, with what the position won and lost', async () => {
      const before = [await held('USDC'), await held('WETH')] as const;
      const { hashes, findings } = await mine([
        ['maker', add()],
        ['alice', trade()],
        ['maker', remove(...(await minted()))],
      ]);
      const [jit, ...others] = named(findings, 'jit_liquidity');
      expect(others).toEqual([]);
      expect([jit!.status, jit!.caveats]).toEqual(['Proven', []]);
      expect(jit!.venues.map(({ venue }) => venue)).toEqual([at('v3UsdcWeth')]);
      expect(['add', 'trade', 'remove'].map((step) => stepOf(jit!, step))).toEqual(
        hashes.map((hash) => [hash]),
      );
      const left = [(await held('USDC')) - before[0], (await held('WETH')) - before[1]];
      // The trade bought USDC: the position has less of it, and more WETH.
      expect(left.map((amount) => amount > 0n)).toEqual([false, true]);
      expect(
        amountsOf(jit!, 'profit')
          .map(([, , raw]) => raw)
          .sort(),
      ).toEqual(left.map(String).sort());
    });

    it('is listed with every transaction of its block, those without a report too', {
      timeout: 120_000,
    }, async () => {
      const { number, hashes } = await mine([
        ['bob', { to: addressOf('dave'), value: 7n }],
        ['maker', add()],
        ['alice', trade()],
        ['maker', remove(...(await minted()))],
      ]);
      const node = await nodeWithout(hashes[0]!);
      const env = { RPC_URL: node.url, RPC_RETRIES: '0' };
      const direct = { env: { RPC_URL: story.devnet.rpcUrl } };
      const { hash } = (await story.devnet.rpc('eth_getBlockByNumber', ['latest', false])) as {
        hash: string;
      };
      const [byNumber, ...others] = await Promise.all(
        [number, hash, 'latest'].map((block) => runCli(['block', block, '--json'], direct)),
      );
      expect(byNumber!.code).toBe(0);
      for (const one of others) expect(one).toEqual(byNumber);
      const shown = await runCli(['block', number], { env });
      expect(shown.code).toBe(1);
      const rows = shown.out.split('\n').slice(3, 7);
      expect(rows.map((row) => row.slice(0, 1))).toEqual(['0', '1', '2', '3']);
      for (const [i, hash] of hashes.entries()) expect(rows[i]).toContain(`${hash.slice(0, 6)}…`);
      expect(rows[0]).toContain('no report: ');
      for (const [i, step] of ['add', 'trade', 'remove'].entries())
        expect(rows[i + 1]).toContain(`[JIT liquidity: ${step}]`);
      const { transactions } = JSON.parse((await runCli(['block', number, '--json'], { env })).out) as {
        transactions: { in_block: { index: number } }[];
      };
      expect(transactions.map(({ in_block: { index } }) => index)).toEqual([1, 2, 3]);
      if (hasBrowser) await inTheBrowser(number, env);
      await node.close();
    });

    /** `block --view`: its transactions on the start page, each opens its report. */
    async function inTheBrowser(number: string, env: Record<string, string>): Promise<void> {
      // The package as `npm run build` makes it, with its page.
      const page = join(builtPackage(), 'dist/viewer/index.html');
      mkdirSync(dirname(page), { recursive: true });
      await buildViewer({ outFile: page });
      const viewing = startCli(['block', number, '--view', '--no-open'], { env });
      const tab = await openTab();
      try {
        const address = (): string | undefined => /http:\S+/.exec(viewing.out())?.[0];
        await vi.waitFor(() => expect(address()).toBeDefined(), { timeout: 60_000 });
        await tab.page.goto(address()!);
        const offered = tab.page.getByRole('button', { name: /^\[JIT liquidity: / });
        await offered.first().waitFor();
        expect(await offered.count()).toBe(3);
        await offered.nth(1).click();
        await tab.page.locator('.report').waitFor();
        expect(await tab.page.locator('h1').innerText()).toMatch(/^Swap 10 ETH/);
        expect(tab.errors).toEqual([]);
      } finally {
        viewing.child.kill('SIGTERM');
        await tab.close();
      }
      expect(await viewing.ended).toBe(0);
    }

    it('is none where an older position is what was removed', async () => {
      const { findings } = await mine([
        ['maker', add()],
        ['alice', trade()],
        ['maker', remove(1n, 1_000_000_000n)],
      ]);
      expect(named(findings, 'jit_liquidity')).toEqual([]);
    });
  });

  it('an own round trip, and one around a trade the other way, are no sandwich', async () => {
    const v2 = await Pair.read('v2PairUSDC');
    const bought = v2.buy(10n * ETHER);
    const { findings } = await mine([
      ['alice', buyUsdc('alice', 10n * ETHER)],
      ['alice', buyUsdc('alice', 1n * ETHER)],
      ['alice', sellUsdc('alice', bought)],
    ]);
    expect(named(findings, 'sandwich')).toEqual([]);
    const again = (await Pair.read('v2PairUSDC')).buy(10n * ETHER);
    const other = await mine([
      ['alice', buyUsdc('alice', 10n * ETHER)],
      ['bob', sellUsdc('bob', 1_000_000_000n)],
      ['alice', sellUsdc('alice', again)],
    ]);
    expect(named(other.findings, 'sandwich')).toEqual([]);
  });

  it('two strangers with equal amounts are no sandwich; the builder is paid in every block', async () => {
    const v2 = await Pair.read('v2PairUSDC');
    const bought = v2.buy(10n * ETHER);
    const { hashes, findings } = await mine([
      ['alice', buyUsdc('alice', 10n * ETHER)],
      ['carol', buyUsdc('carol', 4n * ETHER)],
      ['bob', sellUsdc('bob', bought)],
    ]);
    expect(named(findings, 'sandwich')).toEqual([]);
    const [income] = named(findings, 'builder_income');
    let fees = 0n;
    for (const [i, hash] of hashes.entries()) {
      const { gasUsed } = await story.ctx.chain.receipt(hash as Hex);
      fees += BigInt(gasUsed) * BigInt(100 - i) * 10n ** 9n;
    }
    expect(amountsOf(income!, 'priority_fees').map(([, , raw]) => raw)).toEqual([String(fees)]);
  });
});
