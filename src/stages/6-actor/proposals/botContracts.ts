import { isCycle } from '../../../lib/motifKinds.ts';
import { roleOf } from '../../../lib/roles.ts';
import type { ElectionContext } from '../electionContext.ts';
import type { Proposal } from '../proposal.ts';
import type { Address } from '../../../model/hex.ts';
import type { Motif } from '../../../model/motif.ts';

const COLLECTS: ReadonlySet<string> = new Set(['none', 'received']);

/**
 * A private contract that holds its owner's inventory: called by the signer, it sent or received where the
 * signer did not, and serves no other account here. The two are one economic entity. It is a bot only if it
 * traded, liquidated or took a flash loan; else its operator moved the contract's own funds.
 */
export function botContracts(context: ElectionContext): Proposal[] {
  const { to: contract, input } = context.input.tx;
  // A creation, a call to itself or a plain payment.
  if (contract === null || contract === context.signer || input === '0x') return [];
  const liquidation = context.input.motifs.find((m) => roleOf(m, 'liquidator') === contract);
  if (!liquidation && context.sides(contract) === 'none') return tradersBehind(context, contract);
  if (isForOthers(context, contract)) return [];
  // The debt was not the signer's to pay: at most it was handed the profit.
  if (liquidation && COLLECTS.has(context.sides(context.signer)))
    return [ownContract(context, contract, liquidation)];
  return signerOnlyFeeds(context, contract) ? [ownContract(context, contract)] : [];
}

/** Listed as such, or one that emits events with arguments. */
const isForOthers = (context: ElectionContext, contract: Address): boolean =>
  context.neverElect(contract) !== null ||
  context.input.tx.logs.some(
    ({ address, topics, data }) => address === contract && topics.length + data.length > 3,
  );

function ownContract(context: ElectionContext, contract: Address, liquidation?: Motif): Proposal {
  const [mode, submitterRole] = tradesForGain(context, contract)
    ? (['bot_contract', 'mev_bot'] as const)
    : (['own_contract', 'operator'] as const);
  return {
    account: contract,
    mode,
    submitterRole,
    ground: 'own_contract',
    reason: liquidation ? 'called_contract_is_the_liquidator' : 'called_contract_holds_the_inventory',
    evidence: liquidation ? liquidation.evidence : context.firstMovement(contract),
    entity: [contract, context.signer],
  };
}

/** A trade, a liquidation, a cycle or a flash loan in which the contract has a part. */
function tradesForGain(context: ElectionContext, contract: Address): boolean {
  const { flow, motifs } = context.input;
  return motifs.some((motif) => {
    const { trade, closedFlow } = motif.traits;
    if (trade === null && closedFlow === null) return false;
    const named = motif.participants.some(({ account }) => account === contract);
    const ends = motif.movements.map((index) => flow.movements[index]!);
    return named || ends.some(({ from, to }) => from === contract || to === contract);
  });
}

/** The signer moved nothing, or handed the contract value far below what it traded or gained. */
function signerOnlyFeeds(context: ElectionContext, contract: Address): boolean {
  const { signer } = context;
  const own = context.sides(contract);
  const sides = paysNumber(context, contract) ? 'none' : context.sides(signer);
  if (own === 'none' || sides === 'none') return own !== 'none';
  if (sides === 'received') return own === 'both' || keptMost(context, contract);
  return sides === 'sent' && (own === 'both' || context.sidesTogether([contract, signer]) === 'received');
}

/** Less than a unit of gas costs, given to a contract that deals with others, is a number for its code. */
function paysNumber(context: ElectionContext, contract: Address): boolean {
  const [given, ...more] = context.balances(context.signer).values();
  const { tx, flow } = context.input;
  if (tx.value >= tx.effectiveGasPrice || given?.net !== -tx.value || more.length > 0) return false;
  return flow.incoming.get(contract)!.some((index) => flow.movements[index]!.from !== tx.from);
}

/** The contract ran a flow that closed, and handed the signer less than half of its gains. */
function keptMost(context: ElectionContext, contract: Address): boolean {
  const closes = context.input.motifs.filter(({ traits }) => traits.closedFlow !== null);
  if (!closes.some(({ participants }) => participants.some(({ account }) => account === contract)))
    return false;
  const kept = context.balances(contract);
  return [...context.balances(context.signer).values()].every(
    ({ id, net, incoming }) =>
      incoming.every(({ from }) => from === contract) && (kept.get(id)?.net ?? 0n) > net,
  );
}

/**
 * A contract that ran a closed cycle, or gave and got by calls of its own, when the called one called it.
 * Anyone may call another's contract, so this is a claim.
 */
function tradersBehind(context: ElectionContext, called: Address): Proposal[] {
  const cycles = context.input.motifs.filter(isCycle);
  const traders =
    cycles.length > 0 ? cycles.map((cycle) => roleOf(cycle, 'owner')) : gaveByThemselves(context);
  const owners = new Set(traders);
  const [account] = owners;
  if (!account || owners.size > 1 || account === called || account === context.signer) return [];
  if (!tradedApart(context, account) || context.neverElect(account) !== null) return [];
  return [
    {
      account,
      mode: 'bot_contract',
      submitterRole: 'mev_bot',
      ground: 'claimed',
      reason: 'contract_behind_the_called_one_traded',
      evidence: cycles[0]?.evidence ?? context.firstMovement(account),
      claimedBy: context.tokenClaiming(account),
      entity: [account, called, context.signer],
    },
  ];
}

/** Whether a contract ended with more or less, and the signer with nothing or with little of it. */
const tradedApart = (context: ElectionContext, account: Address): boolean =>
  context.sides(account) !== 'none' &&
  (context.sides(context.signer) === 'none' || keptMost(context, account));

/** Contracts other than venues that gave and got, each asking for what it gave. */
function gaveByThemselves(context: ElectionContext): Address[] {
  const { unasked } = context.input.suspects;
  return context.twoSided.filter(
    (account) =>
      context.neverElect(account) === null &&
      context.madeCalls(account) &&
      context.input.flow.outgoing.get(account)!.every((index) => !unasked.has(index)),
  );
}
