import { describe, expect, it } from 'vitest';
import { buildExample } from '../../../src/rules/example.ts';
import { examine, read } from '../../../src/analyze.ts';
import { loadRules } from '../../../src/service/loadRules.ts';
import { factsAbout } from '../../../src/stages/7-intent/intentInput.ts';
import { SubjectView } from '../../../src/stages/7-intent/facts/subjectView.ts';
import type { RawExampleTransaction } from '../../../src/model/generated/rules.ts';

const rulebook = loadRules();
const USDC = '0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48';
const STETH = '0xae7ab96520DE3A18E5e111B5EaAb095312D7fE84';
const WETH = '0xC02aaA39b223FE8D0A0e5C4F27eAD9083C756Cc2';

function factsOf(transaction: RawExampleTransaction) {
  const { raw, context } = buildExample(transaction);
  return factsAbout(new SubjectView({ ...examine(read(raw, context), context, rulebook), rulebook }));
}

describe('facts about which tokens moved', () => {
  const sheet = factsOf({
    to: 'desk',
    call: 'trade(uint256)',
    args: [7],
    steps: [
      { move: '5e6', asset: USDC, from: 'actor', to: 'desk' },
      { move: '1e18', asset: STETH, from: 'desk', to: 'actor' },
      { move: '3e18', asset: WETH, from: 'desk', to: 'actor' },
      { move: '2e18', asset: 'USDC', from: 'desk', to: 'actor' },
    ],
  });

  it('go by address, never by the name a token has', () => {
    expect(sheet('actor.sent.symbols')).toEqual(['USDC']);
    expect(sheet('actor.sent.classes')).toEqual(['stablecoin']);
    expect(sheet('actor.received.symbols')).toEqual(['WETH', 'stETH']);
    expect(sheet('actor.received.classes')).toEqual(expect.arrayContaining(['lst', 'wrapped_native']));
    expect(sheet('actor.received.classes')).not.toContain('stablecoin');
    // The token that only calls itself USDC: a rule can say "nothing but stablecoins".
    expect(sheet('actor.received.classes')).toContain('other');
  });

  it('the selector is that of the call', () => {
    // cast sig 'trade(uint256)'
    expect(sheet('tx.selector')).toMatch(/^0x[0-9a-f]{8}$/);
    expect(factsOf({ to: 'friend', value: 1 })('tx.selector')).toBe('');
  });

  it('an unknown place in the block is no early place', () => {
    expect(sheet('tx.index')).toBe(1_000_000);
  });
});

describe('facts about the order and place of acts', () => {
  const POOL = 'market';
  const deposit = 'Deposit(address indexed sender, address indexed owner, uint256 assets, uint256 shares)';
  const sheet = factsOf({
    to: POOL,
    steps: [
      { move: '10e18', asset: 'GOLD', from: 'actor', to: POOL },
      { move: '9e18', asset: POOL, from: 'zero', to: 'actor' },
      { event: deposit, by: POOL, args: ['actor', 'actor', '10e18', '9e18'] },
      { move: '4e18', asset: 'SILVER', from: POOL, to: 'actor' },
      {
        event: 'RewardPaid(address indexed user, uint256 reward)',
        by: POOL,
        args: ['actor', '4e18'],
      },
    ],
  });

  it('a deposit followed by a claim at one venue', () => {
    expect(sheet('motif.vault_deposit.followed_by')).toEqual(['claim']);
    expect(sheet('motif.claim.followed_by')).toEqual([]);
    expect(sheet('motif.vault_deposit.same_venue')).toEqual(['claim']);
    expect(sheet('motif.claim.same_market')).toEqual(['vault_deposit']);
    expect(sheet('motif.vault_deposit.roles')).toContain('owner');
    expect(sheet('motif.vault_deposit.classes')).toContain('share');
  });
});

describe('facts about allowances', () => {
  const approval = 'Approval(address indexed owner, address indexed spender, uint256 value)';
  const UNLIMITED = (2n ** 256n - 1n).toString();

  it('count what the actor granted, and to whom', () => {
    const sheet = factsOf({
      to: 'TOKEN',
      call: 'approve(address,uint256)',
      args: ['stranger', UNLIMITED],
      steps: [{ event: approval, by: 'TOKEN', args: ['actor', 'stranger', UNLIMITED] }],
    });
    expect(sheet('allowances.granted')).toBe(1);
    expect(sheet('allowances.unlimited')).toBe(1);
    expect(sheet('allowances.to_called')).toBe(false);
    expect(sheet('allowances.to_plain_account')).toBe(true);
  });

  it('see accounts whose tokens were taken for nothing', () => {
    const taken = factsOf({
      to: 'sweeper',
      steps: [
        { move: '5e18', asset: 'GOLD', from: 'anna', to: 'actor' },
        { move: '6e18', asset: 'GOLD', from: 'bert', to: 'actor' },
      ],
    });
    expect(taken('flow.unpaid_accounts')).toBe(2);
    const paid = factsOf({
      to: 'desk',
      steps: [
        { move: '5e18', asset: 'GOLD', from: 'anna', to: 'actor' },
        { move: '6e18', asset: 'SILVER', from: 'actor', to: 'anna' },
      ],
    });
    expect(paid('flow.unpaid_accounts')).toBe(0);
  });
});
