import type { TxReport } from '../../model/generated/report.ts';
import { formatUnits } from 'viem/utils';
import { walk } from './checkEvidence.ts';
import type { Report } from './finding.ts';
import { NATIVE } from './rawChain.ts';

type Asset = TxReport['inventory_deltas'][number]['asset'];

const isRecord = (value: unknown): value is Record<string, unknown> =>
  value !== null && typeof value === 'object' && !Array.isArray(value);
const isAsset = (value: Record<string, unknown>): boolean => 'decimals' in value && 'token_id' in value;

function idOf({ kind, address, token_id: id }: Asset): string {
  const token = kind === 'native' ? NATIVE : `eip155:1/${kind}:${address?.toLowerCase()}`;
  return id === null ? token : `${token}/${id}`;
}

/** Each asset reads the same wherever it is named, and its id says what it is. */
export function checkAssetWords(report: TxReport, find: Report): void {
  const known = new Map<string, string>();
  for (const [value, at] of walk(report)) {
    if (!isRecord(value) || !isAsset(value)) continue;
    const asset = value as unknown as Asset;
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
}

/** Amounts are given where they can be, and each exactly as its raw amount in whole units. */
export function checkAmountWords(report: TxReport, find: Report): void {
  for (const [value, at] of walk(report)) {
    if (!isRecord(value) || !isRecord(value['asset'])) continue;
    const { decimals } = value['asset'] as unknown as Asset;
    for (const [key, raw] of [
      ['amount', value['amount_raw']],
      ['delta', value['delta_raw']],
    ] as const) {
      if (typeof raw !== 'string' || !(key in value)) continue;
      const exact = decimals === null ? null : formatUnits(BigInt(raw), decimals);
      const shown = value[key];
      if (shown !== exact) find('amount', `${at}/${key}`, `reads ${String(shown)}, ${exact} is exact`);
    }
  }
  report.position_effects.forEach(({ liquidation, effect, motif_ids: motifs }, i) => {
    const at = `/position_effects/${i}/liquidation`;
    if ((liquidation !== null) !== (effect === 'liquidate'))
      find('position', at, 'is given exactly for a liquidation');
    if (liquidation === null) return;
    for (const side of ['debt', 'collateral'] as const) {
      const raw = side === 'debt' ? liquidation.debt_covered_raw : liquidation.collateral_seized_raw;
      if ((liquidation[`${side}_asset`] === null) !== (raw === null))
        find('position', at, `the ${side} has an asset and an amount, or neither`);
    }
    const behind = report.motifs.filter(({ id }) => motifs.includes(id));
    for (const role of ['liquidator', 'borrower'] as const) {
      const named = behind.flatMap(({ participants }) => participants.filter((p) => p.role === role));
      if (named.length > 0 && !named.some(({ account }) => account === liquidation[role]))
        find('position', `${at}/${role}`, 'is another in its motif');
    }
  });
}
