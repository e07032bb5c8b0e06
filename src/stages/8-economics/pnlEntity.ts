import { kindOf } from '../../lib/motifKinds.ts';
import { roleOf } from '../../lib/roles.ts';
import { venuesOf } from '../../value/parties.ts';
import { mergeNative, NATIVE_ASSET } from '../../value/asset.ts';
import { actingAsOne, isPrivate, onlyKeeps, sentBy } from '../../value/parties/entity.ts';
import type { Address } from '../../model/hex.ts';
import type { Motif } from '../../model/motif.ts';
import type { EconomicsInput } from './computeEconomics.ts';
import type { ClosedFlow } from './closedFlow.ts';

export type EntityInput = Omit<EconomicsInput, 'context' | 'verdict'>;

/** A closed flow with the accounts that share its result. */
export interface ClosedOf extends EntityInput {
  readonly closed: ClosedFlow;
  readonly group: ReadonlySet<Address>;
}

/** The accounts that share the result of a closed flow, actor first. Empty without an actor. */
export function pnlEntity(closed: ClosedFlow, input: EntityInput): ReadonlySet<Address> {
  const { attribution, flow, rulebook, header } = input;
  const { actor, entity } = attribution;
  if (actor === null) return new Set();
  const scene = { ...input, coinbase: header.coinbase, venues: venuesOf(input.motifs, rulebook) };
  const group = new Set(actingAsOne([actor, ...entity], closed.motifs, scene).keys());
  // The account that paid a cycle's first hop has its result.
  for (const motif of closed.motifs) {
    const funder = roleOf(motif, 'beneficiary');
    if (funder !== null && flow.outgoing.has(funder)) group.add(funder);
  }
  return group;
}

/**
 * Accounts outside the group, other than venues, fee takers and the block builder, that kept part of its
 * payments or of the flow's proceeds, and gave it nothing.
 */
export function holdersElsewhere(of: ClosedOf): Address[] {
  const { group, closed, flow, motifs, rulebook, attribution, header } = of;
  // A small payment of ether may be a share of the result; of a token it is the token's own tax.
  const isTax = ({ movements }: Motif): boolean =>
    movements.every((i) => mergeNative(flow.movements[i]!.asset, rulebook.wrappedNative) !== NATIVE_ASSET);
  const feeActs = motifs.filter(
    (motif) => kindOf(rulebook, motif.kind).fee && (motif.basis !== 'structure' || isTax(motif)),
  );
  const left = new Set<Address | null>([
    ...group,
    ...venuesOf(motifs, rulebook).keys(),
    ...feeActs.flatMap(({ participants }) => participants.map(({ account }) => account)),
    attribution.signer,
    attribution.entryPoint,
    attribution.paymaster,
  ]);
  // An act says where its movements went: a market keeps its funds in contracts of its own.
  const acts = motifs.filter(({ kind }) => !kindOf(rulebook, kind).plain);
  const spent = new Set(acts.flatMap(({ movements }) => movements));
  const paid = sentBy(group, flow)
    .filter(({ index }) => !spent.has(index))
    .map(({ to }) => to);
  const parents = new Set(closed.motifs.map(({ index }) => index));
  const handed = motifs
    .filter(({ parent }) => parent !== null && parents.has(parent))
    .flatMap(({ participants }) => participants.filter(({ role }) => role === 'recipient'))
    .map(({ account }) => account);
  const scene = { flow, rulebook, coinbase: header.coinbase };
  return [...new Set([...paid, ...handed])].filter(
    (account) => !left.has(account) && isPrivate(account, scene) && onlyKeeps(account, group, scene),
  );
}
