import { isSwap } from '../../lib/motifKinds.ts';
import { only } from '../../lib/lists.ts';
import { ZERO_ADDRESS } from '../../evm/hex.ts';
import { lazy } from '../../lib/lazy.ts';
import { memoizeFor } from '../../lib/memo.ts';
import { roleOf } from '../../lib/roles.ts';
import { sumOf } from '../../value/amount.ts';
import { mergeNative, NATIVE, NATIVE_ASSET } from '../../value/asset.ts';
import { balances } from '../../value/balances.ts';
import { makesOwnCalls } from '../../value/signed.ts';
import { isListedAddress } from '../../value/tokenCall.ts';
import { FEE_DIVISOR, tokensOf } from '../../value/parties.ts';
import { amountsOf } from '../../value/sides.ts';
import {
  actAmounts,
  gainsOf,
  isTrade,
  netOf,
  paidTo,
  statedBy,
  sumsOf,
  totals,
  type ActAmount,
  type ActFee,
} from './actAmounts.ts';
import type { LabelFormat } from '../../value/labelFormat.ts';
import type { SubjectView } from './facts/subjectView.ts';
import type { Address } from '../../model/hex.ts';
import type { Motif } from '../../model/motif.ts';
import type { AssetId } from '../../model/valueFlow.ts';

/** A part of the actor's payment that no pool took, or of the pools' payment that the actor did not get. */
export interface Kept extends ActAmount {
  readonly side: 'sent' | 'received';
  /** Of this amount. */
  readonly of: bigint;
  /** The amount that the token's own transfers took. */
  readonly tax: bigint;
  /** The account that has the rest, where it is one. */
  readonly holder: Address | null;
  /** The block builder has it, or only listed contracts were called and it is small enough for a fee. */
  readonly share: 'tip' | 'fee' | null;
}

/** The acts that a verdict rests on, and the amounts that `leftOpen` finds beside them. */
export interface Acts {
  readonly motifs: readonly Motif[];
  readonly open: () => readonly ActFee[];
}

/** Empty where the acts are more than swaps, or pools took more than the actor gave: they served others. */
export const keptOf = memoizeFor((motifs: readonly Motif[], view: SubjectView): readonly Kept[] => {
  if (!isTrade(motifs)) return [];
  const kept: Kept[] = [];
  for (const side of ['sent', 'received'] as const) {
    const acts = gainsOf(view, motifs, side);
    for (const { id, asset, amount } of actAmounts(motifs, view)[side]) {
      const act = acts.find((one) => one.id === id)?.amount ?? 0n;
      const [of, rest] = side === 'sent' ? [amount, amount - act] : [act, act - amount];
      // Less is rounding.
      if (rest * 1_000_000n < -of && side === 'sent') return [];
      if (act === 0n || rest * 1_000_000n <= of) continue;
      const part = { id, amount: rest, of };
      const taken = takenBy(view, part) ?? tradedOn(view, motifs, part);
      if (!taken) continue;
      kept.push({ ...part, asset, side, ...taken, share: shareOf(view, { ...part, ...taken }) });
    }
  }
  return kept;
});

/** Whether an account took it that is no listed router. */
export const isUnlisted = ({ amount, tax, share }: Kept): boolean => amount > tax && share !== 'fee';

/**
 * Amounts that the actor gave beside these acts and the label leaves out, and those that the label states and
 * neither the actor nor another act of its own got.
 */
export function leftOpen(view: SubjectView, motifs: readonly Motif[], label: string): ActFee[] {
  const kinds = motifs.map((motif) => motif.traits);
  if (kinds.length === 0 || kinds.some(({ plain }) => plain) || isTrade(motifs)) return [];
  const acts = lazy(() => {
    const given = new Set(motifs.flatMap((motif) => [...view.assetsMoved(motif, true)]));
    const feeds = (motif: Motif): boolean => [...view.assetsMoved(motif, false)].every((id) => given.has(id));
    return view.own.filter((one) => isOwnAct(view, one) || (isSwap(one) && feeds(one)));
  });
  const tookBy = (some: readonly Motif[]): ReadonlyMap<AssetId, ActAmount> =>
    totals(view, [...new Set([...motifs, ...some])], ({ gave }) => gave);
  const took = lazy(() => tookBy(acts().filter(({ status }) => status === 'Proven')));
  const perhaps = lazy(() => tookBy(acts()));
  const tookOf = (id: AssetId): bigint => took().get(id)?.amount ?? 0n;
  const stated = statedBy(view, motifs, label).filter(({ side }) => side === 'sent');
  const shown = new Map(stated.map(({ asset, amount }) => [asset, amount]));
  const reached = new Map(view.received.map(({ id, net }) => [id, net]));
  const held = lazy(() => mostAtUnlisted(view));
  const paid = view.sent.flatMap((balance): ActFee[] => {
    const one = netOf(balance);
    const part = shown.get(one.id) ?? 0n;
    if (isDust(one.amount - part, one.amount)) return [];
    const taken = tookOf(one.id);
    const rest = one.amount - (part > taken ? part : taken);
    // A token that was burnt is no payment, and listed contracts charge fees.
    if (isDust(rest, one.amount) || balance.outgoing.every((m) => view.isBurn(m))) return [];
    if (isDust(held().get(one.id) ?? 0n, one.amount)) return [];
    // A payment to an account without code, or into an act that is not proven, has its own fragment.
    const isPlain = !balance.outgoing.some(({ to }) => view.codeAccounts.has(to));
    const isClear = !isPlain && perhaps().get(one.id)?.amount === took().get(one.id)?.amount;
    return [{ ...one, amount: rest, side: isClear ? 'paid' : 'short' }];
  });
  const got = label.includes('{got}') ? actAmounts(motifs, view).received : [];
  const short = got.flatMap((one): ActFee[] => {
    const missing = one.amount - (reached.get(one.id) ?? 0n);
    const rest = isDust(missing, one.amount) ? 0n : missing - tookOf(one.id);
    return isDust(rest, one.amount) ? [] : [{ ...one, amount: rest, side: 'short' }];
  });
  return short.length > 0 && paidTo(view, motifs) === null ? [...paid, ...short] : paid;
}

const isDust = (part: bigint, of: bigint): boolean => part * 1_000n <= of;

/** Whether the called contract has no part in the acts and kept more than a fee of the actor's payment. */
export function isOverpaid({ tx, flow, entity, sent }: SubjectView, motifs: readonly Motif[]): boolean {
  const isPart = ({ venue, participants }: Motif): boolean =>
    venue === tx.to || participants.some(({ role, account }) => role !== 'payer' && account === tx.to);
  if (tx.to === null || entity.has(tx.to) || motifs.length === 0 || motifs.some(isPart)) return false;
  const own = balances(flow, tx.to);
  return sent.some(({ id, net }) => (own.get(id)?.net ?? 0n) * FEE_DIVISOR > -net);
}

/** The most of each asset that one unlisted account ended with, native and wrapped native as one. */
function mostAtUnlisted({ flow, entity, input: { rulebook } }: SubjectView): ReadonlyMap<AssetId, bigint> {
  const most = new Map<AssetId, bigint>();
  for (const account of flow.incoming.keys()) {
    if (entity.has(account) || isListedAddress(account, rulebook)) continue;
    for (const [id, { net }] of balances(flow, account)) if (net > (most.get(id) ?? 0n)) most.set(id, net);
  }
  return most;
}

type Part = Pick<Kept, 'id' | 'amount' | 'of'>;
type Taken = Pick<Kept, 'tax' | 'holder'>;

/** Null where no account has it. */
function takenBy(view: SubjectView, { id, amount, of }: Part): Taken | null {
  const { flow } = view;
  const taxes = flow.movements.filter(
    ({ index, asset, from, to, evidence }) =>
      view.mergedAsset(asset) === id &&
      // Traces of value alone show no calls: a payment to the token itself counts as its tax.
      (flow.taxes.has(index) || (to === evidence.contract && from !== ZERO_ADDRESS && id !== NATIVE_ASSET)) &&
      !view.entity.has(to) &&
      !view.venues.has(to),
  );
  const [taxed, taxers] = [sumOf(taxes), new Set(taxes.map(({ to }) => to))];
  const surpluses = [...surplusesOf(view, id)].filter(
    // Less is rounding.
    ([account, surplus]) => !taxers.has(account) && surplus * 1_000_000n > of,
  );
  if (taxes.length === 0 && surpluses.length === 0) return null;
  const tax = taxed > amount || surpluses.length === 0 ? amount : taxed;
  const exact = surpluses.find(([, surplus]) => surplus === amount - tax);
  const holders = (exact ? [exact] : surpluses).map(([account]) => account);
  return { tax, holder: only(holders) };
}

function shareOf(view: SubjectView, { amount, of, tax, holder }: Part & Taken): Kept['share'] {
  if (holder === view.input.header?.coinbase) return 'tip';
  return (amount - tax) * FEE_DIVISOR <= of && callsListed(view) ? 'fee' : null;
}

/** It went into acts for others; null where the actor's own acts besides took all of it. */
function tradedOn(view: SubjectView, motifs: readonly Motif[], { id, amount }: Part): Taken | null {
  const own = view.own.filter((one) => !motifs.includes(one) && isOwnAct(view, one));
  return (sumsOf(view, own, 'sent').get(id)?.amount ?? 0n) >= amount ? null : { tax: 0n, holder: null };
}

/** An act on a position of the actor, or a trade for it. */
function isOwnAct(view: SubjectView, motif: Motif): boolean {
  const has = (role: string): boolean => view.entity.has(roleOf(motif, role)!);
  if (motif.traits.position !== null) return has('owner');
  return isTrade([motif]) && has('recipient');
}

/**
 * Whether the actor's accounts, or the signer where these called nothing, called only listed contracts, none
 * that makes any call; tokens aside.
 */
export const callsListed = memoizeFor((view: SubjectView, _: void): boolean => {
  const { tx, flow, entity, input } = view;
  const tokens = tokensOf(flow);
  const called = tx.frames.filter(
    ({ type, effective, static: reads, from, to }) =>
      type === 'CALL' && effective && !reads && entity.has(from) && !entity.has(to!) && !tokens.has(to),
  );
  return (called.length > 0 ? called : tx.frames.slice(0, 1)).every(({ to }) =>
    makesOwnCalls(input.rulebook, to!),
  );
});

/** The surplus of other accounts: more of the asset than their swaps and the actor's positions explain. */
function* surplusesOf(view: SubjectView, id: AssetId): Generator<[Address, bigint]> {
  const { flow, entity, swaps } = view;
  const whole = new Set(swaps.map(({ parent }) => parent));
  const positions = view.own.filter((act) => act.parent === null && act.traits.position !== null);
  const traded = new Map<Address, bigint>();
  for (const act of [...swaps.filter(({ index }) => !whole.has(index)), ...positions])
    for (const { asset, delta } of amountsOf(act))
      if (mergeNative(asset, flow) === id) traded.set(act.venue, (traded.get(act.venue) ?? 0n) - delta);
  const aside = new Set([ZERO_ADDRESS, ...entity, ...flow.wrappedNative]);
  for (const account of flow.incoming.keys()) {
    if (aside.has(account)) continue;
    const own = balances(flow, account).get(id);
    if (own) yield [account, own.net - (traded.get(account) ?? 0n)];
  }
}

/** ` (3 % token tax), after a fee of 0.01 ETH`; a brief text has fees in percent, the briefest none. */
export function keptText(kept: readonly Kept[], brevity: number, format: LabelFormat): string {
  const taxes = kept.filter(({ tax }) => tax > 0n).map(({ tax, of }) => percent(tax, of));
  const taxed = `(${taxes.join(' and ')} token ${taxes.length === 1 ? 'tax' : 'taxes'})`;
  const stated = kept.filter(({ amount, tax }) => amount !== tax);
  const clauses = stated.flatMap(({ asset, amount, of, tax, side, share, holder }) => {
    const [exact, least] = share ? [1, 1] : [2, 3];
    if (brevity > least && (amount - tax) * 1_000n < of) return [];
    const text = (brevity > exact ? null : format.amount(asset, amount - tax)) ?? percent(amount - tax, of);
    const who = holder === null ? 'others' : format.account(holder);
    if (brevity > 4) return share ? [] : `${text} ${side === 'sent' ? 'before' : 'after'}`;
    if (!share) return side === 'sent' ? `, of which ${who} kept ${text}` : `, after ${who} kept ${text}`;
    if (brevity > 2) return [];
    if (side === 'received') return `, after a ${share} of ${text}`;
    return `, ${text} of it ${share === 'tip' ? 'as a tip' : 'in fees'}`;
  });
  if (brevity > 4) return clauses.length > 0 ? `, others kept ${clauses.join(' and ')}` : '';
  return [brevity > 1 || taxes.length === 0 ? '' : ` ${taxed}`, ...clauses].join('');
}

/** In hundredths of a percent: `0.25 %`. */
function percent(part: bigint, of: bigint): string {
  const shown = Number((part * 20_000n + of) / (2n * of)) / 100;
  return shown === 0 ? '<0.01 %' : `${shown} %`;
}

/** The acts' amounts, with a tip that left the wallet as one sum with them. */
export function shownAmounts(
  view: SubjectView,
  motifs: readonly Motif[],
  side: 'sent' | 'received',
): readonly ActAmount[] {
  const [stated, tip] = [actAmounts(motifs, view)[side], tipOf(motifs, view)];
  if (tip.of !== side) return stated;
  const beside = side === 'sent' ? tip.amount : -tip.amount;
  return stated.map((one) => (one.id === NATIVE_ASSET ? { ...one, amount: one.amount + beside } : one));
}

/** Ether paid to the block builder, and the side of a trade with which it left the wallet as one sum. */
const tipOf = memoizeFor((motifs: readonly Motif[], view: SubjectView): Tip => {
  const { exchange, flow } = view;
  const paid = [...exchange.tips].filter((index) => exchange.fees.has(index));
  const amount = sumOf(
    paid.map((index) => flow.movements[index]!).filter(({ asset }) => asset === NATIVE_ASSET),
  );
  if (amount === 0n || !isTrade(motifs)) return { amount, of: null };
  // Without the tip, ether that was unwrapped for it is left over.
  const isUnwrapped = exchange.unmerged().some(({ id, net }) => id === NATIVE_ASSET && net === amount);
  const holds = ({ id, asset }: ActAmount): boolean =>
    id === NATIVE_ASSET && (isUnwrapped || asset.id === NATIVE_ASSET);
  if (actAmounts(motifs, view).sent.some(holds)) return { amount, of: 'sent' };
  const isLess = actAmounts(motifs, view).received.some((one) => holds(one) && one.amount > amount);
  return { amount, of: isLess ? 'received' : null };
});
type Tip = Pick<Kept, 'amount'> & { readonly of: Kept['side'] | null };

/** `, tipping 0.03 ETH`: a payment to the block builder, apart from the act or a part of its amount. */
export function tipText(view: SubjectView, motifs: readonly Motif[], format: LabelFormat): string {
  const { amount, of } = tipOf(motifs, view);
  const text = amount > 0n ? format.amount(NATIVE, amount) : null;
  if (text === null) return '';
  if (of === null) return `, tipping ${text}`;
  return of === 'sent' ? `, ${text} of it as a tip` : `, after a tip of ${text}`;
}
