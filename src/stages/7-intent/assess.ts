import { isCycle, isRecognised, kindOf } from '../../lib/motifKinds.ts';
import { isIssuance, isNft, NATIVE_ASSET } from '../../value/asset.ts';
import { isListedAddress } from '../../value/tokenCall.ts';
import type { Balance } from '../../value/balances.ts';
import { othersInPools } from '../../value/poolPayments.ts';
import { amountsMoved } from '../../value/sides.ts';
import { gainsOf } from './actAmounts.ts';
import { isUnlisted, keptOf } from './kept.ts';
import type { SubjectView } from './facts/subjectView.ts';
import type { CaveatCode, Verdict } from '../../model/intent.ts';
import type { Confidence, Motif, ProofDoubt } from '../../model/motif.ts';
import type { MotifTraits } from '../../model/vocabulary.ts';
import type { Condition, IntentRule } from '../../model/rulebook.ts';

const ORDER: readonly Confidence[] = ['Low', 'Medium', 'High'];

function weaker(a: Confidence, b: Confidence): Confidence {
  return ORDER.indexOf(a) <= ORDER.indexOf(b) ? a : b;
}

/**
 * The motifs a rule's verdict rests on: the subject's own, of swaps only those between its sent and received
 * assets. Where it has none, a rule rests on acts completed for others; a heuristic, and a rule about several
 * accounts, on any of theirs.
 */
export function restedMotifs(view: SubjectView, rule: IntentRule): Motif[] {
  if (rule.restsOn.length === 0) return [];
  const kinds = new Set(rule.restsOn);
  let onPath: ReadonlySet<Motif> | undefined;
  const rested = view.own.filter(
    (motif) => kinds.has(motif.kind) && (!view.isSwap(motif) || (onPath ??= new Set(view.path)).has(motif)),
  );
  if (rested.length > 0) return rested;
  const ofMany = isOfMany(rule.when);
  return view.input.motifs.filter(
    (motif) =>
      kinds.has(motif.kind) &&
      !view.isSwap(motif) &&
      (rule.proof !== 'structural' || ofMany || view.kind(motif).completedBy !== null),
  );
}

/** A verdict's status and confidence, with the caveats that keep it from Proven and from High. */
export type Assessment = Pick<Verdict, 'status' | 'confidence' | 'caveats'>;

/**
 * Proven requires all of this: the rule claims a structural proof and is not experimental, one actor was
 * elected by more than a claim (or the rule is about several owners, and each asked for its part), every
 * motif it rests on is proven by more than a function's name, motifs account for the actor's payments and
 * receipts, and the confidence is not low. Confidence is the rule's, never more
 * than the weakest motif's or the election's, and Medium at most without proof.
 */
export function assess(view: SubjectView, rule: IntentRule, motifs: readonly Motif[]): Assessment {
  const { wrappedNative } = view.input.rulebook;
  const known = motifs.every(({ protocol, venue }) => isRecognised(protocol) || wrappedNative.has(venue));
  const proving = provingOf(view, motifs);
  const weakest = proving.reduce<Confidence>((low, motif) => weaker(low, motif.confidence), 'High');
  const suspect = suspicions(view);
  const granted = known ? rule.confidence.known : rule.confidence.family;
  const earned = weaker(granted, weakest);
  const doubts = [...doubtsOf(view, rule, { motifs, proving, confidence: earned }), ...suspect];
  const confidence = weaker(earned, doubts.length > 0 ? 'Medium' : 'High');
  const limits: CaveatCode[] = [];
  if (!known) limits.push('unknown_protocol');
  if (weakest !== 'High' && known) limits.push('uncertain_motif');
  if (rule.confidence.known !== 'High' || doubts.length + limits.length === 0) limits.push('rule_limit');
  return {
    status: doubts.length === 0 ? 'Proven' : 'Suspected',
    confidence,
    caveats: earned === 'High' ? doubts : [...doubts, ...limits],
  };
}

/** Ways in which a stranger could have made the transaction look as it does. */
function suspicions(view: SubjectView): CaveatCode[] {
  const codes: CaveatCode[] = [];
  const { claimed, mode } = view.input.subject;
  if (claimed) codes.push(mode === 'delegated_7702' ? 'stale_delegation' : 'claimed_actor');
  if (dealsInSuspects(view) || namedByImpersonator(view)) codes.push('suspect_token');
  if (view.input.stateless) codes.push('state_unread');
  const { suspects } = view.input;
  if (view.sent.some(({ outgoing }) => outgoing.some(({ index }) => suspects?.unasked.has(index))))
    codes.push('unasked_pull');
  return codes;
}

/**
 * The acts that prove the verdict: those it rests on. A listed aggregator's statement of exactly these
 * amounts proves an exchange alone; movements that show one need no act.
 */
function provingOf(view: SubjectView, motifs: readonly Motif[]): readonly Motif[] {
  if (motifs.every(({ status }) => status === 'Proven') || !isOneForOne(view, motifs)) return motifs;
  const states = (motif: Motif, { id, net }: Balance): boolean => {
    const [one, ...more] = amountsMoved(motif, net < 0n, view.input.rulebook);
    return one?.delta === net && view.mergedAsset(one.asset) === id && more.length === 0;
  };
  const stated = view.own.filter(
    (motif) => view.kind(motif).trade === 'summary' && isRecognised(motif.protocol),
  );
  const both = [...view.sent, ...view.received];
  const exact = stated.find((act) => act.status === 'Proven' && both.every((one) => states(act, one)));
  if (exact) return [exact];
  return stated.length === 0 && isShownExchange(view, motifs) ? [] : motifs;
}

/** The subject gave one asset and got one by these trades, and all who gave in them asked for it. */
function isOneForOne(view: SubjectView, motifs: readonly Motif[]): boolean {
  const { sent, received, entity, fees, flow } = view;
  const trades = motifs.every((motif) => !NOT_EXCHANGED.has(view.kind(motif).trade));
  return (
    sent.length === 1 &&
    received.length === 1 &&
    entity.size === 1 &&
    ![...fees].some((index) => entity.has(flow.movements[index]!.from)) &&
    trades &&
    allAsked(view, motifs)
  );
}

const NOT_EXCHANGED: ReadonlySet<MotifTraits['trade']> = new Set([null, 'shares', 'summary']);

/**
 * Whether movements alone show the exchange: a listed aggregator that the subject called arranged it, or its
 * own order was settled at a listed contract. No share of a position is made or destroyed for it, and a pool
 * that only movements show logs nothing that could tell another act.
 */
function isShownExchange(view: SubjectView, motifs: readonly Motif[]): boolean {
  const { flow, tx, sent, received, shares, input } = view;
  const { mode, account, signer } = input.subject;
  const called = mode === 'self' && account === signer && view.tagsOf(tx.to).includes('aggregator');
  const settled = motifs.every(
    (motif) =>
      view.kind(motif).trade === 'order' && motif.status === 'Proven' && isRecognised(motif.protocol),
  );
  if (!isOneForOne(view, motifs) || !(called || settled)) return false;
  const traded = new Set([sent[0]!.id, received[0]!.id]);
  const { wrappedNative } = input.rulebook;
  return (
    ![...shares.keys()].some((asset) => traded.has(asset)) &&
    !flow.movements.some(
      (m) => isIssuance(m) && traded.has(m.asset) && !wrappedNative.has(flow.assets.get(m.asset)!.address!),
    ) &&
    motifs.every(
      ({ basis, protocol, venue }) =>
        basis !== 'structure' || isRecognised(protocol) || !tx.logs.some(({ address }) => address === venue),
    )
  );
}

type Basis = Record<'motifs' | 'proving', readonly Motif[]> & { readonly confidence: Confidence };

/** Reasons why a verdict is not Proven. */
function doubtsOf(view: SubjectView, rule: IntentRule, { motifs, proving, confidence }: Basis): CaveatCode[] {
  const doubts: CaveatCode[] = [];
  if (rule.proof !== 'structural') doubts.push('heuristic_rule');
  if (rule.status === 'experimental') doubts.push('experimental_rule');
  if (!(view.input.subject.elected || isOfAll(view, rule, motifs))) doubts.push('no_single_actor');
  if (rule.restsOn.length > 0 && motifs.length === 0) doubts.push('nothing_recognised');
  const doubted = new Set(proving.map(({ doubt }) => doubt));
  doubts.push(...MOTIF_DOUBTS.filter((code) => doubted.has(code)));
  if (confidence === 'Low') doubts.push('low_confidence');
  if (doubts.length === 0 && !isWhole(view, rule, motifs)) doubts.push('unaccounted_value');
  return doubts;
}

/** The acts are all that the actor did, and what they state is all that it gave and got by them. */
const isWhole = (view: SubjectView, rule: IntentRule, motifs: readonly Motif[]): boolean =>
  (accountsFor(view, rule, motifs) || isShownExchange(view, motifs)) &&
  !gainedElsewhere(view, motifs) &&
  !keptOf(view, motifs).some(isUnlisted);

/** The rule is about the acts of several accounts at once and names none of them as the actor. */
const isOfMany = (when: Condition): boolean =>
  'all' in when &&
  when.all.some((one) => 'fact' in one && one.fact === 'actor.elected' && one.value === false);

const isOfAll = (view: SubjectView, rule: IntentRule, motifs: readonly Motif[]): boolean =>
  isOfMany(rule.when) && allAsked(view, motifs);

/** Every account that gave something in these acts asked for it; listed contracts give by nature. */
const allAsked = ({ flow, input: { suspects, rulebook } }: SubjectView, motifs: readonly Motif[]): boolean =>
  motifs.every(({ movements }) =>
    movements.every(
      (index) => !suspects?.unasked.has(index) || isListedAddress(flow.movements[index]!.from, rulebook),
    ),
  );

const MOTIF_DOUBTS: readonly ProofDoubt[] = ['function_name_only', 'amounts_differ', 'unproven_motif'];

/**
 * The actor sent or received a token under another's name, or by a movement its source shows no part in, or
 * an unlisted token logged what it did not ask for.
 */
function dealsInSuspects({ input: { suspects }, sent, received }: SubjectView): boolean {
  if (!suspects) return false;
  const { impersonating, unverified, unlisted } = suspects;
  return [...sent, ...received].some(
    ({ asset, outgoing, incoming }) =>
      impersonating.has(asset.id) ||
      outgoing.some(({ index }) => unlisted.has(index)) ||
      incoming.some(({ index }) => unverified.has(index)),
  );
}

/** A token under another's name says something of the actor that moved nothing: an allowance, say. */
function namedByImpersonator({ input: { suspects, flow }, entity }: SubjectView): boolean {
  if (suspects === undefined || suspects.impersonators.size === 0) return false;
  return flow.nonEconomic.some(
    ({ from, evidence }) =>
      from !== null && entity.has(from) && suspects.impersonators.has(evidence.contract),
  );
}

/**
 * Where a rule rests on venues, everything the actor sent went into the rested motifs (except a fee in
 * native currency), and everything it received came out of them, was change, or came along with them.
 * Otherwise something else may be the purpose.
 */
function accountsFor(view: SubjectView, rule: IntentRule, motifs: readonly Motif[]): boolean {
  const kinds = rule.restsOn.map((kind) => kindOf(view.input.rulebook, kind));
  if (kinds.length === 0 || kinds.some(({ plain }) => plain)) return true;
  const venues = new Set(motifs.map(({ venue }) => venue));
  const rested = new Set(motifs);
  const moved = new Set(motifs.flatMap(({ movements }) => movements));
  const isRested = (motif: Motif): boolean =>
    rested.has(motif) ||
    venues.has(motif.venue) ||
    (motif.status === 'Proven' && motif.movements.some((index) => moved.has(index)));
  // Burning the sent tokens is the venue's act if the actor called the venue, or is the rule's own subject.
  const burnsCount = venues.has(view.tx.to!) || kinds.some(({ destroys }) => destroys);
  const into = ({ id, outgoing }: Balance): boolean =>
    view
      .takersOf(id, burnsCount)
      .some((motif) => isRested(motif) || view.kind(motif).destroys || feeds(view, motif, motifs)) ||
    outgoing.every(({ to, index }) => venues.has(to) || moved.has(index));
  const isFee = ({ id }: Balance): boolean =>
    id === NATIVE_ASSET && view.sent.some((other) => other.id !== id && into(other));
  const outOf = ({ id, incoming }: Balance): boolean =>
    view.payersOf(id).some(isRested) ||
    incoming.some(({ from }) => venues.has(from)) ||
    comesAlong(view, { id, incoming }, motifs);
  return view.sent.every((sent) => into(sent) || isFee(sent)) && view.received.every(outOf);
}

/**
 * An exchange states the amounts of its acts: a pull from a bystander, own funds handed in, or payments of
 * others into the pools of a cycle would pass for its price or profit. Rebasing tokens round by some units.
 */
function gainedElsewhere(view: SubjectView, motifs: readonly Motif[]): boolean {
  const cycles = motifs.filter((motif) => isCycle(view.kind(motif)));
  const { elected } = view.input.subject;
  const states = ({ trade }: MotifTraits): boolean =>
    !NOT_EXCHANGED.has(trade) && (elected || trade !== 'order');
  if (!motifs.some((motif) => states(view.kind(motif)))) return false;
  const given = gainsOf(view, cycles.length > 0 ? cycles : motifs, 'received');
  const amounts = new Map(given.map(({ id, amount }) => [id, amount]));
  const exceeds = (net: bigint, stated: bigint): boolean => (net - stated) * 1000n > stated;
  if (othersInPools(motifs, view.entity, view.input).length > 0) return true;
  return view.received.some(({ id, net }) => exceeds(net, amounts.get(id) ?? net));
}

/** A proven conversion at a known contract, with all its yield in the motifs the verdict rests on. */
function feeds(view: SubjectView, motif: Motif, motifs: readonly Motif[]): boolean {
  if (motif.status !== 'Proven' || !isRecognised(motif.protocol)) return false;
  const { rulebook } = view.input;
  const got = amountsMoved(motif, false, rulebook);
  const given = motifs.flatMap((one) => amountsMoved(one, true, rulebook));
  return (
    got.length > 0 &&
    got.every(({ asset, amount }) => given.some((one) => one.asset === asset && one.amount === amount))
  );
}

/**
 * Interest that only serves another act, or a reward: paid by contracts of the very protocol, known by
 * address, that the verdict rests on, and no position of its own changed for it; or an NFT of such a
 * contract, which is the name or position.
 */
function comesAlong(
  view: SubjectView,
  { id, incoming }: Pick<Balance, 'id' | 'incoming'>,
  motifs: readonly Motif[],
): boolean {
  const payers = view.payersOf(id);
  if (payers.length > 0 && payers.every((motif) => view.kind(motif).serves !== null)) return true;
  const { protocolAt } = view.input.rulebook;
  const slugs = new Set(
    motifs.flatMap(({ protocol }) => (protocol && protocol.matchedBy !== 'family' ? protocol.slug : [])),
  );
  return (
    payers.every((motif) => view.kind(motif).position === null && !view.isSwap(motif)) &&
    incoming.every(({ from, asset }) => {
      const moved = view.input.flow.assets.get(asset)!;
      const issuer = isNft(moved) ? moved.address! : from;
      return slugs.has(protocolAt.get(from) ?? '') || slugs.has(protocolAt.get(issuer) ?? '');
    })
  );
}
