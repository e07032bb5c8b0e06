import { describe, expect, it } from 'vitest';
import { event, move, reportOf } from '../../support/madeUp.ts';

const CDAI = '0x5d3a536E4D6DbD6114cc1Ead35777bAB948E3643';
const USDC = '0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48';
const COMPTROLLER = '0x3d9819210A31b4961b30EF54bE2aeD79B9c9Cd3B';
const REWARDED =
  'DistributedSupplierComp(address indexed cToken, address indexed supplier, uint256 compDelta, uint256 compSupplyIndex)';
const MINT = 'Mint(address minter, uint256 mintAmount, uint256 mintTokens)';
const V2_SWAP =
  'Swap(address indexed sender, uint256 amount0In, uint256 amount1In, uint256 amount0Out, uint256 amount1Out, address indexed to)';

const supplyWith = (payer: string, token = 'REWARD'): ReturnType<typeof reportOf> =>
  reportOf({
    to: CDAI,
    call: 'mint(uint256 mintAmount)',
    args: ['10e18'],
    steps: [
      move('3e15', token, payer, 'actor'),
      event(REWARDED, payer, [CDAI, 'actor', '3e15', '1']),
      move('10e18', 'UNDER', 'actor', CDAI),
      event(MINT, CDAI, ['actor', '10e18', '450e8']),
      move('450e8', CDAI, CDAI, 'actor'),
    ],
  });

/** A withdrawal whose proceeds a contract keeps, which pays with `token` for them. */
const redeemFor = (token: string): ReturnType<typeof reportOf> =>
  reportOf({
    to: 'zap',
    call: 'leave(uint256 shares)',
    args: ['450e8'],
    steps: [
      move('450e8', CDAI, 'actor', CDAI),
      event('Redeem(address redeemer, uint256 redeemAmount, uint256 redeemTokens)', CDAI, [
        'actor',
        '10e18',
        '450e8',
      ]),
      move('10e18', 'UNDER', CDAI, 'zap'),
      move('7e18', token, 'zap', 'actor'),
    ],
  });

describe('both ends of what a verdict rests on', () => {
  it('a reward that comes along from the same protocol leaves it Proven', async () => {
    const { report } = await supplyWith(COMPTROLLER);
    expect(report.classification).toMatchObject({
      intent_kind: 'Supply',
      status: 'Proven',
      confidence: 'High',
    });
  });

  it('a payment of any other contract does not', async () => {
    const { report } = await supplyWith('stranger', USDC);
    expect(report.classification.status).toBe('Suspected');
    expect(report.classification.caveats?.map(({ code }) => code)).toContain('unaccounted_value');
    expect(report.classification.intent_label).toMatch(/, receiving 0\.003 \S+$/);
  });

  it('a token that anybody may have made and given leaves it Proven', async () => {
    const { report } = await supplyWith('stranger');
    expect(report.classification).toMatchObject({ intent_kind: 'Supply', status: 'Proven', caveats: [] });
    expect(report.classification.intent_label).not.toContain('REWARD');
  });

  it('such a token is no gift where it was all that a withdrawal left', async () => {
    const { report } = await redeemFor('BBB');
    expect(report.classification.status).toBe('Suspected');
  });

  const swapFor = (then: Parameters<typeof reportOf>[0]['steps']): ReturnType<typeof reportOf> =>
    reportOf({
      to: 'router',
      call: 'swapTokens(uint256 amount)',
      args: ['5e18'],
      steps: [
        move('5e18', 'AAA', 'actor', 'pool'),
        move('7e18', 'BBB', 'pool', 'receiver'),
        event(V2_SWAP, 'pool', ['router', '5e18', 0, 0, '7e18', 'receiver']),
        ...(then ?? []),
      ],
    });

  it('a router that trades for others is the place, what anybody calls through is not', async () => {
    const through = async (to: string): Promise<string> =>
      (
        await reportOf({
          to,
          call: 'swapTokens(uint256 amount)',
          args: ['5e18'],
          steps: [
            move('5e18', 'AAA', 'actor', 'pool'),
            move('7e18', 'BBB', 'pool', 'actor'),
            event(V2_SWAP, 'pool', [to, '5e18', 0, 0, '7e18', 'actor']),
          ],
        })
      ).report.classification.intent_label;
    expect(await through('0x1111111254EEB25477B68fb85Ed929f73A960582')).toMatch(/ on 1inch Router v5$/);
    expect(await through('0xcA11bde05977b3631167028862bE2a173976CA11')).not.toContain('Multicall3');
  });

  it('proceeds that another account just keeps are a swap for it', async () => {
    expect((await swapFor([])).report.classification.matched_rule).toBe('direct-swap-to-other');
  });

  it('proceeds handed to a contract that logs events of its own are not', async () => {
    const { report } = await swapFor([
      event('Lorem(uint256 ipsum, bytes32 dolor)', 'receiver', ['7e18', `0x${'1'.padStart(64, '0')}`]),
    ]);
    expect(report.classification.matched_rule).not.toBe('direct-swap-to-other');
    expect(report.classification.status).toBe('Suspected');
  });

  it('a stake without a claim is no restaking of rewards', async () => {
    const { report } = await reportOf({
      to: 'keeper',
      call: 'poke()',
      steps: [
        move('5e18', 'LP', 'treasury', 'farm'),
        event('Staked(address indexed user, uint256 amount)', 'farm', ['actor', '5e18']),
      ],
    });
    expect(report.classification.matched_rule).not.toBe('claim-and-restake');
  });
});
