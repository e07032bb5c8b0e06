import {
  decodeFunctionResult,
  encodeFunctionData,
  hexToString,
  isHex,
  parseAbi,
  parseAbiItem,
  type AbiFunction,
  type Hex,
} from 'viem';
import type { TxReport } from '../../model/generated/report.ts';
import type { Report } from './finding.ts';

/** `eth_call` at the transaction's block or the one before; null for a revert or no answer. */
export type ReadContract = (to: string, data: Hex, before?: boolean) => Promise<Hex | null>;

/** A view's answer, by a signature in words of Solidity; null without one. Throws if undecodable. */
export async function askView(
  read: ReadContract,
  to: string,
  signature: string,
  { args = [], before = false }: { readonly args?: readonly unknown[]; readonly before?: boolean } = {},
): Promise<unknown> {
  const abi = [parseAbiItem(signature) as AbiFunction];
  const data = await read(to, encodeFunctionData({ abi, args } as never), before);
  return data === null || data === '0x' ? null : decodeFunctionResult({ abi, data } as never);
}

const ABI = parseAbi([
  'function symbol() view returns (string)',
  'function name() view returns (string)',
  'function decimals() view returns (uint8)',
]);
type Read = 'symbol' | 'name' | 'decimals';

/** A token's answer about itself; null without one. */
export async function askToken(read: ReadContract, to: string, functionName: Read): Promise<unknown> {
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
      const actual = await askToken(read, asset.address, key);
      const [claimed, at] = [asset[key], `/inventory_deltas/${i}/asset/${key}`];
      if (typeof actual === 'string' ? !isPlain(actual) : typeof actual !== 'number') continue;
      if (claimed !== (typeof actual === 'string' ? actual.trim() : actual))
        find('asset', at, `${String(claimed)} is ${String(actual)} at the token`);
    }
  }
}
