import { passThroughAccounts, wrappedLanes } from '../../value/lanes.ts';
import { recognise, type Draft, type RecognitionRun } from './bind/applyMapping.ts';
import { checkInvariants } from './bind/checkInvariants.ts';
import { EnclosingCalls } from './match/enclosingCalls.ts';
import { joinDetails } from './bind/joinDetails.ts';
import { distinctEvidence, mergeDuplicates } from './mergeDuplicates.ts';
import { MovementIndex } from './bind/movementIndex.ts';
import { hintedDrafts } from './match/namedCalls.ts';
import { nettedVenues } from './bind/netting.ts';
import { settled } from './bind/positionDetail.ts';
import { claimTokens, markEnds } from './bind/positionEnds.ts';
import { Create2Proofs } from './match/provenProtocol.ts';
import { findApprovals } from './structure/approvals.ts';
import { settleDeferred } from './settleDeferred.ts';
import { explain, structureContext, type Found, type StructureContext } from './structure/context.ts';
import { findDeployments } from './structure/deployments.ts';
import { findFlashLoans } from './structure/flashLoans.ts';
import { findIssuance } from './structure/issuance.ts';
import { findShareExchanges } from './structure/shares.ts';
import { findStructuralSwaps } from './structure/swaps.ts';
import { findTransfers } from './structure/transfers.ts';
import { findWraps } from './structure/wraps.ts';
import { TakenMovements } from './bind/takenMovements.ts';
import { utterances } from './match/utterances.ts';
import type { CanonicalTx } from '../../model/canonicalTx.ts';
import type { Address } from '../../model/hex.ts';
import type { Evidence } from '../../model/evidence.ts';
import type { Primitive } from '../../model/primitive.ts';
import type { Rulebook } from '../../model/rulebook.ts';
import type { ValueFlow } from '../../model/valueFlow.ts';

/** What structure shows once events and calls have spoken, in the order in which each narrows what is left unexplained. */
const DETECTORS: readonly ((context: StructureContext) => Found[])[] = [
  findWraps,
  findShareExchanges,
  findFlashLoans,
  findStructuralSwaps,
];
/** What is left once the names of functions have been heard too. */
const LEFTOVERS: readonly ((context: StructureContext) => Found[])[] = [
  findIssuance,
  findDeployments,
  findApprovals,
  findTransfers,
];

/**
 * The smallest recognised acts of a transaction, in execution order: events and calls whose meaning a rule declares and
 * whose amounts the value flow bears out, then what the flow alone shows. Pure; never reads where in the trace a log
 * stands, because one trace dialect cannot tell.
 */
export function findPrimitives(tx: CanonicalTx, flow: ValueFlow, rulebook: Rulebook): Primitive[] {
  if (!tx.succeeded) return [];
  const run: RecognitionRun = {
    signer: tx.from,
    txTo: tx.to,
    index: new MovementIndex(flow),
    proofs: new Create2Proofs(),
    wrappedNative: rulebook.wrappedNative,
    taken: new TakenMovements(),
    enclosing: new EnclosingCalls(tx),
    positionTokens: positionTokens(rulebook),
  };
  const drafts: Draft[] = [];
  for (const { repertoire, utterance } of utterances(tx, rulebook)) {
    const draft = recognise(repertoire.provable, utterance, run);
    if (draft) drafts.push(draft);
  }
  const netted = nettedVenues(drafts, flow, wrappedLanes(rulebook.wrappedNative));
  const acts = settleDeferred(
    mergeDuplicates(
      drafts.map((draft) => foundOf(draft, flow, netted)),
      flow,
    ),
  );
  const spoken = claimTokens(markEnds(joinDetails(acts), tx), flow);

  const context = structureContext(
    tx,
    flow,
    rulebook.wrappedNative,
    passThroughAccounts(flow, rulebook.wrappedNative),
    spoken,
  );
  const found = [...spoken];
  const take = (more: readonly Found[]): void => {
    for (const item of more) {
      explain(context, item);
      found.push(item);
    }
  };
  for (const detect of DETECTORS) take(detect(context));
  const hinted = hintedDrafts(tx, rulebook, run, found, context.explained);
  take(
    mergeDuplicates(
      hinted.map((draft) => foundOf(draft, flow, netted)),
      flow,
    ),
  );
  for (const detect of LEFTOVERS) take(detect(context));
  return inOrder(found);
}

function inOrder(found: readonly Found[]): Primitive[] {
  let sorted = true;
  for (let i = 1; i < found.length && sorted; i++) sorted = found[i - 1]!.seq <= found[i]!.seq;
  // Stable: what has one moment stays in the order in which it was found.
  const ordered = sorted ? found : [...found].sort((a, b) => a.seq - b.seq);
  return ordered.map(settled);
}

/** Managers whose NFTs stand for positions that they keep elsewhere. */
function positionTokens(rulebook: Rulebook): ReadonlySet<Address> {
  let found = managers.get(rulebook);
  if (!found)
    managers.set(
      rulebook,
      (found = new Set(
        [...rulebook.entities]
          .filter(([, { tags }]) => tags.includes('position_manager'))
          .map(([address]) => address),
      )),
    );
  return found;
}

const managers = new WeakMap<Rulebook, ReadonlySet<Address>>();

function foundOf(draft: Draft, flow: ValueFlow, netted: Parameters<typeof checkInvariants>[2]): Found {
  const { utterance, meaning, binding, detail } = draft;
  return {
    kind: meaning.kind,
    seq: utterance.seq,
    basis: utterance.basis,
    shape: meaning.shape,
    protocol: draft.protocol ?? { slug: meaning.shape, version: 1, matchedBy: 'family' },
    venue: draft.venue,
    poolId: draft.poolId,
    roles: draft.roles,
    legs: binding.legs.map((b) => b.leg),
    invariants: checkInvariants(draft, flow, netted),
    tags: meaning.status === 'experimental' ? [...meaning.tags, 'experimental'] : meaning.tags,
    evidence: evidenceOf(draft, flow),
    about: detail.about,
    position: detail.position,
    portions: detail.portions,
  };
}

function evidenceOf({ utterance, within, binding }: Draft, flow: ValueFlow): readonly Evidence[] {
  const evidence = within ? [utterance.evidence, within] : [utterance.evidence];
  for (const { leg } of binding.legs)
    for (const m of leg.movements) evidence.push(flow.movements[m]!.evidence);
  return distinctEvidence(evidence);
}
