/*
 * Generated from schemas/rules/*.schema.json by scripts/generateRuleTypes.ts. Do not edit: change the schema
 * and run it again.
 */
/** Content of rule files after validation and expansion. Names are those of the YAML keys. */
export interface RawShape {
  readonly slug: string;
  readonly version: number;
  readonly status: 'experimental' | 'stable' | 'deprecated';
  readonly replaced_by?: string;
  readonly override?: boolean;
  readonly summary: string;
  readonly references: readonly string[];
  /**
   * true: recognised at unknown emitters too (a family known by behaviour). false: only at the addresses of
   * protocols that list this shape.
   */
  readonly any_emitter: boolean;
  /** Highest confidence when only the family is known; default Medium. */
  readonly family_confidence?: 'High' | 'Medium' | 'Low';
  readonly events?: readonly RawMeaning[];
  readonly calls?: readonly RawMeaning[];
  /** Transactions made up to test the shape, run by `txreport rules test`. */
  readonly examples?: readonly RawShapeExample[];
  /**
   * Where its signatures were found besides the references: a package, or a repository and path. An entry may
   * name another.
   */
  readonly source?: string;
  /**
   * Signatures of this shape that only one source has: what they mean is Suspected, but for events of listed
   * contracts that movements confirm.
   */
  readonly unconfirmed?: readonly string[];
}
export interface RawMeaning {
  /** Signature as in Solidity, or a list of signatures that all mean this. */
  readonly event?: string;
  /**
   * First topic of an anonymous log that puts the selector of the call there, padded with zeros (DSNote), not
   * the hash of a signature. The parameters of `event` are then what follows it.
   */
  readonly topic0?: `0x${string}`;
  /** Where this signature was found, if not where the shape's others were. */
  readonly source?: string;
  /** Motif kind of vocabulary.yaml. */
  readonly kind: string;
  /** Contract where it happens; default $emitter (events) or $target (calls). */
  readonly venue?: string;
  /** Sub-venue of a singleton contract. */
  readonly pool_id?: string;
  /** Account roles and the expression that yields each. */
  readonly roles?: Readonly<Record<string, string>>;
  /** What moved. A required leg that binds nothing makes the whole meaning void. */
  readonly legs?: readonly RawLeg[];
  /**
   * Why it may move nothing that a leg could name. Only contracts of the protocols that speak the shape are
   * then believed.
   */
  readonly legless?: string;
  /** Conditions on arguments; all must hold. */
  readonly when?: readonly ({
    readonly left: string;
    readonly is: 'equals' | 'differs' | 'above' | 'below' | 'gt0' | 'lt0' | 'is0';
    readonly right?: string;
  })[];
  readonly tags?: readonly string[];
  /**
   * What the act is about: acts of one shape with equal values speak of the same position or order. Joins a
   * `deferred` promise with the payout it belongs to.
   */
  readonly about?: readonly string[];
  /**
   * The NFT of the position, whether it moves or not. `token` must be the contract that speaks, or one tagged
   * position_manager.
   */
  readonly position?: {
    readonly token: string;
    readonly id: string;
  };
  /** What part of the amounts is principal and what fee, or the interest that came on top. */
  readonly portions?: readonly ({
    /**
     * principal, fee: a part of what the legs moved in the asset; the rest is the other. interest: what the
     * position had grown by.
     */
    readonly role: 'principal' | 'fee' | 'interest';
    /** Left out: the asset of the leg it is a part of. */
    readonly asset?: string;
    readonly amount: string;
  })[];
  /**
   * Signature of the function the event is made in, with its return values: its parameters can then be used
   * as well. Holds where the contract's calls of it and these events are equal in number and none lies inside
   * another.
   */
  readonly within?: string;
  /** Signature as in Solidity, or a list of signatures that all mean this. */
  readonly call?: string;
  /** root: only the transaction's own call. any (default): every frame. */
  readonly depth?: 'root' | 'any';
}
export interface RawLeg {
  /** Leg role of vocabulary.yaml: in, out, share_in, share_out, … */
  readonly role: string;
  readonly from?: string;
  readonly to?: string;
  readonly asset?: string;
  /** The NFT's id. */
  readonly id?: string;
  readonly asset_kind?: 'native' | 'erc20' | 'erc721' | 'erc1155';
  /** Only mints (from zero) or burns (to zero). */
  readonly movement?: 'mint' | 'burn';
  /** One expression, or alternatives of which the first non-zero one counts. */
  readonly amount?: string | readonly string[];
  /**
   * movement (default): carried by movements of the value flow. stated: the word of the event, netted inside
   * a singleton.
   */
  readonly match?: 'movement' | 'stated';
  /** Words of the event for what was paid on top of an amount sent, or kept back from one received. */
  readonly fees?: string | readonly string[];
  /** Word of the event for all that was sent; what exceeds the amount is a fee. */
  readonly total?: string;
  /**
   * Where no movement has exactly the stated amount: none (default) fails the leg, direction takes the
   * movement that fits otherwise.
   */
  readonly otherwise?: 'none' | 'direction';
  /**
   * one (default): the nearest movement. sole: the same, where its payer paid nobody else as much. all: every
   * movement that fits. first: the first since the emitter was called, last: the last since its event of the
   * kind before; both without amount.
   */
  readonly pick?: 'one' | 'sole' | 'all' | 'first' | 'last';
  /** Default true. */
  readonly required?: boolean;
}
export interface RawShapeExample {
  readonly name: string;
  /**
   * Where the signature was found besides the shape's own references: a package, or a repository and path.
   */
  readonly source?: string;
  readonly transaction: RawExampleTransaction;
  readonly expect: RawExpectation;
}
export interface RawExamples {
  readonly shape: string;
  readonly examples: readonly RawShapeExample[];
}
export interface RawProtocol {
  readonly slug: string;
  readonly version: number;
  readonly status: 'experimental' | 'stable' | 'deprecated';
  readonly replaced_by?: string;
  readonly override?: boolean;
  /**
   * true: adds its addresses, shapes, created contracts and registries to the protocol of this slug in an
   * earlier directory.
   */
  readonly extend?: boolean;
  readonly name?: string;
  readonly summary?: string;
  readonly references?: readonly string[];
  /** Shapes its contracts speak. Empty: they are named, and nothing they do is explained by it. */
  readonly shapes?: readonly string[];
  readonly addresses?: readonly string[];
  /** Pools whose address follows from the two tokens (EIP-1014). */
  readonly create2?: {
    readonly deployer: string;
    readonly init_code_hash: `0x${string}`;
    /** packed: keccak(token0‖token1). abi_fee: keccak(abi.encode(token0, token1, fee)). */
    readonly salt: 'packed' | 'abi_fee';
    readonly fees?: readonly number[];
  };
  /**
   * Contracts recognised because their address follows from the deployer: its own n-th CREATE (EIP-161), or
   * with shim_hash and salt the first contract of the CREATE2 shim with salt + n (CREATE3).
   */
  readonly created_by?: readonly ({
    readonly deployer: string;
    /** Contracts recognised, from the first on. */
    readonly count: number;
    /** Hash of the shim's creation code. */
    readonly shim_hash?: `0x${string}`;
    /** The n-th shim has this salt plus n, counting from 1. */
    readonly salt?: `0x${string}`;
    /** So many contracts that each of them created are the protocol's too. */
    readonly children?: number;
  })[];
  /**
   * What the protocol's own tokens call themselves; * matches any text. It names a venue that nothing else
   * names, and proves nothing.
   */
  readonly tokens?: {
    readonly names?: readonly string[];
    readonly symbols?: readonly string[];
  };
  /**
   * Contracts that say of another, in answer to a function of one address, whether it is the protocol's: a
   * first word other than zero means yes. Asked in the second round trip.
   */
  readonly registries?: readonly ({
    readonly address: string;
    /** Signature of the function, of one address. */
    readonly call: string;
    /** First block at which it exists. */
    readonly since_block: number;
  })[];
  /**
   * What a plain payment of these assets to one of its addresses is, where the contract takes them without an
   * event of its own.
   */
  readonly payments?: {
    /** Motif kind of vocabulary.yaml. */
    readonly kind: string;
    readonly assets: readonly string[];
  };
  /** Part of a trade's input that its constant-product pools keep, in millionths. */
  readonly swap_fee_ppm?: number;
  /**
   * Entity tags of all its contracts, listed or created: router, aggregator, …; what an `airdrop` gives out
   * is one in ledgers.
   */
  readonly tags?: readonly string[];
}
export type RawCondition = {
  readonly all: readonly RawCondition[];
} | {
  readonly any: readonly RawCondition[];
} | {
  readonly not: RawCondition;
} | {
  readonly fact: string;
  /** An operator; or simply true/false for a boolean fact. */
  readonly is: 'eq' | 'ne' | 'gt' | 'gte' | 'lt' | 'lte' | 'in' | 'not_in' | 'includes' | 'includes_any'
      | 'includes_none' | 'subset_of' | 'is' | boolean;
  /** What the fact is compared with. */
  readonly value?: unknown;
};
export type ExampleValue = string | number | boolean | readonly ExampleValue[];
export type RawExampleStep = {
  readonly move: number | string;
  readonly asset: string;
  readonly from: string;
  readonly to: string;
  /** The log alone, without the call that asks the token for the movement. */
  readonly unasked?: unknown;
  readonly nft?: number | string;
  /** Who emits, calls, creates, or asks the token: where it is left out the called contract. */
  readonly by?: string;
  readonly value?: number | string;
  /** Id of an ERC-1155 token, of which `move` units move. */
  readonly id?: number | string;
} | {
  /** The log alone, without the call that asks the token for the movement. */
  readonly unasked?: unknown;
  readonly nft?: number | string;
  /** Name of an event of the shapes, or its signature. */
  readonly event: string;
  /** Who emits, calls, creates, or asks the token: where it is left out the called contract. */
  readonly by?: string;
  readonly args?: readonly ExampleValue[];
  readonly value?: number | string;
  /** Id of an ERC-1155 token, of which `move` units move. */
  readonly id?: number | string;
} | {
  /** The log alone, without the call that asks the token for the movement. */
  readonly unasked?: unknown;
  readonly nft?: number | string;
  /** Who emits, calls, creates, or asks the token: where it is left out the called contract. */
  readonly by?: string;
  readonly args?: readonly ExampleValue[];
  /** Name of a call of the shapes, or its signature. */
  readonly call: string;
  readonly on: string;
  readonly value?: number | string;
  /** Id of an ERC-1155 token, of which `move` units move. */
  readonly id?: number | string;
} | {
  /** The log alone, without the call that asks the token for the movement. */
  readonly unasked?: unknown;
  readonly nft?: number | string;
  /** Who emits, calls, creates, or asks the token: where it is left out the called contract. */
  readonly by?: string;
  readonly value?: number | string;
  /** Id of an ERC-1155 token, of which `move` units move. */
  readonly id?: number | string;
  /** Contract that `by` creates, the called one where it is left out. */
  readonly create: string;
};
export interface RawExampleTransaction {
  readonly from?: string;
  readonly to: string;
  /**
   * Signature of the function the transaction calls, or its name where the shapes have it, or the calldata in
   * hex.
   */
  readonly call?: string;
  readonly args?: readonly ExampleValue[];
  readonly value?: number | string;
  /** Decimals of tokens, where they are not 18, and addresses of listed ones. */
  readonly tokens?: Readonly<Record<string, {
    readonly decimals?: number;
    /** Of a listed token, so that the rules know it. */
    readonly address?: string;
  }>>;
  /** Blobs that the transaction carries. */
  readonly blobs?: number;
  /** What the called contract answers; left out: nothing. */
  readonly answer?: string;
  /**
   * Accounts that set their code (EIP-7702), and to which contract; of `zero` an authorisation without
   * effect.
   */
  readonly delegates?: Readonly<Record<string, string>>;
  /** Who holds the NFTs that roles ask for, before and after: `{positions#7: bob}`. */
  readonly holders?: Readonly<Record<string, string>>;
  /** What happens, in order: value moves, contracts emit events, calls are made. */
  readonly steps?: readonly RawExampleStep[];
}
export interface RawExpectation {
  readonly intent?: string;
  /** The intent's category, the published one or the rules' own. */
  readonly category?: string;
  readonly label?: string;
  readonly actor?: string;
  readonly status?: 'Proven' | 'Suspected';
  /** Each must be found. Empty: the shape recognises nothing. */
  readonly motifs?: readonly RawExpectedMotif[];
  /**
   * <category> <effect> of each position of the report, in order; the published category or the rules' own.
   */
  readonly positions?: readonly string[];
}
export interface RawExpectedMotif {
  readonly kind: string;
  readonly venue?: string;
  readonly status?: 'Proven' | 'Suspected';
  readonly roles?: Readonly<Record<string, string>>;
  /** <role> <amount> <asset> each; an NFT is <asset>#<id>. */
  readonly legs?: readonly string[];
}
export interface RawExample {
  readonly name?: string;
  /** Facts by name; those left out are 0, false, empty or the first value. */
  readonly facts?: Readonly<Record<string, unknown>>;
  /** Name of a file in test/recordings, without .json. */
  readonly recording?: string;
  /** Candidate to ask; default: the elected one. */
  readonly actor?: string;
  readonly transaction?: RawExampleTransaction;
  readonly expect?: RawExpectation;
}
export interface RawIntent {
  readonly slug: string;
  readonly version: number;
  readonly status: 'experimental' | 'stable' | 'deprecated';
  readonly replaced_by?: string;
  readonly override?: boolean;
  readonly summary?: string;
  /** Intent kind of vocabulary.yaml. */
  readonly intent: string;
  /** Text for people, with placeholders and optional segments: rules/README.md, Labels. */
  readonly label: string;
  /**
   * Used where a placeholder of the label outside optional segments has no value. Outside them it takes only
   * {actor}, {contract} and {call}.
   */
  readonly label_fallback?: string;
  /** Breaks ties between rules of one intent; higher wins. Default 0. */
  readonly priority?: number;
  /** Rules this one beats whenever both match. */
  readonly supersedes?: readonly string[];
  /** Motif kinds that must be Proven for a Proven verdict. */
  readonly rests_on?: readonly string[];
  /** The rule is skipped when the transaction has none of these motif kinds. */
  readonly requires_any?: readonly string[];
  readonly when: RawCondition;
  /** structural: Proven when what it rests on is. heuristic: always Suspected. */
  readonly proof: 'structural' | 'heuristic';
  /** With a known protocol, and with a family known by behaviour only. */
  readonly confidence: {
    readonly known: 'High' | 'Medium' | 'Low';
    readonly family: 'High' | 'Medium' | 'Low';
  };
  readonly tags?: readonly string[];
  /** Known ways to be wrong. */
  readonly falsepositives?: readonly string[];
  readonly references?: readonly string[];
  readonly examples: {
    readonly match?: readonly RawExample[];
    /** Looks alike and must not match. */
    readonly near_miss?: readonly RawExample[];
  };
}
export interface RawFindingExample {
  readonly name?: string;
  readonly transactions: readonly RawExampleTransaction[];
  readonly expect?: {
    readonly status?: 'Proven' | 'Suspected';
    readonly steps?: Readonly<Record<string, readonly number[]>>;
    readonly amounts?: readonly string[];
  };
}
export interface RawFinding {
  readonly slug: string;
  readonly version: number;
  readonly status: 'experimental' | 'stable' | 'deprecated';
  readonly replaced_by?: string;
  readonly override?: boolean;
  readonly summary: string;
  /** What it is called in the output. */
  readonly finding: string;
  /** What the acts of one candidate have in common. Default: venue. */
  readonly shared?: 'venue' | 'signer' | 'block';
  /** In the order of the block, each in a later transaction than the single step before it. */
  readonly steps?: readonly ({
    readonly name: string;
    /** Motif kinds, or intent kinds for whole transactions. */
    readonly kinds: readonly string[];
    /** Motif kinds of which the act must be a part. */
    readonly within?: readonly string[];
    /** Compared with the first step. */
    readonly entity?: 'same' | 'other';
    /** Of the trade, compared with the first step. */
    readonly direction?: 'same' | 'opposite';
    /** All acts that fit, at least one, in place of the nearest. */
    readonly many?: boolean;
    /** In the transaction right after the single step before. */
    readonly next?: boolean;
  })[];
  /** Facts that make a candidate a finding. */
  readonly when: RawCondition;
  /** Facts that make it Proven; each test that fails is a caveat. */
  readonly proven: RawCondition;
  /** With a known protocol, and with a family known by behaviour only. */
  readonly confidence: {
    readonly known: 'High' | 'Medium' | 'Low';
    readonly family: 'High' | 'Medium' | 'Low';
  };
  /** Findings that explain the last transaction better: then this one is left out. */
  readonly outside?: readonly string[];
  /** Steps whose transactions' gains, tips and gas are summed up. */
  readonly profit?: readonly string[];
  /**
   * The step whose traders lost by the first act, and the event by which constant-product pools state their
   * reserves.
   */
  readonly loss?: {
    readonly of: string;
    readonly reserves: string;
  };
  /** Whether what the block's builder was paid is summed up. */
  readonly income?: boolean;
  /** Known ways to be wrong. */
  readonly falsepositives?: readonly string[];
  readonly references?: readonly string[];
  readonly examples: {
    readonly match?: readonly RawFindingExample[];
    /** Looks alike and must not match. */
    readonly near_miss?: readonly RawFindingExample[];
  };
}
export interface RawMotifKind {
  readonly title: string;
  /** Intent kind a motif of this kind shows as among the fragments. */
  readonly fragment?: string;
  readonly position?: {
    /** A published category, or one of position_categories. */
    readonly category: string;
    readonly effect: 'open' | 'increase' | 'decrease' | 'close' | 'transfer' | 'liquidate' | 'collect'
        | 'migrate';
    /**
     * Role of its owner, where an act may bind it to another account than the one that acts: the recipient of
     * a bridge.
     */
    readonly owner?: string;
  };
  /**
   * The part its venue plays; default `venue`. `account` (acts or is changed) and `created` are no
   * counterparties; `none`: a plain movement of value.
   */
  readonly venue?: 'venue' | 'pool' | 'factory' | 'vault' | 'market' | 'lender' | 'bridge' | 'marketplace'
      | 'settlement' | 'aggregator' | 'token_contract' | 'account' | 'created' | 'none';
  /** Made of other motifs: its value is counted there. */
  readonly composite?: boolean;
  /**
   * Its part in a trade: one asset for another at one venue, swaps that chain, an order settled for its
   * owner, a statement by who arranged it, an asset for its share token.
   */
  readonly trade?: 'swap' | 'chain' | 'order' | 'summary' | 'shares';
  /** It only says who had acts executed. */
  readonly executes?: 'account' | 'operation' | 'delegation';
  /** A permission over the venue's token. It moves nothing. */
  readonly allowance?: boolean;
  /** It repacks value on its way and says nothing of where it goes. */
  readonly carries?: boolean;
  /** It is part of the act before or after it, looked for on that side first. */
  readonly serves?: 'before' | 'after';
  /** It exists only because of another act, of whatever account. */
  readonly dependent?: boolean;
  /** Its recipient takes a fee. */
  readonly fee?: boolean;
  /** It proves that an asset ceased to exist, not what for. */
  readonly destroys?: boolean;
  /** Who else may complete it for its owner. */
  readonly completed_by?: 'keeper' | 'relayer';
  /** Whether what it opens is closed in the same transaction. */
  readonly closed_flow?: 'always' | 'possible';
  /** Predicates without which no act of the kind is proven; docs/qa.md describes them. */
  readonly claims?: readonly ('assets_differ' | 'amount_moved' | 'amounts_agree' | 'both_sides_equal'
      | 'burnt_to_zero' | 'closed' | 'code_created' | 'distinct_pools' | 'amounts_chain' | 'happened_at'
      | 'hops_proven' | 'minted_from_zero' | 'negative_residual' | 'net_of_parts' | 'netted_at_venue'
      | 'no_counter_flow' | 'one_payer' | 'one_recipient' | 'other_lanes_flat' | 'positive_residual'
      | 'principal_was_freed' | 'repaid_in_full' | 'single_venue' | 'sum_of_parts' | 'value_moved'
      | 'venue_involved')[];
  /** Roles of its legs, beside shares and fees; lint refuses others. */
  readonly legs?: readonly string[];
  /**
   * Accounts that submit for others do these too: being named their owner makes an account no more than a
   * submitter.
   */
  readonly submitter?: boolean;
}
export interface RawVocabulary {
  /** In an overlay: words declared below may be redefined here. */
  readonly override?: boolean;
  readonly motifs?: Readonly<Record<string, RawMotifKind>>;
  readonly intents?: Readonly<Record<string, {
    /** A published category, or one of intent_categories. */
    readonly category: string;
    /** false: shows only among the fragments. Default true. */
    readonly headline?: boolean;
    /**
     * Label of such an event in a tax ledger, where it is neither an ordinary trade nor a deposit or
     * withdrawal.
     */
    readonly ledger?: 'reward' | 'airdrop' | 'swap' | 'other income' | 'loan interest' | 'cost';
    /** Words for grouping, written into classification.tags beside the tags of the rule that matched. */
    readonly tags?: readonly string[];
  }>>;
  /** Leg roles: whether the counterparty of the venue sent or received the asset. */
  readonly leg_roles?: Readonly<Record<string, 'sent' | 'received'>>;
  /**
   * Amounts in smallest units from which an allowance is unlimited, and single ones below; the last file that
   * says so counts.
   */
  readonly unlimited_allowance?: {
    readonly from: string;
    readonly exactly: readonly string[];
  };
  /** Account roles, each with its meaning. */
  readonly account_roles?: Readonly<Record<string, string>>;
  /** Named lists of words, used as `$name` in the lists of intent rules. */
  readonly lists?: Readonly<Record<string, readonly (string | number)[]>>;
  /** Categories of your own, each with the published one that clients see it as: `options: trade`. */
  readonly intent_categories?: Readonly<Record<string, 'transfer' | 'trade' | 'liquidity' | 'lending'
      | 'staking' | 'vault' | 'bridge' | 'nft' | 'governance' | 'account' | 'mev' | 'contract' | 'failed'
      | 'unknown'>>;
  /** Kinds of position of your own, each with the published one that clients see it as: `stream: order`. */
  readonly position_categories?: Readonly<Record<string, 'liquidity' | 'lending_supply' | 'lending_debt'
      | 'stake' | 'vault' | 'order' | 'withdrawal_request' | 'bridge_claim'>>;
}
export interface RawPrecedence {
  /** In an overlay: `order` replaces the list below. */
  readonly override?: boolean;
  /** Every intent kind, best first. */
  readonly order?: readonly string[];
  /** In an overlay: where new kinds go. */
  readonly insert?: readonly ({
    readonly intent: string;
    readonly before?: string;
    readonly after?: string;
  })[];
}
export interface RawLexiconEntry {
  readonly kind: string;
  /**
   * What the account gained and lost by it. exchanged: it sent one and received another. none: it received
   * nothing. any: not looked at.
   */
  readonly flow: 'sent' | 'received' | 'exchanged' | 'none' | 'any';
  /** Phrases; the name of the event or function has every word of one of them, in any form and order. */
  readonly names?: readonly string[];
  /** Phrases; one argument's name has every word of one of them. */
  readonly args?: readonly string[];
  /**
   * Events of message buses, by signature: sent ones where value left the account, received ones where it
   * came.
   */
  readonly messages?: readonly string[];
  /** Words that the name must not have. */
  readonly without?: readonly string[];
  /**
   * hash_path: a list of hashes in the calldata. custody: an unknown event of the payee or the called
   * contract names the payer and the exact amount. exit: one of the payer or the called contract names the
   * payee and the exact amount.
   */
  readonly sign?: 'hash_path' | 'custody' | 'exit';
  /**
   * What must be among the assets that moved: fungible ones (native currency or ERC-20), an ERC-20, or NFTs.
   */
  readonly assets?: 'fungible' | 'erc20' | 'nft';
  /** none: applies only where no token was minted to the account, or burnt from it. */
  readonly receipt?: 'none' | 'any';
  /** Role of the assets that moved; in or out where left out. */
  readonly leg?: string;
  /** true: it may be done for an account that the event names, whichever account signed. */
  readonly anyone?: boolean;
  /**
   * Signatures that the entry takes before any other, and ones with a word of it that it must not take. An
   * event begins with a capital, a function does not.
   */
  readonly examples: {
    readonly match: readonly string[];
    readonly near_miss: readonly string[];
  };
  /** exact: applies only where the event or call states the amount of a movement. */
  readonly amount?: 'exact' | 'any';
}
export interface RawEntityFile {
  readonly slug: string;
  readonly version: number;
  readonly status: 'experimental' | 'stable' | 'deprecated';
  readonly replaced_by?: string;
  readonly override?: boolean;
  readonly summary: string;
  readonly references: readonly string[];
  /**
   * wrapped_native, accounts: named addresses with tags. tokens: well-known symbols and their addresses.
   * token_events: tokens that predate the standards. feeds: price oracles. rates: tokens worth so much of
   * other assets. averages: pools whose time-weighted price counts. price_apis: HTTP sources of historical
   * prices. errors: custom errors.
   */
  readonly kind: 'wrapped_native' | 'accounts' | 'tokens' | 'token_events' | 'token_calls' | 'feeds' | 'rates'
      | 'averages' | 'price_apis' | 'errors';
  readonly accounts?: readonly ({
    readonly slug: string;
    readonly name: string;
    readonly address: string;
    readonly tags?: readonly string[];
    /** First block that has it; only with the tag multicall or name_resolver. */
    readonly since_block?: number;
  })[];
  /** Well-known symbols, each with every address that may carry it. */
  readonly tokens?: readonly ({
    readonly symbol: string;
    /** Full name, where people know the token by it. */
    readonly name?: string;
    /**
     * Of fungible tokens. With a name and one address the node is not asked about the token; else this counts
     * where it does not answer.
     */
    readonly decimals?: number;
    /**
     * Classes that rules can ask for in facts such as actor.sent.classes: stablecoin, lst, wrapped, …;
     * ledgers ask the node for balances of `rebasing` ones.
     */
    readonly classes?: readonly string[];
    /** None: no token may carry it. */
    readonly addresses: readonly string[];
  })[];
  readonly events?: readonly ({
    readonly event: string;
    /** Left out: any emitter. */
    readonly emitters?: readonly string[];
    readonly asset_kind: 'erc20' | 'erc721';
    readonly from: string;
    readonly to: string;
    readonly amount?: string;
    readonly token_id?: string;
  })[];
  /** Events of these emitters that only repeat a movement told by another event. */
  readonly ignored_events?: readonly ({
    readonly event: string;
    readonly emitters: readonly string[];
  })[];
  readonly feeds?: readonly ({
    readonly name?: string;
    /** native or a token address. */
    readonly asset: string;
    readonly feed: string;
    readonly decimals: number;
    /** Seconds within which the feed promises an update. */
    readonly heartbeat: number;
    /**
     * Decimals of a token that shares often rest on: its feed is asked even where the transaction did not
     * touch it.
     */
    readonly asset_decimals?: number;
  })[];
  /**
   * Contract that holds feeds by token (latestRoundData(base, quote)), asked for tokens without a feed above.
   */
  readonly registry?: {
    readonly address: string;
    /** Seconds after which an answer is old. */
    readonly heartbeat: number;
    readonly quotes: readonly ({
      readonly denomination: string;
      /** What the denomination is. */
      readonly in: 'usd' | 'native';
    })[];
  };
  readonly rates?: readonly RawRate[];
  readonly averages?: readonly ({
    /** A protocol whose pools are found by create2 with salt abi_fee and answer observe(uint32[]). */
    readonly protocol: string;
    /** Seconds the price is averaged over. */
    readonly window: number;
    /** Tokens the average is taken against. */
    readonly bases: readonly string[];
    /** US dollars that must lie on either side of the pool. */
    readonly min_side_usd: number;
  })[];
  readonly errors?: readonly string[];
  /**
   * Calls by which tokens move or are allowed. The names of parameters say what each is: holder (whose
   * holding; without one the caller's), to (who receives it; without one it is destroyed), amount (of single
   * NFTs the id), id (beside an amount), spender (who may take from the caller), approved (whether it may),
   * token (without one the called contract); other names say nothing.
   */
  readonly token_calls?: readonly string[];
  /** HTTP sources of historical prices, by name. */
  readonly price_apis?: readonly RawPriceApi[];
  /** NFTs that stand for liquidity between two ticks. Numbers are words of the answer. */
  readonly positions?: readonly RawPosition[];
}
export interface RawRate {
  readonly name: string;
  readonly method: 'erc4626' | 'wrapper' | 'lp_share';
  /**
   * issued: any token the transaction minted or burnt, where it also exchanged it at about this rate. moved:
   * any token that moved and is proven. A list: these, whose contracts are trusted with their rate.
   */
  readonly tokens: 'issued' | 'moved' | readonly string[];
  /** What `per` smallest units of the token are worth, in smallest units. */
  readonly terms: readonly RawTerm[];
  /** A decimal integer in quotes, or a function of the token. */
  readonly per: string;
  /** Further functions without which a token is none of this family. */
  readonly answers?: readonly string[];
  /** Why tokens of this family have no price: they answer like an asset and are none. */
  readonly refuse?: string;
  /**
   * What proves a token that moved. create2: its address follows from the first two assets and a factory of
   * these protocols. registry: one of these contracts answers a word that is not zero. open: anybody may make
   * a token there, so that it is priced only as far as the transaction exchanged it.
   */
  readonly proof?: RawProof;
  /** Functions that no token of this family answers. */
  readonly silent?: readonly string[];
  /** Parts of the pool's share may be worth differently much. */
  readonly uneven?: boolean;
}
export interface RawProof {
  readonly open?: boolean;
  readonly create2?: readonly string[];
  readonly registry?: readonly ({
    readonly at: string;
    /** A function that takes the token, e.g. markets(token). */
    readonly call: string;
  })[];
}
export interface RawTerm {
  /**
   * native, a token address, or a function that tells it, e.g. asset(). The address 0xeeee… counts as native.
   */
  readonly asset: string;
  /**
   * A decimal integer in quotes, or a view function: getReserves(), convertToAssets(1000), markets(token),
   * getPtToAssetRate(0x…, uint32 900). Numbers are uint256 unless a type is given. 10**decimals(): ten to the
   * power of the answer.
   */
  readonly amount: string;
  /** Which word of the answer, from 0. */
  readonly word?: number;
  /** The contract asked; left out: the token. */
  readonly at?: string;
}
export interface RawPosition {
  readonly name: string;
  readonly nft: string;
  /** Function that takes the NFT's id. */
  readonly call: string;
  readonly token0: number;
  readonly token1: number;
  readonly tick_lower: number;
  readonly tick_upper: number;
  readonly liquidity: number;
  readonly owed0: number;
  readonly owed1: number;
}
export interface RawPriceApi {
  readonly name: string;
  /** Where it answers, unless the setting gives another URL. */
  readonly base: string;
  /** Path and query with {coins}, {timestamp} and, with a window, {until} (Unix seconds). */
  readonly path: string;
  /** Path for the native asset, where it differs. */
  readonly native_path?: string;
  /** Name of a token in {coins}, with {address}. */
  readonly token: string;
  /** Name of the native asset in {coins}. */
  readonly native: string;
  /** Assets asked about at once, separated by commas in {coins}. Default 1. */
  readonly coins_per_request?: number;
  /** Seconds from {timestamp} to {until}. */
  readonly window?: number;
  /** Where the answer holds each value: keys and indexes separated by dots, {coin} is the asset's name. */
  readonly answer: {
    readonly price: string;
    readonly time: string;
    readonly time_unit?: 's' | 'ms';
    /** From 0 to 1. */
    readonly confidence?: string;
  };
  /** Seconds after which a price is stale. */
  readonly heartbeat: number;
}
export interface RawLedgerTags {
  readonly cost?: string;
  readonly reward?: string;
  readonly airdrop?: string;
  readonly interest?: string;
  readonly fee?: string;
  readonly fee_refund?: string;
  readonly swap?: string;
  readonly shares?: string;
  readonly loan?: string;
  readonly repayment?: string;
  readonly stake?: string;
  readonly unstake?: string;
  readonly deposit?: string;
  readonly take_back?: string;
  readonly pool?: string;
  readonly bridge?: string;
  readonly rebase?: string;
  readonly tax?: string;
  readonly owed?: string;
  readonly opening?: string;
  readonly other?: string;
}
export interface RawLedgerFormat {
  /** What --format names. */
  readonly name: string;
  /** One sentence for --help and the docs. */
  readonly summary: string;
  /** Where the format is published. */
  readonly references?: readonly string[];
  /**
   * trades: a row for what was sent and received; postings: a row per posting; journal: text for plain-text
   * accounting.
   */
  readonly shape: 'trades' | 'postings' | 'journal';
  /** Form of times, in UTC: YYYY, MM, DD, hh, mm and ss are replaced. */
  readonly date: string;
  /** Which CSV cells are quoted; left out: those that need it. */
  readonly quoting?: 'needed' | 'all';
  /** Between CSV cells. */
  readonly delimiter?: string;
  /** Header of each column, and what its cells hold: {placeholders} and text. */
  readonly columns?: Readonly<Record<string, string>>;
  /** Rows that may carry the fee; else it is a row of its own. */
  readonly fee_with?: readonly ('withdrawal' | 'deposit' | 'trade')[];
  /** The format's words for a row, by what it is and what it was for; `other` where there is none. */
  readonly tags?: {
    readonly withdrawal?: RawLedgerTags;
    readonly deposit?: RawLedgerTags;
    readonly trade?: RawLedgerTags;
  };
  /**
   * How assets are written: between these quotes; in at most so many capital letters and digits; or unlisted
   * ones as these words and a number, which a file keeps.
   */
  readonly currency?: {
    readonly quotes?: string;
    readonly most?: number;
    readonly unlisted?: string;
    readonly nft?: string;
  };
  /**
   * Accounts that postings go to; {address} is the account on chain. Where `purposes` names an account for
   * what an amount was for, it stands in place of the external one.
   */
  readonly accounts?: {
    readonly asset: string;
    readonly liability: string;
    readonly external: string;
    readonly gas: string;
    readonly purposes?: RawLedgerTags;
  };
  /** Lines of a journal. */
  readonly journal?: {
    readonly head?: string;
    readonly commodity?: string;
    readonly account?: string;
    readonly transaction: string;
    readonly posting: string;
    readonly balances?: string;
    readonly balance: string;
    readonly price?: string;
    readonly cost?: string;
    readonly left_out?: string;
  };
  /** Most digits of an amount that the program holds; further ones become zeros. */
  readonly digits?: number;
}
export type RawHead = Pick<RawShape, 'slug' | 'version' | 'status' | 'replaced_by' | 'override'
    | 'references'>;
