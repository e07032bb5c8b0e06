import type { Asset, TxReport } from '../../model/generated/report.ts';
import { formatUnits } from 'viem/utils';
import { isRecord, walk } from './checkEvidence.ts';
import { askToken, type ReadContract } from './fetchRawAnswers.ts';
import type { Report } from './finding.ts';
import { NATIVE } from './rawChain.ts';

function idOf({ kind, address, token_id: id }: Asset): string {
  const token = kind === 'native' ? NATIVE : `eip155:1/${kind}:${address?.toLowerCase()}`;
  return id === null ? token : `${token}/${id}`;
}

/** Assets and amounts in every place of the report. */
export function checkWords(report: TxReport, find: Report): void {
  const known = new Map<string, string>();
  for (const [value, at] of walk(report)) {
    if (!isRecord(value)) continue;
    if ('decimals' in value && 'token_id' in value) {
      checkAsset(value as unknown as Asset, at, known, find);
      checkName(value as unknown as Asset, at, report, find);
    }
    if (isRecord(value['asset'])) checkAmounts(value, at, find);
  }
}

/** An asset reads the same wherever it is named, and as its id says. */
function checkAsset(asset: Asset, at: string, known: Map<string, string>, find: Report): void {
  // An allowance for a whole collection names no single asset.
  const isCollection = asset.id === null && asset.kind !== 'erc20' && asset.kind !== 'native';
  if (!isCollection && asset.id !== idOf(asset))
    find('asset', at, `${asset.id} does not name ${idOf(asset)}`);
  if (asset.id === NATIVE && `${asset.symbol} ${asset.decimals}` !== 'ETH 18')
    find('asset', at, 'ether is ETH with 18 decimals');
  const words = JSON.stringify(asset);
  const key = String(asset.id ?? asset.address);
  if ((known.get(key) ?? words) !== words) find('asset', at, `${key} reads otherwise elsewhere`);
  known.set(key, words);
}

/** A token that no rule names has its own name among the accounts. */
function checkName({ address, name, symbol }: Asset, at: string, { accounts }: TxReport, find: Report): void {
  const account = accounts?.[address ?? ''];
  if (account?.source === 'contract' && account.name !== (name ?? symbol))
    find('asset', `${at}/name`, `is ${account.name} among the accounts`);
}

/** Amounts are given where they can be, and each exactly as its raw amount in whole units. */
function checkAmounts(value: Record<string, unknown>, at: string, find: Report): void {
  const { decimals } = value['asset'] as Asset;
  for (const key of ['amount', 'delta']) {
    const [shown, raw] = [value[key], value[`${key}_raw`]];
    if (typeof raw !== 'string' || !(key in value)) continue;
    const exact = decimals === null ? null : formatUnits(BigInt(raw), decimals);
    if (shown !== exact) find('amount', `${at}/${key}`, `reads ${String(shown)}, ${exact} is exact`);
  }
}

/** Only plain printable text is compared: hostile text is cleaned before it appears in a report. */
const isPlain = (text: string): boolean => /^[\w$.+\- ]{1,32}$/.test(text);

/** Symbols, names and decimals of every token named in the report, asked of the tokens themselves. */
export async function checkTokens(report: TxReport, read: ReadContract, find: Report): Promise<void> {
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
