// The sale of an NFT with a marketplace's fee and a creator's royalty: who sold, who bought, what each of the four got or gave.
import { afterAll, beforeAll, expect, it } from 'vitest';
import { addressOf } from '../devnet/accounts.ts';
import { fn } from '../devnet/chain.ts';
import { compile } from '../forgeries/stage.ts';
import { startLive, type Live } from './live.ts';

let live: Live;
beforeAll(async () => {
  live = await startLive();
}, 120_000);
afterAll(() => live?.stop());

it('has buyer, seller, the receipt of the seller, the fee and the royalty as legs', async () => {
  const { chain, c } = live;
  const contract = compile('../positions/Market.sol')['RoyaltyMarket']!;
  const market = await chain.deploy(contract, [addressOf('house'), addressOf('frank')]);
  const collection = c.at('APE');
  await chain.must('maker', { to: collection, data: fn('give(address)', [addressOf('carol')]) });
  const id = (await chain.read<bigint>(collection, 'nextId() view returns (uint256)')) - 1n;
  await chain.must('carol', { to: collection, data: fn('setApprovalForAll(address,bool)', [market, true]) });
  const hash = await chain.send('dave', {
    to: market,
    value: c.units('ETH', '2'),
    data: fn('buy(address,uint256,address)', [collection, id, addressOf('carol')]),
  });
  const { classification, motifs, attribution } = await live.report(hash);
  expect(classification).toMatchObject({ intent_kind: 'NftTrade', actor: addressOf('dave') });
  expect(attribution.actor).toBe(addressOf('dave'));
  expect(classification.intent_label).toMatch(new RegExp(`^Buy Devnet Apes #${id} for 2 ETH on `));
  const sale = motifs.find(({ kind }) => kind === 'nft_trade')!;
  expect(sale.participants).toEqual(
    expect.arrayContaining([
      { role: 'seller', account: addressOf('carol') },
      { role: 'buyer', account: addressOf('dave') },
    ]),
  );
  const legs = [...sale.assets_in, ...sale.assets_out].map(
    ({ role, asset, amount }) => `${role} ${amount} ${asset.symbol}`,
  );
  expect(legs.sort()).toEqual(['fee 0.05 ETH', 'fee 0.1 ETH', 'in 1.85 ETH', 'out 1 APE']);
});
