// A contract stakes what the signer paid it in a name of its own.
import { getContractAddress } from 'viem';
import { describe, expect, it } from 'vitest';
import { event, move, reportOf } from '../support/madeUp.ts';

/** Sky’s farm of SKY, which takes USDS. */
const FARM = '0x0650CAF159C5A49f711e8169D4336ECB9b950275';
const USDS = '0xdC035D45d973E3EC169d2276DDab16f1e407384F';
/** The fifth proxy of DSProxy’s factory. */
const PROXY = getContractAddress({ from: '0xA26e15C895EFc0616177B7c1e7270A4C7D51C997', nonce: 5n });

const staked = (proxy: string, to = proxy) =>
  reportOf({
    to,
    call: 'execute(address target, bytes data)',
    args: ['helper', '0x12345678'],
    steps: [
      move('5e18', USDS, 'actor', proxy),
      move('5e18', USDS, proxy, FARM),
      event('Staked(address indexed user, uint256 amount)', FARM, [proxy, '5e18']),
    ],
  });

describe('a position that a contract holds in its own name', () => {
  it.each([
    ['that nothing shows to be its payer’s', 'proxy', 'proxy', 'contradiction'],
    ['that another contract had run the call', PROXY, 'caller', 'unproven_motif'],
  ])('%s: Suspected', async (_, proxy, to, caveat) => {
    const { report, positions } = await staked(proxy, to);
    expect(positions).toEqual(['stake increase actor: principal -5000000000000000000']);
    expect(report.position_effects[0]!.status).toBe('Suspected');
    expect(report.classification).toMatchObject({ intent_kind: 'Stake', status: 'Suspected' });
    expect(report.classification.caveats!.map(({ code }) => code)).toContain(caveat);
  });

  it('is the signer’s where its factory makes accounts that their owner alone calls', async () => {
    const { report, positions } = await staked(PROXY);
    expect(positions).toEqual(['stake increase actor: principal -5000000000000000000']);
    expect(report.position_effects[0]!.status).toBe('Proven');
    expect(report.classification).toMatchObject({ intent_kind: 'Stake', status: 'Proven' });
  });
});
