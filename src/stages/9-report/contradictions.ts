/**
 * Whether statements that a proven verdict rests on agree. Only its proven acts and the accounts in them are
 * compared: additions of others to a transaction make no report contradict itself.
 */
import { isSwap } from '../../lib/motifKinds.ts';
import { distance } from '../../value/amount.ts';
import { mergeNative, parseAssetId } from '../../value/asset.ts';
import { gaveAndGot } from '../../value/exchange.ts';
import { shortAddress } from '../../evm/address.ts';
import { amountText } from '../../value/labelFormat.ts';
import { formatOf } from './caveats.ts';
import type { PositionChange } from '../../model/economics.ts';
import type { Address } from '../../model/hex.ts';
import type { StatedAmount } from '../../model/intent.ts';
import type { Allowance } from '../../model/valueFlow.ts';
import type { ReportInput } from './buildReport.ts';

type AuditInput = Omit<ReportInput, 'counts' | 'engineVersion'>;
type Of = Pick<StatedAmount, 'asset'>;
type Positions = readonly PositionChange[];
type Compared = readonly [stated: StatedAmount, found: readonly bigint[]];

/** Amounts that differ by less than this part of them are equal but for rounding. */
const ROUNDING_PARTS = 50_000n;

/** The report's input, its verdict Suspected where two statements disagree. */
export function audited<T extends AuditInput>(input: T): T {
  const { verdict, economics, attribution } = input;
  if (verdict.status !== 'Proven') return input;
  const group = new Set([attribution.actor ?? attribution.signer, ...attribution.entity]);
  const supporting = economics.positions.filter(
    ({ motif }) => motif.status === 'Proven' && verdict.motifs.includes(motif.index),
  );
  const owners = group.has(verdict.owner!) ? group : new Set([verdict.owner]);
  const own = supporting.filter(({ owner }) => owners.has(owner));
  const contradiction =
    otherOwner(supporting, own, verdict.owner) ??
    otherHolder(own) ??
    otherAsset(own, input) ??
    [stakesOf(own, input), ...tradeOf(group, input)].map((one) => otherAmount(one, input)).find(Boolean) ??
    otherWay(group, input);
  if (contradiction === null) return input;
  const confidence = verdict.confidence === 'High' ? 'Medium' : verdict.confidence;
  const caveats = [...verdict.caveats, 'contradiction'] as const;
  return { ...input, contradiction, verdict: { ...verdict, status: 'Suspected', confidence, caveats } };
}

function otherOwner([one]: Positions, own: Positions, stated: Address | null): string | null {
  if (stated === null || !one || own.length > 0) return null;
  const [first, second] = [stated, one.owner].map(shortAddress);
  return `The headline is of a position of ${first}, its act of one of ${second}.`;
}

/** A contract that nothing shows to be its payer's has the position in its own name. */
function otherHolder(own: Positions): string | null {
  const one = own.find(({ heldBy }) => heldBy !== null);
  if (!one) return null;
  const [payer, holder] = [one.owner, one.heldBy!].map(shortAddress);
  return `The position is of ${payer} by its payments, and of ${holder} by its venue.`;
}

/** A principal that its owner did not move, where its act moved another asset of the owner. */
function otherAsset(own: Positions, input: AuditInput): string | null {
  const { flow, motifs } = input;
  const merged = ({ asset }: Of) => mergeNative(asset, flow);
  const nameOf = ({ asset }: Of): string => formatOf(input).asset(parseAssetId(asset)!);
  for (const { owner, motifs: acts, position, beside, parts } of own) {
    const principal = parts.find(({ role, delta }) => role === 'principal' && delta !== 0n);
    const known = new Set(parts.map(merged));
    const moved = motifs
      .filter(({ index, parent }) => acts.includes(index) || acts.includes(parent ?? -1))
      .flatMap(({ movements }) => movements.map((index) => flow.movements[index]!))
      .filter((one) => one[principal && principal.delta < 0n ? 'from' : 'to'] === owner)
      .filter(({ asset }) => asset !== position && !beside.some((one) => one.asset === asset));
    if (!principal || moved.length === 0 || moved.some((one) => known.has(merged(one)))) continue;
    return `The position is told in ${nameOf(principal)}, its owner moved ${nameOf(moved[0]!)}.`;
  }
  return null;
}

/** Amounts of the headline beside those of the positions it is about: one by one, and together. */
function stakesOf(own: Positions, { verdict, flow }: AuditInput): Compared[] {
  const parts = own.flatMap((one) => one.parts);
  const sum = (some: typeof parts): bigint => some.reduce((all, { delta }) => all + delta, 0n);
  return verdict.stated.map((stated) => {
    const all = parts
      .filter(({ asset }) => mergeNative(asset, flow) === stated.asset)
      .filter(({ delta }) => delta < 0n === (stated.side === 'sent'));
    const groups = [all, all.filter(({ role }) => role === 'principal'), ...all.map((one) => [one])];
    return [stated, all.length === 0 ? [] : groups.map((some) => distance(sum(some), 0n))];
  });
}

/** Each amount of a trade with the actor's, where one asset left or reached it beside payments. */
function tradeOf(group: ReadonlySet<Address>, input: AuditInput): Compared[][] {
  const { verdict, motifs, attribution } = input;
  if (!verdict.motifs.every((index) => isSwap(motifs[index]!))) return [];
  const payments = new Map([...attribution.payments, ...paymentsBeside(group, input)]);
  const { balances } = gaveAndGot(input, group, payments);
  return verdict.stated.map((stated) => {
    const side = balances.filter(({ net }) => (stated.side === 'sent' ? net < 0n : net > 0n));
    const isAlone = side.length === 1 && side[0]!.id === stated.asset;
    return [[stated, isAlone ? [distance(side[0]!.net, 0n)] : []]];
  });
}

/** Plain payments that an account made in the same batch or request. */
function paymentsBeside(group: ReadonlySet<Address>, { flow, motifs, attribution }: AuditInput) {
  const plain = attribution.mode === 'self' ? [] : motifs.filter(({ traits }) => traits.plain);
  const paid = plain.flatMap(({ parent, movements }) => (parent === null ? movements : []));
  return paid.filter((m) => group.has(flow.movements[m]!.from)).map((m) => [m, 'compensation'] as const);
}

/** Null where one of the amounts that can be compared agrees, or none can be. */
function otherAmount(all: readonly Compared[], input: AuditInput): string | null {
  const compared = all.filter(([, found]) => found.length > 0);
  const [first] = compared;
  const agrees = ([{ amount }, found]: Compared): boolean =>
    found.some((one) => distance(one, amount) * ROUNDING_PARTS <= amount);
  if (!first || compared.some(agrees)) return null;
  const asset = parseAssetId(first[0].asset)!;
  const text = (amount: bigint): string => amountText({ asset, amount }, formatOf(input));
  return `The headline states ${text(first[0].amount)}, what moved is ${text(first[1][0]!)}.`;
}

/** `before`: the allowance before, where this transaction shows it. */
function contradicts(kind: Allowance['kind'], amount: bigint, before = -1n): boolean {
  if (kind === 'revoked') return amount > 0n;
  if (kind === 'granted' || before < 0n) return false;
  return kind === 'decreased' ? amount >= before : amount <= before;
}

/** An allowance that the actor asked for and that went the other way than the report says. */
function otherWay(group: ReadonlySet<Address>, input: AuditInput): string | null {
  const { flow, suspects, verdict, motifs } = input;
  if (!verdict.motifs.some((index) => motifs[index]!.traits.allowance)) return null;
  const last = new Map<string, bigint>();
  for (const { token, tokenId, owner, spender, kind, amount, evidence } of flow.allowances) {
    if (!group.has(owner) || amount === null || suspects?.allowances.has(evidence.log!)) continue;
    const before = last.get(`${token} ${tokenId} ${owner} ${spender}`);
    last.set(`${token} ${tokenId} ${owner} ${spender}`, amount);
    if (contradicts(kind, amount, before))
      return `An allowance is told as ${kind}, and went from ${before ?? 'more'} to ${amount}.`;
  }
  return null;
}
