import { describe, expect, it } from 'vitest';
import { examine, read } from '../../src/analyze.ts';
import { buildExample } from '../../src/rules/example.ts';
import type { RawExampleTransaction } from '../../src/model/generated/rules.ts';
import { loadRules } from '../../src/service/loadRules.ts';
import { factsAbout } from '../../src/stages/7-intent/intentInput.ts';
import { SubjectView } from '../../src/stages/7-intent/facts/subjectView.ts';

const rulebook = loadRules();
function factsOf(transaction: RawExampleTransaction) {
  const { raw, context } = buildExample(transaction);
  return factsAbout(new SubjectView({ ...examine(read(raw, context), context, rulebook), rulebook }));
}

const SWAP =
  'Swap(address indexed sender, uint256 amount0In, uint256 amount1In, uint256 amount0Out, uint256 amount1Out, address indexed to)';
const MINT = 'Mint(address indexed sender, uint256 amount0, uint256 amount1)';
const DEPOSIT = 'Deposit(address indexed sender, address indexed owner, uint256 assets, uint256 shares)';
const STAKED = 'Staked(address indexed user, uint256 amount)';

describe('the twelve analyses of rules/README.md', () => {
  it('zap: a swap, then liquidity, out of one token', () => {
    const sheet = factsOf({
      to: 'pair',
      steps: [
        { move: 50, asset: 'GOLD', from: 'actor', to: 'pair' },
        { move: 40, asset: 'SILVER', from: 'pair', to: 'actor' },
        { event: SWAP, by: 'pair', args: ['actor', 50, 0, 0, 40, 'actor'] },
        { move: 45, asset: 'GOLD', from: 'actor', to: 'pair' },
        { move: 40, asset: 'SILVER', from: 'actor', to: 'pair' },
        { move: 42, asset: 'pair', from: 'zero', to: 'actor' },
        { event: MINT, by: 'pair', args: ['actor', 45, 40] },
      ],
    });
    expect(sheet('motif.swap.followed_by')).toContain('add_liquidity');
    expect(sheet('motif.add_liquidity.followed_by')).not.toContain('swap');
    expect(sheet('actor.sent.assets')).toBe(1);
  });

  it('farming: what a deposit gave is staked', () => {
    const sheet = factsOf({
      to: 'vault',
      steps: [
        { move: 100, asset: 'GOLD', from: 'actor', to: 'vault' },
        { move: 90, asset: 'vault', from: 'zero', to: 'actor' },
        { event: DEPOSIT, by: 'vault', args: ['actor', 'actor', 100, 90] },
        { move: 90, asset: 'vault', from: 'actor', to: 'farm' },
        { event: STAKED, by: 'farm', args: ['actor', 90] },
      ],
    });
    expect(sheet('motif.vault_deposit.followed_by')).toContain('stake');
  });

  it('OTC: two people exchange, and the desk keeps nothing', () => {
    const sheet = factsOf({
      to: 'desk',
      steps: [
        { move: 100, asset: 'GOLD', from: 'actor', to: 'anna' },
        { move: 7, asset: 'SILVER', from: 'anna', to: 'actor' },
      ],
    });
    expect(sheet('actor.sides')).toBe('both');
    expect(sheet('flow.payers')).toBe(2);
    expect(sheet('flow.receivers')).toBe(2);
  });

  it('migration: an old token is burnt, a new one minted', () => {
    const sheet = factsOf({
      to: 'migrator',
      steps: [
        { move: 100, asset: 'OLD', from: 'actor', to: 'zero' },
        { move: 100, asset: 'NEW', from: 'zero', to: 'actor' },
      ],
    });
    expect(sheet('actor.sent.burnt')).toBe(1);
    expect(sheet('actor.received.minted_erc20')).toBe(1);
  });

  it('approval drain: others lose, and get nothing', () => {
    const sheet = factsOf({
      to: 'sweeper',
      steps: [{ move: 100, asset: 'GOLD', from: 'anna', to: 'actor' }],
    });
    expect(sheet('flow.unpaid_accounts')).toBe(1);
    expect(sheet('actor.sides')).toBe('received');
  });
});
