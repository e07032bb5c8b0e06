import { NOTHING } from './lists.ts';
import type { Motif } from '../model/motif.ts';
import type { Rulebook } from '../model/rulebook.ts';
import type { MotifKindSpec, MotifTraits } from '../model/vocabulary.ts';
import type { CanonicalTx } from '../model/canonicalTx.ts';
import type { Address } from '../model/hex.ts';
import type { ProtocolRef } from '../model/primitive.ts';

/** The traits of a kind that declares none. */
export const NO_TRAITS: MotifTraits = {
  venue: 'venue',
  plain: false,
  actsOnVenue: false,
  composite: false,
  trade: null,
  executes: null,
  allowance: false,
  carries: false,
  serves: null,
  dependent: false,
  fee: false,
  destroys: false,
  completedBy: null,
  closedFlow: null,
  submitter: false,
  claims: [],
  legs: [],
};

/** Traits the vocabulary declares for a motif kind; all off for an unknown kind. */
export function kindOf({ motifKinds }: Pick<Rulebook, 'motifKinds'>, kind: string): MotifKindSpec {
  return motifKinds.get(kind) ?? { kind, title: kind, fragment: null, position: null, ...NO_TRAITS };
}

type Classified = Pick<Motif, 'traits'>;

/** Whether it trades one asset for another at one venue. */
export const isSwap = ({ traits }: Classified): boolean => traits.trade === 'swap';

/** Whether it is a closed flow: its remainder is a gain or a loss. */
export const isCycle = ({ traits }: Classified): boolean => traits.closedFlow === 'always';

/** Tags of swaps for a token that is a position in itself, such as a principal token, with the effect. */
export const POSITION_TRADES: ReadonlyMap<string, { effect: string; owner: string; sign: bigint }> = new Map([
  ['buys_position', { effect: 'increase', owner: 'recipient', sign: 1n }],
  ['sells_position', { effect: 'decrease', owner: 'payer', sign: -1n }],
]);

/** Whether the act changes positions: by its kind, or as a swap for a position's token. */
export function changesPosition({ traits, tags }: Pick<Motif, 'traits' | 'tags'>): boolean {
  return traits.position !== null || tags.some((tag) => POSITION_TRADES.has(tag));
}

/** Entity tags of addresses that serve every user and belong to no single one. */
const SERVING_TAGS = new Set([
  'never_elect',
  'router',
  'aggregator',
  'settlement',
  'entry_point',
  'bridge',
  'infrastructure',
  'multicall',
  'wrapped_native',
  'exchange_proxy',
  'pool',
  'vault',
  'paymaster',
  'forwarder',
]);

/** The tag by which the rules list an address as serving every user; undefined for all others. */
export function servingTag({ entities }: Pick<Rulebook, 'entities'>, account: Address): string | undefined {
  return entities.get(account)?.tags.find((tag) => SERVING_TAGS.has(tag));
}

/** Whether the rules list the address itself with this tag. */
export const hasTag = ({ entities }: Pick<Rulebook, 'entities'>, account: Address, tag: string): boolean =>
  entities.get(account)?.tags.includes(tag) === true;

/** The account's own tags in the rules, else those of all contracts of its protocol. */
export function tagsOf(account: Address, { entities, prepared, protocols }: Rulebook): readonly string[] {
  return entities.get(account)?.tags ?? protocols.get(prepared.protocolOf(account) ?? '')?.tags ?? NOTHING;
}

const UNPROVEN: ReadonlySet<ProtocolRef['matchedBy']> = new Set(['family', 'token', 'creator']);

/** Whether the contract is proven to be the protocol's: not by behaviour, name, or a creator of any code. */
export function isRecognised(protocol: ProtocolRef | null): protocol is ProtocolRef {
  return protocol !== null && !UNPROVEN.has(protocol.matchedBy);
}

/** The protocol of a contract: it lists the address, its deployer made it, or its registry confirms it. */
export function protocolOf(
  contract: Address,
  registered: ReadonlyMap<Address, string> | undefined,
  { prepared, protocols, protocolAt }: Pick<Rulebook, 'prepared' | 'protocols' | 'protocolAt'>,
): ProtocolRef | undefined {
  const own = prepared.protocolOf(contract);
  const spec = protocols.get(own ?? registered?.get(contract) ?? '');
  if (!spec) return undefined;
  // A deployer that makes any code is the creator of a protocol without shapes.
  const anyCode = !protocolAt.has(contract) && prepared.kindsOf(contract) === undefined;
  const matchedBy = own === undefined ? 'registry' : anyCode ? 'creator' : 'address';
  return { slug: spec.slug, version: spec.version, matchedBy };
}

/** The rules' name of an account: its own, or its protocol's, listed or made by a deployer of it alone. */
export function listedName(
  account: Address,
  rulebook: Pick<Rulebook, 'entities' | 'prepared' | 'protocols' | 'protocolAt'>,
): string | null {
  const protocol = protocolOf(account, undefined, rulebook) ?? null;
  const own = isRecognised(protocol) ? rulebook.protocols.get(protocol.slug) : undefined;
  return rulebook.entities.get(account)?.name ?? own?.name ?? null;
}

/** Whether the called contract passed the signer's function on to the account: it is commanded, not asked. */
export function isCommanded({ frames, to: called }: CanonicalTx, account: Address): boolean {
  const selector = frames[0]?.selector ?? null;
  if (account === called || selector === null) return false;
  return frames.some((f) => f.to === account && f.selector === selector && f.from !== account);
}
