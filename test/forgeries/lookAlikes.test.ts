// A token under another's name, however its symbol is written, is flagged, never priced and makes nothing Proven.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Address } from 'viem';
import { loadRules } from '../../src/service/loadRules.ts';
import { nameTokens } from '../../src/value/suspectTokens.ts';
import { addressOf } from '../devnet/accounts.ts';
import { fn, fnOf } from '../devnet/chain.ts';
import type { Contract } from '../devnet/compile.ts';
import { compile, event, startStage, type Stage } from './stage.ts';

let stage: Stage;
let Forger: Contract, Puppet: Contract;
beforeAll(async () => {
  stage = await startStage();
  ({ Forger, Puppet } = compile('Forger.sol') as Record<'Forger' | 'Puppet', Contract>);
});
afterAll(() => stage?.stop());

const SYMBOLS = [
  'Uni',
  'uni',
  'UNl',
  'Link',
  'LlNK',
  'Shib',
  'Matic',
  'Sushi',
  '1inch',
  'lINCH',
  'USDϹ',
  'usdϲ',
  'ΞTH',
  'wΞth',
  'U$DC',
  'u$dt',
  'USD†',
  'USD₮',
  'W₿TC',
  'Dаі',
  'υni',
  '$USDC',
  'U\u200bSDC',
  'ＵＳＤＣ',
  'usd c',
  'USD₵',
  'ⓊⓈⒹⒸ',
  '🅤🅢🅓🅒',
  'U5DC',
  '₩BTC',
  'USDСx',
  'USDС.e',
  'visit USDС',
  'USD Coin',
  'Tether  USD',
  '\u001b[31mUSDC',
];
/** Acts of the signer on the token that move nothing of anybody else's. */
const ACTS = {
  'a payment': fn('transfer(address,uint256)', [addressOf('bob'), 7n]),
  'a payment to itself': fn('transfer(address,uint256)', [addressOf('alice'), 7n]),
  'an allowance': fn('approve(address,uint256)', [addressOf('bob'), 7n]),
};

describe.each(SYMBOLS)('%j', (symbol) => {
  it('is flagged and makes nothing Proven', async () => {
    const forger = await stage.chain.deploy(Forger, ['Any', symbol]);
    for (const [act, data] of Object.entries(ACTS)) {
      const to = act === 'an allowance' ? await approving(Puppet, symbol) : forger;
      const report = await stage.report(await stage.chain.send('alice', { to, data, gas: 1_000_000n }));
      const said = `${act}: ${JSON.stringify(report.classification)}`;
      expect(report.classification.status, said).toBe('Suspected');
      for (const { asset, usd } of report.inventory_deltas)
        if (asset.kind === 'erc20') expect([asset.flags, usd.text]).toEqual([['impersonates'], '—']);
    }
  });

  /** A token that logs the allowance it is called for. */
  async function approving(contract: Contract, name: string) {
    const made = await stage.chain.deploy(contract, ['Any', name, 6]);
    const logged = event(
      'Approval(address indexed owner, address indexed spender, uint256 value)',
      addressOf('alice'),
      7n,
      {
        spender: addressOf('bob'),
      },
    );
    await stage.chain.must('alice', { to: made, data: fnOf(contract.abi, 'set', [[logged]]) });
    return made;
  }
});

it.each(['BAYC', 'BАYC', 'bayc', 'ΑZUKI', 'Doodle'])(
  'a collection %j is flagged and proves nothing',
  async (symbol) => {
    const made = await stage.chain.deploy(Puppet, ['Any', symbol, 0]);
    const logged = event(
      'Transfer(address indexed from, address indexed to, uint256 indexed tokenId)',
      addressOf('alice'),
      7n,
      { to: addressOf('bob'), tokenId: 7n },
    );
    await stage.chain.must('alice', { to: made, data: fnOf(Puppet.abi, 'set', [[logged]]) });
    const data = fn('transferFrom(address,address,uint256)', [addressOf('alice'), addressOf('bob'), 7n]);
    const report = await stage.report(await stage.chain.send('alice', { to: made, data, gas: 1_000_000n }));
    expect(report.classification.status).toBe('Suspected');
    const [line] = report.inventory_deltas.filter(({ asset }) => asset.kind === 'erc721');
    expect([line!.asset.flags, line!.usd.text]).toEqual([['impersonates'], '—']);
  },
);

it.each(['LIN', 'USDX', 'EURO', 'SHARE', 'DAO', '$', 'USDC.e', 'USD0++', 'ETH+', 'USDC-LP', 'UNI-V2', 'R15'])(
  '%s is nobody else’s name',
  async (symbol) => {
    const to = await stage.chain.deploy(Forger, ['Any', symbol]);
    const report = await stage.report(await stage.chain.send('alice', { to, data: ACTS['a payment'] }));
    expect(report.classification.status).toBe('Proven');
  },
);

it('no address of rules or address book is an impersonator, whatever its symbol', () => {
  const rules = loadRules();
  const { entities, protocolAt, addressBook } = rules;
  const book = addressBook.text
    .split('\n')
    .flatMap((line) => (line === '' ? [] : (line.split(' ')[0] as Address)));
  const listed = new Set<Address>([...entities.keys(), ...protocolAt.keys(), ...book]);
  expect(listed.size).toBeGreaterThan(1_000);
  const tokens = new Map(
    [...listed].map((address) => [address, { address, symbol: 'USDC', name: 'USD Coin', decimals: 6 }]),
  );
  const stranger: Address = '0x00000000000000000000000000000000000f04e5';
  tokens.set(stranger, { address: stranger, symbol: 'USDC', name: 'USD Coin', decimals: 6 });
  const flagged = [...nameTokens(tokens, rules).values()].filter(({ impersonates }) => impersonates);
  expect(flagged.map(({ address }) => address)).toEqual([stranger]);
});
