// ERC-7540: a deposit and a redemption through request, claimable and claim, held by the vault and by an escrow.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Address } from 'viem';
import { addressOf, type Person } from '../devnet/accounts.ts';
import { fn } from '../devnet/chain.ts';
import { compileContracts } from '../devnet/compile.ts';
import { gist, startLive, type Live } from './live.ts';

let live: Live;
beforeAll(async () => {
  live = await startLive();
});
afterAll(() => live?.stop());

describe.each([
  ['the vault', false],
  ['an escrow', true],
] as const)('ERC-7540, held by %s', (_, apart) => {
  const who = addressOf('heidi');
  const fulfilment = { intent: 'ContractCall', actor: addressOf('house'), effects: [] };
  let vault: Address;
  const dai = (amount: string): bigint => live.c.units('DAI', amount);
  const told = async (person: Person, signature: string, args: unknown[]) => {
    const hash = await live.chain.send(person, { to: vault, data: fn(signature, args) });
    const { classification, attribution, position_effects } = await live.report(hash);
    const effects = position_effects.map((effect) => gist(effect, live.c));
    return { intent: classification.intent_kind, actor: attribution.actor, effects };
  };

  beforeAll(async () => {
    vault = await live.chain.deploy(compileContracts()['AsyncVault']!, [live.c.at('DAI'), apart]);
    live.c.world.assets['aDAI'] = { ...live.c.world.assets['vDAI']!, address: vault, symbol: 'aDAI' };
    await live.chain.must('heidi', {
      to: live.c.at('DAI'),
      data: fn('approve(address,uint256)', [vault, dai('1000')]),
    });
  });

  it('a deposit is requested, made claimable and claimed', async () => {
    expect(await told('heidi', 'requestDeposit(uint256,address,address)', [dai('1000'), who, who])).toEqual({
      intent: 'OrderPlacement',
      actor: who,
      effects: [{ what: 'open order', owner: who, token: null, parts: [`principal -${dai('1000')} DAI`] }],
    });
    expect(await told('house', 'fulfilDeposit(address,uint256)', [who, dai('900')])).toEqual(fulfilment);
    expect(await told('heidi', 'deposit(uint256,address,address)', [dai('1000'), who, who])).toEqual({
      intent: 'VaultDeposit',
      actor: who,
      effects: [{ what: 'increase vault', owner: who, token: `${dai('900')} aDAI`, parts: [] }],
    });
  });

  it('a redemption is requested, made claimable and claimed', async () => {
    expect(await told('heidi', 'requestRedeem(uint256,address,address)', [dai('900'), who, who])).toEqual({
      intent: 'WithdrawalRequest',
      actor: who,
      effects: [{ what: 'open withdrawal_request', owner: who, token: `-${dai('900')} aDAI`, parts: [] }],
    });
    expect(await told('house', 'fulfilRedeem(address,uint256)', [who, dai('990')])).toEqual(fulfilment);
    expect(await told('heidi', 'redeem(uint256,address,address)', [dai('900'), who, who])).toEqual({
      intent: 'VaultWithdraw',
      actor: who,
      effects: [{ what: 'decrease vault', owner: who, token: null, parts: [`principal ${dai('990')} DAI`] }],
    });
  });
});
