import { isSwap } from '../lib/motifKinds.ts';
import { mergeNative, NATIVE_ASSET } from './asset.ts';
import { balances, isDust, type Balance, type BalanceOptions } from './balances.ts';
import { amountsMoved } from './sides.ts';
import { builderPayments, isToSubmitter } from './parties/execution.ts';
import type { Attribution } from '../model/attribution.ts';
import type { BlockHeader } from '../model/canonicalTx.ts';
import type { Address } from '../model/hex.ts';
import type { Scene, SideAmount } from '../model/scene.ts';
import type { Movement } from '../model/valueFlow.ts';

export interface ExchangeInput extends Omit<Scene, 'rulebook'> {
  /** Left out: payments to the block builder count as any other. */
  readonly header?: Pick<BlockHeader, 'coinbase'>;
}

/** Assets that accounts taken as one gave and got, without dust. */
export interface Exchange {
  /** Indexes of movements by which they paid the block builder, other than by calling it. */
  readonly tips: ReadonlySet<number>;
  /** Indexes of movements that only pay for execution: prefunds, charges, repaid submitters, tips. */
  readonly fees: ReadonlySet<number>;
  /** Without these fees, native and wrapped native as one. */
  readonly balances: readonly Balance[];
  /** As `balances`, native and wrapped native apart. */
  readonly unmerged: () => readonly Balance[];
}

/**
 * Assets that a group of accounts gave and got, payments for execution aside. Prefunds and charges are always
 * left out; repayments of submitter and builder where anything else was done.
 */
export function gaveAndGot(
  input: ExchangeInput,
  group: ReadonlySet<Address>,
  payments: Attribution['payments'],
): Exchange {
  const { flow } = input;
  const tips = tipsOf(input, group);
  const always = new Set([...payments].flatMap(([index, why]) => (isToSubmitter(why) ? [] : index)));
  const data = dataInValue(input);
  if (data !== undefined) always.add(data.index);
  const without = (fees: ReadonlySet<number>, apart: boolean): readonly Balance[] => {
    const all = balances(flow, group, { apart, exclude: exclusionOf(fees) });
    return [...all.values()].filter((one) => !isDust(one) || isPrice(one, input));
  };
  const exchange = (fees: ReadonlySet<number>): Exchange => ({
    tips,
    fees,
    balances: without(fees, false),
    unmerged: () => without(fees, true),
  });
  const besides = [...payments.keys(), ...tips].filter((index) => !always.has(index));
  const all = besides.length === 0 ? null : exchange(new Set([...always, ...besides]));
  // An account that pays only its submitter or the builder means to pay it.
  return all && all.balances.length > 0 ? all : exchange(always);
}

/** However little it is: a swap took exactly that, and the rest of the payment came back. */
function isPrice({ id, net }: Balance, { motifs, flow }: ExchangeInput): boolean {
  const takes = ({ asset, delta }: SideAmount): boolean => delta === net && mergeNative(asset, flow) === id;
  return net < 0n && motifs.some((act) => isSwap(act) && amountsMoved(act, true).some(takes));
}

/** Leaves out these movements; none: an account's plain balances are known already. */
export function exclusionOf(fees: ReadonlySet<number>): BalanceOptions['exclude'] {
  return fees.size === 0 ? undefined : ({ index }) => fees.has(index);
}

function tipsOf({ tx, flow, header }: ExchangeInput, group: ReadonlySet<Address>) {
  const builder = header?.coinbase;
  if (!builder || builder === tx.to) return new Set<number>();
  return builderPayments(flow, group, builder);
}

/** Less than this many wei sent along with a trade's call are data: bots pack arguments into the value. */
const LEAST_VALUE = 10n ** 9n;

function dataInValue({ tx, flow, motifs }: ExchangeInput): Movement | undefined {
  if (tx.value === 0n || tx.value >= LEAST_VALUE) return undefined;
  if (!motifs.some(isSwap)) return undefined;
  return flow.movements.find(
    ({ from, to, asset, amount }) =>
      from === tx.from && to === tx.to && asset === NATIVE_ASSET && amount === tx.value,
  );
}
