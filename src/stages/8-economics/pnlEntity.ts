import { servingTag, kindOf } from '../../lib/motifKinds.ts';
import { venuesOf } from '../../value/parties.ts';
import { mergeNative, NATIVE_ASSET } from '../../value/asset.ts';
import { balances, sidesOf } from '../../value/balances.ts';
import { ZERO_ADDRESS } from '../../evm/hex.ts';
import type { Attribution } from '../../model/attribution.ts';
import type { BlockHeader, CanonicalTx } from '../../model/canonicalTx.ts';
import type { Address } from '../../model/hex.ts';
import type { Motif } from '../../model/motif.ts';
import type { Rulebook } from '../../model/rulebook.ts';
import type { ValueFlow } from '../../model/valueFlow.ts';
import type { ClosedFlow } from './closedFlow.ts';

export interface EntityInput {
  readonly tx: CanonicalTx;
  readonly flow: ValueFlow;
  readonly header: BlockHeader;
  readonly attribution: Attribution;
  readonly motifs: readonly Motif[];
  readonly rulebook: Pick<Rulebook, 'wrappedNative' | 'motifKinds' | 'entities'>;
}

/**
 * The accounts that share the result of a closed flow, actor first: the actor, the signer
 * where it acts for itself, the contract it called, the one contract that traded where none of these did,
 * and contracts they called that paid the block builder. Contracts that serve everybody and venues are
 * never among them. Empty without an actor.
 */
export function pnlEntity(closed: ClosedFlow, input: EntityInput): ReadonlySet<Address> {
  const { attribution, tx, flow, header } = input;
  const { actor, entity, signer } = attribution;
  if (actor === null) return new Set();
  const group = new Set([actor, ...entity]);
  const venues = venuesOf(input.motifs, input.rulebook);
  const isOwn = (account: Address): boolean => !venues.has(account) && isPrivate(account, input);
  if (group.has(signer)) {
    if (tx.to !== null && isOwn(tx.to)) group.add(tx.to);
    group.add(signer);
  }
  const traders = tradersOf(closed, flow, venues);
  if (![...group].some((account) => traders.has(account))) {
    const [trader, ...others] = calledBy(group, traders, tx).filter(isOwn);
    if (trader && others.length === 0) group.add(trader);
  }
  for (const payer of calledBy(group, payersOf(header.coinbase, flow), tx))
    if (isOwn(payer)) group.add(payer);
  return group;
}

function payersOf(account: Address, { incoming, movements }: ValueFlow): Set<Address> {
  return new Set((incoming.get(account) ?? []).map((index) => movements[index]!.from));
}

function isPrivate(account: Address, { flow, rulebook, header }: EntityInput): boolean {
  if (account === ZERO_ADDRESS || account === header.coinbase) return false;
  if (rulebook.wrappedNative.has(account) || servingTag(rulebook, account) !== undefined) return false;
  return ![...flow.assets.values()].some(({ address }) => address === account);
}

/** Accounts that paid a venue of the flow or were paid by one. */
function tradersOf(
  { motifs }: ClosedFlow,
  { movements }: ValueFlow,
  venues: ReadonlyMap<Address, Motif>,
): Set<Address> {
  const traders = new Set<Address>();
  for (const motif of motifs)
    for (const index of motif.movements) {
      const { from, to } = movements[index]!;
      if (venues.has(to) && !venues.has(from)) traders.add(from);
      if (venues.has(from) && !venues.has(to)) traders.add(to);
    }
  return traders;
}

/** The accounts of `wanted` outside the group that one of the group called. */
function calledBy(group: ReadonlySet<Address>, wanted: ReadonlySet<Address>, tx: CanonicalTx): Address[] {
  const found = new Set<Address>();
  for (const { effective, static: readOnly, from, to } of tx.frames)
    if (effective && !readOnly && to !== null && wanted.has(to) && group.has(from) && !group.has(to))
      found.add(to);
  return [...found];
}

/**
 * Accounts outside the group, other than venues, fee takers and the block builder, that kept part of its
 * payments or of the flow's proceeds, and gave it nothing.
 */
export function holdersElsewhere(
  group: ReadonlySet<Address>,
  closed: ClosedFlow,
  input: EntityInput,
): Address[] {
  const { flow, motifs, rulebook, attribution } = input;
  // A small payment of ether may be a share of the result; of a token it is the token's own tax.
  const isTax = ({ movements }: Motif): boolean =>
    movements.every((i) => mergeNative(flow.movements[i]!.asset, rulebook.wrappedNative) !== NATIVE_ASSET);
  const takers = motifs.filter(
    (motif) => kindOf(rulebook, motif.kind).fee && (motif.basis !== 'structure' || isTax(motif)),
  );
  const left = new Set<Address | null>([
    ...group,
    ...venuesOf(motifs, rulebook).keys(),
    ...takers.flatMap(({ participants }) => participants.map(({ account }) => account)),
    attribution.signer,
    attribution.entryPoint,
    attribution.paymaster,
  ]);
  // An act says where its movements went: a market keeps its funds in contracts of its own.
  const acts = motifs.filter(({ kind }) => !kindOf(rulebook, kind).plain);
  const spent = new Set(acts.flatMap(({ movements }) => movements));
  const paid = [...group].flatMap((account) =>
    (flow.outgoing.get(account) ?? [])
      .filter((index) => !spent.has(index))
      .map((index) => flow.movements[index]!.to),
  );
  const parents = new Set(closed.motifs.map(({ index }) => index));
  const handed = motifs
    .filter(({ parent }) => parent !== null && parents.has(parent))
    .flatMap(({ participants }) => participants.filter(({ role }) => role === 'recipient'))
    .map(({ account }) => account);
  const keeps = (account: Address): boolean => {
    const own = balances(flow, account, { mergeWrapped: rulebook.wrappedNative, dust: 'drop' });
    const gave = [...own.values()].some(({ outgoing }) => outgoing.some(({ to }) => group.has(to)));
    return !gave && sidesOf(own.values()) === 'received';
  };
  return [...new Set([...paid, ...handed])].filter(
    (account) => !left.has(account) && isPrivate(account, input) && keeps(account),
  );
}
