import { NATIVE_ASSET } from '../../value/asset.ts';
import type { TxReport } from '../../model/generated/report.ts';
import type { Word } from './ledgerFormat.ts';

/** Why an amount came or went; formats have words of their own for these. */
export type Purpose = Exclude<Word, 'cost' | 'swap' | 'other'>;

/** The purpose of assets that go out and come in, and the reward among receipts, by asset id. */
export interface Purposes {
  readonly out: ReadonlyMap<string, Purpose>;
  readonly in: ReadonlyMap<string, Purpose>;
  readonly rewards: ReadonlyMap<string, bigint>;
}

/** By category of the position: assets put in, and assets taken out. */
const PURPOSES: Readonly<Record<string, readonly [out: Purpose, into: Purpose]>> = {
  lending_debt: ['repayment', 'loan'],
  stake: ['stake', 'unstake'],
  lending_supply: ['deposit', 'take_back'],
  vault: ['deposit', 'take_back'],
  order: ['deposit', 'take_back'],
  withdrawal_request: ['deposit', 'take_back'],
  liquidity: ['pool', 'pool'],
  bridge_claim: ['bridge', 'bridge'],
};
/** Parts of a position that were earned, not put in before. */
const EARNED: ReadonlySet<string> = new Set(['reward', 'interest']);

export function purposesOf(report: TxReport, accounts: ReadonlySet<string>): Purposes {
  const { position_effects: effects, inventory_deltas: deltas, movements = [] } = report;
  const wrapped = new Set(
    movements.flatMap(({ kind, asset_id: id }) => (kind === 'wrap' || kind === 'unwrap' ? id : [])),
  );
  const found = {
    out: new Map<string, Purpose>(),
    in: new Map<string, Purpose>(),
    rewards: claimed(report, accounts),
  };
  for (const effect of effects.filter(({ owner }) => accounts.has(owner))) {
    const { owner, category, underlying } = effect;
    for (const id of receiptsPaid(effect, effects)) found.out.set(id, 'repayment');
    for (const { asset, role, delta_raw } of underlying) {
      const raw = BigInt(delta_raw);
      // Wrapped on the way by any contract, the owner gave or got ether.
      const isOwn = deltas.some(
        ({ subject, asset: changed }) => subject === owner && changed.id === asset.id,
      );
      const id = !isOwn && wrapped.has(asset.id) ? NATIVE_ASSET : asset.id;
      if (EARNED.has(role)) {
        found.rewards.set(id, (found.rewards.get(id) ?? 0n) + (raw < 0n ? -raw : raw));
        continue;
      }
      const [out, into] = PURPOSES[category] ?? [];
      if (out && !found.out.has(id)) found.out.set(id, out);
      if (into && !found.in.has(id)) found.in.set(id, into);
    }
  }
  return found;
}

/** Rewards by asset of acts that changed no position. */
function claimed({ motifs, position_effects: effects }: TxReport, accounts: ReadonlySet<string>) {
  const told = new Set(effects.flatMap(({ motif_ids: ids }) => ids));
  const rewards = new Map<string, bigint>();
  const acts = motifs.filter(
    ({ id, participants }) => !told.has(id) && participants.some(({ account }) => accounts.has(account)),
  );
  for (const { asset, role, amount_raw: raw } of acts.flatMap(({ assets_in: received }) => received))
    if (EARNED.has(role)) rewards.set(asset.id, (rewards.get(asset.id) ?? 0n) + BigInt(raw));
  return rewards;
}

type Effects = TxReport['position_effects'];

/** Receipts of the same market that paid a debt. */
function receiptsPaid({ category, underlying, motif_ids: ids }: Effects[number], all: Effects): string[] {
  if (category !== 'lending_debt' || underlying.length > 0) return [];
  return all
    .filter(({ motif_ids: same }) => same.some((id) => ids.includes(id)))
    .flatMap(({ position_asset: paid }) => paid?.id ?? []);
}
