// What a label says beside its act, which of several amounts it names, and who a report says paid.
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { analyzeRaw } from '../../../src/analyze.ts';
import { buildExample } from '../../../src/rules/example.ts';
import { loadRules } from '../../../src/service/loadRules.ts';
import { allRecordings } from '../../../src/tools/cli/rules/recordings.ts';
import { event, move, reportOf } from '../../support/madeUp.ts';

const CDAI = '0x5d3a536E4D6DbD6114cc1Ead35777bAB948E3643';
const MINT = 'Mint(address minter, uint256 mintAmount, uint256 mintTokens)';
const POLYGON = '0x40ec5B33f54e0E8A33A975908C5BA1c14e5BbbDf';
const LOCKED =
  'LockedERC20(address indexed depositor, address indexed depositReceiver, address indexed rootToken, uint256 amount)';
const V2_SWAP =
  'Swap(address indexed sender, uint256 amount0In, uint256 amount1In, uint256 amount0Out, uint256 amount1Out, address indexed to)';
const rulebook = loadRules();

const labelOf = async (example: Parameters<typeof reportOf>[0]): Promise<string> =>
  (await reportOf(example)).report.classification.intent_label;

describe('a label', () => {
  it('names what was claimed beside a principal', async () => {
    const label = await labelOf({
      to: 'farm',
      call: 'exit()',
      steps: [
        move('5e18', 'TOKEN', 'farm', 'actor'),
        event('Withdrawn(address indexed user, uint256 amount)', 'farm', ['actor', '5e18']),
        move('3e18', 'REWARD', 'farm', 'actor'),
        event('RewardPaid(address indexed user, uint256 reward)', 'farm', ['actor', '3e18']),
      ],
    });
    expect(label).toMatch(/^Unstake 5 TOKEN from 0x\S+, claiming 3 REWARD$/);
  });

  it('names ether that was paid for the message of a bridged token', async () => {
    const label = await labelOf({
      to: 'relay',
      call: 'send(uint256 amount)',
      args: ['5e18'],
      value: '4e14',
      steps: [
        move('4e14', 'native', 'relay', 'oracle'),
        move('5e18', 'TOKEN', 'actor', POLYGON),
        event(LOCKED, POLYGON, ['actor', 'actor', 'TOKEN', '5e18']),
      ],
    });
    expect(label).toBe('Bridge 5 TOKEN with Polygon bridge, paying 0.0004 ETH');
  });

  it('is about more than a hundredth of what the actor gave, where another rule fits', async () => {
    const both = (supplied: string): Promise<string> =>
      labelOf({
        to: 'router',
        call: 'go(uint256 amount)',
        args: ['5e18'],
        steps: [
          move('5e18', 'AAA', 'actor', 'pool'),
          move('7e18', 'BBB', 'pool', 'actor'),
          event(V2_SWAP, 'pool', ['router', '5e18', 0, 0, '7e18', 'actor']),
          move(supplied, 'AAA', 'actor', CDAI),
          event(MINT, CDAI, ['actor', supplied, '450']),
          move('450', CDAI, CDAI, 'actor'),
        ],
      });
    expect(await both('49e15')).toMatch(/^Swap 5\.049 AAA for 7 BBB and \S+ 0x5d3a\S+ on 0x252d\S+$/);
    expect(await both('52e15')).toBe('Supply 0.052 AAA to Compound v2');
  });

  it('names three amounts, and of more the one worth most', async () => {
    const pay = (assets: readonly string[]): ReturnType<typeof buildExample> =>
      buildExample({
        to: 'payer',
        call: 'pay()',
        steps: assets.map((asset, i) => move('5e18', asset, 'actor', `friend${i}`)),
      });
    const { raw, context, addressOf } = pay(['AAA', 'BBB', 'CCC', 'DDD']);
    const price = { numerator: 3n, scale: 0, method: 'chainlink', source: 'feed', asOf: 0, heartbeat: null };
    const prices = [{ ...price, asset: addressOf('CCC'), pool: null, confidenceBps: null }];
    const priced = await analyzeRaw(raw, { ...context, prices } as never, rulebook);
    expect(priced.classification.intent_label).toBe('Send 5 CCC and 3 assets more to 4 recipients');
    const three = pay(['AAA', 'BBB', 'CCC']);
    const { classification } = await analyzeRaw(three.raw, three.context, rulebook);
    expect(classification.intent_label).toBe('Send 5 AAA, 5 BBB and 5 CCC to 3 recipients');
  });
});

it('a holder that called its vault’s own withdrawAll() asked for the burn of its shares', async () => {
  const caveats = async (call: string): Promise<readonly string[]> => {
    const steps = [move('4e18', 'vault', 'actor', 'zero'), move('5e18', 'TOKEN', 'vault', 'actor')];
    const { report } = await reportOf({ to: 'vault', call, steps });
    return report.classification.caveats!.map(({ code }) => code);
  };
  expect(await caveats('withdrawAll()')).not.toContain('unasked_pull');
  expect(await caveats('poke()')).toContain('unasked_pull');
});

it('the seller of an NFT did not pay for it, in any recording', async () => {
  const payers: string[] = [];
  for (const { name, raw, context } of allRecordings([join(import.meta.dirname, '../../recordings')]))
    for (const act of (await analyzeRaw(raw, context, rulebook)).motifs) {
      if (act.kind !== 'nft_trade' || act.assets_out.length === 0) continue;
      const having = (...roles: string[]): string[] =>
        act.participants.filter(({ role }) => roles.includes(role)).map(({ account }) => account);
      const [paid, sold, bought] = [having('payer', 'source'), having('seller'), having('buyer')];
      if (paid.some((one) => sold.includes(one)) || !paid.includes(bought[0]!))
        payers.push(`${name} ${act.id}`);
    }
  expect(payers).toEqual([]);
});
