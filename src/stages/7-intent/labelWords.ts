import { creationsIn, revertReason } from '../../value/frames.ts';
import { joined } from '../../value/amount.ts';
import { isNft, NATIVE_ASSET } from '../../value/asset.ts';
import { ZERO_ADDRESS } from '../../evm/hex.ts';
import { shortAddress } from '../../evm/address.ts';
import { groupBy } from '../../lib/lists.ts';
import { lazy } from '../../lib/lazy.ts';
import { accountsWith } from '../../lib/roles.ts';
import { amountText, MAX_LISTED, type LabelFormat } from '../../value/labelFormat.ts';
import { listedGifts } from './accountsFor.ts';
import { paymentsBeside } from './paymentsBeside.ts';
import { attemptOf, blobsText, deedOf, delegationText, loggedBy, methodOf } from './calledWords.ts';
import { balances, type Balance } from '../../value/balances.ts';
import {
  actAmounts,
  gainsOf,
  gotBeside,
  isFee,
  isTrade,
  netOf,
  otherOwner,
  paidBeside,
  paidInstead,
  paidTo,
  sumsOf,
  totals,
  type ActAmount,
  type ActFee,
} from './actAmounts.ts';
import { argument, choice, span } from './label.ts';
import { shownAmounts } from './kept.ts';
import { marketOf } from './facts/motifFacts.ts';
import { knownProtocols, placeOf, venueOf } from './places.ts';
import type { SubjectView } from './facts/subjectView.ts';
import type { Address } from '../../model/hex.ts';
import type { Motif } from '../../model/motif.ts';
import type { Allowance, Asset } from '../../model/valueFlow.ts';

/** Source of a label's words: the winning rule's view and the motifs it rests on. */
export interface LabelSubject {
  readonly view: SubjectView;
  readonly motifs: readonly Motif[];
  /**
   * From 1 without the number of pools, from 2 without fees, from 3 with one venue alone, from 4 several
   * assets given counted, from 5 those received, too.
   */
  readonly brevity: number;
  readonly format: LabelFormat;
}

type Word = (subject: LabelSubject) => string | null;

/** The value of `{word}` or `{family.word}`; null where it has none. */
export function fillPlaceholder(placeholder: string, subject: LabelSubject): string | null {
  const dot = placeholder.indexOf('.');
  if (dot < 0) return WORDS[placeholder]?.(subject) ?? null;
  return FAMILIES[placeholder.slice(0, dot)]?.(placeholder.slice(dot + 1), subject) ?? null;
}

const WORDS: Readonly<Record<string, Word>> = {
  sent: (subject) => amountsText(subject, 'sent'),
  received: (subject) => amountsText(subject, 'received'),
  gave: (subject) => amountsText(subject, 'sent'),
  got: (subject) => amountsText(subject, 'received'),
  nft: ({ view, format }) =>
    listed([...view.received, ...view.sent].filter(({ asset }) => isNft(asset)).map(netOf), format),
  bought: (subject) => (hasNft(subject.view.received) ? amountsText(subject, 'received') : null),
  sold: (subject) =>
    hasNft(subject.view.sent) && !hasNft(subject.view.received) ? amountsText(subject, 'sent') : null,
  protocol: (subject) => knownProtocols(subject),
  place: (subject) => placeOf(subject),
  venue: (subject) => venueOf(subject),
  counterparty: ({ view, format }) => {
    const others = view.recipients.size > 0 ? view.recipients : view.senders;
    return others.size === 1 ? format.account([...others][0]!) : null;
  },
  actor: ({ view, format }) => format.account(view.input.subject.account),
  owner: ({ view, motifs, format }) => {
    const owners = motifs.flatMap(({ participants }) => accountsWith(participants, 'owner'));
    const [one, ...more] = new Set(owners.filter((account) => !view.venues.has(account)));
    return one && more.length === 0 && !view.entity.has(one) ? format.account(one) : null;
  },
  count: ({ view }) => String(view.recipients.size || view.netHolders.receivers.size),
  acts: ({ motifs }) => String(motifs.reduce((sum, { count = 1 }) => sum + count, 0)),
  delivered: ({ view: { deliveries }, format }) =>
    listed(perAsset(deliveries.flatMap(({ bought }) => bought)), format),
  recipient: ({ view: { deliveries }, format }) =>
    deliveries.length === 1 ? format.account(deliveries[0]!.account) : null,
  pools: ({ view, motifs, brevity }) => {
    if (brevity > 0) return null;
    const parts = view.input.motifs.filter(({ parent }) => motifs.some(({ index }) => index === parent));
    const swaps = [parts, view.path, motifs].find(({ length }) => length > 0) ?? [];
    const called = lazy(
      () => new Set(view.tx.frames.filter((f) => f.type === 'CALL' && f.input !== '0x').map(({ to }) => to)),
    );
    // A maker of orders swaps as a pool does, but without being called.
    const pools = swaps.filter(
      ({ basis, protocol, venue }) => basis !== 'structure' || protocol !== null || called().has(venue),
    );
    const venues = new Set(pools.map(marketOf));
    return venues.size > 1 ? String(venues.size) : null;
  },
  gain: ({ view, motifs, format }) => listed(gainsOf(view, motifs, 'received'), format),
  loss: ({ view, motifs, format }) => listed(gainsOf(view, motifs, 'sent'), format),
  allowance: (subject) => {
    const { view, format } = subject;
    const of = (owner: Address): string => (view.entity.has(owner) ? '' : ` of ${format.account(owner)}`);
    const texts = ownAllowances(subject).map((one) => `${allowedText(one, format)}${of(one.owner)}`);
    return texts.length > MAX_LISTED
      ? `${texts.length} allowances`
      : [...new Set(texts)].join(' and ') || null;
  },
  spender: (subject) => {
    const spenders = new Set(ownAllowances(subject).map(({ spender }) => spender));
    return spenders.size === 1 ? subject.format.account([...spenders][0]!) : null;
  },
  contract: ({ view: { tx }, format }) => format.account(tx.to ?? tx.createdContract ?? tx.from),
  method: (subject) => methodOf(subject.view) ?? deedOf(subject),
  deed: (subject) => deedOf(subject) ?? methodOf(subject.view),
  events: (subject) => (methodOf(subject.view) === null ? loggedBy(subject) : null),
  call: (subject) => {
    const [method, contract] = [methodOf(subject.view), WORDS['contract']!(subject)];
    return method === null || subject.brevity > 2 ? contract : `${method} on ${contract}`;
  },
  blobs: ({ view }) => blobsText(view),
  delegation: (subject) => delegationText(subject),
  created: ({ view, format }) => {
    const created = creationsIn(view.tx.frames);
    if (created.length > 1) return `${created.length} contracts`;
    return created[0] ? format.account(created[0].to!) : null;
  },
  attempt: (subject) => attemptOf(subject),
  moved: ({ view, format }) => exchanged(view, format) ?? listed(movedBetween(view), format),
  giver: ({ view, format }) => onlyEnd(view, format, 'outflow'),
  taker: ({ view, format }) => onlyEnd(view, format, 'inflow'),
  reason: ({ view: { tx, input } }) => revertReason(tx, input.rulebook.errors),
};

const FAMILIES: Readonly<Record<string, (word: string, subject: LabelSubject) => string | null>> = {
  role: (role, { motifs, format }) => {
    const accounts = new Set(motifs.flatMap(({ participants }) => accountsWith(participants, role)));
    return accounts.size === 1 ? format.account([...accounts][0]!) : null;
  },
  leg: (role, { view, motifs, format }) =>
    listed([...totals(view, motifs, ({ leg }) => leg === role).values()], format),
  arg: argument,
  choice,
  span,
};

const FEE_WORDS = { sent: 'for a fee of', received: 'collecting', owed: 'owing', paid: 'paying' } as const;

/** `, paying 0.0004 ETH`; nothing of no amounts. */
export function clause(verb: string, all: readonly ActAmount[], { format }: LabelSubject, end = ''): string {
  const text = listed(all, format);
  return text === null ? '' : `, ${verb} ${text}${end}`;
}

/** `, for a fee of 0.0004 ETH`, `, collecting 3 USDC`, `, owing 5 LUSD`; a brief text has no fees. */
export function feesText(fees: readonly ActFee[], subject: LabelSubject): string {
  const sides =
    subject.brevity > 1 ? (['owed', 'paid'] as const) : (['sent', 'received', 'owed', 'paid'] as const);
  const of = (side: keyof typeof FEE_WORDS): ActFee[] => fees.filter((fee) => fee.side === side);
  return sides.map((side) => clause(FEE_WORDS[side], of(side), subject)).join('');
}

/** `, sending 5 USDC to 0x12ab…cdef`: payments of the actor's batch beside the amounts of the headline. */
export function paymentsText(subject: LabelSubject): string {
  const { view, motifs, format } = subject;
  const payments = paymentsBeside(motifs, view);
  const stated = actAmounts(motifs, view).sent;
  const beside = [...sumsOf(view, payments, 'sent').values()].filter(({ id, amount }) => {
    const gave = stated.find((one) => one.id === id)?.amount ?? 0n;
    return view.sent.some((one) => one.id === id && -one.net >= amount + gave);
  });
  const paid = new Set(payments.flatMap(({ participants }) => accountsWith(participants, 'recipient')));
  return clause('sending', beside, subject, paid.size === 1 ? ` to ${format.account([...paid][0]!)}` : '');
}

/** `, owed by 0x12ab…cdef`, `, out of 8.75 ETH`: words of a headline beside its amounts. */
export function aboutPosition(subject: LabelSubject): string {
  const { view, motifs, brevity, format } = subject;
  const owner = otherOwner(view, motifs);
  const adds = (motif: Motif): boolean => /^(open|increase)$/.test(motif.traits.position?.effect ?? '');
  const isDebt = (motif: Motif): boolean => motif.traits.position?.category === 'lending_debt';
  const isPaid = (account: Address): boolean => view.entity.has(account);
  const takesOut = (motif: Motif): boolean =>
    !adds(motif) && !isDebt(motif) && accountsWith(motif.participants, 'recipient').some(isPaid);
  const owes = (motif: Motif): boolean => adds(motif) && isDebt(motif);
  if (owner !== null && motifs.every(owes)) return `, owed by ${shortAddress(owner)}`;
  if (owner !== null && motifs.some(takesOut)) return `, held for ${shortAddress(owner)}`;
  if (owner !== null) return ` for ${shortAddress(owner)}`;
  if (brevity > 1) return '';
  const recipient = paidTo(view, motifs);
  if (recipient !== null) return `, paid to ${format.account(recipient)}`;
  const payments = sumsOf(view, paymentsBeside(motifs, view), 'sent');
  const paid = paidInstead(motifs, view).filter(({ id }) => !payments.has(id));
  const made = paid.some(({ id }) => !isFee(view, id, sumsOf(view, motifs, 'sent')));
  const claimed = gotBeside(view, motifs);
  const gifts = listedGifts(view, motifs).filter(({ id }) => !claimed.some((one) => one.id === id));
  return [
    clause('and', paidBeside(view, motifs), subject, ' of others'),
    clause(made ? 'out of' : 'paying', paid, subject),
    clause(isTrade(motifs) ? 'receiving' : 'claiming', claimed, subject),
    clause('receiving', gifts, subject),
  ].join('');
}

const amountsText = ({ view, motifs, format, brevity }: LabelSubject, side: 'sent' | 'received') =>
  listed(shownAmounts(view, motifs, side), format, brevity > (side === 'sent' ? 3 : 4) ? 1 : MAX_LISTED);

const perAsset = (own: readonly Balance[]): ActAmount[] => joined(own.map(netOf), ({ id }) => id);

const hasNft = (balances: readonly Balance[]): boolean => balances.some(({ asset }) => isNft(asset));

const LIST = new Intl.ListFormat('en-GB');

/** Amounts; of more than `most` the largest is named and the rest counted. */
function listed(amounts: readonly ActAmount[], format: LabelFormat, most = MAX_LISTED): string | null {
  const texts = nftCounts(amounts, format);
  if (texts.length <= most) return texts.length > 1 ? LIST.format(texts) : (texts[0] ?? null);
  if (most === 1 || texts.length < amounts.length) return `${amounts.length} assets`;
  const worth = ({ asset, amount }: ActAmount): number => format.worth(asset, amount);
  const largest = amounts.reduce((most, one) => (worth(one) > worth(most) ? one : most));
  return `${amountText(largest, format)} and ${texts.length - 1} assets more`;
}

/** Several NFTs of one collection are counted. */
function nftCounts(amounts: readonly ActAmount[], format: LabelFormat): string[] {
  if (amounts.length < 2) return amounts.map((one) => amountText(one, format));
  const collectionOf = ({ asset: { kind, address } }: ActAmount) => (kind === 'erc721' ? address : null);
  const collections = groupBy(amounts, collectionOf);
  const texts = amounts.map((one) => {
    const count = collections.get(collectionOf(one)!)?.length ?? 1;
    return count > 1
      ? `${count} × ${format.asset({ ...one.asset, tokenId: null })}`
      : amountText(one, format);
  });
  return [...new Set(texts)];
}

/** The one account that gave, or got, all that moved. */
function onlyEnd({ flow }: SubjectView, format: LabelFormat, side: 'inflow' | 'outflow'): string | null {
  const other = side === 'inflow' ? 'outflow' : 'inflow';
  const ends = [...flow.ledgers].filter(([, ledger]) =>
    [...ledger.values()].some((entry) => entry[side] > entry[other]),
  );
  return ends.length === 1 && ends[0]![0] !== ZERO_ADDRESS ? format.account(ends[0]![0]) : null;
}

/** `5 USDC out and 1 ETH in`: amounts that the called contract gave and got; null unless it did both. */
function exchanged({ tx, flow }: SubjectView, format: LabelFormat): string | null {
  const own = [...balances(flow, tx.to ?? tx.from).values()];
  const gave = listed(own.filter(({ net }) => net < 0n).map(netOf), format);
  const got = listed(own.filter(({ net }) => net > 0n).map(netOf), format);
  return gave && got && `${gave} out and ${got} in`;
}

/** Gains of all accounts together, asset by asset; none from wrapping or of assets that venues passed on. */
export function movedBetween({ flow, venues }: Pick<SubjectView, 'flow' | 'venues'>): ActAmount[] {
  const changed = [...flow.ledgers.keys()].flatMap((account) => {
    const own = flow.wrappedNative.has(account) ? [] : [...balances(flow, account).values()];
    const kept = own.filter(({ id, net }) => net && (account !== ZERO_ADDRESS || id !== NATIVE_ASSET));
    return kept.map((one) => ({ ...one, isVenue: venues.has(account) }));
  });
  const ends = new Set(changed.filter(({ isVenue }) => !isVenue).map(({ id }) => id));
  return perAsset(changed.filter(({ id, net }) => net > 0n && (ends.has(id) || ends.size === 0)));
}

/** The allowances that the actor gave; where it gave none, all. */
function ownAllowances({ view }: LabelSubject): readonly Allowance[] {
  const own = view.flow.allowances.filter(({ owner }) => view.entity.has(owner));
  return own.length > 0 ? own : view.flow.allowances;
}

/** `5 USDC`, `unlimited USDC`. */
function allowedText(allowance: Allowance, format: LabelFormat): string {
  const { token, assetKind: kind, tokenId, amount, unlimited } = allowance;
  const asset: Asset = { id: '', kind, address: token, tokenId };
  if (allowance.kind === 'revoked') return format.asset(asset);
  if (kind === 'erc20' && unlimited) return `unlimited ${format.asset(asset)}`;
  if (kind === 'erc20') return amountText({ asset, amount: amount! }, format);
  return tokenId === null ? `all ${format.asset(asset)}` : format.asset(asset);
}
