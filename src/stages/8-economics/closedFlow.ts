import { isCycle, isSwap } from '../../lib/motifKinds.ts';
import { accountsOf, accountsWith, roleOf } from '../../lib/roles.ts';
import { mergeNative, NATIVE_ASSET } from '../../value/asset.ts';
import { isConversion, type Balance } from '../../value/balances.ts';
import { follow } from '../../value/follow.ts';
import { carriersOf, venuesOf } from '../../value/parties.ts';
import { actingAsOne, isPrivate, onlyKeeps, sentBy } from '../../value/parties/entity.ts';
import { movementsOfActs, othersInPools } from '../../value/poolPayments.ts';
import { amountsOf, isShare } from '../../value/sides.ts';
import type { EconomicsInput } from './computeEconomics.ts';
import type { Address } from '../../model/hex.ts';
import type { Motif } from '../../model/motif.ts';
import type { AssetId, Movement } from '../../model/valueFlow.ts';

/** Category of intents that are a closed flow by definition. */
const CLOSED_CATEGORY = 'mev';

type Input = Omit<EconomicsInput, 'context'>;

export interface ClosedFlow {
  /** The motifs it consists of. */
  readonly motifs: readonly Motif[];
  /** By definition of the intent: a result in several assets is then unavailable, not absent. */
  readonly certain: boolean;
}

/** A closed flow with the accounts that share its result. */
export interface ClosedOf extends Omit<Input, 'verdict'> {
  readonly closed: ClosedFlow;
  readonly group: ReadonlySet<Address>;
}

/**
 * The closed flow the verdict rests on: motifs of kinds that always close (a cycle), or that later acts may
 * close (a liquidation, a flash loan). A cycle beside another intent may belong to another account. Null
 * for everything else, which needs the cost basis of earlier transactions.
 */
export function closedFlow({ verdict, motifs, attribution }: Input): ClosedFlow | null {
  if (attribution.actor === null) return null;
  const certain = verdict.category === CLOSED_CATEGORY;
  if (!certain && verdict.motifs.length === 0) return null;
  const own = new Set(verdict.motifs);
  const closing = (how: 'always' | 'possible'): Motif[] =>
    motifs.filter(({ traits }) => traits.closedFlow === how);
  const closed = closing('always').filter(({ index }) => certain || own.has(index));
  if (closed.length > 0) return { motifs: closed, certain: true };
  if (certain) return { motifs: motifs.filter(({ index }) => own.has(index)), certain };
  const closable = closing('possible').filter(({ index }) => own.has(index));
  return closable.length > 0 ? { motifs: closable, certain } : null;
}

/** Whether a motif changed a position that `own` does not show: a repaid loan looks like lost money. */
export function changesHiddenPosition(motifs: readonly Motif[], own: ReadonlyMap<AssetId, Balance>): boolean {
  return motifs.some((motif) => {
    const { closedFlow: closes, position } = motif.traits;
    if (closes === 'possible' || !position) return false;
    const shares = amountsOf(motif).filter(isShare);
    return shares.length === 0 || shares.some(({ asset }) => !own.has(asset));
  });
}

/** Venues of the flow's parts, and of the entity's other swaps where the flow is not certain. */
export function poolsOf({ closed, motifs, group }: ClosedOf): Address[] {
  const parts = partsOf(closed, motifs);
  const isOwn = (motif: Motif): boolean => accountsOf(motif).some((account) => group.has(account));
  const swaps = closed.certain ? [] : motifs.filter((motif) => isSwap(motif) && isOwn(motif));
  return [...new Set([...(parts.length > 0 ? parts : closed.motifs), ...swaps].map(({ venue }) => venue))];
}

function partsOf(closed: ClosedFlow, motifs: readonly Motif[]): Motif[] {
  const wholes = new Set<number | null>(closed.motifs.map(({ index }) => index));
  return motifs.filter(({ parent }) => wholes.has(parent));
}

/** The accounts that share the result of a closed flow, actor first. Empty without an actor. */
export function pnlEntity(closed: ClosedFlow, input: Input): ReadonlySet<Address> {
  const { attribution, flow, header } = input;
  const { actor, entity } = attribution;
  if (actor === null) return new Set();
  const scene = { ...input, coinbase: header.coinbase, venues: venuesOf(input.motifs) };
  const group = new Set(actingAsOne([actor, ...entity], closed.motifs, scene).keys());
  // The account that paid a cycle's first hop has its result.
  for (const motif of closed.motifs) {
    const funder = roleOf(motif, 'beneficiary');
    if (funder !== null && flow.outgoing.has(funder)) group.add(funder);
  }
  return group;
}

/**
 * Accounts outside the group, other than venues, fee recipients and the block builder, that kept part of its
 * payments or of the flow's proceeds, and gave it nothing.
 */
export function holdersElsewhere(of: ClosedOf): Address[] {
  const { group, closed, flow, motifs, rulebook, attribution, header } = of;
  // A small payment of ether may be a share of the result; of a token it is the token's own tax.
  const isTax = ({ movements }: Motif): boolean =>
    movements.every((i) => mergeNative(flow.movements[i]!.asset, flow) !== NATIVE_ASSET);
  const feeActs = motifs.filter((motif) => motif.traits.fee && (motif.basis !== 'structure' || isTax(motif)));
  const left = new Set<Address | null>([
    ...group,
    ...venuesOf(motifs).keys(),
    ...feeActs.flatMap(accountsOf),
    attribution.signer,
    attribution.entryPoint,
    attribution.paymaster,
  ]);
  // An act says where its movements went: a market keeps its funds in contracts of its own.
  const acts = motifs.filter(({ traits }) => !traits.plain);
  const spent = new Set(acts.flatMap(({ movements }) => movements));
  const paid = sentBy(group, flow)
    .filter(({ index }) => !spent.has(index))
    .map(({ to }) => to);
  const handed = partsOf(closed, motifs).flatMap(({ participants }) =>
    accountsWith(participants, 'recipient'),
  );
  const scene = { flow, rulebook, coinbase: header.coinbase };
  return [...new Set([...paid, ...handed])].filter(
    (account) => !left.has(account) && isPrivate(account, scene) && onlyKeeps(account, group, flow),
  );
}

/**
 * Receipts of the entity that its closed flow does not explain: no hop, loan, refund or part of another act
 * paid them. A pull from a bystander, or own funds handed in, would pass for profit. So would a helper's
 * money in a pool of the flow, beside its trades, before them or as part of one.
 */
export function outsideReceipts(of: ClosedOf): Movement[] {
  const { group, closed, flow, motifs } = of;
  const cycles = closed.motifs.filter(isCycle);
  const own =
    cycles.length > 0
      ? new Set(motifs.filter((m) => isOfCycle(m, cycles)).flatMap(({ movements }) => movements))
      : movementsOfActs(of);
  const carried = withCarriers(of);
  const received = [...carried].flatMap((account) =>
    (flow.incoming.get(account) ?? []).map((index) => flow.movements[index]!),
  );
  return [
    ...received.filter((m) => !carried.has(m.from) && !own.has(m.index) && !isConversion(m, flow)),
    ...othersInPools(closed.motifs, group, of),
  ];
}

/** The group and the carriers that paid it, directly or over others: receipts of these are for it. */
function withCarriers({ group, flow }: ClosedOf): ReadonlySet<Address> {
  const carriers = carriersOf(flow);
  return follow(flow, group, 'back', (_, from) => carriers.has(from));
}

/** The cycles, their loans, and refunds. */
function isOfCycle(motif: Motif, cycles: readonly Motif[]): boolean {
  const { plain, dependent, closedFlow } = motif.traits;
  return cycles.includes(motif) || closedFlow === 'possible' || (plain && dependent);
}
