import { describe, expect, it } from 'vitest';
import { event, move, reportOf } from '../../support/madeUp.ts';

const STAKED = 'Staked(address indexed user, uint256 amount)';

describe('receipts that an event does not mention', () => {
  it('belong to the act where the venue itself is the token', async () => {
    const { report } = await reportOf({
      to: 'farm',
      call: 'stake(uint256 amount)',
      args: ['5e18'],
      steps: [
        move('5e18', 'LP', 'actor', 'farm'),
        move('4e18', 'farm', 'zero', 'actor'),
        event(STAKED, 'farm', ['actor', '5e18']),
      ],
    });
    expect(report.position_effects).toMatchObject([
      { category: 'stake', position_delta_raw: '4000000000000000000' },
    ]);
  });

  it('belong to it where as much of them moved as of the assets', async () => {
    const { report, addressOf } = await reportOf({
      to: 'farm',
      call: 'stake(uint256 amount)',
      args: ['5e18'],
      steps: [
        move('5e18', 'LP', 'actor', 'farm'),
        move('5e18', 'ticket', 'zero', 'actor'),
        event(STAKED, 'farm', ['actor', '5e18']),
      ],
    });
    const [effect] = report.position_effects;
    expect(effect?.position_asset?.address?.toLowerCase()).toBe(addressOf('ticket'));
    expect(effect?.position_delta_raw).toBe('5000000000000000000');
  });

  it('are not taken where the amount differs, or the token came and went', async () => {
    for (const steps of [
      [move('3e18', 'bonus', 'zero', 'actor')],
      [move('5e18', 'ticket', 'zero', 'actor'), move('5e18', 'ticket', 'actor', 'zero')],
    ]) {
      const { report } = await reportOf({
        to: 'farm',
        call: 'stake(uint256 amount)',
        args: ['5e18'],
        steps: [move('5e18', 'LP', 'actor', 'farm'), ...steps, event(STAKED, 'farm', ['actor', '5e18'])],
      });
      expect(report.position_effects.filter(({ category }) => category === 'stake')).toMatchObject([
        { position_asset: null },
      ]);
    }
  });
});
