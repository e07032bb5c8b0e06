// Labels that state another amount of the report than that of their act: found without analysing anew.
import { expect, it } from 'vitest';
import { verifyReport } from '../../src/tools/verify/verifyReport.ts';
import { reportOf, RULES } from './recorded.ts';

it.each([
  ['one hop of a split trade', 'swap-split', '20,000 USDC', '12,000 USDC'],
  ['the other hop', 'swap-split', '20,000 USDC', '8,000 USDC'],
  ['what one hop gave', 'swap-split', '5.86699 WETH', '2.34203 WETH'],
  ['what the solver kept', 'cow-one-order', '0.86 WETH', '0.016203 WETH'],
  ['what the pool gave the solver', 'cow-one-order', '0.86 WETH', '0.876203 WETH'],
  ['a fee for the amount', 'swap-house-fee', '3,397.19 USDC', '8.51425 USDC'],
  ['a tax for the amount', 'swap-fee-on-transfer', '100 TOLL', '1 TOLL'],
  ['one of several payments', 'batch-native', '6 ETH', '3 ETH'],
  ['one payment of tokens', 'batch-token', '600 DAI', '200 DAI'],
  ["the marketplace's fee for the price", 'nft-sale', '2 ETH', '0.05 ETH'],
  ["the seller's part for the price", 'nft-sale', '2 ETH', '1.95 ETH'],
  ['the price of one of three', 'nft-bundle', '3.3 ETH', '0.78 ETH'],
  ["the operation's gas for the amount", 'userop-swap', '0.146194 ETH', '0.000464323 ETH'],
  ['interest for the principal', 'exit-same-token', '200 DAI', '0.0024 DAI'],
  ['a fee of the loan for the profit', 'arbitrage-flashloan', '0.00962973 WETH', '0.00025 WETH'],
])('%s', async (_, recording, said, instead) => {
  const { report, answers } = await reportOf(recording);
  const { intent_label: label } = report.classification;
  expect(label).toContain(said);
  report.classification.intent_label = label.replace(said, instead);
  expect(verifyReport(report, answers, RULES).map(({ at }) => at)).toEqual(['/classification/intent_label']);
});
