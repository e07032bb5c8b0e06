import { createdIn } from '../../../value/frames.ts';
import { distance } from '../../../value/amount.ts';
import { lazy } from '../../../lib/lazy.ts';
import { evaluate, guessedLeg, structural } from '../../../value/claims.ts';
import { isCommanded } from '../../../lib/motifKinds.ts';
import { isCalledFor } from '../../../value/prove.ts';
import { distinctEvidence } from '../../../lib/evidence.ts';
import { mergeNative } from '../../../value/asset.ts';
import { findHints, type Hint, wordsOf, type NamedTrigger } from '../match/namedTriggers.ts';
import { contractOf, endOf, isFungible, isAccompaniment, legsByAsset, principalsOf } from './context.ts';
import type { StructureContext } from './context.ts';
import { isPaidOut } from './transfers.ts';
import { UnclaimedFlows, type UnclaimedFlow } from './unclaimedFlows.ts';
import type { Address } from '../../../model/hex.ts';
import type { DraftPrimitive, Leg } from '../../../model/primitive.ts';
import type { AssetId, Movement } from '../../../model/valueFlow.ts';

/** Smaller numbers are as likely an index, a flag or a percentage as an amount. */
const SMALLEST_AMOUNT = 1_000n;
/** Interest or a fee changes an amount asked back by a tenth at most. */
const MAX_INTEREST_SHARE = 10n;
/** Signs of an event that records a payment under any name. */
const RECORDED: ReadonlySet<Hint['entry']['sign']> = new Set(['custody', 'exit']);
/** Movements of one amount that a trigger is compared with. */
const MAX_ALIKE = 16;

/** A hint taken as an act of one account, over movements of it. */
interface Reading {
  readonly hint: Hint;
  readonly account: Address;
  readonly moved: readonly Movement[];
  /** All that is left of the account's flow. */
  readonly own: UnclaimedFlow;
}

/**
 * Finds acts of unknown contracts from words of events and functions (the lexicon), confirmed by the value
 * flow: direction, receipts, named accounts, exact amounts. Hints: Suspected but where the signer called for
 * it by name, and only over unexplained movements.
 */
export class NamedActs {
  /** The signer, and the owners of accounts that executed something. */
  readonly #accounts = lazy(() => principalsOf(this.context));
  readonly #hints = lazy(() => findHints(this.context, this.#accounts()));
  readonly #open = lazy(() => new UnclaimedFlows(this.context));
  readonly #created = lazy(() => createdIn(this.context.tx.frames));
  /** Callers by contract. */
  readonly #callers = lazy(() => {
    const callers = new Map<Address | null, Set<Address>>();
    for (const { from, to } of this.context.tx.frames)
      callers.set(to, (callers.get(to) ?? new Set()).add(from));
    return callers;
  });

  constructor(private readonly context: StructureContext) {}

  /** Acts with an event or call that states the amount of an unexplained movement. */
  withAmounts(): DraftPrimitive[] {
    const open = this.#open();
    if (open.isEmpty) return [];
    const acts: DraftPrimitive[] = [];
    for (const hint of this.#hints()) {
      const act = this.#exact(hint, open);
      if (!act) continue;
      for (const leg of act.legs) for (const m of leg.movements) this.context.claimed.add(m);
      acts.push(act);
    }
    return acts;
  }

  /** Acts with words that agree with all the unexplained value of an account, beside mere accompaniment. */
  withoutAmounts(): DraftPrimitive[] {
    if (this.context.found.some(({ kind }) => !isAccompaniment(kind, this.context))) return [];
    const hints = this.#hints().filter(({ entry }) => !entry.exact);
    if (hints.length === 0) return [];
    const open = this.#open();
    return [...this.#accounts()].flatMap((account) => {
      const own = open.of(account);
      const gained = open.gained(own);
      for (const hint of hints) {
        const reading = this.#whole(hint, account, own, gained);
        if (reading) return [this.#actOf(reading)];
      }
      return [];
    });
  }

  /** The act over movements of stated amounts; null where none goes the way the entry says. */
  #exact(hint: Hint, open: UnclaimedFlows): DraftPrimitive | null {
    const { entry } = hint;
    const stated = this.#stated(hint, open);
    if (stated.length === 0) return null;
    if (entry.flow === 'any') return this.#betweenOthers(hint, stated);
    for (const account of this.#concerned(hint, stated, open)) {
      const sent = stated.filter((m) => open.accountOf(m, 'sent') === account);
      const received = stated.filter((m) => open.accountOf(m, 'received') === account);
      const exchanged = sent.length > 0 && received.length > 0 ? [...sent, ...received] : [];
      const moved = { sent, received, exchanged, none: [] }[entry.flow];
      const reading = { hint, account, moved, own: open.of(account) };
      if (moved.length > 0 && this.#holds(reading)) return this.#actOf(reading);
    }
    return null;
  }

  /** The movements of amounts that the trigger states, where the entry's words are about such. */
  #stated({ entry, trigger }: Hint, open: UnclaimedFlows): Movement[] {
    if (entry.flow === 'none' || trigger.otherLayout || RECORDED.has(entry.sign)) return [];
    const amounts = [...trigger.words()].filter((word) => word >= SMALLEST_AMOUNT);
    return amounts
      .flatMap((amount) => open.ofAmount(amount, MAX_ALIKE))
      .filter((m) => this.#involves(trigger, m));
  }

  /** Accounts at the ends of the movements that the trigger names, then those that are principals. */
  #concerned({ entry, trigger }: Hint, stated: readonly Movement[], open: UnclaimedFlows): Address[] {
    const ends = new Set(stated.flatMap((m) => [open.accountOf(m, 'sent'), open.accountOf(m, 'received')]));
    ends.delete(trigger.contract);
    const accounts = [...ends].filter((account) => account !== null);
    const named = accounts.filter(
      (account) => (entry.anyone || this.#accounts().has(account)) && trigger.words().has(BigInt(account)),
    );
    return [...named, ...accounts.filter((a) => !named.includes(a) && this.#accounts().has(a))];
  }

  /** The trigger's contract was called by a principal, is an end of the movement, or moved the token. */
  #involves({ contract, basis }: NamedTrigger, m: Movement): boolean {
    const token = contractOf(this.context.flow, m.asset);
    if (basis === 'call' || [this.context.tx.to, token, m.from, m.to].includes(contract)) return true;
    const callers = this.#callers();
    if (token !== null && callers.get(token)?.has(contract)) return true;
    const principals = this.#accounts();
    return [...(callers.get(contract) ?? [])].some((caller) => principals.has(caller));
  }

  /** An event of a token about its own transfer between others: votes that moved with it. */
  #reportsItself({ basis, contract }: NamedTrigger, { asset, from, to }: Movement): boolean {
    const isToken = basis === 'event' && contractOf(this.context.flow, asset) === contract;
    return isToken && from !== contract && to !== contract;
  }

  /** Everything that is left of the account's flow, where it goes the entry's way. */
  #whole(hint: Hint, account: Address, own: UnclaimedFlow, gained: ReadonlySet<AssetId>): Reading | null {
    const { entry, trigger } = hint;
    const isCalled = trigger.basis === 'call' || trigger.contract === this.context.tx.to;
    if (!isCalled && !trigger.words().has(BigInt(account))) return null;
    const got = own.received.filter((m) => gained.has(mergeNative(m.asset, this.context.flow)));
    const reading = { hint, account, own, moved: entry.flow === 'received' ? got : own.sent };
    const goesItsWay = goes(entry.flow, own.sent.length > 0, got.length > 0);
    return goesItsWay && this.#holds(reading) && this.#isWitness(reading) ? reading : null;
  }

  /** Whether the trigger's contract took part, and named the account where the entry asks for that. */
  #isWitness(reading: Reading): boolean {
    const { hint, moved } = reading;
    const { entry, trigger } = hint;
    if (moved.length > 0 && !moved.some((m) => this.#involves(trigger, m))) return false;
    if (moved.length > 0 && moved.every((m) => this.#reportsItself(trigger, m))) return false;
    if (entry.sign === 'custody' && moved.every((m) => this.#isPassedOn(m))) return false;
    return !RECORDED.has(entry.sign) || this.#records(reading);
  }

  /** Most of the asset that the payee got left it again. */
  #isPassedOn({ to, asset }: Movement): boolean {
    const { inflow, outflow } = this.context.flow.ledgers.get(to)!.get(asset)!;
    return outflow * 2n > inflow;
  }

  #holds({ hint, moved, own }: Reading): boolean {
    const { trigger } = hint;
    const { assets, unreceipted, leg, flow: way } = hint.entry;
    const { flow } = this.context;
    // Swept from a deposit address with a contract made for it alone, which says nothing itself.
    const isSwept = ({ from }: Movement): boolean => from !== trigger.contract && this.#created().has(from);
    if (way === 'received' && moved.every(isSwept)) return false;
    if (unreceipted && own.minted.length + own.burnt.length > 0) return false;
    // A reward is given for nothing; value handed on to an account that the trigger names is a payment.
    if (leg === 'reward' && own.sent.some(({ asset }) => !isFungible(flow, asset))) return false;
    if (way === 'sent' && moved.every((m) => this.#isHandedOn(m, trigger))) return false;
    if (assets === null) return true;
    if (assets === 'erc20') return moved.some(({ asset }) => flow.assets.get(asset)?.kind === 'erc20');
    return moved.some(({ asset }) => isFungible(flow, asset) === (assets === 'fungible'));
  }

  #isHandedOn(m: Movement, trigger: NamedTrigger): boolean {
    const end = endOf(this.context, m, 'to');
    return end !== null && trigger.words().has(BigInt(end)) && isPaidOut(this.context, m);
  }

  /**
   * Whether all went to or came from one account, for nothing minted, and that account or the called contract
   * names the payer or payee and the amount. A token that reports its own transfer in other words does
   * not count, nor a payer behind a called contract that only empties it (deposit addresses of exchanges).
   */
  #records({ hint, account, moved, own: { sent, minted } }: Reading): boolean {
    const { contract } = hint.trigger;
    const words = hint.trigger.words();
    const ends = new Set(moved.map((m) => (sent.includes(m) ? m.to : m.from)));
    if (ends.size !== 1 || minted.length > 0 || !words.has(BigInt(account))) return false;
    const { tx, flow } = this.context;
    const paid = sent.length === 0;
    if (paid && isCommanded(tx, contract)) return false;
    return moved.some(({ asset, amount }) => {
      const speaks = contract === tx.to && contract !== contractOf(flow, asset);
      const stated = words.has(amount) || (paid && this.#statesNear(words, amount));
      return (ends.has(contract) || speaks) && amount >= SMALLEST_AMOUNT && stated;
    });
  }

  /** Whether an amount the signer asked for is among the words, and the payment differs by interest. */
  #statesNear(words: ReadonlySet<bigint>, paid: bigint): boolean {
    const { input } = this.context.tx.frames[0]!;
    const isNear = (asked: bigint): boolean => distance(asked, paid) * MAX_INTEREST_SHARE <= asked;
    return wordsOf(input, 4).some((asked) => asked >= SMALLEST_AMOUNT && words.has(asked) && isNear(asked));
  }

  /** An act between others than the account it is done for: signer and target decide the sides. */
  #betweenOthers(hint: Hint, stated: readonly Movement[]): DraftPrimitive | null {
    const { tx } = this.context;
    const own = (account: Address): boolean => account === tx.from || account === tx.to;
    const legs = stated.map((m) =>
      own(m.from) ? guessedLeg('debt', [m], m.from) : guessedLeg(hint.entry.leg, [m], m.to),
    );
    const doer = legs.map(({ account }) => account!).find(own) ?? tx.to ?? tx.from;
    return this.#primitive(hint, doer, legs);
  }

  #actOf({ hint, account, moved, own }: Reading): DraftPrimitive {
    const { entry } = hint;
    const side = (m: Movement): string =>
      entry.flow !== 'exchanged' ? entry.leg : own.sent.includes(m) ? 'in' : 'out';
    const legs = legsByAsset(moved, account, side);
    if (entry.flow === 'received' || entry.flow === 'none')
      legs.push(...legsByAsset(own.burnt, account, () => 'share_in'));
    if (entry.flow === 'sent') legs.push(...legsByAsset(own.minted, account, () => 'share_out'));
    return this.#primitive(hint, account, legs);
  }

  #primitive({ entry, trigger }: Hint, owner: Address, legs: readonly Leg[]): DraftPrimitive {
    const { tx, flow } = this.context;
    const moved = legs.flatMap((leg) => leg.movements.slice(0, 8).map((m) => flow.movements[m]!.evidence));
    const { contract: venue, words } = trigger;
    const isOwn = legs.every(({ amount }) => words().has(amount)) && this.#isOwn(entry, trigger, owner);
    const all = isOwn ? legs.flatMap(({ movements }) => movements) : [];
    const own = all.map((index) => flow.movements[index]!);
    const act = structural({
      kind: entry.kind,
      seq: trigger.seq,
      venue,
      roles: [{ role: 'owner', account: owner }],
      legs: isOwn ? legs.map((leg) => ({ ...leg, exact: true, stated: leg.amount })) : legs,
      claims: all.length > 0 ? [evaluate('venue_involved', { own, flow, venue, tx }, [venue], all)] : [],
      tags: [...(isOwn ? [] : ['structural']), 'named', ...(RECORDED.has(entry.sign) ? [entry.sign!] : [])],
      evidence: distinctEvidence([trigger.evidence, ...moved]),
    });
    return isOwn ? { ...act, basis: 'event' } : act;
  }

  /** Whether it names the signer, and the signer called its contract by a function named for the same act. */
  #isOwn({ kind }: Hint['entry'], { basis, contract, words }: NamedTrigger, owner: Address): boolean {
    const { tx, rulebook } = this.context;
    const isOfCall = basis === 'event' && contract === tx.to && words().has(BigInt(tx.from));
    return isOfCall && owner === tx.from && isCalledFor(kind, tx, rulebook);
  }
}

/** Whether the account's sides agree with an entry's direction. */
function goes(way: Hint['entry']['flow'], gave: boolean, got: boolean): boolean {
  if (way === 'sent') return gave && !got;
  if (way === 'received') return got && !gave;
  return way === 'none' && !got;
}
