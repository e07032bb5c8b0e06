import { decodeFunctionResult, encodeFunctionData, hexToString, isHex, parseAbi, type Hex } from 'viem';
import type { TxReport } from '../../model/generated/report.ts';
import type { Report } from './finding.ts';
import { parseDecimal } from './checkMoney.ts';

/**
 * One `eth_call` at the block of the transaction; null when the contract reverts or the node cannot answer.
 */
export type ReadContract = (to: string, data: Hex) => Promise<Hex | null>;

const ABI = parseAbi([
  'function symbol() view returns (string)',
  'function name() view returns (string)',
  'function decimals() view returns (uint8)',
  'function latestRoundData() view returns (uint80, int256, uint256, uint256, uint80)',
]);
type Read = 'symbol' | 'name' | 'decimals' | 'latestRoundData';

const isAddress = (text: string): boolean => /^0x[0-9a-fA-F]{40}$/.test(text);

async function ask(read: ReadContract, to: string, functionName: Read): Promise<unknown> {
  const data = await read(to, encodeFunctionData({ abi: ABI, functionName }));
  if (data === null || data === '0x') return null;
  try {
    return decodeFunctionResult({ abi: ABI, functionName, data });
  } catch {
    // Early tokens (MKR, SAI) answer symbol() and name() with a bytes32.
    if (functionName !== 'decimals' && isHex(data) && data.length === 66) {
      return hexToString(data).replaceAll('\0', '');
    }
    return null;
  }
}

/** Only plain printable text is compared: hostile text is cleaned before it appears in a report. */
const isPlain = (text: string): boolean => /^[\w$.+\- ]{1,32}$/.test(text);

/** Symbols, names and decimals of every token named in the report, asked of the tokens themselves. */
export async function checkAssets(report: TxReport, read: ReadContract, find: Report): Promise<void> {
  const assets = new Map(report.inventory_deltas.map(({ asset }, i) => [asset.id, { asset, i }]));
  for (const { asset, i } of assets.values()) {
    if (asset.kind !== 'erc20' || asset.address === null) continue;
    for (const key of ['decimals', 'symbol', 'name'] as const) {
      const actual = await ask(read, asset.address, key);
      const claimed = asset[key];
      if (typeof actual === 'string' ? !isPlain(actual) : typeof actual !== 'number') continue;
      if (claimed !== (typeof actual === 'string' ? actual.trim() : actual)) {
        find(
          'asset',
          `/inventory_deltas/${i}/asset/${key}`,
          `${String(claimed)} is ${String(actual)} at the token`,
        );
      }
    }
  }
}

/** Methods with a feed as source that answers `latestRoundData()` (Chainlink's AggregatorV3Interface). */
const FEED = 'chainlink';

/**
 * Reads the price feeds named in the report again at its block. Returns the prices it could not read, with
 * the reason.
 */
export async function checkPrices(
  report: TxReport,
  read: ReadContract,
  find: Report,
): Promise<{ readonly what: string; readonly why: string }[]> {
  const left: { what: string; why: string }[] = [];
  for (const [i, price] of (report.economics.valuation.prices ?? []).entries()) {
    const at = `/economics/valuation/prices/${i}`;
    const what = `price of ${price.asset_id}`;
    if (price.method !== FEED || !isAddress(price.source)) {
      left.push({ what, why: `method ${price.method} is checked only by analysing anew` });
      continue;
    }
    const [round, decimals] = [
      (await ask(read, price.source, 'latestRoundData')) as readonly bigint[] | null,
      (await ask(read, price.source, 'decimals')) as number | null,
    ];
    if (round === null) {
      find('price', at, `${price.source} does not answer latestRoundData() at this block`);
      continue;
    }
    if (Number(round[3]) !== price.as_of) find('price', `${at}/as_of`, `the feed was updated at ${round[3]}`);
    const exact = price.price_exact === undefined ? null : parseDecimal(price.price_exact);
    if (decimals === null) left.push({ what, why: 'the feed does not state its decimals' });
    else if (exact && exact.units * 10n ** BigInt(decimals) !== round[1]! * 10n ** BigInt(exact.places)) {
      find('price', `${at}/price_exact`, `the feed answered ${round[1]} with ${decimals} decimals`);
    }
  }
  return left;
}
