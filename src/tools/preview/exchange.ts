import { kindOf } from '../../lib/motifKinds.ts';
import { distance } from '../../value/amount.ts';
import { balances, type Balance } from '../../value/balances.ts';
import { isListedAddress } from '../../value/tokenCall.ts';
import { amountText, labelFormat } from '../../value/labelFormat.ts';
import { addUsd, compareUsd, worthTogether } from '../../value/money.ts';
import type { Analysis } from '../../analyze.ts';
import type { PositionEffect, TxReport } from '../../model/generated/report.ts';
import type { Address } from '../../model/hex.ts';
import type { SignedMeaning } from '../../model/simulation.ts';

type Change = Pick<Balance, 'id' | 'asset' | 'net'>;

export type Exchange = Readonly<ReturnType<typeof exchangeOf>>;

/**
 * Assets that leave the signer's side; a text about them where too little of a value from elsewhere comes
 * back; and the headline with all that leaves. `own`: the accounts of that side. `offered`: assets that a
 * signature lets others exchange.
 */
export function exchangeOf(
  analysis: Analysis,
  report: TxReport,
  { own, offered = [] }: { readonly own: ReadonlySet<Address>; readonly offered?: SignedMeaning['moves'] },
) {
  const { flow, context, rulebook } = analysis;
  const format = labelFormat(context.tokens, rulebook);
  const textOf = ({ asset, net }: Change) => amountText({ asset, amount: distance(net, 0n) }, format);
  const textsOf = (some: readonly Change[]): string => some.map(textOf).join(' and ');
  const net = [
    ...balances(flow, own, { apart: true }).values(),
    ...offered.map(({ asset, net: amount }) => ({ id: asset.id, asset, net: amount })),
  ];
  const sent = net.filter((one) => one.net < 0n);
  const received = net.filter((one) => one.net > 0n);
  const traded = tradedAt(report, analysis);
  const valued = received.filter(
    ({ id, asset: { address, kind } }) =>
      address === null || isListedAddress(address, rulebook) || (kind === 'erc20' && traded.has(id)),
  );
  const { classification, position_effects: positions } = report;
  const booked = positions.some((one) => own.has(one.owner.toLowerCase() as Address) && isOwed(one));
  const isFair = booked || sent.length === 0 || (valued.length > 0 && !isDust(valued, sent, analysis));
  const lossText = (): string => {
    const back = valued.length > 0 ? `only ${textsOf(valued)}` : 'nothing';
    const others = received.length > valued.length ? ' but a token nobody else speaks for' : '';
    return `${textsOf(sent)} ${sent.length > 1 ? 'leave' : 'leaves'} and ${back} comes back${others}`;
  };
  const forNothing = isFair ? null : lossText();
  if (offered.length > 0)
    return { sent, forNothing, label: `Offer ${textsOf(sent)} for ${textsOf(received) || 'nothing'}` };
  const label = classification.intent_label;
  const held = new Set(positions.map(({ position_asset: asset }) => asset?.id));
  // Receipts of a position are its act; wrapped ether is called ether.
  const isKnown = ({ id, asset }: Change): boolean =>
    held.has(id) || rulebook.wrappedNative.has(asset.address ?? '0x') || label.includes(format.asset(asset));
  const unsaid = sent.filter((one) => !label.includes(textOf(one)) && !(isFair && isKnown(one)));
  const whole = unsaid.length === 0 ? label : `${label}, sending ${textsOf(unsaid)}`;
  return { sent, forNothing, label: whole };
}

/** Assets that a listed pool gave or took, by the movements. */
function tradedAt({ motifs }: TxReport, { rulebook }: Analysis): ReadonlySet<string> {
  const swaps = motifs.filter(
    ({ kind, protocol, status }) =>
      status === 'Proven' &&
      (protocol?.matched_by ?? 'family') !== 'family' &&
      kindOf(rulebook, kind).trade === 'swap',
  );
  return new Set(swaps.flatMap((one) => [...one.assets_in, ...one.assets_out].map(({ asset }) => asset.id)));
}

/** A listed venue owes more to its owner afterwards, or its owner owes less. */
function isOwed({ protocol, category, effect }: PositionEffect): boolean {
  if (protocol === null || protocol.matched_by === 'family') return false;
  return (effect === 'open' || effect === 'increase') !== (category === 'lending_debt');
}

/** Returns worth less than half of the assets that leave, where both have a price. */
function isDust(valued: readonly Change[], sent: readonly Change[], { economics }: Analysis): boolean {
  const amountsOf = (some: readonly Change[]) => some.map(({ id, net }) => [id, distance(net, 0n)] as const);
  const worthOf = (some: readonly Change[]) => worthTogether(amountsOf(some), economics.book).usd;
  const [got, paid] = [worthOf(valued), worthOf(sent)];
  return got !== null && paid !== null && compareUsd(addUsd(got, got), paid) < 0;
}
