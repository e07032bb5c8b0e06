import { groupBy, lowerBound } from '../lib/lists.ts';
import { lazy } from '../lib/lazy.ts';
import { uintAt, wordOf } from '../evm/hex.ts';
import { MAX_RECOVERIES } from '../evm/signing.ts';
import type { CanonicalTx, Frame, Log } from '../model/canonicalTx.ts';
import type { Address } from '../model/hex.ts';
import type { Rulebook, TokenCallSpec } from '../model/rulebook.ts';
import type { Allowance, Movement, ValueFlow } from '../model/valueFlow.ts';
import { asksOwner } from './delegations.ts';
import { callersOf } from './frames.ts';
import { actsOnOrders, grantsOf, makesOwnCalls, readSigned, spendGrant } from './signed.ts';
import type { Answers, Grants, Signed } from './signed.ts';
import { tokensOf } from './parties.ts';
import { hasTag } from '../lib/motifKinds.ts';
import {
  allowedBy,
  entrusts,
  holderOf,
  isCallOf,
  isListedAddress,
  namesFirst,
  outermost,
  statesAllowance,
  statesMovement,
  UNLIMITED,
} from './tokenCall.ts';
import type { Moved } from './tokenCall.ts';

/** Calls of a token that may have caused one movement; more are not distinguished. */
const MAX_CALLS = 64;

/**
 * Whether an account asked for a movement. It did by its own call of the token, by a spender it
 * let take that much in this transaction (`approve`, a permit, a signed transfer), by a contract that it
 * called with token and amount, or by a listed contract, not open to any call, that it called and that names
 * it as holder. Recipients, read-only calls and allowances of old ask for nothing.
 */
export class Consent {
  /** Effective calls of each token that may change state, in order. */
  readonly #calls = lazy(() => {
    const moved = new Set(tokensOf(this.flow));
    for (const { evidence } of this.flow.allowances) moved.add(evidence.contract);
    return groupBy(this.tx.frames, (call) =>
      moved.has(call.to!) && isCallOf(call, call.to!) ? call.to : null,
    );
  });
  /** Such calls of any contract, by sender. A proxy has its own code run on the words of its caller. */
  readonly #sent = lazy(() =>
    groupBy(this.tx.frames, (call) => (call.to && isCallOf(call, call.to) ? call.from : null)),
  );
  readonly #own = new Map<Address, ReadonlySet<Frame>>();
  readonly #grants = new Map<Address, Grants>();
  /** Amounts already moved, by the call that asked for them. */
  readonly #moved = new Map<Frame, bigint>();
  readonly #ids = new Set<string>();
  #read: ReturnType<typeof readSigned> | null = null;

  constructor(
    private readonly tx: CanonicalTx,
    private readonly flow: ValueFlow,
    private readonly answers: Answers,
    private readonly rulebook: Rulebook,
  ) {}

  /** By others than the transaction's signer. */
  get signed(): readonly Signed[] {
    return this.#words.filter(({ account, isSigned }) => account !== this.tx.from && isSigned());
  }

  /** Not recovered yet: a recovery costs as much as an analysis without one. */
  get #words(): readonly Signed[] {
    return (this.#read ??= readSigned(this.tx, this.answers, this.rulebook)).signed;
  }

  /** More signatures came than are recovered: EIP-7702 authorisations, and others where asked for. */
  get cut(): boolean {
    return this.#read?.recoveries.cut === true || this.tx.authorizations.length > MAX_RECOVERIES;
  }

  /** No call that the account asked for explains the movement; of an unlisted token, states it. */
  isUnasked(movement: Movement): boolean {
    const { asset, from, evidence } = movement;
    const { address: token, tokenId } = this.flow.assets.get(asset)!;
    const moved = { movement, id: tokenId === null ? null : BigInt(tokenId), flow: this.flow };
    // A trace without the token's own frames shows nothing.
    if (token === null || !this.#calls().has(token)) return false;
    if (from === this.tx.from && isListedAddress(token, this.rulebook)) return false;
    const causes = this.#causes(token, evidence.log === null ? undefined : this.tx.logs[evidence.log]);
    // The signer leads to every call, but for those that the token itself made.
    const calls = from === this.tx.from ? outermost(causes) : causes;
    return !calls.some((call) => this.#takes(call, moved));
  }

  /**
   * The owner is not the token itself, and neither called it for this very allowance nor signed that. Only
   * unlisted tokens make allowances up; spending one lowers it.
   */
  isUnaskedAllowance(allowance: Allowance): boolean {
    const { owner, evidence } = allowance;
    const { contract, log } = evidence;
    if (owner === contract || !this.#calls().has(contract)) return false;
    if (isListedAddress(contract, this.rulebook)) return false;
    return !this.#causes(contract, this.tx.logs[log!]).some(
      (call) =>
        statesAllowance(call, this.#specOf(call), allowance, () => this.#isOwn(call, owner)) ||
        this.#signedBy(owner).some(
          ({ frame, grants, isSigned }) => frame === call && allowedBy(grants, allowance) && isSigned(),
        ),
    );
  }

  /** The calls of contracts in which these made the token, or a keeper of allowances, move this. */
  handedIn(movement: Movement): readonly Frame[] {
    const { asset, from, evidence } = movement;
    const { address: token } = this.flow.assets.get(asset)!;
    if (token === null)
      return evidence.frame === null ? [] : callersOf(this.tx.frames[evidence.frame]!, this.tx).slice(-2, -1);
    if (!this.#calls().has(token)) return [];
    const moved = { movement, id: null, flow: this.flow };
    return this.#causes(token, this.tx.logs[evidence.log ?? -1])
      .filter((call) => statesMovement(call, this.#specOf(call), moved, () => call.from === from))
      .flatMap((call) => this.#takingCall(call).parent ?? [])
      .map((at) => this.tx.frames[at]!);
  }

  /**
   * The account moved its own, or led to the token's call through listed contracts alone: to the one that
   * names recipient and amount, where there is one. Traces of value alone show no such calls.
   */
  isMadeBy(account: Address, movement: Movement): boolean {
    const { asset, from, to, amount, evidence } = movement;
    const { address: token } = this.flow.assets.get(asset)!;
    if (from === account || token === null) return from === account;
    if (!this.#calls().has(token)) return true;
    const moved = { movement, id: null, flow: this.flow };
    const stating = this.#causes(token, this.tx.logs[evidence.log ?? -1]).filter((call) =>
      statesMovement(call, this.#specOf(call), moved, () => call.from === from),
    );
    const words = [BigInt(to), amount].map(wordOf);
    const exact = stating.filter(({ input }) => words.every((word) => input.includes(word)));
    const leads = (frame: Frame): boolean => frame.from === account;
    const isLed = (call: Frame): boolean => leads(call) || this.#isLed(call, leads);
    return stating.length > 0 && (exact.length > 0 ? exact : stating).every(isLed);
  }

  /** The taker, or the account's own call, led to a call that names it through listed contracts alone. */
  isTakenBy(taker: Address, account: Address, token: Address): boolean {
    const leads = (frame: Frame): boolean => frame.from === taker || this.#isOwn(frame, account);
    return this.callsNaming(account, token).some((call) => this.#isLed(call, leads));
  }

  /** Calls of the token that name the account as the holder. */
  callsNaming(account: Address, token: Address): readonly Frame[] {
    return (this.#calls().get(token) ?? []).slice(0, MAX_CALLS).filter((call) => {
      const spec = this.#specOf(call);
      if (spec !== undefined) return holderOf(call, spec) === account;
      return makesOwnCalls(this.rulebook, call.from) && namesFirst(call, account);
    });
  }

  #specOf({ selector }: Frame): TokenCallSpec | undefined {
    return selector === null ? undefined : this.rulebook.tokenCalls.get(selector);
  }

  /** The token's calls in which the log can have been made: the outermost that surely holds it, else all. */
  #causes(token: Address, log: Log | undefined): readonly Frame[] {
    const calls = this.#calls().get(token)!;
    const within = log?.within ?? null;
    if (within === null) return calls.slice(0, MAX_CALLS);
    const frame = this.tx.frames[within]!;
    const holding = callersOf(frame, this.tx).filter((caller) => isCallOf(caller, token));
    if (holding.length > 0) return holding;
    const first = lowerBound(calls, ({ index }) => index >= frame.index);
    return calls.slice(first, first + MAX_CALLS).filter(({ index }) => index < frame.end);
  }

  /** The call states the movement, part of its amount is left, and it may; listed tokens log the truth. */
  #takes(call: Frame, moved: Moved): boolean {
    const spec = this.#specOf(call);
    const moves = isListedAddress(call.to!, this.rulebook)
      ? spec?.spender == null
      : statesMovement(call, spec, moved, () => this.#isOwn(call, moved.movement.from));
    return moves && (moved.id === null ? this.#takesAmount(call, moved) : this.#takesId(call, moved));
  }

  #takesId(call: Frame, moved: Moved): boolean {
    const key = `${call.index} ${moved.id} ${moved.movement.amount}`;
    const takes = !this.#ids.has(key) && call.input.includes(wordOf(moved.id!)) && this.#isLet(call, moved);
    if (takes) this.#ids.add(key);
    return takes;
  }

  #takesAmount(call: Frame, moved: Moved): boolean {
    const spec = this.#specOf(call);
    const stated = spec?.amount == null ? null : uintAt(call.input, 4 + spec.amount);
    const total = (this.#moved.get(call) ?? 0n) + moved.movement.amount;
    if ((stated !== null && total > stated && stated < UNLIMITED) || !this.#isLet(call, moved)) return false;
    this.#moved.set(call, total);
    return true;
  }

  #isLet(call: Frame, moved: Moved): boolean {
    const { from } = moved.movement;
    return from === this.tx.from || this.#isOwn(call, from) || this.#isEntitled(call, moved);
  }

  #isOwn(call: Frame, account: Address): boolean {
    return call.from === account || this.#ownCalls(account).has(call);
  }

  /** Calls of the account, and those that forwarders made of requests that it signed (ERC-2771). */
  #ownCalls(account: Address): ReadonlySet<Frame> {
    let own = this.#own.get(account);
    if (own !== undefined) return own;
    const forwarded = this.#signedBy(account).flatMap(({ frame, forwards, isSigned }) =>
      forwards === null || !isSigned()
        ? []
        : this.tx.frames
            .slice(frame.index, frame.end)
            .filter(
              ({ from, to, input }) =>
                from === frame.context && to === forwards.to && input.startsWith(forwards.data),
            ),
    );
    this.#own.set(account, (own = new Set([...(this.#sent().get(account) ?? []), ...forwarded])));
    return own;
  }

  #signedBy(account: Address): readonly Signed[] {
    return this.#words.filter((word) => word.account === account);
  }

  /** Another may make this call of the token for the holder. */
  #isEntitled(call: Frame, moved: Moved): boolean {
    const { from: holder } = moved.movement;
    const spec = this.#specOf(call);
    const named = holderOf(call, spec);
    if (spec !== undefined && named !== holder) return false;
    const taker = this.#takingCall(call).from;
    if (spendGrant(this.#grantsOf(holder), call, taker, moved)) return true;
    if (actsOnOrders(this.rulebook, call.from)) return this.#hasOrdered(holder, named);
    const own = this.#ownCalls(holder);
    const mayTake = (frame: Frame): boolean => own.has(frame) && this.#isTrusted(taker, [holder, frame.to]);
    if (callersOf(call, this.tx).some((one) => mayTake(one) && entrusts(one, call, moved))) return true;
    if (taker !== call.from || !this.#isLed(call, (frame) => own.has(frame))) return false;
    return named === holder || (isListedAddress(call.to!, this.rulebook) && namesFirst(call, holder));
  }

  /** The token's call names the account, and code of the account (EIP-7702) asks its owner. */
  #hasOrdered(account: Address, named: Address | null): boolean {
    const { delegations, redelegated, nonces } = this.answers;
    const reading = { tx: this.tx, delegations, redelegated, nonces, rulebook: this.rulebook };
    return named === account && asksOwner(account, reading);
  }

  /** A stranger's contract below the holder's call knows its numbers, and may have an allowance of old. */
  #isTrusted(taker: Address, known: readonly (Address | null)[]): boolean {
    return known.includes(taker) || makesOwnCalls(this.rulebook, taker);
  }

  /**
   * Whether only listed contracts, not open to any call, are between the last such frame and the call. A
   * stranger's contract in between could choose the calldata.
   */
  #isLed(call: Frame, by: (frame: Frame) => boolean): boolean {
    const callers = callersOf(call, this.tx);
    const last = callers.findLastIndex(by);
    const led = [call.from, ...callers.slice(last, -1).map(({ context }) => context!)];
    return last >= 0 && led.every((caller) => makesOwnCalls(this.rulebook, caller));
  }

  /** Contracts that keep allowances for all tokens pull at their caller's call. */
  #takingCall(call: Frame): Frame {
    return hasTag(this.rulebook, call.from, 'permit') ? this.tx.frames[call.parent ?? call.index]! : call;
  }

  #grantsOf(holder: Address): Grants {
    let grants = this.#grants.get(holder);
    if (grants !== undefined) return grants;
    const signed = this.#signedBy(holder).filter(({ isSigned }) => isSigned());
    grants = grantsOf(signed, this.#ownCalls(holder), (call) => this.#specOf(call));
    this.#grants.set(holder, grants);
    return grants;
  }
}
