// Ledgers of the devnet's scenarios, held against the chain and against a table worked out by hand.
import { rulebook } from '../ledger/recordedReports.ts';
import { exactAmount, ledgerEvents } from '../../src/tools/ledger/ledgerEvent.ts';
import type { LedgerRow } from '../../src/tools/ledger/ledgerRows.ts';
import type { Chain } from '../devnet/chain.ts';
import type { TxReport } from '../../src/model/generated/report.ts';

/**
 * What each account's ledger has to hold, worked out by hand from what the scenario does. A star is an amount that a
 * pool or the gas price decides: the balances of the chain give it. `gas`: the fee is a row, or part of one.
 */
export const LEDGER_BY_HAND: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  'native-transfer': { alice: '-1.5 ETH; gas', bob: '+1.5 ETH' },
  'token-transfer': { alice: '-250 USDC; gas', bob: '+250 USDC' },
  'erc1155-batch': { bob: '+3 ITEM#2; +4 ITEM#3', carol: '-3 ITEM#2; -4 ITEM#3; gas' },
  'nft-transfer': { alice: '-1 APE#1; gas', bob: '+1 APE#1' },
  'batch-token': { alice: '+100 DAI', bob: '+200 DAI', carol: '+300 DAI', dave: '-600 DAI; gas' },
  'spam-zero-value': { spammer: 'gas' },
  'spam-forged': { spammer: 'gas' },
  wrap: { bob: '-5 ETH > +5 WETH; gas' },
  unwrap: { bob: '-2 WETH > +2 ETH; gas' },
  'swap-v2-eth-usdc': { alice: '-1 ETH > +* USDC; gas' },
  'swap-v2-usdt-eth': { bob: '-2000 USDT > +* ETH; gas' },
  'swap-split': { heidi: '-20000 USDC > +* WETH; gas' },
  'add-liquidity-v2': { alice: '-6800 USDC pool; -* ETH pool; +* UNI-V2 pool; gas' },
  'remove-liquidity-v2': { alice: '+* USDC pool; +* ETH pool; -* UNI-V2 pool; gas' },
  'collect-fees-v3': { maker: '+* USDC reward; +* WETH reward; gas' },
  'nft-mint': { bob: '-0.05 ETH > +1 APE#4; -0.05 ETH > +1 APE#5; gas' },
  'nft-sale': { carol: '-1 APE#3 > +1.95 ETH', dave: '-2 ETH > +1 APE#3; gas', house: '+0.05 ETH' },
  'token-burn': { alice: '-10 ACORN; gas' },
  'safe-multisend': { alice: 'gas', dave: '+500 USDC', erin: '+700 DAI', frank: '+0.5 ETH' },
  'safe-refund': { dave: '+400 DAI', relayer: '+* ETH fee_refund; gas' },
  'userop-paymaster': { dave: '+30 USDC', bundler: '+* ETH fee_refund; gas' },
  'userop-two': { carol: '+20 USDC', dave: '+10 USDC', bundler: '+* ETH fee_refund; gas' },
  'eip3009-relayed': { dave: '+75 USDC', grace: '-75 USDC', relayer: 'gas' },
  'permit-relayed': { grace: '+500 DAI', heidi: '-5 DAI fee; -500 DAI', relayer: '+5 DAI fee_refund; gas' },
  '7702-sponsored': { dave: '+21 USDC', heidi: '-21 USDC', relayer: 'gas' },
  'cow-two-orders': { grace: '-1000 USDC > +1000 DAI', heidi: '-1000 DAI > +1000 USDC', solver: 'gas' },
  'cow-other-receiver': { dave: '+0.43 WETH', grace: '-1500 USDC', solver: 'gas' },
  'aave-supply': { judy: '-10 WETH > +10 aEthWETH shares; gas' },
  'aave-borrow': { judy: '+8000 USDC loan; +* variableDebtEthUSDC owed; gas' },
  'aave-repay': { judy: '-3000 USDC repayment; -* variableDebtEthUSDC owed; gas' },
  'aave-withdraw': { judy: '-1 aEthWETH > +1 WETH shares; gas' },
  'aave-liquidation': {
    grace: '-* aEthWETH repayment; -* variableDebtEthUSDC owed',
    liquidator: '-1200 USDC > +* WETH; gas',
  },
  'vault-deposit': { heidi: '-1000 DAI > +1000 vDAI shares; gas' },
  'vault-withdraw': { heidi: '-400 vDAI > +400 DAI shares; gas' },
  stake: { ivan: '-100 ACORN stake; gas' },
  unstake: { ivan: '+60 ACORN unstake; gas' },
  'claim-rewards': { ivan: '+0.0012 TRUFFLE reward; gas' },
  'airdrop-claim': { judy: '+42 ACORN reward; gas' },
  'liquid-stake': { judy: '-3 ETH > +3 rbETH shares; gas' },
  'arbitrage-builder': { searcher: 'gas', builder: '+0.002 ETH' },
  'fee-on-transfer': { alice: '-100 TOLL; gas', bob: '+99 TOLL', house: '+1 TOLL' },
  'swap-house-fee': { dave: '-1 ETH > +* USDC; gas', house: '+* USDC' },
  'swap-for-another': { alice: '-500 USDC; gas', dave: '+* ETH' },
  'reverted-string': { erin: 'gas' },
  selfdestruct: { bob: '+1 ETH', erin: '-1 ETH; gas' },
  // What waits at a bridge went there; it is no sale.
  'bridge-ether': { alice: '-2 ETH bridge; gas' },
  'bridge-token': { bob: '-1500 DAI bridge; gas' },
  'bridge-withdrawal': { carol: '+0.75 ETH bridge; gas' },
  // Prices 1 + 1.5 + 0.8 = 3.3; a fortieth of each stays with the house: 0.025 + 0.0375 + 0.02 = 0.0825.
  'nft-bundle': {
    dave: '-1.1 ETH > +1 OAK#1; -1.1 ETH > +1 OAK#2; -1.1 ETH > +1 OAK#3; gas',
    carol: '-1 OAK#1 > +1.21875 ETH; -1 OAK#2 > +1.21875 ETH',
    erin: '-1 OAK#3 > +0.78 ETH',
    house: '+0.0825 ETH',
  },
  // The loan goes from the market to the exchange, what it buys back to the market: only 5 WETH are Frank's own.
  leverage: { frank: '-5 WETH > +5 aEthWETH shares; +* aEthWETH; +* variableDebtEthUSDC owed; gas' },
  'vault-supplies-on': { heidi: '-1000 DAI > +1000 cvDAI shares; gas' },
  'vault-withdraws-on': { heidi: '-* cvDAI > +400 DAI shares; gas' },
  // One block of 12 seconds: 200 * 12 / 1,000,000 = 0.0024.
  'exit-with-reward': { ivan: '+0.0024 WETH reward; +200 DAI unstake; gas' },
  'exit-same-token': { grace: '+0.0024 DAI reward; +200 DAI unstake; gas' },
  'arbitrage-flashloan-tip': { searcher: 'gas', flashTipper: '+* WETH', builder: '+0.01 ETH' },
  'aave-repay-with-receipt': { judy: '-1000 aEthUSDC repayment; -* variableDebtEthUSDC owed; gas' },
  'aave-repay-all': { judy: '-* USDC repayment; -* variableDebtEthUSDC owed; gas' },
};

/**
 * Dollars of the acts of several parts, worked out by hand with the devnet's feeds: ETH and WETH $3,400, USDC $0.9999,
 * DAI $0.9998. `net`: received less sent, before gas; `booked`: with positions at what was exchanged for them.
 */
export const MONEY_BY_HAND: Readonly<Record<string, { net: string; booked?: string; price?: string }>> = {
  // -2 * 3400; what waits at the bridge is Alice's.
  'bridge-ether': { net: '$-6800.00', booked: '$0.00' },
  // -1500 * 0.9998.
  'bridge-token': { net: '$-1499.70', booked: '$0.00' },
  // 0.75 * 3400; it was Carol's before.
  'bridge-withdrawal': { net: '$2550.00', booked: '$0.00' },
  // 3.3 * 3400 was paid; at a market that the rules do not know, a sale makes no price of the NFTs.
  'nft-bundle': { net: '—', price: '$11220.00' },
  // The shares of a vault that the rules do not know have no price by its own word.
  'vault-supplies-on': { net: '—' },
  'vault-withdraws-on': { net: '—' },
  // 200 * 0.9998 + 0.0024 * 3400 = 199.96 + 8.16; that they were Ivan's before only an unlisted contract's event says.
  'exit-with-reward': { net: '$208.12' },
  // 200.0024 * 0.9998 = 199.96239952.
  'exit-same-token': { net: '$199.96' },
  // Receipts and debt are worth the same, but no movement says how much USDC either is.
  'aave-repay-with-receipt': { net: '—' },
  // What is paid is owed no longer.
  'aave-repay-all': { net: '$0.00' },
};

/** What a ledger of these accounts books of a report: amounts out and in with their purpose, debts, gas. */
export function inShort(report: TxReport, accounts: readonly string[]): string {
  const { event } = ledgerEvents(report, new Set(accounts), rulebook);
  if (!event) return '';
  const leg = (sign: string, one: LedgerRow['sent']): string[] =>
    one === null
      ? []
      : [
          `${sign}${exactAmount(one.raw, one.asset)} ${one.asset.symbol}${one.asset.token_id === null ? '' : `#${one.asset.token_id}`}`,
        ];
  return [
    ...event.rows.map(
      ({ sent, received, purpose }) =>
        `${[...leg('-', sent), ...leg('+', received)].join(' > ')}${purpose ? ` ${purpose}` : ''}`,
    ),
    ...event.flows
      .filter(({ debt }) => debt)
      .map(({ raw, asset }) => `${raw < 0n ? '-' : '+'}* ${asset.symbol} owed`),
    ...(event.fee ? ['gas'] : []),
  ].join('; ');
}

/** The expected text with each star replaced by the booked amount: only the amount is left to the chain. */
export function starred(booked: string, expected: string): string {
  const parts = booked.split(/; | > /);
  let at = 0;
  return expected.replaceAll(/[^;>]+/g, (part) => {
    const amount = /^ ?[+-]([\d.]+) /.exec(parts[at++] ?? '')?.[1] ?? '*';
    return part.includes('owed') ? part : part.replace('*', amount);
  });
}

/**
 * Accounts of a report whose opening balance of ether and postings do not add up to the closing balance, by
 * `eth_getBalance`. The block's fee recipient also gets the tip.
 */
export async function unbooked(chain: Chain, report: TxReport): Promise<string[]> {
  const { signer, hash, block_number: number } = report.tx;
  const block = (await chain.rpc('eth_getBlockByNumber', [`0x${number.toString(16)}`, false])) as {
    miner: string;
  };
  const receipt = await chain.receipt(hash as `0x${string}`);
  const tip = BigInt(receipt.gasUsed) * BigInt(report.execution.priority_fee_per_gas);
  const balance = async (account: string, at: number): Promise<bigint> =>
    BigInt((await chain.rpc('eth_getBalance', [account, `0x${at.toString(16)}`])) as string);
  const wrong: string[] = [];
  for (const account of new Set([signer, ...report.inventory_deltas.map(({ subject }) => subject)])) {
    const { event, doubtful } = ledgerEvents(report, new Set([account]), rulebook);
    let booked = account.toLowerCase() === block.miner.toLowerCase() ? tip : 0n;
    for (const { asset, raw } of [...(event?.flows ?? []), ...(doubtful?.flows ?? [])])
      if (asset.kind === 'native') booked += raw;
    if (event?.fee) booked -= wei(event.fee.amount);
    const changed = (await balance(account, number)) - (await balance(account, number - 1));
    if (changed !== booked && !/^0x0+$/.test(account))
      wrong.push(`${account}: ${booked} booked, ${changed} on chain`);
  }
  return wrong;
}

function wei(ether: string): bigint {
  const [whole, fraction = ''] = ether.split('.');
  return BigInt(whole + fraction.padEnd(18, '0'));
}
