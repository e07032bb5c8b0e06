import { isRecognised, isSwap } from '../../lib/motifKinds.ts';
import { accountsWith, roleOf } from '../../lib/roles.ts';
import { isToSubmitter } from '../../value/parties/execution.ts';
import { lowestOf } from '../../value/prove.ts';
import { isIssuance } from '../../value/asset.ts';
import { isListedAddress } from '../../value/tokenCall.ts';
import type { Balance } from '../../value/balances.ts';
import { amountsMoved } from '../../value/sides.ts';
import { accountsFor, giftsAmong, gainedElsewhere, NOT_EXCHANGED } from './accountsFor.ts';
import { callsListed, isOverpaid, isUnlisted, keptOf, type Acts } from './kept.ts';
import type { SubjectView } from './facts/subjectView.ts';
import type { CaveatCode, Verdict } from '../../model/intent.ts';
import type { Confidence, Motif, ProofDoubt } from '../../model/motif.ts';
import type { Condition, IntentRule } from '../../model/rulebook.ts';

/**
 * The motifs a rule's verdict rests on: the subject's own, of swaps only those between its sent and received
 * assets. Where it has none, a rule rests on acts completed for others; a heuristic, and a rule about several
 * accounts, on any of theirs.
 */
export function supportingMotifs(view: SubjectView, rule: IntentRule): Motif[] {
  if (rule.restsOn.length === 0) return [];
  const kinds = new Set(rule.restsOn);
  let onPath: ReadonlySet<Motif> | undefined;
  const supporting = view.own.filter(
    (motif) => kinds.has(motif.kind) && (!isSwap(motif) || (onPath ??= new Set(view.path)).has(motif)),
  );
  const ofMany = isOfMany(rule.when);
  if (supporting.length > 0 && !ofMany) return supporting;
  const others = view.input.motifs.filter(
    (motif) =>
      kinds.has(motif.kind) &&
      !isSwap(motif) &&
      (rule.proof !== 'structural' || ofMany || motif.traits.completedBy !== null),
  );
  return ofMany ? ofOwners(others, view) : others;
}

/** Without orders of the accounts that fill those of others: the settlement itself, the signer, a filler. */
function ofOwners(motifs: readonly Motif[], { tx }: SubjectView): Motif[] {
  const named = motifs.flatMap(({ participants }) => accountsWith(participants, 'filler'));
  const fillers = new Set([tx.from, ...named, ...motifs.map(({ venue }) => venue)]);
  return motifs.filter((motif) => !fillers.has((roleOf(motif, 'owner') ?? roleOf(motif, 'taker'))!));
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
export function assess(view: SubjectView, rule: IntentRule, { motifs, open }: Acts): Assessment {
  const unknown = motifs.filter((motif) => !isAtKnown(view, motif));
  const known = unknown.length === 0;
  const proving = provingOf(view, motifs);
  const weakest = lowestOf(proving.map((motif) => motif.confidence));
  const suspect = suspicions(view, motifs);
  const earned = lowestOf([known ? rule.confidence.known : rule.confidence.family, weakest]);
  const doubts = [...doubtsOf(view, rule, { motifs, open, proving, confidence: earned }), ...suspect];
  const confidence = lowestOf([earned, doubts.length > 0 ? 'Medium' : 'High']);
  const limits: CaveatCode[] = [];
  // A plain movement of value is at no contract that could be known.
  if (unknown.some((motif) => !motif.traits.plain)) limits.push('unknown_protocol');
  if (weakest !== 'High' && known) limits.push('uncertain_motif');
  if (rule.confidence.known !== 'High' || doubts.length + limits.length === 0) limits.push('rule_limit');
  return {
    status: doubts.length === 0 ? 'Proven' : 'Suspected',
    confidence,
    caveats: earned === 'High' ? doubts : [...doubts, ...limits],
  };
}

/** At a listed contract, or made of acts at such. */
function isAtKnown(view: SubjectView, motif: Motif): boolean {
  const { rulebook, motifs } = view.input;
  if (isRecognised(motif.protocol) || rulebook.wrappedNative.has(motif.venue)) return true;
  const parts = motif.traits.composite ? motifs.filter(({ parent }) => parent === motif.index) : [];
  return parts.length > 0 && parts.every((part) => isRecognised(part.protocol));
}

/** Ways in which a stranger could have made the transaction look as it does. */
function suspicions(view: SubjectView, motifs: readonly Motif[]): CaveatCode[] {
  const codes: CaveatCode[] = [];
  const { suspects, subject, stateless } = view.input;
  if (subject.claimed) codes.push(subject.mode === 'delegated_7702' ? 'stale_delegation' : 'claimed_actor');
  if (dealsInSuspects(view, motifs) || namedByImpersonator(view)) codes.push('suspect_token');
  if (stateless) codes.push('state_unread');
  const isTaken = (index: number): boolean => suspects?.unasked.has(index) === true;
  const repaid = [...subject.payments].some(([index, why]) => isToSubmitter(why) && isTaken(index));
  const taken = view.sent.some(({ outgoing }) => outgoing.some(({ index }) => isTaken(index)));
  if (repaid || taken || isFundedUnasked(view, motifs)) codes.push('unasked_pull');
  return codes;
}

/** The actor gave nothing; tokens that another did not ask to give paid for a position or were repacked. */
function isFundedUnasked(view: SubjectView, motifs: readonly Motif[]): boolean {
  const { sent, flow, input } = view;
  const unasked = input.suspects?.unasked;
  if (sent.length > 0 || !unasked || unasked.size === 0) return false;
  const funded = motifs.filter(({ traits }) => traits.position !== null || traits.carries);
  const payers = new Set(funded.map((motif) => roleOf(motif, 'payer')));
  return flow.movements.some((m) => unasked.has(m.index) && (payers.has(m.from) || payers.has(m.to)));
}

/**
 * The acts that prove the verdict: those it rests on. A listed aggregator's statement of exactly these
 * amounts proves an exchange alone; movements that show one need no act.
 */
function provingOf(view: SubjectView, motifs: readonly Motif[]): readonly Motif[] {
  if (motifs.every(({ status }) => status === 'Proven') || !isOneForOne(view, motifs)) return motifs;
  const states = (motif: Motif, { id, net }: Balance): boolean => {
    const [one, ...more] = amountsMoved(motif, net < 0n);
    return one?.delta === net && view.mergedAsset(one.asset) === id && more.length === 0;
  };
  const stated = view.own.filter((motif) => motif.traits.trade === 'summary' && isRecognised(motif.protocol));
  const both = [...view.sent, ...view.received];
  const exact = stated.find((act) => act.status === 'Proven' && both.every((one) => states(act, one)));
  if (exact) return [exact];
  return stated.length === 0 && isShownExchange(view, motifs) ? [] : motifs;
}

/** The subject gave one asset and got one by these trades, and all who gave in them asked for it. */
function isOneForOne(view: SubjectView, motifs: readonly Motif[]): boolean {
  const { sent, received, entity, fees, flow } = view;
  const trades = motifs.every((motif) => !NOT_EXCHANGED.has(motif.traits.trade));
  return (
    sent.length === 1 &&
    received.length === 1 &&
    entity.size === 1 &&
    ![...fees].some((index) => entity.has(flow.movements[index]!.from)) &&
    trades &&
    allAsked(view, motifs)
  );
}

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
    (motif) => motif.traits.trade === 'order' && motif.status === 'Proven' && isRecognised(motif.protocol),
  );
  if (!isOneForOne(view, motifs) || !(called || settled)) return false;
  const traded = new Set([sent[0]!.id, received[0]!.id]);
  return (
    ![...shares.keys()].some((asset) => traded.has(asset)) &&
    !flow.movements.some(
      (m) =>
        isIssuance(m) && traded.has(m.asset) && !flow.wrappedNative.has(flow.assets.get(m.asset)!.address!),
    ) &&
    motifs.every(
      ({ basis, protocol, venue }) =>
        basis !== 'structure' || isRecognised(protocol) || !tx.logs.some(({ address }) => address === venue),
    )
  );
}

type Basis = Acts & { readonly proving: readonly Motif[]; readonly confidence: Confidence };

/** Reasons why a verdict is not Proven. */
function doubtsOf(view: SubjectView, rule: IntentRule, basis: Basis): CaveatCode[] {
  const { motifs, proving, confidence } = basis;
  const doubts: CaveatCode[] = [];
  if (rule.proof !== 'structural') doubts.push('heuristic_rule');
  if (rule.status === 'experimental') doubts.push('experimental_rule');
  if (!(view.input.subject.elected || isOfAll(view, rule, motifs))) doubts.push('no_single_actor');
  if (rule.restsOn.length > 0 && motifs.length === 0) doubts.push('nothing_recognised');
  const doubted = new Set(proving.map(({ doubt }) => doubt));
  doubts.push(...MOTIF_DOUBTS.filter((code) => doubted.has(code)));
  if (confidence === 'Low') doubts.push('low_confidence');
  if (doubts.length === 0 && !isWhole(view, rule, basis)) doubts.push('unaccounted_value');
  return doubts;
}

/** The acts are all that the actor did, and what they state is all that it gave and got by them. */
const isWhole = (view: SubjectView, rule: IntentRule, { motifs, open }: Basis): boolean =>
  (accountsFor(view, rule, motifs) || isShownExchange(view, motifs)) &&
  !gainedElsewhere(view, motifs) &&
  !keptOf(motifs, view).some(isUnlisted) &&
  ((open().length === 0 && !isOverpaid(view, motifs)) || callsListed(view));

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
 * an unlisted token logged a movement that the actor did not ask for. Gifts (`giftsAmong`) do not count.
 */
function dealsInSuspects(view: SubjectView, motifs: readonly Motif[]): boolean {
  const { suspects } = view.input;
  if (!suspects) return false;
  const { impersonating, unverified, unlisted } = suspects;
  const isSuspect = ({ asset, outgoing, incoming }: Balance): boolean =>
    impersonating.has(asset.id) ||
    outgoing.some(({ index }) => unlisted.has(index)) ||
    incoming.some(({ index }) => unverified.has(index));
  if (view.sent.some(isSuspect)) return true;
  const got = view.received.filter((one) => isSuspect(one) && !view.isAdded(one));
  return giftsAmong(view, motifs, got).length < got.length;
}

/** A token under another's name says something of the actor that moved nothing: an allowance, say. */
function namedByImpersonator({ input: { suspects, flow }, entity }: SubjectView): boolean {
  if (suspects === undefined || suspects.impersonators.size === 0) return false;
  return flow.nonEconomic.some(
    ({ from, evidence }) =>
      from !== null && entity.has(from) && suspects.impersonators.has(evidence.contract),
  );
}
