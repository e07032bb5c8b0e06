import type { LexiconEntry, IntentKindSpec, MotifKindSpec } from './vocabulary.ts';
import type { FindingRule } from './finding.ts';
import type { Address, Hash, Hex } from './hex.ts';
import type { CreationSpec, RegistrySpec, TokenPatterns } from './membership.ts';
import type { AssetKind } from './valueFlow.ts';
import type { TokenMetadata } from './upstream.ts';
import type { Confidence } from './motif.ts';
import type { RawIntent, RawLeg, RawMeaning } from './generated/rules.ts';
import type { IntentKind, PreparedRules } from './intent.ts';
import type { MotifKind, PortionRole } from './primitive.ts';
import type { PriceFeedSpec, PricingRules } from './pricing.ts';

type RuleStatus = RawIntent['status'];

/** A parameter of an event or function, with where to find it so that no ABI decoder runs per log. */
export interface ParamSpec {
  readonly name: string;
  /** Canonical ABI type, e.g. `address`, `uint256`, `bytes32[]`. */
  readonly type: string;
  readonly indexed: boolean;
  /** Topic position (1-based) when indexed, else the byte offset of its head in `data`/calldata arguments. */
  readonly offset: number;
  /** Left out: its own arguments; `call`: those of the call around the event; `output`: a call's results. */
  readonly at?: 'call' | 'output';
}

/**
 * A bind expression, compiled from YAML text. The closed list of words is in `rules/README.md`.
 * `arg` reads a parameter; `element` one element of a tuple or array parameter.
 */
export type BindExpr =
  | { readonly op: 'arg'; readonly name: string; readonly path: readonly (string | number)[] }
  | { readonly op: 'emitter' | 'signer' | 'tx_to' | 'caller' | 'target' | 'value' | 'native' | 'zero' }
  | { readonly op: 'asked_by' }
  | { readonly op: 'leg'; readonly role: string; readonly end: 'from' | 'to' | 'asset' }
  | { readonly op: 'literal'; readonly value: string }
  /** First operand that resolves. */
  | { readonly op: 'first'; readonly of: readonly BindExpr[] }
  /** The account that held this NFT: its contract and id. */
  | { readonly op: 'holder'; readonly of: readonly [nft: BindExpr, id: BindExpr] }
  /** 32 bytes of a `bytes` value from this byte on, as a number. */
  | { readonly op: 'word'; readonly of: BindExpr; readonly at: number }
  /** Amount words: only non-zero / positive / negated-negative values resolve. */
  | { readonly op: AmountWord; readonly of: BindExpr };

/** Functions of one amount. `signed_…`: the half of a word as a two's complement number. */
export type AmountWord =
  | 'abs'
  | 'positive'
  | 'negative'
  | 'low128'
  | 'high128'
  | 'signed_low128'
  | 'signed_high128';

/** A leg by its expressions; the binding stage makes resolvers of them. */
export interface LegSpec<Expr = BindExpr>
  extends Required<Pick<RawLeg, 'role' | 'match' | 'otherwise' | 'pick' | 'required'>> {
  readonly from: Expr | null;
  readonly to: Expr | null;
  readonly asset: Expr | null;
  readonly id: Expr | null;
  readonly assetKind: AssetKind | null;
  readonly movementKind: NonNullable<RawLeg['movement']> | null;
  /** Alternatives; the first that resolves to a non-zero amount is matched exactly. Empty = any amount. */
  readonly amount: readonly Expr[];
  /** Stated fees: paid on top of an amount that was sent, kept back from one that was received. */
  readonly fees: readonly Expr[];
  /** Everything sent; the part over the amount is a fee. */
  readonly total: Expr | null;
}

export interface RoleSpec {
  readonly role: string;
  readonly account: BindExpr;
}

/** Part of the legs' amounts, or an amount on top of them: see `Portion`. */
export interface PortionSpec<Expr = BindExpr> {
  readonly role: PortionRole;
  /** Null: the asset of the leg it is a part of. */
  readonly asset: Expr | null;
  readonly amount: Expr;
}

/** Maps one event or call to a motif kind, for emitters the shape accepts. */
export interface EventMapping {
  readonly shape: string;
  readonly kind: MotifKind;
  readonly status: RuleStatus;
  /** Its signature has no second source. */
  readonly unconfirmed: boolean;
  readonly venue: BindExpr;
  readonly poolId: BindExpr | null;
  readonly roles: readonly RoleSpec[];
  readonly legs: readonly LegSpec[];
  /** Conditions on arguments, all must hold. */
  readonly when: readonly {
    readonly left: BindExpr;
    /** `gt0`, `lt0` and `is0` take no right side. */
    readonly operator: NonNullable<RawMeaning['when']>[number]['is'];
    readonly right: BindExpr | null;
  }[];
  readonly tags: readonly string[];
  /** Key of the position or order: acts of one shape with equal values concern the same one. */
  readonly about: readonly BindExpr[];
  /** The NFT that represents the position, moved or not. */
  readonly position: { readonly token: BindExpr; readonly id: BindExpr } | null;
  readonly portions: readonly PortionSpec[];
  /** Selector of the call the event is made in; its parameters and return values are among `params`. */
  readonly within: Hex | null;
  /** Any emitter may speak this shape (a family known by behaviour); otherwise only its protocols'. */
  readonly anyEmitter: boolean;
  /** Highest confidence when only the family is known. */
  readonly familyConfidence: Confidence;
  readonly params: readonly ParamSpec[];
  /** Protocols that speak this shape. */
  readonly protocols: readonly ProtocolSpec[];
}

export interface ProtocolSpec {
  readonly slug: string;
  readonly version: number;
  readonly name: string;
  readonly addresses: ReadonlySet<Address>;
  /** Pools with a CREATE2 address that follows from the two tokens (EIP-1014). */
  readonly create2: {
    readonly deployer: Address;
    readonly initCodeHash: Hash;
    /** `packed`: keccak(token0‖token1). `abi`: keccak(abi.encode(token0, token1, fee)), for each fee. */
    readonly salt: 'packed' | 'abi_fee';
    readonly fees: readonly number[];
  } | null;
  /** Contracts recognised because their address follows from a deployer's count (EIP-161, CREATE3). */
  readonly created: readonly CreationSpec[];
  /** Names of this protocol's tokens, for display: they prove nothing. */
  readonly tokens: TokenPatterns | null;
  /** Contracts that list this protocol's others, asked in the second round trip. */
  readonly registries: readonly RegistrySpec[];
  /** The act that a plain payment of these tokens to one of its addresses is; null: a payment. */
  readonly payments: { readonly kind: string; readonly assets: ReadonlySet<Address> } | null;
  /** Part of a trade's input that its constant-product pools keep, in millionths; left out: they are none. */
  readonly swapFeePpm?: number;
  /** Entity tags of all its contracts. */
  readonly tags: readonly string[];
}

export interface EventSpec {
  readonly signature: string;
  readonly topic0: Hash;
  readonly topicCount: number;
  readonly mappings: readonly EventMapping[];
}

export interface CallSpec {
  readonly signature: string;
  readonly selector: Hex;
  readonly mappings: readonly EventMapping[];
  /** `root`: only the transaction's own call. `any`: any frame. */
  readonly depth: 'root' | 'any';
}

export interface Entity {
  readonly slug: string;
  readonly name: string;
  readonly tags: readonly string[];
}

/** An event by which a token that predates or ignores the standards moves value. */
export interface TokenEventSpec {
  readonly topic0: Hash;
  readonly topicCount: number;
  /** Empty = any emitter. */
  readonly emitters: ReadonlySet<Address>;
  readonly assetKind: 'erc20' | 'erc721';
  /** The event repeats a movement of another event and must not be read as a standard Transfer either. */
  readonly ignored: boolean;
  readonly params: readonly ParamSpec[];
  readonly from: BindExpr;
  readonly to: BindExpr;
  readonly amount: BindExpr | null;
  readonly tokenId: BindExpr | null;
}

/**
 * A token's call that moves or allows: byte offsets of its arguments, null where there is none. `holder`:
 * null, the caller; `to`: null, destroyed; `spender` may take from the caller; `token`: null, the called
 * contract;
 * `amount`: of single NFTs the id; `id`: beside an amount; `approved`: whether the spender may take all.
 */
export type TokenCallSpec = Readonly<
  Record<'holder' | 'to' | 'spender' | 'token' | 'amount' | 'id' | 'approved', number | null>
>;

/** A condition tree as json-rules-engine takes it, validated against the fact vocabulary. */
export type Condition =
  | { readonly all: readonly Condition[] }
  | { readonly any: readonly Condition[] }
  | { readonly not: Condition }
  | { readonly fact: string; readonly operator: string; readonly value: unknown };

export interface IntentRule
  extends Pick<RawIntent, 'slug' | 'version' | 'status' | 'intent' | 'label' | 'proof' | 'confidence'> {
  /** Used where a placeholder of `label` has no value; has none itself, or equals `label`. */
  readonly labelFallback: string;
  readonly when: Condition;
  /** Overlay that the rule is from, in their order; left out for the base ruleset. */
  readonly layer?: number;
  /** Breaks ties between rules of intents with equal rank; higher first. */
  readonly priority: number;
  readonly supersedes: readonly string[];
  /** Motif kinds the verdict rests on. */
  readonly restsOn: readonly MotifKind[];
  /** Motif kinds with at least one required, so that the rule can be skipped cheaply; empty = always run. */
  readonly requiresAny: readonly MotifKind[];
  readonly tags: readonly string[];
}

/** Lines of text, sorted, each with a line feed; the first word of a line is its key. */
export type LineTable = Readonly<{ text: string }>;

/** Signatures by hash: lines `<first 8 hex digits> <Name(type name, …)>`. */
export interface SignatureTables {
  readonly events: LineTable;
  readonly functions: LineTable;
  /** Functions with the names their own contracts give the arguments: lines `<slug> <signature>`. */
  readonly own: LineTable;
}

/** Amounts at which an allowance is unlimited: these, and all from one on. */
export interface UnlimitedAmounts {
  readonly from: bigint;
  readonly exactly: ReadonlySet<bigint>;
}

/** Everything `rules/` says, compiled: plain data that can be stored and sent to threads. */
export interface CompiledRules {
  readonly version: string;
  /** `sha256:…` over the canonical content of every rule file. */
  readonly digest: string;
  /** Key `<topic0>:<topic count>`: ERC-20 and ERC-721 Transfer share topic0. */
  readonly events: ReadonlyMap<string, EventSpec>;
  readonly calls: ReadonlyMap<Hex, CallSpec>;
  readonly protocols: ReadonlyMap<string, ProtocolSpec>;
  /** Slug of the protocol that lists an address. */
  readonly protocolAt: ReadonlyMap<Address, string>;
  readonly entities: ReadonlyMap<Address, Entity>;
  readonly wrappedNative: ReadonlySet<Address>;
  /** Well-known symbols, each with the only addresses that may carry it. */
  readonly knownTokens: ReadonlyMap<string, ReadonlySet<Address>>;
  /** Their full names, alike. */
  readonly knownNames: ReadonlyMap<string, ReadonlySet<Address>>;
  /** Metadata of well-known tokens, as the rules state it. */
  readonly tokenFacts: ReadonlyMap<Address, TokenMetadata>;
  /** Classes of tokens (`stablecoin`, `lst`, …) by address, as entity files declare them. */
  readonly assetClasses: ReadonlyMap<Address, readonly string[]>;
  readonly tokenEvents: ReadonlyMap<string, readonly TokenEventSpec[]>;
  /** By selector. */
  readonly tokenCalls: ReadonlyMap<Hex, TokenCallSpec>;
  readonly feeds: readonly PriceFeedSpec[];
  readonly pricing: PricingRules;
  readonly multicall: { readonly address: Address; readonly sinceBlock: bigint };
  /** Universal resolver of the Ethereum Name Service (ENSIP-23); null where no rule names one. */
  readonly nameResolver: { readonly address: Address; readonly sinceBlock: bigint } | null;
  readonly errors: ReadonlyMap<Hex, { readonly name: string; readonly signature: string }>;
  readonly unlimited: UnlimitedAmounts;
  readonly motifKinds: ReadonlyMap<MotifKind, MotifKindSpec>;
  readonly intentKinds: ReadonlyMap<IntentKind, IntentKindSpec>;
  readonly intents: readonly IntentRule[];
  /** By slug. */
  readonly findings: readonly FindingRule[];
  readonly signatures: SignatureTables;
  /** Best first. */
  readonly lexicon: readonly LexiconEntry[];
  /**
   * Address book: lines `<address> <kind> <name>`. For display only: no stage that classifies,
   * attributes, proves or prices reads it.
   */
  readonly addressBook: LineTable;
}

export interface Rulebook extends CompiledRules {
  readonly prepared: PreparedRules;
}
