import pc from 'picocolors';
import { quantity } from './renderReport.ts';
import type { Allowance, Asset, InventoryDelta } from '../client/report.ts';
import type { Side } from '../client/seenBy.ts';

/** One account's side of a report as text for people. */
export function renderSide(side: Side, label: string): string {
  const lines = [
    pc.bold(label),
    'seen by ' +
      `${side.account}${side.name === null ? '' : ` (${side.name})`}` +
      `${side.paid_fee ? ', who paid the fee' : ''}`,
    ...listed('sent', side.sent.map(amount)),
    ...listed('received', side.received.map(amount)),
    ...(side.net_usd.available && side.sent.length + side.received.length > 0
      ? listed('net', [`${side.net_usd.text} before gas`])
      : []),
    ...listed(
      'positions',
      side.positions.map(({ category, effect, protocol }) =>
        `${category} ${effect}${protocol ? ` (${protocol.slug})` : ''}`.replaceAll('_', ' '),
      ),
    ),
    ...listed(
      'allows',
      side.granted.map((one) => `${one.spender} to take ${extent(one)}`),
    ),
    ...listed(
      'may take',
      side.obtained.map((one) => `${extent(one)} of ${one.owner}`),
    ),
    ...listed(
      'acts',
      side.acts.map(({ motif, roles }) => `${motif.kind} as ${roles.join(', ')}`),
    ),
  ];
  return `${lines.length > 2 ? lines.join('\n') : [...lines, 'nothing of its own moved'].join('\n')}\n`;
}

function listed(title: string, texts: readonly string[]): string[] {
  return texts.map((text, i) => `  ${(i === 0 ? title : '').padEnd(10)} ${text}`);
}

function amount({ delta, delta_raw, asset, usd }: InventoryDelta): string {
  const worth = usd.available ? ` ${pc.dim(usd.text)}` : '';
  return `${quantity(delta, delta_raw)} ${assetName(asset)}${worth}`;
}

function extent({ kind, unlimited, amount: text, amount_raw, asset }: Allowance): string {
  if (kind === 'revoked') return `no ${assetName(asset)}`;
  if (asset.kind !== 'erc20') return asset.token_id === null ? `all ${assetName(asset)}` : assetName(asset);
  return unlimited
    ? `unlimited ${assetName(asset)}`
    : `${quantity(text, amount_raw ?? '')} ${assetName(asset)}`;
}

function assetName({ symbol, address, token_id }: Pick<Asset, 'symbol' | 'address' | 'token_id'>): string {
  return `${symbol ?? address ?? 'ETH'}${token_id === null ? '' : ` #${token_id}`}`;
}
