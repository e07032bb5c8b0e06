import { ZERO_ADDRESS } from '../../evm/hex.ts';
import { isRecognised, listedName } from '../../lib/motifKinds.ts';
import { isNft } from '../../value/asset.ts';
import { MAX_LISTED } from '../../value/labelFormat.ts';
import { amountsOf, isShare } from '../../value/sides.ts';
import type { LabelSubject } from './labelWords.ts';
import type { Motif } from '../../model/motif.ts';

/** Entity tags of contracts that trade for others across venues. */
const BROKER_TAGS: readonly string[] = ['aggregator', 'settlement', 'exchange_proxy'];
/** Of contracts that anybody may call through: no parties to an act. */
const NEVER_A_PARTY: readonly string[] = ['entry_point', 'multicall', 'permit', 'deployer'];

/** The called broker, else the protocols of the acts, the called contract, the one venue. */
export function placeOf(subject: LabelSubject): string | null {
  const { view, motifs } = subject;
  const nfts = view.received.filter(({ asset }) => isNft(asset));
  const moved = new Set(nfts.length > 1 ? movementsOf(subject).map(({ asset }) => asset) : []);
  // Some of the NFTs came from elsewhere.
  if (new Set(nfts.map(({ id }) => moved.has(id))).size > 1) return null;
  const [tags, called] = [view.tagsOf(view.tx.to), calledName(subject)];
  if (called !== null && tags.some((tag) => BROKER_TAGS.includes(tag))) return called;
  // A share is of its vault, whichever router put the assets there.
  const isOfShare = (act: Motif): boolean => amountsOf(act).some(isShare);
  const isAtVault = tags.includes('router') && motifs.length > 0 && motifs.every(isOfShare);
  return knownProtocols(subject) ?? (isAtVault ? null : called) ?? venueOf(subject);
}

/** The protocols of the acts, and listed venues of no protocol; null for none or too many. */
export function knownProtocols({ view, motifs, brevity, format }: LabelSubject): string | null {
  const names = new Set<string>();
  for (const { protocol, named, venue } of outermost(motifs)) {
    // A token may call itself anything: such a name is no protocol's.
    const known = named && named.matchedBy !== 'token' ? named : protocol;
    const isListed = view.input.rulebook.protocolAt.has(venue);
    const name = isRecognised(known) ? format.protocol(known.slug) : isListed ? format.name(venue) : null;
    if (name !== null) names.add(name);
  }
  if (names.size > MAX_LISTED) return null;
  return [...names].slice(0, brevity < 3 ? MAX_LISTED : 1).join(', ') || null;
}

/** The one venue; the account that paid by its order, where only movements show the act. */
export function venueOf(subject: LabelSubject): string | null {
  const { view, motifs, format } = subject;
  const [venue, ...others] = new Set(outermost(motifs).map((act) => act.venue));
  if (venue === undefined || others.length > 0) return null;
  const moved = movementsOf(subject);
  const [payer, ...more] = new Set(moved.map(({ from }) => from));
  const isPaid = motifs.every((act) => act.protocol === null) && moved.every(({ to }) => view.entity.has(to));
  return format.account(isPaid && payer && more.length === 0 && payer !== ZERO_ADDRESS ? payer : venue);
}

/** The contract that was called, where the rules know it and it is not the actor's own. */
function calledName({ view, format }: LabelSubject): string | null {
  const { to, input } = view.tx;
  if (to === null || input === '0x' || view.entity.has(to)) return null;
  if (view.tagsOf(to).some((tag) => NEVER_A_PARTY.includes(tag))) return null;
  const { rulebook } = view.input;
  return listedName(to, rulebook) === null || view.flow.wrappedNative.has(to) ? null : format.name(to);
}

/** The acts that are not inside another of these. */
function outermost(motifs: readonly Motif[]): Motif[] {
  const all = new Set(motifs.map(({ index }) => index));
  return motifs.filter(({ parent }) => !all.has(parent ?? -1));
}

const movementsOf = ({ view: { flow }, motifs }: LabelSubject) =>
  motifs.flatMap((act) => act.movements.map((index) => flow.movements[index]!));
