/** What a report says of positions. */
import type { PositionEffect, TxReport } from '../../model/generated/report.ts';
import { protocolName } from './accounts.ts';
import { words } from './text.ts';
import type { Part, Sentence } from './sentences.ts';

/** Verbs for more and less of a position, with the word before the protocol. */
const VERBS: Readonly<Record<string, readonly [more: string, less: string]>> = {
  liquidity: ['adds liquidity at', 'removes liquidity from'],
  lending_supply: ['supplies to', 'withdraws from'],
  lending_debt: ['borrows from', 'repays'],
  stake: ['stakes at', 'unstakes from'],
  vault: ['deposits into', 'withdraws from'],
  order: ['places an order at', 'ends an order at'],
  withdrawal_request: ['requests a withdrawal from', 'completes a withdrawal from'],
  bridge_claim: ['sends over', 'receives over'],
};

const EFFECTS: Readonly<Record<string, string>> = {
  transfer: 'transfers its position at',
  liquidate: 'is liquidated at',
  collect: 'collects from',
  migrate: 'migrates its position at',
};

/** Seized collateral, interest, shares passed on: only the position's token moved. */
const isBare = (p: PositionEffect): boolean =>
  p.underlying.length === 0 && p.position_asset?.kind === 'erc20';

function deed(p: PositionEffect): string {
  const { category, effect, position_delta_raw: delta } = p;
  if (isBare(p)) return delta?.startsWith('-') ? 'gives shares of' : 'gets shares of';
  const [more, less] = VERBS[category] ?? [`${words(category)} at`, `${words(category)} at`];
  return EFFECTS[effect] ?? (effect === 'open' || effect === 'increase' ? more : less);
}

/** `0x12… supplies to Aave V3: 100 USDC. The position is new.`; a debt is borrowed or repaid. */
export function positionSentence(p: PositionEffect, report: Pick<TxReport, 'accounts'>): Sentence {
  const share = { asset: p.position_asset!, delta_raw: p.position_delta_raw ?? '0', role: 'principal' };
  const parts = isBare(p) ? [share] : p.underlying;
  const amounts = parts.slice(0, 6).flatMap(({ asset, delta_raw: raw, role }, i): Part[] => {
    const note = role === 'principal' || role === 'debt' ? '' : ` ${role}`;
    return [i === 0 ? ': ' : ', ', { asset, raw: BigInt(raw.replace('-', '')) }, note];
  });
  const more = parts.length > 6 ? [` and ${parts.length - 6} more`] : [];
  const state = { open: ', a new position', close: ', which closes the position' }[p.effect as string] ?? '';
  const place = protocolName(report, p.protocol);
  return [{ account: p.owner }, ` ${deed(p)} ${place}`, ...amounts, ...more, state];
}

/** `Supplies to Aave V3`: the same as a heading. */
export function positionTitle(p: PositionEffect, report: Pick<TxReport, 'accounts'>): string {
  return `${deed(p)} ${protocolName(report, p.protocol)}`.replace(/^./, (first) => first.toUpperCase());
}
