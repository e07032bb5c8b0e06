import { sumExact } from './exact.ts';
import type { Allowance, Money, InventoryDelta, Motif, PositionEffect, TxReport } from './report.ts';

/** One account's side of a report: the very entries of the report that concern it. */
export interface Side {
  /** Checksummed, as in the report. */
  readonly account: string;
  /** Its name, where the report has one. */
  readonly name: string | null;
  /** Assets it ended with less and with more of; gas not included. */
  readonly sent: readonly InventoryDelta[];
  readonly received: readonly InventoryDelta[];
  /** Dollars of all it received less all it sent, gas not included; the sum of figures rounded to cents. */
  readonly net_usd: Money;
  /** Positions it owns that changed. */
  readonly positions: readonly PositionEffect[];
  /** Allowances it gave, and those it was given. */
  readonly granted: readonly Allowance[];
  readonly obtained: readonly Allowance[];
  /** Acts it took part in, with its roles in each. */
  readonly acts: readonly { readonly motif: Motif; readonly roles: readonly string[] }[];
  /** Whether it paid the transaction's fee. */
  readonly paid_fee: boolean;
}

/**
 * A report as one of its accounts sees it: assets sent and received, allowances, changed positions.
 * The address may be of any case. Null where the report does not have the account.
 */
export function seenBy(report: TxReport, address: string): Side | null {
  const wanted = address.toLowerCase();
  const is = (other: string | null): boolean => other !== null && other.toLowerCase() === wanted;
  const deltas = report.inventory_deltas.filter(({ subject }) => is(subject));
  const positions = report.position_effects.filter(({ owner }) => is(owner));
  const allowances = report.allowances ?? [];
  const acts = report.motifs.flatMap((motif) => {
    const roles = motif.participants.filter(({ account }) => is(account)).map(({ role }) => role);
    return roles.length > 0 ? [{ motif, roles }] : [];
  });
  const granted = allowances.filter(({ owner }) => is(owner));
  const obtained = allowances.filter(({ spender }) => is(spender));
  const named = [
    ...deltas.map(({ subject }) => subject),
    ...positions.map(({ owner }) => owner),
    report.tx.signer,
    report.tx.to,
    report.classification.actor,
    ...allowances.flatMap(({ owner, spender }) => [owner, spender]),
    ...acts.flatMap(({ motif }) => motif.participants.map((one) => one.account)),
  ];
  const account = named.find(is);
  if (account === undefined || account === null) return null;
  return {
    account,
    name: report.accounts?.[account]?.name ?? null,
    sent: deltas.filter(({ delta_raw }) => delta_raw.startsWith('-')),
    received: deltas.filter(({ delta_raw }) => !delta_raw.startsWith('-') && delta_raw !== '0'),
    net_usd: netOf(deltas),
    positions,
    granted,
    obtained,
    acts,
    paid_fee: is(report.attribution.fee_payer),
  };
}

function netOf(deltas: readonly InventoryDelta[]): Money {
  const moved = deltas.filter(({ delta_raw }) => delta_raw !== '0');
  // Away from its entry, the reason has to name the asset.
  for (const { usd, asset } of moved)
    if (!usd.available) return { ...usd, reason: usd.reason.replace('asset (', `asset: ${asset.id} (`) };
  const [whole, cents = ''] = sumExact(moved.map(({ usd }) => usd.text.slice(1))).split('.');
  return { text: `$${whole}.${cents.padEnd(2, '0')}`, available: true };
}
